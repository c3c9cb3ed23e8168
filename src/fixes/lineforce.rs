//! `fix lineforce` and `fix planeforce`: only forces along a line, or none along it (cl/fix/lineforce.cl). Source:
//! LAMMPS manual, `fix lineforce`, `fix planeforce`.

use crate::base::error::Result;
use crate::engine::step::hooks::{DeviceHooks, HookFn};
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct LineForce {
    header: Header,
    function: HookFn,
    /// Of length 1.
    direction: [f64; 3],
}

/// Takes `X Y Z` along the line.
pub(crate) fn line(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, "lineforce", args)
}

/// Takes `X Y Z`, the normal of the plane.
pub(crate) fn plane(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, "planeforce", args)
}

fn new(header: Header, function: HookFn, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let (place, what) = (args.peek(), "a component of the direction");
    let direction = [args.f64(what)?, args.f64(what)?, args.f64(what)?];
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    match place.filter(|_| length == 0.0) {
        Some(word) => Err(args.error(word, "the direction has no length")),
        None => Ok(Box::new(LineForce { header, function, direction: direction.map(|x| x / length) })),
    }
}

impl Fix for LineForce {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for LineForce {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_force: Some(self.function),
            ..DeviceHooks::of(kernel_file!("fix/lineforce.cl"))
        })
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(self.direction.to_vec())
    }
}
