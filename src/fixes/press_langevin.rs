//! `fix ID GROUP press/langevin KEYWORD ...`: edges of the box move as pistons of a mass, pushed by the pressure, slowed by friction and kicked by
//! noise. N. Gronbech-Jensen and O. Farago, J. Chem. Phys. 141, 194108 (2014); LAMMPS manual, `fix press/langevin`.
//!
//! Of an edge L with velocity u, mass Q = (N + 1) k T Pdamp^2, friction g, a = (1 - g dt/2) / (1 + g dt/2), b = 1 / (1 + g dt/2):
//!   L' = L + b dt u + b dt^2 / (2 Q) f + b dt / (2 Q) w,   u' = a u + dt / (2 Q) (a f + f') + b / Q w
//! with f = N k T / V + virial pressure - target, and w normal with variance 2 g k T dt. T is the target temperature, in Q that at the start.

use super::barostat::{Axes, Barometer, grown};
use crate::base::error::{Error, Result};
use crate::base::random::Ranmar;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::{Args, seed};
use crate::session::Session;
use crate::session::compute;
use crate::session::compute::style::Compute;
use crate::session::fix::{
    BoxChange, DeviceFix, Fix, FixContext, FixMemory, Header, HostFix, StepContext, Watched, restored,
};
use std::cell::{Cell, RefCell};

struct PressLangevin {
    header: Header,
    watched: Watched,
    axes: Axes,
    /// How many atoms there were when it was defined, from which the masses of the edges follow.
    atoms: usize,
    /// Rate at which an edge loses velocity; none: as many as its damping time is.
    friction: Option<f64>,
    /// Target temperature at the start and at the end of the span.
    temperature: [f64; 2],
    /// Whether all atoms follow the box, or only the group.
    all: bool,
    /// Axes that share a random number, in the order in which these are drawn.
    draws: Vec<Vec<usize>>,
    random: RefCell<Ranmar>,
    barometer: RefCell<Barometer>,
    pistons: Cell<Pistons>,
    /// It comes from a restart file, and has not run since.
    resumed: Cell<bool>,
    /// Factor of positions, and the middle of the box, which stays.
    dilation: Cell<[[f64; 3]; 2]>,
}

/// The edges in motion.
#[derive(Clone, Copy, Default)]
struct Pistons {
    velocity: [f64; 3],
    /// In pressure units.
    force: [f64; 3],
    noise: [f64; 3],
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut axes = Axes::new(session.system.dimension);
    let (mut friction, mut noise, mut all) = (None, None, true);
    while let Some(word) = args.peek() {
        args.word("a keyword")?;
        if axes.keyword(word, args)? {
            continue;
        }
        match &*word.text {
            "friction" => friction = Some(args.positive("the friction (1 / time)")?),
            "temp" => {
                let start = args.positive("the temperature at the start")?;
                let word = args.peek();
                let stop = args.f64("the temperature at the end")?;
                if let (Some(word), true) = (word, stop < 0.0) {
                    return Err(args.error(word, "a temperature must not be negative"));
                }
                noise = Some(([start, stop], seed::mars(args)?));
            }
            "dilate" => {
                all = args.one_of("atoms that follow the box", &[("all", true), ("partial", false)])?;
            }
            "flip" => drop(args.yes_no()?), // boxes that lean do not follow
            _ => {
                let names = ["iso", "aniso", "x", "y", "z", "couple", "friction", "temp", "dilate", "flip"];
                return Err(args.unknown(word, "keyword of fix press/langevin", names.into_iter()));
            }
        }
    }
    if !axes.any() {
        return Err(args.error_here("fix press/langevin needs a pressure: iso, aniso, x, y or z"));
    }
    let Some((temperature, seed)) = noise else {
        return Err(args.error_here("fix press/langevin needs `temp TSTART TSTOP SEED`"));
    };
    axes.check(session, args)?;
    Ok(Box::new(PressLangevin {
        watched: Watched { temperature: String::new(), pressure: Some(format!("{}_press", header.id)) },
        header,
        draws: draws(&axes),
        axes,
        atoms: session.atom_count(),
        friction,
        temperature,
        all,
        random: RefCell::new(Ranmar::new(seed)),
        barometer: RefCell::default(),
        pistons: Cell::default(),
        resumed: Cell::new(false),
        dilation: Cell::new([[1.0; 3], [0.0; 3]]),
    }))
}

/// Coupled axes first, then each other one.
fn draws(axes: &Axes) -> Vec<Vec<usize>> {
    if axes.isotropic() {
        return vec![vec![0, 1, 2]];
    }
    let coupled = axes.coupled();
    let alone = (0..3).filter(|d| !coupled.contains(d)).map(|d| vec![d]);
    let together = (!coupled.is_empty()).then(|| coupled.to_vec());
    together.into_iter().chain(alone).collect()
}

impl PressLangevin {
    /// Mass, and the factors a and b, of an edge that moves.
    fn piston(&self, d: usize, session: &Session) -> Option<[f64; 3]> {
        let axis = self.axes.controlled[d]?;
        let slowed = self.friction(axis.period) * session.clock.dt / 2.0;
        let mass = (self.atoms as f64 + 1.0) * self.kt(session, self.temperature[0]);
        Some([mass * axis.period * axis.period, (1.0 - slowed) / (1.0 + slowed), 1.0 / (1.0 + slowed)])
    }

