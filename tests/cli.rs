//! The program from outside: options, standard input, echo, errors, exit codes.

#[macro_use]
mod common;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::path::Path;

/// The program in an empty directory, with no setting of the caller's.
fn clamps(dir: &Path) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command.current_dir(dir).env_remove("CLAMPS_DEVICE").env_remove("RUST_LOG").env("CLAMPS_TUNE", "off");
    command.env("CLAMPS_BUILD", common::cheap_build());
    command
}

fn empty_dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

/// Runs a script from standard input; returns screen and log file without the version line and the wall
/// time.
fn run(script: &str, words: &[&str]) -> (String, String) {
    let dir = empty_dir();
    let done = clamps(dir.path()).args(words).write_stdin(script).assert().success();
    let screen = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    let log = std::fs::read_to_string(dir.path().join("log.clamps")).expect("a log");
    (body(&screen), body(&log))
}

fn body(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    assert!(lines.remove(0).starts_with("CLAMPS (0."), "{text}");
    assert!(lines.pop().expect("an end").starts_with("Total wall time: 0:00:0"), "{text}");
    lines.join("\n")
}

#[test]
fn echo_is_that_of_lammps() {
    // Screen and log as LAMMPS (22 Jul 2025) writes them for this script.
    let script = "variable x index 3 # why\n\n  # c\nvariable q index $x*2 &\n   +1\nprint \"x=$x\"\nprint $x\n\
                  print \"\"\"a\nb $(1+1)\"\"\"\n";
    let (screen, log) = run(script, &[]);
    assert_eq!(screen, "x=3\n3\na\nb 2");
    assert_eq!(
        log,
        "variable x index 3 # why\n\n  # c\nvariable q index $x*2    +1\nvariable q index 3*2    +1\n\
         print \"x=$x\"\nx=3\nprint $x\nprint 3\n3\nprint \"\"\"a\nb $(1+1)\"\"\"\na\nb 2"
    );
}

#[test]
fn echo_can_be_moved() {
    let script = "echo none\nprint a\necho both\nprint b\necho screen\nprint \"c\"\necho log\nprint d\n";
    let (screen, log) = run(script, &[]);
    assert_eq!(screen, "a\nprint b\nb\necho screen\nprint \"c\"\nc\necho log\nd");
    assert_eq!(log, "echo none\na\nprint b\nb\necho screen\nc\nprint d\nd");
    let (screen, log) = run("print a\n", &["-echo", "screen"]);
    assert_eq!((&*screen, &*log), ("print a\na", "a"));
}

/// As LAMMPS (22 Jul 2025) prints it: variables are put into the text of style string when it is defined.
#[test]
fn strings_have_the_values_of_when_they_were_defined() {
    let script = "variable d index 5\nvariable s string \"a ${d} b\"\nvariable i index \"c ${d} e\" f\nprint \"x ${s} y\"\n\
                  variable d delete\nvariable d index 7\nprint \"x ${s} y\"\nprint \"${i}\"\n\
                  variable t string 'q ${d} $d'\nprint \"${t}\"\nvariable u string \"z$(1+1)\"\nprint \"${u}\"\n\
                  variable w string \"\"\"w ${d}\"\"\"\nprint \"${w}\"\n";
    assert_eq!(run(script, &[]).0, "x a 5 b y\nx a 5 b y\nc ${d} e\nq 7 7\nz2\nw 7");
}

#[test]
fn var_wins_over_the_script() {
    let script = "variable x index 1 2\nvariable y index 1\nprint \"$x $y\"\nnext x\nprint \"$x\"\n";
    let (screen, _) = run(script, &["-var", "x", "5", "-6", "-v", "y", "7"]);
    assert_eq!(screen, "5 7\n-6");
}

#[test]
fn script_log_and_screen_go_where_they_should() {
    let dir = empty_dir();
    std::fs::write(dir.path().join("in.x"), "print a\nlog second\nprint b\nlog none\nprint c\n")
        .expect("written");
    clamps(dir.path())
        .args(["-in", "in.x", "-log", "first", "-screen", "seen"])
        .assert()
        .success()
        .stdout("");
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect(name);
    assert!(read("first").ends_with("print a\na\nlog second\n"), "{}", read("first"));
    assert_eq!(read("second"), "print b\nb\nlog none\n");
    assert_eq!(body(&read("seen")), "a\nb\nc");
    clamps(dir.path()).args(["-i", "in.x", "-l", "none", "-sc", "none"]).assert().success().stdout("");
    assert!(!dir.path().join("log.clamps").exists());
}

