//! Sums over the atoms of each chunk of a `compute chunk/atom`.

use super::chunk_atom::Chunks;
use crate::base::error::Result;
use crate::engine::analysis::group_sums::{SumTerm, SummedAtom, Sums};
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::snapshot::view::Snapshot;

/// The bytes that sums take for each chunk while they are made: a place, its three numbers for the device, the sums and what is made of
/// them.
pub(super) const BYTES: usize = 24 + 24 + size_of::<Sums>() + ROW;

/// The bytes of a row of a few numbers of a chunk, with what keeping it takes.
pub(super) const ROW: usize = 24 + 8 * 6;

/// Sums of a term over the atoms of a group in each chunk, with their number and mass, counted from a place of each chunk.
///
/// # Errors
/// When the device fails, or there are no forces now and the term looks at them.
pub(super) fn sums(
    system: &Snapshot<'_>,
    group: u32,
    chunks: &Chunks,
    term: &SumTerm,
    about: &[[f64; 3]],
) -> Result<Vec<Sums>> {
    if let Some(recipes) = recipes(system, chunks, term, about)?
        && let Some(rows) = chunks.sums(system, group, recipes)?
    {
        let sums = |row: Vec<f64>| Sums {
            of: std::array::from_fn(|k| row.get(k + 2).copied().unwrap_or(0.0)),
            count: row[0],
            mass: row[1],
        };
        return Ok(rows.into_iter().map(sums).collect());
    }
    let (atoms, domain, masses) = (system.atoms()?, system.domain()?, system.masses());
    let forces = if term.forces { Some(system.forces()?) } else { None };
    let (mut sums, of_atom) = (vec![Sums::default(); chunks.count], chunks.of_atom(system)?);
    for i in system.indices(group, None)? {
        let Some(chunk) = (of_atom[i] as usize).checked_sub(1) else { continue };
        let atom = SummedAtom {
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

/// What atoms add to the mass and to the sums of a term, for the device; `None` where the host has to sum.
fn recipes(
    system: &Snapshot<'_>,
    chunks: &Chunks,
    term: &SumTerm,
    about: &[[f64; 3]],
) -> Result<Option<Vec<AtomExpr>>> {
    let mass = || AtomExpr::own(AtomProperty::Mass);
    let by_mass = |parts: Vec<AtomExpr>| parts.into_iter().map(|part| part * mass()).collect();
    let (x, v) = (system.domain()?.unwrapped_recipes(), AtomExpr::vector(AtomProperty::V));
    let table = |d: usize| chunks.table(about.iter().map(|about| about[d]));
    let (Some(ax), Some(ay), Some(az)) = (table(0), table(1), table(2)) else { return Ok(None) };
    let [px, py, pz] = x.clone();
    let way = [px - ax, py - ay, pz - az];
    let cross = |b: [AtomExpr; 3]| {
        let term = |d: usize| {
            let (k, l) = ((d + 1) % 3, (d + 2) % 3);
            way[k].clone() * b[l].clone() - way[l].clone() * b[k].clone()
        };
        (0..3).map(term).collect::<Vec<AtomExpr>>()
    };
    let parts = match term.name {
        name if name == SumTerm::PLACE.name => by_mass(x.into()),
        name if name == SumTerm::MOMENTUM.name => by_mass(v.into()),
        name if name == SumTerm::SPREAD.name => {
            let pairs = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];
            by_mass(pairs.map(|[a, b]: [usize; 2]| way[a].clone() * way[b].clone()).into())
        }
        name if name == SumTerm::ANGULAR_MOMENTUM.name => by_mass(cross(v)),
        name if name == SumTerm::TORQUE.name => cross(AtomExpr::vector(AtomProperty::F)),
        _ => return Ok(None),
    };
    Ok(Some([mass()].into_iter().chain(parts).collect()))
}

/// The centre of mass of each chunk, from unwrapped positions; 0 in chunks without atoms.
///
/// # Errors
/// When the device fails.
pub(super) fn centres(system: &Snapshot<'_>, group: u32, chunks: &Chunks) -> Result<Vec<[f64; 3]>> {
    means(system, group, chunks, &SumTerm::PLACE)
}

/// The velocity of that centre.
///
/// # Errors
/// When the device fails.
pub(super) fn drifts(system: &Snapshot<'_>, group: u32, chunks: &Chunks) -> Result<Vec<[f64; 3]>> {
    means(system, group, chunks, &SumTerm::MOMENTUM)
}

fn means(system: &Snapshot<'_>, group: u32, chunks: &Chunks, term: &SumTerm) -> Result<Vec<[f64; 3]>> {
    let sums = sums(system, group, chunks, term, &vec![[0.0; 3]; chunks.count])?;
    Ok(sums.iter().map(|sums| std::array::from_fn(|d| sums.mean()[d])).collect())
}
