//! `bond_style harmonic/shift`: E = U/(r0 - rc)^2 [(r - r0)^2 - (rc - r0)^2], and `harmonic/shift/cut`: the same for r < rc, and nothing
//! beyond.
//!
//! `bond_coeff TYPE U R0 RC`: the energy between r0 and rc, and these distances. LAMMPS manual, the pages of these names.

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct HarmonicShift {
    /// Whether it ends at rc.
    pub(super) cut: bool,
}

impl Style for HarmonicShift {
    fn name(&self) -> &'static str {
        if self.cut { "harmonic/shift/cut" } else { "harmonic/shift" }
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/harmonic_shift.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let depth = args.f64("U (an energy)")?;
        let r0 = args.f64("the distance r0")?;
        let word = args.peek();
        let end = args.f64("the distance rc")?;
        match word {
            Some(word) if end == r0 => {
                Err(args.error(word, "rc is r0").label("expected another distance, where the energy is zero"))
            }
            _ => Ok(vec![depth, r0, end]),
        }
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let &[depth, r0, end] = &params[..] else { unreachable!("three numbers, see parse") };
        let (r, off, k) = (rsq.sqrt(), rsq.sqrt() - r0, depth / (r0 - end).powi(2));
        if self.cut && r > end {
            return Pull { force: 0.0, energy: 0.0, long: false, broken: false };
        }
        let force = if r > 0.0 { -2.0 * k * off / r } else { 0.0 };
        Pull { force, energy: k * (off * off - (r0 - end).powi(2)), long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        let gap = (params[1] - params[2]).powi(2);
        vec![params[0] / gap, params[1], gap, if self.cut { params[2] } else { f64::INFINITY }]
    }

    /// Three lengths, beyond which it is no molecule any more.
    fn longest(&self, params: &Params) -> f64 {
        3.0 * params[1].abs().max(params[2].abs())
    }
}
