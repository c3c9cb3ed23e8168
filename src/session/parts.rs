//! Everything a script has said so far: data only, no device and no loop.

use crate::base::error::{Error, Result};
use crate::base::log::Log;
use crate::base::names::{column_range, is_custom};
use crate::base::ranks;
use crate::engine::comm::Weights;
use crate::engine::kernels::LaunchConfig;
use crate::engine::neighbor;
use crate::engine::simulation::Layout;
use crate::gpu::Gpu;
use crate::gpu::options::Precision;
use crate::model::atom_style::AtomStyle;
use crate::model::atoms::Atoms;
use crate::model::domain::{Boundary, Domain};
use crate::model::group::Groups;
use crate::model::labels::TypeLabels;
use crate::model::lattice::Lattice;
use crate::model::molecule::Molecule;
use crate::model::region::Regions;
use crate::model::topology::Topology;
use crate::model::units::Units;
use crate::potentials::bond::BondStyle;
use crate::potentials::pair::Pair;
use crate::potentials::pair::style::AtomInput;
use crate::script::closest;
use crate::script::variables::Variables;
use crate::session::compute::Computes;
use crate::session::dump::DumpWriter;
use crate::session::fix::{Fix, NamedVariables};
use crate::session::left::Left;
use crate::session::options::Options;
use crate::session::report::Report;
use crate::session::restart::{FixStates, Restart};
use crate::session::schedule::Moment;
use crate::session::sharing::Sharing;
use crate::session::snapshot::view::Snapshot;
use crate::session::thermo;
use crate::session::tuned::Record;
use crate::session::tuned::TunedSkin;
use std::cell::Cell;
use std::time::Instant;

/// Which names of commands and styles there are: what formulas may ask for (`is_available`).
#[derive(Clone, Copy)]
pub struct KnownNames {
    /// Whether there is a style of a kind, or with the kind `command` a command, of a name; `None` where there is no such kind.
    pub style: fn(&str, &str) -> Option<bool>,
}

impl Default for KnownNames {
    /// None.
    fn default() -> Self {
        KnownNames { style: |_, _| None }
    }
}

/// The script itself: its variables, and what waits for its next commands.
pub struct Script {
    /// The commands and styles of the program.
    pub known: KnownNames,
    /// Script variables.
    pub variables: Variables,
    /// The variables that they name, which may be defined later.
    pub named_variables: NamedVariables,
    /// What the fixes of a restart file had to remember, until they are defined again.
    pub fix_states: FixStates,
    /// The same of computes.
    pub compute_states: FixStates,
}

/// The system: units, box, atoms and what belongs to them.
pub struct System {
    /// `units`.
    pub units: &'static Units,
    /// `dimension`: 2 or 3.
    pub dimension: u32,
    /// `boundary`, for the box to be created.
    pub boundary: [[Boundary; 2]; 3],
    /// `atom_style`.
    pub atom_style: AtomStyle,
    /// `lattice`, when one is set.
    pub lattice: Option<Lattice>,
    /// `region`s by name.
    pub regions: Regions,
    /// The box, once there is one.
    pub domain: Option<Domain>,
    /// `group`s by name.
    pub groups: Groups,
    /// Mass per type (index type - 1); its length is the number of types.
    pub mass: Vec<Option<f64>>,
    /// Masses that types of spheres are given in a hybrid atom style; they count for nothing, and data files keep them.
    pub unused_mass: Vec<Option<f64>>,
    /// What types are called (`labelmap`).
    pub labels: TypeLabels,
    /// Bonds, `special_bonds`.
    pub topology: Topology,
    /// `molecule`: templates for `create_atoms`.
    pub molecules: Vec<Molecule>,
    /// The atoms on the host; older than `resident` where that is set. [`Session::atoms`] gives the newest.
    pub host_atoms: Atoms,
    /// Radii of types of spheres (`atom_style sphere`).
    pub radii: Vec<f64>,
}

/// What acts between atoms.
pub struct ForceField {
    /// The pair style and its coefficients.
    pub pair: Option<Pair>,
    /// Without one, during a run: no forces between atoms.
    pub(crate) stand_in: Option<Pair>,
    /// The bond style and its coefficients.
    pub bonded: Option<BondStyle>,
    /// `dielectric`: by how much Coulomb forces are weaker than in vacuum.
    pub dielectric: f64,
}

