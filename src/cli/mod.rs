//! The command line: LAMMPS's options, CLAMPS's own, and what follows from them.
//!
//! - this file: the options (`Cli`), and [`main`], which opens log and screen, runs a script or a subcommand, and makes the exit
//!   code of the end of it. Start here.
//! - `words`: LAMMPS's options with one dash as those with two; options that take several values
//!
//! What options choose for a run is `session::options`, `gpu::options` and `engine::kernels::options`; subcommands are in
//! `studies/`. The file with `fn main` is `src/main.rs`, and calls [`main`] here.
//!
//! May import: everything. Nothing imports it.

pub(crate) mod words;

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::ledger::{self, Claim};
use crate::base::log::{LOG_FILE, LOG_HELP, Log, Screen};
use crate::base::ranks;
use crate::base::signals;
use crate::base::text::Text;
use crate::base::version::VERSION;
use crate::commands::interpreter::{Echo, End, Interpreter, named_inputs, read_script};
use crate::engine::comm::Weights;
use crate::engine::kernels::options::{Kernels, Rebuild};
use crate::gpu;
use crate::gpu::options::{Precision, TimingMode};
use crate::script::variables::Variables;
use crate::session::Session;
use crate::session::options::{Options, Skin, Tune};
use crate::studies::{Study, doctor, report};
use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Molecular dynamics from LAMMPS input scripts on any OpenCL device.
#[derive(Debug, Parser)]
#[command(
    name = "clamps",
    version = VERSION,
    after_help = "Every option may be written with one dash, as in LAMMPS: -in, -var, -log. LAMMPS's short \
                  forms work too: -i -v -l -sc -e -sr -h. Without --in the script is read from standard input."
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Task>,
    /// Script to run
    #[arg(long = "in", value_name = "FILE", overrides_with = "input")]
    input: Option<PathBuf>,
    /// Define an index variable, which wins over the script's; may be repeated
    #[arg(long, value_name = "NAME VALUES...")]
    var: Vec<String>,
    /// Log file, or none
    #[arg(long, value_name = "FILE", default_value = "log.clamps", overrides_with = "log")]
    log: PathBuf,
    /// Where to write the screen's output instead, or none
    #[arg(long, value_name = "FILE", overrides_with = "screen")]
    screen: Option<PathBuf>,
    /// Where to echo the script's lines to
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = Echo::Log, overrides_with = "echo")]
    echo: Echo,
    /// Set up runs and print their first step, but skip their loops
    #[arg(long, overrides_with = "skiprun")]
    skiprun: bool,
    /// Let the script run programs (the command shell)
    #[arg(long = "allow-shell", overrides_with = "allow_shell")]
    allow_shell: bool,
    /// OpenCL device: gpu, cpu, its number, PLATFORM:DEVICE or a part of its name
    #[arg(long, env = "CLAMPS_DEVICE", value_name = "DEVICE", overrides_with = "device")]
    device: Option<String>,
    /// Library of MPI, or none; by default that of the mpirun, mpiexec or srun that has started the program, if one has
    #[arg(long, env = "CLAMPS_MPI", value_name = "LIBRARY", overrides_with = "mpi")]
    mpi: Option<String>,
    /// Part of the atoms for each rank, as numbers that say how much more one has than another; default: the same for devices of one kind, else by
    /// their speed
    #[arg(
        long,
        value_name = "W,W,...",
        value_delimiter = ',',
        overrides_with = "shares",
        allow_hyphen_values = true
    )]
    shares: Vec<f64>,
    /// Arithmetic; default: mixed, or single on a device without fp64
    #[arg(long, value_enum, value_name = "PRECISION", overrides_with = "precision")]
    precision: Option<Precision>,
    /// Kernels as tuned, or written against all rules of tuning (see bench principles)
    #[arg(long, value_enum, value_name = "KERNELS", default_value_t = Kernels::Tuned, overrides_with = "kernels")]
    kernels: Kernels,
    /// Shapes of kernels as clamps tune has recorded them for such systems; default: CLAMPS_TUNE, else on
    #[arg(long, value_enum, value_name = "WHEN", overrides_with = "tune")]
    tune: Option<Tune>,
    /// Skin of neighbour lists: the script's, which is the default, or the fastest by the tuner (see tune --skin)
    #[arg(long, value_enum, value_name = "WHOSE", overrides_with = "skin")]
    skin: Option<Skin>,
    /// With neigh_modify check yes: lists that last longer, as they are built around where atoms will be, or at the same steps as
    /// in LAMMPS
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Rebuild::Seldom, overrides_with = "rebuild")]
    rebuild: Rebuild,
    /// How kernels are timed
    #[arg(long, value_enum, value_name = "MODE", default_value_t = TimingMode::Sampled, overrides_with = "timing")]
    timing: TimingMode,
    /// Write the timing of every run to this file
    #[arg(long, value_name = "FILE", overrides_with = "json")]
    json: Option<PathBuf>,
    /// Accepted, without effect
    #[arg(long, value_name = "STYLE", help_heading = "Of LAMMPS's performance options")]
    suffix: Vec<String>,
    /// Accepted, without effect
    #[arg(long, value_name = "STYLE ARGS...", help_heading = "Of LAMMPS's performance options")]
    package: Vec<String>,
    /// Accepted, without effect
    #[arg(long, value_name = "ARGS...", help_heading = "Of LAMMPS's performance options")]
    kokkos: Vec<String>,
    /// Accepted, without effect
    #[arg(long, overrides_with = "nocite", help_heading = "Of LAMMPS's performance options")]
    nocite: bool,
    #[arg(long, hide = true)]
    cite: Vec<String>,
    #[arg(long, hide = true, overrides_with = "nonbuf")]
    nonbuf: bool,
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one per run of the program")]
enum Task {
    /// List the OpenCL devices
    Devices {
        /// Measure how fast each one copies
        #[arg(long)]
        bandwidth: bool,
        /// Write the figures to this file, too
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Compile kernels for another process, which says on standard input what
    #[command(name = COMPILE_AHEAD, hide = true)]
    CompileAhead,
    #[command(flatten)]
    Study(Study),
}

/// The subcommand by which runs start their helpers.
const COMPILE_AHEAD: &str = "compile-ahead";

/// The name of a script that comes from standard input.
const STDIN: &str = "(stdin)";

/// The program: reads the arguments, runs the script, reports the error there is.
pub fn main() -> ExitCode {
    gpu::prepare_environment();
    gpu::offer_helper(COMPILE_AHEAD, !ranks::launched_behind_first());
    let level = env_logger::Env::default().default_filter_or("warn");
    // Only fails where a logger is set already, which then serves as well.
    let _ = env_logger::Builder::from_env(level).try_init();
    let status = dispatch(std::env::args_os()).unwrap_or_else(|error| fail(&error));
    ranks::finish(status.into());
    ExitCode::from(status)
}

/// The status of a program that has done what it was asked for, and of one that has not.
const DONE: u8 = 0;
const FAILED: u8 = 1;

/// Tells an error: of one that all ranks meet the first one tells, of another the rank that has it, which ends all of them.
fn fail(error: &Error) -> u8 {
    if ranks::all_have_failed() {
        // Where ranks do not know of one another yet, all meet it too.
        if ranks::is_first() && !(ranks::count() == 1 && ranks::launched_behind_first()) {
            tell(error);
        }
        return FAILED;
    }
    let [rank, count] = [ranks::rank(), ranks::count()];
    let device = gpu::opened().map_or(String::new(), |name| format!(" ({name})"));
    let host = Some(ranks::host()).filter(|host| ranks::machines() > 1 && !host.is_empty());
    let on = host.map_or(String::new(), |host| format!(" on {host}"));
    let _ =
        writeln!(std::io::stderr(), "rank {rank} of {count}{on}{device} has failed, and ends the others:");
    tell(error);
    ranks::abort(1);
    FAILED
}

fn dispatch(words: impl Iterator<Item = OsString>) -> Result<u8> {
    let words = words::long_options(words.map(|word| word.to_string_lossy().into_owned()))?;
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(message) => {
            if let Some(error) = lone_script(&message) {
                return Err(error);
            }
            // Help and version are "errors" too, for standard output.
            let _ = (!ranks::launched_behind_first()).then(|| message.print());
            return Ok(if message.use_stderr() { FAILED } else { DONE });
        }
    };
    gpu::check_settings()?;
    match cli.command {
        Some(Task::CompileAhead) => gpu::help_compile().map(|()| DONE),
        // Runs of scripts share the work among ranks; one is enough for all else.
        Some(_) if ranks::launched_behind_first() => Ok(DONE),
        Some(Task::Devices { bandwidth, json }) => devices(bandwidth, json.as_deref()),
        Some(Task::Study(study)) => study.run().map(|()| DONE),
        None => run(&cli),
    }
}

