//! Files that are read and written: what other programs leave in them, and that nothing a user has is written over.

#![cfg(unix)]

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::io::{Read, Write};
use std::path::Path;

/// The program in a folder, without a log file.
fn clamps(dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
    command
        .current_dir(dir)
        .env_remove("CLAMPS_DEVICE")
        .env_remove("RUST_LOG")
        .args(["-log", "none"])
        .args(words);
    command
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).expect("written");
    }
    dir
}

/// Runs a script with files beside it; its screen without the first line and the wall time.
fn screen(script: &[u8], files: &[(&str, &[u8])]) -> String {
    let dir = folder(files);
    std::fs::write(dir.path().join("in.x"), script).expect("written");
    let done = clamps(dir.path(), &["-in", "in.x"]).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).expect("text")
}

fn gzipped(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("compressed")
}

const WARNING: &str = "has characters that are not ASCII's";

/// A data file of one atom, with what comes before its last coordinate.
fn data(z: &str) -> String {
    format!(
        "a title\n\n1 atoms\n1 atom types\n\n-4 4 xlo xhi\n-4 4 ylo yhi\n-4 4 zlo zhi\n\nMasses\n\n1 1.0\n\nAtoms\n\n\
         1 1 1.0 1.0 {z}\n"
    )
}

const READ: &[u8] = b"read_data x.data\nprint \"z $(bound(all,zmin))\"\n";
const BOX: &str = "units lj\nregion b block 0 6 0 6 0 6\ncreate_box 1 b\n";

/// The words are those that LAMMPS (22 Jul 2025) prints, which warns once for a script, too.
#[test]
fn scripts_may_have_stand_ins() {
    for (script, word) in [
        ("print \u{201c}hello there\u{201d}", "hello there"),
        ("print \u{2018}hello there\u{2019}", "hello there"),
        ("variable a equal \u{2212}1\nprint ${a}\nprint \u{201c}b\u{201d}", "-1\nb"),
        ("variable a equal 3\u{2d7}1\u{2064}4\nprint ${a}", "6"),
        ("print\u{a0}\"ok now\"\u{2003}", "ok now"),
        ("\u{feff}print ok", "ok"),
        ("\u{feff}# first\r\nprint ok\r\nprint \u{201c}b\u{201d}\r\n", "ok\nb"),
    ] {
        let screen = screen(script.as_bytes(), &[]);
        assert!(screen.contains(&format!("\n{word}\n")), "{script}: {screen}");
        assert_eq!(screen.matches(WARNING).count(), 1, "{script}: {screen}");
    }
    // In remarks they change nothing, and there is nothing to tell. Other letters are what they are.
    let screen = screen("print \"M\u{fc}ller\" # M\u{fc}ller\u{2019}s\u{a0}\u{201c}\n".as_bytes(), &[]);
    assert!(screen.contains("\nM\u{fc}ller\n") && !screen.contains("WARNING"), "{screen}");
}

/// LAMMPS (22 Jul 2025) prints -1 for these files.
#[test]
fn data_files_may_have_stand_ins() {
    let blanks = data("-1.0").replace("1 1 1.0 ", "1 1\u{a0} 1.0\u{a0} ");
    let windows = format!("\u{feff}{}", data("-1.0")).replace('\n', "\r\n");
    for (text, warnings) in
        [(data("\u{2212}1.0"), 1), (blanks, 1), (windows, 1), (data("-1.0 # \u{2212}"), 0)]
    {
        let screen = screen(READ, &[("x.data", text.as_bytes())]);
        assert!(screen.contains("\nz -1\n"), "{text}: {screen}");
        assert_eq!(screen.matches(WARNING).count(), warnings, "{text}: {screen}");
    }
}

