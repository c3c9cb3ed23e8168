//! `compute slice`: every so many elements of vectors and of columns of arrays. Source: LAMMPS manual.

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};

struct Slice {
    header: Header,
    /// The first element, from 1, and the step from one to the next.
    first: usize,
    step: usize,
    /// How many are taken.
    count: usize,
    inputs: Vec<Input>,
    /// Whether the elements of the only input grow with the system.
    extensive: bool,
}

/// Takes the first element, the one where to stop, which is not taken any more, the step, and vectors.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let first = args.count("the first element", 1)? as usize;
    let word = args.peek();
    let stop = args.count("the element where to stop", 1)? as usize;
    let step = args.count("the step from one element to the next", 1)? as usize;
    let count = stop.saturating_sub(first) / step;
    if let (Some(word), 0) = (word, count) {
        let message = format!(
            "there is no element from {first} on to before {stop} by steps of {step}: {stop} itself is not taken"
        );
        return Err(args.error(word, message));
    }
    if let (Some(word), Err(error)) = (word, memory::check(count as f64 * size_of::<f64>() as f64)) {
        return Err(args.place(word, error));
    }
    let mut inputs: Vec<Input> = Vec::new();
    while inputs.is_empty() || !args.is_empty() {
        let word = args.peek();
        let new = Input::take(session, args, Form::Vector)?;
        for input in &new {
            // The length of others is known later.
            let shape = session.now().shape(&input.reference).ok();
            let length = shape.and_then(|shape| shape.vector).filter(|&length| length > 0);
            let last = first + (count - 1) * step;
            if let (Some(word), Some(length)) = (word, length.filter(|&length| length < last)) {
                return Err(
                    args.error(word, format_args!("'{}' has {length} elements, not {last}", word.text))
                );
            }
        }
        inputs.extend(new);
    }
    let element = |input: &Input| Reference { index: vec![first], ..input.reference.clone() };
    let extensive = match &inputs[..] {
        [one] if one.reference.index.is_empty() => session.now().extensive(&element(one)).unwrap_or(false),
        _ => false,
    };
    Ok(Box::new(Slice { header, first, step, count, inputs, extensive }))
}

impl Compute for Slice {
    header!();

    fn shape(&self) -> Shape {
        match self.inputs.len() {
            1 => Shape::vector(self.count),
            columns => Shape::array(columns),
        }
    }

    fn rows(&self) -> Option<usize> {
        Some(self.count)
    }

    fn inputs(&self) -> Vec<Reference> {
        self.inputs.iter().map(|input| input.reference.clone()).collect()
    }

    fn vector_extensive(&self) -> bool {
        self.extensive
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let slice = |input: &Input| -> Result<Vec<f64>> {
            let values = input.vector(system)?;
            let taken: Vec<f64> =
                values.iter().skip(self.first - 1).step_by(self.step).take(self.count).copied().collect();
            match taken.len() == self.count {
                true => Ok(taken),
                false => {
                    let (name, last) = (&input.reference, self.first + (self.count - 1) * self.step);
                    Err(Error::new(format!("{name} has {} elements now, not {last}", values.len())))
                }
            }
        };
        let columns: Vec<Vec<f64>> = self.inputs.iter().map(slice).collect::<Result<_>>()?;
        Ok(match &columns[..] {
            [one] => Values::vector(one.clone()),
            _ => {
                let row = |k| columns.iter().map(|column| column[k]).collect();
                Values { array: (0..self.count).map(row).collect(), ..Values::default() }
            }
        })
    }
}
