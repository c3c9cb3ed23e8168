//! The one error type of the program.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt::Display;
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

    /// With what the message is about before it.
    #[must_use]
    pub fn about(mut self, what: impl Display) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// With the command that it is of before it, once.
    #[must_use]
    pub fn in_command(self, name: &str) -> Self {
        let named = self.message.strip_prefix(name).is_some_and(|rest| rest.starts_with(": "));
        if named { self } else { self.about(name) }
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

    /// The whole message for the terminal or the log: `ERROR: message (file:line)`, then the line with
    /// carets under the words concerned, then the remedy. `color` paints it for a terminal.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut group =
            Level::ERROR.with_name("ERROR").primary_title(self.to_string()).elements(self.snippet());
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    fn snippet(&self) -> Option<Snippet<'_, annotate_snippets::Annotation<'_>>> {
        let (source, span) = self.at.as_ref()?;
        let mut text = source.text.to_string();
        if span.end > text.len() || text.is_empty() {
            // A place behind the end is where something is missing; the caret stands under this blank.
            text.push(' ');
        }
        let boundary = |byte: &usize| text.is_char_boundary(*byte);
        let start = (0..=span.start.min(text.len() - 1)).rev().find(boundary).unwrap_or(0);
        let end = (span.end.clamp(start + 1, text.len())..).find(boundary).unwrap_or(text.len());
        let annotation = AnnotationKind::Primary.span(start..end).label(self.label.as_deref());
        Some(Snippet::source(text).line_start(source.line).path(&*source.file).annotation(annotation))
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some((source, _)) = &self.at {
            write!(f, " ({}:{})", source.file, source.line)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { file: "in.lj".into(), line: 7, text: text.into() }
    }

    #[test]
    fn points_at_the_word() {
        let error = Error::new("pair_coeff: '2,5' is not a cutoff")
            .at(&source("pair_coeff 1 1 2,5"), 15..18)
            .label("expected a cutoff")
            .help("write 2.5");
        assert_eq!(
            error.render(false),
            "ERROR: pair_coeff: '2,5' is not a cutoff (in.lj:7)\n \
             --> in.lj:7:16\n  \
             |\n\
             7 | pair_coeff 1 1 2,5\n  \
             |                ^^^ expected a cutoff\n  \
             |\n  \
             = help: write 2.5"
        );
    }

    #[test]
    fn points_behind_the_end() {
        let text = Error::new("mass: a number is missing").at(&source("mass 1"), 6..7).render(false);
        assert!(text.contains("7 | mass 1 \n  |       ^"), "{text}");
    }

    #[test]
    fn needs_no_place() {
        assert_eq!(Error::new("no device").render(false), "ERROR: no device");
    }

    proptest::proptest! {
        #[test]
        fn renders_any_place(text: String, start in 0..80_usize, length in 0..80_usize) {
            let error = Error::new("x").at(&source(&text), start..start + length);
            proptest::prop_assert!(error.render(false).starts_with("ERROR: x (in.lj:7)"));
        }
    }
}
