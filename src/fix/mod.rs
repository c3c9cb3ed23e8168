//! Fixes: what happens to the atoms besides forces. Each style is one file here, at most one snippet in cl/fix/ and
//! one line in [`STYLES`].
//!
//! A fix takes part in a step in two ways. What it does to each atom by itself are functions of its snippet
//! ([`Stage`]), which become part of the step's kernels and read the numbers that [`Fix::parameters`] gives for
//! that step. What needs the whole system it does on the host, at the steps that [`Fix::next`] names; the device
//! waits for it there ([`hooks`]). One fix may leave such a part of every step to the device ([`feedback`]); sums over atoms
//! that its functions go on with in the same step are the device's ([`Stage::total`]).

pub mod adapt;
mod addforce;
mod ave_atom;
mod ave_chunk;
mod ave_correlate;
mod ave_grid;
mod ave_histo;
mod ave_time;
mod average;
mod balance;
mod barostat;
mod box_relax;
mod chain;
mod command;
mod controller;
mod deform;
mod deposit;
mod drag;
mod dt_reset;
mod ehex;
mod enforce2d;
mod evaporate;
mod exchange;
mod faces;
pub mod feedback;
mod force;
mod gcmc;
mod gravity;
mod halt;
mod heat;
pub mod hooks;
mod indent;
mod langevin;
mod lineforce;
mod matrix;
mod measured;
mod moment;
mod momentum;
mod move_atoms;
mod move_by;
mod msst;
mod nose_hoover;
mod numdiff;
pub(crate) mod nve;
mod nve_limit;
mod nve_noforce;
mod oneway;
mod origins;
mod press_berendsen;
mod print;
mod property_atom;
mod quantity;
mod recenter;
mod rigid;
mod setforce;
mod shock;
mod sllod;
mod spring;
mod spring_self;
mod stage;
mod style;
mod temp_scale;
mod thermal_conductivity;
mod thermostat;
mod trial;
mod vector;
mod viscosity;
mod viscous;
mod wall;
mod wall_flow;
mod wall_lepton;
mod wall_reflect;
mod wall_reflect_stochastic;
mod wall_region;
mod wall_table;
mod widom;
mod world;

pub use box_relax::BoxRelax;
pub use command::{fix, fix_modify, unfix};
pub use measured::Measured;
pub use moment::Moment;
pub(crate) use origins::rows as rows_by_id;
pub use quantity::{NamedVariables, Quantity};
use stage::snippet;
pub use stage::{Call, Stage, row};
pub(crate) use style::NO_VALUES;
pub use style::{Fix, Header, Watched};
pub use world::World;

use crate::error::{Error, Result};
use crate::script::Args;
use crate::state::State;

/// Makes a style from the words after the style's name.
type Constructor = fn(Header, &State, &mut Args<'_>) -> Result<Box<dyn Fix>>;

/// Every fix style by name.
pub const STYLES: &[(&str, Constructor)] = &[
    ("adapt", adapt::new),
    ("addforce", addforce::new),
    ("ave/atom", ave_atom::new),
    ("ave/chunk", ave_chunk::new),
    ("ave/correlate", ave_correlate::new),
    ("ave/grid", ave_grid::new),
    ("ave/histo", ave_histo::new),
    ("ave/histo/weight", ave_histo::new),
    ("ave/time", ave_time::new),
    ("aveforce", setforce::average),
    ("balance", balance::new),
    ("box/relax", box_relax::new),
    ("controller", controller::new),
    ("deform", deform::new),
    ("deposit", deposit::new),
    ("drag", drag::new),
    ("dt/reset", dt_reset::new),
    ("ehex", ehex::new),
    ("enforce2d", enforce2d::new),
    ("evaporate", evaporate::new),
    ("gcmc", gcmc::new),
    ("gravity", gravity::new),
    ("halt", halt::new),
    ("heat", heat::new),
    ("indent", indent::new),
    ("langevin", langevin::new),
    ("lineforce", lineforce::line),
    ("momentum", momentum::new),
    ("move", move_atoms::new),
    ("msst", msst::new),
    ("nph", nose_hoover::nph),
    ("nphug", nose_hoover::nphug),
    ("npt", nose_hoover::npt),
    ("numdiff", numdiff::forces),
    ("numdiff/virial", numdiff::virial),
    ("nve", nve::new),
    ("nve/limit", nve_limit::new),
    ("nve/noforce", nve_noforce::new),
    ("nvt", nose_hoover::nvt),
    ("nvt/sllod", sllod::new),
    ("oneway", oneway::new),
    ("planeforce", lineforce::plane),
    ("press/berendsen", press_berendsen::new),
    ("print", print::new),
    ("property/atom", property_atom::new),
    ("recenter", recenter::new),
    ("rigid", rigid::rigid),
    ("rigid/nve", rigid::nve),
    ("rigid/nve/small", rigid::nve_small),
    ("rigid/nvt", rigid::nvt),
    ("rigid/nvt/small", rigid::nvt_small),
    ("rigid/small", rigid::small),
    ("setforce", setforce::set),
    ("spring", spring::new),
    ("spring/self", spring_self::new),
    ("temp/berendsen", temp_scale::berendsen),
    ("temp/rescale", temp_scale::rescale),
    ("thermal/conductivity", thermal_conductivity::new),
    ("vector", vector::new),
    ("viscosity", viscosity::new),
    ("viscous", viscous::new),
    ("wall/flow", wall_flow::new),
    ("wall/harmonic", wall::harmonic),
    ("wall/lepton", wall_lepton::new),
    ("wall/lj1043", wall::lj1043),
    ("wall/lj126", wall::lj126),
    ("wall/lj93", wall::lj93),
    ("wall/morse", wall::morse),
    ("wall/reflect", wall_reflect::new),
    ("wall/reflect/stochastic", wall_reflect_stochastic::new),
    ("wall/region", wall_region::new),
    ("wall/table", wall_table::new),
    ("widom", widom::new),
];

/// As many numbers as a fix has written to a restart file.
///
/// # Errors
/// When there are more or fewer.
fn restored<const N: usize>(numbers: &[f64]) -> Result<[f64; N]> {
    let other = |_| Error::new(format!("the restart file has {} numbers of it, not {N}", numbers.len()));
    numbers.try_into().map_err(other)
}

/// The first multiple of `every` after a step.
pub fn next_multiple(step: i64, every: u64) -> i64 {
    step.saturating_add(every as i64 - step.rem_euclid(every as i64))
}
