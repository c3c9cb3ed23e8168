//! The system at one moment as output looks at it: atoms brought to the host when somebody asks, values of
//! computes kept until the moment is over, and the answers to what formulas ask.

mod facts;
mod groups;

use crate::atoms::Atoms;
use crate::compute::{Compute, PerAtom, Values};
use crate::domain::Domain;
use crate::error::{Error, Result};
use crate::fix::Fix;
use crate::region::Region;
use crate::script::closest;
use crate::script::formula::{Kind, Lookup, Reference, Value};
use crate::simulation::Simulation;
use crate::state::State;
use crate::thermo::Observables;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The system at one moment, between runs or at a step of a run.
pub struct System<'a> {
    /// What the script has said.
    pub state: &'a State,
    /// The run, while there is one: the atoms are on the device then.
    pub simulation: Option<&'a Simulation>,
    /// What thermo output is made from, once measured at this step.
    pub observables: OnceCell<Observables>,
    atoms: OnceCell<Atoms>,
    forces: OnceCell<Vec<[f64; 3]>>,
    values: RefCell<BTreeMap<String, Rc<Values>>>,
    /// The computes that are being evaluated.
    busy: RefCell<Vec<String>>,
}

impl<'a> System<'a> {
    /// Now: at a step of the run `simulation`, whose forces are up to date, or between runs.
    pub fn new(state: &'a State, simulation: Option<&'a Simulation>) -> Self {
        let system = System {
            state,
            simulation,
            observables: OnceCell::new(),
            atoms: OnceCell::new(),
            forces: OnceCell::new(),
            values: RefCell::default(),
            busy: RefCell::default(),
        };
        // As in LAMMPS, formulas between runs know the last row while the step is still the same.
        if let (None, Some(row)) = (simulation, &state.last_row)
            && row.step == state.step
        {
            let _ = system.observables.set(row.clone());
        }
        system
    }

