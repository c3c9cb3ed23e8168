//! `fix ID GROUP ave/chunk Nevery Nrepeat Nfreq CHUNKS VALUE ...`: values per atom, averaged over the atoms of chunks
//! and over steps. Source: LAMMPS manual, `fix ave/chunk`.

use super::average::{Averages, Binned, Bins, ChunkHold, Mean, Norm, Options, Schedule};
use crate::base::error::Result;
use crate::base::format::{g, shortest};
use crate::computes::chunk_atom::{Chunks, chunks_of};
use crate::computes::per_chunk::chunk_id;
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, Header};
use crate::session::snapshot::view::Snapshot;
use std::cell::RefCell;
use std::fmt::Write;

struct AveChunk {
    header: Header,
    schedule: Schedule,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    /// What is averaged.
    binned: Binned,
    /// Coordinates, and the ID from before `compress`, of a chunk.
    heads: usize,
    options: Options,
    hold: ChunkHold,
    /// Of the last sample.
    last: RefCell<Option<Chunks>>,
    mean: RefCell<Mean>,
}

/// Takes `Nevery Nrepeat Nfreq`, the chunks, values and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut schedule = Schedule::read(args)?;
    let chunks = chunk_id(session, args)?;
    let mut binned = Binned::read(session, args)?;
    if binned.len() == 0 {
        return Err(Binned::no_value(args, "ave/chunk"));
    }
    let mut options = Options::new();
    while let Some(keyword) = args.peek() {
        let keyword = args.word(&keyword.text)?;
        if !binned.keyword(keyword, session, args)? && !options.keyword(keyword, args)? {
            return Err(args.unknown(keyword, "value or keyword of fix ave/chunk", KEYWORDS.into_iter()));
        }
    }
    args.finish()?;
    schedule.start = options.start;
    let style = session.computes.get(&chunks).and_then(crate::computes::chunk_atom::chunk_atom);
    let (dimension, compresses) = style.map_or((0, false), |s| (s.dimension(), s.compresses()));
    let id = if compresses { " OrigID" } else { "" };
    let coordinates: String = (1..=dimension).map(|d| format!(" Coord{d}")).collect();
    options.table.open(&[
        format!(
            "# Chunk-averaged data for fix {} and group {}",
            header.id,
            session.system.groups.name(header.group)
        ),
        "# Timestep Number-of-chunks Total-count".to_owned(),
        format!("# Chunk{id}{coordinates} Ncount{}", binned.names),
    ])?;
    Ok(Box::new(AveChunk {
        header,
        schedule,
        chunks,
        binned,
        heads: dimension + usize::from(compresses),
        options,
        hold: ChunkHold::default(),
        last: RefCell::default(),
        mean: RefCell::default(),
    }))
}

const KEYWORDS: [&str; 13] = [
    "norm",
    "ave",
    "start",
    "bias",
    "adof",
    "cdof",
    "file",
    "append",
    "overwrite",
    "format",
    "title1",
    "title2",
    "title3",
];

impl AveChunk {
    /// What a chunk takes: rows of a sample and of the sums, the average of all.
    fn bytes(&self) -> usize {
        let numbers = 8 * (1 + self.binned.len());
        2 * (24 + numbers) + numbers
    }

    fn text(&self, step: i64, chunks: &Chunks) -> String {
        let mean = self.mean.borrow();
        let width = 1 + self.binned.len();
        let rows: Vec<&[f64]> = mean.total().chunks_exact(width).take(chunks.count).collect();
        let total: f64 = rows.iter().map(|row| row[0]).sum();
        let mut text = format!("{step} {} {}\n", chunks.count, shortest(total));
        for (chunk, row) in rows.iter().enumerate() {
            let _ = write!(text, "  {}", chunk + 1);
            if let Some(id) = chunks.ids.get(chunk) {
                let _ = write!(text, " {id}");
            }
            for x in chunks.coordinates.get(chunk).into_iter().flatten().chain([&(row[0] / mean.count())]) {
                let _ = write!(text, " {}", g(*x, 6));
            }
            row[1..].iter().for_each(|x| text += &self.options.table.number(x / mean.count()));
            text.push('\n');
        }
        text
    }
}

impl Averages for AveChunk {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, session: &Session) -> bool {
        let chunks = Reference { kind: Kind::Compute, id: self.chunks.clone(), index: Vec::new() };
        self.binned.needs_tally(session) || session.needs_tally(&chunks)
    }

    fn sample(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        self.hold.begin(&system, &self.schedule, self.options.combine, [&*self.chunks])?;
        let chunks = chunks_of(&system, &self.chunks, self.bytes())?;
        let volume = |chunk| chunks.volume(chunk);
        let bins = Bins { count: chunks.count, volume: &volume, places: &chunks.places };
        let each = self.binned.norm != Norm::All;
        if let Some(rows) = self.binned.add(&system, self.header.group, &bins, each, &self.schedule)? {
            self.mean.borrow_mut().add(rows.concat(), self.options.combine);
            self.options.table.write(&self.text(system.session.clock.step, &chunks))?;
        }
        *self.last.borrow_mut() = Some(chunks);
        Ok(())
    }

    fn shape(&self) -> Shape {
        Shape::array(self.heads + 1 + self.binned.len())
    }

    /// Per chunk: its ID from before `compress`, its coordinates, atoms, the values. Before the first sample one row of
    /// 0, as in LAMMPS.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let last = self.last.borrow();
        let Some(chunks) = &*last else {
            let row = vec![0.0; self.heads + 1 + self.binned.len()];
            return Ok(Values { array: vec![row], ..Values::default() });
        };
        let mean = self.mean.borrow().values();
        let width = 1 + self.binned.len();
        let row = |chunk: usize| {
            let id = chunks.ids.get(chunk).map(|&id| id as f64);
            let coordinates = chunks.coordinates.get(chunk).into_iter().flatten().copied();
            let values = (0..width).map(|k| mean.get(chunk * width + k).copied().unwrap_or(0.0));
            id.into_iter().chain(coordinates).chain(values).collect()
        };
        Ok(Values { array: (0..chunks.count).map(row).collect(), ..Values::default() })
    }
}
