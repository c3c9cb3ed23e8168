//! A system on the device with everything a run needs: the pieces that the time-step loop puts in order.

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::fix::Moment;
use crate::gpu::{DeviceInfo, Gpu};
use crate::kernels::{Context, Numerics, Shape};
use crate::neighbor::{self, Neighbor, Reach, Schedule, grid};
use crate::options::{Precision, TimingMode};
use crate::pair::{Coefficients, Resolved};
use crate::plan::Plan;
use crate::reduce::Reductions;
use crate::resident::{Places, Resident};
use crate::rules::Rules;
use crate::state::State;
use crate::system::{self, Course};
use crate::timing::Section;
use crate::topology::Molecules;
use crate::tuning::Key;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// For what a run is set up: cells, the units of staged positions and the shape of the kernels follow from it, and on them
/// the last bits of the results. A run that goes on from a restart file takes that of the run which wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The box; faces may have moved since.
    pub domain: Domain,
    /// The box of the restart file that this comes from, where fixes may have changed it; `None`: it comes from none.
    #[serde(skip)]
    pub restored: Option<Domain>,
    /// Number of atoms; some may be lost since.
    pub atoms: usize,
    /// The device.
    pub device: String,
    /// Arithmetic of the kernels.
    pub precision: Precision,
    /// The shape of the work there.
    pub shape: Shape,
}

impl Layout {
    /// Whether a run in this box may be set up like this: along periodic axes nothing has changed since the restart file
    /// was written.
    pub fn fits(&self, domain: &Domain) -> bool {
        let there = self.restored.as_ref().unwrap_or(&self.domain);
        let alike = |d: usize| (there.lo[d], there.hi[d]) == (domain.lo[d], domain.hi[d]);
        self.domain.boundary == domain.boundary
            && (there.triclinic, there.tilt) == (domain.triclinic, domain.tilt)
            && (0..3).all(|d| !domain.periodic(d) || alike(d))
    }

    /// Whether the shape of the work is for this device, precision and these rules.
    pub fn is_for(&self, device: &str, precision: Precision, rules: Rules) -> bool {
        self.device == device && self.precision == precision && rules == Rules::default()
    }
}

/// What a simulation is made from, besides the atoms.
pub struct Model<'a> {
    /// What the script has said.
    pub state: &'a State,
    /// Mass per type.
    pub mass: &'a [f64],
    /// Pair style with all parameters.
    pub pair: &'a Resolved<'a>,
    /// Bonds and special neighbours.
    pub molecules: &'a Molecules,
    /// Atoms are moved by the host, to less energy.
    pub minimizing: bool,
}

impl Model<'_> {
    /// The box and the number of atoms for which a run is set up.
    fn planned<'b>(&'b self, domain: &'b Domain, atoms: usize) -> (&'b Domain, usize) {
        let layout = self.state.layout.as_ref().filter(|layout| layout.fits(domain));
        layout.map_or((domain, atoms), |layout| (&layout.domain, layout.atoms))
    }

    /// How far the lists reach.
    pub fn reach(&self, domain: &Domain, atoms: usize) -> Reach {
        let (domain, atoms) = self.planned(domain, atoms);
        Reach::new(&self.pair.cutoffs(), self.state.neighbor.skin, domain, self.state.dimension, atoms)
    }

    /// The shape with no larger blocks than the box has room for, and no larger tiles than a device's local memory.
    pub fn fit(
        &self,
        shape: Shape,
        device: &DeviceInfo,
        precision: Precision,
        domain: &Domain,
        atoms: usize,
    ) -> Shape {
        let Reach { longest, smallest_cell, .. } = self.reach(domain, atoms);
        let room = grid::block_edge(domain, self.state.dimension, longest, smallest_cell);
        let most = match shape.tile {
            true => Shape::crowd_seen(device, precision, true, self.pair.seen()),
            false => shape.crowd,
        };
        // Lists that atoms share have 28 bits for a place.
        let copies = grid::copies(domain, self.state.dimension, longest, smallest_cell);
        let many = shape.cluster() > 1 && copies.saturating_mul(atoms) >= 1 << 27;
        let vector = if many { 2 } else { shape.vector };
        Shape { block_edge: shape.block_edge.min(room), crowd: shape.crowd.min(most), vector, ..shape }
    }

    /// What a record of tuning must be for, to serve `atoms` atoms on a device.
    pub fn key(&self, gpu: &Gpu, precision: Precision, domain: &Domain, atoms: usize) -> Key {
        let reach = self.reach(domain, atoms).longest;
        let neighbors = neighbor::expected_neighbors(domain, self.state.dimension, reach, atoms);
        Key::new(gpu.info(), precision, atoms, neighbors)
    }

    /// Numerics and the shipped shape for `atoms` atoms on a device.
    pub fn context(&self, gpu: &Gpu, precision: Precision, domain: &Domain, atoms: usize) -> Context {
        let Reach { longest, smallest_cell, .. } = self.reach(domain, atoms);
        let (domain, atoms) = self.planned(domain, atoms);
        let shape = self.fit(Shape::new(gpu.info(), precision, atoms), gpu.info(), precision, domain, atoms);
        let bond = self.molecules.longest_bond();
        let modulus = grid::moduli(domain, self.state.dimension, longest, smallest_cell, bond, precision);
        Context {
            gpu: gpu.clone(),
            numerics: Numerics {
                precision,
                modulus,
                images: grid::images(domain, self.state.dimension),
                triclinic: domain.triclinic,
            },
            shape,
            types: self.mass.len(),
            copies: grid::copies(domain, self.state.dimension, longest, smallest_cell),
        }
    }
}

