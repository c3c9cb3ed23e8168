//! `compute msd/nongauss`: the mean of squared and of fourth powers of displacements since the compute was defined, and how far they are from
//! those of normal numbers: 3 <r^4> / (5 <r^2>^2) - 1. Source: LAMMPS manual.

use super::msd::Origin;
use crate::base::error::Result;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct MsdNonGauss {
    header: Header,
    /// Whether the drift of the centre of mass is taken off.
    com: bool,
    origin: Origin,
}

/// Takes `com yes|no`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut com = false;
    while !args.is_empty() {
        args.one_of("keyword of compute msd/nongauss", &[("com", ())])?;
        com = args.yes_no()?;
    }
    let origin = Origin::new(header.group, &session.now())?;
    Ok(Box::new(MsdNonGauss { header, com, origin }))
}

impl Compute for MsdNonGauss {
    header!();

    fn shape(&self) -> Shape {
        Shape::vector(3)
    }

    fn renumber(&mut self, ids: &[(u32, u32)]) {
        self.origin.renumber(ids);
    }

    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.origin.numbers())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.origin = Origin::of_numbers(numbers)?;
        Ok(())
    }

    fn atoms_added(&mut self, new: &Atoms) {
        self.origin.add(self.header.group, new);
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        let members = system.of_group(self.header.group, None);
        let moves: Vec<[f64; 3]> =
            members.list()?.iter().map(|&i| self.origin.displacement(i, atoms, domain)).collect();
        // Where no atom has moved the centre has not, but for rounding.
        let drifts = self.com && moves.iter().any(|moved| *moved != [0.0; 3]);
        let drift = if drifts { self.origin.drift(members.centre()?) } else { [0.0; 3] };
        let (mut second, mut fourth) = (0.0, 0.0);
        for moved in &moves {
            let square: f64 = (0..3).map(|d| (moved[d] - drift[d]).powi(2)).sum();
            second += square;
            fourth += square * square;
        }
        let count = (moves.len() as f64).max(1.0);
        (second, fourth) = (second / count, fourth / count);
        // What has not moved is as normal as can be.
        let excess = if second > 0.0 { 3.0 * fourth / (5.0 * second * second) - 1.0 } else { 0.0 };
        Ok(Values::vector(vec![second, fourth, excess]))
    }
}
