//! `run`: setup, the time-step loop, the closing lines. Also `timestep` and `reset_timestep`.

use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::fix::hooks::Hooks;
use crate::gpu::Gpu;
use crate::kernels::{Context, Shape};
use crate::log::Log;
use crate::neighbor;
use crate::options::{Options, Precision, TimingMode, Tune};
use crate::output::Output;
use crate::progress::Progress;
use crate::resident::Resident;
use crate::restart;
use crate::rules::Rules;
use crate::script::{Args, Word};
use crate::signals;
use crate::simulation::{Model, Simulation};
use crate::state::State;
use crate::system::Course;
use crate::timing::{Counts, RunRecord};
use crate::topology::Molecules;
use crate::tuning::search::{Search, search};
use crate::tuning::{Choice, Key, Record};
use crate::work;
use cpu_time::ProcessTime;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long `-tune auto` searches, about.
const PATIENCE: Duration = Duration::from_secs(60);

/// `timestep DT`.
///
/// # Errors
/// At an argument that does not fit.
pub fn timestep(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    state.dt = args.positive("the time step")?;
    args.finish()
}

/// `reset_timestep N`: a later step lets the simulation time pass, an earlier one sets it to 0.
///
/// # Errors
/// At an argument that does not fit.
pub fn reset_timestep(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let step = args.count("the new step", 0)? as i64;
    args.finish()?;
    set_step(state, step);
    Ok(())
}

/// Goes to another step: a later one lets the simulation time pass, an earlier one sets it to 0.
pub(crate) fn set_step(state: &mut State, step: i64) {
    state.time = if step >= state.step { state.time_at(step) } else { 0.0 };
    (state.step, state.time_since, state.run_start) = (step, step, step);
}

/// What the `run` command asks for.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// Steps in all.
    pub steps: i64,
    /// `start` and `stop`: the steps between which `ramp` and time-dependent fixes rise.
    pub bounds: [Option<i64>; 2],
    /// Steps between the commands; 0: no such interruptions.
    pub every: i64,
    /// What is done each time.
    pub commands: Vec<&'a Word>,
    /// Whether all closing lines are written.
    pub post: bool,
}

impl<'a> Plan<'a> {
    /// Reads `run N [upto] [start N] [stop N] [pre yes|no] [post yes|no] [every N COMMANDS...|NULL]`. Each run
    /// sets itself up in full: `pre` has no effect.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub fn read(state: &State, args: &mut Args<'a>) -> Result<Self> {
        let word = args.word("the number of steps")?;
        let steps = word.text.parse().ok().filter(|&n: &i64| n >= 0).ok_or_else(|| {
            let what = "the number of steps (an integer from 0 on)";
            args.error(word, format_args!("'{}' is not {what}", word.text)).label(format!("expected {what}"))
        })?;
        let mut plan = Plan { steps, bounds: [None; 2], every: 0, commands: Vec::new(), post: true };
        if args.accept("upto") {
            plan.steps -= state.step;
            if plan.steps < 0 {
                return Err(args.error(word, format_args!("step {} is already past it", state.step)));
            }
        }
        let last =
            state.step.checked_add(plan.steps).ok_or_else(|| Error::new("more steps than can be counted"))?;
        while let Some(keyword) = args.peek() {
            match args.one_of("run keyword", &KEYWORDS)? {
                bound @ ("start" | "stop") => {
                    let step = args.count("a step", 0)? as i64;
                    let fits = if bound == "start" { step <= state.step } else { step >= last };
                    if !fits {
                        let message =
                            format!("the run goes from step {} to {last}, beyond {bound} {step}", state.step);
                        return Err(args.error(keyword, message));
                    }
                    plan.bounds[usize::from(bound == "stop")] = Some(step);
                }
                "every" => {
                    plan.every = args.count("the number of steps between commands", 1)? as i64;
                    args.word("commands in quotes, or NULL")?;
                    let taken = args.taken().last();
                    plan.commands =
                        taken.into_iter().chain(args.rest()).filter(|w| w.text != "NULL").collect();
                    args.skip_rest();
                }
                "post" => plan.post = args.yes_no()?,
                _ => _ = args.yes_no()?,
            }
        }
        if state.options.skip_run {
            (plan.steps, plan.every) = (0, 0);
        }
        let longest = if plan.every > 0 { plan.every } else { plan.steps };
        if longest >= i64::from(u32::MAX) {
            return Err(args
                .error(word, format_args!("{longest} steps are too many for one run"))
                .help(format!("split it into runs of fewer than {} steps", u32::MAX)));
        }
        Ok(plan)
    }

    /// The span of a part that goes from one step to another.
    pub fn span(&self, first: i64, last: i64) -> [i64; 2] {
        [self.bounds[0].unwrap_or(first), self.bounds[1].unwrap_or(last)]
    }
}

