//! What the fixes have in common that make and break bonds: `bond/break` and `bond/create`. Each atom has a favourite partner; a pair is
//! chosen where both have each other, by chance if the script says so.

use crate::base::error::Result;
use crate::base::random::uniform_of_atom;
use crate::model::atoms::one_type;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::Values;
use std::cell::Cell;
use std::collections::BTreeMap;

/// What the random numbers are for, as part of Philox's key.
const PURPOSE: u32 = 15;

/// That atoms may have bonds.
///
/// # Errors
/// Where they have none.
pub(super) fn needed(session: &Session, args: &Args<'_>) -> Result<()> {
    if session.system.atom_style.molecular {
        return Ok(());
    }
    let style = session.system.atom_style.name;
    let error = args.error_here(format_args!("atoms of style {style} have no bonds"));
    Err(error.help("write `atom_style bond` before the box is made"))
}

/// Takes a bond type.
///
/// # Errors
/// When there is none of this number.
pub(super) fn bond_type(session: &Session, args: &mut Args<'_>) -> Result<u32> {
    one_type("bond", args, session.system.topology.bond_types, &session.system.labels.bond)
}

/// Which of the pairs that could be chosen are: all, or each with a probability.
#[derive(Default)]
pub(super) struct Chance(Option<(f64, u32)>);

impl Chance {
    /// Takes the probability and a seed.
    ///
    /// # Errors
    /// At a word that does not fit.
    pub(super) fn read(args: &mut Args<'_>) -> Result<Self> {
        let word = args.peek();
        let fraction = args.f64("the probability, from 0 to 1")?;
        if let Some(word) = word.filter(|_| !(0.0..=1.0).contains(&fraction)) {
            return Err(args.error(word, "a probability lies within 0 and 1"));
        }
        Ok(Chance(Some((fraction, crate::script::seed::mars(args)?))))
    }

    fn takes(&self, [a, b]: [u32; 2], step: i64) -> bool {
        self.0.is_none_or(|(fraction, seed)| {
            uniform_of_atom(a.min(b), step, [seed, PURPOSE])[0] + 0.5 < fraction
        })
    }
}

/// The favourite partner of each atom, and how much so.
#[derive(Default)]
pub(super) struct Partners(BTreeMap<u32, (u32, f64)>);

impl Partners {
    /// Two atoms that could be chosen.
    pub(super) fn offer(&mut self, [a, b]: [u32; 2], rank: f64) {
        for (own, other) in [(a, b), (b, a)] {
            let favourite = self.0.entry(own).or_insert((other, rank));
            if rank > favourite.1 {
                *favourite = (other, rank);
            }
        }
    }

    /// The pairs that are chosen at a step, in the order of their IDs.
    pub(super) fn chosen(&self, chance: &Chance, step: i64) -> Vec<[u32; 2]> {
        let pairs = self.0.iter().map(|(&own, &(other, _))| [own, other]);
        let mutual = |&[own, other]: &[u32; 2]| {
            own < other && self.0.get(&other).is_some_and(|(back, _)| *back == own)
        };
        pairs.filter(mutual).filter(|pair| chance.takes(*pair, step)).collect()
    }
}

/// How many bonds have changed: the last time, and in all.
#[derive(Default)]
pub(super) struct Counts([Cell<u64>; 2]);

impl Counts {
    /// So many more.
    pub(super) fn add(&self, more: usize) {
        self.0[0].set(more as u64);
        self.0[1].set(self.0[1].get() + more as u64);
    }

    /// Both as a vector.
    pub(super) fn values(&self) -> Values {
        Values::vector(self.numbers())
    }

    /// For restart files.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.0.iter().map(|count| count.get() as f64).collect()
    }

    /// The inverse of [`Counts::numbers`].
    pub(super) fn restore(&self, numbers: [f64; 2]) {
        self.0.iter().zip(numbers).for_each(|(count, number)| count.set(number as u64));
    }
}
