//! Pair forces (cl/force/loop_*.cl).

use super::list::Neighbor;
use crate::base::random::noise_of_pair;
use crate::potentials::pair::Resolved;
use crate::potentials::pair::many_body::{Around, Contribution};

/// What the pair kernel computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Forces {
    /// Per atom.
    pub force: Vec<[f64; 3]>,
    /// Of all pairs.
    pub energy: f64,
    /// The part of it that charges have.
    pub coulomb_energy: f64,
    /// Of all bonds, which [`super::molecule`] adds.
    pub bond_energy: f64,
    /// Sum of r f over pairs and bonds: xx yy zz xy xz yz.
    pub virial: [f64; 6],
}

/// Forces, energy and virial over full lists, in which every pair stands twice; charges as
/// [`crate::session::Session::charges`] has them.
pub fn forces(pair: &Resolved<'_>, kind: &[u32], charge: &[f64], lists: &[Vec<Neighbor>]) -> Forces {
    let mut result = Forces {
        force: vec![[0.0; 3]; lists.len()],
        energy: 0.0,
        coulomb_energy: 0.0,
        bond_energy: 0.0,
        virial: [0.0; 6],
    };
    let own = pair.own_energies();
    for (i, list) in lists.iter().enumerate() {
        result.coulomb_energy += own[kind[i] as usize - 1] * charge[i] * charge[i];
        for Neighbor { atom, separation: r, rsq, .. } in list {
            let (mine, theirs, qq) = (kind[i] as usize, kind[*atom] as usize, charge[i] * charge[*atom]);
            let (fpair, energy) = pair.evaluate(mine, theirs, *rsq);
            let (pull, coulomb) = pair.coulomb(mine, theirs, *rsq, 0.0);
            let fpair = fpair + qq * pull;
            (0..3).for_each(|d| result.force[i][d] += fpair * r[d]);
            result.energy += 0.5 * energy;
            result.coulomb_energy += 0.5 * qq * coulomb;
            for (k, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                result.virial[k] += 0.5 * r[a] * r[b] * fpair;
            }
        }
    }
    result.energy += result.coulomb_energy;
    add_many_bodies(&mut result, pair, kind, lists);
    result
}

/// Adds what styles of many bodies have.
fn add_many_bodies(result: &mut Forces, pair: &Resolved<'_>, kind: &[u32], lists: &[Vec<Neighbor>]) {
    // Separations lead from the other atom to this one.
    let way = |neighbor: &Neighbor| (neighbor.atom, neighbor.separation.map(|x| -x));
    let around: Vec<Around> = lists.iter().map(|list| list.iter().map(way).collect()).collect();
    let (mut energy, mut virial) = (vec![0.0; lists.len()], vec![[0.0; 6]; lists.len()]);
    let mut to = Contribution { force: &mut result.force, energy: &mut energy, virial: &mut virial };
    pair.add_many_bodies(kind, &around, &mut to);
    result.energy += energy.iter().sum::<f64>();
    (0..6).for_each(|k| result.virial[k] += virial.iter().map(|virial| virial[k]).sum::<f64>());
}

/// Who moves how, for friction and noise between atoms.
#[derive(Clone, Copy)]
pub struct Motion<'a> {
    /// Types.
    pub kind: &'a [u32],
    /// IDs.
    pub tag: &'a [u32],
    /// Velocities.
    pub v: &'a [[f64; 3]],
    /// The step.
    pub step: i64,
    /// (Boltzmann's constant / time step)^(1/2).
    pub noise_unit: f64,
}

/// Adds friction and noise over full lists: to forces and virial.
pub fn add_friction(forces: &mut Forces, pair: &Resolved<'_>, motion: Motion<'_>, lists: &[Vec<Neighbor>]) {
    let Some(seed) = pair.seed() else { return };
    let Motion { kind, tag, v, step, noise_unit } = motion;
    for (i, list) in lists.iter().enumerate() {
        for Neighbor { atom: j, separation: r, rsq, .. } in list {
            let (friction, noise) = pair.friction(kind[i] as usize, kind[*j] as usize, *rsq);
            let rv: f64 = (0..3).map(|d| r[d] * (v[i][d] - v[*j][d])).sum();
            let f = friction * rv + noise * noise_unit * noise_of_pair(tag[i], tag[*j], step, seed);
            (0..3).for_each(|d| forces.force[i][d] += f * r[d]);
            for (k, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                forces.virial[k] += 0.5 * r[a] * r[b] * f;
            }
        }
    }
}