impl ForceField {
    /// The pair style of a run: the script's, or in its stead one without forces.
    pub(crate) fn acting_pair(&self) -> Option<&Pair> {
        self.pair.as_ref().or(self.stand_in.as_ref())
    }

    /// Whether styles count as variables say, at each step anew.
    pub(crate) fn has_variable_factors(&self) -> bool {
        self.pair.as_ref().is_some_and(|pair| !pair.variable_factors().is_empty())
    }

    /// The script's pair style.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn given_pair(&self) -> Result<&Pair> {
        self.pair.as_ref().ok_or_else(|| Error::new("there is no pair style"))
    }
}

/// What is written, and where.
pub struct Output {
    /// Screen and log file.
    pub log: Log,
    /// `thermo`, `thermo_style`, `thermo_modify`.
    pub thermo: thermo::Settings,
    /// `dump`s in the order in which they were defined.
    pub dumps: Vec<Box<dyn DumpWriter>>,
    /// `restart`: the restart files that runs write.
    pub restarts: Vec<Restart>,
    /// What `-json` has collected so far.
    pub report: Option<Report>,
    /// The last row of the last run, for formulas that follow it.
    pub last_row: Option<thermo::Observables>,
    /// Its step and its values, until `thermo_style` makes other columns.
    pub last_values: Option<(i64, thermo::RowValues)>,
}

/// Steps, simulation time and wall time.
pub struct Clock {
    /// The current step.
    pub step: i64,
    /// `timestep`.
    pub dt: f64,
    /// The time step that a fix has asked for at this step: see [`Clock::dt`].
    pub new_dt: Cell<Option<f64>>,
    /// Simulation time at the step `time_since`.
    pub time: f64,
    /// The step from which on time is counted.
    pub time_since: i64,
    /// The first step of the current run; between runs the current step.
    pub run_start: i64,
    /// The steps over which targets of the current run rise.
    pub span: [i64; 2],
    /// That span also between the parts of a `run ... every`.
    pub amid: Option<[i64; 2]>,
    /// When the program began.
    pub started: Instant,
    /// `timer timeout`: the wall time, in seconds since the program began, at which runs stop.
    pub timeout: Option<f64>,
    /// A fix has ended a run for good: runs after it do nothing.
    pub halted: bool,
}

impl Clock {
    /// The time step from here on, as fixes have it that come behind the one that asks for another.
    pub fn dt(&self) -> f64 {
        self.new_dt.get().unwrap_or(self.dt)
    }
}

/// The device, how the work is cut up there, and the atoms that lie there.
pub struct Device {
    /// The device, from the first run on.
    pub gpu: Option<Gpu>,
    /// The precision of the last run or of the restart file, for those to come; `-precision` comes before it.
    pub precision: Option<Precision>,
    /// The shape of the last run and where it came from, in words.
    pub shape: Option<(LaunchConfig, String)>,
    /// The record of the shape that `-tune auto` has made last.
    pub tuned: Option<Record>,
    /// The skin of the tuner's that the last run had, or that a restart file came with.
    pub skin: Option<TunedSkin>,
    /// The parts of the atoms that ranks had in the last run, where these are by the speed of their devices.
    pub weights: Option<Weights>,
    /// For what the run was set up that wrote the restart file read last, until the next run.
    pub layout: Option<Layout>,
    /// What a run has left on the device.
    pub(super) left: Option<Left>,
}

/// What a script has set so far, in parts: a command changes one or two of them.
pub struct Session {
    /// What the command line chose: device, precision, timing mode, JSON file.
    pub options: Options,
    /// Its variables, and what waits for its next commands.
    pub script: Script,
    /// Units, box, atoms and what belongs to them.
    pub system: System,
    /// What acts between atoms.
    pub force_field: ForceField,
    /// `neighbor`, `neigh_modify`.
    pub neighbor: neighbor::Settings,
    /// `processors`, `comm_style`, `comm_modify mode`.
    pub sharing: Sharing,
    /// `fix`es in the order in which they were defined.
    pub fixes: Vec<Box<dyn Fix>>,
    /// `compute`s in the order in which they were defined.
    pub computes: Computes,
    /// What is written, and where.
    pub output: Output,
    /// Steps, simulation time and wall time.
    pub clock: Clock,
    /// `min_style`, `min_modify`.
    pub minimize: crate::session::minimize::Settings,
    /// The device, how the work is cut up there, and the atoms that lie there.
    pub device: Device,
}

