//! `clamps tune`, its record, and what later runs make of it.

#[macro_use]
#[path = "common/mod.rs"]
mod common;
#[path = "common/systems.rs"]
mod systems;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use clamps::gpu::options::Precision;
use clamps::run::tuning::search::candidates;
use clamps::run::tuning::trial::Facts;
use common::{label, test_devices};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

/// 500 atoms at the density of the melt.
const SCRIPT: &str = "units lj\nlattice fcc 0.8442\nregion box block 0 5 0 5 0 5\ncreate_box 1 box\ncreate_atoms 1 box\n\
    mass 1 1.0\nvelocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\n\
    neighbor 0.3 bin\nneigh_modify delay 0 every 20 check no\nfix 1 all nve\nthermo 20\n\
    dump 1 all atom 10 dumped\nwrite_data written\nvariable steps index 40\nrun ${steps}\n";

/// The program in a folder, whose records are there too.
fn clamps(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command.current_dir(folder).env_remove("CLAMPS_CACHE").env_remove("CLAMPS_TUNE");
    command.env("CLAMPS_CACHE_DIR", folder.join("cache")).env_remove("RUST_LOG");
    command.env("CLAMPS_BUILD", common::cheap_build());
    command
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.melt"), SCRIPT).expect("written");
    folder
}

fn record_file(folder: &Path) -> PathBuf {
    let mut files =
        std::fs::read_dir(folder.join("cache")).expect("a cache").map(|entry| entry.expect("listed").path());
    files.find(|path| path.extension().is_some_and(|end| end == "json")).expect("a record")
}

/// Thermo rows of a run, the line on its shape, and the JSON record.
fn run(folder: &Path, words: &[&str]) -> (Vec<Vec<f64>>, String, Value) {
    let output = clamps(folder)
        .args(["-in", "in.melt", "-log", "none", "-json", "json"])
        .args(words)
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("text");
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>();
    let rows = text.lines().filter_map(numbers).filter(|row| row.len() >= 6).collect();
    let shape = text.lines().find(|line| line.starts_with("Shape: ")).expect("a shape").to_owned();
    let json = std::fs::read(folder.join("json")).expect("a record");
    (rows, shape, serde_json::from_slice(&json).expect("JSON"))
}

#[test]
fn a_record_is_made_used_and_told_of() {
    in_third!(2);
    let folder = folder();
    let dir = folder.path();
    let (shipped_rows, shape, record) = run(dir, &[]);
    assert!(shape.starts_with("Shape: shipped, lanes "), "{shape}");
    assert_eq!(record["options"]["shape_from"], "shipped");
    ["dumped", "written"].iter().for_each(|file| std::fs::remove_file(dir.join(file)).expect("was there"));

    let patience = if common::full() { "4" } else { "0.5" };
    let words = ["tune", "in.melt", "--patience", patience, "--json", "tune.json"];
    let tuned = clamps(dir).args(words).assert().success();
    tuned.stdout(contains("500 atoms, about 64 neighbours each").and(contains("Kept in ")));
    assert!(
        !dir.join("dumped").exists() && !dir.join("written").exists(),
        "tuning leaves no files of the script"
    );
    let tune: Value =
        serde_json::from_slice(&std::fs::read(dir.join("tune.json")).expect("a record")).expect("JSON");
    assert_eq!(tune["study"], "tune");
    assert_eq!(tune["systems"][0]["atoms"], 500);
    let trials = tune["systems"][0]["trials"].as_array().expect("trials");
    trials.iter().for_each(|trial| assert!(trial["outcome"].is_string(), "a shape failed: {trial}"));

    // As if another shape had been found the fastest.
    let file = record_file(dir);
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&file).expect("read")).expect("JSON");
    kept["choice"]["vector"] = 4.into();
    kept["choice"]["local"] = 16.into();
    std::fs::write(&file, kept.to_string()).expect("written");
    let (rows, shape, record) = run(dir, &[]);
    let day = kept["tuned"].as_str().expect("a date");
    assert!(
        shape.starts_with(&format!("Shape: tuned {day}, lanes ")) && shape.contains("vectors of 4,"),
        "{shape}"
    );
    assert_eq!(record["options"]["shape"]["vector"], 4);
    assert_eq!(record["options"]["shape_from"], format!("tuned {day}"));
    // The same physics, whatever was picked: temperature, energies, pressure.
    assert_eq!(rows.len(), 3);
    for (row, shipped) in rows.iter().zip(&shipped_rows) {
        row.iter()
            .zip(shipped)
            .for_each(|(a, b)| assert!((a - b).abs() <= 2e-5 * b.abs().max(1.0), "{a} {b}"));
    }

    // Another precision, another size, or another wish: not this record.
    for words in [&["-tune", "off"][..], &["-kernels", "plain"], &["-precision", "single"]] {
        let (_, shape, _) = run(dir, words);
        assert!(!shape.contains("tuned"), "{words:?}: {shape}");
    }
    clamps(dir)
        .env("CLAMPS_CACHE", "off")
        .args(["-in", "in.melt", "-log", "none"])
        .assert()
        .success()
        .stdout(contains("Shape: shipped"));
}

