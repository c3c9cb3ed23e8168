//! Wrapping, binning and the order of the atoms (cl/neighbor/cells.cl).

use crate::engine::neighbor::grid::Grid;
use crate::model::domain::Domain;

/// A position in the box along the periodic axes, and its image counts so that it stays with the edges crossed.
pub fn wrap(domain: &Domain, x: [f64; 3], image: [i32; 3]) -> ([f64; 3], [i32; 3]) {
    let (mut x, mut image) = (x, image);
    for d in (0..3).rev().filter(|&d| domain.periodic(d)) {
        let edge = domain.edges()[d];
        let boxes = domain.fractions(x)[d].floor();
        (0..3).for_each(|k| x[k] -= boxes * edge[k]);
        image[d] += boxes as i32;
    }
    (x, image)
}

/// What an atom's velocity becomes when it is wrapped in a box whose edges change at these rates, lx ly lz xy xz yz:
/// `crossed` says how many edges a, b, c it lay beyond the box.
pub fn carry(v: [f64; 3], crossed: [i32; 3], rate: [f64; 6]) -> [f64; 3] {
    let [a, b, c] = crossed.map(f64::from);
    let [x, y, z, xy, xz, yz] = rate;
    [v[0] - a * x - b * xy - c * xz, v[1] - b * y - c * yz, v[2] - c * z]
}

/// The rank of the cell of a wrapped position; `None` behind a fixed face, or where it is not a number.
pub fn bin(domain: &Domain, grid: &Grid, x: [f64; 3]) -> Option<u32> {
    let x = domain.straighten(x);
    let mut index = 0;
    for d in (0..3).rev() {
        let inside = domain.lo[d] <= x[d] && x[d] < domain.hi[d];
        if !x[d].is_finite() || !(domain.periodic(d) || inside) {
            return None;
        }
        let cells = grid.cells[d];
        let cell = (x[d] - domain.lo[d]) / domain.lengths()[d] * cells as f64;
        let cell = (cell.max(0.0) as usize).min(cells - 1);
        index = index * cells + cell;
    }
    Some(grid.rank[index])
}

/// The atoms in the order (cell, tag), or with their types (cell, type, tag), without those that have no cell.
pub fn order(keys: &[Option<u32>], kind: Option<&[u32]>, tag: &[u32]) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..keys.len()).filter(|&i| keys[i].is_some()).collect();
    kept.sort_by_key(|&i| (keys[i], kind.map(|kind| kind[i]), tag[i]));
    kept
}
