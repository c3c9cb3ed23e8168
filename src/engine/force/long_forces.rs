//! Forces of long pairs (cl/force/long_pairs.cl), which the neighbour loop adds to its own.

use super::program::long_program;
use crate::base::error::Result;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::Context;
use crate::engine::neighbor::Neighbor;
use crate::engine::neighbor::long_lists::LongLists;
use crate::engine::neighbor::long_pairs::LongPairs;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Kernel};
use crate::potentials::pair::Coefficients;

/// Work-items per core of a CPU that share out the atoms near owners.
const SHARES: usize = 8;

/// The kernels without and with tallies, and what they leave of each atom.
pub(in crate::engine) struct LongForces {
    rows: [Kernel; 2],
    others: [Kernel; 2],
    force: Floats,
    /// Energy, virial, and the part of the energy that charges have.
    tally: Floats,
    /// Work-items of a row.
    group: usize,
}

impl LongForces {
    /// For up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(in crate::engine) fn new(
        context: &Context,
        coefficients: &Coefficients<'_>,
        pairs: &LongPairs,
        n: usize,
    ) -> Result<Self> {
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        let [group, vector] = LongLists::group_and_vector(context, pairs);
        let program = |tally| long_program(context, coefficients, tally, [group, vector]);
        let programs = [program(0)?, program(1)?];
        let kernels = |name| -> Result<[Kernel; 2]> {
            let [forces, tallies] = &programs;
            Ok([forces.kernel(name)?, tallies.kernel(name)?])
        };
        Ok(LongForces {
            rows: kernels("long_rows")?,
            others: kernels("long_others")?,
            force: Floats::new(gpu, "forces of long pairs", 3 * n, wide)?,
            tally: Floats::new(gpu, "tallies of long pairs", 8 * n, wide)?,
            group,
        })
    }

    /// Enqueues them for the positions of `atoms.step`, with coefficients per ordered pair of types; `seen` are INPUT_ARGUMENTS of
    /// cl/force/pair_inputs.cl.
    ///
    /// # Errors
    /// When the device fails.
    pub(in crate::engine) fn launch(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        table: &Floats,
        seen: &[Arg<'_>],
        tally: bool,
    ) -> Result<()> {
        let Some(lists) = &neighbor.long else { return Ok(()) };
        let first = [
            (&atoms.packed).into(),
            (&lists.held).into(),
            table.arg(),
            (&neighbor.cells().box_buffer).into(),
            self.force.arg(),
            self.tally.arg(),
            (&atoms.status).into(),
            atoms.step.into(),
        ];
        let rows =
            [(&lists.owners).into(), (&lists.rows).into(), (&lists.entries).into(), (&lists.counts).into()];
        let args = [&first[..], &rows, seen].concat();
        let tally = usize::from(tally);
        self.rows[tally].launch(Section::Pair, lists.owners.len() * self.group, self.group, &args)?;
        let others = [
            (&lists.near_owners).into(),
            Arg::U32(lists.near_room as u32),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(atoms.n as u32),
        ];
        let args = [&first[..], &others, seen].concat();
        let (shape, units) = (atoms.context.shape, atoms.context.gpu.info().units as usize);
        match self.group {
            1 => self.others[tally].launch(Section::Pair, SHARES * units, 1, &args),
            _ => self.others[tally].launch_each(Section::Pair, atoms.n, shape.local, &args),
        }
    }

    /// LONG_ARGUMENT of cl/force/pair_inputs.cl.
    pub(in crate::engine) fn args<'a>(&'a self, neighbor: &'a Neighbor) -> impl Iterator<Item = Arg<'a>> {
        let held = neighbor.long.iter().map(|lists| Arg::from(&lists.held));
        held.chain([self.force.arg(), self.tally.arg()])
    }
}
