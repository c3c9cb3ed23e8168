//! The order of cells: neighbours in space are near in memory.

use std::collections::HashMap;

/// Cells per axis of what the curve goes through at once: as many as the largest blocks of lists have.
pub(super) const BLOCK: usize = 4;

/// Distance along a Hilbert curve through a cube with an edge of 2^`bits`, at most 21.
///
/// Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 381 (2004).
fn hilbert(mut at: [usize; 3], bits: u32) -> u64 {
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

/// Where the cells of a box lie in a row of cubes along its longest axis, each of 2^`bits` places each way.
///
/// A cube's curve begins at one end of that axis and ends at the other. Blocks are spread over as many places of a cube as the next power of
/// two, and more where a cube's part of the box is about as long along another axis: so half of a cube has half of its blocks. The parts of 2, 4
/// and 8 ranks are about bricks then, and those of as many ranks as there are cubes.
struct Places {
    bits: u32,
    cubes: usize,
    /// The box's axes along those of the cubes.
    axes: [usize; 3],
    /// Along these how many cells stand before a place, and one place more.
    before: [Vec<usize>; 3],
}

impl Places {
    fn of(extent: [usize; 3]) -> Self {
        let blocks = extent.map(|cells| cells.div_ceil(BLOCK));
        // The first of axes that are as long.
        let long = (0..3).rev().max_by_key(|&d| blocks[d]).unwrap_or(0);
        let axes = [long, (long + 1) % 3, (long + 2) % 3];
        let middle = blocks[axes[1]].max(blocks[axes[2]]);
        let cubes = ((blocks[long] as f64 / middle as f64).round() as usize).max(1);
        let longest = blocks[long].div_ceil(cubes).max(middle);
        let all = longest.next_power_of_two();
        let before = std::array::from_fn(|k| {
            let (cells, n) = (extent[axes[k]], blocks[axes[k]]);
            let parts = if k == 0 { cubes } else { 1 };
            let first = |part: usize| (part * n).div_ceil(parts);
            let place = |block: usize| {
                let part = block * parts / n;
                let count = first(part + 1) - first(part);
                let shorter = (longest as f64 / count as f64).log2().round() as u32;
                let spread = (all >> shorter).max(count.next_power_of_two());
                part * all + (block - first(part)) * spread / count
            };
            let mut before = vec![0; BLOCK * all * parts + 1];
            (0..cells).for_each(|cell| before[BLOCK * place(cell / BLOCK) + cell % BLOCK + 1] = 1);
            (1..before.len()).for_each(|place| before[place] += before[place - 1]);
            before
        });
        Places { bits: (BLOCK * all).ilog2(), cubes, axes, before }
    }

    /// Whether there are cells in a part of a cube.
    fn hold(&self, corner: [usize; 3], edge: usize) -> bool {
        (0..3).all(|k| self.before[k][corner[k]] < self.before[k][corner[k] + edge])
    }

    /// Places from the corner of the cube that they are in.
    fn within(&self, at: [usize; 3]) -> [usize; 3] {
        at.map(|place| place & ((1 << self.bits) - 1))
    }
}

/// The cells of a box, by number with x fastest, in the order of their places along the curve.
///
/// A cube's curve goes through its eight halves of an edge one after another, in an order that says in which order it goes through the
/// halves of each of these: so the cells of a box need not be sorted.
pub(super) fn along(extent: [usize; 3]) -> Vec<u32> {
    let places = Places::of(extent);
    let order = |corner: [usize; 3], half: usize| {
        let mut order: Order = std::array::from_fn(|octant| octant as u8);
        let distance = |octant| hilbert(places.within(corner_of(corner, octant, half)), places.bits);
        order.sort_by_key(|&octant| distance(octant));
        order
    };
    let mut walk = Walk { extent, places: &places, order: &order, known: HashMap::new(), cells: Vec::new() };
    walk.cells.reserve(extent.iter().product());
    let edge = 1 << places.bits;
    for cube in 0..places.cubes {
        let corner = [cube * edge, 0, 0];
        walk.through(corner, edge, order(corner, edge / 2));
    }
    walk.cells
}

/// The octants of a cube in the order of the curve: bits of its three axes.
type Order = [u8; 8];

fn corner_of(corner: [usize; 3], octant: u8, half: usize) -> [usize; 3] {
    std::array::from_fn(|k| corner[k] + half * (usize::from(octant) >> k & 1))
}

/// The way along the curve through the cells of a box.
struct Walk<'a> {
    extent: [usize; 3],
    places: &'a Places,
    /// The order of the octants of so large an edge of the cube at a corner.
    order: &'a dyn Fn([usize; 3], usize) -> Order,
    /// For each order of octants the orders within these.
    known: HashMap<Order, [Order; 8]>,
    cells: Vec<u32>,
}

