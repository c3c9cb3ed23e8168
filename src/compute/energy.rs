//! `compute pe` and `compute ke`. Source: LAMMPS manual.

use super::{Compute, Header, Shape, Values, header};
use crate::error::{Error, Result};
use crate::script::Args;
use crate::state::State;
use crate::system::System;

/// `compute pe`: the potential energy of all atoms, tail corrections included.
pub(super) struct Potential {
    header: Header,
    /// Whether pairs count.
    pair: bool,
    /// Whether fixes count.
    fix: bool,
}

/// The parts of the potential energy, and whether they are that of pairs.
pub(super) const PARTS: [(&str, bool); 7] = [
    ("pair", true),
    ("bond", false),
    ("angle", false),
    ("dihedral", false),
    ("improper", false),
    ("kspace", false),
    ("fix", false),
];

impl Potential {
    pub(super) fn new(header: Header) -> Self {
        Potential { header, pair: true, fix: true }
    }
}

/// Takes which parts count: all by default.
pub(super) fn potential(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if header.group != 1 {
        return Err(args.error_here(format_args!("compute {} of style pe must use group all", header.id)));
    }
    let _ = state;
    let mut compute = Potential { pair: args.is_empty(), fix: args.is_empty(), ..Potential::new(header) };
    while !args.is_empty() {
        compute.fix |= args.peek().is_some_and(|word| word.text == "fix");
        compute.pair |= args.one_of("part of the energy", &PARTS)?;
    }
    Ok(Box::new(compute))
}

impl Compute for Potential {
    header!();

    fn shape(&self) -> Shape {
        Shape::SCALAR
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let row = system.measured()?;
        let pair = if self.pair { row.pair_energy + row.tail_energy } else { 0.0 };
        Ok(Values::scalar(pair + if self.fix { row.fix_energy } else { 0.0 }))
    }

    fn tallies(&self) -> bool {
        true
    }

    fn extensive(&self) -> bool {
        true
    }
}

/// The error where energy or virial is asked for and not measured.
pub fn no_energies() -> Error {
    Error::new("energies and virials are not known at this point of the script")
        .help("they are known at a run's output; `run 0` measures them")
}

/// `compute ke`: half the sum of m v^2 of a group.
struct Kinetic {
    header: Header,
}

/// Takes no further words.
pub(super) fn kinetic(header: Header, _: &State, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Kinetic { header }))
}

impl Compute for Kinetic {
    header!();

    fn shape(&self) -> Shape {
        Shape::SCALAR
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        system.of_group(self.header.group, None)?.kinetic_energy().map(Values::scalar)
    }

    fn extensive(&self) -> bool {
        true
    }
}
