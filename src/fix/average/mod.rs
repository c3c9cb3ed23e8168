//! What the fixes that average have in common: when samples are taken ([`Schedule`]), how averages are combined
//! ([`Mean`]), and the file that they are written to ([`Table`]). Source: LAMMPS manual, `fix ave/time`.

mod schedule;
mod table;

pub(super) use schedule::Schedule;
pub(super) use table::Table;

use crate::error::Result;
use crate::script::formula::Reference;
use crate::script::{Args, Word};
use crate::state::State;
use crate::system::Input;
use std::cell::Cell;
use std::collections::VecDeque;

/// How the averages that follow one another are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combine {
    /// Each stands for itself.
    One,
    /// The mean of all.
    Running,
    /// The mean of the last so many.
    Window(usize),
}

/// A mean over averages.
#[derive(Debug, Default)]
pub(super) struct Mean {
    total: Vec<f64>,
    recent: VecDeque<Vec<f64>>,
    count: f64,
}

impl Mean {
    /// Another average; one that is longer than those before makes these end with zeros.
    pub(super) fn add(&mut self, values: Vec<f64>, combine: Combine) {
        if combine == Combine::One {
            (self.total, self.count) = (values, 1.0);
            return;
        }
        self.total.resize(self.total.len().max(values.len()), 0.0);
        self.total.iter_mut().zip(&values).for_each(|(total, value)| *total += value);
        self.count += 1.0;
        if let Combine::Window(most) = combine {
            if self.recent.len() == most {
                let oldest = self.recent.pop_front().unwrap_or_default();
                self.total.iter_mut().zip(&oldest).for_each(|(total, value)| *total -= value);
                self.count -= 1.0;
            }
            self.recent.push_back(values);
        }
    }

    /// How many averages it is made of.
    pub(super) fn count(&self) -> f64 {
        self.count
    }

    /// Their sums; empty before the first.
    pub(super) fn total(&self) -> &[f64] {
        &self.total
    }

    /// Their means; empty before the first.
    pub(super) fn values(&self) -> Vec<f64> {
        self.total.iter().map(|total| total / self.count).collect()
    }
}

/// Keywords that all of them have.
pub(super) struct Options {
    /// `ave`.
    pub(super) combine: Combine,
    /// `start`: no averages before this step.
    pub(super) start: i64,
    /// `file`, `format`, `title1` and so on.
    pub(super) table: Table,
}

impl Options {
    pub(super) fn new() -> Self {
        Options { combine: Combine::One, start: 0, table: Table::new() }
    }

    /// Takes the words after `keyword`; `false` where it is none of these.
    ///
    /// # Errors
    /// At a word that does not fit.
    pub(super) fn keyword(&mut self, keyword: &Word, args: &mut Args<'_>) -> Result<bool> {
        match &*keyword.text {
            "ave" => {
                let windowed = Combine::Window(0);
                let kinds = [("one", Combine::One), ("running", Combine::Running), ("window", windowed)];
                self.combine = args.one_of("kind of average", &kinds)?;
                if self.combine == windowed {
                    self.combine = Combine::Window(args.count("the number of averages", 1)? as usize);
                }
            }
            "start" => self.start = args.count("the first step", 0)? as i64,
            _ => return self.table.keyword(keyword, args),
        }
        Ok(true)
    }
}

/// Whether one of the references needs energies, found out when a run begins.
pub(super) fn note_tally<'a>(tally: &Cell<bool>, state: &State, mut inputs: impl Iterator<Item = &'a Input>) {
    tally.set(inputs.any(|input| state.needs_tally(&input.reference)));
}

/// Whether a word is a reference to a compute, a fix or a variable rather than a keyword.
pub(super) fn is_reference(word: &str) -> bool {
    Reference::parse(word).is_some() || Reference::parse_wild(word).is_some()
}
