//! First runs: what is compiled once for all.
#![allow(clippy::unwrap_used)]

#[macro_use]
mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MELT: &str = "
lattice fcc 0.8442
variable n index 4
region box block 0 $n 0 $n 0 $n
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 10
run 20
";

/// A run of the script in a folder, with caches of all that share it.
fn start(folder: &Path, shared: &Path, more: &[&str], helpers: &str) -> Child {
    let log = fs::File::create(folder.join("screen")).unwrap();
    let errors = log.try_clone().unwrap();
    command(folder, shared, more, helpers).stdout(log).stderr(errors).spawn().unwrap()
}

fn command(folder: &Path, shared: &Path, more: &[&str], helpers: &str) -> Command {
    let script = folder.join("in.melt");
    fs::write(&script, MELT).unwrap();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("clamps"));
    command
        .current_dir(folder)
        .args(["-in", "in.melt", "-log", "none"])
        .args(more)
        .env("CLAMPS_HELPERS", helpers)
        .env("CLAMPS_CACHE_DIR", shared.join("clamps"))
        .env("POCL_CACHE_DIR", shared.join("pocl"))
        .env("RUST_LOG", "clamps::gpu=debug")
        .env("CLAMPS_BUILD", common::cheap_build())
        .stdin(Stdio::null());
    command
}

/// In a folder a linker for clang to find, which writes a line for each kernel that is compiled before the linker of all tests does its work.
#[cfg(target_os = "linux")]
fn count_kernels(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let linker = folder.join("ld");
    let count = folder.join("count");
    fs::write(&count, "").unwrap();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/linker/ld");
    let script = format!("#!/bin/sh\necho >>'{}'\nPATH=/usr/bin:/bin exec '{own}' \"$@\"\n", count.display());
    fs::write(&linker, script).unwrap();
    fs::set_permissions(&linker, fs::Permissions::from_mode(0o755)).unwrap();
}