/// Which steps are timed: one in several, or all where a step takes so long that events cost nothing.
fn sampled(pace: u32, step: u32) -> bool {
    pace < MANY || step.is_multiple_of(SAMPLE_STRIDE)
}

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
    pub atoms: Resident,
    /// The box; shrink-wrapped faces follow the atoms at rebuilds.
    pub domain: Domain,
    /// Cells and list.
    pub neighbor: Neighbor,
    /// Forces and integration.
    pub plan: Plan,
    /// Sums over atoms.
    pub reductions: Reductions,
    /// For what it was set up.
    pub layout: Layout,
    /// How far the run goes, and what else thermo output shows of it.
    pub course: Course,
    /// Whether the current step has tallied energies and virials.
    pub tallied: bool,
    mvv2e: f64,
    /// Steps to enqueue before looking, so that the host is never far from what happens.
    pace: u32,
}

/// How to come back to a step that the device halted at.
#[derive(Clone, Copy)]
struct WayBack {
    schedule: Schedule,
    places: Places,
    /// The first command after it.
    mark: u64,
}

/// Seconds between looks at the status, about.
const LOOK_EVERY: f64 = 0.05;

/// With fewer steps than this between looks a step takes a quarter of a millisecond or more, and all are timed.
const MANY: u32 = 200;

/// One step in so many is timed: a prime, so that it drifts through every schedule.
const SAMPLE_STRIDE: u32 = 7;

/// One step in so many is made in two launches: a prime, too.
const SPLIT_STRIDE: u32 = 101;

/// The first one, early enough for short runs.
const SPLIT_FIRST: u32 = 3;

