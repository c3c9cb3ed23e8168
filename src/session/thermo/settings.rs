//! What `thermo`, `thermo_style` and `thermo_modify` have chosen.

use crate::model::lost::Lost;

use super::keywords::{self, Keyword};
use crate::base::format::Spec;
use crate::model::units::Units;
use crate::script::formula::Reference;
use crate::session::schedule::Schedule;

/// How a row is laid out (`thermo_modify line`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// One line per row under a line of headings.
    One,
    /// Several lines per row, each value with its heading.
    Multi,
    /// YAML: a list of keywords, a list of lists of values.
    Yaml,
}

/// Where the value of a column comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// One of [`super::KEYWORDS`].
    Keyword(&'static str),
    /// A compute, a fix or an equal-style variable.
    Reference(Reference),
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// As the script names it: `temp`, `v_x`, `c_msd[4]`.
    pub name: String,
    /// The heading without `thermo_modify colname`.
    pub(crate) default_heading: String,
    /// The heading that is printed.
    pub heading: String,
    /// Whether its values are integers.
    pub integer: bool,
    pub(super) value: Value,
    /// `thermo_modify format N`.
    pub(crate) format: Option<Spec>,
}

impl Column {
    /// Reads a word of `thermo_style custom`; `None` for a name that is not known.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (value, heading, integer) = if let Some(reference) = Reference::parse(name) {
            (Value::Reference(reference), name, false)
        } else {
            let keyword = keywords::find(name)?;
            (Value::Keyword(keyword.name), keyword.heading, keyword.integer)
        };
        Some(Column {
            name: name.to_owned(),
            default_heading: heading.to_owned(),
            heading: heading.to_owned(),
            integer,
            value,
            format: None,
        })
    }

    /// Whether it may need more of the atoms than sums that each row has.
    pub fn looks_at_atoms(&self) -> bool {
        match &self.value {
            Value::Reference(_) => true,
            Value::Keyword(name) => keywords::find(name).is_none_or(Keyword::looks_at_atoms),
        }
    }

    /// The compute, fix or variable that it shows.
    pub fn reference(&self) -> Option<&Reference> {
        match &self.value {
            Value::Reference(reference) => Some(reference),
            Value::Keyword(_) => None,
        }
    }

    fn list(names: &[&str]) -> Vec<Column> {
        names.iter().map(|name| Column::parse(name).expect("the names are keywords")).collect()
    }
}

/// `thermo`, `thermo_style`, `thermo_modify`.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// When rows are printed between the first and the last step of a run.
    pub every: Schedule,
    /// Layout of a row.
    pub line: Line,
    /// Extensive values are printed per atom.
    pub norm: bool,
    /// What lost atoms mean.
    pub lost: Lost,
    /// What bonds mean that have lost an atom (`lost/bond`).
    pub lost_bond: Lost,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// `temp`: the ID of the compute that measures the temperature.
    pub temperature: String,
    /// `press`: the ID of the compute that measures the pressure.
    pub pressure: String,
    /// `triclinic/general`: edge vectors, and in formulas the pressure, as the script's space has them.
    pub general: bool,
    /// `format int`.
    pub(crate) int: Option<Spec>,
    /// `format float`.
    pub(crate) float: Option<Spec>,
    /// `format line`: one per column.
    pub(crate) per_column: Option<Vec<Spec>>,
    /// Whether `thermo_modify` has been used on this style.
    pub(crate) modified: bool,
}

impl Settings {
    /// The defaults of a unit system: style one, norm only in `lj` units.
    pub fn new(units: &Units) -> Self {
        Settings {
            every: Schedule::Every(0),
            line: Line::One,
            norm: units.name == "lj",
            lost: Lost::Error,
            lost_bond: Lost::Error,
            columns: Column::list(&["step", "temp", "epair", "emol", "etotal", "press"]),
            temperature: "thermo_temp".to_owned(),
            pressure: "thermo_press".to_owned(),
            general: false,
            int: None,
            float: None,
            per_column: None,
            modified: false,
        }
    }

    /// `thermo_style multi`.
    pub(crate) fn multi(units: &Units) -> Self {
        let columns = Column::list(&[
            "etotal", "ke", "temp", "pe", "ebond", "eangle", "edihed", "eimp", "evdwl", "ecoul", "elong",
            "press",
        ]);
        Settings { line: Line::Multi, columns, ..Settings::new(units) }
    }

    /// `thermo_style yaml`.
    pub(crate) fn yaml(units: &Units) -> Self {
        let columns = Column::list(&[
            "step", "temp", "ke", "pe", "ebond", "eangle", "edihed", "eimp", "evdwl", "ecoul", "elong",
            "press",
        ]);
        Settings { line: Line::Yaml, columns, ..Settings::new(units) }
    }

    /// The settings for a box that may change: the styles one, multi and yaml then end with the volume.
    #[must_use]
    pub fn for_box(&self, changes: bool, units: &Units) -> Self {
        let mut settings = self.clone();
        let plain = match self.line {
            Line::One => Settings::new(units),
            Line::Multi => Settings::multi(units),
            Line::Yaml => Settings::yaml(units),
        };
        if changes && self.columns == plain.columns {
            settings.columns.extend(Column::list(&["vol"]));
        }
        settings
    }

    /// Whether a row is printed at `step` of a run.
    pub fn due(&self, step: i64, first: i64, last: i64) -> bool {
        step == first || step == last || self.every.due(step)
    }

    /// The next step after `step` at which a row is printed, in a run that ends at `last`.
    pub fn next(&self, step: i64, last: i64) -> i64 {
        self.every.next(step).min(last)
    }

    /// The computes, fixes and variables among the columns.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.columns.iter().filter_map(Column::reference)
    }
}
