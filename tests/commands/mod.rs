//! Commands given as text, for the tests of single commands.

use clamps::base::error::{Result, Source};
use clamps::base::log::Log;
use clamps::script::variables::Variables;
use clamps::script::{Args, Command, Word};
use clamps::session::Session;
use clamps::session::options::Options;

/// Before the first command, with a log in memory.
pub(crate) fn session() -> Session {
    Session::new(Options::default(), Log::memory(), Variables::default())
}

/// What runs a command.
pub(crate) type Handler = fn(&mut Session, &mut Args<'_>) -> Result<()>;

/// Applies a command given as a line; `"` quotes.
pub(crate) fn apply(
    session: &mut Session,
    handler: impl FnOnce(&mut Session, &mut Args<'_>) -> Result<()>,
    line: &str,
) -> Result<()> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        match index % 2 {
            1 => words.push(part),
            _ => words.extend(part.split_whitespace()),
        }
    }
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let words =
        words.iter().map(|w| Word { text: w.to_string(), span: place(w)..place(w) + w.len() }).collect();
    let source = Source { file: "in.test".into(), line: 1, text: line.into() };
    handler(session, &mut Args::new(&Command { source, words }))
}

/// Applies a command that must fail; returns the marked text and the message.
pub(crate) fn fails(session: &mut Session, handler: Handler, line: &str) -> (String, String) {
    let error = apply(session, handler, line).expect_err(line);
    let (source, span) = error.at.expect("a place in the line");
    (source.text.get(span).unwrap_or_default().to_owned(), error.message)
}
