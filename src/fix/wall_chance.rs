//! Walls that send atoms back by chance: `fix wall/reflect/stochastic` and `fix wall/flow` (cl/fix/wall_chance.cl, which
//! names the sources).

use super::faces::{self, Face};
use super::{Call, Fix, Header, Moment, Stage, snippet};
use crate::error::{Error, Result};
use crate::script::Args;
use crate::state::State;

/// What the random numbers are for, as part of Philox's key (walls, flows).
const PURPOSES: [u32; 2] = [11, 12];

fn seed(args: &mut Args<'_>) -> Result<u32> {
    let word = args.peek();
    let seed: u32 = args.int("a seed")?;
    match word.filter(|_| seed == 0) {
        Some(word) => Err(args.error(word, "a seed must be positive")),
        None => Ok(seed),
    }
}

fn key(seed: u32, purpose: u32) -> [f64; 3] {
    [seed & 0xffff, seed >> 16, purpose].map(f64::from)
}

/// A wall that scatters atoms.
struct Wall {
    face: Face,
    temperature: f64,
    velocity: [f64; 3],
    /// Which share of the momentum along each axis is forgotten.
    accommodation: [f64; 3],
}

struct Stochastic {
    header: Header,
    function: Call,
    seed: u32,
    walls: Vec<Wall>,
}

/// `fix wall/reflect/stochastic`: takes `diffusive`, `maxwell` or `ccl`, a seed, and for each wall `FACE PLACE TEMPERATURE
/// VX VY VZ` with 0, 1 or 3 accommodation coefficients.
pub(super) fn stochastic(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let styles =
        [("diffusive", ("wall_diffusive", 0)), ("maxwell", ("wall_maxwell", 1)), ("ccl", ("wall_ccl", 3))];
    let (function, coefficients) = args.one_of("way to scatter", &styles)?;
    let seed = seed(args)?;
    let scale = faces::scale(state, args);
    let mut walls: Vec<Wall> = Vec::new();
    while let Some(word) = args.peek() {
        let known = ["xlo", "xhi", "ylo", "yhi", "zlo", "zhi", "units"];
        args.one_of("face or keyword", &known.map(|name| (name, ())))?;
        let Some(which) = Face::named(word) else {
            faces::units(args)?;
            continue;
        };
        faces::check(state, args, word, walls.iter().any(|wall| wall.face.is(which)), false)?;
        let place = args.peek();
        let face = Face::read(state, args, which, scale)?;
        if let Some(place) = place.filter(|_| face.varies()) {
            return Err(args.error(place, "such a wall cannot move: a number or EDGE is expected"));
        }
        let temperature = args.positive("the temperature of the wall")?;
        let mut velocity = [0.0; 3];
        for (d, velocity) in velocity.iter_mut().enumerate() {
            let word = args.peek();
            *velocity = args.f64("a component of the velocity of the wall")?;
            if let Some(word) = word.filter(|_| d == face.axis && *velocity != 0.0) {
                return Err(args.error(word, "a wall moves along itself only"));
            }
        }
        let mut accommodation = [1.0; 3];
        for share in &mut accommodation[..coefficients] {
            let word = args.peek();
            *share = args.f64("an accommodation coefficient")?;
            if let Some(word) = word.filter(|_| !(0.0..=1.0).contains(share)) {
                return Err(args.error(word, "an accommodation coefficient is from 0 to 1"));
            }
        }
        if coefficients == 1 {
            accommodation = [accommodation[0]; 3];
        }
        walls.push(Wall { face, temperature, velocity, accommodation });
    }
    if walls.is_empty() {
        args.word("a face: xlo, xhi, ylo, yhi, zlo or zhi")?;
    }
    Ok(Box::new(Stochastic { header, function, seed, walls }))
}

/// kB / m of each type, in velocity squared over temperature.
fn heat_per_mass(now: &Moment<'_>) -> Vec<f64> {
    let units = now.state.units;
    now.mass().map(|mass| units.boltz / (mass * units.mvv2e)).collect()
}

impl Fix for Stochastic {
    fn header(&self) -> &Header {
        &self.header
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage { moved: Some(self.function), ..Stage::of(snippet!("wall_chance.cl")) })
    }

    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        let thermal = heat_per_mass(now);
        let mut parameters = vec![self.walls.len() as f64, 5.0 + thermal.len() as f64];
        parameters.extend(key(self.seed, PURPOSES[0]));
        parameters.extend(thermal);
        for wall in &self.walls {
            parameters.extend([
                wall.face.axis as f64,
                wall.face.side,
                wall.face.place(now)?,
                wall.temperature,
            ]);
            parameters.extend(wall.velocity.into_iter().chain(wall.accommodation));
        }
        Ok(parameters)
    }
}

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
pub(super) fn flow(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let scale = faces::scale(state, args);
    let word = args.peek();
    let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
    let domain = state.domain()?;
    if let Some(word) = word.filter(|_| !domain.periodic(axis)) {
        return Err(args.error(word, format_args!("the box is not periodic along {}", word.text)));
    }
    let velocity = args.positive("the velocity of the flow")?;
    let temperature = args.positive("its temperature")?;
    let seed = seed(args)?;
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

    fn stage(&self) -> Option<Stage> {
        Some(Stage { moved: Some("wall_flow"), ..Stage::of(snippet!("wall_chance.cl")) })
    }

    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        if let Ok(domain) = now.state.domain()
            && (domain.lo[self.axis], domain.hi[self.axis])
                != (self.planes[0], self.planes[self.planes.len() - 1])
        {
            return Err(Error::new("the box has changed along its axis"));
        }
        let mut parameters = vec![now.state.dt, self.velocity, self.axis as f64];
        parameters.extend(key(self.seed, PURPOSES[1]));
        parameters.push(self.planes.len() as f64);
        parameters.extend(&self.planes);
        parameters.extend(heat_per_mass(now).iter().map(|heat| (2.0 * heat * self.temperature).sqrt()));
        Ok(parameters)
    }
}
