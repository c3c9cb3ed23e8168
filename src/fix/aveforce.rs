//! `fix aveforce`: every atom of the group gets the mean force on the group, and a push besides
//! (cl/fix/setforce.cl). Source: LAMMPS manual, `fix aveforce`.

use super::force::{Components, region};
use super::{Fix, Header, Measured, Moment, Stage, World, snippet};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;

struct AveForce {
    header: Header,
    push: Components,
    region: Option<String>,
    measured: Measured,
}

/// Takes `FX FY FZ` (numbers, `v_NAME` or NULL) and `region NAME`.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let push = Components::read(state, args, true)?;
    let mut fix = AveForce { header, push, region: None, measured: Measured::vector(3).with_own(1) };
    while !args.is_empty() {
        args.one_of("fix aveforce keyword", &[("region", ())])?;
        fix.region = Some(region(state, args)?);
    }
    Ok(Box::new(fix))
}

impl Fix for AveForce {
    fn header(&self) -> &Header {
        &self.header
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage { force: Some("setforce"), ..Stage::of(snippet!("setforce.cl")) })
    }

    fn region(&self) -> Option<&str> {
        self.region.as_deref()
    }

    fn measured(&self) -> Option<&Measured> {
        Some(&self.measured)
    }

    /// With the mean that was measured last.
    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        let (push, sum, count) = (self.push.values(now)?, self.measured.elements(), self.measured.own()[0]);
        let mean: [f64; 3] =
            std::array::from_fn(|d| push[d] + if count > 0.0 { sum[d] / count } else { 0.0 });
        Ok([&mean[..], &self.push.stay(), &[0.0]].concat())
    }

    fn varies(&self) -> bool {
        self.push.vary()
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn after_forces(&self, world: &mut World<'_>) -> Result<()> {
        world.measure()
    }
}
