//! The simulation box and its boundaries.

mod command;
mod describe;
mod general;

pub use command::{boundary, dimension};
pub(crate) use command::{boundary_faces, check_new_box, forbid_box, not_general};
pub use describe::{box_keyword, is_box_keyword};
pub(crate) use describe::{corners, describe, warn_of_skew};
pub use general::Rotation;
pub(crate) use general::{cross, dot};

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// What lies behind a face of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Boundary {
    /// `p`: the opposite face.
    Periodic,
    /// `f`: nothing; atoms that pass it are lost.
    Fixed,
    /// `s`: the face follows the outermost atom.
    Shrink,
    /// `m`: like `s`, but never inside where it was at first.
    ShrinkMin,
}

/// How fast a box changes (`fix deform`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// The edges and tilts lx ly lz xy xz yz per time.
    pub rate: [f64; 6],
    /// The lower corner per time.
    pub lo_rate: [f64; 3],
    /// The groups whose atoms take up the difference in velocity when they are wrapped (`remap v`), as a mask.
    pub carried: u32,
}

/// A box: orthogonal, or triclinic with the edges a = (lx 0 0), b = (xy ly 0), c = (xz yz lz).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// Lower corner, in distance units.
    pub lo: [f64; 3],
    /// Upper corner, in distance units.
    pub hi: [f64; 3],
    /// Lower and upper face per axis; periodic always comes in pairs.
    pub boundary: [[Boundary; 2]; 3],
    /// Lower and upper corner as first defined: `s` and `m` faces are placed by these.
    pub initial: [[f64; 3]; 2],
    /// Whether it is triclinic, also where no edge leans.
    #[serde(default)]
    pub triclinic: bool,
    /// The tilts xy xz yz, in distance units; 0 in an orthogonal box.
    #[serde(default)]
    pub tilt: [f64; 3],
    /// How it lies in a script's space, where that is a general triclinic one.
    #[serde(default)]
    pub general: Option<Rotation>,
    /// How it changes during the run, or did in the last one.
    #[serde(skip)]
    pub flow: Flow,
}

/// How far `s` and `m` faces stay away from the outermost atom, in initial box lengths.
const MARGIN: f64 = 1e-4;

/// What is lost when positions become fractions of leaning edges and positions again.
const ROUNDING: f64 = 1e-14;

/// Past this many box lengths, atoms are wrapped by a division, not length by length.
const FAR: f64 = 64.0;

impl Domain {
    /// A box from its corners; `s` faces start a margin outside of them, as in LAMMPS.
    ///
    /// # Errors
    /// When an edge is not positive and finite.
    pub fn new(lo: [f64; 3], hi: [f64; 3], boundary: [[Boundary; 2]; 3]) -> Result<Self> {
        let mut domain = Domain {
            lo,
            hi,
            boundary,
            initial: [lo, hi],
            triclinic: false,
            tilt: [0.0; 3],
            general: None,
            flow: Flow::default(),
        };
        for d in 0..3 {
            let length = hi[d] - lo[d];
            if !(length > 0.0 && length.is_finite()) {
                let axis = ['x', 'y', 'z'][d];
                return Err(Error::new(format!(
                    "the box has no extent along {axis}: {} to {}",
                    lo[d], hi[d]
                )));
            }
            if boundary[d][0] == Boundary::Shrink {
                domain.lo[d] -= MARGIN * length;
            }
            if boundary[d][1] == Boundary::Shrink {
                domain.hi[d] += MARGIN * length;
            }
        }
        Ok(domain)
    }

    /// The same box as a triclinic one with the tilts xy xz yz, in distance units.
    ///
    /// # Errors
    /// When a tilt is not finite, or faces follow the atoms.
    pub fn with_tilt(self, tilt: [f64; 3]) -> Result<Self> {
        if let Some((_, name)) = tilt.iter().zip(["xy", "xz", "yz"]).find(|(tilt, _)| !tilt.is_finite()) {
            return Err(Error::new(format!("the tilt {name} of the box is not finite")));
        }
        if self.shrinks() {
            return Err(Error::new("a triclinic box cannot have shrink-wrapped faces")
                .help("take p or f for each face in `boundary`"));
        }
        Ok(Domain { triclinic: true, tilt, ..self })
    }

