//! Where atoms are in the box, as [recipes](Recipe) of the numbers that [`Domain`] makes of a position.

use super::Domain;
use crate::script::atom_expr::{AtomExpr, AtomProperty};

impl Domain {
    /// As [`Domain::straighten`].
    pub fn straight_recipes(&self) -> [AtomExpr; 3] {
        let [x, y, z] = AtomExpr::vector(AtomProperty::X);
        if !self.triclinic {
            return [x, y, z];
        }
        let [xy, xz, yz] = self.slopes();
        let dz = z.clone() - self.lo[2];
        let y = y - dz.clone() * yz;
        [x - (y.clone() - self.lo[1]) * xy - dz * xz, y, z]
    }

    /// As [`Domain::fractions`].
    pub fn fraction_recipes(&self) -> [AtomExpr; 3] {
        let (mut axes, length) = (0..3, self.lengths());
        self.straight_recipes().map(|x| {
            let d = axes.next().expect("three of them");
            (x - self.lo[d]) / length[d]
        })
    }

    /// As [`Domain::streaming`].
    pub fn streaming_recipes(&self) -> [AtomExpr; 3] {
        let [a, b, c] = self.fraction_recipes();
        let ([rx, ry, rz, rxy, rxz, ryz], [x, y, z]) = (self.flow.rate, self.flow.lo_rate);
        [a * rx + b.clone() * rxy + c.clone() * rxz + x, b * ry + c.clone() * ryz + y, c * rz + z]
    }

    /// As [`Domain::unwrapped`].
    pub fn unwrapped_recipes(&self) -> [AtomExpr; 3] {
        let edges = self.edges();
        let images = AtomExpr::vector(AtomProperty::Image);
        let mut axes = 0..3;
        AtomExpr::vector(AtomProperty::X).map(|x| {
            let d = axes.next().expect("three of them");
            let by = |k: usize| images[k].clone() * edges[k][d];
            // An edge reaches along the axes up to its own.
            (d + 1..3).filter(|_| self.triclinic).fold(x + by(d), |x, k| x + by(k))
        })
    }
}
