//! `fix langevin ... gjf vfull|vhalf`: drag and noise as a way to move atoms, whose positions have the right distribution in
//! long steps, too (cl/fix/langevin_gjf.cl).
//!
//! N. Gronbech-Jensen and O. Farago, Mol. Phys. 111, 983 (2013); velocities of half steps: L. F. Gronbech Jensen and
//! N. Gronbech-Jensen, Mol. Phys. 117, 2511 (2019). The noise is normal, and depends on seed, atom ID and step alone.

use super::Langevin;
use crate::base::error::{Error, Result};
use crate::base::random::normal_of_atom;
use crate::script::Args;
use crate::session::fix::{Fix, FixContext, StepContext};
use std::cell::Cell;

/// What the numbers are for, beside the seed.
const PURPOSE: u32 = 13;

/// Which velocities are seen from outside, and where a run begins.
pub(super) struct Gjf {
    /// Those of half steps.
    half: bool,
    /// Whether there were steps: velocities are those that this fix left.
    begun: Cell<bool>,
    /// Where a run is under way, the step at which it began.
    running: Cell<Option<i64>>,
    /// The first step of the run, where its velocities are taken as the script's; it is before any other step.
    first: Cell<i64>,
    /// Where the run before ended: the step, its length, the target temperature.
    left: Cell<Option<(i64, f64, f64)>>,
}

/// Takes `no`, `vfull` or `vhalf`.
pub(super) fn read(args: &mut Args<'_>) -> Result<Option<Gjf>> {
    let words = [("no", None), ("vfull", Some(false)), ("vhalf", Some(true))];
    let half = args.one_of("kind of velocities for gjf", &words)?;
    let gjf = |half| Gjf {
        half,
        begun: Cell::new(false),
        running: Cell::new(None),
        first: Cell::new(-1),
        left: Cell::new(None),
    };
    Ok(half.map(gjf))
}

impl Gjf {
    /// What restart files keep: which velocities are there that it left; 0 where there are none.
    pub(super) fn kept(&self) -> f64 {
        let own = if self.half { 2.0 } else { 1.0 };
        if self.begun.get() || self.running.get().is_some() { own } else { 0.0 }
    }

    /// The inverse of [`Gjf::kept`].
    pub(super) fn restore(&self, kept: f64) {
        self.begun.set(kept == if self.half { 2.0 } else { 1.0 });
    }

    /// Takes note of the run that begins. Every atom of the fix's group must be moved by a fix nve after it, unless nothing
    /// moves atoms, as in a minimization before such a fix is defined.
    pub(super) fn begin_run(&self, langevin: &Langevin, context: &FixContext<'_>) -> Result<()> {
        let (session, header) = (context.session, &langevin.header);
        let fixes = &session.fixes;
        if self.half && session.changes_time_step() {
            let error = Error::new("gjf vhalf needs steps of one length, which a fix dt/reset changes");
            return Err(error.help("take gjf vfull"));
        }
        let place = fixes.iter().position(|fix| fix.header().id == header.id).unwrap_or(0);
        let moves = |fix: &dyn Fix, mask: u32| fix.integrates() && mask & fix.header().group != 0;
        let system = context.system();
        let atoms = system.atoms()?;
        let left = (0..atoms.len()).find(|&i| {
            let movers = fixes.iter().enumerate().filter(|(_, fix)| moves(&***fix, atoms.mask[i]));
            let by_nve = movers.map(|(at, fix)| at > place && fix.header().style == "nve").next();
            atoms.mask[i] & header.group != 0 && by_nve != Some(true)
        });
        if let Some(i) = left.filter(|_| fixes.iter().any(|fix| fix.integrates())) {
            let message = format!("no fix nve after it moves atom {}", atoms.tag[i]);
            return Err(Error::new(message).help("gjf works around the kicks of fix nve: put that after it"));
        }
        // Velocities that this fix has left go on as they are; those of half steps need the noise of the step before, which
        // its number and length tell.
        let same =
            self.left.get().is_none_or(|(step, dt, _)| step == session.clock.step && dt == session.clock.dt);
        self.first.set(if self.begun.get() && (same || !self.half) { -1 } else { session.clock.step });
        self.running.set(Some(session.clock.step));
        Ok(())
    }

    /// Takes note of a run that goes on at a step.
    pub(super) fn go_on(&self, step: i64) {
        self.running.set(Some(step));
    }

    /// Takes note of where a run ends.
    pub(super) fn end_run(&self, langevin: &Langevin, context: &FixContext<'_>) -> Result<()> {
        let session = context.session;
        if self.running.take().is_some_and(|begin| session.clock.step > begin) {
            self.begun.set(true);
            self.left.set(Some((
                session.clock.step,
                session.clock.dt,
                langevin.target.at(&context.moment())?,
            )));
        }
        Ok(())
    }

    /// The numbers of cl/fix/langevin_gjf.cl at a step.
    pub(super) fn parameters(&self, langevin: &Langevin, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let session = now.session;
        // In a draft variables may have no value yet, and before the run they have none.
        let target = langevin.target.at(now)?;
        let begin = now.span[0];
        let target_before = match self.left.get() {
            _ if now.is_draft() || !self.half => target,
            Some((step, _, target)) if now.step - 1 == step => target,
            _ => langevin.target.at(&StepContext::ahead(session, begin.max(now.step - 1), now.span))?,
        };
        let (width, width_before) = (widths(langevin, now, target), widths(langevin, now, target_before));
        let mut thermal = langevin.components(session)?.unwrap_or([false; 3]);
        thermal[2] &= session.system.dimension == 3;
        let means = match langevin.zero {
            true => [mean(langevin, now.step, &width), mean(langevin, now.step - 1, &width_before)].concat(),
            false => vec![0.0; 6],
        };
        let seed = [langevin.seed & 0xffff, langevin.seed >> 16, PURPOSE].map(f64::from);
        let first = self.first.get() + 1;
        let ways = [f64::from(self.half), (first & 0xffff) as f64, (first >> 16) as f64];
        let mut numbers = [&means[..], &thermal.map(f64::from), &seed, &ways].concat();
        let kicks = &now.kicks()[1..];
        for (kind, scale) in langevin.scale.iter().enumerate() {
            let c = session.clock.dt / (2.0 * langevin.damp * scale);
            numbers.extend([c, kicks[kind], width[kind], width_before[kind]]);
        }
        Ok(numbers)
    }
}

/// Per type: the width of the noise, whose variance is 2 m kB T / (damp dt), in force units.
fn widths(langevin: &Langevin, now: &StepContext<'_>, temperature: f64) -> Vec<f64> {
    let units = now.session.system.units;
    let of = |(mass, scale): (f64, &f64)| {
        let damp = langevin.damp * scale;
        let square = 2.0 * mass * units.boltz * temperature / (damp * now.session.clock.dt * units.mvv2e);
        square.sqrt() / units.ftm2v
    };
    now.mass().zip(&langevin.scale).map(of).collect()
}

/// The mean of the noise over the group's atoms at a step, in force units.
fn mean(langevin: &Langevin, step: i64, widths: &[f64]) -> [f64; 3] {
    let members = langevin.members.borrow();
    let mut sum = [0.0; 3];
    for &(tag, kind) in members.iter() {
        let normal = normal_of_atom(tag, step, [langevin.seed, PURPOSE]);
        (0..3).for_each(|d| sum[d] += widths[kind as usize - 1] * normal[d]);
    }
    sum.map(|sum| sum / members.len().max(1) as f64)
}
