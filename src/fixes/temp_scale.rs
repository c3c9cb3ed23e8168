//! `fix temp/berendsen`, `fix temp/rescale` and `fix temp/csvr`: velocities are scaled so that the temperature comes nearer to its target.
//!
//! - `fix ID GROUP temp/berendsen TSTART TSTOP TDAMP`: at each step. Berendsen, Postma, van Gunsteren, DiNola, Haak,
//!   J. Chem. Phys. 81, 3684 (1984).
//! - `fix ID GROUP temp/rescale N TSTART TSTOP WINDOW FRACTION`: every N steps, where it is further off than a window.
//!   Source: LAMMPS manual.
//!
//! - `fix ID GROUP temp/csvr TSTART TSTOP TDAMP SEED`: at each step, by random factors that make it canonical. G. Bussi, D. Donadio
//!   and M. Parrinello, J. Chem. Phys. 126, 014101 (2007). Random numbers are LAMMPS's.
//!
//! By the device (cl/fix/scale.cl), where the thermal motion of the group decides alone and steps with nothing to do are
//! few; else by the host.

use super::thermostat::{self, Target};
use super::velocity_thermostat::{self, Rule, Thermostat};
use crate::base::error::Result;
use crate::base::random::Ranmar;
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::seed;
use crate::session::Session;
use crate::session::fix::{Fix, FixContext, Header, StepContext};
use std::cell::{Cell, RefCell};

/// A wait for the host costs as much as the device's part of so many steps, about.
const OFTEN: i64 = 8;

/// How far a scaling goes.
enum Scaling {
    /// By the relaxation time.
    Relax(f64),
    /// Beyond a window by a fraction of the difference.
    Window { window: f64, fraction: f64 },
    /// By the relaxation time and at random.
    Canonical(f64, Box<RefCell<Ranmar>>),
}

impl Scaling {
    /// The temperature after a scaling, from what it is and is to be, with so many degrees of freedom; `None`: it stays. `dt` is the time
    /// step.
    fn scaled(&self, now: f64, target: f64, freedom: f64, dt: f64) -> Option<f64> {
        match self {
            Scaling::Canonical(period, random) => {
                let kept = (-dt / period).exp();
                let new = (1.0 - kept) * target / now / freedom;
                let random = &mut random.borrow_mut();
                let one = random.gaussian();
                let others = sum_of_squares(random, freedom as u64 - 1);
                Some(now * (kept + new * (one * one + others) + 2.0 * one * (kept * new).sqrt()))
            }
            Scaling::Relax(period) => Some(now * (1.0 + dt / period * (target / now - 1.0))),
            &Scaling::Window { window, fraction } => {
                ((now - target).abs() > window).then_some(now - fraction * (now - target))
            }
        }
    }
}

struct Scale {
    every: i64,
    scaling: Scaling,
    /// What the device multiplies velocities by at the end of the step.
    factor: Cell<[f64; 3]>,
}

/// `temp/berendsen`.
pub(crate) fn berendsen(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let target = Target::read(session, args)?;
    let scaling = Scaling::Relax(args.positive("the relaxation time")?);
    Ok(new(header, 1, target, scaling))
}

/// `temp/rescale`.
pub(crate) fn rescale(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("the number of steps between scalings", 1)? as i64;
    let target = Target::read(session, args)?;
    let word = args.peek();
    let window = args.f64("the window")?;
    if let Some(word) = word.filter(|_| window < 0.0) {
        return Err(args.error(word, "the window must not be negative"));
    }
    let fraction = args.positive("the fraction of the difference to be made up for")?;
    Ok(new(header, every, target, Scaling::Window { window, fraction }))
}

/// `temp/csvr`.
pub(crate) fn canonical(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let target = Target::read(session, args)?;
    let period = args.positive("the relaxation time")?;
    let random = Ranmar::new(seed::mars(args)?);
    Ok(new(header, 1, target, Scaling::Canonical(period, Box::new(RefCell::new(random)))))
}

/// The sum of the squares of so many normal numbers.
fn sum_of_squares(random: &mut Ranmar, count: u64) -> f64 {
    match count {
        0 => 0.0,
        1 => random.gaussian().powi(2),
        _ if count.is_multiple_of(2) => 2.0 * gamma(random, count / 2),
        _ => {
            let one = random.gaussian();
            2.0 * gamma(random, (count - 1) / 2) + one * one
        }
    }
}

