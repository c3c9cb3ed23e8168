//! What the fixes that change forces have in common: three components, and a region.

use super::{Moment, Quantity};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;

/// Three components, some of which may be left alone.
pub(super) struct Components([Option<Quantity>; 3]);

impl Components {
    /// Takes three numbers or `v_NAME`, or `NULL` where `may_stay`.
    pub(super) fn read(state: &State, args: &mut Args<'_>, may_stay: bool) -> Result<Self> {
        let mut components = [None, None, None];
        for (component, axis) in components.iter_mut().zip(["x", "y", "z"]) {
            if !(may_stay && args.accept("NULL")) {
                let what = format!("{}the {axis} component", if may_stay { "NULL or " } else { "" });
                *component = Some(Quantity::read(state, args, &what, 1.0)?);
            }
        }
        Ok(Components(components))
    }

    /// Their values, 0 for those left alone.
    pub(super) fn values(&self, now: &Moment<'_>) -> Result<[f64; 3]> {
        let mut values = [0.0; 3];
        for (value, component) in values.iter_mut().zip(&self.0) {
            *value = component.as_ref().map_or(Ok(0.0), |component| now.value(component))?;
        }
        Ok(values)
    }

    /// 1 for those left alone, else 0.
    pub(super) fn stay(&self) -> [f64; 3] {
        std::array::from_fn(|d| f64::from(u8::from(self.0[d].is_none())))
    }

    /// Whether any may change.
    pub(super) fn vary(&self) -> bool {
        self.0.iter().flatten().any(Quantity::varies)
    }
}

/// Takes the name of a region that there is.
pub(super) fn region(state: &State, args: &mut Args<'_>) -> Result<String> {
    state.regions.arg(args)?;
    Ok(args.taken().last().map(|word| word.text.clone()).unwrap_or_default())
}
