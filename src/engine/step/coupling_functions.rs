//! The device functions of a thermostat or barostat that needs sums over all atoms in each step, or of what goes on with sums over sets of atoms.

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
    /// Where they go on with sets of atoms, each by itself (cl/step/sets.cl): the place of an atom of the group among the atoms of all sets, one
    /// set behind the other, `uint name(const Atom *a, __global const accum *p, __global const accum *memory)`, or `NO_SLOT`. What is
    /// remembered of a set is in memory then, `__global accum *remembered`, and in place of the box functions learn how many lists have been built
    /// in the run, `uint builds`.
    pub slot: Option<HookFn>,
}
