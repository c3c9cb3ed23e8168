//! Runs LAMMPS's own example scripts through this program and through LAMMPS, and prints which agree, which differ and
//! what is missing:
//!
//! ```text
//! cargo run --release --example conformance -- --lmp /path/to/lmp /path/to/lammps/bench /path/to/lammps/examples
//! ```
//!
//! docs/conformance.md says how scripts are chosen and judged, and holds the table.

mod files;
mod log;
mod program;
mod report;
mod rows;
mod select;
mod verdict;

use clap::Parser;
use program::Program;
use rayon::prelude::*;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use verdict::Programs;

/// LAMMPS's example scripts through this program and through LAMMPS.
#[derive(Parser)]
#[command(name = "conformance")]
struct Cli {
    /// Folders with scripts `in.*`, searched with all below them; single scripts
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// LAMMPS's program
    #[arg(long, env = "CLAMPS_LMP", default_value = "lmp")]
    lmp: PathBuf,
    /// Steps that every `run N` is cut to
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Run scripts as they are; those that LAMMPS doesn't end in time are cut
    #[arg(long)]
    full: bool,
    /// Seconds that LAMMPS may take for a script
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many times as long this program may take
    #[arg(long, default_value_t = 10)]
    patience: u64,
    /// Runs of LAMMPS that tell how much an average scatters, where two leave it open
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Scripts that run at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Keep only scripts whose name has this in it
    #[arg(long)]
    only: Vec<String>,
    /// List the scripts and end
    #[arg(long)]
    list: bool,
    /// Precision of this program
    #[arg(long, default_value = "double")]
    precision: String,
    /// Device of this program
    #[arg(long, env = "CLAMPS_DEVICE")]
    device: Option<String>,
    /// Folder that keeps what the programs wrote: a run that is there is not repeated
    #[arg(long, default_value = "target/conformance")]
    results: PathBuf,
    /// Page to write the table into, between its marks; rows there of scripts that did not run now stay
    #[arg(long)]
    markdown: Option<PathBuf>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match table(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("conformance: {err}");
            ExitCode::FAILURE
        }
    }
}

fn table(cli: &Cli) -> io::Result<()> {
    let mut scripts = select::scripts(&cli.paths)?;
    let names: Vec<String> = scripts.iter().map(|(name, _)| name.clone()).collect();
    scripts.retain(|(name, _)| cli.only.is_empty() || cli.only.iter().any(|only| name.contains(only)));
    if cli.list {
        scripts.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(());
    }
    let (programs, lammps) = programs(cli)?;
    let results = cli.results.join(if cli.full { "full".into() } else { format!("cut-{}", cli.steps) });
    fs::create_dir_all(&results)?;
    let threads =
        rayon::ThreadPoolBuilder::new().num_threads(cli.jobs.max(1)).build().map_err(io::Error::other)?;
    let done = AtomicUsize::new(0);
    let try_script = |(name, path): &(String, PathBuf)| {
        // Two folders given may have scripts of the same name.
        let folder = results.join(format!(
            "{}-{}",
            name.replace('/', "."),
            &program::hash(path.to_string_lossy().as_bytes())[..6]
        ));
        let outcome = verdict::judge(cli, &programs, path, &folder)?;
        let [ours, lammps] = outcome.seconds;
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        eprintln!(
            "[{count}/{}] {name}: {} ({ours:.1} s, LAMMPS {lammps:.1} s) {}",
            scripts.len(),
            outcome.verdict,
            outcome.remark
        );
        Ok((name.clone(), outcome))
    };
    // In the order of the list, one after the other, rather than in halves of it.
    let outcomes: io::Result<Vec<_>> =
        threads.install(|| scripts.par_iter().with_max_len(1).map(try_script).collect());
    let outcomes = outcomes?;
    println!("{}", report::terminal(&outcomes));
    if let Some(path) = &cli.markdown {
        report::page(path, cli, &lammps, &names, &outcomes)?;
    }
    Ok(())
}

/// The programs, and the version of LAMMPS as it calls itself.
fn programs(cli: &Cli) -> io::Result<(Programs, String)> {
    let clamps = std::env::current_exe()?.with_file_name(format!("clamps{}", std::env::consts::EXE_SUFFIX));
    let about =
        |what: &Path, err: &io::Error| io::Error::new(err.kind(), format!("{}: {err}", what.display()));
    let version = program::hash(&fs::read(&clamps).map_err(|err| about(&clamps, &err))?);
    // With a path, as it is started in other folders.
    let lmp = if cli.lmp.components().count() > 1 { fs::canonicalize(&cli.lmp) } else { Ok(cli.lmp.clone()) };
    let lmp = lmp.map_err(|err| about(&cli.lmp, &err))?;
    let help = Command::new(&lmp).arg("-h").output().map_err(|err| about(&lmp, &err))?;
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let name = help.lines().find_map(|line| line.split_once("Simulator - "));
    let lammps = format!("LAMMPS {}", name.map_or("of unknown version", |(_, version)| version.trim()));
    // Each script runs in a copy of its folder, so that LAMMPS's own may clear away their files.
    // Rebuilds show in files: atoms are wrapped into the box there.
    let mut options =
        ["-allow-shell", "-rebuild", "lammps", "-precision", &cli.precision].map(str::to_owned).to_vec();
    options.extend(cli.device.iter().flat_map(|device| ["-device".to_owned(), device.clone()]));
    let theirs = |variant| Program {
        name: match variant {
            0 => "lammps".into(),
            1 => "lammps-varied".into(),
            _ => format!("lammps-varied-{variant}"),
        },
        path: lmp.clone(),
        options: vec!["-nocite".into()],
        variant,
        version: lammps.clone(),
    };
    let programs = Programs {
        lammps: theirs(0),
        again: theirs(1),
        more: (2..cli.runs).map(theirs).collect(),
        ours: Program { name: "clamps".into(), path: clamps, options, variant: 0, version },
    };
    Ok((programs, lammps))
}
