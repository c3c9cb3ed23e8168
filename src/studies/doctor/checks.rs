//! The self-check: one kernel family after the other on small systems, against the plain f64 twins in src/reference.

use std::fs;

use serde::Serialize;

use crate::base::error::{Error, Result};
use crate::base::log::Log;
use crate::commands::interpreter::{Echo, Interpreter};
use crate::engine::analysis::reduce::Reductions;
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::Context;
use crate::engine::kernels::variants::KernelVariants;
use crate::engine::neighbor::cells::Cells;
use crate::engine::simulation::{Simulation, SimulationSpec};
use crate::gpu::Gpu;
use crate::gpu::options::Precision;
use crate::model::atoms::Atoms;
use crate::potentials::pair::Resolved;
use crate::reference;
use crate::reference::list::Neighbor;
use crate::reference::molecule::Place;
use crate::reference::pair::{Forces, Motion};
use crate::run::setup::{Ready, lists};
use crate::script::variables::Variables;
use crate::session::Session;
use crate::session::bonded;
use crate::session::options::Options;

/// A family of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Family {
    /// Atoms in the order of their cells
    Sort,
    /// Neighbour lists
    Lists,
    /// Pair forces by the kernels as tuned
    Pairs,
    /// Pair forces by plain kernels
    Plain,
    /// Forces of charges
    Charges,
    /// Forces of bonds
    Bonds,
    /// Forces of many bodies
    ManyBody,
    /// Sums over atoms
    Sums,
    /// Steps of time
    Steps,
    /// Several steps per launch, where the device makes them
    Several,
    /// Random numbers and friction between atoms
    Noise,
}

/// What came of a check.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Verdict {
    /// What was looked at.
    pub family: Family,
    /// Whether it is right; `None` where the device does without.
    pub right: Option<bool>,
    /// In words: how far off, or why not.
    pub words: String,
}

/// Atoms of the systems: those of 4 cells per axis, with one type or two, a bit off their sites.
const MELT: &str = "
units lj
atom_style ATOMS
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 2 box BONDS
create_atoms 1 box
set group all type/fraction 2 0.5 12393
mass * 1.0
displace_atoms all random 0.1 0.1 0.1 4711
velocity all create 1.44 87287
neighbor 0.3 bin
neigh_modify every 5 delay 0 check no
fix 1 all nve
";
const PAIRS: &str = "pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0\n";
const CHARGES: &str = "pair_style lj/cut/coul/dsf 0.2 2.5 2.5\npair_coeff * * 1.0 1.0\nset type 1 charge 1.0\nset type 2 charge -1.0\n";
const BONDS: &str = "bond_style harmonic\nbond_coeff 1 30.0 1.0\npair_style lj/cut 2.5\npair_coeff * * 1.0 1.0\n\
                     create_bonds many all all 1 0.8 1.1\n";
const NOISE: &str = "pair_style dpd 1.2 2.0 34387\npair_coeff * * 25.0 4.5\n";
/// Stillinger and Weber's silicon, Phys. Rev. B 31, 5262 (1985), in metal units.
const SILICON: &str = "
units metal
atom_style atomic
lattice diamond 5.431
region box block 0 3 0 3 0 3
create_box 1 box
create_atoms 1 box
mass * 28.0855
displace_atoms all random 0.2 0.2 0.2 4711
velocity all create 300.0 87287
neighbor 1.0 bin
fix 1 all nve
pair_style sw
";
const STILLINGER_WEBER: &str =
    "Si Si Si 2.1683 2.0951 1.80 21.0 1.20 -0.333333333333 7.049556277 0.6022245584 4.0 0.0 0.0\n";

/// Steps that are made, rebuilds among them.
const STEPS: u32 = 12;

impl Family {
    /// All of them.
    pub(super) const ALL: [Family; 11] = [
        Family::Sort,
        Family::Lists,
        Family::Pairs,
        Family::Plain,
        Family::Charges,
        Family::Bonds,
        Family::ManyBody,
        Family::Sums,
        Family::Steps,
        Family::Several,
        Family::Noise,
    ];