#[test]
fn a_record_that_does_not_fit_is_refused() {
    let folder = folder();
    let dir = folder.path();
    clamps(dir).args(["tune", "--in", "in.melt", "--patience", "0"]).assert().success();
    let file = record_file(dir);
    let whole: Value = serde_json::from_slice(&std::fs::read(&file).expect("read")).expect("JSON");
    let with = |change: &dyn Fn(&mut Value)| {
        let mut value = whole.clone();
        change(&mut value);
        value.to_string()
    };
    let cases = [
        ("{".to_owned(), "it cannot be read"),
        (with(&|v| v["version"] = 99.into()), "its version is 99, not 6"),
        (with(&|v| v["version"] = Value::Null), "its version is null"),
        (with(&|v| v["driver"] = "other".into()), "it is of another device"),
        (with(&|v| v["choice"]["vector"] = 3.into()), "vector 3 is not a power of two"),
        (with(&|v| v["choice"]["vector"] = 0.into()), "vector 0 is not a power of two"),
        (
            with(&|v| v["choice"]["pair_local"] = 1_000_000_000.into()),
            "pair_local 1000000000 is no work-group",
        ),
        (with(&|v| v["choice"]["lanes"] = "many".into()), "it cannot be read"),
        (with(&|v| v["choice"]["magic"] = 1.into()), "it cannot be read"),
    ];
    for (text, why) in cases {
        std::fs::write(&file, text).expect("written");
        clamps(dir).args(["-in", "in.melt", "-log", "none", "-var", "steps", "0"]).assert().success().stdout(
            contains("WARNING: the record of tuning").and(contains(why)).and(contains("Shape: shipped")),
        );
    }
}

/// The script with lists rebuilt where an atom has moved half the skin, in a box that grows.
fn checked(folder: &Path) {
    let checked = SCRIPT.replace("every 20 check no", "every 1 check yes");
    let growing = checked.replace("thermo 20", "fix 2 all deform 1 x scale 1.05 remap x\nthermo 20");
    std::fs::write(folder.join("in.melt"), growing).expect("written");
}

/// The record of the skin, as if that had been found the fastest.
fn forge(folder: &Path, skin: f64) {
    let file = record_file(folder);
    let mut kept: Value = serde_json::from_slice(&std::fs::read(&file).expect("read")).expect("JSON");
    assert_eq!(kept["script_skin"], 0.3);
    kept["skin"] = skin.into();
    std::fs::write(&file, kept.to_string()).expect("written");
}

