//! Numbers as kernels have them: precision, and the fixed-point units of positions.

use crate::gpu::options::Precision;

/// Precision and the fixed-point units of staged positions.
///
/// A staged coordinate is an integer number of units modulo 2^32; 2^32 units are the modulus of the axis
/// ([`crate::engine::neighbor::grid::moduli`]), of which a whole number makes the box where it is periodic. In double precision staging is
/// plain, and differences are brought to the nearest image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numerics {
    /// Arithmetic of the kernels.
    pub precision: Precision,
    /// The modulus per axis, in distance units.
    pub modulus: [f64; 3],
    /// Whether lists reach across the faces of an axis.
    pub images: [bool; 3],
    /// Whether the box is triclinic: what is staged are positions in the straightened box
    /// ([`crate::model::domain::Domain::straighten`]).
    pub triclinic: bool,
}

/// Bits that a master coordinate has below a staged one in single precision.
const MASTER_BITS: i32 = 16;

impl Numerics {
    /// Length of one staged unit, in distance units; 1 in double precision.
    pub fn unit(self, axis: usize) -> f64 {
        if self.wide_pairs() { 1.0 } else { self.modulus[axis] * 2f64.powi(-32) }
    }

    /// Staged units per distance unit.
    pub fn to_staged(self, axis: usize) -> f64 {
        1.0 / self.unit(axis)
    }

    /// Whether velocities and sums are fp64.
    pub fn wide(self) -> bool {
        self.precision != Precision::Single
    }

    /// Whether pair arithmetic and forces are fp64.
    pub fn wide_pairs(self) -> bool {
        self.precision == Precision::Double
    }

    /// Length of one master unit, in distance units.
    pub fn master_unit(self, axis: usize) -> f64 {
        if self.wide() { 1.0 } else { self.unit(axis) * f64::from(-MASTER_BITS).exp2() }
    }

    /// A coordinate as the device's master copy stores it (bits of an f64, or fixed point).
    pub fn to_master(self, x: f64, axis: usize) -> i64 {
        if self.wide() {
            x.to_bits().cast_signed()
        } else {
            (x / self.master_unit(axis)).round_ties_even() as i64
        }
    }

    /// The inverse of [`Numerics::to_master`].
    pub fn from_master(self, x: i64, axis: usize) -> f64 {
        if self.wide() { f64::from_bits(x.cast_unsigned()) } else { x as f64 * self.master_unit(axis) }
    }

    /// By how much master coordinates along one axis follow those along another, as bits: an f64, or in single precision
    /// a fixed-point number of units of the one per unit of the other, times 2^58.
    pub fn slope(self, slope: f64, along: usize, by: usize) -> i64 {
        if self.wide() {
            slope.to_bits().cast_signed()
        } else {
            (slope * self.master_unit(by) / self.master_unit(along) * 58_f64.exp2()).round_ties_even() as i64
        }
    }

    /// 32-bit words of a staged position.
    pub fn staged_words(self) -> usize {
        if self.wide_pairs() { 8 } else { 4 }
    }

    /// A staged position, of a triclinic box straightened, as the words that kernels read; on the way through the master
    /// position, so that host and device round alike.
    pub fn stage(self, x: [f64; 3], kind: u32) -> Vec<u32> {
        let fixed = |d: usize| match self.precision {
            Precision::Single => (self.to_master(x[d], d) >> MASTER_BITS) as u32,
            _ => (x[d] * self.to_staged(d)).round_ties_even() as i64 as u32,
        };
        match self.precision {
            Precision::Double => bytemuck::cast_slice(&[x[0], x[1], x[2], f64::from(kind)]).to_vec(),
            _ => vec![fixed(0), fixed(1), fixed(2), kind],
        }
    }
}
