//! `clamps allpairs`: forces against formulas and the host twin, motion, the cell-list pipeline, bad options.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;
#[path = "common/systems.rs"]
mod systems;

use assert_cmd::Command;
use clamps::gpu::options::Precision;
use clamps::gpu::{DeviceInfo, DeviceKind};
use clamps::studies::allpairs::{Cutoff, Device, Recipe, System};
use clamps::studies::tiles::Tiling;
use common::{label, test_devices};
use std::path::Path;
use systems::{empty, rms_error, run};

const PRECISIONS: [Precision; 2] = [Precision::Single, Precision::Double];

/// A liquid of `types` types.
fn liquid(atoms: usize, types: usize, cutoff: Cutoff) -> System {
    let kinds = ["1,1,1", "0.8,0.9,1.5", "1.2,1.05,0.7"];
    let recipe = Recipe {
        atoms,
        kinds: kinds[..types].iter().map(|kind| kind.parse().unwrap()).collect(),
        density: 0.8,
        temperature: 1.2,
        dt: 0.001,
        seed: 12,
    };
    System::new(&mut recipe.session(cutoff, None).unwrap(), Some(cutoff)).unwrap()
}

/// The ways of a GPU for few atoms and for many, of a CPU with vectors, and with small work-groups: block, lanes, vector.
const TILINGS: [[usize; 3]; 5] = [[64, 4, 1], [32, 1, 1], [16, 16, 1], [64, 1, 8], [4, 2, 1]];

/// Every device's own way, and so many of the others.
fn devices(system: &System, precision: Precision, others: usize) -> Vec<(Device, String)> {
    let tilings = TILINGS[..others].iter().map(|&[block, lanes, vector]| Tiling { block, lanes, vector });
    let mut all = Vec::new();
    for gpu in test_devices() {
        let own = Tiling::new(gpu.info(), precision, system.x.len(), 64).unwrap();
        for tiling in [own].into_iter().chain(tilings.clone()) {
            let device = Device::new(&gpu, system, precision, tiling).unwrap();
            all.push((device, format!("{precision:?} {tiling:?} on {}", label(gpu.info()))));
        }
    }
    all
}

/// Relative RMS error that is allowed of forces, and relative error of the energy.
fn tolerance(precision: Precision) -> f64 {
    if precision == Precision::Double { 1e-12 } else { 4e-6 }
}

#[test]
fn two_atoms_meet_through_the_wall() {
    apart!();
    let edges = [7.0, 8.0, 9.0];
    let pair = |r: f64, axis: usize| {
        let mut session = empty(edges, "p p p", 2);
        run(&mut session, &["pair_style lj/cut 3.0", "pair_coeff * * 1.0 1.0"]);
        let (mut left, mut right) = ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]);
        (left[axis], right[axis]) = (0.25, edges[axis] + 0.25 - r);
        session.system.host_atoms.push(1, 1, left);
        session.system.host_atoms.push(2, 2, right);
        System::new(&mut session, None).unwrap()
    };
    for precision in PRECISIONS {
        // The terms of energy and force are 4 and 48 each, and a distance has its own error, 13-fold.
        let allowed = 50.0 * tolerance(precision);
        for (device, place) in devices(&pair(1.0, 0), precision, 1) {
            // r = 1: E = 0 and F = 24; r = 2^(1/6): E = -1 and F = 0.
            for (r, energy, force) in [(1.0, 0.0, 24.0), (2_f64.powf(1.0 / 6.0), -1.0, 0.0)] {
                for axis in 0..3 {
                    device.upload(&pair(r, axis)).unwrap();
                    let rows = device.forces().unwrap();
                    assert!((rows[0][3] + rows[1][3] - energy).abs() <= allowed, "{rows:?} {place}");
                    assert!((rows[0][axis] - force).abs() <= 24.0 * allowed, "{rows:?} {place}");
                    assert_eq!(rows[0][axis], -rows[1][axis], "{place}");
                }
            }
        }
    }
}

