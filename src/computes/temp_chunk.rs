//! `compute temp/chunk`: the temperature of the atoms in chunks, and values per chunk. Source: LAMMPS manual.

use super::chunk_atom::{Chunks, chunks_of};
use super::chunk_sums::{BYTES, drifts};
use super::per_chunk::{chunk_id, chunk_reference};
use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::temperature::tensor;
use crate::session::compute::thermal::Thermal;
use crate::session::compute::{Shape, Temperature, Values, header};
use crate::session::snapshot::view::Snapshot;

/// A value of a chunk.
#[derive(Clone, Copy)]
enum Column {
    Temperature,
    /// Kinetic energy of the centre of mass.
    Centre,
    /// Kinetic energy around the centre of mass.
    Internal,
}

struct TempChunk {
    header: Header,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    columns: Vec<Column>,
    /// `com yes`: the drift of each chunk is taken off.
    com: bool,
    /// `bias`: the ID of a temperature whose bias is taken off.
    bias: Option<String>,
    /// Degrees of freedom per atom and per chunk.
    freedom: [f64; 2],
}

/// Takes the chunks, values per chunk, and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let chunks = chunk_id(session, args)?;
    let names = [("temp", Column::Temperature), ("kecom", Column::Centre), ("internal", Column::Internal)];
    let mut columns = Vec::new();
    while let Some((name, column)) =
        names.iter().find(|(name, _)| args.peek().is_some_and(|word| word.text == *name))
    {
        args.accept(name);
        columns.push(*column);
    }
    let freedom = [f64::from(session.system.dimension), 0.0];
    let mut compute = TempChunk { header, chunks, columns, com: false, bias: None, freedom };
    while let Some(word) = args.peek() {
        let keywords = ["com", "bias", "adof", "cdof"].map(|name| (name, name));
        match args.one_of("value or keyword of compute temp/chunk", &keywords)? {
            "com" => compute.com = args.yes_no()?,
            "bias" => compute.bias = Some(session.computes.temperature_arg(args)?),
            "adof" => compute.freedom[0] = args.f64("degrees of freedom per atom")?,
            _ => compute.freedom[1] = args.f64("degrees of freedom per chunk")?,
        }
        if compute.com && compute.bias.is_some() {
            return Err(args.error(word, "com and bias do not go together"));
        }
    }
    Ok(Box::new(compute))
}

impl TempChunk {
    /// What `bias` takes off the velocities.
    fn outer_bias(&self, system: &Snapshot<'_>) -> Result<Vec<[f64; 3]>> {
        let none = || Ok(vec![[0.0; 3]; system.atoms()?.len()]);
        let Some(id) = &self.bias else { return none() };
        let temperature = system.compute(id)?.temperature();
        let temperature = temperature.ok_or_else(|| Error::new(format!("compute {id} is no temperature")))?;
        temperature.bias(system)?.map_or_else(none, Ok)
    }

    /// The chunks, with their sums where these are wanted.
    fn chunks(&self, system: &Snapshot<'_>) -> Result<Chunks> {
        let sums = self.com || !self.columns.is_empty();
        chunks_of(system, &self.chunks, if sums { BYTES } else { 0 })
    }

    /// The drift of each chunk, after that.
    fn drift(&self, system: &Snapshot<'_>, chunks: &Chunks, outer: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
        if self.bias.is_none() {
            return drifts(system, self.header.group, chunks);
        }
        let (atoms, of_atom) = (system.atoms()?, chunks.of_atom(system)?);
        let mut sums = vec![([0.0; 3], 0.0); chunks.count];
        for i in self.members(system, chunks)? {
            let (sum, mass) = &mut sums[of_atom[i] as usize - 1];
            let own = system.mass(atoms.kind[i]);
            (0..3).for_each(|d| sum[d] += own * (atoms.v[i][d] - outer[i][d]));
            *mass += own;
        }
        Ok(sums.into_iter().map(|(sum, mass)| sum.map(|x| if mass > 0.0 { x / mass } else { 0.0 })).collect())
    }

    /// The atoms of the group that are in a chunk.
    fn members(&self, system: &Snapshot<'_>, chunks: &Chunks) -> Result<Vec<usize>> {
        let mut members = system.indices(self.header.group, None)?;
        let of_atom = chunks.of_atom(system)?;
        members.retain(|&i| of_atom[i] > 0);
        Ok(members)
    }

