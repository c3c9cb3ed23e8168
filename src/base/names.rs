//! Names of properties of atoms that a script has made (`fix property/atom`), and nouns as messages have them.

/// A noun behind "a" or "an".
pub fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// Whether a name is that of such a property: `i_NAME`, `d_NAME`, of integers and of numbers, `i2_NAME[C]`, `d2_NAME[C]`
/// for column C of several.
pub fn is_custom(name: &str) -> bool {
    ["i_", "d_", "i2_", "d2_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the values of a property of this name are integers.
pub fn is_integer(name: &str) -> bool {
    name.starts_with("i_") || name.starts_with("i2_")
}

/// Of a range of columns like `d2_NAME[*]`, `d2_NAME[2*]` or `i2_NAME[*3]`: the name, the first column, and the last one
/// where it is given.
pub fn column_range(name: &str) -> Option<(&str, usize, Option<usize>)> {
    let (whole, range) = name.strip_suffix(']')?.split_once('[')?;
    let (first, last) = range.split_once('*').filter(|_| is_custom(whole))?;
    let first = if first.is_empty() { 1 } else { first.parse().ok().filter(|&n| n > 0)? };
    let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
    Some((whole, first, last))
}
