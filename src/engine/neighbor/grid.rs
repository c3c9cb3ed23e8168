//! The cell grid: how the box is divided, how cells are numbered along a Hilbert curve, and how lists see
//! across periodic faces.
//!
//! There are no ghost atoms. Staged positions are numbers modulo a length of which a whole number makes the
//! box, so that the difference of two of them is the separation of the nearest images. That takes a box
//! of at least 2 + 2 stencil cells; lists of smaller ones see several copies of the box.
//!
//! A triclinic box is [straightened](Domain::straighten) for all of this: cells divide its edges, and staged positions are
//! fractions of them. There a distance may be longer along an axis than it is, by [`Domain::stretch`] at most, and so are
//! the cutoffs and the smallest cells.

mod bytes;
mod cell_size;
mod hilbert;
mod moduli;

use crate::base::error::{Error, Result};
use crate::model::domain::Domain;
use cell_size::SLACK;
pub use cell_size::{CellSize, is_sparse, would_lie_thin};
pub use moduli::moduli;
use moduli::{far_apart, least_moduli, moduli_for, open_modulus, widest};

/// Beyond as many cells as a box may have, those along axes without images are at least so many times as long as they need be,
/// and grow with the box by this factor before there are more.
const COARSE: f64 = 1.3;
const COARSE_GROWTH: f64 = 1.35;
/// With fewer cells along an axis they do not: two times as long is too long ([`moduli`]).
const FINE: f64 = 16.0;

/// Of so many cells along an axis that a box has room for, a grid that is kept may have one less.
const KEPT: usize = 32;

/// A grid of cells over the box.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Cells of the box per axis.
    pub cells: [usize; 3],
    /// Copies of the box per axis that lists see.
    pub replicas: [usize; 3],
    /// Cells that the list cutoff reaches.
    pub stencil: [usize; 3],
    /// Place along the curve of each cell, x fastest.
    pub rank: Vec<u32>,
    /// The cell at each place along the curve.
    pub cell_at: Vec<u32>,
}

/// Whether a grid over this box can be had: a box may have grown without bound, or be flat beyond measure.
///
/// # Errors
/// A box that is not finite, too many cells for its atoms, or more copies of the box than lists can name.
pub fn check(domain: &Domain, dimension: u32, reach: f64, size: CellSize, atoms: usize) -> Result<()> {
    let length = domain.lengths();
    if !length.iter().all(|l| l.is_finite()) {
        return Err(Error::new("the simulation box is not finite: the simulation is unstable")
            .help("check the time step, overlapping atoms and the coefficients"));
    }
    let stretch = domain.stretch();
    let cells: f64 = (0..3).map(|d| (length[d] / (size.smallest * stretch[d])).max(1.0)).product();
    let most = (1 << 26).max(64 * atoms).min(i32::MAX as usize);
    if cells > most as f64 {
        return Err(Error::new(format!(
            "the box has grown to {cells:.3e} cells of the neighbour search for {atoms} atoms"
        ))
        .help("bound it with fixed or periodic boundaries, or let go of atoms that fly away"));
    }
    let most_stretch = widest(domain, dimension);
    let copies: f64 = (0..3)
        .filter(|&d| images(domain, dimension)[d])
        .map(|d| {
            let seen = (if domain.triclinic { 4.0 } else { 3.0 } * reach).max(size.far);
            (seen * most_stretch[d] / length[d] + 1.0).max(1.0)
        })
        .product();
    if copies * atoms as f64 > f64::from(i32::MAX) {
        return Err(Error::new(format!(
            "the cutoff and the skin, {reach}, span too many lengths of the box"
        ))
        .help("take a larger box or a shorter cutoff"));
    }
    Ok(())
}

/// Along which axes lists reach across the faces: the periodic ones, in 2d not z.
pub fn images(domain: &Domain, dimension: u32) -> [bool; 3] {
    std::array::from_fn(|d| domain.periodic(d) && d < dimension as usize)
}

/// The numbers a grid depends on: when they stay, so does everything else of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dims {
    cells: [usize; 3],
    replicas: [usize; 3],
    stencil: [usize; 3],
}

