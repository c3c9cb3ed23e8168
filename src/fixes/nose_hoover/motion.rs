//! What the chains and the box of `fix nvt`, `nph`, `npt` and `nphug` do from step to step.

mod kept;
mod values;

use super::arguments::Settings;
use super::hugoniot::Hugoniot;
use super::lean::Lean;
use crate::base::error::{Error, Result};
use crate::fixes::barostat::Barometer;
use crate::fixes::chain::{Chain, HalfStep};
use crate::model::domain::Domain;
use crate::session::Session;
use crate::session::fix::FixContext;

/// The state of thermostat and barostat. Energies are in energy units, omega is the logarithm of the box's edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    pub chain: Chain,
    pub box_chain: Chain,
    pub omega: [f64; 3],
    pub omega_dot: [f64; 3],
    pub omega_mass: [f64; 3],
    /// What is there besides in a triclinic box.
    pub lean: Lean,
    /// Volume and edges that deviations are measured from.
    pub reference: Option<(f64, [f64; 3])>,
    mass_temperature: Option<f64>,
    /// It comes from a restart file, and has not run since.
    restored: bool,
    /// What the target temperature follows from, with `fix nphug`.
    pub hugoniot: Option<Hugoniot>,
    /// The temperature, its degrees of freedom and its m v v, as the thermostat knows them.
    pub temperature: f64,
    pub freedom: f64,
    pub tensor: [f64; 6],
    pub target: f64,
    /// Twice the kinetic energy at the target, for the degrees of freedom that there were when it was set: as in LAMMPS it
    /// holds for both halves of a step, also where they change in between.
    kinetic_target: f64,
    pub barometer: Barometer,
    /// The virial of pairs and bonds along the axes.
    pub virial: [f64; 3],
    /// Number of atoms, and the pressure of the tail as [`RunProgress`](crate::engine::simulation::Course) has it, when the run began.
    pub atoms: usize,
    pub tail: f64,
    pressures: [f64; 3],
    pressure: f64,
    /// Force on each axis by targets that differ, per area of edges squared.
    sigma: [f64; 3],
    /// The correction of velocities.
    pub correction: f64,
    /// Factors of the velocities on the device: before the first kick, after the second, at the end.
    pub initial: [f64; 3],
    pub last: [f64; 3],
    pub end: [f64; 3],
    /// The factor of positions, twice in a step.
    pub dilation: [f64; 3],
}

impl Motion {
    pub(super) fn new(settings: &Settings) -> Self {
        let [links, box_links] = settings.links;
        let ones = [1.0; 3];
        Motion {
            chain: Chain::new(if settings.thermostat.is_some() { links } else { 0 }),
            box_chain: Chain::new(if settings.axes.any() { box_links } else { 0 }),
            initial: ones,
            last: ones,
            end: ones,
            dilation: ones,
            ..Motion::default()
        }
    }

    /// Targets and masses at the beginning of a run, when the temperature has been measured.
    ///
    /// # Errors
    /// When masses cannot be made from a temperature of 0.
    pub(super) fn begin(
        &mut self,
        settings: &Settings,
        context: &FixContext<'_>,
        fraction: f64,
    ) -> Result<()> {
        let boltz = context.session.system.units.boltz;
        (self.atoms, self.tail) = (context.simulation.atoms.n, context.simulation.course.tail.1);
        if settings.axes.any() && (settings.thermostat.is_none() || self.hugoniot.is_some()) {
            let known = self.mass_temperature.or(settings.mass_temperature).unwrap_or(self.temperature);
            if known < 1e-6 {
                return Err(Error::new("the masses of the barostat cannot be made from a temperature of 0")
                    .help("give one with the keyword ptemp"));
            }
            self.mass_temperature = Some(known);
            self.target = known;
        }
        self.begin_chain(settings, context.session, fraction);
        if !settings.axes.any() {
            return Ok(());
        }
        if self.reference.is_none() {
            self.refer_to(context);
        }
        self.set_pressures(settings, context, fraction);
        // Masses stay as the first step of a run makes them, also where it goes on from a restart file in the same span.
        let kept = self.mass_temperature.filter(|&kept| self.restored && kept == settings.target(0.0));
        self.restored = false;
        let first = kept.unwrap_or(self.target);
        self.mass_temperature = Some(first);
        let kt = boltz * first;
        let frequencies = settings.axes.controlled.map(|axis| axis.map(|axis| 1.0 / axis.period));
        let nkt = (context.simulation.atoms.n as f64 + 1.0) * kt;
        self.omega_mass = frequencies.map(|f| f.map_or(0.0, |f| nkt / (f * f)));
        self.lean.set_masses(&settings.axes, nkt);
        let mass = kt / highest_frequency(settings).powi(2);
        self.box_chain.set_masses(mass, mass);
        self.box_chain.accelerate(boltz * self.target);
        Ok(())
    }

