//! Options of a run that the device layer reads: precision (`-precision`) and timing (`-timing`).

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
