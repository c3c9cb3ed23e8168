//! Numbers that fixes are given as such or as variables. A variable may be defined after the fix: it is looked up whenever a
//! run is set up, as in LAMMPS.

use crate::base::error::{Error, Result, Source};
use crate::script::formula::Reference;
use crate::script::variables::Variables;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::{Rc, Weak};

/// A number, or a variable that is evaluated when the number is needed.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// As written.
    Number(f64),
    /// `v_NAME`.
    Variable(Rc<Named>),
}

/// What styles of variables there may be for a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Styles {
    Equal,
    Atom,
    EqualOrAtom,
}

/// A variable that a fix names, with its place in the script.
#[derive(Debug, PartialEq)]
pub struct Named {
    pub(super) reference: Reference,
    pub(super) styles: Styles,
    /// Whether it is of style atom, as far as that is known.
    pub(super) of_atoms: Cell<bool>,
    pub(super) source: Source,
    pub(super) span: Range<usize>,
}

/// The variables that the fixes of a script name.
#[derive(Default)]
pub struct NamedVariables(pub(super) RefCell<Vec<Weak<Named>>>);

impl NamedVariables {
    /// Looks them up when a run is set up.
    ///
    /// # Errors
    /// At the word of a fix whose variable is not defined, or of another style.
    pub fn look_up(&self, variables: &Variables) -> Result<()> {
        let mut named = self.0.borrow_mut();
        named.retain(|named| named.strong_count() > 0);
        named.iter().filter_map(Weak::upgrade).try_for_each(|named| named.look_up(variables))
    }
}

impl NamedVariables {
    /// The variables themselves.
    pub fn references(&self) -> Vec<Reference> {
        self.0.borrow().iter().filter_map(Weak::upgrade).map(|named| named.reference.clone()).collect()
    }
}

impl Named {
    /// The variable's name.
    pub fn name(&self) -> &str {
        &self.reference.id
    }

    pub(super) fn look_up(&self, variables: &Variables) -> Result<()> {
        let name = self.name();
        let error =
            |message: String| Err(Error::new(message).about("fix").at(&self.source, self.span.clone()));
        if !variables.contains(name) {
            return error(format!("variable {name} is not defined"))
                .map_err(|error| error.help(format!("define it before the run: variable {name} equal ...")));
        }
        let (equal, atom) = (variables.is_equal(name), variables.is_per_atom(name));
        self.of_atoms.set(atom);
        match self.styles {
            Styles::Equal if !equal => error(format!("variable {name} is not of style equal")),
            Styles::Atom if !atom => error(format!("variable {name} is not of style atom")),
            Styles::EqualOrAtom if !equal && !atom => {
                error(format!("variable {name} is neither of style equal nor of style atom"))
            }
            _ => Ok(()),
        }
    }
}

impl Quantity {
    /// Whether it may change.
    pub fn varies(&self) -> bool {
        matches!(self, Quantity::Variable(_))
    }

    /// The variable that gives each atom its own, where it is one.
    pub fn of_atoms(&self) -> Option<&Reference> {
        match self {
            Quantity::Variable(named) if named.of_atoms.get() => Some(&named.reference),
            _ => None,
        }
    }
}
