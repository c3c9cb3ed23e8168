//! Pairs of types whose cutoff is much longer than that of most atoms, as of a few large particles among many small ones. They
//! have [lists of their own](super::long_lists), so that cells and the other lists are made for the short cutoffs.

use crate::engine::kernels::SizeClass;
use crate::gpu::{DeviceInfo, DeviceKind};
use crate::potentials::pair::longest_of;
use std::f64::consts::PI;

/// Lists of their own are taken where they take less than this part of the time, as it is an estimate.
const WORTH: f64 = 0.65;

/// Work-items that make a row, or its forces, on GPUs.
const FEWEST_LANES: usize = 32;
const MOST_LANES: usize = 256;

/// Pairs of types that are looked at to find the cutoff beyond which pairs are long, and cutoffs that are tried however many pairs there are.
const MOST_LOOKS: usize = 1 << 24;
const FEWEST_TRIED: usize = 4;
/// About so many cutoffs are put in order for that.
const MOST_COMPARED: usize = 1 << 18;

/// Steps from one build of lists to the next.
const STEPS: f64 = 15.0;

/// Which pairs of types have lists of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct LongPairs {
    /// Per ordered pair of types, row by row, whether it is one of them.
    pub long: Vec<bool>,
    /// Per type, whether its atoms own rows with all atoms that form long pairs with them. At least one type of each long pair does.
    pub owners: Vec<bool>,
    /// Work-items of a row on GPUs, a power of two from 32 to 256: a row of mean length has one or two entries for each, where it can.
    pub lanes: usize,
}

/// What the choice is made for.
#[derive(Clone, Copy)]
pub struct Mixture<'a> {
    /// Cutoffs per ordered pair of types, in distance units; 0 for pairs without a potential.
    pub cutoffs: &'a [f64],
    /// Added to each where lists are made.
    pub skin: f64,
    /// How many atoms there are of each type.
    pub atoms: &'a [usize],
    /// The volume of the box, or in two dimensions its area.
    pub volume: f64,
    /// 2 or 3.
    pub dimension: u32,
}

impl Mixture<'_> {
    /// Atoms of so many that lie within a list cutoff.
    fn within(&self, atoms: f64, cutoff: f64) -> f64 {
        let reach = cutoff + self.skin;
        let ball = if self.dimension == 2 { PI * reach.powi(2) } else { 4.0 / 3.0 * PI * reach.powi(3) };
        atoms / self.volume * ball
    }

    fn all(&self) -> f64 {
        self.atoms.iter().sum::<usize>() as f64
    }

    /// Per type, how many neighbours an atom of it has in pairs that are long, or that are not.
    fn neighbors(&self, pairs: Option<&LongPairs>, long: bool) -> Vec<f64> {
        let types = self.atoms.len();
        let of = |k: usize| match self.cutoffs[k] {
            cutoff if cutoff > 0.0 && pairs.is_some_and(|pairs| pairs.long[k]) == long => {
                self.within(self.atoms[k % types] as f64, cutoff)
            }
            _ => 0.0,
        };
        (0..types).map(|kind| (kind * types..(kind + 1) * types).map(of).sum()).collect()
    }
}

impl LongPairs {
    /// What takes the least time on a device: `None` where lists of their own do not pay. They may be `wanted` in small systems, too.
    pub fn choose(mixture: &Mixture<'_>, device: &DeviceInfo, wanted: bool) -> Option<Self> {
        let device = CostModel::of(device);
        let (least, long) = LongPairs::best(mixture, &device)?;
        let alone = device.lists(mixture, None);
        let pays = if wanted { least < alone } else { least + device.launches(mixture) < WORTH * alone };
        pays.then_some(long)
    }

    /// The best of all such lists, whether they pay or not: `None` where all cutoffs are the same.
    pub fn least(mixture: &Mixture<'_>, device: &DeviceInfo) -> Option<Self> {
        LongPairs::best(mixture, &CostModel::of(device)).map(|(_, long)| long)
    }

