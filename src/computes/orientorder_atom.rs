//! `compute orientorder/atom`: how the neighbours of each atom are arranged, by averages of spherical harmonics over their
//! directions. Source: LAMMPS manual; Steinhardt, Nelson and Ronchetti, Phys. Rev. B 28, 784 (1983), eqs. (1.3), (1.4)
//! and (2.2).

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;
use std::f64::consts::PI;
use std::ops::Range;

/// The highest degree: up to there the sums of Wigner's symbols are exact in 128 bits.
const HIGHEST: usize = 40;
/// A Q below this is 0: it has no direction that could be normalised.
const NOTHING: f64 = 1e-6;

struct OrientOrderAtom {
    header: Header,
    /// Distance within which neighbours count; none: the longest cutoff of the pair style.
    cutoff: Option<f64>,
    order: Order,
}

/// What is made of an atom's neighbours.
struct Order {
    /// How many neighbours count; none: all.
    nearest: Option<usize>,
    /// The degrees, each with Wigner's symbols for [`invariant`], if that is wanted.
    degrees: Vec<(usize, Vec<f64>)>,
    /// Whether W of each degree is shown.
    third: bool,
    /// Whether W of each degree is shown, normalised.
    normalised: bool,
    /// The degree whose components are shown.
    components: Option<usize>,
    harmonics: Harmonics,
}

/// Takes `degrees N L1 ... LN`, `nnn K` or `NULL`, `cutoff R`, `wl`, `wl/hat`, `components L`, `chunksize N`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut degrees: Vec<usize> = vec![4, 6, 8, 10, 12];
    let (mut cutoff, mut nearest, mut third, mut normalised) = (None, Some(12), false, false);
    let mut components = None;
    let keywords = ["degrees", "nnn", "cutoff", "wl", "wl/hat", "components", "chunksize"];
    while !args.is_empty() {
        match args.one_of("keyword of compute orientorder/atom", &keywords.map(|name| (name, name)))? {
            "degrees" => {
                let count = args.count("how many degrees", 1)?;
                degrees = (0..count).map(|_| degree(args)).collect::<Result<_>>()?;
            }
            "nnn" if args.accept("NULL") => nearest = None,
            "nnn" => nearest = Some(args.count("a number of neighbours, or NULL", 1)? as usize),
            "cutoff" => cutoff = Some(args.positive("the cutoff distance")?),
            "wl" => third = args.yes_no()?,
            "wl/hat" => normalised = args.yes_no()?,
            "components" => {
                let word = args.peek();
                components = Some((word, degree(args)?));
            }
            // Of atoms at a time, on GPUs in LAMMPS.
            _ => _ = args.count("how many atoms at a time", 1)?,
        }
    }
    if let Some((Some(word), degree)) = components
        && !degrees.contains(&degree)
    {
        let message = format!("components: {degree} is not among the degrees {}", listed(&degrees));
        return Err(args.error(word, message));
    }
    let harmonics = Harmonics::new(degrees.iter().copied().max().unwrap_or_default());
    let symbols = |l| if third || normalised { symbols(l) } else { Vec::new() };
    let degrees = degrees.into_iter().map(|l| (l, symbols(l))).collect();
    let components = components.map(|(_, degree)| degree);
    let order = Order { nearest, degrees, third, normalised, components, harmonics };
    Ok(Box::new(OrientOrderAtom { header, cutoff, order }))
}

fn degree(args: &mut Args<'_>) -> Result<usize> {
    let word = args.peek();
    let degree = args.count("a degree", 0)? as usize;
    match word {
        Some(word) if degree > HIGHEST => {
            Err(args.error(word, format_args!("degrees go up to {HIGHEST}, not to {degree}")))
        }
        _ => Ok(degree),
    }
}

