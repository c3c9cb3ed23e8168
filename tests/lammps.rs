//! Whole runs of the program, compared with LAMMPS.
//!
//! tests/lammps/ holds scripts, and in expected/ what LAMMPS (22 Jul 2025, double precision) makes of each of
//! them; generate.sh there makes it anew. Figures must agree to 9 digits in double precision, counts exactly.
//!
//! Most kernels are built without optimization here, which takes a third of the time from an empty cache; with CLAMPS_TESTS=full all
//! have the usual options.

#[macro_use]
#[path = "common/mod.rs"]
mod common;

#[path = "lammps/boxes.rs"]
mod boxes;
#[path = "lammps/cover.rs"]
mod cover;
#[path = "lammps/failures.rs"]
mod failures;
#[path = "lammps/fixes.rs"]
mod fixes;
#[path = "lammps/gone.rs"]
mod gone;
#[path = "lammps/worker.rs"]
mod worker;

use assert_cmd::Command;
use clamps::engine::kernels::options::Rebuild;
use clamps::gpu::devices;
use common::lammps_folder;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lammps")
}

/// Scripts whose kernels are built as users have them: between them they have the kernel files of fixes and computes that no other
/// test builds so (those of forces of many bodies tests/kernels does).
const OPTIMIZED: [&str; 18] = [
    "bare",
    "cells",
    "chunks",
    "computes",
    "deposited",
    "fields_apart",
    "forces",
    "helpers",
    "later",
    "overlaid",
    "paced",
    "reruns",
    "sheared",
    "shocked",
    "slips",
    "structure",
    "switched",
    "variables",
];

/// The program in a directory, with no setting of the caller's, and with kernels as users have them.
fn optimized(dir: &Path) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command.current_dir(dir).env_remove("CLAMPS_DEVICE").env_remove("RUST_LOG").env("CLAMPS_TUNE", "off");
    command
}

