//! Dump files, to the byte as LAMMPS (22 Jul 2025) writes them.

mod commands;

#[macro_use]
mod common;

use clamps::base::error::Result;
use clamps::model::atoms::Atoms;
use clamps::model::domain::{Boundary, Domain};
use clamps::output::dump;
use clamps::output::dump::Frame;
use clamps::session::Session;
use commands::{Handler, apply, fails, session};

/// The box of the frames below. The script that made them:
///
/// ```text
/// units lj; boundary p f s; lattice fcc 0.8442; region box block 0 1 0 1 0 1; create_box 2 box
/// create_atoms 1 single 0.1 0.2 0.3 units box; create_atoms 2 single 1.1 0.25 0.9 units box
/// create_atoms 1 single 1.6 1.5 1.25 units box
/// create_atoms 2 single 0.000123456789 1.0 0.00001 units box
/// mass 1 1.0; mass 2 39.948
/// set atom 1 vx -1.5 vy 0.333333333333 vz 2e-7 image 1 NULL NULL
/// set atom 2 vx 1234567.8 vy -99999.95 vz 0.5; set atom 3 image -12 NULL NULL
/// set atom 2 image 2 NULL NULL; group some id 2 4
/// pair_style lj/cut 1.3; pair_coeff * * 1.0 1.0; timestep 1e-30; neighbor 0.1 bin; fix 1 all nve
/// (the dumps, each with sort id); run 0
/// ```
fn domain() -> Domain {
    use Boundary::{Fixed, Periodic, Shrink};
    let (lo, hi) =
        ([0.0, 0.0, -1.5795961913825073e-04], [1.6795961913825073, 1.6795961913825073, 1.2501679596191382]);
    let domain = Domain::new(lo, hi, [[Periodic; 2], [Fixed; 2], [Shrink; 2]]).expect("a box");
    Domain { lo, hi, ..domain } // shrink-wrapped already
}

/// Its atoms, out of order.
fn atoms() -> Atoms {
    let mut atoms = Atoms::default();
    atoms.push(3, 1, [1.6, 1.5, 1.25]);
    atoms.push(1, 1, [0.1, 0.2, 0.3]);
    atoms.push(4, 2, [0.000123456789, 1.0, 0.00001]);
    atoms.push(2, 2, [1.1, 0.25, 0.9]);
    atoms.v[1] = [-1.5, 0.333333333333, 2e-7];
    atoms.v[3] = [1234567.8, -99999.95, 0.5];
    atoms.image = vec![[-12, 0, 0], [1, 0, 0], [0; 3], [2, 0, 0]];
    atoms.mask = vec![1, 1, 3, 3];
    atoms
}

const FORCES: [[f64; 3]; 4] = [
    [0.0; 3],
    [123.705392, -258.674494, 15.2509852],
    [-31.4696669, 252.068531, -94.5225482],
    [-92.2357253, 6.60596358, 79.271563],
];

/// A state with two types and the group `some`.
fn with_types() -> Session {
    let mut session = session();
    session.system.mass = vec![Some(1.0), Some(39.948)];
    session.system.groups.names.push("some".into());
    session
}

fn write(session: &mut Session, step: i64) -> Result<()> {
    let (domain, atoms) = (domain(), atoms());
    let frame = Frame {
        step,
        domain: &domain,
        atoms: &atoms,
        forces: Some(&FORCES),
        mass: &[1.0, 39.948],
        system: None,
        row: None,
    };
    session.output.dumps.iter_mut().try_for_each(|dump| dump::Dump::of(&mut **dump).write(&frame))
}

/// What a dump writes at step 0. `STYLE` and `ARGS` as in `dump d GROUP STYLE 1 FILE ARGS`.
fn dumped(group_and_style: &str, args: &str, modify: &str) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("file");
    let mut session = with_types();
    let line = format!("dump d {group_and_style} 1 {} {args}", path.display());
    apply(&mut session, clamps::commands::dump::dump, &line).expect(&line);
    if !modify.is_empty() {
        apply(&mut session, clamps::commands::dump_modify::dump_modify, &format!("dump_modify d {modify}"))
            .expect(modify);
    }
    write(&mut session, 0).expect("writes");
    std::fs::read_to_string(path).expect("a file")
}

