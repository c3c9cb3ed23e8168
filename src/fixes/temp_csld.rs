//! `fix ID GROUP temp/csld TSTART TSTOP TDAMP SEED`: at the end of each step velocities become c1 v + c2 w, with c1 = exp(-dt / TDAMP) and
//! normal numbers w of variance 1 / mass, of which c2 makes the temperature (1 - c1^2) times the target. G. Bussi and M. Parrinello,
//! Phys. Rev. E 75, 056707 (2007); LAMMPS manual, `fix temp/csvr`.
//!
//! Random numbers depend on seed, atom ID and step alone. By the device (cl/fix/csld.cl), or where other fixes need sums in each step, too,
//! by the host.

use super::thermostat::{self, Target};
use super::velocity_thermostat::{self, Rule, Thermostat};
use crate::base::error::{Error, Result};
use crate::base::random::normal_of_atom;
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::seed;
use crate::session::Session;
use crate::session::fix::{Fix, FixContext, Header, StepContext};
use std::cell::Cell;

/// What the random numbers are for, as part of Philox's key.
const PURPOSE: u32 = 16;

struct Csld {
    period: f64,
    seed: u32,
    /// c1 and c2 of this step.
    factors: Cell<[f64; 2]>,
    /// The step of the factors.
    step: Cell<i64>,
}

/// Takes the target, the relaxation time and the seed.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let target = Target::read(session, args)?;
    let period = args.positive("the relaxation time")?;
    let seed = seed::mars(args)?;
    let rule = Csld { period, seed, factors: Cell::new([1.0, 0.0]), step: Cell::new(0) };
    Ok(velocity_thermostat::fix(header, target, rule))
}

/// 1 where a component of velocities is thermal, else 0.
fn thermal(of: &Thermostat, session: &Session) -> Result<[f64; 3]> {
    let temperature = thermostat::temperature(session, &of.watched.temperature)?;
    let components = temperature.components().ok_or_else(|| {
        Error::new("fix temp/csld knows temperatures of all velocities or of some of their components")
            .help("use compute temp or temp/partial")
    })?;
    Ok(components.map(f64::from))
}

impl Csld {
    fn kept(&self, session: &Session) -> f64 {
        (-session.clock.dt() / self.period).exp()
    }
}

impl Rule for Csld {
    fn check(&self, of: &Thermostat, session: &Session) -> Result<()> {
        thermal(of, session).map(drop)
    }

    fn hooks(&self, by_device: bool) -> DeviceHooks {
        let end = if by_device { "csld_remembered" } else { "csld_velocity" };
        DeviceHooks { end_with_host: Some(end), ..DeviceHooks::of(kernel_file!("fix/csld.cl")) }
    }

    fn parameters(&self, of: &Thermostat, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let units = now.session.system.units;
        let (thermal, kept) = (thermal(of, now.session)?, self.kept(now.session));
        let target = if of.by_device.get() { of.target.at(now)? } else { 0.0 };
        let moment = [of.freedom.get(), units.boltz, target, kept, now.step as f64];
        let key = [self.seed & 0xffff, self.seed >> 16, PURPOSE].map(f64::from);
        let mass = now.mass().map(|mass| mass * units.mvv2e);
        let numbers = thermal.into_iter().chain(moment).chain(key).chain(self.factors.get());
        Ok(numbers.chain(mass).collect())
    }

    fn varies(&self, _: &Thermostat) -> bool {
        true
    }

    fn act(&self, of: &Thermostat, context: &mut FixContext<'_>) -> Result<()> {
        let session = &context.session;
        let (thermal, kept, units) = (thermal(of, session)?, self.kept(session), session.system.units);
        let temperature = thermostat::temperature(session, &of.watched.temperature)?;
        let system = context.system();
        let (freedom, step) = (temperature.freedom(&system)?, session.clock.step);
        let (atoms, masses) = (system.atoms()?, system.masses());
        let mut sums = [0.0; 3];
        for i in system.indices(of.header.group, None)? {
            let noise = normal_of_atom(atoms.tag[i], step, [self.seed, PURPOSE]);
            let mass = masses.of(atoms.kind[i]) * units.mvv2e;
            for d in (0..3).filter(|&d| thermal[d] != 0.0) {
                let (v, w) = (atoms.v[i][d], noise[d] / mass.sqrt());
                sums[0] += mass * v * v;
                sums[1] += mass * v * w;
                sums[2] += mass * w * w;
            }
        }
        let target = of.target.at(&context.moment())?;
        let able = freedom >= 1.0 && sums[2] > 0.0;
        let wanted = (1.0 - kept * kept) * target * freedom * units.boltz;
        let [c1, c2] = if able { [kept, (wanted / sums[2]).sqrt()] } else { [1.0, 0.0] };
        let after = c1 * c1 * sums[0] + 2.0 * c1 * c2 * sums[1] + c2 * c2 * sums[2];
        of.energy.set(of.energy.get() + 0.5 * (sums[0] - after));
        self.factors.set([c1, c2]);
        self.step.set(step);
        Ok(())
    }

    fn functions(&self) -> CouplingFunctions {
        CouplingFunctions {
            sums: 3,
            measure: "csld_measure",
            after: "csld_after",
            before: None,
            moves_box: false,
            slot: None,
        }
    }

    /// The factors, the energy taken, and the step.
    fn numbers(&self, of: &Thermostat) -> Vec<f64> {
        let [c1, c2] = self.factors.get();
        vec![c1, c2, of.energy.get(), self.step.get() as f64]
    }

    fn take(&self, of: &Thermostat, numbers: &[f64]) -> Result<()> {
        self.factors.set([numbers[0], numbers[1]]);
        of.energy.set(numbers[2]);
        self.step.set(numbers[3] as i64);
        Ok(())
    }
}
