//! A system on the device with everything a run needs: the pieces that the time-step loop (`advance`) puts in order, and
//! what else may be done to them.

mod advance;
mod boxes;
mod history;
pub mod run_progress;
mod sampling;
mod self_rebuild;
mod sharing;
mod spec;
mod step_mode;

use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::engine::analysis::group_sums::GroupSums;
use crate::engine::analysis::per_atom::PerAtomEvaluator;
use crate::engine::analysis::reduce::Reductions;
use crate::engine::comm::{Shares, Weights};
use crate::engine::device_atoms::{DeviceAtoms, status};
use crate::engine::neighbor;
use crate::engine::neighbor::Neighbor;
use crate::engine::neighbor::prediction::PositionPrediction;
use crate::engine::step::fix_program::FixProgram;
use crate::engine::step::{PairCounts, StepKernels};
use crate::gpu::Gpu;
use crate::gpu::options::Precision;
use crate::gpu::record::Section;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::potentials::bond;
use crate::potentials::pair::Coefficients;
pub use advance::Ending;
use boxes::Ahead;
pub use run_progress::RunProgress;
pub use spec::{Layout, SimulationSpec};

/// Sums over the system at one step, in energy units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// m v v: xx yy zz xy xz yz.
    pub kinetic: [f64; 6],
    /// Pair energy without tail correction.
    pub energy: f64,
    /// The part of it that charges have.
    pub coulomb_energy: f64,
    /// Bond energy.
    pub bond_energy: f64,
    /// r f over pairs and bonds: xx yy zz xy xz yz.
    pub virial: [f64; 6],
}

/// Atoms, lists, forces and fixes of a run, on the device.
pub struct Simulation {
    /// The atoms.
    pub atoms: DeviceAtoms,
    /// The box; shrink-wrapped faces follow the atoms at rebuilds.
    pub domain: Domain,
    /// Cells and list.
    pub neighbor: Neighbor,
    /// Forces and integration.
    pub step_kernels: StepKernels,
    /// Sums over atoms.
    pub reductions: Reductions,
    /// Those that computes ask for.
    pub surveys: GroupSums,
    /// Counts of pairs that they ask for.
    pub pair_counts: PairCounts,
    /// Values per atom that the device works out.
    pub columns: PerAtomEvaluator,
    /// For what it was set up.
    pub layout: Layout,
    /// How far the run goes, and what else thermo output shows of it.
    pub course: RunProgress,
    /// Whether the current step has tallied energies and virials.
    pub tallied: bool,
    /// Whether the box has outgrown cells and units where the list was to be built anew: the step has no forces then, until
    /// the run is set up anew.
    pub grid_too_small: bool,
    /// Whether a bond has snapped at this step, which has no forces then, until the run is set up anew without it.
    pub snapped: bool,
    /// Whether fixes have changed velocities since this was last set to `false`.
    pub velocities_changed: bool,
    /// The boxes of steps ahead, where they are known.
    ahead: Ahead,
    /// What part of the work each rank is to have.
    dues: Weights,
    mvv2e: f64,
    /// Cycles of a self-rebuild that are enqueued at once at most.
    cycles_at_once: u32,
    /// Rebuilds that are yet to be timed, and the step from which on they are.
    builds_to_time: u32,
    timed: u32,
    /// Steps to enqueue before looking at the status, so that the host is never far from what happens.
    poll_interval: u32,
}

