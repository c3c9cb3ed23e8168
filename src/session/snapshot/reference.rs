//! What `c_ID`, `f_ID` and `v_NAME` stand for: whether it is there, and its values.

use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::signals;
use crate::script::closest;
use crate::script::formula::{Elements, Kind, Lookup, Reference};
use crate::session::compute::style::Compute;
use crate::session::compute::{PerAtom, Shape, Values};
use crate::session::fix::Fix;
use std::ops::Deref;
use std::sync::Arc;

/// How much a reference takes where a command keeps it, with what it shows, in bytes.
const BYTES_OF_REFERENCE: f64 = 256.0;

/// What a command takes a reference for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One number: `c_ID`, `c_ID[i]` of a vector, `c_ID[i][j]`, an equal-style variable, an element of a vector-style one.
    Number,
    /// A list of numbers: `c_ID` with a vector, `c_ID[j]` for a column of an array, a vector-style variable.
    Vector,
    /// A number per atom: `c_ID`, `c_ID[j]` with several, an atom-style variable.
    PerAtom,
    /// Local values: `c_ID[j]`, a column of them.
    Local,
}

/// Values per atom, in the order of the atoms in memory.
pub enum AtomColumn {
    /// Made for who asks.
    Own(Vec<f64>),
    /// Those that a compute has; of several, the number of the column from 0.
    Kept(Arc<Values>, usize),
}

impl Deref for AtomColumn {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            AtomColumn::Own(values) => values,
            AtomColumn::Kept(values, index) => match &values.atoms {
                Some(PerAtom::Vector(values)) => values,
                Some(PerAtom::Array(columns)) => &columns[*index],
                None => &[],
            },
        }
    }
}