/// The same with kernels that are built without optimization.
fn clamps(dir: &Path) -> Command {
    let mut command = optimized(dir);
    command.env("CLAMPS_BUILD", common::cheap_build());
    command
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Runs a script given as text; returns the log.
fn log_of(script: &str, words: &[&str]) -> String {
    log_by(clamps, script, words)
}

/// The same by a program.
fn log_by(program: fn(&Path) -> Command, script: &str, words: &[&str]) -> String {
    let dir = lammps_folder(script);
    program(dir.path())
        .args(["-log", "log", "-screen", "none"])
        .args(words)
        .write_stdin(script)
        .assert()
        .success();
    fs::read_to_string(dir.path().join("log")).expect("a log")
}

/// The parts of a log that log parsers find: the line after "Per MPI rank memory" is the header, rows follow
/// until "Loop time of".
fn tables(log: &str) -> Vec<(Vec<&str>, Vec<Vec<f64>>)> {
    let mut tables = Vec::new();
    let mut rest = log.lines();
    while rest.any(|line| line.starts_with("Per MPI rank memory")) {
        let header = rest.next().expect("a header").split_whitespace().collect();
        let rows = rest.by_ref().take_while(|line| !line.starts_with("Loop time of"));
        let numbers = |row: &str| row.split_whitespace().map(|x| x.parse().expect("a number")).collect();
        tables.push((header, rows.map(numbers).collect()));
    }
    tables
}

/// The first number after a name, in the last line of a log that begins with the name.
fn count(log: &str, name: &str) -> u64 {
    let line = log.lines().rfind(|line| line.starts_with(name)).expect(name);
    let digits = line[name.len()..].trim_start_matches([' ', '=', ':']).split(' ').next();
    digits.and_then(|digits| digits.parse().ok()).expect("a number")
}

/// What is compared of a log, as generate.sh takes it from LAMMPS's: headers and rows, counts, printed lines.
fn essence(log: &str) -> Vec<String> {
    let counts = ["step ", "Neighbor list builds", "Dangerous builds"];
    let mut rows = false;
    let mut lines = Vec::new();
    for line in log.lines() {
        rows &= !line.starts_with("Loop time") && !line.starts_with("ERROR");
        if line.starts_with("WARNING") {
            continue;
        }
        if let Some(entries) = line.strip_prefix("Total # of neighbors = ") {
            // A full list has every pair twice.
            let entries: u64 = entries.parse().expect("a count");
            assert!(entries.is_multiple_of(2));
            lines.push(format!("Total # of neighbors = {}", entries / 2));
        } else if let Some(message) = line.strip_prefix("ERROR: run: ") {
            lines.push(format!("ERROR: {}", message.split(" (").next().unwrap_or(message)));
        } else if rows
            || counts.iter().any(|name| line.starts_with(name))
            || line.starts_with("Created ") && line.ends_with(" atoms")
            || line.contains(" atoms in group ")
        {
            // Style multi has the wall time among its figures.
            lines.push(line.split(" CPU = ").next().unwrap_or(line).to_owned());
        }
        rows |= line.starts_with("Per MPI rank memory");
    }
    lines
}

/// Lines of a data file after the first, atoms and velocities in the order of their IDs, bonds without their numbers in
/// that of the atoms.
fn by_id(text: &str) -> Vec<String> {
    let mut lines = lines(text);
    lines.remove(0);
    let bonds = lines.iter().position(|line| line == "Bonds");
    if let Some(bonds) = bonds {
        let bonds = &mut lines[bonds + 2..];
        let unnumbered = |line: &String| line.split_once(' ').map_or("", |(_, rest)| rest).to_owned();
        bonds.iter_mut().for_each(|line| *line = unnumbered(line));
        bonds.sort();
    }
    for block in lines.split_mut(|line| line.is_empty()) {
        block.sort_by_key(|line| line.split(' ').next().and_then(|id| id.parse::<u32>().ok()));
    }
    lines
}

/// Asserts the same words, numbers within `tolerance` times the larger of them and `floor`.
fn agree(ours: &[String], lammps: &[String], tolerance: f64, floor: f64, what: &str) {
    let number = |word: &str| word.trim_matches([',', '[']).parse::<f64>().unwrap_or(f64::NAN);
    let same = |(a, b): (&str, &str)| {
        let (x, y) = (number(a), number(b));
        a == b || (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(floor)
    };
    for (line, (a, b)) in ours.iter().zip(lammps).enumerate() {
        let words = a.split_whitespace().count() == b.split_whitespace().count();
        let all = words && a.split_whitespace().zip(b.split_whitespace()).all(same);
        assert!(all, "{what}, line {}:\n  CLAMPS {a}\n  LAMMPS {b}", line + 1);
    }
    assert_eq!(ours.len(), lammps.len(), "number of lines of {what}");
}

/// Runs a script in double precision, with lists that are rebuilt in the same steps, and compares the log and every other file
/// with LAMMPS's.
fn as_lammps(name: &str) {
    compare(name, Rebuild::Lammps);
}

/// The same with lists rebuilt so. Where that is not in the same steps, there are other numbers of pairs and rebuilds.
fn compare(name: &str, rebuild: Rebuild) {
    let script = format!("{name}.in");
    let dir = lammps_folder(&script);
    let build = match std::env::var("CLAMPS_BUILD") {
        Err(_) if OPTIMIZED.contains(&name) => "own".to_owned(),
        _ => common::cheap_build(),
    };
    worker::run(&build, dir.path(), &script, rebuild);
    let mut compared = 0;
    for entry in folder().join("expected").join(name).read_dir().expect("generated") {
        let path = entry.expect("readable").path();
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let lammps = fs::read_to_string(&path).expect("text");
        let ours = fs::read_to_string(dir.path().join(&file)).unwrap_or_default();
        let what = format!("{name}/{file}");
        assert!(!ours.is_empty(), "{what} is not there");
        if file == "log" {
            // With a hybrid style, or for computes, LAMMPS has several lists, and counts one of them. Pairs that count in
            // part are in its lists, not in ours. Where the box outgrows what was chosen for it, there is a list more here.
            let uncounted = |line: &String| match name {
                _ if rebuild == Rebuild::Seldom
                    && (line.starts_with("Total # of") || line.starts_with("Neighbor list")) =>
                {
                    true
                }
                "averages" | "cells" | "charged_weights" | "charges" | "covalent" | "covalent_other"
                | "densified" | "densities" | "differences" | "factors" | "formulas" | "friction"
                | "landing" | "left_apart" | "leftout" | "listed" | "locals" | "many_body" | "meam"
                | "meam_lattices" | "metals" | "ordered" | "pairs_hybrid" | "ptm" | "rigid_landing"
                | "scaled" | "shells" | "sparse" | "stiffness" | "structure" | "templates" | "weights"
                | "without_angles" | "coexisting" | "converted" | "crystals" | "grains" | "metals_dented"
                | "metals_elastic" | "metals_used" | "overlaid" | "solids_used" | "unit_cells" => {
                    line.starts_with("Total # of neighbors")
                }
                // LAMMPS builds a list, with a group of its own, for each full energy.
                "trials" => line.contains("widom_exclusion_group") || line.starts_with("Neighbor list"),
                "swapped" => line.starts_with("Neighbor list") || line.starts_with("Total # of neighbors"),
                // LAMMPS rebuilds where it balances, or only when a bond is made or breaks, and goes on with a list where a run begins without `pre`.
                "balanced" | "breaking" | "eased" | "isokinetic" | "noisy" | "pressed" | "relaxed"
                | "renewed" | "snapping" | "spans" | "squeezed" | "tilted" => {
                    ["Total # of", "Neighbor list"].iter().any(|name| line.starts_with(name))
                }
                // What fix msst says of each frame, in other words.
                "reruns" => line.starts_with("Fix "),
                _ => false,
            };
            let [mut ours, mut lammps] = [essence(&ours), lines(&lammps)];
            ours.retain(|line| !uncounted(line));
            lammps.retain(|line| !uncounted(line));
            agree(&ours, &lammps, 1e-9, 1e-3, &what);
        } else if file.ends_with(".data") {
            agree(&by_id(&ours), &by_id(&lammps), 1e-9, 1e-3, &what);
        } else if [".exact", ".yaml", ".yml"].iter().any(|end| file.ends_with(end)) {
            agree(&lines(&ours), &lines(&lammps), 1e-9, 1e-3, &what);
        } else {
            // The same bytes, but for a last printed digit here and there.
            let (ours, lammps) = (lines(&ours), lines(&lammps));
            agree(&ours, &lammps, 1.01e-6, 1.0, &what);
            let equal = ours.iter().zip(&lammps).filter(|(a, b)| a == b).count();
            assert!(equal * 100 >= ours.len() * 98, "{what}: {equal} of {} lines are equal", ours.len());
        }
        compared += 1;
    }
    assert!(compared > 0, "{name}");
}

/// One test per script of tests/lammps. Those of a third run by turns (`common::third`), and those behind `with_full` only with
/// CLAMPS_TESTS=full: their commands and styles others have, too (tests/lammps/cover.rs).
macro_rules! as_lammps {
    ($($third:literal: $($name:ident)* ;)* with_full: $($other:ident)*) => {
        /// Scripts of the thirds.
        const BY_TURNS: &[&str] = &[$($(stringify!($name)),*),*];
        /// The others.
        const ONLY_WITH_FULL: &[&str] = &[$(stringify!($other)),*];

        $($(#[test]
        fn $name() {
            in_third!($third);
            as_lammps(stringify!($name));
        })*)*

        $(#[test]
        fn $other() {
            match common::full() {
                true => as_lammps(stringify!($other)),
                false => eprintln!("skipped: {} is for CLAMPS_TESTS=full", stringify!($other)),
            }
        })*
    };
}

#[test]
fn every_script_is_tested() {
    for entry in folder().read_dir().expect("tests/lammps") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|ending| ending == "in") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let tested = [BY_TURNS, ONLY_WITH_FULL].iter().any(|names| names.contains(&&*name));
            assert!(tested, "{name}.in is not in the list of tests/lammps.rs");
        }
    }
    assert!(
        OPTIMIZED.iter().all(|name| BY_TURNS.contains(name)),
        "some of these run only with CLAMPS_TESTS=full"
    );
}

