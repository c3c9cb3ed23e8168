//! Potentials whose forces depend on more than two atoms ([`ManyBody`]). A first pass over the neighbours makes numbers of each
//! atom (a density, say); the last pass, which is that of all pair styles, sees those of both atoms of a pair.

use super::potential_file::PotentialFile;
use super::style::Params;
use crate::base::error::{Error, Result};
use crate::gpu::source::File;
use crate::script::{Args, Word};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// What `pair_coeff` says before a potential file, and what it is read for.
pub struct Types<'a> {
    /// The first and the second range of types, from 1.
    pub ranges: [RangeInclusive<usize>; 2],
    /// How many types there are.
    pub count: usize,
    /// `metal` and the like.
    pub units: &'a str,
}

impl Types<'_> {
    /// Whether both ranges are all types, as styles with one file for all of them want it.
    ///
    /// # Errors
    /// When they are not.
    pub(super) fn check_all(&self, args: &Args<'_>, name: &str) -> Result<()> {
        if self.ranges.iter().all(|range| *range == (1..=self.count)) {
            return Ok(());
        }
        let error = args.error_here(format_args!("pair_style {name} has one file for all types"));
        Err(error.help("write `pair_coeff * * FILE ELEMENT ...`, NULL for types without"))
    }
}

impl Types<'_> {
    /// Takes the element of each type, or NULL: its name.
    ///
    /// # Errors
    /// When one is missing, or words are left.
    pub(super) fn elements<'a>(&self, args: &mut Args<'a>) -> Result<Vec<&'a Word>> {
        let name = |kind| args.word(&format!("the element of atom type {kind}, or NULL"));
        let names = (1..=self.count).map(name).collect::<Result<_>>()?;
        args.finish()?;
        Ok(names)
    }
}

/// The error where numbers stand for a potential file.
pub(super) fn no_numbers(args: &Args<'_>, name: &str) -> Error {
    args.error_here(format_args!("pair_style {name} takes a potential file"))
}

/// What [`ManyBody::save`] has kept for the style of a name.
///
/// # Errors
/// When it is something else.
pub(super) fn saved<T: DeserializeOwned>(name: &str, saved: Value) -> Result<T> {
    let failed = |error| Error::new(format!("the potential of pair_style {name} is not whole: {error}"));
    serde_json::from_value(saved).map_err(failed)
}

/// What has been read for a `pair_coeff` line.
#[derive(Default)]
pub struct Loaded {
    /// Parameters of pairs of types i <= j, from 1.
    pub pairs: Vec<([usize; 2], Params)>,
    /// Types and their masses, in mass units.
    pub masses: Vec<(usize, f64)>,
    /// Lines for the log.
    pub log: Vec<String>,
}

impl Loaded {
    /// Opens a potential file for a style, with what its energies are to be multiplied by in these units.
    ///
    /// # Errors
    /// When it cannot be read, or has other units.
    pub(super) fn open(
        &mut self,
        args: &Args<'_>,
        word: &Word,
        name: &str,
        units: &str,
    ) -> Result<(PotentialFile, f64)> {
        let file = PotentialFile::open(args, word)?;
        self.log.extend(file.log(&format!("{name} potential")));
        let (factor, remark) = file.energy_factor(name, units).map_err(|error| args.place(word, error))?;
        self.log.extend(remark);
        Ok((file, factor))
    }

    /// Gives all pairs of types the places of their elements as parameters; those without an element have no part.
    pub(super) fn add_pairs(&mut self, element_of: &[Option<usize>]) {
        for (i, a) in element_of.iter().enumerate() {
            for (j, b) in element_of.iter().enumerate().skip(i) {
                if let (&Some(a), &Some(b)) = (a, b) {
                    self.pairs.push(([i + 1, j + 1], vec![a as f64, b as f64]));
                }
            }
        }
    }
}

/// The first pass of a style, as kernels have it.
pub struct FirstPass {
    /// The file in cl/pair/ that defines its functions.
    pub snippet: File,
    /// What it leaves.
    pub leaves: Leaves,
}

