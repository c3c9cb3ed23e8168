//! What acts between single atoms, on the host and in double precision: energies as functions of the distance.

use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::model::atoms::{Atoms, ById};
use crate::model::domain::Domain;
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::Resolved;
use crate::session::compute::Neighbors;
use std::collections::HashMap;

/// All pairs and bonds of a system at one moment.
pub(crate) struct Interactions<'a> {
    atoms: &'a Atoms,
    domain: &'a Domain,
    dimension: u32,
    resolved: Resolved<'a>,
    neighbors: Neighbors,
    /// Per ordered pair of types how far it is looked for, squared.
    reach: Vec<f64>,
    molecules: BondedTopology,
    /// Where the atom of an ID is, if there are bonds.
    place: HashMap<u32, usize>,
    /// Energy times distance per square of charge.
    unit: f64,
}

impl<'a> Interactions<'a> {
    /// Of a moment; pairs count that are not farther apart than cutoff and skin of the script.
    ///
    /// # Errors
    /// Without pair style, or when the device fails.
    pub(crate) fn new(system: &'a Snapshot<'_>) -> Result<Self> {
        let session = system.session;
        let pair = session.force_field.acting_pair().ok_or_else(|| Error::new("there is no pair style"))?;
        let (atoms, resolved) = (system.atoms()?, pair.resolve_two_body("a difference of energies")?);
        crate::session::bonded::check_whole_pairs(session, "a difference of energies")?;
        let skin = session.neighbor.skin;
        let longest = resolved.longest_cutoff();
        let reach = resolved.cutoffs().iter().map(|cutoff| (cutoff + skin).powi(2)).collect();
        let molecules = crate::session::bonded::molecules(session)?;
        let bonded = if molecules.bonded.is_some() { &atoms.tag[..] } else { &[] };
        Ok(Interactions {
            atoms,
            domain: system.domain()?,
            dimension: session.system.dimension,
            resolved,
            neighbors: Neighbors::new(system, longest + skin)?,
            reach,
            molecules,
            place: bonded.iter().enumerate().map(|(i, &tag)| (tag, i)).collect(),
            unit: session.system.units.qqr2e / session.force_field.dielectric,
        })
    }

    /// Calls `visit` for each pair and bond of an atom: with the other atom, the way from there to it, and the energy at a
    /// squared distance.
    pub(crate) fn visit(&self, i: usize, mut visit: impl FnMut(usize, [f64; 3], &dyn Fn(f64) -> f64)) {
        let Atoms { tag, kind, charge, .. } = self.atoms;
        let mine = kind[i] as usize;
        self.neighbors.visit(i, |j, r, rsq| {
            let theirs = kind[j] as usize;
            if rsq >= self.reach[(mine - 1) * self.resolved.types + theirs - 1] {
                return;
            }
            let [weight, coulomb] = self.neighbors.weights(i, j);
            let qq = self.unit * charge[i] * charge[j];
            visit(j, r, &|rsq| self.resolved.weighted([mine, theirs], rsq, [weight, coulomb], qq).1);
        });
        let Some(bonded) = &self.molecules.bonded else { return };
        let images = std::array::from_fn(|d| self.domain.periodic(d) && d < self.dimension as usize);
        for (other, kind) in self.molecules.partners.get(&tag[i]).into_iter().flatten() {
            // A bond may have lost its other atom.
            let Some(&j) = self.place.get(other) else { continue };
            let way = std::array::from_fn(|d| self.atoms.x[i][d] - self.atoms.x[j][d]);
            let params = &bonded.params[*kind as usize - 1];
            visit(j, self.domain.nearest(way, images), &|rsq| bonded.style.evaluate(params, rsq).energy);
        }
    }
}

/// Half the sum of r f of each atom's bonds (xx yy zz xy xz yz), in energy units.
///
/// # Errors
/// When a bond type has no coefficients, or the device fails.
pub(crate) fn bond_virials(system: &Snapshot<'_>) -> Result<Vec<[f64; 6]>> {
    let (atoms, domain, molecules) =
        (system.atoms()?, system.domain()?, crate::session::bonded::molecules(system.session)?);
    let mut virials = vec![[0.0; 6]; atoms.len()];
    let Some(bonded) = &molecules.bonded else { return Ok(virials) };
    let images = std::array::from_fn(|d| domain.periodic(d) && d < system.session.system.dimension as usize);
    let place: ById<usize> = atoms.tag.iter().copied().zip(0..).collect();
    for (i, virial) in virials.iter_mut().enumerate() {
        for (other, kind) in molecules.partners.get(&atoms.tag[i]).into_iter().flatten() {
            let Some(&j) = place.get(*other) else { continue };
            let way = std::array::from_fn(|d| atoms.x[i][d] - atoms.x[j][d]);
            let [x, y, z] = domain.nearest(way, images);
            let pull = bonded.style.evaluate(&bonded.params[*kind as usize - 1], x * x + y * y + z * z);
            for (sum, product) in virial.iter_mut().zip([x * x, y * y, z * z, x * y, x * z, y * z]) {
                *sum += 0.5 * pull.force * product;
            }
        }
    }
    Ok(virials)
}
