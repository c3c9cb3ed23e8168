//! Wrapping, binning, the order (cell, tag), the permutation, and ghost atoms.

use crate::common::{label, test_devices};
use crate::systems::{PRECISIONS, context, empty, run, scatter, shapes, with_model};
use clamps::atoms::Atoms;
use clamps::comm::ghosts::Ghosts;
use clamps::gpu::Gpu;
use clamps::host;
use clamps::kernels::{Context, Shape};
use clamps::neighbor::cells::Cells;
use clamps::neighbor::grid::Grid;
use clamps::options::Precision;
use clamps::resident::{Resident, status};
use clamps::state::State;
use clamps::timing::Section;

/// What stands between atoms on the host and their ghosts on the device.
struct Bench {
    context: Context,
    grid: Grid,
    reach: f64,
    cells: Cells,
    atoms: Resident,
}

fn bench(state: &State, gpu: &Gpu, precision: Precision, shape: Shape, ghosts: usize) -> Bench {
    let context = context(state, gpu, precision, Some(shape));
    let domain = state.domain.as_ref().unwrap();
    let n = state.host_atoms.len();
    let reach = with_model(state, |model| model.reach(domain, n));
    let grid = Grid::new(domain, state.dimension, reach.longest, reach.smallest_cell);
    Bench {
        cells: Cells::new(&context, n, &grid, domain, reach.longest).unwrap(),
        atoms: Resident::new(&context, &state.host_atoms, ghosts).unwrap(),
        reach: reach.longest,
        context,
        grid,
    }
}

impl Bench {
    fn assign(&mut self) -> Atoms {
        self.cells.assign(&mut self.atoms).unwrap();
        let mut atoms = Atoms::default();
        self.atoms.download(&mut atoms).unwrap();
        atoms
    }

    fn status(&self) -> Vec<u32> {
        self.atoms.status.read(Section::Neigh, 0..status::WORDS).unwrap()
    }

    fn staged(&self, range: std::ops::Range<usize>) -> Vec<u32> {
        let words = self.context.numerics.staged_words();
        self.atoms.position.read(Section::Comm, range.start * words..range.end * words).unwrap()
    }
}

/// 300 atoms, the first hundred far outside, everything about an atom a function of its tag.
fn strays(faces: &str) -> State {
    let mut state = empty([9.0, 5.0, 7.0], faces, 2);
    run(&mut state, &["pair_style lj/cut 2.0", "pair_coeff * * 1.0 1.0"]);
    scatter(&mut state, 300, 99);
    let atoms = &mut state.host_atoms;
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
    state
}

fn check_assign(state: &State, gpu: &Gpu, precision: Precision, shape: Shape) {
    let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
    let mut bench = bench(state, gpu, precision, shape, 0);
    let (domain, start) = (state.domain.as_ref().unwrap(), &state.host_atoms);
    let found = bench.assign();
    // The twin, on positions as the master copy holds them.
    let numerics = bench.context.numerics;
    let wrapped: Vec<_> = (0..start.len())
        .map(|i| {
            let x = start.x[i].map(|x| numerics.from_master(numerics.to_master(x)));
            host::cells::wrap(domain, x, start.image[i])
        })
        .collect();
    let keys: Vec<_> = wrapped.iter().map(|(x, _)| host::cells::bin(domain, &bench.grid, *x)).collect();
    let order = host::cells::order(&keys, &start.tag);
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
        let inside =
            order[range[0] as usize..range[1] as usize].iter().all(|&i| keys[i] == Some(rank as u32));
        assert!(inside, "cell {rank} {range:?}, {place}");
    }
    let counted: u32 = ranges.chunks_exact(2).map(|range| range[1] - range[0]).sum();
    assert_eq!(counted as usize, kept);
}

#[test]
fn atoms_are_wrapped_binned_ordered_and_permuted() {
    for gpu in test_devices() {
        for precision in PRECISIONS {
            let [own, other] = [0, 1].map(|k| shapes(&gpu, precision)[k]);
            check_assign(&strays("p p p"), &gpu, precision, own);
            check_assign(&strays("p f p"), &gpu, precision, own);
            check_assign(&strays("p f p"), &gpu, precision, other);
            check_assign(&strays("f f f"), &gpu, precision, own);
        }
    }
}

/// Coordinates on the faces and whole boxes beyond them.
#[test]
fn faces_belong_to_the_lower_side() {
    let gpu = &test_devices()[0];
    for precision in PRECISIONS {
        // 1/49 is rounded so that 49 * (1/49) < 1.
        let mut state = empty([49.0, 3.0, 0.7], "p p p", 2);
        run(&mut state, &["pair_style lj/cut 2.0", "pair_coeff * * 1.0 1.0"]);
        for (i, boxes) in (-4..=4).enumerate() {
            let b = f64::from(boxes);
            state.host_atoms.push(i as u32 + 1, 1, [49.0 * b, 3.0 * b + 1e-9, 0.7 * b]);
        }
        let shape = shapes(gpu, precision)[0];
        let atoms = bench(&state, gpu, precision, shape, 0).assign();
        let domain = state.domain.as_ref().unwrap();
        for i in 0..atoms.len() {
            assert!(domain.contains(atoms.x[i]), "{precision:?} {:?}", atoms.x[i]);
            let before = state.host_atoms.x[atoms.tag[i] as usize - 1];
            for (d, before) in before.into_iter().enumerate() {
                let back = atoms.x[i][d] + f64::from(atoms.image[i][d]) * domain.lengths()[d];
                assert!((back - before).abs() < 1e-11, "{precision:?}: {back} was {before}");
            }
        }
    }
}

