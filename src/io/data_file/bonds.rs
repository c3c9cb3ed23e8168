//! The section Bonds of a data file.

use super::numbers::Numbers;
use crate::base::error::{Error, Result};
use crate::model::atom_style::AtomStyle;
use crate::model::atoms::Atoms;
use crate::model::topology::Bond;
use crate::script::lines::Lines;

/// Section Bonds: `number type atom atom`, in any order; so many lines. With `add merge` a bond may hold an atom that was
/// there before.
pub(super) fn read_bonds(
    lines: &mut Lines,
    count: usize,
    numbers: &Numbers,
    style: AtomStyle,
    atoms: &Atoms,
) -> Result<Vec<Bond>> {
    if !style.molecular {
        return Err(no_bonds(lines, style));
    }
    if atoms.is_empty() {
        return Err(lines.error_here(Error::new("section Bonds must come after section Atoms")));
    }
    let mut bonds = Vec::with_capacity(count.min(1 << 24));
    lines.each("Bonds", count, |lines| {
        let mut words = lines.text().split_ascii_whitespace();
        lines.parse::<u64>(words.next(), "the number of a bond")?;
        let kind = numbers.bond_type(lines, words.next())?;
        let ends = [numbers.old_tag(lines, words.next())?, numbers.old_tag(lines, words.next())?];
        if ends[0] == ends[1] {
            return Err(lines.error_here(Error::new(format!("atom {} has a bond with itself", ends[0]))));
        }
        if let Some(word) = words.next() {
            return Err(lines.error(word, format!("unexpected '{word}'")).label("number type atom atom"));
        }
        bonds.push(Bond::new(kind, ends));
        Ok(())
    })?;
    Ok(bonds)
}

/// The error where atoms of the script's style have no bonds.
pub(super) fn no_bonds(lines: &Lines, style: AtomStyle) -> Error {
    let error = Error::new(format!("atoms of style {} have no bonds", style.name));
    lines.error_here(error.help("write `atom_style bond` before the box is made"))
}
