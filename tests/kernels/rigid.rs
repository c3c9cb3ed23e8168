//! Atoms follow their rigid bodies, against the twin of `clamps::reference::rigid`; bodies that the device moves, against those that the host does.

use crate::common::{all_test_devices, full, label};
use crate::flows::dense_system;
use crate::systems::{cpu_shape, download, gpu_shape, precisions, run, simulation};
use clamps::base::vector::Vector;
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::kernels::options::Rebuild;
use clamps::engine::simulation::Ending;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::model::atoms::Atoms;
use clamps::reference::rigid::{Body, carried};
use clamps::run::fixes::FixRunner;
use clamps::session::Session;
use clamps::session::fix::StepContext;
use clamps::session::fix::coupling::on_device;

/// What the twin makes of an atom of a body: by the table that the fix gives the device, and the numbers at a step.
fn expected(session: &Session, tag: u32) -> Option<[[f64; 3]; 2]> {
    let numbers =
        session.fixes[0].parameters(&StepContext::ahead(session, session.clock.step, [0, 10])).unwrap();
    let (rows, memory) = (numbers[0] as usize, session.fixes[0].memory());
    let (table, _) = memory.as_chunks::<3>();
    let row = tag as usize - 1;
    let number = table[rows + row][0] as usize;
    let vector = |k: usize| std::array::from_fn(|d| numbers[1 + 18 * (number - 1) + 3 * k + d]);
    (number > 0).then(|| {
        let body = Body {
            axes: [vector(0), vector(1), vector(2)],
            centre: vector(3),
            velocity: vector(4),
            omega: vector(5),
        };
        carried(table[row], &body)
    })
}

fn near(found: [f64; 3], expected: [f64; 3], near: f64, what: &str) {
    for d in 0..3 {
        let size = expected[d].abs().max(1.0);
        assert!((found[d] - expected[d]).abs() <= near * size, "{what}: {found:?}, twin {expected:?}");
    }
}

/// All atoms, with their image counts, against the twin; those of no body against what they were.
fn check(session: &Session, atoms: &Atoms, before: &Atoms, tolerance: f64, what: &str) {
    let mut carried = 0;
    for i in 0..atoms.len() {
        let was = before.tag.iter().position(|tag| *tag == atoms.tag[i]).unwrap();
        let domain = session.system.domain.as_ref().unwrap();
        match expected(session, atoms.tag[i]) {
            Some([x, v]) => {
                near(domain.unwrapped(atoms.x[i], atoms.image[i]), x, tolerance, &format!("{what}, place"));
                near(atoms.v[i], v, tolerance, &format!("{what}, velocity"));
                carried += 1;
            }
            None => assert_eq!((atoms.x[i], atoms.v[i]), (before.x[was], before.v[was]), "{what}"),
        }
    }
    assert!(carried > 90 && carried < atoms.len(), "{what}: {carried}");
}

#[test]
fn atoms_follow_their_bodies_as_the_twin_says() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            // With fp64 the device moves the bodies of boxes that do not lean.
            let tilt = (precision != Precision::Single).then_some([1.2, -1.4, 1.5]);
            let mut session = dense_system(tilt, &["pair_coeff * * 1e-3 0.5"]);
            for i in 0..150 {
                session.system.host_atoms.mask[i] = 1 | u32::from(i % 3 != 0) << 1;
                session.system.host_atoms.image[i] = [i as i32 % 3 - 1, 0, 2 - i as i32 % 5];
            }
            run(&mut session, &["variable body atom floor(id/20)", "fix 1 some rigid/nve custom v_body"]);
            let mut simulation = simulation(&session, &gpu, precision, None);
            let hooks = FixRunner::begin(&session, &mut simulation, [0, 10]).unwrap();
            hooks.setup(&session, &mut simulation).unwrap();
            let what = format!("{tilt:?}, {precision:?} on {}", label(gpu.info()));
            let tolerance = if precision == Precision::Single { 1e-5 } else { 1e-12 };
            let before = download(&simulation);
            hooks.prepare(&session, &mut simulation, 1).unwrap();
            session.clock.step += i64::from(simulation.advance(1, Ending::WITH_TALLIES).unwrap());
            check(&session, &download(&simulation), &before, tolerance, &format!("{what}, on the way"));
            hooks.post_force(&session, &mut simulation, false).unwrap();
            simulation.finish_step().unwrap();
            hooks.end_of_step(&session, &mut simulation, true).unwrap();
            check(&session, &download(&simulation), &before, tolerance, &format!("{what}, at the end"));
        }
    }
}

/// Numbers of bodies of so many atoms each, those in a row of two, and one of all; what else the style is told.
const BODIES: [(&str, &str); 4] = [
    ("floor(id/20)", "gravity g"),
    ("floor(id/3)", "langevin 1.0 2.0 0.5 4711"),
    ("1", "torque 1 on off on force 1 on off on"),
    ("floor(id/30)", "torque * off off on langevin 1.0 2.0 0.5 4711"),
];

/// What a run of rigid bodies shows: unwrapped places and velocities, virials of each atom by ID, and what the fix does of each body.
type Shown = (Vec<[Vector; 2]>, Vec<[f64; 6]>, Vec<Vec<f64>>);

