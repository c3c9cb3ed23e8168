//! `rerun` and `read_dump`: frames read back, against LAMMPS's output and against the run that wrote them.

mod common;

use clamps::base::error::{Error, Result};
use clamps::base::log::Log;
use clamps::commands::interpreter::{Echo, Interpreter};
use clamps::gpu::options::Precision;
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::Options;
use std::path::Path;

/// Runs a script in which `DIR` is a folder.
fn try_run(script: &str, dir: &Path) -> Result<Session> {
    let options = Options { precision: Some(Precision::Double), ..Options::default() };
    let mut session = Session::new(options, Log::memory(), Variables::default());
    session.device.gpu = Some(common::own_gpu());
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run("in.test", &script.replace("DIR", &dir.display().to_string()))?;
    Ok(interpreter.session)
}

fn run(script: &str, dir: &Path) -> Session {
    try_run(script, dir).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

fn fails(script: &str, dir: &Path) -> Error {
    try_run(script, dir).err().unwrap_or_else(|| panic!("{script} must fail"))
}

/// The rows of thermo output by their steps.
fn rows(session: &Session) -> Vec<String> {
    let is_row = |line: &&str| line.split_whitespace().next().is_some_and(|word| word.parse::<i64>().is_ok());
    let columns = |line: &str| line.split_whitespace().count() >= 6;
    let lines = session.output.log.text().lines().filter(is_row).filter(|line| columns(line));
    lines.filter(|line| line.starts_with("   ")).map(|line| line.trim().to_owned()).collect()
}

const MELT: &str = "lattice fcc 0.8442
    region box block 0 4 0 4 0 4
    create_box 1 box
    create_atoms 1 box
    mass 1 1.0
    velocity all create 3.0 87287 loop geom
    pair_style lj/cut 2.5
    pair_coeff 1 1 1.0 1.0
    thermo 20\n";

/// Velocities stay as the frames have them, whatever moves atoms in runs.
#[test]
fn thermostats_have_no_part_in_reruns() {
    let dir = tempfile::tempdir().expect("a directory");
    let written = format!(
        "{MELT}fix 1 all nvt temp 0.7 0.7 0.1
        dump d all custom 20 DIR/d id x y z vx vy vz
        dump_modify d format float %.17g sort off
        run 40"
    );
    let before = rows(&run(&written, dir.path()));
    assert_eq!(before.len(), 3);
    let again = format!("{MELT}fix 1 all nvt temp 0.7 0.7 0.1\nrerun DIR/d dump x y z vx vy vz");
    assert_eq!(rows(&run(&again, dir.path())), before);
}

/// Fixes that measure take their samples at the frames, from the first one on.
#[test]
fn averages_are_taken_at_the_frames() {
    let dir = tempfile::tempdir().expect("a directory");
    let average = |file: &str| {
        format!(
            "compute v all reduce max vx vy\nfix a all ave/time 20 1 20 c_v[*] file DIR/{file} format %.17g\n"
        )
    };
    let written = format!(
        "{MELT}fix 1 all nve\n{}dump d all custom 20 DIR/d id x y z vx vy vz
        dump_modify d format float %.17g sort off
        run 60",
        average("during")
    );
    run(&written, dir.path());
    run(&format!("{MELT}{}rerun DIR/d dump x y z vx vy vz", average("again")), dir.path());
    let text = |file: &str| std::fs::read_to_string(dir.path().join(file)).expect("a file of averages");
    assert_eq!(text("during").lines().count(), 2 + 4);
    assert_eq!(text("again"), text("during"));
}

#[test]
fn frames_give_the_rows_of_their_run() {
    for (style, name) in [
        ("custom 10 DIR/FILE id x y z vx vy vz", "d"),
        ("custom 10 DIR/FILE vz vy vx zsu ysu xsu id", "d.gz"),
    ] {
        let dir = tempfile::tempdir().expect("a directory");
        let written = format!(
            "{MELT}fix 1 all nve\ndump d all {style}\ndump_modify d format float %.17g sort off units yes\nrun 80"
        );
        let before = run(&written.replace("FILE", name), dir.path());
        let expected = rows(&before);
        assert_eq!(expected.len(), 5, "{expected:?}");
        let again = format!("{MELT}rerun DIR/{name} first 20 last 60 dump x y z vx vy vz");
        let after = run(&again, dir.path());
        assert_eq!(rows(&after), expected[1..4]);
        assert!(after.output.log.text().contains("for 5 steps with 256 atoms"));
        let some = format!("{MELT}rerun DIR/{name} every 20 skip 4 post no dump x y z vx vy vz");
        let some = run(&some, dir.path());
        assert_eq!(rows(&some), [&expected[0][..], &expected[2], &expected[4]]);
        assert!(!some.output.log.text().contains("Section"));
        // The last frame has a row whenever it comes, as in LAMMPS.
        for (every, steps) in [(15, &["0", "30", "60", "80"][..]), (0, &["0", "80"])] {
            let all = run(&format!("{MELT}thermo {every}\nrerun DIR/{name} dump x y z vx vy vz"), dir.path());
            let found = rows(&all);
            let found: Vec<&str> = found.iter().filter_map(|row| row.split_whitespace().next()).collect();
            assert_eq!(found, steps);
        }
    }
}

/// A dump in the order and with the columns of nobody's dump in particular.
const DUMP: &str = "ITEM: UNITS\nlj\nITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n4\nITEM: BOX BOUNDS pp pp pp
0.0 4.0\n0.0 4.0\n0.0 4.0\nITEM: ATOMS id type xs ys zs vx vy vz ix iy iz
1 1 0.1 0.2 0.3 1 0.5 0 0 0 0\n2 1 0.35 0.2 0.3 0 0 2 0 0 0\n4 1 0.1 0.95 0.3 0.25 0 -1 1 0 -1
3 1 0.9 0.2 0.6 0 -3 0 0 0 0\nITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n4\nITEM: BOX BOUNDS pp pp pp
-0.5 4.0\n0.0 4.5\n0.0 4.0\nITEM: ATOMS id type x y z vx vy vz\n4 1 0.5 0.9 1.3 0.5 0 -1\n3 1 3.6 0.8 2.4 0 -2 0
2 1 1.55 0.8 1.2 0 0 2\n1 1 0.45 1.0 2.2 1 0.25 0\nITEM: TIMESTEP\n10\nITEM: NUMBER OF ATOMS\n3
ITEM: BOX BOUNDS pp pp pp\n-0.5 4.0\n0.0 4.5\n0.0 4.0\nITEM: ATOMS id type x y z xu yu zu
9 1 0.5 0.9 1.3 5.0 0.9 1.3\n2 2 3.6 0.8 2.4 3.6 5.3 2.4\n1 1 1.6 0.8 1.2 1.6 0.8 1.2\n";

const SYSTEM: &str = "region box block 0 4 0 4 0 4
    create_box 2 box
    create_atoms 1 single 1 1 1 units box
    create_atoms 1 single 2 1 1 units box
    create_atoms 1 single 3 1 1 units box
    create_atoms 1 single 1 2 3 units box
    mass * 1
    pair_style lj/cut 1.5
    pair_coeff * * 1 1
    pair_modify shift yes
    thermo_style custom step temp pe press vol atoms time
    thermo_modify norm no
    thermo 5\n";

fn with_dump() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("d"), DUMP).expect("written");
    dir
}

