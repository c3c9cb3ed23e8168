//! Sums and extremes over atoms (cl/analysis/reduce.cl).

use crate::model::atoms::Atoms;

/// Sum of m v v (xx yy zz xy xz yz) over the atoms of a group, and their number.
pub fn kinetic(atoms: &Atoms, mass: &[f64], group: u32) -> ([f64; 6], u64) {
    let mut sum = ([0.0; 6], 0);
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & group != 0) {
        let (m, v) = (mass[atoms.kind[i] as usize - 1], atoms.v[i]);
        for (k, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            sum.0[k] += m * v[a] * v[b];
        }
        sum.1 += 1;
    }
    sum
}

/// Pair energy, bond energy and virial (xx yy zz xy xz yz) from 8 numbers per atom.
pub fn tally(tallies: &[f64]) -> (f64, f64, [f64; 6]) {
    let column = |k| tallies.chunks_exact(8).map(|row| row[k]).sum();
    (column(0), column(7), std::array::from_fn(|k| column(k + 1)))
}
