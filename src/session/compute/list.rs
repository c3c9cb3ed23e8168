//! The computes that a script has at a time, and those that are there from the start.

use super::style::Compute;
use crate::base::error::Result;
use crate::script::Args;

/// The computes of a script, in the order in which they were defined. `thermo_temp`, `thermo_press` and
/// `thermo_pe` are there from the start.
pub struct Computes {
    pub(super) list: Vec<Box<dyn Compute>>,
}

impl Computes {
    /// The compute of an ID.
    pub fn get(&self, id: &str) -> Option<&dyn Compute> {
        self.list.iter().find(|compute| compute.header().id == id).map(|compute| &**compute)
    }

    /// The compute of an ID, to be changed.
    pub fn get_mut(&mut self, id: &str) -> Option<&mut Box<dyn Compute>> {
        self.list.iter_mut().find(|compute| compute.header().id == id)
    }

    /// Each of them, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Compute>> {
        self.list.iter_mut()
    }

    /// Adds one that a fix brings along, in place of one of the same ID.
    pub fn add(&mut self, compute: Box<dyn Compute>) {
        self.remove(&compute.header().id);
        self.list.push(compute);
    }

    /// Takes the compute of an ID away, if there is one.
    pub fn remove(&mut self, id: &str) {
        self.list.retain(|compute| compute.header().id != id);
    }

    /// Takes the ID of a compute that measures a temperature.
    ///
    /// # Errors
    /// At the word, when it is missing or names no such compute.
    pub fn temperature_arg(&self, args: &mut Args<'_>) -> Result<String> {
        let word = args.word("the ID of a temperature compute")?;
        let compute = self.get(&word.text).ok_or_else(|| args.unknown(word, "compute", self.ids()))?;
        match compute.temperature() {
            Some(_) => Ok(word.text.clone()),
            None => {
                Err(args.error(word, format_args!("compute {} does not measure a temperature", word.text)))
            }
        }
    }

    /// All IDs.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|compute| compute.header().id.as_str())
    }

    /// The `dimension` command sets the default of `extra/dof` of all computes.
    pub fn set_dimension(&mut self, dimension: u32) {
        let set = |compute: &mut Box<dyn Compute>| compute.header_mut().extra_freedom = f64::from(dimension);
        self.list.iter_mut().for_each(set);
    }

    /// Whether some take virials of pairs atom by atom.
    pub fn virials_by_atom(&self) -> bool {
        self.iter().any(|compute| compute.counts_pairs_by_atom())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Compute> {
        self.list.iter().map(|compute| &**compute)
    }
}
