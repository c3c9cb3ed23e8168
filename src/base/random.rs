//! LAMMPS's random numbers: Park-Miller with seeds from positions (`velocity create` and others), and RANMAR; and
//! numbers by counting, for what kernels draw.
//!
//! Source of the first: S. K. Park and K. W. Miller, Comm. ACM 31, 1192 (1988), by Schrage's factorisation.

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

    /// What [`ParkMiller::of_state`] goes on from: the seed, and what is left of a pair of normal numbers (or NaN).
    pub fn numbers(&self) -> [f64; 2] {
        [self.seed as f64, self.kept.unwrap_or(f64::NAN)]
    }

    /// Goes on from where another stream was.
    pub fn of_state([seed, kept]: [f64; 2]) -> Self {
        ParkMiller { seed: seed as i64, kept: (!kept.is_nan()).then_some(kept) }
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
        let (first, kept) = polar(|| self.uniform());
        self.kept = Some(kept);
        first
    }
}

/// The random numbers of `random` and `normal` in formulas and of choices by ratio: RANMAR.
///
/// Source: G. Marsaglia, A. Zaman and W. W. Tsang, Stat. Prob. Lett. 9, 35 (1990), with the seeding of
/// F. James, Comp. Phys. Comm. 60, 329 (1990). As in LAMMPS, the first number is thrown away.
#[derive(Clone, Debug)]
pub struct Ranmar {
    /// The lagged Fibonacci part, the newest element at `place`.
    table: [f64; 97],
    place: usize,
    /// The arithmetic sequence.
    sequence: f64,
    kept: Option<f64>,
}

/// Numbers have 24 bits.
const RESOLUTION: f64 = 16_777_216.0;

impl Ranmar {
    /// Starts at a seed in 1..=900000000.
    pub fn new(seed: u32) -> Self {
        let (ij, kl) = ((seed - 1) / 30_082, (seed - 1) % 30_082);
        let (mut i, mut j) = ((ij / 177) % 177 + 2, ij % 177 + 2);
        let (mut k, mut l) = ((kl / 169) % 178 + 1, kl % 169);
        let table = std::array::from_fn(|_| {
            let (mut sum, mut bit) = (0.0, 0.5);
            for _ in 0..24 {
                let m = ((i * j) % 179) * k % 179;
                (i, j, k) = (j, k, m);
                l = (53 * l + 1) % 169;
                if (l * m) % 64 >= 32 {
                    sum += bit;
                }
                bit *= 0.5;
            }
            sum
        });
        let mut random = Ranmar { table, place: 96, sequence: 362_436.0 / RESOLUTION, kept: None };
        random.uniform();
        random
    }

    /// What [`Ranmar::of_state`] goes on from.
    pub fn numbers(&self) -> [f64; Ranmar::NUMBERS] {
        std::array::from_fn(|k| match k {
            0 => self.place as f64,
            1 => self.sequence,
            2 => self.kept.unwrap_or(f64::NAN),
            _ => self.table[k - 3],
        })
    }

    /// Goes on from there.
    pub fn of_state(state: &[f64; Ranmar::NUMBERS]) -> Self {
        Ranmar {
            table: std::array::from_fn(|k| state[3 + k]),
            // Whatever the numbers are, it is within the table.
            place: (state[0] as usize).min(96),
            sequence: state[1],
            kept: Some(state[2]).filter(|kept| !kept.is_nan()),
        }
    }

