//! `compute global/atom`: elements of vectors as values of the atoms that have their numbers. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::base::parallel;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};

struct GlobalAtom {
    header: Header,
    /// The number of each atom's element, cut to an integer.
    index: Input,
    inputs: Vec<Input>,
}

/// Takes the numbers of elements, as values per atom, and vectors.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let word = args.peek();
    let mut index = Input::take(session, args, Form::PerAtom)?;
    if let (Some(word), true) = (word, index.len() != 1) {
        return Err(args.error(word, format_args!("'{}' is not one value per atom", word.text)));
    }
    let mut inputs = Vec::new();
    while inputs.is_empty() || !args.is_empty() {
        inputs.extend(Input::take(session, args, Form::Vector)?);
    }
    Ok(Box::new(GlobalAtom { header, index: index.remove(0), inputs }))
}

impl Compute for GlobalAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(self.inputs.len())
    }

    fn inputs(&self) -> Vec<Reference> {
        [&self.index].into_iter().chain(&self.inputs).map(|input| input.reference.clone()).collect()
    }

    /// 0 for atoms outside of the group, and where there is no element of the number.
    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (mask, index) = (&system.atoms()?.mask, self.index.per_atom(system)?);
        let group = self.header.group;
        let column = |input: &Input| -> Result<Vec<f64>> {
            let values = input.vector(system)?;
            let element = |i: usize| {
                let place = if mask[i] & group != 0 { (index[i] as usize).checked_sub(1) } else { None };
                place.and_then(|place| values.get(place)).copied().unwrap_or(0.0)
            };
            Ok(parallel::map(mask.len(), element))
        };
        let columns = self.inputs.iter().map(column).collect::<Result<_>>()?;
        Ok(Values::per_atom(PerAtom::from_columns(columns)))
    }
}
