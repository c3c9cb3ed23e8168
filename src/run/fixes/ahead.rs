//! Boxes that are known ahead of their steps, so that the device goes on to them without the host.

use super::FixRunner;
use crate::engine::simulation::Simulation;
use crate::model::domain::Domain;
use crate::session::Session;
use crate::session::fix::coupling::on_device;
use crate::session::fix::{Fix, StepContext};

impl FixRunner {
    /// The place of the one fix that changes the box, where it may do so ahead: nothing else then depends on the box. One whose part is
    /// the device's may change it, too, across other axes.
    pub(super) fn foreseen(&self, session: &Session, simulation: &Simulation) -> Option<usize> {
        let by_host = |fix: &dyn Fix| fix.changes_box() && on_device(fix).is_none();
        let mut changers = session.fixes.iter().enumerate().filter(|(_, fix)| by_host(&***fix));
        let (place, _) = changers.next().filter(|(_, fix)| {
            fix.box_change().is_some_and(|change| change.box_is_predictable()) && changers.next().is_none()
        })?;
        // Where bonds may snap, forces halt before the box may change.
        (!self.unforeseen && !simulation.domain.shrinks() && !simulation.step_kernels.snaps).then_some(place)
    }

    /// Has the simulation know the boxes of the steps up to `target`, where a fix changes them by the step alone; returns
    /// the step, up to there, at which the host has to take part in that.
    pub fn foresee(&self, session: &Session, simulation: &mut Simulation, target: i64) -> i64 {
        let Some(place) = self.foreseen else { return target };
        let fix = &session.fixes[place];
        let next = |step: i64, domain: &Domain| {
            let after =
                fix.box_change()?.box_at_next_step(&StepContext::ahead(session, step, self.span), domain)?;
            (!simulation.neighbor.grid_too_small(&after)).then_some(after)
        };
        let mut boxes = vec![simulation.domain.clone()];
        let first = session.clock.step + 1;
        let last = if simulation.neighbor.is_to_flip() { first } else { target };
        while first + (boxes.len() as i64) <= last {
            let Some(after) = next(first + boxes.len() as i64 - 1, &boxes[boxes.len() - 1]) else { break };
            boxes.push(after);
        }
        let target = first + boxes.len() as i64 - 1;
        simulation.foresee(boxes, fix.takes_atoms_along().then_some(place));
        target
    }
}
