//! `fix rigid` and its kin: sets of atoms that move as rigid bodies (cl/fix/rigid.cl). The device sums up what acts on each
//! body and moves it on, in double precision ([`device`]), or with thermostats, bodies that come and the like the host does; the device puts the
//! atoms where their bodies say. Source: LAMMPS manual, `fix rigid`.
//!
//! A body's state is [`body`], all of them with their atoms [`bodies`], how they turn [`quaternion`], what holds the temperature
//! of the nvt styles [`chains`], with [`langevin`], what the script says [`arguments`] and [`infile`], what restart files keep [`restart`].

mod arguments;
mod bodies;
mod body;
mod chains;
mod device;
mod infile;
mod langevin;
mod output;
mod quaternion;
mod restart;

use crate::base::error::{Error, Result};
use crate::base::vector::{Vector, dot};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::record::Section;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::coupling::DeviceCoupling;
use crate::session::fix::{
    DeviceFix, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext,
};
use arguments::{Options, Style};
use bodies::Bodies;
use body::{Body, Half, Turn};
use chains::Chains;
use quaternion::plus;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::RangeInclusive;

const RIGID: Style = Style { small: false, turn: Turn::Richardson, chains: false };

/// Columns of the values of each body.
const COLUMNS: usize = 15;

struct Rigid {
    header: Header,
    style: Style,
    options: Options,
    bodies: RefCell<Bodies>,
    /// Those that have come in this step and are to be made, by their place.
    coming: Cell<usize>,
    /// IDs of atoms of which another fix has said that they make a body.
    adopted: RefCell<Vec<RangeInclusive<u32>>>,
    chains: Option<RefCell<Chains>>,
    /// Whether the degrees of freedom of the chains follow bodies that come.
    counts_anew: bool,
    /// Rows of the table by atom ID.
    rows: usize,
    /// Whether the bodies have been made, and whether they go on in the midst of a run that a restart file was written in.
    made: Cell<bool>,
    resumed: Cell<bool>,
    running: Cell<bool>,
    /// Lists built so far: centres are brought into the box with the atoms.
    builds: Cell<u64>,
    counts_virial: bool,
    /// `bodyforces early`: no fix after it may change forces.
    early: bool,
    /// Whether the device moves the bodies, and what it remembered of them in the midst of a step, until they are read again.
    by_device: Cell<bool>,
    last: RefCell<Vec<f64>>,
}

/// `fix ID GROUP rigid`: as [`new`] says.
pub(crate) fn rigid(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, RIGID, session, args)
}

/// `rigid/nve`: turned by symplectic rotations.
pub(crate) fn nve(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, Style { turn: Turn::NoSquish, ..RIGID }, session, args)
}

/// `rigid/nvt`: the same with chains.
pub(crate) fn nvt(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, Style { turn: Turn::NoSquish, chains: true, ..RIGID }, session, args)
}

/// `rigid/small`: bodies that may come during a run.
pub(crate) fn small(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, Style { small: true, ..RIGID }, session, args)
}

/// `rigid/nve/small`: the same, turned by symplectic rotations.
pub(crate) fn nve_small(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, Style { small: true, turn: Turn::NoSquish, ..RIGID }, session, args)
}

/// `rigid/nvt/small`: the same with chains.
pub(crate) fn nvt_small(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    new(header, Style { small: true, turn: Turn::NoSquish, chains: true }, session, args)
}

/// Takes which atoms make which body, and the keywords of the style.
fn new(header: Header, style: Style, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let members = arguments::members(&header, style, session, args)?;
    let options = arguments::options(style, &members, session, args)?;
    let mut bodies = Bodies::new(members, session.system.dimension);
    for (range, which, free) in &options.free {
        bodies.all[range.start() - 1..*range.end()].iter_mut().for_each(|body| body.free[*which] = *free);
    }
    let chains = options.temperature.as_ref().map(|(_, period)| Chains::new(options.shape, *period));
    let rows = crate::model::atoms::rows_by_id(&session.now().atoms()?.tag)?.next_power_of_two();
    let [made, resumed, running] = [(); 3].map(|()| Cell::new(false));
    Ok(Box::new(Rigid {
        header,
        style,
        options,
        coming: Cell::new(bodies.all.len()),
        bodies: RefCell::new(bodies),
        adopted: RefCell::default(),
        chains: chains.map(RefCell::new),
        counts_anew: false,
        rows,
        made,
        resumed,
        running,
        builds: Cell::new(0),
        counts_virial: true,
        early: false,
        by_device: Cell::new(false),
        last: RefCell::default(),
    }))
}

