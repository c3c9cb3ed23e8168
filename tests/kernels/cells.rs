//! Wrapping, binning, the order in cells and the permutation.

use crate::common::{all_test_devices, by_turns, label, test_devices};
use crate::systems::{context, empty, gpu_shape, in_turn, precisions, run, scatter, shapes, with_spec};
use clamps::engine::device_atoms::{DeviceAtoms, status};
use clamps::engine::kernels::{Context, LaunchConfig};
use clamps::engine::neighbor::cells::Cells;
use clamps::engine::neighbor::grid::Grid;
use clamps::engine::neighbor::prediction::PositionPrediction;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::gpu::record::Section;
use clamps::model::atoms::Atoms;
use clamps::reference;
use clamps::session::Session;

/// What brings atoms into cells.
struct Bench {
    context: Context,
    grid: Grid,
    cells: Cells,
    prediction: PositionPrediction,
    atoms: DeviceAtoms,
}

fn bench(session: &Session, gpu: &Gpu, precision: Precision, shape: LaunchConfig) -> Bench {
    let context = context(session, gpu, precision, Some(shape));
    let domain = session.system.domain.as_ref().unwrap();
    let n = session.system.host_atoms.len();
    let reach = with_spec(session, gpu, precision, |spec| spec.reach(gpu.info().shaped_as(), domain, n));
    let grid = Grid::new(domain, session.system.dimension, reach.longest, reach.cell);
    Bench {
        cells: Cells::new(&context, n, &grid, domain).unwrap(),
        prediction: PositionPrediction::none(&context).unwrap(),
        atoms: DeviceAtoms::new(&context, &session.system.host_atoms).unwrap(),
        context,
        grid,
    }
}

impl Bench {
    fn assign(&mut self) -> Atoms {
        self.cells.assign(&mut self.atoms, &self.prediction, 0).unwrap();
        if self.status()[status::APART] != 0 {
            // On a busy machine groups do not come together: nothing has been done yet.
            assert_eq!(self.status()[status::APART], status::APART_IN_ORDER);
            self.atoms.swap_columns();
            self.atoms.forget_apart().unwrap();
            self.atoms.run_on().unwrap();
            self.cells.stay_apart().unwrap();
            self.cells.assign(&mut self.atoms, &self.prediction, 0).unwrap();
        }
        self.atoms.download(&Atoms::default()).unwrap()
    }

    fn status(&self) -> Vec<u32> {
        self.atoms.status.read(Section::Neigh, 0..status::WORDS).unwrap()
    }

    fn staged(&self, range: std::ops::Range<usize>) -> Vec<u32> {
        let words = self.context.numerics.staged_words();
        self.atoms.packed.read(Section::Comm, range.start * words..range.end * words).unwrap()
    }
}

/// 300 atoms, the first hundred far outside, everything about an atom a function of its tag.
fn strays(faces: &str) -> Session {
    let mut session = empty([9.0, 5.0, 7.0], faces, 2);
    run(&mut session, &["pair_style lj/cut 2.0", "pair_coeff * * 1.0 1.0"]);
    scatter(&mut session, 300, 99);
    let atoms = &mut session.system.host_atoms;
    for i in 0..100 {
        for d in 0..3 {
            atoms.x[i][d] += (f64::from((i as i32 * (d as i32 + 3)) % 9) - 4.3) * 5.0;
        }
    }
    for i in 0..300 {
        let tag = atoms.tag[i];
        atoms.v[i] = [f64::from(tag), 0.5 * f64::from(tag), -f64::from(tag)];
        atoms.image[i] = [tag as i32 % 7 - 3, -(tag as i32), 1000];
        atoms.kind[i] = 1 + tag % 2;
        atoms.mask[i] = 1 | tag << 1;
    }
    session
}

fn check_assign(session: &Session, gpu: &Gpu, precision: Precision, shape: LaunchConfig) {
    let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
    let mut bench = bench(session, gpu, precision, shape);
    let (domain, start) = (session.system.domain.as_ref().unwrap(), &session.system.host_atoms);
    let found = bench.assign();
    // The twin, on positions as the master copy holds them.
    let numerics = bench.context.numerics;
    let wrapped: Vec<_> = (0..start.len())
        .map(|i| {
            let x = std::array::from_fn(|d| numerics.from_master(numerics.to_master(start.x[i][d], d), d));
            reference::cells::wrap(domain, x, start.image[i])
        })
        .collect();
    let keys: Vec<_> = wrapped.iter().map(|(x, _)| reference::cells::bin(domain, &bench.grid, *x)).collect();
    let kinds = Cells::have_atoms_by_type(&bench.context).then_some(&start.kind[..]);
    let order = reference::cells::order(&keys, kinds, &start.tag);
    let kept = bench.status()[status::KEPT] as usize;
    assert_eq!(kept, order.len(), "{place}");
    assert!(kept > 50);
    // Lost atoms halt the run, as the host must know.
    let halted = bench.status()[status::HALT] != status::NEVER;
    assert_eq!(halted, kept < start.len(), "{place}");
    for (k, &i) in order.iter().enumerate() {
        assert_eq!(found.tag[k], start.tag[i], "place {k}, {place}");
        assert_eq!(found.v[k], start.v[i], "{place}");
        assert_eq!(found.image[k], wrapped[i].1, "tag {}, {place}", start.tag[i]);
        assert_eq!((found.kind[k], found.mask[k]), (start.kind[i], start.mask[i]), "{place}");
        for d in 0..3 {
            let wrong = (found.x[k][d] - wrapped[i].0[d]).abs();
            assert!(wrong < 1e-11, "tag {} is {wrong} off, {place}", start.tag[i]);
            assert!(domain.lo[d] <= found.x[k][d] && found.x[k][d] < domain.hi[d], "{place}");
        }
        let words = numerics.stage(found.x[k], found.kind[k]);
        assert_eq!(bench.staged(k..k + 1), words, "{place}");
    }
    // The ranges of the cells partition the atoms that were kept.
    let ranges = bench.cells.ranges.read(Section::Neigh, 0..2 * bench.grid.rank.len()).unwrap();
    for (rank, range) in ranges.chunks_exact(2).enumerate() {
        let inside = order[range[0] as usize..range[1] as usize]
            .iter()
            .all(|&i| keys[i] == Some(bench.grid.rank[rank]));
        assert!(inside, "cell {rank} {range:?}, {place}");
    }
    let counted: u32 = ranges.chunks_exact(2).map(|range| range[1] - range[0]).sum();
    assert_eq!(counted as usize, kept);
}

