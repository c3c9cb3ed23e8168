//! The surface of a region as walls see it (`contacts_of` of cl/fix/wall.cl).

use super::{Region, Shape};

/// The shapes that a wall can have, for errors.
pub(crate) const WALLS: &str = "a block, prism, sphere, ellipsoid, cylinder, cone or plane that does not turn, or a union or an intersection of these without open faces";

/// The surface of a region.
pub(crate) struct Surface {
    /// Whether an atom must be in all of the shapes, or in any.
    pub every: bool,
    /// Shape (0 block, 1 sphere, 2 cylinder, 3 plane, 4 cone, 5 ellipsoid, 6 prism), 1 or -1 for its inside or outside, nine numbers of it in
    /// distance units, and the faces that are open, as bits.
    pub shapes: Vec<[f64; 12]>,
}

impl Region {
    /// Its surface; `None` where walls do not know the shape, or it turns.
    pub(crate) fn surface(&self) -> Option<Surface> {
        // The outside of a union is in all outsides, that of an intersection in any of them.
        let (every, parts) = match &self.shape {
            Shape::Union(parts) => (!self.inside, parts),
            Shape::Intersect(parts) => (self.inside, parts),
            _ => return Some(Surface { every: true, shapes: vec![self.single_surface()?] }),
        };
        if parts.iter().any(|part| part.open != 0) {
            return None;
        }
        let turned = parts.iter().map(|part| Region { inside: part.inside == self.inside, ..part.clone() });
        let shapes = turned.map(|part| part.single_surface()).collect::<Option<_>>()?;
        Some(Surface { every, shapes })
    }

    fn single_surface(&self) -> Option<[f64; 12]> {
        if self.turns() {
            return None;
        }
        let shift = self.placement.as_ref().map_or([0.0; 3], |placement| placement.shift);
        let moved = |x: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|d| x[d] + shift[d]) };
        let (shape, numbers) = match &self.shape {
            Shape::Block { lo, hi } => (0.0, [moved(lo), moved(hi)].concat()),
            Shape::Sphere { centre, radius } => (1.0, [&moved(centre)[..], &[*radius]].concat()),
            Shape::Cone { axis, centre, radii: [first, last], lo, hi } => {
                let mut around = [0.0; 3];
                for (d, &c) in super::across(*axis).into_iter().zip(centre) {
                    around[d] = c + shift[d];
                }
                let shape = if first == last { 2.0 } else { 4.0 };
                let [lo, hi] = [lo, hi].map(|end| end + shift[*axis]);
                (shape, [&around[..], &[*first, *axis as f64, lo, hi, *last]].concat())
            }
            Shape::Plane { point, normal } => (3.0, [moved(point), *normal].concat()),
            Shape::Ellipsoid { centre, radii, flat } => {
                (5.0, [&moved(centre)[..], radii, &[if *flat { 2.0 } else { 3.0 }]].concat())
            }
            Shape::Prism { lo, hi, tilt } => {
                let lengths: [f64; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
                (6.0, [moved(lo), lengths, *tilt].concat())
            }
            Shape::Union(_) | Shape::Intersect(_) => return None,
        };
        let mut surface = [0.0; 12];
        surface[..2].copy_from_slice(&[shape, if self.inside { 1.0 } else { -1.0 }]);
        surface[2..2 + numbers.len()].copy_from_slice(&numbers);
        surface[11] = self.open.into();
        Some(surface)
    }
}
