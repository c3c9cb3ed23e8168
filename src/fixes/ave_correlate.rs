//! `fix ID GROUP ave/correlate`: time correlations of numbers. Source: LAMMPS manual, `fix ave/correlate`.

use super::average::{Combine, Options, inputs, need_tally};
use crate::base::error::Result;
use crate::base::memory;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt::Write;

/// Which pairs of values i, j (the earlier one first) are correlated.
type Pairs = fn(usize, usize) -> bool;

const TYPES: [(&str, Pairs); 6] = [
    ("auto", |i, j| i == j),
    ("upper", |i, j| i < j),
    ("lower", |i, j| i > j),
    ("auto/upper", |i, j| i <= j),
    ("auto/lower", |i, j| i >= j),
    ("full", |_, _| true),
];

/// The correlations as sums over pairs of samples.
#[derive(Clone, Default)]
struct Sums {
    /// Pairs of samples, by the samples between them.
    counts: Vec<u64>,
    /// Their products, for each pair of values.
    products: Vec<Vec<f64>>,
}

struct AveCorrelate {
    header: Header,
    every: i64,
    /// Rows: times between samples.
    repeat: usize,
    freq: i64,
    start: i64,
    inputs: Vec<Input>,
    pairs: Vec<(usize, usize)>,
    prefactor: f64,
    options: Options,
    next: Cell<i64>,
    /// The last samples, the newest first.
    samples: RefCell<VecDeque<Vec<f64>>>,
    sums: RefCell<Sums>,
    /// As they were when they were shown last.
    shown: RefCell<Sums>,
    tally: Cell<bool>,
}

/// Takes `Nevery Nrepeat Nfreq`, values and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between samples (Nevery)", 1)? as i64;
    let times = args.peek();
    let repeat = args.count("the number of times (Nrepeat)", 1)? as i64;
    let word = args.peek();
    let freq = args.count("steps between outputs (Nfreq)", 1)? as i64;
    if let Some(word) = word {
        if freq % every != 0 {
            let message = format!("Nfreq {freq} is not a multiple of Nevery {every}");
            return Err(args.error(word, message).help("outputs come at steps of samples"));
        }
        if (repeat - 1).checked_mul(every).is_none_or(|length| length > freq) {
            let message =
                format!("{repeat} samples, {every} steps apart, do not fit into Nfreq {freq} steps");
            return Err(args.error(word, message).help("Nrepeat - 1 times Nevery must not be above Nfreq"));
        }
    }
    let inputs = inputs(session, args, Form::Number)?;
    let (mut kind, mut prefactor, mut options) = (TYPES[0].1, 1.0, Options::new());
    while let Some(keyword) = args.peek() {
        let keyword = args.word(&keyword.text)?;
        match &*keyword.text {
            "type" => kind = args.one_of("kind of pairs", &TYPES)?,
            "prefactor" => prefactor = args.f64("the prefactor")?,
            _ if options.keyword(keyword, args)? => {
                if matches!(options.combine, Combine::Window(_)) {
                    return Err(args
                        .error(keyword, "correlations have no ave window")
                        .help("take one or running"));
                }
            }
            _ => return Err(args.unknown(keyword, "keyword of fix ave/correlate", KEYWORDS.into_iter())),
        }
    }
    args.finish()?;
    let all = (0..inputs.len()).flat_map(|i| (0..inputs.len()).map(move |j| (i, j)));
    let pairs: Vec<(usize, usize)> = all.filter(|&(i, j)| kind(i, j)).collect();
    // A count and a row of sums, and the samples that they are made of.
    let bytes = repeat as f64 * (32 + 8 * (pairs.len() + inputs.len())) as f64;
    if let (Some(word), Err(error)) = (times, memory::check(bytes)) {
        return Err(args.place(word, error));
    }
    let name = |i: usize| &inputs[i].reference;
    let names: String = pairs.iter().map(|&(i, j)| format!(" {}*{}", name(i), name(j))).collect();
    options.table.open(&[
        format!("# Time-correlated data for fix {}", header.id),
        "# Timestep Number-of-time-windows".to_owned(),
        format!("# Index TimeDelta Ncount{names}"),
    ])?;
    let repeat = repeat as usize;
    let sums = Sums { counts: vec![0; repeat], products: vec![vec![0.0; pairs.len()]; repeat] };
    Ok(Box::new(AveCorrelate {
        header,
        every,
        repeat,
        freq,
        start: options.start,
        inputs,
        pairs,
        prefactor,
        options,
        next: Cell::new(-1),
        samples: RefCell::default(),
        shown: RefCell::new(sums.clone()),
        sums: RefCell::new(sums),
        tally: Cell::default(),
    }))
}

