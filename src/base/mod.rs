//! TODO: what lives here.

pub mod bytes;
pub mod error;
pub mod files;
pub mod format;
pub mod log;
pub mod names;
pub mod options_text;
pub(crate) mod parallel;
pub mod progress;
pub mod random;
pub mod signals;
pub mod steps;
pub mod version;
