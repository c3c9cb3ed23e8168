//! `fix ID GROUP adapt N pair STYLE PARAMETER I J v_NAME ...`: parameters of pair styles, of bonds (`bond STYLE PARAMETER TYPE
//! v_NAME`) and charges (`atom charge v_NAME`) follow variables. Source: LAMMPS manual, `fix adapt`.
//!
//! What changes are the script's styles and atoms, in [`Session`], so all this is done to them between two steps, by the run
//! loop: [`begin`], [`change`], [`end`]. The device gets the new numbers ([`Simulation::set_coefficients`] and its like).

mod target;

use crate::base::error::{Error, Result};
use crate::engine::simulation::Simulation;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::fix::error::of;
use crate::session::fix::{ChangedParameters, Fix, FixMemory, Header, HostFix, Quantity, StepContext};
use crate::session::snapshot;
use crate::session::{ForceField, Session};
use std::any::Any;
use std::cell::{Cell, RefCell};
use target::{Key, Places, Target};

/// What follows a variable.
struct Change {
    target: Target,
    value: Quantity,
    /// What the numbers were when the run began.
    original: RefCell<Vec<(Key, f64)>>,
}

/// The fix.
pub struct Adapt {
    header: Header,
    /// Steps between changes; 0: only when a run begins.
    every: i64,
    changes: Vec<Change>,
    /// Whether variables are factors of what the numbers were.
    scale: bool,
    /// Whether numbers are as before when a run has ended.
    reset: bool,
    /// The values of the variables at the last change; none before the first.
    last: RefCell<Vec<f64>>,
    /// It comes from a restart file, with its numbers as they were there, and has not run since.
    resumed: Cell<bool>,
    /// Amid a run. What is written between runs has nothing to remember: the next run begins anew in any case.
    running: Cell<bool>,
}

/// Takes how often, what follows which variable, and the keywords `scale` and `reset`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between changes", 0)?.min(i64::MAX as u64) as i64;
    let (changes, last) = (Vec::new(), RefCell::default());
    let (resumed, running) = Default::default();
    let mut fix = Adapt { header, every, changes, scale: false, reset: false, last, resumed, running };
    while let Some(word) = args.peek() {
        args.word("a keyword")?;
        let target = match &*word.text {
            "pair" => Target::pair(session, word, args)?,
            "bond" => Target::bond(session, word, args)?,
            "atom" => Target::atom(session, fix.header.group, args)?,
            "scale" => {
                fix.scale = args.yes_no()?;
                continue;
            }
            "reset" => {
                fix.reset = args.yes_no()?;
                continue;
            }
            "angle" | "improper" | "kspace" | "mass" => {
                return Err(args.unsupported(word, "keyword of fix adapt").help(
                    "what can follow variables: pair STYLE PARAMETER I J v_NAME, bond STYLE PARAMETER TYPE v_NAME, \
                     atom charge v_NAME",
                ));
            }
            _ => {
                let names = ["pair", "bond", "atom", "scale", "reset"];
                return Err(args.unknown(word, "keyword of fix adapt", names.into_iter()));
            }
        };
        fix.changes.push(Change { target, value: variable(session, args)?, original: RefCell::default() });
    }
    match fix.changes.is_empty() {
        true => Err(args.error_here("fix adapt needs what is to change: pair STYLE PARAMETER I J v_NAME")),
        false => Ok(Box::new(fix)),
    }
}

/// Takes `v_NAME`.
fn variable(session: &Session, args: &mut Args<'_>) -> Result<Quantity> {
    let word = args.peek();
    let value = Quantity::read(session, args, "a variable", 1.0)?;
    match (word, &value) {
        (Some(word), Quantity::Number(_)) => {
            let error = args.error(word, format_args!("'{}' is not a variable", word.text));
            Err(error.label("expected v_NAME of an equal-style variable"))
        }
        _ => Ok(value),
    }
}

impl Change {
    fn apply(&self, places: &mut Places<'_>, value: impl Fn(f64) -> f64) -> Result<()> {
        self.target.set(places, &self.original.borrow(), value)
    }
}

impl Adapt {
    /// Whether it changes parameters of bonds.
    pub fn changes_bonds(&self) -> bool {
        self.changes.iter().any(|change| matches!(change.target, Target::Bond { .. }))
    }

