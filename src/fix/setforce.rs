//! `fix setforce`: forces are set (cl/fix/setforce.cl). Source: LAMMPS manual, `fix setforce`.

use super::force::{Components, region};
use super::{Fix, Header, Measured, Moment, Stage, World, snippet};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;

struct SetForce {
    header: Header,
    force: Components,
    region: Option<String>,
    measured: Measured,
}

/// Takes `FX FY FZ` (numbers, `v_NAME`, also of style atom, or NULL) and `region NAME`.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let force = Components::read_each(state, args, true)?;
    let mut fix = SetForce { header, force, region: None, measured: Measured::vector(3).with_own(1) };
    while !args.is_empty() {
        args.one_of("fix setforce keyword", &[("region", ())])?;
        fix.region = Some(region(state, args)?);
    }
    Ok(Box::new(fix))
}

impl Fix for SetForce {
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

    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        let mut numbers = [self.force.values(now)?, self.force.stay()].concat();
        numbers.push(f64::from(u8::from(self.force.differ())));
        Ok(numbers)
    }

    fn remembers_anew(&self) -> bool {
        self.force.differ()
    }

    fn begin_run(&self, world: &mut World<'_>) -> Result<()> {
        self.force.begin_run(world.state);
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        self.force.differ().then_some(step + 1)
    }

    fn needs_tally(&self) -> bool {
        self.force.tallies()
    }

    fn after_forces(&self, world: &mut World<'_>) -> Result<()> {
        self.force.remember(&self.header, world)
    }

    fn varies(&self) -> bool {
        self.force.vary()
    }
}
