//! Kernel sources, and what is baked into them: numbers as kernels have them ([`Numerics`]) and the shape of the work on a
//! device ([`LaunchConfig`]).

mod launch_config;
mod numerics;
mod one_core;
pub mod options;
pub mod variants;

pub use launch_config::{LaunchConfig, Lists, SizeClass, StepNeeds};
pub use numerics::Numerics;
pub use one_core::Launches;

use crate::base::error::Result;
use crate::gpu::beyond::register_limit;
use crate::gpu::options::Precision;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::gpu::{Defines, Gpu, Program};

macro_rules! files {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub const $name: File = kernel_file!($file);)*
    };
}

files! {
    /// Switches for `clamps bench principles`.
    VARIANTS = "common/variants.cl";
    /// Types, the box, staging.
    COMMON = "common/common.cl";
    /// Vectors of one value, written out component by component.
    VECTOR_1 = "common/vector_1.cl";
    /// Of two.
    VECTOR_2 = "common/vector_2.cl";
    /// Of four, with what the words of all of these mean.
    VECTOR_4 = "common/vector_4.cl";
    /// Of eight.
    VECTOR_8 = "common/vector_8.cl";
    /// Of sixteen.
    VECTOR_16 = "common/vector_16.cl";
    /// What pair styles see of atoms, put beside their positions.
    STAGE_INPUTS = "neighbor/stage_inputs.cl";
    /// What ranks tell one another.
    HALO = "comm/halo.cl";
    /// What they tell one another of partial forces.
    SLOT_RECORDS = "comm/slots.cl";
    /// Atoms that go from rank to rank.
    MIGRATION = "comm/migration.cl";
    /// Sums that each step goes on with.
    STEP_SUMS = "comm/step_sums.cl";
    /// Radix sort and prefix sum.
    SORT = "neighbor/sort.cl";
    /// Binning, ranges, order, permutation.
    CELLS = "neighbor/cells.cl";
    /// How work-items side by side exchange values.
    EXCHANGE = "common/exchange.cl";
    /// What the work-items of an atom do together.
    LANES = "common/lanes.cl";
    /// How work-groups wait for one another.
    BARRIER = "step/barrier.cl";
    /// Layout of the neighbour list.
    LIST_LAYOUT = "neighbor/list_layout.cl";
    /// What the ways to walk cells have in common.
    CELL_ORDER = "neighbor/cell_order.cl";
    /// Rows of cells as runs.
    WALK_SHIPPED = "neighbor/walk_shipped.cl";
    /// Three loops.
    WALK_TRIPLE = "neighbor/walk_triple.cl";
    /// One loop.
    WALK_FLATTENED = "neighbor/walk_flattened.cl";
    /// Three loops that add up a number.
    WALK_INCREMENTAL = "neighbor/walk_incremental.cl";
    /// What list builders know of an atom's surroundings.
    STENCIL = "neighbor/stencil.cl";
    /// Neighbour list build on CPUs.
    BUILD_CLUSTER = "neighbor/build_cluster.cl";
    /// Entries on their way to a list in tiles.
    LIST_BUFFER = "neighbor/list_buffer.cl";
    /// Neighbour list build on GPUs, up to where the layouts part.
    BUILD = "neighbor/build.cl";
    /// The rest of it for lists in tiles.
    BUILD_TILE = "neighbor/build_tile.cl";
    /// The rest of it for plain lists.
    BUILD_PLAIN = "neighbor/build_plain.cl";
    /// Layout of the lists of long pairs.
    LONG_LAYOUT = "neighbor/long_layout.cl";
    /// Lists of long pairs.
    BUILD_LONG = "neighbor/build_long.cl";
    /// What pair styles see of atoms, in the neighbour loop.
    PAIR_INPUTS = "force/pair_inputs.cl";
    /// Noise between two atoms.
    NOISE = "force/noise.cl";
    /// Pairs as vectors, and their numbers.
    PAIRS = "force/pairs.cl";
    /// Coulomb forces that several styles have.
    COULOMB = "force/coulomb.cl";
    /// What takes potentials to zero.
    TAPER = "force/taper.cl";
    /// Tabulated functions.
    SAMPLES = "force/samples.cl";
    /// What the neighbour loop adds up to forces.
    ACCUMULATE = "force/accumulate.cl";
    /// What it adds up in a pass before the forces.
    FIRST_PASS = "force/first_pass.cl";
    /// What it finds in a pass before the forces of three bodies.
    PARTIAL_FORCES = "force/partial_forces.cl";
    /// What is made of that.
    GATHER = "force/gather.cl";
    /// What molecules add to it.
    BONDS = "force/bonds.cl";
    /// Pairs with others at places in memory.
    ADD_PLACES = "force/add_places.cl";
    /// Forces of long pairs.
    LONG_PAIRS = "force/long_pairs.cl";
    /// How places of neighbours within the cutoff are put together.
    APPEND = "force/append.cl";
    /// What all neighbour loops have in common.
    LOOP_KERNEL = "force/kernel.cl";
    /// What stands around the loop where one launch makes several steps.
    WHOLE_STEPS = "force/whole_steps.cl";
    /// Forces stay in memory.
    OUTPUT_FORCES = "force/output_forces.cl";
    /// A fused step: fixes go on with the forces.
    OUTPUT_FUSED = "force/output_fused.cl";
    /// The same up to where a fix has to know of all atoms.
    OUTPUT_COUPLED = "force/output_coupled.cl";
    /// Pairs are counted by distance.
    OUTPUT_COUNT = "force/output_count.cl";
    /// The neighbour loop over plain lists.
    LOOP_PLAIN = "force/loop_plain.cl";
    /// Over plain lists, where pairs within the cutoff are picked first.
    LOOP_PICKED = "force/loop_picked.cl";
    /// Over atoms alone.
    LOOP_ATOMS = "force/loop_atoms.cl";
    /// Over lists in tiles.
    LOOP_TILE = "force/loop_tile.cl";
    /// Over lists that the atoms of a cluster share.
    LOOP_CLUSTER = "force/loop_cluster.cl";
    /// Bonds and special neighbours by place.
    BOND_MAP = "neighbor/bond_map.cl";
    /// Random numbers by counting.
    RANDOM = "common/random.cl";
    /// An atom as fixes see it.
    INTEGRATE = "step/integrate.cl";
    /// The halves of a step around the forces.
    STEP = "step/step.cl";
    /// What fixes add up.
    FIX_SUMS = "analysis/fix_sums.cl";
    /// A fix's part of every step that needs the whole system.
    COUPLING = "step/coupling.cl";
    /// The sums and numbers that it goes on with.
    COUPLING_SUMS = "step/coupling_sums.cl";
    /// The same of sets of atoms, each by itself.
    SETS = "step/sets.cl";
    /// The box where such a fix moves it.
    FACES = "step/faces.cl";
    /// Sums over atoms.
    REDUCE = "analysis/reduce.cl";
    /// Moves and sums of a minimization.
    MINIMIZE = "step/minimize.cl";
    /// What computes and formulas add up over atoms.
    GROUP_SUMS = "analysis/group_sums.cl";
    /// Values per atom, and what is made of them.
    PER_ATOM = "analysis/per_atom.cl";
    /// The Korteweg-de Vries equation.
    KDV = "studies/kdv.cl";
    /// All pairs, by tiles in local memory.
    TILES = "studies/tiles.cl";
    /// The droplet of `clamps droplet`.
    DROPLET = "studies/droplet.cl";
    /// The periodic box of `clamps allpairs`.
    ALLPAIRS = "studies/allpairs.cl";
    /// Atomic additions of floating-point numbers by an extension of OpenCL.
    ATOMIC_EXTENSION = "common/atomic_extension.cl";
    /// By PTX.
    ATOMIC_PTX = "common/atomic_ptx.cl";
    /// By a loop.
    ATOMIC_LOOP = "common/atomic_loop.cl";
    /// Three of them.
    ATOMIC_ROW = "common/atomic_row.cl";
    /// Four numbers at once, by PTX.
    ATOMIC_PTX_VECTOR = "common/atomic_ptx_vector.cl";
    /// One force evaluation in many ways (`clamps bench force`): what its kernels have in common.
    FORCE_LAYOUT = "studies/force/layout.cl";
    /// Lanes as work-items.
    FORCE_LANES = "studies/force/lanes.cl";
    /// Lanes as components of a vector.
    FORCE_VECTOR = "studies/force/vector.cl";
    /// Only the atomic additions.
    FORCE_SCATTER = "studies/force/scatter.cl";
    /// What a device can do at most: arithmetic, reading.
    PEAK_RATES = "analysis/peak_rates.cl";
}

