//! Runs LAMMPS's own example scripts, in a shortened form, through this program and through LAMMPS, and prints which
//! agree, which only run, and what the others lack:
//!
//! ```text
//! cargo run --release --bin conformance -- --lmp /path/to/lmp /path/to/lammps/examples
//! ```
//!
//! Scripts are those whose atoms, bonds and pair styles this program is meant for. Each runs in a copy of its
//! folder, with every `run N` cut to a number of steps.

use clap::Parser;
use comfy_table::{Table, presets};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use wait_timeout::ChildExt;

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
    /// Steps that every `run` is cut to
    #[arg(long, default_value_t = 200)]
    steps: u64,
    /// Seconds that a program may take for a script
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Keep only scripts whose path has this in it
    #[arg(long)]
    only: Option<String>,
    /// Precision of this program
    #[arg(long, default_value = "double")]
    precision: String,
}

/// Digits to which the first row of thermo output is to agree.
const FIRST_ROW: f64 = 8.0;

/// Pair styles, or beginnings of them, of scripts that this program is meant for.
const PAIR_STYLES: [&str; 19] = [
    "lj/cut",
    "lj/expand",
    "lj/gromacs",
    "lj/smooth",
    "lj96/cut",
    "mie/cut",
    "morse",
    "buck",
    "born",
    "yukawa",
    "soft",
    "gauss",
    "dpd",
    "coul/cut",
    "coul/debye",
    "coul/dsf",
    "table",
    "zero",
    "hybrid",
];

/// Their atom styles.
const ATOM_STYLES: [&str; 3] = ["atomic", "charge", "bond"];

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
    let mut scripts = Vec::new();
    cli.paths.iter().try_for_each(|path| find(path, &mut scripts))?;
    scripts.retain(|path| cli.only.as_ref().is_none_or(|only| path.to_string_lossy().contains(only)));
    scripts.sort();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header([
        "script",
        "verdict",
        "first row",
        "second row",
        "remark",
    ]);
    let mut tally = BTreeMap::new();
    for script in &scripts {
        let outcome = try_script(cli, script)?;
        *tally.entry(outcome.verdict).or_insert(0) += 1;
        let name = cli.paths.iter().find_map(|path| script.strip_prefix(path).ok()).unwrap_or(script);
        let name = if name.as_os_str().is_empty() { script } else { name };
        eprintln!("{}: {} {}", name.display(), outcome.verdict, outcome.remark);
        let digits =
            |row: usize| outcome.digits.get(row).map_or(String::new(), |digits| format!("{digits:.1}"));
        table.add_row([
            name.display().to_string(),
            outcome.verdict.into(),
            digits(0),
            digits(1),
            outcome.remark,
        ]);
    }
    println!(
        "{table}\n\nDigits to which the rows of thermo output agree with LAMMPS's, over all runs of a script."
    );
    println!(
        "{} scripts: {}",
        scripts.len(),
        tally.iter().map(|(v, n)| format!("{n} {v}")).collect::<Vec<_>>().join(", ")
    );
    Ok(())
}

/// Adds the scripts of a folder and those below it that this program is meant for.
fn find(path: &Path, scripts: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        return fs::read_dir(path)?.try_for_each(|entry| find(&entry?.path(), scripts));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with("in.") && meant_for_us(&String::from_utf8_lossy(&fs::read(path)?)) {
        scripts.push(path.to_owned());
    }
    Ok(())
}

/// Whether all atom and pair styles of a script are those of beads and atoms.
fn meant_for_us(text: &str) -> bool {
    let styles = |command: &'static str| {
        let words = text.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>());
        words.filter(move |words| words.first() == Some(&command)).filter_map(|words| words.get(1).copied())
    };
    let ours =
        |style: &str| PAIR_STYLES.iter().any(|known| style.starts_with(known) && !style.contains("long"));
    styles("atom_style").all(|style| ATOM_STYLES.contains(&style))
        && styles("pair_style").next().is_some()
        && styles("pair_style").all(ours)
}

/// What became of a script.
struct Outcome {
    verdict: &'static str,
    /// Of the first row of each run, and of the second: the fewest digits.
    digits: Vec<f64>,
    remark: String,
}

fn try_script(cli: &Cli, script: &Path) -> io::Result<Outcome> {
    let no_rows = |verdict, remark| Ok(Outcome { verdict, digits: Vec::new(), remark });
    let clamps = std::env::current_exe()?.with_file_name(format!("clamps{}", std::env::consts::EXE_SUFFIX));
    let ours = run(cli, &clamps, &["-precision", &cli.precision], script)?;
    let ours = match ours {
        Ended::Well(log) => thermo(&log),
        Ended::Badly(message) => return no_rows("fails", message),
        Ended::Late => return no_rows("late", format!("not done in {} s", cli.seconds)),
    };
    let theirs = match run(cli, &cli.lmp, &[], script)? {
        Ended::Well(log) => thermo(&log),
        Ended::Badly(message) => return no_rows("runs", format!("LAMMPS: {message}")),
        Ended::Late => return no_rows("runs", format!("LAMMPS is not done in {} s", cli.seconds)),
    };
    let digits: Vec<f64> = (0..2).filter_map(|row| agreement(&ours, &theirs, row)).collect();
    let runs = if ours.len() == theirs.len() {
        String::new()
    } else {
        format!("{} runs, {} in LAMMPS", ours.len(), theirs.len())
    };
    let agrees = runs.is_empty() && digits.first().is_some_and(|&digits| digits >= FIRST_ROW);
    Ok(Outcome { verdict: if agrees { "agrees" } else { "runs" }, digits, remark: runs })
}

