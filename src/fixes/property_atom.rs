//! `fix ID GROUP property/atom NAMES ... [ghost yes|no]`: atoms get properties that their style has not. Source: LAMMPS
//! manual, `fix property/atom`. The values are in [`crate::model::atoms::Atoms`], where they go with their atoms.

use crate::base::error::Result;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::fix::{Fix, Header};

struct PropertyAtom {
    header: Header,
    /// As dumps name them: `mol`, `q`, `i_NAME`, `d_NAME`, `i2_NAME[1]`.
    properties: Vec<String>,
}

/// What LAMMPS has besides.
const OTHERS: [&str; 3] = ["rmass", "temperature", "heatflow"];

/// As many columns as make sense in a script.
const MOST_COLUMNS: u64 = 1000;

/// Takes names of properties and `ghost`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut properties = Vec::new();
    loop {
        let word = args.word("a property: mol, q, i_NAME, d_NAME, i2_NAME N or d2_NAME N")?;
        if word.text == "ghost" && !properties.is_empty() {
            args.yes_no()?; // there are no ghost atoms
        } else {
            properties.extend(read(&header, session, args, word, &properties)?);
        }
        if args.is_empty() {
            return Ok(Box::new(PropertyAtom { header, properties }));
        }
    }
}

/// The columns that a word, with the number after it, stands for.
fn read(
    header: &Header,
    session: &Session,
    args: &mut Args<'_>,
    word: &Word,
    before: &[String],
) -> Result<Vec<String>> {
    let name = &*word.text;
    let (prefix, own) = name.split_once('_').unwrap_or((name, ""));
    let named = matches!(prefix, "i" | "d" | "i2" | "d2") && !own.is_empty();
    if OTHERS.contains(&name) {
        return Err(args.unsupported(word, "property"));
    }
    if !named && !matches!(name, "mol" | "q") {
        return Err(args.unknown(
            word,
            "property",
            ["mol", "q", "i_NAME", "d_NAME", "i2_NAME", "d2_NAME"].into_iter(),
        ));
    }
    if named && !own.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(
            args.error(word, format_args!("'{name}' has other characters than letters, digits and _"))
        );
    }
    if name == "mol" && session.system.atom_style.molecular
        || name == "q" && session.system.atom_style.charged
    {
        let message =
            format!("atoms of style {} have the property '{name}' already", session.system.atom_style.name);
        return Err(args.error(word, message));
    }
    // Vectors and arrays of one kind share their names, as in LAMMPS.
    let bare = |name: &str| name.replacen("2_", "_", 1).split('[').next().unwrap_or_default().to_owned();
    let others =
        session.fixes.iter().filter(|fix| fix.header().id != header.id).flat_map(|fix| fix.properties());
    if others.chain(before).any(|other| bare(other) == bare(name)) {
        return Err(args.error(word, format_args!("there is a property '{name}' already")));
    }
    if !prefix.ends_with('2') {
        return Ok(vec![name.to_owned()]);
    }
    let number = args.peek();
    let columns = args.count("the number of columns", 1)?;
    match number.filter(|_| columns > MOST_COLUMNS) {
        Some(number) => Err(args.error(number, format_args!("there can be at most {MOST_COLUMNS} columns"))),
        None => Ok((1..=columns).map(|column| format!("{name}[{column}]")).collect()),
    }
}

impl Fix for PropertyAtom {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn properties(&self) -> &[String] {
        &self.properties
    }
}
