//! The atoms on the device: buffers per property, upload and download.

mod floats;
mod halt;
mod image;

pub use floats::{Floats, accum, real};
pub use halt::Halt;
use image::flipped;
pub use image::{pack_image, unpack_image};

use crate::base::error::Result;
use crate::base::parallel;
use crate::base::ranks;
use crate::engine::kernels::{Context, Numerics};
use crate::gpu::record::Section;
use crate::gpu::{Buffer, Gpu};
use crate::model::atoms::Atoms;
use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

/// Sets `n` values by their places.
fn fill<T: Copy + Default + Send>(values: &mut Vec<T>, n: usize, value: impl Fn(usize) -> T + Sync + Send) {
    values.resize(n, T::default());
    parallel::set(values, value);
}

/// The properties that move with an atom when the order changes.
pub struct AtomArrays {
    /// Master positions, 3 per atom: bits of f64 or fixed point ([`Numerics::to_master`]).
    pub x: Buffer<i64>,
    /// Velocities, 3 per atom.
    pub v: Floats,
    /// Packed image counts (cl/neighbor/cells.cl).
    pub image: Buffer<i64>,
    /// Atom IDs.
    pub tag: Buffer<u32>,
    /// Types, from 1.
    pub kind: Buffer<u32>,
    /// Group bits.
    pub mask: Buffer<u32>,
}

impl AtomArrays {
    fn new(gpu: &Gpu, numerics: Numerics, n: usize) -> Result<Self> {
        Ok(AtomArrays {
            x: gpu.buffer("x", 3 * n)?,
            v: Floats::new(gpu, "v", 3 * n, numerics.wide())?,
            image: gpu.buffer("image", n)?,
            tag: gpu.buffer("tag", n)?,
            kind: gpu.buffer("type", n)?,
            mask: gpu.buffer("mask", n)?,
        })
    }
}

/// Dummy positions that pad neighbour lists (cl/neighbor/stencil.cl).
pub const DUMMIES: usize = 8;

/// The atoms on the device, in cell order.
pub struct DeviceAtoms {
    /// The device and its numerics.
    pub context: Context,
    /// Number of atoms.
    pub n: usize,
    /// What moves with the atoms.
    pub arrays: AtomArrays,
    /// Where [`AtomArrays`] are permuted to; the two change places.
    pub arrays_back: AtomArrays,
    /// Forces, 3 per atom.
    pub force: Floats,
    /// Staged positions: as many copies of the atoms as [`Context::copies`] says, `capacity` apart, then
    /// dummies.
    pub packed: Buffer<u32>,
    /// Where a whole step stages the positions of the next one; the two change places.
    pub packed_next: Buffer<u32>,
    /// Staged positions of the list, from where displacements count: as many as of [`DeviceAtoms::packed`], or in a leaning box
    /// in double precision one for each atom, in space. (Those of the list are where the atoms are, then.)
    pub x_hold: Buffer<u32>,
    /// Number of each atom's cell when the list was built.
    pub cell_of_atom: Buffer<u32>,
    /// Atoms that there is room for.
    pub capacity: usize,
    /// Which of the buffers that change places are where.
    pub parity: BufferParity,
    /// What kernels tell the host; see [`status`].
    pub status: Buffer<u32>,
    /// The step that is being enqueued, counted from the run's setup; while cycles are enqueued, the cycle ([`status::CYCLES`]).
    pub step: u32,
    /// The last cycle that was enqueued.
    pub cycle: u32,
    /// Memory for the next download.
    scratch: Rc<Cell<Atoms>>,
}

/// Atoms as they were on the device, in memory that is used again.
pub struct Borrowed {
    atoms: Atoms,
    from: Rc<Cell<Atoms>>,
}

impl Deref for Borrowed {
    type Target = Atoms;

    fn deref(&self) -> &Atoms {
        &self.atoms
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.from.set(std::mem::take(&mut self.atoms));
    }
}

