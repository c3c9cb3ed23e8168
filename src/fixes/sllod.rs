//! `fix ID GROUP nvt/sllod temp TSTART TSTOP TDAMP [psllod yes|no]`: a Nose-Hoover chain on the motion relative to a box
//! that `fix deform ... remap v` shears (cl/fix/sllod.cl). Where the temperature relative to the flow of its group decides,
//! the chain is the device's, else the host's.
//!
//! Equations: D. J. Evans and G. P. Morriss, Phys. Rev. A 30, 1528 (1984); P. J. Daivis and B. D. Todd, J. Chem. Phys. 124,
//! 194103 (2006). The chain is that of fix nvt, with one link unless `tchain` says otherwise.

use super::nose_hoover::Chained;
use super::thermostat;
use crate::base::error::{Error, Result};
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::Values;
use crate::session::compute::style::Compute;
use crate::session::fix::coupling::DeviceCoupling;
use crate::session::fix::{
    DeviceFix, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext, Watched,
};
use crate::session::snapshot::view::Snapshot;
use std::cell::{Cell, RefCell};

struct Sllod {
    header: Header,
    watched: Watched,
    /// The flow's pull acts on the whole velocity, not only on what is thermal of it (p-SLLOD).
    whole: bool,
    chain: RefCell<Chained>,
    by_device: Cell<bool>,
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut whole = false;
    let chain = Chained::read(&header, session, args, |word, args| {
        if word.text != "psllod" {
            return Ok(false);
        }
        whole = args.yes_no()?;
        Ok(true)
    })?;
    Ok(Box::new(Sllod {
        watched: thermostat::watched(&header),
        header,
        whole,
        chain: RefCell::new(chain),
        by_device: Cell::new(false),
    }))
}

impl Sllod {
    /// Lets a function change the chain. Meanwhile others that ask for energies find an empty one, and no borrowed cell.
    fn with_chain<R>(&self, change: impl FnOnce(&mut Chained) -> R) -> R {
        let mut chain = self.chain.take();
        let done = change(&mut chain);
        self.chain.replace(chain);
        done
    }

    /// The temperature and its degrees of freedom.
    fn measure(&self, context: &FixContext<'_>) -> Result<[f64; 2]> {
        let temperature = thermostat::temperature(context.session, &self.watched.temperature)?;
        let (now, thermal) = thermostat::measure(context, temperature)?;
        Ok([now, thermal.freedom])
    }
}

impl Fix for Sllod {
    fn header(&self) -> &Header {
        &self.header
    }

    fn integrates(&self) -> bool {
        true
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        let id = thermostat::own_temperature(&self.header);
        vec![crate::computes::temp_deform::temp_deform(&id, self.header.group, session.system.dimension)]
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

impl DeviceFix for Sllod {
    fn hooks(&self) -> Option<DeviceHooks> {
        let [initial, end] = match self.by_device.get() {
            true => ["sllod_initial_remembered", "sllod_end_remembered"],
            false => ["sllod_initial", "sllod_end"],
        };
        let (initial, last, end) = (Some(initial), Some("sllod_final"), Some(end));
        let with = Some(kernel_file!("fix/chain.cl"));
        Some(DeviceHooks {
            with,
            initial_integrate: initial,
            final_integrate: last,
            end_with_host: end,
            ..DeviceHooks::of(kernel_file!("fix/sllod.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let chain = self.chain.borrow();
        let settings = [0.5 * now.session.clock.dt, f64::from(u8::from(self.whole))];
        let (gradient, corner) = match now.domain() {
            Some(domain) => (domain.velocity_gradient(), [domain.flow.lo_rate, domain.lo].concat()),
            None => ([0.0; 6], vec![0.0; 6]),
        };
        Ok([&chain.parameters(now)[..], &settings, &gradient, &corner, &chain.factors()].concat())
    }

    fn varies(&self) -> bool {
        // The flow changes with the box.
        self.by_device.get()
    }

    fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        Some(self)
    }
}

impl HostFix for Sllod {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let deforms = context.session.fixes.iter().any(|fix| fix.header().style == "deform");
        if !deforms {
            return Err(Error::new("there is no fix deform, whose flow it needs")
                .help("add a line like: fix 2 all deform 1 xy erate 0.01 remap v"));
        }
        if context.minimizing {
            return Ok(());
        }
        if context.simulation.domain.flow.carried == 0 {
            return Err(
                Error::new("the fix deform does not change velocities").help("write `remap v` in its line")
            );
        }
        let temperature = thermostat::temperature(context.session, &self.watched.temperature)?;
        if temperature.header().style != "temp/deform" {
            let message = format!("compute {} is not of style temp/deform", self.watched.temperature);
            return Err(Error::new(message));
        }
        let [temperature, freedom] = self.measure(context)?;
        let fraction = context.moment().fraction();
        self.with_chain(|chain| {
            chain.find_temperature(temperature, freedom);
            chain.begin(context.session, fraction);
        });
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        (!self.by_device.get()).then_some(step + 1)
    }

    fn before_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.by_device.get() {
            return Ok(());
        }
        let fraction = context.moment().at(context.session.clock.step + 1).fraction();
        self.with_chain(|chain| {
            chain.set_target(context.session, fraction);
            chain.advance_before(context.session);
        });
        Ok(())
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let [temperature, freedom] = self.measure(context)?;
        self.with_chain(|chain| {
            chain.set_temperature(temperature, freedom);
            chain.advance_after(context.session);
        });
        Ok(())
    }
}

impl FixOutput for Sllod {
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let chain = self.chain.borrow();
        Ok(Values { scalar: Some(chain.energy(system)), vector: chain.vector(system), ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }

    fn coupled_energy(&self, system: &Snapshot<'_>) -> f64 {
        self.chain.borrow().energy(system)
    }
}

impl FixMemory for Sllod {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.chain.borrow().kept())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.chain.get_mut().restore(numbers)
    }
}

impl DeviceCoupling for Sllod {
    fn fits(&self, session: &Session) -> bool {
        thermostat::temperature(session, &self.watched.temperature).is_ok_and(|temperature| {
            let own = temperature.header();
            own.style == "temp/deform" && own.group == self.header.group && !own.dynamic
        })
    }

    fn hand_over(&self, to_device: bool) {
        self.by_device.set(to_device);
    }

    fn handed_over(&self) -> bool {
        self.by_device.get()
    }

    fn functions(&self) -> CouplingFunctions {
        CouplingFunctions {
            sums: 1,
            measure: "sllod_measure",
            after: "nvt_after",
            before: Some("nvt_before"),
            moves_box: false,
            slot: None,
        }
    }

    fn numbers(&self) -> Vec<f64> {
        self.chain.borrow().numbers()
    }

    fn take(&self, numbers: &[f64], context: &FixContext<'_>) -> Result<()> {
        let fraction = context.moment().fraction();
        self.with_chain(|chain| chain.take(numbers, context.session, fraction));
        Ok(())
    }
}
