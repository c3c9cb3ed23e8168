//! Commands that change atoms and box between runs, on the host. One file per command; this file holds what
//! they share.

mod bonds;
mod change_box;
mod delete_atoms;
mod displace_atoms;
mod replicate;
mod reset_atoms;
mod set;

pub use bonds::{create_bonds, delete_bonds};
pub use change_box::change_box;
pub use delete_atoms::delete_atoms;
pub use displace_atoms::displace_atoms;
pub use replicate::replicate;
pub use reset_atoms::{reset_atoms, reset_ids, reset_mol_ids};
pub use set::set;

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::script::formula::{Kind, Reference, Value};
use crate::session::Session;

/// Wraps the atoms into the box along periodic axes, moves shrink-wrapped faces to them, and drops those that
/// are outside of fixed faces, with a warning that names `command`.
///
/// # Errors
/// When the device fails, or the box cannot follow the atoms.
fn settle(session: &mut Session, command: &str) -> Result<()> {
    let mut domain = session.domain()?.clone();
    let atoms = session.atoms_mut()?;
    if domain.shrinks() {
        domain.shrink_around(&atoms.x);
    }
    domain.wrap_all(&mut atoms.x, &mut atoms.image);
    let before = atoms.len();
    let inside: Vec<bool> = atoms.x.iter().map(|x| domain.contains(*x)).collect();
    atoms.retain(|i| inside[i]);
    let after = atoms.len();
    session.system.domain = Some(domain);
    if before != after {
        session
            .output
            .log
            .line(&format!("WARNING: Lost atoms via {command}: original {before} current {after}"));
    }
    Ok(())
}

/// The same where atoms may have come far. LAMMPS wraps them, and then hands them over between processors as fractions of
/// the edges; in a box that leans both round, and the random numbers of later commands depend on these bits.
fn settle_from_afar(session: &mut Session, command: &str) -> Result<()> {
    let domain = session.domain()?.clone();
    let atoms = session.atoms_mut()?;
    domain.wrap_all(&mut atoms.x, &mut atoms.image);
    settle(session, command)
}

/// Takes a number, or `v_NAME`: an equal-style variable or, with a value per atom, one of style atom.
///
/// # Errors
/// At the word, when it is neither or the variable has no value.
pub(crate) fn number_or_variable(session: &Session, args: &mut Args<'_>, what: &str) -> Result<Value> {
    let Some(word) = args.peek().filter(|word| word.text.starts_with("v_")) else {
        return args.f64(what).map(Value::Number);
    };
    args.word(what)?;
    let name = &word.text[2..];
    let system = session.now();
    let reference = Reference { kind: Kind::Variable, id: name.to_owned(), index: Vec::new() };
    let value = match session.script.variables.is_per_atom(name) {
        true => system.per_atom(&reference).map(Value::Atoms),
        false => system.number(&reference).map(Value::Number),
    };
    value.map_err(|error| args.place(word, error))
}

/// For a command that depends on the order of the atoms: after a run, in which the device has ordered them by cells, that of
/// their IDs, which is LAMMPS's at first.
///
/// # Errors
/// When there is no box, or the device fails.
fn by_place(session: &mut Session) -> Result<()> {
    session.domain()?;
    let sorted_by_place = session.resident().is_some();
    let atoms = session.atoms_mut()?;
    if sorted_by_place {
        *atoms = atoms.select(&atoms.by_tag());
    }
    Ok(())
}

/// Refuses to give atom IDs anew.
///
/// # Errors
/// Where a fix holds its atoms by them.
fn allow_new_ids(session: &Session) -> Result<()> {
    let Some(fix) = session.fixes.iter().find(|fix| fix.kept().is_some_and(|kept| kept.holds_by_id())) else {
        return Ok(());
    };
    let (id, style) = (&fix.header().id, fix.header().style);
    Err(Error::new(format!("fix {id} ({style}) knows its atoms by their IDs, which are given anew")))
}

/// Gives the atoms other IDs, in the order of the atoms, and lets fixes, computes and dumps that know atoms by ID hear of it.
///
/// # Errors
/// When the device fails.
fn renumber(session: &mut Session, ids: &[u32]) -> Result<()> {
    let tags = &mut session.atoms_mut()?.tag;
    let pairs: Vec<(u32, u32)> = tags.iter().copied().zip(ids.iter().copied()).collect();
    tags.copy_from_slice(ids);
    session.fixes.iter_mut().for_each(|fix| fix.ids_changed(&pairs));
    session.computes.iter_mut().for_each(|compute| compute.renumber(&pairs));
    session.output.dumps.iter_mut().for_each(|dump| dump.renumber(&pairs));
    Ok(())
}

/// Takes a fraction.
///
/// # Errors
/// At the word, when it is missing or not from 0 to 1.
fn fraction(args: &mut Args<'_>) -> Result<f64> {
    let word = args.peek();
    let fraction = args.f64("a fraction from 0 to 1")?;
    match word.filter(|_| !(0.0..=1.0).contains(&fraction)) {
        Some(word) => Err(args.error(word, format_args!("'{}' is not a fraction from 0 to 1", word.text))),
        None => Ok(fraction),
    }
}

/// Refuses a command for which there is no box or no atom yet.
///
/// # Errors
/// When the box or the atoms are missing.
fn need_atoms(session: &Session, args: &Args<'_>) -> Result<()> {
    session.domain()?;
    if session.atom_count() == 0 {
        let error: Error = args.error_here("there are no atoms yet");
        return Err(error.help("make them with create_atoms or read_data"));
    }
    Ok(())
}
