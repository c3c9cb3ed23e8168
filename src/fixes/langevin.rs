//! `fix ID GROUP langevin TSTART TSTOP DAMP SEED`: drag and noise of an implicit solvent (cl/fix/langevin.cl), after
//! T. Schneider and E. Stoll, Phys. Rev. B 17, 1302 (1978); the noise is uniform, as B. Dunweg and W. Paul, Int. J. Mod.
//! Phys. C 2, 817 (1991), allow. It depends on seed, atom ID and step alone. With `gjf` otherwise (`gjf`).

mod gjf;

use super::thermostat::{self, Target};
use crate::base::error::{Error, Result};
use crate::base::random::uniform_of_atom;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::Values;
use crate::session::fix::{
    DeviceFix, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, StepContext, Watched, restored,
};
use crate::session::snapshot::view::Snapshot;
use gjf::Gjf;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What the numbers are for, beside the seed: no other fix draws the same.
const PURPOSE: u32 = 1;

struct Langevin {
    header: Header,
    /// The temperature whose bias is no thermal motion; empty for none.
    watched: Watched,
    /// The temperature, maybe of each atom, and whether that is made from energies or virials.
    target: Target,
    tallies: Cell<bool>,
    damp: f64,
    seed: u32,
    /// Factor of the damping time per type.
    scale: Vec<f64>,
    zero: bool,
    tally: bool,
    gjf: Option<Gjf>,
    /// Whether the host has to take part: for `tally`, and where each atom has a bias or a temperature of its own.
    by_host: Cell<bool>,
    /// ID and type of the group's atoms, for `zero`.
    members: RefCell<Vec<(u32, u32)>>,
    /// What it adds to the forces of each ID at this step, where the host knows.
    forces: RefCell<BTreeMap<u32, [f64; 3]>>,
    /// Energy given to the atoms up to the middle of the last step, and in that step.
    energy: Cell<[f64; 2]>,
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let target = Target::read_each(session, args)?;
    let damp = args.positive("the damping time")?;
    let word = args.peek();
    let seed = args.int("the seed (a positive integer)")?;
    if let Some(word) = word.filter(|_| !(1..=i64::from(i32::MAX)).contains(&seed)) {
        return Err(args.error(word, "the seed must be a positive integer").help("any from 1 to 2147483647"));
    }
    let mut fix = Langevin {
        header,
        watched: Watched { temperature: String::new(), pressure: None },
        target,
        tallies: Cell::new(false),
        damp,
        seed: seed as u32,
        scale: vec![1.0; session.types()],
        zero: false,
        tally: false,
        gjf: None,
        by_host: Cell::new(false),
        members: RefCell::default(),
        forces: RefCell::default(),
        energy: Cell::new([0.0; 2]),
    };
    let mut gjf = None;
    let keywords = ["scale", "zero", "tally", "angmom", "omega", "gjf"].map(|name| (name, name));
    while let Some(word) = args.peek() {
        match args.one_of("keyword of fix langevin", &keywords)? {
            "scale" => {
                let word = args.peek();
                let kind = args.count("an atom type", 1)? as usize;
                let factor = args.positive("a factor of the damping time")?;
                let slot = fix.scale.get_mut(kind - 1);
                match (slot, word) {
                    (Some(slot), _) => *slot = factor,
                    (None, Some(word)) => {
                        let message = format!("there are {} atom types, not {kind}", session.types());
                        return Err(args.error(word, message));
                    }
                    (None, None) => {}
                }
            }
            "zero" => fix.zero = args.yes_no()?,
            "tally" => fix.tally = args.yes_no()?,
            "gjf" => {
                fix.gjf = gjf::read(args)?;
                gjf = Some(word);
            }
            keyword => {
                let off = args.peek().is_some_and(|word| word.text == "no");
                args.word("no")?;
                if !off {
                    let message = format!("{keyword} is for atoms that turn, and those here are points");
                    return Err(args.error(word, message).help("leave it out"));
                }
            }
        }
    }
    match gjf {
        Some(word) if fix.gjf.is_some() && (fix.tally || fix.target.of_atoms().is_some()) => {
            let message = "gjf goes neither with tally nor with a temperature of each atom";
            Err(args.error(word, message).help("leave one of them out"))
        }
        _ => Ok(Box::new(fix)),
    }
}