as_lammps!(
    1:
    bonded chunks coexisting composed computes covalent_other crystals deposited dumps edits later lumps members
    mesh metals_dented metals_used molecules noisy overlaid paced pairs_hybrid pairs_other pencils ptm questions
    reruns searches structure switched systems variables voronoi
    ;
    2:
    asked atom_formulas balanced bare cells changes closed converted crack curves differences elastic fields_apart forces formulas
    helpers layers limits listed locals metals_elastic metals_shocked ordered replayed sheared shocked snapping
    stresses styles surfaces unit_cells unlike written
    ;
    3:
    atomeye redefined breaking charged_formulas charges_beside charges_other choosy colloids curved densities factors frames
    friction gjf grains labelled many_body nuclei pairs_more piston resettings rigid slips solids_used sparse
    swapped swollen tails trials vectors walls
    ;
    with_full:
    adapted argon averages barostats between beyond boundaries channel charged_weights charges choices chunks_kept
    conduction cone controller covalent deformed densified dynamic eased empty exchanges facets fields flat general groups
    guided histograms indenter isokinetic joined landing langevin_box language leaning left_apart leftout let_go lost many_fixes
    meam meam_lattices melt metals micelle mixtures motions moves nested nose_hoover offs open pairs_lj pairs_table parts
    passed piled planes potential pressed properties pulled pushed recentred relaxed renewed repaced resized rigid_flat
    rigid_landing rings roaming scaled schedules shapes shells slanted small spans squeezed stiffness stirred stopped sums
    tailed tallies templates tensile thermostats tilted timetables transport types unstepped weights without_angles words
    wrapped
);

