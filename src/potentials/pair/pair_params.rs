//! The parameters of all pairs of types: each set of numbers once, and which of them each ordered pair has. With thousands of types
//! there are millions of pairs.

use super::style::Params;

/// Which set a pair has that has none.
const NONE: u32 = 0;

/// So many types are taken at a time where rows become columns: what both read stays in a cache.
pub(super) const BLOCK: usize = 16;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct PairParams {
    /// Per ordered pair of types, row by row: its set, from 1, or [`NONE`].
    of: Vec<u32>,
    /// Where each set begins among the numbers, and where the last one ends.
    starts: Vec<usize>,
    numbers: Vec<f64>,
}

impl PairParams {
    /// For all pairs of so many types, none of which has any yet.
    pub(super) fn new(types: usize) -> Self {
        PairParams { of: vec![NONE; types * types], starts: vec![0], numbers: Vec::new() }
    }

    /// Makes room for so many more sets of so many numbers.
    pub(super) fn reserve(&mut self, sets: usize, width: usize) {
        self.starts.reserve(sets);
        self.numbers.reserve(sets * width);
    }

    /// Takes a set, and says which one it is.
    pub(super) fn add(&mut self, params: &[f64]) -> u32 {
        self.numbers.extend_from_slice(params);
        self.starts.push(self.numbers.len());
        self.sets() as u32
    }

    /// Gives a set to the k-th pair.
    pub(super) fn give(&mut self, k: usize, set: u32) {
        self.of[k] = set;
    }

    /// Gives each pair (J, I) with I < J what (I, J) has.
    pub(super) fn mirror(&mut self, types: usize) {
        for from in (0..types).step_by(BLOCK) {
            for to in (from..types).step_by(BLOCK) {
                for i in from..types.min(from + BLOCK) {
                    for j in to.max(i + 1)..types.min(to + BLOCK) {
                        self.of[j * types + i] = self.of[i * types + j];
                    }
                }
            }
        }
    }

    /// How many sets there are.
    pub(super) fn sets(&self) -> usize {
        self.starts.len() - 1
    }

    /// The numbers of a set, from 0.
    pub(super) fn set(&self, set: usize) -> &[f64] {
        &self.numbers[self.starts[set]..self.starts[set + 1]]
    }

    /// Which set the k-th pair has, from 0.
    pub(super) fn set_of(&self, k: usize) -> Option<usize> {
        (self.of[k] != NONE).then(|| self.of[k] as usize - 1)
    }

    /// The set of each pair that has one, row by row, from 0.
    pub(super) fn sets_of_pairs(&self) -> impl Iterator<Item = usize> {
        self.of.iter().filter(|&&set| set != NONE).map(|&set| set as usize - 1)
    }

    /// How many ordered pairs there are.
    pub(super) fn len(&self) -> usize {
        self.of.len()
    }

    /// The parameters of the k-th ordered pair; none where the pair has other styles.
    pub fn get(&self, k: usize) -> Option<&[f64]> {
        self.set_of(k).map(|set| self.set(set))
    }

    /// Those of all pairs, row by row.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[f64]>> {
        (0..self.of.len()).map(|k| self.get(k))
    }

    /// The same as owned numbers.
    pub fn to_vec(&self) -> Vec<Option<Params>> {
        self.iter().map(|params| params.map(<[f64]>::to_vec)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of more types than a block has.
    #[test]
    fn both_orders_of_two_types_have_the_same() {
        let types = 2 * BLOCK + 3;
        let mut params = PairParams::new(types);
        for i in 0..types {
            for j in i..types {
                let set = params.add(&[i as f64, j as f64]);
                params.give(i * types + j, set);
            }
        }
        params.mirror(types);
        for k in 0..types * types {
            let (i, j) = (k / types, k % types);
            assert_eq!(params.get(k).expect("given"), [i.min(j) as f64, i.max(j) as f64]);
        }
    }
}
