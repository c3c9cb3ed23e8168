//! Boxes that lean: lists, forces, bonds, wrapping and flow against the twins.

use crate::common::{all_test_devices, full, label, test_devices};
use crate::forces::check;
use crate::lists::lists_are_exact;
use crate::systems::{
    self, bond_neighbours, download, empty, host_forces, in_turn, melt, precisions, rms_error, run, scatter,
    shapes, simulation, some_shapes,
};
use clamps::engine::analysis::per_atom::Given;
use clamps::engine::simulation::Simulation;
use clamps::gpu::options::Precision;
use clamps::model::domain::Flow;
use clamps::reference;
use clamps::script::atom_expr::{AtomExpr, AtomProperty};
use clamps::session::Session;

/// Makes the box of a state lean.
pub(crate) fn lean(mut session: Session, tilt: [f64; 3]) -> Session {
    session.system.domain = Some(session.system.domain.take().unwrap().with_tilt(tilt).unwrap());
    session
}

/// Two types with cutoffs 1.0, 1.5 and 2.0, in boxes of many kinds.
fn leaning() -> Vec<Session> {
    let make = |edges, faces, dimension, n, tilt| {
        let mut session = lean(empty(edges, faces, 2), tilt);
        session.system.dimension = dimension;
        let lines = [
            "pair_style lj/cut 1.5",
            "pair_coeff 1 1 1 0.1 1.0",
            "pair_coeff 2 2 1 0.1 2.0",
            "pair_coeff 1 2 1 0.1",
        ];
        run(&mut session, &lines);
        scatter(&mut session, n, 11);
        session
    };
    vec![
        make([8.0, 8.5, 9.0], "p p p", 3, 300, [4.0, -4.0, 4.25]),
        make([12.0, 3.1, 2.5], "p p p", 3, 100, [5.0, 6.0, -1.5]),
        make([1.5, 1.1, 1.7], "p p p", 3, 5, [0.7, -0.75, 0.5]), // smaller than one cutoff
        make([6.0, 5.0, 6.0], "f p p", 3, 100, [2.9, -2.9, 2.4]),
        make([12.0, 11.0, 0.5], "p p p", 2, 100, [-5.9, 0.0, 0.0]),
    ]
}

#[test]
fn leaning_lists_are_exact_in_single() {
    in_third!(3);
    apart!("cheap");
    lists_are_exact(Precision::Single, leaning, 2);
}

#[test]
fn leaning_lists_are_exact_in_mixed() {
    in_third!(1);
    apart!("cheap");
    lists_are_exact(Precision::Mixed, leaning, 2);
}

#[test]
fn leaning_lists_are_exact_in_double() {
    apart!("cheap");
    lists_are_exact(Precision::Double, leaning, 2);
}

/// The lattice constant of the melt: a box that leans by multiples of it holds the same crystal.
fn constant() -> f64 {
    (4.0_f64 / 0.8442).cbrt()
}

#[test]
fn leaning_forces_agree() {
    in_third!(2);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for (k, shape) in some_shapes(&gpu, precision, 3, full()).into_iter().enumerate() {
                let a = constant();
                let systems = [(5, [2.0 * a, -2.0 * a, a]), (2, [a, -a, a])];
                for (cells, tilt) in systems.into_iter().take(if k == 0 { 2 } else { 1 }) {
                    // With more jitter few close pairs make the sums, and show the rounding of single precision.
                    let session = lean(melt(cells, 0.1), tilt);
                    let place = format!("{cells} cells {precision:?} {shape:?} on {}", label(gpu.info()));
                    check(&session, &simulation(&session, &gpu, precision, Some(shape)), precision, &place);
                }
            }
        }
    }
}

#[test]
fn bonds_reach_across_leaning_faces() {
    in_third!(3);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for cells in [4, 3].into_iter().filter(|cells| in_turn(&gpu, precision, *cells)) {
                let a = constant();
                let mut session = lean(melt(cells, 0.1), [a, -a, a]);
                bond_neighbours(&mut session, 1.3);
                let simulation = simulation(&session, &gpu, precision, None);
                let place = format!("{cells} cells {precision:?} on {}", label(gpu.info()));
                check(&session, &simulation, precision, &place);
            }
        }
    }
}