impl Dims {
    /// Whether these cells do for a box: with the stencil and the copies that they need, and moduli that are large enough.
    fn serves(
        self,
        domain: &Domain,
        dimension: u32,
        reach: f64,
        size: CellSize,
        (edge, modulus): (usize, [f64; 3]),
    ) -> bool {
        let least = moduli_for(self, domain, dimension, reach, size, edge);
        let images = images(domain, dimension);
        self == dims_of(self.cells, domain, dimension, reach, size)
            && (0..3).all(|d| !images[d] || least[d] <= modulus[d])
    }
}

/// Cells along an axis with images, so that `edge` cells and those around them hold none twice. A mistyped cutoff makes a
/// stencil that no integer holds.
fn cells_needed(edge: usize, stencil: usize) -> usize {
    stencil.saturating_mul(2).saturating_add(edge)
}

fn dims(domain: &Domain, dimension: u32, reach: f64, size: CellSize) -> Dims {
    dims_of(cells_for(domain, dimension, size), domain, dimension, reach, size)
}

/// As many cells along each axis as their size allows.
fn cells_for(domain: &Domain, dimension: u32, size: CellSize) -> [usize; 3] {
    let (length, stretch, images) = (domain.lengths(), domain.stretch(), images(domain, dimension));
    let fine: [f64; 3] = std::array::from_fn(|d| length[d] / (size.smallest * stretch[d]));
    let coarse = fine.iter().map(|n| n.max(1.0)).product::<f64>() > size.most;
    std::array::from_fn(|d| {
        let few = coarse && !images[d] && fine[d] >= FINE;
        // A whole power, so that a box which grows keeps its cells for a while.
        let power = || COARSE_GROWTH.powf((fine[d] / COARSE).log(COARSE_GROWTH).floor());
        (if few { power() } else { fine[d] } as usize).max(1)
    })
}

fn dims_of(cells: [usize; 3], domain: &Domain, dimension: u32, reach: f64, size: CellSize) -> Dims {
    let (length, stretch, widest) = (domain.lengths(), domain.stretch(), widest(domain, dimension));
    let images = images(domain, dimension);
    let stencil = std::array::from_fn(|d| {
        let reached = (reach * stretch[d] * SLACK / (length[d] / cells[d] as f64)).ceil().max(1.0) as usize;
        // Cells have that part of the reach, whatever rounding says; and beyond an open face there are none.
        match (cells[d], images[d]) {
            (1, true) => reached,
            (1, false) => 1,
            _ => reached.min(size.per_reach),
        }
    });
    let replicas = std::array::from_fn(|d| {
        let lists = cells_needed(2, stencil[d]).div_ceil(cells[d]);
        let dummies = (4.0 * reach * SLACK * widest[d] / length[d]).ceil() as usize;
        let far =
            (SLACK * far_apart(size, widest[d], length[d] / cells[d] as f64) / length[d]).ceil() as usize;
        match (images[d], domain.triclinic) {
            (false, _) => 1,
            (true, false) => lists.max(far),
            (true, true) => lists.max(dummies).max(far),
        }
    });
    Dims { cells, replicas, stencil }
}

/// How many copies of the box the lists see.
pub fn copies(domain: &Domain, dimension: u32, reach: f64, size: CellSize) -> usize {
    dims(domain, dimension, reach, size).replicas.iter().fold(1, |copies, &n| copies.saturating_mul(n))
}

/// How many octants, two cells per axis, the box has.
pub fn octants(domain: &Domain, dimension: u32, reach: f64, size: CellSize) -> usize {
    let Dims { cells, .. } = dims(domain, dimension, reach, size);
    cells.iter().fold(1, |octants, n| octants.saturating_mul(n.div_ceil(2)))
}

/// Cells per axis of the blocks in which lists are built: so many that a block and the cells around it hold no
/// cell twice.
pub fn block_edge(domain: &Domain, dimension: u32, reach: f64, size: CellSize) -> usize {
    let Dims { cells, replicas, stencil } = dims(domain, dimension, reach, size);
    let images = images(domain, dimension);
    let roomy = |d: usize| {
        !images[d] || cells[d].saturating_mul(replicas[d]) >= cells_needed(hilbert::BLOCK, stencil[d])
    };
    if (0..3).all(roomy) { hilbert::BLOCK } else { 2 }
}

