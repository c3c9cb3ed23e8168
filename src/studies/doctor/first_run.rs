//! The check that the first run on a device makes on which nobody has tried this program: the short form of the self-check. What passes is kept by
//! device, driver and version of this program, so that later runs go without.

use std::time::Instant;

use super::checks;
use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::base::version::VERSION;
use crate::engine::kernels::variants::KernelVariants;
use crate::gpu::Gpu;
use crate::gpu::options::Precision;

/// Checks the device, where that is due, with the kernels that the run asks for; returns a line for the log. CLAMPS_CHECK=always has each run check its
/// device, `never` none. Ranks of one run do not check: the check's steps would wait for other ranks.
///
/// # Errors
/// Kernels that are wrong on this device.
pub fn check_device(gpu: &Gpu, precision: Precision, rules: KernelVariants) -> Result<Option<String>> {
    let info = gpu.info();
    let plain = if rules == KernelVariants::PLAIN { "plain " } else { "" };
    let name = format!("self-check of {VERSION} in {} precision {plain}", precision.name());
    let due = match std::env::var("CLAMPS_CHECK").as_deref() {
        Ok("always") => true,
        Ok("never") => false,
        _ => !info.is_tried() && gpu.recall(&name).is_none(),
    };
    if !due {
        return Ok(None);
    }
    if ranks::count() > 1 {
        return Ok(Some("  its kernels are not checked: run on one rank first (clamps doctor)".to_owned()));
    }
    let started = Instant::now();
    let verdicts = checks::short(gpu, precision, rules);
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
    Err(Error::new(format!("{plain}kernels are wrong on {device}: {}", wrong.join("; "))).help(
        "use another device or driver (clamps devices lists them; clamps doctor checks all kernels), try -kernels plain, or run all the same with CLAMPS_CHECK=never",
    ))
}
