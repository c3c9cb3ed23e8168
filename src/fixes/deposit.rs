//! `fix deposit`: atoms or molecules are put into a region, one at a time. Source: LAMMPS manual, `fix deposit`; the random
//! numbers are drawn in LAMMPS's order, so that the same places are found.

mod body;
mod distance;
mod kept;

use super::faces;
use crate::base::error::{Error, Result};
use crate::base::format::g;
use crate::base::random::ParkMiller;
use crate::model::atoms::{Atoms, check_type, type_range};
use crate::model::molecule::{Numbers, axis, no_more_ids};
use crate::model::region::Region;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{BondLists, ExchangeAtoms, Fix, FixContext, FixMemory, FixOutput, Header};
use crate::session::snapshot::view::Snapshot;
use body::{Body, Site, largest};
use distance::{apart, lateral};
use std::cell::{Cell, RefCell};

/// Points tried before a region counts as empty.
const MOST_POINTS: u32 = 100_000_000;

/// How high above other atoms a new one begins.
#[derive(Clone, Copy)]
enum Height {
    /// Where the region says.
    Region,
    /// So far above the highest atom.
    Global([f64; 2]),
    /// So far above the highest atom within this lateral distance squared.
    Local([f64; 2], f64),
}

struct Deposit {
    header: Header,
    /// How many atoms or molecules in all.
    count: u64,
    /// The atom type, or what is added to those of a molecule.
    kind: u32,
    /// What is put in instead of an atom.
    body: Option<Body>,
    /// The fix that is to hold each molecule as a rigid body.
    rigid: Option<String>,
    every: i64,
    region: String,
    /// Whether IDs count on from those that there were when the fix was defined (`id next`).
    next_id: bool,
    height: Height,
    /// The least distance from other atoms, squared.
    near_squared: f64,
    attempts: u64,
    /// How fast the region rises.
    rate: f64,
    /// Centre and width of a normal distribution; `None`: uniform.
    gaussian: Option<([f64; 3], f64)>,
    /// Limits of the velocity.
    velocity: [[f64; 2]; 3],
    /// What new atoms fly to.
    target: Option<[f64; 3]>,
    /// The step from which the rise counts.
    first: Cell<i64>,
    random: RefCell<ParkMiller>,
    done: Cell<u64>,
    largest_id: Cell<u32>,
    warned: Cell<bool>,
}

/// All keywords, those from `molfrac` on not supported.
const KEYWORDS: [&str; 20] = [
    "region", "id", "global", "local", "near", "gaussian", "attempt", "rate", "vx", "vy", "vz", "target",
    "units", "mol", "orient", "rigid", "molfrac", "shake", "var", "set",
];

/// Takes `N TYPE EVERY SEED`, `region NAME` and the other keywords.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let count = args.count("the number of atoms", 0)?;
    let word = args.peek();
    // With molecules it is added to the types of their atoms.
    let kind = match args.rest().iter().any(|word| word.text == "mol") {
        true => args.int("a number to add to atom types")?,
        false => atom_type(session, args)?,
    };
    let every = args.count("steps between insertions", 1)? as i64;
    let random = crate::script::seed::park_miller(args)?;
    let scale = faces::scale(session, args);
    let up = session.system.dimension as usize - 1;
    let mut deposit = Deposit {
        header,
        count,
        kind,
        body: None,
        rigid: None,
        every,
        region: String::new(),
        next_id: false,
        height: Height::Region,
        near_squared: 0.0,
        attempts: 10,
        rate: 0.0,
        gaussian: None,
        velocity: [[0.0; 2]; 3],
        target: None,
        first: Cell::new(session.clock.step + 1 - every),
        random: RefCell::new(random),
        done: Cell::new(0),
        largest_id: Cell::new(0),
        warned: Cell::new(false),
    };
    while let Some(word) = args.peek() {
        deposit.keyword(session, word, args, scale, up)?;
    }
    // The word was the name of something else.
    if let (None, Some(word)) = (&deposit.body, word) {
        check_type(args, word, kind as usize, session.types())?;
    }
    if deposit.region.is_empty() {
        args.word("region NAME")?;
    }
    if deposit.next_id {
        deposit.largest_id.set(largest(&session.now().atoms()?.tag));
    }
    Ok(Box::new(deposit))
}

/// Takes one atom type.
pub(super) fn atom_type(session: &Session, args: &mut Args<'_>) -> Result<u32> {
    let types = type_range(args, session.types(), &session.system.labels.atom)?;
    if types.start() != types.end() {
        let word = args.taken().last().cloned().unwrap_or_else(|| args.taken()[0].clone());
        return Err(args.error(&word, "new atoms have one type"));
    }
    Ok(*types.end() as u32)
}