impl Simulation {
    /// Builds the programs, the first list and the first forces (with tallies) for atoms on the device.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn new(model: &Model<'_>, mut atoms: Resident, domain: Domain) -> Result<Self> {
        atoms.step = 0;
        let context = atoms.context.clone();
        let n = atoms.n;
        let reach = model.reach(&domain, n);
        let state = model.state;
        let moment = Moment::draft(state);
        let varying = state.fixes.iter().any(|fix| fix.adapts().is_some());
        let (planned, count) = model.planned(&domain, n);
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
                device: context.gpu.info().name.clone(),
                precision: context.numerics.precision,
                shape: context.shape,
            },
            neighbor: Neighbor::new(
                &context,
                &state.neighbor,
                &first,
                state.dimension,
                reach,
                model.molecules,
                n,
            )?,
            plan: Plan::new(
                &context,
                &Coefficients { varying, ..model.pair.coefficients() },
                model.molecules,
                &state.fixes,
                &moment,
                model.minimizing,
                n,
            )?,
            reductions: Reductions::new(&context, model.mass)?,
            course: Course::default(),
            tallied: true,
            mvv2e: state.units.mvv2e,
            pace: 1,
            atoms,
            domain,
        };
        let seen = model.pair.seen();
        let charges = seen.charges.then(|| state.charges());
        simulation.neighbor.show(charges.as_deref(), seen.velocities, n)?;
        simulation.atoms.forget_bonds()?;
        if first != simulation.domain {
            simulation.neighbor.change_box(&mut simulation.atoms, &simulation.domain)?;
        }
        simulation.neighbor.rebuild(&mut simulation.atoms, &mut simulation.domain, &simulation.reductions)?;
        simulation.neighbor.make_room(&mut simulation.atoms)?;
        simulation.warm_up()?;
        simulation.plan.forces(&simulation.atoms, &simulation.neighbor, true)?;
        simulation.neighbor.check_bonds(&simulation.atoms)?;
        Ok(simulation)
    }

    /// Launches what only the loop launches, without effect: some runtimes compile at the first launch, which must
    /// not fall into the loop's time. Behind a halt these kernels return at once.
    fn warm_up(&mut self) -> Result<()> {
        let places = self.atoms.places;
        self.atoms.halt_now()?;
        self.atoms.step = 1;
        self.plan.forces(&self.atoms, &self.neighbor, false)?;
        self.plan.begin(&self.atoms, &self.neighbor)?;
        self.plan.turn(&self.atoms, &self.neighbor)?;
        self.plan.end(&self.atoms, &self.neighbor)?;
        self.plan.whole_step(&mut self.atoms, &self.neighbor)?;
        self.atoms.step = 0;
        self.atoms.go_back(places);
        self.atoms.run_on()
    }

    /// Advances by up to `steps` time steps, up to the forces of the last of them, and returns by how many; that
    /// has tallies, when `tally`. [`Simulation::finish_step`] is to follow. The host enqueues without waiting, up to
    /// where it looks at the status; where the device halted, the host acts and goes on from there.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn to_forces(&mut self, steps: u32, tally: bool) -> Result<u32> {
        let first = self.atoms.step;
        let last = first.saturating_add(steps);
        let clock = Instant::now();
        // Up to this step nothing has halted.
        let mut sound = first;
        let mut ways_back = Vec::new();
        self.begin_step()?;
        let mut stop = self.stop(last);
        let mut done = false;
        loop {
            ways_back.push(self.settle_neighbors()?);
            // The host must know where the atoms are before it can fit a box around them.
            let box_follows = self.domain.shrinks() && self.neighbor.due(self.atoms.step + 1);
            if self.atoms.step < stop && !box_follows {
                self.whole_step()?;
                continue;
            }
            done |= self.atoms.step == last || box_follows || clock.elapsed().as_secs_f64() > LOOK_EVERY;
            if done {
                self.tallied = tally && self.atoms.step == last;
                self.plan.forces(&self.atoms, &self.neighbor, self.tallied)?;
            }
            if let Some(halted) = self.neighbor.look(&self.atoms)? {
                self.go_back(halted, sound, &mut ways_back)?;
                self.neighbor.act(&mut self.atoms, &mut self.domain, &self.reductions)?;
                (done, stop) = (false, self.stop(last));
                continue;
            }
            self.atoms.context.gpu.settle();
            let made = self.atoms.step - first;
            let seconds_per_step = clock.elapsed().as_secs_f64() / f64::from(made);
            self.pace = (LOOK_EVERY / seconds_per_step).clamp(1.0, 1000.0) as u32;
            if done {
                return Ok(made);
            }
            // What follows may still halt at this step.
            sound = self.atoms.step - 1;
            ways_back.drain(..ways_back.len() - 1);
            self.whole_step()?;
            stop = self.stop(last);
        }
    }

    /// Positions move to those of the next step, in which the list is to be built anew.
    ///
    /// # Errors
    /// When the device fails.
    pub fn move_atoms(&mut self) -> Result<()> {
        self.rebuild_after(1);
        self.begin_step()
    }

    /// What follows the forces in their step.
    ///
    /// # Errors
    /// When the device fails.
    pub fn finish_step(&mut self) -> Result<()> {
        self.plan.end(&self.atoms, &self.neighbor)
    }

    /// The forces before the first step, as the fixes change them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn first_forces(&mut self) -> Result<()> {
        self.plan.first_forces(&self.atoms, &self.neighbor)
    }

    /// What the fix at a place of the script does to the atoms at the end of the current step.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_stage(&mut self, place: usize) -> Result<()> {
        self.plan.end_of_step(&self.atoms, &self.neighbor, place)
    }

    /// The end of the current step for the fix whose part of each step is the device's ([`crate::fix::feedback`]): what it
    /// remembers then.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_feedback(&mut self) -> Result<Vec<f64>> {
        self.plan.end_feedback(&self.atoms, &self.neighbor)
    }

    /// Sets what that fix remembers.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_feedback(&mut self, numbers: &[f64]) -> Result<()> {
        self.plan.set_feedback(numbers)
    }

    /// That this run may change the box.
    ///
    /// # Errors
    /// In single precision, whose positions count in units of the box as it was first.
    pub fn allow_box_changes(&self) -> Result<()> {
        match self.atoms.context.numerics.wide() {
            true => Ok(()),
            false => Err(Error::new("the box cannot change in single precision")
                .help("take -precision mixed or double, and a device that has fp64")),
        }
    }

    /// Moves the faces of an orthogonal box before the next forces; atoms stay where they are.
    ///
    /// # Errors
    /// When the box is triclinic, an edge is not positive and finite, or the device fails.
    pub fn set_box(&mut self, lo: [f64; 3], hi: [f64; 3]) -> Result<()> {
        if self.domain.triclinic {
            return Err(Error::new("a triclinic box cannot follow the pressure"));
        }
        self.set_tilted_box(lo, hi, self.domain.tilt)
    }

    /// The same, with the tilts xy xz yz.
    ///
    /// # Errors
    /// As [`Simulation::set_box`].
    pub fn set_tilted_box(&mut self, lo: [f64; 3], hi: [f64; 3], tilt: [f64; 3]) -> Result<()> {
        if let Some(d) = (0..3).find(|&d| !(hi[d] - lo[d] > 0.0 && (hi[d] - lo[d]).is_finite())) {
            let message = format!(
                "the box has no extent along {} any more: {} to {}",
                ['x', 'y', 'z'][d],
                lo[d],
                hi[d]
            );
            return Err(Error::new(message).help("take a shorter timestep or slower changes"));
        }
        if !tilt.iter().all(|tilt| tilt.is_finite()) {
            return Err(Error::new("a tilt of the box is not finite any more"));
        }
        (self.domain.lo, self.domain.hi, self.domain.tilt) = (lo, hi, tilt);
        self.neighbor.change_box(&mut self.atoms, &self.domain)
    }

    /// Goes on with the coefficients that the state has now.
    ///
    /// # Errors
    /// When the device fails.
    pub fn follow_pair(&mut self, state: &State) -> Result<()> {
        let Some(pair) = &state.pair else { return Ok(()) };
        self.plan.set_coefficients(&pair.resolve()?.coefficients())?;
        self.course.tail = system::tail(state, self)?;
        Ok(())
    }

    /// What the fixes add up at the current step, one after another, before they change its forces.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure(&self) -> Result<Vec<f64>> {
        self.plan.measure(&self.atoms, &self.neighbor)
    }

    /// Sends the parameters of the fixes for the steps from `first` on, counted from the run's set-up; a single row
    /// is for all steps.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn set_parameters(&mut self, first: u32, rows: &[Vec<f64>]) -> Result<()> {
        self.plan.set_parameters(&self.atoms.context.gpu, first, rows)
    }

    /// Gives the functions of the fix at a place of the script three numbers per atom ID from 1 on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember(&mut self, place: usize, values: &[[f64; 3]]) -> Result<()> {
        self.plan.remember(place, values)
    }

    /// Puts the atoms where the host wants them, in the device's order; the list stays as it is.
    ///
    /// # Errors
    /// When the device fails.
    pub fn place(&mut self, x: &[[f64; 3]]) -> Result<()> {
        let numerics = self.atoms.context.numerics;
        self.atoms.columns.x.fill(Section::Modify, 0..3 * x.len(), |out| {
            let coordinates = x.iter().flatten().enumerate();
            out.iter_mut().zip(coordinates).for_each(|(out, (k, &x))| *out = numerics.to_master(x, k % 3));
        })?;
        self.plan.restage(&self.atoms, &self.neighbor)
    }

    /// Gives the atoms these velocities, in the device's order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_velocities(&mut self, v: &[[f64; 3]]) -> Result<()> {
        self.atoms.columns.v.write(Section::Modify, bytemuck::cast_slice(v))
    }

    /// Builds the list anew at the current positions, and waits for it.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn rebuild(&mut self) -> Result<()> {
        self.neighbor.rebuild(&mut self.atoms, &mut self.domain, &self.reductions)?;
        self.neighbor.count_build();
        self.neighbor.make_room(&mut self.atoms)
    }

    /// Forces and tallies at the current positions, before fixes change them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tallied_forces(&mut self) -> Result<()> {
        self.tallied = true;
        self.plan.forces(&self.atoms, &self.neighbor, true)
    }

    /// Has the box flipped at the rebuild of the next step ([`Domain::flip`]).
    pub fn flip_box(&mut self, by: [i32; 3]) {
        self.neighbor.flip_at(self.atoms.step.saturating_add(1), by);
    }

    /// Has the list rebuilt in the last of the next so many steps.
    pub fn rebuild_after(&mut self, steps: u32) {
        self.neighbor.force_at(self.atoms.step.saturating_add(steps));
    }

    /// Where the host looks at the status next.
    fn stop(&self, last: u32) -> u32 {
        let step = self.atoms.step;
        last.min(step.saturating_add(self.neighbor.ahead(step).min(self.pace)))
    }

    /// Back to the step at which the device halted; what was enqueued beyond it has done nothing.
    fn go_back(&mut self, halted: u32, sound: u32, ways_back: &mut Vec<WayBack>) -> Result<()> {
        let place = (halted.checked_sub(sound + 1)).map(|place| place as usize);
        let way_back = *place.and_then(|place| ways_back.get(place)).ok_or_else(|| {
            Error::new(format!("the device halted at step {halted}, which was not under way"))
        })?;
        ways_back.truncate((halted - sound - 1) as usize);
        self.atoms.context.gpu.void_since(way_back.mark)?;
        self.neighbor.go_back(way_back.schedule);
        self.atoms.go_back(way_back.places);
        self.atoms.step = halted;
        self.atoms.context.gpu.sample(true);
        Ok(())
    }

    /// Positions move.
    fn begin_step(&mut self) -> Result<()> {
        self.atoms.step += 1;
        self.atoms.context.gpu.sample(sampled(self.pace, self.atoms.step));
        self.plan.begin(&self.atoms, &self.neighbor)
    }

    /// The list follows the positions. Returns the way back to here.
    fn settle_neighbors(&mut self) -> Result<WayBack> {
        if self.neighbor.due(self.atoms.step) {
            self.atoms.context.gpu.sample(true); // every rebuild is timed
            self.neighbor.rebuild(&mut self.atoms, &mut self.domain, &self.reductions)?;
            self.neighbor.count_build();
        }
        self.atoms.context.gpu.sample(sampled(self.pace, self.atoms.step));
        Ok(WayBack {
            schedule: self.neighbor.schedule(),
            places: self.atoms.places,
            mark: self.atoms.context.gpu.mark(),
        })
    }

    /// Forces, and everything up to those of the next step: in one launch, but now and then, to learn which
    /// section takes how much of it, in two.
    fn whole_step(&mut self) -> Result<()> {
        let split = match self.atoms.context.gpu.timing() {
            _ if self.plan.feeds_back() => false,
            TimingMode::Off => false,
            TimingMode::Sampled => self.atoms.step % SPLIT_STRIDE == SPLIT_FIRST,
            TimingMode::Full => true,
        };
        if !split {
            return self.plan.whole_step(&mut self.atoms, &self.neighbor);
        }
        self.atoms.context.gpu.sample(true);
        self.plan.forces(&self.atoms, &self.neighbor, false)?;
        self.atoms.step += 1;
        self.plan.turn(&self.atoms, &self.neighbor)
    }

    /// As [`Plan::sums_over_pairs`].
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn sums_over_pairs(&self, coefficients: &Coefficients) -> Result<(f64, [f64; 6])> {
        Plan::sums_over_pairs(coefficients, &self.atoms, &self.neighbor, &self.reductions)
    }

    /// Sums over all atoms, after a step with tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(&self) -> Result<Sums> {
        let (energy, bond_energy, virial) = self.reductions.tally(&self.plan.tally, self.atoms.n)?;
        let (kinetic, _) = self.reductions.kinetic(&self.atoms, 1)?;
        let coulomb_energy = match &self.plan.coulomb {
            Some(coulomb) => self.reductions.energy(coulomb, self.atoms.n)?,
            None => 0.0,
        };
        let kinetic = kinetic.map(|mvv| mvv * self.mvv2e);
        Ok(Sums { kinetic, energy, coulomb_energy, bond_energy, virial })
    }
}
