//! Radix sort and prefix sum.

use crate::common::{label, test_devices};
use crate::systems::shapes;
use clamps::base::random::ParkMiller;
use clamps::engine::kernels::{Context, HALO, LaunchConfig, Numerics};
use clamps::engine::neighbor::sort::{RadixSort, Scan};
use clamps::gpu::options::Precision;
use clamps::gpu::record::Section;
use clamps::gpu::{Arg, Buffer, Gpu};
use clamps::reference::sort::{exclusive_scan, stable_sort};

/// The sort's kernels read no floating-point number, so one precision does; the numbers are those of the
/// tests of lists, so that the programs are built once.
fn context(gpu: &Gpu, shape: LaunchConfig) -> Context {
    let precision = if gpu.info().fp64 { Precision::Mixed } else { Precision::Single };
    Context {
        gpu: gpu.clone(),
        numerics: Numerics { precision, modulus: [13.8; 3], images: [true; 3], triclinic: false },
        shape,
        types: 2,
        copies: 1,
    }
}

/// Keys below 2^bits.
fn random_keys(n: usize, bits: u32) -> Vec<u32> {
    let mut random = ParkMiller::new(12345);
    (0..n).map(|_| (random.uniform() * f64::from(bits).exp2()) as u32).collect()
}

struct Sorted {
    keys: Vec<u32>,
    payload: Vec<u32>,
}

fn device_sort(context: &Context, keys: &[u32], bits: u32) -> Sorted {
    let n = keys.len();
    let buffer = |name| context.gpu.buffer::<u32>(name, n).unwrap();
    let pair = [buffer("keys 0"), buffer("keys 1")];
    let payload = [buffer("payload 0"), buffer("payload 1")];
    pair[0].write(Section::Neigh, 0, keys).unwrap();
    let sort = RadixSort::new(context, n).unwrap();
    let at = sort.run([&pair[0], &pair[1]], [&payload[0], &payload[1]], n, bits).unwrap();
    let read = |buffers: &[Buffer<u32>; 2]| buffers[at].read(Section::Neigh, 0..n).unwrap();
    Sorted { keys: read(&pair), payload: read(&payload) }
}

fn check(context: &Context, what: &str, keys: &[u32], bits: u32) {
    let found = device_sort(context, keys, bits);
    let (sorted, order) = stable_sort(keys);
    let place = format!("{what}, {} keys, {}", keys.len(), label(context.gpu.info()));
    assert!(found.keys == sorted, "keys: {place}");
    // The payload says where each key stood: equal keys must keep their order.
    assert!(found.payload == order, "payload: {place}");
}

#[test]
fn sorts_like_a_stable_sort() {
    apart!();
    for gpu in test_devices() {
        for shape in shapes(&gpu, Precision::Mixed) {
            let context = context(&gpu, shape);
            let tile = shape.sort_local * shape.sort_items;
            for n in [0, 1, 2, tile - 1, tile, tile + 1, 3 * tile + 5, 20_011] {
                check(&context, "32 bits", &random_keys(n, 32), 32);
                check(&context, "5 bits", &random_keys(n, 5), 5);
            }
            let n = 10_007;
            let up: Vec<u32> = (0..n).collect();
            check(&context, "sorted already", &up, 14);
            check(&context, "reversed", &up.iter().rev().copied().collect::<Vec<_>>(), 14);
            check(&context, "equal", &vec![u32::MAX; n as usize], 32);
            check(&context, "two values", &up.iter().map(|k| u32::from(k % 3 == 0)).collect::<Vec<_>>(), 1);
        }
    }
}

#[test]
fn sorts_ten_million_keys() {
    apart!();
    let n = if cfg!(debug_assertions) { 100_000 } else { 10_000_000 };
    let gpu = Gpu::open(None, clamps::gpu::options::TimingMode::Off).unwrap();
    let n = if gpu.info().is_simulator { 1000 } else { n };
    let shape = LaunchConfig::new(gpu.info(), Precision::Mixed, n);
    check(&context(&gpu, shape), "many", &random_keys(n, 24), 24);
}

