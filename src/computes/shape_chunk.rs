//! `compute gyration/chunk`, `inertia/chunk`, `angmom/chunk`, `torque/chunk` and `omega/chunk`: of the atoms of each chunk
//! about their centre of mass. Source: LAMMPS manual.

use super::chunk_atom::chunks_of;
use super::chunk_sums::{BYTES, centres, sums};
use super::per_chunk::{chunk_id, chunk_reference};
use crate::base::error::Result;
use crate::engine::analysis::group_sums::{SumTerm, Sums};
use crate::model::rotation::angular_velocity;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

/// What is measured of every chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// Radius of gyration.
    Radius,
    /// Its square as a tensor: xx yy zz xy xz yz.
    Spread,
    /// The tensor of inertia: xx yy zz xy yz xz.
    Inertia,
    AngularMomentum,
    Torque,
    AngularVelocity,
}

struct ShapeChunk {
    header: Header,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    measure: Measure,
}

/// Takes the chunks, and `tensor`.
pub(crate) fn gyration(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let chunks = chunk_id(session, args)?;
    let mut measure = Measure::Radius;
    while !args.is_empty() {
        measure = args.one_of("keyword of compute gyration/chunk", &[("tensor", Measure::Spread)])?;
    }
    Ok(Box::new(ShapeChunk { header, chunks, measure }))
}

/// Takes the chunks.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let measure = match header.style {
        "inertia/chunk" => Measure::Inertia,
        "angmom/chunk" => Measure::AngularMomentum,
        "torque/chunk" => Measure::Torque,
        _ => Measure::AngularVelocity,
    };
    Ok(Box::new(ShapeChunk { header, chunks: chunk_id(session, args)?, measure }))
}

/// The tensor of inertia of a sum of m d d: xx yy zz xy yz xz.
fn inertia(sums: &Sums) -> [f64; 6] {
    let [xx, yy, zz, xy, xz, yz] = sums.of;
    [yy + zz, xx + zz, xx + yy, -xy, -yz, -xz]
}

impl Compute for ShapeChunk {
    header!();

    fn shape(&self) -> Shape {
        match self.measure {
            Measure::Radius => Shape::vector(0),
            Measure::Spread | Measure::Inertia => Shape::array(6),
            _ => Shape::array(3),
        }
    }

    fn inputs(&self) -> Vec<Reference> {
        vec![chunk_reference(&self.chunks)]
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (chunks, group) = (chunks_of(system, &self.chunks, BYTES)?, self.header.group);
        let centres = centres(system, group, &chunks)?;
        let sums = |term: &SumTerm| sums(system, group, &chunks, term, &centres);
        let rows = |sums: Vec<Sums>, row: fn(&Sums) -> Vec<f64>| sums.iter().map(row).collect();
        let array: Vec<Vec<f64>> = match self.measure {
            Measure::Radius => {
                let radius = |sums: Sums| sums.mean()[..3].iter().sum::<f64>().sqrt();
                return Ok(Values::vector(sums(&SumTerm::SPREAD)?.into_iter().map(radius).collect()));
            }
            Measure::Spread => rows(sums(&SumTerm::SPREAD)?, |sums| sums.mean().to_vec()),
            Measure::Inertia => rows(sums(&SumTerm::SPREAD)?, |sums| inertia(sums).to_vec()),
            Measure::AngularMomentum => {
                rows(sums(&SumTerm::ANGULAR_MOMENTUM)?, |sums| sums.vector().to_vec())
            }
            Measure::Torque => rows(sums(&SumTerm::TORQUE)?, |sums| sums.vector().to_vec()),
            Measure::AngularVelocity => {
                let (spread, momentum) = (sums(&SumTerm::SPREAD)?, sums(&SumTerm::ANGULAR_MOMENTUM)?);
                let turning = |(spread, momentum): (&Sums, &Sums)| {
                    // An atom by itself is off its centre by a rounding error only.
                    if spread.count < 2.0 {
                        return vec![0.0; 3];
                    }
                    let [xx, yy, zz, xy, yz, xz] = inertia(spread);
                    angular_velocity([xx, yy, zz], [xy, yz, xz], momentum.vector()).to_vec()
                };
                spread.iter().zip(&momentum).map(turning).collect()
            }
        };
        Ok(Values { array, ..Values::default() })
    }
}
