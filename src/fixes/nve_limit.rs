//! `fix nve/limit`: velocity Verlet with a bound on how far an atom moves in a step (cl/fix/nve_limit.cl). Source:
//! LAMMPS manual, `fix nve/limit`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{DeviceFix, Fix, FixContext, FixOutput, Header, HostFix, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct NveLimit {
    header: Header,
    farthest: f64,
    /// How often the last run slowed an atom down.
    slowed: Cell<u32>,
}

/// Takes the distance.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let farthest = args.not_negative("how far an atom may move in a step")?;
    Ok(Box::new(NveLimit { header, farthest, slowed: Cell::new(0) }))
}

impl NveLimit {
    fn count(&self, system: &Snapshot<'_>) -> Result<u32> {
        let place = system.session.fixes.iter().position(|fix| fix.header().id == self.header.id);
        match (system.simulation, place) {
            (Some(simulation), Some(place)) => simulation.step_kernels.count(place),
            _ => Ok(self.slowed.get()),
        }
    }
}

impl Fix for NveLimit {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn integrates(&self) -> bool {
        true
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
}

impl DeviceFix for NveLimit {
    fn hooks(&self) -> Option<DeviceHooks> {
        let hooks = DeviceHooks::of(kernel_file!("fix/nve_limit.cl"));
        Some(DeviceHooks {
            initial_integrate: Some("nve_limit_initial"),
            final_integrate: Some("nve_limit_final"),
            ..hooks
        })
    }

    /// As of nve, before them the speed that corresponds to the distance.
    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(std::iter::once(self.farthest / now.session.clock.dt).chain(now.kicks()).collect())
    }
}

impl HostFix for NveLimit {
    fn end_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.slowed.set(self.count(&context.system())?);
        Ok(())
    }
}

impl FixOutput for NveLimit {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    /// How often the run has slowed an atom down, before or after the forces of a step.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.count(system)?.into()))
    }

    fn extensive(&self) -> bool {
        true
    }
}