/// Lists the devices.
fn devices(bandwidth: bool, json: Option<&Path>) -> Result<u8> {
    json.map_or(Ok(()), files::check_place)?;
    let list = gpu::devices_list(bandwidth)?;
    report::line(gpu::devices_table(&list).trim_end());
    if let Some(path) = json {
        let mut record = report::header("devices", None);
        record["devices"] = serde_json::json!(list);
        report::save(path, &record)?;
    }
    Ok(DONE)
}

/// The error for a script where a subcommand is expected.
fn lone_script(message: &clap::Error) -> Option<Error> {
    let Some(ContextValue::String(word)) = message.get(ContextKind::InvalidSubcommand) else { return None };
    let error =
        |what: &str, help: String| Some(Error::new(format!("there is no {what} '{word}'")).help(help));
    let has_shares = std::env::args().any(|word| word.trim_start_matches('-').starts_with("shares"));
    match Path::new(word).is_file() {
        true => error("subcommand", format!("it is a file: to run it as a script write clamps -in {word}")),
        false if has_shares && word.split(',').all(|number| number.parse::<f64>().is_ok()) => error(
            "subcommand",
            "numbers of one option have commas between them, and no blanks: -shares 3,1".to_owned(),
        ),
        false if word.contains(['.', '/']) => {
            error("subcommand or file", format!("a script is run with clamps -in {word}"))
        }
        false => None,
    }
}

