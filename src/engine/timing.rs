//! Where the time went: sections of a step, the record of each kernel, and their two views: the lines that
//! end a run in the log ([`RunRecord::closing`]) and the JSON file ([`crate::session::report`]).

mod rank;

pub use rank::{Counts, RankRecord, spread};

use crate::gpu::record::KernelRecord;
use crate::gpu::record::Section;
use crate::gpu::record::{HOST, HOST_BESIDE};

use crate::base::format::g;
use crate::base::ranks;
use crate::engine::roofline::PeakRates;
use crate::gpu::options::TimingMode;
use rank::{histogram, variation};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A kernel's record, with the shares of the device's copy bandwidth and peak that its work comes to.
fn kernel_json(kernel: &KernelRecord, ceilings: Option<&PeakRates>) -> Value {
    let mut record = json!(kernel);
    if let (Some(work), Some(ceilings), true) = (kernel.work, ceilings, kernel.seconds > 0.0) {
        record["copy_share"] = json!(work.bytes_moved / kernel.seconds / ceilings.copy_bandwidth);
        record["peak_share"] = json!(work.operations / kernel.seconds / ceilings.peak_flops);
    }
    record
}

/// One `run`, after its end: all that the log's closing lines and the JSON record need.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRecord {
    /// Wall seconds of the loop.
    pub loop_seconds: f64,
    /// CPU seconds of the process in the loop.
    pub cpu_seconds: f64,
    /// Wall seconds of the loop in which this rank waited for others, or for messages.
    #[serde(default)]
    pub waiting_seconds: f64,
    /// Steps done.
    pub steps: u64,
    /// Atoms.
    pub atoms: u64,
    /// Time step, in the script's units.
    pub dt: f64,
    /// `lj`, `real`, `metal`.
    pub units: String,
    /// Counts at the end.
    pub counts: Counts,
    /// Skin of the lists, in distance units.
    pub skin: f64,
    /// The script's, which it is unless the tuner chose another.
    pub script_skin: f64,
    /// Whether lists were built around where atoms would be.
    pub predicted: bool,
    /// Neighbour list builds in the loop.
    pub builds: u64,
    /// Dangerous ones; `None` where `check no` does not look.
    pub dangerous: Option<u64>,
    /// Every kernel and transfer of the loop.
    pub kernels: Vec<KernelRecord>,
    /// How the kernels were timed.
    pub timing: TimingMode,
    /// The most bytes of device memory that were in use at one time.
    pub memory_bytes: u64,
    /// Launches of [`PRE_FORCE_SUMS`] that a step takes in several launches.
    #[serde(default)]
    pub pre_force_sums: usize,
    /// The lines on a minimization, if it was one.
    pub minimization: Option<String>,
    /// What each rank has of it, as the first one knows it; none until it has asked.
    #[serde(default)]
    pub ranks: Vec<RankRecord>,
}

/// Commands to the device that launch no kernel, and the host's own work.
const NO_KERNELS: [&str; 10] =
    ["read", "write", "map", "unmap", "copy", "clear", "read beside", "write beside", HOST, HOST_BESIDE];

/// No device takes less time for a command, in seconds.
const SHORTEST_COMMAND: f64 = 1e-8;

/// The kernel that makes whole steps, and those that make the same steps in two launches.
pub const FUSED_STEP: &str = "fused_step";
/// The kernel that makes the first part of a step in which a fix has to know of all atoms.
pub const FORCE_AND_KICK: &str = "force_and_kick";
/// The kernel that makes whole steps of which that is the first part, where one launch makes several.
pub const COUPLED_STEP: &str = "coupled_step";
/// The kernel that makes the forces by themselves.
const PAIR_FORCE: &str = "pair_force";
/// The kernel that adds up what functions of fixes go on with amid a step, where that is made in several launches.
pub const PRE_FORCE_SUMS: &str = "pre_force_sums";
/// The kernel that adds up by groups what atoms add to the sums of such a fix, where they are many.
pub const GATHER_MEASURED: &str = "gather_measured";
/// The kernel that goes on with sums over sets of atoms.
pub const ADVANCE_SETS: &str = "advance_sets";
/// The kernel that puts the atoms into cells and in their order.
pub const ORDER_ATOMS: &str = "order_atoms";

