//! Sums over the atoms of a group that computes ask for (cl/analysis/group_sums.cl), against their twins.

use crate::common::{all_test_devices, label};
use crate::systems::{
    download, empty, host_lists, melt, other_shape, precisions, run, scatter, shapes, simulation,
};
use clamps::base::random::ParkMiller;
use clamps::engine::analysis::group_sums;
use clamps::engine::analysis::group_sums::{ReferenceValues, SumTerm};
use clamps::gpu::options::Precision;

#[test]
fn sums_are_those_of_the_twins() {
    in_third!(2);
    apart!();
    const MASS: [f64; 2] = [1.5, 4.0];
    for gpu in all_test_devices() {
        for (k, precision) in precisions(&gpu).iter().copied().enumerate() {
            let mut session = empty([8.0, 9.0, 10.0], "p p f", 2);
            if k == 1 {
                session.system.domain =
                    Some(session.system.domain.take().unwrap().with_tilt([1.5, 0.0, 0.0]).unwrap());
            }
            session.system.mass = MASS.map(Some).to_vec();
            run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
            scatter(&mut session, 300, 17);
            let mut random = ParkMiller::new(31);
            let mut three = |width: f64| std::array::from_fn::<f64, 3, _>(|_| width * random.gaussian());
            for i in 0..session.system.host_atoms.len() {
                session.system.host_atoms.v[i] = three(1.0);
                session.system.host_atoms.image[i] = three(2.0).map(|x| x as i32);
                session.system.host_atoms.image[i][2] = 0;
                session.system.host_atoms.mask[i] = if i % 3 == 0 { 5 } else { 1 };
            }
            // Of some atoms nothing is kept.
            let earlier = (1..=300).filter(|id| id % 7 != 0).map(|id| (id, three(5.0)));
            let kept = ReferenceValues::new(earlier.collect::<Vec<_>>());
            let shape = (k == 0).then(|| other_shape(&gpu, precision));
            let simulation = simulation(&session, &gpu, precision, shape);
            let atoms = download(&simulation);
            let forces = simulation.atoms.forces().unwrap();
            let about = [1.5, -0.5, 0.25];
            for (term, group) in SumTerm::ALL.iter().flat_map(|term| [(term, 1), (term, 4), (term, 8)]) {
                let place = format!("{} of {group} {precision:?} on {}", term.name, label(gpu.info()));
                let members: Vec<usize> = (0..atoms.len()).filter(|&i| atoms.mask[i] & group != 0).collect();
                let of_kept = term.keeps.then_some(&kept);
                let position = |i: usize| simulation.domain.unwrapped(atoms.x[i], atoms.image[i]);
                let mass = |kind: u32| MASS[kind as usize - 1];
                let what = (term, about, of_kept);
                let expected = group_sums::on_host(what, &members, &atoms, Some(&forces), position, mass);
                let (resident, cells) = (&simulation.atoms, simulation.neighbor.cells());
                let reductions = &simulation.reductions;
                let found =
                    simulation.surveys.sums(what, (group, None), resident, cells, reductions).unwrap();
                let Some(found) = found else {
                    assert_eq!(precision, Precision::Single, "{place}");
                    continue;
                };
                assert_eq!(found.count, members.len() as f64, "{place}: {found:?}");
                let size: f64 = members.iter().map(|&i| forces[i].map(f64::abs).iter().sum::<f64>()).sum();
                let size = size.max(1e4 * members.len() as f64);
                assert!((found.mass - expected.mass).abs() <= 1e-13 * size, "{place}");
                for (found, expected) in found.of.into_iter().zip(expected.of) {
                    assert!((found - expected).abs() <= 1e-13 * size, "{place}: {found} for {expected}");
                }
                if term.name != "force_on" && !members.is_empty() {
                    assert!(expected.of[0].abs() > 1e-9 * size, "{place}: a sum to be seen");
                }
            }
        }
    }
}

/// By the lists of each layout, against all pairs: those that lie on the limit of two bins to the precision of a kernel's distances
/// may be in either.
#[test]
fn pairs_are_counted_by_types_and_distance() {
    in_third!(2);
    apart!("cheap");
    const TYPES: u32 = 2;
    const BINS: usize = 40;
    const CUTOFF: f64 = 2.0;
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let most = if precision == Precision::Mixed { usize::MAX } else { 1 };
            for shape in shapes(&gpu, precision).into_iter().take(most) {
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                let mut session = melt(4, 0.15);
                session.system.mass = vec![Some(1.0); TYPES as usize];
                session.system.host_atoms.kind =
                    session.system.host_atoms.tag.iter().map(|tag| tag % TYPES + 1).collect();
                run(&mut session, &["pair_style lj/cut 2.1", "pair_coeff * * 0.9 1.0"]);
                let simulation = simulation(&session, &gpu, precision, Some(shape));
                let count = || {
                    let Ok(counts) =
                        simulation.pair_counts.count(BINS, CUTOFF, &simulation.atoms, &simulation.neighbor)
                    else {
                        panic!("{place}")
                    };
                    counts
                };
                let found = count();
                assert_eq!(found, count(), "{place}: once more");
                let kinds = download(&simulation).kind;
                let mut expected = vec![0_i64; found.len()];
                let mut unsure = vec![0_i64; found.len()];
                for (i, list) in host_lists(&session, &simulation, 1.0).iter().enumerate() {
                    for other in list {
                        let at = other.rsq.sqrt() * BINS as f64 / CUTOFF;
                        let first = ((kinds[i] - 1) * TYPES + kinds[other.atom] - 1) as usize * BINS;
                        if at < BINS as f64 + 1.0 {
                            let bin = at as usize;
                            if bin < BINS {
                                expected[first + bin] += 1;
                            }
                            for near in [bin.saturating_sub(1), bin, (bin + 1).min(BINS)] {
                                let by = f64::min((at - near as f64).abs(), (at - near as f64 - 1.0).abs());
                                if by < 1e-4 && near < BINS {
                                    unsure[first + near] += 1;
                                }
                            }
                        }
                    }
                }
                assert!(expected.iter().sum::<i64>() > 5000 && unsure.iter().sum::<i64>() < 100, "{place}");
                for (bin, &found) in found.iter().enumerate() {
                    let off = (found as i64 - expected[bin]).abs();
                    assert!(off <= unsure[bin], "{place}: {found} for {} in bin {bin}", expected[bin]);
                }
            }
        }
    }
}
