//! `clamps kdv`: the kernels against the host twin on every device and in the layouts of CPUs and GPUs, the
//! scheme against an analytic solution, what it conserves, and the program from outside.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use std::f64::consts::PI;
use std::path::Path;

use assert_cmd::Command;
use clamps::gpu::{DeviceInfo, DeviceKind, Gpu};
use clamps::studies::kdv::host;
use clamps::studies::kdv::problem::Problem;
use clamps::studies::kdv::solver::{Layout, Solver};
use common::{label, test_devices};
use predicates::prelude::*;
use predicates::str::contains;

const DELTA: f64 = 0.022;

/// Stable for |u| up to 1 by this share of the limit.
fn problem(n: usize, share: f64) -> Problem {
    let limit = Problem { n, dt: 1.0, delta: DELTA }.limit(1.0);
    Problem::new(n as i64, share * limit, DELTA, 1.0).unwrap()
}

/// The layouts that the device and that a GPU and a CPU with its limits would get; the GPU's with large and
/// with small groups.
fn layouts(info: &DeviceInfo, wide: bool, n: usize, runs: usize) -> Vec<Layout> {
    let gpu = DeviceInfo { kind: DeviceKind::Gpu, simd: 32, units: 16, ..info.clone() };
    let cpu = DeviceInfo { kind: DeviceKind::Cpu, simd: 1, ..info.clone() };
    let limit = info.max_work_group.min(256);
    let mut layouts = vec![
        Layout::new(info, wide, n, runs, limit),
        Layout::new(&cpu, wide, n, runs, limit),
        Layout::new(&gpu, wide, n, runs, limit),
        Layout::new(&gpu, wide, n, runs, limit.min(16)),
    ];
    layouts.dedup();
    layouts
}

/// The device's values after `steps` steps, and those one step before.
fn solve(solver: &mut Solver, initial: &[f64], runs: usize, steps: u64) -> [Vec<f64>; 2] {
    solver.start(initial).unwrap();
    solver.advance(steps, |_| ()).unwrap();
    [solver.values(runs).unwrap(), solver.values_before(runs).unwrap()]
}

