//! `clamps bench force`: lists, host twins, every kind of kernel on every device, counts, the command.

mod common;

use assert_cmd::Command;
use clamps::studies::force::ceiling::Work;
use clamps::studies::force::device::{Accuracy, Stage};
use clamps::studies::force::device_positions;
use clamps::studies::force::host::{Real, Reference, reference, vectorised};
use clamps::studies::force::liquid::{CUTOFF, List, REACH, ROW, positions};
use clamps::studies::force::variant::{Atomics, Precision, Reduction, Variant};
use common::{label, test_devices};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt()
}

/// Lists of an irregular liquid: positions, full, half.
fn liquid(density: f64, atoms: usize) -> (Vec<[f64; 3]>, List, List) {
    let x = positions(density, atoms, 4711);
    let full = List::full(&x).expect("short enough");
    let half = full.half().expect("short enough");
    (x, full, half)
}

/// Positions as the device has them, in f64.
fn rounded<T: Real>(x: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let rows = device_positions::<T>(x);
    rows[..x.len()].iter().map(|row| std::array::from_fn(|c| row[c].to_f64())).collect()
}

#[test]
fn the_lattice_has_its_density_and_follows_the_seed() {
    // Whole cells: 4 atoms in each of 5^3 cells of edge (4 / density)^(1/3).
    let x = positions(0.5, 500, 1);
    let extent = x.iter().map(|x| x[0]).fold(0.0, f64::max) + 0.5 * 2.0;
    assert!((extent - 10.0).abs() < 0.1, "{extent}");
    assert_eq!(x, positions(0.5, 500, 1));
    assert_ne!(x, positions(0.5, 500, 2));
    let nearest = (1..500).map(|j| distance(x[0], x[j])).fold(f64::INFINITY, f64::min);
    assert!((nearest - 2.0 / 2f64.sqrt()).abs() < 0.18, "{nearest}");
}

#[test]
fn lists_hold_the_pairs_within_reach() {
    for (density, atoms) in [(1.0, 700), (0.5, 333), (0.1, 100), (2.0, 130)] {
        let (x, full, half) = liquid(density, atoms);
        for i in 0..atoms {
            let near = |j: &u32| *j as usize != i && distance(x[i], x[*j as usize]) < REACH;
            let expected: Vec<u32> = (0..atoms as u32).filter(near).collect();
            assert_eq!(full.row(i), expected);
            assert_eq!(
                half.row(i),
                full.row(i).iter().copied().filter(|&j| j > i as u32).collect::<Vec<_>>()
            );
            assert_eq!(full.padded_row(i).len() % ROW, 0);
            assert!(full.padded_row(i)[expected.len()..].iter().all(|&j| j == atoms as u32));
        }
        assert_eq!(full.len(), 2 * half.len());
        for lanes in [1, 4, 32] {
            let entries = full.transposed(lanes);
            let found = |i: usize, k: usize| entries[((k / lanes) * atoms + i) * lanes + k % lanes];
            let rows = entries.len() / atoms;
            for i in 0..atoms {
                let row: Vec<u32> = (0..rows).map(|k| found(i, k)).collect();
                assert_eq!(&row[..full.row(i).len()], full.row(i));
                assert!(row[full.row(i).len()..].iter().all(|&j| j == atoms as u32));
            }
        }
    }
}