fn run(cli: &Cli) -> Result<u8> {
    // Before OpenCL is asked for devices, which MPICH does in its own interest: PoCL's compiler dies of Ctrl-C where its handler is the
    // first.
    signals::install()?;
    ranks::start(cli.mpi.as_deref().filter(|library| !library.is_empty()))?;
    if !ranks::is_first() {
        // Remarks of the program's own would come as often as there are ranks.
        log::set_max_level(log::LevelFilter::Off);
    }
    let (name, text) = match &cli.input {
        Some(path) => (path.display().to_string(), read_script(path)?),
        None => match ranks::text_of_first(read_stdin)? {
            Some(text) => (STDIN.to_owned(), text),
            None if ranks::is_first() => {
                let _ = <Cli as clap::CommandFactory>::command().print_help();
                return Ok(FAILED);
            }
            None => return Ok(FAILED),
        },
    };
    let mut variables = Variables::default();
    for words in &cli.var {
        let mut words = crate::base::options_text::values(words).map(String::from);
        let name = words.next().unwrap_or_default();
        variables.set_index(&name, words.collect())?;
    }
    let mut claims = cli.check_files(&name, &text)?;
    cli.check_device()?;
    cli.check_shares()?;
    let mut interpreter = Interpreter::new(Session::new(cli.options(&name), cli.log()?, variables), cli.echo);
    // The log may go on elsewhere; the record does not.
    claims.drain(..claims.len() - usize::from(cli.json.is_some()));
    interpreter.session.output.log.line(&format!("CLAMPS ({VERSION})"));
    if let Some(library) = ranks::library() {
        interpreter.session.output.log.line(&format!("{} MPI processes, {library}", ranks::count()));
    }
    for (option, values) in [("-suffix", &cli.suffix), ("-package", &cli.package), ("-kokkos", &cli.kokkos)] {
        for words in values {
            interpreter.note(option, &crate::base::options_text::values(words).collect::<Vec<_>>().join(" "));
        }
    }
    let end = interpreter.run(&name, &text).inspect_err(|error| {
        interpreter.session.output.log.file(&error.render(false));
    });
    interpreter.session.output.log.flush();
    // A signal reaches the compiler's own programs too, and a build that fails of it is no mistake.
    if let (Err(error), Some(number)) = (&end, signals::signal()) {
        tell(error);
        return Ok(after_signal(number));
    }
    Ok(match end? {
        End::Script => DONE,
        End::Quit(status) => status,
        End::Signal(number) => after_signal(number),
    })
}

/// The exit code as a shell reports a signal.
fn after_signal(number: u8) -> u8 {
    128_u8.saturating_add(number)
}

