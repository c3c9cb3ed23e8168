//! Restart files: what comes back, resumed runs to the last bit, broken files, and a killed program.

#[macro_use]
mod common;

use clamps::base::error::{Error, Result};
use clamps::base::log::Log;
use clamps::commands::interpreter::{Echo, Interpreter};
use clamps::gpu::Gpu;
use clamps::gpu::options::{Precision, TimingMode};
use clamps::model::atoms::Atoms;
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::Options;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs a script in which `DIR` is a folder.
fn try_run(script: &str, dir: &Path, gpu: Option<&Gpu>, precision: Option<Precision>) -> Result<Session> {
    let options = Options { precision, timing: TimingMode::Off, ..Options::default() };
    let mut session = Session::new(options, Log::memory(), Variables::default());
    session.device.gpu = Some(gpu.cloned().unwrap_or_else(common::own_gpu));
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run("in.test", &script.replace("DIR", &dir.display().to_string()))?;
    Ok(interpreter.session)
}

fn run(script: &str, dir: &Path, gpu: Option<&Gpu>, precision: Option<Precision>) -> Session {
    try_run(script, dir, gpu, precision).unwrap_or_else(|error| panic!("{}", error.render(false)))
}

fn fails(script: &str, dir: &Path) -> Error {
    try_run(script, dir, None, None).err().unwrap_or_else(|| panic!("{script} must fail"))
}

/// The atoms in the order of their IDs, and the box.
fn system(session: &mut Session) -> (Atoms, [[f64; 3]; 2]) {
    let atoms = session.atoms().expect("atoms");
    let atoms = atoms.select(&atoms.by_tag());
    let domain = session.domain().expect("a box");
    (atoms, [domain.lo, domain.hi])
}

/// A hot drop with two types, whose list is rebuilt often.
const DROP: &str = "lattice fcc 0.8442
    region box block -EDGE EDGE -EDGE EDGE -EDGE EDGE
    region drop block -2 2 -2 2 -2 2
    create_box 2 box
    create_atoms 1 region drop
    group some id 7 11:40
    set group some type 2
    mass 1 1.0
    mass 2 1.5
    velocity all create 3.0 87287 loop geom
    pair_style lj/cut 2.5
    pair_coeff * * 1.0 1.0
    pair_coeff 1 2 0.9 1.1
    pair_modify shift yes
    neighbor 0.25 bin\n";

const AFTER: &str = "fix 1 all nve
    restart 45 DIR/r.*
    run 110 upto\n";

#[test]
fn resumed_runs_have_the_bits_of_unbroken_ones() {
    in_third!(1);
    apart!();
    for gpu in &common::test_devices_with(TimingMode::Off) {
        let leaning = "change_box all triclinic xy final 0.9 xz final -0.6 yz final 0.7 units box\n";
        let boxes =
            [("p p p", "2", ""), ("s s s", "30", ""), ("p m fs", "2.5", ""), ("s p m", "2.5", leaning)];
        for (k, (boundary, edge, lean)) in boxes.into_iter().enumerate() {
            for (turn, (precision, check)) in [
                (Precision::Double, "every 1 delay 0 check yes"),
                (Precision::Double, "every 7 delay 0 check no"),
                (Precision::Mixed, "every 1 delay 0 check yes"),
                (Precision::Mixed, "every 7 delay 0 check no"),
                (Precision::Single, "every 1 delay 0 check yes"),
            ]
            .into_iter()
            .enumerate()
            .filter(|(_, (precision, check))| {
                common::chosen(&[k, *precision as usize, usize::from(check.ends_with("no"))])
            }) {
                if precision != Precision::Single && !gpu.info().fp64 {
                    continue;
                }
                let dir = tempfile::tempdir().expect("a directory");
                let start = format!(
                    "boundary {boundary}\n{}{lean}neigh_modify {check}\nthermo_modify lost ignore\n",
                    DROP.replace("EDGE", edge)
                );
                let mut whole = run(&format!("{start}{AFTER}"), dir.path(), Some(gpu), Some(precision));
                let expected = system(&mut whole);
                assert!(expected.0.len() > 200, "{}", expected.0.len());
                for from in common::by_turns((k + turn) / 2, &[45, 90]) {
                    let text = format!("read_restart DIR/r.{from}\nthermo_modify lost ignore\n{AFTER}");
                    let mut resumed = run(&text, dir.path(), Some(gpu), None);
                    assert_eq!(resumed.clock.step, 110);
                    assert_eq!(resumed.clock.time.to_bits(), whole.clock.time.to_bits());
                    let same = system(&mut resumed) == expected;
                    assert!(same, "{boundary} {lean}{precision:?} {check} from {from}");
                }
            }
        }
    }
}

