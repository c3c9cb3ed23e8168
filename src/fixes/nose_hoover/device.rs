//! The chains and the box of `fix nvt`, `npt` and `nph` on the device (cl/fix/chains.cl): what its functions read, and
//! what they remember.

use super::NoseHoover;
use super::arguments::Settings;
use super::motion::{Motion, controlled};
use crate::base::error::Result;
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::fixes::{barostat, thermostat};
use crate::session::Session;
use crate::session::fix::coupling::DeviceCoupling;
use crate::session::fix::{FixContext, StepContext, Watched};

/// How much is remembered before the chain, and between it and the box's.
const BEFORE_CHAIN: usize = 7;
const BEFORE_BOX_CHAIN: usize = 24;

/// The chain on the atoms (cl/fix/chain.cl).
impl Motion {
    /// The time step, the kicks of the types, and what the chain reads at a step; `thermal` says which components of
    /// velocities it scales.
    pub(super) fn chain_parameters(
        &self,
        settings: &Settings,
        thermal: [bool; 3],
        now: &StepContext<'_>,
    ) -> Vec<f64> {
        let session = now.session;
        let (links, loops) = (self.chain.len() as f64, settings.loops[0] as f64);
        let frequency = settings.thermostat.map_or(0.0, |thermostat| thermostat.frequency);
        let drag = settings.chain_drag(session.clock.dt);
        // Without thermostat the one that makes the masses of the barostat.
        let target = settings.thermostat.map_or(self.target, |_| settings.target(now.fraction()));
        let chain = [links, loops, drag, self.freedom, session.system.units.boltz, frequency, target];
        let mass = now.mass().map(|mass| mass * session.system.units.mvv2e);
        // The masses count from type 1, behind a place that is not used.
        let mut numbers = [&now.kicks()[..], &thermal.map(f64::from), &chain, &[0.0]].concat();
        numbers.extend(mass);
        numbers
    }

    /// What it remembers.
    pub(super) fn chain_numbers(&self) -> Vec<f64> {
        [&self.initial[..], &self.end, &[self.temperature], &self.chain.numbers()].concat()
    }

    /// Takes what it remembers; returns the numbers behind that.
    pub(super) fn take_chain<'a>(&mut self, numbers: &'a [f64]) -> &'a [f64] {
        let (head, rest) = numbers.split_at(BEFORE_CHAIN);
        self.initial.copy_from_slice(&head[..3]);
        self.end.copy_from_slice(&head[3..6]);
        self.temperature = head[6];
        let (chain, rest) = rest.split_at(self.chain.numbers().len());
        self.chain.set_numbers(chain);
        rest
    }
}

impl NoseHoover {
    /// The numbers of cl/fix/chains.cl at a step.
    ///
    /// # Errors
    /// When the temperature compute is gone.
    pub(super) fn device_parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let (settings, motion) = (&self.settings, self.motion.borrow());
        let thermal = thermostat::temperature(now.session, &self.watched.temperature)?.components();
        let mut numbers = motion.chain_parameters(settings, thermal.unwrap_or([true; 3]), now);
        if settings.axes.any() {
            numbers.extend(self.box_parameters(&motion, now));
        }
        Ok(numbers)
    }

    /// Those from NPT(p) on.
    fn box_parameters(&self, motion: &Motion, now: &StepContext<'_>) -> Vec<f64> {
        let (session, settings) = (now.session, &self.settings);
        let axes = &settings.axes;
        let edges = controlled(settings).count() as f64;
        let chain = [
            motion.box_chain.len() as f64,
            settings.loops[1] as f64,
            motion.box_drag(settings, session),
            motion.box_chain.last_mass(),
        ];
        let shared = if settings.mtk { edges * motion.atoms as f64 } else { 0.0 };
        let resets = f64::from(settings.resets(now.span, now.fraction()));
        [
            &chain[..],
            &motion.omega_mass,
            &axes.targets(now.fraction()),
            &[f64::from(axes.axis_by_axis), shared],
            &axes.device_parameters(session, motion.tail),
            &settings.fixed_point,
            &[f64::from(settings.dilated), resets],
        ]
        .concat()
    }

    /// Whether the pressure follows from motion, pairs and bonds alone, in a box that nothing else changes.
    fn pressure_fits(&self, session: &Session) -> bool {
        let Watched { temperature, pressure } = &self.watched;
        let own = self.settings.axes.controlled.map(|axis| axis.is_some());
        self.header.group == 1
            && pressure
                .as_ref()
                .is_some_and(|id| barostat::fits_device(session, &self.header, [id, temperature], own))
    }
}

impl DeviceCoupling for NoseHoover {
    fn fits(&self, session: &Session) -> bool {
        self.motion.borrow().hugoniot.is_none()
            && thermostat::fits_device(session, &self.header, &self.watched.temperature)
            && (!self.settings.axes.any() || self.pressure_fits(session))
    }

    fn hand_over(&self, to_device: bool) {
        self.by_device.set(to_device);
    }

    fn handed_over(&self) -> bool {
        self.by_device.get()
    }

    fn functions(&self) -> CouplingFunctions {
        match self.settings.axes.any() {
            true => CouplingFunctions {
                sums: 6,
                measure: "npt_measure",
                after: "npt_after",
                before: Some("npt_before"),
                moves_box: true,
                slot: None,
            },
            false => CouplingFunctions {
                sums: 1,
                measure: "nvt_measure",
                after: "nvt_after",
                before: Some("nvt_before"),
                moves_box: false,
                slot: None,
            },
        }
    }

    fn numbers(&self) -> Vec<f64> {
        let motion = self.motion.borrow();
        let mut numbers = motion.chain_numbers();
        if self.settings.axes.any() {
            let (volume, lengths) = motion.reference.unwrap_or((1.0, [1.0; 3]));
            let diagonal = &motion.tensor[..3];
            numbers.extend([motion.last, motion.dilation].concat());
            numbers.extend([diagonal, &motion.virial, &[motion.target, motion.correction]].concat());
            numbers.extend([&motion.omega[..], &motion.omega_dot, &[volume], &lengths].concat());
            numbers.extend(motion.box_chain.numbers());
        }
        numbers
    }

    fn take(&self, numbers: &[f64], context: &FixContext<'_>) -> Result<()> {
        let mut motion = self.motion.borrow_mut();
        let motion = &mut *motion;
        let fraction = context.moment().fraction();
        motion.set_target(&self.settings, context.session, fraction);
        let rest = motion.take_chain(numbers);
        if !self.settings.axes.any() {
            return Ok(());
        }
        let (of_box, chain) = rest.split_at(BEFORE_BOX_CHAIN);
        let three = |first: usize| -> [f64; 3] { std::array::from_fn(|d| of_box[first + d]) };
        (motion.last, motion.dilation) = (three(0), three(3));
        let [x, y, z] = three(6);
        // What is off the diagonal plays no part.
        (motion.tensor, motion.barometer.kinetic) = ([x, y, z, 0.0, 0.0, 0.0], [x, y, z, 0.0, 0.0, 0.0]);
        (motion.virial, motion.correction) = (three(9), of_box[13]);
        (motion.omega, motion.omega_dot) = (three(14), three(17));
        motion.reference = Some((of_box[20], three(21)));
        motion.box_chain.set_numbers(chain);
        motion.set_targets(&self.settings, fraction);
        Ok(())
    }
}
