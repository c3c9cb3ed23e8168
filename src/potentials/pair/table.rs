//! `pair_style table lookup|linear|spline N`: energy and force from a file, interpolated in r^2 between N points.
//!
//! `pair_coeff I J FILE SECTION [CUTOFF]`, in the script's units; without a cutoff the section's last distance.
//! Unlike types do not mix, energies are not shifted. Closer than the section's first distance the force is no
//! number, and the run ends. LAMMPS manual, pair_style table.
//!
//! The file's rows are splined in r, which gives the values at N points evenly spaced in r^2; those make N - 1 bins,
//! in each of which F / r and E are polynomials: constant (the values at the middle of the bin), linear or cubic.

use super::style::{Params, Style, keywords_follow};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::table::{Section, Spacing, Spline};
use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq)]
enum Interpolation {
    Lookup,
    Linear,
    Cubic,
}

struct Table {
    interpolation: Interpolation,
    points: usize,
}

/// Points that a table may have: beyond, single precision no longer tells its bins apart.
const MOST_POINTS: usize = 1_000_000;

/// Keywords that name a long-range solver, for which the table may stand in for its near part.
const SOLVERS: [(&str, ()); 5] =
    [("ewald", ()), ("pppm", ()), ("msm", ()), ("dispersion", ()), ("tip4p", ())];

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let word = args.peek();
    if let Some(word) = word.filter(|word| word.text == "bitmap") {
        return Err(args.unsupported(word, "the interpolation").help("use spline or linear"));
    }
    let known = [
        ("lookup", Interpolation::Lookup),
        ("linear", Interpolation::Linear),
        ("spline", Interpolation::Cubic),
    ];
    let interpolation = args.one_of("interpolation", &known)?;
    let word = args.peek();
    let points = args.count("the number of points", 2)? as usize;
    if let (Some(word), true) = (word, points > MOST_POINTS) {
        return Err(args.error(word, format_args!("a table has at most {MOST_POINTS} points")));
    }
    while keywords_follow(args) {
        args.one_of("keyword", &SOLVERS)?;
    }
    Ok(Box::new(Table { interpolation, points }))
}

impl Style for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn snippet(&self) -> File {
        match self.interpolation {
            Interpolation::Cubic => kernel_file!("pair/table.cl"),
            _ => kernel_file!("pair/table_linear.cl"),
        }
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    /// The square of the first distance, the width of a bin in r^2, then per bin the coefficients of F / r and E,
    /// then the cutoff.
    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let section = Section::read(args, &["N", "R", "RSQ", "FPRIME"])?;
        let (first, last) = (section.r[0], section.r[section.r.len() - 1]);
        let word = args.peek();
        let cutoff = if args.is_empty() { last } else { args.not_negative("the cutoff distance")? };
        match word {
            Some(word) if cutoff <= first || cutoff > last => Err(args
                .error(word, format_args!("the cutoff {cutoff} is outside of the table"))
                .label(format!("expected a distance between {first} and {last}"))),
            _ => {
                let width = (cutoff * cutoff - first * first) / (self.points - 1) as f64;
                let mut params = vec![first * first, width];
                params.extend(self.bins(&section, width, cutoff).into_iter().flatten());
                params.push(cutoff);
                Ok(params)
            }
        }
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let x = (rsq - params[0]) / params[1];
        if x < 0.0 {
            return (f64::NAN, f64::NAN);
        }
        let bins = bins_of(params);
        let bin = (x as usize).min(bins.len() / 8 - 1);
        let t = x - bin as f64;
        let cubic = |c: &[f64]| c[0] + t * (c[1] + t * (c[2] + t * c[3]));
        (cubic(&bins[8 * bin..8 * bin + 4]), cubic(&bins[8 * bin + 4..8 * bin + 8]))
    }

    fn shift(&self, _params: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        vec![params[0], 1.0 / params[1], (self.points - 2) as f64]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([9, 6])
    }

    fn samples<'a>(&'a self, params: &'a [f64]) -> Vec<Cow<'a, [f64]>> {
        let bins = bins_of(params);
        if self.interpolation == Interpolation::Cubic {
            return vec![Cow::Borrowed(bins)];
        }
        // Two bins are a row.
        let mut lines: Vec<f64> =
            bins.chunks_exact(8).flat_map(|bin| [bin[0], bin[1], bin[4], bin[5]]).collect();
        lines.resize(lines.len().next_multiple_of(8), 0.0);
        vec![Cow::Owned(lines)]
    }

    fn words<'a>(&self, _params: &'a [f64], _all: bool) -> Option<&'a [f64]> {
        None
    }
}

