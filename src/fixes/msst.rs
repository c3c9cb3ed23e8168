//! `fix ID GROUP msst x|y|z VELOCITY KEYWORD ...`: the multi-scale shock technique. The box follows one axis as the material
//! behind a steady shock of this velocity would (cl/fix/msst.cl). E. J. Reed, L. E. Fried, J. D. Joannopoulos, Phys. Rev.
//! Lett. 90, 235503 (2003); steps in the order of LAMMPS.

mod arguments;
mod output;

use super::barostat::Barometer;
use super::hugoniot::{Ahead, Bulk};
use super::thermostat;
use crate::base::error::{Error, Result};
use crate::base::format::g;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::domain::Domain;
use crate::model::flow::{damped, growth};
use crate::session::Session;
use crate::session::compute;
use crate::session::compute::style::Compute;
use crate::session::fix::{
    BoxChange, DeviceFix, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext, Watched,
    restored,
};
use crate::session::snapshot::view::Snapshot;
pub(crate) use arguments::new;
use std::cell::{Cell, RefCell};

struct Msst {
    header: Header,
    watched: Watched,
    /// Along which axis.
    axis: usize,
    velocity: f64,
    /// What the box's inertia is made from, in mass^2 / distance^4.
    inertia: f64,
    viscosity: f64,
    /// The part of the kinetic energy that becomes that of the box at the beginning of a run.
    share: f64,
    motion: RefCell<Motion>,
    /// What friction and box do to velocities in each half of a step.
    halves: Cell<[Rates; 2]>,
    /// The middle of the box, which stays, and the factors of both halves of its step.
    dilation: Cell<[[f64; 3]; 3]>,
}

/// What changes from step to step.
#[derive(Clone, Default)]
struct Motion {
    ahead: Ahead,
    /// How fast the volume changes.
    rate: f64,
    /// Where the system is in the frame of the shock.
    position: f64,
    /// Mass of all atoms.
    mass: f64,
    barometer: Barometer,
    temperature: f64,
    freedom: f64,
    /// Goes on with what a restart file kept.
    resumed: bool,
}

/// dv/dt = F / m + (friction / m - squeeze along the axis) v.
#[derive(Clone, Copy, Default)]
struct Rates {
    friction: f64,
    squeeze: f64,
}

impl Rates {
    /// What they multiply velocities along each axis by in a time, and what the velocity gets of a push.
    fn factors(self, axis: usize, mass: f64, time: f64) -> [[f64; 3]; 2] {
        let rate = |d: usize| self.friction / mass - if d == axis { self.squeeze } else { 0.0 };
        let [kept, pushed] = [0, 1].map(|k| std::array::from_fn(|d| growth(rate(d) * time)[k]));
        [kept, pushed]
    }
}

impl Msst {
    /// Lets a function change the motion. Others that ask for energies meanwhile find it as it was, and no borrowed cell.
    fn with_motion(&self, change: impl FnOnce(&mut Motion) -> Result<()>) -> Result<()> {
        let mut motion = self.motion.borrow().clone();
        change(&mut motion)?;
        self.motion.replace(motion);
        Ok(())
    }

    /// All atoms as they were measured.
    fn bulk(&self, motion: &Motion, domain: &Domain, session: &Session) -> Bulk {
        let kinetic = 0.5 * motion.freedom * session.system.units.boltz * motion.temperature;
        Bulk {
            energy: motion.barometer.potential() + kinetic,
            pressure: motion.barometer.tensor(session.system.units, domain).1[self.axis],
            volume: domain.volume(session.system.dimension),
        }
    }

    fn pressure_id(&self) -> &str {
        self.watched.pressure.as_deref().unwrap_or_default()
    }

    /// Temperature and pressure now.
    fn measure(&self, context: &FixContext<'_>, motion: &mut Motion) -> Result<()> {
        let temperature = thermostat::temperature(context.session, &self.watched.temperature)?;
        let (now, thermal) = thermostat::measure(context, temperature)?;
        (motion.temperature, motion.freedom) = (now, thermal.freedom);
        motion.barometer.measure(context, self.pressure_id())
    }