#[test]
fn forces_agree_with_the_host_twin() {
    in_third!(1);
    apart!();
    for (atoms, types, cutoff, others) in
        [(157, 1, Cutoff::None, 1), (333, 3, Cutoff::None, 1), (333, 2, Cutoff::At(3.0), 5)]
    {
        let system = liquid(atoms, types, cutoff);
        let (expected, energy) = clamps::studies::allpairs::host::forces(&system, 1);
        let (parallel, energy_too) = clamps::studies::allpairs::host::forces(&system, 3);
        assert!(
            rms_error(&parallel, &expected) < 1e-14 && (energy - energy_too).abs() < 1e-12 * energy.abs()
        );
        for precision in PRECISIONS {
            for (device, place) in devices(&system, precision, others) {
                let rows = device.forces().unwrap();
                let found: Vec<[f64; 3]> = rows.iter().map(|row| [row[0], row[1], row[2]]).collect();
                let error = rms_error(&found, &expected);
                assert!(error <= tolerance(precision), "{error:e} {place}");
                let sum: f64 = rows.iter().map(|row| row[3]).sum();
                assert!(
                    (sum - energy).abs() <= tolerance(precision) * energy.abs(),
                    "{sum} {energy} {place}"
                );
                // Each pair pushes both of its atoms.
                for d in 0..3 {
                    let (net, size) = found.iter().fold((0.0, 0.0), |(a, b), f| (a + f[d], b + f[d].abs()));
                    assert!(f64::abs(net) <= 0.1 * tolerance(precision) * size, "{net} of {size} {place}");
                }
            }
        }
    }
}

/// A device whose work-groups are smaller than any here has tiles as small.
#[test]
fn small_work_groups_have_small_tiles() {
    for gpu in test_devices() {
        for kind in [DeviceKind::Gpu, DeviceKind::Cpu] {
            let info = DeviceInfo { kind, max_work_group: 4, ..gpu.info().clone() };
            let tiling = Tiling::new(&info, Precision::Single, 100, Tiling::block(&info)).unwrap();
            let Tiling { block, lanes, vector } = tiling;
            assert!(block == 4 && lanes <= 4 && vector <= 4, "{tiling:?}");
            assert!(Tiling::new(&info, Precision::Single, 100, 8).is_err());
        }
    }
}

/// The twin itself against a sum over explicit images with the style's own formula.
#[test]
fn the_host_twin_finds_nearest_images() {
    let system = liquid(60, 2, Cutoff::None);
    let mut energy = 0.0;
    let sigma = |a: u32, b: u32| ([1.0, 0.9][a as usize] * [1.0_f64, 0.9][b as usize]).sqrt();
    let epsilon = |a: u32, b: u32| ([1.0, 0.8][a as usize] * [1.0_f64, 0.8][b as usize]).sqrt();
    for i in 0..60 {
        for j in 0..i {
            let mut nearest = f64::INFINITY;
            for image in 0..27 {
                let shift = [image % 3, image / 3 % 3, image / 9].map(|k| f64::from(k) - 1.0);
                let r = (0..3).map(|d| system.x[i][d] - system.x[j][d] + shift[d] * system.lengths[d]);
                nearest = nearest.min(r.map(|r| r * r).sum::<f64>());
            }
            let (a, b) = (system.kind[i], system.kind[j]);
            let s6 = (sigma(a, b).powi(2) / nearest).powi(3);
            energy += 4.0 * epsilon(a, b) * (s6 * s6 - s6);
        }
    }
    let found = clamps::studies::allpairs::host::forces(&system, 1).1;
    assert!((found - energy).abs() < 1e-11 * energy.abs(), "{found} {energy}");
}

#[test]
fn motion_agrees_with_the_host_twin() {
    apart!();
    let start = liquid(125, 2, Cutoff::None);
    let mut twin = start.clone();
    clamps::studies::allpairs::host::run(&mut twin, 20, 1);
    for precision in PRECISIONS {
        // Twenty steps are too short for errors to grow much.
        let allowed = if precision == Precision::Double { 1e-12 } else { 2e-6 };
        for (device, place) in devices(&start, precision, 1) {
            device.run(20).unwrap();
            let mut end = start.clone();
            device.download(&mut end).unwrap();
            for (found, expected) in end.x.iter().flatten().zip(twin.x.iter().flatten()) {
                let off = (found - expected) / start.lengths[0];
                assert!((off - off.round()).abs() <= allowed, "{found} {expected} {place}");
            }
            let error = rms_error(&end.v, &twin.v);
            assert!(error <= 10.0 * allowed, "{error:e} {place}");
            assert!(end.x.iter().flatten().all(|x| (0.0..=start.lengths[0]).contains(x)), "{place}");
        }
    }
}

