//! A box that changes between two rebuilds, and at them.

use crate::common::{label, test_devices};
use crate::systems::{self, host_forces, melt, rms_error, shapes};
use clamps::engine::simulation::Simulation;
use clamps::gpu::options::Precision;

/// Forces on the same atoms in boxes that grow and shrink follow the twin, with the list of the box before and with
/// a new one: as CPUs and GPUs have them.
#[test]
fn forces_follow_a_changing_box() {
    in_third!(3);
    apart!("cheap");
    for gpu in test_devices() {
        for precision in [Precision::Mixed, Precision::Double] {
            for shape in shapes(&gpu, precision).into_iter().take(3) {
                // Three cells: lists see copies of the box.
                let mut session = melt(3, 0.1);
                session.neighbor.skin = 0.6;
                let mut simulation = systems::simulation(&session, &gpu, precision, Some(shape));
                let place = format!("{precision:?} {shape:?} on {}", label(gpu.info()));
                let near = if precision == Precision::Double { 1e-12 } else { 4e-6 };
                for factor in [1.004, 0.995, 1.02, 1.002] {
                    let (lo, hi) = (simulation.domain.lo, simulation.domain.hi);
                    simulation.set_box(lo, [hi[0] * factor, hi[1], hi[2] * factor]).unwrap();
                    // Stages the positions anew; there is no fix at this place.
                    simulation.end_stage(9).unwrap();
                    for rebuilt in [false, true] {
                        let Simulation { step_kernels, atoms, neighbor, domain, reductions, .. } =
                            &mut simulation;
                        if rebuilt {
                            neighbor.rebuild(atoms, domain, reductions).unwrap();
                            neighbor.make_room(atoms).unwrap();
                        }
                        step_kernels.forces(atoms, neighbor, false).unwrap();
                        let found = simulation.atoms.forces().unwrap();
                        let rms = rms_error(&found, &host_forces(&session, &simulation).force);
                        assert!(rms < near, "{rms:e}, factor {factor}, rebuilt {rebuilt}, {place}");
                    }
                }
            }
        }
    }
}
