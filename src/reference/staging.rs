//! Fixed-point staging (`stage` of cl/common/common.cl).

/// 2^32.
const RANGE: f64 = 4_294_967_296.0;

/// A coordinate as a whole number of units modulo 2^32, rounded to even (`-precision mixed`).
pub fn stage(x: f64, unit: f64) -> u32 {
    (x / unit).round_ties_even().rem_euclid(RANGE) as u32
}

/// As [`stage`], rounded down from a master position of 2^-16 units (`-precision single`).
pub fn stage_fixed(x: f64, unit: f64) -> u32 {
    let master = (x / unit * 65536.0).round_ties_even();
    (master / 65536.0).floor().rem_euclid(RANGE) as u32
}

/// a - b in distance units, right where it is less than half the range.
pub fn displacement(a: u32, b: u32, unit: f64) -> f64 {
    f64::from(a.wrapping_sub(b).cast_signed()) * unit
}
