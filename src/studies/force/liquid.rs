//! The liquid and its neighbour lists, on the host.

use rayon::prelude::*;

use crate::base::error::{Error, Result};
use crate::base::random::ParkMiller;

/// Pairs nearer than this attract or repel, in units of sigma.
pub const CUTOFF: f64 = 3.0;
/// Pairs nearer than this are listed.
pub const REACH: f64 = 3.3;
/// Largest displacement from the lattice, per axis.
const JITTER: f64 = 0.05;
/// Rows of a list are filled up to a multiple of this, the widest vector of lanes.
pub const ROW: usize = 16;

/// Positions of `atoms` atoms on an fcc lattice of the reduced density `density`, each up to 0.05 off its site
/// per axis: layer by layer, a block as near to a cube as fits, with free faces. The same for the same seed.
pub fn positions(density: f64, atoms: usize, seed: u32) -> Vec<[f64; 3]> {
    const BASIS: [[f64; 3]; 4] = [[0.0; 3], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]];
    let a = (4.0 / density).cbrt();
    let edge = (1..).find(|edge: &usize| 4 * edge.pow(3) >= atoms).unwrap_or(1);
    let mut random = ParkMiller::new(seed);
    random.skip(5);
    (0..atoms)
        .map(|site| {
            let (cell, basis) = (site / 4, BASIS[site % 4]);
            let cell = [cell % edge, cell / edge % edge, cell / (edge * edge)];
            std::array::from_fn(|d| a * (cell[d] as f64 + basis[d]) + JITTER * (2.0 * random.uniform() - 1.0))
        })
        .collect()
}

/// A neighbour list in rows, each filled up to a multiple of [`ROW`] entries with the number of atoms, which
/// stands for a dummy. The dummy has an empty row itself.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Where the row of each atom begins, and that of the dummy.
    pub begin: Vec<u32>,
    /// How many neighbours each atom has, and the dummy: 0.
    pub neighbors: Vec<u32>,
    /// The rows, one after the other, in ascending order within a row.
    pub entries: Vec<u32>,
}

impl List {
    /// All pairs nearer than [`REACH`], each in the rows of both atoms.
    ///
    /// # Errors
    /// More entries than 32-bit numbers count.
    pub fn full(x: &[[f64; 3]]) -> Result<List> {
        let cells = Cells::new(x);
        let row = |i: usize| {
            let mut row = Vec::with_capacity(192);
            cells.each_near(x[i], |j| {
                let rsq: f64 = (0..3).map(|d| (x[j as usize][d] - x[i][d]).powi(2)).sum();
                if j as usize != i && rsq < REACH * REACH {
                    row.push(j);
                }
            });
            row.sort_unstable();
            row
        };
        List::from_rows((0..x.len()).into_par_iter().map(row).collect())
    }

    /// Each pair of a full list once, in the row of the atom with the lower number.
    ///
    /// # Errors
    /// As for [`List::full`].
    pub fn half(&self) -> Result<List> {
        let later = |i: usize| self.row(i).iter().copied().filter(|&j| j as usize > i).collect();
        List::from_rows((0..self.atoms()).into_par_iter().map(later).collect())
    }

    fn from_rows(rows: Vec<Vec<u32>>) -> Result<List> {
        let total: usize = rows.iter().map(|row| row.len().next_multiple_of(ROW)).sum();
        if u32::try_from(total).is_err() {
            return Err(Error::new(format!("a list of {total} entries is too long; take fewer --atoms")));
        }
        let dummy = rows.len() as u32;
        let mut list = List { begin: Vec::new(), neighbors: Vec::new(), entries: Vec::with_capacity(total) };
        for row in rows {
            list.begin.push(list.entries.len() as u32);
            list.neighbors.push(row.len() as u32);
            list.entries.extend(row);
            list.entries.resize(list.entries.len().next_multiple_of(ROW), dummy);
        }
        list.begin.push(0);
        list.neighbors.push(0);
        Ok(list)
    }

