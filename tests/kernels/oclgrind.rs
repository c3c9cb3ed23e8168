//! Every kernel once under Oclgrind with CLAMPS_TESTS=full, else every third of the ways in which they are launched (minutes of
//! processor time, as the tool interprets them). It reports invalid accesses, data races and uninitialised values.
//! Without optimisation: then every access of the source is there to be looked at, and the traps of the tool
//! are few. docs/notes/oclgrind.md says which constructs it reads wrongly; no report of it is let pass here.

use crate::common::full;
use crate::systems::{advance, bond_neighbours, cpu_shape, empty, gpu_shape, run, scatter, simulation};
use clamps::engine::analysis::group_sums::SumTerm;
use clamps::engine::analysis::per_atom::Given;
use clamps::engine::device_atoms::Floats;
use clamps::engine::kernels::{COMMON, DROPLET, LaunchConfig, PEAK_RATES};
use clamps::engine::simulation::{Ending, Simulation};
use clamps::gpu::options::{Precision, TimingMode};
use clamps::gpu::record::Section;
use clamps::gpu::{Arg, Defines, DeviceInfo, DeviceKind, Gpu};
use clamps::model::domain::{Domain, Flow};
use clamps::run::fixes::FixRunner;
use clamps::run::minimize::vectors::{Damped, Vectors};
use clamps::script::atom_expr;
use clamps::script::atom_expr::AtomProperty;
use clamps::studies::allpairs::{self, Cutoff, Recipe, System};
use clamps::studies::droplet::{self, generate};
use clamps::studies::force::device::Stage;
use clamps::studies::force::device_positions;
use clamps::studies::force::host::{Real, reference};
use clamps::studies::force::liquid::{List, positions};
use clamps::studies::force::variant::{Atomics, Reduction, Variant};
use clamps::studies::kdv::problem::Problem;
use clamps::studies::kdv::solver::{Layout, Solver};
use clamps::studies::tiles::Tiling;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Every kernel of cl/, by the text of its files. Some have several names.
fn kernels() -> BTreeSet<String> {
    use clamps::engine::kernels::{
        ALLPAIRS, BOND_MAP, BUILD, BUILD_CLUSTER, BUILD_LONG, CELLS, COUPLING, DROPLET, FIX_SUMS,
        FORCE_LANES, FORCE_SCATTER, FORCE_VECTOR, GROUP_SUMS, KDV, LONG_PAIRS, MINIMIZE, PEAK_RATES,
        PER_ATOM, REDUCE, SORT, STAGE_INPUTS, STEP, TILES,
    };
    let files = [
        ALLPAIRS,
        PEAK_RATES,
        CELLS,
        PER_ATOM,
        DROPLET,
        COUPLING,
        FORCE_LANES,
        FORCE_SCATTER,
        FORCE_VECTOR,
        KDV,
        BOND_MAP,
        FIX_SUMS,
        MINIMIZE,
        BUILD,
        BUILD_CLUSTER,
        BUILD_LONG,
        LONG_PAIRS,
        REDUCE,
        SORT,
        STAGE_INPUTS,
        STEP,
        GROUP_SUMS,
        TILES,
    ];
    let definitions = files.iter().flat_map(|(_, text)| text.split("__kernel ").skip(1));
    let name = |text: &str| text.split("void ").nth(1).unwrap().split('(').next().unwrap().to_owned();
    let mut names: BTreeSet<String> = definitions.map(name).collect();
    for variable in ["TILES_KERNEL", "MEASURE_KERNEL"] {
        assert!(names.remove(variable), "{variable}");
    }
    // Ranks alone launch these.
    for name in ["gather_cut", "add_cut"] {
        assert!(names.remove(name), "{name}");
    }
    // Of the loops over lists (LOOP_KERNEL of cl/force/kernel.cl).
    names.extend(
        ["pair_force", "pair_force_tally", "fused_step", "force_and_kick", "coupled_step"].map(String::from),
    );
    names.extend(["tiles_force", "tiles_force_tally", "measure_fixes", "pre_force_sums"].map(String::from));
    names
}

/// Of several ways those that are tried.
fn some<T>(ways: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    ways.into_iter().enumerate().filter(|(k, _)| full() || k % 3 == 1).map(|(_, way)| way)
}

