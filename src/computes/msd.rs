//! `compute msd`: the mean squared displacement since the compute was defined. Source: LAMMPS manual.

use crate::base::error::{Error, Result};
use crate::engine::analysis::group_sums::{ReferenceValues, SumTerm};
use crate::model::atoms::{Atoms, ById};
use crate::model::domain::Domain;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use std::cell::RefCell;

struct Msd {
    header: Header,
    /// Whether the drift of the centre of mass is taken off.
    com: bool,
    origin: Origin,
    /// `average yes`.
    average: Option<RefCell<Average>>,
}

/// Where atoms were in the mean: at first, and at all steps at which somebody asked.
#[derive(Default)]
struct Average {
    /// The last of these steps.
    step: Option<i64>,
    count: f64,
    /// What the displacements were in the mean, by atom ID.
    means: ById<[f64; 3]>,
}

/// Positions when a compute was defined, without crossings of the box, by atom ID.
pub(super) struct Origin {
    positions: ReferenceValues,
    /// The centre of mass of the group then.
    pub(super) centre: [f64; 3],
}

impl Origin {
    pub(super) fn new(group: u32, system: &Snapshot<'_>) -> Result<Self> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        let members = system.of_group(group, None);
        let position = |&i: &usize| (atoms.tag[i], domain.unwrapped(atoms.x[i], atoms.image[i]));
        Ok(Origin {
            positions: ReferenceValues::new(members.list()?.iter().map(position)),
            centre: members.centre()?,
        })
    }

    /// What a restart file keeps: the centre, then the positions.
    pub(super) fn numbers(&self) -> Vec<f64> {
        [&self.centre[..], &self.positions.numbers()].concat()
    }

    /// The inverse of [`Origin::numbers`].
    ///
    /// # Errors
    /// When these are not its numbers.
    pub(super) fn of_numbers(numbers: &[f64]) -> Result<Self> {
        let origin = numbers.split_first_chunk().and_then(|(&centre, rest)| {
            Some(Origin { positions: ReferenceValues::of_numbers(rest)?, centre })
        });
        origin.ok_or_else(not_its_numbers)
    }

    /// IDs were given anew.
    pub(super) fn renumber(&mut self, ids: &[(u32, u32)]) {
        self.positions.renumber(ids);
    }

    /// Where new atoms of the group begin.
    pub(super) fn add(&mut self, group: u32, new: &Atoms) {
        let members = (0..new.len()).filter(|&i| new.mask[i] & group != 0);
        self.positions.extend(members.map(|i| (new.tag[i], new.x[i])));
    }

    /// How far the centre of mass has come.
    pub(super) fn drift(&self, centre: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|d| centre[d] - self.centre[d])
    }

    /// The displacement of an atom; 0 for atoms that were not there.
    pub(super) fn displacement(&self, i: usize, atoms: &Atoms, domain: &Domain) -> [f64; 3] {
        let x = domain.unwrapped(atoms.x[i], atoms.image[i]);
        let old = self.positions.get(atoms.tag[i]);
        old.map_or([0.0; 3], |old| std::array::from_fn(|d| x[d] - old[d]))
    }
}

/// What a restart file has of a compute is something else.
pub(super) fn not_its_numbers() -> Error {
    Error::new("the restart file keeps something else of a compute of this name")
        .help("give it another name to begin anew")
}

impl Average {
    /// What a restart file keeps: the last step (-1: none), how many there were, the means.
    fn numbers(&self) -> Vec<f64> {
        let means = self.means.iter().flat_map(|(id, [x, y, z])| [f64::from(id), *x, *y, *z]);
        [self.step.map_or(-1.0, |step| step as f64), self.count].into_iter().chain(means).collect()
    }

    /// The inverse of [`Average::numbers`].
    fn of_numbers(numbers: &[f64]) -> Result<Self> {
        let ([step, count], rest) = numbers.split_first_chunk().ok_or_else(not_its_numbers)?;
        let (rows, []) = rest.as_chunks() else { return Err(not_its_numbers()) };
        Ok(Average {
            step: (*step >= 0.0).then_some(*step as i64),
            count: *count,
            means: rows.iter().map(|&[id, x, y, z]| (id as u32, [x, y, z])).collect(),
        })
    }

