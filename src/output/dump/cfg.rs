//! `dump cfg`: a file for each frame as AtomEye reads it, with any columns. LAMMPS manual, `dump`; J. Li, Modelling Simul. Mater. Sci. Eng.
//! 11 (2003) 173.

use super::column::{Column, Rows};
use super::{Frame, Style, custom};
use crate::base::error::Result;
use crate::base::format::g;
use crate::base::parallel;
use crate::script::Args;
use crate::session::Session;
use std::io::Write;

/// Positions outside of the box come into it where the box is shown so many times as long.
const ROOM: f64 = 10.0;

struct Cfg {
    columns: Vec<Column>,
    /// Whether positions are with the box lengths crossed.
    unwrapped: bool,
}

/// Takes `mass type xs ys zs`, or `xsu ysu zsu` of them, and the names of further columns.
pub(crate) fn new(session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let mut first = args.clone();
    let mut columns = custom::columns(session, args)?;
    let own = |column: fn(usize) -> Column| [Column::Mass, Column::Type, column(0), column(1), column(2)];
    let unwrapped = columns.starts_with(&own(Column::ScaledUnwrapped));
    if !unwrapped && !columns.starts_with(&own(Column::Scaled)) {
        let word = first.word("mass type xs ys zs")?;
        let error = args
            .error(word, "the columns of a dump cfg begin with mass type xs ys zs, or mass type xsu ysu zsu");
        return Err(error.label("expected these five"));
    }
    // A type is shown by its name, C unless the script says so.
    columns[1] = Column::Element;
    Ok(Box::new(Cfg { columns, unwrapped }))
}

impl Style for Cfg {
    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn one_frame_per_file(&self) -> bool {
        true
    }

    fn header(
        &self,
        frame: &Frame<'_>,
        count: usize,
        names: &str,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let length = if self.unwrapped { ROOM } else { 1.0 };
        writeln!(out, "Number of particles = {count}\nA = {} Angstrom (basic length-scale)", g(length, 6))?;
        for (i, edge) in (1..).zip(frame.domain.edges()) {
            for (j, part) in (1..).zip(edge) {
                writeln!(out, "H0({i},{j}) = {} A", g(part, 6))?;
            }
        }
        writeln!(out, ".NO_VELOCITY.\nentry_count = {}", self.columns.len() - 2)?;
        for (k, name) in names.split_whitespace().skip(5).enumerate() {
            writeln!(out, "auxiliary[{k}] = {name}")?;
        }
        Ok(())
    }

    fn write_rows(&self, order: &[usize], rows: &Rows<'_>, out: &mut dyn Write) -> std::io::Result<()> {
        let row = |&i: &usize, text: &mut Vec<u8>| {
            text.extend_from_slice(format!("{:.6} \n", rows.number(i, 0)).as_bytes());
            rows.push(i, 1, text);
            text.extend_from_slice(b" \n");
            for index in 2..self.columns.len() {
                if index > 2 {
                    text.push(b' ');
                }
                match self.unwrapped && index < 5 {
                    true => rows.push_number((rows.number(i, index) - 0.5) / ROOM + 0.5, index, text),
                    false => rows.push(i, index, text),
                }
            }
            text.push(b'\n');
        };
        parallel::texts(order, row, |text| out.write_all(text))
    }
}
