//! `clamps bench principles` and `-kernels plain`: every switch of the kernels gives the same lists and forces on
//! every device and in every layout; the command's table, record and bad input.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;
#[path = "common/systems.rs"]
mod systems;

use assert_cmd::Command;
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::kernels::variants::{KernelVariants, Variant, Walk};
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::studies::principles::trial::Kernel;
use common::{label, test_devices};
use predicates::prelude::*;
use predicates::str::contains;
use systems::{advance, cpu_shape, gpu_shape, host_forces, host_lists, melt, rms_error, simulation};

/// All rules broken; those that concern kernels of this shape broken four at a time, which hides no mistake, with the
/// other ways to walk; the one that the shipped kernels do not follow, followed.
fn variants(gpu: &Gpu, shape: LaunchConfig, precision: Precision) -> Vec<KernelVariants> {
    let shipped = KernelVariants::default();
    let mut variants = vec![KernelVariants::PLAIN];
    let concerns = |rule: &Variant| Kernel::BOTH.iter().any(|k| k.concerns(*rule, shape, precision).is_ok());
    let rules: Vec<Variant> = Variant::ALL.into_iter().filter(concerns).collect();
    let (broken, followed): (Vec<Variant>, Vec<Variant>) =
        rules.into_iter().partition(|&rule| shipped.follow(rule));
    let walks = [Walk::Flattened, Walk::Incremental].into_iter().chain(std::iter::repeat(Walk::Shipped));
    for (four, walk) in broken.chunks(4).zip(walks) {
        variants.push(four.iter().fold(shipped.walking(walk), |rules, &rule| rules.without(rule)));
    }
    variants.extend(followed.into_iter().map(|rule| shipped.with(rule)));
    // Intel's compiler for CPUs crashes at functions that are not inline in kernels with barriers. No CPU gets such
    // kernels in a run; other platforms test the two together.
    if shape.block_edge > 0 && gpu.info().platform.contains("Intel") {
        variants = variants.into_iter().map(|rules| rules.with(Variant::Inlining)).collect();
    }
    variants
}

fn check(gpu: &Gpu, precision: Precision, shape: LaunchConfig, variants: &[KernelVariants], tolerance: f64) {
    let session = melt(5, 0.15);
    for rules in variants {
        let place = format!("{rules:?}, {precision:?} {shape:?} on {}", label(gpu.info()));
        let simulation = simulation(&session, gpu, precision, Some(rules.shape(shape)));
        let rms = rms_error(&simulation.atoms.forces().unwrap(), &host_forces(&session, &simulation).force);
        // How exact a native function is, is up to the device.
        let tolerance = if rules.follow(Variant::Native) { 1e-3 } else { tolerance };
        assert!(rms <= tolerance, "RMS error {rms:e} of the forces, {place}");
        let expected: usize = host_lists(&session, &simulation, 1.0).iter().map(Vec::len).sum();
        let total = simulation.neighbor.pairs(&simulation.atoms).unwrap();
        assert_eq!(total, expected as u64, "{place}");
    }
}

#[test]
fn every_switch_gives_the_same_forces() {
    in_third!(1);
    apart!();
    for gpu in test_devices() {
        let mixed = if gpu.info().fp64 { Precision::Mixed } else { Precision::Single };
        let few = gpu_shape(&gpu, mixed, 1000);
        let many = gpu_shape(&gpu, mixed, 1_000_000);
        for shape in [cpu_shape(&gpu, mixed), many] {
            check(&gpu, mixed, shape, &variants(&gpu, shape, mixed), 4e-6);
        }
        check(&gpu, mixed, few, &variants(&gpu, few, mixed)[..1], 4e-6);
        if gpu.info().fp64 {
            let shape = cpu_shape(&gpu, Precision::Double);
            check(&gpu, Precision::Double, shape, &variants(&gpu, shape, Precision::Double)[..1], 1e-13);
        }
    }
}