/// A drop of which a part is in rigid bodies, by each style; where a run was broken off, and where it had ended.
#[test]
fn rigid_bodies_go_on_where_they_were() {
    apart!("cheap");
    let gpus = common::test_devices_with(TimingMode::Off);
    let bodies = "fix m all property/atom mol i_own\n";
    let start = format!(
        "{}group bodies id 1:12 20:31\ngroup rest subtract all bodies\n{bodies}
        set group bodies mol 1\nset group bodies i_own 1\ngroup second id <> 20 31
        set group second mol 2\nset group second i_own 5\n",
        DROP.replace("EDGE", "2").replace("velocity all create 3.0", "velocity all create 1.0")
    );
    for gpu in &gpus {
        for (turn, fix) in [
            "rigid molecule langevin 1.0 2.0 0.5 4711",
            "rigid/nve custom i_own torque 1 off on on",
            "rigid/small molecule reinit no",
            "rigid/nvt/small molecule temp 1.0 1.5 0.2 tparam 3 1 5",
        ]
        .into_iter()
        .enumerate()
        {
            let dir = tempfile::tempdir().expect("a directory");
            let fixes =
                format!("fix r bodies {fix}\nfix n rest nve\nneigh_modify exclude molecule/intra bodies\n");
            let run_on = "restart 30 DIR/r.*\nrun 75 upto start 0 stop 75\nwrite_restart DIR/end\nrun 20\n";
            let output = "thermo_style custom step temp press f_r\nthermo 15\n";
            let script = format!("{start}{fixes}{output}{run_on}");
            let precision = Some(if gpu.info().fp64 { Precision::Mixed } else { Precision::Single });
            let mut whole = run(&script, dir.path(), Some(gpu), precision);
            let (expected, row) = (system(&mut whole), whole.output.last_row.clone().expect("a row"));
            let places = [("r.30", run_on), ("r.60", run_on), ("end", "restart 30 DIR/r.*\nrun 20\n")];
            for (from, rest) in common::by_turns(turn, &places) {
                let text = format!("read_restart DIR/{from}\n{bodies}{fixes}{output}{rest}");
                let mut resumed = run(&text, dir.path(), Some(gpu), None);
                assert!(system(&mut resumed) == expected, "{fix} from {from}");
                let again = resumed.output.last_row.clone().expect("a row");
                assert_eq!(again.fix_virial, row.fix_virial, "{fix} from {from}");
            }
        }
    }
}

/// After a restart file from the midst of a run a script may stop bodies, or have others: these begin anew.
#[test]
fn bodies_that_a_script_changes_after_a_restart_begin_anew() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let start = format!("{}group s id 1:4\ngroup t id 5:8\n", DROP.replace("EDGE", "2"));
    let fixes = |group: &str| {
        format!("fix 1 {group} rigid single\nneigh_modify exclude group {group} {group}\nrestart 5 DIR/r.*\n")
    };
    let mut whole = run(&format!("{start}{}run 7\n", fixes("s")), dir.path(), None, None);
    let at = |session: &mut Session| system(session).0.x;
    let mut still = run("read_restart DIR/r.5\n", dir.path(), None, None);
    let mut stopped = run(
        &format!("read_restart DIR/r.5\n{}velocity s set 0 0 0\nrun 0\n", fixes("s")),
        dir.path(),
        None,
        None,
    );
    assert!(system(&mut stopped).0.v[..4].iter().all(|&v| v == [0.0; 3]));
    let mut others = run(&format!("read_restart DIR/r.5\n{}run 0\n", fixes("t")), dir.path(), None, None);
    let before = at(&mut still);
    for (a, b) in at(&mut others).iter().zip(&before) {
        assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-6), "{a:?} {b:?}");
    }
    assert!(at(&mut whole) != before);
}

#[test]
fn molecules_charges_and_properties_come_back() {
    apart!("cheap");
    let fixes = "fix own all property/atom i_kind d_size d2_way 2 mol q\n";
    let dir = tempfile::tempdir().expect("a directory");
    let start = format!(
        "{}{fixes}variable x atom x\nset group some i_kind 3 d_size v_x d2_way[2] -1.5 mol 4 charge 0.25\n{AFTER}",
        DROP.replace("EDGE", "2") + "labelmap atom 2 second\n"
    );
    let mut whole = run(&start, dir.path(), None, None);
    let expected = system(&mut whole).0;
    let sum = |name| expected.custom.get(name).expect("a property").iter().sum::<f64>();
    assert!(sum("i_kind") > 90.0 && sum("d2_way[2]") < -45.0, "{:?}", expected.custom);
    assert!(expected.molecule.contains(&4) && expected.charge.contains(&0.25));
    let text = format!("read_restart DIR/r.45\n{fixes}{AFTER}");
    let mut resumed = run(&text, dir.path(), None, None);
    assert!(system(&mut resumed).0 == expected);
    assert_eq!(resumed.system.labels.atom.number("second"), Some(2));
    assert_eq!(
        fails("read_restart DIR/r.45\nset group all i_kind 1", dir.path()).message,
        "set: atoms have no property 'i_kind'"
    );
}

#[test]
fn atoms_that_come_and_go_do_so_after_a_restart() {
    apart!("cheap");
    let fixes = "region above block -3 3 -3 3 5 8 units box
    fix in some deposit 30 2 5 4711 region above near 1 attempt 50 vz -2 -1 units box
    fix out all evaporate 25 3 above 12
    thermo_modify lost ignore\n";
    for precision in common::by_turns(0, &[Precision::Mixed, Precision::Single]) {
        let dir = tempfile::tempdir().expect("a directory");
        let start = format!("boundary p p f\n{}{fixes}{AFTER}", DROP.replace("EDGE", "6"));
        let mut whole = run(&start, dir.path(), None, Some(precision));
        let expected = system(&mut whole);
        let new = expected.0.tag.iter().filter(|&&tag| tag > 365).count();
        assert!((5..22).contains(&new), "{new}");
        let text = format!("read_restart DIR/r.45\n{fixes}{AFTER}");
        let mut resumed = run(&text, dir.path(), None, None);
        assert!(system(&mut resumed) == expected, "{precision:?}");
    }
}

