//! Subcommands besides `clamps -in`: measurements of a device, comparisons of runs, and other systems. Each is a module whose
//! `run` the command line calls.
//!
//! - this file: the list of subcommands. Start here. `report`, `chart`, `child`, `repeats`: what they share: options and the head of a
//!   JSON record, line charts, runs in a process of their own, runs that are repeated
//! - `bandwidth`, `force/`, `principles/`, `amdahl`, `paper`: `clamps bench`: transfers, one force evaluation in all its
//!   variants, what each kernel variant is worth, Amdahl's law, the 262,144-atom benchmark
//! - `compare/`, `sweep`: timing records side by side; a script over variables, precisions and devices
//! - `plot`: columns of logs and of files of averages as a chart
//! - `doctor/`: platforms, devices, and a self-check of their kernels
//! - `tune`: the fastest launch configuration of a device; the search is `run::tuning`
//! - `droplet/`, `allpairs/`, `tiles`: all pairs through local memory; `kdv/`: the Korteweg-de Vries equation
//!
//! A study that ends early on Ctrl-C calls `signals::install` before it asks OpenCL for devices: PoCL's compiler dies of the
//! signal where its own handler is the first. May import: all but `cli`.

pub mod allpairs;
pub mod amdahl;
pub mod bandwidth;
pub mod chart;
pub mod child;
pub mod compare;
pub mod doctor;
pub mod droplet;
pub mod force;
pub mod kdv;
pub mod paper;
pub mod plot;
pub mod principles;
pub mod repeats;
pub mod report;
pub mod sweep;
pub mod tiles;
pub mod tune;

use clap::Subcommand;

use crate::base::error::Result;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Study {
    /// Measure this device
    #[command(subcommand)]
    Bench(Bench),
    /// Say what OpenCL there is, what each device can do, and whether its kernels are right
    Doctor(doctor::DoctorArgs),
    /// All-pairs van der Waals and Coulomb forces in a droplet
    Droplet(droplet::DropletArgs),
    /// All-pairs Lennard-Jones with tiles in local memory
    Allpairs(allpairs::AllpairsArgs),
    /// The Korteweg-de Vries equation
    Kdv(kdv::KdvArgs),
    /// Timing breakdowns of records and logs, side by side
    Compare(compare::CompareArgs),
    /// Draw columns of logs and of files of averages (SVG)
    Plot(plot::PlotArgs),
    /// Run a script over sizes and devices, and compare
    Sweep(sweep::SweepArgs),
    /// Find the fastest shape of the kernels for this device, and keep it for later runs
    Tune(tune::TuneArgs),
}

/// The subcommands of `clamps bench`.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// Host-device transfer rates from 2 KB to 1 GB: pageable, pinned, mapped, device copy
    Bandwidth(bandwidth::BandwidthArgs),
    /// One force evaluation, with and without Newton's third law, in all its variants
    Force(force::ForceArgs),
    /// What each kernel-writing rule is worth on this device
    Principles(principles::PrinciplesArgs),
    /// The modified Amdahl law, from timing records
    Amdahl(amdahl::AmdahlArgs),
    /// The 262,144-atom benchmark on every device found
    Paper(paper::PaperArgs),
}

impl Study {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// Bad input, a device that fails.
    pub fn run(&self) -> Result<()> {
        match self {
            Study::Bench(Bench::Bandwidth(args)) => bandwidth::run(args),
            Study::Bench(Bench::Force(args)) => force::run(args),
            Study::Bench(Bench::Principles(args)) => principles::run(args),
            Study::Bench(Bench::Amdahl(args)) => amdahl::run(args),
            Study::Bench(Bench::Paper(args)) => paper::run(args),
            Study::Doctor(args) => doctor::run(args),
            Study::Droplet(args) => droplet::run(args),
            Study::Allpairs(args) => allpairs::run(args),
            Study::Kdv(args) => kdv::run(args),
            Study::Compare(args) => compare::run(args),
            Study::Plot(args) => plot::run(args),
            Study::Sweep(args) => sweep::run(args),
            Study::Tune(args) => tune::run(args),
        }
    }
}
