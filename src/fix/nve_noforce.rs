//! `fix nve/noforce`: atoms move on as they do (cl/fix/nve_noforce.cl). Source: LAMMPS manual, `fix nve/noforce`.

use super::{Fix, Header, Moment, Stage, snippet};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;

struct NveNoforce(Header);

/// Takes no words.
pub(super) fn new(header: Header, _: &State, _: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(NveNoforce(header)))
}

impl Fix for NveNoforce {
    fn header(&self) -> &Header {
        &self.0
    }

    fn blind(&self) -> bool {
        true
    }

    fn integrates(&self) -> bool {
        true
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage { initial: Some("nve_noforce"), ..Stage::of(snippet!("nve_noforce.cl")) })
    }

    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        Ok(vec![now.state.dt])
    }
}
