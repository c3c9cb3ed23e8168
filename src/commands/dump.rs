//! `dump`, `undump`, `write_dump`.

use super::dump_modify;
use crate::base::error::Result;
use crate::output::dump::column::Formats;
use crate::output::dump::output::Output;
use crate::output::dump::select::Selection;
use crate::output::dump::{
    Dump, Heading, Order, Style, atom, cfg, custom, dcd, extxyz, grid, image, local, xtc, xyz, yaml,
};
use crate::script::{Args, Word, lammps};
use crate::session::Session;
use crate::session::dump::DumpWriter;
use crate::session::schedule::Schedule;

/// Reads the words of a style after the file name.
type MakeStyle = fn(&Session, &mut Args<'_>) -> Result<Box<dyn Style>>;

/// Every style.
pub(super) const STYLES: [(&str, MakeStyle); 12] = [
    ("atom", atom::new),
    ("cfg", cfg::new),
    ("custom", custom::new),
    ("dcd", dcd::new),
    ("extxyz", extxyz::new),
    ("grid", grid::new),
    ("image", image::new),
    ("local", local::new),
    ("movie", image::movie::new),
    ("xtc", xtc::new),
    ("xyz", xyz::new),
    ("yaml", yaml::new),
];

/// `dump ID group style N file args`.
///
/// # Errors
/// At the first word that is wrong: a name in use, an unknown group or style, an interval below 1.
pub fn dump(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = args.word("a name for the dump")?;
    if session.output.dumps.iter().any(|dump| dump.id() == id.text) {
        return Err(args.error(id, format_args!("there is a dump '{}' already", id.text)));
    }
    let (mask, style) = group_and_style(session, args)?;
    let schedule = dump_modify::interval(&session.script.variables, args)?;
    let file = args.peek();
    let dump = new(session, args, &id.text, mask, style, schedule)?;
    if let Some(file) = file.filter(|_| dump.style.one_frame_per_file() && !dump.output.file_per_frame()) {
        let error = args.error(file, "needs a '*' in the file's name: one frame per file");
        return Err(error.help("the step stands there, as in frame.*.png"));
    }
    session.output.dumps.push(Box::new(dump));
    Ok(())
}

fn group_and_style(session: &Session, args: &mut Args<'_>) -> Result<(u32, MakeStyle)> {
    let mask = super::group::before_style(session, args, |word| lammps::knows(lammps::DUMP_STYLES, word))?;
    // Compression follows from the file's name, whatever the style is called.
    let packed =
        PACKED.iter().flat_map(|name| ["gz", "zstd"].map(|ending| (*name, format!("{name}/{ending}"))));
    let packed: Vec<(&str, String)> = packed.collect();
    let named = args.peek().and_then(|word| packed.iter().find(|(_, other)| *other == word.text));
    let style = named.and_then(|(name, _)| STYLES.iter().find(|(style, _)| style == name));
    if let (Some((_, style)), Some(word)) = (style, args.peek()) {
        args.word("a dump style")?;
        check_packed(word, args)?;
        return Ok((mask, *style));
    }
    Ok((mask, args.style("dump style", &STYLES, lammps::DUMP_STYLES)?))
}

/// Styles that LAMMPS has other names of where they are compressed.
const PACKED: [&str; 5] = ["atom", "cfg", "custom", "local", "xyz"];

/// That the name of a file ends as the name of the style says.
fn check_packed(style: &Word, args: &Args<'_>) -> Result<()> {
    let ending = if style.text.ends_with("/gz") { ".gz" } else { ".zst" };
    // Behind the steps between frames, which write_dump has not.
    let file = args.rest().iter().take(2).any(|word| word.text.ends_with(ending));
    match file {
        true => Ok(()),
        false => Err(args.error(style, format_args!("the file's name must end in {ending}"))),
    }
}

/// Takes the file's name and the words of the style, to the end.
fn new(
    session: &Session,
    args: &mut Args<'_>,
    id: &str,
    mask: u32,
    style: MakeStyle,
    schedule: Schedule,
) -> Result<Dump> {
    let file = args.peek();
    let output = Output::new(args, id)?;
    let style = style(session, args)?;
    args.finish()?;
    if let (Some(word), Some(error)) = (file, style.refuses(output.name())) {
        return Err(args.place(word, error));
    }
    Ok(Dump {
        id: id.to_owned(),
        mask,
        schedule,
        style,
        output,
        formats: Formats::default(),
        names: Vec::new(),
        skip: None,
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
pub fn undump(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let index = dump_modify::find(session, args)?;
    args.finish()?;
    session.output.dumps.remove(index);
    Ok(())
}

/// `write_dump group style file args [modify dump_modify-args]`: one frame now. `noinit` has no effect.
///
/// # Errors
/// As [`dump`] and [`super::dump_modify::dump_modify`], and when there is no box, the file cannot be written, or there are no
/// forces to show.
pub fn write_dump(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.domain()?;
    let (mask, style) = group_and_style(session, args)?;
    let (mut first, second) = args.split_at("modify");
    first.words.retain(|word| word.text != "noinit");
    // The words after the name of the style, without those of dump_modify.
    let mut words = Args::new(&first);
    (0..2).for_each(|_| drop(words.word("a word")));
    let mut dump = new(session, &mut words, "WRITE_DUMP", mask, style, Schedule::Every(1))?;
    if let Some(second) = second {
        dump_modify::apply(&mut dump, session, &mut Args::new(&second))?;
    }
    let row = session.output.last_values.as_ref().filter(|(step, _)| *step == session.clock.step);
    let done = dump.write_now(&session.now(), row.map(|(_, values)| values));
    done.map_err(|error| args.error_here(&error.message).help(error.help.unwrap_or_default()))
}