/// Kernels whose work belongs to several sections, and those that now and then do the same in several launches.
const FUSED: [(&str, &[(&str, Section)]); 3] = [
    (
        FUSED_STEP,
        &[
            (PAIR_FORCE, Section::Pair),
            ("final_initial_step", Section::Modify),
            (PRE_FORCE_SUMS, Section::Modify),
        ],
    ),
    (
        COUPLED_STEP,
        &[
            (PAIR_FORCE, Section::Pair),
            ("final_integrate", Section::Modify),
            ("measure_atoms", Section::Modify),
            (GATHER_MEASURED, Section::Modify),
            ("advance_feedback", Section::Modify),
            (ADVANCE_SETS, Section::Modify),
            ("final_initial_step", Section::Modify),
        ],
    ),
    (
        ORDER_ATOMS,
        &[
            ("count_ranges", Section::Neigh),
            ("place_atoms", Section::Neigh),
            ("bin_atoms", Section::Comm),
            ("permute_atoms", Section::Comm),
        ],
    ),
];

/// The kernels that do what a fused one does, and their sections; none of another.
pub fn parts(fused: &str) -> &'static [(&'static str, Section)] {
    FUSED.iter().find(|(name, _)| *name == fused).map_or(&[], |(_, parts)| parts)
}

/// Whether it is work of the host's own.
fn is_hosts(part: &KernelRecord) -> bool {
    [HOST, HOST_BESIDE].contains(&&*part.name)
}

impl RunRecord {
    /// Has ranks tell one another what they have of the run. Its seconds are their means from here on.
    pub fn ask_ranks(&mut self) {
        let own = RankRecord {
            loop_seconds: self.loop_seconds,
            cpu_seconds: self.cpu_seconds,
            waiting_seconds: self.waiting_seconds,
            sections: Section::ALL.map(|section| self.seconds(section)),
            counts: self.counts,
        };
        self.ranks =
            ranks::all(own.numbers()).iter().map(|numbers| RankRecord::of_numbers(numbers)).collect();
        let count = self.ranks.len() as f64;
        self.loop_seconds = self.ranks.iter().map(|rank| rank.loop_seconds).sum::<f64>() / count;
        self.cpu_seconds = self.ranks.iter().map(|rank| rank.cpu_seconds).sum::<f64>() / count;
    }

    /// Entries of the lists of all ranks.
    fn neighbors(&self) -> u64 {
        match self.ranks.is_empty() {
            true => self.counts.neighbors,
            false => self.ranks.iter().map(|rank| rank.counts.neighbors).sum(),
        }
    }

    /// What ranks have of something; of one that has not asked its own.
    fn of_ranks(&self, own: f64, of: impl Fn(&RankRecord) -> f64) -> Vec<f64> {
        if self.ranks.is_empty() { vec![own] } else { self.ranks.iter().map(of).collect() }
    }

    /// Seconds of a section: the sum over its kernels and transfers, and its share of the whole steps, scaled by
    /// [`RunRecord::fit`].
    pub fn seconds(&self, section: Section) -> f64 {
        let beside = self.host_seconds(HOST_BESIDE, |of| of == section) * self.not_hidden();
        self.timed_seconds(section) * self.fit() + self.host_seconds(HOST, |of| of == section) + beside
    }

    /// Wall seconds of the host's own work in sections.
    fn host_seconds(&self, name: &str, asked: impl Fn(Section) -> bool) -> f64 {
        let parts = self.kernels.iter().filter(|part| part.name == name && asked(part.section));
        parts.fold(0.0, |sum, part| sum + part.seconds)
    }

    /// The part of the host's work beside the device that the loop had to wait for, about: as much as the other rows leave of the loop's time.
    fn not_hidden(&self) -> f64 {
        let beside = self.host_seconds(HOST_BESIDE, |_| true);
        let timed = Section::ALL.iter().map(|section| self.timed_seconds(*section)).sum::<f64>();
        let left = (self.loop_seconds - self.host_seconds(HOST, |_| true) - timed).max(0.0);
        if beside > left { left / beside } else { 1.0 }
    }

    /// By what timed seconds of the device are multiplied so that the sections take no longer than the loop: a command that is
    /// timed does not overlap with the next one's launch, as the others do, and the device may work while the host does. 1 where
    /// they fit.
    pub fn fit(&self) -> f64 {
        let timed = Section::ALL.iter().map(|section| self.timed_seconds(*section)).sum::<f64>();
        let left = (self.loop_seconds - self.host_seconds(HOST, |_| true)).max(0.0);
        if timed > left { left / timed } else { 1.0 }
    }

