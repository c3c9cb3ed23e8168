//! The keywords of `create_atoms`. Source: LAMMPS manual.

use super::atom_type;
use super::body::{self, Body};
use super::chosen::{Part, Test};
use crate::error::Result;
use crate::script::{Args, Word};
use crate::state::State;

/// The keywords of `create_atoms`.
pub(super) struct Options {
    /// Type per basis atom.
    pub(super) kinds: Vec<u32>,
    pub(super) box_units: bool,
    pub(super) remap: bool,
    /// The least distance of random atoms from all others, in units of `units`.
    pub(super) overlap: f64,
    /// How often a place is tried for a random atom.
    pub(super) tries: u32,
    /// Where atoms are wanted.
    pub(super) test: Option<Test>,
    /// How many of the places of a lattice get atoms.
    pub(super) part: Option<Part>,
    /// The molecules that there are to be instead of atoms.
    pub(super) body: Option<Body>,
}

/// Takes the keywords; the lattice has so many sites in a cell.
pub(super) fn options(
    state: &mut State,
    args: &mut Args,
    kind: u32,
    types: usize,
    sites: usize,
) -> Result<Options> {
    let mut options = Options {
        kinds: vec![kind; sites],
        box_units: false,
        remap: false,
        overlap: 0.0,
        tries: 1000,
        test: None,
        part: None,
        body: None,
    };
    let mut turn = None;
    while let Some(word) = args.peek() {
        match args.one_of(
            "create_atoms keyword",
            &[
                ("basis", 0),
                ("units", 1),
                ("remap", 2),
                ("overlap", 3),
                ("maxtry", 4),
                ("ratio", 5),
                ("subset", 5),
                ("var", 6),
                ("set", 7),
                ("mol", 8),
                ("rotate", 9),
            ],
        )? {
            0 => {
                let site: &Word = args.clone().word("a basis atom")?;
                let number: usize = args.int("a basis atom")?;
                if !(1..=sites).contains(&number) {
                    return Err(args.error(site, format_args!("the lattice has basis atoms 1 to {sites}")));
                }
                options.kinds[number - 1] = atom_type(args, types)?;
            }
            1 => options.box_units = args.one_of("units", &[("box", true), ("lattice", false)])?,
            2 => options.remap = args.yes_no()?,
            3 => options.overlap = args.positive("a least distance")?,
            4 => options.tries = u32::try_from(args.count("a number of tries", 1)?).unwrap_or(u32::MAX),
            5 => options.part = Some(Part::read(args, word)?),
            6 => options.test.get_or_insert_default().variable(state, args)?,
            7 => options.test.get_or_insert_default().coordinate(state, args)?,
            8 => options.body = Some(Body::read(state, args, kind)?),
            _ => turn = Some((word, body::rotate(state, args, word)?)),
        }
    }
    options.test.iter().try_for_each(|test| test.check(args))?;
    match (options.body.take(), turn) {
        (Some(body), turn) => options.body = Some(body.turned(turn.map(|(_, turn)| turn))),
        (None, Some((word, _))) => return Err(args.error(word, "`rotate` needs `mol`, too")),
        (None, None) => {}
    }
    Ok(options)
}
