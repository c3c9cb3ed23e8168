//! What computes and fixes have measured, and what of it is known beforehand.

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
}

impl Shape {
    /// One number.
    pub const SCALAR: Shape = Shape { scalar: true, vector: None, array: None, atoms: None };

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
