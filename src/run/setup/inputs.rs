//! What pair styles and fixes want of atoms: charges, sizes, and numbers of their own
//! ([`AtomInput`](crate::potentials::pair::style::AtomInput)).

use crate::base::error::{Error, Result};
use crate::potentials::pair::Pair;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::fix::{ExchangeAtoms, Header};
use crate::session::schedule::Schedule;

/// That atoms are of a style that has what the pair style and fixes go by.
///
/// # Errors
/// When they are not.
pub(super) fn check_atoms(session: &Session, pair: &Pair) -> Result<()> {
    if pair.charged() && !session.has_charges() {
        let name = pair.name();
        let style = session.system.atom_style.name;
        return Err(Error::new(format!(
            "pair_style {name} needs charges, which atoms of style {style} have not"
        ))
        .help("take atom_style charge or full, before the box is made, and give charges: set ... charge"));
    }
    if pair.sized() && !session.system.atom_style.round {
        let (name, style) = (pair.name(), session.system.atom_style.name);
        let message = format!("pair_style {name} needs spheres, which atoms of style {style} are not");
        return Err(Error::new(message).help("write `atom_style sphere` before the box is made"));
    }
    let mut adding =
        session.fixes.iter().filter(|fix| fix.atom_exchange().is_some_and(ExchangeAtoms::adds_atoms));
    if let Some(fix) = adding.next().filter(|_| session.system.atom_style.round) {
        let Header { id, style, .. } = fix.header();
        return Err(Error::new(format!(
            "fix {id} ({style}) does not know of which size spheres are that it adds"
        ))
        .help("take atom_style atomic for point particles"));
    }
    Ok(())
}

/// That rows of thermo output, and frames of dumps, come at steps at which fixes make the values in them.
///
/// # Errors
/// When they do not.
pub(super) fn check_rows(session: &Session) -> Result<()> {
    let thermo = &session.output.thermo;
    if let Schedule::Every(rows) = thermo.every {
        for reference in thermo.references() {
            let missed = is_missed(session, reference, rows);
            if let Some((every, message)) = missed.map_err(|error| error.about("thermo_style"))? {
                return Err(Error::new(format!("thermo_style: {message}, and rows come every {rows}"))
                    .help(format!("write `thermo` with a multiple of {every}, or average more often")));
            }
        }
    }
    for dump in &session.output.dumps {
        let Schedule::Every(frames) = *dump.schedule() else { continue };
        for reference in dump.references() {
            let missed = is_missed(session, &reference, frames);
            let missed = missed.map_err(|error| error.about(format_args!("dump {}", dump.id())))?;
            if let Some((every, message)) = missed {
                let message = format!("dump {}: {message}, and frames come every {frames}", dump.id());
                return Err(Error::new(message)
                    .help(format!("dump at multiples of {every} steps, or average more often")));
            }
        }
    }
    Ok(())
}

/// How often a fix makes the values of a reference, and that in words, where that is not so at all multiples of `steps`.
fn is_missed(session: &Session, reference: &Reference, steps: u64) -> Result<Option<(u64, String)>> {
    if reference.kind != Kind::Fix {
        return Ok(None);
    }
    let every = session.now().fix(&reference.id)?.made_every();
    let told = || (every, format!("fix {} has values every {every} steps", reference.id));
    Ok((!steps.is_multiple_of(every)).then(told))
}

/// That atoms have these numbers, and kernels can tell them apart.
///
/// # Errors
/// When they have not, cannot, or styles do not go together.
pub(super) fn check(session: &Session, pair: &Pair) -> Result<()> {
    // What numbers of fp32 tell apart.
    const MOST: f64 = 16_777_216.0;
    let resolved = pair.resolve()?;
    let name = pair.name();
    for input in resolved.inputs() {
        let property = input.property;
        session.check_property(property).map_err(|err| err.about(format_args!("pair_style {name}")))?;
        if input.exact && session.given(input).iter().any(|(_, number)| number.abs() > MOST) {
            let message = format!("pair_style {name}: '{property}' of some atom is more than {MOST}");
            return Err(Error::new(message).help("give smaller numbers"));
        }
    }
    let seen = resolved.seen();
    if seen.made > 0 && seen.given > 0 {
        let message =
            format!("pair_style {name}: a style that reads numbers of atoms cannot be with one of densities");
        return Err(Error::new(message).help("take one of the two"));
    }
    Ok(())
}