impl Session {
    /// The box.
    ///
    /// # Errors
    /// When no command has made one yet.
    pub fn domain(&self) -> Result<&Domain> {
        self.system.domain.as_ref().ok_or_else(|| {
            Error::new("there is no simulation box yet").help("define it before with create_box or read_data")
        })
    }

    /// Whether atoms have molecule IDs, by their style or a fix.
    pub fn has_molecules(&self) -> bool {
        self.system.atom_style.molecular || self.gives("mol")
    }

    /// Whether atoms have charges, by their style or a fix.
    pub fn has_charges(&self) -> bool {
        self.system.atom_style.charged || self.gives("q")
    }

    /// Whether some fix gives atoms a property of this name.
    fn gives(&self, property: &str) -> bool {
        self.properties().any(|name| name == property)
    }

    /// The properties that fixes give atoms (`fix property/atom`), by their names in dumps.
    pub fn properties(&self) -> impl Iterator<Item = &String> {
        self.fixes.iter().flat_map(|fix| fix.properties())
    }

    /// That atoms have the property of this name, as far as that depends on their style or on fixes: `mol`, `q`, `i_NAME`,
    /// `d_NAME`, `i2_NAME[C]`, `d2_NAME[C]`.
    ///
    /// # Errors
    /// When they have not.
    pub fn check_property(&self, property: &str) -> Result<()> {
        if property == "mol" && !self.has_molecules() || property == "q" && !self.has_charges() {
            let message =
                format!("atoms of style {} have no property '{property}'", self.system.atom_style.name);
            let help = "take another atom_style before the box is made, or write";
            return Err(Error::new(message).help(format!("{help} `fix ID all property/atom {property}`")));
        }
        if matches!(property, "radius" | "diameter") && !self.system.atom_style.round {
            let message =
                format!("atoms of style {} have no property '{property}'", self.system.atom_style.name);
            return Err(Error::new(message).help("write `atom_style sphere` before the box is made"));
        }
        if !is_custom(property) || self.gives(property) {
            return Ok(());
        }
        let names = || self.properties().map(String::as_str).filter(|name| is_custom(name));
        let error = Error::new(format!("atoms have no property '{property}'"));
        Err(match closest(property, names()) {
            Some(column) if column.strip_suffix("[1]") == Some(property) => {
                error.help(format!("it has columns: write {column}"))
            }
            Some(known) => error.help(format!("did you mean '{known}'?")),
            None => error.help(format!("define it with `fix ID all property/atom {property}`")),
        })
    }

    /// The columns that a range like `d2_NAME[*]` stands for, by their names; none for another word.
    ///
    /// # Errors
    /// When atoms have no such property, or fewer columns of it.
    pub fn property_columns(&self, name: &str) -> Result<Vec<String>> {
        let Some((whole, first, last)) = column_range(name) else { return Ok(Vec::new()) };
        let prefix = format!("{whole}[");
        let count = self.properties().filter(|name| name.starts_with(&prefix)).count();
        if count == 0 {
            let error = Error::new(format!("atoms have no property '{whole}' with columns"));
            return Err(error.help(format!("define it with `fix ID all property/atom {whole} N`")));
        }
        let last = last.unwrap_or(count);
        if first > last || last > count {
            return Err(Error::new(format!("{whole} has columns 1 to {count}, not {first} to {last}")));
        }
        Ok((first..=last).map(|column| format!("{prefix}{column}]")).collect())
    }

    /// Radii of types of spheres, as they were after the last command.
    pub(crate) fn radii(&self) -> &[f64] {
        &self.system.radii
    }

    /// Lets types of spheres have the masses and radii of their atoms (`atom_style sphere`).
    ///
    /// # Errors
    /// When two atoms of one type are unlike.
    pub fn follow_spheres(&mut self) -> Result<()> {
        if !self.system.atom_style.round || self.system.domain.is_none() {
            return Ok(());
        }
        let atoms = &self.system.host_atoms;
        let spheres = atoms.spheres_by_type(self.types()).map_err(|(kind, unlike)| {
            let [a, b] = unlike.map(|i| {
                let ([radius, mass], tag) = (atoms.sphere(i), atoms.tag[i]);
                format!("atom {tag} has the diameter {} and the mass {mass}", 2.0 * radius)
            });
            let help = "give other spheres a type of their own, or make all atoms before `set type N diameter D density R`";
            Error::new(format!("spheres of one type have to be alike, and of type {kind} {a}, {b}")).help(help)
        })?;
        for (mass, sphere) in self.system.mass.iter_mut().zip(&spheres) {
            *mass = Some(sphere[1]);
        }
        self.system.radii = spheres.iter().map(|sphere| sphere[0]).collect();
        if let Some(pair) = &mut self.force_field.pair {
            pair.set_radii(&self.system.radii);
        }
        Ok(())
    }

