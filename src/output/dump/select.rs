//! Which atoms of its group a dump shows: `dump_modify region` and `thresh`.

use super::column::{Column, Formats, Rows};
use super::{Frame, custom};
use crate::base::error::Result;
use crate::model::region::Region;
use crate::script::Args;
use crate::script::boolean::{COMPARISONS, Comparison};
use crate::session::Session;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

/// What an attribute is compared with.
#[derive(Clone)]
enum Level {
    Number(f64),
    /// What it was at the last frame, by atom ID; at the first one what it is.
    Last(RefCell<HashMap<u32, f64>>),
}

/// What atoms must fulfil, all of it.
#[derive(Clone, Default)]
pub(crate) struct Selection {
    pub(crate) region: Option<Region>,
    attributes: Vec<Column>,
    /// One per attribute.
    tests: Vec<(Comparison, Level)>,
}

impl Selection {
    /// The attributes of the thresholds.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Column> {
        self.attributes.iter()
    }

    /// Takes the words after `thresh`: an attribute, an operator and a number or `LAST`, or `none`, which forgets all.
    pub(crate) fn read(&mut self, session: &Session, args: &mut Args<'_>) -> Result<()> {
        if args.accept("none") {
            (self.attributes, self.tests) = (Vec::new(), Vec::new());
            return Ok(());
        }
        let word = args.word("an atom attribute")?;
        let attribute = custom::column(session, args, word)?;
        if !attribute.is_number() {
            return Err(args.error(word, format_args!("'{}' is not a number to compare with", word.text)));
        }
        let test = args.one_of("operator", &COMPARISONS)?;
        let level = match args.accept("LAST") {
            true => Level::Last(RefCell::default()),
            false => Level::Number(args.f64("a number to compare with, or LAST")?),
        };
        self.attributes.push(attribute);
        self.tests.push((test, level));
        Ok(())
    }

    /// Atom IDs were given anew: the old and the new one of each atom.
    pub(super) fn renumber(&mut self, ids: &[(u32, u32)]) {
        for (_, level) in &mut self.tests {
            if let Level::Last(last) = level {
                let last = last.get_mut();
                *last = ids.iter().filter_map(|&(old, new)| Some((new, *last.get(&old)?))).collect();
            }
        }
    }

    /// Keeps the indices of the atoms that fulfil everything.
    pub(super) fn apply(&self, frame: &Frame<'_>, order: &mut Vec<usize>) -> Result<()> {
        if let Some(region) = &self.region {
            let region = match frame.system {
                Some(system) => system.placed(region)?,
                None => Cow::Borrowed(region),
            };
            order.retain(|&i| region.contains(frame.atoms.x[i]));
        }
        if !self.attributes.is_empty() {
            let formats = Formats::default();
            let rows = Rows::new(frame, &self.attributes, &formats, &[])?;
            for (index, (test, level)) in self.tests.iter().enumerate() {
                let now = |i: usize| rows.number(i, index);
                match level {
                    Level::Number(level) => order.retain(|&i| test(now(i), *level)),
                    Level::Last(last) => {
                        let tags = &frame.atoms.tag;
                        let mut last = last.borrow_mut();
                        order
                            .retain(|&i| test(now(i), last.get(&tags[i]).copied().unwrap_or_else(|| now(i))));
                        *last = tags.iter().enumerate().map(|(i, &tag)| (tag, now(i))).collect();
                    }
                }
            }
        }
        Ok(())
    }
}
