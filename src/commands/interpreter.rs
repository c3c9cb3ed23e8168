//! The command table: from a script's lines to the functions that carry them out.

mod builtin;
mod check;
mod flow;
mod ignored;
mod sharing;
mod shell;
mod suffixes;

pub use check::named_inputs;

use crate::base::error::{Error, Result, Source};
use crate::base::{ledger, signals, text};
use crate::commands::{create, edit, info, read_dump, velocity};
use crate::engine::timing;
use crate::io::data_file;
use crate::script::formula::Fault;
use crate::script::{Args, Command, closest, lammps, lexer};
use crate::session::{KnownNames, Session};
use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;

/// A command that only changes the state.
pub type Handler = fn(&mut Session, &mut Args) -> Result<()>;

/// The commands of the other modules, by name. One that changes a single part of the session takes that part.
const COMMANDS: &[(&str, Handler)] = &[
    ("atom_style", crate::commands::topology::atom_style),
    ("bond_coeff", crate::session::coefficients::bond_coeff),
    ("bond_style", crate::commands::bond::bond_style),
    ("boundary", crate::commands::domain::boundary),
    ("change_box", edit::change_box),
    ("compute", crate::commands::compute::compute),
    ("compute_modify", crate::commands::compute::compute_modify),
    ("create_atoms", create::create_atoms),
    ("create_bonds", edit::create_bonds),
    ("create_box", create::create_box),
    ("delete_atoms", edit::delete_atoms),
    ("delete_bonds", edit::delete_bonds),
    ("dielectric", |session, args| crate::commands::units::dielectric(&mut session.force_field, args)),
    ("dimension", crate::commands::domain::dimension),
    ("displace_atoms", edit::displace_atoms),
    ("dump", crate::commands::dump::dump),
    ("dump_modify", crate::commands::dump_modify::dump_modify),
    ("fix", crate::commands::fix::fix),
    ("fix_modify", crate::commands::fix::fix_modify),
    ("group", crate::commands::group::group),
    ("info", info::info),
    ("labelmap", crate::commands::labelmap::labelmap),
    ("lattice", crate::commands::lattice::lattice),
    ("mass", create::mass),
    ("min_modify", |session, args| crate::commands::minimize::min_modify(&mut session.minimize, args)),
    ("min_style", |Session { minimize, output, .. }, args| {
        crate::commands::minimize::min_style(minimize, output, args)
    }),
    ("minimize", crate::commands::minimize::minimize),
    ("molecule", crate::commands::molecule::molecule),
    ("neigh_modify", crate::commands::neighbor::neigh_modify),
    ("neighbor", |session, args| crate::commands::neighbor::neighbor(&mut session.neighbor, args)),
    ("pair_coeff", crate::session::coefficients::pair_coeff),
    ("pair_modify", |session, args| crate::commands::pair::pair_modify(&mut session.force_field, args)),
    ("pair_style", crate::commands::pair::pair_style),
    ("pair_write", crate::commands::pair_write::pair_write),
    ("read_data", data_file::read_data),
    ("read_dump", read_dump::read_dump),
    ("read_restart", crate::commands::restart::read_restart),
    ("region", crate::commands::region::region),
    ("replicate", edit::replicate),
    ("rerun", read_dump::rerun),
    ("reset_atom_ids", edit::reset_ids),
    ("reset_atoms", edit::reset_atoms),
    ("reset_ids", edit::reset_ids),
    ("reset_mol_ids", edit::reset_mol_ids),
    ("reset_timestep", crate::commands::run::reset_timestep),
    ("restart", crate::commands::restart::restart),
    ("set", edit::set),
    ("special_bonds", crate::commands::topology::special_bonds),
    ("thermo", crate::commands::thermo::thermo),
    ("thermo_modify", crate::commands::thermo::thermo_modify),
    ("thermo_style", crate::commands::thermo::thermo_style),
    ("timestep", crate::commands::run::timestep),
    ("undump", crate::commands::dump::undump),
    ("uncompute", crate::commands::compute::uncompute),
    ("unfix", crate::commands::fix::unfix),
    ("units", crate::commands::units::units),
    ("velocity", velocity::velocity),
    ("write_coeff", data_file::write_coeff),
    ("write_data", data_file::write_data),
    ("write_dump", crate::commands::dump::write_dump),
    ("write_restart", crate::commands::restart::write_restart),
];

/// A command that concerns the interpreter itself.
type Builtin = fn(&mut Interpreter, &mut Args) -> Result<()>;

