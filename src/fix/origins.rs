//! Where atoms were when a fix was defined.

use super::World;
use crate::atoms::Atoms;
use crate::error::{Error, Result};
use crate::state::State;

/// The unwrapped positions of all atoms by ID.
///
/// # Errors
/// When the device fails.
pub(super) fn origins(state: &State) -> Result<Vec<[f64; 3]>> {
    let system = state.now();
    let tags = &system.atoms()?.tag;
    let mut origins = vec![[0.0; 3]; tags.iter().max().map_or(0, |&most| most as usize)];
    for (i, &tag) in tags.iter().enumerate() {
        origins[tag as usize - 1] = system.unwrapped(i)?;
    }
    Ok(origins)
}

/// Adds where new atoms begin.
pub(super) fn add(origins: &mut Vec<[f64; 3]>, new: &Atoms) {
    for (&tag, &x) in new.tag.iter().zip(&new.x) {
        origins.resize(origins.len().max(tag as usize), [0.0; 3]);
        origins[tag as usize - 1] = x;
    }
}

/// That no atom has come since.
pub(super) fn check(origins: &[[f64; 3]], world: &World<'_>) -> Result<()> {
    let system = world.system();
    match system.atoms()?.tag.iter().max() {
        Some(&most) if most as usize > origins.len() => {
            Err(Error::new("atoms were created after it was defined").help("define it after create_atoms"))
        }
        _ => Ok(()),
    }
}
