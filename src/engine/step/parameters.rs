//! The numbers that the fixes' functions read.

use crate::base::error::Result;
use crate::engine::device_atoms::Floats;
use crate::gpu::Gpu;
use crate::gpu::record::Section;

/// What the fixes' functions read: one row for all steps, or one for each of some steps.
pub(super) struct Parameters {
    pub(super) buffer: Floats,
    wide: bool,
    stride: usize,
    first: u32,
    /// What is in the buffer.
    values: Vec<f64>,
}

impl Parameters {
    pub(super) fn new(gpu: &Gpu, row: Vec<f64>, wide: bool) -> Result<Self> {
        let stride = row.len();
        // A buffer of none cannot be passed.
        let buffer = Floats::from_values(gpu, "fix parameters", &[&row[..], &[0.0]].concat(), wide)?;
        Ok(Parameters { buffer, wide, stride, first: 0, values: row })
    }

    pub(super) fn set(&mut self, gpu: &Gpu, first: u32, rows: &[Vec<f64>]) -> Result<()> {
        let values = rows.concat();
        self.first = first;
        if values == self.values {
            return Ok(());
        }
        if values.len() > self.values.len() {
            self.buffer = Floats::new(gpu, "fix parameters", values.len(), self.wide)?;
        }
        self.buffer.write(Section::Modify, &values)?;
        self.values = values;
        Ok(())
    }

    /// Whether the row of each step is the same.
    pub(super) fn constant(&self) -> bool {
        self.values.len() <= self.stride
    }

    /// For how many steps from one on the row of each is as far from that of the step after it: the same for all, or one on.
    pub(super) fn even(&self, step: u32) -> u32 {
        let last = self.first + (self.values.len().checked_div(self.stride).unwrap_or(1) as u32).max(1) - 1;
        match step {
            _ if self.constant() || step >= last => u32::MAX,
            _ if step < self.first => 1,
            _ => last - step,
        }
    }

    /// Where the row of a step begins; the nearest one that is there.
    pub(super) fn row(&self, step: u32) -> u32 {
        let rows = self.values.len().checked_div(self.stride).unwrap_or(1);
        (step.saturating_sub(self.first) as usize).min(rows - 1) as u32 * self.stride as u32
    }
}