#[test]
fn scans_like_a_running_sum() {
    apart!();
    for gpu in test_devices() {
        for shape in shapes(&gpu, Precision::Mixed) {
            let context = context(&gpu, shape);
            let scan = Scan::new(&context).unwrap();
            let tile = shape.scan_local * shape.scan_items;
            let total = gpu.buffer::<u32>("total", 1).unwrap();
            for n in [0, 1, 2, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 5 * tile + 3, 9973] {
                // Large values: the sum passes 2^32.
                let values = random_keys(n, 30);
                let buffer = gpu.buffer::<u32>("values", n).unwrap();
                buffer.write(Section::Neigh, 0, &values).unwrap();
                total.write(Section::Neigh, 0, &[77]).unwrap();
                scan.run(Section::Neigh, &buffer, n, &total).unwrap();
                let (before, sum) = exclusive_scan(&values);
                let place = format!("{n} values, {}", label(gpu.info()));
                assert!(buffer.read(Section::Neigh, 0..n).unwrap() == before, "{place}");
                assert_eq!(total.read(Section::Neigh, 0..1).unwrap(), [sum], "{place}");
            }
        }
    }
}

#[test]
fn the_twins_know_their_trade() {
    assert_eq!(stable_sort(&[3, 1, 3, 0, 1]), (vec![0, 1, 1, 3, 3], vec![3, 1, 4, 0, 2]));
    assert_eq!(exclusive_scan(&[1, 2, 3]), (vec![0, 1, 3], 6));
    assert_eq!(exclusive_scan(&[u32::MAX, 2]), (vec![0, u32::MAX], 1));
}

/// What ranks tell one another is packed by places, and unpacked to the same (cl/comm/halo.cl).
#[test]
fn words_of_atoms_are_packed_by_their_places() {
    apart!();
    for gpu in test_devices() {
        let context = context(&gpu, LaunchConfig::new(gpu.info(), Precision::Mixed, 1000));
        let program = context.program(&[HALO]).unwrap();
        let [pack, unpack] = ["pack_places", "unpack_places"].map(|name| program.kernel(name).unwrap());
        let places: Vec<u32> = (0..500).map(|k| 7 * k % 1000).collect();
        for width in [1, 3, 4, 8] {
            let words: Vec<u32> = random_keys(1000 * width, 32);
            let buffer = |name, words: &[u32]| {
                let buffer = context.gpu.buffer::<u32>(name, words.len()).unwrap();
                buffer.write(Section::Comm, 0, words).unwrap();
                buffer
            };
            let count = places.len() * width;
            let (from, to) = (buffer("from", &words), buffer("to", &vec![0; words.len()]));
            let (at, packed) = (buffer("places", &places), buffer("packed", &vec![0; count]));
            for (kernel, words) in [(&pack, &from), (&unpack, &to)] {
                let args = [words, &at, &packed].map(Arg::from).into_iter();
                let args: Vec<_> = args.chain([width, count].map(|n| Arg::U32(n as u32))).collect();
                kernel.launch_each(Section::Comm, count, 64, &args).unwrap();
            }
            let (mut expected, mut unpacked) = (Vec::new(), vec![0; words.len()]);
            for &place in &places {
                let range = place as usize * width..(place as usize + 1) * width;
                expected.extend_from_slice(&words[range.clone()]);
                unpacked[range.clone()].copy_from_slice(&words[range]);
            }
            let read = |buffer: &Buffer<u32>| buffer.read(Section::Comm, 0..buffer.len()).unwrap();
            let what = format!("{width} words, {}", label(gpu.info()));
            assert!(read(&packed) == expected, "packed: {what}");
            assert!(read(&to) == unpacked, "unpacked: {what}");
        }
    }
}
