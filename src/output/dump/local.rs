//! `dump local`: values of computes that belong neither to atoms nor to the whole (pairs of neighbours, faces of cells), a row
//! for each. LAMMPS manual, `dump`.

use super::column::Column;
use super::header::box_bounds;
use super::{Frame, Style};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::snapshot::{Form, Input};
use std::io::Write;

struct Local(Vec<Column>);

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
    Ok(Box::new(Local(columns)))
}

impl Style for Local {
    fn columns(&self) -> Vec<Column> {
        self.0.clone()
    }

    fn header(
        &self,
        frame: &Frame<'_>,
        count: usize,
        names: &str,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        write!(out, "ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ENTRIES\n{count}\n", frame.step)?;
        box_bounds(frame.domain, out)?;
        writeln!(out, "ITEM: ENTRIES{names}")
    }

    fn is_lammps(&self) -> bool {
        true
    }

    fn of_atoms(&self) -> bool {
        false
    }
}