const KEYWORDS: [(&str, &str); 5] =
    [("start", "start"), ("stop", "stop"), ("pre", "pre"), ("post", "post"), ("every", "every")];

/// Makes `steps` time steps, of a span of steps for `ramp`; none after a fix has halted a run for good. Without `post`
/// there is one closing line.
///
/// # Errors
/// When something that a run needs is missing, the device fails, or the simulation goes wrong (lost
/// atoms, infinite energies).
pub fn run(state: &mut State, steps: i64, span: [i64; 2], post: bool) -> Result<()> {
    if state.halted {
        return Ok(());
    }
    let first = state.step;
    let last = first.checked_add(steps).ok_or_else(|| Error::new("more steps than can be counted"))?;
    let atoms = state.atom_count();
    state.settle_time();
    state.run_start = first;
    let mut simulation = setup(state, false)?;
    restart::forget_fixes(state);
    simulation.course = Course::new(state, &simulation, last, span)?;
    let hooks = Hooks::begin(state, &mut simulation, span)?;
    let gpu = simulation.atoms.context.gpu.clone();
    let mut output = Output::new(state, &simulation, atoms, [first, last])?;
    hooks.setup(state, &mut simulation)?;
    hooks.lines().iter().for_each(|line| state.log.line(line));
    output.begin(state, &mut simulation)?;
    let progress = Progress::new(first, last, state.log.has_screen());
    gpu.take_records()?; // the record is of the loop alone
    let clocks = Clocks::start();
    simulation.course.clock = Some(clocks.began());

    while state.step < last {
        let ending = signals::interrupted() || state.timed_out();
        let due = if ending { state.step + 1 } else { output.next(state, state.step) };
        let target = due.min(hooks.next(state));
        let steps = u32::try_from(target - state.step).unwrap_or(u32::MAX);
        if simulation.neighbor.outgrown(&simulation.domain) {
            simulation = set_up_anew(state, simulation)?;
        }
        if state.restarts.iter().any(|restart| restart.schedule().due(target)) {
            simulation.rebuild_after(steps);
        }
        hooks.prepare(state, &mut simulation, target)?;
        let shown = target == due && (ending || output.tallies(state, target));
        let tally = shown || hooks.needs_tally(state, target);
        state.step += i64::from(simulation.to_forces(steps, tally)?);
        hooks.after_forces(state, &mut simulation, state.step == due)?;
        simulation.finish_step()?;
        hooks.end_of_step(state, &mut simulation)?;
        for line in hooks.lines() {
            progress.suspend(|| state.log.line(&line));
        }
        if state.step == due {
            progress.suspend(|| output.write(state, &mut simulation, ending))?;
        }
        progress.tick(state.step);
        if let Some(later_too) = hooks.stops() {
            state.halted = later_too;
            break;
        }
        if ending {
            break;
        }
    }

    hooks.end(state, &mut simulation)?;
    drop(progress);
    if simulation.neighbor.check_bonds(&simulation.atoms)? {
        state.log.line("WARNING: some bond was too long for its style in this run");
    }
    close(state, &output, &simulation, &clocks, (state.step - first) as u64, post)?;
    leave(state, simulation);
    Ok(())
}

/// When a loop began.
pub(crate) struct Clocks {
    wall: Instant,
    cpu: ProcessTime,
}

impl Clocks {
    /// Now.
    pub(crate) fn start() -> Self {
        Clocks { wall: Instant::now(), cpu: ProcessTime::now() }
    }

    /// When it was, on the wall.
    pub(crate) fn began(&self) -> Instant {
        self.wall
    }

    /// Wall seconds since.
    fn seconds(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }
}

/// The closing lines of a loop of `steps` steps, or only the first of them, and its record.
///
/// # Errors
/// When the device fails or a file cannot be written.
pub(crate) fn close(
    state: &mut State,
    output: &Output,
    simulation: &Simulation,
    clocks: &Clocks,
    steps: u64,
    post: bool,
) -> Result<()> {
    simulation.atoms.context.gpu.finish()?;
    let seconds = [clocks.seconds(), clocks.cpu.elapsed().as_secs_f64()];
    let record = RunRecord { steps, ..record(state, simulation, output, seconds, None)? };
    output.end(state, simulation, &record, post)
}

