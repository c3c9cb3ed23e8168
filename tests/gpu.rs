//! The device layer on every device of this machine.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use clamps::gpu::options::TimingMode;
use clamps::gpu::record::{KernelRecord, Section};
use clamps::gpu::{Arg, Defines, Gpu, devices, devices_list, devices_table};
use sha2::{Digest, Sha256};

use common::{cheap_build, full, label, test_devices, test_devices_with};

const SAXPY: &str = "__kernel void saxpy(float a, __global const float *x, __global float *y, uint n)
{
    const size_t i = get_global_id(0);
    if (i < n) y[i] += a * x[i] + SHIFT;
}
";

fn record<'a>(records: &'a [KernelRecord], name: &str) -> &'a KernelRecord {
    records.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("{name} in {records:?}"))
}

#[test]
fn elements_come_back_as_they_were_written() {
    for gpu in test_devices() {
        for len in [1, 3, 1000, 100_003] {
            let buffer = gpu.buffer::<u64>("numbers", len).unwrap();
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.read(Section::Comm, 0..len).unwrap(), vec![0; len], "zeroed at first");
            let numbers: Vec<u64> = (0..len as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
            buffer.write(Section::Comm, 0, &numbers).unwrap();
            assert_eq!(buffer.read(Section::Comm, 0..len).unwrap(), numbers);
            let part = len / 3..len / 3 + len / 2;
            assert_eq!(buffer.read(Section::Comm, part.clone()).unwrap(), numbers[part]);
        }
    }
}

#[test]
fn writes_in_a_row_do_not_overtake_each_other() {
    for gpu in test_devices() {
        let buffers: Vec<_> = (0..8).map(|_| gpu.buffer::<u32>("row", 50_000).unwrap()).collect();
        for (i, buffer) in buffers.iter().enumerate() {
            buffer.fill(Section::Comm, 0..50_000, |slice| slice.fill(i as u32 + 1)).unwrap();
        }
        for (i, buffer) in buffers.iter().enumerate() {
            let all_there = |slice: &[u32]| slice.iter().all(|&x| x == i as u32 + 1);
            assert!(buffer.view(Section::Comm, 0..50_000, all_there).unwrap(), "{}", label(gpu.info()));
        }
    }
}

#[test]
fn transfers_beyond_the_pinned_limit_work() {
    const LEN: usize = (260 << 20) / 8;
    for gpu in test_devices() {
        if gpu.info().max_alloc < (LEN * 8) as u64 || gpu.zero_copy() {
            continue;
        }
        let buffer = gpu.buffer::<u64>("large", LEN).unwrap();
        let fill = |slice: &mut [u64]| slice.iter_mut().zip(7..).for_each(|(x, i)| *x = i);
        buffer.fill(Section::Comm, 0..LEN, fill).unwrap();
        let same = |slice: &[u64]| slice.iter().zip(7..).all(|(x, i)| *x == i);
        assert!(buffer.view(Section::Comm, 0..LEN, same).unwrap());
    }
}

#[test]
fn clear_touches_its_range_only() {
    for gpu in test_devices() {
        let buffer = gpu.buffer::<[u8; 3]>("triples", 100).unwrap();
        buffer.write(Section::Neigh, 0, &[[1, 2, 3]; 100]).unwrap();
        buffer.clear(Section::Neigh, 11..97).unwrap();
        let expected: Vec<[u8; 3]> =
            (0..100).map(|i| if (11..97).contains(&i) { [0; 3] } else { [1, 2, 3] }).collect();
        assert_eq!(buffer.read(Section::Neigh, 0..100).unwrap(), expected, "{}", label(gpu.info()));
    }
}

#[test]
fn copies_stay_on_the_device() {
    for gpu in test_devices() {
        let from = gpu.buffer::<i32>("from", 10).unwrap();
        let to = gpu.buffer::<i32>("to", 6).unwrap();
        from.write(Section::Comm, 0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).unwrap();
        gpu.take_records().unwrap();
        to.copy_from(Section::Comm, &from, 3..7, 1).unwrap();
        let records = gpu.take_records().unwrap();
        assert_eq!((records.len(), record(&records, "copy").bytes), (1, 0));
        assert_eq!(to.read(Section::Comm, 0..6).unwrap(), [0, 3, 4, 5, 6, 0]);
    }
}

