//! `set`: properties of chosen atoms. Source: LAMMPS manual.

use super::displace_atoms::seed;
use super::{by_place, fraction, need_atoms, number_or_variable};
use crate::base::error::{Error, Result};
use crate::base::names::{is_custom, is_integer};
use crate::base::random::{ParkMiller, Ranmar};
use crate::model::atom_style::{ATOM_STYLES, AtomStyle};
use crate::model::atoms::volume;
use crate::script::formula::Value;
use crate::script::seed;
use crate::script::{Args, Word};
use crate::session::Session;

const KEYWORDS: [&str; 16] = [
    "type",
    "type/fraction",
    "type/ratio",
    "type/subset",
    "mol",
    "charge",
    "diameter",
    "density",
    "mass",
    "x",
    "y",
    "z",
    "vx",
    "vy",
    "vz",
    "image",
];

/// What LAMMPS can set besides.
const OTHERS: &str = "charge/atom dipole dipole/random quat quat/random \
    density/disc shape length tri theta theta/random angmom omega volume temperature \
    bond angle dihedral improper spin/atom spin/electron epsilon smd/mass/density edpd/temp sph/e sph/cv \
    sph/rho apip/lambda";

/// `set group|region|type|atom|mol ID KEYWORD VALUES ...`. Values are numbers or variables.
///
/// # Errors
/// When there are no atoms, or at an argument that does not fit.
pub fn set(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    need_atoms(session, args)?;
    by_place(session)?;
    let chosen = choose(session, args)?;
    session.output.log.line("Setting atom values ...");
    loop {
        let word = args.word("a set keyword")?;
        let count = apply(session, args, word, &chosen)?;
        session.output.log.line(&format!("  {count} settings made for {}", word.text));
        if args.is_empty() {
            return Ok(());
        }
    }
}

/// The indices of the atoms that are meant.
fn choose(session: &Session, args: &mut Args<'_>) -> Result<Vec<usize>> {
    let style = args.word("group, region, type, atom or mol")?;
    let system = session.now();
    let atoms = system.atoms()?;
    let range = |args: &mut Args<'_>| -> Result<std::ops::RangeInclusive<u32>> {
        let word = args.word("a number or a range like 1*3")?;
        let end = |text: &str, open: u32| if text.is_empty() { Some(open) } else { text.parse().ok() };
        let ends = match word.text.split_once('*') {
            Some((first, last)) => end(first, 1).zip(end(last, u32::MAX)),
            None => word.text.parse().ok().map(|n| (n, n)),
        };
        let (first, last) = ends.filter(|(first, last)| 1 <= *first && first <= last).ok_or_else(|| {
            args.error(word, format_args!("'{}' is not a number or a range like 1*3", word.text))
        })?;
        Ok(first..=last)
    };
    match &*style.text {
        "group" => system.indices(session.system.groups.arg(args)?, None),
        "region" => system.indices(1, Some(session.system.regions.moving_arg(args)?)),
        "type" => {
            let named = session.system.labels.atom.accept(args).map(|kind| kind as u32..=kind as u32);
            let types = named.map_or_else(|| range(args), Ok)?;
            Ok((0..atoms.len()).filter(|&i| types.contains(&atoms.kind[i])).collect())
        }
        "atom" => {
            let tags = range(args)?;
            Ok((0..atoms.len()).filter(|&i| tags.contains(&atoms.tag[i])).collect())
        }
        "mol" => {
            let molecules = range(args)?;
            Ok((0..atoms.len()).filter(|&i| molecules.contains(&atoms.molecule[i])).collect())
        }
        _ => Err(args.unknown(style, "set style", ["group", "region", "type", "atom", "mol"].into_iter())),
    }
}

