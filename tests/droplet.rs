//! `clamps droplet`: forces against formulas, finite differences and the host twin; the steps; the printed lines;
//! bad files.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use assert_cmd::Command;
use clamps::gpu::options::Precision;
use clamps::studies::droplet::{Device, Droplet, generate};
use clamps::studies::tiles::Tiling;
use common::{label, test_devices};
use std::path::Path;

const PRECISIONS: [Precision; 2] = [Precision::Single, Precision::Double];

fn droplet(radius: f64, rows: &[[f64; 4]]) -> Droplet {
    Droplet {
        title: "test".into(),
        radius,
        x: rows.iter().map(|&[x, y, z, _]| [x, y, z]).collect(),
        charge: rows.iter().map(|row| row[3]).collect(),
    }
}

/// The ways of a GPU for few particles and for many, of a CPU with vectors, and with small work-groups: block, lanes, vector.
const TILINGS: [[usize; 3]; 5] = [[64, 4, 1], [32, 1, 1], [16, 16, 1], [64, 1, 8], [4, 2, 1]];

/// Every device's own way, and so many of the others.
fn devices(droplet: &Droplet, precision: Precision, others: usize) -> Vec<(Device, String)> {
    let tilings = TILINGS[..others].iter().map(|&[block, lanes, vector]| Tiling { block, lanes, vector });
    let mut all = Vec::new();
    for gpu in test_devices() {
        let place = |device: &Device| format!("{precision:?} {:?} on {}", device.tiling(), label(gpu.info()));
        let own = Device::new(&gpu, droplet, precision).unwrap();
        all.push((place(&own), own));
        for tiling in tilings.clone() {
            let device = Device::with(&gpu, droplet, precision, tiling).unwrap();
            all.push((place(&device), device));
        }
    }
    all.into_iter().map(|(place, device)| (device, place)).collect()
}

/// Relative error that is allowed of a sum of that many terms.
fn tolerance(precision: Precision) -> f64 {
    if precision == Precision::Double { 1e-12 } else { 5e-6 }
}

#[test]
fn two_particles_as_the_formula_says() {
    // At the bottom of the well only the charges pull; where the well begins, its slope is 24 epsilon / r.
    let zero = 2.5 / 2_f64.powf(1.0 / 6.0);
    for (r, charges, energy, force) in [
        (2.5, [0.5, -0.5], -0.2 - 0.25 / 2.5, -0.25 / 6.25),
        (2.5, [2.0, 3.0], -0.2 + 6.0 / 2.5, 6.0 / 6.25),
        (zero, [1.0, 0.0], 0.0, 24.0 * 0.2 / zero),
        (
            5.0,
            [0.0, 0.0],
            0.2 * (2_f64.powi(-12) - 2.0 * 2_f64.powi(-6)),
            2.4 * (2_f64.powi(-12) - 2_f64.powi(-6)) / 5.0,
        ),
    ] {
        // Along (2, 3, 6) / 7, so that every component is seen.
        let direction = [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0];
        let place = |sign: f64, q: f64| {
            let [x, y, z] = direction.map(|d| 1.0 + 0.5 * sign * r * d);
            [x, y, z, q]
        };
        let pair = droplet(100.0, &[place(1.0, charges[0]), place(-1.0, charges[1])]);
        for precision in PRECISIONS {
            // At the zero of the energy its terms are 0.8 each.
            let allowed = 4.0 * tolerance(precision);
            for (device, place) in devices(&pair, precision, 1) {
                let rows = device.forces().unwrap();
                assert!(
                    (rows[0][3] + rows[1][3] - energy).abs() <= allowed * energy.abs().max(1.0),
                    "{rows:?} {place}"
                );
                for d in 0..3 {
                    let expected = force * direction[d];
                    assert!(
                        (rows[0][d] - expected).abs() <= allowed * force.abs().max(1.0),
                        "{rows:?} {expected} {place}"
                    );
                    assert_eq!(rows[0][d], -rows[1][d], "{place}");
                }
            }
        }
    }
}

