//! `fix ID GROUP nve`: velocity Verlet at constant energy (cl/fix/nve.cl).

use crate::base::error::Result;
use crate::engine::step::fix_program::FixProgram;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct Nve(Header);

/// The functions of cl/fix/nve.cl.
const HOOKS: DeviceHooks = DeviceHooks {
    initial_integrate: Some("nve_initial"),
    final_integrate: Some("nve_final"),
    ..DeviceHooks::of(kernel_file!("fix/nve.cl"))
};

pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(of(header))
}

/// For a header made without a script.
pub(crate) fn of(header: Header) -> Box<dyn Fix> {
    Box::new(Nve(header))
}

impl Fix for Nve {
    fn header(&self) -> &Header {
        &self.0
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
}

impl DeviceFix for Nve {
    fn operations(&self) -> [u32; 2] {
        [12, 6]
    }

    fn hooks(&self) -> Option<DeviceHooks> {
        Some(HOOKS)
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(now.kicks())
    }
}

/// What the device does of it for the atoms of a group (a mask), without a script: time step, what turns force per mass into
/// acceleration, mass per type.
pub fn program(group: u32, dt: f64, ftm2v: f64, mass: &[f64]) -> FixProgram {
    let kicks = mass.iter().map(|mass| 0.5 * dt * ftm2v / mass);
    FixProgram::new(HOOKS, group, std::iter::once(dt).chain(kicks).collect())
}
