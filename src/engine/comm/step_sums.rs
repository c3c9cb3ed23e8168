//! Sums over all atoms that each step goes on with, where each rank knows its own atoms: it adds up the parts that are all its own; of those
//! that borders of ranks cut, all ranks learn the numbers of the atoms. So sums have the bits that they have on one rank, and ranks meet once
//! (cl/comm/step_sums.cl).

use super::{Rows, Shares};
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{Context, STEP_SUMS};
use crate::gpu::record::Section;
use crate::gpu::{Arg, Kernel};
use std::ops::Range;

/// The parts of the atoms that are added up one by one: so many atoms each, but for the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumShape {
    /// Atoms of a part.
    pub share: usize,
    /// How many parts there are.
    pub groups: usize,
}

/// The numbers of atoms and the sums of parts, of each as many rows as there are sums, so far apart.
#[derive(Clone, Copy)]
pub struct Numbers<'a> {
    /// Of atoms.
    pub atoms: (&'a Floats, usize),
    /// Of parts: the same where each atom is one.
    pub parts: (&'a Floats, usize),
}

/// The exchange of these.
pub struct StepSums {
    pack: Kernel,
    unpack: Kernel,
    told: Floats,
    sums: usize,
}

/// What a rank tells: how many numbers of each row.
fn told(own: &Range<usize>, is_last: bool, shape: SumShape) -> usize {
    shape.whole(own, is_last).len() + shape.cut(own, is_last).iter().map(Range::len).sum::<usize>()
}

impl SumShape {
    /// The parts that are all of a rank's own.
    pub fn whole(&self, own: &Range<usize>, is_last: bool) -> Range<usize> {
        let first = own.start.div_ceil(self.share).min(self.groups);
        first..if is_last { self.groups } else { first.max(own.end / self.share) }
    }

    /// The atoms of a rank in parts that its borders cut: the first ones and the last ones.
    pub fn cut(&self, own: &Range<usize>, is_last: bool) -> [Range<usize>; 2] {
        let whole = self.whole(own, is_last);
        let head = own.start..(whole.start * self.share).clamp(own.start, own.end);
        let tail = (whole.end * self.share).clamp(head.end, own.end)..own.end;
        [head, tail]
    }
}

impl StepSums {
    /// For so many sums, of which ranks tell so many numbers each in all at most.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, sums: usize, told: usize) -> Result<Self> {
        let program = context.program_with(&[STEP_SUMS], &context.defines().set("FEEDBACK_SUMS", sums))?;
        Ok(StepSums {
            pack: program.kernel("pack_sums")?,
            unpack: program.kernel("unpack_sums")?,
            told: Floats::new(&context.gpu, "sums of ranks", sums * told, context.numerics.wide())?,
            sums,
        })
    }

    /// Has all ranks know the sums of the parts that are all of one rank's, and the numbers of the atoms of the others.
    ///
    /// # Errors
    /// When the device fails.
    pub fn exchange(
        &self,
        shares: &Shares,
        atoms: &DeviceAtoms,
        numbers: Numbers<'_>,
        shape: SumShape,
    ) -> Result<()> {
        let (parts, rank) = (shares.parts(), ranks::rank());
        let last = parts.len() - 1;
        let mut end = 0;
        let mut after = |(rank, own): (usize, &Range<usize>)| {
            let begin = end;
            end += self.sums * told(own, rank == last, shape);
            begin..end
        };
        let pieces: Vec<Range<usize>> = parts.iter().enumerate().map(&mut after).collect();
        let (own, all) = (pieces[rank].len(), end);
        let [stride, group_stride] = [numbers.atoms.1, numbers.parts.1].map(|stride| Arg::U32(stride as u32));
        let counts = [shape.share, shape.groups, rank, parts.len()].map(|count| Arg::U32(count as u32));
        let first = [
            numbers.atoms.0.arg(),
            stride,
            numbers.parts.0.arg(),
            group_stride,
            self.told.arg(),
            shares.ends().into(),
        ];
        let (args, local) = ([&first[..], &counts].concat(), atoms.context.shape.local);
        self.pack.launch_each(Section::Comm, own, local, &args)?;
        shares.gather_float_parts(&self.told, Rows::one(1), &pieces)?;
        self.unpack.launch_each(Section::Comm, all, local, &args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_parts_and_numbers_of_atoms_make_up_all() {
        for (ends, share, groups) in [
            (vec![0, 400, 1000], 125, 8),
            (vec![0, 400, 410, 420, 1000], 250, 4),
            (vec![0, 10, 11, 1000], 4, 300),
            (vec![0, 250, 500, 1000], 250, 4),
            (vec![0, 3, 5], 1, 5),
            (vec![0, 0, 7], 4, 2),
            (vec![0, 7, 7], 4, 2),
        ] {
            let shape = SumShape { share, groups };
            let atoms: Vec<Range<usize>> = ends.windows(2).map(|ends| ends[0]..ends[1]).collect();
            let last = atoms.len() - 1;
            let whole: Vec<_> =
                atoms.iter().enumerate().map(|(r, own)| shape.whole(own, r == last)).collect();
            let n = ends[last + 1];
            // Each atom is in a whole part of one rank, or told of by the one whose it is.
            let within = |i: usize| whole.iter().filter(|parts| parts.contains(&(i / share))).count();
            let cut = (0..n).filter(|&i| within(i) == 0).count();
            assert!((0..n).all(|i| within(i) <= 1));
            let all: usize = atoms.iter().enumerate().map(|(r, own)| told(own, r == last, shape)).sum();
            assert_eq!(all, cut + whole.iter().map(Range::len).sum::<usize>(), "{ends:?} {share}");
        }
    }
}
