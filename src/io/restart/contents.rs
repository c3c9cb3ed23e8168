//! What a restart file holds: everything that a run depends on to the last bit, but for what the script defines anew.

use crate::session::restart::FixStates;

use crate::base::error::{Error, Result};
use crate::engine::neighbor;
use crate::engine::simulation::Layout;
use crate::gpu::options::Precision;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::group::Groups;
use crate::model::labels::TypeLabels;
use crate::model::topology::{ATOM_STYLES, Topology};
use crate::model::units;
use crate::potentials::bond;
use crate::potentials::bond::Bonded;
use crate::potentials::pair::{Pair, SavedPair};
use crate::session::state::State;
use crate::session::tuned::TunedSkin;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The system at one step, and the settings that come back with it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Contents<'a> {
    units: String,
    dimension: u32,
    step: i64,
    time: f64,
    dt: f64,
    /// 0 in files of versions without it.
    #[serde(default)]
    dielectric: f64,
    /// Of the runs so far.
    precision: Option<Precision>,
    domain: Cow<'a, Domain>,
    groups: Cow<'a, Groups>,
    mass: Cow<'a, [Option<f64>]>,
    /// None in files of versions without them.
    #[serde(default)]
    labels: Cow<'a, TypeLabels>,
    pair: Option<SavedPair>,
    neighbor: Cow<'a, neighbor::Settings>,
    atom_style: String,
    topology: Cow<'a, Topology>,
    bonded: Option<(String, Vec<Option<bond::Params>>)>,
    fixes: FixStates,
    /// The tuner's, where the run had one. None in files of versions without it.
    #[serde(default)]
    skin: Option<Cow<'a, TunedSkin>>,
    /// Of the run in whose midst it was written.
    layout: Option<Cow<'a, Layout>>,
    atoms: Cow<'a, Atoms>,
}

impl<'a> Contents<'a> {
    /// The system of a script at its current step; `layout` is that of the run that is under way.
    pub(crate) fn new(
        state: &'a State,
        atoms: &'a Atoms,
        domain: &'a Domain,
        layout: Option<&'a Layout>,
    ) -> Self {
        let fixes = state.fixes.iter().filter_map(|fix| {
            let numbers = fix.restart_state()?;
            Some((fix.header().id.clone(), (fix.header().style.to_owned(), numbers)))
        });
        Contents {
            units: state.system.units.name.to_owned(),
            dimension: state.system.dimension,
            step: state.clock.step,
            time: state.time_at(state.clock.step),
            dt: state.clock.dt,
            dielectric: state.force_field.dielectric,
            precision: state.device.precision.or(state.options.precision),
            domain: Cow::Borrowed(domain),
            groups: Cow::Borrowed(&state.system.groups),
            mass: Cow::Borrowed(&state.system.mass),
            labels: Cow::Borrowed(&state.system.labels),
            pair: state.force_field.pair.as_ref().map(Pair::save),
            neighbor: Cow::Borrowed(&state.neighbor),
            atom_style: state.system.atom_style.name.to_owned(),
            topology: Cow::Borrowed(&state.system.topology),
            bonded: state.force_field.bonded.as_ref().map(Bonded::save),
            fixes: fixes.collect(),
            skin: state.device.skin.as_ref().map(Cow::Borrowed),
            layout: layout.map(Cow::Borrowed),
            atoms: Cow::Borrowed(atoms),
        }
    }

    /// One line for people.
    pub(crate) fn summary(&self) -> String {
        format!("step {}, {} atoms, units {}", self.step, self.atoms.len(), self.units)
    }

    /// Makes it the system of a script that has no box yet.
    ///
    /// # Errors
    /// When parts do not fit together, as in a file that no CLAMPS has written.
    pub(crate) fn restore(self, state: &mut State) -> Result<()> {
        let types = self.mass.len();
        let atoms = self.atoms.into_owned();
        let counts = [
            atoms.v.len(),
            atoms.image.len(),
            atoms.tag.len(),
            atoms.kind.len(),
            atoms.mask.len(),
            atoms.molecule.len(),
            atoms.charge.len(),
        ];
        let known = |kind: &u32| (1..=types).contains(&(*kind as usize));
        if counts != [atoms.len(); 7] || !atoms.custom.fits(atoms.len()) || !atoms.kind.iter().all(known) {
            return Err(Error::new("the atoms of the restart file do not fit together"));
        }
        let atom_style = ATOM_STYLES.iter().find(|style| style.name == self.atom_style).copied();
        let atom_style =
            atom_style.ok_or_else(|| Error::new(format!("there is no atom style '{}'", self.atom_style)))?;
        let bonded = self.bonded.map(Bonded::restore).transpose()?;
        let Domain { lo, hi, boundary, triclinic, tilt, .. } = *self.domain;
        let domain = Domain::new(lo, hi, boundary)?;
        if triclinic {
            domain.with_tilt(tilt)?;
        }
        crate::session::units::set(state, units::named(&self.units)?);
        let pair = self.pair.map(|pair| pair.restore(types)).transpose()?;
        state.system.dimension = self.dimension;
        state.computes.set_dimension(self.dimension);
        state.system.boundary = boundary;
        (state.clock.step, state.clock.time, state.clock.dt) = (self.step, self.time, self.dt);
        state.force_field.dielectric = if self.dielectric > 0.0 { self.dielectric } else { 1.0 };
        (state.clock.time_since, state.clock.run_start) = (self.step, self.step);
        state.device.precision = self.precision;
        state.system.domain = Some(self.domain.into_owned());
        state.system.groups = self.groups.into_owned();
        state.system.mass = self.mass.into_owned();
        state.system.labels = self.labels.into_owned();
        state.force_field.pair = pair;
        state.neighbor = self.neighbor.into_owned();
        (state.system.atom_style, state.force_field.bonded) = (atom_style, bonded);
        state.system.topology = self.topology.into_owned();
        state.script.fix_states = self.fixes;
        state.device.skin = self.skin.map(Cow::into_owned);
        let restored = state.system.domain.clone();
        state.device.layout = self.layout.map(|layout| Layout { restored, ..layout.into_owned() });
        state.replace_atoms(atoms)
    }
}