    /// Number of atoms, without the dummy.
    pub fn atoms(&self) -> usize {
        self.neighbors.len() - 1
    }

    /// Number of neighbours in all.
    pub fn len(&self) -> usize {
        self.neighbors.iter().map(|&count| count as usize).sum()
    }

    /// Whether no atom has a neighbour.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The neighbours of an atom.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.entries[self.begin[i] as usize..][..self.neighbors[i] as usize]
    }

    /// The neighbours of an atom with the dummies that fill up its row.
    pub fn padded_row(&self, i: usize) -> &[u32] {
        &self.entries[self.begin[i] as usize..][..(self.neighbors[i] as usize).next_multiple_of(ROW)]
    }

    /// The entries in chunks of `lanes`, first the first chunk of every atom, then the second of every atom, up
    /// to the longest row; dummies where an atom has no more.
    pub fn transposed(&self, lanes: usize) -> Vec<u32> {
        let (atoms, dummy) = (self.atoms(), self.atoms() as u32);
        let chunks = self.neighbors.iter().map(|&count| (count as usize).div_ceil(lanes)).max().unwrap_or(0);
        let mut entries = vec![dummy; chunks * atoms * lanes];
        entries.par_chunks_mut((atoms * lanes).max(1)).enumerate().for_each(|(chunk, of_atoms)| {
            for (i, place) in of_atoms.chunks_mut(lanes).enumerate() {
                let row = self.row(i);
                let from = row.len().min(chunk * lanes);
                let to = row.len().min(from + lanes);
                place[..to - from].copy_from_slice(&row[from..to]);
            }
        });
        entries
    }
}

/// Cells of at least [`REACH`] on each edge, with their atoms.
struct Cells {
    low: [f64; 3],
    width: [f64; 3],
    count: [usize; 3],
    /// First atom of each cell in `atoms`, and the end.
    first: Vec<u32>,
    atoms: Vec<u32>,
}

impl Cells {
    fn new(x: &[[f64; 3]]) -> Self {
        let fold = |d: usize, start: f64, pick: fn(f64, f64) -> f64| x.iter().map(|x| x[d]).fold(start, pick);
        let low = std::array::from_fn(|d| fold(d, f64::INFINITY, f64::min));
        let extent: [f64; 3] = std::array::from_fn(|d| fold(d, f64::NEG_INFINITY, f64::max) - low[d]);
        let count = extent.map(|extent| ((extent / REACH) as usize).max(1));
        let width = std::array::from_fn(|d| (extent[d] / count[d] as f64).max(REACH));
        let total = count.iter().product::<usize>();
        let mut cells = Cells { low, width, count, first: vec![0; total + 1], atoms: vec![0; x.len()] };
        let of_atom: Vec<usize> = x.iter().map(|&x| cells.index(cells.place(x))).collect();
        of_atom.iter().for_each(|&cell| cells.first[cell + 1] += 1);
        (0..total).for_each(|cell| cells.first[cell + 1] += cells.first[cell]);
        let mut next = cells.first.clone();
        for (i, &cell) in of_atom.iter().enumerate() {
            cells.atoms[next[cell] as usize] = i as u32;
            next[cell] += 1;
        }
        cells
    }

    fn place(&self, x: [f64; 3]) -> [usize; 3] {
        std::array::from_fn(|d| (((x[d] - self.low[d]) / self.width[d]) as usize).min(self.count[d] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Calls `f` with each atom in the cell of `x` and in those around it.
    fn each_near(&self, x: [f64; 3], mut f: impl FnMut(u32)) {
        let place = self.place(x);
        let around = |d: usize| place[d].saturating_sub(1)..=(place[d] + 1).min(self.count[d] - 1);
        for z in around(2) {
            for y in around(1) {
                // Cells along x follow one another.
                let (left, right) = around(0).into_inner();
                let first = self.first[self.index([left, y, z])] as usize;
                let last = self.first[self.index([right, y, z]) + 1] as usize;
                self.atoms[first..last].iter().for_each(|&j| f(j));
            }
        }
    }
}
