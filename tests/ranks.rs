//! Runs on several ranks (MPI): the same as on one, to the byte; and how they end.
//!
//! With each launcher that is found: mpirun of MPICH, of Open MPI, or whichever `mpirun` is. Without one these tests say so and do nothing.
//! CLAMPS_TESTS=full compares all scripts of tests/lammps, by each launcher, in double precision and another one; CLAMPS_TEST_PART=3/8 the third of
//! eight parts of them, so that as many processes share cores out. Root on Linux also runs them on two machines, made of this one by
//! tests/two_machines.sh.

#![allow(clippy::unwrap_used, missing_docs)]

#[macro_use]
mod common;

use common::{by_turns, cheap_build, full, lammps_folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A run that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(180);

const PROGRAM: &str = env!("CARGO_BIN_EXE_clamps");

fn is_there(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// The launchers that there are and that work on this machine.
fn launchers() -> Vec<&'static str> {
    static FOUND: OnceLock<Vec<&'static str>> = OnceLock::new();
    let find = || {
        let named: Vec<_> =
            ["mpirun.mpich", "mpirun.openmpi"].into_iter().filter(|name| is_there(name)).collect();
        let mut found = if named.is_empty() && is_there("mpirun") { vec!["mpirun"] } else { named };
        found.retain(|launcher| {
            let mut trial = command(launcher, Path::new("."));
            trial.args(["-np", "2", "true"]);
            let works = finish(trial).status.success();
            if !works {
                eprintln!("skipped: {launcher} does not start processes here");
            }
            works
        });
        found
    };
    let found = FOUND.get_or_init(find).clone();
    if found.is_empty() {
        eprintln!("skipped: there is no mpirun (Debian: apt install mpich)");
    }
    found
}

/// A program in a folder, with no setting of the caller's; root may run Open MPI, on fewer cores than ranks.
fn command(program: &str, dir: &Path) -> Command {
    let mut command = Command::new(program);
    // On one rank and on several: logs are compared.
    command.current_dir(dir).env("CLAMPS_TUNE", "off").env("CLAMPS_CHECK", "never");
    for name in ["CLAMPS_DEVICE", "CLAMPS_MPI", "RUST_LOG"] {
        command.env_remove(name);
    }
    for name in
        ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"]
    {
        command.env(name, "1");
    }
    command
}

/// The program on so many ranks; on one without a launcher.
fn on_ranks(launcher: &str, ranks: usize, dir: &Path, words: &[&str]) -> Command {
    let mut command = match ranks {
        1 => command(PROGRAM, dir),
        _ => {
            // One of two machines comes behind the script that makes these.
            let (script, launcher) = launcher.rsplit_once(' ').unwrap_or(("env", launcher));
            let mut command = command(script, dir);
            command.arg(launcher);
            command.args(["-np", &ranks.to_string(), PROGRAM]);
            command
        }
    };
    command.args(words);
    command
}

/// Runs to the end, within the limit.
fn finish(mut command: Command) -> Output {
    finish_with(&mut command)
}

/// As [`finish`], of ranks that have much to do: they wait for one another without sleep, so where cores are few one job goes at a time.
fn finish_job(command: &mut Command) -> Output {
    static JOB: Mutex<()> = Mutex::new(());
    let few = std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 8);
    let is_job = few && command.get_program() != PROGRAM;
    let _turn = is_job.then(|| JOB.lock().unwrap_or_else(PoisonError::into_inner));
    finish_with(command)
}

fn finish_with(command: &mut Command) -> Output {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > LIMIT {
            let _ = child.kill();
            panic!("it hangs: {command:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

/// Checks all cases at the same time: launchers take a second or more to start and to end what has failed, and mostly wait.
fn side_by_side<T: Send>(cases: impl IntoIterator<Item = T>, check: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            let check = &check;
            scope.spawn(move || check(case));
        }
    });
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lammps")
}

/// Beginnings of lines of a log that speak of times, of ranks, or of how work was launched.
const PASSING: [&str; 27] = [
    "Shares of the ranks",
    "Note: Comm is",
    "Pair ",
    "Bond ",
    "Neigh ",
    "Comm ",
    "Output ",
    "Modify ",
    "Other ",
    "Loop time of",
    "Performance:",
    "Per MPI rank",
    "Device time",
    "Kernel launches",
    "Pair and Modify:",
    "Neigh and Comm:",
    "Sections scaled",
    "Total wall time:",
    "Nlocal:",
    "Nghost:",
    "FullNghs:",
    "Histogram:",
    "Total # of neighbors",
    "Ave neighs",
    "Shape:",
    "  one for each",
    "  ranks share",
];

/// What is left of a log, or of another file.
fn lasting(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if name != "log" {
        return bytes;
    }
    let passing = |line: &&str| {
        PASSING.iter().any(|begin| line.starts_with(begin))
            || line.contains("CPU = ")
            || line.contains("CPU use")
            || line.contains(" MPI processes, ")
            || line.contains("MPI processor grid")
    };
    let text = text(&bytes);
    text.lines().filter(|line| !passing(line)).collect::<Vec<_>>().join("\n").into_bytes()
}

/// What a run of a script leaves, by file; in double precision with lists rebuilt as in tests/lammps.rs, whose programs these are.
fn files(launcher: &str, ranks: usize, script: &str, precision: &str) -> BTreeMap<String, Vec<u8>> {
    let script = format!("{script}.in");
    let dir = lammps_folder(&script);
    if script == "properties.in" {
        // The largest load of a rank falls with their number.
        let path = dir.path().join(&script);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(" f_0[1] "));
        fs::write(&path, text.replace(" f_0[1] ", " ")).unwrap();
    }
    let given: Vec<_> = dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let rebuild = if precision == "double" && !full() { "lammps" } else { "seldom" };
    let mut words =
        vec!["-in", &*script, "-precision", precision, "-rebuild", rebuild, "-log", "log", "-screen", "none"];
    if script == "melt.in" && !full() {
        words.extend(["-var", "n", "12"]);
    }
    let mut command = on_ranks(launcher, ranks, dir.path(), &words);
    // Those that tests/lammps.rs has built with optimization are there already.
    if !["melt.in", "structure.in"].contains(&&*script) {
        command.env("CLAMPS_BUILD", cheap_build());
    }
    let done = finish_job(&mut command);
    let mut files =
        BTreeMap::from([("exit code".to_owned(), format!("{:?}", done.status.code()).into_bytes())]);
    for entry in dir.path().read_dir().unwrap() {
        let entry = entry.unwrap();
        if !given.contains(&entry.file_name()) && entry.path().is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            files.insert(name.clone(), lasting(&name, fs::read(entry.path()).unwrap()));
        }
    }
    files
}

/// That a script leaves the same files on so many ranks as on one.
fn same(launcher: &str, ranks: usize, script: &str, precision: &str) {
    let what = format!("{script} in {precision} on {ranks} ranks ({launcher})");
    let (one, several) = (files(launcher, 1, script, precision), files(launcher, ranks, script, precision));
    assert_eq!(one.keys().collect::<Vec<_>>(), several.keys().collect::<Vec<_>>(), "{what}");
    for (name, bytes) in &one {
        let other = &several[name];
        if bytes != other {
            let (a, b) = (text(bytes), text(other));
            let line = a.lines().zip(b.lines()).find(|(a, b)| a != b).unwrap_or_default();
            panic!("{what}: {name}:\n  one     {}\n  several {}", line.0, line.1);
        }
    }
    assert!(one.contains_key("log"), "{what}");
    eprintln!("{what}: the same");
}

/// Scripts of what no other test here has: minimizations, computes of neighbours, spheres, bonds that break. Covalent solids, whose
/// forces have passes, are there with two elements, beside other styles and with a minimization.
const SAMPLE: [(&str, usize, &str); 6] = [
    ("covalent", 2, "mixed"),
    ("relaxed", 3, "double"),
    ("structure", 2, "double"),
    ("colloids", 2, "double"),
    ("snapping", 3, "single"),
    ("rigid_flat", 3, "mixed"),
];

/// Scripts that ranks of two machines take turns with.
const MACHINES: [(&str, usize, &str); 4] = [
    ("colloids", 2, "double"),
    ("covalent", 3, "mixed"),
    ("relaxed", 3, "double"),
    ("deposited", 3, "mixed"),
];

/// Which part of how many of the scripts this process compares.
fn part() -> [usize; 2] {
    let part = std::env::var("CLAMPS_TEST_PART").unwrap_or_else(|_| "1/1".to_owned());
    let (part, parts) = part.split_once('/').unwrap();
    [part, parts].map(|number| number.parse().unwrap())
}

#[test]
fn several_ranks_leave_what_one_does() {
    in_third!(2);
    let launchers = launchers();
    if full() {
        let [part, parts] = part();
        let mut names: Vec<_> = scripts()
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "in"))
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let cases: Vec<_> = names
            .iter()
            .enumerate()
            .skip(part - 1)
            .step_by(parts)
            .flat_map(|(k, name)| {
                [(name, 2 + k % 3, "double"), (name, 2 + (k + 1) % 3, ["mixed", "single"][k / 3 % 2])]
            })
            .collect();
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let some = cases.len().div_ceil((cores / 3).max(1));
        std::thread::scope(|scope| {
            for cases in cases.chunks(some) {
                let launchers = &launchers;
                scope.spawn(move || {
                    for launcher in launchers {
                        for &(name, ranks, precision) in cases {
                            same(launcher, ranks, name, precision);
                        }
                    }
                });
            }
        });
        return;
    }
    for (k, (name, ranks, precision)) in SAMPLE.into_iter().enumerate() {
        // The launchers take turns.
        if let Some(launcher) = launchers.get(k % launchers.len().max(1)) {
            same(launcher, ranks, name, precision);
        }
    }
}

/// Runs the file `in` of a folder with more words and an environment: what is left of its log, and what it tells besides.
fn log_of(
    launcher: &str,
    ranks: usize,
    dir: &Path,
    words: &[&str],
    environment: &[(&str, &str)],
) -> (String, String) {
    let words = [&["-in", "in", "-log", "log", "-screen", "none"], words].concat();
    let mut command = on_ranks(launcher, ranks, dir, &words);
    let done = finish_job(command.envs(environment.iter().copied()));
    let told = text(&done.stderr);
    assert!(done.status.success(), "{launcher}: {told}");
    (text(&lasting("log", fs::read(dir.join("log")).unwrap())), told)
}

