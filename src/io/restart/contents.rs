//! What a restart file holds: everything that a run depends on to the last bit, but for what the script defines anew.

use crate::model::atom_style::AtomStyle;
use crate::session::restart::FixStates;

use crate::base::error::{Error, Result};
use crate::engine::neighbor;
use crate::engine::simulation::Layout;
use crate::gpu::options::Precision;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::group::Groups;
use crate::model::labels::TypeLabels;
use crate::model::topology::Topology;
use crate::model::units;
use crate::potentials::bond;
use crate::potentials::bond::BondStyle;
use crate::potentials::pair::{Pair, SavedPair};
use crate::session::Session;
use crate::session::compute::style::Header;
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
    unused_mass: Cow<'a, [Option<f64>]>,
    /// None in files of versions without them.
    #[serde(default)]
    labels: Cow<'a, TypeLabels>,
    pair: Option<SavedPair>,
    neighbor: Cow<'a, neighbor::Settings>,
    atom_style: String,
    topology: Cow<'a, Topology>,
    bonded: Option<(String, Vec<Option<bond::Params>>)>,
    fixes: FixStates,
    /// None in files of versions without them.
    #[serde(default)]
    computes: FixStates,
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
        session: &'a Session,
        atoms: &'a Atoms,
        domain: &'a Domain,
        layout: Option<&'a Layout>,
    ) -> Self {
        let fixes = session.fixes.iter().filter_map(|fix| {
            let numbers = fix.kept()?.restart_state()?;
            Some((fix.header().id.clone(), (fix.header().style.to_owned(), numbers)))
        });
        let computes = session.computes.iter().filter_map(|compute| {
            let Header { id, style, .. } = compute.header();
            Some((id.clone(), ((*style).to_owned(), compute.restart_state()?)))
        });
        Contents {
            units: session.system.units.name.to_owned(),
            dimension: session.system.dimension,
            step: session.clock.step,
            time: session.clock.time,
            dt: session.clock.dt,
            dielectric: session.force_field.dielectric,
            precision: session.device.precision.or(session.options.precision),
            domain: Cow::Borrowed(domain),
            groups: Cow::Borrowed(&session.system.groups),
            mass: Cow::Borrowed(&session.system.mass),
            unused_mass: Cow::Borrowed(&session.system.unused_mass),
            labels: Cow::Borrowed(&session.system.labels),
            pair: session.force_field.pair.as_ref().map(Pair::save),
            neighbor: Cow::Borrowed(&session.neighbor),
            atom_style: session.system.atom_style.words(),
            topology: Cow::Borrowed(&session.system.topology),
            bonded: session.force_field.bonded.as_ref().map(BondStyle::save),
            fixes: fixes.collect(),
            computes: computes.collect(),
            skin: session.device.skin.as_ref().map(Cow::Borrowed),
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
    pub(crate) fn restore(self, session: &mut Session) -> Result<()> {
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
        let atom_style = AtomStyle::of_words(&self.atom_style);
        let atom_style =
            atom_style.ok_or_else(|| Error::new(format!("there is no atom style '{}'", self.atom_style)))?;
        let bonded = self.bonded.map(BondStyle::restore).transpose()?;
        let Domain { lo, hi, boundary, triclinic, tilt, .. } = *self.domain;
        let domain = Domain::new(lo, hi, boundary)?;
        if triclinic {
            domain.with_tilt(tilt)?;
        }
        crate::session::units::set(session, units::named(&self.units)?);
        let pair = self.pair.map(|pair| pair.restore(types)).transpose()?;
        session.system.dimension = self.dimension;
        session.computes.set_dimension(self.dimension);
        session.system.boundary = boundary;
        (session.clock.step, session.clock.time, session.clock.dt) = (self.step, self.time, self.dt);
        session.force_field.dielectric = if self.dielectric > 0.0 { self.dielectric } else { 1.0 };
        (session.clock.time_since, session.clock.run_start) = (self.step, self.step);
        session.device.precision = self.precision;
        session.system.domain = Some(self.domain.into_owned());
        session.system.groups = self.groups.into_owned();
        session.system.mass = self.mass.into_owned();
        session.system.unused_mass = self.unused_mass.into_owned();
        session.system.unused_mass.resize(types, None);
        session.system.labels = self.labels.into_owned();
        session.force_field.pair = pair;
        session.neighbor = self.neighbor.into_owned();
        (session.system.atom_style, session.force_field.bonded) = (atom_style, bonded);
        session.system.topology = self.topology.into_owned();
        (session.script.fix_states, session.script.compute_states) = (self.fixes, self.computes);
        session.device.skin = self.skin.map(Cow::into_owned);
        let restored = session.system.domain.clone();
        session.device.layout = self.layout.map(|layout| Layout { restored, ..layout.into_owned() });
        session.replace_atoms(atoms)
    }
}
