//! `fix ID GROUP evaporate N M REGION SEED [molecule yes|no]`: atoms are taken out of a region by chance. Source: LAMMPS
//! manual, `fix evaporate`.

use crate::base::error::{Error, Result};
use crate::base::random::ParkMiller;
use crate::base::steps::next_multiple;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{BondLists, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header};
use crate::session::snapshot::view::Snapshot;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

struct Evaporate {
    header: Header,
    every: u64,
    /// How many atoms at most each time.
    most: u64,
    region: String,
    /// Whether the other atoms of a molecule go along.
    molecule: bool,
    random: RefCell<ParkMiller>,
    gone: Cell<u64>,
}

/// Takes how often, how many atoms at most, the region, the seed, and `molecule`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between removals", 1)?;
    let most = args.count("the number of atoms to remove each time", 1)?;
    let region = args.clone().word("a region")?.text.clone();
    session.system.regions.moving_arg(args)?;
    let random = RefCell::new(crate::script::seed::park_miller(args)?);
    let mut molecule = false;
    while let Some(word) = args.peek() {
        args.one_of("fix evaporate keyword", &[("molecule", ())])?;
        molecule = args.yes_no()?;
        if molecule && !session.has_molecules() {
            return Err(args.error(
                word,
                format_args!("atoms of style {} have no molecules", session.system.atom_style.name),
            ));
        }
    }
    Ok(Box::new(Evaporate { header, every, most, region, molecule, random, gone: Cell::new(0) }))
}

impl Evaporate {
    /// The indices of the atoms to go; chosen in the order of IDs, so that chance does not depend on the device.
    fn choose(&self, atoms: &Atoms, mut candidates: Vec<usize>) -> BTreeSet<usize> {
        let random = &mut *self.random.borrow_mut();
        let mut gone = BTreeSet::new();
        while !candidates.is_empty() && (gone.len() as u64) < self.most {
            let place = (candidates.len() as f64 * random.uniform()) as usize;
            let one = candidates.swap_remove(place);
            gone.insert(one);
            let molecule = atoms.molecule[one];
            if self.molecule && molecule != 0 {
                gone.extend((0..atoms.len()).filter(|&i| atoms.molecule[i] == molecule));
                let mut i = 0;
                while i < candidates.len() {
                    if gone.contains(&candidates[i]) { _ = candidates.swap_remove(i) } else { i += 1 }
                }
            }
        }
        gone
    }
}

impl Fix for Evaporate {
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

impl ExchangeAtoms for Evaporate {
    fn next_exchange(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn exchange(&self, context: &mut FixContext<'_>, atoms: &mut Atoms, _: &mut BondLists) -> Result<bool> {
        let region = context.session.system.regions.get(&self.region);
        let region = region.ok_or_else(|| Error::new(format!("its region {} is gone", self.region)))?;
        let region = context.system().placed(region)?.into_owned();
        let chosen = |&i: &usize| atoms.mask[i] & self.header.group != 0 && region.contains(atoms.x[i]);
        let candidates = atoms.by_tag().into_iter().filter(chosen).collect();
        let gone = self.choose(atoms, candidates);
        self.gone.set(self.gone.get() + gone.len() as u64);
        if !gone.is_empty() {
            atoms.retain(|i| !gone.contains(&i));
        }
        Ok(!gone.is_empty())
    }
}

impl FixOutput for Evaporate {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    /// How many atoms it has removed.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.gone.get() as f64))
    }
}

impl FixMemory for Evaporate {
    /// Seed and how many atoms have gone.
    fn restart_state(&self) -> Option<Vec<f64>> {
        let [seed, _] = self.random.borrow().numbers();
        Some(vec![seed, self.gone.get() as f64])
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let &[seed, gone] = numbers else {
            return Err(Error::new("the restart file holds something else of this fix"));
        };
        self.random = RefCell::new(ParkMiller::of_state([seed, f64::NAN]));
        self.gone.set(gone as u64);
        Ok(())
    }
}
