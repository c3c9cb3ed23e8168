//! `fix wall/reflect/stochastic`: rough, warm walls (cl/fix/wall_reflect_stochastic.cl): diffusive, J. C. Maxwell's mix of
//! diffusive and specular, and the model of C. Cercignani and M. Lampis, Transp. Theory Stat. Phys. 1, 101 (1971), as M. Lord,
//! Phys. Fluids A 3, 706 (1991), samples it. Source: LAMMPS manual, `fix wall/reflect/stochastic`. The numbers drawn
//! depend on seed, atom ID and step alone.

use super::faces::{self, Face};
use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct Wall {
    face: Face,
    temperature: f64,
    velocity: [f64; 3],
    accommodation: [f64; 3],
}

struct WallReflectStochastic {
    header: Header,
    /// 0 diffusive, 1 maxwell, 2 ccl.
    model: u32,
    seed: u32,
    walls: Vec<Wall>,
}

/// Takes `MODEL SEED`, and for each wall `FACE PLACE T VX VY VZ` with one accommodation coefficient (maxwell) or three
/// (ccl); `units box` or `lattice`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let model = args.one_of("model of a wall", &[("diffusive", 0), ("maxwell", 1), ("ccl", 2)])?;
    let word = args.peek();
    let seed = args.int("the seed (a positive integer)")?;
    if let Some(word) = word.filter(|_| !(1..=i64::from(i32::MAX)).contains(&seed)) {
        return Err(args.error(word, "the seed must be a positive integer").help("any from 1 to 2147483647"));
    }
    let walls = faces::walls(session, args, |wall: &Wall| &wall.face, |args, face| wall(args, face, model))?;
    Ok(Box::new(WallReflectStochastic { header, model, seed: seed as u32, walls }))
}

/// Takes what follows the place of a wall.
fn wall(args: &mut Args<'_>, face: Face, model: u32) -> Result<Wall> {
    let word = args.peek();
    let temperature = args.f64("the temperature of the wall")?;
    if let Some(word) = word.filter(|_| temperature < 0.0) {
        return Err(args.error(word, "the temperature of the wall is below 0"));
    }
    let mut velocity = [0.0; 3];
    for (d, v) in velocity.iter_mut().enumerate() {
        let word = args.peek();
        *v = args.f64("a velocity of the wall")?;
        if let Some(word) = word.filter(|_| d == face.axis && *v != 0.0) {
            return Err(args.error(word, "a wall moves along itself only").help("write 0 across it"));
        }
    }
    let mut accommodation = [1.0; 3];
    for part in accommodation.iter_mut().take([0, 1, 3][model as usize]) {
        let word = args.peek();
        *part = args.f64("an accommodation coefficient")?;
        if let Some(word) = word.filter(|_| !(0.0..=1.0).contains(part)) {
            return Err(args.error(word, "an accommodation coefficient is a number from 0 to 1"));
        }
    }
    if model == 1 {
        accommodation = [accommodation[0]; 3];
    }
    Ok(Wall { face, temperature, velocity, accommodation })
}

impl Fix for WallReflectStochastic {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for WallReflectStochastic {
    fn hooks(&self) -> Option<DeviceHooks> {
        let snippet = kernel_file!("fix/wall_reflect_stochastic.cl");
        Some(DeviceHooks { post_integrate: Some("wall_reflect_stochastic"), ..DeviceHooks::of(snippet) })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let seed = [self.seed & 0xffff, self.seed >> 16];
        let mut parameters = vec![self.walls.len() as f64];
        parameters.extend(seed.map(f64::from));
        parameters.push(f64::from(self.model));
        for Wall { face, temperature, velocity, accommodation } in &self.walls {
            parameters.extend([face.axis as f64, face.side, face.place(now)?, *temperature]);
            parameters.extend(velocity.iter().chain(accommodation));
        }
        let units = now.session.system.units;
        let per_mass = |mass: &Option<f64>| units.boltz / (mass.unwrap_or(1.0) * units.mvv2e);
        parameters.extend(now.session.system.mass.iter().map(per_mass));
        Ok(parameters)
    }

    fn varies(&self) -> bool {
        self.walls.iter().any(|wall| wall.face.varies())
    }
}
