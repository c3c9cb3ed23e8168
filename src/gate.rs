//! Where the work-groups of a launch wait for one another (cl/gate.cl): in kernels for systems so small that a launch costs as
//! much as its work.

use crate::error::Result;
use crate::gpu::{Buffer, DeviceKind, Exchange};
use crate::kernels::Context;
use crate::timing::Section;

/// Words of cl/gate.cl.
const WORDS: usize = 160;

/// What kernels take for a gate where one work-group does everything, and meets nobody but itself.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn no_gate(context: &Context) -> Result<Buffer<u32>> {
    context.gpu.buffer("no gate", WORDS)
}

/// A gate, where the shape of the work wants launches with several parts, and the device's work-groups see what the others have
/// written.
///
/// # Errors
/// When the device fails or lacks memory.
pub fn gate(context: &Context) -> Result<Option<Buffer<u32>>> {
    let Context { gpu, shape, .. } = context;
    let info = gpu.info();
    let seen = shape.exchange == Exchange::Ptx || info.kind == DeviceKind::Cpu || info.is_simulator;
    if !shape.gated() || !seen {
        return Ok(None);
    }
    let gate = gpu.buffer("gate", WORDS)?;
    gate.write(Section::Comm, 0, &[0; WORDS])?;
    Ok(Some(gate))
}
