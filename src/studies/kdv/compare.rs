//! The document's table: the device against the host twin.

use std::time::Instant;

use comfy_table::Table;
use serde_json::{Value, json};

use super::solver::Solver;
use super::{Plan, markdown};
use crate::base::error::Result;
use crate::studies::kdv::host;

/// Seconds of one plan, each time from the initial state on the host to the final one on the host.
pub(super) struct Comparison {
    n: usize,
    dt: f64,
    runs: usize,
    device: Vec<f64>,
    one_core: Vec<f64>,
    /// Empty where there is nothing to share out: one run of few points.
    all_cores: Vec<f64>,
    /// Between the device's final values and the host's.
    largest_difference: f64,
}

impl Comparison {
    /// Times device and host, `repeats` times each.
    pub(super) fn new(plan: &Plan, solver: &mut Solver, repeats: u32) -> Result<Self> {
        let Plan { problem, steps, runs } = plan;
        let (n, factors, initial) = (problem.n, problem.factors(), plan.initial());
        let (device, found) = timed(repeats, || {
            solver.start(&initial)?;
            solver.advance(*steps, |_| ())?;
            solver.values(*runs)
        })?;
        let (one_core, expected) = timed(repeats, || {
            Ok(initial
                .chunks(n)
                .flat_map(|initial| host::run(initial, factors, *steps).0)
                .collect::<Vec<f64>>())
        })?;
        let shared = *runs > 1 || n >= 2 * host::FEWEST_POINTS;
        let all_cores = if shared {
            timed(repeats, || Ok(host::run_on_all_cores(&initial, n, factors, *steps)))?.0
        } else {
            Vec::new()
        };
        let difference = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        Ok(Comparison {
            n,
            dt: problem.dt,
            runs: *runs,
            device,
            one_core,
            all_cores,
            largest_difference: difference,
        })
    }

    pub(super) fn record(&self) -> Value {
        json!({
            "device_seconds": self.device,
            "host_one_core_seconds": self.one_core,
            "host_all_cores_seconds": self.all_cores,
            "host_threads": rayon::current_num_threads(),
            "largest_difference": self.largest_difference,
        })
    }

    fn row(&self) -> Vec<String> {
        let device = mean(&self.device);
        let host = |seconds: &[f64]| match seconds {
            [] => ["-".to_owned(), "-".to_owned()],
            seconds => [times(seconds), format!("{:.2}", mean(seconds) / device)],
        };
        let ([one, one_ratio], [all, all_ratio]) = (host(&self.one_core), host(&self.all_cores));
        let difference = match self.largest_difference {
            0.0 => "none".to_owned(),
            difference => format!("{difference:.1e}"),
        };
        vec![
            self.n.to_string(),
            format!("{:e}", self.dt),
            self.runs.to_string(),
            times(&self.device),
            one,
            one_ratio,
            all,
            all_ratio,
            difference,
        ]
    }
}

/// Seconds of each repetition, and the last one's result.
fn timed<T>(repeats: u32, mut run: impl FnMut() -> Result<T>) -> Result<(Vec<f64>, T)> {
    let mut once = || {
        let started = Instant::now();
        run().map(|result| (started.elapsed().as_secs_f64(), result))
    };
    let (first, mut result) = once()?;
    let mut seconds = vec![first];
    for _ in 1..repeats {
        let (time, again) = once()?;
        (seconds, result) = ([seconds, vec![time]].concat(), again);
    }
    Ok((seconds, result))
}

fn mean(seconds: &[f64]) -> f64 {
    seconds.iter().sum::<f64>() / seconds.len() as f64
}

/// Mean and, in parentheses, least: far apart where others use the machine, too.
fn times(seconds: &[f64]) -> String {
    let least = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    // Three digits of short times, milliseconds of long ones.
    let digits = (2.0 - least.max(1e-9).log10().floor()).max(3.0) as usize;
    format!("{:.digits$} ({least:.digits$})", mean(seconds))
}

/// The table of all plans.
pub(super) fn table(comparisons: &[Comparison], repeats: u32) -> String {
    let threads = rayon::current_num_threads();
    let header = [
        "N",
        "dt",
        "runs",
        "device",
        "host, 1 core",
        "ratio",
        &format!("host, {threads} cores"),
        "ratio",
        "difference",
    ];
    let table: Table = markdown(&header, comparisons.iter().map(Comparison::row).collect());
    let mut text = format!(
        "Seconds from t = 0 to the end, mean (least) of {repeats}, and the host twin's (double precision) over it:\n{table}"
    );
    if comparisons.iter().any(|comparison| comparison.all_cores.is_empty()) {
        text.push_str("\n-: a step of one run of this size is shorter than it takes to wake another core");
    }
    text
}
