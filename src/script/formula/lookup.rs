//! What formulas ask of the world: the system for keywords, references and group functions, the variables for
//! one another.

use super::{Fault, Style, Value};
use crate::base::error::{Error, Result};
use crate::script::atom_expr::AtomExpr;

/// What a reference refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `c_ID`.
    Compute,
    /// `f_ID`.
    Fix,
    /// `v_NAME`.
    Variable,
}

impl Kind {
    /// As a word of a message.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Compute => "compute",
            Kind::Fix => "fix",
            Kind::Variable => "variable",
        }
    }

    /// The kind of a prefix like `c_`, and the name behind it.
    pub fn split(text: &str) -> Option<(Kind, &str)> {
        let kinds = [("c_", Kind::Compute), ("f_", Kind::Fix), ("v_", Kind::Variable)];
        kinds.into_iter().find_map(|(prefix, kind)| Some((kind, text.strip_prefix(prefix)?)))
    }
}

/// `c_ID`, `c_ID[i]`, `c_ID[i][j]`, and the same of fixes and variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What it refers to.
    pub kind: Kind,
    /// The name.
    pub id: String,
    /// The numbers in brackets, from 1: at most two.
    pub index: Vec<usize>,
}

impl Reference {
    /// Reads `c_ID[i][j]`; `None` for a text that is no reference. IDs may have any characters but brackets.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = Kind::split(text)?;
        let mut parts = rest.split('[');
        let id = parts.next().filter(|id| !id.is_empty())?.to_owned();
        let index = parts.map(|part| part.strip_suffix(']')?.parse().ok().filter(|&n: &usize| n > 0));
        let index: Vec<usize> = index.collect::<Option<_>>()?;
        (index.len() <= 2).then_some(Reference { kind, id, index })
    }
}

/// `c_ID[*]`, `c_ID[2*]`, `c_ID[*3]` or `c_ID[2*3]`: elements of a vector, or columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// What they are elements of, without a number.
    pub whole: Reference,
    /// From 1.
    pub first: usize,
    /// `None`: up to where there are elements.
    pub last: Option<usize>,
}

impl Elements {
    /// Reads such a range; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, range) = text.strip_suffix(']')?.split_once('[')?;
        let whole = Reference::parse(whole)?;
        let (first, last) = range.split_once('*')?;
        let first = if first.is_empty() { 1 } else { first.parse().ok().filter(|&n| n > 0)? };
        let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
        Some(Elements { whole, first, last })
    }
}

/// As a script writes it.
impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}", &self.kind.name()[..1], self.id)?;
        self.index.iter().try_for_each(|index| write!(f, "[{index}]"))
    }
}

fn no_system<T>() -> Result<T> {
    Err(Error::new("there is no simulation box yet"))
}

/// Where a formula's values come from, besides variables.
pub trait Lookup {
    /// The value of a thermo keyword, `None` where it has none now.
    ///
    /// Besides LAMMPS's keywords there are `beginstep` and `endstep`, between which `ramp` rises: `run`
    /// supplies them while it runs.
    fn keyword(&self, name: &str) -> Option<f64>;

    /// Whether the time step changes during a run.
    fn changes_time_step(&self) -> bool {
        false
    }

    /// The value of a compute or a fix: a number, or with `per_atom` one per atom.
    ///
    /// # Errors
    /// When it does not exist or has no such value.
    fn reference(&self, _reference: &Reference, _per_atom: bool) -> Result<Value> {
        no_system()
    }

    /// The vector of a compute or a fix, or a column of its array.
    ///
    /// # Errors
    /// As [`Lookup::reference`].
    fn vector(&self, _reference: &Reference) -> Result<Vec<f64>> {
        no_system()
    }

    /// A property of all atoms by its name in formulas (`x`, `vy`, `mass`).
    ///
    /// # Errors
    /// When there are no atoms, or they do not have it now.
    fn attribute(&self, _name: &str) -> Result<Vec<f64>> {
        no_system()
    }

    /// The same for the device, where it knows it.
    fn attribute_recipe(&self, _name: &str) -> Option<AtomExpr> {
        None
    }

    /// [`Lookup::reference`] with values per atom, or one number, for the device.
    fn recipe(&self, _reference: &Reference) -> Option<AtomExpr> {
        None
    }

    /// [`Lookup::members`] for the device.
    fn member_recipe(&self, _group: Option<&str>, _region: Option<&str>) -> Option<AtomExpr> {
        None
    }

    /// The value of the atom of an ID in a list with one value per atom; 0 where no atom has the ID.
    ///
    /// # Errors
    /// When the ID is above the largest one.
    fn of_atom(&self, _values: &[f64], _id: usize) -> Result<f64> {
        no_system()
    }

    /// The value of a group function, by its name and arguments.
    ///
    /// # Errors
    /// When a group or region is not known, or something is missing.
    fn group(&self, _function: &str, _arguments: &[String]) -> Result<f64> {
        no_system()
    }

    /// 1 for the atoms of a group or in a region, 0 for others.
    ///
    /// # Errors
    /// When there is no group or region of this name.
    fn members(&self, _group: Option<&str>, _region: Option<&str>) -> Result<Vec<f64>> {
        no_system()
    }

    /// What is said of the program and the script: `is_defined`, `is_active`, `is_available`,
    /// `extract_setting`, `is_timeout`.
    ///
    /// # Errors
    /// At an argument that is not known.
    fn fact(&self, _function: &str, _arguments: &[String]) -> Result<f64> {
        no_system()
    }
}

/// A `Lookup` where nothing has a value yet.
pub struct Nothing;

impl Lookup for Nothing {
    fn keyword(&self, _: &str) -> Option<f64> {
        None
    }
}

/// The variables around a formula.
pub(in crate::script) trait Scope {
    /// The value of a variable in a formula of some style; `None`: whatever it has, one element of which is wanted.
    fn variable(&mut self, name: &str, style: Option<Style>) -> Result<Value, Fault>;

    /// The values per atom of a variable, or its one number, for the device; `None` where that has to be the host's.
    fn recipe(&mut self, name: &str) -> Option<AtomExpr>;

    /// The value of a file-style variable, which then goes on to its next line.
    fn next(&mut self, name: &str) -> Result<Value, Fault>;

    /// The next random number: uniform in (0, 1), or normal with mean 0 and variance 1. The first call seeds.
    fn random(&mut self, normal: bool, per_atom: bool, seed: u32) -> f64;
}