/// Atoms that drift along a long box, so that many go from rank to rank at each rebuild, whose steps are known or not.
const DRIFT: &str = "units lj
lattice fcc 0.8442
region b block 0 20 0 6 0 6
create_box 2 b
create_atoms 1 box
set group all type/fraction 2 0.3 4711
mass * 1
velocity all create 1.44 87287 loop geom
velocity all set 3.0 1.0 -2.0 sum yes
pair_style lj/cut 2.5
pair_coeff * * 1 1
pair_coeff 2 2 1.1 0.95
neighbor 0.3 bin
neigh_modify every 10 delay 0 check no
fix 1 all nve
fix 2 all langevin 1 1 1 48279
dump 1 all custom 20 dump id type x y z vx vy vz ix iy iz
thermo 15
run 60
neigh_modify every 1 check yes
run 60
";

#[test]
fn atoms_that_go_from_rank_to_rank() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), DRIFT).unwrap();
    let launchers = launchers();
    for (k, precision) in
        ["double", "single", "mixed"].into_iter().take(if full() { 3 } else { 2 }).enumerate()
    {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        let (come, _) = same_as_alone(launcher, 2 + k % 2, dir.path(), &["-precision", precision], &[]);
        assert!(come > 100, "{precision}: {come} atoms have moved");
    }
    // Ranks of several cores each, of which some have other work: nobody waits for work-groups that do not come.
    let cores = ["POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"].map(|name| (name, "2"));
    for launcher in by_turns(0, &launchers) {
        same_as_alone(launcher, 2, dir.path(), &["-precision", "mixed"], &cores);
    }
}

/// What a pass before the last one leaves of atoms, numbers (eam) or partial forces and virials (sw), is told of atoms near borders alone.
#[test]
fn what_passes_leave_is_told_near_borders() {
    in_third!(2);
    let dir = tempfile::tempdir().unwrap();
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("inputs");
    for name in ["Si.sw", "Cu.eam.alloy"] {
        fs::copy(inputs.join(name), dir.path().join(name)).unwrap();
    }
    let script = |lattice: &str, cells: usize, mass: f64, style: &str| {
        format!(
            "units metal\nlattice {lattice}\nregion b block 0 {cells} 0 5 0 5\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 {mass}\n\
             pair_style {style}\nvelocity all create 2500 87287 loop geom\nvelocity all set 60.0 2.0 -3.0 sum yes\n\
             neighbor 0.5 bin\nneigh_modify every 1 delay 0 check yes\nfix 1 all nve\ncompute s all stress/atom NULL\n\
             dump 1 all custom 20 dump id x y z fx fy fz c_s[1] c_s[4]\nthermo 10\nrun 60\n"
        )
    };
    let silicon = script("diamond 5.431", 14, 28.06, "sw\npair_coeff * * Si.sw Si");
    let copper = script("fcc 3.615", 34, 63.55, "eam/alloy\npair_coeff * * Cu.eam.alloy Cu");
    let launchers = launchers();
    for (k, text) in [silicon, copper].iter().enumerate() {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        fs::write(dir.path().join("in"), text).unwrap();
        let ways = [("mixed", "1"), ("double", "2"), ("mixed", "0")];
        for (words, window) in by_turns(k, &ways) {
            same_as_alone(launcher, 2, dir.path(), &["-precision", words], &[("CLAMPS_WINDOW", window)]);
            let log = fs::read_to_string(dir.path().join("log")).unwrap();
            let number = |begin: &str, word: usize| -> f64 {
                let line = log.lines().rfind(|line| line.starts_with(begin)).unwrap();
                line.split_whitespace().nth(word).unwrap().parse().unwrap()
            };
            let (atoms, ghosts) = (number("Created ", 1), number("Nghost:", 3));
            assert!(
                2.0 * ghosts < atoms,
                "all ranks learn of all {atoms} atoms, as {ghosts} are near borders"
            );
        }
    }
}

/// Runs the file `in` on one rank and on more: how many atoms have gone from rank to rank, and what ranks said besides.
fn same_as_alone(
    launcher: &str,
    ranks: usize,
    dir: &Path,
    words: &[&str],
    environment: &[(&str, &str)],
) -> (usize, String) {
    let environment = [environment, &[("RUST_LOG", "clamps::engine=debug")]].concat();
    let run = |ranks| {
        let (log, told) = log_of(launcher, ranks, dir, words, &environment);
        (log, fs::read(dir.join("dump")).unwrap(), told)
    };
    let ((one_log, one_dump, _), (log, dump, told)) = (run(1), run(ranks));
    assert_eq!(one_log, log, "{words:?}");
    assert!(one_dump == dump, "other frames: {words:?}");
    let come = told.lines().filter_map(|line| line.split_once(" atoms have come from other ranks"));
    (come.map(|(line, _)| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum(), told)
}

/// What pair styles and lists read of atoms goes along with those that go from rank to rank.
#[test]
fn charges_velocities_and_groups_go_along() {
    in_third!(2);
    let dir = tempfile::tempdir().unwrap();
    let launchers = launchers();
    let script = |lattice: f64, style: &str, more: &str| {
        format!(
            "units lj\natom_style charge\ncomm_modify vel yes\nlattice fcc {lattice}\nregion b block 0 20 0 6 0 6\ncreate_box 2 b\n\
             create_atoms 1 box\nset group all type/fraction 2 0.3 4711\nmass * 1\nset type 1 charge 0.3\nset type 2 charge -0.7\n\
             group a type 2\nvelocity all create 1.44 87287 loop geom\nvelocity all set 3.0 1.0 -2.0 sum yes\n{style}\n\
             neighbor 0.3 bin\nneigh_modify every 1 delay 0 check yes {more}\nfix 1 all nve\ndump 1 all custom 20 dump id vx vy vz\n\
             thermo 15\nrun 60\n"
        )
    };
    let charges = "pair_style lj/cut/coul/dsf 0.1 2.5 2.5\npair_coeff * * 1 1";
    let noise = "pair_style dpd 1.0 1.0 34387\npair_coeff * * 25 4.5\ntimestep 0.04";
    let alike = "pair_style lj/cut 2.5\npair_coeff * * 1 1";
    for (k, text) in
        [script(0.8, charges, ""), script(3.0, noise, ""), script(0.8, alike, "exclude group a a")]
            .iter()
            .enumerate()
    {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        fs::write(dir.path().join("in"), text).unwrap();
        // As on one machine, on two, of which one has two of three ranks, and by messages to all, with lists that grow on some ranks only.
        for (ranks, window) in by_turns(k, &[(2, "1"), (3, "2"), (2, "0")]) {
            let precision = &["-precision", "mixed"];
            let (come, _) =
                same_as_alone(launcher, ranks, dir.path(), precision, &[("CLAMPS_WINDOW", window)]);
            assert!(come > 20 || window == "0", "{come} atoms have moved");
        }
    }
}

/// Chains of eight along x, from every `far`-th atom to the next.
fn chains(far: usize) -> String {
    let (edge, [nx, ny, nz]) = (1.05, [48, 8, 8]);
    let mut atoms = String::new();
    let mut bonds = Vec::new();
    for row in 0..ny * nz {
        for x in 0..nx {
            let id = row * nx + x + 1;
            let [at_x, at_y, at_z] = [x, row % ny, row / ny].map(|k| k as f64 * edge);
            atoms += &format!("{id} {} 1 {at_x} {at_y} {at_z}\n", id / 8 + 1);
            if x % 8 + far < 8 {
                bonds.push((id, id + far));
            }
        }
    }
    let of_bond = |(k, (a, b)): (usize, &(usize, usize))| format!("{} 1 {a} {b}\n", k + 1);
    let [lx, ly, lz] = [nx, ny, nz].map(|n| n as f64 * edge);
    format!(
        "chains\n\n{} atoms\n{} bonds\n1 atom types\n1 bond types\n3 extra bond per atom\n0 {lx} xlo xhi\n0 {ly} ylo yhi\n0 {lz} zlo zhi\n\n\
         Masses\n\n1 1\n\nAtoms # bond\n\n{atoms}\nBonds\n\n{}",
        nx * ny * nz,
        bonds.len(),
        bonds.iter().enumerate().map(of_bond).collect::<String>()
    )
}

/// Bonds across borders of ranks: to atoms that lists may name, and to atoms that are farther away.
#[test]
fn bonds_go_along() {
    in_third!(1);
    let dir = tempfile::tempdir().unwrap();
    let launchers = launchers();
    for (k, (far, [style, numbers])) in
        [(1, ["fene", "30 1.5 1 1"]), (3, ["harmonic", "30 3.15"])].into_iter().enumerate()
    {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        fs::write(dir.path().join("data"), chains(far)).unwrap();
        let script = format!(
            "units lj\natom_style bond\nspecial_bonds fene\nbond_style {style}\npair_style lj/cut 1.12\nread_data data\n\
             bond_coeff 1 {numbers}\npair_modify shift yes\n\
             pair_coeff 1 1 1 1\nneighbor 0.4 bin\nneigh_modify every 1 delay 1\nvelocity all create 1.0 87287 loop geom\n\
             velocity all set 9.0 1.0 -2.0 sum yes\nfix 1 all nve\nfix 2 all langevin 1 1 10 904297\ntimestep 0.006\n\
             dump 1 all custom 20 dump id vx vy vz\nthermo 15\nrun 60\n"
        );
        fs::write(dir.path().join("in"), script).unwrap();
        let (come, told) = same_as_alone(launcher, 2 + k, dir.path(), &["-precision", "mixed"], &[]);
        assert!(come > 20, "{come} atoms have moved");
        assert_eq!(told.contains("bonds name atoms that are not near"), far > 1, "{far}");
    }
}

/// A box that shrinks until it has no room for its bonds, and is set up anew amid a run.
#[test]
fn a_box_that_shrinks_around_bonds() {
    in_third!(3);
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("data"), chains(1)).unwrap();
    let script = "units lj\natom_style bond\nspecial_bonds fene\nbond_style fene\npair_style lj/cut 1.12\nread_data data\nbond_coeff 1 30 1.5 1 1\n\
                  pair_modify shift yes\npair_coeff 1 1 1 1\nneighbor 0.3 bin\nneigh_modify every 1 delay 1\n\
                  velocity all create 1.0 87287 loop geom\nfix 1 all npt temp 1 1 0.5 x 40 40 2.0\ntimestep 0.004\nthermo 5\n\
                  dump 1 all custom 40 dump id vx vy vz\nrun 80\n";
    fs::write(dir.path().join("in"), script).unwrap();
    same_as_alone(launcher, 2, dir.path(), &["-precision", "mixed"], &[]);
}

