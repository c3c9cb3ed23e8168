//! Finds the fastest shape of the kernels for this device, or the fastest skin, and keeps it for later runs.

use std::path::PathBuf;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::json;

use super::report::{self, DeviceArgs};
use crate::base::error::{Error, Result};
use crate::base::log::Log;
use crate::base::signals;
use crate::commands::interpreter::{Echo, Interpreter, read_script};
use crate::gpu::Gpu;
use crate::gpu::options::{Precision, TimingMode};
use crate::run::setup;
use crate::run::tuning::search::{Outcome, Search};
use crate::run::tuning::skin::SkinSearch;
use crate::script::variables::Variables;
use crate::session::Session;
use crate::session::options::{Options, Tune};
use crate::session::tuned::Choice;
use crate::session::tuned::TunedSkin;

const MELT: &str = include_str!("../../inputs/in.lj");
/// Cells per axis of the melts that are tuned for where no script is given: one system per class of sizes.
const CELLS: [u32; 3] = [10, 20, 40];

/// What was kept before counts.
const SPEED: &str = "speed over the best so far";

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
    /// Find the fastest skin of neighbour lists instead, for runs with -skin auto; of a script with neigh_modify check yes (the
    /// melt gets one)
    #[arg(long)]
    skin: bool,
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
        report::check_output(path, args.script.iter().chain(&args.input))?;
    }
    signals::install()?;
    let mut given = Variables::default();
    for words in &args.var {
        let mut words = crate::base::options_text::values(words).map(String::from);
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
                if args.skin {
                    variables.set_index("every", vec!["1".to_owned()])?;
                    variables.set_index("check", vec!["yes".to_owned()])?;
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
            // A skin is found with the shape that runs have.
            tune: Tune::On,
            ..Options::default()
        };
        let mut session = Session::new(options, Log::memory(), variables);
        session.device.gpu = device.take();
        let mut interpreter = Interpreter::new(session, Echo::None);
        if !interpreter.prepare(&name, &text)? {
            let error = Error::new(format!("{name} has no run to tune for"));
            return Err(error.help("the script needs a `run`, up to which it is carried out"));
        }
        let patience = Duration::from_secs_f64(args.patience);
        let session = &mut interpreter.session;
        let search = match args.skin {
            false => Some(Found::LaunchConfig(setup::tune(session, patience)?)),
            true => setup::tune_skin(session, patience)?.map(Found::Skin),
        };
        device = session.device.gpu.take();
        match (search, &device) {
            (Some(search), Some(gpu)) => {
                search.print(gpu);
                searches.push(search);
            }
            _ => report::line(format_args!(
                "The skin stays {}: {name} has lists rebuilt without a check (neigh_modify check no).\n",
                session.neighbor.skin
            )),
        }
    }
    if let Some(path) = &args.device.json {
        let mut record = report::header("tune", device.as_ref());
        record["systems"] = json!(searches);
        report::save(path, &record)?;
    }
    Ok(())
}

/// What was looked for in a system.
#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    LaunchConfig(Search),
    Skin(SkinSearch),
}

impl Found {
    /// What was tried, what was found, and where that is kept.
    fn print(&self, gpu: &Gpu) {
        let (atoms, key, left_out, file) = match self {
            Found::LaunchConfig(search) => {
                (search.atoms, &search.record.key, search.left_out, search.record.key.file(gpu))
            }
            Found::Skin(search) => {
                (search.atoms, &search.record.key, search.left_out, search.record.file(gpu))
            }
        };
        let (info, neighbors, precision) = (gpu.info(), key.neighbors, key.precision.name());
        report::line(format_args!(
            "{atoms} atoms, about {neighbors} neighbours each, {precision} precision, {} ({}, driver {})",
            info.name, info.platform, info.driver
        ));
        report::line(match self {
            Found::LaunchConfig(search) => changes(search),
            Found::Skin(search) => skins(search),
        });
        if left_out > 0 {
            report::line(format_args!(
                "Time was up before {left_out} more changes: --patience gives it more."
            ));
        }
        match self {
            Found::LaunchConfig(search) => {
                let words = Choice::words(search.record.choice);
                match search.trials.iter().any(|trial| trial.outcome == Outcome::ReferenceValues) {
                    false => report::line(format_args!("The shipped shape stays: {words}.")),
                    true => {
                        let gain = search.record.gain;
                        report::line(format_args!("{gain:.2} times as fast as shipped: {words}."));
                    }
                }
            }
            Found::Skin(search) => {
                let TunedSkin { skin, setting, .. } = &search.record.found;
                let (script, gain) = (setting.script_skin, search.record.gain);
                match *skin == script {
                    true => report::line(format_args!("The script's skin stays: {script}.")),
                    false => report::line(format_args!(
                        "{gain:.2} times as fast as with the script's skin, {script}: skin {skin}."
                    )),
                }
            }
        }
        match file {
            Some(file) => report::line(format_args!("Kept in {}\n", file.display())),
            None => report::line("Not kept: CLAMPS_CACHE is off.\n"),
        }
    }
}

/// The shapes that were tried.
fn changes(search: &Search) -> Table {
    let mut table = table(["change", SPEED, "+-", ""]);
    for trial in &search.trials {
        let [speed, spread] = speeds(trial.speed, trial.spread);
        table.add_row([trial.change.clone(), speed, spread, came_of(&trial.outcome)]);
    }
    table
}

/// The skins that were tried, the script's before them.
fn skins(search: &SkinSearch) -> Table {
    let mut table = table(["skin", "steps per rebuild", SPEED, "+-", ""]);
    let [script, interval] = [search.record.found.setting.script_skin, search.script_interval];
    let first = ["1.000".to_owned(), String::new(), "the script's".to_owned()];
    table.add_row([vec![script.to_string(), format!("{interval:.1}")], first.to_vec()].concat());
    for trial in &search.trials {
        let [speed, spread] = speeds(trial.speed, trial.spread);
        let interval = trial.interval.map_or_else(String::new, |steps| format!("{steps:.1}"));
        table.add_row([trial.skin.to_string(), interval, speed, spread, came_of(&trial.outcome)]);
    }
    table
}

fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header);
    for column in table.column_iter_mut().skip(1).take(N - 2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// How many times as fast, and how far off that may be.
fn speeds(speed: Option<f64>, spread: Option<f64>) -> [String; 2] {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.3}"));
    [number(speed), number(spread.zip(speed).map(|(spread, speed)| spread * speed))]
}

fn came_of(outcome: &Outcome) -> String {
    match outcome {
        Outcome::ReferenceValues => "kept".to_owned(),
        Outcome::Dropped => String::new(),
        Outcome::Failed(why) => why.lines().next().unwrap_or("failed").to_owned(),
    }
}