/// 4 (r^-12 - r^-6), summed over all pairs within the cutoff.
fn energy(x: &[[f64; 3]]) -> f64 {
    let pairs = (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let distances = pairs.map(|(i, j)| distance(x[i], x[j])).filter(|&r| r < CUTOFF);
    distances.map(|r| 4.0 * (r.powi(-12) - r.powi(-6))).sum()
}

#[test]
fn the_reference_is_the_gradient_of_the_energy() {
    let (mut x, _, half) = liquid(1.0, 108);
    let Reference { force, pairs, .. } = reference(&x, &half, Precision::Fp64.rounding());
    let near = |i: usize| (0..i).filter(|&j| distance(x[i], x[j]) < CUTOFF).count() as u64;
    assert_eq!(pairs, (0..x.len()).map(near).sum::<u64>());
    let step = 1e-5;
    for (i, d) in [(0, 0), (17, 1), (53, 2), (107, 0)] {
        let mut at = |shift: f64| {
            let before = x[i][d];
            x[i][d] += shift;
            let energy = energy(&x);
            x[i][d] = before;
            energy
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        assert!((force[i][d] + slope).abs() < 1e-5 * slope.abs().max(1.0), "{} {slope}", force[i][d]);
    }
}

fn host_twin_is_right<T: Real>() {
    let (x, full, half) = liquid(1.0, 700);
    let reference = reference(&rounded::<T>(&x), &half, T::PRECISION.rounding());
    let rows = device_positions::<T>(&x);
    let mut force = vec![[T::zeroed(); 4]; rows.len()];
    vectorised(&rows, &full, &mut force);
    let accuracy = Accuracy::of(&force, &reference);
    assert_eq!(accuracy.fault(), None);

    // One pair that is missing is noticed, even the weakest: that nearest to the cutoff.
    let distance = |i: usize, j: u32| distance(x[i], x[j as usize]);
    let within = |&(i, j): &(usize, u32)| distance(i, j) < CUTOFF;
    let all = (0..x.len()).flat_map(|i| full.row(i).iter().map(move |&j| (i, j)));
    let weakest = all.filter(within).max_by(|&(a, b), &(c, d)| distance(a, b).total_cmp(&distance(c, d)));
    let (i, j) = weakest.expect("there are pairs");
    let mut broken = full.clone();
    let row = &mut broken.entries[full.begin[i] as usize..][..full.neighbors[i] as usize];
    *row.iter_mut().find(|entry| **entry == j).expect("is listed") = x.len() as u32;
    vectorised(&rows, &broken, &mut force);
    let accuracy = Accuracy::of(&force, &reference);
    assert_eq!(accuracy.atom, i);
    assert!(accuracy.fault().is_some(), "{accuracy:?}");
    force[3][1] = T::from_f64(f64::NAN);
    assert_eq!(Accuracy::of(&force, &reference).worst, f64::INFINITY);
}

#[test]
fn the_simd_twin_is_right_and_mistakes_are_noticed() {
    host_twin_is_right::<f32>();
    host_twin_is_right::<f64>();
}

/// Every way that the kernels can take, without every number of lanes.
fn ways(variant: &Variant, precision: Precision) -> bool {
    let lanes = match variant.reduction {
        Reduction::None => true,
        Reduction::Local | Reduction::Shuffle => variant.lanes == 8,
        Reduction::Vector => !variant.transposed,
    };
    lanes && (precision == Precision::Fp32 || !variant.transposed && variant.lanes != 4)
}

fn variants_agree<T: Real>() {
    let (x, full, half) = liquid(1.0, 333);
    let reference = reference(&rounded::<T>(&x), &half, T::PRECISION.rounding());
    let rows = device_positions::<T>(&x);
    for gpu in test_devices() {
        if T::PRECISION == Precision::Fp64 && !gpu.info().fp64 {
            continue;
        }
        let mut atomics = Atomics::candidates(gpu.info(), T::PRECISION);
        atomics.retain(|atomics| atomics.scatter(&gpu, T::PRECISION).is_ok());
        assert!(!atomics.is_empty(), "{}", label(gpu.info()));
        let mut stage = Stage::new(&gpu, &rows, &full, &half).expect("fits");
        let all = Variant::all(gpu.info(), &atomics);
        for lanes in [1, 2, 4, 8, 16, 32] {
            assert!(all.iter().any(|variant| variant.lanes == lanes && variant.third_law.is_some()));
        }
        for variant in all.iter().filter(|variant| ways(variant, T::PRECISION)) {
            let at = format!("{} {:?} on {}", variant.name(), T::PRECISION, label(gpu.info()));
            let trial = stage.trial(variant, &reference, 1, 1e-3);
            let (accuracy, timing) = trial.unwrap_or_else(|error| panic!("{at}: {error}"));
            assert!(timing.is_some(), "{at}: {:?}", accuracy.fault());
        }
    }
}

#[test]
fn variants_agree_in_single_precision() {
    variants_agree::<f32>();
}

#[test]
fn variants_agree_in_double_precision() {
    variants_agree::<f64>();
}

#[test]
fn work_is_counted() {
    let count = |third_law, in_memory, entries| {
        let (transposed, lanes, reduction) = (false, 1, Reduction::None);
        let variant = Variant { third_law, transposed, in_memory, lanes, reduction };
        Work::count(&variant, Precision::Fp32, 10, entries, 300)
    };
    // Per entry: 8 operations, a word of the list. Per pair: 22 (25 with the law). Per atom: two words, its
    // position of 16 bytes and its force.
    let work = count(None, false, 800);
    assert_eq!(work.operations, 800 * 8 + 600 * 22);
    assert_eq!(work.bytes, 800 * 4 + 10 * (8 + 16 + 16));
    assert_eq!(work.bytes_uncached, work.bytes + 800 * 16);
    assert_eq!(work.additions, 0);
    assert_eq!(count(None, true, 800).bytes_uncached, work.bytes_uncached + 600 * 32);
    let work = count(Some(Atomics::Cas), false, 400);
    assert_eq!(work.operations, 400 * 8 + 300 * 25);
    assert_eq!(work.bytes, 400 * 4 + 10 * (8 + 16 + 48));
    assert_eq!(work.bytes_uncached, work.bytes + 400 * 16 + 300 * 32);
    assert_eq!(work.additions, 300 + 10);
    assert_eq!(count(Some(Atomics::Cas), true, 400).additions, 600);
}

/// The program in an empty directory, with no setting of the caller's.
fn force(words: &[&str]) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command.env_remove("CLAMPS_DEVICE").args(["bench", "force"]).args(words);
    command
}

#[test]
fn the_command_prints_tables_an_answer_and_a_record() {
    let dir = tempfile::tempdir().expect("a directory");
    let json = dir.path().join("force.json");
    let words = "--density 1 --atoms 500 --precision fp32 --repetitions 3 --only rows/registers/1 --json";
    let words: Vec<&str> = words.split(' ').chain([json.to_str().expect("text")]).collect();
    force(&words)
        .assert()
        .success()
        .stdout(contains("Density 1, 500 atoms, fp32: "))
        .stdout(contains("| full/rows/registers/1 "))
        .stdout(contains("| half/rows/registers/1/"))
        .stdout(contains("| 1. i-force in registers "))
        .stdout(contains("full/rows/memory/1").not())
        .stdout(contains("Does ignoring Newton's third law still win on "));
    let record: Value = serde_json::from_slice(&std::fs::read(json).expect("read")).expect("JSON");
    assert_eq!(record["study"], "force");
    let case = &record["cases"][0];
    assert_eq!((&case["atoms"], &case["precision"]), (&500.into(), &"fp32".into()));
    let rows = case["rows"].as_array().expect("a list");
    assert!(rows.len() >= 2);
    for row in rows {
        assert_eq!(row["fault"], Value::Null, "{row}");
        assert_eq!(row["timing"]["repetitions"], 3);
        assert!(row["timing"]["evaluation"].as_f64() > Some(0.0));
        assert!(row["accuracy"]["worst"].as_f64() < Some(1.0));
        assert!(row["ceiling"].as_f64() > Some(0.0));
    }
}

#[test]
fn bad_options_are_named() {
    for (words, message) in [
        ("--density 0", "--density 0: expected reduced densities from 0.1 to 2"),
        ("--density nan", "--density NaN: expected"),
        ("--density dense", "invalid value 'dense'"),
        ("--atoms 5", "5 is not in 100..=20000000"),
        ("--repetitions 0", "0 is not in 1.."),
        ("--seconds -1", "--seconds -1: expected a time above 0"),
        ("--only full/row", "--only row: names of variants have no such part"),
        ("--precision fp16", "possible values: fp32, fp64"),
        ("--atoms 500 --only memory/2", "--only memory/2: no variant has these parts in its name"),
    ] {
        force(&words.split(' ').collect::<Vec<_>>()).assert().code(1).stderr(contains(message));
    }
}
