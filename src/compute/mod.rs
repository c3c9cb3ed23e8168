//! Computes: what is measured of the system when somebody asks. Each style is one file here and one line in
//! [`STYLES`]. They are evaluated at steps with output and between runs, on the host's copy of the atoms or by
//! the device's reductions.

mod com;
mod command;
mod count_type;
mod displace_atom;
mod energy;
mod gyration;
mod ke_atom;
mod momentum;
mod msd;
mod pressure;
mod property_atom;
mod reduce;
mod temp;
mod temp_com;
mod temp_partial;
mod temp_ramp;
mod temp_region;
mod vacf;

pub use command::{compute, compute_modify, uncompute};
pub use pressure::Pressure;
pub use temp::{Temperature, Thermal};

use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use std::cell::Cell;

/// Makes a style from the words after the style's name.
type Constructor = fn(Header, &State, &mut Args<'_>) -> Result<Box<dyn Compute>>;

/// Every compute style by name.
pub const STYLES: &[(&str, Constructor)] = &[
    ("com", com::new),
    ("count/type", count_type::new),
    ("displace/atom", displace_atom::new),
    ("gyration", gyration::new),
    ("ke", energy::kinetic),
    ("ke/atom", ke_atom::new),
    ("momentum", momentum::new),
    ("msd", msd::new),
    ("pe", energy::potential),
    ("pressure", pressure::new),
    ("property/atom", property_atom::new),
    ("reduce", reduce::new),
    ("reduce/region", reduce::region),
    ("temp", temp::new),
    ("temp/com", temp_com::new),
    ("temp/partial", temp_partial::new),
    ("temp/ramp", temp_ramp::new),
    ("temp/region", temp_region::new),
    ("vacf", vacf::new),
];

/// What every compute has: `compute ID GROUP STYLE`.
#[derive(Clone, Debug)]
pub struct Header {
    /// Its name.
    pub id: String,
    /// The bit of its group, as a mask.
    pub group: u32,
    /// As in the `compute` command.
    pub style: &'static str,
    /// `compute_modify extra/dof`: degrees of freedom that are taken off; by default as many as the dimension.
    pub extra_freedom: f64,
    /// `compute_modify dynamic/dof`: the group is counted anew each time.
    pub dynamic: bool,
    /// Atoms of the group when the run began.
    counted: Cell<Option<u64>>,
}

impl Header {
    /// Of a compute with the default `extra/dof` for a dimension.
    pub fn new(id: &str, group: u32, style: &'static str, dimension: u32) -> Self {
        let extra_freedom = f64::from(dimension);
        Header { id: id.to_owned(), group, style, extra_freedom, dynamic: false, counted: Cell::new(None) }
    }

    /// The number of atoms of the group: that when the run began, unless `dynamic`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count(&self, system: &System<'_>) -> Result<u64> {
        match self.counted.get() {
            Some(count) if system.simulation.is_some() && !self.dynamic => Ok(count),
            _ => system.count(self.group),
        }
    }

    /// Counts the group at the beginning of a run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn begin_run(&self, system: &System<'_>) -> Result<()> {
        self.counted.set(Some(system.count(self.group)?));
        Ok(())
    }
}

/// Values per atom, in the order of the atoms in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum PerAtom {
    /// One.
    Vector(Vec<f64>),
    /// Several: column by column.
    Array(Vec<Vec<f64>>),
}

impl PerAtom {
    /// From columns: a single one is a vector.
    pub fn from_columns(mut columns: Vec<Vec<f64>>) -> Self {
        match columns.len() {
            1 => PerAtom::Vector(columns.remove(0)),
            _ => PerAtom::Array(columns),
        }
    }
}

/// What a compute has measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// `c_ID`.
    pub scalar: Option<f64>,
    /// `c_ID[i]`; empty for none.
    pub vector: Vec<f64>,
    /// `c_ID[i][j]` by rows; empty for none.
    pub array: Vec<Vec<f64>>,
    /// Values per atom.
    pub atoms: Option<PerAtom>,
}

impl Values {
    /// One value.
    pub fn scalar(x: f64) -> Self {
        Values { scalar: Some(x), ..Values::default() }
    }

    /// A vector.
    pub fn vector(x: Vec<f64>) -> Self {
        Values { vector: x, ..Values::default() }
    }

    /// Values per atom.
    pub fn per_atom(atoms: PerAtom) -> Self {
        Values { atoms: Some(atoms), ..Values::default() }
    }

