//! `fix ID GROUP ave/atom Nevery Nrepeat Nfreq VALUE ...`: values per atom, averaged over steps. Source: LAMMPS manual,
//! `fix ave/atom`.

use super::average::{Averages, Schedule, need_tally};
use crate::base::error::Result;
use crate::base::parallel;
use crate::gpu::record::Section;
use crate::gpu::{Buffer, Gpu};
use crate::model::atoms::ById;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::compute::{PerAtom, Shape, Values};
use crate::session::fix::{Fix, FixContext, Header};
use crate::session::snapshot::AtomValue;
use crate::session::snapshot::view::Snapshot;
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
    /// Those that the device has made: a row per ID from 1 on.
    on_device: RefCell<Option<(Gpu, Buffer<f64>)>>,
    /// The last average.
    means: RefCell<ByTag>,
}

/// Takes `Nevery Nrepeat Nfreq` and values per atom.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let schedule = Schedule::read(args)?;
    let mut inputs = Vec::new();
    while inputs.is_empty() || !args.is_empty() {
        let word = args.word("a value per atom")?;
        inputs.extend(AtomValue::read(session, args, word)?);
    }
    let (sums, on_device, means) = Default::default();
    Ok(Box::new(AveAtom { header, schedule, inputs, sums, on_device, means }))
}

/// The device adds up no more rows than this, and than so many per atom.
const MOST_ROWS: usize = 1 << 16;
const PER_ATOM: usize = 4;

impl AveAtom {
    /// Adds a sample by the device; `false` where the host has to.
    fn add_on_device(&self, system: &Snapshot<'_>) -> Result<bool> {
        let (Some(run), width) = (system.simulation, self.inputs.len()) else { return Ok(false) };
        let recipes = self.inputs.iter().map(|input| input.recipe(system));
        let recipes: Option<Vec<AtomExpr>> = if system.works_out() { recipes.collect() } else { None };
        let atoms = &system.session.system.host_atoms;
        let rows = atoms.tag.iter().max().map_or(0, |&most| most as usize);
        let Some(recipes) = recipes.filter(|_| rows <= MOST_ROWS.max(PER_ATOM * atoms.len())) else {
            return Ok(false);
        };
        let Some(worked) = system.work_out(&recipes)? else { return Ok(false) };
        // A value that is not finite is for the host to explain.
        if worked.moments(self.header.group)?.is_none() {
            return Ok(false);
        }
        let gpu = &run.atoms.context.gpu;
        // Between two runs a system of few atoms may have gone to one core of the device, or come from there.
        if self.on_device.borrow().as_ref().is_some_and(|(owner, _)| !owner.is(gpu)) {
            self.collect()?;
        }
        let mut sums = self.on_device.borrow_mut();
        if sums.as_ref().is_none_or(|(_, sums)| sums.len() < width * rows) {
            let new = gpu.buffer("sums by ID", width * rows)?;
            new.clear(Section::Modify, 0..width * rows)?;
            if let Some((_, old)) = sums.take() {
                new.copy_from(Section::Modify, &old, 0..old.len(), 0)?;
            }
            *sums = Some((gpu.clone(), new));
        }
        if let Some((_, sums)) = &*sums {
            worked.add_by_id(self.header.group, sums)?;
        }
        Ok(true)
    }

    /// Adds what the device has added up to the host's sums.
    fn collect(&self) -> Result<()> {
        let Some((_, sums)) = self.on_device.take() else { return Ok(()) };
        let (width, sums) = (self.inputs.len(), sums.read_agreed(Section::Modify, 0..sums.len())?);
        let tags: Vec<u32> = (1..).take(sums.len() / width).collect();
        self.sums.borrow_mut().add(width, &tags, &sums);
        Ok(())
    }
}

impl ByTag {
    /// Adds rows of so many numbers, one after another, of these IDs.
    fn add(&mut self, width: usize, tags: &[u32], rows: &[f64]) {
        let ByTag { place, values } = self;
        let new: Vec<u32> = tags.iter().copied().filter(|&tag| place.get(tag).is_none()).collect();
        let first = values.len();
        values.resize(first + width * new.len(), 0.0);
        place.extend(new.into_iter().enumerate().map(|(k, tag)| (tag, first + width * k)));
        for (&tag, row) in tags.iter().zip(rows.chunks_exact(width)) {
            let sums = &mut values[place.get(tag).copied().unwrap_or_default()..];
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    }
}

impl Averages for AveAtom {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, session: &Session) -> bool {
        need_tally(session, self.inputs.iter().filter_map(AtomValue::input))
    }

    fn sample(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        if self.schedule.fresh() {
            self.on_device.take();
            self.sums.take();
        }
        if !self.add_on_device(&system)? {
            let columns: Vec<Vec<f64>> = self
                .inputs
                .iter()
                .map(|input| input.get(&system, self.header.group))
                .collect::<Result<_>>()?;
            let (tags, width) = (&system.atoms()?.tag, columns.len());
            let members = system.indices(self.header.group, None)?;
            let rows: Vec<f64> =
                members.iter().flat_map(|&i| columns.iter().map(move |column| column[i])).collect();
            let tags: Vec<u32> = members.iter().map(|&i| tags[i]).collect();
            self.sums.borrow_mut().add(width, &tags, &rows);
        }
        if self.schedule.taken() {
            self.collect()?;
            let (mut sums, repeat) = (self.sums.take(), self.schedule.repeat as f64);
            sums.values.iter_mut().for_each(|sum| *sum /= repeat);
            self.means.replace(sums);
        }
        Ok(())
    }

    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        // Where the device fails, the run that follows says so.
        let _ = self.collect();
        for ByTag { place, .. } in [self.sums.get_mut(), self.means.get_mut()] {
            *place = place.renumbered(ids);
        }
    }

    fn shape(&self) -> Shape {
        Shape::per_atom(self.inputs.len())
    }

    /// 0 for atoms that are not in the group, and before the first average.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let means = self.means.borrow();
        let tags = &system.atoms()?.tag;
        let ByTag { place, values } = &*means;
        let mean = |tag: u32, column: usize| place.get(tag).map_or(0.0, |row| values[row + column]);
        let column = |column: usize| parallel::map(tags.len(), |i| mean(tags[i], column));
        Ok(Values::per_atom(PerAtom::from_columns((0..self.inputs.len()).map(column).collect())))
    }
}