/// How a program came out of a script.
enum Ended {
    /// With this log.
    Well(String),
    /// With this message.
    Badly(String),
    /// Not in time.
    Late,
}

/// Runs a shortened script in a copy of its folder.
fn run(cli: &Cli, program: &Path, options: &[&str], script: &Path) -> io::Result<Ended> {
    let folder = tempfile::tempdir()?;
    let from = script.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Scripts read what lies beside them, and some what lies in a folder beside theirs.
    let place = folder.path().join("here");
    copy(from, &place)?;
    let name = script.file_name().unwrap_or_default();
    let text = String::from_utf8_lossy(&fs::read(script)?).into_owned();
    fs::write(place.join(name), shorten(&text, cli.steps))?;
    let (out, log) = (folder.path().join("screen"), folder.path().join("log"));
    let screen = fs::File::create(&out)?;
    let mut child = Command::new(program)
        .arg("-in")
        .arg(name)
        .arg("-log")
        .arg(&log)
        .args(options)
        .current_dir(&place)
        .stdin(Stdio::null())
        .stdout(screen.try_clone()?)
        .stderr(screen)
        .spawn()?;
    let Some(status) = child.wait_timeout(Duration::from_secs(cli.seconds))? else {
        child.kill()?;
        child.wait()?;
        return Ok(Ended::Late);
    };
    if status.success() {
        return Ok(Ended::Well(String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned()));
    }
    let screen = String::from_utf8_lossy(&fs::read(&out)?).into_owned();
    let message = screen.lines().find_map(|line| {
        let line = line.trim_start_matches("ERROR on proc 0").trim_start_matches(':').trim();
        line.strip_prefix("error:").or_else(|| line.strip_prefix("ERROR:")).map(|text| text.trim().to_owned())
    });
    Ok(Ended::Badly(message.unwrap_or_else(|| format!("{status}"))))
}

/// Copies the files of a folder, and links to the folders in it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        if path.is_file() {
            fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

/// The script with every `run N` and `minimize` cut to so many steps.
fn shorten(text: &str, steps: u64) -> String {
    let cut = |line: &str| -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", n, ..] if n.parse().is_ok_and(|n: u64| n > steps) => {
                line.replacen(n, &steps.to_string(), 1)
            }
            _ => line.to_owned(),
        }
    };
    text.lines().map(|line| cut(line) + "\n").collect()
}

/// A table of thermo output: its headings and rows.
struct Rows {
    heads: Vec<String>,
    rows: Vec<Vec<f64>>,
}

/// The thermo output of all runs in a log: the lines between the one on memory and the loop time.
fn thermo(log: &str) -> Vec<Rows> {
    let mut runs = Vec::new();
    let mut lines = log.lines();
    while let Some(line) = lines.next() {
        if !line.contains("emory allocation") && !line.starts_with("Memory usage per processor") {
            continue;
        }
        let heads: Vec<String> =
            lines.next().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for line in lines.by_ref().take_while(|line| !line.starts_with("Loop time")) {
            let row: Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
            rows.extend(row.ok().filter(|row| row.len() == heads.len()));
        }
        runs.push(Rows { heads, rows });
    }
    runs
}

/// Digits to which all runs agree in a row, without the columns that tell time; at most 15.
fn agreement(ours: &[Rows], theirs: &[Rows], row: usize) -> Option<f64> {
    let mut fewest: Option<f64> = None;
    for (ours, theirs) in ours.iter().zip(theirs) {
        let (Some(a), Some(b)) = (ours.rows.get(row), theirs.rows.get(row)) else { continue };
        if ours.heads.len() != theirs.heads.len() {
            return Some(0.0);
        }
        for (k, head) in theirs.heads.iter().enumerate() {
            if ["CPU", "T/CPU", "S/CPU", "CPULeft", "Elapsed"].contains(&head.as_str()) {
                continue;
            }
            // Against the largest value of the column, so that what cancels to nothing does not count.
            let scale = theirs.rows.iter().map(|row| row[k].abs()).fold(1e-6, f64::max);
            let digits = -((a[k] - b[k]).abs() / scale).max(1e-15).log10();
            fewest = Some(fewest.map_or(digits, |fewest| fewest.min(digits)));
        }
    }
    fewest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_cut_and_chosen() {
        assert_eq!(
            shorten("run 5000\nrun 10 # few\n  run\t300 upto\n", 100),
            "run 100\nrun 10 # few\n  run\t100 upto\n"
        );
        assert!(meant_for_us("atom_style bond\npair_style lj/cut 2.5\n"));
        assert!(!meant_for_us("atom_style sphere\npair_style lj/cut 2.5\n"));
        assert!(!meant_for_us("pair_style lj/cut/coul/long 2.5\n"));
        assert!(!meant_for_us("pair_style eam\n") && !meant_for_us("units lj\n"));
    }

    #[test]
    fn logs_are_compared_by_their_columns() {
        let log = |temp: &str| {
            format!(
                "Per MPI rank memory allocation (min/avg/max) = 1 | 1 | 1 Mbytes\nStep Temp CPU\n0 1.5 0\n9 {temp} 3\nLoop time of 1\n"
            )
        };
        let (ours, theirs) = (thermo(&log("1.250001")), thermo(&log("1.25")));
        assert_eq!(ours[0].rows.len(), 2);
        assert_eq!(agreement(&ours, &theirs, 0), Some(15.0));
        let digits = agreement(&ours, &theirs, 1).expect("both have the row");
        assert!((digits - 6.18).abs() < 0.01, "{digits}");
        assert_eq!(agreement(&ours, &theirs, 2), None);
    }
}
