//! `fix ID GROUP temp/csld TSTART TSTOP TDAMP SEED`: at the end of each step velocities become c1 v + c2 w, with c1 = exp(-dt / TDAMP) and
//! normal numbers w of variance 1 / mass, of which c2 makes the temperature (1 - c1^2) times the target. G. Bussi and M. Parrinello,
//! Phys. Rev. E 75, 056707 (2007); LAMMPS manual, `fix temp/csvr`.
//!
//! Random numbers depend on seed, atom ID and step alone. By the device (cl/fix/csld.cl), or where other fixes need sums in each step, too,
//! by the host.

use super::thermostat::{self, Target};
use crate::base::error::{Error, Result};
use crate::base::random::normal_of_atom;
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::seed;
use crate::session::Session;
use crate::session::compute::Values;
use crate::session::compute::style::Compute;
use crate::session::fix::coupling::DeviceCoupling;
use crate::session::fix::{
    DeviceFix, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext, Watched, restored,
};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

/// What the random numbers are for, as part of Philox's key.
const PURPOSE: u32 = 16;

struct Csld {
    header: Header,
    watched: Watched,
    target: Target,
    period: f64,
    seed: u32,
    /// c1 and c2 of this step.
    factors: Cell<[f64; 2]>,
    /// Taken from the atoms so far.
    energy: Cell<f64>,
    by_device: Cell<bool>,
    /// Degrees of freedom when the run began.
    freedom: Cell<f64>,
    /// The step of the factors.
    step: Cell<i64>,
}

/// Takes the target, the relaxation time and the seed.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let target = Target::read(session, args)?;
    let period = args.positive("the relaxation time")?;
    let seed = seed::mars(args)?;
    Ok(Box::new(Csld {
        watched: thermostat::watched(&header),
        header,
        target,
        period,
        seed,
        factors: Cell::new([1.0, 0.0]),
        energy: Cell::new(0.0),
        by_device: Cell::new(false),
        freedom: Cell::new(0.0),
        step: Cell::new(0),
    }))
}

impl Csld {
    /// 1 where a component of velocities is thermal, else 0.
    fn thermal(&self, session: &Session) -> Result<[f64; 3]> {
        let temperature = thermostat::temperature(session, &self.watched.temperature)?;
        let components = temperature.components().ok_or_else(|| {
            Error::new("fix temp/csld knows temperatures of all velocities or of some of their components")
                .help("use compute temp or temp/partial")
        })?;
        Ok(components.map(f64::from))
    }

    fn kept(&self, session: &Session) -> f64 {
        (-session.clock.dt / self.period).exp()
    }
}

impl Fix for Csld {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        !self.target.is_variable()
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        vec![thermostat::thermometer(&self.header, self.header.group, session)]
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
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

impl DeviceFix for Csld {
    fn hooks(&self) -> Option<DeviceHooks> {
        let end = if self.by_device.get() { "csld_remembered" } else { "csld_velocity" };
        Some(DeviceHooks { end_with_host: Some(end), ..DeviceHooks::of(kernel_file!("fix/csld.cl")) })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let units = now.session.system.units;
        let (thermal, kept) = (self.thermal(now.session)?, self.kept(now.session));
        let target = if self.by_device.get() { self.target.at(now)? } else { 0.0 };
        let moment = [self.freedom.get(), units.boltz, target, kept, now.step as f64];
        let key = [self.seed & 0xffff, self.seed >> 16, PURPOSE].map(f64::from);
        let mass = now.mass().map(|mass| mass * units.mvv2e);
        let numbers = thermal.into_iter().chain(moment).chain(key).chain(self.factors.get());
        Ok(numbers.chain(mass).collect())
    }

    fn varies(&self) -> bool {
        true
    }

    fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        Some(self)
    }
}

impl HostFix for Csld {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.thermal(context.session)?;
        let temperature = thermostat::temperature(context.session, &self.watched.temperature)?;
        self.freedom.set(temperature.freedom(&context.system())?);
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        (!self.by_device.get()).then_some(step + 1)
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let session = &context.session;
        let (thermal, kept, units) = (self.thermal(session)?, self.kept(session), session.system.units);
        let temperature = thermostat::temperature(session, &self.watched.temperature)?;
        let system = context.system();
        let (freedom, step) = (temperature.freedom(&system)?, session.clock.step);
        let (atoms, masses) = (system.atoms()?, system.masses());
        let mut sums = [0.0; 3];
        for i in system.indices(self.header.group, None)? {
            let noise = normal_of_atom(atoms.tag[i], step, [self.seed, PURPOSE]);
            let mass = masses.of(atoms.kind[i]) * units.mvv2e;
            for d in (0..3).filter(|&d| thermal[d] != 0.0) {
                let (v, w) = (atoms.v[i][d], noise[d] / mass.sqrt());
                sums[0] += mass * v * v;
                sums[1] += mass * v * w;
                sums[2] += mass * w * w;
            }
        }
        let target = self.target.at(&context.moment())?;
        let able = freedom >= 1.0 && sums[2] > 0.0;
        let wanted = (1.0 - kept * kept) * target * freedom * units.boltz;
        let [c1, c2] = if able { [kept, (wanted / sums[2]).sqrt()] } else { [1.0, 0.0] };
        let after = c1 * c1 * sums[0] + 2.0 * c1 * c2 * sums[1] + c2 * c2 * sums[2];
        self.energy.set(self.energy.get() + 0.5 * (sums[0] - after));
        self.factors.set([c1, c2]);
        self.step.set(step);
        Ok(())
    }
}

impl FixOutput for Csld {
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.energy.get()))
    }

    fn extensive(&self) -> bool {
        true
    }

    fn coupled_energy(&self, _: &Snapshot<'_>) -> f64 {
        self.energy.get()
    }
}

impl FixMemory for Csld {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(vec![self.energy.get()])
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [energy] = restored(numbers)?;
        self.energy.set(energy);
        Ok(())
    }
}

impl DeviceCoupling for Csld {
    fn fits(&self, session: &Session) -> bool {
        !self.target.is_variable()
            && thermostat::fits_device(session, &self.header, &self.watched.temperature)
    }

    fn hand_over(&self, to_device: bool) {
        self.by_device.set(to_device);
    }

    fn handed_over(&self) -> bool {
        self.by_device.get()
    }

    fn functions(&self) -> CouplingFunctions {
        CouplingFunctions {
            sums: 3,
            measure: "csld_measure",
            after: "csld_after",
            before: None,
            moves_box: false,
        }
    }

    /// The factors, the energy taken, and the step.
    fn numbers(&self) -> Vec<f64> {
        let [c1, c2] = self.factors.get();
        vec![c1, c2, self.energy.get(), self.step.get() as f64]
    }

    fn take(&self, numbers: &[f64], _: &FixContext<'_>) -> Result<()> {
        self.factors.set([numbers[0], numbers[1]]);
        self.energy.set(numbers[2]);
        self.step.set(numbers[3] as i64);
        Ok(())
    }
}