/// A long box that becomes smaller and larger again, with cells that it keeps for a while: not beyond a restart file.
#[test]
fn a_box_that_moves_is_divided_alike_after_a_restart() {
    apart!();
    let dir = tempfile::tempdir().expect("a directory");
    let after = "neighbor 0.3 bin\nneigh_modify every 1 delay 0 check yes\nfix 1 all npt temp 1.0 1.0 0.5 x 0 0 0.4\nrestart 100 DIR/r.*\n\
                 run 200 upto\n";
    let start = format!(
        "lattice fcc 0.8442\nregion b block 0 60 0 5 0 5\ncreate_box 1 b\ncreate_atoms 1 box\nmass 1 1\n\
         velocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\n{after}"
    );
    let mut whole = run(&start, dir.path(), None, Some(Precision::Mixed));
    let expected = system(&mut whole);
    let mut resumed = run(&format!("read_restart DIR/r.100\n{after}"), dir.path(), None, None);
    assert!(system(&mut resumed) == expected);
}

/// Moves by chance go on where they were, and so does the number of those that were made.
#[test]
fn trials_go_on_after_a_restart() {
    apart!("cheap");
    let fixes = "region below block -3 3 -3 3 -3 0 units box
    fix mc some gcmc 5 20 20 2 4711 2.0 -1.0 0.5
    fix w all widom 7 100 1 4711 2.0 region below
    compute_modify thermo_temp dynamic/dof yes
    thermo_style custom step temp pe f_mc[*] f_w[*]
    thermo_modify lost ignore format float %.17g\n";
    for precision in common::by_turns(1, &[Precision::Mixed, Precision::Single]) {
        let dir = tempfile::tempdir().expect("a directory");
        let start = format!("{}{fixes}{AFTER}", DROP.replace("EDGE", "4"));
        let mut whole = run(&start, dir.path(), None, Some(precision));
        let expected = system(&mut whole);
        let new = expected.0.tag.iter().filter(|&&tag| tag > 365).count();
        assert!((1..200).contains(&new), "{new}");
        let text = format!("read_restart DIR/r.45\n{fixes}{AFTER}");
        let mut resumed = run(&text, dir.path(), None, None);
        assert!(system(&mut resumed) == expected, "{precision:?}");
        let last = |session: &Session| {
            let text = session.output.log.text();
            text.lines().rfind(|line| line.trim_start().starts_with("110 ")).map(str::to_owned)
        };
        assert!(last(&whole).is_some());
        assert_eq!(last(&resumed), last(&whole), "{precision:?}");
    }
}

#[test]
fn everything_comes_back() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let script = format!(
        "units metal\nboundary p f p\n{}
        timestep 0.002\nneigh_modify every 3 delay 6 check no one 300\nreset_timestep 12
        set atom 5 image 1 NULL -2\nvelocity some set 1 2 3
        fix 1 some nve\nwrite_restart DIR/a.*.restart",
        DROP.replace("EDGE", "2")
    );
    let mut before = run(&script, dir.path(), None, Some(Precision::Double));
    before.output.log = Log::memory();
    let back = "read_restart DIR/a.*.restart\nwrite_restart DIR/b";
    let mut after = run(back, dir.path(), None, None);
    assert_eq!(system(&mut after), system(&mut before));
    assert_eq!((after.system.units.name, after.system.dimension, after.clock.step), ("metal", 3, 12));
    assert_eq!((after.clock.dt, after.clock.time), (0.002, before.clock.time));
    assert_eq!(
        (&after.system.mass, &after.system.groups.names),
        (&before.system.mass, &before.system.groups.names)
    );
    assert_eq!(
        (&after.system.domain, after.system.boundary),
        (&before.system.domain, before.system.boundary)
    );
    assert_eq!(after.neighbor, before.neighbor);
    assert_eq!(after.device.precision, Some(Precision::Double));
    assert!(after.fixes.is_empty());
    let [old, new] = [&before, &after].map(|session| session.force_field.pair.as_ref().expect("a style"));
    let [old, new] = [old, new].map(|pair| pair.resolve().expect("coefficients"));
    assert_eq!(new.coefficients(false), old.coefficients(false));
    assert_eq!((new.cutoffs(), new.mixed), (old.cutoffs(), old.mixed));
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).expect("a file");
    assert!(bytes("b") == bytes("a.12.restart"), "a file that is read and written is the same file");
}

#[test]
fn styles_with_many_numbers_come_back() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let script = format!(
        "{}pair_write 1 1 20 r 0.8 2.4 DIR/table T\npair_style hybrid/overlay table linear 100 lj/cut 2.0
        pair_coeff 1 1 table DIR/table T 2.0\npair_coeff 1 2 none\npair_coeff 2 2 lj/cut 1 1\npair_coeff 1 1 lj/cut 1 1 1.5
        pair_modify pair lj/cut shift yes\nwrite_restart DIR/r",
        DROP.replace("EDGE", "2")
    );
    let before = run(&script, dir.path(), None, None);
    std::fs::remove_file(dir.path().join("table")).expect("removed");
    let after = run("read_restart DIR/r", dir.path(), None, None);
    let [old, new] = [&before, &after].map(|session| session.force_field.pair.as_ref().expect("a style"));
    let [old, new] = [old, new].map(|pair| pair.resolve().expect("coefficients"));
    assert_eq!(new.coefficients(false), old.coefficients(false));
}

