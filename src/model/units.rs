//! Unit systems (`units lj|real|metal`).

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::state::State;
use crate::session::thermo;

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
const ALL: [&Units; 3] = [&LJ, &REAL, &METAL];

/// Unit systems that only LAMMPS has.
const UNSUPPORTED: [&str; 5] = ["si", "cgs", "electron", "micro", "nano"];

/// `units lj|real|metal`: also resets the time step, the skin and the thermo settings to its defaults.
///
/// # Errors
/// When the box exists already, or the system is unknown or not supported.
pub fn units(state: &mut State, args: &mut Args) -> Result<()> {
    crate::commands::domain::forbid_box(state, args)?;
    let table = ALL.map(|units| (units.name, units));
    if let Some(word) = args.peek().filter(|word| UNSUPPORTED.contains(&word.text.as_str())) {
        return Err(args.unsupported(word, "unit system").help("supported: lj real metal"));
    }
    let units = args.one_of("unit system", &table)?;
    args.finish()?;
    set(state, units);
    Ok(())
}

/// `dielectric VALUE`: by how much Coulomb forces are weaker than in vacuum.
///
/// # Errors
/// At a value that is not positive.
pub fn dielectric(state: &mut State, args: &mut Args) -> Result<()> {
    state.dielectric = args.positive("the dielectric constant")?;
    args.finish()
}

/// Chooses a unit system, with its defaults.
pub(crate) fn set(state: &mut State, units: &'static Units) {
    state.units = units;
    state.dt = units.dt;
    state.neighbor.skin = units.skin;
    state.thermo = thermo::Settings::new(units);
}

/// The unit system of a name.
///
/// # Errors
/// When it is none that is supported.
pub(crate) fn named(name: &str) -> Result<&'static Units> {
    let found = ALL.into_iter().find(|units| units.name == name);
    found.ok_or_else(|| Error::new(format!("unit system '{name}' is not supported")))
}
