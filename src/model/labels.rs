//! Names of types (`labelmap`). Source: LAMMPS manual, `labelmap`.

use crate::base::error::{Error, Result};
use crate::script::Args;
use serde::{Deserialize, Serialize};

/// The names of types of atoms or of bonds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// By type, from 1; empty for none.
    pub(crate) names: Vec<String>,
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
