//! Formulas of equal-style, vector-style and atom-style variables: parsed once into a postfix program, evaluated often.
//!
//! Source: LAMMPS manual, "variable command". Operators from loose to tight: `||` `|^`; `&&`; `==` `!=`;
//! `<` `<=` `>` `>=`; `+` `-`; `*` `/` `%`; `^`; unary `-` `!`. All of them group from the left, `^` too,
//! and unary minus binds tighter than `^`: `-2^2` is 4.

mod lookup;
mod parse;
mod recipe;
mod value;

pub(super) use lookup::Scope;
pub use lookup::{Elements, Kind, Lookup, Nothing, Reference};
pub use value::Value;

use super::functions::{Function, Now, Summary};
use crate::base::error::{Error, Source};
use std::ops::Range;
use value::Operator;

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
    pub fn at(self, source: &Source, start: usize) -> Error {
        let Fault { message, span, help } = self.shifted(start);
        Error { help, ..Error::new(message).at(source, span) }
    }
}

/// Whether a formula has one value, a vector, or one value per atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One number.
    Equal,
    /// A list of numbers.
    Vector,
    /// One per atom.
    Atom,
}

/// A number in brackets: itself, or a variable's value.
#[derive(Clone, Debug)]
enum Index {
    Number(usize),
    Variable(String),
}

/// A reference whose numbers in brackets may be variables.
#[derive(Clone, Debug)]
struct Indexed {
    kind: Kind,
    id: String,
    index: Vec<Index>,
}

