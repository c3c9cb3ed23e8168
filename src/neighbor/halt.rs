//! How the host and the device meet: how far the host runs ahead, and what it does where the device has halted.
//!
//! Where a rebuild is expected the host enqueues one behind the steps that it ran ahead, and looks at the status while the
//! device is at it, instead of leaving the device without work from the halt until the host has seen it and answered. The
//! rebuild is that of the step at which the run halted, whichever that is (`begin_rebuild` of cl/cell.cl), so steps, lists
//! and bits are the same; without a halt its kernels return at once.

use super::links::BondNews;
use super::{Neighbor, Settings};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::reduce::Reductions;
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
    /// How many steps from `step` on may be enqueued before the host looks at the status: with `check yes`
    /// somewhat beyond where the next rebuild is expected, and farther the longer it keeps the host waiting. What is enqueued
    /// beyond a halt is in vain, but a launch that does nothing costs less than a look.
    pub fn ahead(&self, step: u32) -> u32 {
        let ago = step - self.schedule.built;
        let beyond = (self.schedule.interval.max(ago) / 4).max(2);
        match self.settings.check {
            false => u32::MAX,
            true => (self.schedule.interval + beyond).saturating_sub(ago).max(beyond),
        }
    }

    /// Waits for the device and says at which step it halted, if it did.
    ///
    /// # Errors
    /// When the device fails.
    pub fn look(&self, atoms: &Resident) -> Result<Option<u32>> {
        let halt = atoms.status.view(Section::Neigh, status::HALT..status::WORDS, |seen| seen[0])?;
        Ok((halt != status::NEVER).then_some(halt))
    }

    /// Acts on a halt at the current step. Where an atom moved too far it enqueues a rebuild and does not wait: what
    /// that finds too small halts the same step again. Else it makes room.
    ///
    /// # Errors
    /// As [`Neighbor::make_room`] and [`Neighbor::check_bonds`].
    pub fn act(&mut self, atoms: &mut Resident, domain: &mut Domain, reductions: &Reductions) -> Result<()> {
        self.check_bonds(atoms)?;
        if self.schedule.built == atoms.step {
            return self.make_room(atoms);
        }
        self.count_halt(atoms.step);
        atoms.run_on()?;
        self.rebuild(atoms, domain, reductions)
    }

    /// That bonds are whole, and what is worth a warning about them.
    ///
    /// # Errors
    /// When one is not, or the device fails.
    pub fn check_bonds(&self, atoms: &Resident) -> Result<BondNews> {
        let now = self.links.as_ref().map_or(Ok(BondNews::default()), |links| links.check(atoms))?;
        Ok(now.and(self.earlier))
    }

    /// Waits for the rebuild of this step, grows what was too small for it and lets go of atoms behind fixed faces;
    /// until nothing more is to be done, so that nothing is lost.
    ///
    /// # Errors
    /// When the device fails, memory is short, or a position is not a finite number.
    pub fn make_room(&mut self, atoms: &mut Resident) -> Result<()> {
        loop {
            let seen = atoms.status.read(Section::Neigh, 0..status::WORDS)?;
            if seen[status::BAD] != 0 {
                return Err(Error::new(
                    "some atom's position is not a finite number: the simulation is unstable",
                )
                .help("check the time step, overlapping atoms and the coefficients"));
            }
            let kept = seen[status::KEPT] as usize;
            if kept < atoms.n {
                atoms.n = kept;
            } else if !self.list.grow(&self.context, atoms.capacity, &seen)? {
                return atoms.run_on();
            }
            atoms.status.clear(Section::Neigh, status::LONGEST..status::HALT)?;
            self.list.build(atoms, &self.cells, self.links.as_ref())?;
        }
    }

    /// Counts a halt at which an atom had moved too far as a rebuild of the loop.
    fn count_halt(&mut self, step: u32) {
        let Settings { every, delay, .. } = self.settings;
        self.dangerous += u64::from(u64::from(step - self.schedule.built) == every.max(delay));
        self.schedule.builds += 1;
    }

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