    fn due(&self, step: i64) -> bool {
        self.every > 0 && step % self.every == 0
    }

    fn values(&self, moment: &StepContext<'_>) -> Result<Vec<f64>> {
        self.changes.iter().map(|change| moment.value(&change.value)).collect()
    }

    fn apply(&self, places: &mut Places<'_>, values: &[f64]) -> Result<()> {
        for (change, &value) in self.changes.iter().zip(values) {
            if !value.is_finite() {
                let message = format!("{} would be {value}", change.target.describe());
                return Err(Error::new(message).help("change its variable"));
            }
            change.apply(places, |original| if self.scale { original * value } else { value })?;
        }
        self.last.replace(values.to_vec());
        Ok(())
    }
}

/// A fix as one of this style, where it is.
fn adapt(fix: &dyn Fix) -> Option<&Adapt> {
    (fix as &dyn Any).downcast_ref()
}

fn all(session: &Session) -> impl Iterator<Item = &Adapt> {
    session.fixes.iter().filter_map(|fix| adapt(&**fix))
}

/// Gives the numbers of the fixes that are `due` the values of a step.
fn set(
    session: &mut Session,
    due: impl Fn(&Adapt) -> bool,
    values: impl Fn(&Session, &Adapt) -> Result<Vec<f64>>,
) -> Result<()> {
    let chosen: Vec<_> = all(session)
        .filter(|adapt| due(adapt))
        .map(|adapt| values(session, adapt).map_err(|error| of(adapt, error)))
        .collect::<Result<_>>()?;
    let Session { fixes, force_field: ForceField { pair, bonded, .. }, system, .. } = session;
    let mut places = Places { pair: pair.as_mut(), bonded: bonded.as_mut(), atoms: &mut system.host_atoms };
    let adapts = fixes.iter().filter_map(|fix| adapt(&**fix)).filter(|adapt| due(adapt));
    adapts
        .zip(&chosen)
        .try_for_each(|(adapt, values)| adapt.apply(&mut places, values).map_err(|error| of(adapt, error)))
}

/// Before a run is set up: takes note of the numbers, and gives them the values of the first step. A run without `pre` goes
/// on with both as they are, but for fixes that are new; and so does one that goes on from a restart file.
///
/// # Errors
/// When a style or a parameter is gone, or a variable has no value before the run.
pub fn begin(session: &mut Session, span: [i64; 2], pre: bool) -> Result<()> {
    let begins = |adapt: &Adapt| !adapt.resumed.get() && (pre || adapt.last.borrow().is_empty());
    for adapt in all(session).filter(|adapt| begins(adapt)) {
        for change in &adapt.changes {
            change.original.replace(change.target.values(session).map_err(|error| of(adapt, error))?);
        }
    }
    set(session, begins, |session, adapt| {
        adapt.values(&StepContext::ahead(session, session.clock.step, span))
    })?;
    all(session).for_each(|adapt| {
        adapt.resumed.set(false);
        adapt.running.set(true);
    });
    Ok(())
}

/// Before a run that goes on with what the last one has left: numbers that are as before since are as they were on the way.
///
/// # Errors
/// When a style is gone.
pub fn go_on(session: &mut Session) -> Result<()> {
    all(session).for_each(|adapt| adapt.running.set(true));
    set(session, |adapt| adapt.reset, |_, adapt| Ok(adapt.last.borrow().clone()))
}

/// Before a later frame of a rerun is set up: gives the numbers the values of its step.
///
/// # Errors
/// As [`begin`].
pub fn follow(session: &mut Session, span: [i64; 2]) -> Result<()> {
    set(
        session,
        |_| true,
        |session, adapt| adapt.values(&StepContext::ahead(session, session.clock.step, span)),
    )
}

/// Between two steps: gives the numbers the values of the next one, if any changes there.
///
/// # Errors
/// When a variable has no value or the device fails.
pub fn change(session: &mut Session, simulation: &mut Simulation, span: [i64; 2]) -> Result<()> {
    let next = session.clock.step + 1;
    if !all(session).any(|adapt| adapt.due(next)) {
        return Ok(());
    }
    set(
        session,
        |adapt| adapt.due(next),
        |session, adapt| {
            let ahead = adapt.values(&StepContext::ahead(session, next, span));
            ahead.or_else(|_| adapt.values(&StepContext::now(session, span, simulation).at(next)))
        },
    )?;
    send_pairs(session, simulation)?;
    if let Some(bonded) =
        session.force_field.bonded.as_ref().filter(|_| !session.system.topology.bonds.is_empty())
        && all(session).any(Adapt::changes_bonds)
    {
        simulation.set_bonds(&bonded.resolve(session.system.topology.bond_types)?)?;
    }
    simulation.set_charges(&session.charges())
}