impl<'a> Snapshot<'a> {
    /// The compute of an ID.
    ///
    /// # Errors
    /// When there is none.
    pub fn compute(&self, id: &str) -> Result<&'a dyn Compute> {
        let computes = &self.session.computes;
        computes.get(id).ok_or_else(|| unknown(Kind::Compute, id, computes.ids()))
    }

    /// The fix of an ID.
    ///
    /// # Errors
    /// When there is none.
    pub fn fix(&self, id: &str) -> Result<&'a dyn Fix> {
        let fixes = &self.session.fixes;
        let ids = fixes.iter().map(|fix| fix.header().id.as_str());
        let found = fixes.iter().find(|fix| fix.header().id == id);
        found.map(|fix| &**fix).ok_or_else(|| unknown(Kind::Fix, id, ids))
    }

    /// What a compute or fix can be asked for.
    ///
    /// # Errors
    /// When there is no such compute or fix, or the fix does not say and has no values now.
    pub fn shape(&self, reference: &Reference) -> Result<Shape> {
        match reference.kind {
            Kind::Compute => Ok(self.compute(&reference.id)?.shape()),
            _ => {
                let fix = self.fix(&reference.id)?;
                fix.shape().map_or_else(|| Ok(fix.values(self)?.shape()), Ok)
            }
        }
    }

    /// The elements of what [`Snapshot::list`] gives for a compute, where their number is known before they are measured.
    pub fn constant_length(&self, reference: &Reference) -> Option<usize> {
        let compute = self.session.computes.get(&reference.id).filter(|_| reference.kind == Kind::Compute)?;
        match reference.index[..] {
            [] => compute.shape().vector.filter(|&length| length > 0),
            _ => compute.rows(),
        }
    }

    /// The values of a compute or fix.
    pub(super) fn values(&self, reference: &Reference) -> Result<Arc<Values>> {
        match reference.kind {
            Kind::Compute => self.evaluate(&reference.id),
            _ => Ok(Arc::new(self.fix(&reference.id)?.values(self)?)),
        }
    }

    /// That what a reference names is there at the step that it is asked for: an average is made every so many steps, and in between there is none.
    ///
    /// # Errors
    /// When there is none at that step of a run.
    pub(super) fn check_made(&self, reference: &Reference) -> Result<()> {
        if reference.kind != Kind::Fix || self.simulation.is_none() {
            return Ok(());
        }
        let every = self.fix(&reference.id)?.made_every();
        let step = self.step;
        // A run that ends early shows what there is.
        let ends = || signals::signal().is_some() || self.session.timed_out();
        if step.unsigned_abs().is_multiple_of(every) || ends() {
            return Ok(());
        }
        let message = format!("fix {} has values every {every} steps, and none of step {step}", reference.id);
        Err(Error::new(message).help(format!("ask for them at steps that are multiples of {every}")))
    }

    /// That a reference has values of a form, as far as that is known before they are measured.
    ///
    /// # Errors
    /// When there is no such compute, fix or variable, or it has no such values.
    pub fn check(&self, reference: &Reference, form: Form) -> Result<()> {
        let Reference { kind, id, index } = reference;
        if *kind == Kind::Variable {
            return self.check_variable(reference, form);
        }
        let shape = self.shape(reference)?;
        let missing = |what: &str| Error::new(format!("{} {id} has no {what}", kind.name()));
        let within = |i: usize, most: Option<usize>, what: &str| match most {
            Some(most) if most == 0 || i <= most => Ok(()),
            Some(most) => Err(missing(&format!("{what} {i}: it has {most}"))),
            None => Err(missing(&format!("{what}s"))),
        };
        let columns = shape.atoms.filter(|&columns| columns > 0);
        let local = || shape.local.ok_or_else(|| missing("local values"));
        match (form, &index[..]) {
            (Form::Number, []) if shape.scalar => Ok(()),
            (Form::Number, []) => Err(single_value(reference, &shape, missing("single value"))),
            (Form::Number, [_]) if shape.atoms == Some(0) => Ok(()),
            (Form::Number, [i]) => within(*i, shape.vector, "element"),
            (Form::Number, [_, column]) => within(*column, shape.array.or(columns), "column"),
            (Form::Vector, []) if shape.vector.is_some() => Ok(()),
            (Form::Vector, []) if shape.array.is_some() => {
                Err(missing("vector").help(format!("write {reference}[1] for a column of its array")))
            }
            (Form::Vector, []) => Err(missing("vector")),
            (Form::Vector, [column]) => within(*column, shape.array, "column"),
            (Form::PerAtom, []) if shape.atoms == Some(0) => Ok(()),
            (Form::PerAtom, []) if columns.is_some() => {
                Err(missing("single column of values per atom").help(format!("write {reference}[1]")))
            }
            (Form::PerAtom, [_]) if shape.atoms == Some(0) => {
                Err(missing("columns: it has one value per atom"))
            }
            (Form::PerAtom, [column]) if columns.is_some() => within(*column, columns, "column"),
            (Form::PerAtom, _) => Err(missing("values per atom")),
            (Form::Local, []) => match local()? {
                1 => Ok(()),
                _ => Err(missing("single column of local values").help(format!("write {reference}[1]"))),
            },
            (Form::Local, [_]) if local()? == 1 => {
                Err(missing("columns: it has one value for each pair or bond"))
            }
            (Form::Local, [column]) => within(*column, Some(local()?), "column"),
            _ => Err(missing("values with such numbers in brackets")),
        }
    }

    fn check_variable(&self, reference: &Reference, form: Form) -> Result<()> {
        let (Reference { id, index, .. }, variables) = (reference, &self.session.script.variables);
        let misfit = |what: &str| Err(Error::new(format!("variable {id} {what}")));
        match (form, index.len()) {
            _ if !variables.contains(id) => misfit("is not defined"),
            (Form::PerAtom, 0) if variables.is_per_atom(id) => Ok(()),
            (Form::PerAtom, 0) => misfit("is not of style atom"),
            (Form::Number, 0) if variables.is_per_atom(id) => misfit("has a value per atom, not one"),
            (Form::Number, 0) if variables.is_vector(id) => {
                misfit("has a vector, not one value").map_err(|error| error.help(format!("write v_{id}[1]")))
            }
            (Form::Number, 0) => Ok(()),
            (Form::Number, 1) | (Form::Vector, 0) if variables.is_vector(id) => Ok(()),
            (Form::Vector, _) => misfit("is not of style vector"),
            (Form::Local, _) => misfit("has no local values"),
            _ => misfit("takes no numbers in brackets here"),
        }
    }

    /// Whether a number grows with the system, so that thermo output in `lj` units divides it by the number of atoms.
    ///
    /// # Errors
    /// When there is no such compute or fix.
    pub fn extensive(&self, reference: &Reference) -> Result<bool> {
        let Reference { kind, id, index } = reference;
        Ok(match (kind, &index[..]) {
            (Kind::Compute, []) => self.compute(id)?.extensive(),
            (Kind::Compute, [_]) => self.compute(id)?.vector_extensive(),
            (Kind::Fix, []) => self.fix(id)?.extensive(),
            (Kind::Fix, [element]) => self.fix(id)?.element_extensive(*element),
            _ => false,
        })
    }

    /// The references that `c_ID[*]` or `f_ID[2*3]` stands for: of elements of the vector where numbers are wanted, of
    /// columns where vectors or values per atom are.
    ///
    /// # Errors
    /// When there are not so many elements.
    pub fn elements(&self, range: &Elements, form: Form) -> Result<Vec<Reference>> {
        let Elements { whole, first, last } = range;
        let length = self.length(whole, form)?;
        let last = last.unwrap_or(length);
        if *first > last || last > length {
            return Err(Error::new(format!("{whole} has elements 1 to {length}, not {first} to {last}")));
        }
        memory::check((last - first + 1) as f64 * BYTES_OF_REFERENCE)?;
        Ok((*first..=last).map(|i| Reference { index: vec![i], ..whole.clone() }).collect())
    }

    fn length(&self, reference: &Reference, form: Form) -> Result<usize> {
        if reference.kind == Kind::Variable {
            let length = self.session.script.variables.vector(&reference.id, self).map(|values| values.len());
            return length.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) });
        }
        let shape = self.shape(reference)?;
        let length = match form {
            Form::Number if shape.vector == Some(0) => self.values(reference)?.vector.len(),
            Form::Number => shape.vector.unwrap_or(0),
            Form::Vector => shape.array.unwrap_or(0),
            Form::PerAtom => shape.atoms.unwrap_or(0),
            Form::Local => shape.local.unwrap_or(0),
        };
        let what = || Error::new(format!("{} {} has no elements", reference.kind.name(), reference.id));
        if length > 0 { Ok(length) } else { Err(what()) }
    }

    /// The values per atom of `c_ID`, `c_ID[i]`, `f_ID`, `f_ID[i]` or `v_NAME`, in the order of the atoms in memory.
    ///
    /// # Errors
    /// When what is named has none.
    pub fn per_atom(&self, reference: &Reference) -> Result<Vec<f64>> {
        Ok(match self.atom_column(reference)? {
            AtomColumn::Own(values) => values,
            kept => kept.to_vec(),
        })
    }

    /// The same, without a copy of what a compute has.
    ///
    /// # Errors
    /// When what is named has none.
    pub fn atom_column(&self, reference: &Reference) -> Result<AtomColumn> {
        self.check(reference, Form::PerAtom)?;
        if reference.kind == Kind::Variable {
            let values = self.session.script.variables.atoms(&reference.id, self);
            let values = values.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) });
            return values.map(AtomColumn::Own);
        }
        self.check_made(reference)?;
        let values = self.values(reference)?;
        let index = match (&values.atoms, &reference.index[..]) {
            (Some(PerAtom::Vector(_)), []) => 0,
            (Some(PerAtom::Array(columns)), [i]) if *i <= columns.len() => i - 1,
            _ => return Err(absent(reference)),
        };
        // Those of a fix are made anew for whoever asks: only the column is kept.
        let kept = AtomColumn::Kept(values, index);
        Ok(if reference.kind == Kind::Fix { AtomColumn::Own(kept.to_vec()) } else { kept })
    }

    /// A column of the local values of `c_ID[i]`.
    ///
    /// # Errors
    /// When what is named has none.
    pub fn local(&self, reference: &Reference) -> Result<Vec<f64>> {
        self.check(reference, Form::Local)?;
        let column = reference.index.first().map_or(0, |column| column - 1);
        self.values(reference)?.local.get(column).cloned().ok_or_else(|| absent(reference))
    }

    /// The vector of `c_ID` or `f_ID`, or of `c_ID[j]`, `f_ID[j]` the j-th column of the array.
    ///
    /// # Errors
    /// When what is named has none.
    pub fn list(&self, reference: &Reference) -> Result<Vec<f64>> {
        self.check(reference, Form::Vector)?;
        if reference.kind == Kind::Variable {
            let values = self.session.script.variables.vector(&reference.id, self);
            return values.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) });
        }
        self.check_made(reference)?;
        let values = self.values(reference)?;
        match reference.index[..] {
            [j] => {
                let column = values.array.iter().map(|row| row.get(j - 1).copied());
                column.collect::<Option<Vec<f64>>>().ok_or_else(|| absent(reference))
            }
            _ => Ok(values.vector.clone()),
        }
    }

    /// One value: `c_ID`, `c_ID[i]`, `c_ID[i][j]`, the same of fixes, or an equal-style variable. Where there
    /// are values per atom, the first number is the ID of an atom.
    ///
    /// # Errors
    /// When what is named has none, or none of this step of a run.
    pub fn number(&self, reference: &Reference) -> Result<f64> {
        self.check_made(reference)?;
        self.last_number(reference)
    }

    /// The same, or where a fix has made none at this step, the last one that it has made: for the last row of thermo output.
    ///
    /// # Errors
    /// When what is named has none.
    pub fn last_number(&self, reference: &Reference) -> Result<f64> {
        let Reference { kind, id, index } = reference;
        if *kind == Kind::Variable {
            if let [element] = index[..] {
                let values = self.session.script.variables.vector(id, self);
                let values =
                    values.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })?;
                // A formula's may get longer: elements to come are 0, as in LAMMPS.
                let to_come = self.session.script.variables.may_grow(id).then_some(0.0);
                let found = values.get(element - 1).copied().or(to_come);
                return found.ok_or_else(|| absent(reference));
            }
            let value = self.session.script.variables.number(id, self);
            return value.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) });
        }
        self.check(reference, Form::Number)?;
        let values = self.values(reference)?;
        let found = match (&index[..], &values.atoms) {
            ([], _) => values.scalar,
            ([tag], Some(PerAtom::Vector(column))) => Some(self.of_atom(column, *tag)?),
            ([i], _) => values.vector.get(i - 1).copied(),
            ([tag, i], Some(PerAtom::Array(columns))) if *i <= columns.len() => {
                Some(self.of_atom(&columns[i - 1], *tag)?)
            }
            ([row, column], _) => values.array.get(row - 1).and_then(|row| row.get(column - 1)).copied(),
            _ => None,
        };
        match found {
            // Fixes collect rows and elements in the course of a run: those to come are 0, as in LAMMPS.
            None if *kind == Kind::Fix && !index.is_empty() && values.atoms.is_none() => Ok(0.0),
            found => found.ok_or_else(|| absent(reference)),
        }
    }
}

