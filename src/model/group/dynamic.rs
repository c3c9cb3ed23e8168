//! Groups that are decided anew during runs. Source: LAMMPS manual, `group dynamic`.

use crate::base::steps::next_multiple;
use crate::script::formula::Reference;

/// Which atoms of another group belong to a group at the steps at which that is decided.
#[derive(Clone, Debug)]
pub struct Dynamic {
    /// The bit of the group, as a mask.
    pub bit: u32,
    /// That of the group whose atoms may belong to it.
    pub(crate) parent: u32,
    /// The region where they must be.
    pub(crate) region: Option<String>,
    /// The atom-style variable that must not be 0.
    pub(crate) variable: Option<Reference>,
    /// The property (`fix property/atom`) that must not be 0.
    pub(crate) property: Option<String>,
    /// At multiples of so many steps.
    pub(crate) every: u64,
}

impl Dynamic {
    /// The bit of the group whose atoms may belong to it.
    pub(crate) fn parent(&self) -> u32 {
        self.parent
    }

    /// Whether it is decided at a step.
    pub fn due(&self, step: i64) -> bool {
        step.rem_euclid(self.every as i64) == 0
    }

    /// The next step after `step` at which it is decided.
    pub fn next(&self, step: i64) -> i64 {
        next_multiple(step, self.every)
    }
}
