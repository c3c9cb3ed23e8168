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
            let measured = match self.simulation {
                Some(run) if run.tallied => self.measure(run)?,
                Some(_) => return Err(no_energies()),
                None => self.remembered()?,
            };
            let _ = self.observables.set(measured);
        }
        Ok(self.observables.get().expect("set above"))
    }

    /// The last row, which formulas between runs know while the step is still the same, as in LAMMPS.
    pub(super) fn last_row(&self) -> Option<&Observables> {
        let row = self.session.output.last_row.as_ref();
        row.filter(|row| self.simulation.is_none() && row.step == self.session.clock.step)
    }

    /// The last row, per atom by those that there are now. The commands of `run ... every` see how atoms move now, beside the forces of the row.
    fn remembered(&self) -> Result<Observables> {
        let mut row = self.last_row().ok_or_else(no_energies)?.clone();
        row.atoms = self.session.atom_count() as u64;
        if self.session.clock.amid.is_some() && !self.session.has_simulation() {
            let Thermal { tensor, freedom } = self.thermal(&self.session.output.thermo.temperature, None)?;
            (row.kinetic, row.freedom) = (tensor, freedom);
            row.pressure_parts = self.pressure_parts(None)?;
        }
        Ok(row)
    }

    /// The thermal motion that a compute measures. That of all atoms may be known.
    fn thermal(&self, id: &str, known: Option<[f64; 6]>) -> Result<Thermal> {
        let compute = self.compute(id)?;
        let Some(temperature) = compute.temperature() else {
            return Err(Error::new(format!("compute {id} does not measure a temperature")));
        };
        match (compute.header(), known) {
            (Header { style: "temp", group: 1, .. }, Some(tensor)) => {
                Ok(Thermal { tensor, freedom: temperature.freedom(self)? })
            }
            _ => temperature.thermal(self),
        }
    }

    /// What the pressure of thermo output is made of. The thermal motion of all atoms may be known.
    fn pressure_parts(&self, known: Option<[f64; 6]>) -> Result<PressureParts> {
        let id = &self.session.output.thermo.pressure;
        let pressure = crate::session::compute::Pressure::of(self.compute(id)?);
        let pressure =
            pressure.ok_or_else(|| Error::new(format!("compute {id} does not measure pressure")))?;
        let mut kinetic = match &pressure.temperature {
            Some(id) if pressure.kinetic => self.thermal(id, known)?.tensor,
            _ => [0.0; 6],
        };
        pressure.set_bonds_apart(self, &mut kinetic)?;
        Ok(PressureParts { kinetic, pair: pressure.pair, fix: pressure.fix })
    }

    /// The mass of all atoms; types without one have none.
    pub(super) fn mass_of_all(&self) -> Result<f64> {
        if let Some(run) = self.simulation {
            if run.course.mass.get().0 != run.atoms.n {
                run.course.mass.set((run.atoms.n, census(self.session, run)?.1));
            }
            return Ok(run.course.mass.get().1);
        }
        let masses = &self.session.system.mass;
        let counts = self.count_by_type(1)?;
        Ok(masses.iter().zip(counts).map(|(mass, count)| mass.unwrap_or(0.0) * count).sum())
    }

    fn measure(&self, simulation: &Simulation) -> Result<Observables> {
        let (session, course) = (self.session, &simulation.course);
        let sums = simulation.sums()?;
        let domain = &simulation.domain;
        let volume = domain.volume(session.system.dimension);
        // That of all atoms has been measured with the other sums.
        let known = Some(sums.kinetic);
        let Thermal { tensor: kinetic, freedom } = self.thermal(&session.output.thermo.temperature, known)?;
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
            pressure_parts: self.pressure_parts(known)?,
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
            mass: self.mass_of_all()?,
            spacing: lattice::spacing(session.system.lattice.as_ref()),
            builds: simulation.neighbor.builds(),
            dangerous: simulation.neighbor.dangerous,
        })
    }
}