#[test]
fn names_take_turns_or_steps() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = format!(
        "{}fix 1 all nve\nvariable s equal stride(4,100,4)\nrestart v_s DIR/a DIR/b\nrestart 5 DIR/c\nrun 10
        restart 0\nrun 10",
        DROP.replace("EDGE", "2")
    );
    run(&script, dir.path(), None, None);
    let step = |name: &str| run(&format!("read_restart DIR/{name}"), dir.path(), None, None).clock.step;
    assert_eq!(["a", "b", "c.5", "c.10", "c.*"].map(step), [4, 8, 5, 10, 10]);
    assert_eq!(dir.path().read_dir().expect("listed").count(), 4);
}

#[test]
fn fixes_find_their_states() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let mut session = run(&DROP.replace("EDGE", "2"), dir.path(), None, None);
    let numbers = |id: &str, style: &str| (id.to_owned(), (style.to_owned(), vec![1.5]));
    session.script.fix_states = [numbers("1", "nve"), numbers("2", "nvt")].into();
    let mut interpreter = Interpreter::new(session, Echo::None);
    interpreter.run("in.test", "fix 1 all nve\nrun 0").expect("runs");
    let text = interpreter.session.output.log.text();
    assert!(text.contains("Resetting global fix info from restart file:\n  fix style: nve, fix ID: 1\n"));
    assert!(text.contains("Unused restart file global fix info:\n  fix style: nvt, fix ID: 2\n"), "{text}");
    assert!(interpreter.session.script.fix_states.is_empty());
}

#[test]
fn broken_files_are_told_apart() {
    let dir = tempfile::tempdir().expect("a directory");
    run(&format!("{}write_restart DIR/r", DROP.replace("EDGE", "2")), dir.path(), None, None);
    let good = std::fs::read(dir.path().join("r")).expect("a file");
    let body = good.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).expect("three lines").0 + 1;
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        bytes
    };
    let replaced = |from: &str, to: &str| {
        let head = String::from_utf8(good[..body].to_vec()).expect("text").replace(from, to);
        [head.as_bytes(), &good[body..]].concat()
    };
    let end = good.len();
    for (bytes, message) in [
        (good[..end - 1].to_vec(), "is truncated: "),
        (good[..body + 7].to_vec(), "is truncated: 7 of "),
        (good[..body].to_vec(), "is truncated: 0 of "),
        (good[..body - 20].to_vec(), "is truncated: its head ends early"),
        (good[..40].to_vec(), "is truncated: its head ends early"),
        (good[..10].to_vec(), "is not a restart file of CLAMPS"),
        (Vec::new(), "is not a restart file of CLAMPS"),
        (b"LAMMPS data file\n\n4 atoms".to_vec(), "is not a restart file of CLAMPS"),
        (b"LammpS RestartT\0\x01\0".to_vec(), "is a restart file of LAMMPS"),
        (replaced("format 2", "format 3"), "has format 3, and this version reads format 2"),
        (flipped(end - 1), "is damaged: its checksum does not fit"),
        (flipped((body + end) / 2), "is damaged"),
        (flipped(body), "is damaged"),
        ([&good[..], b"x"].concat(), "is damaged"),
    ] {
        std::fs::write(dir.path().join("bad"), &bytes).expect("written");
        let error = fails("read_restart DIR/bad", dir.path());
        assert!(error.message.contains(message), "{} for {message}", error.message);
        assert!(error.at.is_some_and(|(source, span)| source.text[span].ends_with("bad")));
    }
    let error = fails("read_restart DIR/no.*", dir.path());
    assert!(error.message.contains("there is no file"), "{}", error.message);
}

#[test]
fn a_checksum_does_not_make_sense_of_nonsense() {
    use sha2::{Digest, Sha256};
    let dir = tempfile::tempdir().expect("a directory");
    run(&format!("{}write_restart DIR/r", DROP.replace("EDGE", "2")), dir.path(), None, None);
    let good = std::fs::read(dir.path().join("r")).expect("a file");
    let start =
        good.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(2).expect("three lines").0 + 1;
    let mut refused = 0;
    // The settings come first, the atoms are most of the rest.
    for at in (0..1400).step_by(13) {
        let mut body = good[start..].to_vec();
        body[at] ^= 0x5a;
        let sum: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
        let first = good.split(|byte| *byte == b'\n').next().expect("a first line");
        let head =
            [first, format!("\nx\nsha256 {sum} of the {} bytes below\n", body.len()).as_bytes()].concat();
        std::fs::write(dir.path().join("bad"), [&head[..], &body].concat()).expect("written");
        // A flipped coordinate is another system; what makes no sense must not panic.
        refused += usize::from(try_run("read_restart DIR/bad", dir.path(), None, None).is_err());
    }
    assert!(refused > 10, "{refused}");
}

/// Steps of the killed run: more than it makes before it is killed.
const LONG: i64 = 200_000;

/// A number from 0 to 1, from the last one.
fn next_random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// Files that are being written have names that begin with a point.
fn unfinished(dir: &Path) -> Vec<String> {
    let names = dir.read_dir().expect("listed").flatten();
    names
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| name.starts_with('.'))
        .collect()
}

