//! Forces, energy and virial against the f64 twin and against finite differences.

use crate::common::{all_test_devices, by_turns, chosen, full, label, test_devices, test_devices_in};
use crate::lists::check_lists;
use crate::systems::{
    download, empty, host_forces, lattice, melt, other_shape, precisions, resolved, rms_error, run, shapes,
    simulation, some_shapes, stiffness,
};
use clamps::engine::simulation::Simulation;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::gpu::record::Section;
use clamps::reference::pair::Forces;
use clamps::session::Session;

/// Relative RMS error of the forces that is allowed, and relative error of energy and virial.
fn tolerance(precision: Precision) -> (f64, f64) {
    if precision == Precision::Double { (1e-13, 1e-12) } else { (4e-6, 1e-6) }
}

/// A distorted melt of three types with all mixing rules' ingredients.
fn mixture(rule: &str, shift: &str) -> Session {
    let mut session = melt(4, 0.15);
    session.system.mass = vec![Some(1.0); 3];
    let kinds = session.system.host_atoms.tag.iter().map(|tag| tag % 3 + 1);
    session.system.host_atoms.kind = kinds.collect();
    let (mix, shift) = (format!("pair_modify mix {rule}"), format!("pair_modify shift {shift}"));
    run(
        &mut session,
        &[
            "pair_style lj/cut 2.2",
            &mix,
            &shift,
            "pair_coeff 1 1 1.0 1.0",
            "pair_coeff 2 2 0.5 0.9 1.8",
            "pair_coeff 3 3 1.5 0.8",
            "pair_coeff 2 3 0.7 0.95 2.5",
        ],
    );
    session
}

/// How far forces, energy and virial are from the twin's, each relative to its size.
pub(crate) struct Errors {
    /// Root mean square, of that of the forces.
    pub(crate) force: f64,
    pub(crate) energy: f64,
    /// The largest of six.
    pub(crate) virial: f64,
}

fn errors(session: &Session, simulation: &Simulation) -> Errors {
    let Forces { force, energy, virial, .. } = host_forces(session, simulation);
    let sums = simulation.sums().unwrap();
    // Off-diagonal terms nearly cancel: errors are measured by the size of the whole tensor. So do repulsion and attraction in the energy of
    // atoms pressed together, which is small beside their virial: rounding of a file's numbers to fp32 is 1e-7 of each of both.
    let largest = |w: &mut dyn Iterator<Item = f64>| {
        // What is no number is the largest.
        w.fold(0.0_f64, |size, w| if w.abs() > size || w.is_nan() { w.abs() } else { size })
    };
    let mut size = largest(&mut virial.into_iter());
    if resolved(session).seen().has_passes() {
        // A whole virial may be small beside its parts, too. Lengths and coefficients that are rounded to u = 2^-24 change it as stretching all
        // lengths by u would: by u times the stiffness, of which 1e-6, which is allowed, is 1/16.
        size = size.max(stiffness(session, simulation) / 16.0);
    }
    Errors {
        force: rms_error(&simulation.atoms.forces().unwrap(), &force),
        energy: (sums.energy - energy).abs() / energy.abs().max(size / 3.0),
        virial: largest(&mut sums.virial.iter().zip(virial).map(|(found, w)| found - w)) / size,
    }
}

pub(crate) fn check(session: &Session, simulation: &Simulation, precision: Precision, place: &str) -> Errors {
    let (rms_allowed, sum_allowed) = tolerance(precision);
    let found = simulation.atoms.forces().unwrap();
    let errors = errors(session, simulation);
    assert!(errors.force <= rms_allowed, "RMS error {:e} of the forces, {place}", errors.force);
    assert!(errors.energy <= sum_allowed, "error {:e} of the energy, {place}", errors.energy);
    assert!(errors.virial <= sum_allowed, "error {:e} of the virial, {place}", errors.virial);
    // Each pair pushes both of its atoms.
    let scale = found.iter().flatten().map(|f| f.abs()).sum::<f64>();
    for d in 0..3 {
        let total: f64 = found.iter().map(|f| f[d]).sum();
        assert!(total.abs() <= 0.1 * rms_allowed * scale, "net force {total}, {place}");
    }
    // The kernel without tallies gives the same bits.
    simulation.atoms.force.write(Section::Pair, &vec![0.5; 3 * found.len()]).unwrap();
    simulation.step_kernels.forces(&simulation.atoms, &simulation.neighbor, false).unwrap();
    assert_eq!(simulation.atoms.forces().unwrap(), found, "{place}");
    errors
}

