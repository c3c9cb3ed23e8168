//! What the kernels of a step are given.

use super::StepKernels;
use crate::base::error::Result;
use crate::engine::comm::Blocks;
use crate::engine::device_atoms::{DeviceAtoms, Floats, real};
use crate::engine::force::passes::Passes;
use crate::engine::neighbor::Neighbor;
use crate::engine::neighbor::bond_map::BondMap;
use crate::engine::neighbor::list::Page;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Kernel};

/// Noise between atoms.
pub(super) struct Noise {
    pub(super) seed: u32,
    /// (Boltzmann's constant / time step)^(1/2).
    pub(super) unit: f64,
    /// Its temperature at the first and at the last step of a span, over that of the coefficients.
    pub(super) heat: [f64; 2],
    pub(super) span: [i64; 2],
}

impl Noise {
    /// The unit of the noise at a step.
    fn unit_at(&self, step: i64) -> f64 {
        let [first, last] = self.span;
        let passed = if last > first { (step - first) as f64 / (last - first) as f64 } else { 0.0 };
        let [begin, end] = self.heat;
        self.unit * (begin + passed.clamp(0.0, 1.0) * (end - begin)).sqrt()
    }
}

impl StepKernels {
    /// INPUT_ARGUMENTS of cl/force/pair_inputs.cl, where the kernels have them.
    pub(super) fn pair_input_args<'a>(&'a self, atoms: &DeviceAtoms, neighbor: &'a Neighbor) -> Vec<Arg<'a>> {
        let mut args = self.visible_args(atoms, neighbor);
        args.extend(self.passes.iter().flat_map(Passes::args));
        args.extend(self.long.iter().flat_map(|long| long.args(neighbor)));
        args
    }

    /// Those of them that do not come from passes.
    pub(super) fn visible_args<'a>(&'a self, atoms: &DeviceAtoms, neighbor: &'a Neighbor) -> Vec<Arg<'a>> {
        let mut args: Vec<_> = neighbor.charges.iter().map(|charges| charges.by_place.arg()).collect();
        if let (Some(velocities), Some(noise)) = (&neighbor.velocities, &self.noise) {
            let unit = real(atoms.context.numerics, noise.unit_at(self.origin + i64::from(atoms.step)));
            let seed = noise.seed.into();
            args.extend([velocities.beside(atoms, false).into(), seed, Arg::I64(self.origin), unit]);
        }
        args.extend(neighbor.given.iter().map(|given| given.by_place.arg()));
        args
    }

    /// MOLECULE_ARGUMENTS of cl/force/bonds.cl, where the kernels have them.
    pub(super) fn molecule_args<'a>(
        &'a self,
        atoms: &'a DeviceAtoms,
        neighbor: &'a Neighbor,
    ) -> Vec<Arg<'a>> {
        match neighbor.links.as_ref().filter(|_| self.molecules) {
            Some(BondMap { bonds, special, .. }) => vec![
                (&bonds.by_place).into(),
                self.bond_table.arg(),
                (&special.by_place).into(),
                (&atoms.arrays.tag).into(),
            ],
            None => Vec::new(),
        }
    }

    /// ATOM_ARGUMENTS of cl/step/integrate.cl, with the parameters of a step and of the one after it.
    pub(super) fn atom_args<'a>(&'a self, atoms: &'a DeviceAtoms, step: u32) -> [Arg<'a>; 12] {
        let columns = &atoms.arrays;
        [
            (&columns.x).into(),
            columns.v.arg(),
            (&columns.kind).into(),
            (&columns.mask).into(),
            (&columns.tag).into(),
            (&columns.image).into(),
            self.parameters.buffer.arg(),
            Arg::U32(self.parameters.row(step)),
            Arg::U32(self.parameters.row(step + 1)),
            self.memory.arg(),
            (&self.counts).into(),
            Arg::I64(self.origin),
        ]
    }

    /// Launches a kernel that moves atoms, whose arguments begin as those of `end_of_step` of cl/step/step.cl do, with the parameters of a step
    /// and of the one after it. `looks`: displacements are looked at where that is due.
    pub(super) fn launch_moving(
        &self,
        kernel: &Kernel,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        (step, looks): (u32, bool),
        more: &[Arg<'_>],
    ) -> Result<()> {
        let ((watched, trigger), moved) = (neighbor.watch(atoms.step), neighbor.moved(atoms));
        let rest = [
            atoms.force.arg(),
            (&atoms.packed).into(),
            (&atoms.x_hold).into(),
            (&neighbor.cells().box_buffer).into(),
            (&atoms.status).into(),
            atoms.step.into(),
            real(atoms.context.numerics, trigger),
            i32::from(looks && watched).into(),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(moved.start as u32),
            Arg::U32(moved.end as u32),
        ];
        let mut args = [&self.atom_args(atoms, step)[..], &rest].concat();
        args.extend(moved_velocities(atoms, neighbor, false));
        args.extend(more.iter().copied());
        kernel.launch_each(Section::Modify, moved.len(), atoms.context.shape.local, &args)
    }
}

