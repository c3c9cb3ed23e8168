//! `fix ID GROUP ave/chunk Nevery Nrepeat Nfreq CHUNKS VALUE ...`: values per atom, averaged over the atoms of chunks
//! and over steps. Source: LAMMPS manual, `fix ave/chunk`.

use super::average::{Averages, Mean, Options, Schedule, is_reference, need_tally};
use super::{Fix, Header, World};
use crate::compute::{ChunkAtom, Chunks, Shape, Values, chunk_id, chunks_of};
use crate::error::{Error, Result};
use crate::format::{g, shortest};
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::state::State;
use crate::system::{AtomValue, System};
use crate::thermo::density_unit;
use std::cell::RefCell;
use std::fmt::Write;

/// What is averaged.
enum Quantity {
    NumberDensity,
    MassDensity,
    Mass,
    Temperature,
    PerAtom(AtomValue),
}

/// What sums are divided by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Norm {
    /// By all atoms of all samples.
    All,
    /// Each sample's by its atoms.
    Sample,
    /// By the number of samples.
    None,
}

struct AveChunk {
    header: Header,
    schedule: Schedule,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    quantities: Vec<Quantity>,
    norm: Norm,
    /// A temperature whose bias is taken off.
    bias: Option<String>,
    /// Degrees of freedom per atom and per chunk.
    freedom: [f64; 2],
    /// Coordinates, and the ID from before `compress`, of a chunk.
    heads: usize,
    options: Options,
    /// Per chunk the number of atoms and the sums, of the current average.
    sums: RefCell<Vec<Vec<f64>>>,
    /// Of the last sample.
    last: RefCell<Option<Chunks>>,
    mean: RefCell<Mean>,
}

/// Takes `Nevery Nrepeat Nfreq`, the chunks, values and keywords.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut schedule = Schedule::read(args)?;
    let chunks = chunk_id(state, args)?;
    let (mut quantities, mut names) = (Vec::new(), String::new());
    let named = |text: &str| match text {
        "density/number" => Some(Quantity::NumberDensity),
        "density/mass" => Some(Quantity::MassDensity),
        "mass" => Some(Quantity::Mass),
        "temp" => Some(Quantity::Temperature),
        _ => None,
    };
    let velocity = |text: &str| matches!(text, "vx" | "vy" | "vz" | "fx" | "fy" | "fz");
    while let Some(word) = args
        .peek()
        .filter(|word| named(&word.text).is_some() || velocity(&word.text) || is_reference(&word.text))
    {
        args.word("a value")?;
        let values = match named(&word.text) {
            Some(quantity) => vec![(word.text.clone(), quantity)],
            None => {
                let values = AtomValue::read(state, args, word)?.into_iter();
                values.map(|value| (value.to_string(), Quantity::PerAtom(value))).collect()
            }
        };
        for (name, quantity) in values {
            let _ = write!(names, " {name}");
            quantities.push(quantity);
        }
    }
    if quantities.is_empty() {
        let word = args.word("a value such as vx, density/number or c_ID")?;
        return Err(args.unknown(word, "value of fix ave/chunk", VALUES.into_iter()));
    }
    let (mut norm, mut bias, mut options) = (Norm::All, None, Options::new());
    let mut freedom = [f64::from(state.dimension), 0.0];
    while let Some(keyword) = args.peek() {
        let keyword = args.word(&keyword.text)?;
        match &*keyword.text {
            "norm" => {
                let names = [("all", Norm::All), ("sample", Norm::Sample), ("none", Norm::None)];
                norm = args.one_of("norm", &names)?;
            }
            "bias" => bias = Some(state.computes.temperature_arg(args)?),
            "adof" => freedom[0] = args.f64("degrees of freedom per atom")?,
            "cdof" => freedom[1] = args.f64("degrees of freedom per chunk")?,
            _ if options.keyword(keyword, args)? => {}
            _ => {
                return Err(args.unknown(keyword, "value or keyword of fix ave/chunk", KEYWORDS.into_iter()));
            }
        }
    }
    args.finish()?;
    schedule.start = options.start;
    let style = state.computes.get(&chunks).and_then(|compute| compute.chunk_atom());
    let (dimension, compresses) = style.map_or((0, false), |s: &ChunkAtom| (s.dimension(), s.compresses()));
    let id = if compresses { " OrigID" } else { "" };
    let coordinates: String = (1..=dimension).map(|d| format!(" Coord{d}")).collect();
    options.table.open(&[
        format!("# Chunk-averaged data for fix {} and group {}", header.id, state.groups.name(header.group)),
        "# Timestep Number-of-chunks Total-count".to_owned(),
        format!("# Chunk{id}{coordinates} Ncount{names}"),
    ])?;
    Ok(Box::new(AveChunk {
        header,
        schedule,
        chunks,
        quantities,
        norm,
        bias,
        freedom,
        heads: dimension + usize::from(compresses),
        options,
        sums: RefCell::default(),
        last: RefCell::default(),
        mean: RefCell::default(),
    }))
}

