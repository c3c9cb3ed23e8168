//! What can be said of a script before its first command runs: closed quotes, known command names, present
//! include files. A slip in line 80 should not cost the run of line 20.

use super::{flow, names, unknown_command};
use crate::base::error::{Error, Result, Source};
use crate::base::text;
use crate::script::{Args, Command, Word, lexer};
use std::collections::HashSet;
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

/// The words of a command that name files which it reads, by their places behind its name.
fn files_read(command: &Command) -> &[Word] {
    let words = &command.words[1..];
    let upto = |end: usize| &words[..end.min(words.len())];
    let from = |begin: usize| words.get(begin..).unwrap_or_default();
    // Several files stand before the first keyword.
    let before = |keywords: &[&str]| {
        let end = words.iter().position(|word| keywords.contains(&&*word.text));
        upto(end.unwrap_or(words.len()))
    };
    match &*command.words[0].text {
        "include" | "jump" | "read_data" | "read_dump" | "read_restart" => upto(1),
        "molecule" | "pair_coeff" | "bond_coeff" => from(1),
        "rerun" => before(&["first", "last", "every", "skip", "start", "stop", "post", "dump"]),
        "variable" if words.get(1).is_some_and(|style| matches!(&*style.text, "file" | "atomfile")) => {
            from(2)
        }
        _ => &[],
    }
}

/// The files, of those that are there, which a script says that it reads, as far as that shows before it runs: in its own lines, in those of
/// files that it includes, and in commands within an `if` or a `run`. One that it names before may be its own by then.
pub fn named_inputs(name: &str, text: &str) -> Vec<PathBuf> {
    let mut inputs = Inputs::default();
    // Mistakes are told of when the script runs.
    inputs.collect(&lexer::lines(name, text).unwrap_or_default(), 0);
    inputs.found
}

#[derive(Default)]
struct Inputs {
    found: Vec<PathBuf>,
    mentioned: HashSet<String>,
}

impl Inputs {
    fn collect(&mut self, lines: &[Source], depth: usize) {
        for line in lines {
            let bare = Source { text: lexer::strip_comment(&line.text).into(), ..line.clone() };
            let Ok(Some(command)) = lexer::split(&bare) else { continue };
            let name = &*command.words[0].text;
            if matches!(name, "if" | "run") && depth < MAX_DEPTH {
                for word in command.words[1..].iter().filter(|word| word.text.contains(' ')) {
                    self.collect(&[Source { text: word.text.as_str().into(), ..line.clone() }], depth + 1);
                }
                continue;
            }
            for word in files_read(&command) {
                let path = PathBuf::from(&word.text);
                if self.mentioned.contains(&word.text) || !path.is_file() {
                    continue;
                }
                if name == "include" && depth < MAX_DEPTH {
                    let text = std::fs::read(&path).unwrap_or_default();
                    let text = String::from_utf8_lossy(&text);
                    self.mentioned.insert(word.text.clone());
                    self.collect(&lexer::lines(&word.text, &text).unwrap_or_default(), depth + 1);
                }
                self.found.push(path);
            }
            self.mentioned.extend(command.words[1..].iter().map(|word| word.text.clone()));
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
    for (place, word) in command.words[1..].iter().enumerate() {
        let is_command = !matches!(previous, "if" | "elif") && !conditions.contains(&&*word.text);
        previous = if conditions.contains(&&*word.text) { &word.text } else { "" };
        let text = lexer::strip_comment(&word.text);
        let source = Source { text: text.into(), ..command.source.clone() };
        let Some(nested) = lexer::split(&source)?.filter(|_| is_command) else { continue };
        let name = &nested.words[0].text;
        if !name.contains('$') && !names().any(|known| known == name) {
            return Err(unknown_in_branch(command, place + 1, &nested));
        }
    }
    Ok(())
}

/// The error of a word of an `if` that should be a command, at its place in the line.
fn unknown_in_branch(command: &Command, place: usize, nested: &Command) -> Error {
    let (word, before) = (&command.words[place], &command.words[place - 1]);
    let quote = word.span.len().saturating_sub(word.text.len()) / 2;
    let name = &nested.words[0];
    let start = word.span.start + quote + name.span.start;
    let error = unknown_command(nested);
    let Error { message, help, .. } = error;
    // `then run 10`: two commands, for `if`.
    let apart = quote == 0 && names().any(|known| known == before.text);
    let quoted = apart
        .then(|| format!("commands of several words stand in quotes: \"{} {} ...\"", before.text, word.text));
    Error { help: quoted.or(help), ..Error::new(message).at(&command.source, start..start + name.span.len()) }
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
