//! The lines of a data file, with errors that point into them.

use crate::base::error::{Error, Result, Source};
use crate::script::closest;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

/// The lines of a data file, one at a time.
pub(crate) struct Lines<R> {
    input: R,
    name: Arc<str>,
    number: usize,
    pub(crate) line: String,
    /// `line` is the name of a section that is still to be read.
    pub(crate) pending: bool,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R, name: &str) -> Self {
        Lines { input, name: name.into(), number: 0, line: String::new(), pending: false }
    }

    /// Reads the next line; false at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        let bytes = self.input.read_line(&mut self.line);
        self.number += 1;
        match bytes {
            Ok(bytes) => Ok(bytes > 0),
            Err(err) => Err(self.error_here(Error::io("read", Path::new(&*self.name), &err))),
        }
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
        Source { file: self.name.clone(), line: self.number, text: self.line.trim_end().into() }
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
            self.error(word, format!("'{word}' is not {what}")).label(format!("expected {what}"))
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
        Ok(())
    }
}
