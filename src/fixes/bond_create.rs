//! `fix ID GROUP bond/create N TYPE TYPE RMIN BONDTYPE [iparam MAX NEWTYPE] [jparam MAX NEWTYPE] [prob P SEED]`: atoms of two types that
//! come near get a bond; each atom the nearest. Source: LAMMPS manual, `fix bond/create`.

use super::bonding::{self, Chance, Counts, Partners};
use crate::base::error::{Error, Result};
use crate::base::steps::next_multiple;
use crate::model::atoms::{Atoms, ById, one_type};
use crate::model::topology::{Bond, Topology};
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Neighbors, Shape, Values};
use crate::session::fix::{
    BondLists, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, restored,
};
use crate::session::snapshot::view::Snapshot;
use std::cell::RefCell;

/// One of the two types of atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Side {
    kind: u32,
    /// The most bonds of the new ones' type that an atom may have, 0 for any number, and its type from then on.
    most: u64,
    then: u32,
}

struct BondCreate {
    header: Header,
    every: u64,
    sides: [Side; 2],
    distance: f64,
    kind: u32,
    chance: Chance,
    /// Bonds of this type per atom: those of the first run's beginning, and those that it has made.
    bonds: RefCell<Option<ById<u64>>>,
    made: Counts,
}

/// Takes how often, the atom types, the distance, the bond type, and keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    bonding::needed(session, args)?;
    let every = args.count("steps between", 1)?;
    let mut sides = [Side { kind: 0, most: 0, then: 0 }; 2];
    for side in &mut sides {
        side.kind = atom_type(session, args)?;
        side.then = side.kind;
    }
    let distance = args.positive("the distance at which bonds are made")?;
    let kind = bonding::bond_type(session, args)?;
    let mut chance = Chance::default();
    while let Some(word) = args.peek() {
        let known = ["iparam", "jparam", "prob", "atype", "dtype", "itype", "aconstrain"];
        match args.one_of("keyword of fix bond/create", &known.map(|name| (name, name)))? {
            "prob" => chance = Chance::read(args)?,
            side @ ("iparam" | "jparam") => {
                let side = &mut sides[usize::from(side == "jparam")];
                side.most = args.count("the most bonds of an atom, or 0", 0)?;
                side.then = atom_type(session, args)?;
            }
            _ => return Err(args.unsupported(word, "keyword")),
        }
    }
    if sides[0].kind == sides[1].kind && sides[0] != sides[1] {
        return Err(args
            .error_here("both sides are the same type, with other limits")
            .help("give iparam and jparam alike"));
    }
    let (bonds, made) = Default::default();
    Ok(Box::new(BondCreate { header, every, sides, distance, kind, chance, bonds, made }))
}

/// Takes an atom type.
fn atom_type(session: &Session, args: &mut Args<'_>) -> Result<u32> {
    one_type("atom", args, session.types(), &session.system.labels.atom)
}

impl Side {
    /// Whether an atom can have another bond.
    fn takes(self, kind: u32, bonds: u64) -> bool {
        kind == self.kind && (self.most == 0 || bonds < self.most)
    }
}

impl Fix for BondCreate {
    fn header(&self) -> &Header {
        &self.header
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

impl HostFix for BondCreate {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let pair = context.session.force_field.acting_pair();
        let cutoff = pair.map_or(Ok(0.0), |pair| pair.resolve().map(|pair| pair.longest_cutoff()))?;
        if self.distance > cutoff {
            let message = format!("bonds at {} are beyond the longest cutoff, {cutoff}", self.distance);
            return Err(Error::new(message).help("take a shorter distance, or a longer cutoff"));
        }
        self.bonds.borrow_mut().get_or_insert_with(|| {
            let mut bonds = ById::default();
            let all = context.session.system.topology.bonds.iter();
            for bond in all.filter(|bond| bond.kind == self.kind && !bond.off) {
                bond.atoms.iter().for_each(|&tag| *bonds.entry(tag) += 1);
            }
            bonds
        });
        Ok(())
    }
}

impl ExchangeAtoms for BondCreate {
    fn next_exchange(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn exchange(
        &self,
        context: &mut FixContext<'_>,
        atoms: &mut Atoms,
        bonds: &mut BondLists,
    ) -> Result<bool> {
        let (domain, system) = (&context.simulation.domain, &context.session.system);
        let topology = Topology { bonds: bonds.iter().copied().collect(), ..system.topology.clone() };
        let (left_out, joined) = (topology.left_out(), topology.partners());
        let mut counts = self.bonds.borrow_mut();
        let counts = counts.get_or_insert_default();
        let near = Neighbors::of_atoms(domain, system.dimension, &atoms.x, self.distance);
        let count = |i: usize| counts.get(atoms.tag[i]).copied().unwrap_or(0);
        let takes = |side: Side, i: usize| side.takes(atoms.kind[i], count(i));
        let [one, other] = self.sides;
        let order = atoms.by_tag();
        let mut partners = Partners::default();
        for &i in order.iter().filter(|&&i| atoms.mask[i] & self.header.group != 0) {
            near.visit(i, |j, _, squared| {
                let tags = [atoms.tag[i], atoms.tag[j]];
                let fits = atoms.mask[j] & self.header.group != 0
                    && squared < self.distance * self.distance
                    && (takes(one, i) && takes(other, j) || takes(other, i) && takes(one, j));
                let bonded =
                    || joined.get(&tags[0]).is_some_and(|list| list.iter().any(|(tag, _)| *tag == tags[1]));
                if tags[0] < tags[1] && fits && !left_out(tags) && !bonded() {
                    partners.offer(tags, -squared);
                }
            });
        }
        let chosen = partners.chosen(&self.chance, context.session.clock.step);
        self.made.add(chosen.len());
        for &pair in &chosen {
            bonds.new.push(Bond::new(self.kind, pair));
            for tag in pair {
                *counts.entry(tag) += 1;
            }
        }
        for &i in &order {
            let tag = atoms.tag[i];
            if !chosen.iter().any(|pair| pair.contains(&tag)) {
                continue;
            }
            let side = if atoms.kind[i] == one.kind { one } else { other };
            if counts.get(tag).is_some_and(|&count| count == side.most) {
                atoms.kind[i] = side.then;
            }
        }
        Ok(!chosen.is_empty())
    }
}

impl FixOutput for BondCreate {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::vector(2))
    }

    /// How many bonds it made the last time, and in all.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(self.made.values())
    }
}

impl FixMemory for BondCreate {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.made.numbers())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.made.restore(restored(numbers)?);
        Ok(())
    }

    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        if let Some(bonds) = self.bonds.get_mut() {
            *bonds = bonds.renumbered(ids);
        }
    }
}
