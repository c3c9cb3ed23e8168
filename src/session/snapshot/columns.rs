//! Values per atom that the device can work out by itself while a run is on: what properties, computes and variables are as
//! [recipes](Recipe).

use super::Form;
use super::facts::axis;
use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::engine::analysis::per_atom::{Given, Moments, PerAtomArrays};
use crate::model::atoms::Atoms;
use crate::model::region::Region;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::script::formula::{Kind, Reference};
use std::borrow::Cow;

/// Tables by ID have no more rows than this, and than so many per atom.
const MOST_ROWS: usize = 1 << 16;
const PER_ATOM: usize = 4;

/// The bin of each atom, from 1; 0 for none.
#[derive(Clone, Debug)]
pub enum Places {
    /// In the order of the atoms in memory.
    Known(Vec<u32>),
    /// As the device finds it.
    AtomExpr(AtomExpr),
}

impl Places {
    /// In the order of the atoms in memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn known(&self, system: &Snapshot<'_>) -> Result<Cow<'_, [u32]>> {
        let recipe = match self {
            Places::Known(places) => return Ok(places.into()),
            Places::AtomExpr(recipe) => recipe,
        };
        let worked = system.work_out(std::slice::from_ref(recipe))?;
        let places = worked.map(|worked| worked.read(0)).transpose()?.flatten();
        let places = places.ok_or_else(|| Error::new("the position of an atom is not a finite number"))?;
        Ok(parallel::map(places.len(), |i| places[i] as u32).into())
    }

    /// Of each bin the number of atoms of a group, and the sums of values over these, by the device; `None` where the host has
    /// to make them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(
        &self,
        system: &Snapshot<'_>,
        group: u32,
        bins: usize,
        values: impl IntoIterator<Item = AtomExpr>,
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let Places::AtomExpr(recipe) = self else { return Ok(None) };
        let recipes: Vec<AtomExpr> = std::iter::once(recipe.clone()).chain(values).collect();
        let Some(worked) = system.work_out(&recipes)? else { return Ok(None) };
        match worked.moments(group)? {
            Some(summaries) => worked.by_bin(group, bins, &summaries),
            None => Ok(None),
        }
    }
}