#[test]
fn print_and_include_work_on_files() {
    let dir = empty_dir();
    let script = "print 'variable a index 4' file part.in screen no\nprint 'print $a' append part.in\n\
                  include part.in\nprint \"after $a\"\n";
    // Single quotes do not protect in print, which substitutes by itself: $a has no value yet.
    clamps(dir.path()).write_stdin(script).assert().failure().stderr(contains("variable a is not defined"));
    let script = "print 'variable a index 4' file part.in screen no\nprint 'print 5' append part.in universe no\n\
                  include part.in\nprint \"after $a\"\n";
    clamps(dir.path()).write_stdin(script).assert().success().stdout(contains("print 5\n5\nafter 4\n"));
}

#[test]
fn clear_keeps_variables_and_log() {
    let (screen, log) = run("variable a index 4\nclear\nprint \"$a\"\n", &[]);
    assert_eq!((&*screen, &*log), ("4", "variable a index 4\nclear\nprint \"$a\"\n4"));
}

#[test]
fn quit_ends_the_script_with_its_status() {
    let dir = empty_dir();
    let quit = |script: &str| clamps(dir.path()).write_stdin(script.to_owned()).assert();
    quit("print a\nquit\nprint b\nand what follows is not looked at\n").code(0).stdout(contains("b\n").not());
    quit("quit 3\n").code(3);
    std::fs::write(dir.path().join("part"), "quit 4\n").expect("written");
    quit("include part\nprint b\n").code(4).stdout(contains("b\n").not());
}

#[test]
fn performance_words_are_noted_once() {
    let script = "package gpu 1 neigh no\nsuffix gpu\nsuffix off\nnewton off\nnewton on off\nprocessors * * 1 grid numa\n\
                  atom_modify map array sort 0 0.0\ncomm_modify mode single cutoff 3.5 vel yes\ncomm_style tiled\n\
                  timer full sync\ntimer timeout 1:00:00 every 10\ntimer timeout off\n";
    let (screen, _) =
        run(script, &["-sf", "kk", "-pk", "kokkos", "neigh", "half", "-k", "on", "g", "1", "-nc"]);
    let shares = ", whose ranks take shares of as many atoms along a Hilbert curve by themselves";
    let reach = ", which knows atoms and velocities as far as lists, bonds and computes reach";
    let expected = [
        "-suffix kk",
        "-package kokkos neigh half",
        "-kokkos on g 1",
        "package gpu",
        "suffix",
        "newton",
        "processors",
        "atom_modify",
        "comm_modify",
        "comm_style",
        "timer full",
        "timer sync",
    ];
    let notes: Vec<String> = expected
        .iter()
        .map(|what| {
            let instead = match *what {
                "processors" | "comm_style" => shares,
                "comm_modify" => reach,
                _ => "",
            };
            format!("Note: '{what}' has no effect in CLAMPS{instead}")
        })
        .collect();
    assert_eq!(screen.lines().collect::<Vec<_>>(), notes);
}

#[test]
fn errors_go_to_stderr_and_log() {
    let dir = empty_dir();
    let done = clamps(dir.path()).write_stdin("print a\nprint $q\n").assert().code(1);
    let stderr = String::from_utf8(done.get_output().stderr.clone()).expect("text");
    assert!(stderr.starts_with("ERROR: variable q is not defined ((stdin):2)\n"), "{stderr}");
    assert!(stderr.contains("2 | print $q\n  |       ^^"), "{stderr}");
    assert!(!stderr.contains('\x1b'), "no colours into a pipe");
    let log = std::fs::read_to_string(dir.path().join("log.clamps")).expect("a log");
    assert!(log.ends_with(&stderr), "{log}");
}

#[test]
fn help_and_version() {
    let dir = empty_dir();
    for help in ["-h", "-help", "--help"] {
        clamps(dir.path()).arg(help).assert().success().stdout(contains("--device").and(contains("--in")));
    }
    clamps(dir.path()).arg("--version").assert().success().stdout(contains("clamps 0."));
}

