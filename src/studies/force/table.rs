//! What was found: tables, the answer in words, the roofline.

use std::fmt::{Display, Formatter};

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use super::ceiling::{Ceilings, Limit, Work};
use super::device::{Accuracy, Timing};
use super::liquid::{CUTOFF, REACH};
use super::variant::{Precision, Reduction, Variant};
use crate::studies::chart::{Chart, Series};

/// Times nearer to one another than this are a draw.
const DRAW: f64 = 1.03;

/// The host's SIMD twin.
#[derive(Clone, Debug, Serialize)]
pub struct HostRow {
    /// Threads.
    pub threads: usize,
    /// Its times.
    pub timing: Timing,
}

/// A variant and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// [`Variant::name`].
    pub name: String,
    /// Its parts.
    pub variant: Variant,
    /// Work and traffic.
    pub work: Work,
    /// The least seconds that an evaluation can take.
    pub ceiling: f64,
    /// What takes them.
    pub limit: Limit,
    /// The check; `None` when it did not run.
    pub accuracy: Option<Accuracy>,
    /// `None` when it did not run, or is wrong.
    pub timing: Option<Timing>,
    /// Why it was not timed.
    pub fault: Option<String>,
}

impl Row {
    fn evaluation(&self) -> Option<f64> {
        self.timing.map(|timing| timing.evaluation)
    }
}

/// One liquid in one precision.
#[derive(Clone, Debug, Serialize)]
pub struct Case {
    /// Reduced density.
    pub density: f64,
    /// Arithmetic.
    pub precision: Precision,
    /// Number of atoms.
    pub atoms: usize,
    /// Entries of the full list.
    pub full_entries: u64,
    /// Entries of the half list.
    pub half_entries: u64,
    /// Pairs within the cutoff.
    pub pairs: u64,
    /// Evaluations that the seconds are for.
    pub repetitions: usize,
    /// What the device can do at most.
    pub ceilings: Ceilings,
    /// The host's times.
    pub host: Vec<HostRow>,
    /// The variants.
    pub rows: Vec<Row>,
    /// What the device does not offer.
    pub notes: Vec<String>,
}

