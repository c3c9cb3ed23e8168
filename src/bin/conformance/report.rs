//! The table of all scripts, for the terminal and for a page.

use crate::Cli;
use crate::verdict::{Outcome, Verdict};
use comfy_table::{Table, presets};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

const HEADS: [&str; 7] = ["script", "steps", "verdict", "rows part at", "worst average", "files", "remark"];

/// Between these lines of a page the table stands.
const MARKS: [&str; 2] = ["<!-- conformance -->", "<!-- /conformance -->"];

fn cells(name: &str, outcome: &Outcome) -> [String; 7] {
    let (mut part, mut steps) = (String::new(), String::new());
    if let Some([ours, all, own]) = outcome.steps {
        part = if ours >= all { "never".into() } else { format!("{ours}") };
        if ours < all && own < all {
            part += &format!(" ({own})");
        }
        steps = format!("{all}{}", if outcome.cut.is_some() { ", cut" } else { "" });
    }
    let worst = outcome.worst.as_ref().map_or(String::new(), |(sigmas, column)| {
        if *sigmas == 0.0 { "0".into() } else { format!("{sigmas:.1} {column}") }
    });
    let files = if outcome.files > 0 { outcome.files.to_string() } else { String::new() };
    [name.into(), steps, outcome.verdict.to_string(), part, worst, files, outcome.remark.clone()]
}

/// How many scripts have which verdict.
fn tally(outcomes: &[(String, Outcome)]) -> String {
    let mut tally: BTreeMap<Verdict, usize> = BTreeMap::new();
    for (_, outcome) in outcomes {
        *tally.entry(outcome.verdict).or_default() += 1;
    }
    let counts: Vec<String> = tally.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    format!("{} scripts: {}", outcomes.len(), counts.join(", "))
}

/// The table for the terminal.
pub(crate) fn terminal(outcomes: &[(String, Outcome)]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(HEADS);
    for (name, outcome) in outcomes {
        table.add_row(cells(name, outcome));
    }
    format!("{table}\n\n{}", tally(outcomes))
}

/// Writes the table into a page: between the marks where it has them, at its end where not.
///
/// # Errors
///
/// A page that can't be read or written.
pub(crate) fn page(path: &Path, cli: &Cli, lammps: &str, outcomes: &[(String, Outcome)]) -> io::Result<()> {
    let mut options = String::new();
    if cli.full {
        options += " --full";
    } else {
        options += &format!(" --steps {}", cli.steps);
    }
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let device = outcomes.iter().find_map(|(_, outcome)| outcome.device.as_ref());
    let device =
        device.map_or(String::new(), |device| format!(" CLAMPS in {} precision on {device}.", cli.precision));
    let mut text = format!(
        "{}\n\n{date}, `cargo run --release --bin conformance -- --lmp LMP{options} --seconds {} BENCH EXAMPLES`, against {lammps} on one core of \
         the same machine.{device} {}.\n\n| {} |\n|{}\n",
        MARKS[0],
        cli.seconds,
        tally(outcomes),
        HEADS.join(" | "),
        "---|".repeat(HEADS.len())
    );
    for (name, outcome) in outcomes {
        let cells = cells(name, outcome).map(|cell| cell.replace('|', "\\|"));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text += &format!("\n{}", MARKS[1]);
    let page = fs::read_to_string(path)
        .or_else(|err| if err.kind() == io::ErrorKind::NotFound { Ok(String::new()) } else { Err(err) })?;
    let page = match (page.find(MARKS[0]), page.find(MARKS[1])) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{text}{}", &page[..start], &page[end + MARKS[1].len()..])
        }
        _ => format!("{page}{text}\n"),
    };
    clamps::files::write_whole(path, |mut file| file.write_all(page.as_bytes()))
}
