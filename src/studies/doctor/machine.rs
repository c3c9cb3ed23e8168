//! Which GPUs are in the machine, whether OpenCL shows them or not, and what to install for those that it does not.

use std::fs;
use std::path::Path;

use crate::gpu::{DeviceInfo, DeviceKind};

/// Vendors by their PCI number: what devices' vendors have in their names, and what is to be installed.
const VENDORS: [(&str, &str, &str, &str); 3] = [
    (
        "0x10de",
        "NVIDIA",
        "NVIDIA",
        "NVIDIA's driver with its OpenCL (Debian, Ubuntu: nvidia-opencl-icd, or libnvidia-compute)",
    ),
    (
        "0x1002",
        "Advanced Micro Devices",
        "AMD",
        "ROCm's OpenCL (rocm-opencl-icd), or mesa-opencl-icd with RUSTICL_ENABLE=radeonsi",
    ),
    ("0x8086", "Intel", "Intel", "Intel's compute runtime (Debian, Ubuntu: intel-opencl-icd)"),
];

/// What to install, for the devices that there are.
pub(super) fn advice<'a>(found: impl Iterator<Item = &'a DeviceInfo>) -> Vec<String> {
    advice_for(&found.collect::<Vec<_>>(), &displays(Path::new("/sys/bus/pci/devices")))
}

fn advice_for(found: &[&DeviceInfo], displays: &[String]) -> Vec<String> {
    let mut advice = Vec::new();
    for (number, in_name, name, install) in VENDORS {
        let shown = found.iter().any(|info| info.kind == DeviceKind::Gpu && info.vendor.contains(in_name));
        if !shown && displays.iter().any(|vendor| vendor == number) {
            advice.push(format!(
                "a GPU of {name} is in this machine, and no OpenCL device shows it: install {install}"
            ));
        }
    }
    if !found.iter().any(|info| info.kind == DeviceKind::Cpu && !info.is_simulator && !info.is_llvmpipe()) {
        advice.push(
            "no OpenCL device shows the CPU: install pocl-opencl-icd (Debian, Ubuntu), or run ./setup.sh"
                .to_owned(),
        );
    }
    advice
}

/// The vendors of what is in the machine to display or to compute (PCI classes 0x03 and 0x12).
fn displays(folder: &Path) -> Vec<String> {
    let read =
        |device: &Path, name| fs::read_to_string(device.join(name)).unwrap_or_default().trim().to_owned();
    let devices = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    devices
        .filter(|device| ["0x03", "0x12"].iter().any(|class| read(device, "class").starts_with(class)))
        .map(|device| read(&device, "vendor"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::devices;

    #[test]
    fn what_is_missing_is_named() {
        let cpu = DeviceInfo { kind: DeviceKind::Cpu, ..devices().expect("PoCL").remove(0) };
        let nvidia =
            DeviceInfo { kind: DeviceKind::Gpu, vendor: "NVIDIA Corporation".to_owned(), ..cpu.clone() };
        let both = ["0x10de".to_owned(), "0x1002".to_owned()];
        assert!(advice_for(&[&cpu, &nvidia], &both[..1]).is_empty());
        let words = advice_for(&[&nvidia], &both);
        assert!(words[0].contains("GPU of AMD") && words[1].contains("pocl-opencl-icd"), "{words:?}");
        assert_eq!(words.len(), 2);
    }

    #[test]
    fn displays_are_those_of_their_class() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, class, vendor) in
            [("a", "0x030000", "0x10de"), ("b", "0x020000", "0x8086"), ("c", "0x120000", "0x1002")]
        {
            fs::create_dir(folder.path().join(name)).expect("made");
            fs::write(folder.path().join(name).join("class"), class).expect("written");
            fs::write(folder.path().join(name).join("vendor"), format!("{vendor}\n")).expect("written");
        }
        let mut found = displays(folder.path());
        found.sort();
        assert_eq!(found, ["0x1002", "0x10de"]);
    }
}
