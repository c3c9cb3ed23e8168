//! The words of the rigid fixes: which atoms make which body, and the keywords.

use super::body::Turn;
use super::chains::Shape;
use super::infile::{self, Described};
use super::langevin::Langevin;
use crate::base::error::Result;
use crate::base::random::Ranmar;
use crate::base::vector::Vector;
use crate::fixes::thermostat::Target;
use crate::model::atoms::{Atoms, range_of};
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::fix::Header;
use crate::session::snapshot::{Form, Input};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// What a style of these fixes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// One of many small bodies (`.../small`), which may come during a run and have no forces and torques to be switched off.
    pub small: bool,
    pub turn: Turn,
    /// Chains hold the temperature.
    pub chains: bool,
}

/// Numbers and atom IDs of bodies.
pub(super) type Members = Vec<(i64, Vec<u32>)>;

/// Bodies by their place from 1, of what (0 forces, 1 torques), 1 for components that count, else 0.
type Free = (RangeInclusive<usize>, usize, Vector);

/// What the keywords say.
pub(super) struct Options {
    pub langevin: Option<Langevin>,
    /// Target and period of the chains.
    pub temperature: Option<(Target, f64)>,
    pub shape: Shape,
    /// Whether each run makes the bodies anew.
    pub reinit: bool,
    pub described: Vec<Described>,
    /// The number of atoms of the molecule that comes during runs.
    pub molecule: Option<usize>,
    /// The fix gravity that pulls at the centres.
    pub gravity: Option<String>,
    /// Which components of forces and torques count.
    pub free: Vec<Free>,
}

/// Takes `single`, `molecule`, `group N G1 ... GN` or `custom VALUE`, with the atoms of the fix's group.
///
/// # Errors
/// At a word that does not fit, when an atom is in two bodies, or a body has fewer than two atoms.
pub(super) fn members(
    header: &Header,
    style: Style,
    session: &Session,
    args: &mut Args<'_>,
) -> Result<Members> {
    let ways = [("molecule", 0), ("custom", 1), ("single", 2), ("group", 3)];
    let ways = if style.small { &ways[..2] } else { &ways[..] };
    let word = args.peek();
    let way = args.one_of("way to make bodies", ways)?;
    let system = session.now();
    let atoms = system.atoms()?;
    let inside: Vec<usize> = (0..atoms.len()).filter(|&i| atoms.mask[i] & header.group != 0).collect();
    let by_value = |values: &dyn Fn(usize) -> i64| {
        let mut bodies: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        inside.iter().for_each(|&i| bodies.entry(values(i)).or_default().push(atoms.tag[i]));
        bodies
    };
    let bodies: Members = match way {
        0 => {
            session.check_property("mol").map_err(|error| match word {
                Some(word) => args.place(word, error),
                None => error,
            })?;
            by_value(&|i| i64::from(atoms.molecule[i])).into_iter().collect()
        }
        1 => {
            let values = custom(session, atoms, args)?;
            let bodies = by_value(&|i| values[i]);
            // Counted from the smallest value on, as 1.
            let least = bodies.keys().next().copied().unwrap_or(0);
            bodies.into_iter().map(|(value, tags)| (value - least + 1, tags)).collect()
        }
        2 => vec![(1, inside.iter().map(|&i| atoms.tag[i]).collect())],
        _ => groups(session, atoms, &inside, args)?,
    };
    let Some(word) = word else { return Ok(bodies) };
    if let Some((id, tags)) = bodies.iter().find(|(_, tags)| tags.len() < 2) {
        let (how_many, of) =
            (if tags.is_empty() { "no atoms" } else { "one atom only" }, ["molecule ", "value "]);
        let body =
            if way == 2 { String::new() } else { format!(" of {}{id}", of.get(way).unwrap_or(&"group ")) };
        let message = format!("the rigid body{body} has {how_many}");
        return Err(args
            .error(word, message)
            .help("bodies have two atoms or more: limit the fix to a group of such"));
    }
    if bodies.is_empty() && !style.small {
        let group = session.system.groups.name(header.group);
        return Err(args.error(word, format_args!("there are no atoms in group {group} to make bodies of")));
    }
    Ok(bodies)
}

/// Takes `i_NAME` or `v_NAME`; its values, which are integers.
fn custom(session: &Session, atoms: &Atoms, args: &mut Args<'_>) -> Result<Vec<i64>> {
    let word = args.word("i_NAME or v_NAME")?;
    if word.text.starts_with("i_") {
        session.check_property(&word.text).map_err(|error| args.place(word, error))?;
        let values = atoms.custom.get(&word.text).unwrap_or_default();
        return Ok(values.iter().map(|&value| value as i64).collect());
    }
    let variable = word.text.starts_with("v_");
    let Some(input) = Input::read(session, args, word, Form::PerAtom)?.filter(|_| variable) else {
        let message = format!("'{}' gives no number of a body per atom", word.text);
        return Err(args.error(word, message).label("expected i_NAME of fix property/atom, or v_NAME"));
    };
    let values = input[0].per_atom(&session.now())?;
    if values.iter().any(|value| !value.is_finite()) {
        return Err(args.error(word, "some atom has no finite number"));
    }
    Ok(values.into_iter().map(|value| value.round() as i64).collect())
}

