//! Finds the fastest shape of the kernels for this device, and keeps it for later runs.

use std::path::PathBuf;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;

use super::report::{self, DeviceArgs};
use crate::cli::words;
use crate::error::{Error, Result};
use crate::files;
use crate::gpu::Gpu;
use crate::interpreter::{Echo, Interpreter, read_script};
use crate::log::Log;
use crate::options::{Options, Precision, TimingMode};
use crate::script::variables::Variables;
use crate::setup;
use crate::signals;
use crate::state::State;
use crate::tuning::Choice;
use crate::tuning::search::{Outcome, Search};

const MELT: &str = include_str!("../../inputs/in.lj");
/// Cells per axis of the melts that are tuned for where no script is given: one system per class of sizes.
const CELLS: [u32; 3] = [10, 20, 40];

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The record goes to the user's cache folder (CLAMPS_CACHE_DIR); later runs of such systems on \
                        the same device use it and say so, and -tune off ignores it. See docs/tune.md."
)]
pub struct TuneArgs {
    /// Script whose system is tuned for, as it is at its first run; default: the melt of inputs/in.lj with 4,000,
    /// 32,000 and 256,000 atoms
    script: Option<PathBuf>,
    /// The script, as LAMMPS names it
    #[arg(long = "in", value_name = "FILE", conflicts_with = "script")]
    input: Option<PathBuf>,
    /// Define an index variable, which wins over the script's; may be repeated
    #[arg(long, value_name = "NAME VALUES...")]
    var: Vec<String>,
    #[command(flatten)]
    device: DeviceArgs,
    /// Arithmetic; default: mixed, or single on a device without fp64
    #[arg(long, value_enum, value_name = "PRECISION")]
    precision: Option<Precision>,
    /// Seconds per system after which nothing more is tried
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    patience: f64,
}

fn seconds(word: &str) -> std::result::Result<f64, String> {
    let fits = |seconds: &f64| Duration::try_from_secs_f64(*seconds).is_ok();
    word.parse().ok().filter(fits).ok_or_else(|| "expected a number of seconds from 0 on".to_owned())
}

/// Tunes for each system, keeps the records, and prints what was tried.
///
/// # Errors
/// Of the script, before anything is tried; a device that does not open or fails; a record that cannot be kept.
pub fn run(args: &TuneArgs) -> Result<()> {
    if let Some(path) = &args.device.json {
        files::check_place(path)?;
    }
    signals::install()?;
    let mut given = Variables::default();
    for words in &args.var {
        let mut words = words::values(words).map(String::from);
        let name = words.next().unwrap_or_default();
        given.set_index(&name, words.collect())?;
    }
    let systems = match args.script.as_ref().or(args.input.as_ref()) {
        Some(path) => vec![(path.display().to_string(), read_script(path)?, given)],
        None => CELLS
            .iter()
            .map(|&cells| {
                let mut variables = given.clone();
                for axis in ["x", "y", "z"] {
                    // in.lj has 20 cells per axis and unit of these.
                    variables.set_index(axis, vec![(f64::from(cells) / 20.0).to_string()])?;
                }
                Ok(("in.lj".to_owned(), MELT.to_owned(), variables))
            })
            .collect::<Result<_>>()?,
    };
    let mut device: Option<Gpu> = None;
    let mut searches = Vec::new();
    for (name, text, variables) in systems {
        let options = Options {
            device: args.device.device.clone().filter(|device| !device.is_empty()),
            precision: args.precision,
            timing: TimingMode::Off,
            ..Options::default()
        };
        let mut state = State::new(options, Log::memory(), variables);
        state.device = device.take();
        let mut interpreter = Interpreter::new(state, Echo::None);
        if !interpreter.prepare(&name, &text)? {
            let error = Error::new(format!("{name} has no run to tune for"));
            return Err(error.help("the script needs a `run`, up to which it is carried out"));
        }
        let search = setup::tune(&mut interpreter.state, Duration::from_secs_f64(args.patience))?;
        device = interpreter.state.device.take();
        let Some(gpu) = &device else { return Err(Error::new("no device was opened")) };
        print(gpu, &search);
        searches.push(search);
    }
    if let Some(path) = &args.device.json {
        let mut record = report::header("tune", device.as_ref());
        record["systems"] = json!(searches);
        report::save(path, &record)?;
    }
    Ok(())
}

fn print(gpu: &Gpu, search: &Search) {
    let (record, info) = (&search.record, gpu.info());
    report::line(format_args!(
        "{} atoms, about {} neighbours each, {} precision, {} ({}, driver {})",
        search.atoms,
        record.key.neighbors,
        record.key.precision.name(),
        info.name,
        info.platform,
        info.driver
    ));
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(["change", "speed", "+-", ""]);
    for trial in &search.trials {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.3}"));
        let outcome = match &trial.outcome {
            Outcome::Kept => "kept",
            Outcome::Dropped => "",
            Outcome::Failed(why) => why.lines().next().unwrap_or("failed"),
        };
        table.add_row([
            trial.change.clone(),
            number(trial.speed),
            number(trial.spread.zip(trial.speed).map(|(spread, speed)| spread * speed)),
            outcome.to_owned(),
        ]);
    }
    for column in table.column_iter_mut().skip(1).take(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    report::line(&table);
    if search.left_out > 0 {
        report::line(format_args!(
            "Time was up before {} more changes: --patience gives it more.",
            search.left_out
        ));
    }
    let shipped = !search.trials.iter().any(|trial| trial.outcome == Outcome::Kept);
    let words = Choice::words(record.choice);
    match shipped {
        true => report::line(format_args!("The shipped shape stays: {words}.")),
        false => report::line(format_args!("{:.2} times as fast as shipped: {words}.", record.gain)),
    }
    match record.key.file(gpu) {
        Some(file) => report::line(format_args!("Kept in {}\n", file.display())),
        None => report::line("Not kept: CLAMPS_CACHE is off.\n"),
    }
}
