//! `compute pair`: the energy of the pair style, or of one of those of a hybrid one, or the part of it that charges have or that they do not
//! have. Tails do not count. Source: LAMMPS manual.

use crate::base::error::{Error, Result};
use crate::potentials::pair::many_body::Contribution;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

/// Atoms per task: sums are taken task by task, so that they do not depend on the number of threads.
const TASK: usize = 4096;

#[derive(Clone, Copy)]
enum Which {
    All,
    Charges,
    Others,
}

struct PairEnergy {
    header: Header,
    /// The style by its name, and the how many-th of it.
    name: String,
    number: usize,
    which: Which,
}

/// Takes the name of a style, its number where a hybrid has several, and `epair`, `evdwl` or `ecoul`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let pair = session.force_field.pair.as_ref();
    let pair = pair.ok_or_else(|| args.error_here("there is no pair style yet"))?;
    let word = args.word("a pair style")?;
    let name = word.text.clone();
    let same = pair.styles().filter(|style| *style == name).count();
    if same == 0 && name != pair.name() {
        return Err(args.unknown(word, "pair style of the script", pair.styles()));
    }
    let mut number = 1;
    let word = args.peek().filter(|word| word.text.parse::<usize>().is_ok());
    if let Some(word) = word {
        number = args.count("the number of the style among those of its name", 1)? as usize;
        if number > same {
            return Err(args.error(word, format_args!("there are {same} of pair style {name}")));
        }
    } else if same > 1 {
        let error = args.error_here(format_args!("there are {same} of pair style {name}"));
        return Err(error.help("write the number of the one that is meant behind its name"));
    }
    let parts = [("epair", Which::All), ("evdwl", Which::Others), ("ecoul", Which::Charges)];
    let which = if args.is_empty() { Which::All } else { args.one_of("part of the energy", &parts)? };
    Ok(Box::new(PairEnergy { header, name, number, which }))
}

impl PairEnergy {
    /// Energy and the part that charges have of one of a hybrid's styles, by its place.
    fn of_part(&self, system: &Snapshot<'_>, place: usize) -> Result<[f64; 2]> {
        let (atoms, session) = (system.atoms()?, system.session);
        let pair = session.force_field.pair.as_ref().ok_or_else(gone)?;
        let resolved = pair.resolve()?;
        let (part, types) = (&resolved.parts[place], resolved.types);
        if !part.style.reads().is_empty() {
            // The error says on what it depends.
            pair.resolve_by_types("compute pair of a style of several")?;
        }
        crate::session::bonded::check_whole_pairs(session, "compute pair of a style of several")?;
        let neighbors = Neighbors::new(system, pair_cutoff(system)?)?;
        if part.style.many_body().is_some() {
            let around = neighbors.around_each()?;
            let mut energy = vec![0.0; atoms.len()];
            let (mut force, mut virial) = (vec![[0.0; 3]; atoms.len()], vec![[0.0; 6]; atoms.len()]);
            let mut to = Contribution { force: &mut force, energy: &mut energy, virial: &mut virial };
            resolved.add_many_bodies_of(part, &atoms.kind, &around, &mut to);
            return Ok([energy.iter().sum(), 0.0]);
        }
        let unit = session.system.units.qqr2e / session.force_field.dielectric;
        let own = if part.style.charged() { part.style.own_energy() } else { 0.0 };
        let sum = |task: &[usize]| {
            let mut sum = [0.0; 2];
            for &i in task {
                let kind = atoms.kind[i] as usize - 1;
                if part.params.get(kind * types + kind).is_some() {
                    sum[1] += unit * own * atoms.charge[i].powi(2);
                }
                neighbors.visit(i, |j, _, rsq| {
                    let at = (atoms.kind[i] as usize - 1) * types + atoms.kind[j] as usize - 1;
                    let Some(params) = part.params.get(at) else { return };
                    let [weight, charged] = neighbors.weights(i, j);
                    if rsq < part.style.reach(params).powi(2) {
                        sum[0] += 0.5 * weight * (part.style.evaluate(params, rsq).1 - part.shift(at));
                    }
                    if part.style.charged() && rsq < part.style.cutoff(params).powi(2) {
                        let qq = unit * atoms.charge[i] * atoms.charge[j];
                        sum[1] += 0.5 * qq * part.style.coulomb(params, rsq, 1.0 - charged).1;
                    }
                });
            }
            sum
        };
        let sums: Vec<[f64; 2]> = system.indices(1, None)?.par_chunks(TASK).map(sum).collect();
        let [others, charges] = sums.iter().fold([0.0; 2], |all, sum| [all[0] + sum[0], all[1] + sum[1]]);
        Ok([others + charges, charges])
    }
}

fn gone() -> Error {
    Error::new("there is no pair style")
}

impl Compute for PairEnergy {
    header!();

    fn shape(&self) -> Shape {
        Shape::SCALAR
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let pair = system.session.force_field.pair.as_ref().ok_or_else(gone)?;
        let place = pair.styles().enumerate().filter(|(_, style)| *style == self.name).nth(self.number - 1);
        let [all, charges] = match place {
            Some((place, _)) if pair.styles().count() > 1 => self.of_part(system, place)?,
            None if pair.name() != self.name => return Err(gone()),
            _ => {
                let row = system.measured()?;
                [row.pair_energy, row.coulomb_energy]
            }
        };
        Ok(Values::scalar(match self.which {
            Which::All => all,
            Which::Charges => charges,
            Which::Others => all - charges,
        }))
    }

    fn tallies(&self) -> bool {
        true
    }

    fn extensive(&self) -> bool {
        true
    }
}
