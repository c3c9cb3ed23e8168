//! The Korteweg-de Vries equation by the scheme of Zabusky and Kruskal: solitons out of a cosine.

mod animation;
mod compare;
pub mod host;
mod output;
pub mod problem;
pub mod solver;

use std::collections::BTreeSet;
use std::f64::consts::PI;
use std::path::PathBuf;

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use super::report::{self, DeviceArgs};
use crate::base::error::{Error, Result};
use crate::base::files;
use crate::base::progress::Progress;
use crate::gpu::Gpu;
use crate::gpu::options::{Precision, TimingMode};
use output::{Outputs, Snapshot};
use problem::{Problem, Summary};
use solver::Solver;

/// Times of the document's figure 1, in units of 1/pi.
const TIMES: [f64; 3] = [0.0, 1.0, 3.6];
/// The document's initial state is a cosine of this amplitude.
const AMPLITUDE: f64 = 1.0;

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Solves u_t + u u_x + delta^2 u_xxx = 0 for x from 0 to 2 (periodic) with u(0, x) = cos(pi x), \
                  by the scheme of Zabusky and Kruskal (1965). x, u and delta have no units. Times (--dt, \
                  --t-end, and everything that is printed or written) are in units of 1/pi, in which the cosine \
                  breaks at t = 1: --t-end 10 means t = 10/pi. Several values of --n or --dt make a run each, \
                  for the table of --compare-host: clamps kdv --n 256,512,1024 --dt 1e-5,1e-6 --compare-host"
)]
pub struct KdvArgs {
    /// Points of the period; above 1,024 the work is spread over many work-groups
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_value = "256"
    )]
    n: Vec<i64>,
    /// Time step, in units of 1/pi; larger N needs a step that falls as 1/N^3
    #[arg(
        long,
        value_name = "DT",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_value = "1e-5"
    )]
    dt: Vec<f64>,
    /// End, in units of 1/pi
    #[arg(long, value_name = "T", allow_negative_numbers = true, default_value = "10")]
    t_end: f64,
    /// Square root of the factor of the third derivative
    #[arg(long, allow_negative_numbers = true, default_value = "0.022")]
    delta: f64,
    /// Arithmetic; default: double, or single on a device without fp64
    #[arg(long, value_name = "PRECISION", value_parser = report::precisions())]
    precision: Option<Precision>,
    /// Independent runs in one launch, a work-group each; run m starts from (1 - m/M) cos(pi x), and all that
    /// is printed or written is of run 0
    #[arg(long, value_name = "M", allow_negative_numbers = true, default_value = "1")]
    batch: i64,
    /// Write rows t,x,u at t = 0, 1, 3.6 and the end
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw u at t = 0, 1 and 3.6 (or the end, if that is earlier)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw u from t = 0 to the end as an animation
    #[arg(long, value_name = "FILE")]
    gif: Option<PathBuf>,
    /// Time the runs on the device and on the host, and compare their final states
    #[arg(long)]
    compare_host: bool,
    /// How often each is timed by --compare-host, which prints the mean
    #[arg(long, value_name = "TIMES", default_value = "10", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    #[command(flatten)]
    device: DeviceArgs,
}

/// Runs it.
///
/// # Errors
/// Numbers that make no sense, an unstable time step, a device that fails, a file that cannot be written.
pub fn run(args: &KdvArgs) -> Result<()> {
    let plans = plans(args)?;
    let outputs = Outputs { csv: args.csv.as_deref(), svg: args.svg.as_deref(), gif: args.gif.as_deref() };
    if plans.len() > 1 && !outputs.are_none() {
        return Err(Error::new("--csv, --svg and --gif are of one run")
            .help("give one value of --n and one of --dt with them"));
    }
    for path in outputs.paths().chain(args.device.json.as_deref()) {
        files::check_place(path)?;
    }
    let gpu = Gpu::open(args.device.device.as_deref(), TimingMode::Off)?;
    let precision = args.precision.unwrap_or(match gpu.info().fp64 {
        true => Precision::Double,
        false => Precision::Single,
    });
    report::require(&gpu, precision)?;

    let info = gpu.info();
    report::line(format_args!(
        "Korteweg-de Vries, Zabusky-Kruskal scheme: delta = {}, {} precision, on {} ({})\n\
         times in units of 1/pi; mass: integral of u; momentum: integral of u^2",
        args.delta,
        precision.name(),
        info.name,
        info.platform
    ));
    let mut records = Vec::new();
    let mut comparisons = Vec::new();
    for plan in &plans {
        let mut solver = Solver::new(&gpu, &plan.problem, plan.runs, precision == Precision::Double)?;
        let mut record = plan.solve(&mut solver, &outputs)?;
        if args.compare_host {
            let comparison = compare::Comparison::new(plan, &mut solver, args.repeats)?;
            record["compare_host"] = comparison.record();
            comparisons.push(comparison);
        }
        records.push(record);
    }
    if args.compare_host {
        report::line(format_args!("\n{}", compare::table(&comparisons, args.repeats)));
    }
    if let Some(path) = &args.device.json {
        let mut record = report::header("kdv", Some(&gpu));
        record["precision"] = json!(precision.name());
        record["runs"] = Value::Array(records);
        report::save(path, &record)?;
    }
    Ok(())
}

