//! Script text into commands: lexing (quotes, `&`, `#`), variables and formulas. Knows nothing of devices.
//!
//! - this file: [`Command`] and [`Args`], through which every command reads its words. Start here.
//! - `lexer`, `lines`: lines into words; lines of other text files
//! - `variables/`: variables and their substitution
//! - `formula/`, `functions`, `boolean`: formulas of variables, their functions, conditions of `if`
//! - `lepton/`: expressions as the Lepton library reads them
//! - `atom_expr`: values per atom as programs that host and device both run
//! - `table/`: tables of energy and force: files and splines
//! - `lammps`, `seed`: names that LAMMPS knows, for messages; seeds of random numbers
//!
//! May import: `base`.

pub mod atom_expr;
pub mod boolean;
pub mod formula;
mod functions;
pub mod lammps;
pub mod lepton;
pub mod lexer;
pub(crate) mod lines;
pub mod seed;
pub mod table;
pub mod variables;

use crate::base::error::{Error, Result, Source};
use crate::base::format::Spec;
use crate::base::memory;
use crate::base::names::with_article;
use std::ops::Range;

/// One word of a command, after substitution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text, without its quotes.
    pub text: String,
    /// Where it stands in [`Source::text`] (with its quotes).
    pub span: Range<usize>,
}

/// One command: the words of a logical line (continuations joined), the name first.
#[derive(Clone, Debug)]
pub struct Command {
    /// Where it came from; `text` is the substituted line that the words' spans index.
    pub source: Source,
    /// At least one word.
    pub words: Vec<Word>,
}

/// A cursor over a command's arguments whose errors point at the word concerned.
///
/// Every `what` is what the reader is told was expected: "a cutoff", "a group name".
#[derive(Clone, Debug)]
pub struct Args<'a> {
    command: &'a Command,
    /// The word to take next; never beyond their end.
    next: usize,
}

impl<'a> Args<'a> {
    /// Over all words after the name.
    pub fn new(command: &'a Command) -> Self {
        Args { command, next: 1 }
    }

