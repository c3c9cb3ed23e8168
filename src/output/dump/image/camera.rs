//! Where a picture is seen from: an orthographic camera, as LAMMPS sets it up. LAMMPS manual, `dump image`.

use crate::base::vector::{cross, dot};
use crate::model::domain::Domain;

/// What the script says of the view.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Angle from the z axis and around it, in degrees.
    pub(super) theta: f64,
    pub(super) phi: f64,
    /// What is in the middle, as fractions of the box.
    pub(super) center: [f64; 3],
    /// Whether the camera follows a box that changes.
    pub(super) follows: bool,
    pub(super) up: [f64; 3],
    pub(super) zoom: f64,
}

/// From positions to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    origin: [f64; 3],
    right: [f64; 3],
    up: [f64; 3],
    toward: [f64; 3],
    /// Pixels per unit of length.
    pub(super) scale: f64,
    middle: [f64; 2],
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = dot(a, a).sqrt();
    a.map(|part| part / length)
}

/// The corners of a box: bit d of the index says whether it is at the far end of edge d.
pub(super) fn corners(domain: &Domain) -> [[f64; 3]; 8] {
    std::array::from_fn(|k| domain.at_fractions([0, 1, 2].map(|d| f64::from((k >> d & 1) as u8))))
}

impl Camera {
    /// For a picture of so many pixels. Twice the longest side of what bounds the box is as high as the picture.
    pub(super) fn new(view: &View, domain: &Domain, [width, height]: [usize; 2]) -> Self {
        let corners = corners(domain);
        let bound = |d: usize| {
            let along = || corners.iter().map(|corner| corner[d]);
            [along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max)]
        };
        let bounds = [0, 1, 2].map(bound);
        let longest = bounds.map(|[lo, hi]| hi - lo).into_iter().fold(0.0, f64::max);
        let toward = |theta: f64| {
            let (theta, phi) = (theta.to_radians(), view.phi.to_radians());
            [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()]
        };
        // Seen along `up` the picture is what it becomes as the camera tilts to there from larger angles, of which 180 is the largest.
        let mut direction = toward(view.theta);
        let mut right = cross(view.up, direction);
        if dot(right, right) < 1e-12 * dot(view.up, view.up) {
            direction = toward(view.theta + if view.theta < 180.0 { 1e-4 } else { -1e-4 });
            right = cross(view.up, direction);
        }
        if dot(right, right) == 0.0 {
            right = cross([view.up[1], view.up[2], view.up[0]], direction);
        }
        let right = unit(right);
        Camera {
            origin: std::array::from_fn(|d| bounds[d][0] + view.center[d] * (bounds[d][1] - bounds[d][0])),
            right,
            up: cross(direction, right),
            toward: direction,
            scale: height as f64 * view.zoom / (2.0 * longest),
            middle: [(width / 2) as f64, (height / 2) as f64],
        }
    }

    /// A position in pixels: to the right, up, and toward the eye.
    pub(super) fn project(&self, x: [f64; 3]) -> [f64; 3] {
        let x = std::array::from_fn(|d| (x[d] - self.origin[d]) * self.scale);
        [dot(x, self.right) + self.middle[0], dot(x, self.up) + self.middle[1], dot(x, self.toward)]
    }
}
