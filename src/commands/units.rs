//! `units` and `dielectric`.

use crate::base::error::Result;
use crate::model::units::{ALL, UNSUPPORTED};
use crate::script::Args;
use crate::session::Session;
use crate::session::units::set;

/// `units lj|real|metal`: also resets the time step, the skin and the thermo settings to its defaults.
///
/// # Errors
/// When the box exists already, or the system is unknown or not supported.
pub fn units(session: &mut Session, args: &mut Args) -> Result<()> {
    crate::session::box_checks::forbid_box(session, args)?;
    let table = ALL.map(|units| (units.name, units));
    if let Some(word) = args.peek().filter(|word| UNSUPPORTED.contains(&word.text.as_str())) {
        return Err(args.unsupported(word, "unit system").help("supported: lj real metal"));
    }
    let units = args.one_of("unit system", &table)?;
    args.finish()?;
    set(session, units);
    Ok(())
}

/// `dielectric VALUE`: by how much Coulomb forces are weaker than in vacuum.
///
/// # Errors
/// At a value that is not positive.
pub fn dielectric(session: &mut Session, args: &mut Args) -> Result<()> {
    session.force_field.dielectric = args.positive("the dielectric constant")?;
    args.finish()
}
