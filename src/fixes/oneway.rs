//! `fix oneway`: atoms of a region go in one direction only (cl/fix/oneway.cl). Source: LAMMPS manual, `fix oneway`.

use super::force::region;
use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct OneWay {
    header: Header,
    every: u64,
    region: String,
    axis: usize,
    /// 1 or -1.
    way: f64,
}

/// Takes `N REGION DIRECTION`, the direction `x`, `-x` and so on.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("the number of steps between", 1)?;
    let region = region(session, args)?;
    let ways = ["x", "y", "z", "-x", "-y", "-z"].iter().enumerate();
    let ways: Vec<_> = ways.map(|(k, name)| (*name, (k % 3, if k < 3 { 1.0 } else { -1.0 }))).collect();
    let (axis, way) = args.one_of("direction", &ways)?;
    Ok(Box::new(OneWay { header, every, region, axis, way }))
}

impl Fix for OneWay {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for OneWay {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks { end_of_step: Some("oneway"), ..DeviceHooks::of(kernel_file!("fix/oneway.cl")) })
    }

    fn region(&self) -> Option<&str> {
        Some(&self.region)
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(vec![self.every as f64, self.axis as f64, self.way])
    }
}
