//! `fix ID GROUP atom/swap N X SEED T types T1 T2 ... KEYWORD ...`: atoms of two types change places by chance, or with `semi-grand yes` atoms take
//! another type at a difference of chemical potentials, so that the mixture comes to its equilibrium at the temperature T.
//! N. Metropolis et al., J. Chem. Phys. 21, 1087 (1953); D. Frenkel, B. Smit, Understanding Molecular Simulation, section 5.6.3;
//! LAMMPS manual, `fix atom/swap`.
//!
//! Energies are those of the host's formulas, of all terms in which the atoms have a part; so are those of many bodies. Numbers are drawn
//! in LAMMPS's order from its two streams, but for the order of the atoms that one is chosen from.

use super::insertion::{check_clock, check_fix_energies};
use crate::base::error::{Error, Result};
use crate::base::random::ParkMiller;
use crate::base::signals;
use crate::base::steps::next_from;
use crate::model::atoms::{Atoms, type_range};
use crate::model::exclude::Exclude;
use crate::potentials::pair::Resolved;
use crate::potentials::pair::many_body::{Around, Contribution};
use crate::script::Args;
use crate::session::Session;
use crate::session::bonded::check_whole_pairs;
use crate::session::compute::style::pair_cutoff;
use crate::session::compute::{Neighbors, Shape, Values};
use crate::session::fix::{
    BondLists, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, restored,
};
use crate::session::snapshot::view::Snapshot;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Attempts between two looks for a signal.
const LOOK_EVERY: u64 = 1 << 8;

struct AtomSwap {
    header: Header,
    every: i64,
    /// Attempts each time.
    attempts: u64,
    temperature: f64,
    /// The types that take part, from 1.
    kinds: Vec<u32>,
    /// Of each of them the chemical potential, where atoms take other types.
    potentials: Option<Vec<f64>>,
    /// Whether atoms keep their kinetic energy.
    keep_heat: bool,
    region: Option<String>,
    /// LAMMPS has one stream that all processes share, and one of each.
    streams: RefCell<[ParkMiller; 2]>,
    /// The first step in which atoms are swapped.
    first: Cell<i64>,
    /// Attempts and successes.
    counts: Cell<[f64; 2]>,
    /// The charges of two types that change places, as they were when the run began.
    charges: Cell<[f64; 2]>,
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between swaps", 1)?.min(i64::MAX as u64) as i64;
    let attempts = args.count("the number of swaps to try", 1)?;
    let random = crate::script::seed::park_miller_from_first(args)?;
    let mut fix = AtomSwap {
        header,
        every,
        attempts,
        temperature: args.positive("the temperature")?,
        kinds: Vec::new(),
        potentials: None,
        keep_heat: true,
        region: None,
        streams: RefCell::new([random.clone(), random]),
        first: Cell::new(session.clock.step + 1),
        counts: Cell::default(),
        charges: Cell::default(),
    };
    let (mut semi_grand, mut potentials) = (false, None);
    while let Some(word) = args.peek() {
        let keywords = ["ke", "mu", "region", "semi-grand", "types"];
        match args.one_of("fix atom/swap keyword", &keywords.map(|name| (name, name)))? {
            "ke" => fix.keep_heat = args.yes_no()?,
            "semi-grand" => semi_grand = args.yes_no()?,
            "region" => {
                fix.region = args.peek().map(|word| word.text.clone());
                session.system.regions.arg(args)?;
            }
            "types" => {
                while args.peek().is_some_and(|word| !keywords.contains(&&*word.text)) {
                    let kinds = type_range(args, session.types(), &session.system.labels.atom)?;
                    fix.kinds.extend(kinds.map(|kind| kind as u32));
                }
            }
            _ => {
                let mut values = Vec::new();
                while args.peek().is_some_and(|word| word.text.parse::<f64>().is_ok()) {
                    values.push(args.f64("a chemical potential")?);
                }
                potentials = Some((word, values));
            }
        }
    }
    match fix.kinds.len() {
        0 | 1 => return Err(args.error_here("fix atom/swap needs at least two types: types T1 T2 ...")),
        2 => {}
        _ if semi_grand => {}
        _ => {
            let error = args.error_here("two types change places, not more");
            return Err(error.help("write `semi-grand yes`, or several fixes with two types each"));
        }
    }
    let count = fix.kinds.len();
    fix.potentials = match potentials {
        Some((word, _)) if !semi_grand => {
            let error = args.error(word, "chemical potentials matter where atoms take other types");
            return Err(error.help("write `semi-grand yes`"));
        }
        Some((word, values)) if values.len() != count => {
            let message = format!("{} chemical potentials for {count} types", values.len());
            return Err(args.error(word, message).help("give one for each type, in the order of `types`"));
        }
        Some((_, values)) => Some(values),
        None => semi_grand.then(|| vec![0.0; count]),
    };
    Ok(Box::new(fix))
}

/// All atoms of a step, and what they have to do with one another.
struct Mixture<'a> {
    resolved: Resolved<'a>,
    /// Whether some style is of many bodies.
    of_many: bool,
    /// Energy times distance per square of charge.
    unit: f64,
    neighbors: Neighbors,
    kind: Vec<u32>,
    charge: Vec<f64>,
}

