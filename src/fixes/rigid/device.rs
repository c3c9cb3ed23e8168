//! Bodies that the device moves (cl/fix/rigid.cl): where nothing of a step is the host's.

use super::Rigid;
use super::arguments::Options;
use super::bodies::Bodies;
use super::body::{Body, Turn};
use super::langevin::Langevin;
use crate::base::error::Result;
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::fix_program::AtomSets;
use crate::gpu::record::Section;
use crate::session::Session;
use crate::session::fix::coupling::{DeviceCoupling, is_asked_amid};
use crate::session::fix::{FixContext, StepContext};

/// How many numbers are remembered of a body.
const NUMBERS: usize = 80;

/// Numbers before those of the types that the functions of the device read.
const FIXED: usize = 20;

/// Bodies up to which random numbers of steps ahead are sent along.
const MOST_RANDOM: usize = 4096;

impl Body {
    /// What the device remembers at the end of a step: of the poses it makes unwrapped centres itself.
    fn remembered(&self, index: usize, builds: u64) -> Vec<f64> {
        let [a, b, c] = self.axes();
        let pose = [a, b, c, self.centre, self.velocity, self.omega].concat();
        let [force, torque] = self.force;
        let ([push, twist], [noise, turned]) = (self.free, self.noise);
        [
            &pose[..],
            &pose,
            &self.centre,
            &self.centre,
            &self.image.map(f64::from),
            &self.orientation,
            &self.conjugate,
            &self.momentum,
            &force,
            &torque,
            &self.moments,
            &[self.mass],
            &push,
            &twist,
            &[index as f64],
            &noise,
            &turned,
            &[builds as f64],
        ]
        .concat()
    }

    /// Takes it back.
    fn recall(&mut self, numbers: &[f64]) {
        let vector = |first: usize| std::array::from_fn(|d| numbers[first + d]);
        (self.velocity, self.omega, self.centre) = (vector(12), vector(15), vector(36));
        self.image = std::array::from_fn(|d| numbers[42 + d] as i32);
        self.orientation = std::array::from_fn(|k| numbers[45 + k]);
        self.conjugate = std::array::from_fn(|k| numbers[49 + k]);
        (self.momentum, self.force, self.noise) =
            (vector(53), [vector(56), vector(59)], [vector(73), vector(76)]);
    }
}

impl Bodies {
    /// Where the atoms of each body begin among those of all, and where the last ones end.
    fn first(&self) -> Vec<u32> {
        let ends = self.all.iter().map(|body| body.members.end as u32);
        std::iter::once(0).chain(ends).collect()
    }

    /// What the device remembers: of bodies what it remembered `last`, if anything, as in the midst of a step there is more to it than bodies know.
    fn remembered(&self, last: &[f64], builds: u64) -> Vec<f64> {
        let mut numbers = last.to_vec();
        if last.is_empty() {
            let bodies = self.all.iter().enumerate();
            numbers.extend(bodies.flat_map(|(index, body)| body.remembered(index, builds)));
        }
        numbers.extend(self.virials.as_flattened());
        numbers
    }

    /// Takes it back.
    fn recall(&mut self, numbers: &[f64]) {
        let (bodies, virials) = numbers.split_at(NUMBERS * self.all.len());
        for (body, numbers) in self.all.iter_mut().zip(bodies.chunks_exact(NUMBERS)) {
            body.recall(numbers);
        }
        for (virial, numbers) in self.virials.iter_mut().zip(virials.chunks_exact(6)) {
            virial.copy_from_slice(numbers);
        }
        self.carry();
    }
}

impl Rigid {
    /// What the functions of the device read at a step.
    pub(super) fn device_parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let (session, bodies) = (now.session, self.bodies.borrow());
        let domain = now.domain().map_or_else(|| session.domain(), Ok)?;
        let half = self.half(session);
        let sizes = [self.rows, bodies.all.len()].map(|size| size as f64);
        let flat = f64::from(u8::from(bodies.flat));
        let periodic: [f64; 3] = std::array::from_fn(|d| f64::from(u8::from(domain.periodic(d))));
        let head = [&sizes[..], &[half.dt, half.kick, flat], &domain.lo, &domain.hi, &periodic].concat();
        let pull = self.gravity(session, now)?.unwrap_or_default();
        let mass: Vec<f64> = now.mass().collect();
        let mut random = Vec::new();
        let mut thermostat = [0.0; 3];
        if let Some(langevin) = &self.options.langevin {
            let [strength, drag] = langevin.factors(now)?;
            thermostat = [strength, drag, (FIXED + 1 + mass.len()) as f64];
            random = langevin.draws(now.step, bodies.all.len());
        }
        Ok([&head[..], &pull, &thermostat, &[bodies.atoms() as f64], &mass, &random].concat())
    }
}

impl DeviceCoupling for Rigid {
    /// Without chains, and without what is known only when its step comes; in boxes whose edges do not lean. Where atoms come and go each set-up takes
    /// longer than the host's way, in small systems.
    fn fits(&self, session: &Session) -> bool {
        if self.running.get() {
            // A run keeps what it began with.
            return self.by_device.get();
        }
        let Options { langevin, gravity, .. } = &self.options;
        let step = session.clock.step;
        let foreseen = langevin.as_ref().is_none_or(Langevin::is_foreseen)
            && !session.fixes.iter().any(|fix| gravity.as_ref() == Some(&fix.header().id) && fix.varies());
        let exchanges = session.fixes.iter().any(|fix| fix.next_exchange(step).is_some());
        let upright = session.domain().is_ok_and(|domain| !domain.triclinic);
        let few = langevin.is_none() || self.bodies.borrow().all.len() <= MOST_RANDOM;
        let asked = is_asked_amid(session, &self.header.id);
        self.chains.is_none() && foreseen && few && upright && !exchanges && !asked
    }

    fn hand_over(&self, to_device: bool) {
        self.by_device.set(to_device);
    }

    fn handed_over(&self) -> bool {
        self.by_device.get()
    }

    fn functions(&self) -> CouplingFunctions {
        let (after, before) = match self.style.turn {
            Turn::Richardson => ("rigid_end", "rigid_begin"),
            Turn::NoSquish => ("rigid_nve_end", "rigid_nve_begin"),
        };
        CouplingFunctions {
            sums: 6,
            measure: "rigid_measure",
            after,
            before: Some(before),
            moves_box: false,
            slot: Some("rigid_slot"),
        }
    }

    fn numbers(&self) -> Vec<f64> {
        self.bodies.borrow().remembered(&self.last.borrow(), self.builds.get())
    }

    fn sets(&self) -> Option<AtomSets> {
        Some(AtomSets { first: self.bodies.borrow().first(), remembered: NUMBERS })
    }

    fn take(&self, numbers: &[f64], context: &FixContext<'_>) -> Result<()> {
        let atoms = &context.simulation.atoms;
        let bodies = &mut *self.bodies.borrow_mut();
        atoms.arrays.tag.view(Section::Modify, 0..atoms.n, |tags: &[u32]| bodies.find(tags))??;
        bodies.recall(numbers);
        self.last.take();
        self.options.langevin.iter().for_each(|langevin| langevin.pass(context.session.clock.step));
        Ok(())
    }

    fn keep(&self, mut numbers: Vec<f64>) {
        numbers.truncate(NUMBERS * self.bodies.borrow().all.len());
        self.last.replace(numbers);
    }
}
