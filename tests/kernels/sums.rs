//! Fixes whose functions go on with sums over all atoms in the same step (cl/analysis/fix_sums.cl).

use crate::common::{all_test_devices, by_turns, chosen, label, test_devices};
use crate::fixes::governed;
use crate::systems::{download, empty, melt, other_shape, precisions, run, scatter, simulation};
use clamps::base::vector::Vector;
use clamps::engine::kernels::LaunchConfig;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::reference::fix::addforce;

/// One group of work-items for all sums, and several.
fn shapes(gpu: &Gpu, precision: Precision) -> [Option<LaunchConfig>; 2] {
    [None, Some(LaunchConfig { reduce_groups: 3, reduce_local: 4, ..other_shape(gpu, precision) })]
}

/// What a spring from the centre of atoms to a point adds to the force on each, per mass: all have the same.
fn tether(x: &[Vector], mass: f64, k: f64, point: [Option<f64>; 3], length: f64) -> Vector {
    let count = x.len() as f64;
    let way: Vector = std::array::from_fn(|d| {
        point[d].map_or(0.0, |point| point - x.iter().map(|x| x[d]).sum::<f64>() / count)
    });
    let r = way.iter().map(|way| way * way).sum::<f64>().sqrt();
    way.map(|way| k * (r - length) * way / r / (mass * count))
}

#[test]
fn sums_are_those_of_forces_as_earlier_fixes_have_changed_them() {
    in_third!(2);
    apart!("cheap");
    const MASS: f64 = 2.5;
    for gpu in all_test_devices() {
        let cases = precisions(&gpu).iter().copied().flat_map(|precision| {
            let shapes = by_turns(precision as usize, &shapes(&gpu, precision));
            shapes.into_iter().map(move |shape| (precision, shape))
        });
        for (precision, shape) in cases {
            let mut session = empty([6.0; 3], "p f f", 1);
            session.system.mass = vec![Some(MASS)];
            run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
            scatter(&mut session, 200, 11);
            session.system.groups.names.extend(["some".to_owned(), "none".to_owned()]);
            let masks = session.system.host_atoms.mask.iter_mut().enumerate();
            masks.for_each(|(i, mask)| *mask = if i % 3 == 0 { 3 } else { 1 });
            run(
                &mut session,
                &[
                    "region low block INF INF INF INF 0 3 units box",
                    "fix push all addforce 0.3 0.2 0.1 region low",
                    "fix mean some aveforce 0.5 NULL -0.25",
                    "fix low all aveforce NULL 0.125 0.0 region low",
                    "fix nobody none aveforce 1 1 1",
                    "fix tether some spring tether 40.0 1.0 NULL 2.0 0.5",
                ],
            );
            let mut simulation = simulation(&session, &gpu, precision, shape);
            let (atoms, before) = (download(&simulation), simulation.atoms.forces().unwrap());
            let mut force = before.clone();
            simulation.first_forces().unwrap();
            let found = simulation.atoms.forces().unwrap();

            let some: Vec<usize> = (0..atoms.len()).filter(|&i| atoms.mask[i] & 2 != 0).collect();
            let low: Vec<usize> = (0..atoms.len()).filter(|&i| atoms.x[i][2] <= 3.0).collect();
            assert!(some.len() > 60 && low.len() > 60 && low.len() < 140);
            low.iter().for_each(|&i| force[i] = addforce(force[i], atoms.x[i], [0.3, 0.2, 0.1]).0);
            for (members, push) in
                [(&some, [Some(0.5), None, Some(-0.25)]), (&low, [None, Some(0.125), Some(0.0)])]
            {
                for (d, push) in push.into_iter().enumerate() {
                    let Some(push) = push else { continue };
                    let mean = members.iter().map(|&i| force[i][d]).sum::<f64>() / members.len() as f64;
                    members.iter().for_each(|&i| force[i][d] = mean + push);
                }
            }
            // The box is periodic along x, where atoms have crossed nothing yet.
            let places: Vec<Vector> = some.iter().map(|&i| atoms.x[i]).collect();
            let pull = tether(&places, MASS, 40.0, [Some(1.0), None, Some(2.0)], 0.5);
            some.iter().for_each(|&i| (0..3).for_each(|d| force[i][d] += MASS * pull[d]));

            // A mean is as good as what it is made from.
            let usual = before.iter().flatten().map(|f| f.abs()).sum::<f64>() / (3 * atoms.len()) as f64;
            let near = if precision == Precision::Double { 1e-12 } else { 2e-5 };
            for (i, (found, expected)) in found.iter().zip(&force).enumerate() {
                for d in 0..3 {
                    let what = format!("atom {i}, {precision:?} {shape:?} on {}", label(gpu.info()));
                    let size = expected[d].abs().max(usual);
                    assert!((found[d] - expected[d]).abs() <= near * size, "{what}: {found:?} {expected:?}");
                }
            }
        }
    }
}