/// A run that is killed as hard as can be, at moments that chance decides, goes on from its last restart file with the bits of one that
/// nobody stopped. One folder has it all; `CLAMPS_TEST_KILLS=100` kills so often.
#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_from_whole_files() {
    in_third!(1);
    let kills: usize = std::env::var("CLAMPS_TEST_KILLS")
        .map_or(if common::full() { 4 } else { 2 }, |count| count.parse().expect("a number"));
    let dir = tempfile::tempdir().expect("a directory");
    let settings = "fix 1 all nve\nrestart 2 DIR/r.*\nrestart 3 DIR/turn.a DIR/turn.b\nthermo 1000\n\
        dump d all custom 10 DIR/d.* id x y z\n";
    let start = format!("{}run 0\nprint started\n{settings}run {LONG}\n", DROP.replace("EDGE", "2"));
    let script = start.replace("DIR", &dir.path().display().to_string());
    std::fs::write(dir.path().join("in.long"), script).expect("written");
    let mut state = 20_261_127;
    let mut most = 0;
    for turn in 0..kills {
        // The first one as early as a file is there.
        let wait = if turn == 0 { 0.0 } else { 0.4 * next_random(&mut state) };
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("clamps"))
            .args(["-in", "in.long", "-log", "none", "-screen", "screen"])
            .current_dir(&dir)
            .env("CLAMPS_TUNE", "off")
            .stdout(Stdio::null())
            .spawn()
            .expect("starts");
        // The moment counts from the first file on.
        while newest(dir.path()).is_none() {
            assert!(child.try_wait().expect("asked").is_none(), "it has ended");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_secs_f64(wait));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let last = newest(dir.path()).expect("a file");
        assert!(last < LONG, "the run was over before it was killed");
        // At most one file was being written.
        let names = unfinished(dir.path());
        assert!(names.len() <= 1, "turn {turn}: {names:?}");
        most = most.max(names.len());
        for step in files(dir.path()).filter(|step| step % 100 == 0 || step + 6 > last) {
            let session = run(&format!("read_restart DIR/r.{step}"), dir.path(), None, None);
            assert_eq!((session.clock.step, session.atom_count()), (step, 256), "turn {turn}");
        }
        // Going on and not stopping come to the same. What was being written is written over.
        let end = last + 40;
        let resumed = format!("read_restart DIR/r.*\n{settings}run {end} upto\n");
        let mut resumed = run(&resumed, dir.path(), None, None);
        assert_eq!(resumed.clock.step, end);
        let frames = |dir: &Path| -> Vec<Vec<u8>> {
            (1..=end / 10)
                .map(|k| std::fs::read(dir.join(format!("d.{}", 10 * k))).expect("a frame"))
                .collect()
        };
        let shown = frames(dir.path());
        remove_files(dir.path());
        let start = start.replace(&format!("run {LONG}"), &format!("run {end}"));
        let mut whole = run(&start, dir.path(), None, None);
        assert_eq!(system(&mut whole), system(&mut resumed), "turn {turn}, from {last}");
        assert!(frames(dir.path()) == shown, "turn {turn}: frames");
        remove_files(dir.path());
        // Nothing of what was begun stays.
        assert_eq!(unfinished(dir.path()), [""; 0], "turn {turn}");
    }
    println!("{kills} kills; at most {most} unfinished files");
}

/// The steps of the restart files.
fn files(dir: &Path) -> impl Iterator<Item = i64> {
    let names = dir.read_dir().expect("listed").flatten().map(|file| file.file_name());
    names.filter_map(|name| name.to_str()?.strip_prefix("r.")?.parse().ok())
}

fn newest(dir: &Path) -> Option<i64> {
    files(dir).max()
}

fn remove_files(dir: &Path) {
    files(dir).for_each(|step| std::fs::remove_file(dir.join(format!("r.{step}"))).expect("removed"));
}

