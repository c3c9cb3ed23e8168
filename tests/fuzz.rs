//! Scripts and files with mistakes made by chance: the script parser, every command up to the first run, and the readers of data files,
//! molecules, tables, lists of pairs, potential files, meshes, dumps and restart files (with right checksums) must refuse them with an error that has a place, or accept them, without a panic, without
//! hanging and without asking for absurd amounts of memory. No device is needed.
//!
//! A few seconds by default; `CLAMPS_FUZZ_SECONDS=60 cargo test --release --test fuzz` takes a minute for each test,
//! `CLAMPS_FUZZ_SEED=N` another sequence. A case that fails is printed, and a fixed seed makes it again.

#[macro_use]
mod common;

use clamps::base::error::Error;
use clamps::base::log::Log;
use clamps::base::random::philox;
use clamps::commands::interpreter::{Echo, Interpreter};
use clamps::script::variables::Variables;
use clamps::session::Session;
use clamps::session::options::Options;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How many seconds one case may take, on a busy machine and with its thousands of atoms.
const PATIENCE: u32 = 60;

/// How much address space a case may ask for, in KiB.
const MOST_MEMORY: u64 = 1 << 20;

/// Numbers at which programs stumble.
const NUMBERS: [&str; 21] = [
    "0",
    "-1",
    "1",
    "2",
    "3.5",
    "-0.0",
    "1e-300",
    "1e300",
    "1e309",
    "-1e10",
    "nan",
    "inf",
    "-inf",
    "32",
    "33",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
];

/// Pieces of text that mean something to the parser.
const PIECES: [&str; 24] = [
    "$", "${", "}", "$(", ")", "(", "\"", "'", "\"\"\"", "&\n", "#", "*", "[", "]", "[1]", "v_x", "c_1",
    "f_1[2]", "NULL", "all", "%", "\u{e9}", "\0", "\t",
];

/// The same numbers for the same seed.
struct Chance {
    counter: u32,
    key: [u32; 2],
}

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.counter += 1;
        philox([self.counter, 0, 0, 0], self.key)[0] as usize % n.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Texts that cases are made from, and all their words.
struct Corpus {
    texts: Vec<String>,
    words: Vec<String>,
}

impl Corpus {
    fn new(mut texts: Vec<String>) -> Self {
        texts.retain(|text| !text.trim().is_empty());
        let mut words: Vec<String> =
            texts.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
        words.sort();
        words.dedup();
        assert!(texts.len() > 1 && words.len() > 20, "the corpus is there");
        Corpus { texts, words }
    }

    /// A text with a few mistakes.
    fn case(&self, chance: &mut Chance) -> String {
        let mut text = self.texts[chance.below(self.texts.len())].clone();
        for _ in 0..=chance.below(3) {
            self.spoil(&mut text, chance);
        }
        text
    }

    fn spoil(&self, text: &mut String, chance: &mut Chance) {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.is_empty() {
            return;
        }
        let line = chance.below(lines.len());
        let mut words: Vec<&str> = lines[line].split(' ').filter(|word| !word.is_empty()).collect();
        let word = chance.below(words.len());
        match chance.below(10) {
            0 => drop(lines.remove(line)),
            1 => {
                let other = chance.below(lines.len());
                lines.swap(line, other);
            }
            2 => {
                let other = &self.texts[chance.below(self.texts.len())];
                let other: Vec<&str> = other.lines().collect();
                lines.insert(line, other[chance.below(other.len())].to_owned());
            }
            3..=6 if !words.is_empty() => {
                match chance.below(5) {
                    0 => drop(words.remove(word)),
                    1 => words.insert(word, words[word]),
                    2 | 3 => words[word] = chance.of(&NUMBERS),
                    _ => words[word] = &self.words[chance.below(self.words.len())],
                }
                lines[line] = words.join(" ");
            }
            _ => {
                let places: Vec<usize> = lines[line].char_indices().map(|(at, _)| at).collect();
                let at = places.get(chance.below(places.len())).copied().unwrap_or(0);
                match chance.below(3) {
                    0 if !places.is_empty() => drop(lines[line].remove(at)),
                    1 => lines[line].insert_str(at, chance.of(&PIECES)),
                    _ => {
                        let byte = (32 + chance.below(95)) as u8;
                        lines[line].insert(at, char::from(byte));
                    }
                }
            }
        }
        *text = lines.join("\n");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The texts of a folder's files whose names end in one of these.
fn texts(folder: &str, endings: &[&str]) -> Vec<String> {
    let mut paths: Vec<PathBuf> = fs::read_dir(root().join(folder))
        .expect(folder)
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.retain(|path| endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)));
    paths
        .iter()
        .map(|path| String::from_utf8_lossy(&fs::read(path).expect("readable")).into_owned())
        .collect()
}

