//! `compute temp/profile`: without the mean motion in bins of the box. Source: LAMMPS manual; Evans and Morriss,
//! Phys. Rev. Lett. 56, 2172 (1986).

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::temperature::thermal_recipes;
use crate::session::compute::{Shape, Temperature, Values, header};
use crate::session::snapshot::Places;
use crate::session::snapshot::view::Snapshot;

struct TempProfile {
    header: Header,
    /// Which components have their mean taken off.
    flags: [bool; 3],
    /// Bins along each axis.
    bins: [usize; 3],
    /// `out bin`: number of atoms and temperature of each bin instead of the tensor.
    per_bin: bool,
}

/// Bytes of a bin: mass, momentum and their sums, and its temperature.
const BIN: f64 = 128.0;

/// Takes 0 or 1 for x, y and z, the axes with bins and how many, and `out tensor` or `bin`.
pub(crate) fn new(mut header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut flags = [false; 3];
    for (axis, flag) in flags.iter_mut().enumerate() {
        let word = args.peek();
        *flag = args.one_of("flag (0 or 1)", &[("0", false), ("1", true)])?;
        if let (Some(word), 2, 2, true) = (word, axis, session.system.dimension, *flag) {
            return Err(args.error(word, "atoms of a 2d system do not move along z"));
        }
    }
    let word = args.peek();
    let axes = ["x", "y", "z", "xy", "yz", "xz", "xyz"];
    let axes = args.one_of("axes of bins", &axes.map(|axes| (axes, axes)))?;
    if let (Some(word), 2, true) = (word, session.system.dimension, axes.contains('z')) {
        return Err(args.error(word, "a 2d system has no bins along z"));
    }
    let mut bins = [1; 3];
    for axis in axes.chars() {
        bins["xyz".find(axis).unwrap_or(0)] = args.count_of("the number of bins", 1, BIN)?;
    }
    if let (Some(word), Err(error)) =
        (word, memory::check(bins.iter().map(|&bins| bins as f64).product::<f64>() * BIN))
    {
        return Err(args.place(word, error));
    }
    let mut per_bin = false;
    while args.accept("out") {
        per_bin = args.one_of("output", &[("tensor", false), ("bin", true)])?;
    }
    // The means are counted bin by bin.
    header.extra_freedom = f64::from(session.system.dimension) - count(flags);
    Ok(Box::new(TempProfile { header, flags, bins, per_bin }))
}

fn count(flags: [bool; 3]) -> f64 {
    flags.into_iter().filter(|flag| *flag).count() as f64
}

impl TempProfile {
    fn bin(&self, x: &[f64; 3], system: &Snapshot<'_>) -> Result<usize> {
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

    /// [`TempProfile::bin`] of all atoms.
    fn bin_recipe(&self, system: &Snapshot<'_>) -> Result<AtomExpr> {
        let domain = system.domain()?;
        let [x, y, z] = domain.straight_recipes();
        let place = |x: AtomExpr, d: usize| {
            if self.bins[d] == 1 {
                return AtomExpr::number(0.0);
            }
            let (lo, hi, count) = (domain.lo[d], domain.hi[d], self.bins[d] as f64);
            let below = |x: &AtomExpr, face: f64| x.clone().less(AtomExpr::number(face));
            let x = match domain.periodic(d) {
                true => x
                    .then(0, |x| below(&x, lo).choose(x.clone() + (hi - lo), x))
                    .then(0, |x| below(&x, hi).choose(x.clone(), x - (hi - lo))),
                false => x,
            };
            let bin = ((x - lo) * (count / (hi - lo))).greatest(AtomExpr::number(0.0)).truncate();
            bin.least(AtomExpr::number(count - 1.0))
        };
        let [nx, ny, _] = self.bins.map(|bins| bins as f64);
        Ok((place(z, 2) * ny + place(y, 1)) * nx + place(x, 0))
    }

    /// Sums over the atoms of each bin by the device, beside their number; `None` where the host has to make them.
    fn sums(&self, system: &Snapshot<'_>, values: Vec<AtomExpr>) -> Result<Option<Vec<Vec<f64>>>> {
        if !system.works_out() {
            return Ok(None);
        }
        let places = Places::AtomExpr(self.bin_recipe(system)? + 1.0);
        places.sums(system, self.header.group, self.bins.iter().product(), values)
    }

    /// The mean velocity in each bin, and its number of atoms.
    fn means(&self, system: &Snapshot<'_>) -> Result<Vec<([f64; 3], f64)>> {
        let momentum = AtomExpr::vector(AtomProperty::V).map(|v| v * AtomExpr::own(AtomProperty::Mass));
        let momentum = momentum.into_iter().chain([AtomExpr::own(AtomProperty::Mass)]).collect();
        if let Some(rows) = self.sums(system, momentum)? {
            let mean = |row: &[f64], d: usize| if row[4] > 0.0 { row[1 + d] / row[4] } else { 0.0 };
            let flow = |row: &[f64]| [0, 1, 2].map(|d| if self.flags[d] { mean(row, d) } else { 0.0 });
            return Ok(rows.iter().map(|row| (flow(row), row[0])).collect());
        }
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
    fn rows(&self, system: &Snapshot<'_>) -> Result<Vec<Vec<f64>>> {
        let (units, means) = (system.session.system.units, self.means(system)?);
        let thermal = thermal_recipes(self, system)?.map(|u| u.map(AtomExpr::square));
        let squares = thermal.map(|[x, y, z]| vec![(x + y + z) * AtomExpr::own(AtomProperty::Mass)]);
        let on_device = squares.map_or(Ok(None), |squares| self.sums(system, squares))?;
        let mut sums = vec![0.0; means.len()];
        match on_device {
            Some(rows) => sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum = row[1]),
            None => {
                let atoms = system.atoms()?;
                for i in system.indices(self.header.group, None)? {
                    let bin = self.bin(&atoms.x[i], system)?;
                    let square: f64 = (0..3).map(|d| (atoms.v[i][d] - means[bin].0[d]).powi(2)).sum();
                    sums[bin] += square * system.mass(atoms.kind[i]);
                }
            }
        }
        let total: f64 = means.iter().map(|(_, count)| count).sum();
        let per_atom =
            f64::from(system.session.system.dimension) - self.header.removed_freedom(system) / total;
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

    fn rows(&self) -> Option<usize> {
        Some(self.bins.iter().product())
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let values = self.thermal(system)?.values(system.session.system.units.boltz);
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
    fn freedom(&self, system: &Snapshot<'_>) -> Result<f64> {
        let all = f64::from(system.session.system.dimension) * self.header.count(system)? as f64;
        let means = count(self.flags) * self.bins.iter().product::<usize>() as f64;
        let freedom = all - self.header.removed_freedom(system) - means;
        if freedom < 0.0 && all > 0.0 {
            return Err(Error::new("there are less than 0 degrees of freedom"));
        }
        Ok(freedom)
    }

    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        let means = self.means(system)?;
        let flow = |x: &[f64; 3]| Ok(means[self.bin(x, system)?].0);
        system.atoms()?.x.iter().map(flow).collect::<Result<_>>().map(Some)
    }

    fn bias_recipes(&self, system: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        let (means, bin) = (self.means(system)?, self.bin_recipe(system)?);
        let table = |d: usize| means.iter().map(|(mean, _)| mean[d]).collect::<Vec<f64>>();
        Ok(Some([0, 1, 2].map(|d| bin.clone().of_table(table(d)))))
    }
}
