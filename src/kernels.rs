//! Kernel sources, what is baked into them, and the shape of the work on a device.

use crate::error::Result;
use crate::gpu::{Defines, DeviceInfo, DeviceKind, Gpu, Program};
use crate::options::Precision;

/// A kernel file: its name for `#line` and its text.
pub type File = (&'static str, &'static str);

macro_rules! files {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub const $name: File = ($file, include_str!(concat!("../cl/", $file)));)*
    };
}

files! {
    /// Types, the box, staging.
    COMMON = "common.cl";
    /// Radix sort and prefix sum.
    SORT = "sort.cl";
    /// Binning, ranges, order, permutation.
    CELL = "cell.cl";
    /// Ghost atoms.
    GHOST = "ghost.cl";
    /// Layout of the neighbour list.
    LIST = "list.cl";
    /// Neighbour list build.
    NEIGHBOR = "neighbor.cl";
    /// The neighbour loop.
    PAIR = "pair.cl";
    /// Velocity Verlet.
    INTEGRATE = "integrate.cl";
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

/// Precision and the fixed-point quantum of staged positions.
///
/// A staged coordinate is an integer number of quanta modulo 2^32. Half that range is at least
/// [`crate::neighbor::grid::span`], so that no separation which the list builder compares looks short enough
/// to be listed when it is not; as it is more than two list cutoffs, one of eight dummy positions is beyond
/// the cutoff of any atom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numerics {
    /// Arithmetic of the kernels.
    pub precision: Precision,
    /// Length of one staged unit, in distance units (1 in double precision, where staging is plain).
    pub quantum: f64,
}

/// Bits that a master coordinate has below a staged one in single precision.
const MASTER_BITS: i32 = 16;

impl Numerics {
    /// For separations of up to `span` per axis, in distance units.
    pub fn new(precision: Precision, span: f64) -> Self {
        let quantum = match precision {
            Precision::Double => 1.0,
            _ => (2.0 * span).log2().ceil().exp2() * 2f64.powi(-32),
        };
        Numerics { precision, quantum }
    }

    fn double(self) -> bool {
        self.precision == Precision::Double
    }

    /// Whether velocities and sums are fp64.
    pub fn wide(self) -> bool {
        self.precision != Precision::Single
    }

    /// Whether pair arithmetic and forces are fp64.
    pub fn wide_pairs(self) -> bool {
        self.double()
    }

    /// Length of one master unit, in distance units.
    pub fn master_quantum(self) -> f64 {
        if self.wide() { 1.0 } else { self.quantum * f64::from(-MASTER_BITS).exp2() }
    }

    /// A coordinate as the device's master copy stores it (bits of an f64, or fixed point).
    pub fn to_master(self, x: f64) -> i64 {
        if self.wide() {
            x.to_bits().cast_signed()
        } else {
            (x / self.master_quantum()).round_ties_even() as i64
        }
    }

    /// The inverse of [`Numerics::to_master`].
    pub fn from_master(self, x: i64) -> f64 {
        if self.wide() { f64::from_bits(x.cast_unsigned()) } else { x as f64 * self.master_quantum() }
    }

    /// 32-bit words of a staged position.
    pub fn staged_words(self) -> usize {
        if self.double() { 8 } else { 4 }
    }

    /// A staged position as the words that kernels read; on the way through the master position, so that
    /// host and device round alike.
    pub fn stage(self, x: [f64; 3], kind: u32) -> Vec<u32> {
        match self.precision {
            Precision::Single => {
                let word = |x| (self.to_master(x) >> MASTER_BITS) as u32;
                vec![word(x[0]), word(x[1]), word(x[2]), kind]
            }
            _ => self.stage_shift(x, kind),
        }
    }

    /// A displacement of staged positions, rounded symmetrically about zero; `w` is its fourth component.
    pub fn stage_shift(self, x: [f64; 3], w: u32) -> Vec<u32> {
        if self.double() {
            bytemuck::cast_slice(&[x[0], x[1], x[2], f64::from(w)]).to_vec()
        } else {
            let word = |x: f64| (x / self.quantum).round_ties_even() as i64 as u32;
            vec![word(x[0]), word(x[1]), word(x[2]), w]
        }
    }
}

/// How work is cut up on a device: fixed before step 0, printed in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Shape {
    /// Pairs that a work-item handles at once, as one vector.
    pub vector: usize,
    /// Work-items per atom in the pair kernel.
    pub lanes: usize,
    /// Work-items whose list entries are interleaved.
    pub list_width: usize,
    /// Work-group of the pair kernel.
    pub pair_local: usize,
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
    /// Bytes of the largest array of neighbour list entries; a longer list is cut into pages.
    pub page_bytes: usize,
}

impl Shape {
    /// The shipped choice for a device, a precision and a number of atoms.
    pub fn new(device: &DeviceInfo, precision: Precision, atoms: usize) -> Self {
        let wide = usize::from(precision == Precision::Double);
        let page_bytes = device.max_alloc as usize;
        if device.kind == DeviceKind::Gpu {
            let wave = device.simd.clamp(8, 64).next_power_of_two();
            let lanes = match atoms {
                0..20_000 => 8,
                20_000..400_000 => 4,
                _ => 1,
            };
            let limit = 1 << device.max_work_group.ilog2();
            Shape {
                vector: 4 >> wide,
                lanes,
                list_width: wave,
                pair_local: limit.min(128),
                unroll: 2,
                local: limit.min(128),
                reduce_local: limit.min(128),
                reduce_groups: 256,
                sort_local: limit.min(64),
                sort_items: 8,
                sort_bits: 4,
                scan_local: limit.min(256),
                scan_items: 8,
                page_bytes,
            }
        } else {
            // One list per work-item, whole vectors of it at once; groups of one where a work-item
            // wants a stretch of memory to itself.
            let native = if wide == 1 { device.vector_width_double } else { device.vector_width_float };
            Shape {
                vector: native.clamp(4, 16 >> wide),
                lanes: 1,
                list_width: 1,
                pair_local: 32,
                unroll: 1,
                local: 64,
                reduce_local: 1,
                reduce_groups: 1024,
                sort_local: 1,
                sort_items: 4096,
                sort_bits: 8,
                scan_local: 1,
                scan_items: 16,
                page_bytes,
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
}

impl Context {
    /// The constants that all kernel files may use.
    pub fn defines(&self) -> Defines {
        let Context { numerics, shape, .. } = self;
        let mut defines = match numerics.precision {
            Precision::Single => Defines::new()
                .set("SINGLE", 1)
                .set_f32("INVERSE_MASTER_QUANTUM", (1.0 / numerics.master_quantum()) as f32),
            Precision::Mixed => {
                Defines::new().set("MIXED", 1).set_f64("INVERSE_QUANTUM", 1.0 / numerics.quantum)
            }
            Precision::Double => Defines::new().set("DOUBLE", 1),
        };
        defines = self.set_real(defines, "QUANTUM", numerics.quantum);
        for (name, value) in [
            ("TYPES", self.types),
            ("VW", shape.vector),
            ("LANES", shape.lanes),
            ("LIST_WIDTH", shape.list_width),
            ("PAIR_LOCAL", shape.pair_local),
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
    pub fn program_with(&self, files: &[File], defines: &Defines) -> Result<Program> {
        let files: Vec<File> = std::iter::once(COMMON).chain(files.iter().copied()).collect();
        self.gpu.program(&files, defines, "")
    }
}