impl Langevin {
    fn key(&self) -> [u32; 2] {
        [self.seed, PURPOSE]
    }

    /// Which components of a velocity are thermal; `None` where each atom has a bias of its own.
    fn components(&self, session: &Session) -> Result<Option<[bool; 3]>> {
        match &*self.watched.temperature {
            "" => Ok(Some([true; 3])),
            id => Ok(thermostat::temperature(session, id)?.components()),
        }
    }

    /// Per type: force per velocity, and width of the noise at a temperature. The width is that of a uniform number
    /// whose variance is 2 m kB T / (damp dt), in force units.
    fn factors(&self, session: &Session, temperature: f64) -> Vec<[f64; 2]> {
        let units = session.system.units;
        let of = |(mass, scale): (&Option<f64>, &f64)| {
            let (mass, damp) = (mass.unwrap_or(1.0), self.damp * scale);
            let width =
                (24.0 * mass * units.boltz * temperature / (damp * session.clock.dt * units.mvv2e)).sqrt();
            [-mass / damp / units.ftm2v, width / units.ftm2v]
        };
        session.system.mass.iter().zip(&self.scale).map(of).collect()
    }

    /// The mean of the noise over the group's atoms at a step.
    fn mean(&self, step: i64, factors: &[[f64; 2]]) -> [f64; 3] {
        let members = self.members.borrow();
        let mut sum = [0.0; 3];
        for &(tag, kind) in members.iter() {
            let uniform = uniform_of_atom(tag, step, self.key());
            (0..3).for_each(|d| sum[d] += factors[kind as usize - 1][1] * uniform[d]);
        }
        sum.map(|sum| sum / members.len().max(1) as f64)
    }

    /// What it adds to the force of each atom of the group now, as (place, force): the twin of the device's function.
    fn twin(&self, context: &FixContext<'_>) -> Result<Vec<(usize, [f64; 3])>> {
        let (session, system) = (context.session, context.system());
        let temperatures = self.target.of_atoms().map(|each| system.per_atom(each)).transpose()?;
        let target = if temperatures.is_some() { 1.0 } else { self.target.at(&context.moment())? };
        let factors = self.factors(session, target);
        let bias = match &*self.watched.temperature {
            "" => None,
            id => thermostat::temperature(session, id)?.bias(&system)?,
        };
        let (atoms, members) = (system.atoms()?, system.indices(self.header.group, None)?);
        let own = |i: usize| temperatures.as_ref().map_or(1.0, |temperatures| temperatures[i]);
        if let Some(&i) = members.iter().find(|&&i| own(i) < 0.0) {
            let message = format!("the variable gives atom {} a negative temperature", atoms.tag[i]);
            return Err(Error::new(message));
        }
        let noise = |i: usize| -> [f64; 3] {
            let width = factors[atoms.kind[i] as usize - 1][1] * own(i).sqrt();
            uniform_of_atom(atoms.tag[i], session.clock.step, self.key()).map(|uniform| width * uniform)
        };
        let mut mean = [0.0; 3];
        if self.zero {
            let count = members.len() as f64;
            members.iter().for_each(|&i| (0..3).for_each(|d| mean[d] += noise(i)[d] / count));
        }
        let force = |i: usize| {
            let (drag, noise) = (factors[atoms.kind[i] as usize - 1][0], noise(i));
            std::array::from_fn(|d| {
                let v = atoms.v[i][d] - bias.as_ref().map_or(0.0, |bias| bias[i][d]);
                // A velocity that is all bias does not take part.
                let noise = if bias.is_some() && v == 0.0 { 0.0 } else { noise[d] };
                drag * v + noise - mean[d]
            })
        };
        Ok(members.into_iter().map(|i| (i, force(i))).collect())
    }

    /// Power of the forces that the host knows, in energy per time.
    fn power(&self, context: &FixContext<'_>) -> Result<f64> {
        let (system, forces) = (context.system(), self.forces.borrow());
        let atoms = system.atoms()?;
        let of = |(tag, v): (&u32, &[f64; 3])| {
            forces.get(tag).map_or(0.0, |force| (0..3).map(|d| force[d] * v[d]).sum::<f64>())
        };
        Ok(atoms.tag.iter().zip(&atoms.v).map(of).sum())
    }
}

