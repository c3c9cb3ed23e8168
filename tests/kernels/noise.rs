//! Random numbers by counting, and what fix langevin makes of them.

use crate::common::{all_test_devices, by_turns, label, test_devices};
use crate::systems::{context, download, empty, in_turn, melt, precisions, run, scatter, simulation};
use clamps::base::random::{normal_of_atom, philox, uniform_of_atom};
use clamps::engine::kernels::RANDOM;
use clamps::engine::simulation::Simulation;
use clamps::gpu::Arg;
use clamps::gpu::options::Precision;
use clamps::gpu::record::Section;
use clamps::reference::fix;
use clamps::reference::fix::{RoughWall, reflect_stochastic};
use clamps::run::fixes::FixRunner;

const KERNEL: &str = "__kernel void draw(__global const uint *x, __global uint *y, uint n) {
    const uint i = get_global_id(0);
    if (i < n) vstore4(philox(vload4(i, x), (uint2)(x[0], x[5])), i, y);
}
";

#[test]
fn philox_is_the_twins_on_every_device() {
    apart!();
    for gpu in test_devices() {
        let context = context(&melt(3, 0.1), &gpu, Precision::Single, None);
        let counters: Vec<u32> =
            (0..400_u32).map(|k| k.wrapping_mul(0x9e37_79b9).rotate_left(k % 32)).collect();
        let (x, y) = (gpu.buffer("x", 400).unwrap(), gpu.buffer("y", 400).unwrap());
        x.write(Section::Modify, 0, &counters).unwrap();
        let program = context.program(&[RANDOM, ("draw.cl", KERNEL)]).unwrap();
        let args = [(&x).into(), (&y).into(), Arg::U32(100)];
        program.kernel("draw").unwrap().launch_each(Section::Modify, 100, 64, &args).unwrap();
        let found: Vec<u32> = y.read(Section::Modify, 0..400).unwrap();
        let key = [counters[0], counters[5]];
        let expected =
            counters.chunks_exact(4).flat_map(|c| philox([c[0], c[1], c[2], c[3]], key)).collect::<Vec<_>>();
        assert_eq!(found, expected, "{}", label(gpu.info()));
    }
}

/// Drag and noise on every atom of a group, with two masses and types whose damping differs.
#[test]
fn langevin_forces_follow_the_formula() {
    apart!();
    for gpu in all_test_devices() {
        for precision in by_turns(2, precisions(&gpu)) {
            let mut session = melt(3, 0.1);
            (session.clock.step, session.clock.dt) = ((1 << 33) + 5, 0.004);
            session.system.mass = vec![Some(2.0), Some(0.5)];
            for i in 0..session.system.host_atoms.len() {
                session.system.host_atoms.kind[i] = 1 + i as u32 % 2;
                session.system.host_atoms.mask[i] = 1 | if i % 3 == 0 { 2 } else { 0 };
            }
            session.system.groups.names.push("third".to_owned());
            run(&mut session, &["pair_coeff * * 1.0 1.0"]);
            run(&mut session, &["fix 2 third langevin 1.5 1.5 0.8 987654321 scale 2 3.0 zero yes"]);
            let mut noisy = simulation(&session, &gpu, precision, None);
            let before = noisy.atoms.forces().unwrap();
            let step = session.clock.step;
            FixRunner::begin(&session, &mut noisy, [step, step + 10]).unwrap();
            let (atoms, found) = (download(&noisy), noisy.atoms.forces().unwrap());
            let members: Vec<usize> = (0..atoms.len()).filter(|&i| atoms.mask[i] & 2 != 0).collect();
            // The variance of a uniform number is 1/12 of its width squared: 24 stands for 2 * 12.
            let damp = |i: usize| 0.8 * [1.0, 3.0][atoms.kind[i] as usize - 1];
            let mass = |i: usize| [2.0, 0.5][atoms.kind[i] as usize - 1];
            let noise = |i: usize| {
                let width = (24.0 * mass(i) * 1.5 / (damp(i) * session.clock.dt)).sqrt();
                uniform_of_atom(atoms.tag[i], session.clock.step, [987_654_321, 1]).map(|u| width * u)
            };
            let mean =
                [0, 1, 2].map(|d| members.iter().map(|&i| noise(i)[d]).sum::<f64>() / members.len() as f64);
            let near = if precision == Precision::Double { 1e-11 } else { 2e-4 };
            let place = format!("{precision:?} on {}", label(gpu.info()));
            for i in 0..atoms.len() {
                for d in 0..3 {
                    let added = match atoms.mask[i] & 2 {
                        0 => 0.0,
                        _ => -mass(i) / damp(i) * atoms.v[i][d] + noise(i)[d] - mean[d],
                    };
                    let difference = found[i][d] - before[i][d] - added;
                    assert!(difference.abs() <= near, "{difference:e} of {added}, {place}");
                }
            }
            let total: f64 = members.iter().map(|&i| noise(i)[0] - mean[0]).sum();
            assert!(total.abs() < 1e-9 && noise(members[0])[0].abs() > 0.1, "{place}");
        }
    }
}

