//! Rebuilds in which each of several ranks orders its own atoms, and knows these and those near them alone.

use super::Neighbor;
use crate::base::error::Result;
use crate::engine::comm::{Phases, Rows, Shares};
use crate::engine::device_atoms::DeviceAtoms;
use crate::gpu::record::Section;
use crate::model::domain::Domain;
use std::ops::Range;

impl Neighbor {
    /// How ranks share the atoms, while steps move each one's own only.
    pub fn own_shares(&self) -> Option<&Shares> {
        self.shares.as_ref().filter(|_| self.partial)
    }

    /// Whether whole steps read positions by the entries of their own lists alone, or of atoms that these may name: not of any by bonds, or
    /// of long pairs.
    pub fn only_lists_name_atoms(&self) -> bool {
        (self.links.is_none() || self.bonds_near) && self.long.is_none()
    }

    /// The parts in which whole steps are launched, where they are two: ranks tell one another of positions alone, which lists alone read.
    pub fn phases(&self) -> Option<(&Shares, &Phases)> {
        let lists_alone = self.velocities.is_none() && self.only_lists_name_atoms();
        let shares = self.shares.as_ref().filter(|_| lists_alone)?;
        shares.phases().map(|phases| (shares, phases))
    }

    /// The atoms that steps move.
    pub fn moved(&self, atoms: &DeviceAtoms) -> Range<usize> {
        self.own_shares().map_or(0..atoms.n, Shares::own)
    }

    /// Whether at the next rebuild atoms may go from rank to rank, and each rank know its own and those near them alone. The same on all
    /// ranks. Not where there are long pairs; where the box moves; or where an atom may leave it.
    pub fn may_migrate(&self, domain: &Domain) -> bool {
        let stays = !(self.box_changed() || self.stale) && *domain == self.boxes[1];
        let whole = (0..3).all(|d| domain.periodic(d))
            && !self.anew
            && (stays || self.grid_fits(domain))
            && self.flip.is_none()
            && domain.flow.carried == 0
            && self.most_lean == f64::INFINITY;
        let counts = self.cells.counts_atoms() && self.context.copies == 1;
        whole
            && self.long.is_none()
            && counts
            && self.shares.as_ref().is_some_and(|shares| shares.may_migrate(&self.grid))
    }

    /// Cells and lists of this rank's atoms, of which those that have left its cells go to other ranks, and others come.
    pub(super) fn migrate(&mut self, atoms: &mut DeviceAtoms, since: u32) -> Result<()> {
        let Some(mut shares) = self.shares.take() else { return Ok(()) };
        (self.scattered, self.untold) = (true, true);
        let before = shares.own();
        self.cells.bin(atoms, &self.aim, since, &before)?;
        let context = atoms.context.clone();
        context.gpu.host(Section::Comm, || -> Result<()> {
            let come = shares.migrate(atoms, &self.cells, &self.aim)?;
            let after = shares.own();
            self.cells.order(atoms, &self.aim, since, (&before, before.len() + come), &after)?;
            shares.meet_neighbors(atoms, &self.cells)?;
            let rows = Rows::one(context.numerics.staged_words());
            shares.tell(&atoms.packed, rows, true, atoms)?;
            // Lists that are not aimed are made of the same positions.
            match self.aim.ahead() {
                true => shares.tell(&atoms.x_hold, rows, true, atoms).map(drop)?,
                false => shares.repeat(&atoms.x_hold, atoms)?,
            }
            self.meet_inputs(atoms, &shares)
        })?;
        self.shares = Some(shares);
        self.build_lists(atoms)
    }

    /// What lists and pair styles read of a rank's own atoms and of those near them, besides positions and types.
    fn meet_inputs(&mut self, atoms: &DeviceAtoms, shares: &Shares) -> Result<()> {
        let own = shares.own();
        for numbers in [&self.charges, &self.given].into_iter().flatten() {
            numbers.stage(atoms, own.clone())?;
            shares.tell_floats(&numbers.by_place, Rows::one(numbers.width), true, atoms)?;
        }
        if let Some(velocities) = &self.velocities {
            velocities.stage(atoms, &self.cells, own)?;
            let rows = Rows::one(self.context.numerics.staged_words());
            shares.tell(velocities.beside(atoms, false), rows, true, atoms)?;
        }
        let Some(links) = &self.links else { return Ok(()) };
        if !self.settings.exclude.is_empty() {
            shares.tell(&atoms.arrays.mask, Rows::one(1), true, atoms)?;
        }
        self.bonds_near = links.map_near(atoms, &self.cells, shares)?;
        if self.bonds_near {
            return Ok(());
        }
        log::debug!("bonds name atoms that are not near: all ranks learn where all atoms are");
        shares.gather(&atoms.packed, Rows::one(self.context.numerics.staged_words()))?;
        links.map_own(atoms, &self.cells, shares)
    }

    /// Behind such a rebuild, once: has all ranks know of all atoms what steps do not change.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather_columns(&mut self, atoms: &DeviceAtoms) -> Result<()> {
        let Some(shares) = self.shares.as_ref().filter(|_| self.untold) else { return Ok(()) };
        self.untold = false;
        atoms.context.gpu.host(Section::Comm, || {
            let columns = &atoms.arrays;
            shares.gather(&atoms.x_hold, Rows::one(atoms.context.numerics.staged_words()))?;
            shares.gather(&columns.image, Rows::one(1))?;
            let numbers = [&columns.tag, &columns.kind, &columns.mask, &atoms.cell_of_atom];
            numbers.into_iter().try_for_each(|numbers| shares.gather(numbers, Rows::one(1)))
        })
    }
}
