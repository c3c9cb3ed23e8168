//! `compute`, `uncompute`, `compute_modify`. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::computes::registry::STYLES;
use crate::script::{Args, Word, lammps};
use crate::session::Session;
use crate::session::compute::BUILT_IN;
use crate::session::compute::style::{Compute, Header};

/// Styles of LAMMPS that measure how spheres turn.
const OF_TURNING: [&str; 3] = ["erotate/sphere", "erotate/sphere/atom", "temp/sphere"];

/// Takes a name for a compute or a fix, as formulas can have it behind `c_` and `f_`.
pub(super) fn name<'a>(args: &mut Args<'a>, what: &str) -> Result<&'a Word> {
    let id = args.word(&format!("a name for the {what}"))?;
    if id.text.is_empty() || !id.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(args
            .error(id, format_args!("'{}' is no name for a {what}", id.text))
            .label("only letters, digits and underscores"));
    }
    Ok(id)
}

/// `compute ID GROUP STYLE args`.
///
/// # Errors
/// When the ID is in use, a group or style is unknown, or an argument does not fit.
pub fn compute(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let id = name(args, "compute")?;
    if session.computes.get(&id.text).is_some() {
        return Err(args
            .error(id, format_args!("there is a compute '{}' already", id.text))
            .help(format!("`uncompute {}` frees the name", id.text)));
    }
    let group = super::group::before_style(session, args, |word| {
        STYLES.iter().any(|(style, _)| *style == word) || lammps::knows(lammps::COMPUTE_STYLES, word)
    })?;
    let word = args.peek();
    let constructor = args.style("compute style", STYLES, lammps::COMPUTE_STYLES);
    let constructor = constructor.map_err(|error| match word {
        Some(word) if OF_TURNING.contains(&&*word.text) => {
            error.label("spheres do not turn here").help("`compute temp` and `ke` know how they move")
        }
        _ => error,
    })?;
    let style = STYLES.iter().map(|(name, _)| *name).find(|name| word.is_some_and(|word| word.text == *name));
    let header = Header::new(&id.text, group, style.unwrap_or_default(), session.system.dimension);
    let mut compute = constructor(header, session, args)?;
    args.finish()?;
    if let Some((style, numbers)) = session.script.compute_states.get(&id.text)
        && *style == compute.header().style
    {
        compute.restore(numbers).map_err(|error| args.place(id, error))?;
        let store = compute.store();
        let kind = if store == "STORE/ATOM" { "peratom" } else { "global" };
        session.output.log.line(&format!("Resetting {kind} fix info from restart file:"));
        session.output.log.line(&format!("  fix style: {store}, fix ID: {}_COMPUTE_STORE", id.text));
        session.script.compute_states.remove(&id.text);
    }
    session.computes.add(compute);
    Ok(())
}

/// `uncompute ID`.
///
/// # Errors
/// When there is no such compute, or it is one of those that thermo output needs.
pub fn uncompute(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("the name of a compute")?;
    args.finish()?;
    if BUILT_IN.contains(&&*id.text) {
        return Err(args.error(id, format_args!("compute {} belongs to thermo output", id.text)));
    }
    named(session, id, args)?;
    session.computes.remove(&id.text);
    Ok(())
}

/// The compute of that name.
fn named<'a>(session: &'a mut Session, id: &Word, args: &Args<'_>) -> Result<&'a mut Box<dyn Compute>> {
    let unknown = args.unknown(id, "compute", session.computes.ids());
    session.computes.get_mut(&id.text).ok_or(unknown)
}

/// `compute_modify ID extra/dof N dynamic/dof yes|no`.
///
/// # Errors
/// When there is no such compute, or at a word that does not fit.
pub fn compute_modify(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("the name of a compute")?;
    let compute = named(session, id, args)?;
    let keywords = [("extra/dof", true), ("dynamic/dof", false)];
    loop {
        let extra = args.one_of("compute_modify keyword", &keywords)?;
        if extra {
            compute.header_mut().extra_freedom = args.f64("a number of degrees of freedom")?;
        } else {
            compute.header_mut().dynamic = args.yes_no()?;
        }
        if args.is_empty() {
            return Ok(());
        }
    }
}
