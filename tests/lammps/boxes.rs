//! Boxes that follow their atoms a long way, and boxes that change as they are told.

use super::common::full;
use super::{log_of, optimized, tables};
use std::fs;

/// Two slabs that fly at each other in a leaning box, whose height halves: it leans so much more in the end that the run is set
/// up anew on the way.
#[test]
fn leaning_faces_follow_the_atoms_in_every_precision() {
    let script = "units lj\nboundary p p s\nlattice fcc 0.8442\nregion b prism 0 5 0 5 0 14 1.5 3.0 -2.5\n\
                  create_box 1 b\nregion low block INF INF INF INF 0.4 2.1\n\
                  region high block INF INF INF INF 11.4 13.1\ncreate_atoms 1 region low\n\
                  create_atoms 1 region high\ngroup up region low\ngroup down region high\nmass 1 1\n\
                  velocity all create 0.5 87287\nvelocity up set NULL NULL 4.0 sum yes\n\
                  velocity down set NULL NULL -4.0 sum yes\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0\n\
                  pair_modify shift yes\nneighbor 0.3 bin\nneigh_modify every 2 delay 0 check yes\nfix 3 all nve\n\
                  timestep 0.004\nthermo 250\nthermo_style custom step temp epair press zlo zhi\nrun 250\n";
    // LAMMPS, double precision.
    let expected = [
        [0.0, 15.532321, -2.8802417, 5.5169787, 0.83744666, 21.837102],
        [250.0, 15.774252, -3.2678206, 7.1495516, 4.5056916, 17.203825],
    ];
    for precision in ["double", "mixed", "single"] {
        let log = log_of(script, &["-precision", precision]);
        let tolerance = if precision == "double" { 1e-7 } else { 3e-6 };
        for (ours, lammps) in tables(&log)[0].1.iter().zip(&expected) {
            for (a, b) in ours.iter().zip(lammps) {
                assert!((a - b).abs() <= tolerance * b.abs(), "{precision}: {a}, LAMMPS {b}");
            }
        }
    }
}

