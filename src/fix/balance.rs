//! `fix ID GROUP balance N THRESH shift|rcb ...`: between processes, of which there is one. It has values, so that
//! scripts that print them run.

use super::{Fix, Header};
use crate::compute::Values;
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct Balance(Header);

pub(super) fn new(header: Header, _: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    args.count("every how many steps", 0)?;
    args.f64("the imbalance that is borne")?;
    args.one_of("balance style", &["shift", "rcb", "report"].map(|name| (name, ())))?;
    args.skip_rest();
    Ok(Box::new(Balance(header)))
}

impl Fix for Balance {
    fn header(&self) -> &Header {
        &self.0
    }

    /// The imbalance factor; the most atoms of a process, iterations, the factor before.
    fn values(&self, system: &System<'_>) -> Result<Values> {
        let atoms = system.count(1)? as f64;
        Ok(Values { scalar: Some(1.0), vector: vec![atoms, 0.0, 1.0], ..Values::default() })
    }

    fn changes_box(&self) -> bool {
        true // of a process, to LAMMPS: thermo output ends with the volume
    }
}
