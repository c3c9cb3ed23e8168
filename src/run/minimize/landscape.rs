//! The potential energy of all atoms as a function of their positions: on the device, where searches have the atoms moved
//! (`vectors`).

mod refine;

use super::vectors::{Carried, Damped, Sums, Vectors};
use super::{Limits, Stop};
use crate::base::error::{Error, Result};
use crate::base::progress::Progress;
use crate::engine::simulation::Simulation;
use crate::fixes::box_relax::BoxRelax;
use crate::gpu::record::Section;
use crate::model::domain::Domain;
use crate::output::writer::Output;
use crate::run::fixes::FixRunner;
use crate::run::setup;
use crate::run::{self, Clocks};
use crate::session::Session;
use crate::session::minimize::Norm;
use crate::session::snapshot::view::Snapshot;

/// Keeps the tolerance of the energy above zero where the energy is zero.
const SMALL_ENERGY: f64 = 1e-8;

/// After fewer iterations nothing is said of whether forces become smaller.
const FEW_ITERATIONS: i64 = 40;

/// Squares of force norms are much smaller than others below this share of them.
const SMALLER: f64 = 0.9;

/// So many evaluations are timed at first, and later one in so many.
const TIMED: i64 = 16;

/// Atoms, their energy and forces. Where the box takes part ([`BoxRelax`]), forces and directions have those of its strains
/// besides those of the atoms.
pub(super) struct Landscape<'a> {
    pub(super) session: &'a mut Session,
    simulation: Simulation,
    hooks: FixRunner,
    output: Output,
    progress: Progress,
    vectors: Vectors,
    strains: Strains,
    /// Of the forces here, those of the strains not among them.
    pub(super) here: Sums,
    /// Potential energy here, with that of a box that takes part; per atom where thermo output is.
    pub(super) energy: f64,
    /// The same before the last iteration.
    pub(super) previous_energy: f64,
    /// How far the last line search went along its direction.
    pub(super) alpha: f64,
    /// The smallest square of the force norm, and in which iteration that was.
    least: (f64, i64),
    /// The same of those that are [`SMALLER`].
    fallen: (f64, i64),
    /// Whether a set-up in double precision has failed.
    stays: bool,
    pub(super) iterations: i64,
    pub(super) evaluations: i64,
    /// The last step with output.
    written: Option<i64>,
}

/// Of a box that takes part, else empty.
#[derive(Default)]
struct Strains {
    force: Vec<f64>,
    direction: Vec<f64>,
    gradient: Vec<f64>,
}

/// Sum of products.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest of some numbers, whatever their signs.
fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most: f64, a| most.max(a.abs()))
}

/// The fix that makes the box take part, if there is one.
fn relaxation(session: &Session) -> Option<&BoxRelax> {
    session.fixes.iter().find_map(|fix| crate::fixes::box_relax::relaxation(&**fix))
}

/// Whether a fix changes the box.
pub(super) fn boxes_change(session: &Session) -> bool {
    relaxation(session).is_some() || session.fixes.iter().any(|fix| fix.changes_box())
}

impl<'a> Landscape<'a> {
    /// Whether pair forces are fp64 numbers.
    pub(super) fn has_wide_pairs(&self) -> bool {
        self.simulation.atoms.context.numerics.wide_pairs()
    }

    /// From a simulation that has just been set up.
    pub(super) fn new(
        session: &'a mut Session,
        (simulation, vectors): (Simulation, Vectors),
        hooks: FixRunner,
        output: Output,
        progress: Progress,
    ) -> Result<Self> {
        if relaxation(session).is_some() {
            simulation.allow_box_changes()?;
        }
        let mut landscape = Landscape {
            vectors,
            strains: Strains::default(),
            here: Sums::default(),
            energy: 0.0,
            previous_energy: 0.0,
            alpha: 0.0,
            iterations: 0,
            least: (f64::INFINITY, 0),
            fallen: (f64::INFINITY, 0),
            stays: false,
            evaluations: 0,
            written: None,
            session,
            simulation,
            hooks,
            output,
            progress,
        };
        landscape.measure()?;
        landscape.previous_energy = landscape.energy;
        Ok(landscape)
    }

