//! A pair style with its coefficients as restart files keep it: the words of `pair_style`, from which the style is made
//! again, and what `pair_coeff` and `pair_modify` have set.

use super::style::{Mix, Params};
use super::{Pair, Part};
use crate::base::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// See [`Pair::save`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedPair {
    words: String,
    none: Vec<bool>,
    parts: Vec<SavedPart>,
    #[serde(default)]
    no_tails: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedPart {
    given: Vec<Option<Params>>,
    mix: Mix,
    shift: bool,
    tail: bool,
    /// Of a style of many bodies: what it has read.
    #[serde(default)]
    potential: Option<serde_json::Value>,
}

impl Pair {
    /// The name of the style; `hybrid` and the like for several.
    pub fn name(&self) -> &str {
        self.words.split(' ').next().unwrap_or_default()
    }

    /// What [`SavedPair::restore`] makes it from again.
    pub fn save(&self) -> SavedPair {
        let Pair { parts, sharing: _, words, none, types: _, no_tails, filled: _ } = self;
        let save = |Part { style, given, mix, shift, tail, factor: _ }: &Part| SavedPart {
            given: given.iter().map(|params| params.as_deref().cloned()).collect(),
            mix: *mix,
            shift: *shift,
            tail: *tail,
            potential: style.many_body().map(|potential| potential.save()),
        };
        let (words, none) = (words.clone(), none.clone());
        SavedPair { words, none, parts: parts.iter().map(save).collect(), no_tails: *no_tails }
    }
}

impl SavedPair {
    /// The pair style for a number of atom types.
    ///
    /// # Errors
    /// When the style is none that is known, or the coefficients are not for so many types.
    pub fn restore(self, types: usize) -> Result<Pair> {
        let mut pair = Pair::from_words(&self.words, types)?;
        let pairs = types * types;
        let fits = |part: &SavedPart| part.given.len() == pairs;
        if self.none.len() != pairs || self.parts.len() != pair.parts.len() || !self.parts.iter().all(fits) {
            return Err(Error::new(format!("the pair coefficients are not those of {types} atom types")));
        }
        (pair.none, pair.no_tails) = (self.none, self.no_tails);
        for (part, saved) in pair.parts.iter_mut().zip(self.parts) {
            let SavedPart { given, mix, shift, tail, potential } = saved;
            part.given = given.into_iter().map(|params| params.map(Arc::new)).collect();
            (part.mix, part.shift, part.tail) = (mix, shift, tail);
            if let (Some(own), Some(potential)) = (part.style.many_body_mut(), potential) {
                own.restore(potential)?;
            }
        }
        Ok(pair)
    }
}