/// Rows that LAMMPS prints for `SYSTEM` and these frames.
#[test]
fn rows_are_those_of_lammps() {
    let dir = with_dump();
    let session = run(&format!("{SYSTEM}rerun DIR/d first 5 every 5 skip 2 dump x y z box no"), dir.path());
    let words = |row: &str| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let expected = words("5 0 12.998612 1.3021648 64 4 0.025");
    assert_eq!(rows(&session).iter().map(|row| words(row)).collect::<Vec<_>>(), [expected]);
    let session = run(&format!("{SYSTEM}rerun DIR/d last 0 dump x y z vx vy vz"), dir.path());
    let expected = words("0 1.7013889 0.44874286 0.30723045 64 4 0");
    assert_eq!(rows(&session).iter().map(|row| words(row)).collect::<Vec<_>>(), [expected]);
}

/// Frames that LAMMPS's write_dump shows after its read_dump.
#[test]
fn atoms_are_replaced_purged_trimmed_and_added() {
    let dir = with_dump();
    for (words, counts, expected) in [
        (
            "10 x y z purge yes add keep replace no",
            [4, 3, 4, 0, 0, 3, 3],
            "1 1 1.6 0.8 1.2 0 0 0\n2 2 3.6 0.8 2.4 0 0 0\n9 1 0.5 0.9 1.3 0 0 0\n",
        ),
        (
            "10 x y z trim yes add yes wrapped no timestep no",
            [4, 3, 0, 2, 2, 1, 3],
            "1 1 1.6 0.8 1.2 0 0 0\n2 1 3.6 0.8 2.4 0 0 0\n3 1 0.5 0.9 1.3 0 0 0\n",
        ),
        (
            "0 x y z ix iy iz box no",
            [4, 4, 0, 4, 0, 0, 4],
            "1 1 0.4 0.8 1.2 0 0 0\n2 1 1.4 0.8 1.2 0 0 0\n3 1 3.6 0.8 2.4 0 0 0\n4 1 0.4 3.8 1.2 1 0 -1\n",
        ),
    ] {
        let script = format!(
            "{SYSTEM}read_dump DIR/d {words}\nwrite_dump all custom DIR/e id type x y z ix iy iz modify header no"
        );
        let session = run(&script, dir.path());
        assert_eq!(std::fs::read_to_string(dir.path().join("e")).expect("a file"), expected, "{words}");
        let names = ["before read", "in snapshot", "purged", "replaced", "trimmed", "added", "after read"];
        for (count, name) in counts.into_iter().zip(names) {
            assert!(
                session.output.log.text().contains(&format!("  {count} atoms {name}\n")),
                "{words}: {name}"
            );
        }
        assert_eq!(
            session.clock.step,
            if words.contains("timestep no") { 0 } else { words[..2].trim().parse().expect("a step") }
        );
    }
}

