//! `run`: the time-step loop and what surrounds it. Also `timestep` and `reset_timestep`.

pub mod fixes;
pub mod minimize;
pub mod setup;
pub mod tuning;
use crate::base::error::{Error, Result};
use crate::base::progress::Progress;
use crate::base::signals;
use crate::engine::simulation::Simulation;
use crate::engine::timing::{Counts, RunRecord};
use crate::fixes::adapt;
use crate::gpu::record::Section;
use crate::io::restart;
use crate::model::lost::Lost;
use crate::output::kernel_cost;
use crate::output::writer::Output;
use crate::run::fixes::Hooks;
use crate::session::snapshot::course;
use crate::session::state::State;
use crate::session::weights;
use cpu_time::ProcessTime;
use std::time::Instant;

/// Makes `steps` time steps, of a span of steps for `ramp`; none after a fix has halted a run for good. Without `pre`
/// nothing is said about the set-up, unless it is the first; without `post` there is one closing line.
///
/// # Errors
/// When something that a run needs is missing, the device fails, or the simulation goes wrong (lost
/// atoms, infinite energies).
pub fn run(state: &mut State, steps: i64, span: [i64; 2], [pre, post]: [bool; 2]) -> Result<()> {
    if state.clock.halted {
        return Ok(());
    }
    let first = state.clock.step;
    let last = first.checked_add(steps).ok_or_else(|| Error::new("more steps than can be counted"))?;
    let atoms = state.atom_count();
    state.settle_time();
    (state.clock.run_start, state.clock.span) = (first, span);
    let flow = state.fixes.iter().find_map(|fix| fix.flow(state, span)).unwrap_or_default();
    state.system.domain.iter_mut().for_each(|domain| domain.flow = flow);
    let pre = pre || state.output.last_row.is_none();
    adapt::begin(state, span, pre)?;
    state.output.log.hush(!pre);
    let simulation = setup::setup_run(state, steps);
    state.output.log.hush(false);
    let mut simulation = simulation?;
    restart::forget_fixes(state);
    simulation.course = course(state, &simulation, last, span)?;
    let hooks = Hooks::begin(state, &mut simulation, span)?;
    let gpu = simulation.atoms.context.gpu.clone();
    let mut output = Output::new(state, &simulation, atoms, [first, last])?;
    hooks.setup(state, &mut simulation)?;
    follow(state, &hooks, &mut simulation);
    hooks.lines().iter().for_each(|line| state.output.log.line(line));
    output.begin(state, &mut simulation, pre)?;
    let progress = Progress::new(first, last, state.output.log.has_screen());
    gpu.take_records()?; // the record is of the loop alone
    let clocks = Clocks::start();
    simulation.course.clock = Some(clocks.began());

    while state.clock.step < last {
        let ending = signals::interrupted() || state.timed_out();
        let due = if ending { state.clock.step + 1 } else { output.next(state, state.clock.step) };
        if !simulation.plan.moves_box() && simulation.neighbor.outgrown(&simulation.domain) {
            simulation = setup::set_up_anew(state, &simulation, false)?;
        }
        let target = hooks.foresee(state, &mut simulation, due.min(hooks.next(state)));
        let steps = u32::try_from(target - state.clock.step).unwrap_or(u32::MAX);
        let saved = state.output.restarts.iter().any(|restart| restart.schedule().due(target));
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
            state.clock.step += 1;
            let more;
            (simulation, more) = gpu.host(Section::Modify, || hooks.exchange(state, simulation))?;
            output.expect_atoms(more);
        } else {
            state.clock.step += i64::from(simulation.to_forces(steps, tally)?);
            if simulation.outgrown {
                simulation = hooks.set_up_anew(state, simulation)?;
            }
        }
        gpu.host(Section::Modify, || {
            hooks.after_forces(state, &mut simulation, state.clock.step == due)?;
            simulation.finish_step()?;
            hooks.end_of_step(state, &mut simulation)
        })?;
        follow(state, &hooks, &mut simulation);
        for line in hooks.lines() {
            progress.suspend(|| state.output.log.line(&line));
        }
        if state.clock.step == due {
            progress.suspend(|| output.write(state, &mut simulation, ending))?;
            if saved && state.clock.step < last {
                simulation = hooks.begin_anew(state, simulation)?;
            }
        }
        progress.tick(state.clock.step);
        if let Some(later_too) = hooks.stops() {
            state.clock.halted = later_too;
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
        state.output.log.line("WARNING: some bond was too long for its style in this run");
    }
    if news.lost && state.output.thermo.lost_bond == Lost::Warn {
        state.output.log.line("WARNING: some bond lost its other atom in this run, and does not count any more");
    }
    close(state, &output, &simulation, &clocks, (state.clock.step - first) as u64, post)?;
    leave(state, simulation);
    Ok(())
}

/// Takes the time step that a fix has asked for, and what fixes say of the properties of atoms.
fn follow(state: &mut State, hooks: &Hooks, simulation: &mut Simulation) {
    if let Some(dt) = hooks.new_dt() {
        state.settle_time();
        state.clock.dt = dt;
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
    state.clock.run_start = state.clock.step;
    state.system.domain = Some(simulation.domain);
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
    if let (Some(_), Some(pair)) = (&state.options.json, &state.force_field.pair) {
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
        steps: (state.clock.step - state.clock.run_start) as u64,
        atoms: simulation.atoms.n as u64,
        dt: state.clock.dt,
        units: state.system.units.name.to_owned(),
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