    /// Energy and forces where the atoms are; the list follows them.
    ///
    /// # Errors
    /// When the device fails or a position is not finite.
    pub(super) fn evaluate(&mut self) -> Result<()> {
        let gpu = self.simulation.atoms.context.gpu.clone();
        gpu.sample(self.evaluations < TIMED || self.evaluations % TIMED == 0);
        if self.simulation.neighbor.grid_too_small(&self.simulation.domain) {
            self.rebuild_simulation()?;
        }
        self.simulation.tallied_forces()?;
        // Forces that are void must not be shown to fixes, which may do what cannot be undone.
        let fixes = self.fixes_take_part();
        let halted = match fixes {
            true => self.simulation.neighbor.poll(&self.simulation.atoms)?.is_some(),
            false => {
                self.change_forces()?;
                self.here.halted
            }
        };
        if halted {
            gpu.sample(true);
            self.follow_atoms()?;
            self.simulation.tallied_forces()?;
        }
        if halted || fixes {
            self.change_forces()?;
        }
        self.evaluations += 1;
        self.hooks.minimized(self.session, &mut self.simulation)?;
        self.progress.suspend(|| run::log_lines(self.session, &self.hooks));
        Ok(())
    }

    /// Whether fixes have to do with forces or energy.
    fn fixes_take_part(&self) -> bool {
        let fixes = &self.session.fixes;
        self.simulation.step_kernels.changes_forces()
            || fixes.iter().any(|fix| {
                fix.measured().is_some()
                    || crate::fixes::box_relax::relaxation(&**fix).is_some()
                    || fix.varies()
            })
    }

    /// Fixes change the forces, which are measured then.
    fn change_forces(&mut self) -> Result<()> {
        self.simulation.neighbor.check_bonds(&self.simulation.atoms)?;
        let gpu = self.simulation.atoms.context.gpu.clone();
        gpu.host(Section::Modify, || self.hooks.change_forces(self.session, &mut self.simulation))?;
        self.measure()
    }

    /// The device has halted: some atom has come too far for the list, if it is no bond that has broken.
    fn follow_atoms(&mut self) -> Result<()> {
        let simulation = &mut self.simulation;
        simulation.neighbor.check_bonds(&simulation.atoms)?;
        if simulation.outgrows()? {
            return self.rebuild_simulation();
        }
        let atoms = simulation.atoms.n;
        simulation.atoms.run_on()?;
        simulation.rebuild()?;
        match simulation.atoms.n == atoms {
            true => Ok(()),
            false => Err(Error::new("an atom was lost in a minimization")),
        }
    }

    fn rebuild_simulation(&mut self) -> Result<()> {
        let atoms = self.simulation.atoms.n;
        self.simulation = setup::rebuild_simulation(self.session, &self.simulation, true)?;
        if self.simulation.atoms.n != atoms {
            return Err(Error::new("an atom was lost in a minimization"));
        }
        self.vectors.follow(&self.simulation, boxes_change(self.session))
    }

    /// Reads energy, and what searches decide by.
    fn measure(&mut self) -> Result<()> {
        self.look_around()?;
        let volume = self.simulation.domain.volume(self.session.system.dimension);
        let tail = self.simulation.course.tail.0 / volume;
        let system = Snapshot::new(self.session, Some(&self.simulation));
        let fixes = self.session.fixes.iter().map(|fix| fix.potential_energy(&system)).sum::<f64>();
        drop(system);
        let mut energy = self.here.energy + self.here.bond_energy + tail + fixes;
        if let Some(relaxation) = relaxation(self.session) {
            energy += relaxation.energy(&self.simulation.domain, self.session.system.units.nktv2p);
            self.strains.force = self.hooks.box_forces(self.session, &mut self.simulation)?;
        }
        self.energy = energy / self.divisor();
        Ok(())
    }

