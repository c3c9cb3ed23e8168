//! The Zabusky-Kruskal scheme (cl/studies/kdv.cl), operation by operation as there, so that fp64 devices give the same
//! bits; on one core and on all of them, in the processor's widest vectors.

use rayon::prelude::*;

/// Points per work unit of [`run_on_all_cores`] below which waking other threads costs more than it saves.
pub const FEWEST_POINTS: usize = 8192;

/// The factors of the two terms of f in a step (Zabusky and Kruskal 1965, equation 3), with the time step in
/// them: `u_next = u_before - a (u[+1] + u[0] + u[-1]) (u[+1] - u[-1]) - b (u[+2] - 2 u[+1] + 2 u[-1] - u[-2])`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// 2 dt / (6 dx), dt in the units of the equation; half of it in the first step.
    pub a: f64,
    /// 2 dt delta^2 / (2 dx^3); half of it in the first step.
    pub b: f64,
}

impl Factors {
    /// For the first step, which goes from `u` at one time by dt instead of 2 dt.
    #[must_use]
    pub fn halved(self) -> Self {
        Factors { a: 0.5 * self.a, b: 0.5 * self.b }
    }
}

#[inline(always)]
fn next(before: f64, [m2, m1, u, p1, p2]: [f64; 5], Factors { a, b }: Factors) -> f64 {
    before - (a * (p1 + u + m1) * (p1 - m1) + b * ((p2 - m2) - 2.0 * (p1 - m1)))
}

/// Replaces `part`, the values one step before `u` (2 points or more) from its point `start` on, by those one
/// step after.
#[inline(always)]
fn advance(u: &[f64], part: &mut [f64], start: usize, factors: Factors) {
    let n = u.len();
    let end = start + part.len();
    // The points whose neighbours lie in one stretch of `u`.
    let first = start.max(2).min(end);
    let inner = first..(n - 2).min(end).max(first);
    if !inner.is_empty() {
        let windows = u[inner.start - 2..inner.end + 2].windows(5);
        for (x, w) in part[inner.start - start..inner.end - start].iter_mut().zip(windows) {
            *x = next(*x, [w[0], w[1], w[2], w[3], w[4]], factors);
        }
    }
    for j in (start..inner.start).chain(inner.end..end) {
        let w = [2 * n - 2, n - 1, 0, 1, 2].map(|k| u[(j + k) % n]);
        part[j - start] = next(part[j - start], w, factors);
    }
}

/// Values of the last step and of the one before, after `steps` steps from `initial`; the first one is the
/// seed document's (5), a forward step.
pub fn run(initial: &[f64], factors: Factors, steps: u64) -> (Vec<f64>, Vec<f64>) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            let (mut u, mut before) = (initial.to_vec(), initial.to_vec());
            for step in 0..steps {
                let factors = if step == 0 { factors.halved() } else { factors };
                advance(&u, &mut before, 0, factors);
                std::mem::swap(&mut u, &mut before);
            }
            (u, before)
        },
    )
}

/// As [`run`], for several runs of `n` points one after the other in `initial`, on all cores: the runs are
/// dealt out, or of a single one the points of each step. The last step's values.
pub fn run_on_all_cores(initial: &[f64], n: usize, factors: Factors, steps: u64) -> Vec<f64> {
    if initial.len() > n {
        return initial.par_chunks(n).flat_map_iter(|run_| run(run_, factors, steps).0).collect();
    }
    let (mut u, mut before) = (initial.to_vec(), initial.to_vec());
    let part = n.div_ceil(rayon::current_num_threads()).max(FEWEST_POINTS);
    let arch = pulp::Arch::new();
    for step in 0..steps {
        let factors = if step == 0 { factors.halved() } else { factors };
        before.par_chunks_mut(part).enumerate().for_each(|(k, points)| {
            arch.dispatch(
                #[inline(always)]
                || advance(&u, points, k * part, factors),
            );
        });
        std::mem::swap(&mut u, &mut before);
    }
    u
}
