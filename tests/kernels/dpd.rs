//! Friction and noise between atoms (pair_style dpd): forces against the host's, whichever kernel makes the step; momentum
//! and temperature.

use crate::common::{all_test_devices, by_turns, full, label, test_devices};
use crate::systems::{
    advance, bond_neighbours, download, empty, host_lists, melt, precisions, resolved, rms_error, run,
    scatter, simulation, some_shapes,
};
use clamps::base::random::noise_of_pair;
use clamps::engine::simulation::Simulation;
use clamps::gpu::options::Precision;
use clamps::reference;
use clamps::reference::pair::Motion;
use clamps::session::Session;

/// Forces against the host's, at the velocities in the middle of the step or, before the first one, at its beginning.
fn check(session: &Session, simulation: &Simulation, place: &str) {
    let atoms = download(simulation);
    let found = simulation.atoms.forces().unwrap();
    let half = if simulation.atoms.step == 0 { 0.0 } else { 0.5 * session.clock.dt };
    let v: Vec<[f64; 3]> =
        atoms.v.iter().zip(&found).map(|(v, f)| std::array::from_fn(|d| v[d] - half * f[d])).collect();
    let lists = host_lists(session, simulation, 1.0);
    let (kind, tag) = (&atoms.kind, &atoms.tag);
    let none = vec![0.0; atoms.len()];
    let mut expected = reference::pair::forces(&resolved(session), kind, &none, &lists);
    let step = session.clock.step + i64::from(simulation.atoms.step);
    let motion = Motion { kind, tag, v: &v, step, noise_unit: session.clock.dt.powf(-0.5) };
    reference::pair::add_friction(&mut expected, &resolved(session), motion, &lists);
    let double = simulation.atoms.context.numerics.precision == Precision::Double;
    let (near, near_sums) = if double { (1e-12, 1e-11) } else { (1e-5, 1e-5) };
    let rms = rms_error(&found, &expected.force);
    assert!(rms <= near, "RMS error {rms:e} of the forces, {place}");
    let virial = simulation.sums().unwrap().virial;
    let size = expected.virial.iter().fold(0.0_f64, |size, w| size.max(w.abs()));
    for (found, expected) in virial.iter().zip(expected.virial) {
        assert!((found - expected).abs() <= near_sums * size, "{found} {expected} {place}");
    }
    // Action and reaction.
    let strength = found.iter().flatten().map(|f| f.abs()).sum::<f64>();
    for d in 0..3 {
        let sum: f64 = found.iter().map(|f| f[d]).sum();
        assert!(sum.abs() <= if double { 1e-14 } else { 1e-7 } * strength, "{sum} of {strength}, {place}");
    }
}

#[test]
fn friction_and_noise_in_every_shape() {
    in_third!(2);
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for shape in some_shapes(&gpu, precision, 2, full()) {
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                let mut session = melt(5, 0.1);
                session.clock.step = 3_000_000_000;
                session.neighbor.check = false;
                session.neighbor.every = 4;
                run(&mut session, &["pair_style dpd 1.2 2.0 34387", "pair_coeff * * 25.0 4.5"]);
                let mut simulation = simulation(&session, &gpu, precision, Some(shape));
                check(&session, &simulation, &place);
                advance(&mut simulation, 7);
                assert!(simulation.neighbor.builds() > 0);
                check(&session, &simulation, &format!("after steps, {place}"));
            }
        }
    }
}

/// Several copies of the box, and styles of which only one has friction.
#[test]
fn friction_in_a_small_box() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(0, precisions(&gpu)) {
            let mut session = empty([4.2, 4.4, 6.0], "p p s", 2);
            let styles = "pair_style hybrid/overlay soft 1.2 dpd 0.7 1.9 5";
            run(&mut session, &[styles, "pair_coeff * * soft 10.0", "pair_coeff * 2 dpd 5.0 2.0"]);
            scatter(&mut session, 60, 5);
            let simulation = simulation(&session, &gpu, precision, None);
            assert!(simulation.atoms.context.copies > 1);
            check(&session, &simulation, &format!("{precision:?} on {}", label(gpu.info())));
        }
    }
}

