//! `fix addforce`: a force more on each atom (cl/fix/addforce.cl). Source: LAMMPS manual, `fix addforce`.

use super::force::{Components, region};
use super::{Fix, Header, Measured, Moment, Stage, snippet};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;

struct AddForce {
    header: Header,
    force: Components,
    every: u64,
    region: Option<String>,
    measured: Measured,
}

/// Takes `FX FY FZ` (numbers or `v_NAME`), `every N`, `region NAME`.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let force = Components::read(state, args, false)?;
    let measured = Measured::energy(3).with_virial();
    let mut fix = AddForce { header, force, every: 1, region: None, measured };
    while let Some(word) = args.peek() {
        match args.one_of("fix addforce keyword", &[("every", 0), ("region", 1), ("energy", 2)])? {
            0 => fix.every = args.count("the number of steps between", 1)?,
            1 => fix.region = Some(region(state, args)?),
            _ => return Err(args.unsupported(word, "fix addforce keyword")),
        }
    }
    Ok(Box::new(fix))
}

impl Fix for AddForce {
    fn header(&self) -> &Header {
        &self.header
    }

    fn stage(&self) -> Option<Stage> {
        Some(Stage { force: Some("addforce"), ..Stage::of(snippet!("addforce.cl")) })
    }

    fn region(&self) -> Option<&str> {
        self.region.as_deref()
    }

    fn measured(&self) -> Option<&Measured> {
        Some(&self.measured)
    }

    /// The force, and whether this is a step for it.
    fn parameters(&self, now: &Moment<'_>) -> Result<Vec<f64>> {
        let [x, y, z] = self.force.values(now)?;
        Ok(vec![x, y, z, self.every as f64])
    }

    fn varies(&self) -> bool {
        self.force.vary()
    }
}
