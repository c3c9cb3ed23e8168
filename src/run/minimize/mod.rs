//! `minimize`, `min_style`, `min_modify`: positions of least potential energy. Source: LAMMPS manual, these
//! commands; the styles' own sources are named in their files.
//!
//! Energies, forces and the arithmetic of directions are the device's (`landscape`, `vectors`); the host decides by their sums
//! how far to go.

use crate::session::minimize::{Norm, Settings, Style};

pub(crate) mod damped;
mod descent;
mod landscape;
pub(crate) mod line;
pub mod vectors;

use crate::base::error::{Error, Result};
use crate::base::format::g;
use crate::base::progress::Progress;
use crate::base::signals;
use crate::output::writer::Output;
use crate::run::Clocks;
use crate::run::fixes::FixRunner;
use crate::run::setup;
use crate::session::Session;
use crate::session::snapshot::course;
use landscape::Landscape;
use vectors::Vectors;

/// When a search ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Smallest change of the energy, as a share of it.
    pub(crate) energy: f64,
    /// Force below which all is at rest, in force units.
    pub(crate) force: f64,
    pub(crate) iterations: i64,
    pub(crate) evaluations: i64,
}

/// Why a search ended, in LAMMPS's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    MaxIterations,
    MaxEvaluations,
    EnergyTolerance,
    ForceTolerance,
    NotDownhill,
    ZeroAlpha,
    ZeroForce,
    ZeroQuadratic,
    WallTime,
    Uphill,
    /// Forces have not become smaller for long, as they may not where pairs are fp32 numbers.
    RoundOff,
}

impl Stop {
    fn text(self) -> &'static str {
        match self {
            Stop::MaxIterations => "max iterations",
            Stop::MaxEvaluations => "max force evaluations",
            Stop::EnergyTolerance => "energy tolerance",
            Stop::ForceTolerance => "force tolerance",
            Stop::NotDownhill => "search direction is not downhill",
            Stop::ZeroAlpha => "linesearch alpha is zero",
            Stop::ZeroForce => "forces are zero",
            Stop::ZeroQuadratic => "quadratic factors are zero",
            Stop::WallTime => "walltime limit reached",
            Stop::Uphill => "max iterations with v.f negative",
            Stop::RoundOff => "forces become no smaller",
        }
    }
}

/// Energy and forces when a search began and ended.
struct Ends {
    energy: f64,
    two_norm: f64,
    largest: f64,
}

impl Ends {
    fn of(landscape: &Landscape<'_>) -> Self {
        Ends {
            energy: landscape.energy,
            two_norm: landscape.force_squared(Norm::Two).sqrt(),
            largest: landscape.force_squared(Norm::Inf).sqrt(),
        }
    }
}

