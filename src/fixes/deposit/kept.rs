//! What restart files keep of a deposition.

use super::Deposit;
use crate::base::error::{Error, Result};
use crate::base::random::ParkMiller;
use crate::session::fix::FixMemory;
use std::cell::RefCell;

impl FixMemory for Deposit {
    /// Seed, what of a pair of normal numbers is left, how many atoms, since when, the largest ID, that of molecules.
    fn restart_state(&self) -> Option<Vec<f64>> {
        let [seed, kept] = self.random.borrow().numbers();
        Some(vec![
            seed,
            kept,
            self.done.get() as f64,
            self.first.get() as f64,
            f64::from(self.largest_id.get()),
            self.body.as_ref().map_or(0.0, |body| f64::from(body.last.get())),
        ])
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        // Older files end before the molecules.
        let &[seed, kept, done, first, largest, ref molecule @ ..] = numbers else {
            return Err(Error::new("the restart file holds something else of this fix"));
        };
        if let (Some(body), Some(last)) = (&self.body, molecule.first()) {
            body.last.set(*last as u32);
        }
        self.random = RefCell::new(ParkMiller::of_state([seed, kept]));
        self.done.set(done as u64);
        self.first.set(first as i64);
        self.largest_id.set(largest as u32);
        Ok(())
    }
}