impl Mixture<'_> {
    /// The energy of all terms in which an atom has a part.
    fn energy_of(&self, i: usize) -> f64 {
        let mut sum = 0.0;
        let own = self.resolved.own_energies()[self.kind[i] as usize - 1];
        sum += self.unit * self.charge[i] * self.charge[i] * own;
        let mut near = Vec::new();
        self.neighbors.visit(i, |j, _, rsq| {
            let kinds = [i, j].map(|atom| self.kind[atom] as usize);
            let qq = self.unit * self.charge[i] * self.charge[j];
            // An image of itself has the other half of such a pair.
            let part = if j == i { 0.5 } else { 1.0 };
            sum += part * self.resolved.weighted(kinds, rsq, self.neighbors.weights(i, j), qq).1;
            near.push(j);
        });
        if self.of_many { sum + self.energy_around(i, near) } else { sum }
    }

    /// That of many bodies around an atom and those near it. What an atom has as a centre depends on its own neighbours alone.
    fn energy_around(&self, i: usize, mut centers: Vec<usize>) -> f64 {
        centers.push(i);
        centers.sort_unstable();
        centers.dedup();
        let mut place: HashMap<usize, usize> = centers.iter().enumerate().map(|(k, &c)| (c, k)).collect();
        let mut kind: Vec<u32> = centers.iter().map(|&center| self.kind[center]).collect();
        let mut around: Vec<Around> =
            centers.iter().map(|&center| self.neighbors.around_one(center)).collect();
        for (j, _) in around.iter_mut().flatten() {
            let next = kind.len();
            let known = *place.entry(*j).or_insert(next);
            if known == next {
                kind.push(self.kind[*j]);
            }
            *j = known;
        }
        let n = kind.len();
        around.resize(n, Around::new());
        let (mut force, mut energy, mut virial) = (vec![[0.0; 3]; n], vec![0.0; n], vec![[0.0; 6]; n]);
        let mut to = Contribution { force: &mut force, energy: &mut energy, virial: &mut virial };
        self.resolved.add_many_bodies(&kind, &around, &mut to);
        energy.iter().sum()
    }

    /// Gives an atom another type and charge; returns by how much the energy changes.
    fn change(&mut self, i: usize, kind: u32, charge: f64) -> f64 {
        let before = self.energy_of(i);
        (self.kind[i], self.charge[i]) = (kind, charge);
        self.energy_of(i) - before
    }
}

/// The charge that all atoms of a type in a group have.
fn charge_of(kind: u32, group: u32, atoms: &Atoms) -> Result<f64> {
    let member = |&i: &usize| atoms.mask[i] & group != 0 && atoms.kind[i] == kind;
    let mut charges = (0..atoms.len()).filter(member).map(|i| atoms.charge[i]);
    let Some(first) = charges.next() else {
        let error = Error::new(format!("its group has no atoms of type {kind} that would say its charge"));
        return Err(error.help("give it some, or take an atom style without charges"));
    };
    match charges.all(|charge| charge == first) {
        true => Ok(first),
        false => Err(Error::new(format!("atoms of type {kind} have different charges"))
            .help("give all atoms of a type that is swapped one charge: set type T charge Q")),
    }
}

impl AtomSwap {
    /// Atoms of two types change places, and take the charges of their new types; whether they did.
    fn swap(&self, mixture: &mut Mixture<'_>, [first, second]: &[Vec<usize>; 2], beta: f64) -> bool {
        if first.is_empty() || second.is_empty() {
            return false;
        }
        let [shared, _] = &mut *self.streams.borrow_mut();
        let [i, j] = [first, second].map(|these| these[(these.len() as f64 * shared.uniform()) as usize]);
        let [before_i, before_j] = [i, j].map(|atom| (mixture.kind[atom], mixture.charge[atom]));
        let [q, p] = self.charges.get();
        let change = mixture.change(i, before_j.0, p) + mixture.change(j, before_i.0, q);
        let taken = shared.uniform() < (-beta * change).exp();
        if !taken {
            (mixture.kind[i], mixture.charge[i]) = before_i;
            (mixture.kind[j], mixture.charge[j]) = before_j;
        }
        taken
    }

    /// An atom takes another type, and keeps its charge, as in LAMMPS; whether it did.
    fn take(&self, mixture: &mut Mixture<'_>, members: &[usize], potentials: &[f64], beta: f64) -> bool {
        if members.is_empty() {
            return false;
        }
        let [shared, own] = &mut *self.streams.borrow_mut();
        let i = members[(members.len() as f64 * shared.uniform()) as usize];
        let (before, charge) = (mixture.kind[i], mixture.charge[i]);
        let Some(from) = self.kinds.iter().position(|&kind| kind == before) else { return false };
        let to = loop {
            let to = (self.kinds.len() as f64 * own.uniform()) as usize;
            if self.kinds[to] != self.kinds[from] {
                break to;
            }
        };
        let change = mixture.change(i, self.kinds[to], charge);
        let taken = own.uniform() < (beta * (potentials[to] - potentials[from] - change)).exp();
        if !taken {
            mixture.kind[i] = before;
        }
        taken
    }
}