fn listed(degrees: &[usize]) -> String {
    degrees.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Spherical harmonics of all degrees up to a highest one, by recursion in the degree (Press et al., Numerical Recipes,
/// 3rd ed., section 6.7), with the phase of Condon and Shortley.
struct Harmonics {
    highest: usize,
    /// For each order m, of Y(m, m) without (x + iy)^m.
    first: Vec<f64>,
    /// For each order m and degree l above it: Y(l) = a (z Y(l - 1) - b Y(l - 2)).
    step: Vec<Vec<[f64; 2]>>,
}

impl Harmonics {
    fn new(highest: usize) -> Self {
        let mut first = vec![(4.0 * PI).sqrt().recip()];
        for m in 1..=highest {
            first.push(-first[m - 1] * ((2 * m + 1) as f64 / (2 * m) as f64).sqrt());
        }
        let square = |n: usize| (n * n) as f64;
        let step = |m: usize, l: usize| {
            let a = ((4.0 * square(l) - 1.0) / (square(l) - square(m))).sqrt();
            let b = ((square(l - 1) - square(m)) / (4.0 * square(l - 1) - 1.0)).sqrt();
            [a, b]
        };
        let steps = |m: usize| (m + 1..=highest).map(|l| step(m, l)).collect();
        Harmonics { highest, first, step: (0..=highest).map(steps).collect() }
    }

    /// Place of the harmonic of a degree and an order not below 0.
    fn place(l: usize, m: usize) -> usize {
        l * (l + 1) / 2 + m
    }

    /// Adds those of a direction, of length 1: real and imaginary part of each. Those of negative orders follow from
    /// Y(l, -m) = (-1)^m Y(l, m)*.
    fn add(&self, [x, y, z]: [f64; 3], sums: &mut [[f64; 2]]) {
        let mut power = [1.0, 0.0];
        for m in 0..=self.highest {
            let (mut last, mut this) = (0.0, self.first[m]);
            for l in m..=self.highest {
                if l > m {
                    let [a, b] = self.step[m][l - m - 1];
                    (last, this) = (this, a * (z * this - b * last));
                }
                let sum = &mut sums[Harmonics::place(l, m)];
                *sum = [sum[0] + this * power[0], sum[1] + this * power[1]];
            }
            power = [power[0] * x - power[1] * y, power[0] * y + power[1] * x];
        }
    }
}

/// The harmonics of a degree at all orders from -l to l, from those not below 0.
fn all_orders(l: usize, sums: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let above = |m: usize| sums[Harmonics::place(l, m)];
    let below = |m: usize| {
        let sign = if m.is_multiple_of(2) { 1.0 } else { -1.0 };
        [sign * above(m)[0], -sign * above(m)[1]]
    };
    (1..=l).rev().map(below).chain((0..=l).map(above)).collect()
}

/// Wigner's symbols (l l l; m1 m2 -m1-m2) for the pairs of orders whose third order is between -l and l, m2 fastest
/// (Racah's formula, e.g. Messiah, Quantum Mechanics, eq. (C.21)).
fn symbols(l: usize) -> Vec<f64> {
    let mut factorial = vec![1.0];
    (1..=3 * l + 1).for_each(|n| factorial.push(factorial[n - 1] * n as f64));
    let degree = l as i64;
    // The exact integers of Pascal's triangle; 0 outside of it.
    let mut binomial = vec![1i128];
    (0..l).for_each(|k| binomial.push(binomial[k] * (l - k) as i128 / (k + 1) as i128));
    let choose = |k: i64| usize::try_from(k).ok().and_then(|k| binomial.get(k)).copied().unwrap_or(0);
    let symbol = |m1: i64, m2: i64| {
        let m3 = -m1 - m2;
        let signed = |k: i64| if k % 2 == 0 { 1 } else { -1 };
        let sum: i128 = (0..=degree).map(|k| signed(k) * choose(k) * choose(k + m1) * choose(k - m2)).sum();
        let root = |n: i64| factorial[n as usize].sqrt();
        let roots: f64 =
            [m1, m2, m3].iter().map(|m| root(degree + m) * root(degree - m) / root(degree)).product();
        signed(m3) as f64 * sum as f64 * roots / root(3 * degree + 1)
    };
    let pairs = orders(l);
    pairs.into_iter().map(|[m1, m2]| symbol(m1, m2)).collect()
}

/// Pairs of orders between -l and l whose sum is there, too.
fn orders(l: usize) -> Vec<[i64; 2]> {
    let l = l as i64;
    (-l..=l).flat_map(|m1| ((-l).max(-l - m1)..=l.min(l - m1)).map(move |m2| [m1, m2])).collect()
}

/// The sum of Wigner's symbols times three harmonics whose orders add up to 0 (Steinhardt et al., eq. (1.4)); its
/// imaginary part vanishes.
fn invariant(l: usize, symbols: &[f64], harmonics: &[[f64; 2]]) -> f64 {
    let of = |m: i64| harmonics[(m + l as i64) as usize];
    let term = |([m1, m2], symbol): ([i64; 2], &f64)| {
        let ([a, b], [c, d], [e, f]) = (of(m1), of(m2), of(-m1 - m2));
        symbol * ((a * c - b * d) * e - (a * d + b * c) * f)
    };
    orders(l).into_iter().zip(symbols).map(term).sum()
}

impl Order {
    fn columns(&self) -> usize {
        let per_degree = 1 + usize::from(self.third) + usize::from(self.normalised);
        per_degree * self.degrees.len() + self.component_columns()
    }

    /// The last of the columns.
    fn component_columns(&self) -> usize {
        self.components.map_or(0, |l| 2 * (2 * l + 1))
    }

    /// All values of an atom from the separations of its neighbours, of which `nearest` count; 0 where there are too few.
    fn row(&self, mut around: Vec<([f64; 3], f64)>) -> Vec<f64> {
        let count = self.nearest.unwrap_or(around.len());
        if count == 0 || around.len() < count {
            return vec![0.0; self.columns()];
        }
        around.select_nth_unstable_by(count - 1, |a, b| a.1.total_cmp(&b.1));
        let mut sums = vec![[0.0; 2]; Harmonics::place(self.harmonics.highest + 1, 0)];
        for (r, rsq) in &around[..count] {
            let length = rsq.sqrt();
            self.harmonics.add(r.map(|x| if length > 0.0 { x / length } else { 0.0 }), &mut sums);
        }
        sums.iter_mut().for_each(|sum| *sum = sum.map(|part| part / count as f64));
        let mut row = Vec::with_capacity(self.columns());
        let (mut thirds, mut hats, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (l, symbols)) in self.degrees.iter().enumerate() {
            let harmonics = all_orders(*l, &sums);
            let length = harmonics.iter().map(|[a, b]| a * a + b * b).sum::<f64>().sqrt();
            let q = (4.0 * PI / (2 * l + 1) as f64).sqrt() * length;
            row.push(q);
            let inverse = if q < NOTHING { 0.0 } else { length.recip() };
            if !symbols.is_empty() {
                let w = invariant(*l, symbols, &harmonics);
                thirds.push(w);
                hats.push(w * inverse.powi(3));
            }
            if self.components == Some(*l) && self.degrees[..place].iter().all(|(other, _)| other != l) {
                parts.extend(harmonics.iter().flatten().map(|part| part * inverse));
            }
        }
        row.extend(thirds.into_iter().filter(|_| self.third));
        row.extend(hats.into_iter().filter(|_| self.normalised));
        row.extend(parts);
        row
    }
}

impl Compute for OrientOrderAtom {
    header!();

    fn shape(&self) -> Shape {
        // An array even where it has one column.
        Shape { atoms: Some(self.order.columns()), ..Shape::default() }
    }

    fn orientation(&self) -> Option<(Range<usize>, Option<f64>)> {
        let columns = self.order.columns();
        Some((columns - self.order.component_columns()..columns, self.cutoff))
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mask = &system.atoms()?.mask;
        let cutoff = self.cutoff.map_or_else(|| pair_cutoff(system), Ok)?;
        let neighbors = Neighbors::new(system, cutoff)?;
        let (group, order) = (self.header.group, &self.order);
        let likely = order.nearest.map_or(cutoff, |nearest| neighbors.reach_of(1.5 * nearest as f64));
        let row = |i: usize| {
            if mask[i] & group == 0 {
                return vec![0.0; order.columns()];
            }
            let enough = |around: &mut [_], _| order.nearest.is_none_or(|nearest| around.len() >= nearest);
            order.row(neighbors.around(likely, i, enough))
        };
        let rows: Vec<Vec<f64>> = (0..mask.len()).into_par_iter().map(row).collect();
        let column = |k: usize| rows.iter().map(|row| row[k]).collect();
        Ok(Values::per_atom(PerAtom::Array((0..order.columns()).map(column).collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, what: &str) {
        assert!((a - b).abs() < 1e-13, "{what}: {a}, not {b}");
    }

    #[test]
    fn harmonics_have_their_values_and_add_up() {
        let harmonics = Harmonics::new(HIGHEST);
        let mut sums = vec![[0.0; 2]; Harmonics::place(HIGHEST + 1, 0)];
        let [x, y, z] = [0.48, -0.6, 0.64];
        harmonics.add([x, y, z], &mut sums);
        let of = |l, m| sums[Harmonics::place(l, m)];
        close(of(1, 1)[0], -(3.0 / (8.0 * PI)).sqrt() * x, "Y(1, 1)");
        close(of(1, 1)[1], -(3.0 / (8.0 * PI)).sqrt() * y, "Y(1, 1)");
        close(of(2, 0)[0], (5.0 / (16.0 * PI)).sqrt() * (3.0 * z * z - 1.0), "Y(2, 0)");
        close(of(3, 2)[0], (105.0 / (32.0 * PI)).sqrt() * (x * x - y * y) * z, "Y(3, 2)");
        // Unsold's theorem.
        for l in 0..=HIGHEST {
            let squares: f64 = all_orders(l, &sums).iter().flatten().map(|part| part * part).sum();
            close(squares * 4.0 * PI / (2 * l + 1) as f64, 1.0, "Unsold");
        }
    }

    #[test]
    fn symbols_have_their_values_and_are_normalised() {
        let of = |l: usize, pair: [i64; 2]| {
            let place = orders(l).iter().position(|other| *other == pair).expect("orders that add up");
            symbols(l)[place]
        };
        close(of(1, [1, -1]), 6f64.sqrt().recip(), "(1 1 1; 1 -1 0)");
        close(of(2, [0, 0]), -(2.0 / 35f64).sqrt(), "(2 2 2; 0 0 0)");
        close(of(2, [1, 1]), -(3.0 / 35f64).sqrt(), "(2 2 2; 1 1 -2)");
        for l in [4, 7, 12, HIGHEST] {
            close(symbols(l).iter().map(|symbol| symbol * symbol).sum(), 1.0, "sum of squares");
        }
    }

    /// Values of the manual and of the papers, exact where the crystals' are known.
    #[test]
    fn crystals_have_their_order() {
        let of = |around: &[[f64; 3]], l: usize| {
            let order = Order {
                nearest: None,
                degrees: vec![(l, symbols(l))],
                third: true,
                normalised: true,
                components: Some(l),
                harmonics: Harmonics::new(l),
            };
            let rsq = |r: &[f64; 3]| r.iter().map(|x| x * x).sum();
            let row = order.row(around.iter().map(|r| (*r, rsq(r))).collect());
            let parts: f64 = row[3..].iter().map(|part| part * part).sum();
            assert!((parts - 1.0).abs() < 1e-12, "components {parts}");
            [row[0], row[1], row[2]]
        };
        let signs = [1.0, -1.0].into_iter().flat_map(|a| [1.0, -1.0].map(|b| [a, b]));
        // Neighbours of fcc are (0, 1, 1) and alike, those of an icosahedron (0, 1, golden ratio).
        let planes = |long: f64| -> Vec<[f64; 3]> {
            let turned = |[a, b]: [f64; 2]| [[0.0, a, long * b], [a, long * b, 0.0], [long * b, 0.0, a]];
            signs.clone().flat_map(turned).collect()
        };
        let [q, w, hat] = of(&planes(1.0), 4);
        close(q, (7.0 / 192f64).sqrt(), "fcc Q4");
        close(w, -(14.0 / 143f64).sqrt() * (49.0 / 4096.0) * PI.powf(-1.5), "fcc W4");
        close(hat, -7.0 / 3.0 * (2.0 / 429f64).sqrt(), "fcc W4 normalised");
        let icosahedron = planes(f64::midpoint(1.0, 5f64.sqrt()));
        let [q, _, hat] = of(&icosahedron, 6);
        close(q, 11f64.sqrt() / 5.0, "icosahedron Q6"); // the addition theorem, with P6 at 63.4 degrees
        assert!((hat + 0.169_754).abs() < 1e-6, "icosahedron W6: {hat}");
        let cube: Vec<[f64; 3]> = signs.clone().flat_map(|[a, b]| [[a, b, 1.0], [a, b, -1.0]]).collect();
        let [q, _, hat] = of(&cube, 4);
        close(q, (7.0 / 27f64).sqrt(), "bcc Q4 of 8"); // Mickel et al.: 0.509
        close(hat, -7.0 / 3.0 * (2.0 / 429f64).sqrt(), "bcc W4 of 8");
    }
}