#[test]
fn bad_options_exit_with_1() {
    let dir = empty_dir();
    for (words, message) in [
        (vec!["-partition", "2x1"], "help: all processes of CLAMPS work on one run"),
        (vec!["-r2data", "a", "b"], "`read_restart` and `write_data`"),
        (vec!["-prescision", "mixed"], "--precision"),
        (
            vec!["-shares", "1", "2"],
            "numbers of one option have commas between them, and no blanks: -shares 3,1",
        ),
        (vec!["-shares", "-1"], "-shares takes numbers that are not negative"),
        (vec!["-shares", "1,2"], "help: -shares 3,1: of two ranks the first has three times as many atoms"),
        (vec!["-shares", "1,x"], "--shares <W,W,...>"),
        (vec!["-precision", "half"], "possible values: single, mixed, double"),
        (vec!["-in"], "--in"),
        (vec!["-in", "missing.in"], "cannot read missing.in"),
        (vec!["-var", "x"], "-var x: a value is missing"),
        (vec!["-var", "x-y", "1"], "'x-y' is not a variable name"),
        (
            vec!["-log", "no/such/directory/log"],
            "help: `-log PATH` writes the log elsewhere, `-log none` nowhere",
        ),
        (
            vec!["-json", "no/such/directory/json"],
            "ERROR: -json: cannot write no/such/directory/json: there is no folder",
        ),
        (vec!["-device", "no such device"], "ERROR: -device: there is no OpenCL device `no such device`"),
    ] {
        clamps(dir.path()).args(&words).write_stdin("").assert().code(1).stderr(contains(message));
    }
    clamps(dir.path())
        .env("CLAMPS_DEVICE", "none such")
        .write_stdin("print a\n")
        .assert()
        .code(1)
        .stderr(contains("ERROR: CLAMPS_DEVICE: there is no OpenCL device `none such`"));
    assert!(!dir.path().join("log.clamps").exists(), "a wrong option leaves an old log alone");
}

#[test]
fn outputs_leave_the_script_alone() {
    let dir = empty_dir();
    let script = "print a\n";
    std::fs::write(dir.path().join("in.x"), script).expect("written");
    for (words, message) in [
        (vec!["-log", "in.x"], "ERROR: -log: cannot write in.x: that is the script"),
        (
            vec!["-log", "none", "-screen", "./in.x"],
            "ERROR: -screen: cannot write ./in.x: that is the script",
        ),
        (vec!["-log", "none", "-json", "in.x"], "ERROR: -json: cannot write in.x: that is the script"),
        (vec!["-json", "log.clamps"], "ERROR: -json: cannot write log.clamps: that is the log file"),
    ] {
        clamps(dir.path()).args(["-in", "in.x"]).args(&words).assert().code(1).stderr(contains(message));
        assert_eq!(std::fs::read_to_string(dir.path().join("in.x")).expect("there"), script);
    }
    // A script where a subcommand is expected.
    let hint = "it is a file: to run it as a script write clamps -in in.x";
    clamps(dir.path()).arg("in.x").assert().code(1).stderr(contains(hint));
    clamps(dir.path()).arg("in.y").assert().code(1).stderr(contains("there is no subcommand or file 'in.y'"));
    clamps(dir.path()).arg("devises").assert().code(1).stderr(contains("unrecognized subcommand 'devises'"));
    clamps(dir.path()).arg("help").assert().success().stdout(contains("Usage:"));
}

