//! Values by atom ID.

use crate::base::error::Error;
use crate::base::error::Result;

use std::collections::HashMap;

/// A value for each of some atom IDs. IDs mostly go from 1 to about as many as there are: those are found without a search.
#[derive(Clone, Debug, PartialEq)]
pub struct ById<T> {
    dense: Vec<Option<T>>,
    others: HashMap<u32, T>,
}

/// IDs up to this are in a table whatever there is of them, and as many as this per value.
const FEW: usize = 1 << 16;
const PER_VALUE: usize = 4;

impl<T> Default for ById<T> {
    fn default() -> Self {
        ById { dense: Vec::new(), others: HashMap::new() }
    }
}

impl<T> ById<T> {
    /// The value of an ID.
    pub fn get(&self, id: u32) -> Option<&T> {
        match self.dense.get(id as usize) {
            Some(value) => value.as_ref(),
            None => self.others.get(&id),
        }
    }

    /// Each ID with its value, in the order of the IDs.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let dense =
            self.dense.iter().enumerate().filter_map(|(id, value)| Some((id as u32, value.as_ref()?)));
        let mut others: Vec<_> = self.others.iter().map(|(&id, value)| (id, value)).collect();
        others.sort_by_key(|&(id, _)| id);
        dense.chain(others)
    }

    /// The same values under new IDs, by pairs of the old and the new one; those of other IDs are gone.
    pub fn renumbered(&self, ids: &[(u32, u32)]) -> Self
    where
        T: Clone,
    {
        ids.iter().filter_map(|&(old, new)| Some((new, self.get(old)?.clone()))).collect()
    }

    /// Sets the value of an ID.
    pub fn insert(&mut self, id: u32, value: T) {
        match self.dense.get_mut(id as usize) {
            Some(old) => *old = Some(value),
            None => {
                self.others.insert(id, value);
            }
        }
    }

    /// The value of an ID, to be changed; it begins as the default one.
    pub fn entry(&mut self, id: u32) -> &mut T
    where
        T: Default,
    {
        match self.dense.get_mut(id as usize) {
            Some(value) => value.get_or_insert_default(),
            None => self.others.entry(id).or_default(),
        }
    }
}

impl<T> Extend<(u32, T)> for ById<T> {
    fn extend<I: IntoIterator<Item = (u32, T)>>(&mut self, values: I) {
        let values = values.into_iter();
        let most = FEW.max(PER_VALUE * (self.dense.len() / PER_VALUE + values.size_hint().0));
        for (id, value) in values {
            let rows = self.dense.len();
            if (rows..most).contains(&(id as usize)) && !self.others.contains_key(&id) {
                self.dense.resize_with((id as usize + 1).max(2 * rows).min(most), || None);
                // What was too far away then must be found where it is looked for now.
                let rows = self.dense.len();
                let near: Vec<u32> = self.others.keys().copied().filter(|&id| (id as usize) < rows).collect();
                for id in near {
                    self.dense[id as usize] = self.others.remove(&id);
                }
            }
            self.insert(id, value);
        }
    }
}

impl<T> FromIterator<(u32, T)> for ById<T> {
    fn from_iter<I: IntoIterator<Item = (u32, T)>>(values: I) -> Self {
        let mut by_id = ById::default();
        by_id.extend(values);
        by_id
    }
}

/// How many rows a table by ID has, for atoms of these IDs.
///
/// # Errors
/// When nearly all of it would be holes.
pub(crate) fn rows_by_id(tags: &[u32]) -> Result<usize> {
    let most = tags.iter().max().map_or(0, |&most| most as usize);
    if most > MOST_ROWS.max(64 * tags.len()) {
        let message =
            format!("it keeps a table by atom ID, and IDs go up to {most} for {} atoms", tags.len());
        return Err(Error::new(message).help("number the atoms from 1 on in the data file"));
    }
    Ok(most)
}

/// Tables of so many rows are small, holes or not.
const MOST_ROWS: usize = 1 << 22;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As a map does it, of IDs near and far.
        #[test]
        fn as_a_map(
            ids in prop::collection::vec(prop_oneof![1_u32..50, 60_000_u32..70_000, any::<u32>()], 0..200),
            cut in 0_usize..200,
        ) {
            let pairs: Vec<(u32, usize)> = ids.iter().copied().zip(0..).collect();
            let (first, rest) = pairs.split_at(cut.min(pairs.len()));
            let mut ours: ById<usize> = first.iter().copied().collect();
            let mut theirs: HashMap<u32, usize> = first.iter().copied().collect();
            if let Some((one, others)) = rest.split_first() {
                ours.insert(one.0, one.1);
                theirs.insert(one.0, one.1);
                ours.extend(others.iter().copied());
                theirs.extend(others.iter().copied());
            }
            for id in ids.iter().copied().chain([0, 1, 7, u32::MAX]) {
                prop_assert_eq!(ours.get(id), theirs.get(&id));
            }
        }
    }
}