    /// Replaces all atoms; they have the properties that fixes give, 0 where they bring none.
    ///
    /// # Errors
    /// When the device fails.
    pub fn replace_atoms(&mut self, mut atoms: Atoms) -> Result<()> {
        let count = atoms.len();
        let names = self.properties().filter(|name| is_custom(name));
        names.for_each(|name| atoms.custom.add(name, count));
        *self.atoms_mut()? = atoms;
        Ok(())
    }

    /// Charges by atom ID as pair styles see them: in units whose square is energy times distance, the dielectric
    /// constant included.
    pub fn charges(&self) -> Vec<(u32, f64)> {
        let unit = (self.system.units.qqr2e / self.force_field.dielectric).sqrt();
        let Atoms { tag, charge, .. } = &self.system.host_atoms;
        tag.iter().zip(charge).map(|(&tag, &charge)| (tag, unit * charge)).collect()
    }

    /// What a pair style reads of each atom, by atom ID.
    pub fn given(&self, input: &AtomInput) -> Vec<(u32, f64)> {
        let atoms = &self.system.host_atoms;
        atoms.tag.iter().enumerate().map(|(i, &tag)| (tag, (input.of)(atoms, i))).collect()
    }

    /// The atoms, brought back from the device when they are newer there.
    ///
    /// # Errors
    /// When the device fails.
    pub fn atoms(&mut self) -> Result<&Atoms> {
        self.atoms_mut_if(false).map(|atoms| &*atoms)
    }

    /// The atoms, to be changed on the host; the device's copy is dropped.
    ///
    /// # Errors
    /// When the device fails.
    pub fn atoms_mut(&mut self) -> Result<&mut Atoms> {
        self.atoms_mut_if(true)
    }

    fn atoms_mut_if(&mut self, drop_resident: bool) -> Result<&mut Atoms> {
        if let Some(resident) = self.resident() {
            self.system.host_atoms = resident.download(&self.system.host_atoms)?;
        }
        if drop_resident {
            self.take_resident();
        }
        Ok(&mut self.system.host_atoms)
    }

    /// The system as formulas and computes see it between runs.
    pub fn now(&self) -> Snapshot<'_> {
        Snapshot::new(self, None)
    }

    /// Number of atoms, wherever they are newest.
    pub fn atom_count(&self) -> usize {
        self.resident().map_or(self.system.host_atoms.len(), |resident| resident.n)
    }

    /// Wall seconds left of `timer timeout`; 0 without one.
    pub fn time_left(&self) -> f64 {
        self.clock
            .timeout
            .map_or(0.0, |limit| limit - ranks::of_first(self.clock.started.elapsed().as_secs_f64()))
    }

    /// Whether a fix changes the time step during a run.
    pub fn changes_time_step(&self) -> bool {
        self.fixes.iter().filter_map(|fix| fix.host()).any(|host| host.changes_time_step())
    }

    /// Simulation time at a step of the current run, with the present time step.
    pub fn time_at(&self, step: i64) -> f64 {
        self.clock.time + (step - self.clock.time_since) as f64 * self.clock.dt
    }

    /// The current step, and the time.
    pub fn moment(&self) -> Moment {
        Moment { step: self.clock.step, time: self.time_at(self.clock.step), dt: self.clock.dt }
    }

    /// Counts the time from the current step on: the time step may change then.
    pub fn settle_time(&mut self) {
        (self.clock.time, self.clock.time_since) = (self.time_at(self.clock.step), self.clock.step);
    }

    /// Whether `timer timeout` has run out.
    pub fn timed_out(&self) -> bool {
        self.clock.timeout.is_some() && self.time_left() <= 0.0
    }

    /// Makes room for atom types, none with a mass, coefficients or a name yet.
    pub fn set_types(&mut self, types: usize) {
        self.system.labels = TypeLabels::default();
        self.system.mass = vec![None; types];
        self.system.unused_mass = vec![None; types];
        if let Some(pair) = &mut self.force_field.pair {
            pair.set_types(types);
        }
    }

    /// Number of atom types.
    pub fn types(&self) -> usize {
        self.system.mass.len()
    }
}
