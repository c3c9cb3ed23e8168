//! Runs and minimizations: a session becomes a simulation on the device, which is advanced until the host has something to do.
//!
//! - this file: [`run`], the loop around `engine::simulation`. Start here.
//! - `setup/`: from the session to a simulation: checks, device, launch configuration, skin, first forces
//! - `fixes/`: the host's part of fixes in a run: parameters of the steps ahead, and work at chosen steps
//! - `factors.rs`: factors of `pair_style hybrid/scaled` that are variables
//! - `minimize/`: line searches and damped dynamics, with their vectors on the device
//! - `tuning/`: searches for the fastest launch configuration and skin
//!
//! The words of the commands are read in `commands/run.rs` and `commands/minimize.rs`. May import: `fixes`, `computes`, `io`,
//! `output`, `session` and the wings below.

mod factors;
pub mod fixes;
pub mod minimize;
pub mod setup;
pub mod tuning;

use crate::base::error::{Error, Result};
use crate::base::progress::Progress;
use crate::base::ranks;
use crate::base::signals;
use crate::engine::device_atoms::{DeviceAtoms, status};
use crate::engine::simulation::{Ending, Simulation};
use crate::engine::timing::{Counts, RunRecord};
use crate::fixes::adapt;
use crate::gpu::Gpu;
use crate::gpu::record::Section;
use crate::io::restart;
use crate::model::lost::Lost;
use crate::output::kernel_cost;
use crate::output::writer::Output;
use crate::potentials::pair::Pair;
use crate::run::fixes::FixRunner;
use crate::session::Session;
use crate::session::snapshot::course;
use crate::session::weights;
use cpu_time::ProcessTime;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Makes `steps` time steps, of a span of steps for `ramp`; none after a fix has halted a run for good. Without `pre`
/// it goes on with what the last run has left, where nothing has changed since: else nothing is said about the set-up, unless it
/// is the first. Without `post` there is one closing line.
///
/// # Errors
/// When something that a run needs is missing, the device fails, or the simulation goes wrong (lost
/// atoms, infinite energies).
pub fn run(session: &mut Session, steps: i64, span: [i64; 2], [pre, post]: [bool; 2]) -> Result<()> {
    if session.clock.halted {
        return Ok(());
    }
    let first = session.clock.step;
    let last = first.checked_add(steps).ok_or_else(|| Error::new("more steps than can be counted"))?;
    let (simulation, fixes, mut output) = begin(session, [first, last], span, pre)?;
    // It is tens of kilobytes, which each call of a step would copy.
    let mut simulation = Box::new(simulation);
    let gpu = simulation.atoms.context.gpu.clone();
    let progress = Progress::new(first, last, session.output.log.has_screen());
    let clocks = begin_loop(&mut simulation)?;

    while session.clock.step < last {
        let ending = signals::interrupted() || session.timed_out();
        let due = if ending { session.clock.step + 1 } else { output.next(session, session.clock.step) };
        simulation = fit_grid(session, simulation)?;
        let target = fixes.foresee(session, &mut simulation, due.min(fixes.next(session)));
        let saved = rebuild_where_saved(session, &mut simulation, target);
        gpu.host(Section::Modify, || {
            fixes.prepare(session, &mut simulation, target)?;
            adapt::change(session, &mut simulation, span)?;
            factors::change(session, &mut simulation, span)
        })?;
        let shown = target == due && (ending || output.tallies(session, target));
        let tally = shown || fixes.needs_tally(session, target);
        simulation = match fixes.exchanges(session) {
            true => exchange_atoms(session, &fixes, &mut output, simulation)?,
            false => {
                let sums_alone = fixes.leave_atoms_alone(session) && output.rests_on_sums(session, target);
                advance(session, &fixes, simulation, target, Ending { tally, sums_alone })?
            }
        };
        gpu.host(Section::Modify, || {
            fixes.post_force(session, &mut simulation, session.clock.step == due)?;
            simulation.finish_step()?;
            let at_target = session.clock.step >= target;
            fixes.end_of_step(session, &mut simulation, at_target)
        })?;
        follow(session, &fixes, &mut simulation);
        progress.suspend(|| log_lines(session, &fixes));
        if session.clock.step == due {
            progress.suspend(|| write(session, &mut output, &mut simulation, ending, saved))?;
            if saved && session.clock.step < last {
                *simulation = fixes.begin_anew(session, *simulation)?;
            }
        }
        progress.tick(session.clock.step);
        session.clock.halted = fixes.stops() == Some(true);
        if fixes.stops().is_some() || ending {
            break;
        }
    }

    clocks.stop(&gpu)?;
    end_fixes(session, &fixes, &mut simulation)?;
    drop(progress);
    end(session, &output, simulation, &clocks, first, post)
}