/// Where faces are open atoms go from rank to rank, too: faces follow the outermost atoms of all ranks, and where atoms are lost at a
/// rebuild all ranks learn of all atoms.
#[test]
fn atoms_go_along_between_open_faces() {
    in_third!(1);
    let launchers = launchers();
    let dir = tempfile::tempdir().unwrap();
    let script = |boundary: &str, region: &str, temperature: f64| {
        format!(
            "units lj\nboundary {boundary}\nlattice fcc 0.8442\nregion b {region}\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
             velocity all create {temperature} 4711 loop geom\nvelocity all ramp vx -1 1 x -10 10 sum yes\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\n\
             neighbor 0.3 bin\nneigh_modify every 10 delay 0 check no\nfix 1 all nve\nthermo 20\nthermo_modify lost ignore\n\
             dump 1 all custom 60 dump id x y z vx ix iy iz\nrun 60\nneigh_modify every 1 check yes\nrun 30\n"
        )
    };
    let cases = [
        ("p p s", "prism -8 8 0 14 -5 5 3 1 2", 2.0, "mixed"),
        ("f p p", "block -11 11 0 6 0 6", 4.0, "mixed"),
        ("m p f", "block -11 11 0 6 0 6", 1.5, "double"),
        ("s p p", "block -11 11 0 6 0 6", 2.0, "mixed"),
        ("p p s", "block -11 11 0 6 0 6", 2.0, "single"),
    ];
    let cases = if full() { &cases[..] } else { &cases[..3] };
    for (k, &(boundary, region, temperature, precision)) in cases.iter().enumerate() {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        fs::write(dir.path().join("in"), script(boundary, region, temperature)).unwrap();
        let words = ["-precision", precision, "-rebuild", "lammps"];
        let ranks = if k == 1 { 3 } else { 2 };
        let (come, told) = same_as_alone(launcher, ranks, dir.path(), &words, &[]);
        let left = told.contains("atoms have left the box");
        assert_eq!(left, boundary.contains('f'), "{boundary}: {told}");
        assert!(come > 10 || left, "{boundary}: {come} atoms have moved");
    }
}

/// A bond across a border of ranks that has become too long for its box is what it is on one rank.
#[test]
fn a_bond_that_is_too_long_is_told_of() {
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    // One bond amid the box, whose atoms fly apart.
    let data = chains(1);
    let (head, _) = data.split_once("Bonds\n").unwrap();
    let count = head.lines().find(|line| line.ends_with(" bonds")).unwrap();
    fs::write(dir.path().join("data"), head.replace(count, "1 bonds") + "Bonds\n\n1 1 24 25\n").unwrap();
    let script = "units lj\natom_style bond\nspecial_bonds lj 1 1 1\nbond_style harmonic\npair_style lj/cut 1.12\nread_data data\n\
                  bond_coeff 1 0.0001 1.05\npair_modify shift yes\npair_coeff 1 1 0 1\nneighbor 0.4 bin\nneigh_modify every 1 delay 1\n\
                  velocity all create 0.1 87287 loop geom\nvelocity all set 0 0 0\ngroup a id 24\ngroup c id 25\nvelocity a set -4 0 0\n\
                  velocity c set 4 0 0\nfix 1 all nve\ntimestep 0.01\nrun 400\n";
    fs::write(dir.path().join("in"), script).unwrap();
    for ranks in [1, 2, 3] {
        let words = ["-in", "in", "-log", "none", "-screen", "none", "-precision", "mixed"];
        let done = finish(on_ranks(launcher, ranks, dir.path(), &words));
        let told = text(&done.stderr);
        assert!(told.contains("the atoms of a bond of atom 24 are too far apart"), "{ranks}: {told}");
    }
}

/// What thermostats and barostats go on with is added up by all ranks, and atoms go from rank to rank in boxes that move.
/// Fixes that change forces by sums over all atoms, of which each sees what those before it have changed.
const AVERAGED: &str = "group odd id 1:2880:2\nfix 1 all nve\nfix 2 odd aveforce 0.1 NULL 0.0\nfix 3 all spring tether 5 4 4 NULL 0\n\
    fix 4 odd addforce 0.1 0.2 0.3";

/// The same of so few atoms that a work-group adds up all.
const FEW: &str = "region left block 0 12 0 6 0 6\ngroup left region left\ngroup right subtract all left\ndelete_atoms group right\n\
    fix 1 all nve\nfix 2 all aveforce 0.1 NULL 0.0";

#[test]
fn ranks_add_up_for_fixes() {
    in_third!(1);
    let dir = tempfile::tempdir().unwrap();
    let launchers = launchers();
    let run = |fixes: &str| {
        let region = if fixes.contains("xy") { "prism 0 20 0 9 0 9 0 0 0" } else { "block 0 20 0 6 0 6" };
        format!(
            "units lj\nlattice fcc 0.8442\nregion b {region}\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
             velocity all create 1.44 87287 loop geom\nvelocity all set 3.0 1.0 -2.0 sum yes\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\n\
             neighbor 0.3 bin\nneigh_modify every 1 delay 0 check yes\n{fixes}\ndump 1 all custom 20 dump id vx vy vz\nthermo 15\n\
             thermo_style custom step temp pe press ecouple\nrun 60\n"
        )
    };
    let cases = [
        ("fix 1 all nvt temp 1 1 0.5", 3, "amd64"),
        ("fix 1 all nvt/sllod temp 1 1 0.5\nfix 2 all deform 1 xy erate 0.3 remap v", 2, "none"),
        (AVERAGED, 3, "none"),
        (FEW, 2, "amd64"),
        ("fix 1 all npt temp 1 1 0.5 iso 1 1 5\nfix 2 all aveforce 0.1 NULL 0.0", 2, "none"),
    ];
    let more = [
        ("fix 1 all nvk", 2, "none"),
        ("fix 1 all nve\nfix 2 all temp/csvr 1 1 0.5 4829", 3, "none"),
        ("fix 1 all nve\nfix 2 all deform 1 x scale 1.01 y vel -0.1 remap x", 2, "none"),
        (AVERAGED, 3, "amd64"),
        (FEW, 3, "none"),
        ("fix 1 all npt temp 1 1 0.5 aniso 1 1 5", 2, "none"),
        ("fix 1 all nve\nfix 2 all spring tether 5 4 4 NULL 0\nfix 3 all deform 1 x erate 0.1", 2, "none"),
        ("fix 1 all nvt temp 1 1 0.5", 2, "none"),
        ("fix 1 all npt temp 1 1 0.5 iso 1 1 5", 3, "amd64"),
        ("fix 1 all nve\nfix 2 all temp/csld 1 1 0.5 4829", 2, "none"),
        ("fix 1 all nve\nfix 2 all press/berendsen iso 1 1 5", 2, "none"),
        ("fix 1 all npt temp 1 1 0.5 y 1 1 5 z 1 1 5\nfix 2 all deform 1 x erate 0.1", 2, "none"),
    ];
    let more = more.into_iter().filter(|_| full());
    for (k, (fixes, ranks, shape)) in cases.into_iter().chain(more).enumerate() {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        fs::write(dir.path().join("in"), run(fixes)).unwrap();
        let (device, rehearsed) = (["-device", "Portable"], [("CLAMPS_REHEARSE", shape)]);
        let on_cpu = shape == "none";
        let (words, environment) = if on_cpu { (&[][..], &[][..]) } else { (&device[..], &rehearsed[..]) };
        let (come, _) = same_as_alone(launcher, ranks, dir.path(), words, environment);
        // Among three half of the atoms are near a border.
        assert!(come > 20 || ranks > 2, "{fixes}: {come} atoms have moved");
    }
}

/// So many atoms that GPUs have their lists in tiles, of which those near borders come first.
const BORDERS: &str = "units lj
lattice fcc 0.8442
region b block 0 40 0 26 0 26
create_box 1 b
create_atoms 1 box
mass 1 1
velocity all create 3.0 87287 loop geom
velocity all set 3.0 1.0 -2.0 sum yes
pair_style lj/cut 2.5
pair_coeff 1 1 1 1
neighbor 0.3 bin
neigh_modify every 4 delay 0 check no
fix 1 all nve
thermo 3
thermo_style custom step temp pe press pxy
run 7
neigh_modify every 1 check yes
dump 1 all custom 4 dump id x y z vx vy vz
thermo_style custom step temp pe fmax fnorm
run 6
unfix 1
fix 1 all nvt temp 3 3 0.5
thermo_style custom step temp pe press
run 5
undump 1
unfix 1
fix 1 all nve
thermo 20
run 14
";

