//! A fix's part of every step that needs the whole system, where the device does it (cl/step/coupling.cl).
//!
//! By default such a part is the host's (`HostFix::end_of_step`, `HostFix::before_step`), for which the device waits at each
//! step. A fix whose part is some sums over atoms and what follows from them can hand it to the device: then nothing
//! waits, and the host looks at what came of it, and at the box, where it looks at the system anyway.

use crate::engine::step::coupling_functions::CouplingFunctions;

use super::{Fix, FixContext};
use crate::base::error::Result;
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

    /// Takes what it remembers at the current step.
    ///
    /// # Errors
    /// When the device could not go on with what it found.
    fn take(&self, numbers: &[f64], context: &FixContext<'_>) -> Result<()>;
}

/// The place of the fix whose part the device does, where that is `possible` (it has fp64): where it could do those of
/// several fixes, each has to see what those before it have done, so they are the host's.
pub fn hand_over(fixes: &[Box<dyn Fix>], session: &Session, possible: bool) -> Option<usize> {
    let chosen = chosen(fixes, session, possible);
    parts(fixes).for_each(|(place, part)| part.hand_over(chosen == Some(place)));
    chosen
}

/// The same, before anything is handed over.
pub fn chosen(fixes: &[Box<dyn Fix>], session: &Session, possible: bool) -> Option<usize> {
    let mut fitting = parts(fixes).filter(|(_, part)| possible && part.fits(session));
    let first = fitting.next()?;
    if fitting.next().is_none() { Some(first.0) } else { None }
}

/// The fixes with such a part, and where they are.
fn parts(fixes: &[Box<dyn Fix>]) -> impl Iterator<Item = (usize, &dyn DeviceCoupling)> {
    fixes.iter().enumerate().filter_map(|(place, fix)| Some((place, fix.coupling()?)))
}

/// Whether the device would move the box.
pub fn moves_box(fixes: &[Box<dyn Fix>], session: &Session, possible: bool) -> bool {
    chosen(fixes, session, possible)
        .and_then(|place| fixes[place].coupling())
        .is_some_and(|part| part.functions().moves_box)
}

/// The part of a fix that the device does.
pub fn on_device(fix: &dyn Fix) -> Option<&dyn DeviceCoupling> {
    fix.coupling().filter(|part| part.handed_over())
}
