//! What the fixes that exchange velocities between two slabs have in common: `thermal/conductivity` and `viscosity`.
//! Source: F. Mueller-Plathe, J. Chem. Phys. 106 (1997) 6082, and Phys. Rev. E 59 (1999) 4894.

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::snapshot::view::Snapshot;

/// Between which atoms, and how often.
pub(super) struct Exchange {
    /// Steps between exchanges.
    pub(super) every: i64,
    axis: usize,
    bins: u64,
    /// Pairs of atoms each time.
    pub(super) pairs: usize,
}

const AXES: [(&str, usize); 3] = [("x", 0), ("y", 1), ("z", 2)];

/// Takes an axis.
pub(super) fn axis(args: &mut Args<'_>) -> Result<usize> {
    args.one_of("axis", &AXES)
}

impl Exchange {
    /// Takes the axis and the number of slabs along it.
    pub(super) fn read(every: i64, args: &mut Args<'_>) -> Result<Self> {
        let axis = axis(args)?;
        let word = args.peek();
        let bins = args.count_of("the number of slabs", 2, 64.0)? as u64;
        match word.filter(|_| bins % 2 == 1) {
            Some(word) => Err(args
                .error(word, format_args!("{bins} slabs have none that begins in the middle of the box"))
                .help("take an even number")),
            None => Ok(Exchange { every, axis, bins, pairs: 1 }),
        }
    }

    /// Takes the number after `swap`.
    pub(super) fn swap(&mut self, args: &mut Args<'_>) -> Result<()> {
        self.pairs = args.count("the number of pairs", 1)? as usize;
        Ok(())
    }

    /// The next step after `step` with an exchange.
    pub(super) fn next(&self, step: i64) -> i64 {
        (step.div_euclid(self.every) + 1) * self.every
    }

    /// Pairs of an atom in the lowest slab and one in the slab above the middle: those with the largest `rank`, those
    /// with the largest `opposite`; atoms without are left out.
    pub(super) fn choose(
        &self,
        system: &Snapshot<'_>,
        group: u32,
        rank: impl Fn(usize) -> Option<f64>,
        opposite: impl Fn(usize) -> Option<f64>,
    ) -> Result<Vec<(usize, usize)>> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        if domain.triclinic {
            return Err(Error::new("a triclinic box cannot be cut into slabs"));
        }
        let (lo, hi) = (domain.lo[self.axis], domain.hi[self.axis]);
        let width = (hi - lo) / self.bins as f64;
        let slab = |number: u64| [lo + number as f64 * width, lo + (number + 1) as f64 * width];
        let (first, middle) = (slab(0), slab(self.bins / 2));
        let mut lists: [Vec<(f64, usize)>; 2] = Default::default();
        for i in system.indices(group, None)? {
            // Positions are wrapped only when lists are built.
            let mut x = atoms.x[i];
            domain.wrap(&mut x, &mut [0; 3]);
            let within = |[lo, hi]: [f64; 2]| lo <= x[self.axis] && x[self.axis] < hi;
            if within(first) {
                lists[0].extend(rank(i).map(|rank| (rank, i)));
            } else if within(middle) {
                lists[1].extend(opposite(i).map(|rank| (rank, i)));
            }
        }
        // Equal ones by ID, so that nothing depends on the order in memory.
        let key = |(rank, i): &(f64, usize)| (*rank, atoms.tag[*i]);
        for list in &mut lists {
            list.sort_unstable_by(|a, b| {
                let ((a, tag_a), (b, tag_b)) = (key(a), key(b));
                b.total_cmp(&a).then(tag_a.cmp(&tag_b))
            });
        }
        let [low, high] = lists;
        Ok(low.iter().zip(&high).take(self.pairs).map(|(a, b)| (a.1, b.1)).collect())
    }
}
