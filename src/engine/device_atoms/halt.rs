//! What the status says of a halt.

use super::{DeviceAtoms, status};
use crate::base::error::Result;
use crate::base::ranks;
use crate::gpu::record::Section;

/// Where the device halted.
#[derive(Clone, Copy, Debug)]
pub struct Halt {
    /// The step that the host must act at.
    pub step: u32,
    /// Not 0: for no other reason than [`status::APART`].
    pub apart: u32,
    /// Not 0: so many neighbours an atom has within the cutoff, for which there is no room ([`status::SLOTS`]).
    pub slots: u32,
}

impl Halt {
    /// What this rank's status says, once the device has done all that is enqueued; the step is [`status::NEVER`] where it has not halted.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(atoms: &DeviceAtoms) -> Result<Halt> {
        atoms.status.view(Section::Neigh, status::HALT..status::WORDS, |seen| Halt {
            step: seen[0],
            apart: seen[status::APART - status::HALT],
            slots: seen[status::SLOTS - status::HALT],
        })
    }

    /// What the statuses of all ranks say, which ask for it at once.
    pub fn of_any(&self) -> Halt {
        let [before_never, apart, slots] =
            ranks::max([status::NEVER - self.step, self.apart, self.slots].map(i64::from))
                .map(|word| word as u32);
        Halt { step: status::NEVER - before_never, apart, slots }
    }

    /// Of two ranks: that of the earlier step, for the reasons of both.
    pub fn or(&self, other: &Halt) -> Halt {
        Halt {
            step: self.step.min(other.step),
            apart: self.apart.max(other.apart),
            slots: self.slots.max(other.slots),
        }
    }
}
