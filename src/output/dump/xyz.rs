//! `dump xyz`: a count, a comment, then type (or element) and position per line. LAMMPS manual, `dump`.

use super::column::Column;
use super::{Frame, Style};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use std::io::Write;

struct Xyz;

/// Takes no further words.
pub(crate) fn new(_: &Session, _: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Xyz))
}

impl Style for Xyz {
    fn columns(&self) -> Vec<Column> {
        vec![Column::Label, Column::X(0), Column::X(1), Column::X(2)]
    }

    fn shows_types(&self) -> bool {
        true
    }

    fn header(&self, frame: &Frame<'_>, count: usize, _: &str, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "{count}\n Atoms. Timestep: {}", frame.step)
    }
}