#[test]
fn wrong_files_and_words_are_told() {
    let dir = with_dump();
    for (words, message, marked) in [
        ("read_dump DIR/none 5 x y z", "cannot open", "none"),
        ("read_dump DIR/d 7 x y z", "has no frame of step 7", "7"),
        ("read_dump DIR/d 5 x y z ix iy iz", "no column for 'ix'", "d"),
        ("read_dump DIR/d 5", "a field such as x is missing", ""),
        ("read_dump DIR/d 5 q", "'q' is not supported", "q"),
        ("read_dump DIR/d 5 x format molfile", "unknown format of dumps 'molfile'", "molfile"),
        ("rerun DIR/d", "rerun keyword is missing", ""),
        ("rerun DIR/d dump", "a field such as x is missing", ""),
        ("rerun DIR/d first 11 dump x y z", "none of the frames", "rerun"),
    ] {
        let error = fails(&format!("{SYSTEM}{words}"), dir.path());
        assert!(error.message.contains(message), "{words}: {}", error.message);
        let (source, span) = error.at.expect("a place");
        assert!(source.text.get(span).unwrap_or_default().ends_with(marked), "{words}: {}", error.message);
    }
    assert!(fails("read_dump DIR/d 5 x", dir.path()).message.contains("no simulation box"));
    for (text, message) in [
        ("ITEM: TIMESTEP\nx\n", "'x' is not a step"),
        ("# no dump\n1 2 3\n", "not the start of a frame"),
        ("ITEM: TIMESTEP\n5\nITEM: ATOMS id x\n", "not complete"),
        ("ITEM: TIMESTEP\n5\nITEM: BOX BOUNDS abc origin pp pp pp\n0 1 0\n", "arbitrary orientation"),
        ("ITEM: TIMESTEP\n5\nITEM: TEMPERATURE\n1\n", "no part of a frame"),
        (&DUMP[..DUMP.len() - 30], "'x' is missing|ends within"),
        (&DUMP.replace("0.35", "zero"), "'zero' is not"),
        (&DUMP[..170], "ends within a frame"),
    ] {
        std::fs::write(dir.path().join("bad"), text).expect("written");
        let error = fails(&format!("{SYSTEM}rerun DIR/bad dump x y z"), dir.path());
        let told = message.split('|').any(|message| error.message.contains(message));
        assert!(told, "{text}: {}", error.message);
        assert!(error.at.is_some_and(|(source, _)| source.file.ends_with("bad")), "{text}");
    }
    for (text, keywords, message) in [
        ("1\na remark\n1 0 0 0\n", "", "files of the format xyz have no box"),
        ("x\na remark\n1 0 0 0\n", "box no", "'x' is not a number of atoms"),
        ("2\na remark\n1 0 0 0\n", "box no", "ends within a frame"),
        ("1\n", "box no", "ends within a frame"),
        ("1\na remark\n1 0 0\n", "box no", "z is missing"),
        ("1\na remark\n1 0 0 zero\n", "box no", "'zero' is not"),
    ] {
        std::fs::write(dir.path().join("bad"), text).expect("written");
        let error = fails(&format!("{SYSTEM}rerun DIR/bad dump x y z {keywords} format xyz"), dir.path());
        assert!(error.message.contains(message), "{text}: {}", error.message);
        assert!(error.at.is_some(), "{text}");
    }
}

