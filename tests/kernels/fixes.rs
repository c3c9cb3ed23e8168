//! What fixes do to the force on each atom, and what they add up, against the twins of `clamps::reference::fix`.

use crate::common::{all_test_devices, by_turns, full, label, test_devices, test_devices_in};
use crate::systems::{download, empty, melt, other_shape, precisions, run, scatter, simulation};
use clamps::base::vector::Vector;
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::simulation::Ending;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::model::atom_style::ATOM_STYLES;
use clamps::reference::fix;
use clamps::run::fixes::FixRunner;
use clamps::run::setup::rebuild_simulation;
use clamps::session::Session;
use clamps::session::fix::coupling::on_device;
use clamps::session::snapshot::tail;
use clamps::session::snapshot::view::Snapshot;

/// The new force on an atom at x with velocity v, and its energy.
type Twin = fn(f: Vector, x: Vector, v: Vector) -> (Vector, f64);

const EDGE: f64 = 6.0;

fn image(d: f64) -> f64 {
    d - EDGE * (d / EDGE).round()
}

fn lower(f: Vector, axis: usize, (energy, push): (f64, f64)) -> (Vector, f64) {
    (std::array::from_fn(|d| f[d] + if d == axis { push } else { 0.0 }), energy)
}

/// An expression with every operator and function, without blanks.
macro_rules! every_function {
    () => {
        "(a+b-c)*0.1/(1+r);c=min(r,3)+max(r,2)-abs(r-3.3)+step(r-4)+delta(r)-sqrt(r)*log(r)+r^0.7+2^(r/7);\
         b=sec(0.1*r)+csc(0.3*r+0.1)+tan(0.1*r)+cot(0.2*r+0.1)+asin(0.1*r)+acos(0.1*r)+atan(r);\
         a=exp(-r)+sin(r)+cos(r)+sinh(0.1*r)+cosh(0.1*r)+tanh(r)+erf(r/3)+erfc(r/3)"
    };
}

