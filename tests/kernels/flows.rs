//! Fixes that move atoms with a flow and with a box that changes, against the twins of `clamps::model::flow`.

use crate::common::{all_test_devices, by_turns, label, test_devices};
use crate::systems::{download, empty, precisions, run, scatter, simulation};
use clamps::base::random::philox;
use clamps::engine::simulation::{Ending, Simulation};
use clamps::gpu::options::Precision;
use clamps::model::flow::{Planes, damped, follow_box, growth, one_way, sllod};
use clamps::run::fixes::FixRunner;
use clamps::session::Session;
use clamps::session::fix::StepContext;
use clamps::session::fix::coupling::on_device;

type Vectors = Vec<[f64; 3]>;

fn same(found: &Vectors, expected: &Vectors, near: f64, what: &str) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        for d in 0..3 {
            let size = expected[d].abs().max(1.0);
            let apart = (found[d] - expected[d]).abs();
            assert!(apart <= near * size, "{what}, atom {i}: {found:?}, twin {expected:?}");
        }
    }
}

/// Atoms in a box that leans, or does not, with the fixes of some lines.
fn flowing(tilt: Option<[f64; 3]>, lines: &[&str]) -> Session {
    let mut session = dense_system(tilt, lines);
    let flow = session.fixes.iter().find_map(|fix| fix.box_rate(&session, [0, 10])).expect("a flow");
    session.system.domain.as_mut().unwrap().flow = flow;
    session
}

/// The same without a flow.
pub(crate) fn dense_system(tilt: Option<[f64; 3]>, lines: &[&str]) -> Session {
    let mut session = empty([6.0, 5.0, 5.5], "p p p", 2);
    if let Some(tilt) = tilt {
        session.system.domain = Some(session.system.domain.take().unwrap().with_tilt(tilt).unwrap());
    }
    (session.system.mass, session.clock.dt) = (vec![Some(2.5), Some(0.8)], 0.01);
    // Atoms that start too near to each other go far in a step.
    (session.neighbor.check, session.neighbor.every) = (false, 100);
    session.fixes.clear();
    run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 1.0 0.5"]);
    scatter(&mut session, 150, 11);
    session.system.groups.names.push("some".to_owned());
    session
        .system
        .host_atoms
        .mask
        .iter_mut()
        .enumerate()
        .for_each(|(i, mask)| *mask = 1 | u32::from(i % 3 == 0) << 1);
    run(&mut session, lines);
    session
}

