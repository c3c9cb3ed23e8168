//! The line searches among which `min_modify line` chooses. They run in `run/minimize/line.rs`.

/// `min_modify line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// Halves the step until the energy has fallen enough.
    Backtrack,
    /// The same, and takes the step to the zero of the slope once the energy is nearly quadratic.
    Quadratic,
    /// Looks for where the slope is a tenth of what it was, by its zeros as if it were linear; a step on which the energy rises
    /// or the slope changes its sign is taken back and tried shorter.
    ForceZero,
}
