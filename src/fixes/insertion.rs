//! What `fix widom` and `fix gcmc` share: where an atom is put by chance, and its energy with all others, on the host.

use crate::base::error::{Error, Result};
use crate::base::random::ParkMiller;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::region::Region;
use crate::potentials::pair::Resolved;
use crate::session::Session;
use crate::session::compute::Neighbors;
use crate::session::compute::style::pair_cutoff;
use crate::session::fix::{Fix, FixContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

/// Points from which the volume of a region is estimated, as in LAMMPS.
const POINTS: u32 = 10_000_000;

/// Tries to find a point in a region.
pub(super) const TRIES: u32 = 1000;

/// So many atoms may be elsewhere than the search by cells knows before it is made anew.
const MOST_MOVED: usize = 32;

/// No move is made to an energy like this, as in LAMMPS.
pub(super) const HIGHEST: f64 = 1e50;

/// The energy of atoms that overlap.
const OVERLAP: f64 = 1e100;

/// A region and the block around it.
pub(super) type Limits<'a> = (&'a Region, [[f64; 3]; 2]);

/// The box, or a region of it.
#[derive(Default)]
pub(super) struct Room {
    pub region: Option<String>,
    /// Of the region, once it has been estimated.
    pub estimate: Cell<Option<f64>>,
}

impl Room {
    fn region<'a>(&self, session: &'a Session) -> Result<Option<&'a Region>> {
        let Some(name) = &self.region else { return Ok(None) };
        let region = session.system.regions.get(name);
        region.map(Some).ok_or_else(|| Error::new(format!("its region {name} is gone")))
    }

    /// Where atoms may be: everywhere, or in a region with its bounds.
    pub(super) fn limits<'a>(&self, session: &'a Session) -> Result<Option<Limits<'a>>> {
        let Some(region) = self.region(session)? else { return Ok(None) };
        let bounds = region.bounds().ok_or_else(|| Error::new("its region has no bounds"))?;
        Ok(Some((region, bounds)))
    }

    /// Estimates the volume of the region from points by chance, where that is not known.
    ///
    /// # Errors
    /// When the region is gone.
    pub(super) fn measure(&self, session: &Session, random: &mut ParkMiller) -> Result<()> {
        if let (Some((region, [lo, hi])), None) = (self.limits(session)?, self.estimate.get()) {
            let inside = (0..POINTS).filter(|_| region.contains(between(lo, hi, random))).count();
            let block: f64 = (0..3).map(|d| hi[d] - lo[d]).product();
            self.estimate.set(Some(block * inside as f64 / f64::from(POINTS)));
        }
        Ok(())
    }

    /// The volume in which atoms may be.
    pub(super) fn volume(&self, domain: &Domain) -> f64 {
        self.estimate.get().unwrap_or_else(|| domain.volume(3))
    }

    /// A point by chance; `None` where none of many lies in the region.
    pub(super) fn point(
        limits: Option<Limits<'_>>,
        domain: &Domain,
        random: &mut ParkMiller,
    ) -> Option<[f64; 3]> {
        match limits {
            Some((region, [lo, hi])) => {
                (0..=TRIES).map(|_| between(lo, hi, random)).find(|x| region.contains(*x))
            }
            None if domain.triclinic => {
                let fractions = [0; 3].map(|_| random.uniform());
                Some(domain.at_fractions(fractions))
            }
            None => Some(between(domain.lo, domain.hi, random)),
        }
    }
}

/// That the steps have not been counted anew since the fix was defined, whose first step that was.
///
/// # Errors
/// When they have.
pub(super) fn check_clock(step: i64, first: i64) -> Result<()> {
    if step + 1 >= first {
        return Ok(());
    }
    let error =
        Error::new(format!("it was defined for steps from {first} on, and the next one is {}", step + 1));
    Err(error.help("define the fix after reset_timestep"))
}

fn between(lo: [f64; 3], hi: [f64; 3], random: &mut ParkMiller) -> [f64; 3] {
    std::array::from_fn(|d| lo[d] + random.uniform() * (hi[d] - lo[d]))
}

/// What of the energy counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rules {
    /// `full_energy`: also tail corrections, and what charges have by themselves.
    pub full: bool,
    /// Below this distance squared nothing counts but that atoms overlap.
    pub overlap: f64,
}

