//! `compute temp/deform`: without the velocity of a box that changes. Source: LAMMPS manual; P. J. Daivis and B. D. Todd,
//! J. Chem. Phys. 124, 194103 (2006).

use super::{Compute, Header, Temperature, Thermal, thermal_compute};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct TempDeform {
    header: Header,
}

/// Takes no further words.
pub(super) fn new(header: Header, _: &State, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(TempDeform { header }))
}

/// The compute that comes with `fix nvt/sllod`.
pub fn temp_deform(id: &str, group: u32, dimension: u32) -> Box<dyn Compute> {
    Box::new(TempDeform { header: Header::new(id, group, "temp/deform", dimension) })
}

impl Compute for TempDeform {
    thermal_compute!();
}

impl Temperature for TempDeform {
    fn thermal(&self, system: &System<'_>) -> Result<Thermal> {
        let freedom = self.freedom(system)?;
        let group = self.header.group;
        if let Some(simulation) = system.simulation.filter(|run| run.atoms.context.numerics.wide()) {
            let (atoms, domain) = (&simulation.atoms, &simulation.domain);
            let mvv = simulation.reductions.kinetic_in_flow(atoms, group, domain)?;
            return Ok(Thermal { tensor: mvv.map(|mvv| mvv * system.state.units.mvv2e), freedom });
        }
        let flow = self.bias(system)?;
        let members = system.indices(group, None)?;
        Ok(Thermal { tensor: super::temp::tensor(system, &members, flow.as_deref())?, freedom })
    }

    fn bias(&self, system: &System<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let domain = system.domain()?;
        Ok(Some(system.atoms()?.x.iter().map(|&x| domain.streaming(x)).collect()))
    }
}
