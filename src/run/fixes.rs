//! When the fixes of a run have their say: the parameters of the steps ahead, and the host's parts.

use crate::session::fix::error::of;

mod ahead;
mod exchange;

use crate::base::error::Result;
use crate::engine::simulation::Simulation;
use crate::engine::step::hooks::DeviceHooks;
use crate::model::region::Region;
use crate::session::Session;
use crate::session::compute::style::Compute;
use crate::session::fix::context::Stored;
use crate::session::fix::coupling::{is_of_sets, on_device};
use crate::session::fix::{Fix, FixContext, FixSums, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::{Cell, RefCell};

/// Steps for which parameters that change are sent at once, and how many numbers these are at most but for a few steps.
const WINDOW: usize = 512;
const WINDOW_NUMBERS: usize = 1 << 18;
const LEAST_WINDOW: usize = 16;

/// The fixes during a run.
#[derive(Default)]
pub struct FixRunner {
    span: [i64; 2],
    /// In a minimization, not in a run.
    minimizing: bool,
    /// Parameters change from step to step.
    varying: bool,
    /// They depend on what the atoms do, so that they are known only when their step comes.
    unforeseen: bool,
    /// And on energies or virials.
    tallies: bool,
    /// The place of the fix whose changes of the box are known ahead ([`BoxChange::box_at_next_step`]).
    foreseen: Option<usize>,
    /// For so many steps parameters that change are sent to the device at once.
    window: i64,
    /// Memory for what the fix remembers whose part of each step is the device's.
    feedback: RefCell<Vec<f64>>,
    lines: RefCell<Vec<String>>,
    stop: Cell<Option<bool>>,
    stored: RefCell<Vec<Stored>>,
}

/// The parameters of all fixes at a step, one after another.
fn row(session: &Session, moment: &StepContext<'_>) -> Result<Vec<f64>> {
    let mut row = Vec::new();
    for fix in &session.fixes {
        row.extend(crate::session::fix::row(&**fix, moment)?.numbers);
    }
    Ok(row)
}

/// Gives each fix what its functions add up at the current step; those with no part in a minimization keep what they had before it.
pub(super) fn measure(session: &Session, simulation: &Simulation, minimizing: bool) -> Result<()> {
    let sums = simulation.measure()?;
    let any = |is: fn(&FixSums) -> bool| session.fixes.iter().filter_map(|fix| fix.measured()).any(is);
    let virials =
        any(FixSums::counts_virial) && session.computes.iter().any(|compute| compute.counts_fixes_by_atom());
    let shown = any(FixSums::is_of_atoms);
    let of_atoms = if virials || shown { simulation.measure_atoms()? } else { Vec::new() };
    let system = Snapshot::new(session, Some(simulation));
    let tags: &[u32] = if shown { &system.atoms()?.tag } else { &[] };
    let mut first = 0;
    for fix in &session.fixes {
        let Some(measured) = fix.measured() else { continue };
        let own = first..first + measured.len();
        first = own.end;
        if minimizing && !fix.minimizes() {
            continue;
        }
        measured.set(&sums[own.clone()]);
        measured.set_of_atoms(tags, of_atoms.chunks_exact(sums.len().max(1)).map(|sums| &sums[own.clone()]));
        let check = fix.device().map_or(Ok(()), |device| device.check_measured());
        check.map_err(|error| of(&**fix, error))?;
    }
    Ok(())
}

impl FixRunner {
    /// At the beginning of a run: dynamic groups are decided, computes count their groups, fixes get ready, and the forces of the first step change.
    ///
    /// # Errors
    /// When something that a fix needs is missing or the device fails.
    pub fn begin(session: &Session, simulation: &mut Simulation, span: [i64; 2]) -> Result<Self> {
        FixRunner::of(session, span).ready(session, simulation)
    }

    /// At the beginning of a minimization: the same.
    ///
    /// # Errors
    /// As there.
    pub fn begin_minimization(
        session: &Session,
        simulation: &mut Simulation,
        span: [i64; 2],
    ) -> Result<Self> {
        FixRunner { minimizing: true, ..FixRunner::of(session, span) }.ready(session, simulation)
    }

    fn ready(self, session: &Session, simulation: &mut Simulation) -> Result<Self> {
        crate::session::dynamic_groups::decide(session, simulation, |_| true)?;
        let system = Snapshot::new(session, Some(simulation));
        session.computes.iter().try_for_each(|compute| {
            compute.header().begin_run(&system)?;
            compute.get_ready(&system)
        })?;
        // Values per atom may be asked for first within the loop, whose time the building of programs is not.
        let of_atoms = |compute: &dyn Compute| {
            let biased = compute.temperature().is_some_and(|temperature| temperature.components().is_none());
            biased || compute.shape().atoms.is_some() || compute.header().style.starts_with("reduce")
        };
        if session.computes.iter().any(of_atoms)
            || session.fixes.iter().any(|fix| fix.header().style.starts_with("ave/"))
            || session.script.variables.styles().any(|(_, style)| style == "atom")
        {
            system.prepare_columns()?;
        }
        drop(system);
        let mut runner = self;
        runner.each(session, simulation, |fix, context| fix.begin_run(context))?;
        let system = Snapshot::new(session, Some(simulation));
        session.computes.iter().for_each(|compute| compute.header().fixes_have_begun(&system));
        drop(system);
        if let Some(part) = session.fixes.iter().find_map(|fix| on_device(&**fix)) {
            simulation.set_feedback(&part.numbers())?;
        }
        runner.look_ahead(session, simulation);
        runner.each(session, simulation, |fix, context| {
            fix.host().map_or(Ok(()), |host| host.first_forces(context))
        })?;
        runner.change_forces(session, simulation)?;
        Ok(runner)
    }

    /// For a run that goes on with what the last one has left.
    ///
    /// # Errors
    /// As the fixes'.
    pub fn go_on(session: &Session, simulation: &mut Simulation, span: [i64; 2]) -> Result<Self> {
        let mut runner = FixRunner::of(session, span);
        runner.each(session, simulation, |fix, context| {
            fix.host().map_or(Ok(()), |host| host.go_on(context))
        })?;
        runner.look_ahead(session, simulation);
        Ok(runner)
    }

    fn of(session: &Session, span: [i64; 2]) -> Self {
        let moves = |name: &str| session.system.regions.get(name).is_some_and(Region::moves);
        let varying = session.fixes.iter().any(|fix| fix.varies() || fix.region().is_some_and(moves));
        FixRunner { span, varying, ..FixRunner::default() }
    }

    /// Finds out what of the steps to come is known before.
    fn look_ahead(&mut self, session: &Session, simulation: &Simulation) {
        let now =
            StepContext::ahead(session, session.clock.step, self.span).in_box(&simulation.domain, None).any();
        let row = row(session, &now);
        self.unforeseen = self.varying && row.is_err();
        let width = row.map_or(0, |row| row.len()).max(1);
        self.window = (WINDOW_NUMBERS / width).clamp(LEAST_WINDOW, WINDOW) as i64;
        let named = session.script.named_variables.references();
        self.tallies = self.unforeseen && named.iter().any(|variable| session.needs_tally(variable));
        self.foreseen = self.foreseen(session, simulation);
    }

    /// The fixes' part at the first step, when its forces are known.
    ///
    /// # Errors
    /// As the fixes'.
    pub fn setup(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        self.each(session, simulation, |fix, context| fix.setup(context))
    }

    /// The forces of the current step as the fixes change them, without a step.
    ///
    /// # Errors
    /// As the fixes'.
    pub fn change_forces(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        self.refresh(session, simulation)?;
        self.forces_known(session, simulation, |_| true)?;
        simulation.first_forces()?;
        self.check_formulas(session, simulation)
    }

    fn context<'a>(&'a self, session: &'a Session, simulation: &'a mut Simulation) -> FixContext<'a> {
        let FixRunner { span, minimizing, lines, stop, stored, .. } = self;
        FixContext { session, simulation, span: *span, minimizing: *minimizing, lines, stop, stored }
    }

    /// What fixes want to be in the log, since the last time.
    pub fn lines(&self) -> Vec<String> {
        self.lines.take()
    }

    /// Values that fixes have given to properties of atoms, since the last time.
    pub fn stored(&self) -> Vec<Stored> {
        self.stored.take()
    }

    /// Whether a fix ends the run at this step, and whether later runs are to make no step.
    pub fn stops(&self) -> Option<bool> {
        self.stop.get()
    }

    fn each(
        &self,
        session: &Session,
        simulation: &mut Simulation,
        part: impl Fn(&dyn Fix, &mut FixContext<'_>) -> Result<()>,
    ) -> Result<()> {
        session.fixes.iter().try_for_each(|fix| {
            let mut context = self.context(session, simulation);
            part(&**fix, &mut context).map_err(|error| of(&**fix, error))
        })
    }

    /// The step up to which nothing is to be done on the host.
    pub fn next(&self, session: &Session) -> i64 {
        let groups = session.system.groups.dynamic.iter().map(|group| group.next(session.clock.step));
        let fixes = session.fixes.iter().enumerate().filter(|(place, _)| self.foreseen != Some(*place));
        let parts = fixes.filter_map(|(_, fix)| fix.next(session.clock.step)).chain(groups);
        // A step with an exchange is made by itself.
        let exchanges = session.fixes.iter().filter_map(|fix| fix.next_exchange(session.clock.step));
        let parts = parts.chain(exchanges.map(|step| (step - 1).max(session.clock.step + 1))).min();
        let window = match (self.unforeseen, self.varying) {
            _ if session.force_field.has_variable_factors() => session.clock.step + 1,
            (true, _) => session.clock.step + 1,
            (false, true) => session.clock.step + self.window,
            (false, false) if self.foreseen.is_some() => session.clock.step + self.window,
            (false, false) => i64::MAX,
        };
        parts.unwrap_or(i64::MAX).min(window)
    }

    /// Whether the host leaves atoms alone at all steps: no fix has a part there, or measures them, and no group is decided anew. One whose
    /// part is the device's rests on sums that ranks make together; one whose boxes are known ahead looks at no atom.
    pub fn leave_atoms_alone(&self, session: &Session) -> bool {
        let alone = |fix: &dyn Fix| {
            (fix.next(session.clock.step).is_none() || fix.host().is_none_or(|host| !host.looks_at_atoms()))
                && fix.next_exchange(session.clock.step).is_none()
                && fix.measured().is_none()
                && !fix.header().style.starts_with("adapt")
        };
        let static_groups = session.system.groups.dynamic.is_empty();
        let mut others = session.fixes.iter().enumerate().filter(|(place, _)| self.foreseen != Some(*place));
        let constant = !session.force_field.has_variable_factors();
        static_groups && constant && !self.unforeseen && others.all(|(_, fix)| alone(&**fix))
    }

    /// Whether some fix adds or removes atoms in the next step.
    pub fn exchanges(&self, session: &Session) -> bool {
        session.fixes.iter().any(|fix| fix.next_exchange(session.clock.step) == Some(session.clock.step + 1))
    }

    /// Whether some fix that takes part in a step, or a group that is decided there, needs tallies.
    pub fn needs_tally(&self, session: &Session, step: i64) -> bool {
        let group_tallies = session
            .system
            .groups
            .dynamic
            .iter()
            .any(|group| group.due(step) && crate::session::dynamic_groups::needs_tally(group, session));
        if self.tallies || group_tallies {
            return true;
        }
        session.fixes.iter().any(|fix| fix.needs_tally() && fix.next(step - 1) == Some(step))
    }

    /// Sends the parameters of the steps after the current one up to `target`; fixes that take part in every step
    /// have their say before.
    ///
    /// # Errors
    /// When a variable has no value or the device fails.
    pub fn prepare(&self, session: &Session, simulation: &mut Simulation, target: i64) -> Result<()> {
        if session.fixes.iter().any(|fix| fix.next(session.clock.step) == Some(session.clock.step + 1)) {
            self.each(session, simulation, |fix, context| fix.before_step(context))?;
        }
        self.shift_atoms(session, simulation, true)?;
        let now = session.clock.step;
        let rows = if self.unforeseen {
            vec![row(session, &StepContext::now(session, self.span, simulation).at(now + 1))?]
        } else {
            let known = if self.varying { target } else { now + 1 };
            let ahead = |step| {
                let [domain, next] = [step, step + 1].map(|step| simulation.box_in((step - now) as u32));
                let domain = domain.unwrap_or(&simulation.domain);
                row(session, &StepContext::ahead(session, step, self.span).in_box(domain, next))
            };
            (now + 1..=known).map(ahead).collect::<Result<_>>()?
        };
        simulation.set_parameters(simulation.atoms.step + 1, &rows)
    }

    /// Looks whether atoms had no value by formulas of the device's.
    ///
    /// # Errors
    /// When there was one: names the fix.
    pub fn check_formulas(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        self.each(session, simulation, |fix, now| fix.device().map_or(Ok(()), |one| one.check_formulas(now)))
    }

    /// Whether some fix shifts atoms when positions have moved.
    pub fn shifts_atoms(&self, session: &Session) -> bool {
        self.shifting(session).any(|(_, early)| !early)
    }

    /// The places of the fixes that shift atoms, and whether they come before positions move, as a fix behind them integrates.
    fn shifting(&self, session: &Session) -> impl Iterator<Item = (usize, bool)> {
        let shifts = |place: &usize| session.fixes[*place].host().is_some_and(|host| host.shifts_atoms());
        let early = |place: usize| session.fixes[place + 1..].iter().any(|fix| fix.integrates());
        (0..session.fixes.len()).filter(shifts).map(move |place| (place, early(place)))
    }

    /// The fixes' part when positions have moved; `early`: of those that come before.
    ///
    /// # Errors
    /// When the device fails.
    pub fn shift_atoms(&self, session: &Session, simulation: &mut Simulation, early: bool) -> Result<()> {
        for (place, _) in self.shifting(session).filter(|(_, is_early)| *is_early == early) {
            let fix = &*session.fixes[place];
            let Some(host) = fix.host() else { continue };
            host.positions_moved(&mut self.context(session, simulation)).map_err(|error| of(fix, error))?;
            self.refresh(session, simulation)?;
            match early {
                true => simulation.end_stage(place)?,
                false => simulation.shift_stage(place)?,
            }
        }
        Ok(())
    }

    /// The parameters at the current step, anew.
    fn refresh(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        let row = match self.unforeseen {
            true => row(session, &StepContext::now(session, self.span, simulation))?,
            false => row(
                session,
                &StepContext::ahead(session, session.clock.step, self.span).in_box(&simulation.domain, None),
            )?,
        };
        simulation.set_parameters(simulation.atoms.step, &[row])
    }

    /// The host's part when the forces of the current step are known: first of all dynamic groups. What the fixes add up is measured where the
    /// host takes part and where there is `output`.
    ///
    /// # Errors
    /// As the fixes'.
    pub fn post_force(&self, session: &Session, simulation: &mut Simulation, output: bool) -> Result<()> {
        crate::session::dynamic_groups::decide(session, simulation, |group| group.due(session.clock.step))?;
        let due = |fix: &dyn Fix| fix.next(session.clock.step - 1) == Some(session.clock.step);
        let any = session.fixes.iter().any(|fix| due(&**fix));
        if any || self.unforeseen {
            self.refresh(session, simulation)?;
        }
        if any || self.unforeseen || output {
            self.forces_known(session, simulation, due)?;
        }
        Ok(())
    }

    /// The host's part of the fixes that are due; each sees what those before it do.
    fn forces_known(
        &self,
        session: &Session,
        simulation: &mut Simulation,
        due: impl Fn(&dyn Fix) -> bool,
    ) -> Result<()> {
        for fix in session.fixes.iter().filter(|fix| due(&***fix)) {
            let mut context = self.context(session, simulation);
            fix.post_force(&mut context).map_err(|error| of(&**fix, error))?;
            self.refresh(session, simulation)?;
        }
        if session.fixes.iter().any(|fix| fix.measured().is_some()) {
            measure(session, simulation, self.minimizing)?;
        }
        Ok(())
    }

    /// The host's part at the end of the current step, each followed by the device's: first of those fixes that
    /// move atoms, as they are not done before. Where the others change velocities, fixes measure them anew for the next
    /// step. Unless something is `due`, steps have only been broken off to go on.
    ///
    /// # Errors
    /// As the fixes'.
    pub fn end_of_step(&self, session: &Session, simulation: &mut Simulation, due: bool) -> Result<()> {
        self.ends(session, simulation, [due, false])?;
        if due { self.check_formulas(session, simulation) } else { Ok(()) }
    }

    /// The same of a step that no fix has made (`rerun`): those that move atoms have no part in it, and what the device does at the end of
    /// each step is still to be done.
    ///
    /// # Errors
    /// As the fixes'.
    pub fn end_of_frame(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        self.ends(session, simulation, [true, true])
    }

    fn ends(&self, session: &Session, simulation: &mut Simulation, [asked, frame]: [bool; 2]) -> Result<()> {
        let shifts = |fix: &dyn Fix| fix.host().is_some_and(|host| host.shifts_atoms());
        let due = |fix: &dyn Fix| match shifts(fix) || frame && (fix.integrates() || !fix.ends_frames()) {
            true => false,
            false => {
                fix.next(session.clock.step - 1) == Some(session.clock.step)
                    || on_device(fix).is_some()
                    || frame && fix.hooks().is_some_and(|hooks| hooks.end_of_step.is_some())
            }
        };
        let fixes = session.fixes.iter().enumerate().filter(|(_, fix)| due(&***fix));
        let (movers, others): (Vec<_>, Vec<_>) = fixes.partition(|(_, fix)| fix.integrates());
        for fixes in [movers, others] {
            simulation.velocities_changed = false;
            for (place, fix) in fixes {
                self.end_of(&**fix, place, session, simulation, [asked, frame])
                    .map_err(|error| of(&**fix, error))?;
            }
        }
        if !simulation.velocities_changed {
            return Ok(());
        }
        self.each(session, simulation, |fix, context| {
            let Some(host) = fix.host() else { return Ok(()) };
            match (host.remeasure(context)?, on_device(fix)) {
                (true, Some(part)) => context.simulation.set_feedback(&part.numbers()),
                _ => Ok(()),
            }
        })
    }

    /// The end of the step for the fix at a place of the script. A part that is the device's ends the step too, and the
    /// host sees what became of it.
    fn end_of(
        &self,
        fix: &dyn Fix,
        place: usize,
        session: &Session,
        simulation: &mut Simulation,
        [asked, frame]: [bool; 2],
    ) -> Result<()> {
        if let Some(part) = on_device(fix) {
            if session.clock.new_dt.get().is_some() {
                self.refresh(session, simulation)?;
            }
            simulation.end_feedback()?;
            if !asked && is_of_sets(fix) {
                return Ok(()); // which may be many
            }
            let numbers = &mut *self.feedback.borrow_mut();
            simulation.step_kernels.read_feedback(numbers)?;
            return part.take(numbers, &self.context(session, simulation));
        }
        fix.end_of_step(&mut self.context(session, simulation))?;
        let by_device =
            |hooks: DeviceHooks| hooks.end_with_host.is_some() || frame && hooks.end_of_step.is_some();
        if fix.hooks().is_some_and(by_device) {
            self.refresh(session, simulation)?;
            simulation.velocities_changed |= fix.box_change().is_none(); // those which are no movers move positions only
            simulation.end_stage(place)?;
        }
        Ok(())
    }

    /// What drives the box in a minimization (`crate::fixes::box_relax::BoxRelax`), at a step with tallies; empty where it stays.
    ///
    /// # Errors
    /// As `crate::fixes::box_relax::BoxRelax::forces`.
    pub fn box_forces(&self, session: &Session, simulation: &mut Simulation) -> Result<Vec<f64>> {
        let mut forces = Vec::new();
        for fix in &session.fixes {
            if let Some(relaxation) = crate::fixes::box_relax::relaxation(&**fix) {
                forces = relaxation
                    .forces(&self.context(session, simulation))
                    .map_err(|error| of(&**fix, error))?;
            }
        }
        Ok(forces)
    }

    /// The fixes' part in a minimization where energy and forces are known.
    ///
    /// # Errors
    /// As the fixes'.
    pub fn minimized(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        self.each(session, simulation, |fix, context| fix.minimized(context))
    }

    /// After the last step.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn end(&self, session: &Session, simulation: &mut Simulation) -> Result<()> {
        self.each(session, simulation, |fix, context| fix.end_run(context))
    }
}
