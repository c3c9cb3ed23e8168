//! What fixes do to one atom on the device: the functions of their snippets, and the numbers that these read.

use super::{Fix, StepContext};
use crate::base::error::{Error, Result};

/// The numbers that a fix's functions read at a step, its parameters and those of its region, and the region's test
/// on the device.
///
/// # Errors
/// When a variable has no value, a parameter is out of range, or the region is gone: names the fix.
pub fn row(fix: &dyn Fix, moment: &StepContext<'_>) -> Result<(Vec<f64>, String)> {
    let row = || {
        let mut row = fix.parameters(moment)?;
        let Some(name) = fix.region() else { return Ok((row, "1".to_owned())) };
        let region = moment.session.system.regions.get(name);
        let region = region.ok_or_else(|| Error::new(format!("its region {name} is not there any more")))?;
        let inside = moment.placed(region)?.code(&mut row);
        Ok((row, inside))
    };
    row().map_err(|error| crate::session::fix::error::of(fix, error))
}
