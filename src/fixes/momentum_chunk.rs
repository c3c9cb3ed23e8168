//! `fix momentum/chunk`: takes off the motion of each chunk as a whole (cl/fix/momentum_chunk.cl). Source: LAMMPS manual,
//! `fix momentum/chunk`.

use super::momentum::Stopped;
use crate::base::error::Result;
use crate::base::steps::next_multiple;
use crate::base::vector::cross;
use crate::computes::chunk_atom::chunks_of;
use crate::computes::per_chunk::chunk_id;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::atoms::rows_by_id;
use crate::model::rotation::angular_velocity;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixContext, Header, HostFix, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

struct MomentumChunk {
    header: Header,
    every: u64,
    /// The ID of a `compute chunk/atom`.
    chunks: String,
    stopped: Stopped,
    /// Whether what the device remembers is of this step.
    due: Cell<bool>,
}

/// The motion of a chunk.
#[derive(Clone, Default)]
struct Motion {
    mass: f64,
    centre: [f64; 3],
    drift: [f64; 3],
    /// xx yy zz xy yz xz of the inertia about the centre.
    inertia: [f64; 6],
    /// Angular momentum about the centre, then angular velocity.
    turn: [f64; 3],
    /// Twice the kinetic energy before and after.
    energies: [f64; 2],
}

/// Takes `N`, the chunks, `linear X Y Z` (0 or 1), `angular`, `rescale`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("the number of steps between", 1)?;
    let chunks = chunk_id(session, args)?;
    let stopped = Stopped::read("fix momentum/chunk keyword", args)?;
    Ok(Box::new(MomentumChunk { header, every, chunks, stopped, due: Cell::new(false) }))
}

impl MomentumChunk {
    /// What is taken from the velocity of each atom, by ID.
    fn changes(&self, system: &Snapshot<'_>) -> Result<Vec<[f64; 3]>> {
        let (atoms, chunks) = (system.atoms()?, chunks_of(system, &self.chunks, size_of::<Motion>())?);
        let of_atom = chunks.of_atom(system)?;
        let mut motions = vec![Motion::default(); chunks.count];
        let mut members = Vec::new();
        for i in system.indices(self.header.group, None)? {
            let Some(chunk) = (of_atom[i] as usize).checked_sub(1) else { continue };
            let (x, mass) = (system.unwrapped(i)?, system.mass(atoms.kind[i]));
            members.push((i, chunk, x, mass));
            let motion = &mut motions[chunk];
            motion.mass += mass;
            motion.centre.iter_mut().zip(x).for_each(|(sum, x)| *sum += mass * x);
            motion.drift.iter_mut().zip(atoms.v[i]).for_each(|(sum, v)| *sum += mass * v);
        }
        for motion in motions.iter_mut().filter(|motion| motion.mass > 0.0) {
            motion.centre = motion.centre.map(|x| x / motion.mass);
            motion.drift = motion.drift.map(|v| v / motion.mass);
        }
        if self.stopped.angular {
            for &(i, chunk, x, mass) in &members {
                let motion = &mut motions[chunk];
                let [x, y, z] = std::array::from_fn(|d| x[d] - motion.centre[d]);
                let parts = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -y * z, -x * z];
                motion.inertia.iter_mut().zip(parts).for_each(|(sum, part)| *sum += mass * part);
                let part = cross([x, y, z], atoms.v[i]);
                (0..3).for_each(|d| motion.turn[d] += mass * part[d]);
            }
            for motion in &mut motions {
                let [xx, yy, zz, xy, yz, xz] = motion.inertia;
                motion.turn = match motion.mass > 0.0 {
                    true => angular_velocity([xx, yy, zz], [xy, yz, xz], motion.turn),
                    false => [0.0; 3],
                };
            }
        }
        let rest = |motion: &Motion, i: usize, x: [f64; 3]| -> [f64; 3] {
            let round = cross(motion.turn, std::array::from_fn(|d| x[d] - motion.centre[d]));
            std::array::from_fn(|d| atoms.v[i][d] - self.stopped.linear[d] * motion.drift[d] - round[d])
        };
        for &(i, chunk, x, mass) in &members {
            let after = rest(&motions[chunk], i, x);
            let square = |v: [f64; 3]| mass * v.iter().map(|v| v * v).sum::<f64>();
            motions[chunk].energies[0] += square(atoms.v[i]);
            motions[chunk].energies[1] += square(after);
        }
        let mut changes = vec![[0.0; 3]; rows_by_id(&atoms.tag)?];
        for (i, chunk, x, _) in members {
            let motion = &motions[chunk];
            let factor = match motion.energies {
                [before, after] if self.stopped.rescale && after > 0.0 => (before / after).sqrt(),
                _ => 1.0,
            };
            let rest = rest(motion, i, x);
            changes[atoms.tag[i] as usize - 1] = std::array::from_fn(|d| atoms.v[i][d] - factor * rest[d]);
        }
        Ok(changes)
    }
}

impl Fix for MomentumChunk {
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

impl DeviceFix for MomentumChunk {
    fn hooks(&self) -> Option<DeviceHooks> {
        Some(DeviceHooks {
            end_with_host: Some("momentum_chunk"),
            ..DeviceHooks::of(kernel_file!("fix/momentum_chunk.cl"))
        })
    }

    fn updates_memory(&self) -> bool {
        true
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(vec![f64::from(u8::from(self.due.get()))])
    }
}

impl HostFix for MomentumChunk {
    fn next(&self, step: i64) -> Option<i64> {
        Some(next_multiple(step, self.every))
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.due.set(true);
        let changes = self.changes(&context.system())?;
        context.remember(&self.header, &changes)
    }
}