impl Fix for Langevin {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        !self.target.is_variable()
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
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

impl DeviceFix for Langevin {
    fn hooks(&self) -> Option<DeviceHooks> {
        if self.gjf.is_some() {
            let (initial, last) = (Some("gjf_initial"), Some("gjf_final"));
            return Some(DeviceHooks {
                initial_integrate: initial,
                final_integrate: last,
                ..DeviceHooks::of(kernel_file!("fix/langevin_gjf.cl"))
            });
        }
        Some(DeviceHooks {
            post_force: Some("langevin_force"),
            ..DeviceHooks::of(kernel_file!("fix/langevin.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        if let Some(gjf) = &self.gjf {
            return gjf.parameters(self, now);
        }
        let factors = self.factors(now.session, self.target.at(now)?);
        let thermal = match self.components(now.session)? {
            Some(thermal) if !self.by_host.get() => thermal,
            _ => [false; 3],
        };
        let mean = if self.zero && thermal != [false; 3] { self.mean(now.step, &factors) } else { [0.0; 3] };
        let seed = [self.seed & 0xffff, self.seed >> 16, PURPOSE];
        let head = mean.into_iter().chain(thermal.map(f64::from)).chain(seed.map(f64::from));
        Ok(head.chain(factors.into_iter().flatten()).collect())
    }

    fn varies(&self) -> bool {
        self.zero || self.target.varies()
    }
}

impl HostFix for Langevin {
    fn end_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.gjf.as_ref().map_or(Ok(()), |gjf| gjf.end_run(self, context))
    }

    fn go_on(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.gjf.iter().for_each(|gjf| gjf.go_on(context.session.clock.step));
        Ok(())
    }

    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let by_host =
            self.tally || self.target.of_atoms().is_some() || self.components(context.session)?.is_none();
        if let Some(gjf) = &self.gjf {
            if by_host {
                let error =
                    Error::new("gjf does not go with a bias or a temperature that differs from atom to atom");
                return Err(error.help("take one that does not, or leave gjf out"));
            }
            gjf.begin_run(self, context)?;
        }
        self.by_host.set(by_host);
        self.tallies.set(self.target.of_atoms().is_some_and(|each| context.session.needs_tally(each)));
        if self.zero {
            let system = context.system();
            let (atoms, members) = (system.atoms()?, system.indices(self.header.group, None)?);
            if members.is_empty() {
                return Err(Error::new("the noise on no atoms has no mean").help("take zero no"));
            }
            let mut members: Vec<_> = members.into_iter().map(|i| (atoms.tag[i], atoms.kind[i])).collect();
            members.sort_unstable(); // the sum of their noise does not depend on the order in memory
            self.members.replace(members);
        }
        Ok(())
    }

    fn needs_tally(&self) -> bool {
        self.tallies.get()
    }

    fn next(&self, step: i64) -> Option<i64> {
        self.by_host.get().then_some(step + 1)
    }

    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        if !self.by_host.get() {
            return Ok(());
        }
        let added = self.twin(context)?;
        let tags = context.system().atoms()?.tag.clone();
        let mut forces = context.simulation.atoms.forces()?;
        for (i, force) in &added {
            (0..3).for_each(|d| forces[*i][d] += force[d]);
        }
        context.simulation.atoms.set_forces(&forces)?;
        self.forces.replace(added.into_iter().map(|(i, force)| (tags[i], force)).collect());
        if self.tally && context.session.clock.step == context.span[0] {
            // As in LAMMPS, the sum begins anew with the span of a run.
            let first = self.power(context)? * context.session.clock.dt;
            self.energy.set([0.5 * first, first]);
        }
        Ok(())
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.tally {
            let last = self.power(context)? * context.session.clock.dt;
            self.energy.set([self.energy.get()[0] + last, last]);
        }
        Ok(())
    }
}

impl FixOutput for Langevin {
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.coupled_energy(system)))
    }

    fn extensive(&self) -> bool {
        true
    }

    fn coupled_energy(&self, _: &Snapshot<'_>) -> f64 {
        let [energy, last] = self.energy.get();
        0.5 * last - energy
    }
}

impl FixMemory for Langevin {
    fn restart_state(&self) -> Option<Vec<f64>> {
        self.gjf.as_ref().map(|gjf| vec![gjf.kept()])
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [kept] = restored(numbers)?;
        self.gjf.iter().for_each(|gjf| gjf.restore(kept));
        Ok(())
    }
}
