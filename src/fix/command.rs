//! `fix` and `unfix`.

use super::{Fix, Header, STYLES};
use crate::error::Result;
use crate::script::{Args, Word, lammps};
use crate::state::State;

/// `fix ID GROUP STYLE args`: a fix of the same name and style is replaced.
///
/// # Errors
/// At an unknown group or style, or an argument that does not fit.
pub fn fix(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("a name for the fix")?;
    let group = state.groups.arg(args)?;
    let word = args.peek();
    let constructor = args.style("fix style", STYLES, lammps::FIX_STYLES)?;
    let style = STYLES.iter().map(|(name, _)| *name).find(|name| word.is_some_and(|word| word.text == *name));
    let header = Header { id: id.text.clone(), group, style: style.unwrap_or_default() };
    let mut fix = constructor(header, state, args)?;
    args.finish()?;
    if let Some((style, numbers)) = state.fix_states.get(&id.text)
        && *style == fix.header().style
    {
        fix.restore(numbers).map_err(|error| args.place(id, error))?;
        state.log.line("Resetting global fix info from restart file:");
        state.log.line(&format!("  fix style: {style}, fix ID: {}", id.text));
        state.fix_states.remove(&id.text);
    }
    match state.fixes.iter().position(|other| other.header().id == id.text) {
        None => state.fixes.push(fix),
        Some(place) if state.fixes[place].header().style == fix.header().style => state.fixes[place] = fix,
        Some(place) => {
            let style = state.fixes[place].header().style;
            return Err(args
                .error(word.unwrap_or(id), format_args!("fix '{}' exists with the style {style}", id.text))
                .help(format!("take another name, or `unfix {}` first", id.text)));
        }
    }
    Ok(())
}

/// `unfix ID`.
///
/// # Errors
/// When there is no such fix.
pub fn unfix(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("the name of a fix")?;
    args.finish()?;
    let place = place(state, id, args)?;
    state.fixes.remove(place);
    Ok(())
}

fn place(state: &State, id: &Word, args: &Args<'_>) -> Result<usize> {
    let place = state.fixes.iter().position(|fix| fix.header().id == id.text);
    place.ok_or_else(|| args.unknown(id, "fix", state.fixes.iter().map(|fix| fix.header().id.as_str())))
}

/// `fix_modify ID KEYWORD VALUE ...`.
///
/// # Errors
/// When there is no such fix, it has no such option, or an argument does not fit.
pub fn fix_modify(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("the name of a fix")?;
    let place = place(state, id, args)?;
    let mut fix = state.fixes.remove(place);
    let done = options(&mut *fix, args);
    state.fixes.insert(place, fix);
    done
}

fn options(fix: &mut dyn Fix, args: &mut Args<'_>) -> Result<()> {
    args.peek().map_or_else(|| args.word("an option").map(|_| ()), |_| Ok(()))?;
    while !args.is_empty() {
        let word = args.word("an option")?;
        if !fix.modify(&word.text, args)? {
            let style = fix.header().style;
            return Err(args.error(word, format_args!("fix {style} has no option '{}'", word.text)));
        }
    }
    Ok(())
}
