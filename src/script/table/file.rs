//! Table files: sections of distances, energies and forces (LAMMPS manual, pair_style table and fix wall/table).

use super::Spline;
use crate::base::error::{Error, Result, Source};
use crate::base::text;
use crate::script::{Args, Command, Word};
use std::path::Path;
use std::sync::Arc;

/// Where the distances of a section come from.
#[derive(Clone, Copy, PartialEq)]
pub enum Spacing {
    /// The rows.
    Rows,
    /// Even steps of r between the ends.
    Distance,
    /// Even steps of r^2 between the ends.
    Square,
}

/// One section of a table file; at least two rows of ascending distance.
pub struct Section {
    /// Where the distances come from.
    pub spacing: Spacing,
    /// Distances.
    pub r: Vec<f64>,
    /// Energies.
    pub energy: Vec<f64>,
    /// Forces.
    pub force: Vec<f64>,
    /// Slope of the force at the first and the last row (FPRIME, FP).
    pub slopes: Option<[f64; 2]>,
}

impl Section {
    /// Energy and force at so many distances in even steps from the first to the last, by splines through the rows. Their ends have the slopes
    /// that the file gives, or those of the first and the last two rows.
    pub fn sampled(&self, points: usize) -> Curve {
        let Section { r, energy, force, .. } = self;
        let (n, step) = (r.len(), (r[r.len() - 1] - r[0]) / (points - 1) as f64);
        let rise = |i: usize| (force[i + 1] - force[i]) / (r[i + 1] - r[i]);
        let slopes = self.slopes.unwrap_or_else(|| [rise(0), rise(n - 2)]);
        let energies = Spline::new(r, energy, -force[0], -force[n - 1]);
        let forces = Spline::new(r, force, slopes[0], slopes[1]);
        let at: Vec<f64> = (0..points).map(|i| r[0] + i as f64 * step).collect();
        let [energy, force] = [energies, forces].map(|spline| at.iter().map(|&r| spline.at(r)).collect());
        Curve { step, r: at, energy, force, slopes }
    }

    /// Reads the section of a file that the next two words name. `keywords` are those that may stand before its rows: `N`, `R`,
    /// `RSQ`, `FPRIME` or `FP`, `EQ`.
    ///
    /// # Errors
    /// When the file cannot be read, has no such section, or the section does not hold what it should; the error
    /// points into the file.
    pub fn read(args: &mut Args<'_>, keywords: &[&'static str]) -> Result<Section> {
        let path = args.word("a table file")?;
        let keyword = args.word("the name of a section of the file")?;
        let text = text::read(Path::new(&path.text), "the table file that was read");
        let text = text.map_err(|error| args.place(path, error))?;
        let file = path.text.as_str().into();
        let mut lines = Lines { command: args.name(), keywords, file, lines: text.lines(), number: 0 };
        let mut names = Vec::new();
        while let Some(title) = lines.next() {
            let name = title.words[1].text.clone();
            let header = lines.header()?;
            if name == keyword.text {
                return lines.section(&header);
            }
            lines.nth(header.rows - 1);
            names.push(name);
        }
        Err(args.unknown(keyword, "section of the table file", names.iter().map(String::as_str)))
    }
}

/// Energy and force at distances in even steps ([`Section::sampled`]).
pub struct Curve {
    /// The step.
    pub step: f64,
    /// Distances.
    pub r: Vec<f64>,
    /// Energies.
    pub energy: Vec<f64>,
    /// Forces.
    pub force: Vec<f64>,
    /// Slope of the force at the first and the last distance.
    pub slopes: [f64; 2],
}

/// The line before the rows.
struct Header {
    rows: usize,
    spacing: Spacing,
    ends: [f64; 2],
    slopes: Option<[f64; 2]>,
}

/// The lines of a file that hold words, as commands for [`Args`].
struct Lines<'a> {
    /// What errors begin with.
    command: &'a str,
    keywords: &'a [&'static str],
    file: Arc<str>,
    lines: std::str::Lines<'a>,
    number: usize,
}