/// A fix each, for a group of its own. Periodic along x.
const CASES: [(&str, Twin); 31] = [
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
    ("wall/colloid ylo -1.0 1.5 1.1 3.0", |f, x, _| {
        lower(f, 1, fix::wall_colloid(x[1] + 1.0, 0.5, 1.5, 1.1, 3.0))
    }),
    ("wall/morse ylo -1.0 1.5 1.2 1.1 3.0", |f, x, _| {
        lower(f, 1, fix::wall_morse(x[1] + 1.0, 1.5, 1.2, 1.1, 3.0))
    }),
    // The table's rows lie on a parabola, which splines give back.
    ("wall/table spline 50 ylo -1.0 tests/lammps/walls.part SOFT 3.0", |f, x, _| {
        lower(f, 1, fix::wall_harmonic(x[1] + 1.0, 5.0, 0.0, 3.0))
    }),
    ("wall/lepton zlo -1.0 k*(r-rc)^2+1/r;k=1.5 3.0", |f, x, _| {
        lower(f, 2, fix::wall_lepton("k*(r-rc)^2+1/r;k=1.5", x[2] + 1.0, 3.0))
    }),
    (concat!("wall/lepton ylo -1.0 ", every_function!(), " 7.5"), |f, x, _| {
        lower(f, 1, fix::wall_lepton(every_function!(), x[1] + 1.0, 7.5))
    }),
    ("wall/region ball colloid 1.5 1.1 4.0", |f, x, _| {
        fix::wall_around(f, x.map(|x| x - 3.0), 6.5, |r| fix::wall_colloid(r, 0.5, 1.5, 1.1, 4.0))
    }),
    ("wall/region tube harmonic 1.5 1.1 4.0", |f, x, _| {
        fix::wall_around(f, [0.0, x[1] - 3.0, x[2] - 3.0], 5.5, |r| fix::wall_harmonic(r, 1.5, 1.1, 4.0))
    }),
    ("wall/region funnel lj93 1.5 1.1 4.0", |f, x, _| {
        let radius = 5.5 + 0.02 * (x[0] + 50.0);
        let way = [0.0, x[1] - 3.0, x[2] - 3.0];
        fix::wall_in_cone(f, way, radius, 0.02, |r| fix::wall_lj93(r, 1.5, 1.1, 4.0))
    }),
    ("wall/region dumbbell harmonic 1.5 1.1 2.0", |f, x, _| {
        let spheres = [([2.0, 3.0, 3.0], 1.5), ([4.0, 3.0, 3.5], 1.2)];
        fix::wall_of_spheres(f, x, &spheres, |r| fix::wall_harmonic(r, 1.5, 1.1, 2.0))
    }),
    ("setforce 0.3 NULL NULL region roams", |f, x, _| {
        let (dx, dy, (sine, cosine)) = (x[0] - 3.4, x[1] - 3.0, 0.5_f64.sin_cos());
        let [along, across] = [dx * cosine + dy * sine, dy * cosine - dx * sine];
        let inside = along.abs() <= 2.0 && across.abs() <= 1.5;
        (if inside { fix::setforce(f, [Some(0.3), None, None]) } else { f }, 0.0)
    }),
    ("setforce 0.3 NULL NULL region grows", |f, x, _| {
        let [dx, dy, dz] = [(x[0] - 3.0) / 2.5, (x[1] - 2.9) / 2.2, (x[2] - 3.1) / 1.8];
        let inside = dx * dx + dy * dy + dz * dz <= 1.0;
        (if inside { fix::setforce(f, [Some(0.3), None, None]) } else { f }, 0.0)
    }),
    ("indent 3.0 cone x 2.5 3.0 1.0 2.5 0.5 5.5", |f, x, _| {
        let d = [image(x[0] - 3.0), x[1] - 2.5, x[2] - 3.0];
        fix::indent_cone(f, d, 3.0, 0, [1.0, 2.5, 2.5], false)
    }),
    ("indent 0.5 cone y 3.2 3.0 2.0 0.0 1.0 5.0 side in", |f, x, _| {
        let d = [image(x[0] - 3.2), x[1] - 3.0, x[2] - 3.0];
        fix::indent_cone(f, d, 0.5, 1, [2.0, 0.0, 2.0], true)
    }),
    ("wall/region pipe harmonic 1.5 1.1 1.0", |f, x, _| {
        let way = [0.0, x[1] - 3.0, x[2] - 3.0];
        fix::wall_around(f, way, 2.0, |r| fix::wall_harmonic(r, 1.5, 1.1, 1.0))
    }),
    ("wall/region egg harmonic 1.5 1.1 2.0", |f, x, _| {
        let way = fix::way_from_ellipsoid([x[0] - 3.0, x[1] - 3.1, x[2] - 2.9], [7.5, 6.0, 5.2]);
        fix::wall_behind(f, &[way], |r| fix::wall_harmonic(r, 1.5, 1.1, 2.0))
    }),
    ("wall/region slanted harmonic 1.5 1.1 2.0", |f, x, _| {
        // Faces across y lean by 2 along x, all others stand upright.
        let (height, width) = (10.0, 12.0);
        let lean = [height / 104.0_f64.sqrt(), -2.0 / 104.0_f64.sqrt(), 0.0];
        let along = (x[0] + 4.0) * lean[0] + (x[1] + 2.0) * lean[1];
        let ways = [
            lean.map(|n| n * along),
            lean.map(|n| n * (along - width * lean[0])),
            [0.0, x[1] + 2.0, 0.0],
            [0.0, x[1] - 8.0, 0.0],
            [0.0, 0.0, x[2] + 1.0],
            [0.0, 0.0, x[2] - 7.0],
        ];
        fix::wall_behind(f, &ways, |r| fix::wall_harmonic(r, 1.5, 1.1, 2.0))
    }),
    ("wall/region lid harmonic 1.5 1.1 1.5", |f, x, _| {
        let way = [0.0, 0.0, x[2] + 97.0];
        fix::wall_around(f, way, 100.0, |r| fix::wall_harmonic(r, 1.5, 1.1, 1.5))
    }),
];

#[test]
fn forces_change_as_the_twins_say_in_single() {
    in_third!(2);
    apart!("cheap");
    forces_change_as_the_twins_say(Precision::Single);
}

#[test]
fn forces_change_as_the_twins_say_in_mixed() {
    in_third!(1);
    apart!();
    forces_change_as_the_twins_say(Precision::Mixed);
}

#[test]
fn forces_change_as_the_twins_say_in_double() {
    in_third!(1);
    apart!("cheap");
    forces_change_as_the_twins_say(Precision::Double);
}