#[test]
fn ranges_outside_a_buffer_are_errors() {
    for gpu in test_devices() {
        let buffer = gpu.buffer::<f32>("short", 4).unwrap();
        for message in [
            buffer.read(Section::Pair, 2..5).unwrap_err().to_string(),
            buffer.write(Section::Pair, usize::MAX, &[1.0]).unwrap_err().to_string(),
            buffer.clear(Section::Pair, 0..9).unwrap_err().to_string(),
            buffer.copy_from(Section::Pair, &buffer, 0..3, 2).unwrap_err().to_string(),
        ] {
            assert!(message.contains("outside buffer `short` of 4 elements"), "{message}");
        }
        assert!(buffer.copy_from(Section::Pair, &buffer, 0..2, 1).is_err(), "ranges overlap");
    }
}

#[test]
fn empty_buffers_and_launches_are_fine() {
    for gpu in test_devices() {
        let empty = gpu.buffer::<f64>("empty", 0).unwrap();
        assert!(empty.is_empty());
        assert_eq!(empty.read(Section::Pair, 0..0).unwrap(), [0.0; 0]);
        empty.write(Section::Pair, 0, &[]).unwrap();
        empty.clear(Section::Pair, 0..0).unwrap();
        let program = gpu.program(&[("x.cl", "__kernel void none(void) {}")], &Defines::new(), "").unwrap();
        program.kernel("none").unwrap().launch(Section::Pair, 0, 64, &[]).unwrap();
        assert_eq!(gpu.take_records().unwrap(), []);
    }
}

#[test]
fn a_kernel_runs_and_its_arguments_change() {
    for gpu in test_devices() {
        let defines = Defines::new().set_f32("SHIFT", -0.1);
        let kernel = gpu.program(&[("saxpy.cl", SAXPY)], &defines, "").unwrap().kernel("saxpy").unwrap();
        assert_eq!(kernel.name(), "saxpy");
        let x = gpu.buffer::<f32>("x", 1000).unwrap();
        x.fill(Section::Pair, 0..1000, |x| x.iter_mut().zip(0_u16..).for_each(|(x, i)| *x = i.into()))
            .unwrap();
        // A new `y` each time: a handle that comes back must not be taken for the old buffer.
        for a in [2.0_f32, 3.0] {
            let y = gpu.buffer::<f32>("y", 1000).unwrap();
            kernel
                .launch(Section::Pair, 999, 32, &[a.into(), (&x).into(), (&y).into(), 999_u32.into()])
                .unwrap();
            let y = y.read(Section::Pair, 0..1000).unwrap();
            for (i, y) in (0_u16..).zip(&y) {
                let expected = if i < 999 { a * f32::from(i) - 0.1 } else { 0.0 };
                assert!((y - expected).abs() <= 1e-6 * expected.abs() + 1e-6, "{i}: {y} and {expected}");
            }
        }
    }
}

#[test]
fn vectors_and_wide_integers_are_passed_whole() {
    const SOURCE: &str = "__kernel void store(int4 i, float4 f, long l, ulong u, __global float *out)
{
    const long sum = i.x + 10 * i.y + 100 * i.z + 1000 * i.w;
    out[0] = sum; out[1] = f.x; out[2] = f.w; out[3] = (float)(l + 1); out[4] = (u >> 63);
}
";
    for gpu in test_devices() {
        let kernel =
            gpu.program(&[("store.cl", SOURCE)], &Defines::new(), "").unwrap().kernel("store").unwrap();
        let out = gpu.buffer::<f32>("out", 5).unwrap();
        let args = [
            [1, 2, 3, 4].into(),
            [0.5_f32, 0.0, 0.0, 0.25].into(),
            (-(1_i64 << 40)).into(),
            u64::MAX.into(),
            (&out).into(),
        ];
        kernel.launch(Section::Pair, 1, 1, &args).unwrap();
        let expected = [4321.0, 0.5, 0.25, -((1_i64 << 40) as f32), 1.0];
        assert_eq!(out.read(Section::Pair, 0..5).unwrap(), expected, "{}", label(gpu.info()));
    }
}

