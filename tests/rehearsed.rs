//! Runs in the shapes of GPUs that are not here (CLAMPS_REHEARSE, src/gpu/rehearsal.rs), beside LAMMPS's rows.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use std::fs;

use assert_cmd::Command;

/// Long cutoffs: GPUs have three or four cells per reach there, and boxes shorter than two cutoffs see copies of themselves.
const LONG: &str = "
units lj
boundary ${faces}
lattice fcc 0.8442
region box block 0 6 0 6 0 6
if '${lean} == 1' then 'region box delete' 'region box prism 0 6 0 6 0 6 1 0.5 -0.7'
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 5.0
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
fix 1 all nve
thermo 20
thermo_modify format float %.12g
run 20
";

/// Boundaries, whether the box leans, temperature, energies and pressure at step 20 as LAMMPS has them (22 Jul 2025, Update 4), and half of the entries.
const ROWS: [(&str, &str, [f64; 4], u64); 3] = [
    ("p p p", "0", [0.641447041808, -5.96568763378, -5.0046306944, 0.269068974395], 232_410),
    ("p s s", "0", [0.706671181817, -5.20464995758, -4.14568855643, 1.04543075636], 180_736),
    ("p p p", "1", [0.715258406359, -5.89505624658, -4.82341040511, 0.709819333979], 230_031),
];

#[test]
fn long_cutoffs_have_the_rows_of_lammps_in_the_shapes_of_gpus() {
    in_third!(3);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in.long"), LONG.replace('\'', "\"")).unwrap();
    for (k, (faces, lean, row, half)) in ROWS.into_iter().enumerate() {
        let waves = ["amd64", "intel16", "amd32"][k];
        let mut command = Command::cargo_bin("clamps").expect("built by cargo");
        for name in ["CLAMPS_DEVICE", "RUST_LOG", "CLAMPS_BREAK"] {
            command.env_remove(name);
        }
        command.current_dir(dir.path()).env("CLAMPS_REHEARSE", waves).env("CLAMPS_CHECK", "never");
        command.args([
            "-in",
            "in.long",
            "-device",
            "Portable",
            "-precision",
            "double",
            "-tune",
            "off",
            "-log",
            "none",
        ]);
        command.args(["-var", "faces", faces, "-var", "lean", lean]);
        let done = command.assert().success();
        let printed = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        assert!(printed.contains("cells = 5 5 5"), "{printed}");
        let at_20 = printed.lines().find(|line| line.trim_start().starts_with("20 ")).unwrap();
        let mut words: Vec<f64> = at_20.split_whitespace().map(|word| word.parse().unwrap()).collect();
        words.remove(3); // E_mol
        for (found, expected) in words[1..].iter().zip(row) {
            assert!((found - expected).abs() < 2e-11 * expected.abs(), "{faces} {lean} on {waves}: {at_20}");
        }
        assert!(printed.contains(&format!("Total # of neighbors = {}", 2 * half)), "{printed}");
    }
}
