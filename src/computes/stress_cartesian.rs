//! `compute stress/cartesian`: density and pressure in layers or pencils along the axes. Of a pair's virial each bin has the part of the
//! straight line between its atoms that lies in it. Source: LAMMPS manual; J. H. Irving and J. G. Kirkwood, J. Chem. Phys. 18, 817 (1950).
//!
//! As in LAMMPS, all atoms count in density, which there is with `ke`, and in motion, and pairs with both atoms in the group. Pressures are in the script's units, which LAMMPS
//! 22 Jul 2025 leaves out.

use super::group_group::TASK;
use super::local_rows::bonds;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

/// Bins along an axis.
#[derive(Clone, Copy)]
struct Layers {
    axis: usize,
    count: usize,
}

struct StressCartesian {
    header: Header,
    /// One or two.
    layers: Vec<Layers>,
    motion: bool,
    pairs: bool,
    bonds: bool,
}

/// Takes an axis and the width of bins, the same or `NULL 0` for another axis, and what counts.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let domain = session.domain()?;
    if domain.triclinic {
        return Err(args.error_here("bins are for boxes that do not lean"));
    }
    let mut layers: Vec<Layers> = Vec::new();
    for place in 0..2 {
        let word = args.peek();
        if place == 1 && args.accept("NULL") {
            args.f64("a width, which does not matter")?;
            continue;
        }
        let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
        if let Some(word) = word.filter(|_| layers.iter().any(|other| other.axis == axis)) {
            return Err(args.error(word, "bins are along two different axes"));
        }
        let (word, width) = (args.peek(), args.positive("the width of a bin")?);
        let length = domain.lengths()[axis];
        if let Some(word) = word.filter(|_| width > length) {
            return Err(args.error(word, format_args!("a bin is no wider than the box, {length}")));
        }
        layers.push(Layers { axis, count: (length / width) as usize });
    }
    let bins = layers.iter().map(|layers| layers.count as f64).product::<f64>();
    memory::check(bins * 80.0)
        .map_err(|error| args.place(args.taken().last().unwrap_or(&args.taken()[0]), error))?;
    let all = args.is_empty();
    let mut parts = [all; 3];
    while !args.is_empty() {
        parts[args.one_of("part of the pressure", &[("ke", 0), ("pair", 1), ("bond", 2)])?] = true;
    }
    let [motion, pairs, bonds] = parts;
    Ok(Box::new(StressCartesian { header, layers, motion, pairs, bonds }))
}

/// The bins in the box of now.
struct Grid {
    /// Axis, lower face, width and number of bins.
    axes: Vec<(usize, f64, f64, usize)>,
}

impl Grid {
    fn bin(&self, x: impl Fn(usize) -> f64) -> usize {
        let mut bin = 0;
        for &(axis, lo, width, count) in self.axes.iter().rev() {
            let along = ((x(axis) - lo) / width).floor() as i64;
            bin = bin * count + along.rem_euclid(count as i64) as usize;
        }
        bin
    }

    /// Calls `visit` with each bin that the line from `x` by `way` passes, and how much of it lies there.
    fn pass(&self, x: &[f64; 3], way: [f64; 3], cuts: &mut Vec<f64>, mut visit: impl FnMut(usize, f64)) {
        cuts.clear();
        for &(axis, lo, width, _) in &self.axes {
            let begin = (x[axis] - lo) / width;
            let end = begin + way[axis] / width;
            let (low, high) = (begin.min(end), begin.max(end));
            let mut face = low.ceil();
            while face <= high {
                let part = (face - begin) / (end - begin);
                if part > 0.0 && part < 1.0 {
                    cuts.push(part);
                }
                face += 1.0;
            }
        }
        cuts.push(1.0);
        cuts.sort_unstable_by(f64::total_cmp);
        let mut from = 0.0;
        for &to in cuts.iter() {
            let middle = 0.5 * (from + to);
            visit(self.bin(|d| x[d] + middle * way[d]), to - from);
            from = to;
        }
    }
}

/// Per bin: the number of atoms, and sums along the axes of motion and of forces.
type Sums = Vec<[f64; 7]>;

impl StressCartesian {
    fn grid(&self, system: &Snapshot<'_>) -> Result<Grid> {
        let domain = system.domain()?;
        let axis = |layers: &Layers| {
            let (axis, count) = (layers.axis, layers.count);
            (axis, domain.lo[axis], domain.lengths()[axis] / count as f64, count)
        };
        Ok(Grid { axes: self.layers.iter().map(axis).collect() })
    }

