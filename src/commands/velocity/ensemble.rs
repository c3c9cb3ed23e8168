//! The statistics of the velocities of a group.

use crate::model::rotation::angular_velocity;

use super::{Loop, Options};
use crate::base::error::{Error, Result};
use crate::base::random::ParkMiller;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::units::Units;
use crate::script::Args;
use crate::session::Session;

/// The atoms of a group with what their statistics need.
pub(super) struct Ensemble<'a> {
    pub(super) atoms: &'a mut Atoms,
    /// Mass per type, from type 1.
    mass: Vec<f64>,
    bit: u32,
    dimension: u32,
    units: &'static Units,
    domain: Domain,
    /// Degrees of freedom that rigid bodies have less than their atoms, known after a run.
    removed: f64,
}

impl<'a> Ensemble<'a> {
    pub(super) fn new(session: &'a mut Session, args: &Args, bit: u32) -> Result<Self> {
        let mut mass = Vec::new();
        for (index, value) in session.system.mass.iter().enumerate() {
            mass.push(value.ok_or_else(|| {
                let kind = index + 1;
                args.error_here(format_args!("atom type {kind} has no mass yet"))
                    .help(format!("set it with `mass {kind} VALUE`"))
            })?);
        }
        let (dimension, units, domain) =
            (session.system.dimension, session.system.units, session.domain()?.clone());
        let removed = session.fixes.iter().map(|fix| fix.removed_freedom(bit)).sum();
        Ok(Ensemble { atoms: session.atoms_mut()?, mass, bit, dimension, units, domain, removed })
    }

    pub(super) fn has(&self, i: usize) -> bool {
        self.atoms.mask[i] & self.bit != 0
    }

    fn mass_of(&self, i: usize) -> f64 {
        self.mass[self.atoms.kind[i] as usize - 1]
    }

    /// Random velocities with a spread of 1 / sqrt(mass).
    pub(super) fn draw(&mut self, seed: u32, options: &Options) -> Result<()> {
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
        Err(Error::new("create with `loop all` needs the atom IDs to be 1 to N without gaps")
            .help("add `loop geom` or `loop local`"))
    }

    /// Sets some components to 0, of the atoms that are in another group, too.
    pub(super) fn stop(&mut self, other: u32, components: [bool; 3]) {
        for i in 0..self.atoms.len() {
            if self.has(i) && self.atoms.mask[i] & other != 0 {
                let v = self.atoms.v[i].iter_mut().zip(components);
                v.filter(|(_, stops)| *stops).for_each(|(v, _)| *v = 0.0);
            }
        }
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
            return Err(Error::new("the group has no atoms whose motion could be removed"));
        }
        Ok(sum.map(|s| s / total))
    }

    /// Subtracts the velocity of the centre of mass.
    pub(super) fn remove_drift(&mut self) -> Result<()> {
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
        self.domain.unwrapped(self.atoms.x[i], self.atoms.image[i])
    }

    /// Subtracts the rotation about the centre of mass: v -= omega x r with omega = I^-1 L.
    pub(super) fn remove_rotation(&mut self) -> Result<()> {
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

    /// Temperature of the group: sum of m v^2 over dim N - dim degrees of freedom, less where there are rigid bodies.
    pub(super) fn temperature(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0_u64);
        for i in (0..self.atoms.len()).filter(|&i| self.has(i)) {
            let [x, y, z] = self.atoms.v[i];
            sum += (x * x + y * y + z * z) * self.mass_of(i);
            count += 1;
        }
        let dimension = f64::from(self.dimension);
        let freedom = dimension * count as f64 - dimension - self.removed;
        if freedom < 1.0 { 0.0 } else { sum * (self.units.mvv2e / (freedom * self.units.boltz)) }
    }

    /// Multiplies the velocities so that the temperature `now` of the group becomes another.
    pub(super) fn rescale(&mut self, now: f64, temperature: f64) -> Result<()> {
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

    /// Adds velocities to those of the group, times `sign`.
    pub(super) fn add(&mut self, flow: &[[f64; 3]], sign: f64) {
        for (i, flow) in flow.iter().enumerate() {
            if self.has(i) {
                (0..3).for_each(|d| self.atoms.v[i][d] += sign * flow[d]);
            }
        }
    }
}

fn centred(stream: &mut ParkMiller) -> f64 {
    stream.uniform() - 0.5
}
