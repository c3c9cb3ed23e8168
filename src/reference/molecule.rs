//! Bonds and pairs that count in part (cl/neighbor/bond_map.cl, cl/force/bonds.cl).

use super::pair::Forces;
use crate::model::domain::Domain;
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::Resolved;
use std::collections::BTreeMap;

/// The system that molecules are part of: positions, IDs and types of all atoms.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The box.
    pub domain: &'a Domain,
    /// 2 or 3; in 2d there are no images along z.
    pub dimension: u32,
    /// Positions.
    pub x: &'a [[f64; 3]],
    /// IDs.
    pub tag: &'a [u32],
    /// Types.
    pub kind: &'a [u32],
    /// Charges as [`crate::session::Session::charges`] has them.
    pub charge: &'a [f64],
}

impl Place<'_> {
    /// From atom j to the nearest image of atom i.
    pub fn separation(&self, i: usize, j: usize) -> [f64; 3] {
        let images = std::array::from_fn(|d| self.domain.periodic(d) && d < self.dimension as usize);
        self.domain.nearest(std::array::from_fn(|d| self.x[i][d] - self.x[j][d]), images)
    }
}

/// Adds the bonds to what all pairs make, and takes away what pairs of special neighbours lack in weight.
pub fn add(forces: &mut Forces, molecules: &BondedTopology, pair: &Resolved<'_>, place: Place<'_>) {
    let index: BTreeMap<u32, usize> = place.tag.iter().enumerate().map(|(i, &tag)| (tag, i)).collect();
    let mut pull = |i: usize, r: [f64; 3], f: f64| {
        (0..3).for_each(|d| forces.force[i][d] += f * r[d]);
        for (k, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            forces.virial[k] += 0.5 * r[a] * r[b] * f;
        }
    };
    let square = |r: [f64; 3]| r.iter().map(|x| x * x).sum::<f64>();
    for (tag, partners) in &molecules.partners {
        let Some(bonded) = &molecules.bonded else { break };
        for (other, kind) in partners {
            let (i, j) = (index[tag], index[other]);
            let r = place.separation(i, j);
            let bond = bonded.style.evaluate(&bonded.params[*kind as usize - 1], square(r));
            pull(i, r, bond.force);
            forces.bond_energy += 0.5 * bond.energy;
            let end = bonded.style.breaks_beyond(&bonded.params[*kind as usize - 1]);
            if end.is_some_and(|end| square(r) <= end * end) {
                let (f, energy) = pair.evaluate(place.kind[i] as usize, place.kind[j] as usize, square(r));
                pull(i, r, -f);
                forces.energy -= 0.5 * energy;
            }
        }
    }
    for (tag, others) in &molecules.special {
        for (other, distance) in others {
            let (i, j) = (index[tag], index[other]);
            let r = place.separation(i, j);
            let (lj, coul) = (
                molecules.weights.lj[*distance as usize - 1],
                molecules.weights.coul[*distance as usize - 1],
            );
            let (mine, theirs, rsq) = (place.kind[i] as usize, place.kind[j] as usize, square(r));
            let (f, energy) = pair.evaluate(mine, theirs, rsq);
            let [all, left] = [0.0, 1.0 - coul].map(|lack| pair.coulomb(mine, theirs, rsq, lack));
            let qq = place.charge[i] * place.charge[j];
            pull(i, r, (lj - 1.0) * f + qq * (left.0 - all.0));
            let coulomb = 0.5 * qq * (left.1 - all.1);
            forces.coulomb_energy += coulomb;
            forces.energy += 0.5 * (lj - 1.0) * energy + coulomb;
        }
    }
}
