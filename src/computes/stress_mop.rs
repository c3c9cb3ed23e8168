//! `compute stress/mop` and `stress/mop/profile`: stress across planes: momentum that atoms carry through in a step, and forces between
//! atoms on both sides, per area. Source: LAMMPS manual; B. D. Todd, D. J. Evans and P. J. Daivis, Phys. Rev. E 52, 1627 (1995).
//!
//! As in LAMMPS, forces of pairs count where one of the atoms is in the group, those of bonds where both are, momentum where the atom is.

use super::group_group::TASK;
use super::local_rows::bonds;
use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

/// Planes of a profile, at most.
const MOST_PLANES: f64 = 1e6;

/// What a value adds up.
#[derive(Clone, Copy)]
struct Parts {
    motion: bool,
    pairs: bool,
    bonds: bool,
}

const PARTS: [(&str, Parts); 5] = [
    ("kin", Parts { motion: true, pairs: false, bonds: false }),
    ("conf", Parts { motion: false, pairs: true, bonds: true }),
    ("total", Parts { motion: true, pairs: true, bonds: true }),
    ("pair", Parts { motion: false, pairs: true, bonds: false }),
    ("bond", Parts { motion: false, pairs: false, bonds: true }),
];

struct StressMop {
    header: Header,
    /// The axis that planes are normal to.
    axis: usize,
    planes: Planes,
    values: Vec<Parts>,
    /// Whether there are many planes: values are an array.
    profile: bool,
}

/// Planes at even distances along a periodic axis, or one that is not.
struct Planes {
    first: f64,
    step: f64,
    count: usize,
    /// The length of the box, where images of planes count.
    period: Option<f64>,
}

impl Planes {
    /// Calls `visit` for each plane that lies between, with images, strictly or (`touching`) not.
    fn between(&self, [low, high]: [f64; 2], touching: bool, mut visit: impl FnMut(usize)) {
        let boxes = |x: f64| self.period.map_or(0, |period| ((x - self.first) / period).floor() as i64);
        for k in boxes(low) - 1..=boxes(high) + 1 {
            let shift = self.period.map_or(0.0, |period| k as f64 * period);
            let near = ((low - shift - self.first) / self.step).floor() - 1.0;
            for plane in near.clamp(0.0, self.count as f64) as usize..self.count {
                let x = self.first + plane as f64 * self.step + shift;
                if x > high {
                    break;
                }
                if (low < x && x < high) || touching && low <= x && x <= high {
                    visit(plane);
                }
            }
        }
    }
}

/// Takes the axis, where the plane is, and values.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let (axis, place) = axis_and_place(session, args)?;
    read(header, session, args, axis, [place; 2], None)
}

/// Takes the axis, where planes begin, their distance, and values.
pub(crate) fn profile(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let (axis, origin) = axis_and_place(session, args)?;
    let (word, step) = (args.peek(), args.positive("the distance between planes")?);
    let domain = session.domain()?;
    let (lo, hi) = (domain.lo[axis], domain.hi[axis]);
    let first = origin - ((origin - lo) / step).floor() * step;
    match word {
        Some(word) if (hi - lo) / step > MOST_PLANES => {
            Err(args.error(word, format_args!("there are at most {MOST_PLANES} planes")))
        }
        _ => read(header, session, args, axis, [first, hi], Some(step)),
    }
}

fn axis_and_place(session: &Session, args: &mut Args<'_>) -> Result<(usize, f64)> {
    let domain = session.domain()?;
    if domain.triclinic {
        return Err(args.error_here("planes are for boxes that do not lean"));
    }
    let (word, axis) = (args.peek(), args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?);
    if let Some(word) = word.filter(|_| axis == 2 && session.system.dimension == 2) {
        return Err(args.error(word, "in 2d no plane is normal to z"));
    }
    let (lo, hi) = (domain.lo[axis], domain.hi[axis]);
    for (name, place) in [("lower", lo), ("center", 0.5 * (lo + hi)), ("upper", hi)] {
        if args.accept(name) {
            return Ok((axis, place));
        }
    }
    let word = args.peek();
    let place = args.f64("lower, center, upper or a coordinate")?;
    match word {
        Some(word) if !(lo..=hi).contains(&place) => {
            Err(args.error(word, format_args!("the place {place} is outside of the box, {lo} to {hi}")))
        }
        _ => Ok((axis, place)),
    }
}

