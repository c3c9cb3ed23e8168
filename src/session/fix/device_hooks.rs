//! What fixes do to one atom on the device: the functions of their snippets, and the numbers that these read.

use super::{Fix, StepContext};
use crate::base::error::{Error, Result};
use crate::script::atom_expr::AtomExpr;

/// What a fix's functions go by at a step.
pub struct StageRow {
    /// The numbers that they read: its parameters, those of its region and those of its formulas.
    pub numbers: Vec<f64>,
    /// The region's test on the device.
    pub inside: String,
    /// The statements of its formulas.
    pub given: String,
}

/// The same of one fix.
///
/// # Errors
/// When a variable has no value, a parameter is out of range, or the region is gone: names the fix.
pub fn row(fix: &dyn Fix, moment: &StepContext<'_>) -> Result<StageRow> {
    let row = || {
        let mut numbers = fix.parameters(moment)?;
        let mut inside = "1".to_owned();
        if let Some(name) = fix.region() {
            let region = moment.session.system.regions.get(name);
            let region =
                region.ok_or_else(|| Error::new(format!("its region {name} is not there any more")))?;
            inside = moment.placed(region)?.code(&mut numbers);
        }
        let formulas = fix.device().map_or(Ok(None), |device| device.formulas(moment))?;
        let masses: Vec<f64> = moment.mass().collect();
        let given =
            formulas.and_then(|(formulas, count)| AtomExpr::code(&formulas, count, &masses, &mut numbers));
        Ok(StageRow { numbers, inside, given: given.unwrap_or_default() })
    };
    row().map_err(|error| crate::session::fix::error::of(fix, error))
}
