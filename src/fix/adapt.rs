//! `fix ID GROUP adapt N pair STYLE PARAMETER I J v_NAME ...`: parameters of pair styles follow variables. Source: LAMMPS
//! manual, `fix adapt`.
//!
//! What changes is the script's pair style, in [`State`], so all this is done to it between two steps, by the run
//! loop: [`begin`], [`change`], [`end`]. The device gets the new coefficients ([`Simulation::follow_pair`]).

use super::{Fix, Header, Moment, Quantity};
use crate::atoms::type_range;
use crate::error::{Error, Result};
use crate::pair::{Pair, Slot};
use crate::script::{Args, Word};
use crate::simulation::Simulation;
use crate::state::State;
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// One `pair STYLE PARAMETER I J v_NAME`.
struct Change {
    style: String,
    parameter: String,
    types: [RangeInclusive<usize>; 2],
    value: Quantity,
    /// What the parameter was when the run began, per pair of types that has it.
    original: RefCell<Vec<([usize; 2], f64)>>,
}

/// The fix.
pub struct Adapt {
    header: Header,
    /// Steps between changes; 0: only when a run begins.
    every: i64,
    changes: Vec<Change>,
    /// Whether variables are factors of what the parameters were.
    scale: bool,
    /// Whether parameters are as before when a run has ended.
    reset: bool,
}

/// Takes how often, what follows which variable, and the keywords `scale` and `reset`.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between changes", 0)?.min(i64::MAX as u64) as i64;
    let mut fix = Adapt { header, every, changes: Vec::new(), scale: false, reset: false };
    while let Some(word) = args.peek() {
        args.word("a keyword")?;
        match &*word.text {
            "pair" => fix.changes.push(read_change(state, word, args)?),
            "scale" => fix.scale = args.yes_no()?,
            "reset" => fix.reset = args.yes_no()?,
            "atom" | "bond" | "angle" | "improper" | "kspace" | "mass" => {
                return Err(args.unsupported(word, "keyword of fix adapt").help(
                    "parameters of pair styles can follow variables: pair STYLE PARAMETER I J v_NAME",
                ));
            }
            _ => {
                return Err(args.unknown(
                    word,
                    "keyword of fix adapt",
                    ["pair", "scale", "reset"].into_iter(),
                ));
            }
        }
    }
    match fix.changes.is_empty() {
        true => Err(args.error_here("fix adapt needs what is to change: pair STYLE PARAMETER I J v_NAME")),
        false => Ok(Box::new(fix)),
    }
}

fn read_change(state: &State, keyword: &Word, args: &mut Args<'_>) -> Result<Change> {
    let Some(pair) = &state.pair else {
        let error = args.error(keyword, "there is no pair style yet");
        return Err(error.help("put pair_style and pair_coeff lines before"));
    };
    let style = args.word("the pair style")?;
    let parts = pair.places(&style.text);
    let Some(part) = parts.first() else {
        return Err(args.unknown(style, "pair style of this script", pair.styles()));
    };
    let parameter = args.word("a parameter of the pair style")?;
    if pair.slot(&style.text, &parameter.text).is_none() {
        let names = pair.parameters(*part);
        if names.clone().next().is_none() {
            return Err(args.error(style, format_args!("no parameter of {} can change", style.text)));
        }
        return Err(args.unknown(parameter, &format!("parameter of {}", style.text), names));
    }
    let [mut first, mut second] = [type_range(args, state.types())?, type_range(args, state.types())?];
    if first.start() == first.end() && second.start() == second.end() && first.start() > second.start() {
        (first, second) = (second, first);
    }
    let word = args.peek();
    let value = Quantity::read(state, args, "a variable", 1.0)?;
    match (word, &value) {
        (Some(word), Quantity::Number(_)) => {
            let error = args.error(word, format_args!("'{}' is not a variable", word.text));
            Err(error.label("expected v_NAME of an equal-style variable"))
        }
        _ => Ok(Change {
            style: style.text.clone(),
            parameter: parameter.text.clone(),
            types: [first, second],
            value,
            original: RefCell::default(),
        }),
    }
}

impl Change {
    fn slot(&self, pair: &Pair) -> Result<Slot> {
        pair.slot(&self.style, &self.parameter).ok_or_else(|| {
            let message = format!("the pair style has no {} of {} any more", self.parameter, self.style);
            Error::new(message).help("`unfix` it before another pair_style")
        })
    }

