//! Where atoms were when a fix was defined.

use crate::model::atoms::rows_by_id;

use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::session::Session;
use crate::session::fix::FixContext;

/// The unwrapped positions of all atoms by ID.
///
/// # Errors
/// When the device fails.
pub(super) fn origins(session: &Session) -> Result<Vec<[f64; 3]>> {
    let system = session.now();
    let tags = &system.atoms()?.tag;
    let mut origins = vec![[0.0; 3]; rows_by_id(tags)?];
    for (i, &tag) in tags.iter().enumerate() {
        origins[tag as usize - 1] = system.unwrapped(i)?;
    }
    Ok(origins)
}

/// Those that a restart file kept, by ID.
///
/// # Errors
/// When these are no positions.
pub(super) fn restored(numbers: &[f64]) -> Result<Vec<[f64; 3]>> {
    match numbers.as_chunks() {
        (origins, []) => Ok(origins.to_vec()),
        _ => crate::session::fix::restored::<0>(numbers).map(|_| Vec::new()),
    }
}

/// Adds where new atoms begin.
pub(super) fn add(origins: &mut Vec<[f64; 3]>, new: &Atoms) {
    for (&tag, &x) in new.tag.iter().zip(&new.x) {
        origins.resize(origins.len().max(tag as usize), [0.0; 3]);
        origins[tag as usize - 1] = x;
    }
}

/// IDs were given anew.
pub(super) fn renumber(origins: &mut Vec<[f64; 3]>, ids: &[(u32, u32)]) {
    let mut new = vec![[0.0; 3]; ids.iter().map(|&(_, new)| new as usize).max().unwrap_or(0)];
    for &(old, id) in ids {
        new[id as usize - 1] = origins.get(old as usize - 1).copied().unwrap_or_default();
    }
    *origins = new;
}

/// That no atom has come since.
pub(super) fn check(origins: &[[f64; 3]], context: &FixContext<'_>) -> Result<()> {
    let system = context.system();
    match system.atoms()?.tag.iter().max() {
        Some(&most) if most as usize > origins.len() => {
            Err(Error::new("atoms were created after it was defined").help("define it after create_atoms"))
        }
        _ => Ok(()),
    }
}