#[test]
fn blocks_near_borders_come_first_on_gpus() {
    in_third!(3);
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), BORDERS).unwrap();
    let run = |ranks| {
        let words = ["-json", "json", "-device", "Portable"];
        let (log, _) = log_of(launcher, ranks, dir.path(), &words, &[("CLAMPS_REHEARSE", "amd64")]);
        let json: serde_json::Value =
            serde_json::from_slice(&fs::read(dir.path().join("json")).unwrap()).unwrap();
        let names =
            [(0, "fused_step"), (0, "pick_blocks"), (2, "pair_force"), (0, "build_list"), (3, "build_list")];
        let calls = names.map(|(run, name)| {
            let kernels = json["runs"][run]["kernels"].as_array().unwrap();
            let kernel = kernels.iter().find(|kernel| kernel["name"] == name);
            kernel.map_or(0, |kernel| kernel["calls"].as_u64().unwrap())
        });
        (calls, log, fs::read(dir.path().join("dump")).unwrap())
    };
    let ([_, none, _, once, also_once], one_log, one_dump) = run(1);
    let ([steps, picked, forces, lists, also_lists], log, dump) = run(2);
    assert!(
        none == 0 && picked > 0 && steps > 0 && steps % 2 == 0,
        "{steps} launches, {picked} blocks picked"
    );
    assert!(forces >= 5, "{forces} launches of forces in two parts");
    // Lists of inner blocks in parts: two and three to a rebuild, and one of those near borders.
    assert!(lists == 3 * once && once > 0, "{lists} launches for {once} rebuilds");
    assert!(also_lists == 4 * also_once && also_once > 0, "{also_lists} launches for {also_once} rebuilds");
    assert_eq!(one_log, log);
    assert!(one_dump == dump, "other frames");
}

/// The same, pressed together: lists grow behind rebuilds whose inner lists are built beside the exchanges.
const PRESSED: &str = "units lj
lattice fcc 0.8442
region b block 0 40 0 26 0 26
create_box 1 b
create_atoms 1 box
mass 1 1
velocity all create 1.44 87287 loop geom
velocity all ramp vx 150 -150 x 0 40 sum yes units lattice
pair_style soft 2.5
pair_coeff 1 1 10.0
neighbor 0.3 bin
neigh_modify every 4 delay 0 check no one 90
timestep 0.001
fix 1 all nve
dump 1 all custom 36 dump id x y z vx vy vz
thermo 12
run 36
";

#[test]
fn lists_grow_while_ranks_tell_one_another_of_atoms() {
    in_third!(2);
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), PRESSED).unwrap();
    let (come, told) =
        same_as_alone(launcher, 2, dir.path(), &["-device", "Portable"], &[("CLAMPS_REHEARSE", "amd64")]);
    assert!(come > 1000, "{come} atoms have moved");
    let behind = told.lines().skip_while(|line| !line.contains(" atoms have come from other ranks"));
    let grown =
        behind.filter(|line| line.contains("room for ") && line.ends_with(" wanted: growing")).count();
    assert!(grown > 1, "{told}");
}

/// Where forces become no smaller in mixed precision, all ranks go on in double precision at the same step.
#[test]
fn a_search_goes_on_in_double_precision() {
    in_third!(1);
    let Some(launcher) = launchers().into_iter().next() else { return };
    let script = "units lj\ndimension 2\nlattice sq2 0.8442\nregion b block 0 24 0 10 -0.1 0.1\ncreate_box 1 b\ncreate_atoms 1 box\n\
                  mass 1 1\ndisplace_atoms all random 0.1 0.1 0 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\n\
                  dump 1 all custom 100 dump id x y fx fy\nthermo 100\nminimize 0 1e-7 2000 4000\nfix 1 all nve\nrun 20\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), script).unwrap();
    let run = |ranks| {
        let (log, _) = log_of(launcher, ranks, dir.path(), &["-precision", "mixed"], &[]);
        (log, fs::read(dir.path().join("dump")).unwrap())
    };
    let ((alone, one), (several, two)) = (run(1), run(2));
    assert_eq!(alone, several);
    assert!(one == two, "other frames");
    assert!(alone.contains("the search goes on in double precision"), "{alone}");
}

/// Faces that follow hot atoms, so that the box outgrows its cells, while rows show sums alone.
#[test]
fn a_box_that_grows() {
    let Some(launcher) = launchers().into_iter().next() else { return };
    let script = "units lj\nboundary p p s\nlattice fcc 0.8442\nregion b block 0 12 0 12 0 14\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  velocity all create 12.0 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nneighbor 0.3 bin\n\
                  neigh_modify every 5 delay 0 check no\nfix 1 all nve\ntimestep 0.004\nthermo 40\nthermo_style custom step temp pe press zlo zhi\n\
                  run 300\nneigh_modify every 1 check yes\nrun 200\nwrite_data data\n";
    let [one, two] = [1, 2].map(|ranks| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("in"), script).unwrap();
        let (log, _) = log_of(launcher, ranks, dir.path(), &[], &[]);
        (log, fs::read_to_string(dir.path().join("data")).unwrap())
    });
    assert_eq!(one.0, two.0);
    assert!(one.1 == two.1, "other atoms");
}

/// Two atoms that fly apart, so that the run is set up anew, with positions in other units, wherever the box has grown many times
/// over: at the same steps however often rows are shown, and on however many ranks.
#[test]
fn a_box_that_grows_is_set_up_anew_at_the_same_steps() {
    in_third!(3);
    let script = |thermo: u32| {
        format!(
            "atom_modify sort 0 0\nboundary s s s\nregion b block 0 4 0 4 0 4\ncreate_box 1 b\ncreate_atoms 1 single 1 1 1\n\
             create_atoms 1 single 3 3 3\nmass 1 1\npair_style lj/cut 2.5\npair_coeff * * 1 1\nneighbor 2.0 nsq\ngroup a id 1\n\
             velocity all set 1000 900 1000\nvelocity a set -1000 -1000 -1000\nfix 1 all nve\ntimestep 0.0005\n\
             thermo_style custom step lx ly pe\nthermo_modify format float %.17g\nthermo {thermo}\nrun 1000\n"
        )
    };
    let run = |launcher, ranks, precision: &str, thermo| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("in"), script(thermo)).unwrap();
        let (log, _) = log_of(launcher, ranks, dir.path(), &["-precision", precision], &[]);
        let lasts = |line: &&str| {
            let step = line.split_whitespace().next().and_then(|word| word.parse::<u32>().ok());
            step.is_some_and(|step| step.is_multiple_of(500)) || line.starts_with("Neighbor list builds")
        };
        log.lines().filter(lasts).map(str::to_owned).collect::<Vec<_>>()
    };
    let launchers = launchers();
    let launcher = launchers.first().copied();
    for (precision, others) in
        [("single", [(1, 10), (1, 100), (2, 10)]), ("mixed", [(1, 10), (2, 10), (3, 100)])]
    {
        let one = run("", 1, precision, 500);
        assert_eq!(one.len(), 4, "{one:?}");
        for (ranks, thermo) in others.into_iter().filter(|(ranks, _)| *ranks == 1 || launcher.is_some()) {
            let other = run(launcher.unwrap_or_default(), ranks, precision, thermo);
            assert_eq!(other, one, "{precision}, {ranks} ranks, thermo {thermo}");
        }
    }
}

#[test]
fn more_ranks_than_blocks_of_atoms() {
    // And with none at all: some ranks have nothing to tell then, or all of them.
    let script = "units lj\nlattice fcc 0.8442\nregion b block 0 2 0 2 0 2\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  velocity all create 1.0 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve\nthermo 5\nrun 20\ndelete_atoms group all\nrun 5\n";
    for launcher in by_turns(0, &launchers()) {
        let logs = [1, 5].map(|ranks| {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("in"), script).unwrap();
            log_of(launcher, ranks, dir.path(), &[], &[]).0
        });
        assert_eq!(logs[0], logs[1], "{launcher}");
    }
}

#[test]
fn an_error_is_told_once() {
    for launcher in by_turns(1, &launchers()) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("in"), "units lj\npair_style nosuch 2.5\n").unwrap();
        fs::write(dir.path().join("replicas"), "units lj\ntemper 100 10 1.0 1 0 58728\n").unwrap();
        let cases: [(&[&str], &str); 6] = [
            (&["-in", "in", "-partition", "2x1"], "LAMMPS option -partition is not supported by CLAMPS"),
            (
                &["-in", "replicas", "-log", "none"],
                "LAMMPS command 'temper' is not supported by CLAMPS (replicas:2)",
            ),
            (&["-in", "in", "-log", "none"], "unknown pair style 'nosuch' (in:2)"),
            (&["-in", "in", "-log", "/nosuch/log"], "there is no folder /nosuch"),
            (&["-nosuch"], "unexpected argument '--nosuch'"),
            (&["-in", "missing"], "missing"),
        ];
        side_by_side(cases, |(words, error)| {
            let done = finish(on_ranks(launcher, 2, dir.path(), words));
            let told = text(&done.stderr);
            assert_eq!(told.matches(error).count(), 1, "{launcher} {words:?}: {told}");
            assert_eq!(done.status.code(), Some(1), "{launcher} {words:?}: {told}");
            assert!(!told.contains("rank"), "{launcher}: {told}");
        });
    }
}

