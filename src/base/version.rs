//! The version of the program, and the commit that it was built from.

/// Version and, where it was built from a checkout, commit: `0.1.0 git 0123456789`.
pub const VERSION: &str = env!("CLAMPS_VERSION");

/// The commit that it was built from; empty when unknown.
pub const GIT: &str = env!("CLAMPS_GIT");
