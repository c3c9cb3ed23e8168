//! What the integration tests share.
#![allow(
    dead_code,
    unused_macros,
    unreachable_pub,
    reason = "each test file is a crate, and uses a part of this"
)]
#![allow(clippy::unwrap_used)]

use clamps::gpu::options::{Precision, TimingMode};
use clamps::gpu::{DeviceInfo, Gpu, devices};
use std::collections::BTreeSet;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// First in a test: the test runs in a process of its own. PoCL compiles one program at a time in a process, and cargo runs as
/// many tests at a time as there are cores. With `cheap` kernels are built without optimization there (CLAMPS_BUILD of
/// src/gpu/pocl.rs), which halves the time of a test against the f64 twin from an empty cache; most tests of bits go without it, and so
/// does at least one of each kernel file. With CLAMPS_TESTS=full none is `cheap`.
macro_rules! apart {
    ($($word:literal)?) => {
        fn here() {}
        if crate::common::ran_apart(std::any::type_name_of_val(&here), &["own", $($word)?]) {
            return;
        }
    };
}

/// Whether a test has run in a process of its own; `here` is the path of a function in it. What the process said is said again, and
/// a failure there is one here. With CLAMPS_TEST_APART=off tests stay in this process, for debuggers; a CLAMPS_BUILD of the caller's
/// is for all tests.
pub fn ran_apart(here: &str, build: &[&str]) -> bool {
    const APART: &str = "CLAMPS_TEST_APART";
    if std::env::var_os(APART).is_some() {
        return false;
    }
    // CRATE::MODULES::TEST::here
    let test =
        here.split_once("::").and_then(|(_, path)| path.rsplit_once("::")).expect("a function in a test").0;
    let mut output = tempfile::tempfile().expect("a file");
    let mut command = Command::new(std::env::current_exe().expect("has a path"));
    command
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .env(APART, "off")
        .stdin(Stdio::null());
    if std::env::var_os("CLAMPS_BUILD").is_none() {
        let build = if full() { &build[..1] } else { build };
        command.env("CLAMPS_BUILD", build.join(","));
    }
    for say in [Command::stdout, Command::stderr] {
        say(&mut command, output.try_clone().expect("a file"));
    }
    let status = command.status().expect("runs");
    let mut words = String::new();
    output.rewind().and_then(|()| output.read_to_string(&mut words)).expect("readable");
    print!("{words}");
    assert!(status.success() && words.contains("1 passed"), "{test} in a process of its own: {status}");
    true
}

/// First in a test whose kernels take seconds to compile: it runs with the others of its third (1, 2 or 3), so that all tests take minutes
/// from empty caches ([`third`]).
macro_rules! in_third {
    ($third:literal) => {
        if !crate::common::third($third) {
            return;
        }
    };
}

/// How much is tested.
fn level() -> String {
    std::env::var("CLAMPS_TESTS").unwrap_or_else(|_| "1/3".to_owned())
}

/// Whether tests of a third run: of the first one by default, of another one with CLAMPS_TESTS=2/3 or 3/3, of all with CLAMPS_TESTS=all or full.
pub fn third(third: usize) -> bool {
    let level = level();
    let runs = match &*level {
        "all" | "full" => true,
        "1/3" | "2/3" | "3/3" => level == format!("{third}/3"),
        _ => panic!("CLAMPS_TESTS={level} is none of 1/3, 2/3, 3/3, all and full"),
    };
    if !runs {
        // Not by eprintln, of which a test that passes shows nothing.
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        let _ = writeln!(std::io::stderr(), "skipped: {test} is for CLAMPS_TESTS={third}/3 or all");
    }
    runs
}

/// Whether all combinations are tested, and with the kernels that users get (CLAMPS_TESTS=full), or a choice that takes minutes.
pub fn full() -> bool {
    level() == "full"
}

/// How a program builds its kernels (CLAMPS_BUILD) that a test starts for other things than these: without optimization, but for
/// CLAMPS_TESTS=full. A setting of the caller's is for all tests.
pub fn cheap_build() -> String {
    std::env::var("CLAMPS_BUILD").unwrap_or_else(|_| if full() { "own" } else { "own,cheap" }.to_owned())
}