#[test]
fn forces_are_the_slope_of_the_energy() {
    let start = generate(70, 5);
    for gpu in test_devices() {
        let device = Device::new(&gpu, &start, Precision::Double).unwrap();
        let force = device.forces().unwrap();
        let step = 1e-5;
        let energy = |moved: &Droplet| {
            device.upload(moved).unwrap();
            device.forces().unwrap().iter().map(|row| row[3]).sum::<f64>()
        };
        for (i, d) in [(0, 0), (13, 1), (69, 2)] {
            let at = |dx: f64| {
                let mut moved = start.clone();
                moved.x[i][d] += dx;
                energy(&moved)
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            assert!((force[i][d] + slope).abs() < 1e-6, "{} {slope} on {}", force[i][d], label(gpu.info()));
        }
    }
}

#[test]
fn every_pair_pushes_both_of_its_particles() {
    let start = generate(333, 2);
    for precision in PRECISIONS {
        for (device, place) in devices(&start, precision, 1) {
            let rows = device.forces().unwrap();
            for d in 0..3 {
                let (net, size) = rows.iter().fold((0.0, 0.0), |(a, b), row| (a + row[d], b + row[d].abs()));
                assert!(f64::abs(net) <= tolerance(precision) * size, "{net} of {size}, {place}");
            }
        }
    }
}

/// Below and above the number from which the device adds up the energies, and no multiple of any block.
#[test]
fn steps_agree_with_the_host_twin() {
    in_third!(3);
    for (n, steps) in [(157, 103), (1031, 4)] {
        let start = generate(n, 3);
        let mut twin = start.clone();
        let expected = clamps::studies::droplet::host::run(&mut twin, steps, 1);
        let mut on_two = start.clone();
        let parallel = clamps::studies::droplet::host::run(&mut on_two, steps, 2);
        for (a, b) in expected.iter().zip(&parallel) {
            assert!((a - b).abs() <= 1e-12 * a.abs(), "{a} {b}");
        }
        for precision in PRECISIONS {
            // Rounding errors shrink on the way down, as neighbouring ways lead to the same valley.
            let allowed = 4.0 * tolerance(precision);
            for (device, place) in devices(&start, precision, 5) {
                let mut energies = Vec::new();
                device.run(steps, |step, energy| energies.push((step, energy))).unwrap();
                assert_eq!(energies.len(), steps as usize);
                for (k, (&(step, energy), expected)) in energies.iter().zip(&expected).enumerate() {
                    assert_eq!(step as usize, k + 1);
                    assert!(
                        (energy - expected).abs() <= allowed * expected.abs(),
                        "{step}: {energy} {expected} {place}"
                    );
                }
                for (x, y) in device.positions().unwrap().iter().flatten().zip(twin.x.iter().flatten()) {
                    assert!((x - y).abs() <= 10.0 * allowed, "{x} {y} {place}");
                }
            }
        }
    }
}

#[test]
fn the_energy_falls_and_the_same_bits_come_again() {
    let start = generate(1100, 1);
    for gpu in test_devices() {
        let run = || {
            let device = Device::new(&gpu, &start, Precision::Single).unwrap();
            let mut energies = Vec::new();
            device.run(12, |_, energy| energies.push(energy)).unwrap();
            (energies, device.positions().unwrap())
        };
        let (energies, positions) = run();
        assert!(energies.windows(2).all(|pair| pair[1] < pair[0]), "{energies:?}");
        assert_eq!(run(), (energies, positions), "{}", label(gpu.info()));
    }
}

#[test]
fn the_cap_pulls_back_what_has_left() {
    // So far apart that they hardly feel each other: (2.5 / 20)^6 of the well.
    let start = droplet(5.0, &[[10.0, 0.0, 0.0, 0.0], [-10.0, 0.0, 0.0, 0.0]]);
    let pair = 12.0 * 0.2 / 20.0 * (0.125_f64.powi(12) - 0.125_f64.powi(6));
    let cap = -0.01 * (100.0 - 25.0) * 10.0 / 5.0;
    for precision in PRECISIONS {
        for (device, place) in devices(&start, precision, 1) {
            device.run(1, |_, _| {}).unwrap();
            let x = device.positions().unwrap();
            let expected = 10.0 + 0.01 * (pair + cap);
            assert!((x[0][0] - expected).abs() <= tolerance(precision) * 10.0, "{x:?} {expected} {place}");
            assert_eq!(x[0][0], -x[1][0], "{place}");
        }
    }
    // Inside there is none.
    let inside = Droplet { radius: 10.5, ..start };
    for (device, place) in devices(&inside, Precision::Double, 1) {
        device.run(1, |_, _| {}).unwrap();
        let x = device.positions().unwrap();
        assert!((x[0][0] - (10.0 + 0.01 * pair)).abs() < 1e-13, "{x:?} {place}");
    }
}

#[test]
fn the_centre_is_moved_at_steps_0_and_100() {
    let mut start = generate(60, 9);
    start.radius = 1000.0;
    start.x.iter_mut().for_each(|x| x[1] += 7.0);
    // Forces within move no centre.
    for (device, place) in devices(&start, Precision::Double, 1) {
        device.run(1, |_, _| {}).unwrap();
        let center = |x: Vec<[f64; 3]>| Droplet { x, ..start.clone() }.center();
        let first = center(device.positions().unwrap());
        assert!(first.iter().all(|c| c.abs() < 1e-12), "{first:?} {place}");
    }
    // The cap pulls everything, and not evenly; at step 100 the centre goes back.
    start.radius = 0.5;
    let mut twin = start.clone();
    clamps::studies::droplet::host::run(&mut twin, 101, 1);
    for (device, place) in devices(&start, Precision::Double, 1) {
        device.run(101, |_, _| {}).unwrap();
        let found = device.positions().unwrap();
        let error = found.iter().flatten().zip(twin.x.iter().flatten()).map(|(a, b)| (a - b).abs());
        assert!(error.fold(0.0, f64::max) < 1e-10, "{place}");
    }
}

#[test]
fn generated_droplets_are_neutral_and_dense() {
    let made = generate(4139, 1);
    assert_eq!((made.x.len(), made.charge.len()), (4139, 4139));
    assert_eq!(made, generate(4139, 1));
    assert_ne!(made.x, generate(4139, 2).x);
    assert_eq!(made.charge.iter().filter(|q| **q > 0.0).count(), 2069);
    assert_eq!(made.charge.iter().filter(|q| **q < 0.0).count(), 2069);
    let square = |x: &[f64; 3]| x.iter().map(|x| x * x).sum::<f64>();
    let farthest = made.x.iter().map(square).fold(0.0, f64::max).sqrt();
    assert!((made.radius - 1.5..made.radius + 1.5).contains(&farthest), "{farthest} {}", made.radius);
    for (i, a) in made.x.iter().enumerate() {
        for b in &made.x[..i] {
            assert!(square(&[a[0] - b[0], a[1] - b[1], a[2] - b[2]]) > 2.0 * 2.0, "{a:?} {b:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made");
    made.save(&path).unwrap();
    assert_eq!(Droplet::read(&path).unwrap(), made);
    assert_eq!(generate(1, 1).charge, [0.0]);
}

fn clamps(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("clamps").unwrap();
    command.current_dir(folder);
    command
}

/// Every byte as the document's program prints it: the echo, the energies, the echo.
#[test]
fn the_printed_lines_are_those_of_the_document() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("two"),
        "Two of them\n 2\n 20.5\n1.25 0 0.5 0.5\r\n-1.25 0 0.5 -0.5\n\n",
    )
    .unwrap();
    let before = "Two of them\n\n2\n20.5\n   1.250000   0.000000   0.500000   0.5000\n  \
                  -1.250000   0.000000   0.500000  -0.5000\n";
    // E = -0.2 - 0.25 / 2.5; F = 0.25 / 6.25, and each moves by a hundredth of it. At the new distance of
    // 2.4992 the well is flat to six digits, and the charges have 0.10003.
    let after = "\n2\n20.50000\n   1.249600   0.000000   0.000000   0.5000\n  \
                 -1.249600   0.000000   0.000000  -0.5000\n";
    for precision in ["single", "double"] {
        let run = |steps: &str| {
            let args = ["droplet", "two", steps, "--precision", precision];
            let done = clamps(folder.path()).args(args).assert().success();
            String::from_utf8(done.get_output().stdout.clone()).unwrap()
        };
        assert_eq!(run("1"), format!("{before}Energy (      1):        -0.30000\n{after}"));
        let two = run("2");
        assert!(
            two.contains("Energy (      1):        -0.30000\nEnergy (      2):        -0.30003\n"),
            "{two}"
        );
        assert_eq!(
            run("0"),
            format!("{before}{}", before.replace("Two of them\n", "").replace("20.5", "20.5000"))
        );
    }
}

#[test]
fn the_record_and_the_comparison() {
    let folder = tempfile::tempdir().unwrap();
    clamps(folder.path())
        .args(["droplet", "--generate", "50", "--seed", "4", "d"])
        .assert()
        .success()
        .stdout("");
    let args = ["droplet", "d", "3", "--compare-host", "--json", "j", "--precision", "double"];
    let done = clamps(folder.path()).args(args).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    assert!(text.contains("| host, 1 core "), "{text}");
    let record: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("j")).unwrap()).unwrap();
    assert_eq!(record["study"], "droplet");
    assert_eq!(record["particles"], 50);
    assert_eq!(record["energies"].as_array().unwrap().len(), 3);
    assert!(record["host"][0]["difference"].as_f64().unwrap() < 1e-12, "{record}");
}