fn forces_change_as_the_twins_say(precision: Precision) {
    for gpu in test_devices_in(precision) {
        let mut session = empty([EDGE; 3], "p f f", 1);
        session.system.mass = vec![Some(2.5)];
        run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
        scatter(&mut session, 840, 11);
        let roams = "region roams block 1 5 1.5 4.5 INF INF units box move v_way NULL NULL rotate v_angle 3 3 0 0 0 2";
        run(&mut session, &["variable way equal 0.4", "variable angle equal 0.5", roams]);
        run(&mut session, &["region ball sphere 3 3 3 6.5 units box"]);
        run(&mut session, &["region tube cylinder x 3 3 5.5 -50 50 units box"]);
        run(&mut session, &["region funnel cone x 3 3 5.5 7.5 -50 50 units box"]);
        run(
            &mut session,
            &["variable long equal 2.5", "region grows ellipsoid 3 2.9 3.1 v_long 2.2 1.8 units box"],
        );
        run(&mut session, &["region pipe cylinder x 3 3 2 INF INF units box open 1 open 2"]);
        run(
            &mut session,
            &["region lid block -50 50 -50 50 -50 3 units box open 1 open 2 open 3 open 4 open 5"],
        );
        run(&mut session, &["region egg ellipsoid 3 3.1 2.9 7.5 6.0 5.2 units box"]);
        run(&mut session, &["region slanted prism -4 8 -2 8 -1 7 2 0 0 units box"]);
        run(&mut session, &["region left sphere 2 3 3 1.5 units box"]);
        run(&mut session, &["region right sphere 4 3 3.5 1.2 units box"]);
        run(&mut session, &["region dumbbell union 2 left right side out"]);
        let count = CASES.len();
        for k in 0..count {
            session.system.groups.names.push(format!("g{k}"));
        }
        for i in 0..session.system.host_atoms.len() {
            session.system.host_atoms.mask[i] = 1 | 2 << (i % count);
        }
        session.system.radii = vec![0.5];
        session.system.atom_style = *ATOM_STYLES.iter().find(|style| style.round).expect("spheres");
        for (k, (words, _)) in CASES.iter().enumerate() {
            run(&mut session, &[&format!("fix case{k} g{k} {words}")]);
        }
        let simulation = simulation(&session, &gpu, precision, None);
        let (atoms, before) = (download(&simulation), simulation.atoms.forces().unwrap());
        let sums = simulation.measure().unwrap();
        let of_atoms = simulation.measure_atoms().unwrap();
        for (k, sum) in sums.iter().enumerate() {
            let parts = of_atoms.chunks_exact(sums.len()).map(|parts| parts[k]);
            let (found, size) = (parts.clone().sum::<f64>(), parts.map(f64::abs).sum::<f64>());
            assert!((found - sum).abs() <= 1e-5 * size, "sum {k}: {sum}, of atoms {found}");
        }
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
            let fix = session.fixes.iter().find(|fix| fix.header().id == format!("case{k}")).unwrap();
            let Some(measured) = fix.measured() else { continue };
            measured.set(&sums[first..first + measured.len()]);
            first += measured.len();
            if let Some(found) = measured.values().scalar {
                let size = energy.abs().max(1.0);
                assert!((found - energy).abs() <= 10.0 * near * size, "{what}: {found}, twin {energy}");
            }
        }
        assert_eq!(first, sums.len());
    }
}

