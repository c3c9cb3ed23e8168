//! `fix ID GROUP nvt|nph|npt|nphug`: Nose-Hoover chains on atoms and box (cl/fix/nose_hoover.cl). Where nothing but the thermal
//! motion of its group decides, and the virial of pairs and bonds, chains and box are the device's (`device`,
//! cl/fix/chains.cl), else the host's (`motion`).
//!
//! Equations: G. J. Martyna, D. J. Tobias, M. L. Klein, J. Chem. Phys. 101, 4177 (1994); W. Shinoda, M. Shiga,
//! M. Mikami, Phys. Rev. B 69, 134103 (2004). Steps: M. E. Tuckerman, J. Alejandre, R. Lopez-Rendon, A. L. Jochim,
//! G. J. Martyna, J. Phys. A 39, 5629 (2006), in the order of LAMMPS.

mod arguments;
mod chained;
mod device;
mod hugoniot;
mod lean;
mod motion;

use super::thermostat;
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute;
use crate::session::compute::Values;
use crate::session::compute::style::Compute;
use crate::session::fix::coupling::DeviceCoupling;
use crate::session::fix::{
    BoxChange, DeviceFix, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext, Watched,
};
use crate::session::snapshot::view::Snapshot;
use arguments::Settings;
pub(crate) use arguments::{nph, npt, nvt};
pub(super) use chained::Chained;
pub(crate) use hugoniot::nphug;
use motion::Motion;
use std::cell::{Cell, RefCell};

struct NoseHoover {
    header: Header,
    watched: Watched,
    settings: Settings,
    motion: RefCell<Motion>,
    by_device: Cell<bool>,
}

impl NoseHoover {
    /// The group of the compute that comes with it: pressures are of all atoms.
    fn thermometer_group(&self) -> u32 {
        if self.settings.axes.any() { 1 } else { self.header.group }
    }

    /// Whether scaling the velocities of the group changes more, or less, than what the thermometers measure by the
    /// square of the factor.
    fn measures_others(&self, session: &Session) -> Result<bool> {
        let own = thermostat::temperature(session, &self.watched.temperature)?;
        let differs = own.components().is_none() || own.header().group != self.header.group;
        Ok(differs || self.presses_by_another(session)?)
    }

    /// Whether the pressure comes with another temperature than the fix's.
    fn presses_by_another(&self, session: &Session) -> Result<bool> {
        let Some(id) = &self.watched.pressure else { return Ok(false) };
        let other = super::barostat::pressure(session, id)?.temperature.as_ref();
        Ok(other.is_some_and(|id| *id != self.watched.temperature))
    }

    /// Temperature and, with a barostat, pressure now.
    fn measure(&self, context: &FixContext<'_>, motion: &mut Motion) -> Result<()> {
        let temperature = thermostat::temperature(context.session, &self.watched.temperature)?;
        let (now, thermal) = thermostat::measure(context, temperature)?;
        (motion.temperature, motion.freedom) = (now, thermal.freedom);
        motion.tensor = thermal.tensor;
        if let Some(id) = &self.watched.pressure {
            motion.barometer.measure(context, id)?;
            motion.virial = motion.barometer.virial();
        }
        Ok(())
    }

    /// Lets a function change the motion. Meanwhile others that ask for energies find none, and no borrowed cell.
    fn with_motion(&self, change: impl FnOnce(&mut Motion) -> Result<()>) -> Result<()> {
        let mut motion = self.motion.take();
        let done = change(&mut motion);
        self.motion.replace(motion);
        done
    }