#[test]
#[ignore = "run by `oclgrind_finds_nothing_in_our_kernels` in a child process"]
fn child_runs_every_kernel() {
    let gpu = Gpu::open(None, TimingMode::Full).unwrap();
    assert!(gpu.info().is_simulator, "this is for Oclgrind");
    let mut launched = BTreeSet::new();
    let (upright, leaning) = ([0.0; 3], [1.2, -1.4, 1.5]);
    for (precision, cpu, faces, types, tilt) in some([
        (Precision::Mixed, true, "p p p", 1, upright),
        (Precision::Mixed, false, "p p s", 2, upright),
        (Precision::Double, true, "f p s", 2, upright),
        (Precision::Single, false, "p p p", 1, upright),
        // Rows of the cluster, and lists of unlike cutoffs.
        (Precision::Single, true, "p p p", 6, leaning),
        (Precision::Double, false, "p p p", 1, leaning),
    ]) {
        let mut session = empty([3.0, 4.0, 2.9], faces, types);
        if tilt != upright {
            let domain = session.system.domain.take().unwrap().with_tilt(tilt).unwrap();
            let flow = Flow { carried: u32::from(precision == Precision::Double), ..Flow::default() };
            session.system.domain = Some(Domain { flow, ..domain });
        }
        if types != 2 {
            let lines = ["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1", "pair_coeff 1 1 1.0 0.1 0.7"];
            run(&mut session, &lines[..if types == 1 { 2 } else { 3 }]);
        } else {
            let styles = "pair_style hybrid/overlay lj/cut/coul/cut 1.0 dpd 1.0 0.9 7";
            run(
                &mut session,
                &[styles, "pair_coeff * * lj/cut/coul/cut 1.0 0.1", "pair_coeff * * dpd 1.0 1.0"],
            );
        }
        run(&mut session, &["fix 2 all addforce 0.1 0.0 0.0"]);
        scatter(&mut session, 25, 17);
        if types == 6 {
            session.system.host_atoms.kind = (0..25).map(|k| 1 + k % 6).collect();
        }
        session.system.host_atoms.charge = (0..25).map(|k| 0.1 * f64::from(k % 5) - 0.2).collect();
        (session.neighbor.every, session.neighbor.check) = (2, types == 2);
        if types != 2 {
            bond_neighbours(&mut session, 0.3);
            run(&mut session, &["neigh_modify exclude molecule/intra all"]);
        }
        session.clock.dt = 1e-4;
        let shape = match (cpu, types) {
            // One work-item orders the atoms.
            (true, 2) => cpu_shape(&gpu, precision),
            (true, _) => {
                LaunchConfig { counting: true, scan_items: 1, steps: 1, ..cpu_shape(&gpu, precision) }
            }
            // Atoms are ordered in one launch when the run is set up.
            (false, 1) => LaunchConfig { steps: 2, ..gpu_shape(&gpu, precision, 1000) },
            // Tiles in parts, and the radix sort.
            (false, _) => {
                LaunchConfig { tile_atoms: 70, counting: false, ..gpu_shape(&gpu, precision, 10_000_000) }
            }
        };
        let mut simulation = simulation(&session, &gpu, precision, Some(shape));
        advance(&mut simulation, 3);
        simulation.sums().unwrap();
        simulation.reductions.tally(&simulation.step_kernels.tally, simulation.atoms.n).unwrap();
        let reductions = &simulation.reductions;
        let given = Given { atoms: &simulation.atoms, masses: reductions.masses(), tally: None };
        let bin = (atom_expr::AtomExpr::own(AtomProperty::X(0)) * 3.0)
            .truncate()
            .greatest(atom_expr::AtomExpr::number(1.0));
        let [x, y, _] = atom_expr::AtomExpr::vector(AtomProperty::V);
        let recipes = [bin, x, y.of_table([1.0, 2.0])];
        if let Some(worked) = simulation.columns.work_out(&recipes, given).unwrap() {
            let summaries = worked.moments(1).unwrap().unwrap();
            worked.by_bin(1, 100, &summaries).unwrap();
            worked.remember(&Floats::new(&gpu, "memory", 75, true).unwrap(), 0).unwrap();
            worked.add_by_id(1, &gpu.buffer("sums", 75).unwrap()).unwrap();
            worked.move_atoms().unwrap();
            let what = (&SumTerm::MOMENTUM, [0.0; 3], None);
            let (cells, select) = (simulation.neighbor.cells(), (1, Some(worked.values())));
            simulation.surveys.sums(what, select, &simulation.atoms, cells, reductions).unwrap();
        }
        simulation.measure().unwrap();
        simulation.measure_atoms().unwrap();
        // A slow device is never given two steps at once, so this is not launched by itself.
        let Simulation { step_kernels, atoms, neighbor, .. } = &mut simulation;
        atoms.step += 1;
        step_kernels.turn(atoms, neighbor).unwrap();
        crate::systems::fused_step(step_kernels, atoms, neighbor);
        step_kernels.first_forces(atoms, neighbor).unwrap();
        step_kernels.end_of_step(atoms, neighbor, 0).unwrap();
        let all = 0..simulation.atoms.n;
        simulation.reductions.extent(&simulation.atoms, &simulation.domain, all).unwrap();
    }
    go_through_chains(&gpu);
    meet_large_particles(&gpu);
    minimize(&gpu);
    carry_bodies(&gpu);
    solve_kdv(&gpu);
    meet_all_pairs(&gpu);
    evaluate_forces::<f32>(&gpu);
    if full() {
        evaluate_forces::<f64>(&gpu);
    }
    measure_ceilings(&gpu);
    launched.extend(gpu.take_records().unwrap().into_iter().map(|record| record.name));
    let missing: Vec<_> = kernels().into_iter().filter(|name| !launched.contains(name)).collect();
    assert!(missing.is_empty() || !full(), "not launched: {missing:?}");
}