impl Snapshot<'_> {
    /// Whether the device works out values per atom now.
    pub fn works_out(&self) -> bool {
        self.simulation.is_some_and(|run| run.columns.serve(&run.atoms))
    }

    /// Has the program for that built.
    ///
    /// # Errors
    /// When the device fails.
    pub fn prepare_columns(&self) -> Result<()> {
        match self.simulation {
            Some(run) if self.works_out() => run.columns.prepare(&run.atoms.context),
            _ => Ok(()),
        }
    }

    /// A column by each recipe; `None` where the host has to make them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn work_out(&self, recipes: &[AtomExpr]) -> Result<Option<PerAtomArrays<'_>>> {
        let Some(run) = self.simulation else { return Ok(None) };
        let tally = run.tallied.then_some(&run.step_kernels.tally);
        let given = Given { atoms: &run.atoms, masses: run.reductions.masses(), tally };
        run.columns.work_out(recipes, given)
    }

    /// What [`Snapshot::property`] gives, where the device knows it.
    pub(crate) fn property_recipe(&self, name: &str) -> Option<AtomExpr> {
        self.session.check_property(name).ok()?;
        let domain = self.domain().ok()?;
        if let Some(property) = AtomProperty::named(name) {
            return Some(AtomExpr::own(property));
        }
        let axis = axis(name);
        let of = |recipes: [AtomExpr; 3]| recipes.into_iter().nth(axis);
        Some(match name {
            "proc" => AtomExpr::number(0.0),
            "mol" => self.by_id(|atoms, i| atoms.molecule[i].into())?,
            "q" => self.by_id(|atoms, i| atoms.charge[i])?,
            "radius" => self.by_id(|atoms, i| atoms.sphere(i)[0])?,
            "diameter" => self.by_id(|atoms, i| 2.0 * atoms.sphere(i)[0])?,
            "ix" | "iy" | "iz" => AtomExpr::own(AtomProperty::Image(axis)),
            "xs" | "ys" | "zs" => of(domain.fraction_recipes())?,
            "xu" | "yu" | "zu" => of(domain.unwrapped_recipes())?,
            "xsu" | "ysu" | "zsu" => {
                of(domain.fraction_recipes())? + AtomExpr::own(AtomProperty::Image(axis))
            }
            _ => return None,
        })
    }

    /// What the device does not know of atoms, as a table by ID; `None` where most of it would be holes.
    fn by_id(&self, value: impl Fn(&Atoms, usize) -> f64) -> Option<AtomExpr> {
        let atoms = &self.session.system.host_atoms;
        let most = atoms.tag.iter().max().map_or(0, |&most| most as usize);
        if most > MOST_ROWS.max(PER_ATOM * atoms.len()) {
            return None;
        }
        let mut table = vec![0.0; most + 1];
        atoms.tag.iter().enumerate().for_each(|(i, &tag)| table[tag as usize] = value(atoms, i));
        Some(AtomExpr::own(AtomProperty::Id).of_table(table))
    }

    /// 1 for the atoms of a group (a mask with its bit) that lie in a region, 0 for others.
    pub(crate) fn member_recipe(&self, group: u32, region: Option<&Region>) -> Option<AtomExpr> {
        match region {
            None => Some(AtomExpr::member(group)),
            Some(region) => Some(self.placed(region).ok()?.recipe()?.within(group)),
        }
    }

    /// What there is to say of recipes over the atoms of a group, maybe only of those in a region; `None` where the host has to
    /// make them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn moments(
        &self,
        mut recipes: Vec<AtomExpr>,
        group: u32,
        region: Option<&Region>,
    ) -> Result<Option<Vec<Moments>>> {
        let count = recipes.len();
        if let Some(region) = region.filter(|_| self.works_out()) {
            let Some(inside) = self.placed(region)?.recipe() else { return Ok(None) };
            recipes.push(inside);
        }
        let Some(worked) = self.work_out(&recipes)? else { return Ok(None) };
        let mut summaries = worked.moments_where(group, region.map(|_| count))?;
        summaries.iter_mut().for_each(|summaries| summaries.truncate(count));
        Ok(summaries)
    }

    /// The values per atom of a reference for the atoms of a group, in the order of the atoms in memory. As in LAMMPS it may be
    /// undefined for others, which then have 0.
    ///
    /// # Errors
    /// As [`Snapshot::per_atom`].
    pub fn per_atom_of(&self, reference: &Reference, group: u32) -> Result<Vec<f64>> {
        let values = self.per_atom(reference);
        match (&values, self.recipe(reference).filter(|_| group != 1)) {
            (Err(_), Some(recipe)) => self.by_twin(&recipe, group)?.map_or(values, Ok),
            _ => values,
        }
    }

    /// A recipe's values for the atoms of a group by its twin, 0 for others; `None` where some value is not finite.
    fn by_twin(&self, recipe: &AtomExpr, group: u32) -> Result<Option<Vec<f64>>> {
        let asks = |asks: fn(AtomProperty) -> bool| AtomExpr::any(std::slice::from_ref(recipe), asks);
        let (atoms, masses) = (self.atoms()?, self.masses());
        let forces = if asks(|own| matches!(own, AtomProperty::F(_))) { self.forces()? } else { &[] };
        let tallies = if asks(|own| matches!(own, AtomProperty::Tally(_))) { self.tallies()? } else { &[] };
        let property = |i: usize, own: AtomProperty| match own {
            AtomProperty::X(d) => atoms.x[i][d],
            AtomProperty::V(d) => atoms.v[i][d],
            AtomProperty::F(d) => forces[i][d],
            AtomProperty::Image(d) => atoms.image[i][d].into(),
            AtomProperty::Id => atoms.tag[i].into(),
            AtomProperty::Type => atoms.kind[i].into(),
            AtomProperty::Mass => masses.of(atoms.kind[i]),
            AtomProperty::Tally(slot) => tallies[i][slot],
        };
        let value = |i: usize| match atoms.mask[i] & group {
            0 => 0.0,
            _ => recipe.value(|own| property(i, own), atoms.mask[i]),
        };
        let values = parallel::map(atoms.len(), value);
        Ok(parallel::all(&values, |x| x.is_finite()).then_some(values))
    }

    /// The values per atom of a reference, where the device can make them.
    pub fn recipe(&self, reference: &Reference) -> Option<AtomExpr> {
        self.check(reference, Form::PerAtom).ok()?;
        let Reference { kind, id, index } = reference;
        match kind {
            Kind::Compute => self.compute(id).ok()?.recipe(self, index.first().copied()),
            Kind::Variable => self.session.script.variables.recipe(id, self),
            Kind::Fix => None,
        }
    }
}