/// What fixes know goes on, to the last bit: the atoms, and what thermo output says of the fixes. Of the precisions and of the steps where
/// it begins one of each has its turn.
#[test]
fn resumed_fixes_have_the_bits_of_unbroken_ones() {
    in_third!(2);
    apart!("cheap");
    let gpu = &common::test_devices_with(TimingMode::Off)[0];
    // Which values of the fixes are shown. Styles that bear others are together in the first case; with CLAMPS_TESTS=full each is alone, too.
    const CHAIN: &str = "f_1 f_1[1] f_1[4]";
    let always = [
        (
            "nve/limit 0.02\nfix 2 all temp/berendsen 2.0 2.0 0.3\nfix 3 all temp/rescale 5 2.0 2.0 0.01 0.5
            fix 4 some spring/self 5.0\nfix 5 some ti/spring 3.0 20 10 function 2\nfix 6 all ehex 5 1.0
            fix 7 all langevin 2.0 1.0 0.3 4711 zero yes\nfix 8 all addforce v_drag 0 0\nfix 9 all viscous 0.5
            fix 10 all recenter 0 0 0.1 units box\nfix 11 some momentum 5 linear 1 1 1
            fix 12 all adapt 7 pair lj/cut epsilon 1 1 v_factor scale yes",
            "f_2 f_3 f_4 f_5 f_6 f_7 f_8",
            &[Precision::Double, Precision::Mixed, Precision::Single][..],
        ),
        ("nvt temp 2.0 2.0 0.3 tchain 1 tloop 2 drag 0.5", CHAIN, &[Precision::Double]),
        ("npt temp 2.0 2.0 0.3 x 3.0 3.0 1.0 y 2.0 2.0 0.5 nreset 7 mtk no", CHAIN, &[Precision::Double]),
        ("nph aniso 3.0 3.0 1.0 pchain 0", CHAIN, &[Precision::Double]),
        ("nphug temp 2.0 2.0 0.3 iso 12.0 12.0 1.0 drag 0.1 tchain 1 pchain 0", CHAIN, &[Precision::Double]),
        ("msst y 9.0 q 20.0 mu 0.1 tscale 0.05", CHAIN, &[Precision::Double, Precision::Mixed]),
        (
            "nvt/sllod temp 2.0 2.0 0.3 tchain 2\nfix 2 all deform 1 x erate 0.1 remap v",
            CHAIN,
            &[Precision::Double, Precision::Mixed],
        ),
        ("nve\nfix 2 all press/berendsen iso 3.0 3.0 1.0", "", &[Precision::Double, Precision::Mixed]),
        (
            "nve\nfix 2 all press/langevin iso 3.0 3.0 1.0 temp 1.0 2.0 4711",
            "",
            &[Precision::Double, Precision::Mixed],
        ),
        ("langevin 2.0 1.0 0.3 4711 gjf vhalf\nfix 2 all nve", "", &[Precision::Double, Precision::Single]),
        ("npt temp 2.0 1.0 0.3 aniso 3.0 3.0 1.0 drag 0.1", CHAIN, &[Precision::Double]),
        (
            "nve\npair_style dpd 2.0 1.0 77\npair_coeff * * 5.0 2.0",
            "",
            &[Precision::Double, Precision::Single],
        ),
        ("nve\nfix 2 all deform 5 x variable v_wide v_fast remap v units box", "", &[Precision::Double]),
    ];
    let alone = [
        ("nvt temp 2.0 2.0 0.3", CHAIN, &[Precision::Double, Precision::Mixed, Precision::Single][..]),
        ("npt temp 2.0 2.0 0.3 iso 3.0 3.0 1.0", CHAIN, &[Precision::Double, Precision::Mixed]),
        ("nphug temp 2.0 2.0 0.3 z 12.0 12.0 1.0", CHAIN, &[Precision::Double, Precision::Mixed]),
        ("nve\nfix 2 all temp/berendsen 2.0 2.0 0.3", "f_2", &[Precision::Double]),
        ("nve\nfix 2 all temp/rescale 5 2.0 2.0 0.01 0.5", "f_2", &[Precision::Double]),
        ("nve\nfix 2 some spring/self 5.0", "f_2", &[Precision::Double]),
        ("nve\nfix 2 some ti/spring 3.0 20 10 function 2", "f_2", &[Precision::Double]),
        ("nve\nfix 2 all deform 3 x erate 0.1 y volume remap x", "", &[Precision::Double, Precision::Mixed]),
        ("nve\nfix 2 all deform 1 x trate 0.1 z wiggle 0.3 0.1 remap x units box", "", &[Precision::Double]),
        ("nve\nfix 2 all adapt 7 pair lj/cut epsilon 1 1 v_factor scale yes", "", &[Precision::Double]),
        ("nve\nfix 2 all recenter 0 0 0.1 units box", "", &[Precision::Double, Precision::Single]),
        ("nve\nfix 2 all langevin 2.0 1.0 0.3 4711 zero yes", "f_2", &[Precision::Double, Precision::Single]),
        ("nve\nfix 2 all viscous 0.5", "", &[Precision::Double, Precision::Mixed]),
        ("nve\nfix 2 all ehex 5 1.0", "f_2", &[Precision::Double, Precision::Mixed]),
        ("nve\nfix 2 all addforce v_drag 0 0", "f_2", &[Precision::Double]),
        ("nve/limit 0.02\nfix 2 some momentum 5 linear 1 1 1", "", &[Precision::Double]),
        ("npt temp 2.0 1.0 0.3 iso 3.0 1.0 1.0", CHAIN, &[Precision::Double, Precision::Mixed]),
    ];
    let alone = alone.into_iter().filter(|_| common::full());
    for (turn, (fix, own, precisions)) in always.into_iter().chain(alone).enumerate() {
        for precision in common::by_turns(turn, precisions) {
            if precision != Precision::Single && !gpu.info().fp64 {
                continue;
            }
            let dir = tempfile::tempdir().expect("a directory");
            let after = format!(
                "variable factor equal 1+0.2*sin(0.1*step)\nvariable wide equal 0.05*sin(0.1*step)\nvariable fast equal 0.005/dt*cos(0.1*step)
                variable drag atom -0.5*vx
                fix 1 all {fix}\nthermo_style custom step temp econserve lx {own}
                thermo_modify format float %.17g\nthermo 10\nrestart 25 DIR/r.*\nrun 60 upto start 0 stop 60\n"
            );
            let start =
                format!("boundary p p p\n{}", DROP.replace("EDGE", "2.5").replace("-2 2", "-2.5 2.5"));
            let mut whole = run(&format!("{start}{after}"), dir.path(), Some(gpu), Some(precision));
            let expected = system(&mut whole);
            let rows = |session: &Session| {
                let text = session.output.log.text();
                let last = text.lines().filter(|line| line.trim_start().starts_with("60 "));
                last.map(str::to_owned).collect::<Vec<_>>()
            };
            for from in common::by_turns(turn / 2, &[25, 50]) {
                let text = format!("read_restart DIR/r.{from}\n{after}");
                let mut resumed = run(&text, dir.path(), Some(gpu), None);
                let place = format!("{fix} {precision:?} from {from}");
                assert!(system(&mut resumed) == expected, "{place}");
                assert_eq!(rows(&resumed), rows(&whole), "{place}");
                assert_eq!(rows(&whole).len(), 1, "{place}");
            }
        }
    }
}

