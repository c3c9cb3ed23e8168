//! How the host and the device meet: how far the host runs ahead, and what it does where the device has halted.

use super::bond_map::BondWarnings;
use super::{Neighbor, Settings};
use crate::base::error::{Error, Result};
use crate::engine::device_atoms::{DeviceAtoms, Halt, status};
use crate::engine::kernels::Context;
use crate::gpu::record::Section;
use crate::model::domain::Domain;

/// So many rebuilds are the host's after one in which faces have moved.
const RESTLESS: u64 = 8;

impl Neighbor {
    /// How many steps from `step` on may be enqueued before the host looks at the status: with `check yes`
    /// somewhat beyond where the next rebuild is expected, and farther the longer it keeps the host waiting. What is enqueued
    /// beyond a halt is in vain, but a launch that does nothing costs less than a look; or nothing, where it is a part of one
    /// that does something (`free`).
    pub fn lookahead(&self, step: u32, free: bool) -> u32 {
        let ago = step - self.schedule.built;
        let beyond = (self.schedule.interval.max(ago) / if free { 1 } else { 8 }).max(2);
        match self.settings.check && !self.settings.once {
            false => u32::MAX,
            true => (self.schedule.interval + beyond).saturating_sub(ago).max(beyond),
        }
    }

    /// Whether a rebuild is due at whatever step beyond a delay some atom has come too far, and needs nothing of the host.
    pub fn rebuilds_by_itself(&self, domain: &Domain) -> bool {
        (self.settings.check && !self.settings.once && self.settings.every == 1)
            && self.forced.is_none_or(|step| step <= self.schedule.built)
            && self.context.shape.counting
            && self.velocities.is_none()
            && self.long.is_none()
            && (!domain.shrinks() || self.sees_faces(domain))
            && !(self.box_changed() || self.stale || self.flip.is_some())
            && domain.flow.carried == 0
    }

    /// Whether the device sees by itself that faces which follow the atoms stay, and they have done so of late.
    fn sees_faces(&self, domain: &Domain) -> bool {
        let Context { shape, numerics, .. } = self.context;
        shape.alone() && numerics.wide() && !domain.triclinic && self.schedule.builds >= self.faces_stay_from
    }

    /// The list was to be rebuilt at this step without the host, and nothing has been done: atoms are in the order of before.
    ///
    /// # Errors
    /// When the device fails.
    pub fn undo_order(&self, atoms: &mut DeviceAtoms) -> Result<()> {
        atoms.swap_columns();
        atoms.forget_apart()?;
        atoms.run_on()
    }

