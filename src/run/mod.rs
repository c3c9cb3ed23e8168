//! `run`: the time-step loop and what surrounds it. Also `timestep` and `reset_timestep`.

pub mod fixes;
pub mod minimize;
pub mod setup;
pub mod tuning;
use crate::base::error::{Error, Result};
use crate::base::progress::Progress;
use crate::base::signals;
use crate::engine::device_atoms::status;
use crate::engine::simulation::Simulation;
use crate::engine::timing::{Counts, RunRecord, Section};
use crate::fixes::adapt;
use crate::io::restart;
use crate::output::kernel_cost;
use crate::output::writer::Output;
use crate::run::fixes::Hooks;
use crate::script::{Args, Word};
use crate::session::snapshot::Course;
use crate::session::state::State;
use crate::session::thermo::Lost;
use crate::session::weights;
use cpu_time::ProcessTime;
use std::time::Instant;

/// `timestep DT`.
///
/// # Errors
/// At an argument that does not fit.
pub fn timestep(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    state.dt = args.positive("the time step")?;
    args.finish()
}

/// `reset_timestep N [time T]`: without T a later step lets the simulation time pass, an earlier one sets it to 0.
///
/// # Errors
/// At an argument that does not fit.
pub fn reset_timestep(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let step = args.count("the new step", 0)? as i64;
    let mut time = None;
    while !args.is_empty() {
        args.one_of("reset_timestep keyword", &[("time", ())])?;
        time = Some(args.f64("the simulation time")?);
    }
    let before = state.step;
    set_step(state, step);
    state.time = time.unwrap_or(state.time);
    // What the last row says is still so.
    if let Some(row) = state.last_row.as_mut().filter(|row| row.step == before) {
        (row.step, row.first_step, row.time) = (step, step, state.time);
    }
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
    /// Whether the lines on the set-up are written.
    pub pre: bool,
    /// Whether all closing lines are written.
    pub post: bool,
}

