//! What the fixes that change forces have in common: three components, and a region.

use crate::base::error::{Error, Result};
use crate::model::atoms::rows_by_id;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::fix::{FixContext, Header, Quantity, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::{Cell, RefCell};

/// Three components, some of which may be left alone.
pub(super) struct Components {
    components: [Option<Quantity>; 3],
    /// Whether the variables are made from energies or virials, known when a run begins.
    tallies: Cell<bool>,
    /// The variables of atoms where the device works them out, and whether some of these change from step to step: known when a run is set up.
    handed_over: RefCell<Option<[AtomExpr; 3]>>,
    formulas_vary: Cell<bool>,
    /// Whether the host has taken them back, as they are others by now.
    taken_back: Cell<bool>,
}

impl Components {
    /// Takes three numbers or equal-style `v_NAME`, or `NULL` where `may_stay`.
    pub(super) fn read(session: &Session, args: &mut Args<'_>, may_stay: bool) -> Result<Self> {
        Components::take(args, may_stay, |args, what| Quantity::read(session, args, what, 1.0))
    }

    /// The same where `v_NAME` may be of style atom, too.
    pub(super) fn read_each(session: &Session, args: &mut Args<'_>, may_stay: bool) -> Result<Self> {
        Components::take(args, may_stay, |args, what| Quantity::read_each(session, args, what, 1.0))
    }

    fn take(
        args: &mut Args<'_>,
        may_stay: bool,
        read: impl Fn(&mut Args<'_>, &str) -> Result<Quantity>,
    ) -> Result<Self> {
        let mut components = [None, None, None];
        for (component, axis) in components.iter_mut().zip(["x", "y", "z"]) {
            if may_stay && args.accept("NULL") {
                continue;
            }
            let what = format!("{}the {axis} component", if may_stay { "NULL or " } else { "" });
            *component = Some(read(args, &what)?);
        }
        let [tallies, formulas_vary, taken_back] = [const { Cell::new(false) }; 3];
        Ok(Components { components, tallies, handed_over: RefCell::new(None), formulas_vary, taken_back })
    }

    /// Their values, 0 for those left alone and those that differ from atom to atom.
    pub(super) fn values(&self, now: &StepContext<'_>) -> Result<[f64; 3]> {
        let mut values = [0.0; 3];
        for (value, component) in values.iter_mut().zip(&self.components) {
            if let Some(quantity) = component {
                *value = now.value(quantity)?;
            }
        }
        Ok(values)
    }

    /// 1 for those left alone, else 0.
    pub(super) fn stay(&self) -> [f64; 3] {
        std::array::from_fn(|d| f64::from(u8::from(self.components[d].is_none())))
    }

    /// Whether any is something else than the number 0.
    pub(super) fn is_not_zero(&self) -> bool {
        self.components.iter().flatten().any(|force| !matches!(force, Quantity::Number(0.0)))
    }

    /// Whether any may change that is the same for all atoms, or in a formula of atoms that the device works out.
    pub(super) fn vary(&self) -> bool {
        let of_all = |value: &Quantity| value.varies() && value.of_atoms().is_none();
        self.by_device() && self.formulas_vary.get() || self.components.iter().flatten().any(of_all)
    }

    /// Whether any differs from atom to atom.
    pub(super) fn differ(&self) -> bool {
        self.variables().next().is_some()
    }

    /// Whether the host gives the device values that differ from atom to atom, at each step.
    pub(super) fn by_host(&self) -> bool {
        self.differ() && !self.by_device()
    }

    fn by_device(&self) -> bool {
        self.handed_over.borrow().is_some() && !self.taken_back.get()
    }

    /// Chooses whether the device works out what differs from atom to atom: where all of it is formulas of what it knows of an atom, and of
    /// what is known ahead.
    pub(super) fn hand_over(&self, session: &Session, wide: bool) {
        let masses = vec![1.0; session.system.mass.len()];
        let fits =
            |formulas: &[AtomExpr; 3]| AtomExpr::code(formulas, true, &masses, &mut Vec::new()).is_some();
        let formulas = self.recipes(&StepContext::draft(session)).ok();
        self.handed_over.replace(formulas.filter(|formulas| wide && self.differ() && fits(formulas)));
        self.formulas_vary.set(self.change_on_the_way(session));
        self.taken_back.set(false);
    }

    fn change_on_the_way(&self, session: &Session) -> bool {
        self.variables().any(|(_, variable)| !session.script.variables.stays(&variable.id))
    }

    /// Has the host give the values from now on, where the variables are not those that were handed over.
    pub(super) fn keep(&self, session: &Session) {
        let held = self.formulas(&StepContext::draft(session), true).is_ok()
            && self.formulas_vary.get() == self.change_on_the_way(session);
        self.taken_back.set(self.taken_back.get() || !held);
    }

    /// The formulas that the device works out, 0 for what they are not, and whether they count, which they do at steps that are `due`.
    pub(super) fn formulas(&self, now: &StepContext<'_>, due: bool) -> Result<Option<([AtomExpr; 3], bool)>> {
        let handed_over = self.handed_over.borrow();
        let Some(before) = &*handed_over else { return Ok(None) };
        if self.taken_back.get() || !due {
            return Ok(Some((before.clone(), false)));
        }
        let formulas = self.recipes(now)?;
        // A number that has no value is left to the atoms, so operations are others.
        match before.iter().zip(&formulas).all(|(before, now)| before.has_operations_of(now)) {
            true => Ok(Some((formulas, true))),
            false => Err(self.no_value(now)),
        }
    }

    fn no_value(&self, now: &StepContext<'_>) -> Error {
        let names: Vec<&str> = self.variables().map(|(_, variable)| variable.id.as_str()).collect();
        Error::new(format!("variable {} has no value at step {}", names.join(" or "), now.step)).help(
            "it divides by 0, takes a root or a logarithm of a negative number, or its number is not finite",
        )
    }

    /// Says what is wrong where some atom had no value by a formula of the device's in this run.
    pub(super) fn check(&self, header: &Header, context: &FixContext<'_>) -> Result<()> {
        let faulty = self.by_device() && self.handed_over.borrow().iter().flatten().any(AtomExpr::may_fail);
        if !faulty || context.count(header)? == 0 {
            return Ok(());
        }
        // The host may know which number it was, if atoms have not gone on.
        self.by_id(header, &context.system(), |_| 0.0)?;
        Err(self.no_value(&context.moment()))
    }

    fn recipes(&self, now: &StepContext<'_>) -> Result<[AtomExpr; 3]> {
        let mut recipes = std::array::from_fn(|_| AtomExpr::number(0.0));
        for (d, variable) in self.variables() {
            let recipe = now.session.script.variables.recipe(&variable.id, now);
            recipes[d] = recipe.ok_or_else(|| self.no_value(now))?;
        }
        Ok(recipes)
    }

    /// The atom-style variables, with their directions.
    fn variables(&self) -> impl Iterator<Item = (usize, &Reference)> {
        let components = self.components.iter().enumerate();
        components.filter_map(|(d, value)| Some((d, value.as_ref()?.of_atoms()?)))
    }

    /// Finds out at the beginning of a run whether the steps must tally energies and virials.
    pub(super) fn begin_run(&self, session: &Session) {
        self.tallies.set(self.variables().any(|(_, variable)| session.needs_tally(variable)));
    }

    /// Whether the steps must tally.
    pub(super) fn tallies(&self) -> bool {
        self.tallies.get()
    }

    /// Gives the device the values that differ from atom to atom, where it does not work them out.
    pub(super) fn remember(&self, header: &Header, context: &mut FixContext<'_>) -> Result<()> {
        if !self.by_host() {
            return Ok(());
        }
        let system = context.system();
        let recipe = |component: &Option<Quantity>| match component.as_ref().and_then(Quantity::of_atoms) {
            Some(variable) => system.recipe(variable),
            None => Some(AtomExpr::number(0.0)),
        };
        let recipes =
            if system.works_out() { self.components.each_ref().map(recipe) } else { [None, None, None] };
        if let [Some(x), Some(y), Some(z)] = recipes
            && context.remember_recipes(header, &[x, y, z])?
        {
            return Ok(());
        }
        let values = self.by_id(header, &system, |_| 0.0)?;
        drop(system);
        context.remember(header, &values)
    }

    /// Gives the device the charges, three times each, or where a field differs from atom to atom what it does to them.
    pub(super) fn remember_field(&self, header: &Header, context: &mut FixContext<'_>) -> Result<()> {
        let constant = match self.differ() {
            true => self.values(&context.moment())?,
            false => [1.0; 3],
        };
        let system = context.system();
        let atoms = system.atoms()?;
        let mut values = self.by_id(header, &system, |d| constant[d])?;
        for (&tag, charge) in atoms.tag.iter().zip(&atoms.charge) {
            values[tag as usize - 1].iter_mut().for_each(|value| *value *= charge);
        }
        drop(system);
        context.remember(header, &values)
    }

    /// The values that differ from atom to atom by ID; those that do not are others by direction.
    fn by_id(
        &self,
        header: &Header,
        system: &Snapshot<'_>,
        others: impl Fn(usize) -> f64,
    ) -> Result<Vec<[f64; 3]>> {
        let tags = &system.atoms()?.tag;
        let mut values = vec![std::array::from_fn(others); rows_by_id(tags)?];
        for (d, variable) in self.variables() {
            for (value, &tag) in system.per_atom_of(variable, header.group)?.into_iter().zip(tags) {
                values[tag as usize - 1][d] = value;
            }
        }
        Ok(values)
    }
}

/// Takes the name of a region that there is; it may move.
pub(super) fn region(session: &Session, args: &mut Args<'_>) -> Result<String> {
    session.system.regions.moving_arg(args)?;
    Ok(args.taken().last().map(|word| word.text.clone()).unwrap_or_default())
}
