//! What computes and fixes have measured, and what of it is known beforehand.

use crate::model::atoms::ById;
use crate::session::cell_grid::Grid;
use rayon::prelude::*;

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

    /// From rows of so many values by ID, for atoms of these IDs: 0 for those that have none.
    pub fn from_rows<R: AsRef<[f64]>>(tags: &[u32], rows: &ById<R>, width: usize) -> Self {
        let value = |tag: u32, k: usize| rows.get(tag).map_or(0.0, |row| row.as_ref()[k]);
        let column = |k: usize| tags.iter().map(|&tag| value(tag, k)).collect();
        PerAtom::from_columns((0..width).map(column).collect())
    }
}

/// Values in the cells of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridValues {
    /// The cells.
    pub grid: Grid,
    /// `c_ID:grid:data`, column by column.
    pub data: Vec<Vec<f64>>,
    /// `f_ID:grid:count`: atoms of each cell; empty for none.
    pub count: Vec<f64>,
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
    /// Values of something else that there are many of (neighbours of atoms), column by column; empty for none.
    pub local: Vec<Vec<f64>>,
    /// Values per cell of a grid.
    pub grid: Option<GridValues>,
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

    /// A value of each atom of a group, 0 of the others.
    pub(crate) fn of_group(mask: &[u32], group: u32, value: impl Fn(usize) -> f64 + Sync) -> Self {
        let of = |i: usize| if mask[i] & group == 0 { 0.0 } else { value(i) };
        Values::per_atom(PerAtom::Vector((0..mask.len()).into_par_iter().map(of).collect()))
    }

    /// What there is; a vector counts its elements.
    pub fn shape(&self) -> Shape {
        Shape {
            scalar: self.scalar.is_some(),
            vector: Some(self.vector.len()).filter(|&length| length > 0),
            array: self.array.first().map(Vec::len),
            atoms: self.atoms.as_ref().map(|atoms| match atoms {
                PerAtom::Vector(_) => 0,
                PerAtom::Array(columns) => columns.len(),
            }),
            local: Some(self.local.len()).filter(|&columns| columns > 0),
            grid: self.grid.as_ref().map(|values| GridShape {
                grid: values.grid,
                columns: values.data.len(),
                count: !values.count.is_empty(),
            }),
        }
    }
}

/// What can be asked of a compute, known before it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Whether there is `c_ID` as one number.
    pub scalar: bool,
    /// Elements of the vector; 0 where their number changes (chunks).
    pub vector: Option<usize>,
    /// Columns of the array.
    pub array: Option<usize>,
    /// Columns of the values per atom; 0: one value per atom.
    pub atoms: Option<usize>,
    /// Columns of local values.
    pub local: Option<usize>,
    /// The grid that there are values on.
    pub grid: Option<GridShape>,
}

/// A grid with values in its cells, known before they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridShape {
    /// The cells.
    pub grid: Grid,
    /// Columns of the data, from 1 on.
    pub columns: usize,
    /// Whether atoms are counted.
    pub count: bool,
}

impl Shape {
    /// One number.
    pub const SCALAR: Shape =
        Shape { scalar: true, vector: None, array: None, atoms: None, local: None, grid: None };

    /// A temperature and its tensor.
    pub const TEMPERATURE: Shape = Shape { vector: Some(6), ..Shape::SCALAR };

    /// A vector; 0 where its length changes.
    pub fn vector(length: usize) -> Self {
        Shape { vector: Some(length), ..Shape::default() }
    }

    /// An array of so many columns.
    pub fn array(columns: usize) -> Self {
        Shape { array: Some(columns), ..Shape::default() }
    }

    /// Values per atom: columns, or with 0 or 1 of them a single value.
    pub fn per_atom(columns: usize) -> Self {
        Shape { atoms: Some(if columns > 1 { columns } else { 0 }), ..Shape::default() }
    }
}
