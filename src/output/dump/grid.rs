//! `dump grid`: values of the cells of a grid, a row for each cell. LAMMPS manual, `dump`.

use super::column::Column;
use super::header::box_bounds;
use super::{Frame, Style};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::cell_grid::Grid;
use crate::session::snapshot::GridValue;
use std::io::Write;

struct Cells {
    columns: Vec<Column>,
    grid: Grid,
    dimension: u32,
}

/// Takes values that share a grid.
pub(crate) fn new(session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let (mut columns, mut first) = (Vec::new(), None);
    while columns.is_empty() || !args.is_empty() {
        let word = args.word("a value such as f_ID:grid:data[1]")?;
        let values = GridValue::read(session, args, word)?.ok_or_else(|| {
            let message = format!("'{}' is no value of a grid", word.text);
            args.error(word, message).label("expected c_ID:grid:data[1], f_ID:grid:count")
        })?;
        for value in values {
            let grid = value.grid(&session.now())?;
            let [x, y, z] = grid.size;
            if *first.get_or_insert(grid) != grid {
                let message =
                    format!("{value} is on a grid of {x} by {y} by {z} cells, other than the first one");
                return Err(args.error(word, message));
            }
            columns.push(Column::Cell(value));
        }
    }
    let grid = first.unwrap_or(Grid { size: [1; 3] });
    Ok(Box::new(Cells { columns, grid, dimension: session.system.dimension }))
}

impl Style for Cells {
    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn header(&self, frame: &Frame<'_>, _: usize, names: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let [x, y, z] = self.grid.size;
        write!(out, "ITEM: TIMESTEP\n{}\n", frame.step)?;
        box_bounds(frame.domain, out)?;
        write!(out, "ITEM: DIMENSION\n{}\nITEM: GRID SIZE nx ny nz\n{x} {y} {z}\n", self.dimension)?;
        writeln!(out, "ITEM: GRID CELLS{names}")
    }

    fn is_lammps(&self) -> bool {
        true
    }

    fn of_atoms(&self) -> bool {
        false
    }
}
