//! From what the script has said to a simulation on the device: checks, device, shape of the work, first forces.

mod again;
mod balance;
mod device;
mod inputs;
pub mod lists;
mod skin;

use crate::base::error::{Error, Result};
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::options::Rebuild;
use crate::engine::kernels::variants::KernelVariants;
use crate::engine::kernels::{Context, LaunchConfig, Lists, StepNeeds};
use crate::engine::neighbor;
use crate::engine::neighbor::long_pairs::LongPairs;
use crate::engine::simulation::{Simulation, SimulationSpec};
use crate::engine::step::fix_program::FixProgram;
use crate::gpu::options::Precision;
use crate::gpu::{DeviceKind, Gpu};
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::Pair;
use crate::run::factors;
use crate::run::tuning::search::{Search, search};
use crate::session::Session;
use crate::session::bonded;
use crate::session::compute::Temperature;
use crate::session::fix::{coupling, programs};
use crate::session::options::{Options, Tune};
use crate::session::tuned::{Choice, Key, Record};
pub use again::{in_precision, rebuild_simulation, with_moved_atoms, with_other_atoms};
use device::{device_for, open_device, precision};
pub use skin::tune as tune_skin;
use std::time::Duration;

/// How long `-tune auto` searches, about.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a simulation needs besides what the script has said, and what the engine needs to know of that: all that a
/// [`SimulationSpec`] borrows from.
pub struct Ready {
    gpu: Gpu,
    precision: Precision,
    minimizing: bool,
    at_rest: bool,
    mass: Vec<f64>,
    molecules: BondedTopology,
    charges: Vec<(u32, f64)>,
    given: Vec<Vec<(u32, f64)>>,
    fixes: Vec<FixProgram>,
    needs: StepNeeds,
    domain: Domain,
    /// Of the lists.
    skin: f64,
    /// Whether the atoms lie thin.
    thin: bool,
    /// Which pairs of types have lists of their own.
    long: Option<LongPairs>,
}

impl Ready {
    /// For the system in the box `domain` on a device; masses, bonds and coefficients must be there.
    ///
    /// # Errors
    /// As [`programs`], and when something is missing.
    pub fn new(
        session: &Session,
        gpu: Gpu,
        precision: Precision,
        domain: Domain,
        skin: f64,
        (long, thin): (Option<LongPairs>, bool),
        minimizing: bool,
    ) -> Result<Self> {
        let pair = session.force_field.acting_pair().ok_or_else(no_pair_style)?;
        let pair = pair.resolve()?.for_device(gpu.common().shaped_as(), session.computes.virials_by_atom());
        let seen = pair.seen();
        let wide = precision != Precision::Single;
        // As StepKernels::new has it, where steps share launches.
        let sums_amid =
            session.fixes.iter().any(|fix| fix.hooks().is_some_and(|hooks| hooks.pre_force_sum.is_some()));
        let mut molecules = bonded::molecules(session)?;
        // A minimization tries lengths that it does not keep.
        molecules.snaps &= !minimizing;
        let snaps = molecules.snaps;
        let by_device = coupling::functions(&session.fixes, session, wide && !minimizing && !snaps);
        let moves_box = by_device.is_some_and(|functions| functions.moves_box);
        let is_of_sets = by_device.is_some_and(|functions| functions.slot.is_some());
        // Groups of GPUs do not share sets of atoms.
        let sets_apart = is_of_sets && gpu.common().shaped_as() == DeviceKind::Gpu;
        let single = minimizing || snaps || seen.velocities || sums_amid || long.is_some() || sets_apart;
        // Devices of different kinds would each move the box, or bodies, by their own rounding.
        let parts = gpu.is_among_others() && (moves_box || is_of_sets);
        Ok(Ready {
            gpu,
            precision,
            minimizing,
            at_rest: false,
            mass: session.system.mass.iter().map(|mass| mass.unwrap_or(1.0)).collect(),
            molecules,
            charges: if seen.charges { session.charges() } else { Vec::new() },
            given: pair.inputs().map(|input| session.given(input)).collect(),
            fixes: programs(session, wide && !minimizing && !snaps && !parts)?,
            needs: StepNeeds { single, lists: Lists::of(seen), moves_box: moves_box && !single && !parts },
            domain,
            skin,
            thin,
            long,
        })
    }

