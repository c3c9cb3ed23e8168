//! `clamps compare`: what it reads out of logs and records, its table, its page, its errors.
#![allow(clippy::unwrap_used)]

mod common;

use assert_cmd::Command;
use clamps::studies::compare::{ListKind, Run, read};
use predicates::str::contains;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn clamps(dir: &Path) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command.current_dir(dir).env_remove("RUST_LOG").env("CLAMPS_TUNE", "off");
    command
}

fn log(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/logs").join(name)
}

fn runs(name: &str) -> Vec<Run> {
    read(&log(name)).unwrap_or_else(|err| panic!("{err}"))
}

fn pairs(run: &Run) -> Option<f64> {
    run.neighbors.and_then(|count| count.pairs())
}

/// A record of two runs as `-json` writes it, as far as compare reads it; 1000 atoms and steps.
fn record() -> Value {
    let run = |loop_seconds: f64| {
        json!({
            "loop_seconds": loop_seconds, "steps": 1000, "atoms": 1000, "dt": 0.005, "units": "lj",
            "timing": "full",
            "sections": {
                "Pair": {"seconds": 1.5, "percent": 75.0},
                "Other": {"seconds": loop_seconds - 1.5, "percent": 25.0},
            },
            "kernels": [
                {"name": "pair_force", "section": "Pair", "calls": 1000, "sampled": 1000,
                 "sampled_seconds": 1.5, "seconds": 1.5, "bytes": 0},
            ],
            "counts": {"local": 1000, "ghost": 500, "neighbors": 76000},
            "builds": 50, "dangerous": null, "memory_bytes": 1e6,
        })
    };
    json!({
        "program": "clamps", "version": "0.1.0", "git": "", "date": "2026-11-21T00:00:00Z", "script": "in.x",
        "device": {"platform": "P", "name": "D", "driver": "1", "units": 2},
        "precision": "mixed", "options": {}, "runs": [run(4.0), run(2.0)],
    })
}

fn write(dir: &Path, name: &str, record: &Value) {
    std::fs::write(dir.join(name), record.to_string()).unwrap();
}

#[test]
fn runs_of_a_log() {
    let [first, last] = &runs("melt.log")[..] else { panic!("two runs") };
    assert_eq!((first.steps, last.steps, last.atoms, last.number, last.of), (20, 40, 864, 2, 2));
    assert_eq!(last.loop_seconds, 0.0363768);
    assert_eq!(last.seconds("Pair"), Some(0.021618));
    assert_eq!(last.seconds("Other"), Some(8.944e-5));
    assert_eq!((last.ghosts, last.builds), (Some(2541.0), Some(2)));
    assert_eq!(last.program, "LAMMPS (22 Jul 2025 - Update 4)");
    // LAMMPS prints its own rates: "1099.603 timesteps/s, 950.057 katom-step/s".
    assert!((last.timesteps_per_second().unwrap() - 1099.603).abs() < 1e-2);
    assert!((last.atom_steps_per_second().unwrap() - 950_057.0).abs() < 5.0);
    let total: f64 = last.sections.iter().map(|(_, seconds)| seconds).sum();
    assert!((total / last.loop_seconds - 1.0).abs() < 1e-4, "the rows add up to the loop");
}

#[test]
fn half_and_full_lists_of_one_system_hold_the_same_pairs() {
    let [half, full] = ["melt.log", "both-lists.log"].map(|name| runs(name).pop().unwrap());
    let kinds = [&half, &full].map(|run| run.neighbors.unwrap().list);
    assert_eq!(kinds, [ListKind::Half, ListKind::Full]);
    assert_eq!(full.neighbors.unwrap().listed, 2.0 * half.neighbors.unwrap().listed);
    assert_eq!(pairs(&half), pairs(&full));
    // Threads have a breakdown of their own below that of the tasks, and count as procs in the loop line.
    let threads = runs("omp.log").pop().unwrap();
    assert_eq!((pairs(&threads), threads.ghosts), (pairs(&half), Some(2541.0)));
    assert_eq!((threads.seconds("Pair"), threads.seconds("Reduce")), (Some(0.49232), None));
    assert_eq!(threads.device, "1 MPI tasks x 2 OpenMP threads");
    // Newton off: pairs with ghosts count twice, so the list is longer and its pairs cannot be told.
    let off = runs("newton-off.log").pop().unwrap();
    assert_eq!((off.neighbors.unwrap().list, pairs(&off)), (ListKind::HalfNewtonOff, None));
    assert!(off.neighbors.unwrap().listed > half.neighbors.unwrap().listed);
}

