//! The group functions of formulas: properties of the atoms of a group, maybe only of those in a region.
//!
//! Source: LAMMPS manual, "variable command", "Group and Region Functions".

use super::System;
use crate::error::{Error, Result};
use crate::parallel;
use crate::region::Region;
use crate::script::closest;
use crate::velocity::angular_velocity;

/// Atoms of a group with their sums.
pub struct Members<'s, 'a> {
    system: &'s System<'a>,
    /// Indices of the atoms.
    pub list: Vec<usize>,
}

impl<'a> System<'a> {
    pub(super) fn group_named(&self, name: &str) -> Result<u32> {
        let names = self.state.groups.names.iter().map(String::as_str);
        self.state.groups.bit(name).ok_or_else(|| missing("group", name, names))
    }

    pub(super) fn region_named(&self, name: &str) -> Result<&'a Region> {
        self.state.regions.get(name).ok_or_else(|| missing("region", name, self.state.regions.names()))
    }

    /// The atoms of a group (a mask with its bit), maybe only those in a region.
    ///
    /// # Errors
    /// When the device fails.
    pub fn of_group(&self, bit: u32, region: Option<&Region>) -> Result<Members<'_, 'a>> {
        Ok(Members { system: self, list: self.indices(bit, region)? })
    }

    pub(super) fn group_function(&self, name: &str, words: &[String]) -> Result<f64> {
        let takes_component = !matches!(name, "count" | "mass" | "charge" | "gyration" | "ke");
        let bit = self.group_named(&words[0])?;
        let region = words.get(1 + usize::from(takes_component));
        let region = region.map(|name| self.region_named(name)).transpose()?;
        let members = self.of_group(bit, region)?;
        let component = |names: &[&str]| -> Result<usize> {
            let word = words.get(1).map_or("", String::as_str);
            names.iter().position(|known| *known == word).ok_or_else(|| {
                Error::new(format!("{name}: '{word}' is no component"))
                    .help(format!("known: {}", names.join(" ")))
            })
        };
        let axes = &["x", "y", "z"];
        Ok(match name {
            "count" => members.list.len() as f64,
            "mass" => members.mass()?,
            "charge" if !self.state.has_charges() => {
                let style = self.state.atom_style.name;
                return Err(Error::new(format!("charge: atoms of style {style} have no charges")));
            }
            "charge" => {
                let charges = &self.atoms()?.charge;
                members.list.iter().map(|&i| charges[i]).sum()
            }
            "xcm" => members.centre()?[component(axes)?],
            "vcm" => members.drift()?[component(axes)?],
            "fcm" => members.force()?[component(axes)?],
            "bound" => members.bounds()?[component(&["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"])?],
            "gyration" => members.gyration()?,
            "ke" => members.kinetic_energy()?,
            "angmom" => members.angular_momentum()?[component(axes)?],
            "torque" => members.torque()?[component(axes)?],
            "inertia" => members.inertia()?[component(&["xx", "yy", "zz", "xy", "yz", "xz"])?],
            _ => members.angular_velocity()?[component(axes)?],
        })
    }
}