/// Takes the region; it must have bounds, and they must lie in the box.
pub(super) fn region(session: &Session, args: &mut Args<'_>) -> Result<String> {
    let word = args.clone().word("a region")?;
    let domain = session.domain()?;
    let Some([lo, hi]) = session.system.regions.arg(args)?.bounds() else {
        return Err(args.error(word, format_args!("the region {} has no bounds", word.text)));
    };
    // Of a leaning box the block around it counts: what is put beside the box comes in again across its periodic faces.
    let [box_lo, box_hi] = domain.bounds();
    if let Some(d) = (0..3).find(|&d| lo[d] < box_lo[d] || hi[d] > box_hi[d]) {
        let (axis, [lo, hi]) = (["x", "y", "z"][d], [lo[d], hi[d]].map(|x| g(x, 6)));
        let [from, to] = [box_lo[d], box_hi[d]].map(|x| g(x, 6));
        let message = format!("the region {} reaches out of the box", word.text);
        let help = format!("along {axis} it reaches from {lo} to {hi}, the box from {from} to {to}");
        return Err(args.error(word, message).help(help));
    }
    Ok(word.text.clone())
}

/// Takes a charge of new atoms.
pub(super) fn charge(session: &Session, keyword: &Word, args: &mut Args<'_>) -> Result<f64> {
    if !session.has_charges() {
        let style = session.system.atom_style.name;
        return Err(args.error(keyword, format_args!("atoms of style {style} have no charges")));
    }
    args.f64("the charge of new atoms")
}

impl Deposit {
    fn keyword(
        &mut self,
        session: &Session,
        word: &Word,
        args: &mut Args<'_>,
        scale: [f64; 3],
        up: usize,
    ) -> Result<()> {
        match args.one_of("fix deposit keyword", &KEYWORDS.map(|name| (name, name)))? {
            "region" => self.region = region(session, args)?,
            "id" => self.next_id = args.one_of("id", &[("max", false), ("next", true)])?,
            "global" => self.height = Height::Global(pair(args, "a height", scale[up])?),
            "local" => {
                let heights = pair(args, "a height", scale[up])?;
                let around = scale[0] * args.f64("a lateral distance")?;
                self.height = Height::Local(heights, around * around);
            }
            "near" => {
                let near = scale[0] * args.f64("the least distance from other atoms")?;
                self.near_squared = near * near;
            }
            "gaussian" => {
                let centre = triple(args, "a coordinate of the centre", scale)?;
                self.gaussian = Some((centre, scale[0] * args.f64("the width of the distribution")?));
            }
            "attempt" => self.attempts = args.count("how often a place is tried", 1)?,
            "rate" => self.rate = scale[up] * args.f64("the velocity at which the region rises")?,
            axis @ ("vx" | "vy" | "vz") => {
                let d = ["vx", "vy", "vz"].iter().position(|name| *name == axis).unwrap_or_default();
                self.velocity[d] = pair(args, "a limit of the velocity", scale[d])?;
            }
            "target" => self.target = Some(triple(args, "a coordinate of the target", scale)?),
            "units" => faces::units(args)?,
            "mol" => self.body = Some(Body::read(session, args, self.kind)?),
            "orient" => {
                let place = args.peek();
                let axis = axis(session.system.dimension, args, place)?;
                let Some(body) = &mut self.body else {
                    return Err(args.error(word, "`orient` follows `mol NAME`"));
                };
                body.axis = Some(axis);
            }
            "rigid" => {
                let fix = args.word("the name of a rigid fix")?;
                if !session.fixes.iter().any(|other| other.header().id == fix.text) {
                    return Err(args.error(fix, format_args!("there is no fix '{}'", fix.text)));
                }
                self.rigid = Some(fix.text.clone());
            }
            _ => return Err(args.unsupported(word, "fix deposit keyword")),
        }
        Ok(())
    }

    /// A point of the region by chance.
    fn point(&self, region: &Region, [lo, hi]: [[f64; 3]; 2]) -> Result<[f64; 3]> {
        let random = &mut *self.random.borrow_mut();
        for _ in 0..MOST_POINTS {
            let x = match &self.gaussian {
                Some((centre, width)) => std::array::from_fn(|d| centre[d] + random.gaussian() * width),
                None => std::array::from_fn(|d| lo[d] + random.uniform() * (hi[d] - lo[d])),
            };
            if region.contains(x) {
                return Ok(x);
            }
        }
        Err(Error::new(format!("no point of {MOST_POINTS} tried lies in its region {}", self.region)))
    }

