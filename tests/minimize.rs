//! `minimize` against clusters whose energies are known, and against LAMMPS.

#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use assert_cmd::Command;
use std::fs;

/// Runs a script in double precision and gives its log.
fn log_of(script: &str) -> String {
    log_in("double", script)
}

/// The same in a precision.
fn log_in(precision: &str, script: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.min"), script).unwrap();
    let mut clamps = Command::cargo_bin("clamps").unwrap();
    clamps.current_dir(&folder).env("CLAMPS_TUNE", "off").args([
        "-in",
        "in.min",
        "-precision",
        precision,
        "-log",
        "log",
        "-screen",
        "none",
    ]);
    clamps.assert().success();
    fs::read_to_string(folder.path().join("log")).unwrap()
}

/// The numbers of the line that begins with `start`, or of the one after it.
fn numbers(log: &str, start: &str) -> Vec<f64> {
    let mut lines = log.lines().skip_while(|line| !line.trim_start().starts_with(start));
    let line = lines.next().unwrap_or_else(|| panic!("no line {start} in\n{log}"));
    let parse =
        |text: &str| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<f64>>();
    let here = parse(line.rsplit('=').next().unwrap());
    if here.is_empty() { parse(lines.next().unwrap()) } else { here }
}

/// Atoms in a large box, without a cutoff that matters.
fn cluster(atoms: &[[f64; 3]], commands: &str) -> String {
    let lines: String =
        atoms.iter().map(|[x, y, z]| format!("create_atoms 1 single {x} {y} {z}\n")).collect();
    format!(
        "units lj\natom_style atomic\nboundary s s s\nregion box block -4 4 -4 4 -4 4\ncreate_box 1 box\n{lines}mass 1 1\n\
         pair_style lj/cut 12\npair_coeff 1 1 1 1\nthermo_modify norm no\n{commands}\n"
    )
}

const STYLES: [&str; 7] = [
    "min_style cg",
    "min_style cg\nmin_modify line backtrack norm max",
    "min_style sd",
    "min_style fire",
    "min_style fire\nmin_modify integrator verlet norm inf",
    "min_style fire\nmin_modify integrator leapfrog abcfire yes alpha0 0.1",
    "min_style quickmin",
];

/// A crystal whose atoms are displaced at random goes back to the lattice. What LAMMPS (22 Jul 2025) finds there by its style hftn, the style cg
/// finds here: one minimum, on another way, so the energies and not the rows agree, as far as the search goes on.
#[test]
fn hftn_ends_where_that_of_lammps_ends() {
    in_third!(1);
    let log = log_of(
        "units lj\nlattice fcc 0.9\nregion box block 0 3 0 3 0 3\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1\n\
         pair_style lj/cut 2.5\npair_modify shift yes\npair_coeff 1 1 1 1\ndisplace_atoms all random 0.1 0.1 0.1 4827\n\
         thermo_modify norm no\nthermo_style custom step pe press\nthermo_modify format float %.15g\nmin_style hftn\n\
         minimize 0 1e-9 200 2000\n",
    );
    assert!(log.contains("Note: min_style hftn runs the style cg here"), "{log}");
    let rows = log.lines().skip_while(|line| !line.trim_start().starts_with("Step")).skip(1);
    let rows: Vec<Vec<f64>> = rows
        .take_while(|line| !line.starts_with("Loop"))
        .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
        .collect();
    let first = [-0.851322784929957, 20.7448245396789];
    let last = [-6.77970316784365, -5.83405822265625];
    for (row, expected) in [(&rows[0], first), (rows.last().unwrap(), last)] {
        for (found, expected) in row[1..].iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}: {log}");
        }
    }
}

