//! The table of coefficients that kernels read: a row of numbers per ordered pair of types, then tabulated functions.

/// Where samples begin, from the beginning of a table with so many numbers before them: a row of 8 is not split.
pub fn samples_at(types: usize, per_pair: usize) -> usize {
    (types * types * (per_pair + 1)).next_multiple_of(8)
}

/// The rows of all pairs of types, then the samples. Rows of equal pairs stand once in what it is made from.
#[derive(Clone, Default)]
pub(in crate::potentials::pair) struct Rows {
    pub(super) rows: Vec<Vec<f64>>,
    /// Per pair of types, which of them.
    pub(super) of: Vec<u32>,
}

impl Rows {
    pub(super) fn get(&self, k: usize) -> &[f64] {
        &self.rows[self.of[k] as usize]
    }

    /// Numbers in each.
    pub(super) fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Whether all pairs have the same.
    pub(super) fn alike(&self) -> bool {
        let first = self.get(0);
        let mut others = self.of.chunk_by(|a, b| a == b);
        others.all(|chunk| &self.rows[chunk[0] as usize][..] == first)
    }

    /// The table of so many types, and the numbers of a row besides the first. Kernels load rows of several types by fours.
    pub(super) fn table(&self, types: usize, samples: Vec<f64>) -> (usize, Vec<f64>) {
        let width = if types > 1 { self.width().next_multiple_of(4) } else { self.width() };
        let per_pair = width - 1;
        let mut table = Vec::with_capacity(samples_at(types, per_pair) + samples.len());
        for k in 0..types * types {
            table.extend_from_slice(self.get(k));
            table.resize((k + 1) * width, 0.0);
        }
        if !samples.is_empty() {
            table.resize(samples_at(types, per_pair), 0.0);
            table.extend(samples);
        }
        (per_pair, table)
    }
}
