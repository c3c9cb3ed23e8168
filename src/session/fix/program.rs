//! What the device does of the script's fixes, as the engine wants it.

use super::{Fix, FixSums, StageRow, StepContext, coupling, row};
use crate::base::error::Result;
use crate::engine::step::fix_program::{Coupling, FixProgram};
use crate::model::atoms::rows_by_id;
use crate::session::Session;

/// The programs of all fixes for a run that begins now. Where it is `possible` (the device has fp64, and atoms move by
/// themselves) the device does the part of one fix that needs the whole system ([`coupling`]).
///
/// # Errors
/// When a parameter is out of range or a region is gone: names the fix; or atom IDs have too many holes for a table.
pub fn programs(session: &Session, possible: bool) -> Result<Vec<FixProgram>> {
    let coupled = coupling::hand_over(&session.fixes, session, possible);
    let moment = StepContext::draft(session);
    let program = |(place, fix): (usize, &dyn Fix)| {
        let mut memory = fix.memory().into_owned();
        if fix.device().is_some_and(|device| device.updates_memory()) {
            memory.resize(3 * rows_by_id(&session.system.host_atoms.tag)?, 0.0);
        }
        let StageRow { numbers: parameters, inside, given } = row(fix, &moment)?;
        let coupling = fix.coupling().filter(|_| coupled == Some(place));
        Ok(FixProgram {
            hooks: fix.hooks(),
            group: fix.header().group,
            called: fix.groups(),
            parameters,
            inside,
            given,
            memory,
            sums: fix.measured().map_or(0, FixSums::len),
            minimizes: fix.minimizes(),
            changes_box: fix.changes_box(),
            coupling: coupling.map(|part| Coupling {
                functions: part.functions(),
                numbers: part.numbers(),
                sets: part.sets(),
            }),
        })
    };
    session.fixes.iter().map(|fix| &**fix).enumerate().map(program).collect()
}