    /// Before positions move: chains, the box's velocity and the box.
    fn first_half(&self, context: &mut FixContext<'_>, motion: &mut Motion) -> Result<()> {
        let (settings, group) = (&self.settings, self.header.group);
        let session = context.session;
        let temperature = thermostat::temperature(session, &self.watched.temperature)?;
        let fraction = context.moment().at(session.clock.step + 1).fraction();
        motion.advance_box_chain(settings, session);
        let mut factor = 1.0;
        if settings.thermostat.is_some() {
            match motion.hugoniot {
                Some(_) => motion.set_target_on_hugoniot(session, &context.simulation.domain),
                None => motion.set_target(settings, session, fraction),
            }
            factor = motion.advance_chain(settings, session);
        }
        if !settings.axes.any() {
            motion.initial = thermostat::scale(context, temperature, group, [factor; 3], false)?;
            return Ok(());
        }
        let at_once = self.measures_others(session)?;
        let thermal = thermostat::scale(context, temperature, group, [factor; 3], at_once)?;
        match &self.watched.pressure {
            Some(id) if at_once => {
                motion.tensor = temperature.thermal(&context.system())?.tensor;
                motion.barometer.measure_motion(context, id)?;
            }
            _ => motion.scale_tensors(factor),
        }
        motion.set_pressures(settings, context, fraction);
        motion.push_box(settings, context)?;
        let press = motion.velocity_factors(settings, session);
        let [x, y, z, xy, xz, yz] = thermostat::shear(context, temperature, group, press, false)?;
        let (pressed, shear) = ([x, y, z], [xy, xz, yz]);
        motion.initial = std::array::from_fn(|d| thermal[d] * pressed[d]);
        motion.lean.shear = [[xy * thermal[1], xz * thermal[2], yz * thermal[2]], [0.0; 3]];
        // A bias of each atom's own is known only after the kick.
        motion.last = [1.0; 3];
        if temperature.components().is_some() {
            (motion.last, motion.lean.shear[1]) = (pressed, shear);
        }
        motion.change_box(settings, context)
    }

    /// When velocities have followed the forces: the box's velocity and chains.
    fn second_half(&self, context: &mut FixContext<'_>, motion: &mut Motion) -> Result<()> {
        let (settings, group) = (&self.settings, self.header.group);
        let session = context.session;
        let temperature = thermostat::temperature(session, &self.watched.temperature)?;
        if settings.axes.any() && temperature.components().is_none() {
            let press = motion.velocity_factors(settings, session);
            thermostat::shear(context, temperature, group, press, true)?;
        }
        let pressing = motion.barometer.kinetic;
        self.measure(context, motion)?;
        if self.presses_by_another(session)? {
            // LAMMPS measures that temperature once in a step: before positions move.
            motion.barometer.kinetic = pressing;
        }
        if settings.axes.any() {
            motion.push_box(settings, context)?;
        }
        let factor =
            if settings.thermostat.is_some() { motion.advance_chain(settings, session) } else { 1.0 };
        motion.scale_tensors(factor);
        motion.end = thermostat::scale(context, temperature, group, [factor; 3], false)?;
        motion.advance_box_chain(settings, session);
        Ok(())
    }
}