/// Everything before the first step: the system on the device with its first forces, what fixes do then, the first output.
fn begin(
    session: &mut Session,
    [first, last]: [i64; 2],
    span: [i64; 2],
    pre: bool,
) -> Result<(Simulation, FixRunner, Output)> {
    let atoms = session.atom_count();
    let pre = pre || session.output.last_row.is_none();
    // As in LAMMPS the steps of minimizations do not count before a run that is set up.
    if pre {
        session.clock.time_since = first;
    }
    session.settle_time();
    (session.clock.run_start, session.clock.span) = (first, span);
    if let Some(simulation) = to_go_on(session, last - first, pre) {
        return go_on(session, simulation, [first, last], span);
    }
    let flow = session.fixes.iter().find_map(|fix| fix.box_rate(session, span)).unwrap_or_default();
    session.system.domain.iter_mut().for_each(|domain| domain.flow = flow);
    adapt::begin(session, span, pre)?;
    session.output.log.hush(!pre);
    let simulation = setup::setup_run(session, last - first);
    session.output.log.hush(false);
    let mut simulation = simulation?;
    restart::forget_states(session);
    simulation.course = course(session, &simulation, last, span)?;
    let fixes = FixRunner::begin(session, &mut simulation, span)?;
    let mut output = Output::new(session, &simulation, atoms, [first, last])?;
    output.stir();
    fixes.setup(session, &mut simulation)?;
    follow(session, &fixes, &mut simulation);
    log_lines(session, &fixes);
    output.begin(session, &mut simulation, pre)?;
    Ok((simulation, fixes, output))
}

/// The clocks of a loop that begins now, whose record is of the loop alone.
fn begin_loop(simulation: &mut Simulation) -> Result<Clocks> {
    let gpu = &simulation.atoms.context.gpu;
    gpu.take_records()?;
    gpu.end_helpers();
    log::debug!("the loop begins");
    let clocks = Clocks::start();
    simulation.course.clock = Some(clocks.began());
    Ok(clocks)
}

/// What the run before has left, where a run of so many steps is to go on with it.
fn to_go_on(session: &mut Session, steps: i64, pre: bool) -> Option<Simulation> {
    let goes_on = |left: &DeviceAtoms| !pre && i64::from(left.step) + steps < i64::from(status::CYCLES);
    if !session.resident().is_some_and(goes_on) {
        session.let_go_of_simulation();
    }
    session.take_simulation()
}

/// The same for a run that goes on with what the one before has left: nothing begins anew.
fn go_on(
    session: &mut Session,
    mut simulation: Simulation,
    [first, last]: [i64; 2],
    span: [i64; 2],
) -> Result<(Simulation, FixRunner, Output)> {
    adapt::go_on(session)?;
    session.fixes.iter().filter_map(|fix| fix.device()).for_each(|device| device.keep_formulas(session));
    simulation.course = course(session, &simulation, last, span)?;
    let fixes = FixRunner::go_on(session, &mut simulation, span)?;
    let mut output = Output::new(session, &simulation, simulation.atoms.n, [first, last])?;
    output.begin(session, &mut simulation, false)?;
    Ok((simulation, fixes, output))
}

