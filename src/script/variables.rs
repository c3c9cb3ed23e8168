//! Script variables: what they hold, and the values that formulas make of them.
//!
//! Source: LAMMPS manual, "variable command", "next command" and "Parsing rules for input scripts".

mod atomfile;
mod command;
mod substitute;

use super::closest;
use super::formula::{Fault, Formula, Kind, Lookup, Reference, Scope, Style, Value};
use crate::base::format;
use crate::base::format::Spec;
use crate::base::random::Ranmar;
use crate::script::atom_expr::AtomExpr;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// How long a chain of variables that refer to one another may get.
const MAX_CHAIN: usize = 100;

#[derive(Clone, Debug)]
enum Variable {
    /// `index`: the values and which one is current.
    Index { values: Vec<String>, current: usize },
    /// `loop`: the current number, the last one, and the width it is padded to (0: none).
    Loop { current: i64, last: i64, width: usize },
    /// `equal`.
    Equal(Formula),
    /// `vector` with a formula.
    Vector(Formula),
    /// `vector` with a list of numbers.
    List(Vec<f64>),
    /// `atom`.
    Atom(Formula),
    /// `string`.
    Text(String),
    /// `format`: an equal-style variable and how its value is printed.
    Format { of: String, spec: Spec },
    /// `getenv`: an environment variable, and its value when it was defined.
    Environment { of: String, value: String },
    /// `file`: the lines and which one is current.
    File { lines: Vec<String>, current: Cell<usize> },
    /// `atomfile`: per section of the file a value per atom ID, and which section is current.
    AtomFile { sections: Vec<BTreeMap<usize, f64>>, current: Cell<usize> },
    /// `internal`: a number that fixes may change.
    Internal(Cell<f64>),
    /// `timer`: the wall time when it was defined, in seconds.
    Timer(f64),
}

impl Variable {
    fn style(&self) -> &'static str {
        match self {
            Variable::Index { .. } => "index",
            Variable::Loop { .. } => "loop",
            Variable::Equal(_) => "equal",
            Variable::Vector(_) | Variable::List(_) => "vector",
            Variable::Atom(_) => "atom",
            Variable::Text(_) => "string",
            Variable::Format { .. } => "format",
            Variable::Environment { .. } => "getenv",
            Variable::File { .. } => "file",
            Variable::AtomFile { .. } => "atomfile",
            Variable::Internal(_) => "internal",
            Variable::Timer(_) => "timer",
        }
    }
}

/// The random numbers of formulas: one stream for numbers, one for values per atom, seeded by the first call.
#[derive(Clone, Debug, Default)]
struct Streams {
    equal: Option<Ranmar>,
    atom: Option<Ranmar>,
}

/// The variables of a script.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    by_name: BTreeMap<String, Variable>,
    streams: RefCell<Streams>,
    /// What `shell putenv` has set: it wins over the environment.
    pub environment: BTreeMap<String, String>,
}

impl Variables {
    /// Whether a variable is defined.
    pub fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Every variable with its style, by name.
    pub fn styles(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.by_name.iter().map(|(name, variable)| (name.as_str(), variable.style()))
    }

    /// Whether a variable is defined and has one value per atom.
    pub fn is_per_atom(&self, name: &str) -> bool {
        matches!(self.by_name.get(name), Some(Variable::Atom(_) | Variable::AtomFile { .. }))
    }

    /// Whether a variable is of a style whose value is one number: equal, internal or timer.
    pub fn is_equal(&self, name: &str) -> bool {
        let variable = self.by_name.get(name);
        matches!(variable, Some(Variable::Equal(_) | Variable::Internal(_) | Variable::Timer(_)))
    }

    /// Whether a variable is of style vector.
    pub fn is_vector(&self, name: &str) -> bool {
        matches!(self.by_name.get(name), Some(Variable::Vector(_) | Variable::List(_)))
    }

    /// Whether a variable is of style vector with a formula, so that it may get more elements.
    pub fn may_grow(&self, name: &str) -> bool {
        matches!(self.by_name.get(name), Some(Variable::Vector(_)))
    }

