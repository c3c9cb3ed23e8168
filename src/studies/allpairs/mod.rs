//! `clamps allpairs`: a periodic box in which every pair interacts by its nearest image, with tiles of positions
//! staged in local memory. docs/allpairs.md has the figures.

mod device;
pub mod host;
mod measure;
mod system;

pub use device::{Device, MOST_TYPES};
pub use system::{Cutoff, Kind, Recipe, System, of_script};

use std::path::PathBuf;

use crate::base::error::{Error, Result};
use crate::gpu::Gpu;
use crate::gpu::options::{Precision, TimingMode};
use crate::session::options::Options;
use crate::studies::report::{self, DeviceArgs};
use crate::studies::tiles::Tiling;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct AllpairsArgs {
    /// Take the system from what this LAMMPS script leaves, and compare the energies of its last step
    script: Option<PathBuf>,
    /// Define an index variable of the script, which wins over the script's; may be repeated
    #[arg(long, value_name = "NAME VALUES...", requires = "script")]
    var: Vec<String>,
    /// Numbers of atoms
    #[arg(long, value_name = "N", num_args = 1.., allow_negative_numbers = true, value_delimiter = ',', conflicts_with = "script",
          default_values_t = [1000, 2000, 4000, 8000, 12000, 18000],
          value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    atoms: Vec<u32>,
    /// Particle types, in turn; unlike ones mix geometrically
    #[arg(long = "type", value_name = "EPSILON,SIGMA,MASS", num_args = 1.., conflicts_with = "script",
          default_values = ["1,1,1", "0.8,0.9,1.5"])]
    kinds: Vec<Kind>,
    /// Number density
    #[arg(long, default_value = "0.8442", value_parser = positive, allow_negative_numbers = true, conflicts_with = "script")]
    density: f64,
    /// Initial temperature
    #[arg(long, default_value = "1.44", value_parser = positive, allow_negative_numbers = true, conflicts_with = "script")]
    temperature: f64,
    /// Time step
    #[arg(long, value_name = "TIME", default_value = "0.002", value_parser = positive, allow_negative_numbers = true, conflicts_with = "script")]
    dt: f64,
    /// Seed of displacements and velocities
    #[arg(long, default_value_t = 87287, conflicts_with = "script",
          value_parser = clap::value_parser!(u32).range(1..i64::from(i32::MAX)))]
    seed: u32,
    /// Where the potential ends: a length, or none; default: none, or as the script has it
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    cutoff: Option<Cutoff>,
    /// Steps to time
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Steps to time on the host, on one core and on all; 0: do without
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true)]
    host_steps: u32,
    /// Arithmetic; default: single and, where the device has it, double
    #[arg(long, value_name = "PRECISION", num_args = 1.., value_delimiter = ',', value_parser = report::precisions())]
    precision: Vec<Precision>,
    /// Work-group sizes, which are tile sizes, too; default: 128, or less where the device takes less
    #[arg(long, value_name = "SIZE", num_args = 1.., value_delimiter = ',')]
    block: Vec<usize>,
    /// Plot the speed-up over the host against the number of atoms
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    svg: Option<PathBuf>,
    /// Write the initial configuration as a LAMMPS data file
    #[arg(long, value_name = "FILE", conflicts_with = "script")]
    write_data: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArgs,
}

fn positive(word: &str) -> Result<f64, String> {
    match word.parse() {
        Ok(x) if x > 0.0 && f64::is_finite(x) => Ok(x),
        _ => Err("expected a positive number".to_owned()),
    }
}

/// Runs it.
///
/// # Errors
/// Bad options, a bad script, a device that fails, energies that are no numbers.
pub fn run(args: &AllpairsArgs) -> Result<()> {
    if args.write_data.is_some() && args.atoms.len() != 1 {
        return Err(Error::new("--write-data writes one configuration").help("give one number with --atoms"));
    }
    if args.kinds.len() > MOST_TYPES {
        return Err(Error::new(format!("there can be {MOST_TYPES} particle types at most")));
    }
    if args.svg.is_some() && args.host_steps == 0 {
        return Err(Error::new("--svg plots the speed-up over the host").help("leave out --host-steps 0"));
    }
    for path in args.svg.iter().chain(&args.write_data).chain(&args.device.json) {
        report::check_output(path, &args.script)?;
    }
    let gpu = Gpu::open(args.device.device.as_deref(), TimingMode::Off)?;
    let precisions = match (&*args.precision, gpu.info().fp64) {
        ([], true) => vec![Precision::Single, Precision::Double],
        ([], false) => vec![Precision::Single],
        (given, _) => given.to_vec(),
    };
    let blocks = if args.block.is_empty() { vec![Tiling::block(gpu.info())] } else { args.block.clone() };
    let study = measure::Study { args, gpu: &gpu, precisions: &precisions, blocks: &blocks };
    study.check_options()?;
    let (rows, check) = match &args.script {
        Some(path) => {
            let options = Options {
                script: path.display().to_string(),
                device: args.device.device.clone(),
                // What all pairs are compared with is as exact as the most exact of them.
                precision: precisions.contains(&Precision::Double).then_some(Precision::Double),
                ..Options::default()
            };
            let mut session = of_script(path, &args.var, options)?;
            let system = System::new(&mut session, args.cutoff)?;
            // Without the tail correction; of the same potential only.
            let last = session
                .output
                .last_row
                .as_ref()
                .filter(|row| row.step == session.clock.step && args.cutoff.is_none());
            (study.rows(&[system])?, last.map(|row| (row.step, row.pair_energy)))
        }
        None => {
            let cutoff = args.cutoff.unwrap_or(Cutoff::None);
            let system = |&atoms: &u32| {
                let recipe = Recipe {
                    atoms: atoms as usize,
                    kinds: args.kinds.clone(),
                    density: args.density,
                    temperature: args.temperature,
                    dt: args.dt,
                    seed: args.seed,
                };
                System::new(&mut recipe.session(cutoff, args.write_data.as_deref())?, Some(cutoff))
            };
            let systems: Vec<System> = args.atoms.iter().map(system).collect::<Result<_>>()?;
            (study.rows(&systems)?, None)
        }
    };
    study.print(&rows, check);
    if let Some(path) = &args.svg {
        measure::chart(&rows, gpu.info()).save(path)?;
    }
    args.device.json.as_deref().map_or(Ok(()), |path| {
        let mut record = report::header("allpairs", Some(&gpu));
        record["steps"] = args.steps.into();
        record["host_steps"] = args.host_steps.into();
        record["pipeline_energy"] = check.map(|(_, energy)| energy).into();
        record["rows"] = serde_json::json!(rows);
        report::save(path, &record)
    })
}
