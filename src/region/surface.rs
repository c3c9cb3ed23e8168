//! The surface of a region as walls see it (`contacts_of` of cl/fix/wall.cl).

use super::{Region, Shape};

impl Region {
    /// Shape (0 block, 1 sphere, 2 cylinder, 3 plane), 1 or -1 for the inside or the outside, and nine numbers of the
    /// shape in distance units; `None` for other shapes.
    pub(crate) fn surface(&self) -> Option<[f64; 11]> {
        let (shape, numbers) = match &self.shape {
            Shape::Block { lo, hi } => (0.0, [&lo[..], hi].concat()),
            Shape::Sphere { centre, radius } => (1.0, [&centre[..], &[*radius]].concat()),
            Shape::Cone { axis, centre, radii, lo, hi } if radii[0] == radii[1] => {
                let mut around = [0.0; 3];
                for (d, &c) in super::across(*axis).into_iter().zip(centre) {
                    around[d] = c;
                }
                (2.0, [&around[..], &[radii[0], *axis as f64, *lo, *hi]].concat())
            }
            Shape::Plane { point, normal } => (3.0, [&point[..], normal].concat()),
            _ => return None,
        };
        let mut surface = [0.0; 11];
        surface[..2].copy_from_slice(&[shape, if self.inside { 1.0 } else { -1.0 }]);
        surface[2..2 + numbers.len()].copy_from_slice(&numbers);
        Some(surface)
    }
}
