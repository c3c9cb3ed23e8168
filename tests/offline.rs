//! Programs of scripts in GPUs' shapes, compiled for GPUs that are not here (benches/offline_gpus.py): few of them, or with
//! CLAMPS_TEST_OFFLINE=all those of twenty scripts; =off does without. Compilers that are missing are skipped, and the test says so.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn programs_compile_for_gpus_that_are_not_here() {
    let asked = std::env::var("CLAMPS_TEST_OFFLINE").unwrap_or_default();
    if asked == "off" {
        println!("SKIPPED: CLAMPS_TEST_OFFLINE=off");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/offline_gpus.py");
    let dir = tempfile::tempdir().unwrap();
    let rows = dir.path().join("kernels.json");
    let mut command = Command::new("python3");
    command.arg(&script).args(["--clamps", env!("CARGO_BIN_EXE_clamps"), "--json"]).arg(&rows);
    if asked != "all" {
        command.arg("--few");
    }
    let done = match command.output() {
        Ok(done) => done,
        Err(err) => {
            println!("SKIPPED: no python3: {err}");
            return;
        }
    };
    let said = String::from_utf8_lossy(&done.stdout);
    println!("{}{said}", if said.contains("skipped:") { "SKIPPED in part: " } else { "" });
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    // Kernels that make up a step keep what they have in registers.
    let kernels: Vec<Value> = serde_json::from_slice(&std::fs::read(&rows).unwrap()).unwrap();
    let hot = |row: &&Value| {
        ["loop_", "step-", "build_"].iter().any(|part| row["text"].as_str().unwrap().starts_with(part))
    };
    let spilled: Vec<String> = kernels
        .iter()
        .filter(hot)
        .filter(|row| {
            row["scratch"] != 0
                && row["script"] == "melt"
                && !row["shape"].as_str().unwrap().ends_with("plain")
        })
        .map(|row| format!("{} for {} of {}", row["kernel"], row["chip"], row["text"]))
        .collect();
    assert!(spilled.is_empty(), "{spilled:?}");
    assert!(said.contains("skipped:") || kernels.len() > 50, "{said}");
}
