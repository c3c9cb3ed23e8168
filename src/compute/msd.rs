//! `compute msd`: the mean squared displacement since the compute was defined. Source: LAMMPS manual.

use super::{Compute, Header, Shape, Values, header};
use crate::atoms::Atoms;
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use std::cell::RefCell;
use std::collections::HashMap;

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
    means: HashMap<u32, [f64; 3]>,
}

/// Positions when a compute was defined, without crossings of the box, by atom ID.
pub(super) struct Origin {
    positions: HashMap<u32, [f64; 3]>,
    /// The centre of mass of the group then.
    pub(super) centre: [f64; 3],
}

impl Origin {
    pub(super) fn new(group: u32, system: &System<'_>) -> Result<Self> {
        let tags = &system.atoms()?.tag;
        let members = system.of_group(group, None)?;
        let position = |&i: &usize| Ok((tags[i], system.unwrapped(i)?));
        let positions = members.list.iter().map(position).collect::<Result<_>>()?;
        Ok(Origin { positions, centre: members.centre()? })
    }

    /// Where new atoms of the group begin.
    pub(super) fn add(&mut self, group: u32, new: &Atoms) {
        let members = (0..new.len()).filter(|&i| new.mask[i] & group != 0);
        self.positions.extend(members.map(|i| (new.tag[i], new.x[i])));
    }

    /// The displacement of an atom; 0 for atoms that were not there.
    pub(super) fn displacement(&self, i: usize, system: &System<'_>) -> Result<[f64; 3]> {
        let x = system.unwrapped(i)?;
        let tag = system.atoms()?.tag[i];
        Ok(self.positions.get(&tag).map_or([0.0; 3], |old| std::array::from_fn(|d| x[d] - old[d])))
    }
}

impl Average {
    /// Lets the mean of an atom know of its displacement.
    fn take(&mut self, tag: u32, moved: [f64; 3]) {
        let count = self.count;
        let mean = self.means.entry(tag).or_default();
        *mean = std::array::from_fn(|d| (mean[d] * count + moved[d]) / (count + 1.0));
    }
}

/// Takes `com yes|no` and `average yes|no`.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let (mut com, mut average) = (false, false);
    while !args.is_empty() {
        match args.one_of("keyword of compute msd", &[("com", true), ("average", false)])? {
            true => com = args.yes_no()?,
            false => average = args.yes_no()?,
        }
    }
    let origin = Origin::new(header.group, &state.now())?;
    Ok(Box::new(Msd { header, com, origin, average: average.then(RefCell::default) }))
}

impl Compute for Msd {
    header!();

    fn shape(&self) -> Shape {
        Shape::vector(4)
    }

    fn welcome(&mut self, new: &Atoms) {
        self.origin.add(self.header.group, new);
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let members = system.of_group(self.header.group, None)?;
        let mut drift = [0.0; 3];
        if self.com {
            let centre = members.centre()?;
            drift = std::array::from_fn(|d| centre[d] - self.origin.centre[d]);
        }
        let tags = &system.atoms()?.tag;
        let mut average = self.average.as_ref().map(RefCell::borrow_mut);
        let step = Some(system.state.step);
        // Asked again at a step, the means stay.
        let anew = average.as_ref().is_some_and(|average| average.step != step);
        if let (Some(average), true) = (&mut average, anew) {
            (average.step, average.count) = (step, average.count + 1.0);
        }
        let mut sum = [0.0; 4];
        for &i in &members.list {
            let moved = self.origin.displacement(i, system)?;
            let mut moved: [f64; 3] = std::array::from_fn(|d| moved[d] - drift[d]);
            if let Some(average) = &mut average {
                if anew {
                    average.take(tags[i], moved);
                }
                let mean = average.means.get(&tags[i]).copied().unwrap_or_default();
                moved = std::array::from_fn(|d| moved[d] - mean[d]);
            }
            let squares = moved.map(|x| x * x);
            (0..3).for_each(|d| sum[d] += squares[d]);
            sum[3] += squares.iter().sum::<f64>();
        }
        let count = members.list.len() as f64;
        Ok(Values::vector(sum.map(|sum| if count > 0.0 { sum / count } else { 0.0 }).to_vec()))
    }
}