/// Spheres, which have sizes and masses of their own, and chains whose bonds break before the file and after it: rows and atoms go on to the
/// last bit. The precisions and the steps where it begins take turns.
#[test]
fn spheres_and_chains_that_break_go_on_after_a_restart() {
    in_third!(2);
    apart!("cheap");
    let gpu = &common::test_devices_with(TimingMode::Off)[0];
    let spheres = "atom_style sphere\nboundary f p p\nlattice sc 0.05
        region box block 0 6 0 5 0 5\ncreate_box 2 box
        region inside block 0.4 5.6 INF INF INF INF\ncreate_atoms 1 region inside
        set type 1 diameter 1.6 density 0.9\nset type 1 type/ratio 2 0.3 4827\nset type 2 diameter 1.1 mass 0.7
        displace_atoms all random 0.3 0.3 0.3 839\nvelocity all create 9.0 3762\ntimestep 0.002
        pair_style yukawa/colloid 1.3 5.0\npair_coeff 1 1 6.0\npair_coeff 2 2 4.0 4.2\npair_coeff 1 2 5.5\n"
        .to_owned();
    let chains = format!(
        "atom_style bond\nread_data {} nocoeff\nspecial_bonds lj/coul 1 1 1
        pair_style lj/cut 1.6\npair_coeff * * 1.0 1.0\npair_coeff 1 2 0.8 0.95 1.5
        bond_style quartic\nbond_coeff 1 1434.3 -0.7589 0.0 1.5 67.2234\nbond_coeff 2 900.0 -0.7 0.02 1.35 40.0
        neighbor 0.3 bin\nvelocity all create 6.0 4827\ntimestep 0.001\n",
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lammps/chain.part").display()
    );
    // The last column of chains is the sum of the types of the bonds that are left.
    let spheres_after = "fix walls all wall/colloid xlo -0.4 2.5 1.2 4.5 units box\ncompute of all property/atom radius mass
        compute sum all reduce sum c_of[1] c_of[2]\nthermo_style custom step temp epair press f_walls c_sum[2] c_sum[1]\n";
    let chains_after = "compute of all property/local btype\ncompute sum all reduce sum c_of inputs local
        thermo_style custom step temp epair ebond press c_sum\n";
    let systems = [(spheres, spheres_after, false), (chains, chains_after, true)];
    for (k, (start, after, breaks)) in systems.into_iter().enumerate() {
        for precision in common::by_turns(k, &[Precision::Double, Precision::Mixed, Precision::Single]) {
            if precision != Precision::Single && !gpu.info().fp64 {
                continue;
            }
            let dir = tempfile::tempdir().expect("a directory");
            let after = format!(
                "fix 1 all nve\n{after}thermo_modify format float %.17g\nthermo 10\nrestart 45 DIR/r.*\nrun 110 upto\n"
            );
            let mut whole = run(&format!("{start}{after}"), dir.path(), Some(gpu), Some(precision));
            let expected = system(&mut whole);
            // The rows from a step on.
            let rows = |session: &Session, from: i64| -> Vec<Vec<String>> {
                let text = session.output.log.text();
                let words = text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect());
                let rows = words.filter(|row: &Vec<String>| {
                    let numbers = row.iter().all(|word| word.parse::<f64>().is_ok());
                    numbers && row.len() > 5 && row[0].parse().is_ok_and(|step: i64| step >= from)
                });
                rows.collect()
            };
            let unbroken = rows(&whole, 0);
            let last = |k: usize| unbroken[k].last().expect("a column").parse::<f64>().expect("a number");
            assert_eq!(unbroken.len(), 12, "{precision:?}");
            assert!(!breaks || last(0) > last(4) && last(5) > last(11), "{precision:?}: {unbroken:?}");
            for from in common::by_turns(k, &[45, 90]) {
                let text = format!("read_restart DIR/r.{from}\n{after}");
                let mut resumed = run(&text, dir.path(), Some(gpu), None);
                let place = format!("{after} {precision:?} from {from}");
                assert!(system(&mut resumed) == expected, "{place}");
                assert_eq!(rows(&resumed, from + 1), rows(&whole, from + 1), "{place}");
            }
        }
    }
}

