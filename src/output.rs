//! What a run writes: thermo rows, dumps, the closing lines, the JSON record.

use crate::compute::{Header, Thermal};
use crate::error::{Error, Result};
use crate::lattice;
use crate::script::formula::{Kind, Lookup};
use crate::simulation::Simulation;
use crate::state::State;
use crate::system::System;
use crate::thermo::{Column, Observables, PressureParts};
use crate::timing::{KernelRecord, Report, RunRecord, Section};
use std::time::Instant;

/// Number of atoms per type, and their mass in all.
fn census(state: &State, simulation: &Simulation) -> Result<(Vec<u64>, f64)> {
    let mut counts = vec![0u64; state.types()];
    let kinds = simulation.atoms.columns.kind.read(Section::Output, 0..simulation.atoms.n)?;
    kinds.iter().for_each(|&kind| counts[kind as usize - 1] += 1);
    let mass = state.mass.iter().zip(&counts).map(|(m, &n)| m.unwrap_or(0.0) * n as f64).sum();
    Ok((counts, mass))
}

/// What fixes add to the virial.
fn fix_virial(state: &State) -> [f64; 6] {
    state.fixes.iter().fold([0.0; 6], |sum, fix| {
        let virial = fix.virial();
        std::array::from_fn(|k| sum[k] + virial[k])
    })
}

