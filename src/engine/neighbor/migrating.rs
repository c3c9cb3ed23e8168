//! Rebuilds in which each of several ranks orders its own atoms, and knows these and those near them alone.

use super::Neighbor;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::analysis::reduce::Reductions;
use crate::engine::comm::{Blocks, Phases, Rows, Shares};
use crate::engine::device_atoms::{DeviceAtoms, status};
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

    /// The box follows shrink-wrapped faces, to where the outermost atoms of all ranks are. Waits for the device, where there are such.
    ///
    /// # Errors
    /// When the device fails.
    pub fn shrink_wrap(
        &self,
        atoms: &DeviceAtoms,
        domain: &mut Domain,
        reductions: &Reductions,
    ) -> Result<()> {
        if !domain.shrinks() {
            return Ok(());
        }
        domain.shrink_wrap(|domain| {
            let (lo, hi) = reductions.extent(atoms, domain, self.moved(atoms))?;
            if self.own_shares().is_none() && !self.context.gpu.is_among_others() {
                return Ok((lo, hi));
            }
            let [mut low, mut high] = [lo, hi];
            for [x0, y0, z0, x1, y1, z1] in ranks::all([lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]]) {
                let (lo, hi) = ([x0, y0, z0], [x1, y1, z1]);
                low = std::array::from_fn(|d| low[d].min(lo[d]));
                high = std::array::from_fn(|d| high[d].max(hi[d]));
            }
            Ok((low, high))
        })
    }

    /// Has this rank know all of all atoms but forces and tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub fn complete(&mut self, atoms: &DeviceAtoms) -> Result<()> {
        let Some(shares) = self.own_shares() else { return Ok(()) };
        atoms.context.gpu.host(Section::Comm, || {
            let (width, count) = (atoms.context.numerics.staged_words(), atoms.context.copies);
            shares.gather(&atoms.packed, Rows { width, count, stride: atoms.capacity })?;
            shares.gather(&atoms.arrays.x, Rows::one(3))?;
            shares.gather_floats(&atoms.arrays.v, Rows::one(3))?;
            self.prediction.gather(shares)
        })?;
        self.partial = false;
        self.gather_columns(atoms)
    }

    /// Where each rank knows all atoms, all of which it has moved, and ranks have devices of different kinds: each atom is where its own rank has
    /// moved it, or without shares the first one.
    ///
    /// # Errors
    /// When the device fails.
    pub fn agree(&self, atoms: &DeviceAtoms) -> Result<()> {
        let gpu = &self.context.gpu;
        if !gpu.is_among_others() || self.partial {
            return Ok(());
        }
        gpu.host(Section::Comm, || match &self.shares {
            Some(shares) => {
                shares.gather(&atoms.arrays.x, Rows::one(3))?;
                shares.gather_floats(&atoms.arrays.v, Rows::one(3))?;
                shares.gather(&atoms.arrays.image, Rows::one(1))
            }
            None => atoms.follow_first(),
        })
    }

    /// Whether at the next rebuild atoms may go from rank to rank, and each rank know its own and those near them alone. The same on all
    /// ranks. Not where there are long pairs, or where the box moves otherwise than its cells can follow.
    pub fn may_migrate(&self, domain: &Domain) -> bool {
        let stays = !(self.box_changed() || self.stale) && *domain == self.boxes[1];
        let whole = !self.anew
            && (stays || self.grid_fits(domain))
            && self.flip.is_none()
            && self.most_lean == f64::INFINITY;
        let counts = self.cells.counts_atoms() && self.context.copies == 1;
        whole
            && self.long.is_none()
            && counts
            && self.shares.as_ref().is_some_and(|shares| shares.may_migrate(&self.grid, &self.weights))
    }

    /// Cells and lists of this rank's atoms, of which those that have left its cells go to other ranks, and others come. `false`: atoms of
    /// some rank are in no cell, and all ranks know all atoms, which have been wrapped.
    pub(super) fn migrate(&mut self, atoms: &mut DeviceAtoms, since: u32) -> Result<bool> {
        let Some(mut shares) = self.shares.take() else { return Ok(false) };
        (self.scattered, self.untold) = (true, true);
        let before = shares.own();
        self.cells.bin(atoms, &self.prediction, since, &before)?;
        let context = atoms.context.clone();
        let come =
            context.gpu.host(Section::Comm, || shares.migrate(atoms, &self.cells, &self.prediction))?;
        let Some(come) = come else {
            log::debug!("atoms have left the box: all ranks learn of all atoms");
            self.shares = Some(shares);
            self.cells.forget_counts()?;
            // They are found and counted once more.
            atoms.status.clear(Section::Neigh, status::BAD..status::BAD + 1)?;
            return self.complete(atoms).map(|()| false);
        };
        let (gpu, after) = (&context.gpu, shares.own());
        gpu.host(Section::Comm, || {
            self.cells.order(atoms, &self.prediction, since, (&before, before.len() + come), &after)
        })?;
        // Lists of blocks that no other rank has to do with are built while ranks tell one another of the rest, a part of them beside each
        // exchange. But not where lists leave out pairs by bonds, of which ranks know behind that.
        let (ahead, early) = (self.prediction.ahead(), shares.blocks().is_some() && self.links.is_none());
        if early {
            self.list.keep(&context, atoms.capacity, &after)?;
            self.cells.forget_blocks()?;
        }
        let (parts, list, cells, atoms) = (if ahead { 3 } else { 2 }, &self.list, &self.cells, &*atoms);
        let part = |k| {
            let build = move |inner: &Blocks| list.build(atoms, cells, None, Some(inner.part(k, parts)));
            early.then_some(build)
        };
        let tell = || -> Result<()> {
            shares.meet_neighbors(atoms, cells, part(0))?;
            shares.tell_beside(&atoms.packed, atoms, part(1))?;
            // Without prediction lists are made of the same positions.
            match ahead {
                true => shares.tell_beside(&atoms.x_hold, atoms, part(2)),
                false => shares.repeat(&atoms.x_hold, atoms),
            }
        };
        match early {
            true => gpu.host_beside(Section::Comm, tell)?,
            false => gpu.host(Section::Comm, tell)?,
        }
        gpu.host(Section::Comm, || self.meet_inputs(atoms, &shares))?;
        let built = match shares.blocks().filter(|_| early) {
            Some(Phases { border, .. }) => {
                self.list.build(atoms, &self.cells, None, Some(border.part(0, 1)))?;
                shares.follow_lists(atoms, &self.cells)?;
                true
            }
            None => false,
        };
        self.shares = Some(shares);
        if built { Ok(true) } else { self.build_lists(atoms).map(|()| true) }
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
