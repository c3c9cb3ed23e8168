//! `neighbor` and `neigh_modify`.

use crate::error::Result;
use crate::script::Args;
use crate::state::State;

/// `neighbor SKIN bin|nsq|multi`: the three ways give the same list, and here there is one builder.
///
/// # Errors
/// At an argument that does not fit.
pub fn neighbor(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let word = args.peek();
    let skin = args.f64("the skin distance")?;
    if let (Some(word), true) = (word, skin < 0.0) {
        return Err(args.error(word, "the skin distance must not be negative"));
    }
    args.one_of("way to build lists", &[("bin", ()), ("nsq", ()), ("multi", ())])?;
    args.finish()?;
    state.neighbor.skin = skin;
    Ok(())
}

/// `neigh_modify every N delay N check yes|no one N page N`, in any order.
///
/// # Errors
/// At an argument that does not fit, or when `delay` is not a multiple of `every`.
pub fn neigh_modify(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let settings = &mut state.neighbor;
    if args.is_empty() {
        args.word("a keyword (every, delay, check, one)")?;
    }
    while let Some(word) = args.peek() {
        let keywords = [("every", 0), ("delay", 1), ("check", 2), ("one", 3), ("page", 4), ("cluster", 5)];
        match args.one_of("keyword", &keywords)? {
            0 => settings.every = args.count("a number of steps", 1)?,
            1 => settings.delay = args.count("a number of steps", 0)?,
            2 => settings.check = args.yes_no()?,
            3 => settings.one = Some(args.count("a number of neighbours", 1)? as usize),
            4 => {
                args.count("a number of neighbours", 1)?;
            }
            _ => {
                if args.yes_no()? {
                    return Err(args.error(word, "cluster yes is not supported"));
                }
            }
        }
    }
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
