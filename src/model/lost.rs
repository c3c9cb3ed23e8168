//! What happens when atoms leave the box for good (`thermo_modify lost`).

use crate::base::error::{Error, Result};

/// What happens when atoms leave the box for good (`thermo_modify lost`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The run ends.
    Error,
    /// A warning, once.
    Warn,
    /// Nothing.
    Ignore,
}

impl Lost {
    /// Compares the number of atoms with that at the start; `Some` is a warning to print (once a run).
    ///
    /// # Errors
    /// When atoms are missing and that is an error.
    pub fn check(self, original: u64, current: u64) -> Result<Option<String>> {
        let text = format!("Lost atoms: original {original} current {current}");
        match self {
            _ if original == current => Ok(None),
            Lost::Ignore => Ok(None),
            Lost::Warn => Ok(Some(format!("WARNING: {text}"))),
            Lost::Error => Err(Error::new(text).help(
                "atoms crossed a fixed boundary or moved too far in one step: take a shorter timestep, \
                 rebuild the neighbour list more often (neigh_modify every 1 check yes), \
                 use a shrink-wrapped boundary, or allow it with 'thermo_modify lost warn'",
            )),
        }
    }
}
