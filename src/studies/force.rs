//! One force evaluation of a Lennard-Jones liquid, with and without Newton's third law, in all its variants:
//! does it still pay to compute every pair twice and to add nothing atomically?

pub mod ceiling;
pub mod device;
pub mod host;
pub mod liquid;
pub mod table;
pub mod variant;

use std::path::PathBuf;

use clap::ArgAction;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use self::ceiling::Ceilings;
use self::device::{Accuracy, Stage, Timing, timed};
use self::host::{Real, Reference};
use self::liquid::List;
use self::table::{Case, HostRow, Row};
use self::variant::{Atomics, Precision, Variant};
use super::report::{self, DeviceArgs};
use crate::base::error::{Error, Result};
use crate::base::files;
use crate::gpu::Gpu;
use crate::gpu::options::TimingMode;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
#[command(after_help = "A variant's name is list/layout/i-force/lanes, then how lanes are added up and how \
                        forces are added to memory, for example half/rows/registers/8/local/cas. full: without \
                        Newton's third law, half: with it. See docs/force.md.")]
pub struct ForceArgs {
    #[command(flatten)]
    device: DeviceArgs,
    /// Reduced densities
    #[arg(long, value_name = "RHO", num_args = 1.., allow_negative_numbers = true, default_values_t = [1.0, 0.5], action = ArgAction::Set)]
    density: Vec<f64>,
    /// Atoms; default: 100000, at density 0.5 62500
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(100..=20_000_000))]
    atoms: Option<u32>,
    /// Arithmetic; default: both, as far as the device has them
    #[arg(long, value_enum, value_name = "PRECISION", num_args = 1.., action = ArgAction::Set)]
    precision: Vec<Precision>,
    /// Only variants with this in their names, such as full or registers/8; may be repeated
    #[arg(long, value_name = "PARTS")]
    only: Vec<String>,
    /// Evaluations of each variant
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
    /// Stop a variant after about so many seconds, and scale up what was timed
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, allow_negative_numbers = true)]
    seconds: f64,
    /// Seed of the displacements from the lattice
    #[arg(long, default_value_t = 87287, value_parser = clap::value_parser!(u32).range(1..2_147_483_647))]
    seed: u32,
    /// Draw the roofline with the best variants into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Runs it.
///
/// # Errors
/// Bad options, a device that does not open, a file that cannot be written. A variant that fails on the device
/// is reported in its row instead.
pub fn run(args: &ForceArgs) -> Result<()> {
    args.check()?;
    for path in args.svg.iter().chain(&args.device.json) {
        files::check_place(path)?;
    }
    let gpu = Gpu::open(args.device.device.as_deref(), TimingMode::Off)?;
    let precisions = args.precisions(&gpu)?;
    let mut cases = Vec::new();
    report::line(format_args!("{} ({}), driver {}", gpu.info().name, gpu.info().platform, gpu.info().driver));
    for &density in &args.density {
        let atoms = args.atoms.map_or(if density == 0.5 { 62_500 } else { 100_000 }, |atoms| atoms as usize);
        let x = liquid::positions(density, atoms, args.seed);
        let full = List::full(&x)?;
        let half = full.half()?;
        for &precision in &precisions {
            let case = match precision {
                Precision::Fp32 => args.case::<f32>(&gpu, density, &x, &full, &half),
                Precision::Fp64 => args.case::<f64>(&gpu, density, &x, &full, &half),
            }?;
            report::line(format_args!("\n{case}"));
            cases.push(case);
        }
    }
    let answer = table::answer(&gpu.info().name, &cases);
    report::line(format_args!("\n{answer}"));
    if let Some(path) = &args.device.json {
        let mut record = report::header("force", Some(&gpu));
        record["repetitions"] = json!(args.repetitions);
        record["seed"] = json!(args.seed);
        record["cutoff"] = json!(liquid::CUTOFF);
        record["list_cutoff"] = json!(liquid::REACH);
        record["cases"] = json!(cases);
        record["answer"] = json!(answer);
        report::save(path, &record)?;
    }
    if let Some(path) = &args.svg {
        table::roofline(&gpu.info().name, &cases).save(path)?;
    }
    Ok(())
}

impl ForceArgs {
    /// Whether the options make sense, before any device work.
    fn check(&self) -> Result<()> {
        // Below this no atom has neighbours; above, displaced atoms nearly touch.
        let sensible = 0.1..=2.0;
        if let Some(density) = self.density.iter().find(|density| !sensible.contains(*density)) {
            return Err(Error::new(format!("--density {density}: expected reduced densities from 0.1 to 2")));
        }
        for word in self.only.iter().flat_map(|parts| parts.split('/')) {
            if !variant::WORDS.contains(&word) {
                return Err(Error::new(format!("--only {word}: names of variants have no such part"))
                    .help(format!("they are made of {}", variant::WORDS.join(" "))));
            }
        }
        if !(self.seconds > 0.0 && self.seconds.is_finite()) {
            return Err(Error::new(format!("--seconds {}: expected a time above 0", self.seconds)));
        }
        Ok(())
    }

    fn precisions(&self, gpu: &Gpu) -> Result<Vec<Precision>> {
        let info = gpu.info();
        match self.precision.as_slice() {
            [] if info.fp64 => Ok(vec![Precision::Fp32, Precision::Fp64]),
            [] => {
                report::line(format_args!("{} has no fp64: single precision only", info.name));
                Ok(vec![Precision::Fp32])
            }
            wanted if wanted.contains(&Precision::Fp64) && !info.fp64 => {
                Err(Error::new(format!("{} does not compute in double precision", info.name))
                    .help("leave --precision out, or say --precision fp32"))
            }
            wanted => Ok(wanted.to_vec()),
        }
    }

