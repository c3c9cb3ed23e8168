//! Several steps in one launch (cl/step/barrier.cl).

use crate::common::{all_test_devices, by_turns, full, label, test_devices, test_devices_with};
use crate::many_body::{crystal, simulation_with};
use crate::systems::{
    advance, bond_neighbours, cpu_shape, download, gpu_shape, melt, precisions, resolved, run, simulation,
};
use clamps::base::random::ParkMiller;
use clamps::engine::device_atoms::status;
use clamps::engine::kernels::{LaunchConfig, Lists};
use clamps::engine::simulation::Simulation;
use clamps::engine::timing::{COUPLED_STEP, FUSED_STEP};
use clamps::gpu::options::{Precision, TimingMode};
use clamps::gpu::record::Section;
use clamps::gpu::{DeviceKind, Exchange, Gpu};
use clamps::model::atoms::Atoms;
use clamps::model::domain::{Boundary, Domain};
use clamps::run::fixes::FixRunner;
use clamps::session::Session;

/// In one work-group, or in so many that a CPU has too few at the same time.
const GROUPS: [usize; 2] = [256, 32];

/// Cores that make the steps of a launch: one, as many as there are at least, and more.
const CORE_COUNTS: [usize; 3] = [1, 2, 64];

/// Motion, what has to know of all atoms in each step, bonds, the second by numbers that change, and what moves the box.
const FIXES: [&[&str]; 7] = [
    &["fix 1 all nve"],
    &["fix 1 all nvt temp 1.0 1.0 0.02 tchain 2"],
    &["fix 1 all nve", "fix 2 all temp/berendsen 1.0 1.0 0.01", "fix 3 all spring/self 0.5"],
    &["special_bonds lj/coul 0.0 0.3 1.0", "fix 1 all nve"],
    &["fix 1 all nvt temp 1.0 3.0 0.02"],
    &["fix 1 all npt temp 1.0 1.0 0.02 aniso 0.0 1.0 2.0"],
    &["fix 1 all nve", "fix 2 all press/berendsen iso 0.0 0.0 2.0 modulus 5"],
];

/// A pair style that sees more of atoms than where they are.
const CHARGED: &[&str] = &["pair_style lj/cut/coul/cut 2.5 2.2", "pair_coeff * * 1 1", "fix 1 all nve"];

/// Whether a device makes several steps in a launch at all; says where it does not.
fn makes_several(gpu: &Gpu) -> bool {
    let makes = gpu.info().makes_several_steps();
    if !makes {
        eprintln!("SKIPPED on {}: it makes no several steps in a launch", label(gpu.info()));
    }
    makes
}

/// The melt with these.
fn moved_by(fixes: &[&str]) -> Session {
    melt_moved_by(3, fixes)
}

/// The same with 4 atoms in the cube of so many cells.
fn melt_moved_by(cells: usize, fixes: &[&str]) -> Session {
    let mut session = melt(cells, 0.1);
    session.fixes.clear();
    if fixes[0].starts_with("special_bonds") {
        bond_neighbours(&mut session, 1.2);
    }
    if fixes[0].contains("coul") {
        let count = session.system.host_atoms.charge.len();
        session.system.host_atoms.charge = (0..count).map(|k| if k % 2 == 0 { 0.5 } else { -0.5 }).collect();
    }
    run(&mut session, fixes);
    session
}

/// What a state is to be, with up to 32 steps in a launch or `singly`.
fn start(
    session: &Session,
    gpu: &Gpu,
    precision: Precision,
    shape: LaunchConfig,
    singly: bool,
) -> Simulation {
    let mut simulation = simulation(session, gpu, precision, Some(LaunchConfig { steps: 32, ..shape }));
    let hooks = FixRunner::begin(session, &mut simulation, [0, 1000]).unwrap();
    hooks.prepare(session, &mut simulation, 500).unwrap();
    if singly {
        simulation.step_kernels.disable_multi_step(u32::MAX).unwrap();
    }
    simulation
}

/// Groups of so many work-items, the small ones of which the device holds no more. Lists are longer than what is kept of them.
fn groups_of(gpu: &Gpu, precision: Precision, pair_local: usize) -> LaunchConfig {
    let fills_device = pair_local <= 32;
    LaunchConfig { lanes: 2, pair_local, fills_device, ..gpu_shape(gpu, precision, 1000) }
}

/// The fixes whose part the device does there.
fn fixes_for(precision: Precision) -> &'static [&'static [&'static str]] {
    // Without fp64 chains are the host's.
    if precision == Precision::Single { &FIXES[3..4] } else { &FIXES }
}