/// Carries out one keyword; returns for how many atoms.
fn apply(session: &mut Session, args: &mut Args<'_>, keyword: &Word, chosen: &[usize]) -> Result<usize> {
    let name = &*keyword.text;
    let axis = match name.chars().last() {
        Some('y') => 1,
        Some('z') => 2,
        _ => 0,
    };
    match name {
        "x" | "y" | "z" | "vx" | "vy" | "vz" => {
            let value = number_or_variable(session, args, "a number or v_NAME")?;
            let atoms = session.atoms_mut()?;
            let target = if name.starts_with('v') { &mut atoms.v } else { &mut atoms.x };
            chosen.iter().for_each(|&i| target[i][axis] = value.at(i));
        }
        "type" => {
            let value = types(session, args)?;
            let atoms = session.atoms_mut()?;
            chosen.iter().for_each(|&i| atoms.kind[i] = value.at(i) as u32);
        }
        "charge" => {
            if !session.has_charges() {
                return Err(style_error(session, args, keyword, "charges", |style| style.charged));
            }
            let value = number_or_variable(session, args, "a charge or v_NAME")?;
            let atoms = session.atoms_mut()?;
            chosen.iter().for_each(|&i| atoms.charge[i] = value.at(i));
        }
        "diameter" | "density" | "mass" => {
            if !session.system.atom_style.round {
                let what = format!("{name} of their own");
                return Err(style_error(session, args, keyword, &what, |style| style.round));
            }
            let word = args.peek();
            let value = number_or_variable(session, args, "a number or v_NAME")?;
            let fits = |x: f64| x > 0.0 || x == 0.0 && name == "diameter";
            if let Some(word) = word.filter(|_| !chosen.iter().all(|&i| fits(value.at(i)))) {
                let least = if name == "diameter" { "not be negative" } else { "be greater than 0" };
                return Err(args.error(word, format_args!("'{}' is no {name}: it must {least}", word.text)));
            }
            let atoms = session.atoms_mut()?;
            for &i in chosen {
                let ([radius, mass], x) = (atoms.sphere(i), value.at(i));
                let sphere = match name {
                    "diameter" => [0.5 * x, mass],
                    "density" => [radius, x * volume(radius)],
                    _ => [radius, x],
                };
                atoms.set_sphere(i, sphere);
            }
        }
        "mol" => {
            if !session.has_molecules() {
                return Err(style_error(session, args, keyword, "molecules", |style| style.molecular));
            }
            let word = args.peek();
            let value = number_or_variable(session, args, "a molecule ID or v_NAME")?;
            let fits = |x: f64| x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&x);
            if let Some(word) = word.filter(|_| !chosen.iter().all(|&i| fits(value.at(i)))) {
                return Err(args.error(word, "a molecule ID is an integer from 0 on"));
            }
            let atoms = session.atoms_mut()?;
            chosen.iter().for_each(|&i| atoms.molecule[i] = value.at(i) as u32);
        }
        "type/fraction" => {
            let value = types(session, args)?;
            let fraction = fraction(args)?;
            let seed = seed(args)?;
            let atoms = session.atoms_mut()?;
            // The choice depends on an atom's position, not on the order of the atoms.
            let hit = |&&i: &&usize| ParkMiller::at_position(seed, atoms.x[i]).uniform() <= fraction;
            let hits: Vec<usize> = chosen.iter().filter(hit).copied().collect();
            hits.iter().for_each(|&i| atoms.kind[i] = value.at(i) as u32);
            return Ok(hits.len());
        }
        "type/ratio" | "type/subset" => {
            let value = types(session, args)?;
            let wanted = match name {
                "type/ratio" => (fraction(args)? * chosen.len() as f64) as usize,
                _ => {
                    let word = args.peek();
                    let wanted = args.count("a number of atoms", 0)? as usize;
                    if let Some(word) = word.filter(|_| wanted > chosen.len()) {
                        let message = format!("there are only {} atoms to choose from", chosen.len());
                        return Err(args.error(word, message));
                    }
                    wanted
                }
            };
            let hits = Ranmar::new(seed::mars(args)?).choose(wanted, chosen.len());
            let atoms = session.atoms_mut()?;
            let chosen = chosen.iter().zip(hits).filter(|(_, hit)| *hit);
            chosen.for_each(|(&i, _)| atoms.kind[i] = value.at(i) as u32);
            return Ok(wanted);
        }
        "image" => {
            let mut images = [const { None }; 3];
            for (axis, image) in images.iter_mut().enumerate() {
                let word = args.peek();
                if args.accept("NULL") {
                    continue;
                }
                let variable = word.is_some_and(|word| word.text.starts_with("v_"));
                *image = Some(match variable {
                    true => number_or_variable(session, args, "a variable")?,
                    false => Value::Number(args.int::<i32>("an image count, v_NAME or NULL")?.into()),
                });
                if let (Some(word), false) = (word, session.domain()?.periodic(axis)) {
                    return Err(args.error(word, "an axis that is not periodic has no images"));
                }
            }
            let atoms = session.atoms_mut()?;
            for &i in chosen {
                for (count, image) in atoms.image[i].iter_mut().zip(&images) {
                    *count = image.as_ref().map_or(*count, |image| image.at(i) as i32);
                }
            }
        }
        _ if is_custom(name) => {
            session.check_property(name).map_err(|error| args.place(keyword, error))?;
            let word = args.peek();
            let value = number_or_variable(session, args, "a number or v_NAME")?;
            let whole = is_integer(name);
            if let (Some(word), Value::Number(x), true) = (word, &value, whole)
                && x.fract() != 0.0
            {
                return Err(args.error(word, format_args!("'{name}' takes integers")));
            }
            let atoms = session.atoms_mut()?;
            let column = atoms.custom.get_mut(name).expect("checked above");
            // Fractions of variables are cut off, as in LAMMPS.
            chosen.iter().for_each(|&i| column[i] = if whole { value.at(i).trunc() } else { value.at(i) });
        }
        _ if OTHERS.split_whitespace().any(|other| other == name) => {
            return Err(args.unsupported(keyword, "set keyword"));
        }
        _ => return Err(args.unknown(keyword, "set keyword", KEYWORDS.into_iter())),
    }
    Ok(chosen.len())
}

