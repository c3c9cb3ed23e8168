//! A box that changes during a run: by the host, by the device, or as is known ahead.

use super::Simulation;
use crate::base::error::{Error, Result};
use crate::engine::step::BoxesAhead;
use crate::gpu::Buffer;
use crate::gpu::record::Section;
use crate::model::domain::Domain;
use std::ops::Range;

/// Boxes that are known ahead.
#[derive(Default)]
pub(super) struct Ahead {
    /// The step of the first of them.
    pub(super) first: u32,
    pub(super) boxes: Vec<Domain>,
    /// The place of the fix whose atoms' positions follow.
    pub(super) carrier: Option<usize>,
    /// Those of these steps as kernels read them, since cells were fitted to the box at a step.
    sent: Range<u32>,
    fitted: u32,
    /// Where they are on the device.
    table: Option<Buffer<u8>>,
}

impl Ahead {
    /// That of a step, where it is known.
    pub(super) fn at(&self, step: u32) -> Option<&Domain> {
        self.boxes.get(step.checked_sub(self.first)? as usize)
    }

    /// The box of a step and that of the step after it, where the latter is known to be another one.
    pub(super) fn next(&self, step: u32) -> Option<(&Domain, &Domain)> {
        self.at(step).zip(self.at(step + 1)).filter(|(now, next)| now != next)
    }

    /// Whether there is such a one.
    pub(super) fn changes(&self, step: u32) -> bool {
        self.next(step).is_some()
    }
}

impl Simulation {
    /// That this run may change the box.
    ///
    /// # Errors
    /// In single precision, whose positions count in units of the box as it was first.
    pub fn allow_box_changes(&self) -> Result<()> {
        match self.atoms.context.numerics.wide() {
            true => Ok(()),
            false => Err(Error::new("the box cannot change in single precision")
                .help("take -precision mixed or double, and a device that has fp64")),
        }
    }

    /// Moves the faces of an orthogonal box before the next forces; atoms stay where they are.
    ///
    /// # Errors
    /// When the box is triclinic, an edge is not positive and finite, or the device fails.
    pub fn set_box(&mut self, lo: [f64; 3], hi: [f64; 3]) -> Result<()> {
        if self.domain.triclinic {
            return Err(Error::new("a triclinic box cannot follow the pressure"));
        }
        self.set_tilted_box(lo, hi, self.domain.tilt)
    }

    /// The same, with the tilts xy xz yz.
    ///
    /// # Errors
    /// As [`Simulation::set_box`].
    pub fn set_tilted_box(&mut self, lo: [f64; 3], hi: [f64; 3], tilt: [f64; 3]) -> Result<()> {
        let before = self.domain.clone();
        self.note_box(lo, hi, tilt)?;
        self.leave_box(&before)
    }

    /// The box is that of the simulation from here on; where the device moves others of its faces, those that differ from `before`.
    pub(super) fn leave_box(&mut self, before: &Domain) -> Result<()> {
        let Simulation { step_kernels, atoms, neighbor, domain, .. } = self;
        if !step_kernels.moves_box() {
            return neighbor.change_box(atoms, domain);
        }
        neighbor.follow_box(atoms, domain);
        step_kernels.set_faces(atoms, neighbor, [before, domain])
    }

    /// Lets the box be each of these in turn, in the steps that are made next: the first is the box of now. The fix at the
    /// place of the script has positions follow at the end of a step.
    pub fn foresee(&mut self, boxes: Vec<Domain>, carrier: Option<usize>) {
        let table = self.ahead.table.take();
        self.ahead = match boxes.len() {
            1 => Ahead { table, ..Ahead::default() },
            _ => Ahead { first: self.atoms.step + 1, boxes, carrier, table, ..Ahead::default() },
        };
    }

    /// Sends the boxes of so many steps that one launch is to make, and of those up to `until` that are known, so that the launches of these need
    /// not wait for it.
    pub(super) fn send_boxes(&mut self, steps: u32, until: u32) -> Result<()> {
        let (step, Simulation { atoms, neighbor, ahead, .. }) = (self.atoms.step, self);
        let last = step + steps;
        let sent = ahead.sent.contains(&step) && ahead.sent.contains(&last);
        if sent && ahead.fitted == neighbor.fitted() {
            return Ok(());
        }
        let end = until.max(last).min(ahead.first + ahead.boxes.len() as u32 - 1) + 1;
        let mut bytes = Vec::new();
        for domain in (step..end).filter_map(|step| ahead.at(step)) {
            bytes.extend_from_slice(&neighbor.box_ahead(domain));
        }
        let table = match ahead.table.take().filter(|table| table.len() >= bytes.len()) {
            Some(table) => table,
            None => atoms.context.gpu.buffer("boxes ahead", bytes.len().next_power_of_two())?,
        };
        table.write(Section::Comm, 0, &bytes)?;
        (ahead.sent, ahead.fitted, ahead.table) = (step..end, neighbor.fitted(), Some(table));
        Ok(())
    }

    /// Makes so many steps in one launch; in the boxes that were sent, if the box changes at the end of the first one.
    pub(super) fn step_through_boxes(&mut self, steps: u32) -> Result<()> {
        let step = self.atoms.step;
        let Simulation { step_kernels, atoms, neighbor, ahead, domain, .. } = self;
        let Some(boxes) = ahead.table.as_ref().filter(|_| ahead.changes(step)) else {
            return step_kernels.fused_steps(atoms, neighbor, steps, None);
        };
        let through = BoxesAhead { boxes, first: step - ahead.sent.start, carrier: ahead.carrier };
        step_kernels.fused_steps(atoms, neighbor, steps, Some(&through))?;
        if let Some(last) = ahead.at(step + steps) {
            domain.clone_from(last);
            neighbor.follow_box(atoms, domain);
        }
        Ok(())
    }

    /// The box so many steps from now, where it was [foreseen](Simulation::foresee).
    pub fn box_in(&self, steps: u32) -> Option<&Domain> {
        self.ahead.at(self.atoms.step + steps)
    }

    /// Takes note of where the device has moved the faces to, if a fix of it does.
    pub(super) fn follow_box(&mut self) -> Result<()> {
        if self.step_kernels.moves_box() {
            let [lo, hi] = self.neighbor.cells().corners()?;
            self.note_box(lo, hi, self.domain.tilt)?;
            self.neighbor.follow_box(&mut self.atoms, &self.domain);
        }
        Ok(())
    }

    fn note_box(&mut self, lo: [f64; 3], hi: [f64; 3], tilt: [f64; 3]) -> Result<()> {
        if let Some(d) = (0..3).find(|&d| !(hi[d] - lo[d] > 0.0 && (hi[d] - lo[d]).is_finite())) {
            let message = format!(
                "the box has no extent along {} any more: {} to {}",
                ['x', 'y', 'z'][d],
                lo[d],
                hi[d]
            );
            return Err(Error::new(message).help("take a shorter timestep or slower changes"));
        }
        if !tilt.iter().all(|tilt| tilt.is_finite()) {
            return Err(Error::new("a tilt of the box is not finite any more"));
        }
        (self.domain.lo, self.domain.hi, self.domain.tilt) = (lo, hi, tilt);
        Ok(())
    }

    /// Has the box flipped at the rebuild of the next step ([`Domain::flip`]).
    pub fn flip_box(&mut self, by: [i32; 3]) {
        self.neighbor.flip_at(self.atoms.step.saturating_add(1), by);
    }
}