/// What a first pass leaves of each atom for the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Numbers, made from sums over its neighbours (cl/force/first_pass.cl).
    Numbers {
        /// So many sums.
        sums: usize,
        /// So many numbers.
        made: usize,
    },
    /// Partial forces on its neighbours within the cutoff (cl/force/partial_forces.cl). The last pass adds up these, and has
    /// forces of pairs besides where the style says so ([`ManyBody::has_pairs`]).
    PartialForces {
        /// Room for so many neighbours, to begin with.
        slots: usize,
        /// Numbers per neighbour that the kernel's function takes for itself.
        scratch: usize,
        /// Whether the kernel file makes them bond by bond (`bond_alone`), so that several work-items may share an atom.
        by_bonds: bool,
    },
}

/// An atom's neighbours within the list, for the twin: their places, and the way to each from the atom.
pub type Around = Vec<(usize, [f64; 3])>;

/// What the twin adds to: energies and virials (xx yy zz xy xz yz) per atom, and forces.
pub struct Contribution<'a> {
    /// Forces.
    pub force: &'a mut [[f64; 3]],
    /// Energies.
    pub energy: &'a mut [f64],
    /// Virials, as the kernels share them out.
    pub virial: &'a mut [[f64; 6]],
}

/// A style of more than two bodies. Its parameters of an ordered pair of types are the places of both
/// elements in its tables.
pub trait ManyBody: Send + Sync {
    /// Takes what follows the types in `pair_coeff`: a potential file, and which element each type is.
    ///
    /// # Errors
    /// At a word that does not fit, or in the file.
    fn read(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded>;

    /// The parameters of a pair in the other order.
    fn turned(&self, params: &[f64]) -> Params {
        params.iter().rev().copied().collect()
    }

    /// Whether forces between two atoms are along the line between them, so that each has half of a pair's virial.
    fn is_central(&self) -> bool {
        false
    }

    /// Its first pass.
    fn first_pass(&self) -> FirstPass;

    /// Whether there are forces of pairs besides, by the functions that every style has.
    fn has_pairs(&self) -> bool {
        matches!(self.first_pass().leaves, Leaves::Numbers { .. })
    }

    /// How far a pair is seen by the first pass, where that is not [`super::style::Style::seen_within`].
    fn pass_reach(&self, _params: &[f64]) -> Option<f64> {
        None
    }

    /// The numbers that `pass_eval` reads; of partial forces none.
    fn pass_coefficients(&self, _params: &[f64]) -> Vec<f64> {
        Vec::new()
    }

    /// Tables for it, as [`super::style::Style::samples`].
    fn pass_samples(&self, _params: &[f64]) -> Vec<Cow<'_, [f64]>> {
        Vec::new()
    }

    /// The numbers of an atom and two neighbours, for partial forces, from the parameters of both pairs.
    fn triplet(&self, _one: &[f64], _other: &[f64]) -> Vec<f64> {
        Vec::new()
    }

    /// The plain f64 twin of all passes: adds what the atoms of `kind` with these neighbours have, with parameters per ordered
    /// pair of types.
    fn evaluate_all(
        &self,
        params: &dyn Fn(u32, u32) -> Option<Params>,
        kind: &[u32],
        around: &[Around],
        to: &mut Contribution<'_>,
    );

    /// Names of what its formulas make of each atom on the way, for `fix pair`.
    fn names_of_atoms(&self) -> &'static [&'static str] {
        &[]
    }

    /// These numbers, of an atom whose type has such parameters with itself, and that has others around it: the parameters of a pair with
    /// each, and the squared distance. By the twin's formulas.
    fn values_of_atom(&self, _own: &[f64], _around: &[(&[f64], f64)]) -> Vec<f64> {
        Vec::new()
    }

    /// All that has been read, for restart files.
    fn save(&self) -> Value;

    /// Takes it back.
    ///
    /// # Errors
    /// When it is something else.
    fn restore(&mut self, saved: Value) -> Result<()>;
}
