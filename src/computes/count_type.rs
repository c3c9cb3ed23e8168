//! `compute count/type`: how many atoms of each type a group has. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct CountType {
    header: Header,
    /// How many types there are.
    types: usize,
}

/// Takes `atom`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if let Some(word) = args.peek().filter(|w| matches!(&*w.text, "bond" | "angle" | "dihedral" | "improper"))
    {
        return Err(args.unsupported(word, "count of"));
    }
    args.one_of("kind of what is counted", &[("atom", ())])?;
    Ok(Box::new(CountType { header, types: session.types() }))
}

impl Compute for CountType {
    header!();

    fn shape(&self) -> Shape {
        Shape::vector(self.types)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mut counts = vec![0.0; self.types];
        let kinds = &system.atoms()?.kind;
        for i in system.indices(self.header.group, None)? {
            counts[kinds[i] as usize - 1] += 1.0;
        }
        Ok(Values::vector(counts))
    }
}