impl Fix for AtomSwap {
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

impl HostFix for AtomSwap {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        check_clock(context.session.clock.step, self.first.get())?;
        if context.session.neighbor.exclude.iter().any(|exclude| matches!(exclude, Exclude::Types(..))) {
            let error = Error::new("it does not know pairs that are left out by their types");
            return Err(error.help("take `neigh_modify exclude type` away"));
        }
        if (1..self.kinds.len()).any(|k| self.kinds[..k].contains(&self.kinds[k])) {
            return Err(Error::new("one of its types stands twice").help("name each type once"));
        }
        check_whole_pairs(context.session, "fix atom/swap")?;
        check_fix_energies(context.session, "")?;
        if self.potentials.is_none() && context.session.has_charges() {
            let (system, group) = (context.system(), self.header.group);
            let atoms = system.atoms()?;
            self.charges
                .set([charge_of(self.kinds[0], group, atoms)?, charge_of(self.kinds[1], group, atoms)?]);
        }
        context.session.force_field.given_pair()?.resolve_by_types("fix atom/swap").map(|_| ())
    }
}

impl ExchangeAtoms for AtomSwap {
    fn next_exchange(&self, step: i64) -> Option<i64> {
        Some(next_from(self.first.get(), self.every, step))
    }

    fn exchange(&self, context: &mut FixContext<'_>, atoms: &mut Atoms, _: &mut BondLists) -> Result<bool> {
        let (session, domain) = (context.session, &context.simulation.domain);
        domain.wrap_all(&mut atoms.x, &mut atoms.image);
        let region = self.region.as_ref().map(|name| {
            let region = session.system.regions.get(name);
            region.ok_or_else(|| Error::new(format!("its region {name} is gone")))
        });
        let region = region.transpose()?;
        let resolved = session.force_field.given_pair()?.resolve_by_types("fix atom/swap")?;
        let seen = resolved.seen();
        let unit = session.system.units.qqr2e / session.force_field.dielectric;
        let mut mixture = Mixture {
            of_many: seen.has_passes(),
            unit: if seen.charges { unit } else { 0.0 },
            resolved,
            neighbors: Neighbors::among(session, domain, atoms, pair_cutoff(&context.system())?),
            kind: atoms.kind.clone(),
            charge: atoms.charge.clone(),
        };
        let inside = |i: usize| region.is_none_or(|region| region.contains(atoms.x[i]));
        let member = |&i: &usize| {
            atoms.mask[i] & self.header.group != 0 && self.kinds.contains(&atoms.kind[i]) && inside(i)
        };
        let members: Vec<usize> = atoms.by_tag().into_iter().filter(member).collect();
        let of_types = |kind: &[u32]| {
            [self.kinds[0], self.kinds[1]]
                .map(|which| members.iter().copied().filter(|&i| kind[i] == which).collect::<Vec<_>>())
        };
        let mut places = of_types(&mixture.kind);
        let beta = 1.0 / (session.system.units.boltz * self.temperature);
        let mut changed = false;
        let [mut tried, mut done] = self.counts.get();
        for attempt in 0..self.attempts {
            if attempt % LOOK_EVERY == LOOK_EVERY - 1 && signals::interrupted() {
                break;
            }
            tried += 1.0;
            let success = match &self.potentials {
                None => self.swap(&mut mixture, &places, beta),
                Some(potentials) => self.take(&mut mixture, &members, potentials, beta),
            };
            if success {
                (changed, done) = (true, done + 1.0);
                if self.potentials.is_none() {
                    places = of_types(&mixture.kind);
                }
            }
        }
        self.counts.set([tried, done]);
        for i in members {
            let [from, to] = [atoms.kind[i], mixture.kind[i]].map(|kind| kind as usize - 1);
            if self.keep_heat && from != to {
                let mass = |kind: usize| session.system.mass[kind].unwrap_or(1.0);
                atoms.v[i] = atoms.v[i].map(|v| v * (mass(from) / mass(to)).sqrt());
            }
            (atoms.kind[i], atoms.charge[i]) = (mixture.kind[i], mixture.charge[i]);
        }
        Ok(changed)
    }
}

impl FixOutput for AtomSwap {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::vector(2))
    }

    /// Attempts and successes.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::vector(self.counts.get().to_vec()))
    }
}

impl FixMemory for AtomSwap {
    /// Where the random numbers are, when it began, and the counts.
    fn restart_state(&self) -> Option<Vec<f64>> {
        let [shared, own] = &*self.streams.borrow();
        let first = [self.first.get() as f64];
        Some([&shared.numbers()[..], &own.numbers(), &first, &self.counts.get()].concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [a, b, c, d, first, tried, done]: [f64; 7] = restored(numbers)?;
        self.streams = RefCell::new([[a, b], [c, d]].map(ParkMiller::of_state));
        self.first.set(first as i64);
        self.counts.set([tried, done]);
        Ok(())
    }
}
