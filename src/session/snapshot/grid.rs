//! Values in the cells of grids: `c_ID:grid:data`, `f_ID:grid:count` and so on.

use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::script::formula::Reference;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::cell_grid::Grid;
use crate::session::compute::GridShape;

/// What a grid's values are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Data,
    Count,
}

/// One value per cell of a grid that a compute or a fix has, as a command asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridValue {
    /// The compute or fix, with the column.
    pub reference: Reference,
    field: Field,
}

impl GridValue {
    /// Of a word that has been taken: `c_ID:grid:data`, `c_ID:grid:data[2]`, or `c_ID:grid:data[*]` for all columns; `None`
    /// where it is nothing of that kind.
    ///
    /// # Errors
    /// At the word, when there is no such compute or fix, grid, field or column.
    pub fn read(session: &Session, args: &Args<'_>, word: &Word) -> Result<Option<Vec<GridValue>>> {
        let (name, brackets) = word.text.split_at(word.text.find('[').unwrap_or(word.text.len()));
        let mut parts = name.split(':');
        let (Some(id), Some(grid), Some(field), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Ok(None);
        };
        let wild = brackets == "[*]";
        let Some(reference) = Reference::parse(&format!("{id}{}", if wild { "" } else { brackets })) else {
            return Ok(None);
        };
        let found = find(session, &reference, grid, field, wild).map_err(|error| args.place(word, error))?;
        Ok(Some(found))
    }

    /// The grid and the values of its cells at this moment.
    ///
    /// # Errors
    /// When the compute or fix is gone, or has none now.
    pub fn get(&self, system: &Snapshot<'_>) -> Result<(Grid, Vec<f64>)> {
        system.check_made(&self.reference)?;
        let values = system.values(&self.reference)?;
        let absent = || Error::new(format!("{self} has no values now"));
        let values = values.grid.as_ref().ok_or_else(absent)?;
        let column = match self.field {
            Field::Count => Some(&values.count),
            Field::Data => values.data.get(self.reference.index.first().map_or(0, |column| column - 1)),
        };
        let column = column.filter(|column| column.len() == values.grid.cells());
        Ok((values.grid, column.ok_or_else(absent)?.clone()))
    }

    /// The grid that it is on.
    ///
    /// # Errors
    /// When the compute or fix is gone.
    pub fn grid(&self, system: &Snapshot<'_>) -> Result<Grid> {
        Ok(shape(system, &self.reference)?.grid)
    }
}

fn shape(system: &Snapshot<'_>, reference: &Reference) -> Result<GridShape> {
    let Reference { kind, id, .. } = reference;
    let grid = system.shape(reference)?.grid;
    grid.ok_or_else(|| {
        let help = "compute property/grid and fix ave/grid have grids";
        Error::new(format!("{} {id} has no grid", kind.name())).help(help)
    })
}

fn find(
    session: &Session,
    reference: &Reference,
    grid: &str,
    field: &str,
    wild: bool,
) -> Result<Vec<GridValue>> {
    let whose = format!("{} {}", reference.kind.name(), reference.id);
    let shape = shape(&session.now(), reference)?;
    if grid != "grid" {
        return Err(Error::new(format!("{whose} has no grid '{grid}'")).help("its grid is called grid"));
    }
    let field = match field {
        "data" => Field::Data,
        "count" if shape.count => Field::Count,
        _ => {
            let known = if shape.count { "data and count" } else { "data" };
            return Err(
                Error::new(format!("the grid of {whose} has no '{field}'")).help(format!("there is {known}"))
            );
        }
    };
    let columns = if field == Field::Data { shape.columns } else { 1 };
    let many = columns > 1;
    let value = |index| GridValue { reference: Reference { index, ..reference.clone() }, field };
    match reference.index[..] {
        [] if wild && many => Ok((1..=columns).map(|column| value(vec![column])).collect()),
        [] if wild || !many => Ok(vec![value(Vec::new())]),
        [] => Err(Error::new(format!("the grid of {whose} has {columns} columns"))
            .help("write [1] for one of them, [*] for all")),
        [column] if many && column <= columns => Ok(vec![value(vec![column])]),
        _ => Err(Error::new(format!(
            "the grid of {whose} has {columns} column{}",
            if many { "s" } else { "" }
        ))),
    }
}

/// As a script writes it.
impl std::fmt::Display for GridValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Reference { kind, id, index } = &self.reference;
        let field = if self.field == Field::Data { "data" } else { "count" };
        write!(f, "{}_{id}:grid:{field}", &kind.name()[..1])?;
        index.iter().try_for_each(|column| write!(f, "[{column}]"))
    }
}
