//! `pair_style tersoff`: bond orders. E = 1/2 sum over ordered pairs of fC(r) [A exp(-l1 r) - b B exp(-l2 r)] with b = (1 + (beta zeta)^n)^(-1/2n) and
//! zeta = sum over other neighbours of fC(r_ik) g(cos) exp(l3^m (r_ij - r_ik)^m), g = gamma [1 + c^2/d^2 - c^2/(d^2 + (cos0 - cos)^2)].
//!
//! `pair_coeff * * FILE ELEMENT ...`. An entry of the file is `I J K m gamma l3 c d cos0 n beta l2 B R D l1 A`, energies in eV, lengths in
//! Angstrom; fC falls from 1 at R - D to 0 at R + D. Source: J. Tersoff, Phys. Rev. B 39, 5566 (1989) and 37, 6991 (1988); LAMMPS manual,
//! pair_style tersoff.

use super::many_body::Leaves;
use super::style::Style;
use super::three_body::{Entries, Formula, Leg, Partial, style};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::script::Args;
use std::f64::consts::PI;

struct Tersoff;

pub(super) fn new(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(style(Tersoff))
}

/// An entry as it is used.
struct Entry<'a>(&'a [f64]);

impl Entry<'_> {
    /// fC and its slope.
    fn cut(&self, r: f64) -> [f64; 2] {
        let (middle, half) = (self.0[10], self.0[11]);
        if r < middle - half {
            return [1.0, 0.0];
        }
        if r > middle + half {
            return [0.0, 0.0];
        }
        let angle = PI * (r - middle) / (2.0 * half);
        [0.5 * (1.0 - angle.sin()), -PI / (4.0 * half) * angle.cos()]
    }

    /// g and its slope by the cosine.
    fn angle(&self, cosine: f64) -> [f64; 2] {
        let (gamma, c2, d2, h) = (self.0[1], self.0[3], self.0[4], self.0[5] - cosine);
        let below = d2 + h * h;
        [gamma * (1.0 + c2 / d2 - c2 / below), -2.0 * gamma * c2 * h / (below * below)]
    }

    /// exp(l3^m x^m) and its slope by x.
    fn rise(&self, x: f64) -> [f64; 2] {
        let (m, l3) = (self.0[0], self.0[2]);
        let power = l3 * x.powf(m);
        if power > 69.0776 {
            return [1e30, 0.0];
        }
        if power < -69.0776 {
            return [0.0, 0.0];
        }
        [power.exp(), power.exp() * l3 * m * x.powf(m - 1.0)]
    }

    /// b and its slope by zeta.
    fn order(&self, zeta: f64) -> [f64; 2] {
        let (n, beta) = (self.0[6], self.0[7]);
        let t = beta * zeta;
        if t > self.0[14] {
            return [1.0 / t.sqrt(), -0.5 * beta * t.powf(-1.5)];
        }
        if t > self.0[15] {
            return [
                (1.0 - t.powf(-n) / (2.0 * n)) / t.sqrt(),
                -0.5 * beta * t.powf(-1.5) * (1.0 - (1.0 + 1.0 / (2.0 * n)) * t.powf(-n)),
            ];
        }
        if t < self.0[17] {
            return [1.0, 0.0];
        }
        if t < self.0[16] {
            return [1.0 - t.powf(n) / (2.0 * n), -0.5 * beta * t.powf(n - 1.0)];
        }
        let sum = 1.0 + t.powf(n);
        [sum.powf(-1.0 / (2.0 * n)), -0.5 * sum.powf(-1.0 - 1.0 / (2.0 * n)) * t.powf(n) / zeta]
    }
}

