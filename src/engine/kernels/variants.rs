//! The rules of writing kernels that the pair and list kernels follow, each of which can be broken (cl/common/variants.cl), and the ways to walk
//! cells (cl/neighbor/walk_*.cl): what `-kernels plain` and `clamps bench principles` choose.
//!
//! Source: Zhao, Shi and Yu, "Optimization of short-range force algorithm in Lammps based on OpenCL", Computer
//! Engineering and Science 37 (2015) 1614, section 2.3, whose numbers these are.

use crate::engine::kernels::{LaunchConfig, WALK_FLATTENED, WALK_INCREMENTAL, WALK_SHIPPED, WALK_TRIPLE};
use crate::gpu::Defines;
use crate::gpu::source::File;
use serde::{Serialize, Serializer};

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Short loops of known length are unrolled.
    Unrolling,
    /// Constants come by `-D` or `#define`, not as arguments.
    Constants,
    /// What is not shared is in private memory, not in local memory.
    Private,
    /// Masks and quotients instead of `%`.
    Remainders,
    /// Functions are inline.
    Inlining,
    /// `select` instead of assignments under an `if`.
    Selects,
    /// `fma` instead of a product and a sum.
    Fma,
    /// `native_recip` instead of a division. The shipped kernels do not follow it.
    Native,
    /// Arithmetic instead of branches: no branch for the cutoff.
    Predication,
    /// Neighbouring work-items use neighbouring banks of local memory.
    Banks,
    /// Vectors of numbers, and loads of whole vectors.
    Vectors,
    /// What is used several times is computed once.
    Temporaries,
    /// No barrier without need.
    Barriers,
}

impl Variant {
    /// All of them, in the document's order.
    pub const ALL: [Variant; 13] = [
        Variant::Unrolling,
        Variant::Constants,
        Variant::Private,
        Variant::Remainders,
        Variant::Inlining,
        Variant::Selects,
        Variant::Fma,
        Variant::Native,
        Variant::Predication,
        Variant::Banks,
        Variant::Vectors,
        Variant::Temporaries,
        Variant::Barriers,
    ];

    /// Its number in the document (the sixth has three parts), one word, what it says in a few words, and what
    /// cl/common/variants.cl reads where it is not as shipped.
    const fn entry(self) -> [&'static str; 4] {
        match self {
            Variant::Unrolling => ["1", "unrolling", "unroll short loops", "NO_UNROLLING"],
            Variant::Constants => ["2", "constants", "constants by #define", "NO_CONSTANTS"],
            Variant::Private => ["3", "private", "private, not local memory", "NO_PRIVATE"],
            Variant::Remainders => ["4", "remainders", "masks, not %", "NO_REMAINDERS"],
            Variant::Inlining => ["5", "inlining", "inline functions", "NO_INLINING"],
            Variant::Selects => ["6.1", "selects", "select, not if", "NO_SELECTS"],
            Variant::Fma => ["6.2", "fma", "fma", "NO_FMA"],
            Variant::Native => ["6.3", "native", "native_recip", "USE_NATIVE"],
            Variant::Predication => ["7", "predication", "no branch at the cutoff", "NO_PREDICATION"],
            Variant::Banks => ["8", "banks", "no bank conflicts", "NO_BANKS"],
            Variant::Vectors => ["9", "vectors", "vectors, not scalars", "NO_VECTORS"],
            Variant::Temporaries => ["10", "temporaries", "subexpressions once", "NO_TEMPORARIES"],
            Variant::Barriers => ["11", "barriers", "no needless barriers", "NO_BARRIERS"],
        }
    }

    /// The number in the document.
    pub fn number(self) -> &'static str {
        self.entry()[0]
    }

    /// One word, as in JSON.
    pub fn name(self) -> &'static str {
        self.entry()[1]
    }

    /// What it says.
    pub fn words(self) -> &'static str {
        self.entry()[2]
    }

    fn switch(self) -> &'static str {
        self.entry()[3]
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// How the builder of lists walks the cells around an atom (GPUs) or an octant (CPUs).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Walk {
    /// GPUs: row by row of cells, each one run of candidates. CPUs: the same, for each copy of the box that a row goes through.
    #[default]
    Shipped,
    /// Three loops, a cell's number computed in the innermost.
    Triple,
    /// One loop, the next number found by additions under conditions.
    Flattened,
    /// Three loops, each of which adds its part to the number.
    Incremental,
}

impl Walk {
    /// The document's three.
    pub const DOCUMENT: [Walk; 3] = [Walk::Triple, Walk::Flattened, Walk::Incremental];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Walk::Shipped => "as shipped",
            Walk::Triple => "triple loop",
            Walk::Flattened => "one flattened loop",
            Walk::Incremental => "incremental",
        }
    }
}

/// Which rules the kernels follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelVariants {
    followed: u16,
    walk: Walk,
}

impl Default for KernelVariants {
    /// As shipped: all but [`Variant::Native`], which costs accuracy on some devices.
    fn default() -> Self {
        KernelVariants {
            followed: Variant::ALL.iter().fold(0, |bits, rule| bits | rule.bit()),
            walk: Walk::Shipped,
        }
        .without(Variant::Native)
    }
}

impl KernelVariants {
    /// None at all, and the document's original triple loop: `-kernels plain`.
    pub const PLAIN: KernelVariants = KernelVariants { followed: 0, walk: Walk::Triple };

    /// With this rule followed.
    #[must_use]
    pub fn with(self, rule: Variant) -> Self {
        KernelVariants { followed: self.followed | rule.bit(), ..self }
    }

    /// With this rule broken.
    #[must_use]
    pub fn without(self, rule: Variant) -> Self {
        KernelVariants { followed: self.followed & !rule.bit(), ..self }
    }

    /// With cells walked in this way.
    #[must_use]
    pub fn walking(self, walk: Walk) -> Self {
        KernelVariants { walk, ..self }
    }

    /// Whether the kernels follow it.
    pub fn follow(self, rule: Variant) -> bool {
        self.followed & rule.bit() != 0
    }

    /// A shape by these rules: without vectors a work-item handles one pair at a time, and without unrolling the
    /// neighbour loop is not unrolled.
    #[must_use]
    pub fn shape(self, mut shape: LaunchConfig) -> LaunchConfig {
        shape.rules = self;
        if !self.follow(Variant::Vectors) {
            (shape.vector, shape.clusters) = (1, false);
        }
        if !self.follow(Variant::Unrolling) {
            shape.unroll = 1;
        }
        shape
    }

    /// The switches of the pair and list kernels that are not as shipped.
    pub fn define(self, mut defines: Defines) -> Defines {
        let shipped = KernelVariants::default();
        for rule in Variant::ALL.into_iter().filter(|&rule| self.follow(rule) != shipped.follow(rule)) {
            defines = defines.set(rule.switch(), 1);
        }
        defines
    }

    /// The file that has the way to walk cells, which comes after [`CELL_ORDER`](super::CELL_ORDER).
    pub fn walk(self) -> File {
        match self.walk {
            Walk::Shipped => WALK_SHIPPED,
            Walk::Triple => WALK_TRIPLE,
            Walk::Flattened => WALK_FLATTENED,
            Walk::Incremental => WALK_INCREMENTAL,
        }
    }
}

impl Serialize for KernelVariants {
    /// The names of the rules that are followed, and the way to walk.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Record {
            followed: Vec<&'static str>,
            walk: Walk,
        }
        let followed =
            Variant::ALL.into_iter().filter(|&rule| self.follow(rule)).map(Variant::name).collect();
        Record { followed, walk: self.walk }.serialize(serializer)
    }
}
