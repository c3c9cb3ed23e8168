//! How several values of one command-line option are joined into one text, and taken apart again.

/// The values that `long_options` of `cli::words` joined.
pub(crate) fn values(joined: &str) -> impl Iterator<Item = &str> {
    joined.split(SEPARATOR)
}

/// Stands between the values of one option that takes several.
pub(crate) const SEPARATOR: char = '\u{1f}';