#[test]
fn atoms_are_wrapped_binned_ordered_and_permuted() {
    in_third!(1);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let [own, other] = [0, 1].map(|k| shapes(&gpu, precision)[k]);
            let uncounted = |shape: LaunchConfig| LaunchConfig { counting: !shape.counting, ..shape };
            // All in one launch, where the device's work-groups can wait for one another.
            let small = gpu_shape(&gpu, precision, 1000);
            let at_once = |scan_local| LaunchConfig { steps: 2, scan_local, ..small };
            let cases = [
                ("p p p", own),
                ("p f p", own),
                ("f f f", own),
                ("p f p", other),
                ("p f p", uncounted(own)),
                ("p p p", uncounted(other)),
                ("p p p", at_once(64)),
                ("f p f", at_once(64)),
                ("p p p", at_once(256)),
                ("f p f", at_once(256)),
            ];
            for (_, (faces, shape)) in
                cases.into_iter().enumerate().filter(|(k, _)| in_turn(&gpu, precision, *k))
            {
                check_assign(&strays(faces), &gpu, precision, shape);
            }
        }
    }
}

/// Coordinates on the faces and whole boxes beyond them.
#[test]
fn faces_belong_to_the_lower_side() {
    apart!("cheap");
    let gpu = &all_test_devices()[0];
    for precision in by_turns(2, precisions(gpu)) {
        // 1/49 is rounded so that 49 * (1/49) < 1.
        let mut session = empty([49.0, 3.0, 0.7], "p p p", 2);
        run(&mut session, &["pair_style lj/cut 2.0", "pair_coeff * * 1.0 1.0"]);
        for (i, boxes) in (-4..=4).enumerate() {
            let b = f64::from(boxes);
            session.system.host_atoms.push(i as u32 + 1, 1, [49.0 * b, 3.0 * b + 1e-9, 0.7 * b]);
        }
        let shape = shapes(gpu, precision)[0];
        let atoms = bench(&session, gpu, precision, shape).assign();
        let domain = session.system.domain.as_ref().unwrap();
        for i in 0..atoms.len() {
            assert!(domain.contains(atoms.x[i]), "{precision:?} {:?}", atoms.x[i]);
            let before = session.system.host_atoms.x[atoms.tag[i] as usize - 1];
            for (d, before) in before.into_iter().enumerate() {
                let back = atoms.x[i][d] + f64::from(atoms.image[i][d]) * domain.lengths()[d];
                assert!((back - before).abs() < 1e-11, "{precision:?}: {back} was {before}");
            }
        }
    }
}

#[test]
fn positions_that_are_no_numbers_are_seen() {
    apart!("cheap");
    let Some(gpu) = &test_devices().into_iter().next() else { return };
    // Fixed point has no infinities: single precision sees this in the velocities.
    for precision in [Precision::Mixed, Precision::Double] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e13] {
            let mut session = strays("p p p");
            let shape = shapes(gpu, precision)[0];
            let mut sound = bench(&session, gpu, precision, shape);
            sound.assign();
            assert_eq!(sound.status()[status::BAD], 0);
            session.system.host_atoms.x[17][1] = bad;
            let mut bench = bench(&session, gpu, precision, shape);
            bench.assign();
            // The lowest bit is for what is no number, the others count atoms that are too far away for any box.
            assert_eq!(bench.status()[status::BAD], if bad == 1e13 { 2 } else { 1 }, "{bad}");
            assert_eq!(bench.status()[status::HALT], bench.atoms.step, "{bad}");
        }
    }
}

#[test]
fn the_twins_know_their_trade() {
    let session = empty([10.0, 10.0, 10.0], "p p f", 1);
    let domain = session.system.domain.as_ref().unwrap();
    assert_eq!(reference::cells::wrap(domain, [-0.5, 25.0, 12.0], [1, 1, 1]), ([9.5, 5.0, 12.0], [0, 3, 1]));
    assert_eq!(reference::cells::order(&[Some(3), None, Some(1), Some(3)], None, &[9, 1, 5, 2]), [2, 3, 0]);
    assert_eq!(reference::cells::order(&[Some(3); 4], Some(&[2, 1, 2, 1]), &[9, 4, 5, 2]), [3, 1, 2, 0]);
}