/// Whether a combination is tested, of values at these places among those of their kind: half of all, in which any values of two
/// kinds still come together where there are three kinds; all with CLAMPS_TESTS=full.
pub fn chosen(places: &[usize]) -> bool {
    full() || places.iter().sum::<usize>().is_multiple_of(2)
}

/// Of alternatives that a combination could be tested with one, another one at the next turn; all with CLAMPS_TESTS=full.
pub fn by_turns<T: Copy>(turn: usize, all: &[T]) -> Vec<T> {
    match all.len() {
        0 | 1 => all.to_vec(),
        _ if full() => all.to_vec(),
        many => vec![all[turn % many]],
    }
}

/// The scripts of tests/lammps, and what they include and read: names and texts.
fn lammps_files() -> &'static [(String, Vec<u8>)] {
    static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lammps");
        let entries = folder.read_dir().expect("tests/lammps").map(|entry| entry.expect("readable").path());
        let files =
            entries.filter(|path| path.extension().is_some_and(|ending| ending == "in" || ending == "part"));
        let file = |path: PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("readable"))
        };
        files.map(file).collect()
    })
}

/// Those files of tests/lammps that a text names, and those that they name.
fn lammps_files_of(text: &str) -> Vec<&'static (String, Vec<u8>)> {
    let mut left: Vec<_> = lammps_files().iter().collect();
    let mut found = Vec::new();
    let mut todo = vec![text.to_owned()];
    while let Some(text) = todo.pop() {
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && !"_.".contains(c)).collect();
        let named = left.extract_if(.., |(name, _)| words.contains(name.as_str())).collect::<Vec<_>>();
        todo.extend(named.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()));
        found.extend(named);
    }
    found
}

/// A directory with these files.
pub fn lammps_folder(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, bytes) in lammps_files_of(text) {
        std::fs::write(dir.path().join(name), bytes).expect("written");
    }
    dir
}

/// The texts of these files, one behind the other.
pub fn lammps_text(text: &str) -> String {
    lammps_files_of(text).iter().map(|(_, bytes)| String::from_utf8_lossy(bytes) + "\n").collect()
}

/// The devices of this machine, opened, or the one that CLAMPS_TEST_DEVICE selects (as `-device` does). A machine without any fails the
/// test: PoCL is part of the set-up.
pub fn all_test_devices() -> Vec<Gpu> {
    all_test_devices_with(TimingMode::Full)
}

/// Those of them that compute in double precision, for tests of that or of mixed precision.
pub fn test_devices() -> Vec<Gpu> {
    test_devices_with(TimingMode::Full)
}

/// Those that compute in a precision.
pub fn test_devices_in(precision: Precision) -> Vec<Gpu> {
    if precision == Precision::Single { all_test_devices() } else { test_devices() }
}

/// As [`test_devices`], with a timing mode.
pub fn test_devices_with(timing: TimingMode) -> Vec<Gpu> {
    let (able, others): (Vec<Gpu>, Vec<Gpu>) =
        all_test_devices_with(timing).into_iter().partition(|gpu| gpu.info().fp64);
    for gpu in others {
        eprintln!("SKIPPED on {}: it has no double precision", label(gpu.info()));
    }
    able
}

fn all_test_devices_with(timing: TimingMode) -> Vec<Gpu> {
    if let Ok(selector) = std::env::var("CLAMPS_TEST_DEVICE") {
        return vec![Gpu::open(Some(&selector), timing).expect("opens")];
    }
    let found = devices().expect("an OpenCL device");
    assert!(!found.is_empty());
    (0..found.len()).map(|index| Gpu::open(Some(&index.to_string()), timing).expect("opens")).collect()
}

thread_local! {
    static GPU: Gpu = {
        let selector = std::env::var("CLAMPS_TEST_DEVICE").ok();
        Gpu::open(selector.as_deref(), TimingMode::Off).expect("opens")
    };
}

/// The device that a run chooses by itself, or that of CLAMPS_TEST_DEVICE, with the programs that this test has built so far.
pub fn own_gpu() -> Gpu {
    GPU.with(Gpu::clone)
}

/// For messages of failed tests.
pub fn label(info: &DeviceInfo) -> String {
    format!("{} ({})", info.name, info.platform)
}
