//! `pair_style edip` and `edip/multi`: bonds that depend on how many neighbours an atom has. E = sum over ordered pairs of A [(B/r)^rho - exp(-beta Z^2)]
//! exp(sigma/(r - a)) + sum over triplets of exp(gamma/(r_ij - a)) exp(gamma/(r_ik - a)) lambda [1 - exp(-q) + eta q] with the angle at i, q = Q0 exp(-mu Z)
//! (cos + tau)^2, tau = u1 + u2 [u3 exp(-u4 Z) - exp(-2 u4 Z)]. Z of i is the sum of f(r) over its neighbours, 1 up to c, beyond exp(alpha/(1 - x^-3)) with x
//! = (r - c)/(a - c).
//!
//! `pair_coeff * * FILE ELEMENT ...`. An entry of the file is `I J K A B a c alpha beta eta gamma lambda mu rho sigma Q0 u1 u2 u3 u4`, energies in eV, lengths
//! in Angstrom; of triplets with J different from K lambda, eta, mu, Q0 and u1 to u4 count. Source: J. F. Justo, M. Z. Bazant, E. Kaxiras, V. V. Bulatov and S.
//! Yip, Phys. Rev. B 58, 2539 (1998); LAMMPS manual, pair_style edip.

use super::many_body::Leaves;
use super::style::Style;
use super::three_body::{Entries, Formula, Leg, Partial, Scale, Table, add_triplets, style};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::script::Args;

struct Edip {
    name: &'static str,
}

/// `edip`, of one element.
pub(super) fn single(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(style(Edip { name: "edip" }))
}

/// `edip/multi`.
pub(super) fn multi(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(style(Edip { name: "edip/multi" }))
}

/// Numbers as they are used: those of triplets first.
const A: usize = 8;
const B: usize = 9;
const CUTOFF: usize = 10;
const INNER: usize = 11;
const ALPHA: usize = 12;
const BETA: usize = 13;
const GAMMA: usize = 14;
const RHO: usize = 15;
const SIGMA: usize = 16;

/// f and its slope.
fn counted(e: &[f64], r: f64) -> [f64; 2] {
    let x = (r - e[INNER]) / (e[CUTOFF] - e[INNER]);
    if x <= 0.0 {
        return [1.0, 0.0];
    }
    let inverse = 1.0 / (x.powi(3) - 1.0);
    let f = (e[ALPHA] * x.powi(3) * inverse).exp();
    if x >= 1.0 || f == 0.0 {
        return [0.0; 2];
    }
    [f, -3.0 * e[ALPHA] * x.powi(2) * inverse.powi(2) / (e[CUTOFF] - e[INNER]) * f]
}

/// lambda [1 - exp(-q) + eta q], and its slopes by the cosine and by Z.
fn angle(e: &[f64], cosine: f64, z: f64) -> [f64; 3] {
    let [lambda, eta, mu, q0, u1, u2, u3, u4, ..] = *e else { return [0.0; 3] };
    let decay = (-u4 * z).exp();
    let lean = cosine + u1 + u2 * (u3 * decay - decay.powi(2));
    let tau_slope = u2 * u4 * (2.0 * decay.powi(2) - u3 * decay);
    let sharp = q0 * (-mu * z).exp();
    let q = sharp * lean.powi(2);
    let by_q = lambda * ((-q).exp() + eta);
    let turn = by_q * 2.0 * sharp * lean;
    [lambda * (1.0 - (-q).exp() + eta * q), turn, turn * tau_slope - by_q * mu * q]
}

impl Formula for Edip {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/edip.cl")
    }

    fn width(&self) -> usize {
        17
    }

    fn entry(&self, numbers: &[f64], scale: Scale) -> std::result::Result<Vec<f64>, String> {
        let [a, b, cutoff, inner, alpha, beta, eta, gamma, lambda, mu, rho, sigma, q0, u1, u2, u3, u4] =
            *numbers
        else {
            return Err("an entry has 17 numbers".to_owned());
        };
        let names =
            ["A", "B", "cutoffA", "cutoffC", "alpha", "beta", "eta", "gamma", "lambda", "mu", "rho", "sigma"];
        if let Some((name, _)) = names.iter().zip(numbers).find(|(_, number)| **number < 0.0) {
            return Err(format!("{name} is negative"));
        }
        if inner >= cutoff {
            return Err("cutoffC is not below cutoffA".to_owned());
        }
        let [a, lambda] = [a, lambda].map(|energy| energy * scale.energy);
        Ok(vec![lambda, eta, mu, q0, u1, u2, u3, u4, a, b, cutoff, inner, alpha, beta, gamma, rho, sigma])
    }

    fn check(&self, table: &Table) -> std::result::Result<(), String> {
        if self.name == "edip" && table.elements.len() > 1 {
            return Err("pair_style edip is for one element; several take edip/multi".to_owned());
        }
        Ok(())
    }

    fn cutoff(&self, entry: &[f64]) -> f64 {
        entry[CUTOFF]
    }

    fn of_angle(&self) -> usize {
        A
    }

    fn leaves(&self) -> Leaves {
        Leaves::PartialForces { slots: 12, scratch: 3, by_bonds: false }
    }

    fn around(&self, centre: usize, legs: &[Leg], entries: &Entries<'_>) -> (f64, Vec<Partial>) {
        let mut partials = vec![Partial::default(); legs.len()];
        let own = |leg: &Leg| entries(centre, leg.element, leg.element);
        let within = |leg: &Leg| leg.r < own(leg)[CUTOFF];
        let counts: Vec<[f64; 2]> =
            legs.iter().map(|leg| if within(leg) { counted(own(leg), leg.r) } else { [0.0; 2] }).collect();
        let z: f64 = counts.iter().map(|f| f[0]).sum();
        let (mut energy, mut by_count) = (0.0, 0.0);
        for (leg, partial) in legs.iter().zip(&mut partials).filter(|(leg, _)| within(leg)) {
            let e = own(leg);
            let inverse = 1.0 / (leg.r - e[CUTOFF]);
            let fall = e[A] * (e[SIGMA] * inverse).exp();
            let (repel, attract) = ((e[B] / leg.r).powf(e[RHO]), (-e[BETA] * z * z).exp());
            let pair = fall * (repel - attract);
            let slope = -fall * e[RHO] * repel / leg.r - pair * e[SIGMA] * inverse.powi(2);
            by_count += 2.0 * e[BETA] * z * attract * fall;
            partial.slope = leg.unit.map(|x| slope * x);
            partial.energy = 0.5 * pair;
            energy += 0.5 * pair;
        }
        let rise = |leg: &Leg| {
            let e = own(leg);
            let away = leg.r - e[CUTOFF];
            if away >= 0.0 { [0.0; 2] } else { [(e[GAMMA] / away).exp(), -e[GAMMA] / away.powi(2)] }
        };
        for (j, leg) in legs.iter().enumerate() {
            for next in &legs[j + 1..] {
                let cosine: f64 = (0..3).map(|d| leg.unit[d] * next.unit[d]).sum();
                let both = rise(leg)[0] * rise(next)[0];
                by_count += both * angle(entries(centre, leg.element, next.element), cosine, z)[2];
            }
        }
        energy += add_triplets(legs, &mut partials, rise, |j, k, cosine| {
            let [w, turn, _] = angle(entries(centre, legs[j].element, legs[k].element), cosine, z);
            [w, turn]
        });
        for ((leg, partial), [_, slope]) in legs.iter().zip(&mut partials).zip(counts) {
            (0..3).for_each(|d| partial.slope[d] += by_count * slope * leg.unit[d]);
        }
        (energy, partials)
    }
}
