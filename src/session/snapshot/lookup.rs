//! What formulas ask of the system.

use super::reference::Form;
use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::script::atom_expr::AtomExpr;
use crate::script::formula::{Lookup, Reference, Value};

impl Lookup for Snapshot<'_> {
    fn keyword(&self, name: &str) -> Option<f64> {
        // Between runs, what needs no run is of now; how far a run came is the last row's.
        let of_now = match self.simulation {
            Some(_) => self.observables.get().is_none(),
            None => !matches!(name, "elapsed" | "elaplong") || self.last_row().is_none(),
        };
        if of_now && super::tally::is_plain(name) {
            return self.plain_keyword(name);
        }
        if matches!(name, "fmax" | "fnorm") {
            return self.force_size(name == "fmax");
        }
        if let Ok(row) = self.measured() {
            return match name {
                "beginstep" | "endstep" => self.plain_keyword(name),
                _ => row.in_formula(self.session.system.units, self.session.output.thermo.norm, name),
            };
        }
        self.plain_keyword(name)
    }

    fn changes_time_step(&self) -> bool {
        self.session.changes_time_step()
    }

    fn reference(&self, reference: &Reference, per_atom: bool) -> Result<Value> {
        if per_atom && self.check(reference, Form::PerAtom).is_ok() {
            return self.per_atom(reference).map(Value::Atoms);
        }
        self.number(reference).map(Value::Number)
    }

    fn vector(&self, reference: &Reference) -> Result<Vec<f64>> {
        self.list(reference)
    }

    fn attribute(&self, name: &str) -> Result<Vec<f64>> {
        self.domain()?;
        self.property(name)
    }

    fn attribute_recipe(&self, name: &str) -> Option<AtomExpr> {
        self.property_recipe(name)
    }

    fn recipe(&self, reference: &Reference) -> Option<AtomExpr> {
        match self.check(reference, Form::PerAtom) {
            Ok(()) => self.recipe(reference),
            Err(_) => self.number(reference).ok().map(AtomExpr::number),
        }
    }

    fn member_recipe(&self, group: Option<&str>, region: Option<&str>) -> Option<AtomExpr> {
        let group = group.map_or(Some(1), |name| self.group_named(name).ok())?;
        let region = region.map(|name| self.region_named(name)).transpose().ok()?;
        self.member_recipe(group, region)
    }

    fn of_atom(&self, values: &[f64], id: usize) -> Result<f64> {
        let tags = &self.atoms()?.tag;
        if let Some(place) = tags.iter().position(|&tag| tag as usize == id) {
            return Ok(values[place]);
        }
        match tags.iter().max() {
            Some(&most) if id <= most as usize => Ok(0.0),
            most => Err(Error::new(format!("atom {id} is above the largest ID, {}", most.unwrap_or(&0)))),
        }
    }

    fn group(&self, function: &str, arguments: &[String]) -> Result<f64> {
        self.group_function(function, arguments)
    }

    fn members(&self, group: Option<&str>, region: Option<&str>) -> Result<Vec<f64>> {
        let group = group.map_or(Ok(1), |name| self.group_named(name))?;
        let region = region.map(|name| self.region_named(name)).transpose()?;
        let mut mask = vec![0.0; self.atoms()?.len()];
        self.indices(group, region)?.into_iter().for_each(|i| mask[i] = 1.0);
        Ok(mask)
    }

    fn fact(&self, function: &str, arguments: &[String]) -> Result<f64> {
        self.fact_of(function, arguments)
    }
}
