//! `bond_style`.

use crate::base::error::Result;
use crate::potentials::bond::BondStyle;
use crate::script::Args;
use crate::session::Session;

/// `bond_style NAME`, `bond_style hybrid NAME ...`, `bond_style none`: starts anew, without coefficients.
///
/// # Errors
/// When atoms have no bonds by their style, and at an unknown style.
pub fn bond_style(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    if !session.system.atom_style.molecular {
        let message = format!("atoms of style {} have no bonds", session.system.atom_style.name);
        return Err(args.error_here(message).help("write `atom_style bond` before the box is made"));
    }
    session.force_field.bonded = match args.accept("none") {
        true => None,
        false => Some(BondStyle::read(args)?),
    };
    args.finish()
}
