//! The 262,144-atom benchmark on every device found.
//!
//! Source: Zhao, Shi and Yu, "Short-range force algorithm optimization in Lammps based on OpenCL" (Computer
//! Engineering and Science 37, 2015, 1614), tables 2 and 3: total time, and the percentages of it that go to
//! pair forces (PT), neighbour lists (NT) and communication (CT), after 5,000 and 10,000 steps.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::signals;
use crate::gpu::options::Precision;
use crate::gpu::{self, DeviceInfo};
use crate::studies::repeats::{RepeatArgs, loop_seconds};
use crate::studies::{child, report};

const NAME: &str = "in.lj.262144";
const SCRIPT: &str = include_str!("../../inputs/in.lj.262144");

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// Numbers of steps, one run for each
    #[arg(long, value_name = "N", num_args = 1.., default_values = ["5000", "10000"])]
    steps: Vec<NonZeroU32>,
    /// Devices, separated by commas: all, gpu, cpu, a number, PLATFORM:DEVICE or a part of a name
    #[arg(long, value_name = "DEVICE", value_delimiter = ',', default_value = "all")]
    device: Vec<String>,
    /// Arithmetic; default: mixed, or single on a device without fp64
    #[arg(long, value_enum, value_name = "PRECISION")]
    precision: Option<Precision>,
    #[command(flatten)]
    repeats: RepeatArgs,
    /// Write the figures and the whole records to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The runs on one device: for each number of steps the record, or why there is none.
struct Row {
    device: DeviceInfo,
    runs: Vec<Result<Value>>,
}

/// Runs the script for each number of steps on each device, in a process of its own, and prints the table.
///
/// # Errors
/// No such device, a file that cannot be written, no device on which the script ran, or Ctrl-C.
pub fn run(args: &PaperArgs) -> Result<()> {
    if let Some(path) = &args.json {
        files::check_place(path)?;
    }
    // Before OpenCL is asked for devices: PoCL's compiler dies of Ctrl-C where its handler is the first.
    signals::install()?;
    let mut devices = Vec::new();
    for selector in &args.device {
        devices.extend(gpu::select(selector)?);
    }
    devices.sort_by_key(|(index, _)| *index);
    devices.dedup_by_key(|(index, _)| *index);
    let folder = tempfile::tempdir().map_err(|err| Error::new(format!("no place for the script: {err}")))?;
    let script = folder.path().join(NAME);
    std::fs::write(&script, SCRIPT).map_err(|err| Error::io("write", &script, &err))?;

    let bar = ProgressBar::new((devices.len() * args.steps.len()) as u64).with_style(
        ProgressStyle::with_template("[{bar:20}] {pos} of {len} runs, {elapsed}  {msg}")
            .expect("the template is valid"),
    );
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let mut rows = Vec::new();
    for (index, device) in devices {
        let mut runs = Vec::new();
        for steps in &args.steps {
            bar.set_message(format!("{steps} steps on {}", device.name));
            let run = run_one(&script, index, *steps, args);
            if signals::interrupted() {
                break;
            }
            runs.push(run);
            bar.inc(1);
        }
        if !runs.is_empty() {
            rows.push(Row { device, runs });
        }
        if signals::interrupted() {
            break;
        }
    }
    bar.finish_and_clear();

    if !rows.is_empty() {
        report::line(table(&args.steps, &rows));
    }
    for row in &rows {
        for (steps, run) in args.steps.iter().zip(&row.runs) {
            if let Err(error) = run {
                report::line(format_args!("{}, {steps} steps: {error}", name(&row.device)));
            }
        }
    }
    if let Some(path) = &args.json {
        report::save(path, &record(&args.steps, &rows))?;
    }
    if signals::interrupted() {
        return Err(Error::new("interrupted: not all runs are done"));
    }
    if rows.iter().any(|row| row.runs.iter().any(Result::is_ok)) {
        return Ok(());
    }
    Err(Error::new("the benchmark ran on none of the devices"))
}

fn run_one(script: &Path, index: usize, steps: NonZeroU32, args: &PaperArgs) -> Result<Value> {
    let mut extra = Vec::new();
    if let Some(precision) = args.precision {
        extra.extend(["-precision", precision.name()]);
    }
    let vars = [("t".to_owned(), vec![steps.to_string()])];
    let median = args.repeats.median(|| {
        let record = child::run_script(script, &index.to_string(), &vars, &extra)?;
        Ok((loop_seconds(&record), record))
    })?;
    let mut record = median.run;
    record["repeats"] = median.seconds.into();
    Ok(record)
}

fn name(device: &DeviceInfo) -> String {
    format!("{} ({})", device.name, device.platform)
}

/// One row per device; for each number of steps the loop's seconds and the percentages of Pair, Neigh and Comm.
fn table(steps: &[NonZeroU32], rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    let mut header = vec!["device".to_owned()];
    for steps in steps {
        header.push(format!("{steps} steps: time, s"));
        header.extend(["PT %", "NT %", "CT %"].map(String::from));
    }
    table.set_header(header);
    for row in rows {
        let mut cells = vec![name(&row.device)];
        for run in &row.runs {
            match run.as_ref().ok().and_then(figures) {
                Some([time, rest @ ..]) => {
                    cells.push(format!("{time:.2}"));
                    cells.extend(rest.map(|percent| format!("{percent:.1}")));
                }
                None => cells.extend(["failed", "", "", ""].map(String::from)),
            }
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// Seconds of the loop; percentages of Pair, Neigh and Comm.
fn figures(record: &Value) -> Option<[f64; 4]> {
    let run = record["runs"].as_array()?.last()?;
    let percent = |section: &str| run["sections"][section]["percent"].as_f64();
    Some([run["loop_seconds"].as_f64()?, percent("Pair")?, percent("Neigh")?, percent("Comm")?])
}

fn record(steps: &[NonZeroU32], rows: &[Row]) -> Value {
    let mut record = report::header("paper", None);
    let one = |row: &Row, steps: &NonZeroU32, run: &Result<Value>| match run {
        Ok(run) => json!({"device": row.device, "steps": steps, "record": run}),
        Err(error) => json!({"device": row.device, "steps": steps, "error": error.to_string()}),
    };
    record["runs"] = rows
        .iter()
        .flat_map(|row| steps.iter().zip(&row.runs).map(move |(steps, run)| one(row, steps, run)))
        .collect();
    record
}