/// The chain by the device and by the host, which has it where another fix could have its part on the device, too.
#[test]
fn sllod_follows_the_twin() {
    in_third!(1);
    apart!("cheap");
    for gpu in test_devices() {
        for precision in [Precision::Mixed, Precision::Double] {
            for (whole, by_device) in [(false, true), (true, true), (true, false)] {
                let psllod = if whole { "yes" } else { "no" };
                let thermostat = format!("fix 1 all nvt/sllod temp 1.0 1.0 0.1 psllod {psllod}");
                let deform = "fix 2 all deform 1 xy erate 0.3 yz erate -0.2 x erate 0.1 remap v";
                let other = if by_device { &[][..] } else { &["fix 3 all temp/rescale 1 1.0 1.0 1e9 1.0"] };
                // Forces that stay small: the chain is to find a temperature that it can do something about.
                let soft = ["pair_style soft 1.0", "pair_coeff * * 5.0"];
                let lines = [&soft[..], &[&*thermostat, deform], other].concat();
                let session = flowing(Some([1.2, -1.4, 1.5]), &lines);
                let mut simulation = simulation(&session, &gpu, precision, None);
                let hooks = FixRunner::begin(&session, &mut simulation, [0, 10]).unwrap();
                assert_eq!(on_device(&*session.fixes[0]).is_some(), by_device);
                hooks.prepare(&session, &mut simulation, 1).unwrap();
                let domain = simulation.domain.clone();
                let (mut atoms, force) = (download(&simulation), simulation.atoms.forces().unwrap());
                let what = format!("psllod {psllod}, {precision:?} on {}", label(gpu.info()));
                let near = if precision == Precision::Double { 1e-12 } else { 1e-6 };
                let mass = |kind: u32| [2.5, 0.8][kind as usize - 1];
                let kick = |i: usize, kind: u32, force: &Vectors| {
                    force[i].map(|f| 0.5 * session.clock.dt * f / mass(kind))
                };
                let stream = |x| domain.streaming(x);
                // The factors of thermal velocities before the first kick and at the end of the step.
                let factors = |simulation: &Simulation| {
                    let by_host =
                        session.fixes[0].parameters(&StepContext::ahead(&session, 1, [0, 10])).unwrap();
                    match simulation.step_kernels.feedback().unwrap()[..] {
                        [] => [by_host[by_host.len() - 2], by_host[by_host.len() - 1]],
                        ref remembered => [remembered[0], remembered[3]],
                    }
                };
                let Simulation { step_kernels, atoms: resident, neighbor, .. } = &mut simulation;
                resident.step = 1;
                step_kernels.begin(resident, neighbor).unwrap();
                step_kernels.forces(resident, neighbor, false).unwrap();
                let [factor, last] = factors(&simulation);
                assert!((factor - 1.0).abs() > 1e-4 && last == 1.0, "{factor} {last}");
                for i in 0..atoms.len() {
                    let v = sllod(atoms.x[i], atoms.v[i], stream, factor, session.clock.dt, whole);
                    let kick = kick(i, atoms.kind[i], &force);
                    atoms.v[i] = std::array::from_fn(|d| v[d] + kick[d]);
                    atoms.x[i] = std::array::from_fn(|d| atoms.x[i][d] + session.clock.dt * atoms.v[i][d]);
                }
                let found = download(&simulation);
                same(&found.v, &atoms.v, near, &format!("before the forces, {what}"));
                same(&found.x, &atoms.x, near, &what);
                let force = simulation.atoms.forces().unwrap();
                simulation.finish_step().unwrap();
                let remembered = if by_device {
                    simulation.end_feedback().unwrap();
                    simulation.step_kernels.feedback().unwrap()
                } else {
                    simulation.end_stage(0).unwrap();
                    Vec::new()
                };
                let [_, factor] = factors(&simulation);
                let mut mvv = 0.0;
                for i in 0..atoms.len() {
                    let kick = kick(i, atoms.kind[i], &force);
                    let v: [f64; 3] = std::array::from_fn(|d| atoms.v[i][d] + kick[d]);
                    let flow = stream(atoms.x[i]);
                    let thermal: f64 = (0..3).map(|d| (v[d] - flow[d]).powi(2)).sum();
                    mvv += mass(atoms.kind[i]) * thermal;
                    atoms.v[i] = sllod(atoms.x[i], v, stream, factor, session.clock.dt, whole);
                }
                same(&download(&simulation).v, &atoms.v, near, &what);
                if by_device {
                    // The temperature that the chain has found and scaled.
                    let temperature = mvv / (3 * atoms.len() - 3) as f64 * factor.powi(2);
                    let apart = (remembered[6] / temperature - 1.0).abs();
                    assert!(factor != 1.0 && apart < near, "{} {temperature}, {what}", remembered[6]);
                }
            }
        }
    }
}

#[test]
fn positions_follow_a_box_as_the_twin_says() {
    in_third!(2);
    apart!("cheap");
    for gpu in test_devices() {
        for precision in [Precision::Mixed, Precision::Double] {
            for (tilt, deform) in [
                (None, "x erate 0.5 y volume z delta -0.1 0.2"),
                (Some([1.2, -1.4, 1.5]), "xy erate 0.3 yz erate -0.2 z erate 0.1"),
            ] {
                let line = format!("fix 2 some deform 1 {deform} remap x");
                let mut session = flowing(tilt, &["fix 1 all nve", &line]);
                let mut simulation = simulation(&session, &gpu, precision, None);
                let hooks = FixRunner::begin(&session, &mut simulation, [0, 10]).unwrap();
                hooks.prepare(&session, &mut simulation, 1).unwrap();
                session.clock.step += i64::from(simulation.advance(1, Ending::WITH_ATOMS).unwrap());
                hooks.post_force(&session, &mut simulation, false).unwrap();
                simulation.finish_step().unwrap();
                let (mut atoms, before) = (download(&simulation), simulation.domain.clone());
                hooks.end_of_step(&session, &mut simulation, true).unwrap();
                assert!(simulation.domain != before);
                for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & 2 != 0) {
                    atoms.x[i] = follow_box(atoms.x[i], &before, &simulation.domain);
                }
                let what = format!("{deform}, {precision:?} on {}", label(gpu.info()));
                same(&download(&simulation).x, &atoms.x, 1e-13, &what);
            }
        }
    }
}

