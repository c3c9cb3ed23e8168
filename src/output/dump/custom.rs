//! `dump custom`: any columns. LAMMPS manual, `dump`.

use super::Style;
use super::column::Column;
use crate::base::error::Result;
use crate::script::formula::Elements;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::snapshot::Form;

/// Attributes that LAMMPS has and CLAMPS has not.
const OTHER: &str = "mux muy muz mu radius diameter omegax omegay omegaz angmomx angmomy \
    angmomz tqx tqy tqz spin eradius ervel erforce typelabel";

struct Custom(Vec<Column>);

/// Takes the names of the columns.
pub(crate) fn new(session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Custom(columns(session, args)?)))
}

/// Takes the names of columns of atoms, to the end.
pub(super) fn columns(session: &Session, args: &mut Args<'_>) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    while columns.is_empty() || !args.is_empty() {
        let word = args.word("an atom attribute")?;
        let name = word.text.as_str();
        if let Some(range) = Elements::parse(name) {
            let these = session.now().elements(&range, Form::PerAtom);
            columns.extend(these.map_err(|error| args.place(word, error))?.into_iter().map(Column::Computed));
            continue;
        }
        let these = session.property_columns(name).map_err(|error| args.place(word, error))?;
        if !these.is_empty() {
            columns.extend(these.into_iter().map(Column::Custom));
            continue;
        }
        columns.push(column(session, args, word)?);
    }
    Ok(columns)
}

/// The column of a name.
///
/// # Errors
/// When there is none, or it shows a compute, fix or variable that there is not.
pub(super) fn column(session: &Session, args: &Args<'_>, word: &Word) -> Result<Column> {
    let name = word.text.as_str();
    session.check_property(name).map_err(|error| args.place(word, error))?;
    let column =
        Column::parse(name).ok_or_else(|| match OTHER.split_whitespace().any(|other| other == name) {
            true => args.unsupported(word, "attribute"),
            false => args.unknown(word, "attribute", Column::names()),
        })?;
    if let Column::Computed(reference) = &column {
        session.now().check(reference, Form::PerAtom).map_err(|error| args.place(word, error))?;
    }
    Ok(column)
}

impl Style for Custom {
    fn columns(&self) -> Vec<Column> {
        self.0.clone()
    }

    fn is_lammps(&self) -> bool {
        true
    }
}