    /// Lets the mean of an atom know of its displacement.
    fn take(&mut self, tag: u32, moved: [f64; 3]) {
        let count = self.count;
        let mean = self.means.entry(tag);
        *mean = std::array::from_fn(|d| (mean[d] * count + moved[d]) / (count + 1.0));
    }
}

/// Takes `com yes|no` and `average yes|no`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let (mut com, mut average) = (false, false);
    while !args.is_empty() {
        match args.one_of("keyword of compute msd", &[("com", true), ("average", false)])? {
            true => com = args.yes_no()?,
            false => average = args.yes_no()?,
        }
    }
    let origin = Origin::new(header.group, &session.now())?;
    Ok(Box::new(Msd { header, com, origin, average: average.then(RefCell::default) }))
}

impl Compute for Msd {
    header!();

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        system.prepare(&[&SumTerm::SQUARED_DISPLACEMENT, &SumTerm::PLACE])
    }

    fn shape(&self) -> Shape {
        Shape::vector(4)
    }

    fn renumber(&mut self, ids: &[(u32, u32)]) {
        self.origin.renumber(ids);
        if let Some(average) = &mut self.average {
            let means = &mut average.get_mut().means;
            *means = means.renumbered(ids);
        }
    }

    /// How long the origin is, the origin, and with `average` the means.
    fn restart_state(&self) -> Option<Vec<f64>> {
        let origin = self.origin.numbers();
        let means = self.average.as_ref().map_or(Vec::new(), |average| average.borrow().numbers());
        Some([&[origin.len() as f64], &origin[..], &means].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let (length, rest) = numbers.split_first().ok_or_else(not_its_numbers)?;
        let (origin, means) = rest.split_at_checked(*length as usize).ok_or_else(not_its_numbers)?;
        self.origin = Origin::of_numbers(origin)?;
        match &self.average {
            Some(average) if !means.is_empty() => {
                average.replace(Average::of_numbers(means)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn atoms_added(&mut self, new: &Atoms) {
        self.origin.add(self.header.group, new);
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let members = system.of_group(self.header.group, None);
        let drift = if self.com { self.origin.drift(members.centre()?) } else { [0.0; 3] };
        let Some(average) = &self.average else {
            let sums = members.survey(&SumTerm::SQUARED_DISPLACEMENT, drift, Some(&self.origin.positions))?;
            return Ok(means(sums.vector(), sums.count));
        };
        let (atoms, domain, list) = (system.atoms()?, system.domain()?, members.list()?);
        let displacement = |i: usize| -> [f64; 3] {
            let moved = self.origin.displacement(i, atoms, domain);
            std::array::from_fn(|d| moved[d] - drift[d])
        };
        let mut average = average.borrow_mut();
        let step = Some(system.session.clock.step);
        // Asked again at a step, the means stay.
        if average.step != step {
            if average.step.is_none() {
                average.means = list.iter().map(|&i| (atoms.tag[i], [0.0; 3])).collect();
            }
            (average.step, average.count) = (step, average.count + 1.0);
            list.iter().for_each(|&i| average.take(atoms.tag[i], displacement(i)));
        }
        let mut sums = [0.0; 3];
        for &i in list {
            let mean = average.means.get(atoms.tag[i]).copied().unwrap_or_default();
            let moved = displacement(i);
            (0..3).for_each(|d| sums[d] += (moved[d] - mean[d]).powi(2));
        }
        Ok(means(sums, list.len() as f64))
    }
}

/// Sums along the axes and their sum, per atom.
pub(super) fn means([x, y, z]: [f64; 3], count: f64) -> Values {
    let mean = |sum: f64| if count > 0.0 { sum / count } else { 0.0 };
    Values::vector([x, y, z, x + y + z].map(mean).to_vec())
}