    /// How many numbers the state is.
    pub const NUMBERS: usize = 100;

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        // The two lags are 97 and 33.
        let other = (self.place + 33) % 97;
        let wrap = |x: f64| if x < 0.0 { x + 1.0 } else { x };
        let difference = wrap(self.table[self.place] - self.table[other]);
        self.table[self.place] = difference;
        self.place = (self.place + 96) % 97;
        self.sequence -= 7_654_321.0 / RESOLUTION;
        if self.sequence < 0.0 {
            self.sequence += 16_777_213.0 / RESOLUTION;
        }
        wrap(difference - self.sequence)
    }

    /// Chooses `wanted` of `count` items: each of a set with the probability that would make up the number, then some
    /// more of the others or fewer of those just chosen, until the number is right. No more than `count` are wanted.
    pub fn choose(&mut self, wanted: usize, count: usize) -> Vec<bool> {
        let wanted = wanted.min(count);
        let mut chosen = vec![false; count];
        // Whom the next turn may choose, and whom it may let go: only those that the last turn looked at.
        let mut open = [(0..count).collect::<Vec<_>>(), Vec::new()];
        let mut have = 0;
        while have != wanted {
            let adding = have < wanted;
            let set = std::mem::take(&mut open[usize::from(!adding)]);
            // Not closer to 0 or 1 than the resolution of the numbers allows.
            let share = (have.abs_diff(wanted) as f64 / set.len() as f64).clamp(0.01, 0.99);
            open = [Vec::new(), Vec::new()];
            for i in set {
                if self.uniform() < share {
                    chosen[i] = adding;
                    have = if adding { have + 1 } else { have - 1 };
                }
                open[usize::from(chosen[i])].push(i);
            }
        }
        chosen
    }

    /// Normal with mean 0 and variance 1, by the polar method.
    pub fn gaussian(&mut self) -> f64 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        let (first, kept) = polar(|| self.uniform());
        self.kept = Some(kept);
        first
    }
}

/// Two normal numbers from uniform ones, the one to be used first before the other.
fn polar(mut uniform: impl FnMut() -> f64) -> (f64, f64) {
    loop {
        let (a, b) = (2.0 * uniform() - 1.0, 2.0 * uniform() - 1.0);
        let r2 = a * a + b * b;
        if r2 < 1.0 && r2 != 0.0 {
            let factor = (-2.0 * r2.ln() / r2).sqrt();
            return (b * factor, a * factor);
        }
    }
}

/// Philox4x32-10: four words that depend on counter and key alone (cl/common/random.cl).
///
/// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let [a, b] =
            [(0xD251_1F53_u64, counter[0]), (0xCD9E_8D57, counter[2])].map(|(m, x)| m * u64::from(x));
        counter = [
            (b >> 32) as u32 ^ counter[1] ^ key[0],
            b as u32,
            (a >> 32) as u32 ^ counter[3] ^ key[1],
            a as u32,
        ];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// Three numbers, uniform between -1/2 and 1/2, for an atom and a step; `key` is what they are for (cl/common/random.cl).
pub fn uniform_of_atom(tag: u32, step: i64, key: [u32; 2]) -> [f64; 3] {
    let words = philox([tag, step as u32, (step >> 32) as u32, 0], key);
    std::array::from_fn(|d| f64::from(words[d].cast_signed()) * 2f64.powi(-32))
}

/// Three numbers for an atom and a step, normal with variance 1; `key` is what they are for (cl/common/random.cl).
///
/// Source: G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29, 610 (1958).
pub fn normal_of_atom(tag: u32, step: i64, key: [u32; 2]) -> [f64; 3] {
    let words = philox([tag, step as u32, (step >> 32) as u32, 0], key);
    let [u, v, w, x] = words.map(|word| (f64::from(word) + 0.5) * 2f64.powi(-32));
    let [near, far] = [u, w].map(|u| (-2.0 * u.ln()).sqrt());
    let [first, second] = [v, x].map(|turns| turns * std::f64::consts::TAU);
    [near * first.cos(), near * first.sin(), far * second.cos()]
}

/// The noise between two atoms at a step, normal with variance 1 (cl/force/noise.cl).
///
/// Source: G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29, 610 (1958).
pub fn noise_of_pair(a: u32, b: u32, step: i64, seed: u32) -> f64 {
    let words = philox([a.min(b), a.max(b), step as u32, (step >> 32) as u32], [seed, 2]);
    let [first, second] = [words[0], words[1]].map(f64::from);
    let distance = (-2.0 * ((first + 0.5) * 2f64.powi(-32)).ln()).sqrt();
    distance * (second * 2f64.powi(-32) * std::f64::consts::TAU).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors that Salmon and others publish with their library (Random123, kat_vectors).
    #[test]
    fn philox_gives_the_published_answers() {
        let answers = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, answer) in answers {
            assert_eq!(philox(counter, key), answer);
        }
    }
}
