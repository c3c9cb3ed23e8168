//! Formulas of equal-style variables: parsed once into a postfix program, evaluated often.
//!
//! Source: LAMMPS manual, "variable command". Operators from loose to tight: `||` `|^`; `&&`; `==` `!=`;
//! `<` `<=` `>` `>=`; `+` `-`; `*` `/` `%`; `^`; unary `-` `!`. All of them group from the left, `^` too,
//! and unary minus binds tighter than `^`: `-2^2` is 4.

use super::functions::{self, Function};
use crate::script::{closest, lammps};
use std::ops::Range;

/// How deep brackets may nest.
const MAX_DEPTH: usize = 100;

/// Where a formula's keywords get their values.
pub trait Lookup {
    /// The value of a thermo keyword, `None` where it has none now.
    ///
    /// Besides LAMMPS's keywords there are `beginstep` and `endstep`, between which `ramp` rises: `run`
    /// supplies them while it runs.
    fn keyword(&self, name: &str) -> Option<f64>;
}

/// A `Lookup` where nothing has a value yet.
pub struct Nothing;

impl Lookup for Nothing {
    fn keyword(&self, _: &str) -> Option<f64> {
        None
    }
}

/// What is wrong in a piece of text, and which bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// One sentence.
    pub message: String,
    /// Bytes of the text that was looked at.
    pub span: Range<usize>,
    /// What the user can do about it.
    pub help: Option<String>,
}

impl Fault {
    /// A fault at `span`.
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Fault { message: message.into(), span, help: None }
    }

    /// The same fault with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same fault in a text in which this one begins at byte `start`.
    #[must_use]
    pub fn shifted(mut self, start: usize) -> Self {
        self.span = self.span.start + start..self.span.end + start;
        self
    }

    /// As an error at a place of a line.
    pub fn at(self, source: &crate::error::Source, start: usize) -> crate::error::Error {
        let Fault { message, span, help } = self.shifted(start);
        crate::error::Error { help, ..crate::error::Error::new(message).at(source, span) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Or,
    Xor,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
}

/// Tokens first found first, so the longer of two that begin alike stands first; the number is the
/// precedence.
const OPERATORS: &[(&str, Operator, u32)] = &[
    ("||", Operator::Or, 1),
    ("|^", Operator::Xor, 1),
    ("&&", Operator::And, 2),
    ("==", Operator::Equal, 3),
    ("!=", Operator::Unequal, 3),
    ("<=", Operator::LessEqual, 4),
    ("<", Operator::Less, 4),
    (">=", Operator::GreaterEqual, 4),
    (">", Operator::Greater, 4),
    ("+", Operator::Plus, 5),
    ("-", Operator::Minus, 5),
    ("*", Operator::Times, 6),
    ("/", Operator::Divide, 6),
    ("%", Operator::Modulo, 6),
    ("^", Operator::Power, 7),
];

#[derive(Clone, Debug)]
enum Step {
    Number(f64),
    Keyword(String),
    Variable(String),
    Negate,
    Not,
    Binary(Operator),
    Call(&'static Function),
}

/// A formula ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The text it was read from.
    pub text: String,
    /// Postfix; with each step the bytes of `text` that it comes from.
    steps: Vec<(Step, Range<usize>)>,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// At what is not part of a formula, or is in LAMMPS and not here.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut parser = Parser { text, at: 0, depth: 0, steps: Vec::new() };
        parser.expression(0)?;
        match parser.next_char() {
            None => Ok(Formula { text: text.to_owned(), steps: parser.steps }),
            Some(c) => Err(parser.unexpected(c, "an operator")),
        }
    }

    /// The value, always finite. `variable` supplies the value of `v_NAME`; its fault, when it has one, is
    /// shown at the reference.
    ///
    /// # Errors
    /// At the operation that has no value (division by zero, square root of a negative number), or at a
    /// keyword or variable without one.
    pub fn eval(
        &self,
        lookup: &dyn Lookup,
        variable: &mut dyn FnMut(&str) -> Result<f64, Fault>,
    ) -> Result<f64, Fault> {
        let mut stack: Vec<f64> = Vec::new();
        for (step, span) in &self.steps {
            let fail = |message: String| Fault::new(message, span.clone());
            let value = match step {
                Step::Number(x) => *x,
                Step::Keyword(name) => lookup.keyword(name).ok_or_else(|| {
                    fail(format!("thermo keyword '{name}' has no value at this point of the script"))
                })?,
                Step::Variable(name) => {
                    variable(name).map_err(|fault| Fault { span: span.clone(), ..fault })?
                }
                Step::Negate => -pop(&mut stack),
                Step::Not => f64::from(pop(&mut stack) == 0.0),
                Step::Binary(operator) => {
                    let (b, a) = (pop(&mut stack), pop(&mut stack));
                    operator.apply(a, b).map_err(|why| fail(why.into()))?
                }
                Step::Call(function) => {
                    let arguments = stack.split_off(stack.len().saturating_sub(function.arguments));
                    (function.value)(&arguments, lookup)
                        .map_err(|why| fail(format!("{}: {why}", function.name)))?
                }
            };
            if !value.is_finite() {
                return Err(fail("this is not a finite number".into()));
            }
            stack.push(value);
        }
        // As LAMMPS, which never shows a negative zero.
        Ok(pop(&mut stack) + 0.0)
    }
}

