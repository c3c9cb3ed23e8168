//! Moves and sums of a minimization (cl/step/minimize.cl) against their twins.

use crate::common::{all_test_devices, label};
use crate::systems::{download, empty, in_turn, precisions, run, scatter, shapes, simulation};
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::simulation::Simulation;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::model::atoms::Atoms;
use clamps::reference::minimize::{along, damped, sums, turned};
use clamps::run::minimize::vectors::{Carried, Damped, Sums, Vectors};
use clamps::session::Session;

type Rows = Vec<[f64; 3]>;

const MASS: [f64; 2] = [1.5, 0.25];

/// A gas in a box with these faces, that leans or not.
fn gas(faces: &str, tilt: [f64; 3]) -> Session {
    let mut session = empty([6.0, 7.0, 6.5], faces, 2);
    if tilt != [0.0; 3] {
        session.system.domain = Some(session.system.domain.take().unwrap().with_tilt(tilt).unwrap());
    }
    session.system.mass = MASS.map(Some).to_vec();
    run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
    scatter(&mut session, 300, 11);
    session.system.host_atoms.mask.iter_mut().step_by(3).for_each(|mask| *mask |= 4);
    session
}

/// The atoms in the order of their IDs.
fn in_order(atoms: &Atoms) -> Vec<usize> {
    let mut order: Vec<usize> = (0..atoms.len()).collect();
    order.sort_by_key(|&i| atoms.tag[i]);
    order
}

/// By ID: positions in the box.
fn places(simulation: &Simulation) -> Rows {
    let atoms = download(simulation);
    in_order(&atoms).into_iter().map(|i| atoms.x[i]).collect()
}

/// By ID: positions with the box lengths that atoms have been wrapped by, velocities, forces, masks.
fn by_id(simulation: &Simulation) -> (Rows, Rows, Rows, Vec<u32>) {
    let (atoms, force) = (download(simulation), simulation.atoms.forces().unwrap());
    let order = in_order(&atoms);
    let unwrapped = |i: usize| simulation.domain.shifted(atoms.x[i], atoms.image[i].map(f64::from));
    (
        order.iter().map(|&i| unwrapped(i)).collect(),
        order.iter().map(|&i| atoms.v[i]).collect(),
        order.iter().map(|&i| force[i]).collect(),
        order.iter().map(|&i| atoms.mask[i]).collect(),
    )
}

fn masses(simulation: &Simulation) -> Vec<f64> {
    let atoms = download(simulation);
    in_order(&atoms).into_iter().map(|i| MASS[atoms.kind[i] as usize - 1]).collect()
}

/// That rows agree to some distance of what is usual among them.
fn agree(found: &Rows, expected: &Rows, tolerance: f64, place: &str) {
    let usual = expected.iter().flatten().map(|x| x.abs()).sum::<f64>() / (3 * expected.len()) as f64;
    for (id, (found, expected)) in found.iter().zip(expected).enumerate() {
        for d in 0..3 {
            let size = expected[d].abs().max(usual);
            assert!(
                (found[d] - expected[d]).abs() <= tolerance * size,
                "{id}: {found:?} {expected:?}, {place}"
            );
        }
    }
}

fn agree_sums(found: &Sums, expected: &Sums, tolerance: f64, place: &str) {
    let near = |found: f64, expected: f64, size: f64| {
        assert!((found - expected).abs() <= tolerance * size, "{found} {expected}, {place}");
    };
    let size = |a: f64, b: f64| (a * b).sqrt();
    let forces = expected.force_squared;
    near(found.force_squared, forces, forces);
    near(found.squared, expected.squared, expected.squared);
    near(found.along, expected.along, size(forces, expected.squared));
    near(found.before, expected.before, size(forces, forces.max(expected.squared)));
    for (found, expected) in [
        (found.largest_force, expected.largest_force),
        (found.longest_force_squared, expected.longest_force_squared),
        (found.largest, expected.largest),
        (found.largest_push, expected.largest_push),
    ] {
        assert!(expected > 0.0);
        near(found, expected, expected);
    }
}

/// Devices with the shapes and precisions that differ in what these kernels do: each shape in one precision, by the turn of the test.
fn each(turn: usize, mut test: impl FnMut(&Gpu, Precision, LaunchConfig, f64, &str)) {
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let shapes = shapes(&gpu, precision).into_iter().take(2).enumerate();
            for (_, shape) in shapes.filter(|(m, _)| in_turn(&gpu, precision, m + turn)) {
                let near = if precision == Precision::Double { 1e-12 } else { 2e-6 };
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                test(&gpu, precision, shape, near, &place);
            }
        }
    }
}