/// Whether these are tested in a precision with another choice, of groups or of cores: each second one of both, two fixes in mixed
/// precision and the next two in double, those that are left in single; all with CLAMPS_TESTS=full.
fn tested(precision: Precision, fixes: usize, other: usize) -> bool {
    let turn = [Precision::Mixed, Precision::Double][fixes / 2 % 2];
    let has_turn = precision == turn || precision == Precision::Single;
    full() || has_turn && (fixes + other).is_multiple_of(2)
}

/// Atoms, and the bits of the corners of the box.
type Found = (Atoms, [[u64; 3]; 2]);

/// What there is after as many whole steps as each launch is to make, and the bookings of these.
fn launch(simulation: &mut Simulation, gpu: &Gpu, launches: &[u32]) -> (Found, u64, u64) {
    let Simulation { step_kernels, atoms, neighbor, .. } = simulation;
    gpu.take_records().unwrap();
    atoms.step = 1;
    step_kernels.begin(atoms, neighbor).unwrap();
    for &steps in launches {
        crate::systems::fused_steps(step_kernels, atoms, neighbor, steps);
    }
    let records = gpu.take_records().unwrap();
    let whole = records.into_iter().find(|record| [FUSED_STEP, COUPLED_STEP].contains(&&*record.name));
    let (calls, launches) = whole.map_or((0, 0), |whole| (whole.calls, whole.launches));
    let corners = simulation.neighbor.cells().corners().unwrap();
    ((download(simulation), corners.map(|corner| corner.map(f64::to_bits))), calls, launches)
}

/// As many steps as one by one, with the same bits, whichever buffer they end in; but where the groups do not come together
/// nothing is done, and the device says so.
#[test]
fn several_steps_have_the_bits_of_single_ones() {
    in_third!(3);
    apart!();
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let all = GROUPS.into_iter().enumerate().flat_map(|(g, size)| {
                let fixes = fixes_for(precision).iter().enumerate();
                fixes.filter(move |(k, _)| tested(precision, *k, g)).map(move |(_, fixes)| (size, fixes))
            });
            for (pair_local, fixes) in all {
                let place =
                    format!("{precision:?}, groups of {pair_local}, {fixes:?} on {}", label(gpu.info()));
                let (session, shape) = (moved_by(fixes), groups_of(&gpu, precision, pair_local));
                let singly =
                    |steps: &[u32]| launch(&mut start(&session, &gpu, precision, shape, true), &gpu, steps).0;
                let mut simulation = start(&session, &gpu, precision, shape, false);
                let cpu = gpu.info().kind == DeviceKind::Cpu;
                let in_groups = cpu || simulation.atoms.context.shape.exchange == Exchange::Ptx;
                if !(in_groups && gpu.info().makes_several_steps()) {
                    assert_eq!(simulation.step_kernels.together(1, &simulation.neighbor), 1, "{place}");
                    continue;
                }
                assert_eq!(simulation.step_kernels.together(1, &simulation.neighbor), 32, "{place}");
                let (found, calls, launches) = launch(&mut simulation, &gpu, &[3, 2]);
                assert_eq!((calls, launches), (5, 2), "{place}");
                let atoms = &simulation.atoms;
                let seen = atoms.status.read(Section::Pair, 0..status::WORDS).unwrap();
                let groups = (2 * atoms.n).div_ceil(pair_local);
                if groups > 1 && cpu && seen[status::APART] != 0 {
                    assert_eq!(seen[status::HALT], 1, "{place}");
                    assert!(found == singly(&[]), "{place}");
                } else {
                    assert_eq!((seen[status::APART], seen[status::HALT]), (0, status::NEVER), "{place}");
                    assert!(found == singly(&[1; 5]), "{place}");
                }
                let too_many = cpu && groups > gpu.info().units as usize;
                assert!(!too_many || seen[status::APART] != 0, "{place}");
            }
        }
    }
}

