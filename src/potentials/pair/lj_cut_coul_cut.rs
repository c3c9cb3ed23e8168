//! `pair_style lj/cut/coul/cut CUTOFF [CHARGE_CUTOFF]`: E = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] for r < cutoff, and
//! C q_i q_j / (dielectric r) up to a cutoff of its own, by default the same.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF [CHARGE_CUTOFF]]`, energies and distances in the script's units; a single
//! cutoff there is that of both. Shift and tail concern the first part alone. LAMMPS manual, pair_style
//! lj/cut/coul/cut.

use super::style::{Mix, Params, Style, cutoff_or, keywords_follow};
use super::{lennard_jones, tail};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct LjCutCoulCut {
    global: [f64; 2],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let cutoff = args.not_negative("the cutoff distance")?;
    let of_charges = match keywords_follow(args) {
        true => args.positive("the cutoff distance of Coulomb forces")?,
        false => cutoff,
    };
    Ok(Box::new(LjCutCoulCut { global: [cutoff, of_charges] }))
}

impl Style for LjCutCoulCut {
    fn name(&self) -> &'static str {
        "lj/cut/coul/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_cut_coul_cut.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["epsilon", "sigma"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        let [mut cutoff, mut of_charges] = self.global;
        if !args.is_empty() {
            cutoff = args.not_negative("the cutoff distance")?;
            of_charges = cutoff_or(args, cutoff)?;
        }
        Ok(vec![epsilon, sigma, cutoff, of_charges])
    }

    fn mix(&self, rule: Mix, a: &Params, b: &Params) -> Option<Params> {
        Some(lennard_jones::mix(rule, a, b))
    }

    fn cutoff(&self, params: &Params) -> f64 {
        params[2].max(params[3])
    }

    fn reach(&self, params: &Params) -> f64 {
        params[2]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> (f64, f64) {
        let s6 = params[1].powi(6) / rsq.powi(3);
        let (force, energy) = lennard_jones::force_and_energy(params[0], s6);
        (force / rsq, energy)
    }

    fn coefficients(&self, params: &Params, shift: f64) -> Vec<f64> {
        let cutoffs = [params[2].powi(2), params[3].powi(2)];
        [&lennard_jones::coefficients(params)[..], &[shift], &cutoffs].concat()
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, params: &Params, rsq: f64, lack: f64) -> (f64, f64) {
        let energy = if rsq < params[3].powi(2) { (1.0 - lack) / rsq.sqrt() } else { 0.0 };
        (energy / rsq, energy)
    }

    fn tail(&self, params: &Params) -> Option<(f64, f64)> {
        let [epsilon, sigma, cutoff, _] = params[..] else { return None };
        tail::lennard_jones(epsilon, sigma, cutoff)
    }
}