/// Four significant digits, in as many decimals as that takes.
fn digits(x: f64) -> String {
    let decimals = if x > 0.0 { (3 - x.log10().floor() as i32).clamp(0, 6) } else { 1 };
    format!("{x:.*}", decimals as usize)
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

impl Case {
    /// The fastest variant with (`true`) or without Newton's third law, among those that `fits`.
    fn best(&self, third_law: bool, fits: impl Fn(&Variant) -> bool) -> Option<(&Row, f64)> {
        let rows = self.rows.iter().filter(|row| row.variant.third_law.is_some() == third_law);
        let timed = rows.filter(|row| fits(&row.variant)).filter_map(|row| Some((row, row.evaluation()?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The host's time on all threads.
    fn host(&self) -> Option<f64> {
        self.host.last().map(|row| row.timing.evaluation)
    }

    /// All repetitions, with (`true`) or without transfers; with `~` where not all were done.
    fn seconds(&self, timing: &Timing, transfers: bool) -> String {
        let moved = if transfers { timing.upload + timing.download } else { 0.0 };
        let seconds = digits(timing.evaluation * self.repetitions as f64 + moved);
        if timing.repetitions < self.repetitions { format!("~{seconds}") } else { seconds }
    }

    /// Work and traffic of one evaluation by a variant.
    pub fn work(&self, variant: &Variant) -> Work {
        let entries = if variant.third_law.is_some() { self.half_entries } else { self.full_entries };
        Work::count(variant, self.precision, self.atoms as u64, entries, self.pairs)
    }

    /// Operations and bytes per pair, and the least times that follow from the measured rates.
    fn ceilings(&self) -> Table {
        let mut table = table(&[
            "per pair computed",
            "FLOP",
            "B, all read once",
            "B, no cache",
            "FLOP/B, once",
            "FLOP/B, no cache",
            "ms by arithmetic",
            "by bandwidth",
            "by atomics",
        ]);
        let fastest = self.ceilings.additions.first().map(|(atomics, _)| *atomics);
        for third_law in std::iter::once(None).chain(fastest.map(Some)) {
            let (transposed, in_memory, lanes) = (false, false, 1);
            let variant = Variant { third_law, transposed, in_memory, lanes, reduction: Reduction::None };
            let work = self.work(&variant);
            let computed = self.pairs as f64 * if third_law.is_some() { 1.0 } else { 2.0 };
            let [operations, bytes, uncached] =
                [work.operations, work.bytes, work.bytes_uncached].map(|count| count as f64 / computed);
            let law = third_law
                .map_or("without the law".into(), |atomics| format!("with the law, {}", atomics.name()));
            let mut cells = vec![law];
            let numbers = [operations, bytes, uncached, operations / bytes, operations / uncached];
            cells.extend(numbers.map(|number| format!("{number:.2}")));
            cells.extend(self.ceilings.parts(&variant, &work).map(|(seconds, _)| digits(seconds * 1e3)));
            table.add_row(cells);
        }
        table
    }

    fn variants(&self) -> Table {
        let seconds = format!("{} x, s", self.repetitions);
        let mut table = table(&[
            "variant",
            "ms",
            &seconds,
            "with transfers, s",
            "x host",
            "GFLOP/s",
            "FLOP/B",
            "ceiling ms",
            "by",
            "% of it",
        ]);
        let host = self.host();
        let ratio = |seconds: f64| host.map_or(String::new(), |host| format!("{:.2}", host / seconds));
        for HostRow { threads, timing } in &self.host {
            let plural = if *threads == 1 { "" } else { "s" };
            table.add_row([
                format!("host SIMD, full, {threads} thread{plural}"),
                digits(timing.evaluation * 1e3),
                self.seconds(timing, false),
                String::new(),
                ratio(timing.evaluation),
            ]);
        }
        for row in &self.rows {
            let ceiling = [digits(row.ceiling * 1e3), row.limit.name().to_owned()];
            let intensity = format!("{:.2}", row.work.operations as f64 / row.work.bytes as f64);
            let mut cells = vec![row.name.clone()];
            match &row.timing {
                Some(timing) => {
                    cells.extend([
                        digits(timing.evaluation * 1e3),
                        self.seconds(timing, false),
                        self.seconds(timing, true),
                        ratio(timing.evaluation),
                        format!("{:.1}", row.work.operations as f64 / timing.evaluation * 1e-9),
                        intensity,
                    ]);
                    cells.extend(ceiling);
                    cells.push(format!("{:.0}", 100.0 * row.ceiling / timing.evaluation));
                }
                None => cells.push("FAILED".to_owned()),
            }
            table.add_row(cells);
        }
        table
    }

    /// The document's tunings, one after the other, without and with the law.
    fn steps(&self) -> Table {
        let seconds = |law| format!("{law}, {} x, s", self.repetitions);
        let mut table =
            table(&["as the document tunes", &seconds("without"), &seconds("with"), "with / without"]);
        type Fits = fn(&Variant) -> bool;
        let steps: [(&str, Fits); 5] = [
            ("i-force in memory, list in rows", |v| v.in_memory && !v.transposed && v.lanes == 1),
            ("1. i-force in registers", |v| !v.in_memory && !v.transposed && v.lanes == 1),
            ("2. list transposed", |v| !v.in_memory && v.transposed && v.lanes == 1),
            ("3. rows, 32 lanes", |v| !v.transposed && v.lanes == 32),
            ("best of all", |_| true),
        ];
        for (name, fits) in steps {
            let (without, with) = (self.best(false, fits), self.best(true, fits));
            let cell = |best: Option<(&Row, f64)>| {
                best.and_then(|(row, _)| row.timing).map_or("-".into(), |timing| self.seconds(&timing, false))
            };
            let ratio = without.zip(with).map_or("-".into(), |(a, b)| format!("{:.2}", b.1 / a.1));
            table.add_row([name.to_owned(), cell(without), cell(with), ratio]);
        }
        table
    }

    /// Whether leaving the law out wins: `Some(None)` is a draw.
    fn verdict(&self) -> Option<Option<bool>> {
        let (without, with) = (self.best(false, |_| true)?.1, self.best(true, |_| true)?.1);
        Some(if with.max(without) < DRAW * with.min(without) { None } else { Some(without < with) })
    }

    fn label(&self) -> String {
        format!("density {}, {}", self.density, self.precision.name())
    }

    /// One sentence about the best of both kinds.
    fn sentence(&self) -> String {
        let describe = |(row, seconds): (&Row, f64)| {
            format!(
                "{} takes {} ms ({:.0} % of its ceiling, {})",
                row.name,
                digits(seconds * 1e3),
                100.0 * row.ceiling / seconds,
                row.limit.name()
            )
        };
        match (self.best(false, |_| true), self.best(true, |_| true)) {
            (Some(without), Some(with)) => {
                let who = match self.verdict().flatten() {
                    None => "A draw".to_owned(),
                    Some(true) => format!("Without the law is {:.2} times as fast", with.1 / without.1),
                    Some(false) => format!("With the law is {:.2} times as fast", without.1 / with.1),
                };
                format!("{}: {who}: {}, {}.", self.label(), describe(without), describe(with))
            }
            (Some(best), None) | (None, Some(best)) => format!("{}: {}.", self.label(), describe(best)),
            (None, None) => format!("{}: nothing was timed.", self.label()),
        }
    }
}

impl Display for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Ceilings { operations, memory, full_list, half_list, additions } = &self.ceilings;
        writeln!(
            f,
            "Density {}, {} atoms, {}: {} pairs within {CUTOFF}, {} within {REACH}",
            self.density,
            self.atoms,
            self.precision.name(),
            self.pairs,
            self.half_entries
        )?;
        write!(
            f,
            "Measured: multiply-adds {} GFLOP/s; reading {} GB/s from memory, {} from a full list's size, {} from a \
             half list's; ",
            digits(operations * 1e-9),
            digits(memory * 1e-9),
            digits(full_list * 1e-9),
            digits(half_list * 1e-9)
        )?;
        let rates: Vec<String> = additions
            .iter()
            .map(|(atomics, rate)| format!("{} {}", atomics.name(), digits(rate * 1e-9)))
            .collect();
        let none = "no atomic additions".to_owned();
        let rates = if rates.is_empty() {
            none
        } else {
            format!("atomic additions of a force {} G/s", rates.join(", "))
        };
        writeln!(f, "{rates}")?;
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        writeln!(f, "\n{}\n\n{}", self.ceilings(), self.variants())?;
        for row in &self.rows {
            if let Some(fault) = &row.fault {
                writeln!(f, "{} was not timed: {fault}", row.name)?;
            }
        }
        write!(f, "\n{}", self.steps())
    }
}

/// The document's question, answered for the device at hand, in words.
pub fn answer(device: &str, cases: &[Case]) -> String {
    let verdicts: Vec<Option<bool>> = cases.iter().filter_map(Case::verdict).collect();
    let count = |wanted| verdicts.iter().filter(|&&verdict| verdict == wanted).count();
    let (yes, no, all) = (count(Some(true)), count(Some(false)), verdicts.len());
    let short = match () {
        () if all == 0 => "Not asked: variants with and without it are needed".to_owned(),
        () if yes == all => "Yes".to_owned(),
        () if no == all => "No".to_owned(),
        () if yes == 0 && no == 0 => "Neither wins".to_owned(),
        () => format!("In {yes} of {all} cases; in {no} it loses, in {} it is a draw", all - yes - no),
    };
    let sentences: Vec<String> = cases.iter().map(Case::sentence).collect();
    format!("Does ignoring Newton's third law still win on {device}? {short}.\n{}", sentences.join("\n"))
}

/// The roofline: the ceilings of each case, and its best variants with and without the law.
pub fn roofline(device: &str, cases: &[Case]) -> Chart {
    const FROM: f64 = 0.1;
    const TO: f64 = 100.0;
    let mut series: Vec<Series> = Vec::new();
    let mut line = |name: String, points: Vec<(f64, f64)>, marks| {
        series.push(Series { name, points, marks });
    };
    for case in cases {
        let Ceilings { operations, memory, .. } = case.ceilings;
        let roof = |x: f64| (x, (memory * x).min(operations) * 1e-9);
        let knee = (operations / memory).clamp(FROM, TO);
        line(format!("{}, roof", case.label()), vec![roof(FROM), roof(knee), roof(TO)], false);
        for (third_law, word) in [(false, "without"), (true, "with")] {
            if let Some((row, seconds)) = case.best(third_law, |_| true) {
                let operations = row.work.operations as f64;
                let point = (operations / row.work.bytes as f64, operations / seconds * 1e-9);
                line(format!("{}, {word} the law", case.label()), vec![point], true);
            }
        }
    }
    Chart {
        title: format!("Lennard-Jones forces on {device}"),
        x_label: "arithmetic intensity, FLOP/B".into(),
        y_label: "GFLOP/s".into(),
        log_x: true,
        log_y: true,
        series,
    }
}
