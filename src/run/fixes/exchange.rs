//! Atoms that come and go during a run, and the run that is set up anew for them or for a box that has outgrown it.

use super::FixRunner;
use crate::base::error::Result;
use crate::engine::simulation::Simulation;
use crate::fixes::adapt;
use crate::run::setup;
use crate::session::fix::BondLists;
use crate::session::fix::coupling::on_device;
use crate::session::fix::error::of;
use crate::session::{Session, bonded};
use std::collections::HashSet;

impl FixRunner {
    /// Positions have moved in the current step: fixes add and remove atoms, then lists and forces follow, with tallies.
    /// Returns the run with its new atoms, and by how many they are more.
    ///
    /// # Errors
    /// When no atoms are left, something that a fix needs is gone, or the device fails.
    pub fn exchange(&self, session: &mut Session, mut simulation: Simulation) -> Result<(Simulation, i64)> {
        let mut atoms = simulation.atoms.download(&session.system.host_atoms)?;
        let mut old: HashSet<u32> = atoms.tag.iter().copied().collect();
        let (first, mut changed) = (atoms.len(), false);
        let mut bonds = BondLists { old: session.system.topology.bonds.clone(), new: Vec::new() };
        for fix in session
            .fixes
            .iter()
            .filter(|fix| fix.next_exchange(session.clock.step - 1) == Some(session.clock.step))
        {
            let mut context = self.context(session, &mut simulation);
            let new =
                fix.exchange(&mut context, &mut atoms, &mut bonds).map_err(|error| of(&**fix, error))?;
            changed |= new;
            if new {
                // A fix after it may give their IDs to others.
                let there: HashSet<u32> = atoms.tag.iter().copied().collect();
                old.retain(|tag| there.contains(tag));
            }
        }
        self.recall(session, &mut simulation)?;
        let new: Vec<usize> = (0..atoms.len()).filter(|&i| !old.contains(&atoms.tag[i])).collect();
        let more = atoms.len() as i64 - first as i64;
        if !changed {
            match simulation.outgrows()? {
                true => simulation = setup::with_moved_atoms(session, &simulation)?,
                false => simulation.rebuild()?,
            }
            simulation.tallied_forces()?;
        } else {
            session.system.topology.bonds = bonds.old;
            if !new.is_empty() {
                let new = atoms.select(&new);
                session.system.topology.let_go_of(&new.tag);
                session.computes.iter_mut().for_each(|compute| compute.atoms_added(&new));
                for fix in &mut session.fixes {
                    fix.atoms_added(&new).map_err(|error| of(&**fix, error))?;
                }
            }
            session.system.host_atoms = atoms;
            adapt::again(session)?;
            session.system.topology.bonds.extend(bonds.new);
            session.system.topology.bonds =
                session.system.topology.bonds_among(&session.system.host_atoms, 1);
            simulation = setup::with_other_atoms(session, &simulation)?;
        }
        self.refresh(session, &mut simulation)?;
        Ok((simulation, more))
    }

    /// Has the fix whose part of each step is the device's remember what it does in the middle of a step, so that another
    /// set-up of the run goes on with that.
    fn recall(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        for fix in &session.fixes {
            if let Some(part) = on_device(&**fix) {
                let numbers = simulation.step_kernels.feedback()?;
                part.take(&numbers, &self.context(session, simulation)).map_err(|error| of(&**fix, error))?;
                part.keep(numbers);
            }
        }
        Ok(())
    }

    /// Positions have moved in the current step, in a box that has outgrown cells and units: the run is set up anew for it,
    /// with forces and tallies.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn rebuild_simulation(&self, session: &Session, mut simulation: Simulation) -> Result<Simulation> {
        self.recall(session, &mut simulation)?;
        let mut simulation = setup::with_moved_atoms(session, &simulation)?;
        self.refresh(session, &mut simulation)?;
        Ok(simulation)
    }

    /// Positions have moved in the current step, and some bond is too long: the run is set up anew without those that are, with forces and
    /// tallies.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn let_bonds_snap(&self, session: &mut Session, mut simulation: Simulation) -> Result<Simulation> {
        session.system.host_atoms = simulation.atoms.download(&session.system.host_atoms)?;
        self.recall(session, &mut simulation)?;
        bonded::let_snap(session, &simulation.domain)?;
        adapt::again(session)?;
        let mut simulation = setup::with_other_atoms(session, &simulation)?;
        self.refresh(session, &mut simulation)?;
        Ok(simulation)
    }

    /// Lists and forces as a run finds them that goes on from the restart file of this step. They need not be the step's:
    /// fixes may have moved atoms or faces since, and forces that follow velocities saw those in the middle of the step.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or as the fixes'.
    pub fn begin_anew(&self, session: &mut Session, mut simulation: Simulation) -> Result<Simulation> {
        if simulation.step_kernels.snaps {
            simulation = self.let_bonds_snap(session, simulation)?;
        } else if simulation.outgrows()? {
            simulation = self.rebuild_simulation(session, simulation)?;
        } else {
            simulation.divide_anew()?;
            simulation.tallied_forces()?;
        }
        self.change_forces(session, &mut simulation)?;
        Ok(simulation)
    }
}
