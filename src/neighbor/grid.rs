//! The cell grid: how the box is divided, how cells are numbered along a Hilbert curve, and which
//! ghost cells repeat which cells of the box.

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::kernels::Numerics;

/// Cells that a small system may always have, whatever the volume of its box.
const FREE_CELLS: usize = 1 << 22;
/// Cells per list cutoff, where atoms are dense enough to fill them.
const PER_REACH: f64 = 2.0;
/// Cells are a little larger than they need be, so that an atom that fp32 rounds into the next cell
/// (single precision) is still within reach.
const SLACK: f64 = 1.0 + 1e-3;

/// The smallest edge that a cell may have: half a list cutoff, or more where the box is so empty that
/// the cells would outnumber the atoms many times.
pub fn smallest_cell(domain: &Domain, dimension: u32, reach: f64, atoms: usize) -> f64 {
    let per_cell = domain.volume(dimension) / FREE_CELLS.max(8 * atoms) as f64;
    (reach * SLACK / PER_REACH).max(per_cell.powf(1.0 / f64::from(dimension)))
}

/// Half the range that staged positions need, per axis. The list builder compares atoms of an octant with
/// those around it, up to stencil + 2 cells away; a separation beyond half the range looks shorter by the
/// whole range, and must not look shorter than `reach` then: separation + reach <= 2 span.
pub fn span(reach: f64, smallest: f64) -> f64 {
    SLACK * (3.0 * reach).max(4.0 * smallest)
}

/// A grid of cells over the box, with layers outside for ghosts on the axes that have images.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Cells of the box per axis.
    pub cells: [usize; 3],
    /// Layers of ghost cells on each side.
    pub margin: [usize; 3],
    /// Cells that the list cutoff reaches.
    pub stencil: [usize; 3],
    /// Number of each cell along the curve, x fastest, over the extended grid.
    pub rank: Vec<u32>,
    /// Per ghost cell, in the order of ranks: own rank, rank of the source, shift, packed box counts.
    pub ghost_cells: Vec<[u32; 4]>,
    /// The shifts, in box lengths.
    pub shifts: Vec<[i32; 3]>,
}

/// Whether a grid over this box can be had: a box may have grown without bound, or be flat beyond measure.
///
/// # Errors
/// A box that is not finite, too many cells for its atoms, or more images per axis than a ghost can name.
pub fn check(domain: &Domain, dimension: u32, reach: f64, smallest: f64, atoms: usize) -> Result<()> {
    let length = domain.lengths();
    if !length.iter().all(|l| l.is_finite()) {
        return Err(Error::new("the simulation box is not finite: the simulation is unstable")
            .help("check the time step, overlapping atoms and the coefficients"));
    }
    let layers = |d: usize| if domain.periodic(d) && d < dimension as usize { 2.0 * reach } else { 0.0 };
    let cells: f64 = (0..3).map(|d| ((length[d] + layers(d)) / smallest).max(1.0)).product();
    let most = (16 * FREE_CELLS).max(64 * atoms).min(i32::MAX as usize);
    if cells > most as f64 {
        return Err(Error::new(format!(
            "the box has grown to {cells:.3e} cells of the neighbour search for {atoms} atoms"
        ))
        .help("bound it with fixed or periodic boundaries, or let go of atoms that fly away"));
    }
    let boxes = (0..dimension as usize).filter(|&d| domain.periodic(d)).map(|d| reach / length[d]);
    if boxes.fold(0.0, f64::max) > 500.0 {
        return Err(Error::new(format!("the cutoff and the skin, {reach}, span more than 500 box lengths"))
            .help("take a larger box or a shorter cutoff"));
    }
    Ok(())
}

/// The numbers a grid depends on: when they stay, so does everything else of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dims {
    cells: [usize; 3],
    margin: [usize; 3],
    stencil: [usize; 3],
}

