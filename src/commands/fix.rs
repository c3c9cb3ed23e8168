//! `fix` and `unfix`.

use crate::base::error::Result;
use crate::base::names::is_custom;
use crate::fixes::registry::STYLES;
use crate::script::{Args, Word, lammps};
use crate::session::Session;
use crate::session::fix::{Fix, Header};

/// `fix ID GROUP STYLE args`: a fix of the same name and style is replaced.
///
/// # Errors
/// At an unknown group or style, or an argument that does not fit.
pub fn fix(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = super::compute::name(args, "fix")?;
    let group = super::group::before_style(session, args, |word| {
        STYLES.iter().any(|(style, _)| *style == word) || lammps::knows(lammps::FIX_STYLES, word)
    })?;
    let word = args.peek();
    let constructor = args.style("fix style", STYLES, lammps::FIX_STYLES)?;
    let style = STYLES.iter().map(|(name, _)| *name).find(|name| word.is_some_and(|word| word.text == *name));
    let header = Header { id: id.text.clone(), group, style: style.unwrap_or_default() };
    let mut fix = constructor(header, session, args)?;
    args.finish()?;
    if let Some((style, numbers)) = session.script.fix_states.get(&id.text)
        && *style == fix.header().style
    {
        fix.restore(numbers).map_err(|error| args.place(id, error))?;
        session.output.log.line("Resetting global fix info from restart file:");
        session.output.log.line(&format!("  fix style: {style}, fix ID: {}", id.text));
        session.script.fix_states.remove(&id.text);
    }
    fix.announcement().iter().for_each(|line| session.output.log.line(line));
    let computes = fix.computes(session);
    let properties = fix.properties().to_vec();
    match session.fixes.iter().position(|other| other.header().id == id.text) {
        None => session.fixes.push(fix),
        Some(place) if session.fixes[place].header().style == fix.header().style => {
            let old = std::mem::replace(&mut session.fixes[place], fix);
            take(session, &*old);
        }
        Some(place) => {
            let style = session.fixes[place].header().style;
            return Err(args
                .error(word.unwrap_or(id), format_args!("fix '{}' exists with the style {style}", id.text))
                .help(format!("take another name, or `unfix {}` first", id.text)));
        }
    }
    computes.into_iter().for_each(|compute| session.computes.add(compute));
    // Those that a restart file brought keep their values.
    let atoms = &mut session.system.host_atoms;
    let count = atoms.len();
    if properties.iter().any(|name| atoms.custom.get(name).is_some()) {
        session.output.log.line("Resetting peratom fix info from restart file:");
        session.output.log.line(&format!("  fix style: property/atom, fix ID: {}", id.text));
    }
    properties.iter().filter(|name| is_custom(name)).for_each(|name| atoms.custom.add(name, count));
    Ok(())
}

/// Takes the properties of a fix away from the atoms.
fn take(session: &mut Session, fix: &dyn Fix) {
    let atoms = &mut session.system.host_atoms;
    for name in fix.properties() {
        match &**name {
            "mol" => atoms.molecule.fill(0),
            "q" => atoms.charge.fill(0.0),
            name => atoms.custom.remove(name),
        }
    }
}

/// `unfix ID`.
///
/// # Errors
/// When there is no such fix.
pub fn unfix(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("the name of a fix")?;
    args.finish()?;
    let place = place(session, id, args)?;
    let fix = session.fixes.remove(place);
    take(session, &*fix);
    fix.computes(session).iter().for_each(|compute| session.computes.remove(&compute.header().id));
    Ok(())
}

fn place(session: &Session, id: &Word, args: &Args<'_>) -> Result<usize> {
    let place = session.fixes.iter().position(|fix| fix.header().id == id.text);
    place.ok_or_else(|| args.unknown(id, "fix", session.fixes.iter().map(|fix| fix.header().id.as_str())))
}

/// `fix_modify ID KEYWORD VALUE ...`.
///
/// # Errors
/// When there is no such fix, it has no such option, or an argument does not fit.
pub fn fix_modify(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("the name of a fix")?;
    let place = place(session, id, args)?;
    let mut fix = session.fixes.remove(place);
    let done = options(session, &mut *fix, args);
    session.fixes.insert(place, fix);
    done
}

fn options(session: &mut Session, fix: &mut dyn Fix, args: &mut Args<'_>) -> Result<()> {
    args.peek().map_or_else(|| args.word("an option").map(|_| ()), |_| Ok(()))?;
    while !args.is_empty() {
        let word = args.word("an option")?;
        let known = watch(session, fix, &word.text, args)? || fix.modify(&word.text, args)?;
        // Of those that it means something to, rigid bodies in a bath, it is an option of their own.
        if !known && word.text == "dynamic/dof" {
            args.yes_no()?;
            continue;
        }
        // What a fix does not count in any case.
        if !known && matches!(&*word.text, "energy" | "virial") && args.clone().yes_no().is_ok_and(|yes| !yes)
        {
            args.yes_no()?;
            continue;
        }
        if !known && word.text == "respa" {
            return Err(args.unsupported(word, "option"));
        }
        if !known {
            let style = fix.header().style;
            return Err(args.error(word, format_args!("fix {style} has no option '{}'", word.text)));
        }
    }
    Ok(())
}

/// `temp ID` and `press ID`, for fixes that watch such a compute; `false` for another word.
fn watch(session: &mut Session, fix: &mut dyn Fix, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
    let Some(watched) = fix.watched() else { return Ok(false) };
    if keyword != "temp" && (keyword != "press" || watched.pressure.is_none()) {
        return Ok(false);
    }
    if keyword == "press" {
        watched.pressure = Some(session.computes.pressure_arg(args)?);
        return Ok(true);
    }
    watched.temperature = session.computes.temperature_arg(args)?;
    // The pressure that it watches follows.
    let pressure = watched.pressure.as_ref().and_then(|id| session.computes.get_mut(id));
    if let Some(pressure) =
        pressure.and_then(|compute| crate::session::compute::Pressure::of_mut(&mut **compute))
    {
        pressure.temperature = Some(watched.temperature.clone());
    }
    Ok(true)
}