/// Velocity Verlet is of second order: half the step, a quarter of the error in the energy.
#[test]
fn energy_is_conserved_to_second_order() {
    apart!();
    // A dilute gas pair bouncing in a wide box: no pair crosses the border between two images.
    let mut session = empty([40.0; 3], "p p p", 1);
    run(&mut session, &["pair_style lj/cut 20.0", "pair_coeff 1 1 1.0 1.0"]);
    session.system.host_atoms.push(1, 1, [1.0, 2.0, 3.0]);
    session.system.host_atoms.push(2, 1, [2.3, 2.0, 3.0]);
    let start = System::new(&mut session, Some(Cutoff::None)).unwrap();
    let total = |device: &Device, system: &System| {
        device.forces().unwrap().iter().map(|row| row[3]).sum::<f64>() + system.kinetic()
    };
    for gpu in test_devices() {
        let drift = |dt: f64, steps: u32| {
            let system = System { dt, ..start.clone() };
            let tiling = Tiling::new(gpu.info(), Precision::Double, 2, 16).unwrap();
            let device = Device::new(&gpu, &system, Precision::Double, tiling).unwrap();
            let before = total(&device, &system);
            device.run(steps).unwrap();
            let mut end = system.clone();
            device.download(&mut end).unwrap();
            total(&device, &end) - before
        };
        let (coarse, fine) = (drift(0.004, 50), drift(0.002, 100));
        assert!(coarse.abs() > 1e-9 && coarse.abs() < 1e-3, "{coarse}");
        let ratio = coarse / fine;
        assert!((3.9..4.1).contains(&ratio), "{coarse} {fine} on {}", label(gpu.info()));
    }
}

#[test]
fn two_runs_have_the_same_bits() {
    apart!();
    let start = liquid(200, 2, Cutoff::None);
    for precision in PRECISIONS {
        let ends = [(); 2].map(|()| {
            let (device, _) = devices(&start, precision, 0).remove(0);
            device.run(10).unwrap();
            let mut end = start.clone();
            device.download(&mut end).unwrap();
            end
        });
        assert_eq!(ends[0], ends[1]);
    }
}

fn clamps(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("clamps").unwrap();
    command.current_dir(folder);
    command
}

fn record(path: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// One configuration, by all pairs and by the cell lists of the program, at the start and after a run.
#[test]
fn energies_agree_with_the_cell_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // The box is 9.28 wide: the cutoff is just below half of it.
    let made =
        ["allpairs", "--atoms", "640", "--density", "0.8", "--cutoff", "4.6", "--steps", "1", "--host-steps"];
    let args = ["0", "--precision", "double", "--write-data", "liquid.data", "--json", "made.json"];
    clamps(folder.path()).args(made).args(args).assert().success();
    let script = "units lj\natom_style atomic\npair_style lj/cut 4.6\nread_data liquid.data\nfix 1 all nve\n\
                  timestep 0.002\nrun $n\n";
    std::fs::write(path("in.liquid"), script).unwrap();
    let run = |n: &str| {
        let args =
            ["allpairs", "in.liquid", "--var", "n", n, "--host-steps", "0", "--steps", "1", "--json", "j"];
        let done = clamps(folder.path()).args(args).assert().success();
        let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        assert!(text.contains(&format!("Potential energy at step {n}, by cell lists")), "{text}");
        record(&path("j"))
    };
    for n in ["0", "25"] {
        let record = run(n);
        let expected = record["pipeline_energy"].as_f64().unwrap();
        let rows = record["rows"].as_array().unwrap();
        for (row, (precision, allowed)) in rows.iter().zip([("single", 1e-6), ("double", 1e-13)]) {
            assert_eq!(row["precision"], precision);
            let energy = row["energy"].as_f64().unwrap();
            assert!(
                (energy - expected).abs() <= allowed * expected.abs(),
                "{n}: {energy} {expected} {precision}"
            );
        }
        if n == "0" {
            let first = record_energy(&path("made.json"));
            assert!((first - expected).abs() <= 1e-13 * expected.abs(), "{first} {expected}");
        }
    }
}