/// Spheres are to each other what atoms of lj/expand are whose delta is the sum of both radii. LAMMPS (22 Jul 2025) cannot be asked: its
/// forces of lj/expand/sphere are greater than the slope of its energy by (r - delta)^2.
#[test]
fn spheres_have_the_forces_of_lj_expand() {
    let script = |pairs: &str| {
        format!(
            "units lj\natom_style sphere\nlattice sc 0.12\nregion b block 0 5 0 5 0 5\ncreate_box 2 b\ncreate_atoms 1 box\n\
             set type 1 diameter 1.0 mass 0.9\nset type 1 type/ratio 2 0.4 4827\nset type 2 diameter 0.5 mass 0.7\n\
             displace_atoms all random 0.1 0.1 0.1 839\nvelocity all create 1.1 3762 loop geom\n{pairs}\n\
             neigh_modify every 1 delay 0 check yes\nfix 1 all nve\ntimestep 0.002\n\
             thermo_style custom step temp epair etotal press pxx pyz\nthermo_modify norm no format float %.15g\nthermo 10\nrun 20\n"
        )
    };
    let spheres = script(
        "pair_style lj/expand/sphere 2.5\npair_coeff 1 1 1.0 0.8\npair_coeff 2 2 1.5 0.9 2.2\npair_coeff 1 2 1.2 0.85",
    );
    let atoms = script(
        "pair_style lj/expand 2.5\npair_coeff 1 1 1.0 0.8 1.0\npair_coeff 2 2 1.5 0.9 0.5 2.2\npair_coeff 1 2 1.2 0.85 0.75",
    );
    let [spheres, atoms] = [spheres, atoms].map(|script| log_of(&script, &["-precision", "double"]));
    let (spheres, atoms) = (tables(&spheres), tables(&atoms));
    assert_eq!(spheres, atoms);
    let rows = &spheres[0].1;
    let [first, last] = [&rows[0], rows.last().expect("rows")];
    assert!(first[1] != last[1], "{rows:?}");
}

