//! `compute temp/deform`: without the velocity of a box that changes. Source: LAMMPS manual; P. J. Daivis and B. D. Todd,
//! J. Chem. Phys. 124, 194103 (2006).

use crate::base::error::Result;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Temperature, thermal_compute};
use crate::session::snapshot::view::Snapshot;

struct TempDeform {
    header: Header,
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
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
    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let domain = system.domain()?;
        Ok(Some(system.atoms()?.x.iter().map(|&x| domain.streaming(x)).collect()))
    }

    fn bias_recipes(&self, system: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        Ok(Some(system.domain()?.streaming_recipes()))
    }
}