fn dims(domain: &Domain, dimension: u32, reach: f64, smallest: f64) -> Dims {
    let length = domain.lengths();
    let cells = length.map(|l| ((l / smallest) as usize).max(1));
    let stencil =
        std::array::from_fn(|d| (reach * SLACK / (length[d] / cells[d] as f64)).ceil().max(1.0) as usize);
    let imaged = |d: usize| domain.periodic(d) && d < dimension as usize;
    let margin = std::array::from_fn(|d| if imaged(d) { stencil[d] } else { 0 });
    Dims { cells, margin, stencil }
}

impl Grid {
    /// For lists of cutoff `reach` (cutoff + skin), with cells no smaller than `smallest`.
    pub fn new(domain: &Domain, dimension: u32, reach: f64, smallest: f64) -> Self {
        let Dims { cells, margin, stencil } = dims(domain, dimension, reach, smallest);
        let extended: [usize; 3] = std::array::from_fn(|d| cells[d] + 2 * margin[d]);
        let total = extended.iter().product::<usize>();
        let coordinates = |index: usize| {
            [index % extended[0], index / extended[0] % extended[1], index / (extended[0] * extended[1])]
        };
        let mut curve: Vec<(u64, u32)> =
            (0..total).map(|index| (hilbert(coordinates(index), extended), index as u32)).collect();
        curve.sort_unstable();
        let mut rank = vec![0; total];
        for (place, &(_, index)) in curve.iter().enumerate() {
            rank[index as usize] = place as u32;
        }

        let mut shifts: Vec<[i32; 3]> = Vec::new();
        let mut shift_index = std::collections::HashMap::new();
        let mut ghost_cells = Vec::new();
        for (place, &(_, index)) in curve.iter().enumerate() {
            let at = coordinates(index as usize);
            let mut source = [0; 3];
            let mut boxes = [0i32; 3];
            for d in 0..3 {
                let cell = at[d] as i64 - margin[d] as i64;
                source[d] = cell.rem_euclid(cells[d] as i64) as usize + margin[d];
                boxes[d] = cell.div_euclid(cells[d] as i64) as i32;
            }
            if boxes == [0; 3] {
                continue;
            }
            let shift = *shift_index.entry(boxes).or_insert_with(|| {
                shifts.push(boxes);
                shifts.len() as u32 - 1
            });
            let packed = boxes.iter().rev().fold(0, |word, &b| word << 10 | (b + 512) as u32);
            let source = rank[(source[2] * extended[1] + source[1]) * extended[0] + source[0]];
            ghost_cells.push([place as u32, source, shift, packed]);
        }
        Grid { cells, margin, stencil, rank, ghost_cells, shifts }
    }

    /// Whether the same grid fits another box.
    pub fn fits(&self, domain: &Domain, dimension: u32, reach: f64, smallest: f64) -> bool {
        dims(domain, dimension, reach, smallest)
            == Dims { cells: self.cells, margin: self.margin, stencil: self.stencil }
    }

    /// Bits of the sort keys: one more value than there are cells, for atoms that left the box.
    pub fn key_bits(&self) -> u32 {
        self.rank.len().ilog2() + 1
    }

    /// The `Box` of cl/common.cl as bytes.
    pub fn box_bytes(&self, domain: &Domain, reach: f64, numerics: Numerics) -> Vec<u8> {
        let length = domain.lengths();
        let mut bytes = Vec::new();
        for values in [domain.lo, domain.hi, length] {
            values.iter().for_each(|&x| bytes.extend(numerics.to_master(x).to_ne_bytes()));
        }
        bytes.extend(numerics.to_master(reach).to_ne_bytes());
        let per_master = |x: f64| x * numerics.master_quantum();
        let inverse_length = length.map(|l| per_master(1.0 / l));
        let inverse_cell: [f64; 3] = std::array::from_fn(|d| per_master(self.cells[d] as f64 / length[d]));
        for x in inverse_length.into_iter().chain(inverse_cell) {
            if numerics.wide() {
                bytes.extend(x.to_ne_bytes());
            } else {
                bytes.extend((x as f32).to_ne_bytes());
            }
        }
        let extended: [usize; 3] = std::array::from_fn(|d| self.cells[d] + 2 * self.margin[d]);
        let periodic: [usize; 3] = std::array::from_fn(|d| usize::from(domain.periodic(d)));
        for counts in [self.cells, self.margin, extended, self.stencil, periodic] {
            counts.iter().for_each(|&c| bytes.extend((c as i32).to_ne_bytes()));
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    /// Lengths by which the images of `shifts` are displaced, in distance units.
    pub fn shift_lengths<'a>(&'a self, domain: &Domain) -> impl Iterator<Item = [f64; 3]> + 'a {
        let length = domain.lengths();
        self.shifts.iter().map(move |boxes| std::array::from_fn(|d| f64::from(boxes[d]) * length[d]))
    }
}