    /// For a table.
    pub(super) fn words(self) -> &'static str {
        match self {
            Family::Sort => "order of atoms",
            Family::Lists => "neighbour lists",
            Family::Pairs => "pair forces, tuned",
            Family::Plain => "pair forces, plain",
            Family::Charges => "charges",
            Family::Bonds => "bonds",
            Family::ManyBody => "many-body forces",
            Family::Sums => "sums over atoms",
            Family::Steps => "steps of time",
            Family::Several => "several steps per launch",
            Family::Noise => "friction and noise",
        }
    }

    fn script(self) -> String {
        let melt = |atoms: &str, bonds: &str, more: &str| {
            MELT.replace("ATOMS", atoms).replace("BONDS", bonds) + more
        };
        match self {
            Family::Charges => melt("charge", "", CHARGES),
            Family::Bonds => {
                melt("bond", "bond/types 1 extra/bond/per/atom 12 extra/special/per/atom 100", BONDS)
            }
            Family::Noise => melt("atomic", "", NOISE),
            Family::ManyBody => SILICON.to_owned(),
            _ => melt("atomic", "", PAIRS),
        }
    }

    /// Looks at a family. A kernel that does not compile or run is wrong, too.
    pub(super) fn check(self, gpu: &Gpu, precision: Precision) -> Verdict {
        let rules = if self == Family::Plain { KernelVariants::PLAIN } else { KernelVariants::default() };
        let found = System::new(&self.script(), gpu, precision)
            .and_then(|system| self.look_at(&system, &mut system.simulation(rules)?));
        self.verdict(found)
    }

    fn look_at(self, system: &System<'_>, simulation: &mut Simulation) -> Result<Finding> {
        match self {
            Family::Sort => system.order(simulation),
            Family::Lists => system.lists(simulation),
            Family::Sums => system.sums(simulation),
            Family::Steps => system.steps(simulation),
            Family::Several => system.several(simulation),
            _ => system.forces(simulation, self == Family::Noise),
        }
    }

    fn verdict(self, found: Result<Finding>) -> Verdict {
        let (right, words) = match found {
            Ok(Finding::Off(off, allowed)) => {
                (Some(off <= allowed), format!("{off:.0e} off, {allowed:.0e} allowed"))
            }
            Ok(Finding::Same(what)) => (Some(true), what.to_owned()),
            Ok(Finding::Wrong(what)) => (Some(false), what),
            Ok(Finding::Without(why)) => (None, why.to_owned()),
            Err(error) => (Some(false), error.to_string()),
        };
        Verdict { family: self, right, words }
    }
}

/// The short form: what one system shows of the kernels that all runs have, for one set of programs.
pub(super) fn short(gpu: &Gpu, precision: Precision, rules: KernelVariants) -> Vec<Verdict> {
    const FAMILIES: [Family; 5] = [Family::Sort, Family::Pairs, Family::Sums, Family::Lists, Family::Steps];
    let look = || -> Result<Vec<Verdict>> {
        let system = System::new(&Family::Pairs.script(), gpu, precision)?;
        let mut simulation = system.simulation(rules)?;
        let mut look_at = |family: Family| family.verdict(family.look_at(&system, &mut simulation));
        Ok(FAMILIES.into_iter().map(&mut look_at).collect())
    };
    look().unwrap_or_else(|error| vec![Family::Pairs.verdict(Err(error))])
}

enum Finding {
    /// Relative error, and what is allowed.
    Off(f64, f64),
    Same(&'static str),
    Wrong(String),
    Without(&'static str),
}

/// A system as scripts make it.
struct System<'a> {
    session: Session,
    gpu: &'a Gpu,
    precision: Precision,
}

impl<'a> System<'a> {
    fn new(script: &str, gpu: &'a Gpu, precision: Precision) -> Result<Self> {
        let session = Session::new(Options::default(), Log::memory(), Variables::default());
        let mut interpreter = Interpreter::new(session, Echo::None);
        let name = "the self-check";
        interpreter.run(name, script)?;
        if script == SILICON {
            // Coefficients are in files only.
            let file = std::env::temp_dir().join(format!("clamps-doctor-{}.sw", std::process::id()));
            let failed = |err| Error::new(format!("cannot write {}: {err}", file.display()));
            fs::write(&file, STILLINGER_WEBER).map_err(failed)?;
            let read = interpreter.run(name, &format!("pair_coeff * * \"{}\" Si\n", file.display()));
            let _ = fs::remove_file(&file); // it may stay
            read?;
        }
        Ok(System { session: interpreter.session, gpu, precision })
    }

