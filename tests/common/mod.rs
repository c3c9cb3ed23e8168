//! What the integration tests share.
#![allow(dead_code, unreachable_pub, reason = "each test file is a crate, and uses a part of this")]
#![allow(clippy::unwrap_used)]

use clamps::gpu::options::TimingMode;
use clamps::gpu::{DeviceInfo, Gpu, devices};

/// Every device of this machine, opened, or the one that CLAMPS_TEST_DEVICE selects (as `-device` does). A
/// machine without any fails the test: PoCL is part of the set-up.
pub fn test_devices() -> Vec<Gpu> {
    test_devices_with(TimingMode::Full)
}

/// As [`test_devices`], with a timing mode.
pub fn test_devices_with(timing: TimingMode) -> Vec<Gpu> {
    if let Ok(selector) = std::env::var("CLAMPS_TEST_DEVICE") {
        return vec![Gpu::open(Some(&selector), timing).expect("opens")];
    }
    let found = devices().expect("an OpenCL device");
    assert!(!found.is_empty());
    (0..found.len()).map(|index| Gpu::open(Some(&index.to_string()), timing).expect("opens")).collect()
}

/// For messages of failed tests.
pub fn label(info: &DeviceInfo) -> String {
    format!("{} ({})", info.name, info.platform)
}
