//! `compute temp/profile`: without the mean motion in bins of the box. Source: LAMMPS manual; Evans and Morriss,
//! Phys. Rev. Lett. 56, 2172 (1986).

use super::{Compute, Header, Shape, Temperature, Values, header};
use crate::error::{Error, Result};
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct TempProfile {
    header: Header,
    /// Which components have their mean taken off.
    flags: [bool; 3],
    /// Bins along each axis.
    bins: [usize; 3],
    /// `out bin`: number of atoms and temperature of each bin instead of the tensor.
    per_bin: bool,
}

/// Takes 0 or 1 for x, y and z, the axes with bins and how many, and `out tensor` or `bin`.
pub(super) fn new(mut header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut flags = [false; 3];
    for (axis, flag) in flags.iter_mut().enumerate() {
        let word = args.peek();
        *flag = args.one_of("flag (0 or 1)", &[("0", false), ("1", true)])?;
        if let (Some(word), 2, 2, true) = (word, axis, state.dimension, *flag) {
            return Err(args.error(word, "atoms of a 2d system do not move along z"));
        }
    }
    let word = args.peek();
    let axes = ["x", "y", "z", "xy", "yz", "xz", "xyz"];
    let axes = args.one_of("axes of bins", &axes.map(|axes| (axes, axes)))?;
    if let (Some(word), 2, true) = (word, state.dimension, axes.contains('z')) {
        return Err(args.error(word, "a 2d system has no bins along z"));
    }
    let mut bins = [1; 3];
    for axis in axes.chars() {
        bins["xyz".find(axis).unwrap_or(0)] = args.count("the number of bins", 1)? as usize;
    }
    let mut per_bin = false;
    while args.accept("out") {
        per_bin = args.one_of("output", &[("tensor", false), ("bin", true)])?;
    }
    // The means are counted bin by bin.
    header.extra_freedom = f64::from(state.dimension) - count(flags);
    Ok(Box::new(TempProfile { header, flags, bins, per_bin }))
}

fn count(flags: [bool; 3]) -> f64 {
    flags.into_iter().filter(|flag| *flag).count() as f64
}

impl TempProfile {
    fn bin(&self, x: &[f64; 3], system: &System<'_>) -> Result<usize> {
        let domain = system.domain()?;
        let straight = domain.straighten(*x);
        let place = |d: usize| {
            let (lo, hi, count) = (domain.lo[d], domain.hi[d], self.bins[d]);
            let mut x = straight[d];
            if domain.periodic(d) {
                if x < lo {
                    x += hi - lo;
                }
                if x >= hi {
                    x -= hi - lo;
                }
            }
            (((x - lo) * (count as f64 / (hi - lo))).max(0.0) as usize).min(count - 1)
        };
        Ok((place(2) * self.bins[1] + place(1)) * self.bins[0] + place(0))
    }

    /// The mean velocity in each bin, and its number of atoms.
    fn means(&self, system: &System<'_>) -> Result<Vec<([f64; 3], f64)>> {
        let atoms = system.atoms()?;
        let mut sums = vec![([0.0; 3], 0.0, 0.0); self.bins.iter().product()];
        for i in system.indices(self.header.group, None)? {
            let (sum, mass, count) = &mut sums[self.bin(&atoms.x[i], system)?];
            let own = system.mass(atoms.kind[i]);
            (0..3).filter(|&d| self.flags[d]).for_each(|d| sum[d] += own * atoms.v[i][d]);
            *mass += own;
            *count += 1.0;
        }
        let mean = |(sum, mass, count): ([f64; 3], f64, f64)| {
            (sum.map(|sum| if mass > 0.0 { sum / mass } else { 0.0 }), count)
        };
        Ok(sums.into_iter().map(mean).collect())
    }

    /// Number of atoms and temperature of each bin.
    fn rows(&self, system: &System<'_>) -> Result<Vec<Vec<f64>>> {
        let (atoms, units) = (system.atoms()?, system.state.units);
        let means = self.means(system)?;
        let mut sums = vec![0.0; means.len()];
        let mut total = 0.0;
        for i in system.indices(self.header.group, None)? {
            let bin = self.bin(&atoms.x[i], system)?;
            let square: f64 = (0..3).map(|d| (atoms.v[i][d] - means[bin].0[d]).powi(2)).sum();
            sums[bin] += square * system.mass(atoms.kind[i]);
            total += 1.0;
        }
        let per_atom = f64::from(system.state.dimension) - self.header.removed_freedom(system) / total;
        let row = |(sum, (_, count)): (&f64, &([f64; 3], f64))| {
            let freedom = per_atom * count - count_if(*count, self.flags);
            let t = if freedom > 0.0 { units.mvv2e * sum / (freedom * units.boltz) } else { 0.0 };
            vec![*count, t]
        };
        Ok(sums.iter().zip(&means).map(row).collect())
    }
}

/// Degrees of freedom of the mean of a bin, if there is one.
fn count_if(atoms: f64, flags: [bool; 3]) -> f64 {
    if atoms > 0.0 { count(flags) } else { 0.0 }
}

impl Compute for TempProfile {
    header!();

    fn shape(&self) -> Shape {
        match self.per_bin {
            true => Shape { array: Some(2), ..Shape::SCALAR },
            false => Shape::TEMPERATURE,
        }
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let values = self.thermal(system)?.values(system);
        Ok(match self.per_bin {
            true => Values { vector: Vec::new(), array: self.rows(system)?, ..values },
            false => values,
        })
    }

    fn temperature(&self) -> Option<&dyn Temperature> {
        Some(self)
    }
}

impl Temperature for TempProfile {
    fn freedom(&self, system: &System<'_>) -> Result<f64> {
        let all = f64::from(system.state.dimension) * self.header.count(system)? as f64;
        let means = count(self.flags) * self.bins.iter().product::<usize>() as f64;
        let freedom = all - self.header.removed_freedom(system) - means;
        if freedom < 0.0 && all > 0.0 {
            return Err(Error::new("there are less than 0 degrees of freedom"));
        }
        Ok(freedom)
    }

    fn bias(&self, system: &System<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let means = self.means(system)?;
        let flow = |x: &[f64; 3]| Ok(means[self.bin(x, system)?].0);
        system.atoms()?.x.iter().map(flow).collect::<Result<_>>().map(Some)
    }
}
