//! What `read_data` is told besides the file.

use super::properties::{self, Section};
use crate::base::error::Result;
use crate::model::limits::{MOST_BOND_TYPES, MOST_TYPES};
use crate::script::{Args, Word};
use crate::session::Session;

/// Which IDs the atoms of a file get beside those that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Add {
    /// They, and the IDs of molecules, count on.
    Append,
    /// Those of the file.
    Merge,
    /// Those of the file and a number more; so do the IDs of molecules.
    By { id: u32, molecule: u32 },
}

/// The keywords.
pub(super) struct Keywords<'a> {
    pub(super) nocoeff: bool,
    /// Sections of a fix property/atom.
    pub(super) own: Vec<Section>,
    /// Types of atoms and bonds beside those of the file: how many, and the word that says so.
    pub(super) more: [(usize, &'a Word); 2],
    /// The atoms join those that are there.
    pub(super) add: Option<Add>,
    /// What is added to types of atoms and bonds.
    pub(super) offsets: [usize; 2],
    /// What is added to positions and to the corners of the box, in distance units.
    pub(super) shift: [f64; 3],
    /// The bit of the group that the atoms belong to, too.
    pub(super) group: u32,
}

/// Keywords for types beside those of the file, each with how many there can be.
pub(super) const FURTHER: [(&str, usize); 2] =
    [("extra/atom/types", MOST_TYPES), ("extra/bond/types", MOST_BOND_TYPES)];

impl<'a> Keywords<'a> {
    /// Takes all that follows the word with the file's name.
    ///
    /// # Errors
    /// At a word that does not fit, at `add` where there is no box, at `offset` and `shift` without `add`, and at `extra` types
    /// with it.
    pub(super) fn read(session: &mut Session, args: &mut Args<'a>, file: &'a Word) -> Result<Self> {
        let mut keywords = Keywords {
            nocoeff: false,
            own: Vec::new(),
            more: [(0, file); 2],
            add: None,
            offsets: [0; 2],
            shift: [0.0; 3],
            group: 0,
        };
        // The words that go with `add` only, and those that do not.
        let (mut with, mut without) = (None, None);
        while let Some(word) = args.peek() {
            if args.accept("extra/bond/per/atom") || args.accept("extra/special/per/atom") {
                args.count("a number", 0)?; // there is always room
            } else if let Some(kind) = FURTHER.iter().position(|(name, _)| args.accept(name)) {
                let most = FURTHER[kind].1;
                keywords.more[kind] = (args.count_up_to("a number of further types", 0, most)?, word);
                without = Some(word);
            } else if word.text.starts_with("extra/") {
                return Err(args.unsupported(word, "read_data keyword"));
            } else {
                let names = ["nocoeff", "fix", "add", "offset", "shift", "group"].map(|name| (name, name));
                let known = names.into_iter().chain(FURTHER.map(|(name, _)| (name, name)));
                match args.one_of("read_data keyword", &known.collect::<Vec<_>>())? {
                    "fix" => keywords.own.push(properties::section(session, args)?),
                    "add" => {
                        session.domain().map_err(|error| args.place(word, error))?;
                        keywords.add = Some(add(session, args)?);
                    }
                    "offset" => (keywords.offsets, with) = (offsets(args)?, Some(word)),
                    "shift" => (keywords.shift, with) = (shift(session, args)?, Some(word)),
                    "group" => {
                        keywords.group =
                            session.system.groups.make(args.word("the name of a group")?, args)?;
                    }
                    _ => keywords.nocoeff = true,
                }
            }
        }
        if let (Some(word), None) = (with, keywords.add) {
            let error = args.error(word, format_args!("'{}' is for a file that joins a system", word.text));
            return Err(error.help("add: add append"));
        }
        if let (Some(word), Some(_)) = (without, keywords.add) {
            let error = args.error(word, "the numbers of types are those of the box that there is");
            return Err(error.help("give it more types where it is made"));
        }
        Ok(keywords)
    }
}

/// Takes what follows `add`: `append`, `merge`, or a number, of atoms in molecules two.
fn add(session: &Session, args: &mut Args<'_>) -> Result<Add> {
    if args.accept("append") {
        return Ok(Add::Append);
    }
    if args.accept("merge") {
        return Ok(Add::Merge);
    }
    let id = args.int("append, merge, or a number to add to atom IDs")?;
    let molecule = if session.has_molecules() { args.int("a number to add to molecule IDs")? } else { 0 };
    Ok(Add::By { id, molecule })
}

/// Takes what is added to types: of atoms, bonds, and of angles, dihedrals and impropers, which there are none of.
fn offsets(args: &mut Args<'_>) -> Result<[usize; 2]> {
    let mut offsets = [0; 2];
    for (offset, (_, most)) in offsets.iter_mut().zip(FURTHER) {
        *offset = args.count_up_to("a number to add to types", 0, most)?;
    }
    (0..3).try_for_each(|_| args.count("a number to add to types", 0).map(|_| ()))?;
    Ok(offsets)
}

fn shift(session: &Session, args: &mut Args<'_>) -> Result<[f64; 3]> {
    let mut shift = [0.0; 3];
    for (d, part) in shift.iter_mut().enumerate() {
        let word = args.peek();
        *part = args.f64("a distance")?;
        if let (Some(word), 2, 2, true) = (word, d, session.system.dimension, *part != 0.0) {
            return Err(args.error(word, "a 2d system cannot be shifted along z"));
        }
    }
    Ok(shift)
}
