//! `fix spring/self`: each atom is tied to where it was (cl/fix/spring_self.cl). Source: LAMMPS manual,
//! `fix spring/self`.

use super::origins;
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{
    DeviceFix, Fix, FixContext, FixMemory, FixSums, Header, HostFix, Quantity, StepContext,
};
use std::borrow::Cow;

struct SpringSelf {
    header: Header,
    k: Quantity,
    /// 1 for the directions that count.
    counts: [f64; 3],
    origins: Vec<[f64; 3]>,
    measured: FixSums,
}

/// Takes `K` (a number or `v_NAME`) and the directions, such as `xy`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let k = match args.peek().is_some_and(|word| word.text.starts_with("v_")) {
        true => Quantity::read(session, args, "the force constant", 1.0)?,
        false => Quantity::Number(args.positive("the force constant")?),
    };
    let directions = ["xyz", "xy", "xz", "yz", "x", "y", "z"];
    let directions = match args.is_empty() {
        true => "xyz",
        false => args.one_of("directions", &directions.map(|name| (name, name)))?,
    };
    let counts = ["x", "y", "z"].map(|axis| f64::from(u8::from(directions.contains(axis))));
    let origins = origins::origins(session)?;
    Ok(Box::new(SpringSelf { header, k, counts, origins, measured: FixSums::energy(0) }))
}

impl Fix for SpringSelf {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl DeviceFix for SpringSelf {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_force: Some("spring_self"),
            ..DeviceHooks::of(kernel_file!("fix/spring_self.cl"))
        })
    }

    fn memory(&self) -> Cow<'_, [f64]> {
        Cow::Borrowed(self.origins.as_flattened())
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn varies(&self) -> bool {
        matches!(self.k, Quantity::Variable(_))
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let k = now.value(&self.k)?;
        if k < 0.0 {
            return Err(Error::new(format!("the force constant is {k} at step {}", now.step))
                .help("give the variable a formula that is never less than 0"));
        }
        Ok(self.counts.map(|counts| counts * k).to_vec())
    }
}

impl HostFix for SpringSelf {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        origins::check(&self.origins, context)
    }
}

impl FixMemory for SpringSelf {
    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.origins.concat())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.origins = origins::restored(numbers)?;
        Ok(())
    }

    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        origins::renumber(&mut self.origins, ids);
    }

    fn atoms_added(&mut self, new: &Atoms) -> Result<()> {
        origins::add(&mut self.origins, new);
        Ok(())
    }
}
