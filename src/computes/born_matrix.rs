//! `compute born/matrix`: second derivatives of the energy of pairs, with `numdiff` of any number of atoms, with respect to strain, the Born
//! term of the elastic constants times the volume. Sources: LAMMPS manual; Van Workum et al., J. Chem. Phys. 125, 144506 (2006); for
//! `numdiff` Zhen and Chu, Comput. Phys. Commun. 183, 261 (2012).

use super::group_group::TASK;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::potentials::pair::Resolved;
use crate::potentials::pair::many_body::{Around, Contribution};
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

/// The pairs of axes that the components of a strain belong to, in Voigt's order.
const VOIGT: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

struct BornMatrix {
    header: Header,
    /// The strain of finite differences; none: from the slope of the forces.
    strain: Option<f64>,
}

/// Takes the kinds of interaction that count, `pair` among them, or `numdiff STRAIN PRESSURE-ID`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if let Some(style) = args.taken().last() {
        check(session).map_err(|err| args.place(style, err))?;
    }
    let first = args.peek();
    let (mut strain, mut pair) = (None, args.is_empty());
    let keywords = ["numdiff", "pair", "bond", "angle", "dihedral", "improper"];
    while let Some(word) = args.peek() {
        match args.one_of("keyword of compute born/matrix", &keywords.map(|name| (name, name)))? {
            "numdiff" => {
                strain = Some(args.positive("the strain of finite differences")?);
                let word = args.peek();
                let id = session.computes.pressure_arg(args)?;
                let pressure = session.computes.get(&id).and_then(crate::session::compute::Pressure::of);
                if let (Some(word), Some(true)) = (word, pressure.map(|pressure| pressure.kinetic)) {
                    return Err(args
                        .error(
                            word,
                            format_args!("compute {id} has a kinetic part, which strain does not change"),
                        )
                        .help(format!("compute {id} all pressure NULL virial")));
                }
            }
            "pair" => pair = true,
            _ if session.system.topology.bonds.is_empty() => {}
            _ => return Err(args.unsupported(word, "part of compute born/matrix")),
        }
    }
    match first {
        Some(first) if pair == strain.is_some() => Err(args.error(
            first,
            if pair {
                "numdiff cannot be used with other keywords"
            } else {
                "nothing is asked for: add pair"
            },
        )),
        _ => Ok(Box::new(BornMatrix { header, strain })),
    }
}

/// That all interactions are of pairs that have an energy.
fn check(session: &Session) -> Result<()> {
    let friction = session.force_field.pair.as_ref().is_some_and(|pair| pair.has_friction());
    if !friction && session.system.topology.bonds.is_empty() {
        return Ok(());
    }
    Err(Error::new("compute born/matrix knows pairs without friction, not bonds")
        .help("it needs a system without bonds and without pair style dpd"))
}

/// The elements of the symmetric matrix of 6 by 6 that the vector holds: the diagonal, then what is above it by rows.
fn elements() -> impl Iterator<Item = (usize, usize)> {
    (0..6).map(|a| (a, a)).chain((0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))))
}

/// The symmetric matrix of a strain of 1 in one direction.
fn strain(direction: usize) -> [[f64; 3]; 3] {
    let (k, l) = VOIGT[direction];
    let mut matrix = [[0.0; 3]; 3];
    matrix[k][l] += 0.5;
    matrix[l][k] += 0.5;
    matrix
}

/// Sums over pairs, each of which comes twice.
struct Pairs {
    /// For each element half of what a pair gives.
    matrix: [f64; 21],
    /// r times F by Voigt's order.
    virial: [f64; 6],
    /// How it changes between negative and positive strain of each direction.
    changes: [[f64; 6]; 6],
}

impl Pairs {
    const NONE: Pairs = Pairs { matrix: [0.0; 21], virial: [0.0; 6], changes: [[0.0; 6]; 6] };

    /// Adds half a pair by the slope of its F / r in r^2: a strain E changes r^2 by 2 r E r, and U by -F r / 2 of that.
    fn add_slope(&mut self, r: [f64; 3], slope: f64) {
        let products = VOIGT.map(|(k, l)| r[k] * r[l]);
        let sums = self.matrix.iter_mut().zip(elements());
        sums.for_each(|(sum, (a, b))| *sum -= slope * products[a] * products[b]);
    }

    /// Adds half a pair by its F / r at strained separations.
    fn add_strained(&mut self, r: [f64; 3], delta: f64, force: impl Fn(f64) -> f64) {
        let square = |r: [f64; 3]| r.iter().map(|x| x * x).sum::<f64>();
        let add = |sums: &mut [f64; 6], r: [f64; 3], weight: f64| {
            let pull = 0.5 * weight * force(square(r));
            sums.iter_mut().zip(VOIGT).for_each(|(sum, (k, l))| *sum += pull * r[k] * r[l]);
        };
        add(&mut self.virial, r, 1.0);
        for (direction, sums) in self.changes.iter_mut().enumerate() {
            let strain = strain(direction);
            for sign in [1.0, -1.0] {
                let strained =
                    |k: usize| r[k] + sign * delta * (0..3).map(|l| strain[k][l] * r[l]).sum::<f64>();
                add(sums, std::array::from_fn(strained), sign);
            }
        }
    }