#[test]
fn remarks_may_be_in_latin_1() {
    let title = data("-1.0").replace("a title", "f\u{1}r").replace("1 1.0\n", "1 1.0 # \u{1}\n");
    let latin =
        |text: &str| text.bytes().map(|byte| if byte == 1 { 0xfc } else { byte }).collect::<Vec<u8>>();
    assert!(screen(READ, &[("x.data", &latin(&title))]).contains("\nz -1\n"));
    let table = latin("# f\u{1}r\n\nAA\nN 3 R 0.5 2.5\n\n1 0.5 4 4\n2 1.5 1 1 # \u{1}\n3 2.5 0 0\n");
    let script = format!("{BOX}pair_style table linear 100\npair_coeff * * x.tab AA\nprint ok\n");
    assert!(screen(script.as_bytes(), &[("x.tab", &table)]).contains("\nok\n"));
    // A remark that goes on in the next line is one there, too.
    assert!(screen(&latin("# f\u{1}r &\n\u{1} too\nprint ok # \u{1}\n"), &[]).contains("\nok\n"));

    // Elsewhere such a byte has no meaning.
    let dir = folder(&[("x.data", &latin(&data("1.0").replace("1 1.0\n", "1 1.0\u{1}\n"))), ("in.x", READ)]);
    let error = "ERROR: byte 0xfc is no text in UTF-8 (x.data:12)";
    clamps(dir.path(), &["-in", "in.x"])
        .assert()
        .code(1)
        .stderr(contains(error).and(contains("save the file as UTF-8")));
    clamps(dir.path(), &[])
        .write_stdin(latin("print a\nprint \"\u{1}\"\n"))
        .assert()
        .code(1)
        .stderr(contains("byte 0xfc is no text in UTF-8 ((stdin):2)"));
}

#[test]
fn every_reader_takes_compressed_files() {
    let molecule = "a dimer\n\n2 atoms\n\nCoords\n\n1 0 0 0.5\n2 0 0 \u{2212}0.5\n\nTypes\n\n1 1\n2 1\n";
    let table = "AA\nN 3 R 0.5 2.5\n\n1 0.5 4 4\n2 1.5 1 1\n3 2.5 0 0\n";
    let dump = "ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n-4 4\n-4 4\n-4 4\n\
                ITEM: ATOMS id type x y z\n1 1 1 1 2.5\n";
    let mesh = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n\
                endsolid s\n";
    let script = "include x.in.gz\nread_data x.data.gz\nprint \"z $(bound(all,zmin))\"\nmolecule m x.mol.gz\n\
                  pair_style table linear 100\npair_coeff * * x.tab.gz AA\nread_dump x.dump.gz 7 x y z\n\
                  print \"z $(bound(all,zmin))\"\nvariable f file x.file.gz\nprint $f\n\
                  variable a atomfile x.atoms.gz\nprint \"a $(v_a[1])\"\ncreate_atoms 1 mesh x.stl.gz units box\n";
    let files: Vec<(&str, Vec<u8>)> = [
        ("x.in.gz", "print included\n"),
        ("x.data.gz", &data("-1.0")),
        ("x.mol.gz", molecule),
        ("x.tab.gz", table),
        ("x.dump.gz", dump),
        ("x.file.gz", "first\n"),
        ("x.atoms.gz", "1\n1 3.5\n"),
        ("x.stl.gz", mesh),
    ]
    .map(|(name, text)| (name, gzipped(text.as_bytes())))
    .to_vec();
    let plain: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let screen = screen(script.as_bytes(), &plain);
    for line in ["included", "z -1", "z 2.5", "first", "a 3.5"] {
        assert!(screen.contains(&format!("\n{line}\n")), "{line}: {screen}");
    }
    assert_eq!(screen.matches(WARNING).count(), 1, "of the molecule: {screen}");

    // A script itself, with zstd; plain text where the name says more, as LAMMPS's write_data leaves it, and the other
    // compression; what is compressed and does not say so.
    let zstd = zstd::encode_all(&b"print ok\n"[..], 0).expect("compressed");
    let dir = folder(&[("in.zst", &zstd), ("in.x", &gzipped(b"print ok\n")), ("y.gz", b"print ok\n")]);
    std::fs::write(dir.path().join("z.gz"), &zstd).expect("written");
    for name in ["in.zst", "y.gz", "z.gz"] {
        clamps(dir.path(), &["-in", name]).assert().success().stdout(contains("\nok\n"));
    }
    let words = "cannot read in.x: it is compressed, and its name does not say so";
    clamps(dir.path(), &["-in", "in.x"]).assert().code(1).stderr(contains(words));
    // Half a script is none, though half a dump has frames.
    let whole = gzipped(b"print ok\n");
    let dir = folder(&[("in.gz", &whole[..whole.len() - 8])]);
    clamps(dir.path(), &["-in", "in.gz"]).assert().code(1).stderr(contains("cannot read in.gz"));
    let dir = folder(&[("in.x", b"\xff\xfep\0r\0i\0n\0t\0")]);
    clamps(dir.path(), &["-in", "in.x"]).assert().code(1).stderr(contains("it is text in UTF-16"));
}

