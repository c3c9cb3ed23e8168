//! The modified Amdahl law, from timing records.
//!
//! S' = 1 / (s + p' + o), with all three as shares of the host-only time: s what stays serial, p' what the
//! accelerated part takes, o the loss that comes with the accelerator. This form follows the description in Zhao,
//! Shi and Yu, Computer Engineering and Science 37 (2015) 1614, section 2.2, whose equation (3) is not in the text
//! at hand.

use std::path::{Path, PathBuf};

use comfy_table::{CellAlignment, Table, presets};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::base::error::{Error, Result};
use crate::gpu::DeviceKind;
use crate::gpu::record::{HOST, HOST_BESIDE};
use crate::studies::report;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct AmdahlArgs {
    /// Records that `clamps -json FILE` wrote: the host-only one first, then the accelerated ones
    #[arg(value_name = "FILE.json", num_args = 2.., required = true)]
    records: Vec<PathBuf>,
    /// Write the figures to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What is needed of a record (see [`report::Report`](crate::session::report::Report)).
#[derive(Debug, Deserialize)]
struct Record {
    script: String,
    device: Device,
    precision: String,
    runs: Vec<Run>,
}

#[derive(Debug, Deserialize)]
struct Device {
    platform: String,
    name: String,
    kind: DeviceKind,
    units: u32,
}

#[derive(Debug, Deserialize)]
struct Run {
    loop_seconds: f64,
    steps: u64,
    atoms: u64,
    kernels: Vec<Kernel>,
}

#[derive(Debug, Deserialize)]
struct Kernel {
    name: String,
    seconds: f64,
}

/// Commands that move data between host and device.
const TRANSFERS: [&str; 4] = ["read", "write", "map", "unmap"];

/// Where the seconds of a record went.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seconds {
    total: f64,
    kernels: f64,
    transfers: f64,
}

/// The law for one accelerated record; shares are of the host-only time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Law {
    /// Serial share s of the host-only run.
    s: f64,
    /// Accelerated share p': the kernels.
    p_prime: f64,
    /// Loss o: the rest of the accelerated run, beyond s. Negative where the host did its serial part faster.
    o: f64,
    /// Of o, the transfers between host and device.
    transfers: f64,
    /// S' = 1 / (s + p' + o): the host-only time over the accelerated one.
    speedup: f64,
    /// 1 / (s + p'): without the loss.
    without_loss: f64,
    /// 1 / s: kernels that take no time, and no loss.
    ceiling: f64,
    /// 1 / (s + p / N), Amdahl's own law, where the accelerated device is a CPU with N times the compute units.
    amdahl: Option<f64>,
}

/// Reads the records, prints the table and what limits each run.
///
/// # Errors
/// A file that is no timing record, records that were not timed or are of different scripts, steps or atoms, a
/// first record that is not of a CPU, or a file that cannot be written.
pub fn run(args: &AmdahlArgs) -> Result<()> {
    if let Some(path) = &args.json {
        report::check_output(path, &args.records)?;
    }
    let mut records = Vec::new();
    for path in &args.records {
        records.push((path.as_path(), read(path)?));
    }
    let (host_path, host) = &records[0];
    if host.device.kind != DeviceKind::Cpu {
        return Err(Error::new(format!(
            "{} is the record of {}, which is no CPU",
            host_path.display(),
            host.device.name
        ))
        .help("the first record is the host-only one, for example of POCL_MAX_PTHREAD_COUNT=1 clamps -device cpu"));
    }
    for (path, record) in &records[1..] {
        same_work((host_path, host), (path, record))?;
    }
    let laws: Vec<Law> = records[1..].iter().map(|(_, record)| law(host, record)).collect();

    report::line(table(host_path, host, &records[1..], &laws));
    report::line(format_args!("{}, on {}: the host alone.", host_path.display(), describe(host)));
    for ((path, record), law) in records[1..].iter().zip(&laws) {
        report::line(format_args!("{}, on {}: {}", path.display(), describe(record), limit(law)));
        if record.precision != host.precision {
            let (host, here) = (&host.precision, &record.precision);
            report::line(format_args!(
                "    Its precision is {here}, the host's {host}: not the same arithmetic."
            ));
        }
    }
    if let Some(path) = &args.json {
        let mut output = report::header("amdahl", None);
        output["host"] = json!({"file": host_path, "device": describe(host), "seconds": seconds(host).total});
        output["accelerated"] = records[1..]
            .iter()
            .zip(&laws)
            .map(|((path, record), law)| json!({"file": path, "device": describe(record), "law": law}))
            .collect();
        report::save(path, &output)?;
    }
    Ok(())
}

