//! The keywords of thermo output: what each is called and what it is.

use super::{Observables, density_unit};
use crate::model::units::Units;

/// Where the value of a keyword comes from.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// What was measured.
    Of(fn(&Observables, &Units) -> f64),
    /// The same, which grows with the number of atoms (`thermo_modify norm`).
    Extensive(fn(&Observables, &Units) -> f64),
    /// The box ([`crate::model::domain::box_keyword`]).
    Box,
    /// All forces, which are looked at only when somebody asks.
    Forces,
}

/// A keyword of `thermo_style custom`.
pub struct Keyword {
    /// As scripts write it.
    pub name: &'static str,
    /// Above its column.
    pub heading: &'static str,
    /// Whether it is an integer.
    pub integer: bool,
    pub(super) value: Value,
}

impl Keyword {
    /// Whether it needs more of the atoms than sums that each row has.
    pub fn looks_at_atoms(&self) -> bool {
        matches!(self.value, Value::Forces)
    }
}

const fn keyword(name: &'static str, heading: &'static str, integer: bool, value: Value) -> Keyword {
    Keyword { name, heading, integer, value }
}

const fn integer(
    name: &'static str,
    heading: &'static str,
    value: fn(&Observables, &Units) -> f64,
) -> Keyword {
    keyword(name, heading, true, Value::Of(value))
}

const fn real(name: &'static str, heading: &'static str, value: fn(&Observables, &Units) -> f64) -> Keyword {
    keyword(name, heading, false, Value::Of(value))
}

const fn extensive(
    name: &'static str,
    heading: &'static str,
    value: fn(&Observables, &Units) -> f64,
) -> Keyword {
    keyword(name, heading, false, Value::Extensive(value))
}

const fn of_box(name: &'static str, heading: &'static str) -> Keyword {
    keyword(name, heading, false, Value::Box)
}

const fn of_forces(name: &'static str, heading: &'static str) -> Keyword {
    keyword(name, heading, false, Value::Forces)
}

/// Every keyword of `thermo_style custom`. `tpcpu` and `spcpu` are means since the start of the run; a printed row takes them since the
/// last row. Source: LAMMPS manual, `thermo_style`, `compute temp`, `compute pressure`.
#[rustfmt::skip]
pub static KEYWORDS: [Keyword; 76] = [
    integer("step", "Step", |o, _| o.step as f64),
    integer("elapsed", "Elapsed", |o, _| o.elapsed()),
    integer("elaplong", "Elaplong", |o, _| (o.step - o.span[0]) as f64),
    real("dt", "Dt", |o, _| o.dt),
    real("time", "Time", |o, _| o.time),
    real("cpu", "CPU", |o, _| o.cpu),
    real("tpcpu", "T/CPU", |o, _| o.per_cpu(o.elapsed() * o.dt)),
    real("spcpu", "S/CPU", |o, _| o.per_cpu(o.elapsed())),
    real("cpuremain", "CPULeft", |o, _| o.cpu_left()),
    integer("part", "Part", |_, _| 0.0),
    real("timeremain", "TimeoutLeft", |o, _| o.time_left),
    integer("atoms", "Atoms", |o, _| o.atoms as f64),
    real("temp", "Temp", |o, units| o.temperature(units)),
    real("press", "Press", |o, units| o.pressure(units)),
    extensive("pe", "PotEng", |o, _| o.potential_energy()),
    extensive("ke", "KinEng", |o, units| o.kinetic_energy(units)),
    extensive("etotal", "TotEng", |o, units| o.energy(units)),
    extensive("evdwl", "E_vdwl", |o, _| o.pair_energy - o.coulomb_energy + o.tail_energy),
    extensive("ecoul", "E_coul", |o, _| o.coulomb_energy),
    extensive("epair", "E_pair", |o, _| o.pair_energy + o.tail_energy),
    extensive("ebond", "E_bond", |o, _| o.bond_energy),
    real("eangle", "E_angle", |_, _| 0.0),
    real("edihed", "E_dihed", |_, _| 0.0),
    real("eimp", "E_impro", |_, _| 0.0),
    extensive("emol", "E_mol", |o, _| o.bond_energy),
    real("elong", "E_long", |_, _| 0.0),
    extensive("etail", "E_tail", |o, _| o.tail_energy),
    extensive("enthalpy", "Enthalpy", |o, units| o.energy(units) + o.pressure(units) * o.volume() / units.nktv2p),
    extensive("ecouple", "Ecouple", |o, _| o.coupled_energy),
    extensive("econserve", "Econserve", |o, units| o.energy(units) + o.coupled_energy),
    real("vol", "Volume", |o, _| o.volume()),
    real("density", "Density", |o, units| o.mass / o.volume() * density_unit(units)),
    of_box("lx", "Lx"),
    of_box("ly", "Ly"),
    of_box("lz", "Lz"),
    of_box("xlo", "Xlo"),
    of_box("xhi", "Xhi"),
    of_box("ylo", "Ylo"),
    of_box("yhi", "Yhi"),
    of_box("zlo", "Zlo"),
    of_box("zhi", "Zhi"),
    of_box("xy", "Xy"),
    of_box("xz", "Xz"),
    of_box("yz", "Yz"),
    real("pxx", "Pxx", |o, units| o.own_pressure(units, 0)),
    real("pyy", "Pyy", |o, units| o.own_pressure(units, 1)),
    real("pzz", "Pzz", |o, units| o.own_pressure(units, 2)),
    real("pxy", "Pxy", |o, units| o.own_pressure(units, 3)),
    real("pxz", "Pxz", |o, units| o.own_pressure(units, 4)),
    real("pyz", "Pyz", |o, units| o.own_pressure(units, 5)),
    real("xlat", "Xlat", |o, _| o.spacing[0]),
    real("ylat", "Ylat", |o, _| o.spacing[1]),
    real("zlat", "Zlat", |o, _| o.spacing[2]),
    of_box("cella", "Cella"),
    of_box("cellb", "Cellb"),
    of_box("cellc", "Cellc"),
    of_box("cellalpha", "CellAlpha"),
    of_box("cellbeta", "CellBeta"),
    of_box("cellgamma", "CellGamma"),
    of_box("avecx", "Avecx"),
    of_box("avecy", "Avecy"),
    of_box("avecz", "Avecz"),
    of_box("bvecx", "Bvecx"),
    of_box("bvecy", "Bvecy"),
    of_box("bvecz", "Bvecz"),
    of_box("cvecx", "Cvecx"),
    of_box("cvecy", "Cvecy"),
    of_box("cvecz", "Cvecz"),
    integer("bonds", "Bonds", |o, _| o.bonds as f64),
    integer("angles", "Angles", |_, _| 0.0),
    integer("dihedrals", "Diheds", |_, _| 0.0),
    integer("impropers", "Impros", |_, _| 0.0),
    of_forces("fmax", "Fmax"),
    of_forces("fnorm", "Fnorm"),
    integer("nbuild", "Nbuild", |o, _| o.builds as f64),
    integer("ndanger", "Ndanger", |o, _| o.dangerous as f64),
];

/// The keyword of a name.
pub(crate) fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.name == name)
}