/// What a file holds, uncompressed by its name.
fn uncompressed(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("written");
    let mut text = String::new();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text),
        Some("zst") => zstd::Decoder::new(&bytes[..]).expect("zstd").read_to_string(&mut text),
        _ => (&bytes[..]).read_to_string(&mut text),
    }
    .expect("compressed as the name says");
    text
}

/// Not only dumps: whatever is text is compressed where its name says so, and holds what the plain file does.
#[test]
fn every_text_is_compressed_by_its_name() {
    let names = [
        "data",
        "coeff",
        "table",
        "print",
        "added",
        "fix",
        "fix_added",
        "mean",
        "histogram",
        "more",
        "labels",
        "info",
    ];
    let script = |ending: &str| {
        format!(
            "log log{ending}\nread_data x.data\npair_style lj/cut 2.5\npair_coeff * * 1 1\nlabelmap atom 1 A\n\
             write_data data{ending}\nwrite_coeff coeff{ending}\npair_write 1 1 10 r 0.9 2 table{ending} AA\n\
             pair_write 1 1 10 r 0.9 2 table{ending} BB\nprint one file print{ending}\nprint one append added{ending}\n\
             print two append added{ending}\nlabelmap write labels{ending}\ninfo groups out overwrite info{ending}\n\
             info groups out append info{ending}\nfix 1 all nve\nvariable s equal step\n\
             fix p all print 5 'step $s' file fix{ending} screen no\n\
             fix t all ave/time 1 5 5 v_s file mean{ending}\n\
             fix h all ave/histo 1 5 5 0 10 5 v_s mode scalar file histogram{ending} overwrite\nrun 10\nunfix p\n\
             fix a all print 5 'step $s' append fix_added{ending} screen no\n\
             fix m all ave/histo 1 5 5 0 10 5 v_s mode scalar file more{ending}\nrun 5\nunfix a\nunfix m\n\
             fix a all print 5 'step $s' append fix_added{ending} screen no\n\
             fix m all ave/histo 1 5 5 0 10 5 v_s mode scalar append more{ending} overwrite\nrun 5\n\
             print the_end\nlog none\n"
        )
    };
    let data = data("1.0");
    let mut plain: Vec<String> = Vec::new();
    for ending in ["", ".gz", ".zst"] {
        let dir = folder(&[("x.data", data.as_bytes()), ("in.x", script(ending).as_bytes())]);
        let json = format!("json{ending}");
        clamps(dir.path(), &["-in", "in.x", "-screen", "none", "-json", &json]).assert().success();
        let text = |name: &str| uncompressed(&dir.path().join(format!("{name}{ending}")));
        let texts: Vec<String> = names.iter().map(|name| text(name)).collect();
        if plain.is_empty() {
            assert!(
                texts[2].contains("AA") && texts[2].contains("BB") && texts[4] == "one\ntwo\n",
                "{texts:?}"
            );
            assert_eq!(texts[6].matches("step").count(), 4, "{}", texts[6]);
            plain.clone_from(&texts);
        }
        for ((name, text), plain) in names.iter().zip(texts).zip(&plain) {
            assert_eq!(text, *plain, "{name}{ending}");
        }
        assert!(text("log").ends_with("\nthe_end\nlog none\n"), "{}", text("log"));
        assert!(text("json").starts_with('{') && text("json").ends_with("}\n"));
        // And goes back in.
        let back = format!(
            "read_data data{ending} nocoeff\ninclude labels{ending}\npair_style table linear 100\n\
             pair_coeff * * table{ending} BB\nprint \"z $(bound(all,zmin))\"\n"
        );
        clamps(dir.path(), &[]).write_stdin(back).assert().success().stdout(contains("\nz 1\n"));
    }
}

/// LAMMPS (22 Jul 2025) reads such a file with a warning, and prints -1.
#[test]
fn remarks_behind_atoms_need_not_be_styles() {
    let screen = screen(READ, &[("x.data", data("-1.0").replace("Atoms", "Atoms # my atoms").as_bytes())]);
    assert!(screen.contains("WARNING: read_data: 'my atoms' behind Atoms is no atom style"), "{screen}");
    assert!(screen.contains("\nz -1\n"), "{screen}");
}

/// A box, an atom and a pair style, for commands that write.
const SYSTEM: &str = "include part\nread_data x.data\nmolecule m x.mol\npair_style lj/cut 2.5\npair_coeff * * 1 1\n\
                      labelmap atom 1 A\n";