impl<'a> Plan<'a> {
    /// Reads `run N [upto] [start N] [stop N] [pre yes|no] [post yes|no] [every N COMMANDS...|NULL]`. Each run
    /// sets itself up in full: `pre no` leaves out what the log says about it, and the first row is the one before.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub fn read(state: &State, args: &mut Args<'a>) -> Result<Self> {
        let word = args.word("the number of steps")?;
        let steps = word.text.parse().ok().filter(|&n: &i64| n >= 0).ok_or_else(|| {
            let what = "the number of steps (an integer from 0 on)";
            args.error(word, format_args!("'{}' is not {what}", word.text)).label(format!("expected {what}"))
        })?;
        let mut plan =
            Plan { steps, bounds: [None; 2], every: 0, commands: Vec::new(), pre: true, post: true };
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
                _ => plan.pre = args.yes_no()?,
            }
        }
        if state.options.skip_run {
            (plan.steps, plan.every) = (0, 0);
        }
        let longest = if plan.every > 0 { plan.every } else { plan.steps };
        if longest >= i64::from(status::ROUNDS) {
            return Err(args
                .error(word, format_args!("{longest} steps are too many for one run"))
                .help(format!("split it into runs of fewer than {} steps", status::ROUNDS)));
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

/// Makes `steps` time steps, of a span of steps for `ramp`; none after a fix has halted a run for good. Without `pre`
/// nothing is said about the set-up, unless it is the first; without `post` there is one closing line.
///
/// # Errors
/// When something that a run needs is missing, the device fails, or the simulation goes wrong (lost
/// atoms, infinite energies).
pub fn run(state: &mut State, steps: i64, span: [i64; 2], [pre, post]: [bool; 2]) -> Result<()> {
    if state.halted {
        return Ok(());
    }
    let first = state.step;
    let last = first.checked_add(steps).ok_or_else(|| Error::new("more steps than can be counted"))?;
    let atoms = state.atom_count();
    state.settle_time();
    (state.run_start, state.span) = (first, span);
    let flow = state.fixes.iter().find_map(|fix| fix.flow(state, span)).unwrap_or_default();
    state.domain.iter_mut().for_each(|domain| domain.flow = flow);
    let pre = pre || state.last_row.is_none();
    adapt::begin(state, span, pre)?;
    state.log.hush(!pre);
    let simulation = setup::setup_run(state, steps);
    state.log.hush(false);
    let mut simulation = simulation?;
    restart::forget_fixes(state);
    simulation.course = Course::new(state, &simulation, last, span)?;
    let hooks = Hooks::begin(state, &mut simulation, span)?;
    let gpu = simulation.atoms.context.gpu.clone();
    let mut output = Output::new(state, &simulation, atoms, [first, last])?;
    hooks.setup(state, &mut simulation)?;
    follow(state, &hooks, &mut simulation);
    hooks.lines().iter().for_each(|line| state.log.line(line));
    output.begin(state, &mut simulation, pre)?;
    let progress = Progress::new(first, last, state.log.has_screen());
    gpu.take_records()?; // the record is of the loop alone
    let clocks = Clocks::start();
    simulation.course.clock = Some(clocks.began());

    while state.step < last {
        let ending = signals::interrupted() || state.timed_out();
        let due = if ending { state.step + 1 } else { output.next(state, state.step) };
        if !simulation.plan.moves_box() && simulation.neighbor.outgrown(&simulation.domain) {
            simulation = setup::set_up_anew(state, &simulation, false)?;
        }
        let target = hooks.foresee(state, &mut simulation, due.min(hooks.next(state)));
        let steps = u32::try_from(target - state.step).unwrap_or(u32::MAX);
        let saved = state.restarts.iter().any(|restart| restart.schedule().due(target));
        if saved {
            simulation.rebuild_after(steps);
        }
        gpu.host(Section::Modify, || {
            hooks.prepare(state, &mut simulation, target)?;
            adapt::change(state, &mut simulation, span)
        })?;
        let shown = target == due && (ending || output.tallies(state, target));
        let tally = shown || hooks.needs_tally(state, target);
        if hooks.exchanges(state) {
            simulation.move_atoms()?;
            state.step += 1;
            let more;
            (simulation, more) = gpu.host(Section::Modify, || hooks.exchange(state, simulation))?;
            output.expect_atoms(more);
        } else {
            state.step += i64::from(simulation.to_forces(steps, tally)?);
            if simulation.outgrown {
                simulation = hooks.set_up_anew(state, simulation)?;
            }
        }
        gpu.host(Section::Modify, || {
            hooks.after_forces(state, &mut simulation, state.step == due)?;
            simulation.finish_step()?;
            hooks.end_of_step(state, &mut simulation)
        })?;
        follow(state, &hooks, &mut simulation);
        for line in hooks.lines() {
            progress.suspend(|| state.log.line(&line));
        }
        if state.step == due {
            progress.suspend(|| output.write(state, &mut simulation, ending))?;
            if saved && state.step < last {
                simulation = hooks.begin_anew(state, simulation)?;
            }
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
    adapt::end(state)?;
    drop(progress);
    let news = simulation.neighbor.check_bonds(&simulation.atoms)?;
    if news.long {
        state.log.line("WARNING: some bond was too long for its style in this run");
    }
    if news.lost && state.thermo.lost_bond == Lost::Warn {
        state.log.line("WARNING: some bond lost its other atom in this run, and does not count any more");
    }
    close(state, &output, &simulation, &clocks, (state.step - first) as u64, post)?;
    leave(state, simulation);
    Ok(())
}

/// Takes the time step that a fix has asked for, and what fixes say of the properties of atoms.
fn follow(state: &mut State, hooks: &Hooks, simulation: &mut Simulation) {
    if let Some(dt) = hooks.new_dt() {
        state.settle_time();
        state.dt = dt;
        simulation.neighbor.aim.follow_time_step(dt);
    }
    weights::store(state, hooks.stored());
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
    let record = RunRecord { steps, ..record(state, simulation, seconds, None)? };
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
    [loop_seconds, cpu_seconds]: [f64; 2],
    minimization: Option<String>,
) -> Result<RunRecord> {
    let gpu = &simulation.atoms.context.gpu;
    let mut kernels = gpu.take_records()?;
    let memory_bytes = gpu.peak_allocated();
    if let (Some(_), Some(pair)) = (&state.options.json, &state.pair) {
        // The run is done: its record is worth having without.
        if let Err(error) =
            kernel_cost::count(simulation, &pair.resolve()?, &state.fixes, &state.neighbor, &mut kernels)
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
            neighbors: simulation.neighbor.pairs(&simulation.atoms)?,
        },
        skin: simulation.neighbor.skin(),
        script_skin: state.neighbor.skin,
        aimed: simulation.neighbor.aim.ahead(),
        builds: simulation.neighbor.builds(),
        dangerous: state.neighbor.check.then_some(simulation.neighbor.dangerous),
        kernels,
        timing: state.options.timing,
        memory_bytes,
        totals: simulation.plan.totals(),
        minimization,
    })
}
