//! What a run leaves on the device: its atoms, and all else for a run that goes on with it (`run ... pre no`).

use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::simulation::Simulation;
use crate::session::Session;

/// What a run has left on the device.
pub(super) enum Left {
    /// The atoms, and their tallies of energy and virial, where the last step had some.
    Atoms(Box<DeviceAtoms>, Option<Floats>),
    /// All of it, so that a run can go on.
    Simulation(Box<Simulation>),
}

impl Session {
    /// The atoms on the device, where they are newest there.
    pub fn resident(&self) -> Option<&DeviceAtoms> {
        match self.device.left.as_ref()? {
            Left::Atoms(atoms, _) => Some(atoms),
            Left::Simulation(simulation) => Some(&simulation.atoms),
        }
    }

    /// Takes the device's copy of the atoms, if it is current.
    pub fn take_resident(&mut self) -> Option<DeviceAtoms> {
        match self.device.left.take()? {
            Left::Atoms(atoms, _) => Some(*atoms),
            Left::Simulation(simulation) => Some(simulation.atoms),
        }
    }

    /// Leaves the device's copy as the newest; `atoms` follows when somebody asks. With it the tallies of
    /// [`crate::engine::step::StepKernels::tally`], where they are up to date.
    pub fn set_resident(&mut self, resident: DeviceAtoms, tally: Option<Floats>) {
        self.device.left = Some(Left::Atoms(Box::new(resident), tally));
    }

    /// Leaves all that a run has made, so that another can go on with it, until something changes.
    pub fn leave_simulation(&mut self, simulation: Simulation) {
        self.device.left = Some(Left::Simulation(Box::new(simulation)));
    }

    /// Whether nothing has changed since the last run, so that another could go on with it.
    pub fn has_simulation(&self) -> bool {
        matches!(self.device.left, Some(Left::Simulation(_)))
    }

    /// Takes what the last run has made, where nothing has changed since.
    pub fn take_simulation(&mut self) -> Option<Simulation> {
        match self.device.left.take() {
            Some(Left::Simulation(simulation)) => Some(*simulation),
            other => {
                self.device.left = other;
                None
            }
        }
    }

    /// Keeps of what the last run has made the atoms only: the next run is to be set up anew.
    pub fn let_go_of_simulation(&mut self) {
        if let Some(simulation) = self.take_simulation() {
            let tally = simulation.tallied.then_some(simulation.step_kernels.tally);
            self.set_resident(simulation.atoms, tally);
        }
    }

    /// Energies and virials of the atoms on the device at the end of the last run.
    pub fn tally(&self) -> Option<&Floats> {
        match self.device.left.as_ref()? {
            Left::Atoms(_, tally) => tally.as_ref(),
            Left::Simulation(simulation) => simulation.tallied.then_some(&simulation.step_kernels.tally),
        }
    }
}
