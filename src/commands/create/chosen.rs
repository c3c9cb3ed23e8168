//! Which places get atoms: those that a variable wants (`var`, `set`), and of them a part chosen at random (`ratio`,
//! `subset`). Source: LAMMPS manual, `create_atoms`.

use crate::base::error::{Error, Result};
use crate::base::random::Ranmar;
use crate::model::atoms::Atoms;
use crate::script::seed;
use crate::script::{Args, Word};
use crate::session::Session;

/// Whether an atom is wanted at a place.
pub(super) type Wanted<'a> = dyn Fn([f64; 3]) -> Result<bool> + 'a;

/// An equal-style variable that is not 0 where atoms are wanted, and the internal variables that tell it where that is.
#[derive(Default)]
pub(super) struct Test {
    variable: Option<String>,
    /// For x, y and z.
    coordinates: [Option<String>; 3],
}

impl Test {
    /// `var NAME`.
    pub(super) fn variable(&mut self, session: &Session, args: &mut Args<'_>) -> Result<()> {
        let word = args.word("an equal-style variable")?;
        if !session.script.variables.is_equal(&word.text) {
            return Err(args.error(word, format_args!("there is no equal-style variable '{}'", word.text)));
        }
        self.variable = Some(word.text.clone());
        Ok(())
    }

    /// `set x|y|z NAME`; an internal variable that is not there is made.
    pub(super) fn coordinate(&mut self, session: &mut Session, args: &mut Args<'_>) -> Result<()> {
        let axis = args.one_of("coordinate", &[("x", 0), ("y", 1), ("z", 2)])?;
        let word = args.word("an internal variable")?;
        session.script.variables.make_internal(&word.text).map_err(|fault| args.fault(word, fault))?;
        self.coordinates[axis] = Some(word.text.clone());
        Ok(())
    }

    /// Refuses one of `var` and `set` without the other.
    pub(super) fn check(&self, args: &Args<'_>) -> Result<()> {
        let told = self.coordinates.iter().any(Option::is_some);
        match &self.variable {
            Some(_) if !told => Err(args.error_here("`var` needs `set x`, `set y` or `set z`, too")),
            None if told => Err(args.error_here("`set` needs `var NAME`, too")),
            _ => Ok(()),
        }
    }

    /// Whether the variable wants an atom at a place.
    pub(super) fn wants(&self, session: &Session, x: [f64; 3]) -> Result<bool> {
        let Some(variable) = &self.variable else { return Ok(true) };
        let value = || {
            for (name, x) in self.coordinates.iter().zip(x) {
                name.iter().try_for_each(|name| session.script.variables.set_internal(name, x))?;
            }
            session.script.variables.number(variable, &session.now())
        };
        value().map(|x| x != 0.0).map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })
    }
}

/// A part of the places on a lattice.
pub(super) enum Part {
    /// `ratio FRACTION SEED`.
    Ratio(f64, u32),
    /// `subset N SEED`.
    Subset(usize, u32),
}

impl Part {
    /// Takes the two numbers after a keyword.
    pub(super) fn read(args: &mut Args<'_>, keyword: &Word) -> Result<Self> {
        if keyword.text == "subset" {
            return Ok(Part::Subset(args.count("a number of atoms", 1)? as usize, seed::mars(args)?));
        }
        let word = args.peek();
        let fraction = args.f64("a fraction above 0 and up to 1")?;
        match word.filter(|_| !(fraction > 0.0 && fraction <= 1.0)) {
            Some(word) => {
                Err(args.error(word, format_args!("'{}' is not a fraction above 0 and up to 1", word.text)))
            }
            None => Ok(Part::Ratio(fraction, seed::mars(args)?)),
        }
    }

    /// Keeps of the atoms from `before` on those that are chosen; their IDs follow on one another.
    ///
    /// # Errors
    /// When there are fewer than are to be chosen.
    pub(super) fn keep(&self, atoms: &mut Atoms, before: usize) -> Result<()> {
        let places = atoms.len() - before;
        let (wanted, seed) = match *self {
            Part::Ratio(fraction, seed) => ((fraction * places as f64) as usize, seed),
            Part::Subset(wanted, seed) => (wanted, seed),
        };
        if wanted > places {
            return Err(Error::new(format!(
                "{wanted} atoms are more than the {places} places on the lattice"
            )));
        }
        let first = atoms.tag.get(before).copied().unwrap_or_default();
        let chosen = Ranmar::new(seed).choose(wanted, places);
        atoms.retain(|i| i < before || chosen[i - before]);
        atoms.tag[before..].iter_mut().zip(first..).for_each(|(tag, new)| *tag = new);
        Ok(())
    }
}
