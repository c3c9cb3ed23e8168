//! Runs that go wrong, or are ended from outside: a clear message, the exit code, files intact.

use super::{clamps, lammps_folder, tables};
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;

const SYSTEM: &str = "variable n index 4\nvariable rc index 2.5\ninclude system.part\n";

/// Two atoms in one place and one beside them, with a potential of many bodies.
macro_rules! many_body {
    ($style:literal, $file:literal) => {
        concat!(
            "clear\nunits metal\nregion b block 0 30 0 30 0 30\ncreate_box 2 b\nmass * 50\ncreate_atoms 1 single 10 10 10\n\
             create_atoms 2 single 10 10 10\ncreate_atoms 1 single 12.3 10.4 10.2\npair_style ",
            $style,
            "\npair_coeff * * ",
            $file,
            "\nfix 1 all nve\nrun 1"
        )
    };
}

/// What follows [`SYSTEM`], and the words of the message.
const FAILURES: &[(&str, &[&str])] = &[
    (
        "create_atoms 1 single 0 0 0 units box\nrun 1",
        &["potential energy is not finite at step 0", "too close"],
    ),
    // Two atoms in one place, where LAMMPS goes on with energies that are no numbers.
    (
        many_body!("eam/alloy", "eam_alloy.part Aa Bb"),
        &["potential energy is not finite at step 0", "too close"],
    ),
    (many_body!("sw", "sw.part Si Xx"), &["potential energy is not finite at step 0", "too close"]),
    (many_body!("tersoff", "tersoff.part Si Xx"), &["potential energy is not finite at step 0", "too close"]),
    ("timestep 0.5\nrun 200", &["Lost atoms: original", "unstable"]),
    (
        "clear\nunits metal\nregion b block 0 30 0 30 0 30\ncreate_box 2 b\nmass * 50\ncreate_atoms 1 single 10 10 10\n\
         create_atoms 2 single 20 20 20\npair_style lj/cut 5\npair_coeff * * 0.01 2\nvelocity all set 1000 0 0\nfix 1 all nve\n\
         fix 2 all electron/stopping 1 stopping.part minneigh 0\nrun 3",
        &["2 atoms have more kinetic energy than its file knows", "add rows for higher energies"],
    ),
    ("pair_coeff 1 1 1.0 1.0 400\nrun 1", &["GiB of device memory", "GiB free of", "shorter cutoff"]),
    ("run 1\nneighbor 1e30 bin\nrun 1", &["of device memory", "within 1e+30", "shorter cutoff"]),
    ("reset_timestep 9223372036854775807\nrun 1", &["more steps than can be counted"]),
    ("dump 1 all atom 10 /dev/full\nrun 20", &["cannot write /dev/full", "No space left"]),
    ("run 1\nwrite_data /dev/full", &["cannot write /dev/full", "No space left"]),
    (
        "dump 1 all atom 10 missing/dump\nrun 20",
        &["dump: cannot write missing/dump", "there is no folder missing"],
    ),
    ("clear\nread_data missing.data", &["cannot open missing.data", "No such file"]),
    ("mass 1 0\nrun 1", &["mass"]),
    (
        "fix 2 all addforce v_later 0 0\nrun 1",
        &["variable later is not defined", "fix 2 all addforce v_later 0 0", "define it before the run"],
    ),
    (
        "fix 2 all addforce v_later 0 0\nvariable later string x\nrun 1",
        &["variable later is neither of style equal nor of style atom", "fix 2 all addforce v_later 0 0"],
    ),
    ("thermo v_later\nrun 1", &["variable later is not defined"]),
    // Formulas of atoms that the device works out, where LAMMPS stops.
    (
        "variable f atom sqrt(x-1)\nfix 2 all addforce v_f 0 0\nrun 10",
        &["fix 2 (addforce)", "sqrt: negative argument"],
    ),
    (
        "variable f atom x/(step-5)\nfix 2 all addforce v_f 0 0\nrun 10",
        &["fix 2 (addforce): variable f = x/(step-5)", "not a finite number"],
    ),
    (
        "variable f atom ln(vx*0+5.5-step*(id<9))\nfix 2 all setforce v_f NULL NULL\nthermo 5\nrun 20",
        &["fix 2 (setforce)", "ln"],
    ),
    // Nothing moves these atoms.
    (
        "group few id < 9\ngroup others id > 8\nunfix 1\nfix 1 others nve\nvariable f atom sqrt(5.5-step*(id<99))\n\
         fix 2 few setforce v_f NULL NULL\nthermo 10\nrun 20",
        &["fix 2 (setforce)", "sqrt: negative argument"],
    ),
    ("clear\nrun 1", &["box"]),
];

