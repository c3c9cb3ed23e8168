//! What rigid bodies show, and what of them counts in the energy and pressure of the system.

use super::body::Body;
use super::{COLUMNS, Rigid};
use crate::base::error::Result;
use crate::session::compute::{Shape, Values};
use crate::session::fix::FixOutput;
use crate::session::snapshot::view::Snapshot;

impl FixOutput for Rigid {
    fn shape(&self) -> Option<Shape> {
        Some(Shape { array: (!self.style.small).then_some(COLUMNS), ..Shape::SCALAR })
    }

    /// The temperature of the bodies, with chains their energy; of each body centre, velocity, force, torque, images.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let scalar = match &self.chains {
            Some(chains) => chains.borrow().energy(),
            None => self.temperature(system.session),
        };
        let row = |body: &Body| {
            let [force, torque] = body.force;
            [body.centre, body.velocity, force, torque, body.image.map(f64::from)].concat()
        };
        let array =
            if self.style.small { Vec::new() } else { self.bodies.borrow().all.iter().map(row).collect() };
        Ok(Values { scalar: Some(scalar), array, ..Values::default() })
    }

    fn extensive(&self) -> bool {
        self.style.chains
    }

    fn coupled_energy(&self, _: &Snapshot<'_>) -> f64 {
        self.chains.as_ref().map_or(0.0, |chains| chains.borrow().energy())
    }

    fn virial(&self) -> [f64; 6] {
        if self.counts_virial { self.bodies.borrow().virial() } else { [0.0; 6] }
    }

    fn counts_virial(&self) -> bool {
        self.counts_virial
    }

    fn virials(&self, tags: &[u32]) -> Vec<[f64; 6]> {
        let bodies = self.bodies.borrow();
        let mut virials = vec![[0.0; 6]; tags.len()];
        match bodies.indices(tags) {
            Ok(indices) if self.counts_virial => {
                indices.into_iter().zip(&bodies.virials).for_each(|(i, virial)| virials[i] = *virial);
                virials
            }
            _ => Vec::new(),
        }
    }

    fn removed_freedom(&self, group: u32) -> f64 {
        if self.made.get() { self.bodies.borrow().removed(group) } else { 0.0 }
    }
}
