//! `fix ID GROUP ave/grid Nevery Nrepeat Nfreq Nx Ny Nz VALUE ...`: values per atom averaged over the atoms in the cells of a
//! grid and over steps, or values of another grid's cells averaged over steps. Source: LAMMPS manual, `fix ave/grid`.

use super::average::{Averages, Binned, Bins, Mean, Norm, Options, Schedule};
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::parallel;
use crate::script::Args;
use crate::session::Session;
use crate::session::cell_grid::Grid;
use crate::session::compute::{GridShape, GridValues, Shape, Values};
use crate::session::fix::{Fix, FixContext, Header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{GridValue, Places};
use std::cell::RefCell;

/// What is averaged.
enum Origin {
    Atoms(Binned),
    /// With the sums of the current average, column by column.
    Cells(Vec<GridValue>, RefCell<Vec<Vec<f64>>>),
}

struct AveGrid {
    header: Header,
    schedule: Schedule,
    grid: Grid,
    origin: Origin,
    /// `discard no`: atoms outside of the grid count in the nearest cell.
    keep: bool,
    options: Options,
    mean: RefCell<Mean>,
}

const KEYWORDS: [&str; 6] = ["discard", "norm", "ave", "bias", "adof", "cdof"];

/// Takes `Nevery Nrepeat Nfreq`, the cells along each axis, values of one kind and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let schedule = Schedule::read(args)?;
    let grid = Grid::read(session.system.dimension, args)?;
    let mut origin = origin(session, args, grid)?;
    let (mut keep, mut options) = (false, Options::new());
    while let Some(word) = args.peek() {
        let keyword = args.one_of("value or keyword of fix ave/grid", &KEYWORDS.map(|name| (name, name)))?;
        match &mut origin {
            _ if keyword == "ave" => _ = options.keyword(word, args)?,
            Origin::Cells(..) => {
                let message = format_args!("'{keyword}' is for values of atoms, not of a grid");
                return Err(args.error(word, message));
            }
            Origin::Atoms(_) if keyword == "discard" => keep = !args.yes_no()?,
            Origin::Atoms(binned) => _ = binned.keyword(word, session, args)?,
        }
    }
    let fix = AveGrid { header, schedule, grid, origin, keep, options, mean: RefCell::default() };
    let last = args.taken().last().unwrap_or(&args.taken()[0]);
    memory::check(fix.bytes()).map_err(|error| args.place(last, error))?;
    Ok(Box::new(fix))
}

/// Takes values of atoms or of a grid's cells.
fn origin(session: &Session, args: &mut Args<'_>, grid: Grid) -> Result<Origin> {
    let mut values = Vec::new();
    while let Some(word) = args.peek().filter(|word| word.text.contains(':')) {
        args.word("a value")?;
        for value in
            GridValue::read(session, args, word)?.ok_or_else(|| Binned::no_value(args, "ave/grid"))?
        {
            let theirs = value.grid(&session.now())?;
            if theirs != grid {
                let [x, y, z] = theirs.size;
                let message = format!("{value} is on a grid of {x} by {y} by {z} cells, not on this one");
                return Err(args.error(word, message));
            }
            values.push(value);
        }
    }
    let binned = Binned::read(session, args)?;
    match (values.is_empty(), binned.len()) {
        (true, 0) => Err(Binned::no_value(args, "ave/grid")),
        (true, _) if args.peek().is_none_or(|word| !word.text.contains(':')) => Ok(Origin::Atoms(binned)),
        (false, 0) => Ok(Origin::Cells(values, RefCell::default())),
        _ => {
            Err(args.error_here("values of atoms and of grids cannot be averaged by one fix").help("use two"))
        }
    }
}

impl AveGrid {
    fn columns(&self) -> usize {
        match &self.origin {
            Origin::Atoms(binned) => binned.len(),
            Origin::Cells(values, _) => values.len(),
        }
    }

