//! The pair style of a script with its coefficients, and what a run makes of them.

use super::{Mix, Params, Seen, Style, hybrid};
use crate::error::{Error, Result};
use crate::work::{SUM_OPERATIONS, TALLY_OPERATIONS};

/// How the styles of a script share the pairs of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// There is one.
    Plain,
    /// Each pair of types has one of them.
    Hybrid,
    /// A pair of types may have several, whose energies and forces are summed.
    Overlay,
}

/// A style, its parameters so far and `pair_modify`.
pub struct Part {
    /// The style.
    pub style: Box<dyn Style>,
    /// Per pair of types (i - 1) * types + j - 1 with i <= j, as given by the script.
    pub(super) given: Vec<Option<Params>>,
    pub(super) mix: Mix,
    pub(super) shift: bool,
    pub(super) tail: bool,
}

/// The styles of a script: one, or those of a hybrid.
pub struct Pair {
    pub(super) parts: Vec<Part>,
    pub(super) sharing: Sharing,
    /// The words of `pair_style`.
    pub(super) words: String,
    /// Pairs of types that `pair_coeff I J none` leaves without a style.
    pub(super) none: Vec<bool>,
    pub(super) types: usize,
}

/// What the pair kernel is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients {
    /// Name and text of the files that define `pair_eval`.
    pub files: Vec<(String, String)>,
    /// Numbers per pair of types, without the cutoff.
    pub per_pair: usize,
    /// Per ordered pair of types: cutoff^2, then the numbers. Behind all of these the samples.
    pub table: Vec<f64>,
    /// What `pair_eval` and its like see of atoms.
    pub seen: Seen,
    /// Per type the energy of an atom by itself, per square of its charge in energy times distance.
    pub own_energies: Vec<f64>,
    /// The seed of the noise between atoms.
    pub seed: Option<u32>,
    /// Whether the numbers change during a run, so that the kernel must read them.
    pub varying: bool,
}

/// A style with its parameters for every ordered pair of types.
pub struct ResolvedPart<'a> {
    /// The style.
    pub style: &'a dyn Style,
    /// Parameters, row by row; none where the pair has other styles.
    pub params: Vec<Option<Params>>,
    /// Subtracted from the energy: [`Style::shift`] where the script wants that, else 0.
    pub shift: Vec<f64>,
    /// Whether tail corrections are wanted.
    pub tail: bool,
}

/// All styles with all parameters.
pub struct Resolved<'a> {
    /// One, or those of a hybrid.
    pub parts: Vec<ResolvedPart<'a>>,
    /// Number of types.
    pub types: usize,
    /// How many pairs were mixed, of how many unlike ones.
    pub mixed: (usize, usize),
    /// Name of the mixing rule (of the first style).
    pub rule: &'static str,
}

/// Rows of samples that a float can count.
const MOST_ROWS: usize = 1 << 24;

impl Pair {
    /// Without coefficients.
    pub(super) fn new(styles: Vec<Box<dyn Style>>, sharing: Sharing, words: String, types: usize) -> Self {
        let part = |style| Part {
            style,
            given: vec![None; types * types],
            mix: Mix::Geometric,
            shift: false,
            tail: false,
        };
        let parts = styles.into_iter().map(part).collect();
        Pair { parts, sharing, words, none: vec![false; types * types], types }
    }

    /// Takes over from a style of the same name what `pair_modify` has set and, but for their last ones, which
    /// `pair_style` gives anew for all pairs, the coefficients. Hybrid styles and tables start without.
    pub(super) fn continue_from(&mut self, before: &Pair) {
        let plain = self.sharing == Sharing::Plain && self.name() == before.name();
        let ([part], [old], true) = (&mut self.parts[..], &before.parts[..], plain) else { return };
        (part.mix, part.shift, part.tail) = (old.mix, old.shift, old.tail);
        let global = part.style.global();
        if global.is_empty() || self.types != before.types {
            return;
        }
        part.given.clone_from(&old.given);
        for params in part.given.iter_mut().flatten() {
            params.truncate(params.len() - global.len());
            params.extend(global);
        }
    }

    /// Whether some style sees charges.
    pub fn charged(&self) -> bool {
        self.parts.iter().any(|part| part.style.charged())
    }

    /// Whether some style has friction and noise.
    pub fn has_friction(&self) -> bool {
        self.parts.iter().any(|part| part.style.seed().is_some())
    }

