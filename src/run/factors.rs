//! Factors of `pair_style hybrid/scaled` that are variables of the script: their values when something is set up, and at each step of a run.

use crate::base::error::{Error, Result};
use crate::engine::simulation::Simulation;
use crate::fixes::adapt;
use crate::session::Session;
use crate::session::fix::StepContext;

/// The values of those that are variables, with the places of their styles.
fn values(session: &Session, value: impl Fn(&str) -> Result<f64>) -> Result<Vec<(usize, f64)>> {
    let of = |(place, name): (usize, &str)| match value(name) {
        Ok(value) if value.is_finite() => Ok((place, value)),
        Ok(value) => Err(Error::new(format!("pair_style hybrid/scaled: variable {name} would be {value}"))),
        Err(error) => Err(error.about("pair_style hybrid/scaled")),
    };
    session.force_field.pair.iter().flat_map(|pair| pair.variable_factors()).map(of).collect()
}

/// Gives them these values; whether any is another one than before.
fn set(session: &mut Session, values: &[(usize, f64)]) -> bool {
    let pair = session.force_field.pair.as_mut();
    pair.is_some_and(|pair| {
        values.iter().fold(false, |other, &(place, value)| pair.set_factor(place, value) || other)
    })
}

/// Before something is set up: gives them the values of this step.
///
/// # Errors
/// When a variable is missing, or has no value before the run.
pub(super) fn begin(session: &mut Session) -> Result<()> {
    let now = StepContext::ahead(session, session.clock.step, session.clock.span);
    let values = values(session, |name| now.variable(name))?;
    set(session, &values);
    Ok(())
}

/// Between two steps of a run: gives them the values of the next one.
///
/// # Errors
/// When a variable has no value, or the device fails.
pub(super) fn change(session: &mut Session, simulation: &mut Simulation, span: [i64; 2]) -> Result<()> {
    let next = session.clock.step + 1;
    let values = values(session, |name| {
        let ahead = StepContext::ahead(session, next, span).variable(name);
        ahead.or_else(|_| StepContext::now(session, span, simulation).at(next).variable(name))
    })?;
    match set(session, &values) {
        true => adapt::send_pairs(session, simulation),
        false => Ok(()),
    }
}
