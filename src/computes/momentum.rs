//! `compute momentum`: the sum of m v of a group. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::engine::analysis::group_sums::SumTerm;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct Momentum {
    header: Header,
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Momentum { header }))
}

impl Compute for Momentum {
    header!();

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        system.prepare(&[&SumTerm::MOMENTUM])
    }

    fn shape(&self) -> Shape {
        Shape::vector(3)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::vector(system.of_group(self.header.group, None).momentum()?.to_vec()))
    }

    fn vector_extensive(&self) -> bool {
        true
    }
}