const MOLECULE: &[u8] = b"one\n\n1 atoms\n\nCoords\n\n1 0 0 0\n\nTypes\n\n1 1\n";

/// Commands that write a file, each the last line of a script.
const WRITERS: [&str; 26] = [
    "print a file NAME",
    "print a append NAME",
    "log NAME",
    "log NAME append",
    "write_data NAME",
    "write_restart NAME",
    "write_dump all atom NAME",
    "dump d all atom 1 NAME",
    "fix f all print 1 a file NAME",
    "fix f all print 1 a append NAME",
    "fix f all ave/time 1 1 1 v_one file NAME",
    "labelmap write NAME",
    "info system out overwrite NAME",
    "info system out append NAME",
    "pair_write 1 1 10 r 0.9 2 NAME AA",
    "write_coeff NAME",
    "dump d all cfg 1 NAME mass type xs ys zs",
    "dump d all xtc 1 NAME",
    "dump d all dcd 1 NAME",
    "dump d all yaml 1 NAME id x",
    "fix f all ave/histo 1 1 1 0 1 2 x mode vector file NAME",
    "fix f all ave/histo/weight 1 1 1 0 1 2 x y mode vector file NAME",
    "compute c all chunk/atom bin/1d x lower 0.5 units reduced\nfix f all ave/chunk 1 1 1 c vx file NAME",
    "fix f all ave/correlate 1 2 2 v_one v_one file NAME",
    "restart 10 NAME",
    "restart 10 other NAME",
];

/// Runs the script in.x, which must fail at its last line with these words, and leave all files as they are.
fn refused(files: &[(&str, &[u8])], script: &str, words: &str) {
    let dir = folder(files);
    std::fs::write(dir.path().join("in.x"), script).expect("written");
    std::os::unix::fs::symlink("in.x", dir.path().join("link")).expect("linked");
    std::fs::hard_link(dir.path().join("in.x"), dir.path().join("hard")).expect("linked");
    let place = format!("{words} (in.x:{})", script.lines().count());
    let done = clamps(dir.path(), &["-in", "in.x"]).assert().code(1);
    done.stderr(contains(place).and(contains("= help: name another file")));
    for (name, text) in files.iter().chain(&[("in.x", script.as_bytes())]) {
        assert!(std::fs::read(dir.path().join(name)).expect("there") == *text, "{script}: {name}");
    }
}

#[test]
fn nothing_that_was_read_is_written_over() {
    let data = data("1.0");
    let files: [(&str, &[u8]); 3] =
        [("part", b"units lj\n"), ("x.data", data.as_bytes()), ("x.mol", MOLECULE)];
    for writer in WRITERS {
        for (name, what) in [
            ("in.x", "the script"),
            ("./in.x", "the script"),
            ("link", "the script"),
            ("hard", "the script"),
            ("part", "a script that is included"),
            ("x.data", "the data file that was read"),
            ("x.mol", "the molecule file that was read"),
        ] {
            let script = format!("{SYSTEM}variable one equal 1\n{}\n", writer.replace("NAME", name));
            refused(&files, &script, &format!("cannot write {name}: that is {what}"));
        }
    }
    // The other readers.
    let restart = folder(&[("x.data", data.as_bytes())]);
    let made = "read_data x.data\nwrite_restart r\n";
    clamps(restart.path(), &[]).write_stdin(made).assert().success();
    let restart = std::fs::read(restart.path().join("r")).expect("made");
    refused(
        &[("r", &restart)],
        "read_restart r\nwrite_restart r\n",
        "cannot write r: that is the restart file that was read",
    );
    refused(
        &[("r", &restart)],
        "read_restart r\nrestart 5 q r\n",
        "cannot write r: that is the restart file that was read",
    );
    let table: &[u8] = b"AA\nN 3 R 0.5 2.5\n\n1 0.5 4 4\n2 1.5 1 1\n3 2.5 0 0\n";
    let script =
        format!("{BOX}pair_style table linear 100\npair_coeff * * t AA\npair_write 1 1 10 r 0.9 2 t BB\n");
    refused(&[("t", table)], &script, "cannot write t: that is the table file that was read");
    let script = "variable a atomfile t\nprint a file t\n";
    refused(&[("t", b"1\n1 2\n")], script, "cannot write t: that is the atomfile that was read");
}