/// Reads a record that holds at least one timed run.
fn read(path: &Path) -> Result<Record> {
    let text = std::fs::read_to_string(path).map_err(|err| Error::io("read", path, &err))?;
    let name = path.display();
    let help = "timing records are written by clamps -in SCRIPT -json FILE";
    let no_record = |why: String| Error::new(format!("{name} is no timing record: {why}")).help(help);
    let value: Value = serde_json::from_str(&text).map_err(|err| no_record(err.to_string()))?;
    if let Some(study) = value["study"].as_str() {
        return Err(no_record(format!("it holds the figures of the study `{study}`")));
    }
    let record: Record = serde_json::from_value(value).map_err(|err| no_record(err.to_string()))?;
    if record.runs.is_empty() {
        return Err(no_record("it holds no run".into()));
    }
    let seconds = seconds(&record);
    if !(seconds.total > 0.0 && seconds.kernels > 0.0) {
        return Err(Error::new(format!("{name} has no kernel times"))
            .help("record runs of at least one step, and without -timing off"));
    }
    Ok(record)
}

/// An error unless both records are of the same script, steps and atoms.
fn same_work(a: (&Path, &Record), b: (&Path, &Record)) -> Result<()> {
    let file = |record: &Record| Path::new(&record.script).file_name().map(ToOwned::to_owned);
    let work = |record: &Record| record.runs.iter().map(|run| (run.steps, run.atoms)).collect::<Vec<_>>();
    let differ = |what: String| {
        Error::new(format!("{} and {} are records of different work: {what}", a.0.display(), b.0.display()))
            .help("a speed-up is that of the same script with the same steps and atoms")
    };
    if file(a.1) != file(b.1) {
        return Err(differ(format!("scripts {} and {}", a.1.script, b.1.script)));
    }
    let (first, second) = (work(a.1), work(b.1));
    if first.len() != second.len() {
        return Err(differ(format!("{} and {} runs", first.len(), second.len())));
    }
    match first.iter().zip(&second).find(|(a, b)| a != b) {
        Some(((steps, atoms), (other_steps, other_atoms))) => Err(differ(format!(
            "{steps} steps of {atoms} atoms and {other_steps} steps of {other_atoms} atoms"
        ))),
        None => Ok(()),
    }
}

/// The sum over the runs of a record.
fn seconds(record: &Record) -> Seconds {
    let mut sum = Seconds { total: 0.0, kernels: 0.0, transfers: 0.0 };
    for run in &record.runs {
        sum.total += run.loop_seconds;
        for kernel in &run.kernels {
            match kernel.name.as_str() {
                HOST | HOST_BESIDE => {}
                name if TRANSFERS.contains(&name) => sum.transfers += kernel.seconds,
                _ => sum.kernels += kernel.seconds,
            }
        }
    }
    sum
}

fn law(host: &Record, accelerated: &Record) -> Law {
    let (reference, run) = (seconds(host), seconds(accelerated));
    let p = reference.kernels / reference.total;
    let s = 1.0 - p;
    let p_prime = run.kernels / reference.total;
    let o = (run.total - run.kernels) / reference.total - s;
    let processors = f64::from(accelerated.device.units) / f64::from(host.device.units.max(1));
    Law {
        s,
        p_prime,
        o,
        transfers: run.transfers / reference.total,
        speedup: reference.total / run.total,
        without_loss: speedup(s + p_prime),
        ceiling: speedup(s),
        amdahl: (accelerated.device.kind == DeviceKind::Cpu).then(|| speedup(s + p / processors)),
    }
}

fn describe(record: &Record) -> String {
    let Device { name, platform, units, .. } = &record.device;
    format!("{name} ({platform}), {units} compute unit{}", if *units == 1 { "" } else { "s" })
}

