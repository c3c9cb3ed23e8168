//! Where and when a run writes restart files (`restart`), and what fixes have left in one that was read.

use crate::base::error::Result;
use crate::script::formula::Reference;
use crate::session::schedule::{Moment, Schedule};
use std::collections::BTreeMap;

/// The states of fixes or of computes by ID: style and numbers. What the numbers mean is the style's.
pub type FixStates = BTreeMap<String, (String, Vec<f64>)>;

/// Where the restart files of a run go.
#[derive(Clone, Debug)]
pub(crate) enum Names {
    /// One per step, which takes the place of `*`.
    Series(String),
    /// Two in turn; true: the second is next.
    Turns([String; 2], bool),
}

/// Restart files that runs write (`restart`).
#[derive(Clone, Debug)]
pub struct Restart {
    pub(crate) schedule: Schedule,
    pub(crate) names: Names,
}

impl Restart {
    /// At which steps.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Lets go of what a variable has named: it is asked anew.
    pub fn begin_run(&mut self, now: Moment) {
        self.schedule.begin_run(now);
    }

    /// Asks for the next step, where a variable names them.
    ///
    /// # Errors
    /// As [`Schedule::go_on`].
    pub fn go_on(&mut self, step: i64, number: impl FnOnce(&Reference) -> Result<f64>) -> Result<()> {
        self.schedule.go_on(step, number)
    }

    /// The file of a step.
    pub(crate) fn name(&mut self, step: i64) -> String {
        match &mut self.names {
            Names::Series(name) => name.replace('*', &step.to_string()),
            Names::Turns(names, second) => {
                *second = !*second;
                names[usize::from(!*second)].clone()
            }
        }
    }
}
