//! `fix ID GROUP gcmc N X M TYPE SEED T MU DISPLACE KEYWORD ...`: single atoms come from a reservoir of an ideal gas, go to it,
//! and move, by chance, so that the system comes to the grand canonical ensemble. G. E. Norman, V. S. Filinov, High Temp. 7, 216
//! (1969); D. Frenkel, B. Smit, Understanding Molecular Simulation, section 5.6; LAMMPS manual, `fix gcmc`.
//!
//! Numbers are drawn in LAMMPS's order from its two streams, but for the order of the atoms that one is chosen from.

mod arguments;

use super::insertion::{
    HIGHEST, Limits, Room, Rules, TRIES, TrialAtoms, check_clock, check_single, full_energy,
};
use crate::base::error::Result;
use crate::base::random::ParkMiller;
use crate::base::signals;
use crate::base::steps::next_from;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::molecule::no_more_ids;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{
    BondLists, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, restored,
};
use crate::session::snapshot::view::Snapshot;
use arguments::Settings;
pub(crate) use arguments::new;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::f64::consts::PI;

/// Attempts between two looks for a signal.
const LOOK_EVERY: u64 = 1 << 12;

struct Gcmc {
    header: Header,
    settings: Settings,
    room: Room,
    streams: RefCell<Streams>,
    /// The first step in which atoms are exchanged.
    first: Cell<i64>,
    /// Attempts and successes of translations, insertions and deletions.
    counts: Cell<[[f64; 2]; 3]>,
}

/// What is drawn from: LAMMPS has one stream that all processes share, and one of each.
#[derive(Clone)]
struct Streams {
    shared: ParkMiller,
    own: ParkMiller,
}

/// Which of the counts.
#[derive(Clone, Copy)]
enum Move {
    Translation,
    Insertion,
    Deletion,
}

/// The atoms during the moves of one step.
struct Gas<'a> {
    trial_atoms: TrialAtoms<'a>,
    domain: &'a Domain,
    limits: Option<Limits<'a>>,
    /// The numbers of all atoms, in an order in which the last one takes the place of one that goes.
    order: Vec<usize>,
    /// Those of them that may go and move.
    members: Vec<usize>,
    volume: f64,
    beta: f64,
    /// The density that an ideal gas has at this chemical potential.
    activity: f64,
    /// Velocities of the atoms that have come.
    velocities: Vec<[f64; 3]>,
    changed: bool,
}

impl Gcmc {
    fn count(&self, what: Move, success: bool) {
        let mut counts = self.counts.get();
        counts[what as usize][usize::from(success)] += 1.0;
        self.counts.set(counts);
    }

    /// exp(mu / kB T) over the cube of the thermal wavelength, which is 1 in reduced units.
    fn activity(&self, session: &Session, mass: f64) -> f64 {
        let (units, settings) = (session.system.units, &self.settings);
        let kt = units.boltz * settings.temperature;
        if let Some(pressure) = settings.pressure {
            return pressure * settings.fugacity / (kt * units.nktv2p);
        }
        let activity = (settings.potential / kt).exp();
        match units.name {
            "lj" => activity,
            _ => activity / (units.hplanck.powi(2) / (2.0 * PI * mass * units.mvv2e * kt)).powf(1.5),
        }
    }

    /// A step to somewhere within a sphere.
    fn displacement(&self, random: &mut ParkMiller) -> [f64; 3] {
        loop {
            let way: [f64; 3] = std::array::from_fn(|_| 2.0 * random.uniform() - 1.0);
            if way.iter().map(|x| x * x).sum::<f64>() <= 1.0 {
                return way.map(|x| self.settings.displacement * x);
            }
        }
    }