    /// From here on deviations are measured from the box as it is.
    fn refer_to(&mut self, context: &FixContext<'_>) {
        let domain = &context.simulation.domain;
        self.reference = Some((domain.volume(context.session.system.dimension), domain.lengths()));
        self.lean.reference = domain.tilt;
    }

    /// The atoms' chain at the beginning of a run, if there is one.
    pub(super) fn begin_chain(&mut self, settings: &Settings, session: &Session, fraction: f64) {
        if settings.thermostat.is_some() {
            self.set_target(settings, session, fraction);
            self.chain.accelerate(session.system.units.boltz * self.target);
        }
    }

    /// The target temperature after a fraction of the span, and the masses that follow it.
    pub(super) fn set_target(&mut self, settings: &Settings, session: &Session, fraction: f64) {
        if settings.thermostat.is_none() {
            return;
        }
        if self.hugoniot.is_none() {
            self.target = settings.target(fraction);
        }
        self.set_kinetic_target(session);
        self.set_masses(settings, session);
    }

    /// The kinetic target follows the temperature's.
    pub(super) fn set_kinetic_target(&mut self, session: &Session) {
        self.kinetic_target = self.freedom * session.system.units.boltz * self.target;
    }

    /// The masses of the chain, which keep its frequency.
    fn set_masses(&mut self, settings: &Settings, session: &Session) {
        let Some(thermostat) = settings.thermostat else { return };
        let mass = session.system.units.boltz * self.target / thermostat.frequency.powi(2);
        self.chain.set_masses(self.freedom * mass, mass);
    }

    /// Half a step of the chain on the atoms; returns the factor of their velocities.
    pub(super) fn advance_chain(&mut self, settings: &Settings, session: &Session) -> f64 {
        let (boltz, dt, loops) = (session.system.units.boltz, session.clock.dt, settings.loops[0]);
        let drag = settings.chain_drag(dt);
        // Those of a shock stay as the first target makes them, as in LAMMPS.
        if self.hugoniot.is_none() {
            self.set_masses(settings, session);
        }
        let mut kinetic = self.freedom * boltz * self.temperature;
        let step = HalfStep { dt, loops, drag };
        let factor = self.chain.advance(&mut kinetic, self.kinetic_target, boltz * self.target, step);
        self.temperature *= factor * factor;
        factor
    }

    /// What the velocities are multiplied by changes their m v v.
    pub(super) fn scale_tensors(&mut self, factor: f64) {
        let both = self.tensor.iter_mut().chain(&mut self.barometer.kinetic);
        both.for_each(|mvv| *mvv *= factor * factor);
    }

    /// Half a step of the chain on the box, which scales its velocity.
    pub(super) fn advance_box_chain(&mut self, settings: &Settings, session: &Session) {
        if self.box_chain.len() == 0 {
            return;
        }
        let (kt, loops) = (session.system.units.boltz * self.target, settings.loops[1]);
        let axes = controlled(settings).count() as f64 + Lean::count(&settings.axes);
        let edges: f64 = controlled(settings).map(|d| self.omega_mass[d] * self.omega_dot[d].powi(2)).sum();
        let mut kinetic = edges + self.lean.kinetic().iter().sum::<f64>();
        let target = if settings.axes.isotropic() { kt } else { axes * kt };
        let step = HalfStep { dt: session.clock.dt, loops, drag: self.box_drag(settings, session) };
        let factor = self.box_chain.advance(&mut kinetic, target, kt, step);
        for omega_dot in [&mut self.omega_dot, &mut self.lean.omega_dot] {
            *omega_dot = omega_dot.map(|omega_dot| factor * omega_dot);
        }
    }

    pub(super) fn box_drag(&self, settings: &Settings, session: &Session) -> f64 {
        1.0 - session.clock.dt * highest_frequency(settings) * settings.drag / settings.loops[1] as f64
    }

    /// The target pressures after a fraction of the span, at the step that the box is to move to.
    pub(super) fn set_pressures(&mut self, settings: &Settings, context: &FixContext<'_>, fraction: f64) {
        if settings.resets(context.span, fraction) {
            self.refer_to(context);
        }
        self.set_targets(settings, fraction);
    }

    /// The same, in the box as it is.
    pub(super) fn set_targets(&mut self, settings: &Settings, fraction: f64) {
        self.pressures = settings.axes.targets(fraction);
        let axes = controlled(settings).count().max(1) as f64;
        self.pressure = self.pressures.iter().sum::<f64>() / axes;
        if let (true, Some((volume, lengths))) = (settings.axes.axis_by_axis, self.reference) {
            let tilts = settings.axes.tilt_targets(fraction);
            self.lean.set_targets(self.pressures, self.pressure, tilts, (volume, lengths));
            self.sigma =
                std::array::from_fn(|d| volume * (self.pressures[d] - self.pressure) / lengths[d].powi(2));
        }
    }