/// A step of `fix msst` on some of the atoms; what the rates of velocity and box are it says itself.
#[test]
fn shocked_atoms_follow_the_twin() {
    apart!("cheap");
    for gpu in test_devices() {
        for precision in [Precision::Mixed, Precision::Double] {
            // Atoms that lie near to each other are not to be the fastest by far.
            let soft = "pair_coeff * * 1e-5 0.3";
            let mut session = dense_system(None, &[soft, "fix 1 some msst y 3.0 q 5.0 mu 20.0 tscale 0.3"]);
            let mut simulation = simulation(&session, &gpu, precision, None);
            let hooks = FixRunner::begin(&session, &mut simulation, [0, 10]).unwrap();
            hooks.setup(&session, &mut simulation).unwrap();
            let (mut atoms, first) = (download(&simulation), simulation.atoms.forces().unwrap());
            hooks.prepare(&session, &mut simulation, 1).unwrap();
            let numbers = session.fixes[0].parameters(&StepContext::ahead(&session, 1, [0, 10])).unwrap();
            let vector = |first: usize| -> [f64; 3] { std::array::from_fn(|d| numbers[first + d]) };
            let (still, factors) = (vector(1), [vector(4), vector(7)]);
            assert!(factors.iter().all(|f| (f[1] - 1.0).abs() > 1e-4 && (f[0], f[2]) == (1.0, 1.0)));
            // Across the shock there is friction alone, whose rate is that of the first numbers by mass.
            let friction = numbers[10].ln() * 2.5;
            let squeeze = numbers[11].ln() - numbers[10].ln();
            assert!(friction > 1e-4 && squeeze.abs() > 1e-4, "{friction} {squeeze}");
            let kick = |v: [f64; 3], kind: u32, force: [f64; 3], half: usize| {
                let mass = [2.5, 0.8][kind as usize - 1];
                let rate = |d: usize| match half {
                    0 => friction / mass + if d == 1 { squeeze } else { 0.0 },
                    // The box has become another one.
                    _ => numbers[22 + 6 * (kind as usize - 1) + d].ln(),
                };
                let [kept, pushed] = [0, 1].map(|k| std::array::from_fn(|d| growth(rate(d))[k]));
                damped(v, force.map(|f| 0.5 * session.clock.dt * f / mass), [kept, pushed])
            };
            let dilate = |x: [f64; 3], factor: [f64; 3]| {
                std::array::from_fn(|d| still[d] + factor[d] * (x[d] - still[d]))
            };
            let near = if precision == Precision::Double { 1e-12 } else { 1e-6 };
            let what = format!("{precision:?} on {}", label(gpu.info()));
            for (i, force) in first.into_iter().enumerate() {
                let (mut x, mut v, mine) = (atoms.x[i], atoms.v[i], atoms.mask[i] & 2 != 0);
                if mine {
                    v = kick(v, atoms.kind[i], force, 0);
                }
                for (half, factor) in factors.into_iter().enumerate() {
                    if mine && half == 1 {
                        x = std::array::from_fn(|d| x[d] + session.clock.dt * v[d]);
                    }
                    (x, v) = (dilate(x, factor), std::array::from_fn(|d| v[d] * factor[d]));
                }
                (atoms.x[i], atoms.v[i]) = (x, v);
            }
            session.clock.step += i64::from(simulation.advance(1, Ending::WITH_TALLIES).unwrap());
            let found = download(&simulation);
            same(&found.x, &atoms.x, near, &what);
            same(&found.v, &atoms.v, near, &format!("before the forces, {what}"));
            let force = simulation.atoms.forces().unwrap();
            hooks.post_force(&session, &mut simulation, false).unwrap();
            simulation.finish_step().unwrap();
            for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & 2 != 0) {
                atoms.v[i] = kick(atoms.v[i], atoms.kind[i], force[i], 1);
            }
            same(&download(&simulation).v, &atoms.v, near, &what);
        }
    }
}