impl Rigid {
    /// Room for so many bodies where the host moves them: programs stay the same while some come.
    fn room(&self) -> usize {
        let count = self.bodies.borrow().all.len();
        if self.options.molecule.is_some() { count.max(64).next_power_of_two() } else { count }
    }

    fn half(&self, session: &Session) -> Half {
        let scale = self.chains.as_ref().map_or([1.0; 2], |chains| chains.borrow().scale(session.clock.dt));
        Half {
            turn: self.style.turn,
            dt: session.clock.dt,
            kick: 0.5 * session.clock.dt * session.system.units.ftm2v,
            scale,
        }
    }

    /// Forces and torques of the atoms, and of gravity.
    fn forces(&self, context: &FixContext<'_>) -> Result<Vec<[Vector; 2]>> {
        let atoms = &context.simulation.atoms;
        let find = |tags: &[u32]| self.bodies.borrow_mut().find(tags);
        atoms.arrays.tag.view(Section::Modify, 0..atoms.n, find)??;
        let forces = atoms.force.read(Section::Modify, 3 * atoms.n)?;
        let pull = self.gravity(context.session, &context.moment())?;
        let bodies = &mut *self.bodies.borrow_mut();
        let mut sums = bodies.add_up(&forces);
        if let Some(pull) = pull {
            for (sum, body) in sums.iter_mut().zip(&bodies.all) {
                sum[0] = plus(sum[0], body.mass, pull);
            }
        }
        Ok(sums)
    }

    /// What the fix gravity pulls with that the script names.
    fn gravity(&self, session: &Session, now: &StepContext<'_>) -> Result<Option<Vector>> {
        let named = self.options.gravity.as_ref();
        let named = session.fixes.iter().find(|fix| named == Some(&fix.header().id));
        named.and_then(|fix| fix.output()).map_or(Ok(None), |output| output.acceleration(now))
    }

    /// Brings the centres into the box when lists have been built.
    fn wrap(&self, context: &FixContext<'_>) {
        let builds = context.simulation.neighbor.builds();
        if self.builds.replace(builds) != builds {
            self.bodies.borrow_mut().wrap(&context.simulation.domain);
        }
    }
}

impl Fix for Rigid {
    fn header(&self) -> &Header {
        &self.header
    }

    fn integrates(&self) -> bool {
        true
    }

    /// Where forces that keep atoms in place add up to nothing, their virials do not depend on where the centres are.
    fn ignores_wrapping(&self) -> bool {
        let (bodies, options) = (self.bodies.borrow(), &self.options);
        let free = Body::free_in(if bodies.flat { 2 } else { 3 });
        let all_free = bodies.all.iter().all(|body| body.free == free);
        self.by_device.get() && all_free && options.langevin.is_none() && options.gravity.is_none()
    }

