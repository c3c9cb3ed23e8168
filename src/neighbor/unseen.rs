//! A rebuild that the device makes before the host has seen that it halted.
//!
//! Where a rebuild is expected the host enqueues one behind the steps that it ran ahead, and looks at the status while the
//! device is at it, instead of leaving the device without work from the halt until the host has seen it and answered. The
//! rebuild is that of the step at which the run halted, whichever that is (`begin_rebuild` of cl/cell.cl), so steps, lists
//! and bits are the same; without a halt its kernels return at once.

use super::Neighbor;
use crate::domain::Domain;
use crate::error::Result;
use crate::resident::{Resident, status};
use crate::timing::Section;

/// What came of a rebuild that was enqueued for a halt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// The device had halted at this step, and rebuilds the list there.
    Rebuilt(u32),
    /// It had halted at this step for another reason: what the last build found too small.
    Halted(u32),
    /// It had not halted.
    Nothing,
}

impl Neighbor {
    /// Whether a rebuild may be enqueued at a step for a halt before it: one is expected by then, needs nothing of the host, and
    /// costs little if there is none (not where it sorts by radix, whose launches do not look at the halt).
    pub fn may_rebuild_unseen(&self, domain: &Domain, step: u32) -> bool {
        let host = domain.shrinks()
            || self.box_changed()
            || domain.flow.carried != 0
            || self.flip.is_some()
            || domain.flips(self.most_lean) != [0; 3]
            || self.links.is_some()
            || self.velocities.is_some();
        let expected = step - self.schedule.built >= self.schedule.interval;
        self.settings.check && expected && !host && self.context.shape.counting
    }

    /// Enqueues a rebuild for the case that the device has halted since the last build, and says whether it had, for which
    /// the host waits no longer than until the rebuild begins. [`Neighbor::follow_unseen`] is to follow where it had.
    ///
    /// # Errors
    /// When the device fails.
    pub fn rebuild_unseen(&mut self, atoms: &mut Resident) -> Result<Unseen> {
        let built = self.schedule.built;
        self.cells.begin_rebuild(atoms, built)?;
        let held = atoms.status.fetch(Section::Neigh, status::HELD..status::WORDS)?;
        self.cells.assign(atoms, true)?;
        if let Some(charges) = &self.charges {
            charges.stage(atoms)?;
        }
        self.list.build(atoms, &self.cells, None)?;
        // As long as it is not known whether they have changed places.
        atoms.swap_columns();
        self.cells.end_rebuild(atoms, built)?;
        self.context.gpu.flush()?;
        Ok(match held.wait()?[0] {
            status::NEVER => Unseen::Nothing,
            step if step > built => Unseen::Rebuilt(step),
            step => Unseen::Halted(step),
        })
    }

    /// Takes note of such a rebuild, when the host has come back to its step.
    pub fn follow_unseen(&mut self, atoms: &mut Resident) {
        self.count_halt(atoms.step);
        self.note_build(atoms.step);
        atoms.swap_columns();
    }
}