/// A box that leans more and more and is flipped keeps its forces, with the list of the box before and with a new one.
#[test]
fn forces_follow_a_box_that_leans_and_flips() {
    in_third!(1);
    apart!("cheap");
    for gpu in test_devices() {
        for precision in [Precision::Mixed, Precision::Double] {
            for shape in shapes(&gpu, precision).into_iter().take(2) {
                let a = constant();
                let mut session = lean(melt(4, 0.1), [2.0 * a, -2.0 * a, 2.0 * a]);
                session.neighbor.skin = 0.6;
                let mut simulation = simulation(&session, &gpu, precision, Some(shape));
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                let near = if precision == Precision::Double { 1e-12 } else { 4e-6 };
                let before = download(&simulation);
                let unwrapped = |simulation: &Simulation| {
                    let atoms = download(simulation);
                    let mut all: Vec<(u32, [f64; 3])> = (0..atoms.len())
                        .map(|i| (atoms.tag[i], simulation.domain.unwrapped(atoms.x[i], atoms.image[i])))
                        .collect();
                    all.sort_by_key(|(tag, _)| *tag);
                    all
                };
                for (shear, flip) in [
                    ([-0.04, 0.0, -0.03], [0; 3]),
                    ([0.05, -0.02, 0.06], [-1, 1, -1]),
                    ([0.1, 0.1, 0.0], [0; 3]),
                ] {
                    let (lo, hi, tilt) = (simulation.domain.lo, simulation.domain.hi, simulation.domain.tilt);
                    let tilt = std::array::from_fn(|k| tilt[k] + shear[k]);
                    simulation.set_tilted_box(lo, hi, tilt).unwrap();
                    // Stages the positions anew; there is no fix at this place.
                    simulation.end_stage(9).unwrap();
                    let places = unwrapped(&simulation);
                    simulation.flip_box(flip);
                    for rebuilt in [false, true] {
                        let Simulation { step_kernels, atoms, neighbor, domain, reductions, .. } =
                            &mut simulation;
                        if rebuilt {
                            neighbor.rebuild(atoms, domain, reductions).unwrap();
                            neighbor.make_room(atoms).unwrap();
                        }
                        step_kernels.forces(atoms, neighbor, false).unwrap();
                        let found = simulation.atoms.forces().unwrap();
                        let rms = rms_error(&found, &host_forces(&session, &simulation).force);
                        assert!(rms < near, "{rms:e}, {shear:?}, {flip:?}, rebuilt {rebuilt}, {place}");
                    }
                    for ((tag, x), (other, y)) in places.iter().zip(&unwrapped(&simulation)) {
                        let same = (0..3).all(|d| (x[d] - y[d]).abs() < 1e-10);
                        assert!(tag == other && same, "{x:?} {y:?}, {flip:?}, {place}");
                    }
                }
                assert_eq!(before.len(), download(&simulation).len());
            }
        }
    }
}

/// Atoms far outside take up the flow of the box as they are wrapped, and what moves relative to it is measured.
#[test]
fn atoms_are_carried_by_the_flow() {
    apart!("cheap");
    let flow = Flow { rate: [0.1, -0.2, 0.3, 0.7, -0.4, 0.5], lo_rate: [0.05, 0.1, -0.15], carried: 2 };
    for gpu in test_devices() {
        for precision in [Precision::Mixed, Precision::Double] {
            for tilt in [[0.0; 3], [2.0, -1.5, 1.0]] {
                let mut session = empty([6.0, 5.0, 7.0], "p p p", 2);
                if tilt != [0.0; 3] {
                    session = lean(session, tilt);
                }
                run(&mut session, &["pair_style lj/cut 1.5", "pair_coeff * * 1 0.1"]);
                scatter(&mut session, 120, 5);
                for i in 0..session.system.host_atoms.len() {
                    let by = |n: usize| 6.0 * ((i / n % 5) as f64 - 2.0);
                    let x = &mut session.system.host_atoms.x[i];
                    *x = [x[0] + by(1), x[1] + by(3), x[2] + by(7)];
                    session.system.host_atoms.mask[i] = if i % 4 == 0 { 1 } else { 3 };
                }
                session.system.domain.as_mut().unwrap().flow = flow;
                let domain = session.system.domain.clone().unwrap();
                let simulation = simulation(&session, &gpu, precision, None);
                let (start, found) = (&session.system.host_atoms, download(&simulation));
                let order: Vec<usize> =
                    found.tag.iter().map(|tag| start.tag.iter().position(|t| t == tag).unwrap()).collect();
                let place = format!("{tilt:?} {precision:?} on {}", label(gpu.info()));
                for (k, &i) in order.iter().enumerate() {
                    let (_, crossed) = reference::cells::wrap(&domain, start.x[i], [0; 3]);
                    assert_eq!(crossed, found.image[k], "{place}");
                    let v = match start.mask[i] & flow.carried {
                        0 => start.v[i],
                        _ => reference::cells::carry(start.v[i], crossed, flow.rate),
                    };
                    let wrong = (0..3).map(|d| (v[d] - found.v[k][d]).abs()).fold(0.0, f64::max);
                    assert!(wrong < 1e-13, "{v:?} {:?}, {place}", found.v[k]);
                }
                let streams = domain.streaming_recipes();
                let u =
                    AtomExpr::vector(AtomProperty::V).into_iter().zip(streams).map(|(v, stream)| v - stream);
                let given =
                    Given { atoms: &simulation.atoms, masses: simulation.reductions.masses(), tally: None };
                let [x, y, z] = u.collect::<Vec<_>>().try_into().unwrap();
                let products = [[&x, &x], [&y, &y], [&z, &z], [&x, &y], [&x, &z], [&y, &z]];
                let products = products.map(|[a, b]: [&AtomExpr; 2]| {
                    AtomExpr::own(AtomProperty::Mass) * (a.clone() * b.clone())
                });
                let worked = simulation.columns.work_out(&products, given).unwrap().unwrap();
                let mvv: Vec<f64> = worked.moments(2).unwrap().unwrap().iter().map(|one| one.sum).collect();
                let mut relative = found.clone();
                for i in 0..relative.len() {
                    let stream = domain.streaming(found.x[i]);
                    (0..3).for_each(|d| relative.v[i][d] -= stream[d]);
                }
                let (expected, _) = reference::reduce::kinetic(&relative, &systems::mass(&session), 2);
                for (a, b) in mvv.iter().zip(expected) {
                    assert!((a - b).abs() < 1e-11 * expected[0], "{mvv:?} {expected:?}, {place}");
                }
            }
        }
    }
}
