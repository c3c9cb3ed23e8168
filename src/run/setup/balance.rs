//! `balance`: shares of as much work each, from the set-up of the next run on.

use crate::base::error::Result;
use crate::base::format::g;
use crate::engine::simulation::Simulation;
use crate::session::Session;

/// Has ranks share the atoms out as the script has asked since the last run, where that makes a difference.
pub(super) fn balance(session: &mut Session, simulation: &mut Simulation) -> Result<()> {
    let Some(asked) = session.sharing.balance.take() else { return Ok(()) };
    if simulation.neighbor.shares.is_none() {
        return Ok(());
    }
    let (before, moves) = simulation.balance(&asked.work, asked.threshold)?;
    let line = if moves {
        simulation.share_anew()?;
        let after = simulation.imbalance(&asked.work)?;
        format!(
            "Shares of the ranks: imbalance factor {} before, {} after (largest work of a rank over its due)",
            g(before, 4),
            g(after, 4)
        )
    } else {
        format!(
            "Shares of the ranks stay: imbalance factor {} (largest work of a rank over its due)",
            g(before, 4)
        )
    };
    session.output.log.line(&line);
    Ok(())
}