/// How many steps there are to a step.
fn steps_to(session: &Session, target: i64) -> u32 {
    u32::try_from(target - session.clock.step).unwrap_or(u32::MAX)
}

/// Whether a restart file is written at the step `target`. The list is built anew there then, as in a run that goes on from the file.
fn rebuild_where_saved(session: &mut Session, simulation: &mut Simulation, target: i64) -> bool {
    let saved = session.output.restarts.iter().any(|restart| restart.schedule().due(target));
    if saved {
        simulation.rebuild_after(steps_to(session, target));
    }
    saved
}

/// The ends of fixes, behind the last step of a run. Those of the host may look at any atom.
fn end_fixes(session: &mut Session, fixes: &FixRunner, simulation: &mut Simulation) -> Result<()> {
    if session.fixes.iter().any(|fix| fix.host().is_some()) {
        let gpu = simulation.atoms.context.gpu.clone();
        gpu.unbooked(|| simulation.know_all_atoms())?;
    }
    fixes.end(session, simulation)?;
    adapt::end(session)
}

/// The output of this step. Time is settled where a restart file is written, as in a run that goes on from the file.
fn write(
    session: &mut Session,
    output: &mut Output,
    simulation: &mut Simulation,
    ending: bool,
    saved: bool,
) -> Result<()> {
    if saved {
        session.settle_time();
    }
    output.write(session, simulation, ending)
}

/// Warnings, closing lines, and what a run from the step `first` leaves to the next one.
fn end(
    session: &mut Session,
    output: &Output,
    mut simulation: Box<Simulation>,
    clocks: &Clocks,
    first: i64,
    post: bool,
) -> Result<()> {
    log::debug!("the loop ends");
    warn_of_bonds(session, &simulation)?;
    warn_of_densities(session, &simulation)?;
    close(session, output, &mut simulation, clocks, (session.clock.step - first) as u64, post)?;
    settle(session, &simulation);
    session.leave_simulation(*simulation);
    Ok(())
}

/// Another set-up where the box has outgrown cells and units between two steps, with the forces as they are.
fn fit_grid(session: &Session, mut simulation: Box<Simulation>) -> Result<Box<Simulation>> {
    if !simulation.step_kernels.moves_box() && simulation.neighbor.grid_too_small(&simulation.domain) {
        simulation.know_all_atoms()?;
        *simulation = setup::rebuild_simulation(session, &simulation, false)?;
        if simulation.step_kernels.snaps {
            simulation.forget_snaps()?;
        }
    }
    Ok(simulation)
}

/// Any number of steps up to `target`, to the forces of the last of them.
fn advance(
    session: &mut Session,
    fixes: &FixRunner,
    mut simulation: Box<Simulation>,
    target: i64,
    ending: Ending,
) -> Result<Box<Simulation>> {
    let steps = steps_to(session, target);
    if fixes.shifts_atoms(session) {
        move_and_shift(session, fixes, &mut simulation)?;
        session.clock.step += i64::from(simulation.advance_begun(steps, ending)?) - 1;
    } else {
        // Atoms may be lost by a formula that had no value.
        let made = simulation.advance(steps, ending).or_else(|error| {
            fixes.check_formulas(session, &mut simulation)?;
            Err(error)
        });
        session.clock.step += i64::from(made?);
    }
    if simulation.snapped || simulation.grid_too_small && simulation.step_kernels.snaps {
        *simulation = fixes.let_bonds_snap(session, *simulation)?;
    } else if simulation.grid_too_small {
        *simulation = fixes.rebuild_simulation(session, *simulation)?;
    }
    Ok(simulation)
}

/// Positions move to those of the next step, and fixes shift atoms there.
fn move_and_shift(session: &mut Session, fixes: &FixRunner, simulation: &mut Simulation) -> Result<()> {
    simulation.begin_step()?;
    session.clock.step += 1;
    let gpu = simulation.atoms.context.gpu.clone();
    gpu.host(Section::Modify, || fixes.shift_atoms(session, simulation, false))
}