/// What LAMMPS's scripts say of grids of processors is right for as many ranks as they name, and moves no atom.
#[test]
fn grids_of_processors_are_of_as_many_as_there_are() {
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    let script = |grid: &str, cut: &str| {
        format!(
            "units lj\n{grid}\nlattice fcc 0.8442\nregion b block 0 4 0 3 0 3\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n{cut}\n\
             velocity all create 1.0 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve\nfix 2 all balance 5 1.1 shift xyz 5 1.1\n\
             thermo 5\nrun 10\n"
        )
    };
    let run = |ranks, grid: &str, cut: &str| {
        fs::write(dir.path().join("in"), script(grid, cut)).unwrap();
        log_of(launcher, ranks, dir.path(), &[], &[]).0
    };
    const GRID: &str = "# two\n\n2 1 1\n0 1 1 1\n1 2 1 1\n";
    fs::write(dir.path().join("grid"), GRID).unwrap();
    let rows = |log: &str| {
        log.lines().skip_while(|line| !line.contains("Step")).map(str::to_owned).collect::<Vec<_>>()
    };
    let one = rows(&run(1, "processors 1 1 1", "balance 1.1 x uniform"));
    assert!(one.len() > 3, "{one:?}");
    for (grid, cut, remarks) in [
        ("processors 2 1 1 map xyz file none", "balance 0.9 x 0.6", 2),
        ("processors 2 * * grid twolevel 2 2 * 1", "balance 0.9 x 0.4 y uniform", 2),
        ("processors * 1 1 grid custom grid", "comm_modify cutoff 4.0 vel yes mode multi/old", 1),
        ("processors * * * grid numa\ncomm_style tiled", "balance 1.0 rcb", 2),
    ] {
        let log = run(2, grid, cut);
        assert_eq!(rows(&log), one, "{grid}");
        assert_eq!(log.matches("by themselves").count(), remarks, "{log}");
    }
    let refused = [
        (
            "processors 2 2 1",
            "",
            "a grid of 2 x 2 x 1 processors is not to be had: this run has 2 processes (in:2)",
        ),
        (
            "processors 3 * *",
            "",
            "a grid of 3 x * x * processors is not to be had: this run has 2 processes (in:2)",
        ),
        ("processors 1 2 1 grid custom grid", "", "grid:3: another grid than processors asks for"),
        ("processors * 2 * grid numa", "", "grid numa goes with * and 1"),
        ("processors 1 2 1", "balance 1.1 x 0.5", "1 planes are more than 0"),
        ("processors 2 1 1", "balance 1.1 x 0.5 0.7", "2 planes are more than 1"),
    ];
    side_by_side(refused, |(grid, cut, error)| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("grid"), GRID).unwrap();
        fs::write(dir.path().join("in"), script(grid, cut)).unwrap();
        let done = finish(on_ranks(launcher, 2, dir.path(), &["-in", "in", "-log", "none"]));
        let told = text(&done.stderr);
        assert_eq!((told.matches(error).count(), done.status.code()), (1, Some(1)), "{grid}: {told}");
    });
}

/// A slab beside a gas, whose atoms have few neighbours: `balance` and `fix balance` give ranks as much work each, and no atom another place.
#[test]
fn ranks_have_as_much_work_where_a_script_asks_for_it() {
    in_third!(3);
    let script = |lines: &str| {
        format!(
            "units lj\nlattice fcc 0.8442\nregion b block 0 60 0 8 0 8\ncreate_box 1 b\nregion slab block 0 6 0 8 0 8\ncreate_atoms 1 region slab\n\
             lattice fcc 0.1\nregion gas block 11 100 0 13 0 13 units box\ncreate_atoms 1 region gas\nmass 1 1\ngroup few id 1:500\n\
             velocity all create 1.0 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nneighbor 0.3 bin\n\
             neigh_modify every 10 delay 0 check no\nfix 1 all nve\nthermo_style custom step temp pe press\n\
             dump 1 all custom 30 dump id x y z vx ix\nthermo 30\n{lines}\nrun 60\n"
        )
    };
    const VALUES: &str = "thermo_style custom step f_2 f_2[1] f_2[2] f_2[3]";
    let run = |launcher: &str, ranks, lines: &str| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("in"), script(lines)).unwrap();
        let words = ["-in", "in", "-log", "log", "-screen", "none"];
        let done = finish_job(&mut on_ranks(launcher, ranks, dir.path(), &words));
        assert!(done.status.success(), "{}", text(&done.stderr));
        let log = fs::read_to_string(dir.path().join("log")).unwrap();
        (log, fs::read(dir.path().join("dump")).unwrap())
    };
    // The numbers of a line of the log: imbalance before and after, or values of the fix.
    let numbers = |log: &str, begin: &str| -> Vec<f64> {
        let line =
            log.lines().rfind(|line| line.trim_start().starts_with(begin)).unwrap_or_else(|| panic!("{log}"));
        line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
    };
    let (log, atoms) = run("", 1, &format!("fix 2 all balance 20 1.1 shift x 10 1.1\n{VALUES}"));
    let rows = |log: &str| -> Vec<String> {
        let rows = log
            .lines()
            .skip_while(|line| !line.contains("Step"))
            .take_while(|line| !line.starts_with("Loop"));
        rows.map(str::to_owned).collect()
    };
    let plain = rows(&run("", 1, "").0);
    assert!(plain.len() > 3, "{plain:?}");
    let created =
        log.lines().filter_map(|line| line.strip_prefix("Created ")?.split(' ').next()?.parse::<f64>().ok());
    let count: f64 = created.sum();
    assert_eq!(numbers(&log, "60 "), [60.0, 1.0, count, 0.0, 1.0], "{log}");
    let launchers = launchers();
    let cases = [(2, "shift xyz 10 1.05"), (3, "shift x 5 1.1 weight time 1.0")];
    for (k, (ranks, how)) in cases.into_iter().enumerate() {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        let (log, moved) = run(launcher, ranks, &format!("balance 1.1 {how}"));
        let found = numbers(&log, "Shares of the ranks:");
        assert!(found[0] > 1.15 && found[1] < 1.07, "{found:?}: {log}");
        assert!(moved == atoms, "{ranks} ranks: other frames");
        assert_eq!(rows(&log), plain, "{ranks} ranks");
        let (log, moved) = run(launcher, ranks, &format!("fix 2 all balance 20 1.1 {how}\n{VALUES}"));
        let [first, last] = ["0 ", "60 "].map(|step| numbers(&log, step));
        assert!(first[1] > 1.15 && first[4] == first[1] && first[3] == 1.0, "{first:?}");
        assert!(last[1] < 1.1 && (last[2] * ranks as f64 / (last[1] * count) - 1.0).abs() < 1e-6, "{last:?}");
        assert!(moved == atoms, "{ranks} ranks: other frames");
    }
    let Some(launcher) = launchers.first() else { return };
    // Of 500 atoms each counts as ten, and no list.
    let (log, moved) = run(launcher, 2, "balance 1.05 shift x 5 1.1 weight group 1 few 10.0");
    let found = numbers(&log, "Shares of the ranks:");
    assert!(found[0] > 1.15 && found[1] < 1.07, "{found:?}: {log}");
    assert!(moved == atoms, "weights of a group: other frames");
    // Shares last over runs and minimizations.
    const AGAIN: &str = "balance 1.1 shift x 5 1.1";
    let (log, _) = run(launcher, 2, &format!("{AGAIN}\nminimize 0 0 2 9\n{AGAIN}"));
    let said: Vec<bool> = log
        .lines()
        .filter(|line| line.starts_with("Shares of the ranks"))
        .map(|line| line.contains("stay"))
        .collect();
    assert_eq!(said, [false, true], "{log}");
    let (log, _) = run(launcher, 2, &format!("fix 2 all balance 20 1.1 report\n{VALUES}"));
    assert!(numbers(&log, "60 ")[1] > 1.15, "{log}");
}

/// Weights that a script gives are shared out by the parts that `-shares` names. A cold crystal has one weight in the first half of the curve
/// through the box and another one in the second: how much work each rank has follows from how many atoms it has.
#[test]
fn weights_are_shared_out_by_parts() {
    const HALF: usize = 432;
    let script = |lines: &str, thermo: &str| {
        format!(
            "units lj\nlattice fcc 0.8442 origin 0.1 0.1 0.1\nregion b block 0 54 0 2 0 2\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
             region left block INF 27 INF INF INF INF\ngroup left region left\ngroup right subtract all left\n\
             variable w atom 1.0+5.0*(x<0.5*lx)\nvelocity all create 0.0001 87287 loop geom\n\
             pair_style lj/cut 2.5\npair_coeff 1 1 1 1\nneighbor 0.3 bin\nneigh_modify every 10 delay 0 check no\nfix 1 all nve\n\
             dump 1 all custom 30 dump id x y z vx ix\nthermo 15\nrun 0\n{lines}\nthermo_style custom step temp pe press {thermo}\nrun 30\n"
        )
    };
    let run = |launcher: &str, ranks: usize, shares: &str, lines: &str, thermo: &str| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("in"), script(lines, thermo)).unwrap();
        let mut words = vec!["-in", "in", "-log", "log", "-screen", "none", "-json", "json"];
        words.extend(["-shares", shares].into_iter().filter(|_| !shares.is_empty()));
        let done = finish_job(&mut on_ranks(launcher, ranks, dir.path(), &words));
        assert!(done.status.success(), "{}", text(&done.stderr));
        let json: serde_json::Value =
            serde_json::from_slice(&fs::read(dir.path().join("json")).unwrap()).unwrap();
        // How many atoms each rank has at the end of a run.
        let own = json["runs"].as_array().unwrap().iter().map(|run| {
            let ranks = run["ranks"].as_array().map_or(&[][..], |ranks| ranks);
            let own = ranks.iter().map(|rank| rank["counts"]["local"].as_u64().unwrap() as usize);
            own.collect::<Vec<_>>()
        });
        let log = fs::read_to_string(dir.path().join("log")).unwrap();
        (log, fs::read(dir.path().join("dump")).unwrap(), own.collect::<Vec<_>>())
    };
    let rows = |log: &str| -> Vec<Vec<String>> {
        let (_, last) = log.rsplit_once("   Step ").unwrap();
        let rows = last.lines().skip(1).take_while(|line| !line.starts_with("Loop"));
        rows.map(|row| row.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let (log, frames, _) = run("", 1, "", "", "");
    let plain = rows(&log);
    assert_eq!(plain.len(), 3, "{plain:?}");
    let launchers = launchers();
    // Parts that are due, and the weights of the two halves.
    let cases: [(&str, &[f64], &str, [f64; 2]); 4] = [
        ("", &[0.5, 0.5], "weight var w", [6.0, 1.0]),
        ("3,1", &[0.75, 0.25], "weight group 2 left 4.0 all 2.5", [10.0, 2.5]),
        ("1,2,1", &[0.25, 0.5, 0.25], "weight var w weight group 1 right 0.5", [6.0, 0.5]),
        ("1,0,3", &[0.25, 0.0, 0.75], "weight var w", [6.0, 1.0]),
    ];
    for (k, (shares, dues, weight, [of_left, of_right])) in cases.into_iter().enumerate() {
        let Some(launcher) = launchers.get(k % launchers.len().max(1)) else { return };
        let ranks = dues.len();
        let work =
            |atoms: usize| of_left * atoms.min(HALF) as f64 + of_right * atoms.saturating_sub(HALF) as f64;
        let all = work(2 * HALF);
        // The most work over the due, of so many atoms of each rank.
        let counted = |own: &[usize]| {
            assert!(own.len() == ranks && own.iter().sum::<usize>() == 2 * HALF, "{own:?}");
            let mut before = 0;
            let of_ranks = own.iter().map(|own| {
                before += own;
                (work(before) - work(before - own)) / all
            });
            let of_dues = of_ranks.zip(dues).filter(|(_, due)| **due > 0.0).map(|(work, due)| work / due);
            of_dues.fold(0.0, f64::max)
        };
        let near = |a: f64, b: f64, part: f64| (a - b).abs() < part * b;
        for (command, thermo) in
            by_turns(k, &[("balance", ""), ("fix 2 all balance 10", "f_2 f_2[1] f_2[2] f_2[3]")])
        {
            let lines = format!("{command} 1.05 shift x 10 1.05 {weight}");
            let (log, moved, own) = run(launcher, ranks, shares, &lines, thermo);
            let rows = rows(&log);
            let first: Vec<Vec<String>> = rows.iter().map(|row| row[..4].to_vec()).collect();
            assert_eq!(first, plain, "{lines} -shares {shares}: {log}");
            assert!(moved == frames, "{lines} -shares {shares}: other frames");
            let (uneven, even) = (counted(&own[0]), counted(&own[1]));
            // Whole blocks of cells are one rank's.
            assert!(uneven > 1.15 && even < 1.1, "{lines} -shares {shares}: {uneven}, {even}");
            if thermo.is_empty() {
                let told = log.lines().find(|line| line.starts_with("Shares of the ranks:")).unwrap();
                let told: Vec<f64> = told.split(' ').filter_map(|word| word.parse().ok()).collect();
                let is = near(told[0], uneven, 6e-4) && near(told[1], even, 6e-4); // four digits
                assert!(is, "{lines} -shares {shares}: {uneven}, {even}: {told:?}");
                continue;
            }
            for (row, now, moves) in [(0, uneven, 1.0), (2, even, 0.0)] {
                let values: Vec<f64> = rows[row][4..].iter().map(|word| word.parse().unwrap()).collect();
                let is = near(values[0], now, 1e-6)
                    && near(values[1], now * all / ranks as f64, 1e-6)
                    && values[2] == moves
                    && near(values[3], now, 1e-6);
                assert!(is, "{lines} -shares {shares}: {values:?}, counted {now}");
            }
        }
    }
}

#[test]
fn processes_that_do_not_know_of_one_another_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), "print hello\n").unwrap();
    side_by_side(launchers(), |launcher| {
        let other = match launcher {
            "mpirun.mpich" if is_there("mpirun.openmpi") => "libmpi.so.40",
            "mpirun.openmpi" if is_there("mpirun.mpich") => "libmpich.so.12",
            _ => return,
        };
        let done = finish(on_ranks(launcher, 2, dir.path(), &["-in", "in", "-log", "none", "-mpi", other]));
        let told = text(&done.stderr);
        assert_eq!(told.matches("sees each of them as the only one").count(), 1, "{launcher}: {told}");
        assert!(told.contains("-mpi PATH"), "{launcher}: {told}");
        assert!(!text(&done.stdout).contains("hello"), "{launcher}");
        let done = finish(on_ranks(
            launcher,
            2,
            dir.path(),
            &["-in", "in", "-log", "none", "-mpi", "/no/libmpi.so"],
        ));
        let told = text(&done.stderr);
        assert_eq!(told.matches("cannot load a library of MPI").count(), 1, "{launcher}: {told}");
        let done = finish(on_ranks(launcher, 2, dir.path(), &["-in", "in", "-log", "none", "-mpi", "none"]));
        assert_eq!(text(&done.stdout).matches("hello").count(), 2, "{launcher}: two runs");
    });
}

