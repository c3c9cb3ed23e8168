//! One run, from whichever file: what the table, the page and the record of a comparison are made of.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The rows of the breakdown in LAMMPS's print order; rows that are not among them come before Other.
const ORDER: [&str; 7] = ["Pair", "Bond", "Kspace", "Neigh", "Comm", "Output", "Modify"];

/// How often a neighbour list holds a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListKind {
    /// Once (newton on).
    Half,
    /// Once between owned atoms, twice where one of them is a ghost (newton off).
    HalfNewtonOff,
    /// Twice, in the lists of both atoms.
    Full,
}

impl ListKind {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            ListKind::Half => "half: each pair once",
            ListKind::HalfNewtonOff => "half, newton off: pairs with ghost atoms twice, others once",
            ListKind::Full => "full: each pair twice",
        }
    }
}

/// Entries of a neighbour list at the last build.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Neighbors {
    /// As the file counts them.
    pub listed: f64,
    /// What the count means.
    pub list: ListKind,
}

impl Neighbors {
    /// Distinct pairs; `None` for half lists with newton off, which count some pairs once and some twice.
    pub fn pairs(&self) -> Option<f64> {
        match self.list {
            ListKind::Half => Some(self.listed),
            ListKind::Full => Some(0.5 * self.listed),
            ListKind::HalfNewtonOff => None,
        }
    }
}

/// The ranks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ranks {
    /// How many.
    pub count: u64,
    /// The most own atoms of a rank, over the mean.
    pub atoms_imbalance: Option<f64>,
    /// The most seconds of pair forces of a rank, over the mean.
    pub pair_imbalance: Option<f64>,
}

/// The largest of some figures over their mean; `None` where the mean is not positive.
pub(super) fn imbalance(figures: &[f64]) -> Option<f64> {
    let mean = figures.iter().sum::<f64>() / figures.len().max(1) as f64;
    (mean > 0.0).then(|| figures.iter().copied().fold(0.0, f64::max) / mean)
}

/// What one kernel or transfer cost over the run.
#[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The row it is booked under.
    pub section: String,
    /// How often it ran.
    pub calls: u64,
    /// Device seconds of all calls.
    pub seconds: f64,
    /// Bytes copied between host and device by all calls.
    #[serde(default)]
    pub bytes: f64,
    /// Bytes that all calls move between the device's memory and its processors, where they are counted.
    #[serde(default)]
    pub bytes_moved: Option<f64>,
    /// Floating-point operations of all calls, where they are counted.
    #[serde(default)]
    pub operations: Option<f64>,
}

/// What the device can do, as measured on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ceiling {
    /// Bytes per second of a copy within its memory.
    pub copy_bandwidth: f64,
    /// Floating-point operations per second.
    pub peak_flops: f64,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its name in the comparison.
    pub label: String,
    /// The file it was read from.
    pub file: PathBuf,
    /// Which of the file's runs it is, from 1.
    pub number: usize,
    /// How many runs the file holds.
    pub of: usize,
    /// Program and version.
    pub program: String,
    /// The device, or tasks and threads.
    pub device: String,
    /// Atoms.
    pub atoms: u64,
    /// Steps done.
    pub steps: u64,
    /// Wall seconds of the loop.
    pub loop_seconds: f64,
    /// Seconds by row of the breakdown, Other included; empty where the run was not timed.
    pub sections: Vec<(String, f64)>,
    /// Ghost atoms at the last build, of all ranks.
    pub ghosts: Option<f64>,
    /// The ranks, and how evenly they share the work; `None` where the file does not say.
    pub ranks: Option<Ranks>,
    /// The neighbour list; `None` where it was not counted.
    pub neighbors: Option<Neighbors>,
    /// Neighbour list builds in the loop.
    pub builds: Option<u64>,
    /// Settings of the run, by name.
    pub settings: Vec<(String, String)>,
    /// Kernels and transfers; empty for logs.
    pub kernels: Vec<Kernel>,
    /// What the device can do, where it was measured.
    pub ceiling: Option<Ceiling>,
}

