//! What a run makes of the pair style of a script: the parameters of all pairs of types, sums over styles, and what the
//! kernel is built from.

mod on_host;
mod passes;
mod rows;

use super::hybrid;
use super::pair_params::{BLOCK, PairParams};
use super::style::{AtomInput, Mix, PairInputs, Style};
use crate::gpu::DeviceKind;
use crate::gpu::source::{self, kernel_file};
use crate::potentials::lepton::Written;
use crate::potentials::pair::cost::{SUM_OPERATIONS, TALLY_OPERATIONS};
pub use passes::Pass;
use rows::Rows;
pub use rows::{Table, samples_at};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// What the pair kernel is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients<'a> {
    /// Name and text of the files that define `pair_eval`.
    pub files: Vec<(String, String)>,
    /// Numbers per pair of types, without the cutoff.
    pub per_pair: usize,
    /// How many types the table tells apart: 1 where all pairs have the same numbers throughout a run, else all.
    pub kinds: usize,
    /// Per ordered pair of types that it tells apart: cutoff^2, then the numbers. Behind all of these the samples.
    pub table: Table<'a>,
    /// What `pair_eval` and its like see of atoms.
    pub seen: PairInputs,
    /// Per type the energy of an atom by itself, per square of its charge in energy times distance.
    pub own_energies: Vec<f64>,
    /// The seed of the noise between atoms.
    pub seed: Option<u32>,
    /// Its temperature at the beginning and at the end of a run, over that of the numbers.
    pub heat: [f64; 2],
    /// Whether the numbers change during a run, so that the kernel must read them.
    pub varying: bool,
    /// What comes before.
    pub passes: Vec<Pass>,
    /// Whether there are forces of pairs besides.
    pub has_pairs: bool,
    /// Per ordered pair of types whether the neighbour loop meets it, where others have lists of their own; else empty.
    pub met: Vec<bool>,
    /// The rows of the samples, by eights, that work-groups may have in local memory.
    pub local_rows: Range<usize>,
}

/// So many unlike pairs of types have their rows made one by one, when the device asks for them.
const MANY: usize = 1 << 14;

/// The longest of many cutoffs, 0 if there are none: several at a time.
pub fn longest_of(cutoffs: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let chunks = cutoffs.chunks_exact(lanes.len());
    let rest = chunks.remainder();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &cutoff)| *lane = f64::max(*lane, cutoff));
    }
    lanes.iter().chain(rest).copied().fold(0.0, f64::max)
}

/// The numbers of a pair and its tables.
type Numbers<'a> = (Vec<f64>, Vec<Cow<'a, [f64]>>);

/// The parameters of all pairs of types.
pub(super) struct Filled {
    /// The mixing rule of each style.
    pub(super) rules: Vec<Mix>,
    /// Per style, row by row.
    pub(super) params: Vec<Arc<PairParams>>,
    /// How many pairs were mixed.
    pub(super) mixed: usize,
    cutoffs: OnceLock<Vec<f64>>,
    /// Rows of samples that all styles have together.
    pub(super) sample_rows: OnceLock<usize>,
}

impl Filled {
    pub(super) fn new(rules: Vec<Mix>, params: Vec<Arc<PairParams>>, mixed: usize) -> Self {
        Filled { rules, params, mixed, cutoffs: OnceLock::new(), sample_rows: OnceLock::new() }
    }
}

/// A style with its parameters for every ordered pair of types.
pub struct ResolvedPart<'a> {
    /// The style.
    pub style: &'a dyn Style,
    /// Parameters; none where the pair has other styles.
    pub params: Arc<PairParams>,
    /// Whether [`Style::shift`] is subtracted from the energy.
    pub shifted: bool,
    /// Whether tail corrections are wanted.
    pub tail: bool,
    /// How many times it counts, in `hybrid/scaled`.
    pub factor: Option<f64>,
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
    /// What the parameters are part of.
    pub(super) filled: Arc<Filled>,
    /// Whether virials of triplets are shared out among their atoms, a third each.
    pub virials_by_atom: bool,
}

