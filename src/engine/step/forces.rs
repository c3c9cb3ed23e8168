//! The forces of a step by themselves, in memory: the passes that come before them, the loop over lists or atoms, and the coefficients of
//! both.

use super::StepKernels;
use super::arguments::{Over, over_pages};
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::analysis::reduce::Reductions;
use crate::engine::comm::{Rows, Shares};
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::force::passes::Passes;
use crate::engine::force::program::pair_program;
use crate::engine::neighbor::Neighbor;
use crate::gpu::Arg;
use crate::gpu::record::Section;
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::Coefficients;

impl StepKernels {
    /// Enqueues the forces on all atoms, with tallies when wanted; the forces have the same bits either way.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forces(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, tally: bool) -> Result<()> {
        neighbor.told.set(None);
        neighbor.begun.set(None);
        self.pass(atoms, neighbor, tally)?;
        self.forces_over(self.over, atoms, neighbor, tally)?;
        let Some(shares) = &neighbor.shares else { return Ok(()) };
        atoms.context.gpu.host(Section::Comm, || {
            if self.molecules || self.has_near_room() {
                self.halt_together(atoms, neighbor)?;
            }
            if neighbor.partial { Ok(()) } else { self.gather_forces(atoms, shares, tally) }
        })
    }

    /// The forces on this rank's atoms, of which the others learn nothing: to see how long they take.
    ///
    /// # Errors
    /// When the device fails.
    pub fn own_forces(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.passes.iter().try_for_each(|passes| passes.launch_own(atoms, neighbor))?;
        self.forces_over(self.over, atoms, neighbor, false)
    }

    /// The forces of those that the last pass goes over.
    pub(super) fn forces_over(
        &self,
        over: Over<'_>,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        tally: bool,
    ) -> Result<()> {
        let kernel = if tally { &self.force_and_tally } else { &self.force };
        let mut rest = self.pair_input_args(atoms, neighbor);
        rest.extend([atoms.force.arg(), self.tally.arg()]);
        rest.extend(self.coulomb.as_ref().map(Floats::arg));
        rest.extend([Arg::from(&atoms.status), atoms.step.into()]);
        rest.extend(self.molecule_args(atoms, neighbor));
        over_pages(kernel, over, &self.table, atoms, neighbor, &rest)
    }

    /// Has all ranks know the forces that each has made, and the tallies where there are some.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather_forces(&self, atoms: &DeviceAtoms, shares: &Shares, tally: bool) -> Result<()> {
        shares.gather_floats(&atoms.force, Rows::one(3))?;
        if !tally {
            return Ok(());
        }
        shares.gather_floats(&self.tally, Rows::one(8))?;
        self.coulomb.iter().try_for_each(|coulomb| shares.gather_floats(coulomb, Rows::one(1)))
    }

    /// Whether ranks share out the lists and what is made of them; else there are no lists.
    pub fn may_share(&self) -> bool {
        ranks::count() > 1 && (self.passes.is_some() || matches!(self.over, Over::Lists))
    }

    /// Makes room for so many neighbours within the cutoff of an atom, of which a first pass has found more than it had room for
    /// ([`SLOTS`](crate::engine::device_atoms::status::SLOTS)).
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn make_near_room(&mut self, atoms: &DeviceAtoms, slots: usize) -> Result<()> {
        let Some(passes) = &mut self.passes else { return Ok(()) };
        let before = passes.slots();
        passes.make_near_room(atoms, slots)?;
        let room = passes.slots();
        if let Some(several) = self.several.as_mut().filter(|_| room > before)
            && !several.make_room(room)?
        {
            self.several = None;
        }
        Ok(())
    }

    /// Whether a first pass has room for neighbours within the cutoff that may be too little.
    pub fn has_near_room(&self) -> bool {
        self.passes.as_ref().is_some_and(Passes::has_near_room)
    }

    /// What comes before the forces of `atoms.step`.
    pub(super) fn pass(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, tally: bool) -> Result<()> {
        self.passes.iter().try_for_each(|passes| passes.launch(atoms, neighbor, tally))?;
        self.long.iter().try_for_each(|long| {
            long.launch(atoms, neighbor, &self.table, &self.visible_args(atoms, neighbor), tally)
        })
    }

    /// Sums over all pairs within their cutoffs of what other coefficients than those of the run make of them: energy and
    /// virial (xx yy zz xy xz yz), with the positions and the list as they are.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn sums_over_pairs(
        coefficients: &Coefficients<'_>,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        reductions: &Reductions,
    ) -> Result<(f64, [f64; 6])> {
        let context = &atoms.context;
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        let kernel =
            pair_program(context, coefficients, &BondedTopology::default(), 1)?.kernel("pair_force_tally")?;
        let table = Floats::from_table(gpu, "numbers of pairs", &coefficients.table, wide)?;
        let force = Floats::new(gpu, "forces of pairs", 3 * atoms.n, wide)?;
        let tally = Floats::new(gpu, "tallies of pairs", 8 * atoms.n, wide)?;
        let rest = [force.arg(), tally.arg(), (&atoms.status).into(), atoms.step.into()];
        over_pages(&kernel, Over::Lists, &table, atoms, neighbor, &rest)?;
        neighbor.shares.iter().try_for_each(|shares| shares.gather_floats(&tally, Rows::one(8)))?;
        let (energy, _, virial) = reductions.tally(&tally, atoms.n)?;
        Ok((energy, virial))
    }

    /// Takes other numbers of the same pair style, for the forces that are enqueued from here on. It must have been built
    /// for numbers that vary.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_coefficients(&self, coefficients: &Coefficients<'_>) -> Result<()> {
        self.passes.iter().try_for_each(|passes| passes.set_coefficients(&coefficients.passes))?;
        self.table.write_table(Section::Modify, &coefficients.table)
    }

    /// The same of bonds.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_bond_coefficients(&self, table: &[f64]) -> Result<()> {
        self.bond_table.write(Section::Modify, table)
    }
}
