//! `pair_style sw` and `sw/mod`: Stillinger-Weber. E = sum over pairs of A eps [B (sigma/r)^p - (sigma/r)^q] exp(sigma/(r - a sigma)) + sum over triplets of
//! lambda eps (cos - cos0)^2 exp(gamma sigma/(r_ij - a sigma)) exp(gamma sigma/(r_ik - a sigma)), with the angle at i.
//!
//! sw/mod has fC(delta) delta for delta = cos - cos0: fC falls from 1 at |delta| = delta1 to 0 at delta2, which leaves out other angles. As in LAMMPS
//! forces do not have the slope of fC.
//!
//! `pair_coeff * * FILE ELEMENT ...`. An entry of the file is `I J K epsilon sigma a lambda gamma cos0 A B p q tol`, energies in eV, lengths in
//! Angstrom; of triplets with J different from K epsilon, lambda and cos0 count. Source: F. H. Stillinger and T. A. Weber, Phys. Rev. B 31,
//! 5262 (1985); J.-W. Jiang, Acta Mech. Solida Sin. 32, 17 (2019) for sw/mod; LAMMPS manual, pair_style sw.

use super::many_body::Leaves;
use super::style::Style;
use super::three_body::{Entries, Formula, Leg, Partial, Scale, Table, add_triplets, style};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::script::Args;
use std::f64::consts::PI;

mod moments;

#[derive(Clone)]
struct StillingerWeber {
    /// Whether angles count (`threebody off`).
    angles: bool,
    /// Of sw/mod: delta1 and delta2.
    bounds: Option<[f64; 2]>,
}

/// `sw`.
pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let mut angles = true;
    while args.accept("threebody") {
        angles = args.one_of("choice", &[("on", true), ("off", false)])?;
    }
    Ok(style(StillingerWeber { angles, bounds: None }))
}

/// `sw/mod`.
pub(super) fn modified(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let mut bounds = [0.25, 0.35];
    while args.accept("maxdelcs") {
        let least = args.not_negative("delta1, from which on angles count less")?;
        let word = args.peek();
        let most = args.positive("delta2, from which on they do not count")?;
        match word {
            Some(word) if most <= least => {
                let error = args.error(word, format_args!("delta2 = {most} is not beyond delta1 = {least}"));
                return Err(error.label("expected a larger number"));
            }
            _ => bounds = [least, most],
        }
    }
    Ok(style(StillingerWeber { angles: true, bounds: Some(bounds) }))
}

/// Numbers as they are used: lambda eps, cos0, A eps, B, p, q, sigma, a sigma, gamma sigma, the cutoff of the test; and of sw/mod
/// delta1 and delta2.
const LAMBDA: usize = 0;
const COS0: usize = 1;
const A: usize = 2;
const B: usize = 3;
const P: usize = 4;
const Q: usize = 5;
const SIGMA: usize = 6;
const A_SIGMA: usize = 7;
const GAMMA_SIGMA: usize = 8;
const CUTOFF: usize = 9;
const BOUNDS: usize = 10;

/// fC of sw/mod, 1 of sw.
fn counted(entry: &[f64], delta: f64) -> f64 {
    let [least, most] = entry[BOUNDS..] else { return 1.0 };
    let place = ((delta.abs() - least) / (most - least)).clamp(0.0, 1.0);
    0.5 * (1.0 + (PI * place).cos())
}

impl Formula for StillingerWeber {
    fn name(&self) -> &'static str {
        if self.bounds.is_some() { "sw/mod" } else { "sw" }
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/by_vectors.cl", "pair/triplets.cl", "pair/sw.cl")
    }

    fn width(&self) -> usize {
        11
    }

    fn entry(&self, numbers: &[f64], scale: Scale) -> std::result::Result<Vec<f64>, String> {
        let [epsilon, sigma, a, lambda, gamma, cos0, big_a, big_b, p, q, tol] = *numbers else {
            return Err("an entry has 11 numbers".to_owned());
        };
        let names = ["epsilon", "sigma", "a", "lambda", "gamma", "", "A", "B", "p", "q", "tol"];
        if let Some((name, _)) =
            names.iter().zip(numbers).find(|(name, number)| !name.is_empty() && **number < 0.0)
        {
            return Err(format!("{name} is negative"));
        }
        let epsilon = epsilon * scale.energy;
        let lambda = if self.angles { lambda * epsilon } else { 0.0 };
        // With a tolerance pairs end where the exponentials are as small.
        let shorter = if tol > 0.0 { gamma.min(1.0) * sigma / tol.min(0.01).ln() } else { 0.0 };
        let numbers = [
            lambda,
            cos0,
            big_a * epsilon,
            big_b,
            p,
            q,
            sigma,
            a * sigma,
            gamma * sigma,
            a * sigma + shorter,
        ];
        Ok(numbers.into_iter().chain(self.bounds.into_iter().flatten()).collect())
    }

    fn by_pairs(&self) -> bool {
        !self.angles
    }

    fn cutoff(&self, entry: &[f64]) -> f64 {
        entry[CUTOFF]
    }

    fn seen_within(&self, entry: &[f64]) -> f64 {
        // Where exp(sigma/(r - a sigma)) and exp(gamma sigma/(r - a sigma)) are below 1e-17.
        let gap = entry[SIGMA].min(entry[GAMMA_SIGMA]) / 40.0;
        entry[CUTOFF].min(entry[A_SIGMA] - gap).max(0.0)
    }

    fn of_angle(&self) -> usize {
        COS0 + 1
    }

    fn leaves(&self) -> Leaves {
        Leaves::PartialForces { slots: 16, scratch: 2, by_bonds: false }
    }

    fn on_gpus(&self, table: &Table) -> Option<Box<dyn Style>> {
        // fC is no polynomial.
        self.bounds.is_none().then(|| moments::style(self, table))?
    }

    fn around(&self, centre: usize, legs: &[Leg], entries: &Entries<'_>) -> (f64, Vec<Partial>) {
        let mut partials = vec![Partial::default(); legs.len()];
        let mut energy = 0.0;
        for (leg, partial) in legs.iter().zip(&mut partials) {
            let e = entries(centre, leg.element, leg.element);
            if leg.r >= e[CUTOFF] {
                continue;
            }
            let (s, inverse) = (e[SIGMA] / leg.r, 1.0 / (leg.r - e[A_SIGMA]));
            let fall = e[A] * (e[SIGMA] * inverse).exp();
            let [repel, attract] = [e[B] * s.powf(e[P]), s.powf(e[Q])];
            let pair = fall * (repel - attract);
            let slope = fall * (e[Q] * attract - e[P] * repel) / leg.r - pair * e[SIGMA] * inverse.powi(2);
            // A pair is that of both atoms: half of it is this one's, and a quarter is counted at each end.
            partial.slope = leg.unit.map(|x| 0.5 * slope * x);
            partial.energy = 0.25 * pair;
            energy += 0.25 * pair;
        }
        let rise = |leg: &Leg| {
            let e = entries(centre, leg.element, leg.element);
            let away = leg.r - e[A_SIGMA];
            if leg.r >= e[CUTOFF] {
                return [0.0; 2];
            }
            [(e[GAMMA_SIGMA] / away).exp(), -e[GAMMA_SIGMA] / away.powi(2)]
        };
        energy += add_triplets(legs, &mut partials, rise, |j, k, cosine| {
            let e = entries(centre, legs[j].element, legs[k].element);
            let delta = (cosine - e[COS0]) * counted(e, cosine - e[COS0]);
            [e[LAMBDA] * delta.powi(2), 2.0 * e[LAMBDA] * delta]
        });
        (energy, partials)
    }
}