/// Lists built around where atoms will be have all the pairs that matter: rows and files are LAMMPS's.
#[test]
fn lists_that_last_change_nothing_else() {
    in_third!(2);
    let names = ["friction", "molecules", "melt", "adapted", "pairs_other"];
    for name in &names[..if common::full() { 5 } else { 2 }] {
        compare(name, Rebuild::Seldom);
    }
}

/// A density beyond its table is told at the end of the run in which that happened, and of no other.
#[test]
fn densities_beyond_their_tables_are_told() {
    in_third!(2);
    let script = "units metal
region box block 0 30 0 30 0 30
create_box 2 box
create_atoms 1 single 5 5 5
create_atoms 2 single 7.5 5 5
pair_style eam/alloy
pair_coeff * * eam_alloy.part Aa Bb
run 0
displace_atoms all move 12 0 0
group other type 2
displace_atoms other move -2.3 0 0
run 0
displace_atoms other move 2.3 0 0
minimize 0 0 0 0
";
    let log = log_of(script, &[]);
    let parts: Vec<&str> = log.split("Loop time").collect();
    let told: Vec<bool> =
        parts.iter().map(|part| part.contains("WARNING: the density of some atom")).collect();
    assert_eq!(told, [false, true, false, false], "{log}");
}

/// Path of the published script.
const MELT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/inputs/in.lj");

#[test]
fn the_melt_on_every_device_in_every_precision() {
    let dir = tempfile::tempdir().expect("a directory");
    for (index, device) in devices().expect("an OpenCL platform").iter().enumerate() {
        for (precision, tolerance, tolerance_p) in
            [("double", 1e-9, 1e-9), ("mixed", 1e-6, 1e-4), ("single", 1e-5, 1e-3)]
        {
            if precision != "single" && !device.fp64 {
                continue;
            }
            let what = format!("{precision} on {}", device.name);
            let melt = |steps| {
                let words = ["-in", MELT, "-var", "t", steps, "-log", "log", "-screen", "none"];
                optimized(dir.path())
                    .args(words)
                    .args(["-device", &index.to_string(), "-precision", precision])
                    .assert()
                    .success();
                fs::read_to_string(dir.path().join("log")).expect("a log")
            };
            // At the start the list is the same in all.
            if precision == "double" || common::full() {
                assert_eq!(count(&melt("0"), "Total # of neighbors"), 2_496_000, "{what}");
            }
            let end = melt("100");
            // Step, Temp, E_pair, E_mol, TotEng, Press of LAMMPS at step 100, as printed by default.
            let row = &tables(&end)[0].1[1];
            // LAMMPS, double precision: ../shared/facts/lammps-numerics.md, tests/lammps/expected/melt/log.
            let lammps = [0.757453103239935, -5.75850548601596, 0.207261053624721];
            for (ours, theirs, tolerance) in [
                (row[1], lammps[0], tolerance),
                (row[2], lammps[1], tolerance),
                (row[5], lammps[2], tolerance_p),
            ] {
                let tolerance = f64::max(tolerance, 5e-8); // the default format has 8 digits
                assert!((ours / theirs - 1.0).abs() <= tolerance, "{what}: {ours}, LAMMPS {theirs}");
            }
            assert_eq!(count(&end, "Neighbor list builds"), 5, "{what}");
            if precision == "double" {
                assert_eq!(count(&end, "Total # of neighbors"), 2_405_666, "{what}");
            }
        }
    }
}

