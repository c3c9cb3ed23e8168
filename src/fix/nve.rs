//! `fix ID GROUP nve`: velocity Verlet at constant energy (cl/fix/nve.cl).

use super::{Fix, Header, Setup, Stage};
use crate::error::Result;
use crate::kernels::File;
use crate::script::Args;

const SNIPPET: File = ("fix/nve.cl", include_str!("../../cl/fix/nve.cl"));

struct Nve(Header);

pub(super) fn new(header: Header, _args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(Nve(header)))
}

impl Fix for Nve {
    fn header(&self) -> &Header {
        &self.0
    }

    fn style(&self) -> &'static str {
        "nve"
    }

    fn integrates(&self) -> bool {
        true
    }

    fn operations(&self) -> [u32; 2] {
        [12, 6]
    }

    fn stage(&self, setup: &Setup<'_>) -> Stage {
        let kicks = setup.mass.iter().map(|mass| 0.5 * setup.dt * setup.ftm2v / mass);
        Stage {
            snippet: SNIPPET,
            initial: Some("nve_initial"),
            last: Some("nve_final"),
            parameters: std::iter::once(setup.dt).chain(kicks).collect(),
        }
    }
}
