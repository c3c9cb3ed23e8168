//! The device layer: choice of a device, buffers, programs and their cache, launches and their times.
//!
//! This is the only place that calls OpenCL, and the only one with `unsafe`. [`Gpu`] is one device whose
//! commands have one order: what is enqueued later sees the effects of what was enqueued before, so the rest of the
//! program needs no events. Launching never waits; [`Buffer::view`], [`Gpu::finish`] and
//! [`Gpu::take_records`] do, and [`Buffer::fill`] where the host reaches the buffer itself (unified memory).
//!
//! - `device`, `select`, `environment`: one device and its queue (start with `device`); how it is chosen; the cache's place
//! - `buffer`, `transfer`, `staging`, `window`, `exchange`: memory on the device and copies to it
//! - `program`, `compile`, `pocl`, `builtins`, `cache`, `turn`, `source`, `kernel`: kernel sources to programs, kept in the user's cache, one process
//!   at a time; arguments
//! - `ahead`, `linker`: a second process that compiles what a run is about to launch, and where PoCL's linker is missing tries to
//! - `queue`, `queues`, `profile`, `record`: launches, and the device time that they took
//! - `beyond`: what runtimes do beyond what OpenCL promises, and where they do less
//! - `rehearsal`: program texts for compilers of other devices
//! - `settings`: which values variables of the environment may have
//! - `options`, `status`, `bandwidth`, `cl`: options of a run, error codes, `clamps devices`, the calls of OpenCL
//!
//! May import: `base`.

mod ahead;
mod bandwidth;
pub mod beyond;
mod buffer;
mod builtins;
mod cache;
mod cl;
mod compile;
mod device;
mod environment;
mod exchange;
mod kernel;
mod linker;
pub mod options;
mod pocl;
mod profile;
mod program;
mod queue;
mod queues;
pub mod record;
mod rehearsal;
mod select;
mod settings;
pub mod source;
mod staging;
mod status;
mod transfer;
mod turn;
mod window;

pub use ahead::{help_compile, offer_helper};
pub use bandwidth::{Listed, devices_list, devices_table};
pub use buffer::{Buffer, DeviceMemory};
pub use cache::{cache_folder, pocl_cache_folder};
pub use device::{Gpu, opened};
pub use environment::prepare_environment;
pub use exchange::Exchange;
pub use kernel::{Arg, Kernel};
pub use profile::Draft;
pub use program::{Defines, Program};
pub use select::{DeviceInfo, DeviceKind, PlatformInfo, RankDevice, check, devices, platform_list, select};
pub use settings::check_settings;
pub use transfer::{TransferBench, TransferTimes};
pub use window::SharedWindow;

/// A number of bytes in words: "512 B", "1.50 GiB".
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes as f64, "B");
    for larger in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.2} {unit}") }
}
