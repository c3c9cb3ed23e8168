//! Bonds and special neighbours of the system, for a run.

use crate::base::error::{Error, Result};
use crate::gpu::options::Precision;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::exclude::Exclude;
use crate::model::lost::Lost;
use crate::model::topology::Partners;
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
        partners: if bonded.is_some() { topology.acting() } else { Partners::new() },
        special: topology.special(charged),
        weights: topology.weights,
        charged,
        damped: session.force_field.pair.as_ref().is_some_and(Pair::damped),
        bonded: bonded.map(|bonded| bonded.resolve(topology.bond_types)).transpose()?,
        snaps: bonded.is_some_and(|bonded| bonded.style.breaks()),
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

/// Takes away bonds that are too long for their style to last ([`crate::potentials::bond::Style::breaks`]), by the positions that are
/// on the host. One that is so by less than a rounding error goes, too, so that the device finds none.
///
/// # Errors
/// When a bond type has no coefficients.
pub fn let_snap(session: &mut Session, domain: &Domain) -> Result<()> {
    let Some(bonded) = session.force_field.bonded.as_ref().filter(|bonded| bonded.style.breaks()) else {
        return Ok(());
    };
    let bonded = bonded.resolve(session.system.topology.bond_types)?;
    let fine = session.device.precision == Some(Precision::Double);
    let nearly = 1.0 - if fine { 1e-12 } else { 1e-5 };
    let images = std::array::from_fn(|d| domain.periodic(d) && d < session.system.dimension as usize);
    let Atoms { tag, x, .. } = &session.system.host_atoms;
    let place: HashMap<u32, usize> = tag.iter().copied().zip(0..).collect();
    session.system.topology.bonds.retain(|bond| {
        let [Some(&i), Some(&j)] = bond.atoms.map(|tag| place.get(&tag)) else { return true };
        let way = domain.nearest(std::array::from_fn(|d| x[i][d] - x[j][d]), images);
        let r = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let end = bonded.style.breaks_beyond(&bonded.params[bond.kind as usize - 1]);
        bond.off || end.is_none_or(|end| r <= end * nearly)
    });
    Ok(())
}

/// That bonds which break, and take pair forces away, go with all else of the script.
///
/// # Errors
/// When they do not.
pub fn check_snapping(session: &Session) -> Result<()> {
    let Some(bonded) = session.force_field.bonded.as_ref().filter(|bonded| bonded.style.breaks()) else {
        return Ok(());
    };
    let name = bonded.style.name();
    let error = |what: String, help: &str| Err(Error::new(format!("bond_style {name} {what}")).help(help));
    if session.system.topology.weights.lj != [1.0; 3] {
        return error(
            "takes pair forces of bonded atoms away itself".into(),
            "write `special_bonds lj/coul 1 1 1` before the run",
        );
    }
    if let Some(pair) = &session.force_field.pair
        && (pair.charged() || pair.has_friction() || pair.is_many_body() || !pair.listed().is_empty())
    {
        let what = format!("cannot take away what pair_style {} makes of a pair", pair.name());
        return error(
            what,
            "take a pair style of two atoms without charges, friction and lists, such as lj/cut",
        );
    }
    if let Some(fix) = session.fixes.iter().find(|fix| fix.next_exchange(session.clock.step).is_some()) {
        let what = format!("does not go with fix {}, which changes atoms or bonds itself", fix.header().id);
        return error(what, "leave one of the two out");
    }
    Ok(())
}

/// That energies of pairs are what pair styles say, and no bond style takes some away.
///
/// # Errors
/// When one does; `what` looks at pairs by themselves.
pub(crate) fn check_whole_pairs(session: &Session, what: &str) -> Result<()> {
    match session.force_field.bonded.as_ref().filter(|bonded| bonded.style.breaks()) {
        Some(bonded) if !session.system.topology.bonds.is_empty() => {
            let name = bonded.style.name();
            let message = format!("{what} does not know which pair forces bond_style {name} takes away");
            Err(Error::new(message).help("leave it out, or take another bond style"))
        }
        _ => Ok(()),
    }
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
