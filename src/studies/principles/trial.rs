//! The melt on a device with kernels by chosen rules: forces compared, kernels timed in turns, whole runs.

use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::base::log::Log;
use crate::commands::interpreter::{Echo, Interpreter};
use crate::engine::kernels::LaunchConfig;
use crate::engine::kernels::variants::{KernelVariants, Variant};
use crate::engine::simulation::Simulation;
use crate::gpu::Gpu;
use crate::gpu::options::{Precision, TimingMode};
use crate::gpu::record::Section;
use crate::run::setup;
use crate::run::tuning::trial;
use crate::run::tuning::trial::{Facts, median};
use crate::script::variables::Variables;
use crate::session::Session;
use crate::session::options::Options;

/// The two kernels that the document tunes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    /// The neighbour loop.
    Pair,
    /// The build of the neighbour list.
    List,
}

impl Kernel {
    /// Both.
    pub const BOTH: [Kernel; 2] = [Kernel::Pair, Kernel::List];

    /// Its name in the records of the device's clock.
    fn record(self) -> &'static str {
        match self {
            Kernel::Pair => "pair_force",
            Kernel::List => "build_list",
        }
    }

    /// Why there is nothing in this kernel, cut up like this, that the rule is about.
    ///
    /// # Errors
    /// The reason, where there is one.
    pub fn concerns(
        self,
        rule: Variant,
        shape: LaunchConfig,
        precision: Precision,
    ) -> Result<(), &'static str> {
        let blocks = shape.block_edge > 0;
        match (rule, self) {
            (Variant::Unrolling, Kernel::Pair) if !shape.tile && shape.unroll == 1 => {
                Err("not unrolled here")
            }
            (Variant::Private | Variant::Barriers, Kernel::List) if !blocks => Err("groups of one"),
            (Variant::Remainders, Kernel::Pair) if shape.lanes * shape.list_width == 1 => Err("none in it"),
            (Variant::Native, Kernel::List) => Err("no division in it"),
            (Variant::Native, Kernel::Pair) if precision == Precision::Double => Err("not in fp64"),
            (Variant::Banks, Kernel::Pair) if !shape.tile => Err("no local memory"),
            (Variant::Banks, Kernel::List) if !blocks => Err("no local memory"),
            _ => Ok(()),
        }
    }
}

/// Seconds of one launch by the device's clock: medians over the repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seconds {
    /// With the rule.
    pub with: f64,
    /// Without it.
    pub without: f64,
    /// How many times as long it takes without ([`trial::ratio`]).
    pub ratio: f64,
    /// How far off that may be, relatively.
    pub spread: f64,
}

impl Seconds {
    /// Of the times of each repetition.
    fn of([with, without]: [Vec<f64>; 2]) -> Self {
        let (ratio, spread) = trial::ratio(&with, &without);
        Seconds { with: median(with), without: median(without), ratio, spread }
    }
}

/// A whole run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Whole {
    /// Wall seconds of the loop.
    pub total: f64,
    /// Device seconds of forces and of the integration that shares their kernel.
    pub pair: f64,
    /// Device seconds of all that belongs to rebuilding lists.
    pub neigh: f64,
}

/// The melt of inputs/in.lj, after a hundred steps.
pub struct Melt {
    session: Session,
    /// The device.
    pub gpu: Gpu,
    /// Arithmetic.
    pub precision: Precision,
    /// How the shipped kernels cut up the work.
    pub shape: LaunchConfig,
}

impl Melt {
    /// So many fcc cells per axis, on the device that `device` selects.
    ///
    /// # Errors
    /// When the device does not open, fails, or lacks memory.
    pub fn new(gpu: Gpu, precision: Option<Precision>, cells: [u32; 3]) -> Result<Self> {
        let [x, y, z] = cells;
        let script = format!(
            "units lj\nlattice fcc 0.8442\nregion box block 0 {x} 0 {y} 0 {z}\ncreate_box 1 box\n\
             create_atoms 1 box\nmass 1 1.0\nvelocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\n\
             pair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\nneigh_modify delay 0 every 20 check no\nfix 1 all nve\n\
             run 100\n"
        );
        let options = Options { precision, timing: TimingMode::Full, ..Options::default() };
        let mut session = Session::new(options, Log::memory(), Variables::default());
        session.device.gpu = Some(gpu.clone());
        let mut interpreter = Interpreter::new(session, Echo::None);
        interpreter.run("melt", &script)?;
        let mut session = interpreter.session;
        session.atoms_mut()?;
        let context = setup::setup(&mut session, false)?.atoms.context;
        Ok(Melt { session, gpu, precision: context.numerics.precision, shape: context.shape })
    }