    /// Whether a variable is of style internal.
    pub fn is_internal(&self, name: &str) -> bool {
        matches!(self.by_name.get(name), Some(Variable::Internal(_)))
    }

    /// Sees to it that there is a variable of style internal of this name.
    ///
    /// # Errors
    /// When there is one of another style.
    pub fn make_internal(&mut self, name: &str) -> Result<(), Fault> {
        self.by_name.entry(name.to_owned()).or_insert(Variable::Internal(Cell::new(0.0)));
        self.set_internal(name, 0.0)
    }

    /// Gives a variable of style internal another value.
    ///
    /// # Errors
    /// When there is no variable of this name and style.
    pub fn set_internal(&self, name: &str, x: f64) -> Result<(), Fault> {
        match self.get(name)? {
            Variable::Internal(value) => value.set(x),
            other => {
                let message = format!("variable {name} has style {}, not internal", other.style());
                return Err(Fault::new(message, 0..name.len()));
            }
        }
        Ok(())
    }

    /// The thermo keywords in a variable's formula, and the computes, fixes and variables.
    pub fn asks(&self, name: &str) -> (Vec<&str>, Vec<Reference>) {
        match self.by_name.get(name) {
            Some(Variable::Equal(formula) | Variable::Vector(formula) | Variable::Atom(formula)) => {
                (formula.keywords().collect(), formula.references())
            }
            Some(Variable::Format { of, .. }) => {
                let of = Reference { kind: Kind::Variable, id: of.clone(), index: Vec::new() };
                (Vec::new(), vec![of])
            }
            _ => Default::default(),
        }
    }

    fn suggest(&self, name: &str) -> Option<String> {
        closest(name, self.by_name.keys().map(String::as_str)).map(|known| format!("did you mean '{known}'?"))
    }

    /// What `${name}` stands for; numbers are printed with `%.15g`.
    ///
    /// # Errors
    /// When the variable is not defined or its formula has no value; the span is that of a text that is
    /// the name alone.
    pub fn text(&self, name: &str, lookup: &dyn Lookup) -> Result<String, Fault> {
        self.chain(lookup).text(name)
    }

    /// The value of `v_name`: a formula's, or a text's that is a number.
    ///
    /// # Errors
    /// As [`Variables::text`], and when the text is not a number.
    pub fn number(&self, name: &str, lookup: &dyn Lookup) -> Result<f64, Fault> {
        self.chain(lookup).number(name)
    }

    /// The value per atom of an atom-style variable.
    ///
    /// # Errors
    /// As [`Variables::text`], and for variables of other styles.
    pub fn atoms(&self, name: &str, lookup: &dyn Lookup) -> Result<Vec<f64>, Fault> {
        let count = lookup.attribute("id").map_err(|error| Fault::new(error.message, 0..name.len()))?.len();
        match self.chain(lookup).value(name, Some(Style::Atom))? {
            Value::Atoms(values) => Ok(values),
            Value::Number(x) if self.is_per_atom(name) => Ok(vec![x; count]),
            _ => {
                let message = format!("variable {name} has one value, where one per atom is expected");
                Err(Fault::new(message, 0..name.len()).help("define it with style atom"))
            }
        }
    }

    /// The same as a recipe for the device; `None` where it has to be the host's.
    pub fn recipe(&self, name: &str, lookup: &dyn Lookup) -> Option<AtomExpr> {
        if self.is_per_atom(name) && !self.draws(name, 0) { self.chain(lookup).recipe(name) } else { None }
    }

    /// Whether a variable has the same value, of an atom, at all steps of a run.
    pub fn stays(&self, name: &str) -> bool {
        self.stays_within(name, 0)
    }

    fn stays_within(&self, name: &str, depth: usize) -> bool {
        match self.by_name.get(name) {
            Some(Variable::Equal(formula) | Variable::Atom(formula)) => {
                depth <= MAX_CHAIN && formula.stays(|other| self.stays_within(other, depth + 1))
            }
            Some(other) => matches!(other.style(), "index" | "loop" | "string" | "getenv"),
            None => false,
        }
    }

