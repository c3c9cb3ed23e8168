//! `bond_style class2`: E = K2 (r - r0)^2 + K3 (r - r0)^3 + K4 (r - r0)^4.
//!
//! `bond_coeff TYPE R0 K2 K3 K4`: a distance, energies per distance^2, ^3 and ^4. LAMMPS manual, bond_style class2; H. Sun, J. Phys. Chem. B
//! 102, 7338 (1998).

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Class2;

impl Style for Class2 {
    fn name(&self) -> &'static str {
        "class2"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/class2.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let r0 = args.f64("the distance r0")?;
        let k2 = args.f64("K2 (energy per distance^2)")?;
        Ok(vec![r0, k2, args.f64("K3 (energy per distance^3)")?, args.f64("K4 (energy per distance^4)")?])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let &[r0, k2, k3, k4] = &params[..] else { unreachable!("four numbers, see parse") };
        let (r, off) = (rsq.sqrt(), rsq.sqrt() - r0);
        let slope = off * (2.0 * k2 + off * (3.0 * k3 + off * 4.0 * k4));
        let force = if r > 0.0 { -slope / r } else { 0.0 };
        Pull { force, energy: off * off * (k2 + off * (k3 + off * k4)), long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        params.clone()
    }

    /// Three lengths, beyond which it is no molecule any more.
    fn longest(&self, params: &Params) -> f64 {
        3.0 * params[0].abs()
    }
}