    fn best(mixture: &Mixture<'_>, device: &CostModel) -> Option<(f64, Self)> {
        let cutoffs = mixture.cutoffs;
        let longest = longest_of(cutoffs);
        // An odd step meets all types.
        let step = (cutoffs.len() / MOST_COMPARED).max(1) | 1;
        let is_shorter = |&cutoff: &f64| cutoff > 0.0 && cutoff < longest;
        let mut shorter: Vec<f64> = cutoffs.iter().copied().step_by(step).filter(is_shorter).collect();
        shorter.sort_unstable_by(f64::total_cmp);
        shorter.dedup();
        // Thousands of types may have millions of cutoffs by mixing; to try one looks at each pair of types.
        let tried = (MOST_LOOKS / cutoffs.len().max(1)).max(FEWEST_TRIED);
        if shorter.len() > tried {
            let last = shorter.len() - 1;
            shorter = (0..tried).map(|k| shorter[k * last / (tried - 1)]).collect();
        }
        let split = |short: f64| {
            let long = LongPairs::beyond(mixture, short);
            (device.lists(mixture, Some(&long)), long)
        };
        shorter.into_iter().map(split).min_by(|(a, _), (b, _)| a.total_cmp(b))
    }

    /// Those with a cutoff beyond `short`. Of two types the rarer one owns rows.
    fn beyond(mixture: &Mixture<'_>, short: f64) -> Self {
        let (atoms, types) = (mixture.atoms, mixture.atoms.len());
        let long: Vec<bool> = mixture.cutoffs.iter().map(|&cutoff| cutoff > short).collect();
        let mut owners = vec![false; types];
        let mut rarest: Vec<usize> = (0..types).collect();
        rarest.sort_by_key(|&kind| (atoms[kind], kind));
        // Each type, the rarest first, owns those of its pairs that have no owner yet.
        for kind in rarest {
            owners[kind] =
                (0..types).any(|other| long[kind * types + other] && (other == kind || !owners[other]));
        }
        let mut pairs = LongPairs { long, owners, lanes: MOST_LANES };
        let row = pairs.mean_of_rows(mixture, &mixture.neighbors(Some(&pairs), true));
        pairs.lanes = ((0.5 * row) as usize).next_power_of_two().clamp(FEWEST_LANES, MOST_LANES);
        pairs
    }

    /// The mean over all rows of what an atom of each type has.
    fn mean_of_rows(&self, mixture: &Mixture<'_>, of_type: &[f64]) -> f64 {
        let [mut rows, mut sum] = [0.0; 2];
        for (kind, _) in self.owners.iter().enumerate().filter(|(_, owns)| **owns) {
            rows += mixture.atoms[kind] as f64;
            sum += mixture.atoms[kind] as f64 * of_type[kind];
        }
        if rows > 0.0 { sum / rows } else { 0.0 }
    }

    /// The longest cutoff of pairs that are `long`, or of those that are not, where some or none are; 0 if there are none.
    pub fn longest(pairs: Option<&LongPairs>, cutoffs: &[f64], long: bool) -> f64 {
        LongPairs::longest_if_any(pairs, cutoffs, long).unwrap_or(0.0)
    }

    /// The same of their list cutoffs.
    pub(super) fn longest_list(pairs: Option<&LongPairs>, cutoffs: &[f64], long: bool, skin: f64) -> f64 {
        LongPairs::longest_if_any(pairs, cutoffs, long).map_or(0.0, |longest| longest + skin)
    }

    fn longest_if_any(pairs: Option<&LongPairs>, cutoffs: &[f64], long: bool) -> Option<f64> {
        match pairs {
            None => (!long && !cutoffs.is_empty()).then(|| longest_of(cutoffs)),
            Some(pairs) => {
                let same = pairs.long.iter().zip(cutoffs).filter(|(is_long, _)| **is_long == long);
                same.map(|(_, &cutoff)| cutoff).reduce(f64::max)
            }
        }
    }

    /// The longest cutoff of a type's long pairs; 0 if there are none.
    fn reach(&self, cutoffs: &[f64], kind: usize) -> f64 {
        let types = self.owners.len();
        (kind * types..(kind + 1) * types).filter(|&k| self.long[k]).map(|k| cutoffs[k]).fold(0.0, f64::max)
    }
}

