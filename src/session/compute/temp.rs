//! `compute temp`, and what all temperatures have in common. Source: LAMMPS manual, `compute temp`.

use crate::session::compute::temperature::tensor;

use crate::session::compute::temperature::Temperature;
use crate::session::compute::thermal::Thermal;

use super::style::{Compute, Header};
use super::thermal_compute;
use crate::base::error::Result;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::snapshot::view::Snapshot;

/// Sum of m v_a v_b over a group in energy units, by the device's reductions during a run.
pub(crate) fn of_group(system: &Snapshot<'_>, group: u32) -> Result<[f64; 6]> {
    let Some(simulation) = system.simulation else {
        return tensor(system, &system.indices(group, None)?, None);
    };
    let (mvv, _) = simulation.kinetic(group)?;
    Ok(mvv.map(|mvv| mvv * system.session.system.units.mvv2e))
}

/// `compute temp`.
pub(super) struct Temp {
    header: Header,
}

impl Temp {
    pub(super) fn new(header: Header) -> Self {
        Temp { header }
    }
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Temp::new(header)))
}

impl Compute for Temp {
    thermal_compute!();
}

impl Temperature for Temp {
    fn thermal(&self, system: &Snapshot<'_>) -> Result<Thermal> {
        Ok(Thermal { tensor: of_group(system, self.header.group)?, freedom: self.freedom(system)? })
    }

    fn components(&self) -> Option<[bool; 3]> {
        Some([true; 3])
    }

    fn bias(&self, _: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        Ok(None)
    }

    fn bias_recipes(&self, _: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        Ok(Some([0.0; 3].map(AtomExpr::number)))
    }
}
