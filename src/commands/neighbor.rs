//! `neighbor` and `neigh_modify`.

use crate::base::error::Result;
use crate::engine::neighbor::Settings;
use crate::model::atoms::one_type;
use crate::model::exclude::Exclude;
use crate::script::Args;
use crate::session::Session;

/// `neighbor SKIN bin|nsq|multi`: the three ways give the same pairs; `multi` has [long ones](crate::engine::neighbor::long_pairs) in lists of
/// their own in small systems, too.
///
/// # Errors
/// At an argument that does not fit.
pub fn neighbor(settings: &mut Settings, args: &mut Args<'_>) -> Result<()> {
    let word = args.peek();
    let skin = args.f64("the skin distance")?;
    if let (Some(word), true) = (word, skin < 0.0) {
        return Err(args.error(word, "the skin distance must not be negative"));
    }
    let ways = [("bin", false), ("nsq", false), ("multi", true), ("multi/old", true)];
    let multi = args.one_of("way to build lists", &ways)?;
    args.finish()?;
    (settings.skin, settings.multi) = (skin, multi);
    Ok(())
}

/// `neigh_modify every N delay N check yes|no one N page N`, `exclude type I J|group G1 G2|molecule/intra G|
/// molecule/inter G|none`, in any order.
///
/// # Errors
/// At an argument that does not fit, or when `delay` is not a multiple of `every`.
pub fn neigh_modify(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    if args.is_empty() {
        args.word("a keyword (every, delay, check, one, exclude)")?;
    }
    while let Some(word) = args.peek() {
        let keywords = [
            ("every", 0),
            ("delay", 1),
            ("check", 2),
            ("one", 3),
            ("page", 4),
            ("cluster", 5),
            ("exclude", 6),
            ("once", 7),
            ("binsize", 8),
            ("collection/type", 9),
            ("collection/interval", 9),
        ];
        if word.text == "include" {
            let error = args.unsupported(word, "keyword");
            return Err(error.help("it needs a group that `atom_modify first` has put first in memory"));
        }
        let settings = &mut session.neighbor;
        match args.one_of("keyword", &keywords)? {
            0 => settings.every = args.count("a number of steps", 1)?,
            1 => settings.delay = args.count("a number of steps", 0)?,
            2 => settings.check = args.yes_no()?,
            3 => settings.one = Some(args.count("a number of neighbours", 1)? as usize),
            4 => {
                args.count("a number of neighbours", 1)?;
            }
            5 => {
                // Lists have the same pairs; LAMMPS checks bonds besides, which is done here in any case.
                args.yes_no()?;
            }
            7 => settings.once = args.yes_no()?,
            // Of the cells that LAMMPS finds neighbours with.
            8 => _ = args.f64("a width of cells")?,
            9 => {
                for _ in 0..args.count("a number of collections", 1)? {
                    args.word("what is in a collection")?;
                }
            }
            _ => match exclude(session, args)? {
                Some(pairs) => session.neighbor.exclude.push(pairs),
                None => session.neighbor.exclude.clear(),
            },
        }
    }
    let settings = &session.neighbor;
    if !settings.delay.is_multiple_of(settings.every) {
        return Err(args
            .error_here(format_args!(
                "delay ({}) must be a multiple of every ({})",
                settings.delay, settings.every
            ))
            .help("a rebuild is possible only at steps that are multiples of `every` since the last one"));
    }
    Ok(())
}

/// Takes which pairs are left out; `None`: none any more.
fn exclude(session: &Session, args: &mut Args<'_>) -> Result<Option<Exclude>> {
    let kinds = [("type", 0), ("group", 1), ("molecule/intra", 2), ("molecule/inter", 3), ("none", 4)];
    let word = args.peek();
    Ok(match args.one_of("kind of pairs", &kinds)? {
        0 => {
            session.domain()?;
            let types = session.types();
            let mut pair = [0; 2];
            for kind in &mut pair {
                *kind = one_type("atom", args, types, &session.system.labels.atom)? as usize;
            }
            Some(Exclude::Types(pair[0], pair[1]))
        }
        1 => Some(Exclude::Groups(session.system.groups.arg(args)?, session.system.groups.arg(args)?)),
        4 => None,
        kind => {
            if let (Some(word), false) = (word, session.has_molecules()) {
                let message = format!("atoms of style {} have no molecules", session.system.atom_style.name);
                return Err(args.error(word, message));
            }
            Some(Exclude::BondedTopology { group: session.system.groups.arg(args)?, same: kind == 2 })
        }
    })
}
