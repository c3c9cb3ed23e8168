//! `dump local`: values of computes that belong neither to atoms nor to the whole (pairs of neighbours, faces of cells), a row
//! for each. LAMMPS manual, `dump`.

use super::column::{Column, Rows};
use super::header::box_bounds;
use super::{Frame, Style};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::snapshot::{Form, Input};
use std::io::Write;

struct Local {
    columns: Vec<Column>,
    /// `label`: what the rows are called.
    label: String,
}

/// Takes `index`, which counts the rows, and references to local values.
pub(crate) fn new(session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let mut columns = Vec::new();
    while columns.is_empty() || !args.is_empty() {
        if args.accept("index") {
            columns.push(Column::Index);
            continue;
        }
        let inputs = Input::take(session, args, Form::Local)?;
        columns.extend(inputs.into_iter().map(|input| Column::Local(input.reference)));
    }
    if columns.iter().all(|column| *column == Column::Index) {
        return Err(args.error_here("a local dump needs values whose rows it counts").help("add c_ID[1]"));
    }
    Ok(Box::new(Local { columns, label: "ENTRIES".to_owned() }))
}

/// Puts a blank before the end of each line.
struct BlankAtEnds<'a>(&'a mut dyn Write);

impl Write for BlankAtEnds<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => [line, b" \n"].iter().try_for_each(|part| self.0.write_all(part))?,
                None => self.0.write_all(line)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

impl Style for Local {
    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        if keyword == "label" {
            self.label = args.text("a name for the rows")?.to_owned();
        }
        Ok(keyword == "label")
    }

    fn header(
        &self,
        frame: &Frame<'_>,
        count: usize,
        names: &str,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let Local { label, .. } = self;
        write!(out, "ITEM: TIMESTEP\n{}\nITEM: NUMBER OF {label}\n{count}\n", frame.step)?;
        box_bounds(frame.domain, out)?;
        writeln!(out, "ITEM: {label}{names}")
    }

    /// As in LAMMPS, rows end with a blank.
    fn write_rows(&self, order: &[usize], rows: &Rows<'_>, out: &mut dyn Write) -> std::io::Result<()> {
        rows.write(order, &mut BlankAtEnds(out))
    }

    fn is_lammps(&self) -> bool {
        true
    }

    fn of_atoms(&self) -> bool {
        false
    }
}