/// Outputs of the command line are opened before the script runs, and yet not over what it is going to read.
#[test]
fn options_write_over_nothing_that_is_read_later() {
    let data = data("1.0");
    let made = folder(&[("x.data", data.as_bytes())]);
    clamps(made.path(), &[]).write_stdin("read_data x.data\nwrite_restart r\n").assert().success();
    let restart = std::fs::read(made.path().join("r")).expect("made");
    let files: [(&str, &[u8]); 5] = [
        ("part", b"units lj\ninclude inner\n"),
        ("inner", b"molecule m x.mol\n"),
        ("x.data", data.as_bytes()),
        ("x.mol", MOLECULE),
        ("r", &restart),
    ];
    for (script, read) in [
        ("if '1 == 1' then 'include part'\nread_data x.data\n", ["part", "inner", "x.mol", "x.data"]),
        ("read_restart r\ninclude 'part' # and x.data\n", ["part", "inner", "x.mol", "r"]),
    ] {
        for (name, bytes) in files.into_iter().filter(|(name, _)| read.contains(name)) {
            for option in ["-log", "-screen", "-json"] {
                let dir = folder(&files);
                std::fs::write(dir.path().join("in.x"), script).expect("written");
                std::fs::hard_link(dir.path().join(name), dir.path().join("hard")).expect("linked");
                for path in [name, "hard"] {
                    let mut command = Command::cargo_bin("clamps").expect("built by cargo");
                    command.current_dir(dir.path()).args(["-in", "in.x", option, path]);
                    let done = command.assert().code(1);
                    let told = format!("cannot write {path}: that is a file that the script reads");
                    done.stderr(contains(told).and(contains("= help: ")));
                    assert!(std::fs::read(dir.path().join(name)).expect("there") == bytes, "{option} {path}");
                }
            }
        }
    }
    // What a script has named before it may write itself.
    let dir = folder(&[("part", b"units metal\n")]);
    std::fs::write(dir.path().join("in.x"), "print 'units lj' file part\ninclude part\n").expect("written");
    clamps(dir.path(), &["-in", "in.x", "-screen", "shown"]).assert().success();
    // Names that it uses otherwise are no files that it reads.
    let words = "variable out index kept\nvariable log string kept\nprint '${out} ${log}'\n";
    std::fs::write(dir.path().join("in.x"), words).expect("written");
    for _ in 0..2 {
        clamps(dir.path(), &["-in", "in.x", "-screen", "kept"]).assert().success();
    }
}

#[test]
fn outputs_that_are_open_are_not_written_over() {
    let data = data("1.0");
    let files: [(&str, &[u8]); 3] =
        [("part", b"units lj\n"), ("x.data", data.as_bytes()), ("x.mol", MOLECULE)];
    for (open, what) in [
        ("dump e all atom 1 out", "the file of dump e"),
        ("fix g all print 1 a file out", "the file of fix g"),
        ("fix g all ave/time 1 1 1 v_one file out", "the file of fix g"),
        ("log out", "the log file"),
    ] {
        let another = |writer: &&str| !(open.starts_with("log") && writer.starts_with("log"));
        // What a print or an info appends harms neither.
        let over = |writer: &&str| !writer.starts_with("print a append") && !writer.contains("out append");
        for writer in WRITERS.into_iter().filter(another).filter(over) {
            let script =
                format!("{SYSTEM}variable one equal 1\n{open}\n{}\n", writer.replace("NAME", "./out"));
            refused(&files, &script, &format!("cannot write ./out: that is {what}"));
        }
    }
    // Closed ones are free, and so is the same fix once more.
    let script = format!(
        "{SYSTEM}dump e all atom 1 out\nundump e\nfix g all print 1 a file out\nfix g all print 1 b file out\nunfix g\n\
         log out\nlog none\nwrite_data out\nprint a file out\nprint b append out\n"
    );
    let dir = folder(&files);
    clamps(dir.path(), &[]).write_stdin(script).assert().success();
    assert_eq!(std::fs::read_to_string(dir.path().join("out")).expect("there"), "a\nb\n");
    // Nor is what the shell has sent the screen to.
    let program = assert_cmd::cargo::cargo_bin("clamps");
    let script = "print hello\nprint a file out\n";
    let run = |redirection: &str| {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("\"$0\" -log none {redirection}"))
            .arg(&program)
            .current_dir(dir.path());
        command
    };
    run("> out")
        .write_stdin(script)
        .assert()
        .code(1)
        .stderr(contains("that is where the screen's output goes"));
    std::fs::write(dir.path().join("script"), "print a file script\n").expect("written");
    run("< script").assert().code(1).stderr(contains("cannot write script: that is the script"));
}