const HEAD: &str = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n";
const BOX: &str = "ITEM: BOX BOUNDS pp ff ss\n\
    0.0000000000000000e+00 1.6795961913825073e+00\n\
    0.0000000000000000e+00 1.6795961913825073e+00\n\
    -1.5795961913825073e-04 1.2501679596191382e+00\n";

#[test]
fn dump_atom() {
    let rows = "ITEM: ATOMS id type xs ys zs\n1 1 0.0595381 0.119076 0.240064\n\
        2 2 0.654919 0.148845 0.719939\n3 1 0.95261 0.893072 0.999866\n\
        4 2 7.35039e-05 0.595381 0.000134333\n";
    assert_eq!(dumped("all atom", "", ""), format!("{HEAD}4\n{BOX}{rows}"));
    let rows = "ITEM: ATOMS id type x y z ix iy iz\n1 1 0.1 0.2 0.3 1 0 0\n2 2 1.1 0.25 0.9 2 0 0\n\
        3 1 1.6 1.5 1.25 -12 0 0\n4 2 0.000123457 1 1e-05 0 0 0\n";
    assert_eq!(dumped("all atom", "", "scale no image yes"), format!("{HEAD}4\n{BOX}{rows}"));
    let rows = "ITEM: ATOMS id type xs ys zs ix iy iz\n1 1 0.060 0.1191 0.240064 1 0 0\n\
        2 2 0.655 0.1488 0.719939 2 0 0\n3 1 0.953 0.8931 0.999866 -12 0 0\n\
        4 2 0.000 0.5954 0.000134333 0 0 0\n";
    let modify = "image yes format line \"%d %d %.3f %.4f %g %d %d %d\"";
    assert_eq!(dumped("all atom", "", modify), format!("{HEAD}4\n{BOX}{rows}"));
}

#[test]
fn dump_custom() {
    let names = "id type mass x y z xs ys zs xu yu zu xsu ysu zsu ix iy iz vx vy vz element";
    let rows = "2 2 39.948 1.1 0.25 0.9 0.654919 0.148845 0.719939 4.45919 0.25 0.9 2.65492 0.148845 0.719939 \
        2 0 0 1.23457e+06 -99999.9 0.5 C\n4 2 39.948 0.000123457 1 1e-05 7.35039e-05 0.595381 0.000134333 \
        0.000123457 1 1e-05 7.35039e-05 0.595381 0.000134333 0 0 0 0 0 0 C\n";
    assert_eq!(dumped("some custom", names, ""), format!("{HEAD}2\n{BOX}ITEM: ATOMS {names}\n{rows}"));
    let rows = "    1 0.100  2.00000e-01     1 Ar     1  1.00000e+00\n    \
        2 1.100  2.50000e-01     2 Kr     2  3.99480e+01\n    \
        3 1.600  1.50000e+00     1 Ar   -12  1.00000e+00\n    \
        4 0.000  1.00000e+00     2 Kr     0  3.99480e+01\n";
    let modify = "format float %12.5e format int %5d format 2 %.3f element Ar Kr";
    let expected = format!("{HEAD}4\n{BOX}ITEM: ATOMS id x y type element ix mass\n{rows}");
    assert_eq!(dumped("all custom", "id x y type element ix mass", modify), expected);
    let rows = "0002            1234567.8 0.25     | C  \n0004                    0 1.00     | C  \n";
    let modify = "format line \"%04d %20.15g %-9.2f| %-3s\"";
    let expected = format!("{HEAD}2\n{BOX}ITEM: ATOMS id vx y element\n{rows}");
    assert_eq!(dumped("some custom", "id vx y element", modify), expected);
    let rows = "1 123.705392 -258.674494 15.2509852\n2 -92.2357253 6.60596358 79.271563\n3 0 0 0\n\
        4 -31.4696669 252.068531 -94.5225482\n";
    let expected = format!("{HEAD}4\n{BOX}ITEM: ATOMS id fx fy fz\n{rows}");
    assert_eq!(dumped("all custom", "id fx fy fz", "format float %.9g"), expected);
}

