//! `clamps doctor`: what it says of this machine, and that its self-check finds kernels that are broken on purpose.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

/// `clamps doctor` on PoCL, with no setting of the caller's.
fn doctor(words: &[&str]) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    for name in ["CLAMPS_DEVICE", "RUST_LOG", "CLAMPS_REHEARSE", "CLAMPS_BREAK"] {
        command.env_remove(name);
    }
    command.env("CLAMPS_BUILD", common::cheap_build());
    command.args(["doctor", "--device", "Portable"]).args(words);
    command
}

#[test]
fn devices_are_described_and_their_kernels_right() {
    in_third!(2);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("doctor.json");
    let done = doctor(&["--json", file.to_str().unwrap()]).assert().success();
    let printed = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(printed.contains("Portable Computing Language: OpenCL"), "{printed}");
    assert!(!printed.contains("WRONG"), "{printed}");
    let record: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(record["study"], "doctor");
    let device = &record["devices"][0];
    assert_eq!(device["device"]["fp64"], true);
    let checks = device["check"].as_array().unwrap();
    assert_eq!(checks.len(), 11);
    for check in checks {
        assert_eq!(check["right"], true, "{check}");
    }
}

#[test]
fn wrong_words_are_named() {
    doctor(&["--only", "bones"]).assert().failure().stderr(contains("bones"));
    doctor(&["--no-check"]).assert().success().stdout(contains("local memory"));
    let mut other = Command::cargo_bin("clamps").unwrap();
    other
        .args(["doctor", "--device", "nothing of this name"])
        .assert()
        .failure()
        .stderr(contains("nothing of this name"));
}

/// Kernels broken on purpose: what finds it, with which GPU's shapes if any, in which file, what stands there, and what instead.
const BROKEN: [(&str, &str, &str, &str, &str); 14] = [
    // A wrong sign.
    ("pairs", "", "pair/lj_cut.cl", "r6inv, -c[1])", "r6inv, c[1])"),
    ("plain", "", "pair/lj_cut.cl", "r6inv, -c[1])", "r6inv, c[1])"),
    ("charges", "", "pair/lj_cut_coul_dsf.cl", "c[6], coarsely", "c[6], -coarsely"),
    ("bonds", "", "bond/harmonic.cl", "-2 * c[0]", "2 * c[0]"),
    ("many-body", "", "pair/sw.cl", "{w * lack, 2 * w}", "{w * lack, -2 * w}"),
    ("steps", "", "fix/nve.cl", "a->v += h->p[a->type]", "a->v -= h->p[a->type]"),
    ("noise", "", "force/noise.cl", "* (x * q)", "* -(x * q)"),
    // A number that is a bit off.
    ("lists", "", "neighbor/build_cluster.cl", "x, y, z, box) <= limit", "x, y, z, box) <= 0.9f * limit"),
    ("noise", "amd64", "force/noise.cl", "round < 10", "round < 9"),
    // A buffer that stays where it is between two steps of a launch.
    ("several", "", "step/barrier.cl", "*b = held;", ""),
    // The wrong way round.
    ("sort", "amd64", "neighbor/cells.cl", "tag[sorted[m]] < mine", "tag[sorted[m]] > mine"),
    // A lost barrier: on CPUs work-groups are of one work-item.
    (
        "lists",
        "amd64",
        "neighbor/build_plain.cl",
        "barrier(CLK_LOCAL_MEM_FENCE);\n                    longest",
        "longest",
    ),
    (
        "sums",
        "amd64",
        "analysis/reduce.cl",
        "barrier(CLK_LOCAL_MEM_FENCE);\n        if (lid < step)",
        "if (lid < step)",
    ),
    (
        "pairs",
        "amd64",
        "common/lanes.cl",
        "barrier(CLK_LOCAL_MEM_FENCE); \\\n        if (lane < reach_)",
        "if (lane < reach_)",
    ),
];

