//! `fix ID GROUP ave/atom Nevery Nrepeat Nfreq VALUE ...`: values per atom, averaged over steps. Source: LAMMPS manual,
//! `fix ave/atom`.

use super::average::{Averages, Schedule, need_tally};
use super::{Fix, Header, World};
use crate::compute::{PerAtom, Shape, Values};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::{AtomValue, System};
use std::cell::RefCell;
use std::collections::HashMap;

/// Values by the ID of their atom.
type ByTag = HashMap<u32, Vec<f64>>;

struct AveAtom {
    header: Header,
    schedule: Schedule,
    inputs: Vec<AtomValue>,
    /// Sums over the samples of the current average.
    sums: RefCell<ByTag>,
    /// The last average.
    means: RefCell<ByTag>,
}

/// Takes `Nevery Nrepeat Nfreq` and values per atom.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let schedule = Schedule::read(args)?;
    let mut inputs = Vec::new();
    while inputs.is_empty() || !args.is_empty() {
        let word = args.word("a value per atom")?;
        inputs.extend(AtomValue::read(state, args, word)?);
    }
    let (sums, means) = Default::default();
    Ok(Box::new(AveAtom { header, schedule, inputs, sums, means }))
}

impl Averages for AveAtom {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, state: &State) -> bool {
        need_tally(state, self.inputs.iter().filter_map(AtomValue::input))
    }

    fn sample(&self, world: &mut World<'_>) -> Result<()> {
        let system = world.system();
        let columns: Vec<Vec<f64>> =
            self.inputs.iter().map(|input| input.get(&system)).collect::<Result<_>>()?;
        let tags = &system.atoms()?.tag;
        let mut sums = self.sums.borrow_mut();
        if self.schedule.fresh() {
            sums.clear();
        }
        for i in system.indices(self.header.group, None)? {
            let sums = sums.entry(tags[i]).or_insert_with(|| vec![0.0; columns.len()]);
            sums.iter_mut().zip(&columns).for_each(|(sum, column)| *sum += column[i]);
        }
        if self.schedule.taken() {
            let repeat = self.schedule.repeat as f64;
            let mut means = std::mem::take(&mut *sums);
            means.values_mut().flatten().for_each(|sum| *sum /= repeat);
            *self.means.borrow_mut() = means;
        }
        Ok(())
    }

    fn shape(&self) -> Shape {
        Shape::per_atom(self.inputs.len())
    }

    /// 0 for atoms that are not in the group, and before the first average.
    fn values(&self, system: &System<'_>) -> Result<Values> {
        let means = self.means.borrow();
        let tags = &system.atoms()?.tag;
        let mean = |tag: &u32, column: usize| means.get(tag).map_or(0.0, |means| means[column]);
        let column = |column: usize| tags.iter().map(|tag| mean(tag, column)).collect();
        Ok(Values::per_atom(PerAtom::from_columns((0..self.inputs.len()).map(column).collect())))
    }
}