/// One drift in a box with two planes besides its faces.
#[test]
fn walls_of_a_flow_follow_the_twin() {
    in_third!(2);
    apart!();
    for gpu in all_test_devices() {
        for precision in by_turns(0, precisions(&gpu)) {
            let mut session = empty([6.0; 3], "p p p", 2);
            (session.clock.dt, session.clock.step) = (0.4, (1 << 33) + 5);
            session.system.mass = vec![Some(2.5), Some(0.8)];
            run(&mut session, &["pair_style zero 1.0", "pair_coeff * *"]);
            scatter(&mut session, 300, 11);
            run(&mut session, &["fix w all wall/flow y 0.7 1.3 987654321 2 2.0 4.5 units box"]);
            let mut simulation = simulation(&session, &gpu, precision, None);
            let before = download(&simulation);
            let Simulation { step_kernels, atoms, neighbor, .. } = &mut simulation;
            atoms.step = 1;
            step_kernels.begin(atoms, neighbor).unwrap();
            let found = download(&simulation);
            let places = vec![0.0, 2.0, 4.5, 6.0];
            let mut expected = before.v.clone();
            let mut through = 0;
            for i in 0..before.len() {
                let v = before.v[i];
                let x: [f64; 3] = std::array::from_fn(|d| before.x[i][d] + session.clock.dt * v[d]);
                let near_plane = places.iter().any(|place| (x[1] - place).abs() < 1e-5);
                assert!(!near_plane, "an atom that rounding takes through a plane");
                let thermal = (2.6 / [2.5_f64, 0.8][before.kind[i] as usize - 1]).sqrt();
                let planes = Planes { axis: 1, places: places.clone(), velocity: 0.7, thermal };
                let step = session.clock.step + 1;
                let counter = [before.tag[i], step as u32, (step >> 32) as u32, 0];
                let u =
                    philox(counter, [987_654_321, 12]).map(|word| (f64::from(word) + 0.5) / 2f64.powi(32));
                expected[i] = planes.pass(x, v, session.clock.dt, u);
                through += usize::from(expected[i] != v);
            }
            assert!(through > 40, "{through}");
            let near = if precision == Precision::Single { 3e-4 } else { 1e-11 };
            same(&found.v, &expected, near, &format!("{precision:?} on {}", label(gpu.info())));
        }
    }
}

/// The end of two steps, of which one is a multiple of what the fix says. The kick of the fix after it comes first.
#[test]
fn regions_of_one_way_follow_the_twin() {
    apart!();
    for gpu in all_test_devices() {
        for precision in by_turns(1, precisions(&gpu)) {
            let mut session = empty([6.0; 3], "p p p", 1);
            (session.clock.dt, session.system.mass) = (0.02, vec![Some(2.5)]);
            session.fixes.clear();
            run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
            scatter(&mut session, 300, 11);
            session.system.groups.names.push("some".to_owned());
            let mask = |i: usize| 1 | u32::from(!i.is_multiple_of(3)) << 1;
            session.system.host_atoms.mask.iter_mut().enumerate().for_each(|(i, all)| *all = mask(i));
            run(&mut session, &["region ball sphere 3 3 3 2.6 units box", "fix 2 some oneway 2 ball -y"]);
            run(&mut session, &["fix 1 all nve"]);
            let simulation = simulation(&session, &gpu, precision, None);
            let (mut atoms, force) = (download(&simulation), simulation.atoms.forces().unwrap());
            let mut simulation = simulation;
            let mut turned = 0;
            for step in [1, 2] {
                let Simulation { step_kernels, atoms: resident, neighbor, .. } = &mut simulation;
                resident.step = step;
                // The forces stay as they are: only the halves of a step that follow them are looked at.
                step_kernels.end(resident, neighbor).unwrap();
                for (i, force) in force.iter().enumerate() {
                    let kicked =
                        std::array::from_fn(|d| atoms.v[i][d] + 0.5 * session.clock.dt * force[d] / 2.5);
                    let inside = atoms.x[i].iter().map(|x| (x - 3.0).powi(2)).sum::<f64>() <= 2.6 * 2.6;
                    let caught = inside && atoms.mask[i] & 2 != 0 && step % 2 == 0;
                    atoms.v[i] = if caught { one_way(kicked, 1, -1.0) } else { kicked };
                    turned += usize::from(atoms.v[i] != kicked);
                }
                let what = format!("step {step}, {precision:?} on {}", label(gpu.info()));
                let near = if precision == Precision::Double { 1e-12 } else { 2e-5 };
                same(&download(&simulation).v, &atoms.v, near, &what);
            }
            assert!((20..200).contains(&turned), "{turned}");
        }
    }
}
