//! How long cells are: at least half a list cutoff, or the whole one where atoms lie thin, and more where a box is nearly empty.

use super::{cells_needed, images};
use crate::model::domain::Domain;

/// Cells that a small system may always have, whatever the volume of its box: on GPUs, and where walking them takes as long as
/// moving atoms.
const FREE_CELLS: usize = 1 << 16;
const FEW_FREE_CELLS: usize = 1 << 11;
/// The longest edge that few cells have, in list cutoffs: staged positions count in units that are as much longer, and at this they
/// are still finer than fp32 has them.
const LONGEST_CELL: f64 = 8.0;
/// Cells per list cutoff, where atoms are dense enough to fill them.
const PER_REACH: usize = 2;
/// Where they fill them with more atoms than these, GPUs have more cells per list cutoff, up to so many: with a long cutoff some blocks would
/// be too few for a device, and each would have thousands of candidates.
const CROWDED_CELL: f64 = 6.0;
const MOST_PER_REACH: usize = 4;
/// Cells are a little larger than they need be, so that an atom that fp32 rounds into the next cell
/// (single precision) is still within reach.
pub(super) const SLACK: f64 = 1.0 + 1e-3;

/// So many times as many cells as a box may have are too many: larger ones are due.
const TOO_MANY: f64 = 16.0;
/// Atoms in a block of four cells of half a list cutoff per axis, which a work-group takes, below which GPUs are faster with cells of a
/// whole one: an H200 was so with 53 and not with 70 in three dimensions, and with 25 in two (docs/performance.md).
const FULL_BLOCK: f64 = 64.0;
/// The same on CPUs, in an octant of two cells per axis, which a work-item takes.
const FULL_OCTANT: f64 = 8.0;
/// Atoms that are counted to see how thin they lie, about.
pub(super) const COUNTED: usize = 1 << 17;

/// Whether atoms lie so thin that cells of half a list cutoff would be nearly empty, also around the atoms: a droplet in a large box is
/// dense. `few`: cells are to be few, as on CPUs, where an octant is full with fewer atoms.
pub fn is_sparse(domain: &Domain, dimension: u32, reach: f64, few: bool, x: &[[f64; 3]]) -> bool {
    let whole = reach * SLACK / PER_REACH as f64 * 2.0;
    let others = || others(whole, dimension as usize, x) / 2_f64.powi(dimension as i32);
    would_lie_thin(domain, dimension, reach, x.len(), few) && others() < full(dimension, few)
}

/// Whether they would if they were evenly spread.
pub fn would_lie_thin(domain: &Domain, dimension: u32, reach: f64, atoms: usize, few: bool) -> bool {
    let half = reach * SLACK / PER_REACH as f64;
    atoms as f64 * half.powi(dimension as i32) < full(dimension, few) * domain.volume(dimension)
}

/// Atoms in a cell of half a list cutoff that is full enough.
fn full(dimension: u32, few: bool) -> f64 {
    match few {
        true => FULL_OCTANT / 2_f64.powi(dimension as i32),
        false => FULL_BLOCK / 4_f64.powi(dimension as i32),
    }
}

/// How many others there are in the cell of an atom, by cells with that edge: the mean over the atoms, of many over those of some cells.
pub(super) fn others(edge: f64, dimension: usize, x: &[[f64; 3]]) -> f64 {
    let share = x.len().div_ceil(COUNTED).max(1) as u64;
    // The cell, mixed well (SplitMix64; S. Vigna).
    let mixed = |x: &[f64; 3]| {
        x[..dimension].iter().fold(0_u64, |key, x| {
            let mut z = (key ^ (x / edge).floor() as i64 as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        })
    };
    let of = |share: u64| x.iter().map(mixed).filter(move |cell| cell.is_multiple_of(share));
    let mut cells: Vec<u64> = of(share).collect();
    if cells.is_empty() {
        cells = of(1).collect(); // all are in a few cells
    }
    cells.sort_unstable();
    let pairs: f64 = cells.chunk_by(|a, b| a == b).map(|cell| (cell.len() * (cell.len() - 1)) as f64).sum();
    pairs / cells.len().max(1) as f64
}

/// How long cells are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSize {
    /// The smallest edge that one may have.
    pub smallest: f64,
    /// How many of them a list cutoff reaches at most.
    pub per_reach: usize,
    /// How many a box may have before larger ones do.
    pub most: f64,
    /// How far apart atoms of [long pairs](crate::engine::neighbor::long_pairs) must be told from their images, twice; 0 without such pairs.
    pub far: f64,
}

impl CellSize {
    /// At least half a list cutoff (less on GPUs where many atoms would be in each), or where atoms [lie thin](is_sparse) the whole one, if the
    /// box is long enough not to be seen twice. Cells are larger where the box is so empty that the cells would outnumber the atoms many times, with `few` earlier.
    pub fn new(domain: &Domain, dimension: u32, reach: f64, atoms: usize, few: bool, thin: bool) -> Self {
        let volume = domain.volume(dimension);
        let edge = |cells: f64| edge_of(&domain.lengths()[..dimension as usize], cells);
        let [few_cells, many_cells] = [FEW_FREE_CELLS, FREE_CELLS].map(|free| free.max(8 * atoms) as f64);
        let (free, empty) = match few {
            true => (few_cells, edge(many_cells).max(edge(few_cells).min(LONGEST_CELL * reach))),
            false => (many_cells, edge(many_cells)),
        };
        // SLACK twice, so that rounding does not make the stencil two cells.
        let in_cells =
            |per_reach: &usize| atoms as f64 / volume * (reach / *per_reach as f64).powi(dimension as i32);
        let per_reach = match few || thin {
            true => PER_REACH,
            false => {
                (PER_REACH..MOST_PER_REACH).find(|n| in_cells(n) <= CROWDED_CELL).unwrap_or(MOST_PER_REACH)
            }
        };
        let (part, whole) = (reach * SLACK / per_reach as f64, reach * SLACK * SLACK);
        let (stretch, images) = (domain.stretch(), images(domain, dimension));
        let room =
            |d: usize| !images[d] || domain.lengths()[d] >= cells_needed(2, 1) as f64 * whole * stretch[d];
        let least = if thin && (0..3).all(room) { whole } else { part };
        let smallest = least.max(empty);
        CellSize {
            smallest,
            per_reach,
            most: 2.0 * free.max(volume / smallest.powi(dimension as i32)),
            far: 0.0,
        }
    }

    /// Whether a box has many times as many of them as were to be.
    pub fn are_too_many(&self, domain: &Domain) -> bool {
        domain.lengths().iter().map(|l| (l / self.smallest).max(1.0)).product::<f64>() > TOO_MANY * self.most
    }
}

/// The edge of cells of which a box of these lengths has so many; along lengths that are shorter it has one.
fn edge_of(lengths: &[f64], cells: f64) -> f64 {
    let mut longer = lengths.to_vec();
    loop {
        let edge = (longer.iter().product::<f64>() / cells).powf(1.0 / longer.len() as f64);
        let before = longer.len();
        if before > 1 {
            longer.retain(|length| *length >= edge);
        }
        if longer.len() == before || longer.is_empty() {
            return edge;
        }
    }
}
