//! The frames of a text dump as LAMMPS and CLAMPS write them (styles atom and custom), and of an XYZ file. LAMMPS manual, `dump` and `read_dump`.

use crate::base::error::{Error, Result};
use crate::base::text::Text;
use crate::model::domain;
use crate::script::lines::Lines;
use std::path::Path;

/// Lower and upper corner of a box.
type Corners = [[f64; 3]; 2];

/// What stands above the rows of a frame.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) step: i64,
    pub(super) atoms: usize,
    /// Lower and upper corner of the box, where the file has one.
    pub(super) corners: Option<Corners>,
    /// xy xz yz, of a triclinic box.
    pub(super) tilt: Option<[f64; 3]>,
    /// The names of the columns.
    pub(super) columns: Vec<String>,
}

/// `format` of `read_dump` and `rerun`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Of dump atom and dump custom.
    Native,
    /// The number of atoms, a remark, and for each atom in the order of their IDs its type and place. Frames are numbered from 0.
    Xyz,
}

/// A dump that is being read.
pub(super) struct DumpFile {
    lines: Lines,
    format: Format,
    /// Frames so far.
    frames: i64,
}

/// Beginnings of a frame's parts.
const ITEM: &str = "ITEM: ";

impl DumpFile {
    /// Opens a file.
    pub(super) fn open(name: &str, format: Format) -> Result<Self> {
        let mut text = Text::open(Path::new(name), "the dump that was read")?;
        text.may_be_cut();
        Ok(DumpFile { lines: Lines::new(text), format, frames: 0 })
    }

    /// The head of the next frame; `None` at the end of the file.
    pub(super) fn head(&mut self) -> Result<Option<Head>> {
        self.frames += 1;
        match self.format {
            Format::Native => self.native_head(),
            Format::Xyz => self.xyz_head(),
        }
    }

    fn xyz_head(&mut self) -> Result<Option<Head>> {
        let lines = &mut self.lines;
        if !lines.advance_to_text()? {
            return Ok(None);
        }
        let atoms = lines.parse(lines.text().split_whitespace().next(), "a number of atoms")?;
        if !lines.advance()? {
            return Err(truncated(lines));
        }
        let columns = ["id", "type", "x", "y", "z"].map(str::to_owned).to_vec();
        Ok(Some(Head { step: self.frames - 1, atoms, corners: None, tilt: None, columns }))
    }

    fn native_head(&mut self) -> Result<Option<Head>> {
        let lines = &mut self.lines;
        let (mut step, mut atoms, mut corners, mut tilt) = (None, None, None, None);
        while lines.advance_to_text()? {
            let Some(item) = lines.text().trim_end().strip_prefix(ITEM).map(str::to_owned) else {
                return Err(lines.error_here(Error::new("this is not the start of a frame")).help(
                    "frames of dump atom and dump custom can be read: they begin with ITEM: TIMESTEP",
                ));
            };
            let columns = item.strip_prefix("ATOMS").map(|names| names.split_whitespace());
            if let Some(columns) = columns {
                let (Some(step), Some(atoms), Some(corners)) = (step, atoms, corners) else {
                    return Err(lines.error_here(Error::new("the head of this frame is not complete")));
                };
                let columns = columns.map(str::to_owned).collect();
                return Ok(Some(Head { step, atoms, corners: Some(corners), tilt, columns }));
            }
            if !lines.advance()? {
                break;
            }
            let word = lines.text().split_whitespace().next();
            match item.as_str() {
                "TIMESTEP" => step = Some(lines.parse(word, "a step")?),
                "NUMBER OF ATOMS" => atoms = Some(lines.parse(word, "a number of atoms")?),
                "UNITS" | "TIME" => {}
                bounds if bounds.starts_with("BOX BOUNDS") => {
                    if bounds.contains("abc") {
                        let message = "boxes of arbitrary orientation (abc origin) are not supported";
                        return Err(lines.error_here(Error::new(message)));
                    }
                    let found = Self::corners(lines, bounds.contains("xy xz yz"))?;
                    (corners, tilt) = (Some(found.0), found.1);
                }
                _ => {
                    let message = format!("'{ITEM}{item}' is no part of a frame that is known");
                    return Err(lines.error_here(Error::new(message)));
                }
            }
        }
        match (step, atoms, corners) {
            (None, None, None) => Ok(None),
            _ => Err(truncated(lines)),
        }
    }

    /// The three lines of the box, of which the first has been read: its corners, and its tilts where it is `triclinic`;
    /// the lines give the corners of the block around it then.
    fn corners(lines: &mut Lines, triclinic: bool) -> Result<(Corners, Option<[f64; 3]>)> {
        let mut corners = [[0.0; 3]; 2];
        let mut tilt = [0.0; 3];
        for d in 0..3 {
            if d > 0 && !lines.advance()? {
                return Err(truncated(lines));
            }
            let mut words = lines.text().split_whitespace();
            for corner in &mut corners {
                corner[d] = lines.float(words.next(), "a coordinate of the box")?;
            }
            if triclinic {
                tilt[d] = lines.float(words.next(), "a tilt of the box")?;
            }
        }
        if !triclinic {
            return Ok((corners, None));
        }
        let beyond = domain::beyond(tilt);
        let corners = std::array::from_fn(|k| std::array::from_fn(|d| corners[k][d] - beyond[k][d]));
        Ok((corners, Some(tilt)))
    }

    /// The numbers of the rows that belong to a head, for these columns (by their places), row after row.
    pub(super) fn rows(&mut self, head: &Head, columns: &[usize]) -> Result<Vec<f64>> {
        let lines = &mut self.lines;
        // The head may lie: never reserve much more than the lines can bring.
        let mut numbers = Vec::with_capacity((head.atoms * columns.len()).min(1 << 24));
        for atom in 1..=head.atoms {
            if !lines.advance()? {
                return Err(truncated(lines));
            }
            let id = atom.to_string();
            let own = (self.format == Format::Xyz).then_some(&*id);
            let words: Vec<&str> = own.into_iter().chain(lines.text().split_ascii_whitespace()).collect();
            for &column in columns {
                numbers.push(lines.float(words.get(column).copied(), &head.columns[column])?);
            }
        }
        Ok(numbers)
    }

    /// Passes over the rows that belong to a head.
    pub(super) fn skip_rows(&mut self, head: &Head) -> Result<()> {
        for _ in 0..head.atoms {
            if !self.lines.advance()? {
                return Err(truncated(&self.lines));
            }
        }
        Ok(())
    }
}

fn truncated(lines: &Lines) -> Error {
    lines.error_here(Error::new("the file ends within a frame").help("it is truncated"))
}
