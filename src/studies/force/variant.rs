//! The ways to evaluate the forces: what there is to choose, and what a device offers.

use serde::Serialize;

use super::liquid::CUTOFF;
use crate::base::error::Result;
use crate::engine::kernels::{
    ATOMIC_EXTENSION, ATOMIC_LOOP, ATOMIC_PTX, ATOMIC_PTX_VECTOR, ATOMIC_ROW, COMMON, EXCHANGE, FORCE_LANES,
    FORCE_LAYOUT, FORCE_SCATTER, FORCE_VECTOR,
};
use crate::engine::roofline::group;
use crate::gpu::source::File;
use crate::gpu::{Defines, DeviceInfo, DeviceKind, Exchange, Gpu, Program};

/// Arithmetic of positions, forces and everything between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Single precision.
    #[value(alias = "single")]
    Fp32,
    /// Double precision.
    #[value(alias = "double")]
    Fp64,
}

impl Precision {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Fp32 => "fp32",
            Precision::Fp64 => "fp64",
        }
    }

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Precision::Fp32 => 4,
            Precision::Fp64 => 8,
        }
    }

    /// Largest relative error of one rounding.
    pub fn rounding(self) -> f64 {
        match self {
            Precision::Fp32 => f64::from(f32::EPSILON) / 2.0,
            Precision::Fp64 => f64::EPSILON / 2.0,
        }
    }

    /// What cl/common/common.cl goes by.
    pub fn defines(self) -> Defines {
        match self {
            Precision::Fp32 => Defines::new().set("SINGLE", 1),
            Precision::Fp64 => Defines::new().set("DOUBLE", 1),
        }
    }
}

/// How forces are added to memory that others add to, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Atomics {
    /// cl_ext_float_atomics.
    Ext,
    /// NVIDIA's red.global.add, inline.
    Ptx,
    /// NVIDIA's red.global.add.v4.f32, inline.
    Ptx4,
    /// A loop of compare-and-swap.
    Cas,
}

impl Atomics {
    /// As in the names of variants.
    pub fn name(self) -> &'static str {
        match self {
            Atomics::Ext => "ext",
            Atomics::Ptx => "ptx",
            Atomics::Ptx4 => "ptx4",
            Atomics::Cas => "cas",
        }
    }

    /// Those that the device may offer: whether it does, [`Atomics::scatter`] shows.
    pub fn candidates(info: &DeviceInfo, precision: Precision) -> Vec<Atomics> {
        let has = |name: &str| info.extensions.iter().any(|extension| extension == name);
        let wide = precision == Precision::Fp64;
        let mut candidates = Vec::new();
        if info.is_nvidia() {
            candidates.extend((!wide).then_some(Atomics::Ptx4));
            candidates.push(Atomics::Ptx);
        }
        candidates.extend(has("cl_ext_float_atomics").then_some(Atomics::Ext));
        candidates.extend((!wide || has("cl_khr_int64_base_atomics")).then_some(Atomics::Cas));
        candidates
    }

    /// What cl/common/atomic_loop.cl goes by.
    fn define(info: &DeviceInfo, defines: Defines) -> Defines {
        if info.is_simulator { defines.set("BLIND_GUESS", 1) } else { defines }
    }

    /// The files that have them.
    fn files(self) -> &'static [File] {
        match self {
            Atomics::Ext => &[ATOMIC_EXTENSION, ATOMIC_ROW],
            Atomics::Ptx => &[ATOMIC_PTX, ATOMIC_ROW],
            Atomics::Ptx4 => &[ATOMIC_PTX_VECTOR],
            Atomics::Cas => &[ATOMIC_LOOP, ATOMIC_ROW],
        }
    }

    fn compiler_options(self) -> &'static str {
        if self == Atomics::Ext { "-cl-std=CL3.0" } else { "" }
    }

    /// The program with nothing but the additions.
    ///
    /// # Errors
    /// When it does not build: the device does not offer these additions.
    pub fn scatter(self, gpu: &Gpu, precision: Precision) -> Result<Program> {
        let defines = Atomics::define(gpu.info(), precision.defines().set("VW", 1));
        let files = [&[COMMON], self.files(), &[FORCE_SCATTER]].concat();
        gpu.program(&files, &defines, self.compiler_options())
    }
}

/// Who the lanes of an atom are, and how their sums are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reduction {
    /// One lane.
    None,
    /// Work-items; a tree in local memory.
    Local,
    /// Work-items; shuffles in the sub-group.
    Shuffle,
    /// Components of a vector.
    Vector,
}

impl Reduction {
    fn name(self) -> &'static str {
        match self {
            Reduction::None => "",
            Reduction::Local => "local",
            Reduction::Shuffle => "shuffle",
            Reduction::Vector => "vector",
        }
    }
}

