//! The simulation box and its boundaries.

mod describe;
mod flow;
mod general_triclinic;
mod recipes;
mod tilt;

pub use describe::{box_keyword, is_box_keyword};
pub(crate) use describe::{corners, describe, warn_of_skew};
pub use flow::Flow;
pub use general_triclinic::Rotation;
pub(crate) use general_triclinic::{scaled, unit};
pub(crate) use tilt::beyond;
pub use tilt::stretch;

use crate::base::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

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
    #[serde(default)]
    pub flow: Flow,
}

/// How far `s` and `m` faces stay away from the outermost atom, in initial box lengths.
const MARGIN: f64 = 1e-4;

/// Faces of leaning boxes that are so near to where they should be, in initial box lengths, stay.
const SETTLED: f64 = 1e-12;

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
    /// When a tilt is not finite.
    pub fn with_tilt(self, tilt: [f64; 3]) -> Result<Self> {
        if let Some((_, name)) = tilt.iter().zip(["xy", "xz", "yz"]).find(|(tilt, _)| !tilt.is_finite()) {
            return Err(Error::new(format!("the tilt {name} of the box is not finite")));
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

    /// The edge vectors a, b, c, in distance units.
    pub fn edges(&self) -> [[f64; 3]; 3] {
        let ([lx, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        [[lx, 0.0, 0.0], [xy, ly, 0.0], [xz, yz, lz]]
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

    /// Moves the `s` and `m` faces to the outermost atoms (LAMMPS manual, `boundary`). `extent` gives the smallest and
    /// largest coordinates of all atoms, [straightened](Domain::straighten) in the box that it is called with.
    ///
    /// Done in the set-up of a run and at each rebuild; without atoms (smallest above largest) nothing moves. A box keeps its
    /// tilts, so that an edge leans otherwise where the box gets shorter: faces across z come first, then those across y.
    /// Done again it changes nothing.
    ///
    /// # Errors
    /// Those of `extent`.
    pub fn shrink_wrap<E>(
        &mut self,
        mut extent: impl FnMut(&Domain) -> Result<([f64; 3], [f64; 3]), E>,
    ) -> Result<(), E> {
        let (mut min, mut max) = extent(self)?;
        for d in (0..3).rev() {
            let before = (self.lo, self.hi);
            self.follow(d, min[d], max[d]);
            if self.tilt != [0.0; 3] && before != (self.lo, self.hi) {
                (min, max) = extent(self)?;
            }
        }
        Ok(())
    }

    /// What [`Domain::shrink_wrap`] knows of each axis: the margin, where the box began and ended at first, and of its lower and
    /// its upper face whether it follows the atoms (1), never to within the first box (2), or not (0).
    pub fn faces(&self) -> [[f64; 5]; 3] {
        std::array::from_fn(|d| {
            let [lo, hi] = [self.initial[0][d], self.initial[1][d]];
            let [lower, upper] = self.boundary[d].map(|face| match face {
                Boundary::Shrink => 1.0,
                Boundary::ShrinkMin => 2.0,
                Boundary::Periodic | Boundary::Fixed => 0.0,
            });
            [MARGIN * (hi - lo), lo, hi, lower, upper]
        })
    }

    /// The same, around atoms at these positions.
    pub fn shrink_around(&mut self, x: &[[f64; 3]]) {
        let done: Result<(), Infallible> =
            self.shrink_wrap(|domain| Ok(crate::model::extent::extent(domain, x)));
        let Ok(()) = done;
    }

    /// The `s` and `m` faces across an axis follow the outermost coordinates.
    fn follow(&mut self, d: usize, min: f64, max: f64) {
        if min > max {
            return;
        }
        let [first_lo, first_hi] = [self.initial[0][d], self.initial[1][d]];
        let margin = MARGIN * (first_hi - first_lo);
        // Wrapping along a leaning edge rounds what is looked at here: by that alone no face moves.
        let rounding = if self.tilt == [0.0; 3] { 0.0 } else { SETTLED * (first_hi - first_lo) };
        let put = |face: &mut f64, at: f64| {
            if (at - *face).abs() > rounding {
                *face = at;
            }
        };
        match self.boundary[d][0] {
            Boundary::Shrink => put(&mut self.lo[d], min - margin),
            Boundary::ShrinkMin => put(&mut self.lo[d], (min - margin).min(first_lo)),
            Boundary::Periodic | Boundary::Fixed => {}
        }
        match self.boundary[d][1] {
            Boundary::Shrink => put(&mut self.hi[d], max + margin),
            Boundary::ShrinkMin => put(&mut self.hi[d], (max + margin).max(first_hi)),
            Boundary::Periodic | Boundary::Fixed => {}
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

    /// The same of many positions.
    pub fn wrap_all(&self, x: &mut [[f64; 3]], image: &mut [[i32; 3]]) {
        x.iter_mut().zip(image).for_each(|(x, image)| self.wrap(x, image));
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