/// A step in which fixes add and remove atoms, to its forces.
fn exchange_atoms(
    session: &mut Session,
    fixes: &FixRunner,
    output: &mut Output,
    mut simulation: Box<Simulation>,
) -> Result<Box<Simulation>> {
    let gpu = simulation.atoms.context.gpu.clone();
    if fixes.shifts_atoms(session) {
        simulation.rebuild_after(1);
        move_and_shift(session, fixes, &mut simulation)?;
    } else {
        simulation.move_atoms()?;
        session.clock.step += 1;
    }
    let (simulation, more) = gpu.host(Section::Modify, || fixes.exchange(session, *simulation))?;
    output.expect_atoms(more);
    Ok(Box::new(simulation))
}

/// What fixes want to be in the log.
pub(crate) fn log_lines(session: &mut Session, fixes: &FixRunner) {
    fixes.lines().iter().for_each(|line| session.output.log.line(line));
}

/// Warnings about bonds, at the end of a run.
fn warn_of_bonds(session: &mut Session, simulation: &Simulation) -> Result<()> {
    let news = simulation.neighbor.check_bonds(&simulation.atoms)?;
    let log = &mut session.output.log;
    if news.long {
        log.line("WARNING: some bond was too long for its style in this run");
    }
    if news.lost && session.output.thermo.lost_bond == Lost::Warn {
        log.line("WARNING: some bond lost its other atom in this run, and does not count any more");
    }
    Ok(())
}

/// The warning about densities beyond their tables, at the end of a run or a minimization.
pub(crate) fn warn_of_densities(session: &mut Session, simulation: &Simulation) -> Result<()> {
    if session.force_field.pair.as_ref().is_some_and(Pair::is_many_body) && simulation.atoms.dense()? {
        session.output.log.line(
            "WARNING: the density of some atom went beyond the table of its potential in this run, where F is a line",
        );
    }
    Ok(())
}

/// Takes the time step that a fix has asked for, and what fixes say of the properties of atoms.
pub(crate) fn follow(session: &mut Session, hooks: &FixRunner, simulation: &mut Simulation) {
    if let Some(dt) = session.clock.new_dt.take() {
        session.settle_time();
        session.clock.dt = dt;
        let now = session.moment();
        session.output.dumps.iter_mut().for_each(|dump| dump.follow_time_step(now));
        simulation.neighbor.prediction.follow_time_step(dt);
    }
    weights::store(session, hooks.stored());
}

/// When a loop began.
pub(crate) struct Clocks {
    wall: Instant,
    cpu: ProcessTime,
    /// How long the rank had waited for others.
    waited: Duration,
    /// Of wall and CPU time, and of waiting for other ranks, what does not count.
    left_out: Cell<[Duration; 3]>,
    /// Their seconds once it has ended.
    ended: Cell<Option<[f64; 3]>>,
}

impl Clocks {
    /// Now.
    pub(crate) fn start() -> Self {
        let waited = ranks::waited();
        let (left_out, ended) = (Cell::default(), Cell::default());
        Clocks { wall: Instant::now(), cpu: ProcessTime::now(), waited, left_out, ended }
    }

    /// Wall and CPU time, and that of waiting for other ranks, since then.
    fn elapsed(&self) -> [Duration; 3] {
        [self.wall.elapsed(), self.cpu.elapsed(), ranks::waited() - self.waited]
    }

    /// Another set-up on the way, which counts neither for the loop nor for a section.
    pub(crate) fn leave_out<R>(&self, gpu: &Gpu, act: impl FnOnce() -> Result<R>) -> Result<R> {
        gpu.finish()?;
        let before = self.elapsed();
        let done = gpu.unbooked(act);
        gpu.finish()?;
        let now = self.elapsed();
        let left_out = self.left_out.get();
        self.left_out.set(std::array::from_fn(|k| left_out[k] + (now[k] - before[k])));
        done
    }

