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
use crate::gpu::{self, DeviceInfo, DeviceKind};
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
    /// Rows of several devices, a rank on each: without LIST the CPU, a GPU, two GPUs, all devices; else those of LIST,
    /// such as gpu,gpu; may be repeated
    #[arg(long, value_name = "LIST", num_args = 0..=1, action = clap::ArgAction::Append, conflicts_with = "device")]
    mpi: Option<Vec<String>>,
    /// What starts several ranks, with its own options; default: mpirun or mpiexec
    #[arg(long, value_name = "COMMAND", requires = "mpi")]
    launcher: Option<String>,
    /// Arithmetic; default: mixed, or single on a device without fp64
    #[arg(long, value_enum, value_name = "PRECISION")]
    precision: Option<Precision>,
    #[command(flatten)]
    repeats: RepeatArgs,
    /// Write the figures and the whole records to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What a row is measured on: ranks, each with a device.
struct Team {
    name: String,
    /// What `-device` of the run takes, and the devices, one for each rank; or why there are none.
    devices: Result<(String, Vec<DeviceInfo>)>,
}

/// The runs of a team: for each number of steps the record, or why there is none.
struct Row {
    team: Team,
    runs: Vec<Result<Value>>,
}

/// Runs the script for each number of steps on each device, or on several by ranks, in processes of their own, and prints the table.
///
/// # Errors
/// No such device, no launcher where ranks are asked for, a file that cannot be written, no device on which the script ran, or Ctrl-C.
pub fn run(args: &PaperArgs) -> Result<()> {
    if let Some(path) = &args.json {
        files::check_place(path)?;
    }
    // Before OpenCL is asked for devices: PoCL's compiler dies of Ctrl-C where its handler is the first.
    signals::install()?;
    let mut teams = match &args.mpi {
        Some(lists) => teams(lists)?,
        None => singles(&args.device)?,
    };
    let launcher = match launcher(args.launcher.as_deref()) {
        Ok(launcher) => launcher,
        Err(missing) if args.launcher.is_some() => return Err(missing),
        Err(missing) => {
            // The others need none.
            let several =
                |team: &&mut Team| team.devices.as_ref().is_ok_and(|(_, devices)| devices.len() > 1);
            teams.iter_mut().filter(several).for_each(|team| team.devices = Err(missing.clone()));
            Vec::new()
        }
    };
    let folder = tempfile::tempdir().map_err(|err| Error::new(format!("no place for the script: {err}")))?;
    let script = folder.path().join(NAME);
    std::fs::write(&script, SCRIPT).map_err(|err| Error::io("write", &script, &err))?;

    let bar = ProgressBar::new((teams.len() * args.steps.len()) as u64).with_style(
        ProgressStyle::with_template("[{bar:20}] {pos} of {len} runs, {elapsed}  {msg}")
            .expect("the template is valid"),
    );
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    let mut rows = Vec::new();
    for team in teams {
        let mut runs = Vec::new();
        for steps in &args.steps {
            bar.set_message(format!("{steps} steps on {}", team.name));
            let run = match &team.devices {
                Ok((selector, devices)) => {
                    run_one(&script, selector, (&launcher, devices.len()), *steps, args)
                }
                Err(missing) => Err(missing.clone()),
            };
            if signals::interrupted() {
                break;
            }
            runs.push(run);
            bar.inc(1);
        }
        if !runs.is_empty() {
            rows.push(Row { team, runs });
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
        if let Err(missing) = &row.team.devices {
            let remedy = missing.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            report::line(format_args!("{}: {missing}{remedy}", row.team.name));
            continue;
        }
        for (steps, run) in args.steps.iter().zip(&row.runs) {
            if let Err(error) = run {
                report::line(format_args!("{}, {steps} steps: {error}", row.team.name));
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

/// A team of one for each device that is meant.
fn singles(selectors: &[String]) -> Result<Vec<Team>> {
    let mut devices = Vec::new();
    for selector in selectors {
        devices.extend(gpu::select(selector)?);
    }
    devices.sort_by_key(|(index, _)| *index);
    devices.dedup_by_key(|(index, _)| *index);
    let single = |(index, device): (usize, DeviceInfo)| Team {
        name: name(&device),
        devices: Ok((index.to_string(), vec![device])),
    };
    Ok(devices.into_iter().map(single).collect())
}

/// The teams of lists of devices; without any those of the document: the CPU, with one GPU, with two, and all there are. The CPU's part
/// beside a GPU is to drive it, as in the document.
fn teams(lists: &[String]) -> Result<Vec<Team>> {
    let all = gpu::select("all")?;
    if lists.is_empty() {
        let of = |kind| all.iter().filter(move |(_, device)| device.kind == kind);
        let [cpus, gpus] = [DeviceKind::Cpu, DeviceKind::Gpu].map(|kind| of(kind).count());
        let taken = |name: &str, kind, wanted: usize, have: usize| Team {
            name: name.to_owned(),
            devices: match have >= wanted {
                true => Ok(listed(of(kind).take(wanted))),
                false => Err(Error::new(match (have, kind) {
                    (_, DeviceKind::Cpu) => "there is no CPU device".to_owned(),
                    (0, _) => "there is no GPU".to_owned(),
                    (have, _) => format!("there are not {wanted} GPUs, but {have}"),
                })),
            },
        };
        return Ok(vec![
            taken("CPU", DeviceKind::Cpu, 1, cpus),
            taken("CPU + GPU", DeviceKind::Gpu, 1, gpus),
            taken("CPU + 2 GPU", DeviceKind::Gpu, 2, gpus),
            Team { name: format!("all devices ({})", all.len()), devices: Ok(listed(all.iter())) },
        ]);
    }
    let team = |list: &String| {
        let words: Vec<&str> = list.split(',').map(str::trim).collect();
        let device = |word: &&str| {
            let named = gpu::select(word)?;
            named
                .first()
                .map(|(_, device)| device.clone())
                .ok_or_else(|| Error::new(format!("there is no device {word}")))
        };
        let devices: Result<Vec<DeviceInfo>> = words.iter().map(device).collect();
        Ok(Team { name: list.clone(), devices: Ok((words.join(","), devices?)) })
    };
    lists.iter().map(team).collect()
}

/// Devices by their numbers, for `-device`, and what they are.
fn listed<'a>(devices: impl Iterator<Item = &'a (usize, DeviceInfo)>) -> (String, Vec<DeviceInfo>) {
    let (numbers, devices): (Vec<String>, Vec<DeviceInfo>) =
        devices.map(|(index, device)| (index.to_string(), device.clone())).unzip();
    (numbers.join(","), devices)
}

/// The words that start ranks: those given, or the first launcher that is there.
fn launcher(given: Option<&str>) -> Result<Vec<String>> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |program: &str| {
        std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
            || program.contains('/') && Path::new(program).is_file()
    };
    let help = "install MPICH or Open MPI (Debian: apt install mpich), or name another: --launcher 'srun --mpi=pmix'";
    match given {
        Some(command) => {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            match words.first().is_some_and(|program| is_there(program)) {
                true => Ok(words),
                false => Err(Error::new(format!("--launcher: there is no program `{command}`")).help(help)),
            }
        }
        None => match ["mpirun", "mpiexec"].into_iter().find(|program| is_there(program)) {
            Some(program) => Ok(vec![program.to_owned()]),
            None => {
                Err(Error::new("there is neither mpirun nor mpiexec, which start several ranks").help(help))
            }
        },
    }
}

fn run_one(
    script: &Path,
    selector: &str,
    launch: (&[String], usize),
    steps: NonZeroU32,
    args: &PaperArgs,
) -> Result<Value> {
    let mut extra = Vec::new();
    if let Some(precision) = args.precision {
        extra.extend(["-precision", precision.name()]);
    }
    let vars = [("t".to_owned(), vec![steps.to_string()])];
    let median = args.repeats.median(|| {
        let record = child::run_script_on_ranks(script, selector, &vars, &extra, launch)?;
        Ok((loop_seconds(&record), record))
    })?;
    let mut record = median.run;
    record["repeats"] = median.seconds.into();
    Ok(record)
}

fn name(device: &DeviceInfo) -> String {
    format!("{} ({})", device.name, device.platform)
}

/// One row per team; for each number of steps the loop's seconds and the percentages of Pair, Neigh and Comm.
fn table(steps: &[NonZeroU32], rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    let ranks = rows.iter().any(|row| row.team.devices.as_ref().is_ok_and(|(_, devices)| devices.len() > 1));
    let mut header = vec![if ranks { "devices" } else { "device" }.to_owned()];
    for steps in steps {
        header.push(format!("{steps} steps: time, s"));
        header.extend(["PT %", "NT %", "CT %"].map(String::from));
    }
    table.set_header(header);
    for row in rows {
        let mut cells = vec![row.team.name.clone()];
        for run in &row.runs {
            if row.team.devices.is_err() {
                cells.extend(["none", "", "", ""].map(String::from));
                continue;
            }
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
    let one = |row: &Row, steps: &NonZeroU32, run: &Result<Value>| {
        let devices = row.team.devices.as_ref().map_or(&[][..], |(_, devices)| devices);
        let mut one =
            json!({"name": row.team.name, "device": devices.first(), "devices": devices, "steps": steps});
        match run {
            Ok(run) => one["record"] = run.clone(),
            Err(error) => one["error"] = error.to_string().into(),
        }
        one
    };
    record["runs"] = rows
        .iter()
        .flat_map(|row| steps.iter().zip(&row.runs).map(move |(steps, run)| one(row, steps, run)))
        .collect();
    record
}
