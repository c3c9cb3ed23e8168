//! First runs: what is compiled once for all.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MELT: &str = "
lattice fcc 0.8442
region box block 0 4 0 4 0 4
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

/// A run of the script in a folder, with caches of all that share it.
fn start(folder: &Path, shared: &Path) -> Child {
    let script = folder.join("in.melt");
    fs::write(&script, MELT).unwrap();
    let log = fs::File::create(folder.join("screen")).unwrap();
    Command::new(assert_cmd::cargo::cargo_bin("clamps"))
        .current_dir(folder)
        .args(["-in", "in.melt", "-log", "none"])
        .env("CLAMPS_CACHE_DIR", shared.join("clamps"))
        .env("POCL_CACHE_DIR", shared.join("pocl"))
        .env_remove("RUST_LOG")
        .env_remove("CLAMPS_BUILD")
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

#[test]
#[cfg(target_os = "linux")]
fn of_first_runs_at_once_one_compiles() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let place = folder.path().join(name);
        fs::create_dir(&place).unwrap();
        place
    };
    let alone = processor_time(&mut start(&place("alone"), &place("first")));
    let shared = place("second");
    let mut all: Vec<Child> = (0..6).map(|k| start(&place(&format!("run{k}")), &shared)).collect();
    let together: f64 = all.iter_mut().map(processor_time).sum();
    let rows = |name: &str| {
        let screen = fs::read_to_string(folder.path().join(name).join("screen")).unwrap();
        let rows: Vec<String> =
            screen.lines().skip_while(|line| !line.contains("Step")).take(4).map(str::to_owned).collect();
        assert_eq!(rows.len(), 4, "{screen}");
        rows
    };
    for k in 0..6 {
        assert_eq!(rows(&format!("run{k}")), rows("alone"));
    }
    // Each of them would take as long as the first one, and from the cache takes a tenth to a fifth of it.
    assert!(together < 3.5 * alone, "6 first runs at once take {together:.2} s, one alone {alone:.2} s");
}
