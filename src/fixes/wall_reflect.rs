//! `fix wall/reflect`: walls that mirror atoms (cl/fix/wall_reflect.cl). Source: LAMMPS manual, `fix wall/reflect`.

use super::faces::{self, Face};
use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct WallReflect {
    header: Header,
    walls: Vec<Face>,
}

/// Takes `FACE PLACE` (EDGE, a number or `v_NAME`) for each wall, and `units box` or `lattice`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let walls = faces::walls(session, args, |face| face, |_, face| Ok(face))?;
    Ok(Box::new(WallReflect { header, walls }))
}

impl Fix for WallReflect {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for WallReflect {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_integrate: Some("wall_reflect"),
            ..DeviceHooks::of(kernel_file!("fix/wall_reflect.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let mut parameters = vec![self.walls.len() as f64];
        for wall in &self.walls {
            parameters.extend([wall.axis as f64, wall.side, wall.place(now)?]);
        }
        Ok(parameters)
    }

    fn varies(&self) -> bool {
        self.walls.iter().any(Face::varies)
    }
}