/// The steps of fixes that have the device do something with all atoms, with sums in groups and without.
fn go_through_chains(gpu: &Gpu) {
    for (precision, reduce_groups, fix) in some([
        (Precision::Mixed, 2, "nvt temp 1 1 0.1"),
        (Precision::Double, 64, "npt temp 1 1 0.1 iso 1 1 1"),
        (Precision::Mixed, 2, "press/berendsen aniso 1 1 1"),
        (Precision::Double, 64, "temp/berendsen 1 1 1"),
        (Precision::Double, 64, "nvt/sllod temp 1 1 0.1"),
        (Precision::Mixed, 2, "aveforce 1 0 0"),
        (Precision::Double, 64, "spring tether 1 0 0 0 1"),
    ]) {
        let mut session = empty([3.0, 4.0, 2.9], "p p p", 1);
        session.fixes.clear();
        let line = format!("fix 1 all {fix}");
        run(&mut session, &["fix 2 all nve", &line, "pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1"]);
        let flows = fix.contains("sllod");
        if flows {
            run(&mut session, &["fix 3 all deform 1 x erate 0.1 remap v"]);
            let flow = session.fixes.iter().find_map(|fix| fix.box_rate(&session, [0, 3])).expect("a flow");
            session.system.domain.as_mut().unwrap().flow = flow;
        }
        scatter(&mut session, 25, 17);
        session.clock.dt = 1e-4;
        // Several steps by one group, by one work-item, or one by one. Of several groups Oclgrind would say that a look at the gate
        // (a volatile read, which cl/step/barrier.cl means) races with another's atomic operation.
        let shape = match fix.split(' ').next().unwrap() {
            "nvt" => LaunchConfig { steps: 2, lanes: 1, ..gpu_shape(gpu, precision, 1000) },
            "temp/berendsen" => LaunchConfig { steps: 2, clusters: true, ..cpu_shape(gpu, precision) },
            _ => LaunchConfig { steps: 1, ..gpu_shape(gpu, precision, 1000) },
        };
        let shape = LaunchConfig { reduce_groups, reduce_local: 4, ..shape };
        let mut simulation = simulation(&session, gpu, precision, Some(shape));
        assert_eq!(simulation.step_kernels.makes_multi_step(), shape.steps > 1, "{fix}");
        let hooks = FixRunner::begin(&session, &mut simulation, [0, 3]).unwrap();
        if flows {
            // The box changes after each step.
            assert_eq!(hooks.foresee(&session, &mut simulation, 3), 3);
        }
        advance(&mut simulation, 3);
        // As above: not launched by itself.
        let Simulation { step_kernels, atoms, neighbor, .. } = &mut simulation;
        atoms.step += 1;
        step_kernels.begin(atoms, neighbor).unwrap();
        crate::systems::fused_steps(step_kernels, atoms, neighbor, shape.steps as u32);
        step_kernels.step_unfused(atoms, neighbor).unwrap();
    }
}