/// One row per record, the host's first.
fn table(host_path: &Path, host: &Record, records: &[(&Path, Record)], laws: &[Law]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_header([
        "record",
        "units",
        "time, s",
        "s",
        "p'",
        "o",
        "of it transfers",
        "speed-up",
        "without loss",
        "ceiling 1/s",
        "Amdahl",
    ]);
    let alone = seconds(host);
    let p = alone.kernels / alone.total;
    let share = |share: f64| format!("{share:.4}");
    let times = |times: f64| if times.is_finite() { format!("{times:.2}") } else { "none".to_owned() };
    let cells = [share(alone.total), share(1.0 - p), share(p), share(0.0), share(0.0), times(1.0)];
    table.add_row([host_path.display().to_string(), host.device.units.to_string()].into_iter().chain(cells));
    for ((path, record), law) in records.iter().zip(laws) {
        table.add_row([
            path.display().to_string(),
            record.device.units.to_string(),
            share(seconds(record).total),
            share(law.s),
            share(law.p_prime),
            share(law.o),
            share(law.transfers),
            times(law.speedup),
            times(law.without_loss),
            times(law.ceiling),
            law.amdahl.map_or_else(String::new, times),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// The speed-up of a time that is this share of the host-only one; without limit where the parts that are left
/// are too small for the clock.
fn speedup(share: f64) -> f64 {
    if share > 0.0 { 1.0 / share } else { f64::INFINITY }
}

/// What limits the speed-up: the largest of s, p' and o. A negative o says that s, as measured on the host, is not a
/// part of the accelerated run.
fn limit(law: &Law) -> String {
    let percent = |part: f64| 100.0 * part * law.speedup;
    if law.s + law.o <= law.p_prime && law.o < 0.0 {
        return format!(
            "spends {:.0} % of its time in kernels; the host-only run's serial part was its own, so 1/s bounds nothing.",
            percent(law.p_prime)
        );
    }
    if law.p_prime >= law.s.max(law.o) {
        let kernels = percent(law.p_prime);
        format!("limited by its kernels, {kernels:.0} % of its time.")
    } else if law.o >= law.s {
        format!(
            "limited by the loss (launches, waits, transfers), {:.0} % of its time; without it {:.2} times \
             would be {:.2}.",
            percent(law.o),
            law.speedup,
            law.without_loss
        )
    } else {
        format!(
            "limited by the serial part, {:.0} % of its time: no device makes this more than {:.2} times as \
             fast.",
            percent(law.s),
            law.ceiling
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two runs of so many seconds in all, of which so many in kernels and in transfers.
    fn record(kind: DeviceKind, units: u32, total: f64, kernels: f64, transfers: f64) -> Record {
        let kernel = |name: &str, seconds| Kernel { name: name.into(), seconds };
        let run = |share: f64| Run {
            loop_seconds: share * total,
            steps: 10,
            atoms: 4,
            kernels: vec![
                kernel("pair_force", share * kernels),
                kernel("write", share * transfers),
                kernel(HOST, share * 0.125),
            ],
        };
        Record {
            script: "in.lj".into(),
            device: Device { platform: "P".into(), name: "D".into(), kind, units },
            precision: "mixed".into(),
            runs: vec![run(0.25), run(0.75)],
        }
    }

    #[test]
    fn the_parts_add_up_to_the_measured_speedup() {
        // 10 s alone, 8 of them in kernels; 3 s with a GPU: 0.5 in kernels, 0.4 in transfers.
        let host = record(DeviceKind::Cpu, 1, 10.0, 8.0, 0.0);
        let law = law(&host, &record(DeviceKind::Gpu, 100, 3.0, 0.5, 0.4));
        let expected = [
            (law.s, 0.2),
            (law.p_prime, 0.05),
            (law.o, 0.05),
            (law.transfers, 0.04),
            (law.speedup, 10.0 / 3.0),
            (law.without_loss, 4.0),
            (law.ceiling, 5.0),
        ];
        for (value, expected) in expected {
            approx::assert_relative_eq!(value, expected, max_relative = 1e-12);
        }
        assert_eq!(law.amdahl, None, "a GPU's units are not the host's");
        assert!(limit(&law).contains("serial part, 67 %"), "{}", limit(&law));
        // Amdahl's own law: four processors where there was one, 1 / (0.2 + 0.8 / 4).
        let four = super::law(&host, &record(DeviceKind::Cpu, 4, 4.4, 2.2, 0.0));
        approx::assert_relative_eq!(four.amdahl.expect("CPUs"), 2.5, max_relative = 1e-12);
        assert!(limit(&four).contains("kernels, 50 %"), "{}", limit(&four));
    }

    #[test]
    fn without_a_serial_part_there_is_no_ceiling() {
        let host = record(DeviceKind::Cpu, 1, 10.0, 10.0, 0.0);
        let law = law(&host, &record(DeviceKind::Gpu, 100, 4.0, 1.0, 0.5));
        assert_eq!(law.ceiling, f64::INFINITY);
        assert!(limit(&law).contains("the loss (launches, waits, transfers), 75 %"), "{}", limit(&law));
    }

    #[test]
    fn a_serial_part_that_the_other_run_lacks_bounds_nothing() {
        let host = record(DeviceKind::Cpu, 1, 10.0, 5.0, 0.0);
        let law = law(&host, &record(DeviceKind::Cpu, 1, 5.0, 4.5, 0.0));
        approx::assert_relative_eq!(law.o, -0.45, max_relative = 1e-12);
        assert!(
            limit(&law).contains("90 % of its time in kernels") && limit(&law).contains("bounds nothing"),
            "{}",
            limit(&law)
        );
    }
}