#[test]
fn messages() {
    for (script, expected) in FAILURES {
        let dir = lammps_folder(&[SYSTEM, script].concat());
        let done = clamps(dir.path())
            .args(["-log", "log", "-screen", "none"])
            .write_stdin(format!("{SYSTEM}{script}\n"))
            .assert()
            .code(1)
            .stderr(contains("panicked").not());
        let error = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        let log = fs::read_to_string(dir.path().join("log")).expect("a log");
        for words in *expected {
            assert!(error.contains(words) && log.contains(words), "{script}: '{words}' is not in {error}");
        }
        assert!(error.starts_with("ERROR: "), "{error}");
    }
}

#[test]
fn bonds_lose_their_atoms_only_where_the_script_says_so() {
    let script = fs::read_to_string(super::folder().join("let_go.in")).expect("a script");
    let run = |treatment: &str| {
        let script = script.replace("lost/bond ignore", treatment);
        let dir = lammps_folder(&script);
        let done = clamps(dir.path()).args(["-log", "log", "-screen", "none"]).write_stdin(script).assert();
        (done, fs::read_to_string(dir.path().join("log")).expect("a log"))
    };
    let (done, log) = run("lost/bond error");
    done.code(1).stderr(contains("has lost its other atom").and(contains("thermo_modify lost/bond warn")));
    assert!(!log.contains("WARNING: some bond lost"));
    let (done, log) = run("lost/bond warn");
    done.success();
    assert_eq!(log.matches("WARNING: some bond lost its other atom").count(), 2, "once in each run");
    let (done, log) = run("lost/bond ignore");
    done.success();
    assert!(!log.contains("WARNING: some bond lost"));
}

#[test]
fn lost_atoms_leave_complete_dumps() {
    let dir = lammps_folder(SYSTEM);
    let script = format!("boundary f f f\n{SYSTEM}velocity all scale 9\ndump 1 all atom 5 dump\nrun 100\n");
    clamps(dir.path())
        .write_stdin(script)
        .assert()
        .code(1)
        .stderr(contains("Lost atoms: original 256 current"));
    let dump = fs::read_to_string(dir.path().join("dump")).expect("a dump");
    let frames: Vec<&str> = dump.split_inclusive("ITEM: TIMESTEP\n").skip(1).collect();
    assert!(frames.len() >= 2);
    for frame in frames {
        let frame = frame.trim_end_matches("ITEM: TIMESTEP\n");
        let atoms: usize = frame.lines().nth(2).and_then(|n| n.parse().ok()).expect("a number of atoms");
        assert_eq!(frame.lines().count(), atoms + 8);
    }
}

#[test]
fn truncated_and_broken_data_files() {
    let dir = lammps_folder(SYSTEM);
    let script = format!("{SYSTEM}run 0\nwrite_data whole.data\n");
    clamps(dir.path()).write_stdin(script).assert().success();
    let whole = fs::read_to_string(dir.path().join("whole.data")).expect("a data file");
    let half = &whole[..whole.len() / 4];
    let atom = whole.lines().find(|line| line.starts_with("7 1 ")).expect("atom 7");
    let number = 1 + whole.lines().position(|line| line == atom).expect("atom 7");
    for (text, expected) in [
        (half.to_owned(), "broken.data:".to_owned()),
        (half[..half.rfind('\n').expect("lines") + 1].to_owned(), "256".to_owned()),
        (whole.replace(atom, "7 2 0 0 0 0 0 0"), format!("broken.data:{number}:3")),
        (whole.replace(atom, "7 1 zero 0 0 0 0 0"), format!("broken.data:{number}:5")),
        (whole.replace(atom, "7 1 nan 0 0 0 0 0"), format!("broken.data:{number}:5")),
        (whole.replace(atom, "6 1 0.1 0 0 0 0 0"), format!("broken.data:{number}:1")),
    ] {
        fs::write(dir.path().join("broken.data"), text).expect("written");
        clamps(dir.path())
            .write_stdin("read_data broken.data\n")
            .assert()
            .code(1)
            .stderr(contains(&expected).and(contains("ERROR")).and(contains("panicked").not()));
    }
}

