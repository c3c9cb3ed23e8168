//! Potential files: lines of words and blocks of numbers. Remarks begin with `#`, blank lines count for nothing, numbers flow over the ends
//! of lines, and a block begins on a new line (LAMMPS manual, pages of the pair styles).

use crate::base::error::{Error, Result, Source};
use crate::base::text::Text;
use crate::script::{Args, Command, Word};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Energy in kcal/mol per eV, as LAMMPS converts between units metal and real.
const KCAL_PER_EV: f64 = 23.060_549;

/// A file that is being read.
pub(super) struct PotentialFile {
    /// As the script names it.
    name: Arc<str>,
    /// What errors begin with.
    command: String,
    lines: Vec<String>,
    /// The next of them, from 0.
    next: usize,
}

/// An entry of a file.
pub(super) struct Entry {
    pub(super) names: Vec<String>,
    pub(super) numbers: Vec<f64>,
    /// Where it begins, from 0.
    pub(super) line: usize,
}

/// So many lines at the beginning may be remarks without a sign.
const TITLES: usize = 3;

/// A file as it is named, or where the folders of LAMMPS_POTENTIALS have one of that name.
fn find(name: &str) -> PathBuf {
    let given = PathBuf::from(name);
    let folders = std::env::var_os("LAMMPS_POTENTIALS").unwrap_or_default();
    if given.exists() {
        return given;
    }
    let base = given.file_name().map(PathBuf::from).unwrap_or_default();
    std::env::split_paths(&folders)
        .filter(|folder| !folder.as_os_str().is_empty()) // as of a variable that is not set
        .map(|folder| folder.join(&base))
        .find(|path| path.is_file())
        .unwrap_or(given)
}

