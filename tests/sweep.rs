//! `clamps sweep`: combinations, records, failures that do not stop it, bad arguments.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::path::Path;

/// A melt of 4 n^3 atoms.
const SCRIPT: &str = "units lj
lattice fcc 0.8442
variable n index 4
variable t index 4
region box block 0 $n 0 $n 0 $n
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 1.5
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
fix 1 all nve
run 2
run $t
";

/// A folder with the script, and the program in it; two devices of PoCL even where there is nothing else.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("in.melt"), SCRIPT).unwrap();
    dir
}

fn clamps(dir: &Path, words: &str) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command.current_dir(dir).env_remove("RUST_LOG").env_remove("CLAMPS_DEVICE").env("CLAMPS_TUNE", "off");
    command.env("POCL_DEVICES", "pthread pthread").args(words.split(' '));
    command
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|_| panic!("{}", path.display()))).unwrap()
}

#[test]
fn every_combination_runs_and_is_compared() {
    let dir = folder();
    let table = clamps(dir.path(), "devices").assert().success();
    let devices = String::from_utf8(table.get_output().stdout.clone()).unwrap().lines().count() - 1;
    assert!(devices >= 2);
    let done =
        clamps(dir.path(), "sweep in.melt --var n 3 4 --var t 5 --device all --json s.json --html s.html")
            .assert()
            .success()
            .stderr("");
    let runs = json(&dir.path().join("s.json"))["runs"].as_array().unwrap().clone();
    assert_eq!(runs.len(), 2 * devices);
    for (index, run) in runs.iter().enumerate() {
        // The device changes fastest; t has one value, so no label names it.
        let (n, device) = ([3, 4][index / devices], index % devices);
        assert_eq!(run["label"], format!("n={n} device {device}"));
        assert_eq!((run["atoms"].as_u64(), run["steps"].as_u64()), (Some(4 * n * n * n), Some(5)));
        let stem = format!("sweep/{}-n={n}-device-{device}", index + 1);
        let record = json(&dir.path().join(format!("{stem}.json")));
        assert_eq!(record["runs"][1]["loop_seconds"], run["loop_seconds"]);
        // The median of both runs of the script, after a warm-up.
        let mut repeats: Vec<f64> =
            record["repeats"].as_array().unwrap().iter().map(|seconds| seconds.as_f64().unwrap()).collect();
        assert_eq!(repeats.len(), 3);
        repeats.sort_by(f64::total_cmp);
        let seconds = |k: usize| record["runs"][k]["loop_seconds"].as_f64().unwrap();
        assert_eq!(repeats[1], seconds(0) + seconds(1));
        let log = std::fs::read_to_string(dir.path().join(format!("{stem}.log"))).unwrap();
        assert!(log.contains("Loop time of "), "{log}");
    }
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains("n=4 device 1") && text.contains("The runs differ in atoms"), "{text}");
    assert!(std::fs::read_to_string(dir.path().join("s.html")).unwrap().contains("n=4 device 1"));
}

#[test]
fn a_run_that_fails_does_not_stop_the_others() {
    let dir = folder();
    std::fs::create_dir(dir.path().join("out")).unwrap();
    // A record of an earlier sweep must not pass for the result of this one.
    std::fs::write(dir.path().join("out/2-n=bad.json"), "{}").unwrap();
    clamps(
        dir.path(),
        "sweep -in in.melt -var n 3 bad 4 -device cpu --out out -run 1 -repeats 1 -json s.json",
    )
    .assert()
    .code(1)
    .stdout(contains("n=3").and(contains("n=4")))
    .stderr(contains("ERROR: 1 of 3 runs failed\n").and(contains("n=bad: region: ")));
    let runs = json(&dir.path().join("s.json"))["runs"].clone();
    assert_eq!(
        (&runs[0]["label"], &runs[1]["label"], &runs[2]),
        (&"n=3".into(), &"n=4".into(), &Value::Null)
    );
    assert_eq!(runs[1]["steps"], 2, "the first run, as asked for");
    assert!(!dir.path().join("out/2-n=bad.json").exists());
    assert!(std::fs::read_to_string(dir.path().join("out/2-n=bad.log")).unwrap().contains("ERROR: region"));
}

#[test]
fn a_run_that_does_not_end_is_killed() {
    let dir = folder();
    clamps(dir.path(), "sweep in.melt --var t 1000000000 --device cpu --timeout 1")
        .assert()
        .code(1)
        .stdout("")
        .stderr(contains("  in.melt: killed, as it had not ended after 1 s\n"));
}

#[test]
fn a_script_without_a_run_is_a_failure() {
    let dir = folder();
    std::fs::write(dir.path().join("in.none"), "print hello\n").unwrap();
    clamps(dir.path(), "sweep in.none --device cpu")
        .assert()
        .code(1)
        .stdout("")
        .stderr(contains("ERROR: 1 of 1 runs failed\n").and(contains("it left no timing record")));
}

#[test]
fn bad_arguments_are_refused_before_anything_runs() {
    let dir = folder();
    for (words, expected) in [
        ("sweep", "ERROR: sweep needs a script\n"),
        ("sweep --var n 3 4 in.melt", "the script comes first"),
        ("sweep in.nosuch --var n 3", "ERROR: cannot read in.nosuch: "),
        ("sweep in.melt --var n", "ERROR: --var n: values are missing\n"),
        ("sweep in.melt --var n 3 --var n 4", "ERROR: --var n is given twice\n"),
        ("sweep in.melt --device nosuch", "ERROR: there is no OpenCL device `nosuch`\n"),
        ("sweep in.melt --repeats 0", "invalid value '0' for '--repeats <N>'"),
        ("sweep in.melt --timeout 0", "ERROR: --timeout 0: expected a positive number of seconds\n"),
        ("sweep in.melt --precision half", "invalid value 'half'"),
        ("sweep in.melt --out in.melt", "ERROR: cannot make in.melt: "),
    ] {
        clamps(dir.path(), words).assert().code(1).stdout("").stderr(contains(expected));
    }
    assert!(!dir.path().join("sweep").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_shows_what_is_done() {
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;

    let dir = folder();
    let words = "sweep in.melt --var t 1 1000000000 2 --device cpu";
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("clamps"));
    command.current_dir(dir.path()).env("CLAMPS_TUNE", "off").args(words.split(' ')).process_group(0);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let log = dir.path().join("sweep/2-t=1000000000.log");
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(120);
    // Its second thermo table: the run that does not end has begun.
    while std::fs::read_to_string(&log).unwrap_or_default().matches("Per MPI rank").count() < 2 {
        assert!(std::time::Instant::now() < patience, "the second run does not begin");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // As a terminal does it: to the whole group.
    let group = format!("-{}", child.id());
    let killed = std::process::Command::new("kill").args(["-INT", "--", &group]).status().expect("kill runs");
    assert!(killed.success());
    let done = child.wait_with_output().unwrap();
    let [stdout, stderr] = [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(done.status.code(), Some(1), "{stderr}");
    assert!(stdout.starts_with("t=1  CLAMPS ("), "{stdout}");
    assert!(stderr.contains("ERROR: interrupted: not all runs are done\n"), "{stderr}");
    assert!(!dir.path().join("sweep/2-t=1000000000.json").exists());
}
