//! Bins of `compute chunk/atom`: layers, pencils or blocks of space.

use super::chunk_atom::Discard;
use crate::base::error::{Error, Result};
use crate::model::domain::Domain;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};

/// From where bins are counted along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Origin {
    Lower,
    Centre,
    Upper,
    At(f64),
}

/// What the script says of the bins along an axis.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// 0 to 2.
    pub(super) axis: usize,
    origin: Origin,
    width: f64,
    /// `bound`.
    bounds: [Option<f64>; 2],
}

impl Axis {
    /// Takes `x lower 0.5`: an axis, the origin of the bins, their width.
    pub(super) fn read(args: &mut Args<'_>) -> Result<Self> {
        let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
        let word = args.peek();
        let named = [("lower", Origin::Lower), ("center", Origin::Centre), ("upper", Origin::Upper)];
        let origin = match named.iter().find(|(name, _)| word.is_some_and(|word| word.text == *name)) {
            Some((name, origin)) => {
                args.accept(name);
                *origin
            }
            None => Origin::At(args.f64("lower, center, upper or a coordinate")?),
        };
        Ok(Axis { axis, origin, width: args.positive("the width of a bin")?, bounds: [None; 2] })
    }

    /// Adds what keywords say: the bounds, and the distance unit of all coordinates.
    pub(super) fn finish(&mut self, bounds: [Option<f64>; 2], unit: f64) {
        self.bounds = bounds.map(|bound| bound.map(|x| x * unit));
        self.width *= unit;
        if let Origin::At(x) = &mut self.origin {
            *x *= unit;
        }
    }
}

/// The bins along an axis in a box.
#[derive(Clone, Debug, PartialEq)]
struct Layers {
    axis: usize,
    /// Where the first one begins, in distance units or as a fraction of the box.
    begin: f64,
    width: f64,
    count: usize,
    /// Whether `bound` has set the lower and the upper end.
    bounded: [bool; 2],
    /// The size of a bin as a fraction of the box.
    share: f64,
}

/// The bins in a box.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bins {
    layers: Vec<Layers>,
    reduced: bool,
}

/// More bins than this are an oversight.
const MOST: f64 = 1e8;

impl Bins {
    /// Coordinates are fractions of the box where they are `reduced`.
    ///
    /// # Errors
    /// When the bounds leave no room for bins, or there are far too many.
    pub(super) fn new(axes: &[Axis], domain: &Domain, reduced: bool) -> Result<Self> {
        let layers = axes.iter().map(|axis| {
            let d = axis.axis;
            let (box_lo, box_hi) = if reduced { (0.0, 1.0) } else { (domain.lo[d], domain.hi[d]) };
            let (lower, upper) = (axis.bounds[0].unwrap_or(box_lo), axis.bounds[1].unwrap_or(box_hi));
            let origin = match axis.origin {
                Origin::Lower => lower,
                Origin::Centre => 0.5 * (lower + upper),
                Origin::Upper => upper,
                Origin::At(x) => x,
            };
            let width = axis.width;
            // Whole bins from the origin, so that both ends are covered: LAMMPS's arithmetic, to the last bit.
            let bins = |distance: f64| (distance * (1.0 / width)).trunc() * width;
            let begin = if origin < lower {
                origin + bins(lower - origin)
            } else {
                let begin = origin - bins(origin - lower);
                if begin > lower { begin - width } else { begin }
            };
            let end = if origin < upper {
                let end = origin + bins(upper - origin);
                if end < upper { end + width } else { end }
            } else {
                origin - bins(origin - upper)
            };
            let count = ((end - begin) * (1.0 / width) + 0.5).trunc();
            if begin > end || count < 1.0 {
                return Err(Error::new("the bounds leave no room for bins"));
            }
            if count > MOST {
                return Err(Error::new(format!("{count} bins along one axis are too many")));
            }
            let share = width / (box_hi - box_lo);
            let bounded = axis.bounds.map(|bound| bound.is_some());
            Ok(Layers { axis: d, begin, width, count: count as usize, bounded, share })
        });
        let bins = Bins { layers: layers.collect::<Result<_>>()?, reduced };
        let total: f64 = bins.layers.iter().map(|layers| layers.count as f64).product();
        if total > MOST { Err(Error::new(format!("{total} bins are too many"))) } else { Ok(bins) }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.layers.iter().map(|layers| layers.count).product()
    }

    /// The width of the bins along the first axis, as a fraction of the box.
    pub(super) fn share(&self) -> f64 {
        self.layers.first().map_or(1.0, |layers| layers.share)
    }

    /// The size of one, given that of the box.
    pub(super) fn volume(&self, of_box: f64) -> f64 {
        self.layers.iter().fold(of_box, |volume, layers| volume * layers.share)
    }

    /// The middle of each, the last axis fastest.
    pub(super) fn coordinates(&self) -> Vec<Vec<f64>> {
        self.layers.iter().fold(vec![Vec::new()], |before, layers| {
            let middle = |k: usize| layers.begin + (k as f64 + 0.5) * layers.width;
            let longer = |row: &Vec<f64>, k: usize| [&row[..], &[middle(k)]].concat();
            before.iter().flat_map(|row| (0..layers.count).map(move |k| longer(row, k))).collect()
        })
    }