/// Where atoms share lists one work-item makes the steps of a launch, or some that wait for one another, also where they are more
/// than a CPU has cores.
#[test]
fn cores_make_the_steps_of_many() {
    in_third!(2);
    apart!();
    for gpu in all_test_devices().into_iter().filter(makes_several) {
        let all = precisions(&gpu).iter().copied().flat_map(|precision| {
            let core_counts = move |(k, fixes): (usize, &'static &[&str])| {
                let core_counts = CORE_COUNTS.into_iter().enumerate();
                let core_counts = core_counts
                    .filter(move |&(c, cores)| (cores <= 2 || fixes.len() == 1) && tested(precision, k, c));
                core_counts.map(move |(_, cores)| (precision, fixes, cores))
            };
            fixes_for(precision).iter().enumerate().flat_map(core_counts)
        });
        for (precision, fixes, cores) in all {
            let run = |singly| {
                let shape = LaunchConfig { clusters: true, cores, ..cpu_shape(&gpu, precision) };
                // Several cores have several blocks of atoms to add up. (That box would be set up anew where it shrinks.)
                let shrinks = fixes.iter().any(|fix| fix.contains("press/berendsen"));
                let cells = if cores > 1 && !shrinks { 5 } else { 3 };
                let mut simulation = start(&melt_moved_by(cells, fixes), &gpu, precision, shape, singly);
                let few = (cores == 1)
                    .then(|| launch(&mut simulation, &gpu, if singly { &[1; 5] } else { &[3, 2] }));
                advance(&mut simulation, 60);
                (few, download(&simulation), simulation.neighbor.builds(), simulation)
            };
            let place = format!("{precision:?}, {fixes:?}, {cores} cores on {}", label(gpu.info()));
            let (singly, at_once) = (run(true), run(false));
            assert!(singly.2 > 3, "{} rebuilds, {place}", singly.2);
            let together = at_once.3.step_kernels.together(at_once.3.atoms.step, &at_once.3.neighbor) > 1;
            if !together {
                eprintln!("one step per launch, {place}"); // several cores may not come together, as on a busy machine
            }
            assert!(!(together && cores > 32 && gpu.info().units < 32), "{place}");
            if let (Some(singly), Some((found, calls, launches))) = (singly.0, at_once.0) {
                assert!(!together || (calls, launches) == (5, 2), "{place}");
                assert!(found == singly.0, "{place}");
            }
            assert!((singly.1, singly.2) == (at_once.1, at_once.2), "{place}");
        }
    }
}

/// The same in a run, whose rebuilds halt launches half-way.
#[test]
fn runs_of_several_steps_in_a_launch_have_the_same_bits() {
    in_third!(2);
    apart!();
    for gpu in test_devices() {
        // The programs of the test above in mixed precision.
        let all = FIXES.into_iter().chain([CHARGED]).enumerate().flat_map(|(k, fixes)| {
            let groups = GROUPS.into_iter().enumerate();
            groups
                .filter(move |(g, _)| full() || (k + g).is_multiple_of(2))
                .map(move |(_, size)| (fixes, size))
        });
        for (fixes, pair_local) in all {
            let run = |singly| {
                let shape = groups_of(&gpu, Precision::Mixed, pair_local);
                let mut simulation = start(&moved_by(fixes), &gpu, Precision::Mixed, shape, singly);
                // Where the first launch of several may begin: it must not be built twice when that gives up.
                simulation.rebuild_after(2);
                advance(&mut simulation, 60);
                (download(&simulation), simulation.neighbor.builds())
            };
            let expected = run(true);
            assert!(expected.1 > 3, "{} rebuilds", expected.1);
            assert!(run(false) == expected, "groups of {pair_local}, {fixes:?} on {}", label(gpu.info()));
        }
    }
}

/// Styles of many bodies whose passes leave numbers of atoms, or partial forces, whether as GPUs compute them, and whether with virials shared out
/// atom by atom. The last ones are for CLAMPS_TESTS=full.
const MANY_BODY: [(&str, bool, bool); 9] = [
    ("eam/alloy", false, false),
    ("eam by parabolas", true, false),
    ("hybrid/overlay", false, false),
    ("sw", true, false),
    ("sw", false, false),
    ("tersoff", false, true),
    ("tersoff", false, false),
    ("vashishta", false, true),
    ("adp", false, false),
];

/// Which of the fixes there the first of these have unless all are tested.
const OFTEN: [usize; 6] = [0, 1, 2, 1, 0, 0];

/// A crystal of atoms that move, with such a style.
fn moving_crystal(style: &str, fixes: &[&str]) -> Session {
    let mut session = crystal(style, 3, 0.1);
    session.neighbor.skin = 0.2;
    session.clock.dt = 0.0005;
    session.system.mass.fill(Some(60.0));
    session.fixes.clear();
    let mut random = ParkMiller::new(321);
    for v in &mut session.system.host_atoms.v {
        *v = std::array::from_fn(|_| 6.0 * random.gaussian());
    }
    run(&mut session, fixes);
    session
}

