//! Which devices there are, and which one is meant.

use std::sync::Mutex;

use ocl::core::ffi::{
    CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_EXTENSIONS, CL_DEVICE_GLOBAL_MEM_SIZE,
    CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_MAX_CLOCK_FREQUENCY,
    CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_NAME,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_SINGLE_FP_CONFIG,
    CL_DEVICE_TYPE, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_VENDOR,
    CL_DEVICE_VERSION, CL_DRIVER_VERSION, CL_FP_FMA, CL_PLATFORM_NAME, CL_PLATFORM_VERSION,
};
use serde::{Deserialize, Serialize};

use super::cl::{Device, Platform, platforms};
use super::environment::{offers_direct, why_none_answers};
use super::rehearsal;
use crate::base::error::{Error, Result};
use crate::base::ranks;

/// Width of the device's vectors of work-items: CL_DEVICE_WARP_SIZE_NV, CL_DEVICE_WAVEFRONT_WIDTH_AMD, and
/// since OpenCL 3.0 CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE.
const SIMD_PROPERTIES: [u32; 3] = [0x4003, 0x4043, 0x1067];

/// What PoCL's platform is called.
const POCL: &str = "Portable Computing Language";

/// What kind of processor a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A GPU, discrete or integrated.
    Gpu,
    /// The host's processor.
    Cpu,
    /// An accelerator card.
    Accelerator,
    /// Anything else.
    Other,
}

/// A device as it describes itself (OpenCL 3.0 API specification, table "Device Queries").
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Name of the platform, that is, of the runtime.
    pub platform: String,
    /// Name of the device.
    pub name: String,
    /// Who made the device or its runtime.
    pub vendor: String,
    /// Version of the driver.
    pub driver: String,
    /// Version of OpenCL that it offers.
    pub version: String,
    /// Processor kind.
    pub kind: DeviceKind,
    /// Compute units: cores of a CPU, multiprocessors of a GPU.
    pub units: u32,
    /// Clock in MHz; 0 where not known.
    pub clock: u32,
    /// Bytes of global memory.
    pub memory: u64,
    /// Bytes of the largest single buffer.
    pub max_alloc: u64,
    /// Bytes of local memory per work-group.
    pub local_memory: u64,
    /// Work-items in the largest work-group.
    pub max_work_group: usize,
    /// Whether it computes in double precision.
    pub fp64: bool,
    /// Whether it multiplies and adds floats in one operation.
    pub fma: bool,
    /// Whether device and host share memory, so that buffers are reached without a copy.
    pub unified: bool,
    /// Work-items that run in step: warp, wavefront, SIMD width; 1 on CPUs. On a device that does not say it
    /// this is 1 in [`devices`], and asked of its compiler by [`Gpu::open`](super::Gpu::open).
    pub simd: usize,
    /// Floats in a native vector.
    pub vector_width_float: usize,
    /// Doubles in a native vector; 0 without fp64.
    pub vector_width_double: usize,
    /// Whether this is Oclgrind, which checks kernels instead of running them fast.
    pub is_simulator: bool,
    /// Names of the extensions.
    pub extensions: Vec<String>,
}

impl DeviceInfo {
    /// Whether the runtime is PoCL.
    pub fn is_pocl(&self) -> bool {
        self.platform.contains(POCL)
    }