    /// A place for a new atom, or the middle of a molecule, and those of its atoms, if one of the attempts finds them.
    fn place(&self, context: &FixContext<'_>, atoms: &Atoms) -> Result<Option<([f64; 3], Vec<Site>)>> {
        let session = context.session;
        let region = session.system.regions.get(&self.region);
        let region = region.ok_or_else(|| Error::new(format!("its region {} is gone", self.region)))?;
        let bounds = region.bounds().ok_or_else(|| Error::new("its region has no bounds"))?;
        let domain = &context.simulation.domain;
        let up = session.system.dimension as usize - 1;
        let risen = (session.clock.step - self.first.get()) as f64 * session.clock.dt * self.rate;
        for _ in 0..self.attempts {
            let mut x = self.point(region, bounds)?;
            x[up] += risen;
            let around = match self.height {
                Height::Region => None,
                Height::Global(heights) => Some((heights, f64::INFINITY)),
                Height::Local(heights, around) => Some((heights, around)),
            };
            if let Some(([lo, hi], around)) = around {
                let beside = |other: &&[f64; 3]| lateral(domain, up, x, **other) <= around;
                let top = atoms.x.iter().filter(beside).map(|other| other[up]).fold(domain.lo[up], f64::max);
                x[up] = top + lo + self.random.borrow_mut().uniform() * (hi - lo);
            }
            let sites = match &self.body {
                Some(body) => body.sites(&mut self.random.borrow_mut(), x, domain, up == 1),
                None => vec![(x, [0; 3])],
            };
            let far = |other: &[f64; 3]| {
                sites.iter().all(|(x, _)| {
                    let [x, y, z] = apart(domain, *x, *other);
                    x * x + y * y + z * z >= self.near_squared
                })
            };
            if atoms.x.iter().all(far) {
                return Ok(Some((x, sites)));
            }
        }
        Ok(None)
    }

    /// The velocity of an atom that begins at `x`.
    fn velocity(&self, x: [f64; 3]) -> [f64; 3] {
        let random = &mut *self.random.borrow_mut();
        let v = self.velocity.map(|[lo, hi]| lo + random.uniform() * (hi - lo));
        let Some(target) = self.target else { return v };
        let speed = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let way: [f64; 3] = std::array::from_fn(|d| target[d] - x[d]);
        let squared = way.iter().map(|x| x * x).sum::<f64>();
        if squared > 0.0 { way.map(|x| x * (1.0 / squared).sqrt() * speed) } else { v }
    }
}

fn pair(args: &mut Args<'_>, what: &str, scale: f64) -> Result<[f64; 2]> {
    Ok([scale * args.f64(what)?, scale * args.f64(what)?])
}

fn triple(args: &mut Args<'_>, what: &str, scale: [f64; 3]) -> Result<[f64; 3]> {
    Ok([scale[0] * args.f64(what)?, scale[1] * args.f64(what)?, scale[2] * args.f64(what)?])
}

impl Fix for Deposit {
    fn header(&self) -> &Header {
        &self.header
    }

    fn counts_steps(&self) -> bool {
        true
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

impl ExchangeAtoms for Deposit {
    fn adds_atoms(&self) -> bool {
        true
    }

    fn most_new_atoms(&self) -> Option<u64> {
        let each = self.body.as_ref().map_or(1, |body| body.molecule.x.len() as u64);
        (self.count - self.done.get().min(self.count)).checked_mul(each)
    }

    fn next_exchange(&self, step: i64) -> Option<i64> {
        let since = (step - self.first.get()).div_euclid(self.every);
        (self.done.get() < self.count).then(|| self.first.get() + (since + 1) * self.every)
    }

    fn exchange(
        &self,
        context: &mut FixContext<'_>,
        atoms: &mut Atoms,
        bonds: &mut BondLists,
    ) -> Result<bool> {
        if !self.next_id {
            self.largest_id.set(largest(&atoms.tag));
            self.body.iter().for_each(|body| body.last.set(largest(&atoms.molecule)));
        }
        let Some((x, sites)) = self.place(context, atoms)? else {
            if !self.warned.replace(true) {
                let id = &self.header.id;
                let text = format!("WARNING: fix {id}: no place was found for some atom in all attempts");
                context.lines.borrow_mut().push(text);
            }
            return Ok(false);
        };
        let last = self.largest_id.get().checked_add(sites.len() as u32);
        let last = last.ok_or_else(|| no_more_ids("atom"))?;
        let first = last - sites.len() as u32 + 1;
        if let Some(tag) = atoms.tag.iter().find(|tag| (first..=last).contains(tag)) {
            return Err(Error::new(format!("there is an atom of ID {tag} already"))
                .help("where several fixes add atoms, leave out 'id next'"));
        }
        self.largest_id.set(last);
        let (v, before) = (self.velocity(x), atoms.len());
        match &self.body {
            Some(body) => {
                let session = context.session;
                let numbers = Numbers {
                    first,
                    more: self.kind,
                    last_molecule: session.has_molecules().then_some(body.last.get()),
                    charged: session.has_charges(),
                };
                bonds.new.extend(body.molecule.join(atoms, &sites, &numbers)?);
                body.last.set(body.last.get().saturating_add(body.molecule.ids()));
            }
            None => atoms.push(first, self.kind, x),
        }
        for i in before..atoms.len() {
            atoms.v[i] = v;
            atoms.mask[i] = 1 | self.header.group;
        }
        if let Some(id) = &self.rigid {
            let fix = context.session.fixes.iter().find(|fix| fix.header().id == *id);
            fix.ok_or_else(|| Error::new(format!("there is no fix '{id}' any more")))?
                .add_body(first..=last)?;
        }
        self.done.set(self.done.get() + 1);
        Ok(true)
    }
}

impl FixOutput for Deposit {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::SCALAR)
    }

    /// How many atoms or molecules it has put in.
    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::scalar(self.done.get() as f64))
    }
}
