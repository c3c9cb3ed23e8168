//! `fix wall/piston`: a wall that moves up from the lower face across z, and mirrors atoms (cl/fix/wall_piston.cl): it drives shocks. Source:
//! LAMMPS manual, `fix wall/piston`.

use super::faces;
use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::domain::Boundary;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct WallPiston {
    header: Header,
    /// Where it begins.
    place: f64,
    /// Its velocity, at the end of the run with `ramp`.
    velocity: f64,
    ramp: bool,
}

/// Takes `zlo`, `pos Z`, `vel VZ`, `ramp` and `units box` or `lattice`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let [.., scale] = faces::scale(session, args);
    let word = args.word("the face: zlo")?;
    if word.text != "zlo" {
        return Err(args.error(word, "a piston stands at the face zlo"));
    }
    faces::check(session, args, word, false, false)?;
    if session.domain()?.boundary[2][0] != Boundary::Shrink {
        return Err(args
            .error(word, "a piston needs a face zlo that is shrink-wrapped")
            .help("write `boundary p p s`"));
    }
    let mut fix = WallPiston { header, place: 0.0, velocity: 0.0, ramp: false };
    let keywords = [("pos", 0), ("vel", 1), ("ramp", 2), ("units", 3), ("temp", 4)];
    while let Some(word) = args.peek() {
        match args.one_of("fix wall/piston keyword", &keywords)? {
            0 => fix.place = scale * args.f64("where the piston begins")?,
            1 => fix.velocity = scale * args.f64("the velocity of the piston")?,
            2 => fix.ramp = true,
            3 => faces::units(args)?,
            _ => {
                return Err(args
                    .error(word, "a thermostat before the piston is not supported")
                    .help("use fix langevin on a group of atoms"));
            }
        }
    }
    Ok(Box::new(fix))
}

impl Fix for WallPiston {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for WallPiston {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_integrate: Some("wall_piston"),
            ..DeviceHooks::of(kernel_file!("fix/wall_piston.cl"))
        })
    }

    /// Time counts from the first step of the span.
    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let dt = now.session.clock.dt;
        let [first, last] = now.span;
        let [time, duration] = [now.step, last].map(|step| (step - first) as f64 * dt);
        let [distance, velocity] = match self.ramp {
            true if duration > 0.0 => {
                let velocity = self.velocity * time / duration;
                [velocity * time / 2.0, velocity]
            }
            true => [0.0; 2],
            false => [self.velocity * time, self.velocity],
        };
        Ok(vec![self.place + distance, velocity])
    }

    fn varies(&self) -> bool {
        true
    }
}
