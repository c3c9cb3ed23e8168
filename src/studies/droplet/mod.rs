//! `clamps droplet`: particles in free space that slide down their energy, every pair by van der Waals and Coulomb
//! forces without a cutoff. docs/droplet.md tells the story of the program that this one follows.

mod device;
mod generate;
pub mod host;
mod input;

pub use device::Device;
pub use generate::generate;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;
use serde_json::json;

use super::report::{self, DeviceArgs};
use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::format::g;
use crate::gpu::Gpu;
use crate::gpu::options::{Precision, TimingMode};

/// Depth of the van der Waals well, in energy units.
pub const EPSILON: f64 = 0.2;
/// Distance of its bottom, in distance units.
pub const RIJ: f64 = 2.5;
/// Distance moved per force and step.
pub const RATE: f64 = 0.01;
/// Force of the cap per (r^2 - R^2) x / R.
pub const CAP: f64 = 0.01;
/// The centre is moved to the origin at steps 0, 100, 200, ...
pub const CENTER_EVERY: u32 = 100;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct DropletArgs {
    /// Input: a title, the number of particles, the radius of the droplet, then lines x y z charge
    file: PathBuf,
    /// How many steps to make
    #[arg(required_unless_present = "generate", allow_negative_numbers = true)]
    steps: Option<u32>,
    /// Write a droplet of this many particles to FILE, and stop
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=10_000_000),
          conflicts_with_all = ["steps", "compare_host", "precision", "json"])]
    generate: Option<u32>,
    /// Seed of the generator
    #[arg(long, default_value_t = 1, requires = "generate",
          value_parser = clap::value_parser!(u32).range(1..i64::from(i32::MAX)))]
    seed: u32,
    /// Arithmetic
    #[arg(long, value_name = "PRECISION", default_value = "single", value_parser = report::precisions())]
    precision: Precision,
    /// Run the same steps on the host, on one core and on all, and compare
    #[arg(long)]
    compare_host: bool,
    #[command(flatten)]
    device: DeviceArgs,
}

/// The particles. Units are the user's; a charge squared over a distance is an energy.
#[derive(Clone, Debug, PartialEq)]
pub struct Droplet {
    /// First line of the file.
    pub title: String,
    /// Beyond this distance from the origin the cap pulls back.
    pub radius: f64,
    /// Positions.
    pub x: Vec<[f64; 3]>,
    /// Charges.
    pub charge: Vec<f64>,
}

