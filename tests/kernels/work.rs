//! What kernels are said to move and compute, against counts over all pairs on the host.

use crate::common::{all_test_devices, label};
use crate::systems::{
    advance, download, empty, host_lists, melt, precisions, resolved, run, scatter, shapes, simulation,
    simulation_at,
};
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::simulation::Simulation;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::output::kernel_cost::{count, pair_operations};
use clamps::session::Session;

/// lj/cut between atoms of type 1, morse between those of type 2, nothing between the two.
fn two_styles() -> Session {
    let mut session = melt(5, 0.15);
    session.system.mass = vec![Some(1.0); 2];
    session.system.host_atoms.kind = session.system.host_atoms.tag.iter().map(|tag| tag % 2 + 1).collect();
    let lines = [
        "pair_style hybrid lj/cut 2.2 morse 1.8",
        "pair_coeff 1 1 lj/cut 1.0 1.0",
        "pair_coeff 2 2 morse 1.0 2.0 1.1",
        "pair_coeff 1 2 none",
    ];
    run(&mut session, &lines);
    session
}

/// The shapes of CPUs and of GPUs with and without tiles in mixed precision, else the device's own.
fn few_shapes(gpu: &Gpu, precision: Precision) -> Vec<LaunchConfig> {
    let most = if precision == Precision::Mixed { 3 } else { 1 };
    shapes(gpu, precision).into_iter().take(most).collect()
}

/// Pairs within a cutoff between atoms of a type, from brute-force lists.
fn pairs(session: &Session, simulation: &Simulation, kind: u32, cutoff: f64) -> f64 {
    let kinds = download(simulation).kind;
    let lists = host_lists(session, simulation, 1.0);
    let near = lists.iter().enumerate().map(|(i, list)| {
        let both = |atom: usize| kinds[i] == kind && kinds[atom] == kind;
        list.iter().filter(|other| both(other.atom) && other.rsq < cutoff * cutoff).count() as f64
    });
    near.sum::<f64>() / 2.0
}

#[test]
fn operations_of_pairs_are_those_of_the_pairs_there_are() {
    in_third!(2);
    apart!("cheap");
    let session = two_styles();
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for shape in few_shapes(&gpu, precision) {
                let simulation = simulation(&session, &gpu, precision, Some(shape));
                let found = pair_operations(&simulation, &resolved(&session)).unwrap().unwrap();
                let [lj, morse] = [(1, 2.2), (2, 1.8)].map(|(t, c)| pairs(&session, &simulation, t, c));
                assert!(lj > 1000.0 && morse > 500.0, "{lj} {morse}");
                // With division, root and exponential as ten: 22 for lj as bench force counts them; morse has a root, an
                // exponential, a division, three differences, four products, and the sum of forces.
                let expected = [22.0 * lj + 41.0 * morse, (4.0 + 19.0) * (lj + morse)];
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                // In fp32 a pair at the cutoff may be on the other side of it.
                for (found, expected) in found.into_iter().zip(expected) {
                    assert!((found - expected).abs() <= 100.0, "{found} {expected}, {place}");
                }
            }
        }
    }
}

/// Atoms in the cells around each atom, cell by cell, on CPUs around its octant.
fn candidates(simulation: &Simulation, octants: bool) -> f64 {
    let (grid, domain) = (simulation.neighbor.grid(), &simulation.domain);
    let cells = grid.cells.map(|n| n as i64);
    let number = |at: [i64; 3]| ((at[2] * cells[1] + at[1]) * cells[0] + at[0]) as usize;
    let homes: Vec<[i64; 3]> = download(simulation)
        .x
        .iter()
        .map(|x| {
            std::array::from_fn(|d| {
                let fraction = (x[d] - domain.lo[d]) / domain.lengths()[d];
                ((fraction * cells[d] as f64) as i64).clamp(0, cells[d] - 1)
            })
        })
        .collect();
    let mut atoms = vec![0.0; grid.rank.len()];
    homes.iter().for_each(|&home| atoms[number(home)] += 1.0);
    let mut total = 0.0;
    for home in homes {
        let axes: Vec<Vec<i64>> = (0..3)
            .map(|d| {
                let [low, high] =
                    if octants { [home[d] & !1, (home[d] | 1).min(cells[d] - 1)] } else { [home[d]; 2] };
                let reach = grid.stencil[d] as i64;
                let all = low - reach..=high + reach;
                let periodic = domain.periodic(d);
                all.filter(|k| periodic || (0..cells[d]).contains(k))
                    .map(|k| k.rem_euclid(cells[d]))
                    .collect()
            })
            .collect();
        for &z in &axes[2] {
            for &y in &axes[1] {
                total += axes[0].iter().map(|&x| atoms[number([x, y, z])]).sum::<f64>();
            }
        }
    }
    total
}