/// Per bin the coefficients of F / r and of E.
fn bins_of(params: &[f64]) -> &[f64] {
    &params[2..params.len() - 1]
}

impl Table {
    /// Per bin the coefficients of F / r and of E.
    fn bins(&self, section: &Section, width: f64, cutoff: f64) -> Vec<[f64; 8]> {
        let Section { spacing, r, energy, force, slopes } = section;
        let (n, first) = (r.len(), r[0]);
        let rise = |i: usize| (force[i + 1] - force[i]) / (r[i + 1] - r[i]);
        let [slope_first, slope_last] = slopes.unwrap_or_else(|| [rise(0), rise(n - 2)]);
        let energies = Spline::new(r, energy, -force[0], -force[n - 1]);
        let forces = Spline::new(r, force, slope_first, slope_last);
        let over_r = |r: f64| forces.at(r) / r;

        let rsq: Vec<f64> = (0..self.points).map(|i| first * first + i as f64 * width).collect();
        if self.interpolation == Interpolation::Lookup {
            let middle = |&rsq: &f64| (rsq + 0.5 * width).sqrt();
            let bin = |r: f64| [over_r(r), 0.0, 0.0, 0.0, energies.at(r), 0.0, 0.0, 0.0];
            return rsq[..self.points - 1].iter().map(middle).map(bin).collect();
        }
        let (f, e): (Vec<f64>, Vec<f64>) =
            rsq.iter().map(|x| (over_r(x.sqrt()), energies.at(x.sqrt()))).unzip();
        let bins = 0..self.points - 1;
        if self.interpolation == Interpolation::Linear {
            // Where the rows are the points, their values need no spline; in between nothing else differs.
            let rows = *spacing == Spacing::Square && n == self.points && cutoff == r[n - 1];
            let exact: Vec<f64> = if rows { force.iter().zip(r).map(|(f, r)| f / r).collect() } else { f };
            let e = if rows { energy } else { &e };
            let line = |y: &[f64], i: usize| [y[i], y[i + 1] - y[i], 0.0, 0.0];
            return bins.map(|i| joined(line(&exact, i), line(e, i))).collect();
        }
        // Slopes in x = r^2: dE/dx = -F / (2 r); that of F / r from the slopes of F where the file has them, else
        // over a tenth of a bin.
        let last = self.points - 1;
        let by_parts = |slope: f64, f_over_r: f64, r: f64| (slope - f_over_r) / (2.0 * r * r);
        let step = 0.1 * width;
        let start = match slopes {
            Some([slope, _]) => by_parts(*slope, f[0], first),
            None => (over_r((rsq[0] + step).sqrt()) - f[0]) / step,
        };
        let end = match slopes {
            Some([_, slope]) if cutoff == r[n - 1] => by_parts(*slope, f[last], cutoff),
            _ => (f[last] - over_r((cutoff * cutoff - step).sqrt())) / step,
        };
        let e = Spline::new(&rsq, &e, -0.5 * f[0], -0.5 * f[last]);
        let f = Spline::new(&rsq, &f, start, end);
        bins.map(|i| joined(f.cubic(i), e.cubic(i))).collect()
    }
}

fn joined(f: [f64; 4], e: [f64; 4]) -> [f64; 8] {
    [f[0], f[1], f[2], f[3], e[0], e[1], e[2], e[3]]
}