/// The error of what has no single value, with what to write instead.
fn single_value(reference: &Reference, shape: &Shape, error: Error) -> Error {
    let name = reference;
    if shape.vector.is_some() {
        return error.help(format!("write {name}[1] for an element of its vector"));
    }
    if shape.array.is_some() {
        return error.help(format!("write {name}[1][1] for an element of its array"));
    }
    match (shape.atoms, shape.local) {
        (Some(0), _) => {
            error.help(format!("`compute NAME all reduce sum {name}` makes a number of its values per atom"))
        }
        (Some(_), _) => error
            .help(format!("`compute NAME all reduce sum {name}[1]` makes a number of its values per atom")),
        (None, Some(columns)) => {
            let column = if columns > 1 { "[1]" } else { "" };
            error.help(format!(
                "`compute NAME all reduce sum {name}{column} inputs local` makes a number of its local values"
            ))
        }
        _ => error,
    }
}

/// The error where the number of elements was not known before.
fn absent(reference: &Reference) -> Error {
    Error::new(format!("{} {} has no {reference} now", reference.kind.name(), reference.id))
}

fn unknown<'n>(kind: Kind, id: &str, known: impl Iterator<Item = &'n str>) -> Error {
    let error = Error::new(format!("there is no {} '{id}'", kind.name()));
    match closest(id, known) {
        Some(known) => error.help(format!("did you mean '{known}'?")),
        None => error,
    }
}
