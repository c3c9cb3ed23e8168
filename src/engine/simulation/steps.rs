//! The time-step loop: how the host runs ahead of the device, and comes back to where that halted.

use super::Simulation;
use crate::base::error::{Error, Result};
use crate::engine::device_atoms::{Places, status};
use crate::engine::neighbor::Schedule;
use crate::gpu::options::TimingMode;
use crate::model::domain::Domain;
use std::time::Instant;

/// How to come back to a step that the device halted at.
#[derive(Clone, Copy)]
struct WayBack {
    schedule: Schedule,
    places: Places,
    /// The first command after it.
    mark: u64,
}

/// Seconds between looks at the status, about.
const LOOK_EVERY: f64 = 0.05;

/// With fewer steps than this between looks a step takes half a millisecond or more, and all are timed.
const MANY: u32 = 100;

/// One step in so many is timed, with the one before, which is made in two launches, and the rebuilds after it: a prime, so that
/// it drifts through every schedule.
const STRIDE: u32 = 211;

/// The same where steps take so little time that timing one costs as much as dozens.
const LONG_STRIDE: u32 = 2111;

/// With as many steps between looks they take so little.
const QUICK: u32 = 500;

/// The most steps between looks.
const MOST_AHEAD: u32 = 1000;

/// So many rebuilds are timed then, and twice as many at first: by turns in several launches and in as few as can be.
pub(super) const TIMED_BUILDS: u32 = 2;

/// Until then the steps are timed too, but no more than these.
const TIMED_STEPS: u32 = 40;

/// The first one made in two launches, early enough for short runs.
const SPLIT_FIRST: u32 = 3;

/// Where everything is timed, one step in so many is made in two launches.
const FULL_STRIDE: u32 = 7;

/// Which steps are timed: in several the one that is made in two launches, the one after it, and the one before it, as the first
/// command after others that are not timed takes longer; all where a step takes so long that events cost nothing.
fn sampled(pace: u32, step: u32) -> bool {
    pace < MANY || (SPLIT_FIRST - 1..=SPLIT_FIRST + 1).contains(&(step % stride(pace)))
}

fn stride(pace: u32) -> u32 {
    if pace < QUICK { STRIDE } else { LONG_STRIDE }
}

impl Simulation {
    /// Advances by up to `steps` time steps, up to the forces of the last of them, and returns by how many; that
    /// has tallies, when `tally`. [`Simulation::finish_step`] is to follow, or where the box has [outgrown](Self::outgrown)
    /// cells and units another set-up. The host enqueues without waiting, up to where it looks at the status; where the
    /// device halted, the host acts and goes on from there.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or a position is not a finite number.
    pub fn to_forces(&mut self, steps: u32, tally: bool) -> Result<u32> {
        let first = self.atoms.step;
        let last = first.saturating_add(steps);
        let clock = Instant::now();
        let late = || clock.elapsed().as_secs_f64() > LOOK_EVERY;
        // Up to this step nothing has halted.
        let mut sound = first;
        let mut ways_back = Vec::new();
        self.begin_step()?;
        let mut stop = self.stop(last);
        let mut done = false;
        loop {
            match self.settle_neighbors()? {
                Some(way_back) => ways_back.push(way_back),
                None => return Ok(self.atoms.step - first),
            }
            let box_follows = self.box_follows(self.atoms.step);
            if self.atoms.step < stop && !box_follows {
                match self.rounds(last)? {
                    None => self.whole_steps(stop, &mut ways_back)?,
                    Some(halted) => {
                        sound = self.atoms.step - 1;
                        ways_back.clear();
                        stop = if halted || late() { self.atoms.step } else { self.stop(last) };
                    }
                }
                continue;
            }
            done |= self.atoms.step == last || box_follows || late();
            if done {
                self.tallied = tally && self.atoms.step == last || self.plan.moves_box();
                self.plan.forces(&self.atoms, &self.neighbor, self.tallied)?;
            }
            if let Some(halt) = self.neighbor.look(&self.atoms)? {
                self.go_back(halt.step, sound, &mut ways_back)?;
                if halt.apart == status::APART_IN_ORDER {
                    self.neighbor.order_apart(&mut self.atoms)?;
                } else if halt.apart == status::APART_FACES {
                    self.neighbor.follow_faces(&mut self.atoms, &mut self.domain, &self.reductions)?;
                } else if halt.apart != 0 {
                    self.plan.one_by_one(self.atoms.step)?;
                    self.atoms.forget_apart()?;
                    self.atoms.run_on()?;
                } else if self.outgrows()? {
                    return Ok(self.atoms.step - first);
                } else {
                    self.sample_build();
                    self.neighbor.act(&mut self.atoms, &mut self.domain, &self.reductions)?;
                }
                // Where each look finds a halt, this is where the caller gets a word in.
                (done, stop) = (false, if late() { self.atoms.step } else { self.stop(last) });
                continue;
            }
            self.atoms.context.gpu.settle();
            let made = self.atoms.step - first;
            let seconds_per_step = clock.elapsed().as_secs_f64() / f64::from(made);
            self.pace = (LOOK_EVERY / seconds_per_step).clamp(1.0, f64::from(MOST_AHEAD)) as u32;
            if done {
                self.follow_box()?;
                return Ok(made);
            }
            // What follows may still halt at this step.
            sound = self.atoms.step - 1;
            ways_back.drain(..ways_back.len() - 1);
            stop = self.stop(last);
            self.whole_steps(stop, &mut ways_back)?;
        }
    }