    /// Behind that, as faces of the box follow the atoms: does it in the box as it is now.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn follow_faces(&mut self, atoms: &mut DeviceAtoms, domain: &mut Domain) -> Result<()> {
        self.faces_stay_from = self.schedule.builds + RESTLESS;
        self.fit_box(atoms, domain)?;
        self.follow_atoms(atoms, self.schedule.since)
    }

    /// The same, where the run is set up anew, which counts that rebuild.
    pub fn forget_cycle(&mut self) {
        let Settings { every, delay, .. } = self.settings;
        self.dangerous -= u64::from(u64::from(self.schedule.interval) == every.max(delay));
        self.schedule.builds -= 1;
    }

    /// For how many steps after a step, or with `None` after a rebuild, nobody looks for atoms that have come too far.
    pub fn unwatched_after(&self, step: Option<u32>) -> u32 {
        let ago = step.map_or(0, |step| u64::from(step - self.schedule.built));
        self.settings.delay.saturating_sub(ago).min(u32::MAX.into()) as u32
    }

    /// Takes note that a cycle has begun at a step, with a rebuild.
    pub fn note_cycle(&mut self, step: u32) {
        self.count_check(step);
        self.schedule.follow(step, true);
    }

    /// Counts a rebuild at a step that checked, before it.
    fn count_check(&mut self, step: u32) {
        let Settings { every, delay, .. } = self.settings;
        self.dangerous += u64::from(u64::from(step - self.schedule.built) == every.max(delay));
        self.schedule.builds += 1;
    }

    /// Steps between the last two builds.
    pub fn interval(&self) -> u32 {
        self.schedule.interval
    }

    /// Waits for the device and says where it halted, if it did: of several ranks that share the work, on any of them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn poll(&self, atoms: &DeviceAtoms) -> Result<Option<Halt>> {
        if let Some((_, halt)) = self.told.take().filter(|(step, _)| *step == atoms.step) {
            return Ok((halt.step != status::NEVER).then_some(halt));
        }
        let halt = Halt::read(atoms)?.of_any();
        Ok((halt.step != status::NEVER).then_some(halt))
    }

    /// Acts on a halt at the current step. Where an atom moved too far it enqueues a rebuild and does not wait: what
    /// that finds too small halts the same step again. Else it makes room.
    ///
    /// # Errors
    /// As [`Neighbor::make_room`] and [`Neighbor::check_bonds`].
    pub fn handle_halt(&mut self, atoms: &mut DeviceAtoms, domain: &mut Domain) -> Result<()> {
        self.check_bonds(atoms)?;
        if self.schedule.built == atoms.step {
            return self.make_room(atoms);
        }
        self.count_check(atoms.step);
        atoms.run_on()?;
        self.build_as(atoms, domain, true)
    }

    /// The atoms were to be ordered at this step by work-groups that did not come together, and nothing has been done: does that
    /// in several launches, now and from here on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sort_unfused(&mut self, atoms: &mut DeviceAtoms) -> Result<()> {
        self.cells.stay_apart()?;
        self.undo_order(atoms)?;
        self.follow_atoms(atoms, self.schedule.since)
    }

    /// Whether some bond has snapped.
    ///
    /// # Errors
    /// When the device fails.
    pub fn snapped(&self, atoms: &DeviceAtoms) -> Result<bool> {
        self.links.as_ref().map_or(Ok(false), |links| links.snapped(atoms))
    }

    /// That bonds are whole, and what is worth a warning about them.
    ///
    /// # Errors
    /// When one is not, or the device fails.
    pub fn check_bonds(&self, atoms: &DeviceAtoms) -> Result<BondWarnings> {
        let now = self.links.as_ref().map_or(Ok(BondWarnings::default()), |links| links.check(atoms))?;
        Ok(now.and(self.earlier))
    }

    /// Waits for the rebuild of this step, grows what was too small for it and lets go of atoms behind fixed faces;
    /// until nothing more is to be done, so that nothing is lost.
    ///
    /// # Errors
    /// When the device fails, memory is short, or a position is not a finite number.
    pub fn make_room(&mut self, atoms: &mut DeviceAtoms) -> Result<()> {
        loop {
            let seen = atoms.status.read(Section::Neigh, 0..status::WORDS)?;
            if seen[status::APART] == status::APART_IN_ORDER {
                self.sort_unfused(atoms)?;
                continue;
            }
            let lost = seen[status::BAD] as usize / 2;
            if lost > 0 {
                let current = atoms.n.saturating_sub(lost);
                return Err(Error::new(format!("Lost atoms: original {} current {current}", atoms.n)).help(
                    "they are 1e12 away or more: the simulation is unstable (check the time step, overlapping atoms and \
                     the coefficients), or they have been put there",
                ));
            }
            if seen[status::BAD] != 0 {
                return Err(Error::new(
                    "some atom's position is not a finite number: the simulation is unstable",
                )
                .help("check the time step, overlapping atoms and the coefficients"));
            }
            let kept = seen[status::KEPT] as usize;
            let gone = kept < atoms.n;
            if gone {
                atoms.n = kept;
            } else {
                let mut grown = self.list.grow(&self.context, atoms.capacity, &seen)?;
                if let Some(long) = &mut self.long {
                    grown |= long.grow(&self.context, atoms.capacity)?;
                }
                if !grown {
                    return atoms.run_on();
                }
            }
            atoms.status.clear(Section::Neigh, status::LONGEST..status::HALT)?;
            // Atoms are gone on all ranks; of room each may lack some by itself.
            if gone { self.build_lists(atoms)? } else { self.make_lists(atoms)? }
        }
    }
}
