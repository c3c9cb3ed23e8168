//! Unit systems (`units lj|real|metal`).

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
    /// Default time step.
    pub dt: f64,
    /// Default neighbour skin.
    pub skin: f64,
}

/// `units lj`: everything reduced.
pub const LJ: Units =
    Units { name: "lj", boltz: 1.0, mvv2e: 1.0, nktv2p: 1.0, ftm2v: 1.0, dt: 0.005, skin: 0.3 };
