//! Bond styles: the commands and what all styles share. Each style is one file here, one snippet in cl/bond/, and
//! one line in [`STYLES`].

pub mod registry;
use crate::model::atoms::type_range_of;
use crate::model::labels::Labels;
use crate::potentials::bond::registry::STYLES;
use crate::potentials::lepton::{Variable, Written};

mod class2;
mod fene;
mod fene_expand;
mod gromos;
mod harmonic;
mod harmonic_shift;
mod hybrid;
mod lepton;
pub mod listed;
mod morse;
mod nonlinear;
mod quartic;
mod table;
mod zero;

use crate::base::error::{Error, Result};
use crate::gpu::source::File;
use crate::script::{Args, lammps, lexer};

/// The numbers of one bond type, in the order of `bond_coeff`.
pub type Params = Vec<f64>;

/// What a bond of some length does, on the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// F / r.
    pub force: f64,
    /// E.
    pub energy: f64,
    /// Whether it is so long that LAMMPS warns of it.
    pub long: bool,
    /// Whether it counts as broken.
    pub broken: bool,
}

impl Pull {
    /// Of no bond.
    pub const NONE: Pull = Pull { force: 0.0, energy: 0.0, long: false, broken: false };
}

/// A bond potential: its parameters, its formula on the host, and what its kernel snippet needs.
pub trait Style: Send + Sync {
    /// As in `bond_style`.
    fn name(&self) -> &'static str;

    /// The words of `bond_style` that it is made from again.
    fn words(&self) -> String {
        self.name().to_owned()
    }

    /// Those that a hybrid consists of.
    fn parts(&self) -> &[&'static dyn Style] {
        &[]
    }

    /// The words of `bond_coeff` behind the type that give these numbers again; `None` where there are no such.
    fn coefficient_words(&self, params: &Params) -> Option<String> {
        Some(params.iter().map(f64::to_string).collect::<Vec<_>>().join(" "))
    }

    /// The style to take in its place, by the words of `bond_style` behind its name.
    ///
    /// # Errors
    /// At a word that does not fit.
    fn settings(&self, _: &mut Args<'_>) -> Result<Option<&'static dyn Style>> {
        Ok(None)
    }

    /// The file in cl/bond/ that defines `bond_eval`.
    fn snippet(&self) -> File;

    /// Reads the numbers of `bond_coeff` after the type.
    ///
    /// # Errors
    /// At the word that does not fit.
    fn parse(&self, args: &mut Args<'_>) -> Result<Params>;

    /// The same, where variables of the script may stand.
    ///
    /// # Errors
    /// As there, and where a variable has no value.
    fn parse_formula(&self, args: &mut Args<'_>, _variable: Variable<'_>) -> Result<Params> {
        self.parse(args)
    }

    /// Names of the first of its parameters, those that `fix adapt` may change.
    fn parameters(&self) -> &'static [&'static str];

    /// F / r, E and the state of a bond whose squared length this is, the host twin of `bond_eval`.
    fn evaluate(&self, params: &Params, rsq: f64) -> Pull;

    /// The numbers that `bond_eval` reads.
    fn coefficients(&self, params: &Params) -> Vec<f64>;

    /// The text that defines `bond_eval` and the numbers that this reads, for those of all bond types that are there: of a style whose
    /// formulas are the script's.
    fn written(&self, _params: &[Option<&Params>]) -> Option<Written> {
        None
    }

    /// The longest that a bond may ever be: staged positions must tell as much from its image.
    fn longest(&self, params: &Params) -> f64;

    /// The first of the types that are listed pairs: their energies count among those of pairs.
    fn first_listed(&self) -> Option<usize> {
        None
    }

    /// The distance beyond which a bond is gone for good, where there is one. Of such bonds the pair force of both atoms is taken away.
    fn breaks_beyond(&self, _params: &Params) -> Option<f64> {
        None
    }

    /// Whether there is one.
    fn breaks(&self) -> bool {
        false
    }

    /// Why a run with a bond that is broken stops.
    fn broken(&self) -> &'static str {
        ""
    }
}

