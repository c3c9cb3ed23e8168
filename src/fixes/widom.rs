//! `fix ID GROUP widom N M TYPE SEED T KEYWORD ...`: the excess chemical potential, from the energies that one more atom would
//! have at places by chance. B. Widom, J. Chem. Phys. 39, 2808 (1963); LAMMPS manual, `fix widom`. The numbers are drawn in
//! LAMMPS's order.

use super::deposit;
use super::insertion::{Room, Rules, TrialAtoms, check_clock, full_energy};
use crate::base::error::Result;
use crate::base::random::ParkMiller;
use crate::base::signals;
use crate::base::steps::next_from;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{
    BondLists, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header, HostFix, restored,
};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;
use std::cell::{Cell, RefCell};

struct Widom {
    header: Header,
    every: i64,
    /// Atoms that are tried each time.
    insertions: u64,
    kind: u32,
    charge: f64,
    temperature: f64,
    room: Room,
    full: bool,
    random: RefCell<ParkMiller>,
    /// The first step in which atoms are tried.
    first: Cell<i64>,
    /// The mean of exp(-E / kB T) of the last step with trials, and the volume then.
    mean: Cell<f64>,
    volume: Cell<f64>,
}

/// Atoms that are tried before the next look for a signal.
const AT_ONCE: u64 = 1 << 14;

/// All keywords, the last two not supported.
const KEYWORDS: [&str; 5] = ["region", "charge", "full_energy", "mol", "intra_energy"];

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    if session.system.dimension == 2 {
        return Err(args.error_here("fix widom is for three dimensions"));
    }
    let every = args.count("steps between trials", 1)? as i64;
    let insertions = args.count("the number of atoms to try", 0)?;
    let kind = deposit::atom_type(session, args)?;
    let random = crate::script::seed::park_miller_from_first(args)?;
    let temperature = args.positive("the temperature")?;
    let (mut room, mut charge, mut full) = (Room::default(), 0.0, false);
    while let Some(word) = args.peek() {
        match args.one_of("fix widom keyword", &KEYWORDS.map(|name| (name, name)))? {
            "region" => room.region = Some(deposit::region(session, args)?),
            "charge" => charge = deposit::charge(session, word, args)?,
            "full_energy" => full = true,
            _ => return Err(args.unsupported(word, "fix widom keyword")),
        }
    }
    Ok(Box::new(Widom {
        header,
        every,
        insertions,
        kind,
        charge,
        temperature,
        room,
        full,
        random: RefCell::new(random),
        first: Cell::new(session.clock.step + 1),
        mean: Cell::new(0.0),
        volume: Cell::new(0.0),
    }))
}

impl Fix for Widom {
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

impl HostFix for Widom {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        full_energy(context.session, self.full)?;
        check_clock(context.session.clock.step, self.first.get())?;
        self.room.measure(context.session, &mut self.random.borrow_mut())?;
        self.volume.set(self.room.volume(&context.simulation.domain));
        Ok(())
    }
}

impl ExchangeAtoms for Widom {
    fn next_exchange(&self, step: i64) -> Option<i64> {
        Some(next_from(self.first.get(), self.every, step))
    }

    /// Nothing changes.
    fn exchange(&self, context: &mut FixContext<'_>, atoms: &mut Atoms, _: &mut BondLists) -> Result<bool> {
        let (session, domain) = (context.session, &context.simulation.domain);
        let rules = Rules { full: full_energy(session, self.full)?, ..Rules::default() };
        let trial_atoms = TrialAtoms::new(context, atoms, rules)?;
        let limits = self.room.limits(session)?;
        let random = &mut *self.random.borrow_mut();
        let presence = trial_atoms.presence(self.kind, self.charge, false);
        let beta = 1.0 / (session.system.units.boltz * self.temperature);
        let (kind, charge) = (self.kind, self.charge);
        let factor = |x: &[f64; 3]| (-beta * (trial_atoms.energy(kind, charge, *x, None) + presence)).exp();
        let (mut mean, mut tried) = (0.0, 0);
        while tried < self.insertions && !signals::interrupted() {
            let some = tried..self.insertions.min(tried + AT_ONCE);
            let wanted = some.end;
            let points: Vec<[f64; 3]> = some.map_while(|_| Room::point(limits, domain, random)).collect();
            let factors: Vec<f64> = points.par_iter().map(factor).collect();
            for factor in factors {
                tried += 1;
                mean += (factor - mean) / tried as f64;
            }
            if tried < wanted {
                break; // there is no place for more
            }
        }
        self.mean.set(mean);
        self.volume.set(self.room.volume(domain));
        Ok(false)
    }
}

impl FixOutput for Widom {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::vector(3))
    }

    /// The excess chemical potential, the mean of exp(-E / kB T), the volume.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mean = self.mean.get();
        let potential =
            if mean > 0.0 { -system.session.system.units.boltz * self.temperature * mean.ln() } else { 0.0 };
        Ok(Values::vector(vec![potential, mean, self.volume.get()]))
    }
}

impl FixMemory for Widom {
    /// Where the random numbers are, when it began, what was found last, and the volume of its region (NaN for none).
    fn restart_state(&self) -> Option<Vec<f64>> {
        let [seed, _] = self.random.borrow().numbers();
        let region = self.room.estimate.get().unwrap_or(f64::NAN);
        Some(vec![seed, self.first.get() as f64, self.mean.get(), self.volume.get(), region])
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let [seed, first, mean, volume, region] = restored(numbers)?;
        self.random = RefCell::new(ParkMiller::of_state([seed, f64::NAN]));
        self.first.set(first as i64);
        self.mean.set(mean);
        self.volume.set(volume);
        self.room.estimate.set(Some(region).filter(|volume| !volume.is_nan()));
        Ok(())
    }
}
