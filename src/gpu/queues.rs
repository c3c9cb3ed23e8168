//! One order of commands over two queues: one that tells when its commands ran, and one that does not. On some devices a
//! launch takes much longer on a queue that does (NVIDIA's driver 580: 11 instead of 5 microseconds), whether an event is
//! asked for or not.

use std::cell::Cell;

use super::cl::{Context, Device};
use super::queue::Queue;
use super::status::ClResult;
use crate::gpu::options::TimingMode;

/// The queues of a device. A command waits for all that were enqueued before it, on whichever queue.
pub(super) struct Queues {
    /// The only one, or the one for commands that are not timed.
    usual: Queue,
    /// For timed commands.
    timing: Option<Queue>,
    /// Whether the last command went to `timing`.
    on_timing: Cell<bool>,
}

impl Queues {
    /// Two queues where some commands are timed and others not; one if `single`.
    pub(super) fn new(context: &Context, device: Device, mode: TimingMode, single: bool) -> ClResult<Self> {
        let two = mode == TimingMode::Sampled && !single;
        let usual = Queue::new(context, device, mode != TimingMode::Off && !two)?;
        let timing = two.then(|| Queue::new(context, device, true)).transpose()?;
        Ok(Queues { usual, timing, on_timing: Cell::new(false) })
    }

    /// The queue for the next command, which is `timed` or not.
    pub(super) fn of(&self, timed: bool) -> ClResult<&Queue> {
        if self.timing.is_some() && timed != self.on_timing.get() {
            let before = self.last();
            let done = before.marker()?;
            before.flush()?;
            self.on_timing.set(timed);
            self.last().wait_for(&done)?;
        }
        Ok(self.last())
    }

    /// The queue of the last command, which ends after all others.
    pub(super) fn last(&self) -> &Queue {
        self.timing.as_ref().filter(|_| self.on_timing.get()).unwrap_or(&self.usual)
    }
}
