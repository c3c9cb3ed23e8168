//! Bonds and special neighbours of the system, for a run.

use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::model::exclude::Exclude;
use crate::model::lost::Lost;
use crate::model::topology::Links;
use crate::potentials::bond::listed::with_listed;
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::Pair;
use crate::potentials::pair::list::Pairs;
use crate::session::Session;
use std::collections::{HashMap, HashSet};

/// Of a system.
///
/// # Errors
/// When a bond type has no coefficients.
pub fn molecules(session: &Session) -> Result<BondedTopology> {
    let (topology, atoms) = (&session.system.topology, &session.system.host_atoms);
    let named = session.neighbor.exclude.iter().any(Exclude::by_molecule);
    let listed = session.force_field.pair.as_ref().map(Pair::listed).unwrap_or_default();
    if topology.bonds.is_empty() && listed.is_empty() && !named {
        return Ok(BondedTopology::default());
    }
    let bonded = session.force_field.bonded.as_ref().filter(|_| !topology.bonds.is_empty());
    let charged = session.force_field.pair.as_ref().is_some_and(Pair::charged);
    let mut molecules = BondedTopology {
        partners: if bonded.is_some() { topology.acting() } else { Links::new() },
        special: topology.special(charged),
        weights: topology.weights,
        charged,
        damped: session.force_field.pair.as_ref().is_some_and(Pair::damped),
        bonded: bonded.map(|bonded| bonded.resolve(topology.bond_types)).transpose()?,
        growing: session
            .fixes
            .iter()
            .any(|fix| fix.changed_parameters().is_some_and(|changed| changed.bonds)),
        may_lose: session.output.thermo.lost_bond != Lost::Error,
        ids: atoms.tag.iter().copied().zip(atoms.molecule.iter().copied()).collect(),
    };
    if !listed.is_empty() {
        add_listed(&mut molecules, &listed, session)?;
    }
    if molecules.partial() && !session.neighbor.exclude.is_empty() {
        leave_out(&mut molecules, session)?;
    }
    Ok(molecules)
}

/// Adds the pairs of `pair_style list` to the bonds.
fn add_listed(molecules: &mut BondedTopology, listed: &Pairs, session: &Session) -> Result<()> {
    if molecules.growing {
        let error = Error::new("fix adapt does not change bonds beside pair_style list");
        return Err(error.help("leave out `bond` of fix adapt"));
    }
    let there: HashSet<u32> = session.system.host_atoms.tag.iter().copied().collect();
    if let Some((ids, _)) = listed.iter().find(|(ids, _)| ids.iter().any(|id| !there.contains(id))) {
        let error = Error::new(format!(
            "pair_style list: there are not both atoms of the pair {} {}",
            ids[0], ids[1]
        ));
        return Err(error.help("take the pair out of the file"));
    }
    // Along no axis are two atoms farther apart than the box is long.
    let lengths =
        session.domain()?.edges().map(|edge| edge.iter().map(|part| part * part).sum::<f64>().sqrt());
    let (bonded, kinds) = with_listed(molecules.bonded.as_ref(), listed, lengths.iter().sum());
    molecules.bonded = Some(bonded);
    for ([a, b], kind) in kinds {
        for (from, to) in [(a, b), (b, a)] {
            molecules.partners.entry(from).or_default().push((to, kind));
        }
    }
    molecules.partners.values_mut().for_each(|list| list.sort_unstable());
    Ok(())
}

/// Drops the special neighbours that `neigh_modify exclude` leaves out: they do not count in part either.
fn leave_out(molecules: &mut BondedTopology, session: &Session) -> Result<()> {
    let (exclude, groups) = (&session.neighbor.exclude, &session.system.groups);
    if exclude.iter().any(|pairs| pairs.groups().into_iter().any(|group| groups.is_dynamic(group))) {
        let message =
            "special_bonds weights between 0 and 1 do not go with neigh_modify exclude of a dynamic group";
        return Err(Error::new(message).help("take a static group"));
    }
    let Atoms { tag, kind, mask, molecule, .. } = &session.system.host_atoms;
    let place: HashMap<u32, usize> = tag.iter().copied().zip(0..).collect();
    let left_out = |a: u32, b: u32| {
        // Atoms that are gone are no neighbours.
        let (Some(&i), Some(&j)) = (place.get(&a), place.get(&b)) else { return true };
        let of_both = |values: &[u32]| [values[i], values[j]];
        let (kinds, masks, molecules) = (of_both(kind), of_both(mask), of_both(molecule));
        exclude.iter().any(|exclude| exclude.leaves_out(kinds, masks, molecules))
    };
    molecules.special.retain(|&a, list| {
        list.retain(|&(b, _)| !left_out(a, b));
        !list.is_empty()
    });
    Ok(())
}
