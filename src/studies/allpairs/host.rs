//! The periodic box (cl/studies/allpairs.cl).

use crate::reference::tiles;
use crate::studies::allpairs::System;

/// 1.5 * 2^52.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Forces and energy of all pairs by their nearest images, on `threads` threads.
pub fn forces(system: &System, threads: usize) -> (Vec<[f64; 3]>, f64) {
    let System { x, kind, lengths, types, .. } = system;
    let inverse = lengths.map(|length| 1.0 / length);
    let row = system.per_pair + 1;
    let table = &system.table;
    tiles::forces(x.len(), threads, |i, j| {
        let r: [f64; 3] = std::array::from_fn(|d| {
            let r = x[i][d] - x[j][d];
            // To the nearest whole number: at 1.5 * 2^52 doubles are whole. A call of a rounding function
            // would cost as much as the pair.
            r - lengths[d] * ((r * inverse[d] + WHOLE) - WHOLE)
        });
        let rsq = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        let c = &table[(kind[i] as usize * types + kind[j] as usize) * row..][..row];
        if system.cutoff && rsq >= c[0] {
            return (r, 0.0, 0.0);
        }
        // lj/cut's numbers: see cl/pair/lj_cut.cl.
        let r2inv = 1.0 / rsq;
        let r6inv = r2inv * r2inv * r2inv;
        (r, r6inv * (c[1] * r6inv - c[2]) * r2inv, r6inv * (c[3] * r6inv - c[4]) - c[5])
    })
}

/// That many steps of velocity Verlet from the forces of the first configuration on.
pub fn run(system: &mut System, steps: u32, threads: usize) {
    let dt = system.dt;
    let kick = |system: &mut System, force: &[[f64; 3]], dt: f64| {
        for (i, v) in system.v.iter_mut().enumerate() {
            let scale = dt * system.ftm2v / system.mass[system.kind[i] as usize];
            (0..3).for_each(|d| v[d] += scale * force[i][d]);
        }
    };
    let mut force = forces(system, threads).0;
    for _ in 0..steps {
        kick(system, &force, 0.5 * dt);
        for (x, v) in system.x.iter_mut().zip(&system.v) {
            (0..3).for_each(|d| x[d] += dt * v[d]);
        }
        force = forces(system, threads).0;
        kick(system, &force, 0.5 * dt);
    }
}