/// A box so small that the lists reach across it more than once.
#[test]
fn walks_see_every_image() {
    in_third!(2);
    apart!();
    for gpu in test_devices() {
        let session = melt(2, 0.1);
        let shapes = [cpu_shape(&gpu, Precision::Single), gpu_shape(&gpu, Precision::Single, 1000)];
        for (walk, shape) in Walk::DOCUMENT.into_iter().flat_map(|walk| shapes.map(|shape| (walk, shape))) {
            let shape = KernelVariants::default().walking(walk).shape(shape);
            let mut simulation = simulation(&session, &gpu, Precision::Single, Some(shape));
            advance(&mut simulation, 2);
            let rms =
                rms_error(&simulation.atoms.forces().unwrap(), &host_forces(&session, &simulation).force);
            assert!(rms <= 4e-6, "{rms:e} {walk:?} on {}", label(gpu.info()));
        }
    }
}

fn clamps() -> Command {
    Command::cargo_bin("clamps").expect("built by cargo")
}

#[test]
fn the_table_and_the_record_hold_every_rule() {
    in_third!(2);
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("principles.json");
    let words = ["bench", "principles", "--cells", "6", "6", "6", "--repeats", "1", "--steps", "20"];
    let only = ["--only", "vectors", "banks"];
    let output = clamps().args(words).args(only).arg("--json").arg(&json).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for word in
        ["864 atoms", "vectors, not scalars", "no bank conflicts", "incremental", "total", "Pair kernel:"]
    {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    assert!(!text.contains("FAILED") && !text.contains("unroll"), "{text}");
    let record: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let row = &record["result"]["rows"][0];
    assert_eq!(row["rule"], "banks");
    let row = &record["result"]["rows"][1];
    assert_eq!(row["rule"], "vectors");
    let [with, without, ratio] =
        ["with", "without", "ratio"].map(|key| row["outcomes"][0][key].as_f64().unwrap());
    assert!(with > 0.0 && (without / with - ratio).abs() < 1e-9 * ratio);
    assert_eq!(record["result"]["walks"].as_array().unwrap().len(), 3);
    assert!(record["result"]["whole"][1]["total"].as_f64().unwrap() > 0.0);
}

#[test]
fn bad_options_say_what_there_is() {
    let bench =
        |words: &[&str]| clamps().args(["bench", "principles"]).args(words).assert().failure().code(1);
    bench(&["--only", "speed"])
        .stderr(contains("--only speed: there is no such rule").and(contains("unrolling")));
    bench(&["--cells", "3", "3", "3"]).stderr(contains("3 is not in 4..=400"));
    bench(&["--device", "nowhere"]).stderr(contains("nowhere"));
}

/// The energy of a short run with plain kernels is that of the shipped ones; log and record name them.
#[test]
fn plain_kernels_run_a_script() {
    in_third!(2);
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/inputs/in.lj");
    let run = |kernels: &str| {
        let json = folder.path().join(kernels);
        let words =
            ["-in", script, "-var", "x", "0.3", "-var", "y", "0.3", "-var", "z", "0.3", "-var", "t", "40"];
        let options = ["-log", "none", "-kernels", kernels, "-json"];
        let output = clamps().args(words).args(options).arg(&json).assert().success();
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        let row: Vec<f64> = (text.lines().rev())
            .find_map(|line| line.trim_start().strip_prefix("40 "))
            .unwrap()
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        (row, text, serde_json::from_slice::<serde_json::Value>(&std::fs::read(&json).unwrap()).unwrap())
    };
    let (tuned, text, _) = run("tuned");
    assert!(!text.contains("plain kernels"));
    let (plain, text, record) = run("plain");
    assert!(text.contains("plain kernels"), "{text}");
    assert_eq!(record["options"]["shape"]["rules"]["followed"].as_array().unwrap().len(), 0);
    for (a, b) in tuned.iter().zip(&plain) {
        assert!((a - b).abs() <= 1e-4 * a.abs().max(1.0), "{tuned:?} {plain:?}");
    }
    clamps().args(["-in", script, "-kernels", "fast"]).assert().failure().stderr(contains("tuned, plain"));
}
