//! To be written.

use crate::error::Result;

/// To be written.
pub fn prepare_environment() {}

/// To be written.
///
/// # Errors
/// When there is no device.
pub fn devices_table(_bandwidth: bool) -> Result<String> {
    Ok(String::new())
}
