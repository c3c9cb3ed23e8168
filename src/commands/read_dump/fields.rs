//! Which values of a frame are taken, and what they replace: the words of `read_dump` after the step and of `rerun` after
//! `dump`. LAMMPS manual, `read_dump`.

use super::file::{DumpFile, Format, Head};
use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::script::Args;
use crate::session::Session;

/// Fields that are numbers of atoms here.
const FIELDS: [&str; 9] = ["x", "y", "z", "vx", "vy", "vz", "ix", "iy", "iz"];
/// Fields that LAMMPS has as well.
const OTHER_FIELDS: [&str; 4] = ["q", "fx", "fy", "fz"];

/// What atoms of a frame that are not in the system become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Add {
    No,
    /// New atoms, with IDs of their own.
    New,
    /// New atoms with the IDs of the frame.
    Keep,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    names: Vec<&'static str>,
    /// `label`: the column of a field.
    labels: Vec<(String, String)>,
    box_too: bool,
    /// `timestep`: the step becomes that of the frame.
    pub(super) step_too: bool,
    replace: bool,
    purge: bool,
    trim: bool,
    add: Add,
    /// `scaled`, `wrapped`, where the script says so of labels.
    scaled: Option<bool>,
    wrapped: Option<bool>,
    pub(super) format: Format,
}

/// How many atoms of a frame did what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Census {
    pub(super) purged: usize,
    pub(super) replaced: usize,
    pub(super) trimmed: usize,
    pub(super) added: usize,
}

impl Fields {
    /// Takes names of fields, then keywords, to the end.
    pub(super) fn read(args: &mut Args<'_>) -> Result<Self> {
        let mut fields = Fields {
            names: Vec::new(),
            labels: Vec::new(),
            box_too: true,
            step_too: true,
            replace: true,
            purge: false,
            trim: false,
            add: Add::No,
            scaled: None,
            wrapped: None,
            format: Format::Native,
        };
        while let Some(word) = args.peek() {
            if OTHER_FIELDS.contains(&&*word.text) {
                return Err(args.unsupported(word, "field"));
            }
            let Some(name) = FIELDS.into_iter().find(|name| *name == word.text) else { break };
            args.word("a field")?;
            fields.names.push(name);
        }
        if fields.names.is_empty() {
            let word = args.word("a field such as x")?;
            return Err(args.unknown(word, "field", FIELDS.into_iter()));
        }
        while !args.is_empty() {
            let keywords = [
                ("box", 0),
                ("timestep", 1),
                ("replace", 2),
                ("purge", 3),
                ("trim", 4),
                ("add", 5),
                ("label", 6),
                ("scaled", 7),
                ("wrapped", 8),
                ("format", 9),
            ];
            match args.one_of("keyword", &keywords)? {
                0 => fields.box_too = args.yes_no()?,
                1 => fields.step_too = args.yes_no()?,
                2 => fields.replace = args.yes_no()?,
                3 => fields.purge = args.yes_no()?,
                4 => fields.trim = args.yes_no()?,
                5 => {
                    let ways = [("no", Add::No), ("yes", Add::New), ("keep", Add::Keep)];
                    fields.add = args.one_of("way to add atoms", &ways)?;
                }
                6 => {
                    let field = args.text("a field")?.to_owned();
                    fields.labels.push((field, args.text("the name of its column")?.to_owned()));
                }
                7 => fields.scaled = Some(args.yes_no()?),
                8 => fields.wrapped = Some(args.yes_no()?),
                _ => {
                    let formats = [("native", Format::Native), ("xyz", Format::Xyz)];
                    fields.format = args.one_of("format of dumps", &formats)?;
                }
            }
        }
        Ok(fields)
    }

    /// The place of a field's column, and for positions whether they are fractions of the box, and wrapped into it.
    fn column(&self, head: &Head, field: &str) -> Result<(usize, bool, bool)> {
        let place = |name: &str| head.columns.iter().position(|column| column == name);
        let missing = || {
            let columns = head.columns.join(" ");
            let error = Error::new(format!("the dump has no column for '{field}'"));
            error.help(format!("it has: {columns}"))
        };
        if let Some((_, label)) = self.labels.iter().find(|(name, _)| name == field) {
            let way = |place| (place, self.scaled == Some(true), self.wrapped != Some(false));
            return place(label).map(way).ok_or_else(missing);
        }
        if !matches!(field, "x" | "y" | "z") {
            return place(field).map(|place| (place, false, true)).ok_or_else(missing);
        }
        // In LAMMPS's order; what the keywords say is of labels alone.
        let ways = [("", false, true), ("s", true, true), ("u", false, false), ("su", true, false)];
        let mut found = ways.iter().filter_map(|&(end, scaled, wrapped)| {
            place(&format!("{field}{end}")).map(|place| (place, scaled, wrapped))
        });
        found.next().ok_or_else(missing)
    }

