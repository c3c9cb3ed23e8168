//! The interface of a pair style ([`Style`]), and helpers for reading its arguments.

use super::many_body::ManyBody;
use super::pair_params::PairParams;
use crate::base::error::Result;
use crate::gpu::Defines;
use crate::gpu::source::File;
use crate::model::atoms::Atoms;
use crate::model::units::Units;
use crate::potentials::lepton::{Variable, Written};
use crate::script::{Args, lammps};
use std::borrow::Cow;
use std::sync::Arc;

/// How a missing pair of types is made from its two like pairs (`pair_modify mix`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Mix {
    /// Square roots of both products.
    Geometric,
    /// Mean of the distances, square root of the energies' product.
    Arithmetic,
    /// Sixth-power (Waldman-Hagler) rule.
    SixthPower,
}

impl Mix {
    /// Distances: sigma, cutoff.
    pub fn distance(self, a: f64, b: f64) -> f64 {
        match self {
            Mix::Geometric => (a * b).sqrt(),
            Mix::Arithmetic => 0.5 * (a + b),
            Mix::SixthPower => (0.5 * (a.powi(6) + b.powi(6))).powf(1.0 / 6.0),
        }
    }

    /// Energies, given the distances that belong to them.
    pub fn energy(self, a: f64, b: f64, distance_a: f64, distance_b: f64) -> f64 {
        let product = (a * b).sqrt();
        match self {
            Mix::Geometric | Mix::Arithmetic => product,
            Mix::SixthPower => {
                2.0 * product * distance_a.powi(3) * distance_b.powi(3)
                    / (distance_a.powi(6) + distance_b.powi(6))
            }
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Mix::Geometric => "geometric",
            Mix::Arithmetic => "arithmetic",
            Mix::SixthPower => "sixthpower",
        }
    }
}

/// So many numbers of an atom are many.
const MANY: usize = 8;

/// A number of each atom that a pair style reads besides its charge, and that stays through a run. A new one is declared here, and
/// read by a style's `reads`; nothing else knows of it.
#[derive(Clone, Copy, Debug)]
pub struct AtomInput {
    /// Its name in dumps, which atoms must have a property of: `mol`, `d_NAME`, ...
    pub property: &'static str,
    /// That of an atom by its index.
    pub of: fn(&Atoms, usize) -> f64,
    /// Whether it is a whole number by which atoms are told apart.
    pub exact: bool,
}

impl AtomInput {
    /// The molecule.
    pub const MOLECULE: AtomInput =
        AtomInput { property: "mol", of: |atoms, i| f64::from(atoms.molecule[i]), exact: true };
}

/// What pair styles see of atoms besides their positions and types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairInputs {
    /// Their charges.
    pub charges: bool,
    /// Their velocities and IDs, for friction and noise.
    pub velocities: bool,
    /// So many numbers that passes before the last one have made of each of them ([`ManyBody`]).
    pub made: usize,
    /// So many numbers that the script gives them ([`AtomInput`]).
    pub given: usize,
    /// Whether what a pass finds within the cutoff is all that the last one finds there, so that it need not look again.
    pub found: bool,
    /// In so many sets of slots, what neighbours do to them by partial forces.
    pub slot_sets: usize,
    /// Whether slots hold virials, too, of which each atom of a triplet has a third.
    pub slot_virials: bool,
    /// Whether several work-items may share an atom and its slots, a bond at a time.
    pub by_bonds: bool,
}

impl PairInputs {
    /// Numbers of the kernels' type `real` that this is, per atom.
    pub fn reals(self) -> usize {
        usize::from(self.charges) + 4 * usize::from(self.velocities) + self.numbers()
    }

    /// How many numbers of both atoms kernels give to `pair_eval`.
    pub fn numbers(self) -> usize {
        self.made + self.given
    }

    /// Whether passes over the neighbours come before the forces.
    pub fn has_passes(self) -> bool {
        self.made > 0 || self.slot_sets > 0
    }

    /// Whether so much is seen that a pair takes many times as long as a distance, and local memory of GPUs has no room for it
    /// (cl/force/loop_picked.cl).
    pub fn picked(self) -> bool {
        self.made >= MANY
    }

