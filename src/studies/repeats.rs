//! The same run several times: the first one warms up, for it may have to compile, and of the others the one of median time counts.

use crate::base::error::Result;
use crate::base::signals;
use serde_json::Value;

/// A first run that takes so many seconds counts, unless repeats are asked for: what it may have compiled matters little.
const LONG: f64 = 10.0;

/// Repeats where the command line says nothing.
const USUAL: u32 = 3;

/// How often studies run a case.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RepeatArgs {
    /// Runs of each case after one that warms up, of which the one of median time counts; default: 3, or none but the first where its
    /// loop takes 10 s
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
}

/// A run that counts, and the seconds of all that were compared.
#[derive(Debug, PartialEq)]
pub struct Median<T> {
    /// What was run.
    pub run: T,
    /// Seconds of those that were compared, in their order.
    pub seconds: Vec<f64>,
}

impl RepeatArgs {
    /// Repeats a run that says how many seconds it took.
    ///
    /// # Errors
    /// The first error; what was run before is lost then. Ctrl-C ends the repeats: what is done counts.
    pub fn median<T>(self, mut run: impl FnMut() -> Result<(f64, T)>) -> Result<Median<T>> {
        let first = run()?;
        let alone = self.repeats.is_none() && first.0 >= LONG || signals::interrupted();
        let mut done = vec![];
        for _ in 0..if alone { 0 } else { self.repeats.unwrap_or(USUAL) } {
            let next = run();
            if signals::interrupted() {
                break;
            }
            done.push(next?);
        }
        if done.is_empty() {
            done.push(first);
        }
        let seconds = done.iter().map(|(seconds, _)| *seconds).collect();
        done.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (_, run) = done.swap_remove((done.len() - 1) / 2);
        Ok(Median { run, seconds })
    }
}

/// The seconds of a record's loops.
pub fn loop_seconds(record: &Value) -> f64 {
    let runs = record["runs"].as_array().into_iter().flatten();
    runs.filter_map(|run| run["loop_seconds"].as_f64()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::Error;

    /// Runs of these seconds, by their number; those behind the last one fail.
    fn median(repeats: Option<u32>, seconds: &[f64]) -> Result<Median<usize>> {
        let mut number = 0;
        RepeatArgs { repeats }.median(|| {
            number += 1;
            let seconds = seconds.get(number - 1).ok_or_else(|| Error::new("one run more"))?;
            Ok((*seconds, number))
        })
    }

    #[test]
    fn the_first_run_warms_up_and_the_median_of_the_others_counts() {
        let is = |run, seconds: &[f64]| Ok(Median { run, seconds: seconds.to_vec() });
        let words = |median: Result<Median<usize>>| median.map_err(|error| error.to_string());
        assert_eq!(words(median(None, &[9.0, 3.0, 1.0, 2.0])), is(4, &[3.0, 1.0, 2.0]));
        assert_eq!(words(median(Some(1), &[1.0, 2.0])), is(2, &[2.0]));
        assert_eq!(words(median(Some(4), &[0.0, 4.0, 1.0, 3.0, 2.0])), is(5, &[4.0, 1.0, 3.0, 2.0]));
        assert_eq!(words(median(None, &[10.0])), is(1, &[10.0]), "long enough to count");
        assert_eq!(words(median(Some(1), &[10.0, 11.0])), is(2, &[11.0]), "but for who asks");
        assert_eq!(words(median(None, &[1.0, 2.0])), Err("one run more".to_owned()));
    }
}
