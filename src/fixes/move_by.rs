//! `fix move variable`: displacements and velocities by formulas, the same for all atoms or of each its own. Source: LAMMPS
//! manual, `fix move`.

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::fix::{FixContext, Quantity, StepContext};
use std::cell::Cell;

/// The displacements and the velocities along the axes, as far as they are given.
pub(super) struct Variables {
    sources: [Option<Quantity>; 6],
    /// Whether they are made from energies or virials, known when a run begins.
    tallies: Cell<bool>,
}

impl Variables {
    /// Takes six variables or `NULL`.
    pub(super) fn read(session: &Session, args: &mut Args<'_>) -> Result<Self> {
        let mut sources = [const { None }; 6];
        for (k, source) in sources.iter_mut().enumerate() {
            if args.accept("NULL") {
                continue;
            }
            let what = "a displacement or velocity as v_NAME, or NULL";
            let word = args.peek();
            if let Some(word) = word.filter(|word| !word.text.starts_with("v_")) {
                return Err(args.error(word, format_args!("'{}' is not {what}", word.text)));
            }
            *source = Some(Quantity::read_each(session, args, what, 1.0)?);
            if let Some(word) = word.filter(|_| k % 3 == 2 && session.system.dimension == 2) {
                return Err(args.error(word, "a 2d system does not move along z"));
            }
        }
        Ok(Variables { sources, tallies: Cell::new(false) })
    }

    /// Those of style atom, with their places.
    fn of_atoms(&self) -> impl Iterator<Item = (usize, &Reference)> {
        let sources = self.sources.iter().enumerate();
        sources.filter_map(|(k, source)| Some((k, source.as_ref()?.of_atoms()?)))
    }

    /// Whether some differ from atom to atom.
    pub(super) fn differ(&self) -> bool {
        self.of_atoms().next().is_some()
    }

    /// Whether steps must tally, once [`Variables::begin_run`] has found out.
    pub(super) fn tallies(&self) -> bool {
        self.tallies.get()
    }

    /// Finds out whether steps must tally.
    pub(super) fn begin_run(&self, session: &Session) {
        self.tallies.set(self.of_atoms().any(|(_, variable)| session.needs_tally(variable)));
    }

    /// Which are given, their values (0 for those of atoms), and how many rows the table of atoms has, 0 without one.
    pub(super) fn parameters(&self, now: &StepContext<'_>, rows: usize) -> Result<Vec<f64>> {
        let given = self.sources.each_ref().map(|source| f64::from(u8::from(source.is_some())));
        let mut values = [0.0; 6];
        for (value, source) in values.iter_mut().zip(&self.sources) {
            if let Some(quantity) = source {
                *value = now.value(quantity)?;
            }
        }
        Ok([&given[..], &values, &[if self.differ() { rows as f64 } else { 0.0 }]].concat())
    }

    /// The table for the next step, by atom ID: where atoms began with their displacements, then their velocities.
    pub(super) fn table(&self, context: &FixContext<'_>, origins: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
        // As in LAMMPS, of the atoms as they are before they move, but with the number of the step to come.
        let next = context.moment().at(context.session.clock.step + 1);
        let tags = context.system().atoms()?.tag.clone();
        let mut table = [origins, &vec![[0.0; 3]; origins.len()]].concat();
        for (k, variable) in self.of_atoms() {
            let values = context.session.script.variables.atoms(&variable.id, &next);
            let values = values.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })?;
            let first = if k < 3 { 0 } else { origins.len() };
            for (&tag, value) in tags.iter().zip(values) {
                table[first + tag as usize - 1][k % 3] += value;
            }
        }
        Ok(table)
    }
}