/// Whether buffers that change places have done so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferParity {
    /// [`DeviceAtoms::packed`] and [`DeviceAtoms::packed_next`].
    pub position: bool,
    /// [`DeviceAtoms::arrays`] and [`DeviceAtoms::arrays_back`].
    pub columns: bool,
}

/// Words of [`DeviceAtoms::status`] (cl/common/common.cl).
pub mod status {
    /// Atoms still inside the box.
    pub const KEPT: usize = 0;
    /// Longest neighbour list, where one was too long.
    pub const LONGEST: usize = 1;
    /// Lowest bit: some position is not a number. The others: how many atoms are too far away for any box.
    pub const BAD: usize = 2;
    /// Words that all tiles take together.
    pub const TILES: usize = 3;
    /// Parts of the largest tile, where it had too many.
    pub const TILE_PARTS: usize = 4;
    /// The step at which the host must act, [`NEVER`] if none.
    pub const HALT: usize = 5;
    /// What is the matter with some bond: bits of BOND_... of cl/common/common.cl.
    pub const BONDS: usize = 6;
    /// The least ID of an atom whose bond stops the run, [`NEVER`] if none.
    pub const ATOM: usize = 7;
    /// Not 0: the work-groups of a launch did not come together (cl/step/barrier.cl), which was to make steps or [`APART_IN_ORDER`].
    pub const APART: usize = 8;
    /// The order of the atoms.
    pub const APART_IN_ORDER: u32 = 2;
    /// None of both: faces of the box would follow the atoms in a rebuild that the device was to do by itself.
    pub const APART_FACES: u32 = 3;
    /// The cycle that is under way (cl/common/common.cl).
    pub const CYCLE: usize = 9;
    /// Where the steps are at which the last [`LOGGED`] cycles began.
    pub const LOG: usize = 11;
    /// How many cycles are remembered.
    pub const LOGGED: usize = 32;
    /// Not 0: so many neighbours within the cutoff, for which an atom has no room (cl/force/partial_forces.cl).
    pub const SLOTS: usize = LOG + LOGGED;
    /// Not 0: the density of some atom went beyond its table (cl/force/first_pass.cl).
    pub const DENSE: usize = SLOTS + 1;
    /// How many words there are.
    pub const WORDS: usize = DENSE + 1;
    /// The first cycle; steps are fewer.
    pub const CYCLES: u32 = 1 << 31;
    /// No step.
    pub const NEVER: u32 = u32::MAX;
}

/// Bytes per atom that [`DeviceAtoms`] takes.
pub fn bytes_per_atom(numerics: Numerics) -> usize {
    let float = |wide| if wide { 8 } else { 4 };
    2 * (24 + 3 * float(numerics.wide()) + 8 + 12)
        + 3 * float(numerics.wide_pairs())
        + 3 * 4 * numerics.staged_words()
        + 4
}