    /// Whether some style is [`Style::damped`].
    pub fn damped(&self) -> bool {
        self.parts.iter().any(|part| part.style.damped())
    }

    /// Forgets all coefficients when the number of types has changed.
    pub(crate) fn set_types(&mut self, types: usize) {
        if self.types != types {
            self.types = types;
            self.none = vec![false; types * types];
            self.parts.iter_mut().for_each(|part| part.given = vec![None; types * types]);
        }
    }

    /// Gives the types i <= j (from 1) parameters of one style, or none of any style.
    pub(super) fn give(&mut self, i: usize, j: usize, params: Option<(usize, &Params)>) {
        let k = (i - 1) * self.types + j - 1;
        self.none[k] = params.is_none();
        for (index, part) in self.parts.iter_mut().enumerate() {
            match params {
                Some((own, params)) if own == index => part.given[k] = Some(params.clone()),
                Some(_) if self.sharing == Sharing::Overlay => {}
                _ => part.given[k] = None,
            }
        }
    }

    /// Parameters per style of the types i <= j; nothing where the script has not named the pair.
    fn given(&self, i: usize, j: usize) -> Option<Vec<Option<Params>>> {
        let k = (i - 1) * self.types + j - 1;
        let given: Vec<_> = self.parts.iter().map(|part| part.given[k].clone()).collect();
        (self.none[k] || given.iter().any(Option::is_some)).then_some(given)
    }

    /// Parameters per style by mixing: where both types have one style, the same, and this mixes.
    fn mix(&self, i: usize, j: usize) -> Option<Vec<Option<Params>>> {
        let (a, b) = (self.given(i, i)?, self.given(j, j)?);
        let own = |given: &[Option<Params>]| {
            let mut styles = given.iter().enumerate().filter(|(_, params)| params.is_some()).map(|(k, _)| k);
            styles.next().filter(|_| styles.next().is_none())
        };
        let k = own(&a).filter(|_| own(&a) == own(&b))?;
        let part = &self.parts[k];
        let mut mixed = vec![None; self.parts.len()];
        mixed[k] = Some(part.style.mix(part.mix, a[k].as_ref()?, b[k].as_ref()?)?);
        Some(mixed)
    }

    /// Fills in the missing pairs by mixing.
    ///
    /// # Errors
    /// Names the first pair that has no coefficients and cannot be mixed; also when tables are too large.
    pub fn resolve(&self) -> Result<Resolved<'_>> {
        let types = self.types;
        let mut params = vec![vec![None; types * types]; self.parts.len()];
        let mut mixed = 0;
        for i in 1..=types {
            for j in i..=types {
                let given = self.given(i, j);
                mixed += usize::from(given.is_none());
                let found =
                    given.or_else(|| if i == j { None } else { self.mix(i, j) }).ok_or_else(|| {
                        Error::new(format!("pair_coeff: no coefficients for the types {i} {j}"))
                            .help(format!("add a line like: pair_coeff {i} {j} ..."))
                    })?;
                for (all, found) in params.iter_mut().zip(found) {
                    all[(j - 1) * types + i - 1].clone_from(&found);
                    all[(i - 1) * types + j - 1] = found;
                }
            }
        }
        let parts: Vec<_> =
            self.parts.iter().zip(params).map(|(part, params)| part.resolve(params)).collect();
        let rows: usize = parts.iter().map(ResolvedPart::rows).sum();
        if rows > MOST_ROWS {
            return Err(Error::new(format!("pair_coeff: the tables have {rows} bins together"))
                .help(format!("at most {MOST_ROWS}: take fewer points per table")));
        }
        Ok(Resolved { types, mixed: (mixed, types * (types - 1) / 2), rule: self.parts[0].mix.name(), parts })
    }
}

impl Part {
    fn resolve(&self, params: Vec<Option<Params>>) -> ResolvedPart<'_> {
        let style = &*self.style;
        let shift = |params: &Option<Params>| match params {
            Some(params) if self.shift => style.shift(params),
            _ => 0.0,
        };
        ResolvedPart { style, shift: params.iter().map(shift).collect(), params, tail: self.tail }
    }
}

