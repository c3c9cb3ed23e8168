//! Host-device transfer rates from 2 KB to 1 GB: pageable, pinned, mapped, device copy.
//!
//! Source: Zhao, Shi and Yu, "Short-range force algorithm optimization in Lammps based on OpenCL" (Computer
//! Engineering and Science 37, 2015, 1614), section 2.2 and figure 1, which measured 2 KB to 64 MB.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::base::error::Result;
use crate::base::files;
use crate::gpu::options::TimingMode;
use crate::gpu::{Gpu, TransferBench, TransferTimes};
use crate::studies::chart::{Chart, Series};
use crate::studies::report::{self, DeviceArgs};

/// How often each size is measured: what does not come out the same way every time is noise.
const ROUNDS: usize = 5;

/// From this size on the rate of a copy says where its source lies; below, what a call costs hides it.
const TELLING: usize = 4 << 20;

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
        let size = Size { bytes, rounds: bench.measure(bytes, ROUNDS)? };
        report::line(WAYS.iter().fold(format!("{:>10}", label(bytes)), |line, way| {
            line + &format!("{:>10.3}", size.rate(way.seconds))
        }));
        all.push(size);
        bytes *= 2;
    }
    report::line(format_args!(
        "\nTime of the copied way over that of the mapped way, least to most of {ROUNDS} rounds\nsize      {:>20}{:>20}",
        "to the device", "from the device"
    ));
    for size in &all {
        let range = |ratios: [f64; 2]| format!("{:.2} to {:.2}", ratios[0], ratios[1]);
        let [to, from] = [size.ratios(gain_to), size.ratios(gain_from)].map(range);
        report::line(format_args!("{:>10}{to:>20}{from:>20}", label(size.bytes)));
    }
    let words = verdict(info.unified, &all);
    report::line("");
    words.iter().for_each(report::line);
    if let Some(path) = &args.svg {
        chart(&gpu, &all).save(path)?;
    }
    if let Some(path) = &args.device.json {
        let mut record = report::header("bandwidth", Some(&gpu));
        record["sizes"] = all.iter().map(Size::record).collect();
        record["verdict"] = json!(words);
        report::save(path, &record)?;
    }
    Ok(())
}

/// What was measured at one size.
struct Size {
    bytes: usize,
    rounds: Vec<TransferTimes>,
}

impl Size {
    /// The least seconds of all rounds.
    fn least(&self, seconds: fn(&TransferTimes) -> f64) -> f64 {
        self.rounds.iter().map(seconds).fold(f64::INFINITY, f64::min)
    }

    /// GB/s, a billion bytes per second.
    fn rate(&self, seconds: fn(&TransferTimes) -> f64) -> f64 {
        self.bytes as f64 / self.least(seconds) * 1e-9
    }

    /// The least and the most of a ratio of times among the rounds.
    fn ratios(&self, ratio: fn(&TransferTimes) -> f64) -> [f64; 2] {
        let ratios = || self.rounds.iter().map(ratio);
        [ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max)]
    }

    fn record(&self) -> Value {
        let rates: serde_json::Map<String, Value> =
            WAYS.iter().map(|way| (way.name.to_owned(), json!(self.rate(way.seconds)))).collect();
        json!({
            "bytes": self.bytes,
            "rounds": self.rounds,
            "gb_per_second": rates,
            "copied_over_mapped": {"to": self.ratios(gain_to), "from": self.ratios(gain_from)},
        })
    }
}

