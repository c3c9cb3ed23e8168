//! One rigid body: what it is, where it is, how it moves, and its halves of a step.

use super::quaternion::{
    Axes, Quaternion, angular_velocity, axes, no_squish, over, plus, principal, quaternion, richardson,
    times_vector, to_body, to_space, without,
};
use crate::base::error::{Error, Result};
use crate::base::vector::{Vector, cross, dot};
use crate::model::domain::Domain;
use std::ops::Range;

/// How orientations go through a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// By Richardson's extrapolation, the angular momentum by its change.
    Richardson,
    /// By the symplectic rotations of Miller et al., with the momentum conjugate to the orientation.
    NoSquish,
}

/// What a step's halves need to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    pub turn: Turn,
    /// The whole time step.
    pub dt: f64,
    /// Half of it, in velocity per force over mass.
    pub kick: f64,
    /// What a thermostat multiplies the velocity and the conjugate momentum by; 1 without one.
    pub scale: [f64; 2],
}

/// A rigid body. Lengths, masses, times and forces are in the script's units; vectors are in space, where nothing else is
/// said.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    /// The number by which it is known: its place in the list of groups from 1, or the molecule ID.
    pub id: i64,
    /// Its atoms among those of all bodies ([`super::bodies::Bodies`]).
    pub members: Range<usize>,
    pub mass: f64,
    /// Centre of mass, in the box when lists were built.
    pub centre: Vector,
    /// How many box lengths that has crossed.
    pub image: [i32; 3],
    pub velocity: Vector,
    /// Principal moments of inertia, in rising order; 0 about the axis of a line.
    pub moments: Vector,
    pub orientation: Quaternion,
    /// Angular momentum about the centre.
    pub momentum: Vector,
    /// Momentum conjugate to the orientation, where that is followed.
    pub conjugate: Quaternion,
    pub omega: Vector,
    /// Force and torque, those of a thermostat among them.
    pub force: [Vector; 2],
    /// Those of a Langevin thermostat.
    pub noise: [Vector; 2],
    /// 1 for the components of force and torque that count, else 0.
    pub free: [Vector; 2],
}

/// How many numbers restart files keep of a body.
pub(super) const NUMBERS: usize = 36;

impl Body {
    /// Its axes in space.
    pub(super) fn axes(&self) -> Axes {
        axes(self.orientation)
    }

    /// Its degrees of freedom that count; in 2 dimensions (`flat`) no body turns about the axis of a line.
    pub(super) fn freedom(&self, flat: bool) -> f64 {
        let components: f64 = self.free.iter().flatten().sum();
        components - f64::from(u8::from(self.is_line() && !flat))
    }

    /// Whether it has no moment about one of its axes.
    pub(super) fn is_line(&self) -> bool {
        self.moments.contains(&0.0)
    }

