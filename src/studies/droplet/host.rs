//! The droplet (cl/studies/droplet.cl).

use crate::reference::tiles;
use crate::studies::droplet::{CAP, CENTER_EVERY, Droplet, EPSILON, RATE, RIJ};

/// Forces and energy of all particles, on `threads` threads.
pub fn forces(droplet: &Droplet, threads: usize) -> (Vec<[f64; 3]>, f64) {
    let Droplet { x, charge, .. } = droplet;
    tiles::forces(x.len(), threads, |i, j| {
        let r: [f64; 3] = std::array::from_fn(|d| x[i][d] - x[j][d]);
        let r2inv = 1.0 / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        let s2 = RIJ * RIJ * r2inv;
        let s6 = s2 * s2 * s2;
        let coulomb = charge[i] * charge[j] * r2inv.sqrt();
        (r, (12.0 * EPSILON * s6 * (s6 - 1.0) + coulomb) * r2inv, EPSILON * s6 * (s6 - 2.0) + coulomb)
    })
}

/// Shifts the mean of the positions to the origin.
pub fn center(droplet: &mut Droplet) {
    let center = droplet.center();
    droplet.x.iter_mut().for_each(|x| (0..3).for_each(|d| x[d] -= center[d]));
}

/// x += RATE F, with the cap on particles outside of the radius.
pub fn advance(droplet: &mut Droplet, force: &[[f64; 3]]) {
    let radius = droplet.radius;
    for (x, f) in droplet.x.iter_mut().zip(force) {
        let beyond = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - radius * radius).max(0.0);
        *x = std::array::from_fn(|d| x[d] + RATE * (f[d] - CAP * beyond * x[d] / radius));
    }
}

/// That many steps; returns the energy before each.
pub fn run(droplet: &mut Droplet, steps: u32, threads: usize) -> Vec<f64> {
    let step = |step| {
        if step % CENTER_EVERY == 0 {
            center(droplet);
        }
        let (force, energy) = forces(droplet, threads);
        advance(droplet, &force);
        energy
    };
    (0..steps).map(step).collect()
}