    /// Positions move to those of the next step, in which the list is to be built anew.
    ///
    /// # Errors
    /// When the device fails.
    pub fn move_atoms(&mut self) -> Result<()> {
        self.rebuild_after(1);
        self.begin_step()
    }

    /// What follows the forces in their step.
    ///
    /// # Errors
    /// When the device fails.
    pub fn finish_step(&mut self) -> Result<()> {
        self.plan.end(&self.atoms, &self.neighbor)
    }

    /// Where the host looks at the status next.
    fn stop(&self, last: u32) -> u32 {
        let step = self.atoms.step;
        let free = self.plan.together(step, &self.neighbor) > 1;
        last.min(step.saturating_add(self.neighbor.ahead(step, free).min(self.pace)))
    }

    /// Back to the step at which the device halted; what was enqueued beyond it has done nothing.
    fn go_back(&mut self, halted: u32, sound: u32, ways_back: &mut Vec<WayBack>) -> Result<()> {
        let place = (halted.checked_sub(sound + 1)).map(|place| place as usize);
        let way_back = *place.and_then(|place| ways_back.get(place)).ok_or_else(|| {
            Error::new(format!("the device halted at step {halted}, which was not under way"))
        })?;
        ways_back.truncate((halted - sound - 1) as usize);
        self.atoms.context.gpu.void_since(way_back.mark)?;
        self.neighbor.go_back(way_back.schedule, halted);
        self.atoms.go_back(way_back.places);
        self.atoms.step = halted;
        // The device has not gone on to later boxes.
        if let Some(domain) = self.ahead.at(halted) {
            self.domain = domain.clone();
            self.neighbor.follow_box(&mut self.atoms, &self.domain);
        }
        Ok(())
    }

    /// Positions move.
    fn begin_step(&mut self) -> Result<()> {
        self.atoms.step += 1;
        self.sample_step();
        self.plan.begin(&self.atoms, &self.neighbor)
    }

    /// Takes note of where the device has moved the box, or of where its faces follow the atoms to in a box that leans,
    /// before the list is built anew in it: whether the run has to be set up anew for that, or for what a fix made of the
    /// box before this step.
    ///
    /// # Errors
    /// When the device fails, or the box has no extent any more.
    pub fn outgrows(&mut self) -> Result<bool> {
        self.follow_box()?;
        if self.domain.triclinic && self.domain.shrinks() {
            self.domain.shrink_wrap(|domain| self.reductions.extent(&self.atoms, domain))?;
        }
        self.outgrown = self.neighbor.outgrown(&self.domain);
        Ok(self.outgrown)
    }

    /// The list follows the positions. Returns the way back to here; `None` where the box has outgrown the grid.
    fn settle_neighbors(&mut self) -> Result<Option<WayBack>> {
        if self.neighbor.due(self.atoms.step) {
            if self.outgrows()? {
                return Ok(None);
            }
            self.sample_build();
            self.neighbor.rebuild(&mut self.atoms, &mut self.domain, &self.reductions)?;
            self.neighbor.count_build();
        }
        self.sample_step();
        Ok(Some(WayBack {
            schedule: self.neighbor.schedule(),
            places: self.atoms.places,
            mark: self.atoms.context.gpu.mark(),
        }))
    }

    /// Times the next rebuild, if it is its turn; every other one of those in several launches, to learn which section takes
    /// how much of it.
    fn sample_build(&mut self) {
        let gpu = &self.atoms.context.gpu;
        let all = self.pace < MANY;
        let number = if all { self.neighbor.builds() } else { u64::from(self.builds_to_time) };
        let timed = all || self.builds_to_time > 0;
        gpu.sample(timed);
        self.neighbor.take_apart(match gpu.timing() {
            TimingMode::Off => false,
            TimingMode::Sampled => timed && number.is_multiple_of(2),
            TimingMode::Full => true,
        });
        self.builds_to_time = self.builds_to_time.saturating_sub(1);
    }