#[test]
fn rows_that_only_some_runs_have() {
    let dir = tempfile::tempdir().unwrap();
    let words = [log("bond-kspace.log"), log("melt.log")];
    let done = clamps(dir.path()).arg("compare").args(&words).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    let row = |name: &str| text.lines().find(|line| line.starts_with(&format!("| {name}"))).expect(name);
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("| ")?.split(", s ").next()).collect();
    let rows = ["Pair", "Bond", "Kspace", "Neigh", "Comm", "Output", "Modify", "Other"];
    assert_eq!(names.iter().filter(|name| rows.contains(name)).copied().collect::<Vec<_>>(), rows);
    assert!(row("Kspace").contains("  98.2%   x1.00 |         - "), "{}", row("Kspace"));
    // 0.021618 / 0.00039258 = 55.07
    assert!(row("Pair").contains("x55.1 |"), "{}", row("Pair"));
    assert!(text.contains("The runs differ in atoms"), "{text}");
}

#[test]
fn a_run_is_chosen() {
    let dir = tempfile::tempdir().unwrap();
    let (melt, both) = (log("melt.log"), log("both-lists.log"));
    let steps = |words: &[&str]| -> Vec<u64> {
        let mut command = clamps(dir.path());
        command.arg("compare").args([&melt, &both]).args(words).args(["--json", "c.json"]).assert().success();
        let record: Value =
            serde_json::from_slice(&std::fs::read(dir.path().join("c.json")).unwrap()).unwrap();
        record["runs"].as_array().unwrap().iter().map(|run| run["steps"].as_u64().unwrap()).collect()
    };
    assert_eq!(steps(&[]), [40, 40]);
    assert_eq!(steps(&["--run", "1"]), [20, 20]);
    assert_eq!(steps(&["-run", "1", "-run", "last"]), [20, 40]);
    assert_eq!(steps(&["--run", "all"]), [20, 40, 20, 40]);
}

#[test]
fn figures_and_ratios_of_records() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "a.json", &record());
    let done = clamps(dir.path())
        .args(["compare", "a.json", "a.json", "--run", "1", "--run", "2", "--json", "out.json"])
        .args(["--label", "slow", "--label", "fast"])
        .assert()
        .success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains("Fastest: fast, 0.5000 Matom-steps/s, 2.00 times the rate"), "{text}");
    let out: Value = serde_json::from_slice(&std::fs::read(dir.path().join("out.json")).unwrap()).unwrap();
    assert_eq!(out["study"], "compare");
    let fast = &out["runs"][1];
    assert_eq!((&fast["label"], &fast["run"]), (&json!("fast"), &json!(2)));
    assert_eq!(fast["timesteps_per_second"], 500.0);
    assert_eq!(
        fast["ratios"],
        json!({
            "loop_seconds": 0.5, "timesteps_per_second": 2.0, "atom_steps_per_second": 2.0,
        })
    );
    assert_eq!(fast["sections"]["Other"], json!({"seconds": 0.5, "percent": 25.0, "ratio": 0.2}));
    let neighbors = json!({"listed": 76000.0, "list": "full", "pairs": 38000.0, "per_atom": 76.0});
    assert_eq!(fast["neighbors"], neighbors);
}

#[test]
fn record_and_log_of_one_run_agree_and_lammps_finds_the_same_pairs() {
    let dir = tempfile::tempdir().unwrap();
    let script = log("in.melt").display().to_string();
    clamps(dir.path())
        .args(["-in", &script, "-var", "newton", "on", "-var", "timer", "normal", "-json", "a.json"])
        .assert()
        .success();
    let last = |name: &str| read(&dir.path().join(name)).unwrap_or_else(|err| panic!("{err}")).pop().unwrap();
    let (record, log) = (last("a.json"), last("log.clamps"));
    assert_eq!((record.of, log.of), (2, 2));
    assert_eq!((record.atoms, record.steps), (log.atoms, log.steps));
    assert_eq!((record.neighbors, record.builds, record.ghosts), (log.neighbors, log.builds, log.ghosts));
    assert!((record.loop_seconds / log.loop_seconds - 1.0).abs() < 1e-5);
    assert_eq!(record.sections.len(), 6);
    for (name, seconds) in &record.sections {
        let printed = log.seconds(name).unwrap();
        // What is left of the loop may be the rounding of its sum.
        let near = (5e-4 * seconds.abs()).max(1e-15 * record.loop_seconds);
        assert!((printed - seconds).abs() <= near, "{name}: {seconds} {printed}");
    }
    assert!(log.device.starts_with(record.device.trim_end_matches(')')), "{} {}", log.device, record.device);
    // The same lattice and velocities, and a list at the same step; two rebuilds on, rounding may move a pair.
    let lammps = pairs(&runs("melt.log")[1]).unwrap();
    assert!((pairs(&record).unwrap() - lammps).abs() <= 3.0, "{:?} {lammps}", record.neighbors);
}

