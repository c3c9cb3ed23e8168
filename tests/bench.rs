//! `clamps bench bandwidth`, `amdahl` and `paper` from outside, and the transfers on every device.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use std::path::Path;

use assert_cmd::Command;
use clamps::gpu::TransferBench;
use clamps::gpu::options::TimingMode;
use predicates::str::contains;
use serde_json::Value;

/// The program in a directory, with no setting of the caller's. With 262,144 atoms kernels are built as users have them: without
/// optimization they take four times as long, compiling included.
fn clamps(dir: &Path, words: &[&str]) -> Command {
    let many = words.iter().any(|word| *word == "paper" || word.contains("262144"));
    let build = if many { "own".to_owned() } else { common::cheap_build() };
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command
        .current_dir(dir)
        .env_remove("CLAMPS_DEVICE")
        .env_remove("RUST_LOG")
        .env("CLAMPS_TUNE", "off")
        .env("CLAMPS_BUILD", build)
        .args(words);
    command
}

/// What a command that succeeds prints.
fn printed(dir: &Path, words: &[&str]) -> String {
    let done = clamps(dir, words).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn transfers_arrive_on_every_device() {
    for gpu in common::test_devices_with(TimingMode::Off) {
        // `measure` compares what arrives with what was sent.
        let mut bench = TransferBench::new(&gpu, 100_000).unwrap();
        assert_eq!(bench.largest(), 65536, "the power of two below");
        for bytes in [8, 2048, 65536] {
            let rounds = bench.measure(bytes, 2).unwrap();
            assert_eq!(rounds.len(), 2);
            for times in rounds {
                let all = [times.write_pageable, times.write_pinned, times.write_mapped, times.device_copy];
                assert!(all.iter().all(|seconds| *seconds > 0.0), "{times:?}");
            }
        }
    }
}

#[test]
fn bandwidth_prints_plots_and_records() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["bench", "bandwidth", "--max", "8K", "--svg", "rates.svg", "--json", "rates.json"];
    let text = printed(dir.path(), &words);
    for expected in
        ["\n     2 KiB ", "\n     8 KiB ", "least to most of 5 rounds", "To the device (host sets"]
    {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(!text.contains("16 KiB "), "{text}");
    let record = json(&dir.path().join("rates.json"));
    let sizes = record["sizes"].as_array().unwrap();
    assert_eq!(
        sizes.iter().map(|size| size["bytes"].as_u64()).collect::<Vec<_>>(),
        [2048, 4096, 8192].map(Some)
    );
    let rounds = sizes[1]["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 5);
    let seconds = rounds.iter().map(|times| times["write_pinned"].as_f64().unwrap()).fold(1.0, f64::min);
    approx::assert_relative_eq!(
        sizes[1]["gb_per_second"]["write, pinned"].as_f64().unwrap(),
        4096e-9 / seconds,
        max_relative = 1e-12
    );
    let svg = std::fs::read_to_string(dir.path().join("rates.svg")).unwrap();
    for name in ["write, pageable", "read, mapped", "device copy"] {
        assert!(svg.contains(name), "{name}");
    }
}

#[test]
fn wrong_sizes_and_devices_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (words, message) in [
        (&["bench", "bandwidth", "--max", "64X"][..], "a size is a number with K, M or G"),
        (&["bench", "bandwidth", "--max", "1K"], "the smallest transfer is 2 KiB"),
        (&["bench", "bandwidth", "--device", "no such"], "there is no OpenCL device `no such`"),
        (&["bench", "paper", "--steps", "0"], "invalid value '0' for '--steps"),
        (&["bench", "paper", "--device", "no such"], "there is no OpenCL device `no such`"),
        (&["bench", "paper", "--mpi", "no such"], "there is no OpenCL device `no such`"),
        (
            &["bench", "paper", "--mpi", "cpu,cpu", "--launcher", "nompirun -q"],
            "there is no program `nompirun -q`",
        ),
        (&["bench", "paper", "--mpi", "--device", "cpu"], "cannot be used with"),
        (&["bench", "amdahl", "one.json"], "2 values required"),
    ] {
        clamps(dir.path(), words).assert().code(1).stderr(contains(message));
    }
}

/// 500 atoms of the melt.
const SCRIPT: &str = "variable t index 40\nvariable n index 5\nunits lj\nlattice fcc 0.8442\n\
    region box block 0 $n 0 5 0 5\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\n\
    velocity all create 1.44 87287\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0\nfix 1 all nve\nrun $t\n";

#[test]
fn amdahl_reads_the_records_of_this_program() {
    in_third!(1);
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("in.melt"), SCRIPT).unwrap();
    let run = |record: &str, words: &[&str]| {
        let all = ["-in", "in.melt", "-device", "cpu", "-log", "none", "-timing", "full", "-json", record];
        clamps(dir.path(), &all).args(words).env("POCL_MAX_PTHREAD_COUNT", "1").assert().success();
    };
    run("host.json", &[]);
    run("double.json", &["-precision", "double"]);
    let words = ["bench", "amdahl", "host.json", "double.json", "--json", "law.json"];
    let text = printed(dir.path(), &words);
    for expected in ["| double.json |", "double.json, on ", "not the same arithmetic"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    // The law against the loop times of the records themselves.
    let seconds = |record: &str| json(&dir.path().join(record))["runs"][0]["loop_seconds"].as_f64().unwrap();
    let law = &json(&dir.path().join("law.json"))["accelerated"][0]["law"];
    let part = |name: &str| law[name].as_f64().unwrap();
    let sum = part("s") + part("p_prime") + part("o");
    approx::assert_relative_eq!(
        1.0 / sum,
        seconds("host.json") / seconds("double.json"),
        max_relative = 1e-9
    );
    approx::assert_relative_eq!(1.0 / sum, part("speedup"), max_relative = 1e-9);

    run("longer.json", &["-var", "t", "41"]);
    run("larger.json", &["-var", "n", "6"]);
    run("untimed.json", &["-timing", "off"]);
    std::fs::write(dir.path().join("text.json"), "Loop time of 1 on 1 procs").unwrap();
    std::fs::write(dir.path().join("other.json"), "{\"runs\": []}").unwrap();
    let gpu = std::fs::read_to_string(dir.path().join("host.json")).unwrap();
    std::fs::write(dir.path().join("gpu.json"), gpu.replace("\"kind\": \"cpu\"", "\"kind\": \"gpu\""))
        .unwrap();
    std::fs::write(dir.path().join("in.json"), gpu.replace("in.melt", "in.other")).unwrap();
    for (files, message) in [
        (["host.json", "longer.json"], "40 steps of 500 atoms and 41 steps of 500 atoms"),
        (["host.json", "larger.json"], "40 steps of 500 atoms and 40 steps of 600 atoms"),
        (["host.json", "in.json"], "scripts in.melt and in.other"),
        (["host.json", "untimed.json"], "untimed.json has no kernel times"),
        (["host.json", "text.json"], "text.json is no timing record: expected value at line 1"),
        (["host.json", "other.json"], "other.json is no timing record: missing field `script`"),
        (
            ["host.json", "law.json"],
            "law.json is no timing record: it holds the figures of the study `amdahl`",
        ),
        (["gpu.json", "host.json"], "gpu.json is the record of"),
        (["host.json", "gone.json"], "cannot read gone.json"),
    ] {
        clamps(dir.path(), &["bench", "amdahl"]).args(files).assert().code(1).stderr(contains(message));
    }
}

#[test]
fn paper_has_a_row_for_every_device_and_goes_on_after_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    // The first number of steps is one more than a run takes.
    let words = ["bench", "paper", "--steps", "4294967295", "2", "--repeats", "1", "--json", "paper.json"];
    let text = printed(dir.path(), &words);
    assert!(text.contains("4294967295 steps: time, s") && text.contains("2 steps: time, s"), "{text}");
    let record = json(&dir.path().join("paper.json"));
    let runs = record["runs"].as_array().unwrap();
    let devices = clamps::gpu::devices().unwrap();
    assert_eq!(runs.len(), 2 * devices.len());
    for (device, runs) in devices.iter().zip(runs.chunks(2)) {
        let name = format!("{} ({})", device.name, device.platform);
        let row = text.lines().find(|line| line.starts_with(&format!("| {name}"))).expect(&name);
        assert_eq!(row.matches("failed").count(), 1, "{row}");
        let why = format!("\n{name}, 4294967295 steps: run: 4294967295 steps are too many for one run (");
        assert!(text.contains(&why), "{text}");
        assert!(runs[0]["error"].as_str().unwrap().contains("too many for one run"));
        let run = &runs[1]["record"]["runs"][0];
        assert_eq!((run["atoms"].as_u64(), run["steps"].as_u64()), (Some(262_144), Some(2)));
        let time = format!("{:.2}", run["loop_seconds"].as_f64().unwrap());
        assert!(row.contains(&format!(" {time} |")), "{time} in {row}");
    }
    let none = ["bench", "paper", "--steps", "4294967295"];
    clamps(dir.path(), &none).assert().code(1).stderr(contains("the benchmark ran on none of the devices"));
}

