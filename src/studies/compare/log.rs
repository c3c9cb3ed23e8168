//! Runs from a log of LAMMPS (formats of 2016 to 2025) or of this program.
//!
//! Source: LAMMPS manual, "Screen and logfile output", and logs of these years. A run ends with its line
//! `Loop time of`; what follows up to the next run are its breakdown and counts, and what was said before it
//! (units, lists, device) holds until it is said anew.

use std::path::Path;
use std::sync::Arc;

use super::run::{ListKind, Neighbors, Ranks, Run};
use crate::base::error::{Error, Result, Source};

/// Echoed commands that are shown as settings of the run, by the name they get.
const COMMANDS: [(&str, &str); 7] = [
    ("units", "Units"),
    ("pair_style", "Pair style"),
    ("kspace_style", "Kspace style"),
    ("timestep", "Time step"),
    ("newton", "Newton"),
    ("package", "Package"),
    ("suffix", "Suffix"),
];

/// Lines that the program prints itself and that are shown as settings: how they begin, the name they get.
const LINES: [(&str, &str); 10] = [
    ("Device: ", "Device"),
    ("precision: ", "Precision"),
    ("update: ", "Neighbor list update"),
    ("update ", "Neighbor list update"),
    ("master list distance cutoff = ", "List cutoff"),
    ("pair build: ", "List build"),
    ("KOKKOS mode ", "KOKKOS"),
    ("- Using acceleration for ", "GPU package"),
    ("Per MPI rank memory allocation (min/avg/max) = ", "Memory per rank"),
    ("Memory usage per processor = ", "Memory per rank"),
];

/// What the lines so far say of the runs to come.
#[derive(Default)]
struct Context {
    program: Option<String>,
    settings: Vec<(String, String)>,
    /// Whether half lists hold a pair with a ghost atom once; on unless the log says otherwise.
    newton_off: bool,
}

impl Context {
    fn set(&mut self, key: &str, value: &str) {
        match self.settings.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => value.clone_into(old),
            None => self.settings.push((key.to_owned(), value.to_owned())),
        }
    }

    fn line(&mut self, line: &str) {
        let text = line.trim();
        if is_version(line) {
            // A log may be appended to: what another program said does not hold for this one.
            *self = Context { program: Some(text.to_owned()), ..Context::default() };
            return;
        }
        if let Some(attributes) = text.strip_prefix("attributes: half, ") {
            self.newton_off = attributes.starts_with("newton off");
        }
        for (start, key) in LINES {
            if let Some(value) = text.strip_prefix(start) {
                self.set(key, value);
            }
        }
        let mut words = text.split_whitespace();
        let command = words.next().unwrap_or_default();
        // A line with variables is echoed once more with their values.
        if let Some((_, key)) = COMMANDS.iter().find(|(name, _)| *name == command && !text.contains('$')) {
            let code = text.split('#').next().unwrap_or_default();
            let values: Vec<&str> = code.split_whitespace().skip(1).collect();
            if command == "newton" {
                self.newton_off = values.first().is_some_and(|value| matches!(*value, "off" | "no"));
            }
            if !values.is_empty() {
                self.set(key, &values.join(" "));
            }
        }
    }
}

/// A run whose closing lines are being read.
struct Closing {
    run: Run,
    /// Ranks, over which LAMMPS averages its counts.
    tasks: f64,
    /// The most of a rank over the mean of ranks: atoms, seconds of pair forces.
    atoms_imbalance: Option<f64>,
    pair_imbalance: Option<f64>,
    in_breakdown: bool,
    half: f64,
    full: f64,
}

impl Closing {
    fn line(&mut self, line: &str, newton_off: bool) {
        if line.trim_start().starts_with("MPI task timing") {
            self.in_breakdown = true;
            return;
        }
        if self.in_breakdown {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let number = |column: usize| fields.get(column).and_then(|field| field.parse::<f64>().ok());
            match (fields[0], number(2)) {
                ("Section", _) => {}
                (rule, _) if rule.starts_with("---") => {}
                (name, Some(average)) => {
                    if let Some(most) = number(3).filter(|_| name == "Pair" && average > 0.0) {
                        self.pair_imbalance = Some(most / average);
                    }
                    self.run.sections.push((name.to_owned(), average));
                }
                // Threads get a table of their own with some of the same names.
                _ => self.in_breakdown = false,
            }
            return;
        }
        if let Some((_, tasks)) = line.split_once("% CPU use with ") {
            // The loop line's procs are tasks times threads.
            self.tasks = tasks.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(1.0);
            self.run.settings.push(("Tasks and threads".into(), tasks.trim().into()));
        }
        let average =
            |name: &str| -> Option<f64> { line.strip_prefix(name)?.split_whitespace().next()?.parse().ok() };
        if let Some(words) = line.strip_prefix("Nlocal:") {
            let words: Vec<&str> = words.split_whitespace().collect();
            if let [average, "ave", most, "max", ..] = words[..]
                && let (Ok(average), Ok(most)) = (average.parse::<f64>(), most.parse::<f64>())
                && average > 0.0
            {
                self.atoms_imbalance = Some(most / average);
            }
        }
        if let Some(ghosts) = average("Nghost:") {
            self.run.ghosts = Some(ghosts * self.tasks);
        }
        self.half = average("Neighs:").unwrap_or(self.half);
        self.full = average("FullNghs:").unwrap_or(self.full);
        let value = |name: &str| -> Option<f64> { line.strip_prefix(name)?.trim().parse().ok() };
        if let Some(listed) = value("Total # of neighbors =").filter(|listed| *listed > 0.0) {
            // The total is that of the longer list where there are both.
            let list = match (self.full >= self.half && self.full > 0.0, newton_off) {
                (true, _) => ListKind::Full,
                (false, true) => ListKind::HalfNewtonOff,
                (false, false) => ListKind::Half,
            };
            self.run.neighbors = Some(Neighbors { listed, list });
        }
        if let Some(builds) = value("Neighbor list builds =") {
            self.run.builds = Some(builds as u64);
        }
    }