    /// Whether asking twice for a variable gives other values, as it draws random numbers or lines of a file.
    fn draws(&self, name: &str, depth: usize) -> bool {
        let references = self.asks(name).1;
        let of_variable = |reference: &Reference| reference.kind == Kind::Variable;
        let formula = match self.by_name.get(name) {
            Some(Variable::Equal(formula) | Variable::Atom(formula) | Variable::Vector(formula)) => formula,
            _ => return false,
        };
        formula.draws()
            || depth > MAX_CHAIN
            || references.iter().filter(|one| of_variable(one)).any(|one| self.draws(&one.id, depth + 1))
    }

    /// The elements of a vector-style variable, at least one.
    ///
    /// # Errors
    /// As [`Variables::text`], for variables of other styles, and where the formula has one number only.
    pub fn vector(&self, name: &str, lookup: &dyn Lookup) -> Result<Vec<f64>, Fault> {
        let fault = |what: &str| Err(Fault::new(format!("variable {name} {what}"), 0..name.len()));
        match self.chain(lookup).value(name, Some(Style::Vector))? {
            _ if !self.is_vector(name) => fault("is not of style vector"),
            Value::Vector(values) if !values.is_empty() => Ok(values),
            Value::Vector(_) => fault("has no elements now"),
            _ => fault("has one number, where a vector is expected"),
        }
    }

    /// Evaluates a formula that may refer to these variables.
    ///
    /// # Errors
    /// At the place in the formula that is wrong or has no value.
    pub fn evaluate(&self, formula: &str, lookup: &dyn Lookup) -> Result<f64, Fault> {
        Formula::parse(formula, Style::Equal)?.eval(lookup, &mut self.chain(lookup)).map(|value| value.at(0))
    }

    fn chain<'a>(&'a self, lookup: &'a dyn Lookup) -> Chain<'a> {
        Chain { variables: self, lookup, names: Vec::new() }
    }

    fn get(&self, name: &str) -> Result<&Variable, Fault> {
        self.by_name.get(name).ok_or_else(|| {
            let fault = Fault::new(format!("variable {name} is not defined"), 0..name.len());
            match self.suggest(name) {
                Some(help) => fault.help(help),
                None => fault.help(format!("define it with the variable command or with -var {name} VALUE")),
            }
        })
    }
}

fn no_more(name: &str) -> Fault {
    Fault::new(format!("the file of variable {name} has no more values"), 0..name.len())
}

/// The variables while one of them is evaluated, and the names of those that wait for it.
struct Chain<'a> {
    variables: &'a Variables,
    lookup: &'a dyn Lookup,
    names: Vec<String>,
}

