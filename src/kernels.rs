//! Kernel sources, what is baked into them, and the shape of the work on a device.

use crate::error::Result;
use crate::gpu::{Defines, DeviceInfo, DeviceKind, Exchange, Gpu, Program};
use crate::options::Precision;
use crate::pair::Seen;
use crate::rules::Rules;

/// A kernel file: its name for `#line` and its text.
pub type File = (&'static str, &'static str);

macro_rules! files {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub const $name: File = ($file, include_str!(concat!("../cl/", $file)));)*
    };
}

files! {
    /// Switches for `clamps bench principles`.
    RULES = "rules.cl";
    /// Types, the box, staging.
    COMMON = "common.cl";
    /// What pair styles see of atoms, put beside their positions.
    STAGE = "stage.cl";
    /// Radix sort and prefix sum.
    SORT = "sort.cl";
    /// Binning, ranges, order, permutation.
    CELL = "cell.cl";
    /// How work-items side by side exchange values.
    EXCHANGE = "exchange.cl";
    /// What the work-items of an atom do together.
    LANES = "lanes.cl";
    /// Layout of the neighbour list.
    LIST = "list.cl";
    /// Ways to walk cells.
    WALK = "walk.cl";
    /// Entries on their way to the neighbour list.
    CHUNK = "chunk.cl";
    /// Neighbour list build.
    NEIGHBOR = "neighbor.cl";
    /// The same on CPUs.
    OCTANT = "octant.cl";
    /// What pair styles see of atoms, in the neighbour loop.
    SEEN = "seen.cl";
    /// Noise between two atoms.
    NOISE = "noise.cl";
    /// What the neighbour loop adds up.
    SUMS = "sums.cl";
    /// What molecules add to it.
    MOLECULE = "molecule.cl";
    /// The neighbour loop.
    PAIR = "pair.cl";
    /// The same on CPUs.
    CLUSTER = "cluster.cl";
    /// Bonds and special neighbours by place.
    LINKS = "links.cl";
    /// Random numbers by counting.
    RANDOM = "random.cl";
    /// An atom as fixes see it.
    INTEGRATE = "integrate.cl";
    /// The halves of a step around the forces.
    STEP = "step.cl";
    /// What fixes add up.
    MEASURE = "measure.cl";
    /// A fix's part of every step that needs the whole system.
    FEEDBACK = "feedback.cl";
    /// The box where such a fix moves it.
    FACES = "faces.cl";
    /// Sums over atoms.
    REDUCE = "reduce.cl";
    /// The Korteweg-de Vries equation.
    KDV = "kdv.cl";
    /// All pairs, by tiles in local memory.
    TILES = "tiles.cl";
    /// The droplet of `clamps droplet`.
    DROPLET = "droplet.cl";
    /// The periodic box of `clamps allpairs`.
    ALLPAIRS = "allpairs.cl";
    /// Atomic additions of floating-point numbers.
    ATOMIC = "atomic.cl";
    /// One force evaluation in many ways (`clamps bench force`): what its kernels have in common.
    FORCE_LAYOUT = "force/layout.cl";
    /// Lanes as work-items.
    FORCE_LANES = "force/lanes.cl";
    /// Lanes as components of a vector.
    FORCE_VECTOR = "force/vector.cl";
    /// Only the atomic additions.
    FORCE_SCATTER = "force/scatter.cl";
    /// What a device can do at most: arithmetic, reading.
    CEILING = "ceiling.cl";
}

/// Precision and the fixed-point units of staged positions.
///
/// A staged coordinate is an integer number of units modulo 2^32; 2^32 units are the modulus of the axis
/// ([`crate::neighbor::grid::moduli`]), of which a whole number makes the box where it is periodic. In double precision staging is
/// plain, and differences are brought to the nearest image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numerics {
    /// Arithmetic of the kernels.
    pub precision: Precision,
    /// The modulus per axis, in distance units.
    pub modulus: [f64; 3],
    /// Whether lists reach across the faces of an axis.
    pub images: [bool; 3],
    /// Whether the box is triclinic: what is staged are positions in the straightened box
    /// ([`crate::domain::Domain::straighten`]).
    pub triclinic: bool,
}

