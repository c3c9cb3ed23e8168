//! Thermodynamic output: what each keyword means ([`Observables::keyword`]), which columns a script asked for
//! ([`Settings`], `commands`) and how they are printed (`print.rs`).

mod keywords;
mod print;
pub(crate) mod settings;

pub use keywords::{KEYWORDS, Keyword};
pub use print::{Number, RowValues};
pub use settings::{Column, Line, Settings};

use crate::base::error::{Error, Result};
use crate::model::domain::{Rotation, box_keyword};
use crate::model::units::Units;
use crate::session::compute::Thermal;
use keywords::Value;

/// What the run loop measured at one step; every thermo keyword is computed from this.
#[derive(Clone, Debug, PartialEq)]
pub struct Observables {
    /// The step.
    pub step: i64,
    /// The step at which this run began, for `elapsed`.
    pub first_step: i64,
    /// The step at which this run ends.
    pub last_step: i64,
    /// First and last step of the span that the run is a part of (`run start`, `stop`, `every`).
    pub span: [i64; 2],
    /// Time step.
    pub dt: f64,
    /// Simulation time: the sum of the time steps made so far.
    pub time: f64,
    /// Wall seconds since this run's loop began (0 at its first output).
    pub cpu: f64,
    /// Wall seconds left of `timer timeout`, 0 without one.
    pub time_left: f64,
    /// Number of atoms.
    pub atoms: u64,
    /// Degrees of freedom of the temperature.
    pub freedom: f64,
    /// 2 or 3.
    pub dimension: u32,
    /// Box corners.
    pub lo: [f64; 3],
    /// Box corners.
    pub hi: [f64; 3],
    /// Tilts of the box, xy xz yz.
    pub tilt: [f64; 3],
    /// How edge vectors are rotated (`thermo_modify triclinic/general`).
    pub general: Option<Rotation>,
    /// Sum of m v_a v_b of the temperature (`thermo_modify temp`) in energy units: xx yy zz xy xz yz.
    pub kinetic: [f64; 6],
    /// What the pressure (`thermo_modify press`) is made of.
    pub pressure_parts: PressureParts,
    /// Pair energy, without the tail correction.
    pub pair_energy: f64,
    /// The part of it that charges have.
    pub coulomb_energy: f64,
    /// Energy that fixes add (`fix_modify energy`).
    pub fix_energy: f64,
    /// Virial that fixes add (`fix_modify virial`), in energy units: xx yy zz xy xz yz.
    pub fix_virial: [f64; 6],
    /// Bond energy.
    pub bond_energy: f64,
    /// Number of bonds.
    pub bonds: u64,
    /// Sum of r_a f_b over all pairs and bonds in energy units: xx yy zz xy xz yz.
    pub virial: [f64; 6],
    /// Tail correction of the energy (times volume undone: already the energy of this box).
    pub tail_energy: f64,
    /// Energy that fixes have taken from the system so far.
    pub coupled_energy: f64,
    /// Tail correction of the pressure.
    pub tail_pressure: f64,
    /// Total mass.
    pub mass: f64,
    /// Lattice spacings; 1 without a lattice.
    pub spacing: [f64; 3],
    /// Neighbour list builds in this run so far.
    pub builds: u64,
    /// Dangerous ones among them.
    pub dangerous: u64,
}

/// What a pressure is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressureParts {
    /// Sum of m v_a v_b of its temperature in energy units; zeros for none.
    pub kinetic: [f64; 6],
    /// Whether the virial of the pairs counts.
    pub pair: bool,
    /// Whether that of fixes does.
    pub fix: bool,
}

impl Observables {
    /// Temperature: 2 E_kin = dof kB T; 0 without degrees of freedom.
    pub fn temperature(&self, units: &Units) -> f64 {
        Thermal { tensor: self.kinetic, freedom: self.freedom }.temperature(units.boltz)
    }

    /// Kinetic energy, as the temperature has it.
    pub fn kinetic_energy(&self, units: &Units) -> f64 {
        0.5 * self.freedom * units.boltz * self.temperature(units)
    }

    /// Potential energy of all atoms with the tail correction, and what fixes add to it.
    pub fn potential_energy(&self) -> f64 {
        self.pair_energy + self.tail_energy + self.bond_energy + self.fix_energy
    }

    /// The virial of some parts in energy units: xx yy zz xy xz yz.
    fn virial_of(&self, parts: &PressureParts) -> [f64; 6] {
        let part = |counts: bool, virial: &[f64; 6], k: usize| if counts { virial[k] } else { 0.0 };
        std::array::from_fn(|k| part(parts.pair, &self.virial, k) + part(parts.fix, &self.fix_virial, k))
    }

    /// Edge lengths, in distance units.
    fn lengths(&self) -> [f64; 3] {
        std::array::from_fn(|d| self.hi[d] - self.lo[d])
    }

