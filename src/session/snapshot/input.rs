//! Values that a command asks for by `c_ID`, `f_ID` or `v_NAME`: read once, looked at during runs.

use super::Form;
use super::view::Snapshot;
use crate::base::error::{Error, Result, Source};
use crate::script::atom_expr::AtomExpr;
use crate::script::formula::{Elements, Kind, Reference};
use crate::script::{Args, Word};
use crate::session::Session;
use std::ops::Range;

/// A reference with its place in the script, to which errors point whenever they come.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it refers to.
    pub reference: Reference,
    /// What it was taken for.
    pub form: Form,
    source: Source,
    span: Range<usize>,
}

/// The values of an [`Input`], by its form.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// [`Form::Number`].
    Number(f64),
    /// [`Form::Vector`] and [`Form::Local`].
    Vector(Vec<f64>),
    /// [`Form::PerAtom`], in the order of the atoms in memory.
    PerAtom(Vec<f64>),
}

impl Input {
    /// Takes the next word; `c_ID[*]` and `f_ID[*]` are as many inputs as there are elements.
    ///
    /// # Errors
    /// At the word, when it is missing or no reference, or what it names is not there or has no values of this form.
    pub fn take(session: &Session, args: &mut Args<'_>, form: Form) -> Result<Vec<Input>> {
        let word = args.word("a value such as c_ID, c_ID[2], f_ID or v_NAME")?;
        let no_reference = || {
            let message = format!("'{}' is no value of a compute, fix or variable", word.text);
            args.error(word, message).label("expected c_ID, c_ID[2], f_ID or v_NAME")
        };
        Input::read(session, args, word, form)?.ok_or_else(no_reference)
    }

    /// The same of a word that has been taken; `None` where it is no reference.
    ///
    /// # Errors
    /// At the word, when what it names is not there or has no values of this form.
    pub fn read(session: &Session, args: &Args<'_>, word: &Word, form: Form) -> Result<Option<Vec<Input>>> {
        let system = session.now();
        let references = if let Some(range) = Elements::parse(&word.text) {
            system.elements(&range, form).map_err(|error| args.place(word, error))?
        } else if let Some(reference) = Reference::parse(&word.text) {
            system.check(&reference, form).map_err(|error| args.place(word, error))?;
            vec![reference]
        } else {
            return Ok(None);
        };
        let input =
            |reference| Input { reference, form, source: args.source().clone(), span: word.span.clone() };
        Ok(Some(references.into_iter().map(input).collect()))
    }

    /// The values per atom of a variable, by a word that has its name alone.
    pub fn variable(args: &Args<'_>, word: &Word) -> Input {
        let reference = Reference { kind: Kind::Variable, id: word.text.clone(), index: Vec::new() };
        Input { reference, form: Form::PerAtom, source: args.source().clone(), span: word.span.clone() }
    }

    fn place(&self, error: Error) -> Error {
        error.at(&self.source, self.span.clone())
    }

    /// Its values now.
    ///
    /// # Errors
    /// At its word, when it has none now (what it names may be gone) or the device fails.
    pub fn get(&self, system: &Snapshot<'_>) -> Result<Measured> {
        match self.form {
            Form::Number => self.number(system).map(Measured::Number),
            Form::Vector => self.vector(system).map(Measured::Vector),
            Form::PerAtom => self.per_atom(system).map(Measured::PerAtom),
            Form::Local => self.local(system).map(Measured::Vector),
        }
    }

    /// Its value now, of [`Form::Number`].
    ///
    /// # Errors
    /// As [`Input::get`].
    pub fn number(&self, system: &Snapshot<'_>) -> Result<f64> {
        system.number(&self.reference).map_err(|error| self.place(error))
    }

    /// Its values now, of [`Form::Vector`].
    ///
    /// # Errors
    /// As [`Input::get`].
    pub fn vector(&self, system: &Snapshot<'_>) -> Result<Vec<f64>> {
        system.list(&self.reference).map_err(|error| self.place(error))
    }

    /// Its values now, of [`Form::Local`].
    ///
    /// # Errors
    /// As [`Input::get`].
    pub fn local(&self, system: &Snapshot<'_>) -> Result<Vec<f64>> {
        system.local(&self.reference).map_err(|error| self.place(error))
    }

    /// Its values per atom now, of [`Form::PerAtom`], in the order of the atoms in memory.
    ///
    /// # Errors
    /// As [`Input::get`].
    pub fn per_atom(&self, system: &Snapshot<'_>) -> Result<Vec<f64>> {
        system.per_atom(&self.reference).map_err(|error| self.place(error))
    }
}

/// A value per atom that a command asks for: a property by its name, or a reference.
#[derive(Clone, Debug)]
pub enum AtomValue {
    /// `x`, `vx`, `fx` and so on.
    Property(String),
    /// Of [`Form::PerAtom`].
    Input(Input),
}

impl AtomValue {
    /// Of a word that has been taken: `x y z vx vy vz fx fy fz`, or as [`Input::read`].
    ///
    /// # Errors
    /// At the word, when it is neither, or as [`Input::read`].
    pub fn read(session: &Session, args: &Args<'_>, word: &Word) -> Result<Vec<AtomValue>> {
        if matches!(&*word.text, "x" | "y" | "z" | "vx" | "vy" | "vz" | "fx" | "fy" | "fz") {
            return Ok(vec![AtomValue::Property(word.text.clone())]);
        }
        let inputs = Input::read(session, args, word, Form::PerAtom)?.ok_or_else(|| {
            let message = format!("'{}' is not a value per atom", word.text);
            args.error(word, message).label("expected x, vx, fx, c_ID, c_ID[i], f_ID or v_NAME")
        })?;
        Ok(inputs.into_iter().map(AtomValue::Input).collect())
    }

    /// The reference, if it is one.
    pub fn input(&self) -> Option<&Input> {
        match self {
            AtomValue::Input(input) => Some(input),
            AtomValue::Property(_) => None,
        }
    }

    /// How the device makes the values, where it can.
    pub(crate) fn recipe(&self, system: &Snapshot<'_>) -> Option<AtomExpr> {
        match self {
            AtomValue::Property(name) => system.property_recipe(name),
            AtomValue::Input(input) => system.recipe(&input.reference),
        }
    }

    /// The values of the atoms of a group now, in the order of the atoms in memory ([`Snapshot::per_atom_of`]).
    ///
    /// # Errors
    /// As [`Input::get`], and where there are no forces yet.
    pub fn get(&self, system: &Snapshot<'_>, group: u32) -> Result<Vec<f64>> {
        match self {
            AtomValue::Property(name) => system.property(name),
            AtomValue::Input(input) => {
                system.per_atom_of(&input.reference, group).map_err(|error| input.place(error))
            }
        }
    }
}

/// As a script writes it.
impl std::fmt::Display for AtomValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AtomValue::Property(name) => f.write_str(name),
            AtomValue::Input(input) => input.reference.fmt(f),
        }
    }
}