    /// Whether a pair takes so long that on CPUs those within the cutoff are put together first (COMPACT of cl/force/loop_cluster.cl).
    pub fn compact(self) -> bool {
        self.velocities || self.numbers() > 0
    }

    /// The switches of cl/force/pair_inputs.cl.
    pub fn define(self, mut defines: Defines) -> Defines {
        let seen = [
            ("CHARGES", usize::from(self.charges)),
            ("VELOCITIES", usize::from(self.velocities)),
            ("MADE", self.numbers()),
            ("PASSES", usize::from(self.has_passes())),
            ("SLOT_SETS", self.slot_sets),
            ("SLOT_VIRIALS", usize::from(self.slot_virials)),
        ];
        for (name, seen) in seen.into_iter().filter(|&(_, seen)| seen > 0) {
            defines = defines.set(name, seen);
        }
        defines
    }
}

/// The numbers of one pair of types, in the order of `pair_coeff`; those that `pair_style` gives for all pairs,
/// the cutoff mostly, come last.
pub type Params = Vec<f64>;

/// Those of a pair of types; pairs with the same ones share them. `None` where the style has no part in the pair.
pub type Shared = Option<Arc<Params>>;

/// A potential: its parameters, its formula on the host, and what its kernel snippet needs.
pub trait Style: Send + Sync {
    /// As in `pair_style`.
    fn name(&self) -> &'static str;

    /// The file in cl/pair/ that defines `pair_eval`.
    fn snippet(&self) -> File;

    /// The last of the parameters as `pair_style` gives them, which `pair_coeff` may leave out.
    fn global(&self) -> &[f64];

    /// Reads the numbers of `pair_coeff` after the two types.
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

    /// The same parameters in a script's units, for pairs of which some are `like`, of a type with itself.
    ///
    /// # Errors
    /// Where they do not fit.
    fn in_units(&self, _args: &Args<'_>, params: Params, _units: &Units, _like: bool) -> Result<Params> {
        Ok(params)
    }

    /// The same where the radii of both atoms have this sum; `None` where the style does not ask for radii.
    fn with_radii(&self, _params: &[f64], _sum: f64) -> Option<Params> {
        None
    }

    /// Whether it asks for the radii of types (`atom_style sphere`).
    fn sized(&self) -> bool {
        false
    }

    /// Names of the parameters that `fix adapt` may change, in their order; those in between that it may not have none.
    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Parameters of a pair of unlike types; `None` where the style does not mix.
    fn mix(&self, _rule: Mix, _a: &[f64], _b: &[f64]) -> Option<Params> {
        None
    }

    /// Cutoff distance.
    fn cutoff(&self, params: &[f64]) -> f64 {
        params[params.len() - 1]
    }

    /// The distance within which kernels compute a pair. What lies between it and the cutoff is too small to be seen in any sum.
    fn seen_within(&self, params: &[f64]) -> f64 {
        self.cutoff(params)
    }

    /// Cutoff distance of what [`Style::evaluate`] gives; Coulomb forces may reach farther.
    fn reach(&self, params: &[f64]) -> f64 {
        self.cutoff(params)
    }

