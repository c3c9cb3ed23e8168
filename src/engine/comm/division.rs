//! Which cells are each rank's, and which of its cells another rank's lists look at.

use crate::engine::neighbor::grid::{Grid, place_of};
use std::ops::Range;

/// How much more than its part the largest share may have, and so many atoms besides, until cells are shared out anew.
const UNEVEN: usize = 20;
const FEW: usize = 64;

/// Cells by ranks. `ranges` below are the first atom and the one behind the last of each cell; the cells' order is the curve's.
pub(super) struct Division {
    /// The cells along the axes of the grid that it is of, and its stencil.
    cells: [usize; 3],
    stencil: [usize; 3],
    /// What part each rank was to have.
    weights: Weights,
    /// The cells in the order of the curve.
    curve: Vec<u32>,
    /// Where along the curve each rank's cells begin, and their number.
    firsts: Vec<usize>,
    /// For each pair of ranks, [reader][owner], the owner's cells that the reader's lists look at, in the order of the curve.
    read: Vec<Vec<Vec<u32>>>,
}

/// Places of atoms, by rank.
pub(super) struct Places {
    /// Of own atoms that each other rank reads.
    pub(super) to: Vec<Vec<u32>>,
    /// Of others' atoms that this rank reads.
    pub(super) from: Vec<Vec<u32>>,
    /// The most that any rank reads, and that others read of any.
    pub(super) most: usize,
    pub(super) most_told: usize,
    /// The ranks whose cells this one's lists look at, or that look at this one's; and how many any rank has of these at most.
    pub(super) near: Vec<usize>,
    pub(super) most_near: usize,
}

/// What each rank's part of the atoms is to be: its weight out of the sum of all.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The sums of the weights of the ranks before each, and of all.
    sums: Vec<f64>,
}

impl Weights {
    /// The same for each of so many ranks.
    pub fn equal(ranks: usize) -> Self {
        Weights { sums: (0..=ranks).map(|rank| rank as f64).collect() }
    }

    /// These, which are not negative, and of which one is not 0.
    pub fn new(weights: &[f64]) -> Self {
        let mut sum = 0.0;
        let sums = weights.iter().map(|weight| {
            sum += weight;
            sum
        });
        Weights { sums: std::iter::once(0.0).chain(sums).collect() }
    }

    /// How many of `n` atoms ranks before this one are to have.
    fn before(&self, rank: usize, n: usize) -> usize {
        (n as f64 * self.sums[rank] / self.sums[self.sums.len() - 1]) as usize
    }

    /// The part of each rank.
    pub fn parts(&self) -> Vec<f64> {
        let all = self.sums[self.sums.len() - 1];
        self.sums.windows(2).map(|ends| (ends[1] - ends[0]) / all).collect()
    }

    /// Whether no part is another one by more than a hundredth of the mean part.
    pub fn are_near(&self, other: &Weights) -> bool {
        let (parts, others) = (self.parts(), other.parts());
        let most = 0.01 / parts.len() as f64;
        parts.iter().zip(others).all(|(part, other)| (part - other).abs() <= most)
    }

    /// Whether no part is much larger than it is to be.
    pub(super) fn suit(&self, parts: &[Range<usize>]) -> bool {
        let n = parts.iter().map(Range::len).sum::<usize>();
        let is_fine = |(part, wanted): (&Range<usize>, f64)| {
            let wanted = (n as f64 * wanted) as usize;
            part.len() <= wanted + wanted / UNEVEN + FEW
        };
        parts.iter().zip(self.parts()).all(is_fine)
    }
}

fn held(ranges: &[u32], cell: u32) -> Range<u32> {
    let [first, last] = [0, 1].map(|k| ranges[2 * cell as usize + k]);
    first..last.max(first)
}

/// The block of `edge` cells each way that a cell is in, by its place among the blocks.
fn block_of(cell: u32, cells: [usize; 3], edge: usize) -> [usize; 3] {
    place_of(cell, cells).map(|number| number / edge)
}

