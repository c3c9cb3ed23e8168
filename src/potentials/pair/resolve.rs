//! What a run makes of the pair style of a script: the parameters of all pairs of types, sums over styles, and what the
//! kernel is built from.

mod on_host;
mod rows;

use super::hybrid;
use super::many_body::{FirstPass, Leaves, ManyBody};
use super::style::{AtomInput, Mix, PairInputs, Params, Shared, Style};
use crate::gpu::DeviceKind;
use crate::gpu::source::{self, File, kernel_file};
use crate::potentials::lepton::Written;
use crate::potentials::pair::cost::{SUM_OPERATIONS, TALLY_OPERATIONS};
use rows::Rows;
pub use rows::samples_at;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// What the pair kernel is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients {
    /// Name and text of the files that define `pair_eval`.
    pub files: Vec<(String, String)>,
    /// Numbers per pair of types, without the cutoff.
    pub per_pair: usize,
    /// How many types the table tells apart: 1 where all pairs have the same numbers throughout a run, else all.
    pub kinds: usize,
    /// Per ordered pair of types that it tells apart: cutoff^2, then the numbers. Behind all of these the samples.
    pub table: Vec<f64>,
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
}

/// A first pass over the neighbours, as [`Coefficients`] are the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The file that defines `pass_eval` and `pass_end`.
    pub file: File,
    /// Numbers per pair of types, without the cutoff.
    pub per_pair: usize,
    /// As [`Coefficients::table`].
    pub table: Vec<f64>,
    /// What it leaves of each atom.
    pub leaves: Leaves,
    /// After so many numbers, or sets of slots, of passes before it.
    pub first: usize,
    /// Of partial forces: numbers per triplet of types, one triplet after another.
    pub triplets: Vec<f64>,
    /// Whether the numbers of pairs change during a run, so that the kernel must read them.
    pub varying: bool,
}

impl Pass {
    /// So many numbers it makes of each atom.
    fn made(&self) -> usize {
        match self.leaves {
            Leaves::Numbers { made, .. } => made,
            Leaves::PartialForces { .. } => 0,
        }
    }

    /// Whether it leaves partial forces.
    pub fn has_slots(&self) -> bool {
        matches!(self.leaves, Leaves::PartialForces { .. })
    }
}

/// The numbers of a pair and its tables.
type Numbers<'a> = (Vec<f64>, Vec<Cow<'a, [f64]>>);

/// Whether all these pairs of so many types have the same numbers, throughout a run.
pub fn alike(rows: &[&[f64]], types: usize, varying: bool) -> bool {
    types == 1 || !varying && rows.iter().all(|numbers| numbers == &rows[0])
}

/// The parameters of all pairs of types.
pub(super) struct Filled {
    /// The mixing rule of each style.
    pub(super) rules: Vec<Mix>,
    /// Per style, row by row.
    pub(super) params: Vec<Arc<[Shared]>>,
    /// How many pairs were mixed.
    pub(super) mixed: usize,
    cutoffs: OnceLock<Vec<f64>>,
}

impl Filled {
    pub(super) fn new(rules: Vec<Mix>, params: Vec<Arc<[Shared]>>, mixed: usize) -> Self {
        Filled { rules, params, mixed, cutoffs: OnceLock::new() }
    }
}

/// A style with its parameters for every ordered pair of types.
pub struct ResolvedPart<'a> {
    /// The style.
    pub style: &'a dyn Style,
    /// Parameters, row by row; none where the pair has other styles.
    pub params: Arc<[Shared]>,
    /// Whether [`Style::shift`] is subtracted from the energy.
    pub shifted: bool,
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
    /// What the parameters are part of.
    pub(super) filled: Arc<Filled>,
    /// Whether virials of triplets are shared out among their atoms, a third each.
    pub virials_by_atom: bool,
}

