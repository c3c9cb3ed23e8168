//! The numbers of a data file's atoms, molecules and types, and those that they get in the system.

use super::keywords::{Add, Keywords};
use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::model::labels::{Labels, TypeLabels};
use crate::script::lines::Lines;
use std::collections::HashMap;

/// What is added to the numbers of a file, and what they may be then.
pub(super) struct Numbers {
    /// What is added to atom IDs.
    id: u32,
    /// What is added to molecule IDs.
    molecule: u32,
    /// What is added to types of atoms and bonds.
    offsets: [usize; 2],
    /// How many types of atoms and bonds there are.
    types: [usize; 2],
    /// What types are called, of atoms and of bonds.
    labels: [Labels; 2],
    /// The types that those of the file are, where it gives them names: by these, not by their numbers.
    named: [Option<Vec<u32>>; 2],
    /// The IDs of all atoms so far.
    there: Ids,
    /// Whether they join others.
    joins: bool,
}

/// IDs as bits, 64 of a run in one word: IDs may have holes of any size.
#[derive(Default)]
pub(super) struct Ids(HashMap<u32, u64>);

impl Ids {
    /// Adds an ID; false for 0 and when it is there already.
    pub(super) fn insert(&mut self, tag: u32) -> bool {
        let (word, bit) = (self.0.entry(tag / 64).or_default(), 1 << (tag % 64));
        let new = tag != 0 && *word & bit == 0;
        *word |= bit;
        new
    }

    fn contains(&self, tag: u32) -> bool {
        self.0.get(&(tag / 64)).is_some_and(|word| word & (1 << (tag % 64)) != 0)
    }
}

impl Numbers {
    /// For a file that joins these atoms, or comes first, as `keywords` say, in a system of so many types of atoms and bonds.
    pub(super) fn new(
        keywords: &Keywords<'_>,
        atoms: &Atoms,
        types: [usize; 2],
        TypeLabels { atom, bond }: TypeLabels,
    ) -> Self {
        let largest = |values: &[u32]| values.iter().max().copied().unwrap_or(0);
        let (id, molecule) = match keywords.add {
            Some(Add::Append) => (largest(&atoms.tag), largest(&atoms.molecule)),
            Some(Add::By { id, molecule }) => (id, molecule),
            Some(Add::Merge) | None => (0, 0),
        };
        let mut there = Ids::default();
        if keywords.add.is_some() {
            atoms.tag.iter().for_each(|&tag| _ = there.insert(tag));
        }
        let (labels, named) = ([atom, bond], [None, None]);
        let (offsets, joins) = (keywords.offsets, keywords.add.is_some());
        Numbers { id, molecule, offsets, types, labels, named, there, joins }
    }

    /// Section Atom (0) or Bond (1) Type Labels: `type name`, for each of the `count` types of the file. A type of the system that
    /// has the name is the same one, else the first without a name gets it.
    pub(super) fn read_labels(
        &mut self,
        lines: &mut Lines,
        section: &str,
        which: usize,
        count: usize,
    ) -> Result<()> {
        let mut names = Labels::default();
        lines.each(section, count, |lines| {
            let mut words = lines.text().split_ascii_whitespace();
            let first = words.next();
            let kind: usize = lines.parse(first, "the number of a type")?;
            if !(1..=count).contains(&kind) {
                return Err(
                    lines.error(first.unwrap_or(""), format!("type {kind} is not within 1 to {count}"))
                );
            }
            let name = words.next().unwrap_or("");
            names.give(kind, name).map_err(|error| lines.error_here(error))?;
            match words.next() {
                None => Ok(()),
                Some(word) => Err(lines.error(word, format!("unexpected '{word}'")).label("type name")),
            }
        })?;
        let (labels, types) = (&mut self.labels[which], self.types[which]);
        let mut known = Vec::with_capacity(count);
        for kind in 1..=count {
            let incomplete =
                || lines.error_here(Error::new(format!("section {section} has no name of type {kind}")));
            let name = names.name(kind).ok_or_else(incomplete)?;
            let full = || lines.error_here(Error::new(format!("no type is left for the name '{name}'")));
            let place = labels.number(name).or_else(|| labels.free(types)).ok_or_else(full)?;
            labels.give(place, name)?;
            known.push(place as u32);
        }
        self.named[which] = Some(known);
        Ok(())
    }

