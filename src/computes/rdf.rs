//! `compute rdf`: radial distribution functions g(r) and coordination numbers. Source: LAMMPS manual: the middle
//! of each bin, then for each pair of types g(r) and the mean number of neighbours up to the end of the bin.

use crate::base::error::Result;
use crate::base::memory;
use crate::engine::simulation::Simulation;
use crate::model::atoms::type_range;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;
use std::f64::consts::PI;
use std::ops::RangeInclusive;

struct Rdf {
    header: Header,
    bins: usize,
    /// Types of the atom in the middle, and of those around it.
    pairs: Vec<[RangeInclusive<usize>; 2]>,
    /// Instead of the longest cutoff of the pair style.
    cutoff: Option<f64>,
}

/// Takes the number of bins, pairs of types, `cutoff R`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let word = args.peek();
    let bins = args.count("the number of bins", 1)? as usize;
    let types = session.types();
    let mut pairs = Vec::new();
    while args.peek().is_some_and(|word| word.text != "cutoff") {
        let labels = &session.system.labels.atom;
        pairs.push([type_range(args, types, labels)?, type_range(args, types, labels)?]);
    }
    if pairs.is_empty() {
        pairs.push([1..=types, 1..=types]);
    }
    let mut cutoff = None;
    while args.accept("cutoff") {
        cutoff = Some(args.not_negative("the cutoff distance")?);
    }
    // A row of an array with 1 + 2 numbers for each of the pairs, and their counts on each core.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let bytes = bins as f64 * (40 + pairs.len() * (16 + 8 * (cores + 1))) as f64;
    if let (Some(word), Err(error)) = (word, memory::check(bytes)) {
        return Err(args.place(word, error));
    }
    Ok(Box::new(Rdf { header, bins, pairs, cutoff }))
}

impl Rdf {
    /// The run whose lists have all pairs that count, and no others.
    fn lists<'a>(&self, system: &Snapshot<'a>, cutoff: f64) -> Result<Option<&'a Simulation>> {
        let session = system.session;
        let all = self.header.group == 1 && !session.system.topology.has_special(true);
        let (Some(run), Some(pair), true) = (system.simulation, &session.force_field.pair, all) else {
            return Ok(None);
        };
        let within = pair.resolve()?.cutoffs().into_iter().all(|reach| cutoff <= reach);
        Ok((within && run.neighbor.long.is_none()).then_some(run))
    }

    /// The same by the device.
    fn histograms_by(&self, run: &Simulation, cutoff: f64) -> Result<Vec<u64>> {
        let (bins, types) = (self.bins, run.atoms.context.types);
        let counts = run.pair_counts.count(bins, cutoff, &run.atoms, &run.neighbor)?;
        let mut sums = Vec::with_capacity(bins * self.pairs.len());
        for [a, b] in &self.pairs {
            let pairs = || a.clone().flat_map(|a| b.clone().map(move |b| ((a - 1) * types + b - 1) * bins));
            sums.extend((0..bins).map(|bin| pairs().map(|first| counts[first + bin]).sum::<u64>()));
        }
        Ok(sums)
    }

    /// How many pairs fall into each bin, for each of the pairs of types.
    fn histograms(&self, system: &Snapshot<'_>, cutoff: f64) -> Result<Vec<u64>> {
        if let Some(run) = self.lists(system, cutoff)? {
            return self.histograms_by(run, cutoff);
        }
        let atoms = system.atoms()?;
        let neighbors = Neighbors::new(system, cutoff)?;
        let members = system.indices(self.header.group, None)?;
        let (bins, group, pairs) = (self.bins, self.header.group, &self.pairs);
        let per_length = 1.0 / (cutoff / bins as f64);
        let none = || vec![0_u64; bins * pairs.len()];
        let add = |mut counts: Vec<u64>, &i: &usize| {
            let mine = atoms.kind[i] as usize;
            neighbors.visit(i, |j, _, rsq| {
                if j < i || neighbors.weights(i, j) == [0.0; 2] {
                    return;
                }
                let bin = (rsq.sqrt() * per_length) as usize;
                if atoms.mask[j] & group == 0 || bin >= bins {
                    return;
                }
                let theirs = atoms.kind[j] as usize;
                for (m, [a, b]) in pairs.iter().enumerate() {
                    let forth = a.contains(&mine) && b.contains(&theirs);
                    // Images of the atom itself come from both sides.
                    let back = j != i && a.contains(&theirs) && b.contains(&mine);
                    counts[m * bins + bin] += u64::from(forth) + u64::from(back);
                }
            });
            counts
        };
        let sum = |mut a: Vec<u64>, b: Vec<u64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        Ok(members.par_iter().with_min_len(1024).fold(none, add).reduce(none, sum))
    }
}

impl Compute for Rdf {
    header!();

    fn shape(&self) -> Shape {
        Shape::array(1 + 2 * self.pairs.len())
    }

    fn rows(&self) -> Option<usize> {
        Some(self.bins)
    }

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        let cutoff = self.cutoff.map_or_else(|| pair_cutoff(system), Ok)?;
        match self.lists(system, cutoff)? {
            Some(run) => run.pair_counts.prepare(self.bins, &run.atoms.context),
            None => Ok(()),
        }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let cutoff = self.cutoff.map_or_else(|| pair_cutoff(system), Ok)?;
        let counts = self.histograms(system, cutoff)?;
        let width = cutoff / self.bins as f64;
        let per_type = system.count_by_type(self.header.group)?;
        let flat = system.session.system.dimension == 2;
        // The volume up to a distance as a share of the box.
        let volume = system.domain()?.volume(system.session.system.dimension);
        let share = |r: f64| if flat { PI / volume * r * r } else { 4.0 * PI / (3.0 * volume) * r * r * r };
        let mut rows: Vec<Vec<f64>> = (0..self.bins).map(|bin| vec![(bin as f64 + 0.5) * width]).collect();
        for (m, [a, b]) in self.pairs.iter().enumerate() {
            let count =
                |types: &RangeInclusive<usize>| types.clone().map(|kind| per_type[kind - 1]).sum::<f64>();
            let (first, second) = (count(a), count(b));
            let both: f64 = a.clone().filter(|kind| b.contains(kind)).map(|kind| per_type[kind - 1]).sum();
            // Atoms are no neighbours of themselves.
            let others = if first > 0.0 { second - both / first } else { 0.0 };
            let mut coordination = 0.0;
            for (bin, row) in rows.iter_mut().enumerate() {
                let expected = (share((bin + 1) as f64 * width) - share(bin as f64 * width)) * others;
                let found = counts[m * self.bins + bin] as f64;
                let g = if expected * first > 0.0 { found / (expected * first) } else { 0.0 };
                coordination += g * expected;
                row.extend([g, coordination]);
            }
        }
        Ok(Values { array: rows, ..Values::default() })
    }
}