impl ResolvedPart<'_> {
    /// Cutoff of the k-th pair of types; 0 where this style has no part in it.
    pub fn cutoff(&self, k: usize) -> f64 {
        self.params.get(k).map_or(0.0, |params| self.style.cutoff(params))
    }

    /// The cutoff that all pairs have, where there is one.
    fn common_cutoff(&self) -> Option<f64> {
        let cutoff = self.params.get(0).map(|params| self.style.cutoff(params))?;
        let same = |set: usize| self.style.cutoff(self.params.set(set)) == cutoff;
        let len = self.params.len();
        ((0..self.params.sets()).all(same) && (0..len).all(|k| self.params.set_of(k).is_some()))
            .then_some(cutoff)
    }

    /// What is subtracted from the energy of the k-th pair of types.
    pub fn shift(&self, k: usize) -> f64 {
        self.params.get(k).map_or(0.0, |params| self.shift_of(params))
    }

    fn shift_of(&self, params: &[f64]) -> f64 {
        // Without a pair within the cutoff there is nothing to shift.
        let shifted = self.shifted && self.style.reach(params) > 0.0;
        if shifted { self.style.shift(params) } else { 0.0 }
    }

    /// Rows of samples of all pairs.
    pub(super) fn rows(&self) -> usize {
        let rows = |set: usize| {
            let samples = self.style.samples(self.params.set(set));
            samples.iter().map(|table| table.len() / 8).sum::<usize>()
        };
        if (0..self.params.sets()).all(|set| rows(set) == 0) {
            return 0;
        }
        let of_sets: Vec<usize> = (0..self.params.sets()).map(rows).collect();
        self.params.sets_of_pairs().map(|set| of_sets[set]).sum()
    }

    /// Cutoff^2 and the numbers of `pair_eval` for some parameters.
    fn row_of(&self, params: &[f64], numbers: impl IntoIterator<Item = f64>) -> Vec<f64> {
        // Of no pair: the values at no distance may be infinite.
        let off = self.style.cutoff(params) == 0.0;
        let numbers = numbers.into_iter().map(|number| if off { 0.0 } else { number });
        std::iter::once(self.style.seen_within(params).powi(2)).chain(numbers).collect()
    }

    /// The same of the k-th pair, of a style without tables.
    fn row(&self, k: usize) -> Vec<f64> {
        let params = self.params.get(k);
        params.map_or_else(Vec::new, |params| {
            self.row_of(params, self.style.coefficients(params, self.shift_of(params)))
        })
    }

    /// The table of all pairs, where these are so many and so unlike that a row of each takes too much memory besides.
    fn unlike(&self, types: usize) -> Option<Table<'_>> {
        (self.params.sets() > MANY && self.rows() == 0).then(|| {
            let params = self.params.set(0);
            let width = 1 + self.style.coefficients(params, self.shift_of(params)).len();
            Table::of_style(types, width, self)
        })
    }

    /// Per pair of types cutoff^2 and the numbers of `pair_eval`, all of one length, zeros where this style has no
    /// part in it; appends to the samples.
    pub(super) fn rows_of_numbers(&self, written: Option<&Written>, samples: &mut Samples) -> Rows {
        if let Some(written) = written {
            return self.rows_with(samples, &|k, _| (written.rows[k].clone(), Vec::new()));
        }
        self.rows_with(samples, &|k, params| {
            (self.style.coefficients(params, self.shift(k)), self.style.samples(params))
        })
    }

    /// Where the rows that work-groups may have in local memory are among all rows of samples, for the first pair of types and its row.
    fn local_rows(&self, row: &[f64]) -> Range<usize> {
        let (Some(from), Some(params)) = (self.style.local_rows(), self.params.get(0)) else {
            return 0..0;
        };
        let numbers = 1 + self.style.coefficients(params, self.shift(0)).len();
        let (begin, rows) = (row[numbers] as usize, self.style.samples(params)[0].len() / 8);
        begin + from..begin + rows
    }

    /// The same of numbers and tables that `of` makes of the k-th pair.
    fn rows_with<'a>(&'a self, samples: &mut Samples, of: &dyn Fn(usize, &'a [f64]) -> Numbers<'a>) -> Rows {
        let mut rows = Rows { rows: vec![Vec::new()], of: Vec::with_capacity(self.params.len()) };
        let mut known: Vec<Option<u32>> = vec![None; self.params.sets()];
        // Of equal pairs the tables are made once.
        let mut tabulated: Vec<(&[f64], u32)> = Vec::new();
        for k in 0..self.params.len() {
            let Some(set) = self.params.set_of(k) else {
                rows.of.push(0);
                continue;
            };
            let params = self.params.set(set);
            let equal = || tabulated.iter().find(|(known, _)| *known == params).map(|(_, k)| *k);
            if let Some(equal) = known[set].or_else(equal) {
                known[set] = Some(equal);
                rows.of.push(equal);
                continue;
            }
            let (numbers, tables) = of(k, params);
            let mut row = self.row_of(params, numbers);
            row.extend(tables.iter().map(|table| samples.place_of(table) as f64));
            let place = rows.rows.len() as u32;
            known[set] = Some(place);
            if !tables.is_empty() {
                tabulated.push((params, place));
            }
            rows.rows.push(row);
            rows.of.push(place);
        }
        let longest = rows.width().max(2);
        rows.rows.iter_mut().for_each(|row| {
            row.resize(longest, 0.0);
            row.extend(self.factor);
        });
        rows
    }
}