    fn announcement(&self) -> Option<String> {
        let bodies = self.bodies.borrow();
        Some(format!("  {} rigid bodies with {} atoms", bodies.all.len(), bodies.atoms()))
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        match keyword {
            "virial" => self.counts_virial = args.yes_no()?,
            "bodyforces" => self.early = args.one_of("choice", &[("early", true), ("late", false)])?,
            "dynamic/dof" if self.chains.is_some() => self.counts_anew = args.yes_no()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn atom_exchange(&self) -> Option<&dyn ExchangeAtoms> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl DeviceFix for Rigid {
    fn hooks(&self) -> Option<DeviceHooks> {
        let (begin, end) = match self.by_device.get() {
            true => ("rigid_move_atom", "rigid_end_atom"),
            false => ("rigid_place", "rigid_velocity"),
        };
        let hooks = DeviceHooks::of(kernel_file!("fix/rigid.cl"));
        Some(DeviceHooks { initial_integrate: Some(begin), end_with_host: Some(end), ..hooks })
    }

    fn memory(&self) -> Cow<'_, [f64]> {
        Cow::Owned(self.bodies.borrow().table(self.rows).into_flattened())
    }

    fn varies(&self) -> bool {
        self.by_device.get() && self.options.langevin.is_some()
    }

    /// All: the table says which atoms are in a body.
    fn groups(&self) -> u32 {
        1
    }

    fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        Some(self)
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        if self.by_device.get() {
            return self.device_parameters(now);
        }
        let bodies = self.bodies.borrow().parameters(now.session.domain()?, self.room());
        Ok([vec![self.rows as f64], bodies].concat())
    }
}

impl HostFix for Rigid {
    fn next(&self, step: i64) -> Option<i64> {
        (!self.by_device.get()).then_some(step + 1)
    }

    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        if let Some(other) = context.session.fixes.iter().find(|fix| fix.changes_box()) {
            let Header { id, style, .. } = other.header();
            return Err(Error::new(format!(
                "fix {id} ({style}) changes the box, which rigid bodies do not follow yet"
            )));
        }
        let own = context.session.fixes.iter().position(|fix| fix.header().id == self.header.id);
        let after = context.session.fixes.iter().skip(own.map_or(0, |own| own + 1));
        if let Some(other) =
            after.clone().find(|fix| self.early && fix.hooks().is_some_and(|s| s.post_force.is_some()))
        {
            let message = format!("fix {} changes forces after `bodyforces early`", other.header().id);
            return Err(Error::new(message).help("define it before this fix, or write `bodyforces late`"));
        }
        let system = context.system();
        if system.atoms()?.tag.iter().any(|&tag| tag as usize > self.rows) {
            let error = Error::new("atoms were created after it was defined");
            return Err(error.help("define it after create_atoms"));
        }
        let bodies = &mut *self.bodies.borrow_mut();
        if self.resumed.get() && !bodies.fit(&system)? {
            // The script has moved atoms since, or has given them other velocities.
            self.resumed.set(false);
            self.made.set(false);
        }
        if self.resumed.get() || self.made.get() && !self.options.reinit {
            bodies.look(&system, !self.resumed.get())?;
        } else {
            let all = 0..bodies.all.len();
            bodies.make(&system, all, &self.options.described)?;
        }
        drop(system);
        self.last.borrow_mut().clear();
        self.options.langevin.iter().for_each(|langevin| langevin.begin(context.session.clock.step));
        bodies.wrap(&context.simulation.domain);
        self.coming.set(bodies.all.len());
        self.made.set(true);
        self.running.set(true);
        self.builds.set(context.simulation.neighbor.builds());
        let table = bodies.table(self.rows);
        context.remember(&self.header, &table)
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        let sums = self.forces(context)?;
        if self.resumed.replace(false) {
            return Ok(());
        }
        let kick = self.half(context.session).kick;
        let mut v = context.system().atoms()?.v.clone();
        self.bodies.borrow_mut().begin(sums, &mut v, kick);
        context.simulation.set_velocities(&v)?;
        if let Some(chains) = &self.chains {
            let kt = self.target(&context.moment())?;
            chains.borrow_mut().begin(self.freedom(context.session.system.dimension), kt);
        }
        match self.by_device.get() {
            true => context.simulation.set_feedback(&self.numbers()),
            false => Ok(()),
        }
    }

    fn before_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.by_device.get() {
            return Ok(());
        }
        let half = self.half(context.session);
        self.bodies.borrow_mut().first_half(half);
        if let Some(chains) = &self.chains {
            let kt = self.target(&context.moment().at(context.session.clock.step + 1))?;
            let mut kinetic = [0.0; 2];
            for body in &self.bodies.borrow().all {
                kinetic[0] += body.mass * dot(body.velocity, body.velocity);
                kinetic[1] += body.turning();
            }
            let chains = &mut *chains.borrow_mut();
            if self.counts_anew {
                chains.count(self.freedom(context.session.system.dimension));
            }
            chains.advance(
                kinetic.map(|twice| twice * context.session.system.units.mvv2e),
                kt,
                context.session.clock.dt,
            );
        }
        Ok(())
    }

    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        let count = self.bodies.borrow().all.len();
        let first = self.coming.replace(count);
        if first == count {
            return Ok(());
        }
        self.bodies.borrow_mut().make(&context.system(), first..count, &[])?;
        let table = self.bodies.borrow().table(self.rows);
        context.remember(&self.header, &table)
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.wrap(context);
        let sums = self.forces(context)?;
        self.thermalize(context)?;
        let half = self.half(context.session);
        self.bodies.borrow_mut().second_half(sums, half);
        Ok(())
    }

    fn go_on(&self, _: &mut FixContext<'_>) -> Result<()> {
        self.running.set(true);
        Ok(())
    }

    fn end_run(&self, _: &mut FixContext<'_>) -> Result<()> {
        self.running.set(false);
        Ok(())
    }
}

impl ExchangeAtoms for Rigid {
    fn add_body(&self, ids: RangeInclusive<u32>) -> Result<()> {
        let Some(atoms) = self.options.molecule else {
            return Err(Error::new("it takes no new bodies").help("give it the keyword mol"));
        };
        if ids.clone().count() != atoms {
            return Err(Error::new("its keyword mol names another molecule"));
        }
        self.adopted.borrow_mut().push(ids);
        Ok(())
    }
}
