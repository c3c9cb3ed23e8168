//! Every kernel once under Oclgrind, which reports invalid accesses, data races and uninitialised reads.

use crate::systems::{PRECISIONS, advance, context, empty, run, scatter, shapes, simulation};
use clamps::cli::{Precision, TimingMode};
use clamps::gpu::Gpu;
use clamps::neighbor::sort::RadixSort;
use clamps::reduce::Reductions;
use clamps::resident::Resident;
use clamps::timing::Section;
use std::collections::BTreeSet;
use std::process::Command;

/// Every kernel of cl/, by the text of its files.
fn kernels() -> BTreeSet<String> {
    use clamps::kernels::{CELL, GHOST, INTEGRATE, NEIGHBOR, PAIR, REDUCE, SORT};
    let files = [CELL, GHOST, INTEGRATE, NEIGHBOR, PAIR, REDUCE, SORT];
    let definitions = files.iter().flat_map(|(_, text)| text.split("__kernel ").skip(1));
    definitions
        .map(|text| text.split("void ").nth(1).unwrap().split('(').next().unwrap().to_owned())
        .collect()
}

#[test]
#[ignore = "run by `oclgrind_finds_nothing` in a child process"]
fn child_runs_every_kernel() {
    let gpu = Gpu::open(None, TimingMode::Full).unwrap();
    assert!(gpu.info().is_simulator, "this is for Oclgrind");
    let mut launched = BTreeSet::new();
    for precision in PRECISIONS {
        for (shape, faces, types) in [(0, "p p p", 1), (1, "p p s", 2)] {
            let mut state = empty([3.0, 4.0, 2.9], faces, types);
            run(&mut state, &["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1"]);
            scatter(&mut state, 25, 17);
            (state.neighbor.every, state.neighbor.check) = (2, types == 2);
            state.dt = 1e-4;
            let mut simulation = simulation(&state, &gpu, precision, Some(shapes(&gpu, precision)[shape]));
            advance(&mut simulation, 2);
            simulation.sums().unwrap();
            simulation.reductions.extent(&simulation.atoms).unwrap();
            simulation.atoms.position.read(Section::Output, 0..1).unwrap();
        }
    }
    launched.extend(gpu.take_records().unwrap().into_iter().map(|record| record.name));
    let missing: Vec<_> = kernels().into_iter().filter(|name| !launched.contains(name)).collect();
    assert!(missing.is_empty(), "not launched: {missing:?}");
}

/// Kernels that keep values in local memory, which nobody clears for them.
#[test]
#[ignore = "run by `oclgrind_finds_nothing` in a child process"]
fn child_uses_local_memory() {
    let gpu = Gpu::open(None, TimingMode::Off).unwrap();
    assert!(gpu.info().is_simulator, "this is for Oclgrind");
    for precision in [Precision::Single, Precision::Double] {
        for shape in &shapes(&gpu, precision)[..2] {
            let mut state = empty([3.0, 4.0, 2.9], "p p p", 1);
            run(&mut state, &["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1"]);
            scatter(&mut state, 33, 17);
            let context = context(&state, &gpu, precision, Some(*shape));
            let atoms = Resident::new(&context, &state.host_atoms, 0).unwrap();
            let reductions = Reductions::new(&context, &[1.0]).unwrap();
            reductions.kinetic(&atoms, 1).unwrap();
            reductions.extent(&atoms).unwrap();
            let keys = [(); 4].map(|()| gpu.buffer::<u32>("keys", 33).unwrap());
            keys[0]
                .write(Section::Neigh, 0, &atoms.columns.tag.read(Section::Neigh, 0..33).unwrap())
                .unwrap();
            let sort = RadixSort::new(&context, 33).unwrap();
            sort.run([&keys[0], &keys[1]], [&keys[2], &keys[3]], 33, 8).unwrap();
            gpu.finish().unwrap();
        }
    }
}

#[test]
fn oclgrind_finds_nothing() {
    if Command::new("oclgrind").arg("--version").output().is_err() {
        eprintln!("SKIPPED: oclgrind is not installed");
        return;
    }
    assert!(kernels().len() >= 15, "{:?}", kernels());
    let log = tempfile::NamedTempFile::new().unwrap();
    let child = Command::new("oclgrind")
        .args(["--data-races", "--uninitialized", "--check-api", "--log"])
        .arg(log.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "oclgrind::child_runs_every_kernel"])
        .env("CLAMPS_CACHE", "off")
        .env_remove("CLAMPS_DEVICE")
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&child.stdout).into_owned() + &String::from_utf8_lossy(&child.stderr);
    let report = std::fs::read_to_string(log.path()).unwrap();
    assert!(child.status.success() && words.contains("1 passed"), "{words}\n{report}");
    assert!(report.trim().is_empty(), "{report}");
}
