//! `velocity`: create, set, scale, ramp, zero. Source: LAMMPS manual, `velocity`.
//!
//! The order of rounding is LAMMPS's, so that a created set of velocities agrees to the last bit.

use crate::atoms::Atoms;
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::lattice;
use crate::random::ParkMiller;
use crate::script::{Args, Word};
use crate::state::State;
use crate::units::Units;

/// Where the random numbers of an atom come from.
#[derive(Clone, Copy, PartialEq)]
enum Loop {
    /// One stream over all IDs from 1 to N.
    All,
    /// One stream over the atoms of the group as they lie in memory.
    Local,
    /// A stream per atom, seeded by its position.
    Geom,
}

/// The keywords, with LAMMPS's defaults.
struct Options {
    gaussian: bool,
    sum: bool,
    mom: bool,
    rot: bool,
    order: Loop,
    /// Distance units per unit of the arguments, per axis.
    scale: [f64; 3],
}

/// `velocity GROUP create|set|scale|ramp|zero ... keywords`.
///
/// # Errors
/// When there are no atoms, a mass is missing where it is needed, or an argument is malformed, out of
/// range or not supported.
pub fn velocity(state: &mut State, args: &mut Args) -> Result<()> {
    state.domain()?;
    if state.atoms()?.is_empty() {
        return Err(args
            .error_here("there are no atoms yet")
            .help("make them with create_atoms or read_data"));
    }
    let bit = state.groups.arg(args)?;
    let style = args.word("a velocity style")?;
    match style.text.as_str() {
        "create" => create(state, args, bit),
        "set" => set(state, args, bit),
        "scale" => {
            let temperature = temperature_arg(args)?;
            options(state, args)?;
            Ensemble::new(state, args, bit)?.rescale(temperature)
        }
        "ramp" => ramp(state, args, bit),
        "zero" => {
            let linear = args.one_of("motion", &[("linear", true), ("angular", false)])?;
            options(state, args)?;
            let mut ensemble = Ensemble::new(state, args, bit)?;
            if linear { ensemble.remove_drift() } else { ensemble.remove_rotation() }
        }
        _ => {
            Err(args.unknown(style, "velocity style", ["create", "set", "scale", "ramp", "zero"].into_iter()))
        }
    }
}

fn options(state: &State, args: &mut Args) -> Result<Options> {
    let spacing = lattice::spacing(state.lattice.as_ref());
    let mut options =
        Options { gaussian: false, sum: false, mom: true, rot: false, order: Loop::All, scale: spacing };
    while let Some(word) = args.peek() {
        let known = ["dist", "sum", "mom", "rot", "loop", "units"].map(|name| (name, name));
        match word.text.as_str() {
            "temp" | "bias" | "rigid" => return Err(args.unsupported(word, "velocity keyword")),
            _ => {}
        }
        match args.one_of("velocity keyword", &known)? {
            "dist" => {
                options.gaussian = args.one_of("distribution", &[("uniform", false), ("gaussian", true)])?;
            }
            "sum" => options.sum = args.yes_no()?,
            "mom" => options.mom = args.yes_no()?,
            "rot" => options.rot = args.yes_no()?,
            "loop" => {
                let table = [("all", Loop::All), ("local", Loop::Local), ("geom", Loop::Geom)];
                options.order = args.one_of("loop mode", &table)?;
            }
            _ => options.scale = args.one_of("units", &[("box", [1.0; 3]), ("lattice", spacing)])?,
        }
    }
    Ok(options)
}

fn temperature_arg(args: &mut Args) -> Result<f64> {
    let word = args.clone().word("a temperature")?;
    let temperature = args.f64("a temperature")?;
    if temperature < 0.0 {
        return Err(args.error(word, "a temperature cannot be negative"));
    }
    Ok(temperature)
}

