//! What scripts name of a pair style: its parameters, for `fix adapt`, and values of atoms, for `fix pair`.

use super::Pair;
use super::given::Overlap;
use super::many_body::ManyBody;
use std::sync::Arc;

/// Where a parameter is: which of the styles, and which of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    part: usize,
    number: usize,
}

impl Pair {
    /// Names of the styles.
    pub fn styles(&self) -> impl Iterator<Item = &str> + Clone {
        self.parts.iter().map(|part| part.style.name())
    }

    /// The name that `pair_style` was given, of a hybrid that of the hybrid.
    pub fn script_name(&self) -> &str {
        match self.sharing {
            Overlap::Plain => self.parts[0].style.name(),
            Overlap::Hybrid => "hybrid",
            Overlap::Overlay => "hybrid/overlay",
            Overlap::Scaled => "hybrid/scaled",
        }
    }

    /// Whether two atoms have a force and an energy of their own: with every style but those of many bodies, of which the embedded-atom
    /// method has pairs, too.
    pub fn of_pairs(&self) -> bool {
        let eam = |name: &str| name == "eam" || name.starts_with("eam/");
        self.parts.iter().all(|part| part.style.many_body().is_none() || eam(part.style.name()))
    }

    /// The names of what the style at a place makes of each atom on the way to its forces, if anything.
    pub fn names_of_atoms(&self, place: usize) -> &'static [&'static str] {
        self.parts[place].style.many_body().map_or(&[], ManyBody::names_of_atoms)
    }

    /// The places of the styles of a name; `NAME:2` is the second of them.
    pub fn places(&self, name: &str) -> Vec<usize> {
        let (name, number) = match name.split_once(':') {
            Some((name, number)) => (name, number.parse::<usize>().ok().or(Some(0))),
            None => (name, None),
        };
        let places = self.styles().enumerate().filter(|(_, style)| *style == name).map(|(place, _)| place);
        let wanted = |k: &usize| number.is_none_or(|number| number == *k);
        places.zip(1..).filter(|(_, k)| wanted(k)).map(|(place, _)| place).collect()
    }

    /// Names of the parameters of a style that may change.
    pub fn parameters(&self, part: usize) -> impl Iterator<Item = &str> + Clone {
        self.parts[part].style.parameters().iter().copied().filter(|name| !name.is_empty())
    }

    /// The slot of a parameter of the first style of a name.
    pub fn slot(&self, style: &str, parameter: &str) -> Option<Slot> {
        let part = *self.places(style).first()?;
        let names = self.parts[part].style.parameters();
        let number = names.iter().position(|name| !name.is_empty() && *name == parameter)?;
        Some(Slot { part, number })
    }

    /// What `pair_coeff` has given for two types i <= j, from 1; `None` where it has not.
    pub fn value(&self, slot: Slot, [i, j]: [usize; 2]) -> Option<f64> {
        let given = self.parts[slot.part].given.get((i - 1) * self.types + j - 1)?.as_ref()?;
        given.get(slot.number).copied()
    }

    /// Gives it another value, where there is one.
    pub fn set(&mut self, slot: Slot, [i, j]: [usize; 2], value: f64) {
        let given = self.parts[slot.part].given.get_mut((i - 1) * self.types + j - 1);
        let params = given.and_then(Option::as_mut).map(Arc::make_mut);
        if let Some(number) = params.and_then(|params| params.get_mut(slot.number)) {
            *number = value;
        }
        self.forget();
    }
}
