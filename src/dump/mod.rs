//! Dumps: snapshots of the atoms, written to files during a run.
//!
//! One file per style ([`atom`], [`custom`], [`xyz`]) says which columns and which header; this file holds the
//! commands and what all dumps share. Rows are in the order of the atom ids unless `dump_modify sort off`
//! says otherwise (LAMMPS sorts only on request). Output is the same to the byte as LAMMPS's.

pub mod atom;
mod column;
pub mod custom;
mod extxyz;
mod number;
mod output;
pub mod xyz;

use crate::atoms::Atoms;
use crate::domain::{Boundary, Domain};
use crate::error::{Error, Result};
use crate::format::Spec;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use column::{Column, Formats, Rows};
use output::Output;
use std::io::Write;

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
    pub system: Option<&'a System<'a>>,
}

/// What a style adds to the shared parts.
trait Style {
    /// The columns of a row.
    fn columns(&self) -> Vec<Column>;

    /// The lines before the rows of a frame with `count` rows.
    fn header(&self, frame: &Frame<'_>, count: usize, out: &mut dyn Write) -> std::io::Result<()> {
        lammps_header(frame, count, &self.columns(), out)
    }

    /// Whether it shows energies or virials, or what is made from them.
    fn needs_tally(&self, state: &State) -> bool {
        let shows = |column: &Column| matches!(column, Column::Computed(of) if state.needs_tally(of));
        self.columns().iter().any(shows)
    }

    /// A switch that `dump_modify` may turn (`scale`, `image`), if the style has it.
    fn switch(&mut self, _name: &str) -> Option<&mut bool> {
        None
    }
}

/// Reads the words of a style after the file name.
type MakeStyle = fn(&State, &mut Args<'_>) -> Result<Box<dyn Style>>;

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Id,
    /// As the atoms lie in memory.
    Memory,
    /// By the values of a column.
    Column {
        index: usize,
        descending: bool,
    },
}

/// A dump.
pub struct Dump {
    id: String,
    mask: u32,
    every: u64,
    style: Box<dyn Style>,
    output: Output,
    formats: Formats,
    /// A name per type, for `element`; empty: the style's default.
    elements: Vec<String>,
    order: Order,
    first: bool,
    last: Option<i64>,
}

impl Dump {
    /// The name that the script gave it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Steps between frames.
    pub fn every(&self) -> u64 {
        self.every
    }

    /// Whether a frame is due at `step`; `setup` is true at the first step of a run, when `first yes` counts.
    pub fn due(&self, step: i64, setup: bool) -> bool {
        let first = setup && self.first && self.last.is_none();
        self.last != Some(step) && (first || step.rem_euclid(self.every as i64) == 0)
    }

    /// Whether [`Frame::forces`] must be there.
    pub fn needs_forces(&self) -> bool {
        self.style.columns().iter().any(|column| column.is_force())
    }

    /// Whether it shows energies or virials, which a step tallies only when they are needed.
    pub fn needs_tally(&self, state: &State) -> bool {
        self.style.needs_tally(state)
    }

    /// Writes a frame of the system as it is now.
    ///
    /// # Errors
    /// As [`Dump::write`], and when the device fails or a column cannot be computed.
    pub fn write_now(&mut self, system: &System<'_>) -> Result<()> {
        let state = system.state;
        let mass: Vec<f64> = (1..=state.types()).map(|kind| system.mass(kind as u32)).collect();
        let forces = if self.needs_forces() { Some(system.forces()?) } else { None };
        self.write(&Frame {
            step: state.step,
            domain: system.domain()?,
            atoms: system.atoms()?,
            forces,
            mass: &mass,
            system: Some(system),
        })
    }

