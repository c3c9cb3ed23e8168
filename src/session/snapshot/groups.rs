//! The group functions of formulas: properties of the atoms of a group, maybe only of those in a region.
//!
//! Source: LAMMPS manual, "variable command", "Group and Region Functions".

use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::engine::analysis::group_sums;
use crate::engine::analysis::group_sums::{ReferenceValues, SumTerm, Sums};
use crate::engine::analysis::per_atom::Moments;
use crate::gpu::Buffer;
use crate::model::region::Region;
use crate::model::rotation::angular_velocity;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::script::closest;
use std::cell::OnceCell;

/// Atoms of a group with their sums.
pub struct Members<'s, 'a> {
    system: &'s Snapshot<'a>,
    bit: u32,
    region: Option<&'s Region>,
    list: OnceCell<Vec<usize>>,
}

impl<'a> Snapshot<'a> {
    pub(super) fn group_named(&self, name: &str) -> Result<u32> {
        let names = self.session.system.groups.names.iter().map(String::as_str);
        self.session.system.groups.bit(name).ok_or_else(|| missing("group", name, names))
    }

    pub(super) fn region_named(&self, name: &str) -> Result<&'a Region> {
        self.session
            .system
            .regions
            .get(name)
            .ok_or_else(|| missing("region", name, self.session.system.regions.names()))
    }

    /// The atoms of a group (a mask with its bit), maybe only those in a region.
    pub fn of_group<'s>(&'s self, bit: u32, region: Option<&'s Region>) -> Members<'s, 'a> {
        Members { system: self, bit, region, list: OnceCell::new() }
    }

    pub(super) fn group_function(&self, name: &str, words: &[String]) -> Result<f64> {
        let takes_component = !matches!(name, "count" | "mass" | "charge" | "gyration" | "ke");
        let bit = self.group_named(&words[0])?;
        let region = words.get(1 + usize::from(takes_component));
        let region = region.map(|name| self.region_named(name)).transpose()?;
        let members = self.of_group(bit, region);
        let component = |names: &[&str]| -> Result<usize> {
            let word = words.get(1).map_or("", String::as_str);
            names.iter().position(|known| *known == word).ok_or_else(|| {
                Error::new(format!("{name}: '{word}' is no component"))
                    .help(format!("known: {}", names.join(" ")))
            })
        };
        let axes = &["x", "y", "z"];
        Ok(match name {
            "count" => members.count()?,
            "mass" => members.mass()?,
            "charge" if !self.session.has_charges() => {
                let style = self.session.system.atom_style.name;
                return Err(Error::new(format!("charge: atoms of style {style} have no charges")));
            }
            "charge" => {
                let charges = &self.atoms()?.charge;
                members.list()?.iter().map(|&i| charges[i]).sum()
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

impl Members<'_, '_> {
    /// The indices of the atoms.
    ///
    /// # Errors
    /// As all of these: when the device fails.
    pub fn list(&self) -> Result<&[usize]> {
        if self.list.get().is_none() {
            let _ = self.list.set(self.system.indices(self.bit, self.region)?);
        }
        Ok(self.list.get().expect("set above"))
    }

    /// Sums of a term, counted from a place or velocity, with what is kept of each atom.
    ///
    /// # Errors
    /// When the device fails, or there are no forces now and the term looks at them.
    pub fn survey(&self, term: &SumTerm, about: [f64; 3], kept: Option<&ReferenceValues>) -> Result<Sums> {
        let system = self.system;
        let what = (term, about, kept);
        if let Some(sums) = self.by_device(what)? {
            return Ok(sums);
        }
        // Before there is a box there are no atoms.
        let (atoms, domain, masses) = (system.atoms()?, system.domain().ok(), system.masses());
        let forces = if term.forces { Some(system.forces()?) } else { None };
        let position =
            |i: usize| domain.map_or(atoms.x[i], |domain| domain.unwrapped(atoms.x[i], atoms.image[i]));
        Ok(group_sums::on_host(what, self.list()?, atoms, forces, position, |kind| masses.of(kind)))
    }

    fn by_device(&self, what: (&SumTerm, [f64; 3], Option<&ReferenceValues>)) -> Result<Option<Sums>> {
        let Some(run) = self.system.simulation else { return Ok(None) };
        let sums = |select: Option<&Buffer<f64>>| {
            run.surveys.sums(what, (self.bit, select), &run.atoms, run.neighbor.cells(), &run.reductions)
        };
        let Some(region) = self.region else { return sums(None) };
        let inside = if self.system.works_out() { self.system.placed(region)?.recipe() } else { None };
        let inside = inside.map(|inside| self.system.work_out(&[inside])).transpose()?.flatten();
        inside.map_or(Ok(None), |inside| sums(Some(inside.values())))
    }

    /// How many they are.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count(&self) -> Result<f64> {
        Ok(self.survey(&SumTerm::MOMENTUM, [0.0; 3], None)?.count)
    }

    /// The mass of all of them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn mass(&self) -> Result<f64> {
        Ok(self.survey(&SumTerm::MOMENTUM, [0.0; 3], None)?.mass)
    }

    /// The sum of m v.
    ///
    /// # Errors
    /// When the device fails.
    pub fn momentum(&self) -> Result<[f64; 3]> {
        Ok(self.survey(&SumTerm::MOMENTUM, [0.0; 3], None)?.vector())
    }

    /// The centre of mass of the unwrapped positions.
    ///
    /// # Errors
    /// When the device fails.
    pub fn centre(&self) -> Result<[f64; 3]> {
        let [x, y, z, ..] = self.survey(&SumTerm::PLACE, [0.0; 3], None)?.mean();
        Ok([x, y, z])
    }

    /// The velocity of the centre of mass.
    ///
    /// # Errors
    /// When the device fails.
    pub fn drift(&self) -> Result<[f64; 3]> {
        let [x, y, z, ..] = self.survey(&SumTerm::MOMENTUM, [0.0; 3], None)?.mean();
        Ok([x, y, z])
    }

    /// The sum of the forces.
    ///
    /// # Errors
    /// When there are no forces now.
    pub fn force(&self) -> Result<[f64; 3]> {
        Ok(self.survey(&SumTerm::FORCE, [0.0; 3], None)?.vector())
    }

    /// Least and greatest coordinates: x, x, y, y, z, z. Without atoms 1e20 and -1e20.
    fn bounds(&self) -> Result<[f64; 6]> {
        let mut bounds = [1e20, -1e20, 1e20, -1e20, 1e20, -1e20];
        let places = AtomExpr::vector(AtomProperty::X).into();
        if let Some(axes) = self.system.moments(places, self.bit, self.region)? {
            for (d, Moments { extremes: [least, greatest], .. }) in axes.into_iter().enumerate() {
                (bounds[2 * d], bounds[2 * d + 1]) = (least.min(1e20), greatest.max(-1e20));
            }
            return Ok(bounds);
        }
        let atoms = self.system.atoms()?;
        for &i in self.list()? {
            for d in 0..3 {
                bounds[2 * d] = atoms.x[i][d].min(bounds[2 * d]);
                bounds[2 * d + 1] = atoms.x[i][d].max(bounds[2 * d + 1]);
            }
        }
        Ok(bounds)
    }

    /// The squared radius of gyration as a tensor: xx yy zz xy xz yz.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gyration_tensor(&self) -> Result<[f64; 6]> {
        Ok(self.survey(&SumTerm::SPREAD, self.centre()?, None)?.mean())
    }

    /// The radius of gyration.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gyration(&self) -> Result<f64> {
        Ok(self.gyration_tensor()?[..3].iter().sum::<f64>().sqrt())
    }

    /// The sum of m u u in energy units, of velocities u relative to one: xx yy zz xy xz yz.
    ///
    /// # Errors
    /// When the device fails.
    pub fn motion(&self, about: [f64; 3]) -> Result<[f64; 6]> {
        let mvv2e = self.system.session.system.units.mvv2e;
        Ok(self.survey(&SumTerm::MOTION, about, None)?.of.map(|sum| sum * mvv2e))
    }

    /// Half the sum of m v^2, in energy units.
    ///
    /// # Errors
    /// When the device fails.
    pub fn kinetic_energy(&self) -> Result<f64> {
        Ok(0.5 * self.motion([0.0; 3])?[..3].iter().sum::<f64>())
    }

    fn angular_momentum(&self) -> Result<[f64; 3]> {
        Ok(self.survey(&SumTerm::ANGULAR_MOMENTUM, self.centre()?, None)?.vector())
    }

    fn torque(&self) -> Result<[f64; 3]> {
        Ok(self.survey(&SumTerm::TORQUE, self.centre()?, None)?.vector())
    }

    /// The tensor of inertia about the centre of mass: xx yy zz xy yz xz.
    ///
    /// # Errors
    /// When the device fails.
    pub fn inertia(&self) -> Result<[f64; 6]> {
        let [xx, yy, zz, xy, xz, yz] = self.survey(&SumTerm::SPREAD, self.centre()?, None)?.of;
        Ok([yy + zz, xx + zz, xx + yy, -xy, -yz, -xz])
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
