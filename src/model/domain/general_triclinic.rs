//! General triclinic boxes: any three right-handed edges. Inside they are rotated into a box whose edge a lies along x and
//! whose edge b lies in the plane of x and y; what a script reads and writes about them is rotated back.
//!
//! Source: LAMMPS manual, `Howto_triclinic`.

use super::{Boundary, Domain};
use crate::base::error::{Error, Result};
use crate::base::vector::{cross, dot};
use serde::{Deserialize, Serialize};

/// From the space of a general triclinic box to that of the box inside, and back: about its lower corner, which stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rotation {
    /// The axes x, y, z of the box inside, as unit vectors of the space of the general one.
    axes: [[f64; 3]; 3],
}

impl Rotation {
    /// The one that takes the edges a, b, c to (ax 0 0), (bx by 0), (cx cy cz) with ax, by, cz above 0: about what is across a
    /// and x until a lies along x, then about x until b lies in the plane. In LAMMPS's order of rounding: atoms on faces of
    /// the box belong to one side or the other by the last bit.
    ///
    /// # Errors
    /// Says why, when these edges span no volume, or are not right-handed.
    pub fn of([a, b, c]: [[f64; 3]; 3]) -> Result<Self, &'static str> {
        let volume = dot(cross(a, b), c);
        if volume == 0.0 || !volume.is_finite() {
            return Err("the edges of the box span no volume");
        }
        if volume < 0.0 {
            return Err("the edges of the box must be right-handed: (a x b) . c > 0");
        }
        let across = cross(a, [1.0, 0.0, 0.0]);
        let square = dot(across, across);
        // Where a lies along x already, or against it, any axis across it does.
        let axis = if square > 0.0 { across.map(|n| n * (1.0 / square.sqrt())) } else { [0.0, 0.0, 1.0] };
        let first = turn(axis, (a[0] / dot(a, a).sqrt()).clamp(-1.0, 1.0).acos());
        let [_, y, z] = matrix(first).map(|row| dot(row, b));
        let angle = (y / dot([0.0, y, z], [0.0, y, z]).sqrt()).clamp(-1.0, 1.0).acos();
        let second = turn([1.0, 0.0, 0.0], if z > 0.0 { -angle } else { angle });
        Ok(Rotation { axes: matrix(product(second, first)) })
    }

    /// A vector of the general box as one of the box inside.
    pub fn to_restricted(&self, v: [f64; 3]) -> [f64; 3] {
        self.axes.map(|axis| dot(axis, v))
    }

    /// A vector of the box inside as one of the general box.
    pub fn to_general(&self, v: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|d| (0..3).map(|k| self.axes[k][d] * v[k]).sum())
    }

    /// A symmetric tensor of the box inside (xx yy zz xy xz yz) as one of the general box.
    pub fn tensor_to_general(&self, [xx, yy, zz, xy, xz, yz]: [f64; 6]) -> [f64; 6] {
        let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let along = |i: usize, j: usize| {
            let [left, right] = [i, j].map(|d| self.axes.map(|axis| axis[d]));
            dot(left, rows.map(|row| dot(row, right)))
        };
        [along(0, 0), along(1, 1), along(2, 2), along(0, 1), along(0, 2), along(1, 2)]
    }
}

impl Domain {
    /// The box of any right-handed edges a, b, c from a corner on, in distance units.
    ///
    /// # Errors
    /// As [`Rotation::of`], [`Domain::new`] and [`Domain::with_tilt`]; when faces follow the atoms.
    pub fn from_edges(corner: [f64; 3], edges: [[f64; 3]; 3], boundary: [[Boundary; 2]; 3]) -> Result<Self> {
        let rotation = Rotation::of(edges).map_err(Error::new)?;
        let [a, b, c] = edges.map(|edge| rotation.to_restricted(edge));
        let hi = [corner[0] + a[0], corner[1] + b[1], corner[2] + c[2]];
        let domain = Domain::new(corner, hi, boundary)?.with_tilt([b[0], c[0], c[1]])?;
        if domain.shrinks() {
            return Err(Error::new("a general triclinic box cannot have shrink-wrapped faces")
                .help("take p or f for each face in `boundary`"));
        }
        Ok(Domain { general: Some(rotation), ..domain })
    }

    /// The edges a, b, c as the script has them.
    pub fn general_edges(&self) -> [[f64; 3]; 3] {
        self.edges().map(|edge| self.general_vector(edge))
    }

    /// A vector of this box in the script's space: itself, but where the box is a general triclinic one.
    pub fn general_vector(&self, v: [f64; 3]) -> [f64; 3] {
        self.general.map_or(v, |rotation| rotation.to_general(v))
    }