/// VELOCITY_MOVED of cl/step/step.cl, where the kernels have it: beside the positions that they stage.
pub(super) fn moved_velocities<'a>(
    atoms: &DeviceAtoms,
    neighbor: &'a Neighbor,
    next: bool,
) -> Option<Arg<'a>> {
    neighbor.velocities.as_ref().map(|velocities| velocities.beside(atoms, next).into())
}

/// What a loop of cl/force/loop_*.cl goes over.
#[derive(Clone, Copy)]
pub(in crate::engine) enum Over<'a> {
    /// The lists, in their layout.
    Lists,
    /// Atoms, as forces do not come from pairs.
    Atoms,
    /// The same in work-groups of so many.
    ListsBy(usize),
    /// Lists in tiles, of some blocks.
    Blocks(&'a Blocks),
}

/// Launches a kernel of cl/force/loop_*.cl for every page of the list; `rest` are the arguments after the number of parts.
pub(in crate::engine) fn over_pages(
    kernel: &Kernel,
    over: Over<'_>,
    table: &Floats,
    atoms: &DeviceAtoms,
    neighbor: &Neighbor,
    rest: &[Arg<'_>],
) -> Result<()> {
    let mut pages = neighbor.list.pages.iter();
    pages.try_for_each(|page| over_page(kernel, (over, None), page, table, atoms, neighbor, rest))
}

/// The same for one page, where the launch may make `several` steps and counts as so many calls.
pub(super) fn over_page(
    kernel: &Kernel,
    (over, several): (Over<'_>, Option<u32>),
    page: &Page,
    table: &Floats,
    atoms: &DeviceAtoms,
    neighbor: &Neighbor,
    rest: &[Arg<'_>],
) -> Result<()> {
    let (list, cells) = (&neighbor.list, neighbor.cells());
    let n = page.n.min(atoms.n.saturating_sub(page.first));
    let shape = atoms.context.shape;
    let (items, local) = match (several, over) {
        (Some(_), _) => shape.items_of_several(n),
        (None, Over::Atoms) => (n, shape.local),
        (None, Over::Lists) => shape.pair_items(n, cells.blocks),
        (None, Over::ListsBy(local)) => (shape.pair_items(n, cells.blocks).0, local),
        (None, Over::Blocks(blocks)) => shape.pair_items(n, blocks.count),
    };
    let (blocks, centers) = match over {
        Over::Blocks(blocks) => (&blocks.table, &blocks.centers),
        _ => (&cells.block_table, &cells.centers),
    };
    let args = [
        (&atoms.packed).into(),
        (&page.entries).into(),
        (&list.neighbors).into(),
        blocks.into(),
        centers.into(),
        (&list.tiles).into(),
        table.arg(),
        (&cells.box_buffer).into(),
        Arg::U32(page.first as u32),
        Arg::U32(n as u32),
        Arg::U32(list.rows as u32),
        Arg::U32(atoms.capacity as u32),
        Arg::U32(list.tile_parts as u32),
    ];
    kernel.launch_as(several.unwrap_or(1), Section::Pair, items, local, &[&args, rest].concat())
}
