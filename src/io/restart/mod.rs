//! Restart files: `write_restart`, `restart`, `read_restart`. LAMMPS manual, the pages of these commands.
//!
//! A run that goes on from a restart file has the bits of the run that wrote it: a step that writes one rebuilds the
//! neighbour lists, and the file says for which box and shape the run was set up ([`crate::engine::simulation::Layout`]).

pub(crate) mod contents;
pub(crate) mod file;

use crate::base::error::{Error, Result};
use crate::base::files;
use crate::engine::simulation::Simulation;
use crate::script::{Args, Word};
use crate::session::Session;
use contents::Contents;
use std::path::{Path, PathBuf};

/// Takes the name of a file to write.
pub(crate) fn file_name<'a>(args: &mut Args<'a>) -> Result<&'a Word> {
    let word = args.word("a file name")?;
    if word.text.contains('%') {
        return Err(args.unsupported(word, "a file per processor (%) in"));
    }
    files::check_place(Path::new(&word.text)).map_err(|error| args.place(word, error))?;
    Ok(word)
}

/// Writes the restart files that are due at the current step of a run, or `all` of them.
///
/// # Errors
/// When a file cannot be written or the device fails.
pub fn write_due(session: &mut Session, simulation: &Simulation, all: bool) -> Result<()> {
    let step = session.clock.step;
    let mut restarts = std::mem::take(&mut session.output.restarts);
    let mut write = || -> Result<()> {
        let atoms = simulation.atoms.download(&session.system.host_atoms)?;
        let contents = Contents::new(session, &atoms, &simulation.domain, Some(&simulation.layout));
        for restart in restarts.iter_mut().filter(|restart| all || restart.schedule.due(step)) {
            let name = restart.name(step);
            file::write(Path::new(&name), &contents)
                .map_err(|error| error.help("restart files of earlier steps are as they were"))?;
        }
        Ok(())
    };
    let done = write();
    session.output.restarts = restarts;
    done
}

/// Lets go of what no fix or compute has picked up: a run has begun without it.
pub(crate) fn forget_states(session: &mut Session) {
    if !session.script.fix_states.is_empty() {
        session.output.log.line("Unused restart file global fix info:");
    }
    for (id, (style, _)) in std::mem::take(&mut session.script.fix_states) {
        session.output.log.line(&format!("  fix style: {style}, fix ID: {id}"));
    }
    let computes = std::mem::take(&mut session.script.compute_states);
    if !computes.is_empty() {
        session.output.log.line("Unused restart file compute info:");
    }
    for (id, (style, _)) in computes {
        session.output.log.line(&format!("  compute style: {style}, compute ID: {id}"));
    }
}

/// The file of a name in which `*` may stand for a step: the one of the largest step.
pub(crate) fn newest(name: &str) -> Result<PathBuf> {
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