impl ResolvedPart<'_> {
    /// Cutoff of the k-th pair of types; 0 where this style has no part in it.
    pub fn cutoff(&self, k: usize) -> f64 {
        self.params[k].as_ref().map_or(0.0, |params| self.style.cutoff(params))
    }

    /// Rows of samples of all pairs.
    fn rows(&self) -> usize {
        self.params.iter().flatten().map(|params| self.style.samples(params).len() / 8).sum()
    }

    /// Per pair of types cutoff^2 and the numbers of `pair_eval`, all of one length, zeros where this style has no
    /// part in it; appends to the samples.
    pub(super) fn rows_of_numbers(&self, samples: &mut Vec<f64>) -> Vec<Vec<f64>> {
        let mut starts = vec![0; self.params.len()];
        let mut rows = vec![Vec::new(); self.params.len()];
        for (k, params) in self.params.iter().enumerate() {
            let Some(params) = params else { continue };
            rows[k] = vec![self.cutoff(k).powi(2)];
            rows[k].extend(self.style.coefficients(params, self.shift[k]));
            let own = self.style.samples(params);
            if !own.is_empty() {
                // Equal pairs share their samples.
                let equal = self.params[..k].iter().position(|other| other.as_ref() == Some(params));
                starts[k] = equal.map_or(samples.len() / 8, |other| starts[other]);
                rows[k].push(starts[k] as f64);
                if equal.is_none() {
                    samples.extend_from_slice(own);
                }
            }
        }
        let longest = rows.iter().map(Vec::len).max().unwrap_or(0).max(2);
        rows.iter_mut().for_each(|row| row.resize(longest, 0.0));
        rows
    }
}