/// The error where atoms of the script's style lack what is to be set, and `has` says which styles have it: of these the ones
/// are named that have all else, too.
fn style_error(
    session: &Session,
    args: &Args<'_>,
    word: &Word,
    what: &str,
    has: fn(&AtomStyle) -> bool,
) -> Error {
    let mine = session.system.atom_style;
    let keeps = |style: &&AtomStyle| style.molecular >= mine.molecular && style.charged >= mine.charged;
    let all: Vec<&AtomStyle> = ATOM_STYLES.iter().filter(|style| has(style)).collect();
    let keeping: Vec<&AtomStyle> = all.iter().copied().filter(keeps).collect();
    let styles = if keeping.is_empty() { all } else { keeping };
    let names: Vec<String> = styles.iter().map(|style| format!("`{}`", style.name)).collect();
    args.error(word, format_args!("atoms of style {} have no {what}", mine.name))
        .help(format!("write atom_style {} before the box is made", names.join(" or ")))
}

/// Takes atom types.
fn types(session: &Session, args: &mut Args<'_>) -> Result<Value> {
    if let Some(kind) = session.system.labels.atom.accept(args) {
        return Ok(Value::Number(kind as f64));
    }
    let word = args.peek();
    let value = number_or_variable(session, args, "an atom type or v_NAME")?;
    let fits = |x: f64| x.fract() == 0.0 && 1.0 <= x && x <= session.types() as f64;
    let all = match &value {
        Value::Number(x) => fits(*x),
        Value::Vector(values) | Value::Atoms(values) => values.iter().all(|x| fits(*x)),
    };
    match word.filter(|_| !all) {
        Some(word) => {
            Err(args.error(word, format_args!("atom types must lie within 1 to {}", session.types())))
        }
        None => Ok(value),
    }
}
