//! What a run writes: thermo rows, dumps, the closing lines, the JSON record.

use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::engine::simulation::Simulation;
use crate::engine::timing::RunRecord;
use crate::gpu::record::Section;
use crate::io::restart;
use crate::script::formula::Lookup;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::compute::Pressure;
use crate::session::dump::DumpWriter;
use crate::session::report::Report;
use crate::session::schedule::Schedule;
use crate::session::snapshot::view::Snapshot;
use crate::session::thermo::RowValues;
use crate::session::thermo::{Column, Observables};

/// Which dumps get a frame.
#[derive(Clone, Copy)]
enum Frames {
    None,
    /// Those that are due.
    Due,
    /// The same at the first step of a run.
    OfSetup,
    All,
    /// Those that are not due.
    Rest,
}

/// The output of one run.
pub struct Output {
    first: i64,
    last: i64,
    /// Atoms before the run, against which lost ones are counted.
    atoms: u64,
    warned: bool,
    previous: Option<Observables>,
    /// The values of the last row.
    values: RowValues,
    /// What the first row is made from, where it is known before.
    known: Option<Observables>,
    /// Whether atoms may move otherwise since then.
    stirred: bool,
    thermo: crate::session::thermo::Settings,
}

impl Output {
    /// For a run of `atoms` atoms from step `first` to step `last`; opens the dumps.
    ///
    /// # Errors
    /// When a dump's file cannot be opened or the device fails.
    pub fn new(
        session: &mut Session,
        simulation: &Simulation,
        atoms: usize,
        [first, last]: [i64; 2],
    ) -> Result<Self> {
        session.output.dumps.iter_mut().try_for_each(|dump| dump.open())?;
        Ok(Output {
            first,
            last,
            atoms: atoms as u64,
            warned: false,
            previous: None,
            values: RowValues::new(),
            known: None,
            stirred: false,
            thermo: session.output.thermo.for_box(
                simulation.domain.shrinks()
                    || session
                        .fixes
                        .iter()
                        .filter_map(|fix| fix.box_change())
                        .any(|change| change.shows_volume()),
                session.system.units,
            ),
        })
    }

    /// There are so many atoms more from here on.
    pub fn expect_atoms(&mut self, more: i64) {
        self.atoms = self.atoms.saturating_add_signed(more);
    }

    /// The next step after `step` at which a row, a frame or a restart file is due.
    pub fn next(&self, session: &Session, step: i64) -> i64 {
        let frames = session.output.dumps.iter().map(|dump| dump.schedule());
        let restarts = session.output.restarts.iter().map(|restart| restart.schedule());
        let next = frames.chain(restarts).map(|schedule| schedule.next(step)).min();
        next.unwrap_or(i64::MAX).min(self.thermo.next(step, self.last))
    }

    /// Whether that step has to tally energies and virials: for a row, or for a frame that shows them.
    pub fn tallies(&self, session: &Session, step: i64) -> bool {
        let frame = |dump: &dyn DumpWriter| dump.due(step, false) && dump.needs_tally(session);
        self.thermo.due(step, self.first, self.last) || session.output.dumps.iter().any(|dump| frame(&**dump))
    }

    /// Whether a step puts out no more than a row of sums over all atoms.
    pub fn rests_on_sums(&self, session: &Session, step: i64) -> bool {
        let known = |schedule: &Schedule| !matches!(schedule, Schedule::Variable { .. });
        let restarts = session.output.restarts.iter().map(|restart| restart.schedule());
        let mut others = session.output.dumps.iter().map(|dump| dump.schedule()).chain(restarts);
        let compute = |id: &str| session.computes.iter().find(|compute| compute.header().id == id);
        let temperature = compute(&self.thermo.temperature)
            .is_some_and(|compute| compute.header().style == "temp" && compute.header().group == 1);
        let pressure = compute(&self.thermo.pressure).and_then(|compute| Pressure::of(compute));
        let thermo = &self.thermo;
        let row = !thermo.columns.iter().any(Column::looks_at_atoms)
            && known(&thermo.every)
            && temperature
            && pressure.is_some_and(|pressure| pressure.pair == pressure.bond)
            && pressure.and_then(|pressure| pressure.temperature.as_ref()) == Some(&thermo.temperature);
        row && others.all(|schedule| known(schedule) && !schedule.due(step))
    }

