//! Dumps: snapshots of the atoms, or of values that belong to cells or pairs, written to files during a run.
//!
//! One file per style (`atom`, `custom`, `yaml`, `grid`, `local`, `xyz`, `extxyz`, `cfg`, `dcd`, `xtc`, `image`) says which columns and which header; this
//! file holds what all dumps share. Rows are in the order of the atom ids unless `dump_modify sort off`
//! says otherwise (LAMMPS sorts only on request). Output is the same to the byte as LAMMPS's.

pub(crate) mod atom;
pub(crate) mod cfg;
pub(crate) mod column;
pub(crate) mod custom;
pub(crate) mod dcd;
pub(crate) mod extxyz;
pub(crate) mod grid;
mod header;
pub(crate) mod image;
pub(crate) mod local;
pub(crate) mod output;
pub(crate) mod select;
pub(crate) mod xtc;
pub(crate) mod xyz;
pub(crate) mod yaml;

use crate::base::error::{Error, Result};
use crate::base::format::g;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::dump::DumpWriter;
use crate::session::schedule::{Moment, Schedule};
use crate::session::snapshot::view::Snapshot;
use crate::session::thermo::RowValues;
use column::{Column, Formats, Rows};
use output::Output;
use select::Selection;
use std::any::Any;
use std::io::Write;
use std::path::Path;

/// The system at one step, as a dump sees it.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The step.
    pub step: i64,
    /// The box.
    pub domain: &'a Domain,
    /// Atoms, in any order.
    pub atoms: &'a Atoms,
    /// Forces in the same order, in force units; only needed where [`Dump::needs_forces`].
    pub forces: Option<&'a [[f64; 3]]>,
    /// Mass per type (index type - 1), in mass units.
    pub mass: &'a [f64],
    /// What computed columns are made from; only needed where there are some.
    pub system: Option<&'a Snapshot<'a>>,
    /// The row of thermo output of this step, where there is one.
    pub row: Option<&'a RowValues>,
}

/// What a style adds to the shared parts.
pub(crate) trait Style {
    /// The columns of a row.
    fn columns(&self) -> Vec<Column>;

    /// The lines before the rows of a frame with `count` rows; the names of the columns have a blank before each.
    fn header(
        &self,
        frame: &Frame<'_>,
        count: usize,
        names: &str,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        header::of_atoms(frame, count, names, out)
    }

    /// Writes a frame: its header with the names of the columns, if it has one, and the rows of the atoms with these
    /// indices.
    fn write(
        &self,
        frame: &Frame<'_>,
        order: &[usize],
        rows: &Rows<'_>,
        header: Option<&str>,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        if let Some(names) = header {
            self.header(frame, order.len(), names, out)?;
        }
        self.write_rows(order, rows, out)
    }

    /// The rows alone, of a format that is text.
    fn write_rows(&self, order: &[usize], rows: &Rows<'_>, out: &mut dyn Write) -> std::io::Result<()> {
        rows.write(order, out)
    }

    /// Whether frames begin with a header of LAMMPS's own, with items.
    fn is_lammps(&self) -> bool {
        false
    }

    /// Whether a header names the columns.
    fn names_columns(&self) -> bool {
        self.is_lammps()
    }

    /// Whether rows begin with the types of atoms, as numbers or by names.
    fn shows_types(&self) -> bool {
        false
    }

    /// Whether rows are atoms; otherwise there are as many as values of its columns.
    fn of_atoms(&self) -> bool {
        true
    }

    /// For a format that is not text: refuses settings that it cannot have, and notes others before each frame.
    ///
    /// # Errors
    /// Says which setting it is.
    fn accept(&mut self, _: &Settings<'_>) -> Result<()> {
        Ok(())
    }

    /// Called when a frame is in the file.
    fn written(&mut self, _file: &Path, _step: i64) -> std::io::Result<()> {
        Ok(())
    }

    /// Whether it shows energies or virials, or what is made from them.
    fn needs_tally(&self, session: &Session) -> bool {
        let references = self.columns();
        references.iter().filter_map(Column::reference).any(|reference| session.needs_tally(reference))
    }

    /// Whether a file has one frame only, so that a dump's file name needs a `*`.
    fn one_frame_per_file(&self) -> bool {
        false
    }

    /// Why it cannot write a file of this name, as in the script, if it cannot.
    fn refuses(&self, _name: &str) -> Option<Error> {
        None
    }