#[test]
fn local_memory_is_an_argument() {
    const SOURCE: &str = "__kernel void reverse(__global int *x, __local int *tile)
{
    const size_t i = get_local_id(0), n = get_local_size(0);
    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = tile[n - 1 - i];
}
";
    for gpu in test_devices() {
        let program = gpu.program(&[("reverse.cl", SOURCE)], &Defines::new(), "").unwrap();
        let kernel = program.kernel("reverse").unwrap();
        let x = gpu.buffer::<i32>("x", 64).unwrap();
        for local in [8_usize, 32] {
            let numbers: Vec<i32> = (0..64).collect();
            x.write(Section::Neigh, 0, &numbers).unwrap();
            kernel.launch(Section::Neigh, 64, local, &[(&x).into(), Arg::Local(4 * local)]).unwrap();
            let expected: Vec<i32> = numbers.chunks(local).flat_map(|c| c.iter().rev().copied()).collect();
            assert_eq!(x.read(Section::Neigh, 0..64).unwrap(), expected);
        }
    }
}

#[test]
fn wrong_launches_are_errors() {
    for gpu in test_devices() {
        let program = gpu.program(&[("saxpy.cl", SAXPY)], &Defines::new().set("SHIFT", 0), "").unwrap();
        assert!(program.kernel("daxpy").err().unwrap().to_string().contains("`daxpy`"));
        let kernel = program.kernel("saxpy").unwrap();
        let x = gpu.buffer::<f32>("x", 8).unwrap();
        let args = [1.0_f32.into(), (&x).into(), (&x).into(), 8_u32.into()];
        let few = kernel.launch(Section::Pair, 8, 8, &args[1..]).unwrap_err();
        assert!(few.to_string().contains("takes 4 arguments, 3 were given"), "{few}");
        let wide = kernel.launch(Section::Pair, 8, 1 << 20, &args).unwrap_err();
        assert!(wide.to_string().contains("groups of 1048576"), "{wide}");
        let size =
            kernel.launch(Section::Pair, 8, 8, &[1.0_f64.into(), args[1], args[2], args[3]]).unwrap_err();
        assert!(size.to_string().contains("argument 0 of kernel `saxpy`"), "{size}");
        kernel.launch(Section::Pair, 8, 8, &args).unwrap();
        let lent = x.view(Section::Pair, 0..8, |_| kernel.launch(Section::Pair, 8, 8, &args)).unwrap();
        assert!(lent.unwrap_err().to_string().contains("while the host looks"));
        assert!(x.fill(Section::Pair, 0..8, |_| assert!(x.read(Section::Pair, 0..1).is_err())).is_ok());
    }
}

#[test]
fn a_build_error_names_file_and_line() {
    in_third!(1);
    const BROKEN: &str = "__kernel void broken(__global float *x)\n{\n    x[0] = undeclared_name;\n}\n";
    for gpu in test_devices() {
        let files = [("common.cl", "// fine\n"), ("pair/broken.cl", BROKEN)];
        let err = gpu.program(&files, &Defines::new().set("A", 1).set("B", 2), "").err().unwrap().to_string();
        // Oclgrind's compiler takes no notice of #line.
        let named = err.contains("cl/pair/broken.cl:3") || gpu.info().is_simulator;
        assert!(named, "{}: {err}", label(gpu.info()));
        assert!(err.contains("undeclared_name"), "{err}");
    }
}

/// On PoCL programs come with declarations of the built-in functions that cl/ uses; one that uses others is built with the compiler's.
#[test]
fn other_built_in_functions_are_found() {
    in_third!(1);
    const SOURCE: &str = "__kernel void far(__global float *x) { x[0] = hypot(x[1], x[2]); }";
    for gpu in test_devices() {
        let kernel = gpu.program(&[("far.cl", SOURCE)], &Defines::new(), "").unwrap().kernel("far").unwrap();
        let x = gpu.buffer::<f32>("x", 3).unwrap();
        x.write(Section::Pair, 0, &[0.0, 3.0, 4.0]).unwrap();
        kernel.launch(Section::Pair, 1, 1, &[(&x).into()]).unwrap();
        assert!((x.read(Section::Pair, 0..1).unwrap()[0] - 5.0).abs() < 1e-5);
    }
}

