//! `pair_style lj/smooth/linear CUTOFF`: E = L(r) - L(cutoff) - (r - cutoff) L'(cutoff) for r < cutoff, with
//! L = 4 epsilon [(sigma/r)^12 - (sigma/r)^6]: energy and force end at zero.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF]`, energies and distances in the script's units. LAMMPS manual,
//! pair_style lj/smooth/linear; S. Toxvaerd and J. C. Dyre, Journal of Chemical Physics 134, 081102 (2011).

use super::lennard_jones;
use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// Energy and force of Lennard-Jones at the cutoff.
fn at_cutoff(params: &[f64]) -> (f64, f64) {
    let (epsilon, s6) = (params[0], (params[1] / params[2]).powi(6));
    let (force, energy) = lennard_jones::force_and_energy(epsilon, s6);
    (energy, force / params[2])
}

struct LjSmoothLinear {
    name: &'static str,
    global: [f64; 1],
}

/// `lj/smooth/linear`.
pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    named("lj/smooth/linear", args)
}

/// `lj/sf`, another name of it.
pub(super) fn shifted_force(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    named("lj/sf", args)
}

fn named(name: &'static str, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(LjSmoothLinear { name, global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for LjSmoothLinear {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_smooth_linear.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        Ok(vec![epsilon, sigma, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(lennard_jones::mix(rule, a, b))
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (epsilon, s6) = (params[0], params[1].powi(6) / rsq.powi(3));
        let (energy_there, force_there) = at_cutoff(params);
        let r = rsq.sqrt();
        let (force, energy) = lennard_jones::force_and_energy(epsilon, s6);
        (force / rsq - force_there / r, energy - energy_there + (r - params[2]) * force_there)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let (energy_there, force_there) = at_cutoff(params);
        [
            &lennard_jones::coefficients(params)[..],
            &[force_there, energy_there + params[2] * force_there + shift],
        ]
        .concat()
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([28, 6])
    }
}
