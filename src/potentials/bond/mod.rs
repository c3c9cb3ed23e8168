//! Bond styles: the commands and what all styles share. Each style is one file here, one snippet in cl/bond/, and
//! one line in [`STYLES`].

pub mod registry;
use crate::model::atoms::type_range_of;
use crate::model::labels::Labels;
use crate::potentials::bond::registry::STYLES;

mod class2;
mod fene;
mod fene_expand;
mod gromos;
mod harmonic;
mod harmonic_shift;
mod morse;
mod nonlinear;
mod zero;

use crate::base::error::{Error, Result};
use crate::gpu::source::File;
use crate::script::Args;

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

/// A bond potential: its parameters, its formula on the host, and what its kernel snippet needs.
pub trait Style: Send + Sync {
    /// As in `bond_style`.
    fn name(&self) -> &'static str;

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

    /// Names of the first of its parameters, those that `fix adapt` may change.
    fn parameters(&self) -> &'static [&'static str];

    /// F / r, E and the state of a bond whose squared length this is, the host twin of `bond_eval`.
    fn evaluate(&self, params: &Params, rsq: f64) -> Pull;

    /// The numbers that `bond_eval` reads.
    fn coefficients(&self, params: &Params) -> Vec<f64>;

    /// The longest that a bond may ever be: staged positions must tell as much from its image.
    fn longest(&self, params: &Params) -> f64;

    /// Why a run with a bond that is broken stops.
    fn broken(&self) -> &'static str {
        ""
    }
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
}

impl BondStyle {
    /// Takes `TYPES numbers` for some of `types` bond types; TYPES is one, a range like `*`, `2*` or `1*3`, or a label.
    ///
    /// # Errors
    /// At an argument that does not fit.
    pub fn set_coefficients(&mut self, args: &mut Args<'_>, types: usize, labels: &Labels) -> Result<()> {
        let range = type_range_of("bond", args, types, labels)?;
        let params = self.style.parse(args)?;
        args.finish()?;
        self.given.resize(types, None);
        range.for_each(|kind| self.given[kind - 1] = Some(params.clone()));
        Ok(())
    }

    /// Its name and coefficients, which [`BondStyle::restore`] makes it from again.
    pub fn save(&self) -> (String, Vec<Option<Params>>) {
        (self.style.name().to_owned(), self.given.clone())
    }

    /// The bond style of a name with its coefficients.
    ///
    /// # Errors
    /// When there is no such style.
    pub fn restore((name, given): (String, Vec<Option<Params>>)) -> Result<Self> {
        let style = STYLES.iter().find(|(known, _)| *known == name).map(|(_, style)| *style);
        let style = style.ok_or_else(|| Error::new(format!("there is no bond style '{name}'")))?;
        Ok(BondStyle { style, given })
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
        Ok(Resolved { style: self.style, params: params.collect::<Result<_>>()? })
    }

    /// The section Bond Coeffs of a data file; empty where a type has none.
    pub fn section(&self, types: usize) -> String {
        let Ok(resolved) = self.resolve(types) else { return String::new() };
        let mut text = format!("\nBond Coeffs # {}\n\n", self.style.name());
        for (k, params) in resolved.params.iter().enumerate() {
            let numbers: Vec<String> = params.iter().map(f64::to_string).collect();
            text.push_str(&format!("{} {}\n", k + 1, numbers.join(" ")));
        }
        text
    }
}

impl Resolved {
    /// The longest that a bond of any type may be.
    pub fn longest(&self) -> f64 {
        self.params.iter().map(|params| self.style.longest(params)).fold(0.0, f64::max)
    }

    /// Rows of the numbers that `bond_eval` reads, one per bond type.
    pub fn table(&self) -> Vec<f64> {
        self.params.iter().flat_map(|params| self.style.coefficients(params)).collect()
    }
}