fn pop(stack: &mut Vec<f64>) -> f64 {
    stack.pop().expect("the parser counts operands")
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> Result<f64, &'static str> {
        let truth = |test: bool| Ok(f64::from(test));
        match self {
            Operator::Or => truth(a != 0.0 || b != 0.0),
            Operator::Xor => truth((a != 0.0) != (b != 0.0)),
            Operator::And => truth(a != 0.0 && b != 0.0),
            Operator::Equal => truth(a == b),
            Operator::Unequal => truth(a != b),
            Operator::Less => truth(a < b),
            Operator::LessEqual => truth(a <= b),
            Operator::Greater => truth(a > b),
            Operator::GreaterEqual => truth(a >= b),
            Operator::Plus => Ok(a + b),
            Operator::Minus => Ok(a - b),
            Operator::Times => Ok(a * b),
            Operator::Divide if b == 0.0 => Err("division by zero"),
            Operator::Divide => Ok(a / b),
            Operator::Modulo if b == 0.0 => Err("remainder of a division by zero"),
            Operator::Modulo => Ok(a % b),
            Operator::Power => Ok(a.powf(b)),
        }
    }
}

/// Precedence climbing over the bytes of the text.
struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    steps: Vec<(Step, Range<usize>)>,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The next character that is not a blank, not taken.
    fn next_char(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn unexpected(&self, c: char, expected: &str) -> Fault {
        let fault = Fault::new(
            format!("unexpected '{c}' in a formula: expected {expected}"),
            self.at..self.at + c.len_utf8(),
        );
        match c {
            '$' => fault.help("inside a formula a variable is v_NAME"),
            _ => fault,
        }
    }

    /// Takes characters as long as they pass.
    fn take_while(&mut self, pass: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !pass(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn expression(&mut self, loosest: u32) -> Result<(), Fault> {
        let start = self.at;
        self.operand()?;
        while self.next_char().is_some() {
            let found = OPERATORS.iter().find(|(token, ..)| self.rest().starts_with(token));
            let Some((token, operator, precedence)) = found.filter(|(.., p)| *p > loosest) else { break };
            self.at += token.len();
            self.expression(*precedence)?;
            self.steps.push((Step::Binary(*operator), start..self.at));
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), Fault> {
        let Some(c) = self.next_char() else {
            let end = self.text.len();
            return Err(Fault::new("the formula ends where a value is expected", end..end + 1));
        };
        let start = self.at;
        match c {
            '-' | '!' => {
                self.at += 1;
                self.nested(Self::operand)?;
                let step = if c == '-' { Step::Negate } else { Step::Not };
                self.steps.push((step, start..self.at));
                Ok(())
            }
            '(' => {
                self.at += 1;
                self.nested(|parser| parser.expression(0))?;
                self.close(start)
            }
            '0'..='9' | '.' => self.number(start),
            'a'..='z' | 'A'..='Z' | '_' => self.name(start),
            _ => Err(self.unexpected(c, "a value")),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::new("the formula is nested too deeply", self.at..self.at + 1));
        }
        read(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn close(&mut self, open: usize) -> Result<(), Fault> {
        match self.next_char() {
            Some(')') => {
                self.at += 1;
                Ok(())
            }
            Some(c) => Err(self.unexpected(c, "')' or an operator")),
            None => Err(Fault::new("this bracket is never closed", open..open + 1)),
        }
    }

    fn number(&mut self, start: usize) -> Result<(), Fault> {
        self.take_while(|c| c.is_ascii_digit() || c == '.');
        if self.rest().starts_with(['e', 'E']) {
            self.at += 1;
            self.at += usize::from(self.rest().starts_with(['+', '-']));
            self.take_while(|c| c.is_ascii_digit());
        }
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        let text = &self.text[start..self.at];
        let value: f64 = text
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .ok_or_else(|| Fault::new(format!("'{text}' is not a number"), start..self.at))?;
        self.steps.push((Step::Number(value), start..self.at));
        Ok(())
    }

    fn name(&mut self, start: usize) -> Result<(), Fault> {
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let span = start..self.at;
        let unsupported =
            |what: &str| Fault::new(format!("{what} in a formula is not supported by CLAMPS"), span.clone());
        let step = if let Some(variable) = name.strip_prefix("v_").filter(|_| !self.rest().starts_with('[')) {
            Step::Variable(variable.to_owned())
        } else if name.starts_with("c_") || name.starts_with("C_") {
            return Err(unsupported(&format!("the compute reference '{name}'")));
        } else if name.starts_with("f_") || name.starts_with("F_") {
            return Err(unsupported(&format!("the fix reference '{name}'")));
        } else if self.rest().starts_with('[') {
            return Err(unsupported(&format!("LAMMPS's element access '{name}[...]'")));
        } else if self.rest().starts_with('(') {
            return self.call(name, span);
        } else if let Some(value) = constant(name) {
            Step::Number(value)
        } else if lammps::knows(lammps::THERMO_KEYWORDS, name) {
            Step::Keyword(name.to_owned())
        } else {
            let fault = Fault::new(format!("unknown name '{name}' in a formula"), span);
            return Err(match closest(name, lammps::THERMO_KEYWORDS.split_whitespace()) {
                Some(known) => fault.help(format!("did you mean '{known}'? A variable is v_NAME")),
                None => fault.help("a variable is v_NAME, a thermo keyword is written as in thermo_style"),
            });
        };
        self.steps.push((step, span));
        Ok(())
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<(), Fault> {
        let Some(function) = functions::TABLE.iter().find(|function| function.name == name) else {
            if lammps::knows(lammps::FUNCTIONS, name) {
                let message = format!("LAMMPS function '{name}' is not supported by CLAMPS");
                return Err(Fault::new(message, span));
            }
            let fault = Fault::new(format!("unknown function '{name}' in a formula"), span);
            return Err(match closest(name, functions::TABLE.iter().map(|function| function.name)) {
                Some(known) => fault.help(format!("did you mean '{known}'?")),
                None => fault,
            });
        };
        let open = self.at;
        self.at += 1;
        let mut count = 0;
        loop {
            self.nested(|parser| parser.expression(0))?;
            count += 1;
            if self.next_char() != Some(',') {
                break;
            }
            self.at += 1;
        }
        self.close(open)?;
        if count != function.arguments {
            return Err(Fault::new(
                format!("{name} takes {} arguments, not {count}", function.arguments),
                span.start..self.at,
            ));
        }
        self.steps.push((Step::Call(function), span.start..self.at));
        Ok(())
    }
}

fn constant(name: &str) -> Option<f64> {
    match name {
        "PI" => Some(std::f64::consts::PI),
        // The LAMMPS version whose numbers are reproduced, as a date.
        "version" => Some(20_250_722.0),
        "yes" | "on" | "true" => Some(1.0),
        "no" | "off" | "false" => Some(0.0),
        _ => None,
    }
}