/// The document's rows: those whose devices are missing say so, the others have figures.
#[test]
fn paper_has_the_rows_of_the_document() {
    let dir = tempfile::tempdir().unwrap();
    // More steps than a run takes: no figures, but all that is said about devices.
    let words = ["bench", "paper", "--mpi", "--steps", "4294967295"];
    let done = clamps(dir.path(), &words).assert().code(1);
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    let devices = clamps::gpu::devices().unwrap();
    let gpus = devices.iter().filter(|device| device.kind == clamps::gpu::DeviceKind::Gpu).count();
    for (name, missing) in [
        ("CPU".to_owned(), false),
        ("CPU + GPU".to_owned(), gpus < 1),
        ("CPU + 2 GPU".to_owned(), gpus < 2),
        (format!("all devices ({})", devices.len()), false),
    ] {
        let row = text.lines().find(|line| line.starts_with(&format!("| {name} "))).expect(&name);
        assert_eq!([row.contains(" none |"), row.contains(" failed |")], [missing, !missing], "{row}");
        let why = text.lines().find(|line| line.starts_with(&format!("{name}: ")));
        assert_eq!(why.is_some_and(|why| why.contains("GPU")), missing, "{name}: {text}");
    }
}

/// Without a launcher rows of several ranks say what to install, and the others have their figures.
#[test]
fn paper_goes_on_without_a_launcher() {
    let dir = tempfile::tempdir().unwrap();
    let words = [
        "bench",
        "paper",
        "--mpi",
        "Portable,Portable",
        "--mpi",
        "Portable",
        "--steps",
        "2",
        "--repeats",
        "1",
    ];
    // PoCL links kernels by a program of PATH.
    #[cfg(unix)]
    {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let linker = std::env::split_paths(&path).map(|folder| folder.join("ld")).find(|ld| ld.is_file());
        std::os::unix::fs::symlink(linker.expect("a linker"), dir.path().join("ld")).unwrap();
    }
    let done = clamps(dir.path(), &words).env("PATH", dir.path()).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    let why = text.lines().find(|line| line.starts_with("Portable,Portable: ")).expect("a line");
    assert!(why.contains("neither mpirun nor mpiexec") && why.contains("--launcher"), "{why}");
    assert!(!text.contains("failed"), "{text}");
}