    /// Takes [`Landscape::here`] anew, after velocities or the direction have changed.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn look_around(&mut self) -> Result<()> {
        self.here = self.vectors.sums(&self.simulation)?;
        Ok(())
    }

    /// The divisor of energies.
    pub(super) fn divisor(&self) -> f64 {
        if self.session.output.thermo.norm { self.simulation.atoms.n as f64 } else { 1.0 }
    }

    /// How many numbers a direction has.
    pub(super) fn freedom(&self) -> usize {
        3 * self.simulation.atoms.n + self.strains.force.len()
    }

    /// By how much the energy falls per length along the direction.
    pub(super) fn slope(&self) -> f64 {
        (self.here.along + dot(&self.strains.force, &self.strains.direction)) / self.divisor()
    }

    /// The product of the forces here and where the direction was chosen.
    pub(super) fn overlap(&self) -> f64 {
        self.here.before + dot(&self.strains.force, &self.strains.gradient)
    }

    /// The largest component of the direction.
    pub(super) fn largest(&self) -> f64 {
        self.here.largest.max(largest(&self.strains.direction))
    }

    /// The direction becomes the forces and `beta` times itself.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn turn(&mut self, beta: f64) -> Result<()> {
        self.vectors.turn(&self.simulation, beta)?;
        let Strains { force, direction, gradient } = &mut self.strains;
        direction.resize(force.len(), 0.0);
        direction.iter_mut().zip(&*force).for_each(|(h, f)| *h = f + beta * *h);
        gradient.clone_from(force);
        self.look_around()
    }

    /// Damped motion goes on, and the forces follow.
    ///
    /// # Errors
    /// As [`Landscape::evaluate`].
    pub(super) fn move_damped(&mut self, step: &Damped) -> Result<()> {
        self.vectors.move_damped(&self.simulation, step)?;
        self.evaluate()
    }

    /// Velocities change where the atoms are.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn kick(&mut self, by: f64) -> Result<()> {
        self.vectors.move_damped(&self.simulation, &Damped { first: by, ..Damped::default() })?;
        self.look_around()
    }

    /// From here.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn start(&self) -> Result<Domain> {
        self.vectors.keep_start(&self.simulation)?;
        Ok(self.simulation.domain.clone())
    }

    /// How far a search may go along the direction, so that no coordinate goes farther than `dmax` and no strain too far.
    pub(super) fn reach(&self, dmax: f64) -> f64 {
        let longest = dmax / self.here.largest;
        relaxation(self.session)
            .map_or(longest, |relaxation| longest.min(relaxation.longest(&self.strains.direction)))
    }

    /// Goes from the start, where the box was this one, along the direction. Atoms follow the box, if it takes part, and then
    /// move by themselves.
    ///
    /// # Errors
    /// As [`Landscape::evaluate`], and when the box has no extent any more.
    pub(super) fn go(&mut self, from: &Domain, alpha: f64) -> Result<()> {
        let mut carried = None;
        if let Some(relaxation) = relaxation(self.session) {
            let strains: Vec<f64> = self.strains.direction.iter().map(|strain| alpha * strain).collect();
            let to = relaxation.strained(from, &strains);
            let (before, now) = (from.lengths(), to.lengths());
            let [.., xy, xz, yz] = from.map_to(to.lo, to.hi, to.tilt);
            carried = Some(Carried {
                lo: [from.lo, to.lo],
                longer: std::array::from_fn(|d| now[d] / before[d]),
                aside: [xy, xz, yz],
                mask: relaxation.carried(),
            });
            self.simulation.set_tilted_box(to.lo, to.hi, to.tilt)?;
        }
        self.vectors.go_along(&self.simulation, alpha, carried)?;
        self.evaluate()
    }

    /// A line search has found its end; now and then the box there is the new reference.
    ///
    /// # Errors
    /// As [`Landscape::evaluate`].
    pub(super) fn arrive(&mut self) -> Result<Option<Stop>> {
        let domain = &self.simulation.domain;
        if relaxation(self.session)
            .is_some_and(|relaxation| relaxation.new_reference(self.iterations, domain))
        {
            self.evaluate()?;
            self.evaluations -= 1; // as LAMMPS counts
        }
        Ok(None)
    }

    /// The square of the forces' length.
    pub(super) fn force_squared(&self, norm: Norm) -> f64 {
        let strains = &self.strains.force;
        match norm {
            Norm::Two => self.here.force_squared + dot(strains, strains),
            Norm::Max => self.here.longest_force_squared.max(largest(strains).powi(2)),
            Norm::Inf => self.here.largest_force.max(largest(strains)).powi(2),
        }
    }

    /// Whether the last iteration changed the energy by less than the tolerance.
    pub(super) fn energy_settled(&self, limits: Limits) -> bool {
        let scale = 0.5 * (self.energy.abs() + self.previous_energy.abs() + SMALL_ENERGY);
        (self.energy - self.previous_energy).abs() < limits.energy * scale
    }

    /// Whether the forces are below the tolerance.
    pub(super) fn at_rest(&mut self, limits: Limits) -> bool {
        let squared = self.force_squared(self.session.minimize.norm);
        if squared < self.least.0 {
            self.least = (squared, self.iterations);
        }
        if squared < SMALLER * self.fallen.0 {
            self.fallen = (squared, self.iterations);
        }
        limits.force > 0.0 && squared < limits.force * limits.force
    }

    /// Whether no iteration of the later half has come to smaller forces than those before.
    pub(super) fn stands_still(&self) -> bool {
        self.iterations >= FEW_ITERATIONS && self.least.1 <= self.iterations / 2
    }

    /// The force norm that the script asks for.
    pub(super) fn force(&self) -> f64 {
        self.force_squared(self.session.minimize.norm).sqrt()
    }

    /// Begins an iteration, or says why not.
    pub(super) fn next(&mut self, limits: Limits) -> Option<Stop> {
        if self.iterations >= limits.iterations {
            return Some(Stop::MaxIterations);
        }
        if super::ending(self.session) || self.hooks.stops().is_some() {
            return Some(Stop::WallTime);
        }
        self.session.clock.step += 1;
        self.simulation.atoms.step += 1;
        self.iterations += 1;
        self.progress.tick(self.session.clock.step);
        None
    }

    fn due(&self) -> bool {
        self.output.next(self.session, self.session.clock.step - 1) == self.session.clock.step
    }

    /// Rows and frames where they are due, or all because the search is over.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub(super) fn write(&mut self, over: bool) -> Result<()> {
        if !(over || self.due()) {
            return Ok(());
        }
        let written = self.written.replace(self.session.clock.step) == Some(self.session.clock.step);
        let (session, simulation, output) = (&mut *self.session, &mut self.simulation, &mut self.output);
        self.progress.suspend(|| match over {
            true => output.write_all(session, simulation, written),
            false => output.write(session, simulation, false),
        })
    }

    /// The closing lines; atoms stay on the device.
    ///
    /// # Errors
    /// When a file cannot be written or the device fails.
    pub(super) fn close(self, stats: String, clocks: &Clocks) -> Result<()> {
        let Landscape { session, mut simulation, hooks, output, progress, .. } = self;
        session.clock.halted = hooks.stops() == Some(true);
        hooks.end(session, &mut simulation)?;
        drop(progress);
        run::warn_of_densities(session, &simulation)?;
        let seconds = clocks.stop(&simulation.atoms.context.gpu)?;
        let mut record = run::record(session, &simulation, seconds, Some(stats))?;
        record.ask_ranks();
        output.end(session, &simulation, &record, true)?;
        session.sharing.cuts = simulation.cuts();
        session.system.domain = Some(simulation.domain);
        let tally = simulation.tallied.then_some(simulation.step_kernels.tally);
        session.set_resident(simulation.atoms, tally);
        Ok(())
    }
}