#[test]
fn a_skin_of_the_tuners_is_for_those_who_ask() {
    in_third!(1);
    let folder = folder();
    let dir = folder.path();
    clamps(dir)
        .args(["tune", "in.melt", "--skin"])
        .assert()
        .success()
        .stdout(contains("The skin stays 0.3: in.melt has lists rebuilt without a check"));
    let log = |words: &[&str]| {
        let output = clamps(dir).args(["-in", "in.melt", "-log", "none"]).args(words).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).expect("text")
    };
    let text = log(&["-skin", "auto"]);
    assert!(text.contains("Skin: 0.3, the script's, as lists are rebuilt without a check"), "{text}");
    assert!(!dir.join("cache").exists(), "nothing has been tried");

    checked(dir);
    let (script_rows, _, script) = run(dir, &[]);
    let words = ["tune", "in.melt", "--skin", "--patience", "0.5", "--json", "tune.json"];
    let tuned = clamps(dir).args(words).assert().success();
    tuned.stdout(contains("steps per rebuild").and(contains("the script's")).and(contains("Kept in ")));
    let tune: Value =
        serde_json::from_slice(&std::fs::read(dir.join("tune.json")).expect("a record")).expect("JSON");
    let system = &tune["systems"][0];
    assert!(system["script_interval"].as_f64().expect("a number") > 1.0);
    let trials = system["trials"].as_array().expect("trials");
    trials.iter().for_each(|trial| assert!(trial["outcome"].is_string(), "a skin failed: {trial}"));

    // The same physics with a wider skin, and less rebuilds.
    forge(dir, 0.6);
    let text = log(&["-skin", "auto"]);
    assert!(text.contains("\nSkin: 0.6 by the tuner (the script's is 0.3)\n"), "{text}");
    assert!(text.contains("  master list distance cutoff = 3.1\n"), "{text}");
    let (rows, _, auto) = run(dir, &["-skin", "auto"]);
    assert_eq!(rows.len(), 3);
    for (row, script) in rows.iter().flatten().zip(script_rows.iter().flatten()) {
        assert!((row - script).abs() <= 2e-5 * script.abs().max(1.0), "{row} {script}");
    }
    let [script, auto] = [&script["runs"][0], &auto["runs"][0]];
    assert_eq!([&auto["skin"], &auto["script_skin"]], [0.6, 0.3]);
    assert_eq!([&script["skin"], &script["script_skin"]], [0.3, 0.3]);
    let builds = |run: &Value| run["builds"].as_u64().expect("a number");
    assert!(0 < builds(auto) && 3 * builds(auto) < 2 * builds(script), "{} {}", builds(auto), builds(script));

    // Nobody else gets it.
    for words in [&[][..], &["-skin", "script"], &["-tune", "on"]] {
        let text = log(&[words, &["-skiprun"]].concat());
        assert!(!text.contains("Skin: ") && text.contains("distance cutoff = 2.8\n"), "{words:?}: {text}");
    }
    forge(dir, 0.3);
    let text = log(&["-skin", "auto", "-skiprun"]);
    assert!(text.contains("Skin: 0.3, the script's: the tuner has found none that is faster"), "{text}");
    // One that no box has room for, and one that is none.
    forge(dir, 1e6);
    let text = log(&["-skin", "auto", "-skiprun"]);
    assert!(text.contains("WARNING: the skin 1000000 of the tuner is not used: "), "{text}");
    assert!(text.contains("distance cutoff = 2.8\n"), "{text}");
    forge(dir, -0.1);
    let text = log(&["-skin", "auto", "-skiprun"]);
    assert!(text.contains("-0.1 is no skin for this script"), "{text}");
}

/// Lists around predicted positions last nearly twice as long, so that another skin may be the fastest. Trials have their lists built as runs
/// have, though plain `nve` stands in for a fix of these.
#[test]
fn a_skin_is_for_lists_that_are_built_alike() {
    let folder = folder();
    let dir = folder.path();
    let script =
        SCRIPT.replace("0 5 0 5 0 5", "0 6 0 6 0 6").replace("every 20 check no", "every 1 check yes");
    let interval = |script: &str| {
        std::fs::write(dir.join("in.melt"), script).expect("written");
        let words = ["tune", "in.melt", "--skin", "--patience", "0", "--json", "tune.json"];
        clamps(dir).args(words).assert().success();
        let json = std::fs::read(dir.join("tune.json")).expect("a record");
        let tune: Value = serde_json::from_slice(&json).expect("JSON");
        tune["systems"][0]["script_interval"].as_f64().expect("a number")
    };
    let with = |lines: &str| interval(&script.replace("thermo 20", &format!("{lines}\nthermo 20")));
    let by_group = with("variable high atom z>1\ngroup up dynamic all var high every 10");
    let by_fix = with("variable none equal 0\nfix 2 all addforce v_none 0.0 0.0");
    std::fs::remove_dir_all(dir.join("cache")).expect("was there");
    let predicted = interval(&script);
    assert_eq!(by_fix, by_group);
    assert!(predicted > 1.2 * by_fix, "{predicted} {by_fix}");

    forge(dir, 0.5);
    let run = |words: &[&str]| {
        let words =
            [&["-in", "in.melt", "-log", "none", "-skin", "auto", "-var", "steps", "0"], words].concat();
        clamps(dir).args(words).assert().success()
    };
    run(&[]).stdout(contains("Skin: 0.5 by the tuner"));
    run(&["-rebuild", "lammps"]).stdout(contains("Skin: ").not().and(contains("WARNING").not()));
}