/// Twelve steps with a look after the fifth; by the host where the device has the part of a thermostat that does
/// nothing.
fn moved(
    gpu: &Gpu,
    (precision, shape): (Precision, LaunchConfig),
    style: &str,
    (bodies, more): (&str, &str),
    (flat, check): (bool, bool),
    by_device: bool,
) -> Shown {
    let mut session = dense_system(None, &["pair_style soft 1.0", "pair_coeff * * 5.0"]);
    // Every four steps; or where an atom has come so far, at the same steps by the host and the device.
    (session.neighbor.check, session.neighbor.every) = if check { (true, 1) } else { (false, 4) };
    session.options.rebuild = Rebuild::Lammps;
    session.neighbor.skin = 0.1;
    for i in 0..150 {
        session.system.host_atoms.mask[i] = 1 | u32::from(i % 3 != 0) << 1;
        session.system.host_atoms.image[i] = [i as i32 % 3 - 1, 0, 0];
        if flat {
            (session.system.host_atoms.x[i][2], session.system.host_atoms.v[i][2]) = (0.0, 0.0);
        }
    }
    if flat {
        session.system.dimension = 2;
    }
    let other = if by_device { &[][..] } else { &["fix 2 all temp/rescale 1 1.0 1.0 1e9 1.0"] };
    let (variable, rigid) =
        (format!("variable body atom {bodies}"), format!("fix 1 some {style} custom v_body {more}"));
    run(&mut session, &[&[&*variable, "fix g some gravity 0.5 vector 1 0 0", &rigid][..], other].concat());
    let mut simulation = simulation(&session, gpu, precision, Some(shape));
    let hooks = FixRunner::begin(&session, &mut simulation, [0, 12]).unwrap();
    let fix = 1;
    assert_eq!(on_device(&*session.fixes[fix]).is_some(), by_device, "{style}");
    hooks.setup(&session, &mut simulation).unwrap();
    for stop in [5, 12] {
        while session.clock.step < stop {
            let target = hooks.next(&session).min(stop);
            hooks.prepare(&session, &mut simulation, target).unwrap();
            let steps = (target - session.clock.step) as u32;
            session.clock.step += i64::from(simulation.advance(steps, Ending::WITH_TALLIES).unwrap());
            hooks.post_force(&session, &mut simulation, false).unwrap();
            simulation.finish_step().unwrap();
            hooks.end_of_step(&session, &mut simulation, true).unwrap();
        }
    }
    let atoms = download(&simulation);
    let domain = session.system.domain.as_ref().unwrap();
    let virials = session.fixes[fix].virials(&atoms.tag);
    let mut order: Vec<usize> = (0..atoms.len()).collect();
    order.sort_by_key(|&i| atoms.tag[i]);
    let motion = |&i: &usize| [domain.unwrapped(atoms.x[i], atoms.image[i]), atoms.v[i]];
    let system = clamps::session::snapshot::view::Snapshot::new(&session, Some(&simulation));
    let values = session.fixes[fix].values(&system).unwrap();
    let of_bodies = [vec![values.scalar.into_iter().collect()], values.array].concat();
    (order.iter().map(motion).collect(), order.iter().map(|&i| virials[i]).collect(), of_bodies)
}

#[test]
fn bodies_that_the_device_moves_are_where_the_host_has_them() {
    apart!("cheap");
    for gpu in all_test_devices() {
        let wide = precisions(&gpu).contains(&Precision::Double);
        for (turn, style) in ["rigid", "rigid/nve"].into_iter().enumerate().filter(|_| wide) {
            let own = [Precision::Double, Precision::Mixed][turn];
            for precision in [Precision::Double, Precision::Mixed] {
                if precision != own && !full() {
                    continue;
                }
                // By cores that make several steps in a launch, and in launches of their own, a group or a work-item for each body.
                let by_cores = LaunchConfig { steps: 32, ..cpu_shape(&gpu, precision) };
                let shapes =
                    [by_cores, LaunchConfig { cores: 3, ..by_cores }, gpu_shape(&gpu, precision, 1000)];
                for (case, bodies) in BODIES.into_iter().enumerate() {
                    let flat = case % 2 == 1 && turn == 1;
                    // rigid/nve has no thermostat of this kind, and in a plane no torque about x.
                    let bodies = if turn == 1 && case != 0 && case != 2 { (bodies.0, "") } else { bodies };
                    let shown = |shape: LaunchConfig, by_device: bool| {
                        moved(&gpu, (precision, shape), style, bodies, (flat, case < 2), by_device)
                    };
                    let host = shown(by_cores, false);
                    let device = shown(shapes[(turn + case) % 3], true);
                    let tolerance = if precision == Precision::Double { 1e-11 } else { 1e-5 };
                    let what = format!("{style} {bodies:?}, {flat}, {precision:?} on {}", label(gpu.info()));
                    for (found, expected) in device.0.iter().flatten().zip(host.0.iter().flatten()) {
                        near(*found, *expected, tolerance, &what);
                    }
                    let numbers = |shown: &Shown| [shown.1.as_flattened(), &shown.2.concat()].concat();
                    let (found, expected) = (numbers(&device), numbers(&host));
                    assert_eq!(found.len(), expected.len(), "{what}");
                    for (found, expected) in found.into_iter().zip(expected) {
                        let apart = (found - expected).abs();
                        let size = 10.0 * expected.abs().max(1.0);
                        assert!(apart <= tolerance * size, "{what}: {found}, {expected}");
                    }
                }
            }
        }
    }
}
