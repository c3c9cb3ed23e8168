//! `compute gyration`: the radius of gyration of a group and the squared tensor. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::engine::analysis::group_sums::SumTerm;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct Gyration {
    header: Header,
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Gyration { header }))
}

impl Compute for Gyration {
    header!();

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        system.prepare(&[&SumTerm::PLACE, &SumTerm::SPREAD])
    }

    fn shape(&self) -> Shape {
        Shape { vector: Some(6), ..Shape::SCALAR }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let tensor = system.of_group(self.header.group, None).gyration_tensor()?;
        let radius = tensor[..3].iter().sum::<f64>().sqrt();
        Ok(Values { scalar: Some(radius), vector: tensor.to_vec(), ..Values::default() })
    }
}