/// Leaves atoms, box and time to what comes after a run.
pub(crate) fn leave(state: &mut State, simulation: Simulation) {
    state.settle_time();
    state.run_start = state.step;
    state.domain = Some(simulation.domain);
    let tally = simulation.tallied.then_some(simulation.plan.tally);
    state.set_resident(simulation.atoms, tally);
}

/// What is to be said of a run that has ended, after `seconds` of wall and CPU time in its loop; `minimization` are
/// the lines on one.
///
/// # Errors
/// When the device fails.
pub fn record(
    state: &State,
    simulation: &Simulation,
    output: &Output,
    [loop_seconds, cpu_seconds]: [f64; 2],
    minimization: Option<String>,
) -> Result<RunRecord> {
    let gpu = &simulation.atoms.context.gpu;
    let mut kernels = gpu.take_records()?;
    kernels.extend(output.host_record());
    let memory_bytes = gpu.peak_allocated();
    if let (Some(_), Some(pair)) = (&state.options.json, &state.pair) {
        // The run is done: its record is worth having without.
        if let Err(error) =
            work::count(simulation, &pair.resolve()?, &state.fixes, &state.neighbor, &mut kernels)
        {
            log::warn!("the record lacks what its kernels moved and computed: {error}");
        }
    }
    Ok(RunRecord {
        loop_seconds,
        cpu_seconds,
        steps: (state.step - state.run_start) as u64,
        atoms: simulation.atoms.n as u64,
        dt: state.dt,
        units: state.units.name.to_owned(),
        counts: Counts {
            local: simulation.atoms.n as u64,
            ghost: 0,
            neighbors: simulation.neighbor.list.total(&simulation.atoms)?,
        },
        builds: simulation.neighbor.builds(),
        dangerous: state.neighbor.check.then_some(simulation.neighbor.dangerous),
        kernels,
        timing: state.options.timing,
        memory_bytes,
        minimization,
    })
}

/// What a simulation needs besides what the script has said.
struct Ready {
    gpu: Gpu,
    precision: Precision,
    mass: Vec<f64>,
    molecules: Molecules,
    domain: Domain,
}

/// Checks that nothing is missing and opens the device.
fn ready(state: &mut State, minimizing: bool) -> Result<Ready> {
    let domain = state.domain()?.clone();
    let atoms = state.atom_count();
    if atoms == 0 {
        return Err(Error::new("there are no atoms").help("create some with create_atoms or read_data"));
    }
    let mut mass = Vec::new();
    for (kind, given) in state.mass.iter().enumerate() {
        mass.push(given.ok_or_else(|| {
            Error::new(format!("atom type {} has no mass", kind + 1))
                .help(format!("add a line like: mass {} 1.0", kind + 1))
        })?);
    }
    let Some(pair) = &state.pair else {
        return Err(Error::new("there is no pair style").help("add pair_style and pair_coeff lines"));
    };
    let molecules = Molecules::new(state)?;
    if !state.topology.bonds.is_empty() && state.bonded.is_none() {
        state.log.line("WARNING: Bonds are defined but no bond style is set");
    }
    let (rule, (mixed, unlike)) = {
        let pair = pair.resolve()?;
        (pair.rule, pair.mixed)
    };
    state.log.line(&format!("Generated {mixed} of {unlike} mixed pair_coeff terms from {rule} mixing rule"));
    if !minimizing && !state.fixes.iter().any(|fix| fix.integrates()) {
        state.log.line("WARNING: No fixes with time integration, atoms won't move");
    }
    let moved: Vec<u32> = state.fixes.iter().filter(|f| f.integrates()).map(|f| f.header().group).collect();
    let times = |mask: u32| moved.iter().filter(|&&group| mask & group != 0).count();
    if !minimizing && state.host_atoms.mask.iter().any(|&mask| times(mask) > 1) {
        state.log.line("WARNING: One or more atoms are time integrated more than once");
    }
    let gpu = match &state.device {
        Some(gpu) => gpu.clone(),
        None => {
            let gpu = open_device(&mut state.log, &state.options, state.precision)?;
            state.device.insert(gpu).clone()
        }
    };
    let precision = precision(&gpu, &state.options, state.precision)?;
    Ok(Ready { gpu, precision, mass, molecules, domain })
}

