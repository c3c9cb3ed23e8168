//! Pair styles made without a script.

use super::Pair;
use super::registry::read;
use crate::base::error::Result;
use crate::script::Args;
use crate::script::lexer::command;
use std::sync::Arc;

impl Pair {
    /// A pair style by the words that follow `pair_style` in a script, such as `lj/cut 2.5`, for a number of atom types.
    ///
    /// # Errors
    /// When there is no such style, or an argument does not fit.
    pub fn from_words(words: &str, types: usize) -> Result<Pair> {
        read(&mut Args::new(&command(format!("pair_style {words}"), "(pair style)")?), types)
    }

    /// One without forces and with a cutoff of 0, for runs without a pair style.
    ///
    /// # Errors
    /// None.
    pub(crate) fn none(types: usize) -> Result<Pair> {
        let mut pair = Pair::from_words("zero 0.0", types)?;
        let params = Arc::new(vec![0.0]);
        for (i, j) in (1..=types).flat_map(|i| (i..=types).map(move |j| (i, j))) {
            pair.give(i, j, Some((0, &params)));
        }
        Ok(pair)
    }

    /// Gives pairs of the types `i` and `j` (from 1) these numbers, in the order of `pair_coeff`.
    ///
    /// # Errors
    /// When a type is beyond those of the style, or the numbers do not fit.
    pub fn set_numbers(&mut self, [i, j]: [usize; 2], numbers: &[f64]) -> Result<()> {
        let words: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
        let line = command(format!("pair_coeff {i} {j} {}", words.join(" ")), "(coefficients)")?;
        let none = |_: &str| Ok(f64::NAN);
        self.set_coefficients(&mut Args::new(&line), self.types, &Default::default(), "lj", &none).map(|_| ())
    }
}
