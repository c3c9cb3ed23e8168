//! The steps that are under way, and the way back to one of them: the device halts at the first step at which it needs the
//! host, all that was enqueued beyond it does nothing, and the host goes on from there.

use super::Simulation;
use crate::base::error::{Error, Result};
use crate::engine::device_atoms::BufferParity;
use crate::engine::neighbor::Schedule;

/// How to come back to a step that the device halted at.
#[derive(Clone, Copy)]
pub(super) struct Checkpoint {
    pub(super) schedule: Schedule,
    pub(super) places: BufferParity,
    /// The first command after it.
    pub(super) mark: u64,
}

/// The checkpoints of the steps after the last one that the host has found good.
pub(super) struct History {
    last_good: u32,
    checkpoints: Vec<Checkpoint>,
}

impl History {
    /// No step is under way; up to `step` nothing has halted.
    pub(super) fn since(step: u32) -> Self {
        History { last_good: step, checkpoints: Vec::new() }
    }

    /// One more step is under way.
    pub(super) fn push(&mut self, checkpoint: Checkpoint) {
        self.checkpoints.push(checkpoint);
    }

    /// Before `step` nothing has halted; what follows may still halt at `step` itself, whose checkpoint is the last.
    pub(super) fn keep_last(&mut self, step: u32) {
        self.last_good = step - 1;
        self.checkpoints.drain(..self.checkpoints.len() - 1);
    }

    /// The checkpoint of a step that is under way; it and those after it are gone then.
    fn take(&mut self, step: u32) -> Result<Checkpoint> {
        let place = step.checked_sub(self.last_good + 1).map(|place| place as usize);
        let checkpoint = *place.and_then(|place| self.checkpoints.get(place)).ok_or_else(|| {
            Error::new(format!("the device halted at step {step}, which was not under way"))
        })?;
        self.checkpoints.truncate(place.unwrap_or(0));
        Ok(checkpoint)
    }
}

impl Simulation {
    /// Of the current step.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            schedule: self.neighbor.schedule(),
            places: self.atoms.parity,
            mark: self.atoms.context.gpu.mark(),
        }
    }

    /// Back to the step at which the device halted.
    pub(super) fn roll_back(&mut self, history: &mut History, halted: u32) -> Result<()> {
        let checkpoint = history.take(halted)?;
        self.atoms.context.gpu.void_since(checkpoint.mark)?;
        self.neighbor.go_back(checkpoint.schedule, halted);
        self.atoms.go_back(checkpoint.places);
        self.atoms.step = halted;
        // The device has not gone on to later boxes.
        if let Some(domain) = self.ahead.at(halted) {
            self.domain = domain.clone();
            self.neighbor.follow_box(&mut self.atoms, &self.domain);
        }
        Ok(())
    }
}