fn create(state: &mut State, args: &mut Args, bit: u32) -> Result<()> {
    let temperature = temperature_arg(args)?;
    let word = args.clone().word("a seed")?;
    let seed: u32 = args.int("a seed")?;
    // The largest number of 31 bits is the modulus of the generator: it would only yield zeros.
    if !(1..i32::MAX as u32).contains(&seed) {
        return Err(args.error(word, "a seed must lie within 1 and 2147483646"));
    }
    let options = options(state, args)?;
    let mut ensemble = Ensemble::new(state, args, bit)?;
    let new = vec![[0.0; 3]; ensemble.atoms.len()];
    let old = std::mem::replace(&mut ensemble.atoms.v, new);
    ensemble.draw(seed, &options)?;
    if options.mom {
        ensemble.remove_drift()?;
    }
    if options.rot {
        ensemble.remove_rotation()?;
    }
    ensemble.rescale(temperature)?;
    for (i, before) in old.into_iter().enumerate() {
        if !ensemble.has(i) {
            ensemble.atoms.v[i] = before;
        } else if options.sum {
            for (v, before) in ensemble.atoms.v[i].iter_mut().zip(before) {
                *v += before;
            }
        }
    }
    Ok(())
}

fn set(state: &mut State, args: &mut Args, bit: u32) -> Result<()> {
    let words: Vec<&Word> = args.rest().iter().take(3).collect();
    let mut values = [None; 3];
    for value in &mut values {
        if !args.accept("NULL") {
            *value = Some(args.f64("a velocity component or NULL")?);
        }
    }
    if state.dimension == 2 && values[2].is_some_and(|v| v != 0.0) {
        return Err(args.error(words[2], "atoms of a 2d system cannot move along z"));
    }
    let options = options(state, args)?;
    let atoms = state.atoms_mut()?;
    for (v, mask) in atoms.v.iter_mut().zip(&atoms.mask) {
        if mask & bit != 0 {
            for d in 0..3 {
                if let Some(value) = values[d] {
                    let value = value * options.scale[d];
                    v[d] = if options.sum { v[d] + value } else { value };
                }
            }
        }
    }
    Ok(())
}

fn ramp(state: &mut State, args: &mut Args, bit: u32) -> Result<()> {
    let word = args.clone().word("a velocity component")?;
    let component = args.one_of("velocity component", &[("vx", 0), ("vy", 1), ("vz", 2)])?;
    if state.dimension == 2 && component == 2 {
        return Err(args.error(word, "atoms of a 2d system cannot move along z"));
    }
    let velocities = [args.f64("a lower velocity")?, args.f64("an upper velocity")?];
    let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
    let word = args.peek();
    let coordinates = [args.f64("a lower coordinate")?, args.f64("an upper coordinate")?];
    if let Some(word) = word.filter(|_| coordinates[0] == coordinates[1]) {
        return Err(args.error(word, "the coordinates of a ramp must differ"));
    }
    let options = options(state, args)?;
    let [v_lo, v_hi] = velocities.map(|v| v * options.scale[component]);
    let [c_lo, c_hi] = coordinates.map(|c| c * options.scale[axis]);
    let atoms = state.atoms_mut()?;
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & bit != 0) {
        let fraction = ((atoms.x[i][axis] - c_lo) / (c_hi - c_lo)).clamp(0.0, 1.0);
        let value = v_lo + fraction * (v_hi - v_lo);
        let v = &mut atoms.v[i][component];
        *v = if options.sum { *v + value } else { value };
    }
    Ok(())
}

/// The atoms of a group with what their statistics need.
struct Ensemble<'a> {
    atoms: &'a mut Atoms,
    /// Mass per type, from type 1.
    mass: Vec<f64>,
    bit: u32,
    dimension: u32,
    units: &'static Units,
    domain: Domain,
}

