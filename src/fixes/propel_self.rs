//! `fix ID GROUP propel/self velocity FORCE`: a force of one size along the velocity of each atom (cl/fix/propel_self.cl). Source: LAMMPS
//! manual, `fix propel/self`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixSums, Header, StepContext};

struct PropelSelf {
    header: Header,
    force: f64,
    measured: FixSums,
}

/// Takes `velocity` and the force, which points backwards where it is negative.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    if let Some(word) = args.peek().filter(|word| matches!(&*word.text, "dipole" | "quat")) {
        return Err(args.unsupported(word, "direction"));
    }
    args.one_of("direction", &[("velocity", ())])?;
    let force = args.f64("the force")?;
    args.finish()?;
    Ok(Box::new(PropelSelf { header, force, measured: FixSums::vector(0).with_virial() }))
}

impl Fix for PropelSelf {
    fn header(&self) -> &Header {
        &self.header
    }

    fn minimizes(&self) -> bool {
        false
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for PropelSelf {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_force: Some("propel_self"),
            ..DeviceHooks::of(kernel_file!("fix/propel_self.cl"))
        })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(vec![self.force])
    }
}