fn chart(gpu: &Gpu, all: &[Size]) -> Chart {
    let series = |way: &Way| Series {
        name: way.name.to_owned(),
        points: all.iter().map(|size| (size.bytes as f64, size.rate(way.seconds))).collect(),
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

/// How many times as long as the mapped way the copied one takes. Both are the whole way, since a map moves nothing by
/// itself: the host sets its data, gives them to the device, and the device reads them once.
fn gain_to(t: &TransferTimes) -> f64 {
    let copied = (t.host_fill + t.write_pageable).min(t.host_fill_pinned + t.write_pinned) + t.device_copy;
    copied / (t.write_mapped + t.copy_from_mapped)
}

/// The same on the way back: the device writes its data, the host gets them and reads them once.
fn gain_from(t: &TransferTimes) -> f64 {
    let copied = (t.read_pageable + t.host_read).min(t.read_pinned + t.host_read_pinned) + t.device_copy;
    copied / (t.copy_to_mapped + t.read_mapped)
}

/// What the figures say: from which size mapping beats copying, what a mapped buffer is on this device, and from which
/// size copies come near their top rate.
fn verdict(unified: bool, all: &[Size]) -> Vec<String> {
    let outcomes = |ratio| -> Vec<(usize, Outcome)> {
        all.iter().map(|size| (size.bytes, Outcome::of(size.ratios(ratio)))).collect()
    };
    let half = |seconds: fn(&TransferTimes) -> f64| {
        let top = all.iter().map(|size| size.rate(seconds)).fold(0.0, f64::max);
        let at = all.iter().find(|size| size.rate(seconds) >= top / 2.0).map_or(0, |size| size.bytes);
        format!("{} of {top:.2} GB/s", label(at))
    };
    let mut words = vec![
        format!("To the device (host sets, device reads once), {}.", compared(&outcomes(gain_to))),
        format!("From the device (device writes, host reads once), {}.", compared(&outcomes(gain_from))),
    ];
    words.extend(all.last().filter(|size| size.bytes >= TELLING).map(|size| {
        let [mapped, own] = [size.rate(|t| t.copy_from_mapped), size.rate(|t| t.device_copy)];
        whereabouts(unified, mapped, own)
    }));
    words.push(format!(
        "Pinned copies reach half of their top rate at {} to the device and at {} from it.",
        half(|t| t.write_pinned),
        half(|t| t.read_pinned)
    ));
    words
}

/// Where the memory of a mapped buffer lies, by how fast the device reads it and its own, in GB/s.
fn whereabouts(unified: bool, mapped: f64, own: f64) -> String {
    if unified {
        return "Device and host share their memory: a map copies nothing.".to_owned();
    }
    let rates = format!("{mapped:.1} GB/s, its own memory at {own:.1} GB/s");
    // A bus is many times slower than the memory behind it.
    if mapped > 0.4 * own {
        format!(
            "The device is discrete and reads the mapped buffer at {rates}: the driver keeps it in the device's memory \
             and copies it over the bus at each map or unmap, so on this device mapped is not zero-copy."
        )
    } else {
        format!(
            "The device is discrete and reads the mapped buffer at {rates}: it lies in the host's memory, and each kernel \
             that reads it does so over the bus."
        )
    }
}

/// How the two ways compare at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Mapped,
    Copied,
    /// Now the one, now the other.
    Noise,
}

impl Outcome {
    /// By the least and the most of what the rounds say of copied over mapped.
    fn of([least, most]: [f64; 2]) -> Self {
        match () {
            () if least > 1.0 => Outcome::Mapped,
            () if most < 1.0 => Outcome::Copied,
            () => Outcome::Noise,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Outcome::Mapped => "mapped beats copied",
            Outcome::Copied => "copied beats mapped",
            Outcome::Noise => "there is no difference beyond noise",
        }
    }
}

/// "copied beats mapped up to 32 KiB, there is no difference beyond noise at 64 KiB, mapped beats copied from 128 KiB on".
fn compared(sizes: &[(usize, Outcome)]) -> String {
    let stretches: Vec<&[(usize, Outcome)]> = sizes.chunk_by(|a, b| a.1 == b.1).collect();
    let count = stretches.len();
    let words = stretches.iter().enumerate().map(|(k, stretch)| {
        let (first, last) = (label(stretch[0].0), label(stretch[stretch.len() - 1].0));
        let sizes = match (k, stretch.len()) {
            _ if count == 1 => "at every size".to_owned(),
            (0, _) => format!("up to {last}"),
            _ if k + 1 == count => format!("from {first} on"),
            (_, 1) => format!("at {first}"),
            _ => format!("from {first} to {last}"),
        };
        format!("{} {sizes}", stretch[0].1.words())
    });
    words.collect::<Vec<_>>().join(", ")
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
    fn what_does_not_come_out_the_same_every_time_is_noise() {
        let words = |ratios: &[[f64; 2]]| {
            let sizes = ratios.iter().enumerate().map(|(k, &ratios)| (2048 << k, Outcome::of(ratios)));
            compared(&sizes.collect::<Vec<_>>())
        };
        let (mapped, copied, noise) = ([1.01, 1.3], [0.5, 0.99], [0.97, 1.2]);
        assert_eq!(words(&[mapped; 3]), "mapped beats copied at every size");
        assert_eq!(words(&[noise; 3]), "there is no difference beyond noise at every size");
        assert_eq!(
            words(&[copied, copied, noise, mapped, mapped, noise, copied]),
            "copied beats mapped up to 4 KiB, there is no difference beyond noise at 8 KiB, mapped beats copied from \
             16 KiB to 32 KiB, there is no difference beyond noise at 64 KiB, copied beats mapped from 128 KiB on"
        );
    }

    /// The H200's rates at 1 GiB, and those of a bus.
    #[test]
    fn a_mapped_buffer_is_where_its_rate_says() {
        assert!(whereabouts(false, 2036.0, 2092.0).contains("is not zero-copy"));
        assert!(whereabouts(false, 24.0, 700.0).contains("in the host's memory"));
        assert!(whereabouts(true, 4.0, 4.0).contains("a map copies nothing"));
    }
}