/// What vectors of so many values (VW) are written out as, for kernels that load, gather or add up such.
///
/// # Panics
/// Where OpenCL C has no vectors of so many.
pub fn vectors(width: usize) -> File {
    match width {
        1 => VECTOR_1,
        2 => VECTOR_2,
        4 => VECTOR_4,
        8 => VECTOR_8,
        16 => VECTOR_16,
        _ => unreachable!("vectors of {width} values"),
    }
}

/// A device with the numerics and the shape for one system: what programs are built for.
#[derive(Clone)]
pub struct Context {
    /// The device.
    pub gpu: Gpu,
    /// Precision and quantum.
    pub numerics: Numerics,
    /// The shape of the work.
    pub shape: LaunchConfig,
    /// Number of atom types.
    pub types: usize,
    /// Copies of the box that the lists see; 1 but for tiny boxes.
    pub copies: usize,
}

impl Context {
    /// The constants that all kernel files may use.
    pub fn defines(&self) -> Defines {
        let Context { numerics, shape, .. } = self;
        let mut defines = match numerics.precision {
            Precision::Single => {
                let per_length: [String; 3] =
                    std::array::from_fn(|d| Defines::float((1.0 / numerics.master_unit(d)) as f32));
                Defines::new().set("SINGLE", 1).set("MASTER_PER_LENGTH", per_length.join(", "))
            }
            Precision::Mixed => Defines::new().set("MIXED", 1),
            Precision::Double => Defines::new().set("DOUBLE", 1),
        };
        defines = shape.exchange_on(&self.gpu).define(defines);
        if numerics.triclinic {
            defines = defines.set("TRICLINIC", 1);
        }
        for (name, value) in [
            ("TYPES", self.types),
            ("VW", shape.vector),
            ("CLUSTER", shape.cluster()),
            ("LANES", shape.lanes),
            ("LIST_WIDTH", shape.list_width),
            ("PAIR_LOCAL", shape.pair_local),
            ("TILE", usize::from(shape.tile)),
            ("BLOCK_EDGE", shape.block_edge),
            ("BLOCK_LOCAL", shape.block_local),
            ("TILE_ATOMS", shape.tile_atoms),
            ("SKIP", usize::from(shape.skip)),
            ("FILLS_DEVICE", usize::from(shape.fills_device)),
            ("UNROLL", shape.unroll),
            ("REDUCE_LOCAL", shape.reduce_local),
            ("SORT_LOCAL", shape.sort_local),
            ("SORT_ITEMS", shape.sort_items),
            ("SORT_BITS", shape.sort_bits),
            ("SCAN_LOCAL", shape.scan_local),
            ("SCAN_ITEMS", shape.scan_items),
        ] {
            defines = defines.set(name, value);
        }
        defines
    }

