//! `compute property/grid`: where the cells of a grid are. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::base::memory;
use crate::model::domain::Domain;
use crate::script::Args;
use crate::session::Session;
use crate::session::cell_grid::Grid;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{GridShape, GridValues, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

/// What can be known of a cell; the number is the axis.
#[derive(Clone, Copy)]
enum Property {
    /// Its number from 1 on.
    Id,
    /// The process that has it: 0.
    Process,
    /// Its place along an edge of the box, from 1.
    Index(usize),
    /// A coordinate of its lower corner, or with 0.5 of its centre.
    Position(usize, f64),
    /// The same as a fraction of the box.
    Scaled(usize, f64),
}

const PROPERTIES: [(&str, Property); 17] = [
    ("id", Property::Id),
    ("proc", Property::Process),
    ("ix", Property::Index(0)),
    ("iy", Property::Index(1)),
    ("iz", Property::Index(2)),
    ("x", Property::Position(0, 0.0)),
    ("y", Property::Position(1, 0.0)),
    ("z", Property::Position(2, 0.0)),
    ("xs", Property::Scaled(0, 0.0)),
    ("ys", Property::Scaled(1, 0.0)),
    ("zs", Property::Scaled(2, 0.0)),
    ("xc", Property::Position(0, 0.5)),
    ("yc", Property::Position(1, 0.5)),
    ("zc", Property::Position(2, 0.5)),
    ("xsc", Property::Scaled(0, 0.5)),
    ("ysc", Property::Scaled(1, 0.5)),
    ("zsc", Property::Scaled(2, 0.5)),
];

impl Property {
    fn of(self, cell: usize, grid: &Grid, domain: &Domain) -> f64 {
        match self {
            Property::Id => (cell + 1) as f64,
            Property::Process => 0.0,
            Property::Index(d) => (grid.place(cell)[d] + 1) as f64,
            Property::Position(d, along) => domain.at_fractions(grid.fractions(cell, along))[d],
            Property::Scaled(d, along) => grid.fractions(cell, along)[d],
        }
    }
}

struct PropertyGrid {
    header: Header,
    grid: Grid,
    properties: Vec<Property>,
}

/// Takes `Nx Ny Nz` and the names of properties.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let grid = Grid::read(session.system.dimension, args)?;
    let mut properties = Vec::new();
    while properties.is_empty() || !args.is_empty() {
        let word = args.peek();
        let property = args.one_of("property of a cell", &PROPERTIES)?;
        let axis = match property {
            Property::Index(d) | Property::Position(d, _) | Property::Scaled(d, _) => d,
            _ => 0,
        };
        if let Some(word) = word.filter(|_| session.system.dimension == 2 && axis == 2) {
            return Err(args.error(word, "a grid in two dimensions has no z"));
        }
        properties.push(property);
    }
    let last = args.taken().last().unwrap_or(&args.taken()[0]);
    memory::check((grid.cells() * properties.len() * 8) as f64).map_err(|error| args.place(last, error))?;
    Ok(Box::new(PropertyGrid { header, grid, properties }))
}

impl Compute for PropertyGrid {
    header!();

    fn shape(&self) -> Shape {
        let columns = self.properties.len();
        Shape { grid: Some(GridShape { grid: self.grid, columns, count: false }), ..Shape::default() }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (grid, domain) = (self.grid, system.domain()?);
        let column =
            |property: &Property| (0..grid.cells()).map(|cell| property.of(cell, &grid, domain)).collect();
        let data = self.properties.iter().map(column).collect();
        Ok(Values { grid: Some(GridValues { grid, data, count: Vec::new() }), ..Values::default() })
    }
}