impl ResolvedPart<'_> {
    /// Cutoff of the k-th pair of types; 0 where this style has no part in it.
    pub fn cutoff(&self, k: usize) -> f64 {
        self.params[k].as_ref().map_or(0.0, |params| self.style.cutoff(params))
    }

    /// What is subtracted from the energy of the k-th pair of types.
    pub fn shift(&self, k: usize) -> f64 {
        match &self.params[k] {
            // Without a pair within the cutoff there is nothing to shift.
            Some(params) if self.shifted && self.style.reach(params) > 0.0 => self.style.shift(params),
            _ => 0.0,
        }
    }

    /// Rows of samples of all pairs.
    pub(super) fn rows(&self) -> usize {
        let rows = |params: &Arc<Params>| {
            self.style.samples(params).iter().map(|table| table.len() / 8).sum::<usize>()
        };
        // Of pairs in a row that share their parameters.
        let runs = self.params.chunk_by(same);
        runs.map(|run| run.len() * run[0].as_ref().map_or(0, rows)).sum()
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

    /// The same of numbers and tables that `of` makes of the k-th pair.
    fn rows_with<'a>(&'a self, samples: &mut Samples, of: &dyn Fn(usize, &'a Params) -> Numbers<'a>) -> Rows {
        let mut rows = Rows { rows: vec![Vec::new()], of: Vec::with_capacity(self.params.len()) };
        let mut known: HashMap<*const Params, u32> = HashMap::new();
        // Of equal pairs the tables are made once.
        let mut tabulated: Vec<(&Params, u32)> = Vec::new();
        for (k, params) in self.params.iter().enumerate() {
            if k > 0 && same(&self.params[k - 1], params) {
                rows.of.push(rows.of[k - 1]);
                continue;
            }
            let Some(params) = params else {
                rows.of.push(0);
                continue;
            };
            let equal = known.get(&Arc::as_ptr(params)).copied();
            let equal =
                equal.or_else(|| tabulated.iter().find(|(known, _)| *known == &**params).map(|(_, k)| *k));
            if let Some(equal) = equal {
                known.insert(Arc::as_ptr(params), equal);
                rows.of.push(equal);
                continue;
            }
            let (numbers, tables) = of(k, params);
            let mut row = vec![self.style.seen_within(params).powi(2)];
            // Of no pair: the values at no distance may be infinite.
            let off = self.cutoff(k) == 0.0;
            row.extend(numbers.into_iter().map(|number| if off { 0.0 } else { number }));
            row.extend(tables.iter().map(|table| samples.place_of(table) as f64));
            let place = rows.rows.len() as u32;
            known.insert(Arc::as_ptr(params), place);
            if !tables.is_empty() {
                tabulated.push((params, place));
            }
            rows.rows.push(row);
            rows.of.push(place);
        }
        let longest = rows.width().max(2);
        rows.rows.iter_mut().for_each(|row| row.resize(longest, 0.0));
        rows
    }

    /// So many numbers a pass of the style makes of each atom.
    fn made(&self) -> Option<usize> {
        match self.style.many_body()?.first_pass().leaves {
            Leaves::Numbers { made, .. } => Some(made),
            Leaves::PartialForces { .. } => None,
        }
    }

    /// Whether the style has forces of pairs, besides those of passes.
    fn has_pairs(&self) -> bool {
        self.style.many_body().is_none_or(ManyBody::has_pairs)
    }

    /// Whether a pass leaves partial forces.
    fn has_slots(&self) -> bool {
        let leaves = self.style.many_body().map(|potential| potential.first_pass().leaves);
        matches!(leaves, Some(Leaves::PartialForces { .. }))
    }

    /// The pass before the last one, if there is any, behind others.
    fn pass(&self, types: usize, before: &[Pass], varying: bool) -> Option<Pass> {
        let potential = self.style.many_body()?;
        let FirstPass { snippet, leaves } = potential.first_pass();
        let first = match leaves {
            Leaves::Numbers { .. } => before.iter().map(Pass::made).sum(),
            Leaves::PartialForces { .. } => before.iter().filter(|pass| pass.has_slots()).count(),
        };
        let triplet = |k: usize| {
            let (i, j, k) = (k / types / types, k / types % types, k % types);
            match (&self.params[i * types + j], &self.params[i * types + k]) {
                (Some(one), Some(other)) => potential.triplet(one, other),
                _ => Vec::new(),
            }
        };
        let mut triplets: Vec<_> = (0..types.pow(3)).map(triplet).collect();
        let width = triplets.iter().map(Vec::len).max().unwrap_or(0);
        triplets.iter_mut().for_each(|numbers| numbers.resize(width, 0.0));
        let mut samples = Samples::default();
        let mut rows = self.rows_with(&mut samples, &|_, params| {
            (potential.pass_coefficients(params), potential.pass_samples(params))
        });
        for (&place, params) in rows.of.iter().zip(self.params.iter()) {
            if let Some(reach) = params.as_ref().and_then(|params| potential.pass_reach(params)) {
                rows.rows[place as usize][0] = reach.powi(2);
            }
        }
        let (per_pair, table) = rows.table(types, samples.numbers);
        Some(Pass { file: snippet, per_pair, table, leaves, first, triplets: triplets.concat(), varying })
    }
}

/// Whether two pairs share their parameters, or have none.
fn same(a: &Shared, b: &Shared) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
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
        let longest = |k| self.parts.iter().map(|part| part.cutoff(k)).fold(0.0, f64::max);
        self.filled.cutoffs.get_or_init(|| (0..self.types * self.types).map(longest).collect())
    }

    /// The longest of them.
    pub fn longest_cutoff(&self) -> f64 {
        self.each_cutoff().iter().copied().fold(0.0, f64::max)
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

    /// What the kernel is built from, with numbers that may be `varying` during a run.
    pub fn coefficients(&self, varying: bool) -> Coefficients {
        let mut samples = Samples::default();
        let passes = self.passes(varying);
        let with_pairs: Vec<_> = self.parts.iter().filter(|part| part.has_pairs()).collect();
        let written = |(place, part): (usize, &&ResolvedPart<'_>)| {
            part.style.written(&part.params, &|k| part.shift(k), place)
        };
        let written: Vec<_> = with_pairs.iter().enumerate().map(written).collect();
        let rows: Vec<_> = with_pairs
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
            [rows] if self.parts.len() == 1 => (vec![snippet(0)], rows.clone()),
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
        let (per_pair, table) = rows.table(kinds, samples.numbers);
        let (seen, own_energies) = (self.seen(), self.own_energies());
        Coefficients {
            files,
            per_pair,
            kinds,
            table,
            seen,
            own_energies,
            seed: self.seed(),
            heat: self.heat(),
            varying,
            passes,
            has_pairs: !with_pairs.is_empty(),
            met: Vec::new(),
        }
    }

    /// The passes before the last one.
    fn passes(&self, varying: bool) -> Vec<Pass> {
        let mut passes: Vec<Pass> = Vec::new();
        for part in &self.parts {
            let pass = part.pass(self.types, &passes, varying);
            passes.extend(pass);
        }
        passes
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
        };
        // Of a single style both passes have the same cutoffs.
        let slot_virials = self.virials_by_atom && seen.slot_sets > 0;
        PairInputs { slot_virials, found: self.parts.len() == 1 && seen.made > 0, ..seen }
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