    /// Takes the words behind a keyword of `dump_modify` that only this style has; false where it is none.
    ///
    /// # Errors
    /// At the first word that is wrong.
    fn modify(&mut self, _keyword: &str, _args: &mut Args<'_>) -> Result<bool> {
        Ok(false)
    }

    /// A switch that `dump_modify` may turn (`scale`, `image`), if the style has it.
    fn switch(&mut self, _name: &str) -> Option<&mut bool> {
        None
    }
}

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Order {
    Id,
    /// As the atoms lie in memory.
    Memory,
    /// By the values of a column.
    Column {
        index: usize,
        descending: bool,
    },
}

/// What a style may have to know of its dump.
pub(crate) struct Settings<'a> {
    schedule: &'a Schedule,
    order: Order,
    output: &'a Output,
    dt: f64,
    heading: Heading,
}

/// A dump.
pub struct Dump {
    pub(crate) id: String,
    pub(crate) mask: u32,
    pub(crate) schedule: Schedule,
    pub(crate) style: Box<dyn Style>,
    pub(crate) output: Output,
    pub(crate) formats: Formats,
    /// `colname`: names of columns, where the script gives them.
    pub(crate) names: Vec<Option<String>>,
    /// `skip`: a variable that is not 0 where there is to be no frame.
    pub(crate) skip: Option<Reference>,
    /// A name per type, for `element`; empty: the style's default.
    pub(crate) elements: Vec<String>,
    pub(crate) order: Order,
    /// Which atoms of the group.
    pub(crate) select: Selection,
    /// `pbc`: atoms are put into the box.
    pub(crate) wrap: bool,
    /// `triclinic/general`: the box, positions, velocities and forces as the script's space has them.
    pub(crate) general: bool,
    /// `header`, `time`, `units`.
    pub(crate) heading: Heading,
    /// `delay`: no frame before this step.
    pub(crate) delay: Option<i64>,
    pub(crate) first: bool,
    pub(crate) last: Option<i64>,
}

/// What stands above the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) header: bool,
    pub(crate) time: bool,
    pub(crate) units: bool,
}

impl DumpWriter for Dump {
    fn renumber(&mut self, ids: &[(u32, u32)]) {
        self.select.renumber(ids);
    }

    fn group(&self) -> u32 {
        self.mask
    }

    fn id(&self) -> &str {
        &self.id
    }

    fn begun(&self) -> bool {
        self.last.is_some()
    }

    fn references(&self) -> Vec<Reference> {
        let columns = self.style.columns();
        let columns = columns.iter().chain(self.select.columns());
        columns.filter_map(Column::reference).chain(&self.skip).cloned().collect()
    }

    fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    fn begin_run(&mut self, now: Moment) {
        self.schedule.begin_run(now);
        // What the beginning of a run leaves out for the delay does not come at that of the next, as in LAMMPS.
        self.first &= !self.is_delayed(now.step);
    }

    fn follow_time_step(&mut self, now: Moment) {
        self.schedule.follow_time(now, true);
    }

    fn go_on(&mut self, system: &Snapshot<'_>) -> Result<()> {
        self.schedule.follow_time(system.session.moment(), false);
        self.schedule.go_on(system.session.clock.step, |variable| system.number(variable))
    }

    fn due(&self, step: i64, setup: bool) -> bool {
        let first = setup && self.first && self.last.is_none();
        self.last != Some(step) && !self.is_delayed(step) && (first || self.schedule.due(step))
    }

    fn needs_tally(&self, session: &Session) -> bool {
        let mut references = self.select.columns().filter_map(Column::reference).chain(&self.skip);
        self.style.needs_tally(session) || references.any(|reference| session.needs_tally(reference))
    }

    fn write_now(&mut self, system: &Snapshot<'_>, row: Option<&RowValues>) -> Result<()> {
        if let Some(skip) = &self.skip
            && system.number(skip)? != 0.0
        {
            self.first = false;
            return Ok(());
        }
        let session = system.session;
        let mass: Vec<f64> = (1..=session.types()).map(|kind| system.mass(kind as u32)).collect();
        let forces = if self.needs_forces() { Some(system.forces()?) } else { None };
        self.write(&Frame {
            step: session.clock.step,
            domain: system.domain()?,
            atoms: system.atoms()?,
            forces,
            mass: &mass,
            system: Some(system),
            row,
        })
    }

