//! `run`, `timestep` and `reset_timestep`: their words. The loop itself is [`crate::run`].

use crate::base::error::{Error, Result};
use crate::engine::device_atoms::status;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::fix::{Header, keeper_of_time_step};

/// `timestep DT`; 0 holds atoms where they are, and a negative one goes back, as in LAMMPS.
///
/// # Errors
/// At an argument that does not fit.
pub fn timestep(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let word = args.peek();
    let dt = args.f64("the time step")?;
    let begun = session.output.last_row.is_some() && dt != session.clock.dt;
    if let (Some(word), Err(error)) = (word.filter(|_| begun), time_step_is_free(session)) {
        return Err(args.place(word, error));
    }
    session.settle_time();
    session.clock.dt = dt;
    args.finish()
}

/// Checks that another time step can be set amid a simulation, as in LAMMPS.
///
/// # Errors
/// Names the fix whose atoms would jump.
fn time_step_is_free(session: &Session) -> Result<()> {
    let Some(Header { id, style, .. }) = keeper_of_time_step(&session.fixes) else { return Ok(()) };
    let message =
        format!("fix {id} ({style}) counts time by the time step since it was defined: atoms would jump");
    Err(Error::new(message).help(format!("write `unfix {id}` before, and the fix anew after it")))
}

/// `reset_timestep N [time T]`: without T a later step lets the simulation time pass, an earlier one sets it to 0.
///
/// # Errors
/// At an argument that does not fit, or while something counts steps or a dump has written frames.
pub fn reset_timestep(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let step = args.count("the new step", 0)? as i64;
    let mut time = None;
    while !args.is_empty() {
        args.one_of("reset_timestep keyword", &[("time", ())])?;
        time = Some(args.f64("the simulation time")?);
    }
    steps_are_free(session)?;
    let before = session.clock.step;
    set_step(session, step);
    session.clock.time = time.unwrap_or(session.clock.time);
    // What the last row says is still so.
    if let Some(row) = session.output.last_row.as_mut().filter(|row| row.step == before) {
        (row.step, row.first_step, row.time) = (step, step, session.clock.time);
    }
    Ok(())
}

/// Checks that another step can be set, as in LAMMPS: no frame of a dump is written, and no fix counts steps.
///
/// # Errors
/// Names the dump or the fix.
pub(crate) fn steps_are_free(session: &Session) -> Result<()> {
    if let Some(dump) = session.output.dumps.iter().find(|dump| dump.begun()) {
        let id = dump.id();
        let message = format!("dump {id} has written frames, whose steps would not go on");
        return Err(
            Error::new(message).help(format!("write `undump {id}` before, and the dump anew after it"))
        );
    }
    if let Some(fix) = session.fixes.iter().find(|fix| fix.counts_steps()) {
        let (id, style) = (&fix.header().id, fix.header().style);
        let message = format!("fix {id} ({style}) counts the steps, which would not go on");
        return Err(Error::new(message).help(format!("write `unfix {id}` before, and the fix anew after it")));
    }
    Ok(())
}

/// Goes to another step: a later one lets the simulation time pass, an earlier one sets it to 0.
pub(crate) fn set_step(session: &mut Session, step: i64) {
    session.clock.time = if step >= session.clock.step { session.time_at(step) } else { 0.0 };
    (session.clock.step, session.clock.time_since, session.clock.run_start) = (step, step, step);
}

/// What the `run` command asks for.
#[derive(Clone, Debug)]
pub struct RunArgs<'a> {
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

impl<'a> RunArgs<'a> {
    /// Reads `run N [upto] [start N] [stop N] [pre yes|no] [post yes|no] [every N COMMANDS...|NULL]`.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub fn read(session: &Session, args: &mut Args<'a>) -> Result<Self> {
        let word = args.word("the number of steps")?;
        let steps = word.text.parse().ok().filter(|&n: &i64| n >= 0).ok_or_else(|| {
            let what = "the number of steps (an integer from 0 on)";
            args.error(word, format_args!("'{}' is not {what}", word.text)).label(format!("expected {what}"))
        })?;
        let mut run_args =
            RunArgs { steps, bounds: [None; 2], every: 0, commands: Vec::new(), pre: true, post: true };
        if args.accept("upto") {
            run_args.steps -= session.clock.step;
            if run_args.steps < 0 {
                return Err(args.error(word, format_args!("step {} is already past it", session.clock.step)));
            }
        }
        let last = session
            .clock
            .step
            .checked_add(run_args.steps)
            .ok_or_else(|| Error::new("more steps than can be counted"))?;
        while let Some(keyword) = args.peek() {
            match args.one_of("run keyword", &KEYWORDS)? {
                bound @ ("start" | "stop") => {
                    let step = args.count("a step", 0)? as i64;
                    let fits = if bound == "start" { step <= session.clock.step } else { step >= last };
                    if !fits {
                        let message = format!(
                            "the run goes from step {} to {last}, beyond {bound} {step}",
                            session.clock.step
                        );
                        return Err(args.error(keyword, message));
                    }
                    run_args.bounds[usize::from(bound == "stop")] = Some(step);
                }
                "every" => {
                    run_args.every = args.count("the number of steps between commands", 1)? as i64;
                    args.word("commands in quotes, or NULL")?;
                    let taken = args.taken().last();
                    run_args.commands =
                        taken.into_iter().chain(args.rest()).filter(|w| w.text != "NULL").collect();
                    args.skip_rest();
                }
                "post" => run_args.post = args.yes_no()?,
                _ => run_args.pre = args.yes_no()?,
            }
        }
        if session.options.skip_run {
            (run_args.steps, run_args.every) = (0, 0);
        }
        let longest = if run_args.every > 0 { run_args.every } else { run_args.steps };
        if longest >= i64::from(status::CYCLES) {
            return Err(args
                .error(word, format_args!("{longest} steps are too many for one run"))
                .help(format!("split it into runs of fewer than {} steps", status::CYCLES)));
        }
        Ok(run_args)
    }

    /// The span of a part that goes from one step to another.
    pub fn span(&self, first: i64, last: i64) -> [i64; 2] {
        [self.bounds[0].unwrap_or(first), self.bounds[1].unwrap_or(last)]
    }
}

const KEYWORDS: [(&str, &str); 5] =
    [("start", "start"), ("stop", "stop"), ("pre", "pre"), ("post", "post"), ("every", "every")];