/// Takes `N G1 ... GN`.
fn groups(session: &Session, atoms: &Atoms, inside: &[usize], args: &mut Args<'_>) -> Result<Members> {
    let count = args.count("the number of groups", 1)?;
    let mut bodies = Members::new();
    let mut taken = 0;
    for id in 1..=count {
        let word = args.peek();
        let bit = session.system.groups.arg(args)?;
        let own = || inside.iter().filter(|&&i| atoms.mask[i] & bit != 0);
        if let (Some(&i), Some(word)) = (own().find(|&&i| atoms.mask[i] & taken != 0), word) {
            let message = format!("atom {} of group {} is in another body, too", atoms.tag[i], word.text);
            return Err(args.error(word, message).help("an atom can be in one body only"));
        }
        taken |= bit;
        bodies.push((id as i64, own().map(|&i| atoms.tag[i]).collect()));
    }
    Ok(bodies)
}

/// Takes the keywords.
///
/// # Errors
/// At a word that does not fit.
pub(super) fn options(
    style: Style,
    bodies: &Members,
    session: &Session,
    args: &mut Args<'_>,
) -> Result<Options> {
    let mut options = Options {
        langevin: None,
        temperature: None,
        shape: Shape { links: 10, loops: 1, order: 3 },
        reinit: true,
        described: Vec::new(),
        molecule: None,
        gravity: None,
        free: Vec::new(),
    };
    let own: &[&'static str] = match (style.small, style.chains) {
        (false, false) => &["langevin", "force", "torque"],
        (false, true) => &["temp", "tparam", "force", "torque"],
        (true, false) => &["langevin", "mol"],
        (true, true) => &["temp", "tparam", "mol"],
    };
    let keywords: Vec<_> =
        own.iter().chain(&["infile", "reinit", "gravity"]).map(|&name| (name, name)).collect();
    let mut reinit = None;
    while let Some(word) = args.peek() {
        match args.one_of("keyword of this fix", &keywords)? {
            "langevin" => {
                let target = Target::read(session, args)?;
                let damp = args.positive("the damping time")?;
                options.langevin = Some(Langevin::new(target, damp, seed(args)?));
            }
            "temp" => {
                options.temperature = Some((Target::read(session, args)?, args.positive("the period")?));
            }
            "tparam" => {
                let links = args.count_up_to("the length of the chains", 1, 1000)?;
                let loops = args.count_up_to("parts of a step of the chains", 1, 1000)?;
                let order = args.one_of("order", &[("3", 3), ("5", 5)])?;
                options.shape = Shape { links, loops, order };
            }
            "infile" => {
                let word = args.word("a file name")?;
                let known = |id| bodies.iter().any(|body| body.0 == id);
                options.described = infile::read(args, word, &known)?;
                reinit = reinit.or(Some(false));
            }
            "reinit" => reinit = Some(args.yes_no()?),
            "mol" => options.molecule = Some(crate::session::molecules::template(session, args, 0)?.x.len()),
            "gravity" => {
                let word = args.word("the name of a fix gravity")?;
                let fix = session.fixes.iter().find(|fix| fix.header().id == word.text);
                if fix.is_none_or(|fix| fix.header().style != "gravity") {
                    return Err(args.error(word, format_args!("'{}' is no fix gravity", word.text)));
                }
                options.gravity = Some(word.text.clone());
            }
            which => {
                let free = flags(which, word, bodies.len(), session, args)?;
                options.free.push(free);
            }
        }
    }
    options.reinit = reinit.unwrap_or(true);
    if style.chains && options.temperature.is_none() {
        args.word("temp TSTART TSTOP TDAMP")?;
    }
    Ok(options)
}

/// The random numbers of a seed.
fn seed(args: &mut Args<'_>) -> Result<Ranmar> {
    let word = args.peek();
    let seed: u32 = args.int("the seed (a positive integer)")?;
    match word {
        Some(word) if !(1..=900_000_000).contains(&seed) => {
            Err(args.error(word, "a seed must lie within 1 and 900000000"))
        }
        _ => Ok(Ranmar::new(seed)),
    }
}

/// `force` or `torque`: bodies, and three times on or off.
fn flags(which: &str, word: &Word, bodies: usize, session: &Session, args: &mut Args<'_>) -> Result<Free> {
    let range = range_of("a body", "bodies", args, bodies)?;
    let mut free = [0.0; 3];
    for free in &mut free {
        *free = args.one_of("choice", &[("off", 0.0), ("on", 1.0)])?;
    }
    let which = usize::from(which == "torque");
    let off_plane = if which == 0 { free[2] != 0.0 } else { free[0] != 0.0 || free[1] != 0.0 };
    if session.system.dimension == 2 && off_plane {
        let text = ["a 2d body has no force along z", "a 2d body has no torque about x and y"][which];
        return Err(args.error(word, text).help("write off there"));
    }
    Ok((range, which, free))
}
