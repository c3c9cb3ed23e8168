//! Sums and extremes over atoms.

use crate::common::{all_test_devices, by_turns, label};
use crate::systems::{context, empty, precisions, run, scatter, shapes};
use clamps::base::random::ParkMiller;
use clamps::engine::analysis::reduce::Reductions;
use clamps::engine::device_atoms::{DeviceAtoms, Floats};
use clamps::gpu::options::Precision;
use clamps::gpu::record::Section;
use clamps::model::domain::{Boundary, Domain};
use clamps::reference;
use clamps::session::Session;

/// A cube from the origin.
fn box_of(edge: f64) -> Domain {
    Domain::new([0.0; 3], [edge; 3], [[Boundary::Periodic; 2]; 3]).unwrap()
}

/// Within rounding of a sum of terms of this size.
fn close(found: f64, expected: f64, size: f64, precision: Precision) -> bool {
    let tolerance = if precision == Precision::Double { 1e-13 } else { 2e-6 };
    (found - expected).abs() <= tolerance * size
}

#[test]
fn sums_and_extremes_agree() {
    apart!();
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for shape in by_turns(precision as usize, &shapes(&gpu, precision)[..2]) {
                for n in [0, 1, 2, 63, 64, 65, 1001] {
                    let place = format!("{n} atoms {precision:?} {shape:?} on {}", label(gpu.info()));
                    let mut session = empty([7.0, 8.0, 9.0], "p p p", 2);
                    run(&mut session, &["pair_style lj/cut 2.0", "pair_coeff * * 1.0 1.0"]);
                    scatter(&mut session, n, 21);
                    session.system.host_atoms.mask.iter_mut().step_by(3).for_each(|mask| *mask |= 4);
                    let context = context(&session, &gpu, precision, Some(shape));
                    let atoms = DeviceAtoms::new(&context, &session.system.host_atoms).unwrap();
                    let mass = [1.5, 40.0];
                    let reductions = Reductions::new(&context, &mass).unwrap();

                    for group in [1, 4, 8] {
                        let (found, count) = reductions.kinetic(&atoms, group, None).unwrap();
                        let (expected, members) =
                            reference::reduce::kinetic(&session.system.host_atoms, &mass, group);
                        assert_eq!(count, members, "{place}");
                        let size = expected[..3].iter().sum::<f64>();
                        for (found, expected) in found.into_iter().zip(expected) {
                            assert!(close(found, expected, size, precision), "{place}");
                        }
                    }
                    let wide = context.numerics.wide_pairs();
                    let mut random = ParkMiller::new(5);
                    let tallies: Vec<f64> = (0..8 * n).map(|_| random.gaussian()).collect();
                    let buffer = Floats::from_values(&gpu, "tallies", &tallies, wide).unwrap();
                    let (energy, bond_energy, virial) = reductions.tally(&buffer, n).unwrap();
                    let expected = reference::reduce::tally(&buffer.read(Section::Output, 8 * n).unwrap());
                    assert!(close(energy, expected.0, n as f64, precision), "{place}");
                    assert!(close(bond_energy, expected.1, n as f64, precision), "{place}");
                    for (found, expected) in virial.into_iter().zip(expected.2) {
                        assert!(close(found, expected, n as f64, precision), "{place}");
                    }
                    let row = ((energy, bond_energy, virial), reductions.kinetic(&atoms, 1, None).unwrap().0);
                    assert_eq!(reductions.row(&buffer, &atoms, None).unwrap(), row, "{place}: both in one");
                    extremes_agree(&session, &atoms, &reductions, &place);
                }
                let mut session = empty([7.0, 8.0, 9.0], "p m s", 1);
                let tilt = [1.5, -0.7, 3.1];
                session.system.domain = Some(session.system.domain.take().unwrap().with_tilt(tilt).unwrap());
                run(&mut session, &["pair_style lj/cut 2.0", "pair_coeff * * 1.0 1.0"]);
                scatter(&mut session, 777, 22);
                let context = context(&session, &gpu, precision, Some(shape));
                let atoms = DeviceAtoms::new(&context, &session.system.host_atoms).unwrap();
                let reductions = Reductions::new(&context, &[1.0]).unwrap();
                let place = format!("leaning {precision:?} {shape:?} on {}", label(gpu.info()));
                extremes_agree(&session, &atoms, &reductions, &place);
            }
        }
    }
}

/// Extremes in the box of a state are the twin's; in single precision those of a leaning one to a part of a staged unit.
fn extremes_agree(session: &Session, atoms: &DeviceAtoms, reductions: &Reductions, place: &str) {
    let domain = session.domain().unwrap();
    let numerics = atoms.context.numerics;
    let quantum = match (numerics.wide(), domain.triclinic) {
        (true, _) => 0.0,
        (false, false) => numerics.master_unit(0),
        (false, true) => 256.0 * numerics.master_unit(0),
    };
    // Of all, and of some.
    for some in [0..atoms.n, atoms.n / 3..atoms.n / 2, 0..atoms.n.min(1)] {
        let (lo, hi) = reductions.extent(atoms, domain, some.clone()).unwrap();
        let expected = clamps::model::extent::extent(domain, &session.system.host_atoms.x[some.clone()]);
        for d in 0..3 {
            let same = |a: f64, b: f64| a == b || (a - b).abs() <= quantum;
            assert!(same(lo[d], expected.0[d]) && same(hi[d], expected.1[d]), "{some:?}, {place}");
        }
    }
}

#[test]
fn the_twins_know_their_trade() {
    let mut atoms = clamps::model::atoms::Atoms::default();
    atoms.push(1, 2, [1.0, 2.0, 3.0]);
    atoms.v[0] = [1.0, 2.0, -1.0];
    assert_eq!(reference::reduce::kinetic(&atoms, &[1.0, 3.0], 1), ([3.0, 12.0, 3.0, 6.0, -3.0, -6.0], 1));
    assert_eq!(
        clamps::model::extent::extent(&box_of(10.0), &[[1.0, 5.0, 0.0], [2.0, -5.0, 0.0]]),
        ([1.0, -5.0, 0.0], [2.0, 5.0, 0.0])
    );
    let leaning = box_of(10.0).with_tilt([1.0, 2.0, 5.0]).unwrap();
    assert_eq!(
        clamps::model::extent::extent(&leaning, &[[1.0, 5.0, 2.0], [2.0, -5.0, -4.0]]),
        ([1.0 - 0.4 - 0.4, -5.0 + 2.0, -4.0], [2.0 + 0.3 + 0.8, 5.0 - 1.0, 2.0])
    );
    let rows: Vec<f64> = (0..16).map(f64::from).collect();
    assert_eq!(reference::reduce::tally(&rows), (8.0, 22.0, [10.0, 12.0, 14.0, 16.0, 18.0, 20.0]));
}
