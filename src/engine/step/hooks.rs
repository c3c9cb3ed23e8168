//! The places of a step at which a fix has device functions, and the names of these functions.
//!
//! A fix fills in the table; [`crate::engine::step`] writes the calls into its kernels.

use crate::gpu::source::File;

/// The name of a function `void name(Atom *a, const Here *h)` in a fix's snippet (cl/step/integrate.cl).
pub type HookFn = &'static str;

/// What a fix does to one atom at the places of a step, as functions of the device.
#[derive(Clone, Copy)]
pub struct DeviceHooks {
    /// The file that has them, in cl/fix/.
    pub snippet: File,
    /// One that its functions build on, which several fixes may share.
    pub with: Option<File>,
    /// Before the forces: positions move.
    pub initial_integrate: Option<HookFn>,
    /// After all positions have moved, still before the forces.
    pub post_integrate: Option<HookFn>,
    /// After the forces: what `DeviceFix::measured` is for adds up over all atoms, where `force` goes on with those sums: it finds
    /// them where `memory` of [`Here`](DeviceHooks) points to.
    pub pre_force_sum: Option<HookFn>,
    /// After the forces: they change.
    pub post_force: Option<HookFn>,
    /// After all forces: velocities follow.
    pub final_integrate: Option<HookFn>,
    /// After all velocities: the end of every step, and of frames of `rerun` unless there is `end_with_host`.
    pub end_of_step: Option<HookFn>,
    /// Behind the host's part of a step: after `HostFix::end_of_step`, or after `HostFix::positions_moved` of a fix that shifts atoms.
    pub end_with_host: Option<HookFn>,
    /// Called for all atoms, not only for those of the fix's group ([`Here`](DeviceHooks)'s `group`).
    pub everyone: bool,
}

impl DeviceHooks {
    /// No functions of a file yet.
    pub const fn of(snippet: File) -> Self {
        DeviceHooks {
            snippet,
            with: None,
            initial_integrate: None,
            post_integrate: None,
            pre_force_sum: None,
            post_force: None,
            final_integrate: None,
            end_of_step: None,
            end_with_host: None,
            everyone: false,
        }
    }
}