/// Bits that a master coordinate has below a staged one in single precision.
const MASTER_BITS: i32 = 16;

impl Numerics {
    /// Length of one staged unit, in distance units; 1 in double precision.
    pub fn unit(self, axis: usize) -> f64 {
        if self.wide_pairs() { 1.0 } else { self.modulus[axis] * 2f64.powi(-32) }
    }

    /// Staged units per distance unit.
    pub fn to_staged(self, axis: usize) -> f64 {
        1.0 / self.unit(axis)
    }

    /// Whether velocities and sums are fp64.
    pub fn wide(self) -> bool {
        self.precision != Precision::Single
    }

    /// Whether pair arithmetic and forces are fp64.
    pub fn wide_pairs(self) -> bool {
        self.precision == Precision::Double
    }

    /// Length of one master unit, in distance units.
    pub fn master_unit(self, axis: usize) -> f64 {
        if self.wide() { 1.0 } else { self.unit(axis) * f64::from(-MASTER_BITS).exp2() }
    }

    /// A coordinate as the device's master copy stores it (bits of an f64, or fixed point).
    pub fn to_master(self, x: f64, axis: usize) -> i64 {
        if self.wide() {
            x.to_bits().cast_signed()
        } else {
            (x / self.master_unit(axis)).round_ties_even() as i64
        }
    }

    /// The inverse of [`Numerics::to_master`].
    pub fn from_master(self, x: i64, axis: usize) -> f64 {
        if self.wide() { f64::from_bits(x.cast_unsigned()) } else { x as f64 * self.master_unit(axis) }
    }

    /// By how much master coordinates along one axis follow those along another, as bits: an f64, or in single precision
    /// a fixed-point number of units of the one per unit of the other, times 2^58.
    pub fn slope(self, slope: f64, along: usize, by: usize) -> i64 {
        if self.wide() {
            slope.to_bits().cast_signed()
        } else {
            (slope * self.master_unit(by) / self.master_unit(along) * 58_f64.exp2()).round_ties_even() as i64
        }
    }

    /// 32-bit words of a staged position.
    pub fn staged_words(self) -> usize {
        if self.wide_pairs() { 8 } else { 4 }
    }

    /// A staged position, of a triclinic box straightened, as the words that kernels read; on the way through the master
    /// position, so that host and device round alike.
    pub fn stage(self, x: [f64; 3], kind: u32) -> Vec<u32> {
        let fixed = |d: usize| match self.precision {
            Precision::Single => (self.to_master(x[d], d) >> MASTER_BITS) as u32,
            _ => (x[d] * self.to_staged(d)).round_ties_even() as i64 as u32,
        };
        match self.precision {
            Precision::Double => bytemuck::cast_slice(&[x[0], x[1], x[2], f64::from(kind)]).to_vec(),
            _ => vec![fixed(0), fixed(1), fixed(2), kind],
        }
    }
}

/// Numbers of atoms that want the same shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SizeClass {
    /// Below 20,000: a launch costs as much as its work.
    Small,
    /// Below 100,000.
    Medium,
    /// From 100,000 on: all of the device is busy.
    Large,
}

impl SizeClass {
    /// That of a number of atoms.
    pub fn of(atoms: usize) -> Self {
        match atoms {
            0..20_000 => SizeClass::Small,
            20_000..100_000 => SizeClass::Medium,
            _ => SizeClass::Large,
        }
    }
}

