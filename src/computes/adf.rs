//! `compute adf`: how often the angles between two neighbours of an atom are how large, for triples of types. Source: LAMMPS manual: the middle
//! of each bin, then for each triple the density of the angle (or its cosine) and the number of angles per atom up to the end of the bin.

use crate::base::error::Result;
use crate::base::memory;
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

/// What bins are of.
#[derive(Clone, Copy)]
enum Ordinate {
    Degree,
    Radian,
    Cosine,
}

/// One kind of angles.
struct Triple {
    /// Types of the atom at the angle and of those at its ends.
    types: [RangeInclusive<usize>; 3],
    /// From where to where the ends lie; none: up to the cutoff of the pair style.
    reach: Option<[[f64; 2]; 2]>,
}

struct Adf {
    header: Header,
    bins: usize,
    triples: Vec<Triple>,
    ordinate: Ordinate,
}

/// Takes the number of bins, triples `I J K RJIN RJOUT RKIN RKOUT`, `ordinate degree|radian|cosine`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let word = args.peek();
    let bins = args.count("the number of bins", 1)? as usize;
    let (types, labels) = (session.types(), &session.system.labels.atom);
    let mut triples = Vec::new();
    while args.peek().is_some_and(|word| word.text != "ordinate") {
        let mut range = || type_range(args, types, labels);
        let types = [range()?, range()?, range()?];
        let reach = [shell(args)?, shell(args)?];
        triples.push(Triple { types, reach: Some(reach) });
    }
    if triples.is_empty() {
        triples.push(Triple { types: [1..=types, 1..=types, 1..=types], reach: None });
    }
    let mut ordinate = Ordinate::Degree;
    while args.accept("ordinate") {
        let kinds =
            [("degree", Ordinate::Degree), ("radian", Ordinate::Radian), ("cosine", Ordinate::Cosine)];
        ordinate = args.one_of("ordinate", &kinds)?;
    }
    let bytes = bins as f64 * (40 + 24 * triples.len()) as f64;
    if let (Some(word), Err(error)) = (word, memory::check(bytes)) {
        return Err(args.place(word, error));
    }
    Ok(Box::new(Adf { header, bins, triples, ordinate }))
}

/// Takes the distances between which an end lies.
fn shell(args: &mut Args<'_>) -> Result<[f64; 2]> {
    let inner = args.not_negative("the inner distance")?;
    let word = args.peek();
    let outer = args.positive("the outer distance")?;
    match word {
        Some(word) if outer <= inner => {
            Err(args.error(word, "the outer distance is not beyond the inner one"))
        }
        _ => Ok([inner, outer]),
    }
}

impl Adf {
    /// Where bins begin, and how wide they are.
    fn axis(&self) -> [f64; 2] {
        let [first, last] = match self.ordinate {
            Ordinate::Degree => [0.0, 180.0],
            Ordinate::Radian => [0.0, PI],
            Ordinate::Cosine => [-1.0, 1.0],
        };
        [first, (last - first) / self.bins as f64]
    }

    /// Angles in each bin, triple by triple, and atoms that such angles may be at.
    fn count(&self, system: &Snapshot<'_>) -> Result<(Vec<u64>, Vec<f64>)> {
        let (atoms, group, bins) = (system.atoms()?, self.header.group, self.bins);
        let (triples, ordinate) = (&self.triples, self.ordinate);
        let default = match self.triples.iter().any(|triple| triple.reach.is_none()) {
            true => pair_cutoff(system)?,
            false => 0.0,
        };
        let ends = self.triples.iter().map(|triple| triple.reach.unwrap_or([[0.0, default]; 2]));
        let reach: Vec<[[f64; 2]; 2]> = ends.collect();
        let farthest = reach.iter().flatten().map(|shell| shell[1]).fold(0.0, f64::max);
        let neighbors = Neighbors::new(system, farthest)?;
        let [first, width] = self.axis();
        let none = || vec![0_u64; bins * triples.len()];
        let members = system.indices(group, None)?;
        let add = |mut counts: Vec<u64>, &i: &usize| {
            let mut around = Vec::new();
            neighbors.visit(i, |j, way, rsq| {
                if atoms.mask[j] & group != 0 && neighbors.weights(i, j) != [0.0; 2] {
                    around.push((atoms.kind[j] as usize, way, rsq.sqrt()));
                }
            });
            for (m, (Triple { types: [middle, one, other], .. }, [near, far])) in
                triples.iter().zip(&reach).enumerate()
            {
                if !middle.contains(&(atoms.kind[i] as usize)) {
                    continue;
                }
                let fits = |k: usize, types: &RangeInclusive<usize>, shell: &[f64; 2]| {
                    let (kind, _, r) = around[k];
                    types.contains(&kind) && r >= shell[0] && r < shell[1]
                };
                let sides: Vec<[bool; 2]> =
                    (0..around.len()).map(|k| [fits(k, one, near), fits(k, other, far)]).collect();
                for a in 0..around.len() {
                    for b in 0..a {
                        // An angle whose ends fit both ways counts once.
                        if !(sides[a][0] && sides[b][1] || sides[b][0] && sides[a][1]) {
                            continue;
                        }
                        let ((_, x, r), (_, y, s)) = (around[a], around[b]);
                        let cosine = ((0..3).map(|d| x[d] * y[d]).sum::<f64>() / (r * s)).clamp(-1.0, 1.0);
                        let at = match ordinate {
                            Ordinate::Cosine => cosine,
                            Ordinate::Radian => cosine.acos(),
                            Ordinate::Degree => cosine.acos() * 180.0 / PI,
                        };
                        let bin = ((at - first) / width) as usize;
                        if bin < bins {
                            counts[m * bins + bin] += 1;
                        }
                    }
                }
            }
            counts
        };
        let sum = |mut a: Vec<u64>, b: Vec<u64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        let counts = members.par_iter().with_min_len(256).fold(none, add).reduce(none, sum);
        let per_type = system.count_by_type(group)?;
        let middles = |triple: &Triple| triple.types[0].clone().map(|kind| per_type[kind - 1]).sum();
        Ok((counts, self.triples.iter().map(middles).collect()))
    }
}

impl Compute for Adf {
    header!();

    fn shape(&self) -> Shape {
        Shape::array(1 + 2 * self.triples.len())
    }

    fn rows(&self) -> Option<usize> {
        Some(self.bins)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (counts, middles) = self.count(system)?;
        let [first, width] = self.axis();
        let mut rows: Vec<Vec<f64>> =
            (0..self.bins).map(|bin| vec![first + (bin as f64 + 0.5) * width]).collect();
        for (counts, middles) in counts.chunks(self.bins).zip(middles) {
            let all: u64 = counts.iter().sum();
            let share = |x: f64, of: f64| if of > 0.0 { x / of } else { 0.0 };
            let mut sum = 0;
            for (row, &count) in rows.iter_mut().zip(counts) {
                sum += count;
                row.extend([share(count as f64, all as f64 * width), share(sum as f64, middles)]);
            }
        }
        Ok(Values { array: rows, ..Values::default() })
    }
}
