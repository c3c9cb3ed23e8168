//! The order of cells: neighbours in space are near in memory.

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

#[cfg(test)]
mod tests {
    use super::*;

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
