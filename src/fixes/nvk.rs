//! `fix ID all nvk`: velocity Verlet at constant kinetic energy: a' = F/m - (sum F v / sum m v^2) v, solved exactly under constant forces for
//! half steps (cl/fix/nvk.cl). F. Zhang, J. Chem. Phys. 106, 6102 (1997); P. Minary, G. J. Martyna and M. E. Tuckerman, J. Chem. Phys. 118,
//! 2510 (2003); LAMMPS manual, `fix nvk`.
//!
//! The kinetic energy is that at the beginning of a run. Sums over all atoms are made once per step, when forces are known: those for the first
//! half of the next step follow from them.

use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, FixSums, Header, HostFix, StepContext};
use std::cell::Cell;

struct Nvk {
    header: Header,
    measured: FixSums,
    /// The sum of m v^2.
    kinetic: Cell<f64>,
    /// The step of the last set-up.
    began: Cell<i64>,
    /// The time step now and, where it has changed since the set-up, the last step made with the one before, and that.
    dt: Cell<f64>,
    changed: Cell<Option<(i64, f64)>>,
}

impl Nvk {
    /// The time step of the step before this one; 0 at the first one after a set-up.
    fn dt_before(&self, now: &StepContext<'_>) -> f64 {
        let clock = &now.session.clock;
        if clock.dt != self.dt.get() {
            self.changed.set(Some((clock.step, self.dt.replace(clock.dt))));
        }
        match self.changed.get() {
            _ if now.step == self.began.get() + 1 => 0.0,
            Some((step, before)) if now.step == step + 1 => before,
            _ => clock.dt,
        }
    }
}

pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    if header.group != 1 {
        return Err(args.error_here("fix nvk is for group all").help("write `fix ID all nvk`"));
    }
    let measured = FixSums::vector(0).with_own(2);
    Ok(Box::new(Nvk {
        header,
        measured,
        kinetic: Cell::new(0.0),
        began: Cell::new(i64::MIN),
        dt: Cell::default(),
        changed: Cell::default(),
    }))
}

impl Fix for Nvk {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn integrates(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }
}

impl DeviceFix for Nvk {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            initial_integrate: Some("nvk_initial"),
            pre_force_sum: Some("nvk_add"),
            post_force: Some("nvk_add"),
            final_integrate: Some("nvk_final"),
            ..DeviceHooks::of(kernel_file!("fix/nvk.cl"))
        })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    /// The first step after a set-up is another one.
    fn varies(&self) -> bool {
        true
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let ftm2v = now.session.system.units.ftm2v;
        let moment = [now.session.clock.dt, 1.0 / self.kinetic.get(), self.dt_before(now), ftm2v];
        Ok(moment.into_iter().chain(now.mass().map(|mass| ftm2v / mass)).collect())
    }
}

impl HostFix for Nvk {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let mut behind =
            context.session.fixes.iter().skip_while(|fix| fix.header().id != self.header.id).skip(1);
        match behind.find(|fix| fix.hooks().is_some_and(|hooks| hooks.post_force.is_some())) {
            None => Ok(()),
            Some(other) => {
                let (own, other) = (&self.header.id, &other.header().id);
                let message =
                    format!("fix {own} (nvk) does not know the forces of fix {other}, which comes after it");
                Err(Error::new(message).help(format!("define fix {own} after fix {other}")))
            }
        }
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        let system = context.system();
        let (atoms, masses) = (system.atoms()?, system.masses());
        let square = |i: usize| masses.of(atoms.kind[i]) * atoms.v[i].iter().map(|v| v * v).sum::<f64>();
        let kinetic: f64 = (0..atoms.len()).map(square).sum();
        if kinetic == 0.0 {
            return Err(Error::new("fix nvk: the atoms are at rest, so they stay where they are")
                .help("give them velocities, with `velocity all create`"));
        }
        self.kinetic.set(kinetic);
        let clock = &context.session.clock;
        self.began.set(clock.step);
        self.dt.set(clock.dt);
        self.changed.set(None);
        Ok(())
    }
}
