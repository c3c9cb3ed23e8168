//! Boxes that change, and the flow that goes with it.

use super::Domain;
use serde::{Deserialize, Serialize};

/// How fast a box changes (`fix deform`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// The edges and tilts lx ly lz xy xz yz per time.
    pub rate: [f64; 6],
    /// The lower corner per time.
    pub lo_rate: [f64; 3],
    /// The groups whose atoms take up the difference in velocity when they are wrapped (`remap v`), as a mask.
    pub carried: u32,
}

impl Domain {
    /// How fast the flow of the box is per distance, as a matrix with the rows (xx xy xz) (0 yy yz) (0 0 zz), in the order
    /// xx yy zz xy xz yz: the rates of the edges times the inverse of the edges.
    pub fn velocity_gradient(&self) -> [f64; 6] {
        let ([lx, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        let [inverse_xy, inverse_yz] = [-xy / (lx * ly), -yz / (ly * lz)];
        let inverse_xz = (yz * xy - ly * xz) / (lx * ly * lz);
        let [rx, ry, rz, rxy, rxz, ryz] = self.flow.rate;
        [
            rx / lx,
            ry / ly,
            rz / lz,
            rx * inverse_xy + rxy / ly,
            rx * inverse_xz + rxy * inverse_yz + rxz / lz,
            ry * inverse_yz + ryz / lz,
        ]
    }

    /// The velocity of the box at a position: rates of the edges times its fractions of them, plus the lower corner's.
    pub fn streaming(&self, x: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = self.fractions(x);
        let Flow { rate: [rx, ry, rz, rxy, rxz, ryz], lo_rate: [x, y, z], .. } = self.flow;
        [rx * a + rxy * b + rxz * c + x, ry * b + ryz * c + y, rz * c + z]
    }

    /// The matrix that takes separations in this box to those at the same fractions of another box, in the order of
    /// [`Domain::velocity_gradient`].
    pub fn map_to(&self, lo: [f64; 3], hi: [f64; 3], tilt: [f64; 3]) -> [f64; 6] {
        let to: [f64; 3] = std::array::from_fn(|d| hi[d] - lo[d]);
        let rate = [to[0], to[1], to[2], tilt[0], tilt[1], tilt[2]];
        Domain { flow: Flow { rate, ..Flow::default() }, ..self.clone() }.velocity_gradient()
    }
}