/// Forces of many bodies come in passes over lists and from tables, which are made anew behind a file without the files of potentials: atoms
/// and rows go on to the last bit. The precisions and the steps where it begins take turns.
#[test]
fn potentials_of_many_bodies_go_on_after_a_restart() {
    in_third!(3);
    apart!("cheap");
    let gpu = &common::test_devices_with(TimingMode::Off)[0];
    let potentials = [
        ("diamond 5.43", "sw", "sw.part Si Xx"),
        ("diamond 5.43", "tersoff", "tersoff.part Si Xx"),
        ("fcc 3.6", "eam/alloy", "eam_alloy.part Aa Bb"),
        ("fcc 3.6", "meam", "meam_library.part Aa Bb meam.part Aa Bb"),
    ];
    for (k, (lattice, style, files)) in potentials.into_iter().enumerate() {
        let precisions = [Precision::Double, Precision::Mixed, Precision::Single, Precision::Mixed];
        let precision = if gpu.info().fp64 { precisions[k] } else { Precision::Single };
        let dir = tempfile::tempdir().expect("a directory");
        let mut words = String::new();
        for word in files.split(' ') {
            let copy = dir.path().join(word);
            let part = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lammps").join(word);
            match std::fs::copy(part, &copy) {
                Ok(_) => words += &format!(" {}", copy.display()),
                Err(_) => words += &format!(" {word}"),
            }
        }
        let start = format!(
            "units metal\nlattice {lattice}\nregion box block 0 3 0 3 0 3\ncreate_box 2 box\ncreate_atoms 1 box
            mass 1 28.0\nmass 2 40.0\nset type 1 type/fraction 2 0.4 92731\nvelocity all create 2500 4711 loop geom
            neighbor 0.3 bin\ntimestep 0.002\npair_style {style}\npair_coeff * *{words}\n"
        );
        let after = "fix 1 all nve\ncompute s all stress/atom NULL\ncompute m all reduce max c_s[1] c_s[4]
            thermo_style custom step temp epair press c_m[*]\nthermo_modify format float %.17g\nthermo 10
            restart 25 DIR/r.*\nrun 60 upto\n";
        let mut whole = run(&format!("{start}{after}"), dir.path(), Some(gpu), Some(precision));
        let expected = system(&mut whole);
        for word in words.split_whitespace().filter(|word| word.ends_with(".part")) {
            std::fs::remove_file(word).expect("removed");
        }
        let last = |session: &Session| {
            let text = session.output.log.text();
            let row = text.lines().rfind(|line| line.trim_start().starts_with("60 ")).map(str::to_owned);
            row.expect("a row")
        };
        let log = whole.output.log.text();
        let builds = log.lines().find_map(|line| line.strip_prefix("Neighbor list builds = "));
        assert!(builds.is_some_and(|builds| builds.parse().is_ok_and(|builds: u32| builds > 5)), "{log}");
        for from in common::by_turns(k, &[25, 50]) {
            let mut resumed =
                run(&format!("read_restart DIR/r.{from}\n{after}"), dir.path(), Some(gpu), None);
            assert!(system(&mut resumed) == expected, "{style} {precision:?} from {from}");
            assert_eq!(last(&resumed), last(&whole), "{style} {precision:?} from {from}");
        }
    }
}

/// Without what the file keeps of it the chain begins at rest, and the run goes another way.
#[test]
fn a_chain_that_begins_anew_goes_another_way() {
    apart!("cheap");
    let dir = tempfile::tempdir().expect("a directory");
    let after = |id: &str| format!("fix {id} all nvt temp 2.0 2.0 0.3\nrestart 25 DIR/r.*\nrun 60 upto\n");
    let start = DROP.replace("EDGE", "2");
    let mut whole = run(&format!("{start}{}", after("1")), dir.path(), None, None);
    let mut other = run(&format!("read_restart DIR/r.25\n{}", after("2")), dir.path(), None, None);
    assert!(system(&mut whole) != system(&mut other));
    assert!(
        other
            .output
            .log
            .text()
            .contains("Unused restart file global fix info:\n  fix style: nvt, fix ID: 1\n")
    );
    let error = fails("read_restart DIR/r.25\nfix 1 all nvt temp 2.0 2.0 0.3 tchain 5", dir.path());
    assert!(error.message.contains("its chains had other lengths"), "{}", error.message);
}

/// A file that is written between runs keeps nothing of `fix adapt`: the run that follows begins as in one script.
#[test]
fn adapted_numbers_begin_with_the_run_after_a_file() {
    apart!("cheap");
    // Without and with both, or all four.
    let all = ["", "scale yes reset yes", "reset yes", "scale yes"];
    for keywords in &all[..if common::full() { 4 } else { 2 }] {
        let dir = tempfile::tempdir().expect("a directory");
        let after = format!(
            "variable factor equal 1+0.01*step
            fix 1 all nve
            fix 2 all adapt 7 pair lj/cut epsilon 1 1 v_factor {keywords}
            thermo_style custom step pe\nrun 10\n"
        );
        let start = DROP.replace("EDGE", "2");
        let whole = format!("{start}{after}write_restart DIR/r\nrun 0\n");
        let whole = run(&whole, dir.path(), None, None);
        let resumed = run(&format!("read_restart DIR/r\n{after}"), dir.path(), None, None);
        let first = |session: &Session| {
            let text = session.output.log.text();
            let row = text.lines().rfind(|line| line.trim_start().starts_with("10 ")).expect("a row");
            row.split_whitespace().nth(1).and_then(|pe| pe.parse::<f64>().ok()).expect("an energy")
        };
        let (unbroken, resumed) = (first(&whole), first(&resumed));
        assert!((unbroken / resumed - 1.0).abs() < 1e-5, "{keywords}: {unbroken} {resumed}");
    }
}