    /// With a constant of the kernels' type `real`.
    pub fn set_real(&self, defines: Defines, name: &str, value: f64) -> Defines {
        if self.numerics.wide_pairs() {
            defines.set_f64(name, value)
        } else {
            defines.set_f32(name, value as f32)
        }
    }

    /// A program of these files, after `common.cl`, which is built when its first kernel is launched or by
    /// [`Gpu::build_all`].
    ///
    /// # Errors
    /// None yet: its kernels tell when the device's compiler rejects it.
    pub fn program(&self, files: &[File]) -> Result<Program> {
        self.program_with(files, &self.defines())
    }

    /// As [`Context::program`], with constants of the caller's.
    ///
    /// # Errors
    /// As [`Context::program`].
    pub fn program_with(&self, files: &[(&str, &str)], defines: &Defines) -> Result<Program> {
        self.program_built(files, defines, "")
    }

    /// The same for a launch of several steps for `n` atoms, whose work-items are all on the device at a time.
    ///
    /// # Errors
    /// As [`Context::program`].
    pub fn program_of_several(&self, files: &[(&str, &str)], defines: &Defines, n: usize) -> Result<Program> {
        let (info, (_, local)) = (self.gpu.info(), self.shape.items_of_several(n));
        let groups = self.shape.groups_of_several(n).div_ceil(info.units as usize);
        let Some(registers) = info.registers_of(groups * local) else {
            return self.program_with(files, defines);
        };
        self.program_built(files, &defines.clone().set("REGISTERS", registers), &register_limit(registers))
    }

