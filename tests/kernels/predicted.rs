//! Lists around where atoms will be.

use crate::common::{all_test_devices, by_turns, full, label};
use crate::lists::check_lists_around;
use crate::systems::{
    advance, context, download, host_forces, in_turn, melt, other_shape, precisions, rms_error, run, shapes,
    simulation,
};
use clamps::engine::kernels::options::Rebuild;
use clamps::engine::neighbor::prediction::MOST;
use clamps::engine::simulation::{Ending, Simulation};
use clamps::gpu::options::Precision;
use clamps::gpu::record::Section;
use clamps::reference;
use clamps::session::Session;
use std::collections::BTreeMap;

/// A hot liquid, whose lists last some ten steps.
fn hot(predicted: bool) -> Session {
    let mut session = melt(6, 0.1);
    session.system.host_atoms.v.iter_mut().flatten().for_each(|v| *v *= 1.5);
    session.options.rebuild = if predicted { Rebuild::Seldom } else { Rebuild::Lammps };
    session
}

/// By how much the list has each atom elsewhere than it is, from the staged positions.
fn led(simulation: &Simulation) -> Vec<[f64; 3]> {
    let numerics = simulation.atoms.context.numerics;
    let words = 0..simulation.atoms.n * numerics.staged_words();
    let [there, here] = [simulation.atoms.predicted(), &simulation.atoms.packed]
        .map(|buffer| buffer.read(Section::Neigh, words.clone()).unwrap());
    let atoms = there.chunks(numerics.staged_words()).zip(here.chunks(numerics.staged_words()));
    atoms
        .map(|(there, here)| {
            std::array::from_fn(|d| match numerics.wide_pairs() {
                true => {
                    let wide = |words: &[u32]| {
                        f64::from_bits(u64::from(words[2 * d + 1]) << 32 | u64::from(words[2 * d]))
                    };
                    wide(there) - wide(here)
                }
                false => f64::from(there[d].wrapping_sub(here[d]) as i32) * numerics.unit(d),
            })
        })
        .collect()
}

/// At a rebuild in the loop positions are predicted as the twin does it, and the list has exactly the pairs within cutoff and skin there.
#[test]
fn lists_are_built_around_where_atoms_will_be() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            let shapes = [shapes(&gpu, precision)[0], other_shape(&gpu, precision)].into_iter().enumerate();
            for (_, shape) in shapes.filter(|(m, _)| in_turn(&gpu, precision, *m)) {
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                let session = hot(true);
                let mut simulation = simulation(&session, &gpu, precision, Some(shape));
                let mut since = 0;
                let mut before = BTreeMap::new();
                while simulation.neighbor.builds() < 3 {
                    since = simulation.neighbor.built();
                    let atoms = download(&simulation);
                    before = atoms.tag.into_iter().zip(atoms.v).collect();
                    simulation.advance(1, Ending::WITH_ATOMS).unwrap();
                    if simulation.neighbor.builds() < 3 {
                        simulation.finish_step().unwrap();
                    }
                }
                let steps = f64::from(simulation.neighbor.built() - since) / 2.0;
                assert!(steps > 2.0, "{steps} {place}");
                let now = download(&simulation);
                let most = MOST * session.neighbor.skin / 2.0;
                let predicted: Vec<_> = (0..now.len())
                    .map(|i| {
                        reference::prediction::predicted(
                            now.x[i],
                            now.v[i],
                            before[&now.tag[i]],
                            steps,
                            session.clock.dt,
                            most,
                        )
                    })
                    .collect();
                let near = if precision == Precision::Double { 1e-7 } else { 1e-6 };
                for ((found, predicted), x) in led(&simulation).iter().zip(&predicted).zip(&now.x) {
                    for d in 0..3 {
                        assert!(
                            (found[d] - (predicted[d] - x[d])).abs() < near,
                            "{found:?} {predicted:?} {x:?} {place}"
                        );
                    }
                }
                check_lists_around(&session, &simulation, &predicted, 1e-6, &place);
            }
        }
    }
}

