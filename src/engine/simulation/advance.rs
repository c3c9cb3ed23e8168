//! The time-step loop of the device: the host enqueues steps ahead of it without waiting, looks at its status word now and
//! then, and comes back to the step at which it halted.

use super::Simulation;
use super::history::{Checkpoint, History};
use super::step_mode::StepMode;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{Halt, status};
use crate::gpu::record::Section;
use std::time::Instant;

/// Seconds between looks at the status, about.
const POLL_EVERY: f64 = 0.05;

/// Seconds after which several ranks return to the caller, who may look at all atoms, and between looks at their clocks.
const RETURN_EVERY: f64 = 0.5;
const AGREE_EVERY: f64 = 0.05;

/// The most steps between looks.
const MOST_AHEAD: u32 = 1000;

/// What is asked for at the last step of [`Simulation::advance`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Tallies of energies and virials.
    pub tally: bool,
    /// Whether nothing looks at the atoms themselves, so that ranks need not know those of others.
    pub sums_alone: bool,
}

impl Ending {
    /// The atoms.
    pub const WITH_ATOMS: Ending = Ending { tally: false, sums_alone: false };
    /// The atoms, and their tallies.
    pub const WITH_TALLIES: Ending = Ending { tally: true, sums_alone: false };
}

/// When the loop returns to its caller although it might go on.
struct Patience {
    clock: Instant,
    first: u32,
    /// The step at which several ranks compare their clocks next.
    agree_at: u32,
}

impl Patience {
    fn is_over(&mut self, step: u32) -> bool {
        let seconds = self.clock.elapsed().as_secs_f64();
        if ranks::count() == 1 {
            return seconds > POLL_EVERY;
        }
        if step < self.agree_at {
            return false;
        }
        let steps = f64::from(step - self.first) / seconds * AGREE_EVERY;
        let [over, less] = ranks::max([i64::from(seconds > RETURN_EVERY), -(steps as i64)]);
        self.agree_at = step.saturating_add((-less).clamp(1, MOST_AHEAD.into()) as u32);
        over > 0
    }
}

