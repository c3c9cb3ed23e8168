//! The places of a step at which a fix has device functions, and the names of these functions.
//!
//! A fix fills in the table; [`crate::engine::step`] writes the calls into its kernels.

use crate::gpu::source::File;

/// The name of a function `void name(Atom *a, const Here *h)` in a fix's snippet (cl/step/integrate.cl).
pub type Call = &'static str;

/// What a fix does to one atom at the places of a step, as functions of the device.
#[derive(Clone, Copy)]
pub struct Stage {
    /// The file that has them, in cl/fix/.
    pub snippet: File,
    /// One that its functions build on, which several fixes may share.
    pub with: Option<File>,
    /// Before the forces: positions move.
    pub initial: Option<Call>,
    /// After all positions have moved, still before the forces.
    pub moved: Option<Call>,
    /// After the forces: what `DeviceFix::measured` is for adds up over all atoms, where `force` goes on with those sums: it finds
    /// them where `memory` of [`Here`](Stage) points to.
    pub total: Option<Call>,
    /// After the forces: they change.
    pub force: Option<Call>,
    /// After all forces: velocities follow.
    pub last: Option<Call>,
    /// After all velocities: the end of every step.
    pub ended: Option<Call>,
    /// At the end of a step in which the host takes part, after `HostFix::end_of_step`.
    pub end: Option<Call>,
    /// Called for all atoms, not only for those of the fix's group ([`Here`](Stage)'s `group`).
    pub everyone: bool,
}

impl Stage {
    /// No functions of a file yet.
    pub const fn of(snippet: File) -> Self {
        Stage {
            snippet,
            with: None,
            initial: None,
            moved: None,
            total: None,
            force: None,
            last: None,
            ended: None,
            end: None,
            everyone: false,
        }
    }
}
