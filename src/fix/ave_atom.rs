//! `fix ID GROUP ave/atom Nevery Nrepeat Nfreq VALUE ...`: values per atom, averaged over steps. Source: LAMMPS manual,
//! `fix ave/atom`.

use super::average::{Averages, Schedule, need_tally};
use super::{Fix, Header, World};
use crate::atoms::ById;
use crate::compute::{PerAtom, Shape, Values};
use crate::error::Result;
use crate::parallel;
use crate::script::Args;
use crate::state::State;
use crate::system::{AtomValue, System};
use std::cell::RefCell;

/// Rows of values by the ID of their atom.
#[derive(Default)]
struct ByTag {
    place: ById<usize>,
    values: Vec<f64>,
}

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
            self.inputs.iter().map(|input| input.get(&system, self.header.group)).collect::<Result<_>>()?;
        let tags = &system.atoms()?.tag;
        let mut sums = self.sums.borrow_mut();
        if self.schedule.fresh() {
            *sums = ByTag::default();
        }
        let ByTag { place, values } = &mut *sums;
        let members = system.indices(self.header.group, None)?;
        let new: Vec<u32> =
            members.iter().map(|&i| tags[i]).filter(|&tag| place.get(tag).is_none()).collect();
        let (first, width) = (values.len(), columns.len());
        values.resize(first + width * new.len(), 0.0);
        place.extend(new.into_iter().enumerate().map(|(k, tag)| (tag, first + width * k)));
        for &i in &members {
            let row = &mut values[place.get(tags[i]).copied().unwrap_or_default()..];
            row.iter_mut().zip(&columns).for_each(|(sum, column)| *sum += column[i]);
        }
        if self.schedule.taken() {
            let repeat = self.schedule.repeat as f64;
            values.iter_mut().for_each(|sum| *sum /= repeat);
            *self.means.borrow_mut() = std::mem::take(&mut *sums);
        }
        Ok(())
    }

    fn renumber(&mut self, ids: &[(u32, u32)]) {
        for ByTag { place, .. } in [self.sums.get_mut(), self.means.get_mut()] {
            *place = ids.iter().filter_map(|&(old, new)| Some((new, *place.get(old)?))).collect();
        }
    }

    fn shape(&self) -> Shape {
        Shape::per_atom(self.inputs.len())
    }

    /// 0 for atoms that are not in the group, and before the first average.
    fn values(&self, system: &System<'_>) -> Result<Values> {
        let means = self.means.borrow();
        let tags = &system.atoms()?.tag;
        let ByTag { place, values } = &*means;
        let mean = |tag: u32, column: usize| place.get(tag).map_or(0.0, |row| values[row + column]);
        let column = |column: usize| parallel::map(tags.len(), |i| mean(tags[i], column));
        Ok(Values::per_atom(PerAtom::from_columns((0..self.inputs.len()).map(column).collect())))
    }
}