impl Division {
    /// Shares of the parts, of `n` atoms, that ranks are to have, as whole blocks of `edge` cells allow.
    pub(super) fn new(grid: &Grid, edge: usize, ranges: &[u32], n: usize, weights: &Weights) -> Self {
        let ranks = weights.sums.len() - 1;
        let (curve, all) = (&grid.cell_at, grid.cell_at.len());
        let block = |k: usize| block_of(curve[k], grid.cells, edge);
        let begins = |k: &usize| *k == 0 || *k == all || block(*k) != block(*k - 1);
        // Atoms in the cells before a place of the curve.
        let before = |k: usize| {
            let mut behind = curve[k..].iter().map(|&cell| held(ranges, cell));
            behind.find(|held| !held.is_empty()).map_or(n, |held| held.start as usize)
        };
        let first = |rank: usize| {
            let wanted = weights.before(rank, n);
            let (mut low, mut high) = (0, all);
            while low < high {
                let middle = (low + high) / 2;
                if before(middle) <= wanted { low = middle + 1 } else { high = middle }
            }
            // The block's begin before the cell that has this atom, or the next one.
            let nearer = (0..low).rev().find(begins).unwrap_or(0);
            let farther = (low..=all).find(begins).unwrap_or(all);
            if before(farther).abs_diff(wanted) < before(nearer).abs_diff(wanted) { farther } else { nearer }
        };
        let mut firsts: Vec<usize> = (0..ranks).map(|rank| if rank == 0 { 0 } else { first(rank) }).collect();
        firsts.push(grid.cell_at.len());
        for k in 1..firsts.len() {
            firsts[k] = firsts[k].max(firsts[k - 1]);
        }
        let mut division = Division {
            cells: grid.cells,
            stencil: grid.stencil,
            weights: weights.clone(),
            curve: grid.cell_at.clone(),
            firsts,
            read: Vec::new(),
        };
        division.read = division.readers(ranks, &grid.rank);
        division
    }

    /// Whether it is of that grid, for such parts.
    pub(super) fn is_of(&self, grid: &Grid, weights: &Weights) -> bool {
        self.cells == grid.cells && self.stencil == grid.stencil && self.weights == *weights
    }

    /// Whether shares are still about what they are to be.
    pub(super) fn suits(&self, ranges: &[u32], n: usize) -> bool {
        self.weights.suit(&self.parts(ranges, n))
    }

    /// The places along the curve of a rank's cells.
    pub(super) fn cells_of(&self, rank: usize) -> Range<usize> {
        self.firsts[rank]..self.firsts[rank + 1]
    }

    /// Whose the cell at a place of the curve is.
    pub(super) fn rank_of(&self, place: usize) -> usize {
        self.firsts.partition_point(|&first| first <= place).saturating_sub(1)
    }

    /// Of which cells a rank has to tell, and to hear.
    pub(super) fn near(&self, own: usize) -> Places {
        let ranks = 0..self.read.len();
        let all = |cells: &dyn Fn(usize) -> usize| ranks.clone().map(cells).max().unwrap_or(0);
        let (near, most_near) = self.ranks_near(own);
        Places {
            to: ranks.clone().map(|reader| self.read[reader][own].clone()).collect(),
            from: self.read[own].clone(),
            most: all(&|reader| self.read[reader].iter().map(Vec::len).sum()),
            most_told: all(&|owner| self.read.iter().map(|by_owner| by_owner[owner].len()).sum()),
            near,
            most_near,
        }
    }

    /// The ranks whose cells a rank's lists look at, or that look at its cells; and how many any rank has of these at most.
    fn ranks_near(&self, own: usize) -> (Vec<usize>, usize) {
        let looks = |one: usize, other: usize| !self.read[one][other].is_empty();
        let ranks = 0..self.read.len();
        let near = |one: usize| ranks.clone().filter(move |&other| looks(one, other) || looks(other, one));
        (near(own).collect(), ranks.clone().map(|rank| near(rank).count()).max().unwrap_or(0))
    }

