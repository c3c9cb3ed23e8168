//! The condition of `if`: numbers and texts compared with each other.
//!
//! Source: LAMMPS manual, "if command". Operators from loose to tight: `||` `|^`; `&&`; `==` `!=`; `<` `<=` `>`
//! `>=`; `!`; brackets. There is no arithmetic: that is what `$(formula)` is for.

use super::formula::Fault;
use std::ops::Range;

/// What a condition is made of.
#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(f64),
    Text(String),
}

/// Operators with their precedence; of two that begin alike the longer stands first.
const OPERATORS: [(&str, u32); 9] =
    [("||", 1), ("|^", 1), ("&&", 2), ("==", 3), ("!=", 3), ("<=", 4), (">=", 4), ("<", 4), (">", 4)];

/// Compares two numbers.
pub type Comparison = fn(f64, f64) -> bool;

/// How a command compares a value with a number.
pub const COMPARISONS: [(&str, Comparison); 7] = [
    ("<", |a, b| a < b),
    ("<=", |a, b| a <= b),
    (">", |a, b| a > b),
    (">=", |a, b| a >= b),
    ("==", |a, b| a == b),
    ("!=", |a, b| a != b),
    // One of them is 0, the other is not.
    ("|^", |a, b| (a == 0.0) != (b == 0.0)),
];

/// How deep brackets may nest.
const MAX_DEPTH: usize = 100;

/// Whether a condition (variables substituted) holds.
///
/// # Errors
/// At what is not part of a condition, and at a comparison of a text with a number.
pub fn evaluate(text: &str) -> Result<bool, Fault> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let value = reader.expression(0)?;
    if let Some(c) = reader.peek() {
        let span = reader.at..reader.at + c.len_utf8();
        return Err(Fault::new(format!("unexpected '{c}' in a condition"), span)
            .help("compare with == != < <= > >=, join with && and ||; a formula is written $(formula)"));
    }
    truth(&value, 0..text.len())
}

fn truth(value: &Operand, span: Range<usize>) -> Result<bool, Fault> {
    match value {
        Operand::Number(x) => Ok(*x != 0.0),
        Operand::Text(text) => Err(Fault::new(format!("'{text}' is neither true nor false"), span)),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn expression(&mut self, loosest: u32) -> Result<Operand, Fault> {
        let start = self.at;
        let mut left = self.operand()?;
        while self.peek().is_some() {
            let found = OPERATORS.iter().find(|(token, _)| self.rest().starts_with(token));
            let Some((token, precedence)) = found.filter(|(_, p)| *p > loosest) else { break };
            self.at += token.len();
            let right = self.expression(*precedence)?;
            left = Operand::Number(f64::from(apply(token, &left, &right, start..self.at)?));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Operand, Fault> {
        let Some(c) = self.peek() else {
            let end = self.text.len();
            return Err(Fault::new("the condition ends where a value is expected", end..end + 1));
        };
        let start = self.at;
        match c {
            '(' | '!' => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(Fault::new("the condition is nested too deeply", start..start + 1));
                }
                self.at += 1;
                let value = if c == '!' {
                    let value = self.operand()?;
                    Operand::Number(f64::from(!truth(&value, start..self.at)?))
                } else {
                    let value = self.expression(0)?;
                    if self.peek() != Some(')') {
                        return Err(Fault::new("this bracket is never closed", start..start + 1));
                    }
                    self.at += 1;
                    value
                };
                self.depth -= 1;
                Ok(value)
            }
            '0'..='9' | '.' | '-' => self.number(start),
            _ if c.is_alphabetic() || c == '_' => {
                let word = self.take(|c| c.is_alphanumeric() || "_/.-".contains(c));
                Ok(Operand::Text(word.to_owned()))
            }
            _ => Err(Fault::new(format!("unexpected '{c}' in a condition"), start..start + c.len_utf8())
                .help("a value is a number or a word")),
        }
    }

    fn take(&mut self, pass: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        let length = self.rest().find(|c| !pass(c)).unwrap_or(self.rest().len());
        self.at += length;
        &self.text[start..self.at]
    }

    fn number(&mut self, start: usize) -> Result<Operand, Fault> {
        self.at += usize::from(self.rest().starts_with('-'));
        self.take(|c| c.is_ascii_digit() || c == '.');
        if self.rest().starts_with(['e', 'E']) {
            self.at += 1;
            self.at += usize::from(self.rest().starts_with(['+', '-']));
            self.take(|c| c.is_ascii_digit());
        }
        let text = &self.text[start..self.at];
        let span = start..self.at.max(start + 1);
        text.parse().map(Operand::Number).map_err(|_| Fault::new(format!("'{text}' is not a number"), span))
    }
}

fn apply(token: &str, left: &Operand, right: &Operand, span: Range<usize>) -> Result<bool, Fault> {
    let fault = |message: String| Err(Fault::new(message, span.clone()));
    match (left, right) {
        (Operand::Number(a), Operand::Number(b)) => Ok(match token {
            "||" => *a != 0.0 || *b != 0.0,
            "|^" => (*a != 0.0) != (*b != 0.0),
            "&&" => *a != 0.0 && *b != 0.0,
            "==" => a == b,
            "!=" => a != b,
            "<" => a < b,
            "<=" => a <= b,
            ">" => a > b,
            _ => a >= b,
        }),
        (Operand::Text(a), Operand::Text(b)) => match token {
            "==" => Ok(a == b),
            "!=" => Ok(a != b),
            _ => fault(format!("'{a}' and '{b}' can only be compared with == and !=")),
        },
        (Operand::Text(text), Operand::Number(x)) | (Operand::Number(x), Operand::Text(text)) => {
            fault(format!("the text '{text}' cannot be compared with the number {x}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn conditions_hold_or_not() {
        for (text, expected) in [
            ("1 < 2", true),
            ("1<2 && 3>=4", false),
            ("1 || 0 && 0", true),
            ("(1 || 0) && 0", false),
            ("!(1 == 2)", true),
            ("-1.5e1 < -.5", true),
            ("foo == foo", true),
            ("foo != f_1", true),
            ("1 |^ 1", false),
            ("5", true),
            ("0.0", false),
        ] {
            assert_eq!(evaluate(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "1 <", "foo < bar", "foo == 1", "foo", "(1", "1 + 1", "1)", "- 1", "!foo", "1.2.3"] {
            assert!(evaluate(text).is_err(), "{text}");
        }
    }
}
