//! Thermostats that change velocities at the end of steps: what `temp_scale` and `temp_csld` have in common.

use super::thermostat::{self, Target};
use crate::base::error::Result;
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::hooks::DeviceHooks;
use crate::session::Session;
use crate::session::compute::Values;
use crate::session::compute::style::Compute;
use crate::session::fix::coupling::DeviceCoupling;
use crate::session::fix::{
    DeviceFix, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext, Watched, restored,
};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

/// What each of them has.
pub(super) struct Thermostat {
    pub(super) header: Header,
    pub(super) watched: Watched,
    pub(super) target: Target,
    /// Taken from the atoms so far.
    pub(super) energy: Cell<f64>,
    /// Whether the device does it all, else the host, which leaves the device what it multiplies velocities by.
    pub(super) by_device: Cell<bool>,
    /// Degrees of freedom when the run began.
    pub(super) freedom: Cell<f64>,
}

/// What one of them does.
pub(super) trait Rule: 'static {
    /// It acts every so many steps.
    fn every(&self) -> i64 {
        1
    }

    /// Fails where it cannot act on the velocities that the temperature knows.
    ///
    /// # Errors
    /// Says which temperatures it can.
    fn check(&self, _: &Thermostat, _: &Session) -> Result<()> {
        Ok(())
    }

    /// Its functions at the end of a step.
    fn hooks(&self, by_device: bool) -> DeviceHooks;

    /// The numbers of these functions at a step.
    ///
    /// # Errors
    /// When the target has no value.
    fn parameters(&self, of: &Thermostat, now: &StepContext<'_>) -> Result<Vec<f64>>;

    /// Whether these numbers change from step to step.
    fn varies(&self, of: &Thermostat) -> bool;

    /// The host's part at the end of a step.
    ///
    /// # Errors
    /// When the device fails.
    fn act(&self, of: &Thermostat, context: &mut FixContext<'_>) -> Result<()>;

    /// Whether the device may do it all.
    fn fits(&self) -> bool {
        true
    }

    /// What the device adds up and does with it.
    fn functions(&self) -> CouplingFunctions;

    /// What the device remembers, and what it has remembered.
    fn numbers(&self, of: &Thermostat) -> Vec<f64>;

    /// # Errors
    /// When it could not act.
    fn take(&self, of: &Thermostat, numbers: &[f64]) -> Result<()>;

    /// What a restart file keeps of it besides the energy.
    fn saved(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes what it knows of the numbers behind the energy, and returns the others.
    fn restore<'a>(&self, numbers: &'a [f64]) -> &'a [f64] {
        numbers
    }
}

struct Ruled<R> {
    thermostat: Thermostat,
    rule: R,
}

/// A fix with this rule.
pub(super) fn fix(header: Header, target: Target, rule: impl Rule) -> Box<dyn Fix> {
    let thermostat = Thermostat {
        watched: thermostat::watched(&header),
        header,
        target,
        energy: Cell::new(0.0),
        by_device: Cell::new(false),
        freedom: Cell::new(0.0),
    };
    Box::new(Ruled { thermostat, rule })
}

impl<R: Rule> Fix for Ruled<R> {
    fn header(&self) -> &Header {
        &self.thermostat.header
    }

    fn ignores_wrapping(&self) -> bool {
        !self.thermostat.target.is_variable()
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        let header = &self.thermostat.header;
        vec![thermostat::thermometer(header, header.group, session)]
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.thermostat.watched)
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl<R: Rule> DeviceFix for Ruled<R> {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(self.rule.hooks(self.thermostat.by_device.get()))
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        self.rule.parameters(&self.thermostat, now)
    }

    fn varies(&self) -> bool {
        self.rule.varies(&self.thermostat)
    }

    fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        Some(self)
    }
}

impl<R: Rule> HostFix for Ruled<R> {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.rule.check(&self.thermostat, context.session)?;
        let temperature = thermostat::temperature(context.session, &self.thermostat.watched.temperature)?;
        self.thermostat.freedom.set(temperature.freedom(&context.system())?);
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        let every = self.rule.every();
        (!self.thermostat.by_device.get()).then_some(step + every - step.rem_euclid(every))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.rule.act(&self.thermostat, context)
    }
}

impl<R: Rule> FixOutput for Ruled<R> {
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.thermostat.energy.get()))
    }

    fn made_every(&self) -> u64 {
        self.rule.every().unsigned_abs()
    }

    fn extensive(&self) -> bool {
        true
    }

    fn coupled_energy(&self, _: &Snapshot<'_>) -> f64 {
        self.thermostat.energy.get()
    }
}

impl<R: Rule> FixMemory for Ruled<R> {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some([vec![self.thermostat.energy.get()], self.rule.saved()].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let own = numbers
            .split_first()
            .map(|(energy, others)| [&[*energy][..], self.rule.restore(others)].concat());
        let [energy] = restored(&own.unwrap_or_default())?;
        self.thermostat.energy.set(energy);
        Ok(())
    }
}

impl<R: Rule> DeviceCoupling for Ruled<R> {
    fn fits(&self, session: &Session) -> bool {
        let Thermostat { header, watched, target, .. } = &self.thermostat;
        self.rule.fits()
            && !target.is_variable()
            && thermostat::fits_device(session, header, &watched.temperature)
    }

    fn hand_over(&self, to_device: bool) {
        self.thermostat.by_device.set(to_device);
    }

    fn handed_over(&self) -> bool {
        self.thermostat.by_device.get()
    }

    fn functions(&self) -> CouplingFunctions {
        self.rule.functions()
    }

    fn numbers(&self) -> Vec<f64> {
        self.rule.numbers(&self.thermostat)
    }

    fn take(&self, numbers: &[f64], _: &FixContext<'_>) -> Result<()> {
        self.rule.take(&self.thermostat, numbers)
    }
}
