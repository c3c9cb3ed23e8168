//! `fix addforce`: a force more on each atom (cl/fix/addforce.cl). Source: LAMMPS manual, `fix addforce`.

use super::force::{Components, region};
use crate::base::error::Result;
use crate::base::steps::next_multiple;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, FixSums, Header, HostFix, Quantity, StepContext};
use std::cell::Cell;

struct AddForce {
    header: Header,
    force: Components,
    every: u64,
    region: Option<String>,
    /// `energy`: a variable with the potential energy of each atom, and what it adds up to.
    energy: Option<Quantity>,
    sum: Cell<f64>,
    /// Whether that variable is made from energies or virials, known when a run begins.
    tallies: Cell<bool>,
    measured: FixSums,
}

/// Takes `FX FY FZ` (numbers or `v_NAME`, also of style atom), `every N`, `region NAME`, `energy v_NAME`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let force = Components::read_each(session, args, false)?;
    let mut fix = AddForce {
        header,
        force,
        every: 1,
        region: None,
        energy: None,
        sum: Cell::new(0.0),
        tallies: Cell::new(false),
        measured: FixSums::energy(3).with_virial(),
    };
    while let Some(keyword) = args.peek() {
        match args.one_of("fix addforce keyword", &[("every", 0), ("region", 1), ("energy", 2)])? {
            0 => fix.every = args.count("the number of steps between", 1)?,
            1 => fix.region = Some(region(session, args)?),
            _ => {
                fix.energy = Some(Quantity::read_atoms(session, args, "an atom-style variable v_NAME")?);
                if !fix.force.vary() && !fix.force.differ() {
                    return Err(args
                        .error(keyword, "a constant force has the energy -F x")
                        .help("leave `energy` away; it is for forces that are variables"));
                }
            }
        }
    }
    Ok(Box::new(fix))
}

impl AddForce {
    /// The variable of `energy`.
    fn energy(&self) -> Option<&Reference> {
        self.energy.as_ref()?.of_atoms()
    }
}

impl Fix for AddForce {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        !(self.force.vary() || self.force.differ() || self.region.is_some())
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }
}

impl DeviceFix for AddForce {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks { post_force: Some("addforce"), ..DeviceHooks::of(kernel_file!("fix/addforce.cl")) })
    }

    fn region(&self) -> Option<&str> {
        self.region.as_deref()
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    /// The force, at which steps, whether there is some per atom, and whether its energy is -F x.
    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let [x, y, z] = self.force.values(now)?;
        let flag = |is: bool| f64::from(u8::from(is));
        Ok(vec![x, y, z, self.every as f64, flag(self.force.differ()), flag(self.energy().is_none())])
    }

    fn updates_memory(&self) -> bool {
        self.force.differ()
    }

    fn check_measured(&self) -> Result<()> {
        if self.energy().is_some() {
            self.measured.set_energy(self.sum.get());
        }
        Ok(())
    }

    fn varies(&self) -> bool {
        self.force.vary()
    }
}

impl HostFix for AddForce {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.force.begin_run(context.session);
        let tallies = self.energy().is_some_and(|energy| context.session.needs_tally(energy));
        self.tallies.set(tallies || self.force.tallies());
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        (self.force.differ() || self.energy().is_some()).then(|| next_multiple(step, self.every))
    }

    fn needs_tally(&self) -> bool {
        self.tallies.get()
    }

    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.force.remember(&self.header, context)?;
        let Some(energy) = self.energy() else { return Ok(()) };
        let system = context.system();
        let region = self.region.as_ref().and_then(|name| context.session.system.regions.get(name));
        let values = system.per_atom(energy)?;
        let members = system.indices(self.header.group, region)?;
        self.sum.set(members.into_iter().map(|i| values[i]).sum());
        Ok(())
    }
}
