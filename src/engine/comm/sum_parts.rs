//! Sums over all atoms where each rank knows its own: work-groups add up the parts of the atoms that they would if one rank had all, so that
//! sums have the same bits. A part that ranks' borders cut is the one's that has its middle, and that one has to know the rest of it.

use super::{Rows, Shares};
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::Floats;
use crate::gpu::Buffer;
use std::ops::Range;

/// Whose the sums of each work-group are.
pub struct SumParts {
    /// The groups of each rank.
    groups: Vec<Range<usize>>,
    /// The first atoms of each rank's, and the last ones, that belong to parts of other ranks.
    cut: [Vec<Range<usize>>; 2],
}

impl SumParts {
    /// For `n` atoms, of which each rank has a part, and `groups` work-groups (`part_of` in cl/common/common.cl).
    pub(crate) fn new(atoms: &[Range<usize>], n: usize, groups: usize) -> Self {
        let share = n.div_ceil(groups);
        let part = |group: usize| (group * share).min(n)..((group + 1) * share).min(n);
        let middle = |group: usize| (part(group).start + part(group).end) / 2;
        let begin = |own: &Range<usize>| (0..groups).take_while(|&group| middle(group) < own.start).count();
        let mut begins: Vec<usize> = atoms.iter().map(begin).collect();
        begins[0] = 0;
        begins.push(groups);
        let groups: Vec<Range<usize>> = begins.windows(2).map(|ends| ends[0]..ends[1]).collect();
        let added = |groups: &Range<usize>| match groups.is_empty() {
            true => None,
            false => Some(part(groups.start).start..part(groups.end - 1).end),
        };
        let cut = |own: &Range<usize>, groups: &Range<usize>| match added(groups) {
            None => [own.clone(), own.end..own.end],
            Some(added) => {
                let first = added.start.clamp(own.start, own.end);
                [own.start..first, added.end.clamp(first, own.end)..own.end]
            }
        };
        let cuts: Vec<_> = atoms.iter().zip(&groups).map(|(own, groups)| cut(own, groups)).collect();
        let cut = [0, 1].map(|side| cuts.iter().map(|sides| sides[side].clone()).collect());
        SumParts { groups, cut }
    }

    /// The groups of this rank.
    pub fn own(&self) -> Range<usize> {
        self.groups[ranks::rank()].clone()
    }

    /// Has all ranks know numbers of the atoms of parts that borders cut, `width` of each.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather<T: bytemuck::Pod>(&self, shares: &Shares, buffer: &Buffer<T>, width: usize) -> Result<()> {
        self.cut.iter().try_for_each(|parts| shares.gather_parts(buffer, Rows::one(width), parts))
    }

    /// The same of numbers whose type goes by the precision.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather_floats(&self, shares: &Shares, floats: &Floats, width: usize) -> Result<()> {
        self.cut.iter().try_for_each(|parts| shares.gather_float_parts(floats, Rows::one(width), parts))
    }

    /// Of the sums of all groups, eight numbers of each, has this rank know those of the others.
    pub fn gather_sums(&self, sums: &mut [f64]) {
        let bytes = |groups: &Range<usize>| 64 * groups.start..64 * groups.end;
        let parts: Vec<_> = self.groups.iter().map(bytes).collect();
        ranks::gather(bytemuck::cast_slice_mut(sums), &parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_is_one_ranks_that_comes_to_know_its_atoms() {
        for (ends, n, groups) in [
            (vec![0, 400, 1000], 1000, 8),
            (vec![0, 400, 410, 420, 1000], 1000, 4),
            (vec![0, 10, 11, 1000], 1000, 300),
            (vec![0, 3, 5], 5, 16),
            (vec![0, 0, 7], 7, 2),
        ] {
            let atoms: Vec<Range<usize>> = ends.windows(2).map(|ends| ends[0]..ends[1]).collect();
            let parts = SumParts::new(&atoms, n, groups);
            assert_eq!((parts.groups[0].start, parts.groups[parts.groups.len() - 1].end), (0, groups));
            assert!(parts.groups.windows(2).all(|pair| pair[0].end == pair[1].start));
            let share = n.div_ceil(groups);
            let told = |i: usize| parts.cut.iter().flatten().any(|range| range.contains(&i));
            for (own, groups) in atoms.iter().zip(&parts.groups) {
                for i in (groups.start * share).min(n)..(groups.end * share).min(n) {
                    assert!(own.contains(&i) || told(i), "atom {i} of {ends:?} in {groups:?}");
                }
            }
            let all: usize = parts.cut.iter().flatten().map(Range::len).sum();
            assert!(all <= (atoms.len() - 1) * share, "{all} are told");
        }
    }
}
