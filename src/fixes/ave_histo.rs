//! `fix ID GROUP ave/histo Nevery Nrepeat Nfreq LO HI NBIN VALUE ...`: histograms of numbers, vectors or values per
//! atom; `ave/histo/weight` of one value, where each counts as much as a second one says. Source: LAMMPS manual, `fix
//! ave/histo`.

use super::average::{Averages, Mean, Options, Schedule, is_reference, need_tally};
use crate::base::error::{Error, Result};
use crate::base::format::shortest;
use crate::engine::analysis::per_atom::Moments;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, Header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{AtomValue, Form, Input, Measured};
use std::cell::RefCell;
use std::fmt::Write;

/// What becomes of values outside of the bins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// They are counted as missing.
    Ignore,
    /// They belong to the first or last bin.
    End,
    /// They have a bin at either side.
    Extra,
}

/// Where values come from.
enum Source {
    /// Of all atoms of the group.
    Atoms(AtomValue),
    /// A number or a vector.
    Reference(Input),
}

/// What has been counted.
#[derive(Default)]
struct Sample {
    /// Values in bins, and others.
    counts: [f64; 2],
    /// Least and greatest value.
    extremes: [f64; 2],
    /// Values in each bin.
    filled: Vec<f64>,
}

struct AveHisto {
    header: Header,
    schedule: Schedule,
    lo: f64,
    hi: f64,
    bins: usize,
    beyond: Beyond,
    sources: Vec<Source>,
    /// Whether the second source says how much the values of the first count.
    weighted: bool,
    options: Options,
    /// Of the current average.
    sample: RefCell<Sample>,
    /// Counted, missing, then the bins.
    mean: RefCell<Mean>,
    /// Least and greatest value of each average that is part of the mean.
    reach: RefCell<Vec<[f64; 2]>>,
}

/// Takes `Nevery Nrepeat Nfreq`, the range, the number of bins, values and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut schedule = Schedule::read(args)?;
    let lo = args.f64("the lower end of the bins")?;
    let word = args.peek();
    let hi = args.f64("the upper end of the bins")?;
    if let (Some(word), true) = (word, lo >= hi) {
        return Err(args.error(word, format_args!("the upper end {hi} is not above the lower one {lo}")));
    }
    // A sum on the host and one on the device, of these averages and of those before.
    let mut bins = args.count_of("the number of bins", 1, 64.0)?;
    let word_of =
        |text: &str| args.rest().windows(2).find(|pair| pair[0].text == text).map(|pair| &*pair[1].text);
    let columns = word_of("mode") == Some("vector");
    let kind = word_of("kind");
    let mut sources = Vec::new();
    let property = |text: &str| matches!(text, "x" | "y" | "z" | "vx" | "vy" | "vz" | "fx" | "fy" | "fz");
    while sources.is_empty()
        || args.peek().is_some_and(|word| is_reference(&word.text) || property(&word.text))
    {
        let word = args.word("a value such as vx, c_ID, c_ID[2], f_ID or v_NAME")?;
        let form = match kind {
            Some("local") => Form::Local,
            _ if columns => Form::Vector,
            _ => Form::Number,
        };
        let atoms =
            AtomValue::read(session, args, word).ok().filter(|_| kind.is_none_or(|kind| kind == "peratom"));
        // What has nothing but local values is meant by these.
        let inputs = Input::read(session, args, word, form).or_else(|error| {
            let local = Input::read(session, args, word, Form::Local).ok().filter(|_| kind.is_none());
            local.ok_or(error)
        });
        let local = |inputs: &[Input]| inputs.iter().any(|input| input.form == Form::Local);
        let many = match (&atoms, &inputs) {
            (Some(_), _) => Some("per atom"),
            (None, Ok(Some(inputs))) if local(inputs) => Some("of pairs, bonds or the like"),
            _ => None,
        };
        if let Some(many) = many.filter(|_| !columns) {
            let message = format!("'{}' has values {many}, and `mode scalar` takes numbers", word.text);
            return Err(args.error(word, message).help("write `mode vector` behind the values"));
        }
        match (atoms, inputs) {
            (Some(atoms), _) => sources.extend(atoms.into_iter().map(Source::Atoms)),
            (None, Ok(Some(inputs))) => sources.extend(inputs.into_iter().map(Source::Reference)),
            (None, Err(error)) => return Err(error),
            (None, Ok(None)) => {
                let message = format!("'{}' is no value of a compute, fix or variable", word.text);
                return Err(args.error(word, message));
            }
        }
    }
    let weighted = header.style == "ave/histo/weight";
    if let (true, Some(word)) = (weighted && sources.len() != 2, args.taken().last()) {
        let message = format!("a value and its weight are wanted, these are {}", sources.len());
        return Err(args.error(word, message));
    }
    let (mut beyond, mut options) = (Beyond::Ignore, Options::new());
    while let Some(keyword) = args.peek() {
        let keyword = args.word(&keyword.text)?;
        match &*keyword.text {
            "mode" => args.one_of("mode", &[("scalar", ()), ("vector", ())])?,
            "kind" => args.one_of("kind of values", &[("global", ()), ("peratom", ()), ("local", ())])?,
            "beyond" => {
                let names = [("ignore", Beyond::Ignore), ("end", Beyond::End), ("extra", Beyond::Extra)];
                beyond = args.one_of("treatment of other values", &names)?;
            }
            _ if options.keyword(keyword, args)? => {}
            _ => return Err(args.unknown(keyword, "keyword of fix ave/histo", KEYWORDS.into_iter())),
        }
    }
    args.finish()?;
    schedule.start = options.start;
    if beyond == Beyond::Extra {
        bins += 2;
    }
    options.table.open(&[
        format!("# Histogrammed data for fix {}", header.id),
        "# TimeStep Number-of-bins Total-counts Missing-counts Min-value Max-value".to_owned(),
        "# Bin Coord Count Count/Total".to_owned(),
    ])?;
    Ok(Box::new(AveHisto {
        header,
        schedule,
        lo,
        hi,
        bins,
        beyond,
        sources,
        weighted,
        options,
        sample: RefCell::default(),
        mean: RefCell::default(),
        reach: RefCell::default(),
    }))
}

