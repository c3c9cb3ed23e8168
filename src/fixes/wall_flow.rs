//! `fix wall/flow`: planes that give the atoms which go through them velocities by chance (cl/fix/wall_flow.cl, which names
//! the sources).

use super::faces;
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

/// What the random numbers are for, as part of Philox's key.
const PURPOSE: u32 = 12;

struct Flow {
    header: Header,
    axis: usize,
    velocity: f64,
    temperature: f64,
    seed: u32,
    /// Where velocities are drawn anew, in order; the first and the last are the faces of the box.
    planes: Vec<f64>,
}

/// `fix wall/flow`: takes the axis, the velocity of the flow, its temperature, a seed, the number of walls and their
/// places, and `units`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let scale = faces::scale(session, args);
    let word = args.peek();
    let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
    let domain = session.domain()?;
    if let Some(word) = word.filter(|_| !domain.periodic(axis)) {
        return Err(args.error(word, format_args!("the box is not periodic along {}", word.text)));
    }
    let velocity = args.positive("the velocity of the flow")?;
    let temperature = args.positive("its temperature")?;
    let word = args.peek();
    let seed: u32 = args.int("a seed")?;
    if let Some(word) = word.filter(|_| seed == 0) {
        return Err(args.error(word, "a seed must be positive"));
    }
    let count = args.count("the number of walls", 1)?;
    let mut planes = vec![domain.lo[axis]];
    for _ in 0..count {
        let word = args.peek();
        let place = scale[axis] * args.f64("the place of a wall")?;
        if let Some(word) = word.filter(|_| place <= planes[planes.len() - 1] || place >= domain.hi[axis]) {
            return Err(args.error(word, "walls stand in the box, each beyond the one before"));
        }
        planes.push(place);
    }
    planes.push(domain.hi[axis]);
    while !args.is_empty() {
        args.one_of("fix wall/flow keyword", &[("units", ())])?;
        faces::units(args)?;
    }
    Ok(Box::new(Flow { header, axis, velocity, temperature, seed, planes }))
}

impl Fix for Flow {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for Flow {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_integrate: Some("wall_flow"),
            ..DeviceHooks::of(kernel_file!("fix/wall_flow.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        if let Ok(domain) = now.session.domain()
            && (domain.lo[self.axis], domain.hi[self.axis])
                != (self.planes[0], self.planes[self.planes.len() - 1])
        {
            return Err(Error::new("the box has changed along its axis"));
        }
        let mut parameters = vec![now.session.clock.dt, self.velocity, self.axis as f64];
        parameters.extend([self.seed & 0xffff, self.seed >> 16, PURPOSE].map(f64::from));
        parameters.push(self.planes.len() as f64);
        parameters.extend(&self.planes);
        let units = now.session.system.units;
        let heat = 2.0 * units.boltz * self.temperature / units.mvv2e;
        parameters.extend(now.mass().map(|mass| (heat / mass).sqrt()));
        Ok(parameters)
    }
}
