//! Velocity Verlet (cl/step/integrate.cl). Swope, Andersen, Berens, Wilson, J. Chem. Phys. 76, 637 (1982).

use crate::model::atoms::Atoms;

/// v += dt/2 f/m for the atoms of a group; `mass` per type, `ftm2v` turns force per mass to acceleration.
pub fn kick(atoms: &mut Atoms, force: &[[f64; 3]], mass: &[f64], ftm2v: f64, dt: f64, group: u32) {
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & group != 0) {
        let scale = 0.5 * dt * ftm2v / mass[atoms.kind[i] as usize - 1];
        (0..3).for_each(|d| atoms.v[i][d] += scale * force[i][d]);
    }
}

/// x += dt v for the atoms of a group.
pub fn drift(atoms: &mut Atoms, dt: f64, group: u32) {
    for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & group != 0) {
        (0..3).for_each(|d| atoms.x[i][d] += dt * atoms.v[i][d]);
    }
}

/// The farthest that any atom is from where it was.
pub fn farthest(x: &[[f64; 3]], before: &[[f64; 3]]) -> f64 {
    let distance = |(x, y): (&[f64; 3], &[f64; 3])| (0..3).map(|d| (x[d] - y[d]).powi(2)).sum::<f64>().sqrt();
    x.iter().zip(before).map(distance).fold(0.0, f64::max)
}