/// Checks that nothing is missing, opens the device, brings the atoms there and computes the first forces, for a
/// run or for a minimization.
///
/// # Errors
/// When something that a run needs is missing or the device fails.
pub fn setup(state: &mut State, minimizing: bool) -> Result<Simulation> {
    let ready = ready(state, minimizing)?;
    let chosen = shape(state, &ready, minimizing)?;
    if state.shape.as_ref() != Some(&chosen) {
        state.log.line(&format!("Shape: {}, {}", chosen.1, Choice::of(chosen.0).words()));
    }
    state.shape = Some(chosen.clone());
    let resident = state.take_resident();
    let simulation =
        with_model(state, &ready, minimizing, |model| simulate(model, &ready, chosen.0, resident))?;
    state.precision = Some(simulation.layout.precision);
    // The next run is set up for what there is then.
    state.layout = None;
    simulation.neighbor.describe().iter().for_each(|line| state.log.line(line));
    Ok(simulation)
}

/// Searches for the fastest shape of the system that the script has made, for about as long as `patience` says, and
/// keeps the record of it.
///
/// # Errors
/// When something that a run needs is missing, the system cannot be run, or the device fails.
pub fn tune(state: &mut State, patience: Duration) -> Result<Search> {
    let ready = ready(state, false)?;
    let (shipped, key) = shipped(state, &ready, false)?;
    tune_ready(state, &ready, shipped, &key, patience)
}

fn tune_ready(
    state: &mut State,
    ready: &Ready,
    shipped: Shape,
    key: &Key,
    patience: Duration,
) -> Result<Search> {
    search(state, &ready.gpu, key, shipped, patience, |state, atoms, shape| {
        with_model(state, ready, false, |model| {
            let shape = model.fit(shape, &ready.domain, atoms.len());
            let context =
                Context { shape, ..model.context(&ready.gpu, ready.precision, &ready.domain, atoms.len()) };
            Simulation::new(model, Resident::new(&context, atoms)?, ready.domain.clone())
        })
    })
}

