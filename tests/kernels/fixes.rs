//! What fixes do to the force on each atom, and what they add up, against the twins of `clamps::host::fix`.

use crate::common::{label, test_devices};
use crate::systems::{PRECISIONS, download, empty, run, scatter, simulation};
use clamps::host::fix::{self, Vector};
use clamps::options::Precision;

/// The new force on an atom at x with velocity v, and its energy.
type Twin = fn(f: Vector, x: Vector, v: Vector) -> (Vector, f64);

const EDGE: f64 = 6.0;

fn image(d: f64) -> f64 {
    d - EDGE * (d / EDGE).round()
}

fn lower(f: Vector, axis: usize, (energy, push): (f64, f64)) -> (Vector, f64) {
    (std::array::from_fn(|d| f[d] + if d == axis { push } else { 0.0 }), energy)
}

/// A fix each, for a group of its own. Periodic along x.
const CASES: [(&str, Twin); 18] = [
    ("setforce 0.3 NULL -0.2", |f, _, _| (fix::setforce(f, [Some(0.3), None, Some(-0.2)]), 0.0)),
    ("addforce 0.3 0.1 -0.2", |f, x, _| fix::addforce(f, x, [0.3, 0.1, -0.2])),
    ("gravity 1.5 vector 1 2 2", |f, x, _| fix::gravity(f, x, 2.5, [0.5, 1.0, 1.0])),
    ("viscous 0.7", |f, _, v| (fix::viscous(f, v, 0.7), 0.0)),
    ("drag 5.5 NULL 3.0 0.4 1.0", |f, x, _| {
        (fix::drag(f, [image(x[0] - 5.5), 0.0, x[2] - 3.0], 0.4, 1.0), 0.0)
    }),
    ("lineforce 1 2 2", |f, _, _| (fix::lineforce(f, [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]), 0.0)),
    ("planeforce 2 2 1", |f, _, _| (fix::planeforce(f, [2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0]), 0.0)),
    ("indent 3.0 sphere 5.5 2.0 3.0 3.0", |f, x, _| {
        fix::indent(f, [image(x[0] - 5.5), x[1] - 2.0, x[2] - 3.0], 3.0, 3.0, false)
    }),
    ("indent 3.0 cylinder y 1.0 2.0 1.0 side in", |f, x, _| {
        fix::indent(f, [image(x[0] - 1.0), 0.0, x[2] - 2.0], 3.0, 1.0, true)
    }),
    ("indent 3.0 plane z 2.0 lo", |f, x, _| {
        fix::indent(f, [0.0, 0.0, (x[2] + 100.0).abs()], 3.0, 102.0, false)
    }),
    ("wall/lj93 ylo -1.0 1.5 1.1 3.0", |f, x, _| lower(f, 1, fix::wall_lj93(x[1] + 1.0, 1.5, 1.1, 3.0))),
    ("wall/lj126 zlo -1.0 1.5 1.1 3.0", |f, x, _| lower(f, 2, fix::wall_lj126(x[2] + 1.0, 1.5, 1.1, 3.0))),
    ("wall/lj1043 ylo -1.0 1.5 1.1 3.0", |f, x, _| lower(f, 1, fix::wall_lj1043(x[1] + 1.0, 1.5, 1.1, 3.0))),
    ("wall/harmonic zlo -1.0 1.5 1.1 3.0", |f, x, _| {
        lower(f, 2, fix::wall_harmonic(x[2] + 1.0, 1.5, 1.1, 3.0))
    }),
    ("wall/morse ylo -1.0 1.5 1.2 1.1 3.0", |f, x, _| {
        lower(f, 1, fix::wall_morse(x[1] + 1.0, 1.5, 1.2, 1.1, 3.0))
    }),
    ("wall/region ball lj93 1.5 1.1 4.0", |f, x, _| {
        fix::wall_around(f, x.map(|x| x - 3.0), 6.5, |r| fix::wall_lj93(r, 1.5, 1.1, 4.0))
    }),
    ("wall/region tube harmonic 1.5 1.1 4.0", |f, x, _| {
        fix::wall_around(f, [0.0, x[1] - 3.0, x[2] - 3.0], 5.5, |r| fix::wall_harmonic(r, 1.5, 1.1, 4.0))
    }),
    ("setforce 0.3 0.1 NULL", |f, _, _| (fix::setforce(f, [Some(0.3), Some(0.1), None]), 0.0)),
];

#[test]
fn forces_change_as_the_twins_say() {
    for gpu in test_devices() {
        for precision in PRECISIONS {
            let mut state = empty([EDGE; 3], "p f f", 1);
            state.mass = vec![Some(2.5)];
            run(&mut state, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
            scatter(&mut state, 460, 11);
            run(&mut state, &["region ball sphere 3 3 3 6.5 units box"]);
            run(&mut state, &["region tube cylinder x 3 3 5.5 -50 50 units box"]);
            let count = CASES.len();
            for k in 0..count {
                state.groups.names.push(format!("g{k}"));
            }
            for i in 0..state.host_atoms.len() {
                state.host_atoms.mask[i] = 1 | 2 << (i % count);
            }
            for (k, (words, _)) in CASES.iter().enumerate() {
                run(&mut state, &[&format!("fix case{k} g{k} {words}")]);
            }
            let simulation = simulation(&state, &gpu, precision, None);
            let (atoms, before) = (download(&simulation), simulation.atoms.forces().unwrap());
            let sums = simulation.measure().unwrap();
            let mut simulation = simulation;
            simulation.first_forces().unwrap();
            let after = simulation.atoms.forces().unwrap();
            let near = if precision == Precision::Double { 1e-12 } else { 2e-5 };
            let mut first = 0;
            for (k, (words, twin)) in CASES.iter().enumerate() {
                let what = format!("{words}, {precision:?} on {}", label(gpu.info()));
                let mut energy = 0.0;
                let (mut changed, mut members) = (0, 0);
                for i in (0..atoms.len()).filter(|&i| atoms.mask[i] & (2 << k) != 0) {
                    let (force, own) = twin(before[i], atoms.x[i], atoms.v[i]);
                    energy += own;
                    members += 1;
                    changed += usize::from(after[i] != before[i]);
                    for d in 0..3 {
                        let size = force[d].abs().max(before[i][d].abs()).max(1.0);
                        let (found, expected) = (after[i][d], force[d]);
                        assert!((found - expected).abs() <= near * size, "{what}: {found}, twin {expected}");
                    }
                }
                assert!(changed > 3 && members >= 25, "{what}: {changed} of {members}");
                // The first sum is the energy of those that have one.
                let fix = state.fixes.iter().find(|fix| fix.header().id == format!("case{k}")).unwrap();
                let Some(measured) = fix.measured() else { continue };
                measured.set(&sums[first..first + measured.len()]);
                first += measured.len();
                if let Some(found) = measured.values().unwrap().scalar {
                    let size = energy.abs().max(1.0);
                    assert!((found - energy).abs() <= 10.0 * near * size, "{what}: {found}, twin {energy}");
                }
            }
            assert_eq!(first, sums.len());
        }
    }
}
