//! `fix ID GROUP nve`: velocity Verlet at constant energy (cl/fix/nve.cl).

use crate::base::error::Result;
use crate::engine::step::hooks::Stage;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{Fix, Header, Moment};

struct Nve(Header);

pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(of(header))
}

/// For a header made without a script.
pub(crate) fn of(header: Header) -> Box<dyn Fix> {
    Box::new(Nve(header))
}

impl Fix for Nve {
    fn header(&self) -> &Header {
        &self.0
    }

    fn blind(&self) -> bool {
        true
    }

    fn integrates(&self) -> bool {
        true
    }

    fn operations(&self) -> [u32; 2] {
        [12, 6]
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage {
            initial: Some("nve_initial"),
            last: Some("nve_final"),
            ..Stage::of(kernel_file!("fix/nve.cl"))
        })
    }

    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        Ok(now.kicks())
    }
}
