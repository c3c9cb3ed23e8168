//! The chain of `fix nvt` on the device (cl/fix/nvt.cl): what its functions read, and what they remember.

use super::NoseHoover;
use crate::error::Result;
use crate::fix::feedback::{Feedback, Loop};
use crate::fix::{Moment, World, thermostat};
use crate::state::State;

impl NoseHoover {
    /// The numbers of cl/fix/nvt.cl at a step.
    ///
    /// # Errors
    /// When the temperature compute is gone.
    pub(super) fn device_parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        let (state, settings, motion) = (now.state, &self.settings, self.motion.borrow());
        let thermal = thermostat::temperature(state, &self.watched.temperature)?.components();
        let thermal = thermal.unwrap_or([true; 3]).map(f64::from);
        let (links, loops) = (settings.links[0] as f64, settings.loops[0] as f64);
        let frequency = settings.thermostat.map_or(0.0, |thermostat| thermostat.frequency);
        let drag = settings.chain_drag(state.dt);
        let target = settings.target(now.fraction());
        let chain = [links, loops, drag, motion.freedom, state.units.boltz, frequency, target];
        let mass = now.mass().map(|mass| mass * state.units.mvv2e);
        // The masses count from type 1, behind a place that is not used.
        Ok(now.kicks().into_iter().chain(thermal).chain(chain).chain([0.0]).chain(mass).collect())
    }
}

impl Feedback for NoseHoover {
    fn fits(&self, state: &State) -> bool {
        // The motion of a leaning box is the host's.
        if self.settings.axes.any() && self.settings.triclinic {
            return false;
        }
        thermostat::temperature(state, &self.watched.temperature).is_ok_and(|temperature| {
            let header = temperature.header();
            temperature.components().is_some() && header.group == self.header.group && !header.dynamic
        })
    }

    fn hand_over(&self, to_device: bool) {
        self.by_device.set(to_device);
    }

    fn handed_over(&self) -> bool {
        self.by_device.get()
    }

    fn functions(&self) -> Loop {
        Loop { measure: "nvt_measure", after: "nvt_after", before: "nvt_before" }
    }

    fn numbers(&self) -> Vec<f64> {
        let motion = self.motion.borrow();
        // Factors, which are written before they are read.
        [&[1.0; 6], &[motion.temperature][..], &motion.chain.numbers()].concat()
    }

    fn take(&self, numbers: &[f64], world: &World<'_>) {
        let mut motion = self.motion.borrow_mut();
        motion.set_target(&self.settings, world.state, world.moment().fraction());
        motion.temperature = numbers[6];
        motion.chain.set_numbers(&numbers[7..]);
    }
}