/// The directory that everything happens in, with the files that scripts of the tests include.
fn workplace() -> &'static Path {
    static PLACE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let place = PLACE.get_or_init(|| {
        let place = tempfile::tempdir().expect("a directory");
        for entry in fs::read_dir(root().join("tests/lammps")).expect("scripts") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                fs::copy(&path, place.path().join(path.file_name().expect("a name"))).expect("copied");
            }
        }
        std::env::set_current_dir(place.path()).expect("a directory to work in");
        place
    });
    place.path()
}

/// The most address space that this process has had so far, in KiB, where the system says.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

/// Whether a script asks for a system of millions of atoms in so many words, which it gets.
fn is_huge(script: &str) -> bool {
    let makes = |line: &str| {
        ["region", "replicate", "lattice", "change_box"]
            .iter()
            .any(|word| line.trim_start().starts_with(word))
    };
    let beyond = |line: &str, most: f64| {
        line.split_whitespace().any(|word| word.parse::<f64>().is_ok_and(|x| x.abs() > most))
    };
    let strews = |line: &str| {
        let count = line.split_whitespace().skip_while(|word| *word != "random").nth(1);
        line.trim_start().starts_with("create_atoms")
            && count.and_then(|count| count.parse::<f64>().ok()).is_some_and(|count| count > 1e6)
    };
    if script.lines().any(strews) {
        return true;
    }
    // system.part has n^3 cells of a lattice.
    script.lines().any(|line| line.starts_with("variable n ") && beyond(line, 50.0))
        || ["create_atoms", "replicate"].iter().any(|word| script.contains(word))
            && script.lines().any(|line| makes(line) && beyond(line, 1e4))
}

/// What a script does that must not be left to chance: it leaves the directory, waits for a device, or goes on for ever.
fn is_dangerous(script: &str) -> bool {
    let outside = |word: &str| {
        word.contains('/') && word.contains("..") || word.contains(" /") || word.starts_with('/')
    };
    script.split([' ', '\n', '"', '\'', '\t']).any(outside)
        || ["jump", "minimize", "rerun", "shell", "log", "quit"].iter().any(|word| script.contains(word))
}

/// Carries out a script up to its first run; the error's text, if there is one.
fn carry_out(script: &str) -> Result<bool, String> {
    carry_out_and(script, |_| ())
}

/// The same, and something with what it has set.
fn carry_out_and(script: &str, then: fn(&Session)) -> Result<bool, String> {
    let done = catch_unwind(|| {
        let options = Options { script: "in.fuzz".into(), ..Options::default() };
        let session = Session::new(options, Log::memory(), Variables::default());
        let mut interpreter = Interpreter::new(session, Echo::None);
        interpreter.prepare("in.fuzz", script)?;
        then(&interpreter.session);
        Ok::<_, Error>(())
    });
    match done {
        Ok(Ok(())) => Ok(true),
        Ok(Err(error)) if error.at.is_none() => Err(format!("an error without a place: {}", error.message)),
        Ok(Err(_)) => Ok(false),
        Err(_) => Err("it panicked".to_owned()),
    }
}

/// The answer to a case, waited for in so many seconds of their own: a machine that stands still for minutes, as one that others
/// share does at times, takes one of them.
fn answer_within(seconds: u32, answers: &Receiver<Result<bool, String>>) -> Result<bool, String> {
    (0..seconds)
        .find_map(|_| answers.recv_timeout(Duration::from_secs(1)).ok())
        .unwrap_or_else(|| Err("it hangs".to_owned()))
}