#[test]
fn settings_that_mean_nothing_are_refused() {
    let dir = empty_dir();
    std::fs::write(dir.path().join("file"), "").expect("written");
    let refused = [
        ("CLAMPS_CACHE", "maybe", "on or off"),
        ("CLAMPS_CACHE", "off ", "on or off"),
        ("CLAMPS_CACHE_DIR", "file", "a folder"),
        ("CLAMPS_CACHE_DIR", "file/below", "a folder"),
        ("CLAMPS_TUNE", "maybe", "on, off or auto"),
        ("CLAMPS_HELPERS", "x", "a number of processes, from 0"),
        ("CLAMPS_HELPERS", "-1", "a number of processes, from 0"),
        ("CLAMPS_HELPERS", "1.5", "a number of processes, from 0"),
        ("CLAMPS_WINDOW", "off", "a number of machines, from 0"),
        ("CLAMPS_BUILD", "own,fast", "words of header, own, portable and cheap with commas between"),
        ("CLAMPS_REHEARSE", "amd", "amd64, amd32, intel16 or llvmpipe, or one of them with ,fp32 behind it"),
        ("CLAMPS_BREAK", "a.cl|x", "FILE|OLD|NEW"),
        ("CLAMPS_TEXTS", "missing", "a folder"),
    ];
    for (name, value, wanted) in refused {
        let error = format!(
            "ERROR: {name}: '{value}' is not {wanted}\n |\n = help: set {name} to {wanted}, or `unset {name}`\n"
        );
        clamps(dir.path())
            .env(name, value)
            .write_stdin("print a\n")
            .assert()
            .code(1)
            .stderr(contains(&*error));
        // As if it were not set.
        clamps(dir.path()).env(name, "").write_stdin("print a\n").assert().success();
    }
    for (name, value) in [("CLAMPS_DEVICE", "no such"), ("CLAMPS_MPI", "no/such.so")] {
        let error = clamps(dir.path()).env(name, value).write_stdin("print a\n").assert().failure();
        error.stderr(contains(name));
        clamps(dir.path()).env(name, "").write_stdin("print a\n").assert().success();
    }
    clamps(dir.path()).env("CLAMPS_CACHE", "off").write_stdin("print a\n").assert().success();
}

/// An implementation that is registered and cannot be loaded is not the same as none.
#[cfg(target_os = "linux")]
#[test]
fn broken_drivers_are_named() {
    let dir = empty_dir();
    std::fs::write(dir.path().join("broken.icd"), "/no/such/library.so\n").expect("written");
    let with = |vendors: &Path| {
        let mut command = clamps(dir.path());
        command.arg("devices").env("OCL_ICD_VENDORS", vendors).env_remove("OCL_ICD_FILENAMES");
        command.assert().code(1)
    };
    with(dir.path()).stderr(contains("names the library '/no/such/library.so', which is not there"));
    let empty = empty_dir();
    with(empty.path()).stderr(contains("there is no OpenCL platform on this machine"));
}

