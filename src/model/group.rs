//! Groups of atoms. Source: LAMMPS manual, `group`.

pub mod dynamic;
use crate::model::group::dynamic::Dynamic;

use crate::base::error::Result;
use crate::script::{Args, Word};
use serde::{Deserialize, Serialize};

/// As many as a mask has bits.
const MOST: usize = 32;
/// The bit of group `all`.
pub const ALL: u32 = 1;

/// The groups of a script: at most 32, `all` is number 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Groups {
    /// Names; the index is the bit in `Atoms::mask`. A deleted group leaves an empty name.
    pub names: Vec<String>,
    /// Those that are dynamic; a restart file keeps who belongs to them, not why.
    #[serde(skip)]
    pub dynamic: Vec<Dynamic>,
}

impl Default for Groups {
    fn default() -> Self {
        Groups { names: vec!["all".into()], dynamic: Vec::new() }
    }
}

impl Groups {
    /// The bit (as a mask with one bit set) of a group.
    pub fn bit(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|n| n == name && !n.is_empty()).map(|g| 1 << g)
    }

    /// The name of the group of a mask with one bit set; empty where there is none.
    pub fn name(&self, bit: u32) -> &str {
        self.names.get(bit.trailing_zeros() as usize).map_or("", String::as_str)
    }

    /// Whether one of the groups of a mask is dynamic.
    pub fn is_dynamic(&self, mask: u32) -> bool {
        self.dynamic.iter().any(|dynamic| dynamic.bit & mask != 0)
    }

    /// Takes a group's name from the arguments; returns its bit (as a mask with one bit set).
    ///
    /// # Errors
    /// At the word, when it is missing or no group has this name.
    pub fn arg(&self, args: &mut Args) -> Result<u32> {
        let word = args.word("a group")?;
        self.find(word, args)
    }

    pub(crate) fn find(&self, word: &Word, args: &Args) -> Result<u32> {
        let names = self.names.iter().map(String::as_str).filter(|name| !name.is_empty());
        self.bit(&word.text).ok_or_else(|| args.unknown(word, "group", names))
    }

    /// The bit of a group that is made now if there is none of this name.
    ///
    /// # Errors
    /// At the word, when it is no name or there are no more groups.
    pub(crate) fn make(&mut self, name: &Word, args: &Args) -> Result<u32> {
        if let Some(bit) = self.bit(&name.text) {
            return Ok(bit);
        }
        if name.text.is_empty() {
            return Err(args.error(name, "a group needs a name"));
        }
        let index = self.names.iter().position(String::is_empty).unwrap_or(self.names.len());
        match self.names.get_mut(index) {
            Some(free) => free.clone_from(&name.text),
            None if index < MOST => self.names.push(name.text.clone()),
            None => {
                return Err(args
                    .error(name, "there are 32 groups already")
                    .help("`group NAME delete` frees one"));
            }
        }
        Ok(1 << index)
    }
}