    fn new(platform: &str, device: Device) -> Self {
        let number = |what| device.integer(what).unwrap_or(0);
        let name = device.text(CL_DEVICE_NAME);
        let types = number(CL_DEVICE_TYPE);
        let kind = match () {
            () if types & CL_DEVICE_TYPE_GPU != 0 => DeviceKind::Gpu,
            () if types & CL_DEVICE_TYPE_CPU != 0 => DeviceKind::Cpu,
            () if types & CL_DEVICE_TYPE_ACCELERATOR != 0 => DeviceKind::Accelerator,
            () => DeviceKind::Other,
        };
        let is_cpu = kind == DeviceKind::Cpu;
        let simd = SIMD_PROPERTIES.iter().find_map(|&what| device.integer(what).filter(|&w| w > 0));
        DeviceInfo {
            platform: platform.to_owned(),
            vendor: device.text(CL_DEVICE_VENDOR),
            driver: device.text(CL_DRIVER_VERSION),
            version: device.text(CL_DEVICE_VERSION),
            kind,
            units: number(CL_DEVICE_MAX_COMPUTE_UNITS) as u32,
            clock: number(CL_DEVICE_MAX_CLOCK_FREQUENCY) as u32,
            memory: number(CL_DEVICE_GLOBAL_MEM_SIZE),
            max_alloc: number(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            local_memory: number(CL_DEVICE_LOCAL_MEM_SIZE),
            max_work_group: number(CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize,
            fp64: number(CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
            fma: number(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_FMA != 0,
            // A CPU's memory is the host's, whatever its runtime says.
            unified: is_cpu || number(CL_DEVICE_HOST_UNIFIED_MEMORY) != 0,
            simd: if is_cpu { 1 } else { simd.unwrap_or(1) as usize },
            vector_width_float: number(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) as usize,
            vector_width_double: number(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) as usize,
            is_simulator: platform == "Oclgrind" || name.contains("Oclgrind"),
            extensions: device.text(CL_DEVICE_EXTENSIONS).split_whitespace().map(String::from).collect(),
            name,
        }
    }

    /// Whether another device is of the same kind, so that both give the same bits.
    pub fn is_like(&self, other: &DeviceInfo) -> bool {
        (&self.name, &self.platform, &self.driver) == (&other.name, &other.platform, &other.driver)
            && (self.shaped_as(), self.simd, self.fp64) == (other.shaped_as(), other.simd, other.fp64)
    }

    /// What devices of different kinds have in common, for work that is cut up in one way for all of them: as for a GPU where one of them is one.
    /// Of what only some of them can do it has nothing.
    pub(super) fn common(devices: &[&DeviceInfo]) -> Option<DeviceInfo> {
        let gpus = devices.iter().copied().filter(|device| device.shaped_as() == DeviceKind::Gpu);
        let joined = |text: fn(&DeviceInfo) -> &String| {
            let mut all: Vec<&str> = devices.iter().map(|device| text(device).as_str()).collect();
            all.dedup();
            all.join(" + ")
        };
        let smallest = |mut common: DeviceInfo, other: &DeviceInfo| {
            common.units = common.units.min(other.units);
            common.clock = common.clock.min(other.clock);
            common.memory = common.memory.min(other.memory);
            common.max_alloc = common.max_alloc.min(other.max_alloc);
            common.local_memory = common.local_memory.min(other.local_memory);
            common.max_work_group = common.max_work_group.min(other.max_work_group);
            common.fp64 &= other.fp64;
            common.fma &= other.fma;
            common.unified &= other.unified;
            common.vector_width_float = common.vector_width_float.min(other.vector_width_float);
            common.vector_width_double = common.vector_width_double.min(other.vector_width_double);
            common.is_simulator |= other.is_simulator;
            common
        };
        let common = devices.iter().copied().fold(DeviceInfo::clone(devices.first()?), smallest);
        Some(DeviceInfo {
            platform: joined(|device| &device.platform),
            name: joined(|device| &device.name),
            driver: joined(|device| &device.driver),
            vendor: String::new(),
            version: String::new(),
            kind: gpus.clone().next().map_or(common.kind, |_| DeviceKind::Gpu),
            simd: gpus.map(|device| device.simd).min().unwrap_or(1),
            extensions: Vec::new(),
            ..common
        })
    }

    /// Larger is the better default.
    fn rank(&self) -> impl Ord {
        let kind = match self.kind {
            DeviceKind::Gpu => 3,
            DeviceKind::Cpu => 2,
            DeviceKind::Accelerator => 1,
            DeviceKind::Other => 0,
        };
        // PoCL runs everywhere; a vendor's own runtime for the same processor is faster where there is one.
        let speed = u64::from(self.units) * u64::from(self.clock.max(1));
        (!self.is_simulator, kind, !self.unified, !self.is_pocl(), speed)
    }
}

/// The device of a rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RankDevice {
    /// What it says of itself.
    pub info: DeviceInfo,
    /// Number of its platform on its machine, and its number there.
    pub position: (usize, usize),
    /// The machine's name, as far as it tells that, and which of its devices the rank is shown.
    pub machine: String,
}

impl RankDevice {
    /// Whether it is the same one as another rank's.
    pub fn is(&self, other: &RankDevice) -> bool {
        (self.position, &self.machine) == (other.position, &other.machine)
    }
}

/// A device with what it takes to open it.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) platform: Platform,
    pub(super) device: Device,
    /// Number of its platform, and its number there.
    pub(super) position: (usize, usize),
    pub(super) info: DeviceInfo,
    /// One core of it, where commands are done by the thread that enqueues them: PoCL's device `basic`.
    pub(super) direct: Option<Box<Found>>,
}

impl Found {
    fn new(platform: Platform, platform_name: &str, device: Device, position: (usize, usize)) -> Self {
        Found { platform, device, position, info: DeviceInfo::new(platform_name, device), direct: None }
    }
}

/// All devices of all platforms, in the order of the OpenCL loader (that of `clinfo -l`); a device's index is
/// its position.
///
/// # Errors
/// When there is no OpenCL platform, or none with a device: says what to install.
pub fn devices() -> Result<Vec<DeviceInfo>> {
    Ok(discover()?.into_iter().map(|found| found.info).collect())
}

/// A platform as it describes itself.
#[derive(Clone, Debug, Serialize)]
pub struct PlatformInfo {
    /// Its name.
    pub name: String,
    /// Version of OpenCL and of the runtime.
    pub version: String,
    /// How many devices it shows.
    pub devices: usize,
}

/// All platforms, those without devices included; none where the loader finds none.
pub fn platform_list() -> Vec<PlatformInfo> {
    let text = |platform: &Platform, what| platform.text(what).unwrap_or_default();
    let platforms = platforms().unwrap_or_default();
    platforms
        .iter()
        .map(|platform| PlatformInfo {
            name: text(platform, CL_PLATFORM_NAME),
            version: text(platform, CL_PLATFORM_VERSION),
            devices: platform
                .devices()
                .map_or(0, |devices| devices.into_iter().filter(|d| !is_direct(*d)).count()),
        })
        .collect()
}

/// The devices meant by `selector`, which is as for [`Gpu::open`](super::Gpu::open), or `all`: with their indices.
///
/// # Errors
/// As [`devices`], or no such device: lists those that there are.
pub fn select(selector: &str) -> Result<Vec<(usize, DeviceInfo)>> {
    let found = discover()?;
    let only = match selector.trim() {
        "all" => None,
        one => Some(choose(&found, Some(one))?),
    };
    let all = found.into_iter().map(|found| found.info).enumerate();
    Ok(all.filter(|(index, _)| only.is_none_or(|only| only == *index)).collect())
}

/// Fails where [`Gpu::open`](super::Gpu::open) would find no such device.
///
/// # Errors
/// As [`select`].
pub fn check(selector: &str) -> Result<()> {
    choose_for_rank(&discover()?, Some(selector)).map(drop)
}

/// As [`devices`], with the handles.
pub(super) fn discover() -> Result<Vec<Found>> {
    // PoCL 3.1 shows no devices to a second thread that asks while it starts up.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    let platforms = platforms().map_err(|failure| failure.while_doing("list the OpenCL platforms"))?;
    let mut all = Vec::new();
    for (p, &platform) in platforms.iter().enumerate() {
        let name = platform.text(CL_PLATFORM_NAME).unwrap_or_default();
        let mut devices = platform.devices().unwrap_or_else(|failure| {
            // One broken driver must not hide the others.
            log::warn!("platform {name} does not list its devices: {}", failure.name());
            Vec::new()
        });
        // That one is there because this program has asked for it, and it is no other device than the one with threads.
        let both = offers_direct() && name.contains(POCL);
        let direct = both.then(|| devices.extract_if(.., |device| is_direct(*device)).next()).flatten();
        for (d, &device) in devices.iter().enumerate() {
            let direct = direct.map(|direct| Box::new(Found::new(platform, &name, direct, (p, d))));
            let mut found = Found { direct, ..Found::new(platform, &name, device, (p, d)) };
            if rehearsal::pretend(&mut found.info) {
                found.direct = None;
            }
            all.push(found);
        }
    }
    if all.is_empty() {
        let install = "for the CPU install pocl-opencl-icd and ocl-icd-libopencl1 (Debian, Ubuntu), or run ./setup.sh; \
                       for a GPU install its vendor's driver with OpenCL";
        let (what, help) = match platforms.is_empty() {
            true => ("OpenCL platform", install.to_owned()),
            false => (
                "OpenCL device",
                format!(
                    "PoCL has none where it cannot write its cache: set HOME or POCL_CACHE_DIR to a folder that can be \
                     written; else {install}"
                ),
            ),
        };
        if let Some(why) = why_none_answers() {
            let message = format!("no {what} can be used, though some are installed: {why}");
            return Err(
                Error::new(message).help("repair the installation, raise the limit, or run ./setup.sh")
            );
        }
        return Err(Error::new(format!("there is no {what} on this machine")).help(help));
    }
    Ok(all)
}

/// Whether a device of PoCL's does its commands in the thread that enqueues them: newer versions call it `cpu-minimal`.
fn is_direct(device: Device) -> bool {
    let name = device.text(CL_DEVICE_NAME);
    ["basic", "cpu-minimal"]
        .iter()
        .any(|driver| name.strip_prefix(driver).is_some_and(|rest| rest.starts_with('-')))
}

/// The device of this rank among those of its machine: where there are several like the one that is meant, they take turns.
/// A list `0,1,1` has one for each, and begins anew at its end.
pub(super) fn choose_for_rank(all: &[Found], selector: Option<&str>) -> Result<usize> {
    let (rank, count) = (ranks::local()[0], ranks::most_on_a_machine());
    let words: Vec<&str> = selector.unwrap_or_default().split(',').map(str::trim).collect();
    let chosen = (count == 1).then(|| choose(all, selector));
    match chosen {
        Some(chosen) if chosen.is_ok() || words.len() == 1 => return chosen,
        _ if words.len() > count => return Err(too_many(&words, count)),
        _ => {}
    }
    // A mistake in the list is all ranks' of a machine to meet, whoever's device it would be; a machine with fewer ranks need not have all.
    words.iter().take(ranks::local()[1]).try_for_each(|word| choose(all, Some(word)).map(drop))?;
    let mine = rank % words.len();
    let chosen = choose(all, Some(words[mine]))?;
    let kin =
        |one: &Found, other: &Found| one.info.name == other.info.name && one.position.0 == other.position.0;
    let named = words[mine].parse::<usize>().is_ok() || words[mine].contains(':');
    let alike: Vec<usize> = match named {
        true => vec![chosen],
        false => (0..all.len()).filter(|&k| kin(&all[k], &all[chosen])).collect(),
    };
    // Ranks before this one that want one of the same.
    let before = (0..rank).filter(|before| words[before % words.len()] == words[mine]).count();
    Ok(alike[before % alike.len()])
}

/// The error of a list with more devices than any machine has ranks.
fn too_many(words: &[&str], count: usize) -> Error {
    let (devices, list) = (words.len(), words.join(","));
    let whose = match (count, ranks::machines()) {
        (1, 1) => "one process".to_owned(),
        (_, 1) => format!("the {count} ranks of this machine"),
        (1, _) => "machines of one rank each".to_owned(),
        _ => format!("machines of at most {count} ranks"),
    };
    let start = match ranks::machines() {
        1 => format!("start {devices} ranks on it (mpirun -np {devices} clamps ...)"),
        _ => format!("start {devices} ranks on a machine"),
    };
    Error::new(format!("`{list}` names {devices} devices for {whose}"))
        .help(format!("{start}, or name as many as there are; a shorter list begins anew at its end"))
}

/// The index of the device meant by `selector`: `gpu`, `cpu`, INDEX, PLATFORM:DEVICE (numbers or parts of
/// names), or part of a name. `None` means the best GPU, else the best CPU.
pub(super) fn choose(all: &[Found], selector: Option<&str>) -> Result<usize> {
    let Some(selector) = selector.map(str::trim).filter(|text| !text.is_empty()) else {
        return best(all, |_| true).ok_or_else(|| no_such(all, "default"));
    };
    let word = selector.to_lowercase();
    let has = |name: &str, part: &str| name.to_lowercase().contains(part);
    let found = match (word.as_str(), word.parse::<usize>(), word.split_once(':')) {
        ("gpu", ..) => best(all, |found| found.info.kind == DeviceKind::Gpu),
        ("cpu", ..) => best(all, |found| found.info.kind == DeviceKind::Cpu),
        (_, Ok(index), _) => (index < all.len()).then_some(index),
        (_, _, Some((platform, device))) => {
            let fits = |part: &str, number: usize, name: &str| match part.parse::<usize>() {
                Ok(wanted) => wanted == number,
                Err(_) => has(name, part),
            };
            best(all, |found| {
                fits(platform, found.position.0, &found.info.platform)
                    && fits(device, found.position.1, &found.info.name)
            })
        }
        (name, ..) => best(all, |found| has(&found.info.name, name))
            .or_else(|| best(all, |found| has(&found.info.platform, name) || has(&found.info.vendor, name))),
    };
    found.ok_or_else(|| no_such(all, selector))
}

/// The best of those that fit; the first among equals.
fn best(all: &[Found], fits: impl Fn(&Found) -> bool) -> Option<usize> {
    let fitting = all.iter().enumerate().filter(|(_, found)| fits(found));
    fitting.rev().max_by_key(|(_, found)| found.info.rank()).map(|(index, _)| index)
}

fn no_such(all: &[Found], selector: &str) -> Error {
    let list: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(index, Found { position: (p, d), info, .. })| {
            format!("{index} ({p}:{d}) {} ({})", info.name, info.platform)
        })
        .collect();
    Error::new(format!("there is no OpenCL device `{selector}`")).help(format!(
        "choose with gpu, cpu, an index, PLATFORM:DEVICE or part of a name; there are: {}",
        list.join(", ")
    ))
}
