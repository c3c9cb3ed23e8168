//! How to run, besides the script: what the command line chose.

use crate::base::error::Result;
use crate::engine::comm::Weights;
use crate::engine::kernels::options::Rebuild;
use crate::gpu::Gpu;
use crate::gpu::options::Precision;
use crate::gpu::options::TimingMode;

use crate::engine::kernels::variants::KernelVariants;
use std::path::PathBuf;

/// Whether records of tuning are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Tune {
    /// The shipped shapes, whatever has been recorded.
    #[default]
    Off,
    /// The record that `clamps tune` left for such a system, where there is one.
    On,
    /// As on; where there is no record the run begins by making one.
    Auto,
}

/// Whose skin the neighbour lists of runs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Skin {
    /// The script's, whatever skin a restart file comes with.
    Script,
    /// The fastest that the tuner has found or finds, where lists are rebuilt with a check.
    Auto,
}

/// Looks at a device before its first run, and returns a line for the log where it has checked kernels.
pub type DeviceCheck = fn(&Gpu, Precision, KernelVariants) -> Result<Option<String>>;

/// What the command line says about how to run, besides the script.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The script's name, for the record.
    pub script: String,
    /// `-device`, or CLAMPS_DEVICE.
    pub device: Option<String>,
    /// What looks at the device before the first run.
    pub check_device: Option<DeviceCheck>,
    /// `-precision`; `None`: mixed where the device has fp64, else single.
    pub precision: Option<Precision>,
    /// `-kernels`.
    pub rules: KernelVariants,
    /// `-tune`.
    pub tune: Tune,
    /// `-skin`; `None`: the script's, or that of the restart file that the run goes on from.
    pub skin: Option<Skin>,
    /// `-rebuild`.
    pub rebuild: Rebuild,
    /// `-shares`: the part of the atoms that each rank has; `None`: by itself.
    pub shares: Option<Weights>,
    /// `-timing`.
    pub timing: TimingMode,
    /// `-json FILE`.
    pub json: Option<PathBuf>,
    /// `-skiprun`: set up and print step 0, then skip the loop.
    pub skip_run: bool,
    /// `--allow-shell`: the command `shell` is allowed.
    pub allow_shell: bool,
}
