//! The one error type of the program.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// What every fallible function here returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A line of a script (or of a data file) that an error points into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name as the user gave it; `(stdin)` or `(command line)` where there is none.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: usize,
    /// The line's text, after substitution of variables.
    pub text: Arc<str>,
}

/// Why the program cannot go on, in words for the person at the terminal.
#[derive(Clone, Debug)]
pub struct Error {
    /// One sentence: what is wrong.
    pub message: String,
    /// Where in the input, and which bytes of [`Source::text`].
    pub at: Option<(Source, Range<usize>)>,
    /// Short words under the caret: what was expected there.
    pub label: Option<String>,
    /// What the user can do about it.
    pub help: Option<String>,
}

impl Error {
    /// An error with no place in the input.
    pub fn new(message: impl Into<String>) -> Self {
        Error { message: message.into(), at: None, label: None, help: None }
    }

    /// An error of a file operation: names the operation ("open", "write") and the path.
    pub fn io(what: &str, path: &Path, err: &std::io::Error) -> Self {
        Error::new(format!("cannot {what} {}: {err}", path.display()))
    }

    /// The same error, pointing at bytes of a line; a place that is already set stays.
    #[must_use]
    pub fn at(mut self, source: &Source, span: Range<usize>) -> Self {
        self.at.get_or_insert_with(|| (source.clone(), span));
        self
    }

    /// The same error with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same error with words under the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some((source, _)) = &self.at {
            write!(f, " ({}:{})", source.file, source.line)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
