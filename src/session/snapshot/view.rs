//! The system at one moment: atoms brought to the host when somebody asks, values of computes kept until the moment is over.

use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::parallel;
use crate::engine::analysis::group_sums::SumTerm;
use crate::engine::device_atoms::Borrowed;
use crate::engine::simulation::Simulation;
use crate::gpu::record::Section;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::region::Region;
use crate::session::Session;
use crate::session::compute::Values;
use crate::session::snapshot::atom_tally::Tally;
use crate::session::thermo::Observables;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The system at one moment, between runs or at a step of a run.
pub struct Snapshot<'a> {
    /// What the script has said.
    pub session: &'a Session,
    /// The run, while there is one: the atoms are on the device then.
    pub simulation: Option<&'a Simulation>,
    /// The step that values are asked for: this one, or the next one where its parameters are worked out.
    pub(super) step: i64,
    /// What thermo output is made from, once measured at this step.
    pub(crate) observables: OnceCell<Observables>,
    pub(super) atoms: OnceCell<Borrowed>,
    pub(super) forces: OnceCell<Vec<[f64; 3]>>,
    pub(crate) tallies: OnceCell<Vec<Tally>>,
    pub(super) values: RefCell<BTreeMap<String, Arc<Values>>>,
    /// The computes, and the variables that move regions, that are being evaluated.
    pub(super) busy: RefCell<Vec<String>>,
}

/// The masses of atom types, to be looked up by several threads.
pub struct Masses(Vec<f64>);

impl Masses {
    /// That of a type, from 1.
    pub fn of(&self, kind: u32) -> f64 {
        self.0[kind as usize - 1]
    }
}

impl<'a> Snapshot<'a> {
    /// Now: at a step of the run `simulation`, whose forces are up to date, or between runs.
    pub fn new(session: &'a Session, simulation: Option<&'a Simulation>) -> Self {
        Snapshot {
            session,
            simulation,
            step: session.clock.step,
            observables: OnceCell::new(),
            atoms: OnceCell::new(),
            forces: OnceCell::new(),
            tallies: OnceCell::new(),
            values: RefCell::default(),
            busy: RefCell::default(),
        }
    }

    /// The same for what happens at another step.
    pub fn for_step(self, step: i64) -> Self {
        Snapshot { step, ..self }
    }

