//! From the text of a formula to its steps: precedence climbing.

use super::lookup::{Kind, Reference};
use super::value::OPERATORS;
use super::{Fault, Index, Indexed, Step, Style};
use crate::base::names::is_custom;
use crate::script::functions::{self, Family};
use crate::script::{closest, lammps};
use std::ops::Range;

/// How deep brackets may nest.
const MAX_DEPTH: usize = 100;

/// Properties of atoms that formulas know.
const ATTRIBUTES: [&str; 14] =
    ["id", "mass", "type", "mol", "x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz", "q"];

/// Properties of atoms that `compute property/atom` knows besides, blank-separated.
const OTHER_ATTRIBUTES: &str = "xu yu zu xs ys zs xsu ysu zsu ix iy iz radius diameter";

/// Reads the bytes of the text once.
pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    style: Style,
    pub(super) steps: Vec<(Step, Range<usize>)>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, style: Style) -> Self {
        Parser { text, at: 0, depth: 0, style, steps: Vec::new() }
    }

    /// Reads the whole text.
    pub(super) fn formula(&mut self) -> Result<(), Fault> {
        self.expression(0)?;
        match self.next_char() {
            None => Ok(()),
            Some(c) => Err(self.unexpected(c, "an operator")),
        }
    }

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
        // `C_` and `F_` ask for values per atom in LAMMPS; here `c_` and `f_` find these too.
        let lower = name.replacen("C_", "c_", 1).replacen("F_", "f_", 1);
        let lower = if name.starts_with(['C', 'F']) { &lower } else { name };
        let step = if let Some((kind, id)) = Kind::split(lower).filter(|(_, id)| !id.is_empty()) {
            let index = self.indices()?;
            Step::Reference(Indexed { kind, id: id.to_owned(), index })
        } else if is_custom(name) {
            self.custom(name, &span)?
        } else if ATTRIBUTES.contains(&name) && !self.rest().starts_with('(') {
            self.attribute(name, &span)?
        } else if self.rest().starts_with('(') {
            return self.call(name, span);
        } else if let Some(value) = constant(name) {
            Step::Number(value)
        } else if lammps::knows(lammps::THERMO_KEYWORDS, name) {
            Step::Keyword(name.to_owned())
        } else {
            let fault = Fault::new(format!("unknown name '{name}' in a formula"), span);
            if OTHER_ATTRIBUTES.split(' ').any(|other| other == name) {
                return Err(
                    fault.help(format!("define `compute ID all property/atom {name}` and write c_ID here"))
                );
            }
            return Err(match closest(name, lammps::THERMO_KEYWORDS.split_whitespace()) {
                Some(known) => fault.help(format!("did you mean '{known}'? A variable is v_NAME")),
                None => fault.help("a variable is v_NAME, a thermo keyword is written as in thermo_style"),
            });
        };
        self.steps.push((step, start..self.at));
        Ok(())
    }

    /// `x`, one value per atom, or `x[i]`, that of one atom.
    fn attribute(&mut self, name: &str, span: &Range<usize>) -> Result<Step, Fault> {
        let indices = self.indices()?;
        self.of_atoms(name, &indices, span)
    }

    /// A property of the script's own: the first number in brackets after `i2_NAME` and `d2_NAME` is that of a column.
    fn custom(&mut self, name: &str, span: &Range<usize>) -> Result<Step, Fault> {
        let indices = self.indices()?;
        if name.split('_').next().is_some_and(|prefix| !prefix.ends_with('2')) {
            return self.of_atoms(name, &indices, span);
        }
        // As in LAMMPS, the atom comes first where there are two.
        let (column, atom) = match &indices[..] {
            [column] => (column, &[][..]),
            [_, column] => (column, &indices[..1]),
            _ => (&Index::Number(0), &[][..]),
        };
        match column {
            Index::Number(column) if *column > 0 => self.of_atoms(&format!("{name}[{column}]"), atom, span),
            _ => {
                let fault =
                    Fault::new(format!("'{name}' has columns: its column must be a number"), span.clone());
                Err(fault.help(format!("write {name}[1], and {name}[ID][1] for one atom")))
            }
        }
    }

    /// A property of all atoms, or of the one that a number in brackets names.
    fn of_atoms(&self, name: &str, indices: &[Index], span: &Range<usize>) -> Result<Step, Fault> {
        match indices {
            [] if self.style == Style::Equal => Err(Fault::new(
                format!("'{name}' has a value per atom, where one number is expected"),
                span.clone(),
            )
            .help({
                let (bare, column) = name.split_at(name.find('[').unwrap_or(name.len()));
                format!("write {bare}[ID]{column} for one atom, or define an atom-style variable")
            })),
            [] => Ok(Step::Attribute(name.to_owned())),
            [index] => Ok(Step::OfAtom(name.to_owned(), index.clone())),
            _ => Err(Fault::new(format!("'{name}' takes one number in brackets"), span.clone())),
        }
    }

    /// `[i]` and `[i][j]`, where each is an integer from 1 or `v_NAME`.
    fn indices(&mut self) -> Result<Vec<Index>, Fault> {
        let mut indices = Vec::new();
        while self.rest().starts_with('[') && indices.len() < 2 {
            let start = self.at + 1;
            let Some(length) = self.rest().find(']') else {
                return Err(Fault::new("this bracket is never closed", self.at..start));
            };
            let text = &self.rest()[1..length];
            self.at += length + 1;
            let number = text.parse().ok().filter(|&n: &usize| n > 0).map(Index::Number);
            let index = number.or_else(|| text.strip_prefix("v_").map(|name| Index::Variable(name.into())));
            indices.push(index.ok_or_else(|| {
                Fault::new(format!("'{text}' is not an integer from 1"), start..start + text.len().max(1))
            })?);
        }
        Ok(indices)
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<(), Fault> {
        if let Some(function) = functions::TABLE.iter().find(|function| function.name == name) {
            let count = self.arguments()?;
            self.expect(name, count, &[function.arguments], &span)?;
            self.steps.push((Step::Call(function), span.start..self.at));
            return Ok(());
        }
        if let "random" | "normal" = name {
            let count = self.arguments()?;
            self.expect(name, count, &[3], &span)?;
            let per_atom = self.style == Style::Atom;
            self.steps.push((Step::Random { normal: name == "normal", per_atom }, span.start..self.at));
            return Ok(());
        }
        let Some((name, family, counts)) = functions::NAMED.iter().find(|(known, ..)| *known == name) else {
            return Err(unknown_function(name, span));
        };
        let words = self.words()?;
        self.expect(name, words.len(), counts, &span)?;
        let whole = span.start..self.at;
        let per_atom_only = || match self.style {
            Style::Atom => Ok(()),
            _ => {
                Err(Fault::new(format!("'{name}' has a value per atom, where one number is expected"), span))
            }
        };
        let step = match family {
            Family::Group => Step::Group(name, words),
            Family::Fact => Step::Fact(name, words),
            Family::Members => {
                per_atom_only()?;
                Step::Members(name, words)
            }
            Family::Next => Step::Next(words[0].clone()),
            Family::Vector(function) => Step::Vector(*function, self.vector(name, &words[0], &whole)?),
            Family::Sorted { falling } => {
                let reference = self.vector(name, &words[0], &whole)?;
                let index = match self.style {
                    Style::Vector => None,
                    _ => Some(self.indices()?.into_iter().next().ok_or_else(|| {
                        let message = format!("'{name}' has a vector, where one number is expected");
                        Fault::new(message, whole.clone())
                            .help(format!("write {name}(...)[1] for an element"))
                    })?),
                };
                Step::Sorted(*falling, reference, index)
            }
        };
        self.steps.push((step, whole));
        Ok(())
    }

    /// The vector that a function is applied to.
    fn vector(&self, name: &str, word: &str, span: &Range<usize>) -> Result<Reference, Fault> {
        let whole = |r: &Reference| r.kind != Kind::Variable || r.index.is_empty();
        Reference::parse(word).filter(whole).ok_or_else(|| {
            let fault = Fault::new(format!("{name}: '{word}' is not a vector"), span.clone());
            fault.help("a vector is c_ID, c_ID[i], f_ID, f_ID[i] or v_NAME of style vector")
        })
    }

    fn expect(&self, name: &str, count: usize, allowed: &[usize], span: &Range<usize>) -> Result<(), Fault> {
        if allowed.contains(&count) {
            return Ok(());
        }
        let wanted: Vec<String> = allowed.iter().map(usize::to_string).collect();
        let message = format!("{name} takes {} arguments, not {count}", wanted.join(" or "));
        Err(Fault::new(message, span.start..self.at))
    }

    /// `(formula, ...)`: how many.
    fn arguments(&mut self) -> Result<usize, Fault> {
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
        Ok(count)
    }

    /// `(word, ...)`: names, not formulas.
    fn words(&mut self) -> Result<Vec<String>, Fault> {
        let open = self.at;
        let Some(length) = self.rest().find(')') else {
            return Err(Fault::new("this bracket is never closed", open..open + 1));
        };
        let inside = &self.rest()[1..length];
        self.at += length + 1;
        if inside.trim().is_empty() {
            return Ok(Vec::new());
        }
        Ok(inside.split(',').map(|word| word.trim().to_owned()).collect())
    }
}

fn unknown_function(name: &str, span: Range<usize>) -> Fault {
    if lammps::knows(lammps::FUNCTIONS, name) {
        return Fault::new(format!("LAMMPS function '{name}' is not supported by CLAMPS"), span);
    }
    if name.starts_with("py_") {
        let message = format!("functions of Python ('{name}') are not supported by CLAMPS");
        return Fault::new(message, span).help("write it as a formula, or as an equal-style variable");
    }
    let named = functions::NAMED.iter().map(|(name, ..)| *name);
    let known =
        functions::TABLE.iter().map(|function| function.name).chain(named).chain(["random", "normal"]);
    let fault = Fault::new(format!("unknown function '{name}' in a formula"), span);
    match closest(name, known) {
        Some(known) => fault.help(format!("did you mean '{known}'?")),
        None => fault,
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
