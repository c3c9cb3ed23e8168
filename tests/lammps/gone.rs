//! What is gone leaves nothing to what comes after it.

use super::{clamps, log_of};
use std::fs;

const CHAIN: &str = "atom_style bond\nregion b block 0 9 0 9 0 9\ncreate_box 1 b bond/types 1\nmass * 1\n\
                     create_atoms 1 single 2 2 2\ncreate_atoms 1 single 4 4 4\ncreate_atoms 1 single 4 4 5.45\n\
                     bond_style fene\nbond_coeff 1 30 1.5 1 1\npair_style lj/cut 1.12\npair_coeff 1 1 1 1\n\
                     create_bonds single/bond 1 2 3\nspecial_bonds fene\nfix 1 all nve\n";

/// A bond that was too long before atoms came is told of at the end of the run all the same.
#[test]
fn long_bonds_are_remembered_when_atoms_come() {
    let warning = "WARNING: some bond was too long";
    let deposit = "region d block 7 8 7 8 7 8\nfix d all deposit 1 1 6 4711 region d\n";
    for fixes in ["", deposit] {
        let log = log_of(&format!("{CHAIN}{fixes}timestep 0.001\nrun 10\n"), &["-precision", "double"]);
        assert_eq!(log.matches(warning).count(), 1, "{log}");
    }
    let short = CHAIN.replace("5.45", "5.0");
    let log = log_of(&format!("{short}{deposit}timestep 0.001\nrun 10\n"), &["-precision", "double"]);
    assert!(!log.contains(warning), "{log}");
}

/// An atom that gets the ID of one that is gone is not bound to what that was bound to, between runs and within one.
#[test]
fn ids_are_given_out_without_bonds() {
    let bonds = |script: &str| {
        let dir = tempfile::tempdir().expect("a directory");
        clamps(dir.path())
            .args(["-log", "none", "-screen", "none", "-precision", "double"])
            .write_stdin(format!("{CHAIN}{script}write_data out nocoeff\n"))
            .assert()
            .success();
        let data = fs::read_to_string(dir.path().join("out")).expect("a data file");
        let count = |name: &str| data.lines().find_map(|line| line.strip_suffix(name)?.trim().parse().ok());
        let counts: [Option<u32>; 2] = [" atoms", " bonds"].map(count);
        counts
    };
    let kept = "group g id 1\ndelete_atoms group g compress no\ncreate_atoms 1 single 7 7 7\n";
    assert_eq!(bonds(kept), [Some(3), Some(1)]);
    let freed = "group g id 3\ndelete_atoms group g compress no\ncreate_atoms 1 single 7 7 7\n";
    assert_eq!(bonds(freed), [Some(3), Some(0)]);
    // The last atom flies out of the box, and the next one that is put in gets its ID.
    let lost = "change_box all boundary p p f\nset atom 3 z 8.8 vz 200\nset atom 2 z 7.9\n\
                thermo_modify lost ignore lost/bond ignore\nneigh_modify delay 0 every 1 check no\n\
                region d block 1 2 6 7 4 5\nfix d all deposit 1 1 8 4711 region d\ntimestep 0.001\nrun 12\n";
    assert_eq!(bonds(lost), [Some(3), Some(0)]);
}