impl Cli {
    fn options(&self, script: &str) -> Options {
        let alone = ranks::count() == 1;
        let variable = || Tune::from_str(&std::env::var("CLAMPS_TUNE").ok()?, false).ok();
        let asked = self.tune.or_else(variable).unwrap_or(Tune::On);
        // The variable may be set on some machines only.
        let tune = if ranks::any(asked == Tune::Off) { Tune::Off } else { asked };
        Options {
            script: script.to_owned(),
            device: self.device.clone().filter(|device| !device.is_empty()),
            check_device: Some(doctor::check_device),
            precision: self.precision,
            rules: self.kernels.rules(),
            // What is fastest on one rank, another rank would not find.
            tune: if alone || tune == Tune::Off { tune } else { Tune::On },
            skin: self.skin.filter(|skin| alone || *skin != Skin::Auto),
            rebuild: self.rebuild,
            shares: (!self.shares.is_empty()).then(|| Weights::new(&self.shares)),
            timing: self.timing,
            json: self.json.clone(),
            skip_run: self.skiprun,
            allow_shell: self.allow_shell,
        }
    }

    /// Fails where outputs would write over the script, over files that it is going to read or over each other, or the record would find no
    /// place after the run. The places are taken as long as there is what this returns.
    fn check_files(&self, name: &str, text: &str) -> Result<Vec<Claim>> {
        ledger::standard_streams(self.input.is_none());
        let outputs = [
            ("-log", LOG_FILE, Some(&self.log).filter(|path| !is_none(path))),
            ("-screen", "the file of -screen", self.screen.as_ref().filter(|path| !is_none(path))),
            ("-json", "the record", self.json.as_ref()),
        ];
        let given = outputs.into_iter().filter_map(|(option, what, path)| Some((option, what, path?)));
        // An output that is not there yet is written over nothing.
        let there = given.clone().any(|(.., path)| path.is_file());
        let read = if there { named_inputs(name, text) } else { Vec::new() };
        given
            .map(|(option, what, path)| {
                let inputs = read.iter().map(|input| ("a file that the script reads", &**input));
                let apart = ranks::by_first(|| files::check_apart(path, inputs));
                let claim =
                    apart.and_then(|()| files::claim(path, what)).map_err(|error| error.about(option));
                if what == LOG_FILE { claim.map_err(|error| error.help(LOG_HELP)) } else { claim }
            })
            .collect()
    }

    /// Fails where shares are not those of the ranks.
    fn check_shares(&self) -> Result<()> {
        let wrong = |what: String| {
            Err(Error::new(format!("-shares {what}"))
                .help("-shares 3,1: of two ranks the first has three times as many atoms as the second"))
        };
        match &self.shares[..] {
            [] => Ok(()),
            shares if shares.len() != ranks::count() => {
                wrong(format!("has {} numbers, and there are {} ranks", shares.len(), ranks::count()))
            }
            shares if !shares.iter().all(|share| share.is_finite() && *share >= 0.0) => {
                wrong("takes numbers that are not negative".to_owned())
            }
            shares if !shares.iter().sum::<f64>().is_finite() => {
                wrong("takes numbers whose sum is one".to_owned())
            }
            shares if shares.iter().sum::<f64>() <= 0.0 => wrong("leaves all ranks without atoms".to_owned()),
            _ => Ok(()),
        }
    }

    /// Fails where there is no such device as is asked for: the script may need it late.
    fn check_device(&self) -> Result<()> {
        let Some(device) = self.device.as_ref().filter(|device| !device.is_empty()) else { return Ok(()) };
        let variable = std::env::var("CLAMPS_DEVICE").is_ok_and(|value| value == *device);
        let option = if variable { "CLAMPS_DEVICE" } else { "-device" };
        gpu::check(device).map_err(|error| error.about(option))
    }

    fn log(&self) -> Result<Log> {
        let screen = match &self.screen {
            None => Screen::Stdout,
            Some(path) if is_none(path) => Screen::None,
            Some(path) => Screen::File(path.clone()),
        };
        Log::new(screen, Some(self.log.clone()).filter(|path| !is_none(path)))
    }
}

fn is_none(path: &Path) -> bool {
    path.as_os_str() == "none"
}

/// The script from standard input, unless that is a terminal.
fn read_stdin() -> Result<Option<String>> {
    if std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|err| Error::new(format!("cannot read the script from standard input: {err}")))?;
    Text::of(bytes, STDIN).rest().map(Some)
}

/// Prints an error for the person at the terminal.
fn tell(error: &Error) {
    let mut stderr = std::io::stderr();
    let text = error.render(stderr.is_terminal());
    // Nobody to tell when standard error is closed.
    let _ = writeln!(stderr, "{text}");
}
