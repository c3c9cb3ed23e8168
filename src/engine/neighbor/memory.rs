//! How much memory lists will take.

use super::list::List;
use super::{Reach, grid};
use crate::base::error::Result;
use crate::base::format::g;
use crate::base::ranks;
use crate::engine::device_atoms::bytes_per_atom;
use crate::engine::kernels::Context;
use crate::model::domain::Domain;
use std::f64::consts::PI;

/// How many neighbours an atom has within `cutoff` at a uniform density.
pub fn expected_neighbors(domain: &Domain, dimension: u32, cutoff: f64, atoms: usize) -> f64 {
    let density = atoms as f64 / domain.volume(dimension);
    let round = if dimension == 2 { PI * cutoff * cutoff } else { 4.0 / 3.0 * PI * cutoff.powi(3) };
    // Beyond a face that is not periodic there is nothing.
    let width = |d| if domain.periodic(d) { 2.0 * cutoff } else { domain.lengths()[d].min(2.0 * cutoff) };
    let square: f64 = (0..dimension as usize).map(width).product();
    round.min(square) * density
}

/// How many neighbours atoms at `x` have together within `cutoff`, at a uniform density, between the outermost of them along axes where
/// they leave more than a cutoff of the box empty.
pub fn expected_neighbors_of(x: &[[f64; 3]], domain: &Domain, dimension: u32, cutoff: f64) -> f64 {
    let n = x.len() as f64;
    let mut around = domain.clone();
    let (least, most) = crate::model::extent::extent(domain, x);
    for d in (0..3).filter(|&d| domain.lengths()[d] - (most[d] - least[d]) > cutoff) {
        (around.lo[d], around.hi[d]) = (domain.lo[d].max(least[d]), domain.hi[d].min(most[d]));
    }
    // At most everybody, which is what a box without a width comes to.
    (n * expected_neighbors(&around, dimension, cutoff, x.len())).min(n * n)
}

/// How many entries the longest list of a uniform density has, with a margin.
pub(super) fn expected_longest(domain: &Domain, dimension: u32, cutoff: f64, atoms: usize) -> usize {
    (expected_neighbors(domain, dimension, cutoff, atoms) * 1.3 + 16.0) as usize
}

/// Of how many atoms this rank keeps lists, at most, where ranks share them out.
fn listed(atoms: usize) -> usize {
    match ranks::count() {
        1 => atoms,
        // Shares are even but for a 20th, and rooms a 16th larger.
        count => (atoms / count + atoms / count / 8 + 64).min(atoms),
    }
}

/// Compares what a system will take on the device with what there is; `there` says that the atoms themselves
/// are there already.
///
/// # Errors
/// Gives both figures, when it does not fit.
pub fn check_memory(
    context: &Context,
    domain: &Domain,
    dimension: u32,
    reach: &Reach,
    atoms: usize,
    there: bool,
) -> Result<()> {
    let numerics = context.numerics;
    let longest = expected_longest(domain, dimension, reach.longest, atoms);
    let copies = grid::copies(domain, dimension, reach.longest, reach.cell);
    let resident = if there { 0 } else { bytes_per_atom(numerics) };
    // Tallies, sort keys, payloads and cells, velocities between kicks, neighbour counts; cell ranges, counts, ranks and their
    // inverse.
    let tallies = if numerics.wide_pairs() { 64 } else { 32 };
    // Of long pairs: forces, tallies, owners near an atom.
    let long = if reach.long.is_some() { 11 * tallies / 8 + 20 } else { 0 };
    let cells = domain.volume(dimension) / reach.cell.smallest.powi(dimension as i32);
    let atom_bytes = atoms * (resident + tallies + long + 12 + 12 + 4 * context.shape.lanes)
        + 20 * cells.min(1e15) as usize;
    // A mistyped cutoff makes numbers that no integer holds.
    let around = grid::around(domain, dimension, reach.longest, reach.cell, context.shape.block_edge.max(1));
    let octants = grid::octants(domain, dimension, reach.longest, reach.cell);
    let bytes = List::bytes(context.shape, listed(atoms), longest, octants)
        .saturating_add(
            ((copies - 1) as u64).saturating_mul(atoms as u64 * 12 * numerics.staged_words() as u64),
        )
        .saturating_add(atom_bytes as u64)
        .saturating_add(4 * List::tile_words(context.shape, atoms, around) as u64);
    let what = format!("{atoms} atoms with about {} neighbour list entries each", g(longest as f64, 6));
    context.gpu.require_memory(bytes, &format!("{what} within {}", g(reach.longest, 6))).map_err(|error| {
        error.help("take fewer atoms, a shorter cutoff or skin, or a device with more memory")
    })
}