/// As on the nodes of a cluster where the user's folders are not, or are not to be written.
#[test]
fn a_skin_that_cannot_be_kept_is_searched_for_once() {
    let folder = folder();
    let dir = folder.path();
    let script = SCRIPT.replace("delay 0 every 20 check no", "delay 10 every 1 check yes");
    std::fs::write(dir.join("in.melt"), script + "run 20\n").expect("written");
    let output = clamps(dir)
        .env("CLAMPS_CACHE_DIR", "/proc/none")
        .args(["-in", "in.melt", "-log", "none", "-skin", "auto"])
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("text");
    let lines = |begin: &str| text.lines().filter(|line| line.starts_with(begin)).collect::<Vec<_>>();
    assert_eq!(lines("WARNING: cannot keep the record of tuning").len(), 1, "{text}");
    assert!(text.contains("\n  CLAMPS_CACHE_DIR names another folder"), "{text}");
    let skins = lines("Skin: ");
    assert!(skins.len() == 2 && skins[0] == skins[1], "{skins:?}");
}

#[test]
fn runs_go_on_with_the_skin_of_their_restart_file() {
    let folder = folder();
    let dir = folder.path();
    let script = SCRIPT.replace("every 20 check no", "every 1 check yes");
    std::fs::write(dir.join("in.melt"), &script).expect("written");
    clamps(dir).args(["tune", "in.melt", "--skin", "--patience", "0"]).assert().success();
    forge(dir, 0.5);
    let whole = script.replace("run ${steps}", "restart 20 kept\nrun 40\nwrite_data whole nofix");
    let (before, after) = script.split_once("fix 1").expect("a fix");
    let rest =
        format!("fix 1{after}").replace("run ${steps}", "restart 20 kept\nrun 20\nwrite_data rest nofix");
    let settings =
        before.lines().skip_while(|line| !line.starts_with("neighbor")).collect::<Vec<_>>().join("\n");
    std::fs::write(dir.join("in.whole"), whole).expect("written");
    std::fs::write(dir.join("in.rest"), format!("read_restart kept.20\n{settings}\n{rest}"))
        .expect("written");
    let skin = "Skin: 0.5 by the tuner (the script's is 0.3)";
    let run = |words: &[&str]| clamps(dir).args(["-log", "none"]).args(words).assert().success();
    run(&["-in", "in.whole", "-skin", "auto"]).stdout(contains(skin));
    // Whatever has become of the record.
    std::fs::remove_dir_all(dir.join("cache")).expect("was there");
    run(&["-in", "in.rest"]).stdout(contains(skin));
    let data = |name: &str| {
        let text = std::fs::read_to_string(dir.join(name)).expect("read");
        text.split_once('\n').expect("a first line").1.to_owned()
    };
    assert!(data("whole") == data("rest"), "other bits");
    run(&["-in", "in.rest", "-skin", "script"]).stdout(contains("Skin: ").not());
}

#[test]
fn bad_input_says_so() {
    let folder = folder();
    let dir = folder.path();
    std::fs::write(dir.join("in.none"), "units lj\n").expect("written");
    clamps(dir)
        .args(["tune", "in.none"])
        .assert()
        .failure()
        .code(1)
        .stderr(contains("in.none has no run to tune for"));
    clamps(dir).args(["tune", "missing"]).assert().failure().code(1).stderr(contains("cannot read missing"));
    clamps(dir)
        .args(["tune", "in.melt", "--patience", "x"])
        .assert()
        .failure()
        .stderr(contains("number of seconds"));
    clamps(dir).args(["-in", "in.melt", "-tune", "maybe"]).assert().failure().stderr(contains("maybe"));
    clamps(dir)
        .args(["-in", "in.melt", "-skin", "0.5"])
        .assert()
        .failure()
        .stderr(contains("invalid value '0.5' for '--skin").and(contains("script, auto")));
}

/// On any device, as if it were a GPU: minutes of compiling, so it is run by name.
#[test]
#[ignore = "compiles some forty shapes"]
fn every_shape_that_a_search_on_a_gpu_begins_with_is_right() {
    let session = systems::melt(8, 0.1);
    for gpu in test_devices() {
        let own = systems::gpu_shape(&gpu, Precision::Mixed, 1000);
        let mut facts = None;
        for atoms in [1000, 1_000_000] {
            let shipped = systems::gpu_shape(&gpu, Precision::Mixed, atoms);
            for choice in candidates(shipped) {
                if choice.check(shipped, gpu.info(), Precision::Mixed).is_err() {
                    continue;
                }
                let shape = choice.shape(shipped, gpu.info(), Precision::Mixed);
                let mut found = systems::simulation(&session, &gpu, Precision::Mixed, Some(shape));
                let facts = facts.get_or_insert_with(|| {
                    let mut own = systems::simulation(&session, &gpu, Precision::Mixed, Some(own));
                    Facts::of(&mut own).expect("runs")
                });
                facts
                    .check(&mut found)
                    .unwrap_or_else(|error| panic!("{}: {choice:?}: {error}", label(gpu.info())));
            }
        }
    }
}