fn read(
    header: Header,
    session: &Session,
    args: &mut Args<'_>,
    axis: usize,
    [first, last]: [f64; 2],
    step: Option<f64>,
) -> Result<Box<dyn Compute>> {
    let mut values = Vec::new();
    while values.is_empty() || !args.is_empty() {
        if let Some(word) = args.peek().filter(|word| ["angle", "dihedral"].contains(&&*word.text)) {
            return Err(args.unsupported(word, "value"));
        }
        values.push(args.one_of("value", &PARTS)?);
    }
    let domain = session.domain()?;
    let (profile, step) = (step.is_some(), step.unwrap_or(1.0));
    let planes = Planes {
        first,
        step,
        // The last one may lie on the face.
        count: ((last - first) / step + 1e-9).floor() as usize + 1,
        period: domain.periodic(axis).then(|| domain.lengths()[axis]),
    };
    Ok(Box::new(StressMop { header, axis, planes, values, profile }))
}

/// Force or momentum per plane.
type Sums = Vec<[f64; 3]>;

fn add(mut all: Sums, more: &Sums) -> Sums {
    all.iter_mut().zip(more).for_each(|(sum, more)| (0..3).for_each(|d| sum[d] += more[d]));
    all
}

impl StressMop {
    /// The forces of pairs.
    fn pairs(&self, system: &Snapshot<'_>) -> Result<Sums> {
        let (atoms, session, domain) = (system.atoms()?, system.session, system.domain()?);
        let pair = session.force_field.given_pair()?;
        let resolved = pair.resolve_two_body("compute stress/mop")?;
        let neighbors = Neighbors::new(system, pair_cutoff(system)?)?;
        let unit = session.system.units.qqr2e / session.force_field.dielectric;
        let (planes, axis, group) = (&self.planes, self.axis, self.header.group);
        let none = vec![[0.0; 3]; planes.count];
        let (lo, length) = (domain.lo[axis], domain.lengths()[axis]);
        // Each pair is met from both sides, with half of its force.
        let sum = |task: &[usize]| {
            let mut sums = none.clone();
            for &i in task {
                let x = match domain.periodic(axis) {
                    true => lo + (atoms.x[i][axis] - lo).rem_euclid(length),
                    false => atoms.x[i][axis],
                };
                neighbors.visit(i, |j, way, rsq| {
                    if (atoms.mask[i] | atoms.mask[j]) & group == 0 || way[axis] == 0.0 {
                        return;
                    }
                    let other = x - way[axis];
                    let sign = if x > other { 0.5 } else { -0.5 };
                    planes.between([x.min(other), x.max(other)], false, |plane| {
                        let kinds = [i, j].map(|i| atoms.kind[i] as usize);
                        let qq = unit * atoms.charge[i] * atoms.charge[j];
                        let (fpair, _) = resolved.weighted(kinds, rsq, neighbors.weights(i, j), qq);
                        (0..3).for_each(|d| sums[plane][d] += sign * fpair * way[d]);
                    });
                });
            }
            sums
        };
        let sums: Vec<Sums> = system.indices(1, None)?.par_chunks(TASK).map(sum).collect();
        Ok(sums.iter().fold(none, add))
    }