/// Works through the first `most` cases, or as many as fit into the time that the environment gives. `run` makes one happen.
fn fuzz(
    what: &str,
    most: u32,
    mut make: impl FnMut(&mut Chance) -> String,
    run: fn(&str) -> Result<bool, String>,
) {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default);
    let time = Duration::from_secs(number("CLAMPS_FUZZ_SECONDS", 600));
    let most = if std::env::var_os("CLAMPS_FUZZ_SECONDS").is_some() { u32::MAX } else { most };
    let mut chance = Chance { counter: 0, key: [number("CLAMPS_FUZZ_SEED", 1) as u32, what.len() as u32] };
    let (give, take) = channel::<String>();
    let (answer, answers): (_, Receiver<Result<bool, String>>) = channel();
    // A thread of its own, so that one that hangs is noticed.
    thread::Builder::new()
        .stack_size(8 << 20)
        .spawn(move || take.iter().all(|case| answer.send(run(&case)).is_ok()))
        .expect("a thread");
    let (start, memory) = (Instant::now(), peak());
    let (mut cases, mut good) = (0, 0);
    let (mut longest, mut slowest) = (Duration::ZERO, String::new());
    while cases < most && start.elapsed() < time {
        let case = make(&mut chance);
        give.send(case.clone()).expect("the thread is there");
        let began = Instant::now();
        let outcome = answer_within(PATIENCE, &answers);
        if began.elapsed() > longest {
            (longest, slowest) = (began.elapsed(), case.clone());
        }
        let asked = peak().saturating_sub(memory);
        match outcome {
            Err(wrong) => panic!("{what}, case {cases}: {wrong}:\n{case}"),
            Ok(_) if asked > MOST_MEMORY => panic!("{what}, case {cases} asked for {asked} KiB:\n{case}"),
            Ok(accepted) => good += u32::from(accepted),
        }
        cases += 1;
    }
    println!(
        "{what}: {cases} cases, {good} of them without an error; the slowest took {longest:?}:\n{slowest}\n"
    );
    assert!(cases > 20, "{what}: only {cases} cases");
    assert!(good > 0, "{what}: every case was refused");
}

#[test]
fn scripts_with_mistakes() {
    workplace();
    let mut scripts = texts("tests/lammps", &[".in", ".part"]);
    scripts.extend(texts("tests/bad", &[".in"]));
    // Past the first run nothing would happen any more.
    let kept = |line: &&str| {
        !["run", "jump", "log", "minimize", "rerun", "quit"].contains(&line.split(' ').next().unwrap_or(""))
    };
    let scripts =
        scripts.iter().map(|text| text.lines().filter(kept).collect::<Vec<_>>().join("\n")).collect();
    let corpus = Corpus::new(scripts);
    let case = |chance: &mut Chance| loop {
        let case = corpus.case(chance);
        if !is_dangerous(&case) && !is_huge(&case) {
            return case;
        }
    };
    fuzz("scripts", 3000, case, carry_out);
}

/// Atom styles, with the folder of data files of theirs and the end of the files' names.
const DATA_FILES: [(&str, &str, &str); 9] = [
    ("atomic", "tests/system", ".data"),
    ("atomic", "tests/lammps/expected/edits", ".data"),
    ("bond", "tests/lammps/expected/molecules", ".data"),
    ("bond", "tests/lammps/expected/members", ".data"),
    ("hybrid charge bond", "tests/lammps", "composed_1.part"),
    ("hybrid charge bond", "tests/lammps/expected/composed", "bond.data"),
    ("hybrid sphere charge", "tests/lammps", "composed_2.part"),
    ("hybrid sphere charge", "tests/lammps/expected/composed", "spheres.data"),
    ("hybrid molecular full", "tests/lammps/expected/composed", "full.data"),
];

#[test]
fn data_files_with_mistakes() {
    workplace();
    let read = |(_, folder, end): &(&str, &str, &str)| {
        let mut files = texts(folder, &[*end]);
        // Long lists of atoms say nothing that short ones do not.
        files.retain(|text| text.len() < 30_000);
        assert!(!files.is_empty(), "{folder} has files with {end}");
        files
    };
    let files: Vec<Vec<String>> = DATA_FILES.iter().map(read).collect();
    let words = Corpus::new(files.concat()).words;
    let corpora: Vec<Corpus> =
        files.into_iter().map(|texts| Corpus { texts, words: words.clone() }).collect();
    let case = |chance: &mut Chance| {
        let kind = chance.below(corpora.len());
        // Some are read as another style.
        let style = if chance.below(8) == 0 { chance.below(corpora.len()) } else { kind };
        format!("{}\n{}", DATA_FILES[style].0, corpora[kind].case(chance))
    };
    fuzz("data files", 3000, case, |case| {
        let (style, text) = case.split_once('\n').expect("a style");
        fs::write("fuzz.data", text).expect("written");
        let has_bonds = ["bond", "full", "molecular"].iter().any(|word| style.contains(word));
        let bonds = if has_bonds { "bond_style harmonic\n" } else { "" };
        let read = "read_data fuzz.data\nread_data fuzz.data add append nocoeff shift 1 0 0\nwrite_data fuzz.again nocoeff\n";
        carry_out(&format!("atom_style {style}\npair_style lj/cut 2.5\n{bonds}{read}"))
    });
}

