//! Several whole steps in one launch, whose work-groups wait for one another between two of them (cl/gate.cl): for
//! systems so small that a launch costs as much as its work.

use super::Plan;
use super::arguments::over_page;
use crate::error::Result;
use crate::gpu::{Arg, Buffer, Defines, DeviceKind, Exchange, Kernel};
use crate::kernels::Context;
use crate::neighbor::Neighbor;
use crate::resident::Resident;
use crate::timing::{Section, WHOLE_STEP};
use std::cell::Cell;

/// Words of cl/gate.cl.
const GATE_WORDS: usize = 160;

/// The kernel that makes several steps.
pub(super) struct Several {
    kernel: Kernel,
    gate: Buffer<u32>,
    /// Steps of a launch at most; 1 from when its work-groups did not come together.
    most: Cell<u32>,
}

impl Several {
    /// The kernel, where the shape wants it and work-groups see what the others have written; from what [`WHOLE_STEP`] is
    /// made of.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(super) fn new(context: &Context, files: &[(&str, &str)], defines: &Defines) -> Result<Option<Self>> {
        let Context { gpu, shape, .. } = context;
        let seen = shape.exchange == Exchange::Ptx || gpu.info().kind == DeviceKind::Cpu;
        if shape.steps < 2 || shape.tile || shape.cluster() > 1 || !seen {
            return Ok(None);
        }
        let gate = gpu.buffer("gate", GATE_WORDS)?;
        gate.write(Section::Comm, 0, &[0; GATE_WORDS])?;
        let program = context.program_with(files, &defines.clone().set("STEPS", 1))?;
        Ok(Some(Several { kernel: program.kernel(WHOLE_STEP)?, gate, most: Cell::new(shape.steps as u32) }))
    }
}

impl Plan {
    /// How many whole steps one launch may make from `step` on: as long as the fixes' numbers stay, and whether to look at
    /// displacements and at which.
    pub fn together(&self, step: u32, neighbor: &Neighbor) -> u32 {
        let Some(several) = &self.several else { return 1 };
        if !self.parameters.constant() || neighbor.list.pages.len() != 1 {
            return 1;
        }
        let alike = |k: &u32| neighbor.watch(step + 1 + k) == neighbor.watch(step + 1);
        (1..several.most.get()).take_while(alike).count() as u32 + 1
    }

    /// As [`Plan::whole_step`], so many times.
    ///
    /// # Errors
    /// When the device fails.
    pub fn whole_steps(&self, atoms: &mut Resident, neighbor: &Neighbor, steps: u32) -> Result<()> {
        let Some(several) = self.several.as_ref().filter(|_| steps > 1) else {
            return (0..steps).try_for_each(|_| self.whole_step(atoms, neighbor));
        };
        let mut rest = self.whole_step_args(atoms, neighbor);
        rest.extend([Arg::from(&several.gate), steps.into()]);
        for page in &neighbor.list.pages {
            over_page(&several.kernel, steps, page, &self.table, atoms, neighbor, &rest)?;
        }
        atoms.step += steps;
        if steps % 2 == 1 {
            atoms.swap_positions();
        }
        Ok(())
    }

    /// Makes one step per launch from here on.
    pub fn one_by_one(&self) {
        log::info!(
            "work-groups did not come together to make several steps in one launch: one per step from here on"
        );
        self.several.iter().for_each(|several| several.most.set(1));
    }
}