/// Two steps around fix nve, with each of the velocities to be seen, two masses and types whose damping differs, and a
/// temperature that rises.
#[test]
fn gjf_follows_the_twin() {
    apart!("cheap");
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for half in
                [false, true].into_iter().filter(|half| in_turn(&gpu, precision, 1 + usize::from(*half)))
            {
                let mut session = empty([6.0; 3], "p p p", 2);
                (session.clock.dt, session.clock.step) = (0.1, (1 << 33) + 5);
                // Atoms go far in these steps: no halt for that.
                (session.neighbor.check, session.neighbor.every) = (false, 100);
                session.system.mass = vec![Some(2.0), Some(0.5)];
                session.fixes.clear();
                let kind = if half { "vhalf" } else { "vfull" };
                let line =
                    format!("fix 2 third langevin 1.5 2.0 0.8 987654321 scale 2 3.0 zero yes gjf {kind}");
                run(&mut session, &["pair_style soft 1.0", "pair_coeff * * 5.0"]);
                scatter(&mut session, 200, 11);
                for i in 0..session.system.host_atoms.len() {
                    session.system.host_atoms.mask[i] = 1 | if i % 3 == 0 { 2 } else { 0 };
                }
                session.system.groups.names.push("third".to_owned());
                run(&mut session, &[&line, "fix 1 all nve"]);
                let mut simulation = simulation(&session, &gpu, precision, None);
                let first = session.clock.step;
                let hooks = FixRunner::begin(&session, &mut simulation, [first, first + 10]).unwrap();
                hooks.prepare(&session, &mut simulation, first + 2).unwrap();
                let mut atoms = download(&simulation);
                let members: Vec<usize> = (0..atoms.len()).filter(|&i| atoms.mask[i] & 2 != 0).collect();
                let (kinds, tags) = (atoms.kind.clone(), atoms.tag.clone());
                let of = |i: usize, values: [f64; 2]| values[kinds[i] as usize - 1];
                let (mass, damp) = (|i| of(i, [2.0, 0.5]), |i| of(i, [0.8, 2.4]));
                // The noise of a step as a kick, without its mean.
                let noise = |step: i64| -> Vec<[f64; 3]> {
                    let target = 1.5 + 0.5 * (step - first) as f64 / 10.0;
                    let force = |i: usize| {
                        let width = (2.0 * mass(i) * target / (damp(i) * 0.1)).sqrt();
                        normal_of_atom(tags[i], step, [987_654_321, 13]).map(|normal| width * normal)
                    };
                    let sum = |d: usize| members.iter().map(|&i| force(i)[d]).sum::<f64>();
                    let mean = [0, 1, 2].map(|d| sum(d) / members.len() as f64);
                    let kick = |i: usize| {
                        let force = force(i);
                        std::array::from_fn(|d| 0.05 * (force[d] - mean[d]) / mass(i))
                    };
                    (0..tags.len()).map(kick).collect()
                };
                let place = format!("{kind} {precision:?} on {}", label(gpu.info()));
                let near = if precision == Precision::Double { 1e-11 } else { 3e-5 };
                let mut moved_by = atoms.v.clone();
                for step in [1, 2] {
                    let kick = |force: &[[f64; 3]], i: usize| force[i].map(|f| 0.05 * f / mass(i));
                    let before = simulation.atoms.forces().unwrap();
                    let Simulation { step_kernels, atoms: resident, neighbor, .. } = &mut simulation;
                    resident.step = step;
                    step_kernels.begin(resident, neighbor).unwrap();
                    step_kernels.forces(resident, neighbor, false).unwrap();
                    let after = simulation.atoms.forces().unwrap();
                    simulation.finish_step().unwrap();
                    let (now, last) = (noise(first + i64::from(step)), noise(first + i64::from(step) - 1));
                    for i in 0..tags.len() {
                        let (member, c) = (atoms.mask[i] & 2 != 0, 0.05 / damp(i));
                        let plus = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|d| a[d] + b[d]);
                        let mut v = atoms.v[i];
                        if member && half && step > 1 {
                            v = plus(fix::gjf_final(moved_by[i], last[i], c), kick(&before, i));
                        }
                        if member {
                            v = fix::gjf_initial(v, kick(&before, i), now[i], c);
                        }
                        let u: [f64; 3] = plus(v, kick(&before, i));
                        moved_by[i] = u;
                        atoms.x[i] = std::array::from_fn(|d| atoms.x[i][d] + 0.1 * u[d]);
                        let on_site = if member { fix::gjf_final(u, now[i], c) } else { u };
                        atoms.v[i] = plus(on_site, kick(&after, i));
                        if member && half {
                            atoms.v[i] = u.map(|u| u * (1.0 + c).sqrt());
                        }
                    }
                    let found = download(&simulation);
                    for i in 0..tags.len() {
                        for d in 0..3 {
                            let apart = (found.v[i][d] - atoms.v[i][d]).abs();
                            assert!(apart <= near, "velocity {apart:e}, step {step}, {place}");
                            let apart = (found.x[i][d] - atoms.x[i][d]).abs();
                            assert!(apart <= near, "position {apart:e}, step {step}, {place}");
                        }
                    }
                }
            }
        }
    }
}

