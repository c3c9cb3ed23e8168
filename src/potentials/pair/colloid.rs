//! `pair_style colloid CUTOFF`: spheres of many atoms each, and single atoms, between all of whose atoms is Lennard-Jones, integrated over
//! the spheres.
//!
//! `pair_coeff I J A SIGMA D1 D2 [CUTOFF]`: an energy (39.5 epsilon for spheres of Lennard-Jones atoms, 144 epsilon for two atoms), the size
//! of an atom, the diameters of both spheres, 0 of single atoms, in the script's units. Spheres that overlap end the run: their energy is
//! no number. LAMMPS manual, pair_style colloid; R. Everaers and M. R. Ejtehadi, Phys. Rev. E 67, 041710 (2003).

use super::lennard_jones;
use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Colloid {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Colloid { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Colloid {
    fn name(&self) -> &'static str {
        "colloid"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/colloid.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["A", "", "d1", "d2"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (an energy)")?;
        let sigma = args.f64("sigma (a distance)")?;
        let [d1, d2] = [args.not_negative("the diameter d1")?, args.not_negative("the diameter d2")?];
        Ok(vec![a, sigma, d1, d2, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(lennard_jones::mix(rule, a, b))
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [a, sigma, ..] = params[..] else { return (0.0, 0.0) };
        let (s, s6, [large, small]) = (rsq, sigma.powi(6), radii(params));
        if s.sqrt() <= large + small {
            (f64::NAN, f64::NAN)
        } else if large == 0.0 {
            let (force, energy) = lennard_jones::force_and_energy(a / 144.0, s6 / s.powi(3));
            (force / s, energy)
        } else if small == 0.0 {
            let (a2, factor) = (large * large, 2.0 / 9.0 * a * (large * sigma).powi(3));
            let (d, q) = (1.0 / (a2 - s), s6 / 15.0);
            let series = ((15.0 * s + 63.0 * a2) * s + 45.0 * a2 * a2) * s + 5.0 * a2.powi(3);
            let slope = (45.0 * s + 126.0 * a2) * s + 45.0 * a2 * a2;
            let force = 3.0 * d.powi(4) - q * d.powi(9) * (slope + 9.0 * series * d);
            (-2.0 * factor * force, factor * (d.powi(3) - q * series * d.powi(9)))
        } else {
            let (product, sum, difference) = (large * small, large + small, large - small);
            let [near, far] = [1.0 / (s - sum * sum), 1.0 / (s - difference * difference)];
            let attraction = -a / 6.0 * (2.0 * product * (near + far) + (far / near).ln());
            let pull = -2.0 / 3.0 * a * product * (near - far).powi(2);
            let (r, squares) = (s.sqrt(), large * large + small * small);
            let term = |distance: f64, sign: f64| {
                let (end, constant) = (1.0 / (r + distance), 6.0 * (squares + sign * 7.0 * product));
                let row = s + 7.0 * r * distance + constant;
                (sign * row * end.powi(7), sign * (2.0 * r + 7.0 * distance - 7.0 * row * end) * end.powi(7))
            };
            let terms = [term(-sum, 1.0), term(sum, 1.0), term(difference, -1.0), term(-difference, -1.0)];
            let (row, slope) = terms.iter().fold((0.0, 0.0), |sums, term| (sums.0 + term.0, sums.1 + term.1));
            let factor = a * s6 / 37800.0;
            (pull + factor * (row / r - slope) / s, attraction + factor * row / r)
        }
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [a, sigma, ..] = params[..] else { return Vec::new() };
        let ([large, small], s6) = (radii(params), sigma.powi(6));
        let [sizes, repulsion] = match (large > 0.0, small > 0.0) {
            (false, _) => [a / 36.0 * s6, s6],
            (true, false) => [2.0 / 9.0 * a * (large * sigma).powi(3), s6 / 15.0],
            _ => [a, s6 / 37800.0],
        };
        vec![large, small, sizes, repulsion, shift]
    }
}

/// Radii, the larger first.
fn radii(params: &[f64]) -> [f64; 2] {
    [0.5 * params[2].max(params[3]), 0.5 * params[2].min(params[3])]
}