    /// Refuses a box that systems of this dimension cannot have.
    ///
    /// # Errors
    /// In 2d, when it does not reach below and above z = 0, or leans along z.
    pub fn check_dimension(&self, dimension: u32) -> Result<()> {
        match () {
            () if dimension != 2 => Ok(()),
            () if !(self.lo[2] < 0.0 && 0.0 < self.hi[2]) => {
                Err(Error::new("the box of a 2d system must reach below and above z = 0"))
            }
            () if self.tilt[1..] != [0.0; 2] => {
                Err(Error::new("the box of a 2d system can only have a tilt xy"))
            }
            () => Ok(()),
        }
    }

    /// A box with other corners and boundaries, and the same tilts.
    ///
    /// # Errors
    /// As [`Domain::new`] and [`Domain::with_tilt`].
    pub fn with_corners(&self, lo: [f64; 3], hi: [f64; 3], boundary: [[Boundary; 2]; 3]) -> Result<Self> {
        let new = Domain { general: self.general, ..Domain::new(lo, hi, boundary)? };
        if self.triclinic { new.with_tilt(self.tilt) } else { Ok(new) }
    }

    /// Whether it leans by more than half an edge, where one that leans less has the same images.
    pub fn skewed(&self) -> bool {
        let ([_, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        (xy / ly).abs() > 0.5 && self.periodic(1) || (xz.abs() + yz.abs()) / lz > 0.5 && self.periodic(2)
    }

    /// The edge vectors a, b, c, in distance units.
    pub fn edges(&self) -> [[f64; 3]; 3] {
        let ([lx, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        [[lx, 0.0, 0.0], [xy, ly, 0.0], [xz, yz, lz]]
    }

    /// By how much x follows y, x follows z and y follows z: the tilts per edge.
    pub fn slopes(&self) -> [f64; 3] {
        let ([_, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        [xy / ly, xz / lz, yz / lz]
    }

    /// Where a position of this box is in the orthogonal box of the same corners: its fractions of the edges times their
    /// lengths, plus the lower corner. Itself in an orthogonal box.
    pub fn straighten(&self, x: [f64; 3]) -> [f64; 3] {
        if !self.triclinic {
            return x;
        }
        let [xy, xz, yz] = self.slopes();
        let dz = x[2] - self.lo[2];
        let y = x[1] - yz * dz;
        [x[0] - xy * (y - self.lo[1]) - xz * dz, y, x[2]]
    }

    /// The inverse of [`Domain::straighten`].
    pub fn lean(&self, s: [f64; 3]) -> [f64; 3] {
        if !self.triclinic {
            return s;
        }
        let [xy, xz, yz] = self.slopes();
        let [dy, dz] = [s[1] - self.lo[1], s[2] - self.lo[2]];
        [s[0] + xy * dy + xz * dz, s[1] + yz * dz, s[2]]
    }

    /// A position as fractions of the edges: h^-1 (x - lo), where h has the edges as columns.
    pub fn fractions(&self, x: [f64; 3]) -> [f64; 3] {
        let length = self.lengths();
        let [dx, dy, dz]: [f64; 3] = std::array::from_fn(|d| x[d] - self.lo[d]);
        if !self.triclinic {
            return [dx / length[0], dy / length[1], dz / length[2]];
        }
        let ([lx, ly, lz], [xy, xz, yz]) = (length, self.tilt);
        let (inverse_xy, inverse_yz) = (-xy / (lx * ly), -yz / (ly * lz));
        let inverse_xz = (yz * xy - ly * xz) / (lx * ly * lz);
        let [x, y, z] = length.map(|length| 1.0 / length);
        [x * dx + inverse_xy * dy + inverse_xz * dz, y * dy + inverse_yz * dz, z * dz]
    }

    /// The inverse of [`Domain::fractions`].
    pub fn at_fractions(&self, [a, b, c]: [f64; 3]) -> [f64; 3] {
        let ([lx, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        if !self.triclinic {
            return [self.lo[0] + a * lx, self.lo[1] + b * ly, self.lo[2] + c * lz];
        }
        [lx * a + xy * b + xz * c + self.lo[0], ly * b + yz * c + self.lo[1], lz * c + self.lo[2]]
    }

    /// A position with the edges that the atom has crossed.
    pub fn unwrapped(&self, x: [f64; 3], image: [i32; 3]) -> [f64; 3] {
        self.shifted(x, image.map(f64::from))
    }

    /// A position and so many edges a, b, c.
    pub fn shifted(&self, x: [f64; 3], counts: [f64; 3]) -> [f64; 3] {
        if !self.triclinic {
            let length = self.lengths();
            return std::array::from_fn(|d| x[d] + counts[d] * length[d]);
        }
        let edges = self.edges();
        std::array::from_fn(|d| x[d] + (0..3).map(|k| counts[k] * edges[k][d]).sum::<f64>())
    }

    /// The separation of nearest images along each edge in turn, c first, from any separation. `images` says along which
    /// axes there are some.
    pub fn nearest(&self, mut r: [f64; 3], images: [bool; 3]) -> [f64; 3] {
        let edges = self.edges();
        for k in (0..3).rev().filter(|&k| images[k]) {
            let count = (r[k] / edges[k][k]).round();
            (0..=k).for_each(|d| r[d] -= count * edges[k][d]);
        }
        r
    }

    /// By how many edges the tilts xy, xz (edges a) and yz (edges b) change, so that the images stay: b' = b + m a,
    /// c' = c + p b + n a.
    pub fn flip(&mut self, [m, n, p]: [i32; 3]) {
        let ([lx, ly, _], [xy, xz, yz]) = (self.lengths(), self.tilt);
        let [m, n, p] = [m, n, p].map(f64::from);
        self.tilt = [xy + m * lx, xz + p * xy + n * lx, yz + p * ly];
    }

    /// By how many edges a box that leans by more than a part of an edge is to be flipped: xy by a, xz by a, yz by b.
    pub fn flips(&self, beyond: f64) -> [i32; 3] {
        let ([lx, ly, _], [xy, mut xz, yz]) = (self.lengths(), self.tilt);
        let back = |part: f64, periodic: bool| match part {
            _ if !periodic => 0,
            part if part < -beyond => 1,
            part if part > beyond => -1,
            _ => 0,
        };
        let of_yz = back(yz / ly, self.periodic(1));
        // An edge c that is moved by b takes its tilt along.
        xz += f64::from(of_yz) * xy;
        [back(xy / lx, self.periodic(0)), back(xz / lx, self.periodic(0)), of_yz]
    }

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

    /// How much longer than a distance its image in the straightened box may be along each axis: the edges over the widths
    /// of the box across its faces. 1 in an orthogonal box.
    pub fn stretch(&self) -> [f64; 3] {
        stretch(self.slopes())
    }

    /// Lower and upper corner of the orthogonal block around the box.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let [below, above] = beyond(self.tilt);
        [std::array::from_fn(|d| self.lo[d] + below[d]), std::array::from_fn(|d| self.hi[d] + above[d])]
    }

    /// Edge lengths lx ly lz along the axes, in distance units.
    pub fn lengths(&self) -> [f64; 3] {
        std::array::from_fn(|d| self.hi[d] - self.lo[d])
    }

    /// Whether an axis is periodic.
    pub fn periodic(&self, axis: usize) -> bool {
        self.boundary[axis][0] == Boundary::Periodic
    }

    /// Whether some face follows the atoms.
    pub fn shrinks(&self) -> bool {
        self.boundary.iter().flatten().any(|face| matches!(face, Boundary::Shrink | Boundary::ShrinkMin))
    }

    /// Volume of the box (area in 2d).
    pub fn volume(&self, dimension: u32) -> f64 {
        self.lengths()[..dimension as usize].iter().product()
    }

    /// Whether a position lies in the box: lo <= x < hi, in a triclinic one its fractions of the edges in 0 <= f < 1; there
    /// rounding may carry atoms that were wrapped a little below the lower faces.
    pub fn contains(&self, x: [f64; 3]) -> bool {
        match self.triclinic {
            true => self.fractions(x).iter().all(|part| (-ROUNDING..1.0).contains(part)),
            false => (0..3).all(|d| self.lo[d] <= x[d] && x[d] < self.hi[d]),
        }
    }

    /// Moves the `s` and `m` faces to the extreme coordinates of all atoms (LAMMPS manual, `boundary`).
    ///
    /// Done in the set-up of a run and at each rebuild; without atoms (`min > max`) nothing moves.
    pub fn shrink_wrap(&mut self, min: [f64; 3], max: [f64; 3]) {
        for d in (0..3).filter(|&d| min[d] <= max[d]) {
            let [first_lo, first_hi] = [self.initial[0][d], self.initial[1][d]];
            let margin = MARGIN * (first_hi - first_lo);
            match self.boundary[d][0] {
                Boundary::Shrink => self.lo[d] = min[d] - margin,
                Boundary::ShrinkMin => self.lo[d] = (min[d] - margin).min(first_lo),
                Boundary::Periodic | Boundary::Fixed => {}
            }
            match self.boundary[d][1] {
                Boundary::Shrink => self.hi[d] = max[d] + margin,
                Boundary::ShrinkMin => self.hi[d] = (max[d] + margin).max(first_hi),
                Boundary::Periodic | Boundary::Fixed => {}
            }
        }
    }

    /// Moves a finite position into the box along the periodic axes and counts the lengths in `image`,
    /// so that x + image * L stays; afterwards lo <= x < hi there.
    pub fn wrap(&self, x: &mut [f64; 3], image: &mut [i32; 3]) {
        if !self.triclinic {
            return self.wrap_into(self.lo, self.hi, x, image);
        }
        // To fractions and back in any case, which rounds: as LAMMPS, whose random numbers depend on these bits.
        let mut fractions = self.fractions(*x);
        self.wrap_into([0.0; 3], [1.0; 3], &mut fractions, image);
        *x = self.at_fractions(fractions);
    }

    /// As [`Domain::wrap`], into these limits.
    fn wrap_into(&self, lower: [f64; 3], upper: [f64; 3], x: &mut [f64; 3], image: &mut [i32; 3]) {
        for d in (0..3).filter(|&d| self.periodic(d)) {
            let (lo, hi) = (lower[d], upper[d]);
            let length = hi - lo;
            let far = ((x[d] - lo) / length).floor();
            if far.abs() > FAR {
                // One rounding only, and no endless loop where x + L == x.
                x[d] = (x[d] - far * length).clamp(lo - length, hi + length);
                image[d] = image[d].saturating_add(far as i32);
            }
            while x[d] < lo {
                x[d] += length;
                image[d] = image[d].saturating_sub(1);
            }
            while x[d] >= hi {
                // Rounding may carry x just below lo: it belongs on lo.
                x[d] = (x[d] - length).max(lo);
                image[d] = image[d].saturating_add(1);
            }
        }
    }
}

/// How far a box of the tilts xy xz yz reaches beyond its lower and upper corner.
pub(crate) fn beyond([xy, xz, yz]: [f64; 3]) -> [[f64; 3]; 2] {
    let along_x = [xy, xz, xy + xz];
    [
        [along_x.into_iter().fold(0.0, f64::min), yz.min(0.0), 0.0],
        [along_x.into_iter().fold(0.0, f64::max), yz.max(0.0), 0.0],
    ]
}

/// By how much [`Domain::stretch`] is for the tilts per edge xy xz yz: the lengths of the rows of the inverse of
/// ((1 xy xz) (0 1 yz) (0 0 1)).
pub fn stretch([xy, xz, yz]: [f64; 3]) -> [f64; 3] {
    [(1.0 + xy * xy + (xy * yz - xz).powi(2)).sqrt(), (1.0 + yz * yz).sqrt(), 1.0]
}
