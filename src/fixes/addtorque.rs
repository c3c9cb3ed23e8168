//! `fix ID GROUP addtorque TX TY TZ`: forces that give a group a torque about its centre of mass, as on a rigid body
//! (cl/fix/addtorque.cl). Source: LAMMPS manual, `fix addtorque`.
//!
//! With the angular velocity w and the tensor of inertia I of the group, I a = T - w x I w is the angular acceleration a, and the
//! force on an atom at r from the centre is m (a x r + w x (w x r)). They are found by the host, the forces by the device.

use super::force::Components;
use crate::base::error::Result;
use crate::base::vector::cross;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::rotation::angular_velocity;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, FixSums, Header, HostFix, StepContext};
use std::cell::Cell;

struct AddTorque {
    header: Header,
    torque: Components,
    motion: Cell<Motion>,
    measured: FixSums,
}

/// How the group turns: about which point, how fast, and what changes that.
#[derive(Clone, Copy, Default)]
struct Motion {
    centre: [f64; 3],
    turn: [f64; 3],
    change: [f64; 3],
}

/// Takes the components of the torque: numbers or equal-style variables.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let torque = Components::read(session, args, false)?;
    Ok(Box::new(AddTorque { header, torque, motion: Cell::default(), measured: FixSums::energy(3) }))
}

impl Fix for AddTorque {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }
}

impl DeviceFix for AddTorque {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            post_force: Some("addtorque"),
            ..DeviceHooks::of(kernel_file!("fix/addtorque.cl"))
        })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let Motion { centre, turn, change } = self.motion.get();
        let numbers = [centre, turn, change].concat().into_iter();
        Ok(numbers.chain([now.session.system.units.mvv2e]).chain(now.mass()).collect())
    }
}

impl HostFix for AddTorque {
    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn post_force(&self, context: &mut FixContext<'_>) -> Result<()> {
        let torque = self.torque.values(&context.moment())?;
        let mvv2e = context.session.system.units.mvv2e;
        let system = context.system();
        let members = system.of_group(self.header.group, None);
        let (centre, turn) = (members.centre()?, members.angular_velocity()?);
        let [xx, yy, zz, xy, yz, xz] = members.inertia()?;
        let momentum =
            [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].map(|row| (0..3).map(|d| row[d] * turn[d]).sum());
        let gyration = cross(turn, momentum);
        let rest = std::array::from_fn(|d| torque[d] - mvv2e * gyration[d]);
        let change = angular_velocity([xx, yy, zz], [xy, yz, xz], rest);
        self.motion.set(Motion { centre, turn, change });
        Ok(())
    }
}