/// What a script prints and dumps has the same bits however kernels are built (CLAMPS_BUILD).
fn same_bits(builds: [&str; 2], precisions: &[&str], script: &str, rows: usize) {
    for precision in precisions {
        let [one, other] = builds.map(|build| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("in"), script).unwrap();
            let output = assert_cmd::Command::cargo_bin("clamps")
                .unwrap()
                .current_dir(folder.path())
                .env("CLAMPS_BUILD", build)
                .env("LAMMPS_POTENTIALS", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lammps"))
                .args(["-in", "in", "-log", "none", "-precision", precision])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let words = String::from_utf8(output.stdout).unwrap();
            let table = words.lines().skip_while(|line| !line.trim_start().starts_with("Step"));
            let table: Vec<String> =
                table.take_while(|line| !line.starts_with("Loop time")).map(str::to_owned).collect();
            assert_eq!(table.len(), rows + 1, "{words}");
            (table, std::fs::read_to_string(folder.path().join("dump")).unwrap())
        });
        assert_eq!(one.0, other.0);
        assert!(one.1 == other.1, "{precision}");
    }
}

/// These declarations (src/gpu/builtins.rs) change no bit. That every kernel file builds with them the tests in tests/kernels see, which
/// forbid the compiler's.
#[test]
fn own_declarations_give_the_same_bits() {
    in_third!(2);
    const SCRIPT: &str = "lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
fix 1 all nve
fix 2 all langevin 1.0 1.0 0.5 4711
thermo 10
dump 1 all custom 60 dump id x y z vx vy vz fx fy fz
dump_modify 1 sort id format float %.17g
run 60
";
    same_bits(["own", "header"], &["mixed", "double"][..if full() { 2 } else { 1 }], SCRIPT, 7);
}

/// Instructions of a vendor's processors (cl/force/append.cl) change no bit, where a first pass finds neighbours for the last one, and
/// where they wait for each other.
#[test]
fn instructions_of_processors_give_the_same_bits() {
    in_third!(1);
    const SCRIPT: &str = "units metal
lattice fcc 3.6
region box block 0 4 0 4 0 4
create_box 2 box
create_atoms 1 box
mass 1 63.55
mass 2 107.9
set type 1 type/fraction 2 0.3 92731
velocity all create 600.0 376847 loop geom
neighbor 1.0 bin
timestep 0.002
thermo 10
thermo_modify norm no
dump 1 all custom 20 dump id x y z vx vy vz fx fy fz
dump_modify 1 sort id format float %.17g
fix 1 all nve
pair_style PAIRS
run 20
";
    for (pairs, build) in [
        ("eam/alloy\npair_coeff * * eam_alloy.part Aa Bb", "own"),
        (
            "hybrid/overlay eam/alloy lj/cut 4.0\npair_coeff * * eam/alloy eam_alloy.part Aa Bb\npair_coeff 1 2 lj/cut 0.01 2.3",
            &*cheap_build(),
        ),
    ] {
        same_bits([build, &format!("{build},portable")], &["mixed"], &SCRIPT.replace("PAIRS", pairs), 3);
    }
}