/// One drift between two walls of each model, far enough inside the box that many atoms are behind them.
#[test]
fn rough_walls_follow_the_twin() {
    apart!();
    let (temperatures, velocities) = ([1.3, 0.7], [[0.4, 0.0, -0.2], [0.0, 0.0, 0.3]]);
    let models =
        [("diffusive", ["", ""]), ("maxwell", ["0.6", "0.3"]), ("ccl", ["0.6 0.2 0.9", "0.1 1.0 0.5"])];
    for gpu in all_test_devices() {
        for precision in by_turns(0, precisions(&gpu)) {
            let mut session = empty([6.0; 3], "p f f", 2);
            (session.clock.dt, session.clock.step) = (0.4, (1 << 33) + 5);
            session.system.mass = vec![Some(2.5), Some(0.8)];
            run(&mut session, &["pair_style zero 1.0", "pair_coeff * *"]);
            scatter(&mut session, 300, 11);
            session.system.groups.names.extend(models.map(|(name, _)| name.to_owned()));
            for i in 0..session.system.host_atoms.len() {
                session.system.host_atoms.mask[i] = 1 | 2 << (i % 3);
            }
            for (model, accommodation) in models {
                let wall = |k: usize| {
                    let [vx, vy, vz] = velocities[k];
                    format!("{} {vx} {vy} {vz} {}", temperatures[k], accommodation[k])
                };
                let words = format!("ylo 1.0 {} yhi 5.0 {} units box", wall(0), wall(1));
                run(
                    &mut session,
                    &[&format!("fix {model} {model} wall/reflect/stochastic {model} 987654321 {words}")],
                );
            }
            let mut simulation = simulation(&session, &gpu, precision, None);
            let before = download(&simulation);
            let Simulation { step_kernels, atoms, neighbor, .. } = &mut simulation;
            atoms.step = 1;
            step_kernels.begin(atoms, neighbor).unwrap();
            let found = download(&simulation);
            let near = if precision == Precision::Double { 1e-11 } else { 3e-4 };
            let mut behind = [0; 3];
            for i in 0..before.len() {
                let model = (0..3).find(|k| before.mask[i] & 2 << k != 0).expect("a group");
                let v = before.v[i];
                let mut expected: ([f64; 3], [f64; 3]) =
                    (std::array::from_fn(|d| before.x[i][d] + session.clock.dt * v[d]), v);
                for k in 0..2_u32 {
                    let numbers =
                        |text: &str| text.split(' ').map(|a| a.parse().unwrap_or(1.0)).collect::<Vec<f64>>();
                    let part = numbers(models[model].1[k as usize]);
                    let wall = RoughWall {
                        model: model as u32,
                        axis: 1,
                        side: [-1.0, 1.0][k as usize],
                        place: [1.0, 5.0][k as usize],
                        theta: temperatures[k as usize] / [2.5, 0.8][before.kind[i] as usize - 1],
                        velocity: velocities[k as usize],
                        accommodation: std::array::from_fn(|d| part[d.min(part.len() - 1)]),
                    };
                    let step = session.clock.step + 1;
                    let draw = |n: u32| {
                        let counter = [before.tag[i], step as u32, (step >> 32) as u32, n];
                        philox(counter, [987_654_321, 2]).map(|word| (f64::from(word) + 0.5) / 2f64.powi(32))
                    };
                    let ([a, b, c, d], [e, ..]) = (draw(2 * k + 1), draw(2 * k + 2));
                    let after = reflect_stochastic(expected.0, expected.1, &wall, [a, b, c, d, e]);
                    behind[model] += usize::from(after != expected);
                    expected = after;
                }
                for (found, expected) in [(found.x[i], expected.0), (found.v[i], expected.1)] {
                    for d in 0..3 {
                        let difference = found[d] - expected[d];
                        let place = format!(
                            "{} of {}, {precision:?} on {}",
                            models[model].0,
                            before.tag[i],
                            label(gpu.info())
                        );
                        assert!(
                            difference.abs() <= near * expected[d].abs().max(1.0),
                            "{difference:e} of {}, {place}",
                            expected[d]
                        );
                    }
                }
            }
            assert!(behind.iter().all(|count| *count > 20), "{behind:?}");
        }
    }
}