impl Simulation {
    /// Advances by up to `steps` time steps, up to the forces of the last of them, and returns by how many; that
    /// has what `ending` asks for. [`Simulation::finish_step`] is to follow, or where the box has [outgrown](Self::grid_too_small)
    /// cells and units another set-up.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn advance(&mut self, steps: u32, ending: Ending) -> Result<u32> {
        self.initial_integrate()?;
        self.advance_begun(steps, ending)
    }

    /// The first part of [`Simulation::advance`], up to the positions of the next step, which all ranks know then, and to its box;
    /// [`Simulation::advance_begun`] is to follow.
    ///
    /// # Errors
    /// When the device fails, or the box has no extent any more.
    pub fn begin_step(&mut self) -> Result<()> {
        self.initial_integrate()?;
        self.follow_box()?;
        self.complete()
    }

    /// What follows [`Simulation::begin_step`], as [`Simulation::advance`] returns it; `steps` has that step in it.
    ///
    /// # Errors
    /// As there.
    pub fn advance_begun(&mut self, steps: u32, ending: Ending) -> Result<u32> {
        let first = self.atoms.step - 1;
        let last = first.saturating_add(steps);
        let clock = Instant::now();
        let mut patience = Patience { clock, first, agree_at: first };
        let mut history = History::since(first);
        let mut poll_at = self.next_poll(last);
        loop {
            let Some(checkpoint) = self.update_neighbors()? else { return Ok(self.atoms.step - first) };
            history.push(checkpoint);
            let waits = self.needs_host_for_box(self.atoms.step);
            if self.atoms.step < poll_at && !waits {
                poll_at = match self.choose_mode(poll_at, last, true) {
                    StepMode::SelfRebuild(cycles) => match self.step_self_rebuild(cycles, &mut history)? {
                        Some(halted) if halted || patience.is_over(self.atoms.step) => self.atoms.step,
                        Some(_) => self.next_poll(last),
                        None => self.step(poll_at, last, &mut history)?,
                    },
                    mode => self.step_as(mode, &mut history).map(|()| poll_at)?,
                };
                continue;
            }
            let ends = self.atoms.step == last || waits || patience.is_over(self.atoms.step);
            if ends {
                if !ending.sums_alone {
                    self.complete()?;
                    self.neighbor.agree(&self.atoms)?;
                }
                self.tallied = ending.tally && self.atoms.step == last || self.step_kernels.moves_box();
                self.step_kernels.forces(&self.atoms, &self.neighbor, self.tallied)?;
            }
            if let Some(halt) = self.neighbor.poll(&self.atoms)? {
                self.roll_back(&mut history, halt.step)?;
                if !self.handle_halt(halt)? {
                    return Ok(self.atoms.step - first);
                }
                // Where each look finds a halt, this is where the caller gets a word in.
                let step = self.atoms.step;
                poll_at = if patience.is_over(step) { step } else { self.next_poll(last) };
                continue;
            }
            self.atoms.context.gpu.settle();
            let made = self.atoms.step - first;
            let seconds_per_step = clock.elapsed().as_secs_f64() / f64::from(made);
            self.poll_interval = (POLL_EVERY / seconds_per_step).clamp(1.0, f64::from(MOST_AHEAD)) as u32;
            if ends {
                self.follow_box()?;
                return Ok(made);
            }
            history.keep_last(self.atoms.step);
            poll_at = self.next_poll(last);
            self.step(poll_at, last, &mut history)?;
        }
    }

    /// From the forces of this step to the positions of the next one, or of several; lists last that long. Returns
    /// `poll_at`.
    fn step(&mut self, poll_at: u32, last: u32, history: &mut History) -> Result<u32> {
        let mode = self.choose_mode(poll_at, last, false);
        self.step_as(mode, history).map(|()| poll_at)
    }

    /// Positions move to those of the next step, in which the list is to be built anew.
    ///
    /// # Errors
    /// When the device fails.
    pub fn move_atoms(&mut self) -> Result<()> {
        self.rebuild_after(1);
        self.initial_integrate()
    }

    /// What follows the forces in their step: velocities, and the fixes' ends.
    ///
    /// # Errors
    /// When the device fails.
    pub fn finish_step(&mut self) -> Result<()> {
        self.step_kernels.end(&self.atoms, &self.neighbor)
    }

    /// The forces of this step are those of before, in which no bond has snapped; one that the box has stretched since does so when the next
    /// ones are due.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forget_snaps(&mut self) -> Result<()> {
        self.atoms.status.clear(Section::Neigh, status::BONDS..status::BONDS + 1)?;
        self.atoms.run_on()
    }

    /// The step at which the host looks at the status next.
    fn next_poll(&self, last: u32) -> u32 {
        let step = self.atoms.step;
        if ranks::count() > 1 {
            // All look at each step, before they go on from it: one may have halted where the others have not.
            return step;
        }
        let free = self.step_kernels.together(step, &self.neighbor) > 1;
        last.min(step.saturating_add(self.neighbor.lookahead(step, free).min(self.poll_interval)))
    }

    /// Velocities by half a step, positions by a whole one.
    fn initial_integrate(&mut self) -> Result<()> {
        self.atoms.step += 1;
        self.sample_step();
        self.step_kernels.begin(&self.atoms, &self.neighbor)
    }

    /// Lists follow the positions of this step. Returns how to come back to here; `None` where the box has
    /// outgrown the grid.
    fn update_neighbors(&mut self) -> Result<Option<Checkpoint>> {
        if self.neighbor.due(self.atoms.step) {
            if self.outgrows()? {
                return Ok(None);
            }
            self.sample_build();
            self.neighbor.build(&mut self.atoms, &mut self.domain)?;
            self.neighbor.count_build();
        }
        self.sample_step();
        Ok(Some(self.checkpoint()))
    }

    /// Has this rank know all of all atoms again, after a step whose [ending](Ending) was for sums alone.
    ///
    /// # Errors
    /// When the device fails.
    pub fn know_all_atoms(&mut self) -> Result<()> {
        if let Some(shares) = self.neighbor.own_shares() {
            let gpu = &self.atoms.context.gpu;
            gpu.host(Section::Comm, || self.step_kernels.gather_forces(&self.atoms, shares, self.tallied))?;
        }
        self.complete()
    }

    /// The same of all but forces and tallies.
    pub(super) fn complete(&mut self) -> Result<()> {
        self.neighbor.complete(&self.atoms)
    }

    /// What comes before the list is built anew: the box is where the device has moved it, or where its faces follow the atoms to.
    /// Says whether the run has to be set up anew for that, or for what a fix made of the box before this step. That depends on
    /// the box of this rebuild alone, whichever box output has shown before, and however many ranks there are. All ranks know
    /// all atoms then, but where these go from rank to rank at the rebuild.
    ///
    /// # Errors
    /// When the device fails, or the box has no extent any more.
    pub fn outgrows(&mut self) -> Result<bool> {
        self.follow_box()?;
        self.neighbor.agree(&self.atoms)?;
        self.neighbor.shrink_wrap(&self.atoms, &mut self.domain, &self.reductions)?;
        self.grid_too_small = self.neighbor.grid_too_small(&self.domain);
        self.neighbor.migrates =
            !self.grid_too_small && self.neighbor.partial && self.neighbor.may_migrate(&self.domain);
        if !self.neighbor.migrates {
            self.complete()?;
        }
        Ok(self.grid_too_small)
    }

    /// Does at the current step what the device halted for. `false`: the box has outgrown the grid or a bond has snapped,
    /// and the run has to be set up anew.
    fn handle_halt(&mut self, halt: Halt) -> Result<bool> {
        let moved = halt.slots == 0 && halt.apart == 0 && self.neighbor.built() != self.atoms.step;
        let snapped = self.step_kernels.snaps && self.neighbor.snapped(&self.atoms)?;
        if !moved || snapped {
            self.complete()?;
        }
        if snapped {
            self.snapped = true;
            return Ok(false);
        }
        if halt.slots > 0 {
            return self.make_near_room(halt.slots).map(|()| true);
        }
        match halt.apart {
            status::APART_IN_ORDER => self.neighbor.sort_unfused(&mut self.atoms)?,
            status::APART_FACES => {
                self.neighbor.undo_order(&mut self.atoms)?;
                if self.outgrows()? {
                    self.neighbor.forget_cycle();
                    return Ok(false);
                }
                self.neighbor.follow_faces(&mut self.atoms, &mut self.domain)?;
            }
            0 if moved && self.outgrows()? => return Ok(false),
            0 => {
                self.sample_build();
                self.neighbor.handle_halt(&mut self.atoms, &mut self.domain)?;
            }
            _ => {
                self.step_kernels.disable_multi_step(self.atoms.step)?;
                self.atoms.forget_apart()?;
                self.atoms.run_on()?;
            }
        }
        Ok(true)
    }
}
