//! `fix` and `unfix`.

use super::{Header, STYLES};
use crate::error::Result;
use crate::script::{Args, lammps};
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
    let mut fix = constructor(Header { id: id.text.clone(), group }, args)?;
    args.finish()?;
    if let Some((style, numbers)) = state.fix_states.get(&id.text)
        && style == fix.style()
    {
        fix.restore(numbers).map_err(|error| args.place(id, error))?;
        state.log.line("Resetting global fix info from restart file:");
        state.log.line(&format!("  fix style: {style}, fix ID: {}", id.text));
        state.fix_states.remove(&id.text);
    }
    match state.fixes.iter().position(|other| other.header().id == id.text) {
        None => state.fixes.push(fix),
        Some(place) if state.fixes[place].style() == fix.style() => state.fixes[place] = fix,
        Some(place) => {
            let style = state.fixes[place].style();
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
    let Some(place) = state.fixes.iter().position(|fix| fix.header().id == id.text) else {
        return Err(args.unknown(id, "fix", state.fixes.iter().map(|fix| fix.header().id.as_str())));
    };
    state.fixes.remove(place);
    Ok(())
}
