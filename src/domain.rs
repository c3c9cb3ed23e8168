//! The simulation box and its boundaries.

use crate::error::{Error, Result};
use crate::format::g;
use crate::script::Args;
use crate::state::State;
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

/// An orthogonal box.
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
}

/// How far `s` and `m` faces stay away from the outermost atom, in initial box lengths.
const MARGIN: f64 = 1e-4;

/// Past this many box lengths, atoms are wrapped by a division, not length by length.
const FAR: f64 = 64.0;

impl Domain {
    /// A box from its corners; `s` faces start a margin outside of them, as in LAMMPS.
    ///
    /// # Errors
    /// When an edge is not positive and finite.
    pub fn new(lo: [f64; 3], hi: [f64; 3], boundary: [[Boundary; 2]; 3]) -> Result<Self> {
        let mut domain = Domain { lo, hi, boundary, initial: [lo, hi] };
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

    /// Edge lengths, in distance units.
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

    /// Whether a position lies in the box: lo <= x < hi.
    pub fn contains(&self, x: [f64; 3]) -> bool {
        (0..3).all(|d| self.lo[d] <= x[d] && x[d] < self.hi[d])
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
        for d in (0..3).filter(|&d| self.periodic(d)) {
            let (lo, hi) = (self.lo[d], self.hi[d]);
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

    /// `(xlo ylo zlo) to (xhi yhi zhi)` with 8 digits, as the log shows a box.
    pub fn corners(&self) -> String {
        corners(self.lo, self.hi)
    }
}

/// `(xlo ylo zlo) to (xhi yhi zhi)` with 8 digits, as the log shows a box.
pub(crate) fn corners(lo: [f64; 3], hi: [f64; 3]) -> String {
    let corner = |c: [f64; 3]| c.map(|x| g(x, 8)).join(" ");
    format!("({}) to ({})", corner(lo), corner(hi))
}

/// Whether a name is one of those of [`box_keyword`].
pub fn is_box_keyword(name: &str) -> bool {
    box_keyword([0.0; 3], [0.0; 3], name).is_some()
}

/// What thermo and formulas call the corners, edges and angles of an orthogonal box, in distance units and degrees.
pub fn box_keyword(lo: [f64; 3], hi: [f64; 3], name: &str) -> Option<f64> {
    Some(match name {
        "xlo" => lo[0],
        "xhi" => hi[0],
        "ylo" => lo[1],
        "yhi" => hi[1],
        "zlo" => lo[2],
        "zhi" => hi[2],
        "lx" | "cella" => hi[0] - lo[0],
        "ly" | "cellb" => hi[1] - lo[1],
        "lz" | "cellc" => hi[2] - lo[2],
        "avecx" => hi[0] - lo[0],
        "bvecy" => hi[1] - lo[1],
        "cvecz" => hi[2] - lo[2],
        "xy" | "xz" | "yz" | "avecy" | "avecz" | "bvecx" | "bvecz" | "cvecx" | "cvecy" => 0.0,
        "cellalpha" | "cellbeta" | "cellgamma" => 90.0,
        _ => return None,
    })
}

/// Refuses a command that must come before the box.
///
/// # Errors
/// When the box exists.
pub(crate) fn forbid_box(state: &State, args: &Args) -> Result<()> {
    match state.domain {
        None => Ok(()),
        Some(_) => Err(args
            .error_here("the simulation box exists already")
            .help("put this command before create_box or read_data")),
    }
}

/// Refuses a new box with settings that do not go together.
///
/// # Errors
/// When there is a box already, or a 2d system is not periodic in z.
pub(crate) fn check_new_box(state: &State, args: &Args) -> Result<()> {
    if state.domain.is_some() {
        return Err(args.error_here("the simulation box exists already").help("`clear` starts afresh"));
    }
    if state.dimension == 2 && state.boundary[2][0] != Boundary::Periodic {
        return Err(args
            .error_here("a 2d system must be periodic along z")
            .help("write `boundary ... p` for the third axis"));
    }
    Ok(())
}

/// `dimension 2|3`.
///
/// # Errors
/// When the box exists already or the number is another one.
pub fn dimension(state: &mut State, args: &mut Args) -> Result<()> {
    forbid_box(state, args)?;
    state.dimension = args.one_of("dimension", &[("2", 2), ("3", 3)])?;
    state.computes.set_dimension(state.dimension);
    args.finish()
}

/// `boundary x y z`: each a letter of `p f s m` for both faces, or one for each.
///
/// # Errors
/// When the box exists already, a letter is another one, or only one face of an axis is periodic.
pub fn boundary(state: &mut State, args: &mut Args) -> Result<()> {
    forbid_box(state, args)?;
    state.boundary = boundary_faces(args)?;
    args.finish()
}

/// Takes the boundaries of three axes.
///
/// # Errors
/// When a letter is another one, or only one face of an axis is periodic.
pub(crate) fn boundary_faces(args: &mut Args) -> Result<[[Boundary; 2]; 3]> {
    let mut boundary = [[Boundary::Periodic; 2]; 3];
    for faces_of_axis in &mut boundary {
        let what = "a boundary (one or two of p f s m)";
        let word = args.word(what)?;
        let faces: Option<Vec<Boundary>> = word.text.chars().map(face).collect();
        *faces_of_axis = match faces.as_deref() {
            Some(&[both]) => [both, both],
            Some(&[lower, upper]) => [lower, upper],
            _ => {
                return Err(args
                    .error(word, format_args!("'{}' is not {what}", word.text))
                    .label("expected p, f, s, m or two of f s m"));
            }
        };
        let periodic = faces_of_axis.map(|face| face == Boundary::Periodic);
        if periodic[0] != periodic[1] {
            return Err(args.error(word, "both faces of a periodic axis must be periodic").label("write p"));
        }
    }
    Ok(boundary)
}

fn face(letter: char) -> Option<Boundary> {
    match letter {
        'p' => Some(Boundary::Periodic),
        'f' => Some(Boundary::Fixed),
        's' => Some(Boundary::Shrink),
        'm' => Some(Boundary::ShrinkMin),
        _ => None,
    }
}