/// Where a search ends by itself each dump has a frame and `restart` a file of the minimum, as in LAMMPS.
#[test]
fn the_minimum_is_written() {
    in_third!(1);
    let folder = tempfile::tempdir().unwrap();
    let atoms = [[0.0; 3], [1.2, 0.0, 0.0], [0.6, 1.1, 0.0], [0.6, 0.4, 1.0]];
    let commands = "dump d all atom 1000 dump\nrestart 1000 state.*\nminimize 1e-12 1e-12 1000 10000";
    fs::write(folder.path().join("in.min"), cluster(&atoms, commands)).unwrap();
    let mut clamps = Command::cargo_bin("clamps").unwrap();
    clamps
        .current_dir(&folder)
        .env("CLAMPS_TUNE", "off")
        .args(["-in", "in.min", "-log", "log", "-screen", "none"]);
    clamps.assert().success();
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let steps = log.split("Loop time of ").nth(1).and_then(|line| line.split(" for ").nth(1));
    let last = steps.and_then(|words| words.split(' ').next()).unwrap();
    assert!(last.parse::<u32>().unwrap() > 0, "{log}");
    let dump = fs::read_to_string(folder.path().join("dump")).unwrap();
    let frames: Vec<&str> =
        dump.split("ITEM: TIMESTEP\n").skip(1).map(|frame| frame.lines().next().unwrap()).collect();
    assert_eq!(frames, ["0", last]);
    assert!(folder.path().join(format!("state.{last}")).exists());
}

/// Lennard-Jones clusters: a tetrahedron has all six distances at the minimum, -1 for each;
/// 13 atoms make an icosahedron of -44.326801 (Hoare and Pal, Adv. Phys. 20, 161 (1971); Wales and Doye, J. Phys.
/// Chem. A 101, 5111 (1997)).
#[test]
fn clusters_find_their_known_energies() {
    in_third!(3);
    let tetrahedron = [[0.1, 0.0, 0.0], [1.2, 0.1, 0.0], [0.5, 1.0, 0.1], [0.6, 0.4, 1.0]];
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut icosahedron = vec![[0.03, 0.02, -0.01]];
    for a in [-1.0, 1.0] {
        for b in [-golden, golden] {
            icosahedron
                .extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]].map(|x: [f64; 3]| x.map(|x| 0.57 * x)));
        }
    }
    for style in STYLES {
        let minimize = format!("{style}\nminimize 0 1e-9 3000 10000");
        let both = [cluster(&tetrahedron, &minimize), cluster(&icosahedron, &minimize)].join("clear\n");
        let log = log_of(&both);
        let (first, second) = log.split_at(log.rfind("Minimization stats").unwrap());
        let energies = [first, second].map(|log| numbers(log, "Energy initial")[2]);
        // The cutoff leaves out nothing; a search stops where changes are below 1e-8.
        assert!((energies[0] + 6.0).abs() < 1e-7, "{energies:?} by {style}");
        assert!((energies[1] + 44.326_801).abs() < 1e-6, "{energies:?} by {style}");
    }
}

/// A 2d system out of balance, as LAMMPS (22 Jul 2025, x86-64) minimizes it.
#[test]
fn searches_go_lammps_way() {
    let system = "units lj\ndimension 2\natom_style atomic\nlattice sq2 0.8442\n\
                  region box block 0 10 0 10 -0.1 0.1\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1\n\
                  displace_atoms all random 0.1 0.1 0 87287\n\
                  pair_style lj/cut 2.5\npair_coeff 1 1 1 1 2.5\npair_modify shift yes\nneighbor 0.3 bin\nthermo 10\n";
    for (style, stop, energies, counts) in LAMMPS {
        let log = log_of(&format!("{system}{style}\nminimize 1e-4 1e-4 {} 1000\n", 40));
        assert!(log.contains(&format!("Stopping criterion = {stop}\n")), "{style}:\n{log}");
        let found = numbers(&log, "Energy initial");
        for (found, expected) in found.iter().zip(energies) {
            assert!((found - expected).abs() < 1e-9, "{found} instead of {expected} by {style}");
        }
        assert_eq!(numbers(&log, "Iterations, force evaluations"), counts, "{style}");
    }
}

/// Forces that follow velocities are those of atoms at rest first, and then of the velocities of the search. LAMMPS (22 Jul 2025,
/// x86-64).
#[test]
fn friction_is_that_of_the_search() {
    in_third!(1);
    let script = "units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\n\
                  create_atoms 1 box\nmass 1 1\ndisplace_atoms all random 0.2 0.2 0.2 87287\n\
                  velocity all create 1.0 4711 loop geom\npair_style dpd 0.0 1.2 34387\npair_coeff 1 1 25.0 4.5\n\
                  comm_modify vel yes\ntimestep 0.01\nthermo 5\nthermo_style custom step pe fmax\n\
                  thermo_modify format float %.12g\nmin_style quickmin\nminimize 0 0 10 100\n";
    let log = log_of(script);
    for (step, energy, largest) in [
        (0, 1.62069206298, 15.9821115341),
        (5, 1.51320417317, 13.9390914679),
        (10, 1.1900774723, 11.5637744654),
    ] {
        let line = log.lines().find(|line| line.trim_start().starts_with(&format!("{step} "))).unwrap();
        let found: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert!((found[1] - energy).abs() < 1e-10 && (found[2] - largest).abs() < 1e-8, "{line}");
    }
}

