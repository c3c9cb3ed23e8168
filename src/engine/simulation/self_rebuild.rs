//! Cycles of steps and a rebuild that the host enqueues without knowing at which steps the rebuilds are.
//! With `check yes` a rebuild is due where some atom has come too far. In small systems the device would wait for the host
//! there as long as it has worked since the last time; so it begins the rebuild by itself (cl/step/barrier.cl, `passed_over` of
//! cl/common/common.cl), and the host learns later at which steps that was.

use super::Simulation;
use super::history::History;
use crate::base::error::Result;
use crate::engine::device_atoms::status;
use crate::gpu::record::Section;

/// Fewer cycles than this are not worth while.
const FEWEST: u32 = 2;

/// How many cycles are enqueued, up to which step.
#[derive(Clone, Copy)]
pub(super) struct Cycles {
    stop: u32,
    count: u32,
}

impl Simulation {
    /// Enqueues cycles from the current step on, and waits for them. They end at their last step, behind a rebuild, or where
    /// the device has halted and the host must act, and with them the current step: returns whether it has halted. `None`:
    /// they have not led anywhere.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn step_self_rebuild(
        &mut self,
        cycles: Cycles,
        history: &mut History,
    ) -> Result<Option<bool>> {
        let first = self.atoms.step;
        let Cycles { stop, count: most } = cycles;
        let cycle = self.atoms.cycle;
        let gpu = self.atoms.context.gpu.clone();
        let mut places = vec![self.atoms.parity];
        self.neighbor.time_unfused(false);
        gpu.draft();
        let (mut since, mut unwatched) = (self.neighbor.built(), self.neighbor.unwatched_after(Some(first)));
        for next in cycle + 1..=cycle + most {
            self.step_kernels.cycle(&self.atoms, &self.neighbor, stop, next, unwatched)?;
            (self.atoms.step, unwatched) = (next, self.neighbor.unwatched_after(None));
            self.neighbor.follow_atoms(&mut self.atoms, since)?;
            since = next;
            places.push(self.atoms.parity);
        }
        (self.atoms.step, self.atoms.cycle) = (first, cycle + most);
        let draft = gpu.end_draft();
        let rebuild = draft.commands() / most as usize - 1;

        let seen = self.atoms.status.read(Section::Neigh, 0..status::WORDS)?;
        let done = seen[status::CYCLE].saturating_sub(cycle).min(most);
        let begun: Vec<u32> =
            (1..=done).map(|k| seen[status::LOG + (cycle + k) as usize % status::LOGGED]).collect();
        let last = begun.last().copied().unwrap_or(first);
        // Behind the last rebuild there are no steps.
        let end = if done == most { last } else { seen[status::HALT].min(stop) };
        // What took place: the steps of each cycle and the launches of its rebuild, and the steps behind the last one.
        let mut counts = Vec::new();
        for &step in &begun {
            counts.push(step - self.neighbor.built().max(first));
            counts.extend(std::iter::repeat_n(1, rebuild));
            self.neighbor.note_cycle(step);
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
        self.cycles_at_once = if halted { done.max(FEWEST) } else { 2 * self.cycles_at_once };
        if end <= first {
            return Ok(None);
        }
        *history = History::since(end - 1);
        Ok(Some(halted))
    }

    /// Those from here to `last`, where nothing but atoms on their way makes a rebuild due, and none of them is to be timed.
    pub(super) fn self_rebuild_cycles(&mut self, last: u32) -> Option<Cycles> {
        let step = self.atoms.step;
        let fit = self.neighbor.rebuilds_by_itself(&self.domain)
            && self.step_kernels.goes_on_alike(step)
            && self.neighbor.list.pages.len() == 1
            && !self.step_kernels.moves_box()
            && self.ahead.boxes.is_empty()
            && self.atoms.n > 0
            && self.atoms.cycle < u32::MAX - 2 * status::LOGGED as u32;
        if !fit {
            return None;
        }
        let stop = self.untimed(last.min(step.saturating_add(self.poll_interval)));
        self.cycles_at_once = self.cycles_at_once.clamp(FEWEST, status::LOGGED as u32);
        let count = ((stop - step) / self.neighbor.interval() + 1).min(self.cycles_at_once);
        (count >= FEWEST).then_some(Cycles { stop, count })
    }
}