/// What lists take on a device, in the time in which all of it, with nothing to wait for, takes one more neighbour into an atom's force. The
/// numbers are those of an H200 and of two CPU cores (docs/notes/unlike-sizes.md).
struct CostModel {
    /// Atoms that wait for the one among them with the longest list.
    sub_group: i32,
    /// What a list takes besides its neighbours: vectors that are not full.
    ends: f64,
    /// Neighbours of others that are taken while one atom waits for each of its own: long lists end last.
    tail: f64,
    /// What it takes to test a candidate for ordinary lists, and for rows.
    test: f64,
    row_test: f64,
    /// What a work-item of a row's work-group takes besides its neighbours, and how much more those of other atoms of long pairs take, which
    /// lie anywhere in memory.
    lane: f64,
    scattered: f64,
    /// What launches take that a step with one list does not have, in large systems and in others.
    launches: [f64; 2],
}

impl CostModel {
    fn of(device: &DeviceInfo) -> Self {
        match device.shaped_as() {
            // The same however cores are shared out among ranks, as bits depend on the lists.
            DeviceKind::Cpu => CostModel {
                sub_group: 1,
                ends: 8.0,
                tail: 0.0,
                test: 0.4,
                row_test: 4.0,
                lane: 0.0,
                scattered: 1.0,
                launches: [2e5; 2],
            },
            _ => CostModel {
                sub_group: 32,
                ends: 0.0,
                tail: 1536.0 * f64::from(device.units),
                test: 5.0,
                row_test: 20.0,
                lane: 5.0,
                scattered: 2.0,
                launches: [25e3, 75e3].map(|of_unit| of_unit * f64::from(device.units)),
            },
        }
    }

    fn launches(&self, mixture: &Mixture<'_>) -> f64 {
        self.launches[usize::from(SizeClass::of(mixture.all() as usize) != SizeClass::Large)]
    }

    /// What a step takes by lists of all pairs, or of those that are not `long` and by rows of those that are.
    fn lists(&self, mixture: &Mixture<'_>, long: Option<&LongPairs>) -> f64 {
        let all = mixture.all();
        let ordinary = LongPairs::longest(long, mixture.cutoffs, false);
        let build = self.test * all * mixture.within(all, ordinary) / STEPS;
        let each = self.each_atom(mixture, &mixture.neighbors(long, false));
        build + each + long.map_or(0.0, |long| self.rows(mixture, long))
    }

    /// What it takes to go through so many neighbours of each atom of a type.
    fn each_atom(&self, mixture: &Mixture<'_>, neighbors: &[f64]) -> f64 {
        let all = mixture.all();
        let mut by_number: Vec<(f64, f64)> =
            neighbors.iter().zip(mixture.atoms).map(|(of_one, atoms)| (*of_one, *atoms as f64)).collect();
        by_number.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // The mean of the most neighbours among atoms that wait for each other.
        let [mut part, mut most] = [0.0; 2];
        for &(of_one, atoms) in &by_number {
            let with: f64 = part + atoms / all;
            most += (of_one + self.ends * of_one.min(1.0))
                * (with.powi(self.sub_group) - part.powi(self.sub_group));
            part = with;
        }
        // In small systems several work-items, up to 32, take an atom.
        let waits = all.clamp(self.tail / 32.0, self.tail);
        let longest = by_number.iter().rev().find(|(_, atoms)| *atoms > 0.0).map_or(0.0, |longest| longest.0);
        (all * most).max(waits * longest)
    }

    /// What rows take: to be built, to be gone through by a work-group each, and for the other atoms of their pairs.
    fn rows(&self, mixture: &Mixture<'_>, long: &LongPairs) -> f64 {
        let (all, types) = (mixture.all(), mixture.atoms.len());
        let lanes = if self.sub_group == 1 { 1.0 } else { long.lanes as f64 };
        let neighbors = mixture.neighbors(Some(long), true);
        let [mut rows, mut longest] = [0.0; 2];
        for kind in (0..types).filter(|&kind| long.owners[kind] && mixture.atoms[kind] > 0) {
            let candidates = mixture.within(all, long.reach(mixture.cutoffs, kind));
            let entries = lanes.max(neighbors[kind] + self.ends) + self.lane * lanes;
            rows += mixture.atoms[kind] as f64 * (entries + self.row_test * candidates / STEPS);
            longest = f64::max(longest, neighbors[kind] / lanes);
        }
        let of_others = |kind: usize| if long.owners[kind] { 0.0 } else { neighbors[kind] };
        let others: Vec<f64> = (0..types).map(of_others).collect();
        // Each atom looks whether it has some, too.
        rows + self.tail * longest + self.scattered * (self.each_atom(mixture, &others) + all)
    }
}
