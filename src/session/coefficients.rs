//! `pair_coeff` and `bond_coeff`, which data files have, too, in their sections of coefficients.

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::Session;

/// `bond_coeff TYPES numbers`, TYPES being a bond type or a range like `*`, `2*` or `1*3`.
///
/// # Errors
/// Without a box or a style, or at an argument that does not fit.
pub fn bond_coeff(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let types = session.system.topology.bond_types;
    let Some(mut bonded) = session.force_field.bonded.take() else {
        return Err(args.error_here("there is no bond style yet").help("put a bond_style line before"));
    };
    let variable = |name: &str| value(session, name);
    let result = bonded.set_coefficients(args, types, &session.system.labels.bond, &variable);
    session.force_field.bonded = Some(bonded);
    result
}

/// `pair_coeff I J numbers`, or potential files and elements, which bring masses along; with ranges of types like `*`, `2*` or `1*3`; in hybrid styles
/// `pair_coeff I J STYLE [N] numbers`, where N counts the styles of one name, or `pair_coeff I J none`.
///
/// # Errors
/// Without a box or a style, or at an argument that does not fit.
pub fn pair_coeff(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let types = session.types();
    let Some(mut pair) = session.force_field.pair.take() else {
        return Err(args.error_here("there is no pair style yet").help("put a pair_style line before"));
    };
    let units = session.system.units.name;
    let variable = |name: &str| value(session, name);
    let loaded = pair.set_coefficients(args, types, &session.system.labels.atom, units, &variable);
    session.force_field.pair = Some(pair);
    let loaded = loaded?;
    loaded.log.iter().for_each(|line| session.output.log.line(line));
    loaded.masses.into_iter().for_each(|(kind, mass)| session.system.mass[kind - 1] = Some(mass));
    Ok(())
}

/// The value that a variable in a formula has now.
fn value(session: &Session, name: &str) -> Result<f64> {
    let value = session.script.variables.number(name, &session.now());
    value.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })
}