    /// The variants that `--only` leaves.
    fn wanted(&self, all: Vec<Variant>) -> Result<Vec<Variant>> {
        let names: Vec<String> = all.iter().map(Variant::name).collect();
        let has = |name: &str, part: &str| format!("/{name}/").contains(&format!("/{part}/"));
        let is_wanted = |name: &str| self.only.is_empty() || self.only.iter().any(|part| has(name, part));
        let wanted: Vec<Variant> = all
            .into_iter()
            .zip(&names)
            .filter(|(_, name)| is_wanted(name))
            .map(|(variant, _)| variant)
            .collect();
        if wanted.is_empty() {
            return Err(Error::new(format!(
                "--only {}: no variant has these parts in its name",
                self.only.join(" ")
            ))
            .help(format!("on this device there are {}", names.join(", "))));
        }
        Ok(wanted)
    }

    /// One liquid in one precision: host, ceilings, and every variant.
    fn case<T: Real>(
        &self,
        gpu: &Gpu,
        density: f64,
        x: &[[f64; 3]],
        full: &List,
        half: &List,
    ) -> Result<Case> {
        let precision = T::PRECISION;
        // The reference starts from the positions that the device has.
        let rows = device_positions::<T>(x);
        let rounded: Vec<[f64; 3]> =
            rows[..x.len()].iter().map(|row| std::array::from_fn(|c| row[c].to_f64())).collect();
        let reference = host::reference(&rounded, half, precision.rounding());
        let mut additions = Vec::new();
        let mut notes = Vec::new();
        for atomics in Atomics::candidates(gpu.info(), precision) {
            if let Err(error) = atomics.scatter(gpu, precision) {
                log::debug!("{error}");
                notes.push(format!("{}: not offered by this device", atomics.name()));
                continue;
            }
            additions.push((atomics, ceiling::additions(gpu, precision, atomics, half)?));
        }
        additions.sort_by(|a, b| b.1.total_cmp(&a.1));
        let atomics: Vec<Atomics> = additions.iter().map(|(atomics, _)| *atomics).collect();
        let variants = self.wanted(Variant::all(gpu.info(), &atomics))?;
        let ceilings = Ceilings {
            operations: crate::engine::roofline::arithmetic(gpu, precision == Precision::Fp64)?,
            memory: ceiling::reading(gpu, 1 << 30)?,
            full_list: ceiling::reading(gpu, 4 * full.len() as u64)?,
            half_list: ceiling::reading(gpu, 4 * half.len() as u64)?,
            additions,
        };
        let mut case = Case {
            density,
            precision,
            atoms: x.len(),
            full_entries: full.len() as u64,
            half_entries: half.len() as u64,
            pairs: reference.pairs,
            repetitions: self.repetitions as usize,
            ceilings,
            host: self.host_rows(&rows, full, &reference)?,
            rows: Vec::new(),
            notes,
        };
        let mut stage = Stage::new(gpu, &rows, full, half)?;
        let bar = progress(variants.len() as u64, &format!("density {density} {}", precision.name()));
        for variant in variants {
            bar.set_message(variant.name());
            let trial = stage.trial(&variant, &reference, self.repetitions as usize, self.seconds);
            case.add(variant, trial);
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(case)
    }

    /// The host's SIMD twin on one thread and on all, checked and timed like the variants.
    fn host_rows<T: Real>(
        &self,
        rows: &[[T; 4]],
        full: &List,
        reference: &Reference,
    ) -> Result<Vec<HostRow>> {
        let mut force = vec![[T::zeroed(); 4]; rows.len()];
        host::vectorised(rows, full, &mut force);
        if let Some(fault) = Accuracy::of(&force, reference).fault() {
            return Err(Error::new(format!("the host's SIMD twin has {fault}")));
        }
        let mut host_rows = Vec::new();
        let all = rayon::current_num_threads();
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|err| Error::new(format!("cannot start {threads} threads: {err}")))?;
            let (repetitions, evaluation) = pool.install(|| {
                timed(self.repetitions as usize, self.seconds, |count| {
                    (0..count).for_each(|_| host::vectorised(rows, full, &mut force));
                    Ok(())
                })
            })?;
            let timing = Timing { repetitions, evaluation, upload: 0.0, download: 0.0 };
            host_rows.push(HostRow { threads, timing });
        }
        Ok(host_rows)
    }
}

/// Positions (x, y, z, 0) as the device has them, and behind them the dummy, too far from any atom to count.
pub fn device_positions<T: Real>(x: &[[f64; 3]]) -> Vec<[T; 4]> {
    const FAR: f64 = -100.0;
    let row = |x: &[f64; 3]| [x[0], x[1], x[2], 0.0].map(T::from_f64);
    x.iter().chain(&[[FAR; 3]]).map(row).collect()
}

fn progress(variants: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(variants);
    let style = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}");
    bar.set_style(style.expect("the template is valid").progress_chars("=> "));
    bar.set_prefix(what.to_owned());
    bar
}

impl Case {
    /// Books what became of a variant.
    fn add(&mut self, variant: Variant, trial: Result<(Accuracy, Option<Timing>)>) {
        let work = self.work(&variant);
        let (accuracy, timing, fault) = match trial {
            Ok((accuracy, timing)) => (Some(accuracy), timing, accuracy.fault()),
            Err(error) => (None, None, Some(error.to_string())),
        };
        let (ceiling, limit) = self.ceilings.seconds(&variant, &work);
        self.rows.push(Row { name: variant.name(), variant, work, ceiling, limit, accuracy, timing, fault });
    }
}