/// Passes before the last one are made in the same launch: by work-items that have a list each, and by cores.
#[test]
fn passes_of_several_steps_have_the_bits_of_single_ones() {
    in_third!(2);
    apart!("cheap");
    let fixes: [&[&str]; 3] = [
        &["fix 1 all nve"],
        &["fix 1 all nvt temp 900.0 900.0 0.02"],
        &["fix 1 all npt temp 900.0 900.0 0.02 iso 0.0 0.0 20.0"],
    ];
    for gpu in all_test_devices().into_iter().filter(makes_several) {
        for (k, (style, as_on_gpus, by_atom)) in MANY_BODY.into_iter().enumerate() {
            for (f, fixes) in fixes.into_iter().enumerate() {
                let precision = precisions(&gpu)[(k + f) % precisions(&gpu).len()];
                // Without fp64 chains are the host's.
                if precision == Precision::Single && f > 0 || !full() && OFTEN.get(k) != Some(&f) {
                    continue;
                }
                let session = moving_crystal(style, fixes);
                // All atoms are one work-group's, and where slots are made bond by bond two work-items share each.
                let of_kind = |kind| resolved(&session).for_device(kind, by_atom);
                let two = Lists::of(of_kind(DeviceKind::Cpu).seen()) == Lists::ByBonds;
                let lanes = if two { 2 } else { 1 };
                // (A GPU has no registers for larger groups, of which two come together there.)
                let local = if gpu.info().is_pocl() { 256 * lanes } else { 256 };
                let plain = LaunchConfig { lanes, vector: 1, ..groups_of(&gpu, precision, local) };
                let alone = LaunchConfig { clusters: true, cores: 1, ..cpu_shape(&gpu, precision) };
                let shapes = [plain, alone, LaunchConfig { cores: 2, ..alone }];
                let shapes = if as_on_gpus { &shapes[..1] } else { &shapes[..] };
                for shape in by_turns(k, shapes) {
                    let kind = if as_on_gpus { DeviceKind::Gpu } else { DeviceKind::Cpu };
                    let run = |singly| {
                        let shape = LaunchConfig { steps: 32, ..shape };
                        let mut simulation = simulation_with(
                            &session,
                            &session.system.host_atoms,
                            &gpu,
                            precision,
                            shape,
                            &of_kind(kind),
                        );
                        let hooks = FixRunner::begin(&session, &mut simulation, [0, 1000]).unwrap();
                        hooks.prepare(&session, &mut simulation, 500).unwrap();
                        if singly {
                            simulation.step_kernels.disable_multi_step(u32::MAX).unwrap();
                        }
                        gpu.take_records().unwrap();
                        advance(&mut simulation, 80);
                        let records = gpu.take_records().unwrap();
                        let whole = records.iter().find(|it| [FUSED_STEP, COUPLED_STEP].contains(&&*it.name));
                        let launches = whole.map_or(0, |whole| whole.launches);
                        (download(&simulation), simulation.neighbor.builds(), launches)
                    };
                    let place =
                        format!("{style}, {precision:?}, {fixes:?}, {shape:?} on {}", label(gpu.info()));
                    let (singly, at_once) = (run(true), run(false));
                    assert!(singly.1 > 2, "{} rebuilds, {place}", singly.1);
                    assert!((&singly.0, singly.1) == (&at_once.0, at_once.1), "{place}");
                    // Others may not come together on a busy machine.
                    let meets_nobody = !shape.clusters || shape.cores == 1;
                    assert!(!meets_nobody || at_once.2 < 60, "{} launches, {place}", at_once.2);
                }
            }
        }
    }
}

/// What launches of several steps may meet: a delay, faces that stay or follow the atoms, sums amid a step that functions of fixes go on with, or at its
/// end, bonds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meets {
    Nothing,
    Delay,
    FacesThatStay,
    FacesThatMove,
    PreForceSums,
    Feedback,
    Bonds,
}

fn meeting(meets: Meets) -> Session {
    let mut session = melt(3, 0.1);
    let open = |session: &mut Session, face| {
        let edge = session.system.domain.as_ref().unwrap().lengths()[0];
        let boundary = [[Boundary::Periodic; 2], [face; 2], [Boundary::ShrinkMin; 2]];
        let out = [0.0, 15.0, 15.0];
        session.system.domain = Some(Domain::new(out.map(|x| -x), out.map(|x| edge + x), boundary).unwrap());
    };
    match meets {
        Meets::Nothing => {}
        Meets::Delay => session.neighbor.delay = 4,
        Meets::FacesThatStay => open(&mut session, Boundary::ShrinkMin),
        Meets::FacesThatMove => open(&mut session, Boundary::Shrink),
        Meets::Feedback => session = moved_by(FIXES[1]),
        Meets::Bonds => session = moved_by(FIXES[3]),
        Meets::PreForceSums => {
            session.fixes.clear();
            run(
                &mut session,
                &["fix 1 all nve", "fix 2 all aveforce 0.5 NULL -0.25", "fix 3 all aveforce NULL 0.125 NULL"],
            );
        }
    }
    session
}

