//! Regions as recipes for the device: the formulas of [`Region::contains`].

use super::{Region, Shape, across};
use crate::script::atom_expr::{AtomExpr, AtomProperty};

impl Region {
    /// 1 for atoms that belong to the region, 0 for others; `None` for one that has turned, which is the host's.
    pub fn recipe(&self) -> Option<AtomExpr> {
        self.recipe_at(AtomExpr::vector(AtomProperty::X))
    }

    fn recipe_at(&self, x: [AtomExpr; 3]) -> Option<AtomExpr> {
        let number = AtomExpr::number;
        let x = match &self.placement {
            Some(placement) => {
                let (mut shift, placed) = (placement.shift.into_iter(), x);
                (!placement.turns()).then(|| placed.map(|x| x - shift.next().unwrap_or_default()))?
            }
            None => x,
        };
        let all = |parts: Vec<AtomExpr>| parts.into_iter().reduce(AtomExpr::and);
        let sum = |parts: Vec<AtomExpr>| parts.into_iter().reduce(|a, b| a + b);
        let within = match &self.shape {
            Shape::Block { lo, hi } => {
                all((0..3).map(|d| between(&x[d], number(lo[d]), number(hi[d]))).collect())?
            }
            Shape::Sphere { centre, radius } => {
                let squares = (0..3).map(|d| (x[d].clone() - centre[d]).square()).collect();
                sum(squares)?.sqrt().at_most(number(*radius))
            }
            Shape::Cone { axis, centre, radii, lo, hi } => {
                let squares = across(*axis).into_iter().zip(centre);
                let squares = squares.map(|(d, &c)| (x[d].clone() - c).square()).collect();
                let along = &x[*axis];
                let radius = match radii[0] == radii[1] && !self.changes() {
                    true => number(radii[0]),
                    false => number(radii[0]) + (along.clone() - *lo) * (radii[1] - radii[0]) / (hi - lo),
                };
                sum(squares)?.sqrt().at_most(radius).and(between(along, number(*lo), number(*hi)))
            }
            Shape::Ellipsoid { centre, radii: [a, b, c], flat } => {
                let (factors, most) = match flat {
                    true => (vec![*b, *a], a * b),
                    false => (vec![b * c, a * c, a * b], a * b * c),
                };
                let square =
                    |(d, factor): (usize, f64)| (number(factor) * (x[d].clone() - centre[d])).square();
                sum(factors.into_iter().enumerate().map(square).collect())?.at_most(number(most * most))
            }
            Shape::Prism { lo, hi, tilt: [xy, xz, yz] } => {
                let [a, b, c] = [0, 1, 2].map(|d| (x[d].clone() - lo[d], hi[d] - lo[d]));
                let c = c.0 / c.1;
                let b = (b.0 - c.clone() * *yz) / b.1;
                let a = (a.0 - b.clone() * *xy - c.clone() * *xz) / a.1;
                all([a, b, c].map(|fraction| between(&fraction, number(0.0), number(1.0))).into())?
            }
            Shape::Plane { point, normal } => {
                let terms = (0..3).map(|d| (x[d].clone() - point[d]) * normal[d]).collect();
                number(0.0).at_most(sum(terms)?)
            }
            Shape::Union(regions) => {
                let parts = regions.iter().map(|region| region.recipe_at(x.clone()));
                parts.collect::<Option<Vec<_>>>()?.into_iter().reduce(AtomExpr::or)?
            }
            Shape::Intersect(regions) => {
                all(regions.iter().map(|region| region.recipe_at(x.clone())).collect::<Option<_>>()?)?
            }
        };
        Some(if self.inside { within } else { !within })
    }
}

fn between(x: &AtomExpr, lo: AtomExpr, hi: AtomExpr) -> AtomExpr {
    lo.at_most(x.clone()).and(x.clone().at_most(hi))
}