#[test]
fn dump_xyz() {
    let head = "4\n Atoms. Timestep: 0\n";
    let rows = "1 0.1 0.2 0.3\n2 1.1 0.25 0.9\n1 1.6 1.5 1.25\n2 0.000123457 1 1e-05\n";
    assert_eq!(dumped("all xyz", "", ""), format!("{head}{rows}"));
    let rows = "Ar 0.1 0.2 0.3\nKr 1.1 0.25 0.9\nAr 1.6 1.5 1.25\nKr 0.000123457 1 1e-05\n";
    assert_eq!(dumped("all xyz", "", "element Ar Kr"), format!("{head}{rows}"));
    let rows = "1        0.100     0.200     0.300\n2        1.100     0.250     0.900\n\
        1        1.600     1.500     1.250\n2        0.000     1.000     0.000\n";
    assert_eq!(dumped("all xyz", "", "format line \"%-4s %9.3f %9.3f %9.3f\""), format!("{head}{rows}"));
    // sort off: the order of the host's arrays.
    let rows = "1 1.6 1.5 1.25\n1 0.1 0.2 0.3\n2 0.000123457 1 1e-05\n2 1.1 0.25 0.9\n";
    assert_eq!(dumped("all xyz", "", "sort off"), format!("{head}{rows}"));
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let byte = |place| u8::from_str_radix(&digits[place..place + 2], 16).expect("digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// What LAMMPS writes with `dump a all dcd 1 a.dcd`, and with `dump b some dcd 1 b.dcd` and `unwrap yes`: all but the
/// two lines of title, which name the program and the time.
#[test]
fn dump_dcd() {
    let head = "54000000434f52440300000000000000010000000200000000000000000000000000000000000000000000006042a20d01\
        0000000000000000000000000000000000000000000000000000000000000000000000180000005400000\
        0a400000002000000";
    let cell = "300000009c958741a0dffa3f00000000000000009c958741a0dffa3f00000000000000000000000000000000378347c05501\
        f43f30000000";
    let all = "10000000cdcccc3dcdcc8c3fcdcccc3f2e7401391000000010000000cdcc4c3e0000803e0000c03f0000803f1000000010\
        0000009a99993e6666663f0000a03facc5273710000000";
    let some =
        "08000000b4b18e402e74013908000000080000000000803e0000803f08000000080000006666663facc5273708000000";
    for (group, count, modify, rows) in [("all", 4_u32, "sort id", all), ("some", 2, "unwrap yes", some)] {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("f.dcd");
        let mut session = with_types();
        session.clock.dt = 1e-30;
        session.system.domain = Some(domain());
        *session.atoms_mut().expect("on the host") = atoms();
        apply(
            &mut session,
            clamps::commands::dump::dump,
            &format!("dump d {group} dcd 1 {}", path.display()),
        )
        .expect("valid");
        apply(&mut session, clamps::commands::dump_modify::dump_modify, &format!("dump_modify d {modify}"))
            .expect("valid");
        for step in 0..3 {
            session.clock.step = step;
            let mut dumps = std::mem::take(&mut session.output.dumps);
            dumps[0].write_now(&session.now(), None).expect("writes");
            session.output.dumps = dumps;
        }
        let written = std::fs::read(&path).expect("a file");
        let (expected, frame) = (bytes(head), bytes(&format!("{cell}{rows}")));
        let title = expected.len()..expected.len() + 160;
        assert_eq!(written[..title.start], expected);
        assert!(written[title.clone()].starts_with(b"Written by CLAMPS\0"));
        assert!(written[title.clone()][80..].starts_with(b"REMARKS Created "));
        let lengths = [164, 4, count, 4].map(u32::to_le_bytes).concat();
        assert_eq!(written[title.end..], [lengths, frame.repeat(3)].concat());
        session.clock.step = 3;
        apply(&mut session, clamps::commands::dump_modify::dump_modify, "dump_modify d every 2")
            .expect("valid");
        let mut dumps = std::mem::take(&mut session.output.dumps);
        let error = dumps[0].write_now(&session.now(), None).expect_err("another interval");
        assert!(error.message.contains("cannot change"), "{}", error.message);
    }
}

#[test]
fn dump_selections_and_headings() {
    let rows = |text: &str| format!("{HEAD}2\n{BOX}ITEM: ATOMS {text}");
    let modify = "thresh vx > -2 thresh z <= 0.9 thresh z != 0.00001";
    assert_eq!(dumped("all custom", "id vx", modify), rows("id vx\n1 -1.5\n2 1.23457e+06\n"));
    let xyz = "1 0.1 0.2 0.3\n2 1.1 0.25 0.9\n1 1.6 1.5 1.25\n2 0.000123457 1 1e-05\n";
    assert_eq!(dumped("all xyz", "", "header no"), xyz);

    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let mut session = with_types();
    (session.clock.dt, session.system.domain) = (1e-30, Some(domain()));
    *session.atoms_mut().expect("on the host") = atoms();
    apply(&mut session, clamps::commands::region::region, "region half block 0 1.2 0 2 0.1 2 units box")
        .expect("valid");
    for line in [
        &format!("all custom {} id type xs modify region half header no", path("region")),
        &format!("all custom {} id x modify units yes time yes thresh type == 2", path("time")),
        &format!("all atom {} noinit modify scale no", path("zst.zst")),
    ] {
        session.clock.time = 2e-30;
        apply(&mut session, clamps::commands::dump::write_dump, &format!("write_dump {line}")).expect(line);
    }
    let read = |name: &str| std::fs::read_to_string(path(name)).expect(name);
    assert_eq!(read("region"), "1 1 0.0595381\n2 2 0.654919\n");
    let expected = rows("id x\n2 1.1\n4 0.000123457\n");
    assert_eq!(read("time"), format!("ITEM: UNITS\nlj\nITEM: TIME\n2e-30\n{expected}"));
    let unpacked = zstd::decode_all(std::fs::File::open(path("zst.zst")).expect("a file")).expect("zstd");
    assert_eq!(String::from_utf8(unpacked).expect("text"), dumped("all atom", "", "scale no"));
    assert!(session.output.dumps.is_empty());
}

/// `pbc yes` puts atoms into the box along periodic axes and counts its lengths.
#[test]
fn dump_pbc() {
    let modify = "pbc yes thresh id == 3";
    let (lo, hi) = (domain().lo[0], domain().hi[0]);
    assert!(lo <= 1.6 && 1.6 < hi, "inside already: nothing changes");
    let plain = dumped("all custom", "id x ix", "thresh id == 3");
    assert_eq!(dumped("all custom", "id x ix", modify), plain);
    let mut session = with_types();
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("f").display().to_string();
    let mut moved = atoms();
    moved.x[0] = [1.75, 1.75, 1.25];
    (session.system.domain, *session.atoms_mut().expect("on the host")) = (Some(domain()), moved);
    let line = format!("write_dump all custom {path} x y ix iy modify {modify} format float %.4f");
    apply(&mut session, clamps::commands::dump::write_dump, &line).expect("valid");
    let text = std::fs::read_to_string(path).expect("a file");
    assert_eq!(text.lines().last(), Some("0.0704 1.7500 -11 0"));
}

/// Species of `extxyz` are the elements, else the names of types where all have one, else numbers.
#[test]
fn dump_extxyz_has_names_of_types() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("f").display().to_string();
    let mut session = with_types();
    (session.system.domain, *session.atoms_mut().expect("on the host")) = (Some(domain()), atoms());
    let species = |session: &mut Session, modify: &str| {
        let line = format!("write_dump all extxyz {path} modify vel no forces no sort id {modify}");
        apply(session, clamps::commands::dump::write_dump, &line).expect("valid");
        let text = std::fs::read_to_string(&path).expect("a file");
        text.lines().skip(2).filter_map(|row| row.split(' ').next()).collect::<Vec<_>>().join(" ")
    };
    session.system.labels.atom.give(1, "Ow").expect("a name");
    assert_eq!(species(&mut session, ""), "1 2 1 2");
    session.system.labels.atom.give(2, "Hw").expect("a name");
    assert_eq!(species(&mut session, ""), "Ow Hw Ow Hw");
    assert_eq!(species(&mut session, "element O H"), "O H O H");
}

#[test]
fn only_the_last_files_are_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut session = with_types();
    let name = directory.path().join("f.%.*").display().to_string();
    apply(&mut session, clamps::commands::dump::dump, &format!("dump d all xyz 1 {name}")).expect("valid");
    apply(&mut session, clamps::commands::dump_modify::dump_modify, "dump_modify d maxfiles 2 delay 1")
        .expect("valid");
    assert!(!session.output.dumps[0].due(0, false) && session.output.dumps[0].due(1, false));
    (1..6).for_each(|step| write(&mut session, step).expect("writes"));
    let mut names: Vec<_> = directory.path().read_dir().expect("listed").flatten().collect();
    names.sort_by_key(|file| file.file_name());
    assert_eq!(names.iter().map(|file| file.file_name()).collect::<Vec<_>>(), ["f.0.4", "f.0.5"]);
}