#[test]
fn broken_kernels_are_found_in_each_family() {
    in_third!(3);
    for (family, rehearsed, file, old, new) in BROKEN {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("cl").join(file)).unwrap();
        assert!(text.contains(old), "{file} has no '{old}' to break");
        let mut command = doctor(&["--only", family]);
        if !rehearsed.is_empty() {
            command.env("CLAMPS_REHEARSE", rehearsed);
        }
        let done = command.env("CLAMPS_BREAK", format!("{file}|{old}|{new}")).assert().failure();
        let output = done.get_output();
        let printed = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(printed.contains("WRONG"), "{family} with a broken {file}: {printed}");
        // What is wrong is a number, and no kernel that does not compile.
        assert!(!printed.contains("cannot compile"), "{file}: {printed}");
    }
}

/// A run that checks its device first.
fn checked_run(dir: &Path, check: &str, broken: Option<&str>) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command.current_dir(dir).env("CLAMPS_BUILD", common::cheap_build()).env("CLAMPS_CHECK", check);
    command.env_remove("CLAMPS_REHEARSE").env_remove("CLAMPS_BREAK");
    if let Some(change) = broken {
        command.env("CLAMPS_BREAK", change);
    }
    command.args(["-in", concat!(env!("CARGO_MANIFEST_DIR"), "/inputs/in.lj"), "-device", "Portable"]);
    command.args(["-var", "x", "0.3", "-var", "y", "0.3", "-var", "z", "0.3", "-var", "t", "10"]);
    command
}

/// The first run on a device that nobody has tried checks it, and later ones do not; those that have been tried are checked when asked for.
#[test]
fn first_runs_check_devices() {
    in_third!(1);
    let dir = tempfile::tempdir().unwrap();
    let right = || contains("self-check of its kernels: right");
    checked_run(dir.path(), "once", None).assert().success().stdout(right().not());
    checked_run(dir.path(), "always", None).assert().success().stdout(right());
    for (place, of) in
        [("pair/lj_cut.cl", "pairs"), ("neighbor/build_cluster.cl", "lists"), ("fix/nve.cl", "steps")]
    {
        let (_, _, file, old, new) =
            BROKEN.into_iter().find(|(family, _, file, ..)| *family == of && *file == place).unwrap();
        let change = format!("{file}|{old}|{new}");
        let done = checked_run(dir.path(), "always", Some(&change)).assert().failure();
        let told = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(told.contains("kernels are wrong on") && told.contains("CLAMPS_CHECK=never"), "{told}");
        checked_run(dir.path(), "never", Some(&change)).assert().success();
    }
    // A run is checked for the kernels that it has.
    let (_, _, file, old, new) = BROKEN[7];
    let mut plain = checked_run(dir.path(), "always", Some(&format!("{file}|{old}|{new}")));
    plain.args(["-kernels", "plain"]).assert().success().stdout(right());
    // In a GPU's shapes it is another device, which nobody has tried; what was found is kept with the programs.
    let cache = tempfile::tempdir().unwrap();
    for first in [true, false] {
        let mut run = checked_run(dir.path(), "once", None);
        let done =
            run.env("CLAMPS_REHEARSE", "amd64").env("CLAMPS_CACHE_DIR", cache.path()).assert().success();
        let told = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        assert_eq!(told.contains("self-check of its kernels: right"), first, "{told}");
    }
}

/// Shapes of GPUs are right on the CPU, too: what is found broken above is found because it is broken.
#[test]
fn shapes_of_gpus_are_right() {
    in_third!(3);
    for rehearsed in ["amd64", "intel16,fp32", "llvmpipe,fp32"] {
        doctor(&["--only", "sort,lists,pairs,sums,noise"])
            .env("CLAMPS_REHEARSE", rehearsed)
            .assert()
            .success();
    }
    // In 32 KiB of local memory the groups of a pass for partial forces are smaller.
    doctor(&["--only", "many-body", "--precision", "double"])
        .env("CLAMPS_REHEARSE", "llvmpipe")
        .assert()
        .success();
}
