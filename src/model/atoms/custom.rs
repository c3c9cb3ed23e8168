//! Properties that a script gives its atoms (`fix property/atom`): columns of numbers with names, as long as the other
//! properties. Source: LAMMPS manual, `fix property/atom`.

use crate::base::bytes;
use serde::{Deserialize, Serialize};
use std::collections::TryReserveError;

/// The columns, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Custom {
    columns: Vec<Column>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Column {
    name: String,
    #[serde(with = "bytes")]
    values: Vec<f64>,
}

impl Custom {
    /// The values of a property, in the order of the atoms.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|column| column.name == name).map(|column| &*column.values)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut [f64]> {
        self.columns.iter_mut().find(|column| column.name == name).map(|column| &mut *column.values)
    }

    /// The names, in the order in which the properties were made.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &*column.name)
    }

    /// Gives `count` atoms a property, which is 0 for all; nothing happens where they have it.
    pub fn add(&mut self, name: &str, count: usize) {
        if self.get(name).is_none() {
            self.columns.push(Column { name: name.to_owned(), values: vec![0.0; count] });
        }
    }

    /// Takes a property away.
    pub fn remove(&mut self, name: &str) {
        self.columns.retain(|column| column.name != name);
    }

    /// Whether there are no properties.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Whether all columns are so long.
    pub(crate) fn fits(&self, count: usize) -> bool {
        self.columns.iter().all(|column| column.values.len() == count)
    }

    /// The bytes that they take for each atom.
    pub(super) fn bytes(&self) -> usize {
        size_of::<f64>() * self.columns.len()
    }

    /// Makes room for the values of more atoms.
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), TryReserveError> {
        self.columns.iter_mut().try_for_each(|column| column.values.try_reserve_exact(more))
    }

    /// Adds an atom, whose values are 0.
    pub(super) fn push(&mut self) {
        self.columns.iter_mut().for_each(|column| column.values.push(0.0));
    }

    /// Adds the values of `more` other atoms behind those of `count`.
    pub(super) fn append(&mut self, count: usize, others: &Custom, more: usize) {
        others.names().for_each(|name| self.add(name, count));
        for column in &mut self.columns {
            match others.get(&column.name) {
                Some(values) => column.values.extend(values),
                None => column.values.resize(count + more, 0.0),
            }
        }
    }

    /// Removes an atom; the last one takes its place.
    pub(super) fn swap_remove(&mut self, i: usize) {
        self.columns.iter_mut().for_each(|column| _ = column.values.swap_remove(i));
    }

    /// The values of the atoms at these places, in this order; 0 where there is no place.
    pub(crate) fn select(&self, places: &[Option<usize>]) -> Custom {
        let pick = |column: &Column| Column {
            name: column.name.clone(),
            values: places.iter().map(|place| place.map_or(0.0, |i| column.values[i])).collect(),
        };
        Custom { columns: self.columns.iter().map(pick).collect() }
    }
}
