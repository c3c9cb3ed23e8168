//! Sizes and masses of atoms that are spheres (`atom_style sphere`). They lie beside what the script gives atoms, under names that no
//! script can give, and so go with their atoms everywhere.

use super::Atoms;
use std::f64::consts::PI;

const RADIUS: &str = "radius";
const MASS: &str = "rmass";

/// The volume of a sphere, by which its density is meant; 1 of a point, whose density is its mass.
pub(crate) fn volume(radius: f64) -> f64 {
    if radius > 0.0 { 4.0 / 3.0 * PI * radius * radius * radius } else { 1.0 }
}

impl Atoms {
    /// Radius and mass of an atom. One that nobody has given any has the diameter 1 and the density 1.
    pub fn sphere(&self, i: usize) -> [f64; 2] {
        let [radius, mass] = [RADIUS, MASS].map(|name| self.custom.get(name).map_or(0.0, |values| values[i]));
        if mass > 0.0 { [radius, mass] } else { [0.5, volume(0.5)] }
    }

    /// Gives an atom a radius and a mass.
    pub(crate) fn set_sphere(&mut self, i: usize, sphere: [f64; 2]) {
        let count = self.len();
        for (name, value) in [RADIUS, MASS].into_iter().zip(sphere) {
            self.custom.add(name, count);
            if let Some(values) = self.custom.get_mut(name) {
                values[i] = value;
            }
        }
    }

    /// Radius and mass of the atoms of each type, as of one nobody has given any where there are none; or the type and two unlike atoms.
    pub(crate) fn spheres_by_type(&self, types: usize) -> Result<Vec<[f64; 2]>, (u32, [usize; 2])> {
        let mut first: Vec<Option<usize>> = vec![None; types];
        for (i, &kind) in self.kind.iter().enumerate() {
            let first = first[kind as usize - 1].get_or_insert(i);
            if self.sphere(*first) != self.sphere(i) {
                return Err((kind, [*first, i]));
            }
        }
        Ok(first.iter().map(|first| first.map_or([0.5, volume(0.5)], |i| self.sphere(i))).collect())
    }
}