/// No pair is missed: no atom comes farther from where the list has it than half the skin, so in double precision forces agree with
/// brute force in every step, and the run with that of LAMMPS's schedule, with fewer rebuilds.
#[test]
fn lists_around_predicted_positions_last_longer_and_miss_no_pair() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in by_turns(2, precisions(&gpu)) {
            let shape = shapes(&gpu, precision)[1];
            let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
            let session = hot(true);
            let mut predicted = simulation(&session, &gpu, precision, Some(shape));
            assert!(predicted.neighbor.prediction.ahead());
            for step in 0..50 {
                advance(&mut predicted, 1);
                let far =
                    led(&predicted).iter().map(|by| by.iter().map(|by| by * by).sum()).fold(0.0, f64::max);
                assert!(far.sqrt() <= session.neighbor.skin / 2.0 + 1e-6, "{far} {place}");
                if precision == Precision::Double && (full() || step % 4 == 1) {
                    let rms = rms_error(
                        &predicted.atoms.forces().unwrap(),
                        &host_forces(&session, &predicted).force,
                    );
                    assert!(rms < 1e-12, "{rms:e} {place}");
                }
            }
            let mut still = simulation(&hot(false), &gpu, precision, Some(shape));
            advance(&mut still, 50);
            let [few, many] = [&predicted, &still].map(|run| run.neighbor.builds());
            assert!(few > 2 && 4 * few < 3 * many, "{few} and {many} rebuilds, {place}");
            if precision == Precision::Double {
                let by_tag = |run: &Simulation| -> BTreeMap<u32, [f64; 3]> {
                    let atoms = download(run);
                    atoms.tag.into_iter().zip(atoms.v).collect()
                };
                for (a, b) in by_tag(&predicted).values().flatten().zip(by_tag(&still).values().flatten()) {
                    assert!((a - b).abs() < 1e-9, "{a} {b} {place}");
                }
            }
        }
    }
}

/// Lists are built around predicted positions where each step looks whether they serve, in boxes that stay as they are.
#[test]
fn lists_are_around_predicted_positions_where_that_is_safe() {
    apart!("cheap");
    let gpu = &all_test_devices()[0];
    let serves = |change: &dyn Fn(&mut Session)| {
        let mut session = hot(true);
        change(&mut session);
        let context = context(&session, gpu, Precision::Single, None);
        crate::systems::with_spec(&session, gpu, Precision::Single, |spec| spec.can_predict(&context))
    };
    let fixed = |session: &mut Session| {
        session.system.domain.as_mut().unwrap().boundary[2] = [clamps::model::domain::Boundary::Fixed; 2];
    };
    assert!(serves(&|_| ()) && serves(&|session| session.neighbor.delay = 1));
    for blind in [
        &["fix bath all langevin 1.0 2.0 0.1 4711"][..],
        &["fix push all addforce 0 1 0", "compute flat all temp/partial 1 1 0"],
        // What is only looked at does no harm.
        &["variable high atom z>1", "compute sum all reduce sum v_high", "fix mean all ave/time 1 5 5 c_sum"],
    ] {
        assert!(serves(&|session| run(session, blind)), "{blind:?}");
    }
    for change in [
        &(|session: &mut Session| session.neighbor.every = 2) as &dyn Fn(&mut Session),
        &|session| session.neighbor.delay = 5,
        &|session| session.neighbor.check = false,
        &|session| session.neighbor.once = true,
        &|session| session.options.rebuild = Rebuild::Lammps,
        &fixed,
        // A box of few cells, of which lists see copies.
        &|session| {
            let options = session.options.clone();
            *session = melt(3, 0.1);
            session.options = options;
        },
        &|session| run(session, &["fix press all press/berendsen iso 0.0 0.0 1.0"]),
        // What looks at where in the box an atom is.
        &|session| run(session, &["region r block 0 1 0 1 0 1", "fix push all addforce 0 1 0 region r"]),
        &|session| {
            run(session, &["variable T equal 1+bound(all,xmax)", "fix bath all langevin v_T 1.0 0.1 4711"]);
        },
        &|session| run(session, &["variable F atom z", "fix push all addforce 0 0 v_F"]),
        &|session| run(session, &["variable high atom z>1", "group up dynamic all var high"]),
        &|session| run(session, &["compute ramp all temp/ramp vx 0 1 z 0 1"]),
    ] {
        assert!(!serves(change));
    }
}