const VALUES: [&str; 13] = [
    "vx",
    "vy",
    "vz",
    "fx",
    "fy",
    "fz",
    "density/number",
    "density/mass",
    "mass",
    "temp",
    "c_ID",
    "f_ID",
    "v_NAME",
];

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
    /// The values of all atoms that are summed for each quantity.
    fn columns(&self, system: &System<'_>) -> Result<Vec<Vec<f64>>> {
        let atoms = system.atoms()?;
        let mass = |i: usize| system.mass(atoms.kind[i]);
        let each = |value: &dyn Fn(usize) -> f64| Ok((0..atoms.len()).map(value).collect());
        let bias = match &self.bias {
            Some(id) => {
                let temperature = system.compute(id)?.temperature();
                let missing = || Error::new(format!("compute {id} does not measure a temperature"));
                temperature.ok_or_else(missing)?.bias(system)?
            }
            None => None,
        };
        let flow = |i: usize| bias.as_ref().map_or([0.0; 3], |bias| bias[i]);
        let square = |i: usize| (0..3).map(|d| (atoms.v[i][d] - flow(i)[d]).powi(2)).sum::<f64>();
        let column = |quantity: &Quantity| match quantity {
            Quantity::NumberDensity => each(&|_| 1.0),
            Quantity::MassDensity | Quantity::Mass => each(&mass),
            Quantity::Temperature => each(&|i| mass(i) * square(i)),
            Quantity::PerAtom(value) => value.get(system),
        };
        self.quantities.iter().map(column).collect()
    }

    /// What a sum over the atoms of a chunk at `samples` samples stands for.
    fn value(&self, quantity: &Quantity, sum: f64, atoms: f64, samples: f64, place: &Place<'_>) -> f64 {
        let units = place.state.units;
        let [per_atom, per_chunk] = self.freedom;
        match quantity {
            _ if atoms == 0.0 => sum,
            Quantity::Temperature => {
                sum * units.mvv2e / ((samples * per_chunk + per_atom * atoms) * units.boltz)
            }
            Quantity::NumberDensity => sum / place.volume / samples,
            Quantity::MassDensity => sum / place.volume * (density_unit(units) / samples),
            _ if self.norm == Norm::None => sum / samples,
            _ => sum / atoms,
        }
    }

    fn text(&self, step: i64, chunks: &Chunks) -> String {
        let mean = self.mean.borrow();
        let width = 1 + self.quantities.len();
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

/// Where a sum was made.
struct Place<'a> {
    state: &'a State,
    /// Of a chunk.
    volume: f64,
}

impl Averages for AveChunk {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, state: &State) -> bool {
        let inputs = self.quantities.iter().filter_map(|quantity| match quantity {
            Quantity::PerAtom(value) => value.input(),
            _ => None,
        });
        let chunks = Reference { kind: Kind::Compute, id: self.chunks.clone(), index: Vec::new() };
        need_tally(state, inputs) || state.needs_tally(&chunks)
    }

    fn sample(&self, world: &mut World<'_>) -> Result<()> {
        let system = world.system();
        let chunks = chunks_of(&system, &self.chunks)?;
        let columns = self.columns(&system)?;
        let empty = vec![0.0; 1 + columns.len()];
        let mut sample = vec![empty.clone(); chunks.count];
        for i in system.indices(self.header.group, None)? {
            let Some(chunk) = (chunks.of_atom[i] as usize).checked_sub(1) else { continue };
            sample[chunk][0] += 1.0;
            sample[chunk][1..].iter_mut().zip(&columns).for_each(|(sum, column)| *sum += column[i]);
        }
        let place = Place { state: world.state, volume: chunks.volume };
        let finish = |row: &mut Vec<f64>, samples: f64| {
            let atoms = row[0];
            for (sum, quantity) in row[1..].iter_mut().zip(&self.quantities) {
                *sum = self.value(quantity, *sum, atoms, samples, &place);
            }
        };
        let each = self.norm != Norm::All;
        if each {
            sample.iter_mut().for_each(|row| finish(row, 1.0));
        }
        let mut sums = self.sums.borrow_mut();
        if self.schedule.fresh() {
            sums.clear();
        }
        let rows = sums.len().max(chunks.count);
        sums.resize(rows, empty);
        for (sums, row) in sums.iter_mut().zip(&sample) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let step = world.state.step;
        if self.schedule.taken() {
            let samples = self.schedule.repeat as f64;
            for row in sums.iter_mut() {
                match each {
                    true => row[1..].iter_mut().for_each(|sum| *sum /= samples),
                    false => finish(row, samples),
                }
                row[0] /= samples;
            }
            self.mean.borrow_mut().add(sums.concat(), self.options.combine);
            self.options.table.write(&self.text(step, &chunks))?;
        }
        *self.last.borrow_mut() = Some(chunks);
        Ok(())
    }

    fn shape(&self) -> Shape {
        Shape::array(self.heads + 1 + self.quantities.len())
    }

    /// Per chunk: its ID from before `compress`, its coordinates, atoms, the values.
    fn values(&self, _: &System<'_>) -> Result<Values> {
        let last = self.last.borrow();
        let Some(chunks) = &*last else { return Ok(Values::default()) };
        let mean = self.mean.borrow().values();
        let width = 1 + self.quantities.len();
        let row = |chunk: usize| {
            let id = chunks.ids.get(chunk).map(|&id| id as f64);
            let coordinates = chunks.coordinates.get(chunk).into_iter().flatten().copied();
            let values = (0..width).map(|k| mean.get(chunk * width + k).copied().unwrap_or(0.0));
            id.into_iter().chain(coordinates).chain(values).collect()
        };
        Ok(Values { array: (0..chunks.count).map(row).collect(), ..Values::default() })
    }
}
