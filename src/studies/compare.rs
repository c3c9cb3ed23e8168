//! Timing breakdowns of records and logs, side by side.

mod bars;
mod log;
mod page;
mod record;
mod roofline;
mod run;
mod scaling;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;

pub use run::{Ceiling, Kernel, ListKind, Neighbors, Ranks, Run};

use super::report;
use crate::base::error::{Error, Result};
use crate::base::files;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// JSON records of clamps, its logs, logs of LAMMPS; the others are compared with the first
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Which run of a file, from 1, or all, instead of its last; once for all files, or once per file
    #[arg(long, value_name = "K")]
    run: Vec<Choice>,
    /// Name of a column instead of its file's; once per column
    #[arg(long, value_name = "NAME")]
    label: Vec<String>,
    /// Print what each kernel moves and computes, as shares of what its device can do
    #[arg(long)]
    roofline: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Where a comparison goes besides the terminal.
#[derive(Debug, Clone, clap::Args)]
pub struct OutputArgs {
    /// Write the comparison as a web page to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the figures to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw speed against the number of atoms to this file (SVG)
    #[arg(long, value_name = "FILE")]
    scaling: Option<PathBuf>,
}

impl OutputArgs {
    /// Whether the files could be written and are none of those that are `read`, before anything runs.
    ///
    /// # Errors
    /// As [`files::check_apart`] and [`files::check_place`].
    pub fn check_places(&self, read: &[PathBuf]) -> Result<()> {
        self.html
            .iter()
            .chain(&self.json)
            .chain(&self.scaling)
            .try_for_each(|path| report::check_output(path, read))
    }
}

/// Which runs of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The last one.
    Last,
    /// This one, from 1.
    Number(usize),
    /// Every one.
    All,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match (word, word.parse()) {
            ("last", _) => Ok(Choice::Last),
            ("all", _) => Ok(Choice::All),
            (_, Ok(number)) if number > 0 => Ok(Choice::Number(number)),
            _ => Err("expected a number from 1, last or all".into()),
        }
    }
}

/// Reads the files, prints the table, writes what was asked for.
///
/// # Errors
/// A file that is neither record nor log, that holds no finished run or not the one asked for; as [`present`].
pub fn run(args: &CompareArgs) -> Result<()> {
    let files = args.files.len();
    if args.run.len() > 1 && args.run.len() != files {
        return Err(Error::new(format!("--run is given {} times for {files} files", args.run.len()))
            .help("give it once for all files, or once per file"));
    }
    args.output.check_places(&args.files)?;
    let mut runs = Vec::new();
    for (index, file) in args.files.iter().enumerate() {
        let choice = args.run.get(index).or(args.run.first()).copied().unwrap_or(Choice::Last);
        runs.extend(select(read(file)?, choice)?);
    }
    if !args.label.is_empty() && args.label.len() != runs.len() {
        return Err(Error::new(format!(
            "--label is given {} times for {} runs",
            args.label.len(),
            runs.len()
        ))
        .help("give it once per run, or not at all"));
    }
    name(&mut runs);
    for (run, label) in runs.iter_mut().zip(&args.label) {
        run.label.clone_from(label);
    }
    present(&runs, &args.output)?;
    if args.roofline {
        report::line(format_args!("\n{}", table::kernels(&runs)));
    }
    Ok(())
}

/// Prints the table of the runs and notes, and writes the page and the record that were asked for.
///
/// # Errors
/// When a file cannot be written.
pub fn present(runs: &[Run], output: &OutputArgs) -> Result<()> {
    report::line(format_args!("{}\n{}", table::text(runs), table::notes(runs).join("\n")));
    if let Some(path) = &output.json {
        let mut record = report::header("compare", None);
        record["runs"] = runs.iter().map(|run| run.to_json(&runs[0])).collect::<Vec<Value>>().into();
        report::save(path, &record)?;
    }
    if let Some(path) = &output.html {
        let page = page::page(runs).into_string();
        files::write_whole(path, |mut file| file.write_all(page.as_bytes()))?;
    }
    output.scaling.as_ref().map_or(Ok(()), |path| scaling::draw(runs, path))
}

/// All finished runs of a record or log, in their order.
///
/// # Errors
/// When the file cannot be read, is neither, or holds no finished run; points at the line.
pub fn read(file: &Path) -> Result<Vec<Run>> {
    let bytes = std::fs::read(file).map_err(|err| Error::io("read", file, &err))?;
    let text = String::from_utf8_lossy(&bytes);
    if text.trim().is_empty() {
        return Err(Error::new(format!("{} is empty", file.display())));
    }
    let is_json = text.trim_start().starts_with('{');
    let mut runs = if is_json { record::read(file, &text)? } else { log::read(file, &text)? };
    let of = runs.len();
    for (index, run) in runs.iter_mut().enumerate() {
        (run.number, run.of) = (index + 1, of);
        if let Some(count) = run.neighbors {
            let list = format!("{} entries, {}", table::figure(count.listed), count.list.words());
            run.settings.push(("Neighbor list".into(), list));
        }
    }
    Ok(runs)
}

/// The chosen ones of a file's runs.
///
/// # Errors
/// When the file has no run of that number.
pub fn select(mut runs: Vec<Run>, choice: Choice) -> Result<Vec<Run>> {
    let of = runs.len();
    match choice {
        Choice::All => Ok(runs),
        Choice::Last => Ok(runs.split_off(of - 1)),
        Choice::Number(number) if number <= of => Ok(vec![runs.swap_remove(number - 1)]),
        Choice::Number(number) => {
            let file = runs[0].file.display();
            let there = if of == 1 { "one run".into() } else { format!("{of} runs") };
            Err(Error::new(format!("{file} has no run {number}: it holds {there}")))
        }
    }
}

/// Names the runs after their files: by the file's name, where that would not tell them apart by its path,
/// with the number of the run where that is not the last.
fn name(runs: &mut [Run]) {
    let short =
        |run: &Run| run.file.file_name().unwrap_or(run.file.as_os_str()).to_string_lossy().into_owned();
    let names: Vec<String> = runs
        .iter()
        .map(|run| {
            let same = |other: &Run| short(other) == short(run) && other.file != run.file;
            let file = if runs.iter().any(same) { run.file.display().to_string() } else { short(run) };
            if run.number == run.of { file } else { format!("{file} run {}", run.number) }
        })
        .collect();
    for (run, name) in runs.iter_mut().zip(names) {
        run.label = name;
    }
}