/// Pair styles that read potential files, with the `pair_coeff` lines of which the file CASE is changed by chance, and the files to change. `CLAMPS_FUZZ_SECONDS`
/// is for each of them.
const POTENTIALS: [(&str, &str, &[&str]); 16] = [
    ("eam", "1 1 CASE\npair_coeff 2 2 eam_bb.part", &["eam_aa.part", "eam_bb.part"]),
    ("eam/alloy", "* * CASE Aa Bb", &["eam_alloy.part"]),
    ("eam/fs", "* * CASE Aa Bb", &["eam_fs.part"]),
    ("eam/he", "* * CASE Aa Bb", &["eam_he.part"]),
    ("adp", "* * CASE Aa Bb", &["adp.part"]),
    ("sw", "* * CASE Si Xx", &["sw.part"]),
    ("sw/mod", "* * CASE Si Xx", &["sw.part"]),
    ("tersoff", "* * CASE Si Xx", &["tersoff.part"]),
    ("tersoff/mod", "* * CASE Si Xx", &["tersoff_mod.part"]),
    ("tersoff/mod/c", "* * CASE Si Xx", &["tersoff_mod_c.part"]),
    ("tersoff/zbl", "* * CASE Si Xx", &["tersoff_zbl.part"]),
    ("vashishta", "* * CASE Aa Bb", &["vashishta.part"]),
    ("edip", "* * CASE Aa Aa", &["edip.part"]),
    ("edip/multi", "* * CASE Aa Bb", &["edip.part"]),
    ("meam", "* * meam_library.part Aa Bb CASE Aa Bb", &["meam.part"]),
    ("meam", "* * CASE Aa Bb meam.part Aa Bb", &["meam_library.part"]),
];

#[test]
fn potential_files_with_mistakes() {
    in_third!(2);
    let folder = workplace();
    // Every reader gets mistakes made from the words of all files.
    let whole = |name: &&str| fs::read_to_string(folder.join(name)).expect("text");
    let words = POTENTIALS.iter().flat_map(|(_, _, files)| files.iter().map(whole));
    let words = Corpus::new(words.collect()).words;
    for (style, coefficients, files) in POTENTIALS {
        let texts: Vec<String> = files.iter().map(whole).collect();
        let corpus = Corpus { texts, words: words.clone() };
        let case = |chance: &mut Chance| {
            let mut case = corpus.case(chance);
            // The end may be missing.
            if chance.below(8) == 0 {
                let places: Vec<usize> = case.char_indices().map(|(at, _)| at).collect();
                case.truncate(places[chance.below(places.len())]);
            }
            format!("{style} {coefficients}\n---\n{case}")
        };
        fuzz(&format!("potential files of {style}"), 200, case, read_potential);
    }
}

/// Reads a file for a pair style, and asks for what kernels would need of it.
fn read_potential(case: &str) -> Result<bool, String> {
    let (lines, text) = case.split_once("\n---\n").expect("two parts");
    let (style, coefficients) = lines.split_once(' ').expect("a style");
    fs::write("fuzz.potential", text).expect("written");
    let coefficients = coefficients.replace("CASE", "fuzz.potential");
    let script = format!(
        "units metal\nregion box block 0 9 0 9 0 9\ncreate_box 2 box\nmass * 1\npair_style {style}\npair_coeff {coefficients}\n"
    );
    carry_out_and(&script, |session| {
        let pair = session.force_field.pair.as_ref().expect("a pair style");
        if let Ok(resolved) = pair.resolve() {
            let kernels = resolved.coefficients(false);
            assert!(!kernels.passes.is_empty() && resolved.longest_cutoff() >= 0.0);
        }
    })
}

