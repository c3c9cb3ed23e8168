//! `compute dipole/chunk`: the dipole moment of each chunk by its charges, from its centre, and its size. Source: LAMMPS manual.

use super::chunk_atom::chunks_of;
use super::chunk_sums::ROW;
use super::dipole::{Moment, by_mass};
use super::per_chunk::{chunk_id, chunk_reference};
use crate::base::error::Result;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct DipoleChunk {
    header: Header,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    /// Whether centres are those of mass, else those of places.
    by_mass: bool,
}

/// Takes the chunks, and `mass` or `geometry`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let chunks = chunk_id(session, args)?;
    Ok(Box::new(DipoleChunk { header, chunks, by_mass: by_mass(args)? }))
}

impl Compute for DipoleChunk {
    header!();

    fn shape(&self) -> Shape {
        Shape::array(4)
    }

    fn inputs(&self) -> Vec<Reference> {
        vec![chunk_reference(&self.chunks)]
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let chunks = chunks_of(system, &self.chunks, size_of::<Moment>() + ROW)?;
        let of_atom = chunks.of_atom(system)?;
        let mut moments = vec![Moment::default(); chunks.count];
        for i in system.indices(self.header.group, None)? {
            if let Some(chunk) = (of_atom[i] as usize).checked_sub(1) {
                moments[chunk].add(system, i, self.by_mass)?;
            }
        }
        let row = |moment: Moment| {
            let ([x, y, z], size) = moment.about_centre();
            vec![x, y, z, size]
        };
        Ok(Values { array: moments.into_iter().map(row).collect(), ..Values::default() })
    }
}
