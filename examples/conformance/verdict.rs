//! What became of a script: the runs of this program and of LAMMPS side by side.

use crate::Cli;
use crate::files;
use crate::log::{self, Rows};
use crate::program::{self, Ended, Program, Run};
use crate::rows::{self, FIRST_ROW, ROWS, SIGMAS};
use crate::select;
use clamps::base::format::g;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// What became of a script, the best first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Verdict {
    /// Row by row, until LAMMPS varied parts from itself, and in the average after that.
    Agrees,
    /// In the average; rows part earlier, or fixes draw at every step.
    Statistics,
    /// It runs, and something is different.
    Differs,
    /// Something is not there.
    Missing,
    /// It does not end in time.
    Late,
    /// LAMMPS itself does not come through.
    Unjudged,
}

impl Verdict {
    /// All of them, the best first.
    pub(crate) const ALL: [Verdict; 6] = [
        Verdict::Agrees,
        Verdict::Statistics,
        Verdict::Differs,
        Verdict::Missing,
        Verdict::Late,
        Verdict::Unjudged,
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(match self {
            Verdict::Agrees => "agrees",
            Verdict::Statistics => "statistics agree",
            Verdict::Differs => "differs",
            Verdict::Missing => "missing",
            Verdict::Late => "late",
            Verdict::Unjudged => "not judged",
        })
    }
}

/// A row of the table.
pub(crate) struct Outcome {
    /// What became of the script.
    pub(crate) verdict: Verdict,
    /// Steps that each run was cut to, if it was.
    pub(crate) cut: Option<u64>,
    /// Steps done at the first row that differs, those of all runs, and those at which LAMMPS differs from itself.
    pub(crate) steps: Option<[f64; 3]>,
    /// Standard errors by which the worst average differs, and its column.
    pub(crate) worst: Option<(f64, String)>,
    /// Files that agree.
    pub(crate) files: usize,
    /// What there is to say.
    pub(crate) remark: String,
    /// The device, as our log names it.
    pub(crate) device: Option<String>,
    /// Seconds of this program and of LAMMPS.
    pub(crate) seconds: [f64; 2],
}

impl Outcome {
    /// Adds to the remark.
    fn say(&mut self, more: &str) {
        let apart = if self.remark.is_empty() || more.is_empty() { "" } else { "; " };
        self.remark = format!("{}{apart}{more}", self.remark);
    }

    fn differ(&mut self, why: &str) {
        self.verdict = Verdict::Differs;
        self.say(why);
    }
}

/// The programs: this one, LAMMPS, and LAMMPS with its sums in another order and other noise, once and more often.
pub(crate) struct Programs {
    pub(crate) ours: Program,
    pub(crate) lammps: Program,
    pub(crate) again: Program,
    pub(crate) more: Vec<Program>,
}

/// Part of the steps up to which LAMMPS agrees with itself that rows have to agree for: how soon rounding is seen
/// depends on how much of it there is, if only by its logarithm.
const SHARE: f64 = 0.7;

/// Runs a script through the programs and compares.
///
/// # Errors
///
/// Files that can't be read or written; programs that can't be started.
pub(crate) fn judge(cli: &Cli, programs: &Programs, script: &Path, folder: &Path) -> io::Result<Outcome> {
    let before = select::before(script);
    let scripts: Vec<&Path> = before.iter().map(|path| &**path).chain([script]).collect();
    let (limit, steps) = (cli.seconds, cli.steps);
    let mut cut = (!cli.full).then_some(steps);
    let mut folder = folder.to_owned();
    let mut lammps = programs.lammps.run(&scripts, cut, limit, &folder)?;
    if cli.full && lammps.ended == Ended::Late {
        cut = Some(steps);
        folder.push("cut");
        lammps = programs.lammps.run(&scripts, cut, limit, &folder)?;
    }
    let mut again = vec![programs.again.run(&scripts, cut, limit, &folder)?];
    // LAMMPS shows how long a script is; PoCL beside other work needs more.
    let ours = programs.ours.run(&scripts, cut, limit.saturating_mul(cli.patience), &folder)?;
    let outcome = compare(&ours, &lammps, &again, script, cut)?;
    let open = outcome.verdict == Verdict::Differs && outcome.worst.as_ref().is_some_and(|w| w.0 > SIGMAS);
    if !open || !program::varies(&String::from_utf8_lossy(&fs::read(script)?)) {
        return Ok(outcome);
    }
    for program in &programs.more {
        again.push(program.run(&scripts, cut, limit, &folder)?);
    }
    compare(&ours, &lammps, &again, script, cut)
}

