//! The check that the first run on a device makes on which nobody has tried this program: the short form of the self-check. What passes is kept by
//! device, driver and version of this program, so that later runs go without.

use std::time::Instant;

use super::checks;
use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::base::version::VERSION;
use crate::gpu::Gpu;
use crate::gpu::options::Precision;

/// Checks the device, where that is due; returns a line for the log. CLAMPS_CHECK=always has each run check its device, `never` none.
/// Ranks of one run do not check: the check's steps would wait for other ranks.
///
/// # Errors
/// Kernels that are wrong on this device.
pub fn check_device(gpu: &Gpu, precision: Precision) -> Result<Option<String>> {
    let info = gpu.info();
    let name = format!("self-check of {VERSION} in {} precision", precision.name());
    let due = match std::env::var("CLAMPS_CHECK").as_deref() {
        Ok("always") => true,
        Ok("never") => false,
        _ => !info.is_tried() && gpu.recall(&name).is_none(),
    };
    if !due || ranks::count() > 1 {
        return Ok(None);
    }
    let started = Instant::now();
    let verdicts = checks::short(gpu, precision);
    let wrong: Vec<String> = verdicts
        .iter()
        .filter(|verdict| verdict.right == Some(false))
        .map(|verdict| format!("{}: {}", verdict.family.words(), verdict.words))
        .collect();
    if wrong.is_empty() {
        gpu.keep(&name, b"right");
        let seconds = started.elapsed().as_secs_f64();
        return Ok(Some(format!("  self-check of its kernels: right ({seconds:.1} s)")));
    }
    let device = format!("{} ({}, driver {})", info.name, info.platform, info.driver);
    Err(Error::new(format!("kernels are wrong on {device}: {}", wrong.join("; "))).help(
        "use another device or driver (clamps devices lists them; clamps doctor checks all kernels), or CLAMPS_CHECK=never to run all the same",
    ))
}