fn record_energy(path: &Path) -> f64 {
    record(path)["rows"][0]["energy"].as_f64().unwrap()
}

#[test]
fn the_table_has_a_row_per_variant() {
    let folder = tempfile::tempdir().unwrap();
    let variants = ["--atoms", "60", "90", "--block", "32,64", "--precision", "single"];
    let files = ["--json", "j", "--svg", "s"];
    let steps = ["--steps", "2", "--host-steps", "1"];
    let done =
        clamps(folder.path()).arg("allpairs").args(variants).args(steps).args(files).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains("Fastest block in single precision: "), "{text}");
    let record = record(&folder.path().join("j"));
    let variants: Vec<(i64, i64)> = record["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["atoms"].as_i64().unwrap(), row["block"].as_i64().unwrap()))
        .collect();
    assert_eq!(variants, [(60, 32), (60, 64), (90, 32), (90, 64)]);
    assert!(record["rows"][3]["host"]["one"].as_f64().unwrap() > 0.0);
    let plot = std::fs::read_to_string(folder.path().join("s")).unwrap();
    assert!(plot.contains("<svg") && plot.contains("single, over all cores"), "{plot}");
}

#[test]
fn bad_options_have_good_messages() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let system = "region box block 0 6 0 6 0 6\ncreate_box 1 box\nmass 1 1\n";
    write(
        "in.long",
        &format!(
            "{system}create_atoms 1 single 1 1 1\ncreate_atoms 1 single 3 3 3\npair_style lj/cut 3.5\npair_coeff 1 1 1 1\n"
        ),
    );
    write("in.walls", &format!("boundary p p f\n{system}"));
    write("in.empty", &format!("{system}pair_style lj/cut 2.5\npair_coeff 1 1 1 1\n"));
    write("in.pair", system);
    write("in.box", "units lj\n");
    write("in.word", "unit lj\n");
    for (words, message) in [
        (vec!["--atoms", "0"], "0 is not in 2..=10000000"),
        (vec!["--atoms", "-4"], "-4 is not in 2..=10000000"),
        (vec!["--block", "48"], "ERROR: 48 is no size of work-groups for "),
        (vec!["--type", "1,2"], "expected three positive numbers EPSILON,SIGMA,MASS"),
        (vec!["--cutoff", "0"], "expected a positive length, or none"),
        (vec!["--dt", "-1"], "expected a positive number"),
        (vec!["--precision", "mixed"], "[possible values: single, double]"),
        (vec!["--atoms", "100", "--cutoff", "5"], "ERROR: the cutoff 5 is more than half the box (2.4"),
        (vec!["--write-data", "d"], "ERROR: --write-data writes one configuration"),
        (vec!["--svg", "s", "--host-steps", "0"], "ERROR: --svg plots the speed-up over the host"),
        (vec!["--atoms", "50", "--dt", "1e30"], "ERROR: the energy after 100 steps is no finite number"),
        (vec!["in.none"], "ERROR: cannot read in.none: "),
        (vec!["in.box"], "ERROR: there is no simulation box yet"),
        (
            vec!["in.walls"],
            "ERROR: all pairs by nearest images need a box that is periodic in three dimensions",
        ),
        (vec!["in.pair"], "ERROR: there is no pair_style yet"),
        (vec!["in.empty"], "ERROR: there are no pairs of atoms"),
        (
            vec!["in.long"],
            "ERROR: the cutoff 3.5 is more than half the box (3): nearest images alone miss pairs",
        ),
        (vec!["in.word"], "ERROR: unknown command 'unit': did you mean 'units'? (in.word:1)"),
        (vec!["in.box", "--atoms", "50"], "cannot be used with"),
    ] {
        let done = clamps(folder.path()).arg("allpairs").args(&words).assert().code(1);
        let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(stderr.contains(message), "{words:?}: {stderr}");
    }
}
