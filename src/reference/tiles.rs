//! All pairs (cl/studies/tiles.cl), as programs for one core do it: every pair once, by Newton's third law.

use rayon::prelude::*;

/// Forces on `n` atoms and the energy of all pairs, by the triangular loop over i < j. `pair(i, j)` gives
/// x_i - x_j, F / r and the energy. Its rows are dealt out to `threads` tasks, each with forces of its own, which
/// are added up in the order of the tasks; one task stays on the calling thread.
pub fn forces(
    n: usize,
    threads: usize,
    pair: impl Fn(usize, usize) -> ([f64; 3], f64, f64) + Sync,
) -> (Vec<[f64; 3]>, f64) {
    let rows = |first: usize| {
        let mut force = vec![[0.0; 3]; n];
        let mut energy = 0.0;
        for i in (first..n).step_by(threads) {
            let mut mine = [0.0; 3];
            for (j, other) in (i + 1..).zip(&mut force[i + 1..]) {
                let (r, pull, e) = pair(i, j);
                for d in 0..3 {
                    mine[d] += pull * r[d];
                    other[d] -= pull * r[d];
                }
                energy += e;
            }
            (0..3).for_each(|d| force[i][d] += mine[d]);
        }
        (force, energy)
    };
    if threads == 1 {
        return rows(0);
    }
    let parts: Vec<_> = (0..threads).into_par_iter().map(rows).collect();
    let energy = parts.iter().map(|(_, energy)| energy).sum();
    let total = |i: usize| std::array::from_fn(|d| parts.iter().map(|(force, _)| force[i][d]).sum());
    ((0..n).into_par_iter().map(total).collect(), energy)
}