/// A run of 21 steps, looked at every so many: whether the device did the first fix's part; the box, the atoms by tag, and
/// all that the fix says of itself; how often the run was set up anew for a box that the device has moved.
pub(crate) fn governed(
    session: &mut Session,
    gpu: &Gpu,
    (precision, shape): (Precision, Option<LaunchConfig>),
    stretch: u32,
) -> (bool, Vec<f64>, usize) {
    const STEPS: i64 = 21;
    session.clock.step = 0;
    let mut set_ups = 0;
    let mut simulation = simulation(session, gpu, precision, shape);
    let by_device = session.fixes.iter().any(|fix| on_device(&**fix).is_some());
    simulation.course.tail = tail(session, &simulation).unwrap();
    let hooks = FixRunner::begin(session, &mut simulation, [0, STEPS]).unwrap();
    while session.clock.step < STEPS {
        let target = (session.clock.step + i64::from(stretch)).min(hooks.next(session)).min(STEPS);
        if !by_device && simulation.neighbor.grid_too_small(&simulation.domain) {
            simulation = rebuild_simulation(session, &simulation, false).unwrap();
        }
        hooks.prepare(session, &mut simulation, target).unwrap();
        let (steps, tally) = ((target - session.clock.step) as u32, hooks.needs_tally(session, target));
        if hooks.exchanges(session) {
            simulation.move_atoms().unwrap();
            session.clock.step += 1;
            (simulation, _) = hooks.exchange(session, simulation).unwrap();
        } else {
            session.clock.step +=
                i64::from(simulation.advance(steps, Ending { tally, ..Ending::WITH_ATOMS }).unwrap());
        }
        if simulation.grid_too_small {
            set_ups += 1;
            simulation = hooks.rebuild_simulation(session, simulation).unwrap();
        }
        hooks.post_force(session, &mut simulation, false).unwrap();
        simulation.finish_step().unwrap();
        hooks.end_of_step(session, &mut simulation, true).unwrap();
    }
    let atoms = download(&simulation);
    let mut numbers = [simulation.domain.lo, simulation.domain.hi].concat();
    for &i in &atoms.by_tag() {
        numbers.extend(atoms.x[i].into_iter().chain(atoms.v[i]));
    }
    let system = Snapshot::new(session, Some(&simulation));
    if let Ok(values) = session.fixes[0].values(&system) {
        numbers.extend(values.scalar.into_iter().chain(values.vector));
    }
    (by_device, numbers, set_ups)
}

/// What fixes do with all atoms in each step, by the device, against the host's; and however often the host looks, the
/// same bits.
#[test]
fn what_the_device_does_with_all_atoms_is_what_the_host_does() {
    in_third!(2);
    apart!("cheap");
    let partial: &[&str] = &["compute 1_temp all temp/partial 1 0 1"];
    let tail: &[&str] = &["pair_modify tail yes"];
    let leaving: &[&str] = &["region all block -9 9 -9 9 -9 9 units box", "fix e all evaporate 7 3 all 4711"];
    for gpu in test_devices() {
        // The other shape has sums in groups.
        let other =
            |precision| LaunchConfig { reduce_groups: 3, reduce_local: 4, ..other_shape(&gpu, precision) };
        let mixed = (Precision::Mixed, Some(other(Precision::Mixed)));
        let double = (Precision::Double, None);
        let cases = [
            ("nvt temp 1.0 1.0 0.1", &[][..], 3, (Precision::Single, None)),
            ("nvt temp 1.5 0.5 0.05 tchain 1", leaving, 3, double),
            ("nvt temp 1.0 2.0 0.2 tchain 5 tloop 3 drag 0.4", partial, 3, mixed),
            ("npt temp 1.0 1.5 0.1 iso 1.0 3.0 0.5 tchain 2 pchain 2 ploop 2 drag 0.3", tail, 3, double),
            ("npt temp 1.0 1.0 0.1 x 1.0 2.0 0.5 y 1.0 1.0 0.3 nreset 3 mtk no", partial, 3, double),
            ("nph aniso 2.0 2.0 0.5 pchain 0 couple xz fixedpoint 1 2 3", &[], 3, mixed),
            // The box of five cells grows to one with other copies, for which the run is set up anew.
            ("npt temp 1.0 1.0 0.1 iso -20 -20 0.2", &[], 5, double),
            ("temp/berendsen 1.0 2.0 0.1", partial, 3, double),
            ("temp/rescale 4 1.0 2.0 0.1 0.7", &[], 3, mixed),
            ("press/berendsen aniso 1.0 3.0 0.5 couple yz", tail, 3, double),
            ("press/berendsen x 1.0 1.0 0.5 modulus 5", &[], 3, mixed),
            ("nvt temp 1.0 2.0 0.2 tchain 5 tloop 3 drag 0.4", partial, 3, double),
        ];
        let some = if full() { cases.len() } else { cases.len() - 1 };
        for (turn, (words, extra, cells, (precision, shape))) in cases.into_iter().take(some).enumerate() {
            let place = format!("{words}, {precision:?} {shape:?} on {}", label(gpu.info()));
            let go = |by_host: bool, stretch: u32| {
                let mut session = melt(cells, 0.1);
                session.fixes.clear();
                run(&mut session, &[&format!("fix 1 all {words}")]);
                if !words.starts_with("n") {
                    run(&mut session, &["fix 2 all nve"]);
                }
                if extra == partial {
                    session.computes.remove("1_temp");
                }
                run(&mut session, extra);
                if by_host {
                    // Of two that the device could do, it does none.
                    session.system.groups.names.push("none".to_owned());
                    run(&mut session, &["fix h none temp/berendsen 1 1 1"]);
                }
                governed(&mut session, &gpu, (precision, shape), stretch)
            };
            let (by_device, found, set_ups) = go(false, 21);
            assert_eq!(set_ups, usize::from(cells == 5), "{place}");
            assert_eq!(by_device, precision != Precision::Single, "{place}");
            if !by_device {
                continue;
            }
            for stretch in by_turns(turn, &[4, 1]) {
                assert!(go(false, stretch).1 == found, "{place}, looked at every {stretch}");
            }
            let (by_device, expected, _) = go(true, 21);
            assert!(!by_device && found.len() == expected.len());
            let near = if precision == Precision::Double { 1e-11 } else { 1e-5 };
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let size = expected.abs().max(1.0);
                assert!((found - expected).abs() <= near * size, "{place}: {k} {found} {expected}");
            }
        }
    }
}

