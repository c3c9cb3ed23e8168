//! What a minimization does with all atoms at once, on the device (cl/step/minimize.cl): moves, directions, and the few numbers of
//! them that a search decides by. While it lasts, nothing of a system's size comes to the host.

use crate::base::error::Result;
use crate::engine::device_atoms::{Floats, accum, real};
use crate::engine::kernels::{MINIMIZE, Numerics};
use crate::engine::simulation::Simulation;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};

/// Kernels and vectors of a search. Vectors are of 3 numbers per atom.
pub struct Vectors {
    give: Kernel,
    keep: Kernel,
    go: Kernel,
    damp: Kernel,
    sums: Kernel,
    turn: Kernel,
    /// By ID where the numbers of an atom are, or, of sparse IDs, those in order.
    slots: Buffer<u32>,
    sparse: bool,
    /// Master positions and packed image counts where a search along a line began.
    start: Buffer<i64>,
    start_image: Buffer<i64>,
    direction: Floats,
    /// Forces when the direction was chosen.
    gradient: Floats,
    /// Of the box since the search began ([`Carried`]).
    map: Floats,
    partial: Floats,
    /// Atoms that there is room for; of damped motion, which needs no vectors but velocities, none.
    atoms: usize,
    numerics: Numerics,
}

/// How the box takes atoms along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Carried {
    /// Lower corners of the box before and now.
    pub lo: [[f64; 3]; 2],
    /// Edges now over edges before.
    pub longer: [f64; 3],
    /// By how much x follows y, x follows z and y follows z, per length.
    pub aside: [f64; 3],
    /// Bits of the groups whose atoms go along.
    pub mask: u32,
}

/// A step of damped motion, in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damped {
    /// The time to go along the velocity first.
    pub back: f64,
    /// Whether the velocity is then forgotten.
    pub rest: bool,
    /// What it grows by, per force over mass.
    pub first: f64,
    /// Its share in the next one.
    pub keep: f64,
    /// That of the force.
    pub turn: f64,
    /// What no component goes beyond; 0: none.
    pub fastest: f64,
    /// The time to go along it.
    pub drift: f64,
    /// What it grows by at the end.
    pub last: f64,
}

impl Default for Damped {
    fn default() -> Self {
        Damped {
            back: 0.0,
            rest: false,
            first: 0.0,
            keep: 1.0,
            turn: 0.0,
            fastest: 0.0,
            drift: 0.0,
            last: 0.0,
        }
    }
}

/// Numbers that a group of work-items leaves of all its atoms: the first [`ADDED`] add up, of the others the largest counts.
const ACCUMULATE: usize = 12;
const ADDED: usize = 8;

/// Of the forces f on all atoms, with the direction or the velocities a and, of a search along lines, the gradient b.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// f f.
    pub force_squared: f64,
    /// f a.
    pub along: f64,
    /// f b.
    pub before: f64,
    /// a a.
    pub squared: f64,
    /// Pair energy.
    pub energy: f64,
    /// Bond energy.
    pub bond_energy: f64,
    /// Whether all of this is void, as the device has halted.
    pub halted: bool,
    /// Largest component of f.
    pub largest_force: f64,
    /// Square of the longest force on an atom.
    pub longest_force_squared: f64,
    /// Largest component of a.
    pub largest: f64,
    /// Largest component of f / m.
    pub largest_push: f64,
}

