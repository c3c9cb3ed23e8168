//! What measures a temperature.

use crate::base::parallel;
use crate::script::atom_expr::AtomProperty;

use crate::base::error::Result;
use crate::script::atom_expr::AtomExpr;
use crate::session::compute::style::Compute;
use crate::session::compute::thermal::Thermal;
use crate::session::snapshot::view::Snapshot;

/// A compute that measures a temperature.
pub trait Temperature: Compute {
    /// The thermal motion now.
    ///
    /// # Errors
    /// When the device fails.
    fn thermal(&self, system: &Snapshot<'_>) -> Result<Thermal> {
        let (group, freedom) = (self.header().group, self.freedom(system)?);
        if let Some(tensor) = tensor_on_device(self, system)? {
            return Ok(Thermal { tensor, freedom });
        }
        let (flow, members) = (self.bias(system)?, system.indices(group, None)?);
        Ok(Thermal { tensor: tensor(system, &members, flow.as_deref())?, freedom })
    }

    /// Degrees of freedom: dim N less `Header::removed_freedom`.
    ///
    /// # Errors
    /// When the device fails.
    fn freedom(&self, system: &Snapshot<'_>) -> Result<f64> {
        let header = self.header();
        let dimension = f64::from(system.session.system.dimension);
        Ok(dimension * header.count(system)? as f64 - header.removed_freedom(system))
    }

    /// Which components of a velocity are thermal, all of each or nothing, where that is the same for all atoms;
    /// `None` where [`Temperature::bias`] has to be asked.
    fn components(&self) -> Option<[bool; 3]> {
        None
    }

    /// The part of each atom's velocity that is not thermal; `None` where all of it is.
    ///
    /// # Errors
    /// When the device fails.
    fn bias(&self, system: &Snapshot<'_>) -> Result<Option<Vec<[f64; 3]>>>;

    /// The same as recipes, zeros where all of it is thermal; `None` where the device does not know it.
    ///
    /// # Errors
    /// When the device fails.
    fn bias_recipes(&self, _system: &Snapshot<'_>) -> Result<Option<[AtomExpr; 3]>> {
        Ok(None)
    }
}

/// [`tensor`] over the group of a temperature, by the device.
pub(crate) fn tensor_on_device(
    temperature: &(impl Temperature + ?Sized),
    system: &Snapshot<'_>,
) -> Result<Option<[f64; 6]>> {
    let Some(u) = thermal_recipes(temperature, system)? else { return Ok(None) };
    let pairs = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];
    let product = |u: &[AtomExpr; 3], [a, b]: [usize; 2]| {
        AtomExpr::own(AtomProperty::Mass) * (u[a].clone() * u[b].clone())
    };
    let products = AtomExpr::shared(u, |u| pairs.map(|pair| product(&u, pair)).into());
    let summaries = system.moments(products, temperature.header().group, None)?;
    let mvv2e = system.session.system.units.mvv2e;
    Ok(summaries.map(|summaries| std::array::from_fn(|k| summaries[k].sum * mvv2e)))
}

/// Sum of m v_a v_b over some atoms in energy units, the velocities `flow` of all atoms taken off.
pub(crate) fn tensor(
    system: &Snapshot<'_>,
    members: &[usize],
    flow: Option<&[[f64; 3]]>,
) -> Result<[f64; 6]> {
    let (atoms, masses) = (system.atoms()?, system.masses());
    let tensor = parallel::sum(members, |i| {
        let bias = flow.map_or([0.0; 3], |flow| flow[i]);
        let [vx, vy, vz]: [f64; 3] = std::array::from_fn(|d| atoms.v[i][d] - bias[d]);
        let mass = masses.of(atoms.kind[i]);
        [vx * vx, vy * vy, vz * vz, vx * vy, vx * vz, vy * vz].map(|product| mass * product)
    });
    Ok(tensor.map(|sum| sum * system.session.system.units.mvv2e))
}

/// The recipes of the thermal parts of velocities, where the device works them out.
///
/// # Errors
/// When the device fails.
pub(crate) fn thermal_recipes(
    temperature: &(impl Temperature + ?Sized),
    system: &Snapshot<'_>,
) -> Result<Option<[AtomExpr; 3]>> {
    let bias = if system.works_out() { temperature.bias_recipes(system)? } else { None };
    Ok(bias.map(|[x, y, z]| {
        let [vx, vy, vz] = AtomExpr::vector(AtomProperty::V);
        [vx - x, vy - y, vz - z]
    }))
}