    /// Volume of the box, its area in 2d.
    pub fn volume(&self) -> f64 {
        self.lengths()[..self.dimension as usize].iter().product()
    }

    /// Scalar pressure: (2 E_kin + trace of the virial) / (dim V) + tail correction, in pressure units.
    pub fn pressure(&self, units: &Units) -> f64 {
        self.scalar_pressure(&self.pressure_parts, units)
    }

    /// The scalar pressure made of some parts.
    pub fn scalar_pressure(&self, parts: &PressureParts, units: &Units) -> f64 {
        let dimension = self.dimension as usize;
        let kinetic: f64 = parts.kinetic[..3].iter().sum();
        let virial: f64 = self.virial_of(parts)[..dimension].iter().sum();
        let tail = if parts.pair { self.tail_pressure } else { 0.0 };
        (kinetic + virial) / (dimension as f64 * self.volume()) * units.nktv2p + tail
    }

    /// A component of the pressure tensor (xx yy zz xy xz yz) made of some parts; those with z are 0 in 2d.
    pub fn pressure_component(&self, parts: &PressureParts, units: &Units, component: usize) -> f64 {
        if self.dimension == 2 && !matches!(component, 0 | 1 | 3) {
            return 0.0;
        }
        let tail = if parts.pair && component < 3 { self.tail_pressure } else { 0.0 };
        let virial = self.virial_of(parts)[component];
        (parts.kinetic[component] + virial) / self.volume() * units.nktv2p + tail
    }

    /// The value of a thermo keyword, extensive ones per atom when `norm` is set; `None` for a name that is
    /// none of [`KEYWORDS`], and for those of forces.
    pub fn keyword(&self, units: &Units, norm: bool, name: &str) -> Option<f64> {
        let keyword = keywords::find(name)?;
        Some(match keyword.value {
            Value::Of(value) => value(self, units),
            Value::Extensive(value) if norm && self.atoms > 0 => {
                value(self, units) * (1.0 / self.atoms as f64)
            }
            Value::Extensive(value) => value(self, units),
            Value::Box => return box_keyword(self.lo, self.hi, self.tilt, self.general, name),
            Value::Forces => return None,
        })
    }

    /// Steps made in this run.
    fn elapsed(&self) -> f64 {
        (self.step - self.first_step) as f64
    }

    /// So much per second of the loop so far.
    fn per_cpu(&self, x: f64) -> f64 {
        if self.cpu > 0.0 { x / self.cpu } else { 0.0 }
    }

    /// Seconds that the rest of the run takes at the speed so far.
    fn cpu_left(&self) -> f64 {
        let (made, left) = (self.elapsed(), (self.last_step - self.step) as f64);
        if made > 0.0 { self.cpu * left / made } else { 0.0 }
    }

    /// Potential and kinetic energy.
    fn energy(&self, units: &Units) -> f64 {
        self.potential_energy() + self.kinetic_energy(units)
    }

    /// A component of the pressure of thermo output.
    fn own_pressure(&self, units: &Units, component: usize) -> f64 {
        self.pressure_component(&self.pressure_parts, units, component)
    }

    /// The value of a keyword in a formula: that of [`Observables::keyword`], but the components of the pressure along the
    /// axes of a general triclinic box, as in LAMMPS, whose rows have them along those of the box inside.
    pub fn in_formula(&self, units: &Units, norm: bool, name: &str) -> Option<f64> {
        let component = ["pxx", "pyy", "pzz", "pxy", "pxz", "pyz"].iter().position(|known| *known == name);
        match (component, self.general) {
            (Some(component), Some(rotation)) => {
                let part = |k| self.own_pressure(units, k);
                Some(rotation.tensor_to_general(std::array::from_fn(part))[component])
            }
            _ => self.keyword(units, norm, name),
        }
    }

    /// Fails when an energy or the pressure has become infinite or undefined.
    ///
    /// # Errors
    /// Names the quantity and the step.
    pub fn check_finite(&self, units: &Units) -> Result<()> {
        let checked = [
            ("the potential energy", self.potential_energy()),
            ("the kinetic energy", self.kinetic_energy(units)),
            ("the pressure", self.pressure(units)),
        ];
        match checked.iter().find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some((what, _)) => Err(Error::new(format!(
                "{what} is not finite at step {}: the simulation is unstable",
                self.step
            ))
            .help("take a shorter timestep, and look for atoms that start too close to each other")),
        }
    }
}

