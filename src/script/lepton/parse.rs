//! Reads expressions of the Lepton library.

use super::{Code, DEPTH, Expression, FUNCTIONS, Operand};
use crate::script::closest;
use crate::script::formula::Fault;
use std::ops::Range;

/// A piece of an expression and the bytes that it is.
type Token<'a> = (&'a str, Range<usize>);

impl Expression {
    /// Reads a formula and the definitions behind it. Blanks and quotes are left out.
    ///
    /// # Errors
    /// Says what is wrong where.
    pub fn parse(text: &str) -> Result<Expression, Fault> {
        Self::read(text, false)
    }

    /// The same, in which `qi` and `qj` are the charges of two atoms.
    ///
    /// # Errors
    /// As there.
    pub fn parse_of_charges(text: &str) -> Result<Expression, Fault> {
        Self::read(text, true)
    }

    fn read(text: &str, charges: bool) -> Result<Expression, Fault> {
        let mut parts = Vec::new();
        let mut start = 0;
        for part in text.split(';') {
            parts.push(tokens(text, start..start + part.len())?);
            start += part.len() + 1;
        }
        let mut reader =
            Reader { steps: Vec::new(), names: Vec::new(), tokens: &[], end: 0, depth: 0, charges };
        // Names are defined behind their uses, so the last one needs no other.
        for part in parts[1..].iter().rev().filter(|part| !part.is_empty()) {
            let [name, equals, rest @ ..] = &part[..] else {
                return Err(Fault::new("a definition is written NAME = FORMULA", part[0].1.clone()));
            };
            if equals.0 != "=" || !is_name(name.0) {
                return Err(Fault::new("a definition is written NAME = FORMULA", name.1.clone()));
            }
            if reader.names.contains(&name.0) {
                return Err(Fault::new(format!("{} is defined twice", name.0), name.1.clone()));
            }
            if reader.names.len() == DEPTH {
                return Err(Fault::new(format!("there are more than {DEPTH} definitions"), name.1.clone()));
            }
            reader.formula(rest, equals.1.end)?;
            reader.steps.push((Code::Store, Operand::Slot(reader.names.len())));
            reader.depth = 0;
            reader.names.push(name.0);
        }
        reader.formula(&parts[0], parts[0].last().map_or(0, |(_, span)| span.end))?;
        Ok(Expression { steps: reader.steps })
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The numbers, names and signs of a part of a text.
fn tokens(text: &str, part: Range<usize>) -> Result<Vec<Token<'_>>, Fault> {
    let mut tokens = Vec::new();
    let mut at = part.start;
    while let Some(first) = text[at..part.end].chars().next() {
        let rest = &text[at..part.end];
        let length = match first {
            ' ' | '\t' | '\'' | '"' => {
                at += 1;
                continue;
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' | ',' | '=' => 1,
            _ if first.is_ascii_digit() || first == '.' => number(rest),
            _ if is_name(rest) => {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            _ => {
                let span = at..at + first.len_utf8();
                return Err(Fault::new(format!("'{first}' is no part of an expression"), span));
            }
        };
        tokens.push((&rest[..length], at..at + length));
        at += length;
    }
    Ok(tokens)
}

/// How much of a text, which begins with a digit or a point, looks like a number.
fn number(text: &str) -> usize {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let length = digits(text);
    let Some(power) = text[length..].strip_prefix(['e', 'E']) else { return length };
    let signed = power.strip_prefix(['+', '-']).unwrap_or(power);
    match signed.find(|c: char| !c.is_ascii_digit()).unwrap_or(signed.len()) {
        0 => length,
        exponent => length + 1 + (power.len() - signed.len()) + exponent,
    }
}

struct Reader<'a> {
    steps: Vec<(Code, Operand)>,
    /// What is defined, by slot.
    names: Vec<&'a str>,
    /// What is still to be read.
    tokens: &'a [Token<'a>],
    /// Where the text ends that they are from.
    end: usize,
    /// Numbers on the stack.
    depth: usize,
    /// Whether `qi` and `qj` are charges.
    charges: bool,
}

impl<'a> Reader<'a> {
    /// All of some tokens as one formula.
    fn formula(&mut self, tokens: &'a [Token<'a>], end: usize) -> Result<(), Fault> {
        (self.tokens, self.end) = (tokens, tokens.last().map_or(end, |(_, span)| span.end));
        self.level(0)?;
        match self.tokens.first() {
            None => Ok(()),
            Some((text, span)) => Err(Fault::new(format!("'{text}' was not expected here"), span.clone())),
        }
    }

