//! What restart files keep of rigid bodies.

use super::Rigid;
use super::bodies::Bodies;
use super::body::{Body, NUMBERS};
use super::langevin::Langevin;
use super::quaternion::plus;
use crate::base::error::Result;
use crate::base::random::Ranmar;
use crate::model::atoms::Atoms;
use crate::session::fix::FixMemory;
use crate::session::snapshot::view::Snapshot;

impl Rigid {
    /// Whether a run is under way, random numbers, chains, bodies.
    pub(super) fn kept(&self) -> Vec<f64> {
        let mut numbers = vec![f64::from(u8::from(self.running.get()))];
        if let Some(Langevin { random, .. }) = &self.options.langevin {
            numbers.extend(random.borrow().numbers());
        }
        if let Some(chains) = &self.chains {
            numbers.extend(chains.borrow().numbers());
        }
        numbers.extend(self.bodies.borrow().numbers());
        numbers
    }

    /// Goes on with what [`Rigid::restart`] gave. Where that is of other bodies, or of other settings, they begin anew.
    pub(super) fn take_back(&mut self, numbers: &[f64]) {
        let id = &self.header.id;
        if numbers.len() != self.kept().len() {
            log::warn!("fix {id}: the restart file holds other bodies or settings, so these begin anew");
            return;
        }
        let (running, mut rest) = (numbers[0], &numbers[1..]);
        let (random, chains) = (self.options.langevin.as_ref(), self.chains.as_ref());
        let states = random.map_or(0, |_| Ranmar::NUMBERS);
        let of_random = rest.split_off(..states).unwrap_or_default();
        let of_chains =
            rest.split_off(..chains.map_or(0, |chains| chains.borrow().length())).unwrap_or_default();
        if !self.bodies.borrow_mut().set_numbers(rest) {
            log::warn!("fix {id}: the restart file holds other bodies, so these begin anew");
            return;
        }
        if let (Some(Langevin { random, .. }), Ok(state)) = (random, of_random.try_into()) {
            random.replace(Ranmar::of_state(state));
        }
        if let Some(chains) = chains {
            chains.borrow_mut().set_numbers(of_chains);
        }
        self.made.set(true);
        self.resumed.set(running != 0.0);
    }
}

impl Bodies {
    /// What restart files keep: for each body how many atoms it has and its numbers, of each atom where it is and its virial.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for body in &self.all {
            numbers.push(body.members.len() as f64);
            numbers.extend(body.numbers());
        }
        numbers.extend(self.place.iter().flatten().chain(self.virials.as_flattened()));
        numbers
    }

    /// The inverse of [`Bodies::numbers`], of as many numbers; whether they are of bodies of these sizes.
    pub(super) fn set_numbers(&mut self, numbers: &[f64]) -> bool {
        let (bodies, atoms) = numbers.split_at(self.all.len() * (NUMBERS + 1));
        let (places, virials) = atoms.split_at(3 * self.tags.len());
        let own = |(body, numbers): (&Body, &[f64])| numbers[0] == body.members.len() as f64;
        if !self.all.iter().zip(bodies.chunks_exact(NUMBERS + 1)).all(own) {
            return false;
        }
        self.virials.as_flattened_mut().copy_from_slice(virials);
        for (body, numbers) in self.all.iter_mut().zip(bodies.chunks_exact(NUMBERS + 1)) {
            body.set_numbers(&numbers[1..]);
        }
        self.place = places.chunks_exact(3).map(|x| [x[0], x[1], x[2]]).collect();
        self.carry();
        true
    }

    /// Whether atoms are where their bodies are and move as these do, but for rounding: a script may have changed them since.
    ///
    /// # Errors
    /// When an atom is gone or the device fails.
    pub(super) fn fit(&self, system: &Snapshot<'_>) -> Result<bool> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        let indices = self.indices(&atoms.tag)?;
        let near =
            |a: [f64; 3], b: [f64; 3]| (0..3).all(|d| (a[d] - b[d]).abs() <= 1e-5 * (1.0 + b[d].abs()));
        Ok(self.all.iter().all(|body| {
            let centre = domain.unwrapped(body.centre, body.image);
            body.members.clone().all(|k| {
                let i = indices[k];
                let place = plus(centre, 1.0, self.arm[k]);
                near(domain.unwrapped(atoms.x[i], atoms.image[i]), place) && near(atoms.v[i], self.v[k])
            })
        }))
    }
}

impl FixMemory for Rigid {
    fn holds_by_id(&self) -> bool {
        true
    }

    fn atoms_added(&mut self, new: &Atoms) -> Result<()> {
        let bodies = self.bodies.get_mut();
        for ids in self.adopted.take() {
            let molecule = new.tag.iter().position(|tag| tag == ids.start()).map_or(0, |i| new.molecule[i]);
            let largest = bodies.all.iter().map(|body| body.id).max().unwrap_or(0);
            let id = if molecule > 0 { i64::from(molecule) } else { largest + 1 };
            bodies.add(id, ids.collect());
        }
        let largest = new.tag.iter().copied().max().unwrap_or(0) as usize;
        self.rows = self.rows.max(largest.next_power_of_two());
        Ok(())
    }

    fn restart_state(&self) -> Option<Vec<f64>> {
        self.made.get().then(|| self.kept())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.take_back(numbers);
        Ok(())
    }
}
