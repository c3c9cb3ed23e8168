//! A step as the parameters of fixes see it.

use super::Quantity;
use crate::base::error::{Error, Result};
use crate::engine::simulation::Simulation;
use crate::model::domain::{Domain, is_box_keyword};
use crate::model::region::Region;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::script::formula::{Lookup, Reference, Value};
use crate::session::Session;
use crate::session::snapshot::view::Snapshot;
use std::borrow::Cow;

/// A step, maybe one ahead of what the device has done.
pub struct StepContext<'a> {
    /// What the script has said.
    pub session: &'a Session,
    /// The step.
    pub step: i64,
    /// First and last step of the span over which targets rise.
    pub span: [i64; 2],
    /// The system, at the end of the step before or at this one; `None` where the step lies ahead.
    system: Option<Snapshot<'a>>,
    /// The box in which it is made and that of the step after it, as far as they are known.
    boxes: [Option<&'a Domain>; 2],
    /// Variables that have no value yet count as 0.
    draft: bool,
    /// Stands for all steps to come.
    any: bool,
}

impl<'a> StepContext<'a> {
    /// A step that may lie ahead: nothing is known of the atoms then.
    pub fn ahead(session: &'a Session, step: i64, span: [i64; 2]) -> Self {
        StepContext { session, step, span, system: None, boxes: [None; 2], draft: false, any: false }
    }

    /// The same standing for all steps to come: whatever is asked at some of them is asked now, to find out whether it can be known ahead.
    pub fn any(self) -> Self {
        StepContext { any: true, ..self }
    }

    /// Whether it stands for all steps to come.
    pub fn is_any(&self) -> bool {
        self.any
    }

    /// The same in a box, and the box of the step after it where that is known.
    pub fn in_box(self, domain: &'a Domain, next: Option<&'a Domain>) -> Self {
        StepContext { boxes: [Some(domain), next], ..self }
    }

    /// The box in which the step is made, unless this is a draft.
    pub fn domain(&self) -> Option<&'a Domain> {
        self.boxes[0]
    }

    /// The box of the step after it, where that is known ahead ([`super::BoxChange::box_at_next_step`]).
    pub fn next_domain(&self) -> Option<&'a Domain> {
        self.boxes[1]
    }

    /// The current step while the run is being set up, when variables may have no value yet and count as 0: for the
    /// number of parameters, not for their values.
    pub fn draft(session: &'a Session) -> Self {
        StepContext::draft_of(session, [session.clock.step; 2])
    }

    /// The same with a span.
    pub fn draft_of(session: &'a Session, span: [i64; 2]) -> Self {
        StepContext { draft: true, ..StepContext::ahead(session, session.clock.step, span) }
    }

    /// Whether variables may count as 0.
    pub fn is_draft(&self) -> bool {
        self.draft
    }

    /// A step with what the device has now.
    pub fn now(session: &'a Session, span: [i64; 2], simulation: &'a Simulation) -> Self {
        let system = Some(Snapshot::new(session, Some(simulation)));
        StepContext {
            system,
            ..StepContext::ahead(session, session.clock.step, span).in_box(&simulation.domain, None)
        }
    }

    /// The same, seen as the step `step`.
    pub fn at(self, step: i64) -> Self {
        StepContext { step, system: self.system.map(|system| system.for_step(step)), ..self }
    }

    /// The mass of each type.
    pub fn mass(&self) -> impl Iterator<Item = f64> + '_ {
        self.session.system.mass.iter().map(|mass| mass.unwrap_or(1.0))
    }

    /// The time step, and per type half of it over the mass: velocity per force.
    pub fn kicks(&self) -> Vec<f64> {
        let (dt, ftm2v) = (self.session.clock.dt, self.session.system.units.ftm2v);
        std::iter::once(dt).chain(self.mass().map(|mass| 0.5 * dt * ftm2v / mass)).collect()
    }

    /// How much of the span has passed: 0 at its first step, 1 at its last.
    pub fn fraction(&self) -> f64 {
        let [begin, end] = self.span;
        if end > begin { (self.step - begin) as f64 / (end - begin) as f64 } else { 0.0 }
    }

    /// A region where it is at this moment.
    ///
    /// # Errors
    /// When a variable that it moves by has no value.
    pub fn placed<'r>(&self, region: &'r Region) -> Result<Cow<'r, Region>> {
        region.placed(&|name| self.variable(name))
    }

    /// The value of a quantity; 0 where a variable gives each atom its own.
    ///
    /// # Errors
    /// When a variable has no value at this moment.
    pub fn value(&self, quantity: &Quantity) -> Result<f64> {
        match quantity {
            Quantity::Number(x) => Ok(*x),
            Quantity::Variable(_) if quantity.of_atoms().is_some() => Ok(0.0),
            Quantity::Variable(named) => self.variable(named.name()),
        }
    }

    /// The value of a variable.
    ///
    /// # Errors
    /// When it has none at this moment.
    pub fn variable(&self, name: &str) -> Result<f64> {
        let value = self.session.script.variables.number(name, self);
        if self.draft {
            return Ok(value.unwrap_or(0.0));
        }
        value.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })
    }
}