/// Pairs with lists of their own.
fn meet_large_particles(gpu: &Gpu) {
    for precision in some([Precision::Mixed, Precision::Double]) {
        let session = crate::unlike::mixture([4.0, 3.5, 4.0], "p p p", 3, 41, 8.0);
        for shape in [cpu_shape(gpu, precision), gpu_shape(gpu, precision, 1000)] {
            let mut simulation = simulation(&session, gpu, precision, Some(shape));
            assert!(simulation.neighbor.long.is_some());
            let Simulation { step_kernels, atoms, neighbor, .. } = &mut simulation;
            step_kernels.forces(atoms, neighbor, false).unwrap();
        }
    }
}

/// Moves of a minimization along lines, and damped.
fn minimize(gpu: &Gpu) {
    for (precision, tilt) in
        some([(Precision::Single, [0.0; 3]), (Precision::Mixed, [0.5; 3]), (Precision::Double, [0.0; 3])])
    {
        let mut session = empty([3.0, 4.0, 2.9], "p p p", 1);
        session.system.domain = Some(session.system.domain.take().unwrap().with_tilt(tilt).unwrap());
        run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1"]);
        scatter(&mut session, 25, 17);
        let shape = LaunchConfig { reduce_groups: 2, reduce_local: 4, ..gpu_shape(gpu, precision, 1000) };
        let mut simulation = simulation(&session, gpu, precision, Some(shape));
        // Each launches all that it has, without effect; behind that with one.
        let lines = Vectors::new(&mut simulation, true, false).unwrap();
        lines.turn(&simulation, 0.0).unwrap();
        lines.keep_start(&simulation).unwrap();
        lines.go_along(&simulation, 1e-6, None).unwrap();
        lines.sums(&simulation).unwrap();
        let damped = Vectors::new(&mut simulation, false, false).unwrap();
        damped.move_damped(&simulation, &Damped { drift: 1e-4, ..Damped::default() }).unwrap();
        damped.sums(&simulation).unwrap();
    }
}

/// A step of atoms in rigid bodies, and of some that are in none.
fn carry_bodies(gpu: &Gpu) {
    for precision in some([Precision::Single, Precision::Double]) {
        let mut session = empty([3.0, 4.0, 2.9], "p p p", 1);
        session.fixes.clear();
        run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.1"]);
        scatter(&mut session, 25, 17);
        session.system.groups.names.push("most".to_owned());
        (0..22).for_each(|i| session.system.host_atoms.mask[i] = 3);
        run(&mut session, &["variable body atom floor(id/9)", "fix 1 most rigid custom v_body"]);
        session.clock.dt = 1e-4;
        let mut simulation = simulation(&session, gpu, precision, None);
        let hooks = FixRunner::begin(&session, &mut simulation, [0, 1]).unwrap();
        hooks.setup(&session, &mut simulation).unwrap();
        hooks.prepare(&session, &mut simulation, 1).unwrap();
        session.clock.step += i64::from(simulation.advance(1, Ending::WITH_ATOMS).unwrap());
        simulation.finish_step().unwrap();
        hooks.end_of_step(&session, &mut simulation, true).unwrap();
    }
}

