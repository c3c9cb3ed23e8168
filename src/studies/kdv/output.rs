//! What is written of a run: the table of snapshots, rows for other programs, a figure.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::animation::Film;
use super::markdown;
use super::problem::{Problem, Summary};
use crate::base::error::Result;
use crate::base::files;
use crate::studies::chart::{Chart, Series};

/// More points per line than a figure can show are thinned to twice as many extremes.
const COLUMNS: usize = 2000;

/// u at one time.
pub(super) struct Snapshot {
    pub(super) summary: Summary,
    pub(super) u: Vec<f64>,
}

/// Files that are wanted.
pub(super) struct Outputs<'a> {
    pub(super) csv: Option<&'a Path>,
    pub(super) svg: Option<&'a Path>,
    pub(super) gif: Option<&'a Path>,
}

impl<'a> Outputs<'a> {
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a Path> + use<'a> {
        [self.csv, self.svg, self.gif].into_iter().flatten()
    }

    pub(super) fn are_none(&self) -> bool {
        self.paths().next().is_none()
    }

    /// Writes them.
    pub(super) fn write(&self, problem: &Problem, snapshots: &[Snapshot], film: &Film) -> Result<()> {
        if let Some(path) = self.csv {
            files::write_whole(path, |file| rows(BufWriter::new(file), problem, snapshots))?;
        }
        if let Some(path) = self.svg {
            chart(problem, snapshots).save(path)?;
        }
        if let Some(path) = self.gif {
            film.save(problem, path)?;
        }
        Ok(())
    }
}

/// Rows t,x,u in the shortest decimals that read back as the same numbers.
fn rows(mut out: impl Write, problem: &Problem, snapshots: &[Snapshot]) -> std::io::Result<()> {
    writeln!(out, "t,x,u")?;
    for Snapshot { summary, u } in snapshots {
        for (j, u) in u.iter().enumerate() {
            writeln!(out, "{},{},{u}", summary.t, j as f64 * problem.dx())?;
        }
    }
    out.flush()
}

fn chart(problem: &Problem, snapshots: &[Snapshot]) -> Chart {
    // The document's figure has the first three times; what came after is the animation's.
    let series = snapshots.iter().take(super::TIMES.len()).map(|Snapshot { summary, u }| Series {
        name: format!("t = {} / pi", summary.t),
        points: outline(u, COLUMNS),
        marks: false,
    });
    Chart {
        title: format!("Korteweg-de Vries, delta = {}, N = {}", problem.delta, problem.n),
        x_label: "x".into(),
        y_label: "u".into(),
        log_x: false,
        log_y: false,
        series: series.collect(),
    }
}

/// Points (x, u) of a line over the whole period; where there are more than two per column, each column's two
/// extremes.
pub(super) fn outline(u: &[f64], columns: usize) -> Vec<(f64, f64)> {
    let dx = super::problem::PERIOD / u.len() as f64;
    let point = |j: usize| (j as f64 * dx, u[j % u.len()]);
    if u.len() <= 2 * columns {
        return (0..=u.len()).map(point).collect();
    }
    let extremes = |column: usize| {
        let range = column * u.len() / columns..(column + 1) * u.len() / columns;
        let by_value = |a: &usize, b: &usize| u[*a].total_cmp(&u[*b]);
        let (least, most) = (range.clone().min_by(by_value), range.max_by(by_value));
        let mut pair: Vec<usize> = least.into_iter().chain(most).collect();
        pair.sort_unstable();
        pair
    };
    (0..columns).flat_map(extremes).chain([u.len()]).map(point).collect()
}

/// The table of the snapshots.
pub(super) fn table(snapshots: &[Snapshot]) -> comfy_table::Table {
    let row = |Snapshot { summary, .. }: &Snapshot| {
        let Summary { t, mass, momentum, min, max, x_of_max } = summary;
        vec![
            // Steps of 1e-5 add up to 3.6000000000000005.
            format!("{}", (t * 1e9).round() / 1e9),
            format!("{mass:.3e}"),
            format!("{momentum:.9}"),
            format!("{min:.6}"),
            format!("{max:.6}"),
            format!("{x_of_max:.4}"),
        ]
    };
    let header = ["t", "mass", "momentum", "least u", "greatest u", "at x"];
    markdown(&header, snapshots.iter().map(row).collect())
}

/// The largest difference from the first snapshot.
pub(super) fn drift(snapshots: &[Snapshot], quantity: impl Fn(&Summary) -> f64) -> f64 {
    let first = quantity(&snapshots[0].summary);
    snapshots.iter().map(|snapshot| (quantity(&snapshot.summary) - first).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_peak_is_lost_when_points_are_thinned() {
        let mut u = vec![0.0; 100_003];
        u[77_777] = 5.0;
        u[12_345] = -2.0;
        let line = outline(&u, 300);
        assert_eq!(line.len(), 601);
        assert!(line.is_sorted_by(|a, b| a.0 <= b.0));
        let dx = 2.0 / 100_003.0;
        for point in [(77_777.0 * dx, 5.0), (12_345.0 * dx, -2.0)] {
            assert!(line.contains(&point), "{point:?}");
        }
    }
}
