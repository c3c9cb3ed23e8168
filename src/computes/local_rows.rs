//! Pairs of neighbours and bonds as rows of local values: who belongs to each, and the way between the two.

use crate::base::error::Result;
use crate::model::atoms::ById;
use crate::model::topology::Bond;
use crate::session::compute::neighbors::Neighbors;
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

/// A pair or bond.
pub(super) struct Row {
    /// Where its atoms are in memory.
    pub(super) atoms: [usize; 2],
    /// The position of the first minus that of the second, of nearest images.
    pub(super) way: [f64; 3],
    /// Its square.
    pub(super) rsq: f64,
}

/// Neighbours of a group within a distance of each other that depends on their types (types squared numbers of squared distances), the atom
/// with the smaller ID first.
///
/// # Errors
/// When the device fails.
pub(super) fn pairs(
    system: &Snapshot<'_>,
    group: u32,
    reach: &[f64],
    neighbors: &Neighbors,
) -> Result<Vec<Row>> {
    let (atoms, types) = (system.atoms()?, system.session.types());
    let rows_of = |&i: &usize| {
        let mut rows = Vec::new();
        neighbors.visit(i, |j, way, rsq| {
            // An image of the atom itself is met from both sides.
            let once = atoms.tag[i] < atoms.tag[j] || i == j && way.iter().find(|&&x| x != 0.0) > Some(&0.0);
            let limit = reach[(atoms.kind[i] as usize - 1) * types + atoms.kind[j] as usize - 1];
            if once && atoms.mask[j] & group != 0 && rsq < limit {
                rows.push(Row { atoms: [i, j], way, rsq });
            }
        });
        rows
    };
    let members = system.indices(group, None)?;
    Ok(members.par_iter().flat_map_iter(rows_of).collect())
}

/// Bonds, but for those whose type is gone, between atoms of a group, in the order in which they are kept.
///
/// # Errors
/// When the device fails.
pub(super) fn bonds<'a>(system: &Snapshot<'a>, group: u32) -> Result<Vec<(&'a Bond, Row)>> {
    let (atoms, domain, session) = (system.atoms()?, system.domain()?, system.session);
    let images = std::array::from_fn(|d| domain.periodic(d) && d < session.system.dimension as usize);
    let place: ById<usize> = atoms.tag.iter().copied().zip(0..).collect();
    let row = |bond: &'a Bond| {
        // A bond may have lost an atom.
        let [i, j] = [*place.get(bond.atoms[0])?, *place.get(bond.atoms[1])?];
        let way = domain.nearest(std::array::from_fn(|d| atoms.x[i][d] - atoms.x[j][d]), images);
        let rsq = way.iter().map(|x| x * x).sum();
        (atoms.mask[i] & atoms.mask[j] & group != 0).then_some((bond, Row { atoms: [i, j], way, rsq }))
    };
    Ok(session.system.topology.bonds.iter().filter_map(row).collect())
}
