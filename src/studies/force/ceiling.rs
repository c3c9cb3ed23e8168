//! What each variant asks of the device, and what of that limits it: the roofline.

use serde::Serialize;

use super::liquid::List;
use super::variant::{Atomics, Precision, Variant};
use crate::base::error::Result;
use crate::engine::kernels::{COMMON, PEAK_RATES};
use crate::engine::roofline::{best_seconds, group};
use crate::gpu::record::Section;
use crate::gpu::{Buffer, Defines, DeviceKind, Gpu};
use crate::output::kernel_cost::ENTRY_OPERATIONS;

/// Operations of a pair within the cutoff besides those of its entry: r^6 2, r^14 2, numerator 2, division 10 (as the
/// document counts it), force times displacement 3, sum 3.
const PAIR_OPERATIONS: u64 = 22;
/// And with Newton's third law: the other atom's sum.
const THIRD_LAW_OPERATIONS: u64 = 3;

/// Work and traffic of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Operations that the pairs need.
    pub operations: u64,
    /// Bytes that cross the memory bus even if caches are perfect: list, positions and forces once.
    pub bytes: u64,
    /// Bytes when no cache helps, as the document counts: a position per entry, a force per addition.
    pub bytes_uncached: u64,
    /// Atomic additions of a force.
    pub additions: u64,
}

impl Work {
    /// Counts for `atoms` atoms with `entries` in their lists, `pairs` pairs of them within the cutoff.
    pub fn count(variant: &Variant, precision: Precision, atoms: u64, entries: u64, pairs: u64) -> Work {
        let row = 4 * precision.bytes() as u64;
        let third_law = variant.third_law.is_some();
        let computed = if third_law { pairs } else { 2 * pairs };
        let per_pair = PAIR_OPERATIONS + if third_law { THIRD_LAW_OPERATIONS } else { 0 };
        // Number of neighbours and begin of the row; own position; the force is written, or cleared, read and
        // written.
        let per_atom = if variant.transposed { 4 } else { 8 } + row + if third_law { 3 } else { 1 } * row;
        let bytes = 4 * entries + per_atom * atoms;
        let i_force = if variant.in_memory { 2 * row * computed } else { 0 };
        let j_force = if third_law { 2 * row * pairs } else { 0 };
        let own_sums = match (third_law, variant.in_memory) {
            (false, _) => 0,
            (true, true) => pairs,
            (true, false) => atoms,
        };
        Work {
            operations: u64::from(ENTRY_OPERATIONS) * entries + per_pair * computed,
            bytes,
            bytes_uncached: bytes + row * entries + i_force + j_force,
            additions: if third_law { pairs + own_sums } else { 0 },
        }
    }
}

/// What limits a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Operations per second.
    Arithmetic,
    /// Bytes per second.
    Bandwidth,
    /// Atomic additions per second.
    Atomics,
}

impl Limit {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Arithmetic => "arithmetic",
            Limit::Bandwidth => "bandwidth",
            Limit::Atomics => "atomics",
        }
    }
}

/// Rates of a device for one precision and one liquid.
#[derive(Clone, Debug, Serialize)]
pub struct Ceilings {
    /// Operations per second; a multiply-add counts two.
    pub operations: f64,
    /// Bytes per second read from memory.
    pub memory: f64,
    /// Bytes per second read again and again from as many bytes as the full list has: caches may help.
    pub full_list: f64,
    /// The same for the half list.
    pub half_list: f64,
    /// Atomic additions of a force per second, over the half list.
    pub additions: Vec<(Atomics, f64)>,
}

impl Ceilings {
    /// The least seconds that each part of the work can take.
    pub fn parts(&self, variant: &Variant, work: &Work) -> [(f64, Limit); 3] {
        let rate = self.additions.iter().find(|(atomics, _)| Some(*atomics) == variant.third_law);
        let list = if variant.third_law.is_some() { self.half_list } else { self.full_list };
        [
            (work.operations as f64 / self.operations, Limit::Arithmetic),
            (work.bytes as f64 / list, Limit::Bandwidth),
            (rate.map_or(0.0, |(_, rate)| work.additions as f64 / rate), Limit::Atomics),
        ]
    }

    /// The least seconds that the work can take, and which of its parts takes them.
    pub fn seconds(&self, variant: &Variant, work: &Work) -> (f64, Limit) {
        let [first, rest @ ..] = self.parts(variant, work);
        rest.into_iter().fold(first, |most, part| if part.0 > most.0 { part } else { most })
    }
}

/// Bytes per second that a kernel reads, over and over, from `bytes` bytes, or the largest buffer below that.
///
/// # Errors
/// A device that fails.
pub fn reading(gpu: &Gpu, bytes: u64) -> Result<f64> {
    const PASSES: u32 = 4;
    let info = gpu.info();
    let is_gpu = info.kind == DeviceKind::Gpu;
    let width = if is_gpu { 4 } else { 16 };
    let defines = Defines::new().set("SINGLE", 1).set("VW", width).set("FUSED", 0);
    let kernel = gpu.program(&[COMMON, PEAK_RATES], &defines, "")?.kernel("read_words")?;
    let local = if is_gpu { group(info).min(kernel.max_work_group()?) } else { 1 };
    let items = (info.units as usize * if is_gpu { 2048 } else { 16 }).next_multiple_of(local);
    let room = bytes.min(info.max_alloc).min(info.memory / 4) as usize;
    let count = (room / (4 * width * items)).max(1);
    let words = gpu.buffer::<u32>("words to read", width * items * count)?;
    let out = gpu.buffer::<u32>("results", items)?;
    // A GPU's neighbouring work-items read side by side, a CPU's thread reads a stretch.
    let (part, step) = if is_gpu { (1, items as u32) } else { (count as u32, 1) };
    let seconds = best_seconds(gpu, || {
        let args =
            [(&words).into(), (&out).into(), (count as u32).into(), part.into(), step.into(), PASSES.into()];
        kernel.launch(Section::Pair, items, local, &args)
    })?;
    Ok((4 * width * items * count) as f64 * f64::from(PASSES) / seconds)
}

/// Atomic additions of a force per second, one per entry of the half list.
///
/// # Errors
/// A device that does not offer them, or fails.
pub fn additions(gpu: &Gpu, precision: Precision, atomics: Atomics, half: &List) -> Result<f64> {
    let kernel = atomics.scatter(gpu, precision)?.kernel("add_ones")?;
    let list = gpu.buffer::<u32>("list", half.entries.len())?;
    list.write(Section::Pair, 0, &half.entries)?;
    let force: Buffer<u8> = gpu.buffer("forces", 4 * precision.bytes() * (half.atoms() + 1))?;
    let seconds = best_seconds(gpu, || {
        let (entries, atoms) = (half.entries.len() as u32, half.atoms() as u32);
        let args = [(&list).into(), (&force).into(), entries.into(), atoms.into()];
        kernel.launch_each(Section::Pair, half.entries.len(), 256, &args)
    })?;
    Ok(half.len() as f64 / seconds)
}
