//! The order of cells: neighbours in space are near in memory.

use std::collections::HashMap;

/// Distance along a Hilbert curve through a cube that holds `extent`, at most 21 bits per axis.
///
/// Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 381 (2004).
pub(super) fn hilbert(mut at: [usize; 3], extent: [usize; 3]) -> u64 {
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

/// The cells of a box, by number with x fastest, in the order of their distances along the curve.
///
/// A cube's curve goes through its eight halves of an edge one after another, in an order that says in which order it goes through the
/// halves of each of these: so the cells of a box need not be sorted.
pub(super) fn along(extent: [usize; 3]) -> Vec<u32> {
    let bits = usize::BITS - (extent.into_iter().max().unwrap_or(1).max(2) - 1).leading_zeros();
    let order = |corner: [usize; 3], half: usize| {
        let mut order: Order = std::array::from_fn(|octant| octant as u8);
        order.sort_by_key(|&octant| hilbert(corner_of(corner, octant, half), extent));
        order
    };
    let mut walk = Walk { extent, order: &order, known: HashMap::new(), cells: Vec::new() };
    walk.cells.reserve(extent.iter().product());
    let edge = 1 << bits;
    walk.through([0; 3], edge, order([0; 3], edge / 2));
    walk.cells
}

/// The octants of a cube in the order of the curve: bits of x, y and z.
type Order = [u8; 8];

fn corner_of(corner: [usize; 3], octant: u8, half: usize) -> [usize; 3] {
    std::array::from_fn(|d| corner[d] + half * (usize::from(octant) >> d & 1))
}

/// The way along the curve through the cells of a box.
struct Walk<'a> {
    extent: [usize; 3],
    /// The order of the octants of so large an edge of the cube at a corner.
    order: &'a dyn Fn([usize; 3], usize) -> Order,
    /// For each order of octants the orders within these.
    known: HashMap<Order, [Order; 8]>,
    cells: Vec<u32>,
}

impl Walk<'_> {
    fn through(&mut self, corner: [usize; 3], edge: usize, order: Order) {
        let half = edge / 2;
        let [nx, ny, _] = self.extent;
        let inside = |at: &[usize; 3]| (0..3).all(|d| at[d] < self.extent[d]);
        if half == 1 {
            let cells = order.iter().map(|&octant| corner_of(corner, octant, 1)).filter(inside);
            self.cells.extend(cells.map(|[x, y, z]| ((z * ny + y) * nx + x) as u32));
            return;
        }
        let of_octant = |octant: &u8| (self.order)(corner_of(corner, *octant, half), half / 2);
        let within =
            *self.known.entry(order).or_insert_with(|| std::array::from_fn(|k| of_octant(&order[k])));
        for (octant, within) in order.into_iter().zip(within) {
            let corner = corner_of(corner, octant, half);
            if (0..3).all(|d| corner[d] < self.extent[d]) {
                self.through(corner, half, within);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_in_the_order_of_their_distances() {
        for extent in [[1, 1, 1], [2, 1, 3], [8, 8, 8], [5, 7, 3], [33, 4, 17], [1, 130, 2], [64, 20, 40]] {
            let [nx, ny, nz] = extent;
            let mut cells: Vec<u32> = (0..(nx * ny * nz) as u32).collect();
            cells.sort_by_key(|&cell| {
                let cell = cell as usize;
                hilbert([cell % nx, cell / nx % ny, cell / (nx * ny)], extent)
            });
            assert!(along(extent) == cells, "{extent:?}");
        }
    }

    #[test]
    fn hilbert_steps_to_a_face_neighbour() {
        let mut at: Vec<[usize; 3]> = (0..512).map(|k| [k % 8, k / 8 % 8, k / 64]).collect();
        at.sort_by_key(|&a| hilbert(a, [8; 3]));
        for pair in at.windows(2) {
            let distance: usize = (0..3).map(|d| pair[0][d].abs_diff(pair[1][d])).sum();
            assert_eq!(distance, 1, "{pair:?}");
        }
    }
}
