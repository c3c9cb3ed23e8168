//! The columns of a dump: what they hold and how they are printed, fast.

use super::{Frame, no_forces};
use crate::base::error::{Error, Result};
use crate::base::format::{Spec, push_g6};
use crate::base::names::{is_custom, is_integer};
use crate::base::parallel;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::labels::Labels;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::snapshot::{AtomColumn, GridValue};
use std::io::Write;

/// An attribute of an atom, whose number is the axis, or of another row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Id,
    Type,
    Molecule,
    Charge,
    Radius,
    Diameter,
    Mass,
    /// Element name, `C` by default.
    Element,
    /// Element name, the type by default (xyz).
    Label,
    /// The element, else the name of the type where all types have one, else its number.
    Species,
    /// What the script calls the type (`labelmap`).
    TypeLabel,
    /// Position.
    X(usize),
    /// Position as a fraction of the box.
    Scaled(usize),
    /// Position with the box lengths crossed.
    Unwrapped(usize),
    /// Both.
    ScaledUnwrapped(usize),
    Image(usize),
    Velocity(usize),
    Force(usize),
    /// What the script has given the atoms (`fix property/atom`).
    Custom(String),
    /// The number of the only processor, counted from 0 or from 1.
    Processor(u8),
    /// Of a compute, a fix or an atom-style variable.
    Computed(Reference),
    /// The number of a row that is no atom, from 1.
    Index,
    /// Local values of a compute or fix.
    Local(Reference),
    /// Of the cells of a grid.
    Cell(GridValue),
}

/// Every column that has a name.
const COLUMNS: [(&str, Column); 32] = [
    ("id", Column::Id),
    ("type", Column::Type),
    ("mol", Column::Molecule),
    ("proc", Column::Processor(0)),
    ("procp1", Column::Processor(1)),
    ("q", Column::Charge),
    ("radius", Column::Radius),
    ("diameter", Column::Diameter),
    ("mass", Column::Mass),
    ("element", Column::Element),
    ("typelabel", Column::TypeLabel),
    ("x", Column::X(0)),
    ("y", Column::X(1)),
    ("z", Column::X(2)),
    ("xs", Column::Scaled(0)),
    ("ys", Column::Scaled(1)),
    ("zs", Column::Scaled(2)),
    ("xu", Column::Unwrapped(0)),
    ("yu", Column::Unwrapped(1)),
    ("zu", Column::Unwrapped(2)),
    ("xsu", Column::ScaledUnwrapped(0)),
    ("ysu", Column::ScaledUnwrapped(1)),
    ("zsu", Column::ScaledUnwrapped(2)),
    ("ix", Column::Image(0)),
    ("iy", Column::Image(1)),
    ("iz", Column::Image(2)),
    ("vx", Column::Velocity(0)),
    ("vy", Column::Velocity(1)),
    ("vz", Column::Velocity(2)),
    ("fx", Column::Force(0)),
    ("fy", Column::Force(1)),
    ("fz", Column::Force(2)),
];

