//! What restart files keep of rigid bodies.

use super::Rigid;
use super::bodies::Bodies;
use super::body::NUMBERS;
use super::turning::to_space;
use crate::error::{Error, Result};
use crate::random::Ranmar;

impl Rigid {
    /// Whether a run is under way, random numbers, chains, bodies.
    pub(super) fn kept(&self) -> Vec<f64> {
        let mut numbers = vec![f64::from(u8::from(self.running.get()))];
        if let Some((.., random)) = &self.options.langevin {
            numbers.extend(random.borrow().state());
        }
        if let Some(chains) = &self.chains {
            numbers.extend(chains.borrow().numbers());
        }
        numbers.extend(self.bodies.borrow().numbers());
        numbers
    }

    /// Goes on with what [`Rigid::kept`] gave.
    ///
    /// # Errors
    /// When these are numbers of something else.
    pub(super) fn take_back(&mut self, numbers: &[f64]) -> Result<()> {
        let short = || Error::new("the restart file holds something else of this fix");
        let (running, mut rest) = numbers.split_first().ok_or_else(short)?;
        if let Some((.., random)) = &self.options.langevin {
            let (state, others) = rest.split_first_chunk().ok_or_else(short)?;
            random.replace(Ranmar::of_state(state));
            rest = others;
        }
        if let Some(chains) = &self.chains {
            let length = chains.borrow().length();
            let (state, others) = rest.split_at_checked(length).ok_or_else(short)?;
            chains.borrow_mut().set_numbers(state);
            rest = others;
        }
        self.bodies.get_mut().set_numbers(rest)?;
        self.made.set(true);
        self.resumed.set(*running != 0.0);
        Ok(())
    }
}

impl Bodies {
    /// What restart files keep: for each body how many atoms it has and its numbers, and of each atom where it is.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let mut numbers = self.virial.to_vec();
        for body in &self.all {
            numbers.push(body.members.len() as f64);
            numbers.extend(body.numbers());
        }
        numbers.extend(self.place.iter().flatten());
        numbers
    }

    /// The inverse of [`Bodies::numbers`], of the same bodies.
    ///
    /// # Errors
    /// When these are others.
    pub(super) fn set_numbers(&mut self, numbers: &[f64]) -> Result<()> {
        let other = || Error::new("the restart file holds other rigid bodies");
        let length = 6 + self.all.len() * (NUMBERS + 1) + 3 * self.tags.len();
        if numbers.len() != length {
            return Err(other());
        }
        let (virial, rest) = numbers.split_at(6);
        self.virial.copy_from_slice(virial);
        let (bodies, places) = rest.split_at(self.all.len() * (NUMBERS + 1));
        for (body, numbers) in self.all.iter_mut().zip(bodies.chunks_exact(NUMBERS + 1)) {
            if numbers[0] != body.members.len() as f64 {
                return Err(other());
            }
            body.set_numbers(&numbers[1..]);
        }
        self.place = places.chunks_exact(3).map(|x| [x[0], x[1], x[2]]).collect();
        for body in &self.all {
            let axes = body.axes();
            for k in body.members.clone() {
                self.arm[k] = to_space(&axes, self.place[k]);
                self.v[k] = body.velocity_at(self.arm[k]);
                if self.flat {
                    (self.arm[k][2], self.v[k][2]) = (0.0, 0.0);
                }
            }
        }
        Ok(())
    }
}