#[test]
fn shared_reference_logs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/reference/lammps");
    let Ok(text) = std::fs::read_to_string(folder.join("bench-log.6Oct16.lj.fixed.icc.1")) else {
        eprintln!("skipped: no reference logs beside this checkout");
        return;
    };
    assert!(text.starts_with("LAMMPS (6 Oct 2016)"));
    let run = |name: &str| read(&folder.join(name)).unwrap_or_else(|err| panic!("{err}")).pop().unwrap();
    let (old, new) = (run("bench-log.6Oct16.lj.fixed.icc.1"), run("lj-every20.log"));
    assert_eq!(
        (old.loop_seconds, old.seconds("Pair"), old.seconds("Other")),
        (2.26185, Some(1.9328), Some(0.008214))
    );
    assert_eq!((pairs(&old), pairs(&new)), (Some(1_202_833.0), Some(1_202_833.0)));
}

#[test]
fn the_page_stands_alone() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "a.json", &record());
    clamps(dir.path())
        .args(["compare", "a.json", "--label", "<b>&\"x", "--label", "lammps", "--html", "page.html"])
        .arg(log("melt.log"))
        .assert()
        .success();
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    // Nothing is fetched and nothing runs: the only address is the empty icon.
    for part in ["http:", "https:", "src=", "url(", "@import", "<script", "<link rel=\"stylesheet"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("href=").count(), 1);
    assert!(page.contains("href=\"data:,\""));
    // Names from files and the command line are text, never markup.
    assert!(page.contains("&lt;b&gt;&amp;&quot;x") && !page.contains("<b>&\"x"));
    assert!(page.contains("<meta name=\"viewport\""));
    assert!(page.contains("@media (prefers-color-scheme: dark)"));
    // Every picture says in words what it shows, or is decoration.
    let pictures = page.matches("<svg ").count();
    assert!(pictures >= 6);
    assert_eq!(
        page.matches("role=\"img\" aria-label=").count() + page.matches("aria-hidden=").count(),
        pictures
    );
    for heading in
        ["Throughput", "Where the time goes", "Figures", "Roofline", "Kernels and transfers", "Settings"]
    {
        assert!(page.contains(&format!("<h2>{heading}")), "{heading}");
    }
    assert!(page.contains("Left out: it takes JSON records with the bytes and operations of each kernel"));
}

