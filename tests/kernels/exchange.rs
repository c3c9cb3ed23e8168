//! Values that go from work-item to work-item: in registers, where the device can, as through local memory.

use crate::common::{label, test_devices};
use crate::systems::{gpu_shape, melt, simulation};
use clamps::engine::kernels::LaunchConfig;
use clamps::gpu::Exchange;
use clamps::gpu::options::Precision;
use std::process::Command;

/// Forces, energies and virials of tiles and plain lists that 2, 8 and 32 work-items share, added up both ways: the same bits.
#[test]
#[ignore = "run by `lanes_add_up_alike` in a child process"]
fn child_adds_up_both_ways() {
    for gpu in test_devices() {
        if Exchange::of(gpu.info(), 32) == Exchange::Local {
            println!("{}: nothing but local memory", label(gpu.info()));
            continue;
        }
        for (precision, lanes, atoms) in [
            (Precision::Mixed, 2, 10_000_000),
            (Precision::Mixed, 32, 1000),
            (Precision::Single, 8, 1000),
            (Precision::Double, 8, 1000),
        ] {
            let shape = LaunchConfig { lanes, ..gpu_shape(&gpu, precision, atoms) };
            assert!(shape.exchange.in_registers());
            let [registers, memory] = [shape.exchange, Exchange::Local].map(|exchange| {
                let made =
                    simulation(&melt(3, 0.1), &gpu, precision, Some(LaunchConfig { exchange, ..shape }));
                let sums = made.sums().unwrap();
                (made.atoms.forces().unwrap(), sums.energy, sums.virial)
            });
            assert_eq!(registers, memory, "{lanes} lanes, {precision:?} on {}", label(gpu.info()));
        }
        println!("{}: {:?} compared", label(gpu.info()), Exchange::of(gpu.info(), 32));
    }
}

/// In a process of its own, as Intel's runtime for CPUs has sub-groups only where its vectoriser may work, which it reads
/// from the environment when it starts.
#[test]
fn lanes_add_up_alike() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "exchange::child_adds_up_both_ways"])
        .env("CL_CONFIG_CPU_VECTORIZER_MODE", "0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
    if !said.contains("compared") {
        eprintln!("skipped: no device here exchanges values in registers");
    }
}