    /// A rank's blocks of `edge` cells each way, by number: those with cells that other ranks' lists look at, then the others.
    pub(super) fn blocks(&self, rank: usize, edge: usize) -> [Vec<u32>; 2] {
        let across = self.cells.map(|cells| cells.div_ceil(edge));
        let number = |&cell: &u32| {
            let [x, y, z] = block_of(cell, self.cells, edge);
            x + across[0] * (y + across[1] * z)
        };
        let mut parts = vec![None; across.iter().product()];
        self.curve[self.cells_of(rank)].iter().for_each(|cell| parts[number(cell)] = Some(1));
        let told = self.read.iter().flat_map(|by_owner| &by_owner[rank]);
        told.for_each(|cell| parts[number(cell)] = Some(0));
        let mut blocks = [Vec::new(), Vec::new()];
        for (block, part) in parts.into_iter().enumerate() {
            part.into_iter().for_each(|part: usize| blocks[part].push(block as u32));
        }
        blocks
    }

    /// Each rank's atoms.
    pub(super) fn parts(&self, ranges: &[u32], n: usize) -> Vec<Range<usize>> {
        // Behind the last atom of the cells before; where these are empty, of those before them.
        let begin = |first: &usize| {
            let before = self.curve[..*first].iter().rev().map(|&cell| held(ranges, cell));
            before.filter(|held| !held.is_empty()).map(|held| held.end as usize).next().unwrap_or(0)
        };
        let mut begins: Vec<usize> = self.firsts.iter().map(begin).collect();
        if let Some(last) = begins.last_mut() {
            *last = n; // with atoms that are in no cell
        }
        begins.windows(2).map(|ends| ends[0].min(n)..ends[1].min(n)).collect()
    }

    /// The atoms that a rank has to tell of, and to hear of.
    pub(super) fn places(&self, ranges: &[u32], own: usize) -> Places {
        let places = |owner: usize, reader: usize| -> Vec<u32> {
            self.read[reader][owner].iter().flat_map(|&cell| held(ranges, cell)).collect()
        };
        let ranks = 0..self.read.len();
        let atoms = |owner: usize, reader: usize| -> usize {
            self.read[reader][owner].iter().map(|&cell| held(ranges, cell).len()).sum()
        };
        let heard = |reader: usize| -> usize { ranks.clone().map(|owner| atoms(owner, reader)).sum() };
        let told = |owner: usize| -> usize { ranks.clone().map(|reader| atoms(owner, reader)).sum() };
        let (near, most_near) = self.ranks_near(own);
        Places {
            to: ranks.clone().map(|reader| places(own, reader)).collect(),
            from: ranks.clone().map(|owner| places(owner, own)).collect(),
            most: ranks.clone().map(heard).max().unwrap_or(0),
            most_told: ranks.clone().map(told).max().unwrap_or(0),
            near,
            most_near,
        }
    }

    /// [`Division::read`]: each rank's cells, and those as far as the stencil reaches around them.
    fn readers(&self, ranks: usize, places: &[u32]) -> Vec<Vec<Vec<u32>>> {
        let of_reader = |reader: usize| {
            let mut read = vec![Vec::new(); ranks];
            let mut others: Vec<usize> =
                self.around(reader).iter().map(|&cell| places[cell as usize] as usize).collect();
            others.sort_unstable();
            for place in others {
                read[self.rank_of(place)].push(self.curve[place]);
            }
            read
        };
        (0..ranks).map(of_reader).collect()
    }

