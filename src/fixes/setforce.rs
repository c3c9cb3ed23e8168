//! `fix setforce` and `fix aveforce`: forces are set, to what the script says or to their mean over the group
//! (cl/fix/setforce.cl). Source: LAMMPS manual, `fix setforce`, `fix aveforce`.

use super::force::{Components, region};
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, FixSums, Header, HostFix, StepContext};

struct SetForce {
    header: Header,
    force: Components,
    /// Whether every atom gets the mean force on the group, besides.
    mean: bool,
    region: Option<String>,
    measured: FixSums,
}

/// Takes `FX FY FZ` (numbers, `v_NAME`, also of style atom, or NULL) and `region NAME`.
pub(crate) fn set(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let force = Components::read_each(session, args, true)?;
    new(header, force, false, session, args)
}

/// Takes `FX FY FZ`, a push besides the mean force (numbers, `v_NAME` or NULL), and `region NAME`.
pub(crate) fn average(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let push = Components::read(session, args, true)?;
    new(header, push, true, session, args)
}

fn new(
    header: Header,
    force: Components,
    mean: bool,
    session: &Session,
    args: &mut Args<'_>,
) -> Result<Box<dyn Fix>> {
    let what = format!("fix {} keyword", header.style);
    let measured = FixSums::vector(3).with_own(1);
    let mut fix = SetForce { header, force, mean, region: None, measured };
    while !args.is_empty() {
        args.one_of(&what, &[("region", ())])?;
        fix.region = Some(region(session, args)?);
    }
    Ok(Box::new(fix))
}

impl Fix for SetForce {
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

impl DeviceFix for SetForce {
    fn hooks(&self) -> Option<DeviceHooks> {
        let of = DeviceHooks::of(kernel_file!("fix/setforce.cl"));
        Some(match self.mean {
            true => DeviceHooks { pre_force_sum: Some("add_forces"), post_force: Some("aveforce"), ..of },
            false => DeviceHooks { post_force: Some("setforce"), ..of },
        })
    }

    fn region(&self) -> Option<&str> {
        self.region.as_deref()
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok([&self.force.values(now)?[..], &self.force.stay(), &[f64::from(u8::from(self.force.by_host()))]]
            .concat())
    }

    fn varies(&self) -> bool {
        self.force.vary()
    }

    fn updates_memory(&self) -> bool {
        self.force.differ()
    }

    fn hand_over_formulas(&self, session: &Session, wide: bool) {
        self.force.hand_over(session, wide);
    }

    fn check_formulas(&self, context: &FixContext<'_>) -> Result<()> {
        self.force.check(&self.header, context)
    }

    fn keep_formulas(&self, session: &Session) {
        self.force.keep(session);
    }

    fn formulas(&self, now: &StepContext<'_>) -> Result<Option<([AtomExpr; 3], bool)>> {
        self.force.formulas(now, true)
    }
}

impl HostFix for SetForce {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        if context.minimizing && !self.mean && self.force.is_not_zero() {
            let id = &self.header.id;
            let error = Error::new(format!(
                "fix {id} (setforce) sets forces, by a variable or a number that is not 0, which have no energy to be minimized"
            ));
            return Err(error.help("addforce has one, or write unfix before `minimize`"));
        }
        self.force.begin_run(context.session);
        Ok(())
    }

    fn next(&self, step: i64) -> Option<i64> {
        self.force.by_host().then_some(step + 1)
    }

    fn needs_tally(&self) -> bool {
        self.force.tallies()
    }

    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.force.remember(&self.header, context)
    }
}
