//! The commands `thermo`, `thermo_style`, `thermo_modify`.

use crate::base::error::{Error, Result};
use crate::base::format::Spec;
use crate::base::log;
use crate::model::atoms::type_range_of;
use crate::model::labels::Labels;
use crate::model::lost::Lost;
use crate::model::units::Units;
use crate::script::formula::{Elements, Kind, Reference};
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::box_checks::not_general;
use crate::session::fix::NO_VALUES;
use crate::session::schedule::Schedule;
use crate::session::snapshot::Form;
use crate::session::snapshot::view::Snapshot;
use crate::session::thermo::KEYWORDS;
use crate::session::thermo::settings::{Column, Line, Settings};

/// Keywords of `thermo_style custom` that LAMMPS has and CLAMPS has not.
const OTHER_KEYWORDS: &str = "pxxg pyyg pzzg pxyg pxzg pyzg";

/// Keywords of `thermo_modify`.
const OPTIONS: [(&str, Setting); 11] = [
    ("line", Setting::Line),
    ("norm", Setting::Norm),
    ("format", Setting::Format),
    ("flush", Setting::Flush),
    ("lost", Setting::Lost),
    ("colname", Setting::ColumnName),
    ("temp", Setting::Temperature),
    ("press", Setting::Pressure),
    ("lost/bond", Setting::LostBond),
    ("warn", Setting::Warn),
    ("triclinic/general", Setting::General),
];

/// What follows `warn`.
const WARNINGS: &str = "ignore, reset, default, always or a number of warnings";

#[derive(Clone, Copy)]
enum Setting {
    Line,
    Norm,
    Format,
    Flush,
    Lost,
    ColumnName,
    Temperature,
    Pressure,
    LostBond,
    Warn,
    General,
}

/// `thermo N`: a row every N steps; `thermo v_NAME`: at the steps that the variable names.
///
/// # Errors
/// When N is not an integer from 0, or there is no such equal-style variable.
pub fn thermo(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.output.thermo.every =
        Schedule::read(&session.script.variables, args, "the number of steps between rows", true)?;
    args.finish()
}

/// `thermo_style one|multi|yaml|custom KEYWORD ...`; undoes `thermo_modify`.
///
/// # Errors
/// At an unknown style or keyword.
pub fn thermo_style(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let custom = args.peek().is_some_and(|word| word.text == "custom");
    type Defaults = fn(&Units) -> Settings;
    let styles: [(&str, Defaults); 4] = [
        ("one", Settings::new),
        ("multi", Settings::multi),
        ("yaml", Settings::yaml),
        ("custom", Settings::new),
    ];
    let mut new = args.one_of("thermo style", &styles)?(session.system.units);
    if custom {
        new.columns = columns(session, args)?;
    }
    args.finish()?;
    new.every = session.output.thermo.every.clone();
    if session.output.thermo.modified {
        session
            .output
            .log
            .line("WARNING: this thermo_style undoes the thermo_modify settings made before it");
    }
    session.output.thermo = new;
    session.output.last_values = None;
    Ok(())
}

fn columns(session: &Session, args: &mut Args<'_>) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    while columns.is_empty() || !args.is_empty() {
        let word = args.word("a thermo keyword")?;
        let words = match Elements::parse(&word.text) {
            // As many columns as there are elements now.
            Some(range) => {
                let these = session.now().elements(&range, Form::Number);
                these.map_err(|error| args.place(word, error))?.iter().map(ToString::to_string).collect()
            }
            None => vec![word.text.clone()],
        };
        for name in words {
            let column = Column::parse(&name).ok_or_else(|| unknown_keyword(args, word))?;
            columns.push(column);
        }
        if let Some(reference) = Reference::parse(&word.text) {
            check(&session.now(), &reference).map_err(|error| args.place(word, error))?;
        }
    }
    Ok(columns)
}

