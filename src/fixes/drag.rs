//! `fix drag`: a constant force towards a point (cl/fix/drag.cl). Source: LAMMPS manual, `fix drag`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixSums, Header, StepContext};

struct Drag {
    header: Header,
    /// Components that do not count are `None`.
    point: [Option<f64>; 3],
    strength: f64,
    /// Closer than this there is no force.
    distance: f64,
    measured: FixSums,
}

/// Takes `X Y Z` (numbers or NULL), the force and the distance.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut point = [None; 3];
    for component in &mut point {
        if !args.accept("NULL") {
            *component = Some(args.f64("a coordinate of the point, or NULL")?);
        }
    }
    let (strength, distance) = (args.f64("the force")?, args.f64("the distance where it ends")?);
    Ok(Box::new(Drag { header, point, strength, distance, measured: FixSums::vector(3) }))
}

impl Fix for Drag {
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

impl DeviceFix for Drag {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks { post_force: Some("drag"), ..DeviceHooks::of(kernel_file!("fix/drag.cl")) })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        let point = self.point.map(|x| x.unwrap_or(0.0));
        let counts = self.point.map(|x| f64::from(u8::from(x.is_some())));
        Ok([&point[..], &counts, &[self.strength, self.distance]].concat())
    }
}