const KEYWORDS: [&str; 12] = [
    "mode",
    "kind",
    "beyond",
    "ave",
    "start",
    "file",
    "append",
    "overwrite",
    "format",
    "title1",
    "title2",
    "title3",
];

/// The extremes of no values, as LAMMPS shows them.
const NOTHING: [f64; 2] = [1e20, -1e20];

impl AveHisto {
    /// The middle of a bin; the outer ones of `beyond extra` stand at the ends.
    fn coordinate(&self, bin: usize) -> f64 {
        let place =
            |inner: usize, bins: usize| self.lo + (inner as f64 + 0.5) * (self.hi - self.lo) / bins as f64;
        match self.beyond {
            Beyond::Extra if bin == 0 => self.lo,
            Beyond::Extra if bin + 1 == self.bins => self.hi,
            Beyond::Extra => place(bin - 1, self.bins - 2),
            _ => place(bin, self.bins),
        }
    }

    /// The bin of a value, if it has one.
    fn bin(&self, x: f64) -> Option<usize> {
        let inner = if self.beyond == Beyond::Extra { self.bins - 2 } else { self.bins };
        let within = |x: f64| ((x - self.lo) * (inner as f64 / (self.hi - self.lo))) as usize;
        match self.beyond {
            _ if x < self.lo => (self.beyond != Beyond::Ignore).then_some(0),
            _ if x > self.hi => (self.beyond != Beyond::Ignore).then_some(self.bins - 1),
            // As in LAMMPS, the upper limit itself is beyond.
            Beyond::Extra => Some((within(x) + 1).min(self.bins - 1)),
            _ => Some(within(x).min(self.bins - 1)),
        }
    }

    /// The number of the bin of a value of each atom, from 1; 0 for none: as [`AveHisto::bin`].
    fn bins_of(&self, x: AtomExpr) -> AtomExpr {
        let (below, above) = match self.beyond {
            Beyond::Ignore => (0.0, 0.0),
            _ => (1.0, self.bins as f64),
        };
        let (inner, first) = match self.beyond {
            Beyond::Extra => (self.bins - 2, 2.0),
            _ => (self.bins, 1.0),
        };
        x.then(0, |x| {
            let (lo, hi) = (AtomExpr::number(self.lo), AtomExpr::number(self.hi));
            let within = ((x.clone() - self.lo) * (inner as f64 / (self.hi - self.lo))).truncate();
            let within = (within + first).least(AtomExpr::number(self.bins as f64));
            let upper = hi.less(x.clone()).choose(AtomExpr::number(above), within);
            x.less(lo).choose(AtomExpr::number(below), upper)
        })
    }

    /// Adds the values per atom of a source, by the device; `None` where the host has to.
    fn add_on_device(
        &self,
        value: &AtomValue,
        system: &Snapshot<'_>,
        sample: &mut Sample,
    ) -> Result<Option<()>> {
        let recipe = if system.works_out() { value.recipe(system) } else { None };
        let Some(recipe) = recipe else { return Ok(None) };
        let group = self.header.group;
        let Some(worked) = system.work_out(&[self.bins_of(recipe.clone()), recipe])? else { return Ok(None) };
        let Some(summaries) = worked.moments(group)? else { return Ok(None) };
        let Some(rows) = worked.by_bin(group, self.bins, &summaries[..1])? else { return Ok(None) };
        let Moments { count, extremes: [least, greatest], .. } = summaries[1];
        sample.filled.iter_mut().zip(&rows).for_each(|(bin, row)| *bin += row[0]);
        let inside: f64 = rows.iter().map(|row| row[0]).sum();
        sample.counts[0] += inside;
        sample.counts[1] += count - inside;
        sample.extremes = [sample.extremes[0].min(least), sample.extremes[1].max(greatest)];
        Ok(Some(()))
    }