    fn translate(&self, gas: &mut Gas<'_>, streams: &mut Streams) {
        self.count(Move::Translation, false);
        let Some(i) = gas.choose(streams) else { return };
        let from = gas.trial_atoms.position(i);
        let before = gas.trial_atoms.energy_of(i);
        // An atom at the rim may have next to nowhere to go.
        let to = (0..=TRIES).find_map(|_| {
            let way = self.displacement(&mut streams.own);
            let to = std::array::from_fn(|d| from[d] + way[d]);
            gas.limits.is_none_or(|(region, _)| region.contains(to)).then_some(to)
        });
        let Some(to) = to.map(|to| wrapped(gas.domain, to)) else { return };
        let after = if gas.domain.contains(to) { gas.trial_atoms.energy_at(i, to) } else { HIGHEST };
        if after < HIGHEST && streams.own.uniform() < (gas.beta * (before - after)).exp() {
            gas.trial_atoms.put(i, to);
            gas.changed = true;
            if gas.limits.is_some_and(|(region, _)| !region.contains(to)) {
                gas.members.retain(|&member| member != i); // by way of a face
            }
            self.count(Move::Translation, true);
        }
    }

    fn delete(&self, gas: &mut Gas<'_>, streams: &mut Streams) {
        self.count(Move::Deletion, false);
        if gas.members.len() as u64 <= self.settings.least {
            return;
        }
        let Some(i) = gas.choose(streams) else { return };
        let energy = gas.trial_atoms.energy_of(i) + gas.trial_atoms.presence_of(i);
        let odds = gas.members.len() as f64 * (gas.beta * energy).exp() / (gas.activity * gas.volume);
        if streams.own.uniform() < odds {
            gas.remove(i);
            gas.changed = true;
            self.count(Move::Deletion, true);
        }
    }

    fn insert(&self, gas: &mut Gas<'_>, streams: &mut Streams, width: f64) {
        self.count(Move::Insertion, false);
        let Settings { kind, charge, most, .. } = self.settings;
        if most.is_some_and(|most| gas.members.len() as u64 >= most) {
            return;
        }
        let Some(mut x) = Room::point(gas.limits, gas.domain, &mut streams.shared) else { return };
        // A region may reach out of the box.
        if let Some((region, _)) = gas.limits.filter(|_| !gas.domain.contains(x)) {
            x = wrapped(gas.domain, x);
            if !gas.domain.contains(x) || !region.contains(x) {
                return;
            }
        }
        let energy = gas.trial_atoms.energy(kind, charge, x, None);
        if energy >= HIGHEST {
            return;
        }
        let energy = energy + gas.trial_atoms.presence(kind, charge, false);
        let count = (gas.members.len() + 1) as f64;
        if streams.own.uniform() < gas.activity * gas.volume * (-gas.beta * energy).exp() / count {
            gas.add(kind, charge, x);
            gas.velocities.push([0; 3].map(|_| width * streams.own.gaussian()));
            gas.changed = true;
            self.count(Move::Insertion, true);
        }
    }

    /// What the atoms of a step are after its moves.
    fn settle(&self, gas: &Gas<'_>, atoms: &mut Atoms) -> Result<()> {
        let old = atoms.len();
        let largest = atoms.tag.iter().copied().max().unwrap_or(0);
        for (k, v) in gas.velocities.iter().enumerate() {
            let tag = u32::try_from(k + 1).ok().and_then(|k| largest.checked_add(k));
            atoms.push(tag.ok_or_else(|| no_more_ids("atom"))?, self.settings.kind, [0.0; 3]);
            let i = old + k;
            (atoms.v[i], atoms.charge[i]) = (*v, self.settings.charge);
            atoms.mask[i] = 1 | self.header.group | self.settings.groups;
        }
        for i in gas.trial_atoms.there() {
            atoms.x[i] = gas.trial_atoms.position(i);
        }
        let there: Vec<usize> = gas.trial_atoms.there().collect();
        *atoms = atoms.select(&there);
        Ok(())
    }
}

fn wrapped(domain: &Domain, mut x: [f64; 3]) -> [f64; 3] {
    domain.wrap(&mut x, &mut [0; 3]);
    x
}

impl Gas<'_> {
    /// One of the members.
    fn choose(&self, streams: &mut Streams) -> Option<usize> {
        let count = self.members.len();
        (count > 0).then(|| self.members[(count as f64 * streams.shared.uniform()) as usize])
    }

    fn add(&mut self, kind: u32, charge: f64, x: [f64; 3]) {
        let new = self.trial_atoms.add(kind, charge, x);
        self.order.push(new);
        self.members.push(new);
    }

    fn remove(&mut self, i: usize) {
        self.trial_atoms.remove(i);
        if let Some(place) = self.order.iter().position(|&other| other == i) {
            self.order.swap_remove(place);
        }
        let there: HashSet<usize> = self.members.iter().copied().filter(|&other| other != i).collect();
        self.members = self.order.iter().copied().filter(|other| there.contains(other)).collect();
    }
}

