//! `restart`, `write_restart` and `read_restart`. Contents and format of the files are in `io/restart/`.

use crate::base::error::Result;
use crate::io::restart::contents::Contents;
use crate::io::restart::{file_name, newest};
use crate::script::Args;
use crate::session::Session;
use crate::session::restart::{Names, Restart};
use crate::session::schedule::Schedule;
use crate::session::sharing;
use std::path::PathBuf;
use std::time::Instant;

/// `restart 0`, `restart N FILE` (`*` becomes the step; without one it goes behind), `restart N FILE1 FILE2` in turn. N
/// may be `v_NAME`.
///
/// # Errors
/// At an argument that does not fit.
pub fn restart(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let what = "the number of steps between restart files";
    let schedule = Schedule::read(&session.script.variables, args, what, true)?;
    if schedule == Schedule::Every(0) {
        session.output.restarts.clear();
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
    session.output.restarts.retain(|other| matches!(other.names, Names::Turns(..)) != turns);
    session.output.restarts.push(Restart { schedule, names });
    Ok(())
}

/// `write_restart FILE`: `*` becomes the step.
///
/// # Errors
/// When there is no box, or the file cannot be written.
pub fn write_restart(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let word = file_name(args)?;
    while let Some(keyword) = args.peek() {
        if matches!(&*keyword.text, "fileper" | "nfile") {
            return Err(args.unsupported(keyword, "write_restart keyword"));
        }
        args.one_of("write_restart keyword", &[("noinit", ())])?;
    }
    session.domain()?;
    session.output.log.line("System init for write_restart ...");
    session.atoms()?; // `host_atoms` is the newest from here on
    let path = PathBuf::from(word.text.replace('*', &session.clock.step.to_string()));
    let domain = session.domain()?;
    let contents = Contents::new(session, &session.system.host_atoms, domain, session.device.layout.as_ref());
    crate::io::restart::file::write(&path, &contents).map_err(|error| args.place(word, error))
}

/// `read_restart FILE`: a `*` stands for the largest step for which there is a file.
///
/// # Errors
/// When there is a box already, there is no such file, or it is not whole.
pub fn read_restart(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let start = Instant::now();
    let word = args.word("a file name")?;
    if word.text.contains('%') {
        return Err(args.unsupported(word, "a file per processor (%) in"));
    }
    args.finish()?;
    if session.system.domain.is_some() {
        return Err(args.error_here("the simulation box exists already").help("`clear` starts afresh"));
    }
    let path = newest(&word.text).map_err(|error| args.place(word, error))?;
    session.output.log.line("Reading restart file ...");
    let contents = crate::io::restart::file::read(&path).map_err(|error| args.place(word, error))?;
    session.output.log.line(&format!("  {}, {}", path.display(), contents.summary()));
    contents.restore(session).map_err(|error| args.place(word, error))?;
    let domain = session.domain()?;
    let text = format!("  {}", domain.describe());
    session.output.log.line(&text);
    session.output.log.line(&sharing::in_words());
    if let Some(pair) = &session.force_field.pair {
        let text = format!("  restoring pair style {} from restart", pair.name());
        session.output.log.line(&text);
    }
    session.output.log.line(&format!("  {} atoms", session.atom_count()));
    session.output.log.line(&format!("  read_restart CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    Ok(())
}
