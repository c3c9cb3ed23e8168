//! `fix ID GROUP temp/rescale N TSTART TSTOP WINDOW FRACTION`: every N steps velocities are scaled so that the
//! temperature comes nearer to its target, where it is further off than a window. Source: LAMMPS manual.

use super::thermostat::{self, Target};
use super::{Fix, Header, Moment, Stage, Watched, World, restored, snippet};
use crate::compute::{Compute, Values};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use std::cell::Cell;

struct TempRescale {
    header: Header,
    watched: Watched,
    every: i64,
    target: Target,
    window: f64,
    fraction: f64,
    /// What the device multiplies velocities by at the end of the step.
    factor: Cell<[f64; 3]>,
    /// Taken from the atoms so far.
    energy: Cell<f64>,
}

pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("the number of steps between scalings", 1)? as i64;
    let target = Target::read(state, args)?;
    let word = args.peek();
    let window = args.f64("the window")?;
    if let Some(word) = word.filter(|_| window < 0.0) {
        return Err(args.error(word, "the window must not be negative"));
    }
    Ok(Box::new(TempRescale {
        watched: thermostat::watched(&header),
        header,
        every,
        target,
        window,
        fraction: args.positive("the fraction of the difference to be made up for")?,
        factor: Cell::new([1.0; 3]),
        energy: Cell::new(0.0),
    }))
}

impl Fix for TempRescale {
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
        Some(step + self.every - step.rem_euclid(self.every))
    }

    fn end_of_step(&self, world: &mut World<'_>) -> Result<()> {
        self.factor.set([1.0; 3]);
        let temperature = thermostat::temperature(world.state, &self.watched.temperature)?;
        let Some((now, freedom)) = thermostat::to_scale(world, temperature)? else { return Ok(()) };
        let target = self.target.at(&world.moment())?;
        if (now - target).abs() > self.window {
            let target = now - self.fraction * (now - target);
            let taken = 0.5 * world.state.units.boltz * freedom * (now - target);
            self.energy.set(self.energy.get() + taken);
            let factor = [(target / now).sqrt(); 3];
            self.factor.set(thermostat::scale(world, temperature, self.header.group, factor, false)?);
        }
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
