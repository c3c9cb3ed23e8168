//! `pair_style mie/cut CUTOFF`: E = C epsilon [(sigma/r)^R - (sigma/r)^A] for r < cutoff, with
//! C = R/(R - A) (R/A)^(A/(R - A)), so that -epsilon is the depth of the well.
//!
//! `pair_coeff I J EPSILON SIGMA R A [CUTOFF]`, energies and distances in the script's units, exponents R > A
//! without. LAMMPS manual, pair_style mie/cut; G. Mie, Annalen der Physik 316, 657 (1903).

use super::style::{Mix, Params, Style, cutoff_or};
use super::tail;
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

fn prefactor(repulsive: f64, attractive: f64) -> f64 {
    let difference = repulsive - attractive;
    repulsive / difference * (repulsive / attractive).powf(attractive / difference)
}

struct MieCut {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(MieCut { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for MieCut {
    fn name(&self) -> &'static str {
        "mie/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/mie_cut.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["epsilon", "sigma", "gamR", "gamA"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let epsilon = args.f64("epsilon (an energy)")?;
        let sigma = args.positive("sigma")?;
        let repulsive = args.positive("the exponent of repulsion")?;
        let word = args.peek();
        let attractive = args.positive("the exponent of attraction")?;
        match word {
            Some(word) if attractive >= repulsive => Err(args
                .error(
                    word,
                    format_args!("the exponent of attraction is not below {repulsive}, that of repulsion"),
                )
                .label("expected a smaller number")),
            _ => Ok(vec![epsilon, sigma, repulsive, attractive, cutoff_or(args, self.global[0])?]),
        }
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        // The exponents by the rule of distances, as in LAMMPS.
        Some(vec![
            rule.energy(a[0], b[0], a[1], b[1]),
            rule.distance(a[1], b[1]),
            rule.distance(a[2], b[2]),
            rule.distance(a[3], b[3]),
            rule.distance(a[4], b[4]),
        ])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [epsilon, sigma, repulsive, attractive] = params[..4] else { return (0.0, 0.0) };
        let (c, s) = (prefactor(repulsive, attractive) * epsilon, sigma / rsq.sqrt());
        let (up, down) = (c * s.powf(repulsive), c * s.powf(attractive));
        ((repulsive * up - attractive * down) / rsq, up - down)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let (repulsive, attractive) = (params[2], params[3]);
        let c = prefactor(repulsive, attractive) * params[0];
        let (up, down) = (c * params[1].powf(repulsive), c * params[1].powf(attractive));
        vec![repulsive * up, attractive * down, up, down, repulsive, attractive, shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([34, 4])
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [epsilon, sigma, repulsive, attractive, cutoff] = params[..] else { return None };
        if attractive <= 3.0 {
            return None; // the integral has no limit
        }
        let c = prefactor(repulsive, attractive) * epsilon;
        tail::sum([
            tail::power(c * sigma.powf(repulsive), repulsive, cutoff, 0.0),
            tail::power(-c * sigma.powf(attractive), attractive, cutoff, 0.0),
        ])
    }
}