impl Iterator for Lines<'_> {
    type Item = Command;

    fn next(&mut self) -> Option<Command> {
        loop {
            let line = self.lines.next()?;
            self.number += 1;
            let text = line.split('#').next().unwrap_or("");
            if text.trim().is_empty() {
                continue;
            }
            // Before the line's words comes what an error begins with.
            let mut words = vec![Word { text: self.command.into(), span: 0..0 }];
            for word in text.split_whitespace() {
                let at = word.as_ptr() as usize - line.as_ptr() as usize;
                words.push(Word { text: word.into(), span: at..at + word.len() });
            }
            let source = Source { file: self.file.clone(), line: self.number, text: line.trim_end().into() };
            return Some(Command { source, words });
        }
    }
}

impl Lines<'_> {
    fn ended(&self, missing: &str) -> Error {
        Error::new(format!("the table file {} ends before {missing}", self.file))
    }

    fn row(&mut self, row: usize, rows: usize) -> Result<Command> {
        self.next().ok_or_else(|| self.ended(&format!("row {row} of {rows}")))
    }

    /// `N rows [R lo hi | RSQ lo hi] [FPRIME first last] [EQ r0]`, or FP for FPRIME. Nothing follows from r0.
    fn header(&mut self) -> Result<Header> {
        let command = self.next().ok_or_else(|| self.ended("the line with N"))?;
        let mut args = Args::new(&command);
        let mut header = Header { rows: 0, spacing: Spacing::Rows, ends: [0.0; 2], slopes: None };
        while let Some(word) = args.peek() {
            match args.word("N")?.text.as_str() {
                "BITMAP" => {
                    return Err(args
                        .unsupported(word, "the table keyword")
                        .help("write the table with R or RSQ instead"));
                }
                other if !self.keywords.contains(&other) => {
                    return Err(args.unknown(word, "table keyword", self.keywords.iter().copied()));
                }
                "N" => header.rows = args.count("the number of rows", 2)? as usize,
                "R" | "RSQ" => {
                    let even = if word.text == "R" { Spacing::Distance } else { Spacing::Square };
                    header.spacing = even;
                    header.ends[0] = args.positive("the first distance")?;
                    header.ends[1] = args.positive("the last distance")?;
                    if header.ends[1] <= header.ends[0] {
                        return Err(args.error(word, "the last distance is not beyond the first"));
                    }
                }
                "EQ" => _ = args.f64("the distance of rest")?,
                _ => {
                    let first = args.f64("the slope of the force at the first distance")?;
                    header.slopes = Some([first, args.f64("the slope of the force at the last distance")?]);
                }
            }
        }
        if header.rows == 0 {
            return Err(args
                .error_here("the number of rows is missing")
                .help("a line like: N 500 R 0.8 2.5"));
        }
        Ok(header)
    }

    /// The rows `index r energy force`; r counts where nothing else says where the rows lie.
    fn section(&mut self, header: &Header) -> Result<Section> {
        let Header { rows, spacing, ends: [lo, hi], slopes } = *header;
        let mut section = Section { spacing, r: Vec::new(), energy: Vec::new(), force: Vec::new(), slopes };
        for row in 0..rows {
            let command = self.row(row + 1, rows)?;
            let mut args = Args::new(&command);
            args.word("the number of the row")?;
            let word = args.peek();
            let given = args.f64("a distance")?;
            let way = row as f64 / (rows - 1) as f64;
            let r = match spacing {
                Spacing::Rows => given,
                Spacing::Distance => lo + (hi - lo) * way,
                Spacing::Square => (lo * lo + (hi * hi - lo * lo) * way).sqrt(),
            };
            let before = section.r.last().copied().unwrap_or(0.0);
            if let (Some(word), true) = (word, r <= before) {
                return Err(args.error(word, format_args!("the distance {r} is not beyond {before}")));
            }
            section.r.push(r);
            section.energy.push(args.f64("an energy")?);
            section.force.push(args.f64("a force")?);
            args.finish()?;
        }
        Ok(section)
    }
}
