//! `clamps plot FILES`: columns of logs and of the files of averages as a line chart (SVG).
//!
//! A file is a sequence of tables. A line of a log that begins with `Step`, or a line behind `#`, names the columns of the rows below
//! it, if these have as many numbers. Rows of `fix ave/chunk`, `ave/histo` and of vectors of `fix ave/time` stand in blocks behind a
//! row of their own; the last block is drawn. All thermo tables of a log are drawn as one.

use std::path::{Path, PathBuf};

use crate::base::error::{Error, Result};
use crate::base::text;
use crate::studies::chart::{Chart, Series};
use crate::studies::report;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct PlotArgs {
    /// Logs, or files of fix ave/time, ave/chunk, ave/histo and the like
    #[arg(value_name = "FILE", num_args = 1.., required = true)]
    files: Vec<PathBuf>,
    /// Column along x, by name or number from 1; by default the first, or the second of blocks (their first counts rows)
    #[arg(short, long, value_name = "COLUMN")]
    x: Option<String>,
    /// Columns along y, by names or numbers from 1; by default the last
    #[arg(short, long, value_name = "COLUMN", num_args = 1..)]
    y: Vec<String>,
    /// Logarithmic x axis
    #[arg(long)]
    log_x: bool,
    /// Logarithmic y axis
    #[arg(long)]
    log_y: bool,
    /// Where to draw
    #[arg(long, value_name = "FILE.svg", default_value = "plot.svg")]
    svg: PathBuf,
}

/// Names of columns and rows of numbers.
#[derive(Debug, Default, PartialEq)]
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
    /// Whether the rows are one block of several.
    block: bool,
}

/// Draws the chart and says where it is.
///
/// # Errors
/// A file without a table, a column that is not there, an output that cannot be written.
pub fn run(args: &PlotArgs) -> Result<()> {
    report::check_output(&args.svg, &args.files)?;
    let mut series = Vec::new();
    let (mut x_label, mut y_labels) = (String::new(), Vec::new());
    for path in &args.files {
        let lines = text::read(path, "a file that is drawn")?;
        let table = read(&lines).ok_or_else(|| {
            Error::new(format!("{} has no table of numbers below names of columns", path.display()))
                .help("give a log, or a file of fix ave/time, ave/chunk or ave/histo")
        })?;
        let x = match &args.x {
            Some(word) => table.column(word, path)?,
            None => usize::from(table.block && table.names.len() > 2),
        };
        let ys = match args.y.as_slice() {
            [] => vec![table.names.len() - 1],
            words => words.iter().map(|word| table.column(word, path)).collect::<Result<_>>()?,
        };
        x_label.clone_from(&table.names[x]);
        for y in ys {
            let name = &table.names[y];
            if !y_labels.contains(name) {
                y_labels.push(name.clone());
            }
            series.push(Series {
                name: if args.files.len() > 1 { format!("{name}, {}", path.display()) } else { name.clone() },
                points: table.rows.iter().map(|row| (row[x], row[y])).collect(),
                marks: table.rows.len() <= 60,
            });
        }
    }
    let points: usize = series.iter().map(|series| series.points.len()).sum();
    let title = args.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let chart =
        Chart { title, x_label, y_label: y_labels.join(", "), log_x: args.log_x, log_y: args.log_y, series };
    chart.save(&args.svg)?;
    report::line(format_args!("{points} points drawn in {}", args.svg.display()));
    Ok(())
}

impl Table {
    /// The place of a column by its name, or by its number from 1.
    fn column(&self, word: &str, path: &Path) -> Result<usize> {
        let numbered =
            || word.parse().ok().and_then(|n: usize| n.checked_sub(1)).filter(|&n| n < self.names.len());
        self.names.iter().position(|name| name == word).or_else(numbered).ok_or_else(|| {
            Error::new(format!("{} has no column '{word}'", path.display()))
                .help(format!("its columns are {}", self.names.join(" ")))
        })
    }
}

/// The table of a text: all rows below headings that say the same as the last one, or the last block of them.
fn read(text: &str) -> Option<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    // Whether the next row continues the table above it.
    let mut open = false;
    for line in text.lines() {
        let heading =
            line.strip_prefix('#').or_else(|| line.trim_start().starts_with("Step ").then_some(line));
        if let Some(heading) = heading {
            names = heading.split_whitespace().map(String::from).collect();
            open = false;
            continue;
        }
        let row: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        match row.filter(|row| !row.is_empty()) {
            Some(row) if row.len() == names.len() && row.len() > 1 => {
                if !open {
                    let block = tables.last().is_some_and(|last| last.rows.is_empty() && last.block);
                    if !block {
                        tables.push(Table { names: names.clone(), ..Table::default() });
                    }
                    open = true;
                }
                tables.last_mut()?.rows.push(row);
            }
            // A row of its own begins a block.
            Some(_) if !names.is_empty() => {
                tables.push(Table { names: names.clone(), rows: Vec::new(), block: true });
                open = false;
            }
            _ => open = false,
        }
    }
    tables.retain(|table| !table.rows.is_empty());
    let mut last = tables.pop()?;
    if !last.block {
        while let Some(mut before) = tables.pop().filter(|before| before.names == last.names && !before.block)
        {
            before.rows.append(&mut last.rows);
            last.rows = before.rows;
        }
    }
    Some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thermo_tables_of_a_log_are_one() {
        let log = "units lj\n   Step          Temp     \n   0  1.5\n  10  1.25\nLoop time of 1 on\n\n   Step     Temp  \n  10  1.25\n 20 1.0\nLoop time\n\
                   Nlocal: 32\nHistogram: 1 0 0\nTotal wall time: 0:00:00\n";
        let table = read(log).expect("a table");
        assert_eq!(table.names, ["Step", "Temp"]);
        assert_eq!(table.rows, [[0.0, 1.5], [10.0, 1.25], [10.0, 1.25], [20.0, 1.0]]);
        assert!(!table.block);
    }

    #[test]
    fn of_blocks_the_last_one_counts() {
        let profile = "# Chunk-averaged data for fix profile and group all\n# Timestep Number-of-chunks Total-count\n\
                       # Chunk Coord1 Ncount density/number\n100 2 30\n  1 -0.5 10 0.1\n  2 0.5 20 0.2\n200 2 30\n  1 -0.5 11 0.11\n  2 0.5 19 0.19\n";
        let table = read(profile).expect("a table");
        assert_eq!(table.names, ["Chunk", "Coord1", "Ncount", "density/number"]);
        assert_eq!(table.rows, [[1.0, -0.5, 11.0, 0.11], [2.0, 0.5, 19.0, 0.19]]);
        assert!(table.block);
    }

    #[test]
    fn rows_of_averages_are_read_and_text_is_not() {
        let means = "# Time-averaged data for fix means\n# TimeStep v_a v_b\n10 1 2\n20 3 4\n";
        let table = read(means).expect("a table");
        assert_eq!((table.names.len(), table.rows.len(), table.block), (3, 2, false));
        assert_eq!(read("run 100\nfix 1 all nve\n"), None);
        assert_eq!(table.column("v_b", Path::new("f")).expect("by name"), 2);
        assert_eq!(table.column("2", Path::new("f")).expect("by number"), 1);
        assert!(table.column("0", Path::new("f")).is_err() && table.column("4", Path::new("f")).is_err());
    }
}