/// The most cells of a block of that edge and around it, whatever the box does.
pub fn around(domain: &Domain, dimension: u32, reach: f64, size: CellSize, edge: usize) -> usize {
    let Dims { stencil, .. } = dims(domain, dimension, reach, size);
    let images = images(domain, dimension);
    (0..3)
        .map(|d| cells_needed(edge, if images[d] { stencil[d] } else { size.per_reach }))
        .fold(1, |cells, n| cells.saturating_mul(n))
}

/// Where a cell is along the axes, in numbers of 32 bits: there are many cells, and these are divided faster.
pub fn place_of(cell: u32, [nx, ny, _]: [usize; 3]) -> [usize; 3] {
    let [nx, ny] = [nx as u32, ny as u32];
    [cell % nx, cell / nx % ny, cell / nx / ny].map(|number| number as usize)
}

impl Grid {
    /// For lists of cutoff `reach` (cutoff + skin), with cells of this `size`.
    pub fn new(domain: &Domain, dimension: u32, reach: f64, size: CellSize) -> Self {
        Grid::of(dims(domain, dimension, reach, size))
    }

    fn of(Dims { cells, replicas, stencil }: Dims) -> Self {
        let cell_at = hilbert::along(cells);
        let mut rank = vec![0; cell_at.len()];
        for (place, &cell) in cell_at.iter().enumerate() {
            rank[cell as usize] = place as u32;
        }
        Grid { cells, replicas, stencil, rank, cell_at }
    }

    /// Whether another one has the same cells, looked at in the same way.
    pub fn is_like(&self, other: &Grid) -> bool {
        self.dims() == other.dims()
    }

    fn dims(&self) -> Dims {
        Dims { cells: self.cells, replicas: self.replicas, stencil: self.stencil }
    }

    /// Whether the same grid fits another box, in blocks of `edge` cells and with moduli that have followed it. Where there are many cells
    /// along an axis they may be somewhat larger than they need be, so that a box whose edges come and go keeps them.
    pub fn fits(
        &self,
        domain: &Domain,
        dimension: u32,
        reach: f64,
        size: CellSize,
        (edge, modulus): (usize, [f64; 3]),
    ) -> bool {
        let (most, images) = (cells_for(domain, dimension, size), images(domain, dimension));
        let room = |d: usize| if images[d] { most[d] / KEPT } else { 0 };
        let own = self.dims();
        if own.cells == most {
            return own == dims_of(most, domain, dimension, reach, size);
        }
        (0..3).all(|d| own.cells[d] <= most[d] && most[d] - own.cells[d] <= room(d))
            && own.serves(domain, dimension, reach, size, (edge, modulus))
    }

    /// The grid of a box that moves, which the box before has left: with somewhat larger cells where there are many, so that it fits when
    /// the box becomes a little smaller.
    pub fn with_room(
        domain: &Domain,
        dimension: u32,
        reach: f64,
        size: CellSize,
        bounds: (usize, [f64; 3]),
    ) -> Self {
        let (most, images) = (cells_for(domain, dimension, size), images(domain, dimension));
        let fewer: [usize; 3] =
            std::array::from_fn(|d| most[d] - if images[d] { most[d] / (2 * KEPT) } else { 0 });
        let least = dims_of(most, domain, dimension, reach, size);
        let dims = Dims { cells: fewer, ..least };
        Grid::of(if dims.serves(domain, dimension, reach, size, bounds) { dims } else { least })
    }

    /// Whether what was chosen for this grid does for the grid of another box: copies, stencil, blocks of `edge`
    /// cells, and the moduli, which have followed the box.
    pub fn suits(
        &self,
        domain: &Domain,
        dimension: u32,
        reach: f64,
        size: CellSize,
        edge: usize,
        modulus: [f64; 3],
    ) -> bool {
        let Dims { replicas, stencil, .. } = dims(domain, dimension, reach, size);
        let least = least_moduli(domain, dimension, reach, size, edge);
        let images = images(domain, dimension);
        replicas == self.replicas
            && block_edge(domain, dimension, reach, size) >= edge
            && (0..3).all(|d| match images[d] {
                true => stencil[d] <= self.stencil[d] && least[d] <= modulus[d],
                false => open_modulus(domain, dimension, reach, size, 0.0)[d] <= modulus[d],
            })
    }