/// Fixes that draw, that push and that measure in one program; in a minimization nothing is drawn.
#[test]
fn fixes_of_all_kinds_go_together() {
    in_third!(3);
    let atoms = [[0.1, 0.0, 0.0], [1.4, 0.1, 0.0], [0.3, 1.2, 0.2]];
    let commands = "fix 1 all nve\nfix 2 all langevin 0.1 0.1 1.0 7\nfix 3 all addforce 0.0 0.1 0.0\n\
                    fix 4 all wall/harmonic xlo -2.0 1.0 1.0 1.5\nfix_modify 4 energy yes\n\
                    thermo_style custom step temp pe f_3 f_4 f_4[1]\nthermo 10\nrun 20\nminimize 0 1e-8 100 1000";
    let log = log_of(&cluster(&atoms, commands));
    assert!(log.contains("Loop time of") && log.contains("Stopping criterion = "), "{log}");
    assert!(!log.contains("nan"), "{log}");
}

/// Boxes follow line searches only, as in LAMMPS.
#[test]
fn a_box_needs_a_search_along_lines() {
    let script = "region box block 0 4 0 4 0 4\ncreate_box 1 box\ncreate_atoms 1 single 1 1 1\nmass 1 1\n\
                  pair_style lj/cut 1\npair_coeff 1 1 1 1\nfix b all box/relax iso 1\nmin_style fire\nminimize 0 0 9 9\n";
    let folder = tempfile::tempdir().unwrap();
    let run = Command::cargo_bin("clamps").unwrap().current_dir(&folder).write_stdin(script).assert();
    let words = String::from_utf8_lossy(&run.code(1).get_output().stderr).into_owned();
    assert!(words.contains("fix box/relax needs a minimization along lines"), "{words}");
    assert!(words.contains("min_style cg"), "{words}");
}

#[test]
fn limits_are_kept_and_said() {
    let atoms = [[0.1, 0.0, 0.0], [1.4, 0.1, 0.0]];
    let log = log_of(&cluster(&atoms, "min_style sd\nminimize 0 0 3 100"));
    assert!(log.contains("Stopping criterion = max iterations\n"), "{log}");
    let log = log_of(&cluster(&atoms, "minimize 0 0 100 2\nrun 0"));
    assert!(log.contains("Stopping criterion = max force evaluations\n"), "{log}");
    assert!(log.contains("Loop time of") && log.contains("Iterations, force evaluations = "), "{log}");
}

/// Atoms in two dimensions on a lattice, displaced by so much at most.
fn shaken(lattice: &str, by: f64, end: &str) -> String {
    format!(
        "units lj\ndimension 2\nlattice {lattice}\nregion box block 0 8 0 8 -0.1 0.1\ncreate_box 1 box\ncreate_atoms 1 box\n\
         mass 1 1\ndisplace_atoms all random {by} {by} 0 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\npair_modify shift yes\n\
         thermo_modify format float %.15g\n{end}\n"
    )
}

/// Such that one minimum is near.
fn near_a_minimum(end: &str) -> String {
    shaken("hex 0.9", 0.05, end)
}

/// In single precision forces do not come below their round-off, and the log says so.
#[test]
fn round_off_above_the_tolerance_is_told() {
    in_third!(1);
    let log = log_in("single", &shaken("sq2 0.8442", 0.1, "min_style fire\nminimize 0 1e-7 6000 6000"));
    assert!(log.contains("WARNING: minimize: the force norm stays at "), "{log}");
    // Nothing has been tried yet, or it goes on well.
    for end in ["minimize 0 1e-7 0 100", "minimize 0 1e-7 30 100"] {
        let log = log_in("single", &shaken("sq2 0.8442", 0.1, &format!("min_style fire\n{end}")));
        assert!(log.contains("max iterations") && !log.contains("WARNING"), "{log}");
    }
}

