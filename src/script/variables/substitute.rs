//! Variables and formulas put into a line.

use super::Variables;
use super::command::float_only;
use crate::base::format;
use crate::base::format::Spec;
use crate::script::formula::{Fault, Lookup};
use crate::script::lexer::{Quoted, quoted};
use std::borrow::Cow;

impl Variables {
    /// Replaces `$x`, `${name}`, `$(formula)` and `$(formula:%format)` outside of quotes by their values;
    /// what was put in is not looked at again. A quote that is not closed counts as an ordinary character.
    ///
    /// # Errors
    /// At the reference that has no value.
    pub fn substitute<'t>(&self, text: &'t str, lookup: &dyn Lookup) -> Result<Cow<'t, str>, Fault> {
        if !text.contains('$') {
            return Ok(Cow::Borrowed(text));
        }
        let mut output = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let end = match quoted(text, at) {
                Quoted::Closed(_, end) => end,
                Quoted::No if c == '$' => {
                    let (value, end) = self.reference(text, at, lookup)?;
                    output.push_str(&value);
                    at = end;
                    continue;
                }
                _ => at + c.len_utf8(),
            };
            output.push_str(&text[at..end]);
            at = end;
        }
        Ok(if output == text { Cow::Borrowed(text) } else { Cow::Owned(output) })
    }

    /// The value of the reference whose `$` is at byte `start`, and where the text goes on.
    fn reference(&self, text: &str, start: usize, lookup: &dyn Lookup) -> Result<(String, usize), Fault> {
        let inside = start + 1;
        let rest = &text[inside..];
        let unclosed = |bracket| {
            Fault::new(format!("this reference is not closed: '{bracket}' is missing"), start..text.len())
        };
        match rest.chars().next() {
            Some('{') => {
                let length = rest.find('}').ok_or_else(|| unclosed('}'))?;
                let end = inside + length + 1;
                let value = self.text(&rest[1..length], lookup);
                Ok((value.map_err(|fault| Fault { span: start..end, ..fault })?, end))
            }
            Some('(') => {
                let length = closing_bracket(rest).ok_or_else(|| unclosed(')'))?;
                let value =
                    self.immediate(&rest[1..length], lookup).map_err(|fault| fault.shifted(inside + 1))?;
                Ok((value, inside + length + 1))
            }
            Some(c) if c.is_ascii_alphanumeric() || c == '_' => {
                let value = self.text(&rest[..1], lookup);
                let end = inside + 1;
                Ok((value.map_err(|fault| Fault { span: start..end, ..fault })?, end))
            }
            _ => Err(Fault::new("'$' is not followed by a variable name", start..inside)
                .help("write $x, ${name} or $(formula)")),
        }
    }

    /// `formula` or `formula:%format`; LAMMPS prints with `%.20g` when there is no format.
    fn immediate(&self, text: &str, lookup: &dyn Lookup) -> Result<String, Fault> {
        let (formula, spec) =
            match text.rfind(":%") {
                Some(colon) => {
                    let spec = Spec::parse(&text[colon + 1..]).and_then(float_only).map_err(|error| {
                        Fault { message: error.message, span: colon + 1..text.len(), help: error.help }
                    })?;
                    (&text[..colon], Some(spec))
                }
                None => (text, None),
            };
        let value = self.evaluate(formula, lookup)?;
        Ok(spec.map_or_else(|| format::g(value, 20), |spec| spec.float(value)))
    }
}

/// The byte of the bracket that closes the one that `text` begins with.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
        (open == 0).then_some(at)
    })
}
