//! `fix nve/limit`: velocity Verlet with a bound on how far an atom moves in a step (cl/fix/nve_limit.cl). Source:
//! LAMMPS manual, `fix nve/limit`.

use super::{Fix, Header, Moment, Stage, snippet};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;

struct NveLimit {
    header: Header,
    farthest: f64,
}

/// Takes the distance.
pub(super) fn new(header: Header, _: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let farthest = args.positive("how far an atom may move in a step")?;
    Ok(Box::new(NveLimit { header, farthest }))
}

impl Fix for NveLimit {
    fn header(&self) -> &Header {
        &self.header
    }

    fn integrates(&self) -> bool {
        true
    }

    fn stage(&self) -> Option<Stage> {
        let stage = Stage::of(snippet!("nve_limit.cl"));
        Some(Stage { initial: Some("nve_limit_initial"), last: Some("nve_limit_final"), ..stage })
    }

    /// As of nve, before them the speed that corresponds to the distance.
    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        Ok(std::iter::once(self.farthest / now.state.dt).chain(now.kicks()).collect())
    }
}