    /// Number of atoms.
    pub fn atoms(&self) -> usize {
        self.session.atom_count()
    }

    /// The melt with kernels by these rules, with its first list and forces.
    fn simulation(&mut self, rules: KernelVariants) -> Result<Simulation> {
        self.session.options.rules = rules;
        setup::setup(&mut self.session, false)
    }

    /// Whether kernels by these rules give the right forces and lists: those of the shipped ones.
    ///
    /// # Errors
    /// How they are wrong, or when the device fails.
    pub fn check(&mut self, rules: KernelVariants) -> Result<()> {
        let (mut expected, mut found) =
            (self.simulation(KernelVariants::default())?, self.simulation(rules)?);
        Facts::of(&mut expected)?.check(&mut found)
    }

    /// Times the kernels with one set of rules and with the other, in turns, after a comparison of their forces.
    ///
    /// # Errors
    /// When the forces are wrong, a kernel does not build, or the device fails.
    pub fn trial(
        &mut self,
        with: KernelVariants,
        without: KernelVariants,
        repeats: usize,
    ) -> Result<[Seconds; 2]> {
        let mut pair = [self.simulation(with)?, self.simulation(without)?];
        let [expected, found] = &mut pair;
        Facts::of(expected)?.check(found)?;
        let mut seconds = [const { [const { Vec::new() }; 2] }; 2]; // by kernel and side
        for repeat in 0..=repeats {
            for turn in [repeat % 2, 1 - repeat % 2] {
                let [force, build] = launch(&mut pair[turn])?;
                if repeat > 0 {
                    seconds[0][turn].push(force);
                    seconds[1][turn].push(build);
                }
            }
        }
        Ok(seconds.map(Seconds::of))
    }

    /// Runs so many steps with each set of rules, in turns, and gives the medians.
    ///
    /// # Errors
    /// When the device fails.
    pub fn whole(&mut self, rules: [KernelVariants; 2], steps: u32, repeats: usize) -> Result<[Whole; 2]> {
        let mut runs = [const { Vec::new() }; 2];
        for _ in 0..repeats {
            for (runs, rules) in runs.iter_mut().zip(rules) {
                let mut simulation = self.simulation(rules)?;
                self.gpu.take_records()?;
                let total = trial::seconds(&mut simulation, steps)?;
                let records = self.gpu.take_records()?;
                let section =
                    |section| records.iter().filter(|r| r.section == section).map(|r| r.seconds).sum::<f64>();
                runs.push(Whole { total, pair: section(Section::Pair), neigh: section(Section::Neigh) });
            }
        }
        Ok(runs.map(|runs| {
            let of = |part: fn(&Whole) -> f64| median(runs.iter().map(part).collect());
            Whole { total: of(|w| w.total), pair: of(|w| w.pair), neigh: of(|w| w.neigh) }
        }))
    }
}

/// Seconds of one launch of each kernel.
fn launch(simulation: &mut Simulation) -> Result<[f64; 2]> {
    let gpu = simulation.atoms.context.gpu.clone();
    gpu.take_records()?;
    simulation.step_kernels.forces(&simulation.atoms, &simulation.neighbor, false)?;
    let (atoms, domain) = (&mut simulation.atoms, &mut simulation.domain);
    simulation.neighbor.rebuild(atoms, domain, &simulation.reductions)?;
    let records = gpu.take_records()?;
    let seconds = |kernel: Kernel| {
        let record = records.iter().find(|record| record.name == kernel.record());
        record
            .map(|record| record.sampled_seconds)
            .ok_or_else(|| Error::new(format!("no times of {}", kernel.record())))
    };
    Ok([seconds(Kernel::Pair)?, seconds(Kernel::List)?])
}