#[test]
fn devices_are_listed() {
    let dir = empty_dir();
    clamps(dir.path()).args(["devices", "--json", "list.json"]).assert().success().stdout(contains("driver"));
    let record = std::fs::read(dir.path().join("list.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&record).expect("JSON");
    let devices = record["devices"].as_array().expect("a list");
    assert_eq!(devices.iter().filter(|device| device["default"] == true).count(), 1);
    assert!(devices[0]["memory"].as_u64().expect("bytes") > 0 && devices[0]["copy_bandwidth"].is_null());
}

/// Where there is little memory, whatever the machine has.
#[cfg(target_os = "linux")]
#[test]
fn more_atoms_than_memory_are_an_error() {
    let dir = empty_dir();
    let box_of = |cells: &str| {
        format!(
            "lattice fcc 0.8442\nregion b block 0 {cells} 0 {cells} 0 {cells}\ncreate_box 1 b\ncreate_atoms 1 box\n"
        )
    };
    let program = assert_cmd::cargo::cargo_bin("clamps");
    for (script, message) in [
        (box_of("800"), "ERROR: create_atoms: about 2.05e9 atoms are more than there is memory for"),
        (
            box_of("4") + "replicate 200 200 200\n",
            "ERROR: replicate: about 2.05e9 atoms are more than there is memory for",
        ),
        (box_of("2000"), "ERROR: create_atoms: about 3.20e10 atoms are more than there are IDs for"),
    ] {
        Command::new("sh")
            .args(["-c", "ulimit -v 8000000; exec \"$0\" -log none"])
            .arg(&program)
            .current_dir(dir.path())
            .env_remove("CLAMPS_DEVICE")
            .write_stdin(script)
            .assert()
            .code(1)
            .stderr(contains(message));
    }
}

/// What a script asks for is worked out before the machine is asked.
#[cfg(target_os = "linux")]
#[test]
fn more_than_memory_has_is_refused_with_both_figures() {
    let dir = empty_dir();
    let system = "units lj\nlattice fcc 0.8\nregion b block 0 2 0 2 0 2\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  pair_style lj/cut 1.5\npair_coeff * * 1 1\nvariable a equal step\n";
    let program = assert_cmd::cargo::cargo_bin("clamps");
    for (line, word, gigabytes) in [
        ("create_atoms 1 random 300000000 1234 NULL", "create_atoms", None),
        // 64 bytes for each bin.
        ("fix 2 all ave/histo 1 1 1 0 10 2000000000 vx", "2000000000", Some("119.2")),
        // A row of 32 bytes and two numbers.
        ("fix 2 all ave/correlate 1 2000000000 2000000000 v_a v_a type upper", "2000000000", None),
        ("compute r all rdf 1000000000", "1000000000", None),
        ("compute r all temp/profile 1 1 1 xyz 3000 3000 3000", "xyz", None),
        ("fix 2 all thermal/conductivity 10 x 2000000000", "2000000000", Some("119.2")),
        // 8 bytes for each element, and 256 for each column.
        ("fix v all vector 1 v_a\ncompute s all slice 1 4294967297 1 f_v", "4294967297", Some("32.0")),
        (
            "fix v all vector 1 v_a\ncompute s all slice 1 400000001 1 f_v\nthermo_style custom step c_s[*]",
            "c_s[*]",
            Some("95.4"),
        ),
    ] {
        let done = Command::new("sh")
            .args(["-c", "ulimit -v 8000000; exec \"$0\" -log none"])
            .arg(&program)
            .current_dir(dir.path())
            .env_remove("CLAMPS_DEVICE")
            .write_stdin(format!("{system}{line}\n"))
            .assert()
            .code(1);
        let error = String::from_utf8(done.get_output().stderr.clone()).expect("text");
        let wanted =
            gigabytes.map_or(" GiB of memory, and ".to_owned(), |n| format!(" {n} GiB of memory, and "));
        assert!(error.contains(&wanted) && error.contains(" GiB are free"), "{line}: {error}");
        let carets = "^".repeat(word.len());
        assert!(
            error.contains(&format!(" {carets}\n")) || error.contains(&format!(" {carets} ")),
            "{line}: {error}"
        );
    }
}

/// What is kept for each chunk, cell or face is worked out before it is asked for.
#[cfg(target_os = "linux")]
/// Whatever a compiler does that runs out of memory: the run comes to an end, and says what it lacks.
#[test]
fn little_memory_ends_a_run() {
    let dir = empty_dir();
    let script = "units lj\nlattice fcc 0.8442\nregion b block 0 3 0 3 0 3\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  pair_style lj/cut 2.5\npair_coeff 1 1 1 1\nrun 0\n";
    for limit in [450_000, 600_000] {
        let run = Command::new("sh")
            .args([
                "-c",
                &format!("ulimit -v {limit}; exec timeout -k 1 100 \"$0\" -log none -device Portable"),
            ])
            .arg(assert_cmd::cargo::cargo_bin("clamps"))
            .envs([("RAYON_NUM_THREADS", "2"), ("CLAMPS_CACHE", "off")])
            .env("POCL_CACHE_DIR", dir.path().join(limit.to_string()))
            .current_dir(dir.path())
            .write_stdin(script)
            .assert();
        let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        let ended = match run.get_output().status.code() {
            Some(0) => true,
            Some(1) => told.contains("memory"),
            _ => false,
        };
        assert!(ended, "{limit}: {:?}: {told}", run.get_output().status);
    }
}

#[test]
fn more_than_memory_has_is_refused_amid_a_script() {
    in_third!(2);
    let dir = empty_dir();
    let program = assert_cmd::cargo::cargo_bin("clamps");
    // Threads take some of what a process may have, too.
    let run = |limit: &str, script: &str| {
        Command::new("sh")
            .args(["-c", &format!("ulimit -v {limit}; exec \"$0\" -log none")])
            .arg(&program)
            .current_dir(dir.path())
            .env("RAYON_NUM_THREADS", "2")
            .write_stdin(script.to_owned())
            .assert()
    };
    let system = |size: u32| {
        format!(
            "units lj\natom_style full\nlattice fcc 0.8\nregion b block 0 {size} 0 {size} 0 {size}\ncreate_box 1 b\n\
             create_atoms 1 box\nmass 1 1\npair_style lj/cut 1.5\npair_coeff * * 1 1\n"
        )
    };
    // Molecules up to the largest ID are as many chunks. The fixes need a device, whose driver may need more than any limit here leaves:
    // they ask for 384 and 576 GB.
    let molecules = "set group all mol 4000000000\ncompute m all chunk/atom molecule\n";
    let chunks = "compute m has 4000000000 chunks: this takes ";
    let column = "compute p all property/atom mass\n";
    for (limit, lines, what) in [
        ("8000000", "compute c all com/chunk m\nprint \"$(c_c[1][1])\"", chunks),
        ("8000000", "compute c all msd/chunk m\nprint \"$(c_c[1][1])\"", chunks),
        ("8000000", "compute c all property/chunk m count\nprint \"$(c_c[1])\"", chunks),
        ("8000000", "compute c all gyration/chunk m\nprint \"$(c_c[1])\"", chunks),
        ("8000000", "compute c all dipole/chunk m\nprint \"$(c_c[1][1])\"", chunks),
        ("8000000", "compute c all temp/chunk m temp\nprint \"$(c_c[1][1])\"", chunks),
        ("8000000", &format!("{column}compute c all reduce/chunk m sum c_p\nprint \"$(c_c[1])\""), chunks),
        ("unlimited", "fix a all ave/chunk 1 1 1 m vx\nrun 1", chunks),
        ("unlimited", "fix a all momentum/chunk 1 m linear 1 1 1\nrun 1", chunks),
        (
            "8000000",
            "compute x all property/grid 10000 10000 1 id x y z xs ys zs xc yc zc xsc ysc zsc",
            "compute: this takes 9.7 GiB",
        ),
        (
            "8000000",
            "compute x all property/grid 10000 10000 1 id\n\
             fix g all ave/grid 1 1 1 10000 10000 1 c_x:grid:data ave window 100",
            "fix: this takes 76.7 GiB",
        ),
    ] {
        let done = run(limit, &format!("{}{molecules}{lines}\n", system(2))).code(1);
        let error = String::from_utf8(done.get_output().stderr.clone()).expect("text");
        let both = error.contains(" GiB of memory, and ") && error.contains(" GiB are free");
        assert!(error.contains(what) && both, "{lines}: {error}");
    }
    let faces = "compute v all voronoi/atom neighbors yes\ncompute s all reduce sum c_v[3] inputs local\n";
    let done = run("800000", &format!("{}{faces}print \"$(c_s)\"\n", system(60))).code(1);
    let error = String::from_utf8(done.get_output().stderr.clone()).expect("text");
    let figures = error.contains("this takes 0.7 GiB of memory, and ") && error.contains(" GiB are free");
    assert!(error.contains("compute v: 864000 cells: ") && figures, "{error}");
    // 84 bytes for each of 6.9 million atoms are there, but not twice.
    run("1000000", &format!("{}print \"$(atoms) atoms\"\n", system(120)))
        .success()
        .stdout(contains("6912000 atoms"));
}

/// The words of LAMMPS (22 Jul 2025) for this script.
#[test]
fn an_atom_that_is_far_away_is_lost() {
    let dir = empty_dir();
    let script = "units lj\nlattice fcc 0.8\nregion b block 0 2 0 2 0 2\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
                  pair_style lj/cut 1.5\npair_coeff * * 1 1\nfix 1 all nve\nset atom 1 x 1e12\nrun 0\n";
    clamps(dir.path())
        .args(["-log", "none"])
        .write_stdin(script)
        .assert()
        .code(1)
        .stderr(contains("Lost atoms: original 32 current 31"));
}

#[test]
fn bad_scripts_have_good_messages() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let bless = std::env::var_os("CLAMPS_BLESS").is_some();
    let mut checked = 0;
    for entry in std::fs::read_dir(&dir).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "in") {
            continue;
        }
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let done = clamps(&dir).args(["-in", name, "-log", "none"]).assert().code(1);
        let output = done.get_output();
        let stderr = String::from_utf8(output.stderr.clone()).expect("text");
        if bless {
            std::fs::write(path.with_extension("expected"), &stderr).expect("written");
        }
        let expected = std::fs::read_to_string(path.with_extension("expected")).expect(name);
        assert_eq!(stderr, expected, "{name}");
        let screen = String::from_utf8_lossy(&output.stdout);
        assert!(!screen.contains("never printed"), "{name} began to run:\n{screen}");
        checked += 1;
    }
    assert!(checked > 30, "only {checked} scripts");
}

