//! Text into logical lines, and lines into words.
//!
//! Source: LAMMPS manual, "Parsing rules for input scripts". Three passes look at quotes, and all of them
//! see the same: `quoted` says where a quoted string ends.

use super::{Command, Word};
use crate::base::error::{Error, Result, Source};
use std::ops::Range;
use std::sync::Arc;

/// Splits a script into logical lines: `&` at the end of a line (blanks after it do not count) joins it
/// with the next one, and a triple-quoted string may span lines. Blank lines and comments are kept (the
/// log echoes them). [`Source::line`] is the number of the first physical line.
///
/// # Errors
/// At a quote that is never closed.
pub fn lines(file: &str, text: &str) -> Result<Vec<Source>> {
    let file: Arc<str> = file.into();
    let mut sources = Vec::new();
    let mut physical = text.lines().enumerate();
    while let Some((number, first)) = physical.next() {
        let mut joined = first.trim_end().to_owned();
        let unclosed = loop {
            let unclosed = unclosed_quote(&joined);
            let in_triple = unclosed.as_ref().is_some_and(|quote| quote.len() == 3);
            let continued = joined.ends_with('&');
            if !continued && !in_triple {
                break unclosed;
            }
            let Some((_, next)) = physical.next() else { break unclosed };
            if continued {
                joined.pop();
            } else {
                joined.push('\n');
            }
            joined.push_str(next.trim_end());
        };
        if joined.ends_with('&') {
            joined.pop();
        }
        let source = Source { file: file.clone(), line: number + 1, text: joined.into() };
        if let Some(quote) = unclosed {
            return Err(Error::new("a quote is never closed")
                .at(&source, quote)
                .label("the string begins here")
                .help("strings end on their line with the quote they began with; \"\"\" may span lines"));
        }
        sources.push(source);
    }
    Ok(sources)
}

/// What stands at a byte of a line, as far as quotes go.
pub(super) enum Quoted {
    /// No quote.
    No,
    /// A quoted string: its text, and where its closing quote ends.
    Closed(Range<usize>, usize),
    /// An opening quote without a closing one.
    Open(Range<usize>),
}

/// Looks for a quoted string that begins at byte `start`.
pub(super) fn quoted(text: &str, start: usize) -> Quoted {
    let rest = &text[start..];
    let Some(quote) = ["\"\"\"", "\"", "'"].into_iter().find(|quote| rest.starts_with(quote)) else {
        return Quoted::No;
    };
    let inside = start + quote.len();
    match text[inside..].find(quote) {
        Some(length) => Quoted::Closed(inside..inside + length, inside + length + quote.len()),
        None => Quoted::Open(start..inside),
    }
}

/// Walks the characters outside quoted strings; calls `stop` with each one's byte offset until it says so,
/// and returns that offset, or where an unclosed quote stands.
fn walk(text: &str, mut stop: impl FnMut(usize, char) -> bool) -> Result<Option<usize>, Range<usize>> {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at = match quoted(text, at) {
            Quoted::Closed(_, end) => end,
            Quoted::Open(quote) => return Err(quote),
            Quoted::No if stop(at, c) => return Ok(Some(at)),
            Quoted::No => at + c.len_utf8(),
        };
    }
    Ok(None)
}

fn unclosed_quote(text: &str) -> Option<Range<usize>> {
    walk(text, |_, c| c == '#').err()
}

/// The line without its comment and the blanks before it.
pub fn strip_comment(line: &str) -> &str {
    let end = walk(line, |_, c| c == '#').ok().flatten().unwrap_or(line.len());
    line[..end].trim_end()
}

