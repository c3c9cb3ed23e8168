//! `dump dcd`: positions in the binary format of CHARMM, NAMD and VMD. LAMMPS manual, `dump`; the layout is that of VMD's
//! plugin (<https://www.ks.uiuc.edu/Research/vmd/plugins/molfile/dcdplugin.html>).
//!
//! Fortran records, each between two copies of its length: 84 bytes of counts, two lines of title, the number of
//! atoms; then per frame the box (six doubles: lengths and cosines) and x, y, z in single precision.

use super::column::{Column, Rows};
use super::{Frame, Order, Settings, Style};
use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::script::Args;
use crate::session::Session;
use crate::session::schedule::Schedule;
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// The version of CHARMM whose format it is.
const CHARMM: i32 = 24;
/// Where the numbers of frames and of the last step are.
const FRAMES_AT: u64 = 8;
const LAST_STEP_AT: u64 = 20;

#[derive(Default)]
struct Dcd {
    /// Positions with the box lengths crossed.
    unwrap: bool,
    /// Steps between frames and time step, as they were at the first one.
    every: Option<u64>,
    dt: f64,
    frames: i32,
    atoms: std::cell::Cell<usize>,
}

/// Takes no further words.
pub(crate) fn new(_: &Session, _: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Dcd::default()))
}

/// A record between its lengths.
fn record(out: &mut dyn Write, bytes: &[u8]) -> std::io::Result<()> {
    let length = (bytes.len() as u32).to_le_bytes();
    out.write_all(&length)?;
    out.write_all(bytes)?;
    out.write_all(&length)
}

impl Dcd {
    fn head(&self, step: i32, atoms: usize, out: &mut dyn Write) -> std::io::Result<()> {
        let mut counts = b"CORD".to_vec();
        let every = self.every.unwrap_or(0) as i32;
        // Frames, first step, interval, last step, five that others use; the time step; then whether there is a box.
        [0, step, every, step, 0, 0, 0, 0, 0].iter().for_each(|n: &i32| counts.extend(n.to_le_bytes()));
        counts.extend((self.dt as f32).to_le_bytes());
        [1, 0, 0, 0, 0, 0, 0, 0, 0, CHARMM].iter().for_each(|n: &i32| counts.extend(n.to_le_bytes()));
        record(out, &counts)?;
        let created = jiff::Zoned::now().strftime("REMARKS Created %d %B,%Y at %H:%M").to_string();
        let mut title = 2_i32.to_le_bytes().to_vec();
        title.extend(b"Written by CLAMPS");
        title.resize(84, 0);
        title.extend(created.as_bytes());
        title.resize(164, b' ');
        record(out, &title)?;
        record(out, &(atoms as i32).to_le_bytes())
    }
}

impl Style for Dcd {
    fn columns(&self) -> Vec<Column> {
        let column = if self.unwrap { Column::Unwrapped } else { Column::X };
        (0..3).map(column).collect()
    }

    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        (name == "unwrap").then_some(&mut self.unwrap)
    }

    fn accept(&mut self, settings: &Settings<'_>) -> Result<()> {
        let refuse = |what: &str| Err(Error::new(format!("dump dcd {what}")));
        if settings.order != Order::Id {
            return refuse("needs atoms sorted by their IDs");
        }
        if !settings.output.is_plain() {
            return refuse("makes one file that begins anew: no '*', no compression, no append");
        }
        let Schedule::Every(every) = settings.schedule else {
            return refuse("needs a fixed number of steps between frames");
        };
        if self.frames == 0 {
            (self.every, self.dt) = (Some(*every), settings.dt);
        } else if self.every != Some(*every) {
            return refuse("cannot change the number of steps between frames");
        }
        Ok(())
    }

    fn write(
        &self,
        frame: &Frame<'_>,
        order: &[usize],
        rows: &Rows<'_>,
        _: Option<&str>,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let wrong = |what: String| Err(std::io::Error::other(what));
        let Ok(step) = i32::try_from(frame.step) else {
            return wrong(format!("step {} is too large for its format", frame.step));
        };
        if self.frames == 0 {
            if i32::try_from(order.len() * 4).is_err() {
                return wrong(format!("{} atoms are too many for its format", order.len()));
            }
            self.atoms.set(order.len());
            self.head(step, order.len(), out)?;
        }
        if order.len() != self.atoms.get() {
            return wrong(format!(
                "it began with {} atoms, and now there are {}",
                self.atoms.get(),
                order.len()
            ));
        }
        // Edges and cosines of the angles between them, as NAMD orders them: a gamma b beta alpha c.
        let [a, b, c] = frame.domain.edges();
        let dot = |p: [f64; 3], q: [f64; 3]| (0..3).map(|d| p[d] * q[d]).sum::<f64>();
        let length = |p: [f64; 3]| dot(p, p).sqrt();
        let cosine = |p: [f64; 3], q: [f64; 3]| dot(p, q) / (length(p) * length(q));
        let cell = [length(a), cosine(a, b), length(b), cosine(a, c), cosine(b, c), length(c)];
        let cell: Vec<u8> = cell.iter().flat_map(|edge| edge.to_le_bytes()).collect();
        record(out, &cell)?;
        for axis in 0..3 {
            let along = order.iter().flat_map(|&i| (rows.number(i, axis) as f32).to_le_bytes());
            record(out, &along.collect::<Vec<u8>>())?;
        }
        Ok(())
    }

    fn written(&mut self, file: &Path, step: i64) -> std::io::Result<()> {
        self.frames += 1;
        if !ranks::is_first() {
            return Ok(());
        }
        let mut file = OpenOptions::new().write(true).open(file)?;
        for (place, number) in [(FRAMES_AT, self.frames), (LAST_STEP_AT, step as i32)] {
            file.seek(SeekFrom::Start(place))?;
            file.write_all(&number.to_le_bytes())?;
        }
        Ok(())
    }
}