    fn add_atoms(&self, system: &Snapshot<'_>, grid: &Grid, sums: &mut Sums) -> Result<()> {
        let (atoms, masses) = (system.atoms()?, system.masses());
        let mvv2e = system.session.system.units.mvv2e;
        for i in system.indices(1, None)? {
            let sum = &mut sums[grid.bin(|d| atoms.x[i][d])];
            if self.motion {
                sum[0] += 1.0;
                (0..3).for_each(|d| sum[1 + d] += mvv2e * masses.of(atoms.kind[i]) * atoms.v[i][d].powi(2));
            }
        }
        Ok(())
    }

    fn add_pairs(&self, system: &Snapshot<'_>, grid: &Grid, sums: &mut Sums) -> Result<()> {
        let (atoms, session) = (system.atoms()?, system.session);
        let pair = session.force_field.given_pair()?;
        let resolved = pair.resolve_two_body("compute stress/cartesian")?;
        let neighbors = Neighbors::new(system, pair_cutoff(system)?)?;
        let unit = session.system.units.qqr2e / session.force_field.dielectric;
        let group = self.header.group;
        // Each pair is met from both sides, with half of its virial.
        let sum = |task: &[usize]| {
            let mut found = vec![[0.0; 3]; sums.len()];
            let mut cuts = Vec::new();
            for &i in task {
                neighbors.visit(i, |j, way, rsq| {
                    if atoms.mask[j] & group == 0 {
                        return;
                    }
                    let kinds = [i, j].map(|i| atoms.kind[i] as usize);
                    let qq = unit * atoms.charge[i] * atoms.charge[j];
                    let (fpair, _) = resolved.weighted(kinds, rsq, neighbors.weights(i, j), qq);
                    if fpair != 0.0 {
                        grid.pass(&atoms.x[i], way.map(|x| -x), &mut cuts, |bin, part| {
                            (0..3).for_each(|d| found[bin][d] += 0.5 * part * fpair * way[d] * way[d]);
                        });
                    }
                });
            }
            found
        };
        let found: Vec<Vec<[f64; 3]>> = system.indices(group, None)?.par_chunks(TASK).map(sum).collect();
        for found in found {
            sums.iter_mut().zip(found).for_each(|(sum, found)| (0..3).for_each(|d| sum[4 + d] += found[d]));
        }
        Ok(())
    }

    fn add_bonds(&self, system: &Snapshot<'_>, grid: &Grid, sums: &mut Sums) -> Result<()> {
        let (atoms, session) = (system.atoms()?, system.session);
        crate::session::bonded::check_whole_pairs(session, "compute stress/cartesian")?;
        let Some(style) = &session.force_field.bonded else { return Ok(()) };
        if session.system.topology.bonds.is_empty() {
            return Ok(());
        }
        let style = style.resolve(session.system.topology.bond_types)?;
        let mut cuts = Vec::new();
        for (bond, row) in bonds(system, self.header.group)?.into_iter().filter(|(bond, _)| !bond.off) {
            let pull = style.style.evaluate(&style.params[bond.kind as usize - 1], row.rsq).force;
            grid.pass(&atoms.x[row.atoms[0]], row.way.map(|x| -x), &mut cuts, |bin, part| {
                (0..3).for_each(|d| sums[bin][4 + d] += part * pull * row.way[d] * row.way[d]);
            });
        }
        Ok(())
    }
}

impl Compute for StressCartesian {
    header!();

    fn shape(&self) -> Shape {
        Shape::array(self.layers.len() + 7)
    }

    fn rows(&self) -> Option<usize> {
        Some(self.layers.iter().map(|layers| layers.count).product())
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let domain = system.domain()?;
        if domain.triclinic {
            return Err(Error::new("compute stress/cartesian is for boxes that do not lean"));
        }
        let grid = self.grid(system)?;
        let bins: usize = self.layers.iter().map(|layers| layers.count).product();
        let mut sums = vec![[0.0; 7]; bins];
        self.add_atoms(system, &grid, &mut sums)?;
        if self.pairs {
            self.add_pairs(system, &grid, &mut sums)?;
        }
        if self.bonds {
            self.add_bonds(system, &grid, &mut sums)?;
        }
        // In 2d, too, as in LAMMPS.
        let volume = domain.lengths().iter().product::<f64>() / bins as f64;
        let nktv2p = system.session.system.units.nktv2p;
        let row = |(bin, sum): (usize, &[f64; 7])| {
            let mut rest = bin;
            let mut row: Vec<f64> = Vec::with_capacity(9);
            for &(_, lo, width, count) in &grid.axes {
                row.push(lo + ((rest % count) as f64 + 0.5) * width);
                rest /= count;
            }
            row.push(sum[0] / volume);
            row.extend(sum[1..].iter().map(|sum| nktv2p * sum / volume));
            row
        };
        Ok(Values { array: sums.iter().enumerate().map(row).collect(), ..Values::default() })
    }
}