impl Walk<'_> {
    fn through(&mut self, corner: [usize; 3], edge: usize, order: Order) {
        let half = edge / 2;
        let Walk { extent: [nx, ny, _], places, .. } = *self;
        let octants = order.map(|octant| corner_of(corner, octant, half));
        if half == 1 {
            let cell = |place: [usize; 3]| {
                let mut at = [0; 3];
                (0..3).for_each(|k| at[places.axes[k]] = places.before[k][place[k]]);
                ((at[2] * ny + at[1]) * nx + at[0]) as u32
            };
            self.cells.extend(octants.into_iter().filter(|&place| places.hold(place, 1)).map(cell));
            return;
        }
        let within = |k: usize| (self.order)(octants[k], half / 2);
        let within = *self.known.entry(order).or_insert_with(|| std::array::from_fn(within));
        for (corner, within) in octants.into_iter().zip(within) {
            if places.hold(corner, half) {
                self.through(corner, half, within);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::place_of;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn cells_come_in_the_order_of_their_distances() {
        for extent in [[1, 1, 1], [2, 1, 3], [8, 8, 8], [5, 7, 3], [33, 4, 17], [1, 130, 2], [64, 20, 40]] {
            let mut cells: Vec<u32> = (0..extent.iter().product::<usize>() as u32).collect();
            let places = Places::of(extent);
            cells.sort_by_key(|&cell| {
                let at = place_of(cell, extent);
                let place = std::array::from_fn(|k| {
                    places.before[k].partition_point(|&before| before <= at[places.axes[k]]) - 1
                });
                (place[0] >> places.bits, hilbert(places.within(place), places.bits))
            });
            assert!(along(extent) == cells, "{extent:?}");
        }
    }

    #[test]
    fn the_curve_goes_through_whole_blocks() {
        let mut extents = vec![[1, 130, 2], [64, 20, 40], [200, 3, 9], [7, 7, 61]];
        for x in 1..14 {
            extents.extend((1..14).flat_map(|y| [1, 4, 7, 10, 13].map(|z| [x, y, z])));
        }
        for extent in extents {
            let cells = along(extent);
            let met: HashSet<u32> = cells.iter().copied().collect();
            assert!(met.len() == extent.iter().product::<usize>() && cells.len() == met.len(), "{extent:?}");
            for edge in [BLOCK, 2] {
                let block = |&cell: &u32| place_of(cell, extent).map(|at| at / edge);
                let mut blocks: Vec<_> = cells.iter().map(block).collect();
                blocks.dedup();
                let different: HashSet<_> = blocks.iter().collect();
                assert_eq!(blocks.len(), different.len(), "{extent:?} in blocks of {edge}");
            }
        }
    }

    #[test]
    fn parts_of_the_curve_are_bricks() {
        // Cells of the melt on 2 and 4 GPUs, a cube in 8, a slab in 4: where boxes are of whole blocks, parts are bricks of these edges.
        for (extent, ranks, brick) in [
            ([96, 96, 192], 2, [96, 96, 96]),
            ([96, 96, 384], 4, [96, 96, 96]),
            ([48, 48, 48], 8, [24, 24, 24]),
            ([80, 80, 4], 4, [40, 40, 4]),
            ([384, 96, 96], 4, [96, 96, 96]),
            ([24, 72, 24], 3, [24, 24, 24]),
            ([192, 64, 64], 6, [32, 64, 64]),
        ] {
            let cells = along(extent);
            for part in cells.chunks(cells.len() / ranks) {
                let along = |d: usize| part.iter().map(move |&cell| place_of(cell, extent)[d]);
                let edges: [usize; 3] =
                    std::array::from_fn(|d| 1 + along(d).max().unwrap_or(0) - along(d).min().unwrap_or(0));
                assert_eq!(edges, brick, "{extent:?} on {ranks}");
            }
        }
    }

    #[test]
    fn hilbert_steps_to_a_face_neighbour() {
        let mut at: Vec<[usize; 3]> = (0..512).map(|k| [k % 8, k / 8 % 8, k / 64]).collect();
        at.sort_by_key(|&a| hilbert(a, 3));
        for pair in at.windows(2) {
            let distance: usize = (0..3).map(|d| pair[0][d].abs_diff(pair[1][d])).sum();
            assert_eq!(distance, 1, "{pair:?}");
        }
    }
}
