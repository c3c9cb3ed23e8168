//! `pair_style coul/dsf ALPHA CUTOFF`: damped shifted forces, E = C q_i q_j / dielectric [erfc(alpha r) / r - E' - r F']
//! for r < cutoff, with E' and F' so that energy and force end at zero there, and an energy of each charge by itself;
//! alpha is an inverse distance. `pair_style coul/wolf ALPHA CUTOFF`: the same forces, but E = C q_i q_j / dielectric
//! [erfc(alpha r) / r - erfc(alpha cutoff) / cutoff], of which they are not quite the slope.
//!
//! `pair_coeff * *`, without numbers. Source: C. J. Fennell and J. D. Gezelter, J. Chem. Phys. 124, 234104 (2006); D. Wolf,
//! P. Keblinski, S. R. Phillpot and J. Eggebrecht, J. Chem. Phys. 110, 8254 (1999); LAMMPS manual, the pages of these names.
//! erfc(alpha r) of coul/dsf is the approximation 7.1.26 of M. Abramowitz and I. A. Stegun, Handbook of Mathematical
//! Functions, good to 1.5e-7, as in LAMMPS; the shifts are exact, and so is coul/wolf.

use super::style::{Mix, Params, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use std::f64::consts::PI;

/// The damped shifted force of two charges.
pub(super) struct Damped {
    alpha: f64,
    /// E'.
    energy: f64,
    /// F', which is negative.
    force: f64,
    /// F' as the energy has it: nothing in Wolf's.
    slope: f64,
    /// Whether erfc is exact, which it is in some of LAMMPS's styles, else the approximation.
    exact: bool,
}

impl Damped {
    /// With energy and force zero at the cutoff, by an exact erfc or the approximation.
    pub(super) fn new(alpha: f64, cutoff: f64, exact: bool) -> Self {
        let (erfc, gauss) = (libm::erfc(alpha * cutoff), (-(alpha * cutoff).powi(2)).exp());
        let force = -(erfc / (cutoff * cutoff) + 2.0 / PI.sqrt() * alpha * gauss / cutoff);
        Damped { alpha, energy: erfc / cutoff - force * cutoff, force, slope: force, exact }
    }

    /// Wolf's: the same force, and an energy that is zero at the cutoff; erfc is exact.
    pub(super) fn wolf(alpha: f64, cutoff: f64) -> Self {
        let energy = libm::erfc(alpha * cutoff) / cutoff;
        Damped { energy, slope: 0.0, ..Damped::new(alpha, cutoff, true) }
    }

    /// The numbers of `damped_coulomb` of cl/force/coulomb.cl.
    pub(super) fn coefficients(&self) -> [f64; 5] {
        [self.alpha, self.energy, self.force, 2.0 * self.alpha / PI.sqrt(), self.slope]
    }

    /// As [`Style::coulomb`].
    pub(super) fn evaluate(&self, rsq: f64, lack: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let gauss = (-self.alpha * self.alpha * rsq).exp();
        let x = self.alpha * r;
        let erfc = if self.exact { libm::erfc(x) } else { erfc_over_gauss(x) * gauss };
        let slope = (erfc - lack) / r + 2.0 * self.alpha / PI.sqrt() * gauss + r * self.force;
        (slope / rsq, (erfc - lack) / r - self.energy - r * self.slope)
    }

    /// As [`Style::own_energy`].
    pub(super) fn own_energy(&self) -> f64 {
        -(self.energy / 2.0 + self.alpha / PI.sqrt())
    }
}

struct CoulDsf {
    name: &'static str,
    snippet: File,
    damped: Damped,
    global: [f64; 1],
}

fn alpha_and_cutoff(args: &mut Args<'_>) -> Result<[f64; 2]> {
    Ok([args.f64("alpha (an inverse distance)")?, args.not_negative("the cutoff distance")?])
}

/// `coul/dsf`.
pub(super) fn shifted_force(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let [alpha, cutoff] = alpha_and_cutoff(args)?;
    let (snippet, damped) = (kernel_file!("pair/coul_dsf.cl"), Damped::new(alpha, cutoff, false));
    Ok(Box::new(CoulDsf { name: "coul/dsf", snippet, damped, global: [cutoff] }))
}

/// `coul/wolf`.
pub(super) fn wolf(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let [alpha, cutoff] = alpha_and_cutoff(args)?;
    let (snippet, damped) = (kernel_file!("pair/coul_wolf.cl"), Damped::wolf(alpha, cutoff));
    Ok(Box::new(CoulDsf { name: "coul/wolf", snippet, damped, global: [cutoff] }))
}

/// 7.1.26 of Abramowitz and Stegun without its last factor, exp(-x^2).
fn erfc_over_gauss(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.3275911 * x);
    let coefficients = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
    t * coefficients.into_iter().fold(0.0, |series, a| series * t + a)
}

impl Style for CoulDsf {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        self.snippet
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, _args: &mut Args<'_>) -> Result<Params> {
        Ok(self.global.to_vec())
    }

    fn mix(&self, _rule: Mix, a: &[f64], _b: &[f64]) -> Option<Params> {
        Some(a.to_vec())
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    /// `pair_coeff` takes none.
    fn words<'a>(&self, _params: &'a [f64], _all: bool) -> Option<&'a [f64]> {
        Some(&[])
    }

    fn coefficients(&self, _params: &[f64], _shift: f64) -> Vec<f64> {
        self.damped.coefficients().to_vec()
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, _params: &[f64], rsq: f64, lack: f64) -> (f64, f64) {
        self.damped.evaluate(rsq, lack)
    }

    fn damped(&self) -> bool {
        true
    }

    fn own_energy(&self) -> f64 {
        self.damped.own_energy()
    }
}
