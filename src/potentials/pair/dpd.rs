//! `pair_style dpd T CUTOFF SEED`: dissipative particle dynamics. With w = 1 - r/cutoff the force along r is A w - gamma w^2
//! (r v)/r + sigma w xi / dt^(1/2), sigma^2 = 2 kB T gamma, of normal noise xi of variance 1, the same for both atoms.
//!
//! `pair_coeff I J A GAMMA [CUTOFF]`: a force, a force per velocity, a distance in the script's units. Source: R. D. Groot
//! and P. B. Warren, J. Chem. Phys. 107, 4423 (1997); LAMMPS manual, pair_style dpd. Velocities are those in the middle
//! of the step, as in LAMMPS; xi depends on seed, both IDs and the step alone.
//!
//! `pair_style dpd/tstat T1 T2 CUTOFF SEED` is the same without the first term: a thermostat for other styles
//! (hybrid/overlay), whose temperature goes from T1 to T2 in a run. `pair_coeff I J GAMMA [CUTOFF]`.

use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Dpd {
    /// At the beginning and at the end of a run.
    temperatures: [f64; 2],
    seed: u32,
    global: [f64; 1],
    /// Friction and noise alone: A is 0 and no word of `pair_coeff`.
    alone: bool,
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let temperature = temperature(args)?;
    style(args, [temperature; 2], false)
}

/// `dpd/tstat`.
pub(super) fn thermostat(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let temperatures = [temperature(args)?, temperature(args)?];
    style(args, temperatures, true)
}

fn temperature(args: &mut Args<'_>) -> Result<f64> {
    let word = args.peek();
    let temperature = args.f64("the temperature")?;
    match word.filter(|_| temperature < 0.0) {
        Some(word) => {
            Err(args.error(word, format_args!("'{}' is no temperature: it is negative", word.text)))
        }
        None => Ok(temperature),
    }
}

fn style(args: &mut Args<'_>, temperatures: [f64; 2], alone: bool) -> Result<Box<dyn Style>> {
    let global = [args.not_negative("the cutoff distance")?];
    let word = args.peek();
    let seed = args.int("the seed (a positive integer)")?;
    if let Some(word) = word.filter(|_| !(1..=i64::from(i32::MAX)).contains(&seed)) {
        return Err(args.error(word, "the seed must be a positive integer").help("any from 1 to 2147483647"));
    }
    Ok(Box::new(Dpd { temperatures, seed: seed as u32, global, alone }))
}

/// r, kept off 0, and w = 1 - r/cutoff.
fn distance_and_weight(params: &[f64], rsq: f64) -> (f64, f64) {
    let r = rsq.sqrt().max(1e-10);
    (r, 1.0 - r / params[2])
}

impl Dpd {
    /// The higher temperature, which the noise of its coefficients is of.
    fn hottest(&self) -> f64 {
        self.temperatures[0].max(self.temperatures[1])
    }
}

impl Style for Dpd {
    fn name(&self) -> &'static str {
        if self.alone { "dpd/tstat" } else { "dpd" }
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/dpd.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = if self.alone { 0.0 } else { args.f64("A (a force)")? };
        let word = args.peek();
        let gamma = args.f64("gamma (a force per velocity)")?;
        if let Some(word) = word.filter(|_| gamma < 0.0) {
            return Err(args.error(word, format_args!("'{}' is no friction: it is negative", word.text)));
        }
        Ok(vec![a, gamma, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (r, w) = distance_and_weight(params, rsq);
        (params[0] * w / r, 0.5 * params[0] * params[2] * w * w)
    }

    fn shift(&self, _params: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        vec![params[0], params[2], params[1], (2.0 * self.hottest() * params[1]).sqrt()]
    }

    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        let global = if params.ends_with(&self.global) && !all { 1 } else { 0 };
        Some(&params[usize::from(self.alone)..params.len() - global])
    }

    fn seed(&self) -> Option<u32> {
        Some(self.seed)
    }

    fn heat(&self) -> [f64; 2] {
        let hottest = self.hottest();
        self.temperatures.map(|temperature| if hottest > 0.0 { temperature / hottest } else { 1.0 })
    }

    fn friction(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (r, w) = distance_and_weight(params, rsq);
        let sigma = (2.0 * self.hottest() * params[1]).sqrt();
        (-params[1] * (w / r).powi(2), sigma * w / r)
    }
}
