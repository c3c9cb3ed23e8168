//! The lines of a data file, with errors that point into them.

use crate::base::error::{Error, Result, Source};
use crate::base::text::Text;
use crate::script::closest;
use std::path::Path;

/// Whether a word stands for a number, one that is not finite included: such a line is none with the name of a section.
pub(crate) fn is_number(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii_alphabetic()) || word.parse::<f64>().is_ok()
}

/// A number whose exponent is written as Fortran does it, with D, as it should be.
pub(crate) fn with_e(word: &str) -> Option<String> {
    let right = word.replacen(['d', 'D'], "e", 1);
    (right != word && right.parse::<f64>().is_ok()).then_some(right)
}

/// The lines of a data file, one at a time.
pub(crate) struct Lines {
    input: Text,
    pub(crate) line: String,
    /// `line` is the name of a section that is still to be read.
    pub(crate) pending: bool,
    /// The last section that was read line by line, and how many lines it has.
    last: Option<(String, usize)>,
}

impl Lines {
    /// Opens a file; `what` says what it is to the user, as [`Text::open`] has it.
    pub(crate) fn open(name: &str, what: &'static str) -> Result<Self> {
        Ok(Lines::new(Text::open(Path::new(name), what)?))
    }

    pub(crate) fn new(input: Text) -> Self {
        Lines { input, line: String::new(), pending: false, last: None }
    }

    /// Reads a title, in which anything may stand; false at the end of the file.
    pub(crate) fn title(&mut self) -> Result<bool> {
        self.input.expect_title();
        self.advance()
    }

    /// Reads the next line; false at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        self.input.line(&mut self.line)
    }

    /// Reads on to the next line that is not blank; false at the end of the file.
    pub(crate) fn advance_to_text(&mut self) -> Result<bool> {
        while self.advance()? {
            if !self.text().trim().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The line without its comment.
    pub(crate) fn text(&self) -> &str {
        self.line.split('#').next().unwrap_or("")
    }

    pub(crate) fn source(&self) -> Source {
        Source {
            file: self.input.name().clone(),
            line: self.input.number(),
            text: self.line.trim_end().into(),
        }
    }

    /// The error, pointing at this line.
    pub(crate) fn error_here(&self, error: Error) -> Error {
        let source = self.source();
        let text = &source.text;
        let start = text.len() - text.trim_start().len();
        let end = self.text().trim_end().len().max(start);
        error.at(&source, start..end)
    }

    /// The error, pointing at a word of this line.
    pub(crate) fn error(&self, word: &str, message: String) -> Error {
        // `word` is a slice of `line`: the distance of their addresses is its place.
        let start = (word.as_ptr() as usize).saturating_sub(self.line.as_ptr() as usize);
        Error::new(message).at(&self.source(), start..start + word.len())
    }

    /// A word as a number.
    pub(crate) fn parse<T: std::str::FromStr>(&self, word: Option<&str>, what: &str) -> Result<T> {
        let word = word.ok_or_else(|| self.error_here(Error::new(format!("{what} is missing"))))?;
        word.parse().map_err(|_| {
            let error = self.error(word, format!("'{word}' is not {what}")).label(format!("expected {what}"));
            match with_e(word) {
                Some(right) => error.help(format!("exponents are written with e: {right}")),
                None => error,
            }
        })
    }

    /// A word as a finite number.
    pub(crate) fn float(&self, word: Option<&str>, what: &str) -> Result<f64> {
        let value: f64 = self.parse(word, what)?;
        if value.is_finite() {
            return Ok(value);
        }
        let word = word.unwrap_or("");
        Err(self.error(word, format!("'{word}' is not {what} (a finite number)")))
    }

    /// The name of the next section of a `file`, one of `known`, with single blanks; `None` at its end.
    pub(crate) fn section(&mut self, file: &str, known: &[&str]) -> Result<Option<String>> {
        if !self.pending && !self.advance_to_text()? {
            return Ok(None);
        }
        self.pending = false;
        let name = self.text().split_whitespace().collect::<Vec<_>>().join(" ");
        if known.contains(&name.as_str()) {
            return Ok(Some(name));
        }
        if let Some((section, count)) = &self.last
            && name.split(' ').next().is_some_and(is_number)
        {
            let message = format!("section {section} has more lines than the header says ({count})");
            return Err(self.error_here(Error::new(message).help("correct the number in the header")));
        }
        let error = Error::new(format!("'{name}' is not a section of a {file} that is supported"))
            .help(format!("supported: {}", known.join(", ")));
        let error = match closest(&name, known.iter().copied()) {
            Some(close) => error.label(format!("did you mean '{close}'?")),
            None => error,
        };
        Err(self.error_here(error))
    }

    /// Calls `read` on each of the `count` lines of a section.
    pub(crate) fn each(
        &mut self,
        section: &str,
        count: usize,
        mut read: impl FnMut(&Self) -> Result<()>,
    ) -> Result<()> {
        for done in 0..count {
            let present = if done == 0 { self.advance_to_text()? } else { self.advance()? };
            if !present || self.text().trim().is_empty() {
                let end = if present { "section" } else { "file" };
                let message = format!("the {end} ends after {done} of {count} lines of section {section}");
                return Err(self
                    .error_here(Error::new(message).help("the file is truncated, or its header is wrong")));
            }
            read(self)?;
        }
        self.last = Some((section.to_owned(), count));
        Ok(())
    }
}
