//! Long pairs, of a few large particles among many small ones, whose lists are their own.

use crate::common::{all_test_devices, by_turns, full, label, test_devices};
use crate::forces::check;
use crate::lists::{check_lists, lists_are_exact};
use crate::systems::{
    advance, empty, long_pairs, other_shape, precisions, run, scatter, shapes, simulation, some_shapes,
};
use crate::triclinic::lean;
use clamps::engine::neighbor::long_pairs::{LongPairs, Mixture};
use clamps::gpu::options::Precision;
use clamps::gpu::{DeviceInfo, DeviceKind};
use clamps::session::Session;

/// So many atoms of six types, one as large as the next by 1 to `ratio`, the smaller the more of them.
fn spread(edges: [f64; 3], n: usize, ratio: f64) -> Session {
    let mut session = empty(edges, "p p p", 6);
    let size = |kind: usize| 0.4 * (1.0 + (ratio - 1.0) * (kind - 1) as f64 / 5.0);
    let coefficients = (1..=6).flat_map(|i| (i..=6).map(move |j| (i, j)));
    let mut lines = vec!["pair_style lj/cut 1.5".to_owned()];
    lines
        .extend(coefficients.map(|(i, j)| format!("pair_coeff {i} {j} 1 0.1 {}", (size(i) + size(j)) / 2.0)));
    run(&mut session, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    session.neighbor.skin = 0.1;
    scatter(&mut session, n, 23);
    // 1/2, 1/4, and so on.
    session.system.host_atoms.kind = (1..=n as u32).map(|k| 1 + k.trailing_zeros().min(5)).collect();
    session
}

/// So many atoms, of which each 40th is of type 2, `ratio` times as large as type 1, and some of type 3 between both.
pub(crate) fn mixture(edges: [f64; 3], faces: &str, dimension: u32, n: usize, ratio: f64) -> Session {
    let mut session = empty(edges, faces, 3);
    session.system.dimension = dimension;
    let small = 0.4;
    let lines = [
        "pair_style lj/cut 1.5".to_owned(),
        format!("pair_coeff * * 1 0.1 {small}"),
        format!("pair_coeff 1 2 1 0.1 {}", small * (1.0 + ratio) / 2.0),
        format!("pair_coeff 2 2 1 0.1 {}", small * ratio),
        format!("pair_coeff 2 3 1 0.1 {}", small * ratio * 0.8),
    ];
    run(&mut session, &lines.each_ref().map(String::as_str));
    session.neighbor.skin = 0.1;
    scatter(&mut session, n, 11);
    let kinds = (0..n).map(|k| if k % 40 == 7 { 2 } else { 1 + 2 * u32::from(k % 9 == 0) });
    session.system.host_atoms.kind = kinds.collect();
    session
}

fn unlike() -> Vec<Session> {
    vec![
        mixture([9.0, 8.0, 10.0], "p p p", 3, 400, 6.0),
        mixture([9.0, 8.0, 10.0], "p p p", 3, 250, 12.0), // a box of less than two of the longest cutoffs: copies of it
        mixture([6.0, 5.5, 7.0], "p p p", 3, 120, 25.0),  // and of less than one
        mixture([30.0, 3.1, 2.9], "p f f", 3, 300, 10.0),
        mixture([7.0, 7.0, 7.0], "f s m", 3, 300, 8.0),
        mixture([20.0, 18.0, 0.5], "p p p", 2, 300, 15.0),
        mixture([2.0, 2.0, 2.0], "p p p", 3, 900, 8.0), // more than 32 atoms in a cell
        spread([9.0, 8.0, 10.0], 350, 10.0),
        lean(mixture([9.0, 9.5, 9.0], "p p p", 3, 300, 10.0), [4.0, -4.0, 4.25]),
    ]
}

/// One list for atoms of six sizes, whose vectors of candidates are passed over where they are far from a cluster by the cutoffs of their types:
/// in dense cells, where a vector has atoms of one type, and in a box that leans.
#[test]
fn one_list_for_unlike_atoms_is_exact() {
    in_third!(2);
    apart!("cheap");
    let dense = || spread([3.0, 3.3, 2.9], 800, 2.9);
    for gpu in all_test_devices() {
        for &precision in precisions(&gpu) {
            for session in [dense(), lean(spread([4.0, 4.5, 4.0], 600, 2.5), [1.8, -1.7, 1.9])] {
                assert!(long_pairs(&session, &gpu).is_none());
                let shape = shapes(&gpu, precision)[0];
                let simulation = simulation(&session, &gpu, precision, Some(shape));
                check_lists(
                    &session,
                    &simulation,
                    precision,
                    &format!("{precision:?} on {}", label(gpu.info())),
                );
            }
        }
    }
}

#[test]
fn unlike_lists_are_exact_in_single() {
    in_third!(3);
    apart!("cheap");
    lists_are_exact(Precision::Single, unlike, 1);
}

#[test]
fn unlike_lists_are_exact_in_mixed() {
    in_third!(1);
    apart!("cheap");
    lists_are_exact(Precision::Mixed, unlike, 2);
}

#[test]
fn unlike_lists_are_exact_in_double() {
    apart!("cheap");
    lists_are_exact(Precision::Double, unlike, 2);
}

/// Spheres twelve times as large on a lattice among small ones, all somewhat off their places; with charges or without.
fn spheres(charged: bool) -> Session {
    let mut session = empty([12.0, 12.0, 13.0], "p p p", 2);
    let style = if charged { "lj/cut/coul/cut 1.0 1.0" } else { "lj/cut 1.0" };
    let coulomb = |cutoff: &str| if charged { cutoff.to_owned() } else { String::new() };
    let lines = [
        format!("pair_style {style}"),
        format!("pair_coeff 1 1 1.0 0.8 0.9 {}", coulomb("1.0")),
        format!("pair_coeff 1 2 1.5 2.0 3.4 {}", coulomb("3.0")),
        format!("pair_coeff 2 2 2.0 3.0 5.0 {}", coulomb("5.5")),
    ];
    run(&mut session, &lines.each_ref().map(String::as_str));
    session.neighbor.skin = 0.2;
    let mut random = clamps::base::random::ParkMiller::new(5);
    let mut tag = 0;
    for at in (0..12 * 12 * 13).map(|k| [k % 12, k / 12 % 12, k / 144]) {
        let large = at == [3, 3, 3] || at == [8, 7, 9];
        let near = [[3, 3, 3], [8, 7, 9]].iter().any(|center| {
            let rsq: i32 = (0..3).map(|d| (at[d] - center[d]) * (at[d] - center[d])).sum();
            (1..5).contains(&rsq)
        });
        if near {
            continue;
        }
        tag += 1;
        let x = at.map(|x: i32| f64::from(x) + 0.5 + 0.1 * (random.uniform() - 0.5));
        session.system.host_atoms.push(tag, if large { 2 } else { 1 }, x);
        *session.system.host_atoms.v.last_mut().unwrap() = [0; 3].map(|_| random.gaussian());
        if charged {
            *session.system.host_atoms.charge.last_mut().unwrap() = if tag % 2 == 0 { 0.5 } else { -0.4 };
        }
    }
    session
}

#[test]
fn unlike_forces_agree() {
    in_third!(1);
    apart!("cheap");
    for gpu in all_test_devices() {
        for (turn, precision) in precisions(&gpu).iter().copied().enumerate() {
            for (k, shape) in some_shapes(&gpu, precision, 2, full()).into_iter().take(3).enumerate() {
                for charged in by_turns(turn + k, &[false, true]).into_iter().take(if k < 2 { 2 } else { 1 })
                {
                    let session = spheres(charged);
                    let place = format!("charges {charged} {precision:?} {shape:?} on {}", label(gpu.info()));
                    let simulation = simulation(&session, &gpu, precision, Some(shape));
                    assert!(simulation.neighbor.long.is_some(), "{place}");
                    check(&session, &simulation, precision, &place);
                    check_lists(&session, &simulation, precision, &place);
                }
            }
        }
    }
}

/// In a run, whose lists are built anew, forces stay those of the twin, and two runs have the same bits.
#[test]
fn unlike_runs_go_on() {
    apart!("cheap");
    for gpu in test_devices() {
        let shapes = [shapes(&gpu, Precision::Mixed)[0], other_shape(&gpu, Precision::Mixed)];
        for shape in by_turns(0, &shapes) {
            let place = format!("{shape:?} on {}", label(gpu.info()));
            let session = spheres(false);
            let after = |steps| {
                let mut simulation = simulation(&session, &gpu, Precision::Mixed, Some(shape));
                advance(&mut simulation, steps);
                assert!(simulation.neighbor.builds() > 2, "{place}");
                simulation
            };
            let [one, other] = [after(80), after(80)];
            check(&session, &one, Precision::Mixed, &place);
            let bits =
                |forces: Vec<[f64; 3]>| forces.into_iter().flatten().map(f64::to_bits).collect::<Vec<_>>();
            assert_eq!(bits(one.atoms.forces().unwrap()), bits(other.atoms.forces().unwrap()), "{place}");
        }
    }
}

/// A CPU of two cores and a GPU of 132 multiprocessors, whatever this machine has.
fn kinds_of_devices() -> [DeviceInfo; 2] {
    let info = all_test_devices()[0].info().clone();
    let gpu = DeviceInfo { kind: DeviceKind::Gpu, platform: "none".into(), units: 132, ..info.clone() };
    [DeviceInfo { kind: DeviceKind::Cpu, platform: "none".into(), units: 2, ..info }, gpu]
}

/// Lists of their own are for a few atoms with long cutoffs; the rarer of two types owns the rows.
#[test]
fn lists_of_their_own_pay_where_few_atoms_reach_far() {
    for session in unlike() {
        let atoms = session.system.host_atoms.len();
        assert!(all_test_devices().iter().all(|gpu| long_pairs(&session, gpu).is_some()), "{atoms} atoms");
    }
    for info in kinds_of_devices() {
        let choose = |cutoffs: &[f64], atoms: &[usize], wanted| {
            let volume = atoms.iter().sum::<usize>() as f64 / 0.8442;
            LongPairs::choose(&Mixture { cutoffs, skin: 0.3, atoms, volume, dimension: 3 }, &info, wanted)
        };
        let of = |small, between, large, atoms: [usize; 2]| {
            choose(&[small, between, between, large], &atoms, false)
        };
        let long = of(2.5, 13.75, 25.0, [100_000, 100]).expect("lists of their own");
        assert_eq!((long.long, long.owners), (vec![false, true, true, true], vec![false, true]));
        assert_eq!(long.lanes, 256);
        // A pair of unlike types alone is long: one of both owns it.
        let long = of(2.5, 13.75, 2.5, [100, 200_000]).expect("lists of their own");
        assert_eq!((long.long, long.owners), (vec![false, true, true, false], vec![true, false]));
        assert_eq!(of(2.5, 2.5, 2.5, [1000, 1000]), None);
        assert_eq!(of(2.5, 2.0, 2.2, [800, 200]), None); // a glass of Kob and Andersen
        assert_eq!(of(2.5, 13.75, 25.0, [100, 100_000]), None); // most are large
        // Small systems take fewer launches with one list. On GPUs one launch makes several steps of fewer than 100,000 atoms.
        let sizes = [400, 400_000].map(|atoms| of(1.2, 3.0, 6.0, [atoms, atoms / 400]).is_some());
        assert_eq!(sizes, [false, true]);
        if info.kind == DeviceKind::Gpu {
            let sizes = [99_000, 101_000].map(|atoms| of(1.2, 2.3, 4.0, [atoms, atoms / 1000]).is_some());
            assert_eq!(sizes, [false, true]);
        }
        assert!(choose(&[1.2, 3.0, 3.0, 6.0], &[400, 1], true).is_some());
        // Pairs without a potential are not what the other lists are made for.
        assert_eq!(of(0.0, 2.5, 2.5, [100_000, 100]), None);
    }
}

/// Of sizes that are spread evenly, the larger ones own rows where each size has the same volume. Where there are as many atoms of each,
/// lists of their own take more than they save.
#[test]
fn sizes_that_are_spread_evenly_have_lists_by_volume() {
    let sizes: Vec<f64> = (1..=10).map(f64::from).collect();
    let cutoffs: Vec<f64> =
        sizes.iter().flat_map(|a| sizes.iter().map(move |b| 2.5 * 0.5 * (a + b))).collect();
    for info in kinds_of_devices() {
        let of = |power: i32| {
            let atoms: Vec<usize> = sizes.iter().map(|size| (2e5 * size.powi(-power)) as usize).collect();
            let volume = sizes.iter().zip(&atoms).map(|(size, &n)| size.powi(3) * n as f64).sum::<f64>();
            let mixture = Mixture { cutoffs: &cutoffs, skin: 0.3, atoms: &atoms, volume, dimension: 3 };
            LongPairs::choose(&mixture, &info, false)
        };
        let owners = of(3).expect("lists of their own").owners;
        assert!(!owners[0] && owners[9] && owners.is_sorted(), "{owners:?}");
        assert_eq!(of(0), None);
    }
}
