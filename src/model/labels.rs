//! Names of types (`labelmap`). Source: LAMMPS manual, `labelmap`.

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::script::{Args, Word};
use crate::session::state::State;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The names of types of atoms or of bonds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// By type, from 1; empty for none.
    names: Vec<String>,
}

/// Those of both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeLabels {
    /// Of atom types.
    pub atom: Labels,
    /// Of bond types.
    pub bond: Labels,
}

/// Whether a word can be the name of a type: it begins with no digit, `*` or `#`, and holds no blanks.
pub fn is_label(word: &str) -> bool {
    let first = word.chars().next();
    first.is_some_and(|c| !c.is_ascii_digit() && c != '*' && c != '#')
        && word.chars().all(|c| c.is_ascii_graphic())
}

impl Labels {
    /// The type of a name, from 1.
    pub fn number(&self, name: &str) -> Option<usize> {
        let place = self.names.iter().position(|known| known == name && !name.is_empty());
        place.map(|place| place + 1)
    }

    /// The name of a type.
    pub fn name(&self, kind: usize) -> Option<&str> {
        self.names.get(kind.wrapping_sub(1)).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Whether all of so many types have names.
    pub fn complete(&self, types: usize) -> bool {
        types > 0 && (1..=types).all(|kind| self.name(kind).is_some())
    }

    /// The first of so many types without a name.
    pub fn free(&self, types: usize) -> Option<usize> {
        (1..=types).find(|&kind| self.name(kind).is_none())
    }

    /// Gives a type a name, in place of one that it has.
    ///
    /// # Errors
    /// When it is none, or another type has it.
    pub fn give(&mut self, kind: usize, name: &str) -> Result<()> {
        if !is_label(name) {
            let error = Error::new(format!("'{name}' cannot be the name of a type"));
            return Err(
                error.help("names begin with no digit, * or #, and have no blanks and ASCII characters only")
            );
        }
        if let Some(other) = self.number(name).filter(|&other| other != kind) {
            return Err(Error::new(format!("type {other} has the name '{name}' already")));
        }
        self.names.resize(self.names.len().max(kind), String::new());
        name.clone_into(&mut self.names[kind - 1]);
        Ok(())
    }

    /// Takes the next word if it is a name; gives its type.
    pub fn accept(&self, args: &mut Args<'_>) -> Option<usize> {
        let kind = args.peek().and_then(|word| self.number(&word.text))?;
        args.accept(self.name(kind)?).then_some(kind)
    }
}

/// `labelmap atom|bond TYPE NAME ...`, `labelmap clear`, `labelmap write FILE`.
///
/// # Errors
/// When there is no box, a type is out of range, a name is none or in use, or the file cannot be written.
pub fn labelmap(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    state.domain()?;
    let word = args.clone().word("atom, bond, clear or write")?;
    if matches!(&*word.text, "angle" | "dihedral" | "improper") {
        return Err(args.unsupported(word, "kind of types"));
    }
    let kinds = ["atom", "bond", "clear", "write"].map(|name| (name, name));
    let kind = args.one_of("kind of types", &kinds)?;
    match kind {
        "clear" => {
            args.finish()?;
            state.labels = TypeLabels::default();
        }
        "write" => {
            let file = args.word("a file name")?;
            args.finish()?;
            write(state, args, file)?;
        }
        _ => {
            let types = if kind == "atom" { state.types() } else { state.topology.bond_types };
            let mut labels = state.labels.clone();
            let these = if kind == "atom" { &mut labels.atom } else { &mut labels.bond };
            loop {
                let word = args.peek();
                let number: usize = args.int("the number of a type")?;
                if let (Some(word), false) = (word, (1..=types).contains(&number)) {
                    let message = format!("{kind} type {number} is not within 1 to {types}");
                    return Err(args.error(word, message));
                }
                let word = args.word("a name")?;
                these.give(number, word.text.trim()).map_err(|error| args.place(word, error))?;
                if args.is_empty() {
                    break;
                }
            }
            state.labels = labels;
        }
    }
    Ok(())
}

/// Writes the names as commands of a script.
fn write(state: &State, args: &Args<'_>, file: &Word) -> Result<()> {
    let TypeLabels { atom, bond } = &state.labels;
    let line = |kind: &str, labels: &Labels| -> String {
        let named = labels.names.iter().zip(1..).filter(|(name, _)| !name.is_empty());
        let pairs: String = named.map(|(name, number)| format!(" {number} \"\"\" {name} \"\"\"")).collect();
        if pairs.is_empty() { pairs } else { format!("labelmap {kind}{pairs}\n") }
    };
    let text = line("atom", atom) + &line("bond", bond);
    let path = Path::new(&file.text);
    files::write_whole(path, |mut out: &std::fs::File| out.write_all(text.as_bytes()))
        .map_err(|err| args.error(file, Error::io("write", path, &err).message))
}