/// Mass per volume to the printed density: g/cm^3 where masses are g/mol and lengths Angstrom, else in the script's units.
pub fn density_unit(units: &Units) -> f64 {
    // 1 / (Avogadro's number times 1e-24 cm^3 per cubic Angstrom), CODATA 2010 as LAMMPS has it.
    if matches!(units.name, "real" | "metal") { 1.0 / 0.602214129 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::LJ;

    const KINETIC: [f64; 6] = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3];

    /// Two atoms in a 2 x 3 x 4 box.
    fn sample(dimension: u32) -> Observables {
        Observables {
            step: 10,
            first_step: 5,
            last_step: 20,
            span: [5, 20],
            dt: 0.5,
            time: 5.0,
            cpu: 2.0,
            time_left: 0.0,
            atoms: 2,
            freedom: 3.0,
            dimension,
            lo: [0.0; 3],
            hi: [2.0, 3.0, 4.0],
            tilt: [0.0; 3],
            general: None,
            kinetic: KINETIC,
            pressure_parts: PressureParts { kinetic: KINETIC, pair: true, fix: true },
            pair_energy: -8.0,
            coulomb_energy: -2.0,
            fix_energy: 0.0,
            fix_virial: [0.0; 6],
            bond_energy: 0.0,
            bonds: 0,
            virial: [4.0, 5.0, 6.0, 0.4, 0.5, 0.6],
            tail_energy: -1.0,
            coupled_energy: 6.0,
            tail_pressure: 0.25,
            mass: 12.0,
            spacing: [1.0, 2.0, 3.0],
            builds: 3,
            dangerous: 1,
        }
    }

    #[test]
    fn formulas() {
        let get = |obs: &Observables, norm, name| obs.keyword(&LJ, norm, name).expect(name);
        let obs = sample(3);
        // dof 3, V 24: T = 6/3, E_kin = 3, P = (6 + 15)/(3 * 24) + 1/4.
        assert_eq!(get(&obs, false, "temp"), 2.0);
        assert_eq!(get(&obs, false, "ke"), 3.0);
        assert_eq!(get(&obs, true, "ke"), 1.5);
        assert_eq!(get(&obs, true, "pe"), -4.5);
        assert_eq!(get(&obs, true, "etotal"), -3.0);
        assert_eq!(get(&obs, true, "ecouple"), 3.0);
        assert_eq!(get(&obs, true, "econserve"), 0.0);
        assert_eq!(get(&obs, false, "press"), 21.0 / 72.0 + 0.25);
        assert_eq!(get(&obs, false, "pyy"), 7.0 / 24.0 + 0.25);
        assert_eq!(get(&obs, false, "pyz"), 0.9 / 24.0);
        assert_eq!(get(&obs, false, "enthalpy"), -6.0 + 24.0 * (21.0 / 72.0 + 0.25));
        assert_eq!(get(&obs, false, "density"), 0.5);
        assert_eq!(get(&obs, false, "spcpu"), 2.5);
        assert_eq!(get(&obs, false, "cpuremain"), 4.0);
        let kinetic = [1.0, 2.0, 0.0, 0.1, 0.0, 0.0];
        let pressure_parts = PressureParts { kinetic, pair: true, fix: true };
        let flat = Observables { kinetic, freedom: 2.0, pressure_parts, ..sample(2) };
        // dof 2, area 6: T = 3/2, P = (3 + 9)/(2 * 6) + 1/4.
        assert_eq!(get(&flat, false, "temp"), 1.5);
        assert_eq!(get(&flat, false, "press"), 1.25);
        assert_eq!(get(&flat, false, "vol"), 6.0);
        assert_eq!(get(&flat, false, "pzz"), 0.0);
        assert_eq!(get(&flat, false, "pyz"), 0.0);
        assert_eq!(obs.keyword(&LJ, false, "tempp"), None);
    }

    #[test]
    fn every_keyword_has_a_value_and_no_other() {
        for Keyword { name, heading, value, .. } in &KEYWORDS {
            let forces = matches!(value, Value::Forces);
            assert!(forces != sample(3).keyword(&LJ, true, name).is_some(), "{name} ({heading})");
            assert_eq!(KEYWORDS.iter().filter(|other| other.name == *name).count(), 1, "{name} twice");
        }
    }

    #[test]
    fn a_single_atom_has_no_temperature() {
        let obs = Observables { atoms: 1, freedom: 0.0, ..sample(3) };
        assert_eq!(obs.temperature(&LJ), 0.0);
        assert_eq!(obs.kinetic_energy(&LJ), 0.0);
    }

    #[test]
    fn not_finite_is_an_error() {
        assert!(sample(3).check_finite(&LJ).is_ok());
        for broken in [
            Observables { pair_energy: f64::NAN, ..sample(3) },
            Observables { kinetic: [f64::INFINITY; 6], ..sample(3) },
            Observables { virial: [f64::NAN; 6], ..sample(3) },
        ] {
            let error = broken.check_finite(&LJ).expect_err("not finite");
            assert!(error.message.contains("not finite at step 10"), "{}", error.message);
        }
    }
}