impl PotentialFile {
    /// Opens the file that a word of the script names.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn open(args: &Args<'_>, word: &Word) -> Result<Self> {
        let failed = |error: Error| {
            let help =
                "name a file of this folder, or set LAMMPS_POTENTIALS to the folder of potential files";
            args.place(word, error.help(help))
        };
        let mut text = Text::open(&find(&word.text), "the potential file that was read").map_err(failed)?;
        let (mut lines, mut line) = (Vec::new(), String::new());
        loop {
            if lines.len() < TITLES {
                text.expect_title();
            }
            if !text.line(&mut line)? {
                break;
            }
            lines.push(std::mem::take(&mut line));
        }
        Ok(PotentialFile { name: word.text.as_str().into(), command: args.name().to_owned(), lines, next: 0 })
    }

    /// The word behind a key (`DATE:`, `UNITS:`) in the first line.
    fn tag(&self, key: &str) -> Option<&str> {
        let mut words = self.lines.first()?.split_whitespace();
        words.find(|word| *word == key)?;
        words.next()
    }

    /// The line that the log has of it, as `what` file; nothing where the file has no date.
    pub(super) fn log(&self, what: &str) -> Option<String> {
        let date = self.tag("DATE:")?;
        let base = Path::new(&*self.name).file_name().map(|name| name.to_string_lossy().into_owned())?;
        Some(format!("Reading {what} file {base} with DATE: {date}"))
    }

    /// Fails where the file says that it has other units than these.
    ///
    /// # Errors
    /// Names both.
    pub(super) fn check_units(&self, units: &str) -> Result<()> {
        match self.tag("UNITS:") {
            Some(own) if own != units => {
                let message = format!("the potential file {} is in units {own}, not {units}", self.name);
                Err(Error::new(message).help("take another potential file"))
            }
            _ => Ok(()),
        }
    }

    /// What energies of the file are to be multiplied by for a script in these units, with a line for the log where that is not 1.
    ///
    /// # Errors
    /// When the file's units are others, and no energies in eV or kcal/mol.
    pub(super) fn energy_factor(&self, what: &str, units: &str) -> Result<(f64, Option<String>)> {
        let factor = match (self.tag("UNITS:"), units) {
            (None, _) => return Ok((1.0, None)),
            (Some(own), _) if own == units => return Ok((1.0, None)),
            (Some("metal"), "real") => KCAL_PER_EV,
            (Some("real"), "metal") => 1.0 / KCAL_PER_EV,
            (Some(own), _) => {
                let error = Error::new(format!(
                    "the potential file {} is in units {own}, the script in {units}",
                    self.name
                ));
                return Err(error.help(format!("write `units {own}`, or take another potential file")));
            }
        };
        let own = if units == "real" { "metal" } else { "real" };
        Ok((factor, Some(format!("WARNING: Converting {what} potential in {own} units to {units} units"))))
    }

    /// Passes over lines, whatever they hold.
    pub(super) fn skip(&mut self, lines: usize) {
        self.next += lines;
    }

    fn source(&self, line: usize) -> Source {
        let text = self.lines.get(line).map_or("", |line| line.trim_end());
        Source { file: self.name.clone(), line: line + 1, text: text.into() }
    }

    /// The next line that has words.
    fn words_of_next(&mut self) -> Option<usize> {
        while self.next < self.lines.len() {
            self.next += 1;
            if !without_remark(&self.lines[self.next - 1]).trim().is_empty() {
                return Some(self.next - 1);
            }
        }
        None
    }

    fn ended(&self, missing: &str) -> Error {
        self.error_at_end(&format!("the potential file ends before {missing}"))
            .help("the file is not whole, or of another format")
    }

    /// An error at the last line, behind which something is missing.
    pub(super) fn error_at_end(&self, what: &str) -> Error {
        let has_words = |line: &String| !without_remark(line).trim().is_empty();
        let last = self.lines.iter().rposition(has_words).unwrap_or(self.lines.len().saturating_sub(1));
        self.error_at(last, what)
    }

    /// The next line that has words, for [`Args`].
    ///
    /// # Errors
    /// Where the file ends.
    pub(super) fn line(&mut self, what: &str) -> Result<Command> {
        self.next_line(char::is_whitespace).ok_or_else(|| self.ended(what))
    }

    /// The same, `None` where the file ends, with words that anything may stand between.
    pub(super) fn next_line(&mut self, between: fn(char) -> bool) -> Option<Command> {
        let source = self.words_of_next().map(|line| self.source(line))?;
        let mut words = vec![Word { text: self.command.clone(), span: 0..0 }];
        let text: &str = &source.text;
        for word in without_remark(text).split(between).filter(|word| !word.is_empty()) {
            let at = word.as_ptr() as usize - text.as_ptr() as usize;
            words.push(Word { text: word.into(), span: at..at + word.len() });
        }
        Some(Command { source, words })
    }

    /// An entry of so many names and numbers, over however many lines; `None` at the end of the file.
    ///
    /// # Errors
    /// Where the file ends within an entry, or at a word that is no number.
    pub(super) fn entry(&mut self, names: usize, numbers: usize) -> Result<Option<Entry>> {
        let mut entry = Entry { names: Vec::new(), numbers: Vec::new(), line: 0 };
        while entry.numbers.len() < numbers {
            let line = match self.words_of_next() {
                Some(line) => line,
                None if entry.names.is_empty() => return Ok(None),
                None => return Err(self.ended(&format!("the last of {} words of an entry", names + numbers))),
            };
            if entry.names.is_empty() {
                entry.line = line;
            }
            let text = &self.lines[line];
            for word in without_remark(text).split_whitespace() {
                if entry.names.len() < names {
                    entry.names.push(word.to_owned());
                    continue;
                }
                match word.parse::<f64>() {
                    Ok(number) if number.is_finite() && entry.numbers.len() < numbers => {
                        entry.numbers.push(number);
                    }
                    Ok(_) | Err(_) => {
                        let at = word.as_ptr() as usize - text.as_ptr() as usize;
                        let message = format!(
                            "{}: '{word}' is not one of {numbers} numbers of the entry for {}",
                            self.command,
                            entry.names.join(" ")
                        );
                        return Err(no_number(message, word).at(&self.source(line), at..at + word.len()));
                    }
                }
            }
        }
        Ok(Some(entry))
    }

    /// An error about the file.
    pub(super) fn error(&self, what: &str) -> Error {
        Error::new(format!("the potential file {}: {what}", self.name))
    }

    /// The same, at a line.
    pub(super) fn error_at(&self, line: usize, what: &str) -> Error {
        let source = self.source(line);
        let end = source.text.len();
        Error::new(format!("{}: {what}", self.command)).at(&source, 0..end)
    }

    /// A block of so many numbers, from a new line on; what its last line has besides is dropped, as LAMMPS does.
    ///
    /// # Errors
    /// Where the file ends, or at a word that is no number.
    pub(super) fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<f64>> {
        let mut numbers = Vec::with_capacity(count.min(1 << 20));
        while numbers.len() < count {
            let missing = || format!("number {} of {count} of {what}", numbers.len() + 1);
            let line = self.words_of_next().ok_or_else(|| self.ended(&missing()))?;
            let text = &self.lines[line];
            for word in without_remark(text).split_whitespace().take(count - numbers.len()) {
                match word.parse::<f64>() {
                    Ok(number) if number.is_finite() => numbers.push(number),
                    _ => {
                        let at = word.as_ptr() as usize - text.as_ptr() as usize;
                        let message = format!("{}: '{word}' is no number of {what}", self.command);
                        return Err(no_number(message, word).at(&self.source(line), at..at + word.len()));
                    }
                }
            }
        }
        Ok(numbers)
    }
}

/// The error at a word that is no number, with the remedy where Fortran has written it.
fn no_number(message: String, word: &str) -> Error {
    let error = Error::new(message);
    let written = word.replace(['D', 'd'], "E");
    match written != word && written.parse::<f64>().is_ok() {
        true => error.help(format!("exponents have an E: `{written}`")),
        false => error,
    }
}

fn without_remark(line: &str) -> &str {
    line.split('#').next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::find;
    use std::path::Path;

    #[test]
    fn a_file_of_another_folder_is_not_one_of_this_folder() {
        assert!(Path::new("Cargo.toml").exists());
        assert_eq!(find("nosuch/Cargo.toml"), Path::new("nosuch/Cargo.toml"));
    }
}
