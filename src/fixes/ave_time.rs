//! `fix ID GROUP ave/time`: numbers or vectors of computes, fixes and variables, averaged over steps. Source: LAMMPS
//! manual, `fix ave/time`.

use super::average::{Averages, ChunkHold, Mean, Options, Schedule, inputs, need_tally};
use crate::base::error::{Error, Result};
use crate::base::format::shortest;
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, Header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input, Measured};
use std::cell::RefCell;
use std::fmt::Write;

struct AveTime {
    header: Header,
    schedule: Schedule,
    inputs: Vec<Input>,
    /// `mode vector`: each value is a column.
    columns: bool,
    /// Values that are not averaged but shown as they are last.
    off: Vec<bool>,
    extensive: Vec<bool>,
    options: Options,
    hold: ChunkHold,
    /// Sums over the samples of the current average, value by value.
    sums: RefCell<Vec<Vec<f64>>>,
    /// The last values of those that are off.
    last: RefCell<Vec<Vec<f64>>>,
    mean: RefCell<Mean>,
}

/// Takes `Nevery Nrepeat Nfreq`, values and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut schedule = Schedule::read(args)?;
    let columns = args.rest().windows(2).any(|pair| pair[0].text == "mode" && pair[1].text == "vector");
    let form = if columns { Form::Vector } else { Form::Number };
    let inputs = inputs(session, args, form)?;
    let mut off = vec![false; inputs.len()];
    let mut options = Options::new();
    while let Some(keyword) = args.peek() {
        let keyword = args.word(&keyword.text)?;
        match &*keyword.text {
            "mode" => drop(args.one_of("mode", &[("scalar", ()), ("vector", ())])?),
            "off" => {
                let word = args.peek();
                let value = args.count("the number of a value", 1)? as usize;
                match (off.get_mut(value - 1), word) {
                    (None, Some(word)) => {
                        let message = format!("there is no value {value}: there are {}", off.len());
                        return Err(args.error(word, message));
                    }
                    (place, _) => place.into_iter().for_each(|off| *off = true),
                }
            }
            _ if options.keyword(keyword, args)? => {}
            _ => return Err(args.unknown(keyword, "keyword of fix ave/time", KEYWORDS.into_iter())),
        }
    }
    args.finish()?;
    schedule.start = options.start;
    let names: String = inputs.iter().map(|input| format!(" {}", input.reference)).collect();
    let step = (!columns).then(|| "Step".to_owned()).into_iter();
    options.table.maybe_yaml(step.chain(inputs.iter().map(|input| input.reference.to_string())));
    let first = format!("# Time-averaged data for fix {}", header.id);
    options.table.open(&match columns {
        false => vec![first, format!("# TimeStep{names}")],
        true => vec![first, "# TimeStep Number-of-rows".to_owned(), format!("# Row{names}")],
    })?;
    let system = session.now();
    let extensive = inputs.iter().map(|input| system.extensive(&input.reference)).collect::<Result<_>>()?;
    Ok(Box::new(AveTime {
        header,
        schedule,
        inputs,
        columns,
        off,
        extensive,
        options,
        hold: ChunkHold::default(),
        sums: RefCell::default(),
        last: RefCell::default(),
        mean: RefCell::default(),
    }))
}

const KEYWORDS: [&str; 11] =
    ["mode", "off", "ave", "start", "file", "append", "overwrite", "format", "title1", "title2", "title3"];

impl AveTime {
    /// The averages by values: rows of each; before the first sample none.
    fn averages(&self) -> Vec<Vec<f64>> {
        let flat = self.mean.borrow().values();
        let rows = flat.len() / self.inputs.len();
        if rows == 0 {
            return Vec::new();
        }
        let mut averages: Vec<Vec<f64>> = flat.chunks_exact(rows).map(<[f64]>::to_vec).collect();
        for (value, last) in self.last.borrow().iter().enumerate() {
            if self.off[value] {
                averages[value].clone_from(last);
            }
        }
        averages
    }

    /// The chunks of a compute that has a row for each.
    fn chunks(&self, system: &Snapshot<'_>, input: &Input) -> Vec<String> {
        let Reference { kind, id, index } = &input.reference;
        if *kind != Kind::Compute || index.is_empty() && !self.columns {
            return Vec::new();
        }
        let of = |id: &str| system.session.computes.get(id);
        let made_from = of(id).map_or_else(Vec::new, |compute| compute.inputs());
        let chunks = made_from.into_iter().map(|reference| reference.id);
        chunks.filter(|id| of(id).and_then(crate::computes::chunk_atom::chunk_atom).is_some()).collect()
    }