#[test]
fn two_runs_agree_bit_for_bit() {
    in_third!(1);
    let script =
        "variable n index 6\nvariable rc index 2.5\ninclude system.part\nrun 60\nwrite_data melt.data\n";
    for precision in ["single", "mixed", "double"] {
        let [first, second] = [(), ()].map(|()| {
            let dir = lammps_folder(script);
            optimized(dir.path())
                .args(["-precision", precision, "-log", "log"])
                .write_stdin(script)
                .assert()
                .success();
            let log = fs::read_to_string(dir.path().join("log")).expect("a log");
            (essence(&log), fs::read_to_string(dir.path().join("melt.data")).expect("data"))
        });
        assert!(first == second, "{precision}");
        assert_eq!(first.1.lines().filter(|line| line.split(' ').count() == 8).count(), 864);
    }
}

#[test]
fn a_data_file_resumes_exactly() {
    in_third!(2);
    let start = "variable n index 4\nvariable rc index 2.5\ninclude system.part\n\
                 neigh_modify every 10 delay 0 check no\nthermo_modify format float %.17g\nrun 40\n";
    let resumed = "write_data half.data nocoeff\nclear\nread_data half.data\npair_style lj/cut 2.5\n\
                   pair_coeff 1 1 1.0 1.0\nneighbor 0.3 bin\nneigh_modify every 10 delay 0 check no\n\
                   fix 1 all nve\nreset_timestep 40\nthermo 10\nthermo_modify format float %.17g\n";
    for precision in common::by_turns(0, &["mixed", "double"]) {
        let straight = log_by(optimized, &format!("{start}run 40\n"), &["-precision", precision]);
        let in_two = log_by(optimized, &format!("{start}{resumed}run 40\n"), &["-precision", precision]);
        assert_eq!(tables(&straight)[1], tables(&in_two)[1], "{precision}");
        assert_eq!(tables(&straight)[1].1.len(), 5);
    }
}

/// Where no atom has moved, taking off the drift leaves nothing either; LAMMPS divides 0 by 0.
#[test]
fn what_has_not_moved_is_as_normal_as_can_be() {
    let script = "variable n index 4\nvariable rc index 2.5\ninclude system.part\n\
                  compute n all msd/nongauss com yes\nthermo_style custom c_n[*]\nrun 0\n";
    assert_eq!(tables(&log_of(script, &["-precision", "double"]))[0].1, [[0.0; 3]]);
}

/// By the slopes of forces, which LAMMPS gets wrong, as by finite differences, which agree with LAMMPS's in `elastic`.
#[test]
fn born_matrix_of_slopes_and_of_differences() {
    let system = fs::read_to_string(folder().join("elastic.in")).expect("a script");
    let script = format!(
        "{system}compute slopes all born/matrix\n\
         thermo_style custom c_slopes[*] c_born[*]\nthermo_modify format float %.15g\nrun 0\n"
    );
    let log = log_of(&script, &["-precision", "double"]);
    let row = &tables(&log)[2].1[0];
    for (slopes, differences) in row[..21].iter().zip(&row[21..]) {
        assert!((slopes - differences).abs() < 1e-7 * row[0], "{slopes}, {differences}");
    }
}

/// Diamond and graphene have neighbours of neighbours, which LAMMPS does not find across faces: where these are changes nothing.
#[test]
fn structures_are_the_same_wherever_faces_are() {
    let systems = [
        ("dcub-dhex", "diamond 5.43", "0 2 0 2 0 2", 0.1),
        (
            "graphene",
            "custom 2.46 a1 1 0 0 a2 0 1.7320508075688772 0 a3 0 0 4 basis 0 0 0.5 basis 0.5 0.5 0.5 &
          basis 0 0.33333333333333333 0.5 basis 0.5 0.83333333333333333 0.5",
            "0 5 0 3 0 1",
            0.05,
        ),
    ];
    for (structures, lattice, block, noise) in systems {
        let script = format!(
            "units metal\nlattice {lattice}\nregion box block {block}\ncreate_box 1 box\ncreate_atoms 1 box\n\
             mass 1 12.0\npair_style zero 5.0\npair_coeff * *\n\
             displace_atoms all random {noise} {noise} {noise} 4711\ncompute p all ptm/atom {structures} 0\n\
             dump 1 all custom 1 here id c_p[*]\ndump_modify 1 sort id format float %.9f\nrun 0\nundump 1\n\
             displace_atoms all move 3.1 2.9 1.7 units box\n\
             dump 1 all custom 1 there id c_p[*]\ndump_modify 1 sort id format float %.9f\nrun 0\n"
        );
        let dir = lammps_folder(&script);
        let words = ["-precision", "double", "-log", "log", "-screen", "none"];
        clamps(dir.path()).args(words).write_stdin(script).assert().success();
        let [here, there] =
            ["here", "there"].map(|name| lines(&fs::read_to_string(dir.path().join(name)).expect("a dump")));
        agree(&there, &here, 0.0, 0.0, structures);
        let kinds: Vec<&str> = here[9..].iter().filter_map(|line| line.split(' ').nth(1)).collect();
        assert!(
            kinds.len() > 50 && kinds.iter().all(|kind| ["6.000000000", "8.000000000"].contains(kind)),
            "{kinds:?}"
        );
    }
}

