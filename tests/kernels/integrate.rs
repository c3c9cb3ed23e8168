//! Velocity Verlet, groups, the displacement test, what happens between rebuilds.

use crate::common::{all_test_devices, by_turns, full, label, test_devices};
use crate::systems::{
    self, advance, download, empty, host_forces, mass, melt, precisions, run, scatter, shapes, simulation,
};
use clamps::engine::simulation::{Ending, Simulation};
use clamps::gpu::Gpu;
use clamps::gpu::options::{Precision, TimingMode};
use clamps::gpu::record::Section;
use clamps::model::atoms::Atoms;
use clamps::reference;

/// Both halves of a step, for a group, two masses and a unit system with factors that are not 1.
#[test]
fn both_halves_follow_the_twin() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(2, precisions(&gpu)) {
            let mut session = melt(3, 0.1);
            session.system.units = &clamps::model::units::REAL;
            session.system.mass = vec![Some(2.0), Some(39.948)];
            session.clock.dt = 0.7;
            run(
                &mut session,
                &["pair_style lj/cut 2.0", "pair_coeff * * 0.01 1.0", "pair_coeff 1 2 0.01 0.9"],
            );
            let atoms = &mut session.system.host_atoms;
            for i in 0..atoms.len() {
                atoms.kind[i] = 1 + i as u32 % 2;
                atoms.mask[i] = 1 | if i % 3 == 0 { 4 } else { 2 };
                atoms.v[i] = atoms.v[i].map(|v| 1e-3 * v);
            }
            session.system.groups.names.extend(["two".to_owned(), "three".to_owned()]);
            session.fixes.clear();
            run(&mut session, &["fix 2 three nve"]);
            let mut simulation = simulation(&session, &gpu, precision, None);
            let place = format!("{precision:?} on {}", label(gpu.info()));
            let (mut expected, force) = (download(&simulation), simulation.atoms.forces().unwrap());
            let Simulation { step_kernels, atoms, neighbor, .. } = &mut simulation;
            atoms.step = 1;
            let (ftm2v, mass) = (session.system.units.ftm2v, mass(&session));
            let before = expected.clone();

            step_kernels.begin(atoms, neighbor).unwrap();
            reference::integrate::kick(&mut expected, &force, &mass, ftm2v, session.clock.dt, 4);
            reference::integrate::drift(&mut expected, session.clock.dt, 4);
            let mut found = atoms.download(&Atoms::default()).unwrap();
            same(&found, &expected, precision, &place);
            for i in 0..found.len() {
                assert_eq!(found.x[i] == before.x[i], found.mask[i] & 4 == 0, "{place}");
            }
            // The staged copy moves along.
            let (numerics, words) = (atoms.context.numerics, atoms.context.numerics.staged_words());
            let staged = atoms.packed.read(Section::Pair, 0..atoms.n * words).unwrap();
            for (i, staged) in staged.chunks_exact(words).enumerate() {
                assert_eq!(staged, numerics.stage(found.x[i], found.kind[i]), "{place}");
            }

            step_kernels.end(atoms, neighbor).unwrap();
            reference::integrate::kick(&mut expected, &force, &mass, ftm2v, session.clock.dt, 4);
            found = atoms.download(&Atoms::default()).unwrap();
            same(&found, &expected, precision, &place);

            // From step to step in one launch: the same bits as in two.
            atoms.step = 2;
            step_kernels.begin(atoms, neighbor).unwrap();
            let two_launches = atoms.download(&Atoms::default()).unwrap();
            let mut again = systems::simulation(&session, &gpu, precision, None);
            let Simulation { step_kernels, atoms, neighbor, .. } = &mut again;
            atoms.step = 1;
            step_kernels.begin(atoms, neighbor).unwrap();
            atoms.step = 2;
            step_kernels.turn(atoms, neighbor).unwrap();
            found = atoms.download(&Atoms::default()).unwrap();
            assert!(found == two_launches && found.x != expected.x, "{place}");
        }
    }
}

fn same(found: &Atoms, expected: &Atoms, precision: Precision, place: &str) {
    let close = |a: &[[f64; 3]], b: &[[f64; 3]], near: f64| {
        a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() <= near * b.abs().max(1.0))
    };
    let near = if precision == Precision::Single { 1e-6 } else { 1e-14 };
    assert_eq!(found.tag, expected.tag);
    assert!(close(&found.v, &expected.v, near), "velocities, {place}");
    assert!(close(&found.x, &expected.x, near), "positions, {place}");
}

