//! Boxes that are known ahead of their steps, so that the device goes on to them without the host.

use super::FixRunner;
use crate::engine::simulation::Simulation;
use crate::model::domain::Domain;
use crate::session::Session;
use crate::session::fix::StepContext;

impl FixRunner {
    /// The place of the one fix that changes the box, where it may do so ahead: nothing else then depends on the box, nor
    /// does a thermostat on the device come between the box and positions that follow it.
    pub(super) fn foreseen(&self, session: &Session, simulation: &Simulation) -> Option<usize> {
        let mut changers = session.fixes.iter().enumerate().filter(|(_, fix)| fix.changes_box());
        let (place, fix) = changers.next().filter(|(_, fix)| {
            fix.box_change().is_some_and(|change| change.box_is_predictable()) && changers.next().is_none()
        })?;
        let apart = simulation.plan.feeds_back() && fix.takes_atoms_along();
        // Where bonds may snap, forces halt before the box may change.
        (!self.unforeseen && !simulation.domain.shrinks() && !apart && !simulation.plan.snaps)
            .then_some(place)
    }

    /// Has the simulation know the boxes of the steps up to `target`, where a fix changes them by the step alone; returns
    /// the step, up to there, at which the host has to take part in that.
    pub fn foresee(&self, session: &Session, simulation: &mut Simulation, target: i64) -> i64 {
        let Some(place) = self.foreseen else { return target };
        let fix = &session.fixes[place];
        let next = |step: i64, domain: &Domain| {
            let after =
                fix.box_change()?.box_at_next_step(&StepContext::ahead(session, step, self.span), domain)?;
            (!simulation.neighbor.outgrown(&after)).then_some(after)
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
