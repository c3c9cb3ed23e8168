//! The atoms as the host sees them: one vector per property, all of the same length.

mod by_id;
mod custom;
mod spheres;

pub use by_id::ById;
pub(crate) use by_id::rows_by_id;
pub use custom::Custom;
pub(crate) use spheres::volume;

use crate::base::bytes;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::names::with_article;
use crate::base::parallel;
use crate::model::labels::Labels;
use crate::script::{Args, Word};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::TryReserveError;
use std::ops::RangeInclusive;

/// Atoms on the host, in no particular order; `tag` tells who is who.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Atoms {
    /// Positions, in distance units.
    #[serde(with = "bytes")]
    pub x: Vec<[f64; 3]>,
    /// Velocities, in distance units per time unit.
    #[serde(with = "bytes")]
    pub v: Vec<[f64; 3]>,
    /// How many box lengths each atom has crossed: unwrapped = x + image * L.
    #[serde(with = "bytes")]
    pub image: Vec<[i32; 3]>,
    /// Atom IDs, from 1, unique.
    #[serde(with = "bytes")]
    pub tag: Vec<u32>,
    /// Atom types, from 1.
    #[serde(with = "bytes")]
    pub kind: Vec<u32>,
    /// Bit g says that the atom is in group g; bit 0 (`all`) is always set.
    #[serde(with = "bytes")]
    pub mask: Vec<u32>,
    /// Molecule IDs; 0 where there is none.
    #[serde(with = "bytes")]
    pub molecule: Vec<u32>,
    /// Charges, in charge units.
    #[serde(with = "bytes")]
    pub charge: Vec<f64>,
    /// What the script has given them besides (`fix property/atom`).
    #[serde(default)]
    pub custom: Custom,
}

/// What an atom takes: position, velocity, crossings, four numbers and a charge.
const BYTES: usize = 24 + 24 + 12 + 4 * 4 + 8;

impl Atoms {
    /// Number of atoms.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Adds an atom at rest, in group `all`, in the home image.
    pub fn push(&mut self, tag: u32, kind: u32, x: [f64; 3]) {
        self.x.push(x);
        self.v.push([0.0; 3]);
        self.image.push([0; 3]);
        self.tag.push(tag);
        self.kind.push(kind);
        self.mask.push(1);
        self.molecule.push(0);
        self.charge.push(0.0);
        self.custom.push();
    }

    /// Adds others behind. Where only some have a property of the script's own, it is 0 for the rest.
    pub fn append(&mut self, mut others: Atoms) {
        self.custom.append(self.x.len(), &others.custom, others.x.len());
        self.x.append(&mut others.x);
        self.v.append(&mut others.v);
        self.image.append(&mut others.image);
        self.tag.append(&mut others.tag);
        self.kind.append(&mut others.kind);
        self.mask.append(&mut others.mask);
        self.molecule.append(&mut others.molecule);
        self.charge.append(&mut others.charge);
    }

    /// Removes an atom; the last one takes its place.
    pub fn swap_remove(&mut self, i: usize) {
        self.x.swap_remove(i);
        self.v.swap_remove(i);
        self.image.swap_remove(i);
        self.tag.swap_remove(i);
        self.kind.swap_remove(i);
        self.mask.swap_remove(i);
        self.molecule.swap_remove(i);
        self.charge.swap_remove(i);
        self.custom.swap_remove(i);
    }