    /// The box.
    ///
    /// # Errors
    /// When there is none yet.
    pub fn domain(&self) -> Result<&'a Domain> {
        match self.simulation {
            Some(simulation) => Ok(&simulation.domain),
            None => self.state.domain(),
        }
    }

    /// All atoms, in the order in which they lie in memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn atoms(&self) -> Result<&Atoms> {
        let resident = self.simulation.map(|simulation| &simulation.atoms).or(self.state.resident());
        let Some(resident) = resident else { return Ok(&self.state.host_atoms) };
        if self.atoms.get().is_none() {
            let mut atoms = Atoms::default();
            resident.download(&mut atoms)?;
            let _ = self.atoms.set(atoms);
        }
        Ok(self.atoms.get().expect("set above"))
    }

    /// The forces on them, in force units.
    ///
    /// # Errors
    /// Before the first run, after atoms were changed since the last one, and when the device fails.
    pub fn forces(&self) -> Result<&[[f64; 3]]> {
        if self.forces.get().is_none() {
            let resident = self.simulation.map(|simulation| &simulation.atoms).or(self.state.resident());
            let resident = resident.ok_or_else(|| {
                Error::new("there are no forces at this point of the script")
                    .help("they are there after a run, also after `run 0`")
            })?;
            let _ = self.forces.set(resident.forces()?);
        }
        Ok(self.forces.get().expect("set above"))
    }

    /// The mass of an atom type, from 1; 1 where none is set.
    pub fn mass(&self, kind: u32) -> f64 {
        self.state.mass.get(kind as usize - 1).copied().flatten().unwrap_or(1.0)
    }

    /// The indices of the atoms of a group (a mask with its bit) that lie in a region.
    ///
    /// # Errors
    /// When the device fails.
    pub fn indices(&self, group: u32, region: Option<&Region>) -> Result<Vec<usize>> {
        let atoms = self.atoms()?;
        let inside = |i: usize| region.is_none_or(|region| region.contains(atoms.x[i]));
        Ok((0..atoms.len()).filter(|&i| atoms.mask[i] & group != 0 && inside(i)).collect())
    }

    /// A position with the box lengths that the atom has crossed.
    ///
    /// # Errors
    /// When the device fails.
    pub fn unwrapped(&self, i: usize) -> Result<[f64; 3]> {
        let (atoms, lengths) = (self.atoms()?, self.domain()?.lengths());
        Ok(std::array::from_fn(|d| atoms.x[i][d] + f64::from(atoms.image[i][d]) * lengths[d]))
    }

    /// The number of atoms of a group, by the device while a run is on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count(&self, group: u32) -> Result<u64> {
        match self.simulation {
            _ if group == 1 => Ok(self.simulation.map_or(self.state.atom_count(), |run| run.atoms.n) as u64),
            Some(simulation) => Ok(simulation.reductions.kinetic(&simulation.atoms, group)?.1),
            None => Ok(self.indices(group, None)?.len() as u64),
        }
    }

    /// The compute of an ID.
    ///
    /// # Errors
    /// When there is none.
    pub fn compute(&self, id: &str) -> Result<&'a dyn Compute> {
        self.state.computes.get(id).ok_or_else(|| self.unknown(Kind::Compute, id, self.state.computes.ids()))
    }

    /// The fix of an ID.
    ///
    /// # Errors
    /// When there is none.
    pub fn fix(&self, id: &str) -> Result<&'a dyn Fix> {
        let fixes = &self.state.fixes;
        let found = fixes.iter().find(|fix| fix.header().id == id).map(|fix| &**fix);
        let ids = || fixes.iter().map(|fix| fix.header().id.as_str());
        found.ok_or_else(|| self.unknown(Kind::Fix, id, ids()))
    }

    fn unknown<'n>(&self, kind: Kind, id: &str, known: impl Iterator<Item = &'n str>) -> Error {
        let error = Error::new(format!("there is no {} '{id}'", kind.name()));
        match closest(id, known) {
            Some(known) => error.help(format!("did you mean '{known}'?")),
            None => error,
        }
    }

    /// What a compute has to say now; computed once at each moment.
    ///
    /// # Errors
    /// When there is no such compute, it depends on itself, or it has no value now.
    pub fn evaluate(&self, id: &str) -> Result<Rc<Values>> {
        if let Some(values) = self.values.borrow().get(id) {
            return Ok(values.clone());
        }
        let compute = self.compute(id)?;
        if self.busy.borrow().iter().any(|busy| busy == id) {
            return Err(Error::new(format!("compute {id} depends on itself")));
        }
        self.busy.borrow_mut().push(id.to_owned());
        let values = compute.evaluate(self);
        self.busy.borrow_mut().pop();
        let values = values.map_err(|error| match error.message.starts_with("compute ") {
            true => error,
            false => Error { message: format!("compute {id}: {}", error.message), ..error },
        });
        let values = Rc::new(values?);
        self.values.borrow_mut().insert(id.to_owned(), values.clone());
        Ok(values)
    }

    /// The values of a compute or fix that a reference names.
    fn values_of(&self, reference: &Reference) -> Result<Rc<Values>> {
        match reference.kind {
            Kind::Compute => self.evaluate(&reference.id),
            _ => Ok(Rc::new(self.fix(&reference.id)?.values(self)?)),
        }
    }

    /// That the compute, fix or variable of a reference exists, and with values per atom where it is a variable.
    ///
    /// # Errors
    /// When there is none, or a variable is not of style atom.
    pub fn check(&self, reference: &Reference) -> Result<()> {
        let Reference { kind, id, .. } = reference;
        let variables = &self.state.variables;
        match kind {
            Kind::Compute => self.compute(id).map(|_| ()),
            Kind::Fix => self.fix(id).map(|_| ()),
            Kind::Variable if variables.is_per_atom(id) => Ok(()),
            Kind::Variable if variables.contains(id) => {
                Err(Error::new(format!("variable {id} is not of style atom")))
            }
            Kind::Variable => Err(Error::new(format!("variable {id} is not defined"))),
        }
    }

    /// How many elements `c_ID[*]` or `f_ID[*]` stands for.
    ///
    /// # Errors
    /// When it has no elements.
    pub fn length(&self, reference: &Reference) -> Result<usize> {
        let values = self.values_of(reference)?;
        let columns = match &values.atoms {
            Some(PerAtom::Array(columns)) => columns.len(),
            _ => 0,
        };
        let length = if values.vector.is_empty() { columns } else { values.vector.len() };
        let what = || Error::new(format!("{} {} has no elements", reference.kind.name(), reference.id));
        if length > 0 { Ok(length) } else { Err(what()) }
    }

    /// The values per atom of `c_ID`, `c_ID[i]`, `f_ID`, `f_ID[i]` or `v_NAME`.
    ///
    /// # Errors
    /// When what is named has none.
    pub fn per_atom(&self, reference: &Reference) -> Result<Vec<f64>> {
        let Reference { kind, id, index } = reference;
        if *kind == Kind::Variable {
            let values = self.state.variables.atoms(id, self);
            return values.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) });
        }
        let values = self.values_of(reference)?;
        let missing = |what: &str| Err(Error::new(format!("{} {id} has no {what}", kind.name())));
        match (&values.atoms, &index[..]) {
            (Some(PerAtom::Vector(column)), []) => Ok(column.clone()),
            (Some(PerAtom::Array(columns)), [i]) => match columns.get(i - 1) {
                Some(column) => Ok(column.clone()),
                None => missing(&format!("column {i} of values per atom")),
            },
            (Some(PerAtom::Array(_)), []) => missing("single column of values per atom")
                .map_err(|e: Error| e.help(format!("write {reference}[1]"))),
            (Some(PerAtom::Vector(_)), _) => missing("columns: it has one value per atom"),
            _ => missing("values per atom"),
        }
    }

    /// One value: `c_ID`, `c_ID[i]`, `c_ID[i][j]`, the same of fixes, or an equal-style variable.
    ///
    /// # Errors
    /// When what is named has none.
    pub fn number(&self, reference: &Reference) -> Result<f64> {
        let Reference { kind, id, index } = reference;
        if *kind == Kind::Variable {
            let value = self.state.variables.number(id, self);
            return value.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) });
        }
        let values = self.values_of(reference)?;
        let missing = |what: String| Err(Error::new(format!("{} {id} has no {what}", kind.name())));
        match (&index[..], &values.atoms) {
            ([], _) => values.scalar.map_or_else(|| missing("single value".into()), Ok),
            ([i], _) if !values.vector.is_empty() => match values.vector.get(i - 1) {
                Some(x) => Ok(*x),
                None => missing(format!("element {i}: it has {}", values.vector.len())),
            },
            ([tag], Some(PerAtom::Vector(column))) => self.of_atom(column, *tag),
            ([row, column], _) if !values.array.is_empty() => {
                match values.array.get(row - 1).and_then(|row| row.get(column - 1)) {
                    Some(x) => Ok(*x),
                    None => missing(format!("element [{row}][{column}]")),
                }
            }
            ([tag, i], Some(PerAtom::Array(columns))) => match columns.get(i - 1) {
                Some(column) => self.of_atom(column, *tag),
                None => missing(format!("column {i} of values per atom")),
            },
            _ => missing("values with such numbers in brackets".into()),
        }
    }
}

