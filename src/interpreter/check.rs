//! What can be said of a script before its first command runs: closed quotes, known command names, present
//! include files. A slip in line 80 should not cost the run of line 20.

use super::{names, read_script, unknown_command};
use crate::error::{Error, Result, Source};
use crate::script::{Command, lexer};
use std::path::Path;

/// The deepest nesting of include files.
pub(super) const MAX_DEPTH: usize = 16;

/// Checks a script and the files that it includes.
///
/// # Errors
/// At the first line that cannot be carried out, whatever the others do.
pub(super) fn script(lines: &[Source]) -> Result<()> {
    check(lines, 0, &mut Vec::new())
}

/// `mentioned`: every word so far; a file among them may be written by the script before it is included.
fn check(lines: &[Source], depth: usize, mentioned: &mut Vec<String>) -> Result<()> {
    for line in lines {
        let bare = Source { text: lexer::strip_comment(&line.text).into(), ..line.clone() };
        let Some(command) = lexer::split(&bare)? else { continue };
        let name = &command.words[0].text;
        if name.contains('$') {
            continue;
        }
        if !names().any(|known| known == name) {
            return Err(unknown_command(&command));
        }
        match &**name {
            "quit" => break,
            "include" => include(&command, depth, mentioned)?,
            _ => mentioned.extend(command.words.iter().map(|word| word.text.clone())),
        }
    }
    Ok(())
}

fn include(command: &Command, depth: usize, mentioned: &mut Vec<String>) -> Result<()> {
    let Some(word) = command.words.get(1).filter(|word| !word.text.contains('$')) else { return Ok(()) };
    let place = |error: Error| error.at(&command.source, word.span.clone());
    if mentioned.contains(&word.text) {
        return Ok(());
    }
    if depth >= MAX_DEPTH {
        return Err(place(too_deep()));
    }
    let text = read_script(Path::new(&word.text)).map_err(place)?;
    check(&lexer::lines(&word.text, &text)?, depth + 1, mentioned)
}

/// The error of an include file that includes itself, most likely.
pub(super) fn too_deep() -> Error {
    Error::new(format!("include files are nested more than {MAX_DEPTH} deep"))
        .help("does a file include itself?")
}