    /// Times the current step, if it is its turn, or if rebuilds are to be timed soon: going from what is timed to what is not
    /// takes longer.
    fn sample_step(&self) {
        let step = self.atoms.step;
        let soon = self.builds_to_time > 0 && step - self.timed < TIMED_STEPS;
        self.atoms.context.gpu.sample(soon || sampled(self.pace, step));
    }

    /// How far the host may run ahead of this step without anything to be timed.
    pub(super) fn untimed(&self, stop: u32) -> u32 {
        let step = self.atoms.step;
        match self.atoms.context.gpu.timing() {
            TimingMode::Off => stop,
            TimingMode::Sampled if self.builds_to_time == 0 => {
                (step..stop).find(|&step| sampled(self.pace, step)).unwrap_or(stop)
            }
            TimingMode::Sampled | TimingMode::Full => step,
        }
    }

    /// Forces, and everything up to those of the next step: in one launch, which may make several steps up to `stop` and
    /// rebuilds, but now and then, to learn which section takes how much of it, in two. Adds the ways back to the steps between.
    fn whole_steps(&mut self, stop: u32, ways_back: &mut Vec<WayBack>) -> Result<()> {
        let begin = self.atoms.step;
        if let Some(domain) = self.next_box(begin) {
            return self.step_into(domain.clone());
        }
        if !self.split(begin) {
            let most = self.plan.together(begin, &self.neighbor).min(stop - begin);
            let held_up = |step| {
                let at_hand = self.split(step) || self.neighbor.due(step) || self.box_follows(step);
                at_hand || self.next_box(step).is_some()
            };
            let steps = (1..most).take_while(|k| !held_up(begin + k)).count() as u32 + 1;
            let (schedule, mut places) = (self.neighbor.schedule(), self.atoms.places);
            let mark = self.atoms.context.gpu.mark();
            self.plan.whole_steps(&mut self.atoms, &self.neighbor, steps)?;
            for made in 1..u64::from(steps) {
                places.position ^= true;
                ways_back.push(WayBack { schedule, places, mark: mark + made });
            }
            return Ok(());
        }
        (self.builds_to_time, self.timed) = (TIMED_BUILDS, begin);
        self.atoms.context.gpu.sample(true);
        self.plan.step_apart(&mut self.atoms, &self.neighbor)
    }

    /// The box of the step after this one, where that is known to be another one.
    fn next_box(&self, step: u32) -> Option<&Domain> {
        let (now, next) = (self.ahead.at(step)?, self.ahead.at(step + 1)?);
        (now != next).then_some(next)
    }

    /// The same as a whole step, in several launches: at its end the box changes, after the last kernel that needs it as it was.
    fn step_into(&mut self, domain: Domain) -> Result<()> {
        let feeds_back = self.plan.feeds_back();
        if feeds_back {
            self.plan.kick(&self.atoms, &self.neighbor)?;
        } else {
            self.plan.forces(&self.atoms, &self.neighbor, false)?;
            self.plan.end(&self.atoms, &self.neighbor)?;
        }
        self.domain = domain;
        self.neighbor.change_box(&mut self.atoms, &self.domain)?;
        if let Some(place) = self.ahead.carrier {
            self.plan.end_of_step(&self.atoms, &self.neighbor, place)?;
        }
        self.atoms.step += 1;
        match feeds_back {
            true => self.plan.turn_by_feedback(&self.atoms, &self.neighbor),
            false => self.plan.begin(&self.atoms, &self.neighbor),
        }
    }

    /// Whether the host must know where the atoms are after a step, to fit a box around them, or a grid into one that moves.
    fn box_follows(&self, step: u32) -> bool {
        let moves = self.plan.moves_box() || !self.ahead.boxes.is_empty();
        (self.domain.shrinks() || moves) && self.neighbor.due(step + 1)
    }

    /// Whether a step is made in launches of which each belongs to one section.
    fn split(&self, step: u32) -> bool {
        match self.atoms.context.gpu.timing() {
            _ if self.plan.feeds_back() && !self.plan.makes_several() => false,
            TimingMode::Off => false,
            TimingMode::Sampled => step % stride(self.pace) == SPLIT_FIRST,
            TimingMode::Full => step.is_multiple_of(FULL_STRIDE),
        }
    }
}