/// Tables one after another, each once.
#[derive(Default)]
pub(super) struct Samples {
    pub(super) numbers: Vec<f64>,
    /// Where each begins and ends, in rows of 8.
    tables: Vec<Range<usize>>,
}

impl Samples {
    /// Where a table begins, in rows: where an equal one stands, or at the end.
    fn place_of(&mut self, table: &[f64]) -> usize {
        let equal = |place: &&Range<usize>| self.numbers[8 * place.start..8 * place.end] == *table;
        if let Some(place) = self.tables.iter().find(equal) {
            return place.start;
        }
        let start = self.numbers.len() / 8;
        self.numbers.extend_from_slice(table);
        self.tables.push(start..self.numbers.len() / 8);
        start
    }
}

impl Resolved<'_> {
    /// With the styles as kernels for a kind of device compute them, and virials shared out atom by atom as LAMMPS does it, or as it comes.
    pub fn for_device(mut self, kind: DeviceKind, virials_by_atom: bool) -> Self {
        self.virials_by_atom = virials_by_atom;
        if kind == DeviceKind::Gpu && !virials_by_atom {
            for part in &mut self.parts {
                part.style = part.style.on_gpus().unwrap_or(part.style);
            }
        }
        self
    }

    /// Cutoffs per ordered pair of types.
    pub fn cutoffs(&self) -> Vec<f64> {
        self.each_cutoff().to_vec()
    }

    /// The same, without a copy.
    pub fn each_cutoff(&self) -> &[f64] {
        self.filled.cutoffs.get_or_init(|| {
            let all = self.types * self.types;
            if let [part] = &self.parts[..]
                && let Some(cutoff) = part.common_cutoff()
            {
                return vec![cutoff; all];
            }
            // Each set's once: those of pairs stand apart in memory.
            let of_sets = |part: &ResolvedPart<'_>| -> Vec<f64> {
                (0..part.params.sets()).map(|set| part.style.cutoff(part.params.set(set))).collect()
            };
            let of_sets: Vec<Vec<f64>> = self.parts.iter().map(of_sets).collect();
            let of_part = |(part, of_sets): (&ResolvedPart<'_>, &Vec<f64>), k: usize| {
                part.params.set_of(k).map_or(0.0, |set| of_sets[set])
            };
            let longest =
                |k| self.parts.iter().zip(&of_sets).map(|part| of_part(part, k)).fold(0.0, f64::max);
            let mut cutoffs = vec![0.0; all];
            for first in (0..self.types).step_by(BLOCK) {
                for other in 0..self.types {
                    for own in first..self.types.min(first + BLOCK) {
                        let k = own * self.types + other;
                        cutoffs[k] = longest(k);
                    }
                }
            }
            cutoffs
        })
    }

    /// The longest of them.
    pub fn longest_cutoff(&self) -> f64 {
        longest_of(self.each_cutoff())
    }

    /// Per ordered pair of types the operations of a pair within the cutoff, with the sum over pairs: of its force, and of
    /// its energy and virial besides ([`crate::output::kernel_cost`]); `None` where nobody has counted those of a style.
    pub fn operations(&self) -> Option<Vec<[u32; 2]>> {
        let mut sums = vec![[SUM_OPERATIONS, TALLY_OPERATIONS]; self.types * self.types];
        for part in &self.parts {
            let [force, energy] = part.style.operations()?;
            for (sum, _) in sums.iter_mut().zip(part.params.iter()).filter(|(_, params)| params.is_some()) {
                *sum = [sum[0] + force, sum[1] + energy];
            }
        }
        Some(sums)
    }

    /// Whether there is one style, which counts as it is.
    fn is_plain(&self) -> bool {
        matches!(&self.parts[..], [part] if part.factor.is_none())
    }

    /// What the kernel is built from, with numbers that may be `varying` during a run.
    pub fn coefficients(&self, varying: bool) -> Coefficients<'_> {
        let mut samples = Samples::default();
        let passes = self.passes(varying);
        let with_pairs: Vec<_> = self.parts.iter().filter(|part| part.has_pairs()).collect();
        let written = |(place, part): (usize, &&ResolvedPart<'_>)| {
            part.style.written(&part.params, &|k| part.shift(k), place)
        };
        let written: Vec<_> = with_pairs.iter().enumerate().map(written).collect();
        let unlike = match (&with_pairs[..], &written[..]) {
            ([part], [None]) if self.is_plain() => part.unlike(self.types),
            _ => None,
        };
        if let Some(table) = unlike {
            let files = vec![source::owned(with_pairs[0].style.snippet())];
            let differ = varying || (1..self.types.pow(2)).any(|k| table.row(k) != table.row(0));
            let kinds = if differ { self.types } else { 1 };
            let table = if differ { table } else { Table::of_numbers(1, table.row(0).into_owned()) };
            return self.with_table(files, table, kinds, varying, (passes, true));
        }
        let mut rows: Vec<_> = with_pairs
            .iter()
            .zip(&written)
            .map(|(part, written)| part.rows_of_numbers(written.as_ref(), &mut samples))
            .collect();
        let snippet = |place: usize| {
            let (name, text) = with_pairs[place].style.snippet();
            match &written[place] {
                Some(written) => (format!("{name} {place}"), format!("{}{text}", written.text)),
                None => source::owned((name, text)),
            }
        };
        let (files, rows) = match &rows[..] {
            // No loop over pairs.
            [] => {
                let rows = Rows { rows: vec![vec![0.0; 2]], of: vec![0; self.types.pow(2)] };
                (vec![source::owned(kernel_file!("pair/zero.cl"))], rows)
            }
            [_] if self.is_plain() => (vec![snippet(0)], rows.swap_remove(0)),
            _ => {
                let mut made = passes.iter().filter(|pass| !pass.has_slots()).map(|pass| pass.first);
                let mut given = 0;
                let mut numbers = |part: &ResolvedPart<'_>| match part.style.reads().len() {
                    0 => part.made().and_then(|_| made.next()),
                    count => {
                        given += count;
                        Some(given - count)
                    }
                };
                let part = |(place, (part, rows)): (usize, (&&ResolvedPart<'_>, &Rows))| hybrid::Part {
                    snippet: snippet(place),
                    width: rows.width(),
                    charged: part.style.charged(),
                    friction: part.style.seed().is_some(),
                    made: numbers(part),
                    scaled: part.factor.is_some(),
                };
                let parts: Vec<_> = with_pairs.iter().zip(&rows).enumerate().map(part).collect();
                let longest = |k| with_pairs.iter().map(|part| part.cutoff(k)).fold(0.0, f64::max);
                let farthest = (0..self.types.pow(2)).map(longest).fold(0.0, f64::max);
                let row = |k: usize| {
                    let parts = rows.iter().flat_map(|rows| rows.get(k)).copied();
                    // Pairs without a style are looked at, too: at no distance what is computed of them is not finite.
                    let reach = if longest(k) > 0.0 { longest(k) } else { farthest };
                    std::iter::once(f64::powi(reach, 2)).chain(parts).collect()
                };
                let mut sums = Rows::default();
                let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
                for k in 0..self.types.pow(2) {
                    let place =
                        *known.entry(rows.iter().map(|rows| rows.of[k]).collect()).or_insert_with(|| {
                            sums.rows.push(row(k));
                            sums.rows.len() as u32 - 1
                        });
                    sums.of.push(place);
                }
                (hybrid::files(&parts), sums)
            }
        };
        let kinds = if !varying && rows.alike() { 1 } else { self.types };
        let has_pairs = !with_pairs.is_empty();
        let local_rows = match &with_pairs[..] {
            [part] if self.is_plain() && kinds == 1 => part.local_rows(rows.get(0)),
            _ => 0..0,
        };
        let table = rows.table(kinds, samples.numbers);
        Coefficients { local_rows, ..self.with_table(files, table, kinds, varying, (passes, has_pairs)) }
    }

    fn with_table<'a>(
        &self,
        files: Vec<(String, String)>,
        table: Table<'a>,
        kinds: usize,
        varying: bool,
        (passes, has_pairs): (Vec<Pass>, bool),
    ) -> Coefficients<'a> {
        let (seen, own_energies) = (self.seen(), self.own_energies());
        Coefficients {
            files,
            per_pair: table.per_pair(),
            kinds,
            table,
            seen,
            own_energies,
            seed: self.seed(),
            heat: self.heat(),
            varying,
            passes,
            has_pairs,
            met: Vec::new(),
            local_rows: 0..0,
        }
    }

    /// The numbers of atoms that styles read, style by style.
    pub fn inputs(&self) -> impl Iterator<Item = &'static AtomInput> {
        self.parts.iter().flat_map(|part| part.style.reads())
    }

    /// What the styles see of atoms.
    pub fn seen(&self) -> PairInputs {
        let seen = PairInputs {
            charges: self.parts.iter().any(|part| part.style.charged()),
            velocities: self.seed().is_some(),
            made: self.parts.iter().filter_map(ResolvedPart::made).sum(),
            given: self.inputs().count(),
            slot_sets: self.parts.iter().filter(|part| part.has_slots()).count(),
            found: false,
            slot_virials: false,
            by_bonds: false,
        };
        // Of a single style both passes have the same cutoffs.
        let slot_virials = self.virials_by_atom && seen.slot_sets > 0;
        let by_bonds =
            seen.slot_sets > 0 && !slot_virials && self.parts.iter().all(ResolvedPart::is_by_bonds);
        PairInputs { slot_virials, by_bonds, found: self.parts.len() == 1 && seen.made > 0, ..seen }
    }

    /// The seed of the noise between atoms: of several styles that have some, the first one's.
    pub fn seed(&self) -> Option<u32> {
        self.parts.iter().find_map(|part| part.style.seed())
    }

    /// Its temperature at the beginning and at the end of a run, over that of the numbers: of several styles alike
    /// ([`Pair::resolve`](super::Pair::resolve)).
    fn heat(&self) -> [f64; 2] {
        let style = self.parts.iter().find(|part| part.style.seed().is_some());
        style.map_or([1.0; 2], |part| part.style.heat())
    }
}
