//! The random numbers of `velocity create`: Park-Miller, and LAMMPS's seed from a position.
//!
//! Source: S. K. Park and K. W. Miller, Comm. ACM 31, 1192 (1988), by Schrage's factorisation.

const MULTIPLIER: i64 = 16807;
const MODULUS: i64 = 2_147_483_647;

/// A stream of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct ParkMiller {
    seed: i64,
    kept: Option<f64>,
}

impl ParkMiller {
    /// Starts at a seed in 1..2^31-1.
    pub fn new(seed: u32) -> Self {
        ParkMiller { seed: i64::from(seed), kept: None }
    }

    /// Starts at a seed made from `seed` and the bits of a position, so that the stream depends on
    /// neither the order of the atoms nor their IDs: a one-at-a-time hash (B. Jenkins, 1997) over the
    /// little-endian bytes, each added sign-extended; the first five numbers are skipped.
    pub fn at_position(seed: u32, x: [f64; 3]) -> Self {
        let mut hash = 0_u32;
        let bytes = seed.to_le_bytes().into_iter().chain(x.into_iter().flat_map(f64::to_le_bytes));
        for byte in bytes {
            hash = hash.wrapping_add_signed(i32::from(byte as i8));
            hash = hash.wrapping_add(hash << 10);
            hash ^= hash >> 6;
        }
        hash = hash.wrapping_add(hash << 3);
        hash ^= hash >> 11;
        hash = hash.wrapping_add(hash << 15);
        let mut random = ParkMiller::new((hash & 0x07ff_ffff).max(1));
        random.skip(5);
        random
    }

    /// Draws and discards.
    pub fn skip(&mut self, numbers: usize) {
        for _ in 0..numbers {
            self.uniform();
        }
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        // 64-bit integers hold the product, so Schrage's split is not needed for the same sequence.
        self.seed = MULTIPLIER * self.seed % MODULUS;
        // Times the rounded reciprocal, as LAMMPS does; a division differs in the last bit.
        self.seed as f64 * (1.0 / MODULUS as f64)
    }

    /// Normal with mean 0 and variance 1, by the polar method; the second of a pair is kept for the
    /// next call.
    pub fn gaussian(&mut self) -> f64 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        loop {
            let (a, b) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let r2 = a * a + b * b;
            if r2 < 1.0 && r2 != 0.0 {
                let factor = (-2.0 * r2.ln() / r2).sqrt();
                self.kept = Some(a * factor);
                return b * factor;
            }
        }
    }
}