#[test]
fn alone_no_library_is_looked_for() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), "print hello\n").unwrap();
    let run = |library: Option<&str>| {
        let mut command = command(PROGRAM, dir.path());
        command.args(["-in", "in", "-log", "none"]);
        command.envs(library.map(|library| ("CLAMPS_MPI", library)));
        finish(command)
    };
    let done = run(None);
    assert!(done.status.success() && !text(&done.stdout).contains("MPI"), "{}", text(&done.stdout));
    let told = text(&run(Some("/no/libmpi.so")).stderr);
    assert!(told.contains("cannot load a library of MPI: /no/libmpi.so"), "{told}");
}

/// A device for each rank, by a list; one with more devices than ranks is a mistake.
#[test]
fn a_list_has_a_device_for_each_rank() {
    let script = "units lj\nlattice fcc 0.8442\nregion b block 0 4 0 4 0 4\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  velocity all create 1.0 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve\nthermo 5\nrun 10\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), script).unwrap();
    let refused = |launcher: &str, ranks: usize, list: &str, error: &str| {
        let words = ["-in", "in", "-log", "none", "-device", list];
        let done = finish(on_ranks(launcher, ranks, dir.path(), &words));
        let told = text(&done.stderr);
        assert_eq!((told.matches(error).count(), done.status.code()), (1, Some(1)), "{list}: {told}");
    };
    refused("", 1, "cpu,cpu", "`cpu,cpu` names 2 devices for one process");
    refused("", 1, "cpu,nosuch", "`cpu,nosuch` names 2 devices for one process");
    let Some(launcher) = launchers().into_iter().next() else { return };
    let run = |ranks, list| log_of(launcher, ranks, dir.path(), &["-device", list], &[]).0;
    let one = run(1, "Portable");
    for (ranks, list) in
        [(2, "Portable,Portable"), (3, "Portable,Portable"), (3, "Portable, Portable, Portable")]
    {
        assert_eq!(run(ranks, list), one, "{list} on {ranks}");
    }
    let lists = [
        ("cpu,cpu,cpu", "`cpu,cpu,cpu` names 3 devices for the 2 ranks of this machine"),
        ("cpu,nosuch", "there is no OpenCL device `nosuch`"),
    ];
    side_by_side(lists, |(list, error)| refused(launcher, 2, list, error));
}

/// A melt whose box moves, with ghosts enough that ranks know their own atoms alone; what a fix averages decides when it ends.
const UNLIKE: &str = "units lj\nlattice fcc 0.8442\nregion b block 0 12 0 9 0 9\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                      velocity all create 1.44 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\n\
                      neighbor 0.3 bin\nneigh_modify every 1 delay 0 check yes\nfix 1 all nve\n\
                      compute e all pe/atom\ncompute s all reduce sum c_e\nthermo_style custom step temp press pe c_s\n\
                      thermo_modify format float %.12g\nthermo 5\nrun 20\n\
                      unfix 1\nfix 1 all npt temp 1 1 0.5 iso 1 1 5\nrun 10\n\
                      unfix 1\nminimize 0 0 5 20\nfix 1 all nve\nfix 2 all aveforce 0 0 0\nrun 10\n";

/// Devices of different kinds share a run, here a CPU and a CPU that has the shapes of a GPU: what comes of it is what one of them finds, but
/// for rounding; with the same shares it is the same each time.
#[test]
fn devices_of_different_kinds_share_a_run() {
    in_third!(2);
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), UNLIKE).unwrap();
    let words = |more: &[&'static str]| {
        [&["-in", "in", "-log", "none", "-precision", "double", "-device", "Portable"][..], more].concat()
    };
    let rows = |done: Output| -> (Vec<Vec<f64>>, String) {
        let log = text(&done.stdout);
        assert!(done.status.success(), "{log}{}", text(&done.stderr));
        let numbers =
            |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>();
        (log.lines().filter_map(numbers).filter(|row| row.len() == 5).collect(), log)
    };
    let together = |more: &[&'static str]| {
        let mut command = command(launcher, dir.path());
        command.args(["-np", "1", PROGRAM]).args(words(more)).arg(":");
        command.args(["-np", "1", "env", "CLAMPS_REHEARSE=amd64", PROGRAM]).args(words(more));
        rows(finish(command))
    };
    let (alone, _) = rows(finish(on_ranks("", 1, dir.path(), &words(&[]))));
    assert!(alone.len() > 10, "{alone:?}");
    let (both, log) = together(&[]);
    for words in ["one of 2 devices of different kinds", "Shares of the atoms: ", "ranks share out its cores"]
    {
        assert!(log.contains(words), "{words}: {log}");
    }
    assert_eq!(alone.len(), both.len(), "{log}");
    for (one, two) in alone.iter().flatten().zip(both.iter().flatten()) {
        assert!((one - two).abs() <= 1e-8 * one.abs().max(1.0), "{one} and {two}: {log}");
    }
    let (three_to_one, log) = together(&["-shares", "3,1"]);
    let most: Option<f64> = log
        .lines()
        .rfind(|line| line.starts_with("Nlocal:"))
        .and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
    assert!(most.is_some_and(|most| (2600.0..3300.0).contains(&most)), "{most:?} of 3888: {log}");
    assert_eq!(three_to_one, together(&["-shares", "3,1"]).0);
    let refused = [
        ("1", "-shares has 1 numbers, and there are 2 ranks"),
        ("1,-1", "-shares takes numbers that are not negative"),
        ("0,0", "-shares leaves all ranks without atoms"),
        ("1e308,1e308", "-shares takes numbers whose sum is one"),
    ];
    side_by_side(refused, |(shares, error)| {
        let mut command = on_ranks(launcher, 2, dir.path(), &words(&[]));
        let done = finish_with(command.arg(format!("-shares={shares}")));
        let told = text(&done.stderr);
        assert_eq!((told.matches(error).count(), done.status.code()), (1, Some(1)), "{shares}: {told}");
    });
}