impl Lookup for System<'_> {
    fn keyword(&self, name: &str) -> Option<f64> {
        if let Some(row) = self.observables.get() {
            return match name {
                "beginstep" => self.simulation.map(|_| row.span[0] as f64),
                "endstep" => self.simulation.map(|_| row.span[1] as f64),
                "fmax" | "fnorm" => self.force_size(name == "fmax"),
                _ => row.keyword(self.state.units, self.state.thermo.norm, name),
            };
        }
        self.plain_keyword(name)
    }

    fn reference(&self, reference: &Reference, per_atom: bool) -> Result<Value> {
        if per_atom && self.values_of(reference)?.fits_atoms(reference.index.len()) {
            return self.per_atom(reference).map(Value::Atoms);
        }
        self.number(reference).map(Value::Number)
    }

    fn vector(&self, reference: &Reference) -> Result<Vec<f64>> {
        let values = self.values_of(reference)?;
        let missing = || Error::new(format!("{} {} has no such vector", reference.kind.name(), reference.id));
        match &reference.index[..] {
            [] if !values.vector.is_empty() => Ok(values.vector.clone()),
            [i] => {
                let column = values.array.iter().map(|row| row.get(i - 1).copied());
                column.collect::<Option<Vec<f64>>>().filter(|column| !column.is_empty()).ok_or_else(missing)
            }
            _ => Err(missing()),
        }
    }

    fn attribute(&self, name: &str) -> Result<Vec<f64>> {
        self.domain()?;
        self.property(name)
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
