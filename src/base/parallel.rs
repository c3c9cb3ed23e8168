//! Work over many atoms on the host, shared by its cores. What comes out does not depend on how many these are.

use rayon::prelude::*;

/// So many atoms are one thread's at a time, and are added up one after another.
const BLOCK: usize = 4096;

/// To wake threads for no more than these takes longer than one needs.
const FEW: usize = 8 * BLOCK;

/// Sums by bins, and texts, are made in so many parts at most.
const MOST_PARTS: usize = 64;

/// A value for each of `n` atoms.
pub(crate) fn map<T: Send>(n: usize, value: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    match n {
        0..=FEW => (0..n).map(value).collect(),
        _ => (0..n).into_par_iter().with_min_len(BLOCK).map(value).collect(),
    }
}

/// A number for each of `n` atoms, or the first error.
pub(crate) fn try_map<E: Send>(
    n: usize,
    value: impl Fn(usize) -> Result<f64, E> + Sync + Send,
) -> Result<Vec<f64>, E> {
    let mut values = vec![0.0; n];
    let one = |(block, values): (usize, &mut [f64])| {
        let mut places = values.iter_mut().zip(BLOCK * block..);
        places.try_for_each(|(old, place)| value(place).map(|new| *old = new))
    };
    match n {
        // Formulas take longer than copies.
        0..=BLOCK => one((0, &mut values))?,
        _ => {
            let blocks: Vec<Result<(), E>> = values.par_chunks_mut(BLOCK).enumerate().map(one).collect();
            blocks.into_iter().collect::<Result<(), E>>()?;
        }
    }
    Ok(values)
}

/// Whether all of some values pass.
pub(crate) fn all<T: Sync>(values: &[T], passes: impl Fn(&T) -> bool + Sync + Send) -> bool {
    match values.len() {
        0..=FEW => values.iter().all(passes),
        _ => values.par_iter().all(passes),
    }
}

/// Sets each of some values by its place.
pub(crate) fn set<T: Send>(values: &mut [T], value: impl Fn(usize) -> T + Sync + Send) {
    let one = |(block, values): (usize, &mut [T])| {
        values.iter_mut().zip(BLOCK * block..).for_each(|(old, place)| *old = value(place));
    };
    match values.len() {
        0..=FEW => one((0, values)),
        _ => values.par_chunks_mut(BLOCK).enumerate().for_each(one),
    }
}

/// Those of `n` atoms that pass, in their order.
pub(crate) fn select(n: usize, passes: impl Fn(usize) -> bool + Sync + Send) -> Vec<usize> {
    match n {
        0..=FEW => (0..n).filter(|&i| passes(i)).collect(),
        _ => {
            let blocks = (0..n.div_ceil(BLOCK)).into_par_iter();
            let one = |block: usize| {
                let atoms = BLOCK * block..n.min(BLOCK * (block + 1));
                atoms.filter(|&i| passes(i)).collect::<Vec<_>>()
            };
            blocks.map(one).collect::<Vec<_>>().concat()
        }
    }
}

/// Sums over some atoms: within blocks one atom after another, then one block after another.
pub(crate) fn sum<const N: usize>(
    members: &[usize],
    term: impl Fn(usize) -> [f64; N] + Sync + Send,
) -> [f64; N] {
    let add = |mut sum: [f64; N], term: [f64; N]| {
        sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
        sum
    };
    let block = |block: &[usize]| block.iter().fold([0.0; N], |sum, &i| add(sum, term(i)));
    match members.len() {
        0..=FEW => members.chunks(BLOCK).map(block).fold([0.0; N], add),
        _ => members.par_chunks(BLOCK).map(block).collect::<Vec<_>>().into_iter().fold([0.0; N], add),
    }
}

