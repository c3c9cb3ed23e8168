//! Multiples of an interval of steps.

/// The first multiple of `every` after a step.
pub fn next_multiple(step: i64, every: u64) -> i64 {
    step.saturating_add(every as i64 - step.rem_euclid(every as i64))
}
