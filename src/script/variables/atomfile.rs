//! Files of atomfile-style variables: sections of a number of lines `ID VALUE` after that number.

use crate::base::error::{Error, Result};
use crate::script::formula::{Lookup, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// The values of each section by atom ID, from the lines of a file that are not blank.
///
/// # Errors
/// Names the line that is wrong.
pub(super) fn sections(lines: &[String], path: &Path) -> Result<Vec<BTreeMap<usize, f64>>> {
    let wrong = |line: &str, what: &str| Error::new(format!("{}: '{line}' is not {what}", path.display()));
    let mut sections = Vec::new();
    let mut rest = lines.iter();
    while let Some(first) = rest.next() {
        let count: usize = first.parse().map_err(|_| wrong(first, "the number of lines that follow"))?;
        let mut section = BTreeMap::new();
        for _ in 0..count {
            let line = rest.next().ok_or_else(|| {
                Error::new(format!("{}: {count} lines should follow '{first}'", path.display()))
            })?;
            let pair = line.split_once(char::is_whitespace);
            let pair = pair.and_then(|(id, x)| Some((id.parse().ok()?, x.trim().parse().ok()?)));
            let (id, x) = pair
                .filter(|(_, x): &(usize, f64)| x.is_finite())
                .ok_or_else(|| wrong(line, "an atom ID and a number"))?;
            section.insert(id, x);
        }
        sections.push(section);
    }
    Ok(sections)
}

/// The values for all atoms; 0 for those that the section leaves out.
///
/// # Errors
/// When there are no atoms yet.
pub(super) fn values(section: &BTreeMap<usize, f64>, lookup: &dyn Lookup) -> Result<Value> {
    let ids = lookup.attribute("id")?;
    let value = |id: f64| section.get(&(id as usize)).copied().unwrap_or(0.0);
    Ok(Value::Atoms(ids.into_iter().map(value).collect()))
}
