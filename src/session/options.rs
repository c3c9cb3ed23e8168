//! How to run, besides the script: what the command line chose.

use crate::engine::kernels::variants::Rules;
use std::path::PathBuf;

/// Arithmetic of the kernels.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// fp32 throughout; positions in 64-bit fixed point. Needs no fp64.
    Single,
    /// fp32 pair arithmetic, fp64 accumulation and integration.
    #[default]
    Mixed,
    /// fp64 throughout.
    Double,
}

impl Precision {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Single => "single",
            Precision::Mixed => "mixed",
            Precision::Double => "double",
        }
    }
}

/// How kernels are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TimingMode {
    /// Not at all: the breakdown is empty.
    Off,
    /// One step in several hundred or thousand, and the two rebuilds after it; all where steps take long.
    #[default]
    Sampled,
    /// Every kernel.
    Full,
}

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

/// When lists are rebuilt with `check yes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rebuild {
    /// As seldom as can be: lists are built around where atoms will be.
    #[default]
    Seldom,
    /// At the same steps as in LAMMPS.
    Lammps,
}

/// How kernels are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kernels {
    /// As well as we know.
    #[default]
    Tuned,
    /// Against all rules of tuning, to see what they are worth (docs/principles.md).
    Plain,
}

impl Kernels {
    /// The rules that these follow.
    pub fn rules(self) -> Rules {
        match self {
            Kernels::Tuned => Rules::default(),
            Kernels::Plain => Rules::PLAIN,
        }
    }
}

impl TimingMode {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TimingMode::Off => "off",
            TimingMode::Sampled => "sampled",
            TimingMode::Full => "full",
        }
    }
}

/// What the command line says about how to run, besides the script.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The script's name, for the record.
    pub script: String,
    /// `-device`, or CLAMPS_DEVICE.
    pub device: Option<String>,
    /// `-precision`; `None`: mixed where the device has fp64, else single.
    pub precision: Option<Precision>,
    /// `-kernels`.
    pub rules: Rules,
    /// `-tune`.
    pub tune: Tune,
    /// `-skin`; `None`: the script's, or that of the restart file that the run goes on from.
    pub skin: Option<Skin>,
    /// `-rebuild`.
    pub rebuild: Rebuild,
    /// `-timing`.
    pub timing: TimingMode,
    /// `-json FILE`.
    pub json: Option<PathBuf>,
    /// `-skiprun`: set up and print step 0, then skip the loop.
    pub skip_run: bool,
    /// `--allow-shell`: the command `shell` is allowed.
    pub allow_shell: bool,
}