impl Fix for Gcmc {
    fn header(&self) -> &Header {
        &self.header
    }

    fn counts_steps(&self) -> bool {
        true
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

impl HostFix for Gcmc {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        full_energy(context.session, self.settings.full)?;
        check_clock(context.session.clock.step, self.first.get())?;
        check_single(&context.system(), self.header.group)?;
        self.room.measure(context.session, &mut self.streams.borrow_mut().shared)
    }
}

impl ExchangeAtoms for Gcmc {
    fn adds_atoms(&self) -> bool {
        true
    }

    fn next_exchange(&self, step: i64) -> Option<i64> {
        Some(next_from(self.first.get(), self.settings.every, step))
    }

    fn exchange(&self, context: &mut FixContext<'_>, atoms: &mut Atoms, _: &mut BondLists) -> Result<bool> {
        let (session, domain, settings) = (context.session, &context.simulation.domain, &self.settings);
        domain.wrap_all(&mut atoms.x, &mut atoms.image);
        let rules = Rules { full: full_energy(session, settings.full)?, overlap: settings.overlap };
        let limits = self.room.limits(session)?;
        let member = |&i: &usize| {
            let inside = limits.is_none_or(|(region, _)| region.contains(atoms.x[i]));
            atoms.mask[i] & self.header.group != 0 && inside
        };
        let mass = session.system.mass[settings.kind as usize - 1].unwrap_or(1.0);
        let kt = session.system.units.boltz * settings.temperature;
        let order = atoms.by_tag();
        let mut gas = Gas {
            trial_atoms: TrialAtoms::new(context, atoms, rules)?,
            domain,
            limits,
            members: order.iter().copied().filter(member).collect(),
            order,
            volume: self.room.volume(domain),
            beta: 1.0 / kt,
            activity: self.activity(session, mass),
            velocities: Vec::new(),
            changed: false,
        };
        let streams = &mut *self.streams.borrow_mut();
        let width = (kt * settings.heat / (mass * session.system.units.mvv2e)).sqrt();
        let cycles = settings.exchanges + settings.moves;
        for attempt in 0..cycles {
            if attempt % LOOK_EVERY == LOOK_EVERY - 1 && signals::interrupted() {
                break;
            }
            let which = (streams.shared.uniform() * cycles as f64) as u64 + 1;
            let choice = streams.shared.uniform();
            match which <= settings.moves {
                true => self.translate(&mut gas, streams),
                false if choice < 0.5 => self.delete(&mut gas, streams),
                false => self.insert(&mut gas, streams, width),
            }
        }
        if gas.changed {
            self.settle(&gas, atoms)?;
        }
        Ok(gas.changed)
    }
}

impl FixOutput for Gcmc {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::vector(8))
    }

    /// Attempts and successes of translations, insertions, deletions, and of rotations, of which there are none.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::vector([self.counts.get().concat(), vec![0.0; 2]].concat()))
    }
}

impl FixMemory for Gcmc {
    /// Where the random numbers are, when it began, the counts, and the volume of its region (NaN for none).
    fn restart_state(&self) -> Option<Vec<f64>> {
        let Streams { shared, own } = &*self.streams.borrow();
        let region = self.room.estimate.get().unwrap_or(f64::NAN);
        let [counts, first] = [self.counts.get().concat(), vec![self.first.get() as f64, region]];
        Some([&shared.numbers()[..], &own.numbers(), &first, &counts].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [a, b, c, d, first, region, counts @ ..]: [f64; 12] = restored(numbers)?;
        let [shared, own] = [[a, b], [c, d]].map(ParkMiller::of_state);
        self.streams = RefCell::new(Streams { shared, own });
        self.first.set(first as i64);
        self.room.estimate.set(Some(region).filter(|volume| !volume.is_nan()));
        self.counts.set(std::array::from_fn(|k| [counts[2 * k], counts[2 * k + 1]]));
        Ok(())
    }
}