    fn open(&mut self) -> Result<()> {
        self.output.open().map_err(|error| error.about(format_args!("dump {}", self.id)))
    }
}

impl Dump {
    /// A dump of the session as what it is: all are of this module.
    pub fn of(dump: &mut dyn DumpWriter) -> &mut Dump {
        let dump: &mut dyn Any = dump;
        dump.downcast_mut().expect("dumps of scripts are made by the command dump")
    }

    fn is_delayed(&self, step: i64) -> bool {
        self.delay.is_some_and(|delay| step < delay)
    }

    /// Whether [`Frame::forces`] must be there.
    pub fn needs_forces(&self) -> bool {
        let columns = self.style.columns();
        columns.iter().chain(self.select.columns()).any(|column| column.is_force())
    }

    /// Writes a frame, all the way to the system.
    ///
    /// # Errors
    /// When the file cannot be written (a full disk): frames written before stay whole.
    pub fn write(&mut self, frame: &Frame<'_>) -> Result<()> {
        let wrapped = self.wrap.then(|| {
            let mut atoms = frame.atoms.clone();
            frame.domain.wrap_all(&mut atoms.x, &mut atoms.image);
            atoms
        });
        // Selections see the box inside, whatever is shown, and atoms where they are, as in LAMMPS.
        let inside = Domain { general: None, ..frame.domain.clone() };
        let shown = if self.general { frame.domain } else { &inside };
        let frame = &Frame { domain: &inside, ..*frame };
        let chosen = if self.style.of_atoms() { Some(self.chosen(frame)?) } else { None };
        let frame = &Frame { atoms: wrapped.as_ref().unwrap_or(frame.atoms), domain: shown, ..*frame };
        let columns = self.style.columns();
        let rows = Rows::new(frame, &columns, &self.formats, &self.elements)?;
        let mut order = match chosen {
            Some(order) => order,
            None => (0..rows.entries()?).collect(),
        };
        if let Order::Column { index, descending } = self.order {
            // A stable sort: equal values stay in the order of their IDs.
            order.sort_by(|&a, &b| {
                let (a, b) = (rows.number(a, index), rows.number(b, index));
                if descending { b.total_cmp(&a) } else { a.total_cmp(&b) }
            });
        }
        let dt = frame.system.map_or(0.0, |system| system.session.clock.dt);
        let settings = Settings {
            schedule: &self.schedule,
            order: self.order,
            output: &self.output,
            dt,
            heading: self.heading,
        };
        self.style.accept(&settings)?;
        let style = &self.style;
        let Heading { header, time, units } = self.heading;
        let named = style.is_lammps() && header;
        let names: String = columns
            .iter()
            .enumerate()
            .map(|(k, column)| match self.names.get(k) {
                Some(Some(name)) => format!(" {name}"),
                _ => format!(" {}", column.name()),
            })
            .collect();
        let first = self.last.is_none() || self.output.file_per_frame();
        let path = self.output.frame(frame.step, |out| {
            let session = frame.system.map(|system| system.session);
            if let (Some(session), true) = (session, named && units && first) {
                write!(out, "ITEM: UNITS\n{}\n", session.system.units.name)?;
            }
            if let (Some(session), true) = (session, named && time) {
                write!(out, "ITEM: TIME\n{}\n", g(session.time_at(session.clock.step), 16))?;
            }
            style.write(frame, &order, &rows, header.then_some(&names), out)
        })?;
        self.style.written(&path, frame.step).map_err(|err| Error::io("write", &path, &err))?;
        self.last = Some(frame.step);
        Ok(())
    }

    /// The indices of the atoms that it shows, by ID unless they stay as they lie in memory.
    fn chosen(&self, frame: &Frame<'_>) -> Result<Vec<usize>> {
        let mask = &frame.atoms.mask;
        let mut order = match self.order {
            Order::Memory => (0..frame.atoms.len()).collect(),
            _ => frame.atoms.by_tag(),
        };
        order.retain(|&i| mask[i] & self.mask != 0);
        self.select.apply(frame, &mut order)?;
        Ok(order)
    }
}

/// The error of a column that needs forces where there are none.
fn no_forces() -> Error {
    Error::new("a dump of forces needs the forces of this step, and there are none")
        .help("report this: the run should have supplied them")
}