/// That a compute or fix has the number, as far as that is known before it runs. Variables may come later.
fn check(system: &Snapshot<'_>, reference: &Reference) -> Result<()> {
    if reference.kind == Kind::Fix {
        let fix = system.fix(&reference.id)?;
        if fix.shape().is_none() {
            match fix.values(system) {
                Err(error) if error.message.ends_with(NO_VALUES) => return Err(error),
                Err(_) => return Ok(()),
                Ok(_) => {}
            }
        }
    }
    match reference.kind {
        Kind::Variable => Ok(()),
        _ => system.check(reference, Form::Number),
    }
}

fn unknown_keyword(args: &Args<'_>, word: &Word) -> Error {
    if let Some((kind, _)) = Kind::split(&word.text) {
        args.error(word, format_args!("'{}' is not a reference to a {}", word.text, kind.name()))
            .label("expected one such as c_ID or c_ID[2]")
    } else if OTHER_KEYWORDS.split_whitespace().any(|other| other == word.text) {
        args.unsupported(word, "thermo keyword")
    } else {
        args.unknown(word, "thermo keyword", KEYWORDS.iter().map(|keyword| keyword.name))
    }
}

/// `thermo_modify`: `line one|multi|yaml`, `norm yes|no`, `lost error|warn|ignore`, `flush yes|no` (rows are
/// always flushed), `format line|int|float|COLUMN STRING`, `format none`, `colname COLUMN STRING`,
/// `colname default`, `warn ignore|reset|default|always|N`, `lost/bond error|warn|ignore`, `triclinic/general yes|no`. COLUMN is a number
/// from 1, a number from -1 counted from the end, a keyword, or for formats a range such as `2*6`.
///
/// # Errors
/// At the first word that is wrong; settings before it stay.
pub fn thermo_modify(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.output.thermo.modified = true;
    loop {
        let setting = args.one_of("thermo_modify keyword", &OPTIONS)?;
        let thermo = &mut session.output.thermo;
        match setting {
            Setting::Line => {
                let lines = [("one", Line::One), ("multi", Line::Multi), ("yaml", Line::Yaml)];
                thermo.line = args.one_of("line style", &lines)?;
            }
            Setting::Norm => thermo.norm = args.yes_no()?,
            Setting::Flush => {
                args.yes_no()?;
            }
            Setting::Lost | Setting::LostBond => {
                let table = [("error", Lost::Error), ("warn", Lost::Warn), ("ignore", Lost::Ignore)];
                match setting {
                    Setting::Lost => thermo.lost = args.one_of("treatment of lost atoms", &table)?,
                    _ => thermo.lost_bond = args.one_of("treatment of bonds that lose an atom", &table)?,
                }
            }
            Setting::Warn => {
                let most = match args.peek().map(|word| &*word.text) {
                    Some("ignore") => Some(0),
                    Some("default") => Some(log::MOST_WARNINGS),
                    Some("always") => Some(u64::MAX - 1),
                    Some("reset") => None,
                    _ => Some(args.clone().count(WARNINGS, 0)?),
                };
                args.word(WARNINGS)?;
                session.output.log.warnings(most);
            }
            Setting::General => {
                let word = args.clone().word("yes or no")?;
                thermo.general = args.yes_no()?;
                if thermo.general
                    && session.system.domain.as_ref().is_none_or(|domain| domain.general.is_none())
                {
                    return Err(not_general(args, word));
                }
            }
            Setting::Format => format(thermo, args)?,
            Setting::Temperature => temperature(session, args)?,
            Setting::Pressure => session.output.thermo.pressure = session.computes.pressure_arg(args)?,
            Setting::ColumnName => {
                if args.accept("default") {
                    thermo.columns.iter_mut().for_each(|c| c.heading.clone_from(&c.default_heading));
                } else {
                    let index = column(thermo, args)?;
                    args.text("a column heading")?.clone_into(&mut thermo.columns[index].heading);
                }
            }
        }
        if args.is_empty() {
            return Ok(());
        }
    }
}

