//! The device functions of a thermostat or barostat that needs sums over all atoms in each step.

use crate::engine::step::hooks::HookFn;

/// The functions of a fix's snippet that make its part of a step.
#[derive(Clone, Copy)]
pub struct CouplingFunctions {
    /// How many numbers atoms add up.
    pub sums: usize,
    /// What an atom of the group adds to them: `void name(const Atom *a, const Here *h, accum3 virial, accum *out)`.
    pub measure: HookFn,
    /// The end of a step: `void name(accum *remembered, const accum *sums, __global const accum *p, __global Box *box)`.
    pub after: HookFn,
    /// What comes before positions move, if anything: `void name(accum *remembered, __global const accum *p, __global Box
    /// *box)`.
    pub before: Option<HookFn>,
    /// Whether they see virials, which are 0 else, and move the box (cl/step/faces.cl).
    pub moves_box: bool,
}
