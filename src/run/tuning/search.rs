//! The search for the shape that is fastest on a device for a system: one change at a time, checked, timed over whole
//! steps in turns with the best so far, and kept only where it gains.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::trial;
use crate::base::error::{Error, Result};
use crate::base::signals;
use crate::engine::kernels::LaunchConfig;
use crate::engine::simulation::Simulation;
use crate::fixes::nve;
use crate::gpu::Gpu;
use crate::model::atoms::Atoms;
use crate::model::group::ALL;
use crate::session::Session;
use crate::session::fix::{Fix, Header};
use crate::session::tuned::{Choice, Key, Record};

/// A change that makes steps no more than this faster is not worth a shape of its own.
const WORTH: f64 = 1.03;
/// Steps before the first trial: a crystal melts, and what is measured is a liquid.
pub(super) const FIRST_STEPS: u32 = 100;
/// Seconds that a measurement takes at least.
pub(super) const LONG_ENOUGH: f64 = 0.1;
/// Steps of a measurement are a multiple of this: the usual time between rebuilds.
const STRETCH: u32 = 20;
/// Repetitions, at least and at most; those after the first few are made where they can still decide.
const REPEATS: [usize; 2] = [4, 15];

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was faster, and is what the next ones are held against.
    ReferenceValues,
    /// It gained too little, or nothing.
    Dropped,
    /// It gave wrong results, did not build, or did not fit.
    Failed(String),
}

/// A change that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// What was changed of the best so far, in words.
    pub change: String,
    /// All of it.
    pub choice: Choice,
    /// How many times as fast as the best so far it was; `None` where it was not timed.
    pub speed: Option<f64>,
    /// How far off that may be, relatively.
    pub spread: Option<f64>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What a search found.
#[derive(Clone, Debug, Serialize)]
pub struct Search {
    /// Number of atoms.
    pub atoms: usize,
    /// Seconds per step of the shipped shape.
    pub shipped_seconds: f64,
    /// The trials, in their order.
    pub trials: Vec<Trial>,
    /// Changes that were left out, as the time was up.
    pub left_out: usize,
    /// The record of it.
    pub record: Record,
}

/// A change: its name and how it is made, which may change nothing.
type Change = (String, Box<dyn Fn(Choice) -> Choice>);

/// What is tried on a device of this shipped shape, what pays most first.
fn changes(shipped: LaunchConfig) -> Vec<Change> {
    fn each(
        name: &str,
        values: &[usize],
        applies: fn(Choice) -> bool,
        set: fn(&mut Choice, usize),
    ) -> Vec<Change> {
        let one = |&value: &usize| -> Change {
            let make = move |mut choice: Choice| {
                if applies(choice) {
                    set(&mut choice, value);
                }
                choice
            };
            (format!("{name} {value}"), Box::new(make))
        };
        values.iter().map(one).collect()
    }
    let vectors = |values| each("vectors of", values, |_| true, |c, v| c.vector = v);
    let unroll = |values| each("unrolled", values, |c| !c.tile, |c, v| c.unroll = v);
    let others = |values| each("other kernels' work-group", values, |_| true, |c, v| c.local = v);
    let skip: Change = ("skipping on or off".to_owned(), Box::new(|c| Choice { skip: !c.skip, ..c }));
    let plain = |values| each("work-group", values, |c| !c.tile, |c, v| c.pair_local = v);
    if shipped.block_edge == 0 {
        let clusters =
            |c: Choice| Choice { clusters: !c.clusters, pair_local: if c.clusters { 32 } else { 4 }, ..c };
        let mut all: Vec<Change> = vec![("lists of four atoms or of one".to_owned(), Box::new(clusters))];
        all.extend(vectors(&[4, 8, 16]));
        all.extend(plain(&[1, 16]));
        all.push(skip);
        all.extend(unroll(&[2]));
        all.extend(others(&[256]));
        return all;
    }
    let other = |c: Choice| match c.tile {
        true => Choice { tile: false, lanes: 4, block_edge: 2, ..c },
        false => Choice { tile: true, lanes: 1, block_edge: 4, ..c },
    };
    let mut all: Vec<Change> = vec![("the other layout".to_owned(), Box::new(other))];
    all.extend(each("lanes", &[1, 2, 4, 8, 16, 32], |_| true, |c, v| c.lanes = v));
    all.extend(each("blocks of", &[2, 4], |_| true, |c, v| c.block_edge = v));
    all.extend(each("blocks' work-group", &[96, 128, 160, 192, 256], |_| true, |c, v| c.block_local = v));
    all.extend(plain(&[64, 128, 256]));
    all.extend(vectors(&[2, 4, 8]));
    all.push(skip);
    all.extend(unroll(&[1, 2, 4]));
    all.extend(others(&[64, 256]));
    all
}

/// What a search begins with on a device of this shipped shape: each change by itself.
pub fn candidates(shipped: LaunchConfig) -> Vec<Choice> {
    let own = Choice::of(shipped);
    changes(shipped).iter().map(|(_, change)| change(own)).filter(|&made| made != own).collect()
}

/// Searches for the fastest shape of a script's system, from `shipped` on, for about as long as `patience` says. Meanwhile
/// plain `nve` moves what the script's fixes move; afterwards all is as it was.
///
/// # Errors
/// A system that the shipped shape cannot run, or a device that fails. Shapes that fail are trials that failed.
pub fn search(
    session: &mut Session,
    gpu: &Gpu,
    key: &Key,
    shipped: LaunchConfig,
    patience: Duration,
    simulate: impl Fn(&Session, &Atoms, LaunchConfig) -> Result<Simulation>,
) -> Result<Search> {
    with_plain_nve(session, gpu, |session, atoms| {
        within(session, gpu, key, shipped, patience, atoms, &simulate)
    })
}