fn forces_agree(precision: Precision) {
    for gpu in test_devices_in(precision) {
        let mut found: Vec<Vec<[f64; 3]>> = Vec::new();
        for shape in some_shapes(&gpu, precision, 3, full()) {
            let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
            let session = melt(5, 0.15);
            let simulation = simulation(&session, &gpu, precision, Some(shape));
            let Errors { force: rms, .. } = check(&session, &simulation, precision, &place);
            eprintln!("melt: RMS force error {rms:.2e}, {} {} wide, {place}", shape.lanes, shape.vector);
            found.push(simulation.atoms.forces().unwrap());
        }
        // Ways of cutting up the work differ by rounding alone.
        for other in &found[1..] {
            assert!(rms_error(other, &found[0]) <= tolerance(precision).0);
        }
    }
}

#[test]
fn forces_agree_in_single() {
    apart!("cheap");
    forces_agree(Precision::Single);
}

#[test]
fn forces_agree_in_mixed() {
    in_third!(1);
    apart!();
    forces_agree(Precision::Mixed);
}

#[test]
fn forces_agree_in_double() {
    apart!("cheap");
    forces_agree(Precision::Double);
}

#[test]
fn types_mix() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let [own, other] = [shapes(&gpu, precision)[0], other_shape(&gpu, precision)];
            let last = if precision == Precision::Mixed { other } else { own };
            let rules = [("geometric", "no", own), ("arithmetic", "yes", own), ("sixthpower", "yes", last)];
            // In the other precisions one each.
            let some = |k: &usize| full() || precision == Precision::Mixed || *k == precision as usize / 2;
            for (_, (rule, shift, shape)) in rules.into_iter().enumerate().filter(|(k, _)| some(k)) {
                let session = mixture(rule, shift);
                let simulation = simulation(&session, &gpu, precision, Some(shape));
                let place = format!("{rule} {precision:?} {shape:?} on {}", label(gpu.info()));
                check(&session, &simulation, precision, &place);
            }
        }
    }
}

/// A distorted melt of so many types, which differ in all that a pair has or in nothing.
fn melt_of(types: u32, alike: bool) -> Session {
    let mut session = melt(4, 0.15);
    session.system.mass = vec![Some(1.0); types as usize];
    session.system.host_atoms.kind =
        session.system.host_atoms.tag.iter().map(|tag| tag % types + 1).collect();
    run(&mut session, &["pair_style lj/cut 2.1", "pair_coeff * * 0.9 1.0"]);
    for kind in (1..=types).filter(|_| !alike) {
        let numbers =
            [1.0 + 0.1 * f64::from(kind), 0.9 + 0.01 * f64::from(kind), 1.7 + 0.05 * f64::from(kind)];
        let [epsilon, sigma, cutoff] = numbers;
        run(&mut session, &[&format!("pair_coeff {kind} {kind}* {epsilon} {sigma} {cutoff}")]);
    }
    session
}

/// The numbers of a pair are constants where types are alike, chosen among those of a few types, looked up among many (cl/force/pairs.cl), and of
/// 6 to 32 types taken from rows of the cluster where four atoms share a list (cl/force/loop_cluster.cl).
#[test]
fn types_few_and_many() {
    in_third!(2);
    apart!("cheap");
    for gpu in test_devices() {
        for precision in [Precision::Mixed, Precision::Double] {
            let most = if precision == Precision::Mixed { 3 } else { 1 }; // lists in tiles are the third
            for (m, shape) in shapes(&gpu, precision).into_iter().take(most).enumerate() {
                let cases = [(3, true), (3, false), (9, false), (33, false)].into_iter().enumerate();
                for (_, (types, alike)) in cases.filter(|(k, _)| chosen(&[m, *k])) {
                    let session = melt_of(types, alike);
                    let simulation = simulation(&session, &gpu, precision, Some(shape));
                    let place =
                        format!("{types} types, {alike}, {precision:?} {shape:?} on {}", label(gpu.info()));
                    check(&session, &simulation, precision, &place);
                    check_lists(&session, &simulation, precision, &place);
                }
            }
        }
    }
}