/// A number of the gamma distribution of an order: by products of uniform numbers, or where these are many by rejection (Press et al.,
/// Numerical Recipes, section 7.3).
fn gamma(random: &mut Ranmar, order: u64) -> f64 {
    if order < 6 {
        return -(0..order).map(|_| random.uniform()).product::<f64>().ln();
    }
    let mean = order as f64 - 1.0;
    let width = (2.0 * mean + 1.0).sqrt();
    loop {
        let (v1, v2) = loop {
            let (v1, v2) = (random.uniform(), 2.0 * random.uniform() - 1.0);
            if v1 * v1 + v2 * v2 <= 1.0 {
                break (v1, v2);
            }
        };
        let y = v2 / v1;
        let x = width * y + mean;
        if x <= 0.0 {
            continue;
        }
        let exponent = mean * (x / mean).ln() - width * y;
        if exponent < -700.0 || v1 < 1e-5 {
            continue;
        }
        if random.uniform() <= (1.0 + y * y) * exponent.exp() {
            return x;
        }
    }
}

fn new(header: Header, every: i64, target: Target, scaling: Scaling) -> Box<dyn Fix> {
    velocity_thermostat::fix(header, target, Scale { every, scaling, factor: Cell::new([1.0; 3]) })
}

impl Scale {
    /// The numbers of cl/fix/scale.cl at a step.
    fn device_parameters(&self, of: &Thermostat, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let units = now.session.system.units;
        let thermal = thermostat::temperature(now.session, &of.watched.temperature)?.components();
        let thermal = thermal.unwrap_or([true; 3]).map(f64::from);
        let due = f64::from(now.step % self.every == 0);
        let scaling = match self.scaling {
            Scaling::Canonical(..) => [0.0; 3],
            Scaling::Relax(period) => [now.session.clock.dt() / period, 0.0, 0.0],
            Scaling::Window { window, fraction } => [0.0, window, fraction],
        };
        let moment = [of.freedom.get(), units.boltz, of.target.at(now)?, due];
        // The masses count from type 1, behind the last number.
        let mass = now.mass().map(|mass| mass * units.mvv2e);
        Ok(thermal.into_iter().chain(moment).chain(scaling).chain(mass).collect())
    }
}

impl Rule for Scale {
    fn every(&self) -> i64 {
        self.every
    }

    fn hooks(&self, by_device: bool) -> DeviceHooks {
        let end = if by_device { "scale_remembered" } else { "scale_velocity" };
        DeviceHooks { end_with_host: Some(end), ..DeviceHooks::of(kernel_file!("fix/scale.cl")) }
    }

    fn parameters(&self, of: &Thermostat, now: &StepContext<'_>) -> Result<Vec<f64>> {
        match of.by_device.get() {
            true => self.device_parameters(of, now),
            false => Ok(self.factor.get().to_vec()),
        }
    }

    fn varies(&self, of: &Thermostat) -> bool {
        of.by_device.get() && (of.target.varies() || self.every > 1)
    }

    fn act(&self, of: &Thermostat, context: &mut FixContext<'_>) -> Result<()> {
        self.factor.set([1.0; 3]);
        let temperature = thermostat::temperature(context.session, &of.watched.temperature)?;
        let Some((now, freedom)) = thermostat::to_scale(context, temperature)? else { return Ok(()) };
        let target = of.target.at(&context.moment())?;
        if let Some(after) = self.scaling.scaled(now, target, freedom, context.session.clock.dt()) {
            let taken = 0.5 * context.session.system.units.boltz * freedom * (now - after);
            of.energy.set(of.energy.get() + taken);
            let factor = [(after / now).sqrt(); 3];
            self.factor.set(thermostat::scale(context, temperature, of.header.group, factor, false)?);
        }
        Ok(())
    }

    fn fits(&self) -> bool {
        self.every <= OFTEN && !matches!(self.scaling, Scaling::Canonical(..))
    }

    fn functions(&self) -> CouplingFunctions {
        CouplingFunctions {
            sums: 1,
            measure: "scale_measure",
            after: "scale_after",
            before: None,
            moves_box: false,
            slot: None,
        }
    }

    /// The factors, the energy taken, and whether atoms were at rest.
    fn numbers(&self, of: &Thermostat) -> Vec<f64> {
        [&self.factor.get()[..], &[of.energy.get(), 0.0]].concat()
    }

    fn take(&self, of: &Thermostat, numbers: &[f64]) -> Result<()> {
        self.factor.set(std::array::from_fn(|d| numbers[d]));
        of.energy.set(numbers[3]);
        match numbers[4] {
            0.0 => Ok(()),
            _ => Err(thermostat::at_rest()),
        }
    }

    fn saved(&self) -> Vec<f64> {
        match &self.scaling {
            Scaling::Canonical(_, random) => random.borrow().numbers().to_vec(),
            _ => Vec::new(),
        }
    }

    fn restore<'a>(&self, numbers: &'a [f64]) -> &'a [f64] {
        match (&self.scaling, <&[f64; Ranmar::NUMBERS]>::try_from(numbers)) {
            (Scaling::Canonical(_, random), Ok(state)) => {
                random.replace(Ranmar::of_state(state));
                &[]
            }
            _ => numbers,
        }
    }
}