impl Simulation {
    /// Builds the programs, the first list and the first forces (with tallies) for atoms on the device.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn new(spec: &SimulationSpec<'_>, mut atoms: DeviceAtoms, domain: Domain) -> Result<Self> {
        atoms.step = 0;
        let context = atoms.context.clone();
        let n = atoms.n;
        let reach = spec.reach(context.gpu.common().shaped_as(), &domain, n);
        let (planned, count) = spec.planned(&domain, n);
        // Lists begin in the box of the set-up and follow it to where it is now.
        let mut first = domain.clone();
        for d in (0..3).filter(|&d| domain.periodic(d)) {
            (first.lo[d], first.hi[d]) = (planned.lo[d], planned.hi[d]);
        }
        let mut simulation = Simulation {
            layout: Layout {
                domain: planned.clone(),
                restored: None,
                atoms: count,
                device: context.gpu.common().name.clone(),
                precision: context.numerics.precision,
                shape: context.shape,
                thin: Some((reach.longest, spec.thin)),
            },
            neighbor: Neighbor::new(
                &context,
                &neighbor::Settings { skin: spec.skin, ..spec.neighbor.clone() },
                &first,
                spec.dimension,
                (spec.pair.each_cutoff(), reach),
                spec.molecules,
                n,
            )?,
            step_kernels: StepKernels::new(&context, spec, &spec.pair.coefficients(spec.varying), n)?,
            reductions: Reductions::new(&context, spec.mass)?,
            surveys: GroupSums::default(),
            pair_counts: PairCounts::default(),
            columns: PerAtomEvaluator::default(),
            course: RunProgress::default(),
            tallied: true,
            grid_too_small: false,
            snapped: false,
            velocities_changed: false,
            ahead: Ahead::default(),
            dues: spec.weights.cloned().unwrap_or_else(|| Weights::equal(ranks::count())),
            mvv2e: spec.mvv2e,
            cycles_at_once: 0,
            builds_to_time: 2 * sampling::TIMED_BUILDS,
            timed: 0,
            poll_interval: 1,
            atoms,
            domain,
        };
        if !spec.at_rest {
            simulation.neighbor.foresee_cells(n);
            simulation.step_kernels.foresee(context.shape, n, simulation.neighbor.cells().blocks);
            simulation.reductions.foresee();
            // The helper begins with what comes last here: lists take longest.
            simulation.neighbor.foresee_lists();
            context.gpu.compile_ahead();
        }
        simulation.neighbor.show(spec, n)?;
        simulation.atoms.forget_bonds()?;
        if simulation.step_kernels.predicts {
            simulation.neighbor.prediction = PositionPrediction::new(&context, spec.skin, spec.dt, n)?;
        }
        simulation.neighbor.may_share = simulation.step_kernels.may_share();
        if first != simulation.domain {
            simulation.neighbor.change_box(&mut simulation.atoms, &simulation.domain)?;
        }
        simulation.neighbor.weights = spec.cuts.unwrap_or(&simulation.dues).clone();
        simulation.neighbor.rebuild(&mut simulation.atoms, &mut simulation.domain, &simulation.reductions)?;
        simulation.neighbor.make_room(&mut simulation.atoms)?;
        if !spec.at_rest {
            simulation.warm_up(spec)?;
        }
        simulation.tallied_forces()?;
        if spec.weights.is_none() && context.gpu.is_among_others() {
            simulation.share_by_speed()?;
        }
        simulation.neighbor.check_bonds(&simulation.atoms)?;
        if !spec.at_rest {
            context.gpu.build_all()?;
        }
        Ok(simulation)
    }

    /// The same for atoms on the host, in the shipped shape of the work for the device.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn of_atoms(
        spec: &SimulationSpec<'_>,
        gpu: &Gpu,
        precision: Precision,
        atoms: &Atoms,
        domain: Domain,
    ) -> Result<Self> {
        let context = spec.context(gpu, precision, &domain, atoms.len());
        Simulation::new(spec, DeviceAtoms::new(&context, atoms)?, domain)
    }

    /// Makes so many steps; the last one has tallies, so that [`Simulation::sums`] follow. For runs without a script, whose
    /// fixes are the device's and which nothing interrupts.
    ///
    /// # Errors
    /// As [`Simulation::advance`], and where the box has outgrown cells and units, for which the run has to be set up anew.
    pub fn run(&mut self, steps: u32) -> Result<()> {
        let mut done = 0;
        while done < steps {
            done += self.advance(steps - done, Ending::WITH_TALLIES)?;
            if self.grid_too_small {
                return Err(Error::new("the box has outgrown the cells that the run was set up for"));
            }
            if self.snapped {
                return Err(Error::new("a bond has snapped"));
            }
            self.finish_step()?;
        }
        Ok(())
    }

    /// Launches what only the loop launches, without effect: some runtimes compile at the first launch, which must
    /// not fall into the loop's time. Behind a halt these kernels return at once.
    fn warm_up(&mut self, spec: &SimulationSpec<'_>) -> Result<()> {
        let places = self.atoms.parity;
        self.atoms.halt_now()?;
        self.atoms.step = 1;
        let moved = self.domain.shrinks()
            || self.step_kernels.moves_box()
            || spec.fixes.iter().any(|fix| fix.changes_box);
        self.neighbor.warm_up(&mut self.atoms, moved)?;
        if spec.fixes.iter().any(FixProgram::ends_steps) {
            self.step_kernels.restage(&self.atoms, &self.neighbor)?;
        }
        self.step_kernels.forces(&self.atoms, &self.neighbor, false)?;
        // What ranks tell one another comes along.
        self.neighbor.partial = self.neighbor.shares.is_some() && self.step_kernels.moves_own_atoms();
        self.step_kernels.begin(&self.atoms, &self.neighbor)?;
        self.step_kernels.turn(&self.atoms, &self.neighbor)?;
        self.step_kernels.end(&self.atoms, &self.neighbor)?;
        self.neighbor.begun.set(None);
        if self.step_kernels.pre_force_sums() > 0 {
            self.step_kernels.step_unfused(&mut self.atoms, &self.neighbor)?;
        } else if self.step_kernels.feeds_back() {
            self.step_kernels.step_coupled(&mut self.atoms, &self.neighbor)?;
            // As some are for timing.
            self.step_kernels.step_unfused(&mut self.atoms, &self.neighbor)?;
        } else {
            self.step_kernels.fused_step(&mut self.atoms, &self.neighbor)?;
        }
        if self.step_kernels.goes_on_alike(self.atoms.step)
            || self.step_kernels.together(self.atoms.step, &self.neighbor) > 1
        {
            self.step_kernels.fused_steps(&mut self.atoms, &self.neighbor, 2, None)?;
        }
        self.atoms.step = 0;
        self.atoms.go_back(places);
        self.neighbor.partial = false;
        self.neighbor.told.set(None);
        self.neighbor.begun.set(None);
        self.atoms.run_on()
    }

    /// The forces before the first step, as the fixes change them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn first_forces(&mut self) -> Result<()> {
        self.step_kernels.first_forces(&self.atoms, &self.neighbor)
    }

    /// What the fix at a place of the script does to the atoms at the end of the current step.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_stage(&mut self, place: usize) -> Result<()> {
        self.step_kernels.end_of_step(&self.atoms, &self.neighbor, place)
    }

    /// The same of a fix that shifts atoms before the forces of the current step.
    ///
    /// # Errors
    /// When the device fails.
    pub fn shift_stage(&mut self, place: usize) -> Result<()> {
        self.step_kernels.amid_step(&self.atoms, &self.neighbor, place)
    }

    /// The end of the current step for the fix whose part of each step is the device's ([`crate::engine::step::fix_program::Coupling`]);
    /// [`StepKernels::feedback`] is what it remembers then.
    ///
    /// # Errors
    /// When the device fails, or the box has no extent any more.
    pub fn end_feedback(&mut self) -> Result<()> {
        self.velocities_changed = true;
        self.step_kernels.end_feedback(&self.atoms, &self.neighbor)?;
        self.follow_box()
    }

    /// Sets what that fix remembers.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_feedback(&mut self, numbers: &[f64]) -> Result<()> {
        self.step_kernels.set_feedback(numbers)
    }

    /// Goes on with other coefficients of the same pair style, which must be one whose coefficients vary.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_coefficients(&mut self, coefficients: &Coefficients<'_>) -> Result<()> {
        self.step_kernels.set_coefficients(coefficients)
    }

    /// The same of bonds.
    ///
    /// # Errors
    /// When bonds become too long for this run, or the device fails.
    pub fn set_bonds(&mut self, bonds: &bond::Resolved) -> Result<()> {
        self.neighbor.check_longest_bond(bonds.longest(), &self.domain)?;
        self.step_kernels.set_bond_coefficients(&bonds.table())
    }

    /// The same of charges, by atom ID as [`SimulationSpec::charges`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_charges(&mut self, charges: &[(u32, f64)]) -> Result<()> {
        self.neighbor.charges.as_mut().map_or(Ok(()), |known| known.set(&self.atoms, &[charges]))
    }

    /// What the fixes add up at the current step, one after another, before they change its forces.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure(&self) -> Result<Vec<f64>> {
        self.step_kernels.measure(&self.atoms, &self.neighbor)
    }

    /// What each atom adds to these, atom by atom.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn measure_atoms(&self) -> Result<Vec<f64>> {
        self.step_kernels.measure_atoms(&self.atoms, &self.neighbor)
    }

    /// Sends the parameters of the fixes for the steps from `first` on, counted from the run's set-up; a single row
    /// is for all steps.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn set_parameters(&mut self, first: u32, rows: &[Vec<f64>]) -> Result<()> {
        self.step_kernels.set_parameters(&self.atoms.context.gpu, first, rows)
    }

    /// Gives the functions of the fix at a place of the script three numbers per atom ID from 1 on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember(&mut self, place: usize, values: &[[f64; 3]]) -> Result<()> {
        self.step_kernels.remember(place, values)
    }

    /// Puts the atoms where the host wants them, in the device's order; the list stays as it is.
    ///
    /// # Errors
    /// When the device fails.
    pub fn place(&mut self, x: &[[f64; 3]]) -> Result<()> {
        let numerics = self.atoms.context.numerics;
        self.atoms.arrays.x.fill(Section::Modify, 0..3 * x.len(), |out| {
            let coordinates = x.iter().flatten().enumerate();
            out.iter_mut().zip(coordinates).for_each(|(out, (k, &x))| *out = numerics.to_master(x, k % 3));
        })?;
        self.step_kernels.restage(&self.atoms, &self.neighbor)
    }

    /// Gives the atoms these velocities, in the device's order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_velocities(&mut self, v: &[[f64; 3]]) -> Result<()> {
        self.velocities_changed = true;
        self.atoms.arrays.v.write(Section::Modify, bytemuck::cast_slice(v))
    }

    /// Brings all atoms to rest, with the forces that they have then.
    ///
    /// # Errors
    /// When the device fails.
    pub fn rest(&mut self) -> Result<()> {
        self.set_velocities(&vec![[0.0; 3]; self.atoms.n])?;
        if self.neighbor.velocities.is_some() {
            self.step_kernels.restage(&self.atoms, &self.neighbor)?;
            self.tallied_forces()?;
        }
        Ok(())
    }

    /// Builds the list anew at the current positions in a box that they have not [outgrown](Self::outgrows), and waits for it.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn rebuild(&mut self) -> Result<()> {
        self.neighbor.count_build();
        self.list_anew()
    }

    /// The same, which no count of builds shows, in cells that a run would have that begins here.
    ///
    /// # Errors
    /// As [`Simulation::rebuild`].
    pub fn divide_anew(&mut self) -> Result<()> {
        self.neighbor.divide_anew();
        self.list_anew()
    }

    fn list_anew(&mut self) -> Result<()> {
        self.neighbor.build(&mut self.atoms, &mut self.domain)?;
        self.neighbor.make_room(&mut self.atoms)
    }

    /// Forces and tallies at the current positions, before fixes change them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tallied_forces(&mut self) -> Result<()> {
        self.tallied = true;
        self.step_kernels.forces(&self.atoms, &self.neighbor, true)?;
        while self.step_kernels.has_near_room() {
            let Some(halt) = self.neighbor.poll(&self.atoms)?.filter(|halt| halt.slots > 0) else { break };
            self.make_near_room(halt.slots)?;
            self.step_kernels.forces(&self.atoms, &self.neighbor, true)?;
        }
        Ok(())
    }

    /// Makes room for so many neighbours within the cutoff of an atom, and goes on from the halt.
    fn make_near_room(&mut self, slots: u32) -> Result<()> {
        self.step_kernels.make_near_room(&self.atoms, slots as usize)?;
        self.atoms.status.clear(Section::Neigh, status::SLOTS..status::SLOTS + 1)?;
        self.atoms.run_on()
    }

    /// How many atoms of other ranks this one's lists may name.
    pub fn ghosts(&self) -> usize {
        self.neighbor.shares.as_ref().map_or(0, Shares::ghosts)
    }

    /// How many atoms there are whose forces this rank makes; where ranks do not share them, they are the first one's.
    pub fn own_atoms(&self) -> usize {
        match &self.neighbor.shares {
            Some(shares) => shares.own().len(),
            None if ranks::is_first() => self.atoms.n,
            None => 0,
        }
    }

    /// Has the list rebuilt in the last of the next so many steps.
    pub fn rebuild_after(&mut self, steps: u32) {
        self.neighbor.force_at(self.atoms.step.saturating_add(steps));
    }

    /// As [`StepKernels::sums_over_pairs`].
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn sums_over_pairs(&self, coefficients: &Coefficients<'_>) -> Result<(f64, [f64; 6])> {
        StepKernels::sums_over_pairs(coefficients, &self.atoms, &self.neighbor, &self.reductions)
    }

    /// As [`Reductions::kinetic`].
    ///
    /// # Errors
    /// When the device fails.
    pub fn kinetic(&self, group: u32) -> Result<([f64; 6], u64)> {
        self.reductions.kinetic(&self.atoms, group, self.neighbor.own_shares())
    }

    /// Sums over all atoms, after a step with tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(&self) -> Result<Sums> {
        let shares = self.neighbor.own_shares();
        let ((energy, bond_energy, virial), kinetic) =
            self.reductions.row(&self.step_kernels.tally, &self.atoms, shares)?;
        let coulomb_energy = match &self.step_kernels.coulomb {
            Some(coulomb) => self.reductions.energy(coulomb, self.atoms.n, shares)?,
            None => 0.0,
        };
        let kinetic = kinetic.map(|mvv| mvv * self.mvv2e);
        Ok(Sums { kinetic, energy, coulomb_energy, bond_energy, virial })
    }
}
