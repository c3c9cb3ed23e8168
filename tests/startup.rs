//! First runs: what is compiled once for all.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MELT: &str = "
lattice fcc 0.8442
variable n index 4
region box block 0 $n 0 $n 0 $n
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 10
run 20
";

/// How kernels are built: without optimization, which takes half the time, but for CLAMPS_TESTS=full.
fn build() -> &'static str {
    if common::full() { "own" } else { "own,cheap" }
}

/// A run of the script in a folder, with caches of all that share it.
fn start(folder: &Path, shared: &Path, more: &[&str], helpers: &str) -> Child {
    let script = folder.join("in.melt");
    fs::write(&script, MELT).unwrap();
    let log = fs::File::create(folder.join("screen")).unwrap();
    Command::new(assert_cmd::cargo::cargo_bin("clamps"))
        .current_dir(folder)
        .args(["-in", "in.melt", "-log", "none"])
        .args(more)
        .env("CLAMPS_HELPERS", helpers)
        .env("CLAMPS_CACHE_DIR", shared.join("clamps"))
        .env("POCL_CACHE_DIR", shared.join("pocl"))
        .env("RUST_LOG", "clamps::gpu=debug")
        .env("CLAMPS_BUILD", build())
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// The seconds of processor time that a process and its children have taken, when it has ended.
fn processor_time(child: &mut Child) -> f64 {
    let began = Instant::now();
    loop {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        if fields[0] == "Z" {
            assert!(child.wait().unwrap().success());
            let ticks: f64 = fields[11..15].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
            return ticks / 100.0;
        }
        assert!(began.elapsed() < Duration::from_secs(300), "does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The thermo rows of a run, headings first.
fn rows(folder: &Path) -> Vec<String> {
    let screen = fs::read_to_string(folder.join("screen")).unwrap();
    // Among what the program logs.
    let lines = screen.lines().filter(|line| !line.starts_with('['));
    let rows: Vec<String> =
        lines.skip_while(|line| !line.contains("Step")).take(4).map(str::to_owned).collect();
    assert_eq!(rows.len(), 4, "{screen}");
    rows
}

#[test]
#[cfg(target_os = "linux")]
fn of_first_runs_at_once_one_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let place = folder.path().join(name);
        fs::create_dir(&place).unwrap();
        place
    };
    let alone = processor_time(&mut start(&place("alone"), &place("first"), &[], "0"));
    let shared = place("second");
    let mut all: Vec<Child> = (0..6).map(|k| start(&place(&format!("run{k}")), &shared, &[], "1")).collect();
    let together: f64 = all.iter_mut().map(processor_time).sum();
    for k in 0..6 {
        assert_eq!(rows(&folder.path().join(format!("run{k}"))), rows(&folder.path().join("alone")));
    }
    // Each of them would take as long as the first one, and from the cache takes a tenth to a fifth of it.
    assert!(together < 3.5 * alone, "6 first runs at once take {together:.2} s, one alone {alone:.2} s");
}

/// With 256 atoms on one core by itself, where PoCL has such a device, with 4,000 on all, with 70,304 in larger grids.
#[test]
#[cfg(unix)]
fn a_helper_compiles_part_of_it_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let pocl = clamps::gpu::devices().unwrap().iter().any(clamps::gpu::DeviceInfo::is_pocl);
    let many = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    // With CLAMPS_TESTS=full all, else the one that most runs are like.
    for n in ["10", "4", "26"].into_iter().take(if common::full() { 3 } else { 1 }) {
        let run = |helpers: &str| {
            let place = folder.path().join(format!("{n} {helpers}"));
            fs::create_dir(&place).unwrap();
            let words = ["-var", "n", n, "-device", "cpu"];
            assert!(start(&place, &place, &words, helpers).wait().unwrap().success(), "{n}");
            place
        };
        let (alone, helped) = (run("0"), run("1"));
        assert_eq!(rows(&helped), rows(&alone), "{n}");
        let said = |place: &Path| fs::read_to_string(place.join("screen")).unwrap();
        assert!(!said(&alone).contains("ahead of the run: "));
        if pocl && many {
            let words = said(&helped);
            // Which part depends on what else the machine does.
            assert!(words.contains("ahead of the run: "), "{n}: the helper has done nothing: {words}");
            // All is there now: the next run has no helper.
            let words = {
                let again = start(&helped, &helped, &["-var", "n", n, "-device", "cpu"], "1").wait();
                assert!(again.unwrap().success(), "{n}");
                said(&helped)
            };
            assert!(!words.contains("ahead of the run: "), "{n}: {words}");
            assert_eq!(rows(&helped), rows(&alone), "{n}");
        }
    }
}

#[test]
fn a_helper_has_to_be_told_what_to_do() {
    let done = Command::new(assert_cmd::cargo::cargo_bin("clamps"))
        .arg("compile-ahead")
        .stdin(Stdio::null())
        .output();
    let done = done.unwrap();
    assert_eq!(done.status.code(), Some(1));
    let words = String::from_utf8(done.stderr).unwrap();
    assert!(words.starts_with("ERROR: compile-ahead is for runs, which say what to compile"), "{words}");
}

/// What a first run still compiles while the time of its loop is taken; the words after `fix`, and the boundary. A process tells of what
/// it builds and of a kernel's first launch wherever it has them from, so this is as true where a cache has them.
#[test]
fn no_loop_holds_a_compilation() {
    let folder = tempfile::tempdir().unwrap();
    for (name, n, fixes, boundary) in [
        ("alone", "4", "nve", "p p p"),
        ("threads", "10", "nve", "p p p"),
        ("large", "26", "nve", "p p p"),
        ("nvt", "4", "nvt temp 3.0 3.0 0.5", "p p p"),
        ("npt", "10", "npt temp 3.0 3.0 0.5 iso 0.0 0.0 5.0", "p p p"),
        ("shrink", "4", "nve", "s s s"),
        ("deform", "10", "nve\nfix 2 all deform 1 x scale 1.1", "p p p"),
        ("langevin", "4", "nve\nfix 2 all langevin 3.0 3.0 1.0 48279", "p p p"),
        ("scaled", "4", "nve\nfix 2 all temp/rescale 5 3.0 3.0 0.02 1.0", "p p p"),
    ] {
        let place = folder.path().join(name);
        fs::create_dir(&place).unwrap();
        let script = MELT.replace("fix 1 all nve", &format!("fix 1 all {fixes}"));
        // Of many atoms fewer steps, with kernels as users have them.
        let (steps, build) = if name == "large" { ("60", "own") } else { ("200", build()) };
        let script = format!("boundary {boundary}\n{}", script.replace("run 20", &format!("run {steps}")));
        fs::write(place.join("in.own"), script).unwrap();
        let done = Command::new(assert_cmd::cargo::cargo_bin("clamps"))
            .current_dir(&place)
            .args(["-in", "in.own", "-log", "none", "-device", "cpu", "-var", "n", n])
            .env("RUST_LOG", "clamps=debug")
            .env("CLAMPS_TUNE", "off")
            .env("CLAMPS_HELPERS", "0")
            .env("CLAMPS_BUILD", build)
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{name}: {words}");
        let begin = words.find("the loop begins").expect("begins");
        let end = words.find("the loop ends").expect("ends");
        let inside = &words[begin..end];
        let compiled = |line: &&str| line.contains("first launch of") || line.contains("] built ");
        let late: Vec<&str> = inside.lines().filter(compiled).collect();
        assert!(late.is_empty(), "{name}: {late:#?}");
        if clamps::gpu::devices().unwrap().iter().all(clamps::gpu::DeviceInfo::is_pocl) {
            assert!(
                words[..begin].contains("first launch of"),
                "{name}: nothing tells of first launches: {words}"
            );
        }
    }
}
