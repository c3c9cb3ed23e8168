//! What each kernel-writing rule is worth on this device.

pub mod table;
pub mod trial;

use clap::ArgAction;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use self::table::{Outcome, Row, Table, WalkRow};
use self::trial::{Kernel, Melt};
use super::report::{self, DeviceArgs};
use crate::base::error::{Error, Result};
use crate::engine::kernels::variants::{KernelVariants, Variant, Walk};
use crate::gpu::options::{Precision, TimingMode};
use crate::gpu::{DeviceKind, Gpu};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each rule is a switch of the kernels that runs use. -kernels plain runs any script with \
                        all of them off. See docs/principles.md."
)]
pub struct PrinciplesArgs {
    #[command(flatten)]
    device: DeviceArgs,
    /// Cells of the melt per axis, four atoms each; default: 32 32 64 on GPUs, 20 20 20 on CPUs
    #[arg(long, num_args = 3, value_names = ["X", "Y", "Z"], action = ArgAction::Set,
          value_parser = clap::value_parser!(u32).range(4..=400))]
    cells: Vec<u32>,
    /// Arithmetic; default: mixed, or single on a device without fp64
    #[arg(long, value_enum, value_name = "PRECISION")]
    precision: Option<Precision>,
    /// Only these rules, by name, such as unrolling
    #[arg(long, value_name = "RULES", num_args = 1.., action = ArgAction::Set)]
    only: Vec<String>,
    /// Repetitions of each measurement, whose median counts
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Steps of the run with all rules and with none, 0 for no run; default: 1000 on GPUs, 60 on CPUs
    #[arg(long, value_name = "N")]
    steps: Option<u32>,
}

/// Comparisons of the same kernels with themselves, whose largest difference is the noise.
const SAME: usize = 3;

/// Runs it.
///
/// # Errors
/// Bad options, a device that does not open, a file that cannot be written. A variant that fails on the device
/// is reported in its row instead.
pub fn run(args: &PrinciplesArgs) -> Result<()> {
    let rules = args.rules()?;
    let gpu = Gpu::open(args.device.device.as_deref(), TimingMode::Full)?;
    let is_gpu = gpu.info().kind == DeviceKind::Gpu;
    let cells = match args.cells[..] {
        [x, y, z] => [x, y, z],
        _ if is_gpu => [32, 32, 64],
        _ => [20, 20, 20],
    };
    let steps = args.steps.unwrap_or(if is_gpu { 1000 } else { 60 });
    let repeats = args.repeats as usize;
    let bar = progress((SAME + rules.len() + Walk::DOCUMENT.len() + usize::from(steps > 0)) as u64);
    let mut melt = Melt::new(gpu, args.precision, cells)?;
    let shipped = KernelVariants::default();

    let mut noise = [0.0_f64; 2];
    for _ in 0..SAME {
        bar.set_message("the same twice");
        let same = melt.trial(shipped, shipped, repeats)?;
        noise = std::array::from_fn(|k| noise[k].max((same[k].ratio - 1.0).abs()));
        bar.inc(1);
    }
    let mut rows = Vec::new();
    for rule in rules {
        bar.set_message(rule.words());
        let concerns = Kernel::BOTH.map(|kernel| kernel.concerns(rule, melt.shape, melt.precision));
        let trial = if concerns.iter().all(std::result::Result::is_err) {
            None
        } else {
            Some(melt.trial(shipped.with(rule), shipped.without(rule), repeats))
        };
        rows.push(Row {
            rule,
            shipped: shipped.follow(rule),
            outcomes: std::array::from_fn(|k| match (concerns[k], &trial) {
                (Err(reason), _) => Outcome::DoesNotApply { reason: reason.to_owned() },
                (Ok(()), Some(Ok(seconds))) => Outcome::of(seconds[k], noise[k]),
                (Ok(()), Some(Err(error))) => Outcome::failed(error),
                (Ok(()), None) => Outcome::DoesNotApply { reason: String::new() },
            }),
        });
        bar.inc(1);
    }
    let mut walks = Vec::new();
    for walk in Walk::DOCUMENT {
        bar.set_message(walk.words());
        let outcome = if walk == Walk::Triple && melt.shape.block_edge == 0 {
            Outcome::DoesNotApply { reason: "the shipped way".to_owned() }
        } else {
            let trial = melt.trial(shipped, shipped.walking(walk), repeats);
            trial.map_or_else(|error| Outcome::failed(&error), |t| Outcome::of(t[1], noise[1]))
        };
        walks.push(WalkRow { walk, outcome });
        bar.inc(1);
    }
    let whole = if steps > 0 {
        bar.set_message("all rules and none");
        melt.check(KernelVariants::PLAIN)?;
        let whole = melt.whole([shipped, KernelVariants::PLAIN], steps, repeats.min(3))?;
        bar.inc(1);
        Some(whole)
    } else {
        None
    };
    bar.finish_and_clear();

    let info = melt.gpu.info();
    let table = Table {
        device: format!("{} ({}), driver {}", info.name, info.platform, info.driver),
        atoms: melt.atoms(),
        precision: melt.precision,
        repeats,
        noise,
        rows,
        walks,
        steps,
        whole,
    };
    report::line(&table);
    if let Some(path) = &args.device.json {
        let mut record = report::header("principles", Some(&melt.gpu));
        record["shape"] = json!(melt.shape);
        record["result"] = json!(table);
        record["answer"] = json!(table.answer());
        report::save(path, &record)?;
    }
    Ok(())
}

impl PrinciplesArgs {
    /// The rules that `--only` leaves, in the document's order.
    fn rules(&self) -> Result<Vec<Variant>> {
        if let Some(word) = self.only.iter().find(|word| Variant::ALL.iter().all(|rule| rule.name() != *word))
        {
            let names = Variant::ALL.map(Variant::name).join(" ");
            return Err(Error::new(format!("--only {word}: there is no such rule"))
                .help(format!("the rules are {names}")));
        }
        let wanted =
            |rule: &Variant| self.only.is_empty() || self.only.iter().any(|word| word == rule.name());
        Ok(Variant::ALL.into_iter().filter(wanted).collect())
    }
}

fn progress(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
    let bar = ProgressBar::new(length);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