/// The interpreter's own commands, by name.
const BUILTINS: &[(&str, Builtin)] = &[
    ("clear", builtin::clear),
    ("echo", builtin::echo),
    ("if", flow::r#if),
    ("include", builtin::include),
    ("jump", flow::jump),
    ("label", flow::label),
    ("log", builtin::log),
    ("next", flow::next),
    ("print", builtin::print),
    ("quit", builtin::quit),
    ("run", flow::run),
    ("shell", shell::shell),
    ("timer", builtin::timer),
    ("variable", builtin::variable),
    ("angle_style", ignored::angle_style),
    ("atom_modify", ignored::atom_modify),
    ("balance", sharing::balance),
    ("box", ignored::r#box),
    ("comm_modify", sharing::comm_modify),
    ("comm_style", sharing::comm_style),
    ("dihedral_style", ignored::dihedral_style),
    ("improper_style", ignored::improper_style),
    ("kspace_style", ignored::kspace_style),
    ("newton", ignored::newton),
    ("package", ignored::package),
    ("processors", sharing::processors),
    ("run_style", ignored::run_style),
    ("suffix", ignored::suffix),
];

/// The commands that leave nothing but files behind.
const WRITERS: [&str; 6] = ["log", "shell", "write_coeff", "write_data", "write_dump", "write_restart"];

/// The commands that leave a run so that another can go on with it (`run ... pre no`).
const LEAVES_RUN: [&str; 32] = [
    "atom_modify",
    "balance",
    "comm_modify",
    "comm_style",
    "dump",
    "dump_modify",
    "echo",
    "if",
    "include",
    "info",
    "jump",
    "label",
    "log",
    "newton",
    "next",
    "package",
    "print",
    "processors",
    "quit",
    "restart",
    "run",
    "shell",
    "suffix",
    "thermo",
    "thermo_modify",
    "thermo_style",
    "timer",
    "undump",
    "variable",
    "write_data",
    "write_dump",
    "write_restart",
];

/// Where script lines are echoed to (`echo`, `-echo`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Echo {
    /// Nowhere.
    None,
    /// The screen.
    Screen,
    /// The log file.
    #[default]
    Log,
    /// Screen and log file.
    Both,
}

/// What the script said about its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It has no more lines.
    Script,
    /// `quit`, with the exit status.
    Quit(u8),
    /// The user's signal, by number.
    Signal(u8),
}

/// Carries out scripts, command by command.
pub struct Interpreter {
    /// What the commands have built so far.
    pub session: Session,
    /// `echo`.
    pub echo: Echo,
    /// The commands and words without effect that the log has mentioned.
    noted: Vec<String>,
    /// Set when no more commands are to be read.
    end: Option<End>,
    /// The scripts that are being read, the innermost last.
    frames: Vec<Frame>,
    /// A `next` found no further value: the next `jump` stays here.
    skip_jump: bool,
    /// The script is carried out up to its first `run` only, and writes nothing.
    preparing: bool,
}

/// A script that is being read.
struct Frame {
    lines: Rc<[Source]>,
    /// The line to read next.
    next: usize,
}

impl Interpreter {
    /// Before the first line.
    pub fn new(mut session: Session, echo: Echo) -> Self {
        session.script.known = KNOWN;
        Interpreter {
            session,
            echo,
            noted: Vec::new(),
            end: None,
            frames: Vec::new(),
            skip_jump: false,
            preparing: false,
        }
    }

    /// Runs a script: checks all of it as far as that is possible without running it, then carries it out,
    /// and closes the log with the wall time. `name` is the file's name for messages.
    ///
    /// # Errors
    /// Of the script's text or of a command; the place is set.
    pub fn run(&mut self, name: &str, text: &str) -> Result<End> {
        let lines = lexer::lines(name, text)?;
        check::script(&lines)?;
        self.warn();
        self.play(lines)?;
        let wall = self.session.clock.started.elapsed().as_secs_f64();
        self.session.output.log.line(&timing::total_wall_time(wall));
        Ok(self.end.unwrap_or(End::Script))
    }

    /// Carries out a script up to its first `run`, without that, and without commands that only write files. Says
    /// whether it has a `run`.
    ///
    /// # Errors
    /// Of the script's text or of a command; the place is set.
    pub fn prepare(&mut self, name: &str, text: &str) -> Result<bool> {
        self.preparing = true;
        let lines = lexer::lines(name, text)?;
        check::script(&lines)?;
        self.play(lines)?;
        Ok(!self.preparing)
    }

