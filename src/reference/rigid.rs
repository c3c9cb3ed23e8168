//! Atoms of rigid bodies (cl/fix/rigid.cl).

use crate::base::vector::Vector;

/// A body as the device has it.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its axes in space.
    pub axes: [Vector; 3],
    /// Its centre, with the box lengths that this has crossed.
    pub centre: Vector,
    /// Its velocity.
    pub velocity: Vector,
    /// Its angular velocity.
    pub omega: Vector,
}

/// Unwrapped position and velocity of an atom that is at `place` along the axes of a body, from its centre.
pub fn carried(place: Vector, body: &Body) -> [Vector; 2] {
    let arm: Vector = std::array::from_fn(|d| (0..3).map(|axis| place[axis] * body.axes[axis][d]).sum());
    let [wx, wy, wz] = body.omega;
    let round = [wy * arm[2] - wz * arm[1], wz * arm[0] - wx * arm[2], wx * arm[1] - wy * arm[0]];
    [std::array::from_fn(|d| body.centre[d] + arm[d]), std::array::from_fn(|d| body.velocity[d] + round[d])]
}
