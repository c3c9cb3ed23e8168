//! The stages of a step on the default device (CLAMPS_DEVICE chooses another): `cargo bench`.
//!
//! A melt of 32,000 Lennard-Jones atoms in mixed precision (single where the device has no fp64); each
//! measurement ends when the device is done.
#![allow(clippy::unwrap_used)]

/// What tests/common/systems.rs asks for: all is compiled before the first step.
mod common {
    pub(crate) fn full() -> bool {
        true
    }
}
#[path = "../tests/common/systems.rs"]
mod systems;

use clamps::base::random::ParkMiller;
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::neighbor::sort::RadixSort;
use clamps::gpu::options::{Precision, TimingMode};
use clamps::gpu::record::Section;
use clamps::gpu::{DeviceKind, Gpu};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;
use systems::{advance, context, melt, simulation};

const KEYS: usize = 1_000_000;

fn stages(criterion: &mut Criterion) {
    let gpu = Gpu::open(None, TimingMode::Off).unwrap();
    let precision = if gpu.info().fp64 { Precision::Mixed } else { Precision::Single };
    let session = melt(20, 0.1);
    let mut group = criterion.benchmark_group("stages");
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));

    let sort_context = context(&session, &gpu, precision, None);
    let buffers = [(); 5].map(|()| gpu.buffer::<u32>("keys", KEYS).unwrap());
    let [given, keys, keys_too, payload, payload_too] = &buffers;
    let mut random = ParkMiller::new(1);
    let numbers: Vec<u32> = (0..KEYS).map(|_| (random.uniform() * 1048576.0) as u32).collect();
    given.write(Section::Neigh, 0, &numbers).unwrap();
    let sort = RadixSort::new(&sort_context, KEYS).unwrap();
    group.throughput(Throughput::Elements(KEYS as u64));
    group.bench_function("sort of a million 20-bit keys", |bencher| {
        bencher.iter(|| {
            keys.copy_from(Section::Neigh, given, 0..KEYS, 0).unwrap();
            sort.run([keys, keys_too], [payload, payload_too], KEYS, 20).unwrap();
            gpu.finish().unwrap();
        });
    });

    let mut simulation = simulation(&session, &gpu, precision, None);
    advance(&mut simulation, 100); // a liquid, not a lattice
    group.throughput(Throughput::Elements(simulation.atoms.n as u64));
    group.bench_function("rebuild", |bencher| {
        bencher.iter(|| {
            let (atoms, domain) = (&mut simulation.atoms, &mut simulation.domain);
            simulation.neighbor.rebuild(atoms, domain, &simulation.reductions).unwrap();
            gpu.finish().unwrap();
        });
    });
    for (name, tally) in [("forces", false), ("forces and tallies", true)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                simulation.step_kernels.forces(&simulation.atoms, &simulation.neighbor, tally).unwrap();
                gpu.finish().unwrap();
            });
        });
    }
    group.bench_function("twenty steps", |bencher| {
        bencher.iter(|| {
            advance(&mut simulation, 20);
            gpu.finish().unwrap();
        });
    });
}

/// The layouts that a device of this kind has, by name: lists shared by 8 or 4 work-items or one with a tile on GPUs, vectors
/// of 4, 8 or 16 on CPUs.
fn layouts(gpu: &Gpu, precision: Precision) -> Vec<(String, LaunchConfig)> {
    let of = |atoms| LaunchConfig::new(gpu.info(), precision, atoms);
    if gpu.info().kind == DeviceKind::Gpu {
        return [1_000, 50_000, 1_000_000]
            .map(of)
            .map(|shape| {
                let tile = if shape.tile { "tile" } else { "plain list" };
                (format!("{tile}, {} lanes", shape.lanes), shape)
            })
            .into();
    }
    [4, 8, 16].map(|vector| (format!("vectors of {vector}"), LaunchConfig { vector, ..of(50_000) })).into()
}

fn every_layout(criterion: &mut Criterion) {
    let gpu = Gpu::open(None, TimingMode::Off).unwrap();
    let precision = if gpu.info().fp64 { Precision::Mixed } else { Precision::Single };
    let session = melt(20, 0.1);
    let mut group = criterion.benchmark_group("layouts");
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    for (name, shape) in layouts(&gpu, precision) {
        let mut simulation = simulation(&session, &gpu, precision, Some(shape));
        advance(&mut simulation, 100);
        group.throughput(Throughput::Elements(simulation.atoms.n as u64));
        group.bench_function(format!("rebuild, {name}"), |bencher| {
            bencher.iter(|| {
                let (atoms, domain) = (&mut simulation.atoms, &mut simulation.domain);
                simulation.neighbor.rebuild(atoms, domain, &simulation.reductions).unwrap();
                gpu.finish().unwrap();
            });
        });
        group.bench_function(format!("forces, {name}"), |bencher| {
            bencher.iter(|| {
                simulation.step_kernels.forces(&simulation.atoms, &simulation.neighbor, false).unwrap();
                gpu.finish().unwrap();
            });
        });
    }
}

criterion_group!(benches, stages, every_layout);
criterion_main!(benches);
