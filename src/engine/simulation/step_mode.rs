//! How the next steps become launches: chosen in one function, [`Simulation::choose_mode`], and carried out in another.

use super::Simulation;
use super::history::{Checkpoint, History};
use super::self_rebuild::Cycles;
use crate::base::error::Result;
use crate::base::ranks;
use crate::gpu::options::TimingMode;
use crate::model::domain::Domain;

/// How the next step, or the next several, become launches. Each goes from the forces of a step to the positions of the
/// next; all give the same bits.
pub(super) enum StepMode {
    /// Forces, then what fixes do after them and before the next ones, in launches of which each belongs to one section;
    /// `timed`: to learn which section takes how much of a fused step.
    Unfused {
        /// Whether this is for the timing.
        timed: bool,
    },
    /// All in one launch per page of the list.
    Fused,
    /// Forces and kicks in one launch, then the part of a fix that needs the sums over all atoms, then the next positions.
    Coupled,
    /// So many fused steps in one launch, whose work-groups wait for one another between two; the next look at the status is at step `until`.
    MultiStep {
        /// How many.
        steps: u32,
        /// Up to there nothing is asked of the host.
        until: u32,
    },
    /// The box of the next step is known, and another one: it changes behind the last launch that needs the old one.
    BoxChange {
        /// That box.
        domain: Box<Domain>,
        /// Whether this is for the timing.
        timed: bool,
    },
    /// Fused steps and rebuilds that the device begins by itself.
    SelfRebuild(Cycles),
}

impl Simulation {
    /// Which it is. The conditions, in this order:
    ///
    /// 0. **Unfused** where bonds may snap: forces halt there, and nothing of what follows may have been done. Where ranks share the work, a **box change**, **coupled** or **fused** where no
    ///    fix changes forces by sums over all atoms or counts atoms, else **unfused**: what ranks tell one another comes between launches.
    /// 1. **Self-rebuild** ([`Simulation::self_rebuild_cycles`]) where it `may` be: nothing but atoms on their way makes a
    ///    rebuild due, several steps fit into a launch, fixes' numbers stay, the list is one page, the box stays, and nothing
    ///    is to be timed.
    /// 2. **Unfused, timed**: one step in some hundreds, where the timing mode wants it; with a coupling only where it else
    ///    shares launches. Where the box changes, it is a box change whose launches are timed.
    /// 3. **Multi-step**: the kernel was made for it (few atoms), fixes' numbers stay or go on evenly, the list is one page
    ///    ([`StepKernels::together`](crate::engine::step::StepKernels::together)); up to the next look at the status, rebuild or timed
    ///    step, as long as the box changes in each step or in none.
    /// 4. **Box change**: a fix has said that the box of the next step is another one.
    /// 5. **Unfused**: a fix goes on with sums over all atoms in the middle of the step.
    /// 6. **Coupled**: a fix's part that needs all atoms is the device's.
    /// 7. **Fused**: all else.
    pub(super) fn choose_mode(&mut self, poll_at: u32, last: u32, may_rebuild_itself: bool) -> StepMode {
        let step = self.atoms.step;
        if self.step_kernels.snaps && self.next_box(step).is_none() {
            return StepMode::Unfused { timed: false };
        }
        if ranks::count() > 1 {
            return match self.next_box(step) {
                Some(domain) => StepMode::BoxChange { domain: Box::new(domain), timed: false },
                None if !self.step_kernels.moves_own_atoms() => StepMode::Unfused { timed: false },
                None if self.is_timed_on_ranks(step) => StepMode::Unfused { timed: true },
                None if self.step_kernels.pre_force_sums() > 0 => StepMode::Unfused { timed: false },
                None if self.step_kernels.feeds_back() => StepMode::Coupled,
                None => StepMode::Fused,
            };
        }
        if may_rebuild_itself && let Some(cycles) = self.self_rebuild_cycles(last) {
            return StepMode::SelfRebuild(cycles);
        }
        let timed = self.is_timed_apart(step);
        let steps = if timed { 1 } else { self.steps_of_launch(poll_at) };
        match self.next_box(step) {
            _ if steps > 1 => StepMode::MultiStep { steps, until: poll_at },
            Some(domain) => {
                let timed = timed && self.step_kernels.makes_multi_step();
                StepMode::BoxChange { domain: Box::new(domain), timed }
            }
            None if timed => StepMode::Unfused { timed },
            None if self.step_kernels.pre_force_sums() > 0 => StepMode::Unfused { timed: false },
            None if self.step_kernels.feeds_back() => StepMode::Coupled,
            None => StepMode::Fused,
        }
    }

    /// How many steps the next launch may make, up to the next look at the status.
    fn steps_of_launch(&self, poll_at: u32) -> u32 {
        let step = self.atoms.step;
        let changes = self.ahead.changes(step);
        if changes && !self.step_kernels.takes_boxes() {
            return 1;
        }
        let most = self.step_kernels.together(step, &self.neighbor).min(poll_at - step);
        let held_up = |step| {
            let at_hand =
                self.is_timed_apart(step) || self.neighbor.due(step) || self.needs_host_for_box(step);
            at_hand || self.ahead.changes(step) != changes
        };
        (1..most).take_while(|k| !held_up(step + k)).count() as u32 + 1
    }