    /// Carries out a script from its first line, until it has no more.
    fn play(&mut self, lines: Vec<Source>) -> Result<()> {
        self.frames.push(Frame { lines: lines.into(), next: 0 });
        while let Some(line) = self.next_line() {
            self.line(&line)?;
            if signals::interrupted() {
                self.session.output.log.line("Interrupted: the rest of the script is left out");
                self.end = Some(End::Signal(signals::signal().unwrap_or_default()));
            }
            if self.end.is_some() {
                break;
            }
        }
        self.frames.pop();
        Ok(())
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("commands are read from a script")
    }

    fn next_line(&mut self) -> Option<Source> {
        let frame = self.frame();
        frame.next += 1;
        frame.lines.get(frame.next - 1).cloned()
    }

    /// A text with its variables put in.
    fn substitute(&self, text: &str) -> std::result::Result<String, Fault> {
        self.session.script.variables.substitute(text, &self.session.now()).map(Cow::into_owned)
    }

    /// Carries out one logical line as it was typed.
    fn line(&mut self, line: &Source) -> Result<()> {
        self.echo(&line.text);
        let bare = lexer::strip_comment(&line.text);
        let substituted = self.substitute(bare).map_err(|fault| fault.at(line, 0))?;
        if substituted != bare {
            self.echo(&substituted);
        }
        let source = Source { text: substituted.into(), ..line.clone() };
        match lexer::split(&source)? {
            Some(command) => {
                let command = self.without_suffixes(command);
                self.command(&command)
            }
            None => Ok(()),
        }
    }

    /// Carries out one command.
    fn command(&mut self, command: &Command) -> Result<()> {
        let mut args = Args::new(command);
        let name = args.name();
        if self.preparing && name == "run" {
            (self.preparing, self.end) = (false, Some(End::Script));
            return Ok(());
        }
        if self.preparing && WRITERS.contains(&name) {
            return Ok(());
        }
        if !LEAVES_RUN.contains(&name) {
            self.session.let_go_of_simulation();
        }
        let done = if let Some((_, builtin)) = BUILTINS.iter().find(|(known, _)| *known == name) {
            builtin(self, &mut args)
        } else if let Some((_, handler)) = COMMANDS.iter().find(|(known, _)| *known == name) {
            handler(&mut self.session, &mut args)
        } else {
            Err(unknown_command(command))
        };
        let done = match LEAVES_RUN.contains(&name) {
            true => done,
            false => done.and_then(|()| self.session.follow_spheres()),
        };
        self.warn();
        done.and_then(|()| self.session.output.log.check()).map_err(|error| in_command(error, command))
    }

    /// Tells what the readers of files have to tell.
    fn warn(&mut self) {
        ledger::warnings().iter().for_each(|warning| self.session.output.log.line(warning));
    }

    fn echo(&mut self, text: &str) {
        match self.echo {
            Echo::None => {}
            Echo::Screen => self.session.output.log.screen(text),
            Echo::Log => self.session.output.log.file(text),
            Echo::Both => self.session.output.log.line(text),
        }
    }

    /// Reads another script's lines here (`include`).
    fn include(&mut self, path: &Path) -> Result<()> {
        let text = text::read(path, "a script that is included")?;
        let lines = lexer::lines(&path.display().to_string(), &text)?;
        self.play(lines)
    }
}

/// Reads a script.
///
/// # Errors
/// When the file cannot be read, or is no text.
pub fn read_script(path: &Path) -> Result<String> {
    text::read(path, "the script")
}

/// An error that came without a place gets the command's.
fn in_command(error: Error, command: &Command) -> Error {
    if error.at.is_some() {
        return error;
    }
    let name = &command.words[0];
    error.in_command(&name.text).at(&command.source, name.span.clone())
}

/// The name of every command.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|(name, _)| *name).chain(COMMANDS.iter().map(|(name, _)| *name))
}

/// What formulas may ask for.
const KNOWN: KnownNames = KnownNames { style: info::has_style };

/// Whether there is a command of this name.
pub fn is_command(name: &str) -> bool {
    names().any(|known| known == name)
}

/// The error for a command that is not in the table: LAMMPS has it, or it is misspelt.
fn unknown_command(command: &Command) -> Error {
    let word = &command.words[0];
    let name = &word.text;
    let error = |message| Error::new(message).at(&command.source, word.span.clone());
    if lammps::knows(lammps::COMMANDS, name) {
        let error = error(format!("LAMMPS command '{name}' is not supported by CLAMPS"));
        return match lammps::instead_of("command", name) {
            Some(instead) => error.help(instead),
            None => error,
        };
    }
    match closest(name, names().chain(lammps::COMMANDS.split_whitespace())) {
        Some(known) => error(format!("unknown command '{name}': did you mean '{known}'?")),
        None => error(format!("unknown command '{name}'")),
    }
}
