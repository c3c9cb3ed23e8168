//! Runs from a JSON record of this program (`-json FILE`).

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::run::{Ceiling, Kernel, ListKind, Neighbors, Ranks, Run, imbalance};
use crate::base::error::{Error, Result, Source};

/// What tells a record of runs from other JSON files.
#[derive(Deserialize)]
struct Head {
    program: Option<String>,
    study: Option<String>,
}

#[derive(Deserialize)]
struct Record {
    version: String,
    git: String,
    date: String,
    script: String,
    device: Device,
    precision: String,
    runs: Vec<Recorded>,
}

#[derive(Deserialize)]
struct Device {
    platform: String,
    name: String,
    driver: String,
    copy_bandwidth: Option<f64>,
    peak_flops: Option<f64>,
}

#[derive(Deserialize)]
struct Recorded {
    loop_seconds: f64,
    steps: u64,
    atoms: u64,
    dt: f64,
    units: String,
    timing: String,
    sections: Map<String, Value>,
    kernels: Vec<Kernel>,
    counts: Counts,
    builds: u64,
    memory_bytes: f64,
    /// Missing where there is one, and in records of older programs.
    #[serde(default)]
    ranks: Vec<Rank>,
}

#[derive(Deserialize)]
struct Rank {
    sections: Map<String, Value>,
    counts: Counts,
}

#[derive(Deserialize)]
struct Counts {
    local: f64,
    ghost: f64,
    neighbors: f64,
}

/// All runs of a record.
///
/// # Errors
/// When it is no JSON, or not the record of a run; points at the line.
pub(super) fn read(file: &Path, text: &str) -> Result<Vec<Run>> {
    let head: Head = parse(file, text)?;
    if let Some(study) = head.study {
        let message = format!("{} is the record of the study `{study}`, not of a run", file.display());
        return Err(
            Error::new(message).help("compare reads what clamps -json FILE writes of a script's runs")
        );
    }
    if head.program.as_deref() != Some("clamps") {
        let message =
            format!("{} is JSON, but no record of clamps: it lacks \"program\": \"clamps\"", file.display());
        return Err(Error::new(message).help("compare reads what clamps -json FILE writes"));
    }
    let record: Record = parse(file, text)?;
    if record.runs.is_empty() {
        return Err(Error::new(format!("{} holds no run", file.display())));
    }
    Ok(record.runs.iter().map(|run| convert(file, &record, run)).collect())
}

fn convert(file: &Path, record: &Record, run: &Recorded) -> Run {
    let Device { platform, name, driver, .. } = &record.device;
    let git = if record.git.is_empty() { String::new() } else { format!(" git {}", record.git) };
    let program = format!("CLAMPS ({}{git})", record.version);
    let device = format!("{name} ({platform})");
    let settings = [
        ("Program", program.clone()),
        ("Device", device.clone()),
        ("Driver", driver.clone()),
        ("Precision", record.precision.clone()),
        ("Timing", run.timing.clone()),
        ("Units", run.units.clone()),
        ("Time step", run.dt.to_string()),
        ("Device memory", format!("{:.1} MB", run.memory_bytes * 1e-6)),
        ("Script", record.script.clone()),
        ("Date", record.date.clone()),
    ];
    let seconds = |row: &Value| row.get("seconds").and_then(Value::as_f64);
    let timed = run.timing != "off";
    Run {
        label: String::new(),
        file: file.to_owned(),
        number: 0,
        of: 0,
        program,
        device,
        atoms: run.atoms,
        steps: run.steps,
        loop_seconds: run.loop_seconds,
        sections: run
            .sections
            .iter()
            .filter(|_| timed)
            .filter_map(|(name, row)| Some((name.clone(), seconds(row)?)))
            .collect(),
        ghosts: Some(run.counts.ghost),
        ranks: Some(ranks(&run.ranks, timed)),
        neighbors: Some(Neighbors { listed: run.counts.neighbors, list: ListKind::Full }),
        builds: Some(run.builds),
        settings: settings.map(|(key, value)| (key.to_owned(), value)).into(),
        kernels: if timed { run.kernels.clone() } else { Vec::new() },
        ceiling: record
            .device
            .copy_bandwidth
            .zip(record.device.peak_flops)
            .map(|(copy_bandwidth, peak_flops)| Ceiling { copy_bandwidth, peak_flops }),
    }
}

fn ranks(ranks: &[Rank], timed: bool) -> Ranks {
    let figures = |figure: fn(&Rank) -> Option<f64>| ranks.iter().filter_map(figure).collect::<Vec<_>>();
    let atoms = figures(|rank| Some(rank.counts.local));
    let pair = figures(|rank| rank.sections.get("Pair").and_then(Value::as_f64));
    Ranks {
        count: ranks.len().max(1) as u64,
        atoms_imbalance: imbalance(&atoms),
        pair_imbalance: imbalance(&pair).filter(|_| timed),
    }
}

fn parse<'a, T: Deserialize<'a>>(file: &Path, text: &'a str) -> Result<T> {
    serde_json::from_str(text).map_err(|err| {
        let message = err.to_string();
        // The place is said by the error itself.
        let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
        let line = text.lines().nth(err.line().saturating_sub(1)).unwrap_or_default();
        let name = file.display().to_string();
        let source = Source { file: Arc::from(name), line: err.line().max(1), text: Arc::from(line) };
        let column = err.column().saturating_sub(1);
        Error::new(format!("not a record of clamps: {message}")).at(&source, column..column + 1)
    })
}
