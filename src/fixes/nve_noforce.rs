//! `fix nve/noforce`: atoms move on as they do (cl/fix/nve_noforce.cl). Source: LAMMPS manual, `fix nve/noforce`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct NveNoforce(Header);

/// Takes no words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(NveNoforce(header)))
}

impl Fix for NveNoforce {
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

impl DeviceFix for NveNoforce {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            initial_integrate: Some("nve_noforce"),
            ..DeviceHooks::of(kernel_file!("fix/nve_noforce.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(vec![now.session.clock.dt])
    }
}
