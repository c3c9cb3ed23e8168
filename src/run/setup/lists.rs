//! Which lists a run has: whether some pairs of types have lists of their own, and how long cells are for the others.

use super::no_pair_style;
use crate::base::error::Result;
use crate::engine::neighbor::grid;
use crate::engine::neighbor::long_pairs::{LongPairs, Mixture};
use crate::gpu::{DeviceKind, Gpu};
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::potentials::pair::Resolved;
use crate::session::Session;

/// Which pairs of types of these atoms have lists of their own, and whether atoms lie thin for the others. The atoms may have older positions
/// than those that `look` looks at.
///
/// # Errors
/// As `look`, and when coefficients are missing.
pub fn choose(
    session: &Session,
    gpu: &Gpu,
    domain: &Domain,
    skin: f64,
    atoms: &Atoms,
    look: impl FnOnce(&dyn Fn(&[[f64; 3]]) -> bool) -> Result<bool>,
) -> Result<(Option<LongPairs>, bool)> {
    let pair = resolved(session)?;
    let long = long_pairs(session, gpu, domain, &pair, skin, atoms);
    let reach = longest(&pair, long.as_ref(), skin);
    Ok((long, is_sparse(session, gpu, domain, reach, atoms.len(), look)?))
}

/// How many atoms there are of each type.
fn count_types(types: usize, atoms: &Atoms) -> Vec<usize> {
    let mut of_type = vec![0; types];
    atoms.kind.iter().for_each(|&kind| of_type[kind as usize - 1] += 1);
    of_type
}

/// The list cutoffs of pairs of types, for the script's skin, and which share of all pairs each has.
///
/// # Errors
/// When coefficients are missing.
pub(super) fn cutoffs_and_shares(session: &Session) -> Result<Vec<(f64, f64)>> {
    let (pair, skin) = (resolved(session)?, session.neighbor.skin);
    let types = session.types();
    let of_type = count_types(types, &session.system.host_atoms);
    let all = of_type.iter().sum::<usize>() as f64;
    let share = |k: usize| of_type[k / types] as f64 * of_type[k % types] as f64 / (all * all);
    let each = pair.each_cutoff().iter().enumerate();
    Ok(each.map(|(k, cutoff)| (cutoff + skin, share(k))).filter(|(_, share)| *share > 0.0).collect())
}

fn resolved(session: &Session) -> Result<Resolved<'_>> {
    session.force_field.acting_pair().ok_or_else(no_pair_style)?.resolve()
}

/// Which pairs of types of these atoms have lists of their own: where forces come from pairs alone.
fn long_pairs(
    session: &Session,
    gpu: &Gpu,
    domain: &Domain,
    pair: &Resolved<'_>,
    skin: f64,
    atoms: &Atoms,
) -> Option<LongPairs> {
    if pair.seen().has_passes() || pair.seen().given > 0 {
        return None;
    }
    // A run that goes on from a restart file has the lists of the run that wrote it, though the box may have changed in that.
    let layout = session.device.layout.as_ref().filter(|layout| layout.fits(domain));
    let dimension = session.system.dimension;
    let mixture = Mixture {
        cutoffs: pair.each_cutoff(),
        skin,
        atoms: &count_types(session.types(), atoms),
        volume: layout.map_or(domain, |layout| &layout.domain).volume(dimension),
        dimension,
    };
    LongPairs::choose(&mixture, gpu.common(), session.neighbor.multi)
}

fn longest(pair: &Resolved<'_>, long: Option<&LongPairs>, skin: f64) -> f64 {
    LongPairs::longest(long, pair.each_cutoff(), false) + skin
}

/// Whether atoms lie thin for lists that reach so far: from the run that goes on, or not, as there are too many of them for it, or by a `look` at
/// where they are.
fn is_sparse(
    session: &Session,
    gpu: &Gpu,
    domain: &Domain,
    reach: f64,
    atoms: usize,
    look: impl FnOnce(&dyn Fn(&[[f64; 3]]) -> bool) -> Result<bool>,
) -> Result<bool> {
    let info = gpu.common();
    let layout = session.device.layout.as_ref().filter(|layout| layout.fits(domain));
    let (dimension, few) = (session.system.dimension, info.shaped_as() == DeviceKind::Cpu);
    match layout.and_then(|layout| layout.known_thin(&info.name, reach)) {
        Some(thin) => Ok(thin),
        None if !grid::would_lie_thin(domain, dimension, reach, atoms, few) => Ok(false),
        None => look(&|x| grid::is_sparse(domain, dimension, reach, few, x)),
    }
}
