//! Nose-Hoover chains of rigid bodies, one for translation and one for rotation. Source: H. Kamberaj, R. J. Low and
//! M. P. Neal, J. Chem. Phys. 122, 224114 (2005), with the weights of Yoshida and Suzuki.

/// One chain.
#[derive(Clone, Debug, Default)]
struct Chain {
    position: Vec<f64>,
    velocity: Vec<f64>,
    pull: Vec<f64>,
    mass: Vec<f64>,
    /// Degrees of freedom.
    freedom: f64,
}

/// How the chains are made and how they go through a step: `tparam`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub links: usize,
    pub loops: usize,
    /// 3 or 5.
    pub order: usize,
}

/// The chains of a fix.
#[derive(Clone, Debug)]
pub(super) struct Chains {
    shape: Shape,
    /// The inverse of the period.
    frequency: f64,
    /// Of translation, of rotation.
    chains: [Chain; 2],
    /// kB times the target temperature at the last step.
    kt: f64,
}

/// The first terms of sinh(x) / x.
fn sinh_over(x: f64) -> f64 {
    let (x2, x4) = (x * x, x * x * x * x);
    1.0 + x2 / 6.0 + x4 / 120.0 + x2 * x4 / 5040.0 + x4 * x4 / 362_880.0
}

impl Chain {
    /// Pulls of all links but the first, at a temperature kB T.
    fn pull_links(&mut self, kt: f64) {
        for k in 1..self.position.len() {
            self.pull[k] = (self.mass[k - 1] * self.velocity[k - 1].powi(2) - kt) / self.mass[k];
        }
    }

    /// A link's velocity over a part of a step, slowed by the next one.
    fn advance(&mut self, k: usize, part: f64) {
        let slow = 0.25 * part * self.velocity[k + 1];
        let s = (-slow).exp();
        self.velocity[k] = self.velocity[k] * s * s + 0.5 * part * self.pull[k] * s * sinh_over(slow);
    }

    fn part(&mut self, kt: f64, part: f64) {
        let last = self.position.len() - 1;
        self.velocity[last] += 0.5 * part * self.pull[last];
        (0..last).rev().for_each(|k| self.advance(k, part));
        for (position, velocity) in self.position.iter_mut().zip(&self.velocity) {
            *position += part * velocity;
        }
        self.pull_links(kt);
        for k in 0..last {
            self.advance(k, part);
            self.pull[k + 1] = (self.mass[k] * self.velocity[k].powi(2) - kt) / self.mass[k + 1];
        }
        self.velocity[last] += 0.5 * part * self.pull[last];
    }

    fn energy(&self, kt: f64) -> f64 {
        let first = self.freedom * self.position.first().copied().unwrap_or(0.0);
        let potential = kt * (first + self.position.iter().skip(1).sum::<f64>());
        let kinetic = self.mass.iter().zip(&self.velocity).map(|(mass, v)| 0.5 * mass * v * v);
        potential + kinetic.sum::<f64>()
    }
}

impl Chains {
    /// At rest, for a period.
    pub(super) fn new(shape: Shape, period: f64) -> Self {
        let zeros = || vec![0.0; shape.links];
        let chain =
            || Chain { position: zeros(), velocity: zeros(), pull: zeros(), mass: zeros(), freedom: 0.0 };
        Chains { shape, frequency: 1.0 / period, chains: [chain(), chain()], kt: 0.0 }
    }

    /// Counts the degrees of freedom, at a target kB T.
    pub(super) fn begin(&mut self, freedom: [f64; 2], kt: f64) {
        self.count(freedom);
        self.weigh(kt);
        self.chains.iter_mut().for_each(|chain| chain.pull_links(kt));
    }

    /// Goes on with other degrees of freedom.
    pub(super) fn count(&mut self, freedom: [f64; 2]) {
        self.chains.iter_mut().zip(freedom).for_each(|(chain, freedom)| chain.freedom = freedom);
    }

    fn weigh(&mut self, kt: f64) {
        self.kt = kt;
        let mass = kt / (self.frequency * self.frequency);
        for chain in &mut self.chains {
            chain.mass.fill(mass);
            chain.mass[0] = chain.freedom * mass;
        }
    }

    /// What velocities and conjugate momenta are multiplied by in half a step.
    pub(super) fn scale(&self, dt: f64) -> [f64; 2] {
        [0, 1].map(|k| (-0.5 * dt * self.chains[k].velocity[0]).exp())
    }

    /// A step of the chains on motions with twice these kinetic energies. Nothing without degrees of freedom.
    pub(super) fn advance(&mut self, kinetic: [f64; 2], kt: f64, dt: f64) {
        if self.chains.iter().map(|chain| chain.freedom).sum::<f64>() == 0.0 {
            return;
        }
        self.weigh(kt);
        let order = self.shape.order as f64;
        // All weights are the same but the middle one, which makes their sum 1.
        let (outer, root) = (order - 1.0, (order - 1.0).powf(1.0 / 3.0));
        let outer_weight = 1.0 / (outer - root);
        for (chain, kinetic) in self.chains.iter_mut().zip(kinetic) {
            if chain.freedom == 0.0 {
                continue;
            }
            chain.pull[0] = (kinetic - chain.freedom * kt) / chain.mass[0];
            for _ in 0..self.shape.loops {
                for k in 0..self.shape.order {
                    let middle = k == self.shape.order / 2;
                    let weight = if middle { 1.0 - outer * outer_weight } else { outer_weight };
                    chain.part(kt, weight * dt / self.shape.loops as f64);
                }
            }
        }
    }

    /// The energy of the chains.
    pub(super) fn energy(&self) -> f64 {
        self.chains.iter().map(|chain| chain.energy(self.kt)).sum()
    }

    /// What restart files keep.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let of = |chain: &Chain| {
            [&chain.position[..], &chain.velocity, &chain.pull, &chain.mass, &[chain.freedom]].concat()
        };
        [vec![self.kt], of(&self.chains[0]), of(&self.chains[1])].concat()
    }

    /// How many these are.
    pub(super) fn length(&self) -> usize {
        1 + 2 * (4 * self.shape.links + 1)
    }

    /// The inverse of [`Chains::numbers`], as many.
    pub(super) fn set_numbers(&mut self, numbers: &[f64]) {
        self.kt = numbers[0];
        let mut rest = numbers[1..].iter().copied();
        for Chain { position, velocity, pull, mass, freedom } in &mut self.chains {
            for to in [position, velocity, pull, mass].into_iter().flatten().chain([freedom]) {
                *to = rest.next().unwrap_or(0.0);
            }
        }
    }
}