    /// Half a step of the box's velocity by the pressure.
    ///
    /// # Errors
    /// When the pressure is not finite.
    pub(super) fn push_box(&mut self, settings: &Settings, context: &FixContext<'_>) -> Result<()> {
        let (session, domain) = (context.session, &context.simulation.domain);
        let found = settings.axes.pressures(&self.barometer, context)?;
        let volume = domain.volume(session.system.dimension);
        let per_freedom = controlled(settings).count().max(1) as f64 * context.simulation.atoms.n as f64;
        let deviatoric = self.deviatoric(settings, domain);
        let kinetic: f64 = match settings.axes.isotropic() {
            true => self.freedom * session.system.units.boltz * self.temperature,
            false => controlled(settings).map(|d| self.tensor[d]).sum(),
        };
        let correction = if settings.mtk { kinetic / per_freedom } else { 0.0 };
        let nktv2p = session.system.units.nktv2p;
        for d in controlled(settings) {
            let mass = self.omega_mass[d];
            let mut force = (found[d] - self.pressure) * volume / (mass * nktv2p) + correction / mass;
            force -= deviatoric[d] / (mass * nktv2p);
            self.omega_dot[d] += force * 0.5 * session.clock.dt;
            self.omega_dot[d] *= self.box_drag(settings, session);
        }
        let sum: f64 = controlled(settings).map(|d| self.omega_dot[d]).sum();
        self.correction = if settings.mtk { sum / per_freedom } else { 0.0 };
        if settings.axes.tilting() {
            let (_, tensor) = self.barometer.tensor(session.system.units, domain);
            let force = std::array::from_fn(|k| (tensor[3 + k] * volume - deviatoric[3 + k]) / nktv2p);
            self.lean.push(&settings.axes, force, 0.5 * session.clock.dt, self.box_drag(settings, session));
        }
        Ok(())
    }

    /// The force by targets that differ, in pressure units times volume: xx yy zz xy xz yz.
    fn deviatoric(&self, settings: &Settings, domain: &Domain) -> [f64; 6] {
        match (settings.axes.axis_by_axis, domain.triclinic) {
            (false, _) => [0.0; 6],
            (true, true) => self.lean.deviatoric(domain),
            (true, false) => {
                let [x, y, z] = domain.lengths();
                let [xx, yy, zz] = self.sigma;
                [x * x * xx, y * y * yy, z * z * zz, 0.0, 0.0, 0.0]
            }
        }
    }

    /// What half a step of the box's motion multiplies velocities by: xx yy zz xy xz yz.
    pub(super) fn velocity_factors(&self, settings: &Settings, session: &Session) -> [f64; 6] {
        let rate = |d: usize| if settings.axes.controlled[d].is_some() { self.omega_dot[d] } else { 0.0 };
        let root = std::array::from_fn(|d| (-0.25 * session.clock.dt * (rate(d) + self.correction)).exp());
        let [xx, yy, zz] = root.map(|root: f64| root.powi(2));
        let [xy, xz, yz] = self.lean.velocity_factors(root, 0.5 * session.clock.dt);
        [xx, yy, zz, xy, xz, yz]
    }

    /// A whole step of the box, in two halves.
    ///
    /// # Errors
    /// When the box collapses or the device fails.
    pub(super) fn change_box(&mut self, settings: &Settings, context: &mut FixContext<'_>) -> Result<()> {
        if settings.triclinic {
            return self.change_leaning_box(settings, context);
        }
        let (mut lo, mut hi) = (context.simulation.domain.lo, context.simulation.domain.hi);
        for d in controlled(settings) {
            let half = 0.5 * context.session.clock.dt * self.omega_dot[d];
            self.dilation[d] = half.exp();
            for _ in 0..2 {
                self.omega[d] += half;
                for face in [&mut lo[d], &mut hi[d]] {
                    *face = (*face - settings.fixed_point[d]) * self.dilation[d] + settings.fixed_point[d];
                }
            }
        }
        context.simulation.set_box(lo, hi)
    }

    fn change_leaning_box(&mut self, settings: &Settings, context: &mut FixContext<'_>) -> Result<()> {
        let half = 0.5 * context.session.clock.dt;
        let mut domain = context.simulation.domain.clone();
        for k in 0..2 {
            controlled(settings).for_each(|d| self.omega[d] += half * self.omega_dot[d]);
            let to = self.lean.step(&domain, settings, self.omega_dot, half)?;
            let [x, y, z, xy, xz, yz] = domain.map_to(to.lo, to.hi, to.tilt);
            self.lean.remaps[k] = [[x, y, z], domain.lo, to.lo, [xy, xz, yz]];
            domain = to;
        }
        context.simulation.set_tilted_box(domain.lo, domain.hi, domain.tilt)
    }
}

/// The controlled axes.
pub(super) fn controlled(settings: &Settings) -> impl Iterator<Item = usize> + '_ {
    (0..3).filter(|&d| settings.axes.controlled[d].is_some())
}

fn highest_frequency(settings: &Settings) -> f64 {
    settings
        .axes
        .controlled
        .iter()
        .chain(&settings.axes.tilts)
        .flatten()
        .map(|axis| 1.0 / axis.period)
        .fold(0.0, f64::max)
}