/// What a rank alone meets it tells itself, and ends the others. It comes through whole.
#[test]
fn a_rank_that_fails_alone_says_so() {
    in_third!(3);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), "print hello\n").unwrap();
    let check = |launcher: &'static str| {
        let mut command = command(launcher, dir.path());
        command.args(["-np", "1", PROGRAM, "-in", "in", "-log", "none", ":"]);
        command.args(["-np", "1", PROGRAM, "-in", "in", "-log", "none", "-device", "nosuch"]);
        let done = finish(command);
        let told = text(&done.stderr);
        assert!(!done.status.success(), "{launcher}: {told}");
        for words in ["rank 1 of 2 has failed", "no OpenCL device `nosuch`", "choose with gpu, cpu"] {
            assert_eq!(told.matches(words).count(), 1, "{launcher}: {told}");
        }
    };
    // A device that has been opened is named.
    let atoms = "lattice fcc 1\nregion b block 0 4 0 4 0 4\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                 pair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve\nrun 1\n";
    fs::write(dir.path().join("atoms"), atoms).unwrap();
    let check_device = |launcher: &'static str| {
        let words = ["-in", "atoms", "-log", "none", "-device", "Portable"];
        let mut command = command(launcher, dir.path());
        command.args(["-np", "1", PROGRAM]).args(words).arg(":");
        command
            .args(["-np", "1", "env", "CLAMPS_BREAK=pair/lj_cut.cl|r6inv * FMA|r7inv * FMA", PROGRAM])
            .args(words);
        let told = text(&finish(command).stderr);
        let named = told.split("rank 1 of 2 (").nth(1).and_then(|rest| rest.split_once(") has failed"));
        assert!(named.is_some_and(|(device, _)| !device.is_empty()), "{launcher}: {told}");
        assert!(told.contains("r7inv"), "{launcher}: {told}");
    };
    side_by_side(launchers().into_iter().flat_map(|launcher| [launcher; 2]), check);
    side_by_side(launchers(), check_device);
}

/// Lists are most of what a device has to hold: each rank makes room for its share, from the first list on.
#[test]
fn lists_take_room_for_a_share() {
    let Some(launcher) = launchers().into_iter().next() else { return };
    let script = "units lj\nlattice fcc 0.8442\nregion b block 0 20 0 20 0 20\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  velocity all create 1.44 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve\nthermo 5\nrun 5\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), script).unwrap();
    let run = |ranks| {
        let (log, _) = log_of(launcher, ranks, dir.path(), &["-json", "json"], &[]);
        let json: serde_json::Value =
            serde_json::from_slice(&fs::read(dir.path().join("json")).unwrap()).unwrap();
        (json["runs"][0]["memory_bytes"].as_f64().unwrap(), log)
    };
    let (one, one_log) = run(1);
    for (ranks, share) in by_turns(1, &[(2, 0.9), (4, 0.8)]) {
        let (several, log) = run(ranks);
        assert!(several < share * one, "{one} bytes on one rank and {several} on {ranks}");
        assert_eq!(log, one_log);
    }
}

/// Launchers for two machines that are made of this one, each with a network card and shared memory of its own (tests/two_machines.sh).
fn two_machines() -> Vec<&'static str> {
    const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/two_machines.sh");
    static FOUND: OnceLock<Vec<String>> = OnceLock::new();
    let works = |launcher: &&str| {
        let mut trial = command(SCRIPT, Path::new("."));
        trial.args([launcher, "-np", "2", "true"]);
        let done = finish(trial);
        if !done.status.success() {
            let told = text(&done.stderr);
            let why = told.lines().next().unwrap_or("it starts no processes");
            eprintln!(
                "skipped: two machines cannot be made of this one for {launcher} (root can on Linux): {why}"
            );
        }
        done.status.success()
    };
    let known = launchers().into_iter().filter(|launcher| launcher.contains('.'));
    let found =
        FOUND.get_or_init(|| known.filter(works).map(|launcher| format!("{SCRIPT} {launcher}")).collect());
    found.iter().map(|launcher| &**launcher).collect()
}

/// Each machine has records of tuning, variables of the environment and cores for each rank of its own. All ranks follow the first one's, and
/// have the least of what all have.
#[test]
fn ranks_follow_the_first_ones_records_and_environment() {
    let script = "units lj\nlattice fcc 0.8442\nregion b block 0 12 0 6 0 6\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  velocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nneighbor 0.3 bin\n\
                  neigh_modify every 5 delay 0 check no\nfix 1 all nve\nthermo 5\nthermo_modify format float %.15g\n\
                  variable steps getenv STEPS\nrun ${steps}\n";
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), script).unwrap();
    let here = [("CLAMPS_TUNE", "on"), ("CLAMPS_CACHE_DIR", "cache"), ("STEPS", "20")];
    let mut tune = on_ranks(launcher, 1, dir.path(), &["tune", "in", "--patience", "0"]);
    let done = finish_with(tune.envs(here));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let files = fs::read_dir(dir.path().join("cache")).unwrap().map(|entry| entry.unwrap().path());
    let record = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    // As if another shape had been found the fastest.
    let mut kept: serde_json::Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    for (name, value) in [("vector", 4), ("local", 16)] {
        assert_ne!(kept["choice"][name], value, "{kept}");
        kept["choice"][name] = value.into();
    }
    fs::write(&record, kept.to_string()).unwrap();
    let rows = |run: &mut Command, shape: &str| {
        let done = finish_job(run.envs(here));
        let log = text(&done.stdout);
        assert!(done.status.success(), "{log}{}", text(&done.stderr));
        assert!(log.contains(shape), "{log}");
        let rows = log
            .lines()
            .skip_while(|line| !line.contains("Step"))
            .take_while(|line| !line.starts_with("Loop"));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    let words = ["-in", "in", "-log", "none", "-precision", "mixed"];
    let tuned = ("Shape: tuned ", rows(&mut on_ranks(launcher, 1, dir.path(), &words), "vectors of 4,"));
    let off = on_ranks(launcher, 1, dir.path(), &[&words[..], &["-tune", "off"]].concat());
    let shipped = ("Shape: shipped", rows(&mut { off }, "Shape: shipped"));
    assert!(tuned.1.len() == 6 && tuned.1 != shipped.1, "{tuned:?}");
    for (elsewhere, (shape, one)) in [
        (["CLAMPS_CACHE_DIR=other", "STEPS=15"], &tuned),
        (["CLAMPS_TUNE=on", "CLAMPS_WINDOW=2"], &tuned),
        // Who goes without records on one machine does on all.
        (["CLAMPS_TUNE=off", "STEPS=7"], &shipped),
    ] {
        let mut run = command(launcher, dir.path());
        run.args(["-np", "1", PROGRAM]).args(words).args([":", "-np", "1", "env"]);
        run.args(elsewhere).arg(PROGRAM).args(words);
        assert_eq!(rows(&mut run, shape), *one, "{elsewhere:?}");
    }
}

/// Ranks of several machines leave what one leaves: atoms, with all that is known of them, go from machine to machine.
#[test]
fn ranks_of_two_machines_leave_what_one_does() {
    for (k, launcher) in two_machines().into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("in"), DRIFT).unwrap();
        // MPICH may wait at its end, where a machine has several ranks (src/base/ranks/mpi.rs).
        let ranks = if full() || launcher.ends_with("openmpi") { 3 } else { 2 };
        let (come, _) = same_as_alone(launcher, ranks, dir.path(), &["-precision", "mixed"], &[]);
        assert!(come > 100, "{come} atoms have moved");
        let log = fs::read_to_string(dir.path().join("log")).unwrap();
        assert!(
            log.contains(&format!("{ranks} MPI processes, ")) && log.contains(", on 2 machines\n"),
            "{log}"
        );
        for (script, most, precision) in by_turns(k, &MACHINES) {
            same(launcher, ranks.min(most), script, precision);
        }
        // A list is for the ranks of each machine, and no longer than the one with the most of them needs.
        let lines: String = DRIFT.lines().take(13).map(|line| format!("{line}\n")).collect();
        fs::write(dir.path().join("in"), lines + "run 0\n").unwrap();
        let words = ["-in", "in", "-log", "none", "-screen", "none", "-device", "Portable,Portable"];
        let done = finish_job(&mut on_ranks(launcher, ranks, dir.path(), &words));
        let told = text(&done.stderr);
        assert_eq!(done.status.success(), ranks > 2, "{told}");
        assert_eq!(told.contains("names 2 devices for machines of one rank each"), ranks == 2, "{told}");
    }
}

/// Where ranks are many, each sends messages to those near it only, and learns by a maximum over all of a halt elsewhere.
#[test]
fn many_machines_send_messages_to_those_near_them() {
    in_third!(3);
    let Some(launcher) = launchers().into_iter().next() else { return };
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("in"), DRIFT.replace("block 0 20", "block 0 72")).unwrap();
    let (come, told) = same_as_alone(launcher, 10, dir.path(), &[], &[("CLAMPS_WINDOW", "10")]);
    assert!(come > 100, "{come} atoms have moved");
    assert!(told.contains("messages to other machines are for the 2 ranks near this one"), "{told}");
}

/// Machines need not see the same files: the first rank writes, and one that cannot read says so, with its machine.
#[test]
fn a_machine_that_lacks_a_file_is_named() {
    in_third!(2);
    let script = "units lj\nlattice fcc 0.8442\nregion b block 0 8 0 4 0 4\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  velocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve\n\
                  log there/log\ndump 1 all custom 5 there/dump id x y z\nfix 2 all ave/time 1 5 5 c_thermo_temp file there/ave\n\
                  run 10\nwrite_restart there/restart\nwrite_data there/data\nclear\n";
    side_by_side(
        by_turns(0, &two_machines())
            .into_iter()
            .zip(["read_restart there/restart", "pair_style lj/cut 2.5\nread_data there/data"]),
        |(launcher, last)| {
            let dir = tempfile::tempdir().unwrap();
            let there = dir.path().join("there");
            fs::create_dir(&there).unwrap();
            fs::write(dir.path().join("in"), format!("{script}{last}\n")).unwrap();
            let mut command =
                on_ranks(launcher, 2, dir.path(), &["-in", "in", "-log", "none", "-screen", "none"]);
            let done = finish_with(command.env("HIDDEN", &there));
            let told = text(&done.stderr);
            assert!(!done.status.success(), "{launcher}: {told}");
            for words in [
                "rank 1 of 2 on second (",
                "has failed, and ends the others",
                last.rsplit(' ').next().unwrap(),
            ] {
                assert!(told.contains(words), "{launcher}: {words}: {told}");
            }
            for name in ["log", "dump", "ave", "restart", "data"] {
                assert!(there.join(name).metadata().unwrap().len() > 0, "{launcher}: {name}");
            }
        },
    );
}

