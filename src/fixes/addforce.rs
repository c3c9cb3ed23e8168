//! `fix addforce`: a force more on each atom, and `fix efield`: that of an electric field on its charge (cl/fix/addforce.cl). Source: LAMMPS
//! manual, the pages of these names.

use super::force::{Components, region};
use crate::base::error::{Error, Result};
use crate::base::steps::next_multiple;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, FixSums, Header, HostFix, Quantity, StepContext};
use std::cell::Cell;

struct AddForce {
    header: Header,
    /// Whether `force` is a field, which counts times the charge.
    field: bool,
    force: Components,
    every: u64,
    region: Option<String>,
    /// `energy`: a variable with the potential energy of each atom, or `potential`: per charge, and what it adds up to.
    energy: Option<Quantity>,
    potential: bool,
    sum: Cell<f64>,
    /// Whether that variable is made from energies or virials, known when a run begins.
    tallies: Cell<bool>,
    /// Whether atoms may come during the run.
    grows: Cell<bool>,
    measured: FixSums,
}

/// Takes `FX FY FZ` (numbers or `v_NAME`, also of style atom), `every N`, `region NAME`, `energy v_NAME`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    read(header, false, session, args)
}

/// Takes the same of a field: `EX EY EZ`, `region NAME`, `energy v_NAME` or `potential v_NAME`.
pub(crate) fn field(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    if !session.system.atom_style.charged {
        let message = format!("atoms of style {} have no charges", session.system.atom_style.name);
        return Err(args.error_here(message).help("write `atom_style charge` before the box is made"));
    }
    read(header, true, session, args)
}

fn read(header: Header, field: bool, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let force = Components::read_each(session, args, false)?;
    let mut fix = AddForce {
        header,
        field,
        force,
        every: 1,
        region: None,
        energy: None,
        potential: false,
        sum: Cell::new(0.0),
        tallies: Cell::new(false),
        grows: Cell::new(false),
        measured: FixSums::energy(3).with_virial(),
    };
    while let Some(keyword) = args.peek() {
        if field && keyword.text == "every" {
            return Err(args.unsupported(keyword, "keyword"));
        }
        let what = format!("fix {} keyword", fix.header.style);
        let known = [("every", 0), ("region", 1), ("energy", 2), ("potential", 3)];
        match args.one_of(&what, &known[..if field { 4 } else { 3 }])? {
            0 => fix.every = args.count("the number of steps between", 1)?,
            1 => fix.region = Some(region(session, args)?),
            which => {
                if fix.energy.is_some() {
                    return Err(args.error(keyword, "the energy is said twice"));
                }
                fix.energy = Some(Quantity::read_atoms(session, args, "an atom-style variable v_NAME")?);
                fix.potential = which == 3;
                if !fix.force.vary() && !fix.force.differ() {
                    return Err(args.error(keyword, "a constant force has the energy -F x").help(format!(
                        "leave `{}` away; it is for forces that are variables",
                        keyword.text
                    )));
                }
            }
        }
    }
    Ok(Box::new(fix))
}

impl AddForce {
    /// Whether the force is added at a step.
    fn is_due(&self, step: i64) -> bool {
        step.unsigned_abs().is_multiple_of(self.every)
    }

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

    /// The force, at which steps, whether there is some per atom, whether its energy is -F x, and whether it is a field.
    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let differs = self.force.by_host();
        let unit = if self.field { now.session.system.units.qe2f } else { 1.0 };
        // In between a formula may have no value: an average is not made at each step.
        let acts = self.is_due(now.step) || now.is_any() || !self.force.vary();
        let force = if acts { self.force.values(now)?.map(|x| x * unit) } else { [0.0; 3] };
        // A field that differs from atom to atom is with their charges in the memory.
        let [x, y, z] = if self.field && differs { [unit; 3] } else { force };
        let varies = self.field && (differs || self.force.vary());
        let flag = |is: bool| f64::from(u8::from(is));
        let own_energy = flag(self.energy().is_none() && !varies);
        Ok(vec![x, y, z, self.every as f64, flag(differs || self.field), own_energy, flag(self.field)])
    }

    fn updates_memory(&self) -> bool {
        self.force.differ() || self.field
    }

    fn hand_over_formulas(&self, session: &Session, wide: bool) {
        self.force.hand_over(session, wide && !self.field);
    }

    fn check_formulas(&self, context: &FixContext<'_>) -> Result<()> {
        self.force.check(&self.header, context)
    }

    fn keep_formulas(&self, session: &Session) {
        self.force.keep(session);
    }

    fn formulas(&self, now: &StepContext<'_>) -> Result<Option<([AtomExpr; 3], bool)>> {
        self.force.formulas(now, self.is_due(now.step) || now.is_any())
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
        if context.minimizing && self.energy.is_none() && (self.force.vary() || self.force.differ()) {
            let Header { id, style, .. } = &self.header;
            let error = Error::new(format!(
                "fix {id} ({style}) has no energy to be minimized: its force is a variable"
            ));
            let energy = if self.field { "`energy v_NAME` or `potential v_NAME`" } else { "`energy v_NAME`" };
            return Err(
                error.help(format!("give it {energy}, of style atom, or write unfix before `minimize`"))
            );
        }
        self.force.begin_run(context.session);
        let tallies = self.energy().is_some_and(|energy| context.session.needs_tally(energy));
        self.tallies.set(tallies || self.force.tallies());
        self.grows.set(context.session.fixes.iter().any(|fix| fix.atom_exchange().is_some()));
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        let charges = self.field && self.grows.get();
        (self.force.by_host() || self.energy().is_some() || charges).then(|| next_multiple(step, self.every))
    }

    fn needs_tally(&self) -> bool {
        self.tallies.get()
    }

    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        match self.field {
            true => self.force.remember_field(&self.header, context)?,
            // Steps of the set-up come here even where they are not due.
            false if !self.is_due(context.session.clock.step) => return Ok(()),
            false => self.force.remember(&self.header, context)?,
        }
        let Some(energy) = self.energy() else { return Ok(()) };
        let system = context.system();
        let region = self.region.as_ref().and_then(|name| context.session.system.regions.get(name));
        let values = system.per_atom(energy)?;
        let members = system.indices(self.header.group, region)?;
        let charge = &system.atoms()?.charge;
        let factor =
            |i: usize| if self.potential { context.session.system.units.qe2f * charge[i] } else { 1.0 };
        self.sum.set(members.into_iter().map(|i| factor(i) * values[i]).sum());
        Ok(())
    }
}