#[test]
fn devices_agree_with_the_host() {
    in_third!(3);
    for gpu in test_devices() {
        // Few points, odd numbers, primes, whole periods, many tiles; one run and several.
        for (n, runs) in [(5, 1), (16, 3), (100, 1), (257, 2), (1024, 1), (1018, 3), (5000, 1), (2500, 2)] {
            let problem = problem(n, 0.9);
            let initial: Vec<f64> = (0..runs)
                .flat_map(|run| {
                    problem.sample(|x| (PI * x).cos() / (1.0 + run as f64) - 0.1 * (3.0 * PI * x).sin())
                })
                .collect();
            for wide in [true, false] {
                if wide && !gpu.info().fp64 {
                    continue;
                }
                for layout in layouts(gpu.info(), wide, n, runs) {
                    let mut solver = Solver::with_layout(&gpu, &problem, runs, wide, layout).unwrap();
                    for steps in [1, 2, 301] {
                        let place = format!(
                            "{steps} steps, {runs} x {n}, {layout:?}, fp64 {wide}, {}",
                            label(gpu.info())
                        );
                        let found = solve(&mut solver, &initial, runs, steps);
                        for (run, initial) in initial.chunks(n).enumerate() {
                            let (last, before) = host::run(initial, problem.factors(), steps);
                            for (found, expected) in found.iter().zip([last, before]) {
                                let found = &found[run * n..(run + 1) * n];
                                if wide {
                                    assert_eq!(found, expected, "run {run}, {place}");
                                } else {
                                    // Every step may round twice at values of this size.
                                    let tolerance = f64::from(f32::EPSILON) * (2 * steps + 2) as f64;
                                    let worst = found
                                        .iter()
                                        .zip(&expected)
                                        .map(|(a, b)| (a - b).abs())
                                        .fold(0.0, f64::max);
                                    assert!(worst <= tolerance, "run {run}: {worst:e}, {place}");
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn all_cores_give_the_bits_of_one() {
    for (n, runs) in [(40_001, 1), (3 * host::FEWEST_POINTS + 1, 1), (64, 5)] {
        let problem = problem(n, 0.5);
        let initial: Vec<f64> =
            (0..runs).flat_map(|run| problem.sample(|x| (PI * x).cos() / (1.0 + f64::from(run)))).collect();
        let expected: Vec<f64> =
            initial.chunks(n).flat_map(|run| host::run(run, problem.factors(), 20).0).collect();
        assert_eq!(host::run_on_all_cores(&initial, n, problem.factors(), 20), expected);
    }
}

/// The document's own loops, word for word in their arithmetic, with `%` for the period.
#[test]
fn the_twin_is_the_documents_program() {
    let (n, dt, steps) = (64, 1e-4, 50);
    let dx = 2.0 / n as f64;
    let (a, b) = ((1.0 / (6.0 * dx)) * (dt / PI), (DELTA * DELTA / (2.0 * dx * dx * dx)) * (dt / PI));
    let derivatives = |u: &[f64]| -> Vec<f64> {
        let f = |j: usize| {
            let [p1, m1, p2, m2] = [1, n - 1, 2, n - 2].map(|k| u[(j + k) % n]);
            -a * (p1 + u[j] + m1) * (p1 - m1) - b * ((p2 - m2) - 2.0 * (p1 - m1))
        };
        (0..n).map(f).collect()
    };
    let problem = Problem::new(n as i64, dt, DELTA, 1.0).unwrap();
    let mut before = problem.sample(|x| (PI * x).cos());
    let mut u: Vec<f64> = before.iter().zip(derivatives(&before)).map(|(u, f)| u + f).collect();
    for _ in 1..steps {
        let next = before.iter().zip(derivatives(&u)).map(|(u, f)| u + 2.0 * f).collect();
        (before, u) = (u, next);
    }
    let found = host::run(&problem.sample(|x| (PI * x).cos()), problem.factors(), steps);
    assert_eq!(found, (u, before));
}

/// One soliton of amplitude A on a background c: u = c + A sech^2((x - v t) / w) with v = c + A / 3 and
/// w = delta sqrt(12 / A) (Zabusky and Kruskal 1965); its tails are below 1e-10 half a period away.
fn soliton(t: f64, x: f64) -> f64 {
    let (c, amplitude) = (0.25, 0.75);
    let place = 1.0 + (c + amplitude / 3.0) * t;
    let away = (x - place + 1.0).rem_euclid(2.0) - 1.0;
    c + amplitude / (away / (DELTA * (12.0_f64 / amplitude).sqrt())).cosh().powi(2)
}

/// Largest error of the soliton at t = 1 / pi.
fn soliton_error(gpu: &Gpu, n: usize) -> f64 {
    let limit = problem(n, 1.0).dt;
    let steps = (1.0 / (0.8 * limit)).ceil();
    let problem = Problem::new(n as i64, 1.0 / steps, DELTA, 1.0).unwrap();
    let mut solver = Solver::new(gpu, &problem, 1, gpu.info().fp64).unwrap();
    let [u, _] = solve(&mut solver, &problem.sample(|x| soliton(0.0, x)), 1, steps as u64);
    let exact = problem.sample(|x| soliton(1.0 / PI, x));
    u.iter().zip(exact).map(|(u, exact)| (u - exact).abs()).fold(0.0, f64::max)
}

#[test]
fn a_soliton_moves_as_it_should_and_the_error_falls_with_the_square_of_dx() {
    in_third!(3);
    for gpu in test_devices().iter().filter(|gpu| gpu.info().fp64) {
        let sizes = [128, 256, 512];
        let errors = sizes.map(|n| soliton_error(gpu, n));
        let orders = [0, 1].map(|k| (errors[k] / errors[k + 1]).log2());
        println!("{}: N {sizes:?}, largest errors {errors:?}, orders {orders:.3?}", label(gpu.info()));
        // dt ~ dx^3, so that the error of the time steps does not show. It moves by 0.16, four of its widths.
        assert!(errors[2] < 2e-3, "{errors:?}");
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:?}");
    }
}

#[test]
fn the_error_falls_with_the_square_of_dt() {
    for gpu in test_devices().iter().filter(|gpu| gpu.info().fp64) {
        // The same points, so the same error in space: differences are those of the time steps.
        let limit = problem(64, 1.0).dt;
        let steps = (0.5 / (0.2 * limit)).ceil() as u64;
        let states = [1, 2, 4, 8].map(|fold| {
            let steps = steps * fold;
            let problem = Problem::new(64, 0.5 / steps as f64, DELTA, 1.0).unwrap();
            let mut solver = Solver::new(gpu, &problem, 1, true).unwrap();
            solve(&mut solver, &problem.sample(|x| (PI * x).cos()), 1, steps).into_iter().next().unwrap()
        });
        let difference = |k: usize| -> f64 {
            let square: f64 = states[k].iter().zip(&states[k + 1]).map(|(a, b)| (a - b).powi(2)).sum();
            square.sqrt()
        };
        let orders = [0, 1].map(|k| (difference(k) / difference(k + 1)).log2());
        println!("{}: orders in dt {orders:.3?}", label(gpu.info()));
        assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:?}");
    }
}

/// The sums over the points of f and of u f vanish, so the leapfrog keeps the sum of u, and that of u at one
/// step times u at the next, to rounding: an identity of the scheme, whatever dx and dt.
#[test]
fn mass_and_the_product_of_two_steps_are_kept_to_rounding() {
    for gpu in test_devices().iter().filter(|gpu| gpu.info().fp64) {
        for n in [64, 256, 3000] {
            let problem = problem(n, 0.95);
            let initial = problem.sample(|x| 0.5 + 0.5 * (PI * x).cos());
            let mut solver = Solver::new(gpu, &problem, 1, true).unwrap();
            let sum = |u: &[f64]| u.iter().sum::<f64>() * problem.dx();
            let product =
                |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() * problem.dx();
            for steps in [1, 100, 5000] {
                let [u, before] = solve(&mut solver, &initial, 1, steps);
                let place = format!("{steps} steps, N = {n}, {}", label(gpu.info()));
                // Roundings at random, of every step and of the sums here.
                let tolerance = 4.0 * f64::EPSILON * ((steps as f64).sqrt() + (n as f64).sqrt());
                assert!((sum(&u) - sum(&initial)).abs() <= tolerance, "{place}");
                let (found, expected) = (product(&u, &before), product(&initial, &initial));
                assert!((found - expected).abs() <= tolerance, "{found} {expected} {place}");
            }
        }
    }
}

#[test]
fn eight_solitons_come_out_of_the_cosine() {
    // Zabusky and Kruskal 1965, figure 1: at t = 3.6 / pi there are eight, and each is higher than the one on
    // its left, which it overtook.
    for gpu in test_devices() {
        let problem = Problem::new(256, 2e-4, DELTA, 1.0).unwrap();
        let mut solver = Solver::new(&gpu, &problem, 1, gpu.info().fp64).unwrap();
        let [u, _] = solve(&mut solver, &problem.sample(|x| (PI * x).cos()), 1, problem.steps(3.6).unwrap());
        let peak = |j: &usize| u[*j] > u[(j + 1) % 256] && u[*j] > u[(j + 255) % 256];
        let mut peaks: Vec<f64> = (0..256).filter(peak).map(|j| u[j]).collect();
        assert_eq!(peaks.len(), 8, "{peaks:?} on {}", label(gpu.info()));
        let least = (0..8).min_by(|&a, &b| peaks[a].total_cmp(&peaks[b])).unwrap();
        peaks.rotate_left(least);
        assert!(peaks.is_sorted(), "{peaks:?} on {}", label(gpu.info()));
    }
}

#[test]
fn the_limit_is_the_issues_formula() {
    // N = 1024: dx = 2 / 1024, delta^2 / dx^2 = 126.877..., by hand.
    let limit = Problem { n: 1024, dt: 1e-5, delta: 0.022 }.limit(1.0);
    assert!((limit - PI * 0.384_900_179_46 * 0.001_953_125 / (2.0 + 126.877_696)).abs() < 1e-13, "{limit:e}");
    // Where the step is unstable, the solution grows without bound: at 1.6 times the limit of a linear wave.
    let n = 64;
    let linear = PI * 0.384_900_179_46 * (2.0 / n as f64).powi(3) / (DELTA * DELTA);
    for (share, stable) in [(0.9, true), (1.6, false)] {
        let problem = Problem { n, dt: share * linear, delta: DELTA };
        // A small wave, so that the linear theory holds, with the most unstable wave length in it.
        let u = problem.sample(|x| 1e-3 * (21.0 * PI * x).cos());
        let (u, _) = host::run(&u, problem.factors(), 2000);
        assert_eq!(u.iter().all(|u| u.abs() < 0.1), stable, "{share}");
    }
}

/// The program in an empty folder, on the device that the tests are kept to, or PoCL.
fn clamps(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("clamps").unwrap();
    command.current_dir(folder).env_remove("RUST_LOG").arg("kdv");
    if let Ok(device) = std::env::var("CLAMPS_TEST_DEVICE") {
        command.env("CLAMPS_DEVICE", device);
    }
    command
}

#[test]
fn bad_numbers_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    for (words, message, remedy) in [
        ("--n 0", "--n 0 is too few points", "256, 512 and 1024"),
        ("--n -5", "--n -5 is too few points", "spans 5 points"),
        ("--n 4", "--n 4 is too few points", "spans 5 points"),
        ("--n 9999999999", "too many points", "at most"),
        ("--n 12x", "invalid value '12x' for '--n <N>'", "--help"),
        ("--dt 0", "--dt 0 is no time step", "units of 1/pi"),
        ("--dt nan", "--dt NaN is no time step", "units of 1/pi"),
        (
            "--n 1024 --dt 1e-4",
            "stability limit of 1.8325e-5 (in units of 1/pi) for --n 1024",
            "use --dt 1.8e-5 or less",
        ),
        ("--n 256,1024 --dt 1e-5,1e-4", "stability limit of 1.8325e-5", "third power"),
        ("--t-end 0", "--t-end 0 is no end", "units of 1/pi"),
        ("--t-end 1e-9", "--t-end 0.000000001 is less than a step", ""),
        ("--t-end 1e300", "--t-end", "would not end"),
        ("--delta -1", "--delta -1 cannot be used", "0.022"),
        ("--precision mixed", "invalid value 'mixed' for '--precision", "single, double"),
        ("--batch 0", "--batch 0 is no number of runs", "1 or more"),
        ("--n 64,128 --csv a", "are of one run", "one value of --n"),
        ("--csv missing/a.csv", "there is no folder missing", "make the folder"),
        ("--gif .", "it is a folder", ""),
        ("--device nonsense", "there is no OpenCL device `nonsense`", "there are:"),
    ] {
        let done = clamps(folder.path()).args(words.split(' ')).assert().code(1);
        done.stdout("").stderr(contains(message).and(contains(remedy)));
    }
}

#[test]
fn help_explains_units() {
    let folder = tempfile::tempdir().unwrap();
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let done = clamps(folder.path()).arg("--help").assert().success();
    let text = flat(&String::from_utf8_lossy(&done.get_output().stdout));
    for part in ["in units of 1/pi", "--t-end 10 means t = 10/pi", "u(0, x) = cos(pi x)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn files_hold_what_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    clamps(folder.path())
        .args("--n 64 --dt 1e-3 --t-end 4 --csv u.csv --svg u.svg --gif u.gif --json u.json --compare-host --repeats 2 --batch 3".split(' '))
        .assert()
        .success()
        .stdout(contains("N = 64").and(contains("mean (least) of 2")).and(contains("host, 1 core")));

    let text = std::fs::read_to_string(place("u.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("t,x,u"));
    let rows: Vec<[f64; 3]> = lines
        .map(|line| {
            line.split(',').map(|word| word.parse().unwrap()).collect::<Vec<f64>>().try_into().unwrap()
        })
        .collect();
    let times: Vec<f64> = rows.chunks(64).map(|rows| rows[0][0]).collect();
    assert_eq!(times, [0.0, 1.0, 3.6, 4.0]);
    assert!(
        rows.iter().enumerate().all(|(k, row)| row[1] == (k % 64) as f64 / 32.0 && row[0] == times[k / 64])
    );
    // The host twin's bits, in fp64; an fp32 device's to rounding.
    let problem = Problem::new(64, 1e-3, DELTA, 1.0).unwrap();
    let (expected, _) = host::run(&problem.sample(|x| (PI * x).cos()), problem.factors(), 4000);
    assert!(rows[192..].iter().zip(&expected).all(|(row, u)| (row[2] - u).abs() < 1e-3));

    let text = std::fs::read_to_string(place("u.svg")).unwrap();
    for name in ["t = 0 / pi", "t = 1 / pi", "t = 3.6 / pi"] {
        assert!(text.contains(name), "{name}");
    }
    assert!(!text.contains("t = 4 / pi"), "the figure has the document's three times");

    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = decoder.read_info(std::fs::File::open(place("u.gif")).unwrap()).unwrap();
    let size = (usize::from(decoder.width()), usize::from(decoder.height()));
    let (mut frames, mut moving) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        assert_eq!((usize::from(frame.width), usize::from(frame.height)), size);
        let curve = frame.buffer.iter().filter(|&&pixel| pixel == 3).count();
        moving += usize::from(curve > 20);
        frames += 1;
    }
    assert_eq!((frames, decoder.repeat()), (201, gif::Repeat::Infinite));
    assert_eq!(moving, 201, "the curve moves in every frame");
    assert!(place("u.gif").metadata().unwrap().len() < 1_000_000);

    let record: serde_json::Value = serde_json::from_slice(&std::fs::read(place("u.json")).unwrap()).unwrap();
    assert_eq!(record["study"], "kdv");
    let run = &record["runs"][0];
    assert_eq!((&run["problem"]["n"], &run["steps"], &run["batch"]), (&64.into(), &4000.into(), &3.into()));
    assert_eq!(run["snapshots"].as_array().unwrap().len(), 4);
    assert_eq!(run["compare_host"]["device_seconds"].as_array().unwrap().len(), 2);
    if record["precision"] == "double" {
        assert_eq!(run["compare_host"]["largest_difference"], 0.0);
    }
}