impl Column {
    /// The names that a script may use.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        COLUMNS.iter().map(|(name, _)| *name)
    }

    /// The column of a name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let known = COLUMNS.iter().find(|(known, _)| *known == name).map(|(_, column)| column.clone());
        let custom = || is_custom(name).then(|| Column::Custom(name.to_owned()));
        known.or_else(custom).or_else(|| Reference::parse(name).map(Column::Computed))
    }

    /// Its name; empty for the first column of xyz, whose rows have no heading.
    pub(crate) fn name(&self) -> String {
        match self {
            Column::Computed(reference) | Column::Local(reference) => reference.to_string(),
            Column::Cell(value) => value.to_string(),
            Column::Index => "index".to_owned(),
            Column::Custom(name) => name.clone(),
            _ => COLUMNS.iter().find(|(_, column)| column == self).map_or("", |(name, _)| name).to_owned(),
        }
    }

    /// The compute, fix or variable that it shows.
    pub(super) fn reference(&self) -> Option<&Reference> {
        match self {
            Column::Computed(reference) | Column::Local(reference) => Some(reference),
            Column::Cell(value) => Some(&value.reference),
            _ => None,
        }
    }

    pub(super) fn is_force(&self) -> bool {
        matches!(self, Column::Force(_))
    }

    fn is_integer(&self) -> bool {
        match self {
            Column::Id
            | Column::Type
            | Column::Molecule
            | Column::Image(_)
            | Column::Index
            | Column::Processor(_) => true,
            Column::Custom(name) => is_integer(name),
            _ => false,
        }
    }

    /// Whether rows can be sorted by it.
    pub(crate) fn is_number(&self) -> bool {
        !self.is_text()
    }

    fn is_text(&self) -> bool {
        matches!(self, Column::Element | Column::Label | Column::Species | Column::TypeLabel)
    }
}

/// `dump_modify format`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Formats {
    int: Option<Spec>,
    float: Option<Spec>,
    line: Vec<Option<Spec>>,
    columns: Vec<Option<Spec>>,
}

impl Formats {
    /// Own format of a column, else that of its kind, else that of the line.
    fn get(&self, index: usize, column: &Column) -> Option<&Spec> {
        let kind = match column {
            _ if column.is_integer() => self.int.as_ref(),
            _ if column.is_text() => None,
            _ => self.float.as_ref(),
        };
        let own = |list: &'_ [Option<Spec>]| list.get(index).is_some_and(Option::is_some);
        match kind {
            _ if own(&self.columns) => self.columns[index].as_ref(),
            Some(spec) => Some(spec),
            None if own(&self.line) => self.line[index].as_ref(),
            None => None,
        }
    }

    /// Takes the words after `format`.
    pub(crate) fn modify(&mut self, columns: &[Column], args: &mut Args<'_>) -> Result<()> {
        if args.accept("none") {
            *self = Formats::default();
            return Ok(());
        }
        let word = args.word("line, int, float, none or a column number")?;
        let text = args.word("a format")?;
        let spec = |format: &str, column: &Column| match column {
            _ if column.is_integer() => args.spec(text, format, Spec::is_int, "%d"),
            _ if column.is_text() => args.spec(text, format, Spec::is_text, "%s"),
            _ => args.spec(text, format, Spec::is_float, "%g or %12.6f"),
        };
        match word.text.as_str() {
            "int" => self.int = Some(spec(&text.text, &Column::Id)?),
            "float" => self.float = Some(spec(&text.text, &Column::Mass)?),
            "line" => {
                let formats: Vec<&str> = text.text.split_whitespace().collect();
                if formats.len() != columns.len() {
                    let (has, needs) = (formats.len(), columns.len());
                    return Err(args.error(text, format_args!("{has} formats for {needs} columns")));
                }
                self.line = formats
                    .iter()
                    .zip(columns)
                    .map(|(format, column)| spec(format, column).map(Some))
                    .collect::<Result<_>>()?;
            }
            number => {
                let index = number.parse().ok().and_then(|n: usize| n.checked_sub(1));
                let index = index.filter(|index| *index < columns.len()).ok_or_else(|| {
                    args.error(
                        word,
                        format_args!("'{number}' is none of line, int, float, none, 1 to {}", columns.len()),
                    )
                })?;
                self.columns.resize(columns.len(), None);
                self.columns[index] = Some(spec(&text.text, &columns[index])?);
            }
        }
        Ok(())
    }
}

/// The rows of one frame.
pub(crate) struct Rows<'a> {
    atoms: &'a Atoms,
    domain: &'a Domain,
    mass: &'a [f64],
    forces: &'a [[f64; 3]],
    columns: Vec<(Column, Option<&'a Spec>)>,
    /// The values of computed columns.
    computed: Vec<AtomColumn>,
    elements: &'a [String],
    /// What types are called, where a column shows that.
    labels: Option<&'a Labels>,
    inverse: [f64; 3],
}

