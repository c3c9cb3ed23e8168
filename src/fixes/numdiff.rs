//! `fix ID GROUP numdiff N DELTA` and `fix ID all numdiff/virial N DELTA`: forces and virial as differences of energies, to
//! look at those of the kernels. Source: LAMMPS manual, `fix numdiff`, `fix numdiff/virial`.
//!
//! Energies are the host's, in double precision, of what acts on one atom at a time: what it has no part in does not change with
//! it. They are made when somebody asks for them.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute;
use crate::session::compute::style::Compute;
use crate::session::compute::{PerAtom, Shape, Values};
use crate::session::fix::{Fix, FixOutput, Header};
use crate::session::snapshot::Interactions;
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

/// The axes that the six strains go along and grow with: xx yy zz yz xz xy.
const STRAINS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

/// Atoms per task: sums are taken task by task, so that they do not depend on the number of threads.
const TASK: usize = 4096;

struct NumDiff {
    header: Header,
    /// By how much atoms are moved, or all of them strained.
    delta: f64,
    /// Whether it is the virial.
    strains: bool,
}

/// `numdiff`: takes how often, and how far atoms are moved.
pub(crate) fn forces(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    read(header, args, false)
}

/// `numdiff/virial`: takes how often, and the strain.
pub(crate) fn virial(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    if header.group != 1 {
        return Err(args.error_here("fix numdiff/virial is for the group all"));
    }
    read(header, args, true)
}

fn read(header: Header, args: &mut Args<'_>, strains: bool) -> Result<Box<dyn Fix>> {
    args.count("steps between differences", 1)?;
    let delta = args.positive(if strains { "the strain" } else { "the displacement" })?;
    Ok(Box::new(NumDiff { header, delta, strains }))
}

fn squared(r: [f64; 3]) -> f64 {
    r.iter().map(|x| x * x).sum()
}

impl NumDiff {
    /// The force on an atom: every image of it moves.
    fn force(&self, interactions: &Interactions<'_>, i: usize, dimension: usize) -> [f64; 3] {
        let mut force = [0.0; 3];
        interactions.visit(i, |j, r, energy| {
            for d in (0..dimension).filter(|_| i != j) {
                let moved = |by: f64| {
                    let mut r = r;
                    r[d] += by;
                    energy(squared(r))
                };
                force[d] -= (moved(self.delta) - moved(-self.delta)) / (2.0 * self.delta);
            }
        });
        force
    }

    /// Half of what the energies of an atom's pairs and bonds change by under each strain, over twice the strain.
    fn strain(&self, interactions: &Interactions<'_>, i: usize) -> [f64; 6] {
        let mut sums = [0.0; 6];
        interactions.visit(i, |_, r, energy| {
            for (sum, (k, l)) in sums.iter_mut().zip(STRAINS) {
                let strained = |by: f64| {
                    let mut r = r;
                    r[k] += by * r[l];
                    energy(squared(r))
                };
                *sum += 0.5 * (strained(self.delta) - strained(-self.delta)) / (2.0 * self.delta);
            }
        });
        sums
    }
}

impl Fix for NumDiff {
    fn header(&self) -> &Header {
        &self.header
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        vec![compute::potential(&format!("{}_pe", self.header.id), session.system.dimension)]
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl FixOutput for NumDiff {
    fn shape(&self) -> Option<Shape> {
        Some(match self.strains {
            true => Shape::vector(6),
            false => Shape { atoms: Some(3), ..Shape::default() },
        })
    }

    /// Three components of the force per atom, 0 outside the group; or the virial as a pressure, xx yy zz yz xz xy.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (session, atoms) = (system.session, system.atoms()?);
        let interactions = Interactions::new(system)?;
        if self.strains {
            let all: Vec<usize> = (0..atoms.len()).collect();
            let task = |task: &[usize]| {
                task.iter().fold([0.0; 6], |sums, &i| add(sums, self.strain(&interactions, i)))
            };
            let tasks: Vec<[f64; 6]> = all.par_chunks(TASK).map(task).collect();
            let sums = tasks.into_iter().fold([0.0; 6], add);
            let per_strain = -session.system.units.nktv2p / system.domain()?.volume(session.system.dimension);
            return Ok(Values::vector(sums.map(|sum| per_strain * sum).to_vec()));
        }
        let dimension = session.system.dimension as usize;
        let force = |i: usize| match atoms.mask[i] & self.header.group {
            0 => [0.0; 3],
            _ => self.force(&interactions, i, dimension),
        };
        let forces: Vec<[f64; 3]> = (0..atoms.len()).into_par_iter().map(force).collect();
        let column = |d: usize| forces.iter().map(|force| force[d]).collect();
        Ok(Values::per_atom(PerAtom::Array((0..3).map(column).collect())))
    }
}

fn add(a: [f64; 6], b: [f64; 6]) -> [f64; 6] {
    std::array::from_fn(|k| a[k] + b[k])
}
