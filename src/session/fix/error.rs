//! Errors that name the fix they came from.

use crate::base::error::Error;
use crate::session::fix::Fix;

/// That the error came from this fix.
pub(crate) fn of(fix: &dyn Fix, error: Error) -> Error {
    let header = fix.header();
    let message = format!("fix {} ({}): {}", header.id, header.style, error.message);
    if error.message.starts_with("fix ") { error } else { Error { message, ..error } }
}
