//! Moves and sums of a minimization (cl/step/minimize.cl), of all atoms in one order.

use crate::run::minimize::vectors::{Carried, Damped, Sums};

/// start + alpha direction, after the box has taken along those atoms whose mask it wants.
pub fn along(
    start: &[[f64; 3]],
    mask: &[u32],
    direction: &[[f64; 3]],
    alpha: f64,
    carried: Option<Carried>,
) -> Vec<[f64; 3]> {
    let go = |((start, mask), direction): ((&[f64; 3], &u32), &[f64; 3])| {
        let mut x = *start;
        if let Some(Carried { lo: [from, to], longer, aside: [xy, xz, yz], .. }) =
            carried.filter(|carried| carried.mask & mask != 0)
        {
            let way: [f64; 3] = std::array::from_fn(|d| start[d] - from[d]);
            let aside = [xy * way[1] + xz * way[2], yz * way[2], 0.0];
            x = std::array::from_fn(|d| to[d] + longer[d] * way[d] + aside[d]);
        }
        std::array::from_fn(|d| x[d] + alpha * direction[d])
    };
    start.iter().zip(mask).zip(direction).map(go).collect()
}

/// A step of damped motion of atoms with these masses.
pub fn damped(x: &mut [[f64; 3]], v: &mut [[f64; 3]], force: &[[f64; 3]], mass: &[f64], step: &Damped) {
    for i in 0..x.len() {
        for d in 0..3 {
            let (f, push) = (force[i][d], force[i][d] / mass[i]);
            x[i][d] += step.back * v[i][d];
            let mut u = if step.rest { 0.0 } else { v[i][d] };
            u = step.keep * (u + step.first * push) + step.turn * f;
            if step.fastest != 0.0 {
                u = u.clamp(-step.fastest, step.fastest);
            }
            x[i][d] += step.drift * u;
            v[i][d] = u + step.last * push;
        }
    }
}

/// What searches decide by, but for energies.
pub fn sums(force: &[[f64; 3]], a: &[[f64; 3]], b: &[[f64; 3]], mass: &[f64]) -> Sums {
    let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let sum = |a: &[[f64; 3]], b: &[[f64; 3]]| a.iter().zip(b).map(|(a, b)| dot(a, b)).sum::<f64>();
    let largest = |a: &[f64; 3]| a.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
    let most = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0, f64::max);
    Sums {
        force_squared: sum(force, force),
        along: sum(force, a),
        before: sum(force, b),
        squared: sum(a, a),
        energy: 0.0,
        bond_energy: 0.0,
        halted: false,
        largest_force: most(&mut force.iter().map(largest)),
        longest_force_squared: most(&mut force.iter().map(|f| dot(f, f))),
        largest: most(&mut a.iter().map(largest)),
        largest_push: most(&mut force.iter().zip(mass).map(|(f, mass)| largest(f) / mass)),
    }
}

/// force + beta direction.
pub fn turned(force: &[[f64; 3]], direction: &[[f64; 3]], beta: f64) -> Vec<[f64; 3]> {
    let turn = |(f, h): (&[f64; 3], &[f64; 3])| std::array::from_fn(|d| f[d] + beta * h[d]);
    force.iter().zip(direction).map(turn).collect()
}
