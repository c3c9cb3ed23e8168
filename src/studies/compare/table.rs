//! The figures of a comparison, row by row, and the table in the terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::roofline::{Point, points};
use super::run::{Run, ratio, sections};
use crate::base::format::g;

/// Where the table may be wider than a terminal of unknown width (a pipe, a file).
const PIPE_WIDTH: usize = 140;

/// One row: a figure of every run.
pub(super) struct Row {
    /// What it is, with its unit.
    pub(super) name: String,
    /// One value per run; `None` where a run does not have it.
    pub(super) values: Vec<Option<f64>>,
    /// Percent of the loop, for rows of the breakdown.
    pub(super) percent: Vec<Option<f64>>,
    /// Whether a ratio to the first run says something.
    pub(super) compared: bool,
}

impl Row {
    fn new(runs: &[Run], name: &str, compared: bool, value: impl Fn(&Run) -> Option<f64>) -> Self {
        let values = runs.iter().map(value).collect();
        Row { name: name.to_owned(), values, percent: vec![None; runs.len()], compared }
    }

    /// The figure of run `index` divided by that of the first run.
    pub(super) fn ratio(&self, index: usize) -> Option<f64> {
        ratio(self.values[index], self.values[0]).filter(|_| self.compared)
    }
}

/// All rows of a comparison; those that no run has are left out.
pub(super) fn rows(runs: &[Run]) -> Vec<Row> {
    let mut rows = vec![
        Row::new(runs, "Atoms", false, |run| Some(run.atoms as f64)),
        Row::new(runs, "Steps", false, |run| Some(run.steps as f64)),
        Row::new(runs, "Total time, s", true, |run| Some(run.loop_seconds)),
        Row::new(runs, "Steps/s", true, Run::timesteps_per_second),
        Row::new(runs, "Matom-steps/s", true, |run| Some(run.atom_steps_per_second()? * 1e-6)),
    ];
    // Said where a run has several.
    if runs.iter().any(|run| run.ranks.is_some_and(|ranks| ranks.count > 1)) {
        rows.push(Row::new(runs, "Ranks", false, |run| Some(run.ranks?.count as f64)));
        rows.push(Row::new(runs, "Atoms, most/mean of a rank", false, |run| run.ranks?.atoms_imbalance));
        rows.push(Row::new(runs, "Pair, most/mean of a rank", false, |run| run.ranks?.pair_imbalance));
    }
    for name in sections(runs) {
        let mut row = Row::new(runs, &format!("{name}, s"), true, |run| run.seconds(&name));
        row.percent = runs.iter().map(|run| run.percent(&name)).collect();
        rows.push(row);
    }
    rows.push(Row::new(runs, "Neighbors/atom", false, Run::neighbors_per_atom));
    rows.push(Row::new(runs, "List builds", false, |run| Some(run.builds? as f64)));
    rows.retain(|row| row.values.iter().any(Option::is_some));
    rows
}

/// Four significant digits, without an exponent where that is readable; integers whole.
pub(super) fn figure(x: f64) -> String {
    let size = x.abs();
    match size {
        _ if x.fract() == 0.0 && size < 1e15 => format!("{x:.0}"),
        1e-4..1e15 => format!("{x:.*}", (3.0 - size.log10().floor()).max(0.0) as usize),
        _ => g(x, 4),
    }
}

/// A ratio with three significant digits.
pub(super) fn factor(x: f64) -> String {
    match x.abs() {
        size if size >= 100.0 => format!("{x:.0}"),
        size if size >= 10.0 => format!("{x:.1}"),
        size if size >= 0.1 => format!("{x:.2}"),
        _ => g(x, 2),
    }
}

/// The runs, numbered, with what ran where; then the table: a column per run, or a line per run where the
/// columns would be wider than the terminal.
pub(super) fn text(runs: &[Run]) -> String {
    let rows = rows(runs);
    let width = terminal_size::terminal_size().map_or(PIPE_WIDTH, |(width, _)| usize::from(width.0));
    let wide = beside(runs, &rows);
    let fits = wide.lines().all(|line| line.chars().count() <= width);
    let longest = runs.iter().map(|run| run.label.chars().count()).max().unwrap_or(0);
    let legend: String = runs
        .iter()
        .map(|run| format!("{:<longest$}  {}, {}\n", run.label, run.program, run.device))
        .collect();
    format!("{legend}\n{}\n", if fits { wide } else { below(runs, &rows) })
}

/// A column per run: figure, percent of the loop, ratio.
fn beside(runs: &[Run], rows: &[Row]) -> String {
    let cell = |row: &Row, index: usize| {
        let value = row.values[index].map_or("-".into(), figure);
        let percent = row.percent[index].map_or(String::new(), |percent| format!("{percent:.1}%"));
        let ratio = row.ratio(index).map_or(String::new(), |ratio| format!("x{}", factor(ratio)));
        format!("{value} {percent:>6} {ratio:>7}")
    };
    let header = runs.iter().map(|run| run.label.clone()).collect();
    let body = rows.iter().map(|row| (row.name.clone(), (0..runs.len()).map(|i| cell(row, i)).collect()));
    grid(header, body.collect())
}

/// Two lines per run: its figures, and under them their ratios.
fn below(runs: &[Run], rows: &[Row]) -> String {
    let cell = |row: &Row, index: usize| {
        let value = row.values[index].map_or("-".into(), figure);
        let ratio = row.ratio(index).map_or(String::new(), |ratio| format!("x{}", factor(ratio)));
        format!("{value}\n{ratio}")
    };
    // A heading is two lines, too: the row's name and its unit.
    let header = rows.iter().map(|row| row.name.replacen(", ", "\n", 1)).collect();
    let body = runs
        .iter()
        .enumerate()
        .map(|(i, run)| (run.label.clone(), rows.iter().map(|row| cell(row, i)).collect()));
    grid(header, body.collect())
}