#[test]
fn dump_files() {
    use std::io::Read;
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let mut session = with_types();
    std::fs::write(path("old"), "kept\n").expect("writes");
    for (id, name) in [("a", "one"), ("b", "frame.*.xyz"), ("c", "packed.gz"), ("d", "old")] {
        apply(&mut session, clamps::commands::dump::dump, &format!("dump {id} all xyz 10 {}", path(name)))
            .expect(name);
    }
    apply(&mut session, clamps::commands::dump_modify::dump_modify, "dump_modify b pad 4").expect("valid");
    apply(&mut session, clamps::commands::dump_modify::dump_modify, "dump_modify d append yes")
        .expect("valid");
    for step in [0, 10] {
        write(&mut session, step).expect("writes");
    }
    let rows = "1 0.1 0.2 0.3\n2 1.1 0.25 0.9\n1 1.6 1.5 1.25\n2 0.000123457 1 1e-05\n";
    let [first, second] = [0, 10].map(|step| format!("4\n Atoms. Timestep: {step}\n{rows}"));
    let read = |name: &str| std::fs::read_to_string(path(name)).expect(name);
    assert_eq!(read("one"), format!("{first}{second}"));
    assert_eq!(read("old"), format!("kept\n{first}{second}"));
    assert_eq!([read("frame.0000.xyz"), read("frame.0010.xyz")], [first.clone(), second.clone()]);
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 5, "no file left aside");
    apply(&mut session, clamps::commands::dump::undump, "undump b").expect("valid");
    assert_eq!(session.output.dumps.iter().map(|dump| dump.id()).collect::<Vec<_>>(), ["a", "c", "d"]);
    // One member holds all frames, and ends with the dump.
    apply(&mut session, clamps::commands::dump::undump, "undump c").expect("valid");
    let mut unpacked = String::new();
    let packed = std::fs::read(path("packed.gz")).expect("a file");
    flate2::bufread::GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).expect("gzip");
    assert_eq!(unpacked, format!("{first}{second}"));
}

