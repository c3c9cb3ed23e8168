//! How many pairs there are at which distances, by the neighbour loop (COUNT_PAIRS of cl/force/accumulate.cl).

use super::arguments::{Over, over_pages};
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Floats, real};
use crate::engine::force::program::{Output, pair_defines, pair_files};
use crate::engine::kernels::Context;
use crate::engine::neighbor::Neighbor;
use crate::gpu::record::Section;
use crate::gpu::source::{self, kernel_file};
use crate::gpu::{Buffer, Kernel};
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::style::PairInputs;
use crate::potentials::pair::{Coefficients, Table};
use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Work-groups count in so many places by turns at most, and in no more than these words together.
const MOST_COPIES: usize = 64;
const MOST_WORDS: usize = 1 << 16;

/// Coefficients of so many kinds of types that are two numbers per pair: per ordered pair of them cutoff^2 and these (cl/pair/count.cl).
pub fn counted(kinds: usize, rows: &[[f64; 3]]) -> Coefficients<'static> {
    let row = |&[square, first, second]: &[f64; 3]| [square, first, second, 0.0]; // whole fours
    Coefficients {
        files: vec![source::owned(kernel_file!("pair/count.cl"))],
        per_pair: 3,
        kinds,
        table: Table::of_numbers(kinds, rows.iter().flat_map(row).collect()),
        seen: PairInputs::default(),
        own_energies: Vec::new(),
        seed: None,
        heat: [1.0; 2],
        varying: false,
        passes: Vec::new(),
        has_pairs: true,
        met: Vec::new(),
        local_rows: 0..0,
    }
}

/// Counts of pairs by distance that computes ask for: the kernels that count, by the number of bins.
#[derive(Default)]
pub struct PairCounts(RefCell<HashMap<usize, Counter>>);

impl PairCounts {
    /// Has the program for so many bins built.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn prepare(&self, bins: usize, context: &Context) -> Result<()> {
        if let Entry::Vacant(place) = self.0.borrow_mut().entry(bins) {
            place.insert(Counter::new(context, bins)?);
        }
        Ok(())
    }

    /// The number of pairs in each of some bins of distance up to a cutoff, for each ordered pair of types, at the present positions.
    /// Each pair counts from both sides. The lists must reach as far as the cutoff.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn count(
        &self,
        bins: usize,
        cutoff: f64,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
    ) -> Result<Vec<u64>> {
        self.prepare(bins, &atoms.context)?;
        self.0.borrow()[&bins].count(cutoff, atoms, neighbor)
    }
}

/// The kernel that counts, and the counts.
struct Counter {
    kernel: Kernel,
    table: Floats,
    counts: Buffer<u32>,
    /// Ordered pairs of types, times bins.
    all: usize,
    bins: usize,
}

impl Counter {
    /// For so many bins.
    fn new(context: &Context, bins: usize) -> Result<Self> {
        let pairs = context.types * context.types;
        let all = pairs * bins;
        let mut copies = MOST_COPIES;
        while copies > 1 && copies * all > MOST_WORDS {
            copies /= 2;
        }
        // Counting looks at no coefficients, but the loop is compiled with some.
        let coefficients = counted(context.types, &vec![[0.0; 3]; pairs]);
        let defines = pair_defines(context, &coefficients).set("TALLY", 0);
        let defines = defines.set("COUNT_PAIRS", bins).set("COUNT_COPIES", copies);
        let program = context.program_with(
            &pair_files(context, &coefficients, &BondedTopology::default(), Output::Count),
            &defines,
        )?;
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        Ok(Counter {
            kernel: program.kernel("count_pairs")?,
            table: Floats::from_table(gpu, "numbers of pairs", &coefficients.table, wide)?,
            counts: gpu.buffer("counts of pairs", copies * all)?,
            all,
            bins,
        })
    }

    /// [`PairCounts::count`].
    fn count(&self, cutoff: f64, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<Vec<u64>> {
        self.counts.clear(Section::Output, 0..self.counts.len())?;
        let per_length = real(atoms.context.numerics, self.bins as f64 / cutoff);
        let rest = [(&self.counts).into(), per_length, (&atoms.status).into(), atoms.step.into()];
        over_pages(&self.kernel, Over::Lists, &self.table, atoms, neighbor, &rest)?;
        let add_up = |counts: &[u32]| {
            let mut sums = vec![0; self.all];
            for copy in counts.chunks_exact(self.all) {
                sums.iter_mut().zip(copy).for_each(|(sum, &count)| *sum += u64::from(count));
            }
            sums
        };
        let (section, all) = (Section::Output, 0..self.counts.len());
        if neighbor.shares.is_none() {
            return self.counts.read_agreed(section, all).map(|counts| add_up(&counts));
        }
        let mut sums = self.counts.view(section, all, add_up)?;
        ranks::sum(&mut sums);
        Ok(sums)
    }
}
