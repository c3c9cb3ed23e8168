//! `fix ID GROUP pair N STYLE NAME FLAG ...`: what a pair style makes of each atom on the way to its forces, every N steps: of eam and its
//! like the density (`rho`) and the slope of the embedding energy there (`fp`). Source: LAMMPS manual, `fix pair`, `pair_style eam`.
//!
//! The host works them out from positions, in double precision whatever that of the kernels.

use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::steps::next_multiple;
use crate::model::atoms::ById;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Neighbors, PerAtom, Shape, Values};
use crate::session::fix::{Fix, FixContext, FixMemory, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use std::cell::RefCell;

struct PairValues {
    header: Header,
    /// Steps between.
    every: u64,
    /// The pair style.
    style: String,
    /// The places of the names among those of the style.
    columns: Vec<usize>,
    /// A row of values per atom, as they were the last time.
    rows: RefCell<ById<Vec<f64>>>,
}

/// Takes how often, the pair style, and names with their flags.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between", 1)?;
    let pair = session.force_field.pair.as_ref();
    let pair = pair.ok_or_else(|| {
        args.error_here("there is no pair style yet").help("write `pair_style` and `pair_coeff` before")
    })?;
    let word = args.word("a pair style")?;
    let style = word.text.clone();
    let place = match pair.places(&style)[..] {
        [] => return Err(args.unknown(word, "pair style of the script", pair.styles())),
        [place] => place,
        _ => {
            let error = args.error(word, format_args!("there are several of pair style {style}"));
            return Err(error.help(format!("write `{style}:1`, `{style}:2` and so on")));
        }
    };
    let names = pair.names_of_atoms(place);
    if names.is_empty() {
        let error = args.error(word, format_args!("pair_style {style} has no values of atoms to show"));
        return Err(error.help("eam, eam/alloy, eam/fs and eam/he have `rho` and `fp`"));
    }
    let mut columns = Vec::new();
    while columns.is_empty() || !args.is_empty() {
        let word = args.word("a name of values")?;
        let found = names.iter().position(|name| *name == word.text);
        columns.push(found.ok_or_else(|| {
            args.unknown(word, &format!("name of values of pair_style {style}"), names.iter().copied())
        })?);
        if let Some(flag) = args.peek().filter(|flag| flag.text == "1") {
            let error = args.error(flag, format_args!("{} needs nothing to have it made", word.text));
            return Err(error.help(format!("write `{} 0`", word.text)));
        }
        args.one_of("flag: 0, or 1 for values that are made on demand", &[("0", ())])?;
    }
    Ok(Box::new(PairValues { header, every, style, columns, rows: RefCell::default() }))
}

impl PairValues {
    /// Takes the values of all atoms as they are now.
    fn take(&self, system: &Snapshot<'_>) -> Result<()> {
        let gone = || Error::new(format!("pair_style {} is not there any more", self.style));
        let pair = system.session.force_field.pair.as_ref().ok_or_else(gone)?;
        let places = pair.places(&self.style);
        let place = *places.first().filter(|_| places.len() == 1).ok_or_else(gone)?;
        let resolved = pair.resolve()?;
        let (atoms, reach) = (system.atoms()?, resolved.longest_cutoff());
        let (neighbors, columns) = (Neighbors::new(system, reach)?, &self.columns);
        let rows = parallel::map(atoms.len(), |i| {
            let mut around = Vec::new();
            neighbors.visit(i, |j, _, rsq| around.push((atoms.kind[j] as usize, rsq)));
            let values = resolved.values_of_atom(place, atoms.kind[i] as usize, &around);
            let row: Vec<f64> = columns.iter().map(|&k| values[k]).collect();
            (atoms.tag[i], row)
        });
        *self.rows.borrow_mut() = rows.into_iter().collect();
        Ok(())
    }
}

impl Fix for PairValues {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl HostFix for PairValues {
    fn next(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    /// Also before the first step of a run and in minimizations, where the step is one of its own.
    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        let now = context.session.clock.step;
        if self.next(now - 1) == Some(now) { self.take(&context.system()) } else { Ok(()) }
    }
}

impl FixOutput for PairValues {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::per_atom(self.columns.len()))
    }

    /// 0 before the first time.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (tags, rows) = (&system.atoms()?.tag, self.rows.borrow());
        Ok(Values::per_atom(PerAtom::from_rows(tags, &rows, self.columns.len())))
    }
}

impl FixMemory for PairValues {
    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        let rows = self.rows.get_mut();
        *rows = rows.renumbered(ids);
    }
}
