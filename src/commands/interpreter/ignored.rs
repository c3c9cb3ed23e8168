//! Commands that steer how LAMMPS spreads its work: read and checked, so that scripts written for other
//! machines run, but of no consequence here. Each says so once in the log.

use super::Interpreter;
use crate::base::error::Result;
use crate::script::{Args, Word, lammps};

/// Accelerator packages and the suffixes of their styles.
const SUFFIXES: [&str; 5] = ["gpu", "intel", "kk", "omp", "opt"];

impl Interpreter {
    /// Says once that a command, with this first word of its own, has no effect.
    pub(crate) fn note(&mut self, command: &str, what: &str) {
        let what = format!("{command} {what}");
        self.note_line(format!("Note: '{}' has no effect in CLAMPS", what.trim_end()));
    }

    /// Writes a line once.
    pub(super) fn note_line(&mut self, line: String) {
        if !self.noted.contains(&line) {
            self.session.output.log.line(&line);
            self.noted.push(line);
        }
    }
}

/// One word out of `known`.
pub(super) fn keyword<'a>(args: &mut Args<'a>, what: &str, known: &[&str]) -> Result<&'a Word> {
    let word = args.word(what)?;
    if known.contains(&&*word.text) {
        return Ok(word);
    }
    Err(args.unknown(word, what, known.iter().copied()))
}

/// `package STYLE ARGS`.
pub(super) fn package(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let style = keyword(args, "package", &["gpu", "intel", "kokkos", "omp"])?;
    args.skip_rest();
    me.note("package", &style.text);
    Ok(())
}

/// `suffix on|off|STYLE|hybrid STYLE STYLE`.
pub(super) fn suffix(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let known: Vec<&str> = SUFFIXES.into_iter().chain(["on", "off", "hybrid"]).collect();
    if keyword(args, "suffix", &known)?.text == "hybrid" {
        keyword(args, "suffix", &SUFFIXES)?;
        keyword(args, "suffix", &SUFFIXES)?;
    }
    args.finish()?;
    me.note("suffix", "");
    Ok(())
}

/// `newton FLAG` or `newton PAIR BOND`.
pub(super) fn newton(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    args.yes_no()?;
    if !args.is_empty() {
        args.yes_no()?;
    }
    args.finish()?;
    me.note("newton", "");
    Ok(())
}

/// `atom_modify KEYWORD VALUES ...`.
pub(super) fn atom_modify(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    loop {
        match &*keyword(args, "atom_modify keyword", &["id", "map", "first", "sort"])?.text {
            "id" => {
                args.yes_no()?;
            }
            "map" => {
                keyword(args, "atom map", &["yes", "no", "array", "hash"])?;
            }
            "first" => {
                args.word("a group name")?;
            }
            _ => {
                args.int::<u64>("how many steps lie between sorts")?;
                args.f64("a bin size")?;
            }
        }
        if args.is_empty() {
            break;
        }
    }
    me.note("atom_modify", "");
    Ok(())
}

/// `angle_style none`: there are no angles.
pub(super) fn angle_style(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    none(me, args, "angle style", lammps::ANGLE_STYLES)
}

/// `dihedral_style none`: there are no dihedrals.
pub(super) fn dihedral_style(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    none(me, args, "dihedral style", lammps::DIHEDRAL_STYLES)
}

/// `improper_style none`: there are no impropers.
pub(super) fn improper_style(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    none(me, args, "improper style", lammps::IMPROPER_STYLES)
}

/// `kspace_style none`: there are no long-range forces.
pub(super) fn kspace_style(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    none(me, args, "kspace style", lammps::KSPACE_STYLES)
}

/// Takes `none`, the only style of a kind that is not there; `theirs` are those of LAMMPS.
fn none(me: &mut Interpreter, args: &mut Args, kind: &str, theirs: &str) -> Result<()> {
    args.style(kind, &[("none", ())], theirs)?;
    args.finish()?;
    me.note(args.name(), "none");
    Ok(())
}

/// `run_style verlet`: the only one.
pub(super) fn run_style(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    args.style("run_style", &[("verlet", ())], lammps::RUN_STYLES)?;
    args.finish()?;
    me.note("run_style", "verlet");
    Ok(())
}

/// `box tilt small|large`: boxes may lean as much as they like.
pub(super) fn r#box(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    loop {
        keyword(args, "box keyword", &["tilt"])?;
        keyword(args, "how far boxes may lean", &["small", "large"])?;
        if args.is_empty() {
            break;
        }
    }
    me.note("box", "tilt");
    Ok(())
}