#[derive(Clone, Debug)]
enum Step {
    Number(f64),
    Keyword(String),
    Reference(Indexed),
    /// A property of every atom.
    Attribute(String),
    /// A property of one atom.
    OfAtom(String, Index),
    Negate,
    Not,
    Binary(Operator),
    Call(&'static Function),
    Random {
        normal: bool,
        per_atom: bool,
    },
    Group(&'static str, Vec<String>),
    Fact(&'static str, Vec<String>),
    Members(&'static str, Vec<String>),
    Next(String),
    Vector(Summary, Reference),
    /// A vector in falling (or rising) order, or an element of it.
    Sorted(bool, Reference, Option<Index>),
}

/// A formula ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The text it was read from.
    pub text: String,
    style: Style,
    /// Postfix; with each step the bytes of `text` that it comes from.
    steps: Vec<(Step, Range<usize>)>,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// At what is not part of a formula, or is in LAMMPS and not here.
    pub fn parse(text: &str, style: Style) -> Result<Self, Fault> {
        let mut parser = parse::Parser::new(text, style);
        parser.formula()?;
        Ok(Formula { text: text.to_owned(), style, steps: parser.steps })
    }

    /// The thermo keywords in it.
    pub(super) fn keywords(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|(step, _)| match step {
            Step::Keyword(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The computes, fixes and variables in it; numbers in brackets are left out.
    pub(super) fn references(&self) -> Vec<Reference> {
        let whole = |kind, id: &String| Reference { kind, id: id.clone(), index: Vec::new() };
        let mut found = Vec::new();
        for (step, _) in &self.steps {
            let indices = match step {
                Step::Reference(Indexed { kind, id, index }) => {
                    found.push(whole(*kind, id));
                    &index[..]
                }
                Step::OfAtom(_, index) => std::slice::from_ref(index),
                Step::Vector(_, reference) => {
                    found.push(whole(reference.kind, &reference.id));
                    &[]
                }
                Step::Sorted(_, reference, index) => {
                    found.push(whole(reference.kind, &reference.id));
                    index.as_slice()
                }
                _ => &[],
            };
            found.extend(indices.iter().filter_map(|index| match index {
                Index::Variable(name) => Some(whole(Kind::Variable, name)),
                Index::Number(_) => None,
            }));
        }
        found
    }

    /// The value, always finite; `scope` supplies variables.
    ///
    /// # Errors
    /// At the operation that has no value (division by zero, square root of a negative number), or at a
    /// keyword, reference or variable without one.
    pub(super) fn eval(&self, lookup: &dyn Lookup, scope: &mut dyn Scope) -> Result<Value, Fault> {
        let mut stack: Vec<Value> = Vec::new();
        for (step, span) in &self.steps {
            let value = self.step(step, &mut stack, lookup, scope).map_err(|fault| match fault {
                Failure::Here(message) => Fault::new(message, span.clone()),
                Failure::Fault(fault) => Fault { span: span.clone(), ..fault },
            })?;
            if !value.is_finite() {
                return Err(Fault::new("this is not a finite number", span.clone()));
            }
            stack.push(value);
        }
        Ok(match pop(&mut stack) {
            // As LAMMPS, which never shows a negative zero.
            Value::Number(x) => Value::Number(x + 0.0),
            several => several,
        })
    }

    fn step(
        &self,
        step: &Step,
        stack: &mut Vec<Value>,
        lookup: &dyn Lookup,
        scope: &mut dyn Scope,
    ) -> Result<Value, Failure> {
        let number = Value::Number;
        let per_atom = self.style == Style::Atom;
        let place = |index: &Index, scope: &mut dyn Scope| -> Result<usize, Failure> {
            let name = match index {
                Index::Number(n) => return Ok(*n),
                Index::Variable(name) => name,
            };
            let value = scope.variable(name, Some(Style::Equal))?.at(0);
            let fits = value >= 1.0 && value <= f64::from(u32::MAX);
            let wrong = || Failure::Here(format!("v_{name} is {value}, not an integer from 1"));
            fits.then_some(value as usize).ok_or_else(wrong)
        };
        Ok(match step {
            Step::Number(x) => number(*x),
            Step::Keyword(name) => number(lookup.keyword(name).ok_or_else(|| {
                let message = format!("thermo keyword '{name}' has no value at this point of the script");
                Fault::new(message, 0..0).help(
                    "write `run 0` before it: values are those of the last run until the step is set anew, those of the box are there with it",
                )
            })?),
            Step::Reference(Indexed { kind: Kind::Variable, id, index }) => match &index[..] {
                [] => scope.variable(id, Some(self.style))?,
                [index] => {
                    let place = place(index, scope)?;
                    match scope.variable(id, None)? {
                        Value::Atoms(values) => number(lookup.of_atom(&values, place)?),
                        Value::Vector(values) => number(element(&values, place, id)?),
                        Value::Number(_) => {
                            let message = format!("variable {id} is not of style atom or vector");
                            return Err(Failure::Here(message));
                        }
                    }
                }
                _ => return Err(Failure::Here(format!("variable {id} takes one number in brackets"))),
            },
            Step::Reference(Indexed { kind, id, index }) => {
                let index = index.iter().map(|index| place(index, scope)).collect::<Result<_, _>>()?;
                let reference = Reference { kind: *kind, id: id.clone(), index };
                match self.style {
                    Style::Vector => Value::Vector(lookup.vector(&reference)?),
                    _ => lookup.reference(&reference, per_atom)?,
                }
            }
            Step::Attribute(name) => Value::Atoms(lookup.attribute(name)?),
            Step::OfAtom(name, index) => {
                let tag = place(index, scope)?;
                number(lookup.of_atom(&lookup.attribute(name)?, tag)?)
            }
            Step::Negate => value::apply(&[pop(stack)], |a| Ok::<_, Failure>(-a[0]))?,
            Step::Not => value::apply(&[pop(stack)], |a| Ok::<_, Failure>(f64::from(a[0] == 0.0)))?,
            Step::Binary(operator) => {
                let (b, a) = (pop(stack), pop(stack));
                let result = value::apply(&[a, b], |x| operator.apply(x[0], x[1]));
                result.map_err(|why: &'static str| Failure::from(why))?
            }
            Step::Call(function) => {
                let arguments = stack.split_off(stack.len().saturating_sub(function.arguments));
                let now = Now::of(lookup);
                value::apply(&arguments, |a| (function.value)(a, &now))
                    .map_err(|why: &'static str| Failure::Here(format!("{}: {why}", function.name)))?
            }
            Step::Random { normal, per_atom } => {
                let arguments = stack.split_off(stack.len().saturating_sub(3));
                let mut draw = |a: &[f64]| {
                    let seed = Some(a[2]).filter(|seed| (1.0..=900_000_000.0).contains(seed));
                    let seed = seed.ok_or("a seed must lie within 1 and 900000000")?;
                    let x = scope.random(*normal, *per_atom, seed as u32);
                    match normal {
                        true if a[1] < 0.0 => Err("normal: the width must not be negative"),
                        true => Ok(a[0] + a[1] * x),
                        false if a[0] >= a[1] => Err("random: the lower limit must be below the upper one"),
                        false => Ok(x * (a[1] - a[0]) + a[0]),
                    }
                };
                let values = if *per_atom {
                    // In the order of the IDs, so that the numbers do not depend on how atoms lie in memory.
                    let ids = lookup.attribute("id")?;
                    let mut order: Vec<usize> = (0..ids.len()).collect();
                    order.sort_unstable_by(|&i, &j| ids[i].total_cmp(&ids[j]));
                    let mut values = vec![0.0; ids.len()];
                    let done = order.into_iter().try_for_each(|i| {
                        let row: Vec<f64> = arguments.iter().map(|value| value.at(i)).collect();
                        values[i] = draw(&row)?;
                        Ok(())
                    });
                    done.map(|()| Value::Atoms(values))
                } else {
                    value::apply_in_order(&arguments, draw)
                };
                values.map_err(Failure::from)?
            }
            Step::Group(name, words) => number(lookup.group(name, words)?),
            Step::Fact(name, words) => number(lookup.fact(name, words)?),
            Step::Members(name, words) => {
                let (group, region) = group_and_region(name, words);
                Value::Atoms(lookup.members(group, region)?)
            }
            Step::Next(name) => scope.next(name)?,
            Step::Vector(summary, reference) => {
                let values = vector(reference, lookup, scope)?;
                let value = summary(&values);
                match values.is_empty() && !value.is_finite() {
                    true => return Err(Failure::Here(format!("{reference} is empty"))),
                    false => number(value),
                }
            }
            Step::Sorted(falling, reference, index) => {
                let mut values = vector(reference, lookup, scope)?;
                values.sort_by(f64::total_cmp);
                if *falling {
                    values.reverse();
                }
                match index {
                    Some(index) => number(element(&values, place(index, scope)?, &reference.id)?),
                    None => Value::Vector(values),
                }
            }
        })
    }
}

/// What `gmask`, `rmask` and `grmask` name.
fn group_and_region<'w>(name: &str, words: &'w [String]) -> (Option<&'w str>, Option<&'w str>) {
    match (name, words) {
        ("gmask", [group]) => (Some(group), None),
        ("rmask", [region]) => (None, Some(region)),
        (_, [group, region, ..]) => (Some(group), Some(region)),
        _ => (None, None),
    }
}

/// The vector that a reference stands for; a variable's has at least one element.
fn vector(reference: &Reference, lookup: &dyn Lookup, scope: &mut dyn Scope) -> Result<Vec<f64>, Failure> {
    let values = match reference.kind {
        Kind::Variable => match scope.variable(&reference.id, Some(Style::Vector))? {
            Value::Vector(values) if values.is_empty() => {
                return Err(Failure::Here(format!("{reference} is empty")));
            }
            Value::Vector(values) => values,
            _ => return Err(Failure::Here(format!("variable {} is not of style vector", reference.id))),
        },
        _ => lookup.vector(reference)?,
    };
    Ok(values)
}

/// An element by its number from 1.
fn element(values: &[f64], place: usize, name: &str) -> Result<f64, Failure> {
    let beyond = || Failure::Here(format!("{name} has {} elements, no element {place}", values.len()));
    values.get(place - 1).copied().ok_or_else(beyond)
}

/// Why a step has no value: its place is that of the step.
enum Failure {
    Here(String),
    Fault(Fault),
}

impl From<&'static str> for Failure {
    fn from(message: &'static str) -> Self {
        Failure::Here(message.to_owned())
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Fault(fault)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Fault(Fault { message: error.message, span: 0..0, help: error.help })
    }
}

fn pop(stack: &mut Vec<Value>) -> Value {
    stack.pop().expect("the parser counts operands")
}