/// The flag goes up exactly when an atom is farther than skin / 2 from where the list was built.
#[test]
fn the_displacement_flag_is_exact() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for (scale, moved) in [(1.0 - 1e-5, false), (1.0 + 1e-5, true)] {
                let mut session = empty([50.0; 3], "p p p", 1);
                run(&mut session, &["pair_style lj/cut 2.5", "pair_coeff 1 1 1.0 1.0"]);
                scatter(&mut session, 20, 3);
                for i in 0..20 {
                    // Too far from each other for any force.
                    session.system.host_atoms.x[i] =
                        [2.0 * i as f64 + 5.0, 6.0 * (i % 8) as f64 + 2.0, 49.99];
                    session.system.host_atoms.v[i] = [0.0; 3];
                }
                session.clock.dt = 0.01;
                // In ten steps of the same direction, across a face.
                let speed = scale * session.neighbor.skin / 2.0 / (10.0 * session.clock.dt);
                session.system.host_atoms.v[13] = [speed / 3.0, -speed * 2.0 / 3.0, speed * 2.0 / 3.0];
                let mut simulation = simulation(&session, &gpu, precision, None);
                for step in 1..=10 {
                    simulation.advance(1, Ending::WITH_ATOMS).unwrap();
                    simulation.finish_step().unwrap();
                    let built = simulation.neighbor.builds() == 1;
                    assert_eq!(built, moved && step == 10, "{step} {precision:?} {}", label(gpu.info()));
                }
                let now = download(&simulation);
                let place = |tag| session.system.host_atoms.tag.iter().position(|&t| t == tag).unwrap();
                let start: Vec<_> =
                    now.tag.iter().map(|&tag| session.system.host_atoms.x[place(tag)]).collect();
                let unwrap = |i: usize| [0, 1, 2].map(|d| now.x[i][d] + 50.0 * f64::from(now.image[i][d]));
                let ends: Vec<_> = (0..20).map(unwrap).collect();
                let farthest = reference::integrate::farthest(&ends, &start);
                assert!((farthest / (scale * 0.15) - 1.0).abs() < 1e-6, "{farthest}");
            }
        }
    }
}

/// `every`, `delay` and `check` decide when lists are made; a rebuild at the first chance is dangerous.
#[test]
fn rebuilds_keep_the_schedule() {
    apart!("cheap");
    let Some(gpu) = &test_devices().into_iter().next() else { return };
    let builds = |change: &dyn Fn(&mut clamps::engine::neighbor::Settings)| {
        let mut session = melt(3, 0.1);
        change(&mut session.neighbor);
        let mut simulation = simulation(&session, gpu, Precision::Mixed, None);
        advance(&mut simulation, 40);
        (simulation.neighbor.builds(), simulation.neighbor.dangerous)
    };
    assert_eq!(builds(&|s| (s.every, s.check) = (20, false)), (2, 0));
    assert_eq!(builds(&|s| (s.every, s.delay, s.check) = (5, 10, false)), (4, 0));
    assert_eq!(builds(&|s| (s.every, s.delay) = (40, 40)), (1, 1));
    let (free, dangerous) = builds(&|_| ());
    assert!(free > 2 && dangerous == 0);
}

/// Forces agree with brute force between two rebuilds.
#[test]
fn forces_stay_right_between_rebuilds() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(1, precisions(&gpu)) {
            let mut session = melt(3, 0.1);
            (session.neighbor.skin, session.neighbor.check, session.neighbor.every) = (0.6, false, 100);
            let mut simulation = simulation(&session, &gpu, precision, Some(shapes(&gpu, precision)[1]));
            advance(&mut simulation, 10);
            assert_eq!(simulation.neighbor.builds(), 0);
            let found = simulation.atoms.forces().unwrap();
            let rms = systems::rms_error(&found, &host_forces(&session, &simulation).force);
            let near = if precision == Precision::Double { 1e-13 } else { 4e-6 };
            assert!(rms < near, "{rms:e} {precision:?} on {}", label(gpu.info()));
        }
    }
}

/// Whole steps, steps in two launches and steps with tallies give the same bits, in every layout.
#[test]
fn fused_and_split_steps_give_the_same_bits() {
    in_third!(1);
    apart!();
    let bits = |gpu: &Gpu, precision, shape, steps: &[u32]| {
        let mut simulation = simulation(&melt(3, 0.1), gpu, precision, Some(shape));
        steps.iter().for_each(|&steps| advance(&mut simulation, steps));
        let Atoms { tag, x, v, .. } = download(&simulation);
        (tag, x, v)
    };
    let name = all_test_devices()[0].info().name.clone();
    let open = |timing| Gpu::open(Some(&name), timing).unwrap();
    let (fused, split) = (open(TimingMode::Off), open(TimingMode::Full));
    for precision in precisions(&fused).iter().copied() {
        // The shapes in mixed precision, in the others one of them each.
        let shapes = shapes(&fused, precision).into_iter().take(3).enumerate();
        let chosen = |m: usize| full() || precision == Precision::Mixed || m == precision as usize / 2;
        for shape in shapes.filter(|(m, _)| chosen(*m)).map(|(_, shape)| shape) {
            let expected = bits(&fused, precision, shape, &[30]);
            assert!(expected == bits(&split, precision, shape, &[30]), "split, {precision:?} {shape:?}");
            // The last step of each advance has tallies.
            assert!(
                expected == bits(&fused, precision, shape, &[7, 9, 14]),
                "tallies, {precision:?} {shape:?}"
            );
        }
    }
}