fn grid(header: Vec<String>, body: Vec<(String, Vec<String>)>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    table.set_header([Cell::new("")].into_iter().chain(header.into_iter().map(right)));
    for (name, cells) in body {
        table.add_row([Cell::new(name)].into_iter().chain(cells.into_iter().map(right)));
    }
    table.to_string()
}

/// The kernels of every run whose bytes and operations are counted, each held against its device's ceilings.
pub(super) fn kernels(runs: &[Run]) -> String {
    let tables = runs.iter().map(|run| {
        let points = points(run);
        if points.is_empty() {
            return format!(
                "{}: no kernels with their bytes and operations, which only a JSON record holds\n",
                run.label
            );
        }
        let can = run.ceiling.map_or("its ceilings were not measured".into(), |ceiling| {
            let [copy, peak] = [ceiling.copy_bandwidth, ceiling.peak_flops].map(|rate| figure(rate * 1e-9));
            format!("the device copies {copy} GB/s and computes {peak} GFLOP/s")
        });
        let header = [
            "section",
            "calls",
            "us/call",
            "MB/call",
            "GB/s",
            "% of copy",
            "MFLOP/call",
            "GFLOP/s",
            "% of peak",
            "FLOP/B",
        ];
        let row = |point: &Point<'_>| {
            let calls = point.kernel.calls.max(1) as f64;
            let shares = run.ceiling.map(|ceiling| point.shares(&ceiling));
            let [copy, peak] =
                [0, 1].map(|k| shares.map_or("-".into(), |shares| format!("{:.1}", 100.0 * shares[k])));
            let cells = vec![
                point.kernel.section.clone(),
                point.kernel.calls.to_string(),
                figure(1e6 * point.kernel.seconds / calls),
                figure(1e-6 * point.bytes / calls),
                figure(1e-9 * point.flow()),
                copy,
                figure(1e-6 * point.operations / calls),
                figure(1e-9 * point.rate()),
                peak,
                figure(point.intensity()),
            ];
            (point.kernel.name.clone(), cells)
        };
        let table = grid(header.map(String::from).into(), points.iter().map(row).collect());
        format!("{}: {can}\n\n{table}\n", run.label)
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// What a reader of the figures should know, in sentences.
pub(super) fn notes(runs: &[Run]) -> Vec<String> {
    let mut notes = Vec::new();
    if runs.len() > 1 {
        notes.push(format!(
            "x1.23 is the figure divided by that of {}: less is faster for seconds, more is faster for rates.",
            runs[0].label
        ));
    }
    notes.extend(fastest(runs));
    let differ = |value: fn(&Run) -> u64| runs.iter().any(|run| value(run) != value(&runs[0]));
    let what = match (differ(|run| run.atoms), differ(|run| run.steps)) {
        (true, true) => Some("atoms and steps"),
        (true, false) => Some("atoms"),
        (false, true) => Some("steps"),
        (false, false) => None,
    };
    notes.extend(what.map(|what| {
        format!("The runs differ in {what}: compare Matom-steps/s and percentages, not seconds.")
    }));
    let labels = |fits: &dyn Fn(&Run) -> bool| -> Option<String> {
        let labels: Vec<&str> = runs.iter().filter(|run| fits(run)).map(|run| run.label.as_str()).collect();
        (!labels.is_empty()).then(|| labels.join(", "))
    };
    if runs.iter().any(|run| run.neighbors.is_some()) {
        notes.push(
            "Neighbors/atom counts each pair at both atoms, whether the program's list holds it once (half) or \
             twice (full)."
                .into(),
        );
    }
    if let Some(labels) = labels(&|run| run.neighbors.is_some_and(|count| count.pairs().is_none())) {
        notes.push(format!(
            "{labels}: a half list with newton off holds pairs with ghost atoms twice and others once, so its \
             pairs cannot be told from its length."
        ));
    }
    if let Some(labels) = labels(&|run| run.neighbors.is_none()) {
        notes.push(format!("{labels}: the list was not counted (as in LAMMPS when a GPU builds it)."));
    }
    if let Some(labels) = labels(&|run| run.sections.is_empty()) {
        notes.push(format!("{labels}: no breakdown, the run was not timed."));
    }
    if let Some(labels) = labels(&|run| run.seconds("Other").is_some_and(|seconds| seconds < 0.0)) {
        notes.push(format!(
            "{labels}: Other is negative, as the rows are estimates from timed calls and exceed the loop."
        ));
    }
    if let Some(labels) = labels(&|run| run.timesteps_per_second().is_none()) {
        notes.push(format!("{labels}: the loop has no steps or took no time, so there is no rate."));
    }
    notes
}

/// Which run does the most atom steps per second.
fn fastest(runs: &[Run]) -> Option<String> {
    let mut rates: Vec<(f64, &Run)> =
        runs.iter().filter_map(|run| Some((run.atom_steps_per_second()? * 1e-6, run))).collect();
    rates.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let ((most, fastest), (least, slowest)) = (rates.first()?, rates.last()?);
    (rates.len() > 1).then(|| {
        format!(
            "Fastest: {}, {} Matom-steps/s, {} times the rate of the slowest, {}.",
            fastest.label,
            figure(*most),
            factor(most / least),
            slowest.label
        )
    })
}