    /// A section as its commands were timed on the device.
    fn timed_seconds(&self, section: Section) -> f64 {
        let fused = |name: &str| !parts(name).is_empty();
        let own = self.kernels.iter().filter(|k| k.section == section && !is_hosts(k) && !fused(&k.name));
        // From 0.0, because an empty sum of floats is -0.0.
        let own = own.fold(0.0, |sum, kernel| sum + kernel.seconds);
        FUSED.iter().fold(own, |sum, (name, _)| {
            let seconds = self.kernel(name).map_or(0.0, |kernel| kernel.seconds);
            sum + seconds * self.share_of(section, name)
        })
    }

    fn kernel(&self, name: &str) -> Option<&KernelRecord> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// How a fused kernel is apportioned to sections: as its parts were in several launches, to find out. Without those it
    /// counts as the first part's. Of [`PRE_FORCE_SUMS`] a step takes none or several, of [`GATHER_MEASURED`] none or one. Those of
    /// [`COUPLED_STEP`] are launches that take longer than their work, one in Pair and five in Modify: so all count less, by the same
    /// time, until they add up to what the fused one takes.
    fn share_of(&self, section: Section, fused: &str) -> f64 {
        let parts = parts(fused);
        let mean = |name: &str| {
            let kernel = self.kernel(name).filter(|kernel| kernel.sampled > 0);
            kernel.map(|kernel| kernel.sampled_seconds / kernel.sampled as f64)
        };
        let mean = |name: &str| match name {
            PRE_FORCE_SUMS => Some(self.pre_force_sums as f64 * mean(name).unwrap_or(0.0)),
            GATHER_MEASURED => Some(mean(name).unwrap_or(0.0)),
            // Where virials move the box.
            PAIR_FORCE if fused == COUPLED_STEP => mean(name).or_else(|| mean("pair_force_tally")),
            _ => mean(name),
        };
        let means: Option<Vec<f64>> = parts.iter().map(|(name, _)| mean(name)).collect();
        let means = means.filter(|means| means.iter().sum::<f64>() > 0.0);
        let means = means.unwrap_or_else(|| (0..parts.len()).map(|k| f64::from(u8::from(k == 0))).collect());
        let step = self.kernel(fused).filter(|kernel| fused == COUPLED_STEP && kernel.seconds > 0.0);
        let step = step.map_or(f64::INFINITY, |kernel| kernel.seconds / kernel.calls as f64);
        let there = means.iter().filter(|&&mean| mean > 0.0).count() as f64;
        let launch = ((means.iter().sum::<f64>() - step) / there).max(0.0);
        let means: Vec<f64> = means.into_iter().map(|mean| (mean - launch).max(0.0)).collect();
        let of = parts.iter().zip(&means).filter(|((_, of), _)| *of == section);
        of.map(|(_, mean)| mean).sum::<f64>() / means.iter().sum::<f64>()
    }

    /// Kernels that the loop launched.
    pub fn launches(&self) -> u64 {
        let kernels = self.kernels.iter().filter(|kernel| !NO_KERNELS.contains(&&*kernel.name));
        kernels.map(|kernel| kernel.launches).sum()
    }

