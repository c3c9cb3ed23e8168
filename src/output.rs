//! What a run writes: thermo rows, dumps, the closing lines, the JSON record.

use crate::atoms::Atoms;
use crate::dump::Frame;
use crate::error::{Error, Result};
use crate::script::formula::Lookup;
use crate::simulation::Simulation;
use crate::state::State;
use crate::thermo::Observables;
use crate::timing::{KernelRecord, Report, RunRecord, Section};
use crate::units::Units;
use std::time::Instant;

/// The thermo keywords of one step, for formulas.
struct Keywords<'a> {
    observables: &'a Observables,
    units: &'a Units,
    norm: bool,
}

impl Lookup for Keywords<'_> {
    fn keyword(&self, name: &str) -> Option<f64> {
        match name {
            "beginstep" => Some(self.observables.first_step as f64),
            "endstep" => Some(self.observables.last_step as f64),
            _ => self.observables.keyword(self.units, self.norm, name),
        }
    }
}

/// Number of atoms per type, and their mass in all.
fn census(state: &State, simulation: &Simulation) -> Result<(Vec<u64>, f64)> {
    let mut counts = vec![0u64; state.types()];
    let kinds = simulation.atoms.columns.kind.read(Section::Output, 0..simulation.atoms.n)?;
    kinds.iter().for_each(|&kind| counts[kind as usize - 1] += 1);
    let mass = state.mass.iter().zip(&counts).map(|(m, &n)| m.unwrap_or(0.0) * n as f64).sum();
    Ok((counts, mass))
}

/// The output of one run.
pub struct Output {
    first: i64,
    last: i64,
    /// Atoms before the run, against which lost ones are counted.
    atoms: u64,
    /// Atoms after its setup, which may have lost some.
    first_atoms: u64,
    warned: bool,
    /// Energy and pressure of the tail times volume and volume squared, which may change.
    tail: (f64, f64),
    mass: f64,
    previous: Option<Observables>,
    thermo: crate::thermo::Settings,
    dump_every: Vec<u64>,
    host: KernelRecord,
}

impl Output {
    /// For a run of `atoms` atoms from step `first` to step `last`; opens the dumps.
    ///
    /// # Errors
    /// When a dump's file cannot be opened or the device fails.
    pub fn new(
        state: &mut State,
        simulation: &Simulation,
        atoms: usize,
        first: i64,
        last: i64,
    ) -> Result<Self> {
        let (counts, mass) = census(state, simulation)?;
        let tail = match &state.pair {
            Some(pair) => pair.resolve()?.tail(&counts, 1.0),
            None => (0.0, 0.0),
        };
        state.dumps.iter_mut().try_for_each(|dump| dump.open())?;
        Ok(Output {
            first,
            last,
            atoms: atoms as u64,
            first_atoms: simulation.atoms.n as u64,
            warned: false,
            tail,
            mass,
            previous: None,
            thermo: state.thermo.for_box(simulation.domain.shrinks(), state.units),
            dump_every: state.dumps.iter().map(|dump| dump.every()).collect(),
            host: KernelRecord {
                name: "files (host)".to_owned(),
                section: Section::Output,
                calls: 0,
                sampled: 0,
                sampled_seconds: 0.0,
                seconds: 0.0,
                bytes: 0,
            },
        })
    }

    /// The next step after `step` at which a row or a frame is due.
    pub fn next(&self, step: i64) -> i64 {
        let frames = self.dump_every.iter().map(|&every| {
            let every = every as i64;
            step.saturating_add(every - step.rem_euclid(every))
        });
        frames.chain([self.thermo.next(step, self.last)]).min().unwrap_or(self.last).min(self.last)
    }

