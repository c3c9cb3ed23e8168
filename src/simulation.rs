//! A system on the device with everything a run needs: the pieces that the time-step loop puts in order.

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::fix::{Active, Fix, Setup};
use crate::gpu::Gpu;
use crate::kernels::{Context, Numerics, Shape};
use crate::neighbor::{self, Neighbor, Reach, Schedule};
use crate::options::Precision;
use crate::pair::Resolved;
use crate::pair::kernel::PairKernel;
use crate::reduce::Reductions;
use crate::resident::Resident;
use crate::units::Units;
use std::time::Instant;

/// What a simulation is made from, besides the atoms.
pub struct Model<'a> {
    /// Unit system.
    pub units: &'static Units,
    /// 2 or 3.
    pub dimension: u32,
    /// Mass per type.
    pub mass: &'a [f64],
    /// Pair style with all parameters.
    pub pair: &'a Resolved<'a>,
    /// `neighbor`, `neigh_modify`.
    pub neighbor: &'a neighbor::Settings,
    /// The fixes.
    pub fixes: &'a [Box<dyn Fix>],
    /// Time step.
    pub dt: f64,
}

impl Model<'_> {
    /// How far the lists reach.
    pub fn reach(&self, domain: &Domain, atoms: usize) -> Reach {
        Reach::new(&self.pair.cutoffs(), self.neighbor.skin, domain, self.dimension, atoms)
    }

    /// Precision, quantum and shape for `atoms` atoms on a device.
    pub fn context(&self, gpu: &Gpu, precision: Precision, domain: &Domain, atoms: usize) -> Context {
        Context {
            gpu: gpu.clone(),
            numerics: Numerics::new(precision, self.reach(domain, atoms).span()),
            shape: Shape::new(gpu.info(), precision, atoms),
            types: self.mass.len(),
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
    /// r f over pairs: xx yy zz xy xz yz.
    pub virial: [f64; 6],
}

/// Atoms, lists, forces and fixes of a run, on the device.
pub struct Simulation {
    /// The atoms.
    pub atoms: Resident,
    /// The box; shrink-wrapped faces follow the atoms at rebuilds.
    pub domain: Domain,
    /// Cells, ghosts, list.
    pub neighbor: Neighbor,
    /// Forces.
    pub pair: PairKernel,
    /// Sums over atoms.
    pub reductions: Reductions,
    /// The fixes, in the order of the script.
    pub fixes: Vec<Box<dyn Active>>,
    mvv2e: f64,
    /// Steps to enqueue before looking, so that the host is never far from what happens.
    pace: u32,
}

/// Seconds between looks at the status, about.
const LOOK_EVERY: f64 = 0.05;

/// With fewer steps than this between looks a step takes a quarter of a millisecond or more, and all are timed.
const MANY: u32 = 200;

/// One step in so many is timed: a prime, so that it drifts through every schedule.
const SAMPLE_STRIDE: u32 = 7;

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
        let setup = Setup { context: &context, dt: model.dt, mass: model.mass, ftm2v: model.units.ftm2v };
        let mut simulation = Simulation {
            neighbor: Neighbor::new(&context, model.neighbor, &domain, model.dimension, reach, n)?,
            pair: PairKernel::new(&context, &model.pair.coefficients(), n)?,
            reductions: Reductions::new(&context, model.mass)?,
            fixes: model.fixes.iter().map(|fix| fix.start(&setup)).collect::<Result<_>>()?,
            mvv2e: model.units.mvv2e,
            pace: 1,
            atoms,
            domain,
        };
        simulation.make_room()?;
        simulation.neighbor.rebuild(&mut simulation.atoms, &mut simulation.domain, &simulation.reductions)?;
        simulation.neighbor.repair(&mut simulation.atoms, &mut simulation.domain, &simulation.reductions)?;
        simulation.warm_up()?;
        simulation.forces(true)?;
        Ok(simulation)
    }

    /// Launches what only the loop launches, without effect, so that its first step is like any other.
    fn warm_up(&self) -> Result<()> {
        self.neighbor.refresh(&self.atoms)?;
        self.forces(false)?;
        self.fixes.iter().try_for_each(|fix| fix.warm_up(&self.atoms, &self.neighbor))
    }

    /// Atoms that came from an earlier run may have room for other numbers of ghosts.
    fn make_room(&mut self) -> Result<()> {
        let ghosts = self.neighbor.ghosts.capacity();
        if self.atoms.capacity < self.atoms.n + ghosts { self.atoms.grow_ghosts(ghosts) } else { Ok(()) }
    }

    /// Advances by up to `steps` time steps and returns by how many; the last of them has tallies, when
    /// `tally`. The host enqueues without waiting and looks at the status at the end; where the device
    /// halted, the host acts and the run has got that far.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn advance(&mut self, steps: u32, tally: bool) -> Result<u32> {
        let first = self.atoms.step;
        let last = first.saturating_add(steps);
        let stop = last.min(first.saturating_add(self.neighbor.ahead(first).min(self.pace)));
        let clock = Instant::now();
        let mut ways_back = Vec::new();
        self.begin_step()?;
        loop {
            ways_back.push(self.settle_neighbors()?);
            self.forces(tally && self.atoms.step == last)?;
            // The host must know where the atoms are before it can fit a box around them.
            let box_follows = self.domain.shrinks() && self.neighbor.due(self.atoms.step + 1);
            if self.atoms.step == stop || box_follows {
                break self.end_step()?;
            }
            self.turn()?;
        }
        if let Some(step) = self.neighbor.look(&self.atoms)? {
            let (schedule, mark) =
                *(step.checked_sub(first + 1)).and_then(|place| ways_back.get(place as usize)).ok_or_else(
                    || Error::new(format!("the device halted at step {step}, which was not under way")),
                )?;
            self.atoms.context.gpu.void_since(mark)?;
            self.neighbor.go_back(schedule);
            self.atoms.step = step;
            self.atoms.context.gpu.sample(true);
            self.neighbor.repair(&mut self.atoms, &mut self.domain, &self.reductions)?;
            self.forces(tally && step == last)?;
            self.end_step()?;
        }
        self.atoms.context.gpu.settle();
        let done = self.atoms.step - first;
        let seconds_per_step = clock.elapsed().as_secs_f64() / f64::from(done);
        self.pace = (LOOK_EVERY / seconds_per_step).clamp(1.0, 1000.0) as u32;
        Ok(done)
    }

    /// Positions move.
    fn begin_step(&mut self) -> Result<()> {
        self.atoms.step += 1;
        self.atoms.context.gpu.sample(sampled(self.pace, self.atoms.step));
        self.fixes.iter_mut().try_for_each(|fix| fix.initial_integrate(&self.atoms, &self.neighbor))
    }

    /// Ghosts and list follow the positions. Returns the way back to here.
    fn settle_neighbors(&mut self) -> Result<(Schedule, u64)> {
        if self.neighbor.due(self.atoms.step) {
            self.atoms.context.gpu.sample(true); // every rebuild is timed
            self.neighbor.rebuild(&mut self.atoms, &mut self.domain, &self.reductions)?;
            self.neighbor.count_build();
        }
        let way_back = (self.neighbor.schedule(), self.atoms.context.gpu.mark());
        if self.neighbor.built() != self.atoms.step {
            self.neighbor.refresh(&self.atoms)?;
        }
        Ok(way_back)
    }

    /// Velocities follow the forces.
    fn end_step(&mut self) -> Result<()> {
        self.fixes.iter_mut().try_for_each(|fix| fix.final_integrate(&self.atoms))
    }

    /// From one step to the next: in one launch, where there is one fix to be asked.
    fn turn(&mut self) -> Result<()> {
        let [fix] = &mut self.fixes[..] else {
            self.end_step()?;
            return self.begin_step();
        };
        self.atoms.step += 1;
        self.atoms.context.gpu.sample(sampled(self.pace, self.atoms.step));
        fix.turn(&self.atoms, &self.neighbor)
    }

    fn forces(&self, tally: bool) -> Result<()> {
        self.pair.compute(&self.atoms, &self.neighbor.list, tally)
    }

    /// Sums over all atoms, after a step with tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(&self) -> Result<Sums> {
        let (energy, virial) = self.reductions.tally(&self.pair.tally, self.atoms.n)?;
        let (kinetic, _) = self.reductions.kinetic(&self.atoms, 1)?;
        Ok(Sums { kinetic: kinetic.map(|mvv| mvv * self.mvv2e), energy, virial })
    }
}
