//! `dump`, `undump`, `write_dump`.

use super::column::Formats;
use super::output::Output;
use super::select::Selection;
use super::{Dump, Heading, Order, Style, atom, custom, dcd, extxyz, grid, local, modify, xyz};
use crate::error::Result;
use crate::schedule::Schedule;
use crate::script::Args;
use crate::state::State;

/// Styles that LAMMPS has and CLAMPS has not.
const OTHER_STYLES: &str = "atom/adios atom/gz atom/zstd cfg cfg/gz cfg/uef cfg/zstd custom/adios custom/gz \
    custom/mpiio custom/zstd grid/vtk h5md image local/gz local/zstd molfile movie \
    netcdf netcdf/mpiio vtk xtc xyz/gz xyz/zstd yaml";

/// Reads the words of a style after the file name.
type MakeStyle = fn(&State, &mut Args<'_>) -> Result<Box<dyn Style>>;

/// Every style.
const STYLES: [(&str, MakeStyle); 7] = [
    ("atom", atom::new),
    ("custom", custom::new),
    ("dcd", dcd::new),
    ("extxyz", extxyz::new),
    ("grid", grid::new),
    ("local", local::new),
    ("xyz", xyz::new),
];

/// `dump ID group style N file args`.
///
/// # Errors
/// At the first word that is wrong: a name in use, an unknown group or style, an interval below 1.
pub fn dump(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("a name for the dump")?;
    if state.dumps.iter().any(|dump| dump.id == id.text) {
        return Err(args.error(id, format_args!("there is a dump '{}' already", id.text)));
    }
    let (mask, style) = group_and_style(state, args)?;
    let schedule = modify::interval(&state.variables, args)?;
    let dump = new(state, args, &id.text, mask, style, schedule)?;
    state.dumps.push(dump);
    Ok(())
}

fn group_and_style(state: &State, args: &mut Args<'_>) -> Result<(u32, MakeStyle)> {
    let mask = state.groups.arg(args)?;
    if let Some(word) = args.peek().filter(|word| OTHER_STYLES.split_whitespace().any(|s| s == word.text)) {
        return Err(args.unsupported(word, "dump style"));
    }
    Ok((mask, args.one_of("dump style", &STYLES)?))
}

/// Takes the file's name and the words of the style, to the end.
fn new(
    state: &State,
    args: &mut Args<'_>,
    id: &str,
    mask: u32,
    style: MakeStyle,
    schedule: Schedule,
) -> Result<Dump> {
    let output = Output::new(args)?;
    let style = style(state, args)?;
    args.finish()?;
    Ok(Dump {
        id: id.to_owned(),
        mask,
        schedule,
        style,
        output,
        formats: Formats::default(),
        elements: Vec::new(),
        order: Order::Id,
        select: Selection::default(),
        wrap: false,
        general: false,
        heading: Heading { header: true, time: false, units: false },
        delay: None,
        first: false,
        last: None,
    })
}

/// `undump ID`.
///
/// # Errors
/// When there is no such dump.
pub fn undump(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let index = modify::find(state, args)?;
    args.finish()?;
    state.dumps.remove(index);
    Ok(())
}

/// `write_dump group style file args [modify dump_modify-args]`: one frame now. `noinit` has no effect.
///
/// # Errors
/// As [`dump`] and [`super::dump_modify`], and when there is no box, the file cannot be written, or there are no
/// forces to show.
pub fn write_dump(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    state.domain()?;
    let (mask, style) = group_and_style(state, args)?;
    let (mut first, second) = args.split_at("modify");
    first.words.retain(|word| word.text != "noinit");
    // The words after the name of the style, without those of dump_modify.
    let mut words = Args::new(&first);
    (0..2).for_each(|_| drop(words.word("a word")));
    let mut dump = new(state, &mut words, "WRITE_DUMP", mask, style, Schedule::Every(1))?;
    if let Some(second) = second {
        modify::apply(&mut dump, state, &mut Args::new(&second))?;
    }
    let done = dump.write_now(&state.now());
    done.map_err(|error| args.error_here(&error.message).help(error.help.unwrap_or_default()))
}