/// Those up to there are read, as in LAMMPS 22 Jul 2025.
#[test]
fn frames_beyond_the_stop_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    run(&format!("{MELT}fix 1 all nve\ndump d all custom 2 DIR/d id x y z\nrun 6"), dir.path());
    let again = |words: &str| format!("{MELT}rerun DIR/d {words} dump x y z");
    let error = fails(&again("stop 4"), dir.path());
    assert!(error.message.contains("the frame of step 6 is beyond stop 4"), "{}", error.message);
    assert!(error.help.is_some_and(|help| help.contains("last N")) && error.at.is_some());
    for words in ["stop 6", "stop 4 last 4", "last 4"] {
        run(&again(words), dir.path());
    }
}

/// As in LAMMPS 22 Jul 2025: each frame once, in the file and in the log, also the first one.
#[test]
fn fixes_print_each_frame_once() {
    let dir = tempfile::tempdir().expect("a directory");
    run(&format!("{MELT}fix 1 all nve\ndump d all custom 2 DIR/d id x y z vx vy vz\nrun 6"), dir.path());
    let again = "fix 1 all nve
        fix p all print 2 'step $(step)' file DIR/printed
        fix a all ave/time 2 1 2 c_thermo_pe file DIR/means
        rerun DIR/d dump x y z vx vy vz";
    let log = run(&format!("{MELT}{again}"), dir.path()).output.log.text().to_owned();
    let of = |text: &str, what: &str| -> Vec<String> {
        text.lines().filter_map(|line| line.strip_prefix(what)).map(str::to_owned).collect()
    };
    assert_eq!(of(&log, "step "), ["0", "2", "4", "6"]);
    let file = |name| std::fs::read_to_string(dir.path().join(name)).expect("written");
    assert_eq!(of(&file("printed"), "step "), ["0", "2", "4", "6"]);
    let steps = |line: &str| line.split(' ').next().and_then(|word| word.parse::<i64>().ok());
    assert_eq!(file("means").lines().filter_map(steps).collect::<Vec<_>>(), [0, 2, 4, 6]);
}
