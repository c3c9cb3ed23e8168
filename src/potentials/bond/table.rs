//! `bond_style table linear|spline N`: energy and force from a file, interpolated between N lengths.
//!
//! `bond_coeff TYPE FILE SECTION`, in the script's units. The file's rows are splined, which gives the values at N lengths in even steps
//! from the first row's to the last one's; between those, energy and force are on straight lines or on splines of their own. A run with
//! a bond that is shorter or longer than the rows ends. LAMMPS manual, bond_style table.

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::table::{Curve, Section, Spline};

/// Lengths that a table may have.
const MOST_POINTS: u64 = 100_000;

pub(super) struct Table {
    /// Whether values are on straight lines.
    pub(super) straight: bool,
    pub(super) points: usize,
}

impl Style for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn words(&self) -> String {
        format!("table {} {}", if self.straight { "linear" } else { "spline" }, self.points)
    }

    /// What a script's styles are stays to the end of the program: there are few.
    fn settings(&self, args: &mut Args<'_>) -> Result<Option<&'static dyn Style>> {
        let straight = args.one_of("interpolation", &[("linear", true), ("spline", false)])?;
        let word = args.peek();
        let points = args.count("the number of points", 2)?;
        match word {
            Some(word) if points > MOST_POINTS => {
                Err(args.error(word, format_args!("a table has at most {MOST_POINTS} points")))
            }
            _ => Ok(Some(Box::leak(Box::new(Table { straight, points: points as usize })))),
        }
    }

    fn coefficient_words(&self, _: &Params) -> Option<String> {
        None
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/table.cl")
    }

    /// The first length, the last, one over the step, how many steps there are, and per step the coefficients of F, then of E.
    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let Curve { step, r, energy, force, slopes } =
            Section::read(args, &["N", "FP", "EQ"])?.sampled(self.points);
        let last = self.points - 1;
        let mut params = vec![r[0], r[last], 1.0 / step, last as f64];
        let bent = |y, slopes: [f64; 2]| Spline::new(&r, y, slopes[0], slopes[1]);
        let splines =
            (!self.straight).then(|| [bent(&force, slopes), bent(&energy, [-force[0], -force[last]])]);
        for i in 0..last {
            let line = |y: &[f64]| [y[i], y[i + 1] - y[i], 0.0, 0.0];
            let rows = match &splines {
                Some(splines) => splines.each_ref().map(|spline| spline.cubic(i)),
                None => [line(&force), line(&energy)],
            };
            params.extend(rows.as_flattened());
        }
        Ok(params)
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let r = rsq.sqrt();
        let x = ((r - params[0]) * params[2]).clamp(0.0, params[3]);
        let bin = (x as usize).min(params[3] as usize - 1);
        let t = x - bin as f64;
        let cubic = |at: usize| {
            let c = &params[at + 8 * bin..at + 8 * bin + 4];
            c[0] + t * (c[1] + t * (c[2] + t * c[3]))
        };
        let force = if r > 0.0 { cubic(4) / r } else { 0.0 };
        Pull { force, energy: cubic(8), long: false, broken: r < params[0] || r > params[1] }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        params.clone()
    }

    fn longest(&self, params: &Params) -> f64 {
        params[1]
    }

    fn broken(&self) -> &'static str {
        "it is shorter or longer than its table"
    }
}