/// Pictures have the step in their names, so that they meet a file only when they are written.
#[test]
fn no_picture_is_written_over_what_was_read() {
    let data = data("1.0");
    for (dump, what) in [
        ("dump d all image 1 in.*.ppm type type", "the script"),
        ("dump d all image 1 in.*.png type type", "the script"),
        ("dump d all image 1 link.*.ppm type type", "the script"),
        ("dump d all image 1 hard.*.ppm type type", "the script"),
        ("dump d all image 1 data.*.ppm type type", "the data file that was read"),
        ("dump d all image 1 data.*.jpg type type", "the data file that was read"),
        ("dump d all movie 1 in.0.gif type type", "the script"),
        ("dump d all movie 1 link.0.gif type type", "the script"),
        ("dump d all movie 1 hard.0.gif type type", "the script"),
        ("dump d all movie 1 data.0.gif type type", "the data file that was read"),
    ] {
        let ending = &dump[dump.find('.').expect("an ending")..].split(' ').next().expect("a name")[2..];
        let name = |what: &str| format!("{what}.0{ending}");
        let script = format!(
            "read_data {}\npair_style lj/cut 2.5\npair_coeff * * 1 1\nfix 1 all nve\n{dump}\nrun 0\n",
            name("data")
        );
        let dir = folder(&[(&name("data"), data.as_bytes()), (&name("in"), script.as_bytes())]);
        std::os::unix::fs::symlink(name("in"), dir.path().join(name("link"))).expect("linked");
        std::fs::hard_link(dir.path().join(name("in")), dir.path().join(name("hard"))).expect("linked");
        let written = name(dump.split(' ').nth(5).and_then(|name| name.split('.').next()).expect("a name"));
        let done = clamps(dir.path(), &["-in", &name("in")]).assert().code(1);
        done.stderr(contains(format!("cannot write {written}: that is {what}")).and(contains("= help: ")));
        for (name, text) in [(name("in"), &script), (name("data"), &data)] {
            assert_eq!(
                std::fs::read_to_string(dir.path().join(&name)).expect("there"),
                *text,
                "{dump}: {name}"
            );
        }
    }
}

/// Of two formats in one file readers would find the first.
#[test]
fn compressed_text_does_not_go_behind_plain_text() {
    for (line, ending) in [
        ("print b append x", ".gz"),
        ("print b append x", ".zst"),
        ("fix f all print 1 b append x", ".gz"),
        ("log x", ".gz append"),
        ("info groups out append x", ".zst"),
        ("dump d all atom 1 x", ".gz\ndump_modify d append yes\nrun 0"),
    ] {
        let name = format!("x{}", ending.split([' ', '\n']).next().expect("a name"));
        let script = format!(
            "{BOX}create_atoms 1 single 1 1 1\nmass 1 1\npair_style lj/cut 2.5\npair_coeff 1 1 1 1\n{line}{ending}\n"
        );
        let run = |begin: &[u8]| {
            let dir = folder(&[(&name, begin)]);
            let done = clamps(dir.path(), &[]).write_stdin(&*script).assert();
            (dir, done)
        };
        let (dir, done) = run(b"a\n");
        done.code(1).stderr(
            contains(format!("cannot append to {name}: it is not compressed as its name says"))
                .and(contains("= help: name another file, or write this one anew")),
        );
        assert_eq!(std::fs::read(dir.path().join(&name)).expect("there"), b"a\n", "{line}");
        // What is as its name says, or empty, goes on.
        let begins = match name.ends_with(".gz") {
            true => vec![gzipped(b"a\n")],
            false => {
                let frame = zstd::encode_all(&b"a\n"[..], 0).expect("compressed");
                // Behind four bytes that readers pass over (RFC 8878, 3.1.2).
                let skipped = [0x5a, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, b'n', b'o', b't', b'e'];
                vec![[&skipped[..], &frame].concat(), frame]
            }
        };
        let begins = begins.into_iter().map(|begin| (begin, "a\n"));
        for (begin, text) in begins.chain([(Vec::new(), "")]) {
            let (dir, done) = run(&begin);
            done.success();
            let whole = std::fs::read(dir.path().join(&name)).expect("there");
            assert!(whole.starts_with(&begin) && whole.len() > begin.len(), "{line} behind {text}");
        }
    }
}