/// Forces that differ from atom to atom: what the host gives for their IDs.
#[test]
fn forces_per_atom_are_those_of_their_ids() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(0, precisions(&gpu)) {
            let mut session = empty([EDGE; 3], "p f f", 1);
            session.system.mass = vec![Some(2.5)];
            run(&mut session, &["pair_style lj/cut 1.0", "pair_coeff * * 0.1 0.5"]);
            scatter(&mut session, 200, 11);
            session.system.groups.names.extend(["even".to_owned(), "odd".to_owned()]);
            for (i, mask) in session.system.host_atoms.mask.iter_mut().enumerate() {
                *mask = 1 | 2 << (i % 2);
            }
            session.system.atom_style = ATOM_STYLES.into_iter().find(|style| style.charged).unwrap();
            run(
                &mut session,
                &[
                    "variable own atom id",
                    "fix e even efield 0.5 -0.2 0.3",
                    "fix a even addforce v_own 0.1 0.0",
                    "fix s odd setforce NULL v_own 0.2",
                ],
            );
            let mut simulation = simulation(&session, &gpu, precision, None);
            let (atoms, before) = (download(&simulation), simulation.atoms.forces().unwrap());
            let most = *atoms.tag.iter().max().unwrap();
            let own = |tag: u32| 0.01 * f64::from(tag) - 0.7;
            let values = |d: usize| -> Vec<Vector> {
                (1..=most)
                    .map(|tag| std::array::from_fn(|axis| if axis == d { own(tag) } else { 0.0 }))
                    .collect()
            };
            let place = |id| session.fixes.iter().position(|fix| fix.header().id == id).unwrap();
            let charges: Vec<Vector> = (1..=most).map(|tag| [1.0 - own(tag); 3]).collect();
            simulation.remember(place("e"), &charges).unwrap();
            simulation.remember(place("a"), &values(0)).unwrap();
            simulation.remember(place("s"), &values(1)).unwrap();
            simulation.first_forces().unwrap();
            let after = simulation.atoms.forces().unwrap();
            let near = if precision == Precision::Double { 1e-12 } else { 2e-5 };
            for i in 0..atoms.len() {
                let own = own(atoms.tag[i]);
                let expected = match atoms.mask[i] & 2 {
                    0 => fix::setforce(before[i], [None, Some(own), Some(0.2)]),
                    _ => {
                        let field = [0.5, -0.2, 0.3].map(|field| (1.0 - own) * field);
                        let charged = fix::addforce(before[i], atoms.x[i], field).0;
                        fix::addforce(charged, atoms.x[i], [own, 0.1, 0.0]).0
                    }
                };
                for d in 0..3 {
                    let size = expected[d].abs().max(1.0);
                    let what = format!("atom {}, {precision:?} on {}", atoms.tag[i], label(gpu.info()));
                    assert!(
                        (after[i][d] - expected[d]).abs() <= near * size,
                        "{what}: {:?}, twin {expected:?}",
                        after[i]
                    );
                }
            }
        }
    }
}
