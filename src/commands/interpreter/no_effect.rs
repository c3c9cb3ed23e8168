//! Commands that steer how LAMMPS spreads its work: read and checked, so that scripts written for other
//! machines run, but of no consequence here. Each says so once in the log.

use super::Interpreter;
use crate::base::error::Result;
use crate::script::{Args, Word, lammps};
use crate::session::weights;
use crate::session::weights::Weights;

/// Accelerator packages and the suffixes of their styles.
const SUFFIXES: [&str; 5] = ["gpu", "intel", "kk", "omp", "opt"];

impl Interpreter {
    /// Says once that a command, with this first word of its own, has no effect.
    pub(crate) fn note(&mut self, command: &str, what: &str) {
        let note = format!("{command} {what}");
        if !self.noted.contains(&note) {
            self.session.output.log.line(&format!("Note: '{}' has no effect in CLAMPS", note.trim_end()));
            self.noted.push(note);
        }
    }
}

/// One word out of `known`.
fn keyword<'a>(args: &mut Args<'a>, what: &str, known: &[&str]) -> Result<&'a Word> {
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

/// `balance THRESH x|y|z uniform|NUMBERS ...`, `shift AXES N THRESH` or `rcb`, with `weight ...`, `out FILE`,
/// `sort yes|no`. Only `weight ... store` leaves something behind.
pub(super) fn balance(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    args.positive("the imbalance that is borne")?;
    let styles = ["x", "y", "z", "shift", "rcb"];
    let style = keyword(args, "balance style", &styles)?;
    if style.text == "shift" {
        weights::shift(args)?;
    } else if style.text != "rcb" && !args.accept("uniform") {
        while args.peek().is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
        {
            args.f64("where a processor's part ends, from 0 to 1")?;
        }
    }
    let mut weights = Weights::default();
    while !args.is_empty() {
        match &*keyword(args, "balance keyword", &["x", "y", "z", "weight", "out", "sort"])?.text {
            "weight" => weights.read(&me.session, args)?,
            "out" => _ = args.word("a file name")?,
            "sort" => _ = args.yes_no()?,
            _ => {
                keyword(args, "spacing", &["uniform"])?;
            }
        }
    }
    if !weights.alike() {
        let (_, stored) = weights.measure(&me.session.now())?;
        weights::store(&mut me.session, stored);
    }
    me.note("balance", "");
    Ok(())
}

/// `processors PX PY PZ KEYWORDS`.
pub(super) fn processors(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    for _ in 0..3 {
        if !args.accept("*") {
            args.int::<std::num::NonZeroU32>("a number of processors or *")?;
        }
    }
    if !args.is_empty() {
        keyword(args, "processors keyword", &["grid", "map", "part", "file", "numa"])?;
        args.skip_rest();
    }
    me.note("processors", "");
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

/// `comm_modify KEYWORD VALUES ...`.
pub(super) fn comm_modify(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let known = ["mode", "cutoff", "cutoff/multi", "group", "reduce/multi", "vel"];
    loop {
        match &*keyword(args, "comm_modify keyword", &known)?.text {
            "mode" => {
                keyword(args, "communication mode", &["single", "multi", "multi/old"])?;
            }
            "cutoff" => {
                args.f64("a cutoff")?;
            }
            "cutoff/multi" => {
                args.word("a collection or type")?;
                args.f64("a cutoff")?;
            }
            "group" => {
                args.word("a group name")?;
            }
            "vel" => {
                args.yes_no()?;
            }
            _ => {}
        }
        if args.is_empty() {
            break;
        }
    }
    me.note("comm_modify", "");
    Ok(())
}

/// `comm_style brick|tiled`.
pub(super) fn comm_style(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    keyword(args, "communication style", &["brick", "tiled"])?;
    args.finish()?;
    me.note("comm_style", "");
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