#[test]
fn positions_that_are_no_numbers_are_seen() {
    let gpu = &test_devices()[0];
    // Fixed point has no infinities: single precision sees this in the velocities.
    for precision in [Precision::Mixed, Precision::Double] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e13] {
            let mut state = strays("p p p");
            let shape = shapes(gpu, precision)[0];
            let mut sound = bench(&state, gpu, precision, shape, 0);
            sound.assign();
            assert_eq!(sound.status()[status::BAD], 0);
            state.host_atoms.x[17][1] = bad;
            let mut bench = bench(&state, gpu, precision, shape, 0);
            bench.assign();
            assert_eq!(bench.status()[status::BAD], 1, "{bad}");
            assert_eq!(bench.status()[status::HALT], bench.atoms.step, "{bad}");
        }
    }
}

#[test]
fn ghosts_are_the_images_within_the_cutoff() {
    for gpu in test_devices() {
        for precision in PRECISIONS {
            for (edges, faces, shape) in [
                ([9.0, 5.0, 7.0], "p p p", 0),
                ([9.0, 2.1, 0.9], "p p p", 1),
                ([4.0, 5.0, 6.0], "p f p", 0),
                ([4.0, 5.0, 6.0], "f f f", 0),
            ] {
                let mut state = empty(edges, faces, 2);
                run(&mut state, &["pair_style lj/cut 2.0", "pair_coeff * * 1.0 1.0"]);
                scatter(&mut state, 150, 3);
                check_ghosts(&state, &gpu, precision, shapes(&gpu, precision)[shape]);
            }
        }
    }
}

fn check_ghosts(state: &State, gpu: &Gpu, precision: Precision, shape: Shape) {
    let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
    let domain = state.domain.as_ref().unwrap();
    let mut bench = bench(state, gpu, precision, shape, 0);
    let atoms = bench.assign();
    let expected = host::ghosts::ghosts(domain, state.dimension, bench.reach, &atoms.x);
    let mut expected: Vec<_> = expected.iter().map(|g| (g.atom as u32, g.boxes)).collect();
    expected.sort_unstable();
    // Room for one at first: the wanted number is reported, and with room for it all are there.
    let mut ghosts = Ghosts::new(&bench.context, &bench.grid, domain, 1).unwrap();
    ghosts.grow(&mut bench.atoms, 1).unwrap();
    for _ in 0..2 {
        let (ranges, box_buffer) = (&bench.cells.ranges, &bench.cells.box_buffer);
        ghosts.create(&bench.atoms, ranges, box_buffer).unwrap();
        assert_eq!(bench.status()[status::GHOSTS] as usize, expected.len(), "{place}");
        ghosts.grow(&mut bench.atoms, expected.len()).unwrap();
    }
    let (ranges, box_buffer) = (&bench.cells.ranges, &bench.cells.box_buffer);
    ghosts.create(&bench.atoms, ranges, box_buffer).unwrap();
    ghosts.n = expected.len();
    let created = ghosts.download().unwrap();
    let mut sorted = created.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected, "{place}");

    // Where they are: the atom's staged position and the staged shift.
    let (numerics, words) = (bench.context.numerics, bench.context.numerics.staged_words());
    let n = atoms.len();
    let staged = bench.staged(n..n + ghosts.n);
    for (&(atom, boxes), ghost) in created.iter().zip(staged.chunks_exact(words)) {
        let shift: [f64; 3] = std::array::from_fn(|d| f64::from(boxes[d]) * domain.lengths()[d]);
        let [mine, shift] = [
            numerics.stage(atoms.x[atom as usize], atoms.kind[atom as usize]),
            numerics.stage_shift(shift, 0),
        ];
        let sum: Vec<u32> = if words == 8 {
            let [a, b] = [&mine, &shift].map(|words| bytemuck::cast_slice::<u32, f64>(words).to_vec());
            let sum: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            bytemuck::cast_slice(&sum).to_vec()
        } else {
            mine.iter().zip(&shift).map(|(a, b)| a.wrapping_add(*b)).collect()
        };
        assert_eq!(ghost, sum, "{place}");
    }
    bench.atoms.run_on().unwrap();
    // Refreshed ones are where freshly made ones are.
    bench.atoms.position.clear(Section::Comm, n * words..(n + ghosts.n) * words).unwrap();
    ghosts.refresh(&bench.atoms).unwrap();
    assert!(bench.staged(n..n + ghosts.n) == staged, "{place}");
}

#[test]
fn the_twins_know_their_trade() {
    let state = empty([10.0, 10.0, 10.0], "p p f", 1);
    let domain = state.domain.as_ref().unwrap();
    assert_eq!(host::cells::wrap(domain, [-0.5, 25.0, 12.0], [1, 1, 1]), ([9.5, 5.0, 12.0], [0, 3, 1]));
    // An atom in a corner of two periodic axes has three images, one in the middle none.
    assert_eq!(host::ghosts::ghosts(domain, 3, 2.0, &[[0.5, 9.5, 0.1], [5.0; 3]]).len(), 3);
    assert_eq!(host::cells::order(&[Some(3), None, Some(1), Some(3)], &[9, 1, 5, 2]), [2, 3, 0]);
}