/// Ranks of one device, each with a share of the atoms.
#[test]
fn paper_starts_ranks() {
    in_third!(1);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = ["mpirun.mpich", "mpirun"]
        .into_iter()
        .find(|program| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    let Some(launcher) = found else {
        eprintln!("skipped: there is no mpirun (Debian: apt install mpich)");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let list = "Portable,Portable";
    let words = [
        "bench",
        "paper",
        "--mpi",
        "Portable",
        "--mpi",
        list,
        "--launcher",
        launcher,
        "--steps",
        "2",
        "--repeats",
        "1",
        "--json",
        "paper.json",
    ];
    let text = printed(dir.path(), &words);
    let record = json(&dir.path().join("paper.json"));
    let runs = record["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2, "{text}");
    for (run, ranks) in runs.iter().zip([1, 2]) {
        assert_eq!(run["devices"].as_array().unwrap().len(), ranks);
        let run = &run["record"]["runs"][0];
        let time = format!(" {:.2} |", run["loop_seconds"].as_f64().unwrap());
        assert!(text.contains(&time), "{time} in {text}");
        let shares = run["ranks"].as_array().unwrap();
        assert_eq!(shares.len(), ranks);
        let atoms: u64 = shares.iter().map(|rank| rank["counts"]["local"].as_u64().unwrap()).sum();
        assert_eq!(atoms, 262_144);
        assert!(shares.iter().all(|rank| rank["sections"]["Pair"].as_f64().unwrap() > 0.0));
        for rank in shares {
            let [waiting, whole] =
                ["waiting_seconds", "loop_seconds"].map(|name| rank[name].as_f64().unwrap());
            assert!((waiting > 0.0) == (ranks > 1) && waiting < whole, "{waiting} of {whole} s");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_paper_says_so() {
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;

    let dir = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("clamps"));
    command.env("TMPDIR", dir.path()).process_group(0);
    command.args(["bench", "paper", "--steps", "1000000000", "--device", "cpu", "--json"]);
    command.arg(dir.path().join("paper.json")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("starts");
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(120);
    // The folder of its script: the run is about to begin.
    while std::fs::read_dir(dir.path()).unwrap().next().is_none() {
        assert!(std::time::Instant::now() < patience, "the run does not begin");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // As a terminal does it: to the whole group.
    let group = format!("-{}", child.id());
    let killed = std::process::Command::new("kill").args(["-INT", "--", &group]).status().expect("kill runs");
    assert!(killed.success());
    let done = child.wait_with_output().unwrap();
    let [stdout, stderr] = [done.stdout, done.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!((done.status.code(), stdout.as_str()), (Some(1), ""), "{stderr}");
    assert!(stderr.contains("ERROR: interrupted: not all runs are done\n"), "{stderr}");
}

#[test]
fn the_paper_script_is_the_same_in_lammps() {
    in_third!(1);
    // LAMMPS (22 Jul 2025, double precision): inputs/in.lj.262144 with -var t 20.
    let expected = [
        [0.0, 1.44, -6.7733681, 0.0, -4.6133763, -5.0196739],
        [20.0, 0.62699392, -5.5585105, 0.0, -4.6180232, 0.96432649],
    ];
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs/in.lj.262144");
    let script = script.to_str().unwrap();
    let text =
        printed(dir.path(), &["-in", script, "-var", "t", "20", "-precision", "double", "-log", "none"]);
    let rows = text.lines().skip_while(|line| !line.trim_start().starts_with("Step ")).skip(1);
    for (row, expected) in rows.zip(expected) {
        let row: Vec<f64> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert_eq!(row.len(), expected.len());
        for (value, expected) in row.iter().zip(expected) {
            approx::assert_relative_eq!(*value, expected, max_relative = 2e-8);
        }
    }
    assert!(text.contains("\nCreated 262144 atoms\n"), "{text}");
}