/// WCAG 2.2, "relative luminance" and "contrast ratio".
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |color: &str| {
        let channel = |at: usize| {
            let c = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_can_be_read_by_day_and_by_night() {
    let css = include_str!("../src/studies/compare/page.css");
    let (day, night) = css.split_once("@media (prefers-color-scheme: dark)").unwrap();
    let night = night.split("* {").next().unwrap();
    for (mode, text) in [("day", day), ("night", night)] {
        let color = |name: &str| {
            let at = text.find(&format!("--{name}: #")).unwrap_or_else(|| panic!("{mode}: {name}"));
            text[at..].split([' ', ';']).nth(1).unwrap()
        };
        for (front, back) in [("ink", "card"), ("ink", "page"), ("soft", "card"), ("soft", "page")] {
            assert!(contrast(color(front), color(back)) >= 4.5, "{mode}: {front} on {back}");
        }
        for section in ["rate", "pair", "bond", "kspace", "neigh", "comm", "output", "modify", "other"] {
            assert!(contrast(color("on"), color(section)) >= 4.5, "{mode}: text on {section}");
            assert!(contrast(color(section), color("card")) >= 3.0, "{mode}: {section} on the page");
        }
    }
}

#[test]
fn a_roofline_where_the_record_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut with = record();
    with["device"]["copy_bandwidth"] = json!(20e9);
    with["device"]["peak_flops"] = json!(100e9);
    // 6 GFLOP in 1.5 s at 2 FLOP per byte: 4 GFLOP/s of the 40 that 20 GB/s allow.
    with["runs"][1]["kernels"][0]["operations"] = json!(6e9);
    with["runs"][1]["kernels"][0]["bytes_moved"] = json!(3e9);
    write(dir.path(), "a.json", &with);
    clamps(dir.path()).args(["compare", "a.json", "--html", "page.html"]).assert().success();
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("the device copies 20 GB/s and computes 100 GFLOP/s"));
    assert!(page.contains("pair_force: 4 GFLOP/s at 2 FLOP per byte, 10 % of its ceiling"));
    assert!(!page.contains("Left out"));
    let done =
        clamps(dir.path()).args(["compare", "a.json", "--roofline"]).arg(log("melt.log")).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains("a.json: the device copies 20 GB/s and computes 100 GFLOP/s"), "{text}");
    assert!(text.contains("melt.log: no kernels with their bytes and operations"), "{text}");
    let row = text.lines().find(|line| line.starts_with("| pair_force")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    // 1.5 s, 3 GB and 6 GFLOP in a thousand calls.
    let expected = ["Pair", "1000", "1500", "3", "2", "10.0", "6", "4", "4.0", "2"];
    assert_eq!(cells[2..12], expected, "{row}");
}

#[test]
fn speed_by_size_is_drawn() {
    let dir = tempfile::tempdir().unwrap();
    for (k, atoms) in [1000, 8000, 64000].into_iter().enumerate() {
        let mut record = record();
        record["runs"][1]["atoms"] = json!(atoms);
        write(dir.path(), &format!("{k}.json"), &record);
    }
    let words = ["compare", "0.json", "1.json", "2.json", "--scaling", "speed.svg"];
    clamps(dir.path()).args(words).assert().success();
    let chart = std::fs::read_to_string(dir.path().join("speed.svg")).unwrap();
    assert!(
        chart.contains("million atom-steps per second") && chart.matches("<polygon").count() >= 3,
        "{chart}"
    );
    let words = ["compare", "0.json", "0.json", "--scaling", "speed.svg"];
    let wanted = "--scaling wants runs with different numbers of atoms";
    clamps(dir.path()).args(words).assert().code(1).stderr(contains(wanted));
}

#[test]
fn the_programs_own_record_has_a_roofline() {
    let dir = tempfile::tempdir().unwrap();
    let script = log("in.melt").display().to_string();
    clamps(dir.path())
        .args(["-in", &script, "-var", "newton", "on", "-var", "timer", "normal", "-json", "a.json"])
        .assert()
        .success();
    let words = ["compare", "a.json", "--roofline", "--html", "page.html"];
    let done = clamps(dir.path()).args(words).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    let has = |kernel: &str| text.contains(&format!("| {kernel} "));
    for kernel in ["fused_step", "pair_force", "build_list"] {
        assert!(has(kernel), "{kernel}: {text}");
    }
    // Atoms are ordered in one launch where cores come together, which they may not on a busy machine. CLAMPS_TESTS=full is strict.
    let one_launch = !common::full() && has("order_atoms");
    assert!(one_launch || has("bin_atoms") && has("permute_atoms"), "{text}");
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("fused_step: ") && !page.contains("Left out"));
}