impl Chain<'_> {
    fn text(&mut self, name: &str) -> Result<String, Fault> {
        Ok(match self.variables.get(name)? {
            Variable::Index { values, current } => values[*current].clone(),
            Variable::Loop { current, width, .. } => format!("{current:0width$}"),
            Variable::Text(text) => text.clone(),
            Variable::Environment { of, value } => {
                self.variables.environment.get(of).unwrap_or(value).clone()
            }
            Variable::File { lines, current } => {
                lines.get(current.get()).ok_or_else(|| no_more(name))?.clone()
            }
            Variable::Equal(_) | Variable::Internal(_) | Variable::Timer(_) => {
                format::g(self.number(name)?, 15)
            }
            Variable::Vector(_) | Variable::List(_) => {
                let values: Vec<String> =
                    self.variables.vector(name, self.lookup)?.into_iter().map(format::shortest).collect();
                format!("[{}]", values.join(","))
            }
            Variable::Format { of, spec } => spec.float(self.number(of)?),
            Variable::Atom(_) | Variable::AtomFile { .. } => {
                let message = format!("variable {name} has a value per atom, where one is expected");
                return Err(Fault::new(message, 0..name.len()));
            }
        })
    }

    fn number(&mut self, name: &str) -> Result<f64, Fault> {
        self.value(name, Some(Style::Equal)).map(|value| value.at(0))
    }

    /// The value of a variable with all its digits, for a formula of some style; `None`: one element of it is wanted.
    fn value(&mut self, name: &str, style: Option<Style>) -> Result<Value, Fault> {
        let whole = 0..name.len();
        let per_atom = matches!(style, Some(Style::Atom) | None);
        let formula = match self.variables.get(name)? {
            Variable::Equal(formula) => formula,
            Variable::Vector(_) | Variable::List(_) if matches!(style, Some(Style::Equal | Style::Atom)) => {
                let fault =
                    Fault::new(format!("variable {name} has a vector, where one number is expected"), whole);
                return Err(fault.help(format!("write v_{name}[1] for an element of it")));
            }
            Variable::List(values) => return Ok(Value::Vector(values.clone())),
            Variable::Vector(formula) => formula,
            Variable::Timer(x) => return Ok(Value::Number(*x)),
            Variable::Atom(formula) if per_atom => formula,
            Variable::AtomFile { sections, current } if per_atom => {
                let section = sections.get(current.get());
                let section = section.ok_or_else(|| no_more(name))?;
                return atomfile::values(section, self.lookup)
                    .map_err(|error| Fault::new(error.message, whole));
            }
            Variable::Internal(x) => return Ok(Value::Number(x.get())),
            _ => {
                let text = self.text(name)?;
                let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
                return number.map(Value::Number).ok_or_else(|| {
                    Fault::new(format!("variable {name} holds '{text}', which is not a number"), whole)
                });
            }
        };
        if self.names.iter().any(|seen| seen == name) {
            return Err(Fault::new(format!("variable {name} depends on itself"), whole));
        }
        if self.names.len() >= MAX_CHAIN {
            return Err(Fault::new("too many variables refer to one another", whole));
        }
        self.names.push(name.to_owned());
        let value = formula.eval(self.lookup, self);
        self.names.pop();
        value.map_err(|fault| {
            let message = match fault.message.starts_with("variable ") {
                true => fault.message,
                false => format!("variable {name} = {}: {}", formula.text, fault.message),
            };
            Fault { message, span: whole, help: fault.help }
        })
    }
}

impl Scope for Chain<'_> {
    /// LAMMPS passes a number on as text with 15 digits.
    fn variable(&mut self, name: &str, style: Option<Style>) -> Result<Value, Fault> {
        Ok(match self.value(name, style)? {
            Value::Number(x) => Value::Number(format::g(x, 15).parse().unwrap_or(x)),
            several => several,
        })
    }

    fn recipe(&mut self, name: &str) -> Option<AtomExpr> {
        let Some(Variable::Atom(formula)) = self.variables.by_name.get(name) else {
            return match self.variable(name, Some(Style::Atom)).ok()? {
                Value::Number(x) => Some(AtomExpr::number(x)),
                _ => None,
            };
        };
        if self.names.len() >= MAX_CHAIN || self.names.iter().any(|seen| seen == name) {
            return None;
        }
        self.names.push(name.to_owned());
        let recipe = formula.recipe(self.lookup, self);
        self.names.pop();
        recipe
    }

    fn next(&mut self, name: &str) -> Result<Value, Fault> {
        let variable = self.variables.get(name)?;
        let (Variable::File { current, .. } | Variable::AtomFile { current, .. }) = variable else {
            let message = format!("variable {name} has style {}, not file or atomfile", variable.style());
            return Err(Fault::new(message, 0..name.len()));
        };
        let per_atom = matches!(variable, Variable::AtomFile { .. });
        let value = self.value(name, Some(if per_atom { Style::Atom } else { Style::Equal }))?;
        current.set(current.get() + 1);
        Ok(value)
    }

    fn random(&mut self, normal: bool, per_atom: bool, seed: u32) -> f64 {
        let mut streams = self.variables.streams.borrow_mut();
        let stream = if per_atom { &mut streams.atom } else { &mut streams.equal };
        let stream = stream.get_or_insert_with(|| Ranmar::new(seed));
        if normal { stream.gaussian() } else { stream.uniform() }
    }
}