#[test]
fn printed_constants_read_back_bit_for_bit() {
    let floats = [0.1_f32, -1.0 / 3.0, 1e-38, f32::MAX, 16_777_216.0, -0.0, f32::MIN_POSITIVE];
    let doubles = [0.1_f64, -1.0 / 3.0, 1e-300, f64::MAX, 1e22, -0.0];
    for gpu in test_devices() {
        let mut defines = Defines::new();
        let mut body = String::new();
        for (i, x) in floats.iter().enumerate() {
            defines = defines.set_f32(&format!("F{i}"), *x);
            body += &format!("f[{i}] = as_uint(F{i});\n");
        }
        let double = gpu.info().fp64;
        for (i, x) in doubles.iter().enumerate().filter(|_| double) {
            defines = defines.set_f64(&format!("D{i}"), *x);
            body += &format!("d[{i}] = as_ulong(D{i});\n");
        }
        let source = format!("__kernel void bits(__global uint *f, __global ulong *d) {{ {body} }}");
        let kernel = gpu.program(&[("bits.cl", &source)], &defines, "").unwrap().kernel("bits").unwrap();
        let f = gpu.buffer::<f32>("f", floats.len()).unwrap();
        let d = gpu.buffer::<f64>("d", doubles.len()).unwrap();
        kernel.launch(Section::Pair, 1, 1, &[(&f).into(), (&d).into()]).unwrap();
        let bits: Vec<u32> =
            f.read(Section::Pair, 0..floats.len()).unwrap().iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, floats.map(f32::to_bits), "{}", label(gpu.info()));
        if double {
            let d = d.read(Section::Pair, 0..doubles.len()).unwrap();
            let bits: Vec<u64> = d.iter().map(|x| x.to_bits()).collect();
            assert_eq!(bits, doubles.map(f64::to_bits), "{}", label(gpu.info()));
        }
    }
}

#[test]
fn memory_errors_give_both_figures() {
    for gpu in test_devices() {
        let info = gpu.info();
        let largest = format!("{:.2}", info.max_alloc as f64 / (1_u64 << 30) as f64);
        let error = gpu.buffer::<u8>("huge", info.max_alloc as usize + (1 << 30)).err().unwrap().to_string();
        assert!(error.contains("buffer `huge`") && error.contains("largest single allocation"), "{error}");
        let wanted = format!("{:.2} GiB", info.max_alloc as f64 / (1_u64 << 30) as f64 + 1.0);
        assert!(error.contains(&wanted), "{error} should name {wanted}");
        let sized = if info.max_alloc >= 1 << 30 { largest + " GiB" } else { " MiB".to_owned() };
        assert!(error.contains(&sized), "{error} should name {sized}");

        // Tests beside this one have buffers, too.
        gpu.require_memory(info.memory / 2, "half of it").unwrap();
        let error = gpu.require_memory(info.memory + (2 << 40), "the list").unwrap_err().to_string();
        assert!(error.starts_with("the list needs 2.") && error.contains(" free of "), "{error}");
    }
}

#[test]
fn live_buffers_are_tracked() {
    for gpu in test_devices() {
        assert_eq!(gpu.allocated(), 0);
        let a = gpu.buffer::<f64>("a", 1000).unwrap();
        let b = gpu.buffer::<f32>("b", 100).unwrap();
        assert_eq!(gpu.allocated(), 8400);
        drop(a);
        assert_eq!((gpu.allocated(), gpu.peak_allocated()), (400, 8400));
        assert!(gpu.require_memory(gpu.info().memory, "too much now").is_err());
        drop(b);
        assert_eq!(gpu.allocated(), 0);
    }
}

#[test]
fn records_count_calls_times_and_bytes() {
    for gpu in test_devices() {
        let program = gpu.program(&[("saxpy.cl", SAXPY)], &Defines::new().set("SHIFT", 0), "").unwrap();
        let kernel = program.kernel("saxpy").unwrap();
        let x = gpu.buffer::<f32>("x", 4096).unwrap();
        let args = [1.0_f32.into(), (&x).into(), (&x).into(), 4096_u32.into()];
        // More than are kept pending, so that some are folded on the way.
        for _ in 0..2500 {
            kernel.launch(Section::Pair, 64, 64, &args).unwrap();
        }
        kernel.launch(Section::Modify, 64, 64, &args).unwrap();
        x.clear(Section::Neigh, 0..4096).unwrap();
        x.read(Section::Output, 0..4096).unwrap();
        let records = gpu.take_records().unwrap();
        let first = &records[0];
        assert_eq!(
            (first.name.as_str(), first.section, first.calls, first.sampled),
            ("saxpy", Section::Pair, 2500, 2500)
        );
        assert!(first.sampled_seconds > 0.0 && first.sampled_seconds < 60.0, "{first:?}");
        assert!((first.seconds - first.sampled_seconds).abs() <= 1e-12 * first.seconds);
        assert_eq!((records[1].section, records[1].calls), (Section::Modify, 1));
        assert_eq!(records[2].name, "clear");
        let copied: u64 = records.iter().map(|r| r.bytes).sum();
        if gpu.zero_copy() {
            assert_eq!((record(&records, "map").calls, record(&records, "unmap").calls, copied), (1, 1, 0));
        } else {
            assert_eq!((record(&records, "read").calls, copied), (1, 4 * 4096));
        }
        assert_eq!(gpu.take_records().unwrap(), [], "taken once");
    }
}