#[test]
fn bytes_and_operations_of_a_run() {
    in_third!(2);
    apart!("cheap");
    // Denser at one end, where the box is open.
    let mut session = empty([12.0, 9.0, 14.0], "p f p", 1);
    run(&mut session, &["pair_style lj/cut 1.5", "pair_coeff 1 1 1.0 0.1"]);
    scatter(&mut session, 400, 17);
    session.system.host_atoms.x.iter_mut().for_each(|x| x[1] = 0.5 + 8.0 * (x[1] / 9.0).powi(2));
    session.clock.dt = 1e-5;
    for gpu in all_test_devices() {
        for precision in precisions(&gpu).iter().copied() {
            for shape in few_shapes(&gpu, precision) {
                let mut simulation = simulation_at(false, &session, &gpu, precision, Some(shape));
                advance(&mut simulation, 3);
                simulation.sums().unwrap();
                // Where all steps are timed, they are made in two launches.
                crate::systems::fused_step(
                    &simulation.step_kernels,
                    &mut simulation.atoms,
                    &simulation.neighbor,
                );
                let mut records = gpu.take_records().unwrap();
                count(&simulation, &resolved(&session), &session.fixes, &session.neighbor, &mut records)
                    .unwrap();
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                let numerics = simulation.atoms.context.numerics;
                let [real, accum] =
                    [numerics.wide_pairs(), numerics.wide()].map(|wide| if wide { 8.0 } else { 4.0 });
                let n = simulation.atoms.n as f64;
                let lists = host_lists(&session, &simulation, 1.0);
                let entries = lists.iter().map(Vec::len).sum::<usize>() as f64;
                let near = 2.0 * pairs(&session, &simulation, 1, 1.5);
                let mut seen = 0;
                for record in &records {
                    let Some(work) = record.work else { continue };
                    seen += 1;
                    let calls = record.calls as f64;
                    let (operations, bytes) = (work.operations / calls, work.bytes_moved / calls);
                    let close = |found: f64, expected: f64, slack: f64| {
                        assert!(
                            (found - expected).abs() <= slack,
                            "{} {found} {expected}, {place}",
                            record.name
                        );
                    };
                    match record.name.as_str() {
                        // A pair more or less by rounding.
                        "pair_force" | "pair_force_tally" => {
                            let tally = f64::from(u8::from(record.name.ends_with("tally")));
                            close(operations, 8.0 * entries + (22.0 + tally * 23.0) * near, 100.0);
                            let besides = n * (4.0 * real + (3.0 + 8.0 * tally) * real);
                            if shape.cluster() > 1 {
                                // An entry is for one to four atoms.
                                let lists = (bytes - besides) / (4.0 * entries);
                                assert!((0.3..0.9).contains(&lists), "{} {lists}, {place}", record.name);
                            } else if !shape.tile {
                                let lists = 4.0 * entries + 4.0 * n * shape.lanes as f64;
                                close(bytes, lists + besides, 20.0);
                            }
                        }
                        "fused_step" => close(operations, 8.0 * entries + 22.0 * near + 18.0 * n, 100.0),
                        "build_list" => {
                            let octants = simulation.atoms.context.shape.block_edge == 0;
                            close(operations, 8.0 * candidates(&simulation, octants), 100.0);
                        }
                        "final_integrate" => {
                            close(operations, 6.0 * n, 0.0);
                            close(bytes, n * (6.0 * accum + 6.0 * real + 8.0), 0.0);
                        }
                        _ => assert!(bytes > 0.0 && operations >= 0.0, "{}", record.name),
                    }
                }
                // Small grids do without count_groups; on CPUs one launch orders few atoms.
                let at_once = shape.clusters && shape.steps > 1;
                assert!(seen >= if at_once { 9 } else { 12 }, "{records:?}");
            }
        }
    }
}