    /// Which cells of others a rank's lists look at: axis by axis, around corners of the box. It looks no farther than these may be, as there may be
    /// many ranks.
    fn around(&self, rank: usize) -> Vec<u32> {
        let own = &self.curve[self.cells_of(rank)];
        if own.is_empty() {
            return Vec::new();
        }
        let [nx, ny, _] = self.cells;
        let at = |&cell: &u32| place_of(cell, self.cells);
        let (mut low, mut high) = (self.cells, [0; 3]);
        for place in own.iter().map(at) {
            low = std::array::from_fn(|d| low[d].min(place[d]));
            high = std::array::from_fn(|d| high[d].max(place[d]));
        }
        let reach: [usize; 3] = std::array::from_fn(|d| self.stencil[d].min(self.cells[d]));
        let whole: [bool; 3] = std::array::from_fn(|d| high[d] + 1 - low[d] + 2 * reach[d] >= self.cells[d]);
        // Where that is not all along an axis, it begins with the first cell that may be looked at.
        let first: [usize; 3] =
            std::array::from_fn(|d| if whole[d] { 0 } else { low[d] + self.cells[d] - reach[d] });
        let span: [usize; 3] =
            std::array::from_fn(
                |d| if whole[d] { self.cells[d] } else { high[d] + 1 - low[d] + 2 * reach[d] },
            );
        let mut near = vec![false; span.iter().product()];
        for place in own.iter().map(at) {
            let local = |d: usize| match place[d] + self.cells[d] - first[d] % self.cells[d] {
                local if local < self.cells[d] => local,
                local => local - self.cells[d],
            };
            let [x, y, z]: [usize; 3] = std::array::from_fn(local);
            near[(z * span[1] + y) * span[0] + x] = true;
        }
        let held = near.clone();
        for axis in 0..3 {
            spread(&mut near, span, axis, reach[axis], whole[axis]);
        }
        let places = (0..near.len()).filter(|&k| near[k] && !held[k]).map(|k| {
            let local = [k % span[0], k / span[0] % span[1], k / (span[0] * span[1])];
            let [x, y, z]: [usize; 3] = std::array::from_fn(|d| (first[d] + local[d]) % self.cells[d]);
            ((z * ny + y) * nx + x) as u32
        });
        places.collect()
    }
}

