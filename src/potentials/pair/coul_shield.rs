//! `pair_style coul/shield CUTOFF [TAP]`: E = C q_i q_j Tap(r) / (dielectric (r^3 + 1/lambda^3)^(1/3)) for r < cutoff, of atoms of
//! different molecules, such as the layers of hexagonal boron nitride. With TAP = 1, the default, Tap(r) = 20 x^7 - 70 x^6 + 84 x^5 -
//! 35 x^4 + 1 at x = r / cutoff; with 0 it is 1.
//!
//! `pair_coeff I J LAMBDA [CUTOFF]`, an inverse distance and a distance in the script's units. Source: LAMMPS manual, `pair_style
//! coul/shield`; Maaravi, Leven, Azuri, Kronik and Hod, J. Phys. Chem. C 121 (2017) 22826.

use super::style::{AtomInput, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct CoulShield {
    global: [f64; 1],
    tapers: bool,
}

/// Reads the cutoff and whether the potential tapers.
pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let global = [args.positive("the cutoff distance")?];
    let follows = args.peek().is_some_and(|word| word.text.parse::<f64>().is_ok());
    let tapers = !follows || args.f64("1 for a taper, or 0")? != 0.0;
    Ok(Box::new(CoulShield { global, tapers }))
}

impl CoulShield {
    /// 1 / lambda^3, 1 / cutoff or 0 without a taper, and 1, or 0 where lambda is 0 and shields all.
    fn constants(&self, params: &[f64]) -> [f64; 3] {
        let [lambda, cutoff] = params[..] else { return [0.0; 3] };
        let inverse = if self.tapers { 1.0 / cutoff } else { 0.0 };
        if lambda > 0.0 { [lambda.powi(-3), inverse, 1.0] } else { [0.0, inverse, 0.0] }
    }
}

impl Style for CoulShield {
    fn name(&self) -> &'static str {
        "coul/shield"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/coul_shield.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let lambda = args.not_negative("lambda (an inverse distance)")?;
        Ok(vec![lambda, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        self.constants(params).to_vec()
    }

    fn charged(&self) -> bool {
        true
    }

    fn reads(&self) -> &'static [AtomInput] {
        &[AtomInput::MOLECULE]
    }

    fn coulomb(&self, params: &[f64], rsq: f64, lack: f64) -> (f64, f64) {
        let [shield, inverse, part] = self.constants(params);
        let r = rsq.sqrt();
        let (cube, x) = (rsq * r + shield, r * inverse);
        let shielded = part * (1.0 - lack) * cube.powf(-1.0 / 3.0);
        // As a product, which loses nothing near the cutoff.
        let taper = (1.0 - x).powi(4) * (1.0 + x * (4.0 + x * (10.0 + x * 20.0)));
        let steepness = 140.0 * (x * inverse).powi(2) * (1.0 - x).powi(3);
        (shielded * (taper * r / cube + steepness), shielded * taper)
    }
}
