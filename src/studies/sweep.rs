//! Runs a script over the values of its variables, over precisions and over devices, and compares.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::child::run_script_within;
use super::compare::{self, Choice, OutputArgs, Run};
use super::repeats::{RepeatArgs, loop_seconds};
use super::report;
use crate::base::error::{Error, Result};
use crate::base::signals;
use crate::gpu;
use crate::gpu::options::{Precision, TimingMode};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct SweepArgs {
    /// Script to run; stands before --var, which takes all words up to the next option
    script: Option<PathBuf>,
    /// Script to run, as LAMMPS names it
    #[arg(long = "in", value_name = "FILE", conflicts_with = "script")]
    input: Option<PathBuf>,
    /// A variable and the values that it takes in turn; may be repeated, for all combinations
    #[arg(long, value_name = "NAME VALUES...")]
    var: Vec<String>,
    /// Devices as for a run, or all; may be repeated, or several with commas
    #[arg(long, env = "CLAMPS_DEVICE", value_name = "DEVICE", value_delimiter = ',')]
    device: Vec<String>,
    /// Precisions; may be repeated, or several with commas
    #[arg(long, value_enum, value_name = "PRECISION", value_delimiter = ',')]
    precision: Vec<Precision>,
    /// How kernels are timed
    #[arg(long, value_enum, value_name = "MODE", default_value_t = TimingMode::Sampled)]
    timing: TimingMode,
    /// Folder for the records and logs of the runs
    #[arg(long, value_name = "FOLDER", default_value = "sweep")]
    out: PathBuf,
    /// End a run that takes longer, and go on with the next
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    #[command(flatten)]
    repeats: RepeatArgs,
    /// Which run of the script, from 1, or all, instead of its last
    #[arg(long, value_name = "K", default_value = "last")]
    run: Choice,
    #[command(flatten)]
    output: OutputArgs,
}

/// A run of the sweep.
#[derive(Clone, Default)]
struct Case {
    /// What sets it apart from the others.
    parts: Vec<String>,
    variables: Vec<(String, Vec<String>)>,
    precision: Option<Precision>,
    /// As `-device` takes it; empty: as the program chooses.
    device: String,
}

