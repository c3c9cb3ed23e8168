//! A system on the device with everything a run needs: the pieces that the time-step loop puts in order.

use crate::cli::Precision;
use crate::domain::Domain;
use crate::error::Result;
use crate::fix::{Active, Fix, Setup};
use crate::gpu::Gpu;
use crate::kernels::{Context, Numerics, Shape};
use crate::neighbor::{self, Neighbor, Reach};
use crate::pair::Resolved;
use crate::pair::kernel::PairKernel;
use crate::reduce::Reductions;
use crate::resident::Resident;
use crate::units::Units;

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
}

impl Simulation {
    /// Builds the programs, the first list and the first forces (with tallies) for atoms on the device.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn new(model: &Model<'_>, atoms: Resident, domain: Domain) -> Result<Self> {
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
            atoms,
            domain,
        };
        simulation.make_room()?;
        simulation.rebuild()?;
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

    /// One time step (velocity Verlet); with `tally`, energy and virial are there to be summed afterwards.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn step(&mut self, tally: bool) -> Result<()> {
        for fix in &mut self.fixes {
            fix.initial_integrate(&self.atoms, &self.neighbor)?;
        }
        if self.neighbor.due()? {
            self.atoms.context.gpu.sample(true); // every rebuild is timed
            self.rebuild()?;
            self.neighbor.builds += 1;
        } else {
            self.neighbor.refresh(&self.atoms)?;
        }
        self.forces(tally)?;
        for fix in &mut self.fixes {
            fix.final_integrate(&self.atoms)?;
        }
        Ok(())
    }

    fn rebuild(&mut self) -> Result<()> {
        self.neighbor.rebuild(&mut self.atoms, &mut self.domain, &self.reductions)
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