/// A run that goes on until it is stopped: once it has begun does something to it, and returns how it ended and its log.
#[cfg(unix)]
fn stopped(launcher: &str, act: impl FnOnce(u32)) -> (Output, String, Duration) {
    let dir = tempfile::tempdir().unwrap();
    let script = "include melt.in\nthermo 10\nthermo_modify flush yes\nrun 10000000\n";
    for name in ["melt.in", "system.part"] {
        fs::copy(scripts().join(name), dir.path().join(name)).unwrap();
    }
    fs::write(dir.path().join("long"), script).unwrap();
    let words = ["-in", "long", "-log", "log", "-screen", "none"];
    let mut child = on_ranks(launcher, 2, dir.path(), &words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = || fs::read_to_string(dir.path().join("log")).unwrap_or_default();
    let begun = Instant::now();
    while log().matches("Per MPI rank memory").count() < 2 && begun.elapsed() < LIMIT {
        assert!(child.try_wait().unwrap().is_none(), "{launcher}: {}", log());
        std::thread::sleep(Duration::from_millis(20));
    }
    act(child.id());
    let acted = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if acted.elapsed() > LIMIT {
            let _ = child.kill();
            panic!("{launcher} goes on: {}", log());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let taken = acted.elapsed();
    (child.wait_with_output().unwrap(), log(), taken)
}

/// The ranks that a launcher has started, in the order of their process IDs.
#[cfg(target_os = "linux")]
fn ranks_of(launcher: u32) -> Vec<i32> {
    let stat = |pid: i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let rest = stat.rsplit_once(") ")?.1;
        rest.split(' ').nth(1)?.parse::<i32>().ok()
    };
    let comes_from = |mut pid: i32| {
        while let Some(parent) = stat(pid) {
            if parent == launcher as i32 {
                return true;
            }
            pid = parent;
        }
        false
    };
    let mut found: Vec<i32> = Path::new("/proc")
        .read_dir()
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&pid| {
            let program = fs::read_link(format!("/proc/{pid}/exe"));
            program.is_ok_and(|program| program.ends_with("clamps")) && comes_from(pid)
        })
        .collect();
    found.sort_unstable();
    found
}

#[cfg(target_os = "linux")]
fn kill(signal: &str, pid: i32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_rank_that_is_killed_ends_the_others() {
    for launcher in by_turns(1, &launchers()) {
        let (done, log, taken) = stopped(launcher, |pid| {
            let ranks = ranks_of(pid);
            assert_eq!(ranks.len(), 2, "{launcher}: {ranks:?}");
            kill("-KILL", ranks[1]);
        });
        assert!(!done.status.success(), "{launcher}");
        assert!(!log.contains("Total wall time"), "{launcher}: {log}");
        assert!(taken < Duration::from_secs(20), "{launcher}: {taken:?}");
    }
}

/// A log that was cut off by a signal, and is whole.
#[cfg(target_os = "linux")]
fn was_interrupted(log: &str) -> bool {
    let end: Vec<_> = log.lines().rev().take(2).collect();
    let [begun, ended] = ["Per MPI rank memory", "Loop time of"].map(|line| log.matches(line).count());
    end[0].starts_with("Total wall time") && end[1].starts_with("Interrupted") && begun >= 2 && begun == ended
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_one_rank_ends_all_with_a_whole_log() {
    for launcher in by_turns(0, &launchers()) {
        let (done, log, _) = stopped(launcher, |pid| kill("-INT", ranks_of(pid)[1]));
        assert!(!done.status.success(), "{launcher}");
        assert!(was_interrupted(&log), "{launcher}: {log}");
    }
}

/// The same of ranks of another machine, which have process IDs of their own.
#[cfg(target_os = "linux")]
#[test]
fn what_ends_a_rank_ends_those_of_other_machines() {
    in_third!(1);
    let machine = |pid: i32| fs::read_link(format!("/proc/{pid}/ns/pid")).unwrap();
    let elsewhere = |launcher: u32| {
        let ranks = ranks_of(launcher);
        assert_eq!(ranks.len(), 2, "{ranks:?}");
        ranks.into_iter().find(|rank| machine(*rank) != machine(launcher.cast_signed())).unwrap()
    };
    let cases =
        ["-KILL", "-INT"].map(|signal| two_machines().into_iter().map(move |launcher| (launcher, signal)));
    for (launcher, signal) in by_turns(0, &cases.into_iter().flatten().collect::<Vec<_>>()) {
        let (done, log, taken) = stopped(launcher, |pid| kill(signal, elsewhere(pid)));
        assert!(!done.status.success(), "{launcher} {signal}");
        assert!(taken < Duration::from_secs(20), "{launcher} {signal}: {taken:?}");
        assert_eq!(was_interrupted(&log), signal == "-INT", "{launcher} {signal}: {log}");
    }
}

/// Ctrl-C in a terminal, and what batch systems send: the launcher hands it on, and all ranks end after the same step.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_to_the_launcher_ends_all_with_a_whole_log() {
    for launcher in launchers() {
        // MPICH's kills its ranks on SIGTERM by itself.
        let signals = if launcher == "mpirun.openmpi" { ["-TERM", "-INT"] } else { ["-INT", "-INT"] };
        for signal in by_turns(0, &signals) {
            let (done, log, _) = stopped(launcher, |pid| kill(signal, pid.cast_signed()));
            assert!(was_interrupted(&log), "{launcher} {signal}: {log}\n{}", text(&done.stderr));
        }
    }
}

/// A run that is killed: atoms go from rank to rank, and files of three kinds are written.
const KILLED: &str = "restart 5 r.*
restart 7 turn.a turn.b
dump d all custom 20 d.* id type x y z vx vy vz ix iy iz
dump_modify d sort id format float %.17g
thermo 20
";

/// Forces and motion; after a restart file without the first line.
const MOTION: &str = "fix 1 all nve
fix 2 all langevin 1 1 1 48279
";

/// Restart files by their steps.
fn restart_files(dir: &Path) -> Vec<i64> {
    let names = dir.read_dir().unwrap().flatten().map(|file| file.file_name());
    let mut steps: Vec<i64> =
        names.filter_map(|name| name.to_str()?.strip_prefix("r.")?.parse().ok()).collect();
    steps.sort_unstable();
    steps
}

/// A rank is killed as hard as can be, at a moment that chance decides: the job ends soon, all restart files are whole, and runs that go on
/// from the last one, on as many ranks as one likes, have the bits of one that nobody stopped. `CLAMPS_TEST_KILLS=30` kills so often.
#[cfg(target_os = "linux")]
#[test]
fn killed_jobs_end_and_go_on_from_whole_files() {
    const SOON: Duration = Duration::from_secs(20);
    let kills: usize =
        std::env::var("CLAMPS_TEST_KILLS").map_or(if full() { 3 } else { 1 }, |count| count.parse().unwrap());
    let all = kills > 3;
    let launchers = launchers();
    let mut state = 20_261_127_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let system = DRIFT.split("fix 1").next().unwrap();
    let finished = |dir: &Path, ranks, script: &str| {
        fs::write(dir.join("in"), script).unwrap();
        log_of(launchers[0], ranks, dir, &[], &[]).0
    };
    for turn in 0..if launchers.is_empty() { 0 } else { kills } {
        let launcher = launchers[turn % launchers.len()];
        let ranks = 2 + turn % 2;
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        fs::write(dir.join("long"), format!("{system}{MOTION}{KILLED}run 10000000\n")).unwrap();
        let words = ["-in", "long", "-log", "none", "-screen", "none"];
        let mut child = on_ranks(launcher, ranks, dir, &words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // One turn of five during the start, the others behind the first file.
        let starting = turn % 5 == 1;
        let begun = Instant::now();
        let has_begun = || match starting {
            true => ranks_of(child.id()).len() == ranks,
            false => !restart_files(dir).is_empty(),
        };
        while !has_begun() {
            assert!(begun.elapsed() < LIMIT, "{launcher} does not begin");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_secs_f64(0.5 * random()));
        let victims = ranks_of(child.id());
        let victim = (random() * ranks as f64) as usize;
        kill("-KILL", victims[victim]);
        let killed = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if killed.elapsed() > SOON {
                let _ = child.kill();
                panic!("turn {turn}: {launcher} goes on without rank {victim} of {ranks}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!child.wait().unwrap().success(), "turn {turn}: {launcher}");
        // Ranks that the launcher has told to end may take a moment more.
        while victims.iter().any(|rank| Path::new(&format!("/proc/{rank}/exe")).exists()) {
            assert!(killed.elapsed() < SOON, "turn {turn}: {launcher} has left a rank behind");
            std::thread::sleep(Duration::from_millis(5));
        }
        let steps = restart_files(dir);
        let Some(&last) = steps.last() else {
            assert!(starting, "turn {turn}: no restart file");
            continue;
        };
        let read = |name: &str| format!("read_restart {name}\nclear\n");
        let turns = ["turn.a", "turn.b"].into_iter().filter(|name| dir.join(name).exists());
        let looked_at: String = turns
            .map(read)
            .chain(steps.iter().rev().take(10).map(|step| read(&format!("r.{step}"))))
            .collect();
        finished(dir, 1, &looked_at);
        let end = last + 30;
        let resumed = format!("read_restart r.{last}\n{MOTION}{KILLED}run {end} upto\n");
        let whole = tempfile::tempdir().unwrap();
        finished(whole.path(), 1, &format!("{system}{MOTION}{KILLED}run {end}\n"));
        let frame = format!("d.{}", end / 20 * 20);
        let of = |dir: &Path| fs::read(dir.join(&frame)).unwrap();
        for count in if all { 1..=3 } else { 1 + turn % 3..=1 + turn % 3 } {
            let _ = fs::remove_file(dir.join(&frame));
            finished(dir, count, &resumed);
            let same = of(dir) == of(whole.path());
            assert!(same, "turn {turn}: from {last} of {ranks} ranks to {end} on {count}, {frame}");
        }
    }
}