/// Compares with LAMMPS's run and its varied ones, of which there is one at least.
fn compare(ours: &Run, lammps: &Run, again: &[Run], script: &Path, cut: Option<u64>) -> io::Result<Outcome> {
    let mut outcome = Outcome {
        verdict: Verdict::Agrees,
        cut,
        steps: None,
        worst: None,
        files: 0,
        remark: String::new(),
        device: ours.log.lines().find_map(|line| line.strip_prefix("Device: ")).map(str::to_owned),
        seconds: [ours.seconds, lammps.seconds],
    };
    let mut say = |verdict, remark: String| (outcome.verdict, outcome.remark) = (verdict, remark);
    match (&ours.ended, &lammps.ended) {
        (Ended::Badly(message), Ended::Well | Ended::Late) => {
            say(Verdict::Missing, message.clone());
            return Ok(outcome);
        }
        (Ended::Badly(message), Ended::Badly(_)) if message.contains("not supported") => {
            say(Verdict::Missing, message.clone());
            return Ok(outcome);
        }
        (_, Ended::Late) => {
            say(Verdict::Unjudged, "LAMMPS is not done in time".into());
            return Ok(outcome);
        }
        (Ended::Late, _) => {
            say(Verdict::Late, String::new());
            return Ok(outcome);
        }
        (Ended::Well, Ended::Badly(message)) => {
            say(Verdict::Unjudged, format!("LAMMPS stops: {message}"));
            return Ok(outcome);
        }
        (Ended::Badly(message), Ended::Badly(theirs)) if log::runs(&lammps.log).is_empty() => {
            say(Verdict::Unjudged, format!("both stop: {message}; LAMMPS: {theirs}"));
            return Ok(outcome);
        }
        (Ended::Badly(message), Ended::Badly(_)) => say(Verdict::Agrees, format!("both stop: {message}")),
        (Ended::Well, Ended::Well) => {}
    }
    let [mut a, b] = [ours, lammps].map(|run| log::runs(&run.log));
    // Those that LAMMPS stops in make no less of the first.
    let varied: Vec<_> = again.iter().map(|run| log::runs(&run.log)).filter(|c| c.len() == b.len()).collect();
    if ours.ended != Ended::Well {
        // Where both stop, as cut runs may, what LAMMPS came to counts.
        a.truncate(b.len());
        a.iter_mut().zip(&b).for_each(|(ours, theirs)| ours.rows.truncate(theirs.rows.len()));
    }
    results_of(&mut outcome, [ours, lammps, &again[0]].map(|run| log::printed(&run.log)));
    let draws = program::draws(&String::from_utf8_lossy(&fs::read(script)?));
    rows_of(&mut outcome, &a, &b, &varied, draws);
    if ours.ended == Ended::Well {
        let source = script.parent().unwrap_or(Path::new("."));
        let files = files::compare(&ours.place, &lammps.place, &again[0].place, source)?;
        outcome.files = files.agree;
        // Numbers in files part with the rows.
        let whole = outcome.steps.is_some_and(|[ours, all, _]| ours >= all);
        let apart = if whole { [files.shape, files.part].concat() } else { files.shape };
        if !apart.is_empty() {
            outcome.verdict = outcome.verdict.max(Verdict::Differs);
            let more = if apart.len() > 3 { format!(" and {} more", apart.len() - 3) } else { String::new() };
            outcome.say(&(apart.into_iter().take(3).collect::<Vec<_>>().join("; ") + &more));
        }
    }
    Ok(outcome)
}

/// Shows the results that scripts print next to LAMMPS's. They are averages as a rule, of which there is one in a run, so
/// that LAMMPS's two runs tell how much they scatter.
fn results_of(outcome: &mut Outcome, [ours, lammps, again]: [Vec<(&str, f64)>; 3]) {
    let shown = |(name, value): &(&str, f64)| {
        let of =
            |run: &[(&str, f64)]| run.iter().find(|(other, _)| other == name).map(|(_, value)| g(*value, 4));
        let again = of(&again).map_or(String::new(), |value| format!(" and {value}"));
        Some(format!("{name} {}, in LAMMPS {}{again}", g(*value, 4), of(&lammps)?))
    };
    let results: Vec<String> = ours.iter().filter_map(shown).collect();
    outcome.say(&results.join("; "));
}

/// Judges by the rows of thermo output; where fixes draw at every step, they can only agree in the average.
fn rows_of(outcome: &mut Outcome, ours: &[Rows], lammps: &[Rows], varied: &[Vec<Rows>], draws: bool) {
    let all = rows::steps(lammps);
    let own = varied.first().and_then(|again| rows::parting(again, lammps, ROWS));
    let chaos = own.as_ref().map_or(all, |own| own.steps);
    let parted = rows::parting(ours, lammps, ROWS);
    outcome.steps = Some([parted.as_ref().map_or(all, |p| p.steps), all, chaos]);
    let start = rows::parting(ours, lammps, FIRST_ROW).filter(|start| start.place == (0, 0));
    if let Some(start) = start {
        return outcome.differ(&format!(
            "{} of the first row has {:.1} digits",
            start.what,
            start.digits.max(0.0)
        ));
    }
    let Some(parted) = parted else { return };
    let shape = parted.digits == 0.0 && (parted.what.contains(' '));
    let averages = rows::averages(ours, lammps, varied, parted.place);
    if let Some(worst) = averages.last() {
        outcome.worst = Some((worst.sigmas, worst.column.clone()));
        if worst.sigmas > SIGMAS {
            let off = 100.0 * worst.difference;
            return outcome.differ(&format!("average of {} is {off:+.2} % off", worst.column));
        }
        if varied.len() > 1 {
            outcome.say(&format!("averages judged by {} runs of LAMMPS", varied.len() + 1));
        }
    }
    if !draws && parted.steps >= SHARE * chaos && own.is_some() {
        return;
    }
    if averages.is_empty() || shape {
        return outcome.differ(&format!("{} from step {} on", parted.what, parted.steps));
    }
    outcome.verdict = Verdict::Statistics;
}
