//! Checks that commands share: whether there may be a box yet, and which one.

use crate::base::error::{Error, Result};
use crate::model::domain::Boundary;
use crate::script::{Args, Word};
use crate::session::Session;

/// Refuses a command that must come before the box.
///
/// # Errors
/// When the box exists.
pub(crate) fn forbid_box(session: &Session, args: &Args) -> Result<()> {
    match session.system.domain {
        None => Ok(()),
        Some(_) => Err(args
            .error_here("the simulation box exists already")
            .help("put this command before create_box or read_data")),
    }
}

/// Refuses a new box with settings that do not go together.
///
/// # Errors
/// When there is a box already, or a 2d system is not periodic in z.
pub(crate) fn check_new_box(session: &Session, args: &Args) -> Result<()> {
    if session.system.domain.is_some() {
        return Err(args.error_here("the simulation box exists already").help("`clear` starts afresh"));
    }
    if session.system.dimension == 2 && session.system.boundary[2][0] != Boundary::Periodic {
        return Err(args
            .error_here("a 2d system must be periodic along z")
            .help("write `boundary ... p` for the third axis"));
    }
    Ok(())
}

/// The error of `triclinic/general` where the box is no general triclinic one.
pub(crate) fn not_general(args: &Args, word: &Word) -> Error {
    args.error(word, "the box is not a general triclinic one")
        .help("such boxes come from create_box with NULL, and from data files with avec, bvec and cvec")
}