/// How work is cut up on a device: fixed before step 0, printed in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// Pairs that a work-item handles at once, as one vector.
    pub vector: usize,
    /// Work-items per atom in the pair kernel.
    pub lanes: usize,
    /// Work-items whose list entries are interleaved.
    pub list_width: usize,
    /// Work-group of the pair kernel.
    pub pair_local: usize,
    /// Whether lists name places in a tile of local memory that the atoms of a block of cells share.
    pub tile: bool,
    /// Cells per axis of a block, which a work-group of the list builder takes; 0: one work-item per octant of
    /// cells, for CPUs.
    pub block_edge: usize,
    /// Work-group that takes a block.
    pub block_local: usize,
    /// Positions in local memory at a time.
    pub crowd: usize,
    /// How the work-items of an atom exchange values.
    pub exchange: Exchange,
    /// Unrolling of the neighbour loop.
    pub unroll: usize,
    /// Work-group of per-atom kernels.
    pub local: usize,
    /// Work-group of reductions.
    pub reduce_local: usize,
    /// Groups of a reduction.
    pub reduce_groups: usize,
    /// Work-group of the sort.
    pub sort_local: usize,
    /// Keys per work-item of the sort.
    pub sort_items: usize,
    /// Bits per digit of the sort.
    pub sort_bits: usize,
    /// Work-group of the prefix sum.
    pub scan_local: usize,
    /// Values per work-item and round of the prefix sum.
    pub scan_items: usize,
    /// Groups of the prefix sum over cells.
    pub scan_groups: usize,
    /// Whether atoms are sorted by counting those of each cell, else by radix.
    pub counting: bool,
    /// Bytes of the largest array of neighbour list entries; a longer list is cut into pages.
    pub page_bytes: usize,
    /// Whether the pair kernel skips vectors of pairs that are all beyond the cutoff.
    pub skip: bool,
    /// Which rules of writing kernels are followed.
    #[serde(skip_deserializing)]
    pub rules: Rules,
}

impl Shape {
    /// Atoms that share a list, whose pairs stand side by side in a vector: four on CPUs that have vectors, else each atom
    /// has its own.
    pub fn cluster(self) -> usize {
        if self.block_edge == 0 && self.vector >= 4 { 4 } else { 1 }
    }

    /// Entries that a work-item reads from its list at once.
    pub fn entries(self) -> usize {
        if self.tile { 8 } else { self.vector / self.cluster() }
    }

    /// Words of 32 bits that these take.
    pub fn words(self) -> usize {
        if self.tile { 4 } else { self.entries() }
    }

    /// Work-items and work-group of a kernel of the pair program for `n` atoms in `blocks` blocks (octants) of cells.
    pub fn pair_items(self, n: usize, blocks: usize) -> (usize, usize) {
        if self.tile {
            (blocks * self.block_local, self.block_local)
        } else if self.cluster() > 1 {
            (blocks, self.pair_local)
        } else {
            (n * self.lanes, self.pair_local)
        }
    }

    /// Positions that a device's local memory takes at a time, with tiles or without.
    pub fn crowd(device: &DeviceInfo, precision: Precision, tile: bool) -> usize {
        Shape::crowd_seen(device, precision, tile, Seen::default())
    }

    /// As [`Shape::crowd`], where more is seen of atoms than positions.
    pub fn crowd_seen(device: &DeviceInfo, precision: Precision, tile: bool, seen: Seen) -> usize {
        let local = device.local_memory as usize;
        // The list builder (cl/neighbor.cl) has positions in single precision, without a tile also where they came from,
        // and with the shipped work-groups so many bytes besides; the pair kernel has the tile.
        let (each, besides) = if tile { (16, 24 << 10) } else { (20, 8 << 10) };
        let real = if precision == Precision::Double { 8 } else { 4 };
        let in_tile = (4 + seen.reals()) * real;
        let held = local.saturating_sub(besides) / each;
        let held = if tile { held.min(local.saturating_sub(1 << 10) / in_tile) } else { held };
        // In a liquid a block of four cells per axis has some 1,200 candidates, one of two some 500.
        held.clamp(64, if tile { 1300 } else { 800 })
    }