/// `temp ID`: thermo output's temperature, and that of its pressure.
fn temperature(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let id = session.computes.temperature_arg(args)?;
    if session.computes.get(&id).is_some_and(|compute| compute.header().group != 1) {
        session.output.log.line("WARNING: Temperature for thermo pressure is not for group all");
    }
    session.output.thermo.temperature.clone_from(&id);
    if let Some(pressure) = session
        .computes
        .get_mut(&session.output.thermo.pressure)
        .and_then(|compute| crate::session::compute::Pressure::of_mut(&mut **compute))
    {
        pressure.temperature = Some(id);
    }
    Ok(())
}

fn format(thermo: &mut Settings, args: &mut Args<'_>) -> Result<()> {
    if args.accept("none") {
        thermo.columns.iter_mut().for_each(|column| column.format = None);
        (thermo.int, thermo.float, thermo.per_column) = (None, None, None);
    } else if args.accept("int") {
        thermo.int = Some(spec(args, true)?);
    } else if args.accept("float") {
        thermo.float = Some(spec(args, false)?);
    } else if args.accept("line") {
        let word = args.word("a format per column, in quotes")?;
        let formats: Vec<&str> = word.text.split_whitespace().collect();
        if formats.len() != thermo.columns.len() {
            let (has, needs) = (formats.len(), thermo.columns.len());
            return Err(args.error(word, format_args!("{has} formats for {needs} columns")));
        }
        let specs = formats.iter().zip(&thermo.columns).map(|(f, c)| parse(args, word, f, c.integer));
        thermo.per_column = Some(specs.collect::<Result<_>>()?);
    } else {
        for (index, spec) in columns_and_format(thermo, args)? {
            thermo.columns[index].format = Some(spec);
        }
    }
    Ok(())
}

/// Takes a column, or a range of columns such as `2*6`, `*` or `3*`, and the format for them.
fn columns_and_format(thermo: &Settings, args: &mut Args<'_>) -> Result<Vec<(usize, Spec)>> {
    let range = match args.peek().filter(|word| word.text.contains('*')) {
        Some(_) => type_range_of("column", args, thermo.columns.len(), &Labels::default())?,
        None => {
            let index = column(thermo, args)?;
            index + 1..=index + 1
        }
    };
    let word = args.word("a format")?;
    let with_spec = |n: usize| Ok((n - 1, parse(args, word, &word.text, thermo.columns[n - 1].integer)?));
    range.map(with_spec).collect()
}

/// Takes the word that selects a column.
fn column(thermo: &Settings, args: &mut Args<'_>) -> Result<usize> {
    let word = args.word("a column number or keyword")?;
    let count = thermo.columns.len();
    let index = match word.text.parse::<i64>() {
        Ok(n) if n > 0 => usize::try_from(n - 1).ok().filter(|index| *index < count),
        Ok(n) => {
            usize::try_from(n.unsigned_abs()).ok().filter(|back| *back > 0).and_then(|b| count.checked_sub(b))
        }
        Err(_) => thermo.columns.iter().rposition(|column| column.name == word.text),
    };
    index.ok_or_else(|| {
        let names: Vec<&str> = thermo.columns.iter().map(|column| column.name.as_str()).collect();
        args.error(word, format_args!("'{}' is no column of this thermo_style", word.text))
            .help(format!("columns: 1 to {count}, or {}", names.join(" ")))
    })
}

/// Takes a format for integers or for real numbers.
fn spec(args: &mut Args<'_>, integer: bool) -> Result<Spec> {
    let word = args.word("a format")?;
    parse(args, word, &word.text, integer)
}

fn parse(args: &Args<'_>, word: &Word, text: &str, integer: bool) -> Result<Spec> {
    match integer {
        true => args.spec(word, text, Spec::is_int, "%d"),
        false => args.spec(word, text, Spec::is_float, "%g or %12.6f"),
    }
}