#[test]
fn dump_schedule() {
    let mut session = with_types();
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("f").display().to_string();
    apply(&mut session, clamps::commands::dump::dump, &format!("dump d all custom 10 {file} id x"))
        .expect("valid");
    let due = |session: &Session, step, setup| session.output.dumps[0].due(step, setup);
    assert!(due(&session, 0, true) && due(&session, 10, false) && !due(&session, 15, false));
    assert!(!due(&session, 15, true));
    apply(&mut session, clamps::commands::dump_modify::dump_modify, "dump_modify d first yes")
        .expect("valid");
    assert!(due(&session, 15, true) && !due(&session, 15, false));
    write(&mut session, 20).expect("writes");
    assert!(!due(&session, 20, true), "a frame is written once");
    assert!(!due(&session, 25, true), "first means the first of all");
    apply(&mut session, clamps::commands::dump_modify::dump_modify, "dump_modify d every 7").expect("valid");
    assert!(due(&session, 21, false) && session.output.dumps[0].schedule().next(21) == 28);
    assert!(!dump::Dump::of(&mut *session.output.dumps[0]).needs_forces());
    apply(&mut session, clamps::commands::dump::dump, &format!("dump f all custom 10 {file}.f id fy"))
        .expect("valid");
    assert!(dump::Dump::of(&mut *session.output.dumps[1]).needs_forces());
    let (domain, atoms) = (domain(), atoms());
    let frame =
        Frame { step: 0, domain: &domain, atoms: &atoms, forces: None, mass: &[], system: None, row: None };
    assert!(
        dump::Dump::of(&mut *session.output.dumps[1])
            .write(&frame)
            .expect_err("no forces")
            .message
            .contains("forces")
    );
}