#[test]
fn sampling_times_the_first_and_what_it_is_told_to() {
    for (timing, sampled) in [(TimingMode::Off, 0), (TimingMode::Sampled, 3), (TimingMode::Full, 10)] {
        for gpu in test_devices_with(timing) {
            let x = gpu.buffer::<f32>("x", 1 << 16).unwrap();
            for i in 0..10 {
                gpu.sample(i == 3 || i == 7);
                x.clear(Section::Modify, 0..1 << 16).unwrap();
            }
            let records = gpu.take_records().unwrap();
            let clear = record(&records, "clear");
            assert_eq!((clear.calls, clear.sampled), (10, sampled), "{timing:?} {}", label(gpu.info()));
            if sampled == 3 {
                // The first of all does not count, as there are others.
                assert!((clear.seconds - 10.0 / 3.0 * clear.sampled_seconds).abs() <= 1e-12);
            }
        }
    }
}

#[test]
fn unified_memory_is_mapped_in_place() {
    for gpu in test_devices() {
        let report = gpu.zero_copy_report();
        assert_eq!(report.contains("zero-copy"), gpu.info().unified, "{report}");
        let defines = Defines::new().set("SHIFT", 0);
        let kernel = gpu.program(&[("saxpy.cl", SAXPY)], &defines, "").unwrap().kernel("saxpy").unwrap();
        let x = gpu.buffer::<f32>("x", 5000).unwrap();
        assert_eq!(x.host_address(), None);
        let mut addresses = Vec::new();
        for offset in [0_u16, 1000, 17] {
            x.fill(Section::Comm, usize::from(offset)..5000, |x| x.fill(1.0)).unwrap();
            kernel
                .launch(Section::Pair, 5000, 8, &[1.0_f32.into(), (&x).into(), (&x).into(), 5000_u32.into()])
                .unwrap();
            let seen = x.view(Section::Comm, offset.into()..5000, |x| (x[0], x.as_ptr() as usize)).unwrap();
            assert_eq!(seen.0, 2.0);
            addresses.push(x.host_address());
            if gpu.zero_copy() {
                let expected = x.host_address().map(|first| first + 4 * usize::from(offset));
                assert_eq!(Some(seen.1), expected);
            }
        }
        assert_eq!(addresses[0].is_some(), gpu.zero_copy());
        assert!(addresses.iter().all(|address| *address == addresses[0]), "{addresses:x?}");
        let records = gpu.take_records().unwrap();
        let copied: u64 = records.iter().map(|r| r.bytes).sum();
        assert_eq!(copied == 0, gpu.zero_copy(), "{records:?}");
    }
}

#[test]
fn selectors_find_devices() {
    let all = devices().unwrap();
    let open = |selector: &str| Gpu::open(Some(selector), TimingMode::Off);
    for (index, info) in all.iter().enumerate() {
        let by_index = open(&index.to_string()).unwrap();
        assert_eq!((&by_index.info().name, &by_index.info().platform), (&info.name, &info.platform));
        let upper = info.platform.to_uppercase();
        assert_eq!(open(&upper).unwrap().info().platform, info.platform);
        assert_eq!(open(&format!("{upper}:0")).unwrap().info().platform, info.platform);
    }
    assert_eq!(open("0:0").unwrap().info().platform, all[0].platform);
    for bad in ["no such device", "99", "0:99", "99:0"] {
        let error = open(bad).err().unwrap();
        assert!(error.message.contains(bad), "{error}");
        assert!(error.help.unwrap().contains(&all[0].name), "the help lists the devices");
    }
}