/// Runs it.
///
/// # Errors
/// A bad file, a device that fails, an energy that is no number.
pub fn run(args: &DropletArgs) -> Result<()> {
    if let Some(n) = args.generate {
        let droplet = generate(n as usize, args.seed);
        return droplet.save(&args.file);
    }
    let steps = args.steps.unwrap_or_default();
    if let Some(path) = &args.device.json {
        report::check_output(path, [&args.file])?;
    }
    let droplet = Droplet::read(&args.file)?.rounded(args.precision);
    let gpu = Gpu::open(args.device.device.as_deref(), TimingMode::Off)?;
    let device = Device::new(&gpu, &droplet, args.precision)?;
    // The first launch of a kernel may cost more than the others: it is not to be seen in the times.
    device.run(1.min(steps), |_, _| {})?;
    device.upload(&droplet)?;

    let mut out = BufWriter::new(std::io::stdout());
    // Nobody to tell when standard output is closed; the record is still wanted.
    let _ = writeln!(out, "{}", droplet.title).and_then(|()| droplet.echo(&mut out, &g(droplet.radius, 6)));
    let mut energies = Vec::new();
    let started = Instant::now();
    device.run(steps, |step, energy| {
        let _ = writeln!(out, "Energy ({step:7}): {energy:15.5}").and_then(|()| out.flush());
        energies.push(energy);
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let last = Droplet { x: device.positions()?, ..droplet.clone() };
    // The stream of the program that this follows is still set to the digits of what it printed last.
    let digits = if steps > 0 { 5 } else { 4 };
    let _ = last.echo(&mut out, &format!("{:.digits$}", droplet.radius));

    let mut record = report::header("droplet", Some(&gpu));
    record["file"] = args.file.display().to_string().into();
    record["particles"] = droplet.x.len().into();
    record["radius"] = droplet.radius.into();
    record["precision"] = args.precision.name().into();
    record["tiling"] = json!(device.tiling());
    record["steps"] = steps.into();
    record["seconds"] = seconds.into();
    record["energies"] = json!(energies);
    if args.compare_host {
        let hosts = run_on_host(&droplet, steps, &energies)?;
        let _ = writeln!(out, "\n{}", table(&gpu, &device, steps, seconds, &hosts));
        record["host"] = json!(hosts);
    }
    let _ = out.flush();
    args.device.json.as_deref().map_or(Ok(()), |path| report::save(path, &record))
}

/// What the host twin took.
#[derive(serde::Serialize)]
struct HostRun {
    threads: usize,
    seconds: f64,
    /// Largest difference of an energy from the device's, relative.
    difference: f64,
}

fn run_on_host(droplet: &Droplet, steps: u32, energies: &[f64]) -> Result<Vec<HostRun>> {
    let all = rayon::current_num_threads();
    let mut counts = vec![1, all];
    counts.dedup();
    let run = |threads| {
        let mut twin = droplet.clone();
        let started = Instant::now();
        let expected = host::run(&mut twin, steps, threads);
        let seconds = started.elapsed().as_secs_f64();
        if let Some(step) = expected.iter().position(|energy| !energy.is_finite()) {
            return Err(not_finite(step as u32 + 1));
        }
        let relative = expected.iter().zip(energies).map(|(a, b)| ((a - b) / a).abs());
        Ok(HostRun { threads, seconds, difference: relative.fold(0.0, f64::max) })
    };
    counts.into_iter().map(run).collect()
}

fn table(gpu: &Gpu, device: &Device, steps: u32, seconds: f64, hosts: &[HostRun]) -> Table {
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN);
    table.set_header([
        "",
        "precision",
        &format!("{steps} steps, s"),
        "ms per step",
        "times",
        "energies differ by",
    ]);
    let mut row = |name: String, precision: Precision, took: f64, difference: String| {
        let per_step = took * 1e3 / f64::from(steps.max(1));
        let times = format!("{:.1}", took / seconds);
        table.add_row([name, precision.name().into(), g(took, 4), g(per_step, 4), times, difference]);
    };
    row(gpu.info().name.clone(), device.precision(), seconds, String::new());
    for host in hosts {
        let name = match host.threads {
            1 => "host, 1 core".to_owned(),
            threads => format!("host, {threads} cores"),
        };
        row(name, Precision::Double, host.seconds, format!("{:.1e}", host.difference));
    }
    table
}

fn not_finite(step: u32) -> Error {
    Error::new(format!("the energy at step {step} is no finite number")).help(
        "particles that are too close are thrown far away by one step of this fixed length; move them apart, or \
         check the charges",
    )
}

impl Droplet {
    /// The mean of the positions.
    pub fn center(&self) -> [f64; 3] {
        std::array::from_fn(|d| self.x.iter().map(|x| x[d]).sum::<f64>() / self.x.len() as f64)
    }

    /// As the device will have it.
    fn rounded(mut self, precision: Precision) -> Self {
        if precision == Precision::Single {
            let round = |x: &mut f64| *x = f64::from(*x as f32);
            self.x.iter_mut().flatten().chain(&mut self.charge).for_each(round);
            round(&mut self.radius);
        }
        self
    }

    /// Writes number, radius and coordinates in the columns of the program that this one follows.
    fn echo(&self, out: &mut impl Write, radius: &str) -> std::io::Result<()> {
        writeln!(out, "\n{}\n{radius}", self.x.len())?;
        for ([x, y, z], charge) in self.x.iter().zip(&self.charge) {
            writeln!(out, " {x:10.6} {y:10.6} {z:10.6} {charge:8.4}")?;
        }
        Ok(())
    }

    /// Writes the file that [`Droplet::read`] reads.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let write = |file: &std::fs::File| {
            let mut out = BufWriter::new(file);
            writeln!(out, "{}\n{}\n{}", self.title, self.x.len(), self.radius)?;
            for ([x, y, z], charge) in self.x.iter().zip(&self.charge) {
                writeln!(out, "{x:.6} {y:.6} {z:.6} {charge:.4}")?;
            }
            out.flush()
        };
        files::write_whole(path, write)
    }
}
