//! The moduli of staged positions: how long they have to be for a grid, and how long they are.

use super::cell_size::{CellSize, SLACK};
use super::{Dims, block_edge, cells_needed, dims, images};
use crate::gpu::options::Precision;
use crate::model::domain;
use crate::model::domain::Domain;

/// The stretch of a box that leans by a little more than half an edge, as it may in a run that shears and flips it, or as
/// it is where that is more. Moduli and copies are for this, so that they last.
pub(super) fn widest(domain: &Domain, dimension: u32) -> [f64; 3] {
    if !domain.triclinic {
        return [1.0; 3];
    }
    let [lx, ly, lz] = domain.lengths();
    let half = if dimension == 2 { [lx / ly, 0.0, 0.0] } else { [lx / ly, lx / lz, ly / lz] };
    let slopes = domain.slopes();
    let [xy, xz, yz] = std::array::from_fn(|k| slopes[k].abs().max(0.55 * half[k]));
    // xy and yz of one sign stretch x the less, of opposite signs the more.
    domain::stretch([xy, -xz, yz])
}

/// The modulus of staged positions per axis, in distance units.
///
/// Where there are images, a whole number of moduli makes the box (or its copies), one in double precision. The
/// list builder compares atoms up to stencil + 2 cells apart; a difference modulo the modulus must not make
/// them look nearer than `reach`: modulus >= (stencil + 2) cell + reach. And it takes positions relative to
/// the middle of a block of cells: modulus >= edge + 2 stencil. Both hold for a box of as many cells.
/// Elsewhere the modulus is fixed by the smallest cell, whatever the box does: then a cell is shorter than
/// two of those, and the stencil at most [`CellSize::per_reach`]. Twice the longest `bond` fits in any case. In a triclinic box a quarter of the
/// modulus along each axis must be out of reach for the dummies that pad lists: modulus >= 4 reach.
pub fn moduli(
    domain: &Domain,
    dimension: u32,
    reach: f64,
    size: CellSize,
    bond: f64,
    precision: Precision,
) -> [f64; 3] {
    let Dims { replicas, .. } = dims(domain, dimension, reach, size);
    let edge = block_edge(domain, dimension, reach, size);
    let least = least_moduli(domain, dimension, reach, size, edge);
    // A box that leans leans more where faces that follow the atoms come nearer to each other.
    let room = if domain.triclinic { 1.1 } else { 1.0 };
    std::array::from_fn(|d| {
        if !images(domain, dimension)[d] {
            return room * open_modulus(domain, dimension, reach, size, bond)[d];
        }
        let bond = bond * widest(domain, dimension)[d];
        let (whole, least) = (domain.lengths()[d] * replicas[d] as f64, least[d].max(2.0 * bond));
        let parts =
            if precision == Precision::Double { 1.0 } else { (whole / (least * SLACK)).floor().max(1.0) };
        whole / parts
    })
}

/// The moduli of axes without images.
pub(super) fn open_modulus(
    domain: &Domain,
    dimension: u32,
    reach: f64,
    size: CellSize,
    bond: f64,
) -> [f64; 3] {
    let stretch = widest(domain, dimension);
    let far = far_apart(size, 1.0, 2.0 * size.smallest);
    std::array::from_fn(|d| {
        (4.0 * (size.per_reach + 2) as f64 * size.smallest + reach).max(2.0 * bond).max(far) * stretch[d]
    })
}

/// The length of box, along an axis stretched so much, in which lists of long pairs meet nobody twice: they look at up to a cell more on both
/// sides.
pub(super) fn far_apart(size: CellSize, stretch: f64, cell: f64) -> f64 {
    if size.far > 0.0 { size.far * stretch + 3.0 * cell } else { 0.0 }
}

/// The smallest moduli that do for blocks of `edge` cells.
pub(super) fn least_moduli(
    domain: &Domain,
    dimension: u32,
    reach: f64,
    size: CellSize,
    edge: usize,
) -> [f64; 3] {
    moduli_for(dims(domain, dimension, reach, size), domain, dimension, reach, size, edge)
}

pub(super) fn moduli_for(
    dims: Dims,
    domain: &Domain,
    dimension: u32,
    reach: f64,
    size: CellSize,
    edge: usize,
) -> [f64; 3] {
    let Dims { cells, stencil, .. } = dims;
    let (stretch, widest) = (domain.stretch(), widest(domain, dimension));
    std::array::from_fn(|d| {
        let (cell, reach_here) = (domain.lengths()[d] / cells[d] as f64, reach * stretch[d]);
        let least =
            ((stencil[d] as f64 + 2.0) * cell + reach_here).max(cells_needed(edge, stencil[d]) as f64 * cell);
        let least = if domain.triclinic { least.max(4.0 * reach * widest[d]) } else { least };
        least.max(far_apart(size, widest[d], cell))
    })
}
