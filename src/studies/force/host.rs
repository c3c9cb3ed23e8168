//! The force evaluation on the host: the plain f64 twin that every variant is checked against, and one with
//! SIMD and threads that is timed beside them.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::liquid::{CUTOFF, List, ROW};
use super::variant::Precision;

/// What [`reference()`] finds.
pub struct Reference {
    /// Force on each atom, in units of epsilon / sigma.
    pub force: Vec<[f64; 3]>,
    /// How far each component of it may be off in the arithmetic asked for.
    pub bound: Vec<f64>,
    /// Pairs within the cutoff, each counted once.
    pub pairs: u64,
}

/// Roundings that one pair's force passes through, in units of the relative rounding error: squared distance 5,
/// its powers 36, numerator 19, division 5 (OpenCL allows 2.5 ulp in single precision), product with the
/// displacement 2, and one more for the displacement itself.
const ROUNDINGS: f64 = 68.0;

/// Forces over a half list with Newton's third law, one pair after the other, with a first-order bound for the
/// error of any order of summation in arithmetic of relative rounding error `rounding` (2^-24 or 2^-53):
/// `(68 + neighbours) rounding sum |f|`, where both terms of f count with their magnitude, and the whole force
/// of pairs that rounding may put on the other side of the cutoff. The loop is that of the document's CPU code.
pub fn reference(x: &[[f64; 3]], half: &List, rounding: f64) -> Reference {
    let mut force = vec![[0.0; 3]; x.len()];
    let mut magnitude = vec![0.0; x.len()];
    let mut at_cutoff = vec![0.0; x.len()];
    let mut terms = vec![0_u32; x.len()];
    let cutsq = CUTOFF * CUTOFF;
    let mut pairs = 0;
    for i in 0..x.len() {
        for &j in half.row(i) {
            let j = j as usize;
            let d: [f64; 3] = std::array::from_fn(|c| x[j][c] - x[i][c]);
            let rsq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let r6 = rsq * rsq * rsq;
            let f = (24.0 * r6 - 48.0) / (r6 * r6 * rsq);
            if (rsq - cutsq).abs() < 8.0 * rounding * cutsq {
                at_cutoff[i] += f.abs() * CUTOFF;
                at_cutoff[j] += f.abs() * CUTOFF;
            }
            if rsq >= cutsq {
                continue;
            }
            pairs += 1;
            for c in 0..3 {
                force[i][c] += f * d[c];
                force[j][c] -= f * d[c];
            }
            let size = (24.0 * r6 + 48.0) / (r6 * r6 * rsq) * rsq.sqrt();
            for k in [i, j] {
                magnitude[k] += size;
                terms[k] += 1;
            }
        }
    }
    // The reference itself is rounded, too.
    let rounding = rounding + f64::EPSILON / 2.0;
    let bound = |i: usize| (ROUNDINGS + f64::from(terms[i])) * rounding * magnitude[i] + at_cutoff[i];
    Reference { bound: (0..x.len()).map(bound).collect(), force, pairs }
}

/// f32 and f64, as far as this study needs them.
pub trait Real:
    bytemuck::Pod
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// Its name here.
    const PRECISION: Precision;
    /// The nearest one.
    fn from_f64(x: f64) -> Self;
    /// The same number.
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    const PRECISION: Precision = Precision::Fp32;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Real for f64 {
    const PRECISION: Precision = Precision::Fp64;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}

/// Atoms that a thread takes at a time.
const STRETCH: usize = 256;

/// Forces (x, y, z, 0) over a full list, without Newton's third law: [`ROW`] pairs at a time in the vectors of
/// this processor, and all threads of the pool. `x` are positions (x, y, z, 0), with the dummy at the end.
pub fn vectorised<T: Real>(x: &[[T; 4]], full: &List, force: &mut [[T; 4]]) {
    let arch = Arch::new();
    force[..full.atoms()].par_chunks_mut(STRETCH).enumerate().for_each(|(stretch, force)| {
        arch.dispatch(Stretch { x, full, first: stretch * STRETCH, force });
    });
}

/// The forces on some atoms that follow one another.
struct Stretch<'a, T> {
    x: &'a [[T; 4]],
    full: &'a List,
    first: usize,
    force: &'a mut [[T; 4]],
}

impl<T: Real> WithSimd for Stretch<'_, T> {
    type Output = ();

    /// All of it is inlined here, so that it is compiled for the instructions of the processor at hand.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (i, force) in (self.first..).zip(self.force) {
            *force = row_force(self.x[i], self.x, self.full.padded_row(i));
        }
    }
}

/// The force of one row, in loops over arrays that the compiler turns into vector instructions.
#[inline(always)]
fn row_force<T: Real>(me: [T; 4], x: &[[T; 4]], row: &[u32]) -> [T; 4] {
    let (zero, cutsq) = (T::zeroed(), T::from_f64(CUTOFF * CUTOFF));
    let (a, b) = (T::from_f64(24.0), T::from_f64(48.0));
    let mut sums = [[zero; ROW]; 3];
    for chunk in row.as_chunks::<ROW>().0 {
        let mut d = [[zero; ROW]; 3];
        for (lane, &j) in chunk.iter().enumerate() {
            let other = x[j as usize];
            for c in 0..3 {
                d[c][lane] = other[c] - me[c];
            }
        }
        for lane in 0..ROW {
            let (dx, dy, dz) = (d[0][lane], d[1][lane], d[2][lane]);
            let rsq = dx * dx + dy * dy + dz * dz;
            let r6 = rsq * rsq * rsq;
            let f = (a * r6 - b) / (r6 * r6 * rsq);
            let f = if rsq < cutsq { f } else { zero };
            sums[0][lane] += f * dx;
            sums[1][lane] += f * dy;
            sums[2][lane] += f * dz;
        }
    }
    let mut total = [zero; 4];
    for (total, lanes) in total.iter_mut().zip(&sums) {
        for &lane in lanes {
            *total += lane;
        }
    }
    total
}