/// All atoms, of which some come, go and move.
pub(super) struct TrialAtoms<'a> {
    domain: &'a Domain,
    resolved: Resolved<'a>,
    cutoff: f64,
    rules: Rules,
    /// Energy times distance per square of charge; 0 where charges do not matter.
    unit: f64,
    x: Vec<[f64; 3]>,
    kind: Vec<u32>,
    charge: Vec<f64>,
    there: Vec<bool>,
    /// Per type.
    counts: Vec<u64>,
    neighbors: Neighbors,
    /// Whether the search knows where an atom is.
    known: Vec<bool>,
    /// Those that are elsewhere than it thinks.
    moved: Vec<usize>,
    /// From a box to those around it, as far as pairs reach.
    images: Vec<[f64; 3]>,
}

impl<'a> TrialAtoms<'a> {
    /// Of these atoms, in the box of the run.
    ///
    /// # Errors
    /// When an atom would meet its own images.
    pub(super) fn new(context: &'a FixContext<'_>, atoms: &Atoms, rules: Rules) -> Result<Self> {
        let (session, domain) = (context.session, &context.simulation.domain);
        let pair = session.force_field.given_pair()?;
        let resolved = pair.resolve_two_body("an energy of single atoms")?;
        let cutoff = pair_cutoff(&context.system())?;
        let length = domain.lengths();
        if let Some(d) = (0..3).find(|&d| domain.periodic(d) && length[d] < cutoff) {
            let axis = ["x", "y", "z"][d];
            let error = format!(
                "the box is shorter along {axis} than the cutoff, so that new atoms would meet themselves"
            );
            return Err(Error::new(error).help("replicate it, or take a shorter cutoff"));
        }
        let mut counts = vec![0; resolved.types];
        atoms.kind.iter().for_each(|&kind| counts[kind as usize - 1] += 1);
        let count = atoms.len();
        Ok(TrialAtoms {
            domain,
            cutoff,
            rules,
            unit: if resolved.seen().charges {
                session.system.units.qqr2e / session.force_field.dielectric
            } else {
                0.0
            },
            resolved,
            x: atoms.x.clone(),
            kind: atoms.kind.clone(),
            charge: atoms.charge.clone(),
            there: vec![true; count],
            counts,
            neighbors: Neighbors::of_atoms(domain, 3, &atoms.x, cutoff),
            known: vec![true; count],
            moved: Vec::new(),
            images: images(domain, cutoff),
        })
    }

    /// Where an atom is.
    pub(super) fn position(&self, i: usize) -> [f64; 3] {
        self.x[i]
    }

    /// Those that are there, by the numbers that they had at first; newer ones behind them.
    pub(super) fn there(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.x.len()).filter(|&i| self.there[i])
    }

    /// The energy of an atom at a place with all others but `except`.
    pub(super) fn energy(&self, kind: u32, charge: f64, x: [f64; 3], except: Option<usize>) -> f64 {
        let (mut sum, mut overlap) = (0.0, false);
        let mut add = |j: usize, rsq: f64| {
            overlap |= rsq < self.rules.overlap;
            let (mine, theirs) = (kind as usize, self.kind[j] as usize);
            sum += self.resolved.evaluate(mine, theirs, rsq).1;
            let qq = self.unit * charge * self.charge[j];
            if qq != 0.0 {
                sum += qq * self.resolved.coulomb(mine, theirs, rsq, 0.0).1;
            }
        };
        self.neighbors.visit_near(self.domain.straighten(x), |j, rsq| {
            if self.known[j] && Some(j) != except {
                add(j, rsq);
            }
        });
        for &j in self.moved.iter().filter(|&&j| Some(j) != except) {
            let way = std::array::from_fn(|d| x[d] - self.x[j][d]);
            let way = self.domain.nearest(way, [0, 1, 2].map(|d| self.domain.periodic(d)));
            for image in &self.images {
                let rsq = (0..3).map(|d| (way[d] + image[d]).powi(2)).sum();
                if rsq < self.cutoff * self.cutoff {
                    add(j, rsq);
                }
            }
        }
        if overlap { OVERLAP } else { sum }
    }

    /// The energy of an atom that is there.
    pub(super) fn energy_of(&self, i: usize) -> f64 {
        self.energy(self.kind[i], self.charge[i], self.x[i], Some(i))
    }

    /// The energy that it would have at another place.
    pub(super) fn energy_at(&self, i: usize, x: [f64; 3]) -> f64 {
        self.energy(self.kind[i], self.charge[i], x, Some(i))
    }

    /// What of the energy of one more atom does not depend on its place, `counted` if it is there already: of the tail, and
    /// what its charge has by itself.
    pub(super) fn presence(&self, kind: u32, charge: f64, counted: bool) -> f64 {
        if !self.rules.full {
            return 0.0;
        }
        let mut others = self.counts.clone();
        others[kind as usize - 1] -= u64::from(counted);
        let mut all = others.clone();
        all[kind as usize - 1] += 1;
        let tail = |counts: &[u64]| self.resolved.tail(counts, self.domain.volume(3)).0;
        let own = self.unit * charge * charge * self.resolved.own_energies()[kind as usize - 1];
        tail(&all) - tail(&others) + own
    }

    /// The same of an atom that is there.
    pub(super) fn presence_of(&self, i: usize) -> f64 {
        self.presence(self.kind[i], self.charge[i], true)
    }

    /// Puts an atom elsewhere.
    pub(super) fn put(&mut self, i: usize, x: [f64; 3]) {
        self.x[i] = x;
        if std::mem::take(&mut self.known[i]) {
            self.moved.push(i);
        }
        self.search_anew();
    }

    /// Adds one; returns its number.
    pub(super) fn add(&mut self, kind: u32, charge: f64, x: [f64; 3]) -> usize {
        self.x.push(x);
        self.kind.push(kind);
        self.charge.push(charge);
        self.there.push(true);
        self.known.push(false);
        self.counts[kind as usize - 1] += 1;
        self.moved.push(self.x.len() - 1);
        self.search_anew();
        self.x.len() - 1
    }

    /// Takes one away.
    pub(super) fn remove(&mut self, i: usize) {
        (self.there[i], self.known[i]) = (false, false);
        self.counts[self.kind[i] as usize - 1] -= 1;
        self.moved.retain(|&moved| moved != i);
    }

    fn search_anew(&mut self) {
        if self.moved.len() > MOST_MOVED {
            self.neighbors = Neighbors::of_atoms(self.domain, 3, &self.x, self.cutoff);
            self.known.clone_from(&self.there);
            self.moved.clear();
        }
    }
}