    /// Keeps the atoms whose index passes, in their order.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let order: Vec<usize> = (0..self.len()).filter(|&i| keep(i)).collect();
        *self = self.select(&order);
    }

    /// The atoms of these indices, in this order.
    pub fn select(&self, order: &[usize]) -> Atoms {
        fn pick<T: Copy>(values: &[T], order: &[usize]) -> Vec<T> {
            order.iter().map(|&i| values[i]).collect()
        }
        Atoms {
            x: pick(&self.x, order),
            v: pick(&self.v, order),
            image: pick(&self.image, order),
            tag: pick(&self.tag, order),
            kind: pick(&self.kind, order),
            mask: pick(&self.mask, order),
            molecule: pick(&self.molecule, order),
            charge: pick(&self.charge, order),
            custom: self.custom.select(&order.iter().map(|&i| Some(i)).collect::<Vec<_>>()),
        }
    }

    /// The indices of the atoms in the order of their tags.
    pub fn by_tag(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.par_sort_unstable_by_key(|&i| self.tag[i]);
        order
    }

    /// Takes molecule IDs, charges and custom properties from the atoms of the same IDs among `others`. Atoms that are not
    /// there have none.
    pub fn follow(&mut self, others: &Atoms) {
        let n = self.tag.len();
        let all_zero = parallel::all(&others.molecule, |&molecule| molecule == 0)
            && parallel::all(&others.charge, |&charge| charge == 0.0);
        self.molecule.resize(n, 0);
        self.charge.resize(n, 0.0);
        if all_zero && others.custom.is_empty() {
            parallel::set(&mut self.molecule, |_| 0);
            parallel::set(&mut self.charge, |_| 0.0);
            self.custom = Custom::default();
            return;
        }
        let there: ById<usize> = others.tag.iter().copied().zip(0..).collect();
        let places = parallel::map(n, |i| there.get(self.tag[i]).copied());
        parallel::set(&mut self.molecule, |i| places[i].map_or(0, |k| others.molecule[k]));
        parallel::set(&mut self.charge, |i| places[i].map_or(0.0, |k| others.charge[k]));
        self.custom = others.custom.select(&places);
    }

    /// Makes room for so many more atoms, and no further.
    ///
    /// # Errors
    /// When the machine has no memory for so many.
    pub fn reserve(&mut self, more: usize) -> Result<()> {
        self.reserve_most(more, more as f64)
    }

    /// The same, where about so many are `expected`.
    ///
    /// # Errors
    /// As [`Atoms::reserve`].
    pub fn reserve_most(&mut self, more: usize, expected: f64) -> Result<()> {
        // All at once before each by itself: systems refuse what is plainly too much, and hand out the rest on trust.
        let bytes = more.saturating_mul(BYTES + self.custom.bytes());
        let free = memory::available();
        let much = free.is_some_and(|free| bytes as f64 > free);
        let mut room = || -> std::result::Result<(), TryReserveError> {
            Vec::<u8>::new().try_reserve_exact(bytes)?;
            self.x.try_reserve_exact(more)?;
            self.v.try_reserve_exact(more)?;
            self.image.try_reserve_exact(more)?;
            self.tag.try_reserve_exact(more)?;
            self.kind.try_reserve_exact(more)?;
            self.mask.try_reserve_exact(more)?;
            self.molecule.try_reserve_exact(more)?;
            self.charge.try_reserve_exact(more)?;
            self.custom.reserve(more)
        };
        if !much && room().is_ok() {
            return Ok(());
        }
        let figures = memory::figures(bytes as f64, free);
        Err(Error::new(format!(
            "about {expected:.2e} atoms are more than there is memory for: to keep them {figures}"
        )))
    }
}

/// Takes atom types from the arguments: a name, `2`, `*`, `2*`, `*4` or `2*4`, within 1 to `types`.
///
/// # Errors
/// At the word, when it is missing, malformed or out of range.
pub fn type_range(args: &mut Args, types: usize, labels: &Labels) -> Result<RangeInclusive<usize>> {
    type_range_of("atom", args, types, labels)
}

/// Takes one type of atoms or bonds: a name, or a number within 1 to `types`.
///
/// # Errors
/// As [`type_range`].
pub fn one_type(kind: &str, args: &mut Args, types: usize, labels: &Labels) -> Result<u32> {
    if let Some(named) = labels.accept(args) {
        return Ok(named as u32);
    }
    let word = args.peek();
    let number: usize = args.int(&format!("{} type", with_article(kind)))?;
    match word.filter(|_| !(1..=types).contains(&number)) {
        Some(word) => Err(args.error(word, format_args!("{kind} type {number} is not within 1 to {types}"))),
        None => Ok(number as u32),
    }
}

/// That an atom type, read at a word, is within 1 to `types`.
///
/// # Errors
/// At the word, when it is not.
pub fn check_type(args: &Args, word: &Word, kind: usize, types: usize) -> Result<()> {
    match (1..=types).contains(&kind) {
        true => Ok(()),
        false => Err(args.error(word, format_args!("atom type {kind} is not within 1 to {types}"))),
    }
}

/// As [`type_range`], of types of some kind, such as `bond`.
///
/// # Errors
/// As [`type_range`].
pub fn type_range_of(
    kind: &str,
    args: &mut Args,
    types: usize,
    labels: &Labels,
) -> Result<RangeInclusive<usize>> {
    if let Some(named) = labels.accept(args) {
        return Ok(named..=named);
    }
    range_of(&format!("{} type", with_article(kind)), &format!("{kind} types"), args, types)
}

/// As [`type_range`], of things with numbers from 1 on, such as `a body` of the `bodies`.
///
/// # Errors
/// As [`type_range`].
pub fn range_of(one: &str, all: &str, args: &mut Args, count: usize) -> Result<RangeInclusive<usize>> {
    let what = format!("{one} or a range like 1*3");
    let word = args.word(&what)?;
    let end = |text: &str, default: usize| if text.is_empty() { Some(default) } else { text.parse().ok() };
    let (first, last) = match word.text.split_once('*') {
        Some((first, last)) => (end(first, 1), end(last, count)),
        None => (word.text.parse().ok(), word.text.parse().ok()),
    };
    match (first, last) {
        (Some(first), Some(last)) if 1 <= first && first <= last && last <= count => Ok(first..=last),
        (Some(_), Some(_)) => Err(args
            .error(word, format_args!("'{}' is not within the {all} 1 to {count}", word.text))
            .label("out of range")),
        _ => Err(args.error(word, format_args!("'{}' is not {what}", word.text))),
    }
}
