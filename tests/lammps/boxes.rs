//! Boxes that follow their atoms a long way, and boxes that change as they are told.

use super::common::full;
use super::{clamps, log_of, optimized, tables};
use assert_cmd::Command;
use std::fs;
use std::path::Path;

/// Two slabs that fly at each other in a leaning box, whose height halves: it leans so much more in the end that the run is set
/// up anew on the way.
#[test]
fn leaning_faces_follow_the_atoms_in_every_precision() {
    in_third!(3);
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

const FLIPS: &str = "fix 2 all nvt/sllod temp 1.0 1.0 0.5\nfix 3 all deform 1 xy erate 1.5 remap v";
const PULLED: &str = "change_box all ortho\nneigh_modify every 7 delay 0 check no\n\
                      fix 1 all npt temp 1 1 0.5 y 0 0 1.0 z 0 0 1.0\nfix 3 all deform 1 x erate 0.1";
const FOLLOWS: &str = "fix 1 all nve\nfix 3 all deform 1 xy erate 0.6 x trate 0.3 z volume";
const WIGGLES: &str =
    "fix 1 all nvt temp 1 1 0.5\nfix 3 all deform 3 x wiggle 0.2 0.2 y final 0 3.2 remap none";
const UNCHECKED: &str =
    "neigh_modify every 4 delay 0 check no\nfix 1 all nve\nfix 3 all deform 2 z vel 0.5 remap x";
/// A fix whose sums one work-item makes amid each step.
const SUMMED: &str =
    "fix 1 all nve\nfix 2 all aveforce 0.1 NULL NULL\nfix 3 all deform 1 z vel 0.5 xz erate 0.1 remap x";
const STRETCHED: &str = "fix 1 all nvt temp 1 1 0.5\nfix 3 all deform 1 x erate 0.1";

/// Precision, edge of the box in cells, and what changes it: one core makes the steps of 3 cells, several those of 6. From the ninth
/// on these are the other precision of some before.
const CHANGING: [(&str, u32, &str); 12] = [
    ("double", 3, FLIPS),
    ("mixed", 3, FOLLOWS),
    ("double", 3, WIGGLES),
    ("double", 3, UNCHECKED),
    ("mixed", 3, STRETCHED),
    ("mixed", 3, PULLED),
    ("mixed", 3, SUMMED),
    ("mixed", 6, FLIPS),
    ("mixed", 3, FLIPS),
    ("double", 3, PULLED),
    ("double", 3, FOLLOWS),
    ("double", 6, FOLLOWS),
];

/// Kernels that are launched behind the last one that needs the old box, or before, where steps do not share launches, and how many
/// of 120 steps have them at least. WIGGLES changes the box in 40 of them, a few of which are the host's.
const AT_CHANGES: [(&str, &str, u64); 5] = [
    (PULLED, "set_faces", 40),
    (PULLED, "force_and_kick", 60),
    (UNCHECKED, "set_box", 40),
    (WIGGLES, "set_box", 40),
    (WIGGLES, "force_and_kick", 30),
];

/// The kernels of a run, as its record has them.
struct Kernels(Vec<serde_json::Value>);

impl Kernels {
    /// `calls` or `launches` of those with these names together.
    fn count(&self, names: &[&str], what: &str) -> u64 {
        let of = self.0.iter().filter(|kernel| names.iter().any(|name| kernel["name"] == *name));
        of.map(|kernel| kernel[what].as_u64().expect("a count")).sum()
    }

    /// Whole steps, and the launches that they take.
    fn whole_steps(&self) -> [u64; 2] {
        ["calls", "launches"].map(|what| self.count(&["fused_step", "coupled_step"], what))
    }
}

/// Makes 120 steps with one of [`CHANGING`], with a row of thermo output every so many; returns the last row and the kernels.
fn run_changing(
    program: fn(&Path) -> Command,
    (precision, cells, lines): (&str, u32, &str),
    thermo: u32,
) -> (String, Kernels) {
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
    program(dir.path())
        .args(["-log", "log", "-screen", "none", "-json", "record", "-timing", "off"])
        .args(["-precision", precision])
        .write_stdin(script)
        .assert()
        .success();
    let [log, record] = ["log", "record"].map(|name| fs::read_to_string(dir.path().join(name)).expect(name));
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    let kernels = record["runs"][0]["kernels"].as_array().expect("kernels").clone();
    let last: Vec<_> = log.lines().filter(|line| line.trim_start().starts_with("120 ")).collect();
    assert_eq!(last.len(), 1, "{log}");
    (last[0].to_owned(), Kernels(kernels))
}

/// A box that follows the step alone changes ahead of the host, and from step to step of a launch: the bits are those of a run in which the host
/// looks at each step, through flips of the box and through set-ups anew, whether lists are built by a test or not, by one core and by several.
#[test]
fn boxes_change_ahead_of_the_host() {
    in_third!(2);
    for (k, case) in CHANGING.into_iter().take(if full() { 12 } else { 8 }).enumerate() {
        let (_, cells, lines) = case;
        // Every other one with kernels as users have them.
        let program = [optimized, clamps][k % 2];
        let (step_by_step, _) = run_changing(program, case, 1);
        let run_ahead = || {
            let (ahead, kernels) = run_changing(program, case, 60);
            assert_eq!(ahead, step_by_step, "{case:?}");
            kernels
        };
        if cells == 6 {
            // Several cores go back to a step per launch for a while where the machine has put one of them aside: one of three runs will do.
            let shares = |_| {
                let [calls, launches] = run_ahead().whole_steps();
                launches < calls
            };
            assert!((0..3).any(shares), "{case:?}: no steps share a launch");
            continue;
        }
        let kernels = run_ahead();
        for (_, name, least) in AT_CHANGES.into_iter().filter(|(of, ..)| *of == lines) {
            let calls = kernels.count(&[name], "calls");
            assert!(calls >= least, "{case:?}: {name} {calls} times");
        }
        // Steps share launches where the box changes in each of them or in none, and the host knows all of it.
        if [PULLED, UNCHECKED].contains(&lines) {
            continue;
        }
        let [calls, launches] = kernels.whole_steps();
        assert!(calls >= 50 && 3 * launches <= 2 * calls, "{case:?}: {launches} of {calls}");
        // The host has looked at the velocities at the output and where it had to look anyway, not at each change.
        if lines == FLIPS {
            assert!(kernels.count(&["end_of_step"], "calls") <= 60 * 2, "{case:?}");
        }
    }
}

/// What two users had, and what LAMMPS has there: a cluster that flies apart in a shrink-wrapped box, for which cells become coarser, and a bond across
/// the box that is replicated.
#[test]
fn two_cases_of_users() {
    in_third!(1);
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
