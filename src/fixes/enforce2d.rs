//! `fix enforce2d`: no motion along z (cl/fix/enforce2d.cl). Source: LAMMPS manual, `fix enforce2d`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header};

struct Enforce2d(Header);

/// Takes no words.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    if session.system.dimension != 2 {
        return Err(args
            .error_here("enforce2d is for 2d systems")
            .help("write `dimension 2` before the box"));
    }
    Ok(Box::new(Enforce2d(header)))
}

impl Fix for Enforce2d {
    fn header(&self) -> &Header {
        &self.0
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for Enforce2d {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_force: Some("enforce2d"),
            ..DeviceHooks::of(kernel_file!("fix/enforce2d.cl"))
        })
    }
}
