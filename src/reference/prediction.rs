//! Where lists take atoms to be (cl/neighbor/cells.cl, [`crate::engine::neighbor::prediction`]).

/// Where an atom at x comes in so many `steps`, in fractions too, with the velocity v and the kicks of this step, whose first half
/// is over and gave `half_step_v`; no farther than `most`. Distance and time units of the script.
pub fn predicted(
    x: [f64; 3],
    v: [f64; 3],
    half_step_v: [f64; 3],
    steps: f64,
    time_step: f64,
    most: f64,
) -> [f64; 3] {
    let by: [f64; 3] = std::array::from_fn(|d| (v[d] + (v[d] - half_step_v[d]) * steps) * steps * time_step);
    let far = by.iter().map(|by| by * by).sum::<f64>().sqrt();
    let part = if far > most { most / far } else { 1.0 };
    std::array::from_fn(|d| x[d] + part * by[d])
}