#[test]
fn bad_files_get_clear_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    write(path, "study.json", &json!({"study": "kdv"}));
    write(path, "other.json", &json!({"name": "x"}));
    std::fs::write(path.join("cut.json"), "{\n \"program\": \"cl").unwrap();
    let mut lacking = record();
    lacking["runs"][0].as_object_mut().unwrap().remove("steps");
    write(path, "lacking.json", &lacking);
    std::fs::write(path.join("in.lj"), "units lj\n").unwrap();
    std::fs::write(path.join("empty"), "\n").unwrap();
    std::fs::write(path.join("loop.log"), "LAMMPS (6 Oct 2016)\nLoop time of x on 1 procs\n").unwrap();
    for name in ["died.log", "timer-off.log"] {
        std::fs::copy(log(name), path.join(name)).unwrap();
    }
    for (name, expected) in [
        ("study.json", "ERROR: study.json is the record of the study `kdv`, not of a run\n"),
        (
            "other.json",
            "ERROR: other.json is JSON, but no record of clamps: it lacks \"program\": \"clamps\"\n",
        ),
        ("cut.json", "ERROR: not a record of clamps: EOF while parsing a string (cut.json:2)\n"),
        ("lacking.json", "ERROR: not a record of clamps: missing field `steps` (lacking.json:1)\n"),
        ("in.lj", "ERROR: in.lj is neither a JSON record of clamps nor a log (in.lj:1)\n"),
        ("empty", "ERROR: empty is empty\n"),
        ("loop.log", "ERROR: this is not how a loop line reads (loop.log:2)\n"),
        ("died.log", "there is no line `Loop time of` (died.log:39)\n"),
        ("timer-off.log", "there is no line `Loop time of` (timer-off.log:75)\n"),
        ("nosuch", "ERROR: cannot read nosuch: "),
    ] {
        let words = ["compare", name, "--json", "out.json", "--html", "out.html"];
        clamps(path).args(words).assert().code(1).stdout("").stderr(contains(expected));
    }
    clamps(path).args(["compare", "died.log"]).assert().stderr(contains("39 | ERROR: Lost atoms"));
    write(path, "a.json", &record());
    for (words, expected) in [
        ("a.json --run 3", "ERROR: a.json has no run 3: it holds 2 runs\n"),
        ("a.json --run 0", "expected a number from 1, last or all"),
        ("a.json a.json a.json --run 1 --run 2", "ERROR: --run is given 2 times for 3 files\n"),
        ("a.json --label x --label y", "ERROR: --label is given 2 times for 1 runs\n"),
        ("a.json --html no/such/folder/x.html", "ERROR: cannot write no/such/folder/x.html: "),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        clamps(path).arg("compare").args(words).assert().code(1).stderr(contains(expected));
    }
    // A link to a record is the record.
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.json", path.join("link.json")).unwrap();
    let kept = std::fs::read(path.join("a.json")).unwrap();
    for output in ["a.json", "link.json"].into_iter().filter(|name| path.join(name).exists()) {
        let expected = format!("ERROR: cannot write {output}: that is a file that is read\n");
        let words = ["compare", "a.json", "a.json", "--json", output];
        clamps(path).args(words).assert().code(1).stderr(contains(expected));
        assert_eq!(std::fs::read(path.join("a.json")).unwrap(), kept);
    }
    assert!(!path.join("out.json").exists() && !path.join("out.html").exists());
}

#[test]
fn ranks_and_how_evenly_they_share() {
    let dir = tempfile::tempdir().unwrap();
    let mut shared = record();
    let rank = |local: u32, pair: f64| {
        json!({
            "loop_seconds": 2.0, "cpu_seconds": 2.0, "sections": {"Pair": pair, "Neigh": 0.1},
            "counts": {"local": local, "ghost": 500, "neighbors": 38000},
        })
    };
    shared["runs"][1]["ranks"] = json!([rank(700, 1.5), rank(300, 0.5)]);
    write(dir.path(), "one.json", &record());
    write(dir.path(), "two.json", &shared);
    let compare = |words: &[&str]| {
        let done = clamps(dir.path()).arg("compare").args(words).assert().success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    let text = compare(&["one.json", "two.json", "--json", "both.json"]);
    let cells = |name: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.starts_with(&format!("| {name} "))).expect(name);
        line.split('|').skip(2).map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect()
    };
    assert_eq!(cells("Ranks"), ["1", "2"]);
    assert_eq!(cells("Atoms, most/mean of a rank"), ["-", "1.400"]);
    assert_eq!(cells("Pair, most/mean of a rank"), ["-", "1.500"]);
    let both: Value = serde_json::from_slice(&std::fs::read(dir.path().join("both.json")).unwrap()).unwrap();
    let ranks = |run: usize| both["runs"][run]["ranks"].clone();
    assert_eq!(ranks(0), json!({"count": 1, "atoms_imbalance": null, "pair_imbalance": null}));
    assert_eq!(ranks(1), json!({"count": 2, "atoms_imbalance": 1.4, "pair_imbalance": 1.5}));
    // Runs of one rank are compared without a word of ranks.
    assert!(!compare(&["one.json", "one.json"]).contains("of a rank"));
}
