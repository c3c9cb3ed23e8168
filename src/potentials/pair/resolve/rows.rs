//! The table of coefficients that kernels read: a row of numbers per ordered pair of types, then tabulated functions.

use super::ResolvedPart;
use crate::potentials::pair::pair_params::BLOCK;
use rayon::prelude::*;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// To wake threads for no more numbers than these takes longer than one needs.
const FEW: usize = 1 << 16;

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

    /// The table of so many types.
    pub(super) fn table(self, types: usize, samples: Vec<f64>) -> Table<'static> {
        let width = self.width();
        Table::new(types, width, Source::Rows(Arc::new(self)), samples)
    }
}

/// What a table is made from.
#[derive(Clone)]
enum Source<'a> {
    /// Itself.
    Numbers(Vec<f64>),
    Rows(Arc<Rows>),
    /// The style, which has so many unlike pairs that their rows would take as much memory again.
    Style(&'a ResolvedPart<'a>),
}

/// A table of coefficients, of which each row is made when it is asked for.
#[derive(Clone)]
pub struct Table<'a> {
    /// How many types it tells apart.
    types: usize,
    /// Numbers in a row.
    width: usize,
    source: Source<'a>,
    samples: Vec<f64>,
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_vec().fmt(f)
    }
}

impl PartialEq for Table<'_> {
    fn eq(&self, other: &Table<'_>) -> bool {
        self.to_vec() == other.to_vec()
    }
}

impl<'a> Table<'a> {
    /// Kernels load rows of several types by fours.
    fn new(types: usize, width: usize, source: Source<'a>, samples: Vec<f64>) -> Self {
        Table { types, width: if types > 1 { width.next_multiple_of(4) } else { width }, source, samples }
    }

    /// Of a style that has no samples.
    pub(super) fn of_style(types: usize, width: usize, part: &'a ResolvedPart<'a>) -> Self {
        Table::new(types, width, Source::Style(part), Vec::new())
    }

    /// Of the numbers of all pairs of so many types, one after another: whole fours for each of several types.
    pub fn of_numbers(types: usize, numbers: Vec<f64>) -> Table<'static> {
        let width = numbers.len() / types.pow(2);
        Table { types, width, source: Source::Numbers(numbers), samples: Vec::new() }
    }

    /// Numbers of a row besides the first.
    pub fn per_pair(&self) -> usize {
        self.width - 1
    }

    /// How many numbers it has, samples and all.
    pub fn len(&self) -> usize {
        match self.samples.len() {
            0 => self.types.pow(2) * self.width,
            samples => samples_at(self.types, self.width - 1) + samples,
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The k-th row; zeros may follow.
    pub fn row(&self, k: usize) -> Cow<'_, [f64]> {
        match &self.source {
            Source::Numbers(numbers) => numbers[k * self.width..(k + 1) * self.width].into(),
            Source::Rows(rows) => rows.get(k).into(),
            Source::Style(part) => part.row(k).into(),
        }
    }

    /// Numbers of a row that stand together in kernels.
    fn together(&self) -> usize {
        if self.types > 1 { 4 } else { self.width.max(1) }
    }

    /// Where kernels have a number of the k-th row.
    pub fn place(&self, k: usize, number: usize) -> usize {
        let together = self.together();
        (number / together * self.types.pow(2) + k) * together + number % together
    }

    /// All numbers as kernels have them, in pieces, one after another: how many each has, and what sets them, of some other type than f64.
    /// Of several types these are the first four numbers of all pairs, then the next four, and so on (cl/force/pairs.cl).
    ///
    /// # Errors
    /// Those of `take`.
    pub fn pieces<T: Copy + Send, E>(
        &self,
        number: impl Fn(f64) -> T + Sync,
        mut take: impl FnMut(usize, &dyn Fn(&mut [T])) -> Result<(), E>,
    ) -> Result<(), E> {
        let part = self.together();
        // A piece has some types.
        let step = (4 * BLOCK).min(self.types);
        for from in (0..self.width).step_by(part) {
            for first in (0..self.types).step_by(step) {
                let count = step.min(self.types - first);
                take(count * self.types * part, &|out| self.parts_of_rows(first, from, part, out, &number))?;
            }
        }
        if !self.samples.is_empty() {
            let zeros = samples_at(self.types, self.width - 1) - self.types.pow(2) * self.width;
            take(zeros + self.samples.len(), &|out| {
                out[..zeros].fill(number(0.0));
                out[zeros..].iter_mut().zip(&self.samples).for_each(|(out, &sample)| *out = number(sample));
            })?;
        }
        Ok(())
    }

    /// `part` numbers of each row, those `from` one on, of some types with all others.
    fn parts_of_rows<T: Copy + Send>(
        &self,
        first: usize,
        from: usize,
        part: usize,
        out: &mut [T],
        number: &(impl Fn(f64) -> T + Sync),
    ) {
        let types = self.types;
        let block = |(block, out): (usize, &mut [T])| {
            let own = first + block * BLOCK;
            for other in 0..types {
                for (kind, out) in out.chunks_exact_mut(types * part).enumerate() {
                    let row = self.row((own + kind) * types + other);
                    let numbers = row.iter().skip(from).copied().chain(std::iter::repeat(0.0));
                    out[other * part..][..part].iter_mut().zip(numbers).for_each(|(out, x)| *out = number(x));
                }
            }
        };
        match out.len() {
            0..=FEW => block((0, out)),
            _ => out.par_chunks_mut(BLOCK * types * part).enumerate().for_each(block),
        }
    }

    /// All numbers, row by row, then the samples.
    pub fn to_vec(&self) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.len());
        for k in 0..self.types.pow(2) {
            all.extend_from_slice(&self.row(k));
            all.resize((k + 1) * self.width, 0.0);
        }
        if !self.samples.is_empty() {
            all.resize(samples_at(self.types, self.width - 1), 0.0);
            all.extend_from_slice(&self.samples);
        }
        all
    }
}