impl Run {
    /// Steps per second of the loop; `None` for an empty loop.
    pub fn timesteps_per_second(&self) -> Option<f64> {
        (self.loop_seconds > 0.0 && self.steps > 0).then(|| self.steps as f64 / self.loop_seconds)
    }

    /// Atoms times steps per second of the loop; `None` for an empty loop.
    pub fn atom_steps_per_second(&self) -> Option<f64> {
        Some(self.timesteps_per_second()? * self.atoms as f64)
    }

    /// Seconds of a row of the breakdown.
    pub fn seconds(&self, section: &str) -> Option<f64> {
        self.sections.iter().find(|(name, _)| name == section).map(|(_, seconds)| *seconds)
    }

    /// A row's percentage of the loop.
    pub fn percent(&self, section: &str) -> Option<f64> {
        let seconds = self.seconds(section)?;
        (self.loop_seconds > 0.0).then(|| 100.0 * seconds / self.loop_seconds)
    }

    /// Neighbours of an atom, each pair counted at both atoms.
    pub fn neighbors_per_atom(&self) -> Option<f64> {
        let pairs = self.neighbors?.pairs()?;
        (self.atoms > 0).then(|| 2.0 * pairs / self.atoms as f64)
    }

    /// The run as JSON, with what follows from its figures and their ratios to those of `first`.
    pub fn to_json(&self, first: &Run) -> Value {
        let ratio = |value: Option<f64>, of: Option<f64>| ratio(value, of);
        let sections: Map<String, Value> = self
            .sections
            .iter()
            .map(|(name, seconds)| {
                let ratio = ratio(Some(*seconds), first.seconds(name));
                (name.clone(), json!({"seconds": seconds, "percent": self.percent(name), "ratio": ratio}))
            })
            .collect();
        let settings: Map<String, Value> =
            self.settings.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let neighbors = self.neighbors.map(|count| {
            json!({
                "listed": count.listed,
                "list": count.list,
                "pairs": count.pairs(),
                "per_atom": self.neighbors_per_atom(),
            })
        });
        json!({
            "label": self.label,
            "file": self.file.display().to_string(),
            "run": self.number,
            "runs_in_file": self.of,
            "program": self.program,
            "device": self.device,
            "atoms": self.atoms,
            "steps": self.steps,
            "loop_seconds": self.loop_seconds,
            "timesteps_per_second": self.timesteps_per_second(),
            "atom_steps_per_second": self.atom_steps_per_second(),
            "ratios": {
                "loop_seconds": ratio(Some(self.loop_seconds), Some(first.loop_seconds)),
                "timesteps_per_second": ratio(self.timesteps_per_second(), first.timesteps_per_second()),
                "atom_steps_per_second": ratio(self.atom_steps_per_second(), first.atom_steps_per_second()),
            },
            "sections": sections,
            "ghosts": self.ghosts,
            "ranks": self.ranks,
            "neighbors": neighbors,
            "builds": self.builds,
            "settings": settings,
            "kernels": self.kernels,
            "ceiling": self.ceiling,
        })
    }
}

/// A figure divided by that of the first run; `None` where either is missing or the first is not positive.
pub(super) fn ratio(value: Option<f64>, first: Option<f64>) -> Option<f64> {
    first.filter(|first| *first > 0.0).and_then(|first| Some(value? / first))
}

/// The rows of all runs' breakdowns, in print order.
pub(super) fn sections(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in runs.iter().flat_map(|run| run.sections.iter().map(|(name, _)| name.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let rank = |name: &&str| match ORDER.iter().position(|known| known == name) {
        Some(place) => place,
        None => ORDER.len() + usize::from(*name == "Other"),
    };
    names.sort_by_key(rank);
    names.into_iter().map(String::from).collect()
}