#[test]
fn benchmark_options_change_nothing() {
    let script = "variable n index 4\nvariable rc index 2.5\n";
    let plain = format!("{script}include system.part\nrun 20\n");
    let tuned = format!(
        "{script}package gpu 1 neigh yes\nsuffix gpu\nnewton off\nprocessors * * *\ntimer full sync\n\
         include system.part\natom_modify sort 0 0.0\ncomm_modify mode single vel no\ncomm_style tiled\nrun 20\n"
    );
    let expected = essence(&log_of(&plain, &[]));
    assert_eq!(essence(&log_of(&plain, &["-sf", "gpu", "-pk", "gpu", "1", "-nocite"])), expected);
    assert_eq!(essence(&log_of(&tuned, &["-k", "on", "g", "1", "-sf", "kk"])), expected);
}

#[test]
fn skiprun_stops_at_the_first_row() {
    let script = "variable n index 4\nvariable rc index 2.5\ninclude system.part\nrun 20\nrun 20\n";
    let log = log_of(script, &["-skiprun"]);
    let tables = tables(&log);
    assert_eq!(tables.len(), 2);
    for (header, rows) in &tables {
        assert_eq!(header[..3], ["Step", "Temp", "E_pair"]);
        assert_eq!((rows.len(), rows[0][0]), (1, 0.0));
    }
}

/// A folder of reference files that are not part of the project; says so where it is not there.
fn shared(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared");
    let shared = std::env::var("CLAMPS_SHARED").unwrap_or_else(|_| beside.to_owned());
    let folder = Path::new(&shared).join("reference").join(name);
    if !folder.is_dir() {
        eprintln!("SKIPPED: there is no folder {} (set CLAMPS_SHARED)", folder.display());
        return None;
    }
    Some(folder)
}

/// Numbers of equally long rows: the largest difference of each column, as a part of the column's largest number.
fn largest_differences(ours: &[Vec<f64>], lammps: &[Vec<f64>]) -> Vec<f64> {
    let largest = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(f64::abs).fold(0.0, f64::max);
    (0..lammps[0].len())
        .map(|k| {
            let rows = ours.iter().zip(lammps);
            let off = largest(&mut rows.map(|(ours, lammps)| ours[k] - lammps[k]));
            // Sums that cancel, such as the forces of a perfect crystal, are rounding alone.
            off / largest(&mut lammps.iter().map(|row| row[k])).max(1e-3)
        })
        .collect()
}

