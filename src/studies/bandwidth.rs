//! Host-device transfer rates from 2 KB to 1 GB: pageable, pinned, mapped, device copy.
//!
//! Source: Zhao, Shi and Yu, "Short-range force algorithm optimization in Lammps based on OpenCL" (Computer
//! Engineering and Science 37, 2015, 1614), section 2.2 and figure 1, which measured 2 KB to 64 MB.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::Result;
use crate::files;
use crate::gpu::{Gpu, TransferBench, TransferTimes};
use crate::options::TimingMode;
use crate::studies::chart::{Chart, Series};
use crate::studies::report::{self, DeviceArgs};

/// The smallest transfer.
const SMALLEST: usize = 2 << 10;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct BandwidthArgs {
    #[command(flatten)]
    device: DeviceArgs,
    /// Largest transfer, as 64K, 16M or 1G; less where the device has less memory
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    max: usize,
    /// Plot the rates into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A column of the table: its heading, its name in the chart and the record, its seconds.
struct Way {
    heading: &'static str,
    name: &'static str,
    seconds: fn(&TransferTimes) -> f64,
}

const fn way(heading: &'static str, name: &'static str, seconds: fn(&TransferTimes) -> f64) -> Way {
    Way { heading, name, seconds }
}

/// To the device, from it, on it.
const WAYS: [Way; 7] = [
    way("pageable", "write, pageable", |times| times.write_pageable),
    way("pinned", "write, pinned", |times| times.write_pinned),
    way("mapped", "write, mapped", |times| times.write_mapped),
    way("pageable", "read, pageable", |times| times.read_pageable),
    way("pinned", "read, pinned", |times| times.read_pinned),
    way("mapped", "read, mapped", |times| times.read_mapped),
    way("copy", "device copy", |times| times.device_copy),
];

/// Measures, prints, writes.
///
/// # Errors
/// No such device, a device that fails or changes the bytes, a file that cannot be written.
pub fn run(args: &BandwidthArgs) -> Result<()> {
    for path in args.svg.iter().chain(&args.device.json) {
        files::check_place(path)?;
    }
    let gpu = Gpu::open(args.device.device.as_deref(), TimingMode::Off)?;
    let info = gpu.info();
    report::line(format_args!("Device: {} ({}, driver {})", info.name, info.platform, info.driver));
    // Oclgrind looks at every byte.
    let most = if info.is_simulator { args.max.min(64 << 10) } else { args.max };
    let mut bench = TransferBench::new(&gpu, most)?;
    report::line("GB/s       |       to the device        |      from the device       | on the device");
    report::line(
        WAYS.iter().fold("size      ".to_owned(), |line, way| line + &format!("{:>10}", way.heading)),
    );
    let mut all = Vec::new();
    let mut bytes = SMALLEST;
    while bytes <= bench.largest() {
        let times = bench.measure(bytes)?;
        report::line(WAYS.iter().fold(format!("{:>10}", label(bytes)), |line, way| {
            line + &format!("{:>10.3}", rate(bytes, (way.seconds)(&times)))
        }));
        all.push(times);
        bytes *= 2;
    }
    let words = verdict(&all);
    report::line("");
    words.iter().for_each(report::line);
    if let Some(path) = &args.svg {
        chart(&gpu, &all).save(path)?;
    }
    if let Some(path) = &args.device.json {
        let mut record = report::header("bandwidth", Some(&gpu));
        record["sizes"] = all.iter().map(record_of).collect();
        record["verdict"] = json!(words);
        report::save(path, &record)?;
    }
    Ok(())
}

/// GB/s, a billion bytes per second.
fn rate(bytes: usize, seconds: f64) -> f64 {
    bytes as f64 / seconds * 1e-9
}

fn record_of(times: &TransferTimes) -> Value {
    let rates: serde_json::Map<String, Value> = WAYS
        .iter()
        .map(|way| (way.name.to_owned(), json!(rate(times.bytes, (way.seconds)(times)))))
        .collect();
    json!({"bytes": times.bytes, "seconds": times, "gb_per_second": rates})
}

fn chart(gpu: &Gpu, all: &[TransferTimes]) -> Chart {
    let series = |way: &Way| Series {
        name: way.name.to_owned(),
        points: all.iter().map(|t| (t.bytes as f64, rate(t.bytes, (way.seconds)(t)))).collect(),
        marks: true,
    };
    Chart {
        title: format!("Transfer rates of {} ({})", gpu.info().name, gpu.info().platform),
        x_label: "Bytes transferred at once".into(),
        y_label: "GB/s".into(),
        log_x: true,
        log_y: true,
        series: WAYS.iter().map(series).collect(),
    }
}

/// What the figures say: from which size mapping beats copying, and from which size copies come near their top
/// rate.
///
/// Mapping and copying are compared over the whole way, since a map moves nothing by itself: the host sets its
/// data, gives them to the device, and the device reads them once; and the way back.
fn verdict(all: &[TransferTimes]) -> Vec<String> {
    let there: Vec<(usize, bool)> = all
        .iter()
        .map(|t| {
            let copied = t.host_fill + t.write_pageable.min(t.write_pinned) + t.device_copy;
            (t.bytes, t.write_mapped + t.copy_from_mapped < copied)
        })
        .collect();
    let back: Vec<(usize, bool)> = all
        .iter()
        .map(|t| {
            let copied = t.device_copy + t.read_pageable.min(t.read_pinned) + t.host_read;
            (t.bytes, t.copy_to_mapped + t.read_mapped < copied)
        })
        .collect();
    let half = |seconds: fn(&TransferTimes) -> f64| {
        let rates: Vec<(usize, f64)> = all.iter().map(|t| (t.bytes, rate(t.bytes, seconds(t)))).collect();
        let top = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        let at = rates.iter().find(|(_, rate)| *rate >= top / 2.0).map_or(0, |(bytes, _)| *bytes);
        format!("{} of {top:.2} GB/s", label(at))
    };
    vec![
        format!("To the device, mapped beats copied {} (host sets, device reads once).", winning(&there)),
        format!("From the device, mapped beats copied {} (device writes, host reads once).", winning(&back)),
        format!(
            "Pinned copies reach half of their top rate at {} to the device and at {} from it.",
            half(|t| t.write_pinned),
            half(|t| t.read_pinned)
        ),
    ]
}

/// "at every size", "from 64 KiB on" and so on.
fn winning(sizes: &[(usize, bool)]) -> String {
    let wins = sizes.iter().filter(|(_, wins)| *wins).count();
    let first = sizes.iter().rposition(|(_, wins)| !wins).map_or(0, |last_loss| last_loss + 1);
    let leading = sizes.iter().take_while(|(_, wins)| *wins).count();
    match wins {
        0 => "at no size".to_owned(),
        wins if wins == sizes.len() => "at every size".to_owned(),
        _ if first < sizes.len() => format!("from {} on", label(sizes[first].0)),
        wins if wins == leading => format!("up to {} only", label(sizes[leading - 1].0)),
        wins => format!("at {wins} of {} sizes, and not at the largest", sizes.len()),
    }
}

/// A power of two in words: `64 KiB`.
fn label(bytes: usize) -> String {
    match bytes {
        bytes if bytes >= 1 << 30 => format!("{} GiB", bytes >> 30),
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

/// `2K`, `64 MB`, `1GiB`, `4096`: in powers of 1024.
fn parse_size(text: &str) -> std::result::Result<usize, String> {
    let lower = text.trim().to_lowercase();
    let digits = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
    let shift = match lower[digits..].trim() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err("a size is a number with K, M or G, such as 64M".into()),
    };
    let number: usize = lower[..digits].parse().map_err(|_| "a size begins with a number, such as 64M")?;
    match number.checked_mul(1 << shift) {
        Some(bytes) if bytes >= SMALLEST => Ok(bytes),
        Some(_) => Err(format!("the smallest transfer is {}", label(SMALLEST))),
        None => Err("that is more than can be addressed".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in
            [("2K", 2048), ("2048", 2048), ("64 MB", 64 << 20), ("1GiB", 1 << 30), ("3m", 3 << 20)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "K", "-1", "1.5G", "64X", "1K", "99999999999G"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_threshold_is_that_of_the_sizes_above_it() {
        let words = |wins: &[bool]| {
            let sizes: Vec<(usize, bool)> = wins.iter().enumerate().map(|(k, w)| (2048 << k, *w)).collect();
            winning(&sizes)
        };
        assert_eq!(words(&[true, true, true]), "at every size");
        assert_eq!(words(&[false, false, false]), "at no size");
        assert_eq!(words(&[true, false, true]), "from 8 KiB on");
        assert_eq!(words(&[true, true, false]), "up to 4 KiB only");
        assert_eq!(words(&[false, true, false]), "at 1 of 3 sizes, and not at the largest");
    }
}