impl<'a> Rows<'a> {
    /// # Errors
    /// When a column asks for forces and there are none, or a computed one has no values.
    pub(super) fn new(
        frame: &'a Frame<'a>,
        columns: &[Column],
        formats: &'a Formats,
        elements: &'a [String],
    ) -> Result<Self> {
        if frame.forces.is_none() && columns.iter().any(|column| column.is_force()) {
            return Err(no_forces());
        }
        let mut labels = None;
        if let (Some(system), true) = (frame.system, columns.contains(&Column::TypeLabel)) {
            let (these, types) = (&system.session.system.labels.atom, system.session.types());
            if let Some(kind) = these.free(types) {
                let error = Error::new(format!("atom type {kind} has no name to show"));
                return Err(error.help(format!("give it one: labelmap atom {kind} NAME")));
            }
            labels = Some(these);
        }
        if let (Some(system), true) = (frame.system, columns.contains(&Column::Species)) {
            let these = &system.session.system.labels.atom;
            labels = Some(these).filter(|these| these.free(system.session.types()).is_none());
        }
        let length = frame.domain.lengths();
        let computed = columns.iter().map(|column| match (column, frame.system) {
            (Column::Computed(reference), Some(system)) => system.atom_column(reference),
            (Column::Local(reference), Some(system)) => system.local(reference).map(AtomColumn::Own),
            (Column::Cell(value), Some(system)) => Ok(AtomColumn::Own(value.get(system)?.1)),
            (Column::Custom(name), _) => frame
                .atoms
                .custom
                .get(name)
                .map(|values| AtomColumn::Own(values.to_vec()))
                .ok_or_else(|| Error::new(format!("its column {name} is not there any more"))),
            _ if column.reference().is_some() => Err(Error::new("there is nothing to compute columns from")),
            _ => Ok(AtomColumn::Own(Vec::new())),
        });
        Ok(Rows {
            computed: computed.collect::<Result<_>>()?,
            atoms: frame.atoms,
            domain: frame.domain,
            mass: frame.mass,
            forces: frame.forces.unwrap_or_default(),
            columns: columns
                .iter()
                .enumerate()
                .map(|(i, column)| (column.clone(), formats.get(i, column)))
                .collect(),
            elements,
            labels,
            inverse: length.map(|length| 1.0 / length),
        })
    }

    /// How many rows there are where they are not atoms.
    ///
    /// # Errors
    /// When columns have different numbers of values.
    pub(super) fn entries(&self) -> Result<usize> {
        let counted = |(column, values): (&(Column, _), &AtomColumn)| {
            (column.0 != Column::Index).then_some(values.len())
        };
        let mut counts = self.columns.iter().zip(&self.computed).filter_map(counted);
        let first = counts.next().unwrap_or(0);
        match counts.find(|&count| count != first) {
            Some(other) => Err(Error::new(format!("its columns have {first} and {other} values"))),
            None => Ok(first),
        }
    }

    /// Writes the rows with these indices.
    pub(super) fn write(&self, order: &[usize], out: &mut dyn Write) -> std::io::Result<()> {
        self.write_between(order, ["", " ", ""], out)
    }

    /// The same with something before each row, between its values, and behind it.
    pub(super) fn write_between(
        &self,
        order: &[usize],
        [before, between, behind]: [&str; 3],
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let row = |&atom: &usize, text: &mut Vec<u8>| {
            text.extend_from_slice(before.as_bytes());
            for (index, (column, spec)) in self.columns.iter().enumerate() {
                if index > 0 {
                    text.extend_from_slice(between.as_bytes());
                }
                self.value(atom, index, column, *spec, text);
            }
            text.extend_from_slice(behind.as_bytes());
            text.push(b'\n');
        };
        parallel::texts(order, row, |text| out.write_all(text))
    }

