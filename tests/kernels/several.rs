//! Several steps in one launch (cl/gate.cl).

use crate::common::{label, test_devices};
use crate::systems::{PRECISIONS, advance, download, gpu_shape, melt, simulation};
use clamps::atoms::Atoms;
use clamps::gpu::DeviceKind;
use clamps::kernels::Shape;
use clamps::options::Precision;
use clamps::timing::WHOLE_STEP;

/// The same bits as one by one, through rebuilds that halt a launch half-way: with one work-group, and with several, which wait
/// for one another on GPUs, and of which a CPU has too few at the same time, so that they give up and go on one by one.
#[test]
fn several_steps_have_the_bits_of_single_ones() {
    for gpu in test_devices() {
        for precision in PRECISIONS {
            let state = melt(3, 0.1);
            let few = Shape { lanes: 2, ..gpu_shape(&gpu, precision, 1000) };
            let sizes: &[usize] = if precision == Precision::Mixed { &[256, 32] } else { &[256] };
            for &pair_local in sizes {
                let items = state.host_atoms.len() * few.lanes;
                let place = format!("{precision:?}, groups of {pair_local} on {}", label(gpu.info()));
                let run = |steps| {
                    let shape = Shape { steps, pair_local, ..few };
                    let mut simulation = simulation(&state, &gpu, precision, Some(shape));
                    gpu.take_records().unwrap();
                    // Where the first launch of several begins: it must not be built twice when that gives up.
                    simulation.rebuild_after(2);
                    advance(&mut simulation, 60);
                    let records = gpu.take_records().unwrap();
                    let whole = records.into_iter().find(|record| record.name == WHOLE_STEP).unwrap();
                    let Atoms { tag, x, v, .. } = download(&simulation);
                    let builds = simulation.neighbor.builds();
                    ((tag, x, v, builds), whole.calls, whole.launches)
                };
                let (expected, single, launches) = run(1);
                assert_eq!(single, launches, "{place}");
                assert!(expected.3 > 3, "{place}: {} rebuilds", expected.3);
                let (found, calls, launches) = run(8);
                assert!(found == expected, "{place}");
                assert_eq!(calls, single, "{place}");
                let groups = items.div_ceil(pair_local);
                let cpu = gpu.info().kind == DeviceKind::Cpu;
                match groups {
                    1 => assert!(launches < calls, "{place}"),
                    _ if cpu && groups > gpu.info().units as usize => assert_eq!(launches, calls, "{place}"),
                    _ if cpu => {} // as it comes
                    _ => assert!(few.steps == 1 || launches < calls, "{place}"),
                }
            }
        }
    }
}
