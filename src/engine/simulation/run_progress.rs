//! What a run knows of itself besides its atoms.

use std::cell::Cell;
use std::time::Instant;

/// How far a run goes, and what else thermo output shows of it.
#[derive(Clone, Debug, Default)]
pub struct RunProgress {
    /// Its last step.
    pub last: i64,
    /// First and last step of the span that it is a part of.
    pub span: [i64; 2],
    /// When its loop began; `None` before.
    pub clock: Option<Instant>,
    /// Energy of the tail times the volume, and its pressure, in energy per volume, times the volume squared: the volume may
    /// change.
    pub tail: (f64, f64),
    /// A number of atoms, and their mass.
    pub mass: Cell<(usize, f64)>,
}
