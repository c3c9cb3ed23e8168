//! What fixes change besides atoms: the box, and which atoms there are.

use super::{Fix, FixContext, StepContext};
use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::model::domain::{Domain, Flow};
use crate::model::topology::Bond;
use crate::session::Session;
use std::ops::RangeInclusive;

/// What a fix does to the box.
pub trait BoxChange: Fix {
    /// Whether it changes the box during a run.
    fn changes_box(&self) -> bool {
        false
    }

    /// Whether thermo output of the styles `one`, `multi` and `yaml` ends with the volume: where LAMMPS says that the fix
    /// changes the box.
    fn shows_volume(&self) -> bool {
        self.changes_box()
    }

    /// How fast it changes the box when a run over a span of steps begins, if it does; asked before the run is set up.
    fn box_rate(&self, _state: &Session, _span: [i64; 2]) -> Option<Flow> {
        None
    }

    /// Whether the box follows from the step alone where it changes it, so that it knows [`BoxChange::box_at_next_step`].
    fn box_is_predictable(&self) -> bool {
        false
    }

    /// The box of the step after one that is made in the box `domain`, with how fast it changes then: the device goes on
    /// to it without the host, by `DeviceHooks::end_with_host` where positions [follow](BoxChange::takes_atoms_along). `None` for a step
    /// at which the host has to take part.
    fn box_at_next_step(&self, _now: &StepContext<'_>, _domain: &Domain) -> Option<Domain> {
        None
    }

    /// The axes along which it changes a box that does not lean, where these faces follow from the step alone, whatever moves the others,
    /// and velocities stay as they are.
    fn told_axes(&self) -> Option<[bool; 3]> {
        None
    }

    /// Whether positions follow the box that it changes.
    fn takes_atoms_along(&self) -> bool {
        false
    }
}

/// The bonds of the system while fixes change atoms and bonds in a step.
#[derive(Clone, Debug, Default)]
pub struct BondLists {
    /// Those that were there before.
    pub old: Vec<Bond>,
    /// Those that have come.
    pub new: Vec<Bond>,
}

impl BondLists {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Bond> {
        self.old.iter().chain(&self.new)
    }

    /// Drops those that are not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&Bond) -> bool) {
        self.old.retain(&keep);
        self.new.retain(&keep);
    }
}

/// What a fix does to the number of atoms, or to bonds.
pub trait ExchangeAtoms: Fix {
    /// The next step after `step` in which it adds, moves or removes atoms, or looks where they have moved; `None` for never.
    fn next_exchange(&self, _step: i64) -> Option<i64> {
        None
    }

    /// Whether it adds atoms.
    fn adds_atoms(&self) -> bool {
        false
    }

    /// How many atoms it adds from now on, at most; `None` where nobody knows.
    fn most_new_atoms(&self) -> Option<u64> {
        if self.adds_atoms() { None } else { Some(0) }
    }

    /// Adds atoms to a step's, moves or removes some, when positions have moved and before lists and forces follow; adds the
    /// bonds of those that come, or changes others. Returns whether it has changed any.
    ///
    /// # Errors
    /// When something that it needs is gone.
    fn exchange(
        &self,
        _context: &mut FixContext<'_>,
        _atoms: &mut Atoms,
        _bonds: &mut BondLists,
    ) -> Result<bool> {
        Ok(false)
    }

    /// Takes note that atoms of these IDs, which another fix adds in this step, make a rigid body of it.
    ///
    /// # Errors
    /// When it does not take any, or not these.
    fn add_body(&self, _ids: RangeInclusive<u32>) -> Result<()> {
        Err(Error::new(format!("fix {} ({}) holds no rigid bodies", self.header().id, self.header().style)))
    }
}
