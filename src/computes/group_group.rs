//! `compute group/group`: the pair energy between two groups, and the force of the second on the first.
//! Source: LAMMPS manual.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

struct GroupGroup {
    header: Header,
    /// The second group.
    other: u32,
    /// Whether pairs count.
    pair: bool,
}

/// Atoms per task: the sums are taken task by task, so that they do not depend on the number of threads.
pub(super) const TASK: usize = 4096;

/// Takes the second group and `pair`, `kspace`, `boundary` with yes or no.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let other = session.system.groups.arg(args)?;
    let mut pair = true;
    while let Some(word) = args.peek() {
        if word.text == "molecule" {
            return Err(args.unsupported(word, "keyword"));
        }
        let keywords = [("pair", "pair"), ("kspace", "kspace"), ("boundary", "boundary")];
        let keyword = args.one_of("keyword of compute group/group", &keywords)?;
        match (keyword, args.yes_no()?) {
            ("pair", yes) => pair = yes,
            ("kspace", true) => return Err(args.unsupported(word, "part")),
            _ => {}
        }
    }
    Ok(Box::new(GroupGroup { header, other, pair }))
}

impl Compute for GroupGroup {
    header!();

    fn shape(&self) -> Shape {
        Shape { vector: Some(3), ..Shape::SCALAR }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mut total = [0.0; 4];
        if self.pair {
            let atoms = system.atoms()?;
            let unit = system.session.system.units.qqr2e / system.session.force_field.dielectric;
            let pair = system.session.force_field.given_pair()?;
            let resolved = pair.resolve_two_body("compute group/group")?;
            let neighbors = Neighbors::new(system, pair_cutoff(system)?)?;
            let (one, other) = (self.header.group, self.other);
            let members = system.indices(one | other, None)?;
            let sum = |task: &[usize]| {
                let mut sum = [0.0; 4];
                for &i in task {
                    neighbors.visit(i, |j, r, rsq| {
                        let (mine, theirs) = (atoms.mask[i], atoms.mask[j]);
                        let here = mine & one != 0 && theirs & other != 0;
                        let there = theirs & one != 0 && mine & other != 0;
                        if here || there {
                            let kinds = [i, j].map(|i| atoms.kind[i] as usize);
                            let qq = unit * atoms.charge[i] * atoms.charge[j];
                            let (fpair, energy) = resolved.weighted(kinds, rsq, neighbors.weights(i, j), qq);
                            sum[0] += 0.5 * energy; // every pair comes twice
                            if here {
                                (0..3).for_each(|d| sum[d + 1] += fpair * r[d]);
                            }
                        }
                    });
                }
                sum
            };
            let sums: Vec<[f64; 4]> = members.par_chunks(TASK).map(sum).collect();
            sums.iter().for_each(|sum| (0..4).for_each(|k| total[k] += sum[k]));
        }
        Ok(Values { scalar: Some(total[0]), vector: total[1..].to_vec(), ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }

    fn vector_extensive(&self) -> bool {
        true
    }
}