/// In mixed precision the search goes on in double precision there, and comes to the minimum that double precision comes to. Tolerances that fp32
/// forces reach, and searches that are ended before, stay in mixed.
#[test]
fn mixed_precision_ends_in_double_where_forces_are_round_off() {
    in_third!(1);
    for style in ["fire", "quickmin", "cg", "sd\nmin_modify line forcezero"] {
        let script = |limits: &str| near_a_minimum(&format!("min_style {style}\nminimize {limits}\nrun 2"));
        let [mixed, double] =
            ["mixed", "double"].map(|precision| log_in(precision, &script("0 1e-7 20000 40000")));
        for (log, goes_on) in [(&mixed, true), (&double, false)] {
            assert!(log.contains("Stopping criterion = force tolerance\n"), "{style}: {log}");
            assert_eq!(log.contains("the search goes on in double precision"), goes_on, "{style}: {log}");
            assert!(!log.contains("WARNING: minimize"), "{style}: {log}");
        }
        let [here, there] = [&mixed, &double].map(|log| numbers(log, "Energy initial")[2]);
        assert!((here - there).abs() < 1e-12 * there.abs(), "{style}: {here} and {there}");
        let log = log_in("mixed", &script("0 1 20000 40000"));
        assert!(!log.contains("goes on in double"), "{style}: {log}");
    }
}

/// No row is left out where it goes on, the box goes along, and a run behind it is in mixed precision again.
#[test]
fn rows_and_boxes_go_on_in_double_precision() {
    in_third!(1);
    let rows = |log: &str| {
        let inside = log.split("Step  ").nth(1).unwrap().split("Loop time").next().unwrap().to_owned();
        let steps = inside.lines().filter_map(|line| line.split_whitespace().next()?.parse::<u32>().ok());
        steps.collect::<Vec<_>>()
    };
    for (style, fix) in [("fire", ""), ("cg", "fix b all box/relax x 0.0 y 0.0\n")] {
        let text = near_a_minimum(&format!(
            "min_style {style}\n{fix}thermo 1\nminimize 0 1e-7 20000 40000\n{}fix 1 all nve\nthermo 10\nrun 10",
            if fix.is_empty() { "" } else { "unfix b\n" }
        ));
        let log = log_in("mixed", &text);
        assert!(log.contains("the search goes on in double precision"), "{style}: {log}");
        let steps = rows(&log);
        let last = numbers(&log, "Iterations, force evaluations")[0] as u32;
        assert_eq!(steps, (0..=last).collect::<Vec<_>>(), "{style}: {log}");
        let shapes: Vec<&str> = log.lines().filter(|line| line.starts_with("Shape: ")).collect();
        assert!(shapes.len() == 2 && shapes[0] == shapes[1], "{style}: {shapes:?}");
    }
}

/// Style, stopping criterion, energies (first, last but one, last), iterations and evaluations.
const LAMMPS: [(&str, &str, [f64; 3], [f64; 2]); 8] = [
    (
        "min_style cg",
        "max iterations",
        [1.19191394630066, -2.80573106257541, -2.80833479837869],
        [40.0, 80.0],
    ),
    (
        "min_style sd",
        "max iterations",
        [1.19191394630066, -2.75740640736046, -2.75908633075437],
        [40.0, 81.0],
    ),
    (
        "min_style cg\nmin_modify line backtrack",
        "max iterations",
        [1.19191394630066, -2.79730905143474, -2.79893470336753],
        [40.0, 106.0],
    ),
    (
        "min_style fire",
        "max iterations",
        [1.19191394630066, -2.6707072804877, -2.69444027200021],
        [40.0, 41.0],
    ),
    (
        "min_style fire\nmin_modify integrator verlet abcfire yes alpha0 0.1",
        "max iterations",
        [1.19191394630066, -2.48581420883966, -2.48895567247286],
        [40.0, 40.0],
    ),
    (
        "min_style fire\nmin_modify integrator eulerexplicit tmax 4",
        "max iterations",
        [1.19191394630066, -2.63889424972012, -2.65786481313629],
        [40.0, 41.0],
    ),
    (
        "min_style fire\nmin_modify integrator leapfrog",
        "max iterations",
        [1.19191394630066, -2.67065682375258, -2.69441077926394],
        [40.0, 42.0],
    ),
    (
        "min_style quickmin",
        "max iterations",
        [1.19191394630066, -2.563785078623, -2.56820013313036],
        [40.0, 40.0],
    ),
];
