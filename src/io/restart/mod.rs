//! Restart files: `write_restart`, `restart`, `read_restart`. LAMMPS manual, the pages of these commands.
//!
//! A run that goes on from a restart file has the bits of the run that wrote it: a step that writes one rebuilds the
//! neighbour lists, and the file says for which box and shape the run was set up ([`crate::engine::simulation::Layout`]).

mod contents;
mod file;

pub use contents::FixStates;

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::engine::simulation::Simulation;
use crate::script::{Args, Word};
use crate::session::schedule::Schedule;
use crate::session::snapshot::System;
use crate::session::state::State;
use contents::Contents;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where the restart files of a run go.
#[derive(Clone, Debug)]
enum Names {
    /// One per step, which takes the place of `*`.
    Series(String),
    /// Two in turn; true: the second is next.
    Turns([String; 2], bool),
}

/// Restart files that runs write (`restart`).
#[derive(Clone, Debug)]
pub struct Restart {
    schedule: Schedule,
    names: Names,
}

impl Restart {
    /// At which steps.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Asks for the next step, where a variable names them.
    ///
    /// # Errors
    /// As [`Schedule::go_on`].
    pub fn go_on(&mut self, system: &System<'_>) -> Result<()> {
        self.schedule.go_on(system)
    }

    /// The file of a step.
    fn name(&mut self, step: i64) -> String {
        match &mut self.names {
            Names::Series(name) => name.replace('*', &step.to_string()),
            Names::Turns(names, second) => {
                *second = !*second;
                names[usize::from(!*second)].clone()
            }
        }
    }
}

/// Takes the name of a file to write.
fn file_name<'a>(args: &mut Args<'a>) -> Result<&'a Word> {
    let word = args.word("a file name")?;
    if word.text.contains('%') {
        return Err(args.unsupported(word, "a file per processor (%) in"));
    }
    files::check_place(Path::new(&word.text)).map_err(|error| args.place(word, error))?;
    Ok(word)
}

/// `restart 0`, `restart N FILE` (`*` becomes the step; without one it goes behind), `restart N FILE1 FILE2` in turn. N
/// may be `v_NAME`.
///
/// # Errors
/// At an argument that does not fit.
pub fn restart(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let what = "the number of steps between restart files";
    let schedule = Schedule::read(&state.variables, args, what, true)?;
    if schedule == Schedule::Every(0) {
        state.restarts.clear();
        return args.finish();
    }
    let first = file_name(args)?;
    let turns = !args.is_empty();
    let names = if turns {
        let second = file_name(args)?;
        if let Some(word) = [first, second].into_iter().find(|word| word.text.contains('*')) {
            return Err(args.error(word, "files that are written in turn have no '*'"));
        }
        Names::Turns([first.text.clone(), second.text.clone()], false)
    } else {
        let star = if first.text.contains('*') { "" } else { ".*" };
        Names::Series(format!("{}{star}", first.text))
    };
    args.finish()?;
    // One of either kind, as in LAMMPS.
    state.restarts.retain(|other| matches!(other.names, Names::Turns(..)) != turns);
    state.restarts.push(Restart { schedule, names });
    Ok(())
}

/// Writes the restart files that are due at the current step of a run, or `all` of them.
///
/// # Errors
/// When a file cannot be written or the device fails.
pub fn write_due(state: &mut State, simulation: &Simulation, all: bool) -> Result<()> {
    // As in the run that goes on from the file.
    state.settle_time();
    let step = state.step;
    let mut restarts = std::mem::take(&mut state.restarts);
    let mut write = || -> Result<()> {
        let atoms = simulation.atoms.download(&state.host_atoms)?;
        let contents = Contents::new(state, &atoms, &simulation.domain, Some(&simulation.layout));
        for restart in restarts.iter_mut().filter(|restart| all || restart.schedule.due(step)) {
            let name = restart.name(step);
            file::write(Path::new(&name), &contents)
                .map_err(|error| error.help("restart files of earlier steps are as they were"))?;
        }
        Ok(())
    };
    let done = write();
    state.restarts = restarts;
    done
}

/// `write_restart FILE`: `*` becomes the step.
///
/// # Errors
/// When there is no box, or the file cannot be written.
pub fn write_restart(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let word = file_name(args)?;
    while let Some(keyword) = args.peek() {
        if matches!(&*keyword.text, "fileper" | "nfile") {
            return Err(args.unsupported(keyword, "write_restart keyword"));
        }
        args.one_of("write_restart keyword", &[("noinit", ())])?;
    }
    state.domain()?;
    state.log.line("System init for write_restart ...");
    state.atoms()?; // `host_atoms` is the newest from here on
    let path = PathBuf::from(word.text.replace('*', &state.step.to_string()));
    let domain = state.domain()?;
    let contents = Contents::new(state, &state.host_atoms, domain, state.layout.as_ref());
    file::write(&path, &contents).map_err(|error| args.place(word, error))
}

/// `read_restart FILE`: a `*` stands for the largest step for which there is a file.
///
/// # Errors
/// When there is a box already, there is no such file, or it is not whole.
pub fn read_restart(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let start = Instant::now();
    let word = args.word("a file name")?;
    if word.text.contains('%') {
        return Err(args.unsupported(word, "a file per processor (%) in"));
    }
    args.finish()?;
    if state.domain.is_some() {
        return Err(args.error_here("the simulation box exists already").help("`clear` starts afresh"));
    }
    let path = newest(&word.text).map_err(|error| args.place(word, error))?;
    state.log.line("Reading restart file ...");
    let contents = file::read(&path).map_err(|error| args.place(word, error))?;
    state.log.line(&format!("  {}, {}", path.display(), contents.summary()));
    contents.restore(state).map_err(|error| args.place(word, error))?;
    let domain = state.domain()?;
    let text = format!("  {}", domain.describe());
    state.log.line(&text);
    state.log.line("  1 by 1 by 1 MPI processor grid");
    if let Some(pair) = &state.pair {
        let text = format!("  restoring pair style {} from restart", pair.name());
        state.log.line(&text);
    }
    state.log.line(&format!("  {} atoms", state.atom_count()));
    state.log.line(&format!("  read_restart CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    Ok(())
}

/// Lets go of what no fix has picked up: a run has begun without it.
pub(crate) fn forget_fixes(state: &mut State) {
    if !state.fix_states.is_empty() {
        state.log.line("Unused restart file global fix info:");
    }
    for (id, (style, _)) in std::mem::take(&mut state.fix_states) {
        state.log.line(&format!("  fix style: {style}, fix ID: {id}"));
    }
}

/// The file of a name in which `*` may stand for a step: the one of the largest step.
fn newest(name: &str) -> Result<PathBuf> {
    let path = Path::new(name);
    let pattern = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
    let Some((before, after)) = pattern.split_once('*') else { return Ok(path.to_owned()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = folder.read_dir().map_err(|err| Error::io("read", folder, &err))?;
    let step = |file: &str| file.strip_prefix(before)?.strip_suffix(after)?.parse::<u64>().ok();
    let steps = files.flatten().filter_map(|file| Some((step(file.file_name().to_str()?)?, file.path())));
    // Of 7 and 007 always the same.
    steps.max().map(|(_, path)| path).ok_or_else(|| {
        Error::new(format!("there is no file {name} with a step for the '*'"))
            .help("write_restart and restart make such files")
    })
}
