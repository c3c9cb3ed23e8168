//! Molecule templates of the script: which can be put into the system.

use crate::base::error::Result;
use crate::model::molecule::Molecule;
use crate::script::{Args, Word};
use crate::session::Session;

/// Takes the name of one that can be put into a system; `more` is added to atom types.
///
/// # Errors
/// At the word, when there is none of this name, its types are beyond those of the system, or it has bonds and
/// the system none.
pub fn template<'s>(session: &'s Session, args: &mut Args<'_>, more: u32) -> Result<&'s Molecule> {
    let word = args.word("a molecule")?;
    let known = || session.system.molecules.iter().map(|molecule| &*molecule.id);
    let found = session.system.molecules.iter().find(|molecule| molecule.id == word.text);
    let molecule = found.ok_or_else(|| args.unknown(word, "molecule", known()))?;
    check(molecule, session, args, word, more)?;
    Ok(molecule)
}

/// That the types are those of a system, and bonds possible; `more` is added to atom types.
///
/// # Errors
/// At the word that named it.
fn check(molecule: &Molecule, session: &Session, args: &Args<'_>, word: &Word, more: u32) -> Result<()> {
    let fail = |message: String| Err(args.error(word, message));
    let kind = more.saturating_add(molecule.kind.iter().max().copied().unwrap_or(0));
    if kind as usize > session.types() {
        return fail(format!(
            "molecule {} has atom type {kind}, beyond 1 to {}",
            molecule.id,
            session.types()
        ));
    }
    if molecule.bonds.is_empty() {
        return Ok(());
    }
    if !session.system.atom_style.molecular {
        let style = session.system.atom_style.name;
        return fail(format!("molecule {} has bonds, which atoms of style {style} have not", molecule.id));
    }
    let (kind, types) =
        (molecule.bonds.iter().map(|bond| bond.kind).max(), session.system.topology.bond_types);
    match kind.filter(|kind| *kind as usize > types) {
        Some(kind) => fail(format!("molecule {} has bond type {kind}, beyond 1 to {types}", molecule.id)),
        None => Ok(()),
    }
}
