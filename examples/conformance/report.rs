//! The table of all scripts, for the terminal and for a page.

use crate::Cli;
use crate::verdict::{Outcome, Verdict};
use comfy_table::{Table, presets};
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

/// How many scripts have which verdict, as the third cells of rows say.
fn tally(rows: &[[String; 7]]) -> String {
    let count = |verdict: &&Verdict| rows.iter().filter(|row| row[2] == verdict.to_string()).count();
    let counts =
        Verdict::ALL.iter().map(|verdict| (count(&verdict), verdict)).filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, verdict)| format!("{count} {verdict}")).collect();
    format!("{} scripts: {}", rows.len(), counts.join(", "))
}

/// The table for the terminal.
pub(crate) fn terminal(outcomes: &[(String, Outcome)]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(HEADS);
    let rows: Vec<_> = outcomes.iter().map(|(name, outcome)| cells(name, outcome)).collect();
    table.add_rows(&rows);
    format!("{table}\n\n{}", tally(&rows))
}

/// The rows of a table in a page.
fn rows_of(page: &str) -> impl Iterator<Item = [String; 7]> {
    let table = page.split(MARKS[0]).nth(1).and_then(|rest| rest.split(MARKS[1]).next()).unwrap_or_default();
    let cells = |line: &str| {
        let line = line.replace("\\|", "\0");
        let cells = line.trim_matches('|').split('|').map(|cell| cell.trim().replace('\0', "|"));
        cells.collect::<Vec<_>>().try_into().ok()
    };
    // After the headings and the line below them.
    table.lines().filter(|line| line.starts_with('|')).skip(2).filter_map(cells)
}

/// Rows that a table has, with those of `new` in the place of theirs; a row of another script comes behind that of the script before it in
/// the order of `names`, or at the end.
fn merged(mut rows: Vec<[String; 7]>, names: &[String], new: Vec<[String; 7]>) -> Vec<[String; 7]> {
    for row in new {
        let place = |name: &String| rows.iter().position(|row| row[0] == *name);
        if let Some(place) = place(&row[0]) {
            rows[place] = row;
            continue;
        }
        let before = names.iter().take_while(|name| **name != row[0]);
        let place = before.filter_map(place).last().map_or(rows.len(), |place| place + 1);
        rows.insert(place, row);
    }
    rows
}

/// Writes the table into a page: between the marks where it has them, at its end where not. Rows that are there of other
/// scripts stay.
///
/// # Errors
///
/// A page that can't be read or written.
pub(crate) fn page(
    path: &Path,
    cli: &Cli,
    lammps: &str,
    names: &[String],
    outcomes: &[(String, Outcome)],
) -> io::Result<()> {
    let page = fs::read_to_string(path)
        .or_else(|err| if err.kind() == io::ErrorKind::NotFound { Ok(String::new()) } else { Err(err) })?;
    let new = outcomes.iter().map(|(name, outcome)| cells(name, outcome)).collect();
    let rows = merged(rows_of(&page).collect(), names, new);
    let mut options = String::new();
    if cli.full {
        options += " --full";
    }
    options += &format!(" --steps {}", cli.steps);
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let device = outcomes.iter().find_map(|(_, outcome)| outcome.device.as_ref());
    let device =
        device.map_or(String::new(), |device| format!(" CLAMPS in {} precision on {device}.", cli.precision));
    let mut text = format!(
        "{}\n\n{date}, `cargo run --release --example conformance -- --lmp LMP{options} --seconds {} BENCH EXAMPLES`, against {lammps} on one core of \
         the same machine.{device} Of the rows {} are of this run. {}.\n\n| {} |\n|{}\n",
        MARKS[0],
        cli.seconds,
        outcomes.len(),
        tally(&rows),
        HEADS.join(" | "),
        "---|".repeat(HEADS.len())
    );
    for row in rows {
        text += &format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    text += &format!("\n{}", MARKS[1]);
    let page = match (page.find(MARKS[0]), page.find(MARKS[1])) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{text}{}", &page[..start], &page[end + MARKS[1].len()..])
        }
        _ => format!("{page}{text}\n"),
    };
    let write = |mut file: &fs::File| file.write_all(page.as_bytes());
    clamps::base::files::write_whole(path, write).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_page_are_found() {
        let page = "| no | row |\n<!-- conformance -->\nText.\n| script | steps |\n|---|---|\n\
                    | a | 1, cut | agrees | never | 0.5 \\|x\\| |  | |\n\n<!-- /conformance -->\n| no | row |\n";
        let row = ["a", "1, cut", "agrees", "never", "0.5 |x|", "", ""].map(str::to_owned);
        let rows: Vec<_> = rows_of(page).collect();
        assert_eq!(tally(&rows), "1 scripts: 1 agrees");
        assert_eq!(rows, [row]);
    }

    #[test]
    fn rows_of_other_scripts_stay() {
        let rows = |names: &str| -> Vec<_> {
            let row =
                |name: char| std::array::from_fn(|k| if k == 0 { name.to_string() } else { String::new() });
            names.chars().map(row).collect()
        };
        let order = |names: &str| -> Vec<_> { names.chars().map(String::from).collect() };
        let names = |rows: Vec<[String; 7]>| rows.into_iter().map(|row| row[0].clone()).collect::<String>();
        assert_eq!(names(merged(rows("xay"), &order("abc"), rows("cb"))), "xabcy");
        assert_eq!(names(merged(rows("xy"), &order("ab"), rows("ab"))), "xyab");
        let mut new = rows("a");
        new[0][2] = "agrees".to_owned();
        assert_eq!(merged(rows("xa"), &order("a"), new)[1][2], "agrees");
    }
}