/// Marks what is up to `reach` away along an axis of what is marked; from one end to the other where that is a `whole` axis of the box.
fn spread(near: &mut [bool], span: [usize; 3], axis: usize, reach: usize, whole: bool) {
    let (before, count) = (near.to_vec(), span[axis] as isize);
    let to_of = |place: isize| -> Vec<usize> {
        let to = (-(reach as isize)..=reach as isize).map(|away| place + away);
        to.filter(|to| whole || (0..count).contains(to)).map(|to| to.rem_euclid(count) as usize).collect()
    };
    let to: Vec<Vec<usize>> = (0..count).map(to_of).collect();
    // Rows of cells side by side, one for each place along the axis.
    let row: usize = span[..axis].iter().product();
    let lines = near.chunks_exact_mut(row * to.len()).zip(before.chunks_exact(row * to.len()));
    for (near, before) in lines {
        for (marked, to) in before.chunks_exact(row).zip(&to).filter(|(marked, _)| marked.contains(&true)) {
            for &to in to {
                let near = near[to * row..(to + 1) * row].iter_mut();
                near.zip(marked).for_each(|(near, marked)| *near |= marked);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::neighbor::grid::CellSize;
    use crate::model::domain::{Boundary, Domain};

    /// A grid with so many atoms in each of its cells, in the order of the curve, with none beyond a plane.
    fn system(edges: [f64; 3], each: u32, until: usize) -> (Grid, Vec<u32>, usize) {
        let domain = Domain::new([0.0; 3], edges, [[Boundary::Periodic; 2]; 3]).expect("a box");
        let grid = Grid::new(&domain, 3, 2.8, CellSize::new(&domain, 3, 2.8, 1000, false, false));
        let (mut ranges, mut n) = (vec![0; 2 * (grid.cell_at.len() + 1)], 0);
        for &cell in &grid.cell_at {
            let empty = cell as usize % grid.cells[0] >= until;
            let held = if empty { 0..0 } else { n..n + each };
            n = n.max(held.end);
            (ranges[2 * cell as usize], ranges[2 * cell as usize + 1]) = (held.start, held.end);
        }
        (grid, ranges, n as usize)
    }

    #[test]
    fn shares_are_whole_blocks_of_about_as_many_atoms() {
        for (edges, until) in [([20.0, 30.0, 25.0], 100), ([40.0, 12.0, 12.0], 5), ([9.0; 3], 100)] {
            let (grid, ranges, n) = system(edges, 3, until);
            for (ranks, edge) in [(2, 2), (3, 4), (7, 2), (40, 4)] {
                let division = Division::new(&grid, edge, &ranges, n, &Weights::equal(ranks));
                let parts = division.parts(&ranges, n);
                assert_eq!(parts.len(), ranks);
                assert!((parts[0].start, parts[ranks - 1].end) == (0, n));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                let block = 3 * edge.pow(3);
                assert!(parts.iter().all(|part| part.len() <= n / ranks + 2 * block), "{parts:?}");
                let block_of = |cell: u32| {
                    let (cell, [nx, ny, _]) = (cell as usize, grid.cells);
                    [cell % nx / edge, cell / nx % ny / edge, cell / (nx * ny) / edge]
                };
                for &first in division.firsts[1..ranks].iter().filter(|&&k| k > 0 && k < grid.cell_at.len()) {
                    assert_ne!(block_of(grid.cell_at[first]), block_of(grid.cell_at[first - 1]));
                }
                assert!(
                    division.is_of(&grid, &Weights::equal(ranks))
                        && (ranks > 7 || division.suits(&ranges, n) || n < 4000)
                );
            }
        }
    }

    #[test]
    fn ranks_hear_of_all_cells_that_their_stencils_reach() {
        reached([16.0, 21.0, 13.0], 3);
        reached([44.0, 21.0, 20.0], 9);
    }

    fn reached(edges: [f64; 3], ranks: usize) {
        let (grid, ranges, n) = system(edges, 2, 100);
        let division = Division::new(&grid, 2, &ranges, n, &Weights::equal(ranks));
        let [nx, ny, nz] = grid.cells;
        let at = |cell: u32| {
            let cell = cell as usize;
            [cell % nx, cell / nx % ny, cell / (nx * ny)]
        };
        let near = |a: u32, b: u32| {
            (0..3).all(|d| {
                let (count, away) = ([nx, ny, nz][d], at(a)[d].abs_diff(at(b)[d]));
                away.min(count - away) <= grid.stencil[d]
            })
        };
        let cells_of = |rank: usize| &grid.cell_at[division.cells_of(rank)];
        for reader in 0..ranks {
            for owner in (0..ranks).filter(|&owner| owner != reader) {
                let wanted: Vec<u32> = cells_of(owner)
                    .iter()
                    .copied()
                    .filter(|&cell| cells_of(reader).iter().any(|&own| near(own, cell)))
                    .collect();
                assert_eq!(division.read[reader][owner], wanted);
            }
        }
        let blocks: Vec<[Vec<u32>; 2]> = (0..ranks).map(|rank| division.blocks(rank, 2)).collect();
        let mut all: Vec<u32> = blocks.iter().flatten().flatten().copied().collect();
        all.sort_unstable();
        let across = grid.cells.map(|cells| cells.div_ceil(2) as u32);
        assert_eq!(all, (0..across.iter().product()).collect::<Vec<u32>>(), "each block is one rank's");
        for (rank, [_, interior]) in blocks.iter().enumerate() {
            let in_interior = |cell: u32| {
                let [x, y, z] = at(cell).map(|number| (number / 2) as u32);
                interior.contains(&(x + across[0] * (y + across[1] * z)))
            };
            let told = division.read.iter().flat_map(|by_owner| &by_owner[rank]);
            assert!(told.copied().all(|cell| !in_interior(cell)));
        }
        let (places, others) = (division.places(&ranges, 1), division.places(&ranges, 2));
        assert_eq!(places.to[2], others.from[1], "what one tells another hears");
        assert!(places.most >= places.from.iter().map(Vec::len).sum());
    }
}