    /// The inverse of [`Domain::general_vector`].
    pub fn restricted_vector(&self, v: [f64; 3]) -> [f64; 3] {
        self.general.map_or(v, |rotation| rotation.to_restricted(v))
    }

    /// A position of this box in the script's space.
    pub fn general_position(&self, x: [f64; 3]) -> [f64; 3] {
        self.about_corner(x, Rotation::to_general)
    }

    /// The inverse of [`Domain::general_position`].
    pub fn restricted_position(&self, x: [f64; 3]) -> [f64; 3] {
        self.about_corner(x, Rotation::to_restricted)
    }

    fn about_corner(&self, x: [f64; 3], turn: fn(&Rotation, [f64; 3]) -> [f64; 3]) -> [f64; 3] {
        let Some(rotation) = &self.general else { return x };
        let turned = turn(rotation, std::array::from_fn(|d| x[d] - self.lo[d]));
        std::array::from_fn(|d| turned[d] + self.lo[d])
    }
}

/// The quaternion (w, i, j, k) of a turn about an axis by an angle.
fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (sine, cosine) = (0.5 * angle).sin_cos();
    [cosine, axis[0] * sine, axis[1] * sine, axis[2] * sine]
}

/// The turn `b` and then the turn `a`.
fn product([aw, ai, aj, ak]: [f64; 4], [bw, bi, bj, bk]: [f64; 4]) -> [f64; 4] {
    [
        aw * bw - ai * bi - aj * bj - ak * bk,
        aw * bi + bw * ai + aj * bk - ak * bj,
        aw * bj + bw * aj + ak * bi - ai * bk,
        aw * bk + bw * ak + ai * bj - aj * bi,
    ]
}

/// The rows of a turn's matrix.
fn matrix([w, i, j, k]: [f64; 4]) -> [[f64; 3]; 3] {
    let (ww, ii, jj, kk) = (w * w, i * i, j * j, k * k);
    let (ij, ik, jk) = (2.0 * i * j, 2.0 * i * k, 2.0 * j * k);
    let (iw, jw, kw) = (2.0 * i * w, 2.0 * j * w, 2.0 * k * w);
    [
        [ww + ii - jj - kk, ij - kw, jw + ik],
        [ij + kw, ww - ii + jj - kk, jk - iw],
        [ik - jw, jk + iw, ww - ii - jj + kk],
    ]
}

/// The vector times a power of two, so that its square neither overflows nor vanishes; none of a vector without length.
pub(crate) fn scaled(v: [f64; 3]) -> Option<[f64; 3]> {
    let most = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    (most > 0.0 && most.is_finite()).then(|| {
        let factor = 2f64.powi(-(most.log2().floor() as i32).clamp(-1022, 1023));
        v.map(|x| factor * x)
    })
}

/// The unit vector of a vector, however short or long; none of one without length.
pub(crate) fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    scaled(v).map(|v| v.map(|x| x / dot(v, v).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIODIC: [[Boundary; 2]; 3] = [[Boundary::Periodic; 2]; 3];

    #[test]
    fn edges_come_back_whichever_way_they_point() {
        for edges in [
            [[-0.5, 0.5, 0.6], [0.5, -0.4, 0.5], [0.6, 0.5, -0.5]],
            [[-2.0, 0.0, 0.0], [0.5, -1.0, 0.0], [0.3, 0.2, 1.5]],
            [[0.0, 0.0, 3.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        ] {
            let corner = [0.3, -0.2, 0.7];
            let domain = Domain::from_edges(corner, edges, PERIODIC).expect("a box");
            let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|d| (a[d] - b[d]).abs() < 1e-14);
            // Lengths, angles and the side of c are those of the edges; a and b lie as they should by what `edges` gives.
            for (j, other) in edges.iter().enumerate() {
                for (k, edge) in edges.iter().enumerate() {
                    let inside = domain.edges();
                    assert!((dot(*other, *edge) - dot(inside[j], inside[k])).abs() < 1e-14);
                }
                assert!(near(domain.general_edges()[j], *other));
            }
            assert!(domain.lengths().iter().all(|&length| length > 0.0));
            let x = [1.1, 0.4, -0.8];
            assert!(near(domain.restricted_position(domain.general_position(x)), x));
            assert!(near(domain.general_position(corner), corner));
            // A tensor v v^T turns as v does.
            let dyad = |[x, y, z]: [f64; 3]| [x * x, y * y, z * z, x * y, x * z, y * z];
            let turned = domain.general.expect("general").tensor_to_general(dyad(x));
            let wanted = dyad(domain.general_vector(x));
            assert!(turned.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-14));
        }
    }

    #[test]
    fn edges_that_make_no_box_are_refused() {
        let edges = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        assert!(Rotation::of(edges).expect_err("flat").contains("no volume"));
        let edges = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(Rotation::of(edges).expect_err("left").contains("right-handed"));
    }
}