/// Writes a text for each of some atoms, one after another.
pub(crate) fn texts<E>(
    atoms: &[usize],
    text: impl Fn(&usize, &mut Vec<u8>) + Sync + Send,
    mut write: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let block = |block: &[usize]| {
        let mut texts = Vec::with_capacity(64 * block.len());
        block.iter().for_each(|atom| text(atom, &mut texts));
        texts
    };
    // As many at once as keep the cores busy, and no more, for the memory.
    for blocks in atoms.chunks(BLOCK * MOST_PARTS) {
        let texts: Vec<Vec<u8>> = match blocks.len() {
            0..=BLOCK => vec![block(blocks)],
            _ => blocks.par_chunks(BLOCK).map(block).collect(),
        };
        texts.iter().try_for_each(|text| write(text))?;
    }
    Ok(())
}

/// Sums over the atoms of each of some bins, in rows: `add` adds an atom to the row of its bin. Atoms are taken in parts,
/// as many as their number and that of the bins say, and the parts added up one after another.
pub(crate) fn histogram(
    members: &[usize],
    [bins, width]: [usize; 2],
    bin: impl Fn(usize) -> Option<usize> + Sync + Send,
    add: impl Fn(usize, &mut [f64]) + Sync + Send,
) -> Vec<Vec<f64>> {
    let part = |members: &[usize]| {
        let mut rows = vec![0.0; bins * width];
        for &i in members {
            if let Some(bin) = bin(i) {
                add(i, &mut rows[bin * width..(bin + 1) * width]);
            }
        }
        rows
    };
    // Each part has rows of its own, which must not be more than its atoms.
    let parts = (members.len() / BLOCK.max(bins)).clamp(1, MOST_PARTS);
    let length = members.len().div_ceil(parts).max(1);
    let mut sums: Vec<Vec<f64>> = match members.len() {
        0 => vec![part(members)],
        1..=FEW => members.chunks(length).map(part).collect(),
        _ => members.par_chunks(length).map(part).collect(),
    };
    let rest = sums.split_off(1);
    let total = &mut sums[0];
    rest.iter().for_each(|rows| total.iter_mut().zip(rows).for_each(|(sum, x)| *sum += x));
    total.chunks(width).map(<[f64]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of few atoms and of many, one after another and by threads.
    #[test]
    fn as_one_after_another() {
        for n in [0, 1, BLOCK + 1, FEW, FEW + 1, 3 * FEW + 17] {
            assert_eq!(map(n, |i| 3 * i), (0..n).map(|i| 3 * i).collect::<Vec<_>>());
            let odd: Vec<usize> = (0..n).filter(|i| i % 2 == 1).collect();
            assert_eq!(select(n, |i| i % 2 == 1), odd);
            let mut squares = vec![0; n];
            set(&mut squares, |i| i * i);
            assert_eq!(squares, (0..n).map(|i| i * i).collect::<Vec<_>>());
            let bins = histogram(
                &odd,
                [3, 2],
                |i| (i % 4 < 3).then_some(i % 4),
                |i, row| {
                    row[0] += 1.0;
                    row[1] += i as f64;
                },
            );
            let ones: Vec<usize> = odd.iter().copied().filter(|i| i % 4 == 1).collect();
            let ones = vec![ones.len() as f64, ones.iter().sum::<usize>() as f64];
            assert_eq!(bins, [vec![0.0; 2], ones, vec![0.0; 2]]);
            let mut text = Vec::new();
            let number = |i: &usize, text: &mut Vec<u8>| text.extend(i.to_string().bytes());
            let write = |part: &[u8]| {
                text.extend_from_slice(part);
                Ok::<(), ()>(())
            };
            texts(&odd, number, write).expect("no errors");
            assert!(text.into_iter().eq(odd.iter().flat_map(|i| i.to_string().into_bytes())));
            let total: usize = odd.iter().sum();
            assert_eq!(sum(&odd, |i| [i as f64, 1.0]), [total as f64, odd.len() as f64]);
        }
    }

    /// However many threads there are.
    #[test]
    fn the_same_bits_with_any_number_of_threads() {
        let members: Vec<usize> = (0..10 * BLOCK).collect();
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| sum(&members, |i| [1.0 / (1.0 + i as f64)])[0].to_bits())
        };
        assert_eq!(with(1), with(5));
    }
}