#[test]
fn no_platform_and_no_such_device() {
    let dir = lammps_folder(SYSTEM);
    let script = format!("{SYSTEM}run 1\n");
    clamps(dir.path())
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .write_stdin(&*script)
        .assert()
        .code(1)
        .stderr(contains("no OpenCL platform").and(contains("pocl-opencl-icd")));
    for device in ["no such device", "99", "0:99"] {
        clamps(dir.path())
            .args(["-device", device])
            // Before the first command.
            .write_stdin(format!("print begun\n{script}"))
            .assert()
            .code(1)
            .stderr(contains(format!("no OpenCL device `{device}`")).and(contains("there are: 0")))
            .stdout(contains("begun").not());
    }
}

#[test]
fn timeout_ends_the_run_and_not_the_script() {
    let dir = lammps_folder(SYSTEM);
    let script = format!("timer timeout 0:00:01\n{SYSTEM}thermo 0\nrun 1000000000\nprint after\n");
    clamps(dir.path()).write_stdin(script).assert().success().stdout(contains("\nafter\n"));
    let log = fs::read_to_string(dir.path().join("log.clamps")).expect("a log");
    let rows = &tables(&log)[0].1;
    assert_eq!(rows.len(), 2);
    assert!(log.contains(&format!("for {} steps with 256 atoms", rows[1][0])), "{log}");
}

/// Interrupts a long run after its first frames.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_run_at_the_next_step() {
    for (signal, number, every) in [("-INT", 2, 50), ("-TERM", 15, 1_000_000_000)] {
        let dir = lammps_folder(SYSTEM);
        let script =
            format!("{SYSTEM}thermo {every}\ndump 1 all atom {every} dump\nrun 1000000000\nprint after\n");
        fs::write(dir.path().join("in.long"), script).expect("written");
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("clamps"))
            .args(["-in", "in.long", "-log", "log", "-screen", "screen", "-json", "json"])
            .current_dir(&dir)
            .env("CLAMPS_TUNE", "off")
            .spawn()
            .expect("starts");
        let dump = dir.path().join("dump");
        while fs::metadata(&dump).map_or(0, |data| data.len()) < if every == 50 { 20_000 } else { 5_000 } {
            assert!(child.try_wait().expect("running").is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let id = child.id().to_string();
        assert!(
            std::process::Command::new("kill").args([signal, &id]).status().expect("kill runs").success()
        );
        assert_eq!(child.wait().expect("ended").code(), Some(128 + number));

        let log = fs::read_to_string(dir.path().join("log")).expect("a log");
        let last = tables(&log)[0].1.last().expect("rows")[0];
        assert!(log.contains(&format!("for {last} steps with 256 atoms")), "{log}");
        assert!(log.contains("Neighbor list builds") && log.contains("Total wall time"), "{log}");
        assert!(!log.contains("\nafter\n"));
        let dump = fs::read_to_string(dump).expect("a dump");
        assert_eq!(dump.lines().count() % (256 + 9), 0);
        let frames = dump.lines().filter(|line| *line == "ITEM: TIMESTEP").count();
        assert_eq!(frames, 1 + last as usize / every);
        let json = fs::read_to_string(dir.path().join("json")).expect("a record");
        assert!(json.contains(&format!("\"steps\": {last}")), "{json}");
    }
}