    fn pair(&self) -> Result<Resolved<'_>> {
        self.session.force_field.acting_pair().ok_or_else(|| Error::new("there is no pair style"))?.resolve()
    }

    /// Allowed for forces and sums, relative to their size.
    fn allowed(&self) -> f64 {
        if self.precision == Precision::Double { 1e-11 } else { 1e-5 }
    }

    /// On the device, with lists and first forces. What steps take is compiled when they come: most families have none.
    fn simulation(&self, rules: KernelVariants) -> Result<Simulation> {
        let Session { system, neighbor, .. } = &self.session;
        let domain = self.session.domain()?.clone();
        let look = |thin: &dyn Fn(&[[f64; 3]]) -> bool| Ok(thin(&system.host_atoms.x));
        let lists = lists::choose(&self.session, self.gpu, &domain, neighbor.skin, &system.host_atoms, look)?;
        let ready = Ready::new(
            &self.session,
            self.gpu.clone(),
            self.precision,
            domain.clone(),
            neighbor.skin,
            lists,
            false,
        )?;
        ready.with_spec(&self.session, |spec| {
            let context = spec.context(self.gpu, self.precision, &domain, system.host_atoms.len());
            let shape = rules.shape(context.shape);
            let atoms = DeviceAtoms::new(&Context { shape, ..context }, &system.host_atoms)?;
            Simulation::new(&SimulationSpec { at_rest: true, ..*spec }, atoms, domain.clone())
        })
    }

    fn download(simulation: &Simulation) -> Result<Atoms> {
        simulation.atoms.download(&Atoms::default())
    }