/// LAMMPS's files (22 Jul 2025) of the scripts in tests/data/xtc, to the byte: a hot melt in three precisions, four atoms, which are
/// not packed, a leaning box in Angstrom, and molecules, whose atoms are near each other.
#[test]
fn dump_xtc_writes_the_bytes_of_lammps() {
    in_third!(3);
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/xtc");
    for (script, files) in [
        ("melt.in", &["melt", "few", "fine", "coarse"][..]),
        ("prism.in", &["prism"]),
        ("water.in", &["water"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        for file in [script, "water.txt"] {
            std::fs::copy(data.join(file), folder.path().join(file)).expect("copied");
        }
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_clamps"))
            .args(["-in", script, "-log", "none", "-precision", "double"])
            .current_dir(&folder)
            .output()
            .expect("runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        for file in files.iter().map(|name| format!("{name}.xtc")) {
            let [ours, lammps] =
                [folder.path(), &data].map(|at| std::fs::read(at.join(&file)).expect("a file"));
            let differs = ours.iter().zip(&lammps).position(|(a, b)| a != b);
            assert!(
                differs.is_none() && ours.len() == lammps.len(),
                "{file} differs from byte {differs:?} on"
            );
        }
    }
}

#[test]
fn dump_errors() {
    let mut session = with_types();
    apply(&mut session, clamps::commands::dump::dump, "dump d all atom 10 /dev/null").expect("valid");
    apply(&mut session, clamps::commands::dump::dump, "dump s all atom 10 /dev/null.*").expect("valid");
    let variable: Handler = |session, args| session.script.variables.define(args);
    apply(&mut session, variable, "variable s string x").expect("valid");
    for (handler, line, marked, says) in [
        (clamps::commands::dump::dump as Handler, "dump d all atom 10 f", "d", "already"),
        (clamps::commands::dump::dump, "dump e nope atom 10 f", "nope", "unknown group"),
        (clamps::commands::dump::dump, "dump e all netcdf 10 f", "netcdf", "not supported"),
        (clamps::commands::dump::dump, "dump e all atoms 10 f", "atoms", "unknown dump style"),
        (clamps::commands::dump::dump, "dump e all atom 0 f", "0", "1 or more"),
        (clamps::commands::dump::dump, "dump e all atom 10", "", "missing"),
        (clamps::commands::dump::dump, "dump e all local 10 f c_1", "c_1", "no compute"),
        (clamps::commands::dump::dump, "dump e all local 10 f index", "dump", "rows"),
        (clamps::commands::dump::dump, "dump e all grid 10 f vx", "vx", "no value of a grid"),
        (clamps::commands::dump::dump, "dump e all atom v_s f", "v_s", "not an equal-style variable"),
        (clamps::commands::dump::dump, "dump e all atom 10 f.bz2", "f.bz2", "not supported"),
        (clamps::commands::dump::dump, "dump e all atom 10 f junk", "junk", "unexpected"),
        (clamps::commands::dump::dump, "dump e all custom 10 f", "", "missing"),
        (clamps::commands::dump::dump, "dump e all custom 10 f id xx", "xx", "unknown attribute"),
        (clamps::commands::dump::dump, "dump e all custom 10 f id mux", "mux", "not supported"),
        (clamps::commands::dump::dump, "dump e all custom 10 f id c_1", "c_1", "no compute '1'"),
        (clamps::commands::dump::undump, "undump e", "e", "unknown dump"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify e sort id", "e", "unknown dump"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d", "", "missing"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d colname 9 name", "9", "no column"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d skip none", "none", "equal-style"),
        (
            clamps::commands::dump_modify::dump_modify,
            "dump_modify d precision 100",
            "precision",
            "not supported",
        ),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d types numeric", "types", "no 'types'"),
        (clamps::commands::dump::dump, "dump e all custom/gz 10 f id", "custom/gz", "must end in .gz"),
        (
            clamps::commands::dump::dump,
            "dump e all cfg/zstd 10 f.*.gz mass type xs ys zs",
            "cfg/zstd",
            "must end in .zst",
        ),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d thresh x => 1", "=>", "unknown operator"),
        (
            clamps::commands::dump_modify::dump_modify,
            "dump_modify d thresh element == 1",
            "element",
            "not a number",
        ),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d thresh x <", "", "missing"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d region r", "r", "unknown region"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d unwrap yes", "unwrap", "no 'unwrap'"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d maxfiles 2", "maxfiles", "needs a '*'"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify s maxfiles 0", "0", "1 or more"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d sfactor 2", "sfactor", "not supported"),
        (
            clamps::commands::dump_modify::dump_modify,
            "dump_modify d srot id",
            "srot",
            "unknown dump_modify keyword",
        ),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d element Ar", "", "missing"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d format 9 %g", "9", "1 to 5"),
        (clamps::commands::dump_modify::dump_modify, "dump_modify d format 1 %g", "%g", "does not fit"),
        (
            clamps::commands::dump_modify::dump_modify,
            "dump_modify d format line %d",
            "%d",
            "1 formats for 5 columns",
        ),
        (clamps::commands::dump_modify::dump_modify, "dump_modify s append yes", "append", "cannot append"),
    ] {
        let (text, message) = fails(&mut session, handler, line);
        assert_eq!(text, marked, "{line}: {message}");
        assert!(message.contains(says), "{line}: {message}");
    }
    assert_eq!(session.output.dumps.len(), 2, "a bad command defines nothing");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_names_the_file() {
    let mut session = with_types();
    apply(&mut session, clamps::commands::dump::dump, "dump d all xyz 1 /dev/full").expect("valid");
    let error = write(&mut session, 0).expect_err("cannot be written");
    assert!(error.message.contains("/dev/full"), "{}", error.message);
}

/// A frame that fails half way leaves those before it as they were.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_frame_is_taken_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("f");
    // A child shell bounds the size of files, as a full disk would; the child is this test itself.
    if let Ok(path) = std::env::var("CLAMPS_TEST_SMALL_FILE") {
        let mut session = with_types();
        apply(&mut session, clamps::commands::dump::dump, &format!("dump d all xyz 1 {path}"))
            .expect("valid");
        let failed =
            (0..1000).find_map(|step| write(&mut session, step).err()).expect("the limit is reached");
        assert!(failed.message.contains(&path), "{}", failed.message);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.len() > 500 && text.ends_with("2 0.000123457 1 1e-05\n"), "{text}");
        println!("whole frames only");
        return;
    }
    let this = std::env::current_exe().expect("a test has a binary");
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" a_failed_frame_is_taken_back --exact --nocapture";
    let child = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(this)
        .env("CLAMPS_TEST_SMALL_FILE", &path)
        .output()
        .expect("sh runs");
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && output.contains("whole frames only"), "{output}");
}
