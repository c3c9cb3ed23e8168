//! What pair styles read of atoms besides types and charges
//! ([`AtomInput`](crate::potentials::pair::style::AtomInput)).

use crate::base::error::{Error, Result};
use crate::potentials::pair::Pair;
use crate::session::Session;

/// That atoms have these numbers, and kernels can tell them apart.
///
/// # Errors
/// When they have not, cannot, or styles do not go together.
pub(super) fn check(session: &Session, pair: &Pair) -> Result<()> {
    // What numbers of fp32 tell apart.
    const MOST: f64 = 16_777_216.0;
    let resolved = pair.resolve()?;
    let name = pair.name();
    for input in resolved.inputs() {
        let property = input.property;
        session.check_property(property).map_err(|err| err.about(format_args!("pair_style {name}")))?;
        if input.exact && session.given(input).iter().any(|(_, number)| number.abs() > MOST) {
            let message = format!("pair_style {name}: '{property}' of some atom is more than {MOST}");
            return Err(Error::new(message).help("give smaller numbers"));
        }
    }
    let seen = resolved.seen();
    if seen.made > 0 && seen.given > 0 {
        let message =
            format!("pair_style {name}: a style that reads numbers of atoms cannot be with one of densities");
        return Err(Error::new(message).help("take one of the two"));
    }
    Ok(())
}