    fn end(mut self) -> Run {
        let setting = |key: &str| self.run.settings.iter().find(|(known, _)| known == key);
        let device = setting("Device").or_else(|| setting("Tasks and threads"));
        let tasks = setting("Tasks and threads").is_some();
        self.run.device = device.map(|(_, value)| value.clone()).unwrap_or_default();
        self.run.ranks = tasks.then(|| Ranks {
            count: self.tasks as u64,
            atoms_imbalance: self.atoms_imbalance.filter(|_| self.tasks > 1.0),
            pair_imbalance: self.pair_imbalance.filter(|_| self.tasks > 1.0),
        });
        self.run
    }
}

/// All runs of a log.
///
/// # Errors
/// When the file is no log, or no run in it came to its end; points at the line.
pub(super) fn read(file: &Path, text: &str) -> Result<Vec<Run>> {
    let name: Arc<str> = Arc::from(file.display().to_string());
    let source =
        |number: usize, line: &str| Source { file: name.clone(), line: number, text: Arc::from(line) };
    let mut context = Context::default();
    let mut runs = Vec::new();
    let mut closing: Option<Closing> = None;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("Loop time of ") {
            runs.extend(closing.take().map(Closing::end));
            closing = Some(begin(file, line, &context).ok_or_else(|| {
                Error::new("this is not how a loop line reads")
                    .at(&source(index + 1, line), 0..line.len())
                    .label("expected: Loop time of SECONDS on P procs for N steps with M atoms")
            })?);
            continue;
        }
        context.line(line);
        if let Some(closing) = &mut closing {
            closing.line(line, context.newton_off);
        }
    }
    runs.extend(closing.map(Closing::end));
    if !runs.is_empty() {
        return Ok(runs);
    }
    if context.program.is_none() {
        let first = text.lines().next().unwrap_or_default();
        return Err(Error::new(format!("{name} is neither a JSON record of clamps nor a log"))
            .at(&source(1, first), 0..first.len())
            .label("a log begins with LAMMPS (date) or CLAMPS (version)")
            .help("compare reads what clamps -json FILE writes, and logs of clamps and of LAMMPS"));
    }
    let mut lines = text.lines().enumerate();
    if let Some((index, line)) = lines.find(|(_, line)| line.starts_with("ERROR")) {
        return Err(Error::new("no run of this log came to its end: there is no line `Loop time of`")
            .at(&source(index + 1, line), 0..line.len())
            .label("what ended it"));
    }
    let (index, line) = text.lines().enumerate().last().unwrap_or_default();
    Err(Error::new("no run of this log came to its end: there is no line `Loop time of`")
        .at(&source(index + 1, line), 0..line.len())
        .label("the log ends here")
        .help("the run was stopped, is still going on, or was not timed (timer off)"))
}

/// A run from its loop line: `Loop time of 1.21 on 1 procs for 100 steps with 32000 atoms`.
fn begin(file: &Path, line: &str, context: &Context) -> Option<Closing> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["Loop", "time", "of", seconds, "on", _, "procs", "for", steps, "steps", "with", atoms, "atoms"] =
        words[..]
    else {
        return None;
    };
    let loop_seconds: f64 = seconds.parse().ok().filter(|seconds: &f64| seconds.is_finite())?;
    let program = context.program.clone().unwrap_or_else(|| "(a log without its first line)".into());
    let mut settings = vec![("Program".to_owned(), program.clone())];
    settings.extend(context.settings.iter().cloned());
    let run = Run {
        label: String::new(),
        file: file.to_owned(),
        number: 0,
        of: 0,
        program,
        device: String::new(),
        atoms: atoms.parse().ok()?,
        steps: steps.parse().ok()?,
        loop_seconds,
        sections: Vec::new(),
        ghosts: None,
        ranks: None,
        neighbors: None,
        builds: None,
        settings,
        kernels: Vec::new(),
        ceiling: None,
    };
    Some(Closing {
        run,
        tasks: 1.0,
        atoms_imbalance: None,
        pair_imbalance: None,
        in_breakdown: false,
        half: 0.0,
        full: 0.0,
    })
}