fn with_model<R>(
    state: &State,
    ready: &Ready,
    minimizing: bool,
    work: impl FnOnce(&Model<'_>) -> Result<R>,
) -> Result<R> {
    let pair = state.pair.as_ref().ok_or_else(|| Error::new("there is no pair style"))?.resolve()?;
    work(&Model { state, mass: &ready.mass, pair: &pair, molecules: &ready.molecules, minimizing })
}

/// The shipped shape, and what a record of a better one would be for.
fn shipped(state: &State, ready: &Ready, minimizing: bool) -> Result<(Shape, Key)> {
    let Ready { gpu, precision, domain, .. } = ready;
    let atoms = state.atom_count();
    with_model(state, ready, minimizing, |model| {
        Ok((model.context(gpu, *precision, domain, atoms).shape, model.key(gpu, *precision, domain, atoms)))
    })
}

/// How the work is to be cut up, and where that comes from: fixed before the first step.
fn shape(state: &mut State, ready: &Ready, minimizing: bool) -> Result<(Shape, String)> {
    let Options { rules, tune, skip_run, .. } = state.options;
    if let Some(layout) = &state.layout
        && layout.fits(&ready.domain)
        && layout.is_for(&ready.gpu.info().name, ready.precision, rules)
    {
        return Ok((layout.shape, "of the restart file".to_owned()));
    }
    let (shipped, key) = shipped(state, ready, minimizing)?;
    if rules != Rules::default() {
        return Ok((rules.shape(shipped), "by other rules".to_owned()));
    }
    let mut record = match tune {
        Tune::Off => None,
        Tune::On | Tune::Auto => Record::load(&ready.gpu, &key, shipped).unwrap_or_else(|error| {
            state.log.line(&format!("WARNING: {error}"));
            error.help.iter().for_each(|help| state.log.line(&format!("  {help}")));
            None
        }),
    };
    if record.is_none() && tune == Tune::Auto && !minimizing && !skip_run {
        match tune_ready(state, ready, shipped, &key, PATIENCE) {
            Ok(search) => record = Some(search.record),
            Err(error) => state.log.line(&format!("WARNING: tuning failed: {error}")),
        }
    }
    let Some(Record { choice, tuned, .. }) = record else { return Ok((shipped, "shipped".to_owned())) };
    let atoms = state.atom_count();
    let shape = choice.shape(shipped, ready.gpu.info(), ready.precision);
    let shape = with_model(state, ready, minimizing, |model| Ok(model.fit(shape, &ready.domain, atoms)))?;
    Ok((shape, format!("tuned {tuned}")))
}

/// Brings the atoms to the device, where they are not `resident` there, and computes the first forces.
fn simulate(
    model: &Model<'_>,
    ready: &Ready,
    shape: Shape,
    resident: Option<Resident>,
) -> Result<Simulation> {
    let state = model.state;
    let Ready { gpu, precision, domain, .. } = ready;
    let atoms = resident.as_ref().map_or(state.host_atoms.len(), |resident| resident.n);
    let context = Context { shape, ..model.context(gpu, *precision, domain, atoms) };
    let reach = model.reach(domain, atoms);
    // Atoms that are on the device already stay there if they are stored alike and are to be worked on alike.
    let alike = |resident: &Resident| {
        let there = &resident.context;
        (there.numerics, there.copies, there.shape) == (context.numerics, context.copies, context.shape)
    };
    let there = resident.as_ref().is_some_and(alike);
    neighbor::check_memory(&context, domain, state.dimension, &reach, atoms, there)?;
    let resident = match resident {
        Some(resident) if there => resident,
        Some(other) => {
            let mut atoms = state.host_atoms.identities();
            other.download(&mut atoms)?;
            drop(other);
            Resident::new(&context, &atoms)?
        }
        None => Resident::new(&context, &state.host_atoms)?,
    };
    Simulation::new(model, resident, domain.clone())
}

/// The same run at the same moment in programs and buffers for the box as it is now. The forces stay as the fixes have
/// left them.
fn set_up_anew(state: &State, old: Simulation) -> Result<Simulation> {
    let mut atoms = state.host_atoms.identities();
    old.atoms.download(&mut atoms)?;
    let force: HashMap<u32, [f64; 3]> = atoms.tag.iter().copied().zip(old.atoms.forces()?).collect();
    let mass: Vec<f64> = state.mass.iter().map(|mass| mass.unwrap_or(1.0)).collect();
    let Simulation { atoms: resident, domain, neighbor, course, .. } = old;
    let Context { gpu, numerics, shape, .. } = resident.context.clone();
    let shape = state.shape.as_ref().map_or(shape, |(chosen, _)| *chosen);
    let molecules = Molecules::new(state)?;
    let ready = Ready { gpu, precision: numerics.precision, mass, molecules, domain };
    let mut simulation = with_model(state, &ready, false, |model| {
        let shape = model.fit(shape, &ready.domain, resident.n);
        simulate(model, &ready, shape, Some(resident))
    })?;
    simulation.course = course;
    simulation.neighbor.continue_from(&neighbor);
    simulation.atoms.download(&mut atoms)?;
    let force: Vec<[f64; 3]> =
        atoms.tag.iter().map(|tag| force.get(tag).copied().unwrap_or_default()).collect();
    simulation.atoms.set_forces(&force)?;
    Ok(simulation)
}

fn open_device(log: &mut Log, options: &Options, restored: Option<Precision>) -> Result<Gpu> {
    let gpu = Gpu::open(options.device.as_deref(), options.timing)?;
    let info = gpu.info();
    log.line(&format!("Device: {} ({}, driver {})", info.name, info.platform, info.driver));
    log.line(&format!("  precision: {}", precision(&gpu, options, restored)?.name()));
    log.line(&format!("  {}", gpu.zero_copy_report()));
    if options.rules == Rules::PLAIN {
        log.line("  plain kernels: -kernels plain, for comparison only");
    }
    if options.timing == TimingMode::Off {
        log.line("  kernels are not timed");
    }
    Ok(gpu)
}

/// The precision asked for, or that of the restart file, or the best one that the device has.
fn precision(gpu: &Gpu, options: &Options, restored: Option<Precision>) -> Result<Precision> {
    let has = |precision| precision == Precision::Single || gpu.info().fp64;
    match options.precision {
        Some(asked) if !has(asked) => Err(Error::new(format!(
            "{} has no double precision, which -precision {} needs",
            gpu.info().name,
            asked.name()
        ))
        .help("use -precision single, or another device")),
        Some(asked) => Ok(asked),
        None if restored.is_some_and(has) => Ok(restored.unwrap_or_default()),
        None if gpu.info().fp64 => Ok(Precision::Mixed),
        None => Ok(Precision::Single),
    }
}
