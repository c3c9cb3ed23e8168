//! `fix ID GROUP dt/reset N TMIN TMAX XMAX`: the time step follows the fastest atom. Source: LAMMPS manual, `fix dt/reset`.

use super::faces;
use crate::base::error::{Error, Result};
use crate::base::steps::next_multiple;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{Fix, FixContext, FixOutput, Header, HostFix, keeper_of_time_step};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct DtReset {
    header: Header,
    every: u64,
    /// The shortest and the longest time step.
    bounds: [Option<f64>; 2],
    /// How far an atom may go in a step.
    farthest: f64,
    /// How much kinetic energy it may take up.
    most_energy: Option<f64>,
    /// The step of the last change.
    changed: Cell<i64>,
    /// The time step by the forces of the first step as no fix has changed them.
    first: Cell<Option<f64>>,
}

/// Takes how often, the shortest and longest time step or NULL, how far an atom may go, `emax` and `units`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between changes", 1)?;
    let mut bounds = [None; 2];
    for (bound, what) in
        bounds.iter_mut().zip(["the shortest time step, or NULL", "the longest time step, or NULL"])
    {
        let word = args.peek();
        if !args.accept("NULL") {
            *bound = Some(args.f64(what)?);
        }
        if let Some(word) = word.filter(|_| bound.is_some_and(|bound| bound < 0.0)) {
            return Err(args.error(word, "a time step cannot be negative"));
        }
    }
    if let [Some(least), Some(most)] = bounds
        && least >= most
    {
        let word = args.taken().last().cloned().unwrap_or_else(|| args.taken()[0].clone());
        return Err(args.error(&word, "the longest time step must be longer than the shortest"));
    }
    let scale = faces::scale(session, args)[0];
    let farthest = scale * args.positive("how far an atom may go in a step")?;
    let mut most_energy = None;
    while !args.is_empty() {
        if args.one_of("fix dt/reset keyword", &[("emax", true), ("units", false)])? {
            most_energy = Some(args.positive("the most energy that an atom may take up in a step")?);
        } else {
            faces::units(args)?;
        }
    }
    let changed = Cell::new(session.clock.step);
    let first = Cell::new(None);
    Ok(Box::new(DtReset { header, every, bounds, farthest, most_energy, changed, first }))
}

impl DtReset {
    /// The longest time step in which an atom keeps within the limits.
    fn longest(&self, v: [f64; 3], f: [f64; 3], mass: f64, session: &Session) -> f64 {
        let squared = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>();
        let (v2, f2) = (squared(v), squared(f));
        let push = session.system.units.ftm2v / mass;
        let mut dt = f64::INFINITY;
        if v2 > 0.0 {
            dt = self.farthest / v2.sqrt();
        }
        if f2 > 0.0 {
            dt = dt.min((2.0 * self.farthest / (push * f2.sqrt())).sqrt());
        }
        if let Some(energy) = self.most_energy.filter(|_| f2 * v2 > 0.0) {
            dt = dt.min(
                energy / (f2 * v2).sqrt() / (session.system.units.ftm2v * session.system.units.mvv2e).sqrt(),
            );
        }
        if dt.is_infinite() {
            return dt;
        }
        let way = squared(std::array::from_fn(|d| dt * v[d] + 0.5 * dt * dt * push * f[d])).sqrt();
        if way > self.farthest { dt * self.farthest / way } else { dt }
    }

    /// The time step by velocities and forces as they are now.
    fn measure(&self, context: &FixContext<'_>) -> Result<f64> {
        let (system, session) = (context.system(), context.session);
        let (atoms, forces) = (system.atoms()?, system.forces()?);
        let members = system.indices(self.header.group, None)?;
        let longest = |i: usize| self.longest(atoms.v[i], forces[i], system.mass(atoms.kind[i]), session);
        // As long as an atom at rest without forces may take, in LAMMPS.
        let dt = members.into_iter().map(longest).fold(1e20, f64::min);
        let dt = self.bounds[0].map_or(dt, |least| dt.max(least));
        Ok(self.bounds[1].map_or(dt, |most| dt.min(most)))
    }

    /// Has the time step of now follow.
    fn take(&self, dt: f64, session: &Session) {
        if dt != session.clock.dt {
            self.changed.set(session.clock.step);
            session.clock.new_dt.set(Some(dt));
        }
    }
}

impl Fix for DtReset {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn counts_steps(&self) -> bool {
        true
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl HostFix for DtReset {
    fn changes_time_step(&self) -> bool {
        true
    }

    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let keeper = keeper_of_time_step(&context.session.fixes);
        let Some(Header { id, style, .. }) = keeper else { return Ok(()) };
        let message = format!("another time step would let the atoms of fix {id} ({style}) jump");
        Err(Error::new(message).help("use only one of the two"))
    }

    /// As in LAMMPS fixes behind this one have not changed the first forces that it sees.
    fn first_forces(&self, context: &mut FixContext<'_>) -> Result<()> {
        let mut before = context.session.fixes.iter().take_while(|fix| fix.header().id != self.header.id);
        let changed = before.any(|fix| fix.hooks().is_some_and(|hooks| hooks.post_force.is_some()));
        self.first.set(if changed { None } else { Some(self.measure(context)?) });
        Ok(())
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        let dt = self.first.take().map_or_else(|| self.measure(context), Ok)?;
        self.take(dt, context.session);
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.take(self.measure(context)?, context.session);
        Ok(())
    }
}

impl FixOutput for DtReset {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    /// The step of the last change.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.changed.get() as f64))
    }
}