    /// The components of force and torque that count in so many dimensions.
    pub(super) fn free_in(dimension: u32) -> [Vector; 2] {
        if dimension == 2 { [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]] } else { [[1.0; 3]; 2] }
    }

    /// Finds principal moments and axes of the tensor of inertia xx yy zz yz xz xy about the centre.
    ///
    /// # Errors
    /// When it holds no numbers.
    pub(super) fn orient(&mut self, tensor: [f64; 6], flat: bool) -> Result<()> {
        let found = principal(tensor, flat);
        let (moments, axes) = found.ok_or_else(|| {
            Error::new(format!("the moments of inertia of body {} are no finite numbers", self.id))
        })?;
        self.moments = moments;
        self.orientation = quaternion(&axes);
        Ok(())
    }

    /// What follows from the angular momentum.
    pub(super) fn begin(&mut self) {
        let axes = self.axes();
        self.omega = angular_velocity(&axes, self.moments, self.momentum);
        self.conjugate = times_vector(self.orientation, to_body(&axes, self.momentum)).map(|x| 2.0 * x);
    }

    fn kick(&mut self, half: Half) {
        let count = |k: usize, body: &Body| std::array::from_fn(|d| body.free[k][d] * body.force[k][d]);
        let (force, torque): (Vector, Vector) = (count(0, self), count(1, self));
        self.velocity = plus(self.velocity, half.kick / self.mass, force);
        match half.turn {
            Turn::Richardson => self.momentum = plus(self.momentum, half.kick, torque),
            Turn::NoSquish => {
                let push = times_vector(self.orientation, to_body(&self.axes(), torque));
                self.conjugate = std::array::from_fn(|k| self.conjugate[k] + 2.0 * half.kick * push[k]);
            }
        }
    }

    fn scale(&mut self, half: Half) {
        self.velocity = self.velocity.map(|v| v * half.scale[0]);
        self.conjugate = self.conjugate.map(|p| p * half.scale[1]);
    }

    /// Angular momentum and velocity from the conjugate momentum.
    fn follow_conjugate(&mut self) {
        let axes = self.axes();
        self.momentum = to_space(&axes, without(self.orientation, self.conjugate)).map(|x| 0.5 * x);
        self.omega = angular_velocity(&axes, self.moments, self.momentum);
    }

    /// Before the forces: half a kick, and the whole way.
    pub(super) fn first_half(&mut self, half: Half) {
        self.kick(half);
        self.scale(half);
        self.centre = plus(self.centre, half.dt, self.velocity);
        match half.turn {
            Turn::Richardson => {
                self.omega = richardson(&mut self.orientation, self.moments, self.momentum, half.dt);
            }
            Turn::NoSquish => {
                no_squish(&mut self.orientation, &mut self.conjugate, self.moments, half.dt);
                self.follow_conjugate();
            }
        }
    }

    /// After the forces: the other half kick.
    pub(super) fn second_half(&mut self, half: Half) {
        self.scale(half);
        self.kick(half);
        match half.turn {
            Turn::Richardson => self.omega = angular_velocity(&self.axes(), self.moments, self.momentum),
            Turn::NoSquish => self.follow_conjugate(),
        }
    }

    /// Takes off what a plane has no room for.
    pub(super) fn flatten(&mut self) {
        (self.centre[2], self.velocity[2], self.force[0][2]) = (0.0, 0.0, 0.0);
        for turn in [&mut self.force[1], &mut self.momentum, &mut self.omega] {
            (turn[0], turn[1]) = (0.0, 0.0);
        }
    }

    /// Brings the centre into the box.
    pub(super) fn wrap(&mut self, domain: &Domain) {
        domain.wrap(&mut self.centre, &mut self.image);
    }

    /// The velocity of an atom at `arm` from the centre.
    pub(super) fn velocity_at(&self, arm: Vector) -> Vector {
        plus(cross(self.omega, arm), 1.0, self.velocity)
    }

    /// Twice the kinetic energy, of translation and of rotation, of the components that count, in mass times velocity
    /// squared.
    pub(super) fn motion(&self) -> [f64; 2] {
        let along = (0..3).map(|d| self.free[0][d] * self.velocity[d] * self.velocity[d]).sum::<f64>();
        let momentum = to_body(&self.axes(), self.momentum);
        let omega = over(momentum, self.moments);
        let round = (0..3).map(|d| self.free[1][d] * momentum[d] * omega[d]).sum();
        [self.mass * along, round]
    }

    /// Twice the kinetic energy of rotation, of all components.
    pub(super) fn turning(&self) -> f64 {
        dot(self.momentum, self.omega)
    }

    /// What restart files keep.
    pub(super) fn numbers(&self) -> [f64; NUMBERS] {
        let mut all = [self.mass].to_vec();
        all.extend(self.image.map(f64::from));
        all.extend(self.orientation.iter().chain(&self.conjugate));
        for vector in self.vectors() {
            all.extend(vector);
        }
        std::array::from_fn(|k| all[k])
    }

    /// Takes them back.
    pub(super) fn set_numbers(&mut self, numbers: &[f64]) {
        self.mass = numbers[0];
        self.image = std::array::from_fn(|d| numbers[1 + d] as i32);
        self.orientation = std::array::from_fn(|k| numbers[4 + k]);
        self.conjugate = std::array::from_fn(|k| numbers[8 + k]);
        let vector = |k: usize| std::array::from_fn(|d| numbers[12 + 3 * k + d]);
        [self.centre, self.velocity, self.moments, self.momentum] = std::array::from_fn(vector);
        self.force = [vector(4), vector(5)];
        self.noise = [vector(6), vector(7)];
        self.omega = angular_velocity(&self.axes(), self.moments, self.momentum);
    }

    fn vectors(&self) -> [Vector; 8] {
        let [force, torque] = self.force;
        let [push, twist] = self.noise;
        [self.centre, self.velocity, self.moments, self.momentum, force, torque, push, twist]
    }
}
