//! A fix as others call it: each method asks the capability that has it, and gives the default where the fix has not got
//! that capability. So callers need not know which capability a method belongs to. Methods that one place calls are not
//! here: it asks for the capability itself.

use super::coupling::DeviceCoupling;
use super::{BondLists, Fix, FixContext, FixSums, NO_VALUES, StepContext};
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::model::atoms::Atoms;
use crate::model::domain::Flow;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::snapshot::view::Snapshot;
use std::borrow::Cow;
use std::ops::RangeInclusive;

impl dyn Fix {
    /// [`super::DeviceFix::operations`].
    pub fn operations(&self) -> [u32; 2] {
        match self.device() {
            Some(device) => device.operations(),
            None => [0; 2],
        }
    }

    /// [`super::DeviceFix::hooks`].
    pub fn hooks(&self) -> Option<DeviceHooks> {
        match self.device() {
            Some(device) => device.hooks(),
            None => None,
        }
    }

    /// [`super::DeviceFix::groups`].
    pub fn groups(&self) -> u32 {
        match self.device() {
            Some(device) => device.groups(),
            None => self.header().group,
        }
    }

    /// [`super::DeviceFix::memory`].
    pub fn memory(&self) -> Cow<'_, [f64]> {
        match self.device() {
            Some(device) => device.memory(),
            None => Cow::Borrowed(&[]),
        }
    }

    /// [`super::DeviceFix::region`].
    pub fn region(&self) -> Option<&str> {
        match self.device() {
            Some(device) => device.region(),
            None => None,
        }
    }

    /// [`super::DeviceFix::measured`].
    pub fn measured(&self) -> Option<&FixSums> {
        match self.device() {
            Some(device) => device.measured(),
            None => None,
        }
    }

    /// [`super::DeviceFix::parameters`].
    ///
    /// # Errors
    /// As there.
    pub fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        match self.device() {
            Some(device) => device.parameters(now),
            None => Ok(Vec::new()),
        }
    }

    /// [`super::DeviceFix::varies`].
    pub fn varies(&self) -> bool {
        match self.device() {
            Some(device) => device.varies(),
            None => false,
        }
    }

    /// [`super::DeviceFix::coupling`].
    pub fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        match self.device() {
            Some(device) => device.coupling(),
            None => None,
        }
    }

    /// [`super::HostFix::begin_run`].
    ///
    /// # Errors
    /// As there.
    pub fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.host() {
            Some(host) => host.begin_run(context),
            None => Ok(()),
        }
    }

    /// [`super::HostFix::setup`].
    ///
    /// # Errors
    /// As there.
    pub fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.host() {
            Some(host) => host.setup(context),
            None => Ok(()),
        }
    }

    /// [`super::HostFix::next`].
    pub fn next(&self, step: i64) -> Option<i64> {
        match self.host() {
            Some(host) => host.next(step),
            None => None,
        }
    }

    /// [`super::HostFix::needs_tally`].
    pub fn needs_tally(&self) -> bool {
        match self.host() {
            Some(host) => host.needs_tally(),
            None => false,
        }
    }

    /// [`super::HostFix::before_step`].
    ///
    /// # Errors
    /// As there.
    pub fn before_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.host() {
            Some(host) => host.before_step(context),
            None => Ok(()),
        }
    }

    /// [`super::HostFix::post_force`].
    ///
    /// # Errors
    /// As there.
    pub fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.host() {
            Some(host) => host.post_force(context),
            None => Ok(()),
        }
    }

    /// [`super::HostFix::end_of_step`].
    ///
    /// # Errors
    /// As there.
    pub fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.host() {
            Some(host) => host.end_of_step(context),
            None => Ok(()),
        }
    }

    /// [`super::HostFix::minimized`].
    ///
    /// # Errors
    /// As there.
    pub fn minimized(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.host().map_or(Ok(()), |host| host.minimized(context))
    }

    /// [`super::HostFix::ends_frames`].
    pub fn ends_frames(&self) -> bool {
        match self.host() {
            Some(host) => host.ends_frames(),
            None => true,
        }
    }

    /// [`super::HostFix::end_run`].
    ///
    /// # Errors
    /// As there.
    pub fn end_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.host() {
            Some(host) => host.end_run(context),
            None => Ok(()),
        }
    }

    /// [`super::BoxChange::changes_box`].
    pub fn changes_box(&self) -> bool {
        match self.box_change() {
            Some(change) => change.changes_box(),
            None => false,
        }
    }

    /// [`super::BoxChange::box_rate`].
    pub fn box_rate(&self, state: &Session, span: [i64; 2]) -> Option<Flow> {
        match self.box_change() {
            Some(change) => change.box_rate(state, span),
            None => None,
        }
    }

    /// [`super::BoxChange::takes_atoms_along`].
    pub fn takes_atoms_along(&self) -> bool {
        match self.box_change() {
            Some(change) => change.takes_atoms_along(),
            None => false,
        }
    }

    /// [`super::ExchangeAtoms::next_exchange`].
    pub fn next_exchange(&self, step: i64) -> Option<i64> {
        match self.atom_exchange() {
            Some(exchange) => exchange.next_exchange(step),
            None => None,
        }
    }

    /// [`super::ExchangeAtoms::exchange`].
    ///
    /// # Errors
    /// As there.
    pub fn exchange(
        &self,
        context: &mut FixContext<'_>,
        atoms: &mut Atoms,
        bonds: &mut BondLists,
    ) -> Result<bool> {
        match self.atom_exchange() {
            Some(exchange) => exchange.exchange(context, atoms, bonds),
            None => Ok(false),
        }
    }

    /// [`super::ExchangeAtoms::add_body`].
    ///
    /// # Errors
    /// As there.
    pub fn add_body(&self, ids: RangeInclusive<u32>) -> Result<()> {
        match self.atom_exchange() {
            Some(exchange) => exchange.add_body(ids),
            None => Err(Error::new(format!(
                "fix {} ({}) holds no rigid bodies",
                self.header().id,
                self.header().style
            ))),
        }
    }

    /// [`super::FixOutput::shape`].
    pub fn shape(&self) -> Option<Shape> {
        match self.output() {
            Some(output) => output.shape(),
            None => self.measured().and_then(FixSums::shape),
        }
    }

    /// [`super::FixOutput::made_every`].
    pub fn made_every(&self) -> u64 {
        self.output().map_or(1, |output| output.made_every())
    }

    /// [`super::FixOutput::values`].
    ///
    /// # Errors
    /// As there.
    pub fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        match self.output() {
            Some(output) => output.values(system),
            None => {
                let none = || Err(Error::new(format!("fix {} {NO_VALUES}", self.header().id)));
                self.measured().map_or_else(none, |measured| Ok(measured.values()))
            }
        }
    }

    /// [`super::FixOutput::extensive`].
    pub fn extensive(&self) -> bool {
        match self.output() {
            Some(output) => output.extensive(),
            None => self.measured().is_some(),
        }
    }

    /// [`super::FixOutput::vector_extensive`].
    pub fn vector_extensive(&self) -> bool {
        match self.output() {
            Some(output) => output.vector_extensive(),
            None => self.measured().is_some(),
        }
    }

    /// [`super::FixOutput::element_extensive`].
    pub fn element_extensive(&self, element: usize) -> bool {
        match self.output() {
            Some(output) => output.element_extensive(element),
            None => self.vector_extensive(),
        }
    }

    /// [`super::FixOutput::removed_freedom`].
    pub fn removed_freedom(&self, group: u32) -> f64 {
        match self.output() {
            Some(output) => output.removed_freedom(group),
            None => 0.0,
        }
    }

    /// [`super::FixOutput::coupled_energy`].
    pub fn coupled_energy(&self, system: &Snapshot<'_>) -> f64 {
        match self.output() {
            Some(output) => output.coupled_energy(system),
            None => 0.0,
        }
    }

    /// [`super::FixOutput::potential_energy`].
    pub fn potential_energy(&self, system: &Snapshot<'_>) -> f64 {
        match self.output() {
            Some(output) => output.potential_energy(system),
            None => self.measured().map_or(0.0, FixSums::potential_energy),
        }
    }

    /// [`super::FixOutput::virial`].
    pub fn virial(&self) -> [f64; 6] {
        match self.output() {
            Some(output) => output.virial(),
            None => self.measured().map_or([0.0; 6], FixSums::counted_virial),
        }
    }

    /// [`super::FixOutput::counts_virial`].
    pub fn counts_virial(&self) -> bool {
        match self.output() {
            Some(output) => output.counts_virial(),
            None => self.measured().is_some_and(FixSums::counts_virial),
        }
    }

    /// [`super::FixOutput::virials`].
    pub fn virials(&self, tags: &[u32]) -> Vec<[f64; 6]> {
        match self.output() {
            Some(output) => output.virials(tags),
            None => self.measured().map_or(Vec::new(), FixSums::virials),
        }
    }

    /// [`super::FixMemory::restore`].
    ///
    /// # Errors
    /// As there.
    pub fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        match self.kept_mut() {
            Some(memory) => memory.restore(numbers),
            None => Ok(()),
        }
    }

    /// [`super::FixMemory::ids_changed`].
    pub fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        if let Some(memory) = self.kept_mut() {
            memory.ids_changed(ids);
        }
    }

    /// [`super::FixMemory::atoms_added`].
    ///
    /// # Errors
    /// As there.
    pub fn atoms_added(&mut self, new: &Atoms) -> Result<()> {
        match self.kept_mut() {
            Some(memory) => memory.atoms_added(new),
            None => Ok(()),
        }
    }
}