/// As LAMMPS (22 Jul 2025) reads it, but not where they nearly make another keyword, which LAMMPS takes for the first one.
#[test]
fn words_behind_keywords_of_a_header_are_remarks() {
    let header =
        ["1 atoms", "1 atom types", "-4 4 xlo xhi", "-4 4 ylo yhi", "-4 4 zlo zhi", "0 0 0 xy xz yz"];
    let rest = "\n\nMasses\n\n1 1.0\n\nAtoms\n\n1 1 1.0 1.0 1.0\n";
    let of = |header: &[String]| format!("a title\n\n{}{rest}", header.join("\n"));
    for k in 0..header.len() {
        for more in [" of argon", " 7", " # Angstrom", " atoms"] {
            let mut lines = header.map(str::to_owned);
            lines[k] += more;
            assert!(screen(READ, &[("x.data", of(&lines).as_bytes())]).contains("z 1\n"), "{}", lines[k]);
        }
        let mut lines = header.map(str::to_owned);
        lines[k] += "x";
        let dir = folder(&[("x.data", of(&lines).as_bytes()), ("in.x", READ)]);
        clamps(dir.path(), &["-in", "in.x"]).assert().code(1).stderr(contains("is not a header keyword"));
    }
    for line in ["1 atoms types", "1 atoms type"] {
        let mut lines = header.map(str::to_owned);
        lines[1] = line.to_owned();
        let dir = folder(&[("x.data", of(&lines).as_bytes()), ("in.x", READ)]);
        clamps(dir.path(), &["-in", "in.x"]).assert().code(1).stderr(contains("did you mean 'atom types'?"));
    }
}

/// What a run has written itself, it may read and write again; and a variable's file is where scripts keep a state.
#[test]
fn a_runs_own_files_may_be_written_again() {
    let script = "print \"print one\" file inc\ninclude inc\nprint \"print two\" file inc\ninclude inc\n\
                  region b block 0 1 0 1 0 1\ncreate_box 1 b\ncreate_atoms 1 single 0 0 0\nmass 1 1\n\
                  write_data d\nwrite_restart r\nclear\nread_data d\nwrite_data d\nclear\nread_restart r\nwrite_restart r\n\
                  restart 5 r s\nvariable n file state\nprint $(v_n+1) file state\n";
    let dir = folder(&[("state", b"6\n")]);
    clamps(dir.path(), &[])
        .write_stdin(script)
        .assert()
        .success()
        .stdout(contains("\none\n").and(contains("\ntwo\n")));
    assert_eq!(std::fs::read_to_string(dir.path().join("state")).expect("there"), "7\n");
}

#[test]
fn what_a_killed_run_leaves_is_cleaned_by_the_next() {
    let dir = folder(&[("x.data", data("1.0").as_bytes()), (".out.tmp", b"half of it")]);
    clamps(dir.path(), &[]).write_stdin("read_data x.data\nwrite_data out\n").assert().success();
    let mut names: Vec<_> =
        dir.path().read_dir().expect("listed").map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, ["out", "x.data"]);
    let text = std::fs::read_to_string(dir.path().join("out")).expect("there");
    assert!(text.contains("1 atoms") && !text.contains("half"), "{text}");
}

/// As SIGTERM does; not where nohup has said otherwise.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_goes_ends_the_script() {
    let own = std::fs::read_to_string("/proc/self/status").expect("of this process");
    let ignored = own
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map(|bits| u64::from_str_radix(bits.trim(), 16));
    if ignored.is_some_and(|bits| bits.is_ok_and(|bits| bits & 1 != 0)) {
        eprintln!("skipped: these tests run under nohup, which programs inherit");
        return;
    }
    // The one is not to come to its end, the other is.
    for (nohup, lines, code) in [("", 600_000, 128 + 1), ("trap '' HUP; ", 100_000, 0)] {
        let script = format!("print started\n{}", "variable x equal 1\n".repeat(lines));
        let dir = folder(&[("in.long", script.as_bytes())]);
        let line = format!(
            "{nohup}\"$0\" -in in.long -log none -echo screen > out & until grep -q started out; do sleep 0.01; done; kill -HUP $!; wait $!"
        );
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).arg(assert_cmd::cargo::cargo_bin("clamps")).current_dir(dir.path());
        command.assert().code(code);
    }
}