    /// The same per step, rebuilds and output included; `None` without steps.
    pub fn launches_per_step(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.launches() as f64 / self.steps as f64)
    }

    /// What no section accounts for: the host, and the device idle.
    pub fn other(&self) -> f64 {
        self.loop_seconds - Section::ALL.iter().map(|section| self.seconds(*section)).sum::<f64>()
    }

    /// Steps per wall second; 0 for an empty loop.
    pub fn timesteps_per_second(&self) -> f64 {
        self.share(self.steps as f64)
    }

    /// `x` per second of the loop.
    fn share(&self, x: f64) -> f64 {
        if self.loop_seconds > 0.0 { x / self.loop_seconds } else { 0.0 }
    }

    /// The lines from "Loop time" to "Dangerous builds", without the last newline, in LAMMPS's shape.
    pub fn closing(&self) -> String {
        let mut text = format!(
            "Loop time of {} on {} procs for {} steps with {} atoms\n\n",
            g(self.loop_seconds, 6),
            self.ranks.len().max(1),
            self.steps,
            self.atoms
        );
        if self.steps > 0 && self.minimization.is_none() {
            text.push_str(&self.performance());
            text.push('\n');
        }
        let usage = if self.steps > 0 { self.share(100.0 * self.cpu_seconds) } else { 0.0 };
        let tasks = self.ranks.len().max(1);
        text.push_str(&format!("{usage:.1}% CPU use with {tasks} MPI tasks x 1 OpenMP threads\n\n"));
        if let Some(lines) = &self.minimization {
            text.push_str(lines);
            text.push('\n');
        }
        text.push_str(&self.breakdown());
        text.push('\n');
        for (k, name) in ["Nlocal:", "Nghost:", "FullNghs:"].into_iter().enumerate() {
            let of = |counts: &Counts| [counts.local, counts.ghost, counts.neighbors][k] as f64;
            let counts = self.of_ranks(of(&self.counts), |rank| of(&rank.counts));
            let [least, mean, largest] = spread(&counts);
            let histogram = histogram(&counts, least, largest);
            let [least, mean, largest] = [least, mean, largest].map(|count| g(count, 6));
            text.push_str(&format!("{name:<11}{mean:>11} ave {largest:>11} max {least:>11} min\n"));
            text.push_str(&format!("Histogram: {histogram}\n"));
        }
        text.push_str(&format!("\nTotal # of neighbors = {}\n", self.neighbors()));
        if self.atoms > 0 {
            let average = self.neighbors() as f64 / self.atoms as f64;
            text.push_str(&format!("Ave neighs/atom = {}\n", g(average, 8)));
        }
        text.push_str(&format!("Neighbor list builds = {}\n", self.builds));
        text.push_str(&match self.dangerous {
            Some(count) => format!("Dangerous builds = {count}"),
            None => String::from("Dangerous builds not checked"),
        });
        text
    }

    /// Simulated time per day in the script's units, then steps and atom steps per second.
    fn performance(&self) -> String {
        let steps = self.timesteps_per_second();
        let per_day = 86400.0 * self.dt * steps;
        // Femtoseconds in `real` and `electron`, picoseconds in `metal`, microseconds in `micro`, seconds in `si` and `cgs`.
        let nanoseconds = match self.units.as_str() {
            "real" => Some(per_day * 1e-6),
            "metal" => Some(per_day * 1e-3),
            "nano" => Some(per_day),
            "micro" => Some(per_day * 1e3),
            "si" | "cgs" => Some(per_day * 1e9),
            _ => None,
        };
        let speed = match nanoseconds {
            Some(ns) => {
                let hours = if ns > 0.0 { 24.0 / ns } else { 0.0 };
                format!("{ns:.3} ns/day, {hours:.3} hours/ns")
            }
            None if self.units == "electron" => {
                let hours = if per_day > 0.0 { 24.0 / per_day } else { 0.0 };
                format!("{per_day:.3} fs/day, {hours:.3} hours/fs")
            }
            None => format!("{per_day:.3} tau/day"),
        };
        let atom_steps = steps * self.atoms as f64;
        let (scaled, prefix) = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
            .into_iter()
            .find(|(scale, _)| atom_steps >= *scale)
            .map_or((atom_steps, ""), |(scale, prefix)| (atom_steps / scale, prefix));
        format!("Performance: {speed}, {steps:.3} timesteps/s, {scaled:.3} {prefix}atom-step/s")
    }

    /// The table of sections.
    fn breakdown(&self) -> String {
        if self.timing == TimingMode::Off {
            return String::from("No timing breakdown: it was turned off with -timing off\n");
        }
        let mut text = String::from(
            "MPI task timing breakdown:\n\
             Section |  min time  |  avg time  |  max time  |%varavg| %total\n\
             ---------------------------------------------------------------\n",
        );
        let mut other = self.loop_seconds;
        for (k, section) in Section::ALL.into_iter().enumerate() {
            let all = self.of_ranks(self.seconds(section), |rank| rank.sections[k]);
            let [least, mean, largest] = spread(&all);
            let (variation, percent) = (variation(&all, mean), self.share(100.0 * mean));
            other -= mean;
            let [least, mean, largest] = [least, mean, largest].map(|seconds| g(seconds, 5));
            let name = section.name();
            text.push_str(&format!(
                "{name:<8}| {least:<10} | {mean:<10} | {largest:<10} |{variation:6.1} |{percent:6.2}\n"
            ));
        }
        // Sections that take all of the loop's time leave what rounding does.
        let other = if other.abs() < 1e-12 * self.loop_seconds { 0.0 } else { other };
        let (time, percent) = (g(other, 4), self.share(100.0 * other));
        text.push_str(&format!("Other   |            | {time:<10} |            |       |{percent:6.2}\n"));
        let commands = || self.kernels.iter().filter(|kernel| !is_hosts(kernel));
        let calls: u64 = commands().map(|kernel| kernel.calls).sum();
        let sampled: u64 = commands().map(|kernel| kernel.sampled).sum();
        if sampled < calls {
            text.push_str(&format!("Device time from {sampled} of {calls} commands on the device's clock\n"));
        }
        let seconds: f64 = commands().map(|kernel| kernel.sampled_seconds).sum();
        let each = seconds / sampled as f64;
        if each < SHORTEST_COMMAND {
            text.push_str(&format!(
                "The device's clock cannot be right, with {} s per command: sections are not what it says\n",
                g(each, 2)
            ));
        }
        if self.fit() < 1.0 {
            text.push_str(&format!(
                "Sections scaled by {:.3}: timed one by one, commands take longer, and some run beside the host's work\n",
                self.fit()
            ));
        }
        if let Some(launches) = self.launches_per_step() {
            text.push_str(&format!("Kernel launches per step: {launches:.2}\n"));
        }
        if let Some(whole) = self.kernel(FUSED_STEP).or_else(|| self.kernel(COUPLED_STEP)) {
            let [pair, modify] =
                [Section::Pair, Section::Modify].map(|section| self.share_of(section, &whole.name));
            let launches = match whole.launches {
                launches if launches == whole.calls => "one launch each".to_owned(),
                launches => format!("{launches} launches"),
            };
            text.push_str(&format!(
                "Pair and Modify: {} whole steps in {launches}, apportioned {:.1} : {:.1} as steps in {}\n",
                whole.calls,
                100.0 * pair,
                100.0 * modify,
                if self.pre_force_sums == 0 && whole.name == FUSED_STEP { "two" } else { "several" }
            ));
        }
        if let Some(order) = self.kernel(ORDER_ATOMS) {
            let [neigh, comm] =
                [Section::Neigh, Section::Comm].map(|section| self.share_of(section, ORDER_ATOMS));
            text.push_str(&format!(
                "Neigh and Comm: atoms ordered {} times in one launch each, apportioned {:.1} : {:.1} as orders in four\n",
                order.calls,
                100.0 * neigh,
                100.0 * comm
            ));
        }
        text
    }

    /// The run as JSON: every field of the record, and what follows from them, with shares of the device's ceilings.
    ///
    /// Seconds and percentages of the loop per section (`Other` included) add up to the loop.
    pub fn to_json(&self, ceilings: Option<&PeakRates>) -> Value {
        let row = |seconds: f64| json!({"seconds": seconds, "percent": self.share(100.0 * seconds)});
        let mut sections: Map<String, Value> = Section::ALL
            .iter()
            .map(|section| (section.name().to_owned(), row(self.seconds(*section))))
            .collect();
        sections.insert("Other".into(), row(self.other()));
        let steps = self.timesteps_per_second();
        json!({
            "loop_seconds": self.loop_seconds,
            "cpu_seconds": self.cpu_seconds,
            "steps": self.steps,
            "atoms": self.atoms,
            "dt": self.dt,
            "units": self.units,
            "timesteps_per_second": steps,
            "atom_steps_per_second": steps * self.atoms as f64,
            "launches": self.launches(),
            "launches_per_step": self.launches_per_step(),
            "timing": self.timing,
            "sections": sections,
            "fit": self.fit(),
            "apportioned": FUSED.iter().filter_map(|(name, _)| {
                let share = |section: &Section| (section.name(), self.share_of(*section, name));
                let shares = Section::ALL.iter().map(share).filter(|(_, share)| *share > 0.0);
                let kernel = self.kernel(name)?;
                Some(json!({"kernel": name, "seconds": kernel.seconds, "shares": shares.collect::<Vec<_>>()}))
            }).collect::<Vec<Value>>(),
            "minimization": self.minimization,
            "ranks": self.ranks.iter().map(|rank| {
                let seconds = |(section, seconds): (Section, f64)| (section.name(), seconds);
                json!({
                    "loop_seconds": rank.loop_seconds,
                    "cpu_seconds": rank.cpu_seconds,
                    "waiting_seconds": rank.waiting_seconds,
                    "sections": Section::ALL.into_iter().zip(rank.sections).map(seconds).collect::<BTreeMap<_, _>>(),
                    "counts": rank.counts,
                })
            }).collect::<Vec<Value>>(),
            "kernels": self.kernels.iter().map(|kernel| kernel_json(kernel, ceilings)).collect::<Vec<Value>>(),
            "counts": self.counts,
            "skin": self.skin,
            "script_skin": self.script_skin,
            "aimed": self.predicted,
            "builds": self.builds,
            "dangerous": self.dangerous,
            "memory_bytes": self.memory_bytes,
            "bytes_copied": self.kernels.iter().map(|kernel| kernel.bytes).sum::<u64>(),
        })
    }
}

/// The line that ends the log: wall time as h:mm:ss.
pub fn total_wall_time(seconds: f64) -> String {
    let s = seconds.max(0.0) as u64;
    format!("Total wall time: {}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}
