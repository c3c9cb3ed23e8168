//! `fix ID GROUP bond/break N TYPE RMAX [prob P SEED]`: bonds longer than a distance go for good; of several at one atom the longest does.
//! Source: LAMMPS manual, `fix bond/break`.

use super::bonding::{self, Chance, Counts, Partners};
use crate::base::error::Result;
use crate::base::steps::next_multiple;
use crate::model::atoms::{Atoms, ById};
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{
    BondLists, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header, restored,
};
use crate::session::snapshot::view::Snapshot;

struct BondBreak {
    header: Header,
    every: u64,
    kind: u32,
    longest: f64,
    chance: Chance,
    broken: Counts,
}

/// Takes how often, the bond type, the longest that a bond may be, and `prob`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    bonding::needed(session, args)?;
    let every = args.count("steps between", 1)?;
    let kind = bonding::bond_type(session, args)?;
    let longest = args.not_negative("the longest that a bond may be")?;
    let mut chance = Chance::default();
    while !args.is_empty() {
        args.one_of("keyword of fix bond/break", &[("prob", ())])?;
        chance = Chance::read(args)?;
    }
    Ok(Box::new(BondBreak { header, every, kind, longest, chance, broken: Counts::default() }))
}

impl Fix for BondBreak {
    fn header(&self) -> &Header {
        &self.header
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

impl ExchangeAtoms for BondBreak {
    fn next_exchange(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn exchange(
        &self,
        context: &mut FixContext<'_>,
        atoms: &mut Atoms,
        bonds: &mut BondLists,
    ) -> Result<bool> {
        let domain = &context.simulation.domain;
        let periodic = std::array::from_fn(|d| domain.periodic(d));
        let place: ById<usize> = atoms.tag.iter().copied().zip(0..).collect();
        let mut partners = Partners::default();
        for bond in bonds.iter().filter(|bond| bond.kind == self.kind && !bond.off) {
            let [Some(&i), Some(&j)] = bond.atoms.map(|tag| place.get(tag)) else { continue };
            if atoms.mask[i] & atoms.mask[j] & self.header.group == 0 {
                continue;
            }
            let way = domain.nearest(std::array::from_fn(|d| atoms.x[i][d] - atoms.x[j][d]), periodic);
            let squared = way.iter().map(|x| x * x).sum::<f64>();
            if squared > self.longest * self.longest {
                partners.offer(bond.atoms, squared);
            }
        }
        let chosen = partners.chosen(&self.chance, context.session.clock.step);
        self.broken.add(chosen.len());
        let is_chosen = |[a, b]: [u32; 2]| chosen.binary_search(&[a.min(b), a.max(b)]).is_ok();
        bonds.retain(|bond| bond.kind != self.kind || bond.off || !is_chosen(bond.atoms));
        Ok(!chosen.is_empty())
    }
}

impl FixOutput for BondBreak {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::vector(2))
    }

    /// How many bonds it broke the last time, and in all.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(self.broken.values())
    }
}

impl FixMemory for BondBreak {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.broken.numbers())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.broken.restore(restored(numbers)?);
        Ok(())
    }
}