    fn friction(&self, period: f64) -> f64 {
        self.friction.unwrap_or(period)
    }

    fn kt(&self, session: &Session, temperature: f64) -> f64 {
        session.system.units.boltz * temperature
    }

    fn target(&self, now: &StepContext<'_>) -> f64 {
        let [start, stop] = self.temperature;
        start + now.fraction() * (stop - start)
    }

    /// Random forces of a step. Those of tilts are drawn, too, as in LAMMPS.
    fn noise(&self, now: &StepContext<'_>) -> [f64; 3] {
        let mut random = self.random.borrow_mut();
        let mut noise = [0.0; 3];
        for axes in &self.draws {
            let number = random.gaussian();
            for &d in axes {
                let Some(axis) = self.axes.controlled[d] else { continue };
                let variance = 2.0 * self.friction(axis.period) * self.kt(now.session, self.target(now));
                noise[d] = number * (variance * now.session.clock.dt).sqrt();
            }
        }
        for _tilt in 0..3 {
            random.gaussian();
        }
        noise
    }
}

impl Fix for PressLangevin {
    fn header(&self) -> &Header {
        &self.header
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        let id = format!("{}_press", self.header.id);
        vec![compute::virial_pressure(&id, session.system.dimension)]
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

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl DeviceFix for PressLangevin {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_integrate: Some("follow_box"),
            everyone: self.all,
            ..DeviceHooks::of(kernel_file!("fix/follow_box.cl"))
        })
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        let [factor, middle] = self.dilation.get();
        Ok([factor, middle, middle].concat())
    }
}

impl HostFix for PressLangevin {
    /// As in LAMMPS, edges are at rest when a run begins; what pushes them is that of the run before. A run that goes on from a restart
    /// file is the rest of another one.
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        if !self.resumed.take() {
            self.pistons.set(Pistons { velocity: [0.0; 3], ..self.pistons.get() });
        }
        context.simulation.allow_box_changes()
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn needs_tally(&self) -> bool {
        true
    }

    fn before_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let session = context.session;
        let noise = self.noise(&StepContext::ahead(session, session.clock.step + 1, context.span));
        let pistons = Pistons { noise, ..self.pistons.get() };
        self.pistons.set(pistons);
        let domain = &context.simulation.domain;
        let (mut factors, dt) = ([None; 3], session.clock.dt);
        for d in 0..3 {
            let Some([mass, _, b]) = self.piston(d, session) else { continue };
            let pushed = 0.5 * dt * (dt * pistons.force[d] + noise[d]) / mass;
            let length = domain.hi[d] - domain.lo[d];
            let factor = (length + b * (dt * pistons.velocity[d] + pushed)) / length;
            if !(factor > 0.0 && factor.is_finite()) {
                return Err(Error::new("an edge of the box loses all its length in a step")
                    .help("take a longer damping time, more friction or a shorter timestep"));
            }
            factors[d] = Some(factor);
        }
        let ([lo, hi], dilation) = grown(domain, factors);
        self.dilation.set(dilation);
        context.simulation.set_box(lo, hi)
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let mut barometer = self.barometer.borrow_mut();
        barometer.measure(context, self.watched.pressure.as_deref().unwrap_or_default())?;
        let found = self.axes.pressures(&barometer, context)?;
        let (session, moment) = (context.session, context.moment());
        let targets = self.axes.targets(moment.fraction());
        let volume = context.simulation.domain.volume(session.system.dimension);
        let kt = self.kt(session, self.target(&moment)) * session.system.units.nktv2p;
        let ideal = session.atom_count() as f64 * kt / volume;
        let Pistons { mut velocity, mut force, noise } = self.pistons.get();
        for d in 0..3 {
            let Some([mass, a, b]) = self.piston(d, session) else { continue };
            let now = ideal + found[d] - targets[d];
            let pushed = 0.5 * session.clock.dt * (a * force[d] + now) / mass;
            velocity[d] = a * velocity[d] + pushed + b * noise[d] / mass;
            force[d] = now;
        }
        self.pistons.set(Pistons { velocity, force, noise });
        Ok(())
    }

    /// The first forces of a step are those of the end of the one before.
    fn ends_frames(&self) -> bool {
        false
    }
}

impl BoxChange for PressLangevin {
    fn changes_box(&self) -> bool {
        true
    }
}

impl FixMemory for PressLangevin {
    fn restart_state(&self) -> Option<Vec<f64>> {
        let Pistons { velocity, force, .. } = self.pistons.get();
        Some(velocity.into_iter().chain(force).chain(self.random.borrow().numbers()).collect())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let numbers = restored::<{ 6 + Ranmar::NUMBERS }>(numbers)?;
        let three = |first: usize| std::array::from_fn(|d| numbers[first + d]);
        self.pistons.set(Pistons { velocity: three(0), force: three(3), ..Pistons::default() });
        self.random = RefCell::new(Ranmar::of_state(&std::array::from_fn(|k| numbers[6 + k])));
        self.resumed.set(true);
        Ok(())
    }
}