/// Rows of thermo output, and energies, forces and stresses of atoms, of metals and covalent solids with potential files of LAMMPS's.
#[test]
fn the_cases_of_many_bodies() {
    let Some(folder) = shared("manybody") else { return };
    let Ok(potentials) = std::env::var("LAMMPS_POTENTIALS") else {
        eprintln!("SKIPPED: LAMMPS_POTENTIALS does not name LAMMPS's folder of potential files");
        return;
    };
    let frames = |text: &str| -> Vec<Vec<f64>> {
        let numbers = |line: &str| line.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>().ok();
        text.lines().filter_map(numbers).filter(|row| row.len() > 8).collect()
    };
    let scripts = folder.read_dir().expect("a folder").map(|entry| entry.expect("readable").path());
    let name = |path: PathBuf| Some(path.file_name()?.to_str()?.strip_prefix("in.")?.to_owned());
    let mut compared = 0;
    for name in scripts.filter_map(name) {
        let dir = tempfile::tempdir().expect("a directory");
        let mut command = optimized(dir.path());
        command.env("LAMMPS_POTENTIALS", &potentials).arg("-in").arg(folder.join(format!("in.{name}")));
        command.args(["-precision", "double", "-rebuild", "lammps", "-screen", "none"]).assert().success();
        let log = fs::read_to_string(dir.path().join("log.clamps")).expect("a log");
        let lammps = fs::read_to_string(folder.join(format!("log.{name}"))).expect("a log");
        let [(header, ours), (expected, lammps)] = [&log, &lammps].map(|log| tables(log).swap_remove(0));
        assert_eq!((&header, ours.len()), (&expected, lammps.len()), "{name}");
        for (column, off) in header.iter().zip(largest_differences(&ours, &lammps)) {
            assert!(off <= 1e-9, "{name}: {column} is off by {off:.1e}");
        }
        let dump = format!("{name}.dump");
        let bytes = fs::read(folder.join(format!("{dump}.gz"))).expect("a dump");
        let lammps = std::io::read_to_string(flate2::read::GzDecoder::new(&bytes[..])).expect("text");
        let ours = fs::read_to_string(dir.path().join(&dump)).expect("a dump");
        let [ours, lammps] = [ours, lammps].map(|text| frames(&text));
        assert_eq!(ours.len(), lammps.len(), "{name}");
        for (k, off) in largest_differences(&ours, &lammps).into_iter().enumerate() {
            assert!(off <= 1e-9, "{name}: column {k} of {dump} is off by {off:.1e}");
        }
        compared += 1;
    }
    assert_eq!(compared, 13);
}

#[test]
fn the_published_logs() {
    let Some(shared) = shared("lammps") else { return };
    for name in ["lj-every20", "lj-check"] {
        let script = fs::read_to_string(shared.join(format!("{name}.in"))).expect("a script");
        let lammps = fs::read_to_string(shared.join(format!("{name}.log"))).expect("a log");
        let ours = log_by(optimized, &script, &["-precision", "double"]);
        assert_eq!(tables(&lammps)[0].1.len(), 11, "{name}");
        let (header, rows) = &tables(&ours)[0];
        assert_eq!(header, &tables(&lammps)[0].0);
        for (ours, lammps) in rows.iter().flatten().zip(tables(&lammps)[0].1.iter().flatten()) {
            assert!((ours - lammps).abs() <= 1e-9 * lammps.abs(), "{name}: {ours}, LAMMPS {lammps}");
        }
        assert_eq!(rows.len(), 11);
    }
}

#[test]
fn the_scripts_of_inputs_run() {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs");
    let dir = tempfile::tempdir().expect("a directory");
    let scripts = inputs.read_dir().expect("inputs/").map(|entry| entry.expect("readable").path());
    // Elastic constants need results of minimizations, and are run in tests/physics.rs.
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("in.") && name != "in.silicon.elastic"
    };
    for path in scripts.filter(named) {
        // Set up only: each takes some seconds to run.
        let mut command = clamps(dir.path());
        command.env("LAMMPS_POTENTIALS", &inputs).arg("-in").arg(&path).args(["-skiprun", "-screen", "none"]);
        command.assert().success();
        let log = fs::read_to_string(dir.path().join("log.clamps")).expect("a log");
        let tables = tables(&log);
        assert!(!tables.is_empty() && tables.iter().all(|(_, rows)| rows.len() == 1), "{}", path.display());
        assert!(!log.contains("WARNING"), "{}", path.display());
    }
}