    /// The box.
    ///
    /// # Errors
    /// When there is none yet.
    pub fn domain(&self) -> Result<&'a Domain> {
        match self.simulation {
            Some(simulation) => Ok(&simulation.domain),
            None => self.session.domain(),
        }
    }

    /// All atoms, in the order in which they lie in memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn atoms(&self) -> Result<&Atoms> {
        let resident = self.simulation.map(|simulation| &simulation.atoms).or(self.session.resident());
        let Some(resident) = resident else { return Ok(&self.session.system.host_atoms) };
        if self.atoms.get().is_none() {
            let _ = self.atoms.set(resident.borrow(&self.session.system.host_atoms)?);
        }
        Ok(self.atoms.get().expect("set above"))
    }

    /// The forces on them, in force units.
    ///
    /// # Errors
    /// Before the first run, after atoms were changed since the last one, and when the device fails.
    pub fn forces(&self) -> Result<&[[f64; 3]]> {
        if self.forces.get().is_none() {
            let resident = self.simulation.map(|simulation| &simulation.atoms).or(self.session.resident());
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
        self.session.system.mass.get(kind as usize - 1).copied().flatten().unwrap_or(1.0)
    }

    /// The masses of all types.
    pub fn masses(&self) -> Masses {
        Masses((1..=self.session.types() as u32).map(|kind| self.mass(kind)).collect())
    }

    /// The indices of the atoms of a group (a mask with its bit) that lie in a region.
    ///
    /// # Errors
    /// When the device fails.
    pub fn indices(&self, group: u32, region: Option<&Region>) -> Result<Vec<usize>> {
        let atoms = self.atoms()?;
        let region = region.map(|region| self.placed(region)).transpose()?;
        let inside = |i: usize| region.as_ref().is_none_or(|region| region.contains(atoms.x[i]));
        Ok(parallel::select(atoms.len(), |i| atoms.mask[i] & group != 0 && inside(i)))
    }

    /// A region where it is at this moment.
    ///
    /// # Errors
    /// When a variable that it moves by has no value.
    pub fn placed<'r>(&self, region: &'r Region) -> Result<Cow<'r, Region>> {
        region.placed(&|name| {
            self.once(format!("variable {name}"), "a region that it moves", || {
                let value = self.session.script.variables.number(name, self);
                value.map_err(|fault| Error { help: fault.help, ..Error::new(fault.message) })
            })
        })
    }

    /// The value of something that must not ask for itself on the way; `on` says in what form it would.
    pub(super) fn once<T>(&self, what: String, on: &str, value: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.busy.borrow().contains(&what) {
            return Err(Error::new(format!("{what} depends on {on}")));
        }
        self.busy.borrow_mut().push(what);
        let value = value();
        self.busy.borrow_mut().pop();
        value
    }

    /// A position with the box lengths that the atom has crossed.
    ///
    /// # Errors
    /// When the device fails.
    pub fn unwrapped(&self, i: usize) -> Result<[f64; 3]> {
        let atoms = self.atoms()?;
        Ok(self.domain()?.unwrapped(atoms.x[i], atoms.image[i]))
    }

    /// The number of atoms of a group, by the device while a run is on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count(&self, group: u32) -> Result<u64> {
        match self.simulation {
            _ if group == 1 => {
                Ok(self.simulation.map_or(self.session.atom_count(), |run| run.atoms.n) as u64)
            }
            Some(simulation) => Ok(simulation.kinetic(group)?.1),
            None => Ok(self.indices(group, None)?.len() as u64),
        }
    }

    /// The number of atoms of each type in a group.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count_by_type(&self, group: u32) -> Result<Vec<f64>> {
        let types = self.session.types();
        let by_type = |kinds: &[u32]| {
            let mut counts = vec![0.0; types];
            kinds.iter().for_each(|&kind| counts[kind as usize - 1] += 1.0);
            counts
        };
        match self.simulation {
            Some(run) if group == 1 && types == 1 => Ok(vec![run.atoms.n as f64]),
            Some(run) if group == 1 => {
                run.atoms.arrays.kind.view(Section::Output, 0..run.atoms.n, |kinds| by_type(kinds))
            }
            _ => {
                let kinds = &self.atoms()?.kind;
                let members = self.indices(group, None)?;
                Ok(by_type(&members.iter().map(|&i| kinds[i]).collect::<Vec<_>>()))
            }
        }
    }

    /// Has the device's programs for sums over groups built.
    ///
    /// # Errors
    /// When the device fails.
    pub fn prepare(&self, terms: &[&SumTerm]) -> Result<()> {
        let Some(run) = self.simulation else { return Ok(()) };
        terms.iter().try_for_each(|term| run.surveys.prepare(term, &run.atoms.context))
    }

    /// What a compute has to say now; computed once at each moment.
    ///
    /// # Errors
    /// When there is no such compute, it depends on itself, or it has no value now.
    pub fn evaluate(&self, id: &str) -> Result<Arc<Values>> {
        if let Some(values) = self.values.borrow().get(id) {
            return Ok(values.clone());
        }
        let compute = self.compute(id)?;
        let values = self.once(format!("compute {id}"), "itself", || compute.evaluate(self));
        let values = values.map_err(|error| match error.message.starts_with("compute ") {
            true => error,
            false => error.about(format_args!("compute {id}")),
        });
        let values = Arc::new(values?);
        self.values.borrow_mut().insert(id.to_owned(), values.clone());
        Ok(values)
    }
}
