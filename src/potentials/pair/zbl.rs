//! `pair_style zbl INNER OUTER`: the repulsion of nuclei that electrons screen. E = Zi Zj e^2/(4 pi eps0 r) phi(r/a) + S(r) for r < outer, with a = 0.46850
//! Angstrom/(Zi^0.23 + Zj^0.23) and phi a sum of four exponentials. S is a constant up to `inner`, and beyond a polynomial that takes force, its slope and the
//! energy to zero at `outer`, as in lj/gromacs.
//!
//! `pair_coeff I J ZI ZJ`, atomic numbers. Sources: J. F. Ziegler, J. P. Biersack and U. Littmark, The Stopping and Range of Ions in Matter, vol. 1 (1985);
//! LAMMPS manual, pair_style zbl.

use super::lj_gromacs::to_zero;
use super::style::{Mix, Params, Style, inner_and_outer};
use crate::base::error::Result;
use crate::gpu::source::{File, kernel_file};
use crate::model::units::Units;
use crate::script::Args;

/// phi(x) = sum of A exp(-B x).
const SCREENING: [[f64; 2]; 4] =
    [[0.18175, 3.19980], [0.50986, 0.94229], [0.28022, 0.40290], [0.02817, 0.20162]];

/// Parameters: both atomic numbers, the energy times distance of two elementary charges, Angstrom in the script's units, and both cutoffs.
struct Zbl {
    global: [f64; 2],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Zbl { global: inner_and_outer(args)? }))
}

/// E = sum of k exp(-b r)/r: each k and b.
fn terms(params: &[f64]) -> [[f64; 2]; 4] {
    let [zi, zj, charges, angstrom, ..] = params[..] else { return [[0.0; 2]; 4] };
    let length = 0.46850 * angstrom / (zi.powf(0.23) + zj.powf(0.23));
    SCREENING.map(|[a, b]| [charges * zi * zj * a, b / length])
}

/// E, dE/dr and the slope of that.
fn screened(params: &[f64], r: f64) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for [k, b] in terms(params) {
        let part = k * (-b * r).exp() / r;
        let fall = b + 1.0 / r;
        sums[0] += part;
        sums[1] -= part * fall;
        sums[2] += part * (fall.powi(2) + 1.0 / r.powi(2));
    }
    sums
}

fn cutoffs(params: &[f64]) -> [f64; 2] {
    [params[4], params[5]]
}

/// What takes it to zero.
fn smoothing(params: &[f64]) -> [f64; 3] {
    let [inner, outer] = cutoffs(params);
    to_zero(screened(params, outer), outer - inner)
}

impl Style for Zbl {
    fn name(&self) -> &'static str {
        "zbl"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/zbl.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let zi = args.positive("the atomic number of the first type")?;
        let zj = args.positive("the atomic number of the second type")?;
        Ok(vec![zi, zj, 1.0, 1.0, self.global[0], self.global[1]])
    }

    fn in_units(&self, args: &Args<'_>, mut params: Params, units: &Units, like: bool) -> Result<Params> {
        if like && params[0] != params[1] {
            let error = args.error_here("a type has two atomic numbers");
            return Err(error.help("write the same number twice for a type and itself"));
        }
        params[2] = units.qqr2e * units.qelectron.powi(2);
        params[3] = units.angstrom;
        Ok(params)
    }

    fn mix(&self, _rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some([&a[..1], &b[1..]].concat())
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let ([energy, slope, _], [a, b, c]) = (screened(params, r), smoothing(params));
        let t = (r - params[4]).max(0.0);
        (-slope / r - t * t * (a + b * t) / r, energy + t.powi(3) * (a / 3.0 + b / 4.0 * t) + c)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [a, b, c] = smoothing(params);
        let terms = terms(params).into_iter().flatten();
        terms.chain([params[4], a, b, a / 3.0, b / 4.0, c - shift]).collect()
    }

    fn words<'a>(&self, params: &'a [f64], _all: bool) -> Option<&'a [f64]> {
        Some(&params[..2])
    }
}
