//! `fix ID GROUP store/force`: the force on each atom as the fixes before it in the script leave it (cl/fix/store_force.cl). Source:
//! LAMMPS manual, `fix store/force`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{PerAtom, Shape, Values};
use crate::session::fix::{DeviceFix, Fix, FixOutput, FixSums, Header};
use crate::session::snapshot::view::Snapshot;

struct StoreForce {
    header: Header,
    measured: FixSums,
}

pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(StoreForce { header, measured: FixSums::vector(0).with_own(3).of_atoms() }))
}

impl Fix for StoreForce {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl DeviceFix for StoreForce {
    fn hooks(&self) -> Option<DeviceHooks> {
        let hooks = DeviceHooks::of(kernel_file!("fix/store_force.cl"));
        Some(DeviceHooks { post_force: Some("store_force"), ..hooks })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }
}

impl FixOutput for StoreForce {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::per_atom(3))
    }

    /// 0 for atoms that are not in the group, and before the first forces.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        Ok(Values::per_atom(PerAtom::from_rows(&system.atoms()?.tag, &self.measured.by_atom(), 3)))
    }
}