    /// Opens the file, so that a wrong path is found before the run. Called by [`Dump::write`] if need be.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&mut self) -> Result<()> {
        self.output.open()
    }

    /// Writes a frame, all the way to the system.
    ///
    /// # Errors
    /// When the file cannot be written (a full disk): frames written before stay whole.
    pub fn write(&mut self, frame: &Frame<'_>) -> Result<()> {
        let mask = &frame.atoms.mask;
        let mut order = match self.order {
            Order::Memory => (0..frame.atoms.len()).collect(),
            _ => frame.atoms.by_tag(),
        };
        order.retain(|&i| mask[i] & self.mask != 0);
        let columns = self.style.columns();
        let rows = Rows::new(frame, &columns, &self.formats, &self.elements)?;
        if let Order::Column { index, descending } = self.order {
            // A stable sort: equal values stay in the order of their IDs.
            order.sort_by(|&a, &b| {
                let (a, b) = (rows.number(a, index), rows.number(b, index));
                if descending { b.total_cmp(&a) } else { a.total_cmp(&b) }
            });
        }
        self.output.frame(frame.step, |out| {
            self.style.header(frame, order.len(), out)?;
            rows.write(&order, out)
        })?;
        self.last = Some(frame.step);
        Ok(())
    }
}

/// The header of the styles atom and custom.
fn lammps_header(
    frame: &Frame<'_>,
    count: usize,
    columns: &[Column],
    out: &mut dyn Write,
) -> std::io::Result<()> {
    write!(out, "ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{count}\nITEM: BOX BOUNDS", frame.step)?;
    let letter = |boundary| match boundary {
        Boundary::Periodic => 'p',
        Boundary::Fixed => 'f',
        Boundary::Shrink => 's',
        Boundary::ShrinkMin => 'm',
    };
    for [lower, upper] in frame.domain.boundary {
        write!(out, " {}{}", letter(lower), letter(upper))?;
    }
    let exact = Spec::parse("%.16e").expect("a valid format");
    for d in 0..3 {
        write!(out, "\n{} {}", exact.float(frame.domain.lo[d]), exact.float(frame.domain.hi[d]))?;
    }
    write!(out, "\nITEM: ATOMS")?;
    for column in columns {
        write!(out, " {}", column.name())?;
    }
    writeln!(out)
}

/// Styles that LAMMPS has and CLAMPS has not.
const OTHER_STYLES: &str = "atom/adios atom/gz atom/zstd cfg cfg/gz cfg/uef cfg/zstd custom/adios custom/gz \
    custom/mpiio custom/zstd dcd grid grid/vtk h5md image local local/gz local/zstd molfile movie \
    netcdf netcdf/mpiio vtk xtc xyz/gz xyz/zstd yaml";

/// `dump ID group style N file args`.
///
/// # Errors
/// At the first word that is wrong: a name in use, an unknown group or style, an interval below 1, a file
/// name with `%`.
pub fn dump(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("a name for the dump")?;
    if state.dumps.iter().any(|dump| dump.id == id.text) {
        return Err(args.error(id, format_args!("there is a dump '{}' already", id.text)));
    }
    let group = args.word("a group")?;
    let names = &state.groups.names;
    let mask = state
        .groups
        .bit(&group.text)
        .ok_or_else(|| args.unknown(group, "group", names.iter().map(String::as_str)))?;
    if let Some(word) = args.peek().filter(|word| OTHER_STYLES.split_whitespace().any(|s| s == word.text)) {
        return Err(args.unsupported(word, "dump style"));
    }
    let styles: [(&str, MakeStyle); 4] =
        [("atom", atom::new), ("custom", custom::new), ("extxyz", extxyz::new), ("xyz", xyz::new)];
    let style = args.one_of("dump style", &styles)?;
    let every = interval(args)?;
    let output = Output::new(args)?;
    let style = style(state, args)?;
    args.finish()?;
    state.dumps.push(Dump {
        id: id.text.clone(),
        mask,
        every,
        style,
        output,
        formats: Formats::default(),
        elements: Vec::new(),
        order: Order::Id,
        first: false,
        last: None,
    });
    Ok(())
}

fn interval(args: &mut Args<'_>) -> Result<u64> {
    let word = args.peek();
    match (args.int::<u32>("the number of steps between frames, 1 or more")?, word) {
        (0, Some(word)) => Err(args.error(word, "the number of steps between frames must be 1 or more")),
        (every, _) => Ok(every.into()),
    }
}

/// Takes the name of a dump.
fn find(state: &State, args: &mut Args<'_>) -> Result<usize> {
    let word = args.word("the name of a dump")?;
    let names = || state.dumps.iter().map(Dump::id);
    names().position(|id| id == word.text).ok_or_else(|| args.unknown(word, "dump", names()))
}