/// Splits a line (comment gone, variables substituted) into words at blanks. A word that begins with a
/// quote goes to its closing quote and loses both. `None` for a blank line.
///
/// # Errors
/// At a quote that is never closed, or a closing quote with a letter right behind it.
pub fn split(source: &Source) -> Result<Option<Command>> {
    let text = &*source.text;
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(skip) = text[at..].find(|c: char| !c.is_whitespace()) {
        let start = at + skip;
        let (inside, end) = match quoted(text, start) {
            Quoted::Closed(inside, end) => (inside, end),
            Quoted::Open(quote) => {
                return Err(Error::new("a quote is never closed")
                    .at(source, quote)
                    .label("the string begins here"));
            }
            Quoted::No => {
                let end = text[start..].find(char::is_whitespace).map_or(text.len(), |n| start + n);
                (start..end, end)
            }
        };
        if let Some(c) = text[end..].chars().next().filter(|c| !c.is_whitespace()) {
            return Err(Error::new("a closing quote must be followed by a blank")
                .at(source, end..end + c.len_utf8())
                .label("expected a blank"));
        }
        words.push(Word { text: text[inside].to_owned(), span: start..end });
        at = end;
    }
    Ok((!words.is_empty()).then(|| Command { source: source.clone(), words }))
}

/// A line of words as a command, for readers of arguments; `what` stands for the file in errors.
///
/// # Errors
/// When there is no word, or a quote is not closed.
pub(crate) fn command(line: String, what: &str) -> Result<Command> {
    let source = Source { file: what.into(), line: 1, text: line.into() };
    split(&source)?.ok_or_else(|| Error::new("there is no word"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(script: &str) -> Vec<(usize, String)> {
        let lines = lines("in.test", script).expect("closed quotes");
        lines.iter().map(|line| (line.line, line.text.to_string())).collect()
    }

    fn words(line: &str) -> Vec<String> {
        let source = lines("in.test", line).expect("closed quotes").remove(0);
        let source = Source { text: strip_comment(&source.text).into(), ..source };
        let command = split(&source).expect("well formed").expect("not blank");
        for word in &command.words {
            assert!(source.text[word.span.clone()].contains(&word.text), "{word:?}");
        }
        command.words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn continuation_joins_and_numbers_by_the_first_line() {
        assert_eq!(
            texts("a &\n b & \n c\n\nd"),
            [(1, "a  b  c".into()), (4, String::new()), (5, "d".into())]
        );
        // LAMMPS joins before it looks for comments, and a comment hides a `&` before it.
        assert_eq!(texts("# a &\nb"), [(1, "# a b".into())]);
        assert_eq!(texts("a & # c\nb"), [(1, "a & # c".into()), (2, "b".into())]);
        assert_eq!(texts("a &"), [(1, "a ".into())]);
    }

    #[test]
    fn triple_quotes_span_lines() {
        assert_eq!(
            texts("p \"\"\"a\nb \" c\n\"\"\"\nq"),
            [(1, "p \"\"\"a\nb \" c\n\"\"\"".into()), (4, "q".into())]
        );
        assert_eq!(words("p \"\"\"a\nb\"\"\" c"), ["p", "a\nb", "c"]);
    }

    #[test]
    fn quotes_protect_blanks_and_comments() {
        assert_eq!(words("p \"a # b\" 'c \"d\"' # \"e"), ["p", "a # b", "c \"d\""]);
        assert_eq!(words("p ''"), ["p", ""]);
        assert_eq!(words("p foo\"b#ar\""), ["p", "foo\"b#ar\""]);
    }

    #[test]
    fn bad_quotes_are_errors_with_a_place() {
        let error = lines("in.test", "a\n p 'b\n'").expect_err("unclosed");
        let (source, span) = error.at.expect("a place");
        assert_eq!((source.line, span), (2, 3..4));
        let source = lines("in.test", "p \"a\"b").expect("closed").remove(0);
        assert_eq!(split(&source).expect_err("no blank").at.expect("a place").1, 5..6);
        assert!(lines("in.test", "p \"\"\"a\nb").is_err());
        assert!(lines("in.test", "# it's").is_ok(), "comments may hold quotes");
    }

    proptest::proptest! {
        #[test]
        fn never_panics(script in "(?s)[ab\"'#&$ \n\u{e9}(){}]{0,60}|(?s).{0,60}") {
            for source in lines("in.test", &script).unwrap_or_default() {
                let text = strip_comment(&source.text).into();
                if let Ok(Some(command)) = split(&Source { text, ..source }) {
                    for word in &command.words {
                        proptest::prop_assert!(!command.source.text[word.span.clone()].is_empty());
                    }
                }
            }
        }
    }
}