    /// F / r and E (unshifted) at a squared distance, the host twin of `pair_eval`: all but Coulomb forces.
    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64);

    /// What `pair_modify shift yes` takes from the energy: its value at the cutoff.
    fn shift(&self, params: &[f64]) -> f64 {
        self.evaluate(params, self.reach(params).powi(2)).1
    }

    /// Whether atoms act on each other by their charges, too.
    fn charged(&self) -> bool {
        false
    }

    /// F / r and E of two atoms per product of their charges, in energy times distance, at a squared distance within
    /// the cutoff, of which special_bonds takes away a part `lack`: the host twin of `coulomb_eval`.
    fn coulomb(&self, _params: &[f64], _rsq: f64, _lack: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    /// What it reads of atoms besides types and charges; the formulas for the host are then of atoms that act on each other.
    fn reads(&self) -> &'static [AtomInput] {
        &[]
    }

    /// Whether of Coulomb forces special_bonds takes away a part of the bare ones, so that something is left of pairs
    /// that do not count at all.
    fn damped(&self) -> bool {
        false
    }

    /// Energy of an atom by itself, per square of its charge in energy times distance.
    fn own_energy(&self) -> f64 {
        0.0
    }

    /// The numbers that `pair_eval` reads, for an energy lowered by `shift`; at least one.
    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64>;

    /// What stands before the snippet, and the numbers that `pair_eval` reads, for all pairs of types with what their energies are lowered
    /// by: of a style whose formulas are the script's, which is in some place among others.
    fn written(&self, _params: &PairParams, _shift: &dyn Fn(usize) -> f64, _place: usize) -> Option<Written> {
        None
    }

    /// Floating-point operations of `pair_eval` for a force, and what the energy takes besides, as [`crate::output::kernel_cost`] counts
    /// them; `None` where nobody has counted.
    fn operations(&self) -> Option<[u32; 2]> {
        None
    }

    /// The seed of the noise that goes with friction, where there is some between two atoms.
    fn seed(&self) -> Option<u32> {
        None
    }

    /// Its temperature at the beginning and at the end of a run, over the one that noise is of in [`Style::friction`].
    fn heat(&self) -> [f64; 2] {
        [1.0; 2]
    }

    /// Friction between two atoms at a squared distance, as F / r per product of separation and velocity, and noise, as F /
    /// r per normal number in units of (Boltzmann's constant / time step)^(1/2): the host twin of `friction_eval`.
    fn friction(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    /// Tables for `pair_eval`, each in rows of 8. Where each begins, in rows, comes behind the numbers that `pair_eval` reads.
    fn samples<'a>(&'a self, _params: &'a [f64]) -> Vec<Cow<'a, [f64]>> {
        Vec::new()
    }

    /// Of the first of these tables the row from which on work-groups of GPUs may have six numbers of each in local memory, in fp32
    /// (LOCAL_ROWS of cl/force/samples.cl).
    fn local_rows(&self) -> Option<usize> {
        None
    }

    /// The same potential as kernels for GPUs compute it faster, where that is another way.
    fn on_gpus(&self) -> Option<&dyn Style> {
        None
    }

    /// What the style does besides, where its forces depend on more than two atoms.
    fn many_body(&self) -> Option<&dyn ManyBody> {
        None
    }

    /// The same, to give it its coefficients.
    fn many_body_mut(&mut self) -> Option<&mut dyn ManyBody> {
        None
    }

    /// Integrals of the potential and of the virial beyond the cutoff, per pair of atoms and inverse
    /// volume: (energy, pressure) of the correction are these times N_i N_j / V and / V^2. `None` where
    /// LAMMPS has no correction for the style.
    fn tail(&self, _params: &[f64]) -> Option<(f64, f64)> {
        None
    }

    /// The words of `pair_coeff` that would give these parameters, for data files: all, or without those that are as
    /// `pair_style` has them; `None` where they are not numbers.
    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        if self.many_body().is_some() {
            return None;
        }
        let global = self.global();
        let left_out = if params.ends_with(global) && !all { global.len() } else { 0 };
        Some(&params[..params.len() - left_out])
    }

    /// Pairs of atoms that act on each other by their IDs, whatever their types.
    fn listed(&self) -> Option<&super::list::Pairs> {
        None
    }

    /// A word that `pair_coeff` has behind these.
    fn last_word(&self, _params: &[f64]) -> Option<&'static str> {
        None
    }
}

/// The cutoff at the end of `pair_coeff`, or the one of `pair_style` where none is left to read.
pub(crate) fn cutoff_or(args: &mut Args<'_>, global: f64) -> Result<f64> {
    if args.is_empty() { Ok(global) } else { args.not_negative("the cutoff distance") }
}

/// The distance where smoothing begins and the cutoff.
pub(crate) fn inner_and_outer(args: &mut Args<'_>) -> Result<[f64; 2]> {
    let inner = args.positive("the inner cutoff distance")?;
    let word = args.peek();
    let outer = args.positive("the outer cutoff distance")?;
    match word {
        Some(word) if outer <= inner => Err(args
            .error(word, format_args!("the outer cutoff {outer} is not beyond the inner cutoff {inner}"))
            .label("expected a larger distance")),
        _ => Ok([inner, outer]),
    }
}

/// Whether more words of a style follow, rather than the next style of a hybrid one.
pub(crate) fn keywords_follow(args: &Args<'_>) -> bool {
    args.peek().is_some_and(|word| !lammps::knows(lammps::PAIR_STYLES, &word.text))
}
