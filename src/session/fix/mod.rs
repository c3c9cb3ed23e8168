//! Fixes: what happens to the atoms besides forces. Each style is one file here, at most one snippet in cl/fix/ and
//! one line in [`STYLES`].
//!
//! A fix takes part in a step in two ways. What it does to each atom by itself are functions of its snippet
//! ([`Stage`]), which become part of the step's kernels and read the numbers that [`Fix::parameters`] gives for
//! that step. What needs the whole system it does on the host, at the steps that [`Fix::next`] names; the device
//! waits for it there ([`hooks`]). One fix may leave such a part of every step to the device ([`feedback`]); sums over atoms
//! that its functions go on with in the same step are the device's ([`Stage::total`]).

mod context;
pub mod coupling;
mod device_hooks;
mod quantity;
mod step_values;
mod style;
mod sums;

pub use context::World;
pub use device_hooks::{Call, Stage, row};
pub use quantity::{NamedVariables, Quantity};
pub use step_values::Moment;
pub(crate) use style::NO_VALUES;
pub use style::{Fix, Header, Watched};
pub use sums::Measured;

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::state::State;

/// Makes a style from the words after the style's name.
type Constructor = fn(Header, &State, &mut Args<'_>) -> Result<Box<dyn Fix>>;

/// Every fix style by name.
pub const STYLES: &[(&str, Constructor)] = &[
    ("adapt", crate::fixes::adapt::new),
    ("addforce", crate::fixes::addforce::new),
    ("ave/atom", crate::fixes::ave_atom::new),
    ("ave/chunk", crate::fixes::ave_chunk::new),
    ("ave/correlate", crate::fixes::ave_correlate::new),
    ("ave/grid", crate::fixes::ave_grid::new),
    ("ave/histo", crate::fixes::ave_histo::new),
    ("ave/histo/weight", crate::fixes::ave_histo::new),
    ("ave/time", crate::fixes::ave_time::new),
    ("aveforce", crate::fixes::setforce::average),
    ("balance", crate::fixes::balance::new),
    ("box/relax", crate::fixes::box_relax::new),
    ("controller", crate::fixes::controller::new),
    ("deform", crate::fixes::deform::new),
    ("deposit", crate::fixes::deposit::new),
    ("drag", crate::fixes::drag::new),
    ("dt/reset", crate::fixes::dt_reset::new),
    ("ehex", crate::fixes::ehex::new),
    ("enforce2d", crate::fixes::enforce2d::new),
    ("evaporate", crate::fixes::evaporate::new),
    ("gcmc", crate::fixes::gcmc::new),
    ("gravity", crate::fixes::gravity::new),
    ("halt", crate::fixes::halt::new),
    ("heat", crate::fixes::heat::new),
    ("indent", crate::fixes::indent::new),
    ("langevin", crate::fixes::langevin::new),
    ("lineforce", crate::fixes::lineforce::line),
    ("momentum", crate::fixes::momentum::new),
    ("move", crate::fixes::move_atoms::new),
    ("msst", crate::fixes::msst::new),
    ("nph", crate::fixes::nose_hoover::nph),
    ("nphug", crate::fixes::nose_hoover::nphug),
    ("npt", crate::fixes::nose_hoover::npt),
    ("numdiff", crate::fixes::numdiff::forces),
    ("numdiff/virial", crate::fixes::numdiff::virial),
    ("nve", crate::fixes::nve::new),
    ("nve/limit", crate::fixes::nve_limit::new),
    ("nve/noforce", crate::fixes::nve_noforce::new),
    ("nvt", crate::fixes::nose_hoover::nvt),
    ("nvt/sllod", crate::fixes::sllod::new),
    ("oneway", crate::fixes::oneway::new),
    ("planeforce", crate::fixes::lineforce::plane),
    ("press/berendsen", crate::fixes::press_berendsen::new),
    ("print", crate::fixes::print::new),
    ("property/atom", crate::fixes::property_atom::new),
    ("recenter", crate::fixes::recenter::new),
    ("rigid", crate::fixes::rigid::rigid),
    ("rigid/nve", crate::fixes::rigid::nve),
    ("rigid/nve/small", crate::fixes::rigid::nve_small),
    ("rigid/nvt", crate::fixes::rigid::nvt),
    ("rigid/nvt/small", crate::fixes::rigid::nvt_small),
    ("rigid/small", crate::fixes::rigid::small),
    ("setforce", crate::fixes::setforce::set),
    ("spring", crate::fixes::spring::new),
    ("spring/self", crate::fixes::spring_self::new),
    ("temp/berendsen", crate::fixes::temp_scale::berendsen),
    ("temp/rescale", crate::fixes::temp_scale::rescale),
    ("thermal/conductivity", crate::fixes::thermal_conductivity::new),
    ("vector", crate::fixes::vector::new),
    ("viscosity", crate::fixes::viscosity::new),
    ("viscous", crate::fixes::viscous::new),
    ("wall/flow", crate::fixes::wall_flow::new),
    ("wall/harmonic", crate::fixes::wall::harmonic),
    ("wall/lepton", crate::fixes::wall_lepton::new),
    ("wall/lj1043", crate::fixes::wall::lj1043),
    ("wall/lj126", crate::fixes::wall::lj126),
    ("wall/lj93", crate::fixes::wall::lj93),
    ("wall/morse", crate::fixes::wall::morse),
    ("wall/reflect", crate::fixes::wall_reflect::new),
    ("wall/reflect/stochastic", crate::fixes::wall_reflect_stochastic::new),
    ("wall/region", crate::fixes::wall_region::new),
    ("wall/table", crate::fixes::wall_table::new),
    ("widom", crate::fixes::widom::new),
];

/// As many numbers as a fix has written to a restart file.
///
/// # Errors
/// When there are more or fewer.
pub(crate) fn restored<const N: usize>(numbers: &[f64]) -> Result<[f64; N]> {
    let other = |_| Error::new(format!("the restart file has {} numbers of it, not {N}", numbers.len()));
    numbers.try_into().map_err(other)
}

/// The first multiple of `every` after a step.
pub fn next_multiple(step: i64, every: u64) -> i64 {
    step.saturating_add(every as i64 - step.rem_euclid(every as i64))
}