const KEYWORDS: [&str; 11] = [
    "type",
    "ave",
    "start",
    "prefactor",
    "file",
    "append",
    "overwrite",
    "format",
    "title1",
    "title2",
    "title3",
];

impl AveCorrelate {
    /// Adds the products of the newest sample with those before it.
    fn accumulate(&self, samples: &VecDeque<Vec<f64>>, sums: &mut Sums) {
        let newest = &samples[0];
        for (between, earlier) in samples.iter().enumerate() {
            sums.counts[between] += 1;
            let row = &mut sums.products[between];
            row.iter_mut().zip(&self.pairs).for_each(|(sum, &(i, j))| *sum += earlier[i] * newest[j]);
        }
    }

    /// The correlations of a row, as shown last.
    fn row(&self, shown: &Sums, row: usize) -> Vec<f64> {
        let count = shown.counts[row] as f64;
        let mean = |sum: &f64| if count > 0.0 { self.prefactor * sum / count } else { 0.0 };
        shown.products[row].iter().map(mean).collect()
    }

    fn text(&self, step: i64) -> String {
        let shown = self.shown.borrow();
        let mut text = format!("{step} {}\n", self.repeat);
        for row in 0..self.repeat {
            let _ = write!(text, "{} {} {}", row + 1, row as i64 * self.every, shown.counts[row]);
            for x in self.row(&shown, row) {
                let known = shown.counts[row] > 0;
                text += &if known { self.options.table.number(x) } else { " 0.0".to_owned() };
            }
            text.push('\n');
        }
        text
    }
}

impl Fix for AveCorrelate {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn counts_steps(&self) -> bool {
        true
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl HostFix for AveCorrelate {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.tally.set(need_tally(context.session, self.inputs.iter()));
        let (step, next) = (context.session.clock.step, self.next.get());
        // It goes on behind a minimization that has passed over its next sample, as in LAMMPS.
        if next < step {
            self.samples.borrow_mut().clear();
            let first = step.max(self.start);
            self.next.set((first + self.every - 1) / self.every * self.every);
        }
        Ok(())
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.end_of_step(context)
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(self.next.get()).filter(|&next| next > step)
    }

    fn needs_tally(&self) -> bool {
        self.tally.get()
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let step = context.session.clock.step;
        if self.next.get() != step {
            return Ok(());
        }
        let system = context.system();
        let sample = self.inputs.iter().map(|input| input.number(&system)).collect::<Result<_>>()?;
        let (mut samples, mut sums) = (self.samples.borrow_mut(), self.sums.borrow_mut());
        samples.push_front(sample);
        samples.truncate(self.repeat);
        self.accumulate(&samples, &mut sums);
        self.next.set(step + self.every);
        if step % self.freq != 0 {
            return Ok(());
        }
        self.shown.borrow_mut().clone_from(&sums);
        self.options.table.write(&self.text(step))?;
        if self.options.combine == Combine::One {
            // The next correlation begins with this sample.
            samples.truncate(1);
            sums.counts.fill(0);
            sums.products.iter_mut().for_each(|row| row.fill(0.0));
            self.accumulate(&samples, &mut sums);
        }
        Ok(())
    }
}

impl FixOutput for AveCorrelate {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::array(2 + self.pairs.len()))
    }

    fn made_every(&self) -> u64 {
        self.freq.unsigned_abs()
    }

    /// Per time: the steps between samples, pairs of samples, the correlations.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let shown = self.shown.borrow();
        let row = |row: usize| {
            let head = [(row as i64 * self.every) as f64, shown.counts[row] as f64];
            head.into_iter().chain(self.row(&shown, row)).collect()
        };
        Ok(Values { array: (0..self.repeat).map(row).collect(), ..Values::default() })
    }
}