/// Distance along a Hilbert curve through a cube that holds `extent`, at most 21 bits per axis.
///
/// Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 381 (2004).
fn hilbert(mut at: [usize; 3], extent: [usize; 3]) -> u64 {
    let bits = usize::BITS - (extent.into_iter().max().unwrap_or(1).max(2) - 1).leading_zeros();
    // Undo the excess work of the Gray code from the top bit down.
    let mut q = 1 << (bits - 1);
    while q > 1 {
        let p = q - 1;
        for d in 0..3 {
            if at[d] & q != 0 {
                at[0] ^= p;
            } else {
                let t = (at[0] ^ at[d]) & p;
                at[0] ^= t;
                at[d] ^= t;
            }
        }
        q >>= 1;
    }
    at[1] ^= at[0];
    at[2] ^= at[1];
    let mut t = 0;
    q = 1 << (bits - 1);
    while q > 1 {
        if at[2] & q != 0 {
            t ^= q - 1;
        }
        q >>= 1;
    }
    let at = at.map(|a| a ^ t);
    (0..bits).rev().fold(0, |key, bit| at.iter().fold(key, |key, a| key << 1 | (a >> bit & 1) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Boundary;

    #[test]
    fn hilbert_steps_to_a_face_neighbour() {
        let mut at: Vec<[usize; 3]> = (0..512).map(|k| [k % 8, k / 8 % 8, k / 64]).collect();
        at.sort_by_key(|&a| hilbert(a, [8; 3]));
        for pair in at.windows(2) {
            let distance: usize = (0..3).map(|d| pair[0][d].abs_diff(pair[1][d])).sum();
            assert_eq!(distance, 1, "{pair:?}");
        }
    }

    fn domain(edge: f64, boundary: Boundary) -> Domain {
        Domain::new([0.0; 3], [edge; 3], [[boundary; 2]; 3]).expect("a box")
    }

    #[test]
    fn ranks_are_a_permutation_and_ghosts_have_sources_inside() {
        for edge in [1.0, 3.0, 6.1, 12.0] {
            let domain = domain(edge, Boundary::Periodic);
            let grid = Grid::new(&domain, 3, 2.8, smallest_cell(&domain, 3, 2.8, 1000));
            let mut seen = grid.rank.clone();
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(k, &r)| k == r as usize));
            assert_eq!(grid.ghost_cells.len(), grid.rank.len() - grid.cells.iter().product::<usize>());
            let ghosts: std::collections::HashSet<u32> = grid.ghost_cells.iter().map(|g| g[0]).collect();
            assert!(grid.ghost_cells.iter().all(|g| !ghosts.contains(&g[1])));
            let cell = edge / grid.cells[0] as f64;
            assert!(grid.stencil[0] as f64 * cell >= 2.8);
            let farthest = (grid.stencil[0] + 2) as f64 * cell;
            assert!(farthest + 2.8 <= 2.0 * span(2.8, smallest_cell(&domain, 3, 2.8, 1000)));
        }
    }

    #[test]
    fn fixed_axes_have_no_ghosts() {
        let domain = domain(10.0, Boundary::Fixed);
        assert!(Grid::new(&domain, 3, 2.8, 1.4).ghost_cells.is_empty());
    }
}
