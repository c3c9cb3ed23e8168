//! Every kernel once under Oclgrind, which reports invalid accesses and data races; sort and prefix sum also
//! with its search for uninitialised values. That search of Oclgrind 21.10 crashes on vectors read from
//! local memory, and takes a vector that LLVM stores element by element for uninitialised, so the other
//! kernels cannot be shown to it; what they keep in local memory they write themselves before they read it.

use crate::systems::{advance, context, cpu_shape, empty, gpu_shape, run, scatter, simulation};
use clamps::gpu::{DeviceInfo, DeviceKind, Gpu};
use clamps::neighbor::sort::RadixSort;
use clamps::options::{Precision, TimingMode};
use clamps::simulation::Simulation;
use clamps::studies::kdv::problem::Problem;
use clamps::studies::kdv::solver::{Layout, Solver};
use clamps::timing::Section;
use std::collections::BTreeSet;
use std::process::Command;

/// Every kernel of cl/, by the text of its files. The neighbour loop has two names.
fn kernels() -> BTreeSet<String> {
    use clamps::kernels::{CELL, GHOST, INTEGRATE, KDV, NEIGHBOR, PAIR, REDUCE, SORT};
    let files = [CELL, GHOST, INTEGRATE, KDV, NEIGHBOR, PAIR, REDUCE, SORT];
    let definitions = files.iter().flat_map(|(_, text)| text.split("__kernel ").skip(1));
    let name = |text: &str| text.split("void ").nth(1).unwrap().split('(').next().unwrap().to_owned();
    let mut names: BTreeSet<String> = definitions.map(name).collect();
    assert!(names.remove("PAIR_KERNEL"));
    names.extend(["pair_force".to_owned(), "pair_force_tally".to_owned()]);
    names
}

#[test]
#[ignore = "run by `oclgrind_finds_nothing` in a child process"]
fn child_runs_every_kernel() {
    let gpu = Gpu::open(None, TimingMode::Full).unwrap();
    assert!(gpu.info().is_simulator, "this is for Oclgrind");
    let mut launched = BTreeSet::new();
    for (precision, cpu, faces, types) in [
        (Precision::Mixed, true, "p p p", 1),
        (Precision::Mixed, false, "p p s", 2),
        (Precision::Double, true, "f p s", 2),
        (Precision::Single, false, "p p p", 1),
    ] {
        let mut state = empty([3.0, 4.0, 2.9], faces, types);
        run(&mut state, &["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1"]);
        scatter(&mut state, 25, 17);
        (state.neighbor.every, state.neighbor.check) = (2, types == 2);
        state.dt = 1e-4;
        let shape = if cpu { cpu_shape(&gpu, precision) } else { gpu_shape(&gpu, precision, 1000) };
        let mut simulation = simulation(&state, &gpu, precision, Some(shape));
        advance(&mut simulation, 3);
        simulation.sums().unwrap();
        // A slow device is never given two steps at once, so this is not launched by itself.
        let Simulation { fixes, atoms, neighbor, .. } = &mut simulation;
        atoms.step += 1;
        fixes[0].turn(atoms, neighbor).unwrap();
        simulation.reductions.extent(&simulation.atoms).unwrap();
    }
    solve_kdv(&gpu);
    launched.extend(gpu.take_records().unwrap().into_iter().map(|record| record.name));
    let missing: Vec<_> = kernels().into_iter().filter(|name| !launched.contains(name)).collect();
    assert!(missing.is_empty(), "not launched: {missing:?}");
}

/// A whole period in one group, and tiles, as CPUs and as GPUs have them.
fn solve_kdv(gpu: &Gpu) {
    for (n, runs) in [(22, 2), (85, 1)] {
        let problem = Problem::new(n as i64, 1e-4, 0.022, 1.0).unwrap();
        for (kind, limit) in [(DeviceKind::Cpu, 1), (DeviceKind::Gpu, 16)] {
            let info = DeviceInfo { kind, simd: 8, ..gpu.info().clone() };
            let layout = Layout::new(&info, true, n, runs, limit);
            let mut solver = Solver::with_layout(gpu, &problem, runs, true, layout).unwrap();
            solver.start(&vec![1.0; n * runs]).unwrap();
            solver.advance(8, |_| ()).unwrap();
        }
    }
}

/// Sort and prefix sum, in both shapes.
#[test]
#[ignore = "run by `oclgrind_finds_nothing` in a child process"]
fn child_sorts() {
    let gpu = Gpu::open(None, TimingMode::Off).unwrap();
    assert!(gpu.info().is_simulator, "this is for Oclgrind");
    for shape in [cpu_shape(&gpu, Precision::Mixed), gpu_shape(&gpu, Precision::Mixed, 1000)] {
        let mut state = empty([3.0, 4.0, 2.9], "p p p", 1);
        run(&mut state, &["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1"]);
        let context = context(&state, &gpu, Precision::Mixed, Some(shape));
        let buffers = [(); 4].map(|()| gpu.buffer::<u32>("keys", 700).unwrap());
        let keys: Vec<u32> = (0..700).map(|k| k * 7919 % 256).collect();
        buffers[0].write(Section::Neigh, 0, &keys).unwrap();
        let sort = RadixSort::new(&context, 700).unwrap();
        sort.run([&buffers[0], &buffers[1]], [&buffers[2], &buffers[3]], 700, 8).unwrap();
        gpu.finish().unwrap();
    }
}

#[test]
fn oclgrind_finds_nothing() {
    if Command::new("oclgrind").arg("--version").output().is_err() {
        eprintln!("SKIPPED: oclgrind is not installed");
        return;
    }
    assert!(kernels().len() >= 15, "{:?}", kernels());
    clean(&["--data-races", "--check-api"], "oclgrind::child_runs_every_kernel");
    clean(&["--uninitialized", "--check-api"], "oclgrind::child_sorts");
}

/// Runs a test of this executable under Oclgrind, which must have nothing to say.
fn clean(options: &[&str], test: &str) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let child = Command::new("oclgrind")
        .args(options)
        .arg("--log")
        .arg(log.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env("CLAMPS_CACHE", "off")
        .env_remove("CLAMPS_DEVICE")
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
    let report = std::fs::read_to_string(log.path()).unwrap();
    assert!(child.status.success() && words.contains("1 passed"), "{words}\n{report}");
    // Faults of kernels go to the log, those of calls to the standard error stream. Vendors' properties of
    // devices are asked for in the knowledge that others do not have them.
    let faulty = |line: &&str| line.contains("Function: ") && !line.contains("clGetDeviceInfo");
    assert!(report.trim().is_empty() && words.lines().find(faulty).is_none(), "{words}\n{report}");
}
