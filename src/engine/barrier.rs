//! Where the work-groups of a launch wait for one another (cl/step/barrier.cl): in kernels for systems so small that a launch costs as
//! much as its work.

use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::kernels::Context;
use crate::gpu::record::Section;
use crate::gpu::{Buffer, DeviceKind, Exchange};

/// Words of cl/step/barrier.cl.
const WORDS: usize = 160;

/// Work-groups that have not come together try again later, where they are cores of a CPU, which had other work; on a GPU what does not
/// fit at once will not fit later.
#[derive(Clone, Copy)]
pub struct BarrierFallback {
    /// Up to which number (of a step or of a rebuild) they do not try.
    until: u32,
    /// For how many numbers next time, and at most.
    next: u32,
    most: u32,
}

impl BarrierFallback {
    /// For so many numbers at first, later for twice as many each time, up to `most`.
    pub fn new(context: &Context, first: u32, most: u32) -> Self {
        let [next, most] = if context.shape.clusters { [first, most] } else { [u32::MAX; 2] };
        BarrierFallback { until: 0, next, most }
    }

    /// Whether they try at this number.
    pub fn is_over(self, now: u32) -> bool {
        now >= self.until
    }

    /// After they have not come together, with a barrier that nobody has been at; returns until when they do not try.
    ///
    /// # Errors
    /// When the device fails.
    pub fn begin(&mut self, now: u32, group_barrier: &Buffer<u32>) -> Result<u32> {
        self.until = now.saturating_add(self.next);
        self.next = self.next.saturating_mul(2).min(self.most);
        group_barrier.write(Section::Comm, 0, &[0; WORDS])?;
        Ok(self.until)
    }
}

/// A barrier between work-groups, where the shape of the work wants launches with several parts, and the device's work-groups see what the others have
/// written, or there is one that meets nobody but itself. Of several ranks only the latter: they read the result of such a launch before
/// they can know that it has given up, as work-groups had not come together.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn group_barrier(context: &Context) -> Result<Option<Buffer<u32>>> {
    let Context { gpu, shape, .. } = context;
    let info = gpu.info();
    let seen = match shape.clusters {
        // Work-groups that are threads: other runtimes give several to one.
        true => shape.alone() || info.is_pocl(),
        false => shape.exchange == Exchange::Ptx || info.kind != DeviceKind::Gpu || info.is_simulator,
    };
    let meets = shape.gated() && ranks::count() == 1;
    if !(shape.alone() || meets) || !seen || !info.makes_several_steps() {
        return Ok(None);
    }
    let group_barrier = gpu.buffer("barrier between groups", WORDS)?;
    group_barrier.write(Section::Comm, 0, &[0; WORDS])?;
    Ok(Some(group_barrier))
}