/// PoCL 3.1 ends the process where it finds no linker; what it has compiled before needs none.
#[test]
#[cfg(target_os = "linux")]
fn without_a_linker_kernels_come_from_the_cache_or_not_at_all() {
    in_third!(3);
    let folder = tempfile::tempdir().unwrap();
    let tools = folder.path().join("tools");
    fs::create_dir(&tools).unwrap();
    let run = |cache: &Path, path: &Path, words: &[&str]| {
        let screen = folder.path().join("screen");
        let out = fs::File::create(&screen).unwrap();
        let mut run = command(folder.path(), cache, words, "2");
        run.env_remove("COMPILER_PATH")
            .env_remove("RUST_LOG")
            .env("PATH", path)
            .stdout(out.try_clone().unwrap())
            .stderr(out);
        let status = run.status().unwrap();
        (status.code(), fs::read_to_string(screen).unwrap())
    };
    let warm = folder.path().join("warm");
    let nowhere = folder.path().join("nowhere");
    let refused = |(code, screen): (Option<i32>, String)| {
        assert_eq!(code, Some(1), "{screen}");
        assert!(screen.contains("PoCL cannot compile kernel `"), "{screen}");
        assert!(screen.contains("by the program `ld`, which is in no folder of PATH"), "{screen}");
        assert!(screen.contains("`apt install binutils`"), "{screen}");
    };
    refused(run(&folder.path().join("cold"), &nowhere, &["-device", "Portable"]));
    // A file that is no program is no linker either.
    fs::write(tools.join("ld"), "").unwrap();
    refused(run(&folder.path().join("cold"), &tools, &["-device", "Portable"]));
    fs::remove_file(tools.join("ld")).unwrap();
    count_kernels(&tools);
    // A set-up alone compiles all that its run takes.
    let (code, first) = run(&warm, &tools, &["-skiprun", "-device", "Portable"]);
    assert_eq!(code, Some(0), "{first}");
    let (code, again) = run(&warm, &nowhere, &["-device", "Portable"]);
    assert_eq!(code, Some(0), "{again}");
    // What is not there yet is refused, whatever else is.
    refused(run(&warm, &nowhere, &["-device", "Portable", "-precision", "double"]));
    let mut devices = Command::new(assert_cmd::cargo::cargo_bin("clamps"));
    let devices =
        devices.args(["devices", "--bandwidth"]).env("PATH", &nowhere).env("POCL_CACHE_DIR", &nowhere);
    let listed = devices.output().unwrap();
    let [out, errors] = [listed.stdout, listed.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(listed.status.success(), "{out}{errors}");
}

/// How many kernels that PoCL has compiled are in a folder.
#[cfg(target_os = "linux")]
fn kernels(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let of = |entry: fs::DirEntry| match entry.file_type().unwrap().is_dir() {
        true => kernels(&entry.path()),
        false => usize::from(entry.path().extension().is_some_and(|ending| ending == "so")),
    };
    entries.map(of).sum()
}

/// The seconds of processor time that a process and its children have taken, when it has ended.
fn processor_time(child: &mut Child, screen: &dyn Fn() -> String) -> f64 {
    let began = Instant::now();
    loop {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        if fields[0] == "Z" {
            assert!(child.wait().unwrap().success(), "{}", screen());
            let ticks: f64 = fields[11..15].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
            return ticks / 100.0;
        }
        assert!(began.elapsed() < Duration::from_secs(300), "does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The seconds of processor time and the most memory, in kB, that a run of a script took.
#[cfg(target_os = "linux")]
fn costs(script: &str) -> (f64, u64) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.own"), script).unwrap();
    let screen = fs::File::create(folder.path().join("screen")).unwrap();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("clamps"))
        .current_dir(folder.path())
        .args(["-in", "in.own", "-log", "none", "-device", "cpu"])
        .env("CLAMPS_TUNE", "off")
        .env("CLAMPS_HELPERS", "0")
        .env("CLAMPS_BUILD", common::cheap_build())
        .stdin(Stdio::null())
        .stdout(screen.try_clone().unwrap())
        .stderr(screen)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    // Gone when the process has ended.
    while let Some(line) = fs::read_to_string(&status)
        .ok()
        .and_then(|status| status.lines().find(|line| line.starts_with("VmHWM")).map(str::to_owned))
    {
        most = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    let screen = || fs::read_to_string(folder.path().join("screen")).unwrap();
    (processor_time(&mut child, &screen), most)
}

/// Thousands of types have millions of pairs. The device has 32 bytes of each in mixed precision, the host about twice as much. To keep a row, a
/// set of parameters and what finds them for each takes over 500 bytes; to try each of a million cutoffs takes days.
#[test]
#[cfg(target_os = "linux")]
fn many_types_take_little_time_and_memory() {
    in_third!(3);
    let script = |types: u32, cutoff: &str| {
        let line = |k: u32| {
            let cutoff =
                if cutoff.is_empty() { String::new() } else { format!("{}", 2.0 + 1e-4 * f64::from(k)) };
            format!(
                "pair_coeff {k} {k} {} {} {cutoff}\n",
                1.0 + 1e-4 * f64::from(k),
                1.0 - 1e-5 * f64::from(k)
            )
        };
        let lines: String = (1..=types).map(line).collect();
        let script = MELT.replace("create_box 1 box", &format!("create_box {types} box"));
        let script = script.replace("mass 1 1.0", "mass * 1.0").replace("$n", "4");
        script.replace("pair_coeff 1 1 1.0 1.0 2.5\n", &lines)
    };
    let types = 1536;
    // All that is compiled, first.
    costs(&script(2, ""));
    let (few, little) = costs(&script(2, ""));
    for cutoff in common::by_turns(1, &["", "unlike"]) {
        costs(&script(8, cutoff));
        let (many, most) = costs(&script(types, cutoff));
        let each = 1024.0 * (most.saturating_sub(little)) as f64 / f64::from(types).powi(2);
        assert!(each < 200.0, "{each:.0} bytes per ordered pair of {types} types, {cutoff}");
        // Of 2,400,000 pairs, 4 microseconds of each.
        assert!(many < few + 10.0, "{many:.2} s of {types} types, {few:.2} s of 2, {cutoff}");
    }
}

/// A thousand fixes are set up, compiled and run about as fast as ten.
#[test]
#[cfg(target_os = "linux")]
fn many_fixes_take_little_time() {
    in_third!(2);
    let script = |fixes: u32| {
        let loop_ = format!(
            "fix 1 all nve\nvariable k loop {fixes}\nlabel each\nfix f$k all addforce $(1e-5*v_k) 0.0 0.0\nnext k\njump SELF each\n"
        );
        MELT.replace("fix 1 all nve\n", &loop_).replace("$n", "4")
    };
    let (few, _) = costs(&script(10));
    let (many, _) = costs(&script(1000));
    // 5 milliseconds of each.
    assert!(many < few + 5.0, "{many:.2} s of 1000 fixes, {few:.2} s of 10");
}

/// The thermo rows of a run, headings first.
fn rows(folder: &Path) -> Vec<String> {
    let screen = fs::read_to_string(folder.join("screen")).unwrap();
    // Among what the program logs.
    let lines = screen.lines().filter(|line| !line.starts_with('['));
    let rows: Vec<String> =
        lines.skip_while(|line| !line.contains("Step")).take(4).map(str::to_owned).collect();
    assert_eq!(rows.len(), 4, "{screen}");
    rows
}

#[test]
#[cfg(target_os = "linux")]
fn of_first_runs_at_once_one_compiles() {
    in_third!(3);
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let place = folder.path().join(name);
        fs::create_dir(&place).unwrap();
        place
    };
    let screen = || String::new();
    // As users have it: what the compiler says besides is nobody's business.
    let [first, alone] = ["first", "alone"].map(place);
    let [out, errors] = ["screen", "errors"].map(|name| alone.join(name));
    let mut run = command(&alone, &first, &[], "0");
    run.env_remove("RUST_LOG").stdout(fs::File::create(out).unwrap());
    let mut run = run.stderr(fs::File::create(&errors).unwrap()).spawn().unwrap();
    let alone = processor_time(&mut run, &screen);
    assert_eq!(fs::read_to_string(errors).unwrap(), "");
    let (shared, tools) = (place("second"), place("tools"));
    count_kernels(&tools);
    let begin = |k: i32| {
        let place = place(&format!("run{k}"));
        let log = fs::File::create(place.join("screen")).unwrap();
        let errors = log.try_clone().unwrap();
        let mut run = command(&place, &shared, &[], "1");
        run.env("COMPILER_PATH", &tools).stdout(log).stderr(errors).spawn().unwrap()
    };
    // With CLAMPS_TESTS=full as many as a batch system starts at once.
    let count = if common::full() { 20 } else { 6 };
    let mut all: Vec<Child> = (0..count).map(begin).collect();
    let together: f64 = all.iter_mut().map(|run| processor_time(run, &screen)).sum();
    for k in 0..count {
        assert_eq!(rows(&folder.path().join(format!("run{k}"))), rows(&folder.path().join("alone")));
    }
    // Where clang links by itself nothing is counted.
    let compiled = fs::read_to_string(tools.join("count")).unwrap().lines().count();
    if compiled > 0 {
        assert_eq!(compiled, kernels(&shared), "kernels compiled, and kept");
    }
    // Each of them would take as long as the first one, and from the cache takes a tenth to a fifth of it.
    let most = (1.0 + 5.0 / 12.0 * f64::from(count)) * alone;
    assert!(together < most, "{count} first runs at once take {together:.2} s, one alone {alone:.2} s");
}

/// With 256 atoms on one core by itself, where PoCL has such a device, with 4,000 on all, with 70,304 in larger grids.
#[test]
#[cfg(unix)]
fn a_helper_compiles_part_of_it_and_changes_nothing() {
    in_third!(3);
    let folder = tempfile::tempdir().unwrap();
    let pocl = clamps::gpu::devices().unwrap().iter().any(clamps::gpu::DeviceInfo::is_pocl);
    let many = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    // With CLAMPS_TESTS=full all, else the one that most runs are like.
    for n in ["10", "4", "26"].into_iter().take(if common::full() { 3 } else { 1 }) {
        let run = |helpers: &str| {
            let place = folder.path().join(format!("{n} {helpers}"));
            fs::create_dir(&place).unwrap();
            let words = ["-var", "n", n, "-device", "cpu"];
            assert!(start(&place, &place, &words, helpers).wait().unwrap().success(), "{n}");
            place
        };
        let (alone, helped) = (run("0"), run("1"));
        assert_eq!(rows(&helped), rows(&alone), "{n}");
        let said = |place: &Path| fs::read_to_string(place.join("screen")).unwrap();
        assert!(!said(&alone).contains("ahead of the run: "));
        if pocl && many {
            let words = said(&helped);
            // Which part depends on what else the machine does.
            assert!(words.contains("ahead of the run: "), "{n}: the helper has done nothing: {words}");
            // All is there now: the next run has no helper.
            let words = {
                let again = start(&helped, &helped, &["-var", "n", n, "-device", "cpu"], "1").wait();
                assert!(again.unwrap().success(), "{n}");
                said(&helped)
            };
            assert!(!words.contains("ahead of the run: "), "{n}: {words}");
            assert_eq!(rows(&helped), rows(&alone), "{n}");
        }
    }
}

#[test]
fn a_helper_has_to_be_told_what_to_do() {
    let done = Command::new(assert_cmd::cargo::cargo_bin("clamps"))
        .arg("compile-ahead")
        .stdin(Stdio::null())
        .output();
    let done = done.unwrap();
    assert_eq!(done.status.code(), Some(1));
    let words = String::from_utf8(done.stderr).unwrap();
    assert!(words.starts_with("ERROR: compile-ahead is for runs, which say what to compile"), "{words}");
}

/// What a log of debugging tells of programs and kernels that are compiled.
fn compilations(words: &str) -> Vec<&str> {
    words.lines().filter(|line| line.contains("first launch of") || line.contains("] built ")).collect()
}

/// What a first run still compiles while the time of its loop is taken; the words after `fix`, and the boundary. A process tells of what
/// it builds and of a kernel's first launch wherever it has them from, so this is as true where a cache has them.
#[test]
fn no_loop_holds_a_compilation() {
    in_third!(3);
    let folder = tempfile::tempdir().unwrap();
    for (name, n, fixes, boundary) in [
        ("alone", "4", "nve", "p p p"),
        ("threads", "10", "nve", "p p p"),
        ("large", "26", "nve", "p p p"),
        ("nvt", "4", "nvt temp 3.0 3.0 0.5", "p p p"),
        ("npt", "10", "npt temp 3.0 3.0 0.5 iso 0.0 0.0 5.0", "p p p"),
        ("shrink", "4", "nve", "s s s"),
        ("deform", "10", "nve\nfix 2 all deform 1 x scale 1.1", "p p p"),
        ("langevin", "4", "nve\nfix 2 all langevin 3.0 3.0 1.0 48279", "p p p"),
        ("scaled", "4", "nve\nfix 2 all temp/rescale 5 3.0 3.0 0.02 1.0", "p p p"),
    ] {
        let place = folder.path().join(name);
        fs::create_dir(&place).unwrap();
        let script = MELT.replace("fix 1 all nve", &format!("fix 1 all {fixes}"));
        // Some rebuilds; with CLAMPS_TESTS=full many. Of most atoms with kernels as users have them.
        let (steps, build) = match n {
            "26" => (if common::full() { "60" } else { "40" }, "own".to_owned()),
            _ => (if common::full() { "200" } else { "60" }, common::cheap_build()),
        };
        let script = format!("boundary {boundary}\n{}", script.replace("run 20", &format!("run {steps}")));
        fs::write(place.join("in.own"), script).unwrap();
        let done = Command::new(assert_cmd::cargo::cargo_bin("clamps"))
            .current_dir(&place)
            .args(["-in", "in.own", "-log", "none", "-device", "cpu", "-var", "n", n])
            .env("RUST_LOG", "clamps=debug")
            .env("CLAMPS_TUNE", "off")
            .env("CLAMPS_HELPERS", "0")
            .env("CLAMPS_BUILD", build)
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{name}: {words}");
        let begin = words.find("the loop begins").expect("begins");
        let end = words.find("the loop ends").expect("ends");
        let inside = &words[begin..end];
        let late = compilations(inside);
        assert!(late.is_empty(), "{name}: {late:#?}");
        if clamps::gpu::devices().unwrap().iter().all(clamps::gpu::DeviceInfo::is_pocl) {
            assert!(
                words[..begin].contains("first launch of"),
                "{name}: nothing tells of first launches: {words}"
            );
        }
    }
}

/// A minimization that goes on in double precision has compiled all kernels before it does.
#[test]
fn a_search_that_goes_on_holds_no_compilation() {
    in_third!(3);
    let folder = tempfile::tempdir().unwrap();
    for style in ["fire", "cg"] {
        let script = format!(
            "dimension 2\nlattice hex 0.9\nregion box block 0 8 0 4 -0.1 0.1\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\n\
             displace_atoms all random 0.05 0.05 0 4711\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0\nmin_style {style}\n\
             minimize 0 1e-8 10000 20000\n"
        );
        fs::write(folder.path().join("in.own"), script).unwrap();
        let done = Command::new(assert_cmd::cargo::cargo_bin("clamps"))
            .current_dir(&folder)
            .args(["-in", "in.own", "-log", "none", "-device", "cpu", "-precision", "mixed"])
            .envs([("RUST_LOG", "clamps=debug"), ("CLAMPS_TUNE", "off"), ("CLAMPS_HELPERS", "0")])
            .env("CLAMPS_BUILD", common::cheap_build())
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{style}: {words}");
        let behind = words.split("the loop goes on").nth(1).expect("goes on");
        let late = compilations(behind);
        assert!(late.is_empty(), "{style}: {late:#?}");
    }
}
