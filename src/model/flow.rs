//! What fixes do to atoms in a flow and in a box that changes (cl/fix/sllod.cl, wall_flow.cl,
//! follow_box.cl, msst.cl), and in regions that they cross one way (cl/fix/oneway.cl).

use crate::base::vector::{Vector, minus};
use crate::model::domain::Domain;

/// `nvt/sllod` around the kicks: the velocity of an atom at `x`, of which what is thermal is multiplied by a factor, and
/// which the flow pulls along for half a time step `dt`. `stream` is the velocity of the flow at a position, linear in it;
/// with `whole` it pulls on all of the velocity, else on what is thermal.
pub fn sllod(
    x: Vector,
    v: Vector,
    stream: impl Fn(Vector) -> Vector,
    factor: f64,
    dt: f64,
    whole: bool,
) -> Vector {
    let here = stream(x);
    let thermal = minus(v, here);
    let pull = minus(stream(if whole { v } else { thermal }), stream([0.0; 3]));
    std::array::from_fn(|d| factor * thermal[d] - 0.5 * dt * pull[d] + here[d])
}

/// e^x and (e^x - 1) / x: what becomes of y and of b in dy/dt = b + a y after a time t, for x = a t.
pub fn growth(x: f64) -> [f64; 2] {
    [x.exp(), if x == 0.0 { 1.0 } else { x.exp_m1() / x }]
}

/// `msst`: half a kick. A velocity and the change of it that the force alone would make, times factors of both.
pub fn damped(v: Vector, push: Vector, [kept, pushed]: [Vector; 2]) -> Vector {
    std::array::from_fn(|d| kept[d] * v[d] + pushed[d] * push[d])
}

/// A position that follows a box: at the same fractions of its edges.
pub fn follow_box(x: Vector, before: &Domain, after: &Domain) -> Vector {
    after.at_fractions(before.fractions(x))
}

/// `oneway`: a velocity whose component along an axis (0, 1, 2) does not have the sign of `way` is turned round there.
pub fn one_way(mut v: Vector, axis: usize, way: f64) -> Vector {
    if v[axis] * way < 0.0 {
        v[axis] = -v[axis];
    }
    v
}

/// `wall/flow`: planes across an axis that give atoms new velocities, as from a gas that flows along it.
pub struct Planes {
    /// 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Where they stand.
    pub places: Vec<f64>,
    /// The velocity of the flow.
    pub velocity: f64,
    /// sqrt(2 kB T / m) of the gas and the atom's mass.
    pub thermal: f64,
}

impl Planes {
    /// The velocity of an atom that has come to `x` in a time step `dt`, by four numbers that are drawn for it, uniform
    /// above 0 and up to 1; the velocity that it has where it went through no plane. Across the planes the speed u (in
    /// thermal velocities) is one of the flux u exp(-(u - d)^2) of a gas with the speed d against them: of which
    /// exp(-(u - d)^2) / sqrt(pi) + d erfc(u - d), up to a factor, is faster.
    pub fn pass(&self, x: Vector, v: Vector, dt: f64, u: [f64; 4]) -> Vector {
        use std::f64::consts::{PI, TAU};
        let (now, before) = (x[self.axis], x[self.axis] - v[self.axis] * dt);
        if self.places.iter().all(|&place| (before >= place) == (now >= place)) {
            return v;
        }
        let delta = self.velocity / self.thermal;
        let faster = |speed: f64, delta: f64| {
            let s = speed - delta;
            (-s * s).exp() / PI.sqrt() + delta * libm::erfc(s)
        };
        // With the flow and against it, by what passes either way.
        let (along, against) = (faster(0.0, delta), faster(0.0, -delta));
        let way = if u[2] > along / (along + against) { -1.0 } else { 1.0 };
        let all = faster(0.0, way * delta);
        let (mut slow, mut fast) = (0.0, 40.0);
        for _ in 0..100 {
            let middle = 0.5 * (slow + fast);
            let more = faster(middle, way * delta) > u[3] * all;
            *(if more { &mut slow } else { &mut fast }) = middle;
        }
        let width = self.thermal / 2_f64.sqrt() * (-2.0 * u[0].ln()).sqrt();
        let mut after = [0.0; 3];
        after[self.axis] = way * self.thermal * slow;
        after[(self.axis + 1) % 3] = width * (TAU * u[1]).cos();
        after[(self.axis + 2) % 3] = width * (TAU * u[1]).sin();
        after
    }
}
