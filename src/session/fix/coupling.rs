//! A fix's part of every step that needs the whole system, where the device does it (cl/step/coupling.cl).
//!
//! By default such a part is the host's (`HostFix::end_of_step`, `HostFix::before_step`), for which the device waits at each
//! step. A fix whose part is some sums over atoms and what follows from them can hand it to the device: then nothing
//! waits, and the host looks at what came of it, and at the box, where it looks at the system anyway. So can one that goes on with sets of atoms,
//! each by itself.

use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::fix_program::AtomSets;

use super::{Fix, FixContext};
use crate::base::error::Result;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;

/// What a fix supplies for that, besides the functions of its atoms, which find the numbers that it remembers where
/// `memory` of `Here` points to.
pub trait DeviceCoupling {
    /// Whether the device can do it for what the script says now.
    fn fits(&self, session: &Session) -> bool;

    /// Says whether the device does it in the run that is being set up; `DeviceFix::hooks` and `DeviceFix::parameters` follow.
    fn hand_over(&self, to_device: bool);

    /// Whether the device does it.
    fn handed_over(&self) -> bool;

    /// The functions.
    fn functions(&self) -> CouplingFunctions;

    /// What it remembers, always as many numbers.
    fn numbers(&self) -> Vec<f64>;

    /// Where it goes on with sets of atoms, each by itself: these sets.
    fn sets(&self) -> Option<AtomSets> {
        None
    }

    /// Takes what it remembers at the current step.
    ///
    /// # Errors
    /// When the device could not go on with what it found.
    fn take(&self, numbers: &[f64], context: &FixContext<'_>) -> Result<()>;

    /// Keeps what it remembers in the midst of a step, for [`numbers`](Self::numbers), where there is more to it than is taken.
    fn keep(&self, _numbers: Vec<f64>) {}
}

/// The place of the fix whose part the device does, where that is `possible` (it has fp64): where it could do those of
/// several fixes, each has to see what those before it have done, so they are the host's, as are those that go on with sets of atoms beside one
/// that does not.
pub fn hand_over(fixes: &[Box<dyn Fix>], session: &Session, possible: bool) -> Option<usize> {
    let chosen = chosen(fixes, session, possible);
    parts(fixes).for_each(|(place, part)| part.hand_over(chosen == Some(place)));
    chosen
}

/// The same, before anything is handed over.
pub fn chosen(fixes: &[Box<dyn Fix>], session: &Session, possible: bool) -> Option<usize> {
    let fitting = parts(fixes).filter(|(_, part)| possible && part.fits(session));
    let (of_sets, whole): (Vec<_>, Vec<_>) = fitting.partition(|(_, part)| part.functions().slot.is_some());
    match if whole.is_empty() { of_sets } else { whole }[..] {
        [(place, _)] => Some(place),
        _ => None,
    }
}

/// The fixes with such a part, and where they are.
fn parts(fixes: &[Box<dyn Fix>]) -> impl Iterator<Item = (usize, &dyn DeviceCoupling)> {
    fixes.iter().enumerate().filter_map(|(place, fix)| Some((place, fix.coupling()?)))
}

/// The functions of what the device would do.
pub fn functions(fixes: &[Box<dyn Fix>], session: &Session, possible: bool) -> Option<CouplingFunctions> {
    chosen(fixes, session, possible).and_then(|place| fixes[place].coupling()).map(DeviceCoupling::functions)
}

/// The part of a fix that the device does.
pub fn on_device(fix: &dyn Fix) -> Option<&dyn DeviceCoupling> {
    fix.coupling().filter(|part| part.handed_over())
}

/// Whether the device does that with sets of atoms, each by itself.
pub fn is_of_sets(fix: &dyn Fix) -> bool {
    on_device(fix).is_some_and(|part| part.functions().slot.is_some())
}

/// Whether values of the fix `id` are asked for in the midst of steps, at whatever remove: by a variable that some fix names, by one that chooses a
/// group, or by one that changes coefficients or factors. There the host does not know what the device remembers.
pub fn is_asked_amid(session: &Session, id: &str) -> bool {
    let adapts = session.force_field.has_variable_factors()
        || !session.system.groups.dynamic.is_empty()
        || session.fixes.iter().any(|fix| fix.changed_parameters().is_some());
    // Which of the variables these are does not matter much.
    let whole = |id: &str| Reference { kind: Kind::Variable, id: id.to_owned(), index: Vec::new() };
    let mut open: Vec<Reference> = match adapts {
        true => session.script.variables.styles().map(|(name, _)| whole(name)).collect(),
        false => session.script.named_variables.references(),
    };
    let mut seen = Vec::new();
    while let Some(Reference { kind, id: other, .. }) = open.pop() {
        if seen.contains(&(kind, other.clone())) {
            continue;
        }
        match kind {
            Kind::Fix if other == id => return true,
            Kind::Fix => {}
            Kind::Compute => {
                open.extend(session.computes.get(&other).map(|compute| compute.inputs()).unwrap_or_default());
            }
            Kind::Variable => open.extend(session.script.variables.asks(&other).1),
        }
        seen.push((kind, other));
    }
    false
}