impl<'a> Ensemble<'a> {
    fn new(state: &'a mut State, args: &Args, bit: u32) -> Result<Self> {
        let mut mass = Vec::new();
        for (index, value) in state.mass.iter().enumerate() {
            mass.push(value.ok_or_else(|| {
                let kind = index + 1;
                args.error_here(format_args!("atom type {kind} has no mass yet"))
                    .help(format!("set it with `mass {kind} VALUE`"))
            })?);
        }
        let (dimension, units, domain) = (state.dimension, state.units, state.domain()?.clone());
        Ok(Ensemble { atoms: state.atoms_mut()?, mass, bit, dimension, units, domain })
    }

    fn has(&self, i: usize) -> bool {
        self.atoms.mask[i] & self.bit != 0
    }

    fn mass_of(&self, i: usize) -> f64 {
        self.mass[self.atoms.kind[i] as usize - 1]
    }

    /// Random velocities with a spread of 1 / sqrt(mass).
    fn draw(&mut self, seed: u32, options: &Options) -> Result<()> {
        let number = if options.gaussian { ParkMiller::gaussian } else { centred };
        let mut stream = ParkMiller::new(seed);
        let order: Vec<usize> = match options.order {
            Loop::All => self.consecutive()?,
            Loop::Local | Loop::Geom => (0..self.atoms.len()).filter(|&i| self.has(i)).collect(),
        };
        if options.order == Loop::Local {
            stream.skip(100);
        }
        for i in order {
            if options.order == Loop::Geom {
                stream = ParkMiller::at_position(seed, self.atoms.x[i]);
            }
            // Drawn for every atom of the loop, in 2d for z too: the stream goes on the same way.
            let mut v = [number(&mut stream), number(&mut stream), number(&mut stream)];
            if self.dimension == 2 {
                v[2] = 0.0;
            }
            if self.has(i) {
                let factor = 1.0 / self.mass_of(i).sqrt();
                self.atoms.v[i] = v.map(|v| v * factor);
            }
        }
        Ok(())
    }

    /// The atoms in the order of their IDs, which must be 1 to N.
    fn consecutive(&self) -> Result<Vec<usize>> {
        let order = self.atoms.by_tag();
        if order.iter().zip(1..).all(|(&i, tag)| self.atoms.tag[i] == tag) {
            return Ok(order);
        }
        Err(Error::new("velocity: create with `loop all` needs the atom IDs to be 1 to N without gaps")
            .help("add `loop geom` or `loop local`"))
    }

    /// Sum over the group of a function of atom and mass.
    fn sum(&self, term: impl Fn(usize, f64) -> [f64; 3]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for i in (0..self.atoms.len()).filter(|&i| self.has(i)) {
            let term = term(i, self.mass_of(i));
            for d in 0..3 {
                sum[d] += term[d];
            }
        }
        sum
    }

    /// The mean of a property over the group, weighted by mass.
    fn mean(&self, value: impl Fn(usize) -> [f64; 3]) -> Result<[f64; 3]> {
        let sum = self.sum(|i, mass| value(i).map(|value| value * mass));
        let total = self.sum(|_, mass| [mass; 3])[0];
        if total == 0.0 {
            return Err(Error::new("velocity: the group has no atoms whose motion could be removed"));
        }
        Ok(sum.map(|s| s / total))
    }

    /// Subtracts the velocity of the centre of mass.
    fn remove_drift(&mut self) -> Result<()> {
        let drift = self.mean(|i| self.atoms.v[i])?;
        for i in 0..self.atoms.len() {
            if self.has(i) {
                for (v, drift) in self.atoms.v[i].iter_mut().zip(drift) {
                    *v -= drift;
                }
            }
        }
        Ok(())
    }

    /// The position with the box lengths that the atom has crossed.
    fn unwrapped(&self, i: usize) -> [f64; 3] {
        let lengths = self.domain.lengths();
        std::array::from_fn(|d| self.atoms.x[i][d] + f64::from(self.atoms.image[i][d]) * lengths[d])
    }