/// `undump ID`.
///
/// # Errors
/// When there is no such dump.
pub fn undump(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let index = find(state, args)?;
    args.finish()?;
    state.dumps.remove(index);
    Ok(())
}

/// Keywords of `dump_modify` that LAMMPS has and CLAMPS has not.
const OTHER_OPTIONS: &str = "at balance buffer colname delay every/time fileper header maxfiles nfile pbc \
    precision refresh region sfactor skip tfactor thresh time triclinic/general types units unwrap \
    compression_level checksum";

#[derive(Clone, Copy)]
enum Setting {
    Append,
    Element,
    Every,
    First,
    Flush,
    Format,
    Pad,
    Sort,
    Switch(&'static str),
}

/// The others.
const OPTIONS: [(&str, Setting); 13] = [
    ("append", Setting::Append),
    ("element", Setting::Element),
    ("every", Setting::Every),
    ("first", Setting::First),
    ("flush", Setting::Flush),
    ("format", Setting::Format),
    ("image", Setting::Switch("image")),
    ("pad", Setting::Pad),
    ("scale", Setting::Switch("scale")),
    ("vel", Setting::Switch("vel")),
    ("forces", Setting::Switch("forces")),
    ("mass", Setting::Switch("mass")),
    ("sort", Setting::Sort),
];

/// `dump_modify ID`: `append yes|no`, `element NAME` per type, `every N`, `first yes|no`, `flush yes|no`
/// (frames are always flushed), `format line|int|float|COLUMN STRING`, `format none`, `image yes|no`, `pad N`,
/// `scale yes|no`, `sort id|off|N|-N`.
///
/// # Errors
/// At the first word that is wrong; settings before it stay.
pub fn dump_modify(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let types = state.types();
    let index = find(state, args)?;
    let dump = &mut state.dumps[index];
    loop {
        let Some(word) = args.peek() else {
            return args.word("a dump_modify keyword").map(|_| ());
        };
        if OTHER_OPTIONS.split_whitespace().any(|option| option == word.text) {
            return Err(args.unsupported(word, "dump_modify keyword"));
        }
        match args.one_of("dump_modify keyword", &OPTIONS)? {
            Setting::Append => dump.output.set_append(args, word)?,
            Setting::Element => {
                dump.elements = (0..types)
                    .map(|_| args.text("an element name for each atom type").map(str::to_owned))
                    .collect::<Result<_>>()?;
            }
            Setting::Every => dump.every = interval(args)?,
            Setting::First => dump.first = args.yes_no()?,
            Setting::Flush => {
                args.yes_no()?;
            }
            Setting::Format => dump.formats.modify(&dump.style.columns(), args)?,
            Setting::Pad => dump.output.pad = args.int::<u8>("the number of digits, at most 255")?.into(),
            Setting::Sort => dump.order = order(&dump.style.columns(), args)?,
            Setting::Switch(name) => match dump.style.switch(name) {
                Some(switch) => *switch = args.yes_no()?,
                None => return Err(args.error(word, format_args!("dumps of this style have no '{name}'"))),
            },
        }
        if args.is_empty() {
            return Ok(());
        }
    }
}

/// Takes the word after `sort`: `id`, `off`, a column's number, or its negative for falling values.
fn order(columns: &[Column], args: &mut Args<'_>) -> Result<Order> {
    let word = args.word("id, off or a column number")?;
    match &*word.text {
        "id" => Ok(Order::Id),
        "off" => Ok(Order::Memory),
        number => {
            let n =
                number.parse::<i64>().ok().filter(|n| (1..=columns.len() as u64).contains(&n.unsigned_abs()));
            let n = n.filter(|n| columns[n.unsigned_abs() as usize - 1].is_number()).ok_or_else(|| {
                let message = format!(
                    "'{number}' is none of id, off, and columns with numbers from 1 to {}",
                    columns.len()
                );
                args.error(word, message)
            })?;
            Ok(Order::Column { index: n.unsigned_abs() as usize - 1, descending: n < 0 })
        }
    }
}

/// The error of a column that needs forces where there are none.
fn no_forces() -> Error {
    Error::new("a dump of forces needs the forces of this step, and there are none")
        .help("report this: the run should have supplied them")
}
