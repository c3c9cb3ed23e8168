//! `compute reduce/chunk`: sums, least and greatest of values per atom in each chunk; and `compute chunk/spread/atom`:
//! values per chunk as values of its atoms. Source: LAMMPS manual.

use super::chunk_atom::{Chunks, chunks_of};
use super::per_chunk::{chunk_id, chunk_reference};
use crate::base::error::Result;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};

/// What is made of the values of a chunk.
#[derive(Clone, Copy)]
enum Way {
    /// From this on.
    Reduce(f64, fn(f64, f64) -> f64),
    /// Nothing: each atom has that of its chunk.
    Spread,
}

struct OverChunks {
    header: Header,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    way: Way,
    /// Values per atom that are reduced, or values per chunk.
    inputs: Vec<Input>,
}

/// Takes the chunks, `sum`, `min` or `max`, and values per atom.
pub(crate) fn reduce(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let chunks = chunk_id(session, args)?;
    let (sum, least, most): (fn(f64, f64) -> f64, _, _) = (|a, b| a + b, f64::min as _, f64::max as _);
    // Chunks without atoms have the number that it begins from.
    let ways = [
        ("sum", Way::Reduce(0.0, sum)),
        ("min", Way::Reduce(1e20, least)),
        ("max", Way::Reduce(-1e20, most)),
    ];
    let way = args.one_of("way to reduce", &ways)?;
    let mut inputs = Vec::new();
    while inputs.is_empty() || !args.is_empty() {
        inputs.extend(Input::take(session, args, Form::PerAtom)?);
    }
    Ok(Box::new(OverChunks { header, chunks, way, inputs }))
}

/// Takes the chunks, and values per chunk: of computes whose style ends in `/chunk`, or vectors and columns of arrays of
/// fixes.
pub(crate) fn spread(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let chunks = chunk_id(session, args)?;
    let mut inputs: Vec<Input> = Vec::new();
    while let Some(word) = args.peek() {
        let new = Input::take(session, args, Form::Vector)?;
        let per_chunk = |input: &Input| match input.reference.kind {
            Kind::Compute => {
                let compute = session.computes.get(&input.reference.id);
                compute.is_some_and(|compute| compute.header().style.ends_with("/chunk"))
            }
            kind => kind == Kind::Fix,
        };
        if !new.iter().all(per_chunk) {
            let error = args.error(word, format_args!("'{}' is no value per chunk", word.text));
            return Err(error.label("expected a compute of a style .../chunk, or a fix"));
        }
        inputs.extend(new);
    }
    if inputs.is_empty() {
        args.word("a value per chunk")?;
    }
    Ok(Box::new(OverChunks { header, chunks, way: Way::Spread, inputs }))
}

impl OverChunks {
    /// The chunks, for a column and a row of each value.
    fn chunks(&self, system: &Snapshot<'_>) -> Result<Chunks> {
        chunks_of(system, &self.chunks, 24 + 16 * self.inputs.len())
    }

    /// Values per chunk.
    fn reduced(&self, chunks: &Chunks, mut columns: Vec<Vec<f64>>) -> Values {
        if columns.len() == 1 {
            return Values::vector(columns.remove(0));
        }
        let row = |chunk| columns.iter().map(|column| column[chunk]).collect();
        Values { array: (0..chunks.count).map(row).collect(), ..Values::default() }
    }
}

impl Compute for OverChunks {
    header!();

    /// Values of chunks, where the device knows which chunk an atom is in.
    fn recipe(&self, system: &Snapshot<'_>, column: Option<usize>) -> Option<AtomExpr> {
        let (Way::Spread, true) = (self.way, system.works_out()) else { return None };
        let values = self.inputs.get(column.unwrap_or(1) - 1)?.vector(system).ok()?;
        let chunks = self.chunks(system).ok()?;
        // A fix may have no values of some chunks.
        let value = |chunk: usize| values.get(chunk).copied().unwrap_or(0.0);
        Some(chunks.table((0..chunks.count).map(value))?.within(self.header.group))
    }

    fn shape(&self) -> Shape {
        match (self.way, self.inputs.len()) {
            (Way::Spread, columns) => Shape::per_atom(columns),
            (Way::Reduce(..), 1) => Shape::vector(0),
            (Way::Reduce(..), columns) => Shape::array(columns),
        }
    }

    fn inputs(&self) -> Vec<Reference> {
        let inputs = self.inputs.iter().map(|input| input.reference.clone());
        [chunk_reference(&self.chunks)].into_iter().chain(inputs).collect()
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let chunks = self.chunks(system)?;
        if let Way::Reduce(0.0, _) = self.way
            && let Some(recipes) =
                self.inputs.iter().map(|input| system.recipe(&input.reference)).collect::<Option<Vec<_>>>()
            && let Some(rows) = chunks.sums(system, self.header.group, recipes)?
        {
            let columns = (1..=self.inputs.len()).map(|k| rows.iter().map(|row| row[k]).collect());
            return Ok(self.reduced(&chunks, columns.collect()));
        }
        let of_atom = chunks.of_atom(system)?;
        let place = |&i: &usize| Some((i, (of_atom[i] as usize).checked_sub(1)?));
        let members = system.indices(self.header.group, None)?;
        let members: Vec<(usize, usize)> = members.iter().filter_map(place).collect();
        let column = |input: &Input| -> Result<Vec<f64>> {
            let Way::Reduce(from, join) = self.way else {
                let (values, mut column) = (input.vector(system)?, vec![0.0; system.atoms()?.len()]);
                // A fix may have no values of some chunks.
                let value = |chunk: usize| values.get(chunk).copied().unwrap_or(0.0);
                members.iter().for_each(|&(i, chunk)| column[i] = value(chunk));
                return Ok(column);
            };
            let (values, mut column) = (input.per_atom(system)?, vec![from; chunks.count]);
            members.iter().for_each(|&(i, chunk)| column[chunk] = join(column[chunk], values[i]));
            Ok(column)
        };
        let columns: Vec<Vec<f64>> = self.inputs.iter().map(column).collect::<Result<_>>()?;
        Ok(match self.way {
            Way::Spread => Values::per_atom(PerAtom::from_columns(columns)),
            Way::Reduce(..) => self.reduced(&chunks, columns),
        })
    }
}