    /// The command's name.
    pub fn name(&self) -> &'a str {
        &self.command.words[0].text
    }

    /// Its word.
    pub fn command_name(&self) -> &'a Word {
        &self.command.words[0]
    }

    /// The line that the words' spans index.
    pub fn source(&self) -> &'a Source {
        &self.command.source
    }

    /// Words taken so far, without the name.
    pub fn taken(&self) -> &'a [Word] {
        &self.command.words[1..self.next]
    }

    /// Takes all that is left.
    pub fn skip_rest(&mut self) {
        self.next = self.command.words.len();
    }

    /// Words not yet taken.
    pub fn rest(&self) -> &'a [Word] {
        &self.command.words[self.next..]
    }

    /// The command in two: the words before `keyword`, and those after it, each with the command's name.
    pub fn split_at(&self, keyword: &str) -> (Command, Option<Command>) {
        let words = &self.command.words;
        let command = |words: &[Word]| Command { source: self.command.source.clone(), words: words.to_vec() };
        match words.iter().position(|word| word.text == keyword) {
            None => (command(words), None),
            Some(place) => {
                let mut after = command(&words[place..]);
                after.words[0] = words[0].clone();
                (command(&words[..place]), Some(after))
            }
        }
    }

    /// Whether every word has been taken.
    pub fn is_empty(&self) -> bool {
        self.rest().is_empty()
    }

    /// The next word without taking it.
    pub fn peek(&self) -> Option<&'a Word> {
        self.rest().first()
    }

    /// Takes the next word.
    ///
    /// # Errors
    /// Points behind the end of the line and names what is missing.
    pub fn word(&mut self, what: &str) -> Result<&'a Word> {
        let word = self.peek().ok_or_else(|| {
            let end = self.command.source.text.trim_end().len();
            Error::new(format!("{}: {what} is missing", self.name()))
                .at(&self.command.source, end..end + 1)
                .label(format!("expected {what}"))
        })?;
        self.next += 1;
        Ok(word)
    }

    /// Takes all words that are left as one, with a blank between two.
    ///
    /// # Errors
    /// As [`Args::word`].
    pub fn rest_as_one(&mut self, what: &str) -> Result<Word> {
        let first = self.word(what)?;
        let (mut text, mut span) = (first.text.clone(), first.span.clone());
        for word in self.rest() {
            text.push_str(&" ".repeat((word.span.start - span.end).max(1)));
            text.push_str(&word.text);
            span.end = word.span.end;
        }
        self.skip_rest();
        Ok(Word { text, span })
    }

    /// Takes the next word as text.
    ///
    /// # Errors
    /// As [`Args::word`].
    pub fn text(&mut self, what: &str) -> Result<&'a str> {
        Ok(&self.word(what)?.text)
    }

    /// Takes the next word if it is exactly `keyword`.
    pub fn accept(&mut self, keyword: &str) -> bool {
        let hit = self.peek().is_some_and(|word| word.text == keyword);
        self.next += usize::from(hit);
        hit
    }

    /// An error at `word`: "`name`: message".
    pub fn error(&self, word: &Word, message: impl std::fmt::Display) -> Error {
        Error::new(format!("{}: {message}", self.name())).at(&self.command.source, word.span.clone())
    }

    /// An error at the command's name.
    pub fn error_here(&self, message: impl std::fmt::Display) -> Error {
        self.error(&self.command.words[0], message)
    }

    /// The same error, pointing at `word` if it has no place yet, and naming the command.
    pub fn place(&self, word: &Word, error: Error) -> Error {
        error.in_command(self.name()).at(&self.command.source, word.span.clone())
    }

    /// The text of `word` as a line of its own, at the same place of the script.
    pub fn source_of(&self, word: &Word) -> Source {
        Source { text: word.text.as_str().into(), ..self.command.source.clone() }
    }

    /// A fault in the text of `word`.
    pub fn fault(&self, word: &Word, fault: formula::Fault) -> Error {
        let quote = word.span.len().saturating_sub(word.text.len()) / 2;
        let message = format!("{}: {}", self.name(), fault.message);
        formula::Fault { message, ..fault }.at(&self.command.source, word.span.start + quote)
    }

    /// The error for a style that is none of `ours`: one that LAMMPS has (`theirs`, a list of
    /// [`lammps`]) is not supported, any other is misspelt.
    pub fn no_such_style<'n>(
        &self,
        word: &Word,
        kind: &str,
        ours: impl Iterator<Item = &'n str>,
        theirs: &str,
    ) -> Error {
        if lammps::knows(theirs, &word.text) {
            let message = format!("LAMMPS {kind} '{}' is not supported by CLAMPS", word.text);
            let help = match lammps::instead_of(kind, &word.text) {
                Some(instead) => instead.to_owned(),
                None => format!("known: {}", ours.collect::<Vec<_>>().join(" ")),
            };
            return self.error(word, message).help(help);
        }
        self.unknown(word, kind, ours)
    }

    fn parse<T>(&mut self, what: &str, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        let word = self.word(what)?;
        read(&word.text).ok_or_else(|| {
            let error = self.error(word, format_args!("'{}' is not {what}", word.text));
            let error = error.label(format!("expected {what}"));
            match lines::with_e(&word.text) {
                Some(right) => error.help(format!("exponents are written with e: {right}")),
                None => error,
            }
        })
    }

    /// Takes a finite number.
    ///
    /// # Errors
    /// At the word, when it is missing or not a finite number.
    pub fn f64(&mut self, what: &str) -> Result<f64> {
        self.parse(what, |text| text.parse().ok().filter(|x: &f64| x.is_finite()))
    }

    /// Takes a number greater than zero.
    ///
    /// # Errors
    /// At the word, when it is missing or not a number greater than zero.
    pub fn positive(&mut self, what: &str) -> Result<f64> {
        self.parse(&format!("{what} (a number greater than 0)"), |text| {
            text.parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0)
        })
    }

    /// Takes a number that is not less than zero.
    ///
    /// # Errors
    /// At the word, when it is missing or not such a number.
    pub fn not_negative(&mut self, what: &str) -> Result<f64> {
        self.parse(&format!("{what} (a number from 0 on)"), |text| {
            text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0)
        })
    }

    /// Takes an integer.
    ///
    /// # Errors
    /// At the word, when it is missing or not an integer in the range of `T`.
    pub fn int<T: std::str::FromStr>(&mut self, what: &str) -> Result<T> {
        self.parse(&format!("{what} (an integer)"), |text| text.parse().ok())
    }

    /// Takes a number of things, at least `least`, that take so many bytes each.
    ///
    /// # Errors
    /// As [`Args::count`], and when there is no memory for so many.
    pub fn count_of(&mut self, what: &str, least: u64, bytes: f64) -> Result<usize> {
        let word = self.peek();
        let count = self.count(what, least)?;
        match (memory::check(count as f64 * bytes), word) {
            (Err(error), Some(word)) => Err(self.place(word, error)),
            _ => Ok(usize::try_from(count).unwrap_or(usize::MAX)),
        }
    }

    /// Takes `yes`/`on`/`true` or `no`/`off`/`false`.
    ///
    /// # Errors
    /// At the word, when it is missing or none of these.
    pub fn yes_no(&mut self) -> Result<bool> {
        self.parse("yes or no", |text| match text {
            "yes" | "on" | "true" => Some(true),
            "no" | "off" | "false" => Some(false),
            _ => None,
        })
    }

    /// Takes one of a table of names.
    ///
    /// # Errors
    /// At the word, listing the names and the closest one.
    pub fn one_of<T: Copy>(&mut self, what: &str, table: &[(&str, T)]) -> Result<T> {
        let word = self.word(what).map_err(|error| {
            let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
            error.help(format!("known: {}", names.join(" ")))
        })?;
        table
            .iter()
            .find(|(name, _)| *name == word.text)
            .map(|(_, value)| *value)
            .ok_or_else(|| self.unknown(word, what, table.iter().map(|(name, _)| *name)))
    }

    /// Takes the name of a style and gives what `table` holds for it; `theirs` are the styles that LAMMPS
    /// has (a list of [`lammps`]).
    ///
    /// # Errors
    /// At the word: a style of LAMMPS is said not to be supported, any other name to be misspelt.
    pub fn style<T: Copy>(&mut self, kind: &str, table: &[(&str, T)], theirs: &str) -> Result<T> {
        let word = self.word(&with_article(kind)).map_err(|error| {
            let known: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
            error.help(format!("known: {}", known.join(" ")))
        })?;
        let found = table.iter().find(|(name, _)| *name == word.text);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| self.no_such_style(word, kind, table.iter().map(|(name, _)| *name), theirs))
    }

    /// Takes an integer that is at least `least`.
    ///
    /// # Errors
    /// At the word, when it is missing or not such an integer.
    pub fn count(&mut self, what: &str, least: u64) -> Result<u64> {
        self.parse(&format!("{what} (an integer from {least} on)"), |text| {
            text.parse().ok().filter(|&n| n >= least)
        })
    }

    /// The same, and at most `most`: of what takes memory or time.
    ///
    /// # Errors
    /// At the word, when it is missing or not such an integer.
    pub fn count_up_to(&mut self, what: &str, least: usize, most: usize) -> Result<usize> {
        self.parse(&format!("{what} (an integer from {least} to {most})"), |text| {
            text.parse().ok().filter(|n| (least..=most).contains(n))
        })
    }

    /// The error for a word that is none of `names`: lists them and suggests the closest.
    pub fn unknown<'n>(&self, word: &Word, what: &str, names: impl Iterator<Item = &'n str>) -> Error {
        let names: Vec<&str> = names.collect();
        let mut error = self.error(word, format_args!("unknown {what} '{}'", word.text));
        if !names.is_empty() {
            error = error.help(format!("known: {}", names.join(" ")));
        }
        match closest(&word.text, names.iter().copied()) {
            Some(name) => error.label(format!("did you mean '{name}'?")),
            None => error,
        }
    }

    /// The error for a word that LAMMPS knows and CLAMPS does not.
    pub fn unsupported(&self, word: &Word, what: &str) -> Error {
        self.error(word, format_args!("{what} '{}' is not supported by CLAMPS", word.text))
            .label("LAMMPS has this, CLAMPS does not yet")
    }

    /// Reads a number format that stands in `word`; `fits` says which kinds of conversion will do there, and
    /// `example` is one.
    ///
    /// # Errors
    /// At the word, when it is no format or one of another kind.
    pub fn spec(&self, word: &Word, format: &str, fits: fn(&Spec) -> bool, example: &str) -> Result<Spec> {
        let spec = Spec::parse(format)
            .map_err(|error| Error { help: error.help, ..self.error(word, error.message) })?;
        let misfit = || self.error(word, format_args!("the format '{format}' does not fit here"));
        if fits(&spec) { Ok(spec) } else { Err(misfit().label(format!("expected one such as {example}"))) }
    }

    /// Ends the reading of a command.
    ///
    /// # Errors
    /// At the first word that was not taken.
    pub fn finish(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(self
                .error(word, format_args!("unexpected '{}'", word.text))
                .label("nothing more was expected")),
        }
    }
}

/// The name closest to a misspelt one, if any is close enough to suggest.
pub fn closest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|(distance, name)| {
            // One letter instead of another is another name.
            let same = *distance < name.chars().count() || word.eq_ignore_ascii_case(name);
            *distance <= (name.len() / 3).max(1) && same
        })
        .min()
        .map(|(_, name)| name)
}