impl Resolved<'_> {
    /// Cutoffs per ordered pair of types.
    pub fn cutoffs(&self) -> Vec<f64> {
        let longest = |k| self.parts.iter().map(|part| part.cutoff(k)).fold(0.0, f64::max);
        (0..self.types * self.types).map(longest).collect()
    }

    /// Per ordered pair of types the operations of a pair within the cutoff, with the sum over pairs: of its force, and of
    /// its energy and virial besides ([`crate::work`]); `None` where nobody has counted those of a style.
    pub fn operations(&self) -> Option<Vec<[u32; 2]>> {
        let mut sums = vec![[SUM_OPERATIONS, TALLY_OPERATIONS]; self.types * self.types];
        for part in &self.parts {
            let [force, energy] = part.style.operations()?;
            for (sum, _) in sums.iter_mut().zip(&part.params).filter(|(_, params)| params.is_some()) {
                *sum = [sum[0] + force, sum[1] + energy];
            }
        }
        Some(sums)
    }

    /// What the kernel is built from.
    pub fn coefficients(&self) -> Coefficients {
        let mut samples = Vec::new();
        let rows: Vec<_> = self.parts.iter().map(|part| part.rows_of_numbers(&mut samples)).collect();
        let (files, rows) = match &rows[..] {
            [rows] => {
                let (name, text) = self.parts[0].style.snippet();
                (vec![(name.to_owned(), text.to_owned())], rows.clone())
            }
            _ => {
                let part = |(part, rows): (&ResolvedPart<'_>, &Vec<Vec<f64>>)| hybrid::Part {
                    snippet: part.style.snippet(),
                    width: rows[0].len(),
                    charged: part.style.charged(),
                    friction: part.style.seed().is_some(),
                };
                let parts: Vec<_> = self.parts.iter().zip(&rows).map(part).collect();
                let cutoffs = self.cutoffs().into_iter().enumerate();
                let row = |(k, cutoff): (usize, f64)| {
                    let parts = rows.iter().flat_map(|rows| rows[k].iter().copied());
                    std::iter::once(cutoff.powi(2)).chain(parts).collect()
                };
                (hybrid::files(&parts), cutoffs.map(row).collect())
            }
        };
        let per_pair = rows[0].len() - 1;
        let table = rows.into_iter().flatten().chain(samples).collect();
        let (seen, own_energies) = (self.seen(), self.own_energies());
        Coefficients { files, per_pair, table, seen, own_energies, seed: self.seed(), varying: false }
    }

    /// What the styles see of atoms.
    pub fn seen(&self) -> Seen {
        Seen {
            charges: self.parts.iter().any(|part| part.style.charged()),
            velocities: self.seed().is_some(),
        }
    }

    /// The seed of the noise between atoms: of several styles that have some, the first one's.
    pub fn seed(&self) -> Option<u32> {
        self.parts.iter().find_map(|part| part.style.seed())
    }

    /// Per type the energy of an atom by itself, per square of its charge in energy times distance: of the styles that
    /// have a part in some pair with this type.
    pub fn own_energies(&self) -> Vec<f64> {
        let of_type = |(kind, part): (usize, &ResolvedPart<'_>)| {
            let row = &part.params[kind * self.types..(kind + 1) * self.types];
            if row.iter().any(Option::is_some) { part.style.own_energy() } else { 0.0 }
        };
        (0..self.types).map(|kind| self.parts.iter().map(|part| of_type((kind, part))).sum()).collect()
    }

    /// Tail corrections (energy, pressure without the unit factor) for these numbers of atoms per type.
    ///
    /// Allen and Tildesley, Computer Simulation of Liquids, section 2.8.
    pub fn tail(&self, atoms: &[u64], volume: f64) -> (f64, f64) {
        let mut total = (0.0, 0.0);
        for part in self.parts.iter().filter(|part| part.tail) {
            for (k, params) in part.params.iter().enumerate() {
                if let Some((energy, pressure)) = params.as_ref().and_then(|params| part.style.tail(params)) {
                    let pairs = atoms[k / self.types] as f64 * atoms[k % self.types] as f64;
                    total.0 += pairs * energy / volume;
                    total.1 += pairs * pressure / (volume * volume);
                }
            }
        }
        total
    }

    /// F / r and E of two atoms of these types (from 1) at a squared distance, but for Coulomb forces; zero beyond the
    /// cutoff.
    pub fn evaluate(&self, i: usize, j: usize, rsq: f64) -> (f64, f64) {
        let k = (i - 1) * self.types + j - 1;
        let mut sum = (0.0, 0.0);
        for part in &self.parts {
            let Some(params) = &part.params[k] else { continue };
            if rsq < part.style.reach(params).powi(2) {
                let (fpair, energy) = part.style.evaluate(params, rsq);
                sum = (sum.0 + fpair, sum.1 + energy - part.shift[k]);
            }
        }
        sum
    }

    /// The derivative of F / r of two atoms with respect to the squared distance, where `qq` is the product of their
    /// charges in energy times distance: by differences of fourth order, which have 11 digits, taken inwards, as forces
    /// may end at the cutoff.
    pub fn slope(&self, i: usize, j: usize, rsq: f64, qq: f64) -> f64 {
        let step = rsq / 4096.0;
        let slope = |force: &dyn Fn(f64) -> f64| {
            let weights = [25.0, -48.0, 36.0, -16.0, 3.0].into_iter().enumerate();
            weights.map(|(k, weight)| weight * force(rsq - k as f64 * step)).sum::<f64>() / (12.0 * step)
        };
        let k = (i - 1) * self.types + j - 1;
        let mut sum = 0.0;
        for part in &self.parts {
            let Some(params) = &part.params[k] else { continue };
            if rsq < part.style.reach(params).powi(2) {
                sum += slope(&|rsq| part.style.evaluate(params, rsq).0);
            }
            if part.style.charged() && rsq < part.cutoff(k).powi(2) {
                sum += qq * slope(&|rsq| part.style.coulomb(params, rsq, 0.0).0);
            }
        }
        sum
    }

    /// Friction and noise of two atoms, as [`Style::friction`].
    pub fn friction(&self, i: usize, j: usize, rsq: f64) -> (f64, f64) {
        let k = (i - 1) * self.types + j - 1;
        let mut sum = (0.0, 0.0);
        for part in &self.parts {
            if let (Some(params), true) = (&part.params[k], rsq < part.cutoff(k).powi(2)) {
                let (friction, noise) = part.style.friction(params, rsq);
                sum = (sum.0 + friction, sum.1 + noise);
            }
        }
        sum
    }

    /// The same of Coulomb forces, per product of the charges in energy times distance, of which special_bonds takes away
    /// a part `lack`.
    pub fn coulomb(&self, i: usize, j: usize, rsq: f64, lack: f64) -> (f64, f64) {
        let k = (i - 1) * self.types + j - 1;
        let mut sum = (0.0, 0.0);
        for part in &self.parts {
            if let (Some(params), true) = (&part.params[k], rsq < part.cutoff(k).powi(2)) {
                let (fpair, energy) = part.style.coulomb(params, rsq, lack);
                sum = (sum.0 + fpair, sum.1 + energy);
            }
        }
        sum
    }
}