    /// Takes note of what the parameter is.
    fn remember(&self, pair: &Pair) -> Result<()> {
        let slot = self.slot(pair)?;
        let [first, second] = &self.types;
        let pairs = first.clone().flat_map(|i| second.clone().map(move |j| [i, j])).filter(|[i, j]| i <= j);
        let known: Vec<_> = pairs.filter_map(|types| Some((types, pair.value(slot, types)?))).collect();
        if known.is_empty() {
            let message = format!("pair_coeff gives no {} of {} for these types", self.parameter, self.style);
            return Err(Error::new(message).help(
                "mixed coefficients follow those they are mixed from; give those of I <= J by pair_coeff",
            ));
        }
        self.original.replace(known);
        Ok(())
    }

    fn apply(&self, pair: &mut Pair, value: impl Fn(f64) -> f64) -> Result<()> {
        let slot = self.slot(pair)?;
        self.original.borrow().iter().for_each(|(types, original)| pair.set(slot, *types, value(*original)));
        Ok(())
    }
}

impl Adapt {
    fn due(&self, step: i64) -> bool {
        self.every > 0 && step % self.every == 0
    }

    fn values(&self, moment: &Moment<'_>) -> Result<Vec<f64>> {
        self.changes.iter().map(|change| moment.value(&change.value)).collect()
    }

    fn apply(&self, pair: &mut Pair, values: &[f64]) -> Result<()> {
        for (change, &value) in self.changes.iter().zip(values) {
            if !value.is_finite() {
                let message = format!("{} of {} would be {value}", change.parameter, change.style);
                return Err(Error::new(message).help("change its variable"));
            }
            change.apply(pair, |original| if self.scale { original * value } else { value })?;
        }
        Ok(())
    }

    fn name(&self, error: Error) -> Error {
        Error { message: format!("fix {} (adapt): {}", self.header.id, error.message), ..error }
    }
}

fn all(state: &State) -> impl Iterator<Item = &Adapt> {
    state.fixes.iter().filter_map(|fix| fix.adapts())
}

/// Gives the parameters of the fixes that are `due` the values of a step.
fn set(
    state: &mut State,
    due: impl Fn(&Adapt) -> bool,
    values: impl Fn(&State, &Adapt) -> Result<Vec<f64>>,
) -> Result<()> {
    let chosen: Vec<_> = all(state)
        .filter(|adapt| due(adapt))
        .map(|adapt| values(state, adapt).map_err(|error| adapt.name(error)))
        .collect::<Result<_>>()?;
    let State { fixes, pair: Some(pair), .. } = state else { return Ok(()) };
    let adapts = fixes.iter().filter_map(|fix| fix.adapts()).filter(|adapt| due(adapt));
    adapts
        .zip(&chosen)
        .try_for_each(|(adapt, values)| adapt.apply(pair, values).map_err(|error| adapt.name(error)))
}

/// Before a run is set up: takes note of the parameters, and gives them the values of the first step.
///
/// # Errors
/// When a style or a parameter is gone, or a variable has no value before the run.
pub fn begin(state: &mut State, span: [i64; 2]) -> Result<()> {
    if let Some(pair) = &state.pair {
        for adapt in all(state) {
            adapt
                .changes
                .iter()
                .try_for_each(|change| change.remember(pair))
                .map_err(|error| adapt.name(error))?;
        }
    }
    set(state, |_| true, |state, adapt| adapt.values(&Moment::ahead(state, state.step, span)))
}

/// Between two steps: gives the parameters the values of the next one, if any changes there.
///
/// # Errors
/// When a variable has no value or the device fails.
pub fn change(state: &mut State, simulation: &mut Simulation, span: [i64; 2]) -> Result<()> {
    let next = state.step + 1;
    if !all(state).any(|adapt| adapt.due(next)) {
        return Ok(());
    }
    set(
        state,
        |adapt| adapt.due(next),
        |state, adapt| {
            let ahead = adapt.values(&Moment::ahead(state, next, span));
            ahead.or_else(|_| adapt.values(&Moment::now(state, span, simulation).at(next)))
        },
    )?;
    simulation.follow_pair(state)
}

/// After a run: parameters are as before, where that is wanted.
///
/// # Errors
/// When a style or a parameter is gone.
pub fn end(state: &mut State) -> Result<()> {
    let State { fixes, pair: Some(pair), .. } = state else { return Ok(()) };
    let adapts = fixes.iter().filter_map(|fix| fix.adapts()).filter(|adapt| adapt.reset);
    adapts.flat_map(|adapt| &adapt.changes).try_for_each(|change| change.apply(pair, |original| original))
}

impl Fix for Adapt {
    fn header(&self) -> &Header {
        &self.header
    }

    fn adapts(&self) -> Option<&Adapt> {
        Some(self)
    }

    /// The host takes over before the steps with a change.
    fn next(&self, step: i64) -> Option<i64> {
        (self.every > 0).then(|| super::next_multiple(step + 1, self.every as u64) - 1)
    }
}