/// The words that names of variants are made of.
pub const WORDS: [&str; 19] = [
    "full",
    "half",
    "rows",
    "transposed",
    "memory",
    "registers",
    "1",
    "2",
    "4",
    "8",
    "16",
    "32",
    "local",
    "shuffle",
    "vector",
    "ext",
    "ptx",
    "ptx4",
    "cas",
];

/// One way to evaluate the forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// With Newton's third law, over half lists, and how the force on the other atom is added; `None`: without,
    /// over full lists.
    pub third_law: Option<Atomics>,
    /// Whether the list is transposed.
    pub transposed: bool,
    /// Whether the force on the atom itself stays in memory during the loop.
    pub in_memory: bool,
    /// Lanes per atom.
    pub lanes: usize,
    /// What becomes of their sums.
    pub reduction: Reduction,
}

impl Variant {
    /// All that a device offers. With several kinds of atomic additions, in order of speed, the first takes part
    /// in every shape, the others only in those that the document has.
    pub fn all(info: &DeviceInfo, atomics: &[Atomics]) -> Vec<Variant> {
        let mut shapes = vec![(true, 1, Reduction::None), (false, 1, Reduction::None)];
        let limit = group(info).min(32);
        for lanes in [2, 4, 8, 16, 32].into_iter().filter(|&lanes| lanes <= limit) {
            shapes.push((false, lanes, Reduction::Local));
            shapes.extend(Exchange::of(info, lanes).in_registers().then_some((
                false,
                lanes,
                Reduction::Shuffle,
            )));
        }
        // A GPU's work-items have no vectors, but read several entries in one load.
        let vectors: &[usize] = if info.kind == DeviceKind::Gpu { &[4] } else { &[4, 8, 16] };
        shapes.extend(vectors.iter().map(|&lanes| (false, lanes, Reduction::Vector)));
        let laws = std::iter::once(None).chain(atomics.iter().copied().map(Some));
        let mut variants = Vec::new();
        for third_law in laws {
            for transposed in [false, true] {
                for &(in_memory, lanes, reduction) in &shapes {
                    let variant = Variant { third_law, transposed, in_memory, lanes, reduction };
                    if third_law.is_none() || third_law == atomics.first().copied() || variant.in_document() {
                        variants.push(variant);
                    }
                }
            }
        }
        variants
    }

    /// Whether the document tries this shape: its first kernels, and its tunings 1 to 3.
    fn in_document(&self) -> bool {
        match (self.transposed, self.lanes) {
            (false, 1) => true,
            (false, 32) => true,
            (true, 1) => !self.in_memory,
            _ => false,
        }
    }

    /// `full` or `half` (list), `rows` or `transposed`, `memory` or `registers` (i-force), lanes, then how lanes
    /// and forces are added up: `half/rows/registers/8/local/cas`.
    pub fn name(&self) -> String {
        let mut name = format!(
            "{}/{}/{}/{}",
            if self.third_law.is_some() { "half" } else { "full" },
            if self.transposed { "transposed" } else { "rows" },
            if self.in_memory { "memory" } else { "registers" },
            self.lanes
        );
        let atomics = self.third_law.map_or("", Atomics::name);
        for part in [self.reduction.name(), atomics].into_iter().filter(|part| !part.is_empty()) {
            name = name + "/" + part;
        }
        name
    }

    /// Work-items per atom.
    pub fn work_items(&self) -> usize {
        if self.reduction == Reduction::Vector { 1 } else { self.lanes }
    }

    /// The kernel `lj_force`.
    ///
    /// # Errors
    /// When the device's compiler rejects it.
    pub fn program(&self, gpu: &Gpu, precision: Precision) -> Result<Program> {
        let vector = self.reduction == Reduction::Vector;
        let flag = u8::from;
        let mut defines = precision
            .defines()
            .set("VW", if vector { self.lanes } else { 1 })
            .set("THIRD_LAW", flag(self.third_law.is_some()))
            .set("TRANSPOSED", flag(self.transposed))
            .set("I_IN_MEMORY", flag(self.in_memory))
            .set("SHUFFLE", flag(self.reduction == Reduction::Shuffle))
            .set("LANES", self.lanes)
            .set("GROUP", group(gpu.info()));
        if self.reduction == Reduction::Shuffle {
            defines = Exchange::of(gpu.info(), self.lanes).define(defines);
        }
        defines = match precision {
            Precision::Fp32 => defines.set_f32("CUTSQ", (CUTOFF * CUTOFF) as f32),
            Precision::Fp64 => defines.set_f64("CUTSQ", CUTOFF * CUTOFF),
        };
        let kernel = if vector { FORCE_VECTOR } else { FORCE_LANES };
        let atomics = self.third_law.map_or(&[][..], Atomics::files);
        let files = [&[COMMON, EXCHANGE], atomics, &[FORCE_LAYOUT, kernel]].concat();
        let defines = Atomics::define(gpu.info(), defines);
        gpu.program(&files, &defines, self.third_law.map_or("", Atomics::compiler_options))
    }
}
