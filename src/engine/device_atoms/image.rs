//! How often an atom has crossed the edges of the box: image counts in one word, as the device has them.

const IMAGE_BITS: i64 = 21;
const IMAGE_ZERO: i64 = 1 << (IMAGE_BITS - 1);
const IMAGE_MASK: i64 = (1 << IMAGE_BITS) - 1;

/// Three image counts in one word, 21 bits each, offset by half the range.
pub fn pack_image(image: [i32; 3]) -> i64 {
    image
        .iter()
        .rev()
        .fold(0, |word, &count| word << IMAGE_BITS | ((i64::from(count) + IMAGE_ZERO) & IMAGE_MASK))
}

/// The inverse of [`pack_image`].
pub fn unpack_image(packed: i64) -> [i32; 3] {
    std::array::from_fn(|d| ((packed >> (d as i64 * IMAGE_BITS) & IMAGE_MASK) - IMAGE_ZERO) as i32)
}

/// Crossings of the edges a, b, c as those of the edges of a flipped box: where c' = c + p b + n a and b' = b + m a.
pub(super) fn flipped([x, y, z]: [i32; 3], [m, n, p]: [i32; 3]) -> [i32; 3] {
    let y = y - p * z;
    [x - m * y - n * z, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::domain::{Boundary, Domain};

    #[test]
    fn flips_leave_atoms_where_they_are() {
        let domain = Domain::new([0.5; 3], [3.5, 4.5, 2.5], [[Boundary::Periodic; 2]; 3]).expect("a box");
        let before = domain.with_tilt([1.6, -1.7, 2.1]).expect("tilts");
        for by in [[-1, 0, 0], [0, 1, 0], [0, 0, -1], [-1, 1, -1], [1, 1, 1]] {
            let mut after = before.clone();
            after.flip(by);
            for image in [[1, 0, 0], [0, 2, 0], [3, -2, 5]] {
                let (x, y) =
                    (before.unwrapped([0.0; 3], image), after.unwrapped([0.0; 3], flipped(image, by)));
                assert!((0..3).all(|d| (x[d] - y[d]).abs() < 1e-12), "{by:?} {image:?}: {x:?} {y:?}");
            }
        }
    }

    #[test]
    fn images_survive_packing() {
        for image in [[0, 0, 0], [1, -1, 7], [-1_000_000, 999_999, -3]] {
            assert_eq!(unpack_image(pack_image(image)), image);
        }
    }
}