impl Vectors {
    /// For searches along `lines` or for damped motion from where a simulation is; `boxes_change`: where a fix changes the box.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(simulation: &mut Simulation, lines: bool, boxes_change: bool) -> Result<Self> {
        let resident = &simulation.atoms;
        let n = if lines { resident.n } else { 0 };
        let mut tags = resident.arrays.tag.read(Section::Modify, 0..n)?;
        // Where a table by ID would be holes for the most part, slots are in the order of the IDs.
        let rows = crate::model::atoms::rows_by_id(&tags).ok();
        let vectors = Vectors::with_room(simulation, [n, rows.unwrap_or(n)], rows.is_none(), boxes_change)?;
        if rows.is_none() {
            tags.sort_unstable();
            vectors.slots.write(Section::Modify, 0, &tags)?;
        } else if lines {
            let args = [(&resident.arrays.tag).into(), (&vectors.slots).into(), Arg::U32(n as u32)];
            vectors.give.launch_each(Section::Modify, n, resident.context.shape.local, &args)?;
        }
        vectors.warm_up(simulation, lines)?;
        Ok(vectors)
    }

    /// Launches everything once, as some runtimes compile at the first launch: behind a halt nothing moves. The first direction
    /// is that of the forces.
    pub(super) fn warm_up(&self, simulation: &mut Simulation, lines: bool) -> Result<()> {
        let step = std::mem::replace(&mut simulation.atoms.step, 1);
        simulation.atoms.halt_now()?;
        if lines {
            self.keep_start(simulation)?;
            self.turn(simulation, 0.0)?;
            self.go_along(simulation, 0.0, None)?;
        } else {
            self.move_damped(simulation, &Damped::default())?;
        }
        self.sums(simulation)?;
        simulation.atoms.step = step;
        simulation.atoms.run_on()
    }

    /// With room for so many atoms and IDs.
    fn with_room(
        simulation: &Simulation,
        [atoms, ids]: [usize; 2],
        sparse: bool,
        boxes_change: bool,
    ) -> Result<Self> {
        let context = &simulation.atoms.context;
        let (gpu, numerics) = (&context.gpu, context.numerics);
        let defines = context.defines();
        let defines = if boxes_change { defines.set("BOX_CHANGES", 1) } else { defines };
        let defines = if sparse { defines.set("SPARSE_IDS", 1) } else { defines };
        let program = context.program_with(&[MINIMIZE], &defines)?;
        let vector = |name| Floats::new(gpu, name, 3 * atoms.max(1), numerics.wide());
        Ok(Vectors {
            give: program.kernel("give_slots")?,
            keep: program.kernel("keep_start")?,
            go: program.kernel("go_along")?,
            damp: program.kernel("move_damped")?,
            sums: program.kernel("search_sums")?,
            turn: program.kernel("turn_direction")?,
            slots: gpu.buffer("slots of IDs", ids.max(1))?,
            start: gpu.buffer("where a search began", 3 * atoms.max(1))?,
            start_image: gpu.buffer("images where a search began", atoms.max(1))?,
            direction: vector("direction of a search")?,
            gradient: vector("gradient of a search")?,
            map: Floats::new(gpu, "the way of a box", 12, numerics.wide())?,
            partial: Floats::new(
                gpu,
                "sums of a search",
                ACCUMULATE * context.shape.reduce_groups,
                numerics.wide(),
            )?,
            sparse,
            atoms,
            numerics,
        })
    }

    /// Kernels for a simulation that has been set up anew; the vectors stay.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn follow(&mut self, simulation: &Simulation, boxes_change: bool) -> Result<()> {
        let (then, now) = (self.numerics, simulation.atoms.context.numerics);
        if !now.wide() && now.modulus != then.modulus {
            // Fixed point in other units.
            let mut start = self.start.read(Section::Modify, 0..3 * self.atoms)?;
            for (k, x) in start.iter_mut().enumerate() {
                *x = now.to_master(then.from_master(*x, k % 3), k % 3);
            }
            self.start.write(Section::Modify, 0, &start)?;
        }
        let Vectors { give, keep, go, damp, sums, turn, partial, .. } =
            Vectors::with_room(simulation, [0, 0], self.sparse, boxes_change)?;
        (self.give, self.keep, self.go, self.damp, self.sums, self.turn) = (give, keep, go, damp, sums, turn);
        (self.partial, self.numerics) = (partial, now);
        Ok(())
    }

    /// A search along a line begins here.
    ///
    /// # Errors
    /// When the device fails.
    pub fn keep_start(&self, simulation: &Simulation) -> Result<()> {
        let (atoms, columns) = (&simulation.atoms, &simulation.atoms.arrays);
        let args = [
            (&columns.x).into(),
            (&columns.image).into(),
            (&columns.tag).into(),
            (&self.slots).into(),
            (&self.start).into(),
            (&self.start_image).into(),
            Arg::U32(atoms.n as u32),
        ];
        self.keep.launch_each(Section::Modify, atoms.n, atoms.context.shape.local, &args)
    }

    /// Atoms are put at start + `alpha` direction, after the box has taken them along. One that the list does not serve there
    /// halts the run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn go_along(&self, simulation: &Simulation, alpha: f64, carried: Option<Carried>) -> Result<()> {
        if let Some(Carried { lo: [from, to], longer, aside, .. }) = carried {
            self.map.write(Section::Modify, [from, to, longer, aside].as_flattened())?;
        }
        let (atoms, columns) = (&simulation.atoms, &simulation.atoms.arrays);
        let rest = [
            (&columns.image).into(),
            (&columns.tag).into(),
            (&columns.mask).into(),
            (&self.slots).into(),
            (&self.start).into(),
            (&self.start_image).into(),
            self.direction.arg(),
            accum(atoms.context.numerics, alpha),
            self.map.arg(),
            Arg::U32(carried.map_or(0, |carried| carried.mask)),
        ];
        Vectors::put(&self.go, simulation, &rest)
    }

    /// Damped motion goes on. An atom that the list does not serve there halts the run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn move_damped(&self, simulation: &Simulation, step: &Damped) -> Result<()> {
        let numerics = simulation.atoms.context.numerics;
        let [back, first, keep, turn, fastest, drift, last] =
            [step.back, step.first, step.keep, step.turn, step.fastest, step.drift, step.last]
                .map(|x| accum(numerics, x));
        let rest = [
            simulation.atoms.arrays.v.arg(),
            simulation.atoms.force.arg(),
            simulation.reductions.masses().arg(),
            back,
            i32::from(step.rest).into(),
            first,
            keep,
            turn,
            fastest,
            drift,
            last,
        ];
        Vectors::put(&self.damp, simulation, &rest)
    }

    /// Launches a kernel that puts the atoms somewhere; `rest` are its arguments behind PLACE_ARGUMENTS.
    fn put(kernel: &Kernel, simulation: &Simulation, rest: &[Arg<'_>]) -> Result<()> {
        let Simulation { atoms, neighbor, step_kernels, .. } = simulation;
        let (_, trigger) = neighbor.watch(atoms.step);
        let places = [
            (&atoms.arrays.x).into(),
            (&atoms.arrays.kind).into(),
            (&atoms.packed).into(),
            (&atoms.x_hold).into(),
            (&neighbor.cells().box_buffer).into(),
            (&atoms.status).into(),
            atoms.step.into(),
            real(atoms.context.numerics, trigger),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(atoms.n as u32),
        ];
        let args = [&places[..], rest].concat();
        kernel.launch_each(Section::Modify, atoms.n, atoms.context.shape.local, &args)?;
        // Velocities that pair styles see stand beside the staged positions.
        if neighbor.velocities.is_some() { step_kernels.restage(atoms, neighbor) } else { Ok(()) }
    }

    /// What searches decide by.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(&self, simulation: &Simulation) -> Result<Sums> {
        let atoms = &simulation.atoms;
        let shape = atoms.context.shape;
        let (groups, local, lines) = (shape.reduce_groups, shape.reduce_local, self.atoms > 0);
        let velocities = &atoms.arrays.v;
        let [a, b] = if lines { [&self.direction, &self.gradient] } else { [velocities; 2] };
        let args = [
            atoms.force.arg(),
            simulation.step_kernels.tally.arg(),
            (&atoms.arrays.tag).into(),
            (&self.slots).into(),
            (&atoms.arrays.kind).into(),
            simulation.reductions.masses().arg(),
            a.arg(),
            b.arg(),
            i32::from(lines).into(),
            self.partial.arg(),
            (&atoms.status).into(),
            atoms.step.into(),
            Arg::U32(atoms.n as u32),
        ];
        self.sums.launch(Section::Modify, groups * local, local, &args)?;
        let partial = self.partial.read_agreed(Section::Modify, ACCUMULATE * groups)?;
        let mut total = [0.0_f64; ACCUMULATE];
        for group in partial.chunks_exact(ACCUMULATE) {
            for (k, (total, x)) in total.iter_mut().zip(group).enumerate() {
                *total = if k < ADDED { *total + x } else { total.max(*x) };
            }
        }
        let [force_squared, along, before, squared, energy, bond_energy, halted, _, rest @ ..] = total;
        let [largest_force, longest_force_squared, largest, largest_push] = rest;
        Ok(Sums {
            force_squared,
            along,
            before,
            squared,
            energy,
            bond_energy,
            halted: halted != 0.0,
            largest_force,
            longest_force_squared,
            largest,
            largest_push,
        })
    }

    /// The direction becomes force + `beta` direction, the gradient the force.
    ///
    /// # Errors
    /// When the device fails.
    pub fn turn(&self, simulation: &Simulation, beta: f64) -> Result<()> {
        let atoms = &simulation.atoms;
        let args = [
            atoms.force.arg(),
            (&atoms.arrays.tag).into(),
            (&self.slots).into(),
            self.direction.arg(),
            self.gradient.arg(),
            accum(atoms.context.numerics, beta),
            Arg::U32(atoms.n as u32),
        ];
        self.turn.launch_each(Section::Modify, atoms.n, atoms.context.shape.local, &args)
    }
}