    /// When it was, on the wall; later by what does not count.
    pub(crate) fn began(&self) -> Instant {
        self.wall + self.left_out.get()[0]
    }

    /// The loop has ended, if it has not before, once the device has done all that is enqueued: its seconds of wall and CPU time, and of
    /// waiting for other ranks.
    pub(crate) fn stop(&self, gpu: &Gpu) -> Result<[f64; 3]> {
        if let Some(ended) = self.ended.get() {
            return Ok(ended);
        }
        gpu.finish()?;
        let (elapsed, left_out) = (self.elapsed(), self.left_out.get());
        let ended = std::array::from_fn(|k| (elapsed[k] - left_out[k]).as_secs_f64());
        self.ended.set(Some(ended));
        Ok(ended)
    }
}

/// The closing lines of a loop of `steps` steps, or only the first of them, and its record.
///
/// # Errors
/// When the device fails or a file cannot be written.
pub(crate) fn close(
    session: &mut Session,
    output: &Output,
    simulation: &mut Simulation,
    clocks: &Clocks,
    steps: u64,
    post: bool,
) -> Result<()> {
    let seconds = clocks.stop(&simulation.atoms.context.gpu)?;
    let mut record = RunRecord { steps, ..record(session, simulation, seconds, None)? };
    record.ask_ranks();
    // For what comes after the run.
    simulation.know_all_atoms()?;
    output.end(session, simulation, &record, post)
}

/// Leaves atoms, box and time to what comes after a run.
pub(crate) fn leave(session: &mut Session, simulation: Simulation) {
    settle(session, &simulation);
    let tally = simulation.tallied.then_some(simulation.step_kernels.tally);
    session.set_resident(simulation.atoms, tally);
}

fn settle(session: &mut Session, simulation: &Simulation) {
    session.settle_time();
    session.clock.run_start = session.clock.step;
    session.system.domain = Some(simulation.domain.clone());
    session.sharing.cuts = simulation.cuts();
}

/// What is to be said of a run that has ended, after seconds of wall and CPU time in its loop, and of waiting for other ranks; `minimization` are
/// the lines on one.
///
/// # Errors
/// When the device fails.
pub fn record(
    session: &Session,
    simulation: &Simulation,
    [loop_seconds, cpu_seconds, waiting_seconds]: [f64; 3],
    minimization: Option<String>,
) -> Result<RunRecord> {
    let gpu = &simulation.atoms.context.gpu;
    let mut kernels = gpu.take_records()?;
    let memory_bytes = gpu.peak_allocated();
    if let (Some(_), Some(pair)) = (&session.options.json, &session.force_field.pair) {
        // The run is done: its record is worth having without.
        if let Err(error) =
            kernel_cost::count(simulation, &pair.resolve()?, &session.fixes, &session.neighbor, &mut kernels)
        {
            log::warn!("the record lacks what its kernels moved and computed: {error}");
        }
    }
    Ok(RunRecord {
        ranks: Vec::new(),
        loop_seconds,
        cpu_seconds,
        waiting_seconds,
        steps: (session.clock.step - session.clock.run_start) as u64,
        atoms: simulation.atoms.n as u64,
        dt: session.clock.dt,
        units: session.system.units.name.to_owned(),
        counts: Counts {
            local: simulation.own_atoms() as u64,
            ghost: simulation.ghosts() as u64,
            neighbors: match simulation.own_atoms() {
                0 => 0,
                _ => simulation.neighbor.pairs(&simulation.atoms)?,
            },
        },
        skin: simulation.neighbor.skin(),
        script_skin: session.neighbor.skin,
        predicted: simulation.neighbor.prediction.ahead(),
        builds: simulation.neighbor.builds(),
        dangerous: session.neighbor.check.then_some(simulation.neighbor.dangerous),
        kernels,
        timing: session.options.timing,
        memory_bytes,
        pre_force_sums: simulation.step_kernels.pre_force_sums(),
        minimization,
    })
}