    /// [`Bins::find`] for all atoms, 0 for outside.
    pub(super) fn recipe(&self, domain: &Domain, discard: Discard) -> AtomExpr {
        const BEFORE: usize = 3; // where each coordinate waits, behind the bins along the axes
        let places = if self.reduced { domain.straight_recipes() } else { AtomExpr::vector(AtomProperty::X) };
        let (mut number, mut inside) = (AtomExpr::number(0.0), AtomExpr::number(1.0));
        let mut found = Vec::new();
        for (place, layers) in self.layers.iter().enumerate() {
            let d = layers.axis;
            let (lo, hi) = (domain.lo[d], domain.hi[d]);
            let (mut x, [lo, hi]) = match self.reduced {
                true => ((places[d].clone() - lo) * (1.0 / (hi - lo)), [0.0, 1.0]),
                false => (places[d].clone(), [lo, hi]),
            };
            if domain.periodic(d) {
                let below = |x: &AtomExpr, face: f64| x.clone().less(AtomExpr::number(face));
                x = x.then(BEFORE, |x| below(&x, lo).choose(x.clone() + (hi - lo), x));
                x = x.then(BEFORE, |x| below(&x, hi).choose(x.clone(), x - (hi - lo)));
            }
            let below = |x: AtomExpr| x.less(AtomExpr::number(layers.begin));
            let bin = |x: AtomExpr| ((x.clone() - layers.begin) * (1.0 / layers.width)).truncate() - below(x);
            found.push(x.then(BEFORE, bin));
            let (bin, last) = (AtomExpr::aside(place), AtomExpr::number((layers.count - 1) as f64));
            let beyond = [bin.clone().less(AtomExpr::number(0.0)), last.clone().less(bin.clone())];
            for (beyond, bounded) in beyond.into_iter().zip(layers.bounded) {
                if discard == Discard::Yes || discard == Discard::Mixed && bounded {
                    inside = inside - beyond;
                }
            }
            number = number * layers.count as f64 + bin.greatest(AtomExpr::number(0.0)).least(last);
        }
        let number = AtomExpr::number(0.5).less(inside).choose(number + 1.0, AtomExpr::number(0.0));
        found.into_iter().enumerate().rev().fold(number, |number, (place, bin)| number.after(place, bin))
    }

    /// The number of the bin of a position, from 1; `None` outside of all.
    pub(super) fn find(&self, x: &[f64; 3], domain: &Domain, discard: Discard) -> Option<i64> {
        let mut number = 0;
        let straight = if self.reduced { domain.straighten(*x) } else { *x };
        for layers in &self.layers {
            let d = layers.axis;
            let (lo, hi) = (domain.lo[d], domain.hi[d]);
            let (mut x, [lo, hi]) = match self.reduced {
                true => ((straight[d] - lo) * (1.0 / (hi - lo)), [0.0, 1.0]),
                false => (x[d], [lo, hi]),
            };
            if domain.periodic(d) {
                if x < lo {
                    x += hi - lo;
                }
                if x >= hi {
                    x -= hi - lo;
                }
            }
            let last = layers.count as i64 - 1;
            let mut bin = ((x - layers.begin) * (1.0 / layers.width)) as i64;
            if x < layers.begin {
                bin -= 1;
            }
            let side = usize::from(bin > last);
            if bin < 0 || bin > last {
                let keep = match discard {
                    Discard::Yes => false,
                    Discard::No => true,
                    Discard::Mixed => !layers.bounded[side],
                };
                if !keep {
                    return None;
                }
            }
            number = number * layers.count as i64 + bin.clamp(0, last);
        }
        Some(number + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::ParkMiller;
    use crate::model::domain::Boundary;

    #[test]
    fn recipes_find_the_same_bins() {
        let box_of = |tilt: [f64; 3]| {
            let boundary = [[Boundary::Periodic; 2], [Boundary::Fixed; 2], [Boundary::Periodic; 2]];
            let domain = Domain::new([-1.0, 0.0, 2.0], [9.0, 7.0, 8.0], boundary).expect("a box");
            if tilt == [0.0; 3] { domain } else { domain.with_tilt(tilt).expect("a box that leans") }
        };
        let axis = |axis, origin, width, bounds| Axis { axis, origin, width, bounds };
        let free = [None; 2];
        let kinds = [
            (vec![axis(2, Origin::Lower, 0.7, free)], false),
            (vec![axis(0, Origin::Centre, 1.3, [Some(0.5), None]), axis(1, Origin::Upper, 0.9, free)], false),
            (
                vec![
                    axis(1, Origin::At(3.0), 1.0, [Some(1.0), Some(4.5)]),
                    axis(0, Origin::Lower, 2.5, free),
                    axis(2, Origin::Upper, 0.4, free),
                ],
                false,
            ),
            (vec![axis(0, Origin::Lower, 0.1, free), axis(1, Origin::At(0.3), 0.2, [None, Some(0.8)])], true),
        ];
        let mut random = ParkMiller::new(71);
        let mut seen = [0; 2];
        for (domain, (axes, reduced)) in [[0.0; 3], [0.0, -1.0, 0.0]]
            .map(box_of)
            .iter()
            .flat_map(|domain| kinds.iter().map(move |kind| (domain, kind)))
        {
            let bins = Bins::new(axes, domain, *reduced).expect("bins");
            for discard in [Discard::Yes, Discard::No, Discard::Mixed] {
                let recipe = bins.recipe(domain, discard);
                assert!(recipe.fits());
                for _ in 0..500 {
                    // Beyond the faces, too, as between rebuilds.
                    let x: [f64; 3] = std::array::from_fn(|d| {
                        domain.lo[d] + (1.2 * random.uniform() - 0.1) * (domain.hi[d] - domain.lo[d])
                    });
                    let own = |own| match own {
                        AtomProperty::X(d) => x[d],
                        other => panic!("{other:?}"),
                    };
                    let expected = bins.find(&x, domain, discard).unwrap_or(0);
                    assert_eq!(recipe.value(own, 1), expected as f64, "{x:?} {axes:?}");
                    seen[usize::from(expected > 0)] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
    }
}
