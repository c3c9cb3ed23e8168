//! `units` for a session: its defaults, and the keyword `units box` or `units lattice` of other commands.

use crate::base::error::Result;
use crate::model::lattice::spacing;
use crate::model::units::Units;
use crate::script::Args;
use crate::session::{Session, thermo};

/// Takes `units box` or `units lattice` where they stand last; returns the lengths of one unit per axis: the
/// lattice spacings by default. `what` names the kind of keyword in errors.
///
/// # Errors
/// At another word.
pub fn units_keyword(session: &Session, args: &mut Args, what: &str) -> Result<[f64; 3]> {
    let lattice = spacing(session.system.lattice.as_ref());
    let mut scale = lattice;
    while !args.is_empty() {
        args.one_of(what, &[("units", ())])?;
        scale = args.one_of("units", &[("box", [1.0; 3]), ("lattice", lattice)])?;
    }
    Ok(scale)
}

/// Chooses a unit system, with its defaults.
pub(crate) fn set(session: &mut Session, units: &'static Units) {
    session.system.units = units;
    session.clock.dt = units.dt;
    session.neighbor.skin = units.skin;
    session.output.thermo = thermo::Settings::new(units);
}
