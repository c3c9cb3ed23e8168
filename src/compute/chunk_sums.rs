//! Sums over the atoms of each chunk of a `compute chunk/atom`.

use super::chunk_atom::Chunks;
use crate::error::Result;
use crate::survey::{Sums, Surveyed, Term};
use crate::system::System;

/// Sums of a term over the atoms of a group in each chunk, with their number and mass, counted from a place of each chunk.
///
/// # Errors
/// When the device fails, or there are no forces now and the term looks at them.
pub(super) fn sums(
    system: &System<'_>,
    group: u32,
    chunks: &Chunks,
    term: &Term,
    about: &[[f64; 3]],
) -> Result<Vec<Sums>> {
    let (atoms, domain, masses) = (system.atoms()?, system.domain()?, system.masses());
    let forces = if term.forces { Some(system.forces()?) } else { None };
    let mut sums = vec![Sums::default(); chunks.count];
    for i in system.indices(group, None)? {
        let Some(chunk) = (chunks.of_atom[i] as usize).checked_sub(1) else { continue };
        let atom = Surveyed {
            x: domain.unwrapped(atoms.x[i], atoms.image[i]),
            v: atoms.v[i],
            f: forces.map_or([0.0; 3], |forces| forces[i]),
            about: about[chunk],
            kept: None,
            mass: masses.of(atoms.kind[i]),
        };
        let sum = &mut sums[chunk];
        sum.of.iter_mut().zip((term.of)(&atom)).for_each(|(sum, part)| *sum += part);
        (sum.count, sum.mass) = (sum.count + 1.0, sum.mass + atom.mass);
    }
    Ok(sums)
}

/// The centre of mass of each chunk, from unwrapped positions; 0 in chunks without atoms.
///
/// # Errors
/// When the device fails.
pub(super) fn centres(system: &System<'_>, group: u32, chunks: &Chunks) -> Result<Vec<[f64; 3]>> {
    let sums = sums(system, group, chunks, &Term::PLACE, &vec![[0.0; 3]; chunks.count])?;
    Ok(sums.iter().map(|sums| std::array::from_fn(|d| sums.mean()[d])).collect())
}
