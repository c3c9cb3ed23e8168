//! Atoms follow their rigid bodies, against the twin of `clamps::reference::rigid`.

use crate::common::{all_test_devices, label};
use crate::flows::dense_system;
use crate::systems::{download, precisions, run, simulation};
use clamps::engine::simulation::Ending;
use clamps::gpu::options::Precision;
use clamps::model::atoms::Atoms;
use clamps::reference::rigid::{Body, carried};
use clamps::run::fixes::FixRunner;
use clamps::session::Session;
use clamps::session::fix::StepContext;

/// What the twin makes of an atom of a body: by the table that the fix gives the device, and the numbers at a step.
fn expected(session: &Session, tag: u32) -> Option<[[f64; 3]; 2]> {
    let numbers =
        session.fixes[0].parameters(&StepContext::ahead(session, session.clock.step, [0, 10])).unwrap();
    let (rows, memory) = (numbers[0] as usize, session.fixes[0].memory());
    let (table, _) = memory.as_chunks::<3>();
    let row = tag as usize - 1;
    let number = table[rows + row][0] as usize;
    let vector = |k: usize| std::array::from_fn(|d| numbers[1 + 18 * (number - 1) + 3 * k + d]);
    (number > 0).then(|| {
        let body = Body {
            axes: [vector(0), vector(1), vector(2)],
            centre: vector(3),
            velocity: vector(4),
            omega: vector(5),
        };
        carried(table[row], &body)
    })
}

fn near(found: [f64; 3], expected: [f64; 3], near: f64, what: &str) {
    for d in 0..3 {
        let size = expected[d].abs().max(1.0);
        assert!((found[d] - expected[d]).abs() <= near * size, "{what}: {found:?}, twin {expected:?}");
    }
}

/// All atoms, with their image counts, against the twin; those of no body against what they were.
fn check(session: &Session, atoms: &Atoms, before: &Atoms, tolerance: f64, what: &str) {
    let mut carried = 0;
    for i in 0..atoms.len() {
        let was = before.tag.iter().position(|tag| *tag == atoms.tag[i]).unwrap();
        let domain = session.system.domain.as_ref().unwrap();
        match expected(session, atoms.tag[i]) {
            Some([x, v]) => {
                near(domain.unwrapped(atoms.x[i], atoms.image[i]), x, tolerance, &format!("{what}, place"));
                near(atoms.v[i], v, tolerance, &format!("{what}, velocity"));
                carried += 1;
            }
            None => assert_eq!((atoms.x[i], atoms.v[i]), (before.x[was], before.v[was]), "{what}"),
        }
    }
    assert!(carried > 90 && carried < atoms.len(), "{what}: {carried}");
}

#[test]
fn atoms_follow_their_bodies_as_the_twin_says() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let tilt = (precision == Precision::Double).then_some([1.2, -1.4, 1.5]);
            let mut session = dense_system(tilt, &["pair_coeff * * 1e-3 0.5"]);
            for i in 0..150 {
                session.system.host_atoms.mask[i] = 1 | u32::from(i % 3 != 0) << 1;
                session.system.host_atoms.image[i] = [i as i32 % 3 - 1, 0, 2 - i as i32 % 5];
            }
            run(&mut session, &["variable body atom floor(id/20)", "fix 1 some rigid/nve custom v_body"]);
            let mut simulation = simulation(&session, &gpu, precision, None);
            let hooks = FixRunner::begin(&session, &mut simulation, [0, 10]).unwrap();
            hooks.setup(&session, &mut simulation).unwrap();
            let what = format!("{tilt:?}, {precision:?} on {}", label(gpu.info()));
            let tolerance = if precision == Precision::Single { 1e-5 } else { 1e-12 };
            let before = download(&simulation);
            hooks.prepare(&session, &mut simulation, 1).unwrap();
            session.clock.step += i64::from(simulation.advance(1, Ending::WITH_TALLIES).unwrap());
            check(&session, &download(&simulation), &before, tolerance, &format!("{what}, on the way"));
            hooks.post_force(&session, &mut simulation, false).unwrap();
            simulation.finish_step().unwrap();
            hooks.end_of_step(&session, &mut simulation).unwrap();
            check(&session, &download(&simulation), &before, tolerance, &format!("{what}, at the end"));
        }
    }
}
