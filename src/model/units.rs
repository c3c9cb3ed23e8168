//! Unit systems (`units lj|real|metal`).

use crate::base::error::{Error, Result};

/// The constants of a unit system, named as in the LAMMPS manual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// `lj`, `real` or `metal`.
    pub name: &'static str,
    /// Boltzmann's constant, energy per temperature.
    pub boltz: f64,
    /// m v^2 to energy.
    pub mvv2e: f64,
    /// Force times distance per volume to pressure.
    pub nktv2p: f64,
    /// Force per mass to acceleration (1 / mvv2e).
    pub ftm2v: f64,
    /// Charge squared per distance to energy.
    pub qqr2e: f64,
    /// Planck's constant, energy times time; 1 in reduced units, where nothing depends on it.
    pub hplanck: f64,
    /// Default time step.
    pub dt: f64,
    /// Default neighbour skin.
    pub skin: f64,
}

/// `units lj`: everything reduced.
pub const LJ: Units = Units {
    name: "lj",
    boltz: 1.0,
    mvv2e: 1.0,
    nktv2p: 1.0,
    ftm2v: 1.0,
    qqr2e: 1.0,
    hplanck: 1.0,
    dt: 0.005,
    skin: 0.3,
};

/// `units real`: Angstrom, fs, kcal/mol, g/mol, K, atm. Constants as in LAMMPS (2024 and 2025).
pub const REAL: Units = Units {
    name: "real",
    boltz: 0.001_987_206_7,
    mvv2e: 48.888_212_91 * 48.888_212_91,
    nktv2p: 68_568.415,
    ftm2v: 1.0 / 48.888_212_91 / 48.888_212_91,
    qqr2e: 332.063_71,
    hplanck: 95.306_976_368,
    dt: 1.0,
    skin: 2.0,
};

/// `units metal`: Angstrom, ps, eV, g/mol, K, bar. Constants as in LAMMPS (2024 and 2025).
pub const METAL: Units = Units {
    name: "metal",
    boltz: 8.617_343e-5,
    mvv2e: 1.036_426_9e-4,
    nktv2p: 1.602_176_5e6,
    ftm2v: 1.0 / 1.036_426_9e-4,
    qqr2e: 14.399_645,
    hplanck: 4.135_667_403e-3,
    dt: 0.001,
    skin: 2.0,
};

/// Every unit system.
pub(crate) const ALL: [&Units; 3] = [&LJ, &REAL, &METAL];

/// Unit systems that only LAMMPS has.
pub(crate) const UNSUPPORTED: [&str; 5] = ["si", "cgs", "electron", "micro", "nano"];

/// The unit system of a name.
///
/// # Errors
/// When it is none that is supported.
pub(crate) fn named(name: &str) -> Result<&'static Units> {
    let found = ALL.into_iter().find(|units| units.name == name);
    found.ok_or_else(|| Error::new(format!("unit system '{name}' is not supported")))
}
