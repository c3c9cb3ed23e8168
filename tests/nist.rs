//! Energies and virials of NIST's Lennard-Jones sample configurations.
//!
//! Source: NIST Standard Reference Simulation Website, "Lennard-Jones Fluid Reference Calculations", cuboid
//! cells. The configurations are not part of this repository: they lie in ../shared/reference/nist-lj, or
//! under the folder that CLAMPS_SHARED names.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/systems.rs"]
mod systems;

use clamps::options::Precision;
use clamps::state::State;
use common::{label, test_devices};
use std::path::PathBuf;
use systems::{empty, resolved, run, simulation};

/// Configuration, cutoff, pair energy, pair virial: as printed, with five digits.
const PAIRS: [(u32, f64, f64, f64); 8] = [
    (1, 3.0, -4.3515e3, -5.6867e2),
    (2, 3.0, -6.9000e2, -5.6846e2),
    (3, 3.0, -1.1467e3, -1.1649e3),
    (4, 3.0, -1.6790e1, -4.6249e1),
    (1, 4.0, -4.4675e3, -1.2639e3),
    (2, 4.0, -7.0460e2, -6.5599e2),
    (3, 4.0, -1.1754e3, -1.3371e3),
    (4, 4.0, -1.7060e1, -4.7869e1),
];

/// Configuration, cutoff, long-range correction of the energy.
const TAILS: [(u32, f64, f64); 8] = [
    (1, 3.0, -1.9849e2),
    (2, 3.0, -2.4230e1),
    (3, 3.0, -4.9622e1),
    (4, 3.0, -5.4517e-1),
    (1, 4.0, -8.3769e1),
    (2, 4.0, -1.0226e1),
    (3, 4.0, -2.0942e1),
    (4, 4.0, -2.3008e-1),
];

/// A configuration with its cutoff; `None`, and said aloud, where the files are not here.
fn configuration(number: u32, cutoff: f64) -> Option<State> {
    let shared = std::env::var_os("CLAMPS_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let file = shared.join(format!("reference/nist-lj/lj_sample_config_periodic{number}.txt"));
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("SKIPPED: {} is not here (CLAMPS_SHARED can say where it is)", file.display());
        return None;
    };
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let edges = [next(), next(), next()];
    let n = next() as usize;
    let mut state = empty(edges, "p p p", 1);
    let line = format!("pair_style lj/cut {cutoff}");
    run(&mut state, &[&line, "pair_modify tail yes", "pair_coeff 1 1 1.0 1.0"]);
    for _ in 0..n {
        let tag = next() as u32;
        state.host_atoms.push(tag, 1, [next(), next(), next()]);
    }
    assert!(numbers.next().is_none(), "{}", file.display());
    Some(state)
}

/// As NIST prints a number: five significant digits.
fn printed(x: f64) -> String {
    format!("{x:.4e}")
}

#[test]
fn pair_energies_and_virials() {
    for (number, cutoff, energy, virial) in PAIRS {
        let Some(state) = configuration(number, cutoff) else { return };
        for gpu in test_devices() {
            for precision in [Precision::Double, Precision::Mixed] {
                let sums = simulation(&state, &gpu, precision, None).sums().unwrap();
                let place = format!("{number} at {cutoff}, {precision:?} on {}", label(gpu.info()));
                assert_eq!(printed(sums.energy), printed(energy), "energy of {place}");
                let trace: f64 = sums.virial[..3].iter().sum();
                assert_eq!(printed(trace), printed(virial), "virial of {place}");
            }
        }
    }
}

#[test]
fn long_range_corrections() {
    for (number, cutoff, expected) in TAILS {
        let Some(state) = configuration(number, cutoff) else { return };
        let volume = state.domain.as_ref().unwrap().volume(3);
        let (energy, _) = resolved(&state).tail(&[state.host_atoms.len() as u64], volume);
        assert_eq!(printed(energy), printed(expected), "{number} at {cutoff}");
    }
}
