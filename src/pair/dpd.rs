//! `pair_style dpd T CUTOFF SEED`: dissipative particle dynamics. With w = 1 - r/cutoff the force along r is A w - gamma w^2
//! (r v)/r + sigma w xi / dt^(1/2), sigma^2 = 2 kB T gamma, of normal noise xi of variance 1, the same for both atoms.
//!
//! `pair_coeff I J A GAMMA [CUTOFF]`: a force, a force per velocity, a distance in the script's units. Source: R. D. Groot
//! and P. B. Warren, J. Chem. Phys. 107, 4423 (1997); LAMMPS manual, pair_style dpd. Velocities are those in the middle
//! of the step, as in LAMMPS; xi depends on seed, both IDs and the step alone.

use super::{Params, Style, cutoff_or};
use crate::error::Result;
use crate::kernels::File;
use crate::script::Args;

struct Dpd {
    temperature: f64,
    seed: u32,
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let word = args.peek();
    let temperature = args.f64("the temperature")?;
    if let Some(word) = word.filter(|_| temperature < 0.0) {
        return Err(args.error(word, format_args!("'{}' is no temperature: it is negative", word.text)));
    }
    let global = [args.positive("the cutoff distance")?];
    let word = args.peek();
    let seed = args.int("the seed (a positive integer)")?;
    if let Some(word) = word.filter(|_| !(1..=i64::from(i32::MAX)).contains(&seed)) {
        return Err(args.error(word, "the seed must be a positive integer").help("any from 1 to 2147483647"));
    }
    Ok(Box::new(Dpd { temperature, seed: seed as u32, global }))
}

/// r, kept off 0, and w = 1 - r/cutoff.
fn distance_and_weight(params: &Params, rsq: f64) -> (f64, f64) {
    let r = rsq.sqrt().max(1e-10);
    (r, 1.0 - r / params[2])
}

impl Style for Dpd {
    fn name(&self) -> &'static str {
        "dpd"
    }

    fn snippet(&self) -> File {
        ("pair/dpd.cl", include_str!("../../cl/pair/dpd.cl"))
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (a force)")?;
        let word = args.peek();
        let gamma = args.f64("gamma (a force per velocity)")?;
        if let Some(word) = word.filter(|_| gamma < 0.0) {
            return Err(args.error(word, format_args!("'{}' is no friction: it is negative", word.text)));
        }
        Ok(vec![a, gamma, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> (f64, f64) {
        let (r, w) = distance_and_weight(params, rsq);
        (params[0] * w / r, 0.5 * params[0] * params[2] * w * w)
    }

    fn shift(&self, _params: &Params) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &Params, _shift: f64) -> Vec<f64> {
        vec![params[0], params[2], params[1], (2.0 * self.temperature * params[1]).sqrt()]
    }

    fn seed(&self) -> Option<u32> {
        Some(self.seed)
    }

    fn friction(&self, params: &Params, rsq: f64) -> (f64, f64) {
        let (r, w) = distance_and_weight(params, rsq);
        let sigma = (2.0 * self.temperature * params[1]).sqrt();
        (-params[1] * (w / r).powi(2), sigma * w / r)
    }
}
