//! `clamps doctor`: which platforms and devices there are, what each can do, whether its kernels are right, and what to install where
//! something is missing.
//!
//! - this file: the options and what is printed; `checks`: the self-check of the kernel families; `first_run`: its short form, which first runs
//!   make; `machine`: which GPUs are in the machine

mod checks;
mod first_run;
mod machine;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::report;
use crate::base::error::{Error, Result};
use crate::base::signals;
use crate::gpu::options::{Precision, TimingMode};
use crate::gpu::{self, DeviceInfo, DeviceKind, Gpu};
use checks::{Family, Verdict};
pub use first_run::check_device;

/// The options of `clamps doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only this OpenCL device: gpu, cpu, its number, PLATFORM:DEVICE or a part of its name
    #[arg(long, env = "CLAMPS_DEVICE", value_name = "DEVICE")]
    device: Option<String>,
    /// Arithmetic of the self-check; default: mixed, or single on a device without fp64
    #[arg(long, value_enum, value_name = "PRECISION")]
    precision: Option<Precision>,
    /// Only these parts of the self-check, with commas between
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',')]
    only: Vec<Family>,
    /// No self-check
    #[arg(long)]
    no_check: bool,
    /// Write what was found to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs it.
///
/// # Errors
/// No device that can be used, a kernel family that is wrong, a file that cannot be written.
pub fn run(args: &DoctorArgs) -> Result<()> {
    args.json.as_deref().map_or(Ok(()), |path| report::check_output(path, []))?;
    signals::install()?;
    let mut record = report::header("doctor", None);
    let mut advice = Vec::new();
    report::line(format_args!(
        "CLAMPS {}, {} {}",
        crate::base::version::VERSION,
        std::env::consts::OS,
        std::env::consts::ARCH
    ));
    let platforms = gpu::platform_list();
    report::line("\nOpenCL platforms");
    for platform in &platforms {
        let devices = match platform.devices {
            0 => "no devices".to_owned(),
            1 => "1 device".to_owned(),
            n => format!("{n} devices"),
        };
        report::line(format_args!("  {}: {}, {devices}", platform.name, platform.version));
        if platform.devices == 0 && platform.name == "rusticl" {
            advice.push("Mesa's rusticl shows devices that RUSTICL_ENABLE names: RUSTICL_ENABLE=radeonsi for AMD, iris for Intel".to_owned());
        }
    }
    if platforms.is_empty() {
        report::line("  none");
    }
    let places = [
        ("Programs kept by CLAMPS", gpu::cache_folder()),
        ("Programs kept by PoCL", gpu::pocl_cache_folder()),
    ];
    report::line("\nCache");
    for (what, folder) in &places {
        let folder = folder.as_ref().map_or("nowhere".to_owned(), |folder| folder.display().to_string());
        report::line(format_args!("  {what}: {folder}"));
    }
    record["platforms"] = json!(platforms);
    record["cache"] = json!({"clamps": places[0].1, "pocl": places[1].1});
    let listed = gpu::select(args.device.as_deref().unwrap_or("all"));
    let found = listed.as_deref().unwrap_or_default();
    let mut wrong = Vec::new();
    let mut devices = Vec::new();
    for (index, info) in found {
        let verdicts = args.look_at(*index, info, &mut devices)?;
        wrong.extend(
            verdicts
                .iter()
                .filter(|verdict| verdict.right == Some(false))
                .map(|verdict| format!("{} on {} ({})", verdict.family.words(), info.name, info.platform)),
        );
    }
    record["devices"] = json!(devices);
    if args.device.is_none() {
        advice.extend(machine::advice(found.iter().map(|(_, info)| info)));
    }
    if !advice.is_empty() {
        report::line("\nWhat to do");
        advice.iter().for_each(|line| report::line(format_args!("  {line}")));
    }
    record["advice"] = json!(advice);
    args.json.as_deref().map_or(Ok(()), |path| report::save(path, &record))?;
    listed?;
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(Error::new(format!("wrong here: {}", wrong.join("; "))).help(
            "use another device or driver (clamps devices lists them), and report it with the file of clamps doctor --json",
        )),
    }
}

