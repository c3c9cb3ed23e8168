//! The list of devices for people, with measured copy bandwidth.

use super::cl::Mem;
use super::compile::ClKernel;
use super::device::Gpu;
use super::pocl;
use super::program::{Launch, ProgramText};
use super::queue::Queue;
use super::select::{DeviceInfo, DeviceKind, choose, discover};
use super::size;
use super::status::{ClResult, Failure};
use crate::base::error::Result;
use crate::gpu::options::TimingMode;
use serde::Serialize;
use std::rc::Rc;

const KERNEL: &str = "copy";
const COPY: &str = "__kernel void copy(__global const float4 *from, __global float4 *to) {
    const size_t i = get_global_id(0);
    to[i] = from[i];
}
";
const FLOAT4: usize = 16;
const REPEATS: usize = 7;

impl Gpu {
    /// Bytes per second, read and written together, that a plain copy kernel moves: the median of several
    /// copies of 256 MiB (less on a device with little memory), by the device's clock.
    ///
    /// # Errors
    /// A device that failed.
    pub fn copy_bandwidth(&self) -> Result<f64> {
        let info = self.info();
        let most = if info.is_simulator { 1 << 16 } else { 256 << 20 };
        let bytes = most.min(info.memory / 8).min(info.max_alloc) as usize;
        // A power of two, so that the groups come out even.
        let items = 1 << (bytes / FLOAT4).max(1).ilog2();
        self.require_memory(2 * (items * FLOAT4) as u64, "the bandwidth test")?;
        let failed = |failure: Failure| failure.while_doing("measure the copy bandwidth");
        let text = ProgramText::new(self, vec![KERNEL.to_owned()], COPY.to_owned(), pocl::options(info, ""));
        let text = Rc::new(text);
        let kernel = ClKernel::new(text.built(self)?, KERNEL).map_err(failed)?;
        let most = kernel.max_work_group(self.0.device).map_err(failed)?;
        let local = 1 << most.min(256).min(items).max(1).ilog2();
        self.try_to_compile(&text, Launch::new(KERNEL, items, local))?;
        let mut seconds = self.copy_times(&kernel, items, local).map_err(failed)?;
        seconds.sort_by(f64::total_cmp);
        Ok((2 * items * FLOAT4) as f64 / seconds[REPEATS / 2])
    }

    fn copy_times(&self, kernel: &ClKernel, items: usize, local: usize) -> ClResult<Vec<f64>> {
        let inner = &self.0;
        let from = Mem::new(&inner.context, inner.host_flag, items * FLOAT4)?;
        let to = Mem::new(&inner.context, inner.host_flag, items * FLOAT4)?;
        kernel.set(0, bytemuck::bytes_of(&(from.0 as usize)))?;
        kernel.set(1, bytemuck::bytes_of(&(to.0 as usize)))?;
        // A queue of its own: the device's may be without profiling, and these are not the run's launches.
        let queue = Queue::new(&inner.context, inner.device, true)?;
        queue.clear(&from, 0, items * FLOAT4, false)?;
        let mut seconds = Vec::new();
        // The first one also pays for page faults and warm-up.
        for _ in 0..=REPEATS {
            if let Some(event) = kernel.launch(&queue, items, local, true)? {
                event.wait()?;
                seconds.push(event.seconds()?);
            }
        }
        Ok(seconds.split_off(1))
    }
}

/// A device in the list of `clamps devices`.
#[derive(Debug, Serialize)]
pub struct Listed {
    index: usize,
    /// Whether it is taken where none is asked for.
    default: bool,
    #[serde(flatten)]
    info: DeviceInfo,
    /// Bytes per second, where they were measured.
    copy_bandwidth: Option<f64>,
    /// Why they could not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_failure: Option<String>,
}

/// All devices; with `bandwidth`, how fast each copies. A device that fails there is still worth its line.
///
/// # Errors
/// No OpenCL platform or device: says what to install.
pub fn devices_list(bandwidth: bool) -> Result<Vec<Listed>> {
    let all = discover()?;
    let taken = choose(&all, std::env::var("CLAMPS_DEVICE").ok().as_deref()).ok();
    let listed = all.into_iter().enumerate().map(|(index, found)| {
        let open = || Gpu::open(Some(&index.to_string()), TimingMode::Off);
        let measured = bandwidth.then(|| open().and_then(|gpu| gpu.copy_bandwidth()));
        let (copy_bandwidth, copy_failure) = match measured {
            None => (None, None),
            Some(Ok(rate)) => (Some(rate), None),
            Some(Err(err)) => (None, Some(err.to_string())),
        };
        Listed { index, default: taken == Some(index), info: found.info, copy_bandwidth, copy_failure }
    });
    Ok(listed.collect())
}

/// The table that `clamps devices` prints: one line per device, `*` before the one taken by default, and the copy bandwidth
/// in GB/s where it was measured.
pub fn devices_table(list: &[Listed]) -> String {
    let bandwidth = list.iter().any(|one| one.copy_bandwidth.is_some() || one.copy_failure.is_some());
    let mut header = vec![
        "",
        "#",
        "platform",
        "device",
        "kind",
        "units",
        "memory",
        "max alloc",
        "fp64",
        "unified",
        "driver",
    ];
    if bandwidth {
        header.push("copy GB/s");
    }
    let mut rows: Vec<Vec<String>> = vec![header.into_iter().map(String::from).collect()];
    for one in list {
        let info = &one.info;
        let kind = match info.kind {
            _ if info.is_simulator => "simulator",
            DeviceKind::Gpu => "GPU",
            DeviceKind::Cpu => "CPU",
            DeviceKind::Accelerator => "accelerator",
            DeviceKind::Other => "other",
        };
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        let mut row = vec![
            if one.default { "*" } else { "" }.to_owned(),
            one.index.to_string(),
            info.platform.clone(),
            info.name.clone(),
            kind.to_owned(),
            info.units.to_string(),
            size(info.memory),
            size(info.max_alloc),
            yes(info.fp64),
            yes(info.unified),
            info.driver.clone(),
        ];
        if bandwidth {
            row.push(match (one.copy_bandwidth, &one.copy_failure) {
                (Some(rate), _) => format!("{:.1}", rate * 1e-9),
                (None, why) => format!("({})", why.as_deref().unwrap_or_default()),
            });
        }
        rows.push(row);
    }
    let widths: Vec<usize> = (0..rows[0].len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut table = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        table.push_str(cells.join("  ").trim_end());
        table.push('\n');
    }
    table
}