#[test]
fn bad_files_have_good_messages() {
    let folder = tempfile::tempdir().unwrap();
    let particle = "0 0 1 0.5\n";
    for (text, first, rest) in [
        ("", "ERROR: bad is empty", "x y z charge"),
        (
            "title\n",
            "ERROR: the file ends before the number of particles (a whole number from 1 on) (bad:1)",
            "",
        ),
        (
            "t\n-2\n5\n",
            "ERROR: '-2' is not the number of particles (a whole number from 1 on) (bad:2)",
            "^^ expected",
        ),
        ("t\n0\n5\n", "ERROR: '0' is not the number of particles (a whole number from 1 on) (bad:2)", ""),
        ("t\n1.5\n5\n", "ERROR: '1.5' is not the number of particles (a whole number from 1 on) (bad:2)", ""),
        ("t\n1\n", "ERROR: the file ends before the radius of the droplet (a positive number) (bad:2)", ""),
        ("t\n1\n-3\n", "ERROR: '-3' is not the radius of the droplet (a positive number) (bad:3)", ""),
        ("t\n1\n\n0 0 0 0\n", "ERROR: the radius of the droplet (a positive number) is missing (bad:3)", ""),
        (
            &format!("t\n3\n5\n{particle}"),
            "ERROR: the file ends after 1 of the 3 particles that line 2 promises (bad:4)",
            "expected another line x y z charge",
        ),
        (
            "t\n1\n5\n0 0 1\n",
            "ERROR: the charge is missing (bad:4)",
            "4 | 0 0 1 \n  |      ^ expected the charge",
        ),
        ("t\n1\n5\n0 o 1 1\n", "ERROR: 'o' is not y (a number) (bad:4)", "4 | 0 o 1 1\n  |   ^ expected y"),
        ("t\n1\n5\n0 nan 1 1\n", "ERROR: 'nan' is not y (a number) (bad:4)", ""),
        (
            "t\n1\n5\n0 0 1 1 7\n",
            "ERROR: unexpected '7' (bad:4)",
            "expected the end of the line after the charge",
        ),
        (
            &format!("t\n1\n5\n{particle}0 0 0 0\n"),
            "ERROR: the file goes on after 1 particles (bad:5)",
            "the number in its second line is wrong",
        ),
        (
            &format!("t\n2\n5\n{particle}-0 0 1 0.25\n"),
            "ERROR: this particle is at the place of the one in line 4 (bad:5)",
            "",
        ),
    ] {
        std::fs::write(folder.path().join("bad"), text).unwrap();
        let done = clamps(folder.path()).args(["droplet", "bad", "1"]).assert().code(1).stdout("");
        let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert_eq!(stderr.lines().next().unwrap(), first);
        assert!(stderr.contains(rest), "{stderr}");
    }
    let fails = |words: &[&str], message: &str| {
        let done = clamps(folder.path()).args(words).assert().code(1).stdout("");
        let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(stderr.contains(message), "{stderr}");
    };
    fails(&["droplet", "missing", "1"], "ERROR: cannot read missing: ");
    fails(&["droplet", "bad"], "<STEPS>");
    fails(&["droplet", "bad", "many"], "invalid value 'many' for '[STEPS]'");
    fails(&["droplet", "--generate", "0", "d"], "0 is not in 1..");
    fails(&["droplet", "--generate", "5", "d", "10"], "cannot be used with");
    fails(&["droplet", "--generate", "5", "no/such/folder/d"], "ERROR: cannot write no/such/folder/d: ");
    // So close that the forces of single precision are infinite.
    std::fs::write(folder.path().join("close"), "t\n2\n5\n0 0 0 1\n0 0 1e-4 1\n").unwrap();
    let done = clamps(folder.path()).args(["droplet", "close", "3"]).assert().code(1);
    let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(stderr.starts_with("ERROR: the energy at step 1 is no finite number"), "{stderr}");
}