    /// What all cells take: a sample, its sums, the mean and what it is made of.
    fn bytes(&self) -> f64 {
        let (cells, averages) = (self.grid.cells() as f64, self.options.combine.kept() as f64);
        let columns = self.columns() as f64;
        match &self.origin {
            Origin::Cells(..) => cells * columns * 8.0 * (3.0 + averages),
            Origin::Atoms(_) => cells * (2.0 * 24.0 + (1.0 + columns) * 8.0 * (4.0 + averages)),
        }
    }

    /// Adds a sample of other grids' values; the average, column by column, where it was the last one.
    fn add_cells(&self, system: &Snapshot<'_>) -> Result<Option<Vec<Vec<f64>>>> {
        let Origin::Cells(values, sums) = &self.origin else { return Ok(None) };
        let mut sums = sums.borrow_mut();
        if self.schedule.fresh() {
            *sums = vec![vec![0.0; self.grid.cells()]; values.len()];
        }
        for (sums, value) in sums.iter_mut().zip(values) {
            let (_, cells) = value.get(system)?;
            if cells.len() != sums.len() {
                return Err(Error::new(format!("{value} is on another grid now")));
            }
            sums.iter_mut().zip(cells).for_each(|(sum, x)| *sum += x);
        }
        if !self.schedule.taken() {
            return Ok(None);
        }
        sums.iter_mut().flatten().for_each(|sum| *sum /= self.schedule.repeat as f64);
        Ok(Some(std::mem::take(&mut *sums)))
    }
}

impl Averages for AveGrid {
    fn header(&self) -> &Header {
        &self.header
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn needs_tally(&self, session: &Session) -> bool {
        match &self.origin {
            Origin::Atoms(binned) => binned.needs_tally(session),
            Origin::Cells(values, _) => values.iter().any(|value| session.needs_tally(&value.reference)),
        }
    }

    fn sample(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let average = match &self.origin {
            Origin::Cells(..) => self.add_cells(&system)?,
            Origin::Atoms(binned) => {
                let (domain, count) = (system.domain()?, self.grid.cells());
                let (grid, keep) = (&self.grid, self.keep);
                let places = match system.works_out() {
                    true => Places::AtomExpr(grid.recipe(domain, keep)),
                    false => {
                        let atoms = system.atoms()?;
                        let cell = |i: usize| grid.find(atoms.x[i], domain, keep);
                        Places::Known(parallel::map(atoms.len(), |i| cell(i).map_or(0, |c| c as u32 + 1)))
                    }
                };
                let volume = domain.volume(system.session.system.dimension) / count as f64;
                let bins = Bins { count, volume: &|_| volume, places: &places };
                let each = binned.norm == Norm::Sample;
                let rows = binned.add(&system, self.header.group, &bins, each, &self.schedule)?;
                // The count of atoms is the first column.
                let column = |rows: &Vec<Vec<f64>>, k: usize| rows.iter().map(|row| row[k]).collect();
                rows.map(|rows| (0..=binned.len()).map(|k| column(&rows, k)).collect())
            }
        };
        if let Some(columns) = average {
            self.mean.borrow_mut().add(columns.concat(), self.options.combine);
        }
        Ok(())
    }

    fn shape(&self) -> Shape {
        let (columns, count) = (self.columns(), matches!(self.origin, Origin::Atoms(_)));
        Shape { grid: Some(GridShape { grid: self.grid, columns, count }), ..Shape::default() }
    }

    /// Zeros before the first average.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let (cells, counted) = (self.grid.cells(), matches!(self.origin, Origin::Atoms(_)));
        let mut mean = self.mean.borrow().values();
        mean.resize(cells * (self.columns() + usize::from(counted)), 0.0);
        let mut columns = mean.chunks_exact(cells).map(<[f64]>::to_vec);
        let count = if counted { columns.next().unwrap_or_default() } else { Vec::new() };
        let values = GridValues { grid: self.grid, data: columns.collect(), count };
        Ok(Values { grid: Some(values), ..Values::default() })
    }
}