    /// Lends the specification of the simulation.
    ///
    /// # Errors
    /// As `work`, and when coefficients are missing.
    pub fn with_spec<R>(
        &self,
        session: &Session,
        work: impl FnOnce(&SimulationSpec<'_>) -> Result<R>,
    ) -> Result<R> {
        let pair = session.force_field.acting_pair().ok_or_else(no_pair_style)?.resolve()?;
        let pair = pair.for_device(self.gpu.common().shaped_as(), session.computes.virials_by_atom());
        work(&SimulationSpec {
            dimension: session.system.dimension,
            mass: &self.mass,
            pair: &pair,
            molecules: &self.molecules,
            charges: &self.charges,
            given: &self.given,
            neighbor: &session.neighbor,
            skin: self.skin,
            fixes: &self.fixes,
            varying: session.fixes.iter().any(|fix| fix.changed_parameters().is_some())
                || session.force_field.has_variable_factors(),
            minimizing: self.minimizing,
            at_rest: self.at_rest,
            may_predict: may_predict(session),
            thin: self.thin,
            long: self.long.as_ref(),
            needs: self.needs,
            weights: session.options.shares.as_ref().or(session.device.weights.as_ref()),
            cuts: session.sharing.cuts.as_ref(),
            layout: session.device.layout.as_ref(),
            step: session.clock.step,
            span: session.clock.span,
            dt: session.clock.dt,
            boltz: session.system.units.boltz,
            mvv2e: session.system.units.mvv2e,
        })
    }
}

fn no_pair_style() -> Error {
    Error::new("there is no pair style").help("add pair_style and pair_coeff lines")
}

/// Whether lists may be built around where atoms will be, as far as that depends on what the script says: nothing that moves
/// atoms may depend on when they are wrapped into the box, which is at rebuilds only: what looks at where they are (regions,
/// formulas, exchanges, temperatures by places) sees those near a face otherwise when these come later.
fn may_predict(session: &Session) -> bool {
    let temperatures = session.computes.iter().filter_map(|compute| compute.temperature());
    session.options.rebuild == Rebuild::Seldom
        && session.system.domain.as_ref().is_some_and(|domain| (0..3).all(|d| domain.periodic(d)))
        && session.fixes.iter().all(|fix| fix.ignores_wrapping())
        && session.system.groups.dynamic.is_empty()
        // The virials of a body's atoms depend on where it is, though their sum does not.
        && !(session.computes.iter().any(|compute| compute.counts_fixes_by_atom())
            && session.fixes.iter().any(|fix| coupling::is_of_sets(&**fix)))
        && temperatures.map(Temperature::components).all(|same_for_all| same_for_all.is_some())
}

/// Checks that nothing is missing and opens the device.
fn ready(session: &mut Session, minimizing: bool) -> Result<Ready> {
    let mut domain = session.domain()?.clone();
    session.script.named_variables.look_up(&session.script.variables)?;
    factors::begin(session)?;
    if let Some(kind) = session.system.mass.iter().position(Option::is_none) {
        return Err(Error::new(format!("atom type {} has no mass", kind + 1))
            .help(format!("add a line like: mass {} 1.0", kind + 1)));
    }
    session.force_field.stand_in = match session.force_field.pair {
        Some(_) => None,
        None => Some(Pair::none(session.types())?),
    };
    if session.force_field.bonded.as_ref().is_some_and(|bonded| bonded.style.breaks()) {
        session.atoms()?;
        bonded::let_snap(session, &domain)?;
    }
    let pair = session.force_field.acting_pair().ok_or_else(no_pair_style)?;
    inputs::check_rows(session)?;
    inputs::check_atoms(session, pair)?;
    bonded::check_snapping(session)?;
    inputs::check(session, pair)?;
    pair.check_tails(session.system.dimension)?;
    if bonded::molecules(session)?.partial() && pair.is_many_body() {
        let name = pair.name();
        return Err(Error::new(format!(
            "pair_style {name} knows no pairs that count in part (special_bonds)"
        ))
        .help("write factors of 0 or 1, such as `special_bonds lj/coul 0 1 1`"));
    }
    if !session.system.topology.bonds.is_empty() && session.force_field.bonded.is_none() {
        session.output.log.line("WARNING: Bonds are defined but no bond style is set");
    }
    let (rule, (mixed, unlike)) = {
        let pair = pair.resolve()?;
        (pair.rule, pair.mixed)
    };
    if session.force_field.pair.is_some() {
        session
            .output
            .log
            .line(&format!("Generated {mixed} of {unlike} mixed pair_coeff terms from {rule} mixing rule"));
    }
    if !minimizing && !session.fixes.iter().any(|fix| fix.integrates()) {
        session.output.log.line("WARNING: No fixes with time integration, atoms won't move");
    }
    let moved: Vec<u32> = session.fixes.iter().filter(|f| f.integrates()).map(|f| f.header().group).collect();
    let times = |mask: u32| moved.iter().filter(|&&group| mask & group != 0).count();
    if !minimizing && session.system.host_atoms.mask.iter().any(|&mask| times(mask) > 1) {
        session.output.log.line("WARNING: One or more atoms are time integrated more than once");
    }
    let fine = session.system.units.need_fp64().then_some(Precision::Double);
    let kept = session.device.precision.or(fine);
    let chosen = match &session.device.gpu {
        Some(gpu) => gpu.clone(),
        None => {
            let gpu = open_device(&mut session.output.log, &session.options, kept)?;
            session.device.gpu.insert(gpu).clone()
        }
    };
    let precision = precision(&chosen, &session.options, kept)?;
    if domain.triclinic && domain.shrinks() {
        // How far it leans follows from where its faces come to be.
        domain.shrink_around(&session.now().atoms()?.x);
    }
    let skin = session.neighbor.skin;
    let gpu = device_for(session, &chosen, &domain, precision, minimizing)?;
    let look = |thin: &dyn Fn(&[[f64; 3]]) -> bool| Ok(thin(&session.now().atoms()?.x));
    let lists = lists::choose(session, &gpu, &domain, skin, &session.system.host_atoms, look)?;
    let devices = session.fixes.iter().filter_map(|fix| fix.device());
    devices.for_each(|device| device.hand_over_formulas(session, precision != Precision::Single));
    Ready::new(session, gpu, precision, domain, skin, lists, minimizing)
}

/// Checks that nothing is missing, opens the device, brings the atoms there and computes the first forces, for a minimization
/// or for trials of kernels.
///
/// # Errors
/// When something that a run needs is missing or the device fails.
pub fn setup(session: &mut Session, minimizing: bool) -> Result<Simulation> {
    let ready = ready(session, minimizing)?;
    let shape = shape(session, &ready)?;
    finish(session, &ready, shape)
}

/// The same for atoms that do not move.
///
/// # Errors
/// As [`setup`].
pub fn setup_at_rest(session: &mut Session) -> Result<Simulation> {
    let ready = Ready { at_rest: true, ..ready(session, false)? };
    let shape = shape(session, &ready)?;
    finish(session, &ready, shape)
}

/// The same for a run of so many steps, whose lists may have a skin of the tuner's.
///
/// # Errors
/// As [`setup`].
pub fn setup_run(session: &mut Session, steps: i64) -> Result<Simulation> {
    let mut ready = ready(session, false)?;
    let (shape, origin) = shape(session, &ready)?;
    skin::choose(session, &mut ready, shape, steps)?;
    // A wider skin may leave less room for blocks.
    let shape = ready.with_spec(session, |spec| {
        Ok(spec.fit(shape, ready.gpu.common(), ready.precision, &ready.domain, session.atom_count()))
    })?;
    finish(session, &ready, (shape, origin))
}

fn finish(session: &mut Session, ready: &Ready, chosen: (LaunchConfig, String)) -> Result<Simulation> {
    if session.device.shape.as_ref() != Some(&chosen) {
        let steps = match (chosen.0.steps, chosen.0.cores) {
            (1, _) => String::new(),
            (steps, 1) => format!(", up to {steps} steps in a launch"),
            (steps, cores) => format!(", up to {steps} steps in a launch of {cores} cores"),
        };
        let core = match session.device.gpu.as_ref().is_none_or(|gpu| gpu.is(&ready.gpu)) {
            true => "",
            false => ", by one core without threads",
        };
        session.output.log.line(&format!(
            "Shape: {}, {}{steps}{core}",
            chosen.1,
            Choice::of(chosen.0).words()
        ));
    }
    let shape = chosen.0;
    session.device.shape = Some(chosen);
    let resident = session.take_resident();
    let mut simulation = ready
        .with_spec(session, |spec| simulate(spec, ready, shape, resident, &session.system.host_atoms))?;
    if simulation.neighbor.skin() != session.neighbor.skin {
        let (skin, script) = (simulation.neighbor.skin(), session.neighbor.skin);
        session.output.log.line(&format!("Skin: {skin} by the tuner (the script's is {script})"));
    }
    tell_shares(session, ready, &simulation);
    if !ready.at_rest {
        balance::balance(session, &mut simulation)?;
    }
    session.device.precision = Some(simulation.layout.precision);
    // The next run is set up for what there is then.
    session.device.layout = None;
    simulation.neighbor.describe().iter().for_each(|line| session.output.log.line(line));
    Ok(simulation)
}

/// Says which part of the atoms each rank has, where that has just been measured, and keeps it for the runs to come.
fn tell_shares(session: &mut Session, ready: &Ready, simulation: &Simulation) {
    let known = session.options.shares.is_some() || session.device.weights.is_some();
    let measured = simulation.neighbor.shares.is_some() && simulation.atoms.n > 0;
    if known || !measured || !ready.gpu.is_among_others() {
        return;
    }
    let weights = simulation.dues();
    let parts = weights.parts();
    let [percent, words] = ["%", ""]
        .map(|unit| parts.iter().map(|part| format!("{:.4}{unit}", 100.0 * part)).collect::<Vec<_>>());
    session.output.log.line(&format!(
        "Shares of the atoms: {}, by the speed of the devices (-shares {} has the same again)",
        percent.join(", "),
        words.join(",")
    ));
    for (rank, _) in parts.iter().enumerate().filter(|(_, part)| **part == 0.0) {
        session.output.log.line(&format!(
            "  none for rank {rank}: the others are done before it would begin; without it the run is faster"
        ));
    }
    session.device.weights = Some(weights.clone());
}

/// Searches for the fastest shape of the system that the script has made, for about as long as `patience` says, and
/// keeps the record of it.
///
/// # Errors
/// When something that a run needs is missing, the system cannot be run, or the device fails.
pub fn tune(session: &mut Session, patience: Duration) -> Result<Search> {
    let ready = ready(session, false)?;
    let (shipped, key) = shipped(session, &ready)?;
    let search = tune_ready(session, &ready, shipped, &key, patience)?;
    search.record.store(&ready.gpu)?;
    Ok(search)
}

fn tune_ready(
    session: &mut Session,
    ready: &Ready,
    shipped: LaunchConfig,
    key: &Key,
    patience: Duration,
) -> Result<Search> {
    search(session, &ready.gpu, key, shipped, patience, |session, atoms, shape| {
        ready.with_spec(session, |spec| for_trial(spec, ready, shape, atoms))
    })
}

/// What a search tries.
fn for_trial(
    spec: &SimulationSpec<'_>,
    ready: &Ready,
    shape: LaunchConfig,
    atoms: &Atoms,
) -> Result<Simulation> {
    let shape = spec.fit(shape, ready.gpu.common(), ready.precision, &ready.domain, atoms.len());
    let context = Context { shape, ..spec.context(&ready.gpu, ready.precision, &ready.domain, atoms.len()) };
    Simulation::new(spec, DeviceAtoms::new(&context, atoms)?, ready.domain.clone())
}

/// The shipped shape, and what a record of a better one would be for.
fn shipped(session: &Session, ready: &Ready) -> Result<(LaunchConfig, Key)> {
    let Ready { gpu, precision, domain, .. } = ready;
    let atoms = session.atom_count();
    ready.with_spec(session, |spec| {
        Ok((spec.context(gpu, *precision, domain, atoms).shape, key(spec, ready, atoms)))
    })
}

/// What a record of tuning must be for, to serve `atoms` atoms.
fn key(spec: &SimulationSpec<'_>, ready: &Ready, atoms: usize) -> Key {
    let info = ready.gpu.common();
    let reach = spec.reach(info.shaped_as(), &ready.domain, atoms).longest;
    let neighbors = neighbor::expected_neighbors(&ready.domain, spec.dimension, reach, atoms);
    Key::new(info, ready.precision, atoms, neighbors, spec.needs)
}

/// Fails where lists would be longer than a device's runtime gets right.
fn check_neighbors(session: &Session, ready: &Ready) -> Result<()> {
    let info = ready.gpu.common();
    let Some(most) = info.most_neighbors() else { return Ok(()) };
    let atoms = session.atom_count();
    let neighbors = ready.with_spec(session, |spec| {
        let reach = spec.reach(info.shaped_as(), &ready.domain, atoms).longest;
        Ok(neighbor::expected_neighbors(&ready.domain, spec.dimension, reach, atoms))
    })?;
    if neighbors <= most {
        return Ok(());
    }
    Err(Error::new(format!(
        "atoms have about {neighbors:.0} neighbours, and {} ends long loops early: lists of more than {most:.0} would lack some",
        info.name
    ))
    .help("use another OpenCL device, such as PoCL on the CPU (clamps devices lists them), or a shorter cutoff"))
}

/// How the work is to be cut up, and where that comes from: fixed before the first step.
fn shape(session: &mut Session, ready: &Ready) -> Result<(LaunchConfig, String)> {
    let Options { rules, tune, skip_run, .. } = session.options;
    if let Some(layout) = &session.device.layout
        && layout.fits(&ready.domain)
        && layout.is_for(&ready.gpu.common().name, ready.precision, rules)
    {
        return Ok((layout.shape, "of the restart file".to_owned()));
    }
    check_neighbors(session, ready)?;
    let (shipped, key) = shipped(session, ready)?;
    if rules != KernelVariants::default() {
        return Ok((rules.shape(shipped), "by other rules".to_owned()));
    }
    let mut record = match tune {
        Tune::Off => None,
        Tune::On | Tune::Auto => Record::load(&ready.gpu, &key, shipped)
            .unwrap_or_else(|error| {
                warn(session, &error);
                None
            })
            .or_else(|| session.device.tuned.clone().filter(|known| known.key == key)),
    };
    if record.is_none() && tune == Tune::Auto && !ready.minimizing && !skip_run {
        match tune_ready(session, ready, shipped, &key, PATIENCE) {
            Ok(search) => {
                // What was found is good for this script in any case.
                search.record.store(&ready.gpu).unwrap_or_else(|error| warn(session, &error));
                session.device.tuned = Some(search.record.clone());
                record = Some(search.record);
            }
            Err(error) => session.output.log.line(&format!("WARNING: tuning failed: {error}")),
        }
    }
    let Some(Record { choice, tuned, .. }) = record else { return Ok((shipped, "shipped".to_owned())) };
    let atoms = session.atom_count();
    let shape = choice.shape(shipped, ready.gpu.common(), ready.precision);
    let shape = ready.with_spec(session, |spec| {
        Ok(spec.fit(shape, ready.gpu.common(), ready.precision, &ready.domain, atoms))
    })?;
    Ok((shape, format!("tuned {tuned}")))
}

/// Says what is wrong, and the remedy.
fn warn(session: &mut Session, error: &Error) {
    session.output.log.line(&format!("WARNING: {error}"));
    error.help.iter().for_each(|help| session.output.log.line(&format!("  {help}")));
}

/// Brings the atoms to the device, where they are not `resident` there, and computes the first forces. The host's may
/// have older positions than those on the device.
fn simulate(
    spec: &SimulationSpec<'_>,
    ready: &Ready,
    shape: LaunchConfig,
    resident: Option<DeviceAtoms>,
    host: &Atoms,
) -> Result<Simulation> {
    let Ready { gpu, precision, domain, .. } = ready;
    let atoms = resident.as_ref().map_or(host.len(), |resident| resident.n);
    let context = Context { shape, ..spec.context(gpu, *precision, domain, atoms) };
    let reach = spec.reach(gpu.common().shaped_as(), domain, atoms);
    // Atoms that are on the device already stay there if they are stored alike, without gaps, and are to be worked on alike.
    let alike = |resident: &DeviceAtoms| {
        let there = &resident.context;
        resident.n == resident.capacity
            && there.gpu.is(gpu)
            && (there.numerics, there.copies, there.shape)
                == (context.numerics, context.copies, context.shape)
    };
    let there = resident.as_ref().is_some_and(alike);
    neighbor::check_memory(&context, domain, spec.dimension, &reach, atoms, there)?;
    let resident = match resident {
        Some(resident) if there => resident,
        Some(other) => {
            let atoms = other.download(host)?;
            drop(other);
            DeviceAtoms::new(&context, &atoms)?
        }
        None => DeviceAtoms::new(&context, host)?,
    };
    Simulation::new(spec, resident, domain.clone())
}
