//! `compute com`: the centre of mass of a group, from unwrapped positions. Source: LAMMPS manual.

use super::{Compute, Header, Shape, Values, header};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::survey::Term;
use crate::system::System;

struct Com {
    header: Header,
}

/// Takes no further words.
pub(super) fn new(header: Header, _: &State, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Com { header }))
}

impl Compute for Com {
    header!();

    fn get_ready(&self, system: &System<'_>) -> Result<()> {
        system.prepare(&[&Term::PLACE])
    }

    fn shape(&self) -> Shape {
        Shape::vector(3)
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        Ok(Values::vector(system.of_group(self.header.group, None).centre()?.to_vec()))
    }
}
