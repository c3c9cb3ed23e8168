//! `units` and `dielectric`.

use crate::base::error::Result;
use crate::model::units::ALL;
use crate::script::Args;
use crate::session::units::set;
use crate::session::{ForceField, Session};

/// `units NAME`: also resets the time step, the skin and the thermo settings to its defaults.
///
/// # Errors
/// When the box exists already, or the system is unknown.
pub fn units(session: &mut Session, args: &mut Args) -> Result<()> {
    crate::session::box_checks::forbid_box(session, args)?;
    let table = ALL.map(|units| (units.name, units));
    let units = args.one_of("unit system", &table)?;
    args.finish()?;
    set(session, units);
    Ok(())
}

/// `dielectric VALUE`: by how much Coulomb forces are weaker than in vacuum.
///
/// # Errors
/// At a value that is not positive.
pub fn dielectric(force_field: &mut ForceField, args: &mut Args) -> Result<()> {
    force_field.dielectric = args.positive("the dielectric constant")?;
    args.finish()
}