/// Lends a script's state with `nve` in place of its fixes, and its atoms to be moved.
pub(super) fn with_plain_nve<R>(
    session: &mut Session,
    gpu: &Gpu,
    work: impl FnOnce(&Session, &mut Atoms) -> Result<R>,
) -> Result<R> {
    let mut atoms = session.atoms_mut()?.clone();
    let moved =
        session.fixes.iter().filter(|fix| fix.integrates()).fold(0, |mask, fix| mask | fix.header().group);
    let group = if moved == 0 { ALL } else { moved };
    let plain: Vec<Box<dyn Fix>> = vec![nve::of(Header { id: "tune".to_owned(), group, style: "nve" })];
    let fixes = std::mem::replace(&mut session.fixes, plain);
    let found = work(session, &mut atoms);
    session.fixes = fixes;
    // The run that follows has its own books.
    gpu.take_records()?;
    gpu.forget_peak();
    found
}

fn within(
    session: &Session,
    gpu: &Gpu,
    key: &Key,
    shipped: LaunchConfig,
    patience: Duration,
    atoms: &mut Atoms,
    simulate: &dyn Fn(&Session, &Atoms, LaunchConfig) -> Result<Simulation>,
) -> Result<Search> {
    let begun = Instant::now();
    let changes = changes(shipped);
    let bar = progress(changes.len() as u64, atoms.len());
    let mut first = simulate(session, atoms, shipped)?;
    let seconds = trial::seconds(&mut first, FIRST_STEPS)? / f64::from(FIRST_STEPS);
    *atoms = first.atoms.download(atoms)?;
    drop(first);
    let steps = ((LONG_ENOUGH / seconds) as u32).clamp(STRETCH, 10_000).next_multiple_of(STRETCH);

    let mut search = Search {
        atoms: atoms.len(),
        shipped_seconds: seconds,
        trials: Vec::new(),
        left_out: 0,
        record: Record::new(key.clone(), Choice::of(shipped), 1.0),
    };
    let simulate =
        |choice: Choice| simulate(session, atoms, choice.shape(shipped, gpu.info(), key.precision));
    let facts = trial::Facts::of(&mut simulate(search.record.choice)?)?;
    for (name, change) in changes {
        bar.set_message(name.clone());
        let known = |made: &Choice| {
            *made == Choice::of(shipped) || search.trials.iter().any(|trial| trial.choice == *made)
        };
        let choice = change(search.record.choice);
        if known(&choice) || choice.check(shipped, gpu.info(), key.precision).is_err() {
            bar.inc(1);
            continue;
        }
        if begun.elapsed() > patience {
            search.left_out += 1;
            bar.inc(1);
            continue;
        }
        let timed = simulate(choice).and_then(|mut found| {
            facts.check(&mut found)?;
            // From the same atoms on, as these may heat up or leave the box on their way.
            compare(&mut simulate(search.record.choice)?, &mut found, steps)
        });
        check_interrupts()?;
        let mut trial = Trial { change: name, choice, speed: None, spread: None, outcome: Outcome::Dropped };
        match timed {
            Ok((speed, spread)) => {
                (trial.speed, trial.spread) = (Some(speed), Some(spread));
                if pays(speed, spread) {
                    trial.outcome = Outcome::ReferenceValues;
                    search.record.choice = choice;
                    search.record.gain *= speed;
                }
            }
            Err(error) => trial.outcome = Outcome::Failed(error.message),
        }
        search.trials.push(trial);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(search)
}

/// That the user has not had enough.
pub(super) fn check_interrupts() -> Result<()> {
    match signals::interrupted() {
        true => Err(Error::new("interrupted: nothing has been recorded")),
        false => Ok(()),
    }
}

/// Whether a choice so much faster, give or take the spread, is to be kept.
pub(super) fn pays(speed: f64, spread: f64) -> bool {
    speed > WORTH && speed * (1.0 - spread) > 1.0
}

/// How many times as fast the second simulation makes its steps as the first one, and how far off that may be. Whoever is
/// first changes from turn to turn.
pub(super) fn compare(best: &mut Simulation, found: &mut Simulation, steps: u32) -> Result<(f64, f64)> {
    let mut seconds = [const { Vec::new() }; 2];
    let sides = [found, best];
    for repeat in 0..=REPEATS[1] {
        check_interrupts()?;
        for turn in [repeat % 2, 1 - repeat % 2] {
            let taken = trial::seconds(sides[turn], steps)?;
            if repeat > 0 {
                seconds[turn].push(taken);
            }
        }
        if repeat >= REPEATS[0] {
            let (speed, spread) = trial::ratio(&seconds[0], &seconds[1]);
            if speed < WORTH || speed * (1.0 - 2.0 * spread) > 1.0 {
                break;
            }
        }
    }
    Ok(trial::ratio(&seconds[0], &seconds[1]))
}

/// On standard error, and only when that is a terminal.
pub(super) fn progress(changes: u64, atoms: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("tuning {prefix} atoms [{bar:30}] {pos} of {len}, {elapsed}  {msg}")
            .expect("the template is valid");
    let bar =
        ProgressBar::new(changes).with_style(style.progress_chars("=> ")).with_prefix(atoms.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_and_small_gains_change_nothing() {
        assert!(pays(1.10, 0.02));
        assert!(!pays(1.02, 0.001), "too little");
        assert!(!pays(1.10, 0.12), "may be noise");
        assert!(!pays(0.8, 0.0));
    }
}