    /// Whether a reference with so many numbers in brackets has a value per atom.
    pub fn fits_atoms(&self, brackets: usize) -> bool {
        match (&self.atoms, brackets) {
            (Some(PerAtom::Vector(_)), 0) => true,
            (Some(PerAtom::Array(_)), 1) => self.vector.is_empty(),
            _ => false,
        }
    }
}

/// A compute as the script defined it.
pub trait Compute {
    /// Name, group, style.
    fn header(&self) -> &Header;

    /// The same, for `compute_modify`.
    fn header_mut(&mut self) -> &mut Header;

    /// Measures.
    ///
    /// # Errors
    /// When something it needs is missing now, or the device fails.
    fn evaluate(&self, system: &System<'_>) -> Result<Values>;

    /// Whether the scalar grows with the system, so that thermo output in `lj` units divides it by the number
    /// of atoms.
    fn extensive(&self) -> bool {
        false
    }

    /// The same of the vector's elements; the kinetic tensors of temperatures are extensive.
    fn vector_extensive(&self) -> bool {
        self.temperature().is_some()
    }

    /// Itself, if it measures a temperature.
    fn temperature(&self) -> Option<&dyn Temperature> {
        None
    }

    /// Itself, if it measures the pressure.
    fn pressure(&self) -> Option<&Pressure> {
        None
    }

    /// The same, to be changed by `thermo_modify temp`.
    fn pressure_mut(&mut self) -> Option<&mut Pressure> {
        None
    }
}

/// The computes of a script, in the order in which they were defined. `thermo_temp`, `thermo_press` and
/// `thermo_pe` are there from the start.
pub struct Computes {
    list: Vec<Box<dyn Compute>>,
}

/// `compute ID GROUP temp`.
pub fn temperature(id: &str, group: u32, dimension: u32) -> Box<dyn Compute> {
    Box::new(temp::Temp::new(Header::new(id, group, "temp", dimension)))
}

/// `compute ID all pressure TEMPERATURE`.
pub fn pressure(id: &str, temperature: &str, dimension: u32) -> Box<dyn Compute> {
    Box::new(Pressure::new(Header::new(id, 1, "pressure", dimension), Some(temperature.to_owned())))
}

/// The names of the computes that are there from the start.
pub const BUILT_IN: [&str; 3] = ["thermo_temp", "thermo_press", "thermo_pe"];

impl Computes {
    /// Before the first command, in a system of this dimension.
    pub fn new(dimension: u32) -> Self {
        let header = |id, style| Header::new(id, 1, style, dimension);
        Computes {
            list: vec![
                Box::new(temp::Temp::new(header("thermo_temp", "temp"))),
                Box::new(Pressure::new(header("thermo_press", "pressure"), Some("thermo_temp".to_owned()))),
                Box::new(energy::Potential::new(header("thermo_pe", "pe"))),
            ],
        }
    }

    /// The compute of an ID.
    pub fn get(&self, id: &str) -> Option<&dyn Compute> {
        self.list.iter().find(|compute| compute.header().id == id).map(|compute| &**compute)
    }

    /// The compute of an ID, to be changed.
    pub fn get_mut(&mut self, id: &str) -> Option<&mut Box<dyn Compute>> {
        self.list.iter_mut().find(|compute| compute.header().id == id)
    }

    /// Adds one that a fix brings along, in place of one of the same ID.
    pub fn add(&mut self, compute: Box<dyn Compute>) {
        self.remove(&compute.header().id);
        self.list.push(compute);
    }

    /// Takes the compute of an ID away, if there is one.
    pub fn remove(&mut self, id: &str) {
        self.list.retain(|compute| compute.header().id != id);
    }

    /// All IDs.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|compute| compute.header().id.as_str())
    }

    /// The `dimension` command sets the default of `extra/dof` of all computes.
    pub fn set_dimension(&mut self, dimension: u32) {
        let set = |compute: &mut Box<dyn Compute>| compute.header_mut().extra_freedom = f64::from(dimension);
        self.list.iter_mut().for_each(set);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Compute> {
        self.list.iter().map(|compute| &**compute)
    }
}

/// The two methods that return a compute's header.
macro_rules! header {
    () => {
        fn header(&self) -> &$crate::compute::Header {
            &self.header
        }

        fn header_mut(&mut self) -> &mut $crate::compute::Header {
            &mut self.header
        }
    };
}
use header;
