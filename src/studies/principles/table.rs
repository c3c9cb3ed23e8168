//! The figures in print.

use std::fmt;

use serde::{Serialize, Serializer};

use super::trial::{Kernel, Seconds, Whole};
use crate::base::error::Error;
use crate::engine::kernels::variants::{Variant, Walk};
use crate::gpu::options::Precision;

/// What a rule did to a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase", tag = "outcome")]
pub enum Outcome {
    /// Times with and without, and whether the ratio is beyond the noise.
    Timed {
        /// Seconds per launch.
        #[serde(flatten)]
        seconds: Seconds,
        /// Whether that is more than noise.
        verdict: Verdict,
    },
    /// The kernel has nothing that the rule is about.
    #[serde(rename = "does not apply")]
    DoesNotApply {
        /// Why.
        reason: String,
    },
    /// It does not build, or its forces are wrong.
    Failed {
        /// The first line of the error.
        reason: String,
    },
}

/// A ratio of times in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Slower without the rule.
    Worth,
    /// No difference beyond the noise.
    Nothing,
    /// Faster without the rule.
    Harmful,
}

impl Outcome {
    /// Of two times, where the same kernel twice differs by up to `noise`, relatively.
    pub fn of(seconds: Seconds, noise: f64) -> Self {
        let ratio = seconds.ratio;
        // A hundredth is never more than noise: code may land elsewhere in the caches.
        let noise = noise.max(seconds.spread).max(0.01);
        let verdict = if ratio > 1.0 + noise {
            Verdict::Worth
        } else if ratio < 1.0 / (1.0 + noise) {
            Verdict::Harmful
        } else {
            Verdict::Nothing
        };
        Outcome::Timed { seconds, verdict }
    }

    /// Of a variant that could not be timed.
    pub fn failed(error: &Error) -> Self {
        Outcome::Failed { reason: error.message.lines().next().unwrap_or_default().to_owned() }
    }

    fn verdict(&self) -> Option<(Verdict, f64)> {
        match self {
            Outcome::Timed { verdict, seconds } => Some((*verdict, seconds.ratio)),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Outcome::Timed { seconds: Seconds { with, without, ratio, .. }, verdict } => {
                let verdict = match verdict {
                    Verdict::Worth => format!("worth {ratio:.2}"),
                    Verdict::Nothing => "nothing".to_owned(),
                    Verdict::Harmful => format!("harms, {:.2}", 1.0 / ratio),
                };
                format!("{:>9.4} {:>9.4} {ratio:>6.2}  {verdict}", 1e3 * with, 1e3 * without)
            }
            Outcome::DoesNotApply { reason } => format!("{:>26}  ({reason})", "does not apply"),
            Outcome::Failed { reason } => format!("{:>26}  {reason}", "FAILED"),
        };
        f.pad(&text)
    }
}

/// A rule's row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The rule.
    #[serde(serialize_with = "name")]
    pub rule: Variant,
    /// Whether the shipped kernels follow it.
    pub shipped: bool,
    /// Of the pair and the list kernel.
    pub outcomes: [Outcome; 2],
}

fn name<S: Serializer>(rule: &Variant, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.name())
}

/// A way to walk the cells, against the shipped one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WalkRow {
    /// The way.
    pub walk: Walk,
    /// Of the list kernel; `with` is the shipped way.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Device, platform and driver.
    pub device: String,
    /// Atoms.
    pub atoms: usize,
    /// Arithmetic.
    pub precision: Precision,
    /// Repetitions.
    pub repeats: usize,
    /// The largest relative difference of the same pair and list kernel, timed twice.
    pub noise: [f64; 2],
    /// One per rule.
    pub rows: Vec<Row>,
    /// One per way.
    pub walks: Vec<WalkRow>,
    /// Steps of the whole runs.
    pub steps: u32,
    /// With all rules and with none.
    pub whole: Option<[Whole; 2]>,
}

impl Table {
    /// What the rules are worth here, in words.
    pub fn answer(&self) -> String {
        let names = |kernel: Kernel, wanted: Verdict| {
            let mut found: Vec<(f64, String)> = self
                .rows
                .iter()
                .filter_map(|row| {
                    let (verdict, ratio) = row.outcomes[kernel as usize].verdict()?;
                    let shown = match verdict {
                        Verdict::Worth => format!("{} {ratio:.2}", row.rule.name()),
                        Verdict::Nothing => row.rule.name().to_owned(),
                        Verdict::Harmful => format!("{} {:.2}", row.rule.name(), 1.0 / ratio),
                    };
                    (verdict == wanted).then_some((ratio, shown))
                })
                .collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            match &found[..] {
                [] => "none".to_owned(),
                some => some.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", "),
            }
        };
        let of = |kernel, title: &str| {
            format!(
                "{title}: worth it {}; nothing on this compiler {}; faster without {}.",
                names(kernel, Verdict::Worth),
                names(kernel, Verdict::Nothing),
                names(kernel, Verdict::Harmful)
            )
        };
        format!("{}\n{}", of(Kernel::Pair, "Pair kernel"), of(Kernel::List, "List kernel"))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.device)?;
        let precision = self.precision.name();
        writeln!(
            f,
            "melt of {} atoms, {precision} precision, medians of {} in turns, ms per launch",
            self.atoms, self.repeats
        )?;
        let [pair, list] = self.noise.map(|noise| 100.0 * noise);
        writeln!(
            f,
            "the same kernel timed twice differs by up to {pair:.1} % (pair) and {list:.1} % (list)\n"
        )?;
        writeln!(f, "{:<5}{:<27}{:<44}list with   without  ratio", "rule", "", "pair with   without  ratio")?;
        for row in &self.rows {
            let mark = if row.shipped { ' ' } else { '*' };
            let [pair, list] = &row.outcomes;
            let line = format!("{:<5}{:<25}{mark}{pair:<43}{list}", row.rule.number(), row.rule.words());
            writeln!(f, "{}", line.trim_end())?;
        }
        if self.rows.iter().any(|row| !row.shipped) {
            writeln!(f, "* the shipped kernels do not follow it: with it is the variant")?;
        }
        writeln!(f, "\n{:<27}list shipped     so  ratio", "walking the cells")?;
        for WalkRow { walk, outcome } in &self.walks {
            writeln!(f, "{:<27}{outcome}", walk.words())?;
        }
        if let Some([all, none]) = self.whole {
            writeln!(f, "\n{} steps, seconds        all rules   no rules   times as long", self.steps)?;
            for (name, all, none) in [
                ("total", all.total, none.total),
                ("pair", all.pair, none.pair),
                ("neigh", all.neigh, none.neigh),
            ] {
                writeln!(f, "{name:<23}{all:>11.4}{none:>11.4}{:>16.2}", none / all)?;
            }
        }
        write!(f, "\n{}", self.answer())
    }
}