    /// The octants, two cells per axis, in the order of the curve: numbers, x fastest.
    pub fn octants(&self) -> Vec<u32> {
        let across = self.cells.map(|cells| cells.div_ceil(2));
        let octant = |&cell: &u32| {
            let [x, y, z] = place_of(cell, self.cells).map(|place| place / 2);
            ((z * across[1] + y) * across[0] + x) as u32
        };
        // The curve goes through all of an octant before it leaves it.
        let mut octants: Vec<u32> = self.cell_at.iter().map(octant).collect();
        octants.dedup();
        octants
    }

    /// Bits of the sort keys: one more value than there are cells, for atoms that left the box.
    pub fn key_bits(&self) -> u32 {
        self.rank.len().ilog2() + 1
    }

    /// How many moduli make a box of these edges and its copies, per axis; 0 where there are no images.
    pub fn moduli_per_axis(&self, length: [f64; 3], images: [bool; 3], modulus: [f64; 3]) -> [usize; 3] {
        let whole = |d: usize| length[d] * self.replicas[d] as f64;
        std::array::from_fn(|d| if images[d] { (whole(d) / modulus[d]).round() as usize } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::cell_size::{COUNTED, others};
    use super::*;
    use crate::base::random::ParkMiller;
    use crate::gpu::options::Precision;
    use crate::model::domain::Boundary;

    fn domain(edge: f64, boundary: Boundary) -> Domain {
        Domain::new([0.0; 3], [edge; 3], [[boundary; 2]; 3]).expect("a box")
    }

    #[test]
    fn a_box_that_moves_keeps_its_cells_for_a_while() {
        let size = CellSize { smallest: 1.4, per_reach: 2, most: 1e9, far: 0.0 };
        let bounds = |domain: &Domain| (4, moduli(domain, 3, 2.8, size, 0.0, Precision::Mixed));
        let large = domain(400.0, Boundary::Periodic);
        let grid = Grid::new(&large, 3, 2.8, size);
        let fits = |grid: &Grid, edge: f64| {
            let domain = domain(edge, Boundary::Periodic);
            grid.fits(&domain, 3, 2.8, size, bounds(&domain))
        };
        assert!(fits(&grid, 400.0) && fits(&grid, 404.0));
        // Too large cells, and too small ones.
        assert!(!fits(&grid, 416.0) && !fits(&grid, 398.0));
        let roomy = Grid::with_room(&large, 3, 2.8, size, bounds(&large));
        assert!(roomy.cells[0] < grid.cells[0] && 400.0 / roomy.cells[0] as f64 > size.smallest);
        assert!(fits(&roomy, 396.0) && fits(&roomy, 404.0) && !fits(&roomy, 390.0));
        // Few cells follow the box as they can.
        let small = Grid::new(&domain(20.0, Boundary::Periodic), 3, 2.8, size);
        assert!(!fits(&small, 21.2));
        assert_eq!(
            Grid::with_room(&domain(20.0, Boundary::Periodic), 3, 2.8, size, (4, [20.0; 3])).cells,
            small.cells
        );
    }

    #[test]
    fn ranks_and_cells_are_inverse_and_no_cell_is_met_twice() {
        let edges = [1.0, 3.0, 6.1, 12.0, 100.0];
        for (edge, few) in edges.into_iter().flat_map(|edge| [(edge, false), (edge, true)]) {
            let domain = domain(edge, Boundary::Periodic);
            let size = CellSize::new(&domain, 3, 2.8, 1000, few, few);
            let grid = Grid::new(&domain, 3, 2.8, size);
            assert!(grid.cell_at.iter().enumerate().all(|(k, &cell)| grid.rank[cell as usize] == k as u32));
            let cell = edge / grid.cells[0] as f64;
            assert!(grid.stencil[0] as f64 * cell >= 2.8);
            assert!(grid.cells[0] * grid.replicas[0] >= 2 + 2 * grid.stencil[0]);
            for precision in [Precision::Mixed, Precision::Double] {
                let modulus = moduli(&domain, 3, 2.8, size, 0.0, precision)[0];
                assert!(modulus >= (grid.stencil[0] + 2) as f64 * cell + 2.8 - 1e-9, "{edge}: {modulus}");
                let parts = edge * grid.replicas[0] as f64 / modulus;
                assert!((parts - parts.round()).abs() < 1e-12, "{edge}: {parts} moduli");
            }
        }
    }

    #[test]
    fn cells_of_thin_atoms_are_large_where_a_box_has_room() {
        let stencil = |edge: f64, thin: bool| {
            let domain = domain(edge, Boundary::Periodic);
            let size = CellSize::new(&domain, 3, 1.0, 100, true, thin);
            Grid::new(&domain, 3, 1.0, size).stencil
        };
        assert_eq!(stencil(10.0, true), [1; 3]);
        assert_eq!(stencil(10.0, false), [2; 3]);
        // Four cutoffs, and less.
        assert_eq!(stencil(4.1, true), [1; 3]);
        assert_eq!(stencil(3.9, true), [2; 3]);
    }

    /// In a box of 1,000 cutoffs cubed, or 100 squared: gases, a liquid film, and of many atoms those of some cells.
    #[test]
    fn atoms_lie_thin_where_they_are() {
        let mut random = ParkMiller::new(17);
        let mut gas = |atoms: usize, [width, depth, height]: [f64; 3]| -> Vec<[f64; 3]> {
            let edges = [width, depth, height];
            (0..atoms).map(|_| edges.map(|edge| edge * random.uniform())).collect()
        };
        let box_of_10 = domain(10.0, Boundary::Periodic);
        let thin = |dimension, few, x: &[[f64; 3]]| is_sparse(&box_of_10, dimension, 1.0, few, x);
        for (few, dimension, atoms, expected) in [
            (true, 3, 7000, true),
            (true, 3, 9000, false),
            (false, 3, 7000, true),
            (false, 3, 9000, false),
            (true, 2, 720, true),
            (true, 2, 880, false),
            (false, 2, 1400, true),
            (false, 2, 1800, false),
        ] {
            let height = if dimension == 2 { 0.01 } else { 10.0 };
            let x = gas(atoms, [10.0, 10.0, height]);
            assert_eq!(thin(dimension, few, &x), expected, "{atoms}");
        }
        assert!(!thin(3, false, &gas(7000, [10.0, 10.0, 4.0])));
        assert!(thin(3, true, &[]));
        let [some, all] = [gas(COUNTED * 5, [40.0; 3]), gas(COUNTED, [40.0; 3])].map(|x| others(1.0, 3, &x));
        let [n, m] = [5.0, 1.0].map(|k| k * COUNTED as f64 / 64000.0);
        assert!((some / n - 1.0).abs() < 0.02 && (all / m - 1.0).abs() < 0.02, "{some} {n}, {all} {m}");
    }

    #[test]
    fn boxes_that_grow_keep_their_cells_for_a_while() {
        let size = CellSize::new(&domain(10.0, Boundary::Shrink), 3, 2.8, 500, true, true);
        let mut seen = Vec::new();
        for grown in 0..4000 {
            let edge = 10.0 * 1.0015_f64.powi(grown);
            let Dims { cells, stencil, .. } = dims(&domain(edge, Boundary::Shrink), 3, 2.8, size);
            let cell = edge / cells[0] as f64;
            assert!((size.smallest..2.0 * size.smallest).contains(&cell), "{cell} at {edge}");
            assert!(stencil[0] as f64 * cell >= 2.8);
            seen.push(cells[0]);
        }
        seen.dedup();
        // Cell by cell up to where there are many, then by a third.
        assert!(seen.windows(2).all(|pair| pair[1] > pair[0] || pair[0] < 20), "{seen:?}");
        assert!(seen.len() < 35, "{seen:?}");
    }

    #[test]
    fn fixed_axes_have_no_copies() {
        let domain = domain(1.0, Boundary::Fixed);
        assert_eq!(
            Grid::new(&domain, 3, 2.8, CellSize { smallest: 1.4, per_reach: 2, most: 1e9, far: 0.0 })
                .replicas,
            [1; 3]
        );
    }
}