/// The ways from a box to those whose atoms may be within the cutoff of one of its own, nearest images being looked at.
fn images(domain: &Domain, cutoff: f64) -> Vec<[f64; 3]> {
    let (length, edges) = (domain.lengths(), domain.edges());
    let mut counts = [0; 3];
    // Where boxes lean, those above one another are not opposite to each other.
    let mut leaning = 0;
    for d in (0..3).rev().filter(|&d| domain.periodic(d)) {
        counts[d] = (cutoff / length[d] + 0.5) as i32 + leaning;
        leaning += if domain.triclinic { counts[d] } else { 0 };
    }
    let [a, b, c] = counts.map(|count| -count..=count);
    let places = c.flat_map(|c| b.clone().map(move |b| (b, c)));
    let places = places.flat_map(|(b, c)| a.clone().map(move |a| [a, b, c].map(f64::from)));
    places.map(|n| std::array::from_fn(|d| (0..3).map(|k| n[k] * edges[k][d]).sum())).collect()
}

/// Whether all energies count: where the script says so, or partial ones would leave out tails; fixes must have none then.
///
/// # Errors
/// When a fix adds energy.
pub(super) fn full_energy(session: &Session, asked: bool) -> Result<bool> {
    let style = session.force_field.given_pair()?;
    let pair = style.resolve()?;
    let full =
        asked || style.is_many_body() || pair.parts.len() > 1 || pair.parts.iter().any(|part| part.tail);
    if full {
        check_fix_energies(session, ", or full_energy and tail corrections")?;
    }
    Ok(full)
}

/// That no fix adds energy; `or_else` is what else could be taken away.
///
/// # Errors
/// When one does.
pub(super) fn check_fix_energies(session: &Session, or_else: &str) -> Result<()> {
    let counts = |fix: &dyn Fix| fix.measured().is_some_and(|measured| measured.counts_energy());
    let Some(fix) = session.fixes.iter().find(|fix| counts(&***fix)) else { return Ok(()) };
    let id = &fix.header().id;
    let error = Error::new(format!("it cannot count the energy of fix {id}"));
    Err(error.help(format!("take `fix_modify {id} energy yes` away{or_else}")))
}

/// Checks that the atoms of a group may go one by one.
///
/// # Errors
/// When it belongs to a molecule.
pub(super) fn check_single(system: &Snapshot<'_>, group: u32) -> Result<()> {
    let atoms = system.atoms()?;
    match (0..atoms.len()).find(|&i| atoms.mask[i] & group != 0 && atoms.molecule[i] != 0) {
        Some(i) => Err(Error::new(format!("atom {} of its group belongs to a molecule", atoms.tag[i]))
            .help("take a group of single atoms")),
        None => Ok(()),
    }
}
