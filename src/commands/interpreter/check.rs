//! What can be said of a script before its first command runs: closed quotes, known command names, present
//! include files. A slip in line 80 should not cost the run of line 20.

use super::{flow, names, unknown_command};
use crate::base::error::{Error, Result, Source};
use crate::base::text;
use crate::script::{Args, Command, lexer};
use std::path::{Path, PathBuf};

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
    // With jumps, any line may be carried out.
    let jumps = lines.iter().any(|line| flow::label_of(&line.text).is_some());
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
            "quit" if !jumps => break,
            "if" => branches(&command)?,
            "jump" => jump(&command, lines)?,
            "include" => include(&command, depth, mentioned)?,
            _ => mentioned.extend(command.words.iter().map(|word| word.text.clone())),
        }
    }
    Ok(())
}

/// Commands whose words name files that are read.
const READERS: [&str; 10] = [
    "include",
    "jump",
    "molecule",
    "read_data",
    "read_dump",
    "read_restart",
    "rerun",
    "pair_coeff",
    "bond_coeff",
    "variable",
];

/// The files, of those that are there, which a script says that it reads, as far as that shows before it runs: in its own lines and in those of
/// files that it includes. One that it names before may be its own by then.
pub fn named_inputs(name: &str, text: &str) -> Vec<PathBuf> {
    let (mut found, mut mentioned) = (Vec::new(), Vec::new());
    collect_inputs(name, text, 0, &mut mentioned, &mut found);
    found
}

fn collect_inputs(
    name: &str,
    text: &str,
    depth: usize,
    mentioned: &mut Vec<String>,
    found: &mut Vec<PathBuf>,
) {
    // Mistakes are told of when the script runs.
    for line in lexer::lines(name, text).unwrap_or_default() {
        let bare = Source { text: lexer::strip_comment(&line.text).into(), ..line };
        let Ok(Some(command)) = lexer::split(&bare) else { continue };
        let words = command.words.iter().skip(1).map(|word| word.text.clone());
        let new: Vec<String> = words.filter(|word| !mentioned.contains(word)).collect();
        mentioned.extend(new.iter().cloned());
        let reader = &*command.words[0].text;
        if !READERS.contains(&reader) {
            continue;
        }
        for path in new.into_iter().map(PathBuf::from).filter(|path| path.is_file()) {
            let included = (reader == "include" && depth < MAX_DEPTH).then(|| std::fs::read(&path));
            if let Some(Ok(text)) = included {
                let text = String::from_utf8_lossy(&text);
                collect_inputs(&path.to_string_lossy(), &text, depth + 1, mentioned, found);
            }
            found.push(path);
        }
    }
}

/// The names of the commands of an `if`, where no variable stands in them.
fn branches(command: &Command) -> Result<()> {
    // Without `then` it will not be carried out at all.
    if command.words.get(2).is_none_or(|word| word.text != "then") {
        return Ok(());
    }
    let conditions = ["then", "elif", "else"];
    let mut previous = "if";
    for word in &command.words[1..] {
        let is_command = !matches!(previous, "if" | "elif") && !conditions.contains(&&*word.text);
        previous = if conditions.contains(&&*word.text) { &word.text } else { "" };
        let text = lexer::strip_comment(&word.text);
        let source = Source { text: text.into(), ..command.source.clone() };
        let Some(nested) = lexer::split(&source)?.filter(|_| is_command) else { continue };
        let name = &nested.words[0].text;
        if !name.contains('$') && !names().any(|known| known == name) {
            return Err(unknown_command(&nested));
        }
    }
    Ok(())
}

/// The label of a jump within the script.
fn jump(command: &Command, lines: &[Source]) -> Result<()> {
    let [_, file, label, ..] = &command.words[..] else { return Ok(()) };
    let here = file.text == "SELF" || *file.text == *command.source.file;
    let mut labels = lines.iter().filter_map(|line| flow::label_of(&line.text));
    if !here || label.text.contains('$') || labels.any(|name| name == label.text || name.contains('$')) {
        return Ok(());
    }
    Err(Args::new(command).unknown(label, "label", lines.iter().filter_map(|l| flow::label_of(&l.text))))
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
    let text = text::read(Path::new(&word.text), "a script that is included").map_err(place)?;
    check(&lexer::lines(&word.text, &text)?, depth + 1, mentioned)
}

/// The error of an include file that includes itself, most likely.
pub(super) fn too_deep() -> Error {
    Error::new(format!("include files are nested more than {MAX_DEPTH} deep"))
        .help("does a file include itself?")
}
