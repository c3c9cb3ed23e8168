//! `compute temp`, and what all temperatures have in common. Source: LAMMPS manual, `compute temp`.

use super::{Compute, Header, Values, thermal_compute};
use crate::base::error::Result;
use crate::base::parallel;
use crate::script::Args;
use crate::script::atom_expr::{Own, Recipe};
use crate::session::snapshot::System;
use crate::session::state::State;

/// The thermal motion of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thermal {
    /// Sum of m v_a v_b, bias taken off, in energy units: xx yy zz xy xz yz.
    pub tensor: [f64; 6],
    /// Degrees of freedom.
    pub freedom: f64,
}

impl Thermal {
    /// 2 E_kin = dof kB T; 0 without degrees of freedom.
    pub fn temperature(&self, boltz: f64) -> f64 {
        let sum: f64 = self.tensor[..3].iter().sum();
        if self.freedom > 0.0 { sum / (self.freedom * boltz) } else { 0.0 }
    }

    /// As a compute shows it: the temperature, and the tensor of m v v as a vector.
    pub fn values(&self, system: &System<'_>) -> Values {
        let scalar = Some(self.temperature(system.state.units.boltz));
        Values { scalar, vector: self.tensor.to_vec(), ..Values::default() }
    }
}

/// A compute that measures a temperature.
pub trait Temperature: Compute {
    /// The thermal motion now.
    ///
    /// # Errors
    /// When the device fails.
    fn thermal(&self, system: &System<'_>) -> Result<Thermal> {
        let (group, freedom) = (self.header().group, self.freedom(system)?);
        if let Some(tensor) = tensor_on_device(self, system)? {
            return Ok(Thermal { tensor, freedom });
        }
        let (flow, members) = (self.bias(system)?, system.indices(group, None)?);
        Ok(Thermal { tensor: tensor(system, &members, flow.as_deref())?, freedom })
    }

    /// Degrees of freedom: dim N less [`Header::removed_freedom`].
    ///
    /// # Errors
    /// When the device fails.
    fn freedom(&self, system: &System<'_>) -> Result<f64> {
        let header = self.header();
        let dimension = f64::from(system.state.dimension);
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
    fn bias(&self, system: &System<'_>) -> Result<Option<Vec<[f64; 3]>>>;

    /// The same as recipes, zeros where all of it is thermal; `None` where the device does not know it.
    ///
    /// # Errors
    /// When the device fails.
    fn bias_recipes(&self, _system: &System<'_>) -> Result<Option<[Recipe; 3]>> {
        Ok(None)
    }
}

/// The recipes of the thermal parts of velocities, where the device works them out.
///
/// # Errors
/// When the device fails.
pub(crate) fn thermal_recipes(
    temperature: &(impl Temperature + ?Sized),
    system: &System<'_>,
) -> Result<Option<[Recipe; 3]>> {
    let bias = if system.works_out() { temperature.bias_recipes(system)? } else { None };
    Ok(bias.map(|[x, y, z]| {
        let [vx, vy, vz] = Recipe::vector(Own::V);
        [vx - x, vy - y, vz - z]
    }))
}

/// [`tensor`] over the group of a temperature, by the device.
fn tensor_on_device(
    temperature: &(impl Temperature + ?Sized),
    system: &System<'_>,
) -> Result<Option<[f64; 6]>> {
    let Some(u) = thermal_recipes(temperature, system)? else { return Ok(None) };
    let pairs = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];
    let product =
        |u: &[Recipe; 3], [a, b]: [usize; 2]| Recipe::own(Own::Mass) * (u[a].clone() * u[b].clone());
    let products = Recipe::shared(u, |u| pairs.map(|pair| product(&u, pair)).into());
    let summaries = system.summaries(products, temperature.header().group, None)?;
    let mvv2e = system.state.units.mvv2e;
    Ok(summaries.map(|summaries| std::array::from_fn(|k| summaries[k].sum * mvv2e)))
}

/// Sum of m v_a v_b over some atoms in energy units, the velocities `flow` of all atoms taken off.
pub(crate) fn tensor(system: &System<'_>, members: &[usize], flow: Option<&[[f64; 3]]>) -> Result<[f64; 6]> {
    let (atoms, masses) = (system.atoms()?, system.masses());
    let tensor = parallel::sum(members, |i| {
        let bias = flow.map_or([0.0; 3], |flow| flow[i]);
        let [vx, vy, vz]: [f64; 3] = std::array::from_fn(|d| atoms.v[i][d] - bias[d]);
        let mass = masses.of(atoms.kind[i]);
        [vx * vx, vy * vy, vz * vz, vx * vy, vx * vz, vy * vz].map(|product| mass * product)
    });
    Ok(tensor.map(|sum| sum * system.state.units.mvv2e))
}

/// Sum of m v_a v_b over a group in energy units, by the device's reductions during a run.
pub(crate) fn of_group(system: &System<'_>, group: u32) -> Result<[f64; 6]> {
    let Some(simulation) = system.simulation else {
        return tensor(system, &system.indices(group, None)?, None);
    };
    let (mvv, _) = simulation.reductions.kinetic(&simulation.atoms, group)?;
    Ok(mvv.map(|mvv| mvv * system.state.units.mvv2e))
}

/// `compute temp`.
pub(super) struct Temp {
    header: Header,
}

impl Temp {
    pub(super) fn new(header: Header) -> Self {
        Temp { header }
    }
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &State, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(Temp::new(header)))
}

impl Compute for Temp {
    thermal_compute!();
}

impl Temperature for Temp {
    fn thermal(&self, system: &System<'_>) -> Result<Thermal> {
        Ok(Thermal { tensor: of_group(system, self.header.group)?, freedom: self.freedom(system)? })
    }

    fn components(&self) -> Option<[bool; 3]> {
        Some([true; 3])
    }

    fn bias(&self, _: &System<'_>) -> Result<Option<Vec<[f64; 3]>>> {
        Ok(None)
    }

    fn bias_recipes(&self, _: &System<'_>) -> Result<Option<[Recipe; 3]>> {
        Ok(Some([0.0; 3].map(Recipe::number)))
    }
}