#[test]
fn info_says_what_there_is() {
    let dir = empty_dir();
    let script = "variable x index 3.5\nlattice fcc 1\nregion b block 0 2 0 2 0 2\ncreate_box 1 b\ncreate_atoms 1 box\n\
        group few id 1:5\ngroup near dynamic few region b\nfix hold few setforce 0 0 0\ninfo all out screen\n\
        info groups out append groups.txt\n";
    clamps(dir.path())
        .args(["-log", "none"])
        .write_stdin(script)
        .assert()
        .success()
        .stdout(contains("Atoms: 32, types: 1"))
        .stdout(contains("Fix hold: style setforce, group few"))
        .stdout(contains("Variable x: style index, value 3.5"));
    let groups = std::fs::read_to_string(dir.path().join("groups.txt")).expect("written");
    assert_eq!(groups, "Group all: 32 atoms\nGroup few: 5 atoms\nGroup near: 0 atoms, dynamic\n");
}

#[cfg(unix)]
#[test]
fn shell_runs_where_it_is_allowed() {
    let dir = empty_dir();
    let script = "shell mkdir there\nshell mv no_such_file there\nshell putenv WORD=hello\nshell echo $WORD > there/file\n\
        variable word getenv WORD\nvariable file file there/file\nprint \"${word} ${file}\"\n";
    clamps(dir.path())
        .args(["-allow-shell", "-log", "none"])
        .write_stdin(script.replace("echo $WORD", "echo \"$WORD\""))
        .assert()
        .success()
        .stdout(contains("hello hello").and(contains("WARNING: shell: cannot move no_such_file")));
}

