//! What the script says of `fix gcmc`.

use super::{Gcmc, Streams};
use crate::base::error::Result;
use crate::fixes::deposit;
use crate::fixes::insertion::Room;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{Fix, Header};
use std::cell::{Cell, RefCell};

/// All that was said, but for the region.
pub(super) struct Settings {
    pub every: i64,
    /// Exchanges and translations to be tried each time, on average.
    pub exchanges: u64,
    pub moves: u64,
    /// Type and charge of new atoms, and the groups besides the fix's that they belong to.
    pub kind: u32,
    pub charge: f64,
    pub groups: u32,
    pub temperature: f64,
    /// The chemical potential, or instead of it the pressure of the reservoir and its fugacity coefficient.
    pub potential: f64,
    pub pressure: Option<f64>,
    pub fugacity: f64,
    /// How far an atom moves at most.
    pub displacement: f64,
    pub full: bool,
    /// The temperature of new atoms over that of the reservoir.
    pub heat: f64,
    /// Atoms that are nearer than this, squared, overlap.
    pub overlap: f64,
    /// Numbers of atoms beyond which none go or come.
    pub least: u64,
    pub most: Option<u64>,
}

/// All keywords, those from `mol` on not supported.
const KEYWORDS: [&str; 17] = [
    "region",
    "pressure",
    "fugacity_coeff",
    "full_energy",
    "charge",
    "group",
    "grouptype",
    "tfac_insert",
    "overlap_cutoff",
    "min",
    "max",
    "mcmoves",
    "mol",
    "rigid",
    "shake",
    "maxangle",
    "intra_energy",
];

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    if session.system.dimension == 2 {
        return Err(args.error_here("fix gcmc is for three dimensions"));
    }
    let every = args.count("steps between exchanges", 1)? as i64;
    let exchanges = args.count("the number of exchanges to try", 0)?;
    let moves = args.count("the number of moves to try", 0)?;
    let kind = deposit::atom_type(session, args)?;
    let random = crate::script::seed::park_miller_from_first(args)?;
    let mut settings = Settings {
        every,
        exchanges,
        moves,
        kind,
        charge: 0.0,
        groups: 0,
        temperature: args.positive("the temperature of the reservoir")?,
        potential: args.f64("the chemical potential")?,
        pressure: None,
        fugacity: 1.0,
        displacement: not_negative(args, "the largest displacement")?,
        full: false,
        heat: 1.0,
        overlap: 0.0,
        least: 0,
        most: None,
    };
    let mut room = Room::default();
    while !args.is_empty() {
        settings.keyword(&mut room, session, args)?;
    }
    Ok(Box::new(Gcmc {
        header,
        settings,
        room,
        streams: RefCell::new(Streams { shared: random.clone(), own: random }),
        first: Cell::new(session.clock.step + 1),
        counts: Cell::default(),
    }))
}

impl Settings {
    fn keyword(&mut self, room: &mut Room, session: &Session, args: &mut Args<'_>) -> Result<()> {
        let Some(word) = args.peek() else { return Ok(()) };
        match args.one_of("fix gcmc keyword", &KEYWORDS.map(|name| (name, name)))? {
            "region" => room.region = Some(deposit::region(session, args)?),
            "pressure" => self.pressure = Some(args.positive("the pressure of the reservoir")?),
            "fugacity_coeff" => self.fugacity = args.positive("the fugacity coefficient")?,
            "full_energy" => self.full = true,
            "charge" => self.charge = deposit::charge(session, word, args)?,
            "group" => self.groups |= session.system.groups.arg(args)?,
            "grouptype" => {
                let kind = deposit::atom_type(session, args)?;
                let group = session.system.groups.arg(args)?;
                self.groups |= if kind == self.kind { group } else { 0 };
            }
            "tfac_insert" => self.heat = not_negative(args, "a factor of the temperature")?,
            "overlap_cutoff" => self.overlap = not_negative(args, "a distance")?.powi(2),
            "min" => self.least = args.count("the least number of atoms", 0)?,
            "max" => self.most = Some(args.count("the largest number of atoms", 0)?),
            "mcmoves" => {
                args.positive("the part of atoms that move")?;
                for _ in 0..2 {
                    let word = args.peek();
                    let part = args.f64("the part of molecules that move or turn")?;
                    if let Some(word) = word.filter(|_| part != 0.0) {
                        return Err(args.error(word, "fix gcmc moves single atoms: no molecules"));
                    }
                }
            }
            _ => return Err(args.unsupported(word, "fix gcmc keyword")),
        }
        Ok(())
    }
}

/// Takes a number from 0 on.
fn not_negative(args: &mut Args<'_>, what: &str) -> Result<f64> {
    let word = args.peek();
    let number = args.f64(what)?;
    match word {
        Some(word) if number < 0.0 => Err(args.error(word, format_args!("{what} must not be negative"))),
        _ => Ok(number),
    }
}
