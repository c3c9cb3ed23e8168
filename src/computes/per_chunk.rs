//! `compute property/chunk`, `com/chunk` and `vcm/chunk`: values per chunk of a `compute chunk/atom`. Source: LAMMPS
//! manual.

use super::chunk_atom::{Chunks, chunks_of};
use super::chunk_sums;
use crate::base::error::Result;
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

/// A value of a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Property {
    /// How many atoms of the group it has.
    Count,
    /// The number that it had before `compress`.
    Id,
    /// The middle of a bin.
    Coordinate(usize),
}

/// What is measured of every chunk.
enum Measure {
    Properties(Vec<Property>),
    Centre,
    Drift,
}

struct PerChunk {
    header: Header,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    measure: Measure,
}

/// Takes the ID of a compute of style chunk/atom.
///
/// # Errors
/// At the word, when it is missing or names no such compute.
pub fn chunk_id(session: &Session, args: &mut Args<'_>) -> Result<String> {
    let word = args.word("the ID of a compute of style chunk/atom")?;
    let compute = session.computes.get(&word.text);
    let compute = compute.ok_or_else(|| args.unknown(word, "compute", session.computes.ids()))?;
    match super::chunk_atom::chunk_atom(compute) {
        Some(_) => Ok(word.text.clone()),
        None => Err(args.error(word, format_args!("compute {} is not of style chunk/atom", word.text))),
    }
}

/// A chunk compute is made from what its chunks are made from.
pub(super) fn chunk_reference(id: &str) -> Reference {
    Reference { kind: Kind::Compute, id: id.to_owned(), index: Vec::new() }
}

/// Takes the chunks and what to show of them.
pub(crate) fn property(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let chunks = chunk_id(session, args)?;
    let mut properties = Vec::new();
    while properties.is_empty() || !args.is_empty() {
        let word = args.peek();
        let names = [
            ("count", Property::Count),
            ("id", Property::Id),
            ("coord1", Property::Coordinate(0)),
            ("coord2", Property::Coordinate(1)),
            ("coord3", Property::Coordinate(2)),
        ];
        let property = args.one_of("property of chunks", &names)?;
        let style = session.computes.get(&chunks).and_then(super::chunk_atom::chunk_atom);
        let there = style.is_some_and(|style| match property {
            Property::Count => true,
            Property::Id => style.compresses(),
            Property::Coordinate(d) => d < style.dimension(),
        });
        if let (Some(word), false) = (word, there) {
            return Err(args.error(word, format_args!("the chunks of {chunks} have no {}", word.text)));
        }
        properties.push(property);
    }
    Ok(Box::new(PerChunk { header, chunks, measure: Measure::Properties(properties) }))
}

/// Takes the chunks.
pub(crate) fn centre(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(PerChunk { header, chunks: chunk_id(session, args)?, measure: Measure::Centre }))
}

/// Takes the chunks.
pub(crate) fn drift(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(PerChunk { header, chunks: chunk_id(session, args)?, measure: Measure::Drift }))
}

/// How many atoms of a group each chunk has.
fn counts(system: &Snapshot<'_>, group: u32, chunks: &Chunks) -> Result<Vec<f64>> {
    if let Some(rows) = chunks.sums(system, group, [])? {
        return Ok(rows.into_iter().map(|row| row[0]).collect());
    }
    let (of_atom, mut counts) = (chunks.of_atom(system)?, vec![0.0; chunks.count]);
    for i in system.indices(group, None)? {
        if of_atom[i] > 0 {
            counts[of_atom[i] as usize - 1] += 1.0;
        }
    }
    Ok(counts)
}

impl Compute for PerChunk {
    header!();

    fn shape(&self) -> Shape {
        match &self.measure {
            Measure::Properties(properties) if properties.len() == 1 => Shape::vector(0),
            Measure::Properties(properties) => Shape::array(properties.len()),
            _ => Shape::array(3),
        }
    }

    fn inputs(&self) -> Vec<Reference> {
        vec![chunk_reference(&self.chunks)]
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let chunks = chunks_of(system, &self.chunks, chunk_sums::BYTES)?;
        let group = self.header.group;
        let means = match &self.measure {
            Measure::Centre => chunk_sums::centres(system, group, &chunks)?,
            Measure::Drift => chunk_sums::drifts(system, group, &chunks)?,
            Measure::Properties(properties) => {
                let counts = counts(system, group, &chunks)?;
                let value = |chunk: usize, property: &Property| match property {
                    Property::Count => counts[chunk],
                    Property::Id => chunks.ids[chunk] as f64,
                    Property::Coordinate(d) => chunks.coordinates[chunk][*d],
                };
                let row = |chunk| properties.iter().map(|property| value(chunk, property)).collect();
                let rows: Vec<Vec<f64>> = (0..chunks.count).map(row).collect();
                return Ok(match properties.len() {
                    1 => Values::vector(rows.concat()),
                    _ => Values { array: rows, ..Values::default() },
                });
            }
        };
        let array = means.into_iter().map(|mean| mean.to_vec()).collect();
        Ok(Values { array, ..Values::default() })
    }
}