/// With `check yes` the device rebuilds by itself where groups come together, or where one work-item does everything: at the same
/// steps, with the same bits and the same books, whether lists turn out too short for a moment or not, and whatever they meet.
#[test]
fn launches_of_several_steps_rebuild_as_the_host_does() {
    in_third!(2);
    apart!();
    for timing in [TimingMode::Off, TimingMode::Sampled] {
        for gpu in test_devices_with(timing) {
            let few = groups_of(&gpu, Precision::Mixed, 256);
            let alone = LaunchConfig { clusters: true, ..cpu_shape(&gpu, Precision::Mixed) };
            let both = LaunchConfig { cores: 2, ..alone };
            for (k, (shape, meets)) in [
                (few, Meets::Delay),
                (few, Meets::Feedback),
                (few, Meets::Bonds),
                (alone, Meets::Nothing),
                (alone, Meets::FacesThatStay),
                (alone, Meets::FacesThatMove),
                (alone, Meets::Bonds),
                (both, Meets::Feedback),
                (both, Meets::PreForceSums),
                (few, Meets::Nothing),
                (alone, Meets::Delay),
                (alone, Meets::PreForceSums),
                (alone, Meets::Feedback),
                (both, Meets::Nothing),
                (both, Meets::FacesThatMove),
            ]
            .into_iter()
            .enumerate()
            {
                // The first nine have each shape, and all that it may meet. Of these one of each shape is timed.
                if !full() && (k >= 9 || timing != TimingMode::Off && ![1, 3, 7].contains(&k)) {
                    continue;
                }
                let run = |singly: bool| {
                    let session = meeting(meets);
                    let mut simulation = start(&session, &gpu, Precision::Mixed, shape, singly);
                    gpu.take_records().unwrap();
                    // What is far from where the run halts, so that launches of several steps begin and end anywhere.
                    for more in [1, 150, 37, 212] {
                        advance(&mut simulation, more);
                    }
                    let records = gpu.take_records().unwrap();
                    let calls = |names: &[&str]| -> u64 {
                        let records = records.iter().filter(|record| names.contains(&&*record.name));
                        records.map(|record| record.calls).sum()
                    };
                    let lists = [calls(&["permute_atoms", "order_atoms"]), calls(&["build_list"])];
                    let steps = calls(&[FUSED_STEP, COUPLED_STEP, "final_initial_step", "initial_integrate"]);
                    let Simulation { neighbor, .. } = &simulation;
                    let books = (neighbor.builds(), neighbor.dangerous, neighbor.built(), steps);
                    let remembered = simulation.step_kernels.feedback().unwrap();
                    (download(&simulation), books, lists, simulation.atoms.cycle, remembered)
                };
                let (expected, found) = (run(true), run(false));
                let alone = shape.clusters && shape.cores == 1;
                let place = format!(
                    "clusters {}, {} cores, {meets:?}, {timing:?} on {}",
                    shape.clusters,
                    shape.cores,
                    label(gpu.info())
                );
                assert!(found.0 == expected.0, "{place}");
                let acts = |k: &f64| *k != 1.0;
                let factors = found.4.first().filter(|_| meets == Meets::Feedback);
                assert!(factors.is_none_or(acts), "a chain without effect, {place}");
                assert_eq!(found.1, expected.1, "{place}");
                // On a busy CPU groups may not come together, once in either run, or cores now and then: the order that they have not
                // made is in the books.
                let vain = match gpu.info().kind == DeviceKind::Cpu && !alone {
                    true if shape.cores > 1 => 12,
                    busy => u64::from(busy),
                };
                for (found, expected) in found.2.iter().zip(&expected.2) {
                    assert!(found.abs_diff(*expected) <= vain, "{place}: {found} {expected}");
                }
                let builds = expected.1.0;
                assert!(builds > 20, "{builds} rebuilds");
                assert_eq!(expected.3, status::CYCLES, "{place}");
                let rounds = found.3 - status::CYCLES;
                // Where a step of one work-item is slow, as on GPUs, all are timed, and rounds are not.
                let least = match (timing, meets) {
                    (TimingMode::Off, Meets::FacesThatMove) => 1,
                    (TimingMode::Off, _) => builds / 2,
                    _ => 0,
                };
                assert!(!alone || u64::from(rounds) >= least, "{place}: {rounds} rounds of {builds}");
                println!("{place}: {rounds} rounds enqueued for {builds} rebuilds");
            }
        }
    }
}
