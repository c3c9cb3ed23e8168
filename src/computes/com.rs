//! `compute com`: the centre of mass of a group, from unwrapped positions. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::engine::analysis::group_sums::SumTerm;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct Com {
    header: Header,
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Com { header }))
}

impl Compute for Com {
    header!();

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        system.prepare(&[&SumTerm::PLACE])
    }

    fn shape(&self) -> Shape {
        Shape::vector(3)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::vector(system.of_group(self.header.group, None).centre()?.to_vec()))
    }
}
