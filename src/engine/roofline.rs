//! What a device can do at most, as measured on it: the ceilings of a roofline.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::base::error::Result;
use crate::engine::kernels::{COMMON, PEAK_RATES};
use crate::gpu::record::Section;
use crate::gpu::{Arg, Defines, DeviceInfo, DeviceKind, Gpu};

/// Seconds that a measurement takes at least.
const LONG_ENOUGH: f64 = 0.005;
/// Repetitions of a measurement; the best one counts, as it is a ceiling.
const REPEATS: usize = 20;
/// Seconds after which there are no more repetitions.
const PATIENCE: f64 = 0.5;

/// What the kernels of a run are held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakRates {
    /// Bytes per second of a copy within the device's memory, read and written together.
    pub copy_bandwidth: f64,
    /// Multiply-adds of the pair arithmetic's precision, in operations per second.
    pub peak_flops: f64,
    /// When they were measured (UTC).
    pub measured: String,
}

impl PeakRates {
    /// Those of a device with its driver, for pair arithmetic in fp32 or `wide` in fp64. They are measured once, in a
    /// second or less, and kept beside the compiled programs.
    ///
    /// # Errors
    /// A device that fails, or lacks the memory just now.
    pub fn of(gpu: &Gpu, wide: bool) -> Result<Self> {
        let name = if wide { "ceilings, fp64" } else { "ceilings, fp32" };
        if let Some(kept) = gpu.recall(name).and_then(|kept| serde_json::from_slice(&kept).ok()) {
            return Ok(kept);
        }
        let ceilings = PeakRates {
            copy_bandwidth: gpu.copy_bandwidth()?,
            peak_flops: arithmetic(gpu, wide)?,
            measured: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        };
        gpu.keep(name, serde_json::json!(ceilings).to_string().as_bytes());
        Ok(ceilings)
    }
}

/// Work-items per group: 128, or 64 on CPUs, or the largest power of two that the device takes.
pub fn group(info: &DeviceInfo) -> usize {
    let wanted = if info.kind == DeviceKind::Cpu { 64 } else { 128 };
    wanted.min(1 << info.max_work_group.max(1).ilog2())
}

/// Seconds of one `work`, the best of several measurements that are long enough.
///
/// # Errors
/// As `work`, or a device that fails.
pub fn best_seconds(gpu: &Gpu, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    // Compiles, warms up.
    work()?;
    gpu.finish()?;
    let begun = Instant::now();
    let (mut count, mut done, mut best) = (1_usize, 0, f64::INFINITY);
    while done == 0 || (done < REPEATS && begun.elapsed().as_secs_f64() < PATIENCE) {
        let started = Instant::now();
        (0..count).try_for_each(|_| work())?;
        gpu.finish()?;
        let seconds = started.elapsed().as_secs_f64();
        if done == 0 && seconds < LONG_ENOUGH && count < 1 << 20 {
            count *= 2;
            continue;
        }
        best = best.min(seconds / count as f64);
        done += 1;
    }
    Ok(best)
}

/// Vectors that suit the device for streaming.
fn width(info: &DeviceInfo, wide: bool) -> usize {
    match (info.shaped_as(), wide) {
        (DeviceKind::Gpu, _) => 4,
        (_, false) => info.vector_width_float.clamp(4, 16),
        (_, true) => info.vector_width_double.clamp(2, 8),
    }
}

/// Operations per second of multiply-adds in fp32, or `wide` in fp64: fused or of two instructions, whichever is
/// faster here; a multiply-add counts two.
///
/// # Errors
/// A device that fails.
pub fn arithmetic(gpu: &Gpu, wide: bool) -> Result<f64> {
    const ROUNDS: u32 = 1024;
    let (info, width) = (gpu.info(), width(gpu.info(), wide));
    let (name, a, b) = match wide {
        false => ("SINGLE", Arg::F32(0.999), Arg::F32(1e-3)),
        true => ("DOUBLE", Arg::F64(0.999), Arg::F64(1e-3)),
    };
    let local = group(info);
    let items = info.units as usize * if info.kind == DeviceKind::Gpu { 2048 } else { 256 };
    let items = items.next_multiple_of(local);
    let out = gpu.buffer::<f64>("results", items)?;
    let mut best = f64::INFINITY;
    for fused in [0, 1] {
        let defines = Defines::new().set(name, 1).set("VW", width).set("FUSED", fused);
        let kernel = gpu.program(&[COMMON, PEAK_RATES], &defines, "")?.kernel("multiply_add")?;
        let args = [(&out).into(), a, b, ROUNDS.into()];
        let launch = || kernel.launch_each(Section::Pair, items, local, &args);
        best = best.min(best_seconds(gpu, launch)?);
    }
    Ok((16 * width * items) as f64 * f64::from(ROUNDS) / best)
}