#[test]
fn searches_go_along_lines() {
    apart!("cheap");
    each(0, |gpu, precision, shape, near, place| {
        let mut session = gas("p p p", [0.0; 3]);
        if precision == Precision::Mixed {
            // Too far apart for a table by ID.
            session.system.host_atoms.tag.iter_mut().for_each(|tag| *tag = *tag * 1_000_003 % 1_999_999_973);
        }
        let mut simulation = simulation(&session, gpu, precision, Some(shape));
        let mass = masses(&simulation);
        let vectors = Vectors::new(&mut simulation, true, false).unwrap();
        let (start, _, first, mask) = by_id(&simulation);

        vectors.turn(&simulation, 0.0).unwrap();
        agree_sums(&vectors.sums(&simulation).unwrap(), &sums(&first, &first, &first, &mass), near, place);
        let step = 1e-3 / sums(&first, &first, &first, &mass).largest;
        vectors.keep_start(&simulation).unwrap();
        vectors.go_along(&simulation, step, None).unwrap();
        agree(&by_id(&simulation).0, &along(&start, &mask, &first, step, None), near, place);
        simulation.tallied_forces().unwrap();
        let (second, energy) = (by_id(&simulation).2, simulation.sums().unwrap().energy);
        assert!(second != first);
        let found = vectors.sums(&simulation).unwrap();
        assert!((found.energy - energy).abs() <= near * energy.abs() && !found.halted, "{place}");
        agree_sums(&vectors.sums(&simulation).unwrap(), &sums(&second, &first, &first, &mass), near, place);
        vectors.turn(&simulation, 0.75).unwrap();
        let direction = turned(&second, &first, 0.75);
        agree_sums(
            &vectors.sums(&simulation).unwrap(),
            &sums(&second, &direction, &second, &mass),
            near,
            place,
        );

        // Far enough for some to cross a face, and for the list: it halts, is built anew, and the way leads back.
        simulation.atoms.step = 1;
        let far = 2.0 / sums(&second, &direction, &second, &mass).largest;
        vectors.go_along(&simulation, far, None).unwrap();
        assert!(vectors.sums(&simulation).unwrap().halted, "{place}");
        simulation.atoms.run_on().unwrap();
        let order = download(&simulation).tag;
        simulation.rebuild().unwrap();
        let atoms = download(&simulation);
        assert!(atoms.tag != order && atoms.image.iter().any(|image| *image != [0; 3]), "{place}");
        agree(&by_id(&simulation).0, &along(&start, &mask, &direction, far, None), near, place);
        vectors.go_along(&simulation, 0.0, None).unwrap();
        agree(&by_id(&simulation).0, &start, near, place);
    });
}

#[test]
fn boxes_take_atoms_along() {
    apart!("cheap");
    each(1, |gpu, precision, shape, near, place| {
        if precision == Precision::Single {
            return; // where boxes do not change
        }
        for (to, tilt, after) in
            [([6.6, 7.0, 6.4], [0.0; 3], [0.0; 3]), ([6.1, 6.9, 6.4], [1.0, -0.5, 0.7], [0.8, -0.6, 0.9])]
        {
            let session = gas("p p p", tilt);
            let mut simulation = simulation(&session, gpu, precision, Some(shape));
            let vectors = Vectors::new(&mut simulation, true, true).unwrap();
            let (start, (_, _, force, mask)) = (places(&simulation), by_id(&simulation));
            vectors.turn(&simulation, 0.0).unwrap();
            vectors.keep_start(&simulation).unwrap();
            let from = simulation.domain.clone();
            let lo = [-0.1, 0.0, 0.2];
            let hi = std::array::from_fn(|d| lo[d] + to[d]);
            let [.., xy, xz, yz] = from.map_to(lo, hi, after);
            let longer = std::array::from_fn(|d| to[d] / from.lengths()[d]);
            let carried = Carried { lo: [from.lo, lo], longer, aside: [xy, xz, yz], mask: 4 };
            simulation.set_tilted_box(lo, hi, after).unwrap();
            let step = 1e-3 / force.iter().flatten().fold(0.0, |most: f64, f| most.max(f.abs()));
            vectors.go_along(&simulation, step, Some(carried)).unwrap();
            agree(&places(&simulation), &along(&start, &mask, &force, step, Some(carried)), near, place);
        }
    });
}

#[test]
fn motion_is_damped() {
    apart!("cheap");
    each(2, |gpu, precision, shape, near, place| {
        let session = gas("p p f", [0.0; 3]);
        let mut simulation = simulation(&session, gpu, precision, Some(shape));
        let mass = masses(&simulation);
        let vectors = Vectors::new(&mut simulation, false, false).unwrap();
        let (mut x, mut v, force, _) = by_id(&simulation);
        let most = sums(&force, &v, &v, &mass).largest_push;
        for step in [
            Damped {
                back: -1e-3,
                first: 0.3 / most,
                keep: 0.7,
                turn: 0.2 / most,
                drift: 2e-3,
                ..Damped::default()
            },
            Damped { fastest: 0.4, drift: 1e-3, last: 0.1 / most, ..Damped::default() },
            Damped { back: -2e-3, rest: true, turn: 0.5 / most, drift: 1e-3, ..Damped::default() },
        ] {
            vectors.move_damped(&simulation, &step).unwrap();
            damped(&mut x, &mut v, &force, &mass, &step);
            let found = by_id(&simulation);
            agree(&found.0, &x, near, place);
            agree(&found.1, &v, near, place);
            agree_sums(&vectors.sums(&simulation).unwrap(), &sums(&force, &v, &v, &mass), near, place);
        }
    });
}
