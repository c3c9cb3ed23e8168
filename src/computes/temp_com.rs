//! `compute temp/com`: without the motion of the centre of mass. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::engine::analysis::group_sums::SumTerm;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Temperature, Thermal, thermal_compute};
use crate::session::snapshot::view::Snapshot;

struct TempCom {
    header: Header,
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(TempCom { header }))
}

impl Compute for TempCom {
    thermal_compute!();

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        system.prepare(&[&SumTerm::MOMENTUM, &SumTerm::MOTION])
    }
}

impl Temperature for TempCom {
    fn thermal(&self, system: &Snapshot<'_>) -> Result<Thermal> {
        let members = system.of_group(self.header.group, None);
        Ok(Thermal { tensor: members.motion(members.drift()?)?, freedom: self.freedom(system)? })
    }

    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let drift = system.of_group(self.header.group, None).drift()?;
        Ok(Some(vec![drift; system.atoms()?.len()]))
    }

    fn bias_recipes(&self, system: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        let drift = system.of_group(self.header.group, None).drift()?;
        Ok(Some(drift.map(AtomExpr::number)))
    }
}