    fn program_built(&self, files: &[(&str, &str)], defines: &Defines, option: &str) -> Result<Program> {
        let files: Vec<_> = [VARIANTS, COMMON].into_iter().chain(files.iter().copied()).collect();
        let options = [compiler_options(self.numerics.wide_pairs()), option].concat();
        Ok(self.gpu.program_for_later(&files, defines, &options))
    }
}

/// For pair arithmetic in fp32, or `wide` in fp64: numbers too small for a full mantissa may count as 0, which makes
/// division in fp32 one instruction on GPUs.
pub fn compiler_options(wide: bool) -> &'static str {
    if wide { "" } else { "-cl-denorms-are-zero" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::device_atoms::status;
    use crate::engine::neighbor::bond_map::fault;
    use crate::engine::neighbor::{entries, long_lists};

    /// The number that a file defines a name as.
    fn defined((name, text): File, word: &str) -> u64 {
        let number = text.lines().find_map(|line| {
            let mut words = line.strip_prefix("#define ")?.split_whitespace();
            (words.next()? == word).then(|| words.next().unwrap_or_default().trim_end_matches('u').to_owned())
        });
        let number = number.unwrap_or_else(|| panic!("{name} defines no {word}"));
        match number.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => number.parse(),
        }
        .unwrap_or_else(|err| panic!("{word} of {name}: {err}"))
    }

    #[test]
    fn host_and_kernels_mean_the_same_words() {
        for (word, number) in [
            ("STATUS_KEPT", status::KEPT),
            ("STATUS_LONGEST", status::LONGEST),
            ("STATUS_BAD", status::BAD),
            ("STATUS_TILES", status::TILES),
            ("STATUS_TILE_PARTS", status::TILE_PARTS),
            ("STATUS_HALT", status::HALT),
            ("STATUS_BONDS", status::BONDS),
            ("STATUS_ATOM", status::ATOM),
            ("STATUS_APART", status::APART),
            ("APART_IN_ORDER", status::APART_IN_ORDER as usize),
            ("APART_FACES", status::APART_FACES as usize),
            ("STATUS_CYCLE", status::CYCLE),
            ("STATUS_LOG", status::LOG),
            ("STATUS_SLOTS", status::SLOTS),
            ("STATUS_DENSE", status::DENSE),
            ("LOG", status::LOGGED),
            ("NEVER", status::NEVER as usize),
            ("CYCLES", status::CYCLES as usize),
            ("BOND_LONG", fault::LONG as usize),
            ("BOND_BROKEN", fault::BROKEN as usize),
            ("BOND_MISSING", fault::MISSING as usize),
            ("BOND_FAR", fault::FAR as usize),
            ("BOND_LET_GO", fault::LET_GO as usize),
            ("BOND_SNAPPED", fault::SNAPPED as usize),
        ] {
            assert_eq!(defined(COMMON, word), number as u64, "{word}");
        }
        assert_eq!(defined(LONG_LAYOUT, "OWNS_ROW"), u64::from(long_lists::OWNS_ROW));
        assert_eq!(defined(LIST_LAYOUT, "PLACE_BITS"), u64::from(entries::PLACE_BITS));
        for operation in crate::script::atom_expr::OPERATIONS {
            assert_eq!(defined(PER_ATOM, operation.word), u64::from(operation.code), "{}", operation.word);
        }
    }
}
