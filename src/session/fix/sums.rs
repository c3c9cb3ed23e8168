//! What a fix's functions add up over the atoms while forces are known, as `f_ID` gives it.

use crate::base::error::Result;
use crate::model::atoms::ById;
use crate::script::Args;
use crate::session::compute::{Shape, Values};
use std::cell::{Cell, Ref, RefCell};

/// The sums of a fix (`ADD_UP` of cl/step/integrate.cl), measured at steps with output and at those in which the host
/// takes part: the energy, if there is one, the elements of the vector, the virial, if there is one, and numbers
/// for the fix itself.
#[derive(Default)]
pub struct FixSums {
    energy: bool,
    vector: usize,
    virial: bool,
    own: usize,
    sums: RefCell<Option<Vec<f64>>>,
    /// The virial of each atom, in the order of these in memory, where somebody asks for it and it counts.
    virials: RefCell<Vec<[f64; 6]>>,
    /// Whether the fix shows what each atom adds to its own numbers, and these by atom ID.
    of_atoms: bool,
    by_atom: RefCell<ById<Vec<f64>>>,
    /// `fix_modify energy` and `virial`.
    counts: [Cell<bool>; 2],
}

impl FixSums {
    /// No energy, a vector of so many elements.
    pub fn vector(vector: usize) -> Self {
        FixSums { vector, ..FixSums::default() }
    }

    /// The same with an energy.
    pub fn energy(vector: usize) -> Self {
        FixSums { energy: true, ..FixSums::vector(vector) }
    }

    /// The same with a virial (xx yy zz xy xz yz, in energy units).
    pub fn with_virial(self) -> Self {
        FixSums { virial: true, ..self }
    }

    /// The same with numbers for the fix itself.
    pub fn with_own(self, own: usize) -> Self {
        FixSums { own, ..self }
    }

    /// The same, with what each atom adds to these.
    pub fn of_atoms(self) -> Self {
        FixSums { of_atoms: true, ..self }
    }

    /// Whether what each atom adds is asked for.
    pub fn is_of_atoms(&self) -> bool {
        self.of_atoms
    }

    /// What each atom of an ID adds to the numbers for the fix itself.
    pub fn by_atom(&self) -> Ref<'_, ById<Vec<f64>>> {
        self.by_atom.borrow()
    }

    /// How many sums there are.
    pub fn len(&self) -> usize {
        usize::from(self.energy) + self.vector + if self.virial { 6 } else { 0 } + self.own
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the sums of a step.
    pub fn set(&self, sums: &[f64]) {
        *self.sums.borrow_mut() = Some(sums.to_vec());
    }

    /// Replaces the energy of the step by one that the host knows.
    pub fn set_energy(&self, energy: f64) {
        if let Some(sums) = &mut *self.sums.borrow_mut() {
            sums[0] = energy;
        }
    }

    /// The numbers for the fix itself, zeros before the first measurement.
    pub fn own(&self) -> Vec<f64> {
        let sums = self.sums.borrow();
        sums.as_ref().map_or(vec![0.0; self.own], |sums| sums[sums.len() - self.own..].to_vec())
    }

    /// The elements of the vector, zeros before the first measurement.
    pub fn elements(&self) -> Vec<f64> {
        let first = usize::from(self.energy);
        let sums = self.sums.borrow();
        sums.as_ref().map_or(vec![0.0; self.vector], |sums| sums[first..first + self.vector].to_vec())
    }

    /// What there is of `f_ID`; `None` where all that is measured is the fix's own.
    pub fn shape(&self) -> Option<Shape> {
        let vector = (self.vector > 0).then_some(self.vector);
        (self.energy || vector.is_some()).then_some(Shape { scalar: self.energy, vector, ..Shape::default() })
    }

    /// What `f_ID` stands for: zeros before the first measurement, as in LAMMPS.
    pub fn values(&self) -> Values {
        let energy = self.sums.borrow().as_ref().map_or(0.0, |sums| sums[0]);
        Values { scalar: self.energy.then_some(energy), vector: self.elements(), ..Values::default() }
    }

    /// The energy that counts as potential energy of the system.
    pub fn potential_energy(&self) -> f64 {
        match &*self.sums.borrow() {
            Some(sums) if self.counts[0].get() => sums[0],
            _ => 0.0,
        }
    }

    /// The virial that counts for the pressure.
    pub fn counted_virial(&self) -> [f64; 6] {
        let first = usize::from(self.energy) + self.vector;
        match &*self.sums.borrow() {
            Some(sums) if self.counts[1].get() => std::array::from_fn(|k| sums[first + k]),
            _ => [0.0; 6],
        }
    }

    /// Takes what each atom adds to the sums, in the order of these IDs.
    pub fn set_of_atoms<'s>(&self, tags: &[u32], of_atoms: impl Iterator<Item = &'s [f64]> + Clone) {
        let first = usize::from(self.energy) + self.vector;
        let virial = |sums: &[f64]| std::array::from_fn(|k| sums[first + k]);
        let virials = of_atoms.clone().map(virial);
        self.virials.replace(if self.counts_virial() { virials.collect() } else { Vec::new() });
        if self.of_atoms {
            let own = |sums: &[f64]| sums[sums.len() - self.own..].to_vec();
            self.by_atom.replace(tags.iter().copied().zip(of_atoms.map(own)).collect());
        }
    }

    /// The virial of each atom that counts, in the order of these in memory; empty for none.
    pub fn virials(&self) -> Vec<[f64; 6]> {
        if self.counts_virial() { self.virials.borrow().clone() } else { Vec::new() }
    }

    /// Whether its energy counts as potential energy.
    pub fn counts_energy(&self) -> bool {
        self.counts[0].get()
    }

    /// Whether it counts for the pressure.
    pub fn counts_virial(&self) -> bool {
        self.counts[1].get()
    }

    /// Takes `energy` and `virial` of `fix_modify`.
    ///
    /// # Errors
    /// At an argument that is neither yes nor no.
    pub fn modify(&self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        match keyword {
            "energy" if self.energy => self.counts[0].set(args.yes_no()?),
            "virial" if self.virial => self.counts[1].set(args.yes_no()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
