//! Which atoms of its group a dump shows: `dump_modify region` and `thresh`.

use super::column::{Column, Formats, Rows};
use super::{Frame, custom};
use crate::error::Result;
use crate::region::Region;
use crate::script::Args;
use crate::script::boolean::{COMPARISONS, Comparison};
use crate::state::State;
use std::borrow::Cow;

/// What atoms must fulfil, all of it.
#[derive(Clone, Default)]
pub(super) struct Selection {
    pub(super) region: Option<Region>,
    attributes: Vec<Column>,
    /// One per attribute.
    tests: Vec<(Comparison, f64)>,
}

impl Selection {
    /// The attributes of the thresholds.
    pub(super) fn columns(&self) -> impl Iterator<Item = &Column> {
        self.attributes.iter()
    }

    /// Takes the words after `thresh`: an attribute, an operator and a number, or `none`, which forgets all.
    pub(super) fn read(&mut self, state: &State, args: &mut Args<'_>) -> Result<()> {
        if args.accept("none") {
            (self.attributes, self.tests) = (Vec::new(), Vec::new());
            return Ok(());
        }
        let word = args.word("an atom attribute")?;
        let attribute = custom::column(state, args, word)?;
        if !attribute.is_number() {
            return Err(args.error(word, format_args!("'{}' is not a number to compare with", word.text)));
        }
        let test = args.one_of("operator", &COMPARISONS)?;
        if let Some(word) = args.peek().filter(|word| word.text == "LAST") {
            return Err(args.unsupported(word, "threshold"));
        }
        let value = args.f64("a number to compare with")?;
        self.attributes.push(attribute);
        self.tests.push((test, value));
        Ok(())
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
            let tests = || self.tests.iter().enumerate();
            order.retain(|&i| tests().all(|(index, (test, value))| test(rows.number(i, index), *value)));
        }
        Ok(())
    }
}