    /// The lines before the first row, the first row, the first frames.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn begin(&mut self, state: &mut State, simulation: &mut Simulation) -> Result<()> {
        let memory = simulation.atoms.context.gpu.allocated();
        state.log.line(&self.thermo.header(memory));
        self.row(state, simulation, 0.0)?;
        self.frames(state, simulation, true)?;
        state.log.flush(); // a long run may be killed
        state.log.check()
    }

    /// The row and the frames that are due at the current step, whose tallies are there; `cpu` is the
    /// wall time of the loop. A step at which the run is `ending` early gets a row too.
    ///
    /// # Errors
    /// When atoms are lost, a value is not finite, a file cannot be written, or the device fails.
    pub fn write(
        &mut self,
        state: &mut State,
        simulation: &mut Simulation,
        cpu: f64,
        ending: bool,
    ) -> Result<()> {
        if ending || self.thermo.due(state.step, self.first, self.last) {
            self.row(state, simulation, cpu)?;
        }
        let clock = Instant::now();
        self.frames(state, simulation, false)?;
        state.log.flush();
        state.log.check()?;
        self.host.calls += 1;
        self.host.seconds += clock.elapsed().as_secs_f64();
        Ok(())
    }

    fn row(&mut self, state: &mut State, simulation: &Simulation, cpu: f64) -> Result<()> {
        let sums = simulation.sums()?;
        if self.previous.as_ref().is_some_and(|last| last.atoms != simulation.atoms.n as u64) {
            self.mass = census(state, simulation)?.1;
        }
        let domain = &simulation.domain;
        let volume = domain.volume(state.dimension);
        let observables = Observables {
            step: state.step,
            first_step: self.first,
            last_step: self.last,
            dt: state.dt,
            time: state.time + (state.step - self.first) as f64 * state.dt,
            cpu,
            time_left: state.time_left(),
            atoms: simulation.atoms.n as u64,
            first_atoms: self.first_atoms,
            dimension: state.dimension,
            lo: domain.lo,
            hi: domain.hi,
            kinetic: sums.kinetic,
            pair_energy: sums.energy,
            virial: sums.virial,
            tail_energy: self.tail.0 / volume,
            tail_pressure: self.tail.1 / (volume * volume) * state.units.nktv2p,
            mass: self.mass,
            builds: simulation.neighbor.builds(),
            dangerous: simulation.neighbor.dangerous,
        };
        if let Some(warning) = self.thermo.lost.check(self.atoms, observables.atoms)?
            && !std::mem::replace(&mut self.warned, true)
        {
            state.log.line(&warning);
        }
        let keywords = Keywords { observables: &observables, units: state.units, norm: self.thermo.norm };
        let variable = |name: &str| {
            state
                .variables
                .number(name, &keywords)
                .map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })
        };
        let row = self.thermo.row(&observables, self.previous.as_ref(), state.units, &variable)?;
        state.log.line(&row);
        self.previous = Some(observables);
        Ok(())
    }

    /// Frames read the atoms back once, for all dumps that want them at this step.
    fn frames(&self, state: &mut State, simulation: &Simulation, setup: bool) -> Result<()> {
        let step = state.step;
        if !state.dumps.iter().any(|dump| dump.due(step, setup)) {
            return Ok(());
        }
        let mut atoms = Atoms::default();
        simulation.atoms.download(&mut atoms)?;
        let wanted = state.dumps.iter().any(|dump| dump.due(step, setup) && dump.needs_forces());
        let forces = if wanted { Some(simulation.atoms.forces()?) } else { None };
        let mass: Vec<f64> = state.mass.iter().map(|mass| mass.unwrap_or(1.0)).collect();
        let frame =
            Frame { step, domain: &simulation.domain, atoms: &atoms, forces: forces.as_deref(), mass: &mass };
        state.dumps.iter_mut().filter(|dump| dump.due(step, setup)).try_for_each(|dump| dump.write(&frame))
    }

    /// Host time spent on frames and on writing the log, to be shown beside the kernels of Output.
    pub fn host_record(&self) -> Option<KernelRecord> {
        (self.host.calls > 0).then(|| KernelRecord {
            sampled: self.host.calls,
            sampled_seconds: self.host.seconds,
            ..self.host.clone()
        })
    }

    /// The closing lines and the JSON record.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(&self, state: &mut State, simulation: &Simulation, record: &RunRecord) -> Result<()> {
        state.last_row = self.previous.clone();
        if let Some(footer) = self.thermo.footer() {
            state.log.line(footer);
        }
        state.log.line(&record.closing());
        state.log.line("");
        state.log.flush();
        state.log.check()?;
        let Some(path) = state.options.json.clone() else { return Ok(()) };
        let context = &simulation.atoms.context;
        let report = state.report.get_or_insert_with(|| {
            let device = serde_json::json!(context.gpu.info());
            let options = serde_json::json!({"shape": context.shape, "modulus": context.numerics.modulus});
            Report::new(&state.options.script, crate::cli::GIT, device, context.numerics.precision, options)
        });
        report.push_run(record);
        report.write(&path)
    }
}
