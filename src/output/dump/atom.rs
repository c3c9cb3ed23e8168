//! `dump atom`: id, type and scaled positions. LAMMPS manual, `dump`.

use super::Style;
use super::column::Column;
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;

struct Atom {
    /// Positions as fractions of the box (the default), or in distance units.
    scale: bool,
    /// Image counts too.
    image: bool,
}

/// Takes no further words.
pub(crate) fn new(_: &Session, _: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Atom { scale: true, image: false }))
}

impl Style for Atom {
    fn columns(&self) -> Vec<Column> {
        let positions = if self.scale { "xs ys zs" } else { "x y z" };
        let images = if self.image { "ix iy iz" } else { "" };
        ["id type", positions, images]
            .iter()
            .flat_map(|names| names.split_whitespace())
            .map(|name| Column::parse(name).expect("a known column"))
            .collect()
    }

    fn is_lammps(&self) -> bool {
        true
    }

    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        match name {
            "scale" => Some(&mut self.scale),
            "image" => Some(&mut self.image),
            _ => None,
        }
    }
}