/// Many alike fixes one after another share the functions that make their sums; each finds the forces as those before it have left them.
#[test]
fn sums_of_many_alike_fixes_follow_one_another() {
    apart!("cheap");
    const MASS: f64 = 2.5;
    const COUNT: usize = 11;
    for gpu in test_devices() {
        for shape in shapes(&gpu, Precision::Double) {
            let mut session = empty([6.0; 3], "p f f", 1);
            session.system.mass = vec![Some(MASS)];
            run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
            scatter(&mut session, 200, 11);
            session.system.groups.names.push("some".to_owned());
            let masks = session.system.host_atoms.mask.iter_mut().enumerate();
            masks.for_each(|(i, mask)| *mask = if i % 3 == 0 { 3 } else { 1 });
            let push = |k: usize| 0.3 + 0.1 * k as f64;
            for k in 0..COUNT {
                run(&mut session, &[&format!("fix mean{k} some aveforce {} NULL -0.25", push(k))]);
            }
            // Those of another style come behind all of these.
            for k in 0..COUNT {
                let point = 1.0 + 0.2 * k as f64;
                run(&mut session, &[&format!("fix tether{k} some spring tether 40.0 {point} NULL 2.0 0.5")]);
            }
            let mut simulation = simulation(&session, &gpu, Precision::Double, shape);
            let (atoms, mut force) = (download(&simulation), simulation.atoms.forces().unwrap());
            let usual = force.iter().flatten().map(|f| f.abs()).sum::<f64>() / (3 * atoms.len()) as f64;
            simulation.first_forces().unwrap();
            let found = simulation.atoms.forces().unwrap();
            let some: Vec<usize> = (0..atoms.len()).filter(|&i| atoms.mask[i] & 2 != 0).collect();
            let places: Vec<Vector> = some.iter().map(|&i| atoms.x[i]).collect();
            // Each one makes the force the mean of what the one before has made, and its own number.
            for (d, pushes) in [(0, (0..COUNT).map(push).sum::<f64>()), (2, -0.25 * COUNT as f64)] {
                let mean = some.iter().map(|&i| force[i][d]).sum::<f64>() / some.len() as f64;
                some.iter().for_each(|&i| force[i][d] = mean + pushes);
            }
            for k in 0..COUNT {
                let pull = tether(&places, MASS, 40.0, [Some(1.0 + 0.2 * k as f64), None, Some(2.0)], 0.5);
                some.iter().for_each(|&i| (0..3).for_each(|d| force[i][d] += MASS * pull[d]));
            }
            for (i, (found, expected)) in found.iter().zip(&force).enumerate() {
                for d in 0..3 {
                    let what = format!("atom {i}, {shape:?} on {}", label(gpu.info()));
                    let near = 1e-12 * expected[d].abs().max(usual);
                    assert!((found[d] - expected[d]).abs() <= near, "{what}: {found:?} {expected:?}");
                }
            }
        }
    }
}

/// With what else a step may be: one of its own, one in a box that moves, and one that another fix takes part in.
#[test]
fn steps_have_the_same_bits_however_often_the_host_looks() {
    in_third!(3);
    apart!();
    for gpu in test_devices() {
        for (case, (precision, moves)) in [
            (Precision::Double, &["fix 1 all nve"][..]),
            (Precision::Mixed, &["fix 1 all nvt temp 1.0 1.5 0.1"]),
            (Precision::Double, &["fix 1 all npt temp 1.0 1.0 0.1 iso 1.0 2.0 0.5"]),
            (Precision::Single, &["fix 1 all nve", "fix 2 all recenter INIT INIT NULL"]),
        ]
        .into_iter()
        .enumerate()
        {
            let shapes = shapes(&gpu, precision).into_iter().enumerate();
            for (_, shape) in shapes.filter(|(m, _)| chosen(&[*m, case])) {
                let go = |stretch| {
                    let mut session = melt(3, 0.1);
                    session.fixes.clear();
                    session.system.groups.names.push("some".to_owned());
                    session.system.host_atoms.mask.iter_mut().step_by(3).for_each(|mask| *mask = 3);
                    run(&mut session, moves);
                    run(&mut session, &["fix mean some aveforce 0.5 NULL -0.25"]);
                    // As many as share their functions.
                    for k in 0..9 {
                        run(&mut session, &[&format!("fix tether{k} some spring tether 4{k} 1 2 3 0.5")]);
                    }
                    governed(&mut session, &gpu, (precision, shape), stretch).1
                };
                let found = go(21);
                for stretch in [4, 1] {
                    let place = format!("{moves:?} {shape:?} on {}", label(gpu.info()));
                    assert!(go(stretch) == found, "{place}, looked at every {stretch}");
                }
            }
        }
    }
}
