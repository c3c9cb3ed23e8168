//! `dump extxyz`: xyz with the box, energies and the kinds of columns in its second line. LAMMPS manual, `dump`;
//! the format is that of libAtoms (<https://github.com/libAtoms/extxyz>).

use super::column::Column;
use super::{Frame, Style};
use crate::base::error::Result;
use crate::base::format::{g, shortest};
use crate::script::Args;
use crate::session::Session;
use std::io::Write;

struct ExtXyz {
    velocities: bool,
    forces: bool,
    mass: bool,
}

/// Takes no further words.
pub(crate) fn new(_: &Session, _: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(ExtXyz { velocities: true, forces: true, mass: false }))
}

impl Style for ExtXyz {
    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::Species, Column::X(0), Column::X(1), Column::X(2)];
        if self.velocities {
            columns.extend((0..3).map(Column::Velocity));
        }
        if self.forces {
            columns.extend((0..3).map(Column::Force));
        }
        columns.extend(self.mass.then_some(Column::Mass));
        columns
    }

    fn header(&self, frame: &Frame<'_>, count: usize, _: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let domain = frame.domain;
        let periodic = [0, 1, 2].map(|d| if domain.periodic(d) { "T" } else { "F" }).join(" ");
        let [[x, ..], [xy, y, _], [xz, yz, z]] = domain.edges().map(|edge| edge.map(|part| g(part, 6)));
        write!(out, "{count}\nTimestep={}", frame.step)?;
        let measured =
            frame.system.and_then(|system| Some((system.measured().ok()?, system.session.system.units)));
        if let Some((row, _)) = measured {
            write!(out, " Time={:.6}", row.time)?;
        }
        write!(out, " pbc=\"{periodic}\" Lattice=\"{x} 0 0 {xy} {y} 0 {xz} {yz} {z}\"")?;
        if let Some((row, units)) = measured {
            let (energy, temperature) = (shortest(row.potential_energy()), shortest(row.temperature(units)));
            write!(out, " Potential_energy={energy} Temperature={temperature}")?;
        }
        write!(out, " Properties=species:S:1:pos:R:3")?;
        let parts = [(self.velocities, "vel:R:3"), (self.forces, "forces:R:3"), (self.mass, "mass:R:1")];
        for (_, part) in parts.iter().filter(|(there, _)| *there) {
            write!(out, ":{part}")?;
        }
        writeln!(out)
    }

    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "vel" => Some(&mut self.velocities),
            "forces" => Some(&mut self.forces),
            "mass" => Some(&mut self.mass),
            _ => None,
        }
    }

    fn needs_tally(&self, _: &Session) -> bool {
        true
    }
}