impl Fix for NoseHoover {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn integrates(&self) -> bool {
        true
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        let thermometer = thermostat::thermometer(&self.header, self.thermometer_group(), session);
        let id = thermostat::own_temperature(&self.header);
        let barometer = compute::pressure(&own_pressure(&self.header), &id, session.system.dimension);
        let with_pressure = self.watched.pressure.is_some();
        let shocked = self.motion.borrow().hugoniot.is_some();
        let energy = compute::potential(&format!("{}_pe", self.header.id), session.system.dimension);
        std::iter::once(thermometer)
            .chain(with_pressure.then_some(barometer))
            .chain(shocked.then_some(energy))
            .collect()
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        let hugoniot = &mut self.motion.get_mut().hugoniot;
        hugoniot.as_mut().map_or(Ok(false), |hugoniot| hugoniot.ahead.keyword(keyword, args))
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

impl DeviceFix for NoseHoover {
    fn hooks(&self) -> Option<DeviceHooks> {
        if self.by_device.get() {
            let [initial, last] = match self.settings.axes.any() {
                true => ["npt_initial", "npt_final"],
                false => ["nvt_initial", "nvt_final"],
            };
            let (initial, last, end) = (Some(initial), Some(last), Some("nvt_end"));
            let with = Some(kernel_file!("fix/chain.cl"));
            return Some(DeviceHooks {
                with,
                initial_integrate: initial,
                final_integrate: last,
                end_with_host: end,
                ..DeviceHooks::of(kernel_file!("fix/chains.cl"))
            });
        }
        let everyone = self.settings.axes.any();
        let [initial, last] = match everyone {
            true => ["nh_initial_in_box", "nh_final_in_box"],
            false => ["nh_initial", "nh_final"],
        };
        let (initial, last, end) = (Some(initial), Some(last), Some("nh_end"));
        Some(DeviceHooks {
            initial_integrate: initial,
            final_integrate: last,
            end_with_host: end,
            everyone,
            ..DeviceHooks::of(kernel_file!("fix/nose_hoover.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        if self.by_device.get() {
            return self.device_parameters(now);
        }
        let (motion, settings) = (self.motion.borrow(), &self.settings);
        let vectors = [motion.initial, motion.last, motion.end, motion.dilation, settings.fixed_point];
        let mut numbers = now.kicks();
        numbers.extend(vectors.into_iter().flatten().chain([f64::from(settings.dilated)]));
        if settings.axes.any() && settings.triclinic {
            let vectors = motion.lean.shear.iter().chain(motion.lean.remaps.iter().flatten());
            numbers.extend(vectors.flatten());
        }
        Ok(numbers)
    }

    fn varies(&self) -> bool {
        let Settings { thermostat, axes, reset, .. } = &self.settings;
        let targets = thermostat.is_some_and(|target| target.start != target.stop) || axes.vary();
        self.by_device.get() && (targets || axes.axis_by_axis && *reset > 0)
    }

    fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        Some(self)
    }
}

impl HostFix for NoseHoover {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.settings.axes.any() {
            context.simulation.allow_box_changes()?;
            if context.simulation.domain.triclinic != self.settings.triclinic {
                let error =
                    Error::new("the box has become triclinic or orthogonal since the fix was defined");
                return Err(error.help("define the fix after change_box"));
            }
            if self.settings.triclinic && self.settings.flip {
                context.simulation.neighbor.flip_beyond(lean::FLIP);
            }
        }
        // A minimization shows what the last run has left, before the first one nothing.
        if context.minimizing {
            return Ok(());
        }
        self.with_motion(|motion| {
            let known = motion.known();
            self.measure(context, motion)?;
            motion.keep(known);
            let fraction = context.moment().fraction();
            motion.begin(&self.settings, context, fraction)
        })
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.with_motion(|motion| {
            motion.barometer.measure_fixes(context)?;
            motion.begin_hugoniot(&context.system(), self.header.group)
        })
    }

    fn next(&self, step: i64) -> Option<i64> {
        (!self.by_device.get()).then_some(step + 1)
    }

    fn needs_tally(&self) -> bool {
        self.settings.axes.any()
    }

    fn before_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.by_device.get() {
            return Ok(());
        }
        self.with_motion(|motion| self.first_half(context, motion))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.with_motion(|motion| self.second_half(context, motion))
    }

    /// The motion that makes the pressure, but not the temperature that the chain on the atoms goes on from: as LAMMPS.
    fn remeasure(&self, context: &FixContext<'_>) -> Result<bool> {
        let Watched { temperature, pressure: Some(pressure) } = &self.watched else { return Ok(false) };
        let temperature = thermostat::temperature(context.session, temperature)?;
        self.with_motion(|motion| {
            motion.tensor = temperature.thermal(&context.system())?.tensor;
            motion.barometer.measure_motion(context, pressure)
        })?;
        Ok(true)
    }
}

impl BoxChange for NoseHoover {
    fn changes_box(&self) -> bool {
        self.settings.axes.any()
    }
}

impl FixOutput for NoseHoover {
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let scalar = Some(self.coupled_energy(system));
        let motion = self.motion.borrow();
        let vector = [motion.shock(system)?, motion.vector(&self.settings, system)].concat();
        Ok(Values { scalar, vector, ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }

    fn coupled_energy(&self, system: &Snapshot<'_>) -> f64 {
        self.motion.borrow().energy(&self.settings, system)
    }
}

impl FixMemory for NoseHoover {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some([&self.settings.fixed_point[..], &self.motion.borrow().numbers()].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let (fixed_point, motion) = numbers.split_at(numbers.len().min(3));
        self.motion.get_mut().restore(motion)?;
        if self.settings.centred {
            self.settings.fixed_point.copy_from_slice(fixed_point);
        }
        Ok(())
    }
}

fn own_pressure(header: &Header) -> String {
    format!("{}_press", header.id)
}