    /// Adds values, given how much each counts.
    fn add(&self, values: impl IntoIterator<Item = (f64, f64)>, sample: &mut Sample) {
        for (x, weight) in values {
            let [least, greatest] = sample.extremes;
            sample.extremes = [least.min(x), greatest.max(x)];
            match self.bin(x) {
                Some(bin) => {
                    sample.filled[bin] += weight;
                    sample.counts[0] += weight;
                }
                None => sample.counts[1] += weight,
            }
        }
    }

    /// Adds the values of all sources.
    fn measure(&self, system: &Snapshot<'_>, sample: &mut Sample) -> Result<()> {
        if let (true, [values, weights]) = (self.weighted, &self.sources[..]) {
            let (values, weights) = (self.measured(system, values)?, self.measured(system, weights)?);
            if values.len() != weights.len() {
                let message = format!("there are {} values and {} weights", values.len(), weights.len());
                return Err(Error::new(message));
            }
            self.add(values.into_iter().zip(weights), sample);
            return Ok(());
        }
        for source in &self.sources {
            let done = match source {
                Source::Atoms(value) => self.add_on_device(value, system, sample)?,
                Source::Reference(_) => None,
            };
            if done.is_none() {
                self.add(self.measured(system, source)?.into_iter().map(|x| (x, 1.0)), sample);
            }
        }
        Ok(())
    }

    fn measured(&self, system: &Snapshot<'_>, source: &Source) -> Result<Vec<f64>> {
        Ok(match source {
            Source::Atoms(value) => {
                let (column, members) =
                    (value.get(system, self.header.group)?, system.indices(self.header.group, None)?);
                members.into_iter().map(|i| column[i]).collect()
            }
            Source::Reference(input) => match input.get(system)? {
                Measured::Number(x) => vec![x],
                Measured::Vector(x) | Measured::PerAtom(x) => x,
            },
        })
    }

    /// Counted, missing, least, greatest; and the bins.
    fn shown(&self) -> ([f64; 4], Vec<f64>) {
        let mean = self.mean.borrow();
        let least = |a: [f64; 2], b: &[f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        let [least, greatest] = match mean.total() {
            [] => [0.0; 2],
            _ => self.reach.borrow().iter().fold(NOTHING, least),
        };
        match mean.total() {
            [] => ([0.0; 4], vec![0.0; self.bins]),
            [counted, missing, bins @ ..] => ([*counted, *missing, least, greatest], bins.to_vec()),
            [_] => unreachable!("there are always two counts"),
        }
    }

    fn rows(&self) -> Vec<[f64; 3]> {
        let ([counted, ..], bins) = self.shown();
        let share = |count: f64| if counted != 0.0 { count / counted } else { 0.0 };
        bins.iter().enumerate().map(|(bin, &count)| [self.coordinate(bin), count, share(count)]).collect()
    }
}

impl Averages for AveHisto {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, session: &Session) -> bool {
        let inputs = self.sources.iter().filter_map(|source| match source {
            Source::Atoms(value) => value.input(),
            Source::Reference(input) => Some(input),
        });
        need_tally(session, inputs)
    }

    fn sample(&self, context: &mut FixContext<'_>) -> Result<()> {
        let mut sample = self.sample.borrow_mut();
        if self.schedule.fresh() {
            *sample = Sample { counts: [0.0; 2], extremes: NOTHING, filled: vec![0.0; self.bins] };
        }
        self.measure(&context.system(), &mut sample)?;
        if self.schedule.taken() {
            let flat = sample.counts.iter().chain(&sample.filled).copied().collect();
            let mut mean = self.mean.borrow_mut();
            mean.add(flat, self.options.combine);
            let mut reach = self.reach.borrow_mut();
            reach.push(sample.extremes);
            let old = reach.len().saturating_sub(mean.count() as usize);
            reach.drain(..old);
            drop((mean, reach));
            let (stats, _) = self.shown();
            let stats: String = stats.iter().map(|&x| format!(" {}", shortest(x))).collect();
            let mut text = format!("{} {}{stats}\n", context.session.clock.step, self.bins);
            for (bin, row) in self.rows().iter().enumerate() {
                let row: String = row.iter().map(|&x| self.options.table.number(x)).collect();
                let _ = writeln!(text, "{}{row}", bin + 1);
            }
            self.options.table.write(&text)?;
        }
        Ok(())
    }

    fn shape(&self) -> Shape {
        Shape { array: Some(3), ..Shape::vector(4) }
    }

    /// Counted and missing values, the least and the greatest; per bin its middle, its count and share.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let vector = self.shown().0.to_vec();
        Ok(Values {
            vector,
            array: self.rows().iter().map(|row| row.to_vec()).collect(),
            ..Values::default()
        })
    }
}
