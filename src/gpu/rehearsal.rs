//! Program texts for compilers of GPUs that are not here (benches/offline_gpus.py, tests/offline.rs). Settings, for tests:
//!
//! CLAMPS_TEXTS is a folder in which the text of each program is left as a compiler gets it, definitions included; its first line has
//! the options of the build. Files are named by the program's .cl files and by a hash.
//!
//! CLAMPS_REHEARSE says which GPU's shapes all devices get: `amd64` (waves of 64), `amd32` (of 32), `intel16` (sub-groups of 16),
//! `llvmpipe` (vectors of 8, 32 KiB of local memory), and with `,fp32` behind it no double precision. Kernels are then compiled and run
//! where they are, without sub-groups, slowly.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{env, fs};

use super::{DeviceInfo, DeviceKind};

const SUB_GROUPS: &str = "#define EXCHANGE_SUBGROUPS 1\n";

/// A device's description as that of the GPU to be rehearsed for, if any; whether there is one.
pub(super) fn pretend(info: &mut DeviceInfo) -> bool {
    let Ok(words) = env::var("CLAMPS_REHEARSE") else { return false };
    const SUB_GROUPS: &[&str] =
        &["cl_khr_subgroups", "cl_khr_subgroup_shuffle", "cl_intel_required_subgroup_size"];
    let (simd, vendor, units, local, extensions) = match words.split(',').next() {
        Some("amd64") => (64, "Advanced Micro Devices, Inc.", 110, 64, &[][..]),
        Some("amd32") => (32, "Advanced Micro Devices, Inc.", 48, 64, &[][..]),
        Some("intel16") => (16, "Intel(R) Corporation", 512, 64, SUB_GROUPS),
        Some("llvmpipe") => (8, "Mesa", 8, 32, &[][..]),
        _ => return false,
    };
    info.kind = DeviceKind::Gpu;
    info.vendor = vendor.to_owned();
    info.fp64 &= !words.ends_with(",fp32");
    info.max_work_group = info.max_work_group.min(256);
    info.local_memory = local << 10;
    info.fma = true;
    info.simd = simd;
    info.units = units;
    info.extensions.extend(extensions.iter().map(|name| (*name).to_owned()));
    true
}

/// Leaves a program's text where CLAMPS_TEXTS says; what does not get there is missed by who reads it.
pub(super) fn leave_text(names: &[&str], source: &str, options: &str) {
    let Some(folder) = env::var_os("CLAMPS_TEXTS") else { return };
    let mut hasher = DefaultHasher::new();
    (source, options).hash(&mut hasher);
    let last = names.last().map_or("program", |name| name.rsplit('/').next().unwrap_or(name));
    let file = format!("{}-{:016x}.cl", last.trim_end_matches(".cl"), hasher.finish());
    if let Err(err) = fs::write(Path::new(&folder).join(file), format!("// {}\n{source}", options.trim())) {
        log::warn!("CLAMPS_TEXTS: {err}");
    }
}

/// The texts of .cl files, with the change that CLAMPS_BREAK asks for: FILE|OLD|NEW puts NEW for OLD in the file of that name, for tests of
/// the self-check (`clamps doctor`).
pub(super) fn broken<'a>(files: &[(&'a str, &'a str)]) -> Vec<(&'a str, Cow<'a, str>)> {
    let change = env::var("CLAMPS_BREAK").unwrap_or_default();
    let change: Vec<&str> = change.splitn(3, '|').collect();
    let text = |name: &str, text: &'a str| match change[..] {
        [file, old, new] if name.ends_with(file) && text.contains(old) => Cow::Owned(text.replace(old, new)),
        _ => Cow::Borrowed(text),
    };
    files.iter().map(|&(name, whole)| (name, text(name, whole))).collect()
}

/// What is compiled of a text here: without the sub-groups of another device.
pub(super) fn played(source: &str) -> Option<String> {
    let rehearsed = env::var_os("CLAMPS_REHEARSE").is_some() && source.contains(SUB_GROUPS);
    rehearsed.then(|| source.replace(SUB_GROUPS, ""))
}