impl DoctorArgs {
    /// Prints a device, and what came of its self-check.
    fn look_at(
        &self,
        index: usize,
        info: &DeviceInfo,
        devices: &mut Vec<serde_json::Value>,
    ) -> Result<Vec<Verdict>> {
        report::line(format_args!(
            "\nDevice {index}: {} ({}, driver {})",
            info.name, info.platform, info.driver
        ));
        let gpu = match Gpu::open(Some(&index.to_string()), TimingMode::Off) {
            Ok(gpu) => gpu,
            Err(error) => {
                report::line(format_args!("  {error}"));
                devices.push(json!({"index": index, "device": info, "failure": error.to_string()}));
                return Err(error);
            }
        };
        let info = gpu.info();
        describe(info).iter().for_each(|(what, words)| report::line(format_args!("  {what:<22}{words}")));
        let mut verdicts = Vec::new();
        let mut seconds = 0.0;
        if !self.no_check {
            let started = Instant::now();
            let precision = match self.precision {
                Some(precision) => precision,
                None if info.fp64 => Precision::Mixed,
                None => Precision::Single,
            };
            if precision == Precision::Mixed && !info.fp64 {
                return Err(Error::new(format!("{} has no fp64", info.name)).help("use --precision single"));
            }
            report::require(&gpu, precision)?;
            report::line(format_args!(
                "  self-check in {} precision, against the plain f64 twins",
                precision.name()
            ));
            for family in Family::ALL {
                if signals::interrupted() {
                    return Err(Error::new("doctor: interrupted"));
                }
                if !self.only.is_empty() && !self.only.contains(&family) {
                    continue;
                }
                let verdict = family.check(&gpu, precision);
                let word = match verdict.right {
                    Some(true) => "right",
                    Some(false) => "WRONG",
                    None => "-",
                };
                report::line(format_args!("    {:<26}{word:<7}{}", family.words(), verdict.words));
                verdicts.push(verdict);
            }
            seconds = started.elapsed().as_secs_f64();
            report::line(format_args!("  done in {seconds:.1} s"));
        }
        devices.push(json!({
            "index": index,
            "device": info,
            "shaped_as": info.shaped_as(),
            "makes_several_steps": info.makes_several_steps(),
            "fetches_ahead": info.fetches_ahead(),
            "check": verdicts,
            "check_seconds": seconds,
        }));
        Ok(verdicts)
    }
}

/// What a device can do, in rows of a table.
fn describe(info: &DeviceInfo) -> Vec<(&'static str, String)> {
    let has = |name: &str| info.extensions.iter().any(|extension| extension == name);
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let kind = match (info.kind, info.shaped_as()) {
        _ if info.is_simulator => "a simulator",
        (DeviceKind::Gpu, _) => "GPU",
        (DeviceKind::Cpu, DeviceKind::Gpu) => "CPU that makes vectors of work-items: shapes of a GPU",
        (DeviceKind::Cpu, _) => "CPU",
        (DeviceKind::Accelerator, _) => "accelerator",
        (DeviceKind::Other, _) => "of another kind",
    };
    vec![
        ("kind", kind.to_owned()),
        ("OpenCL", info.version.clone()),
        ("compute units", format!("{} at {} MHz", info.units, info.clock)),
        ("memory", format!("{}, largest buffer {}", mib(info.memory), mib(info.max_alloc))),
        ("local memory", format!("{} KiB", info.local_memory >> 10)),
        ("work-group", format!("{} work-items at most, {} in step", info.max_work_group, info.simd)),
        ("fp64", if info.fp64 { "yes".to_owned() } else { "no: -precision single only".to_owned() }),
        ("fma", yes(info.fma)),
        ("sub-groups", yes(has("cl_khr_subgroups") || has("cl_intel_subgroups"))),
        ("shuffles", yes(has("cl_khr_subgroup_shuffle") || info.is_nvidia())),
        ("int64 atomics", yes(has("cl_khr_int64_base_atomics"))),
        ("zero-copy", yes(info.unified)),
        ("several steps/launch", yes(info.makes_several_steps())),
    ]
}