    /// The shipped choice for a device, a precision and a number of atoms.
    pub fn new(device: &DeviceInfo, precision: Precision, atoms: usize) -> Self {
        let wide = usize::from(precision == Precision::Double);
        let page_bytes = device.max_alloc as usize;
        if device.kind == DeviceKind::Gpu {
            let wave = device.simd.clamp(8, 64).next_power_of_two();
            let size = SizeClass::of(atoms);
            let lanes = match size {
                SizeClass::Small => 8,
                SizeClass::Medium => 4,
                SizeClass::Large => 1,
            };
            let limit = 1 << device.max_work_group.ilog2();
            let tile = size == SizeClass::Large;
            // Whole waves, which by `clamps tune` on an H200 are the fastest (docs/tune.md).
            let waves = |items: usize| limit.min(items.next_multiple_of(wave));
            let [pair_local, block_local, unroll] = match (tile, wide) {
                (false, 0) => [128, 128, 2],
                (false, _) => [256, 160, 4],
                (true, _) => [128, 160, 2],
            };
            Shape {
                // In a tile pairs are one by one: entries are in the order in which lanes read different banks.
                vector: if tile { 1 } else { 4 >> wide },
                lanes,
                list_width: wave,
                pair_local: waves(pair_local),
                tile,
                block_edge: if tile { 4 } else { 2 },
                block_local: waves(block_local),
                crowd: Shape::crowd(device, precision, tile),
                exchange: Exchange::of(device, wave.min(32)),
                unroll,
                local: limit.min(128),
                reduce_local: limit.min(128),
                reduce_groups: 256,
                sort_local: limit.min(64),
                sort_items: 8,
                sort_bits: 4,
                scan_local: limit.min(256),
                scan_items: 8,
                scan_groups: 256,
                counting: true,
                page_bytes,
                skip: !tile,
                rules: Rules::default(),
            }
        } else {
            // One list per work-item, whole vectors of it at once; groups of one where a work-item
            // wants a stretch of memory to itself.
            let native = if wide == 1 { device.vector_width_double } else { device.vector_width_float };
            Shape {
                vector: native.clamp(4, 16 >> wide),
                lanes: 1,
                list_width: 1,
                pair_local: 4,
                tile: false,
                block_edge: 0,
                block_local: 1,
                crowd: 1,
                exchange: Exchange::Local,
                unroll: 1,
                local: 64,
                reduce_local: 1,
                reduce_groups: 1024,
                sort_local: 1,
                sort_items: 4096,
                sort_bits: 8,
                scan_local: 1,
                scan_items: 16,
                scan_groups: 64,
                counting: false, // launches cost little, atomics more
                page_bytes,
                skip: false,
                rules: Rules::default(),
            }
        }
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
    pub shape: Shape,
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
        defines = shape.exchange.define(defines);
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
            ("CROWD", shape.crowd),
            ("SKIP", usize::from(shape.skip)),
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

    /// Builds a program of these files, after `common.cl`.
    ///
    /// # Errors
    /// When the device's compiler rejects it.
    pub fn program(&self, files: &[File]) -> Result<Program> {
        self.program_with(files, &self.defines())
    }

    /// As [`Context::program`], with constants of the caller's.
    ///
    /// # Errors
    /// When the device's compiler rejects it.
    pub fn program_with(&self, files: &[(&str, &str)], defines: &Defines) -> Result<Program> {
        let files: Vec<_> = [RULES, COMMON].into_iter().chain(files.iter().copied()).collect();
        self.gpu.program(&files, defines, compiler_options(self.numerics.wide_pairs()))
    }
}

/// For pair arithmetic in fp32, or `wide` in fp64: numbers too small for a full mantissa may count as 0, which makes
/// division in fp32 one instruction on GPUs.
pub fn compiler_options(wide: bool) -> &'static str {
    if wide { "" } else { "-cl-denorms-are-zero" }
}