    /// Half a step of the volume's rate by the pressure: M (p - p0 - p of the Rayleigh line) / q, less M mu / (q V) times the
    /// rate.
    fn push(&self, motion: &mut Motion, context: &FixContext<'_>) {
        let (session, half) = (context.session, 0.5 * context.session.clock.dt);
        let now = self.bulk(motion, &context.simulation.domain, session);
        let push = motion.mass * self.beyond_rayleigh(motion, now, session);
        let mut push = push / (self.inertia * session.system.units.nktv2p * session.system.units.mvv2e);
        // The volume is not to run away.
        if now.volume > motion.ahead.shocked_state(now).volume && push > 0.0 {
            push = -push;
        }
        let [kept, pushed] = growth(-motion.mass * self.viscosity / (self.inertia * now.volume) * half);
        motion.rate = kept * motion.rate + pushed * half * push;
    }

    /// How far the pressure is above the Rayleigh line, p0 + M v^2 (V0 - V) / V0^2.
    fn beyond_rayleigh(&self, motion: &Motion, now: Bulk, session: &Session) -> f64 {
        let (ahead, units) = (motion.ahead.shocked_state(now), session.system.units);
        let line = motion.mass * self.velocity.powi(2) * (ahead.volume - now.volume) / ahead.volume.powi(2);
        now.pressure - ahead.pressure - units.nktv2p * units.mvv2e * line
    }

    /// The sum of v^2 over the group, and over what the velocities would be after half a step in which friction goes by it.
    fn sum_of_squares(&self, motion: &Motion, system: &Snapshot<'_>) -> Result<f64> {
        let (session, half) = (system.session, 0.5 * system.session.clock.dt);
        let (atoms, force) = (system.atoms()?, system.forces()?);
        let volume = system.domain()?.volume(session.system.dimension);
        let members = system.indices(self.header.group, None)?;
        let square = |v: [f64; 3]| v.iter().map(|v| v * v).sum::<f64>();
        let before = members.iter().map(|&i| square(atoms.v[i])).sum();
        let rates = self.rates(motion.rate, before, volume);
        let after = |&i: &usize| {
            let mass = system.mass(atoms.kind[i]);
            let push = force[i].map(|f| half * session.system.units.ftm2v / mass * f);
            square(damped(atoms.v[i], push, rates.factors(self.axis, mass, half)))
        };
        Ok(members.iter().map(after).sum())
    }

    fn rates(&self, rate: f64, squares: f64, volume: f64) -> Rates {
        // No viscosity, also where atoms are at rest.
        let friction =
            if self.viscosity > 0.0 { self.viscosity * rate * rate / (squares * volume) } else { 0.0 };
        Rates { friction, squeeze: 2.0 * rate / volume }
    }

    /// Moves the faces by two halves of a step.
    fn change_box(&self, rate: f64, context: &mut FixContext<'_>) -> Result<()> {
        let (session, domain) = (context.session, &context.simulation.domain);
        let (mut lo, mut hi, half) = (domain.lo, domain.hi, 0.5 * session.clock.dt);
        let mut volume = domain.volume(session.system.dimension);
        let still: [f64; 3] = std::array::from_fn(|d| 0.5 * (lo[d] + hi[d]));
        let mut factors = [[1.0; 3]; 2];
        for factor in &mut factors {
            let next = volume + rate * half;
            factor[self.axis] = next / volume;
            for face in [&mut lo, &mut hi] {
                face[self.axis] = (face[self.axis] - still[self.axis]) * factor[self.axis] + still[self.axis];
            }
            volume = next;
        }
        self.dilation.set([still, factors[0], factors[1]]);
        context.simulation.set_box(lo, hi)
    }

    /// A part of the kinetic energy becomes that of the box, so that it begins to shrink.
    fn squeeze(&self, motion: &mut Motion, context: &mut FixContext<'_>) -> Result<()> {
        let units = context.session.system.units;
        let temperature = thermostat::temperature(context.session, &self.watched.temperature)?;
        let kinetic: f64 = temperature.thermal(&context.system())?.tensor[..3].iter().sum();
        if !(kinetic > 0.0 && self.share > 0.0) {
            return Ok(());
        }
        motion.rate = -(self.share * motion.mass / self.inertia * kinetic / units.mvv2e).sqrt();
        let factor = (1.0 - self.share).sqrt();
        let system = context.system();
        let mut v = system.atoms()?.v.clone();
        for i in system.indices(self.header.group, None)? {
            v[i] = v[i].map(|v| factor * v);
        }
        drop(system);
        context.simulation.set_velocities(&v)?;
        let strain = motion.rate / motion.ahead.volume.unwrap_or(f64::NAN);
        let text = format!(
            "Fix msst: strain rate {} from a part {} of the kinetic energy",
            g(strain, 8),
            g(self.share, 8)
        );
        context.lines.borrow_mut().push(text);
        self.measure(context, motion)
    }
}

