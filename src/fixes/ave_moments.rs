//! `fix ID GROUP ave/moments Nevery Nrepeat Nfreq VALUES ... MOMENTS ... [start N] [history N]`: moments of the distribution of numbers
//! over samples. Source: LAMMPS manual, `fix ave/moments`.
//!
//! Of n samples with the mean m and s_k = sum (x - m)^k / n these are the estimates for the distribution that they come from: the
//! variance n s_2 / (n - 1); the skewness sqrt(n (n - 1)) / (n - 2) s_3 / s_2^(3/2); the excess kurtosis
//! (n - 1) / ((n - 2) (n - 3)) ((n + 1) (s_4 / s_2^2 - 3) + 6). D. N. Joanes, C. A. Gill, The Statistician 47 (1998) 183. Equal
//! samples have the skewness and kurtosis 0. LAMMPS 22 Jul 2025 shows zeros where there are less than three samples.

use super::average::{Averages, Schedule, inputs, need_tally};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, Header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};
use std::cell::RefCell;
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Mean,
    Deviation,
    Variance,
    Skewness,
    Kurtosis,
}

const MOMENTS: [(&str, Moment); 5] = [
    ("mean", Moment::Mean),
    ("stddev", Moment::Deviation),
    ("variance", Moment::Variance),
    ("skew", Moment::Skewness),
    ("kurtosis", Moment::Kurtosis),
];

impl Moment {
    /// How many samples it needs.
    fn samples(self) -> i64 {
        match self {
            Moment::Mean => 1,
            Moment::Deviation | Moment::Variance => 2,
            Moment::Skewness => 3,
            Moment::Kurtosis => 4,
        }
    }
}

/// As many results as make sense in a script.
const MOST_KEPT: u64 = 1_000_000;

struct AveMoments {
    header: Header,
    schedule: Schedule,
    inputs: Vec<Input>,
    moments: Vec<Moment>,
    /// How many results are kept.
    most: usize,
    /// The samples so far, value by value.
    samples: RefCell<Vec<Vec<f64>>>,
    /// The last results, the newest first.
    results: RefCell<VecDeque<Vec<f64>>>,
}

/// Takes `Nevery Nrepeat Nfreq`, values, moments and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut schedule = Schedule::read(args)?;
    let inputs = inputs(session, args, Form::Number)?;
    let mut moments = Vec::new();
    while let Some(word) = args.peek() {
        if !moments.is_empty() && MOMENTS.iter().all(|(name, _)| *name != word.text) {
            break;
        }
        let moment = args.one_of("moment", &MOMENTS)?;
        if schedule.repeat < moment.samples() {
            let message = format!(
                "{} needs {} samples, and Nrepeat is {}",
                word.text,
                moment.samples(),
                schedule.repeat
            );
            return Err(args.error(word, message).help("take a larger Nrepeat"));
        }
        moments.push(moment);
    }
    if moments.is_empty() {
        args.one_of("moment", &MOMENTS)?;
    }
    let mut most = 1;
    while !args.is_empty() {
        match args.one_of("keyword of fix ave/moments", &[("start", true), ("history", false)])? {
            true => schedule.start = args.count("the first step", 0)? as i64,
            false => {
                let word = args.peek();
                let count = args.count("the number of results to keep", 1)?;
                if let Some(word) = word.filter(|_| count > MOST_KEPT) {
                    return Err(args.error(word, format_args!("at most {MOST_KEPT} results can be kept")));
                }
                most = count as usize;
            }
        }
    }
    let (samples, results) = Default::default();
    Ok(Box::new(AveMoments { header, schedule, inputs, moments, most, samples, results }))
}

/// The moments of some samples.
fn moments_of(samples: &[f64], which: &[Moment]) -> Vec<f64> {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let central = |power| samples.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
    let second = central(2);
    let variance = || n / (n - 1.0) * second;
    let moment = |moment: &Moment| match moment {
        Moment::Mean => mean,
        Moment::Deviation => variance().sqrt(),
        Moment::Variance => variance(),
        Moment::Skewness if second > 0.0 => {
            (n * (n - 1.0)).sqrt() / (n - 2.0) * central(3) / second.powf(1.5)
        }
        Moment::Kurtosis if second > 0.0 => {
            let excess = central(4) / (second * second) - 3.0;
            (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * excess + 6.0)
        }
        Moment::Skewness | Moment::Kurtosis => 0.0,
    };
    which.iter().map(moment).collect()
}

impl Averages for AveMoments {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, session: &Session) -> bool {
        need_tally(session, self.inputs.iter())
    }

    /// As in LAMMPS, where the last moments may be asked for at any step.
    fn made_every(&self) -> u64 {
        1
    }

    fn sample(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let mut samples = self.samples.borrow_mut();
        if self.schedule.fresh() {
            *samples = vec![Vec::new(); self.inputs.len()];
        }
        for (samples, input) in samples.iter_mut().zip(&self.inputs) {
            samples.push(input.number(&system)?);
        }
        if self.schedule.taken() {
            let mut results = self.results.borrow_mut();
            results.truncate(self.most - 1);
            results
                .push_front(samples.iter().flat_map(|samples| moments_of(samples, &self.moments)).collect());
        }
        Ok(())
    }

    fn shape(&self) -> Shape {
        let rows = self.inputs.len() * self.moments.len();
        Shape { array: (self.most > 1).then_some(self.most), ..Shape::vector(rows) }
    }

    /// The newest results as a vector, moment by moment of each value; with `history` an array with a column for each result, too.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let (results, rows) = (self.results.borrow(), self.inputs.len() * self.moments.len());
        let value = |row: usize, age: usize| results.get(age).map_or(0.0, |result| result[row]);
        let row = |row: usize| (0..self.most).map(|age| value(row, age)).collect();
        let array = if self.most > 1 { (0..rows).map(row).collect() } else { Vec::new() };
        Ok(Values { array, ..Values::vector((0..rows).map(|row| value(row, 0)).collect()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of LAMMPS 22 Jul 2025.
    #[test]
    fn moments_are_estimates_of_the_distribution() {
        let samples = [0.993_715_284_576, 0.985_773_314_61, 0.974_317_195_925, 0.958_998_343_087];
        let expected =
            [0.978_201_034_55, 0.015_076_017_832_5, 0.000_227_286_313_687, -0.578_051_724, -0.761_376_638];
        for (found, expected) in moments_of(&samples, &MOMENTS.map(|(_, moment)| moment)).iter().zip(expected)
        {
            assert!((found / expected - 1.0).abs() < 1e-8, "{found} {expected}");
        }
        assert_eq!(moments_of(&[2.0; 4], &MOMENTS.map(|(_, moment)| moment)), [2.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
