//! A Nose-Hoover chain: the thermostat variables and their half step.
//!
//! G. J. Martyna, M. E. Tuckerman, D. J. Tobias, M. L. Klein, Mol. Phys. 87, 1117 (1996).

/// How a chain goes through half a time step.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfStep {
    /// The whole time step.
    pub dt: f64,
    /// Parts that the half step is made in.
    pub loops: usize,
    /// What each part multiplies velocities of the chain by, 1 without drag.
    pub drag: f64,
}

/// The links of a chain: positions, velocities (one more, which stays 0), masses and accelerations.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
    mass: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Chain {
    /// At rest.
    pub(super) fn new(links: usize) -> Self {
        let zeros = vec![0.0; links];
        Chain {
            position: zeros.clone(),
            velocity: vec![0.0; links + 1],
            mass: zeros.clone(),
            acceleration: zeros,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.position.len()
    }

    /// What it remembers: positions, velocities, accelerations.
    pub(super) fn numbers(&self) -> Vec<f64> {
        [&self.position[..], &self.velocity, &self.acceleration].concat()
    }

    /// The inverse of [`Chain::numbers`], of a chain of as many links.
    pub(super) fn set_numbers(&mut self, numbers: &[f64]) {
        let columns = [&mut self.position, &mut self.velocity, &mut self.acceleration];
        columns.into_iter().flatten().zip(numbers).for_each(|(to, number)| *to = *number);
    }

    /// Sets the masses of the first link and of the others.
    pub(super) fn set_masses(&mut self, first: f64, other: f64) {
        self.mass.fill(other);
        self.mass.iter_mut().take(1).for_each(|mass| *mass = first);
    }

    /// The mass of the last link, 0 without one.
    pub(super) fn last_mass(&self) -> f64 {
        self.mass.last().copied().unwrap_or(0.0)
    }

    /// The accelerations of all links but the first, at a temperature kB T.
    pub(super) fn accelerate(&mut self, kt: f64) {
        (1..self.len()).for_each(|link| self.acceleration[link] = self.driven_by_last(link, kt));
    }

    fn driven_by_last(&self, link: usize, kt: f64) -> f64 {
        (self.mass[link - 1] * self.velocity[link - 1].powi(2) - kt) / self.mass[link]
    }

    /// Half a step of a chain on degrees of freedom with twice the kinetic energy `kinetic`, which is to become
    /// `target`. Returns the factor of their velocities; `kinetic` follows it.
    pub(super) fn advance(&mut self, kinetic: &mut f64, target: f64, kt: f64, step: HalfStep) -> f64 {
        let part = 1.0 / step.loops as f64;
        let (half, quarter, eighth) = (0.5 * step.dt, 0.25 * step.dt, 0.125 * step.dt);
        let pull = |kinetic: f64, mass: f64| if mass > 0.0 { (kinetic - target) / mass } else { 0.0 };
        let mut total = 1.0;
        self.acceleration[0] = pull(*kinetic, self.mass[0]);
        for _ in 0..step.loops {
            let mut damping = 1.0;
            for link in (0..self.len()).rev() {
                damping = (-part * eighth * self.velocity[link + 1]).exp();
                self.velocity[link] *= damping;
                self.velocity[link] += self.acceleration[link] * part * quarter;
                self.velocity[link] *= step.drag;
                self.velocity[link] *= damping;
            }
            let factor = (-part * half * self.velocity[0]).exp();
            total *= factor;
            *kinetic *= factor * factor;
            self.acceleration[0] = pull(*kinetic, self.mass[0]);
            for (position, velocity) in self.position.iter_mut().zip(&self.velocity) {
                *position += part * half * velocity;
            }
            self.velocity[0] *= damping;
            self.velocity[0] += self.acceleration[0] * part * quarter;
            self.velocity[0] *= damping;
            for link in 1..self.len() {
                let damping = (-part * eighth * self.velocity[link + 1]).exp();
                self.velocity[link] *= damping;
                self.acceleration[link] = self.driven_by_last(link, kt);
                self.velocity[link] += self.acceleration[link] * part * quarter;
                self.velocity[link] *= damping;
            }
        }
        total
    }

    /// Potential energy of each link; the first stands for degrees of freedom with the energy `target`.
    pub(super) fn potential(&self, target: f64, kt: f64) -> Vec<f64> {
        let of = |(link, position): (usize, &f64)| if link == 0 { target * position } else { kt * position };
        self.position.iter().enumerate().map(of).collect()
    }

    /// Kinetic energy of each link.
    pub(super) fn kinetic(&self) -> Vec<f64> {
        self.mass
            .iter()
            .zip(&self.velocity)
            .map(|(mass, velocity)| 0.5 * mass * velocity * velocity)
            .collect()
    }
}
