//! At which steps something is written: every so many, or those that a variable names. Source: LAMMPS manual, `thermo`,
//! `dump_modify every` and `restart`.

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::script::variables::Variables;

/// Steps at which something is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// Those that are multiples; 0: none.
    Every(u64),
    /// Those that an equal-style variable names, one after the other.
    Variable {
        /// Its name.
        name: String,
        /// The step that it named last.
        next: Option<i64>,
    },
    /// The first ones at or behind the multiples of a time.
    Time {
        /// From one to the next.
        every: f64,
        /// The next step.
        next: Option<i64>,
    },
}

/// A step, the time at it, and the time step from there on.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The step.
    pub step: i64,
    /// The time.
    pub time: f64,
    /// The time step.
    pub dt: f64,
}

/// A part of a time step: times that are closer are equal.
const SAME_TIME: f64 = 1e-6;

impl Schedule {
    /// Takes a number of steps, which may be 0 where `never`, or `v_NAME`.
    ///
    /// # Errors
    /// At the word, when it is neither, or there is a variable of this name and another style.
    pub fn read(variables: &Variables, args: &mut Args<'_>, what: &str, never: bool) -> Result<Self> {
        let word = args.peek();
        if let Some((word, name)) = word.and_then(|word| Some((word, word.text.strip_prefix("v_")?))) {
            args.word(what)?;
            // It may be defined later, as in LAMMPS.
            return match variables.contains(name) && !variables.is_equal(name) {
                false => Ok(Schedule::Variable { name: name.to_owned(), next: None }),
                true => Err(args.error(word, format_args!("'{name}' is not an equal-style variable"))),
            };
        }
        match (args.int::<u32>(&format!("{what}, {} or more, or v_NAME", u8::from(!never)))?, word) {
            (0, Some(word)) if !never => Err(args.error(word, format_args!("{what} must be 1 or more"))),
            (every, _) => Ok(Schedule::Every(every.into())),
        }
    }

    /// Whether a step is one of them.
    pub fn due(&self, step: i64) -> bool {
        match self {
            Schedule::Every(0) => false,
            Schedule::Every(every) => step.rem_euclid(*every as i64) == 0,
            Schedule::Variable { next, .. } | Schedule::Time { next, .. } => *next == Some(step),
        }
    }

    /// The first of them after a step; `i64::MAX` where there is none.
    pub fn next(&self, step: i64) -> i64 {
        match self {
            Schedule::Every(0) => i64::MAX,
            Schedule::Every(every) => step.saturating_add(*every as i64 - step.rem_euclid(*every as i64)),
            Schedule::Variable { next, .. } | Schedule::Time { next, .. } => {
                next.filter(|&next| next > step).unwrap_or(i64::MAX)
            }
        }
    }

    /// Before a run: a variable is asked anew, as in LAMMPS, whatever step it has named before. A time may have come at the first step.
    pub fn begin_run(&mut self, now: Moment) {
        match self {
            Schedule::Every(_) => {}
            Schedule::Variable { next, .. } => *next = None,
            Schedule::Time { every, next } => {
                let off = now.time - (now.time / *every).round() * *every;
                *next = (off.abs() <= SAME_TIME * now.dt.abs()).then_some(now.step);
            }
        }
    }

    /// Looks for the step of the next multiple of a time, where the last one has come, or the time step has `changed`.
    pub fn follow_time(&mut self, now: Moment, changed: bool) {
        let Schedule::Time { every, next } = self else { return };
        // What is due at this step is, whatever the time step from here on.
        let stays = |next: i64| if changed { next == now.step } else { next > now.step };
        if next.is_some_and(stays) {
            return;
        }
        let same = SAME_TIME * now.dt.abs();
        let target = (((now.time + same) / *every).floor() + 1.0) * *every;
        let steps = ((target - now.time - same) / now.dt).ceil();
        // A time step of 0 never comes there.
        *next = (steps < 1e18).then(|| now.step.saturating_add((steps as i64).max(1)));
    }

    /// Asks the variable, whose value at this step is `number`, for the next step, where the one it named has come or none is named yet.
    ///
    /// # Errors
    /// When it has no value, or names a step that is not ahead.
    pub fn go_on(&mut self, step: i64, number: impl FnOnce(&Reference) -> Result<f64>) -> Result<()> {
        let Schedule::Variable { name, next } = self else { return Ok(()) };
        if next.is_none_or(|next| next <= step) {
            let reference = Reference { kind: Kind::Variable, id: name.clone(), index: Vec::new() };
            let value = number(&reference)?;
            if value.trunc() <= step as f64 {
                return Err(Error::new(format!("variable {name} names step {value} at step {step}"))
                    .help("its value must be a step ahead, as that of stride(100, 1000, 100) is"));
            }
            *next = Some(value as i64);
        }
        Ok(())
    }
}
