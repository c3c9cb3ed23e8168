//! Another set-up of a run that goes on: in a box that has outgrown its cells, with other atoms, or in another precision.

use super::{Ready, lists, simulate};
use crate::base::error::Result;
use crate::engine::kernels::Context;
use crate::engine::simulation::{Simulation, SimulationSpec};
use crate::gpu::options::Precision;
use crate::model::atoms::{Atoms, ById};
use crate::session::Session;

/// The same run at the same moment in programs and buffers for the box as it is now. The forces stay as the fixes have
/// left them.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn rebuild_simulation(session: &Session, old: &Simulation, minimizing: bool) -> Result<Simulation> {
    let atoms = old.atoms.download(&session.system.host_atoms)?;
    let force: ById<[f64; 3]> = atoms.tag.iter().copied().zip(old.atoms.forces()?).collect();
    let simulation = continued(session, old, &atoms, minimizing, None)?;
    let atoms = simulation.atoms.download(&session.system.host_atoms)?;
    let force: Vec<[f64; 3]> =
        atoms.tag.iter().map(|&tag| force.get(tag).copied().unwrap_or_default()).collect();
    simulation.atoms.set_forces(&force)?;
    Ok(simulation)
}

/// The same where positions have moved in this step: with their forces.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn with_moved_atoms(session: &Session, old: &Simulation) -> Result<Simulation> {
    let atoms = old.atoms.download(&session.system.host_atoms)?;
    continued(session, old, &atoms, false, None)
}

/// A minimization at the same moment in another precision, with kernels as shipped for that.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn in_precision(session: &Session, old: &Simulation, precision: Precision) -> Result<Simulation> {
    let atoms = old.atoms.download(&session.system.host_atoms)?;
    continued(session, old, &atoms, true, Some(precision))
}

/// The same run at the same moment with the atoms that the state has on the host now, and with their forces. Cells and
/// units stay as they were, so that no program is built, until there are many more or many less atoms.
///
/// # Errors
/// When no atoms are left, or the device fails or lacks memory.
pub fn with_other_atoms(session: &mut Session, old: &Simulation) -> Result<Simulation> {
    let atoms = session.system.host_atoms.len();
    let planned = old.layout.atoms;
    session.device.layout = (planned <= 2 * atoms && atoms <= 2 * planned).then(|| old.layout.clone());
    let simulation = continued(session, old, &session.system.host_atoms, false, None);
    session.device.layout = None;
    simulation
}

/// Set up anew, with these atoms, maybe in another precision.
fn continued(
    session: &Session,
    old: &Simulation,
    atoms: &Atoms,
    minimizing: bool,
    other: Option<Precision>,
) -> Result<Simulation> {
    let Context { gpu, numerics, shape, .. } = old.atoms.context.clone();
    let shape = session.device.shape.as_ref().map_or(shape, |(chosen, _)| *chosen);
    let (precision, domain) = (other.unwrap_or(numerics.precision), old.domain.clone());
    let skin = old.neighbor.skin();
    let lists = lists::choose(session, &gpu, &domain, skin, atoms, |thin| Ok(thin(&atoms.x)))?;
    let ready = Ready::new(session, gpu, precision, domain, skin, lists, minimizing)?;
    // Shares that were to come with the next rebuild come with this one.
    let cuts = old.cuts();
    let mut simulation = ready.with_spec(session, |spec| {
        let spec = &SimulationSpec { cuts: cuts.as_ref(), ..*spec };
        let shape = match other {
            Some(_) => {
                shape.rules.shape(spec.context(&ready.gpu, precision, &ready.domain, atoms.len()).shape)
            }
            None => spec.fit(shape, ready.gpu.common(), precision, &ready.domain, atoms.len()),
        };
        simulate(spec, &ready, shape, None, atoms)
    })?;
    simulation.course = old.course.clone();
    simulation.step_kernels.count_on(&old.step_kernels)?;
    simulation.neighbor.continue_from(&old.neighbor, old.neighbor.check_bonds(&old.atoms)?);
    if old.atoms.dense()? {
        simulation.atoms.note_dense()?;
    }
    Ok(simulation)
}
