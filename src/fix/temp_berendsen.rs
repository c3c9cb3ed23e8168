//! `fix ID GROUP temp/berendsen TSTART TSTOP TDAMP`: velocities are scaled at each step so that the temperature
//! relaxes to its target. Berendsen, Postma, van Gunsteren, DiNola, Haak, J. Chem. Phys. 81, 3684 (1984).

use super::thermostat::{self, Target};
use super::{Fix, Header, Moment, Stage, Watched, World, restored, snippet};
use crate::compute::{Compute, Values};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use std::cell::Cell;

struct TempBerendsen {
    header: Header,
    watched: Watched,
    target: Target,
    period: f64,
    /// What the device multiplies velocities by at the end of the step.
    factor: Cell<[f64; 3]>,
    /// Taken from the atoms so far.
    energy: Cell<f64>,
}

pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(TempBerendsen {
        watched: thermostat::watched(&header),
        header,
        target: Target::read(state, args)?,
        period: args.positive("the relaxation time")?,
        factor: Cell::new([1.0; 3]),
        energy: Cell::new(0.0),
    }))
}

impl Fix for TempBerendsen {
    fn header(&self) -> &Header {
        &self.header
    }

    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(vec![self.energy.get()])
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [energy] = restored(numbers)?;
        self.energy.set(energy);
        Ok(())
    }

    fn computes(&self, state: &State) -> Vec<Box<dyn Compute>> {
        vec![thermostat::thermometer(&self.header, self.header.group, state)]
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage { end: Some("scale_velocity"), ..Stage::of(snippet!("scale.cl")) })
    }

    fn parameters(&self, _: &Moment<'_>) -> Result<Vec<f64>> {
        Ok(self.factor.get().to_vec())
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn end_of_step(&self, world: &mut World<'_>) -> Result<()> {
        self.factor.set([1.0; 3]);
        let temperature = thermostat::temperature(world.state, &self.watched.temperature)?;
        let Some((now, freedom)) = thermostat::to_scale(world, temperature)? else { return Ok(()) };
        let target = self.target.at(&world.moment())?;
        let factor = (1.0 + world.state.dt / self.period * (target / now - 1.0)).sqrt();
        let taken = 0.5 * world.state.units.boltz * freedom * now * (1.0 - factor * factor);
        self.energy.set(self.energy.get() + taken);
        self.factor.set(thermostat::scale(world, temperature, self.header.group, [factor; 3], false)?);
        Ok(())
    }

    fn values(&self, _: &System<'_>) -> Result<Values> {
        Ok(Values::scalar(self.energy.get()))
    }

    fn extensive(&self) -> bool {
        true
    }

    fn coupled_energy(&self, _: &System<'_>) -> f64 {
        self.energy.get()
    }
}
