//! What the host makes of the pair style: energies and forces of two atoms, those of atoms by themselves, tail corrections.

use super::{Resolved, ResolvedPart};
use crate::potentials::pair::many_body::{Around, Contribution};

impl ResolvedPart<'_> {
    /// How many times it counts.
    fn times(&self) -> f64 {
        self.factor.unwrap_or(1.0)
    }
}

impl Resolved<'_> {
    /// Per type the energy of an atom by itself, per square of its charge in energy times distance: of the styles that
    /// have a part in some pair with this type.
    pub fn own_energies(&self) -> Vec<f64> {
        let of_type = |(kind, part): (usize, &ResolvedPart<'_>)| {
            let mut row = (kind * self.types..(kind + 1) * self.types).map(|k| part.params.get(k));
            if row.any(|params| params.is_some()) { part.times() * part.style.own_energy() } else { 0.0 }
        };
        (0..self.types).map(|kind| self.parts.iter().map(|part| of_type((kind, part))).sum()).collect()
    }

    /// Tail corrections (energy, pressure without the unit factor) for these numbers of atoms per type.
    ///
    /// Allen and Tildesley, Computer Simulation of Liquids, section 2.8.
    pub fn tail(&self, atoms: &[u64], volume: f64) -> (f64, f64) {
        let mut total = (0.0, 0.0);
        for part in self.parts.iter().filter(|part| part.tail) {
            for (k, params) in part.params.iter().enumerate() {
                let params = params.filter(|params| part.style.reach(params) > 0.0);
                if let Some((energy, pressure)) = params.and_then(|params| part.style.tail(params)) {
                    let pairs = atoms[k / self.types] as f64 * atoms[k % self.types] as f64;
                    total.0 += pairs * energy / volume;
                    total.1 += pairs * pressure / (volume * volume);
                }
            }
        }
        total
    }

    /// F / r and E of two atoms of these types (from 1) at a squared distance, but for Coulomb forces and what is of many
    /// bodies; zero beyond the cutoff.
    pub fn evaluate(&self, i: usize, j: usize, rsq: f64) -> (f64, f64) {
        let k = (i - 1) * self.types + j - 1;
        let mut sum = (0.0, 0.0);
        for part in self.parts.iter().filter(|part| part.style.many_body().is_none()) {
            let Some(params) = part.params.get(k) else { continue };
            if rsq < part.style.reach(params).powi(2) {
                let (fpair, energy) = part.style.evaluate(params, rsq);
                let times = part.times();
                sum = (sum.0 + times * fpair, sum.1 + times * (energy - part.shift(k)));
            }
        }
        sum
    }

    /// The derivatives of F / r of two atoms with respect to the squared distance, of all but Coulomb forces and of these per product
    /// of the charges in energy times distance, of which special_bonds takes away a part `lack`: by differences of fourth order,
    /// which have 11 digits, taken inwards, as forces may end at the cutoff.
    pub fn slopes(&self, i: usize, j: usize, rsq: f64, lack: f64) -> [f64; 2] {
        let step = rsq / 4096.0;
        let slope = |force: &dyn Fn(f64) -> f64| {
            let weights = [25.0, -48.0, 36.0, -16.0, 3.0].into_iter().enumerate();
            weights.map(|(k, weight)| weight * force(rsq - k as f64 * step)).sum::<f64>() / (12.0 * step)
        };
        let k = (i - 1) * self.types + j - 1;
        let mut sum = [0.0; 2];
        for part in &self.parts {
            let Some(params) = part.params.get(k) else { continue };
            if rsq < part.style.reach(params).powi(2) {
                sum[0] += part.times() * slope(&|rsq| part.style.evaluate(params, rsq).0);
            }
            if part.style.charged() && rsq < part.cutoff(k).powi(2) {
                sum[1] += part.times() * slope(&|rsq| part.style.coulomb(params, rsq, lack).0);
            }
        }
        sum
    }

    /// Adds what styles of many bodies have, by the f64 twins of their kernels: of atoms of these types (from 1) with these neighbours.
    pub fn add_many_bodies(&self, kind: &[u32], around: &[Around], to: &mut Contribution<'_>) {
        for part in &self.parts {
            let Some(factor) = part.factor else {
                self.add_many_bodies_of(part, kind, around, to);
                continue;
            };
            let n = kind.len();
            let (mut force, mut energy, mut virial) = (vec![[0.0; 3]; n], vec![0.0; n], vec![[0.0; 6]; n]);
            let mut own = Contribution { force: &mut force, energy: &mut energy, virial: &mut virial };
            self.add_many_bodies_of(part, kind, around, &mut own);
            let add = |sum: &mut f64, own: f64| *sum += factor * own;
            to.energy.iter_mut().zip(energy).for_each(|(sum, own)| add(sum, own));
            to.force.as_flattened_mut().iter_mut().zip(force.concat()).for_each(|(sum, own)| add(sum, own));
            to.virial.as_flattened_mut().iter_mut().zip(virial.concat()).for_each(|(sum, own)| add(sum, own));
        }
    }

    /// The same of one of the styles, once; nothing of a style of pairs.
    pub fn add_many_bodies_of(
        &self,
        part: &ResolvedPart<'_>,
        kind: &[u32],
        around: &[Around],
        to: &mut Contribution<'_>,
    ) {
        let Some(potential) = part.style.many_body() else { return };
        let params = |i: u32, j: u32| {
            part.params.get((i as usize - 1) * self.types + j as usize - 1).map(<[f64]>::to_vec)
        };
        potential.evaluate_all(&params, kind, around, to);
    }

    /// What the style of many bodies at a place makes of an atom of a type (from 1) with others around it, by their types and squared
    /// distances: [`values_of_atom`](crate::potentials::pair::many_body::ManyBody::values_of_atom). Zeros where the type has no part in it.
    pub fn values_of_atom(&self, place: usize, kind: usize, around: &[(usize, f64)]) -> Vec<f64> {
        let part = &self.parts[place];
        let params = |other: usize| part.params.get((kind - 1) * self.types + other - 1);
        let Some(potential) = part.style.many_body() else { return Vec::new() };
        let Some(own) = params(kind) else { return vec![0.0; potential.names_of_atoms().len()] };
        let around: Vec<(&[f64], f64)> =
            around.iter().filter_map(|&(other, rsq)| Some((params(other)?, rsq))).collect();
        potential.values_of_atom(own, &around)
    }

    /// Friction and noise of two atoms, as [`Style::friction`](crate::potentials::pair::style::Style::friction).
    pub fn friction(&self, i: usize, j: usize, rsq: f64) -> (f64, f64) {
        let k = (i - 1) * self.types + j - 1;
        let mut sum = (0.0, 0.0);
        for part in &self.parts {
            if let (Some(params), true) = (part.params.get(k), rsq < part.cutoff(k).powi(2)) {
                let ((friction, noise), times) = (part.style.friction(params, rsq), part.times());
                sum = (sum.0 + times * friction, sum.1 + times * noise);
            }
        }
        sum
    }

    /// F / r and E of two atoms: of the pair style by the first weight, of Coulomb forces by the second, with a product of charges in energy times
    /// distance.
    pub fn weighted(&self, [i, j]: [usize; 2], rsq: f64, [weight, charged]: [f64; 2], qq: f64) -> (f64, f64) {
        let (fpair, energy) = self.evaluate(i, j, rsq);
        let (pull, coulomb) = self.coulomb(i, j, rsq, 1.0 - charged);
        (weight * fpair + qq * pull, weight * energy + qq * coulomb)
    }

    /// F / r and E of Coulomb forces, per product of the charges in energy times distance, of which special_bonds takes away
    /// a part `lack`.
    pub fn coulomb(&self, i: usize, j: usize, rsq: f64, lack: f64) -> (f64, f64) {
        let k = (i - 1) * self.types + j - 1;
        let mut sum = (0.0, 0.0);
        for part in &self.parts {
            if let (Some(params), true) = (part.params.get(k), rsq < part.cutoff(k).powi(2)) {
                let ((fpair, energy), times) = (part.style.coulomb(params, rsq, lack), part.times());
                sum = (sum.0 + times * fpair, sum.1 + times * energy);
            }
        }
        sum
    }
}
