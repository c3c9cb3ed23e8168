//! Options of a run that the engine reads: when lists are rebuilt (`-rebuild`) and how kernels are written (`-kernels`).

use crate::engine::kernels::variants::KernelVariants;

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
    pub fn rules(self) -> KernelVariants {
        match self {
            Kernels::Tuned => KernelVariants::default(),
            Kernels::Plain => KernelVariants::PLAIN,
        }
    }
}
