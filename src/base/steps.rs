//! Multiples of an interval of steps.

/// The first step behind `step` among `first`, `first` + `every` and so on.
pub fn next_from(first: i64, every: i64, step: i64) -> i64 {
    (first + ((step - first).div_euclid(every) + 1) * every).max(first)
}

/// The first multiple of `every` after a step.
pub fn next_multiple(step: i64, every: u64) -> i64 {
    step.saturating_add(every as i64 - step.rem_euclid(every as i64))
}
