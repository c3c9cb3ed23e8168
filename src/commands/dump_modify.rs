//! `dump_modify`.

use crate::base::error::Result;
use crate::output::dump::column::Column;
use crate::output::dump::{Dump, Order};
use crate::script::formula::{Kind, Reference};
use crate::script::variables::Variables;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::box_checks::not_general;
use crate::session::schedule::Schedule;

/// Keywords that LAMMPS has and CLAMPS has not.
const OTHER_OPTIONS: &str = "at balance fileper nfile precision refresh sfactor tfactor";

#[derive(Clone, Copy)]
enum Setting {
    Append,
    ColumnName,
    Count,
    Delay,
    Element,
    Every,
    EveryTime,
    First,
    Format,
    General,
    Header,
    MaxFiles,
    NoEffect,
    Pad,
    Pbc,
    Region,
    Skip,
    Sort,
    Switch(&'static str),
    Thresh,
    Time,
    Types,
    Units,
}

/// The others.
const OPTIONS: [(&str, Setting); 30] = [
    ("append", Setting::Append),
    ("buffer", Setting::NoEffect),
    ("checksum", Setting::NoEffect),
    ("colname", Setting::ColumnName),
    ("compression_level", Setting::Count),
    ("delay", Setting::Delay),
    ("element", Setting::Element),
    ("every", Setting::Every),
    ("every/time", Setting::EveryTime),
    ("first", Setting::First),
    ("flush", Setting::NoEffect),
    ("format", Setting::Format),
    ("header", Setting::Header),
    ("image", Setting::Switch("image")),
    ("maxfiles", Setting::MaxFiles),
    ("pad", Setting::Pad),
    ("pbc", Setting::Pbc),
    ("region", Setting::Region),
    ("scale", Setting::Switch("scale")),
    ("unwrap", Setting::Switch("unwrap")),
    ("vel", Setting::Switch("vel")),
    ("forces", Setting::Switch("forces")),
    ("mass", Setting::Switch("mass")),
    ("skip", Setting::Skip),
    ("sort", Setting::Sort),
    ("thresh", Setting::Thresh),
    ("time", Setting::Time),
    ("triclinic/general", Setting::General),
    ("types", Setting::Types),
    ("units", Setting::Units),
];

/// Takes the name of a dump.
pub(super) fn find(session: &Session, args: &mut Args<'_>) -> Result<usize> {
    let word = args.word("the name of a dump")?;
    let names = || session.output.dumps.iter().map(|dump| dump.id());
    names().position(|id| id == word.text).ok_or_else(|| args.unknown(word, "dump", names()))
}

/// Takes the steps between frames.
pub(super) fn interval(variables: &Variables, args: &mut Args<'_>) -> Result<Schedule> {
    Schedule::read(variables, args, "the number of steps between frames", false)
}

/// `dump_modify ID`: `append yes|no`, `colname COLUMN NAME`, `delay N`, `element NAME` per type, `every N|v_NAME`, `every/time T`, `first yes|no`, `format
/// line|int|float|COLUMN STRING`, `format none`, `header yes|no`, `image yes|no`, `maxfiles N`, `pad N`, `pbc yes|no`,
/// `region ID|none`, `scale yes|no`, `skip v_NAME`, `sort id|off|N|-N`, `thresh ATTRIBUTE OPERATOR VALUE`, `thresh none`, `time yes|no`,
/// `triclinic/general yes|no`, `units yes|no`, `unwrap yes|no`; `flush` (frames are always flushed), `buffer`,
/// `compression_level`, `checksum` and `types numeric` have no effect.
///
/// # Errors
/// At the first word that is wrong; settings before it stay.
pub fn dump_modify(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let index = find(session, args)?;
    let mut dump = session.output.dumps.remove(index);
    let done = apply(Dump::of(&mut *dump), session, args);
    session.output.dumps.insert(index, dump);
    done
}

/// Applies settings to a dump, to the end of the words.
pub(super) fn apply(dump: &mut Dump, session: &Session, args: &mut Args<'_>) -> Result<()> {
    loop {
        let Some(word) = args.peek() else {
            return args.word("a dump_modify keyword").map(|_| ());
        };
        if of_style(dump, word, args)? {
            if args.is_empty() {
                return Ok(());
            }
            continue;
        }
        if OTHER_OPTIONS.split_whitespace().any(|option| option == word.text) {
            return Err(args.unsupported(word, "dump_modify keyword"));
        }
        let setting = args.one_of("dump_modify keyword", &OPTIONS)?;
        let for_atoms = matches!(
            setting,
            Setting::Element | Setting::General | Setting::Pbc | Setting::Region | Setting::Thresh
        );
        if for_atoms && !dump.style.of_atoms() {
            return Err(args.error(word, format_args!("dumps of this style have no '{}'", word.text)));
        }
        match setting {
            Setting::Append => dump.output.set_append(args, word)?,
            Setting::ColumnName => column_name(dump, word, args)?,
            Setting::Count => _ = args.count("a level", 0)?,
            Setting::Delay => dump.delay = Some(args.count("the first step of frames", 0)? as i64),
            Setting::Element => {
                dump.elements = (0..session.types())
                    .map(|_| args.text("an element name for each atom type").map(str::to_owned))
                    .collect::<Result<_>>()?;
            }
            Setting::Every => dump.schedule = interval(&session.script.variables, args)?,
            Setting::EveryTime => {
                dump.schedule =
                    Schedule::Time { every: args.positive("the time between frames")?, next: None };
            }
            Setting::First => dump.first = args.yes_no()?,
            Setting::Format => dump.formats.modify(&dump.style.columns(), args)?,
            Setting::General => {
                if !dump.style.is_lammps() {
                    let message = format_args!("dumps of this style have no '{}'", word.text);
                    return Err(args.error(word, message));
                }
                dump.general = args.yes_no()?;
                if dump.general && session.domain()?.general.is_none() {
                    return Err(not_general(args, word));
                }
            }
            Setting::Header => dump.heading.header = args.yes_no()?,
            Setting::MaxFiles => dump.output.set_most(args, word)?,
            Setting::NoEffect => _ = args.yes_no()?,
            Setting::Pad => dump.output.pad = args.int::<u8>("the number of digits, at most 255")?.into(),
            Setting::Pbc => dump.wrap = args.yes_no()?,
            Setting::Region => {
                let region =
                    if args.accept("none") { None } else { Some(session.system.regions.moving_arg(args)?) };
                dump.select.region = region.cloned();
            }
            Setting::Skip => {
                let value = args.word("v_NAME")?;
                let variables = &session.script.variables;
                // The script may define it later.
                let fits = |name: &&str| !variables.contains(name) || variables.is_equal(name);
                let Some(name) = value.text.strip_prefix("v_").filter(fits) else {
                    let message = format!("'{}' is not v_NAME of an equal-style variable", value.text);
                    return Err(args.error(value, message));
                };
                let id = name.to_owned();
                dump.skip = Some(Reference { kind: Kind::Variable, id, index: Vec::new() });
            }
            Setting::Sort => dump.order = order(&dump.style.columns(), args)?,
            Setting::Switch(name) => match dump.style.switch(name) {
                Some(switch) => {
                    *switch = args.yes_no()?;
                    // The columns are others.
                    dump.names.clear();
                }
                None => return Err(args.error(word, format_args!("dumps of this style have no '{name}'"))),
            },
            Setting::Thresh => dump.select.read(session, args)?,
            Setting::Time => dump.heading.time = args.yes_no()?,
            Setting::Types if !dump.style.shows_types() => {
                return Err(args.error(word, "dumps of this style have no 'types'"));
            }
            Setting::Types => {
                let word = args.peek();
                let labels = args.one_of("way to write types", &[("numeric", false), ("labels", true)])?;
                if let (Some(word), true) = (word, labels) {
                    let names = &session.system.labels.atom;
                    let known = (1..=session.types()).map(|kind| names.name(kind).map(str::to_owned));
                    dump.elements = known.collect::<Option<_>>().ok_or_else(|| {
                        args.error(word, "not all atom types have names").help("name them by `labelmap atom`")
                    })?;
                }
            }
            Setting::Units => dump.heading.units = args.yes_no()?,
        }
        if args.is_empty() {
            return Ok(());
        }
    }
}

/// Takes a keyword and its words, if it is one that only the dump's style has.
fn of_style(dump: &mut Dump, word: &Word, args: &mut Args<'_>) -> Result<bool> {
    let mut ahead = args.clone();
    ahead.word("a dump_modify keyword")?;
    let taken = dump.style.modify(&word.text, &mut ahead)?;
    if taken {
        *args = ahead;
    }
    Ok(taken)
}

/// Takes the words after `colname`: a column's number, from 1 or from the last, -1, or its name, and the name that it is to
/// have; or `default`.
fn column_name(dump: &mut Dump, keyword: &Word, args: &mut Args<'_>) -> Result<()> {
    if args.accept("default") {
        dump.names.clear();
        return Ok(());
    }
    let columns = dump.style.columns();
    if !dump.style.names_columns() {
        return Err(args.error(keyword, "dumps of this style do not name their columns"));
    }
    let word = args.word("a column, or default")?;
    let place = match word.text.parse::<i64>() {
        Ok(n) if n < 0 => usize::try_from(columns.len() as i64 + n).ok(),
        Ok(n) => usize::try_from(n - 1).ok().filter(|&place| place < columns.len()),
        Err(_) => columns.iter().position(|column| column.name() == word.text),
    };
    let place = place.ok_or_else(|| args.error(word, format_args!("there is no column '{}'", word.text)))?;
    dump.names.resize(columns.len(), None);
    dump.names[place] = Some(args.text("a name for the column")?.to_owned());
    Ok(())
}

/// Takes the word after `sort`: `id`, `off`, a column's number, or its negative for falling values.
fn order(columns: &[Column], args: &mut Args<'_>) -> Result<Order> {
    let word = args.word("id, off or a column number")?;
    match &*word.text {
        "id" => Ok(Order::Id),
        "off" => Ok(Order::Memory),
        number => {
            let n =
                number.parse::<i64>().ok().filter(|n| (1..=columns.len() as u64).contains(&n.unsigned_abs()));
            let n = n.filter(|n| columns[n.unsigned_abs() as usize - 1].is_number()).ok_or_else(|| {
                let message = format!(
                    "'{number}' is none of id, off, and columns with numbers from 1 to {}",
                    columns.len()
                );
                args.error(word, message)
            })?;
            Ok(Order::Column { index: n.unsigned_abs() as usize - 1, descending: n < 0 })
        }
    }
}