    /// Adds forces of many bodies at strained separations: of all atoms, by their types and the ways to others around them.
    fn add_many_bodies(&mut self, resolved: &Resolved<'_>, kind: &[u32], around: &[Around], delta: f64) {
        let signed = |direction| [(Some(direction), delta), (Some(direction), -delta)];
        let cases: Vec<_> = std::iter::once((None, 0.0)).chain((0..6).flat_map(signed)).collect();
        let virial = |&(direction, delta): &(Option<usize>, f64)| {
            let strain = direction.map_or([[0.0; 3]; 3], strain);
            let strained = |r: [f64; 3]| -> [f64; 3] {
                std::array::from_fn(|k| r[k] + delta * (0..3).map(|l| strain[k][l] * r[l]).sum::<f64>())
            };
            let strained = |list: &Around| list.iter().map(|&(j, way)| (j, strained(way))).collect();
            let around: Vec<Around> = around.iter().map(strained).collect();
            let (mut force, mut energy) = (vec![[0.0; 3]; kind.len()], vec![0.0; kind.len()]);
            let mut virial = vec![[0.0; 6]; kind.len()];
            let mut to = Contribution { force: &mut force, energy: &mut energy, virial: &mut virial };
            resolved.add_many_bodies(kind, &around, &mut to);
            // Of the kernels the order is xx yy zz xy xz yz.
            [0, 1, 2, 5, 4, 3].map(|k| virial.iter().map(|virial| virial[k]).sum::<f64>())
        };
        let virials: Vec<[f64; 6]> = cases.par_iter().map(virial).collect();
        for (&(direction, delta), virial) in cases.iter().zip(virials) {
            let sums = direction.map_or(&mut self.virial, |direction| &mut self.changes[direction]);
            let sign = if delta < 0.0 { -1.0 } else { 1.0 };
            sums.iter_mut().zip(virial).for_each(|(sum, w)| *sum += sign * w);
        }
    }

    fn merge(&mut self, other: &Pairs) {
        let add = |sums: &mut [f64], others: &[f64]| sums.iter_mut().zip(others).for_each(|(a, b)| *a += b);
        add(&mut self.matrix, &other.matrix);
        add(&mut self.virial, &other.virial);
        add(self.changes.as_flattened_mut(), other.changes.as_flattened());
    }

    /// The elements from differences. The virial W is that of the strained system; under a strain E it changes by
    /// -C E + E W + W E, where C has the derivatives in the unstrained one.
    fn by_differences(&self, delta: f64) -> Vec<f64> {
        let mut virial = [[0.0; 3]; 3];
        for (w, (k, l)) in self.virial.iter().zip(VOIGT) {
            (virial[k][l], virial[l][k]) = (*w, *w);
        }
        let element = |(stress, direction): (usize, usize)| {
            let (k, l) = VOIGT[stress];
            let strain = strain(direction);
            let turned: f64 = (0..3).map(|m| strain[k][m] * virial[m][l] + virial[k][m] * strain[m][l]).sum();
            turned - self.changes[direction][stress] / (2.0 * delta)
        };
        elements().map(element).collect()
    }
}

impl Compute for BornMatrix {
    header!();

    fn shape(&self) -> Shape {
        Shape::vector(21)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let session = system.session;
        check(session)?;
        let pair = session.force_field.given_pair()?;
        let resolved = match self.strain {
            None => pair.resolve_two_body("compute born/matrix without numdiff")?,
            Some(_) => pair.resolve_by_types("compute born/matrix")?,
        };
        let atoms = system.atoms()?;
        let unit = session.system.units.qqr2e / session.force_field.dielectric;
        // Strain brings pairs into the cutoff as far as the neighbour list has them.
        let skin = self.strain.map_or(0.0, |_| session.neighbor.skin);
        let neighbors = Neighbors::new(system, pair_cutoff(system)? + skin)?;
        let group = if self.strain.is_some() { 1 } else { self.header.group };
        let members = system.indices(group, None)?;
        let delta = self.strain;
        let sum = |task: &[usize]| {
            let mut sums = Pairs::NONE;
            for &i in task {
                neighbors.visit(i, |j, r, rsq| {
                    if atoms.mask[j] & group == 0 {
                        return;
                    }
                    let (mine, theirs) = (atoms.kind[i] as usize, atoms.kind[j] as usize);
                    let qq = unit * atoms.charge[i] * atoms.charge[j];
                    let [weight, charged] = neighbors.weights(i, j);
                    match delta {
                        None => {
                            let [all, charges] = resolved.slopes(mine, theirs, rsq, 1.0 - charged);
                            sums.add_slope(r, weight * all + qq * charges);
                        }
                        Some(delta) => sums.add_strained(r, delta, |rsq| {
                            resolved.weighted([mine, theirs], rsq, [weight, charged], qq).0
                        }),
                    }
                });
            }
            sums
        };
        let tasks: Vec<Pairs> = members.par_chunks(TASK).map(sum).collect();
        let mut total = Pairs::NONE;
        tasks.iter().for_each(|task| total.merge(task));
        if let Some(delta) = self.strain.filter(|_| pair.is_many_body()) {
            let around = neighbors.around_each()?;
            let pairs: usize = around.iter().map(Vec::len).sum();
            let copies = rayon::current_num_threads().min(13) as f64;
            memory::check(copies * (pairs * size_of::<(usize, [f64; 3])>()) as f64)?;
            total.add_many_bodies(&resolved, &atoms.kind, &around, delta);
        }
        if self.strain.is_some() && resolved.parts.iter().any(|part| part.tail) {
            // Strain leaves the tail's pressure as it is: it counts with the virial that turns.
            let dimension = session.system.dimension;
            let counts: Vec<u64> = system.count_by_type(1)?.into_iter().map(|count| count as u64).collect();
            let pull = resolved.tail(&counts, 1.0).1 / system.domain()?.volume(dimension);
            total.virial[..dimension as usize].iter_mut().for_each(|sum| *sum += pull);
        }
        Ok(Values::vector(match self.strain {
            None => total.matrix.to_vec(),
            Some(delta) => total.by_differences(delta),
        }))
    }
}