pub(crate) fn carry_out(session: &mut Session, limits: Limits) -> Result<()> {
    if session.clock.halted {
        return Ok(());
    }
    let first = session.clock.step;
    let last = first.checked_add(limits.iterations).ok_or_else(|| Error::new("too many iterations"))?;
    let settings = session.minimize.clone();
    let relaxation = session.fixes.iter().find_map(|fix| crate::fixes::box_relax::relaxation(&**fix));
    if let Some(relaxation) = relaxation {
        if !settings.goes_along_lines() {
            let message = "fix box/relax needs a minimization along lines";
            return Err(Error::new(message).help("write `min_style cg` or `min_style sd`"));
        }
        let strains = relaxation.freedom();
        let text =
            format!("Energies of the minimization include that of the box, which has {strains} strains");
        session.output.log.line(&text);
    }
    let (dt, schedule) = (session.clock.dt, session.neighbor.clone());
    (session.neighbor.every, session.neighbor.delay, session.neighbor.check) = (1, 0, true);
    let atoms = session.atom_count();
    (session.clock.run_start, session.clock.span) = (first, [first, last]);
    let flow = session.fixes.iter().find_map(|fix| fix.box_rate(session, [first, last])).unwrap_or_default();
    session.system.domain.iter_mut().for_each(|domain| domain.flow = flow);
    let done = (|| {
        let mut simulation = setup::setup(session, true)?;
        let gpu = simulation.atoms.context.gpu.clone();
        simulation.course = course(session, &simulation, last, [first, last])?;
        let lines = settings.goes_along_lines();
        if !lines {
            // Their motion begins at rest, and so do the first row and forces that follow velocities, as in LAMMPS.
            simulation.rest()?;
        }
        let hooks = FixRunner::begin_minimization(session, &mut simulation, [first, last])?;
        if settings.style == Style::Fire {
            let text = settings.damped.describe(settings.dmax);
            session.output.log.line(&text);
        }
        let vectors = Vectors::new(&mut simulation, lines, landscape::boxes_change(session))?;
        let mut output = Output::new(session, &simulation, atoms, [first, last])?;
        output.begin(session, &mut simulation, true)?;
        let progress = Progress::new(first, last, session.output.log.has_screen());
        gpu.take_records()?;
        gpu.end_helpers();
        let clocks = Clocks::start();
        simulation.course.clock = Some(clocks.began());
        let mut landscape = Landscape::new(session, (simulation, vectors), hooks, output, progress)?;
        let before = Ends::of(&landscape);
        let first = landscape.force();
        let mut stop = search(&mut landscape, &settings, limits)?;
        if landscape.may_refine(stop, limits) {
            clocks.leave_out(&gpu, || landscape.refine())?;
            landscape.go_on(&clocks)?;
            landscape.session.clock.dt = dt;
            stop = search(&mut landscape, &settings, limits)?;
        }
        if stop != Stop::MaxIterations {
            landscape.evaluate()?;
            landscape.evaluations -= 1; // as LAMMPS counts
            landscape.write(true)?;
        }
        let after = Ends::of(&landscape);
        let stats = stats(&landscape, stop, &before, &after);
        let warning = round_off(&landscape, stop, first, limits);
        landscape.close(stats, &clocks)?;
        warning.iter().for_each(|text| session.output.log.line(text));
        Ok(())
    })();
    session.clock.dt = dt;
    session.neighbor = schedule;
    session.clock.run_start = session.clock.step;
    done
}

/// Searches from where the atoms are, at rest.
fn search(landscape: &mut Landscape<'_>, settings: &Settings, limits: Limits) -> Result<Stop> {
    match settings.style {
        Style::ConjugateGradient => descent::search(landscape, settings, limits, true),
        Style::SteepestDescent => descent::search(landscape, settings, limits, false),
        Style::Fire => damped::fire(landscape, settings, limits),
        Style::QuickMin => damped::quickmin(landscape, settings, limits),
    }
}

/// The block "Minimization stats:" of the log.
fn stats(landscape: &Landscape<'_>, stop: Stop, before: &Ends, after: &Ends) -> String {
    let wide = |x: f64| format!("{:>18}", g(x, 15));
    let eight = |x: f64| g(x, 8);
    format!(
        "Minimization stats:\n  Stopping criterion = {}\n  Energy initial, next-to-last, final = \n    {} {} {}\n  \
         Force two-norm initial, final = {} {}\n  Force max component initial, final = {} {}\n  \
         Final line search alpha, max atom move = {} {}\n  Iterations, force evaluations = {} {}\n",
        stop.text(),
        wide(before.energy),
        wide(landscape.previous_energy),
        wide(after.energy),
        eight(before.two_norm),
        eight(after.two_norm),
        eight(before.largest),
        eight(after.largest),
        eight(landscape.alpha),
        eight(landscape.alpha * after.largest),
        landscape.iterations,
        landscape.evaluations,
    )
}

/// A force norm that may be round-off, as a share of that at the beginning.
const SMALL: f64 = 0.01;

/// What to say where pair forces are fp32 numbers, and a search goes on without coming nearer to the force that it is to end at: no step along
/// a line lowers the energy near a minimum, or forces have not become smaller for half of the iterations.
fn round_off(landscape: &Landscape<'_>, stop: Stop, first: f64, limits: Limits) -> Option<String> {
    let ends = match stop {
        Stop::ZeroAlpha => landscape.iterations > 0 && landscape.force() < SMALL * first,
        Stop::MaxIterations | Stop::MaxEvaluations => landscape.stands_still(),
        _ => false,
    };
    (ends && landscape.is_above(limits) && !landscape.has_wide_pairs()).then(|| {
        let (force, limit) = (g(landscape.force(), 3), g(limits.force, 3));
        format!(
            "WARNING: minimize: the force norm stays at {force}, above {limit}, maybe as pair forces are fp32 numbers here\n  \
             take a larger ftol, or -precision double"
        )
    })
}

/// Whether the script's time or the user's patience is over.
fn ending(session: &Session) -> bool {
    signals::interrupted() || session.timed_out()
}