/// The values are those that LAMMPS (22 Jul 2025) prints.
#[test]
fn files_feed_variables() {
    let dir = empty_dir();
    std::fs::write(dir.path().join("lines"), "# comment\nfirst line\n\nsecond # tail\n3.5\n")
        .expect("written");
    std::fs::write(dir.path().join("atoms"), "# per atom\n2\n1 0.5\n3 2.5\n\n1\n2 7\n").expect("written");
    let script = "lattice sc 1\nregion b block 0 2 0 1 0 2\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
        variable f file lines\nvariable a atomfile atoms\nvariable g atom v_a*2+type\n\
        label loop\nprint \"$f\"\nnext f\njump SELF loop\n\
        variable f file lines\nnext f\nnext f\nprint \"$(next(f)+1)\"\n\
        print \"$(v_a[1]) $(v_a[3]) $(v_g[2]) $(v_g[3])\"\nnext a\n\
        print \"$(v_a[1]) $(v_a[2]) $(v_g[2]) $(v_g[3])\"\nvariable i internal 2.5\nprint \"$i $(v_i*2)\"\n";
    clamps(dir.path())
        .args(["-log", "none"])
        .write_stdin(script)
        .assert()
        .success()
        .stdout(contains("first line\nsecond\n3.5\n4.5\n0.5 2.5 1 6\n0 7 15 1\n2.5 5\n"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_script() {
    in_third!(3);
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let dir = empty_dir();
    // Long enough to be met by the signal: the rest is not carried out, but the log is complete.
    let script = format!("print started\n{}", "variable x equal 1\n".repeat(20_000_000 / 10));
    std::fs::write(dir.path().join("in.long"), script).expect("written");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("clamps"))
        .args(["-in", "in.long", "-echo", "screen"])
        .current_dir(&dir)
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    while next() != "started" {}
    let killed = std::process::Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
    assert!(killed.success());
    let last = std::iter::from_fn(|| lines.next()).filter_map(|line| line.ok()).last().expect("a last line");
    assert!(last.starts_with("Total wall time"), "{last}");
    assert_eq!(child.wait().expect("ended").code(), Some(128 + 15));
}

/// One core without threads, where PoCL offers that, has the rows that all of its cores have, or a single one of them, and hands the atoms
/// over when they become more.
#[test]
fn few_atoms_are_left_to_one_core() {
    in_third!(3);
    let script = "lattice fcc 0.8442\nregion b block 0 4 0 4 0 4\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1.0\n\
                  velocity all create 1.44 87287\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\nfix 1 all nvt temp 1.0 1.0 0.5\n\
                  thermo_modify line one format float %20.15g\nthermo 5\nneigh_modify every 1 delay 0 check yes\n\
                  run 30\nreplicate 2 2 2\nrun 20\ndelete_atoms region b\ndelete_atoms random fraction 0.8 yes all NULL 4711\n\
                  run 10\n";
    let rows = |settings: &[(&str, &str)]| {
        let dir = empty_dir();
        let mut command = clamps(dir.path());
        command.envs(settings.iter().copied());
        let done =
            command.args(["-device", "portable", "-log", "none"]).write_stdin(script).assert().success();
        let text = String::from_utf8(done.get_output().stdout.clone()).expect("text");
        let shapes: Vec<bool> = text
            .lines()
            .filter(|line| line.starts_with("Shape: "))
            .map(|line| line.ends_with("without threads"))
            .collect();
        let row =
            |line: &&str| line.split_whitespace().next().is_some_and(|word| word.parse::<u32>().is_ok());
        let rows: Vec<String> = text.lines().filter(row).map(String::from).collect();
        (shapes, rows)
    };
    let (shapes, few) = rows(&[]);
    let threads = ("POCL_DEVICES", "pthread");
    for settings in
        [&[threads][..], &[threads, ("POCL_MAX_PTHREAD_COUNT", "1"), ("POCL_CPU_MAX_CU_COUNT", "1")]]
    {
        let (none, all) = rows(settings);
        assert!(all.len() >= 7 + 5 + 3, "{all:?}");
        assert_eq!(few, all, "{settings:?}");
        assert!(!none.contains(&true), "{none:?}");
    }
    if shapes.contains(&true) {
        assert_eq!(shapes, [true, false, true]);
    } else {
        eprintln!("SKIPPED: PoCL offers no device without threads here");
    }
}

/// Where the host has a part in each step, or looks at each evaluation of a minimization, more neighbours are left to one core; and so are atoms
/// that become more by a number that is known, and those that become more often.
#[test]
fn one_core_takes_more_where_the_host_waits() {
    in_third!(3);
    let system = "lattice fcc 0.8442\nregion b block 0 6 0 6 0 HIGH\nregion s block 0 6 0 6 0 FILLED\ncreate_box 1 b\n\
                  create_atoms 1 region s\nmass 1 1.0\nvelocity all create 1.44 87287\npair_style lj/cut 2.5\n\
                  pair_coeff 1 1 1.0 1.0 2.5\nfix 1 all nve\nthermo_modify lost ignore\n";
    let shapes = |high: &str, filled: &str, more: &str| {
        let script = system.replace("HIGH", high).replace("FILLED", filled) + more;
        let dir = empty_dir();
        let mut command = clamps(dir.path());
        let done =
            command.args(["-device", "portable", "-log", "none"]).write_stdin(script).assert().success();
        let text = String::from_utf8(done.get_output().stdout.clone()).expect("text");
        let shapes = text.lines().filter(|line| line.starts_with("Shape: "));
        shapes.map(|line| line.ends_with("without threads")).collect::<Vec<_>>()
    };
    let waits = "fix a all print 1 step screen no\nrun 4\n";
    if shapes("1", "1", "run 4\n") != [true] {
        eprintln!("SKIPPED: PoCL offers no device without threads here");
        return;
    }
    // 864 atoms with 67,000 neighbours; 2,304 atoms.
    assert_eq!(
        shapes("6", "6", &format!("run 4\n{waits}unfix a\nrun 4\nminimize 0 0 2 4\n")),
        [false, true, false, true]
    );
    assert_eq!(shapes("16", "16", waits), [false]);
    // What the device does by itself is not waited for.
    assert_eq!(shapes("6", "6", "unfix 1\nfix 1 all nvt temp 1 1 0.5\nrun 4\n"), [false]);
    let deposit = |count| format!("fix d all deposit {count} 1 2 4711 region t near 1.0\nrun 4\n");
    let top = "region t block 0 6 0 6 8 9\n";
    for (count, one_core) in [(5, true), (2000, false)] {
        assert_eq!(shapes("10", "0.4", &format!("{top}{}", deposit(count))), [one_core], "{count}");
    }
    // 864 atoms with 67,000 neighbours, to which atoms come often, and seldom.
    for (every, one_core) in [(200, true), (201, false)] {
        let deposit = format!("fix d all deposit 5 1 {every} 4711 region t near 1.0\nrun 4\n");
        assert_eq!(shapes("10", "6", &format!("{top}{deposit}")), [one_core], "{every}");
    }
}