/// The size of the box costs no precision: 4,000 atoms at the far corner of a box a hundred times as long.
#[test]
fn forces_are_as_good_far_from_the_origin() {
    in_third!(3);
    apart!("cheap");
    let gpu = Gpu::open(None, clamps::gpu::options::TimingMode::Off).unwrap();
    if gpu.info().most_neighbors().is_some() {
        eprintln!("SKIPPED on {}: such clumps are refused there", label(gpu.info()));
        return;
    }
    let edge = 10.0 * (4.0_f64 / 0.8442).cbrt();
    let mut session = empty([100.0 * edge; 3], "p p p", 1);
    lattice(&mut session, 10, 0.15, [99.0 * edge; 3]);
    run(&mut session, &["pair_style lj/cut 2.5", "pair_coeff 1 1 1.0 1.0"]);
    for precision in precisions(&gpu).iter().copied().filter(|it| *it != Precision::Double) {
        let simulation = simulation(&session, &gpu, precision, None);
        let Errors { force: rms, .. } = check(&session, &simulation, precision, "far corner");
        eprintln!("far corner: RMS force error {rms:.2e}, {precision:?}");
    }
}

fn energy(session: &Session, gpu: &Gpu) -> f64 {
    simulation(session, gpu, Precision::Double, None).sums().unwrap().energy
}

/// F = -dE/dx: the device's forces are the slope of the device's energy.
#[test]
fn forces_are_the_slope_of_the_energy() {
    apart!("cheap");
    const H: f64 = 1e-5;
    for gpu in test_devices() {
        let session = mixture("arithmetic", "yes");
        let start = simulation(&session, &gpu, Precision::Double, None);
        let (atoms, forces) = (download(&start), start.atoms.forces().unwrap());
        for (tag, d) in [(1, 0), (77, 1), (200, 2)] {
            let mut moved = mixture("arithmetic", "yes");
            let atom = moved.system.host_atoms.tag.iter().position(|&t| t == tag).unwrap();
            moved.system.host_atoms.x[atom][d] += H;
            let up = energy(&moved, &gpu);
            moved.system.host_atoms.x[atom][d] -= 2.0 * H;
            let slope = (up - energy(&moved, &gpu)) / (2.0 * H);
            let force = forces[atoms.tag.iter().position(|&t| t == tag).unwrap()][d];
            assert!(force.abs() > 0.1, "{force} tells little");
            assert!((slope + force).abs() < 1e-5 * force.abs().max(1.0), "{slope} {force}");
        }
    }
}

/// Two atoms in closed form: E = 4 (r^-12 - r^-6), F = 48 r^-13 - 24 r^-7, across a face.
#[test]
fn two_atoms_across_a_face() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(2, precisions(&gpu)) {
            let mut session = empty([6.0; 3], "p p p", 1);
            run(&mut session, &["pair_style lj/cut 2.5", "pair_coeff 1 1 1.0 1.0"]);
            session.system.host_atoms.push(1, 1, [0.5, 1.0, 1.0]);
            session.system.host_atoms.push(2, 1, [5.25, 1.0, 1.0]);
            let simulation = simulation(&session, &gpu, precision, None);
            let r = 1.25_f64;
            let (energy, force) = (4.0 * (r.powi(-12) - r.powi(-6)), 48.0 * r.powi(-13) - 24.0 * r.powi(-7));
            let sums = simulation.sums().unwrap();
            let close = |a: f64, b: f64| (a - b).abs() <= tolerance(precision).1 * b.abs();
            assert!(close(sums.energy, energy), "{} {energy}", sums.energy);
            assert!(close(sums.virial[0], r * force) && sums.virial[1..].iter().all(|&w| w == 0.0));
            let first = download(&simulation).tag.iter().position(|&tag| tag == 1).unwrap();
            assert!(close(simulation.atoms.forces().unwrap()[first][0], force));
        }
    }
}
