//! Lattices: the unit cell of `create_atoms`, and the unit of length of regions.
//!
//! Source: LAMMPS manual, `lattice`. A point (x, y, z) of the lattice lies at
//! R (A (x, y, z) * scale) + origin * spacing: A holds the primitive vectors as columns, R the
//! normalised `orient` vectors as rows. The order of rounding is LAMMPS's: `velocity ... loop geom`
//! hashes the bits of the positions.

use crate::base::vector::{cross, dot};

/// A lattice, scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Lattice spacing per axis in distance units: the bounding box of the oriented unit cell.
    pub spacing: [f64; 3],
    /// Basis atoms in fractions of the primitive vectors; empty for style `none`.
    pub basis: Vec<[f64; 3]>,
    /// `triclinic/general`: a lattice for general triclinic boxes, whose space its vectors are of; the spacing is that of the
    /// cell rotated as such boxes are.
    pub general: bool,
    pub(crate) vectors: [[f64; 3]; 3],
    pub(crate) scale: f64,
    /// Normalised `orient` vectors.
    pub(crate) axes: [[f64; 3]; 3],
    /// `origin`, in spacings.
    pub(crate) origin: [f64; 3],
}

/// The lattice spacings; 1 per axis while there is no lattice.
pub fn spacing(lattice: Option<&Lattice>) -> [f64; 3] {
    lattice.map_or([1.0; 3], |lattice| lattice.spacing)
}

impl Lattice {
    /// Box coordinates of a lattice point.
    pub fn position(&self, point: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = &self.vectors;
        let p: [f64; 3] =
            std::array::from_fn(|d| (a[d] * point[0] + b[d] * point[1] + c[d] * point[2]) * self.scale);
        std::array::from_fn(|d| dot(self.axes[d], p) + self.spacing[d] * self.origin[d])
    }

    /// The lattice point at box coordinates, up to rounding.
    pub fn point(&self, x: [f64; 3]) -> [f64; 3] {
        let local: [f64; 3] = std::array::from_fn(|d| x[d] - self.spacing[d] * self.origin[d]);
        // R is orthogonal: its inverse is its transpose.
        let p: [f64; 3] =
            std::array::from_fn(|d| (0..3).map(|k| self.axes[k][d] * local[k]).sum::<f64>() / self.scale);
        let [a, b, c] = self.vectors;
        let volume = dot(cross(a, b), c);
        [cross(b, c), cross(c, a), cross(a, b)].map(|normal| dot(normal, p) / volume)
    }

    /// Volume of the unit cell in distance units cubed.
    pub fn cell_volume(&self) -> f64 {
        let [a, b, c] = self.vectors;
        dot(cross(a, b), c).abs() * self.scale.powi(3)
    }

    /// The bounding box of the unit cell; `spacing` must still be 0.
    pub(crate) fn bounding_box(&self) -> [f64; 3] {
        let corners: [[f64; 3]; 8] = std::array::from_fn(|n| {
            self.position(std::array::from_fn(|d| if n >> d & 1 == 1 { 1.0 } else { 0.0 }))
        });
        std::array::from_fn(|d| {
            let along = corners.map(|corner| corner[d]);
            along.iter().fold(f64::MIN, |a, &b| a.max(b)) - along.iter().fold(f64::MAX, |a, &b| a.min(b))
        })
    }
}