/// What the arguments ask for: a plan for each N and dt, all of them checked.
fn plans(args: &KdvArgs) -> Result<Vec<Plan>> {
    if args.batch < 1 {
        return Err(Error::new(format!("--batch {} is no number of runs", args.batch))
            .help("give 1 or more; the default is 1"));
    }
    let mut plans = Vec::new();
    for &dt in &args.dt {
        for &n in &args.n {
            let problem = Problem::new(n, dt, args.delta, AMPLITUDE)?;
            plans.push(Plan { problem, steps: problem.steps(args.t_end)?, runs: args.batch as usize });
        }
    }
    Ok(plans)
}

/// One row of the document's table: a problem, its end, and how many runs of it.
pub(super) struct Plan {
    problem: Problem,
    steps: u64,
    runs: usize,
}

impl Plan {
    /// All runs at t = 0, one after the other.
    fn initial(&self) -> Vec<f64> {
        let amplitude = |run: usize| AMPLITUDE * (1.0 - run as f64 / self.runs as f64);
        (0..self.runs).flat_map(|run| self.problem.sample(|x| amplitude(run) * (PI * x).cos())).collect()
    }

    /// The steps at which u is wanted: those of the document's figure, and the end.
    fn snapshot_steps(&self) -> BTreeSet<u64> {
        let steps = TIMES.iter().map(|t| (t / self.problem.dt).round() as u64);
        steps.filter(|&step| step <= self.steps).chain([self.steps]).collect()
    }

    /// Solves it from t = 0 to the end, prints what came of it, writes the files, and returns its record.
    fn solve(&self, solver: &mut Solver, outputs: &Outputs<'_>) -> Result<Value> {
        let Plan { problem, steps, runs } = self;
        let Problem { n, dt, .. } = problem;
        let snapshot_steps = self.snapshot_steps();
        let frames = outputs.gif.map(|_| animation::frame_steps(*steps)).unwrap_or_default();
        let mut film = animation::Film::default();
        let mut snapshots = Vec::new();
        let mut seconds = 0.0;
        solver.start(&self.initial())?;
        let progress = Progress::new(0, *steps as i64, true);
        for &step in snapshot_steps.union(&frames) {
            let started = std::time::Instant::now();
            solver.advance(step, |step| progress.tick(step as i64))?;
            seconds += started.elapsed().as_secs_f64();
            let (t, u) = (step as f64 * dt, solver.values(1)?);
            let summary = Summary::new(t, &u)?;
            if frames.contains(&step) {
                film.add(t, &u);
            }
            if snapshot_steps.contains(&step) {
                snapshots.push(Snapshot { summary, u });
            }
        }
        drop(progress);
        let layout = solver.layout;
        let points = (n * runs) as f64;
        let limit = problem.limit(AMPLITUDE);
        let tiles = match (layout.halo, layout.tiles * runs) {
            (0, 1) => "one work-group".to_owned(),
            (0, groups) => format!("{groups} work-groups, a run each"),
            (halo, groups) => {
                format!(
                    "{groups} work-groups of {} + {} points, {} steps a launch",
                    layout.owned,
                    2 * halo,
                    halo / 2
                )
            }
        };
        let batch =
            if *runs > 1 { format!(", {runs} runs of amplitude 1 to 1/{runs}") } else { String::new() };
        report::line(format_args!(
            "\nN = {n}, dt = {dt:e} (stability limit {limit:.3e}), {steps} steps{batch}: {tiles}\n{}\n\
             Largest drift of mass {:.1e}, of momentum {:.1e} of it\n\
             {seconds:.3} s: {:.0} steps/s, {:.1} million point-steps/s",
            output::table(&snapshots),
            output::drift(&snapshots, |summary| summary.mass),
            output::drift(&snapshots, |summary| summary.momentum) / snapshots[0].summary.momentum,
            *steps as f64 / seconds,
            *steps as f64 * points / seconds * 1e-6,
        ));
        outputs.write(problem, &snapshots, &film)?;
        Ok(json!({
            "problem": problem,
            "limit": limit,
            "steps": steps,
            "batch": runs,
            "layout": layout,
            "seconds": seconds,
            "snapshots": snapshots.iter().map(|snapshot| snapshot.summary).collect::<Vec<_>>(),
        }))
    }
}

/// A table of right-aligned columns, as Markdown has it.
fn markdown(header: &[&str], rows: Vec<Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header).add_rows(rows);
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
