//! Thermodynamic output: which columns, how they are printed, what they mean.

use crate::units::Units;

/// What the run loop measured at one step; every thermo keyword is computed from this.
#[derive(Clone, Debug, PartialEq)]
pub struct Observables {
    /// The step.
    pub step: i64,
    /// The step at which this run began, for `elapsed`.
    pub first_step: i64,
    /// The step at which this run ends.
    pub last_step: i64,
    /// Time step.
    pub dt: f64,
    /// Wall seconds since this run's loop began (0 at its first output).
    pub cpu: f64,
    /// Number of atoms.
    pub atoms: u64,
    /// 2 or 3.
    pub dimension: u32,
    /// Box corners.
    pub lo: [f64; 3],
    /// Box corners.
    pub hi: [f64; 3],
    /// Sum of m v_a v_b over all atoms in energy units: xx yy zz xy xz yz.
    pub kinetic: [f64; 6],
    /// Pair energy, without the tail correction.
    pub pair_energy: f64,
    /// Sum of r_a f_b over all pairs in energy units: xx yy zz xy xz yz.
    pub virial: [f64; 6],
    /// Tail correction of the energy (times volume undone: already the energy of this box).
    pub tail_energy: f64,
    /// Tail correction of the pressure.
    pub tail_pressure: f64,
    /// Total mass.
    pub mass: f64,
    /// Neighbour list builds in this run so far.
    pub builds: u64,
    /// Dangerous ones among them.
    pub dangerous: u64,
}

/// `thermo`, `thermo_style`, `thermo_modify`.
pub struct Settings {}

impl Settings {
    /// The defaults of a unit system: style one, norm only in `lj` units.
    pub fn new(_units: &Units) -> Self {
        Settings {}
    }
}