    /// Those of bonds.
    fn bonds(&self, system: &Snapshot<'_>) -> Result<Sums> {
        let (atoms, session) = (system.atoms()?, system.session);
        let mut sums = vec![[0.0; 3]; self.planes.count];
        crate::session::bonded::check_whole_pairs(session, "compute stress/mop")?;
        let Some(style) = &session.force_field.bonded else { return Ok(sums) };
        if session.system.topology.bonds.is_empty() {
            return Ok(sums);
        }
        let style = style.resolve(session.system.topology.bond_types)?;
        for (bond, row) in bonds(system, self.header.group)?.into_iter().filter(|(bond, _)| !bond.off) {
            let x = atoms.x[row.atoms[0]][self.axis];
            let other = x - row.way[self.axis];
            let sign = if x > other { 1.0 } else { -1.0 };
            let pull = style.style.evaluate(&style.params[bond.kind as usize - 1], row.rsq).force;
            self.planes.between([x.min(other), x.max(other)], false, |plane| {
                (0..3).for_each(|d| sums[plane][d] += sign * pull * row.way[d]);
            });
        }
        Ok(sums)
    }

    /// The momentum that atoms have carried through in the last step, per time, in units of force.
    fn motion(&self, system: &Snapshot<'_>) -> Result<Sums> {
        let (atoms, forces, masses) = (system.atoms()?, system.forces()?, system.masses());
        let (dt, ftm2v) = (system.session.clock.dt, system.session.system.units.ftm2v);
        let mut sums = vec![[0.0; 3]; self.planes.count];
        for i in system.indices(self.header.group, None)? {
            let (mass, v, f) = (masses.of(atoms.kind[i]), atoms.v[i], forces[i]);
            let x = atoms.x[i][self.axis];
            let rise = 0.5 * ftm2v / mass;
            let before = x - v[self.axis] * dt + f[self.axis] * rise * dt * dt;
            let sign = if v[self.axis] < 0.0 { -1.0 } else { 1.0 };
            self.planes.between([x.min(before), x.max(before)], true, |plane| {
                for d in 0..3 {
                    sums[plane][d] += sign * mass * (v[d] - f[d] * rise * dt) / (dt * ftm2v);
                }
            });
        }
        Ok(sums)
    }
}

impl Compute for StressMop {
    header!();

    fn shape(&self) -> Shape {
        match self.profile {
            true => Shape::array(1 + 3 * self.values.len()),
            false => Shape::vector(3 * self.values.len()),
        }
    }

    fn rows(&self) -> Option<usize> {
        Some(self.planes.count)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let domain = system.domain()?;
        if domain.triclinic {
            return Err(Error::new("compute stress/mop is for boxes that do not lean"));
        }
        let wanted = |part: fn(&Parts) -> bool| self.values.iter().any(part);
        let none = || vec![[0.0; 3]; self.planes.count];
        let motion = if wanted(|parts| parts.motion) { self.motion(system)? } else { none() };
        let pairs = if wanted(|parts| parts.pairs) { self.pairs(system)? } else { none() };
        let bonds = if wanted(|parts| parts.bonds) { self.bonds(system)? } else { none() };
        let across = (0..system.session.system.dimension as usize).filter(|&d| d != self.axis);
        let area: f64 = across.map(|d| domain.lengths()[d]).product();
        let unit = system.session.system.units.nktv2p / area;
        let row = |plane: usize| {
            let sum = |parts: &Parts| -> [f64; 3] {
                let parts = [(parts.motion, &motion), (parts.pairs, &pairs), (parts.bonds, &bonds)];
                let counting = || parts.iter().filter(|(counts, _)| *counts);
                std::array::from_fn(|d| counting().map(|(_, part)| unit * part[plane][d]).sum())
            };
            self.values.iter().map(sum).collect::<Vec<_>>().into_flattened()
        };
        let place = |plane: usize| self.planes.first + plane as f64 * self.planes.step;
        Ok(match self.profile {
            true => Values {
                array: (0..self.planes.count)
                    .map(|plane| std::iter::once(place(plane)).chain(row(plane)).collect())
                    .collect(),
                ..Values::default()
            },
            false => Values::vector(row(0)),
        })
    }
}