    /// Subtracts the rotation about the centre of mass: v -= omega x r with omega = I^-1 L.
    fn remove_rotation(&mut self) -> Result<()> {
        let centre = self.mean(|i| self.unwrapped(i))?;
        let arm = |this: &Self, i: usize| {
            let x = this.unwrapped(i);
            [x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]]
        };
        let momentum = self.sum(|i, mass| {
            let ([x, y, z], [vx, vy, vz]) = (arm(self, i), self.atoms.v[i]);
            [mass * (y * vz - z * vy), mass * (z * vx - x * vz), mass * (x * vy - y * vx)]
        });
        let diagonal = self.sum(|i, mass| {
            let [x, y, z] = arm(self, i);
            [mass * (y * y + z * z), mass * (x * x + z * z), mass * (x * x + y * y)]
        });
        let products = self.sum(|i, mass| {
            let [x, y, z] = arm(self, i);
            [-(mass * x * y), -(mass * y * z), -(mass * x * z)]
        });
        let omega = angular_velocity(diagonal, products, momentum);
        for i in 0..self.atoms.len() {
            if self.has(i) {
                let [x, y, z] = arm(self, i);
                let v = &mut self.atoms.v[i];
                v[0] -= omega[1] * z - omega[2] * y;
                v[1] -= omega[2] * x - omega[0] * z;
                v[2] -= omega[0] * y - omega[1] * x;
            }
        }
        Ok(())
    }

    /// Temperature of the group: sum of m v^2 over (dim N - dim) degrees of freedom.
    fn temperature(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0_u64);
        for i in (0..self.atoms.len()).filter(|&i| self.has(i)) {
            let [x, y, z] = self.atoms.v[i];
            sum += (x * x + y * y + z * z) * self.mass_of(i);
            count += 1;
        }
        let dimension = f64::from(self.dimension);
        let freedom = dimension * count as f64 - dimension;
        if freedom < 1.0 { 0.0 } else { sum * (self.units.mvv2e / (freedom * self.units.boltz)) }
    }

    /// Multiplies the velocities so that the group has this temperature.
    fn rescale(&mut self, temperature: f64) -> Result<()> {
        let now = self.temperature();
        if now == 0.0 {
            return Err(Error::new("the group has temperature 0 and cannot be scaled to another"));
        }
        let factor = (temperature / now).sqrt();
        for i in 0..self.atoms.len() {
            if self.has(i) {
                self.atoms.v[i] = self.atoms.v[i].map(|v| v * factor);
            }
        }
        Ok(())
    }
}

fn centred(stream: &mut ParkMiller) -> f64 {
    stream.uniform() - 0.5
}

/// Solves I omega = L; I has `diagonal` xx yy zz and `products` xy yz xz.
pub(crate) fn angular_velocity(diagonal: [f64; 3], products: [f64; 3], momentum: [f64; 3]) -> [f64; 3] {
    let ([xx, yy, zz], [xy, yz, xz]) = (diagonal, products);
    let determinant = xx * yy * zz + xy * yz * xz + xz * xy * yz - xx * yz * yz - xy * xy * zz - xz * yy * xz;
    let trace = xx + yy + zz;
    // Only atoms on one line have a singular tensor: I is then trace / 2 for every axis across it,
    // and L has no component along it.
    if determinant <= 1e-12 * trace.powi(3) {
        return if trace > 0.0 { momentum.map(|l| 2.0 * l / trace) } else { [0.0; 3] };
    }
    let inverse = [
        [yy * zz - yz * yz, -(xy * zz - xz * yz), xy * yz - xz * yy],
        [-(xy * zz - yz * xz), xx * zz - xz * xz, -(xx * yz - xz * xy)],
        [xy * yz - yy * xz, -(xx * yz - xy * xz), xx * yy - xy * xy],
    ];
    inverse.map(|row| {
        let [x, y, z] = row.map(|element| element / determinant);
        x * momentum[0] + y * momentum[1] + z * momentum[2]
    })
}