    /// What types are called when the file has been read.
    pub(super) fn labels(self) -> TypeLabels {
        let [atom, bond] = self.labels;
        TypeLabels { atom, bond }
    }

    /// The type of an atom.
    pub(super) fn atom_type(&self, lines: &Lines, word: Option<&str>) -> Result<u32> {
        self.kind(0, lines, word)
    }

    /// The type of a bond.
    pub(super) fn bond_type(&self, lines: &Lines, word: Option<&str>) -> Result<u32> {
        self.kind(1, lines, word)
    }

    fn kind(&self, which: usize, lines: &Lines, word: Option<&str>) -> Result<u32> {
        if let Some(kind) = word.and_then(|word| self.labels[which].number(word)) {
            return Ok(kind as u32);
        }
        let name = ["atom type", "bond type"][which];
        let kind: u32 = lines.parse(word, ["an atom type", "a bond type"][which])?;
        if let Some(&known) = self.named(which, kind as usize) {
            return Ok(known);
        }
        let (offset, types) = (self.offsets[which], self.types[which]);
        let moved = kind as usize + offset;
        if kind > 0 && moved <= types {
            return Ok(moved as u32);
        }
        let sum = if offset > 0 { format!("{kind} + {offset}") } else { kind.to_string() };
        let error = lines.error(word.unwrap_or(""), format!("{name} {sum} is not within 1 to {types}"));
        let help = "the box keeps its types: `create_box`, or `extra` types where the first file is read, give it more";
        Err(if self.joins { error.help(help) } else { error })
    }

    /// The type that one of the file is by its name.
    fn named(&self, which: usize, kind: usize) -> Option<&u32> {
        self.named[which].as_ref().and_then(|known| known.get(kind.checked_sub(1)?))
    }

    /// A word of a line of coefficients that is a type, of atoms or else of bonds, as a type of the system.
    pub(super) fn moved(&self, atoms: bool, text: &str) -> String {
        let which = usize::from(!atoms);
        let offset = self.offsets[which];
        match text.parse::<usize>() {
            Ok(kind) if self.named(which, kind).is_some() => {
                self.named(which, kind).map_or_else(String::new, u32::to_string)
            }
            Ok(kind) if offset > 0 => kind.saturating_add(offset).to_string(),
            _ => text.to_owned(),
        }
    }

    /// The ID of an atom; 0 stays 0, which is none.
    pub(super) fn tag(&self, lines: &Lines, word: Option<&str>) -> Result<u32> {
        let tag: u32 = lines.parse(word, "an atom ID (an integer from 1)")?;
        if tag == 0 {
            return Ok(0);
        }
        let message =
            || format!("atom ID {tag} + {} is above {}, the largest there can be", self.id, u32::MAX);
        tag.checked_add(self.id).ok_or_else(|| lines.error(word.unwrap_or(""), message()))
    }

    /// The same, of an atom that is not there yet.
    pub(super) fn new_tag(&mut self, lines: &Lines, word: Option<&str>) -> Result<u32> {
        let tag = self.tag(lines, word)?;
        if self.there.insert(tag) {
            return Ok(tag);
        }
        let message = match tag {
            0 => "atom IDs begin at 1".into(),
            _ => format!("atom ID {tag} is used twice"),
        };
        let error = lines.error(word.unwrap_or(""), message);
        let help = "with `add append` the atoms of the file get IDs behind those that are there";
        Err(if self.joins && tag > 0 { error.help(help) } else { error })
    }

    /// The same, of an atom that is there.
    pub(super) fn old_tag(&self, lines: &Lines, word: Option<&str>) -> Result<u32> {
        let tag = self.tag(lines, word)?;
        match self.there.contains(tag) && tag > 0 {
            true => Ok(tag),
            false => Err(lines.error(word.unwrap_or(""), format!("there is no atom {tag}"))),
        }
    }

    /// The ID of a molecule.
    pub(super) fn molecule(&self, lines: &Lines, word: Option<&str>) -> Result<u32> {
        let molecule: u32 = lines.parse(word, "a molecule ID (an integer from 0)")?;
        molecule.checked_add(self.molecule).ok_or_else(|| {
            let error = Error::new(format!("molecule ID {molecule} + {} is too large", self.molecule));
            lines.error_here(error)
        })
    }
}