/// The output of one run.
pub struct Output {
    first: i64,
    last: i64,
    span: [i64; 2],
    /// Atoms before the run, against which lost ones are counted.
    atoms: u64,
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
    /// For a run of `atoms` atoms from step `first` to step `last`, as a part of a longer span of steps; opens
    /// the dumps.
    ///
    /// # Errors
    /// When a dump's file cannot be opened or the device fails.
    pub fn new(
        state: &mut State,
        simulation: &Simulation,
        atoms: usize,
        [first, last]: [i64; 2],
        span: [i64; 2],
    ) -> Result<Self> {
        let (counts, mass) = census(state, simulation)?;
        let tail = match &state.pair {
            Some(pair) => pair.resolve()?.tail(&counts, 1.0),
            None => (0.0, 0.0),
        };
        state.dumps.iter_mut().try_for_each(|dump| dump.open())?;
        let system = System::new(state, Some(simulation));
        state.computes.iter().try_for_each(|compute| compute.header().begin_run(&system))?;
        Ok(Output {
            first,
            last,
            span,
            atoms: atoms as u64,
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

    /// The tail correction of the energy times the volume.
    pub fn tail_energy(&self) -> f64 {
        self.tail.0
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
        self.at_step(state, simulation, 0.0, true, true)?;
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
        let row = ending || self.thermo.due(state.step, self.first, self.last);
        self.at_step(state, simulation, cpu, row, false)?;
        let clock = Instant::now();
        state.log.flush();
        state.log.check()?;
        self.host.calls += 1;
        self.host.seconds += clock.elapsed().as_secs_f64();
        Ok(())
    }

    /// Row and frames look at one moment of the system, so that nothing is read or computed twice.
    fn at_step(
        &mut self,
        state: &mut State,
        simulation: &Simulation,
        cpu: f64,
        row: bool,
        setup: bool,
    ) -> Result<()> {
        let mut dumps = std::mem::take(&mut state.dumps);
        let system = System::new(state, Some(simulation));
        let mut texts = Vec::new();
        let mut done = if row { self.row(&system, simulation, cpu, &mut texts) } else { Ok(()) };
        let clock = Instant::now();
        if done.is_ok() {
            let mut due = dumps.iter_mut().filter(|dump| dump.due(state.step, setup)).peekable();
            if !row && due.peek().is_some_and(|dump| dump.needs_measuring()) {
                done = self.measure(&system, simulation, cpu);
            }
            done = done.and_then(|()| due.try_for_each(|dump| dump.write_now(&system)));
        }
        self.host.seconds += clock.elapsed().as_secs_f64();
        drop(system);
        state.dumps = dumps;
        texts.iter().for_each(|text| state.log.line(text));
        done
    }

    /// Measures what thermo output is made from.
    fn measure(&mut self, system: &System<'_>, simulation: &Simulation, cpu: f64) -> Result<()> {
        let state = system.state;
        let sums = simulation.sums()?;
        if self.previous.as_ref().is_some_and(|last| last.atoms != simulation.atoms.n as u64) {
            self.mass = census(state, simulation)?.1;
        }
        let domain = &simulation.domain;
        let volume = domain.volume(state.dimension);
        let thermal = |id: &str| -> Result<Thermal> {
            let compute = system.compute(id)?;
            let Some(temperature) = compute.temperature() else {
                return Err(Error::new(format!("compute {id} does not measure a temperature")));
            };
            // That of all atoms has been measured with the other sums.
            match compute.header() {
                Header { style: "temp", group: 1, .. } => {
                    Ok(Thermal { tensor: sums.kinetic, freedom: temperature.freedom(system)? })
                }
                _ => temperature.thermal(system),
            }
        };
        let Thermal { tensor: kinetic, freedom } = thermal(&self.thermo.temperature)?;
        let pressure = system.compute(&self.thermo.pressure)?.pressure();
        let pressure = pressure.ok_or_else(|| {
            Error::new(format!("compute {} does not measure pressure", self.thermo.pressure))
        })?;
        let pressure_kinetic = match &pressure.temperature {
            Some(id) if pressure.kinetic => thermal(id)?.tensor,
            _ => [0.0; 6],
        };
        let observables = Observables {
            step: state.step,
            first_step: self.first,
            last_step: self.last,
            span: self.span,
            dt: state.dt,
            time: state.time_at(state.step),
            cpu,
            time_left: state.time_left(),
            atoms: simulation.atoms.n as u64,
            freedom,
            dimension: state.dimension,
            lo: domain.lo,
            hi: domain.hi,
            kinetic,
            pressure_parts: PressureParts {
                kinetic: pressure_kinetic,
                pair: pressure.pair,
                fix: pressure.fix,
            },
            pair_energy: sums.energy,
            fix_energy: state.fixes.iter().map(|fix| fix.potential_energy()).sum(),
            fix_virial: fix_virial(state),
            virial: sums.virial,
            tail_energy: self.tail.0 / volume,
            tail_pressure: self.tail.1 / (volume * volume) * state.units.nktv2p,
            mass: self.mass,
            spacing: lattice::spacing(state.lattice.as_ref()),
            builds: simulation.neighbor.builds(),
            dangerous: simulation.neighbor.dangerous,
        };
        // Nobody has measured at this step before.
        let _ = system.observables.set(observables);
        Ok(())
    }

    /// The row of this step, and a warning before it, into `texts`.
    fn row(
        &mut self,
        system: &System<'_>,
        simulation: &Simulation,
        cpu: f64,
        texts: &mut Vec<String>,
    ) -> Result<()> {
        self.measure(system, simulation, cpu)?;
        let state = system.state;
        let observables = system.observables.get().expect("just measured");
        if let Some(warning) = self.thermo.lost.check(self.atoms, observables.atoms)?
            && !std::mem::replace(&mut self.warned, true)
        {
            texts.push(warning);
        }
        let per_atom = if self.thermo.norm { 1.0 / observables.atoms.max(1) as f64 } else { 1.0 };
        let other = |column: &Column| match column.reference() {
            Some(reference) => {
                let scalar = reference.index.is_empty();
                let extensive = match reference.kind {
                    Kind::Compute => {
                        let compute = system.compute(&reference.id)?;
                        if scalar { compute.extensive() } else { compute.vector_extensive() }
                    }
                    Kind::Fix => {
                        let fix = system.fix(&reference.id)?;
                        if scalar { fix.extensive() } else { fix.vector_extensive() }
                    }
                    Kind::Variable => false,
                };
                Ok(system.number(reference)? * if extensive { per_atom } else { 1.0 })
            }
            None => system
                .keyword(&column.name)
                .ok_or_else(|| Error::new(format!("thermo keyword '{}' has no value now", column.name))),
        };
        texts.push(self.thermo.row(observables, self.previous.as_ref(), state.units, &other)?);
        self.previous = Some(observables.clone());
        Ok(())
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