/// A box that follows the step alone changes ahead of the host, and from step to step of a launch: the bits are those of a run in which the host
/// looks at each step, through flips of the box and through set-ups anew, whether lists are built by a test or not, by one core and by several.
#[test]
fn boxes_change_ahead_of_the_host() {
    let run = |precision: &str, (cells, lines): (u32, &str), thermo: u32| {
        let length = 5 * cells / 3;
        let script = format!(
            "units lj\nlattice fcc 0.8442\nregion b prism 0 {length} 0 {cells} 0 {cells} 0 0 0\ncreate_box 1 b\ncreate_atoms 1 box\n\
             mass 1 1\nvelocity all create 1.44 87287\npair_style lj/cut 2.0\npair_coeff 1 1 1.0 1.0\n\
             neighbor 0.3 bin\n{lines}\nthermo_style custom step temp pe press xy lx ly f_2\n\
             thermo_modify format float %.17g\nthermo {thermo}\nrun 120\n"
        );
        let script = if lines.contains("sllod") { script } else { script.replace(" f_2", "") };
        let script = if lines.contains("ortho") { script.replace(" xy lx", " lz lx") } else { script };
        let dir = tempfile::tempdir().expect("a directory");
        optimized(dir.path())
            .args(["-log", "log", "-screen", "none", "-json", "record", "-timing", "off"])
            .args(["-precision", precision])
            .write_stdin(script)
            .assert()
            .success();
        let log = fs::read_to_string(dir.path().join("log")).expect("a log");
        let record = fs::read_to_string(dir.path().join("record")).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        let kernels = record["runs"][0]["kernels"].as_array().expect("kernels").clone();
        let counted = move |names: &[&str], what: &str| -> u64 {
            let of = kernels.iter().filter(|kernel| names.iter().any(|name| kernel["name"] == *name));
            of.map(|kernel| kernel[what].as_u64().expect("a count")).sum()
        };
        let last = log.lines().filter(|line| line.trim_start().starts_with("120 ")).map(str::to_owned);
        let last: Vec<_> = last.collect();
        assert_eq!(last.len(), 1);
        (last, counted)
    };
    let flips = "fix 2 all nvt/sllod temp 1.0 1.0 0.5\nfix 3 all deform 1 xy erate 1.5 remap v";
    let pulled = "change_box all ortho\nneigh_modify every 7 delay 0 check no\n\
                  fix 1 all npt temp 1 1 0.5 y 0 0 1.0 z 0 0 1.0\nfix 3 all deform 1 x erate 0.1";
    let follows = "fix 1 all nve\nfix 3 all deform 1 xy erate 0.6 x trate 0.3 z volume";
    let wiggles = "fix 1 all nvt temp 1 1 0.5\nfix 3 all deform 3 x wiggle 0.2 0.2 y final 0 3.2 remap none";
    let unchecked =
        "neigh_modify every 4 delay 0 check no\nfix 1 all nve\nfix 3 all deform 2 z vel 0.5 remap x";
    // A fix whose sums one work-item makes amid each step.
    let summed =
        "fix 1 all nve\nfix 2 all aveforce 0.1 NULL NULL\nfix 3 all deform 1 z vel 0.5 xz erate 0.1 remap x";
    for (precision, cells, lines) in [
        ("double", 3, flips),
        ("mixed", 3, follows),
        ("double", 3, wiggles),
        ("double", 3, unchecked),
        ("mixed", 3, "fix 1 all nvt temp 1 1 0.5\nfix 3 all deform 1 x erate 0.1"),
        ("mixed", 3, pulled),
        ("mixed", 3, summed),
        ("mixed", 6, flips),
        // The other precision of some of these.
        ("mixed", 3, flips),
        ("double", 3, pulled),
        ("double", 3, follows),
        ("double", 6, follows),
    ]
    .into_iter()
    .take(if full() { 12 } else { 8 })
    {
        let [(ahead, counted), (step_by_step, _)] =
            [60, 1].map(|thermo| run(precision, (cells, lines), thermo));
        assert_eq!(ahead, step_by_step, "{precision} {lines}");
        // The host has looked at the velocities at the output and where it had to look anyway, not at each change.
        // Steps share launches where the box changes in each of them or in none, and the host knows all of it.
        let apart = [(pulled, "set_faces"), (unchecked, "set_box")];
        if let Some((_, set)) = apart.iter().find(|(apart, _)| lines == *apart) {
            assert!(counted(&[*set], "calls") >= 40, "{precision} {lines}");
            continue;
        }
        // Several cores go back to a step per launch for a while where the machine has put one of them aside.
        if cells == 6 {
            continue;
        }
        let whole = |what: &str| counted(&["fused_step", "coupled_step"], what);
        assert!(
            whole("calls") >= 50 && 3 * whole("launches") <= 2 * whole("calls"),
            "{precision} {lines}: {} of {}",
            whole("launches"),
            whole("calls")
        );
        if lines == flips {
            assert!(counted(&["end_of_step"], "calls") <= 60 * 2, "{precision} {lines}");
        }
    }
}

/// What two users had, and what LAMMPS has there: a cluster that flies apart in a shrink-wrapped box, for which cells become coarser, and a bond across
/// the box that is replicated.
#[test]
fn two_cases_of_users() {
    let apart = "units lj
atom_modify sort 0 0
boundary s s s
region b block 0 4 0 4 0 4
create_box 1 b
create_atoms 1 single 1 1 1
create_atoms 1 single 3 3 3
mass 1 1
pair_style lj/cut 2.5
pair_coeff * * 1 1
neighbor 2.0 nsq
velocity all set 1000 1000 1000
group a id 1
velocity a set -1000 -1000 -1000
fix 1 all nve
timestep 0.01
thermo_style custom step lx pe
thermo 100
run 300
";
    let log = log_of(apart, &["-precision", "double"]);
    let lengths = [(0.0, 2.0008), (100.0, 2002.0008), (200.0, 4002.0008), (300.0, 6002.0008)];
    let rows = &tables(&log)[0].1;
    assert_eq!(rows.len(), lengths.len(), "{log}");
    for (row, (step, length)) in rows.iter().zip(lengths) {
        assert!(row[0] == step && (row[1] / length - 1.0).abs() < 1e-9 && row[2] == 0.0, "{row:?}: {length}");
    }
    let replicated = "units lj
atom_style bond
region b block 0 4 0 5 0 5
create_box 1 b bond/types 1 extra/bond/per/atom 2 extra/special/per/atom 4
create_atoms 1 single 0.5 2.5 2.5
create_atoms 1 single 3.5 2.5 2.5
mass 1 1
bond_style harmonic
bond_coeff 1 1 1
pair_style zero 1.5
pair_coeff * *
create_bonds many all all 1 0.9 1.1
replicate 2 1 1 bond/periodic
thermo_style custom step ebond bonds
run 0
";
    let log = log_of(replicated, &["-precision", "double"]);
    assert_eq!(tables(&log)[0].1, [[0.0, 0.0, 2.0]]);
}