/// `LAMMPS (22 Jul 2025)`, `CLAMPS (0.1.0 git 0123456789)`.
fn is_version(line: &str) -> bool {
    ["LAMMPS (", "CLAMPS ("].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shape of a log of 2016, where the list says nothing of newton; one run on 2 tasks, without Bond.
    const OLD: &str = "LAMMPS (6 Oct 2016)
variable\tx index 2
units\t\tlj # reduced
newton\t\toff
timestep\t${dt}
timestep\t0.004
run\t\t50
Neighbor list info ...
  1 neighbor list requests
  update every 20 steps, delay 0 steps, check no
  master list distance cutoff = 2.8
Memory usage per processor = 8.25 Mbytes
Step Temp E_pair E_mol TotEng Press 
       0         1.44   -6.7733681            0   -4.6134356   -5.0197073 
Loop time of 2.5 on 2 procs for 50 steps with 4000 atoms

Performance: 8640.000 tau/day, 20.000 timesteps/s
99.9% CPU use with 2 MPI tasks x no OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 1.75       | 2          | 2.25       |   0.0 | 80.00
Neigh   | 0.25       | 0.25       | 0.25       |   0.0 | 10.00
Other   |            | 0.25       |            |       | 10.00

Nlocal:    2000 ave 2010 max 1990 min
Histogram: 1 0 0 0 0 0 0 0 0 1
Nghost:    1500 ave 1501 max 1499 min
Histogram: 1 0 0 0 0 0 0 0 0 1
Neighs:    75000 ave 75100 max 74900 min
Histogram: 1 0 0 0 0 0 0 0 0 1

Total # of neighbors = 150000
Ave neighs/atom = 37.5
Neighbor list builds = 2
Dangerous builds not checked
Total wall time: 0:00:02
";

    fn only(text: &str) -> Run {
        let [run] = <[Run; 1]>::try_from(read(Path::new("log"), text).expect("a log")).expect("one run");
        run
    }

    #[test]
    fn a_log_of_2016() {
        let run = only(OLD);
        assert_eq!((run.atoms, run.steps, run.loop_seconds), (4000, 50, 2.5));
        let sections: Vec<(&str, f64)> = run.sections.iter().map(|(name, s)| (&**name, *s)).collect();
        assert_eq!(sections, [("Pair", 2.0), ("Neigh", 0.25), ("Other", 0.25)]);
        assert_eq!((run.ghosts, run.builds), (Some(3000.0), Some(2)));
        assert_eq!(run.neighbors, Some(Neighbors { listed: 150_000.0, list: ListKind::HalfNewtonOff }));
        assert_eq!(run.device, "2 MPI tasks x no OpenMP threads");
        let ranks = Ranks { count: 2, atoms_imbalance: Some(1.005), pair_imbalance: Some(1.125) };
        assert_eq!(run.ranks, Some(ranks));
        for setting in [
            ("Program", "LAMMPS (6 Oct 2016)"),
            ("Units", "lj"),
            ("Newton", "off"),
            ("Time step", "0.004"),
            ("Neighbor list update", "every 20 steps, delay 0 steps, check no"),
            ("List cutoff", "2.8"),
            ("Memory per rank", "8.25 Mbytes"),
        ] {
            assert!(run.settings.contains(&(setting.0.into(), setting.1.into())), "{setting:?}");
        }
    }

    #[test]
    fn lists_by_what_is_counted() {
        let on = OLD.replace("newton\t\toff", "newton\t\ton off");
        let pairs = |text: &str| only(text).neighbors.and_then(|count| count.pairs());
        assert_eq!(pairs(OLD), None);
        assert_eq!(pairs(&on), Some(150_000.0));
        // KOKKOS on a GPU: a row of zeros for half lists, and the full ones.
        let full =
            on.replace("Neighs:    75000 ave 75100 max 74900 min", "Neighs:    0 ave 0 max 0 min").replace(
                "\n\nTotal # of neighbors = 150000",
                "\nFullNghs: 150000 ave 1 max 1 min\n\nTotal # of neighbors = 3e5",
            );
        assert_eq!(pairs(&full), Some(150_000.0));
        // Lists that a GPU keeps to itself.
        assert_eq!(only(&on.replace("= 150000", "= 0")).neighbors, None);
    }

    #[test]
    fn an_appended_log_forgets_the_other_program() {
        let second = OLD.replace("newton\t\toff", "").replace("2016", "2020");
        let runs = read(Path::new("log"), &format!("{OLD}{second}")).expect("a log");
        let lists: Vec<Option<ListKind>> = runs.iter().map(|run| Some(run.neighbors?.list)).collect();
        assert_eq!(lists, [Some(ListKind::HalfNewtonOff), Some(ListKind::Half)]);
        assert_eq!(runs[1].program, "LAMMPS (6 Oct 2020)");
    }

    proptest::proptest! {
        #[test]
        fn reading_never_panics(cut in 0..OLD.len(), junk: String) {
            let _ = read(Path::new("log"), &format!("{}{junk}{}", &OLD[..cut], &OLD[cut..]));
            let _ = read(Path::new("log"), &junk);
        }
    }
}