impl Fix for Msst {
    fn header(&self) -> &Header {
        &self.header
    }

    fn integrates(&self) -> bool {
        true
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        let named = |what: &str| format!("{}MSST_{what}", self.header.id);
        let temperature = named("temp");
        vec![
            compute::temperature(&temperature, 1, session.system.dimension),
            compute::pressure(&named("press"), &temperature, session.system.dimension),
            compute::potential(&named("pe"), session.system.dimension),
        ]
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

    fn box_change(&self) -> Option<&dyn BoxChange> {
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

impl DeviceFix for Msst {
    fn hooks(&self) -> Option<DeviceHooks> {
        let (initial, last) = (Some("msst_initial"), Some("msst_final"));
        Some(DeviceHooks {
            initial_integrate: initial,
            final_integrate: last,
            everyone: true,
            ..DeviceHooks::of(kernel_file!("fix/msst.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let kicks = now.kicks();
        let mut numbers = vec![kicks[0]];
        numbers.extend(self.dilation.get().as_flattened());
        for rates in self.halves.get() {
            for (mass, kick) in now.mass().zip(&kicks[1..]) {
                let [kept, pushed] = rates.factors(self.axis, mass, 0.5 * now.session.clock.dt);
                numbers.extend(kept.into_iter().chain(pushed.map(|pushed| pushed * kick)));
            }
        }
        Ok(numbers)
    }
}

impl HostFix for Msst {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        context.simulation.allow_box_changes()
    }

    /// As in LAMMPS, each run begins at the shock, and with a squeeze.
    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.with_motion(|motion| {
            self.measure(context, motion)?;
            let system = context.system();
            motion.mass = system.atoms()?.kind.iter().map(|&kind| system.mass(kind)).sum();
            drop(system);
            if !std::mem::take(&mut motion.resumed) {
                motion.position = 0.0;
            }
            let now = self.bulk(motion, &context.simulation.domain, context.session);
            let known = motion.ahead;
            motion.ahead.complete(now);
            for (name, known, number) in [
                ("v0", known.volume, now.volume),
                ("p0", known.pressure, now.pressure),
                ("e0", known.energy, now.energy),
            ] {
                if known.is_none() {
                    context.lines.borrow_mut().push(format!("Fix msst: {name} = {}", g(number, 8)));
                }
            }
            self.squeeze(motion, context)
        })
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn needs_tally(&self) -> bool {
        true
    }

    fn before_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.with_motion(|motion| {
            motion.barometer.measure_motion(context, self.pressure_id())?;
            self.push(motion, context);
            let squares = self.sum_of_squares(motion, &context.system())?;
            let dimension = context.session.system.dimension;
            let volume = context.simulation.domain.volume(dimension);
            let first = self.rates(motion.rate, squares, volume);
            self.change_box(motion.rate, context)?;
            let volume = context.simulation.domain.volume(dimension);
            self.halves.set([first, self.rates(motion.rate, squares, volume)]);
            Ok(())
        })
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.with_motion(|motion| {
            self.measure(context, motion)?;
            self.push(motion, context);
            let now = self.bulk(motion, &context.simulation.domain, context.session);
            let passed = self.velocity * now.volume / motion.ahead.shocked_state(now).volume;
            motion.position -= passed * context.session.clock.dt;
            match motion.rate.is_finite() {
                true => Ok(()),
                false => Err(Error::new("the box changes infinitely fast: the simulation is unstable")
                    .help("take a shorter timestep or a larger q")),
            }
        })
    }

    fn remeasure(&self, context: &FixContext<'_>) -> Result<bool> {
        self.with_motion(|motion| self.measure(context, motion))?;
        Ok(true)
    }
}

impl BoxChange for Msst {
    fn changes_box(&self) -> bool {
        true
    }
}

impl FixMemory for Msst {
    /// The rate of the volume, the state ahead of the shock, the position.
    fn restart_state(&self) -> Option<Vec<f64>> {
        let motion = self.motion.borrow();
        Some([&[motion.rate][..], &motion.ahead.numbers(), &[motion.position]].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [rate, energy, pressure, volume, position] = restored(numbers)?;
        let ahead = Ahead::of_numbers([energy, pressure, volume]);
        *self.motion.get_mut() = Motion { ahead, rate, position, resumed: true, ..Motion::default() };
        self.share = 0.0;
        Ok(())
    }
}