    /// Reads the rows of a frame and gives the atoms and the box its values.
    pub(super) fn apply(&self, session: &mut Session, file: &mut DumpFile, head: &Head) -> Result<Census> {
        let mut columns = vec![self.column(head, "id")?.0];
        let mut scaled = Vec::new();
        // As in LAMMPS images count on where positions are wrapped, and begin anew where they are not, or are not read.
        let mut counting = false;
        for field in &self.names {
            let (column, fraction, wrapped) = self.column(head, field)?;
            counting |= wrapped && matches!(*field, "x" | "y" | "z");
            columns.push(column);
            scaled.push(fraction);
        }
        if self.add != Add::No {
            columns.push(self.column(head, "type")?.0);
        }
        let rows = file.rows(head, &columns)?;
        let old = session.domain()?;
        let mut there = match head.corners {
            Some([lo, hi]) => Domain { lo, hi, general: old.general, ..Domain::new(lo, hi, old.boundary)? },
            None if self.box_too => {
                let error = Error::new("files of the format xyz have no box");
                return Err(error.help("write `box no`: the box of the script stays"));
            }
            None => old.clone(),
        };
        if let Some(tilt) = head.tilt {
            there = there.with_tilt(tilt)?;
        }
        if self.box_too {
            if there.triclinic != old.triclinic {
                let kind = |triclinic| if triclinic { "triclinic" } else { "orthogonal" };
                let message = format!(
                    "the box of the dump is {}, that of the script is {}",
                    kind(there.triclinic),
                    kind(old.triclinic)
                );
                return Err(Error::new(message).help("see change_box triclinic and ortho"));
            }
            session.system.domain = Some(there.clone());
        }
        let types = session.types();
        let domain = session.domain()?.clone();
        let atoms = session.atoms_mut()?;
        let mut census = Census::default();
        if self.purge {
            census.purged = atoms.len();
            atoms.retain(|_| false);
        }
        let order = atoms.by_tag();
        let tags: Vec<u32> = order.iter().map(|&i| atoms.tag[i]).collect();
        let mut keep = vec![!self.trim; order.len()];
        let mut new = Vec::new();
        for row in rows.chunks_exact(columns.len()) {
            let Ok(place) = tags.binary_search(&(row[0] as u32)) else {
                new.push(row);
                continue;
            };
            let i = order[place];
            keep[i] = true;
            if self.replace {
                census.replaced += 1;
                let image = std::mem::take(&mut atoms.image[i]);
                self.set(atoms, i, row, &scaled, &there, counting.then_some(image));
            }
        }
        census.trimmed = keep.iter().filter(|&&keep| !keep).count();
        atoms.retain(|i| keep[i]);
        let mut last = atoms.tag.iter().copied().max().unwrap_or(0);
        for row in new.into_iter().filter(|_| self.add != Add::No) {
            let kind = row[columns.len() - 1] as usize;
            if !(1..=types).contains(&kind) {
                return Err(Error::new(format!("atom type {kind} is not within 1 to {types}")));
            }
            last = last.saturating_add(1);
            atoms.push(if self.add == Add::Keep { row[0] as u32 } else { last }, kind as u32, [0.0; 3]);
            census.added += 1;
            self.set(atoms, atoms.len() - 1, row, &scaled, &there, Some([0; 3]));
        }
        domain.wrap_all(&mut atoms.x, &mut atoms.image);
        Ok(census)
    }

    /// Gives an atom the values of a row, and image counts, where they count: what they were, unless the row has others.
    fn set(
        &self,
        atoms: &mut Atoms,
        i: usize,
        row: &[f64],
        scaled: &[bool],
        there: &Domain,
        image: Option<[i32; 3]>,
    ) {
        atoms.image[i] = image.unwrap_or_default();
        // Fractions, where the axis has one.
        let mut fractions = [None; 3];
        for ((field, scaled), &value) in self.names.iter().zip(scaled).zip(&row[1..]) {
            let axis = usize::from(field.as_bytes()[field.len() - 1] - b'x');
            match field.as_bytes() {
                [b'v', _] => atoms.v[i][axis] = value,
                [b'i', _] if image.is_some() => atoms.image[i][axis] = value as i32,
                [b'i', _] => {}
                _ if *scaled => fractions[axis] = Some(value),
                _ => atoms.x[i][axis] = value,
            }
        }
        if fractions != [None; 3] {
            let before = there.fractions(atoms.x[i]);
            let x = there.at_fractions(std::array::from_fn(|d| fractions[d].unwrap_or(before[d])));
            (0..3).filter(|&d| there.triclinic || fractions[d].is_some()).for_each(|d| atoms.x[i][d] = x[d]);
        }
    }
}