impl Formula for Tersoff {
    fn name(&self) -> &'static str {
        "tersoff"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/tersoff.cl")
    }

    fn width(&self) -> usize {
        14
    }

    fn entry(&self, numbers: &[f64], factor: f64) -> std::result::Result<Vec<f64>, String> {
        let [m, gamma, l3, c, d, cos0, n, beta, l2, b, middle, half, l1, a] = *numbers else {
            return Err("an entry has 14 numbers".to_owned());
        };
        if m != 1.0 && m != 3.0 {
            return Err("m is neither 1 nor 3".to_owned());
        }
        let names = ["", "gamma", "", "c", "d", "", "n", "beta", "lambda2", "B", "R", "D", "lambda1", "A"];
        if let Some((name, _)) =
            names.iter().zip(numbers).find(|(name, number)| !name.is_empty() && **number < 0.0)
        {
            return Err(format!("{name} is negative"));
        }
        if half > middle {
            return Err("D is greater than R".to_owned());
        }
        // Where b is a series, as LAMMPS has it.
        let [far, near] = [(2.0 * n * 1e-16).powf(-1.0 / n), (2.0 * n * 1e-8).powf(-1.0 / n)];
        let numbers =
            [m, gamma, l3.powf(m), c * c, d * d, cos0, n, beta, l2, b * factor, middle, half, l1, a * factor];
        let series = [far, near, 1.0 / near, 1.0 / far];
        Ok(numbers.into_iter().chain(series).collect())
    }

    fn cutoff(&self, entry: &[f64]) -> f64 {
        entry[10] + entry[11]
    }

    fn leaves(&self) -> Leaves {
        Leaves::PartialForces { slots: 8, scratch: 1 }
    }

    fn around(&self, centre: usize, legs: &[Leg], entries: &Entries<'_>) -> (f64, Vec<Partial>) {
        let mut partials = vec![Partial::default(); legs.len()];
        let mut energy = 0.0;
        for (j, leg) in legs.iter().enumerate() {
            let own = Entry(entries(centre, leg.element, leg.element));
            let [cut, cut_slope] = own.cut(leg.r);
            if leg.r >= self.cutoff(own.0) {
                continue;
            }
            let others = || legs.iter().enumerate().filter(move |&(k, _)| k != j);
            let entry = |other: &Leg| Entry(entries(centre, leg.element, other.element));
            let cosine = |other: &Leg| (0..3).map(|d| leg.unit[d] * other.unit[d]).sum::<f64>();
            let zeta: f64 = others()
                .map(|(_, other)| {
                    let e = entry(other);
                    e.cut(other.r)[0] * e.angle(cosine(other))[0] * e.rise(leg.r - other.r)[0]
                })
                .sum();
            let [b, b_slope] = own.order(zeta);
            let (repel, attract) =
                (own.0[13] * (-own.0[12] * leg.r).exp(), -own.0[9] * (-own.0[8] * leg.r).exp());
            // Half of the bond is this centre's.
            let whole = 0.5 * cut * (repel + b * attract);
            energy += 0.5 * whole;
            partials[j].energy += 0.5 * whole;
            let slope = 0.5
                * (cut_slope * (repel + b * attract) - cut * (own.0[12] * repel + own.0[8] * b * attract));
            (0..3).for_each(|d| partials[j].slope[d] += slope * leg.unit[d]);
            let weight = 0.5 * cut * attract * b_slope;
            for (k, other) in others() {
                let (e, c) = (entry(other), cosine(other));
                let ([cut, cut_slope], [g, g_slope]) = (e.cut(other.r), e.angle(c));
                let [rise, rise_slope] = e.rise(leg.r - other.r);
                for d in 0..3 {
                    let [u, v] = [leg.unit[d], other.unit[d]];
                    partials[j].slope[d] +=
                        weight * cut * (g * rise_slope * u + g_slope * rise * (v - c * u) / leg.r);
                    partials[k].slope[d] += weight
                        * (g * (cut_slope * rise - cut * rise_slope) * v
                            + cut * g_slope * rise * (u - c * v) / other.r);
                }
            }
        }
        (energy, partials)
    }
}