    /// The value of a column that is no text.
    pub(super) fn number(&self, i: usize, index: usize) -> f64 {
        let (atoms, domain) = (self.atoms, self.domain);
        let scaled = |d: usize| (domain.straighten(atoms.x[i])[d] - domain.lo[d]) * self.inverse[d];
        match self.columns[index].0 {
            Column::Id => f64::from(atoms.tag[i]),
            Column::Type => f64::from(atoms.kind[i]),
            Column::Molecule => f64::from(atoms.molecule[i]),
            Column::Charge => atoms.charge[i],
            Column::Radius => atoms.sphere(i)[0],
            Column::Diameter => 2.0 * atoms.sphere(i)[0],
            Column::Image(d) => f64::from(atoms.image[i][d]),
            Column::Element | Column::Label | Column::Species | Column::TypeLabel => f64::NAN,
            Column::Mass => self.mass.get(atoms.kind[i] as usize - 1).copied().unwrap_or(f64::NAN),
            Column::X(d) => domain.general_position(atoms.x[i])[d],
            Column::Scaled(d) => scaled(d),
            Column::Unwrapped(d) => domain.general_position(domain.unwrapped(atoms.x[i], atoms.image[i]))[d],
            Column::ScaledUnwrapped(d) => scaled(d) + f64::from(atoms.image[i][d]),
            Column::Velocity(d) => domain.general_vector(atoms.v[i])[d],
            Column::Force(d) => domain.general_vector(self.forces[i])[d],
            Column::Index => (i + 1) as f64,
            Column::Processor(number) => number.into(),
            Column::Custom(_) | Column::Computed(_) | Column::Local(_) | Column::Cell(_) => {
                self.computed[index][i]
            }
        }
    }

    /// Adds a value of a row to a text.
    pub(super) fn push(&self, i: usize, index: usize, text: &mut Vec<u8>) {
        let (column, spec) = &self.columns[index];
        self.value(i, index, column, *spec, text);
    }

    /// Adds a number to a text as a column shows its own.
    pub(super) fn push_number(&self, x: f64, index: usize, text: &mut Vec<u8>) {
        match self.columns[index].1 {
            Some(spec) => text.extend_from_slice(spec.float(x).as_bytes()),
            None => push_g6(x, text),
        }
    }

    fn value(&self, i: usize, index: usize, column: &Column, spec: Option<&Spec>, text: &mut Vec<u8>) {
        let kind = || self.atoms.kind[i];
        let element = || self.elements.get(kind() as usize - 1);
        let name = || self.labels.and_then(|labels| labels.name(kind() as usize));
        match column {
            _ if column.is_integer() => {
                integer(self.number(i, index) as i64, spec, text);
            }
            Column::TypeLabel => word(name().unwrap_or_default(), spec, text),
            Column::Element => word(element().map_or("C", String::as_str), spec, text),
            Column::Label | Column::Species => match element().map(String::as_str).or_else(name) {
                Some(name) => word(name, spec, text),
                None if spec.is_none() => integer(i64::from(kind()), None, text),
                None => word(&kind().to_string(), spec, text),
            },
            _ => match spec {
                Some(spec) => text.extend_from_slice(spec.float(self.number(i, index)).as_bytes()),
                None => push_g6(self.number(i, index), text),
            },
        }
    }
}

fn integer(n: i64, spec: Option<&Spec>, text: &mut Vec<u8>) {
    match spec {
        Some(spec) => text.extend_from_slice(spec.int(n).as_bytes()),
        None => text.extend_from_slice(itoa::Buffer::new().format(n).as_bytes()),
    }
}

fn word(name: &str, spec: Option<&Spec>, text: &mut Vec<u8>) {
    match spec {
        Some(spec) => text.extend_from_slice(spec.text(name).as_bytes()),
        None => text.extend_from_slice(name.as_bytes()),
    }
}