/// Gives the device the numbers of the pair style as they are now.
///
/// # Errors
/// When the device fails.
pub fn send_pairs(session: &Session, simulation: &mut Simulation) -> Result<()> {
    if let Some(pair) = &session.force_field.pair {
        let pair = pair.resolve()?.for_device(
            simulation.atoms.context.gpu.common().shaped_as(),
            session.computes.virials_by_atom(),
        );
        simulation.set_coefficients(&pair.coefficients(true))?;
        simulation.course.tail = snapshot::tail(session, simulation)?;
    }
    Ok(())
}

/// Before a run is set up anew for other atoms, at a step that may be one with a change: these get the same values.
///
/// # Errors
/// When a style is gone.
pub fn again(session: &mut Session) -> Result<()> {
    let step = session.clock.step;
    set(session, |adapt| adapt.due(step), |_, adapt| Ok(adapt.last.borrow().clone()))
}

/// After a run: numbers are as before, where that is wanted.
///
/// # Errors
/// When a style or a parameter is gone.
pub fn end(session: &mut Session) -> Result<()> {
    all(session).for_each(|adapt| adapt.running.set(false));
    let Session { fixes, force_field: ForceField { pair, bonded, .. }, system, .. } = session;
    let mut places = Places { pair: pair.as_mut(), bonded: bonded.as_mut(), atoms: &mut system.host_atoms };
    let adapts = fixes.iter().filter_map(|fix| adapt(&**fix)).filter(|adapt| adapt.reset);
    adapts
        .flat_map(|adapt| &adapt.changes)
        .try_for_each(|change| change.apply(&mut places, |original| original))
}

impl Fix for Adapt {
    fn header(&self) -> &Header {
        &self.header
    }

    fn changed_parameters(&self) -> Option<ChangedParameters> {
        Some(ChangedParameters { bonds: self.changes_bonds() })
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl HostFix for Adapt {
    /// The host takes over before the steps with a change.
    fn next(&self, step: i64) -> Option<i64> {
        (self.every > 0).then(|| crate::base::steps::next_multiple(step + 1, self.every as u64) - 1)
    }
}

impl FixMemory for Adapt {
    /// The values at the last change, and of each change how many numbers there were, with their keys.
    fn restart_state(&self) -> Option<Vec<f64>> {
        let mut numbers = self.last.borrow().clone();
        for change in &self.changes {
            let original = change.original.borrow();
            numbers.push(original.len() as f64);
            numbers.extend(original.iter().flat_map(|([i, j], value)| [*i as f64, *j as f64, *value]));
        }
        self.running.get().then_some(numbers)
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let other = || {
            Error::new("it had other changes when the restart file was written")
                .help("take the same fix, or another ID to begin anew")
        };
        let (last, mut rest) = numbers.split_at_checked(self.changes.len()).ok_or_else(other)?;
        for change in &self.changes {
            let (count, behind) = rest.split_first().ok_or_else(other)?;
            let (these, behind) =
                behind.split_at_checked((*count as usize).saturating_mul(3)).ok_or_else(other)?;
            let number = |three: &[f64]| ([three[0] as usize, three[1] as usize], three[2]);
            change.original.replace(these.chunks_exact(3).map(number).collect());
            rest = behind;
        }
        if !rest.is_empty() {
            return Err(other());
        }
        self.last.replace(last.to_vec());
        self.resumed.set(true);
        Ok(())
    }

    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        for change in &mut self.changes {
            change.target.renumber(change.original.get_mut(), ids);
        }
    }

    /// Atoms that come have charges to follow variables, too.
    fn atoms_added(&mut self, new: &Atoms) -> Result<()> {
        for change in &self.changes {
            change.target.atoms_added(&mut change.original.borrow_mut(), new);
        }
        Ok(())
    }
}