    fn next(&mut self, wanted: &str) -> Result<&'a Token<'a>, Fault> {
        let missing =
            || Fault::new(format!("the expression ends where {wanted} should follow"), self.end..self.end);
        let (first, rest) = self.tokens.split_first().ok_or_else(missing)?;
        self.tokens = rest;
        Ok(first)
    }

    fn accept(&mut self, text: &str) -> bool {
        let hit = self.tokens.first().is_some_and(|token| token.0 == text);
        if hit {
            self.tokens = &self.tokens[1..];
        }
        hit
    }

    /// Adds a step that takes so many numbers off the stack.
    fn push(&mut self, step: (Code, Operand), takes: usize, span: &Range<usize>) -> Result<(), Fault> {
        self.depth = self.depth + 1 - takes;
        if self.depth > DEPTH {
            let help = "name parts of it behind a semicolon: (a+1)^2; a = ...";
            return Err(Fault::new("the expression is nested too deeply", span.clone()).help(help));
        }
        self.steps.push(step);
        Ok(())
    }

    /// Operators that bind at least as tightly as `least`: 0 for sums, 1 products, 2 a sign, 3 powers.
    fn level(&mut self, least: u8) -> Result<(), Fault> {
        self.operand()?;
        while let Some((sign, span)) = self.tokens.first() {
            let (code, tightness, next) = match *sign {
                "+" => (Code::Add, 0, 1),
                "-" => (Code::Subtract, 0, 1),
                "*" => (Code::Multiply, 1, 2),
                "/" => (Code::Divide, 1, 2),
                "^" => (Code::Power, 3, 3),
                _ => break,
            };
            if tightness < least {
                break;
            }
            self.tokens = &self.tokens[1..];
            self.level(next)?;
            self.push((code, Operand::None), 2, span)?;
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), Fault> {
        let (text, span) = self.next("a number or a name")?;
        let number = |x: &str| x.parse().map_err(|_| Fault::new(format!("'{x}' is no number"), span.clone()));
        match *text {
            "-" => {
                self.level(2)?;
                self.push((Code::Negate, Operand::None), 1, span)
            }
            "(" => {
                self.level(0)?;
                self.close()
            }
            name if is_name(name) && self.accept("(") => self.function(name, span),
            name if is_name(name) => {
                let slot = self.names.iter().position(|known| *known == name);
                let step = match (slot, name) {
                    (Some(slot), _) => (Code::Load, Operand::Slot(slot)),
                    (None, "r") => (Code::R, Operand::None),
                    (None, "rc") => (Code::Number, Operand::Cutoff),
                    (None, "qi") if self.charges => (Code::Number, Operand::Charge(0)),
                    (None, "qj") if self.charges => (Code::Number, Operand::Charge(1)),
                    _ => match name.strip_prefix("v_") {
                        Some(variable) => (Code::Number, Operand::Variable(variable.to_owned())),
                        None => {
                            let help = format!("define it behind a semicolon, as in `...; {name} = 1.0`");
                            return Err(
                                Fault::new(format!("'{name}' is not defined"), span.clone()).help(help)
                            );
                        }
                    },
                };
                self.push(step, 0, span)
            }
            digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                let x = number(digits)?;
                self.push((Code::Number, Operand::Number(x)), 0, span)
            }
            other => Err(Fault::new(format!("'{other}' was not expected here"), span.clone())),
        }
    }

    fn close(&mut self) -> Result<(), Fault> {
        let (text, span) = self.next("a closing parenthesis")?;
        match *text {
            ")" => Ok(()),
            _ => Err(Fault::new(format!("'{text}' was not expected here"), span.clone())),
        }
    }

    /// A function behind whose name the parenthesis is open.
    fn function(&mut self, name: &str, span: &Range<usize>) -> Result<(), Fault> {
        let Some((_, code, arguments)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            let fault = Fault::new(format!("there is no function '{name}'"), span.clone());
            return Err(match closest(name, FUNCTIONS.iter().map(|(known, ..)| *known)) {
                Some(known) => fault.help(format!("did you mean '{known}'?")),
                None => fault,
            });
        };
        let mut given = 1;
        self.level(0)?;
        while self.accept(",") {
            self.level(0)?;
            given += 1;
        }
        if given != *arguments {
            let message = format!("{name} has {arguments} arguments, not {given}");
            return Err(Fault::new(message, span.clone()));
        }
        self.close()?;
        self.push((*code, Operand::None), *arguments, span)
    }
}
