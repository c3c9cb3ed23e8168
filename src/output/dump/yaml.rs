//! `dump yaml`: the columns of `custom` as documents of YAML, one for each frame. LAMMPS manual, `dump`.

use super::column::{Column, Rows};
use super::header::boundary_letters;
use super::{Frame, Heading, Settings, Style, custom};
use crate::base::error::Result;
use crate::base::format::{g, shortest};
use crate::script::Args;
use crate::session::Session;
use crate::session::thermo::Number;
use std::io::Write;

struct Yaml {
    columns: Vec<Column>,
    heading: Option<Heading>,
    /// `thermo`: frames have the row of their step, where there is one.
    thermo: bool,
}

/// Takes the names of the columns.
pub(crate) fn new(session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Yaml { columns: custom::columns(session, args)?, heading: None, thermo: false }))
}

/// Characters that want quotes around a word.
const SPECIAL: &str = "{}[],&:*#?|-<>=!%@\\";

/// A word, and what parts it from the next one.
pub(crate) fn item(word: &str) -> String {
    match word.contains(|c| SPECIAL.contains(c)) {
        true => format!("'{word}', "),
        false => format!("{word}, "),
    }
}

/// A value of a row of thermo output, and what parts it from the next one.
fn number(value: Number) -> String {
    match value {
        Number::Int(n) => format!("{n}, "),
        Number::Float(x) => format!("{}, ", shortest(x)),
    }
}

impl Style for Yaml {
    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn names_columns(&self) -> bool {
        true
    }

    fn accept(&mut self, settings: &Settings<'_>) -> Result<()> {
        self.heading = Some(settings.heading);
        Ok(())
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        let mine = keyword == "thermo";
        if mine {
            self.thermo = args.yes_no()?;
        }
        Ok(mine)
    }

    fn header(
        &self,
        frame: &Frame<'_>,
        count: usize,
        names: &str,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let domain = frame.domain;
        write!(out, "---\ncreator: LAMMPS\ntimestep: {}\n", frame.step)?;
        if let (Some(heading), Some(system)) = (self.heading, frame.system) {
            let session = system.session;
            if heading.units {
                writeln!(out, "units: {}", session.system.units.name)?;
            }
            if heading.time {
                writeln!(out, "time: {}", g(session.time_at(session.clock.step), 16))?;
            }
        }
        let letters: String = boundary_letters(domain).iter().flatten().map(|c| format!("{c}, ")).collect();
        write!(out, "natoms: {count}\nboundary: [ {letters}]\n")?;
        if let Some(row) = frame.row.filter(|_| self.thermo) {
            let names: String = row.iter().map(|(name, _)| item(name)).collect();
            let values: String = row.iter().map(|(_, value)| number(*value)).collect();
            write!(out, "thermo:\n  - keywords: [ {names}]\n  - data: [ {values}]\n")?;
        }
        writeln!(out, "box:")?;
        let [lo, hi] = domain.bounds();
        for d in 0..3 {
            writeln!(out, "  - [ {}, {} ]", shortest(lo[d]), shortest(hi[d]))?;
        }
        if domain.triclinic {
            let [xy, xz, yz] = domain.tilt.map(shortest);
            writeln!(out, "  - [ {xy}, {xz}, {yz} ]")?;
        }
        let names: String = names.split_whitespace().map(item).collect();
        write!(out, "keywords: [ {names} ]\ndata:\n")
    }

    fn write_rows(&self, order: &[usize], rows: &Rows<'_>, out: &mut dyn Write) -> std::io::Result<()> {
        rows.write_between(order, ["  - [ ", " , ", ", ]"], out)?;
        writeln!(out, "...")
    }
}
