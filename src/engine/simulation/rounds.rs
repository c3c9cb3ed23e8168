//! Rounds: rebuilds, each with the steps from the one before, that the host enqueues without knowing of which steps they are.
//! With `check yes` a rebuild is due where some atom has come too far. In small systems the device would wait for the host
//! there as long as it has worked since the last time; so it begins the rebuild by itself (cl/gate.cl, `passed_over` of
//! cl/common.cl), and the host learns later at which steps that was.

use super::Simulation;
use crate::base::error::Result;
use crate::engine::device_atoms::status;
use crate::gpu::record::Section;

/// Fewer rounds than this are not worth while.
const FEWEST: u32 = 2;

impl Simulation {
    /// Enqueues rounds from the current step up to `stop`, and waits for them. They end there, behind a rebuild, or where the
    /// device has halted and the host must act, and with them the current step: returns whether it has halted. `None`:
    /// there are none, or they have not led anywhere.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn rounds(&mut self, stop: u32) -> Result<Option<bool>> {
        let first = self.atoms.step;
        let (stop, most) = self.rounds_before(stop);
        if most < FEWEST {
            return Ok(None);
        }
        let round = self.atoms.round;
        let gpu = self.atoms.context.gpu.clone();
        let mut places = vec![self.atoms.places];
        self.neighbor.take_apart(false);
        gpu.draft();
        let (mut since, mut unwatched) = (self.neighbor.built(), self.neighbor.unwatched_after(Some(first)));
        for next in round + 1..=round + most {
            self.plan.round(&self.atoms, &self.neighbor, stop, next, unwatched)?;
            (self.atoms.step, unwatched) = (next, self.neighbor.unwatched_after(None));
            self.neighbor.follow_atoms(&mut self.atoms, since)?;
            since = next;
            places.push(self.atoms.places);
        }
        (self.atoms.step, self.atoms.round) = (first, round + most);
        let draft = gpu.end_draft();
        let rebuild = draft.commands() / most as usize - 1;

        let seen = self.atoms.status.read(Section::Neigh, 0..status::WORDS)?;
        let done = seen[status::ROUND].saturating_sub(round).min(most);
        let begun: Vec<u32> =
            (1..=done).map(|k| seen[status::LOG + (round + k) as usize % status::LOGGED]).collect();
        let last = begun.last().copied().unwrap_or(first);
        // Behind the last rebuild there are no steps.
        let end = if done == most { last } else { seen[status::HALT].min(stop) };
        // What took place: the steps of each round and the launches of its rebuild, and the steps behind the last one.
        let mut counts = Vec::new();
        for &step in &begun {
            counts.push(step - self.neighbor.built().max(first));
            counts.extend(std::iter::repeat_n(1, rebuild));
            self.neighbor.note_round(step);
        }
        if seen[status::APART] == status::APART_FACES {
            counts.truncate(counts.len() - rebuild); // which the host is to do
        }
        let rest = end.saturating_sub(last);
        counts.extend((rest > 0).then_some(rest));
        gpu.book(draft, &counts)?;
        self.atoms.go_back(places[done as usize]);
        if rest % 2 == 1 {
            self.atoms.swap_positions();
        }
        self.atoms.step = end.max(first);
        let halted = seen[status::HALT] != status::NEVER;
        // Behind a halt the rest is in vain: where the host has to act often (atoms are lost), there are few at once.
        self.rounds_at_once = if halted { done.max(FEWEST) } else { 2 * self.rounds_at_once };
        Ok((end > first).then_some(halted))
    }

    /// How far rounds may go from here, and how many of them are to be expected, where nothing but atoms on their way makes
    /// a rebuild due, and none of them is to be timed.
    fn rounds_before(&mut self, stop: u32) -> (u32, u32) {
        let step = self.atoms.step;
        let fit = self.neighbor.rebuilds_by_itself(&self.domain)
            && self.plan.goes_on_alike(step)
            && self.neighbor.list.pages.len() == 1
            && !self.plan.moves_box()
            && self.ahead.boxes.is_empty()
            && self.atoms.n > 0
            && self.atoms.round < u32::MAX - 2 * status::LOGGED as u32;
        if !fit {
            return (stop, 0);
        }
        let stop = self.untimed(stop.min(step.saturating_add(self.pace)));
        self.rounds_at_once = self.rounds_at_once.clamp(FEWEST, status::LOGGED as u32);
        (stop, ((stop - step) / self.neighbor.interval() + 1).min(self.rounds_at_once))
    }
}
