//! `compute dipole`: the dipole moment of a group by its charges, from its centre, and its size. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct Dipole {
    header: Header,
    /// Whether the centre is that of mass, else that of places.
    by_mass: bool,
}

/// Takes `mass` or `geometry`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let centres = [("mass", true), ("geometry", false)];
    let by_mass = args.is_empty() || args.one_of("kind of centre", &centres)?;
    Ok(Box::new(Dipole { header, by_mass }))
}

impl Compute for Dipole {
    header!();

    fn shape(&self) -> Shape {
        Shape { vector: Some(3), ..Shape::SCALAR }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (atoms, masses) = (system.atoms()?, system.masses());
        let (mut weight, mut charge) = (0.0, 0.0);
        let (mut centre, mut moment) = ([0.0; 3], [0.0; 3]);
        for i in system.indices(self.header.group, None)? {
            let (mass, q) = (if self.by_mass { masses.of(atoms.kind[i]) } else { 1.0 }, atoms.charge[i]);
            let x = system.unwrapped(i)?;
            weight += mass;
            charge += q;
            for d in 0..3 {
                centre[d] += mass * x[d];
                moment[d] += q * x[d];
            }
        }
        if weight > 0.0 {
            (0..3).for_each(|d| moment[d] -= charge * centre[d] / weight);
        }
        let size = moment.iter().map(|p| p * p).sum::<f64>().sqrt();
        Ok(Values { scalar: Some(size), vector: moment.to_vec(), ..Values::default() })
    }
}
