//! Names of properties of atoms that a script has made (`fix property/atom`).

/// Whether a name is that of such a property: `i_NAME`, `d_NAME`, of integers and of numbers, `i2_NAME[C]`, `d2_NAME[C]`
/// for column C of several.
pub fn is_custom(name: &str) -> bool {
    ["i_", "d_", "i2_", "d2_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the values of a property of this name are integers.
pub fn is_integer(name: &str) -> bool {
    name.starts_with("i_") || name.starts_with("i2_")
}
