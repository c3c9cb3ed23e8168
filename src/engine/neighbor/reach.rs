//! How far the lists of a system reach, and how long cells are for that.

use super::grid::CellSize;
use super::long_pairs::LongPairs;
use crate::gpu::DeviceKind;
use crate::model::domain::Domain;

/// By how much cells grow at least, when they do.
const LARGER: f64 = 1.5;

/// How far lists without any pair reach, in edges of the box.
const SHORTEST: f64 = 0.01;

/// How far the lists of a system reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// Which of them have lists of their own.
    pub long: Option<LongPairs>,
    /// The longest list cutoff, cutoff + skin, of all others.
    pub longest: f64,
    /// The longest of all.
    pub farthest: f64,
    /// The size of cells; fixed until the run is set up anew, so that [`grid::moduli`](super::grid::moduli) holds whatever the box does.
    pub cell: CellSize,
    /// What that was chosen for, besides the box.
    atoms: usize,
    few: bool,
    thin: bool,
}

impl Reach {
    /// From the cutoffs per ordered pair of types, of which some are [long](LongPairs), for atoms that [lie thin](super::grid::is_sparse) or do
    /// not. CPUs take lists octant by octant of cells, and look up each cell by itself: there few cells are better.
    #[expect(clippy::too_many_arguments, reason = "what cells depend on")]
    pub fn new(
        device: DeviceKind,
        cutoffs: &[f64],
        long: Option<&LongPairs>,
        skin: f64,
        domain: &Domain,
        dimension: u32,
        atoms: usize,
        thin: bool,
    ) -> Self {
        let mut longest = LongPairs::longest_list(long, cutoffs, false, skin);
        if longest == 0.0 {
            // There are no pairs; cells have a size all the same.
            longest = SHORTEST
                * domain.lengths()[..dimension as usize].iter().copied().fold(f64::INFINITY, f64::min);
        }
        let few = device == DeviceKind::Cpu;
        let far = if long.is_some() {
            2.0 * (LongPairs::longest_list(long, cutoffs, true, skin) + skin)
        } else {
            0.0
        };
        let cell = CellSize { far, ..CellSize::new(domain, dimension, longest, atoms, few, thin) };
        let farthest = LongPairs::longest_list(None, cutoffs, false, skin);
        Reach { farthest, long: long.cloned(), longest, cell, atoms, few, thin }
    }

    /// Whether a box has grown to so many cells of this size that larger ones are due.
    pub(super) fn needs_larger_cells(&self, domain: &Domain, dimension: u32) -> bool {
        let size = || CellSize::new(domain, dimension, self.longest, self.atoms, self.few, self.thin);
        self.cell.are_too_many(domain) && size().smallest > LARGER * self.cell.smallest
    }
}