/// What reads a file of each kind but potentials, with texts that are right.
const READERS: [(&str, &str, &[&str]); 7] = [
    (
        "molecule",
        "atom_style bond\nBOXbond/types 2 extra/bond/per/atom 4 extra/special/per/atom 8\nmolecule m fuzz.file",
        &["dimer.part", "trimer.part"],
    ),
    (
        "table",
        "BOX\npair_style table linear 50\npair_coeff * * fuzz.file EVEN\npair_coeff 1 1 fuzz.file ROWS 2.0",
        &["table.part"],
    ),
    (
        "bond table",
        "atom_style bond\nBOXbond/types 2 extra/bond/per/atom 4\nbond_style table spline 30\nbond_coeff 1 fuzz.file CUBIC\nbond_coeff 2 fuzz.file SQUARE",
        &["bonds.part"],
    ),
    ("list", "BOX\npair_style list fuzz.file 3.0\npair_coeff * *", &["listed.part", "listed_chain.part"]),
    ("stopping forces", "BOX\nfix 1 all electron/stopping 1 fuzz.file", &["stopping.part"]),
    ("mesh", "BOX\ncreate_atoms 1 mesh fuzz.file units box radthresh 2.0", &["mesh.part"]),
    (
        "dump",
        "BOX\nread_dump fuzz.file 10 x y z vx vy vz box yes add yes\nread_dump fuzz.file 20 x y z box no purge yes add keep",
        &["frames.dump", "bare.dump"],
    ),
];

#[test]
fn files_with_mistakes() {
    let place = workplace();
    for (from, name) in [
        ("tests/bad", "mesh.part"),
        ("tests/lammps/expected/adapted", "frames.dump"),
        ("tests/lammps/expected/bare", "bare.dump"),
    ] {
        fs::copy(root().join(from).join(name), place.join(name)).expect(name);
    }
    let text = |name: &&str| String::from_utf8_lossy(&fs::read(place.join(name)).expect(name)).into_owned();
    // A part of all words comes from files of other kinds.
    let texts: Vec<Vec<String>> =
        READERS.iter().map(|(_, _, names)| names.iter().map(text).collect()).collect();
    let corpora: Vec<Corpus> = texts
        .iter()
        .map(|own| Corpus { words: Corpus::new(texts.concat()).words, texts: own.clone() })
        .collect();
    let case = |chance: &mut Chance| {
        let kind = chance.below(READERS.len());
        format!("{kind}\n{}", corpora[kind].case(chance))
    };
    fuzz("files", 3000, case, |case| {
        let (kind, text) = case.split_once('\n').expect("a kind");
        fs::write("fuzz.file", text).expect("written");
        let (_, script, _) = READERS[kind.parse::<usize>().expect("a number")];
        let region = "region b block 0 9 0 9 0 9\ncreate_box 2 b ";
        let mut script = script.replacen("BOX", region, 1);
        script.push('\n');
        carry_out(&script)
    });
}

/// Scripts whose restart files are spoilt.
const RESTARTS: [&str; 3] = [
    "lattice fcc 0.8442\nregion box block 0 2 0 2 0 2\ncreate_box 2 box\ncreate_atoms 1 box\nset group all type/fraction 2 0.3 4827\n\
     mass * 1\nvelocity all create 1 4827\npair_style lj/cut 1.5\npair_coeff * * 1 1\npair_coeff 1 2 0.9 1.1\ngroup some id 1:9\n\
     compute moved all msd\nfix bath all nvt temp 1 1 0.1\n",
    "units metal\natom_style full\nregion box prism 0 9 0 9 0 9 2 1 1\ncreate_box 2 box bond/types 2\nlabelmap atom 1 A 2 B\n\
     create_atoms 1 random 20 4827 NULL\nmass * 1\nset group all charge 0.5\nbond_style hybrid harmonic fene\nbond_coeff 1 harmonic 3 1\n\
     bond_coeff 2 fene 30 9 1 1\npair_style hybrid/overlay coul/cut 4.0 eam/alloy\npair_coeff * * coul/cut\n\
     pair_coeff * * eam/alloy eam_alloy.part Aa Bb\ncreate_bonds single/bond 1 1 2\ncreate_bonds single/bond 2 3 4\n\
     fix own all property/atom d_weight i2_many 2\n",
    "atom_style sphere\nboundary f s p\nregion box block 0 9 0 9 0 9\ncreate_box 1 box\ncreate_atoms 1 random 20 4827 NULL\n\
     set type 1 diameter 1.5 density 2\npair_style table linear 50\npair_coeff * * table.part EVEN\n",
];