    /// The lines before the first row, the first row, the first frames. Without `pre` there is no line on memory, and the
    /// first row shows what the last one of the run before did, as in LAMMPS.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn begin(&mut self, session: &mut Session, simulation: &mut Simulation, pre: bool) -> Result<()> {
        let memory = ranks::all([simulation.atoms.context.gpu.allocated() as f64]);
        let header = self.thermo.header(memory.as_flattened());
        if pre {
            session.output.log.line(&header);
        } else {
            self.known = session.output.last_row.clone().filter(|row| row.step == session.clock.step);
            if let Some(row) = &mut self.known {
                (row.first_step, row.last_step, row.span) =
                    (session.clock.run_start, self.last, session.clock.span);
                (row.dt, row.cpu, row.time_left) = (session.clock.dt, 0.0, session.time_left());
            }
            header.lines().skip(1).for_each(|line| session.output.log.line(line));
        }
        let now = session.moment();
        session.output.dumps.iter_mut().for_each(|dump| dump.begin_run(now));
        session.output.restarts.iter_mut().for_each(|restart| restart.begin_run(now));
        self.at_step(session, simulation, true, Frames::OfSetup)?;
        self.plan_next(session, simulation)?;
        session.output.log.flush(); // a long run may be killed
        session.output.log.check()
    }

    /// That atoms may have got other velocities or masses since the row of the run before, without a step: the first row shows how they move now,
    /// beside the forces of then, as in LAMMPS.
    pub fn stir(&mut self) {
        self.stirred = true;
    }

    /// The row and the frames that are due at the current step, with tallies where [`Output::tallies`]. A step at which the run is `ending` early gets a row too.
    ///
    /// # Errors
    /// When atoms are lost, a value is not finite, a file cannot be written, or the device fails.
    pub fn write(&mut self, session: &mut Session, simulation: &mut Simulation, ending: bool) -> Result<()> {
        let row = ending || self.thermo.due(session.clock.step, self.first, self.last);
        self.write_as(session, simulation, row, Frames::Due)
    }

    /// The row, the frames and the restart files of a step at which a minimization has found its end, due or not; those that are due may
    /// have been `written`.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn write_all(
        &mut self,
        session: &mut Session,
        simulation: &mut Simulation,
        written: bool,
    ) -> Result<()> {
        let row = !self.previous.as_ref().is_some_and(|row| written && row.step == session.clock.step);
        self.write_as(session, simulation, row, if written { Frames::Rest } else { Frames::All })
    }

    /// The row of the current step, where it has none yet.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn end_with_row(&mut self, session: &mut Session, simulation: &Simulation) -> Result<()> {
        match self.previous.as_ref().is_some_and(|row| row.step == session.clock.step) {
            true => Ok(()),
            false => self.at_step(session, simulation, true, Frames::None),
        }
    }

    /// The frames and restart files that are due at the current step, whose row is there.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn write_frames(&mut self, session: &mut Session, simulation: &mut Simulation) -> Result<()> {
        self.write_as(session, simulation, false, Frames::Due)
    }

    fn write_as(
        &mut self,
        session: &mut Session,
        simulation: &mut Simulation,
        row: bool,
        frames: Frames,
    ) -> Result<()> {
        let gpu = simulation.atoms.context.gpu.clone();
        gpu.host(Section::Output, || self.write_rest(session, simulation, row, frames))
    }

    fn write_rest(
        &mut self,
        session: &mut Session,
        simulation: &mut Simulation,
        row: bool,
        frames: Frames,
    ) -> Result<()> {
        self.at_step(session, simulation, row, frames)?;
        let all = matches!(frames, Frames::All | Frames::Rest);
        if session.output.restarts.iter().any(|restart| all || restart.schedule().due(session.clock.step)) {
            restart::write_due(session, simulation, all)?;
        }
        self.plan_next(session, simulation)?;
        session.output.log.flush();
        session.output.log.check()
    }

    /// Asks the variables that name the next steps of output.
    fn plan_next(&mut self, session: &mut Session, simulation: &Simulation) -> Result<()> {
        let (mut dumps, mut restarts) =
            (std::mem::take(&mut session.output.dumps), std::mem::take(&mut session.output.restarts));
        let system = Snapshot::new(session, Some(simulation));
        let (step, number) = (session.clock.step, |variable: &Reference| system.number(variable));
        let done = dumps
            .iter_mut()
            .try_for_each(|dump| dump.go_on(&system))
            .and_then(|()| restarts.iter_mut().try_for_each(|restart| restart.go_on(step, number)))
            .and_then(|()| self.thermo.every.go_on(step, number));
        drop(system);
        (session.output.dumps, session.output.restarts) = (dumps, restarts);
        done
    }

    /// Row and frames look at one moment of the system, so that nothing is read or computed twice.
    fn at_step(
        &mut self,
        session: &mut Session,
        simulation: &Simulation,
        row: bool,
        frames: Frames,
    ) -> Result<()> {
        let mut dumps = std::mem::take(&mut session.output.dumps);
        let system = Snapshot::new(session, Some(simulation));
        let mut texts = Vec::new();
        let (mut done, values) = match row.then(|| self.row(&system, &mut texts)).transpose() {
            Ok(values) => (Ok(()), values),
            Err(error) => (Err(error), None),
        };
        if done.is_ok() {
            let mut wanted = dumps.iter_mut().filter(|dump| match frames {
                Frames::None => false,
                Frames::Due => dump.due(session.clock.step, false),
                Frames::OfSetup => dump.due(session.clock.step, true),
                Frames::All => true,
                Frames::Rest => !dump.due(session.clock.step, false),
            });
            done = wanted.try_for_each(|dump| dump.write_now(&system, values.as_ref()));
        }
        drop(system);
        session.output.dumps = dumps;
        texts.iter().for_each(|text| session.output.log.line(text));
        done
    }

    /// The row of this step, and a warning before it, into `texts`; returns its values.
    fn row(&mut self, system: &Snapshot<'_>, texts: &mut Vec<String>) -> Result<RowValues> {
        let session = system.session;
        let mut known = self.known.take();
        if let Some(row) = known.as_mut().filter(|_| self.stirred) {
            let now = system.measured()?;
            (row.kinetic, row.freedom) = (now.kinetic, now.freedom);
            row.pressure_parts = now.pressure_parts;
        }
        let observables = known.as_ref().map_or_else(|| system.measured(), Ok)?;
        if let Some(warning) = self.thermo.lost.check(self.atoms, observables.atoms)?
            && !std::mem::replace(&mut self.warned, true)
        {
            texts.push(warning);
        }
        let per_atom = if self.thermo.norm { 1.0 / observables.atoms.max(1) as f64 } else { 1.0 };
        let other = |column: &Column| match column.reference() {
            Some(reference) => {
                let extensive = system.extensive(reference)?;
                Ok(system.last_number(reference)? * if extensive { per_atom } else { 1.0 })
            }
            None => system
                .keyword(&column.name)
                .ok_or_else(|| Error::new(format!("thermo keyword '{}' has no value now", column.name))),
        };
        let row = self.thermo.values(observables, self.previous.as_ref(), session.system.units, &other)?;
        texts.push(self.thermo.row(observables, &row));
        self.previous = Some(observables.clone());
        self.values.clone_from(&row);
        Ok(row)
    }

    /// The closing lines, or without `post` the first of them, and the JSON record.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(
        &self,
        session: &mut Session,
        simulation: &Simulation,
        record: &RunRecord,
        post: bool,
    ) -> Result<()> {
        session.output.last_row = self.previous.clone();
        session.output.last_values = self.previous.as_ref().map(|row| (row.step, self.values.clone()));
        if let Some(footer) = self.thermo.footer() {
            session.output.log.line(footer);
        }
        let closing = record.closing();
        if post {
            session.output.log.line(&closing);
            record.advice().iter().for_each(|line| session.output.log.line(line));
        } else {
            session.output.log.line(closing.lines().next().unwrap_or_default());
            session.output.log.line("");
        }
        session.output.log.flush();
        session.output.log.check()?;
        let Some(path) = session.options.json.clone() else { return Ok(()) };
        let context = &simulation.atoms.context;
        let report = session.output.report.get_or_insert_with(|| {
            let origin = session.device.shape.as_ref().map(|(_, origin)| origin);
            let options = serde_json::json!({
                "shape": context.shape, "shape_from": origin, "modulus": context.numerics.modulus,
            });
            // A minimization may have gone on in another one.
            let precision = session.device.precision.unwrap_or(context.numerics.precision);
            Report::new(&session.options.script, crate::base::version::GIT, &context.gpu, precision, options)
        });
        report.push_run(record);
        report.write(&path)
    }
}
