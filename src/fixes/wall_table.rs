//! `fix wall/table`: walls whose potential is a section of a table file (cl/fix/wall_table.cl). Source: LAMMPS manual,
//! `fix wall/lj93` and its page.
//!
//! The file's rows are splined, which gives the values at N distances between the first and the last one; between those,
//! energy and force are on straight lines or on splines of their own.

use super::wall::{Numbers, Push, Walls};
use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::table::{Curve, Section, Spline};
use crate::session::Session;
use crate::session::fix::{Fix, Header, StepContext};

/// Distances that a table may have.
const MOST_POINTS: usize = 1_000_000;

/// Where a table lies, and its ends.
struct Table {
    first: f64,
    step: f64,
    points: usize,
    /// Its place in the memory.
    place: usize,
    /// The energy at the cutoff, on a straight line.
    at_cutoff: f64,
}

/// Takes `linear` or `spline`, `N`, then `FILE SECTION CUTOFF` for each wall.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let with = Some(kernel_file!("fix/wall.cl"));
    let hooks = DeviceHooks {
        with,
        post_force: Some("wall_table"),
        ..DeviceHooks::of(kernel_file!("fix/wall_table.cl"))
    };
    let straight = args.one_of("interpolation", &[("linear", true), ("spline", false)])?;
    let word = args.peek();
    let points = args.count("the number of points", 2)? as usize;
    if let (Some(word), true) = (word, points > MOST_POINTS) {
        return Err(args.error(word, format_args!("a table has at most {MOST_POINTS} points")));
    }
    Walls::new(header, hooks).read(session, args, |args, memory| {
        let section = Section::read(args, &["N", "FP"])?;
        let (first, last) = (section.r[0], section.r[section.r.len() - 1]);
        let word = args.peek();
        let cutoff = args.positive("the cutoff of the wall")?;
        if let (Some(word), true) = (word, cutoff <= first || cutoff > last) {
            return Err(args
                .error(word, format_args!("the cutoff {cutoff} is outside of the table"))
                .label(format!("expected a distance between {first} and {last}")));
        }
        let (step, place) = ((last - first) / (points - 1) as f64, memory.len());
        memory.extend(rows(&section, points, step, straight).into_iter().flatten());
        let energy = |point: usize| memory[place + 4 * point];
        let at = (cutoff - first) / step;
        let bin = (at as usize).min(points - 2);
        let at_cutoff = energy(bin) + (at - bin as f64) * (energy(bin + 1) - energy(bin));
        Ok((Box::new(Table { first, step, points, place, at_cutoff }), cutoff))
    })
}

/// At each of so many distances the energy, its second derivative times step^2 / 6, and the same of the force.
fn rows(section: &Section, points: usize, step: f64, straight: bool) -> Vec<[f64; 4]> {
    let Curve { r: at, energy: e, force: f, slopes: [slope_first, slope_last], .. } = section.sampled(points);
    if straight {
        return e.into_iter().zip(f).map(|(e, f)| [e, 0.0, f, 0.0]).collect();
    }
    let bent = |y: &[f64], first, last| Spline::new(&at, y, first, last).curvature;
    let (e2, f2) = (bent(&e, -f[0], -f[points - 1]), bent(&f, slope_first, slope_last));
    let sixth = step * step / 6.0;
    (0..points).map(|i| [e[i], sixth * e2[i], f[i], sixth * f2[i]]).collect()
}

impl Push for Table {
    fn numbers(&self, _: &StepContext<'_>, _: f64) -> Result<Numbers> {
        let coefficients = vec![self.first, 1.0 / self.step, self.points as f64, self.place as f64];
        Ok(Numbers { least: self.first, at_cutoff: self.at_cutoff, coefficients })
    }

    fn varies(&self) -> bool {
        false
    }
}