/// Takes the name of a style, which is no hybrid, and its words.
fn read_style(args: &mut Args<'_>) -> Result<&'static dyn Style> {
    let style = args.style("bond style", STYLES, lammps::BOND_STYLES)?;
    Ok(style.settings(args)?.unwrap_or(style))
}

/// The bond style of a script with its coefficients.
#[derive(Clone)]
pub struct BondStyle {
    /// The style.
    pub style: &'static dyn Style,
    /// Per bond type (index type - 1), as far as the script has given them.
    pub(crate) given: Vec<Option<Params>>,
}

/// A bond style with the parameters of every bond type: what runs are made of.
pub struct Resolved {
    /// The style.
    pub style: &'static dyn Style,
    /// Per bond type, index type - 1.
    pub params: Vec<Params>,
    /// [`Style::written`].
    written: Option<Written>,
}

impl BondStyle {
    /// Takes `TYPES numbers` for some of `types` bond types; TYPES is one, a range like `*`, `2*` or `1*3`, or a label. Formulas may have
    /// variables.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub fn set_coefficients(
        &mut self,
        args: &mut Args<'_>,
        types: usize,
        labels: &Labels,
        variable: Variable<'_>,
    ) -> Result<()> {
        let range = type_range_of("bond", args, types, labels)?;
        let params = self.style.parse_formula(args, variable)?;
        args.finish()?;
        self.given.resize(types, None);
        range.for_each(|kind| self.given[kind - 1] = Some(params.clone()));
        Ok(())
    }

    /// The words of `bond_style` behind the command, to the last.
    ///
    /// # Errors
    /// At a word that does not fit.
    pub fn read(args: &mut Args<'_>) -> Result<Self> {
        let style = if args.accept("hybrid") { hybrid::read(args)? } else { read_style(args)? };
        args.finish()?;
        if let Some(part) = style.parts().iter().find(|part| part.breaks()) {
            let message = format!(
                "{} cannot be one of several styles: it takes away the pair forces of all bonds",
                part.name()
            );
            return Err(Error::new(message).help("take it alone"));
        }
        Ok(BondStyle { style, given: Vec::new() })
    }

    /// Its words and coefficients, which [`BondStyle::restore`] makes it from again.
    pub fn save(&self) -> (String, Vec<Option<Params>>) {
        (self.style.words(), self.given.clone())
    }

    /// The bond style of such words with its coefficients.
    ///
    /// # Errors
    /// When there is no such style.
    pub fn restore((words, given): (String, Vec<Option<Params>>)) -> Result<Self> {
        let command = lexer::command(format!("bond_style {words}"), "(bond style)")?;
        Ok(BondStyle { given, ..BondStyle::read(&mut Args::new(&command))? })
    }

    /// The parameter at a place of those of a type (from 1); none where `bond_coeff` has given none.
    pub fn value(&self, kind: usize, number: usize) -> Option<f64> {
        self.given.get(kind - 1)?.as_ref()?.get(number).copied()
    }

    /// Gives it another value, where there is one.
    pub fn set(&mut self, kind: usize, number: usize, value: f64) {
        let given = self.given.get_mut(kind - 1).and_then(Option::as_mut);
        if let Some(parameter) = given.and_then(|params| params.get_mut(number)) {
            *parameter = value;
        }
    }

    /// All parameters.
    ///
    /// # Errors
    /// Names the first bond type without.
    pub fn resolve(&self, types: usize) -> Result<Resolved> {
        let params = (0..types).map(|k| {
            self.given.get(k).cloned().flatten().ok_or_else(|| {
                Error::new(format!("bond_coeff: no coefficients for bond type {}", k + 1))
                    .help(format!("add a line like: bond_coeff {} ...", k + 1))
            })
        });
        let params = params.collect::<Result<Vec<_>>>()?;
        let written = self.style.written(&params.iter().map(Some).collect::<Vec<_>>());
        Ok(Resolved { style: self.style, params, written })
    }

    /// The section Bond Coeffs of a data file; empty where a type has none.
    pub fn section(&self, types: usize) -> String {
        let Ok(resolved) = self.resolve(types) else { return String::new() };
        let mut text = format!("\nBond Coeffs # {}\n\n", self.style.name());
        for (k, params) in resolved.params.iter().enumerate() {
            let Some(words) = self.style.coefficient_words(params) else { return String::new() };
            text.push_str(&format!("{} {words}\n", k + 1));
        }
        text
    }
}

impl Resolved {
    /// The longest that a bond of any type may be.
    pub fn longest(&self) -> f64 {
        self.params.iter().map(|params| self.style.longest(params)).fold(0.0, f64::max)
    }

    /// Numbers of a row of [`Resolved::table`].
    pub fn width(&self) -> usize {
        (0..self.params.len()).map(|k| self.row(k).len()).max().unwrap_or(0)
    }

    fn row(&self, k: usize) -> Vec<f64> {
        match &self.written {
            Some(written) => written.rows[k].clone(),
            None => self.style.coefficients(&self.params[k]),
        }
    }

    /// The name and the text of what defines `bond_eval`.
    pub fn file(&self) -> (&str, &str) {
        let (name, text) = self.style.snippet();
        (name, self.written.as_ref().map_or(text, |written| &written.text))
    }

    /// Rows of the numbers that `bond_eval` reads, one per bond type; the shorter ones end with 0.
    pub fn table(&self) -> Vec<f64> {
        let width = self.width();
        let row = |k| {
            let mut row = self.row(k);
            row.resize(width, 0.0);
            row
        };
        (0..self.params.len()).flat_map(row).collect()
    }
}