    /// What is taken off the velocity of each atom.
    fn flow(&self, system: &Snapshot<'_>, chunks: &Chunks) -> Result<Vec<[f64; 3]>> {
        let mut flow = self.outer_bias(system)?;
        if self.com {
            let drift = self.drift(system, chunks, &flow)?;
            let of_atom = chunks.of_atom(system)?;
            let chunk = of_atom.iter().zip(&mut flow).filter(|(chunk, _)| **chunk > 0);
            chunk.for_each(|(&chunk, flow)| *flow = drift[chunk as usize - 1]);
        }
        Ok(flow)
    }

    fn rows(&self, system: &Snapshot<'_>, chunks: &Chunks) -> Result<Vec<Vec<f64>>> {
        let (atoms, units) = (system.atoms()?, system.session.system.units);
        let (outer, flow) = (self.outer_bias(system)?, self.flow(system, chunks)?);
        let drift = self.drift(system, chunks, &outer)?;
        // Atoms, m v^2 with the bias taken off, m v^2 of the drift, m v^2 around it.
        let (mut sums, of_atom) = (vec![[0.0; 4]; chunks.count], chunks.of_atom(system)?);
        for i in self.members(system, chunks)? {
            let chunk = of_atom[i] as usize - 1;
            let (mass, v, u) = (system.mass(atoms.kind[i]), atoms.v[i], drift[chunk]);
            let square = |part: &dyn Fn(usize) -> f64| (0..3).map(|d| part(d) * part(d)).sum::<f64>() * mass;
            sums[chunk][0] += 1.0;
            sums[chunk][1] += square(&|d| v[d] - flow[i][d]);
            sums[chunk][2] += square(&|d| u[d]);
            sums[chunk][3] += square(&|d| v[d] - outer[i][d] - u[d]);
        }
        let [per_atom, per_chunk] = self.freedom;
        let value = |[count, thermal, centre, internal]: [f64; 4], column: &Column| match column {
            Column::Temperature => {
                let freedom = per_chunk + per_atom * count;
                if freedom > 0.0 { units.mvv2e * thermal / (freedom * units.boltz) } else { 0.0 }
            }
            Column::Centre => 0.5 * units.mvv2e * centre,
            Column::Internal => 0.5 * units.mvv2e * internal,
        };
        let row = |sums: &[f64; 4]| self.columns.iter().map(|column| value(*sums, column)).collect();
        Ok(sums.iter().map(row).collect())
    }

    fn thermal_of(&self, system: &Snapshot<'_>, chunks: &Chunks) -> Result<Thermal> {
        let members = self.members(system, chunks)?;
        let [per_atom, per_chunk] = self.freedom;
        let freedom = per_chunk * chunks.count as f64 + per_atom * members.len() as f64;
        Ok(Thermal { tensor: tensor(system, &members, Some(&self.flow(system, chunks)?))?, freedom })
    }
}

impl Compute for TempChunk {
    header!();

    fn shape(&self) -> Shape {
        let array = Some(self.columns.len()).filter(|&columns| columns > 0);
        Shape { array, ..Shape::TEMPERATURE }
    }

    fn inputs(&self) -> Vec<Reference> {
        vec![chunk_reference(&self.chunks)]
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let chunks = self.chunks(system)?;
        let array = if self.columns.is_empty() { Vec::new() } else { self.rows(system, &chunks)? };
        Ok(Values { array, ..self.thermal_of(system, &chunks)?.values(system.session.system.units.boltz) })
    }

    fn temperature(&self) -> Option<&dyn Temperature> {
        Some(self)
    }
}

impl Temperature for TempChunk {
    fn thermal(&self, system: &Snapshot<'_>) -> Result<Thermal> {
        self.thermal_of(system, &self.chunks(system)?)
    }

    fn freedom(&self, system: &Snapshot<'_>) -> Result<f64> {
        Ok(self.thermal(system)?.freedom)
    }

    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let chunks = self.chunks(system)?;
        let flow = if self.com { Some(self.flow(system, &chunks)?) } else { None };
        Ok(flow)
    }
}
