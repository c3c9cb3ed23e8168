//! How speed goes with the number of atoms: a chart of the runs.

use std::collections::BTreeMap;
use std::path::Path;

use super::Run;
use crate::base::error::{Error, Result};
use crate::studies::chart::{Chart, Series};

/// What runs of one line have in common: program, device, precision.
fn line_of(run: &Run) -> String {
    let precision = run.settings.iter().find(|(name, _)| name == "Precision");
    let program = run.program.split_whitespace().next().unwrap_or_default();
    let words = [program, &run.device].into_iter().chain(precision.map(|(_, value)| &**value));
    words.collect::<Vec<_>>().join(", ")
}

/// Draws million atom-steps per second against atoms, a line for the runs of each program, device and precision. Of runs with
/// as many atoms the median counts.
///
/// # Errors
/// When all runs have as many atoms, or the file cannot be written.
pub(super) fn draw(runs: &[Run], path: &Path) -> Result<()> {
    let mut lines: BTreeMap<String, BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for run in runs {
        if let Some(speed) = run.atom_steps_per_second() {
            lines.entry(line_of(run)).or_default().entry(run.atoms).or_default().push(speed / 1e6);
        }
    }
    if lines.values().all(|line| line.len() < 2) {
        return Err(Error::new("--scaling wants runs with different numbers of atoms")
            .help("`clamps sweep` makes them: `--var x 0.5 1 2 4`"));
    }
    let median = |mut speeds: Vec<f64>| {
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() / 2]
    };
    let series = lines.into_iter().map(|(name, line)| Series {
        name,
        points: line.into_iter().map(|(atoms, speeds)| (atoms as f64, median(speeds))).collect(),
        marks: true,
    });
    let chart = Chart {
        title: "Speed by size".into(),
        x_label: "atoms".into(),
        y_label: "million atom-steps per second".into(),
        log_x: true,
        log_y: true,
        series: series.collect(),
    };
    chart.save(path)
}