impl DeviceAtoms {
    /// Copies the atoms to the device.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, atoms: &Atoms) -> Result<Self> {
        let (n, copies) = (atoms.len(), context.copies);
        let (gpu, numerics) = (&context.gpu, context.numerics);
        let words = numerics.staged_words();
        let resident = DeviceAtoms {
            context: context.clone(),
            n,
            arrays: AtomArrays::new(gpu, numerics, n)?,
            arrays_back: AtomArrays::new(gpu, numerics, n)?,
            force: Floats::new(gpu, "force", 3 * n, numerics.wide_pairs())?,
            packed: gpu.buffer("staged positions", (n * copies + DUMMIES) * words)?,
            packed_next: gpu.buffer("moved positions", (n * copies + DUMMIES) * words)?,
            x_hold: gpu.buffer("positions at build", n * copies * words)?,
            cell_of_atom: gpu.buffer("home cells", n)?,
            capacity: n,
            parity: BufferParity::default(),
            status: gpu.buffer("status", status::WORDS)?,
            step: 0,
            cycle: status::CYCLES,
            scratch: Rc::default(),
        };
        resident.write_dummies()?;
        resident.run_on()?;
        resident.forget_apart()?;
        resident.status.write(Section::Neigh, status::CYCLE, &[0])?;
        let columns = &resident.arrays;
        columns.x.fill(Section::Comm, 0..3 * n, |out| {
            let coordinates = atoms.x.iter().flatten().enumerate();
            out.iter_mut().zip(coordinates).for_each(|(out, (k, &x))| *out = numerics.to_master(x, k % 3));
        })?;
        columns.v.write(Section::Comm, bytemuck::cast_slice(&atoms.v))?;
        columns.image.fill(Section::Comm, 0..n, |out| {
            out.iter_mut().zip(&atoms.image).for_each(|(out, &image)| *out = pack_image(image));
        })?;
        columns.tag.write(Section::Comm, 0, &atoms.tag)?;
        columns.kind.write(Section::Comm, 0, &atoms.kind)?;
        columns.mask.write(Section::Comm, 0, &atoms.mask)?;
        Ok(resident)
    }

    /// Forgets that work-groups did not come together.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forget_apart(&self) -> Result<()> {
        self.status.write(Section::Neigh, status::APART, &[0])
    }

    /// Lifts a halt.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run_on(&self) -> Result<()> {
        self.status.write(Section::Neigh, status::HALT, &[status::NEVER])
    }

    /// Forgets what kernels have said of bonds.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forget_bonds(&self) -> Result<()> {
        self.status.write(Section::Neigh, status::BONDS, &[0, status::NEVER])
    }

    /// Whether the density of some atom has gone beyond its table, on any rank.
    ///
    /// # Errors
    /// When the device fails.
    pub fn dense(&self) -> Result<bool> {
        let seen = self.status.read(Section::Neigh, status::DENSE..status::WORDS)?;
        Ok(ranks::max([seen[0].into()]) != [0])
    }

    /// Goes on from atoms of which that is so.
    ///
    /// # Errors
    /// When the device fails.
    pub fn note_dense(&self) -> Result<()> {
        self.status.write(Section::Neigh, status::DENSE, &[1])
    }

    /// Halts at step 0: nothing that is enqueued has an effect until the halt is lifted.
    ///
    /// # Errors
    /// When the device fails.
    pub fn halt_now(&self) -> Result<()> {
        self.status.write(Section::Neigh, status::HALT, &[0])
    }

    /// [`DeviceAtoms::packed`] and [`DeviceAtoms::packed_next`] change places.
    pub fn swap_positions(&mut self) {
        std::mem::swap(&mut self.packed, &mut self.packed_next);
        self.parity.position ^= true;
    }

    /// [`DeviceAtoms::arrays`] and [`DeviceAtoms::arrays_back`] change places.
    pub fn swap_columns(&mut self) {
        std::mem::swap(&mut self.arrays, &mut self.arrays_back);
        self.parity.columns ^= true;
    }

    /// Puts the buffers where they were.
    pub fn go_back(&mut self, places: BufferParity) {
        if self.parity.position != places.position {
            self.swap_positions();
        }
        if self.parity.columns != places.columns {
            self.swap_columns();
        }
    }

    /// Staged positions that lists are made of.
    pub fn predicted(&self) -> &Buffer<u32> {
        let numerics = self.context.numerics;
        if numerics.triclinic && numerics.wide_pairs() { &self.packed } else { &self.x_hold }
    }

    /// The place of the first dummy.
    pub fn dummies(&self) -> usize {
        self.capacity * self.context.copies
    }

    /// The corners of half the modulus, so that one is far from any atom. In double precision differences
    /// along an axis without images are not brought to the nearest one: simply far away there.
    ///
    /// # Errors
    /// When the device fails.
    pub fn write_dummies(&self) -> Result<()> {
        let numerics = self.context.numerics;
        let words = numerics.staged_words();
        let mut dummies = Vec::with_capacity(DUMMIES * words);
        for corner in 0..DUMMIES as u32 {
            if numerics.wide_pairs() {
                let x = std::array::from_fn(|d| match (numerics.images[d], corner >> d & 1) {
                    (false, _) => 1e10,
                    (true, bit) => f64::from(bit) * numerics.modulus[d] / 2.0,
                });
                dummies.extend(numerics.stage(x, 1));
            } else {
                dummies.extend([corner & 1, corner >> 1 & 1, corner >> 2].map(|bit| bit << 31));
                dummies.push(1);
            }
        }
        self.packed.write(Section::Comm, self.dummies() * words, &dummies)?;
        self.packed_next.write(Section::Comm, self.dummies() * words, &dummies)
    }

    /// The atoms, in the device's order. Molecule IDs and charges, which the device has not, are those that `host` has for the
    /// same IDs ([`Atoms::follow`]).
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, host: &Atoms) -> Result<Atoms> {
        let mut atoms = Atoms::default();
        self.download_into(host, &mut atoms)?;
        Ok(atoms)
    }

    /// The same in memory that goes back to where it is from: fresh memory takes longer than the copies.
    ///
    /// # Errors
    /// When the device fails.
    pub fn borrow(&self, host: &Atoms) -> Result<Borrowed> {
        let mut borrowed = Borrowed { atoms: self.scratch.take(), from: self.scratch.clone() };
        self.download_into(host, &mut borrowed.atoms)?;
        Ok(borrowed)
    }

    fn download_into(&self, host: &Atoms, atoms: &mut Atoms) -> Result<()> {
        let (n, numerics, columns) = (self.n, self.context.numerics, &self.arrays);
        columns.x.view(Section::Output, 0..3 * n, |x| {
            let position = |i: usize| std::array::from_fn(|d| numerics.from_master(x[3 * i + d], d));
            fill(&mut atoms.x, n, position);
        })?;
        columns.v.rows_into(Section::Output, n, &mut atoms.v)?;
        columns.image.view(Section::Output, 0..n, |images| {
            fill(&mut atoms.image, n, |i| unpack_image(images[i]));
        })?;
        let numbers = [
            (&columns.tag, &mut atoms.tag),
            (&columns.kind, &mut atoms.kind),
            (&columns.mask, &mut atoms.mask),
        ];
        for (column, numbers) in numbers {
            column.view(Section::Output, 0..n, |column| fill(numbers, n, |i| column[i]))?;
        }
        atoms.follow(host);
        Ok(())
    }

    /// Counts images in a box that is flipped ([`crate::model::domain::Domain::flip`]): the atoms stay where they are.
    ///
    /// # Errors
    /// When the device fails.
    pub fn flip_images(&self, by: [i32; 3]) -> Result<()> {
        let image = &self.arrays.image;
        let mut images = image.read(Section::Comm, 0..self.n)?;
        images.iter_mut().for_each(|packed| *packed = pack_image(flipped(unpack_image(*packed), by)));
        image.write(Section::Comm, 0, &images)
    }

    /// Has this rank's atoms be where rank 0's are, and move as they do.
    ///
    /// # Errors
    /// When the device fails.
    pub fn follow_first(&self) -> Result<()> {
        let columns = &self.arrays;
        let x = columns.x.read_agreed(Section::Comm, 0..3 * self.n)?;
        columns.x.write(Section::Comm, 0, &x)?;
        let v = columns.v.read_agreed(Section::Comm, 3 * self.n)?;
        columns.v.write(Section::Comm, &v)?;
        let image = columns.image.read_agreed(Section::Comm, 0..self.n)?;
        columns.image.write(Section::Comm, 0, &image)
    }

    /// Replaces the velocities, in the device's order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_velocities(&self, v: &[[f64; 3]]) -> Result<()> {
        self.arrays.v.write(Section::Modify, bytemuck::cast_slice(v))
    }

    /// Replaces the forces, in the device's order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_forces(&self, force: &[[f64; 3]]) -> Result<()> {
        self.force.write(Section::Modify, bytemuck::cast_slice(force))
    }

    /// Forces, in the device's order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forces(&self) -> Result<Vec<[f64; 3]>> {
        self.force.rows(Section::Output, self.n)
    }
}
