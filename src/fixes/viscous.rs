//! `fix viscous`: friction in proportion to the velocity (cl/fix/viscous.cl). Source: LAMMPS manual, `fix viscous`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

struct Viscous {
    header: Header,
    /// Force per velocity, per type.
    gamma: Vec<f64>,
}

/// Takes the coefficient and `scale TYPE RATIO`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let gamma = args.f64("the friction coefficient")?;
    let mut fix = Viscous { header, gamma: vec![gamma; session.types()] };
    while !args.is_empty() {
        args.one_of("fix viscous keyword", &[("scale", ())])?;
        let word = args.peek();
        let kind = args.count("an atom type", 1)? as usize;
        let ratio = args.f64("a ratio")?;
        match (fix.gamma.get_mut(kind - 1), word) {
            (Some(own), _) => *own = ratio * gamma,
            (None, Some(word)) => {
                return Err(args.error(word, format_args!("there are {} atom types", session.types())));
            }
            (None, None) => {}
        }
    }
    Ok(Box::new(fix))
}

impl Fix for Viscous {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for Viscous {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks { post_force: Some("viscous"), ..DeviceHooks::of(kernel_file!("fix/viscous.cl")) })
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(self.gamma.clone())
    }
}