fn missing<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Error {
    let error = Error::new(format!("there is no {what} '{name}'"));
    match closest(name, known) {
        Some(known) => error.help(format!("did you mean '{known}'?")),
        None => error,
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl Members<'_, '_> {
    /// Sums of terms of an atom's place and mass.
    fn sum<const N: usize>(&self, term: impl Fn(usize, f64) -> [f64; N] + Sync + Send) -> Result<[f64; N]> {
        let (kinds, masses) = (&self.system.atoms()?.kind, self.system.masses());
        Ok(parallel::sum(&self.list, |i| term(i, masses.of(kinds[i]))))
    }

    /// A sum over the mass; 0 without atoms.
    fn mean<const N: usize>(&self, term: impl Fn(usize, f64) -> [f64; N] + Sync + Send) -> Result<[f64; N]> {
        let mass = self.mass()?;
        let sum = self.sum(term)?;
        Ok(if mass > 0.0 { sum.map(|sum| sum / mass) } else { [0.0; N] })
    }

    /// The mass of all of them.
    ///
    /// # Errors
    /// As all of these: when the device fails.
    pub fn mass(&self) -> Result<f64> {
        self.sum(|_, mass| [mass]).map(|[mass]| mass)
    }

    /// The centre of mass of the unwrapped positions.
    ///
    /// # Errors
    /// When the device fails.
    pub fn centre(&self) -> Result<[f64; 3]> {
        let positions = self.positions()?;
        self.mean(|i, mass| positions(i).map(|x| x * mass))
    }

    /// The velocity of the centre of mass.
    ///
    /// # Errors
    /// When the device fails.
    pub fn drift(&self) -> Result<[f64; 3]> {
        let atoms = self.system.atoms()?;
        self.mean(|i, mass| atoms.v[i].map(|v| v * mass))
    }

    /// The sum of the forces.
    ///
    /// # Errors
    /// When there are no forces now.
    pub fn force(&self) -> Result<[f64; 3]> {
        let forces = self.system.forces()?;
        self.sum(|i, _| forces[i])
    }

    /// Least and greatest coordinates: x, x, y, y, z, z. Without atoms 1e20 and -1e20.
    fn bounds(&self) -> Result<[f64; 6]> {
        let atoms = self.system.atoms()?;
        let mut bounds = [1e20, -1e20, 1e20, -1e20, 1e20, -1e20];
        for &i in &self.list {
            for d in 0..3 {
                bounds[2 * d] = atoms.x[i][d].min(bounds[2 * d]);
                bounds[2 * d + 1] = atoms.x[i][d].max(bounds[2 * d + 1]);
            }
        }
        Ok(bounds)
    }

    /// Where atoms are by place, with the box lengths that they have crossed.
    fn positions(&self) -> Result<impl Fn(usize) -> [f64; 3] + Sync + Send> {
        let (atoms, domain) = (self.system.atoms()?, self.system.domain()?);
        Ok(|i: usize| domain.unwrapped(atoms.x[i], atoms.image[i]))
    }

    /// Where they are from the centre of mass.
    fn arms(&self) -> Result<impl Fn(usize) -> [f64; 3] + Sync + Send> {
        let (positions, centre) = (self.positions()?, self.centre()?);
        Ok(move |i: usize| {
            let x = positions(i);
            std::array::from_fn(|d| x[d] - centre[d])
        })
    }

    /// The squared radius of gyration as a tensor: xx yy zz xy xz yz.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gyration_tensor(&self) -> Result<[f64; 6]> {
        let arms = self.arms()?;
        self.mean(|i, mass| {
            let [x, y, z] = arms(i);
            [x * x, y * y, z * z, x * y, x * z, y * z].map(|product| product * mass)
        })
    }

    /// The radius of gyration.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gyration(&self) -> Result<f64> {
        Ok(self.gyration_tensor()?[..3].iter().sum::<f64>().sqrt())
    }

    /// Half the sum of m v^2, in energy units.
    ///
    /// # Errors
    /// When the device fails.
    pub fn kinetic_energy(&self) -> Result<f64> {
        let atoms = self.system.atoms()?;
        let [sum] = self.sum(|i, mass| [mass * atoms.v[i].iter().map(|v| v * v).sum::<f64>()])?;
        Ok(0.5 * sum * self.system.state.units.mvv2e)
    }

    fn angular_momentum(&self) -> Result<[f64; 3]> {
        let (atoms, arms) = (self.system.atoms()?, self.arms()?);
        self.sum(|i, mass| cross(arms(i), atoms.v[i]).map(|l| l * mass))
    }

    fn torque(&self) -> Result<[f64; 3]> {
        let (forces, arms) = (self.system.forces()?, self.arms()?);
        self.sum(|i, _| cross(arms(i), forces[i]))
    }

    /// The tensor of inertia: xx yy zz xy yz xz.
    fn inertia(&self) -> Result<[f64; 6]> {
        let arms = self.arms()?;
        self.sum(|i, mass| {
            let [x, y, z] = arms(i);
            [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -y * z, -x * z].map(|e| e * mass)
        })
    }

    /// The angular velocity about the centre of mass.
    ///
    /// # Errors
    /// When the device fails.
    pub fn angular_velocity(&self) -> Result<[f64; 3]> {
        let [xx, yy, zz, xy, yz, xz] = self.inertia()?;
        Ok(angular_velocity([xx, yy, zz], [xy, yz, xz], self.angular_momentum()?))
    }
}
