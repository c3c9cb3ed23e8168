//! Which steps and rebuilds are timed (`-timing`), so that timing costs next to nothing.

use super::Simulation;
use crate::gpu::options::TimingMode;

/// With fewer steps than this between looks a step takes half a millisecond or more, and all are timed.
const MANY: u32 = 100;

/// One step in so many is timed, with the one before, which is unfused, and the rebuilds after it: a prime, so that it drifts
/// through every schedule.
const STRIDE: u32 = 211;

/// The same where steps take so little time that timing one costs as much as dozens.
const LONG_STRIDE: u32 = 2111;

/// With as many steps between looks they take so little.
const QUICK: u32 = 500;

/// So many rebuilds are timed then, and twice as many at first: by turns in several launches and in as few as can be.
pub(super) const TIMED_BUILDS: u32 = 2;

/// Until then the steps are timed too, but no more than these.
const TIMED_STEPS: u32 = 40;

/// The first unfused one, early enough for short runs.
const UNFUSED_FIRST: u32 = 3;

/// Where everything is timed, one step in so many is unfused.
const FULL_STRIDE: u32 = 7;

/// Which steps are timed: in several the one that is unfused, the one after it, and the one before it, as the first
/// command after others that are not timed takes longer; all where a step takes so long that events cost nothing.
fn sampled(poll_interval: u32, step: u32) -> bool {
    poll_interval < MANY || (UNFUSED_FIRST - 1..=UNFUSED_FIRST + 1).contains(&(step % stride(poll_interval)))
}

fn stride(poll_interval: u32) -> u32 {
    if poll_interval < QUICK { STRIDE } else { LONG_STRIDE }
}

impl Simulation {
    /// Times the next rebuild, if it is its turn; every other one of those in several launches, to learn which section takes
    /// how much of it.
    pub(super) fn sample_build(&mut self) {
        let gpu = &self.atoms.context.gpu;
        let all = self.poll_interval < MANY;
        let number = if all { self.neighbor.builds() } else { u64::from(self.builds_to_time) };
        let timed = all || self.builds_to_time > 0;
        gpu.sample(timed);
        self.neighbor.time_unfused(match gpu.timing() {
            TimingMode::Off => false,
            TimingMode::Sampled => timed && number.is_multiple_of(2),
            TimingMode::Full => true,
        });
        self.builds_to_time = self.builds_to_time.saturating_sub(1);
    }

    /// Times the current step, if it is its turn, or if rebuilds are to be timed soon: going from what is timed to what is not
    /// takes longer.
    pub(super) fn sample_step(&self) {
        let step = self.atoms.step;
        let soon = self.builds_to_time > 0 && step - self.timed < TIMED_STEPS;
        self.atoms.context.gpu.sample(soon || sampled(self.poll_interval, step));
    }

    /// Times the unfused step that begins here, and the rebuilds that follow.
    pub(super) fn sample_unfused(&mut self) {
        (self.builds_to_time, self.timed) = (TIMED_BUILDS, self.atoms.step);
        self.atoms.context.gpu.sample(true);
    }

    /// Whether a step is unfused to be timed, where some are.
    pub(super) fn is_sampled_apart(&self, step: u32) -> bool {
        step % stride(self.poll_interval) == UNFUSED_FIRST
    }

    /// The same where no clock may have a say.
    pub(super) fn is_apart_on_ranks(&self, step: u32) -> bool {
        self.timed == 0 || step - self.timed >= STRIDE
    }

    /// The same where all are timed.
    pub(super) fn is_apart_in_full(step: u32) -> bool {
        step.is_multiple_of(FULL_STRIDE)
    }

    /// How far the host may run ahead of this step, up to `stop`, without anything to be timed.
    pub(super) fn untimed(&self, stop: u32) -> u32 {
        let step = self.atoms.step;
        match self.atoms.context.gpu.timing() {
            TimingMode::Off => stop,
            TimingMode::Sampled if self.builds_to_time == 0 => {
                (step..stop).find(|&step| sampled(self.poll_interval, step)).unwrap_or(stop)
            }
            TimingMode::Sampled | TimingMode::Full => step,
        }
    }
}
