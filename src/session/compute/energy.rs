//! `compute pe` and `compute ke`. Source: LAMMPS manual.

use super::style::{Compute, Header};
use super::{Shape, Values, header};
use crate::base::error::{Error, Result};
use crate::engine::analysis::group_sums::SumTerm;
use crate::script::Args;
use crate::session::Session;
use crate::session::snapshot::view::Snapshot;

/// `compute pe`: the potential energy of all atoms, tail corrections included.
pub(super) struct Potential {
    header: Header,
    /// Whether pairs count.
    pair: bool,
    /// Whether fixes count.
    fix: bool,
    /// Whether bonds do.
    bond: bool,
}

/// Reads which parts of the potential energy count, all where none is named: pairs, bonds.
pub(crate) fn parts(args: &mut Args<'_>) -> Result<[bool; 2]> {
    let names = ["pair", "bond", "angle", "dihedral", "improper", "kspace", "fix"];
    let mut counts = [args.is_empty(); 2];
    while !args.is_empty() {
        match args.one_of("part of the energy", &names.map(|part| (part, part)))? {
            "pair" => counts[0] = true,
            "bond" => counts[1] = true,
            _ => {}
        }
    }
    Ok(counts)
}

impl Potential {
    pub(super) fn new(header: Header) -> Self {
        Potential { header, pair: true, bond: true, fix: true }
    }
}

/// Takes which parts count: all by default.
pub(crate) fn potential(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if header.group != 1 {
        return Err(args.error_here(format_args!("compute {} of style pe must use group all", header.id)));
    }
    let fix = args.is_empty() || args.rest().iter().any(|word| word.text == "fix");
    let [pair, bond] = parts(args)?;
    Ok(Box::new(Potential { header, pair, bond, fix }))
}

impl Compute for Potential {
    header!();

    fn shape(&self) -> Shape {
        Shape::SCALAR
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let row = system.measured()?;
        let pair = if self.pair { row.pair_energy + row.tail_energy } else { 0.0 };
        let bond = if self.bond { row.bond_energy } else { 0.0 };
        Ok(Values::scalar(pair + bond + if self.fix { row.fix_energy } else { 0.0 }))
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
pub(crate) fn kinetic(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Kinetic { header }))
}

impl Compute for Kinetic {
    header!();

    fn shape(&self) -> Shape {
        Shape::SCALAR
    }

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        system.prepare(&[&SumTerm::MOTION])
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        system.of_group(self.header.group, None).kinetic_energy().map(Values::scalar)
    }

    fn extensive(&self) -> bool {
        true
    }
}