    /// Carries it out; those of more than one step add the checkpoints of the steps between. A self-rebuild is
    /// [`Simulation::step_self_rebuild`].
    pub(super) fn step_as(&mut self, mode: StepMode, history: &mut History) -> Result<()> {
        match mode {
            StepMode::Fused | StepMode::Coupled | StepMode::Unfused { .. } | StepMode::BoxChange { .. }
                if self.step_kernels.moves_own_atoms() =>
            {
                self.neighbor.partial = self.neighbor.shares.is_some();
            }
            _ => self.complete()?,
        }
        let Simulation { step_kernels, atoms, neighbor, .. } = self;
        match mode {
            StepMode::Unfused { timed } => {
                if timed {
                    self.sample_unfused();
                }
                self.step_kernels.step_unfused(&mut self.atoms, &self.neighbor)
            }
            StepMode::Fused => step_kernels.fused_step(atoms, neighbor),
            StepMode::Coupled => step_kernels.step_coupled(atoms, neighbor),
            StepMode::MultiStep { steps, until } => {
                if self.ahead.changes(self.atoms.step) {
                    self.send_boxes(steps, until)?;
                }
                let Checkpoint { schedule, mut places, mark } = self.checkpoint();
                self.step_through_boxes(steps)?;
                for made in 1..u64::from(steps) {
                    places.position ^= true;
                    history.push(Checkpoint { schedule, places, mark: mark + made });
                }
                Ok(())
            }
            StepMode::BoxChange { domain, timed } => self.step_into_box(*domain, timed),
            StepMode::SelfRebuild(cycles) => self.step_self_rebuild(cycles, history).map(|_| ()),
        }
    }

    /// The box of the step after this one, where that is known to be another one. Of faces that the device moves it has what is known here.
    fn next_box(&self, step: u32) -> Option<Domain> {
        let (now, next) = self.ahead.next(step)?;
        let mut after = next.clone();
        if self.step_kernels.moves_box() {
            for d in (0..3).filter(|&d| (now.lo[d], now.hi[d]) == (next.lo[d], next.hi[d])) {
                (after.lo[d], after.hi[d]) = (self.domain.lo[d], self.domain.hi[d]);
            }
        }
        Some(after)
    }

    /// As a coupled or a fused step, in several launches: at its end the box changes, after the last kernel that needs it as it
    /// was. Where it is `timed`, each launch belongs to one section.
    fn step_into_box(&mut self, domain: Domain, timed: bool) -> Result<()> {
        if timed {
            self.sample_unfused();
        }
        let [feeds_back, moves_box] = [self.step_kernels.feeds_back(), self.step_kernels.moves_box()];
        if feeds_back {
            self.step_kernels.kick(&self.atoms, &self.neighbor, timed)?;
        } else {
            self.step_kernels.forces(&self.atoms, &self.neighbor, false)?;
            self.step_kernels.end(&self.atoms, &self.neighbor)?;
        }
        if moves_box {
            // Its pressure is that in the box before.
            self.step_kernels.end_by_feedback(&self.atoms, &self.neighbor)?;
        }
        let before = std::mem::replace(&mut self.domain, domain);
        self.leave_box(&before)?;
        if let Some(place) = self.ahead.carrier {
            self.step_kernels.end_of_step(&self.atoms, &self.neighbor, place)?;
        }
        self.atoms.step += 1;
        match (feeds_back, moves_box) {
            (_, true) => self.step_kernels.begin_by_feedback(&self.atoms, &self.neighbor),
            (true, false) => self.step_kernels.turn_by_feedback(&self.atoms, &self.neighbor),
            (false, false) => self.step_kernels.begin(&self.atoms, &self.neighbor),
        }
    }

    /// Whether the host must know where the atoms are after a step, to fit a box around them, or a grid into one that moves.
    pub(super) fn needs_host_for_box(&self, step: u32) -> bool {
        let moves = self.step_kernels.moves_box() || !self.ahead.boxes.is_empty();
        (self.domain.shrinks() || moves) && self.neighbor.due(step + 1)
    }

    /// The same where ranks share the work, at the same steps on all of them.
    fn is_timed_on_ranks(&self, step: u32) -> bool {
        self.atoms.context.gpu.timing() != TimingMode::Off && self.is_apart_on_ranks(step)
    }

    /// Whether a step is made in launches of which each belongs to one section, for the timing.
    fn is_timed_apart(&self, step: u32) -> bool {
        match self.atoms.context.gpu.timing() {
            _ if self.step_kernels.feeds_back() && !self.step_kernels.makes_multi_step() => false,
            TimingMode::Off => false,
            TimingMode::Sampled => self.is_sampled_apart(step),
            TimingMode::Full => Simulation::is_apart_in_full(step),
        }
    }
}
