//! What thermo output is made from, measured at a moment of a run when somebody asks for it.

use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::engine::simulation::{RunProgress, Simulation};
use crate::gpu::record::Section;
use crate::model::lattice;
use crate::session::Session;
use crate::session::compute::style::Header;
use crate::session::compute::{Thermal, no_energies};
use crate::session::thermo::{Observables, PressureParts};
use std::cell::Cell;

/// Number of atoms per type, and their mass in all.
fn census(session: &Session, simulation: &Simulation) -> Result<(Vec<u64>, f64)> {
    let mut counts = vec![0u64; session.types()];
    let kinds = simulation.atoms.arrays.kind.read(Section::Output, 0..simulation.atoms.n)?;
    kinds.iter().for_each(|&kind| counts[kind as usize - 1] += 1);
    let mass = session.system.mass.iter().zip(&counts).map(|(m, &n)| m.unwrap_or(0.0) * n as f64).sum();
    Ok((counts, mass))
}

/// Tail corrections of the energy times the volume, and of the pressure, in energy per volume, times its square.
///
/// # Errors
/// When coefficients are missing or the device fails.
pub fn tail(session: &Session, simulation: &Simulation) -> Result<(f64, f64)> {
    let Some(pair) = &session.force_field.pair else { return Ok((0.0, 0.0)) };
    let resolved = pair.resolve()?;
    if !resolved.parts.iter().any(|part| part.tail) {
        return Ok((0.0, 0.0));
    }
    Ok(resolved.tail(&census(session, simulation)?.0, 1.0))
}

/// What fixes add to the virial.
fn fix_virial(session: &Session) -> [f64; 6] {
    session.fixes.iter().fold([0.0; 6], |sum, fix| {
        let virial = fix.virial();
        std::array::from_fn(|k| sum[k] + virial[k])
    })
}

/// The course of a run up to the step `last`, as a part of a longer span of steps.
///
/// # Errors
/// When the device fails.
pub fn course(session: &Session, simulation: &Simulation, last: i64, span: [i64; 2]) -> Result<RunProgress> {
    let (_, mass) = census(session, simulation)?;
    let tail = tail(session, simulation)?;
    Ok(RunProgress { last, span, clock: None, tail, mass: Cell::new((simulation.atoms.n, mass)) })
}

impl Snapshot<'_> {
    /// What thermo output is made from: of a step that has tallied energies, or between runs of the last row.
    ///
    /// # Errors
    /// When energies are not known at this moment, or the device fails.
    pub fn measured(&self) -> Result<&Observables> {
        if self.observables.get().is_none() {
            let simulation = self.simulation.filter(|run| run.tallied).ok_or_else(no_energies)?;
            let _ = self.observables.set(self.measure(simulation)?);
        }
        Ok(self.observables.get().expect("set above"))
    }

    fn measure(&self, simulation: &Simulation) -> Result<Observables> {
        let (session, course) = (self.session, &simulation.course);
        let sums = simulation.sums()?;
        if course.mass.get().0 != simulation.atoms.n {
            course.mass.set((simulation.atoms.n, census(session, simulation)?.1));
        }
        let domain = &simulation.domain;
        let volume = domain.volume(session.system.dimension);
        let thermal = |id: &str| -> Result<Thermal> {
            let compute = self.compute(id)?;
            let Some(temperature) = compute.temperature() else {
                return Err(Error::new(format!("compute {id} does not measure a temperature")));
            };
            // That of all atoms has been measured with the other sums.
            match compute.header() {
                Header { style: "temp", group: 1, .. } => {
                    Ok(Thermal { tensor: sums.kinetic, freedom: temperature.freedom(self)? })
                }
                _ => temperature.thermal(self),
            }
        };
        let Thermal { tensor: kinetic, freedom } = thermal(&session.output.thermo.temperature)?;
        let id = &session.output.thermo.pressure;
        let pressure = crate::session::compute::Pressure::of(self.compute(id)?);
        let pressure =
            pressure.ok_or_else(|| Error::new(format!("compute {id} does not measure pressure")))?;
        let mut pressure_kinetic = match &pressure.temperature {
            Some(id) if pressure.kinetic => thermal(id)?.tensor,
            _ => [0.0; 6],
        };
        pressure.set_bonds_apart(self, &mut pressure_kinetic)?;
        Ok(Observables {
            step: session.clock.step,
            first_step: session.clock.run_start,
            last_step: course.last,
            span: course.span,
            dt: session.clock.dt,
            time: session.time_at(session.clock.step),
            cpu: course.clock.map_or(0.0, |clock| ranks::of_first(clock.elapsed().as_secs_f64())),
            time_left: session.time_left(),
            atoms: simulation.atoms.n as u64,
            freedom,
            dimension: session.system.dimension,
            lo: domain.lo,
            hi: domain.hi,
            tilt: domain.tilt,
            general: domain.general.filter(|_| session.output.thermo.general),
            kinetic,
            pressure_parts: PressureParts {
                kinetic: pressure_kinetic,
                pair: pressure.pair,
                fix: pressure.fix,
            },
            pair_energy: sums.energy,
            coulomb_energy: sums.coulomb_energy,
            fix_energy: session.fixes.iter().map(|fix| fix.potential_energy(self)).sum(),
            fix_virial: fix_virial(session),
            bond_energy: sums.bond_energy,
            bonds: session.system.topology.bonds.len() as u64,
            virial: sums.virial,
            tail_energy: course.tail.0 / volume,
            coupled_energy: session.fixes.iter().map(|fix| fix.coupled_energy(self)).sum(),
            tail_pressure: course.tail.1 / (volume * volume) * session.system.units.nktv2p,
            mass: course.mass.get().1,
            spacing: lattice::spacing(session.system.lattice.as_ref()),
            builds: simulation.neighbor.builds(),
            dangerous: simulation.neighbor.dangerous,
        })
    }
}
