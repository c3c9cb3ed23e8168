//! Unit systems (`units lj|real|metal|si|cgs|micro|nano|electron`).

use crate::base::error::{Error, Result};

/// The constants of a unit system, named as in the LAMMPS manual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// As in scripts.
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
    /// The elementary charge.
    pub qelectron: f64,
    /// An Angstrom; 1 in reduced units.
    pub angstrom: f64,
    /// Charge times electric field to force.
    pub qe2f: f64,
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
    qelectron: 1.0,
    angstrom: 1.0,
    qe2f: 1.0,
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
    qelectron: 1.0,
    angstrom: 1.0,
    qe2f: 23.060_549,
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
    qelectron: 1.0,
    angstrom: 1.0,
    qe2f: 1.0,
    hplanck: 4.135_667_403e-3,
    dt: 0.001,
    skin: 2.0,
};

/// `units si`: m, s, J, kg, K, Pa. Constants as in LAMMPS (2024 and 2025), here and below.
pub const SI: Units = Units {
    name: "si",
    boltz: 1.380_650_4e-23,
    mvv2e: 1.0,
    nktv2p: 1.0,
    ftm2v: 1.0,
    qqr2e: 8.9876e9,
    qelectron: 1.602_176_5e-19,
    angstrom: 1e-10,
    qe2f: 1.0,
    hplanck: 6.626_068_96e-34,
    dt: 1e-8,
    skin: 0.001,
};

/// `units cgs`: cm, s, erg, g, K, dyn/cm^2.
pub const CGS: Units = Units {
    name: "cgs",
    boltz: 1.380_650_4e-16,
    qqr2e: 1.0,
    qelectron: 4.803_204_4e-10,
    angstrom: 1e-8,
    hplanck: 6.626_068_96e-27,
    skin: 0.1,
    ..SI
};

/// `units micro`: micrometers, microseconds, picograms, pg um^2/us^2, K.
pub const MICRO: Units = Units {
    name: "micro",
    boltz: 1.380_650_4e-8,
    qqr2e: 8.987_556e6,
    qelectron: 1.602_176_5e-7,
    angstrom: 1e-4,
    hplanck: 6.626_068_96e-13,
    dt: 2.0,
    skin: 0.1,
    ..SI
};

/// `units nano`: nm, ns, attograms, ag nm^2/ns^2, K.
pub const NANO: Units = Units {
    name: "nano",
    boltz: 0.013_806_504,
    qqr2e: 230.707_866_9,
    qelectron: 1.0,
    angstrom: 0.1,
    hplanck: 6.626_068_96e-4,
    dt: 0.000_45,
    skin: 0.1,
    ..SI
};

/// `units electron`: Bohr, fs, Hartree, g/mol, K, Pa.
pub const ELECTRON: Units = Units {
    name: "electron",
    boltz: 3.166_815_34e-6,
    mvv2e: 1.066_572_36,
    nktv2p: 2.942_101_08e13,
    ftm2v: 0.937_582_899,
    qqr2e: 1.0,
    qelectron: 1.0,
    angstrom: 1.889_726_12,
    qe2f: 1.944_690_51e-10,
    hplanck: 0.151_982_984_6,
    dt: 0.001,
    skin: 2.0,
};

/// Every unit system.
pub(crate) const ALL: [&Units; 8] = [&LJ, &REAL, &METAL, &SI, &CGS, &MICRO, &NANO, &ELECTRON];

impl Units {
    /// Whether numbers of atoms are beyond those of fp32 in these units: the twelfth power of a length is.
    pub(crate) fn need_fp64(&self) -> bool {
        matches!(self.name, "si" | "cgs" | "micro")
    }
}

/// The unit system of a name.
///
/// # Errors
/// When it is none that is supported.
pub(crate) fn named(name: &str) -> Result<&'static Units> {
    let found = ALL.into_iter().find(|units| units.name == name);
    found.ok_or_else(|| Error::new(format!("unit system '{name}' is not supported")))
}