/// What is done with a system that comes from a spoilt file.
const USE: &str = "read_restart fuzz.restart\nset group all vx 1\ndisplace_atoms all move 0.1 0 0\ncompute moved all msd\n\
     fix bath all nvt temp 1 1 0.1\nvariable m equal mass(all)+count(all)\nprint $(v_m)\nreplicate 1 1 2\nvelocity all create 1 3\n\
     reset_atoms id\ndelete_atoms random count 1 no all NULL 7\nwrite_data fuzz.whole\nwrite_restart fuzz.again\nread_data fuzz.none\n";

/// The parts of the restart files behind their lines of text.
fn bodies() -> &'static [Vec<u8>] {
    static BODIES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BODIES.get_or_init(|| {
        let body = |script: &&str| {
            let session = Session::new(Options::default(), Log::memory(), Variables::default());
            let mut interpreter = Interpreter::new(session, Echo::None);
            let written = interpreter.run("in.fuzz", &format!("{script}write_restart good.restart\n"));
            written.unwrap_or_else(|error| panic!("{}", error.render(false)));
            let file = fs::read("good.restart").expect("a file");
            let body = file.splitn(4, |byte| *byte == b'\n').nth(3).expect("three lines");
            body.to_vec()
        };
        RESTARTS.iter().map(body).collect()
    })
}

/// Writes a restart file with a right checksum.
fn write_restart(path: &str, body: &[u8]) {
    use sha2::{Digest, Sha256};
    let good = fs::read("good.restart").expect("a file");
    let first = good.split(|byte| *byte == b'\n').next().expect("a first line");
    let sum: String = Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect();
    let lines = format!("\nx\nsha256 {sum} of the {} bytes below\n", body.len());
    fs::write(path, [first, lines.as_bytes(), body].concat()).expect("written");
}

/// Numbers of CBOR at which programs stumble: integers of one and of eight bytes, a negative one, numbers of eight bytes, nothing, true,
/// empty texts, lists and maps.
const ITEMS: [&[u8]; 14] = [
    &[0x00],
    &[0x01],
    &[0x18, 0xff],
    &[0x1a, 0xff, 0xff, 0xff, 0xff],
    &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0x20],
    &[0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0],
    &[0xfb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0],
    &[0xfb, 0, 0, 0, 0, 0, 0, 0, 0],
    &[0xf6],
    &[0xf5],
    &[0x60],
    &[0x80],
    &[0xa0],
];

/// Makes a mistake, `KIND AT NUMBER`, in a restart file.
fn spoil_restart(body: &mut Vec<u8>, mistake: &str) {
    let mut numbers = mistake.split(' ').map(|word| word.parse::<usize>().expect("a number"));
    let [kind, at, number] = [(); 3].map(|()| numbers.next().expect("three numbers"));
    let at = at % body.len().max(1);
    match kind {
        0 if at < body.len() => body[at] ^= number as u8,
        1 => body.insert(at, number as u8),
        2 => drop(body.drain(at..(at + number % 20).min(body.len()))),
        // A part comes twice.
        3 => {
            let part = body[at..(at + number % 40).min(body.len())].to_vec();
            drop(body.splice(at..at, part));
        }
        // Another item for one that is as long.
        4 => {
            let item = ITEMS[number % ITEMS.len()];
            drop(body.splice(at..(at + item.len()).min(body.len()), item.iter().copied()));
        }
        // Another item for a short one.
        5 => drop(body.splice(at..(at + 1).min(body.len()), ITEMS[number % ITEMS.len()].iter().copied())),
        _ => body.truncate(at),
    }
}

#[test]
fn restart_files_with_mistakes() {
    workplace();
    let lengths: Vec<usize> = bodies().iter().map(Vec::len).collect();
    let case = |chance: &mut Chance| {
        let which = chance.below(lengths.len());
        let mut case = which.to_string();
        for _ in 0..=chance.below(3) {
            // Most of what there is to break comes before the atoms.
            let reach = if chance.below(3) == 0 { lengths[which] } else { lengths[which].min(3000) };
            case += &format!("\n{} {} {}", chance.below(7), chance.below(reach), chance.below(256));
        }
        case
    };
    fuzz("restart files", 1500, case, |case| {
        let mut lines = case.lines();
        let mut body = bodies()[lines.next().expect("a file").parse::<usize>().expect("a number")].clone();
        lines.for_each(|mistake| spoil_restart(&mut body, mistake));
        write_restart("fuzz.restart", &body);
        // Its last line is refused, whatever the file.
        carry_out("read_restart fuzz.restart\n").and_then(|accepted| carry_out(USE).map(|_| accepted))
    });
}
