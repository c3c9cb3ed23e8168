//! Energies and virials of NIST's Lennard-Jones sample configurations.
//!
//! Source: NIST Standard Reference Simulation Website, "Lennard-Jones Fluid Reference Calculations", cuboid
//! cells. The configurations are not part of this repository: they lie in ../shared/reference/nist-lj, or
//! under the folder that CLAMPS_SHARED names.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;
#[path = "common/systems.rs"]
mod systems;

use clamps::gpu::options::Precision;
use clamps::session::Session;
use clamps::studies::allpairs::{self, System};
use clamps::studies::tiles::Tiling;
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

/// The text of a configuration; `None`, and said aloud, where the files are not here.
fn file(number: u32) -> Option<String> {
    let shared = std::env::var_os("CLAMPS_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let file = shared.join(format!("reference/nist-lj/lj_sample_config_periodic{number}.txt"));
    let text = std::fs::read_to_string(&file);
    if text.is_err() {
        eprintln!("SKIPPED: {} is not here (CLAMPS_SHARED can say where it is)", file.display());
    }
    text.ok()
}

/// A configuration with its cutoff.
fn configuration(number: u32, cutoff: f64) -> Option<Session> {
    let text = file(number)?;
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let edges = [next(), next(), next()];
    let n = next() as usize;
    let mut session = empty(edges, "p p p", 1);
    let line = format!("pair_style lj/cut {cutoff}");
    run(&mut session, &[&line, "pair_modify tail yes", "pair_coeff 1 1 1.0 1.0"]);
    for _ in 0..n {
        let tag = next() as u32;
        session.system.host_atoms.push(tag, 1, [next(), next(), next()]);
    }
    assert!(numbers.next().is_none(), "configuration {number}");
    Some(session)
}

/// As NIST prints a number: five significant digits.
fn printed(x: f64) -> String {
    format!("{x:.4e}")
}

#[test]
fn pair_energies_and_virials() {
    in_third!(3);
    apart!("cheap");
    let gpus = test_devices();
    for (number, cutoff, energy, virial) in PAIRS {
        let Some(session) = configuration(number, cutoff) else { return };
        for gpu in &gpus {
            for precision in [Precision::Double, Precision::Mixed] {
                let sums = simulation(&session, gpu, precision, None).sums().unwrap();
                let place = format!("{number} at {cutoff}, {precision:?} on {}", label(gpu.info()));
                assert_eq!(printed(sums.energy), printed(energy), "energy of {place}");
                let trace: f64 = sums.virial[..3].iter().sum();
                assert_eq!(printed(trace), printed(virial), "virial of {place}");
            }
        }
    }
}

/// The same by all pairs, whose cutoffs are within half of these boxes.
#[test]
fn all_pairs() {
    in_third!(2);
    apart!();
    let gpus = test_devices();
    for (number, cutoff, energy, _) in PAIRS {
        let Some(mut session) = configuration(number, cutoff) else { return };
        let system = System::new(&mut session, None).unwrap();
        for gpu in &gpus {
            for precision in [Precision::Double, Precision::Single] {
                let tiling = Tiling::new(gpu.info(), precision, system.x.len(), 64).unwrap();
                let device = allpairs::Device::new(gpu, &system, precision, tiling).unwrap();
                let found: f64 = device.forces().unwrap().iter().map(|row| row[3]).sum();
                let place = format!("{number} at {cutoff}, {precision:?} on {}", label(gpu.info()));
                assert_eq!(printed(found), printed(energy), "energy of {place}");
            }
        }
    }
}

#[test]
fn long_range_corrections() {
    apart!();
    for (number, cutoff, expected) in TAILS {
        let Some(session) = configuration(number, cutoff) else { return };
        let volume = session.system.domain.as_ref().unwrap().volume(3);
        let (energy, _) = resolved(&session).tail(&[session.system.host_atoms.len() as u64], volume);
        assert_eq!(printed(energy), printed(expected), "{number} at {cutoff}");
    }
}

/// The same through the program: a data file, a script, the log.
#[test]
fn through_read_data() {
    in_third!(2);
    apart!();
    let folder = tempfile::tempdir().unwrap();
    for (number, cutoff, energy, virial) in PAIRS {
        let Some(text) = file(number) else { return };
        let mut lines = text.lines();
        let edges: Vec<f64> =
            lines.next().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
        let n = lines.next().unwrap().trim();
        let mut data = format!("NIST configuration {number}\n\n{n} atoms\n1 atom types\n");
        for (edge, axis) in edges.iter().zip(["x", "y", "z"]) {
            data += &format!("{} {} {axis}lo {axis}hi\n", -edge / 2.0, edge / 2.0);
        }
        data += "\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n";
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let (tag, x) = line.trim().split_once(' ').unwrap();
            data += &format!("{tag} 1 {x}\n");
        }
        std::fs::write(folder.path().join("data.nist"), data).unwrap();
        for precision in ["double", "mixed"] {
            let script = format!(
                "units lj\nread_data data.nist\npair_style lj/cut {cutoff}\npair_coeff 1 1 1.0 1.0\n\
                 thermo_style custom step epair press vol\nthermo_modify norm no format float %.15g\nrun 0\n"
            );
            let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_clamps"))
                .args(["-log", "none", "-precision", precision])
                .current_dir(folder.path())
                .env("CLAMPS_TUNE", "off")
                .write_stdin(script)
                .output()
                .unwrap();
            let log = String::from_utf8(output.stdout).unwrap();
            let row = log.lines().skip_while(|line| !line.contains("E_pair")).nth(1).expect(&log);
            let row: Vec<f64> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
            let place = format!("{number} at {cutoff}, {precision}");
            assert_eq!(printed(row[1]), printed(energy), "energy of {place}");
            // At rest the pressure is the virial's: W / (3 V).
            assert_eq!(printed(row[2] * 3.0 * row[3]), printed(virial), "virial of {place}");
        }
    }
}