#[test]
fn the_table_lists_every_device() {
    let table = devices_table(&devices_list(true).unwrap());
    let all = devices().unwrap();
    assert_eq!(table.lines().count(), all.len() + 1, "{table}");
    assert_eq!(table.lines().filter(|line| line.starts_with('*')).count(), 1, "{table}");
    for (line, info) in table.lines().skip(1).zip(&all) {
        assert!(line.contains(&info.name), "{table}");
        let rate: f64 = line.split_whitespace().last().unwrap().parse().expect("GB/s in the last column");
        assert!((rate > 0.0 || info.is_simulator) && rate < 1e5, "{table}");
    }
}

/// Tests that need an environment of their own run the one test below in a child.
fn child(test: &str, variables: &[(&str, &Path)]) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success() && text.contains("1 passed"), text.into_owned())
}

#[test]
#[ignore = "run by `programs_are_cached` in a child process"]
fn child_builds_and_runs() {
    for gpu in test_devices() {
        let defines = Defines::new().set("SHIFT", 1);
        let kernel = gpu.program(&[("saxpy.cl", SAXPY)], &defines, "").unwrap().kernel("saxpy").unwrap();
        let x = gpu.buffer::<f32>("x", 8).unwrap();
        kernel
            .launch(Section::Pair, 8, 8, &[1.0_f32.into(), (&x).into(), (&x).into(), 8_u32.into()])
            .unwrap();
        assert_eq!(x.read(Section::Pair, 0..8).unwrap(), [1.0; 8]);
    }
}

#[test]
fn programs_are_cached_and_damage_is_harmless() {
    in_third!(3);
    let folder = tempfile::tempdir().unwrap();
    // PoCL's programs are with its kernels.
    let variables = [("CLAMPS_CACHE_DIR", folder.path()), ("POCL_CACHE_DIR", folder.path())];
    let run = || {
        let (passed, text) = child("child_builds_and_runs", &variables);
        assert!(passed, "{text}");
        let folders = [folder.path().to_owned(), folder.path().join("clamps")];
        let mut files: Vec<PathBuf> = folders
            .iter()
            .filter_map(|folder| folder.read_dir().ok())
            .flat_map(|entries| entries.map(|entry| entry.unwrap().path()))
            .collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "bin"));
        files.sort();
        files
    };
    let contents = |files: &[PathBuf]| -> Vec<(SystemTime, Vec<u8>)> {
        let content =
            |file: &PathBuf| (file.metadata().unwrap().modified().unwrap(), std::fs::read(file).unwrap());
        files.iter().map(content).collect()
    };
    let files = run();
    assert_eq!(files.len(), devices().unwrap().len(), "one per device");
    let first = contents(&files);
    assert_eq!(run(), files);
    assert!(contents(&files) == first, "a hit builds nothing and stores nothing");

    let whole = &first[0].1;
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0xFF;
    // Whole by its checksum, but nothing that a runtime takes.
    let nonsense = [Sha256::digest(b"nonsense").as_slice(), b"nonsense"].concat();
    for damaged in [&flipped[..], &whole[..40], b"", &nonsense] {
        for file in &files {
            std::fs::write(file, damaged).unwrap();
        }
        assert_eq!(run(), files);
        for (_, bytes) in contents(&files) {
            assert!(
                bytes != damaged && Sha256::digest(&bytes[32..]).as_slice() == &bytes[..32],
                "stored anew"
            );
        }
    }

    let off = [variables[0], variables[1], ("CLAMPS_CACHE", Path::new("off"))];
    files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    let (passed, text) = child("child_builds_and_runs", &off);
    assert!(passed && files.iter().all(|file| !file.exists()), "{text}");
}

#[test]
#[ignore = "run by `no_platform_is_an_error` in a child process"]
fn child_without_platform() {
    let error = Gpu::open(None, TimingMode::Off).err().expect("there is no platform");
    assert!(error.message.contains("no OpenCL platform"), "{error}");
    assert!(error.help.unwrap().contains("pocl-opencl-icd"));
}

#[test]
fn no_platform_is_an_error() {
    // Oclgrind is preloaded, and does not ask the loader.
    if devices().unwrap().iter().any(|info| info.is_simulator) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (passed, text) = child("child_without_platform", &[("OCL_ICD_VENDORS", folder.path())]);
    assert!(passed, "{text}");
}
