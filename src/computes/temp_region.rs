//! `compute temp/region`: of the atoms that are in a region now. Source: LAMMPS manual.

use crate::base::error::{Error, Result};
use crate::model::region::Region;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Temperature, thermal_compute};
use crate::session::snapshot::view::Snapshot;

struct TempRegion {
    header: Header,
    region: Region,
}

/// Takes the name of a region.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(TempRegion { header, region: session.system.regions.moving_arg(args)?.clone() }))
}

impl Compute for TempRegion {
    thermal_compute!();
}

impl Temperature for TempRegion {
    fn freedom(&self, system: &Snapshot<'_>) -> Result<f64> {
        let count = system.of_group(self.header.group, Some(&self.region)).count()?;
        let freedom = f64::from(system.session.system.dimension) * count - self.header.extra_freedom;
        if freedom < 0.0 && count > 0.0 {
            return Err(Error::new("there are less than 0 degrees of freedom"));
        }
        Ok(freedom)
    }

    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let (atoms, region) = (system.atoms()?, system.placed(&self.region)?);
        let pairs = atoms.x.iter().zip(&atoms.v);
        Ok(Some(pairs.map(|(x, v)| if region.contains(*x) { [0.0; 3] } else { *v }).collect()))
    }

    fn bias_recipes(&self, system: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        let inside = system.placed(&self.region)?.recipe();
        let bias = |inside: &AtomExpr, v: AtomExpr| inside.clone().choose(AtomExpr::number(0.0), v);
        Ok(inside.map(|inside| AtomExpr::vector(AtomProperty::V).map(|v| bias(&inside, v))))
    }
}