/// Bonded neighbours that count for a quarter have half the noise.
#[test]
fn weights_of_noise() {
    apart!("cheap");
    for gpu in test_devices() {
        let force = |temperature: &str, weight: &str| {
            let mut session = empty([20.0; 3], "p p p", 1);
            run(
                &mut session,
                &[&format!("pair_style dpd {temperature} 2.0 34387"), "pair_coeff 1 1 25.0 4.5"],
            );
            session.system.host_atoms.push(1, 1, [5.0; 3]);
            session.system.host_atoms.push(2, 1, [5.7, 5.0, 5.0]);
            session.system.host_atoms.v[1] = [0.3, 0.1, 0.0];
            bond_neighbours(&mut session, 1.0);
            run(&mut session, &["bond_coeff 1 0.0 1.0", &format!("special_bonds lj/coul {weight} 1 1")]);
            let simulation = simulation(&session, &gpu, Precision::Mixed, None);
            simulation.atoms.forces().unwrap()[0][0]
        };
        let (calm, noise) = (force("0", "1"), force("1.5", "1") - force("0", "1"));
        let (calm_quarter, noise_quarter) = (force("0", "0.25"), force("1.5", "0.25") - force("0", "0.25"));
        assert!((calm_quarter - 0.25 * calm).abs() < 1e-5 * calm.abs(), "{calm_quarter} {calm}");
        assert!((noise_quarter - 0.5 * noise).abs() < 1e-4 * noise.abs(), "{noise_quarter} {noise}");
    }
}

#[test]
fn noise_is_normal() {
    let (n, seed) = (200_000, 77);
    let draws: Vec<f64> = (0..n).map(|k| noise_of_pair(k % 500 + 1, k / 500 + 501, 9, seed)).collect();
    let moment = |k: i32| draws.iter().map(|x| x.powi(k)).sum::<f64>() / f64::from(n);
    // Errors of the means, sqrt(Var(x^k) / n) with Var(x) = 1, Var(x^2) = 2, Var(x^3) = 15, Var(x^4) = 96; four of them.
    for (k, mean, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0_f64)] {
        let error = 4.0 * (variance / f64::from(n)).sqrt();
        assert!((moment(k) - mean).abs() < error, "{k}: {} {error}", moment(k));
    }
    assert_eq!(noise_of_pair(3, 8, 5, seed), noise_of_pair(8, 3, 5, seed));
}

/// The fluid of R. D. Groot and P. B. Warren, J. Chem. Phys. 107, 4423 (1997): density 3, a = 25, sigma = 3, kT = 1.
#[test]
fn a_fluid_keeps_its_temperature() {
    in_third!(2);
    apart!();
    for gpu in test_devices() {
        let mut session = empty([10.0; 3], "p p p", 1);
        run(&mut session, &["pair_style dpd 1.0 1.0 34387", "pair_coeff * * 25.0 4.5"]);
        scatter(&mut session, 3000, 5);
        session.system.host_atoms.v.iter_mut().for_each(|v| *v = [0.0; 3]);
        session.clock.dt = 0.01;
        let mut simulation = simulation(&session, &gpu, Precision::Mixed, None);
        advance(&mut simulation, 300);
        let (mut sum, samples) = (0.0, 60);
        for _ in 0..samples {
            advance(&mut simulation, 10);
            let kinetic: f64 = simulation.sums().unwrap().kinetic[..3].iter().sum();
            sum += kinetic / (3.0 * 2999.0);
        }
        let temperature = sum / f64::from(samples);
        // A sample has a spread of sqrt(2 / 8997) = 1.5 percent, and the time step makes it warmer by half a percent.
        assert!((temperature - 1.0).abs() < 0.02, "{temperature} on {}", label(gpu.info()));
        let atoms = download(&simulation);
        for d in 0..3 {
            let momentum: f64 = atoms.v.iter().map(|v| v[d]).sum();
            assert!(momentum.abs() < 1e-2, "{momentum}");
        }
    }
}