/// Runs all combinations one after the other, each [repeated](RepeatArgs), compares those that came to their end, and lists the others.
///
/// # Errors
/// Bad arguments and devices that are not there, before anything runs; runs that failed, after the comparison
/// of the others.
pub fn run(args: &SweepArgs) -> Result<()> {
    let script = args.script.as_ref().or(args.input.as_ref()).ok_or_else(|| {
        Error::new("sweep needs a script")
            .help("clamps sweep SCRIPT --var NAME VALUES...: the script comes first")
    })?;
    File::open(script).map_err(|err| Error::io("read", script, &err))?;
    let limit = args.timeout.map(timeout).transpose()?;
    // Before OpenCL is asked for devices: PoCL's compiler dies of Ctrl-C where its handler is the first.
    signals::install()?;
    let cases = cases(args)?;
    std::fs::create_dir_all(&args.out).map_err(|err| Error::io("make", &args.out, &err))?;
    args.output.check_places(std::slice::from_ref(script))?;
    let bar = progress(cases.len() as u64);
    let digits = cases.len().to_string().len();
    let (mut runs, mut failures) = (Vec::new(), Vec::new());
    for (index, case) in cases.iter().enumerate() {
        let label = if case.parts.is_empty() { file_name(script) } else { case.parts.join(" ") };
        bar.set_message(label.clone());
        let stem = args.out.join(format!("{:0digits$}-{}", index + 1, plain(&label)));
        let done = carry_out(script, case, &stem.display().to_string(), args, limit);
        if signals::interrupted() {
            break;
        }
        match done.and_then(|record| compare::select(compare::read(&record)?, args.run)) {
            Ok(finished) => runs.extend(finished.into_iter().map(|run| named(run, &label, args.run))),
            Err(error) => {
                // The error names the script, and so would the label of an only case.
                let failure =
                    if case.parts.is_empty() { error.to_string() } else { format!("{label}: {error}") };
                bar.println(&failure);
                failures.push(failure);
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !runs.is_empty() {
        compare::present(&runs, &args.output)?;
    }
    let help = format!("records and logs of the runs are in {}", args.out.display());
    if signals::interrupted() {
        return Err(Error::new("interrupted: not all runs are done").help(help));
    }
    if failures.is_empty() {
        return Ok(());
    }
    let (failed, all) = (failures.len(), cases.len());
    Err(Error::new(format!("{failed} of {all} runs failed\n  {}", failures.join("\n  "))).help(help))
}

/// All combinations: the first variable changes slowest, the device fastest. Only what changes is named.
fn cases(args: &SweepArgs) -> Result<Vec<Case>> {
    let mut cases = vec![Case::default()];
    for (name, values) in variables(&args.var)? {
        cases = spread(
            &cases,
            &values,
            |value| format!("{name}={value}"),
            |case, value| {
                case.variables.push((name.clone(), vec![value.clone()]));
            },
        );
    }
    cases = spread(
        &cases,
        &args.precision,
        |precision| precision.name().to_owned(),
        |case, precision| {
            case.precision = Some(*precision);
        },
    );
    let devices = devices(&args.device)?;
    Ok(spread(
        &cases,
        &devices,
        |device| format!("device {device}"),
        |case, device| {
            case.device = device.to_string();
        },
    ))
}

/// Every case once per value; as they are where there is no value.
fn spread<T>(
    cases: &[Case],
    values: &[T],
    name: impl Fn(&T) -> String,
    set: impl Fn(&mut Case, &T),
) -> Vec<Case> {
    let with = |case: &Case, value: &T| {
        let mut case = case.clone();
        if values.len() > 1 {
            case.parts.push(name(value));
        }
        set(&mut case, value);
        case
    };
    match values {
        [] => cases.to_vec(),
        _ => cases.iter().flat_map(|case| values.iter().map(move |value| with(case, value))).collect(),
    }
}

/// Names and values of `--var`, as the command line joined them.
fn variables(words: &[String]) -> Result<Vec<(String, Vec<String>)>> {
    let mut variables: Vec<(String, Vec<String>)> = Vec::new();
    for words in words {
        let mut words = crate::base::options_text::values(words).map(String::from);
        let name = words.next().unwrap_or_default();
        let values: Vec<String> = words.collect();
        if values.is_empty() {
            return Err(Error::new(format!("--var {name}: values are missing"))
                .help("write --var NAME VALUES..., such as --var x 1 2 4"));
        }
        if variables.iter().any(|(known, _)| *known == name) {
            return Err(Error::new(format!("--var {name} is given twice"))
                .help(format!("write all values behind one: --var {name} VALUES...")));
        }
        variables.push((name, values));
    }
    Ok(variables)
}

/// The devices' numbers, each once; empty where none is named.
fn devices(selectors: &[String]) -> Result<Vec<usize>> {
    let mut numbers = Vec::new();
    for selector in selectors.iter().filter(|selector| !selector.is_empty()) {
        for (number, _) in gpu::select(selector)? {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }
    Ok(numbers)
}

fn timeout(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|timeout| !timeout.is_zero())
        .ok_or_else(|| Error::new(format!("--timeout {seconds}: expected a positive number of seconds")))
}

/// Runs a case in a process of its own, repeated; returns the file of the record that counts, beside which is its log.
fn carry_out(
    script: &Path,
    case: &Case,
    stem: &str,
    args: &SweepArgs,
    limit: Option<Duration>,
) -> Result<PathBuf> {
    // The stem may hold points (x=0.5), so an extension is put behind it, not in place of one.
    let (record, log) = (PathBuf::from(format!("{stem}.json")), format!("{stem}.log"));
    if record.exists() {
        // Of an earlier sweep; if this run fails, its place stays empty.
        std::fs::remove_file(&record).map_err(|err| Error::io("remove", &record, &err))?;
    }
    let mut words = vec!["-log", &log, "-timing", args.timing.name()];
    if let Some(precision) = case.precision {
        words.extend(["-precision", precision.name()]);
    }
    let median = args.repeats.median(|| {
        let value = run_script_within(script, &case.device, &case.variables, &words, limit)?;
        let text = std::fs::read(&log).map_err(|err| Error::io("read", Path::new(&log), &err))?;
        Ok((loop_seconds(&value), (value, text)))
    })?;
    let (mut value, text) = median.run;
    value["repeats"] = median.seconds.into();
    std::fs::write(&log, text).map_err(|err| Error::io("write", Path::new(&log), &err))?;
    report::save(&record, &value)?;
    Ok(record)
}

/// A run under its name in the sweep.
fn named(mut run: Run, label: &str, choice: Choice) -> Run {
    run.label = label.to_owned();
    if choice == Choice::All && run.of > 1 {
        run.label.push_str(&format!(" run {}", run.number));
    }
    run
}

/// On standard error, and only when that is a terminal.
fn progress(runs: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("[{wide_bar}] {pos} of {len} runs, {elapsed}: {msg}")
        .expect("the template is valid");
    let bar = ProgressBar::new(runs).with_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A label as part of a file's name on any system.
fn plain(label: &str) -> String {
    label.chars().map(|c| if c.is_alphanumeric() || "=.+-".contains(c) { c } else { '-' }).collect()
}
