//! `compute dipole`: the dipole moment of a group by its charges, from its centre, and its size. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

/// Sums over atoms that a dipole moment is made of.
#[derive(Clone, Default)]
pub(super) struct Moment {
    weight: f64,
    charge: f64,
    /// Of places times weights.
    places: [f64; 3],
    /// Of places times charges.
    moment: [f64; 3],
}

impl Moment {
    /// Adds an atom, with its mass or 1 as its weight for the centre.
    pub(super) fn add(&mut self, system: &Snapshot<'_>, i: usize, by_mass: bool) -> Result<()> {
        let (atoms, x) = (system.atoms()?, system.unwrapped(i)?);
        let (weight, charge) = (if by_mass { system.mass(atoms.kind[i]) } else { 1.0 }, atoms.charge[i]);
        self.weight += weight;
        self.charge += charge;
        self.places.iter_mut().zip(x).for_each(|(sum, x)| *sum += weight * x);
        self.moment.iter_mut().zip(x).for_each(|(sum, x)| *sum += charge * x);
        Ok(())
    }

    /// The moment as seen from the centre, and its size.
    pub(super) fn about_centre(&self) -> ([f64; 3], f64) {
        let share = if self.weight > 0.0 { self.charge / self.weight } else { 0.0 };
        let moment: [f64; 3] = std::array::from_fn(|d| self.moment[d] - share * self.places[d]);
        (moment, moment.iter().map(|p| p * p).sum::<f64>().sqrt())
    }
}

struct Dipole {
    header: Header,
    /// Whether the centre is that of mass, else that of places.
    by_mass: bool,
}

/// Takes `mass` or `geometry`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Dipole { header, by_mass: by_mass(args)? }))
}

/// Takes `mass` or `geometry`, the first if there is no word.
pub(super) fn by_mass(args: &mut Args<'_>) -> Result<bool> {
    if args.is_empty() {
        Ok(true)
    } else {
        args.one_of("kind of centre", &[("mass", true), ("geometry", false)])
    }
}

impl Compute for Dipole {
    header!();

    fn shape(&self) -> Shape {
        Shape { vector: Some(3), ..Shape::SCALAR }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mut moment = Moment::default();
        for i in system.indices(self.header.group, None)? {
            moment.add(system, i, self.by_mass)?;
        }
        let (vector, size) = moment.about_centre();
        Ok(Values { scalar: Some(size), vector: vector.to_vec(), ..Values::default() })
    }
}
