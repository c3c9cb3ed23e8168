//! Radix sort and prefix sum.

use crate::common::{full, label, test_devices};
use crate::systems::shapes;
use clamps::base::random::ParkMiller;
use clamps::engine::device_atoms::{Floats, status};
use clamps::engine::kernels::{Context, HALO, LaunchConfig, MIGRATION, Numerics, SLOT_RECORDS, STEP_SUMS};
use clamps::engine::neighbor::sort::{RadixSort, Scan};
use clamps::gpu::options::Precision;
use clamps::gpu::record::Section;
use clamps::gpu::{Arg, Buffer, Gpu, Program};
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
fn sorts_millions_of_keys() {
    apart!();
    let n = match () {
        () if cfg!(debug_assertions) => 100_000,
        () if full() => 10_000_000,
        () => 1_000_000,
    };
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

fn halo_program(context: &Context) -> Program {
    let defines = context.defines().set("COUNT_LOCAL", context.shape.scan_local);
    context.program_with(&[HALO], &defines).unwrap()
}

/// The places of atoms of some cells, and the rows of blocks in another order (cl/comm/halo.cl).
#[test]
fn atoms_of_cells_are_listed() {
    apart!();
    for gpu in test_devices() {
        let context = context(&gpu, LaunchConfig::new(gpu.info(), Precision::Mixed, 1000));
        let program = halo_program(&context);
        let [count, add, sum, list, pick] =
            ["count_cell_atoms", "sum_cell_parts", "sum_cell_atoms", "list_cell_atoms", "pick_blocks"]
                .map(|name| program.kernel(name).unwrap());
        let buffer = |words: &[u32]| {
            let buffer = context.gpu.buffer::<u32>("words", words.len().max(1)).unwrap();
            if !words.is_empty() {
                buffer.write(Section::Comm, 0, words).unwrap();
            }
            buffer
        };
        let read = |buffer: &Buffer<u32>| buffer.read(Section::Comm, 0..buffer.len()).unwrap();
        let local = context.shape.scan_local;
        let number = |n: usize| Arg::U32(n as u32);
        for cells in [0, 1, 3, 4, 300, 2999, 150_001] {
            // Empty ranges end before they begin, or there.
            let ranges: Vec<u32> = random_keys(2000, 10)
                .chunks_exact(2)
                .flat_map(|two| {
                    [two[0], two[0] + (two[1] % 5).max(1) - 1 - u32::from(two[0] > 0 && two[1] % 5 == 0)]
                })
                .collect();
            let range = buffer(&ranges);
            // Cells that a rank tells of, and those that it hears of.
            let counts = [cells, 2999 - cells.min(2999)];
            let chosen: Vec<u32> =
                random_keys(counts[0] + counts[1], 30).iter().map(|key| key % 1000).collect();
            let (told, heard) = chosen.split_at(cells);
            let runs = [told, heard].map(|cells| {
                let (mut begins, mut places) = (vec![0], Vec::new());
                for &cell in cells {
                    let [first, end] = [0, 1].map(|k| ranges[2 * cell as usize + k]);
                    places.extend(first..end.max(first));
                    begins.push(places.len() as u32);
                }
                (begins, places, buffer(cells), buffer(&vec![9; cells.len() + 1]))
            });
            let by_rank = |n: usize| [n / 3, n / 3, n];
            let ends = buffer(&counts.map(|n| by_rank(n).map(|end| end as u32)).concat());
            let [out, parts] = [6, 128].map(|len| buffer(&vec![9; len]));
            for (k, (_, _, at, first)) in runs.iter().enumerate() {
                let args = [&[at, &range, first].map(Arg::from)[..], &[number(counts[k])]].concat();
                count.launch_each(Section::Comm, counts[k].max(1), 64, &args).unwrap();
            }
            let [(.., told), (.., heard)] = &runs;
            let args = [&[told, heard, &parts].map(Arg::from)[..], &counts.map(number)].concat();
            add.launch(Section::Comm, 128 * local, local, &args).unwrap();
            let args = [told, heard, &parts, &ends, &out].map(Arg::from);
            let args = [&args[..], &[number(3)], &counts.map(number)].concat();
            sum.launch(Section::Comm, 128 * local, local, &args).unwrap();
            let what = format!("{cells} cells, {}", label(gpu.info()));
            let mut of_ranks = Vec::new();
            for (k, (begins, places, at, first)) in runs.iter().enumerate() {
                let listed = buffer(&vec![9; places.len().max(1)]);
                let args = [&[at, &range, first, &listed].map(Arg::from)[..], &[number(counts[k])]].concat();
                list.launch_each(Section::Comm, counts[k].max(1), 64, &args).unwrap();
                assert!(read(first) == *begins, "{what}");
                assert!(read(&listed)[..places.len()] == places[..], "{what}");
                of_ranks.extend(by_rank(counts[k]).map(|end| begins[end]));
            }
            assert_eq!(read(&out), of_ranks, "{what}");
        }
        for width in [3, 6] {
            let (rows, centers) = (random_keys(4 * 50, 32), random_keys(width * 50, 32));
            let order: Vec<u32> = (0..30).map(|k| 7 * k % 50).collect();
            let [numbers, from, middles] = [&order, &rows, &centers].map(|words| buffer(words));
            let [own, own_middles] = [4 * 30, width * 30].map(|len| buffer(&vec![0; len]));
            let sizes = [width, 30].map(|n| Arg::U32(n as u32));
            let args = [&[&numbers, &from, &middles, &own, &own_middles].map(Arg::from)[..], &sizes].concat();
            pick.launch_each(Section::Comm, 30, 64, &args).unwrap();
            let of = |words: &[u32], width: usize| -> Vec<u32> {
                order
                    .iter()
                    .flat_map(|&k| words[width * k as usize..width * (k as usize + 1)].to_vec())
                    .collect()
            };
            assert_eq!(
                (read(&own), read(&own_middles)),
                (of(&rows, 4), of(&centers, width)),
                "{width} words"
            );
        }
    }
}

/// Sums over atoms of several ranks, as if all of them were on one device (cl/comm/step_sums.cl): each learns of the parts of others, and
/// of the atoms of those that borders cut.
#[test]
fn ranks_learn_what_they_add_up() {
    apart!();
    for gpu in test_devices() {
        let context = context(&gpu, LaunchConfig::new(gpu.info(), Precision::Mixed, 1000));
        let program = context.program_with(&[STEP_SUMS], &context.defines().set("FEEDBACK_SUMS", 2)).unwrap();
        let [pack, unpack] = ["pack_sums", "unpack_sums"].map(|name| program.kernel(name).unwrap());
        let buffer = |numbers: &[f64]| {
            Floats::from_values(&context.gpu, "numbers", numbers, context.numerics.wide()).unwrap()
        };
        for (share, ends) in
            [(100, vec![0, 330, 1000]), (100, vec![0, 310, 320, 500, 1000]), (1, vec![0, 40, 1000])]
        {
            let (n, groups, count, stride) = (1000, 1000_usize.div_ceil(share), ends.len() - 1, 1024);
            let at = context.gpu.buffer::<u32>("ends", ends.len()).unwrap();
            at.write(Section::Comm, 0, &ends.iter().map(|&end: &usize| end as u32).collect::<Vec<_>>())
                .unwrap();
            let owner = |i: usize| (0..count).find(|&r| ends[r] <= i && i < ends[r + 1]).unwrap();
            // A part is of one rank, or cut.
            let owner_of = |part: usize| {
                let [first, last] = [part * share, (part * share + share).min(n) - 1].map(owner);
                (first == last).then_some(first)
            };
            let atom = |k: usize, i: usize| (1 + k * n + i) as f64;
            let part = |k: usize, g: usize| (10_000 + k * groups + g) as f64;
            let row =
                |k: usize, knows: &dyn Fn(usize) -> bool, value: &dyn Fn(usize, usize) -> f64, len: usize| {
                    (0..len).map(|i| if knows(i) { value(k, i) } else { 0.0 }).collect::<Vec<f64>>()
                };
            let ranks: Vec<[Floats; 2]> = (0..count)
                .map(|rank| {
                    let atoms = |k| row(k, &|i| i < n && owner(i) == rank, &atom, stride);
                    let parts = |k| row(k, &|g| owner_of(g) == Some(rank), &part, groups);
                    [buffer(&[atoms(0), atoms(1)].concat()), buffer(&[parts(0), parts(1)].concat())]
                })
                .collect();
            let told = buffer(&vec![0.0; 2 * (n + groups)]);
            for kernel in [&pack, &unpack] {
                for (rank, [atoms, parts]) in ranks.iter().enumerate() {
                    let number = |n: usize| Arg::U32(n as u32);
                    let first =
                        [atoms.arg(), number(stride), parts.arg(), number(groups), told.arg(), (&at).into()];
                    let args = [&first[..], &[share, groups, rank, count].map(number)].concat();
                    kernel.launch_each(Section::Comm, 2 * (n + groups), 64, &args).unwrap();
                }
            }
            for (rank, [atoms, parts]) in ranks.iter().enumerate() {
                let (atoms, parts) = (
                    atoms.read(Section::Comm, 2 * stride).unwrap(),
                    parts.read(Section::Comm, 2 * groups).unwrap(),
                );
                let what = format!("rank {rank} of {ends:?}, {}", label(gpu.info()));
                for k in 0..2 {
                    let knows = |i: usize| i < n && (owner(i) == rank || owner_of(i / share).is_none());
                    assert_eq!(atoms[k * stride..][..stride], row(k, &knows, &atom, stride), "{what}");
                    let knows = |g: usize| owner_of(g).is_some();
                    assert_eq!(parts[k * groups..][..groups], row(k, &knows, &part, groups), "{what}");
                }
            }
        }
    }
}

/// What ranks tell one another is packed by places, and unpacked to the same (cl/comm/halo.cl).
#[test]
fn words_of_atoms_are_packed_by_their_places() {
    apart!();
    for gpu in test_devices() {
        let context = context(&gpu, LaunchConfig::new(gpu.info(), Precision::Mixed, 1000));
        let program = halo_program(&context);
        let [pack, unpack] = ["pack_places", "unpack_places"].map(|name| program.kernel(name).unwrap());
        let places: Vec<u32> = (0..500).map(|k| 7 * k % 1000).collect();
        // Words of an atom in a row, rows of the buffer, and which of these are told.
        for (width, all, rows) in [(1, 1, 0..1), (3, 1, 0..1), (4, 3, 0..3), (8, 4, 1..3)] {
            let words: Vec<u32> = random_keys(1000 * width * all, 32);
            let buffer = |name, words: &[u32]| {
                let buffer = context.gpu.buffer::<u32>(name, words.len()).unwrap();
                buffer.write(Section::Comm, 0, words).unwrap();
                buffer
            };
            let each = width * rows.len();
            let count = places.len() * each;
            let (from, to) = (buffer("from", &words), buffer("to", &vec![0; words.len()]));
            let (at, packed) = (buffer("places", &places), buffer("packed", &vec![0; count + 3]));
            let told = random_keys(status::WORDS, 32);
            let state = buffer("status", &told);
            let sizes = [width, each, rows.start, 1000, count].map(|n| Arg::U32(n as u32));
            let args = [&[&from, &at, &packed, &state].map(Arg::from)[..], &sizes].concat();
            pack.launch_each(Section::Comm, count + 3, 64, &args).unwrap();
            let args = [&[&to, &at, &packed].map(Arg::from)[..], &sizes].concat();
            unpack.launch_each(Section::Comm, count, 64, &args).unwrap();
            let (mut expected, mut unpacked) = (Vec::new(), vec![0; words.len()]);
            for &place in &places {
                for row in rows.clone() {
                    let first = (1000 * row + place as usize) * width;
                    expected.extend_from_slice(&words[first..first + width]);
                    unpacked[first..first + width].copy_from_slice(&words[first..first + width]);
                }
            }
            expected.extend([status::HALT, status::APART, status::SLOTS].map(|word| told[word]));
            let read = |buffer: &Buffer<u32>| buffer.read(Section::Comm, 0..buffer.len()).unwrap();
            let what = format!("{width} words, {}", label(gpu.info()));
            assert!(read(&packed) == expected, "packed: {what}");
            assert!(read(&to) == unpacked, "unpacked: {what}");
        }
    }
}

/// Of slots those alone are told that are for atoms of the rank that is told, and come to the same atoms there (cl/comm/slots.cl).
#[test]
fn slots_come_to_the_ranks_they_are_for() {
    in_third!(2);
    apart!();
    const ATOMS: usize = 290;
    const STRIDE: usize = 300;
    const SETS: usize = 2;
    const ROOM: usize = 5;
    // The atoms of four ranks, one of which has none, and which atoms of the second each is told of.
    const OWN: [u32; 5] = [0, 100, 200, 200, 290];
    let mut random = ParkMiller::new(4711);
    let mut below = |n: usize| (random.uniform() * n as f64) as u32;
    let told: [Vec<u32>; 4] =
        [(100..180).step_by(3).collect(), Vec::new(), Vec::new(), (100..200).step_by(2).collect()];
    let places = told.concat();
    let count: Vec<u32> = (0..SETS * STRIDE).map(|_| below(ROOM + 1)).collect();
    // Neighbors in copies of the box, too.
    let place: Vec<u32> =
        (0..SETS * ROOM * STRIDE).map(|_| below(3) * STRIDE as u32 + below(ATOMS)).collect();
    for gpu in test_devices() {
        let context = context(&gpu, LaunchConfig::new(gpu.info(), Precision::Mixed, 1000));
        // SLOT_AT of cl/common/common.cl.
        let slot_at = |set: usize, s: usize, j: usize| match context.shape.clusters {
            true => (set * STRIDE + j) * ROOM + s,
            false => (set * ROOM + s) * STRIDE + j,
        };
        for (local, force_words, virial_words) in [(1, 4, 0), (16, 4, 1), (64, 8, 2)] {
            let defines = context.defines().set("COUNT_LOCAL", local);
            let defines = defines.set("FORCE_WORDS", force_words).set("VIRIAL_WORDS", virial_words);
            let program = context.program_with(&[SLOT_RECORDS], &defines).unwrap();
            let buffer = |words: &[u32]| {
                let buffer = context.gpu.buffer::<u32>("words", words.len()).unwrap();
                buffer.write(Section::Comm, 0, words).unwrap();
                buffer
            };
            let read = |buffer: &Buffer<u32>| buffer.read(Section::Comm, 0..buffer.len()).unwrap();
            let force = random_keys(force_words * SETS * ROOM * STRIDE, 32);
            let virial = random_keys((virial_words * 6 * SETS * (ROOM + 1) * STRIDE).max(1), 32);
            let virial_at = |set: usize, s: usize, m: usize, j: usize| {
                virial_words * (((set * (ROOM + 1) + s) * 6 + m) * STRIDE + j)
            };
            let (mut records, mut ends, mut end) = (Vec::new(), Vec::new(), 0);
            // What the last rank has of it.
            let [mut count_there, mut place_there] = [vec![7; count.len()], vec![0; place.len()]];
            let [mut force_there, mut virial_there] = [vec![0; force.len()], vec![0; virial.len()]];
            for (rank, places) in told.iter().enumerate() {
                for &atom in places {
                    let j = atom as usize;
                    for set in 0..SETS {
                        let is_for = |s: &usize| {
                            let other = place[slot_at(set, *s, j)] % STRIDE as u32;
                            (OWN[rank]..OWN[rank + 1]).contains(&other)
                        };
                        let slots: Vec<usize> =
                            (0..count[set * STRIDE + j] as usize).filter(is_for).collect();
                        for (number, &s) in slots.iter().enumerate() {
                            let (from, to) = (slot_at(set, s, j), slot_at(set, number, j));
                            let mut record =
                                vec![atom, (set * ROOM + number) as u32, place[from], slots.len() as u32];
                            record.extend_from_slice(&force[force_words * from..][..force_words]);
                            for m in 0..6 {
                                record.extend_from_slice(&virial[virial_at(set, s, m, j)..][..virial_words]);
                            }
                            if rank == 3 {
                                place_there[to] = record[2];
                                force_there[force_words * to..][..force_words]
                                    .copy_from_slice(&record[4..4 + force_words]);
                                for m in 0..6 {
                                    let words = &record[4 + force_words + m * virial_words..][..virial_words];
                                    virial_there[virial_at(set, number, m, j)..][..virial_words]
                                        .copy_from_slice(words);
                                }
                            }
                            records.push(record);
                        }
                        if rank == 3 {
                            count_there[set * STRIDE + j] = slots.len() as u32;
                        }
                    }
                }
                end += places.len() as u32;
                ends.push((end, records.len() as u32));
            }
            let told_ends: Vec<u32> = ends.iter().map(|(end, _)| *end).collect();
            let groups = places.len().div_ceil(local);
            let begins = buffer(&vec![0; groups]);
            let width = 4 + force_words + 6 * virial_words;
            let (packed, last) = (buffer(&vec![0; width * records.len()]), buffer(&[0; 4]));
            let inputs = [&places, &told_ends, &OWN.to_vec(), &place, &count].map(|words| buffer(words));
            let number = |n: usize| Arg::U32(n as u32);
            let mut of: Vec<Arg<'_>> = inputs.iter().map(Arg::from).collect();
            of.extend([SETS, ROOM, STRIDE, places.len()].map(number));
            let kernel = |name| program.kernel(name).unwrap();
            let args = [&of[..], &[(&begins).into()]].concat();
            kernel("count_slots").launch(Section::Comm, groups * local, local, &args).unwrap();
            Scan::new(&context).unwrap().run(Section::Comm, &begins, groups, &buffer(&[0])).unwrap();
            let (forces, virials) = (buffer(&force), buffer(&virial));
            let rest = [&begins, &forces, &virials, &packed, &last].map(Arg::from);
            let args = [&of[..], &rest, &[number(records.len())]].concat();
            kernel("pack_slots").launch(Section::Comm, groups * local, local, &args).unwrap();
            let what = format!("{local} work-items, {}", label(gpu.info()));
            assert!(read(&packed) == records.concat(), "packed: {what}");
            for (rank, end) in read(&last).into_iter().enumerate().filter(|(rank, _)| !told[*rank].is_empty())
            {
                assert_eq!(end, ends[rank].1, "{what}");
            }
            // What the last rank hears.
            let first = ends[2].1 as usize;
            let heard = buffer(&records[first..].concat());
            let there = [buffer(&vec![0; place.len()]), buffer(&vec![7; count.len()])];
            let (forces, virials) = (buffer(&vec![0; force.len()]), buffer(&vec![0; virial.len()]));
            let ghosts = buffer(&told[3]);
            let [clear, unpack] = ["clear_slots", "unpack_slots"].map(|name| program.kernel(name).unwrap());
            let args = [&ghosts, &there[1]].map(Arg::from);
            let args = [&args[..], &[SETS, STRIDE, told[3].len()].map(number)].concat();
            clear.launch_each(Section::Comm, told[3].len(), 16, &args).unwrap();
            let args = [&heard, &there[0], &there[1], &forces, &virials].map(Arg::from);
            let args = [&args[..], &[ROOM, STRIDE, records.len() - first].map(number)].concat();
            unpack.launch_each(Section::Comm, records.len() - first, 16, &args).unwrap();
            assert!(read(&there[0]) == place_there && read(&there[1]) == count_there, "places: {what}");
            assert!(read(&forces) == force_there && read(&virials) == virial_there, "forces: {what}");
        }
    }
}

/// Atoms in cells of other ranks are found, and come to other places with all that there is of them (cl/comm/migration.cl).
#[test]
fn atoms_that_leave_come_with_all_their_words() {
    apart!();
    const ATOMS: usize = 700;
    const CELLS: usize = 90;
    const GONE: u32 = u32::MAX;
    for gpu in test_devices() {
        let context = context(&gpu, LaunchConfig::new(gpu.info(), Precision::Mixed, 1000));
        let program = context.program(&[MIGRATION]).unwrap();
        let [find, pack, unpack] =
            ["find_leavers", "pack_atoms", "unpack_atoms"].map(|name| program.kernel(name).unwrap());
        let buffer = |words: &[u32]| {
            let buffer = context.gpu.buffer::<u32>("words", words.len()).unwrap();
            buffer.write(Section::Comm, 0, words).unwrap();
            buffer
        };
        let read = |buffer: &Buffer<u32>| buffer.read(Section::Comm, 0..buffer.len()).unwrap();
        let number = |n: usize| Arg::U32(n as u32);
        for (v_words, unkicked_words) in [(3, 0), (6, 3)] {
            let widths = [6, v_words, 2, 1, 1, 1, 1, unkicked_words];
            let mut columns: Vec<Vec<u32>> =
                widths.iter().map(|width| random_keys((ATOMS * width).max(1), 32)).collect();
            // Own atoms are from 100 on, own cells the places 30 to 60 of the curve, which here goes back.
            let (own, here) = (100..500, 30..60);
            columns[6].iter_mut().for_each(|cell| *cell %= CELLS as u32);
            let cells = columns[6].clone();
            let rank: Vec<u32> = (0..CELLS as u32).rev().collect();
            let mut counted = vec![0; CELLS + 1];
            own.clone().for_each(|i| counted[rank[cells[i] as usize] as usize] += 1);
            let all: Vec<Buffer<u32>> = columns.iter().map(|column| buffer(column)).collect();
            let (cell_rank, counts, leavers) = (buffer(&rank), buffer(&counted), buffer(&[0; 2 + 2 * ATOMS]));
            let mut state = vec![0; status::WORDS];
            state[status::HALT] = status::NEVER;
            let state = buffer(&state);
            let first = [&all[6], &cell_rank, &counts, &leavers, &state].map(Arg::from);
            let rest = [0, CELLS, here.start, here.end, own.start, own.len()].map(number);
            find.launch_each(Section::Comm, own.len(), 64, &[&first[..], &rest].concat()).unwrap();
            let found = read(&leavers);
            let mut pairs: Vec<(u32, u32)> =
                found[2..2 + 2 * found[0] as usize].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            pairs.sort_unstable();
            let place = |i: usize| rank[cells[i] as usize] as usize;
            let wanted: Vec<(u32, u32)> = own
                .clone()
                .filter(|&i| !here.contains(&place(i)))
                .map(|i| (i as u32, place(i) as u32))
                .collect();
            assert_eq!(pairs, wanted);
            assert!(wanted.len() > 100);
            counted.iter_mut().enumerate().for_each(|(k, count)| *count *= u32::from(here.contains(&k)));
            assert_eq!(read(&counts), counted);

            // Half of them go, and come to places that begin anew behind the last.
            let record: usize = widths.iter().sum();
            let go: Vec<u32> = wanted.iter().map(|pair| pair.0).collect();
            let (skipped, sent) = (go.len() / 2, go.len() - go.len() / 2);
            let (places, records) = (buffer(&go), buffer(&vec![0; record * sent]));
            let columns_of: Vec<Arg<'_>> = all.iter().map(Arg::from).collect();
            let rest = [v_words, unkicked_words, skipped, sent].map(number);
            let args = [&columns_of[..], &[Arg::from(&places), Arg::from(&records)], &rest].concat();
            pack.launch_each(Section::Comm, sent, 64, &args).unwrap();
            let slots = buffer(&[0; ATOMS]);
            let first = [&records, &cell_rank, &counts, &slots].map(Arg::from);
            let to = ATOMS - 20;
            let rest = [v_words, unkicked_words, to, ATOMS, sent].map(number);
            let args = [&columns_of[..], &first, &rest].concat();
            unpack.launch_each(Section::Comm, sent, 64, &args).unwrap();
            for (k, (column, width)) in columns.iter_mut().zip(widths).enumerate() {
                let before = column.clone();
                for (n, &i) in go[skipped..].iter().enumerate() {
                    let (i, there) = (i as usize, (to + n) % ATOMS);
                    column[there * width..(there + 1) * width]
                        .copy_from_slice(&before[i * width..(i + 1) * width]);
                    if k == 6 && there != i {
                        column[i] = GONE;
                    }
                }
            }
            // Those that come stand where others have gone from: what stands there now is what has come.
            for (n, &i) in go[skipped..].iter().enumerate() {
                let there = (to + n) % ATOMS;
                columns[6][there] = cells[i as usize];
                counted[place(i as usize)] += 1;
            }
            for (column, buffer) in columns.iter().zip(&all) {
                assert!(read(buffer) == *column, "{}", label(gpu.info()));
            }
            assert_eq!(read(&counts), counted);
            // Numbers within a cell are all there, each once.
            let slot = read(&slots);
            let mut taken: Vec<(u32, u32)> =
                (0..sent).map(|n| (cells[go[skipped + n] as usize], slot[(to + n) % ATOMS])).collect();
            taken.sort_unstable();
            taken.dedup();
            assert_eq!(taken.len(), sent);
        }
    }
}