/// A whole period in one group, and tiles, as CPUs and as GPUs have them.
fn solve_kdv(gpu: &Gpu) {
    for (n, runs) in some([(22, 2), (85, 1)]) {
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

/// The droplet and the periodic box, by work-items that share atoms as on GPUs and by vectors as on CPUs, with tiles
/// that are full, that hold the group's own atoms, and that are neither.
fn meet_all_pairs(gpu: &Gpu) {
    let ways = [(Precision::Single, [16, 4, 1]), (Precision::Double, [16, 1, 4])];
    for (precision, [block, lanes, vector]) in some(ways) {
        let tiling = Tiling { block, lanes, vector };
        let particles = generate(21, 1);
        droplet::Device::with(gpu, &particles, precision, tiling).unwrap().run(1, |_, _| ()).unwrap();
        let recipe = Recipe {
            atoms: 37,
            kinds: vec!["1,1,1".parse().unwrap(), "0.8,0.9,1.5".parse().unwrap()],
            density: 0.8,
            temperature: 1.2,
            dt: 0.001,
            seed: 12,
        };
        let system = System::new(&mut recipe.session(Cutoff::None, None).unwrap(), None).unwrap();
        let device = allpairs::Device::new(gpu, &system, precision, tiling).unwrap();
        device.run(1).unwrap();
        device.forces().unwrap();
    }
    // The droplet adds up its energies on the device from a thousand particles on only.
    let (tiling, n) = (Tiling { block: 16, lanes: 1, vector: 1 }, 37_usize);
    let names = ["EPSILON", "RIJ", "RATE", "CAP"].into_iter();
    let defines = names.fold(tiling.defines(Precision::Single), |defines, name| defines.set_f32(name, 1.0));
    let defines = defines.set("REDUCE_LOCAL", 8);
    let program = tiling.program(gpu, &[DROPLET], &defines, Precision::Single, true).unwrap();
    let force = gpu.buffer::<[f32; 4]>("forces", n).unwrap();
    let partial = gpu.buffer::<f32>("group sums", 6).unwrap();
    let args = [(&force).into(), (&partial).into(), 2_u32.into(), (n as u32).into()];
    program.kernel("droplet_energy").unwrap().launch(Section::Output, 4 * 8, 8, &args).unwrap();
    gpu.finish().unwrap();
}

/// One force evaluation of each kind of kernel.
fn evaluate_forces<T: Real>(gpu: &Gpu) {
    let x = positions(1.0, 30, 3);
    let full = List::full(&x).unwrap();
    let half = full.half().unwrap();
    let rows = device_positions::<T>(&x);
    let rounded: Vec<[f64; 3]> =
        rows[..x.len()].iter().map(|row| std::array::from_fn(|c| row[c].to_f64())).collect();
    let reference = reference(&rounded, &half, T::PRECISION.rounding());
    let mut stage = Stage::new(gpu, &rows, &full, &half).unwrap();
    for (third_law, transposed, in_memory, lanes, reduction) in some([
        (None, false, true, 1, Reduction::None),
        (None, true, false, 4, Reduction::Local),
        (None, false, false, 4, Reduction::Vector),
        (Some(Atomics::Cas), false, true, 1, Reduction::None),
        (Some(Atomics::Cas), true, false, 2, Reduction::Local),
        (Some(Atomics::Cas), true, false, 4, Reduction::Vector),
    ]) {
        let variant = Variant { third_law, transposed, in_memory, lanes, reduction };
        let (accuracy, _) = stage.trial(&variant, &reference, 1, 1e-9).unwrap();
        assert_eq!(accuracy.fault(), None, "{}", variant.name());
    }
    let list = gpu.buffer::<u32>("list", half.entries.len()).unwrap();
    list.write(Section::Pair, 0, &half.entries).unwrap();
    let force = gpu.buffer::<[T; 4]>("forces", half.atoms() + 1).unwrap();
    let (entries, atoms) = (half.entries.len() as u32, half.atoms() as u32);
    let add_ones = Atomics::Cas.scatter(gpu, T::PRECISION).unwrap().kernel("add_ones").unwrap();
    let args = [(&list).into(), (&force).into(), entries.into(), atoms.into()];
    add_ones.launch_each(Section::Pair, entries as usize, 64, &args).unwrap();
    gpu.finish().unwrap();
}

/// The kernels that measure what a device can do, for a moment.
fn measure_ceilings(gpu: &Gpu) {
    let (groups, local, count, width) = (2_usize, 4_usize, 3_usize, 4_usize);
    let items = groups * local;
    let out = gpu.buffer::<f64>("results", items).unwrap();
    for fused in [0, 1] {
        let defines = Defines::new().set("SINGLE", 1).set("VW", width).set("FUSED", fused);
        let program = gpu.program(&[COMMON, PEAK_RATES], &defines, "").unwrap();
        let args = [(&out).into(), Arg::F32(0.999), Arg::F32(1e-3), 3_u32.into()];
        program.kernel("multiply_add").unwrap().launch(Section::Pair, items, local, &args).unwrap();
        let words = gpu.buffer::<u32>("words", width * items * count).unwrap();
        let sums = gpu.buffer::<u32>("results", items).unwrap();
        for (part, step) in [(1, items as u32), (count as u32, 1)] {
            let numbers = [count as u32, part, step, 2].map(Arg::U32);
            let args = [&[(&words).into(), (&sums).into()], &numbers[..]].concat();
            program.kernel("read_words").unwrap().launch(Section::Pair, items, local, &args).unwrap();
        }
    }
    gpu.finish().unwrap();
}

/// A sound kernel, and one fault of each kind.
const FAULTY: &str = "__kernel void sound(__global int *x) { x[get_global_id(0)] += 1; }
__kernel void outside(__global int *x) { x[get_global_id(0) + 64] = 0; }
__kernel void unset_local(__global int *x) {
    __local int shared[64];
    if (get_local_id(0) > 0) shared[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = shared[63 - get_local_id(0)];
}
__kernel void unset_branch(__global int *x) {
    int set[2];
    if (x[get_global_id(0)] == 0) set[0] = 1;
    if (set[1]) x[get_global_id(0)] = 1;
}
__kernel void race(__global int *x) { x[(get_global_id(0) + 1) & 63] = x[get_global_id(0)] + get_global_id(0); }
";

#[test]
#[ignore = "run by `oclgrind_finds_planted_faults` in a child process"]
fn child_runs_faulty_kernels() {
    let gpu = Gpu::open(None, TimingMode::Off).unwrap();
    let x = gpu.buffer::<i32>("x", 64).unwrap();
    // Buffers that the host has written in part: what it did not write now is still known to be set.
    x.write(Section::Pair, 60, &[0; 2]).unwrap();
    x.clear(Section::Pair, 8..16).unwrap();
    let program = gpu.program(&[("faulty.cl", FAULTY)], &Defines::new(), "").unwrap();
    for name in ["sound", "outside", "unset_local", "unset_branch", "race"] {
        program.kernel(name).unwrap().launch(Section::Pair, 64, 64, &[(&x).into()]).unwrap();
    }
    gpu.finish().unwrap();
}

#[test]
fn oclgrind_finds_nothing_in_our_kernels() {
    in_third!(2);
    assert!(kernels().len() >= 15, "{:?}", kernels());
    let Some(found) = check("oclgrind::child_runs_every_kernel") else { return };
    let faults: Vec<_> = found.kernels.iter().map(|(kernel, fault)| format!("{kernel}: {fault}")).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Vendors' properties of devices are asked for in the knowledge that others do not have them.
    let faulty_call = |line: &&str| line.contains("Function: ") && !line.contains("clGetDeviceInfo");
    assert!(found.passed && !found.words.lines().any(|line| faulty_call(&line)), "{}", found.words);
}

#[test]
fn oclgrind_finds_planted_faults() {
    in_third!(3);
    let Some(found) = check("oclgrind::child_runs_faulty_kernels") else { return };
    for (kernel, words) in [
        ("outside", "Invalid write"),
        ("unset_local", "Uninitialized value written to global memory"),
        ("unset_branch", "Controlflow depends on uninitialized value"),
        ("race", "data race"),
    ] {
        let fault =
            found.kernels.get(kernel).unwrap_or_else(|| panic!("nothing of {kernel}: {}", found.words));
        assert!(fault.contains(words), "{fault}");
    }
    assert_eq!(found.kernels.len(), 4, "{:?}", found.kernels);
}

struct Found {
    /// First fault of each kernel that has any.
    kernels: BTreeMap<String, String>,
    /// Whether the child's test passed.
    passed: bool,
    /// What the child said, with the faulty calls to OpenCL.
    words: String,
}

/// Runs a test of this executable under Oclgrind; `None` where that is not installed.
fn check(test: &str) -> Option<Found> {
    if Command::new("oclgrind").arg("--version").output().is_err() {
        eprintln!("SKIPPED: oclgrind is not installed");
        return None;
    }
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut said = tempfile::tempfile().unwrap();
    let mut child = Command::new("oclgrind")
        .args(["--data-races", "--uninitialized", "--check-api", "--build-options", "-O0", "--log"])
        .arg(log.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env("CLAMPS_CACHE", "off")
        .env_remove("CLAMPS_DEVICE")
        .stdin(Stdio::null())
        .stdout(said.try_clone().unwrap())
        .stderr(said.try_clone().unwrap())
        .spawn()
        .unwrap();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        // A kernel that has read garbage may run on for ever; by then enough is reported.
        if log.as_file().metadata().unwrap().len() > 100_000 {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let mut words = String::new();
    std::io::Seek::rewind(&mut said).unwrap();
    said.read_to_string(&mut words).unwrap();
    let passed = status.success() && words.contains("1 passed");
    let report = std::fs::read_to_string(log.path()).unwrap();
    let mut kernels = BTreeMap::new();
    for fault in report.split("\n\n").map(str::trim).filter(|fault| !fault.is_empty()) {
        let kernel = fault.split("Kernel: ").nth(1).and_then(|rest| rest.split_whitespace().next());
        kernels.entry(kernel.unwrap_or("no kernel").to_owned()).or_insert_with(|| fault.to_owned());
    }
    Some(Found { kernels, passed, words })
}