    fn measured(&self, system: &Snapshot<'_>) -> Result<Vec<Vec<f64>>> {
        let column = |input: &Input| match input.get(system)? {
            Measured::Number(x) => Ok(vec![x]),
            Measured::Vector(x) | Measured::PerAtom(x) => Ok(x),
        };
        let columns: Vec<Vec<f64>> = self.inputs.iter().map(column).collect::<Result<_>>()?;
        if columns.iter().any(|column| column.len() != columns[0].len()) {
            let lengths: Vec<String> = columns.iter().map(|column| column.len().to_string()).collect();
            return Err(Error::new(format!("the vectors have different lengths: {}", lengths.join(" "))));
        }
        Ok(columns)
    }

    fn text(&self, step: i64, averages: &[Vec<f64>]) -> String {
        let table = &self.options.table;
        if table.is_yaml() {
            return self.yaml(step, averages);
        }
        if !self.columns {
            let numbers: String = averages.iter().map(|value| table.number(value[0])).collect();
            return format!("{step}{numbers}\n");
        }
        let rows = averages[0].len();
        let mut text = format!("{step} {rows}\n");
        for row in 0..rows {
            let numbers: String = averages.iter().map(|column| table.number(column[row])).collect();
            let _ = writeln!(text, "{}{numbers}", row + 1);
        }
        text
    }
}

impl AveTime {
    fn yaml(&self, step: i64, averages: &[Vec<f64>]) -> String {
        let row = |row: usize| averages.iter().map(|column| shortest(column[row]) + ", ").collect::<String>();
        if !self.columns {
            return format!("  - [{step}, {}]\n", row(0));
        }
        let rows = (0..averages[0].len()).map(|k| format!("  - [{}]\n", row(k)));
        format!("  {step}:\n{}", rows.collect::<String>())
    }
}

impl Averages for AveTime {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, session: &Session) -> bool {
        need_tally(session, self.inputs.iter())
    }

    fn sample(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let chunks: Vec<String> = self.inputs.iter().flat_map(|input| self.chunks(&system, input)).collect();
        self.hold.begin(&system, &self.schedule, self.options.combine, chunks.iter().map(String::as_str))?;
        let sample = self.measured(&system)?;
        let mut sums = self.sums.borrow_mut();
        if self.schedule.fresh() {
            *sums = sample.iter().map(|column| vec![0.0; column.len()]).collect();
        }
        for (sums, column) in sums.iter_mut().zip(&sample) {
            if sums.len() != column.len() {
                return Err(Error::new("a vector has another length than at the sample before"));
            }
            sums.iter_mut().zip(column).for_each(|(sum, x)| *sum += x);
        }
        *self.last.borrow_mut() = sample;
        if self.schedule.taken() {
            let repeat = self.schedule.repeat as f64;
            let flat = sums.iter().flatten().map(|sum| sum / repeat).collect();
            self.mean.borrow_mut().add(flat, self.options.combine);
            self.options.table.write(&self.text(context.session.clock.step, &self.averages()))?;
        }
        Ok(())
    }

    fn shape(&self) -> Shape {
        match (self.columns, self.inputs.len()) {
            (false, 1) => Shape::SCALAR,
            (false, count) => Shape::vector(count),
            (true, 1) => Shape::vector(0),
            (true, count) => Shape::array(count),
        }
    }

    /// Before the first sample 0: as many as there will be, or one where that is not known yet, as in LAMMPS.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mut averages = self.averages();
        if averages.is_empty() {
            let length = self.inputs.iter().find_map(|input| system.constant_length(&input.reference));
            let rows = length.filter(|_| self.columns).unwrap_or(1);
            averages = vec![vec![0.0; rows]; self.inputs.len()];
        }
        Ok(match (self.columns, averages.len()) {
            (false, 1) => Values::scalar(averages[0][0]),
            (false, _) => Values::vector(averages.concat()),
            (true, 1) => Values::vector(averages.remove(0)),
            (true, _) => {
                let row = |row: usize| averages.iter().map(|column| column[row]).collect();
                Values { array: (0..averages[0].len()).map(row).collect(), ..Values::default() }
            }
        })
    }

    fn extensive(&self) -> bool {
        self.extensive[0]
    }

    fn element_extensive(&self, element: usize) -> bool {
        let value = if self.columns { 0 } else { element - 1 };
        self.extensive.get(value).copied().unwrap_or(false)
    }
}
