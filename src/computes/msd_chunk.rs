//! `compute msd/chunk`: how far the centre of mass of each chunk has come since the first run after the compute was defined,
//! squared: along x, y, z and in all. Source: LAMMPS manual.

use super::chunk_atom::chunks_of;
use super::chunk_sums::{BYTES, centres};
use super::msd::not_its_numbers;
use super::per_chunk::{chunk_id, chunk_reference};
use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use std::cell::RefCell;

struct MsdChunk {
    header: Header,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    /// The centres when the first run began.
    origins: RefCell<Option<Vec<[f64; 3]>>>,
}

/// Takes the chunks.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(MsdChunk { header, chunks: chunk_id(session, args)?, origins: RefCell::default() }))
}

impl MsdChunk {
    fn centres(&self, system: &Snapshot<'_>) -> Result<Vec<[f64; 3]>> {
        centres(system, self.header.group, &chunks_of(system, &self.chunks, BYTES)?)
    }
}

impl Compute for MsdChunk {
    header!();

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        if self.origins.borrow().is_none() {
            let centres = self.centres(system)?;
            self.origins.replace(Some(centres));
        }
        Ok(())
    }

    fn restart_state(&self) -> Option<Vec<f64>> {
        self.origins.borrow().as_ref().map(|origins| origins.concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let (origins, []) = numbers.as_chunks() else { return Err(not_its_numbers()) };
        self.origins.replace(Some(origins.to_vec()));
        Ok(())
    }

    fn store(&self) -> &'static str {
        "STORE/GLOBAL"
    }

    fn shape(&self) -> Shape {
        Shape::array(4)
    }

    fn inputs(&self) -> Vec<Reference> {
        vec![chunk_reference(&self.chunks)]
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let centres = self.centres(system)?;
        let origins = self.origins.borrow();
        // Before the first run nothing has moved.
        let origins = origins.as_ref().unwrap_or(&centres);
        if centres.len() != origins.len() {
            let [old, new] = [origins.len(), centres.len()];
            let error = Error::new(format!("there were {old} chunks at first, and now there are {new}"));
            return Err(error.help("give compute chunk/atom the keywords `nchunk once` and `ids once`"));
        }
        let row = |(now, then): (&[f64; 3], &[f64; 3])| {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|d| (now[d] - then[d]).powi(2));
            vec![x, y, z, x + y + z]
        };
        Ok(Values { array: centres.iter().zip(origins).map(row).collect(), ..Values::default() })
    }
}