    /// Atoms in the order of cells and IDs, all of them with what was theirs.
    fn order(&self, simulation: &Simulation) -> Result<Finding> {
        let (found, start) = (System::download(simulation)?, &self.session.system.host_atoms);
        let (domain, numerics) = (&simulation.domain, simulation.atoms.context.numerics);
        let wrapped: Vec<_> = (0..start.len())
            .map(|i| {
                let x =
                    std::array::from_fn(|d| numerics.from_master(numerics.to_master(start.x[i][d], d), d));
                reference::cells::wrap(domain, x, start.image[i])
            })
            .collect();
        let grid = simulation.neighbor.grid();
        let keys: Vec<_> = wrapped.iter().map(|(x, _)| reference::cells::bin(domain, grid, *x)).collect();
        let by_type = Cells::have_atoms_by_type(&simulation.atoms.context);
        let order = reference::cells::order(&keys, by_type.then_some(&start.kind[..]), &start.tag);
        let same = order.len() == found.len()
            && order.iter().enumerate().all(|(k, &i)| {
                let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|d| (a[d] - b[d]).abs() < 1e-6);
                found.tag[k] == start.tag[i] && near(found.v[k], start.v[i]) && near(found.x[k], wrapped[i].0)
            });
        Ok(match same {
            true => Finding::Same("as it should be"),
            false => Finding::Wrong("not that of cells and IDs".to_owned()),
        })
    }

    /// Lists as they are now: by brute force, with a margin for rounding at the edge.
    fn brute_lists(
        &self,
        simulation: &Simulation,
        atoms: &Atoms,
        stretch: f64,
    ) -> Result<Vec<Vec<Neighbor>>> {
        let skin = self.session.neighbor.skin;
        let reach: Vec<f64> = self.pair()?.cutoffs().iter().map(|cutoff| (cutoff + skin) * stretch).collect();
        let (dimension, types) = (self.session.system.dimension, self.session.system.mass.len());
        Ok(reference::list::neighbors(&simulation.domain, dimension, types, &reach, &atoms.x, &atoms.kind))
    }

    /// Pairs that lists lack or have for nothing, at first and after rebuilds.
    fn lists(&self, simulation: &mut Simulation) -> Result<Finding> {
        for steps in [0, 10] {
            simulation.run(steps)?;
            let (atoms, resident) = (System::download(simulation)?, &simulation.atoms);
            // After steps lists are those of positions before: only pairs that are surely in them or not are looked at.
            let margin = if steps == 0 { 1e-6 } else { 0.1 };
            let least = self.brute_lists(simulation, &atoms, 1.0 - margin)?;
            let most = self.brute_lists(simulation, &atoms, 1.0 + margin)?;
            let found = simulation.neighbor.download(resident)?;
            let (mut missing, mut beyond) = (0, 0);
            for (i, list) in found.iter().enumerate() {
                let mut found: Vec<usize> =
                    list.iter().map(|&entry| entry as usize % resident.capacity).collect();
                let [mut least, mut most] =
                    [&least, &most].map(|lists| lists[i].iter().map(|entry| entry.atom).collect::<Vec<_>>());
                missing += left_of(&mut least, &mut found);
                beyond += left_of(&mut found, &mut most);
            }
            if missing + beyond > 0 || found.len() != atoms.len() {
                let when = if steps == 0 { "at first" } else { "after rebuilds" };
                return Ok(Finding::Wrong(format!("{missing} pairs missing, {beyond} too many, {when}")));
            }
        }
        Ok(Finding::Same("every pair, and no other"))
    }

    /// Forces in f64 at the positions that the device has.
    fn twin(&self, simulation: &Simulation, atoms: &Atoms, noise: bool) -> Result<Forces> {
        let lists = self.brute_lists(simulation, atoms, 1.0)?;
        let charges: std::collections::BTreeMap<u32, f64> = self.session.charges().into_iter().collect();
        let Atoms { x, v, tag, kind, .. } = atoms;
        let charge: Vec<f64> = tag.iter().map(|tag| charges.get(tag).copied().unwrap_or(0.0)).collect();
        let pair = self.pair()?;
        let mut forces = reference::pair::forces(&pair, kind, &charge, &lists);
        let (domain, dimension) = (&simulation.domain, self.session.system.dimension);
        let place = Place { domain, dimension, x, tag, kind, charge: &charge };
        reference::molecule::add(&mut forces, &bonded::molecules(&self.session)?, &pair, place);
        if noise {
            let noise_unit = self.session.clock.dt.powf(-0.5);
            let step = self.session.clock.step + i64::from(simulation.atoms.step);
            reference::pair::add_friction(
                &mut forces,
                &pair,
                Motion { kind, tag, v, step, noise_unit },
                &lists,
            );
        }
        Ok(forces)
    }

    /// First forces, energy and virial.
    fn forces(&self, simulation: &Simulation, noise: bool) -> Result<Finding> {
        let expected = self.twin(simulation, &System::download(simulation)?, noise)?;
        let (found, sums) = (simulation.atoms.forces()?, simulation.sums()?);
        let size = expected.virial.iter().fold(1.0_f64, |size, w| size.max(w.abs()));
        let off = |a: f64, b: f64| (a - b).abs() / size;
        let virial = (0..6).map(|k| off(sums.virial[k], expected.virial[k]));
        let bonds = off(sums.bond_energy, expected.bond_energy);
        // Of pairs with friction no energy is known.
        let energy = if noise { 0.0 } else { off(sums.energy, expected.energy) };
        let errors = virial.chain([energy, bonds, relative(&found, &expected.force)]);
        Ok(Finding::Off(worst(errors), self.allowed()))
    }

    fn sums(&self, simulation: &Simulation) -> Result<Finding> {
        let atoms = System::download(simulation)?;
        let mass: Vec<f64> = self.session.system.mass.iter().map(|mass| mass.unwrap_or(1.0)).collect();
        let (found, count) =
            Reductions::new(&simulation.atoms.context, &mass)?.kinetic(&simulation.atoms, 1, None)?;
        let (expected, members) = reference::reduce::kinetic(&atoms, &mass, 1);
        if count != members {
            return Ok(Finding::Wrong(format!("{count} of {members} atoms")));
        }
        let size: f64 = expected[..3].iter().sum();
        let tallies = simulation.sums()?;
        let forces = self.twin(simulation, &atoms, false)?;
        let energy = (tallies.energy - forces.energy).abs() / forces.energy.abs();
        let errors = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / size);
        Ok(Finding::Off(worst(errors.chain([energy])), self.allowed()))
    }

    /// Steps against velocity Verlet in f64, which has the forces of the twin.
    fn steps(&self, simulation: &mut Simulation) -> Result<Finding> {
        let mut host = System::download(simulation)?;
        let mass: Vec<f64> = self.session.system.mass.iter().map(|mass| mass.unwrap_or(1.0)).collect();
        let (dt, ftm2v) = (self.session.clock.dt, self.session.system.units.ftm2v);
        let mut force = self.twin(simulation, &host, false)?.force;
        for _ in 0..STEPS {
            reference::integrate::kick(&mut host, &force, &mass, ftm2v, dt, 1);
            reference::integrate::drift(&mut host, dt, 1);
            force = self.twin(simulation, &host, false)?.force;
            reference::integrate::kick(&mut host, &force, &mass, ftm2v, dt, 1);
        }
        simulation.run(STEPS)?;
        let found = System::download(simulation)?;
        let mut by_tag: Vec<_> = found.tag.iter().zip(&found.v).collect();
        by_tag.sort_unstable_by_key(|(tag, _)| **tag);
        let mut expected: Vec<_> = host.tag.iter().zip(&host.v).collect();
        expected.sort_unstable_by_key(|(tag, _)| **tag);
        let [found, expected] =
            [by_tag, expected].map(|rows| rows.into_iter().map(|(_, v)| *v).collect::<Vec<_>>());
        // Differences grow with time.
        Ok(Finding::Off(relative(&found, &expected), 10.0 * self.allowed()))
    }

    /// Steps that share launches against those that do not.
    fn several(&self, simulation: &mut Simulation) -> Result<Finding> {
        if !simulation.step_kernels.makes_multi_step() {
            return Ok(Finding::Without("not made on this device"));
        }
        let mut singly = self.simulation(KernelVariants::default())?;
        singly.step_kernels.disable_multi_step(u32::MAX)?;
        for one in [&mut *simulation, &mut singly] {
            one.run(STEPS)?;
        }
        let [found, expected] = [simulation, &mut singly].map(|one| System::download(one));
        let (found, expected) = (found?, expected?);
        Ok(match found.tag == expected.tag && found.x == expected.x && found.v == expected.v {
            true => Finding::Same("the same bits as single steps"),
            false => Finding::Wrong("other numbers than single steps have".to_owned()),
        })
    }
}

/// How many of `these` are not among `those`, each counted as often as it is there.
fn left_of(these: &mut [usize], those: &mut [usize]) -> usize {
    these.sort_unstable();
    those.sort_unstable();
    let (mut left, mut k) = (0, 0);
    for &one in &*these {
        while k < those.len() && those[k] < one {
            k += 1;
        }
        if those.get(k) == Some(&one) {
            k += 1;
        } else {
            left += 1;
        }
    }
    left
}

/// The largest, or infinite where one is no number.
fn worst(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |worst, error| if error.is_nan() { f64::INFINITY } else { worst.max(error) })
}

/// Root mean square of the differences, relative to that of `expected`.
fn relative(found: &[[f64; 3]], expected: &[[f64; 3]]) -> f64 {
    let square = |a: f64| a * a;
    let differences = found.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| square(a - b));
    let off = (differences.sum::<f64>() / expected.iter().flatten().map(|b| square(*b)).sum::<f64>()).sqrt();
    if off.is_nan() || found.len() != expected.len() { f64::INFINITY } else { off }
}