/// What variables may ask: the step and what does not change in a run by itself, and all else where the system is
/// known.
impl Lookup for StepContext<'_> {
    fn changes_time_step(&self) -> bool {
        self.session.changes_time_step()
    }

    fn keyword(&self, name: &str) -> Option<f64> {
        let session = self.session;
        let since = |first: i64| (self.step - first) as f64;
        Some(match name {
            "step" => self.step as f64,
            "dt" => session.clock.dt(),
            "time" => session.time_at(self.step),
            "elapsed" => since(session.clock.run_start),
            "elaplong" => since(self.span[0]),
            "beginstep" => self.span[0] as f64,
            "endstep" => self.span[1] as f64,
            name => match &self.system {
                Some(system) => return system.keyword(name),
                None if ["xlat", "ylat", "zlat"].contains(&name) => return session.now().keyword(name),
                None if is_box_keyword(name) && self.box_stays() => return session.now().keyword(name),
                None => return None,
            },
        })
    }

    fn reference(&self, reference: &Reference, per_atom: bool) -> Result<Value> {
        self.known()?.reference(reference, per_atom)
    }

    fn vector(&self, reference: &Reference) -> Result<Vec<f64>> {
        self.known()?.vector(reference)
    }

    fn attribute(&self, name: &str) -> Result<Vec<f64>> {
        self.known()?.attribute(name)
    }

    fn attribute_recipe(&self, name: &str) -> Option<AtomExpr> {
        self.session.check_property(name).ok()?;
        AtomProperty::named(name).map(AtomExpr::own)
    }

    fn member_recipe(&self, group: Option<&str>, region: Option<&str>) -> Option<AtomExpr> {
        let group = group.map_or(Some(1), |name| self.session.system.groups.bit(name))?;
        region.is_none().then(|| AtomExpr::member(group))
    }

    fn of_atom(&self, values: &[f64], id: usize) -> Result<f64> {
        self.known()?.of_atom(values, id)
    }

    fn group(&self, function: &str, arguments: &[String]) -> Result<f64> {
        self.known()?.group(function, arguments)
    }

    fn members(&self, group: Option<&str>, region: Option<&str>) -> Result<Vec<f64>> {
        self.known()?.members(group, region)
    }

    fn fact(&self, function: &str, arguments: &[String]) -> Result<f64> {
        self.session.now().fact(function, arguments)
    }
}

impl<'a> StepContext<'a> {
    /// Whether there is a box, which is the same at all steps of a run.
    fn box_stays(&self) -> bool {
        let still = |domain: &Domain| !domain.shrinks();
        self.session.system.domain.as_ref().is_some_and(still)
            && self.session.fixes.iter().all(|fix| !fix.changes_box())
    }

    fn known(&self) -> Result<&Snapshot<'a>> {
        self.system.as_ref().ok_or_else(|| Error::new("this is not known ahead of the step"))
    }
}
